// Elements of a buffer whose type is known at run time only, some at a time as f64.
#pragma once

#include <adjoint/types.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/dtype.hpp"

namespace adj::host {

// Elements that are processed at a time; read() and write() convert.
constexpr std::int64_t kBlock = 512;
using Block = std::array<double, kBlock>;

// Elements first, first + stride and so on of `data`.
template <class To>
void read(To* block, const void* data, adj_dtype dtype, std::int64_t first, std::int64_t count, std::int64_t stride = 1) {
  with_float(dtype, [&](auto* type) {
    const auto* from = static_cast<decltype(type)>(const_cast<void*>(data)) + first;
    if (stride == 1)
      for (std::int64_t i = 0; i < count; ++i) block[i] = from_double<To>(to_double(from[i]));
    else
      for (std::int64_t i = 0; i < count; ++i) block[i] = from_double<To>(to_double(from[i * stride]));
  });
}
template <class From>
void write(const From* block, void* data, adj_dtype dtype, std::int64_t first, std::int64_t count, std::int64_t stride = 1) {
  with_float(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    T* to = static_cast<T*>(data) + first;
    if (stride == 1)
      for (std::int64_t i = 0; i < count; ++i) to[i] = from_double<T>(to_double(block[i]));
    else
      for (std::int64_t i = 0; i < count; ++i) to[i * stride] = from_double<T>(to_double(block[i]));
  });
}
template <class To>
void read(std::array<To, kBlock>& block, const void* data, adj_dtype dtype, std::int64_t first, std::int64_t count) {
  read(block.data(), data, dtype, first, count);
}
template <class From>
void write(const std::array<From, kBlock>& block, void* data, adj_dtype dtype, std::int64_t first, std::int64_t count) {
  write(block.data(), data, dtype, first, count);
}

// Calls each(tensor, first, count) for the blocks of every tensor of a list.
template <class Descriptor, class Each>
void for_blocks(const Descriptor& d, Each each) {
  for (std::int64_t t = 0; t < d.count; ++t)
    for (std::int64_t first = 0; first < d.numel[t]; first += kBlock) each(t, first, std::min(kBlock, d.numel[t] - first));
}

}  // namespace adj::host
