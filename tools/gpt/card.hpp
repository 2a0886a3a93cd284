// What graphics cards can do at most, by the name that the driver gives them.
#pragma once

#include <adjoint/adjoint.hpp>

#include <string_view>

#include "support/work.hpp"

namespace gpt {

// Data sheets of the vendor: dense products with sums in f32, and memory. f32 products are those without TF32, as the library computes them.
// 0: the sheet does not say.
struct Card {
  std::string_view name;
  double bf16, f32, f64;  // 10^12 operations a second
  double gigabytes;       // 10^9 bytes a second
};
constexpr Card kCards[] = {
    {"NVIDIA A100-SXM4-40GB", 312, 19.5, 19.5, 1555},
    {"NVIDIA A100-SXM4-80GB", 312, 19.5, 19.5, 2039},
    {"NVIDIA A100-PCIE-40GB", 312, 19.5, 19.5, 1555},
    {"NVIDIA A100 80GB PCIe", 312, 19.5, 19.5, 1935},
    {"NVIDIA H100 80GB HBM3", 989, 67, 67, 3350},
    {"NVIDIA H100 PCIe", 756, 51, 51, 2000},
    {"NVIDIA H100 NVL", 835, 60, 60, 3900},
    {"NVIDIA H200", 989, 67, 67, 4800},
    {"NVIDIA B200", 2250, 75, 37, 8000},
    {"NVIDIA L40S", 362, 91.6, 0, 864},
    {"NVIDIA L4", 121, 30.3, 0, 300},
    {"NVIDIA A10", 125, 31.2, 0, 600},
    {"NVIDIA GeForce RTX 3090", 71, 35.6, 0, 936},
    {"NVIDIA GeForce RTX 4090", 165, 82.6, 0, 1008},
};

// Of a card for products of a type; unknown for a card that is not in the table.
constexpr Limits limits_of(std::string_view name, adj_dtype type) {
  for (const Card& card : kCards)
    if (card.name == name) return {1e12 * (type == ADJ_BF16 ? card.bf16 : type == ADJ_F32 ? card.f32 : type == ADJ_F64 ? card.f64 : 0), 1e9 * card.gigabytes};
  return {};
}

}  // namespace gpt
