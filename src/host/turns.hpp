// Sines and cosines of angles that are given in turns.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace adj::host {

struct SineCosine {
  double sine, cosine;
};
// Sine and cosine of 2 pi times `turns`, which is at least -2^50 and at most 2^50. The angle is reduced to an eighth of a turn before it is rounded, so the
// relative errors of both are a few roundings.
inline SineCosine sine_cosine_of_turns(double turns) {
  const double quarters = std::rint(4 * turns), angle = 2 * std::numbers::pi * (turns - quarters / 4);
  const double sine = std::sin(angle), cosine = std::cos(angle);
  switch (static_cast<std::int64_t>(quarters) & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}

}  // namespace adj::host
