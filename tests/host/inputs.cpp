// Every input matters to some case: a kernel that did not read it, or read one element for all, would fail.
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "harness/harness.hpp"
#include "support.hpp"

namespace {

using Contents = harness::Problem::ArgumentContents;

// What a kernel would compute with if it ignored part of an argument. False: it would see no difference.
bool to_zeros(Contents& c) {
  bool changed = false;
  for (harness::Data& d : c.data)
    for (std::byte& b : d.bytes) changed |= b != std::byte{0}, b = std::byte{0};
  return changed;
}
bool to_reverse(Contents& c) {
  bool changed = false;
  for (harness::Data& d : c.data) {
    const std::size_t size = adj::size_of(d.dtype);
    const std::vector<std::byte> old = d.bytes;
    for (std::size_t i = 0; i < old.size(); i += size) std::memcpy(&d.bytes[i], &old[old.size() - size - i], size);
    changed |= d.bytes != old;
  }
  return changed;
}
bool to_number(Contents& c, double value) {
  if (c.data.empty()) return std::exchange(c.scalar.value, value) != value;
  const double old = c.data[0].get(0);
  c.data[0].set(0, value);
  return old != value;
}
// word: 0 the seed, 1 the offset.
bool to_zero_word(Contents& c, std::size_t word) {
  if (c.data.empty()) return std::exchange(word ? c.random.offset : c.random.seed, 0) != 0;
  std::uint64_t state[2];
  std::memcpy(state, c.data[0].bytes.data(), sizeof state);
  const bool changed = std::exchange(state[word], 0) != 0;
  std::memcpy(c.data[0].bytes.data(), state, sizeof state);
  return changed;
}

struct Change {
  const char* name;
  bool (*apply)(Contents&);
};
std::vector<Change> changes_of(const adj::ArgumentInfo& argument) {
  switch (argument.kind) {
    case adj::ArgumentKind::tensor:
    case adj::ArgumentKind::list: return {{"zeros", to_zeros}, {"the reverse order", to_reverse}};
    case adj::ArgumentKind::scalar: return {{"0", [](Contents& c) { return to_number(c, 0); }}, {"1", [](Contents& c) { return to_number(c, 1); }}};
    case adj::ArgumentKind::random:
      return {{"a seed of 0", [](Contents& c) { return to_zero_word(c, 0); }}, {"an offset of 0", [](Contents& c) { return to_zero_word(c, 1); }}};
    default: return {};
  }
}
bool has_order(const Contents& c) {
  return std::any_of(c.data.begin(), c.data.end(), [](const harness::Data& d) { return d.numel() > 1; });
}

// Arguments and changes that cannot matter, each with its reason.
const std::map<std::string, const char*>& reasons() {
  constexpr const char *kNoOrder = "the result does not depend on the order of the elements", *kOther = "the code of the caller, or nothing, reads it",
                       *kUnread = "the call passes the tensors on, or waits for them, and reads nothing",
                       *kZeroRows = "it names rows of zeros, which results hold here before the call", *kForGradient = "the gradient alone reads it";
  static const std::map<std::string, const char*> list{
      {"all.inputs: the reverse order", kNoOrder},
      {"all_finite.inputs: the reverse order", kNoOrder},
      {"amax.inputs: the reverse order", kNoOrder},
      {"l2_norm.inputs: the reverse order", kNoOrder},
      {"callback.context: zeros", kOther},
      {"callback.outputs: zeros", kOther},
      {"callback.outputs: the reverse order", kOther},
      {"user_kernel.outputs: zeros", kOther},
      {"user_kernel.outputs: the reverse order", kOther},
      {"group.inputs: zeros", kUnread},
      {"group.inputs: the reverse order", kUnread},
      {"moe_permute.order: zeros", kZeroRows},
      {"moe_permute.order: the reverse order", kZeroRows},
      {"moe_unpermute.order: zeros", kForGradient},
      {"moe_unpermute.order: the reverse order", kForGradient},
      {"yield.outputs: zeros", kUnread},
      {"yield.outputs: the reverse order", kUnread},
      {"yield.gradients: zeros", kUnread},
      {"yield.gradients: the reverse order", kUnread},
  };
  return list;
}

}  // namespace

TEST_CASE("some case of every operator depends on each of its inputs" * doctest::test_suite("every operator")) {
  std::set<std::string> without_cases, missing;
  for (const adj::OpInfo* op : adj::all_ops()) {
    std::map<std::string, std::pair<std::size_t, Change>> left;
    for (std::size_t i = 0; i < op->arguments.size(); ++i)
      if (op->arguments[i].role != adj::Role::out)
        for (const Change& change : changes_of(op->arguments[i]))
          left.emplace(fmt::format("{}.{}: {}", op->name, op->arguments[i].name, change.name), std::pair(i, change));
    if (left.empty()) continue;  // an operator without inputs
    bool has_cases = false;
    std::set<std::size_t> ordered;  // arguments that have more than one element in some case
    for (const adj::Signature& signature : op->signatures) {
      if (left.empty()) break;
      for (const harness::Case& c : harness::cases_of(op->id)(signature, harness::Level::quick, 1)) {
        has_cases = true;
        if (c.unspecified) continue;
        std::optional<harness::Outputs> outputs;
        std::erase_if(left, [&](const auto& entry) {
          const auto [argument, change] = entry.second;
          if (!c.problem->contents()[argument].present) return false;
          if (has_order(c.problem->contents()[argument])) ordered.insert(argument);
          harness::Problem changed = *c.problem;
          if (!change.apply(changed.contents()[argument])) return false;
          if (!outputs) {
            auto run = harness::run_reference(*c.problem);
            REQUIRE_MESSAGE(run.ok(), c.name);
            outputs = std::move(*run);
          }
          const auto others = harness::run_reference(changed);
          return !others.ok() || !harness::same_bits(*outputs, *others);  // a value that is refused matters
        });
      }
    }
    if (!has_cases) {
      without_cases.insert(op->name);
      continue;
    }
    for (const auto& [name, entry] : left)
      if (!reasons().contains(name) && (entry.second.apply != to_reverse || ordered.contains(entry.first))) missing.insert(name);
  }
  for (const std::string& name : missing) FAIL_CHECK("no case sees a difference when an argument is changed to ", name);
  // Collectives with inputs need ranks that run at the same time: tests/host/collective.cpp and tests/gpu/collective.cpp have their cases.
  CHECK(fmt::format("{}", fmt::join(without_cases, " ")) == "adasum_all_reduce all_gather all_reduce broadcast megatron_f megatron_g reduce_scatter send");
}
