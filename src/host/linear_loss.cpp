#include "host/linear_loss.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/blocks.hpp"
#include "host/loss.hpp"
#include "host/parallel.hpp"
#include "host/sum.hpp"
#include "host/values.hpp"

namespace adj::host {

namespace {

constexpr double kTermNanoseconds = 1;  // rough cost of a term of a product

adj_tensor tensor_of(std::vector<double>& v) {
  adj_tensor t;
  t.data = v.data();
  t.dtype = ADJ_F64;
  return t;
}
adj_tensor from_row(const adj_tensor& tensor, std::int64_t row, adj_dtype dtype) {
  adj_tensor t = tensor;
  if (t.data) t.data = static_cast<std::byte*>(t.data) + row * size_of(dtype);
  return t;
}

// The layer and its gradients, in f64: a block of rows at a time. softcap 0: none.
class Layer {
 public:
  template <class Descriptor>
  Layer(const Descriptor& d, const adj_tensor& input, const adj_tensor& weight, const adj_tensor& bias, double softcap)
      : samples_(d.samples), hidden_(d.hidden), classes_(d.num_classes), temperature_(d.temperature), softcap_(softcap), element_(d.element), input_(input) {
    weight_.resize(static_cast<std::size_t>(classes_ * hidden_));
    read(weight_.data(), weight.data, element_, 0, classes_ * hidden_);
    bias_.resize(static_cast<std::size_t>(classes_));
    if (bias.data) read(bias_.data(), bias.data, element_, 0, classes_);
  }

  // Calls use(first, rows, z) for blocks of rows, with their scores in z. With dinput, `use` leaves the gradient of the scores there, and what follows from it
  // is written and added.
  template <class Use>
  void each(const adj_tensor* dinput, Use use) {
    const std::int64_t at_once = std::clamp<std::int64_t>((1 << 22) / classes_, 1, 1024);
    if (dinput) {
      dweight_.resize(weight_.size());
      dbias_.resize(bias_.size());
    }
    for (std::int64_t first = 0; first < samples_; first += at_once) {
      const std::int64_t rows = std::min(at_once, samples_ - first);
      x_.resize(static_cast<std::size_t>(rows * hidden_));
      read(x_.data(), input_.data, element_, first * hidden_, rows * hidden_);
      z_.resize(static_cast<std::size_t>(rows * classes_));
      parallel_for(rows, static_cast<double>(classes_ * hidden_) * kTermNanoseconds, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i)
          for (std::int64_t c = 0; c < classes_; ++c) {
            double sum = 0;
            for (std::int64_t h = 0; h < hidden_; ++h) sum += x(i, h) * weight(c, h);
            const double score = sum / temperature_ + bias_[static_cast<std::size_t>(c)];
            z(i, c) = softcap_ > 0 ? softcap_ * std::tanh(score / softcap_) : score;
          }
      });
      capped_ = softcap_ > 0 && dinput ? z_ : std::vector<double>();
      use(first, rows, z_);
      if (dinput) add_gradients(first, rows, *dinput);
    }
  }
  // Rows that add nothing to the gradients of the weights.
  std::vector<bool> left_out{};

  void store(const adj_tensor& dweight, const adj_tensor& dbias, adj_dtype type, bool accumulate, std::int64_t padded) const {
    const Values weights(dweight, type), biases(dbias, type);
    for (std::int64_t i = 0; i < classes_ * hidden_; ++i) weights.set(i, at(dweight_, i).value() + (accumulate ? weights.get(i) : 0));
    for (std::int64_t c = 0; biases.given() && c < classes_; ++c) biases.set(c, at(dbias_, c).value() + (accumulate ? biases.get(c) : 0));
    if (accumulate) return;
    for (std::int64_t i = classes_ * hidden_; i < padded * hidden_; ++i) weights.set(i, 0);
    for (std::int64_t c = classes_; biases.given() && c < padded; ++c) biases.set(c, 0);
  }

 private:
  static Sum at(const std::vector<Sum>& sums, std::int64_t i) { return sums.empty() ? Sum() : sums[static_cast<std::size_t>(i)]; }
  double x(std::int64_t i, std::int64_t h) const { return x_[static_cast<std::size_t>(i * hidden_ + h)]; }
  double weight(std::int64_t c, std::int64_t h) const { return weight_[static_cast<std::size_t>(c * hidden_ + h)]; }
  double& z(std::int64_t i, std::int64_t c) { return z_[static_cast<std::size_t>(i * classes_ + c)]; }

  // z_ holds the gradient of the capped scores.
  void add_gradients(std::int64_t first, std::int64_t rows, const adj_tensor& dinput) {
    if (!capped_.empty())
      for (std::size_t i = 0; i < z_.size(); ++i) {
        const double t = capped_[i] / softcap_;
        if (z_[i] != 0) z_[i] *= 1 - t * t;
      }
    const Values out(dinput, element_);
    parallel_for(rows, static_cast<double>(classes_ * hidden_) * kTermNanoseconds, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i)
        for (std::int64_t h = 0; h < hidden_; ++h) {
          double sum = 0;
          for (std::int64_t c = 0; c < classes_; ++c) sum += z(i, c) * weight(c, h);
          out.set((first + i) * hidden_ + h, sum / temperature_);
        }
    });
    parallel_for(classes_, static_cast<double>(rows * hidden_) * kTermNanoseconds, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t c = from; c < to; ++c)
        for (std::int64_t i = 0; i < rows; ++i) {
          if (left_out[static_cast<std::size_t>(first + i)]) continue;
          dbias_[static_cast<std::size_t>(c)].add(z(i, c));
          for (std::int64_t h = 0; h < hidden_; ++h) dweight_[static_cast<std::size_t>(c * hidden_ + h)].add(z(i, c) * x(i, h) / temperature_);
        }
    });
  }

  std::int64_t samples_, hidden_, classes_;
  double temperature_, softcap_;
  adj_dtype element_;
  const adj_tensor& input_;
  std::vector<double> weight_, bias_, x_, z_, capped_;
  std::vector<Sum> dweight_, dbias_;
};

// The labels of a problem: those that are outside of the classes, and the sum of the weights of the others.
template <class Descriptor>
struct Labels {
  std::vector<bool> invalid, ignored;
  double weights = 0;
  Labels(const Descriptor& d, const adj_tensor& labels, const adj_tensor* weight = nullptr, adj_dtype type = {}) {
    Sum sum;
    for (std::int64_t i = 0; i < d.samples; ++i) {
      const std::int64_t label = d.label == ADJ_I32 ? static_cast<const std::int32_t*>(labels.data)[i] : static_cast<const std::int64_t*>(labels.data)[i];
      ignored.push_back(d.has_ignore_index && label == d.ignore_index);
      invalid.push_back(!ignored.back() && (label < 0 || label >= d.num_classes));
      if (!ignored.back() && !invalid.back()) sum.add(type ? Values(*weight, type).get(label) : 1);
    }
    weights = sum.value();
  }
};
bool is_mean(adj_reduction reduction) { return reduction == ADJ_REDUCTION_DEFAULT || reduction == ADJ_REDUCTION_MEAN; }

template <class Descriptor>
adj_cross_entropy_with_gradient_descriptor of_rows(const Descriptor& d, std::int64_t rows) {
  adj_cross_entropy_with_gradient_descriptor own;
  own.samples = rows;
  own.num_classes = d.num_classes;
  own.ignore_index = d.ignore_index;
  own.has_ignore_index = d.has_ignore_index;
  own.label_smoothing = d.label_smoothing;
  own.z_loss = d.z_loss;
  own.reduction = ADJ_REDUCTION_NONE;
  own.element = ADJ_F64;
  own.label = d.label;
  own.weight = d.weight;
  return own;
}

// Losses of rows with their gradient in place of the scores; `factor` is that of the gradient.
template <class Descriptor, class Args>
void losses_of(const Descriptor& d, const Args& a, std::int64_t first, std::int64_t rows, std::vector<double>& z, double factor, std::vector<double>& losses,
               std::vector<double>& lse) {
  losses.resize(static_cast<std::size_t>(rows));
  lse.resize(static_cast<std::size_t>(rows));
  adj_cross_entropy_with_gradient_args own;
  own.scores = own.dscores = tensor_of(z);
  own.labels = from_row(a.labels, first, d.label);
  own.weight = a.weight;
  own.dloss.value = factor;
  own.loss = tensor_of(losses);
  own.lse = tensor_of(lse);
  own.error_flag = a.error_flag;
  cross_entropy_with_gradient(of_rows(d, rows), own, nullptr);
}

}  // namespace

void linear_cross_entropy(const adj_linear_cross_entropy_descriptor& d, const adj_linear_cross_entropy_args& a, void*) {
  const Labels labels(d, a.labels, &a.weight, d.weight);
  Layer layer(d, a.input, a.linear_weight, a.bias, d.softcap);
  layer.left_out = labels.invalid;
  const double dloss = a.dloss.device ? load_scalar(a.dloss.device, a.dloss.dtype) : a.dloss.value;
  const double inverse = !is_mean(d.reduction) ? 1 : labels.weights != 0 ? 1 / labels.weights : 0;
  const Values loss(a.loss, ADJ_F32), all_lse(a.lse, ADJ_F32);
  Sum total;
  std::vector<double> losses, lse;
  layer.each(d.with_gradient ? &a.dinput : nullptr, [&](std::int64_t first, std::int64_t rows, std::vector<double>& z) {
    losses_of(d, a, first, rows, z, dloss * inverse, losses, lse);
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (all_lse.given()) all_lse.set(first + i, lse[at]);
      if (d.reduction == ADJ_REDUCTION_NONE) loss.set(first + i, losses[at]);
      else total.add(losses[at]);
    }
  });
  if (d.reduction != ADJ_REDUCTION_NONE) loss.set(0, total.value() * inverse);
  if (d.with_gradient)
    layer.store(a.dlinear_weight, a.dbias, d.gradient ? d.gradient : d.element, d.write_mode == ADJ_WRITE_ACCUMULATE,
                d.padded_classes ? d.padded_classes : d.num_classes);
}

void linear_cross_entropy_backward(const adj_linear_cross_entropy_backward_descriptor& d, const adj_linear_cross_entropy_backward_args& a, void*) {
  const Labels labels(d, a.labels, &a.weight, d.weight);
  Layer layer(d, a.input, a.linear_weight, a.bias, d.softcap);
  layer.left_out = labels.invalid;
  const Values dloss(a.dloss, ADJ_F32);
  const double inverse = !is_mean(d.reduction) ? 1 : labels.weights != 0 ? 1 / labels.weights : 0;
  std::vector<double> losses, lse;
  layer.each(&a.dinput, [&](std::int64_t first, std::int64_t rows, std::vector<double>& z) {
    losses_of(d, a, first, rows, z, 1, losses, lse);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (labels.ignored[static_cast<std::size_t>(first + i)]) continue;
      const double factor = dloss.get(d.reduction == ADJ_REDUCTION_NONE ? first + i : 0) * inverse;
      for (std::int64_t c = 0; c < d.num_classes; ++c) z[static_cast<std::size_t>(i * d.num_classes + c)] *= factor;
    }
  });
  layer.store(a.dlinear_weight, a.dbias, d.gradient ? d.gradient : d.element, d.write_mode == ADJ_WRITE_ACCUMULATE,
              d.padded_classes ? d.padded_classes : d.num_classes);
}

void linear_log_prob(const adj_linear_log_prob_descriptor& d, const adj_linear_log_prob_args& a, void*) {
  Layer layer(d, a.input, a.linear_weight, {}, 0);
  const Values log_prob(a.log_prob, ADJ_F32), entropy(a.entropy, ADJ_F32), lse(a.lse, ADJ_F32);
  layer.each(nullptr, [&](std::int64_t first, std::int64_t rows, std::vector<double>& z) {
    adj_log_prob_entropy_descriptor own;
    own.samples = rows;
    own.num_classes = d.num_classes;
    own.ignore_index = d.ignore_index;
    own.has_ignore_index = d.has_ignore_index;
    own.element = ADJ_F64;
    own.label = d.label;
    std::vector<double> of_label(static_cast<std::size_t>(rows)), of_row = of_label, sums = of_label;
    adj_log_prob_entropy_args args;
    args.scores = tensor_of(z);
    args.labels = from_row(a.labels, first, d.label);
    args.log_prob = tensor_of(of_label);
    args.entropy = tensor_of(of_row);
    args.lse = tensor_of(sums);
    args.error_flag = a.error_flag;
    log_prob_entropy(own, args, nullptr);
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      log_prob.set(first + i, of_label[at]);
      if (entropy.given()) entropy.set(first + i, of_row[at]);
      if (lse.given()) lse.set(first + i, sums[at]);
    }
  });
}

void linear_log_prob_backward(const adj_linear_log_prob_backward_descriptor& d, const adj_linear_log_prob_backward_args& a, void*) {
  const Labels labels(d, a.labels);
  Layer layer(d, a.input, a.linear_weight, {}, 0);
  layer.left_out = labels.invalid;
  auto numbers = [](const adj_tensor& tensor, std::int64_t first, std::int64_t rows) {
    std::vector<double> v(static_cast<std::size_t>(rows));
    if (tensor.data) read(v.data(), tensor.data, ADJ_F32, first, rows);
    return v;
  };
  layer.each(&a.dinput, [&](std::int64_t first, std::int64_t rows, std::vector<double>& z) {
    adj_log_prob_entropy_backward_descriptor own;
    own.samples = rows;
    own.num_classes = d.num_classes;
    own.ignore_index = d.ignore_index;
    own.has_ignore_index = d.has_ignore_index;
    own.with_entropy = d.with_entropy;
    own.element = ADJ_F64;
    own.label = d.label;
    auto dlog_prob = numbers(a.dlog_prob, first, rows), dentropy = numbers(a.dentropy, first, rows), lse = numbers(a.lse, first, rows),
         entropy = numbers(a.entropy, first, rows);
    adj_log_prob_entropy_backward_args args;
    args.dlog_prob = tensor_of(dlog_prob);
    args.dentropy = tensor_of(dentropy);
    args.scores = args.dscores = tensor_of(z);
    args.labels = from_row(a.labels, first, d.label);
    args.lse = tensor_of(lse);
    args.entropy = tensor_of(entropy);
    args.error_flag = a.error_flag;
    log_prob_entropy_backward(own, args, nullptr);
  });
  layer.store(a.dlinear_weight, {}, d.gradient ? d.gradient : d.element, d.write_mode == ADJ_WRITE_ACCUMULATE, d.num_classes);
}

}  // namespace adj::host
