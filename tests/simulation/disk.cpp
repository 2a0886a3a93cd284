// Processes that share a directory of the disk cache, on a file system in memory. Every call of it lets other processes go on first, and may fail, find the
// disk full, or be the last of its process; the machine may lose its power. The linker sends the calls here (--wrap), also those of the C++ library, which is
// linked statically for that. Which of several names it calls, fstat or fstat64, depends on its build.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <adjoint/adjoint.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jit/cache.hpp"
#include "scheduler.hpp"

namespace simulation {

namespace {

constexpr std::string_view kDirectory = "/simulated";
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr int kFirstDescriptor = 1'000'000;  // those of the process are below
constexpr std::uint64_t kKeys = 6;

struct Inode {
  std::string bytes;
  std::size_t durable = 0;  // bytes that outlive a loss of power
  std::int64_t time = 0;    // of the last change, in nanoseconds
  int links = 0;
  int locked_by = 0;        // descriptor that has the lock; 0: none
  std::uint64_t with_younger = 0;  // an entry that was set aside: bytes of it and of all that were as young
};
struct Name {
  std::string text;
  std::shared_ptr<Inode> inode;
};
struct Open {
  std::shared_ptr<Inode> inode;  // null: the directory
  std::size_t at = 0;
  int process = 0;
};
struct Listing {
  std::uint64_t next = 0;  // place of the next name
  dirent entry{};
  int descriptor = 0;
};

// Complete contents of every entry that the cache may store, as it stores them when nobody disturbs it.
const std::set<std::string>& complete_entries();

class Disk {
 public:
  // What the file system does beside what it is asked for.
  std::uint64_t failing = 0;      // one in so many calls fails; 0: none
  std::uint64_t capacity = UINT64_MAX;  // bytes of all files
  std::int64_t tick = 1;          // nanoseconds that a call takes
  std::int64_t grain = 1;         // of the times of files
  bool torn_rename = false;       // a fault that is planted: a rename that copies
  // What must hold.
  bool keeps_everything = false;  // nothing leaves the directory that was stored
  std::uint64_t limit = UINT64_MAX;  // not UINT64_MAX: what leaves is the oldest, and is too much with all that is younger

  std::int64_t now = 1'000'000 * kSecond;
  std::map<std::uint64_t, Name> names;  // by place: a file that replaces another has its place
  bool exists = false;                  // the directory
  std::map<int, Open> opened;
  int listings = 0;               // in progress
  std::set<std::string> removed;  // entries that have once left

  static Disk* current;

  // True when the call has to fail with errno = `error`.
  bool fails(const char* call, std::initializer_list<int> errors, const char* path = "") {
    Scheduler::step(call, path);
    now += tick;
    if (Scheduler::dead()) {
      errno = EIO;
      return true;
    }
    if (!failing || !Scheduler::self() || !Scheduler::current->random.one_in(failing)) return false;
    errno = Scheduler::current->random.one_of(errors);
    return true;
  }
  std::map<std::uint64_t, Name>::iterator find(std::string_view path) {
    const std::string_view text = path.substr(std::min(path.size(), kDirectory.size() + 1));
    return std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.second.text == text; });
  }
  int open(const std::shared_ptr<Inode>& inode) {
    opened[++descriptors_] = {inode, 0, process()};
    return descriptors_;
  }
  void close(int fd) {
    if (Open& file = opened.at(fd); file.inode && file.inode->locked_by == fd) file.inode->locked_by = 0;
    opened.erase(fd);
  }
  static int process() { return Scheduler::self() ? Scheduler::self()->number + 1 : 0; }
  void end_process(int process) {
    std::vector<int> own;
    for (const auto& [fd, file] : opened)
      if (file.process == process) own.push_back(fd);
    for (const int fd : own) close(fd);
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [place, name] : names) sum += name.inode->bytes.size();
    return sum;
  }
  static bool is_entry(const std::string& name) { return name.ends_with(".cubin") || name.ends_with(".txt"); }
  std::uint64_t bytes_of_entries() const {
    std::uint64_t sum = 0;
    for (const auto& [place, name] : names) sum += is_entry(name.text) ? name.inode->bytes.size() : 0;
    return sum;
  }
  std::int64_t time() const { return now / grain * grain; }

  void link(const std::string& text, std::shared_ptr<Inode> inode) {
    ++inode->links;
    if (auto old = find(fmt::format("{}/{}", kDirectory, text)); old != names.end()) {
      // A file that was written earlier and waited. Who has seen the younger one may remove more than it had to, which does no harm.
      if (is_entry(text) && old->second.inode->time > inode->time) limit = UINT64_MAX;
      --old->second.inode->links;
      old->second.inode = std::move(inode);
    } else {
      // Who lists the directory has perhaps seen it before it was removed, and sees it again: that counts too much as well.
      if (listings > 0 && removed.contains(text)) limit = UINT64_MAX;
      names[++places_] = {text, std::move(inode)};
    }
    check(text);
  }
  void unlink(std::map<std::uint64_t, Name>::iterator at) {
    const Name gone = at->second;
    names.erase(at);
    const bool entry = is_entry(gone.text);
    if (entry) removed.insert(gone.text);
    const std::size_t aside = gone.text.find(".tmp.old.");
    if (--gone.inode->links > 0 || (!entry && aside == std::string::npos)) return;
    const std::string text = gone.text.substr(0, aside);
    if (find(fmt::format("{}/{}", kDirectory, text)) != names.end()) return;  // a newer one has its place
    if (keeps_everything) Scheduler::current->fail(text + " was lost");
    if (limit != UINT64_MAX && gone.inode->with_younger <= limit)
      Scheduler::current->fail(
          fmt::format("{} was removed, and with all that is younger it has {} bytes; the limit is {}", text, gone.inode->with_younger, limit));
  }
  // An entry is whole whenever it can be seen, so that a reader never sees a part, nor does the next process after a loss of power.
  void check(const std::string& text) {
    if (!is_entry(text) || !Scheduler::current || !checks_) return;
    const auto at = find(fmt::format("{}/{}", kDirectory, text));
    if (at == names.end()) return;
    if (!complete_entries().contains(at->second.inode->bytes)) Scheduler::current->fail(fmt::format("{} can be seen, and is a part of an entry", text));
  }
  void lose_power() {
    Random& random = Scheduler::current->random;
    for (auto& [place, name] : names) {
      std::string& bytes = name.inode->bytes;
      const std::size_t durable = std::min(name.inode->durable, bytes.size());
      bytes.resize(durable + random.below(bytes.size() - durable + 1));
      check(name.text);
    }
    opened.clear();
    for (auto& [place, name] : names) name.inode->locked_by = 0;
  }
  void check_contents(bool on) { checks_ = on; }

 private:
  int descriptors_ = kFirstDescriptor;
  std::uint64_t places_ = 0;
  bool checks_ = true;
};
Disk* Disk::current = nullptr;

bool here(const char* path) { return Disk::current && std::string_view(path).starts_with(kDirectory); }
bool here(int fd) { return Disk::current && fd >= kFirstDescriptor; }
int failed(int error) {
  errno = error;
  return -1;
}
template <class Stat>
int facts_of(const Inode* inode, Stat* to) {
  *to = {};
  to->st_uid = ::geteuid();
  to->st_mode = inode ? S_IFREG | 0600 : S_IFDIR | 0700;
  if (!inode) return 0;
  to->st_size = static_cast<off_t>(inode->bytes.size());
  to->st_mtim = {.tv_sec = inode->time / kSecond, .tv_nsec = inode->time % kSecond};
  return 0;
}
template <class Stat>
int status(const char* path, Stat* to) {
  Disk& disk = *Disk::current;
  if (disk.fails("stat", {EACCES}, path)) return -1;
  if (path == kDirectory) return disk.exists ? facts_of(nullptr, to) : failed(ENOENT);
  const auto at = disk.find(path);
  return at == disk.names.end() ? failed(ENOENT) : facts_of(at->second.inode.get(), to);
}
int open_file(const char* path, int flags) {
  Disk& disk = *Disk::current;
  if (disk.fails("open", {ENFILE, EMFILE, EACCES}, path)) return -1;
  if (path == kDirectory) return disk.exists ? disk.open(nullptr) : failed(ENOENT);
  auto at = disk.find(path);
  if (at != disk.names.end()) return (flags & O_EXCL) ? failed(EEXIST) : disk.open(at->second.inode);
  if (!(flags & O_CREAT) || !disk.exists) return failed(ENOENT);
  auto inode = std::make_shared<Inode>(Inode{.bytes = {}, .time = disk.time()});
  disk.link(std::string(path + kDirectory.size() + 1), inode);
  return disk.open(inode);
}
dirent* next_entry(DIR* directory) {
  auto* const listing = reinterpret_cast<Listing*>(directory);
  if (Disk::current->fails("readdir", {EIO})) return nullptr;
  const auto next = Disk::current->names.lower_bound(listing->next);
  errno = 0;
  if (next == Disk::current->names.end()) return nullptr;
  listing->next = next->first + 1;
  listing->entry.d_type = DT_REG;
  next->second.text.copy(listing->entry.d_name, sizeof listing->entry.d_name - 1);
  listing->entry.d_name[next->second.text.size()] = '\0';
  return &listing->entry;
}
template <class Stat>
int open_status(int fd, Stat* to) {
  return Disk::current->fails("fstat", {EIO}) ? -1 : facts_of(Disk::current->opened.at(fd).inode.get(), to);
}
int remove_file(const char* path) {
  Disk& disk = *Disk::current;
  if (disk.fails("unlink", {EACCES, EIO}, path)) return -1;
  const auto at = disk.find(path);
  if (at == disk.names.end()) return failed(ENOENT);
  disk.unlink(at);
  return 0;
}

}  // namespace

}  // namespace simulation

using namespace simulation;

// __real_NAME and __wrap_NAME of a function with these parameters.
#define WRAP(result, name, parameters) \
  result __real_##name parameters;     \
  result __wrap_##name parameters

extern "C" {
int __real_open(const char* path, int flags, ...);
int __real_open64(const char* path, int flags, ...);
int __real_openat(int directory, const char* path, int flags, ...);
int __real_openat64(int directory, const char* path, int flags, ...);
#define WRAP_OPEN(name)                                                            \
  int __wrap_##name(const char* path, int flags, ...) {                            \
    va_list rest;                                                                  \
    va_start(rest, flags);                                                         \
    const auto mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;                \
    va_end(rest);                                                                  \
    return here(path) ? open_file(path, flags) : __real_##name(path, flags, mode); \
  }
WRAP_OPEN(open)
WRAP_OPEN(open64)
// Directories alone are opened by these: nothing is created.
int __wrap_openat(int directory, const char* path, int flags, ...) { return here(path) ? open_file(path, flags) : __real_openat(directory, path, flags, 0); }
int __wrap_openat64(int directory, const char* path, int flags, ...) {
  return here(path) ? open_file(path, flags) : __real_openat64(directory, path, flags, 0);
}
// What the checked headers of the C library (_FORTIFY_SOURCE) make of them.
WRAP(int, __openat_2, (int directory, const char* path, int flags)) { return here(path) ? open_file(path, flags) : __real___openat_2(directory, path, flags); }
WRAP(int, __openat64_2, (int directory, const char* path, int flags)) {
  return here(path) ? open_file(path, flags) : __real___openat64_2(directory, path, flags);
}
WRAP(ssize_t, read, (int fd, void* bytes, size_t count)) {
  if (!here(fd)) return __real_read(fd, bytes, count);
  Disk& disk = *Disk::current;
  if (disk.fails("read", {EIO, EINTR})) return -1;
  Open& file = disk.opened.at(fd);
  std::size_t n = std::min(count, file.inode->bytes.size() - std::min(file.at, file.inode->bytes.size()));
  if (n > 1 && Scheduler::self()) n = 1 + Scheduler::current->random.below(n);
  std::memcpy(bytes, file.inode->bytes.data() + file.at, n);
  file.at += n;
  return static_cast<ssize_t>(n);
}
WRAP(ssize_t, write, (int fd, const void* bytes, size_t count)) {
  if (!here(fd)) return __real_write(fd, bytes, count);
  Disk& disk = *Disk::current;
  if (disk.fails("write", {EIO, ENOSPC, EINTR})) return -1;
  const std::uint64_t used = disk.bytes();
  if (used >= disk.capacity) return failed(ENOSPC);
  std::size_t n = std::min<std::uint64_t>(count, disk.capacity - used);
  if (n > 1 && Scheduler::self()) n = 1 + Scheduler::current->random.below(n);
  Open& file = disk.opened.at(fd);
  file.inode->bytes.append(static_cast<const char*>(bytes), n);
  file.inode->time = disk.time();
  for (const auto& [place, name] : disk.names)
    if (name.inode == file.inode) disk.check(name.text);
  return static_cast<ssize_t>(n);
}
WRAP(int, fsync, (int fd)) {
  if (!here(fd)) return __real_fsync(fd);
  if (Disk::current->fails("fsync", {EIO, ENOSPC})) return -1;
  Inode& inode = *Disk::current->opened.at(fd).inode;
  inode.durable = inode.bytes.size();
  return 0;
}
WRAP(int, close, (int fd)) {
  if (!here(fd)) return __real_close(fd);
  Disk& disk = *Disk::current;
  const bool failing = disk.fails("close", {EIO});
  if (disk.opened.contains(fd)) disk.close(fd);  // the descriptor is gone either way
  return failing ? -1 : 0;
}
WRAP(int, rename, (const char* from, const char* to)) {
  if (!here(from)) return __real_rename(from, to);
  Disk& disk = *Disk::current;
  if (disk.fails("rename", {EACCES, EIO, ENOSPC}, from)) return -1;
  auto at = disk.find(from);
  if (at == disk.names.end()) return failed(ENOENT);
  std::shared_ptr<Inode> inode = at->second.inode;
  const std::string name(to + kDirectory.size() + 1);
  if (disk.torn_rename) {
    auto copy = std::make_shared<Inode>(Inode{.bytes = inode->bytes.substr(0, inode->bytes.size() / 2), .time = disk.time()});
    disk.link(name, copy);
    Scheduler::step("copy");
    copy->bytes = inode->bytes;
    inode = std::move(copy);
  }
  inode->with_younger = 0;
  for (const auto& [place, other] : disk.names)
    if (Disk::is_entry(other.text) && other.inode->time >= inode->time) inode->with_younger += other.inode->bytes.size();
  at = disk.find(from);
  if (at != disk.names.end()) {
    disk.removed.insert(at->second.text);
    --at->second.inode->links;
    disk.names.erase(at);
  }
  disk.link(name, inode);
  return 0;
}
WRAP(int, unlink, (const char* path)) { return here(path) ? remove_file(path) : __real_unlink(path); }
WRAP(int, remove, (const char* path)) { return here(path) ? remove_file(path) : __real_remove(path); }
WRAP(int, link, (const char* from, const char* to)) {
  if (!here(from)) return __real_link(from, to);
  Disk& disk = *Disk::current;
  if (disk.fails("link", {EMLINK, EIO}, to)) return -1;
  const auto at = disk.find(from);
  if (at == disk.names.end()) return failed(ENOENT);
  if (disk.find(to) != disk.names.end()) return failed(EEXIST);
  disk.link(std::string(to + kDirectory.size() + 1), at->second.inode);
  return 0;
}
WRAP(int, stat, (const char* path, struct stat* to)) { return here(path) ? status(path, to) : __real_stat(path, to); }
WRAP(int, stat64, (const char* path, struct stat64* to)) { return here(path) ? status(path, to) : __real_stat64(path, to); }
WRAP(int, lstat, (const char* path, struct stat* to)) { return here(path) ? status(path, to) : __real_lstat(path, to); }
WRAP(int, lstat64, (const char* path, struct stat64* to)) { return here(path) ? status(path, to) : __real_lstat64(path, to); }
WRAP(int, fstat, (int fd, struct stat* to)) { return here(fd) ? open_status(fd, to) : __real_fstat(fd, to); }
WRAP(int, fstat64, (int fd, struct stat64* to)) { return here(fd) ? open_status(fd, to) : __real_fstat64(fd, to); }
WRAP(int, mkdir, (const char* path, mode_t mode)) {
  if (!here(path)) return __real_mkdir(path, mode);
  Disk& disk = *Disk::current;
  if (disk.fails("mkdir", {ENOSPC, EACCES})) return -1;
  if (disk.exists) return failed(EEXIST);
  disk.exists = true;
  return 0;
}
WRAP(int, access, (const char* path, int mode)) { return here(path) ? 0 : __real_access(path, mode); }
WRAP(int, utimensat, (int directory, const char* path, const timespec* times, int flags)) {
  if (!here(path)) return __real_utimensat(directory, path, times, flags);
  Disk& disk = *Disk::current;
  if (disk.fails("utimensat", {EACCES}, path)) return -1;
  const auto at = disk.find(path);
  if (at == disk.names.end()) return failed(ENOENT);
  at->second.inode->time = disk.time();
  return 0;
}
WRAP(int, flock, (int fd, int operation)) {
  if (!here(fd)) return __real_flock(fd, operation);
  if (Disk::current->fails("flock", {ENOLCK, EINTR})) return -1;
  Inode& inode = *Disk::current->opened.at(fd).inode;
  if (operation & LOCK_UN) return inode.locked_by = inode.locked_by == fd ? 0 : inode.locked_by, 0;
  if (inode.locked_by && inode.locked_by != fd) return failed(EWOULDBLOCK);
  inode.locked_by = fd;
  return 0;
}
WRAP(DIR*, fdopendir, (int fd)) {
  if (!here(fd)) return __real_fdopendir(fd);
  if (Disk::current->fails("fdopendir", {ENOMEM})) return nullptr;
  ++Disk::current->listings;
  return reinterpret_cast<DIR*>(new Listing{.descriptor = fd});
}
WRAP(dirent*, readdir, (DIR * directory)) { return Disk::current ? next_entry(directory) : __real_readdir(directory); }
static_assert(sizeof(dirent) == sizeof(dirent64));  // one structure, with two names
WRAP(dirent64*, readdir64, (DIR * directory)) { return Disk::current ? reinterpret_cast<dirent64*>(next_entry(directory)) : __real_readdir64(directory); }
WRAP(int, dirfd, (DIR * directory)) { return Disk::current ? reinterpret_cast<Listing*>(directory)->descriptor : __real_dirfd(directory); }
WRAP(int, closedir, (DIR * directory)) {
  if (!Disk::current) return __real_closedir(directory);
  const std::unique_ptr<Listing> listing(reinterpret_cast<Listing*>(directory));
  --Disk::current->listings;
  Disk::current->opened.erase(listing->descriptor);
  return 0;
}
WRAP(int, nanosleep, (const timespec* wanted, timespec* left)) {
  if (!Disk::current) return __real_nanosleep(wanted, left);
  Disk::current->now += wanted->tv_sec * kSecond + wanted->tv_nsec;
  Scheduler::step("sleep");
  return 0;
}
WRAP(int, clock_gettime, (clockid_t clock, timespec* to)) {
  if (!Disk::current) return __real_clock_gettime(clock, to);
  *to = {.tv_sec = Disk::current->now / kSecond, .tv_nsec = Disk::current->now % kSecond};
  return 0;
}
WRAP(pid_t, getpid, ()) { return Disk::current ? Disk::process() : __real_getpid(); }
}

namespace simulation {

namespace {

std::string key_of(std::uint64_t key) { return fmt::format("key{}", key); }
constexpr std::size_t size_of_image(std::uint64_t key) { return 40 + 50 * key; }
constexpr std::uint64_t kVersions = 3;

adj::Image image_of(std::uint64_t key, std::uint64_t version) {
  std::string bytes = fmt::format("image of {}, version {} ", key_of(key), version);
  bytes.resize(size_of_image(key), static_cast<char>('a' + version));
  return {.bytes = std::move(bytes), .ptx = version == 1, .compiler = fmt::format("13.{}", version)};
}
std::string text_of(std::uint64_t key, std::uint64_t version) { return fmt::format("text of {}, version {}", key_of(key), version); }

bool is_one_of(const adj::Image& image, std::uint64_t key) {
  for (std::uint64_t version = 0; version < kVersions; ++version)
    if (const adj::Image own = image_of(key, version); own.bytes == image.bytes && own.ptx == image.ptx && own.compiler == image.compiler) return true;
  return false;
}
bool is_one_of(const std::string& text, std::uint64_t key) {
  for (std::uint64_t version = 0; version < kVersions; ++version)
    if (text == text_of(key, version)) return true;
  return false;
}

const std::set<std::string>& complete_entries() {
  static const std::set<std::string> entries = [] {
    Disk disk;
    Disk* const before = std::exchange(Disk::current, &disk);
    disk.check_contents(false);
    const adj::DiskCache cache(std::string(kDirectory), UINT64_MAX, false);
    std::set<std::string> found;
    for (std::uint64_t key = 0; key < kKeys; ++key)
      for (std::uint64_t version = 0; version < kVersions; ++version) {
        cache.put(key_of(key), image_of(key, version));
        cache.put_text(key_of(key), text_of(key, version));
        for (const auto& [place, name] : disk.names) found.insert(name.inode->bytes);
      }
    Disk::current = before;
    return found;
  }();
  return entries;
}

}  // namespace

std::string disk(std::uint64_t seed, bool trace, bool planted) {
  complete_entries();  // before there is a scheduler, which would count its steps
  Scheduler scheduler(seed, trace);
  Random& random = scheduler.random;
  Disk disk;
  struct Mount {
    explicit Mount(Disk& d) { Disk::current = &d; }
    ~Mount() { Disk::current = nullptr; }
  } mount(disk);

  // The weather of this seed.
  disk.torn_rename = planted;
  if (random.one_in(3)) disk.failing = random.one_of<std::uint64_t>({5, 20, 100});
  if (random.one_in(4)) disk.capacity = 300 + random.below(2500);
  disk.tick = random.one_of<std::int64_t>({1, 1000, 1'000'000});
  disk.grain = random.one_of<std::int64_t>({1, 1, 4'000'000, kSecond});
  const bool tight = random.one_in(2), removes = random.one_in(3), rots = random.one_in(6), dies = random.one_in(3), stops = random.one_in(4);
  const bool undisturbed = !disk.failing && disk.capacity == UINT64_MAX && !dies && !stops;
  const std::uint64_t keys = random.one_of({std::uint64_t{2}, kKeys});
  const std::uint64_t limit = tight ? 400 + random.below(1500) : 1 << 20;
  const std::uint64_t power_lasts = random.one_in(5) ? random.below(400) : UINT64_MAX;
  disk.keeps_everything = !tight && !removes && !rots;
  // Times that are equal, and files that another process could not remove, allow more.
  if (tight && undisturbed && !removes && !rots && disk.grain == 1) disk.limit = limit;
  disk.check_contents(!rots);

  std::map<std::uint64_t, int> compiled;
  auto work = [&] {
    const adj::DiskCache cache(std::string(kDirectory), limit, false);
    for (std::uint64_t n = 3 + random.below(6); n > 0 && !Scheduler::dead(); --n) {
      const std::uint64_t key = kKeys - 1 - random.below(keys), version = random.below(kVersions);
      auto seen = [&](const char* extension) { return disk.find(fmt::format("{}/{}{}", kDirectory, key_of(key), extension)) != disk.names.end(); };
      auto found = [&](const auto& entry, bool expected) {
        if (Scheduler::dead()) return;
        if (entry && !is_one_of(*entry, key)) scheduler.fail(fmt::format("what is found under {} is damaged, or of another key", key_of(key)));
        if (!entry && expected && disk.keeps_everything && !disk.failing) scheduler.fail(fmt::format("{} is there, and is not found", key_of(key)));
      };
      switch (random.below(removes ? 9 : 6)) {
        case 0: {
          const bool expected = seen(".cubin");
          found(cache.get(key_of(key)), expected);
          break;
        }
        case 1: cache.put(key_of(key), image_of(key, version)); break;
        case 2: cache.put_text(key_of(key), text_of(key, version)); break;
        case 3: {
          const bool expected = seen(".txt");
          found(cache.get_text(key_of(key)), expected);
          break;
        }
        case 4: {  // as select does
          const auto lock = cache.lock(key_of(key));
          const auto image = cache.get(key_of(key));
          found(image, false);
          if (image) break;
          for (int i = 0; i < 4; ++i) Scheduler::step("compile");
          if (!Scheduler::dead()) ++compiled[key];
          cache.put(key_of(key), image_of(key, version));
          break;
        }
        case 5: {
          const adj::CacheStat stat = cache.stat(random.one_in(2));
          if (stat.damaged && !rots && undisturbed && !tight && !removes) scheduler.fail(fmt::format("{} entries are called damaged", stat.damaged));
          break;
        }
        case 6: cache.remove(key_of(key)); break;
        case 7: static_cast<void>(cache.clear()); break;
        case 8: disk.now += 3600 * kSecond / 2; break;
      }
    }
  };
  const std::uint64_t processes = 2 + random.below(3);
  for (std::uint64_t i = 0; i < processes; ++i) {
    Actor& actor = scheduler.add(work);
    if (dies && random.one_in(2)) actor.dies_at = 1 + random.below(200);
    if (stops && random.one_in(2)) actor.stops_at = 1 + random.below(200);
  }
  if (rots)
    scheduler.add([&] {
      for (std::uint64_t n = random.below(30); n > 0; --n) {
        Scheduler::step("rot");
        if (disk.names.empty()) continue;
        std::string& bytes = std::next(disk.names.begin(), static_cast<std::ptrdiff_t>(random.below(disk.names.size())))->second.inode->bytes;
        if (random.one_in(2)) bytes.resize(random.below(bytes.size() + 1));
        else if (!bytes.empty()) bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
      }
    });
  std::uint64_t steps = 0;
  scheduler.after_step = [&] {
    if (const Actor* actor = Scheduler::self(); actor && actor->dead) disk.end_process(actor->number + 1);
    if (steps++ != power_lasts) return;
    disk.lose_power();
    scheduler.kill_all();
  };
  if (std::string problem = scheduler.run(); !problem.empty()) return problem;

  if (undisturbed && disk.keeps_everything && power_lasts == UINT64_MAX)
    for (const auto& [key, times] : compiled)
      if (times > 1) return fmt::format("{} was compiled {} times", key_of(key), times);
  const bool abandons = !dies && !disk.failing && power_lasts == UINT64_MAX;  // what it cannot complete
  for (const auto& [place, name] : disk.names)
    if (abandons && !Disk::is_entry(name.text)) return name.text + " was left";
  // The next process, later, on a disk without faults: it finds what it should, and one store brings the bytes below the limit and removes what is left over.
  disk.failing = 0;
  disk.capacity = UINT64_MAX;
  disk.keeps_everything = false;
  disk.limit = UINT64_MAX;
  disk.now += 2 * 3600 * kSecond;
  const adj::DiskCache cache(std::string(kDirectory), limit, false);
  if (const adj::CacheStat stat = cache.stat(false); stat.bytes != disk.bytes_of_entries())
    return fmt::format("{} bytes are counted, there are {}", stat.bytes, disk.bytes_of_entries());
  if (const adj::CacheStat stat = cache.stat(true); stat.damaged && !rots) return fmt::format("{} entries are damaged", stat.damaged);
  cache.put(key_of(0), image_of(0, 0));
  if (disk.bytes_of_entries() > limit) return fmt::format("{} bytes are kept, the limit is {}", disk.bytes_of_entries(), limit);
  for (const auto& [place, name] : disk.names)
    if (!Disk::is_entry(name.text)) return name.text + " is left over";
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const bool image_expected = disk.find(fmt::format("{}/{}.cubin", kDirectory, key_of(key))) != disk.names.end();
    const auto image = cache.get(key_of(key));
    if (image.has_value() != image_expected || (image && !is_one_of(*image, key))) return fmt::format("{} is not what was stored", key_of(key));
    if (const auto text = cache.get_text(key_of(key)); text && !is_one_of(*text, key)) return fmt::format("the text {} is not what was stored", key_of(key));
  }
  if (!cache.get(key_of(0))) return "what was stored last is not found";
  if (!disk.opened.empty()) return "a file is left open";
  return {};
}

}  // namespace simulation
