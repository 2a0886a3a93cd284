// Large problems take several threads on the host. Their results must have the bits of the same work done piece by piece.
#include "host/parallel.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <adjoint/ops/embedding.h>
#include <adjoint/ops/loss.h>
#include <doctest/doctest.h>

#include "host/sum.hpp"
#include "support.hpp"

namespace {

using namespace support;

std::vector<double> noise(std::size_t n, int seed) {
  std::mt19937_64 rng(static_cast<std::uint64_t>(seed));
  std::normal_distribution<double> normal;
  std::vector<double> values(n);
  for (double& x : values) x = normal(rng);
  return values;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace

TEST_CASE("parallel_for takes every piece once") {
  for (const std::int64_t count : {0, 1, 2, 17, 1000, 100003})
    for (const double cost : {0.0, 1.0, 1e5, 1e7}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      adj::host::parallel_for(count, cost, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      CHECK(std::all_of(visits.begin(), visits.end(), [](const std::atomic<int>& n) { return n == 1; }));
    }
}

TEST_CASE("sums side by side are those of one after the other") {
  adj::host::Sums<5> together;
  adj::host::Sum alone[5];
  for (int i = 0; i < 1000; ++i) {
    std::vector<double> x = noise(5, i);
    for (double& v : x) v *= std::pow(10.0, i % 40 - 20);
    together.add(5, [&](std::size_t k) { return x[k]; });
    for (std::size_t k = 0; k < 5; ++k) alone[k].add(x[k]);
  }
  for (std::size_t k = 0; k < 5; ++k) CHECK(together.value(k) == alone[k].value());
}

TEST_CASE("a large gradient of an embedding") {
  constexpr std::int64_t kRows = 37, kColumns = 53, kTokens = 20000;  // about 3 ms a row
  adj_embedding_backward_descriptor d;
  d.num_embeddings = kRows, d.embedding_dim = kColumns, d.num_indices = kTokens, d.element = ADJ_F64, d.index = ADJ_I64;
  d.write_mode = ADJ_WRITE_ACCUMULATE;
  d.scale_grad_by_freq = 1;
  std::vector<double> dout = noise(kTokens * kColumns, 1), dweight = noise(kRows * kColumns, 2), expected = dweight;
  std::vector<std::int64_t> indices(kTokens), count(kRows);
  std::mt19937_64 rng(3);
  for (std::int64_t& i : indices) ++count[static_cast<std::size_t>(i = static_cast<std::int64_t>(rng() % kRows * (rng() % 3 > 0)))];
  std::vector<adj::host::Sum> sums(kRows * kColumns);
  for (std::size_t n = 0; n < kTokens; ++n)
    for (std::size_t c = 0; c < kColumns; ++c) sums[static_cast<std::size_t>(indices[n]) * kColumns + c].add(dout[n * kColumns + c]);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (const std::int64_t n = count[i / kColumns]) expected[i] += sums[i].value() / static_cast<double>(n);
  adj_embedding_backward_args a;
  a.dout = tensor(dout), a.indices = tensor(indices), a.dweight = tensor(dweight);
  REQUIRE(run(d, a));
  CHECK(same_bits(dweight, expected));
}

TEST_CASE("a large cross entropy and its gradient") {
  constexpr std::int64_t kSamples = 5000, kClasses = 301;  // about 2.4 us a sample
  std::vector<double> scores = noise(kSamples * kClasses, 4), loss(kSamples), total(1), lse(kSamples), dscores(scores.size()), dloss{1};
  std::vector<std::int64_t> labels(kSamples);
  std::vector<std::int64_t> errors(1);
  std::mt19937_64 rng(5);
  for (std::int64_t& label : labels) label = static_cast<std::int64_t>(rng() % kClasses);
  adj_softmax_cross_entropy_loss_descriptor d;
  d.batch = kSamples, d.num_classes = kClasses, d.element = ADJ_F64, d.label = ADJ_I64, d.reduction = ADJ_REDUCTION_NONE;
  adj_softmax_cross_entropy_loss_args a;
  a.scores = tensor(scores), a.labels = tensor(labels), a.loss = tensor(loss), a.lse = tensor(lse);
  REQUIRE(run(d, a));
  double sum = 0;
  for (const double x : loss) sum += x;
  d.reduction = ADJ_REDUCTION_SUM;
  a.loss = tensor(total);
  REQUIRE(run(d, a));
  CHECK(total[0] == sum);
  d.reduction = ADJ_REDUCTION_MEAN;
  REQUIRE(run(d, a));
  CHECK(total[0] == sum / kSamples);

  adj_softmax_cross_entropy_loss_backward_descriptor b;
  b.batch = kSamples, b.num_classes = kClasses, b.element = ADJ_F64, b.label = ADJ_I64, b.from_scores = 1, b.reduction = ADJ_REDUCTION_SUM;
  adj_softmax_cross_entropy_loss_backward_args g;
  g.dloss = tensor(dloss), g.scores = tensor(scores), g.lse = tensor(lse), g.labels = tensor(labels), g.dscores = tensor(dscores);
  REQUIRE(run(b, g));

  // The same samples in one call each, too small for a second thread.
  std::vector<double> alone(kClasses), gradient(kClasses), one_loss(1), one_lse(1), gradients;
  std::vector<std::int64_t> label(1);
  bool same = true;
  for (std::size_t i = 0; i < kSamples; ++i) {
    alone.assign(scores.begin() + static_cast<std::ptrdiff_t>(i) * kClasses, scores.begin() + static_cast<std::ptrdiff_t>(i + 1) * kClasses);
    label[0] = labels[i];
    d.batch = b.batch = 1;
    d.reduction = ADJ_REDUCTION_NONE;
    a.scores = tensor(alone), a.labels = tensor(label), a.loss = tensor(one_loss), a.lse = tensor(one_lse);
    REQUIRE(run(d, a));
    g.scores = tensor(alone), g.lse = tensor(one_lse), g.labels = tensor(label), g.dscores = tensor(gradient);
    REQUIRE(run(b, g));
    same = same && one_loss[0] == loss[i] && one_lse[0] == lse[i];
    gradients.insert(gradients.end(), gradient.begin(), gradient.end());
  }
  CHECK(same);
  CHECK(same_bits(dscores, gradients));

  // Labels out of range are counted once.
  labels[7] = kClasses, labels[4000] = -1;
  b.batch = kSamples;
  g.scores = tensor(scores), g.lse = tensor(lse), g.labels = tensor(labels), g.dscores = tensor(dscores), g.error_flag = tensor(errors);
  REQUIRE(run(b, g));
  CHECK(errors[0] == 2);
}

TEST_CASE("a large cross entropy with its gradient over the scores") {
  constexpr std::int64_t kSamples = 5000, kClasses = 301;
  const std::vector<double> scores = noise(kSamples * kClasses, 6);
  std::vector<double> over = scores, loss(kSamples), total(1), lse(kSamples), alone(kClasses), one_loss(1), one_lse(1), gradients;
  std::vector<std::int64_t> labels(kSamples), label(1), errors(1);
  std::mt19937_64 rng(7);
  for (std::int64_t& l : labels) l = static_cast<std::int64_t>(rng() % kClasses);
  labels[7] = kClasses, labels[4000] = -1;  // out of range, counted once
  adj_cross_entropy_with_gradient_descriptor d;
  d.samples = kSamples, d.num_classes = kClasses, d.element = ADJ_F64, d.label = ADJ_I64, d.reduction = ADJ_REDUCTION_NONE;
  d.label_smoothing = 0.125, d.z_loss = 0.25;
  adj_cross_entropy_with_gradient_args a;
  a.scores = a.dscores = tensor(over), a.labels = tensor(labels), a.loss = tensor(loss), a.lse = tensor(lse), a.error_flag = tensor(errors);
  REQUIRE(run(d, a));
  CHECK(errors[0] == 2);

  // The same samples in one call each, too small for a second thread.
  bool same = true;
  for (std::size_t i = 0; i < kSamples; ++i) {
    alone.assign(scores.begin() + static_cast<std::ptrdiff_t>(i) * kClasses, scores.begin() + static_cast<std::ptrdiff_t>(i + 1) * kClasses);
    label[0] = labels[i];
    d.samples = 1;
    a.scores = a.dscores = tensor(alone), a.labels = tensor(label), a.loss = tensor(one_loss), a.lse = tensor(one_lse);
    REQUIRE(run(d, a));
    same = same && std::memcmp(&one_loss[0], &loss[i], sizeof(double)) == 0 && one_lse[0] == lse[i];
    gradients.insert(gradients.end(), alone.begin(), alone.end());
  }
  CHECK(same);
  CHECK(same_bits(over, gradients));

  // The sum of the losses is taken in order.
  labels[7] = labels[4000] = 0;
  over = scores;
  adj::host::Sum sum;
  d.samples = kSamples;
  a.scores = a.dscores = tensor(over), a.labels = tensor(labels), a.loss = tensor(loss), a.lse = tensor(lse);
  REQUIRE(run(d, a));
  for (const double x : loss) sum.add(x);
  over = scores;
  d.reduction = ADJ_REDUCTION_SUM;
  a.loss = tensor(total);
  REQUIRE(run(d, a));
  CHECK(total[0] == sum.value());
}
