// Packs: files of compiled kernels, how they are built, read and searched.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "driver/libraries.hpp"
#include "jit/cache.hpp"
#include "jit/kernel_sources.hpp"

namespace adj {

namespace {

// Format of a pack file: a header, `count` index rows sorted by key, the images. Integers are little-endian.
constexpr char kMagic[8] = {'A', 'D', 'J', 'P', 'A', 'C', 'K', '\n'};
constexpr std::uint32_t kVersion = 1;
struct FileHeader {
  char magic[8];
  std::uint32_t version, count;
  char nvrtc[16];          // version of the compiler, for information only
  char index_sha256[64];   // checksum of the rows
};
struct FileRow {
  char key[64], sha256[64];
  std::uint64_t offset, length;  // bytes of the image; the offset counts from the start of the file
  std::uint32_t ptx, compiler;   // compiler: 12090 for an image of NVRTC 12.9, 0 when unknown
};
static_assert(sizeof(FileHeader) == 96 && sizeof(FileRow) == 152);

struct Loaded {
  ProcessLock lock;
  struct One {
    std::unique_ptr<Pack> pack;
    std::unique_ptr<std::atomic<bool>> passed_over;  // true: it was said that its images are too new
  };
  std::vector<One> packs;
};
constinit Lazy<Loaded> loaded;
constinit Lazy<bool> environment_packs;  // true once they have been loaded

int version_number(const std::string& version) {
  int major = 0, minor = 0;
  return std::sscanf(version.c_str(), "%d.%d", &major, &minor) >= 1 ? major * 1000 + minor * 10 : 0;
}

Result<void> add_pack(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.take_error();
  auto pack = Pack::parse(std::move(*bytes), path);
  if (!pack) return pack.take_error();
  Loaded::One one{std::make_unique<Pack>(std::move(*pack)), std::make_unique<std::atomic<bool>>(false)};
  std::lock_guard lock(loaded.get().lock);
  loaded.get().packs.push_back(std::move(one));
  return {};
}

bool load_environment_packs() {
  const char* paths = environment("ADJOINT_PACK");
  for (const std::string& path : split(paths ? paths : "", ':'))
    if (auto added = add_pack(path); !added) log(1, "ADJOINT_PACK: " + added.error().message);
  return true;
}

}  // namespace

Result<Pack> Pack::parse(std::string bytes, const std::string& name) {
  auto corrupt = [&](std::string_view what) { return fail(ADJ_ERROR_CORRUPT, "'{}' is not a usable pack: {}", name, what); };
  FileHeader header;
  if (bytes.size() < sizeof header) return corrupt("shorter than its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return corrupt("wrong magic number");
  if (header.version != kVersion) return corrupt(fmt::format("version {}, this library reads {}", header.version, kVersion));
  const std::uint64_t index_bytes = std::uint64_t{header.count} * sizeof(FileRow);
  if (bytes.size() - sizeof header < index_bytes) return corrupt("truncated index");
  const std::string_view index = std::string_view(bytes).substr(sizeof header, index_bytes);
  if (sha256_hex(index) != std::string_view(header.index_sha256, 64)) return corrupt("the index fails its checksum");
  Pack pack;
  pack.name_ = name;
  pack.compiler_.assign(header.nvrtc, ::strnlen(header.nvrtc, sizeof header.nvrtc));
  for (std::uint32_t i = 0; i < header.count; ++i) {
    FileRow row;
    std::memcpy(&row, index.data() + std::size_t{i} * sizeof row, sizeof row);
    if (row.offset > bytes.size() || row.length > bytes.size() - row.offset) return corrupt("truncated image");
    pack.index_.push_back({std::string(row.key, 64), std::string(row.sha256, 64), row.offset, row.length, row.ptx != 0, static_cast<int>(row.compiler)});
  }
  if (!std::is_sorted(pack.index_.begin(), pack.index_.end(), [](auto& a, auto& b) { return a.key < b.key; })) return corrupt("unsorted index");
  pack.bytes_ = std::move(bytes);
  return pack;
}

std::optional<Image> Pack::get(const std::string& key) const {
  auto it = std::lower_bound(index_.begin(), index_.end(), key, [](const Location& l, const std::string& k) { return l.key < k; });
  if (it == index_.end() || it->key != key) return std::nullopt;
  if (!intact(*it)) {
    log(1, fmt::format("an image of the pack '{}' fails its checksum and is ignored", name_));
    return std::nullopt;
  }
  return Image{bytes_.substr(it->offset, it->length), it->ptx, it->compiler ? fmt::format("{}.{}", it->compiler / 1000, it->compiler % 1000 / 10) : ""};
}

bool Pack::intact(const Location& location) const { return sha256_hex(std::string_view(bytes_).substr(location.offset, location.length)) == location.sha256; }

std::int64_t Pack::damaged() const {
  return std::ranges::count_if(index_, [this](const Location& location) { return !intact(location); });
}

std::string serialise_pack(std::vector<PackEntry> entries, const std::string& nvrtc_version) {
  std::sort(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.key < b.key; });
  FileHeader header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.count = static_cast<std::uint32_t>(entries.size());
  nvrtc_version.copy(header.nvrtc, sizeof header.nvrtc - 1);
  std::uint64_t offset = sizeof header + entries.size() * sizeof(FileRow);
  std::string index, images;
  for (const PackEntry& entry : entries) {
    FileRow row{};
    entry.key.copy(row.key, 64);
    sha256_hex(entry.image.bytes).copy(row.sha256, 64);
    row.offset = offset;
    row.length = entry.image.bytes.size();
    row.ptx = entry.image.ptx;
    row.compiler = static_cast<std::uint32_t>(version_number(entry.image.compiler));
    offset += row.length;
    index.append(reinterpret_cast<const char*>(&row), sizeof row);
    images += entry.image.bytes;
  }
  sha256_hex(index).copy(header.index_sha256, 64);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + index + images;
}

Result<void> load_pack(const std::string& path) { return add_pack(path); }

std::optional<Image> find_in_packs(const std::string& key, int newest_major) {
  environment_packs.get(load_environment_packs);
  const LogHold hold;
  std::shared_lock lock(loaded.get().lock);
  for (const auto& [pack, passed_over] : loaded.get().packs) {
    auto image = pack->get(key);
    if (image && version_number(image->compiler) / 1000 <= newest_major) return image;
    if (image && !passed_over->exchange(true))
      log(1, fmt::format("the pack '{}' has kernels of NVRTC {}, which the driver does not load: it loads code of NVRTC {} and older", pack->name(),
                         image->compiler, newest_major));
  }
  return std::nullopt;
}

Result<void> build_pack(const std::string& path, const std::vector<PackJob>& work, int jobs,
                        const std::function<bool(std::int64_t, std::int64_t, const std::string&, double)>& progress) {
  // A missing NVRTC is no error yet: the disk cache or other packs may have every program.
  const auto library = nvrtc();
  std::mutex mutex;
  std::vector<PackEntry> entries;
  std::optional<Error> failure;
  std::exception_ptr exception;  // last exception of any thread, such as std::bad_alloc
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  auto compile_all = [&] {
    for (std::size_t i; !stop && (i = next++) < work.size();) {
      const auto start = std::chrono::steady_clock::now();
      auto image = work[i].program->image(work[i].cc, library ? ADJ_JIT_DEFAULT : ADJ_JIT_CACHED_ONLY);
      const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      std::lock_guard lock(mutex);
      if (stop) return;
      if (!image) {
        failure = library ? image.take_error() : library.error();
        stop = true;
        return;
      }
      entries.push_back({work[i].program->key(work[i].cc, kernel_sources().files), std::move(*image)});
      if (progress && !progress(static_cast<std::int64_t>(entries.size()), static_cast<std::int64_t>(work.size()), work[i].program->name(), ms)) {
        stop = true;
        failure = fail(ADJ_ERROR_INVALID_ARGUMENT, "stopped by the progress callback");
      }
    }
  };
  auto worker = [&] {
    try {
      compile_all();
    } catch (...) {
      std::lock_guard lock(mutex);
      exception = std::current_exception();
      stop = true;
    }
  };
  constexpr int kMostThreads = 8;
  if (jobs <= 0) jobs = std::min<int>(kMostThreads, static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  {
    std::vector<std::jthread> threads;  // joined however this scope is left
    try {
      for (int i = 1; i < jobs && static_cast<std::size_t>(i) < work.size(); ++i) threads.emplace_back(worker);
    } catch (...) {  // fewer threads than asked for do the same work
    }
    worker();
  }
  if (exception) std::rethrow_exception(exception);
  if (failure) return std::move(*failure);
  return write_file(path, serialise_pack(std::move(entries), library ? fmt::format("{}.{}", (*library)->major, (*library)->minor) : ""), 0666);
}

}  // namespace adj
