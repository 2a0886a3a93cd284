// Embedding bags on the host stream: values worked out by hand, the identities that tie the gradients to the forward
// direction, and the rules of the contract.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/embedding.h>
#include <adjoint/ops/embedding_bag.h>

#include "support.hpp"

namespace {

using namespace support;

using Forward = adj_embedding_bag_forward_descriptor;
using Backward = adj_embedding_bag_backward_descriptor;
using SampleWeights = adj_embedding_bag_per_sample_weights_backward_descriptor;
using Vector = std::vector<double>;
using Indices = std::vector<std::int64_t>;
using Positions = std::vector<std::int32_t>;

const double kNan = std::numeric_limits<double>::quiet_NaN();

// Tensor argument with an address even when it is empty.
template <class T>
adj_tensor given(const std::vector<T>& v) {
  static T nothing{};
  adj_tensor t = tensor(const_cast<std::vector<T>&>(v));
  if (v.empty()) t.data = &nothing;
  return t;
}

// One problem, with all arguments of the three operators.
struct Bags {
  std::int64_t rows, columns, bags;
  Indices indices, offsets;  // no offsets: bags of equal length
  adj_bag_mode mode = ADJ_BAG_SUM;
  bool include_last = false;
  Vector weight, sample_weights, dout;
  std::int64_t padding = std::numeric_limits<std::int64_t>::min();  // none
  bool accumulate = false, scale = false;
  bool planned = false;  // the gradient takes an index plan

  Vector out{}, dweight{}, dsample_weights{};
  Positions max_positions{}, sorted_rows{}, order{};
  std::int64_t errors = 0;

  template <class Descriptor> Descriptor describe() const {
    Descriptor d;
    d.num_embeddings = rows;
    d.embedding_dim = columns;
    d.num_indices = static_cast<std::int64_t>(indices.size());
    d.num_bags = bags;
    d.element = ADJ_F64;
    d.index = ADJ_I64;
    d.has_offsets = !offsets.empty();
    d.include_last_offset = include_last;
    d.has_padding_idx = padding != std::numeric_limits<std::int64_t>::min();
    d.padding_idx = d.has_padding_idx ? padding : 0;
    return d;
  }
  template <class Args> void common(Args& a) {
    a.indices = given(indices);
    if (!offsets.empty()) a.offsets = given(offsets);
    errors = 0;
    a.error_flag.data = &errors;
    a.error_flag.bytes = sizeof errors;
    a.error_flag.dtype = ADJ_I64;
  }
  void check(const adj::Result<void>& ok) { REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message)); }

  Bags& forward() {
    auto d = describe<Forward>();
    d.mode = mode;
    d.has_per_sample_weights = !sample_weights.empty();
    adj_embedding_bag_forward_args a;
    common(a);
    a.weight = given(weight);
    if (!sample_weights.empty()) a.per_sample_weights = given(sample_weights);
    out.assign(static_cast<std::size_t>(bags * columns), kNan);
    a.out = given(out);
    max_positions.assign(out.size(), -7);
    if (mode == ADJ_BAG_MAX) a.max_positions = given(max_positions);
    check(run(d, a));
    return *this;
  }
  Bags& backward() {
    auto d = describe<Backward>();
    d.mode = mode;
    d.has_per_sample_weights = !sample_weights.empty();
    d.write_mode = accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;
    d.scale_grad_by_freq = scale;
    adj_embedding_bag_backward_args a;
    common(a);
    a.dout = given(dout);
    if (!sample_weights.empty()) a.per_sample_weights = given(sample_weights);
    if (mode == ADJ_BAG_MAX) a.max_positions = given(max_positions);
    if (!accumulate) dweight.assign(static_cast<std::size_t>(rows * columns), kNan);
    a.dweight = given(dweight);
    if (planned) {
      const adj_index_plan_descriptor plan{
          .num_embeddings = rows, .num_indices = d.num_indices, .padding_idx = d.padding_idx, .has_padding_idx = d.has_padding_idx, .index = d.index};
      adj_index_plan_args sort;
      sorted_rows.assign(indices.size(), -7);
      order.assign(indices.size(), -7);
      sort.indices = given(indices);
      sort.sorted_rows = a.sorted_rows = given(sorted_rows);
      sort.order = a.order = given(order);
      check(run(plan, sort));
      d.use_index_plan = 1;
      d.has_padding_idx = 0;
      d.padding_idx = 0;
      a.indices = {};
    }
    check(run(d, a));
    return *this;
  }
  Bags& sample_weights_backward() {
    adj_embedding_bag_per_sample_weights_backward_args a;
    common(a);
    a.dout = given(dout);
    a.weight = given(weight);
    dsample_weights.assign(indices.size(), kNan);
    a.dper_sample_weights = given(dsample_weights);
    check(run(describe<SampleWeights>(), a));
    return *this;
  }
};

Vector wave(std::size_t count, double phase) {
  Vector v;
  for (std::size_t i = 0; i < count; ++i) v.push_back(std::sin(0.7 * static_cast<double>(i) + phase));
  return v;
}
double dot(const Vector& a, const Vector& b) {
  REQUIRE(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Rows (1, 10), (2, 20), (4, 40), (8, 80).
const Vector kRows{1, 10, 2, 20, 4, 40, 8, 80};

}  // namespace

TEST_CASE("embedding bags by hand") {
  // Bags {0, 2, 2}, {}, {3, 1}.
  Bags b{
      .rows = 4, .columns = 2, .bags = 3, .indices = {0, 2, 2, 3, 1}, .offsets = {0, 3, 3}, .weight = kRows, .sample_weights = {}, .dout = {1, 2, 3, 4, 5, 6}};
  CHECK(b.forward().out == Vector{9, 90, 0, 0, 10, 100});
  CHECK(b.backward().dweight == Vector{1, 2, 5, 6, 2, 4, 5, 6});
  CHECK(b.sample_weights_backward().dsample_weights == Vector{21, 84, 84, 520, 130});
  b.scale = true;
  CHECK(b.backward().dweight == Vector{1, 2, 5, 6, 1, 2, 5, 6});
  b.sample_weights = {2, -1, 0.5, 3, 0};
  CHECK(b.forward().out == Vector{0, 0, 0, 0, 24, 240});
  CHECK(b.backward().dweight == Vector{2, 4, 0, 0, -0.25, -0.5, 15, 18});
  b.scale = false;
  b.accumulate = true;
  b.dweight = {100, 100, 100, 100, 100, 100, 100, 100};
  CHECK(b.backward().dweight == Vector{102, 104, 100, 100, 99.5, 99, 115, 118});
  b.accumulate = false;

  b.sample_weights.clear();
  for (adj_bag_mode mode : {ADJ_BAG_MEAN, ADJ_BAG_DEFAULT}) {
    b.mode = mode;
    CHECK(b.forward().out == Vector{3, 30, 0, 0, 5, 50});
    b.dout = {3, 6, 1, 1, 2, 8};
    CHECK(b.backward().dweight == Vector{1, 2, 1, 4, 2, 4, 1, 4});
  }
  b.mode = ADJ_BAG_MAX;
  CHECK(b.forward().out == Vector{4, 40, 0, 0, 8, 80});
  CHECK(b.max_positions == Positions{1, 1, -1, -1, 3, 3});  // the first of the two equal ones
  CHECK(b.backward().dweight == Vector{0, 0, 0, 0, 3, 6, 2, 8});  // and once
  CHECK(b.errors == 0);
}

TEST_CASE("embedding bags of equal length need no offsets") {
  Bags b{.rows = 4, .columns = 2, .bags = 2, .indices = {0, 1, 2, 3, 3, 0}, .offsets = {}, .weight = kRows, .sample_weights = {}, .dout = {1, 1, 2, 2}};
  CHECK(b.forward().out == Vector{7, 70, 17, 170});
  const Vector gradient = b.backward().dweight;
  CHECK(gradient == Vector{3, 3, 1, 1, 1, 1, 4, 4});
  const Vector samples = b.sample_weights_backward().dsample_weights;
  b.offsets = {0, 3};
  CHECK(b.forward().out == Vector{7, 70, 17, 170});
  CHECK(b.backward().dweight == gradient);
  CHECK(b.sample_weights_backward().dsample_weights == samples);
  b.offsets = {0, 3, 6};
  b.include_last = true;
  CHECK(b.forward().out == Vector{7, 70, 17, 170});
  // A last offset before the end leaves positions without a bag; their indices are not read.
  b.offsets = {0, 3, 5};
  b.indices[5] = 1000;
  CHECK(b.forward().out == Vector{7, 70, 16, 160});
  CHECK(b.backward().dweight == Vector{1, 1, 1, 1, 1, 1, 4, 4});
  CHECK(b.sample_weights_backward().dsample_weights[5] == 0);
  CHECK(b.errors == 0);
}

TEST_CASE("padding and out-of-range entries take no part") {
  // Bags {1, 7, 2}, {1, 1}, {-1, 3}; row 1 is padding.
  Bags b{.rows = 4,
         .columns = 2,
         .bags = 3,
         .indices = {1, 7, 2, 1, 1, -1, 3},
         .offsets = {0, 3, 5},
         .weight = kRows,
         .sample_weights = {},
         .dout = {1, 2, 3, 4, 5, 6}};
  for (std::int64_t padding : {1, -3}) {
    b.padding = padding;
    b.mode = ADJ_BAG_SUM;
    CHECK(b.forward().out == Vector{4, 40, 0, 0, 8, 80});
    CHECK(b.errors == 2);
    CHECK(b.sample_weights_backward().dsample_weights == Vector{0, 0, 84, 0, 0, 0, 520});
    CHECK(b.errors == 2);
    b.mode = ADJ_BAG_MEAN;  // divides by the entries that take part
    CHECK(b.forward().out == Vector{4, 40, 0, 0, 8, 80});
    CHECK(b.backward().dweight == Vector{0, 0, 0, 0, 1, 2, 5, 6});
    CHECK(b.errors == 2);
    b.mode = ADJ_BAG_MAX;
    CHECK(b.forward().out == Vector{4, 40, 0, 0, 8, 80});
    CHECK(b.max_positions == Positions{2, 2, -1, -1, 6, 6});
    CHECK(b.backward().dweight == Vector{0, 0, 0, 0, 1, 2, 5, 6});
  }
  b.accumulate = true;
  b.dweight = Vector(8, 7);
  CHECK(b.backward().dweight == Vector{7, 7, 7, 7, 8, 9, 12, 13});
}

TEST_CASE("bad offsets make empty bags and are counted") {
  Bags b{.rows = 4,
         .columns = 1,
         .bags = 4,
         .indices = {0, 1, 2, 3, 0},
         .offsets = {0, 4, 2, 3},
         .weight = {1, 2, 4, 8},
         .sample_weights = {},
         .dout = {1, 10, 100, 1000}};
  // [0, 4), [4, 2), [2, 3), [3, 5): positions 2 and 3 are in two bags.
  CHECK(b.forward().out == Vector{15, 0, 4, 9});
  CHECK(b.errors == 1);
  CHECK(b.backward().dweight == Vector{1001, 1, 100, 1000});
  CHECK(b.errors == 1);
  CHECK(b.sample_weights_backward().dsample_weights == Vector{1, 2, 400, 8000, 1000});
  CHECK(b.errors == 1);
  b.offsets = {-5, 2, 9, std::numeric_limits<std::int64_t>::max()};  // [-5, 2), [2, 9), [9, ..), [.., 5)
  CHECK(b.forward().out == Vector{0, 0, 0, 0});
  CHECK(b.errors == 4);
  CHECK(b.backward().dweight == Vector{0, 0, 0, 0});
  CHECK(b.errors == 4);
  b.offsets = {1, 2, 2, 2};  // does not start at 0
  CHECK(b.forward().out == Vector{0, 0, 0, 13});
  CHECK(b.errors == 1);
}

TEST_CASE("the maximum keeps the first NaN, else the first of equals") {
  Bags b{.rows = 5,
         .columns = 1,
         .bags = 4,
         .indices = {0, 1, 2, 1, 3, 4, 0, 0, 3, 4},
         .offsets = {0, 4, 6, 8},
         .mode = ADJ_BAG_MAX,
         .weight = {-3, kNan, 9, -0.0, 0.0},
         .sample_weights = {},
         .dout = {1, 2, 3, 4}};
  b.forward();
  CHECK(b.max_positions == Positions{1, 4, 6, 8});
  CHECK(std::isnan(b.out[0]));
  CHECK(std::signbit(b.out[1]));
  CHECK(b.out[2] == -3);
  CHECK(b.backward().dweight == Vector{3, 1, 0, 6, 0});
}

TEST_CASE("gradients of embedding bags are adjoint to the forward direction") {
  const std::int64_t rows = 9, columns = 5, bags = 6;
  const Indices indices{3, 3, 8, 0, 1, 4, 4, 4, 2, 7, 3, 6, 8, 8, 1, 3, 20, -2};
  for (adj_bag_mode mode : {ADJ_BAG_SUM, ADJ_BAG_MEAN, ADJ_BAG_MAX})
    for (bool weighted : {false, true}) {
      if (weighted && mode != ADJ_BAG_SUM) continue;
      for (const Indices& offsets : {Indices{}, Indices{0, 0, 5, 6, 6, 13}}) {
        Bags b{.rows = rows,
               .columns = columns,
               .bags = bags,
               .indices = indices,
               .offsets = offsets,
               .mode = mode,
               .weight = wave(rows * columns, 0.1),
               .sample_weights = weighted ? wave(indices.size(), 2) : Vector{},
               .dout = wave(bags * columns, 1),
               .padding = 4};
        b.forward().backward();
        const double whole = dot(b.dout, b.out);  // every mode is homogeneous in the weight
        CHECK(std::fabs(dot(b.weight, b.dweight) - whole) < 1e-12);
        CHECK(std::fabs(whole) > 1e-3);
        if (weighted) CHECK(std::fabs(dot(b.sample_weights, b.sample_weights_backward().dsample_weights) - whole) < 1e-12);
      }
    }
}

TEST_CASE("embedding bags with nothing in them") {
  Bags b{.rows = 3, .columns = 2, .bags = 2, .indices = {}, .offsets = {}, .weight = {1, 2, 3, 4, 5, 6}, .sample_weights = {}, .dout = {1, 1, 1, 1}};
  CHECK(b.forward().out == Vector(4, 0.0));
  CHECK(b.backward().dweight == Vector(6, 0.0));
  b.sample_weights_backward();
  b.offsets = {0, 3};  // beyond the end: both bags are bad
  CHECK(b.forward().errors == 2);
  CHECK(b.backward().errors == 2);
  CHECK(b.sample_weights_backward().errors == 2);
  b.bags = 0;
  b.offsets = {};
  b.dout = {};
  b.forward();
  CHECK(b.backward().dweight == Vector(6, 0.0));
  b.bags = 2;
  b.columns = 0;
  b.indices = {0, 9};
  CHECK(b.forward().errors == 1);
  CHECK(b.backward().errors == 1);
  CHECK(b.sample_weights_backward().dsample_weights == Vector(2, 0.0));
}

TEST_CASE("as many bags as there may be, with nothing in them and no columns") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  double nothing = 0;
  const auto run_on_nothing = [&]<class Descriptor, class Args>(Descriptor d, Args args, auto... tensors) {
    d.num_embeddings = 3;
    d.embedding_dim = d.num_indices = 0;
    d.num_bags = kMost;
    d.element = ADJ_F64;
    d.index = ADJ_I64;
    ((args.*tensors = {.data = &nothing, .bytes = 0, .dtype = ADJ_F64}), ...);
    args.indices = {.data = &nothing, .bytes = 0, .dtype = ADJ_I64};
    return run(d, args).ok();
  };
  CHECK(run_on_nothing(Forward{}, adj_embedding_bag_forward_args{}, &adj_embedding_bag_forward_args::weight, &adj_embedding_bag_forward_args::out));
  using Args = adj_embedding_bag_per_sample_weights_backward_args;
  CHECK(run_on_nothing(SampleWeights{}, Args{}, &Args::dout, &Args::weight, &Args::dper_sample_weights));
}

TEST_CASE("embedding bags refuse problems that cannot be") {
  const Forward good{.num_embeddings = 5, .embedding_dim = 2, .num_indices = 6, .num_bags = 3, .element = ADJ_F32, .index = ADJ_I64};
  CHECK(select_status(good) == ADJ_OK);
  std::string message;
  const auto refused = [&](auto change, const char* words) {
    Forward d = good;
    change(d);
    CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
    CAPTURE(message);
    CHECK(message.find("embedding_bag_forward") == 0);
    CHECK(message.find(words) != std::string::npos);
  };
  refused([](Forward& d) { d.num_bags = -1; }, "num_bags = -1");
  refused([](Forward& d) { d.num_indices = std::int64_t{1} << 31; }, "num_indices = 2147483648");
  refused([](Forward& d) { d.num_bags = std::int64_t{1} << 31; }, "num_bags = 2147483648");
  refused([](Forward& d) { d.num_bags = 4; }, "num_indices = 6 is not a multiple of num_bags");
  refused([](Forward& d) { d.num_bags = 0; }, "num_indices = 6 is not a multiple of num_bags");
  refused([](Forward& d) { d.include_last_offset = 1; }, "include_last_offset");
  refused([](Forward& d) { d.has_per_sample_weights = 1; }, "has_per_sample_weights");
  refused([](Forward& d) { d.mode = ADJ_BAG_MAX, d.has_per_sample_weights = 1; }, "has_per_sample_weights = 1 is set, which needs mode == sum");
  refused([](Forward& d) { d.has_padding_idx = 1, d.padding_idx = 5; }, "padding_idx = 5");
  refused([](Forward& d) { d.num_embeddings = d.embedding_dim = std::int64_t{1} << 40; }, "of weight overflows");
  Forward unknown = good;
  unknown.mode = adj_bag_mode{4};
  CHECK(select_status(unknown, &message) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(message.find("mode = 4") != std::string::npos);
  Forward integers = good;
  integers.element = ADJ_I32;
  CHECK(select_status(integers) == ADJ_ERROR_UNSUPPORTED);

  Backward scaled{.num_embeddings = 5,
                  .embedding_dim = 2,
                  .num_indices = 6,
                  .num_bags = 3,
                  .mode = ADJ_BAG_MAX,
                  .scale_grad_by_freq = 1,
                  .element = ADJ_F32,
                  .index = ADJ_I64};
  CHECK(select_status(scaled, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("scale_grad_by_freq") != std::string::npos);
  scaled.scale_grad_by_freq = 0;
  CHECK(select_status(scaled) == ADJ_OK);
}

TEST_CASE("embedding bags refuse arguments that do not fit and leave outputs alone") {
  const Indices indices{0, 1, 2, 3}, offsets{0, 2};
  const Vector weight = kRows, samples{1, 1, 1, 1};
  Vector out(4, 7);
  Positions positions(4, 7);
  Forward d{.num_embeddings = 4,
            .embedding_dim = 2,
            .num_indices = 4,
            .num_bags = 2,
            .mode = ADJ_BAG_SUM,
            .has_offsets = 1,
            .has_per_sample_weights = 1,
            .element = ADJ_F64,
            .index = ADJ_I64};
  adj_embedding_bag_forward_args good;
  good.weight = given(weight);
  good.indices = given(indices);
  good.offsets = given(offsets);
  good.per_sample_weights = given(samples);
  good.out = given(out);
  const auto refused = [&](const Forward& descriptor, const adj_embedding_bag_forward_args& a, adj_status code, const char* argument) {
    auto result = run(descriptor, a);
    REQUIRE_FALSE(result.ok());
    CAPTURE(result.error().message);
    CHECK(result.error().code == code);
    CHECK(result.error().message.find(argument) != std::string::npos);
    CHECK(out == Vector(4, 7));
    CHECK(positions == Positions(4, 7));
  };
  auto a = good;
  a.offsets = {};
  refused(d, a, ADJ_ERROR_NULL_BUFFER, "offsets");
  a = good;
  a.offsets.bytes = 15;
  refused(d, a, ADJ_ERROR_BUFFER_TOO_SMALL, "offsets needs 16 bytes, got 15");
  a = good;
  a.offsets.dtype = ADJ_I32;
  refused(d, a, ADJ_ERROR_DTYPE_MISMATCH, "offsets");
  a = good;
  a.per_sample_weights.rank = 2;
  a.per_sample_weights.shape[0] = 2, a.per_sample_weights.shape[1] = 3;
  refused(d, a, ADJ_ERROR_SHAPE_MISMATCH, "per_sample_weights");
  a = good;
  a.max_positions = given(positions);  // only the maximum has them
  refused(d, a, ADJ_ERROR_INVALID_ARGUMENT, "max_positions");
  a = good;
  a.out.data = a.weight.data;
  refused(d, a, ADJ_ERROR_ALIASING, "out");
  Forward last = d;
  last.include_last_offset = 1;
  refused(last, good, ADJ_ERROR_BUFFER_TOO_SMALL, "offsets needs 24 bytes, got 16");
  Forward none = d;
  none.has_offsets = 0;
  refused(none, good, ADJ_ERROR_INVALID_ARGUMENT, "offsets");
  CHECK(run(d, good).ok());
  CHECK(out == Vector{3, 30, 12, 120});
}

TEST_CASE("embedding bag gradients from an index plan are those from the indices") {
  for (adj_bag_mode mode : {ADJ_BAG_SUM, ADJ_BAG_MEAN, ADJ_BAG_MAX})
    for (bool offsets : {false, true})
      for (bool weighted : {false, true}) {
        if (weighted && mode != ADJ_BAG_SUM) continue;
        Bags b{.rows = 5,
               .columns = 3,
               .bags = 4,
               .indices = {0, 4, 2, 2, 7, 3, 3, -1, 2, 1, 0, 3},
               .offsets = {},
               .mode = mode,
               .weight = wave(std::size_t{15}, 0.1),
               .sample_weights = {},
               .dout = wave(std::size_t{12}, 1.1),
               .padding = 3};
        if (offsets) b.offsets = {0, 5, 5, 6};
        if (weighted) b.sample_weights = wave(std::size_t{12}, 2.1);
        b.scale = mode != ADJ_BAG_MAX;
        b.forward().backward();
        const Vector plain = b.dweight;
        CHECK(b.errors == 2);
        b.planned = true;
        b.backward();
        CHECK(b.dweight == plain);
        CHECK(b.errors == 0);  // the plan counts indices, the gradient offsets
      }
}

TEST_CASE("embedding bag gradients from an index plan: positions in no bag, and bad offsets") {
  // The last position is in no bag: it adds nothing, but the plan has three positions of the row.
  Bags b{.rows = 2,
         .columns = 1,
         .bags = 1,
         .indices = {1, 1, 1},
         .offsets = {0, 2},
         .include_last = true,
         .weight = {0, 0},
         .sample_weights = {},
         .dout = {6},
         .scale = true};
  CHECK(b.backward().dweight == Vector{0, 6});
  b.planned = true;
  CHECK(b.backward().dweight == Vector{0, 4});
  b.mode = ADJ_BAG_MEAN;
  b.scale = false;
  CHECK(b.backward().dweight == Vector{0, 6});
  // Bag 1 is bad; positions 3 and 4 belong to bag 2 and position 5 to bag 3, not to bag 0.
  Bags bad{.rows = 1,
           .columns = 1,
           .bags = 4,
           .indices = {0, 0, 0, 0, 0, 0},
           .offsets = {0, 6, 3, 5},
           .mode = ADJ_BAG_MEAN,
           .weight = {0},
           .sample_weights = {},
           .dout = {3, 100, 10, 1000},
           .planned = true};
  CHECK(bad.backward().dweight == Vector{3 + 10 + 1000});
  CHECK(bad.errors == 1);
}
