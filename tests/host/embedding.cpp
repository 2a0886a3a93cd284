// The gradient of Gather on the host stream: values worked out by hand, the transpose of the forward operator, and the rules of
// the contract.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/embedding.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;

using Descriptor = adj_gather_grad_descriptor;
using Args = adj_gather_grad_args;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string refusal(const Descriptor& d, adj_status expected) {
  std::string message = "accepted";
  CHECK(select_status(d, &message) == expected);
  return message;
}

struct Axis {
  std::int64_t outer, extent, inner;
  std::int64_t volume() const { return outer * extent * inner; }
};

// `held`: what dinput holds before, accumulated into; none: overwritten, and must not be read.
template <class T, class I>
std::vector<T> gradient(Axis a, std::vector<T> dout, std::vector<I> indices, std::int64_t* errors = nullptr,
                        const std::vector<T>* held = nullptr) {
  const Descriptor d{.outer = a.outer, .extent = a.extent, .inner = a.inner, .num_indices = static_cast<std::int64_t>(indices.size()),
                     .element = adj::dtype_of<T>, .index = adj::dtype_of<I>,
                     .write_mode = held ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE};
  std::vector<T> dinput = held ? *held : std::vector<T>(static_cast<std::size_t>(a.volume()), static_cast<T>(kNan));
  std::vector<std::int64_t> flag{100};
  Args args;
  args.dout = tensor(dout);
  args.indices = tensor(indices);
  args.dinput = tensor(dinput);
  if (errors) args.error_flag = tensor(flag);
  auto ok = run(d, args);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  if (errors) *errors = flag[0] - 100;
  return dinput;
}

}  // namespace

TEST_CASE_TEMPLATE("gather gradient by hand", I, std::int32_t, std::int64_t) {
  // Axis 0 of [3, 2]: row 2 occurs twice, row 1 never.
  CHECK(gradient<double, I>({1, 3, 2}, {1, 2, 3, 4, 5, 6}, {2, 0, 2}) == std::vector<double>{3, 4, 0, 0, 6, 8});
  // The last axis of [2, 3].
  CHECK(gradient<double, I>({2, 3, 1}, {1, 2, 4, 8}, {1, 1}) == std::vector<double>{0, 3, 0, 0, 12, 0});
  // The middle axis of [2, 2, 2].
  CHECK(gradient<double, I>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {0, 1, 0}) ==
        std::vector<double>{6, 8, 3, 4, 18, 20, 9, 10});
  const std::vector<double> held{10, 20, 30};
  CHECK(gradient<double, I>({1, 3, 1}, {1, 2}, {2, 2}, nullptr, &held) == std::vector<double>{10, 20, 33});
}

TEST_CASE_TEMPLATE("negative indices name the rows that they count to from the end", I, std::int32_t, std::int64_t) {
  const Axis a{3, 5, 4};
  const auto dout = wave(3 * 4 * 4, 0.2);
  std::int64_t errors = -1;
  const auto got = gradient<double, I>(a, dout, {-1, 4, 0, -5}, &errors);
  CHECK(errors == 0);
  CHECK(got == gradient<double, I>(a, dout, {4, 4, 0, 0}));
}

TEST_CASE_TEMPLATE("indices out of range are skipped and counted once", I, std::int32_t, std::int64_t) {
  std::int64_t errors = -1;
  constexpr I most = std::numeric_limits<I>::max(), least = std::numeric_limits<I>::min();
  CHECK(gradient<double, I>({2, 2, 1}, {1, 2, 4, 8, 16, 1, 2, 4, 8, 16}, {2, -3, 1, most, least}, &errors) ==
        std::vector<double>{0, 4, 0, 4});
  CHECK(errors == 4);
  const std::vector<double> held{-1, -2, -3, -4};
  CHECK(gradient<double, I>({2, 2, 1}, {1, 2}, {7}, &errors, &held) == held);
  CHECK(errors == 1);
  CHECK(gradient<double, I>({1, 2, 1}, {1}, {7}) == std::vector<double>{0, 0});
}

TEST_CASE("gather gradient is the transpose of Gather") {
  for (Axis a : {Axis{1, 7, 3}, {4, 5, 1}, {3, 6, 8}, {2, 1, 5}}) {
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < 11; ++i) indices.push_back(i * 5 % (2 * a.extent) - a.extent);
    const auto input = wave(a.volume(), 0.4), dout = wave(a.outer * 11 * a.inner, 1.7);
    const auto got = gradient<double, std::int64_t>(a, dout, indices);
    double left = 0, right = 0;
    for (std::size_t i = 0; i < input.size(); ++i) left += input[i] * got[i];
    for (std::int64_t o = 0; o < a.outer; ++o)
      for (std::int64_t n = 0; n < 11; ++n)
        for (std::int64_t i = 0; i < a.inner; ++i) {
          const std::int64_t index = indices[static_cast<std::size_t>(n)], row = index < 0 ? index + a.extent : index;
          right += dout[static_cast<std::size_t>((o * 11 + n) * a.inner + i)] *
                   input[static_cast<std::size_t>((o * a.extent + row) * a.inner + i)];
        }
    CHECK(std::fabs(left - right) < 1e-12);
  }
}

TEST_CASE("16-bit sums are rounded once") {
  // One by one, 4096 ones would stop at 2048.
  const Descriptor d{.extent = 2, .num_indices = 4096, .element = ADJ_F16, .index = ADJ_I32};
  std::vector<std::uint16_t> dout(4096, 0x3c00), dinput(2, 0x7e00);
  std::vector<std::int32_t> indices(4096, -2);
  Args args;
  args.dout = tensor(dout);
  args.indices = tensor(indices);
  args.dinput = tensor(dinput);
  args.dout.dtype = args.dinput.dtype = ADJ_F16;
  auto ok = run(d, args);
  REQUIRE(ok.ok());
  CHECK(dinput == std::vector<std::uint16_t>{0x6c00, 0});
}

TEST_CASE("gather gradients without elements") {
  std::int64_t errors = -1;
  CHECK(gradient<float, std::int32_t>({2, 3, 2}, {}, {}) == std::vector<float>(12, 0));
  const std::vector<float> held{1, 2, 3};
  CHECK(gradient<float, std::int32_t>({1, 3, 1}, {}, {}, nullptr, &held) == held);
  CHECK(gradient<float, std::int32_t>({2, 0, 2}, std::vector<float>(8, 1), {0, -1}, &errors).empty());
  CHECK(errors == 2);
  CHECK(gradient<float, std::int32_t>({0, 3, 2}, {}, {0, 5}, &errors).empty());
  CHECK(errors == 1);
  CHECK(gradient<float, std::int32_t>({2, 3, 0}, {}, {0, 5}, &errors).empty());
  CHECK(errors == 1);
}

TEST_CASE("gather gradient: stated shapes, and what is refused") {
  Descriptor d{.outer = 2, .extent = 3, .inner = 4, .num_indices = 6, .element = ADJ_F32, .index = ADJ_I64};
  std::vector<float> dout(48, 1), dinput(24, -1);
  std::vector<std::int64_t> indices{0, 1, 2, 0, 1, 2};
  Args args;
  args.dout = tensor(dout, {2, 6, 2, 2});
  args.indices = tensor(indices, {2, 3});
  args.dinput = tensor(dinput, {2, 3, 2, 2});
  auto ok = run(d, args);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  CHECK(dinput == std::vector<float>(24, 2));

  dinput.assign(24, -1);
  const auto refused = [&](const Args& wrong, adj_status code, const char* argument) {
    auto result = run(d, wrong);
    REQUIRE(!result.ok());
    CHECK(result.error().code == code);
    CHECK(result.error().message.find("gather_grad") != std::string::npos);
    CHECK(result.error().message.find(argument) != std::string::npos);
    CHECK(dinput == std::vector<float>(24, -1));
  };
  Args wrong = args;
  wrong.dinput = tensor(dinput, {2, 4, 3});
  refused(wrong, ADJ_ERROR_SHAPE_MISMATCH, "dinput");
  wrong = args;
  wrong.indices.dtype = ADJ_I32;
  refused(wrong, ADJ_ERROR_DTYPE_MISMATCH, "indices");
  wrong = args;
  wrong.dout.bytes -= 1;
  refused(wrong, ADJ_ERROR_BUFFER_TOO_SMALL, "dout");
  wrong = args;
  wrong.dout.data = dinput.data();
  wrong.dout.bytes = 48 * 4;
  refused(wrong, ADJ_ERROR_ALIASING, "dinput");

  for (auto [field, value] : {std::pair{&Descriptor::outer, "outer = -1"}, {&Descriptor::extent, "extent = -1"},
                              {&Descriptor::inner, "inner = -1"}, {&Descriptor::num_indices, "num_indices = -1"}}) {
    Descriptor bad = d;
    bad.*field = -1;
    CHECK(refusal(bad, ADJ_ERROR_INVALID_PROBLEM).find(value) != std::string::npos);
  }
  Descriptor bad = d;
  bad.num_indices = std::int64_t{1} << 31;
  CHECK(refusal(bad, ADJ_ERROR_INVALID_PROBLEM).find("num_indices = 2147483648") != std::string::npos);
  bad = d;
  bad.outer = bad.extent = std::int64_t{1} << 40;
  CHECK(refusal(bad, ADJ_ERROR_INVALID_PROBLEM).find("dinput") != std::string::npos);
  bad = d;
  bad.write_mode = 3;
  CHECK(refusal(bad, ADJ_ERROR_INVALID_ARGUMENT).find("write_mode = 3") != std::string::npos);
  bad = d;
  bad.index = ADJ_I16;
  CHECK(refusal(bad, ADJ_ERROR_UNSUPPORTED).find("i16") != std::string::npos);
}
