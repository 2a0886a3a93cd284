// Descriptors completed from arguments: what follows from which array, and the sentence where nothing does.
#include <doctest/doctest.h>

#include <adjoint.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

// A tensor with a shape and a type, without memory.
adj_tensor shaped(adj_dtype dtype, std::initializer_list<std::int64_t> shape) {
  adj_tensor t;
  t.dtype = dtype;
  t.rank = static_cast<std::int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), t.shape);
  return t;
}

template <class Descriptor, class Args>
std::string completed(Descriptor& d, const Args& a, std::int64_t* room = nullptr, std::int64_t capacity = 0) {
  const Descriptor before = d;
  if (adj_op_complete(&d.header, &a.header, room, capacity) == ADJ_OK) return "";
  CHECK(std::memcmp(&before, &d, sizeof d) == 0);  // untouched
  return adj_last_error();
}

}  // namespace

TEST_CASE("a shape with as many dimensions as extents gives each its own") {
  adj_softmax_backward_descriptor d;
  adj_softmax_backward_args a;
  a.dout = a.out = shaped(ADJ_BF16, {4, 10, 3});
  REQUIRE(completed(d, a) == "");
  CHECK((d.outer == 4 && d.extent == 10 && d.inner == 3 && d.element == ADJ_BF16));
}

TEST_CASE("the axis of a softmax is not guessed") {
  adj_softmax_forward_descriptor d;
  adj_softmax_forward_args a;
  a.input = shaped(ADJ_F32, {4, 10});
  CHECK(completed(d, a) == "softmax_forward: extent cannot be known from input's shape [4, 10]: it must be given");
  d.extent = 10;
  CHECK(completed(d, a) == "softmax_forward: outer cannot be known from input's shape [4, 10]: it must be given");
  d.extent = 3;
  CHECK(completed(d, a) == "softmax_forward: input's shape [4, 10] has 40 elements, no multiple of the extents that are known, 3");
  d.extent = 10;
  d.outer = 4;
  REQUIRE(completed(d, a) == "");
  CHECK((d.outer == 4 && d.inner == 1));
  d = {};
  d.inner = 10;
  REQUIRE(completed(d, a) == "");
  CHECK((d.outer == 1 && d.extent == 4));
  a.input = shaped(ADJ_F32, {10});
  d = {};
  REQUIRE(completed(d, a) == "");
  CHECK((d.outer == 1 && d.extent == 10 && d.inner == 1));
}

TEST_CASE("the extents of a single element without dimensions are 1") {
  adj_activation_forward_descriptor d;
  adj_activation_forward_args a;
  a.input = shaped(ADJ_F32, {});
  CHECK(completed(d, a) == "activation_forward: inner cannot be known: no argument that was given has it");  // the shape is not stated
  a.input.bytes = 4;
  d.function = ADJ_ACTIVATION_RELU;
  REQUIRE(completed(d, a) == "");
  CHECK((d.outer == 1 && d.inner == 1 && d.element == ADJ_F32));
  d = {};
  d.outer = 3;
  CHECK(completed(d, a) == "activation_forward: input's shape [] has 1 elements, no multiple of the extents that are known, 3");
  adj_softmax_backward_descriptor s;
  adj_softmax_backward_args b;
  b.dout = b.out = a.input;
  REQUIRE(completed(s, b) == "");
  CHECK((s.outer == 1 && s.extent == 1 && s.inner == 1));
  adj_gated_activation_forward_descriptor g;
  adj_gated_activation_forward_args c;
  c.input = a.input;
  CHECK(completed(g, c) == "gated_activation_forward: inner cannot be known from input's shape []: it must be given");
}

TEST_CASE("two arguments that contradict each other are named") {
  adj_softmax_backward_descriptor d;
  adj_softmax_backward_args a;
  a.dout = shaped(ADJ_F32, {4, 10, 1});
  a.out = shaped(ADJ_F32, {4, 12, 1});
  CHECK(completed(d, a) == "softmax_backward: extent is 10 by dout's shape [4, 10, 1] and 12 by out's shape [4, 12, 1]");
  CHECK(adj_op_complete(&d.header, &a.header, nullptr, 0) == ADJ_ERROR_SHAPE_MISMATCH);
  a.out = shaped(ADJ_BF16, {4, 10, 1});
  CHECK(completed(d, a) == "softmax_backward: element is f32 by dout and bf16 by out");
  CHECK(adj_op_complete(&d.header, &a.header, nullptr, 0) == ADJ_ERROR_DTYPE_MISMATCH);
  a.out = a.dout;
  d.extent = 11;
  CHECK(completed(d, a) == "softmax_backward: extent is 11 as given and 10 by dout's shape [4, 10, 1]");

  adj_softmax_forward_descriptor f;
  adj_softmax_forward_args g;
  g.input = shaped(ADJ_F32, {4, 10, 3});
  f.extent = 7;
  CHECK(completed(f, g) == "softmax_forward: extent is 7 as given and 10 by input's shape [4, 10, 3]");

  adj_matmul_descriptor product;
  adj_matmul_args factors;
  factors.a = shaped(ADJ_F32, {1, 8, 16});
  product.k = 5;
  CHECK(completed(product, factors) == "matmul: k is 5 as given and 16 by a's shape [1, 8, 16]");

  adj_layer_norm_forward_descriptor norm;
  adj_layer_norm_forward_args n;
  n.input = shaped(ADJ_F32, {4, 10});
  n.out = shaped(ADJ_F32, {4, 12});
  CHECK(completed(norm, n) == "layer_norm_forward: shape is [4, 10] by input and [4, 12] by out");
  n.out = {};
  n.gamma = shaped(ADJ_F32, {12});
  CHECK(completed(norm, n) == "layer_norm_forward: gamma has shape [12], expected [10]");
}

TEST_CASE("the rest of the dimensions, types and flags") {
  adj_softmax_cross_entropy_loss_backward_descriptor d;
  adj_softmax_cross_entropy_loss_backward_args a;
  a.scores = shaped(ADJ_F16, {2, 5, 7, 9});
  a.labels = shaped(ADJ_I64, {2, 7, 9});
  a.lse = shaped(ADJ_F32, {2, 7, 9});
  a.weight = shaped(ADJ_F32, {5});
  a.dscores = shaped(ADJ_F16, {2, 5, 63});
  REQUIRE(completed(d, a) == "");
  CHECK((d.batch == 2 && d.num_classes == 5 && d.inner == 63 && d.padded_classes == 0));
  CHECK((d.element == ADJ_F16 && d.label == ADJ_I64 && d.output == ADJ_DTYPE_NONE && d.weight == ADJ_F32 && d.from_scores == 1));

  adj_embedding_backward_descriptor e;
  adj_embedding_backward_args b;
  b.dout = shaped(ADJ_F32, {2, 3, 8});
  b.indices = shaped(ADJ_I32, {2, 3});
  CHECK(completed(e, b) == "embedding_backward: num_embeddings cannot be known: no argument that was given has it");
  e.num_embeddings = 11;
  REQUIRE(completed(e, b) == "");
  CHECK((e.num_indices == 6 && e.embedding_dim == 8 && e.index == ADJ_I32));

  adj_matmul_descriptor m;
  adj_matmul_args p;
  p.a = shaped(ADJ_BF16, {8, 16});
  p.b = shaped(ADJ_BF16, {32, 16});
  p.bias = shaped(ADJ_F32, {32});
  m.transpose_b = 1;
  REQUIRE(completed(m, p) == "");
  CHECK((m.m == 8 && m.n == 32 && m.k == 16 && m.batch == 1 && m.out == ADJ_F32 && m.has_bias == 1));
  m = {};
  CHECK(completed(m, p) == "matmul: k is 16 by a's shape [8, 16] and 32 by b's shape [32, 16]");
}

TEST_CASE("an extent of another one's size stays at its default") {
  adj_attention_forward_descriptor d;
  adj_attention_forward_args a;
  a.q = shaped(ADJ_F16, {2, 5, 8, 16});
  a.k = a.v = shaped(ADJ_F16, {2, 5, 2, 16});
  REQUIRE(completed(d, a) == "");
  CHECK((d.batch == 2 && d.tokens == 5 && d.heads == 8 && d.kv_heads == 2 && d.head_dim == 16 && d.has_lengths == 0));
  d = {};
  a.k = a.v = a.q;
  REQUIRE(completed(d, a) == "");
  CHECK((d.heads == 8 && d.kv_heads == 0));
}

TEST_CASE("an element type with a default keeps it where no argument has it") {
  adj_quantize_descriptor d;
  adj_quantize_args a;
  a.x = shaped(ADJ_F16, {5, 8});
  REQUIRE(completed(d, a) == "");
  CHECK((d.rows == 5 && d.columns == 8 && d.element == ADJ_F16 && d.code == ADJ_F8_E4M3));
  d = {};
  a.codes = shaped(ADJ_F8_E5M2, {5, 8});
  REQUIRE(completed(d, a) == "");
  CHECK(d.code == ADJ_F8_E5M2);
}

TEST_CASE("lists of numbers are written to the caller's room") {
  const std::uint64_t bytes[] = {12, 0, 20};
  adj_copy_descriptor d;
  adj_copy_args a;
  a.inputs.count = 3;
  a.inputs.dtype = ADJ_F32;
  a.inputs.bytes = bytes;
  std::int64_t room[3] = {-7, -7, -7};
  CHECK(completed(d, a, room, 2) == "copy: numel has 3 numbers, and there is room for 2 (capacity = 2)");
  CHECK(completed(d, a, nullptr, 3) == "copy: room is null, and numel has 3 numbers");
  CHECK(room[0] == -7);
  REQUIRE(completed(d, a, room, 3) == "");
  CHECK((d.count == 3 && d.numel == room && room[0] == 3 && room[1] == 0 && room[2] == 5 && d.element == ADJ_F32));
  const std::uint64_t less[] = {12, 0, 16}, odd[] = {12, 0, 18};
  d = {};
  a.outputs = a.inputs;
  a.outputs.bytes = less;
  CHECK(completed(d, a, room, 3) == "copy: outputs[2] has 4 elements, the descriptor says 5");
  a.outputs.bytes = odd;
  CHECK(completed(d, a, room, 3) == "copy: outputs.bytes[2] = 18 is no number of elements of f32");
  a.outputs = {};
  a.outputs.count = 2;
  a.outputs.dtype = ADJ_F32;
  a.outputs.bytes = bytes;
  CHECK(completed(d, a, room, 3) == "copy: outputs has 2 tensors, the descriptor says 3");
}

TEST_CASE("what is no array, and what the descriptor forbids") {
  adj_softmax_forward_descriptor d;
  adj_softmax_forward_args a;
  a.input = shaped(ADJ_F32, {2, 3, 4});
  a.input.rank = 9;
  CHECK(completed(d, a) == "softmax_forward: input.rank = 9, expected 0 to 8");
  a.input.rank = 3;
  a.input.shape[1] = -3;
  CHECK(completed(d, a) == "softmax_forward: input has shape [2, -3, 4], with a negative extent or more than 2^63 elements");
  a.input = shaped(ADJ_F32, {2, 3, 4});
  int value = 0;
  a.input.dtype = ADJ_DTYPE_NONE;
  a.input.data = &value;
  CHECK(completed(d, a) == "softmax_forward: input.dtype = 0 is not an element type");
  a = {};
  CHECK(completed(d, a) == "softmax_forward: extent cannot be known: no argument that was given has it");

  adj_matmul_descriptor m;
  adj_matmul_args p;
  p.a = p.b = p.c = shaped(ADJ_F32, {4, 4});
  CHECK(completed(m, p) == "matmul: c is given, but the descriptor says that it is absent: it is there only if beta != 0");
}

TEST_CASE("an extent is one dimension unless it is declared to fold") {
  using Extents = std::initializer_list<std::int64_t>;
  const auto product = [](Extents a, Extents b, bool transpose_b = false, Extents result = {}, adj_matmul_descriptor d = {}) {
    adj_matmul_args args;
    args.a = shaped(ADJ_F32, a);
    args.b = shaped(ADJ_F32, b);
    if (result.size() > 0) args.d = shaped(ADJ_F32, result);
    d.transpose_b = transpose_b;
    const std::string error = completed(d, args);
    return error.empty() ? std::to_string(d.batch) + " " + std::to_string(d.m) + " " + std::to_string(d.n) + " " + std::to_string(d.k) : error;
  };
  CHECK(product({2, 3}, {3, 3, 4}) == "matmul: batch is 1 by a's shape [2, 3] and 3 by b's shape [3, 3, 4]");
  CHECK(product({2, 6}, {2, 3, 4}) == "matmul: k is 6 by a's shape [2, 6] and 3 by b's shape [2, 3, 4]");
  CHECK(product({2, 3, 5}, {7, 4}) == "matmul: k is 7 by b's shape [7, 4] and 5 by a's shape [2, 3, 5]");
  CHECK(product({2, 5, 7, 3}, {2, 3, 4}) != "2 35 4 3");  // rows fold where there is one matrix
  CHECK(product({2, 5, 3}, {3, 4}) == "1 10 4 3");        // a linear layer
  CHECK(product({2, 2, 2, 3}, {4, 3}, true) == "1 8 4 3");
  CHECK(product({2, 5, 3}, {2, 3, 4}) == "2 5 4 3");
  CHECK(product({2, 2, 5, 3}, {2, 2, 3, 4}) == "4 5 4 3");
  CHECK(product({5, 3}, {3, 4}) == "1 5 4 3");

  CHECK(product({6, 3, 2}, {6, 4}, false, {2, 3, 4}) == "matmul: k is 6 by b's shape [6, 4] and 2 by a's shape [6, 3, 2]");
  CHECK(product({2, 2, 3}, {6, 4}, false, {2, 4}) == "matmul: k is 6 by b's shape [6, 4] and 3 by a's shape [2, 2, 3]");
  CHECK(product({2, 3, 6}, {3, 4, 4}, false, {2, 3, 4}) == "matmul: k is 6 by a's shape [2, 3, 6] and 4 by b's shape [3, 4, 4]");
  CHECK(product({2, 3, 3}, {2, 3, 4}, false, {2, 3, 4}) == "2 3 4 3");
  adj_matmul_descriptor given;
  given.m = 3, given.k = 4, given.n = 5;
  CHECK(product({3, 2, 2}, {4, 5}, false, {}, given) == "matmul: k is 4 as given and 2 by a's shape [3, 2, 2]");
  CHECK(product({3, 4}, {2, 2, 5}, false, {}, given) == "matmul: k is 4 as given and 2 by b's shape [2, 2, 5]");
  given.batch = 2;  // the header's own shape: the rows of all matrices
  CHECK(product({6, 4}, {8, 5}, false, {6, 5}, given) == "2 3 5 4");

  adj_activation_forward_descriptor d;
  adj_activation_forward_args a;
  a.input = shaped(ADJ_F32, {2, 3, 4});
  a.bias = shaped(ADJ_F32, {12});
  d.function = ADJ_ACTIVATION_RELU;
  CHECK(completed(d, a) == "activation_forward: inner is 12 by bias's shape [12] and 4 by input's shape [2, 3, 4]");
  d.inner = 12;
  a.bias = {};
  CHECK(completed(d, a) == "activation_forward: inner is 12 as given and 4 by input's shape [2, 3, 4]");

  adj_rms_norm_forward_descriptor norm;
  adj_rms_norm_forward_args row;
  row.input = shaped(ADJ_F32, {4, 2, 3});
  norm.axis = 1;
  row.gamma = shaped(ADJ_F32, {3, 2});
  CHECK(completed(norm, row) == "rms_norm_forward: gamma has shape [3, 2], expected [6]");
  for (const auto& dims : {Extents{6}, Extents{2, 3}, Extents{2, 1, 3}}) {
    adj_rms_norm_forward_descriptor fresh;
    fresh.axis = 1;
    row.gamma = shaped(ADJ_F32, dims);
    CHECK(completed(fresh, row) == "");
  }

  adj_reduce_descriptor sum;
  adj_reduce_args whole;
  whole.input = shaped(ADJ_F32, {2, 6, 3});
  sum.axes = {1, {1}};
  whole.output = shaped(ADJ_F32, {2, 3});
  CHECK(completed(sum, whole) == "reduce: output has shape [2, 3], expected [2, 1, 3]");
  sum.keepdims = 0;
  whole.output = shaped(ADJ_F32, {2, 3, 1});
  CHECK(completed(sum, whole) == "reduce: output has shape [2, 3, 1], expected [2, 3]");

  adj_split_descriptor cut;
  adj_split_args joint;
  const std::int64_t lengths[] = {1, 3};
  cut.outer = cut.count = 2;
  cut.lengths = lengths;
  joint.input = shaped(ADJ_F32, {2, 2, 2});
  CHECK(completed(cut, joint) == "split: inner cannot be known from input's shape [2, 2, 2]: it must be given");
  joint.input = shaped(ADJ_F32, {2, 4});
  CHECK(completed(cut, joint) == "");

  adj_embedding_forward_descriptor e;
  adj_embedding_forward_args lookup;
  lookup.weight = shaped(ADJ_F32, {11, 2, 4});
  lookup.indices = shaped(ADJ_I64, {2, 3});
  CHECK(completed(e, lookup) != "");  // a row is one dimension
  lookup.weight = shaped(ADJ_F32, {11, 8});
  REQUIRE(completed(e, lookup) == "");
  CHECK((e.num_indices == 6 && e.embedding_dim == 8));
}
