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

void copy_list(std::span<const std::int64_t> numel, adj_dtype element, const adj_tensor_list& from, const adj_tensor_list& to) {
  for (std::size_t i = 0; i < numel.size(); ++i) {
    const std::size_t bytes = static_cast<std::size_t>(numel[i]) * size_of(element);
    if (bytes != 0 && from.data[i] != to.data[i]) std::memcpy(to.data[i], from.data[i], bytes);
  }
}

void copy(const adj_copy_descriptor& d, const adj_copy_args& a, void*) {
  copy_list({d.numel, static_cast<std::size_t>(d.count)}, d.element, a.inputs, a.outputs);
}

void transpose(const adj_transpose_descriptor& d, const adj_transpose_args& a, void*) {
  const std::size_t size = size_of(d.element);
  const auto* from = static_cast<const char*>(a.input.data);
  auto* to = static_cast<char*>(a.output.data);
  for (std::int64_t b = 0; b < d.batch; ++b)
    for (std::int64_t c = 0; c < d.columns; ++c)
      for (std::int64_t r = 0; r < d.rows; ++r, to += size) std::memcpy(to, from + static_cast<std::size_t>((b * d.rows + r) * d.columns + c) * size, size);
}

}  // namespace adj::host
