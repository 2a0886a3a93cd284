#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
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
}  // namespace

Result<std::string> read_file(const std::string& path) {
  constexpr off_t kLargest = off_t{1} << 30;  // larger than any pack; bounds the allocation if the file system reports a wrong size
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // O_NONBLOCK: opening a pipe by mistake must not block
  if (fd.get() < 0) return io_error("open", path);
  struct stat st{};
  if (::fstat(fd.get(), &st) != 0) return io_error("stat", path);
  if (!S_ISREG(st.st_mode)) return fail(ADJ_ERROR_IO, "cannot read '{}': not a regular file", path);
  if (st.st_size > kLargest) return fail(ADJ_ERROR_IO, "cannot read '{}': its {} bytes are more than {}", path, st.st_size, kLargest);
  std::string bytes(static_cast<std::size_t>(st.st_size), '\0');
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

Result<void> write_file_atomically(const std::string& path, std::string_view bytes, unsigned mode) {
  static std::atomic<unsigned> counter{0};
  const std::string temporary = fmt::format("{}.tmp.{}.{}", path, ::getpid(), counter++);
  Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (fd.get() < 0) return io_error("create", temporary);
  auto abandon = [&](const char* verb) {
    const int why = errno;
    ::unlink(temporary.c_str());
    errno = why;
    return io_error(verb, temporary);
  };
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return abandon("write");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fsync(fd.get()) != 0) return abandon("flush");
  if (fd.close() != 0) return abandon("close");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return abandon("rename");
  return {};
}

}  // namespace adj
