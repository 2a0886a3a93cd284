// The largest errors of the host backend, by operator and element type: each case once more with all tensors in f64, where the host's results are
// those of the formula. Writes JSON: datasheet_host OUTPUT
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>

#include <adjoint/ops/all.gen.h>

#include "harness/accuracy.hpp"
#include "harness/arguments.hpp"

namespace {

using harness::Case;
using harness::Data;
using harness::Problem;

bool is_narrow(adj_dtype dtype) { return adj::is_float(dtype) && dtype != ADJ_F64; }

// The same problem with f64 in place of every other floating-point type. None where the operator does not take that.
std::optional<Problem> widened(const Problem& problem) {
  const adj::OpInfo& op = problem.op();
  std::vector<std::uint64_t> bytes((op.descriptor_size + 7) / 8);
  std::memcpy(bytes.data(), problem.descriptor(), op.descriptor_size);
  for (const adj::Field& field : op.fields) {
    if (field.kind != adj::kFieldDtype) continue;
    auto& dtype = *reinterpret_cast<adj_dtype*>(reinterpret_cast<std::byte*>(bytes.data()) + field.offset);
    if (is_narrow(dtype)) dtype = ADJ_F64;
  }
  std::optional<Problem> wide;
  try {
    wide.emplace(*reinterpret_cast<const adj_header*>(bytes.data()));
  } catch (const std::logic_error&) { return {}; }
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const Problem::ArgumentContents& from = problem.contents()[i];
    Problem::ArgumentContents& to = wide->contents()[i];
    std::vector<Data> fresh = std::move(to.data);
    to = from;
    const bool is_tensor = op.arguments[i].kind == adj::ArgumentKind::tensor || op.arguments[i].kind == adj::ArgumentKind::list;
    if (!from.present || !is_tensor) continue;
    if (fresh.size() != from.data.size()) return {};
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      if (fresh[k].numel() != from.data[k].numel()) return {};
      if (is_narrow(from.data[k].dtype))
        for (std::int64_t e = 0; e < fresh[k].numel(); ++e) fresh[k].set(e, from.data[k].get(e));
      else fresh[k] = from.data[k];
    }
    to.data = std::move(fresh);
  }
  return wide;
}

// True where the definition itself rounds in between, or lets a norm overflow, in the type of the arithmetic, so that f64 is another problem.
bool rounds_between(const Problem& problem) {
  constexpr adj_op kOperators[] = {ADJ_OP_ADAM, ADJ_OP_LAMB, ADJ_OP_LION, ADJ_OP_CLIP_GRAD_NORM, ADJ_OP_FAKE_QUANTIZE_FORWARD, ADJ_OP_SCALE, ADJ_OP_SCALED_SUM};
  if (std::find(std::begin(kOperators), std::end(kOperators), problem.op().id) != std::end(kOperators)) return true;
  // The argument of an activation with a bias, and what a norm takes with a residual, are rounded sums.
  const bool is_norm = std::string_view(problem.op().family) == "norm", is_activation = std::string_view(problem.op().family) == "activation";
  for (std::size_t i = 0; i < problem.op().arguments.size(); ++i) {
    const std::string_view name = problem.op().arguments[i].name;
    if (problem.contents()[i].present && ((is_activation && name == "bias") || (is_norm && name == "residual"))) return true;
  }
  return false;
}

double largest_of(adj_dtype dtype) { return dtype == ADJ_F16 ? 65504 : dtype == ADJ_BF16 ? 3.3895e38 : 3.40282e38; }

// A case with every number of a 16-bit type as the argument, and finite numbers of every exponent as dout.
template <class Descriptor>
Case every_number(const Case& like, const char* argument) {
  auto d = *reinterpret_cast<const Descriptor*>(like.problem->descriptor());
  d.outer = 1;
  d.inner = 65536;
  Case c{"every number", std::make_shared<Problem>(Problem::of(d)), like.magnitudes};
  for (std::size_t i = 0; i < c.problem->contents().size(); ++i) {
    const std::string name = c.problem->op().arguments[i].name;
    if (name != argument && name != "dout") continue;
    Data& data = c.problem->contents()[i].data.at(0);
    for (std::uint32_t e = 0; e < 65536; ++e) {
      const auto bits = static_cast<std::uint16_t>(name == argument ? e : e * 40503);
      std::memcpy(&data.bytes[2 * e], &bits, sizeof bits);
      if (name != argument && !std::isfinite(data.get(e))) data.set(e, 1);
    }
  }
  return c;
}

// Adds the errors of one case; false where there is nothing to compare with.
bool measure(const adj::Sku& sku, const Case& c, harness::Accuracy& accuracy) {
  const auto wide = widened(*c.problem);
  if (!wide) return false;
  const auto got = harness::run_reference(*c.problem), exact = harness::run_reference(*wide);
  if (!got || !exact) return false;
  double of_bound = 0, units = 0;
  for (std::size_t i = 0; i < got->arguments.size(); ++i) {
    if (!harness::is_output(*c.problem, i)) continue;
    const adj_guarantee g = adj::guarantee_of(sku, c.problem->descriptor(), static_cast<int>(i));
    const auto terms = c.magnitudes ? c.magnitudes(*c.problem, c.problem->op().arguments[i].name) : std::vector<std::vector<double>>{};
    for (std::size_t k = 0; k < got->arguments[i].size(); ++k) {
      const Data &mine = got->arguments[i][k], &theirs = exact->arguments[i][k];
      if (!is_narrow(mine.dtype)) continue;
      for (std::int64_t e = 0; e < mine.numel(); ++e) {
        const double value = mine.get(e), want = theirs.get(e);
        if (!std::isfinite(value) || !std::isfinite(want) || std::fabs(want) > largest_of(mine.dtype)) continue;
        const double unit = harness::ulp(want, mine.dtype), error = std::fabs(value - want);
        const double s = k < terms.size() ? terms[k].at(static_cast<std::size_t>(e)) : 0;
        // A SKU of the host without a bound is the definition's one rounding.
        const double bound = std::max(g.bound_ulp, 0.5) * unit + g.bound_terms * s + g.bound_absolute;
        units = std::max(units, error / unit);
        of_bound = std::max(of_bound, error / bound);
      }
    }
  }
  accuracy.add(of_bound, units, adj::guarantee_of(sku, c.problem->descriptor()));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: datasheet_host OUTPUT\n");
    return 2;
  }
  harness::Accuracies accuracies;
  std::set<std::string> without;
  for (const adj::OpInfo* op : adj::all_ops()) {
    std::set<std::string> seen;
    for (const adj::Sku& sku : adj::skus_of(*op)) {
      if (sku.variant->backend != ADJ_BACKEND_HOST || !is_narrow(sku.signature[0])) continue;
      if (!seen.insert(fmt::format("{} {}", sku.signature.choice, static_cast<int>(sku.signature[0]))).second) continue;
      auto cases = harness::cases_of(op->id)(sku.signature, harness::Level::quick, 1);
      if (const bool backward = op->id == ADJ_OP_ACTIVATION_BACKWARD; backward || op->id == ADJ_OP_ACTIVATION_FORWARD)
        if (adj::size_of(sku.signature[0]) == 2)
          cases.push_back(backward ? every_number<adj_activation_backward_descriptor>(cases.front(), "saved")
                                   : every_number<adj_activation_forward_descriptor>(cases.front(), "input"));
      for (const Case& c : cases) {
        if (c.unspecified || rounds_between(*c.problem)) continue;
        if (!measure(sku, c, accuracies[{op->name, adj::dtype_name(sku.signature[0])}])) without.insert(op->name);
      }
    }
  }
  std::erase_if(accuracies, [](const auto& entry) { return entry.second.runs == 0; });
  std::ofstream(argv[1]) << harness::json_of(accuracies) << "\n";
  for (const std::string& name : without) fmt::print("{}: no problem in f64 for a case\n", name);
  return accuracies.empty() ? 1 : 0;
}
