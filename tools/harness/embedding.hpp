// Indices of the cases of embedding.
#pragma once

#include <vector>

#include "harness/harness.hpp"

namespace harness {

// Distribution of the indices over the rows.
enum class Spread { uniform, zipf, same, ascending, outside, mixed };
const char* name_of(Spread spread);
void fill_indices(Data& indices, Rng& rng, std::int64_t rows, Spread spread);
// Fills indices so that row r occurs counts[r] times, in random order.
void fill_counts(Data& indices, Rng& rng, const std::vector<std::int64_t>& counts);

}  // namespace harness
