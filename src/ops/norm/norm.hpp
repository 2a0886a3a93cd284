// Extents, types and checks that layer norm and RMS norm share. kernels/norm/README.md defines unit, group and split.
#pragma once

#include <bit>
#include <cmath>
#include <utility>

#include <adjoint/ops/norm.h>

#include "ops/common/shapes.hpp"
#include "ops/common/tuning.hpp"

namespace adj::norm {

constexpr int kWarp = 32;
constexpr int kWords = 16;         // bytes of a unit or a piece
using tuning::kMultiprocessors;

// Descriptor fields with their defaults filled in.
struct Problem {
  std::int64_t rows = 1, columns = 1;
  adj_dtype element, output, weight, stats;
};
template <class Descriptor>
Problem problem_of(const Descriptor& d) {
  Problem p{};
  p.rows = p.columns = 1;
  const std::int64_t first = d.axis < 0 ? d.axis + d.shape.rank : d.axis;
  for (std::int64_t i = 0; i < d.shape.rank; ++i) (i < first ? p.rows : p.columns) *= d.shape.dims[i];
  p.element = d.element;
  p.output = d.output ? d.output : d.element;
  p.weight = d.weight ? d.weight : p.output;
  p.stats = accumulator_of(d.element);
  return p;
}

template <class Descriptor>
Result<void> check_problem(const char* op, const Descriptor& d) {
  if (d.shape.rank == 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: shape has no dimension, or was not given", op);
  ADJ_TRY(normalise_axis(op, "axis", d.axis, d.shape.rank));
  return {};
}
template <class Descriptor>
Signature signature_of(const void* descriptor) {
  const Problem p = problem_of(*static_cast<const Descriptor*>(descriptor));
  return {p.element, p.output};
}
const std::vector<Signature>& signatures();

// Distribution of a row's columns over threads that hold the row in registers: a part of a block, a block, or a cluster
// (kernels/norm/any_type.cuh).
struct Rows {
  int unit = 0;      // elements of a unit
  int units = 0;     // units of a thread
  std::int64_t units_of_row = 0;
  int lanes = 0;     // threads that share a row
  unsigned block = 0;
  int groups = 0;    // rows side by side in a block
};
// Bytes of shared memory: upper bound of the kernels' static variables, and the amount that CUDA reserves in each block.
constexpr std::uint32_t kStaticShared = 2 << 10, kBlockReserved = 1 << 10;

// A sample for an ONNX registration (T, U, V).
template <class Descriptor>
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 3 || types[1] != accumulator_of(types[0])) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.shape.rank = 2;
  d.shape.dims[0] = 4;
  d.shape.dims[1] = 8;
  d.element = types[0];
  d.output = d.weight = types[2];
  return true;
}

}  // namespace adj::norm
