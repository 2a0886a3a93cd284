// Numbers of the tools' pictures.
#include <doctest/doctest.h>

#include "support/svg.hpp"

using support::round_ticks;

TEST_CASE("ticks of a picture are round numbers from 0 to the largest value") {
  using Ticks = std::vector<double>;
  CHECK(round_ticks(3.5) == Ticks{0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5});
  CHECK(round_ticks(7) == Ticks{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(round_ticks(300) == Ticks{0, 50, 100, 150, 200, 250, 300});
  CHECK(round_ticks(11.66) == Ticks{0, 2, 4, 6, 8, 10});
  for (double most = 1e-3; most < 1e6; most *= 1.37) {
    CAPTURE(most);
    const Ticks ticks = round_ticks(most);
    CHECK(ticks.size() >= 3);
    CHECK(ticks.size() <= 8);
    CHECK(ticks.back() <= most * (1 + 1e-9));
    CHECK(most - ticks.back() < ticks[1]);
  }
}
