// Relations between the results of two calls that follow from the definition of an operator. They need no reference, and where the definition
// says so the bits are equal. Each relation is written once; the declaration of an operator, and the tables below, say where it holds.
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <set>

#include <adjoint/ops/all.gen.h>
#include <fmt/ranges.h>

#include "harness/arguments.hpp"
#include "harness/directions.hpp"
#include "harness/rows.hpp"
#include "support.hpp"

namespace {

using harness::Case;
using harness::Data;
using harness::Outputs;
using harness::Problem;
using Names = std::vector<const char*>;

template <class Descriptor>
const Descriptor& as(const Problem& problem) {
  return *reinterpret_cast<const Descriptor*>(problem.descriptor());
}
bool contains(const Names& names, const char* name) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return std::strcmp(n, name) == 0; });
}
const adj::Field* find_field(const adj::OpInfo& op, const char* name) {
  for (const adj::Field& field : op.fields)
    if (std::strcmp(field.name, name) == 0) return &field;
  return nullptr;
}
// Value of an int32 member of the descriptor; 0 where it has none of this name.
std::int32_t switch_of(const Problem& problem, const char* name) {
  std::int32_t value = 0;
  if (const adj::Field* field = find_field(problem.op(), name))
    std::memcpy(&value, reinterpret_cast<const std::byte*>(problem.descriptor()) + field->offset, sizeof value);
  return value;
}
std::optional<std::size_t> find_argument(const adj::OpInfo& op, const std::string& name) {
  for (std::size_t i = 0; i < op.arguments.size(); ++i)
    if (name == op.arguments[i].name) return i;
  return std::nullopt;
}

// Role of an argument in this problem.
adj::Role role_of(const Problem& problem, std::size_t argument) {
  const adj::OpInfo& op = problem.op();
  return op.role ? op.role(problem.descriptor(), argument) : op.arguments[argument].role;
}

// Descriptor whose members may be changed before a problem is made of it.
class Draft {
 public:
  explicit Draft(const Problem& problem) : Draft(problem.op(), problem.descriptor()) {}
  explicit Draft(const adj::OpInfo& op) : Draft(op, op.default_descriptor) {}
  std::byte* at(const adj::Field& field) { return reinterpret_cast<std::byte*>(bytes_.data()) + field.offset; }
  // False when the descriptor has no such member.
  bool set(const char* name, std::int32_t value) {
    const adj::Field* field = find_field(*op_, name);
    if (field) std::memcpy(at(*field), &value, sizeof value);
    return field != nullptr;
  }
  // Takes a member of another descriptor, where both have it.
  void take(const char* to, const Problem& other, const char* from) {
    const adj::Field *mine = find_field(*op_, to), *theirs = find_field(other.op(), from);
    if (!mine || !theirs || mine->kind != theirs->kind) return;
    const std::size_t length = adj::has_length(*mine) ? sizeof(std::int64_t) : 0;  // stands before the pointer
    std::memcpy(at(*mine) - length, reinterpret_cast<const std::byte*>(other.descriptor()) + theirs->offset - length, adj::bytes_of(*mine) + length);
  }
  const adj_header& get() const { return *reinterpret_cast<const adj_header*>(bytes_.data()); }

 private:
  Draft(const adj::OpInfo& op, const void* bytes) : op_(&op), bytes_((op.descriptor_size + 7) / 8) { std::memcpy(bytes_.data(), bytes, op.descriptor_size); }
  const adj::OpInfo* op_;
  std::vector<std::uint64_t> bytes_;
};

// True where the results of a matrix product lie without gaps. Other gaps are those of ArgumentSpec::pitch.
bool is_packed(const Problem& problem) {
  if (problem.op().id != ADJ_OP_MATMUL) return true;
  const auto& d = as<adj_matmul_descriptor>(problem);
  return d.ldd == 0 && d.stride_d == 0;
}
// True for an element that is the tensor's, false for what lies between its rows.
bool is_element(const adj::ArgumentSpec& spec, std::size_t byte) { return spec.pitch == 0 || byte % spec.pitch < spec.width; }

// Names the first element of an output that `is_right` does not accept: (argument, buffer, element) -> bool.
template <class IsRight>
std::string first_wrong(const Problem& problem, const Outputs& outputs, IsRight&& is_right) {
  for (std::size_t i = 0; i < outputs.arguments.size(); ++i)
    for (std::size_t k = 0; k < outputs.arguments[i].size(); ++k) {
      const Data& data = outputs.arguments[i][k];
      for (std::int64_t e = 0; e < data.numel(); ++e)
        if (is_element(problem.specs()[i], static_cast<std::size_t>(e) * adj::size_of(data.dtype)) && !is_right(i, k, e))
          return fmt::format("{}[{}] of buffer {}", problem.op().arguments[i].name, e, k);
    }
  return {};
}
bool same_element(const Data& a, const Data& b, std::int64_t e) {
  const std::size_t size = adj::size_of(a.dtype), at = static_cast<std::size_t>(e) * size;
  return std::memcmp(&a.bytes[at], &b.bytes[at], size) == 0;
}

// What one relation says of one case: how often it was tried, and each time that it did not hold.
struct Verdict {
  int tried = 0;
  std::vector<std::string> wrong;
  std::vector<std::string> notes;  // what was tried, for relations that count more than operators
  void add(const std::string& what, const std::string& difference) {
    ++tried;
    if (!difference.empty()) wrong.push_back(what + ": " + difference);
  }
};

Outputs run(const Problem& problem) {
  auto outputs = harness::run_reference(problem);
  if (!outputs) throw std::runtime_error(outputs.error().message);
  return std::move(*outputs);
}

// ---- permuted rows give permuted bits

Verdict permuted_rows(const Case& c, const Outputs& outputs) {
  Verdict verdict;
  for (const harness::Part& part : harness::reversed(*c.problem)) {
    const Outputs others = run(part.problem);
    std::string difference;
    for (std::size_t i = 0; i < outputs.arguments.size() && difference.empty(); ++i)
      for (std::size_t k = 0; k < part.rows[i].size() && k < outputs.arguments[i].size(); ++k)
        if (harness::reversed(outputs.arguments[i][k], part.rows[i][k]).bytes != others.arguments[i][k].bytes) difference = c.problem->op().arguments[i].name;
    verdict.add(part.name, difference);
  }
  return verdict;
}

// ---- powers of two

// An operator is homogeneous in `inputs`: with them doubled, `outputs` are 2^degree times as large and other outputs stay as they are. What
// `outputs` hold before is doubled as well where it counts. Holds where the first input is given and `when` is true.
struct Homogeneous {
  const char* op;
  Names inputs, outputs;
  int degree = 1;
  bool (*when)(const Problem&) = nullptr;
};
bool is_product(const Problem& p) { return is_packed(p) && as<adj_matmul_descriptor>(p).epilogue != ADJ_MATMUL_EPILOGUE_GELU_TANH; }
bool is_reduction(const Problem& p, std::initializer_list<adj_reduce_kind> kinds) {
  return std::find(kinds.begin(), kinds.end(), as<adj_reduce_descriptor>(p).kind) != kinds.end();
}
// False where a norm is so large that what clips it is subnormal.
bool has_normal_factor(const Problem& p) {
  for (const Data& data : p.contents()[p.argument("grads")].data)
    for (std::int64_t e = 0; e < data.numel(); ++e)
      if (std::fabs(data.get(e)) > 0x1p+1000) return false;
  return true;
}
const std::vector<Homogeneous>& homogeneous() {
  const Names weights{"gamma", "beta"}, optimizer{"grads", "grad_scale", "gradient_norm"};
  static const std::vector<Homogeneous> list{
      {"activation_forward",
       {"input", "bias"},
       {"out"},
       1,
       [](const Problem& p) {
         const adj_activation f = as<adj_activation_forward_descriptor>(p).function;
         return f == ADJ_ACTIVATION_RELU || f == ADJ_ACTIVATION_LEAKY_RELU;
       }},
      {"activation_forward",
       {"input", "bias"},
       {"out"},
       2,
       [](const Problem& p) { return as<adj_activation_forward_descriptor>(p).function == ADJ_ACTIVATION_RELU_SQUARED; }},
      {"gated_activation_forward",
       {"input"},
       {"out"},
       2,
       [](const Problem& p) { return as<adj_gated_activation_forward_descriptor>(p).function == ADJ_GATED_ACTIVATION_REGLU; }},
      {"amax", {"inputs"}, {"amax"}},
      {"attention_forward", {"v"}, {"out"}},
      {"attention_backward", {"dout"}, {"dq", "dk", "dv"}},
      {"batch_norm_forward", {"scale", "bias"}, {"out"}},
      {"group_norm_forward", {"scale", "bias"}, {"out"}},
      {"concat", {"inputs"}, {"output"}},
      {"split", {"input"}, {"outputs"}},
      {"conv_forward", {"input", "bias"}, {"out"}},
      {"conv_forward", {"weight", "bias"}, {"out"}},
      {"conv_transpose_forward", {"input", "bias"}, {"out"}},
      {"conv_transpose_forward", {"weight", "bias"}, {"out"}},
      {"conv_backward", {"input"}, {"dweight"}},
      {"conv_backward", {"weight"}, {"dinput"}},
      {"conv_transpose_backward", {"input"}, {"dweight"}},
      {"conv_transpose_backward", {"weight"}, {"dinput"}},
      {"dequantize", {"inverse"}, {"out"}},
      {"dropout_forward", {"input"}, {"out"}},
      {"embedding_forward", {"weight"}, {"out"}},
      {"embedding_bag_forward", {"weight"}, {"out"}},
      {"embedding_bag_forward", {"per_sample_weights"}, {"out"}},
      {"embedding_bag_backward",
       {"per_sample_weights"},
       {"dweight"},
       1,
       [](const Problem& p) { return as<adj_embedding_bag_backward_descriptor>(p).write_mode != ADJ_WRITE_ACCUMULATE; }},
      {"embedding_bag_per_sample_weights_backward", {"weight"}, {"dper_sample_weights"}},
      {"fill", {"value"}, {"out"}},
      {"normal", {"mean", "std"}, {"out"}},
      {"fake_quantize_forward", {"input", "scale", "scales"}, {"out"}},
      {"index_add", {"input", "source"}, {"output"}},
      {"pad_and_unflatten", {"input"}, {"output"}},
      {"flatten_and_unpad", {"input"}, {"output"}},
      {"cross_entropy_with_gradient", {"dloss"}, {"dscores"}},
      {"linear_cross_entropy", {"dloss"}, {"dinput", "dlinear_weight", "dbias"}},
      {"softmax_cross_entropy_loss_backward", {"dloss", "bias"}, {"dscores"}},
      {"matmul", {"a", "bias", "c"}, {"d", "preactivation", "dbias"}, 1, is_product},
      {"matmul", {"b", "bias", "c"}, {"d", "preactivation"}, 1, is_product},
      {"scaled_matmul", {"scale_a", "bias"}, {"d"}},
      {"scaled_matmul", {"scale_b", "bias"}, {"d"}},
      {"layer_norm_forward", weights, {"out"}},
      {"rms_norm_forward", weights, {"out"}},
      {"adam", optimizer, {}},
      {"lamb", optimizer, {}},
      {"lion", optimizer, {}},
      {"sgd", optimizer, {}},
      {"adamw_8bit", optimizer, {}},
      {"clip_grad_norm", {"grads", "grad_scale"}, {}, 1, has_normal_factor},
      {"all_finite", {"inputs"}, {}},
      {"is_finite", {"inputs"}, {}},
      {"scale", {"inputs"}, {"outputs", "outputs_1", "outputs_2", "fused"}},
      {"scale",
       {"scale", "scale_1", "scale_2"},
       {"outputs", "outputs_1", "outputs_2", "fused"},
       1,
       [](const Problem& p) { return !as<adj_scale_descriptor>(p).scale_down; }},
      {"accumulate", {"sums", "values"}, {"outputs", "copies"}},
      {"scaled_sum", {"inputs_0", "inputs_1", "inputs_2"}, {"outputs"}},
      {"scaled_sum", {"scale_0", "scale_1", "scale_2"}, {"outputs"}},
      {"update_loss_scale",
       {"scale"},
       {"scale"},
       1,
       [](const Problem& p) {
         const auto& d = as<adj_update_loss_scale_descriptor>(p);
         return d.min_scale == 0 && d.max_scale > 1e300;
       }},
      {"l2_norm", {"inputs"}, {"output", "norms"}},
      {"reduce",
       {"input"},
       {"output"},
       1,
       [](const Problem& p) {
         return is_reduction(p, {ADJ_REDUCE_KIND_SUM, ADJ_REDUCE_KIND_MEAN, ADJ_REDUCE_KIND_L2, ADJ_REDUCE_KIND_MAX, ADJ_REDUCE_KIND_MIN});
       }},
      {"reduce", {"input"}, {"output"}, 2, [](const Problem& p) { return is_reduction(p, {ADJ_REDUCE_KIND_SUM_SQUARE}); }},
      {"resize_forward", {"input"}, {"out"}},
      {"rope_forward", {"input"}, {"out"}, 1, [](const Problem& p) { return !as<adj_rope_forward_descriptor>(p).has_norm; }},
      {"rope_forward", {"q_weight", "k_weight"}, {"out"}},
      {"transpose", {"input"}, {"output"}},
      {"view", {"input"}, {"outputs"}},
      {"copy", {"inputs"}, {"outputs"}},
  };
  return list;
}
// Gradients are linear in the gradients that they are made of. In the declaration, both are an argument's name behind a d.
std::optional<Homogeneous> linear_gradients(const adj::OpInfo& op) {
  Homogeneous h{op.name, {}, {}};
  for (const adj::ArgumentInfo& argument : op.arguments)
    if (argument.name[0] == 'd' && argument.kind == adj::ArgumentKind::tensor) (argument.role == adj::Role::in ? h.inputs : h.outputs).push_back(argument.name);
  for (const Homogeneous& other : homogeneous())
    if (std::strcmp(other.op, op.name) == 0 && !other.inputs.empty() && !h.inputs.empty() && std::strcmp(other.inputs[0], h.inputs[0]) == 0) return {};
  if (h.inputs.empty() || h.outputs.empty()) return {};
  return h;
}

double largest_of(adj_dtype dtype) {
  return dtype == ADJ_F16 ? 65504 : dtype == ADJ_BF16 ? 3.38e38 : dtype == ADJ_F32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
}
double smallest_normal(adj_dtype dtype) { return dtype == ADJ_F16 ? 0x1p-14 : dtype == ADJ_F64 ? 0x1p-1022 : 0x1p-126; }

// Doubles the contents of an argument; false when a number would overflow, or is no floating-point number.
bool double_contents(Problem::ArgumentContents& c) {
  if (c.data.empty()) {
    c.scalar.value *= 2;
    return true;
  }
  for (Data& data : c.data) {
    if (!adj::is_float(data.dtype)) return false;
    for (std::int64_t i = 0; i < data.numel(); ++i) {
      const double value = data.get(i);
      if (std::isfinite(value) && std::fabs(value) > largest_of(data.dtype) / 2) return false;
      data.set(i, 2 * value);
    }
  }
  return true;
}
// True when `got` is `factor` times `base`, or rounding and overflow may part them.
bool is_scaled(double base, double got, double factor, adj_dtype dtype) {
  const double expected = factor * base;
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return true;
  const double smaller = std::min(std::fabs(base), std::fabs(got)), larger = std::max(std::fabs(expected), std::fabs(got));
  return smaller < 2 * smallest_normal(dtype) || larger > largest_of(dtype) / 4;
}

std::optional<std::string> scaled(const Problem& problem, const Outputs& outputs, const Homogeneous& h) {
  const adj::OpInfo& op = problem.op();
  const std::optional<std::size_t> leading = find_argument(op, h.inputs.at(0));
  if (!leading) throw std::logic_error(fmt::format("{} has no argument {}", op.name, h.inputs[0]));
  if (!problem.contents()[*leading].present || (h.when && !h.when(problem))) return {};
  Problem other = problem;
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    Problem::ArgumentContents& contents = other.contents()[i];
    const bool held = contains(h.outputs, op.arguments[i].name) && role_of(problem, i) == adj::Role::inout;
    if (contents.present && (contains(h.inputs, op.arguments[i].name) || held) && !double_contents(contents)) return {};
  }
  const Outputs got = run(other);
  const double factor = std::ldexp(1.0, h.degree);
  return first_wrong(problem, outputs, [&](std::size_t i, std::size_t k, std::int64_t e) {
    const Data &before = outputs.arguments[i][k], &after = got.arguments[i][k];
    if (contains(h.outputs, op.arguments[i].name)) return is_scaled(before.get(e), after.get(e), factor, before.dtype);
    // A buffer that the call takes as an input, and leaves as it is, holds the doubled numbers.
    return same_element(before, after, e) || (contains(h.inputs, op.arguments[i].name) && is_scaled(before.get(e), after.get(e), 2, before.dtype));
  });
}

Verdict powers_of_two(const Case& c, const Outputs& outputs) {
  Verdict verdict;
  const adj::OpInfo& op = c.problem->op();
  if (harness::changed_by_skip(*c.problem, outputs)) return verdict;  // a call that skips keeps what it was given
  auto add = [&](const Homogeneous& h) {
    if (const auto difference = scaled(*c.problem, outputs, h)) verdict.add(fmt::format("twice {}", fmt::join(h.inputs, ", ")), *difference);
  };
  for (const Homogeneous& h : homogeneous())
    if (std::strcmp(h.op, op.name) == 0) add(h);
  if (const auto h = linear_gradients(op)) add(*h);
  return verdict;
}

// ---- accumulate is overwrite and an addition

Verdict accumulation(const Case& c, const Outputs& outputs) {
  Verdict verdict;
  const Problem& problem = *c.problem;
  if (switch_of(problem, "write_mode") != ADJ_WRITE_ACCUMULATE || !is_packed(problem)) return verdict;
  Draft draft(problem);
  draft.set("write_mode", ADJ_WRITE_OVERWRITE);
  Problem overwriting(draft.get()), from_zero = problem;
  overwriting.contents() = problem.contents();
  std::vector<bool> sums(problem.specs().size());  // outputs that the mode is about
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = role_of(problem, i) == adj::Role::inout && role_of(overwriting, i) == adj::Role::out && problem.contents()[i].present;
    if (sums[i])
      for (Data& data : from_zero.contents()[i].data) harness::fill_constant(data, 0);
  }
  const Outputs fresh = run(overwriting), zero = run(from_zero);
  verdict.add("added to zeros", first_wrong(problem, fresh, [&](std::size_t i, std::size_t k, std::int64_t e) {
                const Data &want = fresh.arguments[i][k], &got = zero.arguments[i][k];
                return same_element(want, got, e) || (sums[i] && want.get(e) == 0 && got.get(e) == 0);
              }));
  // The sum and what it is added to are rounded once together, and the sum alone once.
  constexpr double kOrder = 1e-13;  // of the terms, for another order of additions in f64
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!sums[i]) continue;
    const auto terms = c.magnitudes ? c.magnitudes(problem, problem.op().arguments[i].name) : std::vector<std::vector<double>>{};
    Outputs only;
    only.arguments.resize(sums.size());
    only.arguments[i] = outputs.arguments[i];
    verdict.add("added to what is there", first_wrong(problem, only, [&](std::size_t, std::size_t k, std::int64_t e) {
                  const adj_dtype dtype = outputs.arguments[i][k].dtype;
                  const double held = problem.contents()[i].data[k].get(e), alone = fresh.arguments[i][k].get(e), got = outputs.arguments[i][k].get(e);
                  const double want = held + alone;
                  if (!std::isfinite(want) || !std::isfinite(got)) return std::isfinite(want) == std::isfinite(got) || std::fabs(want) > largest_of(dtype) / 2;
                  const double s = k < terms.size() ? terms[k].at(static_cast<std::size_t>(e)) : 0;
                  return std::fabs(got - want) <=
                         0.5 * (harness::ulp(alone, dtype) + harness::ulp(want, dtype)) * (1 + 1e-9) + kOrder * (s + std::fabs(held) + std::fabs(alone));
                }));
  }
  return verdict;
}

// ---- in place is out of place

Verdict in_place(const Case& c, const Outputs& outputs) {
  Verdict verdict;
  Problem apart = *c.problem;
  bool shares = false;
  for (Problem::ArgumentContents& contents : apart.contents()) shares |= std::exchange(contents.shares, -1) >= 0;
  std::optional<Outputs> own;
  const adj::OpInfo& op = apart.op();
  for (std::size_t i = 0; i < op.arguments.size(); ++i)
    for (std::size_t source = 0; source < op.arguments.size(); ++source) {
      const auto &to = apart.contents()[i], &from = apart.contents()[source];
      if (!(op.arguments[i].may_equal >> source & 1) || !to.present || !from.present) continue;
      if (!std::equal(to.data.begin(), to.data.end(), from.data.begin(), from.data.end(),
                      [](const Data& a, const Data& b) { return a.dtype == b.dtype && a.bytes.size() == b.bytes.size(); }))
        continue;
      Problem together = apart;
      together.contents()[i].shares = static_cast<int>(source);
      auto got = harness::run_reference(together);
      if (!got) continue;  // not for this problem
      if (!own) own = shares ? run(apart) : outputs;
      verdict.add(fmt::format("{} in place of {}", op.arguments[i].name, op.arguments[source].name),
                  first_wrong(apart, *own, [&](std::size_t argument, std::size_t k, std::int64_t e) {
                    return argument == source || same_element(own->arguments[argument][k], got->arguments[argument][k], e);
                  }));
      verdict.notes.push_back(fmt::format("{}.{} in {}", op.name, op.arguments[i].name, op.arguments[source].name));
    }
  return verdict;
}

// ---- an absent argument is its default

// Values that optional tensors have when they are left out, where their comment in the header does not say it ("1 without").
std::optional<double> default_of(const adj::ArgumentInfo& argument) {
  const std::string about = argument.about;  // "[channels] weight: 1 without"
  if (about.ends_with(" without")) return std::stod(about.substr(about.rfind(": ") + 2));
  for (const char* name : {"dresidual", "bias", "found_inf"})
    if (std::strcmp(argument.name, name) == 0) return 0;
  return {};
}
bool is_optional_input(const Problem& problem, std::size_t i) {
  return problem.specs()[i].presence == adj::Presence::optional && role_of(problem, i) == adj::Role::in &&
         problem.op().arguments[i].kind == adj::ArgumentKind::tensor && problem.contents()[i].present;
}
Verdict absent_is_default(const Case& c, const Outputs&) {
  Verdict verdict;
  const adj::OpInfo& op = c.problem->op();
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const std::optional<double> value = default_of(op.arguments[i]);
    if (!value || !is_optional_input(*c.problem, i)) continue;
    Problem given = *c.problem, absent = *c.problem;
    for (Problem* p : {&given, &absent})
      for (Problem::ArgumentContents& contents : p->contents())
        if (contents.shares == static_cast<int>(i)) contents.shares = -1;
    harness::fill_constant(given.contents()[i].data.at(0), *value);
    absent.omit(op.arguments[i].name);
    const Outputs with = run(given), without = run(absent);
    verdict.add(fmt::format("{} of {:g}", op.arguments[i].name, *value), first_wrong(given, with, [&](std::size_t s, std::size_t k, std::int64_t e) {
                  const Data &a = with.arguments[s][k], &b = without.arguments[s][k];
                  return same_element(a, b, e) || (*value == 0 && a.get(e) == 0 && b.get(e) == 0);  // -0 + 0 is 0
                }));
    verdict.notes.push_back(fmt::format("{}.{}", op.name, op.arguments[i].name));
  }
  return verdict;
}

// ---- the adjoint identity <dy, J dx> = <J^T dy, dx>

// Gradients whose forward operator has another name than theirs before _backward.
const char* forward_of(const std::string& backward) {
  static const std::map<std::string, const char*> list{{"softmax_dropout_backward", "bias_softmax_dropout_forward"},
                                                       {"embedding_bag_per_sample_weights_backward", "embedding_bag_forward"},
                                                       {"split", "concat"},
                                                       {"concat", "split"},
                                                       {"pad_and_unflatten", "flatten_and_unpad"},
                                                       {"softmax_cross_entropy_loss_backward", "softmax_cross_entropy_loss"},
                                                       {"soft_label_cross_entropy_loss_backward", "soft_label_cross_entropy_loss"},
                                                       {"log_prob_entropy_backward", "log_prob_entropy"},
                                                       {"moe_route_backward", "moe_route"},
                                                       {"moe_permute_backward", "moe_permute"},
                                                       {"moe_unpermute_backward", "moe_unpermute"}};
  const auto at = list.find(backward);
  return at == list.end() ? nullptr : at->second;
}
std::vector<const adj::OpInfo*> gradients_of(const adj::OpInfo& forward) {
  std::vector<const adj::OpInfo*> result;
  const std::string name = forward.name;
  for (const adj::OpInfo* op : adj::all_ops()) {
    const char* other = forward_of(op->name);
    const bool by_name = name.ends_with("_forward") && name.substr(0, name.size() - 8) + "_backward" == op->name;
    if (op != &forward && (other ? name == other : by_name)) result.push_back(op);
  }
  return result;
}
// Name of the gradient's argument for an argument of the forward operator.
std::string gradient_name(const adj::OpInfo& gradient, const char* name) {
  static const std::map<std::string, std::map<std::string, std::string>> list{{"split", {{"inputs", "outputs"}, {"output", "input"}}},
                                                                              {"concat", {{"input", "output"}, {"outputs", "inputs"}}},
                                                                              {"pad_and_unflatten", {{"input", "output"}, {"output", "input"}}}};
  const auto at = list.find(gradient.name);
  return at == list.end() ? std::string("d") + name : at->second.contains(name) ? at->second.at(name) : "";
}
// What a gradient may be made of besides its defaults.
struct Form {
  const char* field;
  std::int32_t value;
};
constexpr Form kForms[] = {{nullptr, 0}, {"from_output", 1}, {"from_scores", 1}, {"saved", ADJ_ACTIVATION_SAVED_INPUT}, {"saved", ADJ_ACTIVATION_SAVED_OUTPUT}};

bool has_repeats(const Data& indices) {
  std::set<double> seen;
  for (std::int64_t e = 0; e < indices.numel(); ++e)
    if (!seen.insert(indices.get(e)).second) return true;
  return false;
}
bool all_f64(const Problem& problem) {
  for (std::size_t i = 0; i < problem.specs().size(); ++i)
    for (const Data& data : problem.contents()[i].data)
      if (adj::is_float(data.dtype) && data.dtype != ADJ_F64 && problem.op().arguments[i].kind != adj::ArgumentKind::scalar) return false;
  return true;
}
double dot(const std::vector<Data>& a, const std::vector<Data>& b, double& magnitude) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::int64_t e = 0; e < a[k].numel(); ++e) {
      sum += a[k].get(e) * b[k].get(e);
      magnitude += std::fabs(a[k].get(e) * b[k].get(e));
    }
  return sum;
}
bool is_finite(const std::vector<Data>& list) {
  for (const Data& data : list)
    for (std::int64_t e = 0; e < data.numel(); ++e)
      if (adj::is_float(data.dtype) && !std::isfinite(data.get(e))) return false;
  return true;
}
// The gradient's problem for a forward problem and its results, without contents of the gradients that it takes. None where the form is not one
// of the problem's.
std::optional<Problem> gradient_problem(const adj::OpInfo& op, const Form& form, const Problem& forward, const Outputs& results) {
  Draft draft(op);
  for (const adj::Field& field : op.fields) draft.take(field.name, forward, field.name);
  if (form.field && !draft.set(form.field, form.value)) return {};
  draft.set("write_mode", ADJ_WRITE_OVERWRITE);
  draft.set("has_dbias", switch_of(forward, "has_bias"));
  if (find_field(forward.op(), "training")) draft.set("frozen", !switch_of(forward, "training"));
  draft.set("exact", 1);  // labels that need not add up to 1
  for (const auto& [to, from] : {std::pair("dq_strides", "q_strides"), std::pair("dk_strides", "k_strides"), std::pair("dv_strides", "v_strides"),
                                 std::pair("dout_strides", "out_strides"), std::pair("dinput_strides", "strides")})
    draft.take(to, forward, from);
  if (const auto entropy = find_argument(forward.op(), "entropy")) draft.set("with_entropy", forward.contents()[*entropy].present);
  std::optional<Problem> gradient;
  try {
    gradient.emplace(draft.get());
  } catch (const std::logic_error&) {
    return {};  // refused: this function has no such form
  }
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    Problem::ArgumentContents& contents = gradient->contents()[i];
    if (!contents.present || role_of(*gradient, i) == adj::Role::out) continue;
    std::string name = op.arguments[i].name;
    if (name == "input" && switch_of(forward, "has_residual")) name = "sum";
    if (name == "saved") name = form.value == ADJ_ACTIVATION_SAVED_OUTPUT ? "out" : "input";
    const bool is_gradient = std::any_of(forward.op().arguments.begin(), forward.op().arguments.end(),
                                         [&](const adj::ArgumentInfo& s) { return s.role != adj::Role::in && gradient_name(op, s.name) == name; });
    if (is_gradient) continue;
    const auto from = find_argument(forward.op(), name);
    if (from && forward.contents()[*from].present) {
      const bool is_result = forward.op().arguments[*from].role == adj::Role::out;
      contents = forward.contents()[*from];
      if (is_result) contents.data = results.arguments[*from];
      contents.shares = -1;
    } else if (gradient->specs()[i].presence == adj::Presence::optional) {
      gradient->omit(name.c_str());
    } else {
      return {};  // the case did not keep what the gradient needs
    }
  }
  return gradient;
}

Verdict adjoint_identity(const Case& c, const Outputs&) {
  Verdict verdict;
  const adj::OpInfo& op = c.problem->op();
  const auto gradients = gradients_of(op);
  if (gradients.empty() || !all_f64(*c.problem)) return verdict;
  harness::Rng rng(7);
  if (switch_of(*c.problem, "has_padding_idx")) return verdict;  // that row counts in the forward direction alone
  if (op.id == ADJ_OP_FLATTEN_AND_UNPAD && has_repeats(c.problem->contents()[c.problem->argument("indices")].data.at(0))) return verdict;  // one of them wins
  Problem forward = *c.problem;
  for (Problem::ArgumentContents& contents : forward.contents()) contents.shares = -1;
  for (const adj::OpInfo* gradient_op : gradients) {
    auto is_varied = [&](std::size_t i) {  // an input that the gradient is taken in
      const auto to = find_argument(*gradient_op, gradient_name(*gradient_op, op.arguments[i].name));
      return op.arguments[i].role == adj::Role::in && forward.contents()[i].present && to && gradient_op->arguments[*to].role != adj::Role::in &&
             !forward.contents()[i].data.empty() && adj::is_float(forward.contents()[i].data[0].dtype);
    };
    Problem at = forward, ahead = forward, behind = forward;
    std::vector<std::vector<Data>> direction(op.arguments.size());
    constexpr double kStep = 0x1p-18;
    for (std::size_t i = 0; i < op.arguments.size(); ++i) {
      if (!is_varied(i)) continue;
      for (std::size_t k = 0; k < forward.contents()[i].data.size(); ++k) {
        Data& x = at.contents()[i].data[k];
        harness::fill_normal(x, rng);
        Data& dx = direction[i].emplace_back(x);
        harness::fill_normal(dx, rng);
        for (std::int64_t e = 0; e < x.numel(); ++e) {
          ahead.contents()[i].data[k].set(e, x.get(e) + kStep * dx.get(e));
          behind.contents()[i].data[k].set(e, x.get(e) - kStep * dx.get(e));
        }
      }
    }
    const Outputs y = run(at), after = run(ahead), before = run(behind);
    for (const Form& form : kForms) {
      auto gradient = gradient_problem(*gradient_op, form, at, y);
      if (!gradient) continue;
      double left = 0, right = 0, magnitude = 0, size = 0;
      bool finite = true;
      for (std::size_t i = 0; i < op.arguments.size(); ++i) {
        const auto to = find_argument(*gradient_op, gradient_name(*gradient_op, op.arguments[i].name));
        if (!to || op.arguments[i].role == adj::Role::in || y.arguments[i].empty() || !gradient->contents()[*to].present) continue;
        for (std::size_t k = 0; k < y.arguments[i].size(); ++k) {
          Data& dy = gradient->contents()[*to].data[k];
          harness::fill_normal(dy, rng);
          Data slope = y.arguments[i][k];
          for (std::int64_t e = 0; e < slope.numel(); ++e) slope.set(e, (after.arguments[i][k].get(e) - before.arguments[i][k].get(e)) / (2 * kStep));
          finite &= is_finite({slope});
          left += dot({dy}, {slope}, magnitude);
          dot({dy}, {y.arguments[i][k]}, size);
        }
      }
      const Outputs dx = run(*gradient);
      for (std::size_t i = 0; i < op.arguments.size(); ++i) {
        const auto from = find_argument(*gradient_op, gradient_name(*gradient_op, op.arguments[i].name));
        if (direction[i].empty() || !from || dx.arguments[*from].empty()) continue;
        finite &= is_finite(dx.arguments[*from]);
        right += dot(dx.arguments[*from], direction[i], magnitude);
      }
      if (!finite || magnitude == 0) continue;
      // Differences are cut off after the second power of the step, and rounded with a unit of y over the step.
      const bool holds = std::fabs(left - right) <= 1e-8 * magnitude + 1e-9 * size;
      verdict.add(fmt::format("{} {}", gradient_op->name, form.field ? fmt::format("{} = {}", form.field, form.value) : ""),
                  holds ? "" : fmt::format("<dy, J dx> is {:.12g}, <J^T dy, dx> {:.12g}, of {:.3g}", left, right, magnitude));
      verdict.notes.push_back(gradient_op->name);
    }
  }
  return verdict;
}

// What is not tried, each with its reason.
const std::map<std::string, const char*>& reasons() {
  constexpr const char *kRanks = "needs ranks that run at the same time: tests/host/collective.cpp", *kUnread = "reads and writes nothing",
                       *kOther = "the default is another argument", *kTogether = "an output that needs it is left out with it",
                       *kNarrow = "no signature has f64: linear_loss.cpp has differences of the forward operator";
  static const std::map<std::string, const char*> list{
      {"adasum_all_reduce", kRanks},
      {"all_gather", kRanks},
      {"all_reduce", kRanks},
      {"broadcast", kRanks},
      {"megatron_f", kRanks},
      {"megatron_g", kRanks},
      {"recv", kRanks},
      {"reduce_scatter", kRanks},
      {"send", kRanks},
      {"group", kUnread},
      {"yield", kUnread},
      {"all", "one byte of any number of bytes: promises.cpp has its lists in other orders and parts"},
      {"index_plan", "integers in an order of their own: embedding.cpp"},
      {"moe_plan", "integers in an order of their own: moe.cpp"},
      {"user_kernel", "the caller's code"},
      {"adam.lr_of: absent is default", kOther},
      {"moe_route", "its weights and logits have other types: moe_route.cpp"},
      {"moe_route_backward: the adjoint identity", "its weights and logits have other types: moe_route.cpp"},
      {"moe_unpermute.order: absent is default", "it is not read: the gradient takes it"},
      {"adam.weight_decay_of: absent is default", kOther},
      {"batch_norm_forward.running_mean: absent is default", kTogether},
      {"batch_norm_forward.running_variance: absent is default", kTogether},
      {"dropout_backward.mask: absent is default", "it may be left out where it is not read"},
      {"linear_cross_entropy_backward: the adjoint identity", kNarrow},
      {"linear_log_prob_backward: the adjoint identity", kNarrow},
      {"div_backward: the adjoint identity", "there is no operator for the division"},
      {"gather_backward: the adjoint identity", "there is no operator for the gather"},
      {"gather_elements_backward: the adjoint identity", "there is no operator for the gather"},
      {"gather_nd_backward: the adjoint identity", "there is no operator for the gather"},
      {"slice_backward: the adjoint identity", "there is no operator for the slice"},
      {"fake_quantize_backward: the adjoint identity", "by its definition it is not the derivative"},
  };
  return list;
}

// One signature is taken for each element type; in f64 for each choice, and for each set of types that are left out or differ from the first.
std::string kind_of(const adj::Signature& signature) {
  std::string kind = fmt::format("{}", static_cast<int>(signature[0]));
  if (signature[0] != ADJ_F64) return kind;
  for (int i = 1; i < signature.count; ++i) kind += signature[i] == ADJ_DTYPE_NONE ? " none" : adj::is_float(signature[i]) ? " float" : " integer";
  return fmt::format("{} {}", kind, signature.choice);
}

struct Relation {
  const char* name;
  Verdict (*holds)(const Case&, const Outputs&);
};
constexpr Relation kRelations[] = {{"permuted rows", permuted_rows}, {"powers of two", powers_of_two},         {"accumulation", accumulation},
                                   {"in place", in_place},           {"absent is default", absent_is_default}, {"the adjoint identity", adjoint_identity}};

}  // namespace

TEST_CASE("relations between calls hold by the definitions" * doctest::test_suite("every operator")) {
  std::map<std::string, std::map<std::string, int>> tried;  // by operator, by relation
  std::map<std::string, std::set<std::string>> notes;  // by relation
  std::set<std::string> optional_inputs;
  for (const adj::OpInfo* op : adj::all_ops()) {
    std::set<std::string> seen;
    for (const adj::Signature& signature : op->signatures) {
      if (!seen.insert(kind_of(signature)).second) continue;
      std::size_t number = 0;
      for (const Case& c : harness::cases_of(op->id)(signature, harness::Level::quick, 1)) {
        if (c.unspecified || (number++ % 3 != 0 && signature[0] != ADJ_F64)) continue;  // the types have the same code on the host
        INFO(fmt::format("{} {} [{}]", op->name, signature.name(), c.name));
        for (std::size_t i = 0; i < op->arguments.size(); ++i)
          if (is_optional_input(*c.problem, i)) optional_inputs.insert(fmt::format("{}.{}", op->name, op->arguments[i].name));
        const Outputs outputs = run(*c.problem);
        for (const Relation& relation : kRelations) {
          INFO(relation.name);
          const Verdict verdict = relation.holds(c, outputs);
          for (const std::string& what : verdict.wrong) FAIL_CHECK(fmt::format("{} {} [{}]: {}, {}", op->name, signature.name(), c.name, relation.name, what));
          if (verdict.tried) tried[op->name][relation.name] += verdict.tried;
          notes[relation.name].insert(verdict.notes.begin(), verdict.notes.end());
        }
      }
    }
  }
  // An argument that may be another's buffer, an optional input and a gradient are each tried, or have a reason.
  std::set<std::string> left;
  for (const adj::OpInfo* op : adj::all_ops()) {
    if (!tried.contains(op->name)) left.insert(op->name);
    const std::string name = op->name;
    if (name.ends_with("_backward") && !notes["the adjoint identity"].contains(name)) left.insert(name + ": the adjoint identity");
    for (std::size_t i = 0; i < op->arguments.size(); ++i)
      for (std::size_t source = 0; source < op->arguments.size() && tried.contains(name); ++source)
        if (const std::string pair = fmt::format("{}.{} in {}", name, op->arguments[i].name, op->arguments[source].name);
            op->arguments[i].may_equal >> source & 1 && !notes["in place"].contains(pair))
          left.insert(pair);
  }
  for (const std::string& input : optional_inputs)
    if (!notes["absent is default"].contains(input)) left.insert(input + ": absent is default");
  for (const auto& [name, reason] : reasons()) { CHECK_MESSAGE(left.erase(name) == 1, fmt::format("{} is tried, and needs no reason", name)); }
  for (const std::string& name : left) FAIL_CHECK(fmt::format("not tried: {}", name));
}
