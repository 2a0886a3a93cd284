// Planning of the rotary position embedding and its gradient, with and without the norm before it.
#include <bit>
#include <cmath>

#include "host/rope.hpp"
#include "kernels/prelude/scalar.h"
#include "ops/common/column_sum.hpp"
#include "ops/common/divide.hpp"
#include "ops/common/strides.hpp"
#include "ops/rope.gen.hpp"
#include "ops/common/tuning.hpp"

#include "kernels/rope/params.h"

namespace adj {

namespace {

using host::RopeStrides;

template <class Descriptor>
Strided<3> strided(const Descriptor& d, const adj_axes& given) {
  return {{d.batch, d.tokens, d.heads + d.kv_heads}, host::rope_strides(d, given), d.head_dim};
}

template <class Descriptor>
Result<void> check_axes(const char* op, const Descriptor& d, const char* field, const adj_axes& given) {
  ADJ_TRY(check_stride_list(op, field, given, d.tokens));
  return check_strides(op, field, strided(d, given));
}

template <class Descriptor>
Result<void> check(const char* op, const Descriptor& d) {
  const std::int64_t rotated = host::rotary_dim(d);
  if (rotated < 2 || rotated % 2 || rotated > std::min<std::int64_t>(d.head_dim, 2 * kRopePairs))
    return fail(ADJ_ERROR_INVALID_PROBLEM,
                "{}: rotary_dim = {} with head_dim = {}: {} elements of a head would be rotated, expected an even number from 2 to {}", op, d.rotary_dim,
                d.head_dim, rotated, std::min<std::int64_t>(d.head_dim, 2 * kRopePairs));
  ADJ_TRY(check_volume(op, "the heads", {d.batch, d.tokens, d.heads + d.kv_heads, d.head_dim}));
  if (d.table_rows && !d.position && d.tokens > d.table_rows)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: tokens = {} are more than the positions of the tables, table_rows = {}", op, d.tokens, d.table_rows);
  return {};
}

// Makes a tensor with strides a buffer of as many elements as it spans.
template <class Descriptor>
void put_strides(const Descriptor& d, const adj_axes& strides, ArgumentSpec& spec) {
  if (strides.count != 0 && spec.presence != Presence::forbidden) spec = strided_tensor(d.element, strided(d, strides));
}

// Fails when the two tensors begin at one address with different strides.
template <class Descriptor>
Result<void> check_in_place(const char* op, const Descriptor& d, const char* input, const adj_tensor& from, const adj_axes& from_strides, const char* output,
                            const adj_tensor& to, const adj_axes& to_strides) {
  if (!from.data || from.data != to.data || host::rope_strides(d, from_strides) == host::rope_strides(d, to_strides)) return {};
  return fail(ADJ_ERROR_ALIASING, "{}: {} overlaps {}, which has other strides", op, output, input);
}

// Division of the heads among threads.
struct Geometry {
  RopeParams p{};  // without strides
  bool whole = false;       // true: strides and sizes are whole units of 16 bytes
  unsigned block = 0;
  std::int64_t groups = 0;  // times that a block would have to take its tokens
  std::uint32_t shared = 0;
};
// sums: threads keep sums of the weights' gradients in shared memory.
template <class Descriptor>
Geometry geometry_of(const Descriptor& d, std::initializer_list<RopeStrides> strides, bool sums) {
  constexpr std::int64_t kWarp = 32, kThreads = 256, kAngleBytes = 8 << 10, kSumBytes = 16 << 10;
  // With a norm a block has weights to read first: 8192 tokens of 32 + 8 heads of 128 bf16 take 62 us on an H200, with four heads of a thread 68; the gradient
  // 94 and 106.
  const std::int64_t heads_of_thread = d.has_norm ? 8 : 4;
  const std::int64_t unit = 16 / size_of(d.element), rotated = host::rotary_dim(d), rest = d.head_dim - rotated;
  const std::int64_t size = size_of(accumulator_of(d.element));
  Geometry g;
  RopeParams& p = g.p;
  auto units_of = [&](std::int64_t n) { return rotated / 2 / n + ceil_div(rest, 2 * n); };
  g.whole = rotated / 2 % unit == 0 && rest % unit == 0 && units_of(unit) <= kWarp;
  for (const RopeStrides& s : strides)
    for (std::int64_t stride : s) g.whole = g.whole && stride % unit == 0;
  p.all_tokens = d.batch * d.tokens;
  p.tokens = d.tokens;
  p.positions_end = host::rope_positions(d);
  p.by_tokens = divide_below_2_59(d.tokens);
  p.by_pairs = divide_below_2_31(rotated / 2);
  p.epsilon = d.epsilon;
  p.inverse_dim = 1 / static_cast<double>(d.head_dim);
  p.position_type = d.position;
  p.weight_type = d.weight ? d.weight : d.element;
  p.heads = static_cast<int>(d.heads);
  p.all_heads = static_cast<int>(d.heads + d.kv_heads);
  p.head_dim = static_cast<int>(d.head_dim);
  p.pairs = static_cast<int>(rotated / 2);
  for (std::int64_t j = 0; j < rotated / 2 && !d.table_rows; ++j) p.rates[j] = host::rope_rate(d, j);
  const std::int64_t lanes = std::min(kWarp, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(units_of(g.whole ? unit : 1)))));
  const std::int64_t heads = d.has_norm ? std::max(d.heads, d.kv_heads) : d.heads + d.kv_heads;
  const std::int64_t most_groups = sums ? std::max(kSumBytes / (d.head_dim * size), kWarp / lanes) : kRopeBlock / lanes;
  const std::int64_t groups = std::min({ceil_div(heads, heads_of_thread), most_groups, kRopeBlock / lanes}), of_token = lanes * groups;
  const std::int64_t most_tokens = std::min({kRopeBlock / of_token, most_groups / groups, std::max<std::int64_t>(kAngleBytes / (rotated * size), 1)});
  p.lanes = static_cast<int>(lanes);
  p.heads_at_once = static_cast<int>(groups);
  p.tokens_of_block = static_cast<int>(std::min(ceil_div(kThreads, of_token), most_tokens));
  g.block = static_cast<unsigned>(ceil_div(of_token * p.tokens_of_block, kWarp) * kWarp);
  g.groups = ceil_div(p.all_tokens, p.tokens_of_block);
  std::int64_t numbers = rotated * p.tokens_of_block;
  if (d.has_norm) numbers += 2 * d.head_dim;
  if (sums) numbers += g.block / lanes * d.head_dim;
  g.shared = static_cast<std::uint32_t>(numbers * size);
  return g;
}
void set_strides(long long (&to)[3], const RopeStrides& from) { std::copy(from.begin(), from.end(), to); }

// Programs of a row, without and with a norm. Their forms are the ways of pairing, each for whole units and for any heads.
enum Program : int { kRotate, kRotateNorm };
constexpr int form_of(bool interleaved, bool whole) { return 2 * interleaved + !whole; }
#define ADJ_ROPE_PROGRAMS(name, source, entry, more)                                                               \
  {source, entry, "ADJ_T={0} ADJ_INTERLEAVED=0 ADJ_ANY=0" more, {name, form_of(false, true)}},                     \
      {source, entry "_any", "ADJ_T={0} ADJ_INTERLEAVED=0 ADJ_ANY=1" more, {name, form_of(false, false)}},         \
      {source, entry "_interleaved", "ADJ_T={0} ADJ_INTERLEAVED=1 ADJ_ANY=0" more, {name, form_of(true, true)}}, { \
    source, entry "_interleaved_any", "ADJ_T={0} ADJ_INTERLEAVED=1 ADJ_ANY=1" more, { name, form_of(true, false) } \
  }

// Arguments of the kernels that both operators have.
struct Arguments {
  int in, input, out, positions, cos, sin, q_weight, k_weight, error_flag;
};
template <class Descriptor>
PlanBuilder::Kernel add_kernel(PlanBuilder& builder, const Descriptor& d, const Geometry& g, std::int64_t grid, const Arguments& s) {
  const Program program = d.has_norm ? kRotateNorm : kRotate;
  auto kernel = builder.kernel({program, form_of(d.interleaved, g.whole)}, grid, g.block);
  std::vector<int> addresses{s.in, s.out};
  if (s.input >= 0) addresses.push_back(s.input);
  if (g.whole) kernel.when_unaligned({program, form_of(d.interleaved, false)}, addresses);
  kernel.params(g.p).shared(g.shared).tensor(offsetof(RopeParams, in), s.in).tensor(offsetof(RopeParams, out), s.out);
  kernel.tensor(offsetof(RopeParams, error_flag), s.error_flag);
  if (s.input >= 0) kernel.tensor(offsetof(RopeParams, input), s.input);
  if (d.position) kernel.tensor(offsetof(RopeParams, positions), s.positions);
  if (d.table_rows) kernel.tensor(offsetof(RopeParams, cos), s.cos).tensor(offsetof(RopeParams, sin), s.sin);
  if (d.has_norm) kernel.tensor(offsetof(RopeParams, q_weight), s.q_weight);
  if (d.has_norm && d.kv_heads) kernel.tensor(offsetof(RopeParams, k_weight), s.k_weight);
  return kernel;
}

// A rotation in f32 costs 2^-21 of its terms: the angle's sine and cosine 2^-22, the products 2^-23. A head has at most 130 squares in its longest
// chain, the gradient of a weight at most 128 products.
adj_guarantee for_norm(const Signature& s, adj_determinism determinism, double terms) {
  if (s[0] == ADJ_F64) return make_guarantee(determinism, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13);
  return make_guarantee(determinism, ADJ_MATH_IEEE, ADJ_F32, 0.51, terms, 0x1p-126);
}
template <class Descriptor>
adj_guarantee without_norm(const adj_guarantee& general, const void* descriptor) {
  adj_guarantee g = general;
  if (!static_cast<const Descriptor*>(descriptor)->has_norm) g.bound_terms = std::min(g.bound_terms, 0x1p-21);
  return g;
}
adj_guarantee forward_guarantee(const Signature& s) { return for_norm(s, ADJ_BATCH_INVARIANT, 0x1p-17); }
adj_guarantee backward_guarantee(const Signature& s) { return for_norm(s, ADJ_SHAPE_ONLY, 0x1p-16); }
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }
adj_guarantee host_sums_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

// ---- forward

namespace forward {

using namespace rope_forward_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check(kName, d));
  ADJ_TRY(check_axes(kName, d, "strides", d.strides));
  return check_axes(kName, d, "out_strides", d.out_strides);
}

void shapes(const void* descriptor, std::span<ArgumentSpec> arguments) {
  stated_shapes(descriptor, arguments);
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  put_strides(d, d.strides, arguments[kInput]);
  put_strides(d, d.out_strides, arguments[kOut]);
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  return check_in_place(kName, d, "input", a.input, d.strides, "out", a.out, d.out_strides);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.batch == 0 || d.tokens == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::rope_forward>);
    return {};
  }
  const RopeStrides from = host::rope_strides(d, d.strides), to = host::rope_strides(d, d.out_strides);
  Geometry g = geometry_of(d, {from, to}, false);
  set_strides(g.p.in_strides, from);
  set_strides(g.p.out_strides, to);
  if (g.groups > kMostBlocks) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} tokens, {} are given", kMostBlocks * g.p.tokens_of_block, g.p.all_tokens);
  add_kernel(builder, d, g, g.groups, {kInput, -1, kOut, kPositions, kCos, kSin, kQWeight, kKWeight, kErrorFlag});
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "heads",
                                                      .summary = "threads of a block share the heads of some tokens",
                                                      .programs = {ADJ_ROPE_PROGRAMS(kRotate, "rope/rope.cu", "rope", " ADJ_NORM=0"),
                                                                   ADJ_ROPE_PROGRAMS(kRotateNorm, "rope/rope.cu", "rope_norm", " ADJ_NORM=1")},
                                                      .guarantee = forward_guarantee,
                                                      .guarantee_for = without_norm<Descriptor>},
                                                     host_row(host_guarantee)};
  return *list;
}

}  // namespace forward

// ---- backward

namespace backward {

using namespace rope_backward_tables;

// Element types, and those of the weights beside them.
const std::vector<Signature>& signatures() {
  static const auto* list =
      new std::vector<Signature>{{ADJ_F32, ADJ_F32}, {ADJ_F64, ADJ_F64}, {ADJ_F16, ADJ_F16}, {ADJ_BF16, ADJ_BF16}, {ADJ_F16, ADJ_F32}, {ADJ_BF16, ADJ_F32}};
  return *list;
}
Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.weight ? d.weight : d.element};
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check(kName, d));
  ADJ_TRY(check_axes(kName, d, "strides", d.strides));
  ADJ_TRY(check_axes(kName, d, "dout_strides", d.dout_strides));
  return check_axes(kName, d, "dinput_strides", d.dinput_strides);
}

void shapes(const void* descriptor, std::span<ArgumentSpec> arguments) {
  stated_shapes(descriptor, arguments);
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  put_strides(d, d.dout_strides, arguments[kDout]);
  put_strides(d, d.strides, arguments[kInput]);
  put_strides(d, d.dinput_strides, arguments[kDinput]);
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_in_place(kName, d, "dout", a.dout, d.dout_strides, "dinput", a.dinput, d.dinput_strides));
  if (!d.has_norm) return {};
  return check_in_place(kName, d, "input", a.input, d.strides, "dinput", a.dinput, d.dinput_strides);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  constexpr std::int64_t kBlocks = 2 * tuning::kMultiprocessors,
                         kMostTerms = 64;  // blocks that work is split into, whatever the device; most products of a thread
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const bool empty = d.batch == 0 || d.tokens == 0;
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::rope_backward>);
    return {};
  }
  if (empty) {
    if (d.has_norm && d.write_mode != ADJ_WRITE_ACCUMULATE) builder.clear_output(kDqWeight);
    if (d.has_norm && d.write_mode != ADJ_WRITE_ACCUMULATE && d.kv_heads) builder.clear_output(kDkWeight);
    return {};
  }
  const RopeStrides of_input = host::rope_strides(d, d.strides), from = host::rope_strides(d, d.dout_strides), to = host::rope_strides(d, d.dinput_strides);
  Geometry g = geometry_of(d, {from, to, of_input}, d.has_norm);
  set_strides(g.p.in_strides, from);
  set_strides(g.p.input_strides, of_input);
  set_strides(g.p.out_strides, to);
  g.p.back = 1;
  const Arguments arguments{kDout, d.has_norm ? kInput : -1, kDinput, kPositions, kCos, kSin, kQWeight, kKWeight, kErrorFlag};
  std::int64_t grid = g.groups;
  if (d.has_norm) {
    const std::int64_t of_group = ceil_div(std::max(d.heads, d.kv_heads), g.p.heads_at_once);
    grid = std::max(std::min(grid, kBlocks), ceil_div(grid, std::max<std::int64_t>(kMostTerms / of_group, 1)));
    grid = std::min(grid, request.device->grid_limit);
  }
  if (grid > kMostBlocks) return fail(ADJ_ERROR_UNSUPPORTED, "has at most {} blocks, {} tokens take more", kMostBlocks, g.p.all_tokens);
  if (!d.has_norm) {
    add_kernel(builder, d, g, grid, arguments);
    return {};
  }
  const std::int64_t kinds = d.kv_heads ? 2 : 1;
  const std::uint64_t partials = builder.book(column_sum_bytes(kinds, grid, d.head_dim, accumulator_of(d.element)));
  add_kernel(builder, d, g, grid, arguments).workspace(offsetof(RopeParams, partials), partials);
  const int results[] = {kDqWeight, kDkWeight};
  return add_column_sum(builder, partials, grid, d.head_dim, std::span(results, static_cast<std::size_t>(kinds)), request.device,
                        d.write_mode == ADJ_WRITE_ACCUMULATE);
}

const std::vector<Variant>& variants() {
#define ADJ_HEADS .algorithm = "heads", .summary = "threads of a block share the heads of some tokens, and keep the sums of the weights' gradients"
#define ADJ_NORM_PROGRAMS ADJ_ROPE_PROGRAMS(kRotateNorm, "rope/norm_backward.cu", "rope_norm_backward", ""), ADJ_COLUMN_SUM_PROGRAM("{a}", "{1}")
  // Weights of another type than the elements come with a norm only.
  static const auto* list = new std::vector<Variant>{
      {ADJ_HEADS, .programs = {ADJ_ROPE_PROGRAMS(kRotate, "rope/rope.cu", "rope", " ADJ_NORM=0"), ADJ_NORM_PROGRAMS}, .guarantee = backward_guarantee,
       .guarantee_for = without_norm<Descriptor>, .outputs = {{kDinput, ADJ_BATCH_INVARIANT}}, .accepts = [](const Signature& s) { return s[0] == s[1]; }},
      {ADJ_HEADS, .programs = {ADJ_NORM_PROGRAMS}, .guarantee = backward_guarantee, .outputs = {{kDinput, ADJ_BATCH_INVARIANT}},
       .accepts = [](const Signature& s) { return s[0] != s[1]; }},
      {.algorithm = "reference",
       .summary = "host memory",
       .backend = ADJ_BACKEND_HOST,
       .guarantee = host_sums_guarantee,
       .outputs = {{kDinput, ADJ_BATCH_INVARIANT}}}};
#undef ADJ_NORM_PROGRAMS
#undef ADJ_HEADS
  return *list;
}

}  // namespace backward

}  // namespace

const OpInfo& info_rope_forward() {
  using namespace forward;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .validate = validate,
                                                   .signature = element_signature<Descriptor>,
                                                   .shapes = shapes,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

const OpInfo& info_rope_backward() {
  using namespace backward;
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "element, weight",
                                                   .variants = variants(),
                                                   .validate = validate,
                                                   .signature = signature,
                                                   .shapes = shapes,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

}  // namespace adj
