// Convolution, transposed convolution and their gradients on the host stream: published vectors, the adjoint identities in the input, the
// weight and the bias, both layouts, and refused input.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <adjoint/ops/conv.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Numbers = std::vector<double>;
using Dims = std::vector<std::int64_t>;

adj_shape shape(const Dims& dims) {
  adj_shape s{};
  for (std::int64_t n : dims) s.dims[s.rank++] = n;
  return s;
}
adj_axes axes(const Dims& list) {
  adj_axes a{};
  for (std::int64_t v : list) a.at[a.count++] = v;
  return a;
}
std::int64_t volume(const Dims& dims) { return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>()); }
double dot(const Numbers& a, const Numbers& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

struct Plain {
  using Forward = adj_conv_forward_descriptor;
  using ForwardArgs = adj_conv_forward_args;
  using Backward = adj_conv_backward_descriptor;
  using BackwardArgs = adj_conv_backward_args;
  static constexpr bool transposed = false;
};
struct Transposed {
  using Forward = adj_conv_transpose_forward_descriptor;
  using ForwardArgs = adj_conv_transpose_forward_args;
  using Backward = adj_conv_transpose_backward_descriptor;
  using BackwardArgs = adj_conv_transpose_backward_args;
  static constexpr bool transposed = true;
};

struct Problem {
  Dims input, weight, out;
  Dims strides{}, pads{}, dilations{};
  std::int64_t groups = 1;
  int channels_last = 0;
  std::int64_t channels() const { return out[channels_last ? out.size() - 1 : 1]; }
};
template <class Descriptor>
Descriptor descriptor(const Problem& p) {
  Descriptor d;
  d.input = shape(p.input);
  d.weight = shape(p.weight);
  d.out = shape(p.out);
  d.strides = axes(p.strides);
  d.pads = axes(p.pads);
  d.dilations = axes(p.dilations);
  d.groups = p.groups;
  d.element = ADJ_F64;
  d.channels_last = p.channels_last;
  return d;
}

template <class Op>
Numbers forward(const Problem& p, Numbers input, Numbers weight, Numbers bias) {
  auto d = descriptor<typename Op::Forward>(p);
  d.has_bias = !bias.empty();
  Numbers out(static_cast<std::size_t>(volume(p.out)));
  typename Op::ForwardArgs a;
  a.input = tensor(input);
  a.weight = tensor(weight);
  if (!bias.empty()) a.bias = tensor(bias);
  a.out = tensor(out);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return out;
}
struct Gradients {
  Numbers dinput, dweight, dbias;
};
template <class Op>
Gradients gradients(const Problem& p, Numbers dout, Numbers input, Numbers weight, bool accumulate = false) {
  auto d = descriptor<typename Op::Backward>(p);
  d.has_dbias = 1;
  d.write_mode = accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;
  Gradients g{Numbers(static_cast<std::size_t>(volume(p.input)), 7), Numbers(static_cast<std::size_t>(volume(p.weight)), 7),
              Numbers(static_cast<std::size_t>(p.channels()), 7)};
  typename Op::BackwardArgs a;
  a.dout = tensor(dout);
  a.input = tensor(input);
  a.weight = tensor(weight);
  a.dinput = tensor(g.dinput);
  a.dweight = tensor(g.dweight);
  a.dbias = tensor(g.dbias);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return g;
}
void check_near(const Numbers& got, const Numbers& expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO(i, ": ", got[i], " expected ", expected[i]);
    CHECK(std::fabs(got[i] - expected[i]) <= tolerance);
  }
}

// Problems of every kind, for the plain convolution; the transposed one exchanges input and result.
std::vector<Problem> problems() {
  std::vector<Problem> list{
      {.input = {2, 3, 9}, .weight = {4, 3, 3}, .out = {2, 4, 7}},
      {.input = {1, 2, 7}, .weight = {2, 2, 3}, .out = {1, 2, 4}, .strides = {2}, .pads = {1, 1}},
      {.input = {2, 4, 6, 5}, .weight = {6, 2, 3, 2}, .out = {2, 6, 3, 6}, .strides = {2, 1}, .pads = {1, 0, 0, 3}, .dilations = {1, 2}, .groups = 2},
      {.input = {1, 3, 5, 5}, .weight = {3, 1, 3, 3}, .out = {1, 3, 5, 5}, .pads = {1, 1, 1, 1}, .groups = 3},
      {.input = {1, 2, 3, 4, 5}, .weight = {3, 2, 2, 1, 3}, .out = {1, 3, 2, 2, 3}, .strides = {1, 2, 1}},
      {.input = {2, 2, 5}, .weight = {2, 2, 1}, .out = {2, 2, 2}, .strides = {3}},
  };
  return list;
}
Problem transposed(Problem p) {
  std::swap(p.input, p.out);
  return p;
}
Problem last(Problem p) {
  for (Dims* d : {&p.input, &p.weight, &p.out}) {
    const std::int64_t c = (*d)[1];
    d->erase(d->begin() + 1);
    d->push_back(c);
  }
  p.channels_last = 1;
  return p;
}
// Elements of a tensor in channels-last order.
Numbers to_last(const Dims& dims, const Numbers& x) {
  Numbers y(x.size());
  const auto channels = static_cast<std::size_t>(dims[1]);
  const std::size_t outer = static_cast<std::size_t>(dims[0]), inner = x.size() / outer / channels;
  for (std::size_t n = 0; n < outer; ++n)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t i = 0; i < inner; ++i) y[(n * inner + i) * channels + c] = x[(n * channels + c) * inner + i];
  return y;
}

}  // namespace

TEST_CASE("conv gradients published by the reference") {
  const Gradients g = gradients<Plain>({.input = {1, 1, 3, 3}, .weight = {2, 1, 2, 2}, .out = {1, 2, 2, 2}}, Numbers(8, 1),
                                       {-0.4406, 0.3064, 0.0794, -0.2795, 0.8228, 0.4751, 1.3114, 0.9522, 0.9082},
                                       {-0.082, -0.4214, -2.2745, -1.5834, 0.9746, 0.6936, -0.514, 0.99});
  check_near(g.dinput, {0.8926, 1.1648, 0.2723, -1.8959, -2.2169, -0.3211, -2.7884, -3.3818, -0.5933}, 3e-4);
  check_near(g.dweight, {0.4092, 1.6838, 2.8069, 3.1583, 0.4092, 1.6838, 2.8069, 3.1583}, 3e-4);
  check_near(g.dbias, {4, 4}, 0);

  const Gradients t = gradients<Transposed>({.input = {1, 2, 5}, .weight = {2, 2, 2}, .out = {1, 2, 6}}, Numbers(12, 1),
                                            {0.1868, -0.1679, 1.2677, 2.1288, -0.0331, 1.0454, 0.7722, 0.2963, -0.8684, -0.0547},
                                            {0.0847, -0.0066, 0.1212, 0.2317, -0.4975, 0.2762, -0.2644, 0.321});
  check_near(t.dinput, {0.4309, 0.4309, 0.4309, 0.4309, 0.4309, -0.1647, -0.1647, -0.1647, -0.1647, -0.1647}, 3e-4);
  check_near(t.dweight, {3.3823, 3.3823, 3.3823, 3.3823, 1.1908, 1.1908, 1.1908, 1.1908}, 3e-4);
  check_near(t.dbias, {6, 6}, 0);

  const Gradients s =
      gradients<Transposed>({.input = {1, 2, 10}, .weight = {2, 1, 3}, .out = {1, 2, 19}, .strides = {2}, .pads = {2, 2}, .dilations = {2}, .groups = 2},
                            Numbers(38, 1), {0.2816, 1.466,  0.1002, -0.246, -0.1027, 0.1228,  -0.8516, -1.0246, -0.6576, -1.028,
                                             0.1093, 0.1447, 1.1279, 0.1085, -0.3438, -0.6224, -0.0902, 2.2791,  -2.191,  1.9736},
                            {-0.105, -0.0622, -0.3632, -0.3861, -0.0134, -0.0277});
  check_near(s.dinput, {-0.4254, -0.5304, -0.5304, -0.5304, -0.5304, -0.5304, -0.5304, -0.5304, -0.5304, -0.1672,
                        -0.0411, -0.4272, -0.4272, -0.4272, -0.4272, -0.4272, -0.4272, -0.4272, -0.4272, -0.3995},
             3e-4);
  check_near(s.dweight, {-2.2215, -1.94, -0.912, 2.3863, 2.4956, 0.522}, 3e-4);
  check_near(s.dbias, {19, 19}, 0);
}

TEST_CASE("conv by hand") {
  // 1 2 3 4 with 1 10 and a bias of 100.
  check_near(forward<Plain>({.input = {1, 1, 4}, .weight = {1, 1, 2}, .out = {1, 1, 3}}, {1, 2, 3, 4}, {1, 10}, {100}), {121, 132, 143}, 0);
  // Pads at the beginning only, stride 2: elements -1 and 0, then 1 and 2.
  check_near(forward<Plain>({.input = {1, 1, 4}, .weight = {1, 1, 2}, .out = {1, 1, 2}, .strides = {2}, .pads = {1, 0}}, {1, 2, 3, 4}, {1, 10}, {}), {10, 32},
             0);
  check_near(forward<Transposed>({.input = {1, 1, 2}, .weight = {1, 1, 2}, .out = {1, 1, 4}, .strides = {2}}, {1, 2}, {1, 10}, {}), {1, 10, 2, 20}, 0);
  // An element of the result that no product reaches: output padding.
  check_near(forward<Transposed>({.input = {1, 1, 2}, .weight = {1, 1, 2}, .out = {1, 1, 5}, .strides = {2}}, {1, 2}, {1, 10}, {0.5}),
             {1.5, 10.5, 2.5, 20.5, 0.5}, 0);
}

TEST_CASE_TEMPLATE("conv and its gradients are adjoint in the input, the weight and the bias", Op, Plain, Transposed) {
  for (Problem p : problems()) {
    if (Op::transposed) p = transposed(p);
    for (bool channels_last : {false, true}) {
      const Problem q = channels_last ? last(p) : p;
      const Numbers x = wave(volume(q.input), 0.1), w = wave(volume(q.weight), 0.7), b = wave(q.channels(), 2.1), u = wave(volume(q.out), 1.3);
      const Gradients g = gradients<Op>(q, u, x, w);
      const Numbers y = forward<Op>(q, x, w, {});
      CHECK(std::fabs(dot(y, u) - dot(x, g.dinput)) < 1e-12);
      CHECK(std::fabs(dot(y, u) - dot(w, g.dweight)) < 1e-12);
      const Numbers only_bias = forward<Op>(q, Numbers(x.size()), w, b);
      CHECK(std::fabs(dot(only_bias, u) - dot(b, g.dbias)) < 1e-12);
      // Accumulated onto sevens.
      const Gradients more = gradients<Op>(q, u, x, w, true);
      for (std::size_t i = 0; i < more.dweight.size(); ++i) CHECK(std::fabs(more.dweight[i] - 7 - g.dweight[i]) < 1e-14);
      for (std::size_t i = 0; i < more.dbias.size(); ++i) CHECK(std::fabs(more.dbias[i] - 7 - g.dbias[i]) < 1e-14);
      CHECK(more.dinput == g.dinput);
    }
    const Problem l = last(p);
    const Numbers x = wave(volume(p.input), 0.1), w = wave(volume(p.weight), 0.7), u = wave(volume(p.out), 1.3);
    const Gradients a = gradients<Op>(p, u, x, w), c = gradients<Op>(l, to_last(p.out, u), to_last(p.input, x), to_last(p.weight, w));
    check_near(c.dinput, to_last(p.input, a.dinput), 1e-14);
    check_near(c.dweight, to_last(p.weight, a.dweight), 1e-14);
    check_near(c.dbias, a.dbias, 1e-14);
  }
}

TEST_CASE("conv refuses what contradicts itself") {
  const Problem good{.input = {2, 4, 9}, .weight = {6, 2, 3}, .out = {2, 6, 7}, .groups = 2};
  auto message = [&](auto change) {
    Problem p = good;
    change(p);
    std::string text;
    CHECK(select_status(descriptor<adj_conv_backward_descriptor>(p), &text) == ADJ_ERROR_INVALID_PROBLEM);
    return text;
  };
  auto has = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  CHECK(select_status(descriptor<adj_conv_backward_descriptor>(good)) == ADJ_OK);
  has(message([](Problem& p) { p.groups = 3; }), "groups = 3 does not divide the 4 channels of input");
  has(message([](Problem& p) { p.groups = 0; }), "groups = 0 is below 1");
  has(message([](Problem& p) { p.weight[1] = 4; }), "weight has 6 by 4 channels, expected 6 by 2");
  has(message([](Problem& p) { p.out[2] = 8; }), "out has 8 elements in spatial dimension 0, expected 7 for 9 elements of input");
  has(message([](Problem& p) { p.weight[2] = 10; }), "nothing is left");
  has(message([](Problem& p) { p.weight[2] = 0; }), "weight has no elements in spatial dimension 0");
  has(message([](Problem& p) { p.pads = {1}; }), "pads.count = 1, expected 0 or 2");
  has(message([](Problem& p) { p.pads = {1, -1}; }), "pads.at[1] = -1 is outside");
  has(message([](Problem& p) { p.strides = {0}; }), "strides.at[0] = 0 is outside");
  has(message([](Problem& p) { p.dilations = {0}; }), "dilations.at[0] = 0 is outside");
  has(message([](Problem& p) { p.input = {2, 4}; }), "input.rank = 2, expected 3 to 5");
  has(message([](Problem& p) { p.out = {2, 6, 7, 1}; }), "out.rank = 4 differs from input.rank = 3");
  has(message([](Problem& p) { p.out[0] = 3; }), "differ: the batch");
  std::string text;
  auto t = descriptor<adj_conv_transpose_backward_descriptor>({.input = {1, 1, 2}, .weight = {1, 1, 2}, .out = {1, 1, 6}, .strides = {2}});
  CHECK(select_status(t, &text) == ADJ_ERROR_INVALID_PROBLEM);
  has(text, "input has 2 elements in spatial dimension 0, expected 3 for 6 elements of out");
  auto none = descriptor<adj_conv_backward_descriptor>(good);
  none.has_dweight = 0;
  none.write_mode = ADJ_WRITE_ACCUMULATE;
  CHECK(select_status(none, &text) == ADJ_ERROR_INVALID_PROBLEM);
  has(text, "which needs has_dweight || has_dbias");
}

TEST_CASE("conv on a device: 16-bit problems go to tensor cores, what these do not take to the direct kernel, with the reason") {
  const Problem plain{.input = {2, 16, 9, 9}, .weight = {24, 16, 3, 3}, .out = {2, 24, 7, 7}};
  struct Chosen {
    std::string sku, reason;  // why tensor cores were not taken
    std::vector<std::string> launches;
    std::uint64_t workspace = 0;
  };
  auto choose = [](const auto& d, const adj_preference* preference = nullptr) {
    auto plan = select(d, *adj::offline_stream("sm_90a"), preference);  // without cuDNN
    REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
    Chosen chosen{(*plan)->sku->variant->algorithm, "", {}, (*plan)->workspace_size};
    for (const auto& candidate : (*plan)->candidates)
      if (candidate.sku.find("/tensor_cores/") != std::string::npos) chosen.reason = candidate.reason;
    for (const adj::Step& step : (*plan)->steps)
      if (const auto* kernel = std::get_if<adj::KernelStep>(&step)) chosen.launches.push_back(kernel->program->entry());
    return chosen;
  };
  auto typed = [](auto d, adj_dtype type) {
    d.element = type;
    return d;
  };
  using Names = std::vector<std::string>;
  using Forward = adj_conv_forward_descriptor;
  using Backward = adj_conv_backward_descriptor;
  for (adj_dtype type : {ADJ_F16, ADJ_BF16}) {
    const Chosen first = choose(typed(descriptor<Backward>(plain), type));
    CHECK(first.sku == "tensor_cores");
    CHECK(first.reason == "accepted");
    // dout is packed once, for both products.
    CHECK(first.launches == Names{"gemm_pack", "gemm_pack", "conv_cores", "gemm_pack", "conv_cores_weight", "conv_finish"});
    CHECK(choose(typed(descriptor<Backward>(last(plain)), type)).launches == Names{"gemm_pack", "conv_cores", "conv_cores_weight", "conv_finish"});
    const Chosen direct = choose(typed(descriptor<Forward>(last(plain)), type));
    CHECK(direct.launches == Names{"conv_cores"});
    CHECK(direct.workspace == 0);
  }
  CHECK(choose(typed(descriptor<Backward>(plain), ADJ_F32)).sku == "implicit_gemm");
  adj_preference no_workspace;
  no_workspace.workspace_limit = 0;
  const Chosen limited = choose(typed(descriptor<Forward>(plain), ADJ_F16), &no_workspace);
  CHECK(limited.sku == "implicit_gemm");
  CHECK(limited.reason.find("preference.workspace_limit = 0") != std::string::npos);
  // Products of two rounds write sums in f32, which conv_finish rounds.
  const Problem deep{.input = {1, 8, 4096}, .weight = {8, 8, 600}, .out = {1, 8, 3497}, .channels_last = 0};
  CHECK(choose(typed(descriptor<Forward>(deep), ADJ_F16)).launches == Names{"gemm_pack", "gemm_pack", "conv_cores", "conv_finish"});

  auto refused = [&](const auto& d, const char* reason) {
    const Chosen other = choose(d);
    INFO(other.reason);
    CHECK(other.sku == "implicit_gemm");
    CHECK(other.reason.find(reason) != std::string::npos);
    adj_preference only;
    only.sku = "*/tensor_cores/*";
    auto plan = select(d, *adj::offline_stream("sm_90a"), &only);
    REQUIRE_FALSE(plan.ok());
    CHECK(plan.error().code == ADJ_ERROR_UNSUPPORTED);
    CHECK(plan.error().message.find(reason) != std::string::npos);
  };
  refused(typed(descriptor<Backward>({.input = {2, 6, 9}, .weight = {6, 1, 3}, .out = {2, 6, 7}, .groups = 6}), ADJ_F16),
          "takes groups of at least 2 channels on both sides");
  refused(typed(descriptor<Backward>({.input = {0, 8, 9}, .weight = {8, 8, 3}, .out = {0, 8, 7}}), ADJ_BF16), "takes no empty tensors");
  const Problem far{.input = {2, 8, 100}, .weight = {8, 8, 3}, .out = {2, 8, 11}, .strides = {9}};
  refused(typed(descriptor<Backward>(far), ADJ_F16), "takes strides up to 8 in this direction, has 9 in spatial dimension 2 of 3");
  CHECK(choose(typed(descriptor<Forward>(far), ADJ_F16)).sku == "tensor_cores");
  refused(typed(descriptor<Forward>({.input = {16, 8, 1 << 26}, .weight = {8, 2, 1}, .out = {16, 8, 1 << 26}, .groups = 4}), ADJ_F16),
          "takes at most 2147483647 vectors of 8 channels in a tensor, has 16 times 67108864 times 4 times 1");
  // The last index that a block counts to is beyond the places by less than two tiles of 128, so the last places that fit 32 bits are left out.
  CHECK(choose(typed(descriptor<Forward>({.input = {2147483391, 2, 1}, .weight = {8, 2, 1}, .out = {2147483391, 8, 1}}), ADJ_F16)).sku == "tensor_cores");
  refused(typed(descriptor<Forward>({.input = {2147483392, 2, 1}, .weight = {8, 2, 1}, .out = {2147483392, 8, 1}}), ADJ_F16),
          "takes at most 2147483391 places, has 2147483392 times 1");
  refused(typed(descriptor<Forward>({.input = {1, 64, 5000000}, .weight = {2, 64, 5000000}, .out = {1, 2, 1}}), ADJ_F16),
          "takes at most 268435423 vectors of 8 channels in the weight, has 1 times 64 times 5000000 times 1");
}

TEST_CASE("conv on a device: problems beyond what any kernel of ours counts in 32 bits are refused, with the size") {
  auto refused = [](const auto& d, const char* reason) {
    auto plan = select(d, *adj::offline_stream("sm_90a"));
    REQUIRE_FALSE(plan.ok());
    CHECK(plan.error().code == ADJ_ERROR_UNSUPPORTED);
    INFO(plan.error().message);
    CHECK(plan.error().message.find("conv_forward") != std::string::npos);
    CHECK(
        std::any_of(plan.error().rejections.begin(), plan.error().rejections.end(), [&](const auto& r) { return r.reason.find(reason) != std::string::npos; }));
  };
  using Forward = adj_conv_forward_descriptor;
  refused(descriptor<Forward>({.input = {1, 8, 1 << 28}, .weight = {8, 8, 1}, .out = {1, 8, 1 << 28}}),
          "takes images of at most 2147483647 elements, has 2147483648");
  refused(descriptor<Forward>({.input = {1 << 15, 1, 1 << 16}, .weight = {1, 1, 1}, .out = {1 << 15, 1, 1 << 16}}),
          "takes at most 2147483647 places of all images, has 32768 times 65536");
}
