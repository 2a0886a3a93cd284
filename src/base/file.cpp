// Files: whole ones are read and written, with errors as values.
#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
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
};

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
    std::string text(PATH_MAX, '\0');
    const ssize_t n = ::readlink(target.path.c_str(), text.data(), text.size());
    if (n < 0) return io_error("read the link", target.path);
    text.resize(static_cast<std::size_t>(n));
    const std::size_t directory = target.path.rfind('/');
    target.path = text.starts_with('/') || directory == std::string::npos ? text : target.path.substr(0, directory + 1) + text;
  }
  errno = ELOOP;
  return io_error("follow", path);
}

// True when all bytes are written; else errno says why not.
bool write_all(const Descriptor& fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// A device or a pipe has no old contents to keep.
Result<void> write_in_place(const std::string& path, std::string_view bytes) {
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));  // O_NONBLOCK: a pipe without a reader is refused, not waited for
  if (fd.get() < 0) return io_error("open", path);
  if (const int flags = ::fcntl(fd.get(), F_GETFL); flags < 0 || ::fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK) != 0) return io_error("open", path);
  if (!write_all(fd, bytes)) return io_error("write", path);
  if (fd.close() != 0) return io_error("close", path);
  return {};
}
}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t most) {
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // O_NONBLOCK: opening a pipe by mistake must not block
  if (fd.get() < 0) return io_error("open", path);
  struct stat st{};
  if (::fstat(fd.get(), &st) != 0) return io_error("stat", path);
  if (!S_ISREG(st.st_mode)) return fail(ADJ_ERROR_IO, "cannot read '{}': not a regular file", path);
  std::string bytes;
  const auto size = static_cast<std::uint64_t>(st.st_size);
  if (most = std::min<std::uint64_t>(most, bytes.max_size()); size > most)
    return fail(ADJ_ERROR_IO, "cannot read '{}': its {} bytes are more than {}", path, size, most);
  bytes.resize(static_cast<std::size_t>(size));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = ::read(fd.get(), bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error("read", path);
    if (n == 0) break;  // truncated meanwhile; the caller's checksum detects it
    have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

Result<void> write_file(const std::string& path, std::string_view bytes, unsigned mode, Target kind) {
  static std::atomic<unsigned> counter{0};
  auto found = kind == Target::followed ? place_of(path) : Result<Place>(Place{.path = path});
  if (!found) return found.take_error();
  const Place& target = *found;
  if (target.exists) {
    if (S_ISDIR(target.facts.st_mode)) return fail(ADJ_ERROR_IO, "cannot write '{}': it is a directory", path);
    if (!S_ISREG(target.facts.st_mode)) return write_in_place(target.path, bytes);
    // Renaming would replace a file that may not be written.
    if (::access(target.path.c_str(), W_OK) != 0) return io_error("write", target.path);
    mode = target.facts.st_mode & 0777;
  }
  const std::string temporary = fmt::format("{}.tmp.{}.{}", target.path, ::getpid(), counter++);
  Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (fd.get() < 0) return io_error("create", temporary);
  auto abandon = [&](const char* verb) {
    const int why = errno;
    ::unlink(temporary.c_str());
    errno = why;
    return io_error(verb, temporary);
  };
  if (!write_all(fd, bytes)) return abandon("write");
  if (::fsync(fd.get()) != 0) return abandon("flush");
  if (fd.close() != 0) return abandon("close");
  if (::rename(temporary.c_str(), target.path.c_str()) != 0) return abandon("rename");
  return {};
}

}  // namespace adj
