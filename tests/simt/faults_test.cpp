// Kernels with planted faults. Each fault must be found, named and located; the same kernel without its fault must pass.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "device.hpp"
#include "faults/params.h"
#include "machine.hpp"
#include "registry.hpp"

namespace {

constexpr int kSeeds = 12;

const simt::Kernel& kernel(const std::string& source, int fault) {
  const std::string defines = fmt::format("ADJ_FAULT={}", fault);
  for (int i = 0; i < simt::kKernelCount; ++i)
    if (simt::kKernels[i].source == "faults/" + source && simt::kKernels[i].defines == defines) return simt::kKernels[i];
  FAIL("no kernel ", source, " with fault ", fault);
  return simt::kKernels[0];
}

struct Shape {
  long long n = 1000;
  unsigned grid = 4, block = 128, cluster = 1, shared = 0;
  bool early = false;
  std::size_t misalign = 0;
  int launches = 1;
  double seconds = 20;
};

struct Result {
  std::optional<simt::Fault> fault;
  std::vector<float> out;
};

Result run(const std::string& source, int fault, const Shape& shape, std::uint64_t seed) {
  const simt::Kernel& k = kernel(source, fault);
  simt::reset_memory();
  const std::size_t bytes = static_cast<std::size_t>(shape.n) * 4;
  FaultParams p{};
  auto* in = static_cast<float*>(simt::allocate("in", bytes, shape.misalign, simt::Contents::read_only));
  for (long long i = 0; i < shape.n; ++i) in[i] = static_cast<float>(i % 17);
  p.in = in;
  p.out = static_cast<float*>(simt::allocate("out", bytes, 0, simt::Contents::uninitialised));
  std::memset(p.out, 0xCD, bytes);
  p.partial = static_cast<float*>(simt::allocate("partial", shape.grid * 4, 0, simt::Contents::uninitialised));
  p.counter = static_cast<unsigned*>(simt::allocate("counter", 4, 0, simt::Contents::initialised));
  *p.counter = 0;
  p.n = shape.n;
  const TensorBox box{in, {64, shape.n / 32, 1}, {64, 64}, {64, 32, 1}};
  std::memcpy(&p.map, &box, sizeof box);
  simt::Launch l;
  const std::string name = source + ":" + k.entry;
  l.name = name.c_str();
  l.call = k.call;
  l.params = &p;
  l.param_bytes = sizeof p;
  l.grid[0] = shape.grid;
  l.block = shape.block;
  l.cluster = shape.cluster;
  l.early = shape.early;
  l.shared_bytes = shape.shared;
  l.seconds = shape.seconds;
  Result result;
  for (int i = 0; i < shape.launches && !result.fault; ++i) result.fault = simt::launch(l, seed + static_cast<std::uint64_t>(i));
  if (!result.fault) result.fault = simt::check_canaries();
  result.out.assign(p.out, p.out + shape.n);
  return result;
}

void expect_clean(const std::string& source, const Shape& shape, const std::vector<float>& out) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Result r = run(source, 0, shape, seed);
    INFO(source, " seed ", seed, ": ", r.fault ? r.fault->message : "");
    REQUIRE(!r.fault);
    for (std::size_t i = 0; i < out.size(); ++i) CHECK(r.out[i] == out[i]);
  }
}

struct Finding {
  simt::FaultKind kind;
  const char* where;
};

// Checks that a fault is found under every seed, so that no order of execution hides it. Which of its consequences comes first may depend on the
// order.
void expect_fault(const std::string& source, int fault, const std::vector<Finding>& findings, const Shape& shape) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Result r = run(source, fault, shape, seed);
    INFO(source, " fault ", fault, " seed ", seed, ": ", r.fault ? r.fault->message : "nothing found");
    REQUIRE(r.fault);
    CHECK(std::any_of(findings.begin(), findings.end(),
                      [&](const Finding& f) { return f.kind == r.fault->kind && r.fault->message.find(f.where) != std::string::npos; }));
    CHECK(r.fault->message.find(source + ":") == 0);
    CHECK(r.fault->message.find(" block (") != std::string::npos);
    CHECK(r.fault->message.find(" thread ") != std::string::npos);
  }
}

std::vector<float> input(long long n) {
  std::vector<float> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 17);
  return v;
}

using Kind = simt::FaultKind;

}  // namespace

TEST_CASE("block barriers and shared memory") {
  const Shape shape{.n = 500};
  auto out = input(512);
  std::fill(out.begin() + 500, out.end(), 0.0f);
  for (int b = 0; b < 4; ++b) std::reverse(out.begin() + b * 128, out.begin() + (b + 1) * 128);
  out.resize(500);
  expect_clean("barrier.cu", shape, out);
  expect_fault("barrier.cu", 1, {{Kind::race, "shared tile"}, {Kind::uninitialised, "shared tile"}}, shape);
  expect_fault("barrier.cu", 2, {{Kind::partial_barrier, "block barrier"}, {Kind::race, "shared tile"}, {Kind::uninitialised, "shared tile"}}, shape);
  expect_fault("barrier.cu", 3, {{Kind::race, "shared tile"}}, shape);
  expect_fault("barrier.cu", 4, {{Kind::out_of_bounds, "shared tile + 512 (of 512 bytes)"}}, shape);
  expect_fault("barrier.cu", 5, {{Kind::uninitialised, "shared tile + 308"}}, shape);
  expect_fault("barrier.cu", 6, {{Kind::partial_barrier, "ended"}}, shape);
}

TEST_CASE("products of matrices") {
  const Shape shape{.n = 384, .grid = 1, .block = 32};
  const auto in = input(384);
  std::vector<float> product(128);
  for (std::size_t i = 0; i < 128; ++i)
    for (std::size_t k = 0; k < 16; ++k) product[i] += in[i / 8 * 16 + k] * in[256 + k * 8 + i % 8];
  expect_clean("matrix.cu", shape, product);
  expect_fault("matrix.cu", 1, {{Kind::partial_warp, "warp exchange"}}, shape);
  expect_fault("matrix.cu", 2, {{Kind::partial_warp, "different warp operations"}}, shape);
  expect_fault("matrix.cu", 3, {{Kind::race, "shared left"}, {Kind::uninitialised, "shared left"}}, shape);
  expect_fault("matrix.cu", 4, {{Kind::misaligned, "shared left + "}}, shape);
}

TEST_CASE("copies in flight") {
  const Shape shape{.n = 4096, .grid = 2};
  auto out = input(4096);
  for (int tile = 0; tile < 8; ++tile) std::reverse(out.begin() + tile * 512, out.begin() + (tile + 1) * 512);
  expect_clean("copies.cu", shape, out);
  expect_fault("copies.cu", 1, {{Kind::race, "shared stages + "}}, shape);
  expect_fault("copies.cu", 2, {{Kind::race, "into which a copy is in flight"}}, shape);
  expect_fault("copies.cu", 3, {{Kind::race, "shared stages + "}}, shape);
  expect_fault("copies.cu", 4, {{Kind::race, "shared stages + "}}, shape);
  expect_fault("copies.cu", 5, {{Kind::race, "into which a copy is in flight"}}, shape);
  expect_fault("copies.cu", 6, {{Kind::race, "into which a copy is in flight"}}, shape);
  expect_fault("copies.cu", 7, {{Kind::race, "into which a copy is in flight"}}, shape);
}

TEST_CASE("a pipeline of copies") {
  // Four boxes of 64 rows of 32 words.
  const Shape shape{.n = 4 * 64 * 32, .grid = 1, .block = 384, .shared = 3 * 64 * 128 + 1024};
  const auto in = input(shape.n);
  std::vector<float> out(in.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[i / 2048 * 2048 + (63 - i % 2048 / 32) * 32 + i % 32];
  expect_clean("pipeline.cu", shape, out);
  const char* const memory = "dynamic shared memory + ";
  const Finding in_flight{Kind::race, "into which a copy is in flight"}, unordered{Kind::race, memory}, unwritten{Kind::uninitialised, memory};
  const Finding for_ever{Kind::partial_barrier, "waits for ever"};
  expect_fault("pipeline.cu", 1, {in_flight, unordered, unwritten}, shape);
  expect_fault("pipeline.cu", 2, {for_ever, in_flight, unordered}, shape);
  expect_fault("pipeline.cu", 3, {{Kind::partial_barrier, "bytes more than"}, in_flight, unordered}, shape);
  expect_fault("pipeline.cu", 4, {for_ever}, shape);
  expect_fault("pipeline.cu", 5, {in_flight, unordered}, shape);
  expect_fault("pipeline.cu", 6, {in_flight, unordered}, shape);
  expect_fault("pipeline.cu", 7, {{Kind::race, "which has not shown it"}}, shape);
  expect_fault("pipeline.cu", 8, {{Kind::race, "which has not shown it"}}, shape);
  expect_fault("pipeline.cu", 9, {{Kind::race, "which a copy reads"}}, shape);
  expect_fault("pipeline.cu", 10, {{Kind::race, "ends while a copy reads"}}, shape);
  expect_fault("pipeline.cu", 11, {for_ever}, shape);
  expect_fault("pipeline.cu", 12, {{Kind::partial_barrier, "arrivals in a phase"}, in_flight, unordered, unwritten}, shape);
  expect_fault("pipeline.cu", 13, {in_flight, unordered, unwritten}, shape);
  expect_fault("pipeline.cu", 14, {{Kind::partial_barrier, "named barrier 1"}, {Kind::partial_barrier, "for ever"}}, shape);
  expect_fault("pipeline.cu", 15, {unordered, unwritten, {Kind::race, "which a copy reads"}, for_ever}, shape);
}

TEST_CASE("bounds, alignment and inputs") {
  const Shape shape{.n = 1000, .grid = 2};
  expect_clean("tail.cu", shape, input(1000));
  Shape odd = shape;
  odd.misalign = 4;
  expect_clean("tail.cu", odd, input(1000));
  expect_fault("tail.cu", 1, {{Kind::out_of_bounds, "in + 4000 (of 4000 bytes)"}}, shape);
  expect_fault("tail.cu", 2, {{Kind::misaligned, "in + "}}, odd);
  expect_fault("tail.cu", 3, {{Kind::read_only, "in + 12"}}, shape);
  expect_fault("tail.cu", 4, {{Kind::out_of_bounds, "no buffer"}}, shape);
  expect_fault("tail.cu", 5, {{Kind::race, "out + "}}, shape);
}

TEST_CASE("launches that begin early") {
  const Shape shape{.n = 1000, .grid = 2, .early = true};
  expect_clean("tail.cu", shape, input(1000));
  expect_fault("tail.cu", 6, {{Kind::early, "ends without having waited"}}, shape);
  expect_fault("tail.cu", 7, {{Kind::early, "in + 20"}}, shape);
  expect_fault("tail.cu", 8, {{Kind::early, "has a thread that waited"}}, shape);
  Shape twice = shape;
  twice.launches = 2;
  expect_fault("tail.cu", 9, {{Kind::race, "which a grid beside it writes"}}, twice);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Result r = run("tail.cu", 10, twice, seed);
    INFO("seed ", seed, ": ", r.fault ? r.fault->message : "");
    CHECK(!r.fault);
  }
}

TEST_CASE("warp operations") {
  const Shape shape{.n = 512};
  const auto in = input(512);
  std::vector<float> out;
  for (int w = 0; w < 16; ++w) out.push_back(std::accumulate(in.begin() + w * 32, in.begin() + (w + 1) * 32, 0.0f));
  expect_clean("warp.cu", shape, out);
  expect_fault("warp.cu", 1, {{Kind::partial_warp, "warp"}}, shape);
  expect_fault("warp.cu", 2, {{Kind::bad_lane, "leaves it out"}}, shape);
  expect_fault("warp.cu", 3, {{Kind::bad_lane, "in a shuffle of mask"}}, shape);
  expect_fault("warp.cu", 4, {{Kind::race, "shared slots"}}, shape);
  expect_fault("warp.cu", 5, {{Kind::partial_warp, "at the block barrier"}}, {.n = 512, .block = 32});
}

TEST_CASE("last-block counter") {
  Shape shape{.n = 600, .grid = 11, .block = 64};
  const auto in = input(600);
  const float total = std::accumulate(in.begin(), in.end(), 0.0f);
  expect_clean("last_block.cu", shape, {total});
  shape.launches = 3;
  expect_clean("last_block.cu", shape, {total});
  expect_fault("last_block.cu", 1, {{Kind::race, "partial + "}}, shape);
  expect_fault("last_block.cu", 2, {{Kind::race, "partial + "}}, shape);
  expect_fault("last_block.cu", 3, {{Kind::race, "counter + 0"}}, shape);
  expect_fault("last_block.cu", 5, {{Kind::partial_barrier, "ended"}}, shape);
  shape.seconds = 0.2;
  expect_fault("last_block.cu", 4, {{Kind::no_end, "still running"}}, shape);
}

TEST_CASE("clusters") {
  const Shape shape{.n = 256, .grid = 8, .block = 32, .cluster = 4, .shared = 128};
  const auto in = input(256);
  std::vector<float> out(256);
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t r = 0; r < 4; ++r) out[i] += in[i / 128 * 128 + r * 32 + i % 32];
  expect_clean("cluster.cu", shape, out);
  expect_fault("cluster.cu", 3, {{Kind::out_of_bounds, "of a cluster of 4"}}, shape);
  expect_fault("cluster.cu", 4, {{Kind::out_of_bounds, "dynamic shared memory + 128 (of 128 bytes)"}}, shape);
  expect_fault("cluster.cu", 1, {{Kind::out_of_bounds, "may not have begun"}}, shape);
  // Without a barrier between write and read, or at the end, the fault depends on the order: a block reads too early, or after the owner has left.
  for (int fault : {2, 5}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
      if (auto r = run("cluster.cu", fault, shape, seed); r.fault) {
        ++found;
        CHECK(r.fault->message.find("dynamic shared memory of block") != std::string::npos);
      }
    CHECK(found == kSeeds);
  }
}

TEST_CASE("launches that no device takes") {
  CHECK(run("tail.cu", 0, {.grid = 0}, 1).fault->kind == Kind::bad_launch);
  CHECK(run("tail.cu", 0, {.block = 2048}, 1).fault->kind == Kind::bad_launch);
  CHECK(run("tail.cu", 0, {.grid = 3, .cluster = 2}, 1).fault->kind == Kind::bad_launch);
  CHECK(run("tail.cu", 0, {.shared = 300000}, 1).fault->kind == Kind::bad_launch);
}

TEST_CASE("16-bit formats round to nearest even") {
  // Every f16 goes to f32 and back.
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float v = simt::f16_to_f32(static_cast<unsigned short>(bits));
    if (std::isnan(v)) CHECK(simt::f64_to_f16(v) == 0x7fff);
    else CHECK(simt::f64_to_f16(v) == bits);
  }
  CHECK(simt::f64_to_f16(65519.99) == 0x7bff);
  CHECK(simt::f64_to_f16(65520) == 0x7c00);
  CHECK(simt::f64_to_f16(-1e300) == 0xfc00);
  CHECK(simt::f64_to_f16(0x1p-25) == 0);
  CHECK(simt::f64_to_f16(0x1.000001p-25) == 1);
  CHECK(simt::f64_to_f16(0x1.8p-24) == 2);
  CHECK(simt::f64_to_f16(1 + 0x1p-11) == 0x3c00);
  CHECK(simt::f64_to_f16(1 + 0x1.8p-10) == 0x3c02);
  CHECK(simt::f64_to_f16(0x1.ffcp-15 + 0x1p-25) == 0x0400);
  // bf16 is the upper half of f32.
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto v = simt::from_bits<float>(simt::Bits{bits} << 16);
    if (std::isnan(v)) CHECK(simt::f32_to_bf16(v) == 0x7fff);
    else CHECK(simt::f32_to_bf16(v) == bits);
  }
  CHECK(simt::f32_to_bf16(1 + 0x1p-8f) == 0x3f80);
  CHECK(simt::f32_to_bf16(1 + 0x1.8p-7f) == 0x3f82);
  CHECK(simt::f32_to_bf16(0x1.fffffep127f) == 0x7f80);
}
