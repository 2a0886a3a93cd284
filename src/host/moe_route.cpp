// The router of a mixture of experts on the host (host/moe.hpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/dtype.hpp"
#include "host/moe.hpp"
#include "host/sum.hpp"
#include "host/values.hpp"

namespace adj::host {

namespace {

using Numbers = std::vector<double>;
constexpr double kLeastSum = 1e-20;

bool is_softmax(adj_moe_score score) { return score == ADJ_MOE_SCORE_SOFTMAX || score == ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN; }

// Softmax of which a NaN takes no part; it stays NaN itself.
struct Softmax {
  Numbers p;
  double lse;

  explicit Softmax(Numbers z) : p(std::move(z)) {
    double top = -std::numeric_limits<double>::infinity();
    bool nan = false;
    for (double x : p) {
      if (x > top) top = x;
      nan |= std::isnan(x);
    }
    Sum sum;
    for (double& x : p) {
      x = std::exp(x - top);
      if (!std::isnan(x)) sum.add(x);
    }
    for (double& x : p) x /= sum.value();
    lse = nan ? std::numeric_limits<double>::quiet_NaN() : top + std::log(sum.value());
  }
};

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }
double score_of(adj_moe_score score, double z) {
  return score == ADJ_MOE_SCORE_SIGMOID ? sigmoid(z) : std::sqrt(std::max(z, 0.0) + std::log1p(std::exp(-std::fabs(z))) + (std::isnan(z) ? z : 0));
}
double slope_of(adj_moe_score score, double z, double s) {
  if (score == ADJ_MOE_SCORE_SIGMOID) return s * sigmoid(-z);
  return s == 0 ? 0 : sigmoid(z) / (2 * s);
}
double total(const Numbers& numbers) {
  Sum sum;
  for (double x : numbers) sum.add(x);
  return sum.value();
}

template <class Descriptor>
Numbers logits_of(const Descriptor& d, const adj_tensor& logits, std::int64_t t) {
  const Values values(logits, d.element);
  Numbers z;
  for (std::int64_t e = 0; e < d.num_experts; ++e) z.push_back(values.get(t * d.num_experts + e));
  return z;
}

// Sorts numbers of experts or groups by what they have, the best first: NaN last, of equal ones the lower first.
void sort_by(std::vector<std::size_t>& numbers, const Numbers& of) {
  std::sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) {
    if (std::isnan(of[a]) != std::isnan(of[b])) return std::isnan(of[b]);
    return of[a] > of[b] || (!(of[b] > of[a]) && a < b);
  });
}
std::vector<std::size_t> numbered(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// The chosen experts of a token in descending order, from its logits and scores.
std::vector<std::size_t> choose(const adj_moe_route_descriptor& d, const float* bias, const Numbers& z, const Numbers& s) {
  const auto experts = static_cast<std::size_t>(d.num_experts), top_k = static_cast<std::size_t>(d.top_k);
  Numbers steered = s;
  for (std::size_t e = 0; e < experts && bias; ++e) steered[e] += static_cast<double>(bias[e]);
  auto candidates = numbered(experts);
  if (d.groups > 0) {
    const auto groups = static_cast<std::size_t>(d.groups), top_groups = static_cast<std::size_t>(d.top_groups), size = experts / groups;
    Numbers of_groups(groups);
    for (std::size_t g = 0; g < groups; ++g) {
      std::vector<std::size_t> members(candidates.begin() + static_cast<std::ptrdiff_t>(g * size),
                                       candidates.begin() + static_cast<std::ptrdiff_t>((g + 1) * size));
      sort_by(members, steered);
      for (std::size_t i = 0; i < top_k / top_groups; ++i) of_groups[g] += steered[members[i]];
    }
    auto best = numbered(groups);
    sort_by(best, of_groups);
    best.resize(top_groups);
    std::erase_if(candidates, [&](std::size_t e) { return std::find(best.begin(), best.end(), e / size) == best.end(); });
  }
  sort_by(candidates, bias ? steered : z);
  candidates.resize(top_k);
  return candidates;
}

}  // namespace

void moe_route(const adj_moe_route_descriptor& d, const adj_moe_route_args& a, void*) {
  const auto experts = static_cast<std::size_t>(d.num_experts);
  const auto* bias = static_cast<const float*>(a.expert_bias.data);
  const auto* mask = static_cast<const std::uint8_t*>(a.mask.data);
  auto *chosen_experts = static_cast<std::int32_t*>(a.experts.data), *counts = static_cast<std::int32_t*>(a.counts.data);
  auto* weights = static_cast<float*>(a.weights.data);
  std::fill_n(counts, experts, 0);
  std::vector<Sum> sums(experts);
  Sum squares;
  std::int64_t counted = 0, errors = 0;
  for (std::int64_t t = 0; t < d.tokens; ++t) {
    if (mask && mask[t] == 0) {
      std::fill_n(chosen_experts + t * d.top_k, d.top_k, -1);
      std::fill_n(weights + t * d.top_k, d.top_k, 0.0f);
      continue;
    }
    ++counted;
    const Numbers z = logits_of(d, a.logits, t);
    errors += std::any_of(z.begin(), z.end(), [](double x) { return std::isnan(x); });
    const Softmax all(z);
    Numbers s = all.p;
    if (!is_softmax(d.score)) std::transform(z.begin(), z.end(), s.begin(), [&](double x) { return score_of(d.score, x); });
    const double whole = is_softmax(d.score) ? 1 : total(s);
    for (std::size_t e = 0; e < experts; ++e) sums[e].add(s[e] / whole);
    squares.add(all.lse * all.lse);
    if (d.score == ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN) s = z;
    const auto chosen = choose(d, bias, z, s);
    Numbers w;
    for (std::size_t e : chosen) w.push_back(s[e]);
    if (d.score == ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN) {
      double top = -std::numeric_limits<double>::infinity();
      for (double x : w) top = x > top ? x : top;
      for (double& x : w) x = std::exp(x - top);
    }
    const double sum = d.score == ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN ? total(w) : d.normalise && d.top_k > 1 ? total(w) + kLeastSum : 1;
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      ++counts[chosen[j]];
      chosen_experts[static_cast<std::size_t>(t * d.top_k) + j] = static_cast<std::int32_t>(chosen[j]);
      weights[static_cast<std::size_t>(t * d.top_k) + j] = static_cast<float>(d.scale * (w[j] / sum));
    }
  }
  if (a.error_flag.data) *static_cast<std::int64_t*>(a.error_flag.data) += errors;
  if (!d.has_losses) return;
  *static_cast<std::int64_t*>(a.counted.data) = counted;
  double loss = 0;
  if (counted > 0) {
    const auto tokens = static_cast<double>(counted);
    Sum balance;
    for (std::size_t e = 0; e < experts; ++e) balance.add(counts[e] * sums[e].value());
    if (d.balance != 0) loss += d.balance * static_cast<double>(d.num_experts) / static_cast<double>(d.top_k) / tokens / tokens * balance.value();
    if (d.z_loss != 0) loss += d.z_loss / tokens * squares.value();
  }
  *static_cast<float*>(a.loss.data) = static_cast<float>(loss);
}

void moe_route_backward(const adj_moe_route_backward_descriptor& d, const adj_moe_route_backward_args& a, void*) {
  const auto experts = static_cast<std::size_t>(d.num_experts);
  const auto *chosen_experts = static_cast<const std::int32_t*>(a.experts.data), *counts = static_cast<const std::int32_t*>(a.counts.data);
  const auto* dweights = static_cast<const float*>(a.dweights.data);
  const Values dlogits(a.dlogits, d.element);
  double balance = 0, z_loss = 0;
  if (const std::int64_t counted = d.has_losses ? *static_cast<const std::int64_t*>(a.counted.data) : 0; counted > 0) {
    const auto tokens = static_cast<double>(counted), dloss = static_cast<double>(*static_cast<const float*>(a.dloss.data));
    balance = dloss * d.balance * static_cast<double>(d.num_experts) / static_cast<double>(d.top_k) / tokens / tokens;
    z_loss = dloss * d.z_loss * 2 / tokens;
  }
  for (std::int64_t t = 0; t < d.tokens; ++t) {
    const std::int32_t* own = chosen_experts + t * d.top_k;
    Numbers dz(experts);
    if (own[0] >= 0 && own[0] < d.num_experts) {
      const Numbers z = logits_of(d, a.logits, t);
      Numbers g(experts);
      std::vector<std::size_t> chosen;
      for (std::int64_t j = 0; j < d.top_k; ++j) {
        if (own[j] < 0 || own[j] >= d.num_experts) continue;
        const auto e = static_cast<std::size_t>(own[j]);
        g[e] += d.scale * static_cast<double>(dweights[t * d.top_k + j]);
        if (std::find(chosen.begin(), chosen.end(), e) == chosen.end()) chosen.push_back(e);
      }
      const auto over_chosen = [&](auto term) {
        Sum sum;
        for (std::size_t e : chosen) sum.add(term(e));
        return sum.value();
      };
      const Softmax all(z);
      Numbers s = all.p, slope(experts);
      if (!is_softmax(d.score))
        for (std::size_t e = 0; e < experts; ++e) s[e] = score_of(d.score, z[e]), slope[e] = slope_of(d.score, z[e], s[e]);
      if (d.score == ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN) {
        Numbers of_chosen;
        for (std::size_t e : chosen) of_chosen.push_back(z[e]);
        const Softmax part(of_chosen);
        Sum dot;
        for (std::size_t i = 0; i < chosen.size(); ++i) dot.add(part.p[i] * g[chosen[i]]);
        for (std::size_t i = 0; i < chosen.size(); ++i) dz[chosen[i]] = part.p[i] * (g[chosen[i]] - dot.value());
      } else {
        if (d.normalise && d.top_k > 1) {
          const double sum = over_chosen([&](std::size_t e) { return s[e]; }) + kLeastSum, dot = over_chosen([&](std::size_t e) { return s[e] / sum * g[e]; });
          for (std::size_t e : chosen) g[e] = (g[e] - dot) / sum;
        }
        if (d.score == ADJ_MOE_SCORE_SOFTMAX) {
          const double dot = over_chosen([&](std::size_t e) { return s[e] * g[e]; });
          for (std::size_t e = 0; e < experts; ++e) dz[e] = s[e] * (g[e] - dot);
        } else {
          for (std::size_t e : chosen) dz[e] = g[e] * slope[e];
        }
      }
      if (z_loss != 0)
        for (std::size_t e = 0; e < experts; ++e) dz[e] += z_loss * all.lse * all.p[e];
      if (balance != 0) {
        const double whole = is_softmax(d.score) ? 1 : total(s);
        Sum dot;
        for (std::size_t e = 0; e < experts; ++e) dot.add(s[e] / whole * counts[e]);
        for (std::size_t e = 0; e < experts; ++e) dz[e] += balance * (is_softmax(d.score) ? s[e] : slope[e]) / whole * (counts[e] - dot.value());
      }
    }
    for (std::size_t e = 0; e < experts; ++e) dlogits.set(t * d.num_experts + static_cast<std::int64_t>(e), dz[e]);
  }
}

}  // namespace adj::host
