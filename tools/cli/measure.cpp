// adjoint verify and adjoint bench: the commands that run kernels. They use the engine itself, not only the C interface.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <thread>

#include "abi.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "bench/bench.hpp"
#include "bench/svg.hpp"
#include "bench/words.hpp"
#include "commands.hpp"
#include "harness/sweep.hpp"
#include "harness/verify.hpp"
#include "words.hpp"

namespace cli {

void need_gpu(const char* command) {
  std::string why;
  if (auto api = adj::cuda(); !api) why = api.error().message;
  else if (auto count = adj::device_count(); !count) why = count.error().message;
  else if (*count == 0) why = "the driver finds no CUDA device";
  if (!why.empty()) throw NoGpu(fmt::format("{} needs a GPU: {}", command, why));
}

}  // namespace cli

namespace {

using namespace cli;

constexpr const char* kProblemHelp =
    "A PROBLEM is OPERATOR FIELD=VALUE..., as in `adjoint sku explain`, and then words about its arguments:\n"
    "  +NAME           one that may be left out is given\n"
    "  NAME:<N         integers below N\n"
    "  NAME:positive   numbers above 0\n"
    "  NAME:VALUE      the value of a scalar\n"
    "  NAME:OTHER      the buffer of another argument\n";

void save(const std::string& path, const std::string& text) {
  if (auto done = adj::write_file(path, text, 0666); !done) throw Refused(ADJ_ERROR_IO, done.error().message);
}

std::string load(const std::string& path) {
  auto text = adj::read_file(path, adj::Source::any);
  if (!text) throw Refused(ADJ_ERROR_IO, text.error().message);
  return std::move(*text);
}

// ---- verify

struct VerifyOptions {
  std::vector<std::string> words;
  std::string op = "*", sku = "*";
  harness::SweepOptions sweep{};
  bool full = false, json = false;
};

// Verifies one problem on every SKU that takes it.
harness::SweepResult verify_problem(const harness::Gpu& gpu, const harness::Case& c, const std::string& skus, std::FILE* text) {
  harness::SweepResult result;
  nlohmann::ordered_json table = nlohmann::ordered_json::array(), failures = nlohmann::ordered_json::array();
  const auto reference = harness::run_reference(*c.problem);
  if (!reference) throw Refused(reference.error().code, reference.error().message);
  const adj::Signature signature = c.problem->signature();
  for (const adj::Sku& sku : adj::skus_of(c.problem->op())) {
    if (sku.signature != signature || !adj::glob_match(skus, sku.id) || sku.variant->backend == ADJ_BACKEND_HOST || !adj::check_arch(sku, gpu.device().cc))
      continue;
    if (auto ok = harness::accepts(gpu, *c.problem, sku); !ok) {
      fmt::print(text, "{:<56} left out: {}\n", sku.id, ok.error().message);
      continue;
    }
    const harness::Outcome outcome = harness::verify_on_gpu(gpu, c, sku, *reference, {});
    ++result.runs;
    result.failures += !outcome.ok;
    fmt::print(text, "{:<56} {:<6} largest error {:.3f} of the bound\n", sku.id, outcome.ok ? "passed" : "FAILED", outcome.worst);
    if (!outcome.ok) {
      fmt::print(text, "  {}\n", outcome.message);
      failures.push_back({{"sku", sku.id}, {"message", outcome.message}});
    }
    table.push_back({{"kernel", sku.id}, {"skus", 1}, {"runs", 1}, {"failed", outcome.ok ? 0 : 1}, {"worst_error_over_bound", outcome.worst}});
  }
  result.report = {{"device", gpu.device().name}, {"problem", c.name}, {"table", table}, {"failures", failures}};
  return result;
}

void verify(VerifyOptions& o) {
  std::optional<bench::ProblemWords> problem;
  if (!o.words.empty()) problem = bench::problem_words(o.words);
  const std::vector<std::string> ops = op_names();
  if (!problem && std::none_of(ops.begin(), ops.end(), [&](const std::string& name) { return adj::glob_match(o.op, name); }))
    throw Refused(ADJ_ERROR_NOT_FOUND, fmt::format("no operator matches '{}'{}", o.op, suggestion(o.op, ops)));
  if (const auto skus = all_skus(); std::none_of(skus.begin(), skus.end(), [&](const adj_sku_info& sku) { return adj::glob_match(o.sku, sku.id); }))
    throw Refused(ADJ_ERROR_NOT_FOUND, no_sku_matches(o.sku));
  need_gpu("verify");
  std::FILE* const text = o.json ? stderr : stdout;
  const harness::Gpu gpu;
  fmt::print(text, "{} ({}), seed {}\n", gpu.device().name, adj::arch_name(gpu.device().cc), o.sweep.seed);
  o.sweep.globs = {o.sku == "*" ? o.op + "/*" : o.sku};
  o.sweep.level = o.full ? harness::Level::full : harness::Level::quick;
  o.sweep.text = text;
  const harness::SweepResult result = problem ? verify_problem(gpu, bench::verified_case(*problem, o.sweep.seed), o.sku, text) : harness::sweep(gpu, o.sweep);
  fmt::print(text, "{} passed, {} failed\n", result.runs - result.failures, result.failures);
  if (o.json) print_json(result.report);
  if (result.runs == 0)
    throw Refused(ADJ_ERROR_UNSUPPORTED, fmt::format("nothing was run: no SKU that matches '{}' runs on this GPU and takes the problem", o.sku));
  if (result.failures) throw CLI::RuntimeError(1);
}

// ---- bench

struct BenchOptions {
  std::vector<std::string> words;
  bench::Options bench{};
  std::string file, svg;
  bool json = false, csv = false, list = false;
};

std::string csv_of(const nlohmann::ordered_json& report) {
  constexpr const char* kColumns[] = {"name", "sku", "floor_bytes", "us", "gb_s", "fraction_of_copy", "workspace_bytes", "launches", "error"};
  std::string text;
  for (const char* column : kColumns) text += fmt::format("{}{}", text.empty() ? "" : ",", column);
  text += '\n';
  for (const auto& c : report.at("cases")) {
    bool first = true;
    for (const char* column : kColumns) {
      if (!std::exchange(first, false)) text += ',';
      if (!c.contains(column)) continue;
      const auto& value = c.at(column);
      if (!value.is_string()) {
        text += value.dump();
        continue;
      }
      std::string quoted = "\"";
      for (const char letter : value.get<std::string>()) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
      text += quoted + '"';
    }
    text += '\n';
  }
  return text;
}

// The problems of a file, one a line. Empty lines, comments (#) and headings ([...]) are passed over.
std::vector<bench::ProblemWords> problems_of(const std::string& path) {
  std::istringstream file(load(path));
  std::vector<bench::ProblemWords> problems;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#' || line[0] == '[') continue;
    try {
      problems.push_back(bench::problem_words(adj::split(line, ' ')));
    } catch (const std::exception& error) { throw Refused(ADJ_ERROR_INVALID_ARGUMENT, fmt::format("{}:{}: {}", path, number, error.what())); }
  }
  return problems;
}

void bench_cases(BenchOptions& o) {
  if (!o.words.empty()) o.bench.problems = {bench::problem_words(o.words)};
  if (!o.file.empty()) o.bench.problems = problems_of(o.file);
  std::vector<std::string> names;
  for (const bench::Case& c : bench::cases_of(o.bench)) names.push_back(c.name);
  if (names.empty())
    throw Refused(ADJ_ERROR_NOT_FOUND, fmt::format("no case matches '{}'; `adjoint bench --list` has them{}", o.bench.glob,
                                                   suggestion(o.bench.glob.substr(0, o.bench.glob.find_first_of(" *?")), op_names())));
  if (o.list) {
    if (o.json) print_json(names);
    else
      for (const std::string& name : names) fmt::print("{}\n", name);
    return;
  }
  need_gpu("bench");
  o.bench.text = o.json || o.csv ? stderr : stdout;
  const nlohmann::ordered_json report = bench::run(o.bench);
  if (o.json) print_json(report);
  if (o.csv) fmt::print("{}", csv_of(report));
  if (!o.svg.empty()) save(o.svg, bench::svg(report));
}

// Draws measurements that were taken before.
void draw(const std::string& from, const std::string& to) {
  const std::string text = load(from);
  try {
    save(to, bench::svg(nlohmann::ordered_json::parse(text)));
  } catch (const nlohmann::json::exception&) { throw Refused(ADJ_ERROR_CORRUPT, fmt::format("'{}' is not what `adjoint bench --json` prints", from)); }
}

}  // namespace

void add_verify(CLI::App& app) {
  CLI::App* command = app.add_subcommand("verify", "run the SKUs of this GPU against the host backend; needs a GPU");
  auto o = std::make_shared<VerifyOptions>();
  o->sweep.jobs = std::max(1u, std::thread::hardware_concurrency());
  auto* words = command->add_option("PROBLEM", o->words, "one problem instead of all cases, see below");
  auto* op = command->add_option("--op", o->op, "only operators that match, '*' and '?' allowed")->type_name("GLOB")->capture_default_str()->excludes(words);
  command->add_option("--sku", o->sku, "only SKUs whose id matches, '*' and '?' allowed")->type_name("GLOB")->capture_default_str()->excludes(op);
  command->add_flag("--full", o->full, "large problems too, as the GPU test runs them")->excludes(words);
  command->add_option("--seed", o->sweep.seed, "of the random contents")->capture_default_str();
  command->add_flag("--json", o->json, "a JSON object: device, table, failures; the text goes to standard error");
  command->footer(std::string(kProblemHelp) +
                  "\n"
                  "Examples:\n"
                  "  adjoint verify --op 'softmax*'\n"
                  "  adjoint verify softmax_backward outer=64 extent=1000 element=bf16\n"
                  "\n"
                  "Exits with 1 when a kernel is wrong, with 77 where there is no GPU.");
  command->callback([=] { verify(*o); });
}

void add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "device time next to the copy ceiling of the same run, and host time per call; needs a GPU");
  auto o = std::make_shared<BenchOptions>();
  auto from = std::make_shared<std::string>();
  auto* words = command->add_option("PROBLEM", o->words, "one problem instead of the table's, see below");
  auto* glob =
      command->add_option("--case", o->bench.glob, "only cases that match, '*' and '?' allowed")->type_name("GLOB")->capture_default_str()->excludes(words);
  auto* file = command->add_option("--problems", o->file, "the problems of a file, one a line, instead of the table's (tools/bench/models.txt)")
                   ->type_name("FILE")
                   ->excludes(words);
  command->add_option("--sku", o->bench.sku, "force the kernels that match this glob")->type_name("GLOB");
  command->add_flag("--tune", o->bench.tune, "kernels by measurement (preference.tune)");
  command->add_option("--repeats", o->bench.repeats, "timed runs per case, of which the median counts")->check(CLI::Range(3, 1000))->capture_default_str();
  command->add_flag("--copies", o->bench.copies, "also the time of a copy of as many bytes, as copy_us in JSON");
  auto* list = command->add_flag("--list", o->list, "only list the cases; needs no GPU")->excludes(words);
  auto* csv = command->add_flag("--csv", o->csv, "the cases as CSV; the text goes to standard error")->excludes(list);
  command->add_flag("--json", o->json, "a JSON object: device, copy_ceiling_gb_s, cases, host, select; the text goes to standard error")->excludes(csv);
  auto* svg = command->add_option("--svg", o->svg, "also draw the cases into this file")->type_name("FILE")->excludes(list);
  command->add_option("--from", *from, "draw what --json printed earlier instead of measuring")
      ->type_name("FILE")
      ->needs(svg)
      ->excludes(words)
      ->excludes(glob)
      ->excludes(file);
  command->footer(std::string(kProblemHelp) +
                  "  NAME:in         in/out, but only read\n"
                  "\n"
                  "Examples:\n"
                  "  adjoint bench --list\n"
                  "  adjoint bench --case 'adamw*' --svg adamw.svg\n"
                  "  adjoint bench softmax_backward outer=8192 extent=4096 element=bf16\n"
                  "\n"
                  "Exits with 77 where there is no GPU.");
  command->callback([=] {
    if (from->empty()) bench_cases(*o);
    else draw(*from, o->svg);
  });
}
