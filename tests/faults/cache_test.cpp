// The disk cache on a file system that fails: every call of it fails or kills the process, at every time; the disk is full after every number
// of bytes; processes start together or die half way. The cache may lose entries, but select never fails because of it, and an entry that is
// read is what was compiled.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/text.hpp"
#include "child.hpp"
#include "jit/cache.hpp"
#include "machine.hpp"

namespace fs = std::filesystem;
using namespace faults;

namespace {

// A function of the C library; the linker sends its calls here first (--wrap).
struct Watched {
  const char* name;
  int error;                       // errno when it fails
  std::atomic<int> calls{0}, countdown{0};
};
Watched watched[] = {{"open64", ENFILE}, {"read", EIO}, {"write", ENOSPC}, {"fsync", EIO}, {"close", EIO}, {"rename", EACCES}, {"flock", ENOLCK}};
std::atomic<bool> watching{false};   // true while the library runs: only its calls count
std::atomic<bool> deadly{false};     // true: the call ends the process instead of failing
std::atomic<long> disk_left{-1};     // bytes that can still be written; negative: any number

Watched& function(const char* name) {
  for (Watched& w : watched)
    if (std::strcmp(w.name, name) == 0) return w;
  std::abort();
}

bool fails(const char* name) {
  if (!watching) return false;
  Watched& w = function(name);
  ++w.calls;
  if (w.countdown == 0 || --w.countdown != 0) return false;
  if (deadly) ::kill(::getpid(), SIGKILL);
  errno = w.error;
  return true;
}

}  // namespace

extern "C" {
int __real_open64(const char* path, int flags, ...);
int __wrap_open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails("open64") ? -1 : __real_open64(path, flags, mode);
}
ssize_t __real_read(int fd, void* bytes, size_t count);
ssize_t __wrap_read(int fd, void* bytes, size_t count) { return fails("read") ? -1 : __real_read(fd, bytes, count); }
ssize_t __real_write(int fd, const void* bytes, size_t count);
ssize_t __wrap_write(int fd, const void* bytes, size_t count) {
  if (fails("write")) return -1;
  if (!watching || disk_left < 0) return __real_write(fd, bytes, count);
  if (disk_left == 0) {
    errno = ENOSPC;
    return -1;
  }
  const ssize_t n = __real_write(fd, bytes, std::min(count, static_cast<size_t>(disk_left)));
  if (n > 0) disk_left -= n;
  return n;
}
int __real_fsync(int fd);
int __wrap_fsync(int fd) { return fails("fsync") ? -1 : __real_fsync(fd); }
int __real_close(int fd);
int __wrap_close(int fd) {
  const bool failing = fails("close");
  const int result = __real_close(fd);  // as on Linux, the descriptor is gone either way
  if (failing) errno = EIO;
  return failing ? -1 : result;
}
int __real_rename(const char* from, const char* to);
int __wrap_rename(const char* from, const char* to) { return fails("rename") ? -1 : __real_rename(from, to); }
int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation) { return fails("flock") ? -1 : __real_flock(fd, operation); }
}

namespace {

struct TemporaryDirectory {
  fs::path path;
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "adjoint-faults-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::permissions(path, fs::perms::owner_all, ignored);
    fs::remove_all(path, ignored);
  }
  std::string cache() const { return (path / "cache").string(); }
  std::string log() const { return (path / "compiles").string(); }
};

// Compilations that all processes have made with a directory.
std::vector<std::string> compiles(const TemporaryDirectory& tmp) {
  std::ifstream file(tmp.log());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

int count_files(const TemporaryDirectory& tmp, std::string_view part) {
  int count = 0;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(tmp.cache(), ec)) count += entry.path().filename().string().find(part) != std::string::npos;
  return count;
}

// Uses the verbs up to run, in a process with this cache directory.
std::string use(const TemporaryDirectory& tmp) {
  ::setenv("ADJOINT_CACHE_DIR", tmp.cache().c_str(), 1);
  ::setenv("FAKE_NVRTC_LOG", tmp.log().c_str(), 1);
  Program program;
  for (const Program::Stage& stage : Program::stages()) {
    if (std::strcmp(stage.name, "bind") == 0) return {};
    if (const Outcome o = (program.*stage.run)(); o.code) return std::string(stage.name) + ": " + adj_status_name(o.code) + ": " + o.message;
  }
  return "no bind";
}
std::string use_while_watched(const TemporaryDirectory& tmp) {
  watching = true;
  std::string problem = use(tmp);
  watching = false;
  return problem;
}

// Checks after any accident: a new process works, and then the cache has everything, undamaged.
std::string recovers(const TemporaryDirectory& tmp) {
  if (std::string problem = in_child([&] { return use(tmp); }, Fork::repeated); !problem.empty()) return "afterwards: " + problem;
  const std::size_t before = compiles(tmp).size();
  return in_child(
      [&]() -> std::string {
        if (std::string problem = use(tmp); !problem.empty()) return "warm: " + problem;
        if (compiles(tmp).size() != before) return "warm: something was compiled again";
        adj_cache_info info;
        if (adj_cache_verify(&info)) return adj_last_error();
        return info.damaged ? "damaged entries" : info.entries ? "" : "no entries";
      },
      Fork::repeated);
}

constexpr int kKernels = 8;  // kernels that use() compiles

}  // namespace

TEST_CASE("every call of the file system fails, or the process dies in it") {
  prepare();
  for (bool dies : {false, true}) {
    Tally tally(dies ? "process killed in a file system call" : "file system call fails");
    for (bool warm : {false, true})
      for (Watched& w : watched) {
        // A process that is killed searches for no leak and counts no line: where cases are slow, every third call is enough.
        for (int n = 1;; n += dies && kSlowCases ? 3 : 1) {
          TemporaryDirectory tmp;
          if (warm) REQUIRE(in_child([&] { return use(tmp); }, Fork::repeated).empty());
          bool reached = true;
          std::string problem = in_child([&]() -> std::string {
            deadly = dies;
            w.countdown = n;
            std::string p = use_while_watched(tmp);
            if (w.countdown > 0) return "not reached";
            return p;
          });
          if (problem == "not reached") reached = false;
          if (!reached) break;
          if (dies && problem.starts_with("killed by signal")) problem.clear();
          if (problem.empty() && !dies && count_files(tmp, ".tmp.")) problem = "a temporary file is left";
          if (problem.empty()) problem = recovers(tmp);
          tally.add(std::string(w.name) + " call " + std::to_string(n) + (warm ? ", warm" : ", cold"), problem);
        }
      }
  }
}

TEST_CASE("what a killed process left is removed once it is old") {
  prepare();
  TemporaryDirectory tmp;
  REQUIRE(in_child([&] {
            deadly = true;
            function("rename").countdown = 1;
            return use_while_watched(tmp);
          }).starts_with("killed"));
  const int left = count_files(tmp, ".tmp.");
  REQUIRE(left >= 1);  // programs are compiled side by side
  REQUIRE(in_child([&] { return use(tmp); }).empty());
  CHECK(count_files(tmp, ".tmp.") == left);  // they might still be written
  for (const auto& entry : fs::directory_iterator(tmp.cache()))
    if (entry.path().string().find(".tmp.") != std::string::npos) fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  const adj::DiskCache cache(tmp.cache(), 1 << 20, false);
  cache.put(adj::sha256_hex("another program"), {"code", false});
  CHECK(count_files(tmp, ".tmp.") == 0);
  CHECK(cache.stat(true).entries == kKernels + 1);
}

TEST_CASE("the disk is full after any number of bytes") {
  prepare();
  Tally tally("disk full");
  const adj::Image image{"machine code", false};
  const std::string key = adj::sha256_hex("a program");
  TemporaryDirectory tmp;
  const adj::DiskCache cache(tmp.cache(), 1 << 20, false);
  for (long bytes = 0;; ++bytes) {
    disk_left = bytes;
    watching = true;
    cache.put(key, image);
    watching = false;
    disk_left = -1;
    const auto found = cache.get(key);
    if (found) {
      tally.add("enough", found->bytes == image.bytes ? "" : "other bytes");
      break;
    }
    tally.add(std::to_string(bytes) + " bytes", count_files(tmp, ".tmp.") || count_files(tmp, ".cubin") ? "something is left" : "");
  }
  tally.add("while selecting", in_child([&] {
              disk_left = 20;
              return use_while_watched(tmp);
            }));
  tally.add("a limit on file sizes", in_child([&]() -> std::string {
              ::signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{20, 20};
              if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return std::strerror(errno);
              ::setenv("ADJOINT_CACHE_DIR", tmp.cache().c_str(), 1);
              return whole_program().find("pack build: io_error") != std::string::npos ? "" : "the pack was written";
            }));
  tally.add("recovers", recovers(tmp));
}

TEST_CASE("building a pack reports every failing call and leaves nothing behind") {
  prepare();
  Tally tally("pack file");
  TemporaryDirectory tmp;
  const std::string file = (tmp.path / "kernels.pack").string();
  auto build = [&] {
    adj_pack_options options;
    options.archs = "sm_90a";
    options.skus = "embedding_forward/*/f32.i64/*";
    return adj_pack_build(file.c_str(), &options, nullptr);
  };
  for (const char* name : {"open64", "write", "fsync", "close", "rename"})
    tally.add(name, in_child([&]() -> std::string {
                function(name).countdown = 1;
                watching = true;
                const adj_status code = build();
                watching = false;
                if (code != ADJ_ERROR_IO || !std::strstr(adj_last_error(), file.c_str())) return std::string(adj_status_name(code)) + ": " + adj_last_error();
                if (!fs::is_empty(tmp.path)) return "a file is left";
                if (build() || adj_pack_load(file.c_str())) return adj_last_error();
                fs::remove(file);
                return {};
              }));
}

TEST_CASE("eight processes start cold at once: each kernel is compiled once") {
  prepare();
  Tally tally("processes starting together");
  for (int round = 0; round < 3; ++round) {
    TemporaryDirectory tmp;
    int gate[2];
    REQUIRE(::pipe(gate) == 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
      const pid_t child = ::fork();
      REQUIRE(child >= 0);
      if (child == 0) {
        ::close(gate[1]);
        char byte;
        if (::read(gate[0], &byte, 1) != 0) ::_exit(2);  // waits until the parent closes its end
        fakes().nvrtc.compile_ms = 20;
        ::_exit(use(tmp).empty() ? 0 : 1);
      }
      children.push_back(child);
    }
    ::close(gate[0]);
    ::close(gate[1]);
    std::string problem;
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      if (status != 0) problem = "a process failed";
    }
    const auto lines = compiles(tmp);
    if (problem.empty() && (lines.size() != kKernels || std::set<std::string>(lines.begin(), lines.end()).size() != kKernels))
      problem = std::to_string(lines.size()) + " compiles of " + std::to_string(kKernels) + " kernels";
    tally.add("round " + std::to_string(round), problem);
  }
}

TEST_CASE("what the directory has needs no NVRTC") {
  prepare();
  Tally tally("cache without NVRTC");
  TemporaryDirectory tmp;
  tally.add("cold", in_child([&] { return use(tmp); }));
  tally.add("warm", in_child([&] {
              fakes();
              ::setenv("ADJOINT_LIBNVRTC", "/nonexistent/library.so", 1);
              return use(tmp);
            }));
}

TEST_CASE("a process that stops while it compiles holds up no other for long") {
  prepare();
  Tally tally("stopped process");
  TemporaryDirectory tmp;
  tally.add("cold", in_child([&] { return use(tmp); }));
  const std::size_t cold = compiles(tmp).size();
  fs::path entry;
  for (const auto& file : fs::directory_iterator(tmp.cache()))
    if (file.path().extension() == ".cubin") entry = file.path();
  fs::remove(entry);
  const int fd = ::open(entry.replace_extension(".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  REQUIRE(::flock(fd, LOCK_EX) == 0);
  tally.add("locked", in_child([&] { return use(tmp); }));
  ::close(fd);
  tally.add("compiles", compiles(tmp).size() == cold + 1 ? "" : std::to_string(compiles(tmp).size()));
}

TEST_CASE("two versions of NVRTC share a directory and each other's kernels") {
  prepare();
  Tally tally("two versions");
  TemporaryDirectory tmp;
  for (int i = 0; i < 4; ++i)
    tally.add("process " + std::to_string(i), in_child([&] {
                fakes().nvrtc.major = i % 2 ? 12 : 13;
                return use(tmp);
              }));
  tally.add("compiles", compiles(tmp).size() == kKernels ? "" : std::to_string(compiles(tmp).size()));
}

TEST_CASE("an image is stored once it has loaded, and leaves when it does not load") {
  prepare();
  Tally tally("refused images");
  auto machine = [&](int driver, int nvrtc) {
    fakes().driver.version = driver;
    fakes().nvrtc.major = nvrtc, fakes().nvrtc.minor = 9;
  };
  auto compiled = [](const TemporaryDirectory& tmp, std::size_t expected) {
    return compiles(tmp).size() == expected ? std::string() : "compiled " + std::to_string(compiles(tmp).size()) + " times";
  };
  {
    TemporaryDirectory tmp;
    tally.add("not stored", in_child([&]() -> std::string {
                machine(12040, 13);
                if (const std::string problem = use(tmp); problem.find("does not load") == std::string::npos) return "used: " + problem;
                return count_files(tmp, ".cubin") ? "stored" : count_files(tmp, ".lock") ? "a lock is left" : "";
              }));
  }
  {
    TemporaryDirectory tmp;
    tally.add("a newer driver and compiler", in_child([&] { return machine(13000, 13), use(tmp); }));
    tally.add("then older ones", in_child([&]() -> std::string {
                machine(12040, 12);
                if (std::string problem = use(tmp); !problem.empty()) return problem;
                return fakes().driver.refused ? "an image of the newer compiler was tried" : compiled(tmp, 2 * kKernels);
              }));
    for (const int driver : {13000, 12040})
      tally.add("then each finds its own", in_child([&]() -> std::string {
                  machine(driver, driver / 1000);
                  if (std::string problem = use(tmp); !problem.empty()) return problem;
                  return compiled(tmp, 2 * kKernels);
                }));
  }
  for (const bool read_only : {false, true}) {
    TemporaryDirectory tmp;
    REQUIRE(in_child([&] { return use(tmp); }).empty());
    {
      const adj::DiskCache cache(tmp.cache(), 1 << 20, false);
      std::vector<std::string> keys;
      for (const auto& entry : fs::directory_iterator(tmp.cache())) keys.push_back(entry.path().stem().string());
      for (const std::string& key : keys) cache.put(key, {"what no driver loads", false, "13.0"});
    }
    for (std::size_t n = 1; n <= 2; ++n)
      tally.add(std::string("refused, then compiled") + (read_only ? ", read-only" : "") + ", process " + std::to_string(n), in_child([&]() -> std::string {
                  if (read_only) ::setenv("ADJOINT_CACHE_READ_ONLY", "1", 1);
                  static std::atomic<int> warnings{0};
                  adj_set_log([](void*, std::int32_t level, const char* message) { warnings += level && std::strstr(message, "is passed over"); }, nullptr);
                  if (std::string problem = use(tmp); !problem.empty()) return problem;
                  const bool refuses = n == 1 || read_only;
                  if (warnings != (refuses ? kKernels : 0)) return std::to_string(warnings) + " warnings";
                  return compiled(tmp, kKernels * (read_only ? n + 1 : 2));
                }));
    tally.add("cached only", in_child([&]() -> std::string {
                const adj::DiskCache cache(tmp.cache(), 1 << 20, false);
                std::vector<std::string> keys;
                for (const auto& entry : fs::directory_iterator(tmp.cache())) keys.push_back(entry.path().stem().string());
                for (const std::string& key : keys) cache.put(key, {"what no driver loads", false, "13.0"});
                ::setenv("ADJOINT_CACHE_DIR", tmp.cache().c_str(), 1);
                adj_stream stream;
                if (adj_stream_wrap(fakes().stream(), &stream)) return adj_last_error();
                adj_embedding_backward_descriptor d;
                d.num_embeddings = 1000, d.embedding_dim = 8, d.num_indices = 64, d.element = ADJ_F32, d.index = ADJ_I64;
                d.scale_grad_by_freq = 1;
                adj_preference preference;
                preference.sku = "*/grouped/*", preference.jit = ADJ_JIT_CACHED_ONLY;
                adj_plan* plan = nullptr;
                if (adj_plan_select(&stream, &d.header, &preference, &plan, nullptr) != ADJ_ERROR_CUDA) return "selected";
                return std::strstr(adj_last_error(), "does not load") ? "" : adj_last_error();
              }));
  }
}

TEST_CASE("damaged and foreign entries are compiled again") {
  prepare();
  Tally tally("damaged entries");
  struct Damage {
    const char* name;
    void (*spoil)(const fs::path&);
  };
  const Damage damages[] = {{"a flipped bit",
                             [](const fs::path& p) {
                               std::fstream f(p, std::ios::in | std::ios::out | std::ios::binary);
                               f.seekp(3).put('#');
                             }},
                            {"cut in half", [](const fs::path& p) { fs::resize_file(p, fs::file_size(p) / 2); }},
                            {"empty", [](const fs::path& p) { fs::resize_file(p, 0); }},
                            {"a terabyte of nothing",
                             [](const fs::path& p) {
                               std::error_code too_large;  // for some file systems
                               fs::resize_file(p, std::uintmax_t{1} << 40, too_large);
                               if (too_large) fs::resize_file(p, 0);
                             }},
                            {"a pipe", [](const fs::path& p) { fs::remove(p), ::mkfifo(p.c_str(), 0600); }},
                            {"a link to nowhere", [](const fs::path& p) { fs::remove(p), fs::create_symlink("/nonexistent/file", p); }},
                            {"a link to itself", [](const fs::path& p) { fs::remove(p), fs::create_symlink(p, p); }}};
  for (const Damage& damage : damages) {
    TemporaryDirectory tmp;
    REQUIRE(in_child([&] { return use(tmp); }).empty());
    std::vector<fs::path> entries;
    for (const auto& entry : fs::directory_iterator(tmp.cache()))
      if (entry.path().extension() == ".cubin") entries.push_back(entry.path());
    for (const fs::path& entry : entries) {
      damage.spoil(entry);
      std::error_code no_target;  // of a link
      fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(1), no_target);  // older than new entries
    }
    std::string problem = recovers(tmp);
    if (problem.empty() && (entries.size() != kKernels || compiles(tmp).size() != 2 * kKernels)) problem = "compiled " + std::to_string(compiles(tmp).size());
    tally.add(damage.name, problem);
  }
  TemporaryDirectory tmp;
  REQUIRE(in_child([&] { return use(tmp); }).empty());
  for (const auto& entry : fs::directory_iterator(tmp.cache()))
    if (entry.path().extension() == ".cubin") fs::remove(entry.path()), fs::create_directory(entry.path());
  tally.add("a directory", in_child([&] { return use(tmp); }));
}

TEST_CASE("directories that are not ours to write") {
  prepare();
  Tally tally("foreign directories");
  const bool root = ::geteuid() == 0;
  auto stat = []() -> std::string {
    static adj_cache_info info;
    return adj_cache_stat(&info) ? adj_last_error() : info.problem;
  };
  tally.add("of another user", in_child([&]() -> std::string {
              TemporaryDirectory tmp;
              ::setenv("ADJOINT_CACHE_DIR", root ? tmp.path.c_str() : "/", 1);
              return as_nobody([&]() -> std::string {
                if (std::string problem = whole_program(); !problem.empty()) return problem;
                return stat().find("belongs to another user") == std::string::npos ? stat() : "";
              });
            }));
  TemporaryDirectory tmp;
  REQUIRE(in_child([&] { return use(tmp); }).empty());
  REQUIRE(::chmod(tmp.cache().c_str(), 0500) == 0);
  if (root) REQUIRE((::chmod(tmp.path.c_str(), 0755) == 0 && ::chown(tmp.cache().c_str(), kNobody, kNobody) == 0));
  tally.add("read-only", in_child([&]() -> std::string {
              ::setenv("ADJOINT_CACHE_DIR", tmp.cache().c_str(), 1);
              return as_nobody([&]() -> std::string {
                if (std::string problem = whole_program(); !problem.empty()) return problem;
                if (adj_cache_clear() != ADJ_ERROR_IO) return "it was cleared";
                return stat() == "read-only" ? "" : stat();
              });
            }));
}
