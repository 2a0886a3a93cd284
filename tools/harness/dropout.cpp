// Cases of dropout, of softmax with dropout, and of their gradients.
#include <algorithm>
#include <cmath>
#include <limits>

#include <adjoint/ops/dropout.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kSeed = 0x123456789abcdef0u;

// What the cases vary beside the shape.
struct Setting {
  double ratio = 0.3;
  adj_dropout_mask mask = ADJ_DROPOUT_MASK_BOOL;
  std::uint64_t offset = 8;
  bool training = true, on_device = false, advance = false, special = false;
  const char* shared_with = nullptr;
  bool by_thread = false, unaligned = false;  // the mapping of ONNX Runtime
  int multiprocessors = 0, threads = 0;       // of its device
  // Softmax.
  std::int64_t bias_rows = 0;
  bool inner = false, masked = false, zero_masked = false, no_softmax = false;
  std::string text;
};

const char* name_of(adj_dropout_mask mask) { return mask == ADJ_DROPOUT_MASK_BITS ? "bits" : mask == ADJ_DROPOUT_MASK_NONE ? "none" : "bool"; }
std::string text_of(const Setting& s) {
  std::string t = fmt::format(" {} {}", name_of(s.mask), s.ratio);
  if (!s.training) t += ", no training";
  if (s.on_device) t += ", on the device";
  if (s.advance) t += ", advancing";
  if (s.by_thread) t += fmt::format(", ONNX Runtime on {} x {}, offset {}{}", s.multiprocessors, s.threads, s.offset, s.unaligned ? ", unaligned" : "");
  if (s.shared_with) t += fmt::format(", in place of {}", s.shared_with);
  return t + s.text;
}

// The ratio of a problem, by value or in the memory of the stream.
double ratio_of(const Problem& problem) {
  const Problem::ArgumentContents& c = problem.contents()[problem.argument("ratio")];
  return c.data.empty() ? c.scalar.value : c.data[0].get(0);
}
double scale_of(double ratio) { return ratio == 1 ? 0 : 1 / (1 - ratio); }

void set_rule(Problem& problem, const Setting& s, bool random) {
  if (s.on_device) problem.device_scalar("ratio", s.ratio, ADJ_F64);
  else problem.scalar("ratio", s.ratio);
  if (!random) return;
  if (s.on_device || s.advance) {
    const std::uint64_t more = s.by_thread ? 0 : s.offset % 4;  // a CUDA device rounds down what the host refuses
    problem.device_random("random", kSeed, s.offset - more);
    problem.contents()[problem.argument("random")].random.offset = more;
  } else problem.random("random", kSeed, s.offset);
}
// Any bytes but 0 count as 1; bits behind the last element are anything.
void fill_mask(Problem& problem, adj_dropout_mask mask, Rng& rng) {
  if (mask == ADJ_DROPOUT_MASK_NONE) return;
  Data& data = problem.tensor("mask");
  if (mask == ADJ_DROPOUT_MASK_BITS) fill_integers(data, rng, 0, 0xffffffffll);
  else fill_integers(data, rng, 0, 1);
}
void fill_elements(Data& data, const Setting& s, Rng& rng) {
  fill_normal(data, rng);
  if (!s.special) return;
  for (std::int64_t i = 0; i < data.numel(); i += 7) data.set(i, i % 3 == 0 ? kNan : i % 3 == 1 ? kInfinity : -kInfinity);
}

template <class Descriptor>
void set_mapping(Descriptor& d, const Setting& s) {
  if (s.by_thread) d.mapping = ADJ_DROPOUT_MAPPING_ONNX_RUNTIME;
  d.multiprocessors = s.multiprocessors;
  d.threads_per_multiprocessor = s.threads;
}

template <class Descriptor, bool backward>
Case element_case(std::int64_t numel, const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  Descriptor d;
  d.numel = numel;
  d.element = signature[0];
  d.mask = s.mask;
  d.training = s.training;
  if constexpr (!backward) d.advance_offset = s.advance;
  set_mapping(d, s);
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_elements(problem->tensor(backward ? "dout" : "input"), s, rng);
  if (backward) fill_mask(*problem, s.mask, rng);
  set_rule(*problem, s, !backward || s.mask == ADJ_DROPOUT_MASK_NONE);
  if (s.shared_with) problem->share(backward ? "dinput" : "out", s.shared_with);
  return {fmt::format("{}{}", numel, text_of(s)), std::move(problem), {}};
}

template <class Descriptor, bool backward>
std::vector<Case> element_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  const std::int64_t tile = 128 * 16 / adj::size_of(signature[0]);
  auto add = [&](std::int64_t numel, auto change) {
    Setting s;
    change(s);
    cases.push_back(element_case<Descriptor, backward>(numel, s, signature, ++seed));
  };
  constexpr adj_dropout_mask kMasks[] = {ADJ_DROPOUT_MASK_BOOL, ADJ_DROPOUT_MASK_BITS, ADJ_DROPOUT_MASK_NONE};
  int turn = 0;
  for (std::int64_t numel : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{32}, std::int64_t{33}, std::int64_t{129}, tile, 2 * tile + 37})
    add(numel, [&](Setting& s) { s.mask = kMasks[turn++ % 3]; });
  for (adj_dropout_mask mask : kMasks) {
    for (double ratio : {0.0, 0.5, 1 - 0x1p-40, 1.0})
      add(tile + 5, [&](Setting& s) {
        s.mask = mask;
        s.ratio = ratio;
      });
    add(tile + 6, [&](Setting& s) {
      s.mask = mask;
      s.training = false;
    });
    add(tile + 7, [&](Setting& s) {
      s.mask = mask;
      s.special = true;
      s.text = ", NaN and infinities";
    });
    add(tile + 70, [&](Setting& s) {
      s.mask = mask;
      s.shared_with = backward ? "dout" : "input";
    });
    add(tile + 9, [&](Setting& s) {
      s.mask = mask;
      s.on_device = true;
      s.offset = 0xfffffffffffffff4u;
      s.text = ", blocks around 2^62";
    });
    add(tile + 10, [&](Setting& s) {
      s.mask = mask;
      s.ratio = 1;
      s.special = true;
      s.text = ", NaN and infinities";
    });
  }
  add(70, [&](Setting& s) {
    s.on_device = true;
    s.offset = 11;
    s.text = ", offset 11";
    s.mask = ADJ_DROPOUT_MASK_NONE;
  });
  add(77, [&](Setting& s) {
    s.offset = std::uint64_t{0xffffffff} * 4 - 12;
    s.text = ", blocks around 2^32";
    s.mask = ADJ_DROPOUT_MASK_NONE;
  });
  add(tile, [&](Setting& s) {
    s.ratio = 1.5;
    s.on_device = true;
    s.text = ", no ratio";
  });
  if (!backward) {
    add(tile + 1, [](Setting& s) { s.advance = true; });
    add(tile + 1, [](Setting& s) {
      s.advance = true;
      s.offset = 10;
      s.text = " from 10";
    });
  }
  // One turn of a grid that has no more blocks than the elements need, and several; words within blocks and across them.
  turn = 0;
  for (std::int64_t numel : {std::int64_t{0}, std::int64_t{5}, std::int64_t{1024}, std::int64_t{1030}, 2 * tile + 2051})
    for (std::uint64_t offset : {8, 3}) {
      const adj_dropout_mask mask = backward ? ADJ_DROPOUT_MASK_NONE : kMasks[turn++ % 3];
      add(numel, [&](Setting& s) {
        s.mask = mask;
        s.by_thread = true;
        s.multiprocessors = 2;
        s.threads = 511;
        s.offset = offset;
      });
    }
  // Whole tiles, of several turns.
  add(4096, [&](Setting& s) {
    s.mask = backward ? ADJ_DROPOUT_MASK_NONE : ADJ_DROPOUT_MASK_BOOL;
    s.by_thread = true;
    s.multiprocessors = 1;
    s.threads = 256;
  });
  auto add_reference = [&](auto change) {
    add(tile + 3001, [&](Setting& s) {
      s.mask = ADJ_DROPOUT_MASK_NONE;
      s.by_thread = true;
      s.multiprocessors = 1;
      s.threads = 256;
      change(s);
    });
  };
  add_reference([](Setting& s) {
    s.multiprocessors = 132;
    s.threads = 2048;
  });
  add_reference([](Setting& s) { s.ratio = 0; });
  add_reference([](Setting& s) { s.ratio = 1 - 0x1p-24; });
  add_reference([](Setting& s) { s.ratio = 1 - 0x1p-40; });
  add_reference([](Setting& s) { s.ratio = 1; });
  add_reference([](Setting& s) { s.ratio = 0x1p-40; });
  add_reference([](Setting& s) {
    s.on_device = true;
    s.offset = 0xfffffffffffffff5u;
  });
  add_reference([](Setting& s) {
    s.ratio = -0.25;
    s.on_device = true;
  });
  add_reference([](Setting& s) { s.training = false; });
  if (!backward)
    add_reference([](Setting& s) {
      s.advance = true;
      s.offset = 6;
    });
  if (level == Level::full)
    for (adj_dropout_mask mask : kMasks)
      for (std::int64_t numel : {1'000'003, 5'000'000}) add(numel, [&](Setting& s) { s.mask = mask; });
  return cases;
}

// ---- softmax

bool kept_in(const Problem& problem, adj_dropout_mask mask, std::int64_t e) {
  if (mask == ADJ_DROPOUT_MASK_NONE) return true;  // magnitudes of all elements: a bound that is larger
  const Data& data = problem.tensor("mask");
  if (mask == ADJ_DROPOUT_MASK_BITS) return static_cast<std::uint64_t>(data.get(e / 32)) >> (e % 32) & 1;
  return data.get(e) != 0;
}

std::vector<std::vector<double>> forward_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const adj_bias_softmax_dropout_forward_descriptor*>(problem.descriptor());
  const Data& in = problem.tensor("input");
  const double scale = scale_of(ratio_of(problem));
  std::vector<double> result(static_cast<std::size_t>(d.rows * d.columns));
  if (output != "out" && output != "softmax_out") return {result};
  for (std::int64_t r = 0; r < d.rows; ++r) {
    const std::int64_t b = d.bias_rows == 0 ? 0 : d.inner_broadcast ? r / (d.rows / d.bias_rows) : r % d.bias_rows;
    auto score = [&](std::int64_t c) { return in.get(r * d.columns + c) + (d.bias_rows ? problem.tensor("bias").get(b * d.columns + c) : 0); };
    // Of the rounding of the addition as well.
    auto parts = [&](std::int64_t c) {
      return d.bias_rows ? std::fabs(in.get(r * d.columns + c)) + std::fabs(problem.tensor("bias").get(b * d.columns + c)) : 0;
    };
    double top = -kInfinity, sum = 0, spread = 0;
    for (std::int64_t c = 0; c < d.columns; ++c) top = std::max(top, score(c));
    for (std::int64_t c = 0; c < d.columns; ++c) {
      if (score(c) == -kInfinity) continue;
      const double e = std::exp(score(c) - top);
      sum += e;
      spread += e * (1 + std::fabs(score(c) - top) + parts(c));
    }
    for (std::int64_t c = 0; c < d.columns; ++c) {
      double& m = result[static_cast<std::size_t>(r * d.columns + c)];
      if (score(c) == -kInfinity) continue;
      m = std::exp(score(c) - top) / sum * (2 + std::fabs(score(c) - top) + parts(c) + spread / sum);
      if (output == "out") m *= scale;
    }
  }
  return {result};
}

Case forward_case(std::int64_t rows, std::int64_t columns, const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  adj_bias_softmax_dropout_forward_descriptor d;
  d.rows = rows;
  d.columns = columns;
  d.bias_rows = s.bias_rows;
  d.element = signature[0];
  d.mask = s.mask;
  d.inner_broadcast = s.inner;
  d.zero_masked_rows = s.zero_masked;
  d.advance_offset = s.advance;
  set_mapping(d, s);
  d.unaligned = s.unaligned;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  Data& in = problem->tensor("input");
  fill_normal(in, rng, 2);
  if (s.bias_rows) fill_normal(problem->tensor("bias"), rng);
  for (std::int64_t r = 0; s.masked && r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      if (r % 3 == 0 || c % 2 == r % 2) in.set(r * columns + c, -kInfinity);
  for (std::int64_t r = 0; s.special && columns > 0 && r < rows; ++r)
    if (r % 3 != 0) in.set(r * columns + columns / 2, r % 3 == 1 ? kNan : kInfinity);
  set_rule(*problem, s, true);
  if (s.shared_with) problem->share(s.no_softmax ? "out" : "softmax_out", s.shared_with);
  if (s.no_softmax) problem->omit("softmax_out");
  return {fmt::format("{}x{}{}", rows, columns, text_of(s)), std::move(problem), forward_magnitudes};
}

std::vector<std::vector<double>> backward_magnitudes(const Problem& problem, const std::string&) {
  const auto& d = *reinterpret_cast<const adj_softmax_dropout_backward_descriptor*>(problem.descriptor());
  const Data &dout = problem.tensor("dout"), &y = problem.tensor("softmax_out");
  const double scale = scale_of(ratio_of(problem));
  std::vector<double> result(static_cast<std::size_t>(d.rows * d.columns));
  for (std::int64_t r = 0; r < d.rows; ++r) {
    auto a = [&](std::int64_t e) { return kept_in(problem, d.mask, e) ? std::fabs(dout.get(e)) * scale : 0; };
    double sum = 0;
    for (std::int64_t e = r * d.columns; e < (r + 1) * d.columns; ++e) sum += a(e) * std::fabs(y.get(e));
    for (std::int64_t e = r * d.columns; e < (r + 1) * d.columns; ++e)
      result[static_cast<std::size_t>(e)] = std::max(std::fabs(y.get(e)), 1e-30) * (a(e) + sum);
  }
  return {result};
}

Case backward_case(std::int64_t rows, std::int64_t columns, const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  adj_softmax_dropout_backward_descriptor d;
  d.rows = rows;
  d.columns = columns;
  d.element = signature[0];
  d.mask = s.mask;
  set_mapping(d, s);
  d.unaligned = s.unaligned;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  Data& dout = problem->tensor("dout");
  fill_normal(dout, rng);
  fill_uniform(problem->tensor("softmax_out"), rng, 0, 2.0 / static_cast<double>(std::max<std::int64_t>(columns, 1)));
  fill_mask(*problem, s.mask, rng);
  for (std::int64_t r = 0; s.special && columns > 0 && r < rows; r += 2) dout.set(r * columns + columns / 2, r % 4 == 0 ? kNan : kInfinity);
  set_rule(*problem, s, s.mask == ADJ_DROPOUT_MASK_NONE);
  if (s.shared_with) problem->share("dinput", s.shared_with);
  return {fmt::format("{}x{}{}", rows, columns, text_of(s)), std::move(problem), backward_magnitudes};
}

template <class Make>
std::vector<Case> row_cases(const adj::Signature& signature, Level level, std::uint64_t seed, bool backward, Make make) {
  std::vector<Case> cases;
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  auto add = [&](std::int64_t rows, std::int64_t columns, auto change) {
    Setting s;
    change(s);
    cases.push_back(make(rows, columns, s, signature, ++seed));
  };
  constexpr adj_dropout_mask kMasks[] = {ADJ_DROPOUT_MASK_BOOL, ADJ_DROPOUT_MASK_BITS, ADJ_DROPOUT_MASK_NONE};
  int turn = 0;
  // Both sides of where another number of lanes takes over, in whole units and not, bits of rows in shared bytes and not.
  for (auto [rows, columns] : {std::pair<std::int64_t, std::int64_t>{0, 5},
                               {3, 0},
                               {1, 1},
                               {7, unit},
                               {5, 3 * unit + 1},
                               {19, 8},
                               {9, 16},
                               {3, 40},
                               {5, 77},
                               {4, 64},
                               {3, 32 * unit},
                               {5, 128 * unit + 8},
                               {2, 129 * unit + 3}})
    for (int i = 0; i < 2; ++i) add(rows, columns, [&](Setting& s) { s.mask = kMasks[turn++ % 3]; });
  for (adj_dropout_mask mask : kMasks) {
    for (double ratio : {0.0, 1.0})
      add(3, 45, [&](Setting& s) {
        s.mask = mask;
        s.ratio = ratio;
      });
    add(3, 6 * unit, [&](Setting& s) {
      s.mask = mask;
      s.ratio = mask == ADJ_DROPOUT_MASK_BITS;
    });
    add(6, 24, [&](Setting& s) {
      s.mask = mask;
      s.special = true;
      s.text = ", NaN and infinities";
    });
    if (backward) {
      add(5, 45, [&](Setting& s) {
        s.mask = mask;
        s.shared_with = "dout";
      });
      add(5, 5 * unit, [&](Setting& s) {
        s.mask = mask;
        s.shared_with = "softmax_out";
        s.on_device = mask == ADJ_DROPOUT_MASK_NONE;
        s.ratio = 0.25;
      });
    } else {
      add(6, 24, [&](Setting& s) {
        s.mask = mask;
        s.bias_rows = 3;
        s.inner = true;
        s.shared_with = "input";
      });
      add(6, 37, [&](Setting& s) {
        s.mask = mask;
        s.bias_rows = 2;
        s.shared_with = "input";
        s.no_softmax = true;
      });
      add(4, 5 * unit, [&](Setting& s) {
        s.mask = mask;
        s.masked = true;
        s.zero_masked = mask != ADJ_DROPOUT_MASK_BOOL;
        s.text = ", masked";
      });
    }
  }
  if (!backward)
    add(3, 33, [](Setting& s) {
      s.advance = true;
      s.bias_rows = 1;
    });
  // The mapping of ONNX Runtime: lanes, columns and rows of its threads in every combination, and the rows that its other kernel takes.
  turn = 0;
  for (auto [rows, columns] : {std::pair<std::int64_t, std::int64_t>{9, 1}, {5, 7}, {70, 24}, {5, 96}, {3, 100}, {5, 128}, {3, 260}, {2, 2048}, {2, 2060}})
    for (bool unaligned : {false, true})
      add(rows, columns, [&](Setting& s) {
        s.mask = backward ? ADJ_DROPOUT_MASK_NONE : kMasks[turn++ % 3];
        s.by_thread = true;
        s.unaligned = unaligned;
        s.offset = unaligned ? 7 : 8;
        if (columns > 2048) s.multiprocessors = 1, s.threads = 512;
      });
  auto add_reference = [&](auto change) {
    add(5, 200, [&](Setting& s) {
      s.mask = ADJ_DROPOUT_MASK_NONE;
      s.by_thread = true;
      change(s);
    });
  };
  add_reference([](Setting& s) { s.ratio = 0; });
  add_reference([](Setting& s) { s.ratio = 1 - 0x1p-40; });
  add_reference([](Setting& s) {
    s.ratio = -0.25;
    s.on_device = true;
  });
  add_reference([](Setting& s) {
    s.on_device = true;
    s.offset = 0xfffffffffffffff5u;
  });
  if (!backward) {
    add_reference([](Setting& s) {
      s.advance = true;
      s.offset = 6;
    });
    add_reference([](Setting& s) {
      s.bias_rows = 5;
      s.shared_with = "input";
    });
  }
  // Longer than the threads hold.
  add(1, 2049 * unit, [](Setting& s) { s.mask = ADJ_DROPOUT_MASK_BITS; });
  add(1, 2048 * unit + 3, [&](Setting& s) {
    s.mask = ADJ_DROPOUT_MASK_NONE;
    s.shared_with = backward ? "dout" : "input";
  });
  if (level == Level::full)
    for (std::int64_t columns : {512, 1000, 2048, 4099, 16384, 50257})
      for (adj_dropout_mask mask : kMasks)
        add(columns > 5000 ? 7 : 301, columns, [&](Setting& s) {
          s.mask = mask;
          if (!backward) s.bias_rows = 7;
        });
  return cases;
}

}  // namespace

std::vector<Case> dropout_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return element_cases<adj_dropout_forward_descriptor, false>(signature, level, seed);
}
std::vector<Case> dropout_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return element_cases<adj_dropout_backward_descriptor, true>(signature, level, seed);
}
std::vector<Case> bias_softmax_dropout_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return row_cases(signature, level, seed, false, forward_case);
}
std::vector<Case> softmax_dropout_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return row_cases(signature, level, seed, true, backward_case);
}

}  // namespace harness
