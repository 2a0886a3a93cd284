// Cases of the precision family: list shapes around every boundary of the launches, all options, scalars by value and on the device.
#include <cmath>

#include <adjoint/ops/precision.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

using Numel = std::vector<std::int64_t>;

struct Shape {
  std::string name;
  Numel numel;
};

// `count` small tensors of changing size; some are empty, of many tensors most.
Numel many(std::int64_t count, std::int64_t largest) {
  const std::int64_t step = count < 200 ? 1 : count < 1000 ? 3 : 13;
  Numel numel;
  for (std::int64_t i = 0; i < count; ++i) numel.push_back(i + 1 < count && (i % step != 0 || i % 7 == 3) ? 0 : (i * 5) % largest + 1);
  return numel;
}

// Lists that use every size of launch parameters in unbound runs, for any number of arrays.
std::vector<Shape> shapes(Level level) {
  std::vector<Shape> list{{"one element", {1}},
                          {"sizes around a vector", {0, 1, 3, 4, 7, 8, 9}},
                          {"sizes around a chunk", {2047, 2048, 2049}},
                          {"several rounds of a block", {9001}},
                          {"5 tensors", many(5, 60)},
                          {"40 tensors of 5", Numel(40, 5)},
                          {"300 tensors", many(300, 9)},
                          {"1200 tensors", many(1200, 4)},
                          {"empty tensors only", {0, 0, 0}},
                          {"no tensors", {}}};
  if (level == Level::full) {
    list.push_back({"n 65537", {65537}});
    list.push_back({"2000 tensors of 3001", Numel(2000, 3001)});
    list.push_back({"n 2^24 + 1", {(1 << 24) + 1}});
  }
  return list;
}
const Shape kMixed{"mixed sizes", {5, 0, 700, 64, 1}};

template <class Descriptor>
Descriptor list_of(const Shape& shape) {
  Descriptor d;
  d.count = static_cast<std::int64_t>(shape.numel.size());
  d.numel = shape.numel.data();
  return d;
}

void set_scalar(Problem& p, const char* name, double value, adj_dtype on = ADJ_DTYPE_NONE) {
  if (on) p.device_scalar(name, value, on);
  else p.scalar(name, value);
}

void fill(Problem& p, const char* name, Rng& rng, bool special = false) {
  for (Data& d : p.list(name)) {
    fill_normal(d, rng);
    const double values[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0};
    if (special)
      for (std::int64_t i = 0; i < std::min<std::int64_t>(10, d.numel()); ++i) d.set(i, values[i % 5]);
  }
}

// Place of one special value in the list of inputs.
struct Special {
  std::string name;
  double value;
  std::int64_t tensor, element;  // element < 0: counted from the end
};
void place(Problem& p, const Special& s) {
  Data& d = p.list("inputs")[static_cast<std::size_t>(s.tensor)];
  d.set(s.element < 0 ? d.numel() + s.element : s.element, s.value);
}

}  // namespace

std::vector<Case> is_finite_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const Shape& shape, bool special) {
    auto d = list_of<adj_is_finite_descriptor>(shape);
    d.element = signature[0];
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill(*problem, "inputs", rng, special);
    cases.push_back({shape.name + (special ? ", special values" : ""), problem, {}});
  };
  for (const Shape& shape : shapes(level)) add(shape, false);
  add(kMixed, true);
  add({"9001 and 9001", {9001, 9001}}, true);
  return cases;
}

std::vector<Case> all_finite_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const Shape& shape, adj_finite_test test, const Special* special, bool found_inf = true) {
    auto d = list_of<adj_all_finite_descriptor>(shape);
    d.element = signature[0];
    d.test = test;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill(*problem, "inputs", rng);
    if (special) place(*problem, *special);
    if (!found_inf) problem->omit("found_inf");
    cases.push_back({shape.name + ", test " + std::to_string(test) + (special ? ", " + special->name : ""), problem, {}});
  };
  for (const Shape& shape : shapes(level)) add(shape, ADJ_FINITE_TEST_DEFAULT, nullptr, shape.numel.size() != 5);
  for (adj_finite_test test : {ADJ_FINITE_TEST_DEFAULT, ADJ_FINITE_TEST_NO_INF, ADJ_FINITE_TEST_NO_NAN}) {
    const Special inf{"infinity in the middle", INFINITY, 2, 350}, minus{"-infinity first", -INFINITY, 0, 0}, nan{"NaN last", NAN, 4, -1};
    add(kMixed, test, &inf);
    add(kMixed, test, &minus);
    add(kMixed, test, &nan, false);
  }
  const Special last{"NaN in the last tensor", NAN, 1199, -1}, first{"infinity in the first tensor", INFINITY, 0, 0};
  add({"1200 tensors", many(1200, 4)}, ADJ_FINITE_TEST_DEFAULT, &last);
  add({"1200 tensors", many(1200, 4)}, ADJ_FINITE_TEST_DEFAULT, &first);
  return cases;
}

std::vector<Case> all_cases(const adj::Signature&, Level level, std::uint64_t) {
  std::vector<Case> cases;
  auto add = [&](const Shape& shape, double value, const Special* special) {
    auto problem = std::make_shared<Problem>(Problem::of(list_of<adj_all_descriptor>(shape)));
    for (Data& d : problem->list("inputs")) fill_constant(d, value);
    if (special) place(*problem, *special);
    cases.push_back({shape.name + (special ? ", " + special->name : ""), problem, {}});
  };
  for (const Shape& shape : shapes(level)) add(shape, 1, nullptr);
  const Special first{"first is false", 0, 0, 0}, middle{"one in the middle is false", 0, 2, 333}, last{"last is false", 0, 4, -1};
  for (const Special* s : {&first, &middle, &last}) add(kMixed, 1, s);
  add(kMixed, 0, nullptr);
  add({"bytes of 2", {100}}, 2, nullptr);
  const Special end{"last of many is false", 0, 1199, -1};
  add({"1200 tensors", many(1200, 4)}, 1, &end);
  return cases;
}

std::vector<Case> scale_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Options {
    std::string name;
    int outputs = 1, fused = 0, scale_down = 0;
    double scale = 0.3;
    adj_dtype on = ADJ_DTYPE_NONE;
    bool found_inf = false, special = false, in_place = false;
    double flag = 0;  // found_inf before the call
  };
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const Shape& shape, const Options& o) {
    auto d = list_of<adj_scale_descriptor>(shape);
    d.element = signature[0];
    d.output = signature[1];
    d.outputs = o.outputs;
    d.fused = o.fused;
    d.scale_down = o.scale_down;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill(*problem, "inputs", rng, o.special);
    set_scalar(*problem, "scale", o.scale, o.on);
    if (o.outputs > 1) set_scalar(*problem, "scale_1", -7, o.on);
    if (o.outputs > 2) set_scalar(*problem, "scale_2", 65536, o.on);
    problem->tensor("found_inf").set(0, o.flag);
    if (!o.found_inf) problem->omit("found_inf");
    if (o.in_place) problem->share("outputs", "inputs");
    cases.push_back({shape.name + (o.name.empty() ? "" : ", " + o.name), problem, {}});
  };
  for (const Shape& shape : shapes(level)) add(shape, {});
  add(kMixed, {.name = "scale on the device", .scale = 1.0 / 1024, .on = ADJ_F32, .found_inf = true});
  add(kMixed, {.name = "scale on the device in f64", .scale_down = 1, .scale = 3, .on = ADJ_F64});
  add(kMixed, {.name = "divided by 0", .scale_down = 1, .scale = 0});
  add(kMixed, {.name = "a factor beyond f16", .scale = 65536});
  add(kMixed, {.name = "special values", .found_inf = true, .special = true});
  add(kMixed, {.name = "a flag that stays", .found_inf = true, .flag = 5});
  add(kMixed, {.name = "three outputs, scales on the device", .outputs = 3, .on = ADJ_F64});
  add(kMixed, {.name = "two outputs", .outputs = 2, .scale_down = 1});
  add(kMixed, {.name = "three outputs", .outputs = 3, .found_inf = true});
  add({"300 tensors", many(300, 9)}, {.name = "three outputs", .outputs = 3});
  add(kMixed, {.name = "fused", .fused = 1, .found_inf = true});
  add({"1200 tensors", many(1200, 4)}, {.name = "fused", .fused = 1});
  add({"9001, 1, 9001", {9001, 1, 9001}}, {.name = "fused", .fused = 1});
  add({"empty tensors only", {0, 0}}, {.name = "fused", .fused = 1});
  if (signature[0] == signature[1]) add(kMixed, {.name = "in place", .in_place = true});
  return cases;
}

std::vector<Case> zero_cases(const adj::Signature& signature, Level level, std::uint64_t) {
  std::vector<Case> cases;
  for (const Shape& shape : shapes(level)) {
    auto d = list_of<adj_zero_descriptor>(shape);
    d.element = signature[0];
    cases.push_back({shape.name, std::make_shared<Problem>(Problem::of(d)), {}});
  }
  return cases;
}

std::vector<Case> accumulate_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Options {
    std::string name;
    int copies = 0;
    double update = 1, overwrite = 0;
    adj_dtype on = ADJ_DTYPE_NONE;
    bool special = false, in_place = true, flag = false;
  };
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const Shape& shape, const Options& o) {
    auto d = list_of<adj_accumulate_descriptor>(shape);
    d.element = signature[0];
    d.value = signature[1];
    d.copies = o.copies;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill(*problem, "sums", rng);
    // An overwritten sum must not be read.
    if (o.overwrite && o.update)
      for (Data& data : problem->list("sums")) fill_constant(data, NAN);
    fill(*problem, "values", rng, o.special);
    set_scalar(*problem, "update", o.update, o.on);
    set_scalar(*problem, "overwrite", o.overwrite, o.on);
    if (!o.flag) problem->omit("updated_flag");
    if (o.in_place) problem->share("outputs", "sums");
    cases.push_back({shape.name + (o.name.empty() ? "" : ", " + o.name), problem, {}});
  };
  for (const Shape& shape : shapes(level)) add(shape, {});
  add(kMixed, {.name = "out of place", .in_place = false, .flag = true});
  add(kMixed, {.name = "special values", .special = true, .in_place = false});
  for (adj_dtype on : {ADJ_DTYPE_NONE, ADJ_BOOL}) {
    const std::string where = on ? ", flags on the device" : "";
    add(kMixed, {.name = "no update" + where, .update = 0, .on = on, .flag = true});
    add(kMixed, {.name = "no update, out of place" + where, .copies = 1, .update = 0, .on = on, .in_place = false});
    add(kMixed, {.name = "no update, copies" + where, .copies = 1, .update = 0, .on = on});
    add(kMixed, {.name = "no update and overwrite" + where, .update = 0, .overwrite = 1, .on = on});
    add(kMixed, {.name = "overwrite" + where, .overwrite = 1, .on = on});
    add(kMixed, {.name = "overwrite, copies" + where, .copies = 1, .overwrite = 1, .on = on, .flag = true});
  }
  add(kMixed, {.name = "copies", .copies = 1});
  add({"1200 tensors", many(1200, 4)}, {.name = "copies", .copies = 1});
  return cases;
}

std::vector<Case> scaled_sum_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Options {
    std::string name;
    int inputs = 2;
    adj_dtype on = ADJ_DTYPE_NONE;
    bool special = false;
    const char* in_place = nullptr;
  };
  static constexpr double kScales[] = {0.3, -1.75, 1000.1};
  const auto magnitudes = [](const Problem& p, const std::string&) {
    std::vector<std::vector<double>> result;
    const auto& d = *reinterpret_cast<const adj_scaled_sum_descriptor*>(p.descriptor());
    const char* names[] = {"inputs_0", "inputs_1", "inputs_2"};
    for (std::size_t t = 0; t < static_cast<std::size_t>(d.count); ++t) {
      auto& row = result.emplace_back(static_cast<std::size_t>(d.numel[t]));
      for (int k = 0; k < d.inputs; ++k)
        for (std::size_t i = 0; i < row.size(); ++i)
          row[i] += std::fabs(kScales[k] * p.contents()[p.argument(names[k])].data[t].get(static_cast<std::int64_t>(i)));
    }
    return result;
  };
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const Shape& shape, const Options& o) {
    auto d = list_of<adj_scaled_sum_descriptor>(shape);
    d.element = signature[0];
    d.inputs = o.inputs;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill(*problem, "inputs_0", rng, o.special);
    fill(*problem, "inputs_1", rng);
    if (o.inputs > 2) fill(*problem, "inputs_2", rng);
    set_scalar(*problem, "scale_0", kScales[0], o.on);
    set_scalar(*problem, "scale_1", kScales[1], o.on);
    if (o.inputs > 2) set_scalar(*problem, "scale_2", kScales[2], o.on);
    if (o.in_place) problem->share("outputs", o.in_place);
    cases.push_back({shape.name + (o.name.empty() ? "" : ", " + o.name), problem, magnitudes});
  };
  for (const Shape& shape : shapes(level)) add(shape, {.name = "", .inputs = shape.numel.size() % 2 ? 3 : 2});
  add(kMixed, {.name = "two inputs, scales on the device", .on = ADJ_F32});
  add(kMixed, {.name = "three inputs, scales on the device in f64", .inputs = 3, .on = ADJ_F64});
  add(kMixed, {.name = "special values", .inputs = 3, .special = true});
  add(kMixed, {.name = "in place of the first", .in_place = "inputs_0"});
  add(kMixed, {.name = "in place of the second", .inputs = 3, .in_place = "inputs_1"});
  add(kMixed, {.name = "in place of the third", .inputs = 3, .in_place = "inputs_2"});
  return cases;
}

std::vector<Case> update_loss_scale_cases(const adj::Signature&, Level, std::uint64_t) {
  struct Setting {
    std::string name;
    double found_inf = 0, scale = 65536, tracker = 0;
    adj_update_loss_scale_descriptor d{};
  };
  adj_update_loss_scale_descriptor limited, third, every;
  limited.min_scale = 1;
  limited.max_scale = 0x1p20;
  limited.growth_interval = third.growth_interval = every.growth_interval = 1;
  third.growth_factor = 1.1;
  third.backoff_factor = 0.3;
  constexpr double kMostTracked = 2147483647;
  std::vector<Case> cases;
  for (const Setting& s : std::initializer_list<Setting>{{"a step without growth", 0, 65536, 5},
                                                         {"one step before growth", 0, 65536, 1998},
                                                         {"growth", 0, 65536, 1999},
                                                         {"a tracker beyond the interval", 0, 65536, kMostTracked},
                                                         {"a negative tracker", 0, 65536, -7},
                                                         {"growth at every step", 0, 65536, 0, every},
                                                         {"back-off", 1, 65536, 1999},
                                                         {"back-off for a NaN", NAN, 65536, 3},
                                                         {"back-off for an infinity", -INFINITY, 65536, 3},
                                                         {"rounded growth", 0, 3, 0, third},
                                                         {"rounded back-off", 1, 3, 0, third},
                                                         {"growth up to the limit", 0, 0x1p20 - 1, 0, limited},
                                                         {"growth from beyond the limit", 0, 0x1p22, 0, limited},
                                                         {"back-off down to the limit", 1, 1.5, 0, limited},
                                                         {"back-off of 0", 1, 0, 0, limited},
                                                         {"growth beyond f32", 0, 0x1p127, 0, every},
                                                         {"back-off below f32", 1, 0x1p-149, 0, third},
                                                         {"back-off from infinity", 1, INFINITY, 0, every},
                                                         {"back-off from infinity to the limit", 1, INFINITY, 0, limited},
                                                         {"growth of NaN", 0, NAN, 0, limited},
                                                         {"back-off of NaN", 1, NAN, 0, limited}}) {
    auto problem = std::make_shared<Problem>(Problem::of(s.d));
    problem->tensor("found_inf").set(0, s.found_inf);
    problem->tensor("scale").set(0, s.scale);
    problem->tensor("growth_tracker").set(0, s.tracker);
    cases.push_back({s.name, problem, {}});
  }
  return cases;
}

}  // namespace harness
