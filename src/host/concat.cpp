#include "host/concat.hpp"

#include <cstring>

#include "base/dtype.hpp"

namespace adj::host {

namespace {

// Calls copy(piece, offset in the piece, offset in the joint tensor, bytes) for every row of every piece.
template <class Descriptor, class Copy>
void for_each_row(const Descriptor& d, Copy copy) {
  const std::size_t step = static_cast<std::size_t>(d.inner) * size_of(d.element);
  std::size_t joint = 0;
  for (std::int64_t p = 0; p < d.outer; ++p)
    for (std::int64_t i = 0; i < d.count; ++i) {
      const std::size_t bytes = static_cast<std::size_t>(d.lengths[i]) * step;
      if (bytes) copy(i, static_cast<std::size_t>(p) * bytes, joint, bytes);
      joint += bytes;
    }
}

}  // namespace

void concat(const adj_concat_descriptor& d, const adj_concat_args& a, void*) {
  for_each_row(d, [&](std::int64_t i, std::size_t piece, std::size_t joint, std::size_t bytes) {
    std::memcpy(static_cast<char*>(a.output.data) + joint, static_cast<const char*>(a.inputs.data[i]) + piece, bytes);
  });
}

void split(const adj_split_descriptor& d, const adj_split_args& a, void*) {
  for_each_row(d, [&](std::int64_t i, std::size_t piece, std::size_t joint, std::size_t bytes) {
    std::memcpy(static_cast<char*>(a.outputs.data[i]) + piece, static_cast<const char*>(a.input.data) + joint, bytes);
  });
}

}  // namespace adj::host
