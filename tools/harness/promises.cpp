// Promises of the headers about operators on lists: problems that must give the bits of another problem.
#include <cstring>
#include <numeric>

#include <adjoint/ops/fp8.h>
#include <adjoint/ops/optimizer.h>
#include <adjoint/ops/precision.h>
#include <adjoint/ops/reduce.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

// What a header promises about the list of a problem: equal bits in any order, in several calls, and with tensors cut into parts.
struct Lists {
  bool order = false, calls = false, parts = false;
  bool any() const { return order || calls || parts; }
};
Lists lists_of(const Problem& problem) {
  switch (problem.op().id) {
    // The tensors of a fused scale follow each other in one buffer.
    case ADJ_OP_SCALE: {
      const bool fused = reinterpret_cast<const adj_scale_descriptor*>(problem.descriptor())->fused;
      return {.order = !fused, .calls = !fused, .parts = true};
    }
    case ADJ_OP_ADAMW_8BIT:
    case ADJ_OP_ADAM:
    case ADJ_OP_LION:
    case ADJ_OP_SGD:
    case ADJ_OP_IS_FINITE:
    case ADJ_OP_ZERO:
    case ADJ_OP_ACCUMULATE:
    case ADJ_OP_SCALED_SUM: return {.order = true, .calls = true, .parts = true};
    case ADJ_OP_LAMB: return {.order = true, .calls = true};
    case ADJ_OP_ALL_FINITE:
    case ADJ_OP_AMAX:
    case ADJ_OP_ALL: return {.order = true, .parts = true};
    case ADJ_OP_CLIP_GRAD_NORM:
    case ADJ_OP_L2_NORM: return {.order = true};
    default: return {};
  }
}
// Elements at whose multiples a tensor may be cut.
std::int64_t cut_unit(const Problem& problem) { return problem.op().id == ADJ_OP_ADAMW_8BIT ? 256 : 1; }

using Entry = Variation::Entry;

std::int64_t& count_before(std::byte* descriptor, const adj::Field& list) {
  return *reinterpret_cast<std::int64_t*>(descriptor + list.offset - sizeof(std::int64_t));
}

// True for a tensor with one element for each tensor of the list.
bool is_per_tensor(const Problem& problem, std::size_t argument) {
  constexpr std::string_view kNames[] = {"norms", "lr_of", "weight_decay_of"};
  const adj::ArgumentInfo& info = problem.op().arguments[argument];
  return info.kind == adj::ArgumentKind::tensor && std::find(std::begin(kNames), std::end(kNames), info.name) != std::end(kNames);
}

std::vector<std::int64_t> numel_of(const Problem& problem) {
  for (const adj::Field& field : problem.op().fields) {
    if (std::strcmp(field.name, "numel") != 0) continue;
    auto* base = reinterpret_cast<const std::byte*>(problem.descriptor());
    const std::int64_t* numel = nullptr;
    std::int64_t count = 0;
    std::memcpy(&numel, base + field.offset, sizeof numel);
    std::memcpy(&count, base + field.offset - sizeof count, sizeof count);
    return {numel, numel + count};
  }
  return {};
}

// The bytes of an entry in a tensor of `numel` elements. A tensor with fewer elements of its own has one for every `unit`, rounded up.
std::pair<std::size_t, std::size_t> bytes_of_entry(const Data& data, const Entry& entry, std::int64_t numel, std::int64_t unit) {
  const std::int64_t each = data.numel() == numel ? 1 : unit;
  const auto size = static_cast<std::int64_t>(adj::size_of(data.dtype));
  return {static_cast<std::size_t>(entry.begin / each * size), static_cast<std::size_t>((entry.end + each - 1) / each * size)};
}

// The problem on the given entries only, in that order.
Problem picked(const Problem& problem, const std::vector<Entry>& entries) {
  const adj::OpInfo& op = problem.op();
  const std::vector<std::int64_t> numel = numel_of(problem);
  const bool cut = std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.end - e.begin != numel[e.tensor]; });
  std::vector<std::int64_t> descriptor((op.descriptor_size + 7) / 8);
  auto* base = reinterpret_cast<std::byte*>(descriptor.data());
  std::memcpy(base, problem.descriptor(), op.descriptor_size);
  bool keyed = false;  // elements draw random bits by the key of their tensor
  for (const adj::Field& field : op.fields) keyed |= std::strcmp(field.name, "tensor_keys") == 0 && count_before(base, field) != 0;
  std::vector<std::vector<std::int64_t>> lists;  // of elements of eight bytes, integers or doubles
  for (const adj::Field& field : op.fields) {
    if (!adj::is_list(field)) continue;
    const bool is_numel = std::strcmp(field.name, "numel") == 0, is_first = std::strcmp(field.name, "first_elements") == 0;
    const bool empty = count_before(base, field) == 0;
    if (empty && !(is_first && cut && keyed)) continue;
    const std::int64_t* old = nullptr;
    std::memcpy(&old, base + field.offset, sizeof old);
    auto& list = lists.emplace_back();
    for (const Entry& e : entries) list.push_back(is_numel ? e.end - e.begin : (empty ? 0 : old[e.tensor]) + (is_first ? e.begin : 0));
    const std::int64_t* fresh = list.data();
    std::memcpy(base + field.offset, &fresh, sizeof fresh);
    count_before(base, field) = static_cast<std::int64_t>(list.size());
  }
  Problem result(*reinterpret_cast<const adj_header*>(base));
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const Problem::ArgumentContents& from = problem.contents()[i];
    Problem::ArgumentContents& to = result.contents()[i];
    const bool per_tensor = is_per_tensor(problem, i) && from.present;
    if (per_tensor && op.arguments[i].role == adj::Role::out) continue;
    to = from;
    if (per_tensor) {
      Data& numbers = to.data.at(0);
      const std::size_t size = adj::size_of(numbers.dtype);
      numbers.bytes.clear();
      for (const Entry& e : entries) {
        const auto at = from.data.at(0).bytes.begin() + static_cast<std::ptrdiff_t>(e.tensor * size);
        numbers.bytes.insert(numbers.bytes.end(), at, at + static_cast<std::ptrdiff_t>(size));
      }
    }
    if (op.arguments[i].kind != adj::ArgumentKind::list || !from.present) continue;
    to.data.clear();
    for (const Entry& e : entries) {
      const Data& data = from.data[e.tensor];
      const auto [begin, end] = bytes_of_entry(data, e, numel[e.tensor], cut_unit(problem));
      to.data.push_back({data.dtype, {data.bytes.begin() + static_cast<std::ptrdiff_t>(begin), data.bytes.begin() + static_cast<std::ptrdiff_t>(end)}});
    }
  }
  return result;
}

// The tensor in up to three parts of different sizes, which begin at multiples of `unit`.
std::vector<Entry> parts_of(std::size_t tensor, std::int64_t numel, std::int64_t unit) {
  std::vector<Entry> parts;
  std::int64_t begin = 0;
  for (std::int64_t at : {numel / 3, (numel + 1) / 2, numel}) {
    const std::int64_t end = std::min(numel, (at + unit - 1) / unit * unit);
    if (end > begin || (numel == 0 && parts.empty())) parts.push_back({tensor, begin, end});
    begin = end;
  }
  return parts;
}

double scalar_of(const Problem& problem, const char* name) {
  const Problem::ArgumentContents& c = problem.contents()[problem.argument(name)];
  return c.data.empty() ? c.scalar.value : c.data[0].get(0);
}
bool has_argument(const Problem& problem, const char* name) {
  return std::any_of(problem.op().arguments.begin(), problem.op().arguments.end(), [&](const adj::ArgumentInfo& s) { return std::strcmp(s.name, name) == 0; });
}
template <class Descriptor>
bool corrects_bias(const Problem& problem) {
  return !reinterpret_cast<const Descriptor*>(problem.descriptor())->no_bias_correction;
}
// True when the call of an optimizer must skip: by a signal, or because an argument is invalid.
bool skips(const Problem& problem) {
  bool corrects = false;
  switch (problem.op().id) {
    case ADJ_OP_ADAMW_8BIT: corrects = true; break;
    case ADJ_OP_ADAM: corrects = corrects_bias<adj_adam_descriptor>(problem); break;
    case ADJ_OP_LAMB: corrects = corrects_bias<adj_lamb_descriptor>(problem); break;
    case ADJ_OP_LION:
    case ADJ_OP_SGD: break;
    default: return false;
  }
  const Problem::ArgumentContents& found_inf = problem.contents()[problem.argument("found_inf")];
  if (found_inf.present && found_inf.data.at(0).get(0) != 0) return true;
  if (corrects && scalar_of(problem, "step") < 1) return true;
  if (!has_argument(problem, "update_signal")) return false;
  return scalar_of(problem, "update_signal") == 0 || !std::isfinite(scalar_of(problem, "gradient_norm"));
}

}  // namespace

bool same_anywhere(const Problem& problem) { return lists_of(problem).any() || problem.op().id == ADJ_OP_REDUCE; }

std::vector<Variation> variations_of(const Problem& problem) {
  std::vector<Variation> result;
  const Lists lists = lists_of(problem);
  const std::vector<std::int64_t> numel = numel_of(problem);
  if (!lists.any() || numel.empty()) return result;
  std::vector<Entry> order, cut;
  for (std::size_t t = 0; t < numel.size(); ++t) {
    order.push_back({t, 0, numel[t]});
    for (const Entry& part : parts_of(t, numel[t], cut_unit(problem))) cut.push_back(part);
  }
  auto add = [&](const char* name, std::vector<Entry> entries, bool whole) {
    Problem other = picked(problem, entries);
    result.push_back({name, std::move(other), std::move(entries), whole});
  };
  const bool several = numel.size() > 1;
  if (several && lists.order) add("the list in reverse", {order.rbegin(), order.rend()}, true);
  if (lists.parts && cut.size() != order.size()) add("the tensors in parts", cut, true);
  if (!several || !lists.calls) return result;
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  add("the first half of the list", {order.begin(), middle}, false);
  add("the second half of the list", {middle, order.end()}, false);
  return result;
}

std::string difference(const Problem& problem, const Outputs& outputs, const Variation& variation, const Outputs& varied) {
  const adj::OpInfo& op = problem.op();
  const std::vector<std::int64_t> numel = numel_of(problem);
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    if (outputs.arguments[i].empty()) continue;
    const bool list = op.arguments[i].kind == adj::ArgumentKind::list, per_tensor = is_per_tensor(problem, i);
    for (std::size_t k = 0; k < variation.entries.size() && (list || per_tensor); ++k) {
      const Entry& entry = variation.entries[k];
      if (list) {
        const Data &all = outputs.arguments[i][entry.tensor], &part = varied.arguments[i][k];
        const auto [begin, end] = bytes_of_entry(all, entry, numel[entry.tensor], cut_unit(problem));
        if (part.bytes.size() == end - begin && std::equal(part.bytes.begin(), part.bytes.end(), all.bytes.begin() + static_cast<std::ptrdiff_t>(begin)))
          continue;
        return fmt::format("{} of tensor {} has other bits with {}", op.arguments[i].name, entry.tensor, variation.name);
      }
      const std::size_t size = adj::size_of(outputs.arguments[i][0].dtype);
      if (std::memcmp(&outputs.arguments[i][0].bytes[entry.tensor * size], &varied.arguments[i][0].bytes[k * size], size) != 0)
        return fmt::format("{}[{}] has other bits with {}", op.arguments[i].name, entry.tensor, variation.name);
    }
    if (!list && !per_tensor && variation.whole && outputs.arguments[i][0].bytes != varied.arguments[i][0].bytes)
      return fmt::format("{} has other bits with {}", op.arguments[i].name, variation.name);
  }
  return {};
}

std::optional<std::string> changed_by_skip(const Problem& problem, const Outputs& outputs) {
  if (!skips(problem)) return std::nullopt;
  const adj::OpInfo& op = problem.op();
  const bool clears = std::any_of(op.fields.begin(), op.fields.end(), [&](const adj::Field& f) {
    return std::strcmp(f.name, "clear_grads") == 0 &&
           *reinterpret_cast<const std::int32_t*>(reinterpret_cast<const std::byte*>(problem.descriptor()) + f.offset) != 0;
  });
  constexpr std::pair<const char*, const char*> kCopies[] = {{"new_params", "params"},
                                                             {"new_exp_avg", "exp_avg"},
                                                             {"new_exp_avg_sq", "exp_avg_sq"},
                                                             {"new_momentum_buffers", "momentum_buffers"},
                                                             {"updates", "grads"}};
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const std::string name = op.arguments[i].name;
    if (outputs.arguments[i].empty() || name == "error_flag" || (name == "grads" && clears)) continue;
    std::string source = name;
    for (const auto& [copy, original] : kCopies)
      if (name == copy) source = original;
    const std::vector<Data>& before = problem.contents()[problem.argument(source.c_str())].data;
    for (std::size_t k = 0; k < before.size(); ++k)
      if (outputs.arguments[i][k].bytes != before[k].bytes) return fmt::format("{} is changed by a call that skips", name);
  }
  return std::string();
}

}  // namespace harness
