// Planning of quantize.
#include "ops/common/random.hpp"
#include "ops/fp8/fp8.hpp"
#include "ops/fp8.gen.hpp"

namespace adj {

namespace {

using namespace quantize_tables;

enum QuantizeProgram : int { kPieces, kGroups, kRows, kKnownTiles, kGroupTiles, kBlockTiles, kLargest };

bool is_computed(const Descriptor& d) { return d.scale_source != ADJ_SCALE_SOURCE_GIVEN && d.scale_source != ADJ_SCALE_SOURCE_AMAX; }

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_max_value(kName, d.max_value, d.code));
  return {};
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return d.stochastic_rounding ? check_offset(kName, static_cast<const Args*>(args)->random) : Result<void>{};
}

Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.code};
}

// Binds the outputs that every program writes beside its codes. Where there are no elements, amax_out stays.
void bind_outputs(PlanBuilder::Kernel& kernel, std::int64_t numel) {
  kernel.tensor(offsetof(QuantizeParams, scale_out), kScaleOut).tensor(offsetof(QuantizeParams, inverse_out), kInverseOut);
  if (numel > 0) kernel.tensor(offsetof(QuantizeParams, amax_out), kAmaxOut);
  kernel.tensor(offsetof(QuantizeParams, error_flag), kErrorFlag);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    if (d.stochastic_rounding) builder.call({.function = check_state<Args>});
    builder.host(host_call<Descriptor, Args, host::quantize>);
    return {};
  }
  const Device& device = *request.device;
  const std::int64_t numel = d.rows * d.columns;
  const bool of_rows = d.granularity == ADJ_SCALE_GRANULARITY_ROW, groups = d.granularity == ADJ_SCALE_GRANULARITY_BLOCK_1X128,
             blocks = d.granularity == ADJ_SCALE_GRANULARITY_BLOCK_128X128, of_tensor = !of_rows && !groups && !blocks;
  const int random = d.stochastic_rounding;
  if (numel == 0 && !of_tensor && !(of_rows && d.rows > 0)) {  // at most padding
    if (has_padding(d.granularity, d.scale_layout, d.rows, d.columns)) builder.clear_output(kScaleOut), builder.clear_output(kInverseOut);
    return {};
  }
  if (has_padding(d.granularity, d.scale_layout, d.rows, d.columns)) builder.clear_output(kScaleOut), builder.clear_output(kInverseOut);
  if (d.has_transposed && (groups || blocks) && has_padding(d.granularity, d.scale_layout, d.columns, d.rows)) builder.clear_output(kInverseTOut);

  QuantizeParams p{};
  p.rows = d.rows;
  p.cols = d.columns;
  p.rule = {largest_of(d.max_value, d.code), static_cast<float>(d.eps), d.rule == ADJ_SCALE_RULE_QUOTIENT, d.pow2};
  p.saturate = d.saturate_infinity;
  p.places = places_of(d.granularity, d.scale_layout, d.rows, d.columns);
  p.places_t = places_of(d.granularity, d.scale_layout, d.columns, d.rows);

  // The scale of the tensor, or of each row, where it must be found first.
  std::uint64_t found = 0;
  if (is_computed(d) && of_tensor) {
    found = builder.book(sizeof(float));
    builder.clear_workspace(found, sizeof(float));
    if (numel > 0) {
      LargestParams q{};
      q.count = numel;
      const std::int64_t of_block = std::int64_t{kFp8Block} * 4 * (16 / size_of(d.element));
      builder.kernel(kLargest, grid_for(device, ceil_div(numel, of_block), 8), kFp8Block)
          .params(q)
          .tensor(offsetof(LargestParams, x), kX)
          .workspace(offsetof(LargestParams, amax), found);
    }
  }
  const bool rows_first = is_computed(d) && of_rows && d.has_transposed;
  if (is_computed(d) && of_rows) {
    const std::int64_t threads = std::clamp<std::int64_t>(ceil_div(ceil_div(d.columns, kFp8Piece), 32) * 32, 32, kFp8Block);
    if (rows_first) found = builder.book(static_cast<std::uint64_t>(d.rows) * sizeof(float));
    auto kernel = builder.kernel(ProgramName(kRows, rows_first ? 0 : random), grid_for(device, d.rows, static_cast<int>(2048 / threads), 4),
                                 static_cast<unsigned>(threads));
    kernel.params(p).tensor(offsetof(QuantizeParams, x), kX);
    bind_outputs(kernel, numel);
    if (rows_first) {
      kernel.workspace(offsetof(QuantizeParams, scales), found);
    } else {
      if (d.has_codes) kernel.tensor(offsetof(QuantizeParams, codes), kCodes);
      if (random) kernel.random(offsetof(QuantizeParams, random), kRandom);
      return {};
    }
  }

  const bool tiles = d.has_transposed || blocks;
  if (of_tensor && !tiles) p.rows = 1, p.cols = numel;
  p.per_row = of_rows;
  const std::int64_t work = tiles ? ceil_div(d.rows, kFp8Group) * ceil_div(d.columns, kFp8Group)
                                  : ceil_div(p.rows * ceil_div(p.cols, kFp8Group) * (kFp8Group / kFp8Piece), kFp8Block * kFp8Together);
  const QuantizeProgram program = blocks ? kBlockTiles : tiles ? (groups ? kGroupTiles : kKnownTiles) : groups ? kGroups : kPieces;
  auto kernel = builder.kernel(ProgramName(program, random), std::max<std::int64_t>(1, strided_grid(device, work)), kFp8Block);
  kernel.params(p).tensor(offsetof(QuantizeParams, x), kX);
  if (!rows_first) bind_outputs(kernel, numel);
  if (d.has_codes) kernel.tensor(offsetof(QuantizeParams, codes), kCodes);
  if (d.has_transposed) kernel.tensor(offsetof(QuantizeParams, codes_t), kCodesT);
  if (d.has_transposed && (groups || blocks)) kernel.tensor(offsetof(QuantizeParams, inverse_t_out), kInverseTOut);
  if (d.scale_source == ADJ_SCALE_SOURCE_GIVEN) kernel.tensor(offsetof(QuantizeParams, scale), kScale);
  else if (d.scale_source == ADJ_SCALE_SOURCE_AMAX) kernel.tensor(offsetof(QuantizeParams, amax), kAmaxIn);
  else if (of_tensor) kernel.workspace(offsetof(QuantizeParams, amax), found);
  else if (of_rows) kernel.workspace(offsetof(QuantizeParams, scale), found);
  if (random) kernel.random(offsetof(QuantizeParams, random), kRandom);
  return {};
}

const std::vector<Variant>& variants() {
#define ADJ_BOTH(name, source, defines)                                                 \
  {source, "quantize", "ADJ_T={0} ADJ_C={1} " defines "ADJ_STOCHASTIC=0", {name, 0}}, { \
    source, "quantize", "ADJ_T={0} ADJ_C={1} " defines "ADJ_STOCHASTIC=1", {name, 1}    \
  }
  static const auto* list = new std::vector<Variant>{{.algorithm = "vector",
                                                      .summary = "pieces of rows, or tiles where there are transposed codes; 16 bytes at a time",
                                                      .min_cc = kFp8Capability,
                                                      .programs = {ADJ_BOTH(kPieces, "fp8/pieces.cu", "ADJ_GROUPS=0 "),
                                                                   ADJ_BOTH(kGroups, "fp8/pieces.cu", "ADJ_GROUPS=1 "),
                                                                   ADJ_BOTH(kRows, "fp8/rows.cu", ""),
                                                                   ADJ_BOTH(kKnownTiles, "fp8/tile.cu", "ADJ_SCALES=0 "),
                                                                   ADJ_BOTH(kGroupTiles, "fp8/tile.cu", "ADJ_SCALES=1 "),
                                                                   ADJ_BOTH(kBlockTiles, "fp8/tile.cu", "ADJ_SCALES=2 "),
                                                                   {"fp8/largest.cu", "largest_magnitude", "ADJ_T={0}", kLargest}},
                                                      .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee)};
#undef ADJ_BOTH
  return *list;
}

}  // namespace

const OpInfo& info_quantize() {
  static const OpInfo info = op_info(base_info(), {.signatures = signatures_of_codes(false),
                                                   .signature_columns = "element, code",
                                                   .variants = variants(),
                                                   .validate = validate,
                                                   .signature = signature,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

}  // namespace adj
