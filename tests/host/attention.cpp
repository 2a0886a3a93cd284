// Attention and its gradients on the host, against closed forms, finite differences and themselves in other layouts.
#include <doctest/doctest.h>

#include <adjoint/ops/attention.h>

#include <limits>

#include "support.hpp"

namespace {

using support::tensor;
using support::wave;

struct Sizes {
  std::int64_t batch = 2, tokens = 5, heads = 2, dim = 3, kv_heads = 2;
  std::int64_t queries() const { return batch * tokens * heads * dim; }
  std::int64_t keys() const { return batch * tokens * kv_heads * dim; }
  std::int64_t rows() const { return batch * tokens * heads; }
};

template <class Descriptor>
Descriptor describe(const Sizes& s) {
  Descriptor d;
  d.batch = s.batch;
  d.tokens = s.tokens;
  d.heads = s.heads;
  d.kv_heads = s.kv_heads;
  d.head_dim = s.dim;
  d.element = ADJ_F64;
  return d;
}

// Packed f64 tensors of one problem, with the results of both operators.
struct Attention {
  Sizes sizes;
  std::vector<double> q, k, v, dout;
  std::vector<std::int32_t> cu_seqlens{};
  bool causal = false;
  std::int64_t window = -1;
  double scale = 0;
  std::vector<double> out{}, lse{}, dq{}, dk{}, dv{};

  explicit Attention(const Sizes& s) : sizes(s), q(wave(s.queries(), 0.3)), k(wave(s.keys(), 1.1)), v(wave(s.keys(), 2.7)), dout(wave(s.queries(), 4.2)) {}

  template <class Descriptor>
  Descriptor descriptor() const {
    auto d = describe<Descriptor>(sizes);
    d.causal = causal;
    d.window = window;
    d.scale = scale;
    d.has_lengths = !cu_seqlens.empty();
    if (d.has_lengths) {
      d.batch = static_cast<std::int64_t>(cu_seqlens.size()) - 1;
      d.tokens = sizes.batch * sizes.tokens;
    }
    return d;
  }
  void forward() {
    out.assign(q.size(), -7), lse.assign(static_cast<std::size_t>(sizes.rows()), -7);
    adj_attention_forward_args a;
    a.q = tensor(q), a.k = tensor(k), a.v = tensor(v), a.out = tensor(out), a.lse = tensor(lse);
    if (!cu_seqlens.empty()) a.cu_seqlens = tensor(cu_seqlens);
    const auto ok = support::run(descriptor<adj_attention_forward_descriptor>(), a);
    REQUIRE_MESSAGE(ok.ok(), ok.error().message);
  }
  void backward() {
    dq.assign(q.size(), -7), dk.assign(k.size(), -7), dv.assign(v.size(), -7);
    adj_attention_backward_args a;
    a.q = tensor(q), a.k = tensor(k), a.v = tensor(v), a.out = tensor(out), a.lse = tensor(lse), a.dout = tensor(dout);
    a.dq = tensor(dq), a.dk = tensor(dk), a.dv = tensor(dv);
    if (!cu_seqlens.empty()) a.cu_seqlens = tensor(cu_seqlens);
    const auto ok = support::run(descriptor<adj_attention_backward_descriptor>(), a);
    REQUIRE_MESSAGE(ok.ok(), ok.error().message);
  }
  double loss() {
    forward();
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * dout[i];
    return sum;
  }
  std::size_t row(std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t of) const {
    return static_cast<std::size_t>(((b * sizes.tokens + t) * of + h) * sizes.dim);
  }
};

}  // namespace

TEST_CASE("attention: a single key has weight 1") {
  Attention a({.batch = 3, .tokens = 1, .heads = 2, .dim = 4, .kv_heads = 2});
  a.forward();
  CHECK(a.out == a.v);
  for (std::size_t r = 0; r < 6; ++r) {
    double dot = 0;
    for (std::size_t c = 0; c < 4; ++c) dot += a.q[r * 4 + c] * a.k[r * 4 + c];
    CHECK(a.lse[r] == doctest::Approx(dot / 2).epsilon(1e-15));
  }
}

TEST_CASE("attention: equal scores give the mean of the values that the mask allows") {
  for (const bool causal : {false, true})
    for (const std::int64_t window : {-1, 0, 2, 100}) {
      Attention a(Sizes{});
      a.causal = causal;
      a.window = window;
      std::fill(a.q.begin(), a.q.end(), 0.0);
      a.forward();
      for (std::int64_t b = 0; b < 2; ++b)
        for (std::int64_t h = 0; h < 2; ++h)
          for (std::int64_t i = 0; i < 5; ++i) {
            std::int64_t count = 0;
            std::vector<double> sum(3);
            for (std::int64_t j = 0; j < 5; ++j) {
              if ((causal && j > i) || (window >= 0 && j < i - window)) continue;
              ++count;
              for (std::size_t c = 0; c < 3; ++c) sum[c] += a.v[a.row(b, j, h, 2) + c];
            }
            CHECK(a.lse[static_cast<std::size_t>((b * 2 + h) * 5 + i)] == doctest::Approx(std::log(count)).epsilon(1e-15));
            for (std::size_t c = 0; c < 3; ++c) CHECK(a.out[a.row(b, i, h, 2) + c] == doctest::Approx(sum[c] / static_cast<double>(count)).epsilon(1e-14));
          }
    }
}

TEST_CASE("attention: gradients agree with finite differences") {
  struct {
    Sizes sizes;
    bool causal;
    std::int64_t window;
    double scale;
    std::vector<std::int32_t> cu_seqlens;
  } const cases[] = {{{}, false, -1, 0, {}},
                     {{}, true, -1, 0.7, {}},
                     {{.heads = 4, .kv_heads = 2}, true, 2, 0, {}},
                     {{.heads = 3, .kv_heads = 1}, false, 1, -0.4, {}},
                     {{.heads = 2, .kv_heads = 1}, true, -1, 0, {0, 4, 4, 9}}};
  for (const auto& c : cases) {
    Attention a(c.sizes);
    a.causal = c.causal, a.window = c.window, a.scale = c.scale, a.cu_seqlens = c.cu_seqlens;
    a.forward();
    a.backward();
    const std::vector<double> dq = a.dq, dk = a.dk, dv = a.dv;
    constexpr double kStep = 1e-5;
    for (auto [values, gradient] : {std::pair{&a.q, &dq}, {&a.k, &dk}, {&a.v, &dv}})
      for (std::size_t i = 0; i < values->size(); ++i) {
        double& x = (*values)[i];
        const double kept = x;
        x = kept + kStep;
        const double above = a.loss();
        x = kept - kStep;
        const double below = a.loss();
        x = kept;
        CHECK(std::fabs((above - below) / (2 * kStep) - (*gradient)[i]) < 1e-8);
      }
  }
}

TEST_CASE("attention: heads of a group see the same keys") {
  Attention grouped({.heads = 4, .kv_heads = 2}), repeated({.heads = 4, .kv_heads = 4});
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t t = 0; t < 5; ++t)
      for (std::int64_t h = 0; h < 4; ++h)
        for (std::size_t c = 0; c < 3; ++c) {
          repeated.k[repeated.row(b, t, h, 4) + c] = grouped.k[grouped.row(b, t, h / 2, 2) + c];
          repeated.v[repeated.row(b, t, h, 4) + c] = grouped.v[grouped.row(b, t, h / 2, 2) + c];
        }
  for (Attention* a : {&grouped, &repeated}) a->causal = true, a->forward(), a->backward();
  CHECK(grouped.out == repeated.out);
  CHECK(grouped.lse == repeated.lse);
  CHECK(grouped.dq == repeated.dq);
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t t = 0; t < 5; ++t)
      for (std::int64_t h = 0; h < 2; ++h)
        for (std::size_t c = 0; c < 3; ++c) {
          const auto sum = [&](const std::vector<double>& x) { return x[repeated.row(b, t, 2 * h, 4) + c] + x[repeated.row(b, t, 2 * h + 1, 4) + c]; };
          CHECK(grouped.dk[grouped.row(b, t, h, 2) + c] == doctest::Approx(sum(repeated.dk)).epsilon(1e-12));
          CHECK(grouped.dv[grouped.row(b, t, h, 2) + c] == doctest::Approx(sum(repeated.dv)).epsilon(1e-12));
        }
}

TEST_CASE("attention: sequences by lengths are those of a batch, and tokens behind them meet no key") {
  Attention batch({.batch = 3, .tokens = 4}), lengths({.batch = 3, .tokens = 4});
  batch.causal = lengths.causal = true;
  lengths.cu_seqlens = {0, 4, 8, 8};  // the third is empty
  for (Attention* a : {&batch, &lengths}) a->forward(), a->backward();
  const std::size_t kept = 2 * 4 * 2 * 3;
  for (auto [one, other] : {std::pair{&batch.out, &lengths.out}, {&batch.dq, &lengths.dq}, {&batch.dk, &lengths.dk}, {&batch.dv, &lengths.dv}})
    for (std::size_t i = 0; i < one->size(); ++i) CHECK((*other)[i] == (i < kept ? (*one)[i] : 0));
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t t = 0; t < 12; ++t)
      CHECK(lengths.lse[h * 12 + t] == (t < 8 ? batch.lse[(t / 4 * 2 + h) * 4 + t % 4] : -std::numeric_limits<double>::infinity()));
}

TEST_CASE("attention: tokens of no sequence meet no key") {
  Attention none({.batch = 1, .tokens = 7});
  none.cu_seqlens = {0};
  none.forward(), none.backward();
  for (const auto* values : {&none.out, &none.dq, &none.dk, &none.dv})
    for (double x : *values) CHECK(x == 0);
  for (double x : none.lse) CHECK(x == -std::numeric_limits<double>::infinity());
}

TEST_CASE("attention: q, k and v in one buffer, and their gradients in another") {
  Attention packed({.heads = 4, .kv_heads = 2});
  packed.causal = true;
  packed.forward(), packed.backward();
  const std::int64_t row = (4 + 2 * 2) * 3, rows = 2 * 5;
  std::vector<double> qkv(static_cast<std::size_t>(rows * row)), dqkv(qkv.size(), -7), out(packed.out.size()), lse(packed.lse.size());
  const auto copy = [&](std::vector<double>& to, std::int64_t offset, const std::vector<double>& from) {
    const std::int64_t width = static_cast<std::int64_t>(from.size()) / rows;
    for (std::int64_t t = 0; t < rows; ++t) std::copy_n(from.begin() + t * width, width, to.begin() + t * row + offset);
  };
  copy(qkv, 0, packed.q), copy(qkv, 12, packed.k), copy(qkv, 18, packed.v);
  const adj_axes strides{3, {0, row, 0}};
  const auto part = [&](std::vector<double>& of, std::int64_t offset) {
    adj_tensor t = tensor(of);
    t.data = of.data() + offset;
    t.bytes -= static_cast<std::uint64_t>(offset) * sizeof(double);
    return t;
  };
  auto f = packed.descriptor<adj_attention_forward_descriptor>();
  f.q_strides = f.k_strides = f.v_strides = strides;
  adj_attention_forward_args fa;
  fa.q = part(qkv, 0), fa.k = part(qkv, 12), fa.v = part(qkv, 18), fa.out = tensor(out), fa.lse = tensor(lse);
  REQUIRE(support::run(f, fa).ok());
  CHECK(out == packed.out);
  CHECK(lse == packed.lse);

  auto b = packed.descriptor<adj_attention_backward_descriptor>();
  b.q_strides = b.k_strides = b.v_strides = b.dq_strides = b.dk_strides = b.dv_strides = strides;
  adj_attention_backward_args ba;
  ba.q = part(qkv, 0), ba.k = part(qkv, 12), ba.v = part(qkv, 18), ba.out = tensor(out), ba.lse = tensor(lse), ba.dout = tensor(packed.dout);
  ba.dq = part(dqkv, 0), ba.dk = part(dqkv, 12), ba.dv = part(dqkv, 18);
  REQUIRE(support::run(b, ba).ok());
  std::vector<double> want(dqkv.size());
  copy(want, 0, packed.dq), copy(want, 12, packed.dk), copy(want, 18, packed.dv);
  CHECK(dqkv == want);

  // Parts that share a place are refused, whichever lies first, and so is an output in the place of an input.
  for (const auto& [dk_at, dv_at] : {std::pair{11, 18}, {12, 17}, {12, 12}, {18, 13}}) {
    ba.dk = part(dqkv, dk_at), ba.dv = part(dqkv, dv_at);
    const auto refused = support::run(b, ba);
    REQUIRE(!refused.ok());
    CHECK(refused.error().code == ADJ_ERROR_ALIASING);
  }
  ba.dk = part(dqkv, 18), ba.dv = part(dqkv, 12);
  CHECK(support::run(b, ba).ok());
  ba.dk = part(qkv, 12);
  CHECK(support::run(b, ba).error().message == "attention_backward: dk overlaps k");
}

TEST_CASE("attention: bad descriptors are refused") {
  using D = adj_attention_forward_descriptor;
  struct {
    void (*change)(D&);
    const char* message;
  } const cases[] = {{[](D& d) { d.batch = -1; }, "attention_forward: batch = -1 is negative (batch was not given)"},
                     {[](D& d) { d.tokens = -3; }, "attention_forward: tokens = -3 is negative"},
                     {[](D& d) { d.heads = 65536; }, "attention_forward: heads = 65536 is above the limit 65535"},
                     {[](D& d) { d.heads = 0; }, "attention_forward: heads = 0 is below 1"},
                     {[](D& d) { d.kv_heads = 3; }, "attention_forward: kv_heads = 3 is not a divisor of heads"},
                     {[](D& d) { d.kv_heads = 4; }, "attention_forward: kv_heads = 4 is not a divisor of heads"},
                     {[](D& d) { d.head_dim = 257; }, "attention_forward: head_dim = 257 is above the limit 256"},
                     {[](D& d) { d.head_dim = 0; }, "attention_forward: head_dim = 0 is below 1"},
                     {[](D& d) { d.window = -2; }, "attention_forward: window = -2 is below -1"},
                     {[](D& d) { d.scale = std::numeric_limits<double>::infinity(); }, "attention_forward: scale = inf, expected a finite number"},
                     {[](D& d) { d.causal = 2; }, "attention_forward: causal = 2 is not a known value (0 to 1)"},
                     {[](D& d) { d.q_strides = {2, {1, 2}}; }, "attention_forward: q_strides has 2 numbers, expected none or 3 (sequences, tokens, heads)"},
                     {[](D& d) { d.k_strides = {3, {0, -8, 0}}; }, "attention_forward: k_strides.at[1] = -8 is not in 0 to 576460752303423488"},
                     {[](D& d) { d.v_strides = {3, {0, 5, 3}}; },
                      "attention_forward: v_strides = [25, 5, 3] for extents [2, 5, 2]: elements share places, a stride of 5 is below 6"},
                     {[](D& d) { d.out_strides = {3, {0, 6, 2}}; },
                      "attention_forward: out_strides = [30, 6, 2] for extents [2, 5, 2]: elements share places, a stride of 2 is below 3"},
                     {[](D& d) { d.q_strides = {3, {std::int64_t{1} << 59, 6, 3}}; },
                      "attention_forward: q_strides = [576460752303423488, 6, 3] for extents [2, 5, 2] overflows 64 bits"},
                     {[](D& d) { d.has_lengths = 1, d.q_strides = {3, {30, 6, 3}}; },
                      "attention_forward: q_strides.at[0] = 30 is set, but sequences with lengths lie one after another"},
                     {[](D& d) { d.q_strides = {3, {0, std::int64_t{1} << 58, 3}}; },
                      "attention_forward: q_strides.at[1] = 288230376151711744 for 5 tokens overflows 64 bits"},
                     {[](D& d) { d.batch = 2147483647, d.has_lengths = 1; }, "attention_forward: batch = 2147483647 is too many sequences with lengths"},
                     {[](D& d) { d.batch = d.tokens = 2147483647, d.head_dim = 256; },
                      "attention_forward: the shape [2147483647, 2147483647, 2, 256] of q overflows 64 bits"}};
  for (const auto& c : cases) {
    auto d = describe<D>(Sizes{});
    c.change(d);
    std::string message;
    CHECK(support::select_status(d, &message) != ADJ_OK);
    CHECK(message == c.message);
  }
}

TEST_CASE("attention: lengths that do not ascend within the tokens are refused") {
  struct {
    std::vector<std::int32_t> cu_seqlens;
    const char* message;
  } const cases[] = {{{1, 4, 10}, "attention_forward: cu_seqlens[0] = 1, expected 0"},
                     {{0, 6, 5}, "attention_forward: cu_seqlens[2] = 5 is below cu_seqlens[1] = 6"},
                     {{0, 6, 11}, "attention_forward: cu_seqlens[2] = 11 is above tokens = 10"}};
  for (auto c : cases) {
    Attention a(Sizes{});
    a.cu_seqlens = c.cu_seqlens;
    a.out.assign(a.q.size(), -7), a.lse.assign(20, -7);
    adj_attention_forward_args args;
    args.q = tensor(a.q), args.k = tensor(a.k), args.v = tensor(a.v), args.out = tensor(a.out), args.lse = tensor(a.lse),
    args.cu_seqlens = tensor(a.cu_seqlens);
    const auto refused = support::run(a.descriptor<adj_attention_forward_descriptor>(), args);
    REQUIRE(!refused.ok());
    CHECK(refused.error().code == ADJ_ERROR_INVALID_VALUE);
    CHECK(refused.error().message == c.message);
    CHECK(a.out == std::vector<double>(a.q.size(), -7));
    CHECK(a.lse == std::vector<double>(20, -7));
  }
}
