// Executes every SKU's kernels on the CPU, on the quick cases of its operator, and compares with the host backend.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "harness/plans.hpp"
#include "far.hpp"
#include "harness/rows.hpp"
#include "run.hpp"
#include "tests/tier.hpp"

namespace {

struct Options {
  std::string sku = "*", only_case, arch, turns = "none", tier;
  std::uint64_t seed = 1;
  int repeats = 1;
  std::int64_t grids = 0;
  std::vector<int> shard{0, 1};
  std::string far;  // a list of reasons; not empty: executes the ends of launches on large tensors
  bool list = false, verbose = false, quick = false;
};

struct Totals {
  int skus = 0, cases = 0, runs = 0, failures = 0;
  double seconds = 0;
};

// True for faults that unspecified outputs may have: races, and reads of bytes that no thread has written. Other faults are never allowed.
bool tolerable(const std::optional<simt::Fault>& fault) {
  return fault && (fault->kind == simt::FaultKind::race || fault->kind == simt::FaultKind::uninitialised);
}

// Part of a SKU that a run executes.
struct Task {
  const adj::Sku* sku;
  std::set<const adj::Program*> programs;  // a plan that launches none of these is left to another SKU
  int turn = 0, turns = 1;                 // cases: every turns-th, and those that launch a program for the first time
  bool leaves_out = false;                 // true: also executed without optional arguments
};

// A SKU that the tier takes in turn is tried on one case in so many, others with every commit.
constexpr int kOneCaseIn = 4;

Tier tier_of(const Options& options) { return options.tier.empty() ? Tier() : Tier(options.tier); }

// Floating-point types of a SKU that a program takes at run time: those that are no value of one of its macros.
std::vector<adj_dtype> types_at_run_time(const adj::Sku& sku, const adj::Program& program) {
  std::vector<adj_dtype> types;
  for (adj_dtype type : sku.signature.types)
    if (adj::is_float(type) && std::none_of(program.defines().begin(), program.defines().end(),
                                            [&](const std::string& define) { return define.ends_with(fmt::format("={}", adj::dtype_c_name(type))); }))
      types.push_back(type);
  return types;
}

// Tasks that together have every program. A program goes to the first SKU of an operator that has it; a program that takes the element types at run
// time goes to every SKU. A SKU that is left without programs has those that take other types at run time than for the SKUs before.
std::vector<Task> share_out(const Options& options) {
  const bool all = options.turns == "none", sizes = options.turns == "sizes";
  std::vector<Task> tasks;
  std::set<std::pair<const adj::OpInfo*, const adj::Program*>> seen;
  std::set<std::tuple<const adj::OpInfo*, const adj::Program*, std::vector<adj_dtype>>> seen_types;
  // A choice, such as a function or a format, makes another kernel of the same variant.
  std::map<std::tuple<const adj::Variant*, std::string_view, std::vector<std::uint32_t>>, std::vector<std::size_t>> groups;
  const Tier tier = tier_of(options);
  for (const adj::Sku* taken : tier.skus()) {
    const adj::Sku& sku = *taken;
    if (sku.variant->backend != ADJ_BACKEND_BESPOKE || !adj::glob_match(options.sku, sku.id)) continue;
    const auto& templates = sku.variant->programs;
    const bool typed = std::any_of(templates.begin(), templates.end(), [](const auto& t) { return std::strstr(t.defines, "{0}"); });
    Task task{&sku, {}};
    std::set<const adj::Program*> of_types;
    std::vector<std::uint32_t> group;
    if (sizes)
      for (adj_dtype type : sku.signature.types) group.push_back(adj::size_of(type));
    for (const adj::Program* program : sku.programs) {
      auto types = typed ? types_at_run_time(sku, *program) : std::vector<adj_dtype>(sku.signature.types.begin(), sku.signature.types.end());
      const bool is_first = seen.emplace(sku.op, program).second, is_first_of_types = seen_types.emplace(sku.op, program, std::move(types)).second;
      if (is_first || all || (!typed && is_first_of_types)) task.programs.insert(program);
      else if (is_first_of_types) of_types.insert(program);
    }
    if (task.programs.empty()) task.programs = std::move(of_types);
    if (task.programs.empty()) continue;
    groups[{sku.variant, sku.signature.choice, group}].push_back(tasks.size());
    tasks.push_back(std::move(task));
  }
  std::set<const adj::Variant*> seen_variants;
  for (Task& task : tasks) task.leaves_out = !options.quick && (seen_variants.insert(task.sku->variant).second || all);
  if (all) return tasks;
  for (const auto& [key, members] : groups)
    for (std::size_t i = 0; i < members.size(); ++i) {
      Task& task = tasks[members[i]];
      task.turn = static_cast<int>(i);
      task.turns = static_cast<int>(members.size());
      if (!tier.is_sample()) continue;
      task.turn += task.turns * static_cast<int>(tier.turn_of_cases() % kOneCaseIn);
      task.turns *= kOneCaseIn;
    }
  return tasks;
}

std::vector<const adj::Sku*> library_skus(const Options& options) {
  std::vector<const adj::Sku*> found;
  for (const adj::Sku* sku : tier_of(options).skus())
    if (adj::glob_match(options.sku, sku->id) && is_of_library_with_kernels(*sku)) found.push_back(sku);
  return found;
}

// The first SKU of each algorithm of an operator.
std::vector<const adj::Sku*> first_of_each_algorithm(const Options& options) {
  std::vector<const adj::Sku*> found;
  std::set<const adj::Variant*> seen;
  for (const adj::Sku* sku : tier_of(options).skus())
    if (sku->variant->backend == ADJ_BACKEND_BESPOKE && adj::glob_match(options.sku, sku->id) && seen.insert(sku->variant).second) found.push_back(sku);
  return found;
}

class Session {
 public:
  explicit Session(const Options& options) : options_(options), whole_(tier_of(options).takes_everything()) {}

  // Executes a task; returns the number of cases.
  int run(const Task& task, Totals& totals) {
    const adj::Sku& sku = *task.sku;
    int executed = 0, failures = 0, number = 0;
    launched_.clear();
    std::string refusal = "no case for its element types";
    bool silent = false;  // true: a case with errors has been executed without the flag that counts them
    const auto cases = harness::cases_of(sku.op->id)(sku.signature, harness::Level::quick, options_.seed);
    for (const harness::Case& c : cases) {
      if (!options_.only_case.empty() && c.name.find(options_.only_case) == std::string::npos) continue;
      const bool own_turn = number++ % task.turns == task.turn;
      std::set<std::string> seen;
      std::map<std::vector<const adj::Program*>, int> grids;  // number of executed plans with these programs
      std::optional<harness::Outputs> reference, results;  // results: of the first architecture
      for (const char* arch : {"sm_90a", "sm_80", "sm_100"}) {
        if (!options_.arch.empty() && options_.arch != arch) continue;
        const auto stream = adj::offline_stream(arch);
        if (!stream) continue;
        auto selected = harness::select_sku(*stream, *c.problem, sku);
        if (!selected) {
          for (const auto& r : selected.error().rejections)
            if (r.sku == sku.id) refusal = r.reason;
          if (selected.error().code != ADJ_ERROR_UNSUPPORTED) {
            fail(sku, c, arch, selected.error().message);
            ++failures;
          }
          continue;
        }
        const adj::Plan& plan = **selected;
        const auto launched = harness::programs_of(plan);
        const auto is_own = [&](const adj::Program* program) { return task.programs.contains(program); };
        const auto is_new = [&](const adj::Program* program) { return is_own(program) && !launched_.contains(program); };
        if (!launched.empty() && std::none_of(launched.begin(), launched.end(), is_own)) continue;
        if (!own_turn && std::none_of(launched.begin(), launched.end(), is_new)) continue;
        if (!seen.insert(simt::fingerprint(plan)).second) continue;
        const int grid = ++grids[launched];
        if (grid > (options_.quick ? 1 : 2)) continue;
        if (!reference) {
          auto outputs = c.unspecified ? harness::Outputs() : harness::run_reference(*c.problem);  // the host may refuse what a device leaves open
          if (!outputs) {
            fail(sku, c, arch, "the reference fails: " + outputs.error().message);
            ++failures;
            break;
          }
          reference = std::move(*outputs);
        }
        ++executed;
        // Cases take turns: every buffer is moved by one element, or each by a number of elements of its own.
        const auto index = static_cast<std::uint64_t>(&c - cases.data());
        failures += !run_plan(sku, c, arch, plan, *reference, results, grid > 1, index % 2 ? 1 + index : 1, totals);
        if (failures == 0 && !silent) failures += !run_silently(sku, c, arch, plan, *reference, silent, totals);
        if (failures >= 3) break;
      }
      if (failures >= 3) break;
    }
    if (task.leaves_out && failures == 0) failures += !leave_out(sku, cases, totals);
    totals.cases += executed;
    totals.failures += failures;
    if (executed == 0 && failures == 0 && options_.only_case.empty() && options_.arch.empty()) {
      std::printf("FAIL %s: executed on no case: %s\n", sku.id.c_str(), refusal.c_str());
      ++totals.failures;
    }
    // Only a complete run: with some signatures, a program may be left to another SKU.
    if (failures == 0 && options_.only_case.empty() && options_.arch.empty() && whole_)
      for (const adj::Program* program : task.programs)
        if (!launched_.contains(program)) {
          std::printf("FAIL %s: no case launches %s\n", sku.id.c_str(), program->name().c_str());
          ++totals.failures;
        }
    return executed;
  }

 private:
  // once: the plan differs only in its grids from one that has run all trials; it runs one. results: of another architecture, or set here. misalign: of
  // the trial that moves the buffers.
  bool run_plan(const adj::Sku& sku, const harness::Case& c, const char* arch, const adj::Plan& plan, const harness::Outputs& reference,
                std::optional<harness::Outputs>& results, bool once, std::uint64_t misalign, Totals& totals) {
    std::optional<harness::Outputs> first;
    for (int repeat = 0; repeat < options_.repeats; ++repeat) {
      const std::uint64_t seed = options_.seed + static_cast<std::uint64_t>(repeat);
      reproduction_ = fmt::format("--sku '{}' --case '{}' --arch {} --seed {}", sku.id, c.name, arch, seed);
      simt::set_reproduction(reproduction_);
      std::vector<simt::Trial> trials{{seed, 0xCD, 0, false}};
      if (!options_.quick && !once) trials.push_back({seed + 1000, 0xFF, 0, false});
      if (!once) trials.push_back({seed + 2000, 0xFF, misalign, false});
      if (!once && simt::has_bound_steps(plan)) trials.push_back({seed + 3000, 0xCD, 0, true});
      for (const simt::Trial& trial : trials) {
        ++totals.runs;
        const simt::Run run = simt::run(plan, *c.problem, trial);
        launched_.insert(run.programs.begin(), run.programs.end());
        const std::string how = fmt::format("{}{}", trial.misalign ? "misaligned " : "", trial.bound ? "bound " : "");
        if (c.unspecified && (!run.fault || tolerable(run.fault))) continue;
        if (run.fault) return fail(sku, c, arch, how + run.fault->message);
        const auto comparison = harness::compare(c, sku, run.outputs, reference);
        if (!comparison.ok) return fail(sku, c, arch, how + comparison.message);
        if (const auto changed = harness::changed_by_skip(*c.problem, run.outputs).value_or(""); !changed.empty()) return fail(sku, c, arch, how + changed);
        if (trial.misalign && !harness::same_anywhere(*c.problem)) continue;  // another path, which may round differently
        if (!first) first = run.outputs;
        else if (sku.guarantee.bit_stable && !harness::same_bits(*first, run.outputs))
          return fail(sku, c, arch, trial.misalign ? "the bits depend on where the buffers lie" : how + "the bits depend on the order of execution");
      }
    }
    if (first && sku.guarantee.determinism >= ADJ_SHAPE_ONLY && sku.guarantee.bit_stable) {
      if (!results) results = first;
      else if (!harness::same_bits(*results, *first)) return fail(sku, c, arch, "the bits depend on the architecture");
    }
    if (c.twin && !once) {
      auto selected = harness::select_sku(plan.stream, *c.twin, sku);
      if (!selected) return fail(sku, c, arch, "the twin: " + selected.error().message);
      const simt::Run run = simt::run(**selected, *c.twin, {options_.seed, 0xCD, 0, false});
      if (run.fault) return fail(sku, c, arch, "the twin: " + run.fault->message);
      if (!harness::same_bits(*first, run.outputs)) return fail(sku, c, arch, "the bits are not those of the twin");
    }
    if (!once && !options_.quick && !c.unspecified) {
      const auto variations = harness::variations_of(*c.problem);
      for (const harness::Variation& variation : variations) {
        // Long lists take long, and short ones try the same for operators whose lists may be split.
        if (simt::is_long(variation.problem) && variations.size() > 1) continue;
        auto selected = harness::select_sku(plan.stream, variation.problem, sku);
        if (!selected) return fail(sku, c, arch, variation.name + ": " + selected.error().message);
        ++totals.runs;
        const simt::Run run = simt::run(**selected, variation.problem, {options_.seed + 4000, 0xCD, 0, false});
        if (run.fault) return fail(sku, c, arch, variation.name + ": " + run.fault->message);
        if (const std::string what = harness::difference(*c.problem, *first, variation, run.outputs); !what.empty()) return fail(sku, c, arch, what);
      }
    }
    if (!once && !options_.quick && !c.unspecified && !simt::is_long(*c.problem) && harness::promises_rows(sku, *c.problem)) {
      const auto parts = harness::parts_of(*c.problem);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        // Each case takes one part of its rows in turn.
        if (options_.turns != "none" && i != parts_tried_ % parts.size()) continue;
        const harness::Part& part = parts[i];
        auto selected = harness::select_sku(plan.stream, part.problem, sku);
        if (!selected && selected.error().code == ADJ_ERROR_UNSUPPORTED) continue;
        if (!selected) return fail(sku, c, arch, part.name + ": " + selected.error().message);
        ++totals.runs;
        const simt::Run run = simt::run(**selected, part.problem, {options_.seed + 5000, 0xCD, 0, false});
        if (run.fault) return fail(sku, c, arch, part.name + ": " + run.fault->message);
        if (const std::string what = harness::difference(*c.problem, *first, part, run.outputs, sku); !what.empty()) return fail(sku, c, arch, what);
      }
      ++parts_tried_;
    }
    if (options_.verbose) std::printf("  ok %s [%s] %s\n", sku.id.c_str(), c.name.c_str(), arch);
    return true;
  }

  // Executes a case that counts errors once more without its error_flag. done: set to true where the case has errors.
  bool run_silently(const adj::Sku& sku, const harness::Case& c, const char* arch, const adj::Plan& plan, const harness::Outputs& reference, bool& done,
                    Totals& totals) {
    if (c.unspecified) return true;
    const auto& arguments = sku.op->arguments;
    const auto flag =
        std::find_if(arguments.begin(), arguments.end(), [](const adj::ArgumentInfo& argument) { return std::strcmp(argument.name, "error_flag") == 0; });
    if (flag == arguments.end()) return true;
    const auto i = static_cast<std::size_t>(flag - arguments.begin());
    if (!c.problem->contents()[i].present || reference.arguments[i].empty() || reference.arguments[i][0].bytes == c.problem->contents()[i].data[0].bytes)
      return true;
    done = true;
    ++totals.runs;
    harness::Case without = c;
    without.problem = std::make_shared<harness::Problem>(*c.problem);
    without.problem->omit("error_flag");
    const auto own_reference = harness::run_reference(*without.problem);
    if (!own_reference) return fail(sku, without, arch, "without error_flag the reference fails: " + own_reference.error().message);
    const simt::Run run = simt::run(plan, *without.problem, {options_.seed, 0xCD, 0, false});
    if (run.fault) return fail(sku, without, arch, "without error_flag: " + run.fault->message);
    const auto comparison = harness::compare(without, sku, run.outputs, *own_reference);
    return comparison.ok || fail(sku, without, arch, "without error_flag: " + comparison.message);
  }

  // Executes the programs of a SKU without each optional argument, on the smallest case that is not tiny.
  bool leave_out(const adj::Sku& sku, std::vector<harness::Case> cases, Totals& totals) {
    constexpr std::uint64_t kLeast = 8192;  // bytes
    auto order = [](const harness::Case& c) {
      const std::uint64_t bytes = harness::bytes_of(*c.problem);
      return bytes < kLeast ? std::pair(1, ~bytes) : std::pair(0, bytes);
    };
    std::stable_sort(cases.begin(), cases.end(), [&](const harness::Case& a, const harness::Case& b) { return order(a) < order(b); });
    harness::TriedAbsences tried;
    for (const harness::Case& c : cases) {
      if (!options_.only_case.empty() && c.name.find(options_.only_case) == std::string::npos) continue;
      if (simt::is_long(*c.problem)) continue;
      for (const char* arch : {"sm_90a", "sm_80", "sm_100"}) {
        if (!options_.arch.empty() && options_.arch != arch) continue;
        const auto stream = adj::offline_stream(arch);
        if (!stream) continue;
        const auto selected = harness::select_sku(*stream, *c.problem, sku);
        if (!selected) continue;
        const adj::Plan& plan = **selected;
        std::optional<harness::Outputs> complete;
        for (const harness::Absence& absence : harness::absences_of(c, harness::programs_of(plan), tried)) {
          reproduction_ = fmt::format("--sku '{}' --case '{}' --arch {}", sku.id, c.name, arch);
          simt::set_reproduction(reproduction_);
          const auto reference = harness::run_reference(*absence.c.problem);
          if (!reference) return fail(sku, absence.c, arch, "the reference fails: " + reference.error().message);
          for (const bool bound : {false, true}) {
            if (bound && !simt::has_bound_steps(plan)) continue;
            ++totals.runs;
            const simt::Run run = simt::run(plan, *absence.c.problem, {options_.seed, 0xCD, 0, bound});
            if (run.fault) return fail(sku, absence.c, arch, run.fault->message);
            const auto comparison = harness::compare(absence.c, sku, run.outputs, *reference);
            if (!comparison.ok) return fail(sku, absence.c, arch, comparison.message);
            if (!absence.same_bits || !sku.guarantee.bit_stable) continue;
            if (!complete) {
              const simt::Run whole = simt::run(plan, *c.problem, {options_.seed, 0xCD, 0, false});
              if (whole.fault) return fail(sku, c, arch, whole.fault->message);
              complete = whole.outputs;
            }
            if (!harness::same_bits(*complete, run.outputs)) return fail(sku, absence.c, arch, "the bits are not those of the case with all arguments");
          }
        }
      }
    }
    return true;
  }

  bool fail(const adj::Sku& sku, const harness::Case& c, const char* arch, const std::string& what) {
    std::printf("FAIL %s [%s] %s: %s\n     repeat with %s\n", sku.id.c_str(), c.name.c_str(), arch, what.c_str(), reproduction_.c_str());
    return false;
  }

  const Options& options_;
  const bool whole_;
  std::string reproduction_;  // arguments that repeat what is being executed
  std::size_t parts_tried_ = 0;             // cases that have been executed on part of their rows
  std::set<const adj::Program*> launched_;  // programs of the task's SKU that have been launched
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Executes kernels on the CPU, thread by thread");
  app.add_option("--sku", options.sku, "only SKUs whose id matches this glob");
  app.add_option("--tier", options.tier, "only SKUs that this file, written by tests/tier.py, asks for");
  app.add_option("--case", options.only_case, "only cases whose name contains this");
  app.add_option("--arch", options.arch, "only plans for this architecture, e.g. sm_90a");
  app.add_option("--seed", options.seed, "first seed of the schedule");
  app.add_option("--repeats", options.repeats, "number of seeds");
  app.add_option("--shard", options.shard, "i n: every n-th SKU, from the i-th")->expected(2);
  app.add_option("--turns", options.turns,
                 "none: every SKU takes all cases; types: the element types of an algorithm take turns; "
                 "sizes: those of the same sizes do")
      ->check(CLI::IsMember({"none", "sizes", "types"}));
  app.add_option("--grids", options.grids, "blocks of a grid at most, where a block goes on to further work")->check(CLI::PositiveNumber);
  app.add_flag("--quick", options.quick, "one grid, one aligned and one misaligned run per case");
  app.add_option("--far", options.far,
                 "the last block of each launch of a SKU of each algorithm, on tensors of 2^36 elements (in lists 2^33) or as many as "
                 "the kernels take; the file names the algorithms that are left out, with reasons");
  app.add_flag("--list", options.list, "list the SKUs in the order in which --shard counts them, or that --far takes, and stop");
  app.add_flag("--verbose", options.verbose, "print every case, and the time of each SKU");
  CLI11_PARSE(app, argc, argv);
  if (options.grids) adj::change_offline_devices([&](adj::Device& device) { device.grid_limit = options.grids; });
  // A process that is ended from outside leaves what it has said.
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  if (!options.far.empty()) {
    const auto skus = first_of_each_algorithm(options);
    if (options.list) {
      for (const adj::Sku* sku : skus) std::printf("%s\n", sku->id.c_str());
      return 0;
    }
    if (simt::checks_accesses()) {
      std::printf("FAIL: --far needs kernels without checks of their own, such as those of simt_asan\n");
      return 1;
    }
    return simt::run_far_cases(skus, {options.far, options.only_case, options.seed, options.verbose});
  }

  const std::vector<Task> tasks = share_out(options);
  const std::vector<const adj::Sku*> skus_of_library = options.only_case.empty() ? library_skus(options) : std::vector<const adj::Sku*>{};
  if (options.list) {
    for (const Task& task : tasks) std::printf("%s\n", task.sku->id.c_str());
    for (const adj::Sku* sku : skus_of_library) std::printf("%s\n", sku->id.c_str());
    return 0;
  }

  std::map<std::string, Totals> by_op;
  Totals all;
  Session session(options);
  int index = 0;
  for (const Task& task : tasks) {
    const adj::Sku& sku = *task.sku;
    if (index++ % options.shard[1] != options.shard[0]) continue;
    Totals& totals = by_op[sku.op->name];
    const auto start = std::chrono::steady_clock::now();
    totals.skus += session.run(task, totals) > 0;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    totals.seconds += seconds;
    if (options.verbose) std::printf("%s: %.1f s\n", sku.id.c_str(), seconds);
  }
  for (const adj::Sku* sku : skus_of_library) {
    if (index++ % options.shard[1] != options.shard[0]) continue;
    Totals& totals = by_op[sku->op->name];
    ++totals.skus;
    const char* arch = options.arch.empty() ? "sm_90a" : options.arch.c_str();
    const std::string fault = simt::run_adasum(*sku, arch, options.seed, totals.runs);
    if (fault.empty()) continue;
    std::printf("FAIL %s: %s\n", sku->id.c_str(), fault.c_str());
    ++totals.failures;
  }
  for (const auto& [name, t] : by_op) {
    std::printf("%-40s %4d SKUs %6d cases %6d runs %4d failures %8.1f s\n", name.c_str(), t.skus, t.cases, t.runs, t.failures, t.seconds);
    all.skus += t.skus;
    all.cases += t.cases;
    all.runs += t.runs;
    all.failures += t.failures;
    all.seconds += t.seconds;
  }
  const simt::Counters& c = simt::counters();
  std::printf("%-40s %4d SKUs %6d cases %6d runs %4d failures %8.1f s; %.1f M accesses, %.1f M switches, %.0f launches\n", "all", all.skus, all.cases, all.runs,
              all.failures, all.seconds, static_cast<double>(c.accesses) / 1e6, static_cast<double>(c.switches) / 1e6, static_cast<double>(c.launches));
  const bool nothing = all.skus == 0 && (index == 0 || index > options.shard[0]);  // a shard beyond the last SKU has nothing to do
  if (nothing) std::printf("FAIL: no SKU matches '%s'\n", options.sku.c_str());
  return all.failures || nothing ? 1 : 0;
}
