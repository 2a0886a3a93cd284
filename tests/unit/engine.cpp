// The plan engine on the host stream and on offline devices, with the embedding operators as its example.
#include <doctest/doctest.h>

#include <adjoint/adjoint.hpp>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

using namespace adjoint;

namespace {

struct Example {
  std::array<float, 6> weight{0, 1, 2, 3, 4, 5};
  std::array<std::int64_t, 4> indices{1, 0, 2, -1};
  std::array<float, 8> out{};
  std::int64_t errors = 0;
  EmbeddingForwardDescriptor descriptor{.num_embeddings = 3, .embedding_dim = 2, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I64};
  EmbeddingForwardArgs args{.weight = tensor(weight.data(), {3, 2}),
                            .indices = tensor(indices.data(), {4}),
                            .out = tensor(out.data(), {4, 2}),
                            .error_flag = tensor(&errors, {1})};
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
  expect(with([](auto& a) { a.weight.dtype = 77; }), ADJ_ERROR_DTYPE_MISMATCH, {"weight", "77"});
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
  for (const auto& [outer, indices, inner] : {std::array<std::int64_t, 3>{2, 4, 3}, {1, 4, 1}, {4, 4, 4}, {6, 1, 2}, {0, 4, 3}, {2, 0, 3}, {2, 3, 0}, {0, 0, 2}, {1, 1, 1}}) {
    auto plan = GatherGradPlan::select(Stream::host(), {.outer = outer, .extent = 5, .inner = inner, .num_indices = indices, .element = ADJ_F32, .index = ADJ_I64});
    REQUIRE(plan);
    std::vector<float> dout(64), dinput(256);
    std::vector<std::int64_t> rows(8);
    GatherGradArgs args{.dout = tensor(dout.data(), {}), .indices = tensor(rows.data(), {}), .dinput = tensor(dinput.data(), {})};
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
          CHECK(checked.error().message == fmt::format("gather_grad: dout has shape [{}], the descriptor says [{}]", fmt::join(dims, ", "), fmt::join(extents, ", ")));
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
  auto plan = GatherGradPlan::select(Stream::host(), {.outer = 2, .extent = 5, .inner = 3, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I64});
  REQUIRE(plan);
  std::vector<float> dout(24), dinput(30);
  std::vector<std::int64_t> rows(4);
  GatherGradArgs args{.dout = tensor(dout.data(), {24}), .indices = tensor(rows.data(), {4}), .dinput = tensor(dinput.data(), {2, 5, 3})};
  for (const auto& shape : {std::vector<std::int64_t>{-2, -1, 4, 3}, {2, 4, -3, -1}, {2, 4, 3, -1}, {std::int64_t{1} << 32, std::int64_t{1} << 32, 24}, {2, 4, std::int64_t{1} << 62, 4, 3}}) {
    args.dout.rank = static_cast<std::int32_t>(shape.size());
    std::copy(shape.begin(), shape.end(), args.dout.shape);
    expect(plan->can_implement(args), ADJ_ERROR_SHAPE_MISMATCH, {"gather_grad: dout has shape", "the descriptor says [2, 4, 3]"});
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
  expect(with([](auto& d) { d.element = 0; }), ADJ_ERROR_UNSUPPORTED, {"element was not given", "bf16.i64"});
  expect(with([](auto& d) { d.index = 1234; }), ADJ_ERROR_INVALID_ARGUMENT, {"index = 1234", "f32.i64"});
  expect(with([](auto& d) { d.has_padding_idx = 2; }), ADJ_ERROR_INVALID_ARGUMENT, {"has_padding_idx", "2"});
  expect(with([](auto& d) { d.has_padding_idx = 1, d.padding_idx = 3; }), ADJ_ERROR_INVALID_PROBLEM, {"padding_idx = 3"});
  expect(with([](auto& d) { d.has_padding_idx = 1, d.padding_idx = -4; }), ADJ_ERROR_INVALID_PROBLEM, {"padding_idx = -4"});
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
  for (auto& plan : {with([](auto& p) { p.determinism = 9; }), with([](auto& p) { p.math = -1; }), with([](auto& p) { p.jit = 4; }),
                     with([](auto& p) { p.backend = 12; })}) {
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == ADJ_ERROR_INVALID_ARGUMENT);
  }
  auto limited = EmbeddingBackwardPlan::select(e.stream, {.num_embeddings = 3, .embedding_dim = 2, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I64},
                                               [] { Preference p; p.workspace_limit = 8; return p; }());
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
  EmbeddingBackwardDescriptor descriptor{.num_embeddings = 50000, .embedding_dim = 64, .num_indices = 2000, .element = ADJ_F32,
                                         .index = ADJ_I64, .write_mode = ADJ_WRITE_ACCUMULATE};
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

  EmbeddingBagBackwardDescriptor bags{.num_embeddings = 1000, .embedding_dim = 64, .num_indices = 1310720, .num_bags = 65536,
                                      .element = ADJ_F32, .index = ADJ_I64, .mode = ADJ_BAG_MAX, .has_offsets = 1};
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

TEST_CASE("determinism none: gather_elements_grad adds in memory, but where rows are short") {
  auto offline = Stream::offline("sm_90a");
  REQUIRE(offline);
  const Preference none{.determinism = ADJ_NONDETERMINISTIC};
  GatherElementsGradDescriptor d{.input_shape = {3, {64, 300, 70}}, .indices_shape = {3, {64, 500, 70}}, .axis = 1, .element = ADJ_F32, .index = ADJ_I64};
  const auto chosen = [&](const Preference& p) {
    auto plan = GatherElementsGradPlan::select(*offline, d, p);
    return plan ? std::string(plan->sku().id) : plan.error().message;
  };
  CHECK(chosen(none) == "gather_elements_grad/atomic/f32.i64/sm80");
  CHECK(chosen({}) == "gather_elements_grad/grouped/f32.i64/sm80");
  for (adj_dtype narrow : {ADJ_F16, ADJ_BF16}) {  // an addition in memory would round
    d.element = narrow;
    CHECK(chosen(none).find("/grouped/") != std::string::npos);
  }
  d.element = ADJ_F64;
  CHECK(chosen(none) == "gather_elements_grad/atomic/f64.i64/sm80");
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
