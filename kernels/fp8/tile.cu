// Codes of a matrix and of its transpose, by tiles of 128 x 128.
//
// Computes: include/adjoint/ops/fp8.h, quantize: granularity block_128x128; block_1x128 with transposed codes; tensor and row with known scales and transposed
//   codes.
// Work split: a block takes a tile, a grid apart; a thread four neighbouring rows of 16 neighbours, which it holds.
// Memory: each element once, each code once; 16 bytes at a time but where rows do not lie so. Transposed codes pass through 16 KB of shared memory, four rows
//   a word, in which the words of a column are stored where no two lanes of a warp meet in a bank.
// Order of additions: none. Maxima do not depend on order.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_C type of codes, ADJ_STOCHASTIC 1: codes are rounded at random, ADJ_SCALES 0: known, 1: block_1x128, 2: block_128x128.
#include "fp8/codes.cuh"

typedef ADJ_T T;
typedef ADJ_C C;

constexpr int kRows = 4;                                  // neighbouring rows of a thread
constexpr int kPieces = kFp8Group / kFp8Piece;            // pieces along a side of the tile
constexpr int kWarps = kFp8Block / kWarp;
constexpr int kResident = ADJ_STOCHASTIC || (ADJ_SCALES == 1 && sizeof(T) == 4) ? 1 : 2;  // blocks that a multiprocessor holds at least

// Word `word` of a column of the tile, as the place of its 16 bytes, of which it is number word % 4.
__device__ __forceinline__ int place_of(int column, int vector) { return column * kPieces + (vector ^ (column / kFp8Piece)); }

// A function that is called, so that each row of a lane does not have its text again.
__device__ __noinline__ Words4 random_of_row(RandomState state, u64 first) { return random_of_eight(state, first); }

extern "C" __global__ void __launch_bounds__(kFp8Block, kResident) ADJ_ENTRY(const __grid_constant__ QuantizeParams p) {
  ADJ_SHARED(Words4, transposed, kFp8Group * kPieces);
  ADJ_SHARED(f32, scratch, kWarps);
#if ADJ_SCALES == 1
  ADJ_SHARED(f32, of_columns, kWarps * kFp8Group);
#endif
  const bool aligned = aligned16(p.x) && p.cols % kVec16<T> == 0, codes_aligned = aligned16(p.codes) && p.cols % kFp8Piece == 0;
  const bool transposed_aligned = aligned16(p.codes_t) && p.rows % kFp8Piece == 0;
  const i64 across = (p.cols + kFp8Group - 1) / kFp8Group, tiles = across * ((p.rows + kFp8Group - 1) / kFp8Group);
  const int lane_piece = thread_index() % kPieces, quad = thread_index() / kPieces;  // the thread's columns, and its rows
  f32 most = 0;
  u32 wrong = 0;
#if ADJ_SCALES == 0
  f32 multiplier = 1;
  if (!p.per_row) {
    ScalePair own{1.0f, 1.0f};
    if (p.amax) own = scale_of(*p.amax, p.rule);
    else own = {*p.scale, quotient_of(1.0f, *p.scale)};
    multiplier = own.multiplier;
    if (global_thread() == 0) {
      if (p.scale_out) *p.scale_out = own.multiplier;
      if (p.inverse_out) *p.inverse_out = own.inverse;
    }
  }
#endif
#pragma unroll 1
  for (i64 tile = block_index(); tile < tiles; tile += grid_blocks()) {
    const i64 down = tile / across, right = tile - down * across;
    const i64 row = down * kFp8Group + quad * kRows, column = right * kFp8Group + lane_piece * kFp8Piece;
    const int count = static_cast<int>(min_of<i64>(kFp8Piece, p.cols - column));
    FloatPiece<T> piece[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) piece[r].load(p.x, (row + r) * p.cols + column, row + r < p.rows ? count : 0, aligned);

    f32 amax[kRows];
#if ADJ_SCALES == 1
    f32 of_column[kFp8Piece];
#pragma unroll
    for (int j = 0; j < kFp8Piece; ++j) of_column[j] = 0;
#endif
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      f32 x[kFp8Piece];
      piece[r].get(x);
      amax[r] = ADJ_SCALES || p.amax_out ? amax_of(x) : 0;
      most = max_number(most, amax[r]);
      if (p.error_flag) wrong += wrong_of(x);
#if ADJ_SCALES == 1
#pragma unroll
      for (int j = 0; j < kFp8Piece; ++j) of_column[j] = larger(of_column[j], x[j]);
#endif
    }
    f32 scales[kRows];
#if ADJ_SCALES == 2
    block_barrier();  // the scratch and the words of the last tile are read
    const ScalePair own = scale_of(max_of_block(max_number(max_number(amax[0], amax[1]), max_number(amax[2], amax[3])), scratch), p.rule);
    if (thread_index() == 0) {
      const i64 at = down * p.places.row + right * p.places.column, at_t = right * p.places_t.row + down * p.places_t.column;
      if (p.scale_out) p.scale_out[at] = own.multiplier;
      if (p.inverse_out) p.inverse_out[at] = own.inverse;
      if (p.inverse_t_out) p.inverse_t_out[at_t] = own.inverse;
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) scales[r] = own.multiplier;
#else
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#if ADJ_SCALES == 1
      const ScalePair own = scale_of(max_of_lanes(amax[r], 1, kPieces), p.rule);
      scales[r] = own.multiplier;
      if (lane_piece == 0 && row + r < p.rows) {
        const i64 at = (row + r) * p.places.row + right * p.places.column;
        if (p.scale_out) p.scale_out[at] = own.multiplier;
        if (p.inverse_out) p.inverse_out[at] = own.inverse;
      }
#else
      scales[r] = multiplier;
      if (p.per_row && row + r < p.rows) {
        scales[r] = p.scale[row + r];
        if (column == 0) {
          if (p.scale_out) p.scale_out[row + r] = scales[r];
          if (p.inverse_out) p.inverse_out[row + r] = quotient_of(1.0f, scales[r]);
        }
      }
#endif
    }
    block_barrier();  // the words of the last tile are read
#endif

#if ADJ_SCALES == 1
    // Codes of the rows first; then those of the columns, with the scales of these, from the same numbers.
    if (p.codes)
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const i64 at = (row + r) * p.cols + column;
        f32 x[kFp8Piece];
        piece[r].get(x);
        if (row + r < p.rows && count > 0) store_vector<u8>(p.codes, at, codes_of<C>(x, scales[r], p, at), count, codes_aligned);
      }
#pragma unroll
    for (int j = 0; j < kFp8Piece; ++j) {
      const f32 own = max_of_lanes(of_column[j], kPieces, kWarp);
      if (lane_index() < kPieces) of_columns[warp_index() * kFp8Group + lane_piece * kFp8Piece + j] = own;
    }
    block_barrier();
    if (thread_index() < kFp8Group) {
      f32 own = 0;
#pragma unroll
      for (int w = 0; w < kWarps; ++w) own = max_number(own, of_columns[w * kFp8Group + thread_index()]);
      const ScalePair pair = scale_of(own, p.rule);
      of_columns[thread_index()] = pair.multiplier;
      const i64 at = right * kFp8Group + thread_index();
      if (p.inverse_t_out && at < p.cols) p.inverse_t_out[at * p.places_t.row + down * p.places_t.column] = pair.inverse;
    }
    block_barrier();
#endif

    u32 words[kFp8Piece];  // of a column each: the codes of the thread's four rows
#if ADJ_SCALES == 1
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      u32 random[kRows][4];
      if constexpr (ADJ_STOCHASTIC) {
        const RandomState state = read_random(p.random);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          const Words4 own = random_of_row(state, static_cast<u64>((row + r) * p.cols + column + 8 * half));
          random[r][0] = own.x, random[r][1] = own.y, random[r][2] = own.z, random[r][3] = own.w;
        }
      }
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        f32 four[4];
        u32 bits[2] = {0, 0};
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          four[r] = piece[r].number(8 * half + j);
          if constexpr (ADJ_STOCHASTIC) bits[r / 2] |= (random[r][j / 2] >> (j & 1) * 16 & 0xffff) << (r & 1) * 16;
        }
        words[8 * half + j] = four_codes<C>(four, of_columns[lane_piece * kFp8Piece + 8 * half + j], p, bits);
      }
    }
#else
    {
      Words4 codes[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const i64 at = (row + r) * p.cols + column;
        f32 x[kFp8Piece];
        piece[r].get(x);
        codes[r] = codes_of<C>(x, scales[r], p, at);
        if (p.codes && row + r < p.rows && count > 0) store_vector<u8>(p.codes, at, codes[r], count, codes_aligned);
      }
      // Four rows of four codes become four columns.
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        u32 rows[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) rows[r] = i == 0 ? codes[r].x : i == 1 ? codes[r].y : i == 2 ? codes[r].z : codes[r].w;
        const u32 low0 = take_bytes(rows[0], rows[1], 0x5140), low1 = take_bytes(rows[2], rows[3], 0x5140);
        const u32 high0 = take_bytes(rows[0], rows[1], 0x7362), high1 = take_bytes(rows[2], rows[3], 0x7362);
        words[4 * i] = take_bytes(low0, low1, 0x5410);
        words[4 * i + 1] = take_bytes(low0, low1, 0x7632);
        words[4 * i + 2] = take_bytes(high0, high1, 0x5410);
        words[4 * i + 3] = take_bytes(high0, high1, 0x7632);
      }
    }
#endif
    if (p.codes_t) {
      u32* const to = reinterpret_cast<u32*>(transposed);
#pragma unroll
      for (int j = 0; j < kFp8Piece; ++j) to[place_of(lane_piece * kFp8Piece + j, quad / 4) * 4 + quad % 4] = words[j];
      block_barrier();
      const i64 first = down * kFp8Group + lane_piece * kFp8Piece;
      const int rows_left = static_cast<int>(min_of<i64>(kFp8Piece, p.rows - first));
#pragma unroll
      for (int k = 0; k < kFp8Group * kPieces / kFp8Block; ++k) {
        const int own = quad + k * (kFp8Block / kPieces);
        const i64 to_row = right * kFp8Group + own;
        if (to_row < p.cols && rows_left > 0)
          store_vector<u8>(p.codes_t, to_row * p.rows + first, transposed[place_of(own, lane_piece)], rows_left, transposed_aligned);
      }
    }
  }
  add_findings(p, most, wrong, scratch);
}
