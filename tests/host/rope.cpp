// Rotary position embedding on the host stream: closed forms, the gradient as the transpose, central differences with the norm, strides, positions and
// the rules of the contract.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <adjoint/ops/rope.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Doubles = std::vector<double>;
using Forward = adj_rope_forward_descriptor;
using Backward = adj_rope_backward_descriptor;

// What a call has beside the heads.
struct More {
  Doubles q{}, k{}, cos{}, sin{};
  std::vector<std::int64_t> positions{};
};
Doubles forward(Forward d, Doubles x, More m = {}) {
  d.element = ADJ_F64;
  Doubles y(x.size());
  adj_rope_forward_args a;
  a.input = tensor(x);
  a.out = tensor(y);
  if (!m.q.empty()) a.q_weight = tensor(m.q);
  if (!m.k.empty()) a.k_weight = tensor(m.k);
  if (!m.cos.empty()) a.cos = tensor(m.cos), a.sin = tensor(m.sin);
  if (!m.positions.empty()) a.positions = tensor(m.positions);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return y;
}
struct Gradients {
  Doubles dx, dq, dk;
};
Gradients backward(const Forward& f, Doubles dy, Doubles x, More m = {}, adj_write_mode write_mode = ADJ_WRITE_DEFAULT, Doubles held = {}) {
  Backward d{.batch = f.batch,
             .tokens = f.tokens,
             .heads = f.heads,
             .kv_heads = f.kv_heads,
             .head_dim = f.head_dim,
             .rotary_dim = f.rotary_dim,
             .table_rows = f.table_rows,
             .base = f.base,
             .epsilon = f.epsilon,
             .interleaved = f.interleaved,
             .has_norm = f.has_norm,
             .write_mode = write_mode,
             .element = ADJ_F64,
             .position = f.position};
  Gradients g{Doubles(dy.size()), held.empty() ? Doubles(m.q.size()) : held, held.empty() ? Doubles(m.k.size()) : held};
  adj_rope_backward_args a;
  a.dout = tensor(dy);
  a.dinput = tensor(g.dx);
  if (f.has_norm) {
    a.input = tensor(x);
    a.q_weight = tensor(m.q);
    a.dq_weight = tensor(g.dq);
    if (f.kv_heads) a.k_weight = tensor(m.k), a.dk_weight = tensor(g.dk);
  }
  if (!m.cos.empty()) a.cos = tensor(m.cos), a.sin = tensor(m.sin);
  if (!m.positions.empty()) a.positions = tensor(m.positions);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return g;
}
double dot(const Doubles& a, const Doubles& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
void check_near(const Doubles& got, const Doubles& want, double tolerance) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(got[i] - want[i]) <= tolerance);
  }
}

}  // namespace

TEST_CASE("rope rotates by the angle of the position, by halves and by neighbours, and keeps the rest of a head") {
  // Two pairs with the rates 1 and 0.1; the fifth and sixth element stay.
  const Doubles x{1, 2, 3, 4, 5, 6};
  for (int t : {0, 1, 2}) {
    const double c0 = std::cos(t), s0 = std::sin(t), c1 = std::cos(0.1 * t), s1 = std::sin(0.1 * t);
    const More at{.positions = {t}};
    const Forward d{.tokens = 1, .heads = 1, .head_dim = 6, .rotary_dim = 4, .base = 100, .position = ADJ_I64};
    check_near(forward(d, x, at), {c0 - 3 * s0, 2 * c1 - 4 * s1, 3 * c0 + s0, 4 * c1 + 2 * s1, 5, 6}, 1e-14);
    Forward neighbours = d;
    neighbours.interleaved = 1;
    check_near(forward(neighbours, x, at), {c0 - 2 * s0, 2 * c0 + s0, 3 * c1 - 4 * s1, 4 * c1 + 3 * s1, 5, 6}, 1e-14);
  }
  // Without positions, tokens of every sequence are counted from 0.
  const auto heads = wave(2 * 3 * 2 * 4, 0.3);
  const Forward counted{.batch = 2, .tokens = 3, .heads = 1, .kv_heads = 1, .head_dim = 4};
  Forward given = counted;
  given.position = ADJ_I64;
  CHECK(forward(counted, heads) == forward(given, heads, {.positions = {0, 1, 2, 0, 1, 2}}));
  // The product of two rotated heads depends on the distance of their positions.
  auto product = [&](std::int64_t p, std::int64_t q) {
    const auto y = forward({.tokens = 2, .heads = 1, .head_dim = 8, .position = ADJ_I64}, wave(16, 1), {.positions = {p, q}});
    return dot({y.begin(), y.begin() + 8}, {y.begin() + 8, y.end()});
  };
  CHECK(product(3, 10) == doctest::Approx(product(1003, 1010)).epsilon(1e-10));
}

TEST_CASE("rope reduces the angles of far positions without error") {
  constexpr std::int64_t kFar = (std::int64_t{1} << 31) - 1;
  for (std::int64_t p : {std::int64_t{1} << 20, kFar}) {
    const auto y = forward({.tokens = 1, .heads = 1, .head_dim = 2, .position = ADJ_I64}, {1, 0}, {.positions = {p}});
    constexpr double tolerance = 1e-15;
    CHECK(std::fabs(y[0] - static_cast<double>(std::cos(static_cast<long double>(p)))) < tolerance);
    CHECK(std::fabs(y[1] - static_cast<double>(std::sin(static_cast<long double>(p)))) < tolerance);
  }
}

TEST_CASE("rope has the angles of all pairs of a far position to the last bits of f64") {
  // From 80 decimal digits.
  struct Far {
    double base;
    std::int64_t dim, pair, position;
    double cosine, sine;
  };
  for (const Far& at :
       {Far{10000, 8, 1, 2147483647, 0.08100248056301511, -0.9967138998442022}, Far{10000, 8, 3, 134217729, -0.8608089251087799, 0.5089282802645839},
        Far{500000, 6, 2, 2147483647, -0.7630451704838283, -0.6463451615052946}, Far{10000, 128, 5, 2147483647, 0.36295013707332546, 0.9318085629561762}}) {
    CAPTURE(at.dim);
    CAPTURE(at.pair);
    const auto first = static_cast<std::size_t>(at.pair), second = static_cast<std::size_t>(at.pair + at.dim / 2);
    Doubles x(static_cast<std::size_t>(at.dim), 0.0);
    x[first] = 1;
    const Forward d{.tokens = 1, .heads = 1, .head_dim = at.dim, .base = at.base, .position = ADJ_I64};
    const auto y = forward(d, x, {.positions = {at.position}}), back = backward(d, x, {}, {.positions = {at.position}}).dx;
    CHECK(std::fabs(y[first] - at.cosine) < 1e-15);
    CHECK(std::fabs(y[second] - at.sine) < 1e-15);
    CHECK(std::fabs(back[second] + at.sine) < 1e-15);
  }
}

TEST_CASE("the gradient of rope is its transpose, and undoes it") {
  for (int interleaved : {0, 1})
    for (std::int64_t rotated : {0, 6}) {
      const Forward d{.batch = 2, .tokens = 3, .heads = 2, .kv_heads = 1, .head_dim = 10, .rotary_dim = rotated, .interleaved = interleaved};
      const auto x = wave(180, 0.2), v = wave(180, 1.7);
      const auto y = forward(d, x);
      CHECK(dot(y, v) == doctest::Approx(dot(x, backward(d, v, {}).dx)).epsilon(1e-12));
      check_near(backward(d, y, {}).dx, x, 1e-14);
      // Tables need not be of unit length: the transpose remains, the inverse does not.
      Forward scaled = d;
      scaled.table_rows = 3;
      More tables;
      for (int i = 0; i < 3 * (rotated ? 3 : 5); ++i) tables.cos.push_back(std::sin(2.0 * i)), tables.sin.push_back(std::sin(i + 0.5));
      CHECK(dot(forward(scaled, x, tables), v) == doctest::Approx(dot(x, backward(scaled, v, {}, tables).dx)).epsilon(1e-12));
    }
}

TEST_CASE("rope takes angles from tables as from the base") {
  const Forward d{.tokens = 5, .heads = 1, .head_dim = 8, .base = 500};
  More tables;
  for (int t = 0; t < 5; ++t)
    for (int j = 0; j < 4; ++j) {
      const double angle = t * std::pow(500.0, -j / 4.0);
      tables.cos.push_back(std::cos(angle));
      tables.sin.push_back(std::sin(angle));
    }
  Forward from_tables{.tokens = 5, .heads = 1, .head_dim = 8, .table_rows = 5};
  check_near(forward(from_tables, wave(40, 1), tables), forward(d, wave(40, 1)), 1e-14);
}

TEST_CASE("rope with the norm agrees with its parts, and its gradients with central differences") {
  for (int interleaved : {0, 1}) {
    const Forward d{
        .batch = 1, .tokens = 3, .heads = 2, .kv_heads = 1, .head_dim = 6, .rotary_dim = 4, .epsilon = 1e-3, .interleaved = interleaved, .has_norm = 1};
    const auto x = wave(54, 0.4), v = wave(54, 2.1);
    const More m{.q = wave(6, 1), .k = wave(6, 3)};
    Doubles z;
    for (std::size_t h = 0; h < 9; ++h) {
      double squares = 0;
      for (std::size_t i = 0; i < 6; ++i) squares += x[6 * h + i] * x[6 * h + i];
      for (std::size_t i = 0; i < 6; ++i) z.push_back(x[6 * h + i] / std::sqrt(squares / 6 + 1e-3) * (h % 3 < 2 ? m.q : m.k)[i]);
    }
    Forward plain = d;
    plain.has_norm = 0;
    plain.epsilon = Forward{}.epsilon;
    check_near(forward(d, x, m), forward(plain, z), 1e-14);
    const auto g = backward(d, v, x, m);
    auto check = [&](const Doubles& gradient, Doubles of, auto loss) {
      for (std::size_t i = 0; i < of.size(); ++i) {
        CAPTURE(i);
        const double at = of[i];
        of[i] = at + 1e-6;
        const double up = loss(of);
        of[i] = at - 1e-6;
        CHECK(std::fabs(gradient[i] - (up - loss(of)) / 2e-6) < 1e-7);
        of[i] = at;
      }
    };
    check(g.dx, x, [&](const Doubles& moved) { return dot(forward(d, moved, m), v); });
    check(g.dq, m.q, [&](const Doubles& moved) { return dot(forward(d, x, {.q = moved, .k = m.k}), v); });
    check(g.dk, m.k, [&](const Doubles& moved) { return dot(forward(d, x, {.q = m.q, .k = moved}), v); });
    const auto more = backward(d, v, x, m, ADJ_WRITE_ACCUMULATE, Doubles(6, 10));
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(more.dq[i] == doctest::Approx(g.dq[i] + 10).epsilon(1e-14));
      CHECK(more.dk[i] == doctest::Approx(g.dk[i] + 10).epsilon(1e-14));
    }
  }
  // Without tokens the gradients of the weights are 0, or keep what they hold.
  const Forward none{.tokens = 0, .heads = 1, .kv_heads = 1, .head_dim = 2, .has_norm = 1};
  CHECK(backward(none, {}, {}, {.q = {1, 1}, .k = {1, 1}}, ADJ_WRITE_DEFAULT, {5, 5}).dq == Doubles{0, 0});
  CHECK(backward(none, {}, {}, {.q = {1, 1}, .k = {1, 1}}, ADJ_WRITE_ACCUMULATE, {5, 5}).dk == Doubles{5, 5});
}

TEST_CASE("rope works in place on queries and keys beside values, and leaves the values") {
  // [batch 2, tokens 3, (2 + 2 * 1) heads of 4]
  constexpr std::int64_t kRow = 16;
  auto qkv = wave(2 * 3 * kRow, 0.9);
  const auto before = qkv;
  Doubles compact;
  for (std::size_t t = 0; t < 6; ++t)
    compact.insert(compact.end(), before.begin() + static_cast<std::ptrdiff_t>(t * kRow), before.begin() + static_cast<std::ptrdiff_t>(t * kRow + 12));
  Forward d{.batch = 2, .tokens = 3, .heads = 2, .kv_heads = 1, .head_dim = 4, .element = ADJ_F64};
  const auto want = forward(d, compact);
  d.strides = d.out_strides = {3, {0, kRow, 0}};
  adj_rope_forward_args a;
  a.input = a.out = tensor(qkv);
  REQUIRE(run(d, a).ok());
  for (std::size_t i = 0; i < qkv.size(); ++i) CHECK(qkv[i] == (i % kRow < 12 ? want[i / kRow * 12 + i % kRow] : before[i]));
  // From there into a packed tensor, and the gradient back.
  d.out_strides = {};
  auto out = Doubles(72);
  auto again = before;
  a.input = tensor(again);
  a.out = tensor(out);
  REQUIRE(run(d, a).ok());
  CHECK(out == want);
  // The same buffer with other strides is refused, and nothing is written.
  Forward moved{.batch = 1, .tokens = 2, .heads = 3, .head_dim = 2, .out_strides = {3, {12, 2, 4}}, .element = ADJ_F64};
  auto small = wave(12, 1);
  const auto kept = small;
  a.input = a.out = tensor(small);
  const auto refused = run(moved, a);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ADJ_ERROR_ALIASING);
  CHECK(refused.error().message == "rope_forward: out overlaps input, which has other strides");
  CHECK(small == kept);
}

TEST_CASE("rope writes between the heads of its input, and refuses a place that is the input's") {
  // [batch 2, tokens 3, two tensors of 3 heads of 4]
  constexpr std::int64_t kRow = 24;
  auto both = wave(2 * 3 * kRow, 0.9);
  const auto before = both;
  Doubles compact;
  for (std::size_t t = 0; t < 6; ++t)
    compact.insert(compact.end(), before.begin() + static_cast<std::ptrdiff_t>(t * kRow), before.begin() + static_cast<std::ptrdiff_t>(t * kRow + 12));
  Forward d{.batch = 2, .tokens = 3, .heads = 2, .kv_heads = 1, .head_dim = 4, .element = ADJ_F64};
  const auto want = forward(d, compact);
  d.strides = d.out_strides = {3, {0, kRow, 0}};
  const auto from = [&](std::size_t offset) {
    adj_tensor t = tensor(both);
    t.data = both.data() + offset;
    t.bytes -= offset * sizeof(double);
    return t;
  };
  adj_rope_forward_args a;
  a.input = from(0);
  a.out = from(12);
  REQUIRE(run(d, a).ok());
  for (std::size_t i = 0; i < both.size(); ++i) CHECK(both[i] == (i % kRow < 12 ? before[i] : want[i / kRow * 12 + i % kRow - 12]));
  a.out = from(11);
  const auto kept = both;
  const auto refused = run(d, a);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ADJ_ERROR_ALIASING);
  CHECK(refused.error().message == "rope_forward: out overlaps input");
  CHECK(both == kept);
  // Strides of which packed ones do not fit 64 bits.
  std::string message;
  d.strides = {3, {0, std::int64_t{1} << 58, 0}};
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "rope_forward: strides.at[1] = 288230376151711744 for 3 tokens overflows 64 bits");
}

TEST_CASE("positions out of range give zeros, and are counted once for their token") {
  const auto x = wave(5 * 2 * 4, 0.1);
  for (std::int64_t rows : {std::int64_t{0}, std::int64_t{3}}) {
    const std::int64_t end = rows ? rows : std::int64_t{1} << 31;
    std::vector<std::int64_t> positions{0, -1, 2, end, end - 1}, errors{7};
    Doubles tables(static_cast<std::size_t>(rows) * 2, 0.5), in = x, out(x.size(), 9);
    Forward d{.tokens = 5, .heads = 2, .head_dim = 4, .table_rows = rows, .element = ADJ_F64, .position = ADJ_I64};
    adj_rope_forward_args a;
    a.input = tensor(in);
    a.positions = tensor(positions);
    a.out = tensor(out);
    a.error_flag = tensor(errors);
    if (rows) a.cos = a.sin = tensor(tables);
    REQUIRE(run(d, a).ok());
    CHECK(errors[0] == 9);
    for (std::size_t i = 0; i < out.size(); ++i) CHECK((out[i] == 0) == (i / 8 == 1 || i / 8 == 3));
  }
}

TEST_CASE("rope refuses problems that cannot be") {
  std::string message;
  const Forward good{.tokens = 4, .heads = 2, .kv_heads = 1, .head_dim = 8, .element = ADJ_F32};
  CHECK(select_status(good) == ADJ_OK);
  auto refuse = [&](auto change, const char* text, adj_status status = ADJ_ERROR_INVALID_PROBLEM) {
    Forward d = good;
    change(d);
    CHECK(select_status(d, &message) == status);
    CAPTURE(message);
    CHECK(message.find(text) != std::string::npos);
  };
  refuse([](Forward& d) { d.tokens = -1; }, "tokens was not given");
  refuse([](Forward& d) { d.heads = 0; }, "heads = 0 is below 1");
  refuse([](Forward& d) { d.head_dim = 1025; }, "head_dim = 1025 is above the limit 1024");
  refuse([](Forward& d) { d.rotary_dim = 3; }, "rotary_dim = 3 with head_dim = 8");
  refuse([](Forward& d) { d.rotary_dim = 10; }, "rotary_dim = 10 with head_dim = 8");
  refuse([](Forward& d) { d.head_dim = 7; }, "7 elements of a head would be rotated");
  refuse([](Forward& d) { d.base = 0; }, "base = 0");
  refuse(
      [](Forward& d) {
        d.base = 500000;
        d.table_rows = 4;
      },
      "base = 500000 is set, which needs !table_rows");
  refuse([](Forward& d) { d.table_rows = 3; }, "tokens = 4 are more than the positions of the tables, table_rows = 3");
  refuse([](Forward& d) { d.position = ADJ_F32; }, "position = f32, expected one of i32, i64", ADJ_ERROR_UNSUPPORTED);
  refuse([](Forward& d) { d.epsilon = 1e-6; }, "epsilon = 1e-06 is set, but has_norm is 0");
  refuse([](Forward& d) { d.epsilon = 1e-60, d.has_norm = 1; }, "epsilon = 1e-60, expected a finite number above 0");
  refuse([](Forward& d) { d.weight = ADJ_F32; }, "weight = f32 is set, but has_norm is 0");
  refuse([](Forward& d) { d.strides = {2, {1, 1}}; }, "strides has 2 numbers, expected none or 3");
  refuse([](Forward& d) { d.out_strides = {3, {0, 23, 0}}; },
         "out_strides = [92, 23, 8] for extents [1, 4, 3]: elements share places, a stride of 23 is below 24");
  refuse([](Forward& d) { d.strides = {3, {0, -24, 0}}; }, "strides.at[1] = -24 is not in 0 to");
  Backward b{.tokens = 4, .heads = 2, .head_dim = 8, .strides = {3, {}}, .element = ADJ_F32};
  CHECK(select_status(b, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "rope_backward: strides.count = 3 is set, but has_norm is 0");
  b.strides = {};
  b.write_mode = ADJ_WRITE_ACCUMULATE;
  CHECK(select_status(b, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "rope_backward: write_mode = 2 is set, but has_norm is 0");
  CHECK(select_status(Forward{.tokens = 4, .heads = 2, .head_dim = 8, .has_norm = 1, .element = ADJ_F64, .weight = ADJ_F32}, &message) ==
        ADJ_ERROR_UNSUPPORTED);
  CHECK(message == "rope_forward: weight = f32, expected one of element, accumulator(element)");
}
