// Host functions of the embedding family (host/embedding.hpp).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // vectorises the sums over columns
#endif

#include "host/embedding.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/dtype.hpp"
#include "host/keys.hpp"
#include "host/parallel.hpp"
#include "host/sum.hpp"

namespace adj::host {

void embedding_forward(const adj_embedding_forward_descriptor& d, const adj_embedding_forward_args& a, void*) {
  const std::size_t row_bytes = static_cast<std::size_t>(d.embedding_dim) * size_of(d.element);
  const std::int64_t zero_row = d.padding_zeroes_forward ? padding_row(d) : -1;
  std::int64_t out_of_range = 0;
  with_index(d.index, [&](auto* type) {
    const auto* indices = static_cast<decltype(type)>(a.indices.data);
    for (std::int64_t n = 0; n < d.num_indices; ++n) {
      const std::int64_t row = indices[n];
      const bool valid = row >= 0 && row < d.num_embeddings;
      out_of_range += !valid;
      if (row_bytes == 0) continue;
      char* out = static_cast<char*>(a.out.data) + static_cast<std::size_t>(n) * row_bytes;
      if (valid && row != zero_row) std::memcpy(out, static_cast<const char*>(a.weight.data) + static_cast<std::size_t>(row) * row_bytes, row_bytes);
      else std::memset(out, 0, row_bytes);
    }
  });
  report(a.error_flag, out_of_range);
}

namespace {

// Occurrences of every row as a linked list in token order: first[row], then next[i]; -1 ends it. Occurrence i is at position(i).
// Without `listed`, for gradients without elements, there are no lists and only errors are counted.
struct Occurrences {
  std::int64_t* first = nullptr;
  std::int64_t* next = nullptr;
  const std::int32_t* order = nullptr;  // positions of an index plan, null without one
  std::int64_t out_of_range = 0;

  std::int64_t position(std::int64_t i) const { return order ? order[i] : i; }

  static std::uint64_t bytes(std::int64_t rows, std::int64_t indices) { return static_cast<std::uint64_t>(rows + indices) * sizeof(std::int64_t); }
  // row_of(index) is the row that an index names. Indices and sorted occurrences are the caller's memory and may hold anything.
  template <class Descriptor, class Args, class RowOf>
  Occurrences(void* workspace, bool listed, std::int64_t rows, const Descriptor& d, const Args& a, RowOf row_of) {
    if (listed) {
      first = static_cast<std::int64_t*>(workspace);
      next = first + rows;
      std::fill(first, next, -1);
    }
    const auto link = [&](std::int64_t row, std::int64_t i) {
      if (!listed) return;
      next[i] = first[row];
      first[row] = i;
    };
    if (d.use_index_plan) {
      const auto* sorted_rows = static_cast<const std::int32_t*>(a.sorted_rows.data);
      order = static_cast<const std::int32_t*>(a.order.data);
      for (std::int64_t i = d.num_indices - 1; i >= 0; --i)
        if (sorted_rows[i] >= 0 && sorted_rows[i] < rows && order[i] >= 0 && order[i] < d.num_indices) link(sorted_rows[i], i);
      return;
    }
    with_index(d.index, [&](auto* type) {
      const auto* indices = static_cast<decltype(type)>(a.indices.data);
      for (std::int64_t n = d.num_indices - 1; n >= 0; --n) {
        const std::int64_t row = row_of(indices[n]);
        if (row < 0 || row >= rows) ++out_of_range;
        else link(row, n);
      }
    });
  }
};

// True when the gradient has elements.
bool has_elements(const adj_embedding_backward_descriptor& d) { return d.num_embeddings > 0 && d.embedding_dim > 0; }
bool has_elements(const adj_gather_backward_descriptor& d) { return d.outer > 0 && d.extent > 0 && d.inner > 0; }

}  // namespace

std::uint64_t embedding_backward_workspace(const adj_embedding_backward_descriptor& d) {
  return has_elements(d) ? Occurrences::bytes(d.num_embeddings, d.num_indices) : 0;
}

void embedding_backward(const adj_embedding_backward_descriptor& d, const adj_embedding_backward_args& a, void* workspace) {
  const Occurrences of(workspace, has_elements(d), d.num_embeddings, d, a, [](std::int64_t index) { return index; });
  report(a.error_flag, of.out_of_range);
  if (!has_elements(d)) return;
  const std::int64_t padding = padding_row(d);
  const bool accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto* dout = static_cast<const T*>(a.dout.data);
    auto* dweight = static_cast<T*>(a.dweight.data);
    const auto sum_row = [&](std::int64_t row) {
      const bool touched = of.first[row] >= 0 && row != padding;
      if (!touched && accumulate) return;
      std::int64_t frequency = 0;
      for (std::int64_t n = of.first[row]; n >= 0; n = of.next[n]) ++frequency;
      T* out = dweight + row * d.embedding_dim;
      // Columns are summed 32 at a time, a cache line or two of each token; each column in the order of the tokens.
      constexpr std::int64_t kColumns = 32;
      for (std::int64_t begin = 0; begin < d.embedding_dim; begin += kColumns) {
        const std::int64_t count = std::min(kColumns, d.embedding_dim - begin);
        Sums<kColumns> terms;
        if (touched)
          for (std::int64_t i = of.first[row]; i >= 0; i = of.next[i]) {
            const T* from = dout + of.position(i) * d.embedding_dim + begin;
            const auto get = [from](std::size_t k) { return to_double(from[k]); };
            if (count == kColumns) terms.add(kColumns, get);
            else terms.add(static_cast<std::size_t>(count), get);
          }
        for (std::int64_t k = 0; k < count; ++k) {
          double sum = terms.value(static_cast<std::size_t>(k));
          if (d.scale_grad_by_freq && touched) sum /= static_cast<double>(frequency);
          if (accumulate) sum += to_double(out[begin + k]);
          out[begin + k] = from_double<T>(sum);
        }
      }
    };
    constexpr double kNanoseconds = 3;  // rough cost of an element
    const double cost =
        kNanoseconds * static_cast<double>(d.embedding_dim) * static_cast<double>(d.num_indices + d.num_embeddings) / static_cast<double>(d.num_embeddings);
    parallel_for(d.num_embeddings, cost, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) sum_row(row);
    });
  });
}

std::uint64_t gather_backward_workspace(const adj_gather_backward_descriptor& d) { return has_elements(d) ? Occurrences::bytes(d.extent, d.num_indices) : 0; }

void gather_backward(const adj_gather_backward_descriptor& d, const adj_gather_backward_args& a, void* workspace) {
  const Occurrences of(workspace, has_elements(d), d.extent, d, a, [&](std::int64_t index) { return index < 0 ? index + d.extent : index; });
  report(a.error_flag, of.out_of_range);
  if (!has_elements(d)) return;
  const bool accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto* dout = static_cast<const T*>(a.dout.data);
    auto* dinput = static_cast<T*>(a.dinput.data);
    for (std::int64_t o = 0; o < d.outer; ++o)
      for (std::int64_t row = 0; row < d.extent; ++row) {
        if (accumulate && of.first[row] < 0) continue;
        for (std::int64_t i = 0; i < d.inner; ++i) {
          T& out = dinput[(o * d.extent + row) * d.inner + i];
          Sum sum;
          for (std::int64_t n = of.first[row]; n >= 0; n = of.next[n]) sum.add(to_double(dout[(o * d.num_indices + of.position(n)) * d.inner + i]));
          if (accumulate) sum.add(to_double(out));
          out = from_double<T>(sum.value());
        }
      }
  });
}

// Sorts in place, by row and then by position. Until the last sort, sorted_rows has the row of each position, in the order of positions.
void index_plan(const adj_index_plan_descriptor& d, const adj_index_plan_args& a, void*) {
  const std::int64_t rows = d.num_embeddings, padding = padding_row(d);
  auto* row_of = static_cast<std::int32_t*>(a.sorted_rows.data);
  auto* order = static_cast<std::int32_t*>(a.order.data);
  std::int64_t out_of_range = 0;
  const auto take = [&](std::int64_t position, std::int64_t row) {
    const bool inside = row >= 0 && row < rows;
    out_of_range += !inside;
    row_of[position] = static_cast<std::int32_t>(inside && row != padding ? row : rows);
  };
  with_index(d.index, [&](auto* type) {
    const auto* indices = static_cast<decltype(type)>(a.indices.data);
    switch (d.positions) {
      case ADJ_INDEX_POSITIONS_SLICES: return for_each_slice(d.input_shape, d.indices_shape, d.batch_dims, indices, take);
      case ADJ_INDEX_POSITIONS_ELEMENTS: return for_each_element(d.input_shape, d.indices_shape, d.axis, indices, take);
      default:
        for (std::int64_t n = 0; n < d.num_indices; ++n) take(n, d.wrap_negative && indices[n] < 0 ? indices[n] + rows : indices[n]);
    }
  });
  std::iota(order, order + d.num_indices, 0);
  std::sort(order, order + d.num_indices, [&](std::int32_t x, std::int32_t y) { return std::pair(row_of[x], x) < std::pair(row_of[y], y); });
  std::sort(row_of, row_of + d.num_indices);
  report(a.error_flag, out_of_range);
}

}  // namespace adj::host
