// Files: whole ones are read and written, with errors as values.
#include "base/file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

namespace adj {

namespace {
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int close() {
    if (fd_ < 0) return 0;
    const int rc = ::close(fd_);
    fd_ = -1;
    return rc;
  }

 private:
  int fd_;
};

Error io_error(const char* verb, const std::string& path) { return fail(ADJ_ERROR_IO, "cannot {} '{}': {}", verb, path, std::strerror(errno)); }

// What writing to a name writes to: the file that links lead to, which need not exist.
struct Place {
  std::string path;
  struct stat facts{};
  bool exists = false;
  bool open = false;  // a descriptor that a process has open: its name is no place where a file could be put
};

// True for a link that stands for a descriptor, as those to which /dev/stdout leads.
bool is_descriptor(const std::string& link) {
  const Descriptor fd(::open(link.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct statfs facts{};
  return fd.get() >= 0 && ::fstatfs(fd.get(), &facts) == 0 && facts.f_type == PROC_SUPER_MAGIC;
}

std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }  // with its '/', or empty

Result<Place> place_of(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  Place target{.path = path};
  for (int links = 0; links <= kMostLinks; ++links) {
    if (::lstat(target.path.c_str(), &target.facts) != 0) {
      if (errno == ENOENT) return target;
      return io_error("stat", target.path);
    }
    if (!S_ISLNK(target.facts.st_mode)) {
      target.exists = true;
      return target;
    }
    if (is_descriptor(target.path)) {
      if (::stat(target.path.c_str(), &target.facts) != 0) return io_error("stat", target.path);
      target.exists = target.open = true;
      return target;
    }
    std::string text(PATH_MAX, '\0');
    const ssize_t n = ::readlink(target.path.c_str(), text.data(), text.size());
    if (n < 0) return io_error("read the link", target.path);
    text.resize(static_cast<std::size_t>(n));
    target.path = text.starts_with('/') ? text : directory_of(target.path) + text;
  }
  errno = ELOOP;
  return io_error("follow", path);
}

// As place_of, of what may be written as it stands.
Result<Place> target_of(const std::string& path) {
  auto target = place_of(path);
  if (!target || !target->exists) return target;
  if (S_ISDIR(target->facts.st_mode)) return fail(ADJ_ERROR_IO, "cannot write '{}': it is a directory", path);
  // Renaming would replace a file that may not be written.
  if (!target->open && ::faccessat(AT_FDCWD, target->path.c_str(), W_OK, AT_EACCESS) != 0) return io_error("write", target->path);
  return target;
}

// The last name of a path has at most NAME_MAX bytes, and so has that of its temporary file.
std::string temporary_beside(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  constexpr std::size_t kKept = NAME_MAX - 40;
  const std::string directory = directory_of(path);
  return fmt::format("{}{}.tmp.{}.{}", directory, path.substr(directory.size(), kKept), ::getpid(), counter++);
}

// A device or a pipe has no old contents to keep.
Result<void> write_in_place(const std::string& path, std::string_view bytes) {
  // O_NONBLOCK: a pipe without a reader is refused, not waited for. O_APPEND: standard output that is a file keeps what it has.
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (fd.get() < 0) return io_error("open", path);
  if (const int flags = ::fcntl(fd.get(), F_GETFL); flags < 0 || ::fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK) != 0) return io_error("open", path);
  if (!write_all(fd.get(), bytes)) return io_error("write", path);
  if (fd.close() != 0) return io_error("close", path);
  return {};
}

// Keeps SIGPIPE from the thread, and takes back one that came meanwhile.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigset_t pending;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    waits_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
    held_ = ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_) == 0;
  }
  ~NoPipeSignal() {
    if (!held_) return;
    const int error = errno;
    constexpr timespec kNow{};
    while (!waits_ && ::sigtimedwait(&pipe_, nullptr, &kNow) < 0 && errno == EINTR) {}
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
  bool waits_, held_;
};
}  // namespace

bool write_all(int fd, std::string_view bytes) noexcept {
  const NoPipeSignal held;
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Result<std::string> read_file(const std::string& path, Source source, std::uint64_t most) {
  // O_NONBLOCK: opening a pipe by mistake must not block.
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (source == Source::regular ? O_NONBLOCK : 0)));
  if (fd.get() < 0) return io_error("open", path);
  struct stat st{};
  if (::fstat(fd.get(), &st) != 0) return io_error("stat", path);
  if (S_ISDIR(st.st_mode)) return fail(ADJ_ERROR_IO, "cannot read '{}': it is a directory", path);
  const bool regular = S_ISREG(st.st_mode);
  if (!regular && source == Source::regular) return fail(ADJ_ERROR_IO, "cannot read '{}': not a regular file", path);
  std::string bytes;
  most = std::min<std::uint64_t>({most, bytes.max_size(), regular ? most : kMostOfStream});
  if (const auto size = static_cast<std::uint64_t>(st.st_size); regular) {
    if (size > most) return fail(ADJ_ERROR_IO, "cannot read '{}': its {} bytes are more than {}", path, size, most);
    bytes.resize(static_cast<std::size_t>(size));
  }
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  std::size_t have = 0;
  while (!regular || have < bytes.size()) {
    if (!regular && have == bytes.size()) bytes.resize(have + std::max(have, kChunk));
    const ssize_t n = ::read(fd.get(), bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error("read", path);
    if (n == 0) break;  // of a regular file: truncated meanwhile; the caller's checksum detects it
    have += static_cast<std::size_t>(n);
    if (have > most) return fail(ADJ_ERROR_IO, "cannot read '{}': it has more than {} bytes", path, most);
  }
  bytes.resize(have);
  return bytes;
}

Result<void> write_file(const std::string& path, std::string_view bytes, unsigned mode, Target kind) {
  auto found = kind == Target::followed ? target_of(path) : Result<Place>(Place{.path = path});
  if (!found) return found.take_error();
  const Place& target = *found;
  if (target.exists && (target.open || !S_ISREG(target.facts.st_mode))) return write_in_place(target.path, bytes);
  const std::string temporary = temporary_beside(target.path);
  Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (fd.get() < 0) return io_error("create", temporary);
  auto abandon = [&](const char* verb) {
    const int why = errno;
    ::unlink(temporary.c_str());
    errno = why;
    return io_error(verb, temporary);
  };
  if (target.exists) {
    struct stat own{};
    if (::fstat(fd.get(), &own) != 0) return abandon("stat");
    // The owner first, since giving a file away may take permissions from it. Who may not give it away owns the new one.
    if (own.st_uid != target.facts.st_uid || own.st_gid != target.facts.st_gid)
      if (::fchown(fd.get(), target.facts.st_uid, target.facts.st_gid) != 0 && errno != EPERM) return abandon("give away");
    if (::fchmod(fd.get(), target.facts.st_mode & 0777) != 0) return abandon("set the permissions of");  // which the umask has narrowed
  }
  if (!write_all(fd.get(), bytes)) return abandon("write");
  if (::fsync(fd.get()) != 0) return abandon("flush");
  if (fd.close() != 0) return abandon("close");
  if (::rename(temporary.c_str(), target.path.c_str()) != 0) return abandon("rename");
  return {};
}

Result<void> check_writable(const std::string& path) {
  auto target = target_of(path);
  if (!target) return target.take_error();
  if (target->exists && (target->open || !S_ISREG(target->facts.st_mode))) return {};
  const std::string directory = directory_of(target->path);
  struct stat facts{};
  if (::stat(directory.empty() ? "." : directory.c_str(), &facts) != 0 ||
      ::faccessat(AT_FDCWD, directory.empty() ? "." : directory.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return io_error("write", path);
  return {};
}

}  // namespace adj
