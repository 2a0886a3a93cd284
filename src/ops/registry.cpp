#include "ops/registry.hpp"

#include <algorithm>
#include <cstring>

#include "base/process.hpp"
#include "base/text.hpp"
#include "jit/sources.hpp"
#include "plan/plan.hpp"
#include "plan/words.hpp"

namespace adj {

namespace {

const std::vector<adj_dtype>& fixed_size_types() {
  static const auto* types =
      new std::vector<adj_dtype>{ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16, ADJ_I8, ADJ_I16, ADJ_I32, ADJ_I64, ADJ_U8, ADJ_U16, ADJ_U32, ADJ_U64, ADJ_BOOL};
  return *types;
}

// "float,int64_t" or "MLFloat16_int64_t_float" into element types; empty when a name is unknown. Since names themselves
// contain '_', the longest known name at each point wins.
std::vector<adj_dtype> parse_type_string(std::string_view text) {
  std::vector<adj_dtype> types;
  while (!text.empty()) {
    std::size_t longest = 0;
    adj_dtype found = ADJ_DTYPE_NONE;
    for (std::size_t n = 1; n <= text.size(); ++n)
      if (adj_dtype d = dtype_find_ort(text.substr(0, n)); d && (n == text.size() || text[n] == '_' || text[n] == ',')) {
        longest = n;
        found = d;
      }
    if (!found) return {};
    types.push_back(found);
    text.remove_prefix(std::min(longest + 1, text.size()));
  }
  return types;
}

// One constraint, "T={float,double}" or "S_WEIGHT={seq(all_fixed_size)}", into the types it admits.
std::vector<adj_dtype> parse_constraint(std::string_view text, bool float_only) {
  const std::size_t open = text.find('{'), close = text.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  const std::string_view set = text.substr(open + 1, close - open - 1);
  if (set.starts_with("all_") || set.starts_with("seq(")) return float_only ? std::vector<adj_dtype>{ADJ_F32} : fixed_size_types();
  std::vector<adj_dtype> types;
  for (const std::string& name : split(set, ','))
    if (adj_dtype d = dtype_find_ort(name)) types.push_back(d);
  return types;
}

// A row with a constraint list registers every combination of the types its constraints admit. A note in the row says
// where only float works although the constraint is wider.
std::vector<std::vector<adj_dtype>> expand_constraints(std::string_view text) {
  const bool float_only = text.find("float only") != std::string_view::npos;
  std::vector<std::vector<adj_dtype>> combinations{{}};
  for (const std::string& constraint : split(text, ';')) {
    std::vector<std::vector<adj_dtype>> longer;
    for (const auto& combination : combinations)
      for (adj_dtype type : parse_constraint(constraint, float_only)) {
        longer.push_back(combination);
        longer.back().push_back(type);
      }
    combinations = std::move(longer);
  }
  return combinations;
}

std::string_view canonical_domain(std::string_view domain) {
  if (domain == "ms") return "com.microsoft";
  if (domain == "onnx" || domain == "ai.onnx") return "";
  return domain;
}

const OnnxBinding* find_binding(const RegistryRow& row, const OpInfo*& op) {
  for (const OpInfo* candidate : all_ops())
    for (const OnnxBinding& binding : candidate->onnx)
      if (canonical_domain(binding.domain) == row.domain && row.op == binding.op) {
        op = candidate;
        return &binding;
      }
  return nullptr;
}

// The modes, flags and real numbers of a descriptor that differ from their defaults, as the command line takes them.
std::string settings_of(const OpInfo& op, const void* descriptor) {
  std::string text;
  for (const Field& field : op.fields) {
    if (field.kind != kFieldI32 && field.kind != kFieldF64) continue;
    const std::string value = value_text(field, descriptor);
    if (value != value_text(field, op.default_descriptor)) text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.name, value);
  }
  return text;
}

void resolve(RegistryRow& row) {
  const OnnxBinding* binding = find_binding(row, row.adjoint_op);
  if (!binding) {
    row.reason = fmt::format("no operator of this library implements {}", row.op);
    return;
  }
  const OpInfo& op = *row.adjoint_op;
  row.note = binding->note;
  for (const auto& types : row.combinations) {
    std::vector<std::uint64_t> descriptor((op.descriptor_size + 7) / 8);
    std::memcpy(descriptor.data(), op.default_descriptor, op.descriptor_size);
    if (!binding->describe(types, descriptor.data())) {
      Signature s;
      s.count = static_cast<int>(std::min<std::size_t>(types.size(), kMaxSignature));
      std::copy_n(types.begin(), s.count, s.types.begin());
      row.reason = fmt::format("{} does not cover the types {}", op.name, s.name());
      return;
    }
    const auto* header = reinterpret_cast<const adj_header*>(descriptor.data());
    for (const adj_stream& stream : {*offline_stream("sm_90a"), host_stream()}) {
      auto plan = select_plan(stream, header, nullptr);
      if (!plan) {
        row.reason = plan.error().message;
        return;
      }
      release(*plan);
    }
    const Signature signature = op.signature(descriptor.data());
    if (row.signature.empty()) {
      row.signature = signature.name();
      row.settings = settings_of(op, descriptor.data());
    }
    for (const Sku& sku : skus_of(op))
      if (sku.signature == signature && std::find(row.skus.begin(), row.skus.end(), &sku) == row.skus.end()) row.skus.push_back(&sku);
  }
  row.resolved = !row.combinations.empty();
  if (!row.resolved) row.reason = fmt::format("the registered types '{}' are not understood", row.types);
}

std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> result;
  for (;;) {
    const std::size_t tab = line.find('\t');
    result.emplace_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return result;
    line.remove_prefix(tab + 1);
  }
}

// A stanza of src/ops/onnx: how the nodes of one operator become calls.
struct Stanza {
  std::string op, domain, session, obstacle, text;
};

// The stanzas in the order of the files. Only their heads are read here; capi/onnxruntime/binding.hpp reads the rest.
std::vector<Stanza> load_stanzas() {
  std::vector<Stanza> stanzas;
  for (const char* name : {"elementwise.txt", "loss_norm.txt", "step.txt", "tensor.txt"}) {
    const EmbeddedFile* file = find_embedded(name);
    if (!file) continue;
    for (const std::string& line : split(file->text, '\n')) {
      if (line.empty() || line.starts_with('#')) continue;
      if (line.starts_with("op ")) {
        const std::vector<std::string> words = split(line, ' ');
        Stanza& stanza = stanzas.emplace_back();
        stanza.op = words.at(1);
        stanza.domain = canonical_domain(words.at(2));
        stanza.session = words.at(3);
        if (const std::size_t quote = line.find('"'); quote != std::string::npos) stanza.obstacle = line.substr(quote + 1, line.size() - quote - 2);
      }
      if (stanzas.back().session != "none") stanzas.back().text += line + '\n';
    }
  }
  return stanzas;
}

// What a session of ONNX Runtime does with the row. Stanzas of the domain adjoint are what a rewrite puts in the place of the operator.
void bind_session(RegistryRow& row, std::span<const Stanza> stanzas) {
  for (const Stanza& stanza : stanzas) {
    if (stanza.op != row.op || (stanza.domain != row.domain && stanza.domain != "adjoint")) continue;
    row.binding += stanza.text;
    if (stanza.domain != row.domain) continue;
    row.session = stanza.session;
    row.obstacle = stanza.obstacle;
  }
  for (const auto& types : row.combinations) {
    if (!row.type_names.empty()) row.type_names += "; ";
    for (std::size_t i = 0; i < types.size(); ++i) row.type_names += fmt::format("{}{}", i ? " " : "", dtype_name(types[i]));
  }
}

std::vector<RegistryRow> load() {
  const std::vector<Stanza> stanzas = load_stanzas();
  std::vector<RegistryRow> rows;
  const EmbeddedFile* file = find_embedded("registry.tsv");
  if (!file) return rows;
  bool title = true;
  for (const std::string& line : split(file->text, '\n')) {
    if (std::exchange(title, false)) continue;
    const std::vector<std::string> cell = cells(line);
    if (cell.size() < 6) continue;
    RegistryRow row;
    row.op = cell[0];
    row.domain = canonical_domain(cell[1]);
    row.since_version = std::atoi(cell[2].c_str());
    row.until_version = std::atoi(cell[3].c_str());
    row.types = cell[4].empty() ? cell[5] : cell[4];
    if (cell[4].empty()) row.combinations = expand_constraints(cell[5]);
    else if (auto types = parse_type_string(cell[4]); !types.empty()) row.combinations.push_back(std::move(types));
    resolve(row);
    bind_session(row, stanzas);
    rows.push_back(std::move(row));
  }
  return rows;
}

constinit Lazy<std::vector<RegistryRow>> rows;

}  // namespace

std::span<const RegistryRow> registry() { return rows.get(load); }

Result<const RegistryRow*> find_registration(std::string_view domain, std::string_view op, int opset, std::string_view types) {
  const std::string_view canonical = canonical_domain(domain);
  const std::vector<adj_dtype> wanted = parse_type_string(types);
  std::string registered;
  bool known = false;
  for (const RegistryRow& row : registry()) {
    if (row.op != op || row.domain != canonical) continue;
    known = true;
    if (opset < row.since_version || (row.until_version && opset > row.until_version)) {
      registered += fmt::format("{}opset {}{}", registered.empty() ? "" : "; ", row.since_version,
                                row.until_version ? fmt::format(" to {}", row.until_version) : " and later");
      continue;
    }
    // One element type is enough for a row with a constraint list: it is matched against the first constraint.
    const bool matches = row.types == types || (!wanted.empty() && std::any_of(row.combinations.begin(), row.combinations.end(), [&](const auto& c) {
                           return c == wanted || (wanted.size() == 1 && c.front() == wanted.front() && row.types.find('=') != std::string::npos);
                         }));
    if (matches) return &row;
    registered += fmt::format("{}'{}'", registered.empty() ? "" : "; ", row.types);
  }
  if (!known) return fail(ADJ_ERROR_NOT_FOUND, "'{}' of domain '{}' is not registered for CUDA training", op, domain);
  return fail(ADJ_ERROR_NOT_FOUND, "{} of domain '{}' is not registered for opset {} with types '{}'; registered: {}", op, domain, opset, types, registered);
}

}  // namespace adj
