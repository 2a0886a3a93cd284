#include "host/fill.hpp"

#include <cmath>

#include "base/dtype.hpp"
#include "host/dropout.hpp"
#include "host/parallel.hpp"
#include "host/turns.hpp"
#include "host/values.hpp"

namespace adj::host {

namespace {

double value_of(const adj_scalar& s) { return s.device ? load_scalar(s.device, s.dtype) : s.value; }

}  // namespace

void fill(const adj_fill_descriptor& d, const adj_fill_args& a, void*) {
  const Values out(a.out, d.element);
  const double value = value_of(a.value);
  parallel_for(d.numel, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) out.set(i, value);
  });
}

void normal(const adj_normal_descriptor& d, const adj_normal_args& a, void*) {
  const Values out(a.out, d.element);
  const double mean = value_of(a.mean), deviation = value_of(a.std);
  const std::uint64_t seed = a.random.device ? a.random.device[0] : a.random.seed, offset = a.random.device ? a.random.device[1] : a.random.offset;
  parallel_for((d.numel + 3) / 4, 200, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const auto words = philox_block(seed, 0, offset / 4 + static_cast<std::uint64_t>(block));
      for (std::int64_t k = 0; k < 4 && 4 * block + k < d.numel; ++k) {
        const auto pair = static_cast<std::size_t>(k & ~std::int64_t{1});
        const double radius = std::sqrt(-2 * std::log((words[pair] + 0.5) * 0x1p-32));
        const SineCosine of_turns = sine_cosine_of_turns(words[pair + 1] * 0x1p-32);
        out.set(4 * block + k, mean + deviation * (radius * (k % 2 ? of_turns.sine : of_turns.cosine)));
      }
    }
  });
}

}  // namespace adj::host
