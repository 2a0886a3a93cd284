// Problems in words, as `adjoint verify` and `adjoint bench` take them: their contents, and the comparison of results.
#include "bench/words.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "base/text.hpp"

namespace {

harness::Case make(const std::string& line) { return bench::verified_case(bench::problem_words(adj::split(line, ' ')), 1); }

// A SKU of a device for the case's types.
const adj::Sku& device_sku(const harness::Case& c) {
  for (const adj::Sku& sku : adj::skus_of(c.problem->op()))
    if (sku.signature == c.problem->signature() && sku.variant->backend == ADJ_BACKEND_BESPOKE) return sku;
  throw std::logic_error("no SKU");
}

}  // namespace

TEST_CASE("a problem in words runs on the host and agrees with itself") {
  for (const char* line :
       {"softmax_backward outer=8 extent=100 element=bf16", "softmax_backward outer=8 extent=100 element=f32 dinput:dout",
        "reduce shape=4,8,16 axes=0,-1 kind=sum element=f16", "index_add shape=64,10 axis=0 num_indices=70 element=bf16 index=i64 indices:<64",
        "adam numel=10,20 param=f32 lr:0.1 step:1 grad_scale:1",
        "embedding_backward num_embeddings=50 embedding_dim=8 num_indices=100 element=f32 index=i32 indices:<50",
        "rms_norm_backward shape=64,40 axis=1 element=bf16 has_dgamma=1 inv_std:positive",
        "layer_norm_forward shape=64,40 axis=1 element=bf16 +gamma +beta +mean +inv_std", "dropout_forward numel=100 element=f32 ratio:0.5",
        "conv_backward input=2,4,8,8 weight=4,4,3,3 out=2,4,8,8 strides=1,1 pads=1,1,1,1 dilations=1,1 element=f16 has_dinput=1 has_dweight=1"}) {
    INFO(line);
    const harness::Case c = make(line);
    CHECK(c.name == line);
    auto reference = harness::run_reference(*c.problem);
    REQUIRE_MESSAGE(reference.ok(), reference.error().message);
    CHECK(harness::compare(c, device_sku(c), *reference, *reference).ok);
    // A result that is wrong by more than rounding is found.
    harness::Outputs wrong = *reference;
    for (auto& argument : wrong.arguments)
      for (harness::Data& d : argument)
        if (adj::is_float(d.dtype) && d.numel() > 0) d.set(d.numel() / 2, d.get(d.numel() / 2) * 2 + 1000);
    CHECK_FALSE(harness::compare(c, device_sku(c), wrong, *reference).ok);
  }
}

TEST_CASE("what is said of arguments is what they hold") {
  const harness::Case c = make("index_add shape=64,10 axis=0 num_indices=700 element=f32 index=i64 indices:<5");
  harness::Data& indices = c.problem->tensor("indices");
  double largest = 0;
  for (std::int64_t i = 0; i < indices.numel(); ++i) {
    CHECK(indices.get(i) >= 0);
    largest = std::max(largest, indices.get(i));
  }
  CHECK(largest == 4);
  harness::Case positive = make("rms_norm_backward shape=64,40 axis=1 element=f32 has_dgamma=1 inv_std:positive");
  for (const char* name : {"inv_std", "dout"}) {
    harness::Data& data = positive.problem->tensor(name);
    bool negative = false;
    for (std::int64_t i = 0; i < data.numel(); ++i) negative |= data.get(i) < 0;
    CHECK(negative == (std::string(name) == "dout"));
  }
  // Optional arguments are left out unless a word gives them.
  const harness::Case norm = make("layer_norm_forward shape=4,4 axis=1 element=f32 +gamma");
  CHECK(norm.problem->contents()[norm.problem->argument("gamma")].present);
  CHECK_FALSE(norm.problem->contents()[norm.problem->argument("beta")].present);
}
