// Cases of the optimizers: list shapes around every boundary of the launches, all options, scalars by value and on the device.
#include "harness/optimizer.hpp"

#include <cmath>
#include <stdexcept>

#include <adjoint/ops/optimizer.h>

#include "harness/draw.hpp"

namespace harness {

namespace optimizer {

Numel many(std::int64_t count, std::int64_t largest) {
  Numel numel;
  for (std::int64_t i = 0; i < count; ++i) numel.push_back(i % 7 == 3 ? 0 : (i * 5) % largest + 1);
  return numel;
}

static bool one_type(const adj::Signature& s) { return s[1] == s[0] && (s[2] == s[0] || !s[2]) && !s[3]; }

std::vector<Shape> shapes(const adj::Signature& s, Level level) {
  std::vector<Shape> list{{"one element", {1}},
                          {"sizes around a vector", {0, 1, 3, 4, 7, 8}},
                          {"sizes around a block", {511, 512, 513}},
                          {"n 6143", {6143}},  // around three chunks, of which grids of two blocks make larger ones
                          {"n 6144 and empty", {6144, 0}},
                          {"n 6145", {6145}},
                          {"5 tensors", many(5, 60)},
                          {"90 tensors", many(90, 20)},
                          {"210 tensors", many(210, 20)},
                          {"1100 tensors", many(1100, 4)},
                          {"empty tensors only", {0, 0, 0}},
                          {"no tensors", {}}};
  if (level == Level::full) {
    list.push_back({"n 65537", {65537}});
    list.push_back({"2000 tensors", many(2000, 3000)});
    // Sizes at which other libraries skip an element or update one twice.
    if (one_type(s) && (s[0] == ADJ_F32 || s[0] == ADJ_BF16)) {
      list.push_back({"32 tensors of 655360", Numel(32, 655360)});
      list.push_back({"n 2^24 + 1", {(1 << 24) + 1}});
    }
  }
  return list;
}

void set_scalar(Problem& p, const char* name, double value, adj_dtype on) {
  if (on) p.device_scalar(name, value, on);
  else p.scalar(name, value);
}

void fill_common(Problem& p, Rng& rng, const Calling& c) {
  for (Data& d : p.list("params")) fill_normal(d, rng);
  // A call that skips leaves copies as they are, and errors are added to those that are there.
  for (Data& d : p.list("copies")) fill_normal(d, rng);
  fill_constant(p.tensor("error_flag"), 41);
  for (Data& d : p.list("grads")) {
    fill_normal(d, rng, c.grad_scale);
    const double special[] = {INFINITY, -INFINITY, NAN};
    if (c.special)
      for (std::int64_t i = 0; i < std::min<std::int64_t>(3, d.numel()); ++i) d.set(i, special[i]);
  }
  set_scalar(p, "lr", c.lr, c.lr_on);
  set_scalar(p, "grad_scale", c.grad_scale, c.scale_on);
  if (c.found_inf < 0) p.omit("found_inf");
  else fill_constant(p.tensor("found_inf"), c.found_inf);
}

double scalar_of(const Problem& p, const char* name) {
  const auto& c = p.contents()[p.argument(name)];
  return c.data.empty() ? c.scalar.value : c.data[0].get(0);
}
const std::vector<Data>& list_of(const Problem& p, const char* name) { return p.contents()[p.argument(name)].data; }

std::vector<Step> step_cases(const adj::Signature& s) {
  const bool keeps = !s[3];
  const adj_dtype low = adj::is_16bit_float(s[1]) ? s[1] : ADJ_F16;
  std::vector<Step> list{{.name = "out of place, updates", .out_of_place = true, .updates = true},
                         {.name = "outputs are inputs", .out_of_place = true, .updates = true, .in_place = true, .calling = {.grad_scale = 3}},
                         {.name = "updates alone", .updates = true, .keep_params = keeps, .calling = {.found_inf = 0}},
                         {.name = "updates over gradients", .updates = true, .in_place = true},
                         {.name = "cleared gradients", .clear_grads = true},
                         {.name = "clipped", .gradient_norm = 20, .max_norm = 0.5, .calling = {.grad_scale = 2}},
                         {.name = "not clipped", .gradient_norm = 20, .max_norm = 30},
                         {.name = "an infinite limit", .gradient_norm = 20, .max_norm = INFINITY, .calling = {.grad_scale = 2}},
                         {.name = "clipped on the device",
                          .gradient_norm = 32,
                          .max_norm = 2,
                          .norm_on = low,
                          .signal_on = ADJ_BOOL,
                          .calling = {.lr = 0.125, .grad_scale = 4, .lr_on = low, .scale_on = ADJ_F32}},
                         {.name = "infinite norm, out of place", .out_of_place = true, .updates = true, .gradient_norm = INFINITY, .norm_on = ADJ_F32},
                         {.name = "norm is NaN, cleared gradients", .clear_grads = true, .gradient_norm = NAN, .norm_on = ADJ_F64},
                         {.name = "update signal 0", .signal = 0},
                         {.name = "update signal 0 on the device, out of place", .out_of_place = true, .updates = true, .signal_on = ADJ_BOOL, .signal = 0},
                         {.name = "found_inf, outputs are inputs", .out_of_place = true, .updates = true, .in_place = true, .calling = {.found_inf = 1}}};
  return list;
}
void fill_step(Problem& p, Rng& rng, const Step& s, std::initializer_list<std::pair<const char*, const char*>> pairs) {
  set_scalar(p, "gradient_norm", s.gradient_norm, s.norm_on);
  set_scalar(p, "update_signal", s.signal, s.signal_on);
  for (const auto& [output, input] : pairs) {
    if (p.specs()[p.argument(output)].presence == adj::Presence::forbidden) continue;
    for (Data& d : p.list(output)) fill_uniform(d, rng, -1, 1);
    if (s.in_place) p.share(output, input);
  }
}
double scale_of(const Problem& p, double max_norm) {
  const double scale = scalar_of(p, "grad_scale"), norm = scalar_of(p, "gradient_norm");
  return std::copysign(std::max(std::fabs(scale), norm / max_norm), scale);
}

void fill_extremes(Data& data, Rng& rng) {
  constexpr double kValues[] = {0,       -0.0,     1,        -1,    INFINITY, -INFINITY, NAN,        0x1p-14,     0x1.ffp-15, 0x1p-24, -0x1p-24,
                                0x1p-25, 0x1p-126, 0x1p-133, 65504, -65504,   65500,     0x1.fep127, -0x1.fep127, 1e-5,       3e-7};
  for (std::int64_t i = 0; i < data.numel(); ++i) data.set(i, kValues[rng() % std::size(kValues)]);
}

}  // namespace optimizer

using namespace optimizer;

std::vector<Case> lion_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Options {
    double weight_decay = 0.02, beta1 = 0.9, beta2 = 0.99;
    bool advance = false, stochastic = false, on_device = false;  // the last one: step and seed
    std::int64_t first_key = 0;
    bool parts = false;  // for five tensors
  };
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const Shape& shape, const Step& lists, const Options& o) {
    adj_lion_descriptor d;
    d.count = static_cast<std::int64_t>(shape.numel.size());
    d.numel = shape.numel.data();
    d.param = signature[0];
    d.grad = signature[1];
    d.state = signature[2];
    d.copy = signature[3];
    d.advance_step = o.advance;
    d.clear_grads = lists.clear_grads;
    d.max_norm = lists.max_norm;
    d.beta1 = o.beta1;
    d.beta2 = o.beta2;
    d.weight_decay = o.weight_decay;
    std::vector<std::int64_t> keys;
    if (o.stochastic) keys = round_at_random(d, o.first_key);
    if (o.parts) d.first_element_count = d.count, d.first_elements = kFirstElements;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill_common(*problem, rng, lists.calling);
    for (Data& data : problem->list("exp_avg")) fill_normal(data, rng, 0.1);
    fill_step(*problem, rng, lists, {});
    const adj_dtype on = o.advance || o.on_device ? ADJ_I64 : ADJ_DTYPE_NONE;
    set_scalar(*problem, "step", 5, on);
    if (o.stochastic) set_scalar(*problem, "seed", 1234567, o.on_device ? ADJ_I64 : ADJ_DTYPE_NONE);
    cases.push_back({.name = shape.name + (o.stochastic ? ", stochastic" : "") + (lists.name.empty() ? "" : ", " + lists.name),
                     .problem = problem,
                     .magnitudes = {},
                     .any_nan = true});
    return problem;
  };
  const Shape mixed{"mixed sizes", {5, 0, 700, 64, 1}};
  const bool narrow = adj::is_16bit_float(signature[0]);
  // Copies change nothing but a store: the other types try the shapes.
  for (const Shape& shape : shapes(signature, level))
    if (!signature[3] || shape.numel.size() > 2) add(shape, {}, {.stochastic = narrow});
  for (const Step& lists : step_cases(signature))
    if (!lists.out_of_place && !lists.updates) add(mixed, lists, {.advance = true});
  add(mixed, {}, {});
  add(mixed, {.name = "no decay, no memory"}, {.weight_decay = 0, .beta1 = 0, .beta2 = 0});
  add(mixed, {.name = "gradients without effect"}, {.beta1 = 1, .beta2 = 1});
  add(mixed, {.name = "infinities and NaN", .calling = {.grad_scale = 2, .special = true}}, {});
  add({"empty tensors only", {0, 0}}, {.name = "step advances"}, {.advance = true});
  auto zeros = add(mixed, {.name = "zeros of both signs"}, {});
  for (const auto& [name, bit] : {std::pair{"params", 1}, {"grads", 2}, {"exp_avg", 4}})
    for (Data& d : zeros->list(name))
      for (std::int64_t i = 0; i < d.numel(); ++i) d.set(i, i & bit ? -0.0 : 0.0);
  auto still = add(mixed, {.name = "moments and gradients of zero"}, {});
  for (const char* name : {"grads", "exp_avg"})
    for (Data& d : still->list(name)) fill_constant(d, 0);
  if (!narrow) return cases;
  add(mixed, {.name = "all on the device", .calling = {.lr = 0.3, .grad_scale = 128, .lr_on = ADJ_F32, .scale_on = ADJ_F32, .found_inf = 0}},
      {.advance = true, .stochastic = true, .on_device = true, .first_key = 0xffffffff});
  add(mixed, {.name = "found_inf, cleared gradients", .clear_grads = true, .calling = {.found_inf = 1}}, {.advance = true, .stochastic = true});
  add(mixed, {.name = "parts of tensors"}, {.stochastic = true, .parts = true});
  for (double lr : {1e-6, 1e-3, 100.0})
    for (Data& d : add(mixed, {.name = "extremes", .calling = {.lr = lr}}, {.weight_decay = lr > 1 ? 0 : 0.1, .stochastic = true})->list("params"))
      fill_extremes(d, rng);
  return cases;
}

std::vector<Case> adamw_8bit_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Options {
    double weight_decay = 0.02, epsilon = 1e-8, beta1 = 0.9, beta2 = 0.999, step = 3;
    bool advance = false, stochastic = false, on_device = false, fresh = false;  // on_device: step and seed; fresh: both moments are zero
    bool parts = false;                                                          // for seven tensors
  };
  static constexpr std::int64_t kFirst[] = {256, 0, (std::int64_t{1} << 35) - 256, std::int64_t{1} << 58, 768, std::int64_t{1} << 32, 1 << 20};
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const Shape& shape, const Step& lists, const Options& o) {
    adj_adamw_8bit_descriptor d;
    d.count = static_cast<std::int64_t>(shape.numel.size());
    d.numel = shape.numel.data();
    d.param = signature[0];
    d.grad = signature[1];
    d.copy = signature[2];
    d.advance_step = o.advance;
    d.clear_grads = lists.clear_grads;
    d.max_norm = lists.max_norm;
    d.beta1 = o.beta1;
    d.beta2 = o.beta2;
    d.epsilon = o.epsilon;
    d.weight_decay = o.weight_decay;
    const std::vector<std::int64_t> keys = round_at_random(d, 0xfffffff0);
    d.stochastic_rounding = o.stochastic;
    if (o.parts) d.first_element_count = d.count, d.first_elements = kFirst;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill_common(*problem, rng, lists.calling);
    if (!o.fresh)
      for (auto [bytes, scale, size] : {std::tuple{"exp_avg", "exp_avg_scale", 0.1}, {"exp_avg_sq", "exp_avg_sq_scale", 0.01}}) {
        for (Data& data : problem->list(bytes)) fill_integers(data, rng, 0, 255);
        for (Data& data : problem->list(scale)) fill_uniform(data, rng, 0, size);
      }
    fill_step(*problem, rng, lists, {});
    const adj_dtype on = o.advance || o.on_device ? ADJ_I64 : ADJ_DTYPE_NONE;
    set_scalar(*problem, "step", o.step, on);
    set_scalar(*problem, "seed", 7654321, o.on_device ? ADJ_I64 : ADJ_DTYPE_NONE);
    cases.push_back({.name = shape.name + (o.stochastic ? ", stochastic" : "") + (lists.name.empty() ? "" : ", " + lists.name),
                     .problem = problem,
                     .magnitudes = {},
                     .any_nan = true});
    return problem;
  };
  const Shape mixed{"mixed sizes", {5, 0, 700, 64, 1, 256, 257}};
  const bool narrow = adj::is_16bit_float(signature[0]);
  std::vector<Shape> list = shapes({signature[0], signature[1], signature[1], signature[2]}, level);
  list.push_back({"sizes around a stored block", {255, 256, 257, 263}});
  // Copies change nothing but a store: the other types try the shapes.
  for (const Shape& shape : list)
    if (!signature[2] || shape.numel.size() > 2) add(shape, {}, {.stochastic = narrow});
  const adj::Signature types{signature[0], signature[1], signature[0], signature[2]};
  for (const Step& lists : step_cases(types))
    if (!lists.out_of_place && !lists.updates) add(mixed, lists, {.advance = true});
  add(mixed, {.name = "first step"}, {.step = 1, .fresh = true});
  add(mixed, {.name = "step 1000000"}, {.beta2 = 0.9999999, .step = 1e6});
  add(mixed, {.name = "no decay, no memory"}, {.weight_decay = 0, .epsilon = 1e-3, .beta1 = 0, .beta2 = 0});
  add(mixed, {.name = "infinities and NaN", .calling = {.grad_scale = 2, .special = true}}, {});
  add(mixed, {.name = "step 0 on the device"}, {.step = 0, .advance = true});
  add({"empty tensors only", {0, 0}}, {.name = "step advances"}, {.advance = true});
  add(mixed, {.name = "all on the device", .calling = {.lr = 0.3, .grad_scale = 128, .lr_on = ADJ_F32, .scale_on = ADJ_F32, .found_inf = 0}},
      {.advance = true, .stochastic = narrow, .on_device = true});
  add(mixed, {.name = "found_inf", .calling = {.found_inf = 1}}, {.advance = true, .on_device = true});
  // Gradients whose squares are of all sizes: below what a block can hold, below what is normal, and infinite.
  auto far = add(mixed, {.name = "gradients of all sizes"}, {.epsilon = 1e-30, .fresh = true});
  const double least = signature[1] == ADJ_F16 ? -24 : -140, most = signature[1] == ADJ_F16 ? 15 : 100;
  const Uniform exponent(least, most);
  for (Data& d : far->list("grads"))
    for (std::int64_t i = 0; i < d.numel(); ++i) d.set(i, (i % 3 ? 1 : -1) * std::exp2(i < 256 ? exponent(rng) : exponent(rng) / 8 - 10));
  auto tiny = add(mixed, {.name = "gradients below what a block can hold"}, {.fresh = true});
  for (Data& d : tiny->list("grads")) fill_constant(d, signature[1] == ADJ_F16 ? 0 : 0x1p-70);
  add(mixed, {.name = "parts of tensors"}, {.stochastic = narrow, .parts = true});
  // A weight of the sign of zero, and negative moments that are rounded to 0 beside a moment of 1.
  auto zeros = add(mixed, {.name = "zeros of both signs"}, {.fresh = true});
  for (const auto& [name, bit] : {std::pair{"params", 1}, {"grads", 2}})
    for (Data& d : zeros->list(name))
      for (std::int64_t i = 0; i < d.numel(); ++i) d.set(i, (i & bit ? -1 : 1) * (i % 5 == 4 && bit == 2 ? 0x1p-20 : 0));
  zeros->list("grads")[2].set(0, 1);
  auto poisoned = add(mixed, {.name = "scales of NaN"}, {});
  for (const char* name : {"exp_avg_scale", "exp_avg_sq_scale"}) poisoned->list(name)[2].set(1, NAN);
  return cases;
}

std::vector<Case> clip_grad_norm_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const Shape& shape, const std::string& name, double sigma, double max_norm, double scale, adj_dtype scale_on, bool norm_only) {
    adj_clip_grad_norm_descriptor d;
    d.count = static_cast<std::int64_t>(shape.numel.size());
    d.numel = shape.numel.data();
    d.grad = signature[0];
    d.max_norm = max_norm;
    d.norm_only = norm_only;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    for (Data& data : problem->list("grads")) fill_normal(data, rng, sigma);
    set_scalar(*problem, "grad_scale", scale, scale_on);
    // Every output is a product of positive numbers: the magnitude of its terms is the output's own.
    cases.push_back({shape.name + (name.empty() ? "" : ", " + name), problem, {}});
    cases.back().magnitudes = [reference = std::make_shared<Outputs>()](const Problem& p, const std::string& output) {
      if (reference->arguments.empty()) {
        auto outcome = run_reference(p);
        if (!outcome) throw std::logic_error("harness: " + outcome.error().message);
        *reference = std::move(*outcome);
      }
      std::vector<std::vector<double>> result;
      for (const Data& data : reference->arguments[p.argument(output.c_str())]) {
        auto& row = result.emplace_back(static_cast<std::size_t>(data.numel()));
        for (std::size_t i = 0; i < row.size(); ++i) {
          const double x = std::fabs(data.get(static_cast<std::int64_t>(i)));
          row[i] = std::isfinite(x) ? x : 0;
        }
      }
      return result;
    };
    return problem;
  };
  std::vector<Shape> list = shapes({signature[0], signature[0], signature[0], ADJ_DTYPE_NONE}, level);
  list.push_back({"chunks of norms", {16383, 16384, 16385, 3}});
  list.push_back({"1300 tensors", many(1300, 4)});  // in the largest parameters
  for (const Shape& shape : list) add(shape, "", 1, 1, 1, ADJ_DTYPE_NONE, false);
  const Shape mixed{"mixed sizes", {5, 0, 700, 64, 1}};
  add(mixed, "not clipped", 1, 1e4, 1, ADJ_DTYPE_NONE, false);
  add(mixed, "not clipped, scaled", 1, 1e4, 128, ADJ_F32, false);
  add(mixed, "clipped, scaled", 8, 0.5, 4, ADJ_F16, false);
  add(mixed, "norm only", 1, 1, 2, ADJ_F64, true);
  add(mixed, "zeros", 0, 1, 1, ADJ_DTYPE_NONE, false);
  add(mixed, "an infinite limit", 8, INFINITY, 4, ADJ_F16, false);
  for (const char* name : {"norm", "factor", "found_inf"}) add(mixed, std::string("without ") + name, 1, 1, 1, ADJ_DTYPE_NONE, false)->omit(name);
  add(mixed, "infinity", 1, 1, 1, ADJ_DTYPE_NONE, false)->list("grads")[2].set(3, -INFINITY);
  add(mixed, "NaN", 1, 1, 1, ADJ_DTYPE_NONE, false)->list("grads")[3].set(63, NAN);
  if (signature[0] != ADJ_F16) {
    const double large = signature[0] == ADJ_F64 ? 1e200 : 1e30;
    add(mixed, "large", large, 1, 1, ADJ_DTYPE_NONE, false);
    add(mixed, "small", 1 / large, 1, 1, ADJ_DTYPE_NONE, true);
    // Norms below and above the largest number of the norm's type, which is that of the gradients or not far from it. Multipliers are subnormal.
    const double most = signature[0] == ADJ_F64 ? 0x1.fffffffffffffp1023 : signature[0] == ADJ_BF16 ? 0x1.fep127 : 0x1.fffffep127;
    const auto fill_large = [](Problem& p, double value) {
      for (Data& data : p.list("grads"))
        for (std::int64_t i = 0; i < data.numel(); ++i) data.set(i, (i % 2 ? -1 : 1) * value / static_cast<double>(i % 7 + 1));
    };
    for (double max_norm : {1.0, 1e-30}) {
      auto problem = add({"5 and 9", {5, 9}}, fmt::format("a subnormal multiplier, norm up to {}", max_norm), 1, max_norm, 1, ADJ_DTYPE_NONE, false);
      fill_large(*problem, most / 4);
    }
    fill_large(*add({"5 and 9", {5, 9}}, "a norm beyond the type", 1, 1, 1, ADJ_DTYPE_NONE, false), most);
    if (signature[0] != ADJ_F64) fill_large(*add({"5 and 9", {5, 9}}, "a norm beyond the type, scaled", 1, 1, 1024, ADJ_DTYPE_NONE, false), most);
  }
  return cases;
}

}  // namespace harness
