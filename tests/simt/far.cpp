#include "far.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <tuple>

#include <fmt/ranges.h>

#include "base/text.hpp"
#include "harness/arguments.hpp"
#include "harness/plans.hpp"
#include "harness/rows.hpp"
#include "run.hpp"

namespace simt {

namespace {

// Sizes that are tried, from the largest: powers of two of elements. Offsets may be counted in vectors of 16 bytes, of which 2^36 elements have 2^32 or
// more; offsets in lists are counted in elements.
constexpr int kMostBits = 36, kMostBitsOfLists = 33, kFewestBits = 32;
constexpr std::int64_t kMostRowsOfBlock = 8192;
constexpr std::int64_t kMostTimes = 12;
// Multiprocessors of the device: so many that a block of a grid which fills the device goes round a few times. The product with 2^18 divides the number
// of rows of an enlarged problem, so that the last block has the last row.
constexpr int kMultiprocessors = 13860;
// The factor for an algorithm of which nothing is executed on so many: a block takes so long for its work that going round is too much.
constexpr int kMoreMultiprocessors = 256;
constexpr int kMoreBlocks = 8;         // that are executed where the block of the last row alone is wrong
constexpr int kMostBlocks = 128;       // that are executed of a launch, from its end
constexpr std::int64_t kFewest = 512;  // elements of a case, unless no case has as many

// Zeros that take memory only where they are written. Accesses beyond either end, as far as an offset of 32 bits reaches, end the process.
class SparseBuffer {
 public:
  explicit SparseBuffer(std::uint64_t bytes) : all_(bytes + 2 * kGuard) {
    void* p = mmap(nullptr, all_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::runtime_error(fmt::format("mmap of {} bytes fails", all_));
    base_ = static_cast<std::byte*>(p);
    if (bytes && mprotect(data(), (bytes + 4095) / 4096 * 4096, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect fails");
    madvise(base_, all_, MADV_NOHUGEPAGE);  // a page for each fault that is counted
  }
  ~SparseBuffer() { munmap(base_, all_); }
  SparseBuffer(const SparseBuffer&) = delete;
  SparseBuffer& operator=(const SparseBuffer&) = delete;
  std::byte* data() const { return base_ + kGuard; }

 private:
  static constexpr std::uint64_t kGuard = std::uint64_t{64} << 30;
  std::byte* base_ = nullptr;
  std::uint64_t all_;
};

// The end of a step that would touch a whole buffer: these bytes hold the last rows.
constexpr std::uint64_t kTail = std::uint64_t{64} << 20;

// Tells a launch that takes long because it walks over much memory from one without an end. Every page that is touched for the first time is a fault.
class Touched {
 public:
  bool much() const { return faults() - faults_ >= kFewestPages; }

 private:
  static constexpr std::uint64_t kFewestPages = 64;  // the machine itself touches a few
  static std::uint64_t faults() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<std::uint64_t>(used.ru_minflt) + static_cast<std::uint64_t>(used.ru_majflt);
  }
  std::uint64_t faults_ = faults();
};

struct FarRun {
  bool again = false;  // true: to be repeated, on memory that nobody has touched
  std::optional<Fault> fault;
  harness::Outputs outputs;   // of the last rows; what was not written is the reference's
  std::int64_t written = 0;   // elements of the last rows
  bool last_written = false;  // true: the last element of some output was among them
};

using Programs = std::set<const adj::Program*>;

// Executes blocks or clusters of every launch of a plan for an enlarged problem, on buffers that are mapped where they are touched. reference: of the
// last rows. walking: programs of which a block walks over a large part of the rows; they are left out, and the run adds those that it finds. ended: programs
// whose launch has been ended before. Its repetition finds the stacks of its threads touched.
FarRun run_far(const adj::Plan& plan, const harness::Enlarged& problem, const harness::Outputs& reference, const Ends& ends, Programs& walking,
               Programs& ended) {
  FarRun result;
  const adj::OpInfo& op = *plan.op;
  const harness::Problem& last = problem.last;
  std::vector<std::unique_ptr<SparseBuffer>> memory;
  std::vector<std::vector<void*>> addresses(op.arguments.size());
  std::vector<std::vector<std::byte*>> rows(op.arguments.size());  // where the last rows are
  std::vector<std::vector<std::uint64_t>> sizes(op.arguments.size());
  auto bytes_of = [&](std::size_t i, std::size_t k) {
    const adj::ArgumentSpec& spec = problem.specs[i];
    if (op.arguments[i].kind == adj::ArgumentKind::tensor) return spec.bytes;
    if (op.arguments[i].kind == adj::ArgumentKind::list) return static_cast<std::uint64_t>(spec.numel[k]) * adj::size_of(spec.dtype);
    return std::uint64_t{last.contents()[i].data[k].bytes.size()};
  };
  harness::Outputs before;
  before.arguments.resize(op.arguments.size());
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const auto& c = last.contents()[i];
    for (std::size_t k = 0; k < c.data.size(); ++k) {
      const auto& buffer = memory.emplace_back(std::make_unique<SparseBuffer>(bytes_of(i, k)));
      const auto moved = problem.moved.find(i);
      const harness::Data& d = moved == problem.moved.end() ? c.data[k] : moved->second;
      const bool cut = k < problem.rows[i].size() && problem.rows[i][k].is_cut();
      const std::uint64_t offset = cut ? static_cast<std::uint64_t>(problem.rows[i][k].begin * problem.rows[i][k].stride) * adj::size_of(d.dtype) : 0;
      addresses[i].push_back(buffer->data());
      rows[i].push_back(buffer->data() + offset);
      sizes[i].push_back(bytes_of(i, k));
      if (op.arguments[i].role == adj::Role::out) std::memset(rows[i][k], 0xCD, d.bytes.size());
      else std::memcpy(rows[i][k], d.bytes.data(), d.bytes.size());
      if (op.arguments[i].kind == adj::ArgumentKind::random) {
        auto* state = reinterpret_cast<std::uint64_t*>(buffer->data());
        state[1] -= problem.random_offset_back;
      }
    }
  }
  for (std::size_t i = 0; i < op.arguments.size(); ++i)
    if (const int other = last.contents()[i].shares; other >= 0) {
      addresses[i] = addresses[static_cast<std::size_t>(other)];
      rows[i] = rows[static_cast<std::size_t>(other)];
    }
  const SparseBuffer scratch(plan.workspace_size);
  std::byte* workspace = scratch.data();

  // The arguments of the rows, with the sizes of the whole.
  const harness::Arguments small(last, addresses);
  std::vector<std::uint64_t> storage(op.args_size / 8 + 1);
  auto* args = reinterpret_cast<std::byte*>(storage.data());
  std::memcpy(args, small.get(), op.args_size);
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    if (!last.contents()[i].present) continue;
    std::byte* at = args + op.arguments[i].offset;
    if (op.arguments[i].kind == adj::ArgumentKind::tensor) {
      auto& t = *reinterpret_cast<adj_tensor*>(at);
      t.bytes = problem.specs[i].bytes;
      std::copy_n(problem.specs[i].shape.begin(), ADJ_MAX_RANK, t.shape);
    } else if (op.arguments[i].kind == adj::ArgumentKind::list) {
      reinterpret_cast<adj_tensor_list*>(at)->bytes = sizes[i].data();
    } else if (op.arguments[i].kind == adj::ArgumentKind::random) {
      reinterpret_cast<adj_random*>(at)->offset -= problem.random_offset_back;
    }
  }
  if (auto ok = adj::can_implement(plan, reinterpret_cast<const adj_header*>(args)); !ok) {
    result.fault = refused(ok.error().message);
    return result;
  }
  auto remember = [&] {  // what no block has written yet
    for (std::size_t i = 0; i < op.arguments.size(); ++i) {
      if (!harness::is_output(last, i)) continue;
      before.arguments[i] = reference.arguments[i];
      for (std::size_t k = 0; k < before.arguments[i].size(); ++k)
        std::memcpy(before.arguments[i][k].bytes.data(), rows[i][k], before.arguments[i][k].bytes.size());
    }
  };
  remember();
  std::uint64_t seed = 1;
  for (const adj::Step& step : plan.steps) {
    if (!step.in(false)) continue;
    if (const auto* kernel = std::get_if<adj::KernelStep>(&step)) {
      if (adj::is_left_out(*kernel, plan, args)) continue;
      const bool unaligned = adj::takes_unaligned(*kernel, op, args);
      const adj::Program* program = unaligned ? kernel->unaligned_program : kernel->program;
      if (walking.contains(program)) continue;
      const Touched touched;
      result.fault = run_kernel(plan, *kernel, *program, unaligned ? kernel->unaligned_block : kernel->config.block_x, args, workspace, seed++, &ends);
      if (result.fault && result.fault->kind == FaultKind::no_end) {
        const bool repeated = !ended.insert(program).second;
        if (repeated && !touched.much()) return result;
        if (repeated) walking.insert(program);
        result.again = true;
        result.fault.reset();
        return result;
      }
    } else if (const auto* memset = std::get_if<adj::MemsetStep>(&step)) {
      auto* base =
          memset->workspace ? workspace : static_cast<std::byte*>(reinterpret_cast<const adj_tensor*>(args + op.arguments[memset->argument].offset)->data);
      const std::uint64_t skipped = memset->bytes > kTail ? memset->bytes - kTail : 0;
      if (base) std::memset(base + memset->offset + skipped, memset->value, memset->bytes - skipped);
      remember();
    } else if (const auto* copy = std::get_if<adj::CopyStep>(&step)) {
      for (std::size_t k = 0; k < addresses[copy->from].size() && k < addresses[copy->to].size(); ++k)
        if (rows[copy->to][k] != rows[copy->from][k]) std::memcpy(rows[copy->to][k], rows[copy->from][k], last.contents()[copy->from].data[k].bytes.size());
      remember();
    }
    if (result.fault) return result;
  }
  // What no executed block has written counts as right; the last element must be written.
  result.outputs = reference;
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    if (!harness::is_output(last, i)) continue;
    for (std::size_t k = 0; k < result.outputs.arguments[i].size(); ++k) {
      const bool cut = k < problem.rows[i].size() && problem.rows[i][k].is_cut();
      if (!cut && !problem.whole) continue;  // of all rows, of which others are not executed
      harness::Data& data = result.outputs.arguments[i][k];
      const std::size_t size = adj::size_of(data.dtype);
      for (std::size_t at = 0; at < data.bytes.size(); at += size) {
        if (std::memcmp(rows[i][k] + at, &before.arguments[i][k].bytes[at], size) == 0) continue;
        std::memcpy(&data.bytes[at], rows[i][k] + at, size);
        ++result.written;
        result.last_written |= at + size == data.bytes.size();
      }
    }
  }
  return result;
}

// ---- algorithms that are left out

struct Reason {
  std::string algorithms, says;
  bool used = false;
};

std::string algorithm_of(const adj::Sku& sku) { return fmt::format("{}/{}", sku.op->name, sku.variant->algorithm); }

std::vector<Reason> read_reasons(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::vector<Reason> reasons;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto words = adj::split(line, '\t');
    if (words.size() != 3) throw std::runtime_error(fmt::format("{}: '{}' is not an algorithm, what its run says and a reason", path, line));
    reasons.push_back({words[0], words[1]});
  }
  return reasons;
}

// ---- cases

// Ends the process with the arguments that repeat what is being executed: a kernel has touched memory that is not mapped.
std::string far_reproduction;
void report_unmapped(int) {
  std::printf("FAIL %s: an access far outside of every buffer\n", far_reproduction.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}
void catch_unmapped_accesses() {
  static unsigned char stack[64 << 10];
  const stack_t alternate{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_handler = report_unmapped;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}
// Lets a thread that walks over a large part of the rows without meeting others be ended. The handler does not return then: it leaves the thread's stack.
void start_timer() {
  struct sigaction action{};
  action.sa_handler = [](int) { end_long_launch(); };
  action.sa_flags = SA_NODEFER | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  const itimerval period{{0, 500'000}, {0, 500'000}};
  setitimer(ITIMER_PROF, &period, nullptr);
}

enum class Verdict { right, wrong, left_out };
struct Outcome {
  Verdict verdict = Verdict::left_out;
  std::string what;                // of a failure, or why the case is left out
  std::int64_t written = 0;        // elements of the last rows
  Programs walking;                // not executed: a block walks over a large part of the rows
};

// Executes a plan for an enlarged case: the last block of each launch; and where that has not all that the last rows need, more blocks, or the one that
// has the last rows where a grid goes round.
Outcome try_ends(const adj::Plan& plan, const harness::Enlarged& problem, const harness::Case& c, const adj::Sku& sku, const harness::Outputs& reference,
                 const Programs& known_to_walk, Programs& ended) {
  Outcome outcome;
  outcome.walking = known_to_walk;
  Programs& walking = outcome.walking;
  const harness::Case last{c.name, std::make_shared<harness::Problem>(problem.last), c.magnitudes};
  std::vector<Ends> attempts;
  // Where indices name the rows, or results are of all of them, small grids must be executed whole; the first blocks of large ones have the indices, or
  // the first tensors.
  const int first = problem.whole ? kMostBlocks : 0;
  for (int blocks = problem.whole ? kMostBlocks : 1; blocks <= kMostBlocks; blocks *= 8) attempts.push_back({0, blocks, first});
  for (std::int64_t rows = 1; rows <= kMostRowsOfBlock; rows *= 2) attempts.push_back({(problem.count + rows - 1) / rows, 1, first});
  // Of a tensor of several dimensions the rows are those of one, and a kernel has more.
  for (std::int64_t times = 2; times <= kMostTimes; ++times) attempts.push_back({problem.count * times, 1, first});
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Ends ends = attempts[i];
    FarRun run = run_far(plan, problem, reference, ends, walking, ended);
    while (run.again) run = run_far(plan, problem, reference, ends, walking, ended);
    if (run.fault) {
      outcome.verdict = Verdict::wrong;
      outcome.what = run.fault->message;
      return outcome;
    }
    if (!run.last_written) continue;
    const auto comparison = harness::compare(last, sku, run.outputs, reference);
    outcome.verdict = comparison.ok ? Verdict::right : Verdict::wrong;
    outcome.what = comparison.message;
    outcome.written = run.written;
    if (comparison.ok) return outcome;
    // What is wrong may follow from operands of the last rows that are those of blocks which have not been executed.
    if (ends.turns && ends.blocks > 1) break;
    if (ends.turns) attempts.insert(attempts.begin() + static_cast<std::ptrdiff_t>(i) + 1, {ends.turns, kMoreBlocks, first});
  }
  if (outcome.verdict == Verdict::wrong && !walking.empty()) outcome.verdict = Verdict::left_out;
  if (outcome.verdict == Verdict::left_out)
    outcome.what = walking.empty() ? "the last blocks do not write the last row" : "a block walks over a large part of the rows";
  return outcome;
}

bool has_grid_of_two_dimensions(const adj::Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const adj::Step& step) {
    const auto* kernel = std::get_if<adj::KernelStep>(&step);
    return kernel && kernel->config.grid_y > 1;
  });
}

// One SKU of an algorithm.
class Algorithm {
 public:
  Algorithm(const adj_stream& stream, const adj::Sku& sku, const FarOptions& options) : stream_(stream), sku_(sku), options_(options) {
    preference_.sku = sku.id.c_str();
    preference_.determinism = ADJ_NONDETERMINISTIC;
    preference_.math = ADJ_MATH_FAST;
  }

  // Executes cases until every program that they launch has been executed with each choice of inputs.
  void run() {
    for (const int factor : {1, kMoreMultiprocessors}) {
      adj::change_offline_devices([&](adj::Device& device) { device.multiprocessors = factor * kMultiprocessors; });
      walks_from_.clear();
      run_cases();
      if (done_) return;
    }
  }
  bool done() const { return done_; }
  int failed() const { return failed_; }
  // What the runs say that execute nothing.
  const std::set<std::string>& whys() const { return whys_; }
  std::string why() const { return whys_.empty() ? "no case" : fmt::format("{}", fmt::join(whys_, "; ")); }

 private:
  void run_cases() {
    auto cases = harness::cases_of(sku_.op->id)(sku_.signature, harness::Level::quick, options_.seed);
    auto rank = [](const harness::Case& c) {
      std::size_t arguments = 0;
      for (const auto& contents : c.problem->contents()) arguments += contents.present;
      const std::uint64_t bytes = harness::bytes_of(*c.problem);
      return std::tuple(bytes < 4 * kFewest, ~arguments, bytes);  // many arguments, then small
    };
    std::stable_sort(cases.begin(), cases.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    const auto& arguments = sku_.op->arguments;
    const bool lists =
        std::any_of(arguments.begin(), arguments.end(), [](const adj::ArgumentInfo& argument) { return argument.kind == adj::ArgumentKind::list; });
    int most = lists ? kMostBitsOfLists : kMostBits;
    for (const harness::Case& c : cases) {
      if (c.unspecified || is_long(*c.problem) || (!options_.only_case.empty() && c.name.find(options_.only_case) == std::string::npos)) continue;
      for (int bits = most; bits >= kFewestBits; --bits) {
        bool walks = false;
        if (run_case(c, bits, walks)) break;
        if (walks && !done_) most = bits - 1;  // other cases walk as far
      }
    }
  }
  // False: a smaller problem may do.
  bool run_case(const harness::Case& c, int bits, bool& walks) {
    std::string why;
    const auto problems = harness::enlarged(*c.problem, std::int64_t{1} << bits, why);
    if (problems.empty()) note(why);
    for (const harness::Enlarged& problem : problems) {
      auto selected = adj::select_plan(stream_, static_cast<const adj_header*>(problem.descriptor.get()), &preference_);
      if (!selected) {
        note(selected.error().message);
        continue;
      }
      const harness::PlanHandle plan(*selected);
      std::vector<const adj::Program*> programs;  // of aligned buffers
      for (const adj::Step& step : plan->steps)
        if (const auto* kernel = std::get_if<adj::KernelStep>(&step)) programs.push_back(kernel->program);
      const std::vector<bool> inputs = inputs_of(*c.problem);
      const auto is_done = [&](const adj::Program* program) { return done_with_.contains({program, inputs}); };
      if (std::all_of(programs.begin(), programs.end(), is_done)) return true;
      const auto reference = harness::run_reference(problem.last);
      if (!reference) {
        note("the host refuses the last rows: " + reference.error().message);
        continue;
      }
      far_reproduction = fmt::format("--far tests/simt/near.tsv --sku '{}' --case '{}'", sku_.id, c.name);
      set_reproduction(far_reproduction);
      Programs known;  // a program that walks over a smaller problem walks over this one
      for (const auto& [program, size] : walks_from_)
        if (size <= bits) known.insert(program);
      Outcome outcome = try_ends(*plan, problem, c, sku_, *reference, known, ended_);
      for (const adj::Program* program : outcome.walking) {
        const auto known_size = walks_from_.try_emplace(program, bits).first;
        known_size->second = std::min(known_size->second, bits);
      }
      if (outcome.verdict == Verdict::left_out) {
        if (!outcome.walking.empty()) {
          walks = true;
          note(outcome.what);
          continue;
        }
        // Whether the last blocks have the last row is seen on the fewest rows that grids divide as well, whose offsets are small.
        if (has_grid_of_two_dimensions(*plan) || !ends_are_right_near(c, problem)) {
          note(outcome.what);
          continue;
        }
        outcome.verdict = Verdict::wrong;
        outcome.what = "the last row is not written, though it is in a problem of fewer rows";
      }
      if (outcome.verdict == Verdict::wrong) {
        std::printf("FAIL %s: %s\n", far_reproduction.c_str(), outcome.what.c_str());
        ++failed_;
      } else if (options_.verbose) {
        std::printf("  ok %s [%s], 2^%d elements, %lld elements of the last rows\n", sku_.id.c_str(), c.name.c_str(), bits,
                    static_cast<long long>(outcome.written));
      }
      for (const adj::Program* program : programs) done_with_.emplace(program, inputs);
      done_ = true;
      return true;
    }
    return false;
  }

  // Which inputs are there: a program may read tensors in place of numbers.
  static std::vector<bool> inputs_of(const harness::Problem& problem) {
    std::vector<bool> present;
    for (std::size_t i = 0; i < problem.op().arguments.size(); ++i)
      if (problem.op().arguments[i].role != adj::Role::out) present.push_back(problem.contents()[i].present);
    return present;
  }

  bool ends_are_right_near(const harness::Case& c, const harness::Enlarged& far) {
    std::string why;
    for (const harness::Enlarged& near : harness::enlarged(*c.problem, far.count / 1024, why)) {
      auto selected = adj::select_plan(stream_, static_cast<const adj_header*>(near.descriptor.get()), &preference_);
      if (!selected) continue;
      const harness::PlanHandle plan(*selected);
      const auto reference = harness::run_reference(near.last);
      if (reference && try_ends(*plan, near, c, sku_, *reference, {}, ended_).verdict == Verdict::right) return true;
    }
    return false;
  }

  void note(const std::string& why) { whys_.insert(why); }

  const adj_stream& stream_;
  const adj::Sku& sku_;
  const FarOptions& options_;
  adj_preference preference_;
  std::set<std::pair<const adj::Program*, std::vector<bool>>> done_with_;  // with these inputs
  std::map<const adj::Program*, int> walks_from_;  // the smallest size
  Programs ended_;
  std::set<std::string> whys_;
  bool done_ = false;
  int failed_ = 0;
};

}  // namespace

int run_far_cases(const std::vector<const adj::Sku*>& skus, const FarOptions& options) {
  catch_unmapped_accesses();
  start_timer();
  auto reasons = read_reasons(options.reasons);
  const auto stream = adj::offline_stream("sm_90a");
  if (!stream) return 1;
  int covered = 0, failed = 0, left = 0;
  for (const adj::Sku* sku : skus) {
    Algorithm algorithm(*stream, *sku, options);
    algorithm.run();
    failed += algorithm.failed();
    covered += algorithm.done();
    const std::string name = algorithm_of(*sku);
    const auto reason = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& r) { return adj::glob_match(r.algorithms, name); });
    if (!options.only_case.empty()) continue;
    if (algorithm.done() && reason != reasons.end()) {
      std::printf("FAIL %s is executed, and has a reason not to be in %s\n", name.c_str(), options.reasons.c_str());
      ++failed;
    } else if (!algorithm.done() && reason == reasons.end()) {
      std::printf("FAIL %s: not executed, and without a reason: %s\n", sku->id.c_str(), algorithm.why().c_str());
      ++failed;
    } else if (!algorithm.done() && std::none_of(algorithm.whys().begin(), algorithm.whys().end(),
                                                 [&](const std::string& why) { return why.find(reason->says) != std::string::npos; })) {
      std::printf("FAIL %s: its reason is that a run says '%s', and it says: %s\n", sku->id.c_str(), reason->says.c_str(), algorithm.why().c_str());
      ++failed;
    } else if (!algorithm.done()) {
      ++left;
    }
  }
  for (const Reason& reason : reasons) {
    const auto is_meant = [&](const adj::Sku& sku) { return adj::glob_match(reason.algorithms, algorithm_of(sku)); };
    if (std::none_of(adj::all_skus().begin(), adj::all_skus().end(), is_meant)) {
      std::printf("FAIL %s: no algorithm is called %s\n", options.reasons.c_str(), reason.algorithms.c_str());
      ++failed;
    }
  }
  std::printf("%d algorithms executed on more than 2^32 elements, %d failed, %d left out with a reason\n", covered, failed, left);
  return failed || covered + left == 0 ? 1 : 0;
}

}  // namespace simt
