// Memory that host functions take besides their arguments: no more than the arguments have in size. A problem without elements may have any
// extents, so an extent alone must never decide how much is allocated.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include <doctest/doctest.h>

#include "harness/arguments.hpp"
#include "harness/harness.hpp"
#include "plan/descriptor.hpp"
#include "support.hpp"

namespace {

std::atomic<bool> counting = false;
std::atomic<std::uint64_t> allocated = 0;  // bytes that operator new has handed out while counting

void* allocate(std::size_t size, std::size_t alignment) {
  if (counting) allocated += size;
  void* memory =
      alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment) : std::malloc(size ? size : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 0); }
void* operator new[](std::size_t size) { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return allocate(size, static_cast<std::size_t>(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using harness::Problem;

constexpr std::int64_t kHuge = std::int64_t{1} << 21;      // extent of a dimension of tensors without elements
constexpr std::uint64_t kLargestArguments = 1 << 17;       // bytes of the arguments of a problem without elements
constexpr std::uint64_t kBesideArguments = 1 << 20;        // bytes that any call may take

// Bytes of all buffers that a call with these contents has.
std::uint64_t bytes_of_specs(const adj::OpInfo& op, const void* descriptor, bool optional) {
  std::vector<adj::ArgumentSpec> specs(op.arguments.size());
  op.shapes(descriptor, specs);
  std::uint64_t bytes = 0;
  for (const adj::ArgumentSpec& spec : specs) {
    if (spec.presence == adj::Presence::forbidden || (!optional && spec.presence == adj::Presence::optional)) continue;
    bytes += spec.bytes;
    for (std::int64_t n : spec.numel) bytes += static_cast<std::uint64_t>(n) * adj::size_of(spec.dtype);
  }
  return bytes;
}

// Runs a problem on the host. Returns the bytes that the run allocated; none when the problem is refused.
std::optional<std::uint64_t> bytes_allocated(const Problem& problem) {
  auto selected = adj::select_plan(adj::host_stream(), problem.descriptor(), nullptr);
  if (!selected) return {};
  const support::PlanPtr plan(*selected);
  const adj::OpInfo& op = problem.op();
  std::vector<std::vector<harness::Data>> data(op.arguments.size());
  std::vector<std::vector<void*>> addresses(op.arguments.size());
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    data[i] = problem.contents()[i].data;
    for (harness::Data& d : data[i]) addresses[i].push_back(d.bytes.empty() ? nullptr : d.bytes.data());
  }
  for (std::size_t i = 0; i < op.arguments.size(); ++i)
    if (const int other = problem.contents()[i].shares; other >= 0) addresses[i] = addresses[static_cast<std::size_t>(other)];
  const harness::Arguments args(problem, addresses);
  struct alignas(256) Block {
    std::byte bytes[256];
  };
  std::vector<Block> workspace(plan->workspace_size / sizeof(Block) + 1);
  allocated = 0;
  counting = true;
  const auto ok = adj::run_plan(*plan, adj::host_stream(), {workspace.data(), plan->workspace_size}, args.get());
  counting = false;
  if (!ok) return {};
  return allocated.load();
}

// Operators whose cases the host runs alone.
bool runs_alone(const adj::OpInfo& op) { return op.family != std::string("collective") && op.family != std::string("control"); }

// Places of a descriptor that may hold an extent: integers, and the dimensions of shapes.
std::vector<std::uint32_t> extents_of(const adj::OpInfo& op, const void* descriptor) {
  std::vector<std::uint32_t> places;
  for (const adj::Field& field : op.fields) {
    if (field.kind == adj::kFieldI64) places.push_back(field.offset);
    if (field.kind != adj::kFieldShape) continue;
    adj_shape shape;
    std::memcpy(&shape, static_cast<const std::byte*>(descriptor) + field.offset, sizeof shape);
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(shape.rank); ++i) places.push_back(field.offset + 8 + 8 * i);
  }
  return places;
}

}  // namespace

TEST_CASE("problems without elements take no memory, however large their other extents are" * doctest::test_suite("every operator")) {
  int tried = 0;
  for (const adj::OpInfo* op : adj::all_ops()) {
    if (!runs_alone(*op)) continue;
    // Descriptors of different settings; a few of them suffice.
    std::vector<harness::Case> cases = harness::cases_of(op->id)(op->signatures[0], harness::Level::quick, 1);
    const std::size_t step = std::max<std::size_t>(1, cases.size() / 12);
    for (std::size_t n = 0; n < cases.size(); n += step) {
      const Problem& base = *cases[n].problem;
      const std::vector<std::uint32_t> places = extents_of(*op, base.descriptor());
      for (std::uint32_t zero : places)
        for (std::uint32_t huge : places) {
          if (zero == huge) continue;
          std::vector<std::uint64_t> words(op->descriptor_size / 8 + 1);
          std::memcpy(words.data(), base.descriptor(), op->descriptor_size);
          const std::int64_t nothing = 0;
          std::memcpy(reinterpret_cast<std::byte*>(words.data()) + zero, &nothing, 8);
          std::memcpy(reinterpret_cast<std::byte*>(words.data()) + huge, &kHuge, 8);
          auto copy = adj::DescriptorCopy::make(reinterpret_cast<const adj_header*>(words.data()));
          if (!copy || !adj::check_problem(*op, copy->get())) continue;
          if (bytes_of_specs(*op, copy->get(), false) > kLargestArguments || bytes_of_specs(*op, copy->get(), true) > (std::uint64_t{1} << 28)) continue;
          Problem problem(*static_cast<const adj_header*>(copy->get()));
          for (std::size_t i = 0; i < problem.specs().size(); ++i) {
            const adj::ArgumentKind kind = op->arguments[i].kind;
            const adj::ArgumentSpec& spec = problem.specs()[i];
            if (spec.presence == adj::Presence::forbidden) continue;
            const bool buffer = kind == adj::ArgumentKind::tensor || kind == adj::ArgumentKind::list;
            if (!buffer && base.contents()[i].present) problem.contents()[i] = base.contents()[i];
            if (buffer && spec.presence == adj::Presence::optional && harness::bytes_of(problem) > kLargestArguments) problem.omit(op->arguments[i].name);
          }
          const auto bytes = bytes_allocated(problem);
          if (!bytes) continue;
          ++tried;
          const std::string op_name = op->name;
          CAPTURE(op_name);
          CAPTURE(cases[n].name);
          CAPTURE(zero);
          CAPTURE(huge);
          CHECK(*bytes <= kBesideArguments);
        }
    }
  }
  MESSAGE(tried << " problems");
  CHECK(tried > 1000);
}

TEST_CASE("a call takes memory in proportion to its arguments" * doctest::test_suite("every operator")) {
  constexpr std::uint64_t kFactor = 32;  // a compensated sum of two numbers in f64 for a 16-bit element, and the like
  for (const adj::OpInfo* op : adj::all_ops()) {
    if (!runs_alone(*op)) continue;
    const adj::Signature& narrow = *std::min_element(op->signatures.begin(), op->signatures.end(),
                                                     [](const adj::Signature& a, const adj::Signature& b) { return adj::size_of(a[0]) < adj::size_of(b[0]); });
    for (const harness::Case& c : harness::cases_of(op->id)(narrow, harness::Level::quick, 1)) {
      const auto bytes = bytes_allocated(*c.problem);
      if (!bytes) continue;
      const std::string op_name = op->name;
      CAPTURE(op_name);
      CAPTURE(c.name);
      CHECK(*bytes <= kFactor * harness::bytes_of(*c.problem) + kBesideArguments);
    }
  }
}
