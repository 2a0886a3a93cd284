// adjoint complete: what may follow a command line that is being typed. The completions of bash and zsh call it.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "abi.hpp"
#include "bench/bench.hpp"
#include "commands.hpp"
#include "descriptor.hpp"
#include "words.hpp"

namespace {

using namespace cli;

// Commands below `app` that the words name, outermost first. Stops at the first word that is no command.
const CLI::App* find_command(const CLI::App& app, const std::vector<std::string>& words, std::size_t& used) {
  const CLI::App* at = &app;
  for (used = 0; used < words.size(); ++used) {
    const auto below = at->get_subcommands([&](const CLI::App* command) { return command->get_name() == words[used]; });
    if (below.empty()) break;
    at = below.front();
  }
  return at;
}

// "field=" for the fields of an operator that are not given yet; "field=value" for the values of the field that is being typed.
std::vector<std::string> words_of_problem(const std::string& op_name, const std::vector<std::string>& given, const std::string& typed) {
  const Descriptor descriptor(op_name);
  const std::string field_typed = typed.substr(0, typed.find('='));
  std::vector<std::string> list;
  for (const adj_field& field : descriptor.fields()) {
    const std::string name = std::string(field.name) + "=";
    if (typed.find('=') == std::string::npos) {
      if (std::ranges::none_of(given, [&](const std::string& word) { return word.starts_with(name); })) list.push_back(name);
    } else if (field_typed == field.name) {
      const std::vector<std::string> values = field.kind == ADJ_FIELD_DTYPE ? dtype_names() : choices_of(field);
      for (const std::string& value : values) list.push_back(name + value);
    }
  }
  return list;
}

// Values of an option that takes one, where they can be listed.
std::vector<std::string> values_of(const std::string& option) {
  if (option == "--op") return op_names();
  if (option == "--dtype") return dtype_names();
  if (option == "--backend") return names(kBackendWords, ADJ_BACKEND_BESPOKE);
  if (option == "--determinism") return names(kDeterminismWords, ADJ_NONDETERMINISTIC);
  if (option == "--math") return names(kMathWords, ADJ_MATH_IEEE);
  if (option == "--jit") return names(kJitWords);
  return {};
}

std::vector<std::string> candidates(const CLI::App& app, std::vector<std::string> words) {
  const std::string typed = words.empty() ? "" : words.back();
  if (!words.empty()) words.pop_back();
  std::size_t used = 0;
  const CLI::App& command = *find_command(app, words, used);
  const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(used), words.end());

  std::vector<std::string> list;
  if (!rest.empty())
    if (list = values_of(rest.back()); !list.empty()) return list;
  for (const CLI::App* below : command.get_subcommands({}))
    if (!below->get_group().empty()) list.push_back(below->get_name());
  if (!list.empty() && rest.empty() && !typed.starts_with('-')) return list;
  if (typed.starts_with('-')) {
    list.clear();
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) list.push_back("--" + name);
    return list;
  }
  const std::string name = command.get_name();
  const bool takes_problem = name == "explain" || name == "verify" || name == "bench" || name == "tune";
  const std::vector<std::string> ops = op_names();
  const auto op = std::ranges::find_first_of(rest, ops);
  if (takes_problem && op != rest.end()) return words_of_problem(*op, rest, typed);
  if (takes_problem || name == "ops") return ops;
  if (name == "show")
    for (const adj_sku_info& sku : all_skus()) list.emplace_back(sku.id);
  return list;
}

}  // namespace

void add_complete(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("complete", "words that may follow a command line, one a line; the last WORD is the one being typed");
  command.group("");  // not in the help: for the completions of shells
  auto words = std::make_shared<std::vector<std::string>>();
  command.add_option("WORD", *words, "the words typed after 'adjoint'");
  command.callback([&app, words] {
    const std::string last = words->empty() ? "" : words->back();
    for (const std::string& candidate : candidates(app, *words))
      if (candidate.starts_with(last)) fmt::print("{}\n", candidate);
  });
}
