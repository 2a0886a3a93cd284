// Computes: a copy of a tensor or a weight of 16-bit elements with channels last, each group filled up to whole vectors with zeros.
// Work split: a block has 64 places and 64 channels of a group of an image.
// Memory: read once, in neighbouring single elements; written once, a vector at a time. In shared memory two channels share a word, and rows
// are an odd number of words apart, so that writes along either dimension and reads meet all banks.
// Order of additions: none.
// Limits: tiles below 2^31, checked by the plan.
#include "prelude/divide.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#include "gemm/params.h"

constexpr int kPairs = kGemmPackTile / 2, kPitch = kPairs + 1, kVectors = kGemmPackTile / kGemmVector;

extern "C" __global__ void __launch_bounds__(kGemmPackThreads) ADJ_ENTRY(const __grid_constant__ GemmPackParams p) {
  ADJ_SHARED(u32, words, kGemmPackTile * kPitch);
  const int t = thread_index();
  int tile = static_cast<int>(block_index());
  const int first_channel = tile % p.channel_tiles * kGemmPackTile;
  tile /= p.channel_tiles;
  const int first_place = tile % p.place_tiles * kGemmPackTile;
  tile /= p.place_tiles;
  const int group = tile % p.groups, image = tile / p.groups;
  const u16* const from = static_cast<const u16*>(p.from) + image * p.image + group * p.group;

  // A thread has one place and every fourth pair of channels, or one pair of channels and every eighth place.
  constexpr int kLoads = kGemmPackTile * kPairs / kGemmPackThreads, kApart = kGemmPackThreads / kPairs;
  static_assert(kApart == 2 * (kGemmPackThreads / kGemmPackTile));
  const int own_place = p.along_channels ? t / kPairs : t % kGemmPackTile, own_channel = 2 * (p.along_channels ? t % kPairs : t / kGemmPackTile);
  const int places_apart = p.along_channels ? kApart : 0, channels_apart = kApart - places_apart;
  const i64 apart = places_apart * p.place + channels_apart * p.channel;
  const u16* at = from + (first_place + own_place) * p.place + (first_channel + own_channel) * p.channel;
  u32 loaded[kLoads];
#pragma unroll
  for (int k = 0; k < kLoads; ++k, at += apart) {
    const int channel = first_channel + own_channel + k * channels_apart;
    const bool in = first_place + own_place + k * places_apart < p.places;
    loaded[k] = 0;
    if (in && channel < p.channels) loaded[k] = at[0];
    if (in && channel + 1 < p.channels) loaded[k] |= static_cast<u32>(at[p.channel]) << 16;
  }
  u32* const own = words + own_place * kPitch + own_channel / 2;
#pragma unroll
  for (int k = 0; k < kLoads; ++k) own[k * (places_apart * kPitch + channels_apart / 2)] = loaded[k];
  block_barrier();
  const int vector = t % kVectors;
  if (first_channel / kGemmVector + vector >= p.vectors) return;
  Words4* const to = static_cast<Words4*>(p.to) + image * p.to_image + group * p.to_group + first_channel / kGemmVector + vector;
#pragma unroll
  for (int k = 0; k < kGemmPackTile * kVectors / kGemmPackThreads; ++k) {
    const int place = t / kVectors + k * (kGemmPackThreads / kVectors);
    if (first_place + place >= p.places) continue;
    const u32* const row = words + place * kPitch + vector * 4;
    store_words(to + (first_place + place) * p.to_place, Words4{row[0], row[1], row[2], row[3]});
  }
}
