// Cases of the product of matrices of f8 codes.
#include <cmath>

#include <adjoint/ops/matmul.h>

#include "harness/harness.hpp"

namespace harness {

std::vector<Case> scaled_matmul_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  constexpr auto kTensor = ADJ_SCALE_GRANULARITY_TENSOR, kRow = ADJ_SCALE_GRANULARITY_ROW, kGroup = ADJ_SCALE_GRANULARITY_BLOCK_1X128,
                 kBlock = ADJ_SCALE_GRANULARITY_BLOCK_128X128;
  struct Setting {
    std::int64_t m, n, k;
    adj_scale_granularity a, b;
    bool gemm, bias, accumulate, fast, positive;
  };
  std::vector<Setting> all{{0, 3, 4, kTensor, kTensor, false, false, false, false, false},   {3, 8, 0, kTensor, kTensor, false, true, false, false, false},
                           {1, 1, 1, kRow, kRow, false, false, false, false, false},         {5, 7, 33, kTensor, kTensor, false, true, false, true, false},
                           {16, 16, 64, kTensor, kTensor, false, false, true, false, false}, {17, 24, 160, kRow, kRow, false, true, false, false, false},
                           {32, 16, 272, kGroup, kGroup, true, false, false, false, false},  {20, 136, 256, kGroup, kBlock, true, false, true, false, false},
                           {130, 16, 144, kBlock, kGroup, false, true, false, false, true},  {8, 8, 512, kTensor, kTensor, false, false, false, false, true},
                           {24, 16, 144, kGroup, kGroup, true, false, false, false, false},  {10, 16, 128, kGroup, kBlock, true, false, false, false, false},
                           {16, 24, 256, kBlock, kGroup, true, false, true, false, false},   {9, 16, 48, kTensor, kTensor, false, false, true, true, false},
                           {12, 8, 32, kRow, kRow, false, false, true, false, false}};
  if (level == Level::full)
    for (bool positive : {false, true}) {
      all.push_back({256, 384, 4096, kTensor, kTensor, false, false, true, false, positive});
      all.push_back({256, 384, 16384, kTensor, kTensor, false, true, false, true, positive});
      all.push_back({256, 384, 2064, kRow, kRow, false, false, false, false, positive});
      all.push_back({256, 384, 4096, kGroup, kBlock, true, false, false, false, positive});
      all.push_back({264, 392, 4096, kGroup, kGroup, true, false, true, false, positive});
    }
  std::vector<Case> cases;
  for (const Setting& s : all) {
    Rng rng(++seed);
    adj_scaled_matmul_descriptor d;
    d.m = s.m, d.n = s.n, d.k = s.k;
    d.granularity_a = s.a, d.granularity_b = s.b;
    d.scale_layout = s.gemm ? ADJ_SCALE_LAYOUT_GEMM : ADJ_SCALE_LAYOUT_NATURAL;
    d.has_bias = s.bias, d.fast_accumulation = s.fast;
    d.alpha = s.bias ? 0.5 : 1;
    d.write_mode = s.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;
    d.code_a = signature[0], d.code_b = signature[1], d.out = signature[2];
    auto problem = std::make_shared<Problem>(Problem::of(d));
    for (const char* name : {"a", "b"}) {
      Data& codes = problem->tensor(name);
      fill_normal(codes, rng, 2);
      if (s.positive)
        for (std::int64_t i = 0; i < codes.numel(); ++i) codes.set(i, std::fabs(codes.get(i)));
    }
    fill_uniform(problem->tensor("scale_a"), rng, 0.25, 2);
    fill_uniform(problem->tensor("scale_b"), rng, 0.25, 2);
    if (s.bias) fill_normal(problem->tensor("bias"), rng);
    if (s.accumulate) fill_normal(problem->tensor("d"), rng);
    const Magnitudes magnitudes = [](const Problem& p, const std::string&) {
      const Outputs all_positive = run_on_magnitudes(p, {"a", "b", "bias", "d"});
      std::vector<std::vector<double>> terms(1);
      const Data& out = all_positive.arguments[p.argument("d")][0];
      for (std::int64_t i = 0; i < out.numel(); ++i) terms[0].push_back(out.get(i) * 1.01);
      return terms;
    };
    std::string name = fmt::format("{}x{}x{} granularity {} {}{}{}{}{}", d.m, d.n, d.k, static_cast<int>(s.a), static_cast<int>(s.b), s.gemm ? " gemm" : "",
                                   s.bias ? " bias" : "", s.accumulate ? " accumulate" : "", s.positive ? " positive" : "");
    cases.push_back({std::move(name), std::move(problem), magnitudes});
  }
  return cases;
}

}  // namespace harness
