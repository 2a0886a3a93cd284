// The plan engine on the host stream and on offline devices, with the embedding operators as its example.
#include <doctest/doctest.h>

#include <adjoint/adjoint.hpp>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "host/communicator.hpp"
#include "ops/common/shapes.hpp"
#include "plan/plan.hpp"
#include "plan/rules.hpp"

using namespace adjoint;

namespace {

struct Example {
  std::array<float, 6> weight{0, 1, 2, 3, 4, 5};
  std::array<std::int64_t, 4> indices{1, 0, 2, -1};
  std::array<float, 8> out{};
  std::int64_t errors = 0;
  EmbeddingForwardDescriptor descriptor{.num_embeddings = 3, .embedding_dim = 2, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I64};
  EmbeddingForwardArgs args{
      .weight = tensor(weight.data(), {3, 2}), .indices = tensor(indices.data(), {4}), .out = tensor(out.data(), {4, 2}), .error_flag = tensor(&errors, {1})};
  Stream stream = Stream::host();
};

void expect(const Result<void>& result, adj_status code, std::initializer_list<const char*> words) {
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == code);
  for (const char* word : words) CHECK_MESSAGE(result.error().message.find(word) != std::string::npos, result.error().message);
}

}  // namespace

TEST_CASE("select, can_implement, run") {
  Example e;
  auto plan = EmbeddingForwardPlan::select(e.stream, e.descriptor);
  REQUIRE(plan);
  CHECK(plan->workspace_size() == 0);
  REQUIRE(plan->can_implement(e.args));
  REQUIRE(plan->run(e.stream, {}, e.args));
  CHECK(e.out == std::array<float, 8>{2, 3, 0, 1, 4, 5, 0, 0});
  CHECK(e.errors == 1);
  CHECK(std::string(plan->sku().id) == "embedding_forward/reference/f32.i64/host");
  CHECK(plan->precision_guarantee().determinism == ADJ_BATCH_INVARIANT);
}

TEST_CASE("a bound call keeps its buffers") {
  Example e;
  auto plan = EmbeddingForwardPlan::select(e.stream, e.descriptor);
  REQUIRE(plan);
  auto bound = [&] {
    EmbeddingForwardArgs temporary = e.args;
    auto b = plan->bind(e.stream, {}, temporary);
    temporary = {};
    return b;
  }();
  REQUIRE(bound);
  REQUIRE(bound->run(e.stream));
  CHECK(e.out[0] == 2);
  e.weight[2] = 9;
  REQUIRE(bound->run(e.stream));
  CHECK(e.out[0] == 9);
}

TEST_CASE("a plan outlives its handle through a bound call") {
  Example e;
  auto bound = [&] {
    auto plan = EmbeddingForwardPlan::select(e.stream, e.descriptor);
    REQUIRE(plan);
    return plan->bind(e.stream, {}, e.args);
  }();
  REQUIRE(bound);
  CHECK(bound->run(e.stream));
}

TEST_CASE("bad buffers: each has its own code and sentence, and nothing is written") {
  Example e;
  auto plan = EmbeddingForwardPlan::select(e.stream, e.descriptor);
  REQUIRE(plan);
  e.out.fill(7);
  auto with = [&](auto change) {
    EmbeddingForwardArgs args = e.args;
    change(args);
    auto checked = plan->can_implement(args);
    auto ran = plan->run(e.stream, {}, args);
    REQUIRE_FALSE(checked);
    REQUIRE_FALSE(ran);
    CHECK(checked.error().message == ran.error().message);
    return ran;
  };
  expect(with([](auto& a) { a.weight.data = nullptr; }), ADJ_ERROR_NULL_BUFFER, {"embedding_forward", "weight"});
  expect(with([](auto& a) { a.weight.dtype = ADJ_F64; }), ADJ_ERROR_DTYPE_MISMATCH, {"weight", "f64", "f32"});
  expect(with([](auto& a) { a.weight.dtype = adj_dtype{77}; }), ADJ_ERROR_DTYPE_MISMATCH, {"weight", "77"});
  expect(with([](auto& a) { a.indices.shape[0] = 5; }), ADJ_ERROR_SHAPE_MISMATCH, {"indices", "[5]", "[4]"});
  expect(with([](auto& a) { a.indices.rank = 2; }), ADJ_ERROR_SHAPE_MISMATCH, {"indices", "[4, 0]", "[4]"});
  expect(with([](auto& a) { a.indices.rank = 9; }), ADJ_ERROR_SHAPE_MISMATCH, {"rank = 9"});
  expect(with([](auto& a) { a.indices.rank = -1; }), ADJ_ERROR_SHAPE_MISMATCH, {"rank = -1"});
  expect(with([](auto& a) { a.weight.strides[0] = 1, a.weight.strides[1] = 3; }), ADJ_ERROR_SHAPE_MISMATCH, {"strides", "[1, 3]"});
  expect(with([](auto& a) { a.out.bytes = 31; }), ADJ_ERROR_BUFFER_TOO_SMALL, {"out", "32", "31"});
  expect(with([](auto& a) { a.indices.data = static_cast<char*>(a.indices.data) + 4; }), ADJ_ERROR_MISALIGNED, {"indices"});
  expect(with([](auto& a) { a.out.data = a.weight.data; }), ADJ_ERROR_ALIASING, {"out", "weight"});
  expect(with([](auto& a) { a.weight.data = reinterpret_cast<void*>(~std::uintptr_t{7}); }), ADJ_ERROR_INVALID_ARGUMENT, {"weight", "wraps"});
  for (float v : e.out) CHECK(v == 7);
  // Strides that agree with the shape are accepted, and so is an unstated shape.
  EmbeddingForwardArgs args = e.args;
  args.weight.strides[0] = 2;
  args.weight.strides[1] = 1;
  args.out.rank = 0;
  CHECK(plan->run(e.stream, {}, args));
}

// Whether the dims can be cut, in their order, into a group for each extent, with the extent for product.
static bool can_be_cut(std::span<const std::int64_t> extents, std::span<const std::int64_t> dims) {
  const auto product = [](std::span<const std::int64_t> of) { return std::accumulate(of.begin(), of.end(), std::int64_t{1}, std::multiplies<>()); };
  if (extents.size() == 1) return product(dims) == extents[0];
  for (std::size_t n = 0; n <= dims.size(); ++n)
    if (product(dims.first(n)) == extents[0] && can_be_cut(extents.subspan(1), dims.subspan(n))) return true;
  return false;
}

TEST_CASE("a shape is accepted when its extents, multiplied in groups in their order, are those that the operator names") {
  const std::int64_t values[] = {0, 1, 2, 3, 4, 6};
  for (const auto& [outer, indices, inner] :
       {std::array<std::int64_t, 3>{2, 4, 3}, {1, 4, 1}, {4, 4, 4}, {6, 1, 2}, {0, 4, 3}, {2, 0, 3}, {2, 3, 0}, {0, 0, 2}, {1, 1, 1}}) {
    auto plan =
        GatherBackwardPlan::select(Stream::host(), {.outer = outer, .extent = 5, .inner = inner, .num_indices = indices, .element = ADJ_F32, .index = ADJ_I64});
    REQUIRE(plan);
    std::vector<float> dout(64), dinput(256);
    std::vector<std::int64_t> rows(8);
    GatherBackwardArgs args{.dout = tensor(dout.data(), {}), .indices = tensor(rows.data(), {}), .dinput = tensor(dinput.data(), {})};
    args.dout.bytes = 256, args.indices.bytes = 64, args.dinput.bytes = 1024;
    CHECK(plan->can_implement(args));
    const std::int64_t extents[] = {outer, indices, inner};
    for (int rank = 1, count = 6; rank <= 5; ++rank, count *= 6)
      for (int code = 0; code < count; ++code) {
        args.dout.rank = rank;
        for (int i = 0, rest = code; i < rank; ++i, rest /= 6) args.dout.shape[i] = values[rest % 6];
        const std::span<const std::int64_t> dims(args.dout.shape, static_cast<std::size_t>(rank));
        const auto checked = plan->can_implement(args);
        const bool fine = can_be_cut(extents, dims);
        CHECK_MESSAGE(checked.ok() == fine, fmt::format("[{}] for [{}]", fmt::join(dims, ", "), fmt::join(extents, ", ")));
        if (!checked)
          CHECK(checked.error().message ==
                fmt::format("gather_backward: dout has shape [{}], the descriptor says [{}]", fmt::join(dims, ", "), fmt::join(extents, ", ")));
      }
  }
}

TEST_CASE("a mask of C++'s own bool") {
  auto plan = DropoutForwardPlan::select(Stream::host(), {.numel = 3, .element = ADJ_F32});
  REQUIRE(plan);
  const float input[] = {1, 2, 3};
  float out[3];
  bool mask[3] = {};
  const DropoutForwardArgs args{.input = tensor(input, {3}), .ratio = value(0), .random = {.seed = 1}, .out = tensor(out, {3}), .mask = tensor(mask, {3})};
  REQUIRE(plan->run(Stream::host(), {}, args));
  CHECK((mask[0] && mask[1] && mask[2]));
}

TEST_CASE("shapes that are not shapes") {
  auto plan = GatherBackwardPlan::select(Stream::host(), {.outer = 2, .extent = 5, .inner = 3, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I64});
  REQUIRE(plan);
  std::vector<float> dout(24), dinput(30);
  std::vector<std::int64_t> rows(4);
  GatherBackwardArgs args{.dout = tensor(dout.data(), {24}), .indices = tensor(rows.data(), {4}), .dinput = tensor(dinput.data(), {2, 5, 3})};
  for (const auto& shape : {std::vector<std::int64_t>{-2, -1, 4, 3},
                            {2, 4, -3, -1},
                            {2, 4, 3, -1},
                            {std::int64_t{1} << 32, std::int64_t{1} << 32, 24},
                            {2, 4, std::int64_t{1} << 62, 4, 3}}) {
    args.dout.rank = static_cast<std::int32_t>(shape.size());
    std::copy(shape.begin(), shape.end(), args.dout.shape);
    expect(plan->can_implement(args), ADJ_ERROR_SHAPE_MISMATCH, {"gather_backward: dout has shape", "the descriptor says [2, 4, 3]"});
  }
  // Strides are those of the shape that is stated.
  const std::int64_t shape[] = {2, 2, 1, 2, 3}, strides[] = {12, 6, 77, 3, 1};
  args.dout.rank = 5;
  std::copy(std::begin(shape), std::end(shape), args.dout.shape);
  std::copy(std::begin(strides), std::end(strides), args.dout.strides);
  CHECK(plan->can_implement(args));
  args.dout.strides[1] = 3, args.dout.strides[3] = 6;
  expect(plan->can_implement(args), ADJ_ERROR_SHAPE_MISMATCH, {"dout has strides [12, 3, 77, 6, 1] for shape [2, 2, 1, 2, 3]"});
}

TEST_CASE("bad descriptors") {
  Example e;
  auto with = [&](auto change) {
    EmbeddingForwardDescriptor d = e.descriptor;
    change(d);
    auto plan = EmbeddingForwardPlan::select(e.stream, d);
    REQUIRE_FALSE(plan);
    return Result<void>(plan.take_error());
  };
  expect(with([](auto& d) { d.num_embeddings = -1; }), ADJ_ERROR_INVALID_PROBLEM, {"embedding_forward", "num_embeddings", "-1"});
  expect(with([](auto& d) { d.embedding_dim = std::int64_t{1} << 62; }), ADJ_ERROR_INVALID_PROBLEM, {"embedding_dim", "limit"});
  expect(with([](auto& d) { d.num_embeddings = d.embedding_dim = std::int64_t{1} << 40; }), ADJ_ERROR_INVALID_PROBLEM, {"weight", "overflow"});
  expect(with([](auto& d) { d.element = ADJ_I32; }), ADJ_ERROR_UNSUPPORTED, {"i32.i64", "bf16.i64"});
  expect(with([](auto& d) { d.element = {}; }), ADJ_ERROR_UNSUPPORTED, {"element was not given", "bf16.i64"});
  expect(with([](auto& d) { d.index = adj_dtype{1234}; }), ADJ_ERROR_INVALID_ARGUMENT, {"index = 1234", "f32.i64"});
  expect(with([](auto& d) { d.has_padding_idx = 2; }), ADJ_ERROR_INVALID_ARGUMENT, {"has_padding_idx", "2"});
  expect(with([](auto& d) { d.has_padding_idx = 1, d.padding_idx = 3; }), ADJ_ERROR_INVALID_PROBLEM, {"padding_idx = 3"});
  expect(with([](auto& d) { d.has_padding_idx = 1, d.padding_idx = -4; }), ADJ_ERROR_INVALID_PROBLEM, {"padding_idx = -4"});
}

TEST_CASE("extents are multiplied without overflow, up to the limit of whoever asks") {
  constexpr std::int64_t kFar = std::int64_t{1} << 40, kMost = std::numeric_limits<std::int64_t>::max();
  using Dims = std::vector<std::int64_t>;
  CHECK(adj::rules::volume(Dims{}) == 1);
  CHECK(adj::rules::volume(Dims{3, 0, 5}) == 0);
  CHECK(adj::rules::volume(Dims{kMost, 1}) == kMost);
  CHECK_FALSE(adj::rules::volume(Dims{kMost / 2 + 1, 2}));
  CHECK_FALSE(adj::rules::volume(Dims{0, kFar, kFar}));
  CHECK_FALSE(adj::rules::volume(Dims{0, -1}));
  CHECK(adj::check_volume("op", "t", {2, adj::kMostElements / 2}));
  CHECK(adj::check_volume("op", "t", {kFar, kFar, 0}));
  CHECK(adj::check_volume("op", "t", {4, adj::kMostElements / 2}).error().message == "op: the shape [4, 288230376151711744] of t overflows 64 bits");
}

TEST_CASE("zero-size problems succeed, and their empty buffers may be null") {
  const Stream stream = Stream::host();
  for (auto [v, d, n] : {std::array<std::int64_t, 3>{0, 4, 0}, {5, 4, 0}, {5, 0, 3}, {0, 0, 0}}) {
    auto plan = EmbeddingForwardPlan::select(stream, {.num_embeddings = v, .embedding_dim = d, .num_indices = n, .element = ADJ_F16, .index = ADJ_I32});
    REQUIRE(plan);
    std::int32_t indices[3] = {};
    EmbeddingForwardArgs args;
    std::array<std::uint16_t, 20> weight{};
    if (v > 0 && d > 0) args.weight = tensor(weight.data(), ADJ_F16, {v, d});
    if (n) args.indices = tensor(indices, {n});
    CHECK(plan->run(stream, {}, args));
  }
}

TEST_CASE("preferences: what is required and what excludes") {
  Example e;
  auto with = [&](auto change) {
    Preference p;
    change(p);
    return EmbeddingForwardPlan::select(e.stream, e.descriptor, p);
  };
  CHECK(with([](auto& p) { p.determinism = ADJ_BATCH_INVARIANT; }));
  CHECK(with([](auto& p) { p.math = ADJ_MATH_IEEE; }));
  CHECK(with([](auto& p) { p.workspace_limit = 0; }));
  CHECK(with([](auto& p) { p.sku = "*/reference/*"; }));
  for (auto& plan : {with([](auto& p) { p.sku = "*/nothing/*"; }), with([](auto& p) { p.backend = ADJ_BACKEND_CUDNN; })}) {
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == ADJ_ERROR_UNSUPPORTED);
    CHECK_FALSE(plan.error().rejections.empty());
    for (const Rejection& r : plan.error().rejections) CHECK_FALSE(r.reason.empty());
  }
  for (auto& plan : {with([](auto& p) { p.determinism = adj_determinism{9}; }), with([](auto& p) { p.math = adj_math{-1}; }),
                     with([](auto& p) { p.jit = adj_jit_policy{4}; }), with([](auto& p) { p.backend = adj_backend{12}; })}) {
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == ADJ_ERROR_INVALID_ARGUMENT);
  }
  auto limited = EmbeddingBackwardPlan::select(e.stream, {.num_embeddings = 3, .embedding_dim = 2, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I64}, [] {
    Preference p;
    p.workspace_limit = 8;
    return p;
  }());
  REQUIRE_FALSE(limited);
  CHECK(limited.error().message.find("workspace_limit = 8") != std::string::npos);
}

TEST_CASE("explain lists every candidate; offline plans select and do not run") {
  Example e;
  for (const char* arch : {"sm_80", "sm_90a", "sm_100"}) {
    auto offline = Stream::offline(arch);
    REQUIRE(offline);
    auto candidates = EmbeddingForwardPlan::explain(*offline, e.descriptor);
    REQUIRE(candidates);
    int accepted = 0;
    for (const Rejection& c : *candidates) accepted += c.code == ADJ_OK;
    CHECK(accepted == 1);
    CHECK(candidates->size() == 2);
    auto plan = EmbeddingForwardPlan::select(*offline, e.descriptor);
    REQUIRE(plan);
    CHECK(std::string(plan->sku().arch) == "sm80");
    expect(plan->run(*offline, {}, e.args), ADJ_ERROR_BACKEND_UNAVAILABLE, {"offline"});
    expect(plan->run(e.stream, {}, e.args), ADJ_ERROR_STREAM_MISMATCH, {"embedding_forward"});
  }
  CHECK_FALSE(Stream::offline("sm_1"));
}

TEST_CASE("libraries come after our kernels where those were measured to be faster") {
  auto offline = Stream::offline("sm_90a");
  REQUIRE(offline);
  // The algorithm that is tried first; cuBLASLt and cuDNN are tried, and refused for want of a device.
  const auto first = [&](const auto& plan_of, const auto& descriptor) {
    auto candidates = plan_of(*offline, descriptor, Preference{});
    REQUIRE(candidates);
    for (const Rejection& c : *candidates) {
      const std::string id = c.sku;
      const auto begin = id.find('/') + 1;
      if (!id.ends_with("/host") && c.reason.find("determinism") == std::string::npos) return id.substr(begin, id.find('/', begin) - begin);
    }
    return std::string();
  };
  const auto product = [&](MatmulDescriptor d) {
    d.element = ADJ_BF16;
    return first([](const auto&... a) { return MatmulPlan::explain(a...); }, d);
  };
  CHECK(product({.m = 8192, .n = 50304, .k = 768, .transpose_b = 1}) == "cublaslt");
  CHECK(product({.m = 8192, .n = 50257, .k = 768, .transpose_b = 1}) == "warpgroups");
  CHECK(product({.m = 8192, .n = 50257, .k = 768, .ldd = 50264, .transpose_b = 1}) == "cublaslt");
  CHECK(product({.m = 720, .n = 1309, .k = 131}) == "cublaslt");  // too little work to pay for packing
  CHECK(product({.m = 4096, .n = 4096, .k = 771}) == "warpgroups");
  CHECK(product({.m = 4096, .n = 4096, .k = 771, .transpose_a = 1}) == "cublaslt");
  CHECK(product({.m = 8192, .n = 4100, .k = 768}) == "warpgroups");
  CHECK(product({.m = 1024, .n = 4100, .k = 1024}) == "cublaslt");
  CHECK(product({.m = 2176, .n = 53008, .k = 90, .transpose_b = 1, .epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH}) == "warpgroups");
  CHECK(product({.m = 2176, .n = 53008, .k = 90, .transpose_b = 1}) == "cublaslt");
  CHECK(product({.m = 448, .n = 22473, .k = 128, .transpose_a = 1, .write_mode = ADJ_WRITE_ACCUMULATE, .out = ADJ_F32}) == "cublaslt");
  CHECK(product({.m = 65536, .n = 3072, .k = 768, .epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD}) == "warpgroups");
  CHECK(product({.m = 4096, .n = 3072, .k = 768, .epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD}) == "cublaslt");
  const auto gradient = [&](std::int64_t tokens, std::int64_t head_dim, std::int64_t window) {
    return first(
        [](const auto&... a) { return AttentionBackwardPlan::explain(a...); },
        AttentionBackwardDescriptor{.batch = 2, .tokens = tokens, .heads = 8, .head_dim = head_dim, .window = window, .causal = 1, .element = ADJ_BF16});
  };
  CHECK(gradient(8192, 128, -1) == "cudnn");
  CHECK(gradient(8192, 128, 2048) == "warpgroups");
  CHECK(gradient(8192, 128, 2049) == "cudnn");
  CHECK(gradient(2048, 64, 1024) == "warpgroups");
  CHECK(gradient(2047, 64, 1023) == "tensor_cores");
  CHECK(gradient(64, 128, 16) == "warpgroups");
  CHECK(gradient(8192, 256, 64) == "cudnn");
  const auto output = [&](std::int64_t tokens, std::int64_t head_dim) {
    return first([](const auto&... a) { return AttentionForwardPlan::explain(a...); },
                 AttentionForwardDescriptor{.batch = 64, .tokens = tokens, .heads = 8, .head_dim = head_dim, .element = ADJ_BF16});
  };
  CHECK(output(64, 64) == "tensor_cores");
  CHECK(output(65, 64) == "cudnn");
  CHECK(output(64, 128) == "cudnn");
}

TEST_CASE("determinism none adds in memory where that is faster, and no other requirement does") {
  auto offline = Stream::offline("sm_90a");
  REQUIRE(offline);
  const Preference none{.determinism = ADJ_NONDETERMINISTIC};
  const auto algorithm = [](const auto& plan) {
    const std::string id = plan->sku().id;
    return id.substr(id.find('/') + 1, id.find('/', id.find('/') + 1) - id.find('/') - 1);
  };
  const auto rejection = [](const auto& candidates, const char* sku) {
    for (const Rejection& c : *candidates)
      if (std::string(c.sku).find(sku) != std::string::npos) return c.code == ADJ_OK ? std::string() : std::string(c.reason);
    return std::string("not a candidate");
  };
  EmbeddingBackwardDescriptor descriptor{
      .num_embeddings = 50000, .embedding_dim = 64, .num_indices = 2000, .write_mode = ADJ_WRITE_ACCUMULATE, .element = ADJ_F32, .index = ADJ_I64};
  const auto select = [&](Preference p) { return EmbeddingBackwardPlan::select(*offline, descriptor, p); };
  const auto explain = [&](Preference p) { return EmbeddingBackwardPlan::explain(*offline, descriptor, p); };

  auto plan = select(none);
  REQUIRE(plan);
  CHECK(algorithm(plan) == "atomic");
  CHECK(plan->precision_guarantee().determinism == ADJ_NONDETERMINISTIC);
  CHECK(plan->precision_guarantee().float_atomics == 1);
  for (adj_determinism level : {ADJ_DETERMINISM_DEFAULT, ADJ_RUN_TO_RUN, ADJ_SHAPE_ONLY}) {
    plan = select({.determinism = level});
    REQUIRE(plan);
    CHECK(algorithm(plan) == "grouped");
    CHECK(rejection(explain({.determinism = level}), "/atomic/").find("determinism is none") != std::string::npos);
  }
  CHECK_FALSE(select({.sku = "*/atomic/*"}));
  // The device's additions in memory of f32 are not IEEE's.
  plan = select({.determinism = ADJ_NONDETERMINISTIC, .math = ADJ_MATH_IEEE});
  REQUIRE(plan);
  CHECK(algorithm(plan) == "grouped");
  // When all candidates are excluded, the error is the reason of one that the preference admits.
  plan = select({.workspace_limit = 0});
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message.find("atomic") == std::string::npos);

  // When sorted sums are faster they come first; a caller who names the atomic SKU gets it.
  descriptor.num_embeddings = 100;
  plan = select(none);
  REQUIRE(plan);
  CHECK(algorithm(plan) == "grouped");
  auto candidates = explain(none);
  REQUIRE(candidates);
  CHECK(std::string(candidates->back().sku).find("/atomic/") != std::string::npos);
  CHECK(candidates->back().code == ADJ_OK);
  plan = select({.determinism = ADJ_NONDETERMINISTIC, .sku = "*/atomic/*"});
  REQUIRE(plan);
  CHECK(plan->workspace_size() == 0);

  descriptor.scale_grad_by_freq = 1;
  CHECK(rejection(explain(none), "/atomic/").find("scale_grad_by_freq") != std::string::npos);
  descriptor.scale_grad_by_freq = 0;
  descriptor.num_indices = 65537;
  CHECK(rejection(explain(none), "/atomic/").find("num_indices = 65537") != std::string::npos);
  descriptor.num_indices = 65536;
  CHECK(rejection(explain(none), "/atomic/").empty());
  descriptor.element = ADJ_BF16;
  CHECK(rejection(explain(none), "/atomic/") == "not a candidate");

  EmbeddingBagBackwardDescriptor bags{.num_embeddings = 1000,
                                      .embedding_dim = 64,
                                      .num_indices = 1310720,
                                      .num_bags = 65536,
                                      .mode = ADJ_BAG_MAX,
                                      .has_offsets = 1,
                                      .element = ADJ_F32,
                                      .index = ADJ_I64};
  for (const auto& [mode, name] : {std::pair{ADJ_BAG_MAX, "grouped_max"}, {ADJ_BAG_SUM, "grouped"}}) {
    bags.mode = mode;
    auto sums = EmbeddingBagBackwardPlan::select(*offline, bags, none);  // 65 additions to each element, or too many indices
    REQUIRE(sums);
    CHECK(algorithm(sums) == name);
  }
  bags.mode = ADJ_BAG_MAX;
  bags.num_embeddings = 100000;
  auto maxima = EmbeddingBagBackwardPlan::select(*offline, bags, none);
  REQUIRE(maxima);
  CHECK(algorithm(maxima) == "atomic_max");
  bags.num_bags = 65537;
  CHECK(rejection(EmbeddingBagBackwardPlan::explain(*offline, bags, none), "/atomic_max/").find("num_bags = 65537") != std::string::npos);
}

TEST_CASE("determinism none: gather_elements_backward adds in memory, but where rows are short") {
  auto offline = Stream::offline("sm_90a");
  REQUIRE(offline);
  const Preference none{.determinism = ADJ_NONDETERMINISTIC};
  GatherElementsBackwardDescriptor d{.input_shape = {3, {64, 300, 70}}, .indices_shape = {3, {64, 500, 70}}, .axis = 1, .element = ADJ_F32, .index = ADJ_I64};
  const auto chosen = [&](const Preference& p) {
    auto plan = GatherElementsBackwardPlan::select(*offline, d, p);
    return plan ? std::string(plan->sku().id) : plan.error().message;
  };
  CHECK(chosen(none) == "gather_elements_backward/atomic/f32.i64/sm80");
  CHECK(chosen({}) == "gather_elements_backward/grouped/f32.i64/sm80");
  for (adj_dtype narrow : {ADJ_F16, ADJ_BF16}) {  // an addition in memory would round
    d.element = narrow;
    CHECK(chosen(none).find("/grouped/") != std::string::npos);
  }
  d.element = ADJ_F64;
  CHECK(chosen(none) == "gather_elements_backward/atomic/f64.i64/sm80");
  // More positions along the axis than the stated error covers.
  d.input_shape = d.indices_shape = {2, {65537, 3}};
  d.axis = 0;
  CHECK(chosen(none).find("/grouped/") != std::string::npos);
  CHECK(chosen({.determinism = ADJ_NONDETERMINISTIC, .sku = "*/atomic/*"}).find("indices_shape has extent 65537 along the axis") != std::string::npos);
  d.input_shape = d.indices_shape = {2, {300, 1000}};
  d.axis = 1;
  CHECK(chosen(none).find("/grouped/") != std::string::npos);
  CHECK(chosen({.determinism = ADJ_NONDETERMINISTIC, .sku = "*/atomic/*"}).find("/atomic/") != std::string::npos);
}

TEST_CASE("workspace is checked") {
  Example e;
  std::array<float, 8> dout{};
  std::array<float, 6> dweight{};
  auto plan = EmbeddingBackwardPlan::select(e.stream, {.num_embeddings = 3, .embedding_dim = 2, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I64});
  REQUIRE(plan);
  const EmbeddingBackwardArgs args{.dout = tensor(dout.data(), {4, 2}), .indices = tensor(e.indices.data(), {4}), .dweight = tensor(dweight.data(), {3, 2})};
  alignas(256) std::array<std::byte, 1024> memory;
  const std::uint64_t need = plan->workspace_size();
  REQUIRE(need > 0);
  CHECK(plan->run(e.stream, {memory.data(), need}, args));
  expect(plan->run(e.stream, {}, args), ADJ_ERROR_WORKSPACE_TOO_SMALL, {"workspace.data is null"});
  expect(plan->run(e.stream, {memory.data(), need - 1}, args), ADJ_ERROR_WORKSPACE_TOO_SMALL, {"embedding_backward"});
  expect(plan->run(e.stream, {memory.data() + 8, need}, args), ADJ_ERROR_MISALIGNED, {"256"});
  EmbeddingBackwardArgs inside = args;
  inside.dout.data = memory.data();
  expect(plan->run(e.stream, {memory.data(), need}, inside), ADJ_ERROR_ALIASING, {"workspace", "dout"});
}

TEST_CASE("a host communicator that is aborted wakes its ranks") {
  const Stream stream = Stream::host();
  const std::int64_t numel[] = {4};
  auto plan = AllReducePlan::select(stream, {.count = 1, .numel = numel, .element = ADJ_F32});
  REQUIRE(plan);
  for (const int who : {0, 1, 2}) {
    void* ranks[3];
    REQUIRE(adj_host_comm_create(3, ranks) == ADJ_OK);
    std::array<std::string, 2> told;
    std::vector<std::thread> threads;
    std::atomic<int> started{0};
    for (std::size_t r = 0; r < 2; ++r)
      threads.emplace_back([&, r] {
        alignas(256) std::array<std::byte, 256> memory{};
        float values[4] = {};
        void* data[] = {values};
        const std::uint64_t bytes[] = {sizeof values};
        AllReduceArgs args;
        args.communicator = ranks[r];
        args.inputs = args.outputs = {1, ADJ_F32, 0, data, bytes};
        ++started;
        auto done = plan->run(stream, {memory.data(), memory.size()}, args);
        told[r] = done ? "done" : done.error().message;
      });
    while (started < 2) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(adj_comm_abort(ranks[who]) == ADJ_OK);
    for (std::thread& thread : threads) thread.join();
    for (const std::string& text : told) CHECK(text.find("rank " + std::to_string(who) + " has aborted the communicator") != std::string::npos);
    CHECK(adj_host_comm_destroy(ranks[who]) == ADJ_ERROR_INVALID_ARGUMENT);  // the abort gave it up
    for (int r = 0; r < 3; ++r)
      if (r != who) CHECK(adj_host_comm_destroy(ranks[r]) == ADJ_OK);
  }
}

TEST_CASE("a rank keeps its inputs until no other reads them, also when the group ends") {
  adj::host::Group group(3);
  std::atomic<int> entered{0};
  std::atomic<bool> may_leave{false}, left{false};
  const auto part = [&](int rank, auto then) {
    return std::thread([&group, &entered, rank, then] {
      adj::host::Contribution own;
      own.op = "all_reduce";
      const bool in = group.enter(rank, own).ok();
      ++entered;
      if (in) then();
    });
  };
  std::vector<std::thread> threads;
  threads.push_back(part(0, [&] {
    CHECK_FALSE(group.leave(0));
    left = true;
  }));
  threads.push_back(part(1, [&] {
    while (!may_leave) std::this_thread::yield();
    CHECK_FALSE(group.leave(1));
  }));
  threads.push_back(part(2, [&] { group.close(2, "has failed", true); }));
  while (entered < 3) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(left);  // rank 1 still reads
  may_leave = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(left);
}

TEST_CASE("one plan, many threads") {
  Example shared;
  auto plan = EmbeddingForwardPlan::select(shared.stream, shared.descriptor);
  REQUIRE(plan);
  std::vector<std::thread> threads;
  std::array<bool, 8> ok{};
  for (std::size_t t = 0; t < ok.size(); ++t)
    threads.emplace_back([&, t] {
      bool good = true;
      for (int i = 0; i < 200; ++i) {
        Example own;
        auto mine = EmbeddingForwardPlan::select(own.stream, own.descriptor);
        good &= mine.ok() && plan->run(own.stream, {}, own.args).ok() && own.out[0] == 2 && mine->run(own.stream, {}, own.args).ok();
      }
      ok[t] = good;
    });
  for (std::thread& thread : threads) thread.join();
  for (bool good : ok) CHECK(good);
}

TEST_CASE("what a refused call points to is not read, and names of temporaries do not dangle") {
  Example e;
  EmbeddingForwardDescriptor d = e.descriptor;
  d.header.next = reinterpret_cast<const void*>(std::uintptr_t{8});  // not an address of anything
  auto plan = EmbeddingForwardPlan::select(e.stream, d);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message.find("header.next") != std::string::npos);
  // A range-for over a member of a temporary.
  int rejections = 0;
  for (const Rejection& r : EmbeddingForwardPlan::select(e.stream, e.descriptor, {.sku = "nothing/*"}).error().rejections) rejections += !r.sku.empty();
  CHECK(rejections > 0);
}

TEST_CASE("a tensor of more dimensions than there can be is refused, not cut") {
  std::vector<float> memory(1);
  const adj_tensor t = tensor(memory.data(), {1, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(t.rank == 9);
  CHECK(t.bytes == 4);
}

// Buffers of one arena: capacities reach into the neighbours, what the operator needs does not.
TEST_CASE("buffers overlap when the bytes that a call needs do, whatever their capacities") {
  alignas(256) std::array<std::byte, 2048> arena{};
  const auto part = [&](std::size_t at, adj_dtype dtype) {
    adj_tensor t;
    t.data = arena.data() + at;
    t.bytes = arena.size() - at;  // to the end of the arena
    t.dtype = dtype;
    return t;
  };
  const Stream host = Stream::host();
  {  // single buffers: weight [0, 24), indices [24, 56), out [56, 88), error_flag [88, 96)
    auto plan = EmbeddingForwardPlan::select(host, {.num_embeddings = 3, .embedding_dim = 2, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I64});
    REQUIRE(plan);
    EmbeddingForwardArgs args{.weight = part(0, ADJ_F32), .indices = part(24, ADJ_I64), .out = part(56, ADJ_F32), .error_flag = part(88, ADJ_I64)};
    CHECK(plan->can_implement(args));
    CHECK(plan->run(host, {}, args));
    auto bound = plan->bind(host, {}, args);
    CHECK(bound);
    args.out = part(52, ADJ_F32);
    expect(plan->can_implement(args), ADJ_ERROR_ALIASING, {"out", "indices"});
    args.out = part(60, ADJ_F32);  // its last four bytes are the flag's first
    expect(plan->run(host, {}, args), ADJ_ERROR_ALIASING, {"out", "error_flag"});
  }
  {  // the workspace, in front of a buffer and behind one
    auto plan = EmbeddingBackwardPlan::select(host, {.num_embeddings = 3, .embedding_dim = 2, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I64});
    REQUIRE(plan);
    const std::uint64_t need = plan->workspace_size();
    REQUIRE(need > 0);
    REQUIRE(need <= 512);
    EmbeddingBackwardArgs args{.dout = part(512, ADJ_F32), .indices = part(544, ADJ_I64), .dweight = part(576, ADJ_F32)};
    CHECK(plan->run(host, {arena.data(), arena.size()}, args));
    CHECK(plan->run(host, {arena.data() + 768, arena.size() - 768}, args));
    CHECK(plan->bind(host, {arena.data(), arena.size()}, args));
    expect(plan->run(host, {arena.data() + 512, arena.size() - 512}, args), ADJ_ERROR_ALIASING, {"workspace"});
  }
  {  // entries of lists, single buffers beside lists, and scalars in the arena
    const std::int64_t numel[] = {3, 5};
    auto plan = SgdPlan::select(host, {.count = 2, .numel = numel, .param = ADJ_F32});
    REQUIRE(plan);
    std::array<void*, 2> params{arena.data() + 0, arena.data() + 12}, grads{arena.data() + 32, arena.data() + 44};
    const std::array<std::uint64_t, 2> bytes{1024, 1024};
    SgdArgs args{.params = tensor_list(ADJ_F32, params, bytes), .grads = tensor_list(ADJ_F32, grads, bytes), .lr = device_scalar(arena.data() + 64, ADJ_F32)};
    CHECK(plan->can_implement(args));
    CHECK(plan->run(host, {}, args));
    CHECK(plan->bind(host, {}, args));
    grads[0] = arena.data() + 28;  // params[1] is [12, 32)
    expect(plan->can_implement(args), ADJ_ERROR_ALIASING, {"sgd"});
  }
  {  // lists of different lengths: behind the end of the shorter one stands a part of outputs[3]
    const std::int64_t numel[] = {3, 3, 3, 3};
    auto plan = CallbackPlan::select(host, {.function = [](const adj_callback_call*) -> std::int32_t { return 0; },
                                            .input_count = 3,
                                            .input_numel = numel,
                                            .output_count = 4,
                                            .output_numel = numel,
                                            .element = ADJ_F32});
    REQUIRE(plan);
    // Entries are compared one by one, since the first ones are one buffer.
    std::array<void*, 4> inputs{arena.data() + 0, arena.data() + 48, arena.data() + 60, arena.data() + 40};
    std::array<void*, 4> outputs{arena.data() + 0, arena.data() + 12, arena.data() + 24, arena.data() + 36};
    const std::array<std::uint64_t, 4> bytes{1024, 1024, 1024, 1024};
    const CallbackArgs args{.inputs = tensor_list(ADJ_F32, std::span(inputs).first(3), std::span(bytes).first(3)),
                            .outputs = tensor_list(ADJ_F32, outputs, bytes)};
    CHECK(plan->can_implement(args));
    CHECK(plan->run(host, {}, args));
    inputs[2] = arena.data() + 28;  // outputs[2] is [24, 36)
    expect(plan->run(host, {}, args), ADJ_ERROR_ALIASING, {"callback"});
  }
}

TEST_CASE("a host plan can demand the workspace of a device") {
  const Stream host = Stream::host();
  auto offline = Stream::offline("sm_90a");
  REQUIRE(offline);
  const RmsNormBackwardDescriptor d{.shape = {2, {512, 64}}, .axis = 1, .has_dgamma = 1, .element = ADJ_F32};
  auto device = RmsNormBackwardPlan::select(*offline, d), plain = RmsNormBackwardPlan::select(host, d);
  auto strict = RmsNormBackwardPlan::select(host, d, {.workspace_arch = 90});
  REQUIRE((device && plain && strict));
  REQUIRE(device->workspace_size() > plain->workspace_size());
  CHECK(strict->workspace_size() == device->workspace_size());
  CHECK(strict->bind_workspace_size() == device->bind_workspace_size());
  std::vector<float> dout(512 * 64), input(512 * 64), dinput(512 * 64), inv_std(512), dgamma(64);
  const RmsNormBackwardArgs args{.dout = tensor(dout.data(), {512, 64}),
                                 .input = tensor(input.data(), {512, 64}),
                                 .inv_std = tensor(inv_std.data(), {512}),
                                 .dinput = tensor(dinput.data(), {512, 64}),
                                 .dgamma = tensor(dgamma.data(), {64})};
  CHECK(plain->run(host, {}, args));
  expect(strict->run(host, {}, args), ADJ_ERROR_WORKSPACE_TOO_SMALL, {"rms_norm_backward", std::to_string(device->workspace_size()).c_str()});
  std::vector<std::uint64_t> memory(strict->workspace_size() / 8 + 64);
  void* aligned = memory.data();
  std::size_t space = memory.size() * 8;
  REQUIRE(std::align(256, strict->workspace_size(), aligned, space));
  CHECK(strict->run(host, {aligned, strict->workspace_size()}, args));
  // The host's own selection is not narrowed by what concerns the device's, and the reverse.
  CHECK(RmsNormBackwardPlan::select(host, d, {.sku = "*/host", .workspace_arch = 90})->workspace_size() == device->workspace_size());
  CHECK(RmsNormBackwardPlan::select(host, d, {.backend = ADJ_BACKEND_HOST, .workspace_arch = 90})->workspace_size() == device->workspace_size());
  CHECK(RmsNormBackwardPlan::select(*offline, d, {.workspace_arch = 80})->workspace_size() == device->workspace_size());
  auto limited = RmsNormBackwardPlan::select(host, d, {.workspace_limit = 0, .workspace_arch = 90});
  CHECK((limited && limited->workspace_size() == 0));  // no kernel of the device fits, so nothing is demanded
  for (int wrong : {-1, 1, 200, 900}) {
    auto refused = RmsNormBackwardPlan::select(host, d, {.workspace_arch = wrong});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ADJ_ERROR_INVALID_ARGUMENT);
    CHECK_MESSAGE(refused.error().message.find(fmt::format("workspace_arch = {}", wrong)) != std::string::npos, refused.error().message);
  }
}

TEST_CASE("a scalar that the descriptor forbids is refused by value as well") {
  const FakeQuantizeForwardDescriptor d{.outer = 1, .channels = 2, .inner = 3, .per_channel = 1, .element = ADJ_F32};
  auto plan = FakeQuantizeForwardPlan::select(Stream::host(), d);
  REQUIRE(plan);
  const std::array<float, 6> input{};
  std::array<float, 6> out{};
  const std::array<float, 2> scales{1, 1}, zeros{};
  FakeQuantizeForwardArgs args{.input = tensor(input.data(), {1, 2, 3}),
                               .scales = tensor(scales.data(), {2}),
                               .zero_points = tensor(zeros.data(), {2}),
                               .out = tensor(out.data(), {1, 2, 3})};
  CHECK(plan->run(Stream::host(), {}, args));
  args.scale = value(0.5);
  expect(plan->run(Stream::host(), {}, args), ADJ_ERROR_INVALID_ARGUMENT, {"fake_quantize_forward: scale is given, but the descriptor says that it is absent"});
  args.scale = {};
  args.zero_point = value(3);
  expect(plan->can_implement(args), ADJ_ERROR_INVALID_ARGUMENT, {"zero_point is given"});
}

TEST_CASE("the defaults of arguments are those of the header") {
  for (const adj::OpInfo* op : adj::all_ops()) {
    const auto& header = *static_cast<const adj_header*>(op->default_args);
    CHECK(header.struct_size == op->args_size);
    CHECK(header.tag == ADJ_ARGS_TAG(op->id));
  }
  CHECK(static_cast<const SgdArgs*>(adj::find_op("sgd")->default_args)->grad_scale.value == SgdArgs{}.grad_scale.value);
}

TEST_CASE("the native code of a failure is that of the thread's last one") {
  adj_embedding_forward_descriptor d;
  const adj_stream host = adj_stream_host();
  adj_plan* plan = nullptr;
  CHECK(adj_plan_select(&host, &d.header, nullptr, &plan, nullptr) != ADJ_OK);
  CHECK(adj_last_native_code() == 0);  // no library was involved; codes of a driver: tests/faults
}

TEST_CASE("a guarantee depends on the problem and on the output") {
  const adj::OpInfo& op = *adj::find_op("layer_norm_backward");
  const adj::Variant general{.algorithm = "row", .summary = "", .backend = ADJ_BACKEND_BESPOKE, .guarantee = [](const adj::Signature&) {
                               return adj::make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_FAST, ADJ_F32, 1, 2, 3);
                             }};
  adj::Variant refined = general;
  refined.guarantee_for = [](const adj_guarantee& g, const void* d) {
    return static_cast<const std::int64_t*>(d)[0] == 1 ? adj::raised(g, ADJ_BATCH_INVARIANT) : g;
  };
  refined.outputs = {{2, ADJ_BATCH_INVARIANT}, {3, ADJ_BATCH_INVARIANT, [](const void* d) { return static_cast<const std::int64_t*>(d)[0] == 2; }}};
  adj::Sku sku{};
  sku.op = &op;
  sku.variant = &general;
  sku.guarantee = general.guarantee({});
  const std::int64_t one = 1, two = 2;
  for (const void* d : {static_cast<const void*>(nullptr), static_cast<const void*>(&one)})
    for (int argument : {adj::kEveryOutput, 0, 2}) CHECK(adj::guarantee_of(sku, d, argument).determinism == ADJ_SHAPE_ONLY);
  sku.variant = &refined;
  CHECK(adj::guarantee_of(sku, nullptr).determinism == ADJ_SHAPE_ONLY);
  CHECK(adj::guarantee_of(sku, nullptr, 2).determinism == ADJ_BATCH_INVARIANT);
  CHECK(adj::guarantee_of(sku, nullptr, 3).determinism == ADJ_SHAPE_ONLY);
  CHECK(adj::guarantee_of(sku, &one).determinism == ADJ_BATCH_INVARIANT);
  CHECK(adj::guarantee_of(sku, &two).determinism == ADJ_SHAPE_ONLY);
  CHECK(adj::guarantee_of(sku, &two, 2).determinism == ADJ_BATCH_INVARIANT);
  CHECK(adj::guarantee_of(sku, &two, 3).determinism == ADJ_BATCH_INVARIANT);
  CHECK(adj::guarantee_of(sku, &two, 1).determinism == ADJ_SHAPE_ONLY);
  const adj_guarantee raised = adj::raised(adj::make_guarantee(ADJ_NONDETERMINISTIC, ADJ_MATH_FAST, ADJ_F32, 1, 2, 3), ADJ_SHAPE_ONLY);
  CHECK((raised.bit_stable == 1 && raised.float_atomics == 0 && raised.bound_ulp == 1 && raised.bound_terms == 2 && raised.bound_absolute == 3));
  CHECK(adj::raised(raised, ADJ_RUN_TO_RUN).determinism == ADJ_SHAPE_ONLY);
}

TEST_CASE("every SKU states a guarantee for each output, at least its own") {
  for (const adj::Sku& sku : adj::all_skus()) {
    CAPTURE(sku.id);
    adj_guarantee all;
    REQUIRE(adj_sku_guarantee(sku.id.c_str(), nullptr, &all) == ADJ_OK);
    CHECK(std::memcmp(&all, &sku.guarantee, sizeof all) == 0);
    for (const adj::ArgumentInfo& argument : sku.op->arguments) {
      adj_guarantee one;
      const adj_status status = adj_sku_guarantee(sku.id.c_str(), argument.name, &one);
      CHECK((status == ADJ_OK) == (argument.role != adj::Role::in));
      if (status == ADJ_OK) CHECK(one.determinism >= all.determinism);
    }
    for (const adj::OutputLevel& output : sku.variant->outputs) {
      REQUIRE(output.argument >= 0);
      REQUIRE(static_cast<std::size_t>(output.argument) < sku.op->arguments.size());
      CHECK(sku.op->arguments[static_cast<std::size_t>(output.argument)].role != adj::Role::in);
    }
  }
  Example e;
  auto plan = EmbeddingForwardPlan::select(e.stream, e.descriptor);
  REQUIRE(plan);
  CHECK(plan->precision_guarantee("out")->determinism == ADJ_BATCH_INVARIANT);
  auto refused = plan->precision_guarantee("weight");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "adj_plan_guarantee: weight of embedding_forward is an input");
}

// A plan of a device with each fault that a planning function could have.
TEST_CASE("nothing of a plan reaches outside its parameters, the workspace or an argument") {
  auto stream = adj::offline_stream("sm_90a");
  REQUIRE(stream);
  const std::vector<std::int64_t> numel(700, 3);
  const SgdDescriptor d{.count = 700, .numel = numel.data(), .param = ADJ_F32};
  auto plant = [&](auto change, const char* sentence) {
    auto selected = adj::select_plan(*stream, &d.header, nullptr);
    REQUIRE(selected);
    std::unique_ptr<adj::Plan, void (*)(adj::Plan*)> plan(*selected, [](adj::Plan* p) { adj::release(p); });
    REQUIRE(adj::check_bounds(*plan));
    adj::KernelStep* kernel = nullptr;
    for (adj::Step& step : plan->steps)
      if (auto* k = std::get_if<adj::KernelStep>(&step); k && !kernel) kernel = k;
    REQUIRE(kernel);
    change(*plan, *kernel);
    const auto checked = adj::check_bounds(*plan);
    REQUIRE_MESSAGE(!checked.ok(), sentence);
    CHECK(checked.error().code == ADJ_ERROR_INTERNAL);
    CHECK_MESSAGE(checked.error().message.find(sentence) != std::string::npos, checked.error().message);
  };
  const auto list_binding = [](adj::KernelStep& kernel) -> adj::Binding& {
    return *std::find_if(kernel.bindings.begin(), kernel.bindings.end(), [](const adj::Binding& p) { return p.kind == adj::Binding::list; });
  };
  const auto end = [](const adj::KernelStep& kernel) { return static_cast<std::uint32_t>(kernel.params.size()); };
  plant([&](adj::Plan&, adj::KernelStep& k) { list_binding(k).offset = end(k) - 4; }, "writes bytes");
  plant([&](adj::Plan&, adj::KernelStep& k) { list_binding(k).high = end(k) - 1; }, "writes bytes");
  plant([&](adj::Plan&, adj::KernelStep& k) { list_binding(k).first = 699; }, "takes entries");
  plant([&](adj::Plan&, adj::KernelStep& k) { list_binding(k).argument = 200; }, "takes argument 200");
  plant([&](adj::Plan&, adj::KernelStep& k) { list_binding(k).kind = adj::Binding::tensor; }, "another kind of argument");
  plant([&](adj::Plan&, adj::KernelStep& k) { k.bindings.push_back(k.bindings.front()); }, "two bindings write byte");
  plant([&](adj::Plan& p, adj::KernelStep& k) { k.bindings = {{adj::Binding::workspace, 0, 0, p.bind_workspace_size + 1}}; }, "of workspace");
  plant([&](adj::Plan&, adj::KernelStep& k) { k.bindings = {{adj::Binding::workspace, 0, end(k) - 7}}; }, "writes bytes");
  plant([&](adj::Plan&, adj::KernelStep& k) { k.unread.emplace_back(0, end(k) + 1); }, "unread range");
  plant([&](adj::Plan&, adj::KernelStep& k) { k.constant.emplace_back(8, 8); }, "constant range");
  plant([&](adj::Plan& p, adj::KernelStep&) { p.steps.push_back(adj::MemsetStep{true, 0, 0, p.bind_workspace_size + 1, 0}); }, "a memset of");
  plant([&](adj::Plan& p, adj::KernelStep&) { p.steps.push_back(adj::MemsetStep{true, 0, ~std::uint64_t{0}, 2, 0}); }, "a memset of");
  plant([&](adj::Plan& p, adj::KernelStep&) { p.tables.push_back({p.bind_workspace_size, std::vector<std::byte>(8), {}}); }, "a table of 8 bytes");
  plant(
      [&](adj::Plan& p, adj::KernelStep&) {
        p.tables.push_back({0, std::vector<std::byte>(8), {{adj::Binding::entry, list_binding(std::get<adj::KernelStep>(p.steps.front())).argument, 4}}});
      },
      "a table: binding 0 writes bytes [4, 12) of 8");
}

// Parameters are written into one block, call after call.
TEST_CASE("a call without an argument does not see that of the call before") {
  auto stream = adj::offline_stream("sm_90a");
  REQUIRE(stream);
  std::array<std::byte, adj::kLargestParams> used, fresh;
  used.fill(std::byte{0xee});
  const auto compare = [&](const adj_header& descriptor, const adj_header& all, const adj_header& few) {
    auto selected = adj::select_plan(*stream, &descriptor, nullptr);
    REQUIRE(selected);
    std::unique_ptr<adj::Plan, void (*)(adj::Plan*)> plan(*selected, [](adj::Plan* p) { adj::release(p); });
    for (const adj::Step& step : plan->steps) {
      const auto* kernel = std::get_if<adj::KernelStep>(&step);
      if (!kernel) continue;
      fresh.fill(std::byte{0});
      for (const auto& [block, calls] : {std::pair{&used, 2}, {&fresh, 1}}) {
        for (const auto& [begin, end] : kernel->constant) std::memcpy(block->data() + begin, kernel->params.data() + begin, end - begin);
        if (calls == 2) adj::apply(kernel->bindings, block->data(), *plan->op, reinterpret_cast<const std::byte*>(&all), nullptr);
        adj::apply(kernel->bindings, block->data(), *plan->op, reinterpret_cast<const std::byte*>(&few), nullptr);
      }
      // Whatever the kernel reads is what it would be without the call before.
      std::vector<bool> read(kernel->params.size(), true);
      for (const auto& [begin, end] : kernel->unread) std::fill(read.begin() + begin, read.begin() + end, false);
      for (std::size_t i = 0; i < read.size(); ++i) REQUIRE((!read[i] || used[i] == fresh[i]));
    }
  };
  Example e;
  EmbeddingForwardArgs few = e.args;
  few.error_flag = {};
  compare(e.descriptor.header, e.args.header, few.header);
  const std::vector<std::int64_t> numel(50, 4);
  std::vector<float> memory(4);
  const std::vector<void*> data(50, memory.data());
  const std::vector<std::uint64_t> bytes(50, 16);
  const adj_tensor_list list = tensor_list(ADJ_F32, data, bytes);
  const float number = 1;
  const SgdArgs plain{.params = list, .grads = list};
  SgdArgs full = plain;
  full.lr = full.grad_scale = full.update_signal = device_scalar(&number, ADJ_F32);
  compare(SgdDescriptor{.count = 50, .numel = numel.data(), .param = ADJ_F32}.header, full.header, plain.header);
}
