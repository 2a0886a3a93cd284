// adjoint registry: ONNX Runtime's CUDA training registrations and the operators that serve them.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "abi.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "words.hpp"

namespace {

using namespace cli;

struct RegistryOptions {
  std::string op, domain, types;
  std::int32_t opset = 0;
  bool domain_given = false, types_given = false, json = false;
};

struct Row {
  std::int64_t index;
  adj_registry_row info;
};

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const adj_registry_row& info : get_all(adj_registry_count, adj_registry_get)) rows.push_back({static_cast<std::int64_t>(rows.size()), info});
  return rows;
}

std::string_view canonical_domain(std::string_view domain) {
  if (domain == "ms") return "com.microsoft";
  if (domain == "onnx" || domain == "ai.onnx") return "";
  return domain;
}
std::string domain_text(std::string_view domain) { return std::string(domain.empty() ? "ai.onnx" : domain); }

bool covers(const adj_registry_row& row, std::int32_t opset) { return opset >= row.since_version && (row.until_version == 0 || opset <= row.until_version); }

// Looks a registration up in the library, then finds the answer among the rows.
Row lookup(const RegistryOptions& o) {
  const std::vector<Row> rows = all_rows();
  std::string domain = o.domain;
  if (!o.domain_given) {
    std::set<std::string> domains;
    for (const Row& row : rows)
      if (o.op == row.info.op) domains.insert(row.info.domain);
    if (domains.size() > 1) throw Misuse(fmt::format("{} is registered in several domains: say which with --domain", o.op));
    if (!domains.empty()) domain = *domains.begin();
  }
  const auto found = get<adj_registry_row>(adj_registry_lookup, domain.c_str(), o.op.c_str(), o.opset, o.types.c_str());
  auto key = [](const adj_registry_row& r) {
    return std::tuple<std::string_view, std::string_view, std::string_view, int>(r.domain, r.op, r.types, r.since_version);
  };
  for (const Row& row : rows)
    if (key(row.info) == key(found)) return row;
  throw Refused(ADJ_ERROR_INTERNAL, fmt::format("the registration of {} that was found is not among the rows", o.op));
}

std::vector<Row> filtered(const RegistryOptions& o) {
  std::vector<Row> kept;
  for (const Row& row : all_rows()) {
    if (!o.op.empty() && o.op != row.info.op) continue;
    if (o.domain_given && canonical_domain(o.domain) != row.info.domain) continue;
    if (o.opset && !covers(row.info, o.opset)) continue;
    kept.push_back(row);
  }
  if (!kept.empty()) return kept;
  std::string wanted;
  if (!o.op.empty()) wanted += fmt::format(" of {}", o.op);
  if (o.domain_given) wanted += fmt::format(" in domain '{}'", o.domain);
  if (o.opset) wanted += fmt::format(" for opset {}", o.opset);
  std::vector<std::string> names;
  for (const Row& row : all_rows()) names.emplace_back(row.info.op);
  const bool known = o.op.empty() || std::find(names.begin(), names.end(), o.op) != names.end();
  throw Refused(ADJ_ERROR_NOT_FOUND, fmt::format("there is no CUDA training registration{}{}", wanted, known ? "" : suggestion(o.op, names)));
}

Json row_json(const Row& row) {
  auto or_null = [](const char* text) { return *text ? Json(text) : Json(nullptr); };
  std::vector<std::string> skus;
  for (std::int64_t i = 0; i < row.info.sku_count; ++i) skus.emplace_back(get<const char*>(adj_registry_sku, row.index, i));
  return {{"domain", row.info.domain},
          {"op", row.info.op},
          {"since_version", row.info.since_version},
          {"until_version", row.info.until_version ? Json(row.info.until_version) : Json(nullptr)},
          {"types", row.info.types},
          {"adjoint_op", or_null(row.info.adjoint_op)},
          {"settings", or_null(row.info.settings)},
          {"note", or_null(row.info.note)},
          {"resolved", row.info.resolved != 0},
          {"skus", skus},
          {"reason", or_null(row.info.reason)},
          {"session", row.info.session},
          {"obstacle", or_null(row.info.obstacle)},
          {"combinations", row.info.combinations},
          {"binding", or_null(row.info.binding)}};
}

// Prints the reasons of the rows that are not resolved, each once. In the full listing, rows that no operator serves are only counted.
void print_reasons(const std::vector<Row>& rows, bool whole_registry) {
  std::vector<std::pair<std::string, std::int64_t>> reasons;
  for (const Row& row : rows) {
    if (row.info.resolved || (whole_registry && !*row.info.adjoint_op)) continue;
    const auto it = std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == row.info.reason; });
    if (it == reasons.end()) reasons.emplace_back(row.info.reason, 1);
    else ++it->second;
  }
  for (const auto& [reason, count] : reasons) fmt::print("  not resolved ({}): {}\n", plural(count, "row"), reason);
}

void print_rows(const std::vector<Row>& rows, bool whole_registry) {
  Table table({{"OP"}, {"DOMAIN"}, {"OPSET"}, {"RESOLVED"}, {"SESSION"}, {"SERVED BY"}, {"SETTINGS"}, {"SKUS", true}, {"TYPES"}});
  std::int64_t resolved = 0, without_op = 0, as_it_stands = 0, rewritten = 0;
  for (const Row& row : rows) {
    const adj_registry_row& r = row.info;
    resolved += r.resolved != 0;
    without_op += !*r.adjoint_op;
    as_it_stands += std::string_view(r.session) == "table";
    rewritten += std::string_view(r.session) == "rewrite";
    const std::string until = r.until_version == 0 ? "+" : r.until_version == r.since_version ? "" : fmt::format("-{}", r.until_version);
    table.add({r.op,
               domain_text(r.domain),
               fmt::format("{}{}", r.since_version, until),
               {r.resolved ? "yes" : "no", r.resolved ? Style::good : Style::faint},
               {r.session, std::string_view(r.session) == "none" ? Style::faint : Style::good},
               *r.adjoint_op ? r.adjoint_op : "-",
               r.settings,
               std::to_string(r.sku_count),
               r.types});
  }
  table.print();
  const auto total = static_cast<std::int64_t>(rows.size());
  fmt::print("{}: {} resolved, {} not ({} without an operator here)\n", plural(total, "registration"), resolved, total - resolved, without_op);
  fmt::print("in a session of a stock ONNX Runtime: {} as they stand, {} after a rewrite, {} not\n", as_it_stands, rewritten, total - as_it_stands - rewritten);
  print_reasons(rows, whole_registry);
}

void registry(const RegistryOptions& o) {
  const std::vector<Row> rows = o.types_given ? std::vector<Row>{lookup(o)} : filtered(o);
  if (o.json) {
    Json list = Json::array();
    for (const Row& row : rows) list.push_back(row_json(row));
    print_json(list);
    return;
  }
  print_rows(rows, o.op.empty());
  if (!o.op.empty() && *rows.front().info.note) fmt::print("  {}\n", indented(rows.front().info.note, 2));
  if (!o.op.empty() && *rows.front().info.obstacle) fmt::print("  not in a session: {}\n", rows.front().info.obstacle);
  if (!o.op.empty())
    for (std::string_view rest = rows.front().info.binding; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
      fmt::print("  {}\n", rest.substr(0, rest.find('\n')));
  if (!o.types_given) return;
  for (std::int64_t i = 0; i < rows.front().info.sku_count; ++i) fmt::print("  {}\n", get<const char*>(adj_registry_sku, rows.front().index, i));
}

}  // namespace

void add_registry(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("registry", "ONNX Runtime's CUDA training registrations, and what serves them");
  auto o = std::make_shared<RegistryOptions>();
  auto* op = command.add_option("--op", o->op, "only this operator")->type_name("NAME");
  auto* domain = command.add_option("--domain", o->domain, "only this domain: com.microsoft (or ms), ai.onnx (or onnx, or empty)")->type_name("D");
  auto* opset = command.add_option("--opset", o->opset, "only what covers this opset version")
                    ->type_name("N")
                    ->check(CLI::Range(1, std::numeric_limits<std::int32_t>::max()));
  auto* types = command.add_option("--types", o->types, "the one registration with these types, e.g. float,int64_t");
  types->type_name("T");
  types->needs(op)->needs(opset);
  command.add_flag("--json", o->json, "a JSON list");
  command.footer(
      "Examples:\n"
      "  adjoint registry --json > registry.json\n"
      "  adjoint registry --op AdamOptimizer\n"
      "  adjoint registry --domain ms --op SoftmaxCrossEntropyLossGrad --opset 1 --types float,int64_t");
  command.callback([o, domain, types] {
    o->domain_given = domain->count() > 0;
    o->types_given = types->count() > 0;
    registry(*o);
  });
}
