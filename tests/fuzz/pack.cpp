// The reader of packs on any file. Checksums would refuse almost every input, so a second reading gets corrected checksums.
#include <cstdlib>
#include <cstring>

#include "base/text.hpp"
#include "jit/cache.hpp"

namespace {

// Offsets and sizes of the format's parts (src/jit/pack.cpp).
constexpr std::size_t kHeader = 96, kCount = 12, kIndexSum = 32, kRow = 152, kKey = 64, kSum = 64, kOffset = 128, kLength = 136;

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

void mend(std::string& bytes) {
  if (bytes.size() < kHeader) return;
  std::memcpy(bytes.data(), "ADJPACK\n\1\0\0\0", 12);
  std::uint32_t count = at<std::uint32_t>(bytes, kCount);
  count = static_cast<std::uint32_t>(std::min<std::size_t>(count % 8, (bytes.size() - kHeader) / kRow));
  std::memcpy(bytes.data() + kCount, &count, sizeof count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t row = kHeader + i * kRow;
    const auto offset = at<std::uint64_t>(bytes, row + kOffset), length = at<std::uint64_t>(bytes, row + kLength);
    if (offset <= bytes.size() && length <= bytes.size() - offset)
      adj::sha256_hex(std::string_view(bytes).substr(offset, length)).copy(bytes.data() + row + kSum, 64);
  }
  adj::sha256_hex(std::string_view(bytes).substr(kHeader, count * kRow)).copy(bytes.data() + kIndexSum, 64);
}

void read(const std::string& bytes) {
  auto pack = adj::Pack::parse(bytes, "fuzz");
  if (!pack) {
    if (pack.error().code != ADJ_ERROR_CORRUPT || pack.error().message.find("fuzz") == std::string::npos) std::abort();
    return;
  }
  for (std::size_t i = 0; i < pack->index().size(); ++i) {
    const std::size_t row = kHeader + i * kRow;
    const auto image = pack->get(bytes.substr(row, kKey));
    // Rows may share a key; the image must have the checksum of a row with that key.
    if (image && bytes.find(adj::sha256_hex(image->bytes)) == std::string::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  mend(bytes);
  read(bytes);
  return 0;
}
