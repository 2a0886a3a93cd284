// Convolutions and their gradients: on our own kernels, on tensor cores (cores.cpp) and by cuDNN (cudnn.cpp). kernels/conv/README.md defines
// big, small, roles, taps, places and splits.
#include <adjoint/ops/conv.h>

#include "host/conv.hpp"
#include "ops/conv/cores.hpp"
#include "ops/conv/cudnn.hpp"
#include "ops/conv.gen.hpp"

namespace adj {

using namespace conv;

namespace {

constexpr std::int64_t kMostCoordinate = std::int64_t{1} << 29;  // sums of a position, a tap and a pad stay below 2^31

// ---- problems

Result<void> check_list(const char* op, const char* field, const adj_axes& list, std::int64_t expected, std::int64_t least) {
  if (list.count != 0 && list.count != expected) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.count = {}, expected 0 or {}", op, field, list.count, expected);
  for (std::int64_t i = 0; i < list.count; ++i)
    if (list.at[i] < least || list.at[i] > kMostCoordinate)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.at[{}] = {} is outside of [{}, {}]", op, field, i, list.at[i], least, kMostCoordinate);
  return {};
}

template <class Descriptor>
Result<void> validate(const char* op, const void* descriptor, bool transposed) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const bool last = d.channels_last != 0;
  if (d.input.rank < 3 || d.input.rank > 5)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: input.rank = {}, expected 3 to 5: batch, channels and 1 to 3 spatial dimensions", op, d.input.rank);
  for (const auto& [name, shape] : {std::pair{"weight", &d.weight}, std::pair{"out", &d.out}})
    if (shape->rank != d.input.rank)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.rank = {} differs from input.rank = {}", op, name, shape->rank, d.input.rank);
  const int spatial = static_cast<int>(d.input.rank) - 2;
  ADJ_TRY(check_list(op, "strides", d.strides, spatial, 1));
  ADJ_TRY(check_list(op, "pads", d.pads, 2 * spatial, 0));
  ADJ_TRY(check_list(op, "dilations", d.dilations, spatial, 1));
  const std::int64_t in = dim(d.input, last, 1), out = dim(d.out, last, 1);
  for (const auto& [name, channels] : {std::pair{"input", in}, std::pair{"out", out}})
    if (channels % d.groups != 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: groups = {} does not divide the {} channels of {}", op, d.groups, channels, name);
  if (d.input.dims[0] != d.out.dims[0])
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: input.dims[0] = {} and out.dims[0] = {} differ: the batch", op, d.input.dims[0], d.out.dims[0]);
  const std::int64_t outer = transposed ? in : out, inner = (transposed ? out : in) / d.groups;
  if (dim(d.weight, last, 0) != outer || dim(d.weight, last, 1) != inner)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: weight has {} by {} channels, expected {} by {}", op, dim(d.weight, last, 0), dim(d.weight, last, 1), outer,
                inner);
  for (int i = 0; i < spatial; ++i) {
    const std::int64_t big = dim(transposed ? d.out : d.input, last, 2 + i), small = dim(transposed ? d.input : d.out, last, 2 + i);
    const std::int64_t taps = dim(d.weight, last, 2 + i), dilation = entry(d.dilations, i, 1);
    const char* const big_name = transposed ? "out" : "input";
    if (taps < 1) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: weight has no elements in spatial dimension {}", op, i);
    if (big > kMostCoordinate || small > kMostCoordinate || (taps - 1) > kMostCoordinate / dilation)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: spatial dimension {} is above the limit {}", op, i, kMostCoordinate);
    const std::int64_t padded = big + entry(d.pads, i, 0) + entry(d.pads, spatial + i, 0), span = dilation * (taps - 1) + 1;
    if (padded < span)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: the weight spans {} elements in spatial dimension {}, {} with its pads has {}: nothing is left", op, span, i,
                  big_name, padded);
    const std::int64_t expected = (padded - span) / entry(d.strides, i, 1) + 1;
    if (small != expected)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} has {} elements in spatial dimension {}, expected {} for {} elements of {}", op,
                  transposed ? "input" : "out", small, i, expected, big, big_name);
  }
  return {};
}
// ---- plans

// Parameters of one product, without addresses and splits.
GemmParams params_of(const Geometry& g, ConvRole role) {
  GemmParams p{};
  const bool lines_of_big = role == kBigFromSmall;  // lines of the product are places of big, else of small
  const std::int64_t taps = g.all_taps(), of_weight = g.big_channels * taps;
  p.gathered = g.tensor(role != kBigFromSmall);
  if (role != kWeightGradient) p.written = g.tensor(lines_of_big);
  p.channels_last = g.last;
  p.groups = narrow(g.groups);
  p.places = narrow(g.places(lines_of_big));
  const std::int64_t* const extent = lines_of_big ? g.big_extent : g.small_extent;
  p.by_places = divide_below_2_31(std::max<std::int64_t>(p.places, 1));
  // Innermost index of the sum: with channels last the channels that the sum runs over (big's for the weight's gradient), else the taps.
  const std::int64_t inner = g.last ? (role == kBigFromSmall ? g.small_channels : g.big_channels) : taps;
  p.inner = narrow(inner);
  p.by_inner = divide_below_2_31(std::max<std::int64_t>(inner, 1));
  for (int i = 0; i < 3; ++i) {
    p.taps[i] = narrow(g.taps[i]);
    p.stride[i] = narrow(g.stride[i]);
    p.dilation[i] = narrow(g.dilation[i]);
    p.pad[i] = narrow(g.pad[i]);
    p.by_stride[i] = divide_below_2_31(g.stride[i]);
    if (i == 0) continue;
    p.by_taps[i - 1] = divide_below_2_31(g.taps[i]);
    p.by_extent[i - 1] = divide_below_2_31(std::max<std::int64_t>(extent[i], 1));
    p.place_extent[i - 1] = narrow(extent[i]);
  }
  const std::int64_t places = g.batch * p.places;
  if (role == kWeightGradient) {
    const GemmTensor small = g.tensor(false);
    p.matrix_group = small.group;
    p.matrix_batch = small.batch;
    p.matrix_line = small.channel;
    p.matrix_place = small.unit;
    p.lines = narrow(of_weight);
    p.columns = narrow(g.small_channels);
    p.depth = narrow(places);
  } else {
    const bool from_big = role == kSmallFromBig;
    p.matrix_group = g.small_channels * of_weight;
    p.matrix_line = from_big ? of_weight : g.last ? 1 : taps;
    p.matrix_channel = from_big ? (g.last ? 1 : taps) : of_weight;
    p.matrix_tap = g.last ? g.big_channels : 1;
    p.lines = narrow(places);
    p.columns = narrow(g.channels(!from_big));
    p.depth = narrow(g.channels(from_big) * taps);
  }
  p.line_tiles = narrow(ceil_div(p.lines, kGemmLines));
  p.column_tiles = narrow(ceil_div(p.columns, kGemmColumns));
  p.splits = 1;
  p.split_depth = p.depth;
  return p;
}
Result<std::int64_t> blocks_of(const GemmParams& p) {
  const std::int64_t tiles = std::int64_t{p.line_tiles} * p.column_tiles;
  if (tiles > kMost / p.groups / p.splits) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} tiles, has {} in each of {} groups", kMost, tiles, p.groups);
  return tiles * p.groups * p.splits;
}

Result<void> add_product(PlanBuilder& builder, const Geometry& g, ConvRole role, int gathered, int matrix, int bias, int out) {
  GemmParams p = params_of(g, role);
  auto blocks = blocks_of(p);
  if (!blocks) return blocks.take_error();
  if (*blocks == 0) return {};
  auto kernel = builder.kernel(kProduct, *blocks, kGemmThreads);
  kernel.params(p)
      .tensor(offsetof(GemmParams, gathered) + offsetof(GemmTensor, data), gathered)
      .tensor(offsetof(GemmParams, matrix), matrix)
      .tensor(offsetof(GemmParams, out), out);
  if (bias >= 0) kernel.tensor(offsetof(GemmParams, bias), bias);
  return {};
}

ConvFinishParams sums_of(std::int64_t count, std::int64_t splits, bool accumulate) {
  ConvFinishParams f{};
  f.count = count;
  f.splits = narrow(splits);
  f.accumulate = accumulate;
  return f;
}

Result<void> add_weight_gradient(PlanBuilder& builder, const Device& device, const Geometry& g, adj_dtype element, bool accumulate, int big, int small,
                                 int out) {
  GemmParams p = params_of(g, kWeightGradient);
  const std::int64_t count = g.groups * p.columns * std::int64_t{p.lines};
  if (count == 0) return {};
  if (p.depth == 0) {
    if (!accumulate) builder.clear_output(out);
    return {};
  }
  const auto sums = add_split_product(builder, device, p, element, big, small);
  if (!sums) return sums.error();
  add_finish(builder, device, sums_of(count, sums->splits, accumulate), sums->offset, out);
  return {};
}

Result<void> add_bias_gradient(PlanBuilder& builder, const Device& device, const Geometry& g, bool of_big, adj_dtype element, bool accumulate, int dout,
                               int out) {
  const GemmTensor t = g.tensor(of_big);
  const std::int64_t channels = g.channels(of_big) * g.groups, total = g.batch * g.places(of_big);
  if (channels == 0) return {};
  if (total == 0) {
    if (!accumulate) builder.clear_output(out);
    return {};
  }
  GemmColumnSumsParams p{};
  p.batch = t.batch;
  p.channel = t.channel;
  p.unit = t.unit;
  p.channels = narrow(channels);
  p.places = narrow(g.places(of_big));
  p.total = narrow(total);
  const auto sums = add_column_sums(builder, device, p, g.last, element, dout);
  if (!sums) return sums.error();
  add_finish(builder, device, sums_of(channels, sums->splits, accumulate), sums->offset, out);
  return {};
}

template <class Descriptor, class Args, void (*host)(const Descriptor&, const Args&, void*), bool transposed>
Result<void> finish_backward(const PlanRequest& request, PlanBuilder& builder) {
  enum { kDout, kInput, kWeight, kDinput, kDweight, kDbias };
  static_assert(conv_backward_tables::kDbias == int{kDbias} && conv_transpose_backward_tables::kDbias == int{kDbias});
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host>);
    return {};
  }
  const Geometry g(d, transposed);
  ADJ_TRY(g.check());
  const bool accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  if (d.has_dinput) ADJ_TRY(add_product(builder, g, transposed ? kSmallFromBig : kBigFromSmall, kDout, kWeight, -1, kDinput));
  if (d.has_dweight)
    ADJ_TRY(add_weight_gradient(builder, *request.device, g, d.element, accumulate, transposed ? kDout : kInput, transposed ? kInput : kDout, kDweight));
  if (d.has_dbias) ADJ_TRY(add_bias_gradient(builder, *request.device, g, transposed, d.element, accumulate, kDout, kDbias));
  return {};
}

template <class Descriptor, class Args, void (*host)(const Descriptor&, const Args&, void*), bool transposed>
Result<void> finish_forward(const PlanRequest& request, PlanBuilder& builder) {
  enum { kInput, kWeight, kBias, kOut };
  static_assert(conv_forward_tables::kOut == int{kOut} && conv_transpose_forward_tables::kOut == int{kOut});
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host>);
    return {};
  }
  const Geometry g(d, transposed);
  ADJ_TRY(g.check());
  return add_product(builder, g, transposed ? kBigFromSmall : kSmallFromBig, kInput, kWeight, d.has_bias ? kBias : -1, kOut);
}

// ---- plans on tensor cores

template <class Descriptor, bool transposed>
Result<void> cores_backward(const PlanRequest& request, PlanBuilder& builder) {
  enum { kDout, kInput, kWeight, kDinput, kDweight, kDbias };
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const Geometry g(d, transposed);
  ADJ_TRY(g.check());
  CoresPlan plan(builder, *request.device, g);
  ADJ_TRY(plan.check());
  const bool accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  if (d.has_dinput) ADJ_TRY(plan.product(transposed ? kSmallFromBig : kBigFromSmall, kDout, kWeight, -1, kDinput));
  if (d.has_dweight) ADJ_TRY(plan.weight_gradient(accumulate, transposed ? kDout : kInput, transposed ? kInput : kDout, kDweight));
  if (d.has_dbias) ADJ_TRY(add_bias_gradient(builder, *request.device, g, transposed, d.element, accumulate, kDout, kDbias));
  return {};
}

template <class Descriptor, bool transposed>
Result<void> cores_forward(const PlanRequest& request, PlanBuilder& builder) {
  enum { kInput, kWeight, kBias, kOut };
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const Geometry g(d, transposed);
  ADJ_TRY(g.check());
  CoresPlan plan(builder, *request.device, g);
  ADJ_TRY(plan.check());
  return plan.product(transposed ? kBigFromSmall : kSmallFromBig, kInput, kWeight, d.has_bias ? kBias : -1, kOut);
}

// ---- plans that call cuDNN

template <class Descriptor, bool transposed>
Result<void> cudnn_backward(const PlanRequest& request, PlanBuilder& builder) {
  enum { kDout, kInput, kWeight, kDinput, kDweight, kDbias };
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const bool accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  std::vector<CudnnTask> tasks;
  if (d.has_dinput)
    tasks.push_back({.kind = transposed ? CudnnTask::small_from_big : CudnnTask::big_from_small, .first = kDout, .second = kWeight, .out = kDinput});
  if (d.has_dweight)
    tasks.push_back(
        {.kind = CudnnTask::weight_gradient, .first = transposed ? kDout : kInput, .second = transposed ? kInput : kDout, .out = kDweight, .add = accumulate});
  const Geometry g(d, transposed);
  ADJ_TRY(plan_cudnn(request, builder, g, d.element, transposed, tasks));
  if (!d.has_dbias) return {};
  ADJ_TRY(g.check());  // the gradient of the bias is ours
  return add_bias_gradient(builder, *request.device, g, transposed, d.element, accumulate, kDout, kDbias);
}

template <class Descriptor, bool transposed>
Result<void> cudnn_forward(const PlanRequest& request, PlanBuilder& builder) {
  enum { kInput, kWeight, kBias, kOut };
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  // A transposed product of 16-bit types has been rounded by its parts already.
  return plan_cudnn(request, builder, Geometry(d, transposed), d.element, transposed,
                    {{.kind = transposed ? CudnnTask::big_from_small : CudnnTask::small_from_big,
                      .first = kInput,
                      .second = kWeight,
                      .out = kOut,
                      .bias = d.has_bias ? int{kBias} : -1,
                      .may_round = !transposed || !is_16bit_float(d.element)}});
}

// Additions in a row: 256 products, up to 128 such sums (2^15 products), then splits.
adj_guarantee guarantee(const Signature& s, adj_determinism determinism) {
  if (s[0] == ADJ_F64) return make_guarantee(determinism, ADJ_MATH_IEEE, ADJ_F64, 0.51, 0x1p-44);
  return make_guarantee(determinism, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-15);
}
adj_guarantee forward_guarantee(const Signature& s) { return guarantee(s, ADJ_BATCH_INVARIANT); }
adj_guarantee backward_guarantee(const Signature& s) { return guarantee(s, ADJ_SHAPE_ONLY); }
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

// Tensor cores may lose a bit of the largest of sixteen products in each of their additions: 22 units of 2^-24 for 16 products. A round has
// 144 * 32 products; after it come the sums of rounds and splits.
adj_guarantee cores_guarantee(adj_determinism determinism) { return make_guarantee(determinism, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-11); }
adj_guarantee cores_forward_guarantee(const Signature&) { return cores_guarantee(ADJ_BATCH_INVARIANT); }
adj_guarantee cores_backward_guarantee(const Signature&) { return cores_guarantee(ADJ_SHAPE_ONLY); }
bool is_16bit(const Signature& s) { return is_16bit_float(s[0]); }

// cuDNN states no order of additions, so the bound has room for a few thousand roundings of f32 (f64 for f64). Transforms (Winograd, FFT) are
// never chosen: their errors do not scale with an element's own terms. With f16 and bf16 cuDNN may also round each partial sum to the element type, and
// their sum before it adds the bias: two roundings of all terms.
adj_guarantee cudnn_guarantee(const Signature& s, adj_determinism determinism) {
  if (s[0] == ADJ_F64) return make_guarantee(determinism, ADJ_MATH_IEEE, ADJ_F64, 0.51, 0x1p-41);
  const double narrow = s[0] == ADJ_BF16 ? 2 * 0x1p-8 : s[0] == ADJ_F16 ? 2 * 0x1p-11 : 0;
  return make_guarantee(determinism, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-12 + narrow);
}
adj_guarantee cudnn_stable(const Signature& s) { return cudnn_guarantee(s, ADJ_RUN_TO_RUN); }
adj_guarantee cudnn_unstable(const Signature& s) { return cudnn_guarantee(s, ADJ_NONDETERMINISTIC); }
// TF32 also rounds both operands to 11 bits.
adj_guarantee cudnn_tf32(const Signature&) { return make_guarantee(ADJ_RUN_TO_RUN, ADJ_MATH_FAST, ADJ_F32, 0.51, 0x1.4p-10); }
bool is_f32(const Signature& s) { return s[0] == ADJ_F32; }

// Convolutions of 16-bit types for which our kernels take less time than cuDNN's engines; measured by tools/bench/defaults.py and on grids of channels and
// extents, on an H100 with cuDNN 9.14. `places`: of the output.
bool forward_yields(const void* descriptor) {
  const auto& d = *static_cast<const adj_conv_forward_descriptor*>(descriptor);
  if (!is_16bit_float(d.element)) return false;
  const Geometry g(d, false);
  const std::int64_t from = g.big_channels, to = g.small_channels;
  if (from == 0 || to == 0) return false;
  const double places = static_cast<double>(g.batch) * static_cast<double>(g.places(false));
  // Few products of each channel with itself: 64 x 8 x 7 x 7 with 3 x 3 weights take 20 us there and 11 us here, twice the channels 5 and 17 us.
  if (from == 1 && to == 1) return !g.last && places * static_cast<double>(g.groups * g.all_taps()) <= 1 << 18;
  if (g.groups > 1 || g.stride[1] < 2 || g.stride[2] < 2) return false;
  // Weights of one place. Channels last, 32 x 56 x 56 x 128 to 128: 79 us there, 17 us here, but a quarter of the places or twice the channels 10 to 15 there
  // and 12 to 25 here. Channels first, 5 x 64 x 112 x 112 to 512: 60 and 35 us, 128 to 512 28 and 41 us.
  if (g.all_taps() == 1)
    return g.last ? from % 8 == 0 && to % 8 == 0 && from <= 128 && to <= 128 && places >= 16384 : from <= 64 && to >= std::max<std::int64_t>(256, 4 * from);
  // The first layer of a network: 32 x 112 x 112 x 3 to 64 with 7 x 7 weights take 112 us there and 79 us here, of 8 channels 123 and 51, of 16 24 and 26.
  return g.last && from <= 8 && to % 8 == 0 && g.all_taps() >= 49;
}
bool backward_yields(const void* descriptor) {
  const auto& d = *static_cast<const adj_conv_backward_descriptor*>(descriptor);
  if (!is_16bit_float(d.element)) return false;
  const Geometry g(d, false);
  // Channels last, 32 x 28 x 28 x 128 to 3 channels: 57 us there, 35 us here; 256 to 20: 88 and 33; to 8: 33 and 44.
  return g.groups == 1 && g.last && g.all_taps() == 1 && g.stride[1] > 1 && g.stride[2] > 1 && g.big_channels % 8 == 0 && g.small_channels % 8 != 0;
}

const std::vector<Variant>& make_variants(ConvRole product, bool backward, FinishFunction cudnn, FinishFunction cores, bool (*yields)(const void*)) {
  std::vector<ProgramTemplate> programs{product == kSmallFromBig ? ProgramTemplate{"gemm/tiles.cu", "conv_small", "ADJ_T={0} ADJ_ROLE=0", kProduct}
                                                                 : ProgramTemplate{"gemm/tiles.cu", "conv_big", "ADJ_T={0} ADJ_ROLE=1", kProduct}};
  // The gradients of the weight and of the bias are sums over parts, which kFinish adds up. cuDNN lacks some of them.
  const ProgramTemplate finish{"conv/finish.cu", "conv_finish", "ADJ_T={0}", kFinish}, bias = column_sums_program();
  if (backward) programs.insert(programs.end(), {split_product_program(), finish, bias});
  std::vector<ProgramTemplate> on_cores{{"conv/tensor_cores.cu", "conv_cores", "ADJ_T={0} ADJ_ALIGNED=1", {kProduct, kWholeRows}},
                                        {"conv/tensor_cores.cu", "conv_cores", "ADJ_T={0} ADJ_ALIGNED=0", {kProduct, kAnyRows}},
                                        pack_program(),
                                        finish};
  if (backward)
    on_cores.insert(on_cores.end(), {bias,
                                     {"conv/tensor_cores_weight.cu", "conv_cores_weight", "ADJ_T={0} ADJ_ALIGNED=1", {kWeightProduct, kWholeRows}},
                                     {"conv/tensor_cores_weight.cu", "conv_cores_weight", "ADJ_T={0} ADJ_ALIGNED=0", {kWeightProduct, kAnyRows}}});
  std::vector<ProgramTemplate> beside_cudnn;
  if (backward) beside_cudnn = {finish, bias};
  auto& list = *new std::vector<Variant>;
  list.push_back({.algorithm = "cudnn_tf32",
                  .summary = "cuDNN, operands rounded to TF32",
                  .backend = ADJ_BACKEND_CUDNN,
                  .programs = beside_cudnn,
                  .guarantee = cudnn_tf32,
                  .accepts = is_f32,
                  .finish = cudnn,
                  .on_request = true});
  if (backward)  // engines of forward convolutions that do not give the same bits in every run are passed over
    list.push_back({.algorithm = "cudnn_atomic",
                    .summary = "cuDNN, an engine by its heuristics or by measurement, which may add in any order",
                    .backend = ADJ_BACKEND_CUDNN,
                    .programs = beside_cudnn,
                    .guarantee = cudnn_unstable,
                    .finish = cudnn});
  list.push_back({.algorithm = "cudnn",
                  .summary = "cuDNN, an engine by its heuristics or by measurement that gives the same bits in every run",
                  .backend = ADJ_BACKEND_CUDNN,
                  .programs = beside_cudnn,
                  .guarantee = cudnn_stable,
                  .yields = yields,
                  .finish = cudnn});
  list.push_back({.algorithm = "tensor_cores",
                  .summary = "an implicit matrix product on tensor cores, with channels last",
                  .programs = on_cores,
                  .guarantee = backward ? cores_backward_guarantee : cores_forward_guarantee,
                  .accepts = is_16bit,
                  .finish = cores});
  list.push_back({.algorithm = "implicit_gemm",
                  .summary = "tiles of an implicit matrix product in shared memory, sums in order",
                  .programs = programs,
                  .guarantee = backward ? backward_guarantee : forward_guarantee});
  list.push_back(host_row(host_guarantee, nullptr, "host memory, f64 sums in rounds of 256 products"));
  return list;
}
template <ConvRole product, bool backward, FinishFunction cudnn, FinishFunction cores, bool (*yields)(const void*)>
const std::vector<Variant>& variants() {
  static const std::vector<Variant>& list = make_variants(product, backward, cudnn, cores, yields);
  return list;
}

// Sample descriptor with two spatial dimensions and a 2 x 2 weight.
template <class Descriptor, bool transposed>
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.input = {.rank = 4, .dims = {1, 2, 4, 4}};
  d.weight = transposed ? adj_shape{.rank = 4, .dims = {2, 3, 2, 2}} : adj_shape{.rank = 4, .dims = {3, 2, 2, 2}};
  d.out = transposed ? adj_shape{.rank = 4, .dims = {1, 3, 5, 5}} : adj_shape{.rank = 4, .dims = {1, 3, 3, 3}};
  d.has_dbias = 1;
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kConvGrad[] = {{"ms", "ConvGrad", describe<adj_conv_backward_descriptor, false>}};
constexpr OnnxBinding kConvTransposeGrad[] = {{"ms", "ConvTransposeGrad", describe<adj_conv_transpose_backward_descriptor, true>}};

}  // namespace

#define ADJ_CONV_INFO(name, direction, transposed, product, bindings)                                                                      \
  const OpInfo& info_##name() {                                                                                                            \
    using namespace name##_tables;                                                                                                         \
    static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),                                                     \
                                                     .signature_columns = "element",                                                       \
                                                     .variants = product,                                                                  \
                                                     .onnx = bindings,                                                                     \
                                                     .validate = [](const void* d) { return validate<Descriptor>(kName, d, transposed); }, \
                                                     .signature = element_signature<Descriptor>,                                           \
                                                     .finish = finish_##direction<Descriptor, Args, host::name, transposed>});             \
    return info;                                                                                                                           \
  }
ADJ_CONV_INFO(conv_backward, backward, false,
              (variants<kBigFromSmall, true, cudnn_backward<Descriptor, false>, cores_backward<Descriptor, false>, backward_yields>()), kConvGrad)
ADJ_CONV_INFO(conv_transpose_backward, backward, true,
              (variants<kSmallFromBig, true, cudnn_backward<Descriptor, true>, cores_backward<Descriptor, true>, nullptr>()), kConvTransposeGrad)
ADJ_CONV_INFO(conv_forward, forward, false,
              (variants<kSmallFromBig, false, cudnn_forward<Descriptor, false>, cores_forward<Descriptor, false>, forward_yields>()),
              std::span<const OnnxBinding>())
ADJ_CONV_INFO(conv_transpose_forward, forward, true,
              (variants<kBigFromSmall, false, cudnn_forward<Descriptor, true>, cores_forward<Descriptor, true>, nullptr>()), std::span<const OnnxBinding>())
#undef ADJ_CONV_INFO

}  // namespace adj
