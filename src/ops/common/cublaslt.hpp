// A product that cuBLASLt computes. It knows column-major matrices, as which ours are their own transposes: D^T = op(B)^T op(A)^T, so its first operand is
// our second.
#pragma once

#include <atomic>
#include <functional>

#include "driver/cublaslt.hpp"
#include "ops/common/common.hpp"

namespace adj::blas {

constexpr std::uint32_t kAddressAlignment = 16;  // bytes, of operands and results

// Error of a call while a plan is made. Statuses that follow from the problem or the version of the library reject the candidate; all others end
// the selection.
Result<void> check(const cu::BlasApi& api, cu::BlasStatus status, const char* call);

// Object of cuBLASLt, destroyed with its owner.
template <class Handle, cu::BlasStatus (*cu::BlasApi::*destroy)(Handle)>
class Object {
 public:
  explicit Object(const cu::BlasApi& api) : api_(api) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { give(nullptr); }
  Handle get() const { return handle_.load(std::memory_order_acquire); }
  Handle take() { return handle_.exchange(nullptr, std::memory_order_acquire); }
  // Puts an object in the place of the one that is here, which is destroyed.
  void give(Handle handle) {
    if (Handle old = handle_.exchange(handle, std::memory_order_acq_rel)) (api_.*destroy)(old);
  }

 private:
  const cu::BlasApi& api_;
  std::atomic<Handle> handle_{nullptr};
};
using Layout = Object<cu::BlasLayout, &cu::BlasApi::layout_destroy>;

// A matrix of a batch as stored, row-major. Strides are in elements.
struct Stored {
  adj_dtype type;
  std::int64_t rows, columns, ld, batch = 1, stride = 0;
};

// An attribute of the product that all calls share: the first `size` bytes of the value.
struct Attribute {
  cu::BlasAttribute attribute;
  std::int64_t value;
  std::size_t size;
};
// An address of each call: the data of an argument, or, where `argument` is -1, a place in the workspace.
struct Address {
  cu::BlasAttribute attribute;
  int argument = -1;
  std::uint64_t workspace = 0;
};

// What a plan owns of a product.
struct Product {
  explicit Product(BlasDevice& owner) : device(owner), a(owner.api()), b(owner.api()), out(owner.api()), product(owner.api()) {}

  BlasDevice& device;
  Layout a, b, out;
  Object<cu::BlasProduct, &cu::BlasApi::product_destroy> product;  // has addresses of a call, so a call takes it, and makes another one where it finds none
  cu::BlasCompute compute = cu::kBlasCompute32;
  bool wide = false;                   // factors are f64
  adj_dtype element = ADJ_DTYPE_NONE;  // of the operands
  std::int64_t depth = 0;              // terms of a sum
  std::uint32_t epilogue = cu::kBlasEpilogueNone;
  std::vector<Attribute> attributes;   // without the epilogue
  std::vector<Address> addresses;
  double alpha = 1, beta = 0;
  int from_a = -1, from_b = -1, from_c = -1, to = -1;  // arguments; to -1: `sums` in the workspace, which is c as well
  std::uint64_t sums = 0, scratch = 0, scratch_bytes = 0;
  cu::BlasAlgo algo{};

  // Completes the product, whose other members are set.
  Result<void> describe(const Stored& of_a, const Stored& of_b, const Stored& of_out);
  // Adds the call to a plan whose workspace has the scratch memory.
  void add_to(PlanBuilder& builder, std::shared_ptr<Product> self);
};

// A way to compute a problem by a product, of several.
struct Way {
  const char* name;
  std::function<Result<std::shared_ptr<Product>>()> make;
};
// Takes the first algorithm of the first way that cuBLASLt takes and this library trusts. With choices, names it and offers those of all ways, or follows a
// verdict.
Result<std::shared_ptr<Product>> choose(BlasDevice& device, const PlanRequest& request, const std::vector<Way>& ways);

// The device's handle. Fails on an offline stream, which has no device to ask.
Result<BlasDevice*> device_of(const PlanRequest& request);

}  // namespace adj::blas
