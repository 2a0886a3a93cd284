// Tensor maps of plans for no device of the machine, and tensors that no map takes.
#include <doctest/doctest.h>

#include <adjoint/adjoint.hpp>

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

// Why an algorithm does not take a problem on sm_90a; "" where it does.
std::string refusal(const adjoint::MatmulDescriptor& d, const std::string& algorithm) {
  const auto offline = adjoint::Stream::offline("sm_90a");
  REQUIRE(offline);
  const auto candidates = adjoint::MatmulPlan::explain(*offline, d);
  REQUIRE(candidates);
  for (const adjoint::Rejection& c : *candidates)
    if (std::string(c.sku).find('/' + algorithm + '/') != std::string::npos) return c.code == ADJ_OK ? "" : c.reason;
  return "not a candidate";
}

}  // namespace

TEST_CASE("a map of an offline plan states the box, and extents and strides that no map takes are named") {
  const TensorBox box{nullptr, {768, 65536, 12, 3}, {768, 768 * 65536, 768 * 8}, {64, 128, 1}, 4};
  CHECK(encoded(box).empty());
  for (int i = 0; i < 4; ++i) {
    TensorBox other = box;
    other.extent[i] = (1LL << 32) + 1;
    CHECK(encoded(other) == "a tensor map takes extents of 1 to 4294967296, not 4294967297");
    other.extent[i] = 0;
    CHECK(encoded(other) == "a tensor map takes extents of 1 to 4294967296, not 0");
  }
  for (int i = 0; i < 3; ++i) {
    TensorBox other = box;
    other.stride[i] = 1LL << 39;
    CHECK(encoded(other) == "a tensor map takes strides below 1099511627776 bytes, not 549755813888 elements of 2");
    other.stride[i] -= 8;
    CHECK(encoded(other).empty());
  }
}

TEST_CASE("a product whose operands no map takes goes to the next algorithm, with the reason") {
  constexpr std::int64_t kFar = std::int64_t{1} << 39;
  adjoint::MatmulDescriptor d{.m = 128, .n = 256, .k = 64, .element = ADJ_BF16};
  CHECK(refusal(d, "warpgroups").empty());
  d.lda = kFar;
  CHECK(refusal(d, "warpgroups") == "a tensor map takes strides below 1099511627776 bytes, not 549755813888 elements of 2");
  CHECK(refusal(d, "tensor_cores").empty());
  // Of one row, and of one matrix, there is no stride.
  d.m = 1;
  CHECK(refusal(d, "warpgroups").empty());
  // Rows that are not whole vectors are packed, and then have strides of their own.
  d = {.m = 128, .n = 256, .k = 64, .lda = kFar + 1, .element = ADJ_BF16};
  CHECK(refusal(d, "warpgroups").empty());
}
