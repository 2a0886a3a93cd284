// The disk cache on entries of any content: as they are, and with a correct checksum.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"
#include "jit/cache.hpp"

namespace {

constexpr std::size_t kCompiler = 8, kFooter = 8 + 1 + kCompiler + 64;  // of an entry: magic, kind, NVRTC's version, checksum

const std::string& directory() {
  static const std::string* path = [] {
    auto* name = new std::string((std::filesystem::temp_directory_path() / "adjoint-fuzz-XXXXXX").string());
    if (!::mkdtemp(name->data())) std::abort();
    std::atexit([] { std::filesystem::remove_all(directory()); });
    return name;
  }();
  return *path;
}

void read(const std::string& bytes, bool expected) {
  static const auto* cache = new adj::DiskCache(directory(), 1 << 20, false);
  const std::string key = adj::sha256_hex("fuzz");
  FILE* file = std::fopen((directory() + "/" + key + ".cubin").c_str(), "wb");
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fclose(file) != 0) std::abort();
  const auto image = cache->get(key);
  if (expected && !image) std::abort();
  if (image && (bytes.size() != image->bytes.size() + kFooter || !bytes.starts_with(image->bytes))) std::abort();
  if (image && !bytes.ends_with(adj::sha256_hex(bytes.substr(bytes.size() - 64 - kCompiler, kCompiler) + image->bytes))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes, false);
  std::string compiler = "13.0";
  compiler.resize(kCompiler, ' ');
  if (!bytes.empty()) read(bytes + "ADJIMAG2" + (size % 2 ? 'c' : 'p') + compiler + adj::sha256_hex(compiler + bytes), true);
  return 0;
}
