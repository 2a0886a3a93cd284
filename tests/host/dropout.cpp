// Dropout on the host stream: the random numbers of the contract, masks in every form, and the fused softmax against its parts.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/dropout.h>
#include <doctest/doctest.h>

#include "host/dropout.hpp"
#include "support.hpp"

namespace {

using namespace support;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
adj_tensor tensor_as(std::vector<T>& v, adj_dtype dtype) {
  adj_tensor t;
  t.data = v.data();
  t.bytes = v.size() * sizeof(T);
  t.dtype = dtype;
  return t;
}

struct Dropped {
  std::vector<double> out;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> bits;
  std::int64_t words = -1;
};
Dropped drop(std::vector<double> in, double ratio, adj_random random, adj_dropout_mask mask = ADJ_DROPOUT_MASK_BOOL, bool training = true) {
  const auto n = static_cast<std::int64_t>(in.size());
  const adj_dropout_forward_descriptor d{.numel = n, .mask = mask, .training = training, .element = ADJ_F64};
  Dropped r;
  r.out.resize(in.size());
  r.bytes.resize(mask == ADJ_DROPOUT_MASK_BOOL ? in.size() : 0, 7);
  r.bits.resize(mask == ADJ_DROPOUT_MASK_BITS ? (in.size() + 31) / 32 : 0, 0x5a5a5a5a);
  adj_dropout_forward_args a;
  a.input = tensor(in);
  a.out = tensor(r.out);
  a.ratio.value = ratio;
  a.random = random;
  if (mask == ADJ_DROPOUT_MASK_BOOL) a.mask = tensor_as(r.bytes, ADJ_BOOL);
  if (mask == ADJ_DROPOUT_MASK_BITS) a.mask = tensor_as(r.bits, ADJ_U32);
  std::vector<std::int64_t> words{-1};
  a.words = tensor(words);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  r.words = words[0];
  return r;
}
std::vector<double> gradient(std::vector<double> dout, double ratio, adj_dropout_mask mask, Dropped forward, adj_random random = {}, bool training = true) {
  const adj_dropout_backward_descriptor d{.numel = static_cast<std::int64_t>(dout.size()), .mask = mask, .training = training, .element = ADJ_F64};
  std::vector<double> dinput(dout.size());
  adj_dropout_backward_args a;
  a.dout = tensor(dout);
  a.dinput = tensor(dinput);
  a.ratio.value = ratio;
  if (mask == ADJ_DROPOUT_MASK_BOOL) a.mask = tensor_as(forward.bytes, ADJ_BOOL);
  if (mask == ADJ_DROPOUT_MASK_BITS) a.mask = tensor_as(forward.bits, ADJ_U32);
  if (mask == ADJ_DROPOUT_MASK_NONE) a.random = random;
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return dinput;
}

}  // namespace

TEST_CASE("dropout draws the words of Philox4x32-10") {
  using Words = std::array<std::uint32_t, 4>;
  CHECK(adj::host::philox_block(0, 0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(adj::host::philox_block(42, 0, 0) == Words{0x9ceaf053, 0x77f5493b, 0x12bf50ad, 0x5742b3d7});
  CHECK(adj::host::philox_block(42, 0, 1) == Words{0xfcdb2127, 0x53ba6cfd, 0x838f5a6e, 0x744e06fb});
  CHECK(adj::host::philox_block(42, 1, 0) == Words{0x02933769, 0x2051e913, 0x3b68b038, 0xb62c409c});
  CHECK(adj::host::philox_block(0x123456789abcdef0, 5, 2) == Words{0x63f6cee6, 0xe463b929, 0x5ed79d8f, 0xfecbfd85});
}

TEST_CASE("dropout keeps the elements whose word is below the threshold") {
  // Words of seed 42: 9ceaf053 77f5493b 12bf50ad 5742b3d7 fcdb2127 53ba6cfd 838f5a6e 744e06fb; half of 2^32 is 80000000.
  const std::vector<double> in{1, 2, 3, 4, 5, 6, 7};
  const auto r = drop(in, 0.5, {42, 0, nullptr});
  CHECK(r.out == std::vector<double>{0, 4, 6, 8, 0, 12, 0});
  CHECK(r.bytes == std::vector<std::uint8_t>{0, 1, 1, 1, 0, 1, 0});
  CHECK(r.words == 8);
  // Offset 4: the mask begins four words later.
  CHECK(drop(in, 0.5, {42, 4, nullptr}).bytes == std::vector<std::uint8_t>([&] {
          auto all = drop(std::vector<double>(11, 1), 0.5, {42, 0, nullptr}).bytes;
          all.erase(all.begin(), all.begin() + 4);
          return all;
        }()));
  // A word at the threshold is dropped: floor((1 - ratio) * 2^32 + 0.5) = 0x77f5493b.
  CHECK(drop(in, 1 - 0x77f5493bp-32, {42, 0, nullptr}).bytes[1] == 0);
  CHECK(drop(in, 1 - 0x77f5493cp-32, {42, 0, nullptr}).bytes[1] == 1);
  // A ratio of 0 keeps everything and consumes as many words; a ratio next to 1 keeps nothing.
  CHECK(drop(in, 0, {42, 0, nullptr}).out == in);
  CHECK(drop(in, 0, {42, 0, nullptr}).words == 8);
  CHECK(drop(in, 1 - 0x1p-50, {42, 0, nullptr}).out == std::vector<double>(7, 0));
}

TEST_CASE("dropout takes seeds and offsets of 64 bits without loss") {
  const std::vector<double> in(64, 1);
  const auto base = drop(in, 0.5, {0x8000000000000001u, 0xfffffffffffffff0u, nullptr}).bytes;
  CHECK(base != drop(in, 0.5, {0x8000000000000000u, 0xfffffffffffffff0u, nullptr}).bytes);
  CHECK(base != drop(in, 0.5, {0x8000000000000001u, 0xffffffffffffffecu, nullptr}).bytes);
  const std::uint64_t state[2] = {0x8000000000000001u, 0xfffffffffffffff0u};
  CHECK(base == drop(in, 0.5, {1, 2, state}).bytes);
}

TEST_CASE("dropout masks agree in every form, and gradients follow them") {
  const adj_random random{7, 12, nullptr};
  const auto in = wave(71, 0.4), dout = wave(71, 1.9);
  const auto bytes = drop(in, 0.3, random), bits = drop(in, 0.3, random, ADJ_DROPOUT_MASK_BITS), none = drop(in, 0.3, random, ADJ_DROPOUT_MASK_NONE);
  CHECK(bytes.out == bits.out);
  CHECK(bytes.out == none.out);
  for (std::size_t e = 0; e < 96; ++e) CHECK((bits.bits[e / 32] >> (e % 32) & 1) == (e < 71 ? bytes.bytes[e] : 0));
  std::vector<double> want(71);
  for (std::size_t e = 0; e < 71; ++e) want[e] = bytes.bytes[e] ? dout[e] * (1 / 0.7) : 0;
  auto with = [&](adj_dropout_mask mask, const Dropped& from) { return gradient(dout, 0.3, mask, from, random); };
  const auto got = with(ADJ_DROPOUT_MASK_BOOL, bytes);
  for (std::size_t e = 0; e < 71; ++e) CHECK(std::fabs(got[e] - want[e]) <= 1e-15);
  CHECK(with(ADJ_DROPOUT_MASK_BITS, bits) == got);
  CHECK(with(ADJ_DROPOUT_MASK_NONE, none) == got);
  // <out, dout> = <in, dinput>: dropout is linear.
  double left = 0, right = 0;
  for (std::size_t e = 0; e < 71; ++e) left += bytes.out[e] * dout[e], right += in[e] * got[e];
  CHECK(std::fabs(left - right) < 1e-12);
}

TEST_CASE("dropout outside of training is the identity") {
  const auto in = wave(37, 0.1);
  const auto r = drop(in, -5, {3, 1, nullptr}, ADJ_DROPOUT_MASK_BITS, false);
  CHECK(r.out == in);
  CHECK(r.bits == std::vector<std::uint32_t>{0xffffffff, 0xffffffff});
  CHECK(r.words == 0);
  CHECK(drop(in, 0.5, {}, ADJ_DROPOUT_MASK_BOOL, false).bytes == std::vector<std::uint8_t>(37, 1));
  CHECK(gradient(in, 0.5, ADJ_DROPOUT_MASK_BITS, r, {}, false) == in);
  // At a ratio of 0 the gradient does not read the mask.
  Dropped zeros;
  zeros.bytes.assign(37, 0);
  CHECK(gradient(in, 0, ADJ_DROPOUT_MASK_BOOL, zeros) == in);
}

TEST_CASE("dropout at a ratio of 1 drops every element, in both directions and whatever a mask says") {
  const std::vector<double> in{1, -2, kNan, kInfinity, -kInfinity};
  for (adj_dropout_mask mask : {ADJ_DROPOUT_MASK_BOOL, ADJ_DROPOUT_MASK_BITS, ADJ_DROPOUT_MASK_NONE}) {
    Dropped r = drop(in, 1, {42, 0, nullptr}, mask);
    for (double v : r.out) CHECK((v == 0 && !std::signbit(v)));
    for (std::uint8_t byte : r.bytes) CHECK(byte == 0);
    for (std::uint32_t word : r.bits) CHECK(word == 0);
    CHECK(r.words == 8);
    r.bytes.assign(r.bytes.size(), 1);
    r.bits.assign(r.bits.size(), 0xffffffff);
    for (double v : gradient(in, 1, mask, r, {42, 0, nullptr})) CHECK((v == 0 && !std::signbit(v)));
  }
}

TEST_CASE("dropout on the host refuses an offset in memory that is no multiple of 4, and leaves it") {
  std::uint64_t state[2] = {42, 11};
  std::vector<double> in(5, 1), out(5);
  adj_dropout_forward_descriptor d{.numel = 5, .mask = ADJ_DROPOUT_MASK_NONE, .advance_offset = 1, .element = ADJ_F64};
  adj_dropout_forward_args a;
  a.input = tensor(in);
  a.out = tensor(out);
  a.ratio.value = 0.5;
  a.random.device = state;
  auto refused = run(d, a);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "dropout_forward: random.offset = 11 is not a multiple of 4");
  CHECK((state[1] == 11 && out == std::vector<double>(5)));
  state[1] = 8;
  REQUIRE(run(d, a).ok());
  CHECK(out == drop(in, 0.5, {42, 8, nullptr}, ADJ_DROPOUT_MASK_NONE).out);
  CHECK(state[1] == 16);
}

TEST_CASE("dropout in training refuses a random that was not given") {
  std::vector<double> in(4, 1), out(4, 9);
  std::vector<std::uint8_t> mask(4, 9);
  auto refused = [&](const auto& d, auto a, const char* op) {
    auto ok = run(d, a);
    REQUIRE_FALSE(ok.ok());
    CHECK(ok.error().code == ADJ_ERROR_INVALID_VALUE);
    CHECK_MESSAGE(ok.error().message.find(std::string(op) + ": random was not given") == 0, ok.error().message);
    CHECK(out == std::vector<double>(4, 9));
  };
  adj_dropout_forward_args f;
  f.input = tensor(in);
  f.ratio.value = 0.5;
  f.out = tensor(out);
  f.mask = tensor_as(mask, ADJ_BOOL);
  adj_dropout_forward_descriptor forward{.numel = 4, .element = ADJ_F64};
  refused(forward, f, "dropout_forward");
  f.random.seed = 42;
  refused(forward, f, "dropout_forward");
  f.random = {.seed = 42};
  CHECK(run(forward, f).ok());
  forward.training = 0;
  f.random = adj_dropout_forward_args().random;
  CHECK(run(forward, f).ok());
  out.assign(4, 9);
  adj_dropout_backward_args b;
  b.dout = tensor(in);
  b.ratio.value = 0.5;
  b.dinput = tensor(out);
  adj_dropout_backward_descriptor backward{.numel = 4, .mask = ADJ_DROPOUT_MASK_NONE, .element = ADJ_F64};
  refused(backward, b, "dropout_backward");
  backward.mask = ADJ_DROPOUT_MASK_BOOL;  // nothing is drawn
  b.mask = tensor_as(mask, ADJ_BOOL);
  CHECK(run(backward, b).ok());
  out.assign(4, 9);
  adj_bias_softmax_dropout_forward_args s;
  s.input = tensor(in);
  s.ratio.value = 0.5;
  s.out = tensor(out);
  s.mask = tensor_as(mask, ADJ_BOOL);
  refused(adj_bias_softmax_dropout_forward_descriptor{.rows = 2, .columns = 2, .element = ADJ_F64}, s, "bias_softmax_dropout_forward");
  adj_softmax_dropout_backward_args g;
  g.dout = tensor(in);
  g.softmax_out = tensor(in);
  g.ratio.value = 0.5;
  g.dinput = tensor(out);
  refused(adj_softmax_dropout_backward_descriptor{.rows = 2, .columns = 2, .mask = ADJ_DROPOUT_MASK_NONE, .element = ADJ_F64}, g, "softmax_dropout_backward");
}

TEST_CASE("dropout writes exact zeros over NaN and infinities") {
  std::vector<double> in(64, kNan);
  for (std::size_t i = 1; i < in.size(); i += 2) in[i] = -kInfinity;
  const auto r = drop(in, 0.5, {1, 0, nullptr});
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!r.bytes[i]) CHECK(r.out[i] == 0);
    else if (i % 2) CHECK(r.out[i] == -kInfinity);
    else CHECK(std::isnan(r.out[i]));
  }
}

TEST_CASE("dropout advances an offset on the device") {
  std::uint64_t state[2] = {42, 8};
  std::vector<double> in(5, 1), out(5);
  adj_dropout_forward_descriptor d{.numel = 5, .mask = ADJ_DROPOUT_MASK_NONE, .advance_offset = 1, .element = ADJ_F64};
  adj_dropout_forward_args a;
  a.input = tensor(in);
  a.out = tensor(out);
  a.ratio.value = 0.25;
  a.random.device = state;
  REQUIRE(run(d, a).ok());
  CHECK(state[1] == 16);
  CHECK(state[0] == 42);
  a.random = {42, 8, nullptr};
  auto refused = run(d, a);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("random must be on the device") != std::string::npos);
}

namespace {

// Forward call with ONNX Runtime's mapping: its mask, and the number of words that it has consumed.
Dropped drop_by_thread(std::int64_t n, double ratio, std::uint64_t seed, std::uint64_t offset, int multiprocessors, int threads) {
  const adj_dropout_forward_descriptor d{
      .numel = n, .mapping = ADJ_DROPOUT_MAPPING_ONNX_RUNTIME, .multiprocessors = multiprocessors, .threads_per_multiprocessor = threads, .element = ADJ_F32};
  std::vector<float> in(static_cast<std::size_t>(n), 1), out(in.size());
  Dropped r;
  r.bytes.resize(in.size(), 7);
  std::vector<std::int64_t> words{-1};
  adj_dropout_forward_args a;
  a.input = tensor(in);
  a.out = tensor(out);
  a.ratio.value = ratio;
  a.random = {seed, offset, nullptr};
  a.mask = tensor_as(r.bytes, ADJ_BOOL);
  a.words = tensor(words);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  for (std::size_t e = 0; e < in.size(); ++e) CHECK(out[e] == (r.bytes[e] ? static_cast<float>(1 / (1 - ratio)) : 0));
  r.words = words[0];
  return r;
}

// ONNX Runtime's kernel, thread by thread: each thread strides over the grid and has a generator of its own.
std::vector<std::uint8_t> onnx_runtime_mask(std::int64_t n, float ratio, std::uint64_t seed, std::uint64_t offset, std::int64_t blocks) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(n), 9);
  for (std::int64_t thread = 0; thread < blocks * 256; ++thread) {
    std::uint64_t next = offset;  // word of the thread's generator
    for (std::int64_t first = 4 * thread; first < n; first += 4 * 256 * blocks)
      for (std::int64_t i = 0; i < 4; ++i, ++next) {
        const std::uint32_t word = adj::host::philox_block(seed, static_cast<std::uint64_t>(thread), next / 4)[next % 4];
        const float uniform = static_cast<float>(word) * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
        if (first + i < n) mask[static_cast<std::size_t>(first + i)] = uniform < 1.0f - ratio;
      }
  }
  return mask;
}

}  // namespace

TEST_CASE("dropout with the mapping of ONNX Runtime draws what its threads draw") {
  // Subsequence 0 of seed 42 from word 2 on: 12bf50ad 5742b3d7 fcdb2127 53ba6cfd; subsequence 1 from word 0 on: 02933769 2051e913 3b68b038 b62c409c.
  using Mask = std::vector<std::uint8_t>;
  CHECK(drop_by_thread(4, 0.5, 42, 2, 108, 2048).bytes == Mask{1, 1, 0, 1});
  const Mask second = drop_by_thread(8, 0.5, 42, 0, 108, 2048).bytes;
  CHECK(Mask(second.begin() + 4, second.end()) == Mask{1, 1, 1, 0});
  // Subsequence 5 of seed 123456789abcdef0 from word 8 on: 63f6cee6 e463b929 5ed79d8f fecbfd85.
  const Mask sixth = drop_by_thread(24, 0.5, 0x123456789abcdef0u, 8, 80, 2048).bytes;
  CHECK(Mask(sixth.begin() + 20, sixth.end()) == Mask{1, 0, 1, 0});

  struct Device {
    int multiprocessors, threads;
    std::int64_t most_blocks;
  };
  for (const Device& device : {Device{1, 256, 1}, Device{2, 1024, 8}, Device{3, 800, 9}, Device{132, 2048, 1056}})
    for (std::int64_t n : {1, 1000, 1025, 20000})
      for (std::uint64_t offset : {0, 4, 5, 18}) {
        const std::int64_t blocks = std::min(device.most_blocks, (n + 1023) / 1024);
        const auto got = drop_by_thread(n, 0.25, 7, offset, device.multiprocessors, device.threads);
        CHECK(got.bytes == onnx_runtime_mask(n, 0.25f, 7, offset, blocks));
        CHECK(got.words == 4 * ((n + 1024 * blocks - 1) / (1024 * blocks)));
      }
  // The comparison is made in f32: word 9ceaf053 is at the threshold of this ratio.
  const float uniform = static_cast<float>(0x9ceaf053u) * 0x1p-32f + 0x1p-33f;
  CHECK(drop_by_thread(1, 1 - uniform, 42, 0, 1, 256).bytes[0] == 0);
  CHECK(drop_by_thread(1, 1 - uniform - 0x1p-24f, 42, 0, 1, 256).bytes[0] == 1);
  CHECK(drop_by_thread(3000, 0, 42, 1, 1, 256).bytes == Mask(3000, 1));
}

TEST_CASE("dropout's gradient draws the numbers of ONNX Runtime again, and the offset advances by what a thread takes") {
  std::vector<float> dout(5000, 1), dinput(5000);
  const auto forward = drop_by_thread(5000, 0.5, 9, 3, 2, 256);
  const adj_dropout_backward_descriptor d{.numel = 5000,
                                          .mask = ADJ_DROPOUT_MASK_NONE,
                                          .mapping = ADJ_DROPOUT_MAPPING_ONNX_RUNTIME,
                                          .multiprocessors = 2,
                                          .threads_per_multiprocessor = 256,
                                          .element = ADJ_F32};
  adj_dropout_backward_args a;
  a.dout = tensor(dout);
  a.dinput = tensor(dinput);
  a.ratio.value = 0.5;
  a.random = {9, 3, nullptr};
  REQUIRE(run(d, a).ok());
  for (std::size_t e = 0; e < dout.size(); ++e) CHECK(dinput[e] == 2 * forward.bytes[e]);
  std::uint64_t state[2] = {9, 3};
  const adj_dropout_forward_descriptor advancing{.numel = 5000,
                                                 .mask = ADJ_DROPOUT_MASK_NONE,
                                                 .advance_offset = 1,
                                                 .mapping = ADJ_DROPOUT_MAPPING_ONNX_RUNTIME,
                                                 .multiprocessors = 2,
                                                 .threads_per_multiprocessor = 256,
                                                 .element = ADJ_F32};
  adj_dropout_forward_args again;
  again.input = tensor(dout);
  again.out = tensor(dinput);
  again.ratio.value = 0.5;
  again.random.device = state;
  REQUIRE(run(advancing, again).ok());
  CHECK(state[1] == 3 + 4 * 3);  // two blocks of 1024 elements at a time
}

TEST_CASE("dropout refuses a mapping without its numbers, and numbers without a mapping") {
  auto refused = [](const auto& d, const char* named) {
    std::string message;
    CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK_MESSAGE(message.find(named) != std::string::npos, message);
  };
  using Forward = adj_dropout_forward_descriptor;
  using Backward = adj_dropout_backward_descriptor;
  constexpr auto kMapping = ADJ_DROPOUT_MAPPING_ONNX_RUNTIME;
  refused(Forward{.numel = 4, .mapping = kMapping, .threads_per_multiprocessor = 2048, .element = ADJ_F32}, "multiprocessors = 0");
  refused(Forward{.numel = 4, .mapping = kMapping, .multiprocessors = 108, .threads_per_multiprocessor = 255, .element = ADJ_F32},
          "threads_per_multiprocessor = 255");
  refused(Forward{.numel = 4, .mapping = kMapping, .multiprocessors = 70000, .threads_per_multiprocessor = 2048, .element = ADJ_F32},
          "multiprocessors = 70000");
  refused(Forward{.numel = 4, .multiprocessors = 108, .element = ADJ_F32}, "multiprocessors = 108 is set");
  refused(Backward{.numel = 4, .threads_per_multiprocessor = 2048, .element = ADJ_F32}, "threads_per_multiprocessor = 2048 is set");
  refused(Backward{.numel = 4, .mapping = kMapping, .multiprocessors = 108, .threads_per_multiprocessor = 2048, .element = ADJ_F32}, "needs no mask");
  CHECK(select_status(Forward{.numel = 4, .mapping = adj_dropout_mapping{2}, .element = ADJ_F32}) == ADJ_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("dropout refuses what cannot be") {
  std::string message;
  using Descriptor = adj_dropout_forward_descriptor;
  CHECK(select_status(Descriptor{.element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("numel was not given") != std::string::npos);
  CHECK(select_status(Descriptor{.numel = -4, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Descriptor{.numel = 4, .mask = adj_dropout_mask{4}, .element = ADJ_F32}) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(select_status(Descriptor{.numel = 4, .training = 2, .element = ADJ_F32}) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(select_status(Descriptor{.numel = 4, .training = 0, .advance_offset = 1, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("advance_offset = 1 is set, but training is 0") != std::string::npos);
  CHECK(select_status(Descriptor{.numel = 4, .element = ADJ_I32}) == ADJ_ERROR_UNSUPPORTED);
  std::vector<double> in(4, 1), out(4, 9);
  std::vector<std::uint8_t> mask(4, 9);
  const Descriptor d{.numel = 4, .element = ADJ_F64};
  adj_dropout_forward_args a;
  a.input = tensor(in);
  a.out = tensor(out);
  a.mask = tensor_as(mask, ADJ_BOOL);
  a.random = {.seed = 1};
  for (double ratio : {-1.0, 1 + 0x1p-52, 1.5, -0.1, kNan}) {
    a.ratio.value = ratio;
    auto refused = run(d, a);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ADJ_ERROR_INVALID_VALUE);
    CHECK(refused.error().message.find("outside of [0, 1]") != std::string::npos);
  }
  a.ratio.value = 0.5;
  a.random.offset = 6;
  CHECK(run(d, a).error().message.find("random.offset = 6 is not a multiple of 4") != std::string::npos);
  std::uint64_t state[] = {1, 6};
  a.random.device = state;
  CHECK(run(d, a).error().message.find("random.offset = 6 is not a multiple of 4") != std::string::npos);
  adj_dropout_backward_descriptor backward{.numel = d.numel, .mask = ADJ_DROPOUT_MASK_NONE, .element = d.element};
  std::vector<double> dinput(4);
  adj_dropout_backward_args gradient{.dout = a.input, .ratio = a.ratio, .random = a.random, .dinput = tensor(dinput)};
  CHECK(run(backward, gradient).error().message.find("random.offset = 6 is not a multiple of 4") != std::string::npos);
  state[1] = 4;
  CHECK(run(backward, gradient).ok());
  a.random = {.seed = 1, .offset = 4};
  a.mask.dtype = ADJ_U8;
  CHECK(run(d, a).error().code == ADJ_ERROR_DTYPE_MISMATCH);
  a.mask = {};
  CHECK(run(d, a).error().code == ADJ_ERROR_NULL_BUFFER);
  a.mask = tensor_as(mask, ADJ_BOOL);
  a.mask.bytes = 3;
  CHECK(run(d, a).error().code == ADJ_ERROR_BUFFER_TOO_SMALL);
  CHECK(out == std::vector<double>(4, 9));
  CHECK(mask == std::vector<std::uint8_t>(4, 9));
}

namespace {

struct Row {
  std::vector<double> out, softmax;
  std::vector<std::uint8_t> mask;
};
Row softmax_dropout(std::int64_t rows, std::int64_t columns, std::vector<double> in, std::vector<double> bias, bool inner, double ratio, adj_random random,
                    bool zero_masked = false) {
  const adj_bias_softmax_dropout_forward_descriptor d{.rows = rows,
                                                      .columns = columns,
                                                      .bias_rows = static_cast<std::int64_t>(bias.size()) / columns,
                                                      .inner_broadcast = inner,
                                                      .zero_masked_rows = zero_masked,
                                                      .element = ADJ_F64};
  Row r{std::vector<double>(in.size()), std::vector<double>(in.size()), std::vector<std::uint8_t>(in.size())};
  adj_bias_softmax_dropout_forward_args a;
  a.input = tensor(in);
  if (!bias.empty()) a.bias = tensor(bias);
  a.ratio.value = ratio;
  a.random = random;
  a.out = tensor(r.out);
  a.softmax_out = tensor(r.softmax);
  a.mask = tensor_as(r.mask, ADJ_BOOL);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return r;
}
std::vector<double> softmax_dropout_gradient(std::int64_t rows, std::int64_t columns, std::vector<double> dout, Row forward, double ratio) {
  const adj_softmax_dropout_backward_descriptor d{.rows = rows, .columns = columns, .element = ADJ_F64};
  std::vector<double> dinput(dout.size());
  adj_softmax_dropout_backward_args a;
  a.dout = tensor(dout);
  a.softmax_out = tensor(forward.softmax);
  a.mask = tensor_as(forward.mask, ADJ_BOOL);
  a.ratio.value = ratio;
  a.dinput = tensor(dinput);
  REQUIRE(run(d, a).ok());
  return dinput;
}

}  // namespace

TEST_CASE("softmax with a bias and dropout is the three one after the other") {
  const adj_random random{42, 0, nullptr};
  constexpr std::int64_t kRows = 6, kColumns = 5;
  const auto in = wave(kRows * kColumns, 0.7), bias = wave(2 * kColumns, 2.5);
  for (bool inner : {false, true}) {
    const auto r = softmax_dropout(kRows, kColumns, in, bias, inner, 0.5, random);
    CHECK(r.mask == drop(std::vector<double>(in.size(), 1), 0.5, random).bytes);
    for (std::int64_t row = 0; row < kRows; ++row) {
      const std::int64_t b = inner ? row / 3 : row % 2;
      double sum = 0;
      auto score = [&](std::int64_t c) { return in[static_cast<std::size_t>(row * kColumns + c)] + bias[static_cast<std::size_t>(b * kColumns + c)]; };
      for (std::int64_t c = 0; c < kColumns; ++c) sum += std::exp(score(c));
      for (std::int64_t c = 0; c < kColumns; ++c) {
        const auto at = static_cast<std::size_t>(row * kColumns + c);
        CHECK(std::fabs(r.softmax[at] - std::exp(score(c)) / sum) < 1e-14);
        CHECK(r.out[at] == (r.mask[at] ? 2 * r.softmax[at] : 0));
      }
    }
  }
}

TEST_CASE("softmax with dropout: the gradient follows a stored mask at any ratio but 1") {
  const std::vector<double> dout{1, 2, 3, 4}, y{0.1, 0.2, 0.3, 0.4};
  auto of = [&](std::vector<std::uint8_t> mask, double ratio) {
    Row forward;
    forward.softmax = y;
    forward.mask = std::move(mask);
    return softmax_dropout_gradient(2, 2, dout, forward, ratio);
  };
  const double first = 1 * 0.1, second = 4 * 0.4;
  const std::vector<double> want{0.1 * (1 - first), 0.2 * (0 - first), 0.3 * (0 - second), 0.4 * (4 - second)};
  const auto got = of({1, 0, 0, 1}, 0), halved = of({1, 0, 0, 1}, 0.5);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::fabs(got[i] - want[i]) < 1e-15);
    CHECK(std::fabs(halved[i] - 2 * want[i]) < 1e-15);
  }
  CHECK(of({1, 1, 1, 1}, 1) == std::vector<double>(4, 0));
}

TEST_CASE("softmax with dropout at a ratio of 1 is 0, beside a softmax") {
  const auto in = wave(6, 0.3);
  const auto r = softmax_dropout(2, 3, in, {}, false, 1, {3, 4, nullptr});
  CHECK(r.out == std::vector<double>(6, 0));
  CHECK(r.mask == std::vector<std::uint8_t>(6, 0));
  CHECK(std::fabs(r.softmax[0] + r.softmax[1] + r.softmax[2] - 1) < 1e-15);
}

TEST_CASE("softmax with dropout: gradient against central differences, and rows without a score") {
  const adj_random random{5, 16, nullptr};
  constexpr std::int64_t kRows = 3, kColumns = 4;
  const auto in = wave(kRows * kColumns, 0.2), dout = wave(kRows * kColumns, 1.2);
  const auto got = softmax_dropout_gradient(kRows, kColumns, dout, softmax_dropout(kRows, kColumns, in, {}, false, 0.4, random), 0.4);
  for (std::size_t i = 0; i < in.size(); ++i) {
    constexpr double kStep = 1e-5;
    auto moved = in;
    moved[i] = in[i] + kStep;
    const auto up = softmax_dropout(kRows, kColumns, moved, {}, false, 0.4, random).out;
    moved[i] = in[i] - kStep;
    const auto down = softmax_dropout(kRows, kColumns, moved, {}, false, 0.4, random).out;
    double want = 0;
    for (std::size_t k = 0; k < in.size(); ++k) want += dout[k] * (up[k] - down[k]) / (2 * kStep);
    CHECK(std::fabs(got[i] - want) < 1e-8);
  }
  auto masked = in;
  for (std::size_t c = 0; c < 4; ++c) masked[c] = -kInfinity;
  const auto nan = softmax_dropout(kRows, kColumns, masked, {}, false, 0, random), zero = softmax_dropout(kRows, kColumns, masked, {}, false, 0, random, true);
  for (std::size_t c = 0; c < 4; ++c) {
    CHECK(std::isnan(nan.softmax[c]));
    CHECK(zero.softmax[c] == 0);
    CHECK(zero.out[c] == 0);
  }
  for (std::size_t c = 4; c < 12; ++c) CHECK(nan.softmax[c] == zero.softmax[c]);
}

namespace {

using SoftmaxDescriptor = adj_bias_softmax_dropout_forward_descriptor;
using SoftmaxBackwardDescriptor = adj_softmax_dropout_backward_descriptor;
constexpr auto kOnnxRuntime = ADJ_DROPOUT_MAPPING_ONNX_RUNTIME;

// A forward call of equal scores with the mapping of ONNX Runtime: its mask, and the words it has consumed.
Dropped softmax_drop_by_thread(const SoftmaxDescriptor& d, double ratio, std::uint64_t seed, std::uint64_t offset) {
  std::vector<float> in(static_cast<std::size_t>(d.rows * d.columns), 1), out(in.size());
  std::vector<std::int64_t> words{-1};
  Dropped r;
  r.bytes.resize(in.size(), 7);
  adj_bias_softmax_dropout_forward_args a;
  a.input = tensor(in);
  a.out = tensor(out);
  a.mask = tensor_as(r.bytes, ADJ_BOOL);
  a.words = tensor(words);
  a.ratio.value = ratio;
  a.random = {seed, offset, nullptr};
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  for (std::size_t e = 0; e < in.size(); ++e) CHECK((out[e] > 0) == (r.bytes[e] == 1));
  r.words = words[0];
  return r;
}
// ONNX Runtime's fused kernel as it is written: blocks of 128 threads, each group of which has one row or two.
std::vector<std::uint8_t> onnx_runtime_row_mask(std::int64_t rows, std::int64_t columns, float ratio, std::uint64_t seed, std::uint64_t offset, bool unaligned,
                                                std::int64_t& words) {
  std::int64_t power = 1;
  while (power < columns) power *= 2;
  const std::int64_t lanes = std::min<std::int64_t>(power, 32), thread_columns = power / lanes, together = power <= 128 ? 2 : 1, groups = 128 / lanes;
  const std::int64_t unroll = columns % 4 == 0 && thread_columns >= 4 && !unaligned ? 4 : 1;
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(rows * columns), 9);
  for (std::int64_t block = 0; block * groups * together < rows; ++block)
    for (std::int64_t group = 0; group < groups; ++group)
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const auto thread = static_cast<std::uint64_t>(block * 128 + group * lanes + lane);
        std::uint64_t next = offset;  // word of the thread's generator
        for (std::int64_t i = 0; i < together; ++i)
          for (std::int64_t c = 0; c < thread_columns; c += unroll)
            for (std::int64_t j = 0; j < unroll; ++j, ++next) {
              const std::int64_t row = (block * groups + group) * together + i, column = c * lanes + unroll * lane + j;
              const std::uint32_t word = adj::host::philox_block(seed, thread, next / 4)[next % 4];
              const float uniform = static_cast<float>(word) * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
              if (row < rows && column < columns) mask[static_cast<std::size_t>(row * columns + column)] = uniform < 1.0f - ratio;
            }
        words = static_cast<std::int64_t>(next - offset);
      }
  return mask;
}

}  // namespace

TEST_CASE("softmax with dropout and the mapping of ONNX Runtime draws what its threads draw") {
  for (std::int64_t columns : {1, 2, 3, 5, 8, 31, 32, 33, 64, 100, 126, 128, 129, 132, 200, 256, 1001, 1024, 2047, 2048})
    for (std::int64_t rows : {1, 2, 5, 270})
      for (bool unaligned : {false, true})
        for (std::uint64_t offset : {0, 6, 13}) {
          if (rows * columns > 300'000 || (rows > 5 && offset != 6)) continue;
          CAPTURE(columns);
          CAPTURE(rows);
          const SoftmaxDescriptor d{.rows = rows, .columns = columns, .mapping = kOnnxRuntime, .unaligned = unaligned, .element = ADJ_F32};
          const auto got = softmax_drop_by_thread(d, 0.25, 11, offset);
          std::int64_t words = 0;
          CHECK(got.bytes == onnx_runtime_row_mask(rows, columns, 0.25f, 11, offset, unaligned, words));
          CHECK(got.words == words);
        }
  // Longer rows are those of the dropout kernel, which counts over all rows.
  const SoftmaxDescriptor longer{
      .rows = 3, .columns = 2050, .mapping = kOnnxRuntime, .multiprocessors = 2, .threads_per_multiprocessor = 512, .element = ADJ_F32};
  const auto got = softmax_drop_by_thread(longer, 0.25, 7, 18);
  CHECK(got.bytes == onnx_runtime_mask(3 * 2050, 0.25f, 7, 18, 4));
  CHECK(got.words == 4 * 2);
  // At a ratio of 0 the largest words drop their elements.
  constexpr std::uint64_t kLastSeed = 16390493;
  const SoftmaxDescriptor one{.rows = 1, .columns = 1, .mapping = kOnnxRuntime, .element = ADJ_F32};
  CHECK(adj::host::philox_block(kLastSeed, 0, 0)[0] >= 0xffffff80u);
  CHECK(softmax_drop_by_thread(one, 0, kLastSeed, 0).bytes[0] == 0);
  CHECK(softmax_drop_by_thread(one, 0, 42, 0).bytes[0] == 1);
}

TEST_CASE("the gradient of softmax with dropout draws the numbers of ONNX Runtime again, and the offset advances by what a thread takes") {
  for (std::int64_t columns : {100, 512, 3000}) {
    CAPTURE(columns);
    const std::int64_t rows = 7;
    const int device = columns > 2048;
    const SoftmaxDescriptor d{.rows = rows,
                              .columns = columns,
                              .advance_offset = 1,
                              .mapping = kOnnxRuntime,
                              .multiprocessors = device,
                              .threads_per_multiprocessor = 256 * device,
                              .element = ADJ_F32};
    SoftmaxDescriptor standing = d;
    standing.advance_offset = 0;
    const auto forward = softmax_drop_by_thread(standing, 0.5, 9, 3);
    std::uint64_t state[2] = {9, 3};
    std::vector<float> in(static_cast<std::size_t>(rows * columns), 1), out(in.size()), dinput(in.size());
    std::vector<std::uint8_t> mask(in.size());
    adj_bias_softmax_dropout_forward_args again;
    again.input = tensor(in);
    again.out = tensor(out);
    again.mask = tensor_as(mask, ADJ_BOOL);
    again.ratio.value = 0.5;
    again.random.device = state;
    REQUIRE(run(d, again).ok());
    CHECK(mask == forward.bytes);
    CHECK(static_cast<std::int64_t>(state[1]) == 3 + forward.words);
    // With equal dout the gradient is positive where the element is kept.
    const SoftmaxBackwardDescriptor b{.rows = rows,
                                      .columns = columns,
                                      .mask = ADJ_DROPOUT_MASK_NONE,
                                      .mapping = kOnnxRuntime,
                                      .multiprocessors = device,
                                      .threads_per_multiprocessor = 256 * device,
                                      .element = ADJ_F32};
    std::vector<float> y(in.size(), 1 / static_cast<float>(columns));
    adj_softmax_dropout_backward_args a;
    a.dout = tensor(in);
    a.softmax_out = tensor(y);
    a.ratio.value = 0.5;
    a.random = {9, 3, nullptr};
    a.dinput = tensor(dinput);
    REQUIRE(run(b, a).ok());
    for (std::size_t e = 0; e < in.size(); ++e) CHECK((dinput[e] > 0) == (forward.bytes[e] == 1));
  }
}

TEST_CASE("softmax with dropout refuses a mapping without its numbers, and numbers without a mapping") {
  auto refused = [](const auto& d, const char* named) {
    std::string message;
    CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK_MESSAGE(message.find(named) != std::string::npos, message);
  };
  refused(SoftmaxDescriptor{.rows = 2, .columns = 2049, .mapping = kOnnxRuntime, .element = ADJ_F32}, "multiprocessors = 0");
  refused(SoftmaxDescriptor{.rows = 2, .columns = 20, .mapping = kOnnxRuntime, .threads_per_multiprocessor = 255, .element = ADJ_F32},
          "threads_per_multiprocessor = 255");
  refused(SoftmaxDescriptor{.rows = 2, .columns = 20, .multiprocessors = 108, .element = ADJ_F32}, "multiprocessors = 108 is set");
  refused(SoftmaxDescriptor{.rows = 2, .columns = 20, .unaligned = 1, .element = ADJ_F32}, "unaligned = 1 is set");
  refused(SoftmaxBackwardDescriptor{.rows = 2, .columns = 20, .unaligned = 1, .element = ADJ_F32}, "unaligned = 1 is set");
  refused(SoftmaxBackwardDescriptor{.rows = 2, .columns = 20, .mapping = kOnnxRuntime, .element = ADJ_F32}, "needs no mask");
  CHECK(select_status(SoftmaxDescriptor{.rows = 2, .columns = 20, .mapping = adj_dropout_mapping{2}, .element = ADJ_F32}) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(select_status(SoftmaxDescriptor{.rows = 2, .columns = 20, .mapping = kOnnxRuntime, .unaligned = 2, .element = ADJ_F32}) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(select_status(SoftmaxDescriptor{
            .rows = 2, .columns = 20, .mapping = kOnnxRuntime, .multiprocessors = 108, .threads_per_multiprocessor = 2048, .element = ADJ_F32}) == ADJ_OK);
}

TEST_CASE("softmax with dropout refuses a bias that does not fit") {
  std::string message;
  using Descriptor = adj_bias_softmax_dropout_forward_descriptor;
  CHECK(select_status(Descriptor{.rows = 6, .columns = 4, .bias_rows = 4, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("bias_rows = 4 does not divide rows") != std::string::npos);
  CHECK(select_status(Descriptor{.rows = 6, .columns = 4, .inner_broadcast = 1, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Descriptor{.rows = 6, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Descriptor{.rows = std::int64_t{1} << 40, .columns = std::int64_t{1} << 40, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Descriptor{.rows = 0, .columns = 4, .element = ADJ_BF16}) == ADJ_OK);
}
