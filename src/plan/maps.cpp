#include "plan/maps.hpp"

#include <array>
#include <cstring>
#include <iterator>
#include <span>

#include "driver/libraries.hpp"

namespace adj {

namespace {

constexpr std::int64_t kElement = 2;  // bytes
constexpr std::int64_t kMostExtent = std::int64_t{1} << 32, kMostStride = std::int64_t{1} << 40;  // elements; bytes

Result<void> check(const TensorBox& t) {
  for (const std::int64_t extent : std::span(t.extent, static_cast<std::size_t>(t.dimensions)))
    if (extent < 1 || extent > kMostExtent) return fail(ADJ_ERROR_UNSUPPORTED, "a tensor map takes extents of 1 to {}, not {}", kMostExtent, extent);
  for (const std::int64_t stride : std::span(t.stride, static_cast<std::size_t>(t.dimensions - 1)))
    if (stride < 0 || stride >= kMostStride / kElement)
      return fail(ADJ_ERROR_UNSUPPORTED, "a tensor map takes strides below {} bytes, not {} elements of {}", kMostStride, stride, kElement);
  return {};
}

Result<void> encode(const cu::Api& api, const TensorBox& t, std::uintptr_t address, TensorMap& map) {
  std::array<std::uint64_t, 4> extents{};
  std::array<std::uint64_t, 3> strides{};
  std::array<std::uint32_t, 4> box{1, 1, 1, 1};
  const std::array<std::uint32_t, 4> steps{1, 1, 1, 1};
  const auto dimensions = static_cast<std::uint32_t>(t.dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) {
    extents[i] = static_cast<std::uint64_t>(t.extent[i]);
    if (i < std::size(t.box)) box[i] = static_cast<std::uint32_t>(t.box[i]);
    if (i > 0) strides[i - 1] = static_cast<std::uint64_t>(t.stride[i - 1] * kElement);
  }
  if (auto rc = api.encode_map(reinterpret_cast<cu::EncodedMap>(&map), cu::kMapElements16, dimensions, reinterpret_cast<void*>(address), extents.data(),
                               strides.data(), box.data(), steps.data(), cu::kMapPlain, cu::kMapSwizzle128, cu::kMapLines256, cu::kMapZeros)) {
    Error error = cuda_error(api, rc, "cuTensorMapEncodeTiled");
    if (rc == cu::kErrorInvalidValue) error.code = ADJ_ERROR_UNSUPPORTED;  // another algorithm takes the problem
    return error;
  }
  return {};
}

}  // namespace

Result<void> encode_map(const Device& device, const TensorBox& box, TensorMap& map) {
  if (auto ok = check(box); !ok) return ok.take_error();
  map = {};
  if (!device.real()) {
    static_assert(sizeof box <= sizeof map);
    std::memcpy(&map, &box, sizeof box);
    return {};
  }
  const cu::Api& api = **cuda();
  // The first word must be all that the address changes: maps for two addresses, which differ in every bit that they may, show it.
  constexpr std::uintptr_t kLow = 0x10, kHigh = 0xff'ffff'ffff'ffe0;
  TensorMap high{};
  if (auto ok = encode(api, box, kLow, map); !ok) return ok;
  if (auto ok = encode(api, box, kHigh, high); !ok) return ok;
  constexpr std::size_t kWord = sizeof map.words[0];
  if (map.words[0] != kLow || high.words[0] != kHigh || std::memcmp(map.words + 1, high.words + 1, sizeof map.words - kWord) != 0)
    return fail(ADJ_ERROR_UNSUPPORTED, "this driver keeps the address of a tensor map in a form that the library does not know");
  return {};
}

}  // namespace adj
