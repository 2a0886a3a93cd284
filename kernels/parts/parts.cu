// Concatenation and splitting. README.md defines the words.
//
// Computes: the joint tensor from the pieces, or the pieces from the joint tensor, byte by byte; nothing depends on the element type.
// Work split: a block takes a chunk of a wide piece, or a tile of a group of narrow pieces.
// Memory: every byte is read once and written once, in vectors. A vector of a wide piece is cut out of the two words of the source that hold it,
// or is one word with ADJ_ALIGNED=1. A tile goes through shared memory, where single elements are rearranged.
// Order of additions: none.
// Limits: blocks below 2^31, vectors of a turn below 2^26 unless it is one row; the plan checks them. Any alignment of elements.
//
// Macros: ADJ_NARROW 1 for groups of narrow pieces, 0 for wide pieces, each in a launch of its own; ADJ_ALIGNED 1 where all wide pieces are
// whole vectors, aligned on both sides; ADJ_PARAM_BYTES size of the parameter block with the table inside, 0: the table lies in the workspace.
#include "prelude/cut.cuh"
#include "prelude/multi_tensor.cuh"
#include "parts/params.h"

typedef MultiTensorParams<PartsHead, ADJ_PARAM_BYTES> Params;

struct Piece {
  u64 address, offset;
  i64 run;
};
__device__ __forceinline__ Piece piece_of(const MultiTensorTable& table, u32 i) {
  return {table.address(0, i), table.constant(kPartsOffset, i), static_cast<i64>(table.constant(kPartsRun, i))};
}

// The bytes of a tensor, which alone may be read.
struct Extent {
  u64 begin, end;
  __device__ __forceinline__ bool holds(u64 address, int bytes) const { return address >= begin && address + bytes <= end; }
};

// Copies 1, 2, 4 or 8 bytes, aligned to their size.
__device__ __forceinline__ void move_bytes(u8* to, const u8* from, u32 size) {
  if (size == 4) *reinterpret_cast<u32*>(to) = *reinterpret_cast<const u32*>(from);
  else if (size == 2) *reinterpret_cast<u16*>(to) = *reinterpret_cast<const u16*>(from);
  else if (size == 1) *to = *from;
  else *reinterpret_cast<u64*>(to) = *reinterpret_cast<const u64*>(from);
}

// Calls part(first, size) for aligned parts of 1, 2, 4 or 8 bytes that cover the bytes [low, high) of a vector, as few as possible.
template <class Part> __device__ __forceinline__ void for_each_part(int low, int high, Part part) {
#pragma unroll 1
  while (low < high) {
    const int aligned = low == 0 ? 8 : low & -low, left = high - low;
    int size = 1;
    while (size < aligned && 2 * size <= left) size *= 2;
    part(low, size);
    low += size;
  }
}

#if !ADJ_NARROW

// ---- wide pieces

#if ADJ_ALIGNED

// Copies chunk `chunk` of a piece: a range of its vectors, counted through all rows of this turn. A thread loads all of its vectors before it
// stores the first. The block then ends: with many short blocks less is left to wait for at the end of a launch.
__device__ __forceinline__ void copy_piece(const PartsHead& head, const Piece& piece, u32 chunk, u32) {
  const u32 threads = static_cast<u32>(block_threads());
  const i64 first_row = block_index_y() * head.rows_of_turn, first = static_cast<i64>(chunk) * (kPartsAlignedVectors * threads);
  const u64 run = static_cast<u64>(piece.run), row_vectors = run / 16;
  const i64 left = min_of<i64>(head.rows_of_turn, head.rows - first_row) * static_cast<i64>(row_vectors) - first;
  // The rows of a piece are next to each other; in the joint tensor `apart` bytes lie between them.
  const u64 own = piece.address + first_row * run + first * 16;
  const u64 joint = reinterpret_cast<u64>(head.joint) + piece.offset + first_row * head.pitch + first * 16, apart = head.pitch - run;
  const u64 from = head.split ? joint : own, from_apart = head.split ? apart : 0;
  const u64 to = head.split ? own : joint, to_apart = head.split ? 0 : apart;
  u64 place[kPartsAlignedVectors];
  Words4 words[kPartsAlignedVectors];
#pragma unroll
  for (u32 k = 0; k < kPartsAlignedVectors; ++k) {
    const u32 vector = static_cast<u32>(thread_index()) + k * threads;
    if (vector >= left) break;
    // A turn of one row may be of any length; the vectors of several rows are counted in 32 bits.
    const u32 at = static_cast<u32>(first) + vector;
    const u32 row = head.rows_of_turn == 1 ? 0 : head.inverse_vectors ? divide_by(at, head.inverse_vectors) : at / static_cast<u32>(row_vectors);
    place[k] = to + vector * 16 + row * to_apart;
    words[k] = load_words(reinterpret_cast<const Words4*>(from + vector * 16 + row * from_apart));
  }
#pragma unroll
  for (u32 k = 0; k < kPartsAlignedVectors; ++k)
    if (static_cast<u32>(thread_index()) + k * threads < left) store_words(reinterpret_cast<Words4*>(place[k]), words[k]);
}

#else

// The rows of a piece in this turn. All counts fit in 32 bits.
struct Rows {
  u64 from, to;
  u64 from_pitch, to_pitch;
  int bytes;       // bytes of a row
  u32 vectors;       // vectors of a row, from the grain boundary at or before it
  u32 grain;       // bytes, a power of two
  u32 source_begin, source_end;  // low halves of the addresses of the source

  // True if the 32 bytes at an address near the source lie inside it. Compares low halves only, which may give a false no.
  __device__ __forceinline__ bool holds(u64 words) const {
    const u32 at = static_cast<u32>(words);
    return at - source_begin < 0u - 32 && source_end - at >= 32;
  }
  // Bytes between the grain boundary at or before a row and the row.
  __device__ __forceinline__ int skew(u64 row) const { return static_cast<int>(static_cast<u32>(row) & (grain - 1)); }
};

// The place of a thread: a row, and a vector of the row. It moves on by kPartsThreads vectors at a time.
struct Cursor {
  u32 row, vector, step_rows, step;
  __device__ __forceinline__ Cursor(const Rows& r, u32 start) {
    row = start / r.vectors;
    vector = start - row * r.vectors;
    step_rows = kPartsThreads / r.vectors;
    step = kPartsThreads - step_rows * r.vectors;
  }
  __device__ __forceinline__ void advance(const Rows& r) {
    vector += step;
    row += step_rows;
    if (vector >= r.vectors) vector -= r.vectors, ++row;
  }
};

// Stores the bytes [low, high) of a vector.
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

// Copies vectors [first, end), counted through all rows. A vector is cut out of the two words of the source that hold it; where these are not
// both inside the source, it is copied byte by byte.
__device__ __forceinline__ void copy_vectors(const Rows& r, int first, int end) {
  constexpr int kInFlight = 4;
  constexpr u32 kByBytes = 32;
  Cursor at(r, first + thread_index());
#pragma unroll 1
  for (int vectors = end - first - thread_index(); vectors > 0; vectors -= kInFlight * kPartsThreads) {
    u64 to[kInFlight];
    // 16 bits for each vector: bits 0-4 end of its bytes (0: no vector), bit 5 byte by byte, bits 8-11 begin of its bytes, bits 12-15 shift of
    // the source.
    u64 parts = 0;
    Words4 low[kInFlight], high[kInFlight];  // byte by byte: low has the address of the source
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const u64 to_row = r.to + at.row * r.to_pitch;
      const int offset = static_cast<int>(at.vector * 16) - r.skew(to_row), left = r.bytes - offset;
      const u64 from = r.from + at.row * r.from_pitch + offset;
      to[k] = to_row + offset;
      low[k] = {};
      if (k * kPartsThreads < vectors && offset > -16 && left > 0) {
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

// Copies chunk `chunk` of the `chunks` of a piece: a range of its vectors, counted through all rows of this turn.
__device__ __forceinline__ void copy_piece(const PartsHead& head, const Piece& piece, u32 chunk, u32 chunks) {
  const u64 joint = reinterpret_cast<u64>(head.joint), place = joint + piece.offset;
  const i64 first_row = block_index_y() * head.rows_of_turn, run = piece.run;
  const int rows = static_cast<int>(min_of<i64>(head.rows_of_turn, head.rows - first_row));
  Rows r;
  r.grain = static_cast<u32>(parts_grain(run));
  r.from_pitch = head.split ? head.pitch : run;
  r.to_pitch = head.split ? run : head.pitch;
  r.from = (head.split ? place : piece.address) + first_row * r.from_pitch;
  r.to = (head.split ? piece.address : place) + first_row * r.to_pitch;
  int size = 1 << head.list.chunk_log2;
  const bool one_row = head.rows_of_turn == 1;
  r.bytes = static_cast<int>(run);
  if (one_row) {
    // A turn of one row may be of any length, so the chunk becomes a row of its own. Chunks but the first begin at a grain boundary; the last
    // takes the rest.
    const int skew = r.skew(r.to);
    const i64 start = chunk ? static_cast<i64>(chunk) * size * 16 - skew : 0;
    if (start >= run) return;
    r.from += start;
    r.to += start;
    r.bytes = static_cast<int>(chunk + 1 == chunks ? run - start : min_of<i64>(size * 16 - (chunk ? 0 : skew), run - start));
  }
  // The shuffle makes the compiler keep these in registers, not compute them at every use.
  r.source_begin = shuffle(static_cast<u32>(head.split ? joint : piece.address), 0);
  r.source_end = shuffle(r.source_begin + static_cast<u32>(head.rows) * static_cast<u32>(head.split ? head.pitch : run), 0);
  // Rows that all begin at the same place within the grain need fewer vectors than the worst place would.
  const bool even = rows == 1 || (r.to_pitch & (r.grain - 1)) == 0;
  const u32 before = even ? static_cast<u32>(r.skew(r.to)) : r.grain - static_cast<u32>(head.width);
  r.vectors = ((before + static_cast<u32>(r.bytes) + r.grain - 1) & (0 - r.grain)) / 16;
  const int vectors = rows * static_cast<int>(r.vectors);
  // The plan of ADJ_ALIGNED=1 counts fewer vectors: where addresses of a run made it fall back to this program, chunks share the surplus.
  if (static_cast<u32>(vectors) > chunks << head.list.chunk_log2) size = static_cast<int>(static_cast<u32>(vectors) / chunks / kWarp + 1) * kWarp;
  const int first = one_row ? 0 : static_cast<int>(chunk) * size;
  copy_vectors(r, first, one_row ? vectors : min_of(first + size, vectors));
}

#endif

#else

// ---- narrow pieces

constexpr u32 kThreadsLog2 = 8;
static_assert(1 << kThreadsLog2 == kPartsThreads);

// A stretch of a tile; `base`: where it begins in shared memory, in vectors.
struct Stretch {
  u64 address;
  u32 bytes, base;
  __device__ __forceinline__ u32 skew() const { return static_cast<u32>(address & 15); }
  __device__ __forceinline__ u32 vectors() const { return (skew() + bytes + 15) / 16; }
};

// A tile: `rows` rows of the pieces of a group. In shared memory a stretch lies as far from a vector boundary as in global memory.
struct Tile {
  const MultiTensorTable& table;
  u64 joint;      // address of the tile's first row in the joint tensor
  i64 pitch;      // bytes of a row of the joint tensor
  i64 first_row;  // first row of the tile
  i64 all_rows;   // rows of the problem
  u64 offset;     // offset of the first piece of the group
  u32 first, pieces;  // first piece of the group, and their number
  u32 rows, bytes;    // rows of the tile, and bytes of each
  bool adjacent;      // rows of the tile are next to each other in the joint tensor

  __device__ __forceinline__ u32 row_base(u32 row) const { return row * (bytes / 16 + 2); }

  // Returns stretch i of the pieces' side, one for each piece, with a spare vector for each end. all: the bytes of the piece.
  __device__ __forceinline__ Stretch piece_stretch(u32 i, Extent& all) const {
    const Piece p = piece_of(table, first + i);
    all = {p.address, p.address + all_rows * p.run};
    return {p.address + first_row * p.run, rows * static_cast<u32>(p.run), rows * static_cast<u32>(p.offset - offset) / 16 + 2 * i};
  }
  // Returns stretch i of the joint side: one for the tile if its rows are adjacent, else one for each row. all: the bytes of the joint tensor.
  __device__ __forceinline__ Stretch joint_stretch(u32 i, Extent& all) const {
    const u64 tensor = joint - offset - first_row * pitch;
    all = {tensor, tensor + all_rows * pitch};
    if (adjacent) return {joint, rows * bytes, 0};
    return {joint + i * pitch, bytes, row_base(i)};
  }
  __device__ __forceinline__ u32 stretches(bool of_joint) const { return !of_joint ? pieces : adjacent ? 1 : rows; }

  // Copies all words of one side into shared memory or, with `deliver`, the bytes of its stretches back to global memory.
  __device__ __forceinline__ void move(bool of_joint, bool deliver, u8* memory) const {
    // As many threads share a stretch as it has vectors on average, so that each moves one.
    const u32 count = stretches(of_joint);
    u32 threads_log2 = 1;
#pragma unroll 1
    while (threads_log2 < kThreadsLog2 && (count << threads_log2) < rows * bytes / 16 + 2 * count) ++threads_log2;
    const u32 threads = 1u << threads_log2, lane = thread_index() & (threads - 1);
#pragma unroll 1
    for (u32 i = thread_index() >> threads_log2; i < count; i += kPartsThreads >> threads_log2) {
      Extent all;
      const Stretch s = of_joint ? joint_stretch(i, all) : piece_stretch(i, all);
      const u32 end = s.skew() + s.bytes;
#pragma unroll 1
      for (u32 vector = lane; vector < s.vectors(); vector += threads) {
        const u64 place = s.address - s.skew() + vector * 16;
        u8* own = memory + (s.base + vector) * 16;
        const u32 low = vector == 0 ? s.skew() : 0, high = min_of(end - vector * 16, 16u);
        if (deliver) {
          if (low == 0 && high == 16) store_words(reinterpret_cast<Words4*>(place), *reinterpret_cast<const Words4*>(own));
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

  // Moves every element of `size` bytes from one side to the other in shared memory. The threads of a warp spread over pieces and rows, so
  // that they meet different banks.
  __device__ __forceinline__ void rearrange(u8* pieces_side, u8* joint_side, bool to_pieces, u32 size) const {
    u32 threads_log2 = kThreadsLog2;
#pragma unroll 1
    while (threads_log2 > 2 && pieces << threads_log2 > kPartsThreads) --threads_log2;
    const u32 threads = 1u << threads_log2, lane = thread_index() & (threads - 1), step = threads * size;
#pragma unroll 1
    for (u32 i = thread_index() >> threads_log2; i < pieces; i += kPartsThreads >> threads_log2) {
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
        const u32 begin = adjacent ? static_cast<u32>(joint & 15) + row * bytes : row_base(row) * 16 + (static_cast<u32>(joint + row * pitch) & 15);
        u8* a = own + at;
        u8* b = place + begin + column;
        move_bytes(to_pieces ? a : b, to_pieces ? b : a, size);
        column += step_columns;
        row += step_rows;
        if (column >= run) column -= run, ++row;
      }
    }
  }

  // Returns the largest power of two, up to 8, that divides all addresses and sizes of the tile.
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

__device__ __forceinline__ void copy_tile(const PartsHead& head, const MultiTensorTable& table, u32 last, u32 chunk) {
  ADJ_DYNAMIC_SHARED(shared);
  u8* const pieces_side = shared;
  u8* const joint_side = shared + kPartsSideBytes;
  const u32 pieces = table.count(0, last), first = last + 1 - pieces;
  const Piece begin = piece_of(table, first), end = piece_of(table, last);
  const u32 bytes = static_cast<u32>(end.offset + end.run - begin.offset);
  const bool adjacent = bytes == head.pitch;
  const i64 rows = parts_tile_rows(static_cast<u32>(head.tile_bytes), bytes, adjacent), first_row = chunk * rows;
  const Tile tile{table,
                  reinterpret_cast<u64>(head.joint) + first_row * head.pitch + begin.offset,
                  head.pitch,
                  first_row,
                  head.rows,
                  begin.offset,
                  first,
                  pieces,
                  static_cast<u32>(min_of(rows, head.rows - first_row)),
                  bytes,
                  adjacent};
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

constexpr int kThreads = ADJ_ALIGNED ? kPartsAlignedThreads : kPartsThreads;
constexpr bool kFewThreads = ADJ_BOUNDS_ARCH >= 110 || (ADJ_BOUNDS_ARCH > 80 && ADJ_BOUNDS_ARCH < 90);  // a multiprocessor has 1536, not 2048
constexpr int kResident = ADJ_ALIGNED ? (kFewThreads ? 1 : 2) : ADJ_NARROW ? 5 : ADJ_BOUNDS_ARCH < 90 ? 3 : 4;  // blocks of a multiprocessor

extern "C" __global__ void __launch_bounds__(kThreads, kResident) ADJ_ENTRY(const __grid_constant__ Params p) {
  const MultiTensorTable table = table_of(p, ADJ_NARROW ? kPartsNarrowForm : kPartsWideForm);
  const u32 chunk = static_cast<u32>(block_index());  // the grid has a block in x for each chunk
  const u32 t = find_tensor(p.head.list, table.first_chunk, chunk);
  const u32 first = table.first_chunk[t];
#if ADJ_NARROW
  copy_tile(p.head, table, t, chunk - first);
#else
  const u32 end = t + 1 < p.head.list.tensors ? table.first_chunk[t + 1] : p.head.list.chunks;
  copy_piece(p.head, piece_of(table, t), chunk - first, end - first);
#endif
}
