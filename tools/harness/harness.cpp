#include "harness/harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "harness/arguments.hpp"
#include "harness/draw.hpp"
#include "plan/descriptor.hpp"

namespace harness {

using adj::ArgumentKind;
using adj::Role;

// ---- data

std::int64_t Data::numel() const {
  const std::uint32_t size = adj::size_of(dtype);
  return size ? static_cast<std::int64_t>(bytes.size() / size) : 0;
}
double Data::get(std::int64_t i) const { return adj::load_scalar(bytes.data() + static_cast<std::size_t>(i) * adj::size_of(dtype), dtype); }
void Data::set(std::int64_t i, double value) {
  std::byte* at = bytes.data() + static_cast<std::size_t>(i) * adj::size_of(dtype);
  const auto round = [&](auto* type) {
    const auto v = adj::from_double<std::remove_pointer_t<decltype(type)>>(value);
    std::memcpy(at, &v, sizeof v);
  };
  if (adj::with_float(dtype, round) || adj::with_f8(dtype, round)) return;
  if (!adj::with_integer(dtype, [&](auto* type) {
        const auto v = static_cast<std::remove_pointer_t<decltype(type)>>(value);
        std::memcpy(at, &v, sizeof v);
      }))
    throw std::logic_error("harness: no values of this element type");
}

namespace {

// Fills with what draw() returns, element by element.
template <class Draw>
void fill(Data& data, Draw draw) {
  const std::int64_t count = data.numel();
  for (std::int64_t i = 0; i < count; ++i) data.set(i, draw());
}

}  // namespace

void fill_uniform(Data& data, Rng& rng, double low, double high) {
  const Uniform draw(low, high);
  fill(data, [&] { return draw(rng); });
}
void fill_normal(Data& data, Rng& rng, double sigma, double mean) {
  Normal draw(mean, sigma);
  fill(data, [&] { return draw(rng); });
}
void fill_integers(Data& data, Rng& rng, std::int64_t low, std::int64_t high) {
  std::uniform_int_distribution<std::int64_t> draw(low, high);
  fill(data, [&] { return static_cast<double>(draw(rng)); });
}
void fill_constant(Data& data, double value) {
  fill(data, [&] { return value; });
}
void fill_zipf(Data& data, Rng& rng, std::int64_t n, double exponent) {
  std::vector<double> cumulative(static_cast<std::size_t>(n));
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) cumulative[static_cast<std::size_t>(i)] = total += std::pow(static_cast<double>(i + 1), -exponent);
  std::vector<std::int64_t> label(static_cast<std::size_t>(n));
  std::iota(label.begin(), label.end(), 0);
  std::shuffle(label.begin(), label.end(), rng);
  const Uniform draw(0, total);
  fill(data, [&] {
    const auto at = std::upper_bound(cumulative.begin(), cumulative.end(), draw(rng)) - cumulative.begin();
    return static_cast<double>(label[static_cast<std::size_t>(std::min<std::int64_t>(at, n - 1))]);
  });
}

// ---- problems

namespace {
Data make_data(adj_dtype dtype, std::uint64_t bytes) {
  Data data;
  data.dtype = dtype;
  data.bytes.resize(bytes);
  return data;
}
}  // namespace

Problem::Problem(const adj_header& descriptor) {
  auto copy = adj::DescriptorCopy::make(&descriptor);
  if (!copy) throw std::logic_error("harness: " + copy.error().message);
  descriptor_ = std::move(*copy);
  if (auto ok = adj::check_problem(op(), descriptor_.get()); !ok) throw std::logic_error("harness: " + ok.error().message);
  specs_.resize(op().arguments.size());
  op().shapes(descriptor_.get(), specs_);
  contents_.resize(specs_.size());
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].presence == adj::Presence::forbidden) continue;
    ArgumentContents& c = contents_[i];
    c.present = true;
    switch (op().arguments[i].kind) {
      case ArgumentKind::tensor: c.data.push_back(make_data(specs_[i].dtype, specs_[i].bytes)); break;
      case ArgumentKind::list:
        for (std::int64_t n : specs_[i].numel) c.data.push_back(make_data(specs_[i].dtype, static_cast<std::uint64_t>(n) * adj::size_of(specs_[i].dtype)));
        break;
      case ArgumentKind::scalar:
      case ArgumentKind::random:
      case ArgumentKind::handle: break;
    }
  }
}

std::size_t Problem::argument(const char* name) const {
  for (std::size_t i = 0; i < op().arguments.size(); ++i)
    if (std::strcmp(op().arguments[i].name, name) == 0) return i;
  throw std::logic_error(std::string("harness: no argument called ") + name);
}
Data& Problem::tensor(const char* name) { return contents_[argument(name)].data.at(0); }
const Data& Problem::tensor(const char* name) const { return contents_[argument(name)].data.at(0); }
std::vector<Data>& Problem::list(const char* name) { return contents_[argument(name)].data; }
void Problem::omit(const char* name) {
  const std::size_t left_out = argument(name);
  contents_[left_out] = {};
  for (ArgumentContents& c : contents_)
    if (c.shares == static_cast<int>(left_out)) c.shares = -1;
}
void Problem::scalar(const char* name, double value) {
  ArgumentContents& c = contents_[argument(name)];
  c.data.clear();
  c.scalar.value = value;
}
void Problem::device_scalar(const char* name, double value, adj_dtype dtype) {
  ArgumentContents& c = contents_[argument(name)];
  c.data = {make_data(dtype, adj::size_of(dtype))};
  c.data[0].set(0, value);
  c.scalar.dtype = dtype;
}
void Problem::random(const char* name, std::uint64_t seed, std::uint64_t offset) {
  ArgumentContents& c = contents_[argument(name)];
  c.data.clear();
  c.random = {seed, offset, nullptr};
}
void Problem::device_random(const char* name, std::uint64_t seed, std::uint64_t offset) {
  const std::uint64_t state[] = {seed, offset};
  ArgumentContents& c = contents_[argument(name)];
  c.data = {make_data(ADJ_U64, sizeof state)};
  std::memcpy(c.data[0].bytes.data(), state, sizeof state);
  c.random = {};
}
void Problem::handle(const char* name, void* handle) { contents_[argument(name)].handle = handle; }
void Problem::share(const char* name, const char* other) { contents_[argument(name)].shares = static_cast<int>(argument(other)); }

std::uint64_t bytes_of(const Problem& problem) {
  std::uint64_t bytes = 0;
  for (const Problem::ArgumentContents& c : problem.contents())
    for (const Data& d : c.data) bytes += d.bytes.size();
  return bytes;
}

// ---- arguments

Arguments::Arguments(const Problem& problem, const std::vector<std::vector<void*>>& addresses) {
  const adj::OpInfo& op = problem.op();
  bytes_.resize((op.args_size + 7) / 8);
  auto* base = reinterpret_cast<std::byte*>(bytes_.data());
  auto& header = *reinterpret_cast<adj_header*>(base);
  header.struct_size = op.args_size;
  header.tag = ADJ_ARGS_TAG(op.id);
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const Problem::ArgumentContents& c = problem.contents()[i];
    if (!c.present) continue;
    const adj::ArgumentSpec& spec = problem.specs()[i];
    std::byte* at = base + op.arguments[i].offset;
    switch (op.arguments[i].kind) {
      case ArgumentKind::tensor: {
        adj_tensor t;
        t.data = addresses[i].at(0);
        t.bytes = spec.bytes;
        t.dtype = spec.dtype;
        t.rank = spec.rank;
        std::copy_n(spec.shape.begin(), spec.rank, t.shape);
        std::memcpy(at, &t, sizeof t);
        break;
      }
      case ArgumentKind::list: {
        auto& pointers = pointers_.emplace_back(addresses[i]);
        auto& capacities = capacities_.emplace_back();
        for (const Data& d : c.data) capacities.push_back(d.bytes.size());
        adj_tensor_list list;
        list.count = static_cast<std::int64_t>(pointers.size());
        list.dtype = spec.dtype;
        list.data = pointers.data();
        list.bytes = capacities.data();
        std::memcpy(at, &list, sizeof list);
        break;
      }
      case ArgumentKind::scalar: {
        adj_scalar s = c.scalar;
        s.device = c.data.empty() ? nullptr : addresses[i].at(0);
        std::memcpy(at, &s, sizeof s);
        break;
      }
      case ArgumentKind::random: {
        adj_random r = c.random;
        r.device = c.data.empty() ? nullptr : static_cast<const std::uint64_t*>(addresses[i].at(0));
        std::memcpy(at, &r, sizeof r);
        break;
      }
      case ArgumentKind::handle: std::memcpy(at, &c.handle, sizeof c.handle); break;
    }
  }
}

bool is_output(const Problem& problem, std::size_t argument) {
  const Problem::ArgumentContents& c = problem.contents()[argument];
  // A scalar in the memory of the stream may be advanced by the operator.
  const ArgumentKind kind = problem.op().arguments[argument].kind;
  return c.present && !c.data.empty() && (problem.op().arguments[argument].role != Role::in || kind == ArgumentKind::scalar || kind == ArgumentKind::random);
}

// ---- reference

adj::Result<Outputs> run_reference(const Problem& problem) {
  const adj::OpInfo& op = problem.op();
  adj_preference preference;
  preference.sku = "*/host";
  preference.workspace_arch = 90;
  auto selected = adj::select_plan(adj::host_stream(), problem.descriptor(), &preference);
  if (!selected) return selected.take_error();
  std::unique_ptr<adj::Plan, void (*)(adj::Plan*)> plan(*selected, [](adj::Plan* p) { adj::release(p); });

  std::vector<std::vector<Data>> data(op.arguments.size());
  std::vector<std::vector<void*>> addresses(op.arguments.size());
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    data[i] = problem.contents()[i].data;
    for (Data& d : data[i]) addresses[i].push_back(d.bytes.empty() ? nullptr : d.bytes.data());
  }
  for (std::size_t i = 0; i < op.arguments.size(); ++i)
    if (const int other = problem.contents()[i].shares; other >= 0) addresses[i] = addresses[static_cast<std::size_t>(other)];
  const Arguments args(problem, addresses);
  std::vector<std::byte> memory(plan->workspace_size + 256);
  void* aligned = memory.data();
  std::size_t space = memory.size();
  std::align(256, plan->workspace_size, aligned, space);
  if (auto ok = adj::run_plan(*plan, adj::host_stream(), {aligned, plan->workspace_size}, args.get()); !ok) return ok.take_error();

  Outputs outputs;
  outputs.arguments.resize(op.arguments.size());
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    if (!is_output(problem, i)) continue;
    const int other = problem.contents()[i].shares;
    outputs.arguments[i] = data[other >= 0 ? static_cast<std::size_t>(other) : i];
  }
  return outputs;
}

Outputs run_on_magnitudes(const Problem& problem, std::initializer_list<const char*> linear_inputs) {
  Problem positive = problem;
  for (const char* name : linear_inputs)
    for (Data& d : positive.list(name))
      for (std::int64_t i = 0; i < d.numel(); ++i) d.set(i, std::fabs(d.get(i)));
  auto outputs = run_reference(positive);
  if (!outputs) throw std::logic_error("harness: " + outputs.error().message);
  return std::move(*outputs);
}

void clear_gaps(const Problem& problem, std::size_t argument, Data& data, unsigned char poison) {
  const adj::ArgumentSpec& spec = problem.specs()[argument];
  if (spec.pitch == 0 || problem.op().arguments[argument].role != Role::out || problem.contents()[argument].shares >= 0) return;
  for (std::size_t i = 0; i < data.bytes.size(); ++i)
    if (i % spec.pitch >= spec.width) data.bytes[i] = data.bytes[i] == std::byte{poison} ? std::byte{0} : std::byte{0xFF};
}

// ---- comparison

bool same_bits(const Outputs& a, const Outputs& b) {
  for (std::size_t i = 0; i < a.arguments.size(); ++i)
    for (std::size_t k = 0; k < std::min(a.arguments[i].size(), b.arguments[i].size()); ++k)
      if (a.arguments[i][k].bytes != b.arguments[i][k].bytes) return false;
  return true;
}

double ulp(double value, adj_dtype dtype) {
  int mantissa = 23, min_exponent = -126;
  if (dtype == ADJ_F64) mantissa = 52, min_exponent = -1022;
  if (dtype == ADJ_F16) mantissa = 10, min_exponent = -14;
  if (dtype == ADJ_BF16) mantissa = 7, min_exponent = -126;
  const double magnitude = std::fabs(value);
  const int exponent = magnitude > 0 && std::isfinite(magnitude) ? std::max(std::ilogb(magnitude), min_exponent) : min_exponent;
  return std::ldexp(1.0, exponent - mantissa);
}

Comparison compare(const Case& c, const adj::Sku& sku, const Outputs& got, const Outputs& reference) {
  Comparison result;
  const adj::OpInfo& op = c.problem->op();
  // The reference rounds its result once, so it may be half a unit away from the exact value.
  constexpr double kReferenceUlp = 0.5, kReferenceTerms = 1e-13;
  for (std::size_t s = 0; s < op.arguments.size(); ++s) {
    if (!is_output(*c.problem, s)) continue;
    const std::string name = op.arguments[s].name;
    const adj_guarantee g = adj::guarantee_of(sku, c.problem->descriptor(), static_cast<int>(s));
    const Magnitudes& terms_of =
        c.of_libraries && sku.variant->backend != ADJ_BACKEND_BESPOKE && sku.variant->backend != ADJ_BACKEND_HOST ? c.of_libraries : c.magnitudes;
    const auto magnitudes = terms_of ? terms_of(*c.problem, name) : std::vector<std::vector<double>>{};
    for (std::size_t k = 0; k < reference.arguments[s].size(); ++k) {
      const Data& want = reference.arguments[s][k];
      const Data& have = got.arguments[s][k];
      const bool exact = !adj::is_float(want.dtype);
      // A SKU without error (a copy) is held to equal bits.
      const bool bits = (g.bound_ulp == 0 && g.bound_terms == 0 && g.bound_absolute == 0) || std::count(c.exact.begin(), c.exact.end(), name) > 0;
      // Equal bits need no arithmetic; large outputs mostly have them.
      constexpr std::int64_t kStretch = 4096;
      const std::size_t size = adj::size_of(want.dtype);
      for (std::int64_t i = 0; i < want.numel(); ++i) {
        if (i % kStretch == 0) {
          const std::size_t at = static_cast<std::size_t>(i) * size;
          const std::size_t length = std::min(want.bytes.size() - at, static_cast<std::size_t>(kStretch) * size);
          if (std::memcmp(want.bytes.data() + at, have.bytes.data() + at, length) == 0) {
            i += kStretch - 1;
            continue;
          }
        }
        const double w = want.get(i), h = have.get(i);
        const bool both_nan = std::isnan(w) && std::isnan(h);
        if (bits || exact
                ? std::memcmp(want.bytes.data() + static_cast<std::size_t>(i) * size, have.bytes.data() + static_cast<std::size_t>(i) * size, size) == 0 ||
                      (c.any_nan && both_nan)
                : w == h || both_nan)
          continue;
        const double terms = k < magnitudes.size() ? magnitudes[k].at(static_cast<std::size_t>(i)) : 0;
        if (terms < 0) continue;
        double bound = 0;
        if (!exact && std::isfinite(w)) {
          bound = bits ? 0 : (g.bound_ulp + kReferenceUlp) * ulp(w, want.dtype) + (g.bound_terms + kReferenceTerms) * terms + g.bound_absolute;
        }
        const double error = std::fabs(h - w);
        const double fraction = bound > 0 ? error / bound : INFINITY;
        if (fraction <= 1) {
          result.worst = std::max(result.worst, fraction);
          continue;
        }
        if (result.ok)
          result.message = fmt::format("{}: {}[{}]{} is {:.17g}, the reference {:.17g}, bound {:.3g}", c.name, name, i,
                                       reference.arguments[s].size() > 1 ? fmt::format(" of tensor {}", k) : "", h, w, bound);
        result.ok = false;
        result.worst = std::isnan(fraction) ? INFINITY : std::max(result.worst, fraction);
      }
    }
  }
  return result;
}

}  // namespace harness
