// Computes: a copy of 16-bit elements with channels last, those of every group filled up to whole units of 16 bytes with zeros.
// Work split: a block has 64 places and 64 channels of a group of an image.
// Memory: read once, in single elements next to each other; written once, 16 bytes at a time. Two channels share a word of shared memory,
// whose rows are an odd number of words apart, so that both ways through it meet all banks.
// Order of additions: none.
// Limits: tiles below 2^31, checked by the plan.
#include "prelude/divide.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#include "conv/params.h"

constexpr int kPairs = kPackTile / 2, kPitch = kPairs + 1, kUnits = kPackTile / kCoresUnit;

extern "C" __global__ void __launch_bounds__(kPackThreads) ADJ_ENTRY(const __grid_constant__ ConvPackParams p) {
  ADJ_SHARED(u32, words, kPackTile * kPitch);
  const int t = thread_index();
  i64 tile = block_index();
  const int first_channel = static_cast<int>(tile % p.channel_tiles) * kPackTile;
  tile /= p.channel_tiles;
  const int first_place = static_cast<int>(tile % p.place_tiles) * kPackTile;
  tile /= p.place_tiles;
  const i64 group = tile % p.groups, image = tile / p.groups;
  const u16* const from = static_cast<const u16*>(p.from) + image * p.image + group * p.group;

  u32 loaded[kPackTile * kPairs / kPackThreads];
#pragma unroll
  for (int k = 0; k < kPackTile * kPairs / kPackThreads; ++k) {
    const int e = t + k * kPackThreads;
    const int place = first_place + (p.along_channels ? e / kPairs : e % kPackTile);
    const int channel = first_channel + 2 * (p.along_channels ? e % kPairs : e / kPackTile);
    const u16* const at = from + place * p.place + channel * p.channel;
    loaded[k] = 0;
    if (place < p.places && channel < p.channels) loaded[k] = at[0];
    if (place < p.places && channel + 1 < p.channels) loaded[k] |= static_cast<u32>(at[p.channel]) << 16;
  }
#pragma unroll
  for (int k = 0; k < kPackTile * kPairs / kPackThreads; ++k) {
    const int e = t + k * kPackThreads;
    words[(p.along_channels ? e / kPairs : e % kPackTile) * kPitch + (p.along_channels ? e % kPairs : e / kPackTile)] = loaded[k];
  }
  block_barrier();
  Words4* const to = static_cast<Words4*>(p.to) + image * p.to_image + group * p.to_group;
#pragma unroll
  for (int e = t; e < kPackTile * kUnits; e += kPackThreads) {
    const int place = e / kUnits, unit = e % kUnits;
    if (first_place + place >= p.places || first_channel / kCoresUnit + unit >= p.units) continue;
    const u32* const row = words + place * kPitch + unit * 4;
    store_words(to + (first_place + place) * p.to_place + first_channel / kCoresUnit + unit, Words4{row[0], row[1], row[2], row[3]});
  }
}
