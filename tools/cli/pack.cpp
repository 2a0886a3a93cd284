// adjoint pack list: the contents of a pack. Uses the engine itself, not only the C interface.
#include "pack.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "abi.hpp"
#include "base/file.hpp"
#include "commands.hpp"
#include "jit/code.hpp"
#include "jit/kernel_sources.hpp"
#include "output.hpp"
#include "plan/plan.hpp"
#include "words.hpp"

namespace cli {

adj::Pack read_pack(const std::string& path) {
  auto bytes = adj::read_file(path);
  if (!bytes) throw Refused(bytes.error().code, bytes.error().message);
  auto pack = adj::Pack::parse(std::move(*bytes), path);
  if (!pack) throw Refused(pack.error().code, pack.error().message);
  if (const std::int64_t damaged = pack->damaged())
    throw Refused(ADJ_ERROR_CORRUPT, fmt::format("'{}' is damaged: {} of its {} fail their checksums; build it again with `adjoint sku compile`", path, damaged,
                                                 plural(static_cast<std::int64_t>(pack->index().size()), "kernel")));
  return std::move(*pack);
}

bool has(const adj::Pack& pack, const adj::Program& program, int cc) {
  const std::string key = program.key(cc, adj::kernel_sources().files);
  return std::binary_search(pack.index().begin(), pack.index().end(), adj::Pack::Location{key, {}, 0, 0, false},
                            [](const auto& a, const auto& b) { return a.key < b.key; });
}

std::vector<const adj::Program*> programs_of(const adj_plan* plan) {
  std::vector<const adj::Program*> programs;
  for (const adj::Step& step : reinterpret_cast<const adj::Plan*>(plan)->steps)
    if (const auto* kernel = std::get_if<adj::KernelStep>(&step))
      for (const adj::Program* program : {kernel->program, kernel->unaligned_program})
        if (program && std::find(programs.begin(), programs.end(), program) == programs.end()) programs.push_back(program);
  return programs;
}

}  // namespace cli

namespace {

using namespace cli;

struct Entry {
  const adj::Program* program;
  std::string arch;
  std::uint64_t bytes;
  bool ptx;
};

void list(const std::string& path, bool json) {
  const adj::Pack pack = read_pack(path);
  std::map<std::string_view, const adj::Pack::Location*> missing;
  std::uint64_t bytes = 0;
  for (const adj::Pack::Location& l : pack.index()) missing[l.key] = &l, bytes += l.length;
  std::vector<Entry> entries;
  const auto find = [&](int cc) {
    for (const adj::Program* program : adj::programs_for("*", cc)) {
      const auto found = missing.find(program->key(cc, adj::kernel_sources().files));
      if (found == missing.end()) continue;
      entries.push_back({program, adj::arch_name(cc), found->second->length, found->second->ptx});
      missing.erase(found);
    }
  };
  const std::vector<int> known = adj::known_capabilities();
  for (const int cc : known) find(cc);
  // Of capabilities that are not known: machine code names its own. PTX names the one that NVRTC knew below, so that all are tried.
  std::set<int> others;
  for (const auto& [key, location] : missing) {
    if (!location->ptx) {
      if (const auto code = adj::read_cubin(pack.get(location->key)->bytes)) others.insert(code->cc);
    } else {
      for (int cc = known.front(); adj::offline_device(cc); ++cc) others.insert(cc);
    }
  }
  for (const int cc : others)
    if (!missing.empty() && adj::offline_device(cc) && !std::ranges::count(known, cc)) find(cc);
  if (json) {
    Json rows = Json::array();
    for (const Entry& e : entries)
      rows.push_back({{"source", e.program->source()},
                      {"entry", e.program->entry()},
                      {"macros", e.program->defines()},
                      {"arch", e.arch},
                      {"bytes", e.bytes},
                      {"ptx", e.ptx}});
    print_json({{"pack", path},
                {"nvrtc", pack.compiler().empty() ? Json(nullptr) : Json(pack.compiler())},
                {"bytes", bytes},
                {"kernels", rows},
                {"unknown", missing.size()}});
    return;
  }
  Table table({{"SOURCE"}, {"KERNEL"}, {"ARCH"}, {"BYTES", true}, {"MACROS"}});
  for (const Entry& e : entries) table.add({e.program->source(), e.program->entry(), e.arch + (e.ptx ? " (PTX)" : ""), grouped(e.bytes), e.program->macros()});
  table.print();
  fmt::print("{}: {}, {}{}\n", path, plural(static_cast<std::int64_t>(entries.size()), "kernel"), bytes_text(bytes),
             pack.compiler().empty() ? "" : fmt::format(", NVRTC {}", pack.compiler()));
  if (!missing.empty())
    fmt::print("and {} of other sources than this version has, which it cannot use\n", plural(static_cast<std::int64_t>(missing.size()), "kernel"));
}

}  // namespace

void add_pack(CLI::App& app) {
  CLI::App& pack = *app.add_subcommand("pack", "packs of kernels compiled ahead of time");
  pack.require_subcommand(1);
  pack.footer(
      "A pack is made by `adjoint sku compile`. A program finds it through ADJOINT_PACK (files separated by ':') or adj_pack_load.\n"
      "`adjoint sku explain --pack FILE` says whether it has what a problem needs.");
  CLI::App& command = *pack.add_subcommand("list", "the kernels in a pack");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command.add_option("FILE", *path, "a pack")->required();
  command.add_flag("--json", *json, "a JSON object: pack, nvrtc, bytes, kernels, and the number of entries of other sources, unknown");
  command.footer("Example:\n  adjoint pack list kernels.pack");
  command.callback([=] { list(*path, *json); });
}
