// What a host run takes from its caller: nothing of the thread's floating-point environment, and no tensor without memory.
#include <doctest/doctest.h>

#include <adjoint/adjoint.hpp>

#include <bit>
#include <cfenv>
#include <cstdint>
#include <vector>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace adjoint;

namespace {

// Bits of relu on small numbers, subnormal ones among them, and of a step of SGD.
std::vector<std::uint32_t> results() {
  const std::vector<float> x{1e-39f, -1e-40f, 1e-45f, 0.1f, 3e-38f, 1.0f / 3};
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<float> y(x.size()), w = x;
  const Stream stream = Stream::host();
  const ActivationForwardDescriptor relu{.inner = n, .function = ADJ_ACTIVATION_RELU, .element = ADJ_F32};
  const ActivationForwardArgs args{.input = tensor(x.data(), {n}), .out = tensor(y.data(), {n})};
  REQUIRE(ActivationForwardPlan::cached(stream, relu)->run(stream, {}, args));
  void *params[] = {w.data()}, *grads[] = {y.data()};
  const std::int64_t numel[] = {n};
  const std::uint64_t bytes[] = {sizeof(float) * x.size()};
  const SgdDescriptor sgd{.count = 1, .numel = numel, .param = ADJ_F32};
  const SgdArgs step{.params = tensor_list(ADJ_F32, params, bytes), .grads = tensor_list(ADJ_F32, grads, bytes), .lr = value(0.1)};
  REQUIRE(SgdPlan::cached(stream, sgd)->run(stream, {}, step));
  std::vector<std::uint32_t> bits;
  for (float v : y) bits.push_back(std::bit_cast<std::uint32_t>(v));
  for (float v : w) bits.push_back(std::bit_cast<std::uint32_t>(v));
  return bits;
}

}  // namespace

TEST_CASE("a host run has the same bits whatever the floating-point environment, and leaves it") {
  const auto expected = results();
  CHECK(std::bit_cast<float>(expected[0]) == 1e-39f);
  std::fenv_t before;
  REQUIRE(std::fegetenv(&before) == 0);
  for (int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    REQUIRE(std::fesetround(rounding) == 0);
    const auto found = results();
    const int after = std::fegetround();
    std::fesetenv(&before);
    CHECK(found == expected);
    CHECK(after == rounding);
  }
#if defined(__x86_64__)
  constexpr unsigned kFlush = 0x8040;  // flush results to zero, take subnormal operands as zero
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | kFlush);
  const auto found = results();
  const unsigned after = _mm_getcsr();
  _mm_setcsr(mode);
  CHECK(found == expected);
  CHECK((after & kFlush) == kFlush);
#endif
}

TEST_CASE("a tensor without memory that has bytes is refused, also where it may be left out") {
  const std::vector<float> x{1, 2, 3, 4};
  std::vector<float> y(4, 7);
  const Stream stream = Stream::host();
  const RmsNormForwardDescriptor d{.shape = {2, {2, 2}}, .axis = 1, .element = ADJ_F32};
  RmsNormForwardArgs args{.input = tensor(x.data(), {2, 2}), .out = tensor(y.data(), {2, 2})};
  args.gamma = tensor(static_cast<const float*>(nullptr), {2});
  REQUIRE(args.gamma.bytes == 8);
  const auto failed = RmsNormForwardPlan::cached(stream, d)->run(stream, {}, args);
  REQUIRE(!failed);
  CHECK(failed.error().message == "rms_norm_forward: gamma.data is null and gamma.bytes is 8");
  CHECK(y == std::vector<float>(4, 7));
}
