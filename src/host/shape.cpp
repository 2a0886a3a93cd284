#include "host/shape.hpp"

#include <cstring>

#include "base/dtype.hpp"

namespace adj::host {

void view(const adj_view_descriptor& d, const adj_view_args& a, void*) {
  const auto* from = static_cast<const char*>(a.input.data);
  for (std::int64_t i = 0; i < d.count; ++i) {
    const std::size_t bytes = static_cast<std::size_t>(d.numel[i]) * size_of(d.element);
    if (bytes == 0) continue;
    std::memcpy(a.outputs.data[i], from, bytes);
    from += bytes;
  }
}

void copy(const adj_copy_descriptor& d, const adj_copy_args& a, void*) {
  for (std::int64_t i = 0; i < d.count; ++i) {
    const std::size_t bytes = static_cast<std::size_t>(d.numel[i]) * size_of(d.element);
    if (bytes != 0 && a.inputs.data[i] != a.outputs.data[i]) std::memcpy(a.outputs.data[i], a.inputs.data[i], bytes);
  }
}

}  // namespace adj::host
