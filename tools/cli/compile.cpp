// adjoint sku compile: builds a pack. Needs NVRTC, but no GPU. Uses the engine itself, not only the C interface.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "abi.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "plan/op.hpp"
#include "support/progress.hpp"
#include "words.hpp"

namespace {

using namespace cli;
namespace fs = std::filesystem;

struct CompileOptions {
  std::string archs, path, sku;
  std::int32_t jobs = 0;
  bool json = false, dry_run = false;
};

struct Kernel {
  double milliseconds;
  std::string name;
};

// State that the library's progress callback fills.
struct Build {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  support::Progress progress{"compiling"};
  std::vector<Kernel> kernels;
};

std::string duration_text(double seconds) { return seconds < 90 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60); }

std::int32_t report(void* user, std::int64_t done, std::int64_t total, const char* program, double milliseconds) {
  auto& build = *static_cast<Build*>(user);
  build.kernels.push_back({milliseconds, program});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - build.start).count();
  build.progress.update(
      done, total,
      fmt::format("{} of {}, {} left", done, plural(total, "kernel"), duration_text(seconds / static_cast<double>(done) * static_cast<double>(total - done))));
  return 0;
}

// Refuses an output that cannot be written, before the long compilation.
void check_writable(const std::string& path) {
  const fs::path directory = fs::absolute(path).parent_path();
  std::error_code ignored;
  auto refuse = [&](const std::string& why) { throw Refused(ADJ_ERROR_IO, fmt::format("cannot write '{}': {}", path, why)); };
  if (fs::is_directory(path, ignored)) refuse("it is a directory");
  if (::access(directory.c_str(), W_OK | X_OK) != 0) refuse(std::strerror(errno));
  if (!fs::is_directory(directory, ignored)) refuse(fmt::format("'{}' is not a directory", directory.string()));
}

// Kernels of a pack by architecture, and how long they take to compile where the disk cache has none of them.
struct Extent {
  std::vector<std::pair<std::string, std::int64_t>> archs;
  std::int64_t kernels = 0, threads = 0;
  double seconds = 0;

  std::string text() const {
    return fmt::format("{} for {}, {} on {}", plural(kernels, "kernel"), archs_text(), "about " + duration_text(seconds), plural(threads, "thread"));
  }

 private:
  std::string archs_text() const {
    std::vector<std::string> names;
    for (const auto& [name, count] : archs) names.push_back(name);
    return join(names);
  }
};

Extent extent_of(const CompileOptions& o) {
  constexpr double kSecondsOfKernel = 0.06;  // of NVRTC 13.0 on a core of a Xeon, on average
  constexpr std::int64_t kMostThreads = 8;   // of the library, when it chooses
  Extent extent;
  const std::string glob = o.sku.empty() ? "*" : o.sku;
  for (const std::string& arch : adj::split(o.archs, ',')) {
    const int capability = get<adj_stream>(adj_stream_offline, arch.c_str()).arch;
    extent.archs.emplace_back(arch, static_cast<std::int64_t>(adj::programs_for(glob, capability).size()));
    extent.kernels += extent.archs.back().second;
  }
  if (extent.archs.empty()) throw Refused(ADJ_ERROR_INVALID_ARGUMENT, "--arch names no architecture");
  const auto skus = all_skus();
  if (std::none_of(skus.begin(), skus.end(), [&](const adj_sku_info& sku) { return adj::glob_match(glob, sku.id); }))
    throw Refused(ADJ_ERROR_NOT_FOUND, no_sku_matches(glob));
  if (extent.kernels == 0) throw Refused(ADJ_ERROR_NOT_FOUND, fmt::format("no SKU with kernels matches '{}' for {}", glob, o.archs));
  extent.threads = o.jobs ? o.jobs : std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  extent.seconds = kSecondsOfKernel * static_cast<double>(extent.kernels) / static_cast<double>(extent.threads);
  return extent;
}

void announce(const Extent& extent, const CompileOptions& o) {
  if (!o.dry_run) {
    // Without a compiler every kernel has to come from the cache, and the command fails at once or ends at once.
    for (const adj_library_info& library : get_all(adj_library_count, adj_library_get))
      if (library.available && std::string_view(library.name) == "NVRTC")
        fmt::print(stderr, "compiling {}, less with kernels in the cache{}\n", extent.text(), o.sku.empty() ? "; --sku GLOB takes fewer" : "");
    return;
  }
  if (!o.json) {
    for (const auto& [arch, count] : extent.archs) fmt::print("{}: {}\n", arch, plural(count, "kernel"));
    fmt::print("{}, less with kernels in the cache; nothing was compiled\n", extent.text());
    return;
  }
  Json archs = Json::object();
  for (const auto& [arch, count] : extent.archs) archs[arch] = count;
  print_json({{"archs", archs}, {"kernels", extent.kernels}, {"threads", extent.threads}, {"seconds_about", extent.seconds}});
}

void compile(const CompileOptions& o) {
  if (o.path.empty() && !o.dry_run) throw Misuse("--output is needed: the pack to write");
  if (!o.dry_run) check_writable(o.path);
  const Extent extent = extent_of(o);
  announce(extent, o);
  if (o.dry_run) return;
  Build build;
  adj_pack_options options;
  options.archs = o.archs.c_str();
  options.skus = o.sku.empty() ? nullptr : o.sku.c_str();
  options.jobs = o.jobs;
  options.progress = report;
  options.user = &build;
  adj_error* raw = nullptr;
  const std::int64_t before = get<adj_cache_info>(adj_cache_stat).compiles;
  const adj_status status = adj_pack_build(o.path.c_str(), &options, &raw);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - build.start).count();
  const ErrorPtr error(raw);
  build.progress.finish();
  check(status, error);

  std::vector<Kernel> kernels = std::move(build.kernels);
  std::sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) { return a.milliseconds < b.milliseconds; });
  if (kernels.empty()) throw Refused(ADJ_ERROR_INTERNAL, "the library built a pack without reporting a kernel");
  const std::size_t half = kernels.size() / 2;
  const double median = kernels.size() % 2 ? kernels[half].milliseconds : (kernels[half - 1].milliseconds + kernels[half].milliseconds) / 2;
  const Kernel& worst = kernels.back();
  std::error_code unknown;
  const std::uint64_t size = fs::file_size(o.path, unknown);
  const std::int64_t compiled = get<adj_cache_info>(adj_cache_stat).compiles - before;
  if (o.json) {
    print_json({{"pack", o.path},
                {"archs", split(o.archs, ',')},
                {"kernels", kernels.size()},
                {"compiled", compiled},
                {"bytes", unknown ? Json(nullptr) : Json(size)},  // a pipe or a device tells none
                {"seconds", seconds},
                {"milliseconds_median", median},
                {"milliseconds_worst", worst.milliseconds},
                {"worst_kernel", worst.name}});
    return;
  }
  fmt::print("{}: {} ({} compiled now, the rest from the cache), {}, {:.1f} s, {:.1f} ms per kernel (median), worst {:.1f} ms: {}\n", o.path,
             plural(static_cast<std::int64_t>(kernels.size()), "kernel"), compiled, unknown ? "of a pipe or a device" : bytes_text(size), seconds, median,
             worst.milliseconds, worst.name);
}

}  // namespace

void add_sku_compile(CLI::App& sku) {
  CLI::App& command = *sku.add_subcommand("compile", "compile kernels into a pack; needs NVRTC or the cache, no GPU");
  auto o = std::make_shared<CompileOptions>();
  command.add_option("--arch", o->archs, "architectures, comma-separated")->required()->type_name("LIST");
  command.add_option("-o,--output", o->path, "file to write; needed without --dry-run")->type_name("PACK");
  command.add_option("--sku", o->sku, "only SKUs whose id matches, '*' and '?' allowed (default: all)")->type_name("GLOB");
  command.add_option("--jobs", o->jobs, "threads (default: as many as processors, at most 8)")
      ->type_name("N")
      ->check(CLI::Range(1, std::numeric_limits<std::int32_t>::max()));
  command.add_flag("--dry-run", o->dry_run, "say how many kernels there are and about how long they take, and stop");
  command.add_flag("--json", o->json, "the summary as a JSON object");
  command.footer(
      "Examples:\n"
      "  adjoint sku compile --arch sm_80,sm_90a -o kernels.pack\n"
      "  adjoint sku compile --arch sm_90a --sku 'adam/*' -o adam.pack\n"
      "\n"
      "A program finds the pack through ADJOINT_PACK (files separated by ':') or adj_pack_load.");
  command.callback([o] { compile(*o); });
}
