// Views and copies on the host stream.
#include <string>
#include <vector>

#include <adjoint/ops/shape.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using I = std::vector<std::int64_t>;

struct List {
  std::vector<void*> data;
  std::vector<std::uint64_t> bytes;
  adj_tensor_list list() const { return {static_cast<std::int64_t>(data.size()), ADJ_F32, 0, data.data(), bytes.data()}; }
  void add(std::vector<float>& v) {
    data.push_back(v.data());
    bytes.push_back(v.size() * sizeof(float));
  }
};

}  // namespace

TEST_CASE("view: offsets without copies, parts with") {
  const I numel{2, 0, 3};
  std::vector<float> input{1, 2, 3, 4, 5}, a(2), b(1), c(3);
  I offsets(3);
  adj_view_args args;
  args.input = tensor(input);
  args.offsets = tensor(offsets);
  CHECK(run(adj_view_descriptor{.total = 5, .count = 3, .numel = numel.data(), .element = ADJ_F32}, args).ok());
  CHECK(offsets == I{0, 2, 2});
  List out;
  out.add(a);
  out.add(b);
  out.add(c);
  args.outputs = out.list();
  const adj_view_descriptor copied{.total = 5, .count = 3, .numel = numel.data(), .copies = 1, .element = ADJ_F32};
  CHECK(run(copied, args).ok());
  CHECK(a == std::vector<float>{1, 2});
  CHECK(c == std::vector<float>{3, 4, 5});
  CHECK(b == std::vector<float>{0});
  // Refused: outputs that the descriptor does not have, and an output inside the input.
  CHECK(run(adj_view_descriptor{.total = 5, .count = 3, .numel = numel.data(), .element = ADJ_F32}, args).error().code == ADJ_ERROR_INVALID_ARGUMENT);
  out.data[2] = input.data() + 2;
  CHECK(run(copied, args).error().code == ADJ_ERROR_ALIASING);
  std::string message;
  CHECK(select_status(adj_view_descriptor{.total = 6, .count = 3, .numel = numel.data(), .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("numel adds up to 5, total = 6") != std::string::npos);
  CHECK(select_status(adj_view_descriptor{.count = 3, .numel = numel.data(), .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("total was not given") != std::string::npos);
}

TEST_CASE("copy: what is not in place") {
  const I numel{2, 3};
  std::vector<float> a{1, 2}, b{3, 4, 5}, c(3);
  List in, out;
  in.add(a);
  in.add(b);
  out.add(a);
  out.add(c);
  const adj_copy_descriptor d{.count = 2, .numel = numel.data(), .element = ADJ_F32};
  adj_copy_args args;
  args.inputs = in.list();
  args.outputs = out.list();
  CHECK(run(d, args).ok());
  CHECK(a == std::vector<float>{1, 2});
  CHECK(c == b);
  out.data[1] = b.data() + 1;
  out.bytes[1] = 12;
  CHECK(run(d, args).error().code == ADJ_ERROR_ALIASING);
  CHECK(select_status(adj_copy_descriptor{.element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
}

TEST_CASE("a transpose exchanges rows and columns of every matrix") {
  std::vector<std::int32_t> in, out(24);
  for (std::int32_t i = 0; i < 24; ++i) in.push_back(i);
  adj_transpose_args a;
  a.input = tensor(in);
  a.output = tensor(out);
  REQUIRE(run(adj_transpose_descriptor{.batch = 2, .rows = 3, .columns = 4, .element = ADJ_I32}, a).ok());
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 4; ++c) CHECK(out[b * 12 + c * 3 + r] == in[b * 12 + r * 4 + c]);
  std::string message;
  CHECK(select_status(adj_transpose_descriptor{.rows = 3, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("columns was not given") != std::string::npos);
}
