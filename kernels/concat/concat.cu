// Concatenation and splitting: rows of bytes between a joint tensor and the pieces of a list, in either direction.
//
// Nothing depends on the element type. A wide piece is copied in units of 16 bytes aligned at the destination. Where all wide
// pieces consist of whole units that are aligned on both sides, these are single words; else a unit is cut out of the two words
// of the source that hold it, so that neither side needs to be aligned to the other. Narrow pieces next to each other go through
// shared memory: a tile of some rows of all of them is read and written in whole units, and only its rearrangement works on
// single elements.
//
// Macros: ADJ_NARROW 1 for the pieces that share tiles, 0 for those copied on their own (each kind is a launch of its own);
// ADJ_ALIGNED 1 for those of the latter that are whole units aligned on both sides, else 0; ADJ_PARAM_BYTES size of the parameter
// block with the table inside, 0 when the table lies in the workspace.
#include "prelude/cut.cuh"
#include "prelude/multi_tensor.cuh"
#include "concat/params.h"

typedef MultiTensorParams<ConcatHead, ADJ_PARAM_BYTES> Params;

struct Piece {
  u64 address, offset;
  i64 run;
};
__device__ __forceinline__ Piece piece_of(const MultiTensorTable& table, u32 i) {
  return {table.address(0, i), table.constant(kConcatOffset, i), static_cast<i64>(table.constant(kConcatRun, i))};
}

// What may be read: words of 16 bytes that lie inside.
struct Extent {
  u64 begin, end;
  __device__ __forceinline__ bool holds(u64 address, int bytes) const { return address >= begin && address + bytes <= end; }
};

// 1, 2, 4 or 8 bytes, aligned.
__device__ __forceinline__ void move_bytes(u8* to, const u8* from, u32 size) {
  if (size == 4)
    *reinterpret_cast<u32*>(to) = *reinterpret_cast<const u32*>(from);
  else if (size == 2)
    *reinterpret_cast<u16*>(to) = *reinterpret_cast<const u16*>(from);
  else if (size == 1)
    *to = *from;
  else
    *reinterpret_cast<u64*>(to) = *reinterpret_cast<const u64*>(from);
}

// Covers the bytes [low, high) of a unit with part(first, size), in as few parts as their alignment allows.
template <class Part> __device__ __forceinline__ void for_each_part(int low, int high, Part part) {
#pragma unroll 1
  while (low < high) {
    const int aligned = low == 0 ? 8 : low & -low, left = high - low;
    int size = 1;
    while (size < aligned && size < 8 && 2 * size <= left) size *= 2;
    part(low, size);
    low += size;
  }
}

#if !ADJ_NARROW

// ---- wide pieces

#if ADJ_ALIGNED

// Copies chunk `chunk` of a piece: of its units in the rows of this turn, counted through all of them. A thread has loaded all of its
// units before it stores one, and the block is done: many short blocks leave less to wait for at the end of a launch than some that go on.
__device__ __forceinline__ void copy_piece(const ConcatHead& head, const Piece& piece, u32 chunk, u32) {
  const u32 threads = static_cast<u32>(block_threads());
  const i64 first_row = block_index_y() * head.rows_of_turn, first = static_cast<i64>(chunk) * (kConcatAlignedUnits * threads);
  const u64 run = static_cast<u64>(piece.run), row_units = run / 16;
  const i64 left = min_of<i64>(head.rows_of_turn, head.rows - first_row) * static_cast<i64>(row_units) - first;
  // A piece has its rows next to each other, the joint tensor has them apart.
  const u64 own = piece.address + first_row * run + first * 16;
  const u64 joint = reinterpret_cast<u64>(head.joint) + piece.offset + first_row * head.pitch + first * 16, apart = head.pitch - run;
  const u64 from = head.split ? joint : own, from_apart = head.split ? apart : 0;
  const u64 to = head.split ? own : joint, to_apart = head.split ? 0 : apart;
  u64 place[kConcatAlignedUnits];
  Words4 words[kConcatAlignedUnits];
#pragma unroll
  for (u32 k = 0; k < kConcatAlignedUnits; ++k) {
    const u32 unit = static_cast<u32>(thread_index()) + k * threads;
    if (unit >= left) break;
    // A row on its own may be of any length; the units of several are counted in 32 bits.
    const u32 at = static_cast<u32>(first) + unit;
    const u32 row = head.rows_of_turn == 1 ? 0 : head.inverse_units ? divide_by(at, head.inverse_units) : at / static_cast<u32>(row_units);
    place[k] = to + unit * 16 + row * to_apart;
    words[k] = load_words(reinterpret_cast<const Words4*>(from + unit * 16 + row * from_apart));
  }
#pragma unroll
  for (u32 k = 0; k < kConcatAlignedUnits; ++k)
    if (static_cast<u32>(thread_index()) + k * threads < left) store_words(reinterpret_cast<Words4*>(place[k]), words[k]);
}

#else

// Rows that a block copies some units of; all counts fit in 32 bits.
struct Rows {
  u64 from, to;
  u64 from_pitch, to_pitch;
  int bytes;       // of a row
  u32 units;       // of a row, from the boundary at or before it
  u32 grain;       // where boundaries are, a power of two
  u32 source_begin, source_end;  // addresses, the low halves

  // Whether the 32 bytes at an address, not far from the source, lie inside it. Half the bits decide, and now and then deny it in vain.
  __device__ __forceinline__ bool holds(u64 words) const {
    const u32 at = static_cast<u32>(words);
    return at - source_begin < 0u - 32 && source_end - at >= 32;
  }
  // Bytes between that boundary and a row.
  __device__ __forceinline__ int skew(u64 row) const { return static_cast<int>(static_cast<u32>(row) & (grain - 1)); }
};

// Where a thread is: the row, and which of its units. Goes on by kConcatThreads units at a time.
struct Cursor {
  u32 row, unit, step_rows, step;
  __device__ __forceinline__ Cursor(const Rows& r, u32 start) {
    row = start / r.units;
    unit = start - row * r.units;
    step_rows = kConcatThreads / r.units;
    step = kConcatThreads - step_rows * r.units;
  }
  __device__ __forceinline__ void advance(const Rows& r) {
    unit += step;
    row += step_rows;
    if (unit >= r.units) unit -= r.units, ++row;
  }
};

// Stores the bytes [low, high) of a unit.
__device__ __forceinline__ void store_part(u64 to, Words4 v, int low, int high) {
  const u64 first = static_cast<u64>(v.y) << 32 | v.x, second = static_cast<u64>(v.w) << 32 | v.z;
  for_each_part(low, high, [&](int at, int size) {
    const u64 value = (at < 8 ? first : second) >> (8 * (at & 7));
    if (size == 8) *reinterpret_cast<u64*>(to + at) = value;
    if (size == 4) *reinterpret_cast<u32*>(to + at) = static_cast<u32>(value);
    if (size == 2) *reinterpret_cast<u16*>(to + at) = static_cast<u16>(value);
    if (size == 1) *reinterpret_cast<u8*>(to + at) = static_cast<u8>(value);
  });
}

// Copies units [first, end), counted through all rows. A unit is cut out of the two words of the source that hold it; where
// these are not all inside the source, it is copied byte by byte.
__device__ __forceinline__ void copy_units(const Rows& r, int first, int end) {
  constexpr int kInFlight = 4;
  constexpr u32 kByBytes = 32;
  Cursor at(r, first + thread_index());
#pragma unroll 1
  for (int units = end - first - thread_index(); units > 0; units -= kInFlight * kConcatThreads) {
    u64 to[kInFlight];
    // 16 bits for each: up to which byte of the unit (0: nothing), whether byte by byte, from which, and how far the source is shifted.
    u64 parts = 0;
    Words4 low[kInFlight], high[kInFlight];  // what is not shifted needs no second word
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const u64 to_row = r.to + at.row * r.to_pitch;
      const int offset = static_cast<int>(at.unit * 16) - r.skew(to_row), left = r.bytes - offset;
      const u64 from = r.from + at.row * r.from_pitch + offset;
      to[k] = to_row + offset;
      low[k] = {};
      if (k * kConcatThreads < units && offset > -16 && left > 0) {
        const u32 begin = static_cast<u32>(max_of(-offset, 0)), stop = static_cast<u32>(min_of(left, 16)), shift = static_cast<u32>(from & 15);
        const bool inside = r.holds(from - shift);
        parts |= static_cast<u64>(stop | begin << 8 | (inside ? shift << 12 : kByBytes)) << 16 * k;
        low[k] = {static_cast<u32>(from), static_cast<u32>(from >> 32), 0, 0};
        if (inside) {
          low[k] = load_words(reinterpret_cast<const Words4*>(from - shift));
          high[k] = load_words(reinterpret_cast<const Words4*>(from - shift) + 1);
        }
      }
      at.advance(r);
    }
    u32 edges = 0;
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const u32 part = static_cast<u32>(parts >> 16 * k) & 0xffff;
      low[k] = cut16<1>(low[k], high[k], static_cast<int>(part >> 12));
      if ((part & 0xfff) == 16) store_words(reinterpret_cast<Words4*>(to[k]), low[k]);
      else if (part) edges |= 1u << k;
    }
#pragma unroll 1
    for (; edges; edges &= edges - 1) {
      const int edge = lowest_bit(edges);
      u64 place = to[0];
      Words4 v = low[0];
#pragma unroll
      for (int k = 1; k < kInFlight; ++k)
        if (k == edge) place = to[k], v = low[k];
      const int part = static_cast<int>(parts >> 16 * edge);
      const int begin = part >> 8 & 15, stop = part & 31;
      if (part & kByBytes) {
        const u64 from = static_cast<u64>(v.y) << 32 | v.x;
#pragma unroll 1
        for (int b = begin; b < stop; ++b) *reinterpret_cast<u8*>(place + b) = *reinterpret_cast<const u8*>(from + b);
      } else {
        store_part(place, v, begin, stop);
      }
    }
  }
}

// Copies chunk `chunk` of the `chunks` of a piece: of its units in the rows of this turn, counted through all of them.
__device__ __forceinline__ void copy_piece(const ConcatHead& head, const Piece& piece, u32 chunk, u32 chunks) {
  const u64 joint = reinterpret_cast<u64>(head.joint), place = joint + piece.offset;
  const i64 first_row = block_index_y() * head.rows_of_turn, run = piece.run;
  const int rows = static_cast<int>(min_of<i64>(head.rows_of_turn, head.rows - first_row));
  Rows r;
  r.grain = static_cast<u32>(concat_grain(run));
  r.from_pitch = head.split ? head.pitch : run;
  r.to_pitch = head.split ? run : head.pitch;
  r.from = (head.split ? place : piece.address) + first_row * r.from_pitch;
  r.to = (head.split ? piece.address : place) + first_row * r.to_pitch;
  int size = 1 << head.list.chunk_log2;
  const bool one_row = head.rows_of_turn == 1;
  r.bytes = static_cast<int>(run);
  if (one_row) {
    // It may be of any length: the chunk becomes a row of its own. All but the first begin at the grain, and the last takes what is left.
    const int skew = r.skew(r.to);
    const i64 start = chunk ? static_cast<i64>(chunk) * size * 16 - skew : 0;
    if (start >= run) return;
    r.from += start;
    r.to += start;
    r.bytes = static_cast<int>(chunk + 1 == chunks ? run - start : min_of<i64>(size * 16 - (chunk ? 0 : skew), run - start));
  }
  // Shuffled so that the compiler keeps them and does not work them out at every use.
  r.source_begin = shuffle(static_cast<u32>(head.split ? joint : piece.address), 0);
  r.source_end = shuffle(r.source_begin + static_cast<u32>(head.rows) * static_cast<u32>(head.split ? head.pitch : run), 0);
  // Rows that all begin at the same place within the grain need no unit to spare.
  const bool even = rows == 1 || (r.to_pitch & (r.grain - 1)) == 0;
  const u32 before = even ? static_cast<u32>(r.skew(r.to)) : r.grain - static_cast<u32>(head.width);
  r.units = ((before + static_cast<u32>(r.bytes) + r.grain - 1) & (0 - r.grain)) / 16;
  const int units = rows * static_cast<int>(r.units);
  // Chunks that were counted for rows which begin with a unit share what there is more.
  if (static_cast<u32>(units) > chunks << head.list.chunk_log2)
    size = static_cast<int>(static_cast<u32>(units) / chunks / kWarp + 1) * kWarp;
  const int first = one_row ? 0 : static_cast<int>(chunk) * size;
  copy_units(r, first, one_row ? units : min_of(first + size, units));
}

#endif

#else

// ---- narrow pieces

constexpr u32 kThreadsLog2 = 8;
static_assert(1 << kThreadsLog2 == kConcatThreads);

// A stretch of a tile that is contiguous in global memory, and where it begins in shared memory, in units.
struct Stretch {
  u64 address;
  u32 bytes, base;
  __device__ __forceinline__ u32 skew() const { return static_cast<u32>(address & 15); }
  __device__ __forceinline__ u32 units() const { return (skew() + bytes + 15) / 16; }
};

// A tile: `rows` rows of neighbouring pieces. Each side keeps its stretches in shared memory as they lie in their words.
struct Tile {
  const MultiTensorTable& table;
  u64 joint;      // address of the first row of the tile
  i64 pitch;      // of the joint tensor
  i64 first_row;
  i64 all_rows;   // of the problem
  u64 offset;     // of the first piece
  u32 first, pieces;
  u32 rows, bytes;  // bytes of a row of the tile
  bool adjacent;    // rows are next to each other in the joint tensor

  __device__ __forceinline__ u32 row_base(u32 row) const { return row * (bytes / 16 + 2); }

  // The pieces' side: a stretch per piece. A unit of room for each end.
  __device__ __forceinline__ Stretch piece_stretch(u32 i, Extent& all) const {
    const Piece p = piece_of(table, first + i);
    all = {p.address, p.address + all_rows * p.run};
    return {p.address + first_row * p.run, rows * static_cast<u32>(p.run), rows * static_cast<u32>(p.offset - offset) / 16 + 2 * i};
  }
  // The joint side: one stretch, or one per row.
  __device__ __forceinline__ Stretch joint_stretch(u32 i, Extent& all) const {
    const u64 tensor = joint - offset - first_row * pitch;
    all = {tensor, tensor + all_rows * pitch};
    if (adjacent) return {joint, rows * bytes, 0};
    return {joint + i * pitch, bytes, row_base(i)};
  }
  __device__ __forceinline__ u32 stretches(bool of_joint) const { return !of_joint ? pieces : adjacent ? 1 : rows; }

  // Brings all words of one side into shared memory or, with `deliver`, the bytes of its stretches back.
  __device__ __forceinline__ void move(bool of_joint, bool deliver, u8* memory) const {
    // So many threads share a stretch that its units are moved at once, on average.
    const u32 count = stretches(of_joint);
    u32 threads_log2 = 1;
#pragma unroll 1
    while (threads_log2 < kThreadsLog2 && (count << threads_log2) < rows * bytes / 16 + 2 * count) ++threads_log2;
    const u32 threads = 1u << threads_log2, lane = thread_index() & (threads - 1);
#pragma unroll 1
    for (u32 i = thread_index() >> threads_log2; i < count; i += kConcatThreads >> threads_log2) {
      Extent all;
      const Stretch s = of_joint ? joint_stretch(i, all) : piece_stretch(i, all);
      const u32 end = s.skew() + s.bytes;
#pragma unroll 1
      for (u32 unit = lane; unit < s.units(); unit += threads) {
        const u64 place = s.address - s.skew() + unit * 16;
        u8* own = memory + (s.base + unit) * 16;
        const u32 low = unit == 0 ? s.skew() : 0, high = min_of(end - unit * 16, 16u);
        if (deliver) {
          if (low == 0 && high == 16)
            store_words(reinterpret_cast<Words4*>(place), *reinterpret_cast<const Words4*>(own));
          else
            for_each_part(static_cast<int>(low), static_cast<int>(high),
                          [&](int at, int size) { move_bytes(reinterpret_cast<u8*>(place + at), own + at, static_cast<u32>(size)); });
        } else if (all.holds(place, 16)) {
          copy16_to_shared(own, reinterpret_cast<const Words4*>(place));
        } else {
#pragma unroll 1
          for (u32 b = low; b < high; ++b) own[b] = *reinterpret_cast<const u8*>(place + b);
        }
      }
    }
  }

  // Moves every element of `size` bytes between the two sides. Threads of a warp spread over pieces and rows, for the sake
  // of the banks.
  __device__ __forceinline__ void rearrange(u8* pieces_side, u8* joint_side, bool to_pieces, u32 size) const {
    u32 threads_log2 = kThreadsLog2;
#pragma unroll 1
    while (threads_log2 > 2 && pieces << threads_log2 > kConcatThreads) --threads_log2;
    const u32 threads = 1u << threads_log2, lane = thread_index() & (threads - 1), step = threads * size;
#pragma unroll 1
    for (u32 i = thread_index() >> threads_log2; i < pieces; i += kConcatThreads >> threads_log2) {
      Extent all;
      const Stretch s = piece_stretch(i, all);
      if (s.bytes == 0) continue;
      const Piece piece = piece_of(table, first + i);
      const u32 run = static_cast<u32>(piece.run);
      u8* own = pieces_side + s.base * 16 + s.skew();
      u8* place = joint_side + static_cast<u32>(piece.offset - offset);
      const u32 step_rows = step / run, step_columns = step - step_rows * run;
      u32 row = lane * size / run, column = lane * size - row * run;
#pragma unroll 1
      for (u32 at = lane * size; at < s.bytes; at += step) {
        const u32 begin = adjacent ? static_cast<u32>(joint & 15) + row * bytes
                                   : row_base(row) * 16 + (static_cast<u32>(joint + row * pitch) & 15);
        u8* a = own + at;
        u8* b = place + begin + column;
        move_bytes(to_pieces ? a : b, to_pieces ? b : a, size);
        column += step_columns;
        row += step_rows;
        if (column >= run) column -= run, ++row;
      }
    }
  }

  // The widest type that divides all addresses and bytes of the tile.
  __device__ __forceinline__ u32 granule() const {
    u64 bits = joint | static_cast<u64>(pitch) | 8;
#pragma unroll 1
    for (u32 i = lane_index(); i < pieces; i += kWarp) {
      const Piece p = piece_of(table, first + i);
      bits |= p.address | p.offset - offset | static_cast<u64>(p.run);
    }
    u32 low = static_cast<u32>(bits) & 15;
#pragma unroll
    for (int mask = 1; mask < kWarp; mask *= 2) low |= shuffle_xor(low, mask);
    return low & (0 - low);
  }
};

__device__ __forceinline__ void copy_tile(const ConcatHead& head, const MultiTensorTable& table, u32 last, u32 chunk) {
  ADJ_DYNAMIC_SHARED(shared);
  u8* const pieces_side = shared;
  u8* const joint_side = shared + kConcatSideBytes;
  const u32 pieces = table.count(0, last), first = last + 1 - pieces;
  const Piece begin = piece_of(table, first), end = piece_of(table, last);
  const u32 bytes = static_cast<u32>(end.offset + end.run - begin.offset);
  const bool adjacent = bytes == head.pitch;
  const i64 rows = concat_tile_rows(static_cast<u32>(head.tile_bytes), bytes, adjacent), first_row = chunk * rows;
  const Tile tile{table,  reinterpret_cast<u64>(head.joint) + first_row * head.pitch + begin.offset, head.pitch, first_row, head.rows, begin.offset,
                  first,  pieces, static_cast<u32>(min_of(rows, head.rows - first_row)), bytes, adjacent};
#pragma unroll 1
  for (int deliver = 0; deliver < 2; ++deliver) {
    const bool of_joint = (head.split != 0) != (deliver != 0);
    tile.move(of_joint, deliver, of_joint ? joint_side : pieces_side);
    if (deliver) break;
    wait_copies_to_shared();
    block_barrier();
    tile.rearrange(pieces_side, joint_side, head.split, tile.granule());
    block_barrier();
  }
}

#endif

constexpr int kThreads = ADJ_ALIGNED ? kConcatAlignedThreads : kConcatThreads;
constexpr int kResident = ADJ_ALIGNED ? 2 : ADJ_NARROW ? 5 : ADJ_ARCH < 90 ? 3 : 4;  // blocks

extern "C" __global__ void __launch_bounds__(kThreads, kResident) ADJ_ENTRY(const __grid_constant__ Params p) {
  const MultiTensorTable table = table_of(p, ADJ_NARROW ? kConcatNarrowForm : kConcatWideForm);
  const u32 chunk = static_cast<u32>(block_index());  // a grid has all chunks
  const u32 t = find_tensor(p.head.list, table.first_chunk, chunk);
  const u32 first = table.first_chunk[t];
#if ADJ_NARROW
  copy_tile(p.head, table, t, chunk - first);
#else
  const u32 end = t + 1 < p.head.list.tensors ? table.first_chunk[t + 1] : p.head.list.chunks;
  copy_piece(p.head, piece_of(table, t), chunk - first, end - first);
#endif
}
