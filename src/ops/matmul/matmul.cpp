// Matrix products: in tiles (kernels/gemm/tiles.cu), on tensor cores (cores.cpp) and by cuBLASLt (cublaslt.cpp). See kernels/matmul/README.md.
#include <cmath>
#include <string>

#include "host/matmul.hpp"
#include "ops/matmul/plan.hpp"

namespace adj {

namespace matmul {

using namespace matmul_tables;

MatmulResult result_of(const MatmulProblem& p) {
  MatmulResult r{};
  r.row_pitch = p.out.ld;
  r.matrix = p.out.stride;
  r.alpha = p.d.alpha;
  r.beta = p.accumulates() ? 1 : p.d.beta;
  r.epilogue = p.gelu() ? kMatmulGelu : p.gelu_gradient() ? kMatmulGeluGradient : kMatmulPlain;
  return r;
}

void bind_result(PlanBuilder::Kernel& kernel, const MatmulProblem& p, std::size_t offset) {
  kernel.tensor(offset + offsetof(MatmulResult, out), kD);
  if (p.d.has_bias) kernel.tensor(offset + offsetof(MatmulResult, bias), kBias);
  if (p.accumulates()) kernel.tensor(offset + offsetof(MatmulResult, other), kD);
  if (p.d.beta != 0) kernel.tensor(offset + offsetof(MatmulResult, other), kC);
  if (p.gelu_gradient()) kernel.tensor(offset + offsetof(MatmulResult, other), kSaved);
  if (p.d.has_preactivation) kernel.tensor(offset + offsetof(MatmulResult, preactivation), kPreactivation);
}

void add_finish(PlanBuilder& builder, const Device& device, const MatmulProblem& p, const Sums& sums) {
  MatmulFinishParams f{};
  f.result = result_of(p);
  f.count = p.d.batch * p.d.m * p.d.n;
  f.columns = p.d.n;
  f.rows = p.d.m;
  f.pitch = sums.pitch;
  f.split = sums.split;
  f.by_columns = divide_below_2_59(f.columns);
  f.by_rows = divide_below_2_59(f.rows);
  f.splits = narrow(sums.splits);
  auto kernel = builder.kernel(kFinish, grid_for(device, ceil_div(f.count, kMatmulFinishThreads), 8), kMatmulFinishThreads);
  kernel.params(f);
  if (sums.splits > 0) kernel.workspace(offsetof(MatmulFinishParams, partials), sums.offset);
  bind_result(kernel, p, offsetof(MatmulFinishParams, result));
}

void add_dbias_finish(PlanBuilder& builder, const Device& device, const MatmulProblem& p, std::uint64_t partials, std::int64_t splits) {
  MatmulFinishParams f{};
  f.count = f.columns = f.split = p.d.m;
  f.rows = 1;
  f.result.alpha = f.result.beta = 1;
  f.by_columns = divide_below_2_59(f.columns);
  f.by_rows = divide_below_2_59(1);
  f.splits = narrow(splits);
  auto kernel = builder.kernel(kFinish, grid_for(device, ceil_div(f.count, kMatmulFinishThreads), 8), kMatmulFinishThreads);
  kernel.params(f).workspace(offsetof(MatmulFinishParams, partials), partials).tensor(offsetof(MatmulFinishParams, result.out), kDbias);
  if (p.accumulates()) kernel.tensor(offsetof(MatmulFinishParams, result.other), kDbias);
}

Result<void> add_dbias(PlanBuilder& builder, const Device& device, const MatmulProblem& p) {
  const std::int64_t m = p.d.m, k = p.d.k;
  if (!p.d.has_dbias || m == 0) return {};
  if (k == 0) {
    if (!p.accumulates()) builder.clear_output(kDbias);
    return {};
  }
  if (k > kMost || m > kMost) return fail(ADJ_ERROR_UNSUPPORTED, "sums a matrix of at most 2^31 rows and columns, has {} by {}", k, m);
  // Each row of A as stored is an image of one place.
  GemmColumnSumsParams b{};
  b.batch = p.a.ld;
  b.channel = 1;
  b.channels = narrow(m);
  b.places = 1;
  b.total = narrow(k);
  const auto sums = add_column_sums(builder, device, b, true, p.element, kA);
  if (!sums) return sums.error();
  add_dbias_finish(builder, device, p, sums->offset, sums->splits);
  return {};
}

namespace {

// ---- problems

adj_dtype out_of(const Descriptor& d) { return d.out == ADJ_DTYPE_NONE ? d.element : d.out; }

Result<void> check_matrix(const char* matrix, std::int64_t batch, std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t stride) {
  if (ld != 0 && ld < columns)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: ld{} = {} is below the {} columns of {} as stored", kName, matrix, ld, columns, matrix);
  if (batch == 0 || rows == 0 || columns == 0) return {};
  ADJ_TRY(check_volume(kName, matrix, {rows, std::max(ld, columns)}));
  const host::MatrixBatch shape(rows, columns, ld, stride);
  return check_volume(kName, matrix, {batch, std::max<std::int64_t>(shape.stride, 1)});
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const MatmulProblem p(d);
  ADJ_TRY(check_matrix("a", d.batch, p.a.rows, p.a.columns, d.lda, d.stride_a));
  ADJ_TRY(check_matrix("b", d.batch, p.b.rows, p.b.columns, d.ldb, d.stride_b));
  ADJ_TRY(check_matrix("d", d.batch, d.m, d.n, d.ldd, d.stride_d));
  if (!p.empty() && d.batch > 1) {
    const bool behind = p.out.stride >= p.out.span(1), beside = p.out.stride >= d.n && (p.out.ld - d.n) / p.out.stride >= d.batch - 1;
    if (!behind && !beside)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: stride_d = {} lets the {} matrices of {} by {} elements overlap, with ldd = {}", kName, p.out.stride, d.batch,
                  d.m, d.n, p.out.ld);
  }
  if (d.element == ADJ_F64 ? d.alpha == 0 : static_cast<float>(d.alpha) == 0)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: alpha = {} is 0 in the type of the arithmetic", kName, d.alpha);
  return {};
}

ArgumentSpec matrices(const host::MatrixBatch& shape, std::int64_t batch, adj_dtype dtype) {
  return shape.packed(batch) ? ArgumentSpec::tensor(dtype, {batch * shape.rows, shape.columns}) : ArgumentSpec::tensor(dtype, {shape.span(batch)});
}

// Adds the shapes of matrices, which depend on leading dimensions and strides.
void shapes(const void* descriptor, std::span<ArgumentSpec> arguments) {
  stated_shapes(descriptor, arguments);
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const MatmulProblem p(d);
  arguments[kA] = matrices(p.a, d.batch, p.element);
  arguments[kB] = matrices(p.b, d.batch, p.element);
  for (Argument argument : {kD, kC, kSaved, kPreactivation})
    if (arguments[argument].presence != Presence::forbidden) arguments[argument] = matrices(p.out, d.batch, p.out_element);
}

// ---- plans

// The product as the weight's gradient of a convolution: a place for each of the k products, columns are rows of D, lines its columns.
Result<void> add_product(PlanBuilder& builder, const Device& device, const MatmulProblem& p) {
  const Descriptor& d = p.d;
  for (const auto& [name, value] : {std::pair{"m", d.m}, std::pair{"n", d.n}, std::pair{"k", d.k}, std::pair{"batch", d.batch}})
    if (value > kMostIndex) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} = {}, has {}", name, kMostIndex, value);
  if (p.b_across > kMost) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} elements between columns of op(B), has {}", kMost, p.b_across);
  GemmParams c{};
  c.gathered.batch = p.b_down;
  c.gathered.group = p.b.stride;
  c.gathered.channel = narrow(p.b_across);
  c.matrix_group = p.a.stride;
  c.matrix_batch = p.a_across;
  c.matrix_line = p.a_down;
  c.lines = narrow(d.n);
  c.columns = narrow(d.m);
  c.depth = narrow(d.k);
  c.groups = narrow(d.batch);
  c.channels_last = !d.transpose_b;  // loads of B, and of A, follow B's rows as stored
  c.inner = c.channels_last ? c.lines : 1;
  c.by_inner = divide_below_2_31(c.inner);
  c.places = 1;
  c.by_places = divide_below_2_31(1);
  for (int i = 0; i < 3; ++i) {
    c.gathered.extent[i] = c.taps[i] = c.stride[i] = c.dilation[i] = 1;
    c.by_stride[i] = divide_below_2_31(1);
    if (i == 0) continue;
    c.by_taps[i - 1] = c.by_extent[i - 1] = divide_below_2_31(1);
    c.place_extent[i - 1] = 1;
  }
  const auto sums = add_split_product(builder, device, c, p.element, kB, kA);
  if (!sums) return sums.error();
  add_finish(builder, device, p, Sums{sums->offset, sums->splits, d.batch * d.m * d.n, d.n});
  return {};
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const MatmulProblem p(*static_cast<const Descriptor*>(request.descriptor));
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::matmul>);
    return {};
  }
  if (!p.empty()) {
    if (p.d.k > 0) {
      ADJ_TRY(add_product(builder, *request.device, p));
    } else {
      add_finish(builder, *request.device, p, Sums{});
    }
  }
  return add_dbias(builder, *request.device, p);
}

// ---- guarantees

adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }
// As those of the convolution, whose kernel this is, with room for alpha, c, bias and gelu_tanh.
adj_guarantee tiles_guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_FAST, ADJ_F64, 0.51, 0x1p-43);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_FAST, ADJ_F32, 0.51, 0x1p-14);
}
adj_guarantee cores_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_FAST, ADJ_F32, 0.51, 0x1p-10); }
bool is_16bit(const Signature& s) { return is_16bit_float(s[0]); }
// Only gelu_tanh and its gradient approximate anything.
adj_guarantee guarantee_for(const adj_guarantee& general, const void* descriptor) {
  const MatmulProblem p(*static_cast<const Descriptor*>(descriptor));
  adj_guarantee g = general;
  if (!p.gelu() && !p.gelu_gradient()) g.math = ADJ_MATH_IEEE;
  return g;
}

// cuBLASLt states no order of additions: room for a few thousand roundings, which tensor cores may do by cutting off. With f16 and bf16 its gelu_tanh
// is an approximation, to which four roundings of the element type are granted. Results of 16 bits to which c, a bias
// or an output is added may have been rounded before.
adj_guarantee cublaslt_plain(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_RUN_TO_RUN, ADJ_MATH_FAST, ADJ_F64, 0.51, 0x1p-41);
  return make_guarantee(ADJ_RUN_TO_RUN, ADJ_MATH_FAST, ADJ_F32, 0.51, is_16bit(s) ? 0x1p-10 : 0x1p-12);
}
adj_guarantee cublaslt_guarantee(const Signature& s) {
  adj_guarantee g = cublaslt_plain(s);
  if (is_16bit(s)) g.bound_terms += s[0] == ADJ_BF16 ? 4 * 0x1p-8 : 4 * 0x1p-11;
  return g;
}
adj_guarantee cublaslt_guarantee_for(const adj_guarantee& general, const void* descriptor) {
  const MatmulProblem p(*static_cast<const Descriptor*>(descriptor));
  adj_guarantee g = guarantee_for(general, descriptor);
  if (g.math == ADJ_MATH_IEEE) {
    g.bound_terms = cublaslt_plain({p.element, p.out_element}).bound_terms;
    if (is_16bit_float(p.out_element) && (p.d.has_bias || p.d.beta != 0 || p.accumulates())) g.bound_terms += p.out_element == ADJ_BF16 ? 0x1p-8 : 0x1p-11;
  }
  return g;
}
// TF32 also rounds both operands to 11 bits.
adj_guarantee tf32_guarantee(const Signature&) { return make_guarantee(ADJ_RUN_TO_RUN, ADJ_MATH_FAST, ADJ_F32, 0.51, 0x1.4p-10); }
bool is_f32(const Signature& s) { return s[0] == ADJ_F32; }

const std::vector<Signature>& signatures() {
  static const auto* list =
      new std::vector<Signature>{{ADJ_F32, ADJ_F32}, {ADJ_F64, ADJ_F64}, {ADJ_F16, ADJ_F16}, {ADJ_BF16, ADJ_BF16}, {ADJ_F16, ADJ_F32}, {ADJ_BF16, ADJ_F32}};
  return *list;
}

// Where cuBLASLt reads or writes the rows of a 16-bit matrix in pieces of less than 16 bytes, our kernels on tensor cores are faster once there is enough work:
// they pack such operands, and write rows of any alignment. The limits are multiplications, measured by tools/bench/defaults.py and on a grid of n, k and
// layouts on an H100 with cuBLASLt 13.1: 8192 x 50257 x 768 with transpose_b takes 6575 us there and 1925 us here.
// With the gradient of gelu_tanh its fused algorithm is not trusted (driver/cublaslt.cpp), and finish.cu follows a plain product: 65536 x 3072 x 768 takes
// 2345 us there and 834 us here. Much less work was not measured.
bool cublaslt_yields(const void* descriptor) {
  constexpr double kPieces = 1e9, kPiecesToF32 = 4e9, kHalfVectors = 1.6e10, kGradients = 1.6e10;
  const MatmulProblem p(*static_cast<const Descriptor*>(descriptor));
  if (!is_16bit_float(p.element)) return false;
  const double products = static_cast<double>(p.d.m) * static_cast<double>(p.d.n) * static_cast<double>(p.d.k) * static_cast<double>(p.d.batch);
  const bool narrow = size_of(p.out_element) == 2;
  if (narrow && p.gelu_gradient() && products >= kGradients) return true;
  // With gelu_tanh any alignment below 16 bytes costs as much as that of odd rows: its fused kernels take none of them. Few rows in pieces of 8 bytes are an
  // exception: 246 x 2664 x 2908 with transpose_b takes 38 us there and 47 us here, 1024 rows 523 and 70.
  constexpr std::int64_t kFewRows = 512;
  const int unit = !p.gelu() ? 2 : p.d.m < kFewRows ? 4 : 8;
  if (p.a.ld % unit || p.b.ld % unit || (narrow && p.out.ld % unit)) return products >= (narrow ? kPieces : kPiecesToF32);
  return narrow && p.out.ld % 8 == 4 && products >= kHalfVectors;
}

const std::vector<Variant>& variants() {
  static const auto* list = [] {
    const ProgramTemplate last{"matmul/finish.cu", "matmul_finish", "ADJ_T={1}", kFinish}, dbias = column_sums_program();
    auto* all = new std::vector<Variant>;
    all->push_back({.algorithm = "cublaslt_tf32",
                    .summary = "cuBLASLt, operands rounded to TF32",
                    .backend = ADJ_BACKEND_CUBLASLT,
                    .programs = {last, dbias},
                    .guarantee = tf32_guarantee,
                    .accepts = is_f32,
                    .finish = finish_cublaslt,
                    .on_request = true});
    all->push_back({.algorithm = "cublaslt",
                    .summary = "cuBLASLt, the first choice of its heuristics or of a measurement",
                    .backend = ADJ_BACKEND_CUBLASLT,
                    .programs = {last, dbias},
                    .guarantee = cublaslt_guarantee,
                    .guarantee_for = cublaslt_guarantee_for,
                    .yields = cublaslt_yields,
                    .finish = finish_cublaslt});
#define ADJ_CORES(warpgroups, across_a, across_b, aligned)                                                                                                     \
  {                                                                                                                                                            \
    "matmul/cores.cu", "matmul_cores", "ADJ_T={0} ADJ_A_ACROSS=" #across_a " ADJ_B_ACROSS=" #across_b " ADJ_ALIGNED=" #aligned " ADJ_WARPGROUPS=" #warpgroups, \
    {                                                                                                                                                          \
      kProduct, cores_layout(across_a, across_b, aligned)                                                                                                      \
    }                                                                                                                                                          \
  }
#define ADJ_PIPELINE(across_a, across_b, out, epilogue, what)                                                                                             \
  {                                                                                                                                                       \
    "matmul/pipeline.cu", "matmul_pipeline", "ADJ_T={0} ADJ_OUT=" out " ADJ_A_ACROSS=" #across_a " ADJ_B_ACROSS=" #across_b " ADJ_EPILOGUE=" #epilogue, { \
      kProduct, pipeline_layout(across_a, across_b, what)                                                                                                 \
    }                                                                                                                                                     \
  }
#define ADJ_PIPELINES(across_a, across_b)                                                                            \
  ADJ_PIPELINE(across_a, across_b, "{1}", 0, kMatmulPlain), ADJ_PIPELINE(across_a, across_b, "{1}", 1, kMatmulGelu), \
      ADJ_PIPELINE(across_a, across_b, "{1}", 2, kMatmulGeluGradient), ADJ_PIPELINE(across_a, across_b, "f32", 0, kPartial)
    all->push_back({.algorithm = "warpgroups",
                    .summary = "tiles of 128 by 256 on the tensor cores of sm_90a",
                    .min_cc = 90,
                    .exact_cc = 90,
                    .programs = {ADJ_PIPELINES(1, 1), ADJ_PIPELINES(1, 0), ADJ_PIPELINES(0, 1), ADJ_PIPELINES(0, 0), ADJ_CORES(1, 1, 1, 0),
                                 ADJ_CORES(1, 1, 0, 0), ADJ_CORES(1, 0, 1, 0), ADJ_CORES(1, 0, 0, 0), pack_program(), last, dbias},
                    .guarantee = cores_guarantee,
                    .guarantee_for = guarantee_for,
                    .accepts = is_16bit,
                    .finish = finish_warpgroups});
    all->push_back({.algorithm = "tensor_cores",
                    .summary = "tiles of 128 by 256 on tensor cores",
                    .programs = {ADJ_CORES(0, 1, 1, 1), ADJ_CORES(0, 1, 1, 0), ADJ_CORES(0, 1, 0, 1), ADJ_CORES(0, 1, 0, 0), ADJ_CORES(0, 0, 1, 1),
                                 ADJ_CORES(0, 0, 1, 0), ADJ_CORES(0, 0, 0, 1), ADJ_CORES(0, 0, 0, 0), pack_program(), last, dbias},
                    .guarantee = cores_guarantee,
                    .guarantee_for = guarantee_for,
                    .accepts = is_16bit,
                    .finish = finish_cores});
#undef ADJ_PIPELINES
#undef ADJ_PIPELINE
#undef ADJ_CORES
    all->push_back({.algorithm = "tiles",
                    .summary = "tiles of 128 by 64 in shared memory, sums in order",
                    .programs = {split_product_program(), last, dbias},
                    .guarantee = tiles_guarantee,
                    .guarantee_for = guarantee_for});
    all->push_back(host_row(host_guarantee, nullptr, "host memory, f64 sums in rounds of 256 products"));
    return all;
  }();
  return *list;
}

}  // namespace
}  // namespace matmul

const OpInfo& info_matmul() {
  static const OpInfo info = op_info(matmul_tables::base_info(), {.signatures = matmul::signatures(),
                                                                  .signature_columns = "element, out",
                                                                  .variants = matmul::variants(),
                                                                  .validate = matmul::validate,
                                                                  .signature =
                                                                      [](const void* d) {
                                                                        const auto& descriptor = *static_cast<const adj_matmul_descriptor*>(d);
                                                                        return Signature{descriptor.element, matmul::out_of(descriptor)};
                                                                      },
                                                                  .shapes = matmul::shapes,
                                                                  .finish = matmul::finish});
  return info;
}

}  // namespace adj
