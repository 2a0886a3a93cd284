#include "kernels/softmax/params.h"
#include "host/softmax.hpp"
#include "ops/common/rows.hpp"
#include "ops/softmax/tables.gen.hpp"

namespace adj {

namespace {

using P = SoftmaxForwardParams;
// Both operators have these arguments in the same slots.
using softmax_forward_tables::kInput, softmax_forward_tables::kOut;
static_assert(log_softmax_forward_tables::kInput == int{kInput} && log_softmax_forward_tables::kOut == int{kOut});

template <class Descriptor>
Result<void> validate(const char* op, const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_extent(op, "outer", d.outer));
  ADJ_TRY(check_extent(op, "extent", d.extent));
  ADJ_TRY(check_extent(op, "inner", d.inner));
  return check_volume(op, "out", {d.outer, d.extent, d.inner});
}
template <class Descriptor>
void shapes(const void* descriptor, std::span<SlotSpec> slots) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  for (SlotSpec& slot : slots) slot = SlotSpec::tensor(d.element, {d.outer, d.extent, d.inner});
}
template <class Descriptor>
P params_of(const Descriptor& d) {
  P p{};
  p.outer = d.outer;
  p.extent = d.extent;
  p.inner = d.inner;
  return p;
}
template <class Descriptor>
bool is_empty(const Descriptor& d) { return d.outer == 0 || d.extent == 0 || d.inner == 0; }

// f64: the only program takes rows of any length and computes in f64.
template <class Descriptor, bool f64>
Result<void> plan_row(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (is_empty(d)) return {};
  if (d.inner != 1) return fail(ADJ_ERROR_UNSUPPORTED, "reads the elements of a group side by side, inner = {}", d.inner);
  const RowGeometry g = row_geometry(d.extent, d.element);
  P p = params_of(d);
  p.group = g.group;
  p.resident = g.resident;
  auto kernel = builder.kernel(g.whole || f64 ? 0 : 1, g.grid(d.outer), g.block);
  if (g.whole && !f64) kernel.when_unaligned(1, {kInput, kOut});
  kernel.params(p).tensor(offsetof(P, in), kInput).tensor(offsetof(P, out), kOut);
  return {};
}
template <class Descriptor>
Result<void> plan_strided(const PlanRequest& request, PlanBuilder& builder) {
  constexpr int kBlock = 256, kSideBySide = 32;
  constexpr std::int64_t kLong = 64;  // from here on eight threads share a group
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (is_empty(d)) return {};
  P p = params_of(d);
  p.group = d.extent >= kLong ? kSideBySide : kBlock;
  auto kernel = builder.kernel(0, std::min(ceil_div(d.outer * d.inner, p.group), kMostBlocks), kBlock);
  kernel.params(p).tensor(offsetof(P, in), kInput).tensor(offsetof(P, out), kOut);
  return {};
}
template <class Descriptor, class Args, void (*host)(const Descriptor&, const Args&, void*)>
Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  if (!is_empty(*static_cast<const Descriptor*>(request.descriptor))) builder.host(host_call<Descriptor, Args, host>);
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

#define ADJ_SOFTMAX_FORWARD(op, LOG)                                                                                                    \
  {.algorithm = "row", .summary = "a group of threads has a row, in registers where it fits, else it is read twice",                    \
   .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,                                                                                        \
   .programs = {{"softmax/forward.cu", #op, "ADJ_T={0} ADJ_LOG=" LOG " ADJ_WHOLE=1"},                                                   \
                {"softmax/forward.cu", #op, "ADJ_T={0} ADJ_LOG=" LOG " ADJ_WHOLE=0"}},                                                  \
   .guarantee = guarantee<LOG[0] == '1'>, .finish = plan_row<Descriptor, false>},                                                       \
  {.algorithm = "strided", .summary = "one to eight threads walk a group twice, neighbours take neighbouring groups",                   \
   .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,                                                                                        \
   .programs = {{"softmax/forward_strided.cu", #op "_strided", "ADJ_T={0} ADJ_LOG=" LOG}},                                              \
   .guarantee = guarantee<LOG[0] == '1'>, .finish = plan_strided<Descriptor>},                                                          \
  {.algorithm = "row_f64", .summary = "as row, in f64 for every element type", .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,            \
   .programs = {{"softmax/forward.cu", #op "_f64", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_WHOLE=0 ADJ_ACC_F64=1"}},                                \
   .guarantee = f64_guarantee, .accepts = is_narrow, .finish = plan_row<Descriptor, true>},                                             \
  {.algorithm = "strided_f64", .summary = "as strided, in f64 for every element type", .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,    \
   .programs = {{"softmax/forward_strided.cu", #op "_strided_f64", "ADJ_T={0} ADJ_LOG=" LOG " ADJ_ACC_F64=1"}},                            \
   .guarantee = f64_guarantee, .accepts = is_narrow, .finish = plan_strided<Descriptor>},                                               \
  {.algorithm = "reference", .summary = "host memory", .backend = ADJ_BACKEND_HOST, .guarantee = host_guarantee,                        \
   .finish = plan_host<Descriptor, Args, host::op>}

template <class Descriptor>
void complete(OpInfo& info) {
  info.signatures = float_signatures();
  info.signature_columns = "element";
  info.signature = element_signature<Descriptor>;
  info.shapes = shapes<Descriptor>;
}

namespace softmax {
using namespace softmax_forward_tables;
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{ADJ_SOFTMAX_FORWARD(softmax_forward, "0")};
  return *list;
}
}  // namespace softmax

namespace log_softmax {
using namespace log_softmax_forward_tables;
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{ADJ_SOFTMAX_FORWARD(log_softmax_forward, "1")};
  return *list;
}
}  // namespace log_softmax

}  // namespace

const OpInfo& info_softmax_forward() {
  using namespace softmax;
  static const OpInfo info = [] {
    OpInfo made = base_info();
    complete<Descriptor>(made);
    made.variants = variants();
    made.validate = [](const void* d) { return validate<Descriptor>(kName, d); };
    return made;
  }();
  return info;
}

const OpInfo& info_log_softmax_forward() {
  using namespace log_softmax;
  static const OpInfo info = [] {
    OpInfo made = base_info();
    complete<Descriptor>(made);
    made.variants = variants();
    made.validate = [](const void* d) { return validate<Descriptor>(kName, d); };
    return made;
  }();
  return info;
}

}  // namespace adj
