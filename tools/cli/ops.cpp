// adjoint ops: lists the operators, with the fields and arguments of one.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fnmatch.h>

#include <map>
#include <set>

#include "abi.hpp"
#include "commands.hpp"
#include "descriptor.hpp"
#include "ops/families.gen.hpp"
#include "output.hpp"
#include "words.hpp"

namespace {

using namespace cli;

struct Family {
  const char* name;
  const char* sentence;
};
#define ADJ_FAMILY(name, sentence) {#name, sentence},
constexpr Family kFamilies[] = {ADJ_FAMILIES(ADJ_FAMILY)};
#undef ADJ_FAMILY

struct Summary {
  std::vector<std::string> types;     // first element types of the signatures, in the order of the table
  std::set<std::string> backends, algorithms;
};

void add_type(Summary& summary, std::string_view signature) {
  // A signature may begin with a named choice.
  for (const std::string& word : split(signature, '.'))
    if (dtype_value(word)) {
      if (std::find(summary.types.begin(), summary.types.end(), word) == summary.types.end()) summary.types.push_back(word);
      return;
    }
}

bool matches(const std::string& glob, const std::string& name) { return ::fnmatch(glob.c_str(), name.c_str(), FNM_NOESCAPE) == 0; }

void ops(const std::string& glob, bool json) {
  std::map<std::string, std::vector<std::string>> members;  // of the families, in the order of the library
  std::vector<std::string> known;
  std::size_t by_name = 0;
  for (const std::string& name : op_names()) {
    adj_op op = ADJ_OP_NONE;
    check(adj_op_find(name.c_str(), &op));
    members[adj_op_family(op)].push_back(name);
    known.push_back(name);
    by_name += matches(glob, name);
  }
  // In the order of families. Where no operator has the name, a family may.
  std::map<std::string, std::vector<std::string>> shown;
  for (const auto& [family, names] : members) {
    known.push_back(family);
    for (const std::string& name : names)
      if (by_name ? matches(glob, name) : matches(glob, family)) shown[family].push_back(name);
  }
  if (shown.empty()) throw Refused(ADJ_ERROR_NOT_FOUND, fmt::format("no operator matches '{}'{}", glob, suggestion(glob, known)));
  std::map<std::string, Summary> found;
  for (const adj_sku_info& sku : all_skus()) {
    Summary& summary = found[sku.op_name];
    add_type(summary, sku.signature);
    summary.backends.insert(name_of(kBackendWords, sku.backend));
    summary.algorithms.insert(sku.algorithm);
  }
  const bool one = by_name == 1 && glob.find_first_of("*?[") == std::string::npos;
  auto listed = [](const std::set<std::string>& words) { return std::vector<std::string>(words.begin(), words.end()); };
  if (json) {
    Json rows = Json::array();
    for (const auto& [family, names] : shown)
      for (const std::string& name : names) {
        const Summary& s = found[name];
        Json row{{"op", name}, {"family", family}, {"types", s.types}, {"backends", listed(s.backends)}, {"algorithms", listed(s.algorithms)}};
        if (one) {
          const Descriptor descriptor(name);
          row["fields"] = descriptor.fields_json();
          row["arguments"] = descriptor.arguments_json();
        }
        rows.push_back(row);
      }
    print_json(rows);
    return;
  }
  if (one) {
    const auto& [family, names] = *shown.begin();
    const Descriptor descriptor(names[0]);
    fmt::print("{}  (include/adjoint/ops/{}.h)\n\n{}\n{}", styled(names[0], Style::strong), family, descriptor.field_table(), descriptor.argument_table());
    return;
  }
  Table table({{"OPERATOR"}, {"FAMILY"}, {"TYPES"}, {"BACKENDS"}});
  std::int64_t count = 0;
  for (const auto& [family, names] : shown) {
    for (const Family& f : kFamilies)
      if (family == f.name) table.add_heading(fmt::format("{}: {}", family, f.sentence));
    for (const std::string& name : names) {
      const Summary& s = found[name];
      table.add({name, family, s.types.size() > 4 ? fmt::format("{} types", s.types.size()) : join(s.types, " "), join(listed(s.backends), " ")});
      ++count;
    }
  }
  table.print();
  fmt::print("{}; one by its name shows its fields and arguments\n", plural(count, "operator"));
}

}  // namespace

void add_ops(CLI::App& app) {
  CLI::App* command = app.add_subcommand("ops", "list the operators by families, or show the fields and arguments of one");
  auto glob = std::make_shared<std::string>("*");
  auto json = std::make_shared<bool>(false);
  command->add_option("OPERATOR", *glob, "a name of an operator or of a family, '*' and '?' allowed");
  command->add_flag("--json", *json,
                    "print an array of objects with op, family, types, backends and algorithms, for one operator also with its fields and arguments");
  command->footer(
      "Examples:\n"
      "  adjoint ops\n"
      "  adjoint ops 'softmax*'\n"
      "  adjoint ops norm\n"
      "  adjoint ops softmax_backward");
  command->callback([=] { ops(*glob, *json); });
}
