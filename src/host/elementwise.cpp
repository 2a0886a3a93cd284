#include "host/elementwise.hpp"

#include <algorithm>
#include <vector>

#include "base/dtype.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

// Extent of `s` in dimension i of a broadcast shape of `rank` dimensions; 1 when `s` has no such dimension.
std::int64_t dim(const adj_shape& s, std::int64_t rank, std::int64_t i) {
  const std::int64_t own = i - (rank - s.rank);
  return own < 0 ? 1 : s.dims[own];
}
std::int64_t volume(const adj_shape& s) {
  std::int64_t v = 1;
  for (std::int64_t i = 0; i < s.rank; ++i) v *= s.dims[i];
  return v;
}

}  // namespace

void div_backward(const adj_div_backward_descriptor& d, const adj_div_backward_args& args, void*) {
  const std::int64_t rank = std::max(d.a_shape.rank, d.b_shape.rank);
  std::vector<std::int64_t> shape, index(static_cast<std::size_t>(rank));
  std::int64_t count = 1;
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t a = dim(d.a_shape, rank, i), b = dim(d.b_shape, rank, i);
    shape.push_back(a == 1 ? b : a);
    count *= shape.back();
  }
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    std::vector<Sum> da(d.skip_da ? 0 : static_cast<std::size_t>(volume(d.a_shape))), db(d.skip_db ? 0 : static_cast<std::size_t>(volume(d.b_shape)));
    for (std::int64_t at = 0; at < count; ++at) {
      std::int64_t in_a = 0, in_b = 0;
      for (std::int64_t i = 0; i < rank; ++i) {
        const std::int64_t a = dim(d.a_shape, rank, i), b = dim(d.b_shape, rank, i), k = index[static_cast<std::size_t>(i)];
        in_a = in_a * a + (a == 1 ? 0 : k);
        in_b = in_b * b + (b == 1 ? 0 : k);
      }
      const double quotient = to_double(static_cast<const T*>(args.dout.data)[at]) / to_double(static_cast<const T*>(args.b.data)[in_b]);
      if (!d.skip_da) da[static_cast<std::size_t>(in_a)].add(quotient);
      if (!d.skip_db)
        db[static_cast<std::size_t>(in_b)].add(-quotient *
                                               (to_double(static_cast<const T*>(args.a.data)[in_a]) / to_double(static_cast<const T*>(args.b.data)[in_b])));
      for (std::size_t i = index.size(); i-- > 0;) {
        if (++index[i] < shape[i]) break;
        index[i] = 0;
      }
    }
    for (std::size_t i = 0; i < da.size(); ++i) static_cast<T*>(args.da.data)[i] = from_double<T>(da[i].value());
    for (std::size_t i = 0; i < db.size(); ++i) static_cast<T*>(args.db.data)[i] = from_double<T>(db[i].value());
  });
}

}  // namespace adj::host
