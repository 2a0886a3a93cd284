// adjoint cache stat, verify, clear: the disk cache of compiled kernels.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "abi.hpp"
#include "commands.hpp"
#include "output.hpp"

namespace {

using namespace cli;

Json or_null(const char* text) { return *text ? Json(text) : Json(nullptr); }

std::string entries_text(std::int64_t count) { return count == 1 ? "1 entry" : fmt::format("{} entries", count); }

// State of the cache. Copied, since the strings of `info` last only until the next call about the cache.
Json cache_json(const adj_cache_info& info) {
  return {{"directory", or_null(info.directory)}, {"problem", or_null(info.problem)}, {"entries", info.entries}, {"bytes", info.bytes}, {"limit", info.limit}};
}

void print_cache(const adj_cache_info& info) {
  if (!*info.directory) {
    fmt::print("the disk cache is off: {}\n", info.problem);
    return;
  }
  fmt::print("{}{}\n", info.directory, *info.problem ? fmt::format(" ({})", info.problem) : "");
  fmt::print("  {}, {} of at most {}\n", entries_text(info.entries), bytes_text(info.bytes), bytes_text(info.limit));
}

void stat(bool json) {
  const auto info = get<adj_cache_info>(adj_cache_stat);
  if (json) print_json(cache_json(info));
  else print_cache(info);
}

void verify(bool json) {
  const auto info = get<adj_cache_info>(adj_cache_verify);
  if (json) {
    Json object = cache_json(info);
    object["damaged"] = info.damaged;
    print_json(object);
    return;
  }
  print_cache(info);
  if (!*info.directory) return;
  fmt::print("  {} damaged{}\n", info.damaged == 0 ? "none" : std::to_string(info.damaged),
             info.damaged == 0 ? ""
             : *info.problem   ? ", not removed"
                               : ", removed");
}

void clear(bool json) {
  const auto before = get<adj_cache_info>(adj_cache_stat);
  const std::string directory = before.directory;
  check(adj_cache_clear());
  const auto after = get<adj_cache_info>(adj_cache_stat);
  const std::int64_t entries = before.entries - after.entries;
  const std::uint64_t bytes = before.bytes - after.bytes;
  if (json) print_json({{"directory", or_null(directory.c_str())}, {"removed_entries", entries}, {"removed_bytes", bytes}});
  else if (directory.empty()) fmt::print("the disk cache is off: {}\n", after.problem);
  else fmt::print("{}: removed {}, {}\n", directory, entries_text(entries), bytes_text(bytes));
}

}  // namespace

void add_cache(CLI::App& app) {
  CLI::App& cache = *app.add_subcommand("cache", "the disk cache of compiled kernels");
  cache.require_subcommand(1);
  cache.footer(
      "The directory is ADJOINT_CACHE_DIR (empty turns the cache off), else XDG_CACHE_HOME/adjoint, else ~/.cache/adjoint.\n"
      "ADJOINT_CACHE_LIMIT_MB bounds it, ADJOINT_CACHE_READ_ONLY=1 keeps it as it is.\n"
      "\n"
      "Examples:\n"
      "  adjoint cache stat\n"
      "  adjoint cache verify --json");
  auto add = [&cache](const char* name, const char* description, void (*function)(bool)) {
    CLI::App& command = *cache.add_subcommand(name, description);
    auto json = std::make_shared<bool>(false);
    command.add_flag("--json", *json, "a JSON object");
    command.callback([json, function] { function(*json); });
  };
  add("stat", "where it is and what it holds", stat);
  add("verify", "read every entry, remove damaged ones", verify);
  add("clear", "remove every entry", clear);
}
