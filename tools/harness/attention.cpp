// Cases of attention and its gradients, and what their errors are measured against.
#include <algorithm>
#include <cmath>
#include <limits>

#include <adjoint/ops/attention.h>

#include "harness/random.hpp"
#include "host/attention.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

enum class Layout {
  packed,
  qkv,    // parts of a buffer [batch, tokens, (heads + 2 kv_heads) head_dim]
  heads,  // [batch, heads, tokens, head_dim]
  odd     // 3 elements between tokens
};

// Settings of a case.
struct Setting {
  std::int64_t batch = 0, tokens = 0, heads = 0, dim = 0, kv_heads = 0, window = -1;
  bool causal = false;
  Layout layout = Layout::packed;
  double scale = 0;
  std::vector<std::int32_t> lengths{};  // cu_seqlens; none: sequences of one length
  bool nan = false;        // a NaN in q, or in dout, of one query
  bool far = false;        // scores far apart, so that most weights are 0
  bool shaded = false;     // the first key outweighs the others, whose weights f16 has few bits for, and its value is 0
  bool faint = false;      // gradients of scores below the normal numbers of f16, times a large scale
  bool behind = false;     // NaN in all tokens behind the last sequence
  bool bad = false;        // cu_seqlens that the host refuses

  std::string text() const {
    std::string t = fmt::format("{}x{}x{}x{}", batch, tokens, heads, dim);
    if (kv_heads) t += fmt::format(", {} heads of k and v", kv_heads);
    if (causal) t += ", causal";
    if (window >= 0) t += fmt::format(", window {}", window);
    if (layout != Layout::packed) t += layout == Layout::qkv ? ", packed qkv" : layout == Layout::heads ? ", heads first" : ", odd strides";
    if (scale != 0) t += fmt::format(", scale {}", scale);
    if (!lengths.empty()) t += fmt::format(", lengths {}", fmt::join(lengths, " "));
    if (nan) t += ", NaN";
    if (far) t += ", far apart";
    if (shaded) t += ", shaded";
    if (faint) t += ", faint";
    if (behind) t += ", NaN behind";
    return t;
  }
  std::int64_t kv() const { return kv_heads ? kv_heads : heads; }
  adj_axes strides(std::int64_t own_heads) const {
    switch (layout) {
      case Layout::qkv: return {3, {0, (heads + 2 * kv()) * dim, dim}};
      case Layout::heads: return {3, {lengths.empty() ? own_heads * tokens * dim : 0, dim, tokens * dim}};
      case Layout::odd: return {3, {0, own_heads * dim + 3, dim}};
      default: return {};
    }
  }
  // Strides of out and dout, which are in no packed tensor.
  adj_axes out_strides() const { return layout == Layout::qkv ? adj_axes{} : strides(heads); }
};

template <class Descriptor>
Descriptor descriptor_of(const Setting& s, adj_dtype element) {
  Descriptor d;
  d.batch = s.batch;
  d.tokens = s.tokens;
  d.heads = s.heads;
  d.kv_heads = s.kv_heads;
  d.head_dim = s.dim;
  d.window = s.window;
  d.scale = s.scale;
  d.q_strides = s.strides(s.heads);
  d.k_strides = d.v_strides = s.strides(s.kv());
  d.out_strides = s.out_strides();
  d.element = element;
  d.causal = s.causal;
  d.has_lengths = !s.lengths.empty();
  return d;
}

// Fills a tensor with normal numbers, and the places between its elements with NaN.
void fill_tensor(Problem& problem, const char* name, Rng& rng, double sigma = 1) {
  Data& data = problem.tensor(name);
  fill_normal(data, rng, sigma);
  const adj::ArgumentSpec& spec = problem.specs()[problem.argument(name)];
  const std::int64_t size = adj::size_of(data.dtype), pitch = static_cast<std::int64_t>(spec.pitch) / size,
                     width = static_cast<std::int64_t>(spec.width) / size;
  for (std::int64_t i = 0; pitch > 0 && i < data.numel(); ++i)
    if (i % pitch >= width) data.set(i, kNan);
}

// Fills the tokens behind the last sequence of a packed tensor with NaN.
void fill_behind(Problem& problem, const char* name, const Setting& s) {
  Data& to = problem.tensor(name);
  for (std::int64_t i = s.lengths.back() * (to.numel() / s.tokens); i < to.numel(); ++i) to.set(i, kNan);
}

void fill_lengths(Problem& problem, const Setting& s) {
  if (s.lengths.empty()) return;
  Data& to = problem.tensor("cu_seqlens");
  for (std::size_t i = 0; i < s.lengths.size(); ++i) to.set(static_cast<std::int64_t>(i), s.lengths[i]);
}

// ---- magnitudes of the terms, by the formulas of the header

// Calls fn(batch, first, length, rows) for each sequence.
template <class Fn>
void for_sequences(const Problem& problem, const adj::host::AttentionShape& s, Fn fn) {
  if (!s.lengths) {
    for (std::int64_t b = 0; b < s.batch; ++b) fn(b, std::int64_t{0}, s.tokens, s.tokens);
    return;
  }
  const Data& ends = problem.tensor("cu_seqlens");
  const auto at = [&](std::int64_t b) { return static_cast<std::int64_t>(ends.get(b)); };
  for (std::int64_t b = 0; b < s.batch; ++b) fn(std::int64_t{0}, at(b), at(b + 1) - at(b), at(b + 1) - at(b));
}

// One tensor of a problem as [rows, head_dim] in f64, by the place of its first element.
struct Rows {
  const Data* data;
  adj::host::AttentionStrides strides;
  std::int64_t at(std::int64_t batch, std::int64_t token, std::int64_t head) const {
    return batch * strides.batch + token * strides.token + head * strides.head;
  }
};

// What factors and summands count as at least: L in out and dv, L in dq and dk, M and N of the header.
struct Least {
  double weight, weight_of_score, gradient, summand;
};
Least least_of(adj_dtype element, bool library) {
  switch (element) {
    case ADJ_F64: return {0x1p-1034, 0x1p-1034, 0x1p-1034, 0x1p-1034};
    case ADJ_F32: return {0x1p-137, 0x1p-137, 0x1p-138, 0x1p-138};
    case ADJ_BF16: return {0x1p-118, 0x1p-118, 0x1p-126, 0};
    default: return {library ? 0x1p-14 : 0x1p-29, 0, 0x1p-14, 0};
  }
}

template <class Descriptor, bool kLibrary = false>
std::vector<std::vector<double>> magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const Descriptor*>(problem.descriptor());
  const adj::host::AttentionShape s(d);
  constexpr bool kBackward = std::is_same_v<Descriptor, adj_attention_backward_descriptor>;
  const auto input = [&](const char* name) { return &problem.tensor(name); };
  const Rows q{input("q"), {d.q_strides, s, s.heads}}, k{input("k"), {d.k_strides, s, s.kv_heads}}, v{input("v"), {d.v_strides, s, s.kv_heads}};
  const Rows out{kBackward ? input("out") : nullptr, {d.out_strides, s, s.heads}};
  Rows dout = out, to = out;
  if constexpr (kBackward) {
    dout = {input("dout"), {d.dout_strides, s, s.heads}};
    if (output == "dq") to.strides = {d.dq_strides, s, s.heads};
    if (output == "dk") to.strides = {d.dk_strides, s, s.kv_heads};
    if (output == "dv") to.strides = {d.dv_strides, s, s.kv_heads};
  }
  std::vector<double> result(static_cast<std::size_t>(problem.tensor(output.c_str()).numel()));
  const auto add = [&](std::int64_t at, double x) { result[static_cast<std::size_t>(at)] += std::isfinite(x) ? x : 0; };
  std::vector<double> score, spread;
  const Least least = least_of(d.element, kLibrary);
  if (!s.empty())
    for_sequences(problem, s, [&](std::int64_t b, std::int64_t first, std::int64_t length, std::int64_t rows) {
      score.resize(static_cast<std::size_t>(length));
      spread.resize(static_cast<std::size_t>(length));
      for (std::int64_t h = 0; h < s.heads; ++h)
        for (std::int64_t i = 0; i < rows; ++i) {
          const std::int64_t kv = h / s.group(), begin = s.window < 0 ? 0 : std::max<std::int64_t>(0, i - s.window), end = s.causal ? i + 1 : length;
          const std::int64_t of_query = q.at(b, first + i, h);
          double top = -kInfinity, sum = 0, mean = 0;
          for (std::int64_t j = begin; j < end; ++j) {
            double& x = score[static_cast<std::size_t>(j)];
            double& a = spread[static_cast<std::size_t>(j)];
            x = a = 0;
            for (std::int64_t c = 0; c < s.dim; ++c) {
              const double term = s.scale * q.data->get(of_query + c) * k.data->get(k.at(b, first + j, kv) + c);
              x += term;
              a += std::fabs(term);
            }
            top = std::max(top, x);
          }
          for (std::int64_t j = begin; j < end; ++j) sum += std::exp(score[static_cast<std::size_t>(j)] - top);
          for (std::int64_t j = begin; j < end; ++j) mean += std::exp(score[static_cast<std::size_t>(j)] - top) / sum * spread[static_cast<std::size_t>(j)];
          const std::int64_t lse_at = (b * s.heads + h) * s.tokens + first + i;
          if (output == "lse") {
            add(lse_at, 1 + std::fabs(top + std::log(sum)) + mean);
            continue;
          }
          const double lse = kBackward ? input("lse")->get(lse_at) : top + std::log(sum);
          double delta = 0;
          for (std::int64_t c = 0; kBackward && c < s.dim; ++c)
            delta += std::fabs(dout.data->get(dout.at(b, first + i, h) + c) * out.data->get(out.at(b, first + i, h) + c));
          for (std::int64_t j = begin; j < end; ++j) {
            const std::int64_t key = k.at(b, first + j, kv), value = v.at(b, first + j, kv);
            const double a = spread[static_cast<std::size_t>(j)], weight = std::exp(score[static_cast<std::size_t>(j)] - lse);
            const double terms = weight * (1 + a + (kBackward ? std::fabs(lse) : mean));
            double gradient = delta;
            for (std::int64_t c = 0; kBackward && c < s.dim; ++c) gradient += std::fabs(dout.data->get(dout.at(b, first + i, h) + c) * v.data->get(value + c));
            const double of_value = std::max(terms, least.weight), of_score = std::max(std::max(terms, least.weight_of_score) * gradient, least.gradient);
            const auto summand = [&](double factor, double x) { return std::max(factor * std::fabs(x), least.summand); };
            for (std::int64_t c = 0; c < s.dim; ++c) {
              if (output == "out") add(to.at(b, first + i, h) + c, summand(of_value, v.data->get(value + c)));
              if (output == "dv") add(to.at(b, first + j, kv) + c, summand(of_value, dout.data->get(dout.at(b, first + i, h) + c)));
              if (output == "dq") add(to.at(b, first + i, h) + c, std::fabs(s.scale) * summand(of_score, k.data->get(key + c)));
              if (output == "dk") add(to.at(b, first + j, kv) + c, std::fabs(s.scale) * summand(of_score, q.data->get(of_query + c)));
            }
          }
        }
    });
  return {result};
}

// ---- cases

std::shared_ptr<Problem> forward_problem(const Setting& s, adj_dtype element, std::uint64_t seed) {
  Rng rng(seed);
  auto problem = std::make_shared<Problem>(Problem::of(descriptor_of<adj_attention_forward_descriptor>(s, element)));
  fill_tensor(*problem, "q", rng, s.far ? 8 : s.faint || s.shaded ? 0x1p-6 : 1);
  fill_tensor(*problem, "k", rng);
  fill_tensor(*problem, "v", rng, s.shaded ? 0x1p10 : 1);
  for (std::int64_t i = 0; s.shaded && i < s.tokens; ++i) {
    problem->tensor("q").set(i * s.dim, 8);
    problem->tensor("k").set(i * s.dim, i == 0 ? 4.83203125 : 0);
  }
  for (std::int64_t d = 0; s.shaded && d < s.dim; ++d) problem->tensor("v").set(d, 0);
  if (s.behind)
    for (const char* name : {"q", "k", "v"}) fill_behind(*problem, name, s);
  fill_lengths(*problem, s);
  return problem;
}

Case forward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  auto problem = forward_problem(s, signature[0], seed);
  if (s.nan) problem->tensor("q").set(s.dim / 2, kNan);
  using Descriptor = adj_attention_forward_descriptor;
  return {.name = s.text(),
          .problem = std::move(problem),
          .magnitudes = magnitudes<Descriptor>,
          .unspecified = s.bad,
          .of_libraries = magnitudes<Descriptor, true>};
}

Case backward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed + 1'000'000);
  auto d = descriptor_of<adj_attention_backward_descriptor>(s, signature[0]);
  d.dout_strides = d.out_strides;
  d.dq_strides = d.q_strides;
  d.dk_strides = d.dv_strides = d.k_strides;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  const auto forward = forward_problem(s, signature[0], seed);
  for (const char* name : {"q", "k", "v"}) problem->tensor(name) = forward->tensor(name);
  fill_lengths(*problem, s);
  fill_tensor(*problem, "dout", rng, s.faint ? 0x1p-18 : s.shaded ? 0x1p10 : 1);
  if (!s.bad) {
    const auto outputs = run_reference(*forward);
    if (!outputs) throw std::logic_error("harness: " + outputs.error().message);
    for (const char* name : {"out", "lse"}) problem->tensor(name) = outputs->arguments[forward->argument(name)].at(0);
  }
  if (s.nan) problem->tensor("dout").set(s.dim / 2, kNan);
  if (s.behind) fill_behind(*problem, "dout", s);
  using Descriptor = adj_attention_backward_descriptor;
  return {.name = s.text(),
          .problem = std::move(problem),
          .magnitudes = magnitudes<Descriptor>,
          .unspecified = s.bad,
          .of_libraries = magnitudes<Descriptor, true>};
}

std::vector<Setting> settings(Level level) {
  std::vector<Setting> list{{.batch = 0, .tokens = 5, .heads = 2, .dim = 8},
                            {.batch = 2, .tokens = 0, .heads = 1, .dim = 8},
                            {.batch = 2, .tokens = 1, .heads = 2, .dim = 8},
                            {.batch = 2, .tokens = 33, .heads = 3, .dim = 16},
                            {.batch = 1, .tokens = 70, .heads = 2, .dim = 8, .causal = true},
                            {.batch = 1, .tokens = 35, .heads = 1, .dim = 64, .causal = true},
                            {.batch = 1, .tokens = 19, .heads = 1, .dim = 128},
                            {.batch = 1, .tokens = 17, .heads = 1, .dim = 256, .causal = true},
                            {.batch = 1, .tokens = 40, .heads = 2, .dim = 7, .causal = true, .scale = -0.3},
                            {.batch = 2, .tokens = 37, .heads = 4, .dim = 16, .kv_heads = 2, .causal = true, .layout = Layout::qkv},
                            {.batch = 1, .tokens = 34, .heads = 3, .dim = 24, .layout = Layout::qkv},
                            {.batch = 2, .tokens = 18, .heads = 2, .dim = 40, .kv_heads = 1, .layout = Layout::heads},
                            {.batch = 1, .tokens = 18, .heads = 2, .dim = 8, .causal = true, .layout = Layout::odd},
                            {.batch = 1, .tokens = 75, .heads = 1, .dim = 8, .window = 20, .causal = true},
                            {.batch = 1, .tokens = 75, .heads = 1, .dim = 8, .window = 5},
                            {.batch = 1, .tokens = 12, .heads = 1, .dim = 8, .window = 0, .causal = true},
                            {.batch = 1, .tokens = 10, .heads = 1, .dim = 8, .window = 1'000'000},
                            {.batch = 4, .tokens = 80, .heads = 2, .dim = 16, .kv_heads = 1, .causal = true, .lengths = {0, 3, 3, 50, 71}},
                            {.batch = 2, .tokens = 80, .heads = 2, .dim = 8, .layout = Layout::qkv, .lengths = {0, 40, 80}},
                            {.batch = 3, .tokens = 30, .heads = 2, .dim = 8, .window = 4, .lengths = {0, 0, 0, 0}},
                            {.batch = 0, .tokens = 7, .heads = 2, .dim = 8, .lengths = {0}},
                            // A first key just before a step and just behind one, in every program.
                            {.batch = 1, .tokens = 260, .heads = 1, .dim = 8, .window = 33, .causal = true},
                            {.batch = 1, .tokens = 260, .heads = 1, .dim = 8, .window = 65},
                            {.batch = 1, .tokens = 260, .heads = 1, .dim = 8, .window = 64, .causal = true},
                            {.batch = 1, .tokens = 260, .heads = 1, .dim = 72, .window = 81, .causal = true},
                            {.batch = 3, .tokens = 280, .heads = 1, .dim = 8, .window = 65, .causal = true, .lengths = {0, 130, 131, 270}},
                            {.batch = 3, .tokens = 280, .heads = 1, .dim = 72, .window = 65, .lengths = {0, 5, 140, 280}},
                            // Both sides of a tile of 128 rows, windows that cut tiles, sequences that end inside them.
                            {.batch = 1, .tokens = 128, .heads = 1, .dim = 8},
                            {.batch = 2, .tokens = 129, .heads = 1, .dim = 8, .causal = true},
                            {.batch = 1, .tokens = 200, .heads = 2, .dim = 8, .kv_heads = 1, .window = 70, .causal = true, .scale = -0.3},
                            {.batch = 1, .tokens = 200, .heads = 1, .dim = 8, .window = 70},
                            {.batch = 4, .tokens = 300, .heads = 1, .dim = 8, .causal = true, .lengths = {0, 127, 128, 257, 290}},
                            {.batch = 1, .tokens = 130, .heads = 1, .dim = 72, .window = 40, .causal = true},
                            {.batch = 2, .tokens = 66, .heads = 1, .dim = 72, .layout = Layout::odd},
                            {.batch = 1, .tokens = 20, .heads = 2, .dim = 8, .nan = true},
                            {.batch = 1, .tokens = 40, .heads = 1, .dim = 16, .far = true},
                            // Weights next to the least numbers of f32.
                            {.batch = 1, .tokens = 48, .heads = 1, .dim = 8, .scale = 1.5, .far = true},
                            {.batch = 1, .tokens = 40, .heads = 1, .dim = 8, .causal = true, .shaded = true},
                            {.batch = 1, .tokens = 256, .heads = 1, .dim = 8, .scale = 64, .faint = true},
                            {.batch = 2, .tokens = 80, .heads = 1, .dim = 8, .lengths = {0, 40, 60}, .behind = true},
                            {.batch = 3, .tokens = 30, .heads = 1, .dim = 8, .lengths = {5, 40, -7, 20}, .bad = true}};
  if (level == Level::full)
    list.insert(
        list.end(),
        {{.batch = 2, .tokens = 128, .heads = 4, .dim = 64, .causal = true},
         {.batch = 1, .tokens = 384, .heads = 4, .dim = 128, .kv_heads = 2, .causal = true, .layout = Layout::qkv},
         {.batch = 1, .tokens = 256, .heads = 2, .dim = 64, .layout = Layout::qkv},
         {.batch = 2, .tokens = 256, .heads = 2, .dim = 64, .layout = Layout::heads},
         {.batch = 1, .tokens = 256, .heads = 2, .dim = 64, .window = 100, .causal = true},
         {.batch = 1, .tokens = 256, .heads = 2, .dim = 32, .window = 100},
         {.batch = 1, .tokens = 1024, .heads = 3, .dim = 64, .causal = true},
         {.batch = 1, .tokens = 1000, .heads = 3, .dim = 64, .causal = true},
         {.batch = 1, .tokens = 512, .heads = 2, .dim = 96, .causal = true},
         {.batch = 1, .tokens = 256, .heads = 1, .dim = 256, .causal = true},
         {.batch = 1, .tokens = 256, .heads = 2, .dim = 64, .causal = true, .far = true},
         {.batch = 9, .tokens = 2000, .heads = 2, .dim = 64, .kv_heads = 1, .causal = true, .lengths = {0, 1, 130, 131, 131, 700, 828, 1200, 1201, 1990}}});
  return list;
}

// All options together.
Setting drawn(std::uint64_t seed) {
  constexpr std::int64_t kMostProducts = std::int64_t{1} << 23;
  Draw draw(seed);
  Setting s;
  s.batch = draw.between(1, 3);
  s.heads = draw.between(1, 6);
  if (draw.one_in(2)) s.kv_heads = draw.divisor(s.heads);
  s.dim = draw.one_in(3) ? draw.between(1, 256) : 8 * draw.between(1, 32);
  s.tokens = draw.one_in(3) ? 128 * draw.between(1, 3) + draw.between(-2, 2) : draw.between(1, draw.of<std::int64_t>({16, 140, 500}));
  while (s.batch > 1 && s.batch * s.heads * s.tokens * s.tokens * s.dim > kMostProducts) --s.batch;
  while (s.batch * s.heads * s.tokens * s.tokens * s.dim > kMostProducts) s.tokens = std::max<std::int64_t>(1, s.tokens * 3 / 4);
  s.causal = draw.one_in(2);
  if (draw.one_in(2)) s.window = draw.of<std::int64_t>({0, 1, draw.between(0, s.tokens), s.tokens - 1, s.tokens, 1'000'000});
  s.layout = draw.of({Layout::packed, Layout::packed, Layout::qkv, Layout::heads, Layout::odd});
  if (draw.one_in(2)) s.scale = draw.of({1.0, -1.0}) * draw.of({0.01, 0.3, 1.0, 20.0, 1e-3, 0x1p-40, 0x1p-110, 1e-40});
  if (draw.one_in(3)) {
    s.batch = draw.between(1, 6);
    s.lengths.push_back(0);
    for (std::int64_t b = 1; b <= s.batch; ++b)
      s.lengths.push_back(
          static_cast<std::int32_t>(std::min(s.tokens, s.lengths.back() + draw.of<std::int64_t>({0, 1, draw.between(0, s.tokens), s.tokens / s.batch}))));
  }
  // With a mask a NaN leaves elements unspecified that the host gives.
  s.nan = draw.one_in(16) && s.lengths.empty() && !s.causal && s.window < 0;
  s.far = draw.one_in(8);
  return s;
}

// A batch of sequences of one length, and the same sequences by their lengths: with one head the outputs lie alike.
template <class Make>
Case twins(Make make, const adj::Signature& signature, std::uint64_t seed) {
  const Setting batch{.batch = 3, .tokens = 21, .heads = 1, .dim = 8, .causal = true};
  const Setting lengths{.batch = 3, .tokens = 63, .heads = 1, .dim = 8, .causal = true, .lengths = {0, 21, 42, 63}};
  Case c = make(batch, signature, seed);
  Case twin = make(lengths, signature, seed);
  for (std::size_t i = 0; i < twin.problem->contents().size(); ++i)
    if (c.problem->contents()[i].present) twin.problem->contents()[i].data = c.problem->contents()[i].data;
  c.name += ", or by lengths";
  c.twin = std::move(twin.problem);
  return c;
}

template <class Make>
std::vector<Case> cases(Make make, const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> list;
  for (const Setting& s : settings(level)) list.push_back(make(s, signature, ++seed));
  list.push_back(twins(make, signature, ++seed));
  for (std::uint64_t n : {549, 1498, 1588}) {
    list.push_back(make(drawn(n), signature, n));
    list.back().name = fmt::format("seed {} {}", n, list.back().name);
  }
  return list;
}

}  // namespace

std::vector<Case> attention_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases(forward_case, signature, level, seed);
}
std::vector<Case> attention_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases(backward_case, signature, level, seed);
}
Case attention_forward_random(const adj::Signature& signature, std::uint64_t seed) { return forward_case(drawn(seed), signature, seed); }
Case attention_backward_random(const adj::Signature& signature, std::uint64_t seed) { return backward_case(drawn(seed), signature, seed); }

}  // namespace harness
