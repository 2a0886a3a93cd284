// Sorted occurrences for the cases of the gradients that take them.
#pragma once

#include <adjoint/ops/embedding.h>

#include "harness/harness.hpp"

namespace harness {

// Fills sorted_rows and order with the result of index_plan for these indices.
void fill_plan(Problem& problem, const adj_index_plan_descriptor& d, const Data& indices);

// Contents of sorted_rows and order that no index plan writes: any numbers, in any order.
enum class Garbage { words, unsorted, same, descending, ones };
constexpr Garbage kGarbage[] = {Garbage::words, Garbage::unsorted, Garbage::same, Garbage::descending, Garbage::ones};
const char* name_of(Garbage garbage);
void fill_garbage(Problem& problem, Rng& rng, std::int64_t rows, Garbage garbage);

}  // namespace harness
