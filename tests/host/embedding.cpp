// The gradient of Gather and index plans on the host stream: values worked out by hand, the transpose of the forward operator, and the
// rules of the contract.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <adjoint/ops/embedding.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;

using Descriptor = adj_gather_backward_descriptor;
using Args = adj_gather_backward_args;
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

// `held`: contents of dinput to accumulate into. Without it dinput is overwritten and must not be read.
template <class T, class I>
std::vector<T> gradient(Axis a, std::vector<T> dout, std::vector<I> indices, std::int64_t* errors = nullptr, const std::vector<T>* held = nullptr) {
  const Descriptor d{.outer = a.outer,
                     .extent = a.extent,
                     .inner = a.inner,
                     .num_indices = static_cast<std::int64_t>(indices.size()),
                     .write_mode = held ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE,
                     .element = adj::dtype_of<T>,
                     .index = adj::dtype_of<I>};
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
  CHECK(gradient<double, I>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {0, 1, 0}) == std::vector<double>{6, 8, 3, 4, 18, 20, 9, 10});
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
  CHECK(gradient<double, I>({2, 2, 1}, {1, 2, 4, 8, 16, 1, 2, 4, 8, 16}, {2, -3, 1, most, least}, &errors) == std::vector<double>{0, 4, 0, 4});
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
          right += dout[static_cast<std::size_t>((o * 11 + n) * a.inner + i)] * input[static_cast<std::size_t>((o * a.extent + row) * a.inner + i)];
        }
    CHECK(std::fabs(left - right) < 1e-12);
  }
}

TEST_CASE("16-bit sums are rounded once") {
  // Added one by one in f16, 4096 ones would stop at 2048.
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

// Extents whose product would overflow 64 bits, beside an extent of zero: nothing to do, so no time and no memory.
TEST_CASE("lookups and gradients without elements, of huge extents") {
  constexpr std::int64_t kHuge = std::int64_t{1} << 59;
  std::vector<std::int32_t> indices{0, -1, 2};
  std::vector<std::int64_t> errors{0};
  std::int32_t nothing = 0;
  const auto devices = [](const auto& d) {
    adj_preference any;
    any.determinism = ADJ_NONDETERMINISTIC;
    for (const char* arch : {"sm_80", "sm_90a"})
      for (const adj_preference* preference : {static_cast<const adj_preference*>(nullptr), &std::as_const(any)}) {
        const auto plan = support::select(d, *adj::offline_stream(arch), preference);
        CHECK_MESSAGE(plan.ok(), (plan ? std::string() : plan.error().message));
      }
  };
  for (const auto& [outer, extent, inner] :
       {std::array{kHuge, std::int64_t{0}, kHuge}, {kHuge, kHuge, std::int64_t{0}}, {std::int64_t{0}, kHuge, kHuge}, {kHuge, std::int64_t{3}, std::int64_t{0}}})
    for (std::int64_t count : {0, 3}) {
      if (extent == 0 && count > 0) continue;  // dout has elements
      CAPTURE(count);
      const Descriptor d{.outer = outer, .extent = extent, .inner = inner, .num_indices = count, .element = ADJ_F32, .index = ADJ_I32};
      Args args;
      args.indices = tensor(indices);
      args.dout.data = args.dinput.data = &nothing;
      args.dout.dtype = args.dinput.dtype = ADJ_F32;
      args.error_flag = tensor(errors);
      errors[0] = 0;
      CHECK(run(d, args).ok());
      CHECK(errors[0] == 0);
      if (extent < kHuge || count == 0) devices(d);  // more rows than a device sorts
    }
  adj_embedding_backward_descriptor d{.num_embeddings = kHuge, .embedding_dim = 0, .num_indices = 3, .element = ADJ_F32, .index = ADJ_I32};
  adj_embedding_backward_args args;
  args.indices = tensor(indices);
  args.dout.data = args.dweight.data = &nothing;
  args.dout.dtype = args.dweight.dtype = ADJ_F32;
  args.error_flag = tensor(errors);
  CHECK(run(d, args).ok());
  CHECK(errors[0] == 1);
  // On a device the single launch would walk all rows in vain; the sort is taken, to count errors.
  d.num_embeddings = std::int64_t{1} << 30;
  devices(d);
  for (const char* arch : {"sm_80", "sm_90a"}) {
    const auto plan = support::select(d, *adj::offline_stream(arch));
    REQUIRE(plan);
    CHECK((*plan)->sku->variant->algorithm == std::string("grouped"));
    CHECK((*plan)->steps.size() == 1);
  }
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

  // As gather makes it: the extents of the indices in place of the axis.
  dinput.assign(24, -1);
  args.dout = tensor(dout, {2, 2, 3, 4});
  REQUIRE(run(d, args).ok());
  CHECK(dinput == std::vector<float>(24, 2));

  dinput.assign(24, -1);
  const auto refused = [&](const Args& wrong, adj_status code, const char* argument) {
    auto result = run(d, wrong);
    REQUIRE(!result.ok());
    CHECK(result.error().code == code);
    CHECK(result.error().message.find("gather_backward") != std::string::npos);
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

  for (auto [field, value] : {std::pair{&Descriptor::outer, "outer = -1"},
                              {&Descriptor::extent, "extent = -1"},
                              {&Descriptor::inner, "inner = -1"},
                              {&Descriptor::num_indices, "num_indices = -1"}}) {
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
  bad.write_mode = adj_write_mode{3};
  CHECK(refusal(bad, ADJ_ERROR_INVALID_ARGUMENT).find("write_mode = 3") != std::string::npos);
  bad = d;
  bad.index = ADJ_I16;
  CHECK(refusal(bad, ADJ_ERROR_UNSUPPORTED).find("i16") != std::string::npos);
}

// ---- index plans

namespace {

using PlanDescriptor = adj_index_plan_descriptor;

struct Sorted {
  std::vector<std::int32_t> rows, order;
  std::int64_t errors = 0;
};
template <class I>
Sorted sorted(PlanDescriptor d, std::vector<I> indices, bool flag = true) {
  d.num_indices = static_cast<std::int64_t>(indices.size());
  d.index = adj::dtype_of<I>;
  Sorted s{std::vector<std::int32_t>(indices.size(), -7), std::vector<std::int32_t>(indices.size(), -7)};
  std::vector<std::int64_t> counter{100};
  adj_index_plan_args args;
  args.indices = tensor(indices);
  args.sorted_rows = tensor(s.rows);
  args.order = tensor(s.order);
  if (flag) args.error_flag = tensor(counter);
  auto ok = run(d, args);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  s.errors = counter[0] - 100;
  return s;
}

// Number of kernels of a plan with this source.
int launches(const adj::Plan& plan, const std::string& source) {
  return static_cast<int>(std::count_if(plan.steps.begin(), plan.steps.end(), [&](const adj::Step& step) {
    const auto* kernel = std::get_if<adj::KernelStep>(&step);
    return kernel && kernel->program->name().starts_with(source);
  }));
}

}  // namespace

TEST_CASE_TEMPLATE("index plans of slices and elements by hand", I, std::int32_t, std::int64_t) {
  const auto plan = [](PlanDescriptor d, std::vector<I> indices) {
    const std::int64_t positions = d.num_indices;
    Sorted s{std::vector<std::int32_t>(static_cast<std::size_t>(positions), -7), std::vector<std::int32_t>(static_cast<std::size_t>(positions), -7)};
    std::vector<std::int64_t> counter{100};
    d.index = adj::dtype_of<I>;
    adj_index_plan_args args;
    args.indices = tensor(indices);
    args.sorted_rows = tensor(s.rows);
    args.order = tensor(s.order);
    args.error_flag = tensor(counter);
    auto ok = run(d, args);
    REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
    s.errors = counter[0] - 100;
    return s;
  };
  // Pairs of indices into [2, 3]: rows 3 i + j.
  Sorted s = plan({.num_embeddings = 6, .num_indices = 5, .input_shape = {3, {2, 3, 4}}, .indices_shape = {2, {5, 2}}, .positions = ADJ_INDEX_POSITIONS_SLICES},
                  {1, 2, 0, -1, -1, 2, 0, 3, 0, 0});
  CHECK(s.rows == std::vector<std::int32_t>{0, 2, 5, 5, 6});
  CHECK(s.order == std::vector<std::int32_t>{4, 1, 0, 2, 3});
  CHECK(s.errors == 1);
  // Batches: the second two slices name rows 3 to 5.
  s = plan({.num_embeddings = 6,
            .num_indices = 4,
            .input_shape = {3, {2, 3, 4}},
            .indices_shape = {3, {2, 2, 1}},
            .batch_dims = 1,
            .positions = ADJ_INDEX_POSITIONS_SLICES},
           {2, 0, 0, -3});
  CHECK(s.rows == std::vector<std::int32_t>{0, 2, 3, 3});
  CHECK(s.order == std::vector<std::int32_t>{1, 0, 2, 3});
  // Elements along the first axis of [2, 3] by indices [3, 2].
  s = plan(
      {.num_embeddings = 6, .num_indices = 6, .input_shape = {2, {2, 3}}, .indices_shape = {2, {3, 2}}, .axis = -2, .positions = ADJ_INDEX_POSITIONS_ELEMENTS},
      {1, 0, 1, 2, -2, 0});
  CHECK(s.rows == std::vector<std::int32_t>{0, 1, 1, 3, 3, 6});
  CHECK(s.order == std::vector<std::int32_t>{4, 1, 5, 0, 2, 3});
  CHECK(s.errors == 1);
}

TEST_CASE("index plans of slices and elements refuse what does not fit") {
  std::string message;
  const auto refused = [&](PlanDescriptor d, const char* why) {
    d.index = ADJ_I32;
    CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK_MESSAGE(message.find(why) != std::string::npos, message);
  };
  const PlanDescriptor slices{
      .num_embeddings = 6, .num_indices = 5, .input_shape = {3, {2, 3, 4}}, .indices_shape = {2, {5, 2}}, .positions = ADJ_INDEX_POSITIONS_SLICES};
  auto with = [](PlanDescriptor d, auto change) {
    change(d);
    return d;
  };
  refused(with(slices, [](auto& d) { d.num_embeddings = 7; }), "the shapes have 6 rows and 5 positions, num_embeddings = 7 and num_indices = 5");
  refused(with(slices, [](auto& d) { d.num_indices = 10; }), "num_indices = 10");
  refused(with(slices, [](auto& d) { d.wrap_negative = 1; }), "for positions = rows only");
  refused(with(slices, [](auto& d) { d.has_padding_idx = 1; }), "for positions = rows only");
  refused(with(slices, [](auto& d) { d.axis = 1; }), "axis is not for positions = slices");
  refused(with(slices, [](auto& d) { d.batch_dims = 2; }), "batch_dims = 2");
  refused(with(slices, [](auto& d) { d.positions = ADJ_INDEX_POSITIONS_ROWS; }), "are not for positions = rows");
  refused(with(slices, [](auto& d) { d.positions = ADJ_INDEX_POSITIONS_ELEMENTS; }), "indices_shape has rank 2 and input_shape has 3");
  refused(with(slices,
               [](auto& d) {
                 d.positions = ADJ_INDEX_POSITIONS_ELEMENTS;
                 d.batch_dims = 1;
               }),
          "batch_dims is not for positions = elements");
  auto unknown = slices;
  unknown.index = ADJ_I32;
  unknown.positions = adj_index_positions{3};
  CHECK(select_status(unknown, &message) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(message.find("positions = 3") != std::string::npos);
}

TEST_CASE_TEMPLATE("index plans by hand", I, std::int32_t, std::int64_t) {
  const std::vector<I> indices{2, -1, 0, 2, 7, 0, std::numeric_limits<I>::max(), std::numeric_limits<I>::min()};
  Sorted s = sorted<I>({.num_embeddings = 3}, indices);
  CHECK(s.rows == std::vector<std::int32_t>{0, 0, 2, 2, 3, 3, 3, 3});
  CHECK(s.order == std::vector<std::int32_t>{2, 5, 0, 3, 1, 4, 6, 7});
  CHECK(s.errors == 4);
  s = sorted<I>({.num_embeddings = 3, .wrap_negative = 1}, indices);
  CHECK(s.rows == std::vector<std::int32_t>{0, 0, 2, 2, 2, 3, 3, 3});
  CHECK(s.order == std::vector<std::int32_t>{2, 5, 0, 1, 3, 4, 6, 7});
  CHECK(s.errors == 3);
  // Padding is left out and is no error. A negative padding_idx counts from the end, also without wrap_negative.
  s = sorted<I>({.num_embeddings = 3, .padding_idx = -3, .has_padding_idx = 1}, indices);
  CHECK(s.rows == std::vector<std::int32_t>{2, 2, 3, 3, 3, 3, 3, 3});
  CHECK(s.order == std::vector<std::int32_t>{0, 3, 1, 2, 4, 5, 6, 7});
  CHECK(s.errors == 4);
  s = sorted<I>({.num_embeddings = 0}, {5, -1}, false);
  CHECK(s.rows == std::vector<std::int32_t>{0, 0});
  CHECK(s.order == std::vector<std::int32_t>{0, 1});
  CHECK(sorted<I>({.num_embeddings = 4}, {}).rows.empty());
}

TEST_CASE("index plans are stable sorts") {
  for (std::int64_t rows : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1000}, std::int64_t{std::numeric_limits<std::int32_t>::max()}})
    for (std::int32_t wrap : {0, 1}) {
      std::vector<std::int64_t> indices;
      std::uint64_t state = 1;
      for (int i = 0; i < 700; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        indices.push_back(static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(3 * rows)) - rows);
      }
      const PlanDescriptor plan{.num_embeddings = rows, .padding_idx = rows / 2, .wrap_negative = wrap, .has_padding_idx = 1};
      const Sorted got = sorted(plan, indices);
      const auto key = [&](std::int32_t position) {
        std::int64_t row = indices[static_cast<std::size_t>(position)];
        if (wrap && row < 0) row += rows;
        return row < 0 || row >= rows || row == rows / 2 ? rows : row;
      };
      std::vector<std::int32_t> order(700);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return key(a) < key(b) || (key(a) == key(b) && a < b); });
      CHECK(got.order == order);
      std::vector<std::int32_t> keys;
      for (std::int32_t position : order) keys.push_back(static_cast<std::int32_t>(key(position)));
      CHECK(got.rows == keys);
    }
}

TEST_CASE("one index plan serves gradients of several widths, types and write modes") {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < 50; ++i) indices.push_back(i * 7 % 13 - 1);  // -1 to 11
  Sorted embedding = sorted<std::int64_t>({.num_embeddings = 9, .padding_idx = 4, .has_padding_idx = 1}, indices);
  Sorted gather = sorted<std::int64_t>({.num_embeddings = 9, .wrap_negative = 1}, indices);
  CHECK(embedding.errors > gather.errors);
  for (std::int64_t columns : {1, 5})
    for (adj_write_mode mode : {ADJ_WRITE_OVERWRITE, ADJ_WRITE_ACCUMULATE}) {
      const auto dout = wave(50 * columns, 0.3);
      const auto held = wave(9 * columns, 2);
      const auto both = [&]<class Gradient, class Arguments>(Gradient d, Arguments args, adj_tensor Arguments::* result, Sorted& plan) {
        d.element = ADJ_F64;
        d.index = ADJ_I64;
        d.num_indices = 50;
        d.write_mode = mode;
        std::vector<double> addends = dout, plain = held, planned = held;
        std::vector<std::int64_t> flag{5};
        args.dout = tensor(addends);
        args.indices = tensor(indices);
        args.*result = tensor(plain);
        REQUIRE(run(d, args).ok());
        d.use_index_plan = 1;
        if constexpr (requires { d.has_padding_idx; }) d.has_padding_idx = 0, d.padding_idx = 0;
        args.indices = {};
        args.sorted_rows = tensor(plan.rows);
        args.order = tensor(plan.order);
        args.*result = tensor(planned);
        args.error_flag = tensor(flag);
        auto ok = run(d, args);
        REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
        CHECK(planned == plain);
        CHECK(planned != held);
        CHECK(flag[0] == 5);
      };
      both(adj_embedding_backward_descriptor{.num_embeddings = 9, .embedding_dim = columns, .padding_idx = 4, .scale_grad_by_freq = 1, .has_padding_idx = 1},
           adj_embedding_backward_args{}, &adj_embedding_backward_args::dweight, embedding);
      both(Descriptor{.extent = 9, .inner = columns}, Args{}, &Args::dinput, gather);
    }
}

TEST_CASE("gradients with an index plan: what is refused, and contents of another origin") {
  adj_embedding_backward_descriptor d{.num_embeddings = 3, .embedding_dim = 2, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I32};
  d.use_index_plan = 1;
  std::vector<float> dout(8, 1), dweight(6, -1);
  std::vector<std::int32_t> indices{0, 1, 2, 0}, rows{0, 0, 1, 2}, order{0, 3, 1, 2};
  adj_embedding_backward_args args;
  args.dout = tensor(dout);
  args.dweight = tensor(dweight);
  args.sorted_rows = tensor(rows);
  args.order = tensor(order);
  const auto refused = [&](const adj_embedding_backward_args& wrong, adj_status code, const char* argument) {
    auto result = run(d, wrong);
    REQUIRE(!result.ok());
    CHECK(result.error().code == code);
    CHECK(result.error().message.find("embedding_backward") != std::string::npos);
    CHECK(result.error().message.find(argument) != std::string::npos);
    CHECK(dweight == std::vector<float>(6, -1));
  };
  auto wrong = args;
  wrong.indices = tensor(indices);
  refused(wrong, ADJ_ERROR_INVALID_ARGUMENT, "indices is given");
  wrong = args;
  wrong.sorted_rows = {};
  refused(wrong, ADJ_ERROR_NULL_BUFFER, "sorted_rows");
  wrong = args;
  wrong.order = {};
  refused(wrong, ADJ_ERROR_NULL_BUFFER, "order");
  wrong = args;
  wrong.order.bytes -= 4;
  refused(wrong, ADJ_ERROR_BUFFER_TOO_SMALL, "order");
  wrong = args;
  wrong.sorted_rows.dtype = ADJ_I64;
  refused(wrong, ADJ_ERROR_DTYPE_MISMATCH, "sorted_rows");
  wrong = args;
  wrong.order.data = dweight.data();
  refused(wrong, ADJ_ERROR_ALIASING, "dweight");
  d.use_index_plan = 0;
  wrong = args;
  wrong.indices = tensor(indices);
  refused(wrong, ADJ_ERROR_INVALID_ARGUMENT, "sorted_rows is given");
  d.use_index_plan = 1;

  std::string message;
  auto bad = d;
  bad.use_index_plan = 2;
  CHECK(select_status(bad, &message) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(message.find("use_index_plan = 2") != std::string::npos);
  bad = d;
  bad.has_padding_idx = 1;
  CHECK(select_status(bad, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("has_padding_idx = 1") != std::string::npos);
  bad = d;
  bad.num_embeddings = std::int64_t{1} << 31;
  CHECK(select_status(bad, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("num_embeddings = 2147483648") != std::string::npos);
  const Descriptor gather{.extent = std::int64_t{1} << 31, .num_indices = 4, .use_index_plan = 1, .element = ADJ_F32, .index = ADJ_I32};
  CHECK(refusal(gather, ADJ_ERROR_INVALID_PROBLEM).find("extent = 2147483648") != std::string::npos);
  for (auto [field, value] : {std::pair{&PlanDescriptor::num_embeddings, std::int64_t{1} << 31},
                              {&PlanDescriptor::num_indices, std::int64_t{1} << 31},
                              {&PlanDescriptor::num_embeddings, std::int64_t{-1}}}) {
    PlanDescriptor p{.num_embeddings = 3, .num_indices = 4, .index = ADJ_I32};
    p.*field = value;
    CHECK(select_status(p, &message) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK(message.find(" = " + std::to_string(value)) != std::string::npos);
  }
  CHECK(select_status(PlanDescriptor{.num_embeddings = 3, .num_indices = 4, .wrap_negative = -1, .index = ADJ_I32}) == ADJ_ERROR_INVALID_ARGUMENT);

  // The gradient must end, and write dweight alone.
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min(), most = std::numeric_limits<std::int32_t>::max();
  using Words = std::vector<std::int32_t>;
  for (const auto& [r, o] : {std::pair<Words, Words>{{2, 1, 0, 0}, {0, 0, 0, 0}},
                             {{1, 1, 1, 1}, {3, 3, 2, 2}},
                             {{least, -1, most, 3}, {0, 1, 2, 3}},
                             {{0, 1, 2, 2}, {least, -1, 4, most}}}) {
    rows = r;
    order = o;
    CHECK(run(d, args).ok());
  }
}

TEST_CASE("gradients from sorted indices stay within the stated workspace") {
  for (const char* arch : {"sm_80", "sm_90a"})
    for (std::int64_t indices : {1025, 4096, 4097, 16384, 16385, 65536, 264193, 1310720})
      for (std::int64_t columns : {1, 8, 768})
        for (std::int64_t rows : {100, 50257, 1000000, 1 << 21, 1 << 29})
          for (bool planned : {false, true}) {
            const adj_embedding_backward_descriptor d{
                .num_embeddings = rows, .embedding_dim = columns, .num_indices = indices, .use_index_plan = planned, .element = ADJ_F32, .index = ADJ_I64};
            auto plan = support::select(d, *adj::offline_stream(arch));
            REQUIRE(plan);
            const auto n = static_cast<std::uint64_t>(indices), partials = n / 64 * static_cast<std::uint64_t>(columns) * sizeof(float);
            CHECK((*plan)->workspace_size <= partials + (planned ? 2 * n + 1024 : 16 * n + (516 << 10)));
          }
}

TEST_CASE("index plans on a device: nothing for nothing, no workspace for one launch, and gradients without a sort") {
  for (const char* arch : {"sm_80", "sm_90a"}) {
    const adj_stream stream = *adj::offline_stream(arch);
    for (auto [indices, kernels, bytes] : {std::tuple<std::int64_t, int, std::uint64_t>{0, 0, 0}, {4096, 1, 0}}) {
      auto plan = support::select(PlanDescriptor{.num_embeddings = 500, .num_indices = indices, .index = ADJ_I64}, stream);
      REQUIRE(plan);
      CHECK(launches(**plan, "segment_sum/sort.cu") == kernels);
      CHECK((*plan)->steps.size() == static_cast<std::size_t>(kernels));
      CHECK((*plan)->workspace_size == bytes);
    }
    for (std::int64_t indices : {10, 20000}) {
      const adj_embedding_backward_descriptor d{
          .num_embeddings = 500, .embedding_dim = 8, .num_indices = indices, .use_index_plan = 1, .element = ADJ_F32, .index = ADJ_I64};
      auto plan = support::select(d, stream);
      REQUIRE(plan);
      CHECK((*plan)->sku->variant->algorithm == std::string("grouped"));
      CHECK(launches(**plan, "segment_sum/sort.cu") == 0);
      CHECK(launches(**plan, "segment_sum/sum.cu") == 1);
    }
  }
}
