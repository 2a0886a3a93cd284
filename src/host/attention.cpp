#include "host/attention.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/dtype.hpp"
#include "host/parallel.hpp"

namespace adj::host {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One sequence: tokens [first, first + length) of what `batch` numbers. `rows` are its queries; tokens behind the last sequence are queries without keys.
struct Sequence {
  std::int64_t batch, first, length, rows;
};
std::vector<Sequence> sequences_of(const AttentionShape& s, const adj_tensor& cu_seqlens) {
  std::vector<Sequence> list;
  if (!s.lengths) {
    for (std::int64_t b = 0; b < s.batch; ++b) list.push_back({b, 0, s.tokens, s.tokens});
    return list;
  }
  const auto* ends = static_cast<const std::int32_t*>(cu_seqlens.data);
  for (std::int64_t b = 0; b < s.batch; ++b) list.push_back({0, ends[b], ends[b + 1] - ends[b], ends[b + 1] - ends[b]});
  list.push_back({0, ends[s.batch], 0, s.tokens - ends[s.batch]});
  return list;
}

// Keys [begin, end) that query i of a sequence of `length` tokens meets.
struct Range {
  std::int64_t begin, end;
};
Range keys_of(const AttentionShape& s, std::int64_t i, std::int64_t length) {
  if (length == 0) return {0, 0};
  return {s.window < 0 ? 0 : std::max<std::int64_t>(0, i - s.window), s.causal ? i + 1 : length};
}

template <class T>
class Tensor {
 public:
  Tensor(const adj_tensor& t, const adj_axes& strides, const AttentionShape& shape, std::int64_t heads)
      : data_(static_cast<T*>(t.data)), strides_(strides, shape, heads) {}
  T* row(const Sequence& q, std::int64_t head, std::int64_t i) const {
    return data_ + q.batch * strides_.batch + (q.first + i) * strides_.token + head * strides_.head;
  }
  // Rows [0, count) of a head of a sequence, one after another.
  std::vector<double> wide(const Sequence& q, std::int64_t head, std::int64_t count, std::int64_t dim) const {
    std::vector<double> values(static_cast<std::size_t>(count * dim));
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t c = 0; c < dim; ++c) values[static_cast<std::size_t>(i * dim + c)] = to_double(row(q, head, i)[c]);
    return values;
  }
  void write(const Sequence& q, std::int64_t head, std::int64_t i, const double* values, std::int64_t dim) const {
    for (std::int64_t c = 0; c < dim; ++c) row(q, head, i)[c] = from_double<T>(values[c]);
  }

 private:
  T* data_;
  AttentionStrides strides_;
};

// Place of lse of the first query of a head of a sequence.
std::int64_t lse_at(const AttentionShape& s, const Sequence& q, std::int64_t head) { return (q.batch * s.heads + head) * s.tokens + q.first; }

double dot(const double* a, const double* b, std::int64_t dim) {
  double sum = 0;
  for (std::int64_t c = 0; c < dim; ++c) sum += a[c] * b[c];
  return sum;
}
// to[j] = dot(a, row j) for `count` rows, eight at a time: a sum waits for its own additions alone, and has the bits of dot.
void dots(double* to, const double* a, const double* rows, std::int64_t count, std::int64_t dim) {
  constexpr std::int64_t kRows = 8;
  std::int64_t j = 0;
  for (; j + kRows <= count; j += kRows) {
    std::array<double, kRows> sums{};
    const double* const first = rows + j * dim;
    for (std::int64_t c = 0; c < dim; ++c)
#pragma GCC unroll 8
      for (std::size_t k = 0; k < kRows; ++k) sums[k] += a[c] * first[static_cast<std::int64_t>(k) * dim + c];
    std::copy(sums.begin(), sums.end(), to + j);
  }
  for (; j < count; ++j) to[j] = dot(a, rows + j * dim, dim);
}
void add_scaled(double* __restrict to, double factor, const double* __restrict row, std::int64_t dim) {
  constexpr std::int64_t kColumns = 8;  // in wide registers
  std::int64_t c = 0;
  for (; c + kColumns <= dim; c += kColumns)
    for (std::int64_t k = 0; k < kColumns; ++k) to[c + k] += factor * row[c + k];
  for (; c < dim; ++c) to[c] += factor * row[c];
}

// Calls body(sequence, head) for each of `heads` heads of each sequence, on several threads.
template <class Body>
void for_each_head(const AttentionShape& s, const std::vector<Sequence>& sequences, std::int64_t heads, double products, const Body& body) {
  const double tokens = static_cast<double>(s.rows()) / static_cast<double>(sequences.size());
  const double cost = tokens * tokens * static_cast<double>(s.dim * s.heads / heads) * products / (s.causal ? 2 : 1);
  parallel_for(static_cast<std::int64_t>(sequences.size()) * heads, cost, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) body(sequences[static_cast<std::size_t>(at / heads)], at % heads);
  });
}

template <class T, class L>
void forward(const adj_attention_forward_descriptor& d, const adj_attention_forward_args& a) {
  const AttentionShape s(d);
  const Tensor<const T> q(a.q, d.q_strides, s, s.heads), k(a.k, d.k_strides, s, s.kv_heads), v(a.v, d.v_strides, s, s.kv_heads);
  const Tensor<T> out(a.out, d.out_strides, s, s.heads);
  for_each_head(s, sequences_of(s, a.cu_seqlens), s.heads, 2, [&](const Sequence& seq, std::int64_t head) {
    const std::vector<double> queries = q.wide(seq, head, seq.rows, s.dim), keys = k.wide(seq, head / s.group(), seq.length, s.dim),
                              values = v.wide(seq, head / s.group(), seq.length, s.dim);
    std::vector<double> scores(static_cast<std::size_t>(seq.length)), sum(static_cast<std::size_t>(s.dim));
    L* const lse = static_cast<L*>(a.lse.data) + lse_at(s, seq, head);
    for (std::int64_t i = 0; i < seq.rows; ++i) {
      const auto [begin, end] = keys_of(s, i, seq.length);
      double top = -kInfinity, total = 0;
      dots(scores.data() + begin, queries.data() + i * s.dim, keys.data() + begin * s.dim, end - begin, s.dim);
      for (std::int64_t j = begin; j < end; ++j) {
        double& score = scores[static_cast<std::size_t>(j)];
        score *= s.scale;
        top = std::max(top, score);
      }
      std::fill(sum.begin(), sum.end(), 0.0);
      for (std::int64_t j = begin; j < end; ++j) {
        const double score = scores[static_cast<std::size_t>(j)], weight = score == -kInfinity ? 0 : std::exp(score - top);
        total += weight;
        add_scaled(sum.data(), weight, &values[static_cast<std::size_t>(j * s.dim)], s.dim);
      }
      for (double& x : sum) x = begin < end ? x / total : 0;
      out.write(seq, head, i, sum.data(), s.dim);
      lse[i] = static_cast<L>(top + std::log(total));
    }
  });
}

template <class T, class L>
void backward(const adj_attention_backward_descriptor& d, const adj_attention_backward_args& a) {
  const AttentionShape s(d);
  const Tensor<const T> q(a.q, d.q_strides, s, s.heads), k(a.k, d.k_strides, s, s.kv_heads), v(a.v, d.v_strides, s, s.kv_heads);
  const Tensor<const T> out(a.out, d.out_strides, s, s.heads), dout(a.dout, d.dout_strides, s, s.heads);
  const Tensor<T> dq(a.dq, d.dq_strides, s, s.heads), dk(a.dk, d.dk_strides, s, s.kv_heads), dv(a.dv, d.dv_strides, s, s.kv_heads);
  for_each_head(s, sequences_of(s, a.cu_seqlens), s.kv_heads, 5, [&](const Sequence& seq, std::int64_t kv_head) {
    const std::vector<double> keys = k.wide(seq, kv_head, seq.length, s.dim), values = v.wide(seq, kv_head, seq.length, s.dim);
    const auto size = static_cast<std::size_t>(seq.rows * s.dim);
    std::vector<double> of_keys(size), of_values(size), of_query(static_cast<std::size_t>(s.dim));
    std::vector<double> scores(static_cast<std::size_t>(seq.length)), of_weights(scores.size());
    for (std::int64_t head = kv_head * s.group(); head < (kv_head + 1) * s.group(); ++head) {
      const std::vector<double> queries = q.wide(seq, head, seq.rows, s.dim), results = out.wide(seq, head, seq.rows, s.dim),
                                gradients = dout.wide(seq, head, seq.rows, s.dim);
      const L* const lse = static_cast<const L*>(a.lse.data) + lse_at(s, seq, head);
      for (std::int64_t i = 0; i < seq.rows; ++i) {
        const auto [begin, end] = keys_of(s, i, seq.length);
        const double *const query = &queries[static_cast<std::size_t>(i * s.dim)], *const gradient = &gradients[static_cast<std::size_t>(i * s.dim)];
        const double delta = dot(gradient, &results[static_cast<std::size_t>(i * s.dim)], s.dim);
        std::fill(of_query.begin(), of_query.end(), 0.0);
        dots(scores.data() + begin, query, keys.data() + begin * s.dim, end - begin, s.dim);
        dots(of_weights.data() + begin, gradient, values.data() + begin * s.dim, end - begin, s.dim);
        for (std::int64_t j = begin; j < end; ++j) {
          const auto at = static_cast<std::size_t>(j * s.dim);
          const double weight = std::exp(s.scale * scores[static_cast<std::size_t>(j)] - lse[i]);
          const double of_score = s.scale * weight * (of_weights[static_cast<std::size_t>(j)] - delta);
          add_scaled(of_query.data(), of_score, &keys[at], s.dim);
          add_scaled(&of_keys[at], of_score, query, s.dim);
          add_scaled(&of_values[at], weight, gradient, s.dim);
        }
        dq.write(seq, head, i, of_query.data(), s.dim);
      }
    }
    for (std::int64_t j = 0; j < seq.rows; ++j) {
      dk.write(seq, kv_head, j, &of_keys[static_cast<std::size_t>(j * s.dim)], s.dim);
      dv.write(seq, kv_head, j, &of_values[static_cast<std::size_t>(j * s.dim)], s.dim);
    }
  });
}

// Calls fn with null pointers to the element type and to the type of lse.
template <class Fn>
void with_types(adj_dtype element, Fn fn) {
  with_float(element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    fn(type, static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>*>(nullptr));
  });
}

}  // namespace

double AttentionShape::scale_of(double scale, std::int64_t dim) { return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(dim)); }

Result<void> check_lengths(const char* op, const AttentionShape& shape, const std::int32_t* cu_seqlens) {
  if (cu_seqlens[0] != 0) return fail(ADJ_ERROR_INVALID_VALUE, "{}: cu_seqlens[0] = {}, expected 0", op, cu_seqlens[0]);
  for (std::int64_t b = 0; b < shape.batch; ++b)
    if (cu_seqlens[b + 1] < cu_seqlens[b])
      return fail(ADJ_ERROR_INVALID_VALUE, "{}: cu_seqlens[{}] = {} is below cu_seqlens[{}] = {}", op, b + 1, cu_seqlens[b + 1], b, cu_seqlens[b]);
  if (cu_seqlens[shape.batch] > shape.tokens)
    return fail(ADJ_ERROR_INVALID_VALUE, "{}: cu_seqlens[{}] = {} is above tokens = {}", op, shape.batch, cu_seqlens[shape.batch], shape.tokens);
  return {};
}

void attention_forward(const adj_attention_forward_descriptor& d, const adj_attention_forward_args& a) {
  with_types(d.element, [&](auto* element, auto* beside) { forward<std::remove_pointer_t<decltype(element)>, std::remove_pointer_t<decltype(beside)>>(d, a); });
}

void attention_backward(const adj_attention_backward_descriptor& d, const adj_attention_backward_args& a) {
  with_types(d.element,
             [&](auto* element, auto* beside) { backward<std::remove_pointer_t<decltype(element)>, std::remove_pointer_t<decltype(beside)>>(d, a); });
}

}  // namespace adj::host
