// Files: how whole ones are read and written at their limits. files_test.py tries each program that does.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <fstream>
#include <functional>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"
#include "jit/cache.hpp"
#include "temporary_directory.hpp"

namespace fs = std::filesystem;
using namespace adj;

namespace {

// The exit code of a child that calls `work`, which may change what belongs to a process.
int in_child(const std::function<int()>& work) {
  const ::pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool says(const Result<void>& result, const char* words) { return !result && result.error().message.find(words) != std::string::npos; }

std::ptrdiff_t files_in(const fs::path& directory) { return std::distance(fs::directory_iterator(directory), fs::directory_iterator()); }

}  // namespace

TEST_CASE("files: errors name the path, writing replaces") {
  TemporaryDirectory tmp;
  const std::string file = (tmp.path / "f").string();
  auto missing = read_file(file);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find(file) != std::string::npos);
  REQUIRE(write_file(file, "one"));
  REQUIRE(write_file(file, "two"));
  CHECK(*read_file(file) == "two");
  CHECK(std::distance(fs::directory_iterator(tmp.path), fs::directory_iterator()) == 1);
  CHECK_FALSE(read_file(tmp.path.string()));
  CHECK_FALSE(write_file((tmp.path / "no" / "where").string(), "x"));
  // Only the umask narrows the permissions of a new file.
  const auto mode = [&](unsigned wanted) {
    fs::remove(file);
    REQUIRE(write_file(file, "three", wanted));
    return static_cast<unsigned>(fs::status(file).permissions());
  };
  const ::mode_t before = ::umask(022);
  CHECK(mode(0666) == 0644);
  ::umask(0);
  CHECK(mode(0666) == 0666);
  CHECK(mode(0600) == 0600);
  ::umask(before);
}

TEST_CASE("files: links are followed, and stay") {
  TemporaryDirectory tmp;
  const auto at = [&](const char* name) { return (tmp.path / name).string(); };
  fs::create_directory(at("there"));
  fs::create_symlink("there/file", at("relative"));
  fs::create_symlink(at("relative"), at("chain"));
  // A link to what does not exist yet, then to what does; also where it lies in another directory than the file.
  for (const char* text : {"one", "two"}) {
    REQUIRE(write_file(at("chain"), text));
    CHECK(*read_file(at("there/file")) == text);
  }
  CHECK(fs::is_symlink(at("chain")));
  CHECK(fs::is_symlink(at("relative")));
  CHECK(std::distance(fs::directory_iterator(at("there")), fs::directory_iterator()) == 1);
  fs::create_symlink(at("b"), at("a"));
  fs::create_symlink(at("a"), at("b"));
  const auto loop = write_file(at("a"), "x");
  REQUIRE_FALSE(loop);
  CHECK(loop.error().message.find(at("a")) != std::string::npos);
  CHECK(fs::is_symlink(at("a")));
}

TEST_CASE("files: a device or a pipe gets the bytes and stays what it is") {
  TemporaryDirectory tmp;
  const std::string pipe = (tmp.path / "pipe").string(), link = (tmp.path / "link").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(write_file(pipe, "nobody reads"));
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  fs::create_symlink(pipe, link);
  REQUIRE(write_file(link, "bytes"));
  char seen[8] = {};
  CHECK(::read(reader, seen, sizeof seen) == 5);
  CHECK(std::string(seen) == "bytes");
  ::close(reader);
  CHECK(fs::is_fifo(pipe));
  const auto full = write_file("/dev/full", "x");
  REQUIRE_FALSE(full);
  CHECK(full.error().message.find("'/dev/full'") != std::string::npos);
  CHECK(fs::is_character_file("/dev/full"));
  // More than one call of write takes: pages that nobody has written, which take no memory.
  constexpr std::size_t kSize = (std::size_t{1} << 31) + 1;
  void* const pages = ::mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  CHECK(write_file("/dev/null", {static_cast<const char*>(pages), kSize}));
  ::munmap(pages, kSize);
  CHECK(fs::is_character_file("/dev/null"));
  const auto directory = write_file(tmp.path.string(), "x");
  REQUIRE_FALSE(directory);
  CHECK(directory.error().message.find("it is a directory") != std::string::npos);
}

TEST_CASE("files: permissions of a file that exists stay, and are kept to") {
  TemporaryDirectory tmp;
  const std::string file = (tmp.path / "f").string();
  REQUIRE(write_file(file, "one", 0600));
  REQUIRE(write_file(file, "two", 0666));
  CHECK(static_cast<unsigned>(fs::status(file).permissions()) == 0600);
  // Also those that the umask takes from a new file, and the owner where the process may give files away.
  const auto kept = [&] {
    ::umask(077);
    if (::chmod(file.c_str(), 0666) != 0 || (::getuid() == 0 && ::chown(file.c_str(), 65534, 65534) != 0)) return 2;
    struct stat facts{};
    if (!write_file(file, "two") || ::stat(file.c_str(), &facts) != 0) return 3;
    return (facts.st_mode & 0777) == 0666 && (::getuid() != 0 || (facts.st_uid == 65534 && facts.st_gid == 65534)) ? 0 : 1;
  };
  CHECK(in_child(kept) == 0);
  // Another user than root, who may write everything: in a child, since it gives up its rights.
  REQUIRE(::chmod(tmp.path.c_str(), 0777) == 0);
  REQUIRE(::chmod(file.c_str(), 0444) == 0);
  const auto refused = [&] {
    if (::getuid() == 0 && ::setuid(65534) != 0) return 2;
    return says(write_file(file, "three"), "Permission denied") && says(check_writable(file), "Permission denied") ? 0 : 1;
  };
  CHECK(in_child(refused) == 0);
  CHECK(*read_file(file) == "two");
  CHECK(std::distance(fs::directory_iterator(tmp.path), fs::directory_iterator()) == 1);
}

TEST_CASE("files: what has more than 2^31 bytes is read") {
  TemporaryDirectory tmp;
  const std::string file = (tmp.path / "large").string();
  std::ofstream(file) << "first";
  constexpr std::uint64_t kSize = (std::uint64_t{1} << 31) + 4097;
  fs::resize_file(file, kSize);  // a hole: the file takes no room
  const auto bytes = read_file(file);
  REQUIRE(bytes);
  CHECK(bytes->size() == kSize);
  CHECK(bytes->starts_with("first"));
  CHECK(bytes->back() == '\0');
}

TEST_CASE("files: a failure leaves what was there, and nothing beside it") {
  TemporaryDirectory tmp;
  const std::string file = (tmp.path / "f").string();
  REQUIRE(write_file(file, "old"));
  const std::string much(1 << 20, 'x');
  // A disk that is full stands for a limit of a file's size; the signal of that limit is not wanted.
  const auto full = [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    constexpr rlimit kSmall{4096, 4096};
    return ::setrlimit(RLIMIT_FSIZE, &kSmall) == 0 && says(write_file(file, much), "File too large") ? 0 : 1;
  };
  CHECK(in_child(full) == 0);
  const auto no_descriptor = [&] {
    constexpr rlimit kNone{0, 0};
    if (::setrlimit(RLIMIT_NOFILE, &kNone) != 0) return 2;
    const auto bytes = read_file(file);
    return says(write_file(file, much), "Too many open files") && !bytes && bytes.error().message.find("Too many open files") != std::string::npos ? 0 : 1;
  };
  CHECK(in_child(no_descriptor) == 0);
  // A directory that takes no new file, and one in which the file's own may not be replaced.
  const auto closed_directory = [&] {
    if (::chmod(tmp.path.c_str(), 0555) != 0 || ::chmod(file.c_str(), 0666) != 0 || (::getuid() == 0 && ::setuid(65534) != 0)) return 2;
    return says(write_file(file, "new"), "Permission denied") && says(check_writable(file), "Permission denied") ? 0 : 1;
  };
  CHECK(in_child(closed_directory) == 0);
  CHECK(*read_file(file) == "old");
  CHECK(files_in(tmp.path) == 1);
}

TEST_CASE("files: a name of the longest kind is written") {
  TemporaryDirectory tmp;
  const std::string file = (tmp.path / std::string(NAME_MAX, 'n')).string();
  REQUIRE(write_file(file, "one"));
  REQUIRE(write_file(file, "two"));
  CHECK(*read_file(file) == "two");
  CHECK(files_in(tmp.path) == 1);
  CHECK(says(write_file(file + "n", "x"), "File name too long"));
}

TEST_CASE("files: a descriptor that is open gets the bytes behind what it has") {
  TemporaryDirectory tmp;
  const std::string file = (tmp.path / "f").string(), link = (tmp.path / "link").string();
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  REQUIRE(fd >= 0);
  REQUIRE(write_all(fd, "one "));
  const std::string name = "/proc/self/fd/" + std::to_string(fd);
  fs::create_symlink(name, link);
  CHECK(check_writable(link));
  REQUIRE(write_file(link, "two "));
  REQUIRE(write_all(fd, "three"));
  CHECK(*read_file(file) == "one two three");
  ::close(fd);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(write_file("/proc/self/fd/" + std::to_string(ends[1]), "bytes"));
  char seen[8] = {};
  CHECK(::read(ends[0], seen, sizeof seen) == 5);
  CHECK(std::string(seen) == "bytes");
  ::close(ends[0]);
  // Nobody reads any more: an error, and no signal that ends the process.
  CHECK_FALSE(write_all(ends[1], "x"));
  CHECK(errno == EPIPE);
  CHECK(says(write_file("/proc/self/fd/" + std::to_string(ends[1]), "x"), "Broken pipe"));
  ::close(ends[1]);
  sigset_t pending;
  REQUIRE(::sigpending(&pending) == 0);
  CHECK(::sigismember(&pending, SIGPIPE) == 0);
}

TEST_CASE("files: what a user names may be a pipe or a device, and has an end") {
  TemporaryDirectory tmp;
  const std::string pipe = (tmp.path / "pipe").string(), much(1 << 18, 'm');
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(read_file(pipe));  // nobody writes, and it does not wait
  Result<void> written;
  {
    const std::jthread writer([&] {
      const int fd = ::open(pipe.c_str(), O_WRONLY);
      written = write_all(fd, much) ? Result<void>() : fail(ADJ_ERROR_IO, "not written");
      ::close(fd);
    });
    const auto bytes = read_file(pipe, Source::any);
    REQUIRE(bytes);
    CHECK(*bytes == much);
  }
  CHECK(written);
  CHECK(read_file("/dev/null", Source::any)->empty());
  const auto endless = read_file("/dev/zero", Source::any, 1 << 20);
  REQUIRE_FALSE(endless);
  CHECK(endless.error().message.find("more than 1048576 bytes") != std::string::npos);
  const auto directory = read_file(tmp.path.string(), Source::any);
  REQUIRE_FALSE(directory);
  CHECK(directory.error().message.find("it is a directory") != std::string::npos);
}

TEST_CASE("files: whether one can be written is known before") {
  TemporaryDirectory tmp;
  const std::string file = (tmp.path / "f").string();
  CHECK(check_writable(file));
  CHECK(files_in(tmp.path) == 0);
  CHECK(check_writable("/dev/null"));
  CHECK(check_writable("of the working directory"));
  CHECK(says(check_writable((tmp.path / "no" / "where").string()), "No such file or directory"));
  CHECK(says(check_writable(tmp.path.string()), "it is a directory"));
}
