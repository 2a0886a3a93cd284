// Functions of many f64 numbers at a time, for results that are rounded to f32 or less: errors of some units in the last place. They are made of sums, products
// and quotients alone, so that their bits do not depend on the processor or the C library.
#pragma once

#include <span>

namespace adj::host {

// Whether all numbers are between two others; a NaN is not.
bool all_within(std::span<const double> numbers, double least, double most);

// Replaces each number by its exponential. Those outside -708 to 700 are left to the C library.
void exp_all(std::span<double> numbers);

// Replaces finite numbers z by z P(z), or by its slope, where P is the probability that a number of the normal distribution is below z.
void gelu_all(std::span<double> numbers);
void gelu_slope_all(std::span<double> numbers);

}  // namespace adj::host
