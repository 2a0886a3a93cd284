#include "host/dropout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/dtype.hpp"
#include "host/sum.hpp"

namespace adj::host {

std::array<std::uint32_t, 4> philox_block(std::uint64_t seed, std::uint64_t subsequence, std::uint64_t block) {
  auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  std::array<std::uint32_t, 4> c{low(block), high(block), low(subsequence), high(subsequence)};
  std::uint32_t k0 = low(seed), k1 = high(seed);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {high(b) ^ c[1] ^ k0, low(b), high(a) ^ c[3] ^ k1, low(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double scalar_value(const adj_scalar& s) { return s.device ? load_scalar(s.device, s.dtype) : s.value; }

// Elements that one turn of ONNX Runtime's grid covers.
std::int64_t onnx_runtime_stretch(std::int64_t numel, std::int64_t multiprocessors, std::int64_t threads_per_multiprocessor) {
  const std::int64_t resident = multiprocessors * (threads_per_multiprocessor / 256), needed = numel / 1024 + (numel % 1024 != 0);
  return 1024 * std::min(resident, needed);
}

// Distribution of rows of up to 2048 columns over the threads of ONNX Runtime's fused kernel.
struct RowLanes {
  std::int64_t threads = 0;  // threads that share a row
  std::int64_t thread_columns = 0;  // columns of a row that a thread takes
  std::int64_t rows = 0;     // rows that a thread takes
  std::int64_t vector = 0;   // neighbouring columns that a thread takes together
};
RowLanes lanes_of(std::int64_t columns, bool unaligned) {
  std::int64_t power = 1;
  while (power < columns) power *= 2;
  RowLanes l;
  l.threads = std::min<std::int64_t>(power, 32);
  l.thread_columns = power / l.threads;
  l.rows = power <= 128 ? 2 : 1;
  l.vector = columns % 4 == 0 && l.thread_columns >= 4 && !unaligned ? 4 : 1;
  return l;
}

// Decides which elements of a call are kept, and which factor they are multiplied by.
class Rule {
 public:
  Rule() = default;  // keeps everything as it is
  Rule(const adj_scalar& ratio, const adj_random& random)
      : seed_(random.device ? random.device[0] : random.seed), offset_(random.device ? random.device[1] : random.offset) {
    const double r = scalar_value(ratio);
    keeps_all_ = r == 0;
    keeps_none_ = r == 1;
    if (!(r >= 0 && r <= 1)) {
      scale_ = kNan;
      return;
    }
    threshold_ = static_cast<std::uint64_t>(std::floor((1 - r) * 0x1p32 + 0.5));
    scale_ = keeps_none_ ? 0 : 1 / (1 - r);
  }
  // Uses ONNX Runtime's mapping when the descriptor asks for it.
  template <class Descriptor>
  Rule(const Descriptor& d, const adj_scalar& ratio, const adj_random& random) : Rule(ratio, random) {
    if (d.mapping != ADJ_DROPOUT_MAPPING_ONNX_RUNTIME || std::isnan(scale_)) return;
    if constexpr (requires { d.columns; }) {
      columns_ = d.columns;
      if (columns_ <= 2048) lanes_ = lanes_of(columns_, d.unaligned);
      else stretch_ = onnx_runtime_stretch(d.rows * d.columns, d.multiprocessors, d.threads_per_multiprocessor);
    } else {
      if (keeps_all_) return;
      stretch_ = onnx_runtime_stretch(d.numel, d.multiprocessors, d.threads_per_multiprocessor);
    }
    kept_ = 1 - static_cast<float>(scalar_value(ratio));
  }
  bool keeps_all() const { return keeps_all_; }
  bool keeps_none() const { return keeps_none_; }
  double scale() const { return scale_; }
  bool draw(std::int64_t e) {
    if (lanes_.threads > 0) {
      const std::int64_t r = e / columns_, c = e % columns_, together = lanes_.vector * lanes_.threads;
      return below(r / lanes_.rows * lanes_.threads + c / lanes_.vector % lanes_.threads,
                   r % lanes_.rows * lanes_.thread_columns + c / together * lanes_.vector + c % lanes_.vector);
    }
    if (stretch_ > 0) return below(e % stretch_ / 4, e / stretch_ * 4 + e % 4);
    const std::uint64_t block = offset_ / 4 + static_cast<std::uint64_t>(e) / 4;
    if (!drawn_ || block != block_) words_ = philox_block(seed_, 0, block), block_ = block, drawn_ = true;
    return words_[static_cast<std::size_t>(e % 4)] < threshold_;
  }

 private:
  // True when an element is kept whose random number is word number `word` of a thread of ONNX Runtime.
  bool below(std::int64_t thread, std::int64_t word) const {
    const std::uint64_t at = offset_ + static_cast<std::uint64_t>(word);
    const float uniform = static_cast<float>(philox_block(seed_, static_cast<std::uint64_t>(thread), at / 4)[at % 4]) * 0x1p-32f + 0x1p-33f;
    return uniform < kept_;
  }

  std::uint64_t seed_ = 0, offset_ = 0, threshold_ = std::uint64_t{1} << 32, block_ = 0;
  double scale_ = 1;
  std::int64_t stretch_ = 0, columns_ = 0;
  RowLanes lanes_;  // lanes_.threads = 0 and stretch_ = 0: the canonical mapping, by element
  float kept_ = 0;
  bool keeps_all_ = true, keeps_none_ = false, drawn_ = false;
  std::array<std::uint32_t, 4> words_{};
};

bool is_bits(adj_dropout_mask mask) { return mask == ADJ_DROPOUT_MASK_BITS; }
bool is_none(adj_dropout_mask mask) { return mask == ADJ_DROPOUT_MASK_NONE; }

void set_kept(const adj_tensor& mask, adj_dropout_mask kind, std::int64_t e, bool kept) {
  if (is_none(kind)) return;
  if (!is_bits(kind)) {
    static_cast<std::uint8_t*>(mask.data)[e] = kept;
    return;
  }
  std::uint32_t& word = static_cast<std::uint32_t*>(mask.data)[e / 32];
  const std::uint32_t bit = std::uint32_t{1} << (e % 32);
  word = kept ? word | bit : word & ~bit;
}
// Sets the bits behind the last element of a mask of bits.
void set_tail(const adj_tensor& mask, adj_dropout_mask kind, std::int64_t count, bool ones) {
  for (std::int64_t e = count; is_bits(kind) && e % 32 != 0; ++e) set_kept(mask, kind, e, ones);
}
bool get_kept(const adj_tensor& mask, adj_dropout_mask kind, std::int64_t e, Rule& rule) {
  if (rule.keeps_none()) return false;
  if (is_none(kind)) return rule.draw(e);
  if (is_bits(kind)) return static_cast<const std::uint32_t*>(mask.data)[e / 32] >> (e % 32) & 1;
  return static_cast<const std::uint8_t*>(mask.data)[e] != 0;
}

void advance(const adj_random& random, std::int64_t words) { const_cast<std::uint64_t*>(random.device)[1] += static_cast<std::uint64_t>(words); }
// Number of random words for `elements` elements: four words for every `of_four` elements, rounded up.
std::int64_t words_for(std::int64_t elements, std::int64_t of_four) { return 4 * (elements / of_four + (elements % of_four != 0)); }

}  // namespace

void dropout_forward(const adj_dropout_forward_descriptor& d, const adj_dropout_forward_args& a, void*) {
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto* in = static_cast<const T*>(a.input.data);
    auto* out = static_cast<T*>(a.out.data);
    Rule rule = d.training ? Rule(d, a.ratio, a.random) : Rule();
    for (std::int64_t e = 0; e < d.numel; ++e) {
      const bool kept = !d.training || rule.draw(e);
      out[e] = !d.training ? in[e] : from_double<T>(kept ? to_double(in[e]) * rule.scale() : 0);
      set_kept(a.mask, d.mask, e, kept);
    }
  });
  set_tail(a.mask, d.mask, d.numel, !d.training);
  if (!d.advance_offset) return;
  advance(
      a.random,
      words_for(d.numel, d.mapping == ADJ_DROPOUT_MAPPING_ONNX_RUNTIME ? onnx_runtime_stretch(d.numel, d.multiprocessors, d.threads_per_multiprocessor) : 4));
}

void dropout_backward(const adj_dropout_backward_descriptor& d, const adj_dropout_backward_args& a, void*) {
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto* dout = static_cast<const T*>(a.dout.data);
    auto* dinput = static_cast<T*>(a.dinput.data);
    Rule rule = d.training ? Rule(d, a.ratio, a.random) : Rule();
    auto is_kept = [&](std::int64_t e) { return rule.keeps_all() || get_kept(a.mask, d.mask, e, rule); };
    for (std::int64_t e = 0; e < d.numel; ++e) {
      if (!d.training) dinput[e] = dout[e];
      else dinput[e] = from_double<T>(is_kept(e) ? to_double(dout[e]) * rule.scale() : 0);
    }
  });
}

void bias_softmax_dropout_forward(const adj_bias_softmax_dropout_forward_descriptor& d, const adj_bias_softmax_dropout_forward_args& a, void*) {
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto* in = static_cast<const T*>(a.input.data);
    const auto* bias = static_cast<const T*>(a.bias.data);
    auto* out = static_cast<T*>(a.out.data);
    auto* softmax_out = static_cast<T*>(a.softmax_out.data);
    Rule rule(d, a.ratio, a.random);
    std::vector<double> p(static_cast<std::size_t>(d.columns));
    for (std::int64_t r = 0; r < d.rows; ++r) {
      const std::int64_t first = r * d.columns;
      const std::int64_t b = d.bias_rows == 0 ? 0 : d.inner_broadcast ? r / (d.rows / d.bias_rows) : r % d.bias_rows;
      double top = -kInfinity;
      for (std::int64_t c = 0; c < d.columns; ++c) {
        double& score = p[static_cast<std::size_t>(c)];
        score = to_double(in[first + c]);
        if (bias) score += to_double(bias[b * d.columns + c]);
        if (!(score <= top)) top = score;  // a NaN as well
      }
      Sum sum;
      for (double& score : p) sum.add(score = std::exp(score - top));
      const bool masked = top == -kInfinity;
      for (std::int64_t c = 0; c < d.columns; ++c) {
        const double probability = masked ? (d.zero_masked_rows ? 0 : kNan) : p[static_cast<std::size_t>(c)] / sum.value();
        const bool kept = rule.draw(first + c);
        set_kept(a.mask, d.mask, first + c, kept);
        if (softmax_out) softmax_out[first + c] = from_double<T>(probability);
        out[first + c] = from_double<T>(kept ? probability * rule.scale() : 0);
      }
    }
  });
  set_tail(a.mask, d.mask, d.rows * d.columns, false);
  if (!d.advance_offset) return;
  const std::int64_t elements = d.rows * d.columns;
  if (d.mapping != ADJ_DROPOUT_MAPPING_ONNX_RUNTIME) return advance(a.random, words_for(elements, 4));
  const RowLanes lanes = lanes_of(d.columns, d.unaligned);
  advance(a.random, d.columns <= 2048 ? lanes.thread_columns * lanes.rows
                                      : words_for(elements, onnx_runtime_stretch(elements, d.multiprocessors, d.threads_per_multiprocessor)));
}

void softmax_dropout_backward(const adj_softmax_dropout_backward_descriptor& d, const adj_softmax_dropout_backward_args& a, void*) {
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto* dout = static_cast<const T*>(a.dout.data);
    const auto* y = static_cast<const T*>(a.softmax_out.data);
    auto* dinput = static_cast<T*>(a.dinput.data);
    Rule rule(d, a.ratio, a.random);
    std::vector<double> g(static_cast<std::size_t>(d.columns));
    for (std::int64_t r = 0; r < d.rows; ++r) {
      const std::int64_t first = r * d.columns;
      Sum sum;
      for (std::int64_t c = 0; c < d.columns; ++c) {
        double& own = g[static_cast<std::size_t>(c)];
        own = get_kept(a.mask, d.mask, first + c, rule) ? to_double(dout[first + c]) * rule.scale() : 0;
        sum.add(own * to_double(y[first + c]));
      }
      for (std::int64_t c = 0; c < d.columns; ++c) dinput[first + c] = from_double<T>(to_double(y[first + c]) * (g[static_cast<std::size_t>(c)] - sum.value()));
    }
  });
}

}  // namespace adj::host
