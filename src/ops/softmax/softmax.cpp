// Gradients of softmax and of log-softmax.
#include <adjoint/ops/softmax.h>

#include <bit>

#include "host/softmax.hpp"
#include "ops/softmax/softmax.hpp"
#include "ops/softmax.gen.hpp"

namespace adj {

namespace {

using namespace adj::softmax;
using P = SoftmaxBackwardParams;
constexpr int kMostThreads = 512;  // of a block of the row and tile kernels
constexpr int kParkedUnits = 8;

// Both operators have these arguments at the same places.
using softmax_backward_tables::kDout, softmax_backward_tables::kOut, softmax_backward_tables::kDinput;
static_assert(log_softmax_backward_tables::kDout == int{kDout} && log_softmax_backward_tables::kOut == int{kOut} &&
              log_softmax_backward_tables::kDinput == int{kDinput});

void bind_tensors(PlanBuilder::Kernel& kernel, const P& p) {
  kernel.params(p).tensor(offsetof(P, dout), kDout).tensor(offsetof(P, out), kOut).tensor(offsetof(P, dinput), kDinput);
}
// Programs of a row that has several. kHeld: for rows or tiles of whole units; its form is the number of units that a thread holds. kAny: for any rows.
// kAnyHeld: the same, held in registers.
enum Program : int { kHeld, kAny, kAnyHeld };
// Launch of kHeld for rows of whole units, of `any` for other rows or when a tensor is not aligned to 16 bytes.
PlanBuilder::Kernel kernel_of_alignment(PlanBuilder& builder, const P& p, bool in_units, int units, std::int64_t grid, unsigned block, Program any = kAny) {
  auto kernel = in_units ? builder.kernel({kHeld, units}, grid, block) : builder.kernel(any, grid, block);
  if (in_units) kernel.when_unaligned(any, {kDout, kOut, kDinput});
  bind_tensors(kernel, p);
  return kernel;
}
// Threads of a block for `count` units, `units` for each thread: whole warps, at most kMostThreads.
unsigned threads_for(std::int64_t count, int units) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(ceil_div(ceil_div(count, units), kWarp) * kWarp, kWarp, kMostThreads));
}
// Blocks of a cluster that share `count` units when each takes at most `most`: a power of two.
int cluster_for(std::int64_t count, std::int64_t most) {
  return std::max(2, static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(count, most)))));
}
constexpr int kAcross = 8;  // threads side by side in a tile
template <class Descriptor>
std::int64_t tiles_of(const Descriptor& d) {
  return d.outer * ceil_div(d.inner * size_of(d.element), kAcross * kWords);
}
// Checks a problem for the tile kernels, in which a block or a cluster takes one tile.
template <class Descriptor>
Result<void> check_tile(const Descriptor& d) {
  constexpr std::int64_t kLeastBytes = 64;
  if (d.inner * size_of(d.element) < kLeastBytes) return fail(ADJ_ERROR_UNSUPPORTED, "reads {} contiguous bytes at a time, inner = {}", kLeastBytes, d.inner);
  if (tiles_of(d) > kMostBlocks / kMostCluster)
    return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} tiles, outer = {}, inner = {}", kMostBlocks / kMostCluster, d.outer, d.inner);
  return {};
}

// A lane holds four units: one of each of four rows of up to 32 units, two of each of two rows of up to 64, else four of one row.
template <class Descriptor>
Result<void> plan_row(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  constexpr int kUnits = 4;
  const std::int64_t unit = kWords / size_of(d.element), units = ceil_div(d.extent, unit);
  ADJ_TRY(check_row(d));
  if (units > kMostThreads * kUnits) return too_long(d.extent, kMostThreads * kUnits * unit);
  const int held = units <= kWarp ? 1 : units <= 2 * kWarp ? 2 : kUnits;
  P p = params_of<P>(d);
  unsigned block = 256;
  if (held == 1) p.group = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(units)));
  else if (units <= kUnits * kWarp) p.group = kWarp;
  else p.group = static_cast<int>(block = threads_for(units, kUnits));
  const std::int64_t rows_of_block = static_cast<std::int64_t>(block) / p.group * (kUnits / held);
  // Larger blocks of 16-bit rows would be alone on a multiprocessor: 3640 x 12289 bf16 took 190 us, read twice 151 us; 5462 x 8191 122 and 140 us (H100).
  constexpr unsigned kMostHeld = 256;
  const Program any = block <= kMostHeld || size_of(d.element) == 4 ? kAnyHeld : kAny;
  kernel_of_alignment(builder, p, d.extent % unit == 0, held, strided_grid(device, ceil_div(d.outer, rows_of_block)), block, any);
  return {};
}

template <class Descriptor>
Result<void> plan_row_staged(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  constexpr std::int64_t kBytes = 1280;
  ADJ_TRY(check_row(d));
  if (in_whole_units(d)) return fail(ADJ_ERROR_UNSUPPORTED, "takes rows that are not in whole units of {} bytes, extent = {}", kWords, d.extent);
  const Result<Staged> staged = staged_rows(d, device, 2, kBytes, 1);
  if (!staged) return staged.error();
  P p = params_of<P>(d);
  p.group = staged->group;
  p.rows = staged->rows;
  auto kernel = builder.kernel(kMain, staged->blocks, kStagedBlock);
  bind_tensors(kernel, p);
  kernel.shared(staged->shared);
  return {};
}

// A cluster walks up to four rows, so that the next row is on its way; fewer when multiprocessors would be left without a cluster.
template <class Descriptor>
Result<void> plan_row_cluster(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  constexpr std::int64_t kMostRows = 4, kBlocksAtOnce = 2;
  constexpr int kFewUnits = 4, kManyUnits = 8;
  ADJ_TRY(check_row(d));
  const std::int64_t unit = kWords / size_of(d.element), units = ceil_div(d.extent, unit);
  if (units > kMostCluster * kMostThreads * kManyUnits) return too_long(d.extent, kMostCluster * kMostThreads * kManyUnits * unit);
  const bool many = units > kMostCluster * kMostThreads * kFewUnits;
  const int units_of_thread = many ? kManyUnits : kFewUnits, cluster = cluster_for(units, std::int64_t{kMostThreads} * units_of_thread);
  const std::uint32_t shared = 2 * static_cast<std::uint32_t>(units_of_thread * kMostThreads * kWords);
  ADJ_TRY(check_shared(device, shared + kStaticShared));
  const std::int64_t at_once = std::max<std::int64_t>(1, std::int64_t{device.multiprocessors} * kBlocksAtOnce / cluster);
  const std::int64_t rows = std::clamp<std::int64_t>(d.outer / at_once, 1, kMostRows);
  const std::int64_t grid = strided_grid_of_clusters(device, ceil_div(d.outer, rows), cluster);
  auto kernel = kernel_of_alignment(builder, params_of<P>(d), d.extent % unit == 0, units_of_thread, grid, kMostThreads);
  kernel.shared(shared).cluster(static_cast<unsigned>(cluster));
  return {};
}

template <class Descriptor>
Result<void> plan_row_stream(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  ADJ_TRY(check_row(d));
  P p = params_of<P>(d);
  p.group = kMostThreads;
  kernel_of_alignment(builder, p, d.extent * size_of(d.element) % kWords == 0, 0, strided_grid(device, d.outer), kMostThreads);
  return {};
}

template <class Descriptor>
Result<void> plan_row_f64(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  ADJ_TRY(check_row(d));
  const RowGeometry g = row_geometry(d.extent, d.element);
  P p = params_of<P>(d);
  p.group = g.group;
  auto kernel = builder.kernel(kMain, g.grid(device, d.outer), g.block);
  bind_tensors(kernel, p);
  return {};
}

template <class Descriptor>
Result<void> plan_tile(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  constexpr std::int64_t kThreads = kMostThreads / kAcross;
  ADJ_TRY(check_tile(d));
  const bool parked = d.extent > kThreads * 4;
  const int units = parked ? kParkedUnits : 4;
  if (d.extent > kThreads * units) return too_long(d.extent, kThreads * units);
  const unsigned block = threads_for(ceil_div(d.extent, units) * kAcross, 1);
  const std::uint32_t shared = parked ? block * kParkedUnits * kWords : 0;
  ADJ_TRY(check_shared(device, shared + kStaticShared));
  kernel_of_alignment(builder, params_of<P>(d), d.inner * size_of(d.element) % kWords == 0, units, tiles_of(d), block).shared(shared);
  return {};
}

template <class Descriptor>
Result<void> plan_tile_cluster(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  constexpr std::int64_t kMost = kMostThreads / kAcross * kParkedUnits;
  ADJ_TRY(check_tile(d));
  if (d.extent > kMostCluster * kMost) return too_long(d.extent, kMostCluster * kMost);
  const int cluster = cluster_for(d.extent, kMost);
  const unsigned block = threads_for(ceil_div(d.extent, cluster) * kAcross, kParkedUnits);
  const std::uint32_t shared = block * kParkedUnits * kWords;
  ADJ_TRY(check_shared(device, shared + kStaticShared));
  auto kernel = kernel_of_alignment(builder, params_of<P>(d), d.inner * size_of(d.element) % kWords == 0, kParkedUnits, tiles_of(d) * cluster, block);
  kernel.shared(shared).cluster(static_cast<unsigned>(cluster));
  return {};
}

template <class Descriptor>
Result<void> plan_strided(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  constexpr int kBlock = 256;
  constexpr std::int64_t kLong = 64;  // from here on eight threads share a group
  P p = params_of<P>(d);
  p.group = d.extent >= kLong ? kWarp : kBlock;
  auto kernel = builder.kernel(kMain, strided_grid(device, ceil_div(d.outer * d.inner, p.group)), kBlock);
  bind_tensors(kernel, p);
  return {};
}

// A sum is off by 2^-24 for each addition in its longest chain, at most 40 of them. Kernels that read a row twice add in f64 and are off by
// less.
template <bool log>
adj_guarantee guarantee(const Signature& s, double bound_terms) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13);
  return make_guarantee(ADJ_BATCH_INVARIANT, log ? ADJ_MATH_FAST : ADJ_MATH_IEEE, ADJ_F32, 0.51, bound_terms, 0x1p-118);
}
template <bool log> adj_guarantee resident_guarantee(const Signature& s) { return guarantee<log>(s, 0x1p-18); }
template <bool log> adj_guarantee streamed_guarantee(const Signature& s) { return guarantee<log>(s, 0x1p-20); }
adj_guarantee f64_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13); }
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

// True for types whose other variants use approximate exponentials.
template <bool log> bool approximates(const Signature& s) { return log && s[0] != ADJ_F64; }

// Variants of both operators. LOG is the value of the kernels' macro ADJ_LOG.
consteval bool is_log(const char* macro) { return *macro == '1'; }
#define ADJ_SOFTMAX_VARIANTS(op, LOG)                                                                                                                      \
  {.algorithm = "row_staged",                                                                                                                              \
   .summary = "a warp works on rows of any length in shared memory",                                                                                       \
   .programs = {{"softmax/row_staged.cu", #op "_row_staged", "ADJ_T={0} ADJ_LOG=" LOG}},                                                                   \
   .guarantee = resident_guarantee<is_log(LOG)>,                                                                                                           \
   .finish = on_device<Descriptor, plan_row_staged<Descriptor>>},                                                                                          \
      {.algorithm = "row",                                                                                                                                 \
       .summary = "a warp or less, or a block, holds a row in registers",                                                                                  \
       .programs = {{"softmax/row.cu", #op "_row1", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_VECTORS=1 ADJ_ROWS=4", {kHeld, 1}},                                     \
                    {"softmax/row.cu", #op "_row2", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_VECTORS=2 ADJ_ROWS=2", {kHeld, 2}},                                     \
                    {"softmax/row.cu", #op "_row4", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_VECTORS=4 ADJ_ROWS=1", {kHeld, 4}},                                     \
                    {"softmax/row_any.cu", #op "_row_any", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_CLUSTER=0 ADJ_LONG=0", kAny},                                    \
                    {"softmax/row_any_held.cu", #op "_row_any_held", "ADJ_T={0} ADJ_LOG=" LOG, kAnyHeld}},                                                 \
       .guarantee = resident_guarantee<is_log(LOG)>,                                                                                                       \
       .finish = on_device<Descriptor, plan_row<Descriptor>>},                                                                                             \
      {.algorithm = "row_cluster",                                                                                                                         \
       .summary = "a cluster of blocks holds a row in registers, the next one on its way",                                                                 \
       .min_cc = 90,                                                                                                                                       \
       .programs = {{"softmax/row_cluster.cu", #op "_row_cluster4", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_VECTORS=4", {kHeld, 4}},                                \
                    {"softmax/row_cluster.cu", #op "_row_cluster8", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_VECTORS=8", {kHeld, 8}},                                \
                    {"softmax/row_any.cu", #op "_row_cluster_any", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_CLUSTER=1 ADJ_LONG=0", kAny}},                           \
       .guarantee = resident_guarantee<is_log(LOG)>,                                                                                                       \
       .finish = on_device<Descriptor, plan_row_cluster<Descriptor>>},                                                                                     \
      {.algorithm = "row_stream",                                                                                                                          \
       .summary = "a block reads a row of any length twice",                                                                                               \
       .programs = {{"softmax/row_stream.cu", #op "_row_stream", "ADJ_T={0} ADJ_LOG=" LOG, kHeld},                                                         \
                    {"softmax/row_any.cu", #op "_row_stream_any", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_CLUSTER=0 ADJ_LONG=1", kAny}},                            \
       .guarantee = streamed_guarantee<is_log(LOG)>,                                                                                                       \
       .finish = on_device<Descriptor, plan_row_stream<Descriptor>>},                                                                                      \
      {.algorithm = "tile",                                                                                                                                \
       .summary = "a block holds the axis for 128 contiguous bytes",                                                                                       \
       .programs = {{"softmax/tile.cu", #op "_tile4", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_VECTORS=4 ADJ_CLUSTER=0 ADJ_PARKED=0", {kHeld, 4}},                   \
                    {"softmax/tile.cu", #op "_tile8", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_VECTORS=8 ADJ_CLUSTER=0 ADJ_PARKED=1", {kHeld, 8}},                   \
                    {"softmax/tile.cu", #op "_tile_any", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_VECTORS=0 ADJ_CLUSTER=0 ADJ_PARKED=0", kAny}},                     \
       .guarantee = resident_guarantee<is_log(LOG)>,                                                                                                       \
       .finish = on_device<Descriptor, plan_tile<Descriptor>>},                                                                                            \
      {.algorithm = "tile_cluster",                                                                                                                        \
       .summary = "a cluster of blocks holds the axis for 128 contiguous bytes",                                                                           \
       .min_cc = 90,                                                                                                                                       \
       .programs = {{"softmax/tile.cu", #op "_tile_cluster", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_VECTORS=8 ADJ_CLUSTER=1 ADJ_PARKED=1", {kHeld, kParkedUnits}}, \
                    {"softmax/tile.cu", #op "_tile_cluster_any", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_VECTORS=0 ADJ_CLUSTER=1 ADJ_PARKED=0", kAny}},             \
       .guarantee = resident_guarantee<is_log(LOG)>,                                                                                                       \
       .finish = on_device<Descriptor, plan_tile_cluster<Descriptor>>},                                                                                    \
      {.algorithm = "strided",                                                                                                                             \
       .summary = "one to eight threads walk a group twice, neighbours take neighbouring groups",                                                          \
       .programs = {{"softmax/strided.cu", #op "_strided", "ADJ_T={0} ADJ_LOG=" LOG}},                                                                     \
       .guarantee = streamed_guarantee<is_log(LOG)>,                                                                                                       \
       .finish = on_device<Descriptor, plan_strided<Descriptor>>},                                                                                         \
      {.algorithm = "row_f64",                                                                                                                             \
       .summary = "a group of threads reads a row twice, in f64 for every element type",                                                                   \
       .programs = {{"softmax/row_any.cu", #op "_row_f64", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_CLUSTER=0 ADJ_LONG=1 ADJ_ACC_F64=1"}},                           \
       .guarantee = f64_guarantee,                                                                                                                         \
       .accepts = approximates<is_log(LOG)>,                                                                                                               \
       .finish = on_device<Descriptor, plan_row_f64<Descriptor>>},                                                                                         \
      {.algorithm = "strided_f64",                                                                                                                         \
       .summary = "as strided, in f64 for every element type",                                                                                             \
       .programs = {{"softmax/strided.cu", #op "_strided_f64", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_ACC_F64=1"}},                                                \
       .guarantee = f64_guarantee,                                                                                                                         \
       .accepts = approximates<is_log(LOG)>,                                                                                                               \
       .finish = on_device<Descriptor, plan_strided<Descriptor>>},                                                                                         \
      host_row(host_guarantee, on_host<Descriptor, Args, host::op>)

template <class Descriptor>
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.outer = 4;
  d.extent = 8;
  d.element = types[0];
  return true;
}

// How attribute axis becomes outer, extent and inner.
constexpr const char* kFlattened = "Axis divides the shape: outer is the product of the dimensions before it, extent of the others, inner = 1.";
constexpr const char* kOneAxis = "Outer is the product of the dimensions before axis, extent the dimension of axis, inner the product of those after it.";

namespace of_softmax {
using namespace softmax_backward_tables;
constexpr OnnxBinding kOnnx[] = {{"ms", "SoftmaxGrad", describe<Descriptor>, kFlattened}, {"ms", "SoftmaxGrad_13", describe<Descriptor>, kOneAxis}};
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{ADJ_SOFTMAX_VARIANTS(softmax_backward, "0")};
  return *list;
}
}  // namespace of_softmax

namespace log_softmax {
using namespace log_softmax_backward_tables;
constexpr OnnxBinding kOnnx[] = {{"ms", "LogSoftmaxGrad", describe<Descriptor>, kFlattened}, {"ms", "LogSoftmaxGrad_13", describe<Descriptor>, kOneAxis}};
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{ADJ_SOFTMAX_VARIANTS(log_softmax_backward, "1")};
  return *list;
}
}  // namespace log_softmax

}  // namespace

const OpInfo& info_softmax_backward() {
  using namespace of_softmax;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = float_signatures(), .signature_columns = "element", .variants = variants(), .onnx = kOnnx, .signature = element_signature<Descriptor>});
  return info;
}

const OpInfo& info_log_softmax_backward() {
  using namespace log_softmax;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = float_signatures(), .signature_columns = "element", .variants = variants(), .onnx = kOnnx, .signature = element_signature<Descriptor>});
  return info;
}

}  // namespace adj
