// What the cases of the optimizers share: shapes of lists, scalars, and settings of a step.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "harness/harness.hpp"

namespace harness::optimizer {

using Numel = std::vector<std::int64_t>;

struct Shape {
  std::string name;
  Numel numel;
};

// `count` small tensors of changing size, every seventh one empty.
Numel many(std::int64_t count, std::int64_t largest);
std::vector<Shape> shapes(const adj::Signature& s, Level level);

// Scalars of a case: their values, and the memory that they are in.
struct Calling {
  double lr = 0.01, grad_scale = 1;
  adj_dtype lr_on = ADJ_DTYPE_NONE, scale_on = ADJ_DTYPE_NONE;  // ADJ_DTYPE_NONE: by value
  int found_inf = -1;                                           // -1: not given
  bool special = false;                                         // infinities and NaN among the gradients
};

void set_scalar(Problem& p, const char* name, double value, adj_dtype on);
void fill_common(Problem& p, Rng& rng, const Calling& c);
double scalar_of(const Problem& p, const char* name);
const std::vector<Data>& list_of(const Problem& p, const char* name);

// Magnitudes of(tensor, element) of all elements of a list.
template <class Of>
std::vector<std::vector<double>> for_each_element(const Problem& p, Of of) {
  std::vector<std::vector<double>> result;
  const auto& params = list_of(p, "params");
  for (std::size_t t = 0; t < params.size(); ++t) {
    auto& row = result.emplace_back(static_cast<std::size_t>(params[t].numel()));
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = of(t, static_cast<std::int64_t>(i));
  }
  return result;
}

// Settings of a case of adam, lamb or sgd: its lists, clipping and skipping.
struct Step {
  std::string name{};
  bool out_of_place = false, updates = false, keep_params = false, clear_grads = false;
  bool in_place = false;                                     // outputs are the buffers of the inputs
  bool own_lr = false, own_decay = false;                    // of each tensor; for adam
  double gradient_norm = 0, max_norm = 1;
  adj_dtype norm_on = ADJ_DTYPE_NONE, signal_on = ADJ_DTYPE_NONE;  // ADJ_DTYPE_NONE: by value
  int signal = 1;
  Calling calling{};
};

std::vector<Step> step_cases(const adj::Signature& s);
template <class Descriptor>
void set_lists(Descriptor& d, const Step& s) {
  d.out_of_place = s.out_of_place;
  d.updates = s.updates;
  d.keep_params = s.keep_params;
  d.clear_grads = s.clear_grads;
  d.max_norm = s.max_norm;
}
void fill_step(Problem& p, Rng& rng, const Step& s, std::initializer_list<std::pair<const char*, const char*>> pairs);
// Asks for stochastic rounding, with keys that begin at `first`. The descriptor must live no longer than the keys.
template <class Descriptor>
std::vector<std::int64_t> round_at_random(Descriptor& d, std::int64_t first) {
  std::vector<std::int64_t> keys;
  for (std::int64_t t = 0; t < d.count; ++t) keys.push_back((first + 7 * t) & 0xffffffff);
  d.stochastic_rounding = 1;
  d.tensor_key_count = d.count;
  d.tensor_keys = keys.data();
  return keys;
}
// First elements of five parts of tensors: on both sides of a multiple of 8 and of 2^35, above which the second word of a counter is not 0.
inline constexpr std::int64_t kFirstElements[] = {7, 1, (std::int64_t{1} << 35) - 13, 8, (std::int64_t{1} << 58) + 3};
// Values at which the rounding to 16-bit types changes its kind.
void fill_extremes(Data& data, Rng& rng);

// Factor of the gradients: grad_scale, and what clips their norm to max_norm.
double scale_of(const Problem& p, double max_norm);

}  // namespace harness::optimizer
