#include "host/reduce.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "base/dtype.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Outputs that each input element belongs to: one, or with segments any number.
class Owners {
 public:
  Owners(const adj_reduce_descriptor& d, const adj_reduce_args& a)
      : d_(d), reduced_(static_cast<std::size_t>(d.shape.rank), d.axes.count == 0 && !d.noop_with_empty_axes), stride_(reduced_.size(), 0) {
    for (std::int64_t i = 0; i < d.axes.count; ++i)
      reduced_[axis_ = static_cast<std::size_t>(d.axes.at[i] < 0 ? d.axes.at[i] + d.shape.rank : d.axes.at[i])] = true;
    for (std::size_t i = reduced_.size(); i-- > 0;) {
      elements_ *= d.shape.dims[i];
      if (reduced_[i] && !segmented()) continue;
      stride_[i] = outputs_;
      outputs_ *= static_cast<std::size_t>(reduced_[i] ? d.segments : d.shape.dims[i]);
    }
    if (segmented()) find_segments(a);
  }
  std::size_t outputs() const { return outputs_; }
  std::int64_t bad_segments() const { return bad_; }

  // Calls each(output, element); each output gets its elements in order.
  template <class Each>
  void for_each(Each each) const {
    if (segmented()) {
      const auto extent = static_cast<std::size_t>(d_.shape.dims[axis_]), inner = stride_[axis_], whole = extent * inner;
      const std::size_t outer = whole ? static_cast<std::size_t>(elements_) / whole : 0, rows = static_cast<std::size_t>(d_.segments);
      for (std::size_t n = 0; n < outer; ++n)
        for (std::size_t s = 0; s < rows; ++s)
          for (std::size_t i = segments_[s].first; i < segments_[s].second; ++i)
            for (std::size_t k = 0; k < inner; ++k) each((n * rows + s) * inner + k, n * whole + i * inner + k);
      return;
    }
    std::vector<std::int64_t> index(reduced_.size(), 0);
    for (std::size_t e = 0; e < static_cast<std::size_t>(elements_); ++e) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < index.size(); ++i)
        if (!reduced_[i]) at += stride_[i] * static_cast<std::size_t>(index[i]);
      each(at, e);
      for (std::size_t i = index.size(); i-- > 0;) {
        if (++index[i] < d_.shape.dims[i]) break;
        index[i] = 0;
      }
    }
  }

 private:
  bool segmented() const { return d_.segments >= 0; }
  void find_segments(const adj_reduce_args& a) {
    const auto offset = [&](std::int64_t i) -> std::int64_t {
      return d_.offset == ADJ_I64 ? static_cast<const std::int64_t*>(a.offsets.data)[i] : static_cast<const std::int32_t*>(a.offsets.data)[i];
    };
    for (std::int64_t s = 0; s < d_.segments; ++s) {
      const std::int64_t begin = offset(s), end = offset(s + 1);
      const bool good = 0 <= begin && begin <= end && end <= d_.shape.dims[axis_];
      bad_ += !good;
      segments_.emplace_back(static_cast<std::size_t>(good ? begin : 0), static_cast<std::size_t>(good ? end : 0));
    }
  }

  const adj_reduce_descriptor& d_;
  std::vector<bool> reduced_;
  std::vector<std::size_t> stride_;
  std::size_t axis_ = 0, outputs_ = 1;
  std::int64_t elements_ = 1, bad_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> segments_;  // begin and end of each segment along the axis
};

struct Total {
  Sum sum;
  double most = -kInf, least = kInf, product = 1;
  std::int64_t count = 0;
  bool nan = false;
};

double result_of(adj_reduce_kind kind, const Total& t) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  switch (kind) {
    case ADJ_REDUCE_KIND_MEAN: return t.count ? t.sum.value() / static_cast<double>(t.count) : nan;
    case ADJ_REDUCE_KIND_L2: return std::sqrt(t.sum.value());
    case ADJ_REDUCE_KIND_MAX: return t.nan ? nan : t.most;
    case ADJ_REDUCE_KIND_MIN: return t.nan ? nan : t.least;
    case ADJ_REDUCE_KIND_PROD: return t.product;
    case ADJ_REDUCE_KIND_LOGSUMEXP: return t.nan ? nan : std::isinf(t.most) ? t.most : t.most + std::log(t.sum.value());
    default: return t.sum.value();
  }
}

void reduce_floats(const adj_reduce_descriptor& d, const adj_reduce_args& a, const Owners& owners) {
  const std::size_t size = size_of(d.element);
  auto element = [&](std::size_t i) { return load_scalar(static_cast<const char*>(a.input.data) + i * size, d.element); };
  std::vector<Total> totals(owners.outputs());
  owners.for_each([&](std::size_t o, std::size_t i) {
    Total& t = totals[o];
    const double x = element(i);
    t.nan |= std::isnan(x);
    t.most = std::fmax(t.most, x);
    t.least = std::fmin(t.least, x);
    t.product *= x;
    ++t.count;
    if (d.kind != ADJ_REDUCE_KIND_LOGSUMEXP) t.sum.add(d.kind == ADJ_REDUCE_KIND_SUM_SQUARE || d.kind == ADJ_REDUCE_KIND_L2 ? x * x : x);
  });
  if (d.kind == ADJ_REDUCE_KIND_LOGSUMEXP)
    owners.for_each([&](std::size_t o, std::size_t i) {
      if (Total& t = totals[o]; std::isfinite(t.most)) t.sum.add(std::exp(element(i) - t.most));
    });
  with_float(d.output ? d.output : d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    auto* out = static_cast<T*>(a.output.data);
    for (std::size_t o = 0; o < totals.size(); ++o) {
      if (d.write_mode == ADJ_WRITE_ACCUMULATE) totals[o].sum.add(to_double(out[o]));
      out[o] = from_double<T>(result_of(d.kind, totals[o]));
    }
  });
}

void reduce_integers(const adj_reduce_descriptor& d, const adj_reduce_args& a, const Owners& owners) {
  const auto* in = static_cast<const std::int32_t*>(a.input.data);
  auto* out = static_cast<std::int32_t*>(a.output.data);
  const std::int32_t start = d.kind == ADJ_REDUCE_KIND_MAX    ? std::numeric_limits<std::int32_t>::min()
                             : d.kind == ADJ_REDUCE_KIND_MIN  ? std::numeric_limits<std::int32_t>::max()
                             : d.kind == ADJ_REDUCE_KIND_PROD ? 1
                                                              : 0;
  for (std::size_t o = 0; o < owners.outputs(); ++o) out[o] = start;
  owners.for_each([&](std::size_t o, std::size_t i) {
    std::int32_t& to = out[o];
    const auto x = static_cast<std::uint32_t>(in[i]), had = static_cast<std::uint32_t>(to);
    switch (d.kind) {
      case ADJ_REDUCE_KIND_MAX: to = std::max(to, in[i]); break;
      case ADJ_REDUCE_KIND_MIN: to = std::min(to, in[i]); break;
      case ADJ_REDUCE_KIND_PROD: to = static_cast<std::int32_t>(had * x); break;
      case ADJ_REDUCE_KIND_SUM_SQUARE: to = static_cast<std::int32_t>(had + x * x); break;
      default: to = static_cast<std::int32_t>(had + x); break;
    }
  });
}

}  // namespace

void l2_norm(const adj_l2_norm_descriptor& d, const adj_l2_norm_args& a, void*) {
  const std::size_t size = size_of(d.element);
  std::vector<double> norms;
  bool finite = true;
  with_float(d.output ? d.output : d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for (std::int64_t t = 0; t < d.count; ++t) {
      Norm own;
      for (std::int64_t i = 0; i < d.numel[t]; ++i) {
        const double x = load_scalar(static_cast<const char*>(a.inputs.data[t]) + static_cast<std::size_t>(i) * size, d.element);
        own.add(x);
        finite = finite && std::isfinite(x);
      }
      norms.push_back(own.value());
      if (a.norms.data) static_cast<T*>(a.norms.data)[t] = from_double<T>(own.value());
    }
    *static_cast<T*>(a.output.data) = from_double<T>(norm_of_list(norms));
  });
  if (a.found_inf.data) *static_cast<float*>(a.found_inf.data) = finite ? 0.0f : 1.0f;
}

void reduce(const adj_reduce_descriptor& d, const adj_reduce_args& a, void*) {
  const Owners owners(d, a);
  if (d.element == ADJ_I32) reduce_integers(d, a, owners);
  else reduce_floats(d, a, owners);
  if (a.error_flag.data) *static_cast<std::int64_t*>(a.error_flag.data) += owners.bad_segments();
}

}  // namespace adj::host
