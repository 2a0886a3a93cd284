// The disk cache, packs and messages, with damage injected.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "jit/cache.hpp"
#include "temporary_directory.hpp"

namespace fs = std::filesystem;
using namespace adj;

namespace {

const std::string kKey = sha256_hex("some program");
const Image kImage{std::string("\x7f"
                               "ELF code",
                               9),
                   false};
constexpr std::uint64_t kLimit = 1 << 20;

std::string file_of(const fs::path& directory, const std::string& key) { return (directory / (key + ".cubin")).string(); }

}  // namespace

TEST_CASE("what is told of a message may log, and set another log") {
  static int told;
  told = 0;
  const auto second = [](void*, std::int32_t, const char*) { told += 100; };
  set_log(
      [](void* next, std::int32_t, const char*) {
        if (++told > 1) return;
        log(1, "from within");
        set_log(reinterpret_cast<void (*)(void*, std::int32_t, const char*)>(next), nullptr);
      },
      reinterpret_cast<void*>(+second));
  log(1, "first");
  CHECK(told == 2);
  log(1, "second");
  CHECK(told == 102);
  set_log(nullptr, nullptr);
}

TEST_CASE("disk cache: looking at one makes none") {
  TemporaryDirectory tmp;
  const std::string directory = (tmp.path / "deep" / "cache").string();
  const DiskCache cache(directory, kLimit, false);
  CHECK_FALSE(cache.get(kKey));
  CHECK(cache.stat(true).entries == 0);
  CHECK(std::distance(fs::directory_iterator(tmp.path), fs::directory_iterator()) == 0);
}

TEST_CASE("disk cache: what was put is what is got") {
  TemporaryDirectory tmp;
  const std::string directory = (tmp.path / "deep" / "cache").string();
  const DiskCache cache(directory, kLimit, false);
  CHECK_FALSE(cache.get(kKey));
  cache.put(kKey, kImage);
  auto image = cache.get(kKey);
  REQUIRE(image);
  CHECK(image->bytes == kImage.bytes);
  CHECK_FALSE(image->ptx);
  cache.put(sha256_hex("ptx"), {"text", true});
  CHECK(cache.get(sha256_hex("ptx"))->ptx);
  CHECK(cache.stat(true).entries == 2);
  struct stat st{};
  REQUIRE(::stat(directory.c_str(), &st) == 0);
  CHECK((st.st_mode & 0777) == 0700);
  REQUIRE(cache.clear());
  CHECK(cache.stat(false).entries == 0);
  CHECK_FALSE(cache.get(kKey));
}

TEST_CASE("disk cache: an entry with any byte changed or cut off is a miss and is removed") {
  TemporaryDirectory tmp;
  const DiskCache cache(tmp.path.string(), kLimit, false);
  cache.put(kKey, kImage);
  const std::string file = file_of(tmp.path, kKey);
  const std::string good = *read_file(file);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    std::ofstream(file, std::ios::binary) << bad;
    auto image = cache.get(kKey);
    // Only the byte that tells a cubin from PTX may change without being noticed by the checksum; 'c' ^ 1 is neither.
    CHECK_FALSE(image);
    CHECK_FALSE(fs::exists(file));
    std::ofstream(file, std::ios::binary) << good.substr(0, i);
    CHECK_FALSE(cache.get(kKey));
  }
  std::ofstream(file, std::ios::binary) << good + "x";
  CHECK_FALSE(cache.get(kKey));
}

TEST_CASE("disk cache: verify counts and removes damaged entries") {
  TemporaryDirectory tmp;
  const DiskCache cache(tmp.path.string(), kLimit, false);
  cache.put(kKey, kImage);
  std::ofstream(file_of(tmp.path, sha256_hex("bad"))) << "rubbish";
  const CacheStat stat = cache.stat(true);
  CHECK(stat.entries == 1);
  CHECK(stat.damaged == 1);
  CHECK(cache.stat(true).damaged == 0);
}

TEST_CASE("disk cache: the least recently used entries leave first") {
  TemporaryDirectory tmp;
  const std::string code(1000, 'x');
  const DiskCache cache(tmp.path.string(), 3500, false);
  for (const char* name : {"a", "b", "c"}) {
    cache.put(sha256_hex(name), {code, false});
    // Distinct times for any resolution of the file system.
    fs::last_write_time(file_of(tmp.path, sha256_hex(name)), fs::file_time_type::clock::now() - std::chrono::hours(100 - name[0]));
  }
  CHECK(cache.get(sha256_hex("a")));  // now the most recent
  cache.put(sha256_hex("d"), {code, false});
  CHECK(cache.get(sha256_hex("a")));
  CHECK_FALSE(cache.get(sha256_hex("b")));
  CHECK(cache.get(sha256_hex("d")));
}

TEST_CASE("disk cache: entries of 4 GiB count in full, and leave") {
  TemporaryDirectory tmp;
  const DiskCache cache(tmp.path.string(), kLimit, false);
  cache.put(kKey, kImage);
  const auto small = cache.stat(false).bytes;
  const std::string file = file_of(tmp.path, sha256_hex("large"));
  std::ofstream(file) << "";
  fs::resize_file(file, std::uint64_t{1} << 32);  // takes no room on the disk
  CHECK(cache.stat(false).entries == 2);
  CHECK(cache.stat(false).bytes == small + (std::uint64_t{1} << 32));
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
  cache.put(sha256_hex("other"), kImage);
  CHECK_FALSE(fs::exists(file));
  CHECK(cache.stat(false).bytes == 2 * small);
}

TEST_CASE("disk cache: a directory that others may write is not used") {
  TemporaryDirectory tmp;
  REQUIRE(::chmod(tmp.path.c_str(), 0777) == 0);
  const DiskCache cache(tmp.path.string(), kLimit, false);
  cache.put(kKey, kImage);
  CHECK_FALSE(cache.get(kKey));
  CHECK(cache.stat(false).problem.find("writable by others") != std::string::npos);
  CHECK(fs::is_empty(tmp.path));
}

TEST_CASE("disk cache: a file in place of the directory turns it off") {
  TemporaryDirectory tmp;
  const std::string file = (tmp.path / "file").string();
  std::ofstream(file) << "x";
  const DiskCache cache(file, kLimit, false);
  cache.put(kKey, kImage);
  CHECK_FALSE(cache.get(kKey));
  CHECK_FALSE(cache.stat(false).problem.empty());
}

TEST_CASE("disk cache: read-only reads and never writes") {
  TemporaryDirectory tmp;
  DiskCache(tmp.path.string(), kLimit, false).put(kKey, kImage);
  const DiskCache cache(tmp.path.string(), kLimit, true);
  CHECK(cache.get(kKey));
  cache.put(sha256_hex("other"), kImage);
  CHECK_FALSE(cache.get(sha256_hex("other")));
  std::ofstream(file_of(tmp.path, sha256_hex("bad"))) << "rubbish";
  CHECK_FALSE(cache.get(sha256_hex("bad")));
  CHECK(fs::exists(file_of(tmp.path, sha256_hex("bad"))));
  auto cleared = cache.clear();
  REQUIRE_FALSE(cleared);
  CHECK(cleared.error().code == ADJ_ERROR_IO);
}

TEST_CASE("disk cache: an empty name turns it off") {
  const DiskCache cache("", kLimit, false);
  cache.put(kKey, kImage);
  CHECK_FALSE(cache.get(kKey));
  CHECK(cache.stat(true).problem == "turned off");
}

TEST_CASE("disk cache: an entry above the limit is not kept, and drives none out") {
  TemporaryDirectory tmp;
  const DiskCache cache(tmp.path.string(), 1000, false);
  const std::string other = sha256_hex("another program"), text = sha256_hex("a problem");
  cache.put(kKey, kImage);
  cache.put_text(text, "a verdict");
  cache.put(other, {std::string(1000, 'x'), false});
  CHECK(cache.get(kKey));
  CHECK(cache.get_text(text) == "a verdict");
  CHECK_FALSE(cache.get(other));
  CHECK(cache.stat(true).entries == 2);
  // As large as the limit allows.
  const std::size_t footer = std::filesystem::file_size(file_of(tmp.path, kKey)) - kImage.bytes.size();
  TemporaryDirectory empty;
  const DiskCache alone(empty.path.string(), 1000, false);
  alone.put(other, {std::string(1000 - footer, 'x'), false});
  CHECK(alone.get(other));
  CHECK(alone.stat(true).bytes == 1000);
}

TEST_CASE("packs: round trip, and every single-byte change is noticed or harmless") {
  std::vector<PackEntry> entries{{sha256_hex("one"), {"first code", false}}, {sha256_hex("two"), {"second", true}}};
  const std::string bytes = serialise_pack(entries, "13.0");
  auto pack = Pack::parse(bytes, "test");
  REQUIRE(pack);
  CHECK(pack->index().size() == 2);
  CHECK(pack->get(sha256_hex("one"))->bytes == "first code");
  CHECK(pack->get(sha256_hex("two"))->ptx);
  CHECK_FALSE(pack->get(sha256_hex("three")));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0x11);
    auto parsed = Pack::parse(bad, "bad");
    if (!parsed) {
      CHECK(parsed.error().code == ADJ_ERROR_CORRUPT);
      continue;
    }
    for (const PackEntry& entry : entries)
      if (auto image = parsed->get(entry.key)) CHECK(image->bytes == entry.image.bytes);
  }
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    auto parsed = Pack::parse(bytes.substr(0, n), "cut");
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().message.find("cut") != std::string::npos);
  }
}

TEST_CASE("packs: an empty image at the end is one") {
  const auto pack = Pack::parse(serialise_pack({{sha256_hex("empty"), {"", false}}}, "13.0"), "test");
  REQUIRE(pack);
  CHECK(pack->index().size() == 1);
  CHECK(pack->get(sha256_hex("empty"))->bytes.empty());
}

TEST_CASE("packs: an index of more bytes than 32 bits count is refused") {
  std::string bytes = serialise_pack({}, "13.0");
  REQUIRE(Pack::parse(bytes, "none"));
  const std::uint32_t count = 1u << 29;  // rows, whose bytes are a multiple of 2^32
  std::memcpy(bytes.data() + 12, &count, sizeof count);
  const auto pack = Pack::parse(bytes, "large");
  REQUIRE_FALSE(pack);
  CHECK(pack.error().message.find("truncated index") != std::string::npos);
}
