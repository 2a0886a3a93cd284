// Cases of the optimizers: list shapes around every boundary of the launches, all options, scalars by value and on the device.
#include <cmath>

#include <adjoint/ops/optimizer.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

using Numel = std::vector<std::int64_t>;

struct Shape {
  std::string name;
  Numel numel;
};

// `count` small tensors of changing size, every seventh one empty.
Numel many(std::int64_t count, std::int64_t largest) {
  Numel numel;
  for (std::int64_t i = 0; i < count; ++i) numel.push_back(i % 7 == 3 ? 0 : (i * 5) % largest + 1);
  return numel;
}

bool one_type(const adj::Signature& s) { return s[1] == s[0] && (s[2] == s[0] || !s[2]) && !s[3]; }

std::vector<Shape> shapes(const adj::Signature& s, Level level) {
  std::vector<Shape> list{{"one element", {1}},
                          {"sizes around a vector", {0, 1, 3, 4, 7, 8}},
                          {"sizes around a block", {511, 512, 513}},
                          {"n 4095", {4095}},
                          {"n 4096 and empty", {4096, 0}},
                          {"n 4097", {4097}},
                          {"5 tensors", many(5, 60)},
                          {"90 tensors", many(90, 20)},
                          {"210 tensors", many(210, 20)},
                          {"1100 tensors", many(1100, 4)},
                          {"empty tensors only", {0, 0, 0}},
                          {"no tensors", {}}};
  if (level == Level::full) {
    list.push_back({"n 65537", {65537}});
    list.push_back({"2000 tensors", many(2000, 3000)});
    // Sizes at which other libraries lose an element or update one twice.
    if (one_type(s) && (s[0] == ADJ_F32 || s[0] == ADJ_BF16)) {
      list.push_back({"32 tensors of 655360", Numel(32, 655360)});
      list.push_back({"n 2^24 + 1", {(1 << 24) + 1}});
    }
  }
  return list;
}

// How a case passes its scalars, and whether it is told to skip.
struct Calling {
  double lr = 0.01, grad_scale = 1;
  adj_dtype lr_on = ADJ_DTYPE_NONE, scale_on = ADJ_DTYPE_NONE;  // ADJ_DTYPE_NONE: by value
  int found_inf = -1;                                           // -1: not given
  bool special = false;                                         // infinities and NaN among the gradients
};

void set_scalar(Problem& p, const char* name, double value, adj_dtype on) {
  if (on)
    p.device_scalar(name, value, on);
  else
    p.scalar(name, value);
}

void fill_common(Problem& p, Rng& rng, const Calling& c) {
  for (Data& d : p.list("params")) fill_normal(d, rng);
  for (Data& d : p.list("grads")) {
    fill_normal(d, rng, c.grad_scale);
    const double special[] = {INFINITY, -INFINITY, NAN};
    if (c.special)
      for (std::int64_t i = 0; i < std::min<std::int64_t>(3, d.numel()); ++i) d.set(i, special[i]);
  }
  set_scalar(p, "lr", c.lr, c.lr_on);
  set_scalar(p, "grad_scale", c.grad_scale, c.scale_on);
  if (c.found_inf < 0)
    p.omit("found_inf");
  else
    fill_constant(p.tensor("found_inf"), c.found_inf);
}

double scalar_of(const Problem& p, const char* name) {
  const auto& c = p.contents()[p.slot(name)];
  return c.data.empty() ? c.scalar.value : c.data[0].get(0);
}
const std::vector<Data>& list_of(const Problem& p, const char* name) { return p.contents()[p.slot(name)].data; }

// One magnitude per element of a list: of(tensor, element).
template <class Of>
std::vector<std::vector<double>> for_each_element(const Problem& p, Of of) {
  std::vector<std::vector<double>> result;
  const auto& params = list_of(p, "params");
  for (std::size_t t = 0; t < params.size(); ++t) {
    auto& row = result.emplace_back(static_cast<std::size_t>(params[t].numel()));
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = of(t, static_cast<std::int64_t>(i));
  }
  return result;
}

// The old weight is exact and enters a sum with one rounding, which is the one at the store; so the terms whose errors
// count are those subtracted from it.
std::vector<std::vector<double>> adamw_magnitudes(const Problem& p, const std::string& output) {
  const auto& d = *reinterpret_cast<const adj_adamw_descriptor*>(p.descriptor());
  const auto &w = list_of(p, "params"), &g = list_of(p, "grads"), &m = list_of(p, "exp_avg"), &v = list_of(p, "exp_avg_sq");
  const double scale = scalar_of(p, "grad_scale"), lr = std::fabs(scalar_of(p, "lr")), step = scalar_of(p, "step");
  const double a = d.no_bias_correction ? 1 : 1 - std::pow(d.beta1, step), b = d.no_bias_correction ? 1 : 1 - std::pow(d.beta2, step);
  auto gradient = [&](std::size_t t, std::int64_t i) { return std::fabs(g[t].get(i) / scale); };
  auto mean = [&](std::size_t t, std::int64_t i) { return d.beta1 * std::fabs(m[t].get(i)) + (1 - d.beta1) * gradient(t, i); };
  auto square = [&](std::size_t t, std::int64_t i) {
    const double x = gradient(t, i);
    return d.beta2 * std::fabs(v[t].get(i)) + (1 - d.beta2) * x * x;
  };
  if (output == "exp_avg") return for_each_element(p, mean);
  if (output == "exp_avg_sq") return for_each_element(p, square);
  if (output != "params" && output != "copies") return {};
  return for_each_element(p, [&](std::size_t t, std::int64_t i) {
    const double root = std::sqrt(square(t, i)), decay = lr * std::fabs(d.weight_decay);
    const double change = d.mode == ADJ_ADAMW_DECAY_LAST ? lr * std::sqrt(b) / a * mean(t, i) / (root + d.epsilon)
                                                         : lr * mean(t, i) / a / (root / std::sqrt(b) + d.epsilon);
    return decay * std::fabs(w[t].get(i)) + change * (1 + decay);
  });
}

std::vector<std::vector<double>> sgd_magnitudes(const Problem& p, const std::string& output) {
  const auto& d = *reinterpret_cast<const adj_sgd_descriptor*>(p.descriptor());
  const auto &w = list_of(p, "params"), &g = list_of(p, "grads"), &buffers = list_of(p, "momentum_buffers");
  const double scale = scalar_of(p, "grad_scale"), lr = std::fabs(scalar_of(p, "lr"));
  auto gradient = [&](std::size_t t, std::int64_t i) {
    return std::fabs(g[t].get(i) / scale) + std::fabs(d.weight_decay * w[t].get(i));
  };
  auto buffer = [&](std::size_t t, std::int64_t i) {
    if (d.first_step) return gradient(t, i);
    return d.momentum * std::fabs(buffers[t].get(i)) + std::fabs(1 - d.dampening) * gradient(t, i);
  };
  if (output == "momentum_buffers") return for_each_element(p, buffer);
  if (output != "params" && output != "copies") return {};
  return for_each_element(p, [&](std::size_t t, std::int64_t i) {
    if (!d.state) return lr * gradient(t, i);
    return lr * (d.nesterov ? gradient(t, i) + d.momentum * buffer(t, i) : buffer(t, i));
  });
}

}  // namespace

std::vector<Case> adamw_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Options {
    std::string name;
    adj_adamw_mode mode = ADJ_ADAMW_DEFAULT;
    int no_bias_correction = 0, advance = 0;
    double weight_decay = 1e-2, epsilon = 1e-8, beta1 = 0.9, beta2 = 0.999;
    double step = 1;
    bool step_on_device = false, fresh = false;  // fresh: both moments are zero
    Calling calling{};
  };
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const Shape& shape, const Options& o) {
    adj_adamw_descriptor d;
    d.count = static_cast<std::int64_t>(shape.numel.size());
    d.numel = shape.numel.data();
    d.param = signature[0];
    d.grad = signature[1];
    d.state = signature[2];
    d.copy = signature[3];
    d.mode = o.mode;
    d.no_bias_correction = o.no_bias_correction;
    d.advance_step = o.advance;
    d.beta1 = o.beta1;
    d.beta2 = o.beta2;
    d.epsilon = o.epsilon;
    d.weight_decay = o.weight_decay;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill_common(*problem, rng, o.calling);
    if (!o.fresh) {
      for (Data& data : problem->list("exp_avg")) fill_normal(data, rng, 0.1);
      for (Data& data : problem->list("exp_avg_sq")) fill_uniform(data, rng, 0, 0.1);
    }
    set_scalar(*problem, "step", o.step, o.step_on_device ? ADJ_I64 : ADJ_DTYPE_NONE);
    if (!o.step_on_device) problem->omit("error_flag");
    cases.push_back({shape.name + (o.name.empty() ? "" : ", " + o.name), problem, adamw_magnitudes});
  };

  for (const Shape& shape : shapes(signature, level)) add(shape, {});
  const Shape mixed{"mixed sizes", {5, 0, 700, 64, 1}};
  const Calling on_device{.lr = 0.3, .grad_scale = 128, .lr_on = ADJ_F32, .scale_on = ADJ_F32, .found_inf = 0};
  const Calling on_device_f64{.lr = 1e-3, .grad_scale = 3, .lr_on = ADJ_F64, .scale_on = ADJ_F64};
  const Calling skip{.lr = 0.3, .found_inf = 1};
  add(mixed, {.name = "decay first, first step", .mode = ADJ_ADAMW_DECAY_FIRST, .fresh = true, .calling = {.lr = 0.1}});
  add(mixed, {.name = "decay last, step 3", .mode = ADJ_ADAMW_DECAY_LAST, .weight_decay = 0.5, .step = 3,
              .calling = {.lr = 0.2, .grad_scale = 7}});
  add(mixed, {.name = "decay last, no bias correction", .mode = ADJ_ADAMW_DECAY_LAST, .no_bias_correction = 1, .weight_decay = 0,
              .step = 0});
  add(mixed, {.name = "step 1000000", .beta2 = 0.9999999, .step = 1e6});
  add(mixed, {.name = "no memory", .epsilon = 1e-3, .beta1 = 0, .beta2 = 0, .step = 9});
  add(mixed, {.name = "all on the device", .step = 41, .step_on_device = true, .calling = on_device});
  add(mixed, {.name = "all on the device in f64, step advances", .advance = 1, .step = 5, .step_on_device = true,
              .calling = on_device_f64});
  add(mixed, {.name = "found_inf", .advance = 1, .step = 5, .step_on_device = true, .calling = skip});
  add(mixed, {.name = "found_inf, step by value", .calling = skip});
  add(mixed, {.name = "step 0 on the device", .advance = 1, .step = 0, .step_on_device = true});
  add({"130 tensors", many(130, 20)}, {.name = "step -1 on the device", .step = -1, .step_on_device = true});
  add({"empty tensors only", {0, 0}}, {.name = "step advances", .advance = 1, .step = 5, .step_on_device = true});
  add({"empty tensors only", {0, 0}}, {.name = "step 0 on the device", .advance = 1, .step = 0, .step_on_device = true});
  add({"1100 tensors", many(1100, 4)}, {.name = "step advances", .advance = 1, .step = 5, .step_on_device = true, .calling = on_device});
  add(mixed, {.name = "infinities and NaN", .calling = {.grad_scale = 2, .special = true}});
  return cases;
}

std::vector<Case> sgd_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Options {
    std::string name;
    double momentum = 0.9, dampening = 0, weight_decay = 0;  // momentum counts only for signatures with buffers
    int nesterov = 0, first_step = 0;
    Calling calling{};
  };
  std::vector<Case> cases;
  Rng rng(seed);
  const bool momentum = signature[2] != ADJ_DTYPE_NONE;
  auto add = [&](const Shape& shape, const Options& o) {
    adj_sgd_descriptor d;
    d.count = static_cast<std::int64_t>(shape.numel.size());
    d.numel = shape.numel.data();
    d.param = signature[0];
    d.grad = signature[1];
    d.state = signature[2];
    d.copy = signature[3];
    d.momentum = momentum ? o.momentum : 0;
    d.dampening = o.dampening;
    d.weight_decay = o.weight_decay;
    d.nesterov = o.nesterov;
    d.first_step = o.first_step;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill_common(*problem, rng, o.calling);
    if (momentum)
      for (Data& data : problem->list("momentum_buffers")) {
        // What a first step finds in its buffers must not matter.
        if (o.first_step)
          fill_constant(data, NAN);
        else
          fill_normal(data, rng);
      }
    cases.push_back({shape.name + (o.name.empty() ? "" : ", " + o.name), problem, sgd_magnitudes});
  };

  for (const Shape& shape : shapes(signature, level)) add(shape, {});
  const Shape mixed{"mixed sizes", {5, 0, 700, 64, 1}};
  add(mixed, {.name = "weight decay", .weight_decay = 0.1, .calling = {.grad_scale = 7}});
  add(mixed, {.name = "scalars on the device", .weight_decay = 0.1,
              .calling = {.lr = 0.3, .grad_scale = 128, .lr_on = ADJ_F32, .scale_on = ADJ_F32, .found_inf = 0}});
  add(mixed, {.name = "scalars on the device in f64", .calling = {.lr = 1e-3, .grad_scale = 3, .lr_on = ADJ_F64, .scale_on = ADJ_F64}});
  add(mixed, {.name = "found_inf", .calling = {.found_inf = 1}});
  add(mixed, {.name = "infinities and NaN", .calling = {.special = true}});
  if (momentum) {
    add(mixed, {.name = "dampening", .momentum = 0.5, .dampening = 0.3, .weight_decay = 0.05});
    add(mixed, {.name = "Nesterov", .weight_decay = 0.05, .nesterov = 1});
    add(mixed, {.name = "first step", .dampening = 0.3, .first_step = 1});
    add(mixed, {.name = "first step, Nesterov", .nesterov = 1, .first_step = 1});
  }
  return cases;
}

}  // namespace harness
