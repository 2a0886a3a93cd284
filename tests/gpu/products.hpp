// What products.cpp multiplies: its options, the contents of operands, the products that are drawn.
#pragma once

#include <adjoint/ops/matmul.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "harness/gpu.hpp"
#include "harness/harness.hpp"
#include "host/matmul_problem.hpp"

namespace products {

using adj::host::MatmulProblem;
using harness::DeviceBuffer;
using harness::Gpu;

constexpr std::int64_t kMostDepth = 32768, kMostSide = 256, kMostBatch = 3;
constexpr std::int64_t kPad = 8;                                      // elements between rows, where there are any
constexpr std::int64_t kDeepSide = 128, kShallow = 4096;              // sides of deeper products stay below the first
constexpr std::int64_t kElements = (kDeepSide + kPad) * kMostDepth;   // of an operand
constexpr std::int64_t kShift = 8 * 8191;                             // B begins so many elements behind A
constexpr std::int64_t kBias = 8 * 101, kOther = 8 * 499, kBefore = 8 * 997;  // beginnings of the other operands in the contents
constexpr std::int64_t kLeastSums = 64;                               // of products with results of 16 bits
constexpr std::int64_t kMostOut = kMostBatch * kMostSide * (kMostSide + kPad);

struct Options {
  double seconds = 120;
  std::uint64_t seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::int64_t least = 1, most = kMostDepth, count = 0;
  bool host = false;
};
inline Options options;

template <class T>
T must(adj::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}
inline void must(const adj::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}
inline void check(const adj::cu::BlasApi& api, adj::cu::BlasStatus status, const char* call) {
  if (status) throw std::runtime_error(adj::cublaslt_error(api, status, call).message);
}

// ---- contents

enum Set { kOnes, kIntegers, kNormal, kSets };
constexpr adj_dtype kTypes[] = {ADJ_F16, ADJ_BF16, ADJ_F32, ADJ_F64};

// The same numbers in every type, in device memory: ones; integers of [-2, 2]; and a normal distribution, rounded to each type.
class Contents {
 public:
  explicit Contents(const Gpu& gpu) {
    harness::Rng rng(options.seed);
    const std::size_t count = kElements + kShift;
    integers.resize(count);
    for (auto& i : integers) i = static_cast<std::int8_t>(static_cast<int>(rng() % 5) - 2);
    harness::Data numbers{ADJ_F32, std::vector<std::byte>(count * 4)};
    harness::fill_normal(numbers, rng);
    const auto* normal = reinterpret_cast<const float*>(numbers.bytes.data());
    for (const adj_dtype type : kTypes)
      for (int set = 0; set < kSets; ++set) {
        std::vector<std::byte> bytes(count * adj::size_of(type));
        adj::with_float(type, [&](auto* element) {
          using T = std::remove_pointer_t<decltype(element)>;
          auto* to = reinterpret_cast<T*>(bytes.data());
          for (std::size_t i = 0; i < count; ++i) to[i] = adj::from_double<T>(set == kOnes ? 1 : set == kIntegers ? integers[i] : normal[i]);
        });
        DeviceBuffer buffer(gpu, bytes.size());
        buffer.upload(bytes.data());
        buffers_.emplace(std::pair(type, set), std::move(buffer));
      }
  }
  void* at(adj_dtype type, Set set, std::int64_t begin) const {
    return static_cast<std::byte*>(buffers_.at({type, set}).data()) + static_cast<std::size_t>(begin) * adj::size_of(type);
  }
  adj_tensor tensor(adj_dtype type, Set set, std::int64_t begin) const {
    adj_tensor t;
    t.data = at(type, set, begin);
    t.bytes = static_cast<std::uint64_t>(kElements + kShift - begin) * adj::size_of(type);
    t.dtype = type;
    return t;
  }
  std::vector<std::int8_t> integers;

 private:
  std::map<std::pair<adj_dtype, int>, DeviceBuffer> buffers_;
};

// ---- problems

struct Kind {
  adj_dtype element, out;
  bool tf32;
};
constexpr Kind kKinds[] = {{ADJ_BF16, ADJ_F32, false}, {ADJ_F16, ADJ_F32, false}, {ADJ_BF16, ADJ_BF16, false}, {ADJ_F16, ADJ_F16, false},
                           {ADJ_F32, ADJ_F32, false},  {ADJ_F32, ADJ_F32, true},  {ADJ_F64, ADJ_F64, false}};
constexpr int kLayouts = 4;

inline const adj::OpInfo& op() { return *adj::find_op(ADJ_OP_MATMUL); }

inline const adj::Sku* sku_of(const Kind& kind) {
  for (const adj::Sku& sku : adj::all_skus())
    if (sku.op->id == ADJ_OP_MATMUL && sku.variant->backend == ADJ_BACKEND_CUBLASLT && sku.variant->on_request == kind.tf32 &&
        sku.signature[0] == kind.element && sku.signature[1] == kind.out)
      return &sku;
  throw std::logic_error("no such SKU");
}

inline std::vector<std::int64_t> depths() {
  std::vector<std::int64_t> all;
  harness::Rng rng(options.seed);
  for (std::int64_t k = 1; k < 64; ++k) all.push_back(k);
  for (std::int64_t k = 64; k <= kMostDepth; k += 8) all.push_back(k);
  for (int i = 0; i < 256; ++i) all.push_back(65 + 2 * static_cast<std::int64_t>(rng() % ((kMostDepth - 65) / 2)));
  std::erase_if(all, [](std::int64_t k) { return k < options.least || k > options.most; });
  std::shuffle(all.begin(), all.end(), rng);
  if (options.count > 0 && all.size() > static_cast<std::size_t>(options.count)) all.resize(static_cast<std::size_t>(options.count));
  return all;
}

template <class T, std::size_t kCount>
T one_of(harness::Rng& rng, const T (&all)[kCount]) {
  return all[rng() % kCount];
}

// A product of that depth, type and layout; all else is drawn.
inline adj_matmul_descriptor draw(harness::Rng& rng, const Kind& kind, int layout, std::int64_t k) {
  static constexpr std::int64_t kSides[] = {1, 8, 16, 24, 40, 64, 72, 128, 192, 256};
  adj_matmul_descriptor d;
  const auto side = [&] { return std::min(one_of(rng, kSides), k > kShallow ? kDeepSide : kMostSide); };
  do d.m = side(), d.n = side();
  while (adj::is_16bit_float(kind.out) && d.m * d.n < kLeastSums);
  d.k = k;
  d.element = kind.element, d.out = kind.out;
  d.transpose_a = layout & 1, d.transpose_b = layout >> 1;
  d.alpha = one_of(rng, {1.0, 1.0, 0.5, -1.0});
  if (rng() % 4 == 0) d.lda = (d.transpose_a ? d.m : k) + kPad, d.ldb = (d.transpose_b ? k : d.n) + kPad, d.ldd = d.n + kPad;
  const MatmulProblem p(d);
  if (rng() % 4 == 0 && kMostBatch * std::max(p.a.stride, p.b.stride) <= kElements) d.batch = kMostBatch;
  switch (rng() % 8) {
    case 0: d.has_bias = 1; break;
    case 1: d.beta = one_of(rng, {1.0, -2.0}); break;
    case 2: d.write_mode = ADJ_WRITE_ACCUMULATE; break;
    case 3:
      d.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH;
      d.has_bias = static_cast<std::int32_t>(rng() % 2), d.has_preactivation = static_cast<std::int32_t>(rng() % 2);
      d.alpha = 0x1p-8;
      break;
    case 4: d.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD; break;
    case 5:
    case 6:
      if (d.transpose_a && d.batch == 1) d.has_dbias = 1, d.write_mode = rng() % 2 ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_DEFAULT;
      break;
    default: break;
  }
  return d;
}

// True where a sum may be rounded to 16 bits before something is done with it.
inline bool may_round_twice(const adj_matmul_descriptor& d) {
  const MatmulProblem p(d);
  return adj::is_16bit_float(p.out_element) && (d.has_bias || d.beta != 0 || p.accumulates() || p.gelu() || p.gelu_gradient());
}

inline double gelu(double z) { return 0.5 * z * (1 + std::tanh(0.7978845608028654 * (z + 0.044715 * z * z * z))); }
inline double gelu_slope(double z) {
  const double t = std::tanh(0.7978845608028654 * (z + 0.044715 * z * z * z));
  return 0.5 * (1 + t) + 0.5 * z * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * z * z);
}

}  // namespace products
