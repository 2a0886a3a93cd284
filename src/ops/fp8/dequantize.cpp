// Planning of dequantize.
#include "ops/fp8/fp8.hpp"
#include "ops/fp8.gen.hpp"

namespace adj {

namespace {

using namespace dequantize_tables;

Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.code, d.element};
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.rows == 0 || d.columns == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::dequantize>);
    return {};
  }
  constexpr int kAll = 62, kGroupLog2 = 7;
  static_assert(1 << kGroupLog2 == kFp8Group);
  const bool of_rows = d.granularity == ADJ_SCALE_GRANULARITY_ROW, groups = d.granularity == ADJ_SCALE_GRANULARITY_BLOCK_1X128,
             blocks = d.granularity == ADJ_SCALE_GRANULARITY_BLOCK_128X128, of_tensor = !of_rows && !groups && !blocks;
  DequantizeParams p{};
  p.rows = of_tensor ? 1 : d.rows;
  p.cols = of_tensor ? d.rows * d.columns : d.columns;
  p.rows_log2 = of_tensor ? kAll : blocks ? kGroupLog2 : 0;
  p.columns_log2 = groups || blocks ? kGroupLog2 : kAll;
  p.places = places_of(d.granularity, d.scale_layout, d.rows, d.columns);
  p.accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  builder.kernel(kMain, strided_grid(*request.device, ceil_div(p.rows * ceil_div(p.cols, kFp8Piece), kFp8Block)), kFp8Block)
      .params(p)
      .tensor(offsetof(DequantizeParams, codes), kCodes)
      .tensor(offsetof(DequantizeParams, inverse), kInverse)
      .tensor(offsetof(DequantizeParams, out), kOut);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "vector",
                                                      .summary = "16 codes at a time",
                                                      .min_cc = kFp8Capability,
                                                      .programs = {{"fp8/decode.cu", "dequantize", "ADJ_T={1} ADJ_C={0}"}},
                                                      .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee)};
  return *list;
}

}  // namespace

const OpInfo& info_dequantize() {
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = signatures_of_codes(true), .signature_columns = "code, element", .variants = variants(), .signature = signature, .finish = finish});
  return info;
}

}  // namespace adj
