// ADJOINT_LOG: the lines that are written, their destination, and NVTX ranges. Each case is a process of its own, since the environment is read
// once.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "child.hpp"
#include "machine.hpp"

using namespace faults;

namespace {

const std::string kEmbedding = "embedding_backward num_embeddings=1000 embedding_dim=8 num_indices=64 scale_grad_by_freq=1 element=f32 index=i64";
const std::string kSgd = "sgd numel=900x3 param=f32";

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Directory {
 public:
  Directory() { REQUIRE(::mkdtemp(path_)); }
  ~Directory() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return std::string(path_) + "/" + name; }

 private:
  char path_[32] = "/tmp/adjoint-trace-XXXXXX";
};

// Runs body in a process with these variables, whose standard error goes to a file.
std::string with(const std::vector<std::pair<const char*, std::string>>& variables, const std::string& errors, const std::function<std::string()>& body) {
  return in_child([&]() -> std::string {
    for (const auto& [name, value] : variables) ::setenv(name, value.c_str(), 1);
    const int fd = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || ::dup2(fd, 2) < 0) return "standard error";
    return body();
  });
}

// Pattern of a line, with the number of lines that must match it.
struct Pattern {
  const char* what;
  std::regex regex;
  int wanted, found = 0;
};
std::string match(const std::vector<std::string>& lines, std::vector<Pattern> patterns) {
  for (const std::string& line : lines) {
    bool known = false;
    for (Pattern& p : patterns)
      if (std::regex_match(line, p.regex)) ++p.found, known = true;
    if (!known) return "an unexpected line: " + line;
  }
  for (const Pattern& p : patterns)
    if (p.found != p.wanted) return std::string(p.what) + ": " + std::to_string(p.found) + " lines, expected " + std::to_string(p.wanted);
  return {};
}
std::regex regex(const std::string& text) { return std::regex(text); }
const std::string kTime = "time=[0-9]+\\.[0-9]+ms";
std::string escaped(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (std::string_view("*$'.\\/").find(text[i]) != std::string_view::npos) text.insert(i++, "\\");
  return text;
}

}  // namespace

TEST_CASE("a trace") {
  prepare();
  const Directory directory;
  const std::string errors = directory.file("errors"), file = directory.file("log");
  Tally tally("trace");

  tally.add("nothing asked for", with({}, errors, [] { return whole_program(); }));
  CHECK(lines_of(errors).empty());

  tally.add("every event, into a file", with({{"ADJOINT_LOG", "select,compile, run"}, {"ADJOINT_LOG_FILE", file}}, errors, [&]() -> std::string {
    // Twice, without the stage that builds packs: its lines are not part of the trace.
              for (int i = 0; i < 2; ++i) {
                Program program;
                for (const Program::Stage& stage : Program::stages())
                  if (std::string_view(stage.name) != "pack build")
                    if (const Outcome o = (program.*stage.run)(); o.code) return o.message;
              }
              const std::string embedding = "sku=embedding_backward/grouped/f32\\.i64/sm80 on=device:0", sgd = "sku=sgd/[^ ]+ on=device:0";
              const std::string steps = " stream=0x[0-9a-f]+ launches=[0-9]+";
              const std::vector<std::string> lines = lines_of(file);
              int compiles = 0;
              for (const std::string& line : lines) compiles += line.starts_with("adjoint: compile ");
              if (compiles < 3) return "compiled " + std::to_string(compiles) + " kernels";
              return match(
                  lines,
                  {{"compile", regex("adjoint: compile " + kTime + " from=compiled bytes=[0-9]+ arch=sm_90a -- [a-z_0-9/]+\\.cu:[a-z_0-9]+ .*"), compiles},
                   {"select of the first",
                    regex("adjoint: select " + kTime + " " + embedding + " compiled=[0-9]+ -- " + kEmbedding + " --sku " + escaped("$'*/grouped/*'")), 1},
                   {"select once more",
                    regex("adjoint: select " + kTime + " " + embedding + " memory=[0-9]+ -- " + kEmbedding + " --sku " + escaped("$'*/grouped/*'")), 1},
                   {"select of lists", regex("adjoint: select " + kTime + " " + sgd + " (compiled|memory)=[0-9]+ -- " + kSgd + " --sku " + escaped("$'*'")), 2},
                   {"run", regex("adjoint: run " + kTime + " " + embedding + steps + " -- " + kEmbedding), 2},
                   {"run of lists", regex("adjoint: run " + kTime + " " + sgd + steps + " -- " + kSgd), 2},
                   {"bound run", regex("adjoint: run " + kTime + " " + embedding + steps + " bound=1 -- " + kEmbedding), 2},
                   {"bound run of lists", regex("adjoint: run " + kTime + " " + sgd + steps + " bound=1 -- " + kSgd), 2}});
            }));
  CHECK(lines_of(errors).empty());

  tally.add(
      "failures", with({{"ADJOINT_LOG", "all"}}, errors, [&]() -> std::string {
        adj_embedding_forward_descriptor d;
        d.num_embeddings = 2, d.embedding_dim = 1, d.num_indices = 2, d.element = ADJ_F32, d.index = ADJ_I64;
        adj_stream host = adj_stream_host();
        adj_preference preference;
        preference.sku = "no/such";
        preference.determinism = ADJ_SHAPE_ONLY;
        preference.workspace_limit = 7;
        adj_plan* plan = nullptr;
        if (adj_plan_select(&host, &d.header, &preference, &plan, nullptr) != ADJ_ERROR_UNSUPPORTED) return "no refusal";
        if (adj_plan_select(&host, &d.header, nullptr, &plan, nullptr)) return adj_last_error();
        adj_embedding_forward_args args;
        if (adj_plan_run(plan, &host, nullptr, &args.header) != ADJ_ERROR_NULL_BUFFER) return "no refusal of a run";
        adj_plan_release(plan);
        const std::string words = "embedding_forward num_embeddings=2 embedding_dim=1 num_indices=2 element=f32 index=i64";
        return match(
            lines_of(errors),
            {{"select that fails",
              regex("adjoint: select " + kTime + " error=unsupported on=host -- " + words + " --determinism shape_only --workspace-limit 7 --sku no/such"), 1},
             {"select", regex("adjoint: select " + kTime + " sku=embedding_forward/reference/f32\\.i64/host on=host -- " + words), 1},
             {"run that fails", regex("adjoint: run " + kTime + " sku=.* on=host error=null_buffer -- " + words), 1}});
      }));
  std::filesystem::remove(errors);

  const std::string open_to_all = directory.file("cache");
  REQUIRE(::mkdir(open_to_all.c_str(), 0700) == 0);
  REQUIRE(::chmod(open_to_all.c_str(), 0777) == 0);
  for (const char* words : {"warning", "all", "select", ""}) {
    std::filesystem::remove(errors);
    tally.add(std::string("warnings, ADJOINT_LOG=") + words,
              with({{"ADJOINT_LOG", words}, {"ADJOINT_PACK", "/no/such.pack"}, {"ADJOINT_CACHE_DIR", open_to_all}, {"ADJOINT_CACHE_LIMIT_MB", "few"}}, errors,
                   [&]() -> std::string {
                     if (std::string problem = whole_program(); !problem.empty()) return problem;
                     std::vector<std::string> lines = lines_of(errors);
                     std::erase_if(lines, [](const std::string& line) { return !line.starts_with("adjoint: warning:"); });
                     const int each = std::strcmp(words, "warning") == 0 || std::strcmp(words, "all") == 0;
                     return match(lines,
                                  {{"pack", regex("adjoint: warning: ADJOINT_PACK: cannot open '/no/such\\.pack': No such file or directory"), each},
                                   {"directory", regex("adjoint: warning: disk cache off: '.*/cache' is writable by others"), each},
                                   {"limit", regex("adjoint: warning: ADJOINT_CACHE_LIMIT_MB = 'few' is not a number of megabytes; 256 is used"), each}});
                   }));
  }
  std::filesystem::remove(errors);

  tally.add("words that mean nothing, a file that cannot be opened",
            with({{"ADJOINT_LOG", "selects,run"}, {"ADJOINT_LOG_FILE", directory.file("no/such")}}, errors, [&]() -> std::string {
              if (std::string problem = host_program(); !problem.empty()) return problem;
              return match(
                  lines_of(errors),
                  {{"the file",
                    regex("adjoint: ADJOINT_LOG_FILE = '.*/no/such' cannot be opened \\(No such file or directory\\); the log goes to standard error"), 1},
                   {"the word", regex("adjoint: ADJOINT_LOG: 'selects' is not one of select, compile, run, warning, all, nvtx"), 1},
                   {"the rest", regex("adjoint: run .*"), 1}});
            }));
  std::filesystem::remove(errors);

  tally.add("ranges without NVTX", with({{"ADJOINT_LOG", "nvtx"}, {"ADJOINT_LIBNVTX", ""}}, errors, [&]() -> std::string {
              for (int i = 0; i < 2; ++i)
                if (std::string problem = whole_program(); !problem.empty()) return problem;
              return match(lines_of(errors),
                           {{"it is said once", regex("adjoint: ADJOINT_LOG: no NVTX ranges: libnvToolsExt\\.so\\.1 cannot be loaded .*"), 1}});
            }));
  std::filesystem::remove(errors);

  tally.add("ranges", with({{"ADJOINT_LOG", "nvtx"}}, errors, [&]() -> std::string {
              void* nvtx = ::dlopen(std::getenv("ADJOINT_LIBNVTX"), RTLD_NOW | RTLD_LOCAL);
              if (!nvtx) return ::dlerror();
              Program program;
              for (const Program::Stage& stage : Program::stages())
                if (const Outcome o = (program.*stage.run)(); o.code) return o.message;
              const std::string names = reinterpret_cast<const char* (*)()>(::dlsym(nvtx, "fake_nvtx_names"))();
              if (reinterpret_cast<int (*)()>(::dlsym(nvtx, "fake_nvtx_depth"))() != 0) return "a range stays open";
              for (const char* name : {"adjoint select\n", "embedding_backward/grouped/f32.i64/sm80\n", ".cu:"})
                if (names.find(name) == std::string::npos) return std::string("no range ") + name + " in " + names;
              return match(lines_of(errors), {});
            }));

  std::filesystem::remove(file);
  tally.add("many threads", with({{"ADJOINT_LOG", "run"}, {"ADJOINT_LOG_FILE", file}}, errors, [&]() -> std::string {
              constexpr int kThreads = 8, kRounds = 50;
              std::vector<std::thread> threads;
              for (int t = 0; t < kThreads; ++t)
                threads.emplace_back([] {
                  for (int i = 0; i < kRounds; ++i)
                    if (!host_program().empty()) std::abort();
                });
              for (std::thread& thread : threads) thread.join();
              return match(lines_of(file), {{"whole lines",
                                             regex("adjoint: run " + kTime +
                                                   " sku=embedding_forward/reference/f32\\.i32/host on=host -- embedding_forward num_embeddings=2 "
                                                   "embedding_dim=1 num_indices=2 element=f32 index=i32"),
                                             kThreads * kRounds}});
            }));
}
