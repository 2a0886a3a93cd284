// Signatures, specifications of arguments, and the tables of SKUs.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>

#include "base/process.hpp"
#include "base/text.hpp"
#include "plan/op.hpp"

namespace adj {

Signature Signature::with_choice(const char* choice, std::initializer_list<adj_dtype> list, std::int32_t mode) {
  Signature s(list);
  s.choice = choice;
  s.mode = mode;
  return s;
}
Signature::Signature(std::initializer_list<adj_dtype> list) : count(static_cast<int>(list.size())) { std::copy(list.begin(), list.end(), types.begin()); }

std::string Signature::name() const {
  std::string text(choice);
  for (int i = 0; i < count; ++i) {
    const char* type = dtype_name((*this)[i]);
    if (!text.empty()) text += '.';
    text += type ? type : (*this)[i] == ADJ_DTYPE_NONE ? "none" : "unknown";
  }
  return text;
}

std::vector<ArgumentSpec> specs_of(const OpInfo& op, const void* descriptor) {
  std::vector<ArgumentSpec> specs(op.arguments.size());
  op.shapes(descriptor, specs);
  for (std::size_t argument = 0; argument < specs.size(); ++argument)
    specs[argument].role = op.role ? op.role(descriptor, argument) : op.arguments[argument].role;
  return specs;
}

ArgumentSpec ArgumentSpec::tensor(adj_dtype dtype, std::initializer_list<std::int64_t> shape, Presence presence) {
  ArgumentSpec spec;
  spec.presence = presence;
  spec.dtype = dtype;
  spec.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), spec.shape.begin());
  spec.bytes = size_of(dtype);
  for (std::int64_t extent : shape) spec.bytes *= static_cast<std::uint64_t>(extent);
  return spec;
}
ArgumentSpec ArgumentSpec::list(adj_dtype dtype, std::span<const std::int64_t> numel, Presence presence) {
  ArgumentSpec spec;
  spec.presence = presence;
  spec.dtype = dtype;
  spec.numel = numel;
  return spec;
}
ArgumentSpec ArgumentSpec::list(adj_dtype dtype, std::vector<std::int64_t> counts, Presence presence) {
  auto owned = std::make_shared<const std::vector<std::int64_t>>(std::move(counts));
  ArgumentSpec spec = list(dtype, std::span<const std::int64_t>(*owned), presence);
  spec.counts = std::move(owned);
  return spec;
}
ArgumentSpec ArgumentSpec::random(Presence presence) {
  ArgumentSpec spec;
  spec.presence = presence;
  spec.dtype = ADJ_U64;
  spec.bytes = 2 * sizeof(std::uint64_t);
  return spec;
}
ArgumentSpec ArgumentSpec::handle(Presence presence) {
  ArgumentSpec spec;
  spec.presence = presence;
  return spec;
}
ArgumentSpec ArgumentSpec::scalar(adj_dtype dtype, adj_dtype other, Presence presence) {
  ArgumentSpec spec;
  spec.presence = presence;
  spec.dtype = dtype;
  spec.other_dtype = other;
  return spec;
}
ArgumentSpec ArgumentSpec::forbidden() {
  ArgumentSpec spec;
  spec.presence = Presence::forbidden;
  return spec;
}

adj_guarantee make_guarantee(adj_determinism determinism, adj_math math, adj_dtype accumulator, double bound_ulp, double bound_terms, double bound_absolute) {
  adj_guarantee g;
  g.math = math;
  g.accumulator = accumulator;
  g.determinism = determinism;
  g.bit_stable = determinism >= ADJ_RUN_TO_RUN;
  g.float_atomics = determinism < ADJ_RUN_TO_RUN;
  g.bound_ulp = bound_ulp;
  g.bound_terms = bound_terms;
  g.bound_absolute = bound_absolute;
  return g;
}
adj_guarantee raised(adj_guarantee g, adj_determinism level) {
  if (g.determinism >= level) return g;
  return make_guarantee(level, g.math, g.accumulator, g.bound_ulp, g.bound_terms, g.bound_absolute);
}
adj_guarantee exact_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F32, 0, 0); }

std::uint32_t bytes_of(const Field& field) {
  switch (field.kind) {
    case kFieldI32:
    case kFieldDtype: return 4;
    case kFieldShape: return sizeof(adj_shape);
    case kFieldAxes: return sizeof(adj_axes);
    default: return 8;
  }
}
adj_dtype accumulator_of(adj_dtype element) { return element == ADJ_F64 ? ADJ_F64 : ADJ_F32; }

namespace {
constinit Lazy<std::vector<const OpInfo*>> ops_by_id;
}  // namespace

const OpInfo* find_op(adj_op id) {
  const auto& by_id = ops_by_id.get([] {
    std::vector<const OpInfo*> list;
    for (const OpInfo* op : all_ops()) {
      const auto i = static_cast<std::size_t>(op->id);
      if (i >= list.size()) list.resize(i + 1);
      list[i] = op;
    }
    return list;
  });
  return id >= 0 && static_cast<std::size_t>(id) < by_id.size() ? by_id[static_cast<std::size_t>(id)] : nullptr;
}
const OpInfo* described_op(adj_tag tag) {
  return tag >= ADJ_DESCRIPTOR_TAG(0) && tag < ADJ_ARGS_TAG(0) ? find_op(static_cast<adj_op>(tag - ADJ_DESCRIPTOR_TAG(0))) : nullptr;
}
const OpInfo* find_op(std::string_view name) {
  for (const OpInfo* op : all_ops())
    if (name == op->name) return op;
  return nullptr;
}

namespace {

std::string arch_of(const Variant& variant) {
  if (variant.backend == ADJ_BACKEND_HOST) return "host";
  if (variant.exact_cc) return fmt::format("sm{}a", variant.exact_cc);
  return fmt::format("sm{}", variant.min_cc);
}

struct SkuTable {
  std::vector<Sku> skus;
  std::map<std::string, std::unique_ptr<Program>> programs;
  std::map<const OpInfo*, std::pair<std::size_t, std::size_t>> ranges;

  SkuTable() {
    for (const OpInfo* op : all_ops()) {
      const std::size_t first = skus.size();
      for (const Signature& signature : op->signatures)
        for (const Variant& variant : op->variants)
          if (!variant.accepts || variant.accepts(signature)) add(*op, variant, signature);
      ranges[op] = {first, skus.size() - first};
    }
    for (Sku& sku : skus) add_parts(sku);
  }

  void add_parts(Sku& sku) {
    for (const PartTemplate& part : sku.variant->parts) {
      const Signature signature = part.signature(sku.signature);
      const auto [first, count] = ranges.at(find_op(part.op));
      for (std::size_t i = first; i < first + count; ++i) {
        const Sku& other = skus[i];
        const Variant& v = *other.variant;
        if (!(other.signature == signature) || v.exact_cc || v.min_cc > sku.variant->min_cc ||
            std::ranges::none_of(part.algorithms, [&](const char* name) { return std::strcmp(name, v.algorithm) == 0; }))
          continue;
        if (std::ranges::find(sku.parts, &other) != sku.parts.end()) continue;
        sku.parts.push_back(&other);
        for (const Program* program : other.programs)
          if (std::ranges::find(sku.programs, program) == sku.programs.end()) sku.programs.push_back(program);
      }
    }
  }

  void add(const OpInfo& op, const Variant& variant, const Signature& signature) {
    Sku sku;
    sku.op = &op;
    sku.variant = &variant;
    sku.signature = signature;
    sku.signature_name = signature.name();
    sku.arch = arch_of(variant);
    sku.id = fmt::format("{}/{}/{}/{}", op.name, variant.algorithm, sku.signature_name, sku.arch);
    sku.guarantee = variant.guarantee(signature);
    for (const ProgramTemplate& t : variant.programs) sku.programs.push_back(program(t, signature));
    skus.push_back(std::move(sku));
  }

  const Program* program(const ProgramTemplate& t, const Signature& signature) {
    std::vector<std::string> defines = split(t.defines, ' ');
    for (std::string& define : defines) {
      if (const std::size_t at = define.find("{c}"); at != std::string::npos) define.replace(at, 3, signature.choice);
      if (const std::size_t at = define.find("{a}"); at != std::string::npos) define.replace(at, 3, dtype_c_name(accumulator_of(signature[0])));
      if (const std::size_t at = define.find("{w}"); at != std::string::npos) define.replace(at, 3, fmt::format("u{}", 8 * size_of(signature[0])));
      for (int i = 0; i < signature.count; ++i) {
        const std::string placeholder = fmt::format("{{{}}}", i);
        const char* type = dtype_c_name(signature[i]);
        for (std::size_t at; (at = define.find(placeholder)) != std::string::npos;) define.replace(at, placeholder.size(), type ? type : "none");
      }
    }
    auto made = std::make_unique<Program>(t.source, t.entry, std::move(defines));
    return programs.try_emplace(made->name(), std::move(made)).first->second.get();
  }
};

// Plans point into the table until the process ends.
constinit Lazy<SkuTable> sku_table;
const SkuTable& table() { return sku_table.get(); }

}  // namespace

const Program* Sku::program(ProgramName name) const {
  for (std::size_t i = 0; i < variant->programs.size(); ++i)
    if (variant->programs[i].name == name) return programs[i];
  throw std::out_of_range(id + " has no program of the name that its planning uses");
}

std::span<const Sku> all_skus() { return table().skus; }
std::span<const Sku> skus_of(const OpInfo& op) {
  const auto [first, count] = table().ranges.at(&op);
  return all_skus().subspan(first, count);
}
adj_guarantee guarantee_of(const Sku& sku, const void* descriptor, int argument) {
  const Variant& v = *sku.variant;
  adj_guarantee g = descriptor && v.guarantee_for ? v.guarantee_for(sku.guarantee, descriptor) : sku.guarantee;
  for (const OutputLevel& output : v.outputs)
    if (output.argument == argument && (!output.when || (descriptor && output.when(descriptor)))) g = raised(g, output.level);
  return g;
}
const Sku* find_sku(std::string_view id) {
  for (const Sku& sku : all_skus())
    if (sku.id == id) return &sku;
  return nullptr;
}

Result<void> check_arch(const Sku& sku, int cc) {
  const Variant& v = *sku.variant;
  if (cc < v.min_cc) return fail(ADJ_ERROR_UNSUPPORTED, "needs sm_{} or later, the device is {}", v.min_cc, arch_name(cc));
  if (v.exact_cc && cc != v.exact_cc) return fail(ADJ_ERROR_UNSUPPORTED, "is made for {}, the device is {}", arch_name(v.exact_cc), arch_name(cc));
  return {};
}

std::vector<const Program*> programs_for(std::string_view sku_glob, int cc) {
  std::vector<const Program*> programs;
  std::set<const Program*> seen;
  for (const Sku& sku : all_skus()) {
    if (!glob_match(sku_glob, sku.id) || !check_arch(sku, cc)) continue;
    for (const Program* program : sku.programs)
      if (seen.insert(program).second) programs.push_back(program);
  }
  return programs;
}

}  // namespace adj
