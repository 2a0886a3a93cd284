// The host's products in blocks: convolutions and their gradients against the definition on drawn options, numbers that are not finite beside pads, the
// order of additions, and equal bits for any number of threads and with the instructions that every processor has.
#include "host/product.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include <adjoint/ops/conv.h>
#include <adjoint/ops/matmul.h>
#include <doctest/doctest.h>

#include "harness/random.hpp"
#include "processors.hpp"
#include "slow.hpp"
#include "support.hpp"

namespace {

using adj::host::Sum;
using adj::host::Tile;
using Place = std::array<std::int64_t, 3>;

// A tensor of a problem in f64, seen as [outer, channels, z, y, x].
struct Values {
  std::int64_t outer, channels;
  Place extent{1, 1, 1};
  bool last;
  std::vector<double> at;

  Values(const harness::Problem& problem, const char* name, const adj_shape& s, bool channels_last)
      : outer(s.dims[0]), channels(s.dims[channels_last ? s.rank - 1 : 1]), last(channels_last) {
    for (std::int64_t i = 2; i < s.rank; ++i) extent[static_cast<std::size_t>(5 - s.rank + i - 2)] = s.dims[last ? i - 1 : i];
    at.assign(static_cast<std::size_t>(outer * channels * extent[0] * extent[1] * extent[2]), 0);
    const auto& contents = problem.contents()[problem.argument(name)];
    if (contents.present)
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = contents.data[0].get(static_cast<std::int64_t>(i));
  }
  std::size_t index(std::int64_t o, std::int64_t c, const Place& p) const {
    const std::int64_t inner = (p[0] * extent[1] + p[1]) * extent[2] + p[2], volume = extent[0] * extent[1] * extent[2];
    return static_cast<std::size_t>(last ? (o * volume + inner) * channels + c : (o * channels + c) * volume + inner);
  }
};
template <class Fn>
void for_each_place(const Place& extent, Fn fn) {
  Place p;
  for (p[0] = 0; p[0] < extent[0]; ++p[0])
    for (p[1] = 0; p[1] < extent[1]; ++p[1])
      for (p[2] = 0; p[2] < extent[2]; ++p[2]) fn(p);
}

// Terms of each element of a result, and the sum of their magnitudes.
struct Expected {
  std::vector<Sum> sum, size;
  explicit Expected(std::size_t count) : sum(count), size(count) {}
  void add(std::size_t i, double term) {
    sum[i].add(term);
    size[i].add(std::fabs(term));
  }
};

// Results of the problem by name, straight from the definition: elements outside of a tensor have no term.
template <class Descriptor>
std::map<std::string, Expected> define(const harness::Problem& problem, bool transposed, bool backward) {
  const auto& d = *reinterpret_cast<const Descriptor*>(problem.descriptor());
  const bool last = d.channels_last != 0;
  const char* const names[2] = {backward ? "dinput" : "input", backward ? "dout" : "out"};
  const Values input(problem, "input", d.input, last), weight(problem, "weight", d.weight, last), out(problem, names[1], d.out, last);
  const Values &big = transposed ? out : input, &small = transposed ? input : out;
  std::map<std::string, Expected> results;
  Expected of_input(input.at.size()), of_weight(weight.at.size()), of_out(out.at.size()), of_channel(static_cast<std::size_t>(out.channels));
  const auto entry = [&](const adj_axes& list, std::size_t axis, std::int64_t otherwise) {
    const auto spatial = static_cast<std::size_t>(d.input.rank - 2);
    return list.count == 0 || axis + spatial < 3 ? otherwise : list.at[axis + spatial - 3];
  };
  for (std::int64_t n = 0; n < small.outer; ++n)
    for (std::int64_t m = 0; m < small.channels; ++m)
      for_each_place(small.extent, [&](const Place& o) {
        for (std::int64_t c = 0; c < weight.channels; ++c)
          for_each_place(weight.extent, [&](const Place& k) {
            Place i;
            for (std::size_t a = 0; a < 3; ++a) {
              i[a] = o[a] * entry(d.strides, a, 1) + k[a] * entry(d.dilations, a, 1) - entry(d.pads, a, 0);
              if (i[a] < 0 || i[a] >= big.extent[a]) return;
            }
            const std::size_t of_big = big.index(n, m / (small.channels / d.groups) * weight.channels + c, i), of_small = small.index(n, m, o),
                              w = weight.index(m, c, k);
            const std::size_t to_input = transposed ? of_small : of_big, to_out = transposed ? of_big : of_small;
            if (!backward) of_out.add(to_out, input.at[to_input] * weight.at[w]);
            else {
              of_input.add(to_input, out.at[to_out] * weight.at[w]);
              of_weight.add(w, out.at[to_out] * input.at[to_input]);
            }
          });
      });
  const auto add_old = [&](const char* name, Expected& to) {
    const auto& contents = problem.contents()[problem.argument(name)];
    for (std::size_t i = 0; i < to.sum.size(); ++i) to.add(i, contents.data[0].get(static_cast<std::int64_t>(i)));
  };
  for (std::int64_t n = 0; n < out.outer; ++n)
    for (std::int64_t c = 0; c < out.channels; ++c)
      for_each_place(out.extent, [&](const Place& p) {
        if (backward) of_channel.add(static_cast<std::size_t>(c), out.at[out.index(n, c, p)]);
        else if (const auto& bias = problem.contents()[problem.argument("bias")]; bias.present) of_out.add(out.index(n, c, p), bias.data[0].get(c));
      });
  if constexpr (requires { d.has_dinput; }) {
    if (d.write_mode == ADJ_WRITE_ACCUMULATE && d.has_dweight) add_old("dweight", of_weight);
    if (d.write_mode == ADJ_WRITE_ACCUMULATE && d.has_dbias) add_old("dbias", of_channel);
    if (d.has_dinput) results.emplace("dinput", std::move(of_input));
    if (d.has_dweight) results.emplace("dweight", std::move(of_weight));
    if (d.has_dbias) results.emplace("dbias", std::move(of_channel));
  } else {
    results.emplace("out", std::move(of_out));
  }
  return results;
}

std::int64_t products_of(const adj_shape& small, const adj_shape& weight) {
  std::int64_t products = 1;
  for (std::int64_t i = 0; i < small.rank; ++i) products *= small.dims[i] * (i > 0 ? weight.dims[i] : 1);
  return products;
}

struct Op {
  adj_op id;
  bool transposed, backward;
  std::map<std::string, Expected> (*define)(const harness::Problem&, bool, bool);
};
const Op kOps[] = {{ADJ_OP_CONV_FORWARD, false, false, define<adj_conv_forward_descriptor>},
                   {ADJ_OP_CONV_BACKWARD, false, true, define<adj_conv_backward_descriptor>},
                   {ADJ_OP_CONV_TRANSPOSE_FORWARD, true, false, define<adj_conv_transpose_forward_descriptor>},
                   {ADJ_OP_CONV_TRANSPOSE_BACKWARD, true, true, define<adj_conv_transpose_backward_descriptor>}};

double rounded(double value, adj_dtype type) {
  double result = value;
  adj::with_float(type, [&](auto* t) { result = adj::to_double(adj::from_double<std::remove_pointer_t<decltype(t)>>(value)); });
  return result;
}

// Compares the host's results with the definition, inside the host's own bound. Returns the number of elements.
std::int64_t check(const Op& op, const harness::Problem& problem, const std::string& name) {
  constexpr double kBound = 1e-13;  // of the terms, before the result is rounded
  const auto expected = op.define(problem, op.transposed, op.backward);
  auto outputs = harness::run_reference(problem);
  REQUIRE_MESSAGE(outputs.ok(), (outputs ? "" : outputs.error().message));
  std::int64_t wrong = 0, count = 0;
  for (const auto& [argument, values] : expected) {
    const harness::Data& got = outputs->arguments[problem.argument(argument.c_str())].at(0);
    for (std::size_t i = 0; i < values.sum.size(); ++i, ++count) {
      const double sum = values.sum[i].value(), room = kBound * values.size[i].value(), x = got.get(static_cast<std::int64_t>(i));
      const adj_dtype type = problem.signature()[0];
      const bool good = std::isfinite(sum) ? x >= rounded(sum - room, type) && x <= rounded(sum + room, type) : std::isnan(sum) ? std::isnan(x) : x == sum;
      if (!good && ++wrong <= 3) {
        CAPTURE(argument);
        CAPTURE(i);
        INFO(x, " expected ", sum, " within ", room, " of terms");
        CHECK_MESSAGE(good, name);
      }
    }
  }
  CHECK_MESSAGE(wrong == 0, name);
  return count;
}

// Products of a problem, from the shapes in the words of small and weight.
template <class Descriptor>
std::int64_t products(const harness::Problem& problem, bool transposed) {
  const auto& d = *reinterpret_cast<const Descriptor*>(problem.descriptor());
  return products_of(transposed ? d.input : d.out, d.weight);
}
std::int64_t products(const Op& op, const harness::Problem& problem) {
  if (op.backward)
    return op.transposed ? products<adj_conv_transpose_backward_descriptor>(problem, true) : products<adj_conv_backward_descriptor>(problem, false);
  return op.transposed ? products<adj_conv_transpose_forward_descriptor>(problem, true) : products<adj_conv_forward_descriptor>(problem, false);
}

// Calls fn(op, problem, name) for drawn problems with all options together.
void for_each_drawn(const std::function<void(const Op&, harness::Problem&, const std::string&)>& fn) {
  constexpr int kDraws = 90;
  constexpr std::int64_t kMostProducts = std::int64_t{1} << (kSlowCases ? 15 : 18);
  for (const Op& op : kOps) {
    const harness::RandomCase draw = harness::random_case_of(op.id);
    REQUIRE(static_cast<bool>(draw));
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      const adj_dtype type = std::array{ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16}[seed % 4];
      const harness::Case c = draw(adj::Signature{type}, 1000 + seed);
      if (products(op, *c.problem) > kMostProducts) continue;
      fn(op, *c.problem, fmt::format("{} {} {}", adj::find_op(op.id)->name, adj::dtype_name(type), c.name));
    }
  }
}

std::uint64_t hash_of(const harness::Outputs& outputs) {
  std::uint64_t hash = 14695981039346656037u;
  for (const auto& list : outputs.arguments)
    for (const harness::Data& d : list)
      for (const std::byte b : d.bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 1099511628211u;
  return hash;
}

}  // namespace

TEST_CASE("convolutions and their gradients have the sums of the definition, on drawn options") {
  std::int64_t problems = 0, elements = 0;
  for_each_drawn([&](const Op& op, harness::Problem& problem, const std::string& name) {
    elements += check(op, problem, name);
    ++problems;
  });
  MESSAGE(problems << " problems, " << elements << " elements");
  CHECK(problems > 80);
}

TEST_CASE("a number that is not finite reaches those results of a convolution alone that have a product with it") {
  std::int64_t problems = 0;
  for_each_drawn([&](const Op& op, harness::Problem& problem, const std::string& name) {
    std::mt19937_64 rng(static_cast<std::uint64_t>(problems));
    for (const char* argument : {"input", "weight", "dout"}) {
      if (!op.backward && *argument == 'd') continue;
      auto& contents = problem.contents()[problem.argument(argument)];
      if (!contents.present || contents.data[0].numel() == 0) continue;
      harness::Data& data = contents.data[0];
      for (const double value : std::array<double, 3>{INFINITY, -INFINITY, NAN})
        data.set(static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(data.numel())), value);
    }
    check(op, problem, name);
    ++problems;
  });
  CHECK(problems > 80);
}

TEST_CASE("strides that share divisors with dilations, strides beyond the weight, and a weight in large steps") {
  struct Setting {
    std::int64_t big, taps, stride, dilation, before, after;
  };
  for (const Setting& s : {Setting{40, 5, 6, 4, 3, 2}, Setting{41, 3, 7, 1, 0, 0}, Setting{30, 2, 5, 29, 0, 0}, Setting{9, 9, 9, 1, 4, 4},
                           Setting{13, 4, 4, 2, 6, 1}, Setting{25, 3, 12, 8, 8, 8}})
    for (const int last : {0, 1})
      for (const Op& op : {kOps[1], kOps[2]}) {
        const std::int64_t small = (s.big + s.before + s.after - s.dilation * (s.taps - 1) - 1) / s.stride + 1;
        const auto fill = [&](auto d) {
          const adj_shape of_big = last ? adj_shape{3, {2, s.big, 3}} : adj_shape{3, {2, 3, s.big}};
          const adj_shape of_small = last ? adj_shape{3, {2, small, 5}} : adj_shape{3, {2, 5, small}};
          d.input = op.transposed ? of_small : of_big;
          d.out = op.transposed ? of_big : of_small;
          d.weight = last ? adj_shape{3, {5, s.taps, 3}} : adj_shape{3, {5, 3, s.taps}};
          d.strides = {.count = 1, .at = {s.stride}};
          d.dilations = {.count = 1, .at = {s.dilation}};
          d.pads = {.count = 2, .at = {s.before, s.after}};
          d.channels_last = last;
          d.element = ADJ_F64;
          return harness::Problem::of(d);
        };
        harness::Problem problem = op.backward ? fill(adj_conv_backward_descriptor{}) : fill(adj_conv_transpose_forward_descriptor{});
        harness::Rng rng(7);
        for (auto& argument : problem.contents())
          for (harness::Data& data : argument.data) harness::fill_normal(data, rng);
        check(op, problem, fmt::format("{} taps, stride {}, dilation {}, channels last {}", s.taps, s.stride, s.dilation, last));
      }
}

TEST_CASE("a convolution and its gradients have the same bits for any number of threads") {
  struct Row {
    adj_dtype type;
    std::uint64_t forward, backward;  // hashes of all results
  };
  for (const Row& row : {Row{ADJ_F32, 3650252388894872453u, 6626069766107767640u}, Row{ADJ_BF16, 12316441756622565400u, 9010101828615357424u},
                         Row{ADJ_F64, 14976035962630424759u, 5913023759593306496u}}) {
    const auto fill = [&](auto d) {
      d.input = {4, {24, 24, 27, 25}};  // work for eight threads
      d.weight = {4, {40, 12, 3, 3}};
      d.out = {4, {24, 40, 14, 25}};
      d.strides = {.count = 2, .at = {2, 1}};
      d.pads = {.count = 4, .at = {1, 1, 1, 1}};
      d.groups = 2;
      d.element = row.type;
      if constexpr (requires { d.has_bias; }) d.has_bias = 1;
      else d.has_dbias = 1;
      auto problem = harness::Problem::of(d);
      std::uint64_t state = 1;
      for (auto& argument : problem.contents())
        for (harness::Data& data : argument.data)
          for (std::int64_t i = 0; i < data.numel(); ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            data.set(i, static_cast<double>(state >> 40) * 0x1p-23 - 1);
          }
      return problem;
    };
    const harness::Problem problems[] = {fill(adj_conv_forward_descriptor{}), fill(adj_conv_backward_descriptor{})};
    for (const bool backward : {false, true})
      for (const unsigned threads : {1u, 2u, 3u, 7u}) {
        support::threads_to_take = threads;
        auto outputs = harness::run_reference(problems[backward]);
        support::threads_to_take = 0;
        REQUIRE(outputs.ok());
        const std::string type = adj::dtype_name(row.type);
        CAPTURE(type);
        CAPTURE(backward);
        CAPTURE(threads);
        CHECK(hash_of(*outputs) == (backward ? row.backward : row.forward));
      }
  }
}

TEST_CASE("the products of a block have the same bits with the instructions that every processor has") {
  std::mt19937_64 rng(1);
  std::normal_distribution<double> normal;
  const auto a = std::make_unique<Tile>(), b = std::make_unique<Tile>();
  for (Tile* t : {a.get(), b.get()})
    for (auto& row : t->at)
      for (double& x : row) x = normal(rng);
  for (const auto& [rows, columns, depth] : {std::array{64, 64, 64}, std::array{1, 1, 1}, std::array{7, 13, 5}, std::array{3, 8, 64}, std::array{62, 57, 63}}) {
    auto one = std::make_unique<Tile>(), other = std::make_unique<Tile>();
    adj::host::add_products(*one, *a, *b, rows, columns, depth);
    support::narrow_registers = true;
    adj::host::add_products(*other, *a, *b, rows, columns, depth);
    support::narrow_registers = false;
    bool same = true;
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < columns; ++j) {
        double sum = 0;
        for (int q = 0; q < depth; ++q) sum += (*a)[r][q] * (*b)[q][j];
        same = same && std::bit_cast<std::uint64_t>((*one)[r][j]) == std::bit_cast<std::uint64_t>(sum) &&
               std::bit_cast<std::uint64_t>((*other)[r][j]) == std::bit_cast<std::uint64_t>(sum);
      }
    CHECK(same);
  }
}

TEST_CASE("long sums of a matrix product and its gradient of a bias stay inside the bound") {
  constexpr std::int64_t kLong = 200'000;
  adj_matmul_descriptor d;
  d.m = d.n = 1, d.k = kLong, d.element = ADJ_F64, d.transpose_a = 1, d.has_dbias = 1;
  std::vector<double> a(kLong, 0.1), b(kLong, 1), out(1), dbias(1);
  adj_matmul_args args;
  args.a = support::tensor(a), args.b = support::tensor(b), args.d = support::tensor(out), args.dbias = support::tensor(dbias);
  REQUIRE(support::run(d, args));
  const double exact = 0.1 * kLong;
  CHECK(std::fabs(out[0] - exact) <= 1e-13 * exact);
  CHECK(std::fabs(dbias[0] - exact) <= 1e-13 * exact);
}
