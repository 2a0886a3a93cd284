// Computes: the gradient of layer norm and RMS norm, and partial sums of the gradients of gamma and beta.
//     h[i, j] = (x[i, j] - mean[i]) * inv_std[i], or (y[i, j] - beta[j]) / gamma[j];  g = dy * gamma
//     dx = inv_std * (g - mean of g - h * mean of (g * h)) + dresidual
//     partial dgamma[s, j] = sum of dy * h, partial dbeta[s, j] = sum of dy, over the rows of slice s
// Work split: a block (or a cluster) has a slice of the rows, as far apart as there are slices; p.lanes threads have a row, and a
//     thread has the same columns of each of its rows.
// Memory: dy and x are read once, dx is written once. Some rows are on their way into shared memory while one is worked on. What a thread
//     keeps in shared memory (rows, gamma, beta, 1 / gamma) only it reads, so there are no barriers for it.
// Order of additions: of a row by its length and types; of a column by slices, which depend on the shape.
// Limits: rows of at most kUnits units a thread of the block or cluster; the plan checks. ADJ_ANY takes rows that begin anywhere.
//
// Macros: ADJ_S, ADJ_G, ADJ_O types of saved, dout, dinput; ADJ_INVERTED from Y; ADJ_ANY rows are not whole
//     16-byte units; ADJ_CLUSTER a cluster shares a row.
#include "norm/units.cuh"
#if ADJ_CLUSTER
#include "prelude/cluster.cuh"
#endif

typedef Acc<ADJ_O> A;

constexpr int kBlock = 512;  // at most
constexpr int kN = 16 / kNarrowest<ADJ_S, ADJ_G, ADJ_O>;
// Of a thread at most. From Y, half of the shared memory holds weights, and longer rows have no room there.
constexpr int kUnits = ADJ_INVERTED ? 64 / (kN * static_cast<int>(sizeof(A))) : kNormUnits;
constexpr int kSavedPieces = Unit<ADJ_S, kN>::kPieces, kDoutPieces = Unit<ADJ_G, kN>::kPieces, kOutPieces = Unit<ADJ_O, kN>::kPieces;
constexpr int kWeightPieces = kNumberPieces<A, kN>;

// The type that is not the first one, if there is one.
template <class A, class B, class C> struct OtherOf { typedef B type; };
template <class A, class C> struct OtherOf<A, A, C> { typedef C type; };
template <int n> struct Count { static constexpr int value = n; };

extern "C" __global__ void __launch_bounds__(kBlock, 1) ADJ_ENTRY(const __grid_constant__ NormBackwardParams p) {
  constexpr int kMostWarps = kBlock / kWarp;
  typedef A Parts[2 * kMostWarps];
  ADJ_SHARED(Parts, parts, 2);
  ADJ_DYNAMIC_SHARED(memory);
  let_next_grid_begin();
  const int threads = block_threads(), columns = static_cast<int>(p.columns), units = (columns + kN - 1) / kN;
  const bool alone = ADJ_CLUSTER || p.lanes > kWarp;
  const int lanes = p.lanes;
#if ADJ_CLUSTER
  const int lane = cluster_rank() * threads + thread_index(), group = 0, groups = 1;
  const i64 slice = cluster_index();
#else
  const int lane = alone ? thread_index() : thread_index() & (lanes - 1);
  const int group = alone ? 0 : thread_index() >> lowest_bit(lanes), groups = alone ? 1 : threads >> lowest_bit(lanes);
  const i64 slice = block_index();
#endif
  A dgamma[kUnits][kN], dbeta[kUnits][kN];
#pragma unroll
  for (int k = 0; k < kUnits; ++k)
#pragma unroll
    for (int j = 0; j < kN; ++j) dgamma[k][j] = dbeta[k][j] = 0;

  // A ring of rows ahead, as many as there is room for; gamma, beta and 1 / gamma behind it.
  const int of_unit = kSavedPieces + kDoutPieces + (ADJ_ANY || p.dresidual ? kOutPieces : 0), of_row = p.units_of_thread * of_unit;
  const int stages = ADJ_ANY ? 1 : p.ring / of_row;
  Words4* const ahead = reinterpret_cast<Words4*>(memory) + thread_index();
  Words4* const gamma = ahead + p.ring * threads;
#if ADJ_INVERTED
  Words4* const beta = gamma + p.units_of_thread * kWeightPieces * threads;
  Words4* const inverse = beta + p.units_of_thread * kWeightPieces * threads;
#endif
  const i64 stride = p.slices * groups;
  // Sends for unit k of a row.
  auto fetch = [&](i64 row, int k, Words4* to) {
    const int u = lane + k * lanes;
    if (row >= p.rows || u >= units) return;
#if ADJ_ANY
    // One copy of the code for the tensors of a type.
    typedef typename OtherOf<ADJ_O, ADJ_S, ADJ_G>::type Other;
    auto cut = [&](auto type, const void* tensor, int first) {
      constexpr int kPieces = kN * static_cast<int>(sizeof(type)) / 16;
#pragma unroll 1
      for (int i = 0; i < kPieces; ++i) {
        Words4 piece = read_piece(static_cast<const decltype(type)*>(tensor) + row * columns, columns, u * kPieces + i);
        to[(first + i) * threads] = piece;
      }
    };
#pragma unroll 1
    for (int t = 0; t < 3; ++t) {
      const void* const tensor = t == 0 ? p.saved : t == 1 ? p.dout : p.dresidual;
      const int first = t == 0 ? 0 : t == 1 ? kSavedPieces : kSavedPieces + kDoutPieces;
      const bool other = t == 0 ? !kSameType<ADJ_S, ADJ_O> : t == 1 && !kSameType<ADJ_G, ADJ_O>;
      if (!tensor) continue;
      if (!kSameType<Other, ADJ_O> && other) cut(Other{}, tensor, first);
      else cut(ADJ_O{}, tensor, first);
    }
#else
    auto copy = [&](const void* tensor, auto pieces, int first) {
      constexpr int kPieces = decltype(pieces)::value;
#pragma unroll
      for (int i = 0; i < kPieces; ++i)
        copy16_to_shared(to + (first + i) * threads, static_cast<const Words4*>(tensor) + ((row * units + u) * kPieces + i));
    };
    copy(p.saved, Count<kSavedPieces>(), 0);
    copy(p.dout, Count<kDoutPieces>(), kSavedPieces);
    if (p.dresidual) copy(p.dresidual, Count<kOutPieces>(), kSavedPieces + kDoutPieces);
#endif
  };
#if !ADJ_ANY
#pragma unroll 1
  for (int stage = 0; stage < stages; ++stage) {
#pragma unroll 1
    for (int k = 0; k < p.units_of_thread; ++k)
      fetch(slice * groups + group + stage * stride, k, ahead + (stage * of_row + k * of_unit) * threads);
    close_copies();
  }
#endif
#pragma unroll 1
  for (int k = 0; k < p.units_of_thread; ++k) {
    const int first = (lane + k * lanes) * kN;
    A x[kN];
    load_weights(x, p.gamma, first, columns, p.weight_type, A(1));
    put_numbers(gamma + k * kWeightPieces * threads, threads, x);
#if ADJ_INVERTED
    A b[kN];
    load_weights(b, p.beta, first, columns, p.weight_type, A(0));
    put_numbers(beta + k * kWeightPieces * threads, threads, b);
#pragma unroll
    for (int j = 0; j < kN; ++j) x[j] = first + j < columns ? A(1) / x[j] : A(0);
    put_numbers(inverse + k * kWeightPieces * threads, threads, x);
#endif
  }

  // dy, g and h of unit k, and the term of the second sum from Y: without the quotient, which is not a number where gamma is 0.
  auto take = [&](const Words4* from, int k, int inside, A mean, A scale, A (&dy)[kN], A (&g)[kN], A (&h)[kN], A& centred_sum) {
    Unit<ADJ_S, kN> saved;
    Unit<ADJ_G, kN> dout;
#pragma unroll
    for (int i = 0; i < kSavedPieces; ++i) saved.words[i] = from[i * threads];
#pragma unroll
    for (int i = 0; i < kDoutPieces; ++i) dout.words[i] = from[(kSavedPieces + i) * threads];
    dout.get(dy);
    saved.get(h);
    get_numbers(gamma + k * kWeightPieces * threads, threads, g);
#if ADJ_INVERTED
    A b[kN], inv[kN];
    get_numbers(beta + k * kWeightPieces * threads, threads, b);
    get_numbers(inverse + k * kWeightPieces * threads, threads, inv);
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      const A centred = h[j] - b[j];
      h[j] = centred * inv[j];
      centred_sum = fused_multiply_add(dy[j], centred, centred_sum);
    }
#else
#pragma unroll
    for (int j = 0; j < kN; ++j) h[j] = (h[j] - mean) * scale;
#endif
#if ADJ_ANY
    // No infinity of the statistics times the zeros beyond the row.
#pragma unroll
    for (int j = 0; j < kN; ++j)
      if (j >= inside) h[j] = 0;
#endif
#pragma unroll
    for (int j = 0; j < kN; ++j) g[j] *= dy[j];
  };

  A next_mean = 0, next_scale = 0;
  auto fetch_statistics = [&](i64 row) {
    if (row >= p.rows) return;
    if (p.mean) next_mean = static_cast<const A*>(p.mean)[row];
    next_scale = static_cast<const A*>(p.inv_std)[row];
  };
  fetch_statistics(slice * groups + group);
  int turn = 0, stage = 0;
#pragma unroll 1
  for (i64 first = slice * groups; first < p.rows; first += stride) {
    const i64 row = first + group;
    const bool live = row < p.rows;
    Words4* const own = ahead + stage * of_row * threads;
    const A mean = next_mean, scale = next_scale;
    fetch_statistics(row + stride);
#if ADJ_ANY
#pragma unroll 1
    for (int k = 0; k < p.units_of_thread; ++k) fetch(row, k, own + k * of_unit * threads);
#else
    wait_copies_but(stages - 1);
#endif
    A s1 = 0, s2 = 0;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const int u = lane + k * lanes;
      if (!live || u >= units) break;
      A dy[kN], g[kN], h[kN], unused = 0;
      take(own + k * of_unit * threads, k, columns - u * kN, mean, scale, dy, g, h, ADJ_INVERTED ? s2 : unused);
#pragma unroll
      for (int j = 0; j < kN; ++j) {
#if !ADJ_INVERTED
        s2 = fused_multiply_add(g[j], h[j], s2);
#endif
        dgamma[k][j] = fused_multiply_add(dy[j], h[j], dgamma[k][j]);
      }
      if (!p.centred) continue;
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        s1 += g[j];
        dbeta[k][j] += dy[j];
      }
    }
#if ADJ_CLUSTER
    s1 = warp_sum(s1);
    s2 = warp_sum(s2);
    if (lane_index() == 0) {
      parts[turn][2 * warp_index()] = s1;
      parts[turn][2 * warp_index() + 1] = s2;
    }
    cluster_barrier();
    s1 = s2 = 0;
#pragma unroll 1
    for (int i = lane_index(); i < block_warps() * cluster_blocks(); i += kWarp) {
      const int rank = i / block_warps(), w = i - rank * block_warps();
      s1 += load_from_block(&parts[turn][2 * w], rank);
      s2 += load_from_block(&parts[turn][2 * w + 1], rank);
    }
    s1 = warp_sum(s1);
    s2 = warp_sum(s2);
#else
    sum_of_lanes(s1, s2, lanes);
    if (alone) sum_of_block(s1, s2, parts[turn]);
#if ADJ_ANY
    warp_barrier();  // words that lanes share have been read when one of them writes its part, which may be in place
#endif
#endif
    turn ^= 1;  // one barrier a row: who writes parts[turn] again has passed the one of the row between
    const A c1 = p.centred ? s1 * static_cast<A>(p.inverse_columns) : A(0), c2 = s2 * static_cast<A>(p.inverse_columns);
    // Once more out of shared memory: registers are for the sums of columns.
#pragma unroll 1
    for (int k = 0; k < p.units_of_thread; ++k) {
      const int u = lane + k * lanes;
      if (!live || u >= units) break;
      Words4* const from = own + k * of_unit * threads;
      A dx[kN], dy[kN], g[kN], h[kN], unused = 0;
      take(from, k, columns - u * kN, mean, scale, dy, g, h, unused);
#pragma unroll
      for (int j = 0; j < kN; ++j) dx[j] = scale * fused_multiply_add(-h[j], c2, g[j] - c1);
      if (p.dresidual) {
        Unit<ADJ_O, kN> added;
#pragma unroll
        for (int i = 0; i < kOutPieces; ++i) added.words[i] = from[(kSavedPieces + kDoutPieces + i) * threads];
        A more[kN];
        added.get(more);
#pragma unroll
        for (int j = 0; j < kN; ++j) dx[j] += more[j];
      }
      Unit<ADJ_O, kN> result;
      result.set(dx);
#if ADJ_ANY
#pragma unroll
      for (int i = 0; i < kOutPieces; ++i) from[i * threads] = result.words[i];
#else
      fetch(row + stages * stride, k, from);
      result.store(static_cast<ADJ_O*>(p.dinput) + (row * units + u) * kN);
#endif
    }
#if ADJ_ANY
    // Out of shared memory, element by element.
    constexpr int kOwn = kVec16<ADJ_O>;
#pragma unroll 1
    for (int piece = 0; live && piece < p.units_of_thread * kOutPieces; ++piece) {
      const int k = piece / kOutPieces, i = piece - k * kOutPieces, c = (lane + k * lanes) * kN + i * kOwn;
      if (c >= columns) break;  // nothing was put there
      const Vec<ADJ_O, kOwn> v = unpack<ADJ_O>(own[(k * of_unit + i) * threads]);
#pragma unroll
      for (int j = 0; j < kOwn; ++j)
        if (c + j < columns) static_cast<ADJ_O*>(p.dinput)[row * columns + c + j] = v.at[j];
    }
#else
    close_copies();
    if (++stage == stages) stage = 0;
#endif
  }
#if !ADJ_ANY
  wait_copies_but(0);  // the memory is used for the sums of columns
#endif
#if ADJ_CLUSTER
  cluster_barrier();  // no block ends while another reads its sums
#endif
  if (!p.partials) return;

  // What this block has of the columns, over its groups in their order: local unit i of a thread's units is unit first + i of the row as
  // long as i is below the local lanes, and so on for the next ones.
  const int local_lanes = alone ? threads : lanes, local_lane = alone ? thread_index() : lane, width = local_lanes * p.units_of_thread * kN;
  A* const shared = reinterpret_cast<A*>(memory);
  A* const partials = static_cast<A*>(p.partials) + slice * p.pitch;
#pragma unroll 1
  for (int which = 0; which < (p.centred ? 2 : 1); ++which) {
    block_barrier();
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      if (k >= p.units_of_thread) break;
      A chosen[kN];
#pragma unroll
      for (int j = 0; j < kN; ++j) chosen[j] = which ? dbeta[k][j] : dgamma[k][j];
      put_numbers(reinterpret_cast<Words4*>(shared + group * width + (local_lane + k * local_lanes) * kN), 1, chosen);
    }
    block_barrier();
#pragma unroll 1
    for (int c = thread_index(); c < width; c += threads) {
      const int unit = c / kN, k = unit / local_lanes, column = (lane - local_lane + unit - k * local_lanes + k * lanes) * kN + c % kN;
      if (column >= units * kN) continue;
      partials[which * p.slices * p.pitch + column] = sum_in_order<A>(groups, [&](int i) { return shared[i * width + c]; });
    }
  }
}
