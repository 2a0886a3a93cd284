// slice_backward: one pass over the gradient, whose dimensions are merged as far as the slice allows.
#include "host/index.hpp"
#include "ops/common/divide.hpp"
#include "kernels/segment_sum/keys.h"
#include "kernels/index/params.h"
#include "kernels/index/slice.h"
#include "ops/common/shapes.hpp"
#include "ops/index.gen.hpp"

namespace adj {

namespace {

using namespace slice_backward_tables;

// The slice along every axis.
std::array<host::SliceAxis, ADJ_MAX_RANK> slices_of(const Descriptor& d) {
  std::array<host::SliceAxis, ADJ_MAX_RANK> slices;
  for (std::int64_t k = 0; k < d.input_shape.rank; ++k) slices[static_cast<std::size_t>(k)] = {0, 1, d.input_shape.dims[k]};
  for (std::int64_t k = 0; k < d.starts.count; ++k) {
    const std::int64_t named = d.axes.count ? d.axes.at[k] : k, axis = named < 0 ? named + d.input_shape.rank : named;
    slices[static_cast<std::size_t>(axis)] = host::slice_axis(d.input_shape.dims[axis], d.starts.at[k], d.ends.at[k], d.steps.count ? d.steps.at[k] : 1);
  }
  return slices;
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (d.input_shape.rank < 1) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: input_shape.rank = {}, expected 1 to {}", kName, d.input_shape.rank, ADJ_MAX_RANK);
  const std::int64_t count = d.starts.count;
  if (count > d.input_shape.rank) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: starts has {} entries for a tensor of rank {}", kName, count, d.input_shape.rank);
  for (std::int64_t k = 0; k < d.steps.count; ++k)
    if (d.steps.at[k] == 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: steps.at[{}] = 0", kName, k);
  if (auto mask = axes_mask(kName, "axes", d.axes, d.input_shape.rank); !mask) return mask.take_error();
  return {};
}

// Adds the shape of the slice.
void shapes(const void* descriptor, std::span<ArgumentSpec> arguments) {
  stated_shapes(descriptor, arguments);
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto slices = slices_of(d);
  std::array<std::int64_t, ADJ_MAX_RANK> lengths{};
  for (std::size_t k = 0; k < slices.size(); ++k) lengths[k] = slices[k].length;
  arguments[kDout] = tensor_of(d.element, {lengths.data(), static_cast<std::size_t>(d.input_shape.rank)});
}

// A dimension of the gradient with a positive step; `stride` as in SliceBackwardParams.
struct Dimension {
  std::int64_t extent, first, step, length, stride;
  bool whole() const { return first == 0 && step == 1 && length == extent && stride > 0; }
};

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::slice_backward>);
    return {};
  }
  const std::int64_t volume = volume_of(dims_of(d.input_shape)), size = size_of(d.element);
  if (volume == 0) return {};
  const auto slices = slices_of(d);
  std::vector<Dimension> dims;  // the innermost first
  std::int64_t stride = 1, origin = 0;
  for (std::int64_t k = d.input_shape.rank - 1; k >= 0; --k) {
    const host::SliceAxis& s = slices[static_cast<std::size_t>(k)];
    if (s.length == 0) {
      builder.clear_output(kDinput);
      return {};
    }
    Dimension own{d.input_shape.dims[k], s.start, s.step, s.length, stride};
    if (s.length == 1) own.step = 1;
    if (own.step < 0) {
      own.first = s.start + (s.length - 1) * s.step;
      own.step = -s.step;
      own.stride = -stride;
      origin += stride * (s.length - 1);
    }
    stride *= s.length;
    if (own.extent == 1 && !dims.empty()) continue;
    if (!dims.empty() && dims.back().whole() && own.step == 1 && own.stride > 0) {
      const std::int64_t inside = dims.back().extent, vector = dims.back().stride;
      dims.back() = {own.extent * inside, own.first * inside, 1, own.length * inside, vector};
    } else if (dims.size() == 1 && dims[0].extent == 1) {
      dims[0] = own;
    } else {
      dims.push_back(own);
    }
  }
  SliceBackwardParams p{};
  p.row = dims[0].extent;
  p.origin = origin;
  p.first = dims[0].first;
  p.step = dims[0].step;
  p.length = dims[0].length;
  p.by_step = divide_below_2_59(p.step);
  p.stride = dims[0].stride;
  p.rank = static_cast<int>(dims.size()) - 1;
  for (int k = 0; k < p.rank; ++k) {
    const Dimension& own = dims[dims.size() - 1 - static_cast<std::size_t>(k)];
    p.extents[k] = own.extent;
    p.firsts[k] = own.first;
    p.steps[k] = own.step;
    p.lengths[k] = own.length;
    p.strides[k] = own.stride;
    p.by_extents[k] = divide_below_2_59(own.extent);
    p.by_steps[k] = divide_below_2_59(own.step);
  }
  // A stretch is what `lanes` threads cover in kSliceTurns turns. A short row gets fewer lanes than a block has threads.
  const std::int64_t vectors = ceil_div(p.row * size, 16);  // a row that begins inside a vector has one more
  p.lanes = 1;
  while (p.lanes < kIndexBlock && p.lanes < vectors) p.lanes *= 2;
  p.vectors = p.lanes * kSliceTurns;
  p.stretches = ceil_div(vectors, p.vectors);
  p.by_stretches = divide_below_2_59(p.stretches);
  p.items = volume / p.row * p.stretches;
  builder.kernel(kMain, strided_grid(*request.device, ceil_div(p.items, kIndexBlock / p.lanes)), kIndexBlock)
      .params(p)
      .tensor(offsetof(SliceBackwardParams, dout), kDout)
      .tensor(offsetof(SliceBackwardParams, dinput), kDinput);
  return {};
}

template <std::uint32_t bytes>
bool of_width(const Signature& s) {
  return size_of(s[0]) == bytes;
}

// The registration lists the types of the shape, of the data and of the bounds.
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 3) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.input_shape = {2, {4, 8}};
  d.starts = {1, {1}};
  d.ends = {1, {-1}};
  d.element = types[1];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "SliceGrad", describe}};

#define ADJ_SLICE_VARIANT(bytes)                                                            \
  {.algorithm = "one_pass",                                                                 \
   .summary = "each vector of 16 bytes of the gradient is written once",                    \
   .programs = {{"index/slice_backward.cu", "slice_backward" #bytes, "ADJ_BYTES=" #bytes}}, \
   .guarantee = exact_guarantee,                                                            \
   .accepts = of_width<bytes>}

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{ADJ_SLICE_VARIANT(1), ADJ_SLICE_VARIANT(2), ADJ_SLICE_VARIANT(4), ADJ_SLICE_VARIANT(8), host_row(exact_guarantee)};
  return *list;
}

}  // namespace

const OpInfo& info_slice_backward() {
  static const OpInfo info = op_info(base_info(), {.signatures = all_element_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = element_signature<Descriptor>,
                                                   .shapes = shapes,
                                                   .finish = plan});
  return info;
}

}  // namespace adj
