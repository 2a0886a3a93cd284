#include "ops/attention/attention.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/prelude/tensor_map.h"

#include "kernels/attention/params.h"
#include "ops/attention.gen.hpp"
#include "ops/common/shared.hpp"
#include "ops/common/strides.hpp"
#include "plan/maps.hpp"

namespace adj {

namespace attention {

Problem Problem::of(const adj_attention_forward_descriptor& d) {
  using namespace attention_forward_tables;
  const Shape s(d);
  const Operand none{-1, {{}, s, s.heads}};
  return {s,
          d.element,
          {kQ, {d.q_strides, s, s.heads}},
          {kK, {d.k_strides, s, s.kv_heads}},
          {kV, {d.v_strides, s, s.kv_heads}},
          {kOut, {d.out_strides, s, s.heads}},
          none,
          none,
          none,
          none,
          kLse,
          kCuSeqlens};
}

Problem Problem::of(const adj_attention_backward_descriptor& d) {
  using namespace attention_backward_tables;
  const Shape s(d);
  return {s,
          d.element,
          {kQ, {d.q_strides, s, s.heads}},
          {kK, {d.k_strides, s, s.kv_heads}},
          {kV, {d.v_strides, s, s.kv_heads}},
          {kOut, {d.out_strides, s, s.heads}},
          {kDout, {d.dout_strides, s, s.heads}},
          {kDq, {d.dq_strides, s, s.heads}},
          {kDk, {d.dk_strides, s, s.kv_heads}},
          {kDv, {d.dv_strides, s, s.kv_heads}},
          kLse,
          kCuSeqlens};
}

namespace {

constexpr std::int64_t kMostSequences = std::numeric_limits<std::int32_t>::max();  // also of tokens

Strided<3> strided(const Strides& strides, const Shape& shape, std::int64_t heads) {
  return {{shape.lengths ? 1 : shape.batch, shape.tokens, heads}, {strides.batch, strides.token, strides.head}, shape.dim};
}

Result<void> check_axes(const char* op, const char* field, const adj_axes& given, const Shape& shape, std::int64_t heads) {
  ADJ_TRY(check_stride_list(op, field, given, shape.tokens));
  if (shape.lengths && given.at[0] != 0)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.at[0] = {} is set, but sequences with lengths lie one after another", op, field, given.at[0]);
  return given.count == 0 || shape.empty() ? Result<void>() : check_strides(op, field, strided(Strides(given, shape, heads), shape, heads));
}

Result<void> validate_forward(const void* descriptor) {
  using namespace attention_forward_tables;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const Shape s(d);
  ADJ_TRY(check_axes(kName, "q_strides", d.q_strides, s, s.heads));
  ADJ_TRY(check_axes(kName, "k_strides", d.k_strides, s, s.kv_heads));
  ADJ_TRY(check_axes(kName, "v_strides", d.v_strides, s, s.kv_heads));
  return check_axes(kName, "out_strides", d.out_strides, s, s.heads);
}

Result<void> validate_backward(const void* descriptor) {
  using namespace attention_backward_tables;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const Shape s(d);
  ADJ_TRY(check_axes(kName, "q_strides", d.q_strides, s, s.heads));
  ADJ_TRY(check_axes(kName, "k_strides", d.k_strides, s, s.kv_heads));
  ADJ_TRY(check_axes(kName, "v_strides", d.v_strides, s, s.kv_heads));
  ADJ_TRY(check_axes(kName, "out_strides", d.out_strides, s, s.heads));
  ADJ_TRY(check_axes(kName, "dout_strides", d.dout_strides, s, s.heads));
  ADJ_TRY(check_axes(kName, "dq_strides", d.dq_strides, s, s.heads));
  ADJ_TRY(check_axes(kName, "dk_strides", d.dk_strides, s, s.kv_heads));
  return check_axes(kName, "dv_strides", d.dv_strides, s, s.kv_heads);
}

// Makes a tensor with strides a buffer of as many elements as it spans.
void put_strides(const adj_axes& given, const Shape& s, std::int64_t heads, ArgumentSpec& spec) {
  if (given.count != 0 && !s.empty()) spec = strided_tensor(spec.dtype, strided(Strides(given, s, heads), s, heads));
}

void forward_shapes(const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace attention_forward_tables;
  stated_shapes(descriptor, arguments);
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const Shape s(d);
  put_strides(d.q_strides, s, s.heads, arguments[kQ]);
  put_strides(d.k_strides, s, s.kv_heads, arguments[kK]);
  put_strides(d.v_strides, s, s.kv_heads, arguments[kV]);
  put_strides(d.out_strides, s, s.heads, arguments[kOut]);
}

void backward_shapes(const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace attention_backward_tables;
  stated_shapes(descriptor, arguments);
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const Shape s(d);
  put_strides(d.q_strides, s, s.heads, arguments[kQ]);
  put_strides(d.k_strides, s, s.kv_heads, arguments[kK]);
  put_strides(d.v_strides, s, s.kv_heads, arguments[kV]);
  put_strides(d.out_strides, s, s.heads, arguments[kOut]);
  put_strides(d.dout_strides, s, s.heads, arguments[kDout]);
  put_strides(d.dq_strides, s, s.heads, arguments[kDq]);
  put_strides(d.dk_strides, s, s.kv_heads, arguments[kDk]);
  put_strides(d.dv_strides, s, s.kv_heads, arguments[kDv]);
}

// ---- the host

template <class Descriptor, class Args, void (*function)(const Descriptor&, const Args&)>
Result<void> run_on_host(const CallContext& call) {
  const auto& d = *static_cast<const Descriptor*>(call.plan.descriptor.get());
  const auto& args = *reinterpret_cast<const Args*>(call.args);
  if (d.has_lengths) ADJ_TRY(host::check_lengths(call.plan.op->name, Shape(d), static_cast<const std::int32_t*>(args.cu_seqlens.data)));
  function(d, args);
  return {};
}
template <class Descriptor, class Args, void (*function)(const Descriptor&, const Args&)>
Result<void> finish_host(const PlanRequest& request, PlanBuilder& builder) {
  const Shape s(*static_cast<const Descriptor*>(request.descriptor));
  if (!s.empty()) builder.call({.function = run_on_host<Descriptor, Args, function>});
  return {};
}
constexpr FinishFunction kForwardOnHost = finish_host<adj_attention_forward_descriptor, adj_attention_forward_args, host::attention_forward>;
constexpr FinishFunction kBackwardOnHost = finish_host<adj_attention_backward_descriptor, adj_attention_backward_args, host::attention_backward>;

// ---- cuDNN

template <class Descriptor>
Result<void> finish_cudnn(const PlanRequest& request, PlanBuilder& builder) {
  const Problem problem = Problem::of(*static_cast<const Descriptor*>(request.descriptor));
  if (problem.shape.empty()) return {};
  return plan_cudnn(request, builder, problem, request.sku->guarantee.determinism != ADJ_NONDETERMINISTIC);
}

// ---- our own kernels

AttentionStrides strides_of(const Operand& o) { return {o.strides.batch, o.strides.token, o.strides.head}; }

AttentionParams params_of(const Problem& problem) {
  const Shape& s = problem.shape;
  AttentionParams p{};
  p.q_strides = strides_of(problem.q);
  p.k_strides = strides_of(problem.k);
  p.v_strides = strides_of(problem.v);
  p.out_strides = strides_of(problem.out);
  p.dout_strides = strides_of(problem.dout);
  p.dq_strides = strides_of(problem.dq);
  p.dk_strides = strides_of(problem.dk);
  p.dv_strides = strides_of(problem.dv);
  p.scale = s.scale;
  constexpr double kLog2E = 1.4426950408889634, kMost = std::numeric_limits<float>::max(), kLeast = std::numeric_limits<float>::min();
  const double scale2 = std::clamp(s.scale * kLog2E, -kMost, kMost);
  p.scale2 = static_cast<float>(problem.backward() ? scale2 : std::max(std::fabs(scale2), kLeast));
  p.sequences = static_cast<int>(s.batch);
  p.tokens = static_cast<int>(s.tokens);
  p.heads = static_cast<int>(s.heads);
  p.kv_heads = static_cast<int>(s.kv_heads);
  p.group = static_cast<int>(s.group());
  p.dim = static_cast<int>(s.dim);
  p.window = static_cast<int>(std::min(s.window, kMostSequences));
  p.causal = s.causal;
  return p;
}

// Programs. The forms of those on tensor cores are a head_dim up to 64 and up to 128, each for whole vectors and for any tensors, and of warpgroups.
enum Program : int { kOutput, kGradientOfQ, kGradientsOfKv };
constexpr int form_of(int dim, bool whole) { return 2 * (dim > 64) + !whole; }
constexpr int warpgroup_form_of(int dim) { return 4 + (dim > 64); }

// Tiles of `rows` tokens of a head, of all sequences.
std::int64_t tiles_of(const Shape& s, std::int64_t rows) { return (s.lengths ? 1 : s.batch) * ceil_div(s.tokens, rows); }

// Adds a launch with the tensors that the programs of a direction read. What it writes is the caller's to name.
template <class Params>
PlanBuilder::Kernel launch(PlanBuilder& builder, const Device& device, ProgramName program, const Params& p, const Problem& problem, std::int64_t tiles,
                           std::int64_t heads, unsigned threads = kAttentionThreads) {
  auto kernel = builder.kernel(program, std::min<std::int64_t>(tiles, device.grid_limit), threads, heads);
  kernel.params(p).tensor(offsetof(AttentionParams, q), problem.q.argument).tensor(offsetof(AttentionParams, k), problem.k.argument);
  kernel.tensor(offsetof(AttentionParams, v), problem.v.argument);
  if (problem.shape.lengths) kernel.tensor(offsetof(AttentionParams, cu_seqlens), problem.cu_seqlens);
  if (!problem.backward()) return kernel;
  return kernel.tensor(offsetof(AttentionParams, dout), problem.dout.argument).tensor(offsetof(AttentionParams, lse_in), problem.lse);
}

constexpr std::int64_t kStaticShared = 64;  // bytes of a block's place in the walk over tiles

Result<void> finish_tiles(PlanBuilder& builder, const Device& device, const Problem& problem) {
  const std::uint32_t size = problem.element == ADJ_F64 ? 8 : 4;
  const std::int64_t rows = kAttentionThreads / 32 * (size == 8 ? kAttentionRowsF64 : kAttentionRows);
  AttentionParams p = params_of(problem);
  const std::int64_t tiles = tiles_of(problem.shape, rows);
  p.pitch = p.dim | 1;  // odd against bank conflicts
  const std::int64_t shared_rows = kAttentionLanes + (problem.backward() ? 2 : 1) * rows;
  const auto shared = static_cast<std::uint32_t>(shared_rows * p.pitch * size);
  ADJ_TRY(check_shared(device, shared + kStaticShared));
  if (!problem.backward()) {
    launch(builder, device, kOutput, p, problem, tiles, p.heads)
        .shared(shared)
        .tensor(offsetof(AttentionParams, out), problem.out.argument)
        .tensor(offsetof(AttentionParams, lse), problem.lse);
    return {};
  }
  const std::uint64_t delta = builder.book(static_cast<std::uint64_t>(problem.shape.rows() * problem.shape.heads) * size);
  launch(builder, device, kGradientOfQ, p, problem, tiles, p.heads)
      .shared(shared)
      .tensor(offsetof(AttentionParams, out_in), problem.out.argument)
      .tensor(offsetof(AttentionParams, dq), problem.dq.argument)
      .workspace(offsetof(AttentionParams, delta), delta);
  launch(builder, device, kGradientsOfKv, p, problem, tiles, p.kv_heads)
      .shared(shared)
      .tensor(offsetof(AttentionParams, dk), problem.dk.argument)
      .tensor(offsetof(AttentionParams, dv), problem.dv.argument)
      .workspace(offsetof(AttentionParams, delta), delta);
  return {};
}

template <class Descriptor>
Result<void> finish_tiles(const PlanRequest& request, PlanBuilder& builder) {
  const Problem problem = Problem::of(*static_cast<const Descriptor*>(request.descriptor));
  if (problem.shape.empty()) return {};
  return finish_tiles(builder, *request.device, problem);
}

// Of the tensors that programs on tensor cores access as vectors: all of a problem.
struct Vectors {
  static constexpr std::int64_t kElements = 8;
  bool whole = true;           // rows consist of whole vectors, and begin at multiples of them where the tensor does
  std::vector<int> arguments;  // the tensors

  explicit Vectors(const Problem& problem) {
    std::vector<Operand> all{problem.q, problem.k, problem.v, problem.out};
    if (problem.backward()) all.insert(all.end(), {problem.dout, problem.dq, problem.dk, problem.dv});
    whole = problem.shape.dim % kElements == 0;
    for (const Operand& o : all) {
      for (const std::int64_t stride : {o.strides.batch, o.strides.token, o.strides.head}) whole = whole && stride % kElements == 0;
      arguments.push_back(o.argument);
    }
  }
};

template <class Descriptor>
Result<void> finish_cores(const PlanRequest& request, PlanBuilder& builder) {
  const Problem problem = Problem::of(*static_cast<const Descriptor*>(request.descriptor));
  const Shape& s = problem.shape;
  if (s.empty()) return {};
  if (s.dim > 128) return fail(ADJ_ERROR_UNSUPPORTED, "takes a head_dim up to 128, has {}", s.dim);
  const auto [whole, arguments] = Vectors(problem);
  const int dim = s.dim > 64 ? 128 : 64;
  // Blocks keep `kept` tiles and two stages of two steps in shared memory, and `numbers` of f32.
  const auto shared_of = [&](AttentionTile tile, int kept, int numbers) {
    return static_cast<std::uint32_t>((kept * tile.rows() + 4 * tile.step) * dim * 2 + numbers * 4);
  };
  const AttentionTile forward_tile = attention_forward_tile(dim), q_tile = attention_q_tile(dim), kv_tile = attention_kv_tile(dim);
  const int q_numbers = q_tile.rows(), kv_numbers = 4 * kv_tile.step;
  const std::uint32_t most = problem.backward() ? std::max(shared_of(q_tile, 2, q_numbers), shared_of(kv_tile, 2, kv_numbers)) : shared_of(forward_tile, 1, 0);
  ADJ_TRY(check_shared(*request.device, most + kStaticShared));
  const auto add = [&](Program program, std::int64_t heads, AttentionTile tile, int kept, int numbers) {
    auto kernel = launch(builder, *request.device, {program, form_of(dim, whole)}, params_of(problem), problem, tiles_of(s, tile.rows()), heads);
    kernel.shared(shared_of(tile, kept, numbers));
    if (whole) kernel.when_unaligned({program, form_of(dim, false)}, arguments);
    return kernel;
  };
  if (!problem.backward()) {
    add(kOutput, s.heads, forward_tile, 1, 0).tensor(offsetof(AttentionParams, out), problem.out.argument).tensor(offsetof(AttentionParams, lse), problem.lse);
    return {};
  }
  const std::uint64_t delta = builder.book(static_cast<std::uint64_t>(s.rows() * s.heads) * sizeof(float));
  add(kGradientOfQ, s.heads, q_tile, 2, q_numbers)
      .tensor(offsetof(AttentionParams, out_in), problem.out.argument)
      .tensor(offsetof(AttentionParams, dq), problem.dq.argument)
      .workspace(offsetof(AttentionParams, delta), delta);
  add(kGradientsOfKv, s.kv_heads, kv_tile, 2, kv_numbers)
      .tensor(offsetof(AttentionParams, dk), problem.dk.argument)
      .tensor(offsetof(AttentionParams, dv), problem.dv.argument)
      .workspace(offsetof(AttentionParams, delta), delta);
  return {};
}

// Makes the map of a tensor for boxes of `rows` rows.
Result<void> make_map(const Device& device, const Problem& problem, const Operand& o, std::int64_t heads, int rows, TensorMap& map) {
  const Shape& s = problem.shape;
  TensorBox box{};
  box.dimensions = 4;
  box.extent[0] = s.dim;
  box.extent[1] = s.tokens;
  box.extent[2] = heads;
  box.extent[3] = s.lengths ? 1 : s.batch;
  const std::array strides{o.strides.token, o.strides.head, o.strides.batch};
  // Of a dimension of one element the stride is not used, and must still be one that a map takes.
  for (std::size_t i = 0; i < strides.size(); ++i) box.stride[i] = box.extent[i + 1] > 1 ? strides[i] : Vectors::kElements;
  box.box[0] = 64;  // 128 bytes, to which rows of a box are swizzled
  box.box[1] = rows;
  box.box[2] = 1;
  return encode_map(device, box, map);
}

// A launch of warpgroups: the maps of the tensors that its boxes come from.
struct MappedTensor {
  std::size_t offset;
  const Operand* from;
  std::int64_t heads;
  int rows;  // of a box
};

template <class Descriptor>
Result<void> finish_warpgroups(const PlanRequest& request, PlanBuilder& builder) {
  const Problem problem = Problem::of(*static_cast<const Descriptor*>(request.descriptor));
  const Shape& s = problem.shape;
  const Device& device = *request.device;
  if (s.empty()) return {};
  if (s.dim > 128) return fail(ADJ_ERROR_UNSUPPORTED, "takes a head_dim up to 128, has {}", s.dim);
  const Vectors vectors(problem);
  if (!vectors.whole) return fail(ADJ_ERROR_UNSUPPORTED, "takes a head_dim and strides that are multiples of {}", Vectors::kElements);
  const int dim = s.dim > 64 ? 128 : 64;
  const auto add = [&](Program program, std::int64_t heads, int shared_bytes, const std::vector<MappedTensor>& maps) -> Result<PlanBuilder::Kernel> {
    const auto shared = static_cast<std::uint32_t>(shared_bytes);
    ADJ_TRY(check_shared(device, shared));
    AttentionGroupParams p{};
    p.attention = params_of(problem);
    for (const MappedTensor& m : maps)
      ADJ_TRY(make_map(device, problem, *m.from, m.heads, m.rows, *reinterpret_cast<TensorMap*>(reinterpret_cast<std::byte*>(&p) + m.offset)));
    auto kernel =
        launch(builder, device, {program, warpgroup_form_of(dim)}, p, problem, tiles_of(s, kAttentionGroupTile), heads, unsigned{kAttentionGroupThreads});
    for (const MappedTensor& m : maps) kernel.tensor(m.offset, m.from->argument);
    kernel.shared(shared).when_unaligned({program, form_of(dim, false)}, vectors.arguments, kAttentionThreads);
    return kernel;
  };
  constexpr int kTile = kAttentionGroupTile;
  const auto maps_of = [&](int queries, int keys) {
    std::vector<MappedTensor> maps{{offsetof(AttentionGroupParams, q), &problem.q, s.heads, queries},
                                   {offsetof(AttentionGroupParams, k), &problem.k, s.kv_heads, keys},
                                   {offsetof(AttentionGroupParams, v), &problem.v, s.kv_heads, keys}};
    if (problem.backward()) maps.push_back({offsetof(AttentionGroupParams, dout), &problem.dout, s.heads, queries});
    return maps;
  };
  if (!problem.backward()) {
    auto forward = add(kOutput, s.heads, attention_group_shared(dim, kTile, 2 * kAttentionStep), maps_of(kTile, kAttentionStep));
    if (!forward) return forward.take_error();
    forward->tensor(offsetof(AttentionParams, out), problem.out.argument).tensor(offsetof(AttentionParams, lse), problem.lse);
    return {};
  }
  const std::uint64_t delta = builder.book(static_cast<std::uint64_t>(s.rows() * s.heads) * sizeof(float));
  auto of_q = add(kGradientOfQ, s.heads, attention_group_shared(dim, 2 * kTile, 2 * attention_q_step(dim)), maps_of(kTile, attention_q_step(dim)));
  if (!of_q) return of_q.take_error();
  of_q->tensor(offsetof(AttentionParams, out_in), problem.out.argument)
      .tensor(offsetof(AttentionParams, dq), problem.dq.argument)
      .workspace(offsetof(AttentionParams, delta), delta);
  auto of_kv = add(kGradientsOfKv, s.kv_heads, attention_group_shared(dim, 2 * kTile, 2 * kAttentionKvStep), maps_of(kAttentionKvStep, kTile));
  if (!of_kv) return of_kv.take_error();
  of_kv->tensor(offsetof(AttentionParams, dk), problem.dk.argument)
      .tensor(offsetof(AttentionParams, dv), problem.dv.argument)
      .workspace(offsetof(AttentionParams, delta), delta);
  return {};
}

// ---- rows

bool is_16bit(const Signature& s) { return is_16bit_float(s[0]); }

// Weights and gradients of scores are rounded to the element type; tensor cores may lose a bit of the largest of sixteen products in each addition.
adj_guarantee cores_guarantee(const Signature& s) {
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_FAST, ADJ_F32, 0.51, s[0] == ADJ_BF16 ? 0x1p-8 : 0x1p-10);
}

// Up to 4096 terms in a row; longer sums are as exact on average.
adj_guarantee tiles_guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 0x1p-40);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-12);
}

adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-12); }

// Weights and gradients of scores are rounded to the element type, and so may be sums over the heads of a group.
adj_guarantee cudnn_guarantee(const Signature& s, adj_determinism determinism) {
  return make_guarantee(determinism, ADJ_MATH_FAST, ADJ_F32, 0.51, s[0] == ADJ_BF16 ? 4 * 0x1p-8 : 4 * 0x1p-11);
}
adj_guarantee cudnn_stable(const Signature& s) { return cudnn_guarantee(s, ADJ_RUN_TO_RUN); }
adj_guarantee cudnn_unstable(const Signature& s) { return cudnn_guarantee(s, ADJ_NONDETERMINISTIC); }

// ---- which row comes first: what was measured is in kernels/attention/README.md

// Up to so many tokens, cuDNN's forward kernels take longer than ours: as long for a sequence of one tile as for several. H100, cuDNN 9.14.
constexpr std::int64_t kCudnnShortTokens = 64;
// The engine of cuDNN 9.14 that adds in a fixed order takes as long with a window as without, ours as long as the window is wide: on an H100 the times meet
// at this part of the tokens, for heads up to 64 columns and for wider ones. Other versions have other engines, which `tune` measures.
constexpr std::int64_t kCudnnWindowParts = 2, kCudnnWideWindowParts = 4;
// From so many tokens of a sequence on, warpgroups are faster than tensor_cores with heads up to 64 columns. With wider ones they always are. H200.
constexpr std::int64_t kWarpgroupTokens = 2048;

std::int64_t tokens_of_sequence(const Shape& s) { return s.lengths ? s.tokens / std::max<std::int64_t>(s.batch, 1) : s.tokens; }

bool cudnn_forward_yields(const void* descriptor) {
  const Shape s(*static_cast<const adj_attention_forward_descriptor*>(descriptor));
  return !s.lengths && s.tokens <= kCudnnShortTokens && s.dim <= 64;
}

bool cudnn_backward_yields(const void* descriptor) {
  const Shape s(*static_cast<const adj_attention_backward_descriptor*>(descriptor));
  if (s.window < 0 || s.dim > 128 || s.empty()) return false;  // wider heads have no kernel on tensor cores
  return s.window <= tokens_of_sequence(s) / (s.dim <= 64 ? kCudnnWindowParts : kCudnnWideWindowParts);
}

template <class Descriptor>
bool warpgroups_yield(const void* descriptor) {
  const Shape s(*static_cast<const Descriptor*>(descriptor));
  return s.dim <= 64 && tokens_of_sequence(s) < kWarpgroupTokens;
}

const std::vector<Variant>& forward_variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "cudnn",
       .summary = "cuDNN, its first choice among the engines that give the same bits in every run",
       .backend = ADJ_BACKEND_CUDNN,
       .guarantee = cudnn_stable,
       .accepts = is_16bit,
       .yields = cudnn_forward_yields,
       .finish = finish_cudnn<adj_attention_forward_descriptor>},
      {.algorithm = "warpgroups",
       .summary = "tiles of 128 queries on the tensor cores of sm_90a, with head_dim up to 128",
       .min_cc = 90,
       .exact_cc = 90,
       .programs = {{"attention/warpgroups_forward.cu", "attention_warpgroups_forward", "ADJ_T={0} ADJ_DIM=64", {kOutput, warpgroup_form_of(64)}},
                    {"attention/warpgroups_forward.cu", "attention_warpgroups_forward", "ADJ_T={0} ADJ_DIM=128", {kOutput, warpgroup_form_of(128)}},
                    {"attention/cores_forward.cu", "attention_cores_forward", "ADJ_T={0} ADJ_DIM=64 ADJ_ALIGNED=0", {kOutput, form_of(64, false)}},
                    {"attention/cores_forward.cu", "attention_cores_forward", "ADJ_T={0} ADJ_DIM=128 ADJ_ALIGNED=0", {kOutput, form_of(128, false)}}},
       .guarantee = cores_guarantee,
       .accepts = is_16bit,
       .yields = warpgroups_yield<adj_attention_forward_descriptor>,
       .finish = finish_warpgroups<adj_attention_forward_descriptor>},
      {.algorithm = "tensor_cores",
       .summary = "tiles of queries on tensor cores, with head_dim up to 128",
       .programs = {{"attention/cores_forward.cu", "attention_cores_forward", "ADJ_T={0} ADJ_DIM=64 ADJ_ALIGNED=1", {kOutput, form_of(64, true)}},
                    {"attention/cores_forward.cu", "attention_cores_forward", "ADJ_T={0} ADJ_DIM=64 ADJ_ALIGNED=0", {kOutput, form_of(64, false)}},
                    {"attention/cores_forward.cu", "attention_cores_forward", "ADJ_T={0} ADJ_DIM=128 ADJ_ALIGNED=1", {kOutput, form_of(128, true)}},
                    {"attention/cores_forward.cu", "attention_cores_forward", "ADJ_T={0} ADJ_DIM=128 ADJ_ALIGNED=0", {kOutput, form_of(128, false)}}},
       .guarantee = cores_guarantee,
       .accepts = is_16bit,
       .finish = finish_cores<adj_attention_forward_descriptor>},
      {.algorithm = "tiles",
       .summary = "tiles of queries in shared memory, any strides and types",
       .programs = {{"attention/forward.cu", "attention_forward", "ADJ_T={0} ADJ_IEEE=1", kOutput}},
       .guarantee = tiles_guarantee,
       .finish = finish_tiles<adj_attention_forward_descriptor>},
      host_row(host_guarantee, kForwardOnHost)};
  return *list;
}

const std::vector<Variant>& backward_variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "cudnn_atomic",
       .summary = "cuDNN, its first choice of engine, which may add in any order",
       .backend = ADJ_BACKEND_CUDNN,
       .guarantee = cudnn_unstable,
       .accepts = is_16bit,
       .finish = finish_cudnn<adj_attention_backward_descriptor>},
      {.algorithm = "cudnn",
       .summary = "cuDNN, its first choice among the engines that give the same bits in every run",
       .backend = ADJ_BACKEND_CUDNN,
       .guarantee = cudnn_stable,
       .accepts = is_16bit,
       .yields = cudnn_backward_yields,
       .finish = finish_cudnn<adj_attention_backward_descriptor>},
      {.algorithm = "warpgroups",
       .summary = "tiles of 128 queries for dq, of 128 keys for dk and dv, on the tensor cores of sm_90a, with head_dim up to 128",
       .min_cc = 90,
       .exact_cc = 90,
       .programs =
           {{"attention/warpgroups_backward_q.cu", "attention_warpgroups_backward_q", "ADJ_T={0} ADJ_DIM=64", {kGradientOfQ, warpgroup_form_of(64)}},
            {"attention/warpgroups_backward_kv.cu", "attention_warpgroups_backward_kv", "ADJ_T={0} ADJ_DIM=64", {kGradientsOfKv, warpgroup_form_of(64)}},
            {"attention/warpgroups_backward_q.cu", "attention_warpgroups_backward_q", "ADJ_T={0} ADJ_DIM=128", {kGradientOfQ, warpgroup_form_of(128)}},
            {"attention/warpgroups_backward_kv.cu", "attention_warpgroups_backward_kv", "ADJ_T={0} ADJ_DIM=128", {kGradientsOfKv, warpgroup_form_of(128)}},
            {"attention/cores_backward_q.cu", "attention_cores_backward_q", "ADJ_T={0} ADJ_DIM=64 ADJ_ALIGNED=0", {kGradientOfQ, form_of(64, false)}},
            {"attention/cores_backward_kv.cu", "attention_cores_backward_kv", "ADJ_T={0} ADJ_DIM=64 ADJ_ALIGNED=0", {kGradientsOfKv, form_of(64, false)}},
            {"attention/cores_backward_q.cu", "attention_cores_backward_q", "ADJ_T={0} ADJ_DIM=128 ADJ_ALIGNED=0", {kGradientOfQ, form_of(128, false)}},
            {"attention/cores_backward_kv.cu", "attention_cores_backward_kv", "ADJ_T={0} ADJ_DIM=128 ADJ_ALIGNED=0", {kGradientsOfKv, form_of(128, false)}}},
       .guarantee = cores_guarantee,
       .accepts = is_16bit,
       .yields = warpgroups_yield<adj_attention_backward_descriptor>,
       .finish = finish_warpgroups<adj_attention_backward_descriptor>},
      {.algorithm = "tensor_cores",
       .summary = "tiles of queries for dq, of keys for dk and dv, on tensor cores, with head_dim up to 128",
       .programs =
           {{"attention/cores_backward_q.cu", "attention_cores_backward_q", "ADJ_T={0} ADJ_DIM=64 ADJ_ALIGNED=1", {kGradientOfQ, form_of(64, true)}},
            {"attention/cores_backward_q.cu", "attention_cores_backward_q", "ADJ_T={0} ADJ_DIM=64 ADJ_ALIGNED=0", {kGradientOfQ, form_of(64, false)}},
            {"attention/cores_backward_kv.cu", "attention_cores_backward_kv", "ADJ_T={0} ADJ_DIM=64 ADJ_ALIGNED=1", {kGradientsOfKv, form_of(64, true)}},
            {"attention/cores_backward_kv.cu", "attention_cores_backward_kv", "ADJ_T={0} ADJ_DIM=64 ADJ_ALIGNED=0", {kGradientsOfKv, form_of(64, false)}},
            {"attention/cores_backward_q.cu", "attention_cores_backward_q", "ADJ_T={0} ADJ_DIM=128 ADJ_ALIGNED=1", {kGradientOfQ, form_of(128, true)}},
            {"attention/cores_backward_q.cu", "attention_cores_backward_q", "ADJ_T={0} ADJ_DIM=128 ADJ_ALIGNED=0", {kGradientOfQ, form_of(128, false)}},
            {"attention/cores_backward_kv.cu", "attention_cores_backward_kv", "ADJ_T={0} ADJ_DIM=128 ADJ_ALIGNED=1", {kGradientsOfKv, form_of(128, true)}},
            {"attention/cores_backward_kv.cu", "attention_cores_backward_kv", "ADJ_T={0} ADJ_DIM=128 ADJ_ALIGNED=0", {kGradientsOfKv, form_of(128, false)}}},
       .guarantee = cores_guarantee,
       .accepts = is_16bit,
       .finish = finish_cores<adj_attention_backward_descriptor>},
      {.algorithm = "tiles",
       .summary = "tiles of queries for dq, of keys for dk and dv, any strides and types",
       .programs = {{"attention/backward_q.cu", "attention_backward_q", "ADJ_T={0} ADJ_IEEE=1", kGradientOfQ},
                    {"attention/backward_kv.cu", "attention_backward_kv", "ADJ_T={0} ADJ_IEEE=1", kGradientsOfKv}},
       .guarantee = tiles_guarantee,
       .finish = finish_tiles<adj_attention_backward_descriptor>},
      host_row(host_guarantee, kBackwardOnHost)};
  return *list;
}

}  // namespace

}  // namespace attention

const OpInfo& info_attention_forward() {
  using namespace attention_forward_tables;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = attention::forward_variants(),
                                                   .validate = attention::validate_forward,
                                                   .signature = element_signature<Descriptor>,
                                                   .shapes = attention::forward_shapes});
  return info;
}

const OpInfo& info_attention_backward() {
  using namespace attention_backward_tables;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = attention::backward_variants(),
                                                   .validate = attention::validate_backward,
                                                   .signature = element_signature<Descriptor>,
                                                   .shapes = attention::backward_shapes});
  return info;
}

}  // namespace adj
