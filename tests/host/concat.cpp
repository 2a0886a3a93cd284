// Concatenation and splitting on the host stream against plain loops, and refused input.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <random>

#include <adjoint/ops/concat.h>

#include "../../kernels/prelude/scalar.h"
#include "../../kernels/prelude/multi_tensor.h"
#include "../../kernels/parts/params.h"
#include "support.hpp"

namespace {

using namespace support;

using Bytes = std::vector<unsigned char>;
using Lengths = std::vector<std::int64_t>;

adj::Result<void> run(const PlanPtr& plan, const adj_header& args) { return adj::run_plan(*plan, adj::host_stream(), {}, &args); }

template <class Descriptor>
Descriptor describe(std::int64_t outer, std::int64_t inner, const Lengths& lengths, adj_dtype element) {
  Descriptor d;
  d.outer = outer;
  d.inner = inner;
  d.count = static_cast<std::int64_t>(lengths.size());
  d.lengths = lengths.data();
  d.element = element;
  return d;
}

// Buffers of one problem: pieces and the joint tensor.
struct Buffers {
  std::vector<Bytes> pieces;
  Bytes joint;
  std::vector<void*> data;
  std::vector<std::uint64_t> bytes;
  adj_dtype element;

  Buffers(std::int64_t outer, std::int64_t inner, const Lengths& lengths, adj_dtype type) : element(type) {
    const std::int64_t row = outer * inner * static_cast<std::int64_t>(adj::size_of(type));
    for (std::int64_t n : lengths) pieces.emplace_back(static_cast<std::size_t>(n * row));
    joint.resize(static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) * row));
  }
  adj_tensor_list list() {
    data.clear();
    bytes.clear();
    for (Bytes& p : pieces) {
      data.push_back(p.empty() ? nullptr : p.data());
      bytes.push_back(p.size());
    }
    adj_tensor_list l;
    l.count = static_cast<std::int64_t>(pieces.size());
    l.dtype = element;
    l.data = data.data();
    l.bytes = bytes.data();
    return l;
  }
  adj_tensor tensor() {
    adj_tensor t;
    t.data = joint.empty() ? nullptr : joint.data();
    t.bytes = joint.size();
    t.dtype = element;
    return t;
  }
};

void randomise(Bytes& bytes, std::mt19937& rng) {
  for (unsigned char& b : bytes) b = static_cast<unsigned char>(rng());
}

const adj_dtype kTypes[] = {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16, ADJ_I8, ADJ_I16, ADJ_I32, ADJ_I64, ADJ_U8, ADJ_U16, ADJ_U32, ADJ_U64, ADJ_BOOL};

struct Shape {
  std::int64_t outer, inner;
  Lengths lengths;
};
const Shape kShapes[] = {{1, 1, {1}},    {3, 5, {7}},    {4, 1, {1, 2, 3}}, {5, 3, {2, 0, 4, 1}},   {1, 7, {3, 3, 3}},
                         {0, 2, {1, 2}}, {2, 0, {1, 2}}, {2, 2, {0, 0}},    {6, 1, Lengths(200, 1)}};

adj_status code_of(const adj::Result<PlanPtr>& r) { return r ? ADJ_OK : r.error().code; }
adj_status code_of(const adj::Result<void>& r) { return r ? ADJ_OK : r.error().code; }

}  // namespace

TEST_CASE("concat: every element at its place, for every type; split gives the pieces back") {
  std::mt19937 rng(1);
  for (adj_dtype type : kTypes)
    for (const Shape& s : kShapes) {
      CAPTURE(adj::dtype_name(type));
      CAPTURE(s.lengths.size());
      Buffers b(s.outer, s.inner, s.lengths, type);
      for (Bytes& p : b.pieces) randomise(p, rng);
      const auto d = describe<adj_concat_descriptor>(s.outer, s.inner, s.lengths, type);
      auto plan = select(d);
      REQUIRE(plan);
      Lengths lengths_out(s.lengths.size(), -1);
      adj_concat_args args;
      args.inputs = b.list();
      args.output = b.tensor();
      args.lengths_out.data = lengths_out.data();
      args.lengths_out.bytes = lengths_out.size() * 8;
      args.lengths_out.dtype = ADJ_I64;
      REQUIRE(run(*plan, args.header));
      CHECK(lengths_out == s.lengths);

      const std::size_t width = adj::size_of(type);
      const auto total = static_cast<std::size_t>(std::accumulate(s.lengths.begin(), s.lengths.end(), std::int64_t{0}));
      const auto inner = static_cast<std::size_t>(s.inner);
      std::size_t offset = 0, wrong = 0;
      for (std::size_t i = 0; i < s.lengths.size(); ++i) {
        const auto n = static_cast<std::size_t>(s.lengths[i]);
        for (std::size_t p = 0; p < static_cast<std::size_t>(s.outer); ++p)
          for (std::size_t a = 0; a < n; ++a)
            for (std::size_t e = 0; e < inner; ++e)
              wrong += std::memcmp(&b.joint[((p * total + offset + a) * inner + e) * width], &b.pieces[i][((p * n + a) * inner + e) * width], width) != 0;
        offset += n;
      }
      CHECK(wrong == 0);

      Buffers back(s.outer, s.inner, s.lengths, type);
      back.joint = b.joint;
      const auto ds = describe<adj_split_descriptor>(s.outer, s.inner, s.lengths, type);
      auto cut = select(ds);
      REQUIRE(cut);
      adj_split_args split;
      split.input = back.tensor();
      split.outputs = back.list();
      REQUIRE(run(*cut, split.header));
      CHECK(back.pieces == b.pieces);
    }
}

TEST_CASE("concat: a bound call keeps its buffers and writes the lengths at every run") {
  const Lengths lengths{2, 3};
  Buffers b(2, 1, lengths, ADJ_F32);
  std::mt19937 rng(2);
  for (Bytes& p : b.pieces) randomise(p, rng);
  Lengths out(2);
  std::unique_ptr<adj::BoundCall, Release> bound;
  const auto d = describe<adj_concat_descriptor>(2, 1, lengths, ADJ_F32);
  auto plan = select(d);
  REQUIRE(plan);
  {
    adj_concat_args args;
    args.inputs = b.list();
    args.output = b.tensor();
    args.lengths_out.data = out.data();
    args.lengths_out.bytes = 16;
    args.lengths_out.dtype = ADJ_I64;
    auto call = adj::bind_plan(**plan, adj::host_stream(), {}, &args.header);
    REQUIRE(call);
    bound.reset(*call);
  }
  std::fill(b.data.begin(), b.data.end(), nullptr);  // the call has its own copy
  for (int i = 0; i < 2; ++i) {
    out = {-1, -1};
    std::fill(b.joint.begin(), b.joint.end(), static_cast<unsigned char>(0));
    REQUIRE(adj::run_bound(*bound, adj::host_stream()));
    CHECK(out == lengths);
    CHECK(std::memcmp(&b.joint[0], &b.pieces[0][0], 8) == 0);
    CHECK(std::memcmp(&b.joint[8], &b.pieces[1][0], 12) == 0);
    CHECK(std::memcmp(&b.joint[20], &b.pieces[0][8], 8) == 0);
  }
}

TEST_CASE("concat and split: descriptors that are refused, with the field that is wrong") {
  auto refuse = [](std::int64_t outer, std::int64_t inner, const Lengths& lengths, adj_dtype element, adj_status code, const char* word) {
    CAPTURE(word);
    const auto c = describe<adj_concat_descriptor>(outer, inner, lengths, element);
    const auto s = describe<adj_split_descriptor>(outer, inner, lengths, element);
    const auto joined = select(c);
    const auto cut = select(s);
    CHECK(code_of(joined) == code);
    CHECK(code_of(cut) == code);
    if (joined || cut) return;
    CHECK(joined.error().message.find("concat: ") != std::string::npos);
    CHECK(joined.error().message.find(word) != std::string::npos);
    CHECK(cut.error().message.find("split: ") != std::string::npos);
    CHECK(cut.error().message.find(word) != std::string::npos);
  };
  const std::int64_t large = std::int64_t{1} << 58;
  refuse(-1, 1, {1}, ADJ_F32, ADJ_ERROR_INVALID_PROBLEM, "outer = -1");
  refuse(1, -2, {1}, ADJ_F32, ADJ_ERROR_INVALID_PROBLEM, "inner = -2");
  refuse(1, 1, {1, -3}, ADJ_F32, ADJ_ERROR_INVALID_PROBLEM, "lengths[1] = -3");
  refuse(1, 1, {}, ADJ_F32, ADJ_ERROR_INVALID_PROBLEM, "lengths needs at least 1 entry");
  refuse(1, 1, {large, large, 1}, ADJ_F32, ADJ_ERROR_INVALID_PROBLEM, "lengths[2] = 1");
  refuse(8, 1, {large}, ADJ_F32, ADJ_ERROR_INVALID_PROBLEM, "overflows");
  refuse(1, 1, {1}, adj_dtype{99}, ADJ_ERROR_INVALID_ARGUMENT, "element");
  auto null = describe<adj_concat_descriptor>(1, 1, {}, ADJ_F32);
  null.count = 3;
  null.lengths = nullptr;
  const auto plan = select(null);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().code == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(plan.error().message.find("lengths is null") != std::string::npos);
}

TEST_CASE("concat and split: buffers that are refused") {
  const Lengths lengths{2, 3};
  const auto dc = describe<adj_concat_descriptor>(2, 1, lengths, ADJ_F32);
  const auto ds = describe<adj_split_descriptor>(2, 1, lengths, ADJ_F32);
  auto concat = select(dc);
  auto split = select(ds);
  REQUIRE(concat);
  REQUIRE(split);
  alignas(16) float memory[64] = {};
  void* pieces[] = {memory, memory + 8};
  std::uint64_t bytes[] = {16, 24};
  adj_tensor_list list;
  list.count = 2;
  list.dtype = ADJ_F32;
  list.data = pieces;
  list.bytes = bytes;
  adj_tensor joint;
  joint.data = memory + 32;
  joint.bytes = 40;
  joint.dtype = ADJ_F32;
  adj_concat_args c;
  c.inputs = list;
  c.output = joint;
  adj_split_args s;
  s.input = joint;
  s.outputs = list;
  auto check_concat = [&] { return code_of(adj::can_implement(**concat, &c.header)); };
  auto check_split = [&] { return code_of(adj::can_implement(**split, &s.header)); };
  CHECK(check_concat() == ADJ_OK);
  CHECK(check_split() == ADJ_OK);

  bytes[1] = 23;
  CHECK(check_concat() == ADJ_ERROR_BUFFER_TOO_SMALL);
  CHECK(check_split() == ADJ_ERROR_BUFFER_TOO_SMALL);
  bytes[1] = 24;
  pieces[1] = reinterpret_cast<char*>(memory) + 34;
  CHECK(check_concat() == ADJ_ERROR_MISALIGNED);
  pieces[1] = nullptr;
  CHECK(check_split() == ADJ_ERROR_NULL_BUFFER);
  pieces[1] = memory + 3;  // the pieces overlap: inputs may, outputs may not
  CHECK(check_concat() == ADJ_OK);
  CHECK(check_split() == ADJ_ERROR_ALIASING);
  for (float* overlapping : {memory + 27, memory + 36, memory + 41}) {  // the joint tensor: its begin, inside, its end
    pieces[1] = overlapping;
    CHECK(check_concat() == ADJ_ERROR_ALIASING);
    CHECK(check_split() == ADJ_ERROR_ALIASING);
    CHECK(code_of(adj::run_plan(**concat, adj::host_stream(), {}, &c.header)) == ADJ_ERROR_ALIASING);
    CHECK(code_of(adj::run_plan(**split, adj::host_stream(), {}, &s.header)) == ADJ_ERROR_ALIASING);
  }
  pieces[1] = memory + 26;  // ends where it begins
  CHECK(check_concat() == ADJ_OK);
  CHECK(check_split() == ADJ_OK);
  pieces[1] = memory + 8;
  c.inputs.count = 1;
  CHECK(check_concat() == ADJ_ERROR_SHAPE_MISMATCH);
  c.inputs.count = 2;
  c.inputs.dtype = ADJ_I32;
  CHECK(check_concat() == ADJ_ERROR_DTYPE_MISMATCH);
  c.inputs.dtype = ADJ_F32;
  c.output.data = nullptr;
  CHECK(check_concat() == ADJ_ERROR_NULL_BUFFER);
  c.output.data = joint.data;
  std::int64_t out[2] = {};
  c.lengths_out.data = out;
  c.lengths_out.bytes = 8;
  c.lengths_out.dtype = ADJ_I64;
  CHECK(check_concat() == ADJ_ERROR_BUFFER_TOO_SMALL);
}

// ---- launches on an offline device

namespace {

struct Launch {
  PartsHead head;
  unsigned grid, grid_y, block, shared;
};
std::vector<Launch> launches(const std::vector<adj::Step>& steps) {
  std::vector<Launch> list;
  for (const adj::Step& step : steps) {
    const auto& k = std::get<adj::KernelStep>(step);
    Launch l{};
    std::memcpy(&l.head, k.params.data(), sizeof l.head);
    l.grid = k.config.grid_x;
    l.grid_y = k.config.grid_y;
    l.block = k.config.block_x;
    l.shared = k.config.shared_bytes;
    list.push_back(l);
  }
  return list;
}
template <class Descriptor = adj_concat_descriptor>
PlanPtr offline(const Shape& s, adj_dtype type) {
  auto plan = select(describe<Descriptor>(s.outer, s.inner, s.lengths, type), *adj::offline_stream("sm_90a"));
  REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
  return std::move(*plan);
}

}  // namespace

TEST_CASE("concat: launches; one for what fits a table, one when bound, none for nothing") {
  CHECK(offline({0, 4, {1, 2}}, ADJ_F32)->steps.empty());
  CHECK(offline({4, 4, {0, 0}}, ADJ_F32)->steps.empty());
  const PlanPtr few = offline({4096, 1, Lengths(32, 1024)}, ADJ_F32);
  CHECK(few->steps.size() == 1);
  CHECK(few->tables.empty());
  CHECK(few->workspace_size == 0);
  CHECK(few->bind_workspace_size == 0);
  CHECK(launches(few->steps)[0].shared == 0);
  const PlanPtr many = offline({4, 1, Lengths(5000, 1)}, ADJ_F32);
  CHECK(many->count_steps(false) > 1);
  CHECK(many->count_steps(true) == 1);
  CHECK(many->workspace_size == 0);
  CHECK(many->bind_workspace_size == 5000 * multi_tensor_entry_bytes(kPartsNarrowForm));
  for (const Launch& l : launches(many->steps)) CHECK(l.shared == kPartsSharedBytes);
}

TEST_CASE("concat: the work of a launch follows the bytes, not the number of pieces") {
  // A large piece has many blocks, small pieces have one each.
  const PlanPtr one = offline({1, 1, {std::int64_t{1} << 28, 1}}, ADJ_U8);
  const auto large = launches(one->steps).at(0);
  CHECK(large.block == kPartsThreads);
  CHECK(large.grid >= 1000);
  const PlanPtr small = offline({1, 1, Lengths(64, 5)}, ADJ_U8);
  CHECK(launches(small->steps).at(0).grid == 64);
  // A single piece with elements is copied as one row, for any axis.
  const PlanPtr single = offline({1000, 3, {0, 7, 0}}, ADJ_F16);
  CHECK(launches(single->steps).at(0).head.rows == 1);
  CHECK(launches(single->steps).at(0).head.pitch == 1000 * 3 * 7 * 2);
}

TEST_CASE("concat and split: aligned rows, whole chunks of every piece in turn, or 4 MB of one; blocks as large as chunks") {
  const Shape shape{4096, 1, Lengths(32, 1024)};
  const auto check = [&](const Launch& l, unsigned rows) {
    const unsigned chunk = 1u << l.head.list.chunk_log2;
    CHECK(chunk == kPartsAlignedThreads * kPartsAlignedVectors);
    CHECK(l.block == kPartsAlignedThreads);
    CHECK(l.head.rows_of_turn == static_cast<int>(rows));
    CHECK(l.grid == 32 * rows * 256 / chunk);
    CHECK(l.grid_y == 4096 / rows);
  };
  check(launches(offline(shape, ADJ_F32)->steps).at(0), 8);
  check(launches(offline<adj_split_descriptor>(shape, ADJ_F32)->steps).at(0), 1024);
  const auto tiny = launches(offline({16, 1, Lengths(3, 64)}, ADJ_F32)->steps).at(0);
  CHECK(tiny.grid == 3);
  CHECK(tiny.grid_y == 1);
  CHECK(tiny.block * kPartsAlignedVectors == 1u << tiny.head.list.chunk_log2);
  // Rows that are no whole units, and the block for addresses that are not aligned.
  CHECK(launches(offline({4096, 1, Lengths(32, 1023)}, ADJ_F32)->steps).at(0).block == kPartsThreads);
  const PlanPtr plan = offline(shape, ADJ_F32);
  CHECK(std::get<adj::KernelStep>(plan->steps.at(0)).unaligned_block == kPartsThreads);
}

TEST_CASE("concat: as many rows in turn as leave no more turns than a grid has rows") {
  const auto l = launches(offline({std::int64_t{1} << 26, 1, {64, 4}}, ADJ_F32)->steps).at(0);
  CHECK(l.grid_y <= 65535);
  CHECK(static_cast<std::int64_t>(l.grid_y) * l.head.rows_of_turn >= l.head.rows);
  auto beyond = select(describe<adj_concat_descriptor>(std::int64_t{1} << 40, 1, {1 << 16, 4}, ADJ_F32), *adj::offline_stream("sm_90a"));
  CHECK(code_of(beyond) == ADJ_ERROR_UNSUPPORTED);
}
