#include "host/index.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/dtype.hpp"
#include "host/keys.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

void count_error(const adj_tensor& error_flag, std::int64_t count) {
  if (error_flag.data) *static_cast<std::int64_t*>(error_flag.data) += count;
}

// Writes a sum to every element of `out`, rounded once. terms(add) calls add(element, value) for every term; `initial`, unless it is null, is
// added last.
template <class T, class Terms>
void scatter(T* out, const T* initial, std::int64_t count, void* workspace, Terms terms) {
  auto* sums = static_cast<Sum*>(workspace);
  std::uninitialized_fill_n(sums, count, Sum{});
  terms([&](std::int64_t at, double value) { sums[at].add(value); });
  for (std::int64_t i = 0; i < count; ++i) {
    if (initial) sums[i].add(to_double(initial[i]));
    out[i] = from_double<T>(sums[i].value());
  }
}

std::uint64_t sums_of(std::int64_t count) { return static_cast<std::uint64_t>(count) * sizeof(Sum); }

}  // namespace

std::uint64_t gather_nd_backward_workspace(const adj_gather_nd_backward_descriptor& d) { return sums_of(volume(d.input_shape)); }

void gather_nd_backward(const adj_gather_nd_backward_descriptor& d, const adj_gather_nd_backward_args& a, void* workspace) {
  const std::int64_t tail = d.batch_dims + d.indices_shape.dims[d.indices_shape.rank - 1];
  const std::int64_t rows = volume(d.input_shape, 0, tail), length = volume(d.input_shape, tail, d.input_shape.rank);
  std::int64_t errors = 0;
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    auto* out = static_cast<T*>(a.dinput.data);
    const auto* dout = static_cast<const T*>(a.dout.data);
    scatter(out, d.write_mode == ADJ_WRITE_ACCUMULATE ? out : nullptr, volume(d.input_shape), workspace, [&](auto add) {
      const auto take = [&](std::int64_t slice, std::int64_t row) {
        errors += row < 0;
        if (row < 0) return;
        for (std::int64_t j = 0; j < length; ++j) add(row * length + j, to_double(dout[slice * length + j]));
      };
      if (d.use_index_plan) return for_each_planned(a.sorted_rows, a.order, rows, volume(d.indices_shape, 0, d.indices_shape.rank - 1), take);
      with_index(d.index, [&](auto* index_type) {
        for_each_slice(d.input_shape, d.indices_shape, d.batch_dims, static_cast<decltype(index_type)>(a.indices.data), take);
      });
    });
  });
  count_error(a.error_flag, errors);
}

std::uint64_t gather_elements_backward_workspace(const adj_gather_elements_backward_descriptor& d) { return sums_of(volume(d.input_shape)); }

void gather_elements_backward(const adj_gather_elements_backward_descriptor& d, const adj_gather_elements_backward_args& a, void* workspace) {
  std::int64_t errors = 0;
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    auto* out = static_cast<T*>(a.dinput.data);
    const auto* dout = static_cast<const T*>(a.dout.data);
    scatter(out, d.write_mode == ADJ_WRITE_ACCUMULATE ? out : nullptr, volume(d.input_shape), workspace, [&](auto add) {
      const auto take = [&](std::int64_t position, std::int64_t element) {
        errors += element < 0;
        if (element >= 0) add(element, to_double(dout[position]));
      };
      if (d.use_index_plan) return for_each_planned(a.sorted_rows, a.order, volume(d.input_shape), volume(d.indices_shape), take);
      with_index(d.index,
                 [&](auto* index_type) { for_each_element(d.input_shape, d.indices_shape, d.axis, static_cast<decltype(index_type)>(a.indices.data), take); });
    });
  });
  count_error(a.error_flag, errors);
}

std::uint64_t index_add_workspace(const adj_index_add_descriptor& d) { return sums_of(volume(d.shape)); }

void index_add(const adj_index_add_descriptor& d, const adj_index_add_args& a, void* workspace) {
  const std::int64_t r = d.shape.rank, axis = d.axis < 0 ? d.axis + r : d.axis, extent = d.shape.dims[axis];
  const std::int64_t outer = volume(d.shape, 0, axis), inner = volume(d.shape, axis + 1, r);
  std::int64_t errors = 0;
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto* source = static_cast<const T*>(a.source.data);
    scatter(static_cast<T*>(a.output.data), static_cast<const T*>(a.input.data), volume(d.shape), workspace, [&](auto add) {
      const auto take = [&](std::int64_t n, std::int64_t row) {
        errors += row < 0;
        if (row < 0 || inner == 0) return;  // outer may have any size then
        for (std::int64_t p = 0; p < outer; ++p)
          for (std::int64_t q = 0; q < inner; ++q) add((p * extent + row) * inner + q, to_double(source[(p * d.num_indices + n) * inner + q]));
      };
      if (d.use_index_plan) return for_each_planned(a.sorted_rows, a.order, extent, d.num_indices, take);
      with_index(d.index, [&](auto* index_type) {
        const auto* indices = static_cast<decltype(index_type)>(a.indices.data);
        for (std::int64_t n = 0; n < d.num_indices; ++n) take(n, wrapped(indices[n], extent));
      });
    });
  });
  count_error(a.error_flag, errors);
}

SliceAxis slice_axis(std::int64_t n, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (start < 0) start += n;  // cannot overflow: n is not negative
  if (end < 0) end += n;
  SliceAxis s;
  s.step = step;
  if (step > 0) {
    s.start = std::clamp<std::int64_t>(start, 0, n);
    end = std::clamp<std::int64_t>(end, 0, n);
    s.length = end > s.start ? (end - s.start - 1) / step + 1 : 0;
  } else {
    // max: an axis without elements has no last element to begin with.
    s.start = std::clamp<std::int64_t>(start, 0, std::max<std::int64_t>(n - 1, 0));
    end = std::clamp<std::int64_t>(end, -1, n - 1);
    s.length =
        n > 0 && s.start > end ? static_cast<std::int64_t>(static_cast<std::uint64_t>(s.start - end - 1) / (0 - static_cast<std::uint64_t>(step))) + 1 : 0;
  }
  return s;
}

void slice_backward(const adj_slice_backward_descriptor& d, const adj_slice_backward_args& a, void*) {
  const std::int64_t r = d.input_shape.rank;
  std::array<SliceAxis, ADJ_MAX_RANK> slice;
  for (std::int64_t k = 0; k < r; ++k) slice[static_cast<std::size_t>(k)] = {0, 1, d.input_shape.dims[k]};
  for (std::int64_t k = 0; k < d.starts.count; ++k) {
    std::int64_t axis = d.axes.count ? d.axes.at[k] : k;
    if (axis < 0) axis += r;
    slice[static_cast<std::size_t>(axis)] = slice_axis(d.input_shape.dims[axis], d.starts.at[k], d.ends.at[k], d.steps.count ? d.steps.at[k] : 1);
  }
  const std::size_t size = size_of(d.element);
  const std::size_t bytes = static_cast<std::size_t>(volume(d.input_shape)) * size;
  if (bytes == 0) return;
  auto* out = static_cast<char*>(a.dinput.data);
  std::memset(out, 0, bytes);
  std::int64_t count = 1;
  for (std::int64_t k = 0; k < r; ++k) count *= slice[static_cast<std::size_t>(k)].length;
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t left = n, at = 0, pitch = 1;
    for (std::int64_t k = r - 1; k >= 0; --k) {
      const SliceAxis& s = slice[static_cast<std::size_t>(k)];
      at += (s.start + left % s.length * s.step) * pitch;
      left /= s.length;
      pitch *= d.input_shape.dims[k];
    }
    std::memcpy(out + static_cast<std::size_t>(at) * size, static_cast<const char*>(a.dout.data) + static_cast<std::size_t>(n) * size, size);
  }
}

void pad_and_unflatten(const adj_pad_and_unflatten_descriptor& d, const adj_pad_and_unflatten_args& a, void*) {
  const std::size_t row = static_cast<std::size_t>(d.inner) * size_of(d.element);
  const std::int64_t rows = d.batch * d.length;
  if (row && rows) std::memset(a.output.data, 0, static_cast<std::size_t>(rows) * row);
  std::int64_t errors = 0;
  with_index(d.index, [&](auto* type) {
    const auto* indices = static_cast<decltype(type)>(a.indices.data);
    for (std::int64_t i = 0; i < d.num_indices; ++i) {
      const std::int64_t at = indices[i];
      if (at < 0 || at >= rows) ++errors;
      else if (row)
        std::memcpy(static_cast<char*>(a.output.data) + static_cast<std::size_t>(at) * row,
                    static_cast<const char*>(a.input.data) + static_cast<std::size_t>(i) * row, row);
    }
  });
  count_error(a.error_flag, errors);
}

void flatten_and_unpad(const adj_flatten_and_unpad_descriptor& d, const adj_flatten_and_unpad_args& a, void*) {
  const std::size_t row = static_cast<std::size_t>(d.inner) * size_of(d.element);
  const std::int64_t rows = d.batch * d.length;
  std::int64_t errors = 0;
  with_index(d.index, [&](auto* type) {
    const auto* indices = static_cast<decltype(type)>(a.indices.data);
    for (std::int64_t i = 0; i < d.num_indices; ++i) {
      const std::int64_t at = indices[i];
      const bool inside = at >= 0 && at < rows;
      errors += !inside;
      if (row == 0) continue;
      char* out = static_cast<char*>(a.output.data) + static_cast<std::size_t>(i) * row;
      if (inside) std::memcpy(out, static_cast<const char*>(a.input.data) + static_cast<std::size_t>(at) * row, row);
      else std::memset(out, 0, row);
    }
  });
  count_error(a.error_flag, errors);
}

}  // namespace adj::host
