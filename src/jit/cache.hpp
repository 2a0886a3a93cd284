// The disk cache of compiled kernels and the packs made ahead of time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "jit/program.hpp"

namespace adj {

// A text with a line before it that has its checksum, for files that others may have cut or changed.
std::string seal(std::string_view text);
std::optional<std::string> unseal(std::string_view bytes);  // nothing when the bytes are not what seal made

struct CacheStat {
  std::string directory, problem;
  std::int64_t entries = 0, damaged = 0;
  std::uint64_t bytes = 0, limit = 0;
};

// A directory with one file per entry: the cubin or PTX (cuobjdump can read the file) followed by a footer with its kind and checksum.
// No failure here fails a select: an unusable directory turns the cache off or makes it read-only, and a damaged entry is a miss.
class DiskCache {
 public:
  // An empty directory turns the cache off; why_off is the reason that stat gives then. Over the limit, the least recently used entries are removed.
  DiskCache(std::string directory, std::uint64_t limit, bool read_only, std::string why_off = "turned off");

  std::optional<Image> get(const std::string& key) const;
  void put(const std::string& key, const Image& image) const;
  void remove(const std::string& key) const;
  // Entries of text, which stand beside the images and count like them.
  std::optional<std::string> get_text(const std::string& key) const;
  void put_text(const std::string& key, std::string_view text) const;
  CacheStat stat(bool verify) const;  // verify reads every entry and removes damaged ones
  Result<void> clear() const;

  // Serialises processes that would compile, load and store the same entry, or measure on one device. Best effort: a process waits a while, then works as
  // well.
  class Lock {
   public:
    explicit Lock(int fd = -1, std::string file = {}) : fd_(fd), file_(std::move(file)) {}
    Lock(Lock&& other) noexcept : fd_(other.fd_), file_(std::move(other.file_)) { other.fd_ = -1; }
    Lock& operator=(Lock&& other) noexcept {
      std::swap(fd_, other.fd_);
      file_.swap(other.file_);
      return *this;
    }
    ~Lock();
    bool held() const { return fd_ >= 0; }

   private:
    int fd_;
    std::string file_;
  };
  // patience: longest wait, by default much longer than a compilation. meanwhile: what the process does beside the holder when that ends.
  Lock lock(const std::string& key, std::chrono::milliseconds patience = std::chrono::seconds(10), const char* meanwhile = "compiling") const;

 private:
  std::string path(const std::string& key, std::string_view extension) const;
  std::optional<std::string> read(const std::string& file) const;
  void write(const std::string& file, std::string_view bytes) const;
  void damaged(const std::string& file, const char* consequence) const;
  bool writable() const;
  bool create() const;
  void trim() const;

  std::string directory_;
  std::uint64_t limit_;
  bool read_only_;
  bool missing_ = false;
  std::string problem_;
};

// The cache of the process. Its directory is ADJOINT_CACHE_DIR (empty turns the cache off), else XDG_CACHE_HOME/adjoint, else
// ~/.cache/adjoint. ADJOINT_CACHE_LIMIT_MB (default 256) limits its size; ADJOINT_CACHE_READ_ONLY=1 forbids writing.
const DiskCache& disk_cache();

// ---- packs

struct PackEntry {
  std::string key;
  Image image;
};

class Pack {
 public:
  static Result<Pack> parse(std::string bytes, const std::string& name);
  std::optional<Image> get(const std::string& key) const;
  std::int64_t damaged() const;  // images that fail their checksums; reads every image
  struct Location {
    std::string key, sha256;
    std::uint64_t offset, length;
    bool ptx;
    int compiler = 0;  // NVRTC that made the image: 12090 for 12.9; 0 when unknown
  };
  const std::vector<Location>& index() const { return index_; }
  const std::string& name() const { return name_; }
  const std::string& compiler() const { return compiler_; }  // version of NVRTC when the pack was made, "13.0"; may be empty

 private:
  bool intact(const Location& location) const;

  std::string name_, bytes_, compiler_;
  std::vector<Location> index_;  // sorted by key
};

std::string serialise_pack(std::vector<PackEntry> entries, const std::string& nvrtc_version);
Result<void> load_pack(const std::string& path);
// Searches the packs loaded by load_pack or named in ADJOINT_PACK. Passes over images of an NVRTC whose major version is above newest_major.
std::optional<Image> find_in_packs(const std::string& key, int newest_major);

struct PackJob {
  const Program* program;
  int cc;
};
// Finds or compiles every program on `jobs` threads, as select does, and writes the pack; jobs <= 0: one thread per core, 8 at most.
// progress(done, total, program, milliseconds) is never called concurrently. It stops the build by returning false.
Result<void> build_pack(const std::string& path, const std::vector<PackJob>& work, int jobs,
                        const std::function<bool(std::int64_t, std::int64_t, const std::string&, double)>& progress);

}  // namespace adj
