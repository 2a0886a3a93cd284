// Index operators on the host stream: the contract's examples, values worked out by hand, adjoints, and refused input.
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <adjoint/ops/embedding.h>
#include <adjoint/ops/index.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using I = std::vector<std::int64_t>;
using V = std::vector<double>;

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max(), kBegin = std::numeric_limits<std::int64_t>::min();

template <class Descriptor, class Args>
void check_run(const Descriptor& d, const Args& a) {
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
}

V gather_nd(adj_gather_nd_backward_descriptor d, I indices, V dout, V dinput, std::int64_t* errors = nullptr) {
  d.element = ADJ_F64;
  d.index = ADJ_I64;
  adj_gather_nd_backward_args a;
  I flag{0};
  a.dout = tensor(dout);
  a.indices = tensor(indices);
  a.dinput = tensor(dinput);
  a.error_flag = tensor(flag);
  check_run(d, a);
  if (errors) *errors = flag[0];
  return dinput;
}

V slice(adj_slice_backward_descriptor d, V dout, std::size_t count) {
  d.element = ADJ_F64;
  V dinput(count, 7);
  adj_slice_backward_args a;
  a.dout = tensor(dout);
  a.dinput = tensor(dinput);
  check_run(d, a);
  return dinput;
}

}  // namespace

TEST_CASE("gather_nd_backward: rows, batches, repeated, negative and outside indices") {
  std::int64_t errors = -1;
  // Two of three rows, one of them twice, once counted from the end.
  CHECK(gather_nd({.input_shape = {2, {3, 2}}, .indices_shape = {2, {3, 1}}}, {2, 0, -1}, {1, 2, 3, 4, 10, 20}, V(6, 9)) == V{3, 4, 0, 0, 11, 22});
  CHECK(gather_nd({.input_shape = {2, {3, 2}}, .indices_shape = {2, {3, 1}}, .write_mode = ADJ_WRITE_ACCUMULATE}, {2, 0, -1}, {1, 2, 3, 4, 10, 20},
                  V(6, 100)) == V{103, 104, 100, 100, 111, 122});
  // All axes indexed: scalars.
  CHECK(gather_nd({.input_shape = {2, {2, 2}}, .indices_shape = {2, {3, 2}}}, {0, 1, 1, 0, 0, 1}, {1, 2, 4}, V(4)) == V{0, 5, 2, 0});
  // Batches of one index each.
  CHECK(gather_nd({.input_shape = {3, {2, 2, 1}}, .indices_shape = {2, {2, 1}}, .batch_dims = 1}, {1, 0}, {5, 6}, V(4)) == V{0, 5, 6, 0});
  // Outside: left out and counted.
  CHECK(gather_nd({.input_shape = {1, {3}}, .indices_shape = {2, {4, 1}}}, {3, -4, 1, kBegin}, {1, 2, 3, 4}, V(3), &errors) == V{0, 3, 0});
  CHECK(errors == 3);
  // No index at all: the whole tensor, for every slice.
  CHECK(gather_nd({.input_shape = {1, {2}}, .indices_shape = {2, {2, 0}}}, {}, {1, 2, 3, 4}, V(2)) == V{4, 6});
  // No slices, and no batches.
  CHECK(gather_nd({.input_shape = {1, {2}}, .indices_shape = {2, {0, 1}}}, {}, {}, V(2, 5)) == V{0, 0});
  CHECK(gather_nd({.input_shape = {2, {0, 2}}, .indices_shape = {2, {0, 1}}, .batch_dims = 1}, {}, {}, {}) == V{});
}

TEST_CASE("gather_nd_backward is the adjoint of the lookup") {
  const adj_gather_nd_backward_descriptor d{.input_shape = {4, {2, 3, 4, 5}}, .indices_shape = {3, {2, 7, 2}}, .batch_dims = 1};
  I indices;
  for (int i = 0; i < 28; ++i) indices.push_back(i % 2 ? (i * 3) % 4 - 4 : (i * 5) % 3);
  const V x = wave(120, 0.3), u = wave(70, 1.7);
  double forward = 0;  // <gathered, u>
  for (int m = 0; m < 14; ++m)
    for (int j = 0; j < 5; ++j) {
      const auto first = indices[static_cast<std::size_t>(m * 2)], second = indices[static_cast<std::size_t>(m * 2 + 1)];
      const auto at = ((m / 7 * 3 + first) * 4 + (second < 0 ? second + 4 : second)) * 5 + j;
      forward += x[static_cast<std::size_t>(at)] * u[static_cast<std::size_t>(m * 5 + j)];
    }
  const V g = gather_nd(d, indices, u, V(120));
  CHECK(std::inner_product(g.begin(), g.end(), x.begin(), 0.0) == doctest::Approx(forward));
}

TEST_CASE("gather_elements_backward: each axis, fewer rows than the input, errors") {
  auto grad = [](adj_gather_elements_backward_descriptor d, I indices, V dout, std::size_t count, std::int64_t* errors = nullptr) {
    d.element = ADJ_F64;
    d.index = ADJ_I64;
    V dinput(count, 3);
    I flag{0};
    adj_gather_elements_backward_args a;
    a.dout = tensor(dout);
    a.indices = tensor(indices);
    a.dinput = tensor(dinput);
    a.error_flag = tensor(flag);
    check_run(d, a);
    if (errors) *errors = flag[0];
    return dinput;
  };
  CHECK(grad({.input_shape = {2, {2, 3}}, .indices_shape = {2, {2, 2}}, .axis = 1}, {0, 0, 2, -2}, {1, 2, 3, 4}, 6) == V{3, 0, 0, 0, 4, 3});
  CHECK(grad({.input_shape = {2, {2, 3}}, .indices_shape = {2, {2, 2}}, .axis = 0}, {1, 0, 1, 0}, {1, 2, 3, 4}, 6) == V{0, 6, 0, 4, 0, 0});
  std::int64_t errors = 0;
  CHECK(grad({.input_shape = {2, {1, 3}}, .indices_shape = {2, {1, 4}}, .axis = -1}, {3, -4, 1, 1}, {1, 2, 3, 4}, 3, &errors) == V{0, 7, 0});
  CHECK(errors == 2);
}

TEST_CASE("index_add: any axis, in place, errors") {
  for (bool in_place : {false, true}) {
    const adj_index_add_descriptor d{.shape = {2, {2, 3}}, .axis = 1, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I32};
    std::vector<float> input{1, 2, 3, 4, 5, 6}, source{1, 2, 4, 8, 10, 20, 40, 80}, output(6);
    std::vector<std::int32_t> indices{2, 0, -1, 7};
    I flag{1};
    adj_index_add_args a;
    a.input = tensor(input);
    a.indices = tensor(indices);
    a.source = tensor(source);
    a.output = tensor(in_place ? input : output);
    a.error_flag = tensor(flag);
    check_run(d, a);
    CHECK((in_place ? input : output) == std::vector<float>{3, 2, 8, 24, 5, 56});
    CHECK(flag[0] == 2);
  }
}

TEST_CASE("sums are rounded once") {
  // 2048 times 1 and one 1 in f16: 2049 is between two numbers and rounds to 2048; 4096 is reached exactly.
  std::vector<adj::f16> dout(4096, adj::to_f16(1)), dinput(1);
  I indices(4096, 0);
  const adj_gather_nd_backward_descriptor d{.input_shape = {1, {1}}, .indices_shape = {2, {4096, 1}}, .element = ADJ_F16, .index = ADJ_I64};
  adj_gather_nd_backward_args a;
  a.dout = tensor(dout);
  a.indices = tensor(indices);
  a.dinput = tensor(dinput);
  check_run(d, a);
  CHECK(adj::to_double(dinput[0]) == 4096);
}

TEST_CASE("slice_backward: ONNX's rules for starts, ends and steps") {
  CHECK(slice({.input_shape = {1, {5}}, .starts = {1, {1}}, .ends = {1, {3}}}, {1, 2}, 5) == V{0, 1, 2, 0, 0});
  CHECK(slice({.input_shape = {1, {5}}, .starts = {1, {-2}}, .ends = {1, {kEnd}}}, {1, 2}, 5) == V{0, 0, 0, 1, 2});
  CHECK(slice({.input_shape = {1, {5}}, .starts = {1, {-100}}, .ends = {1, {-3}}}, {1, 2}, 5) == V{1, 2, 0, 0, 0});
  CHECK(slice({.input_shape = {1, {5}}, .starts = {1, {0}}, .ends = {1, {5}}, .steps = {1, {2}}}, {1, 2, 3}, 5) == V{1, 0, 2, 0, 3});
  CHECK(slice({.input_shape = {1, {5}}, .starts = {1, {kEnd}}, .ends = {1, {kBegin}}, .steps = {1, {-2}}}, {1, 2, 3}, 5) == V{3, 0, 2, 0, 1});
  CHECK(slice({.input_shape = {1, {5}}, .starts = {1, {4}}, .ends = {1, {0}}, .steps = {1, {-3}}}, {1, 2}, 5) == V{0, 2, 0, 0, 1});
  CHECK(slice({.input_shape = {1, {5}}, .starts = {1, {-9}}, .ends = {1, {-10}}, .steps = {1, {-1}}}, {1}, 5) == V{1, 0, 0, 0, 0});
  CHECK(slice({.input_shape = {1, {3}}, .starts = {1, {2}}, .ends = {1, {1}}}, {}, 3) == V{0, 0, 0});
  CHECK(slice({.input_shape = {1, {3}}, .starts = {1, {0}}, .ends = {1, {3}}, .steps = {1, {kEnd}}}, {4}, 3) == V{4, 0, 0});
  CHECK(slice({.input_shape = {1, {3}}, .starts = {1, {2}}, .ends = {1, {-9}}, .steps = {1, {kBegin}}}, {4}, 3) == V{0, 0, 4});
  // One axis of two, and both in another order.
  CHECK(slice({.input_shape = {2, {2, 3}}, .starts = {1, {1}}, .ends = {1, {2}}, .axes = {1, {-1}}}, {1, 2}, 6) == V{0, 1, 0, 0, 2, 0});
  CHECK(slice({.input_shape = {2, {2, 3}}, .starts = {2, {0, 1}}, .ends = {2, {2, 2}}, .axes = {2, {1, 0}}}, {1, 2}, 6) == V{0, 0, 0, 1, 2, 0});
  CHECK(slice({.input_shape = {2, {2, 2}}}, {1, 2, 3, 4}, 4) == V{1, 2, 3, 4});
}

TEST_CASE("pad_and_unflatten and flatten_and_unpad: the contract's example, each the other's gradient") {
  V input{1, 2, 3, 4, 5, 6, 7, 8}, padded(24, 9), back(8);
  I indices{0, 5}, dims(2), flag{0};
  adj_pad_and_unflatten_args p;
  p.input = tensor(input);
  p.indices = tensor(indices);
  p.output = tensor(padded, {2, 3, 4});
  check_run(adj_pad_and_unflatten_descriptor{.num_indices = 2, .batch = 2, .length = 3, .inner = 4, .element = ADJ_F64, .index = ADJ_I64}, p);
  V want(24);
  std::copy_n(input.begin(), 4, want.begin());
  std::copy_n(input.begin() + 4, 4, want.begin() + 20);
  CHECK(padded == want);
  adj_flatten_and_unpad_args f;
  f.input = tensor(padded);
  f.indices = tensor(indices);
  f.output = tensor(back);
  f.unflatten_dims = tensor(dims);
  check_run(adj_flatten_and_unpad_descriptor{.num_indices = 2, .batch = 2, .length = 3, .inner = 4, .element = ADJ_F64, .index = ADJ_I64}, f);
  CHECK(back == input);
  CHECK(dims == I{2, 3});
  // Outside, negative ones included: nothing is written, zeros are read, both are counted.
  indices = {6, -1};
  p.error_flag = f.error_flag = tensor(flag);
  check_run(adj_pad_and_unflatten_descriptor{.num_indices = 2, .batch = 2, .length = 3, .inner = 4, .element = ADJ_F64, .index = ADJ_I64}, p);
  CHECK(padded == V(24));
  check_run(adj_flatten_and_unpad_descriptor{.num_indices = 2, .batch = 2, .length = 3, .inner = 4, .element = ADJ_F64, .index = ADJ_I64}, f);
  CHECK(back == V(8));
  CHECK(flag[0] == 4);
  // The last of equal indices counts.
  indices = {4, 4};
  check_run(adj_pad_and_unflatten_descriptor{.num_indices = 2, .batch = 2, .length = 3, .inner = 4, .element = ADJ_F64, .index = ADJ_I64}, p);
  CHECK(padded[16] == 5);
}

TEST_CASE("index operators refuse what cannot be, with the field") {
  std::string message;
  auto says = [&](const char* part) { return message.find(part) != std::string::npos; };
  adj_gather_nd_backward_descriptor nd{.input_shape = {2, {3, 4}}, .indices_shape = {2, {5, 1}}, .element = ADJ_F32, .index = ADJ_I64};
  CHECK(select_status(nd) == ADJ_OK);
  nd.batch_dims = 2;
  CHECK(select_status(nd, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("batch_dims = 2"));
  nd.batch_dims = 1;
  CHECK(select_status(nd, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("batch dimension 0 is 3 in input_shape and 5"));
  nd.batch_dims = 0;
  nd.indices_shape.dims[1] = 3;
  CHECK(select_status(nd, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("more axes than the rank 2"));
  nd.indices_shape = {};
  CHECK(select_status(nd, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("indices_shape.rank = 0"));

  adj_gather_elements_backward_descriptor e{.input_shape = {2, {3, 4}}, .indices_shape = {2, {4, 9}}, .axis = 1, .element = ADJ_F32, .index = ADJ_I64};
  CHECK(select_status(e, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("extent 4 in dimension 0, input_shape 3"));
  e.indices_shape = {1, {4}};
  CHECK(select_status(e, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("rank 1"));
  e.indices_shape = {2, {3, 9}};
  e.axis = 2;
  CHECK(select_status(e, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("axis = 2"));

  adj_index_add_descriptor add{.shape = {1, {3}}, .element = ADJ_F32, .index = ADJ_I64};
  CHECK(select_status(add, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("num_indices was not given"));

  adj_slice_backward_descriptor s{.input_shape = {2, {3, 4}}, .starts = {1, {0}}, .ends = {1, {1}}, .element = ADJ_F32};
  CHECK(select_status(s) == ADJ_OK);
  s.steps = {1, {0}};
  CHECK(select_status(s, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("steps.at[0] = 0"));
  s.steps = {2, {1, 1}};
  CHECK(select_status(s, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("steps.count = 2 is not that of starts"));
  s.steps = {};
  s.axes = {1, {2}};
  CHECK(select_status(s, &message) == ADJ_ERROR_INVALID_PROBLEM);
  s.starts = s.ends = s.axes = {2, {1, 1}};
  CHECK(select_status(s, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("axis 1 again"));
  s.ends = {1, {1}};
  CHECK(select_status(s, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("ends.count = 1 is not that of starts"));

  adj_pad_and_unflatten_descriptor p{.num_indices = 2, .batch = 3, .element = ADJ_F32, .index = ADJ_I64};
  CHECK(select_status(p, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("length was not given"));
  p.length = std::int64_t{1} << 58;
  CHECK(select_status(p, &message) == ADJ_ERROR_INVALID_PROBLEM);
}

TEST_CASE("index plans serve gather_nd_backward, gather_elements_backward and index_add with the bits of their indices") {
  using V = std::vector<std::int32_t>;
  const auto sort = [](adj_index_plan_descriptor d, std::vector<std::int64_t> indices, V& rows, V& order) {
    d.index = ADJ_I64;
    rows.assign(static_cast<std::size_t>(d.num_indices), -1), order = rows;
    adj_index_plan_args a;
    a.indices = tensor(indices);
    a.sorted_rows = tensor(rows);
    a.order = tensor(order);
    REQUIRE(run(d, a).ok());
  };
  V rows, order;
  std::string message;
  {
    adj_gather_nd_backward_descriptor d{.input_shape = {3, {2, 3, 2}}, .indices_shape = {2, {5, 2}}, .element = ADJ_F32, .index = ADJ_I64};
    std::vector<std::int64_t> indices{1, 2, 0, -1, -1, 2, 0, 3, 0, 0};
    std::vector<float> dout{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, plain(12), planned(12);
    adj_gather_nd_backward_args a;
    a.dout = tensor(dout), a.indices = tensor(indices), a.dinput = tensor(plain);
    REQUIRE(run(d, a).ok());
    CHECK(plain == std::vector<float>{9, 10, 0, 0, 3, 4, 0, 0, 0, 0, 6, 8});
    sort({.num_embeddings = 6, .num_indices = 5, .input_shape = d.input_shape, .indices_shape = d.indices_shape, .positions = ADJ_INDEX_POSITIONS_SLICES},
         indices, rows, order);
    d.use_index_plan = 1;
    a.dinput = tensor(planned), a.sorted_rows = tensor(rows), a.order = tensor(order);
    CHECK(run(d, a).error().message.find("indices is given, but the descriptor says that it is absent") != std::string::npos);
    a.indices = {};
    REQUIRE(run(d, a).ok());
    CHECK(planned == plain);
    a.order = {};
    CHECK(run(d, a).error().message.find("order is required and null") != std::string::npos);
    d.use_index_plan = 2;
    CHECK(select_status(d, &message) != ADJ_OK);
    CHECK(message.find("use_index_plan = 2") != std::string::npos);
    // More rows than a plan has numbers for.
    d = {.input_shape = {2, {std::int64_t{1} << 31, 1}}, .indices_shape = {2, {5, 1}}, .use_index_plan = 1, .element = ADJ_F32, .index = ADJ_I64};
    CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK(message.find("rows of dinput = 2147483648") != std::string::npos);
  }
  {
    adj_gather_elements_backward_descriptor d{.input_shape = {2, {2, 3}}, .indices_shape = {2, {3, 2}}, .element = ADJ_F32, .index = ADJ_I64};
    std::vector<std::int64_t> indices{1, 0, 1, 2, -2, 0};
    std::vector<float> dout{1, 2, 3, 4, 5, 6}, plain(6), planned(6);
    adj_gather_elements_backward_args a;
    a.dout = tensor(dout), a.indices = tensor(indices), a.dinput = tensor(plain);
    REQUIRE(run(d, a).ok());
    CHECK(plain == std::vector<float>{5, 8, 0, 4, 0, 0});
    sort({.num_embeddings = 6, .num_indices = 6, .input_shape = d.input_shape, .indices_shape = d.indices_shape, .positions = ADJ_INDEX_POSITIONS_ELEMENTS},
         indices, rows, order);
    d.use_index_plan = 1;
    a.indices = {}, a.dinput = tensor(planned), a.sorted_rows = tensor(rows), a.order = tensor(order);
    REQUIRE(run(d, a).ok());
    CHECK(planned == plain);
  }
  {
    adj_index_add_descriptor d{.shape = {3, {2, 3, 2}}, .axis = 1, .num_indices = 3, .element = ADJ_F32, .index = ADJ_I64};
    std::vector<std::int64_t> indices{2, -1, 0};
    std::vector<float> input(12, 1), source{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, plain(12), planned(12);
    adj_index_add_args a;
    a.input = tensor(input), a.indices = tensor(indices), a.source = tensor(source), a.output = tensor(plain);
    REQUIRE(run(d, a).ok());
    CHECK(plain == std::vector<float>{6, 7, 1, 1, 5, 7, 12, 13, 1, 1, 17, 19});
    sort({.num_embeddings = 3, .num_indices = 3, .wrap_negative = 1}, indices, rows, order);
    d.use_index_plan = 1;
    a.indices = {}, a.output = tensor(planned), a.sorted_rows = tensor(rows), a.order = tensor(order);
    REQUIRE(run(d, a).ok());
    CHECK(planned == plain);
  }
  // On a device nothing but the sums is launched.
  adj_gather_nd_backward_descriptor d{.input_shape = {2, {500, 64}}, .indices_shape = {2, {9000, 1}}, .element = ADJ_F32, .index = ADJ_I64};
  const auto sorts = [&] {
    auto plan = select(d, *adj::offline_stream("sm_90a"));
    REQUIRE(plan.ok());
    int found = 0;
    for (const adj::Step& step : (*plan)->steps)
      if (const auto* kernel = std::get_if<adj::KernelStep>(&step))
        found += kernel->program->source() == "segment_sum/keys.cu" || kernel->program->source() == "segment_sum/sort.cu";
    return found;
  };
  CHECK(sorts() > 1);
  d.use_index_plan = 1;
  CHECK(sorts() == 0);
}
