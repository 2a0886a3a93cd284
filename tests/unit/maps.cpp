// Tensor maps of plans for no device of the machine, and tensors that no map takes.
#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "plan/maps.hpp"

namespace {

std::string encoded(const TensorBox& box) {
  const auto device = adj::offline_device(90);
  REQUIRE(device);
  TensorMap map{};
  const auto ok = adj::encode_map(**device, box, map);
  if (!ok) return ok.error().code == ADJ_ERROR_UNSUPPORTED ? ok.error().message : "another code";
  return std::memcmp(&map, &box, sizeof box) == 0 ? "" : "another box";
}

}  // namespace

TEST_CASE("a map of an offline plan states the box, and extents and strides that no map takes are named") {
  const TensorBox box{nullptr, {768, 65536, 12}, {768, 768 * 65536}, {64, 128, 1}};
  CHECK(encoded(box).empty());
  for (int i = 0; i < 3; ++i) {
    TensorBox other = box;
    other.extent[i] = (1LL << 32) + 1;
    CHECK(encoded(other) == "a tensor map takes extents of 1 to 4294967296, not 4294967297");
    other.extent[i] = 0;
    CHECK(encoded(other) == "a tensor map takes extents of 1 to 4294967296, not 0");
  }
  for (int i = 0; i < 2; ++i) {
    TensorBox other = box;
    other.stride[i] = 1LL << 39;
    CHECK(encoded(other) == "a tensor map takes strides below 1099511627776 bytes, not 549755813888 elements of 2");
    other.stride[i] -= 8;
    CHECK(encoded(other).empty());
  }
}
