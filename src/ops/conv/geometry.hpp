// Convolution problems in the words of kernels/conv/README.md: from a big tensor to a small one, for every backend.
#pragma once

#include "ops/gemm/gemm.hpp"
#include "kernels/conv/params.h"
#include "ops/common/shapes.hpp"

namespace adj::conv {

using namespace gemm;

// Dimension i of a shape in the order [outer, channels, spatial...], whatever its layout.
inline std::int64_t dim(const adj_shape& s, bool channels_last, int i) {
  if (i == 0) return s.dims[0];
  if (i == 1) return s.dims[channels_last ? s.rank - 1 : 1];
  return s.dims[channels_last ? i - 1 : i];
}

inline std::int64_t entry(const adj_axes& list, int i, std::int64_t otherwise) { return list.count > 0 ? list.at[i] : otherwise; }

enum ConvRole { kSmallFromBig, kBigFromSmall, kWeightGradient };

// A convolution from `big` to `small`. Spatial dimensions that the problem does not have come first, with extent 1.
struct Geometry {
  const adj_shape *big, *small, *weight;
  bool last;
  std::int64_t groups, batch, big_channels, small_channels;  // big_channels, small_channels: of one group
  std::int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, pad[3] = {0, 0, 0}, taps[3] = {1, 1, 1};
  std::int64_t big_extent[3] = {1, 1, 1}, small_extent[3] = {1, 1, 1};

  template <class Descriptor>
  Geometry(const Descriptor& d, bool transposed)
      : big(transposed ? &d.out : &d.input),
        small(transposed ? &d.input : &d.out),
        weight(&d.weight),
        last(d.channels_last != 0),
        groups(d.groups),
        batch(d.input.dims[0]),
        big_channels(dim(*big, last, 1) / groups),
        small_channels(dim(*small, last, 1) / groups) {
    const int spatial = static_cast<int>(d.input.rank) - 2;
    for (int i = 0; i < spatial; ++i) {
      const int to = 3 - spatial + i;
      stride[to] = entry(d.strides, i, 1);
      dilation[to] = entry(d.dilations, i, 1);
      pad[to] = entry(d.pads, i, 0);
      taps[to] = dim(*weight, last, 2 + i);
      big_extent[to] = dim(*big, last, 2 + i);
      small_extent[to] = dim(*small, last, 2 + i);
    }
  }
  std::int64_t all_taps() const { return volume_of(taps); }
  std::int64_t places(bool of_big) const { return volume_of(of_big ? big_extent : small_extent); }
  std::int64_t channels(bool of_big) const { return of_big ? big_channels : small_channels; }

  GemmTensor tensor(bool of_big) const {
    const std::int64_t* const extent = of_big ? big_extent : small_extent;
    const std::int64_t own = channels(of_big), unit = last ? own * groups : 1;
    GemmTensor t{};
    t.batch = places(of_big) * own * groups;
    t.group = own * (last ? 1 : places(of_big));
    t.channel = static_cast<int>(last ? 1 : places(of_big));
    t.unit = static_cast<int>(unit);
    std::int64_t pitch = unit;
    for (int i = 2; i >= 0; --i) {
      t.place[i] = static_cast<int>(pitch);
      t.extent[i] = static_cast<int>(extent[i]);
      pitch *= extent[i];
    }
    return t;
  }
  Result<void> check() const {
    for (bool of_big : {true, false}) {
      const std::int64_t image = places(of_big) * channels(of_big) * groups;
      if (places(of_big) > 0 && channels(of_big) > 0 && image / places(of_big) / groups != channels(of_big))
        return fail(ADJ_ERROR_UNSUPPORTED, "takes images of fewer than 2^31 elements");
      if (image > kMost) return fail(ADJ_ERROR_UNSUPPORTED, "takes images of at most {} elements, has {}", kMost, image);
      if (batch > 0 && places(of_big) > kMost / batch)
        return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} places of all images, has {} times {}", kMost, batch, places(of_big));
      if (channels(of_big) > 0 && all_taps() > kMost / channels(of_big))
        return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} products of an element, has {} times {}", kMost, channels(of_big), all_taps());
    }
    return {};
  }
};

}  // namespace adj::conv
