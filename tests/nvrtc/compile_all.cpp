// Compiles the programs of every SKU for every architecture without a GPU: one entry each, no local memory, inside the time budget, and no remark of ptxas
// that it passes over what a program asks for.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "base/text.hpp"
#include "driver/libraries.hpp"
#include "jit/cache.hpp"
#include "jit/code.hpp"
#include "jit/kernel_sources.hpp"
#include "plan/op.hpp"
#include "tests/tier.hpp"

namespace {

// Most milliseconds of a compilation on a machine that compiles an almost empty kernel in kYardstickMs. Other machines are allowed time in
// proportion.
constexpr double kMostMs = 150, kYardstickMs = 24;
// Programs that have not been shortened yet may take three times as long. The list is to become shorter.
constexpr double kLongerBy = 3, kUnrolledBy = 6;
constexpr const char* kUnrolled[] = {"attention/*", "fp8/tile.cu", "matmul/cores.cu", "matmul/pipeline.cu"};  // tiles of registers, unrolled
constexpr const char* kLonger[] = {"activation/*", "batch_norm/*", "collective/*", "conv/*",     "dropout/*",       "elementwise/*", "fp8/*",
                                   "gemm/*",       "parts/*",      "index/slice*", "loss/*",     "norm/*",          "optimizer/*",   "precision/*",
                                   "prelude/*",    "reduce/*",     "resize/*",     "rope/norm*", "softmax/forward*"};
// Known exceptions, each on one architecture: programs that keep `bytes` of local memory around a function that they call; norms whose rows
// or sums of columns fill the 128 registers of a thread, up to four too many; softmax, whose rows fill 64 registers; and attention with 128 columns, whose
// results and scores fill the 255 registers that a thread can have, and for sm_120 are two too many.
struct Declared {
  const char* program;
  int cc, bytes;
};
constexpr Declared kDeclared[] = {{"reduce/columns.cu:* ADJ_T=f64 ADJ_REDUCER=logsumexp_terms", 100, 16},
                                  {"norm/backward_sums.cu:* ADJ_A=f64 ADJ_WORDS=0", 100, 8},
                                  {"norm/backward_sums.cu:* ADJ_A=f64 ADJ_WORDS=0", 110, 8},
                                  {"norm/forward_row.cu:norm_forward_row ADJ_T=f64 *", 110, 8},
                                  {"norm/backward_row_ahead.cu:norm_backward_row_ahead ADJ_S=f16 ADJ_G=f16 *", 80, 16},
                                  {"norm/backward_row_ahead.cu:norm_backward_row_ahead ADJ_S=f32 ADJ_G=*f16 *", 80, 16},
                                  {"norm/backward_row_ahead.cu:norm_backward_row_ahead ADJ_S=f16 ADJ_G=f16 *", 86, 16},
                                  {"norm/backward_row_ahead.cu:norm_backward_row_ahead ADJ_S=f32 ADJ_G=*f16 *", 86, 16},
                                  {"norm/backward_row_ahead.cu:norm_backward_row_ahead ADJ_S=f16 ADJ_G=f32 *", 90, 8},
                                  {"norm/backward_row_ahead.cu:norm_backward_row_ahead ADJ_S=f32 ADJ_G=f16 *", 90, 8},
                                  {"attention/forward.cu:attention_forward ADJ_T=*f?? *", 100, 8},
                                  {"attention/forward.cu:attention_forward ADJ_T=f64 *", 110, 8},
                                  {"attention/forward.cu:attention_forward ADJ_T=*f?? *", 120, 8},
                                  {"softmax/row_any_held.cu:*softmax_backward_row_any_held ADJ_T=f32 *", 120, 8},
                                  {"attention/cores_forward.cu:* ADJ_DIM=128 ADJ_ALIGNED=*", 120, 8}};
int declared_local_bytes(const adj::Program& program, int cc) {
  for (const Declared& d : kDeclared)
    if (cc == d.cc && adj::glob_match(d.program, program.name())) return d.bytes;
  return 0;
}
double allowance(const adj::Program& program) {
  const auto is_one = [&](const auto& globs) {
    return std::any_of(std::begin(globs), std::end(globs), [&](const char* glob) { return adj::glob_match(glob, program.source()); });
  };
  return is_one(kUnrolled) ? kUnrolledBy : is_one(kLonger) ? kLongerBy : 1;
}

// Processor time of this thread. It does all the work of a compilation, so other processes do not count.
double thread_ms() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

// Reads truncated cubins: each must be read or refused, never beyond its end.
bool survives_truncation(const std::string& cubin, const std::string& entry) {
  bool refused = false;
  for (std::size_t length = 0; length < cubin.size(); length += 61) {
    const std::unique_ptr<char[]> exact(new char[length]);  // so that AddressSanitizer sees its end
    std::copy_n(cubin.data(), length, exact.get());
    refused |= !adj::read_resources({exact.get(), length}, entry);
    refused |= !adj::read_cubin({exact.get(), length});
  }
  return refused;
}

// The remarks C7508 to C7519 of ptxas in a message, "C7510 C7512": a register budget that is ignored, matrix products of warpgroups that are serialised. Also
// launch bounds that are ignored.
std::string losses_in(std::string_view message) {
  constexpr int kFirst = 7508, kLast = 7519;
  std::string found;
  for (int code = kFirst; code <= kLast; ++code)
    if (message.find(fmt::format("C{}", code)) != std::string_view::npos) found += fmt::format("{}C{}", found.empty() ? "" : " ", code);
  // Launch bounds that ask for more threads than a multiprocessor has, such as the 1536 of sm_86, sm_110 and sm_120.
  if (message.find(".minnctapersm will be ignored") != std::string_view::npos) found += fmt::format("{}minnctapersm", found.empty() ? "" : " ");
  return found;
}

// What NVRTC said of the compilation that this thread did last.
thread_local std::string remarks;
void keep_remarks(void*, std::int32_t level, const char* message) {
  if (level == 1) remarks += message;
}

// True when the program, or with `macro` = ADJ_BOUNDS_ARCH its launch bounds, depend on the architecture.
bool asks_for(const adj::Program& program, std::string_view macro) {
  constexpr std::string_view kDefinition = "prelude/types.cuh";
  const adj::KernelSources& sources = adj::kernel_sources();
  const auto own = sources.find(program.source());
  const auto asks = [&](const adj::EmbeddedFile& file) {
    return file.name != kDefinition && std::string_view(file.text).find(macro) != std::string_view::npos;
  };
  return own && (asks(**own) || std::any_of((*own)->includes.begin(), (*own)->includes.end(), [&](std::uint16_t row) { return asks(sources.files[row]); }));
}

}  // namespace

int main(int argc, char** argv) {
  unsigned jobs_at_once = std::thread::hardware_concurrency();
  std::string wanted, tier_file, figures_file, pack_file;
  std::vector<std::string> archs{"sm_80", "sm_86", "sm_90a", "sm_100", "sm_110", "sm_120"};
  bool one_each = false;
  CLI::App app("Compiles programs without a GPU");
  app.add_option("--jobs", jobs_at_once, "compilations at once")->check(CLI::PositiveNumber);
  app.add_option(
      "--tier", tier_file,
      "only what this file, written by tests/tier.py, asks for; of a sample, sm_90a and a quarter for sm_80 and for sm_100; for sm_86, "
      "sm_110 and sm_120, whose code is much like theirs, one SKU of each algorithm where everything is asked for, of a sample those with launch bounds of "
      "their own");
  app.add_flag("--one-each", one_each, "one SKU of every algorithm, without limits of time and local memory: what another version of NVRTC is tried with");
  app.add_option("--arch", archs, "only these of sm_80, sm_86, sm_90a, sm_100, sm_110 and sm_120")->check(CLI::IsMember(archs));
  app.add_option("--figures", figures_file, "write to this file, without limits, of each program: name, architecture, registers, bytes of local memory, ms");
  app.add_option("--pack", pack_file, "write the kernels to this pack");
  app.add_option("program", wanted, "glob of program names, \"softmax/row.cu*sm_90a\", whose figures are then listed");
  CLI11_PARSE(app, argc, argv);
  const bool limited = !one_each && figures_file.empty();
  ::setenv("CUDA_CACHE_DISABLE", "1", 1);  // NVRTC's own cache would hide the time of a compilation
  if (auto library = adj::nvrtc(); !library) {
    fmt::print("skipped: {}\n", library.error().message);
    return 77;
  }
  if (losses_in("ptxas info : (C7510) Potential Performance Loss; (C7519)") != "C7510 C7519" || !losses_in("(C7507) (C7520)").empty() ||
      losses_in("Value of threads per SM for entry k is out of range. .minnctapersm will be ignored") != "minnctapersm") {
    fmt::print("FAILED remarks of ptxas are not recognised\n");
    return 1;
  }
  adj::set_log(keep_remarks, nullptr);
  struct Job {
    const adj::Program* program;
    int cc;
  };
  std::vector<Job> jobs;
  const Tier tier = one_each ? Tier::one_of_each_algorithm() : tier_file.empty() ? Tier() : Tier(tier_file);
  auto take = [&](const adj::Program* program, int cc) {
    if (wanted.empty() || adj::glob_match(wanted, program->name() + " " + adj::arch_name(cc))) jobs.push_back({program, cc});
  };
  int place = 0;
  for (int cc : {80, 86, 90, 100, 110, 120}) {
    if (std::find(archs.begin(), archs.end(), adj::arch_name(cc)) == archs.end()) continue;
    // Their multiprocessors have 1536 threads. A sample leaves one of the three out, by turns.
    const bool much_as_another = (cc == 86 || cc == 110 || cc == 120) && wanted.empty();
    if (much_as_another && tier.is_sample() && !one_each && static_cast<std::size_t>(place++) == tier.turn() % 3) continue;
    if (much_as_another && tier.takes_everything()) {
      for (const adj::Program* program : Tier::one_of_each_algorithm().programs(cc)) take(program, cc);
      continue;
    }
    std::size_t number = tier.turn();
    for (const adj::Program* program : tier.programs(cc)) {
      const bool in_turn = cc == 90 || (++number % 4 == 0 ? 80 : number % 4 == 2 ? 100 : 0) == cc;
      const bool asks = much_as_another ? asks_for(*program, "ADJ_BOUNDS_ARCH") : asks_for(*program, "ADJ_ARCH");
      if (in_turn || !tier.is_sample() || asks) take(program, cc);
    }
  }

  double limit = kMostMs;
  {
    const adj::Program yardstick("optimizer/advance.cu", "advance", std::vector<std::string>());
    double best = 1e9;
    for (int attempt = 0; attempt < 5; ++attempt) {
      const double start = thread_ms();
      if (!yardstick.compile(90)) break;
      best = std::min(best, thread_ms() - start);
    }
    if (best < 1e9) limit *= std::max(1.0, best / kYardstickMs);
  }

  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  int failures = 0;
  std::vector<double> times;
  struct Slow {
    Job job;
    double ms;
  };
  std::vector<Slow> slow;
  struct Extremes {
    int fewest_registers, most_registers;
    double slowest_ms;
  };
  std::map<std::string, Extremes> table;  // by source and entry
  std::uint64_t bytes = 0;
  std::string figures;
  std::vector<adj::PackEntry> kernels;
  auto worker = [&] {
    for (std::size_t i; (i = next++) < jobs.size();) {
      const Job& job = jobs[i];
      const auto [program, cc] = job;
      const double start = thread_ms();
      remarks.clear();
      auto image = program->compile(cc);
      const double ms = thread_ms() - start;
      std::lock_guard lock(mutex);
      auto problem = [&](const std::string& what) {
        ++failures;
        fmt::print("FAILED {} for {}: {}\n", program->name(), adj::arch_name(cc), what);
      };
      if (!image) {
        problem(image.error().message + "\n" + image.error().log);
        continue;
      }
      times.push_back(ms);
      if (const std::string losses = losses_in(remarks); limited && !losses.empty()) problem(fmt::format("ptxas says {}: {}", losses, remarks));
      if (image->ptx && !limited) {  // a version older than the architecture leaves the machine code to the driver
        figures += fmt::format("{}\t{}\tPTX\n", program->name(), adj::arch_name(cc));
        continue;
      }
      if (limited && ms > limit * allowance(*program)) slow.push_back({job, ms});
      bytes += image->bytes.size();
      const auto code = adj::read_cubin(image->bytes);
      if (!code) {
        problem(code.error().message);
        continue;
      }
      if (code->kernels.size() != 1 || code->kernels[0].name != program->entry() || code->kernels[0].parameters.size() != 1 || code->cc != cc) {
        problem(fmt::format("{} kernels for sm_{}, expected the one entry {} with one parameter", code->kernels.size(), code->cc, program->entry()));
        continue;
      }
      const auto resources = adj::read_resources(image->bytes, program->entry());
      if (!resources) {
        problem(resources.error().message);
        continue;
      }
      const adj::KernelResources& r = *resources;
      if (times.size() == 1 && !survives_truncation(image->bytes, program->entry())) problem("a truncated cubin is taken for a whole one");
      if (limited && static_cast<int>(r.local_bytes) > declared_local_bytes(*program, cc)) problem(fmt::format("{} bytes of local memory", r.local_bytes));
      if (!wanted.empty())
        fmt::print("{} {}: {} registers, {} bytes local, {} bytes shared, {} instructions, {:.0f} ms\n", program->name(), adj::arch_name(cc), r.registers,
                   r.local_bytes, r.static_shared_bytes, r.code_bytes / 16, ms);
      if (!pack_file.empty()) kernels.push_back({program->key(cc, adj::kernel_sources().files), *image});
      figures += fmt::format("{}\t{}\t{}\t{}\t{:.0f}\n", program->name(), adj::arch_name(cc), r.registers, r.local_bytes, ms);
      auto [it, fresh] = table.try_emplace(program->source() + ":" + program->entry(), Extremes{r.registers, r.registers, ms});
      it->second = {std::min(it->second.fewest_registers, r.registers), std::max(it->second.most_registers, r.registers), std::max(it->second.slowest_ms, ms)};
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < jobs_at_once; ++i) threads.emplace_back(worker);
  worker();
  for (std::thread& thread : threads) thread.join();

  // Slow programs once more, alone: two compilations at a time slow each other down.
  for (Slow& s : slow) {
    for (int attempt = 0; attempt < 5 && s.ms > limit * allowance(*s.job.program); ++attempt) {
      const double start = thread_ms();
      if (!s.job.program->compile(s.job.cc)) break;
      s.ms = std::min(s.ms, thread_ms() - start);
    }
    const double most = limit * allowance(*s.job.program);
    if (s.ms <= most) continue;
    ++failures;
    fmt::print("FAILED {} for {}: takes {:.0f} ms to compile, at most {:.0f} are allowed\n", s.job.program->name(), adj::arch_name(s.job.cc), s.ms, most);
  }

  if (!pack_file.empty()) {
    const auto& library = *adj::nvrtc();
    std::ofstream(pack_file, std::ios::binary) << adj::serialise_pack(std::move(kernels), fmt::format("{}.{}", library->major, library->minor));
  }
  if (!figures_file.empty()) std::ofstream(figures_file) << figures;
  std::sort(times.begin(), times.end());
  for (const auto& [name, x] : table)
    fmt::print("{:<66} {:3} to {:3} registers, at most {:4.0f} ms\n", name, x.fewest_registers, x.most_registers, x.slowest_ms);
  if (!times.empty())
    fmt::print("{} compilations, {:.1f} MB, {:.0f} ms of processor time median, {:.0f} ms slowest, {:.0f} ms allowed\n", times.size(),
               static_cast<double>(bytes) / 1e6, times[times.size() / 2], times.back(), limit);
  if (times.empty()) ++failures;
  return failures ? 1 : 0;
}
