#include "host/embedding_bag.hpp"

#include <algorithm>
#include <cmath>

#include "base/dtype.hpp"
#include "host/embedding.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

constexpr std::int64_t kNone = -1;

// Indices of one call with their bags, for the index type I. Counts invalid indices and offsets.
template <class Descriptor, class Args, class I>
class Bags {
 public:
  Bags(const Descriptor& d, const Args& a)
      : d_(d), indices_(static_cast<const I*>(a.indices.data)), offsets_(static_cast<const I*>(a.offsets.data)), padding_(padding_row(d)) {}

  // Positions of a bag: none when its bounds are invalid.
  struct Range {
    std::int64_t begin, end;
  };
  Range range(std::int64_t bag) {
    if (!d_.has_offsets) {
      const std::int64_t length = d_.num_indices / d_.num_bags;
      return {bag * length, (bag + 1) * length};
    }
    const std::int64_t begin = offsets_[bag];
    const std::int64_t end = bag + 1 < d_.num_bags || d_.include_last_offset ? offsets_[bag + 1] : d_.num_indices;
    if (begin >= 0 && begin <= end && end <= d_.num_indices && (bag > 0 || begin == 0)) return {begin, end};
    ++errors_;
    return {0, 0};
  }
  // Row of a position, or kNone for padding and invalid indices.
  std::int64_t row(std::int64_t position) {
    const std::int64_t row = indices_[position];
    if (row >= 0 && row < d_.num_embeddings) return row == padding_ ? kNone : row;
    ++errors_;
    return kNone;
  }
  std::int64_t errors() const { return errors_; }
  // Bags to look at: all, unless no bag can have positions or invalid bounds.
  std::int64_t count() const { return d_.has_offsets || d_.num_indices > 0 ? d_.num_bags : 0; }

 private:
  const Descriptor& d_;
  const I* indices_;
  const I* offsets_;
  std::int64_t padding_;
  std::int64_t errors_ = 0;
};

template <class T> bool exceeds(T value, T best) {
  const double v = to_double(value), b = to_double(best);
  return !std::isnan(b) && (std::isnan(v) || v > b);
}

}  // namespace

// Workspace: the sums of one bag.
std::uint64_t embedding_bag_forward_workspace(const adj_embedding_bag_forward_descriptor& d) {
  return static_cast<std::uint64_t>(d.embedding_dim) * sizeof(Sum);
}

void embedding_bag_forward(const adj_embedding_bag_forward_descriptor& d, const adj_embedding_bag_forward_args& a, void* workspace) {
  auto* sum = static_cast<Sum*>(workspace);
  with_index(d.index, [&](auto* index_type) {
    using I = std::remove_pointer_t<decltype(index_type)>;
    Bags<adj_embedding_bag_forward_descriptor, adj_embedding_bag_forward_args, I> bags(d, a);
    with_float(d.element, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      const auto* weight = static_cast<const T*>(a.weight.data);
      const auto* sample_weights = static_cast<const T*>(a.per_sample_weights.data);
      auto* max_positions = static_cast<std::int32_t*>(a.max_positions.data);
      const std::int64_t number = d.embedding_dim > 0 ? d.num_bags : bags.count();
      for (std::int64_t bag = 0; bag < number; ++bag) {
        const auto range = bags.range(bag);
        const std::int64_t first = bag * d.embedding_dim;
        T* out = static_cast<T*>(a.out.data) + first;
        std::fill_n(sum, d.embedding_dim, Sum());
        std::fill_n(out, d.embedding_dim, T{});
        if (max_positions) std::fill_n(max_positions + first, d.embedding_dim, -1);
        std::int64_t count = 0;
        for (std::int64_t n = range.begin; n < range.end; ++n) {
          const std::int64_t row = bags.row(n);
          if (row == kNone) continue;
          const T* values = weight + row * d.embedding_dim;
          const double factor = sample_weights ? to_double(sample_weights[n]) : 1.0;
          for (std::int64_t c = 0; c < d.embedding_dim; ++c) {
            sum[c].add(factor * to_double(values[c]));
            if (d.mode != ADJ_BAG_MAX || (count > 0 && !exceeds(values[c], out[c]))) continue;
            out[c] = values[c];
            if (max_positions) max_positions[first + c] = static_cast<std::int32_t>(n);
          }
          ++count;
        }
        if (d.mode == ADJ_BAG_MAX || count == 0) continue;
        const double divisor = d.mode == ADJ_BAG_SUM ? 1.0 : static_cast<double>(count);
        for (std::int64_t c = 0; c < d.embedding_dim; ++c) out[c] = from_double<T>(sum[c].value() / divisor);
      }
    });
    report(a.error_flag, bags.errors());
  });
}

// Workspace: the bag of every position, the number of entries of every bag, and the entries of every row as a linked list in the order
// of positions: first[row], then next[i]; kNone ends it. Entry i is position i, or order[i] of an index plan, which may be in no bag.
std::uint64_t embedding_bag_backward_workspace(const adj_embedding_bag_backward_descriptor& d) {
  return static_cast<std::uint64_t>(2 * d.num_indices + d.num_bags + d.num_embeddings) * sizeof(std::int64_t);
}

void embedding_bag_backward(const adj_embedding_bag_backward_descriptor& d, const adj_embedding_bag_backward_args& a, void* workspace) {
  auto* bag_of = static_cast<std::int64_t*>(workspace);
  std::int64_t* entries = bag_of + d.num_indices;
  std::int64_t* first = entries + d.num_bags;
  std::int64_t* next = first + d.num_embeddings;
  std::fill(bag_of, next, kNone);
  const auto* sorted_rows = static_cast<const std::int32_t*>(a.sorted_rows.data);
  const auto* order = d.use_index_plan ? static_cast<const std::int32_t*>(a.order.data) : nullptr;
  const auto position = [&](std::int64_t i) { return order ? std::int64_t{order[i]} : i; };
  with_index(d.index, [&](auto* type) {
    using I = std::remove_pointer_t<decltype(type)>;
    using B = Bags<adj_embedding_bag_backward_descriptor, adj_embedding_bag_backward_args, I>;
    B bags(d, a), counted(d, a);  // errors of `counted` are not reported: `bags` meets the same indices
    for (std::int64_t bag = 0; bag < d.num_bags; ++bag) {
      const auto range = bags.range(bag);
      entries[bag] = 0;
      for (std::int64_t n = range.begin; n < range.end; ++n) {
        bag_of[n] = bag;
        if (!order) entries[bag] += counted.row(n) != kNone;
      }
    }
    for (std::int64_t i = d.num_indices - 1; i >= 0; --i) {
      const std::int64_t n = position(i);
      if (n < 0 || n >= d.num_indices || (!order && bag_of[n] == kNone)) continue;
      const std::int64_t row = order ? sorted_rows[i] : bags.row(n);
      if (row < 0 || row >= d.num_embeddings) continue;
      if (order && bag_of[n] != kNone) ++entries[bag_of[n]];
      next[i] = first[row];
      first[row] = i;
    }
    report(a.error_flag, bags.errors());
  });

  const bool accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto* dout = static_cast<const T*>(a.dout.data);
    const auto* sample_weights = static_cast<const T*>(a.per_sample_weights.data);
    const auto* max_positions = static_cast<const std::int32_t*>(a.max_positions.data);
    auto* dweight = static_cast<T*>(a.dweight.data);
    for (std::int64_t row = 0; row < d.num_embeddings; ++row) {
      if (first[row] == kNone && accumulate) continue;
      std::int64_t frequency = 0;
      for (std::int64_t i = first[row]; i != kNone; i = next[i]) ++frequency;
      for (std::int64_t c = 0; c < d.embedding_dim; ++c) {
        Sum terms;
        for (std::int64_t i = first[row]; i != kNone; i = next[i]) {
          const std::int64_t n = position(i);
          if (bag_of[n] == kNone) continue;
          const std::int64_t at = bag_of[n] * d.embedding_dim + c;
          const double value = to_double(dout[at]);
          if (d.mode == ADJ_BAG_SUM) terms.add(sample_weights ? to_double(sample_weights[n]) * value : value);
          else if (d.mode != ADJ_BAG_MAX) terms.add(value / static_cast<double>(entries[bag_of[n]]));
          else if (max_positions[at] == n) terms.add(value);
        }
        double sum = terms.value();
        if (d.scale_grad_by_freq && frequency > 0) sum /= static_cast<double>(frequency);
        T& out = dweight[row * d.embedding_dim + c];
        out = from_double<T>(accumulate ? sum + to_double(out) : sum);
      }
    }
  });
}

// Workspace: the bag of every position.
std::uint64_t embedding_bag_per_sample_weights_backward_workspace(const adj_embedding_bag_per_sample_weights_backward_descriptor& d) {
  return static_cast<std::uint64_t>(d.num_indices) * sizeof(std::int64_t);
}

void embedding_bag_per_sample_weights_backward(const adj_embedding_bag_per_sample_weights_backward_descriptor& d,
                                               const adj_embedding_bag_per_sample_weights_backward_args& a, void* workspace) {
  auto* bag_of = static_cast<std::int64_t*>(workspace);
  std::fill_n(bag_of, d.num_indices, kNone);
  using Descriptor = adj_embedding_bag_per_sample_weights_backward_descriptor;
  using Args = adj_embedding_bag_per_sample_weights_backward_args;
  with_index(d.index, [&](auto* index_type) {
    using I = std::remove_pointer_t<decltype(index_type)>;
    Bags<Descriptor, Args, I> bags(d, a);
    with_float(d.element, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      const auto* dout = static_cast<const T*>(a.dout.data);
      const auto* weight = static_cast<const T*>(a.weight.data);
      auto* result = static_cast<T*>(a.dper_sample_weights.data);
      for (std::int64_t bag = 0; bag < bags.count(); ++bag) {
        const auto range = bags.range(bag);
        std::fill(bag_of + range.begin, bag_of + range.end, bag);
      }
      for (std::int64_t n = 0; n < d.num_indices; ++n) {
        const std::int64_t bag = bag_of[n];
        const std::int64_t row = bag == kNone ? kNone : bags.row(n);
        Sum sum;
        if (row != kNone)
          for (std::int64_t c = 0; c < d.embedding_dim; ++c) sum.add(to_double(dout[bag * d.embedding_dim + c]) * to_double(weight[row * d.embedding_dim + c]));
        result[n] = from_double<T>(sum.value());
      }
    });
    report(a.error_flag, bags.errors());
  });
}

}  // namespace adj::host
