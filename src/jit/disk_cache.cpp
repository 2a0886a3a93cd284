// The disk cache of compiled kernels and verdicts: entries that are written whole or not at all, and the limit of their size.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <queue>
#include <thread>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "jit/cache.hpp"

namespace adj {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of an entry: bounds the memory that a damaged one takes

constexpr std::string_view kFooterMagic = "ADJIMAG2";
constexpr std::size_t kCompilerSize = 8;
constexpr std::size_t kFooterSize = 8 + 1 + kCompilerSize + 64;  // magic, kind ('c' cubin, 'p' PTX), version of NVRTC, sha256 of version and code
constexpr std::string_view kExtension = ".cubin", kTextExtension = ".txt";
constexpr std::string_view kSealMagic = "ADJTEXT1 ";
constexpr std::size_t kSealSize = kSealMagic.size() + 64 + 1;  // magic, sha256 of the text, end of line
constexpr std::string_view kLockExtension = ".lock";
constexpr auto kStaleTemporary = std::chrono::hours(1);
constexpr auto kLockPause = std::chrono::milliseconds(5);

std::string with_footer(const Image& image) {
  std::string compiler = image.compiler;
  compiler.resize(kCompilerSize, ' ');
  return image.bytes + std::string(kFooterMagic) + (image.ptx ? 'p' : 'c') + compiler + sha256_hex(compiler + image.bytes);
}

std::optional<Image> without_footer(std::string bytes) {
  if (bytes.size() <= kFooterSize) return std::nullopt;
  const std::size_t length = bytes.size() - kFooterSize;
  const std::string_view footer = std::string_view(bytes).substr(length);
  const char kind = footer[kFooterMagic.size()];
  if (!footer.starts_with(kFooterMagic) || (kind != 'c' && kind != 'p')) return std::nullopt;
  std::string compiler(footer.substr(kFooterMagic.size() + 1, kCompilerSize));
  const std::string sum(footer.substr(kFooterMagic.size() + 1 + kCompilerSize));
  bytes.resize(length);
  if (sha256_hex(compiler + bytes) != sum) return std::nullopt;
  compiler.erase(compiler.find_last_not_of(' ') + 1);
  return Image{std::move(bytes), kind == 'p', std::move(compiler)};
}

bool is_entry(const fs::path& file) { return file.extension() == kExtension || file.extension() == kTextExtension; }
bool intact(const fs::path& file, std::string bytes) {
  return file.extension() == kTextExtension ? unseal(bytes).has_value() : without_footer(std::move(bytes)).has_value();
}

// Why the directory cannot be used; empty: it can. Only this user may have write access, since a planted cubin would be executed.
std::string directory_problem(const std::string& directory) {
  struct stat st{};
  if (::stat(directory.c_str(), &st) != 0) return fmt::format("'{}': {}", directory, std::strerror(errno));
  if (!S_ISDIR(st.st_mode)) return fmt::format("'{}' is not a directory", directory);
  if (st.st_uid != ::geteuid()) return fmt::format("'{}' belongs to another user", directory);
  if (st.st_mode & (S_IWGRP | S_IWOTH)) return fmt::format("'{}' is writable by others", directory);
  return {};
}

// Limit of the cache in bytes. `text`: the value of ADJOINT_CACHE_LIMIT_MB, in megabytes; null or empty: the default.
std::uint64_t limit_from(const char* text) {
  constexpr std::uint64_t kDefault = 256, kMost = std::uint64_t{1} << 40;
  if (!text || !*text) return kDefault << 20;
  std::uint64_t megabytes = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, megabytes);
  if (error == std::errc{} && stop == end && megabytes <= kMost) return megabytes << 20;
  log(1, fmt::format("ADJOINT_CACHE_LIMIT_MB = '{}' is not a number of megabytes; {} is used", text, kDefault));
  return kDefault << 20;
}

}  // namespace

std::string seal(std::string_view text) { return fmt::format("{}{}\n{}", kSealMagic, sha256_hex(text), text); }

std::optional<std::string> unseal(std::string_view bytes) {
  if (bytes.size() < kSealSize || !bytes.starts_with(kSealMagic) || bytes[kSealSize - 1] != '\n') return std::nullopt;
  const std::string_view text = bytes.substr(kSealSize);
  if (sha256_hex(text) != bytes.substr(kSealMagic.size(), 64)) return std::nullopt;
  return std::string(text);
}

DiskCache::DiskCache(std::string directory, std::uint64_t limit, bool read_only, std::string why_off)
    : directory_(std::move(directory)), limit_(limit), read_only_(read_only) {
  if (directory_.empty()) {
    problem_ = std::move(why_off);
    return;
  }
  // A missing directory is not created here; the first entry that is stored creates it.
  std::error_code ec;
  missing_ = !read_only_ && !fs::exists(directory_, ec);
  if (missing_) return;
  problem_ = directory_problem(directory_);
  if (!problem_.empty()) {
    log(1, "disk cache off: " + problem_);
    directory_.clear();
  } else if (!read_only_ && ::access(directory_.c_str(), W_OK) != 0) {
    read_only_ = true;
  }
  if (read_only_ && problem_.empty()) problem_ = "read-only";
}

std::string DiskCache::path(const std::string& key, std::string_view extension) const { return directory_ + "/" + key + std::string(extension); }
bool DiskCache::writable() const { return !directory_.empty() && !read_only_; }

// Creates the directory if it was missing when the cache was opened. False when that fails, or when other users may write to it.
bool DiskCache::create() const {
  if (!missing_) return true;
  std::error_code ec;
  fs::create_directories(fs::path(directory_).parent_path(), ec);
  if (::mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) {
    log(1, fmt::format("disk cache: cannot create '{}': {}", directory_, std::strerror(errno)));
    return false;
  }
  const std::string problem = directory_problem(directory_);
  if (!problem.empty()) log(1, "disk cache: " + problem);
  return problem.empty();
}

std::optional<std::string> DiskCache::read(const std::string& file) const {
  if (directory_.empty() || (missing_ && !directory_problem(directory_).empty())) return std::nullopt;
  auto bytes = read_file(file, Source::regular, kMostBytes);
  if (!bytes) return std::nullopt;
  return std::move(*bytes);
}

void DiskCache::write(const std::string& file, std::string_view bytes) const {
  if (!writable() || !create()) return;
  // One that is above the limit alone would drive all others out, and then itself.
  if (const std::uint64_t most = std::min(limit_, kMostBytes); bytes.size() > most)
    log(1, fmt::format("disk cache: '{}' is not kept: its {} bytes are more than {}", file, bytes.size(), most));
  else if (auto written = write_file(file, bytes, 0600, Target::replaced); !written) log(1, "disk cache: " + written.error().message);
  trim();
}

void DiskCache::damaged(const std::string& file, const char* consequence) const {
  log(1, fmt::format("disk cache: '{}' is damaged and is {}", file, consequence));
  if (writable()) ::unlink(file.c_str());
}

std::optional<Image> DiskCache::get(const std::string& key) const {
  const std::string file = path(key, kExtension);
  auto bytes = read(file);
  if (!bytes) return std::nullopt;
  auto image = without_footer(std::move(*bytes));
  if (!image) damaged(file, "compiled again");
  else if (writable()) ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);  // marks the entry as recently used
  return image;
}

void DiskCache::put(const std::string& key, const Image& image) const {
  if (writable()) write(path(key, kExtension), with_footer(image));
}

std::optional<std::string> DiskCache::get_text(const std::string& key) const {
  const std::string file = path(key, kTextExtension);
  auto bytes = read(file);
  if (!bytes) return std::nullopt;
  auto text = unseal(*bytes);
  if (!text) damaged(file, "measured again");
  else if (writable()) ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return text;
}

void DiskCache::put_text(const std::string& key, std::string_view text) const { write(path(key, kTextExtension), seal(text)); }

void DiskCache::remove(const std::string& key) const {
  if (writable()) ::unlink(path(key, kExtension).c_str());
}

void DiskCache::trim() const {
  struct Entry {
    fs::path path;
    std::uint64_t size;
    fs::file_time_type time;
    bool operator<(const Entry& other) const { return time > other.time; }  // the oldest comes first out of a priority queue
  };
  std::priority_queue<Entry> entries;
  std::uint64_t total = 0;
  auto count = [&](const fs::path& file, fs::file_time_type time) {
    std::error_code gone;
    const std::uint64_t size = fs::file_size(file, gone);
    if (gone) return;
    total += size;
    entries.push({file, size, time});
  };
  std::error_code ec;
  for (fs::directory_iterator it(directory_, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code gone;  // another process may remove files meanwhile
    const auto time = it->last_write_time(gone);
    if (gone) continue;
    if (it->path().filename().string().find(".tmp.") != std::string::npos || it->path().extension() == kLockExtension) {
      if (fs::file_time_type::clock::now() - time > kStaleTemporary) fs::remove(it->path(), gone);
    } else if (is_entry(it->path())) {
      count(it->path(), time);
    }
  }
  while (total > limit_ && !entries.empty()) {
    const Entry entry = entries.top();
    entries.pop();
    // Subtracted in any case: the entry is removed here, has been removed by another process, or is counted again.
    total -= entry.size;
    static std::atomic<unsigned> set_aside{0};
    const fs::path aside = fmt::format("{}.tmp.old.{}.{}", entry.path.string(), ::getpid(), ++set_aside);
    std::error_code gone;
    auto time = fs::last_write_time(entry.path, gone);
    if (gone) continue;
    if (time != entry.time) {
      // Another process has used or replaced the entry, so others are older now. Passing over it would remove one of them too many: the processes that
      // trim must take the entries in one order.
      count(entry.path, time);
      continue;
    }
    // Another process may use or replace the entry between the check of its time and the removal. So the file is renamed first, and linked back
    // if its time shows that it is the newer one.
    if (fs::rename(entry.path, aside, gone); gone) continue;
    time = fs::last_write_time(aside, gone);
    if (!gone && time != entry.time) {
      fs::create_hard_link(aside, entry.path, gone);
      count(entry.path, time);
    }
    fs::remove(aside, gone);
  }
}

CacheStat DiskCache::stat(bool verify) const {
  CacheStat stat;
  stat.directory = directory_;
  stat.problem = problem_;
  stat.limit = limit_;
  if (directory_.empty()) return stat;
  std::error_code ec;
  for (fs::directory_iterator it(directory_, ec), end; !ec && it != end; it.increment(ec)) {
    if (!is_entry(it->path())) continue;
    std::error_code gone;
    const std::uint64_t size = it->file_size(gone);
    if (gone) continue;
    if (verify) {
      auto bytes = read_file(it->path().string(), Source::regular, kMostBytes);
      if (!bytes) continue;  // removed meanwhile, or not to be read now; it may be whole
      if (!intact(it->path(), std::move(*bytes))) {
        ++stat.damaged;
        if (writable()) fs::remove(it->path(), gone);
        continue;
      }
    }
    ++stat.entries;
    stat.bytes += size;
  }
  return stat;
}

Result<void> DiskCache::clear() const {
  if (directory_.empty()) return {};
  if (read_only_) return fail(ADJ_ERROR_IO, "the cache directory '{}' is read-only", directory_);
  std::vector<fs::path> doomed;
  std::error_code ec;
  for (fs::directory_iterator it(directory_, ec), end; !ec && it != end; it.increment(ec)) {
    const std::string name = it->path().filename().string();
    if (is_entry(it->path()) || name.find(".tmp.") != std::string::npos) doomed.push_back(it->path());
  }
  for (const fs::path& file : doomed)
    if (!fs::remove(file, ec) && ec) return fail(ADJ_ERROR_IO, "cannot remove '{}': {}", file.string(), ec.message());
  return {};
}

DiskCache::Lock DiskCache::lock(const std::string& key, std::chrono::milliseconds patience, const char* meanwhile) const {
  if (!writable() || !create()) return Lock(-1);
  const std::string file = directory_ + "/" + key + std::string(kLockExtension);
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return Lock(-1);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() > deadline) {
      log(1, fmt::format("disk cache: '{}' stays locked; {} beside whoever holds it", file, meanwhile));
      ::close(fd);
      return Lock(-1);
    }
    std::this_thread::sleep_for(kLockPause);
  }
  return Lock(fd, file);
}

DiskCache::Lock::~Lock() {
  if (fd_ < 0) return;
  // Unlinking is safe: a process that waits for this lock finds the entry afterwards, and a later process creates a new lock file.
  ::unlink(file_.c_str());
  ::flock(fd_, LOCK_UN);  // closing alone would not release it while the child of a fork has the descriptor
  ::close(fd_);
}

namespace {
constinit Lazy<DiskCache> of_process;
}  // namespace

const DiskCache& disk_cache() {
  return of_process.get([] {
    std::string directory, why_off = "none of ADJOINT_CACHE_DIR, XDG_CACHE_HOME and HOME names a directory";
    if (const char* own = environment("ADJOINT_CACHE_DIR")) directory = own, why_off = "ADJOINT_CACHE_DIR is empty";
    else if (const char* xdg = environment("XDG_CACHE_HOME"); xdg && *xdg) directory = std::string(xdg) + "/adjoint";
    else if (const char* home = environment("HOME"); home && *home) directory = std::string(home) + "/.cache/adjoint";
    const char* limit = environment("ADJOINT_CACHE_LIMIT_MB");
    const char* read_only = environment("ADJOINT_CACHE_READ_ONLY");
    return DiskCache(directory, limit_from(limit), read_only && std::strcmp(read_only, "1") == 0, why_off);
  });
}

}  // namespace adj
