// Promises of the headers about operators on lists: problems that must give the bits of another problem.
#include <cstring>
#include <numeric>

#include <adjoint/ops/optimizer.h>
#include <adjoint/ops/precision.h>
#include <adjoint/ops/reduce.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

enum class Lists { none, any_order, any_split };
Lists lists_of(const Problem& problem) {
  switch (problem.op().id) {
    case ADJ_OP_SCALE: return reinterpret_cast<const adj_scale_descriptor*>(problem.descriptor())->fused ? Lists::none : Lists::any_split;
    case ADJ_OP_ADAMW:
    case ADJ_OP_ADAMW_8BIT:
    case ADJ_OP_ADAM:
    case ADJ_OP_LAMB:
    case ADJ_OP_LION:
    case ADJ_OP_SGD:
    case ADJ_OP_IS_FINITE:
    case ADJ_OP_ZERO:
    case ADJ_OP_ACCUMULATE:
    case ADJ_OP_SCALED_SUM: return Lists::any_split;
    case ADJ_OP_CLIP_GRAD_NORM:
    case ADJ_OP_ALL_FINITE:
    case ADJ_OP_ALL:
    case ADJ_OP_L2_NORM: return Lists::any_order;
    default: return Lists::none;
  }
}

std::int64_t& count_before(std::byte* descriptor, const adj::Field& list) {
  return *reinterpret_cast<std::int64_t*>(descriptor + list.offset - sizeof(std::int64_t));
}

// True for an output with one element for each tensor of the list.
bool is_per_tensor(const Problem& problem, std::size_t slot) {
  return problem.op().slots[slot].kind == adj::SlotKind::tensor && std::strcmp(problem.op().slots[slot].name, "norms") == 0;
}

// The problem on the given tensors only, in that order.
Problem picked(const Problem& problem, const std::vector<std::size_t>& tensors) {
  const adj::OpInfo& op = problem.op();
  std::vector<std::int64_t> descriptor((op.descriptor_size + 7) / 8);
  auto* base = reinterpret_cast<std::byte*>(descriptor.data());
  std::memcpy(base, problem.descriptor(), op.descriptor_size);
  std::vector<std::vector<std::int64_t>> lists;  // of elements of eight bytes, integers or doubles
  for (const adj::Field& field : op.fields) {
    if (!adj::is_list(field) || count_before(base, field) == 0) continue;
    const std::int64_t* old = nullptr;
    std::memcpy(&old, base + field.offset, sizeof old);
    auto& list = lists.emplace_back();
    for (std::size_t t : tensors) list.push_back(old[t]);
    const std::int64_t* fresh = list.data();
    std::memcpy(base + field.offset, &fresh, sizeof fresh);
    count_before(base, field) = static_cast<std::int64_t>(list.size());
  }
  Problem result(*reinterpret_cast<const adj_header*>(base));
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    const Problem::SlotContents& from = problem.contents()[i];
    Problem::SlotContents& to = result.contents()[i];
    if (is_per_tensor(problem, i) && from.present) continue;
    to = from;
    if (op.slots[i].kind != adj::SlotKind::list || !from.present) continue;
    to.data.clear();
    for (std::size_t t : tensors) to.data.push_back(from.data[t]);
  }
  return result;
}

double scalar_of(const Problem& problem, const char* name) {
  const Problem::SlotContents& c = problem.contents()[problem.slot(name)];
  return c.data.empty() ? c.scalar.value : c.data[0].get(0);
}
bool has_slot(const Problem& problem, const char* name) {
  return std::any_of(problem.op().slots.begin(), problem.op().slots.end(), [&](const adj::SlotInfo& s) { return std::strcmp(s.name, name) == 0; });
}
template <class Descriptor>
bool corrects_bias(const Problem& problem) {
  return !reinterpret_cast<const Descriptor*>(problem.descriptor())->no_bias_correction;
}
// True when the call of an optimizer must skip: by a signal, or because an argument is invalid.
bool skips(const Problem& problem) {
  bool corrects = false;
  switch (problem.op().id) {
    case ADJ_OP_ADAMW: corrects = corrects_bias<adj_adamw_descriptor>(problem); break;
    case ADJ_OP_ADAMW_8BIT: corrects = true; break;
    case ADJ_OP_ADAM: corrects = corrects_bias<adj_adam_descriptor>(problem); break;
    case ADJ_OP_LAMB: corrects = corrects_bias<adj_lamb_descriptor>(problem); break;
    case ADJ_OP_LION:
    case ADJ_OP_SGD: break;
    default: return false;
  }
  const Problem::SlotContents& found_inf = problem.contents()[problem.slot("found_inf")];
  if (found_inf.present && found_inf.data.at(0).get(0) != 0) return true;
  if (corrects && scalar_of(problem, "step") < 1) return true;
  if (!has_slot(problem, "update_signal")) return false;
  return scalar_of(problem, "update_signal") == 0 || !std::isfinite(scalar_of(problem, "gradient_norm"));
}

}  // namespace

bool same_anywhere(const Problem& problem) { return lists_of(problem) != Lists::none || problem.op().id == ADJ_OP_REDUCE; }

std::vector<Variation> variations_of(const Problem& problem) {
  std::vector<Variation> result;
  const Lists lists = lists_of(problem);
  if (lists == Lists::none) return result;
  std::size_t count = 0;
  for (const Problem::SlotContents& c : problem.contents()) count = std::max(count, c.data.size());
  if (count < 2) return result;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto add = [&](const char* name, std::vector<std::size_t> tensors, bool whole) {
    Problem other = picked(problem, tensors);
    result.push_back({name, std::move(other), std::move(tensors), whole});
  };
  add("the list in reverse", {order.rbegin(), order.rend()}, true);
  if (lists != Lists::any_split) return result;
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(count / 2);
  add("the first half of the list", {order.begin(), middle}, false);
  add("the second half of the list", {middle, order.end()}, false);
  return result;
}

std::string difference(const Problem& problem, const Outputs& outputs, const Variation& variation, const Outputs& varied) {
  const adj::OpInfo& op = problem.op();
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    if (outputs.slots[i].empty()) continue;
    const bool list = op.slots[i].kind == adj::SlotKind::list, per_tensor = is_per_tensor(problem, i);
    for (std::size_t k = 0; k < variation.tensors.size(); ++k) {
      const std::size_t t = variation.tensors[k];
      if (list && outputs.slots[i][t].bytes != varied.slots[i][k].bytes)
        return fmt::format("{} of tensor {} has other bits with {}", op.slots[i].name, t, variation.name);
      if (!per_tensor) continue;
      const std::size_t size = adj::size_of(outputs.slots[i][0].dtype);
      if (std::memcmp(&outputs.slots[i][0].bytes[t * size], &varied.slots[i][0].bytes[k * size], size) != 0)
        return fmt::format("{}[{}] has other bits with {}", op.slots[i].name, t, variation.name);
    }
    if (!list && !per_tensor && variation.whole && outputs.slots[i][0].bytes != varied.slots[i][0].bytes)
      return fmt::format("{} has other bits with {}", op.slots[i].name, variation.name);
  }
  return {};
}

std::optional<std::string> changed_by_skip(const Problem& problem, const Outputs& outputs) {
  if (!skips(problem)) return std::nullopt;
  const adj::OpInfo& op = problem.op();
  const bool clears = std::any_of(op.fields.begin(), op.fields.end(), [&](const adj::Field& f) {
    return std::strcmp(f.name, "clear_grads") == 0 && *reinterpret_cast<const std::int32_t*>(reinterpret_cast<const std::byte*>(problem.descriptor()) + f.offset) != 0;
  });
  constexpr std::pair<const char*, const char*> kCopies[] = {{"new_params", "params"}, {"new_exp_avg", "exp_avg"}, {"new_exp_avg_sq", "exp_avg_sq"},
                                                             {"new_momentum_buffers", "momentum_buffers"}, {"updates", "grads"}};
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    const std::string name = op.slots[i].name;
    if (outputs.slots[i].empty() || name == "error_flag" || (name == "grads" && clears)) continue;
    std::string source = name;
    for (const auto& [copy, original] : kCopies)
      if (name == copy) source = original;
    const std::vector<Data>& before = problem.contents()[problem.slot(source.c_str())].data;
    for (std::size_t k = 0; k < before.size(); ++k)
      if (outputs.slots[i][k].bytes != before[k].bytes) return fmt::format("{} is changed by a call that skips", name);
  }
  return std::string();
}

}  // namespace harness
