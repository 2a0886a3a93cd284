// Cases of adam, lamb and sgd, which share the settings of a step.
#include <cmath>

#include <adjoint/ops/optimizer.h>

#include "harness/optimizer.hpp"

namespace harness {

using namespace optimizer;

namespace {

// When the terms of directions cancel, the norm of the directions is as inexact as the norm of the terms.
std::vector<std::vector<double>> lamb_magnitudes(const Problem& p, const std::string& output) {
  const auto& d = *reinterpret_cast<const adj_lamb_descriptor*>(p.descriptor());
  const auto &w = list_of(p, "params"), &g = list_of(p, "grads"), &m = list_of(p, "exp_avg"), &v = list_of(p, "exp_avg_sq");
  const double lr = std::fabs(scalar_of(p, "lr")), step = scalar_of(p, "step");
  struct Own {
    double beta1, beta2, epsilon, decay, scale, a, b;
  };
  auto own = [&](std::size_t t) {
    Own o{d.beta1_count ? d.beta1_of[t] : d.beta1,
          d.beta2_count ? d.beta2_of[t] : d.beta2,
          d.epsilon_count ? d.epsilon_of[t] : d.epsilon,
          d.weight_decay_count ? d.weight_decay_of[t] : d.weight_decay,
          scale_of(p, d.max_norm_count ? d.max_norm_of[t] : d.max_norm),
          1,
          1};
    if (!d.no_bias_correction) o.a = 1 - std::pow(o.beta1, step), o.b = 1 - std::pow(o.beta2, step);
    return o;
  };
  auto mean = [&](std::size_t t, std::int64_t i) {
    const Own o = own(t);
    return std::fabs(o.beta1 * m[t].get(i)) + std::fabs((1 - o.beta1) * g[t].get(i) / o.scale);
  };
  auto square_terms = [&](std::size_t t, std::int64_t i) {
    const Own o = own(t);
    const double x = g[t].get(i) / o.scale;
    return std::fabs(o.beta2 * v[t].get(i)) + std::fabs(1 - o.beta2) * x * x;
  };
  auto square = [&](std::size_t t, std::int64_t i) {
    const Own o = own(t);
    const double x = g[t].get(i) / o.scale;
    return o.beta2 * v[t].get(i) + (1 - o.beta2) * x * x;
  };
  if (output.ends_with("exp_avg")) return for_each_element(p, mean);
  if (output.ends_with("exp_avg_sq")) return for_each_element(p, square_terms);
  if (!output.ends_with("params") && output != "copies" && output != "updates" && !(d.updates && output == "grads")) return {};
  std::vector<double> rate, loss;
  auto terms = [&](std::size_t t, std::int64_t i) {
    const Own o = own(t);
    const double lost = square(t, i) > 0 ? square_terms(t, i) / square(t, i) : 1;
    return std::fabs(o.decay * w[t].get(i)) + mean(t, i) / o.a / (std::sqrt(square(t, i) / o.b) + o.epsilon) * lost;
  };
  for (std::size_t t = 0; t < w.size(); ++t) {
    const Own o = own(t);
    double weights = 0, exact = 0, all = 0;
    for (std::int64_t i = 0; i < w[t].numel(); ++i) {
      const double signed_mean = o.beta1 * m[t].get(i) + (1 - o.beta1) * g[t].get(i) / o.scale;
      const double direction = o.decay * w[t].get(i) + signed_mean / o.a / (std::sqrt(square(t, i) / o.b) + o.epsilon), term = terms(t, i);
      weights += w[t].get(i) * w[t].get(i), exact += direction * direction, all += term * term;
    }
    const bool plain = weights == 0 || exact == 0;
    rate.push_back(plain ? lr : lr * std::max(d.ratio_min, std::min(d.ratio_max, std::sqrt(weights / exact))));
    loss.push_back(plain ? 1 : std::sqrt(all / exact));
  }
  return for_each_element(p, [&](std::size_t t, std::int64_t i) { return rate[t] * terms(t, i) * (1 + loss[t]); });
}

std::vector<std::vector<double>> sgd_magnitudes(const Problem& p, const std::string& output) {
  const auto& d = *reinterpret_cast<const adj_sgd_descriptor*>(p.descriptor());
  const auto &w = list_of(p, "params"), &g = list_of(p, "grads"), &buffers = list_of(p, "momentum_buffers");
  const double scale = scale_of(p, d.max_norm), lr = std::fabs(scalar_of(p, "lr"));
  auto gradient = [&](std::size_t t, std::int64_t i) { return std::fabs(g[t].get(i) / scale) + std::fabs(d.weight_decay * w[t].get(i)); };
  auto buffer = [&](std::size_t t, std::int64_t i) {
    if (d.first_step) return gradient(t, i);
    return d.momentum * std::fabs(buffers[t].get(i)) + std::fabs(1 - d.dampening) * gradient(t, i);
  };
  if (output.ends_with("momentum_buffers")) return for_each_element(p, buffer);
  if (!output.ends_with("params") && output != "copies" && output != "updates" && !(d.updates && output == "grads")) return {};
  return for_each_element(p, [&](std::size_t t, std::int64_t i) {
    if (!d.state) return lr * gradient(t, i);
    return lr * (d.nesterov ? gradient(t, i) + d.momentum * buffer(t, i) : buffer(t, i));
  });
}

// Gives each tensor a number of its own, or none.
void fill_own(Problem& p, Rng& rng, const char* name, bool given, double low, double high) {
  if (given) fill_uniform(p.tensor(name), rng, low, high);
  else p.omit(name);
}

// Cases that adam and lamb have in common; `more` adds the cases of one operator. Without magnitudes, results are defined to the last bit.
template <class Descriptor, class More>
std::vector<Case> moment_cases(const adj::Signature& signature, const std::vector<Shape>& all, std::uint64_t seed, Magnitudes magnitudes, More more) {
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const Shape& shape, const Step& lists, double step, bool step_on_device, bool advance, auto set) {
    Descriptor d;
    d.count = static_cast<std::int64_t>(shape.numel.size());
    d.numel = shape.numel.data();
    d.param = signature[0];
    d.grad = signature[1];
    d.state = signature[2];
    d.copy = signature[3];
    d.weight_decay = 0.02;
    d.advance_step = advance;
    set_lists(d, lists);
    set(d);
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill_common(*problem, rng, lists.calling);
    for (Data& data : problem->list("exp_avg")) fill_normal(data, rng, 0.1);
    for (Data& data : problem->list("exp_avg_sq")) fill_uniform(data, rng, 0.001, 0.1);
    fill_step(*problem, rng, lists, {{"new_params", "params"}, {"new_exp_avg", "exp_avg"}, {"new_exp_avg_sq", "exp_avg_sq"}, {"updates", "grads"}});
    set_scalar(*problem, "step", step, step_on_device ? ADJ_I64 : ADJ_DTYPE_NONE);
    if constexpr (std::is_same_v<Descriptor, adj_adam_descriptor>) {
      fill_own(*problem, rng, "lr_of", lists.own_lr, 0, 0.1);
      fill_own(*problem, rng, "weight_decay_of", lists.own_decay, -0.1, 0.5);
    }
    cases.push_back({.name = shape.name + (lists.name.empty() ? "" : ", " + lists.name), .problem = problem, .magnitudes = magnitudes, .any_nan = !magnitudes});
    return problem;
  };
  auto none = [](Descriptor&) {};
  // With copies, only some shapes: a copy adds a store, and the signatures without copies try all shapes.
  for (const Shape& shape : all)
    if (!signature[3] || shape.numel.size() > 2) add(shape, {}, 2, false, false, none);
  const Shape mixed{"mixed sizes", {5, 0, 700, 64, 1}};
  for (const Step& lists : step_cases(signature)) add(mixed, lists, 3, true, true, none);
  add(mixed, {.name = "first step"}, 1, false, false, none);
  add(mixed, {.name = "step 1000000"}, 1e6, false, false, [](Descriptor& d) { d.beta2 = 0.9999999; });
  add(mixed, {.name = "no bias correction, no memory"}, 0, false, false,
      [](Descriptor& d) { d.no_bias_correction = 1, d.beta1 = d.beta2 = 0, d.epsilon = 1e-3; });
  // In these intervals no second moment becomes negative.
  add(mixed, {.name = "rates outside of [0, 1]"}, 0, false, false, [](Descriptor& d) { d.no_bias_correction = 1, d.beta1 = -0.5, d.beta2 = 1.00001; });
  add(mixed, {.name = "step 0 on the device"}, 0, true, true, none);
  add({"empty tensors only", {0, 0}}, {.name = "step advances"}, 5, true, true, none);
  more(add, mixed);
  return cases;
}

}  // namespace

std::vector<Case> adam_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return moment_cases<adj_adam_descriptor>(signature, shapes(signature, level), seed, nullptr, [&](auto add, const Shape& mixed) {
    using D = adj_adam_descriptor;
    Rng rng(seed + 1);
    const Shape empty{"empty tensors only", {0, 0}}, small{"130 tensors", many(130, 20)}, large{"1100 tensors", many(1100, 4)};
    const Calling on_device{.lr = 1e-3, .grad_scale = 3, .lr_on = ADJ_F64, .scale_on = ADJ_F64, .found_inf = 0};
    auto none = [](D&) {};
    auto last = [](D& d) { d.decay = ADJ_ADAM_DECAY_LAST; };
    auto l2 = [](D& d) { d.decay = ADJ_ADAM_DECAY_L2; };
    add(mixed, {.name = "decay last", .updates = true}, 3, false, false, last);
    add(mixed, {.name = "decay l2", .updates = true}, 3, false, false, l2);
    add(mixed, {.name = "negative squares", .updates = true}, 0, false, false, [](D& d) { d.no_bias_correction = 1, d.beta1 = 1.25, d.beta2 = -0.25; });
    add(mixed, {.name = "infinities and NaN", .updates = true, .calling = {.special = true}}, 3, false, false, none);
    add(mixed, {.name = "a negative scale", .calling = {.grad_scale = -3, .scale_on = ADJ_F32}}, 3, false, false, l2);
    add(mixed, {.name = "a negative scale, clipped", .gradient_norm = 60, .max_norm = 2, .calling = {.grad_scale = -3}}, 3, false, false, last);
    add(mixed, {.name = "all on the device in f64", .calling = on_device}, 41, true, false, none);
    add(mixed, {.name = "found_inf, step by value", .calling = {.lr = 0.3, .found_inf = 1}}, 3, false, false, none);
    add(small, {.name = "step -1 on the device"}, -1, true, false, none);
    add(empty, {.name = "step 0 on the device"}, 0, true, true, none);
    add(large, {.name = "step advances", .calling = on_device}, 5, true, true, none);
    auto fresh = add(mixed, {.name = "decay last, moments of zero", .calling = {.lr = 0.1}}, 1, false, false, last);
    for (const char* name : {"exp_avg", "exp_avg_sq"})
      for (Data& d : fresh->list(name)) fill_constant(d, 0);
    auto zeros = add(mixed, {.name = "zeros of both signs", .updates = true}, 3, false, false, none);
    for (const auto& [name, bit] : {std::pair{"params", 1}, {"grads", 2}, {"exp_avg", 4}})
      for (Data& d : zeros->list(name))
        for (std::int64_t i = 0; i < d.numel(); ++i) d.set(i, i & bit ? -0.0 : 0.0);
    add(mixed, {.name = "rates of their own", .own_lr = true}, 3, false, false, none);
    add(mixed, {.name = "decays of their own", .own_decay = true}, 3, false, false, l2);
    add(mixed, {.name = "rates and decays of their own", .own_lr = true, .own_decay = true}, 3, false, false, last);
    add(large, {.name = "rates and decays of their own", .own_lr = true, .own_decay = true}, 3, false, false, none);
    if (!adj::is_16bit_float(signature[0])) return;

    // The keys live as long as the function that sets them.
    auto random = [keys = std::vector<std::int64_t>()](D& d) mutable { keys = round_at_random(d, 0xfffffff0); };
    auto parts = [random](D& d) mutable { random(d), d.first_element_count = d.count, d.first_elements = kFirstElements; };
    auto add_random = [&](const Shape& shape, Step lists, bool on_device, auto set) {
      lists.name = "stochastic" + (lists.name.empty() ? "" : ", " + lists.name);
      auto problem = add(shape, lists, 5, on_device, on_device, set);
      set_scalar(*problem, "seed", 1234567, on_device ? ADJ_I64 : ADJ_DTYPE_NONE);
      return problem;
    };
    for (const Shape& shape : shapes(signature, level))
      if (shape.numel.size() > 2) add_random(shape, {}, false, random);
    add_random(mixed, {.name = "parts of tensors"}, false, parts);
    add_random(mixed, {.name = "all on the device", .calling = on_device}, true, random);
    add_random(mixed, {.name = "out of place, updates", .out_of_place = true, .updates = true}, true, parts);
    add_random(mixed, {.name = "cleared gradients", .clear_grads = true}, false, [random](D& d) mutable { random(d), d.decay = ADJ_ADAM_DECAY_LAST; });
    add_random(mixed, {.name = "found_inf", .calling = {.found_inf = 1}}, true, random);
    add_random(mixed, {.name = "rates and decays of their own", .own_lr = true, .own_decay = true}, false,
               [random](D& d) mutable { random(d), d.decay = ADJ_ADAM_DECAY_L2; });
    for (double lr : {1e-6, 1e-3, 100.0})
      for (Data& d : add_random(mixed, {.name = "extremes", .calling = {.lr = lr}}, false, random)->list("params")) fill_extremes(d, rng);
  });
}

std::vector<Case> lamb_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Shape> list = shapes(signature, level);
  if (!signature[3]) {
    list.push_back({"n 20000", {20000}});
    list.push_back({"chunks of norms", {8191, 8193}});
  }
  return moment_cases<adj_lamb_descriptor>(signature, list, seed, lamb_magnitudes, [&](auto add, const Shape& mixed) {
    using D = adj_lamb_descriptor;
    static const double betas[] = {0.5, 0.1, 0.9, 0, 0.99}, squares[] = {0.9, 0.99, 0.5, 0.1, 0.999}, epsilons[] = {1e-6, 1e-3, 0.1, 1e-8, 1},
                        decays[] = {0, 0.1, 0.5, 0.01, 1}, norms[] = {0.5, 1, 1000, 4, 2};
    add(mixed, {.name = "numbers of their own", .gradient_norm = 20}, 3, false, false, [](D& d) {
      d.beta1_count = d.beta2_count = d.epsilon_count = d.weight_decay_count = d.max_norm_count = d.count;
      d.beta1_of = betas, d.beta2_of = squares, d.epsilon_of = epsilons, d.weight_decay_of = decays, d.max_norm_of = norms;
    });
    add({"1100 tensors", many(1100, 4)}, {.name = "step advances", .updates = true}, 3, true, true, [](D&) {});
    add(mixed, {.name = "ratio from 2 to 3"}, 3, false, false, [](D& d) { d.ratio_min = 2, d.ratio_max = 3; });
    add(mixed, {.name = "ratio at most 0.01"}, 3, false, false, [](D& d) { d.ratio_min = -INFINITY, d.ratio_max = 0.01; });
    auto zero = add(mixed, {.name = "weights of zero", .updates = true}, 3, false, false, [](D&) {});
    for (Data& d : zero->list("params")) fill_constant(d, 0);
    auto still = add(mixed, {.name = "directions of zero"}, 3, false, false, [](D& d) { d.weight_decay = 0; });
    for (const char* name : {"grads", "exp_avg"})
      for (Data& d : still->list(name)) fill_constant(d, 0);
    for (bool out : {false, true}) {
      auto bad = add(mixed, {.name = "NaN and infinity", .out_of_place = out, .updates = out, .clear_grads = !out}, 3, false, false, [](D&) {});
      bad->list("grads")[2].set(699, NAN);
      bad->list("params")[4].set(0, INFINITY);
    }
    if (!signature[3]) {
      // In the second chunk of a tensor, without updates, cleared gradients or anybody who counts.
      auto bad = add({"two chunks", {7, 2100}}, {.name = "NaN"}, 3, false, false, [](D&) {});
      bad->list("grads")[1].set(2099, NAN);
      bad->omit("error_flag");
    }
    // Half of the steps would go beyond the largest number of the weights' type.
    const double largest = signature[0] == ADJ_F16 ? 65504 : signature[0] == ADJ_BF16 ? 0x1.fep127 : signature[0] == ADJ_F32 ? 0x1.fffffep127 : 0x1p500;
    for (bool out : {false, true}) {
      // A rate in the memory of the stream may be negative.
      const Calling calling = out ? Calling{.lr = 0.5} : Calling{.lr = -0.5, .lr_on = ADJ_F64};
      auto high = add(mixed, {.name = "weights up to the largest number", .out_of_place = out, .updates = out, .calling = calling}, 3, false, false,
                      [](D& d) { d.weight_decay = 0; });
      Rng high_rng(8);
      for (Data& d : high->list("params")) {
        fill_uniform(d, high_rng, 0.5 * largest, largest);
        for (std::int64_t i = 0; i < d.numel(); i += 2) d.set(i, -d.get(i));
      }
      // Directions of 1e-4 and less make rates beyond f32.
      if (signature[1] == ADJ_F16 || signature[2] == ADJ_F16) continue;
      for (const char* name : {"grads", "exp_avg"})
        for (std::size_t t : {2u, 4u}) {
          Data& d = high->list(name)[t];
          for (std::int64_t i = 0; i < d.numel(); ++i) d.set(i, 1e-5 * d.get(i));
        }
    }
    if (signature[0] != ADJ_F16) {
      // Squares outside the range of the type of the arithmetic.
      const double large = signature[0] == ADJ_F64 ? 1e200 : 1e25, small = 1 / large;
      Rng far_rng(7);
      for (double size : {large, small}) {
        auto far = add(mixed, {.name = size > 1 ? "large weights" : "small weights"}, 3, false, false, [](D& d) { d.weight_decay = 0; });
        for (Data& d : far->list("params")) fill_uniform(d, far_rng, size, 2 * size);
      }
    }
  });
}

std::vector<Case> sgd_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Options {
    std::string name;
    double momentum = 0.9, dampening = 0, weight_decay = 0;  // momentum counts only for signatures with buffers
    int nesterov = 0, first_step = 0;
    Calling calling{};
    Step lists{};
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
    set_lists(d, o.lists);
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill_common(*problem, rng, o.calling);
    fill_step(*problem, rng, o.lists, {{"new_params", "params"}, {"new_momentum_buffers", "momentum_buffers"}, {"updates", "grads"}});
    if (momentum)
      for (Data& data : problem->list("momentum_buffers")) {
        // A first step must not read its buffers.
        if (o.first_step) fill_constant(data, NAN);
        else fill_normal(data, rng);
      }
    cases.push_back({shape.name + (o.name.empty() ? "" : ", " + o.name), problem, sgd_magnitudes});
  };

  for (const Shape& shape : shapes(signature, level)) add(shape, {});
  const Shape mixed{"mixed sizes", {5, 0, 700, 64, 1}};
  add(mixed, {.name = "weight decay", .weight_decay = 0.1, .calling = {.grad_scale = 7}});
  add(mixed,
      {.name = "scalars on the device", .weight_decay = 0.1, .calling = {.lr = 0.3, .grad_scale = 128, .lr_on = ADJ_F32, .scale_on = ADJ_F32, .found_inf = 0}});
  add(mixed, {.name = "scalars on the device in f64", .calling = {.lr = 1e-3, .grad_scale = 3, .lr_on = ADJ_F64, .scale_on = ADJ_F64}});
  add(mixed, {.name = "found_inf", .calling = {.found_inf = 1}});
  add(mixed, {.name = "a negative scale", .weight_decay = 0.1, .calling = {.grad_scale = -3}});
  add(mixed, {.name = "a negative scale, clipped", .calling = {.grad_scale = -3, .scale_on = ADJ_F32}, .lists = {.gradient_norm = 60, .max_norm = 2}});
  add(mixed, {.name = "a negative scale, not clipped", .calling = {.grad_scale = -3, .scale_on = ADJ_F64}, .lists = {.gradient_norm = 20, .max_norm = 30}});
  add(mixed, {.name = "infinities and NaN", .calling = {.special = true}});
  for (const Step& lists : step_cases(signature)) add(mixed, {.name = lists.name, .weight_decay = 0.05, .calling = lists.calling, .lists = lists});
  if (momentum) {
    add(mixed, {.name = "dampening", .momentum = 0.5, .dampening = 0.3, .weight_decay = 0.05});
    add(mixed, {.name = "Nesterov", .weight_decay = 0.05, .nesterov = 1});
    add(mixed, {.name = "first step", .dampening = 0.3, .first_step = 1});
    add(mixed, {.name = "first step, Nesterov", .nesterov = 1, .first_step = 1});
  }
  return cases;
}

}  // namespace harness
