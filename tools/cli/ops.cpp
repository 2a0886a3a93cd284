// adjoint ops: lists the operators, with the fields and arguments of one.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fnmatch.h>

#include <map>
#include <set>

#include "abi.hpp"
#include "commands.hpp"
#include "descriptor.hpp"
#include "output.hpp"
#include "words.hpp"

namespace {

using namespace cli;

struct Summary {
  std::string family;
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

void ops(const std::string& glob, bool json) {
  std::vector<std::string> order;
  std::map<std::string, Summary> found;
  for (const adj_sku_info& sku : all_skus()) {
    const std::string name = sku.op_name;
    if (::fnmatch(glob.c_str(), name.c_str(), FNM_NOESCAPE) != 0) continue;
    if (!found.contains(name)) {
      adj_op op = ADJ_OP_NONE;
      check(adj_op_find(name.c_str(), &op));
      order.push_back(name);
      found[name].family = adj_op_family(op);
    }
    Summary& summary = found[name];
    add_type(summary, sku.signature);
    summary.backends.insert(name_of(kBackendWords, sku.backend));
    summary.algorithms.insert(sku.algorithm);
  }
  if (found.empty()) throw Refused(ADJ_ERROR_NOT_FOUND, fmt::format("no operator matches '{}'{}", glob, suggestion(glob, op_names())));
  const bool one = found.size() == 1 && glob.find_first_of("*?[") == std::string::npos;
  auto listed = [](const std::set<std::string>& words) { return std::vector<std::string>(words.begin(), words.end()); };
  if (json) {
    Json rows = Json::array();
    for (const std::string& name : order) {
      const Summary& s = found[name];
      Json row{{"op", name}, {"family", s.family}, {"types", s.types}, {"backends", listed(s.backends)}, {"algorithms", listed(s.algorithms)}};
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
    const Descriptor descriptor(order[0]);
    fmt::print("{}  (include/adjoint/ops/{}.h)\n\n{}\n{}", styled(order[0], Style::strong), found[order[0]].family, descriptor.field_table(),
               descriptor.argument_table());
    return;
  }
  Table table({{"OPERATOR"}, {"FAMILY"}, {"TYPES"}, {"BACKENDS"}});
  for (const std::string& name : order) {
    const Summary& s = found[name];
    table.add({name, s.family, s.types.size() > 4 ? fmt::format("{} types", s.types.size()) : join(s.types, " "), join(listed(s.backends), " ")});
  }
  table.print();
  fmt::print("{}; one by its name shows its fields and arguments\n", plural(static_cast<std::int64_t>(order.size()), "operator"));
}

}  // namespace

void add_ops(CLI::App& app) {
  CLI::App* command = app.add_subcommand("ops", "list the operators, or show the fields and arguments of one");
  auto glob = std::make_shared<std::string>("*");
  auto json = std::make_shared<bool>(false);
  command->add_option("OPERATOR", *glob, "a name, '*' and '?' allowed");
  command->add_flag("--json", *json, "print an array of objects with op, family, types, backends and algorithms, for one operator also with its fields and arguments");
  command->footer(
      "Examples:\n"
      "  adjoint ops\n"
      "  adjoint ops 'softmax*'\n"
      "  adjoint ops softmax_backward");
  command->callback([=] { ops(*glob, *json); });
}
