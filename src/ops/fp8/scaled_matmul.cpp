// Planning of the product of matrices of f8 codes.
#include "host/scaled_matmul.hpp"
#include "ops/common/cublaslt.hpp"
#include "ops/common/shared.hpp"
#include "ops/fp8/fp8.hpp"
#include "ops/matmul.gen.hpp"

namespace adj {

namespace {

using namespace scaled_matmul_tables;

enum class Scales { tensor, row, blocks };
Scales kind_of(adj_scale_granularity g) {
  if (g == ADJ_SCALE_GRANULARITY_ROW) return Scales::row;
  return g == ADJ_SCALE_GRANULARITY_BLOCK_1X128 || g == ADJ_SCALE_GRANULARITY_BLOCK_128X128 ? Scales::blocks : Scales::tensor;
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (static_cast<float>(d.alpha) == 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: alpha = {}, expected a finite number in f32 other than 0", kName, d.alpha);
  return {};
}

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto* all = new std::vector<Signature>;
    for (auto [a, b] : {std::pair{ADJ_F8_E4M3, ADJ_F8_E4M3}, {ADJ_F8_E4M3, ADJ_F8_E5M2}, {ADJ_F8_E5M2, ADJ_F8_E4M3}})
      for (adj_dtype out : {ADJ_BF16, ADJ_F16, ADJ_F32}) all->push_back({a, b, out});
    return all;
  }();
  return *list;
}
Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.code_a, d.code_b, d.out};
}

Result<void> finish_host(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.m > 0 && d.n > 0) builder.host(host_call<Descriptor, Args, host::scaled_matmul>);
  return {};
}

// ---- kernels/fp8/product.cu

Result<void> finish_cores(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.m == 0 || d.n == 0) return {};
  const Device& device = *request.device;
  ADJ_TRY(check_shared(device, kFp8ProductShared));
  constexpr int kAll = 62, kGroupLog2 = 7;
  const auto rows_log2 = [](adj_scale_granularity g) {
    return g == ADJ_SCALE_GRANULARITY_BLOCK_128X128 ? kGroupLog2 : kind_of(g) == Scales::tensor ? kAll : 0;
  };
  Fp8ProductParams p{};
  p.places_a = places_of(d.granularity_a, d.scale_layout, d.m, d.k);
  p.places_b = places_of(d.granularity_b, d.scale_layout, d.n, d.k);
  p.rows_log2_a = rows_log2(d.granularity_a);
  p.rows_log2_b = rows_log2(d.granularity_b);
  p.m = d.m;
  p.n = d.n;
  p.k = d.k;
  p.column_tiles = ceil_div(d.n, std::int64_t{kFp8ProductTile});
  p.tiles = ceil_div(d.m, std::int64_t{kFp8ProductTile}) * p.column_tiles;
  p.alpha = static_cast<float>(d.alpha);
  p.grouped = kind_of(d.granularity_a) == Scales::blocks || d.k == 0;  // a sum of nothing is 0 whatever the scale
  p.accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  auto kernel = builder.kernel(kMain, strided_grid(device, p.tiles), kFp8Block);
  kernel.shared(kFp8ProductShared)
      .params(p)
      .tensor(offsetof(Fp8ProductParams, a), kA)
      .tensor(offsetof(Fp8ProductParams, b), kB)
      .tensor(offsetof(Fp8ProductParams, scale_a), kScaleA)
      .tensor(offsetof(Fp8ProductParams, scale_b), kScaleB)
      .tensor(offsetof(Fp8ProductParams, out), kD);
  if (d.has_bias) kernel.tensor(offsetof(Fp8ProductParams, bias), kBias);
  return {};
}

// ---- cuBLASLt

// What cuBLASLt calls the scales of an operand [rows, k]; -1: it has none that lie so.
std::int32_t mode_of(adj_scale_granularity g, adj_scale_layout layout, std::int64_t k) {
  switch (g) {
    case ADJ_SCALE_GRANULARITY_ROW: return cu::kBlasScaleOfRow;
    case ADJ_SCALE_GRANULARITY_BLOCK_1X128: return layout == ADJ_SCALE_LAYOUT_GEMM ? cu::kBlasScaleOfGroup : -1;
    case ADJ_SCALE_GRANULARITY_BLOCK_128X128:
      return layout == ADJ_SCALE_LAYOUT_GEMM || ceil_div(k, std::int64_t{kFp8Group}) % 4 == 0 ? cu::kBlasScaleOfBlock : -1;
    default: return cu::kBlasScaleOfTensor;
  }
}

Result<void> finish_cublaslt(const PlanRequest& request, PlanBuilder& builder) {
  const auto device = blas::device_of(request);
  if (!device) return device.error();
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.m == 0 || d.n == 0 || d.k == 0) return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt takes no empty matrices");
  constexpr std::int64_t kUnit = 16;  // bytes of which a row has a whole number
  if (d.k % kUnit != 0) return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt takes codes whose k is a multiple of {}, has {}", kUnit, d.k);
  if (d.n * size_of(d.out) % kUnit != 0)
    return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt takes results whose rows are whole multiples of {} bytes, has {}", kUnit, d.n * size_of(d.out));
  if (d.has_bias && d.out == ADJ_F32) return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt adds no f32 bias to a product of codes");
  const std::int32_t mode_a = mode_of(d.granularity_a, d.scale_layout, d.k), mode_b = mode_of(d.granularity_b, d.scale_layout, d.k);
  if (mode_a < 0 || mode_b < 0) return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt reads scales of blocks in scale_layout gemm");
  const auto make = [&]() -> Result<std::shared_ptr<blas::Product>> {
    auto s = std::make_shared<blas::Product>(**device);
    s->element = d.code_a;
    s->depth = d.k;
    s->alpha = static_cast<float>(d.alpha);
    s->beta = d.write_mode == ADJ_WRITE_ACCUMULATE ? 1 : 0;
    s->from_a = kA;
    s->from_b = kB;
    s->from_c = s->to = kD;
    s->attributes = {{cu::kBlasTransposeA, cu::kBlasTranspose, sizeof(std::int32_t)}};
    if (d.fast_accumulation && kind_of(d.granularity_a) != Scales::blocks) s->attributes.push_back({cu::kBlasFastAccumulation, 1, sizeof(std::int8_t)});
    // Versions that know no modes have scales of a tensor.
    if (mode_b != cu::kBlasScaleOfTensor) s->attributes.push_back({cu::kBlasScaleAMode, mode_b, sizeof(std::int32_t)});
    if (mode_a != cu::kBlasScaleOfTensor) s->attributes.push_back({cu::kBlasScaleBMode, mode_a, sizeof(std::int32_t)});
    s->addresses = {{cu::kBlasScaleAPointer, kScaleB}, {cu::kBlasScaleBPointer, kScaleA}};
    if (d.has_bias) s->epilogue = cu::kBlasEpilogueBias, s->addresses.push_back({cu::kBlasBiasPointer, kBias});
    ADJ_TRY(s->describe({d.code_a, d.m, d.k, d.k}, {d.code_b, d.n, d.k, d.k}, {d.out, d.m, d.n, d.n}));
    return s;
  };
  auto product = blas::choose(**device, request, {{"product", make}});
  if (!product) return product.take_error();
  (*product)->add_to(builder, *product);
  return {};
}

// ---- guarantees

// Products of decoded numbers are summed in f64.
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 0x1p-40); }
adj_guarantee cores_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-12); }
// Tensor cores of sm_90 cut products of codes off below the 13th bit behind the largest of a sum. cuBLASLt adds what they have summed to f32 every 128 places
// of k, but with fast accumulation, where each 32 places may lose as much again, and at worst all.
constexpr double kCut = 0x1p-13;
adj_guarantee cublaslt_guarantee(const Signature& s) {
  const double rounded = s[2] == ADJ_F32 ? 0 : s[2] == ADJ_BF16 ? 0x1p-8 : 0x1p-11;  // before the bias, or d, is added
  return make_guarantee(ADJ_RUN_TO_RUN, ADJ_MATH_IEEE, ADJ_F32, 0.51, 1 + rounded);
}
adj_guarantee cublaslt_guarantee_for(const adj_guarantee& general, const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  adj_guarantee own = general;
  const double places = static_cast<double>(d.fast_accumulation && kind_of(d.granularity_a) != Scales::blocks ? d.k : std::int64_t{kFp8Group});
  own.bound_terms = std::min(1.0, std::max(places / 32, 4.0) * 2 * kCut);
  if (d.has_bias || d.write_mode == ADJ_WRITE_ACCUMULATE) own.bound_terms += d.out == ADJ_F32 ? 0 : d.out == ADJ_BF16 ? 0x1p-8 : 0x1p-11;
  return own;
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "cublaslt",
                                                      .summary = "cuBLASLt, the first choice of its heuristics or of a measurement",
                                                      .backend = ADJ_BACKEND_CUBLASLT,
                                                      .min_cc = kFp8Capability,
                                                      .guarantee = cublaslt_guarantee,
                                                      .guarantee_for = cublaslt_guarantee_for,
                                                      .finish = finish_cublaslt},
                                                     {.algorithm = "tensor_cores",
                                                      .summary = "tiles of 128 by 128 on tensor cores, codes as f16",
                                                      .min_cc = kFp8Capability,
                                                      .programs = {{"fp8/product.cu", "scaled_matmul", "ADJ_A={0} ADJ_B={1} ADJ_T={2}"}},
                                                      .guarantee = cores_guarantee,
                                                      .finish = finish_cores},
                                                     host_row(host_guarantee, finish_host)};
  return *list;
}

}  // namespace

const OpInfo& info_scaled_matmul() {
  static const OpInfo info =
      op_info(base_info(),
              {.signatures = signatures(), .signature_columns = "code_a, code_b, out", .variants = variants(), .validate = validate, .signature = signature});
  return info;
}

}  // namespace adj
