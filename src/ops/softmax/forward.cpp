// Planning of softmax and log-softmax in the forward direction.
#include "host/softmax.hpp"
#include "ops/softmax/softmax.hpp"
#include "ops/softmax.gen.hpp"

namespace adj {

namespace {

using namespace adj::softmax;
using P = SoftmaxForwardParams;
// Both operators have these arguments at the same places.
using softmax_forward_tables::kInput, softmax_forward_tables::kOut;
static_assert(log_softmax_forward_tables::kInput == int{kInput} && log_softmax_forward_tables::kOut == int{kOut});

// f64: the only program takes rows of any length and computes in f64.
template <class Descriptor, bool f64>
Result<void> plan_row(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  ADJ_TRY(check_row(d));
  const RowGeometry g = row_geometry(d.extent, d.element);
  P p = params_of<P>(d);
  p.group = g.group;
  p.resident = g.resident;
  const bool whole = g.whole && !f64;
  auto kernel = builder.kernel({kMain, whole ? kWholeRows : kAnyRows}, g.grid(device, d.outer), g.block);
  if (whole) kernel.when_unaligned({kMain, kAnyRows}, {kInput, kOut});
  kernel.params(p).tensor(offsetof(P, in), kInput).tensor(offsetof(P, out), kOut);
  return {};
}
// Program of rows that lanes hold in registers; its form is the number of elements of a lane.
enum StagedProgram : int { kStaged };
constexpr int kShort = kStagedOfLane, kLong = 2 * kShort;
// Rows of several whole units are left to forward.cu, which holds them in registers without shared memory. kernels/softmax/README.md has times of others.
template <class Descriptor>
Result<void> plan_row_staged(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  constexpr std::int64_t kBytes = 2560;
  ADJ_TRY(check_row(d));
  if (in_whole_units(d) && d.extent * size_of(d.element) > kWords)
    return fail(ADJ_ERROR_UNSUPPORTED, "takes rows of one unit of {} bytes, or not in whole units, extent = {}", kWords, d.extent);
  const Result<Staged> staged = staged_rows(d, device, 1, kBytes, 0);
  if (!staged) return staged.error();
  P p = params_of<P>(d);
  p.group = staged->group;
  p.rows = staged->rows;
  auto kernel = builder.kernel({kStaged, d.extent > staged->group * kShort ? kLong : kShort}, staged->blocks, kStagedBlock);
  kernel.params(p).tensor(offsetof(P, in), kInput).tensor(offsetof(P, out), kOut).shared(staged->shared);
  return {};
}
template <class Descriptor>
Result<void> plan_strided(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  constexpr int kBlock = 256, kSideBySide = 32;
  constexpr std::int64_t kLong = 64;  // from here on eight threads share a group
  P p = params_of<P>(d);
  p.group = d.extent >= kLong ? kSideBySide : kBlock;
  auto kernel = builder.kernel(kMain, strided_grid(device, ceil_div(d.outer * d.inner, p.group)), kBlock);
  kernel.params(p).tensor(offsetof(P, in), kInput).tensor(offsetof(P, out), kOut);
  return {};
}

// The bound multiplies these magnitudes: out * (1 + |x - m| + q) for softmax, |x - m| + log(sum of e) + q for log-softmax. m is the largest
// of the group, e(x) = exp(x - m), and q the mean of 1 + |x - m| weighted by e.
template <bool log>
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, log ? 0.51 : 2, 1e-14);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_FAST, ADJ_F32, log || is_16bit_float(s[0]) ? 0.51 : 2, 0x1p-20, log ? 0 : 0x1p-125);
}
adj_guarantee f64_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-14); }
bool is_narrow(const Signature& s) { return s[0] != ADJ_F64; }
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 1, 1e-14); }

#define ADJ_SOFTMAX_FORWARD(op, LOG)                                                                                                 \
  {.algorithm = "row_staged",                                                                                                        \
   .summary = "a warp takes some short unaligned rows through shared memory",                                                        \
   .programs = {{"softmax/forward_staged.cu", #op "_staged16", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_HELD=16", {kStaged, kShort}},          \
                {"softmax/forward_staged.cu", #op "_staged32", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_HELD=32", {kStaged, kLong}}},          \
   .guarantee = guarantee < LOG[0] == '1' >,                                                                                         \
   .finish = on_device<Descriptor, plan_row_staged<Descriptor>>},                                                                    \
      {.algorithm = "row",                                                                                                           \
       .summary = "a group of threads has a row, in registers where it fits, else it is read twice",                                 \
       .programs = {{"softmax/forward.cu", #op, "ADJ_T={0} ADJ_LOG=" LOG " ADJ_ALIGNED=1", {kMain, kWholeRows}},                     \
                    {"softmax/forward.cu", #op, "ADJ_T={0} ADJ_LOG=" LOG " ADJ_ALIGNED=0", {kMain, kAnyRows}}},                      \
       .guarantee = guarantee < LOG[0] == '1' >,                                                                                     \
       .finish = on_device<Descriptor, plan_row<Descriptor, false>>},                                                                \
      {.algorithm = "strided",                                                                                                       \
       .summary = "one to eight threads walk a group twice, neighbours take neighbouring groups",                                    \
       .programs = {{"softmax/forward_strided.cu", #op "_strided", "ADJ_T={0} ADJ_LOG=" LOG}},                                       \
       .guarantee = guarantee < LOG[0] == '1' >,                                                                                     \
       .finish = on_device<Descriptor, plan_strided<Descriptor>>},                                                                   \
      {.algorithm = "row_f64",                                                                                                       \
       .summary = "as row, in f64 for every element type",                                                                           \
       .programs = {{"softmax/forward.cu", #op "_f64", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_ALIGNED=0 ADJ_ACC_F64=1", {kMain, kAnyRows}}}, \
       .guarantee = f64_guarantee,                                                                                                   \
       .accepts = is_narrow,                                                                                                         \
       .finish = on_device<Descriptor, plan_row<Descriptor, true>>},                                                                 \
      {.algorithm = "strided_f64",                                                                                                   \
       .summary = "as strided, in f64 for every element type",                                                                       \
       .programs = {{"softmax/forward_strided.cu", #op "_strided_f64", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_ACC_F64=1"}},                  \
       .guarantee = f64_guarantee,                                                                                                   \
       .accepts = is_narrow,                                                                                                         \
       .finish = on_device<Descriptor, plan_strided<Descriptor>>},                                                                   \
      host_row(host_guarantee, on_host<Descriptor, Args, host::op>)

namespace of_softmax {
using namespace softmax_forward_tables;
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{ADJ_SOFTMAX_FORWARD(softmax_forward, "0")};
  return *list;
}
}  // namespace of_softmax

namespace log_softmax {
using namespace log_softmax_forward_tables;
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{ADJ_SOFTMAX_FORWARD(log_softmax_forward, "1")};
  return *list;
}
}  // namespace log_softmax

}  // namespace

const OpInfo& info_softmax_forward() {
  using namespace of_softmax;
  static const OpInfo info = op_info(
      base_info(), {.signatures = float_signatures(), .signature_columns = "element", .variants = variants(), .signature = element_signature<Descriptor>});
  return info;
}

const OpInfo& info_log_softmax_forward() {
  using namespace log_softmax;
  static const OpInfo info = op_info(
      base_info(), {.signatures = float_signatures(), .signature_columns = "element", .variants = variants(), .signature = element_signature<Descriptor>});
  return info;
}

}  // namespace adj
