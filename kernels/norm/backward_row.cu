// Computes: the gradient of layer norm and RMS norm; partial sums of the gradients of gamma and beta.
//     h[i, j] = (x[i, j] - mean[i]) * inv_std[i], or (y[i, j] - beta[j]) / gamma[j];  g = dy * gamma
//     dx = inv_std * (g - mean of g - h * mean of (g * h)) + dresidual
//     partial dgamma[s, j] = sum of dy * h, partial dbeta[s, j] = sum of dy, over the rows of slice s
// Work split: a block (or a cluster) takes a slice of the rows. Each of its groups of p.lanes threads works on a row; a thread has the same columns
//     of each of its rows.
// Memory: reads dy and x once, writes dx once. Several rows are in flight into shared memory while one is worked on. Only the thread that has loaded
//     an element reads it there, so no barriers are needed.
// Order of additions: of a row by its length and types; of a column by slices, which depend on the shape.
// Limits: a row has at most kUnits units for each thread of the block or cluster; the plan checks. ADJ_ANY takes rows that begin anywhere.
//
// Macros: ADJ_S, ADJ_G, ADJ_O types of saved, dout, dinput; ADJ_INVERTED 1 to compute from the saved output Y; ADJ_ANY 1 if rows are not whole
//     aligned units; ADJ_CLUSTER 1 if a cluster shares a row.
#include "norm/params.h"
#include "prelude/mixed_units.cuh"
#if ADJ_CLUSTER
#include "prelude/cluster.cuh"
#endif

typedef Acc<ADJ_O> A;

constexpr int kBlock = 512;  // threads of a block, at most
constexpr int kN = 16 / kNarrowest<ADJ_S, ADJ_G, ADJ_O>;
// Most units of a row that a thread takes. From Y, half of the shared memory holds weights, so longer rows have no room.
constexpr int kUnits = ADJ_INVERTED ? 64 / (kN * static_cast<int>(sizeof(A))) : kNormUnits;
constexpr int kSavedPieces = Unit<ADJ_S, kN>::kPieces, kDoutPieces = Unit<ADJ_G, kN>::kPieces, kOutPieces = Unit<ADJ_O, kN>::kPieces;
constexpr int kWeightPieces = kNumberPieces<A, kN>;

// Type: the one of B and C that differs from A; A if none does.
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
  const bool wide = ADJ_CLUSTER || p.lanes > kWarp;
  const int lanes = p.lanes;
#if ADJ_CLUSTER
  const int lane = cluster_rank() * threads + thread_index(), group = 0, groups = 1;
  const i64 slice = cluster_index();
#else
  const int group = opaque(thread_index() / lanes), groups = threads / lanes, lane = thread_index() - group * lanes;
  const i64 slice = block_index();
#endif
  A dgamma[kUnits][kN], dbeta[kUnits][kN];
#pragma unroll
  for (int k = 0; k < kUnits; ++k)
#pragma unroll
    for (int j = 0; j < kN; ++j) dgamma[k][j] = dbeta[k][j] = 0;

  // Shared memory: the ring, with the statistics behind each of its rows; behind it gamma, beta and 1 / gamma, which all groups read. The pieces of a
  // warp lie next to each other, and those of a thread kWarp apart.
  const int of_unit = kSavedPieces + kDoutPieces + (ADJ_ANY || p.dresidual ? kOutPieces : 0), of_row = p.units_of_thread * of_unit + 1;
#if !ADJ_ANY
  const int stages = p.ring / of_row;
#endif
  auto place = [&](Words4* area, int thread, int pieces) { return area + thread / kWarp * pieces * kWarp + (thread & (kWarp - 1)); };
  Words4* const area = reinterpret_cast<Words4*>(memory);
  Words4* const ahead = place(area, thread_index(), of_unit);
  Words4* const gamma = place(area + p.ring * threads, ADJ_CLUSTER ? thread_index() : lane, kWeightPieces);
  const int unit_step = of_unit * threads, weight_step = kWeightPieces * (ADJ_CLUSTER ? threads : max_of(lanes, kWarp));
#if ADJ_INVERTED
  Words4* const beta = gamma + p.units_of_thread * weight_step;
  Words4* const inverse = beta + p.units_of_thread * weight_step;
#endif
  const i64 stride = p.slices * groups;
  const int count = lane < units ? (units - lane + lanes - 1) / lanes : 0;  // units of a row that this thread takes
  // fetch() loads unit k of a row, or unit `at` of the tensors, into shared memory.
#if ADJ_ANY
  auto fetch = [&](i64 row, int k, Words4* to) {
    // The tensors of a type share one copy of the code.
    typedef typename OtherOf<ADJ_O, ADJ_S, ADJ_G>::type Other;
    const int u = lane + k * lanes;
    auto cut = [&](auto type, const void* tensor, int first) {
      constexpr int kPieces = kN * static_cast<int>(sizeof(type)) / 16;
#pragma unroll 1
      for (int i = 0; i < kPieces; ++i) {
        Words4 piece = read_piece(static_cast<const decltype(type)*>(tensor) + row * columns, columns, u * kPieces + i);
        to[(first + i) * kWarp] = piece;
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
  };
#else
  auto fetch = [&](i64 at, Words4* to) {
    auto copy = [&](const void* tensor, auto pieces, int first) {
      constexpr int kPieces = decltype(pieces)::value;
#pragma unroll
      for (int i = 0; i < kPieces; ++i)
        copy16_to_shared(to + (first + i) * kWarp, static_cast<const Words4*>(tensor) + (at * kPieces + i));
    };
    copy(p.saved, Count<kSavedPieces>(), 0);
    copy(p.dout, Count<kDoutPieces>(), kSavedPieces);
    if (p.dresidual) copy(p.dresidual, Count<kOutPieces>(), kSavedPieces + kDoutPieces);
  };
#endif
  // unit_at: first unit of this thread in its current row. ahead_of: distance from there to the unit that it loads meanwhile.
  i64 unit_at = (slice * groups + group) * units + lane;
  const i64 unit_stride = stride * units;
#if !ADJ_ANY
  const i64 ahead_of = opaque(stages * unit_stride), last_with_next = opaque(p.rows - stages * stride);
  // Statistics are loaded into the ring too. In registers, they would have to arrive before the next ones could move up.
  A* const statistics = reinterpret_cast<A*>(area + p.units_of_thread * unit_step + thread_index());
  const int next_statistics = of_row * threads * (16 / static_cast<int>(sizeof(A)));
  auto fetch_statistics = [&](i64 row, int stage) {
    if (p.mean) copy_to_shared(statistics + stage * next_statistics, static_cast<const A*>(p.mean) + row);
    copy_to_shared(statistics + stage * next_statistics + 1, static_cast<const A*>(p.inv_std) + row);
  };
#pragma unroll 1
  for (int stage = 0; stage < stages; ++stage) {
    const i64 row = slice * groups + group + stage * stride;
    statistics[stage * next_statistics] = statistics[stage * next_statistics + 1] = 0;
    if (row < p.rows) {
      fetch_statistics(row, stage);
#pragma unroll 1
      for (int k = 0; k < count; ++k) fetch(unit_at + stage * unit_stride + k * lanes, ahead + stage * of_row * threads + k * unit_step);
    }
    close_copies();
  }
#endif
#pragma unroll 1
  for (int k = group; k < p.units_of_thread; k += groups) {
    const int first = (lane + k * lanes) * kN;
    A x[kN];
    const bool inside = first + kN <= columns;
    load_weights(x, p.gamma, first, columns, p.weight_type, A(1), inside && aligned16(p.gamma));
    put_numbers(gamma + k * weight_step, kWarp, x);
#if ADJ_INVERTED
    A b[kN];
    load_weights(b, p.beta, first, columns, p.weight_type, A(0), inside && aligned16(p.beta));
    put_numbers(beta + k * weight_step, kWarp, b);
#pragma unroll
    for (int j = 0; j < kN; ++j) x[j] = first + j < columns ? A(1) / x[j] : A(0);
    put_numbers(inverse + k * weight_step, kWarp, x);
#endif
  }
  if (groups > 1) block_barrier();

  // Reads a unit from shared memory: dy, gamma, and h = x - mean. From Y: h is the normalised input, and centred_sum gets the terms of the
  // sum of g * h without the division, which gives NaN where gamma is 0.
  auto take = [&](const Words4* from, int weights, int inside, A mean, A (&dy)[kN], A (&own_gamma)[kN], A (&h)[kN], A& centred_sum) {
    Unit<ADJ_S, kN> saved;
    Unit<ADJ_G, kN> dout;
#pragma unroll
    for (int i = 0; i < kSavedPieces; ++i) saved.words[i] = from[i * kWarp];
#pragma unroll
    for (int i = 0; i < kDoutPieces; ++i) dout.words[i] = from[(kSavedPieces + i) * kWarp];
    dout.get(dy);
    saved.get(h);
    get_numbers(gamma + weights, kWarp, own_gamma);
#if ADJ_INVERTED
    A b[kN], inv[kN];
    get_numbers(beta + weights, kWarp, b);
    get_numbers(inverse + weights, kWarp, inv);
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      const A centred = h[j] - b[j];
      h[j] = centred * inv[j];
      centred_sum = fused_multiply_add(dy[j], centred, centred_sum);
    }
#else
    if (p.centred)
#pragma unroll
      for (int j = 0; j < kN; ++j) h[j] -= mean;
#endif
#if ADJ_ANY
    // Zero beyond the row, so that infinite statistics give no NaN there.
#pragma unroll
    for (int j = 0; j < kN; ++j)
      if (j >= inside) h[j] = 0;
#endif
  };

  int turn = 0, stage = 0;
#pragma unroll 1
  for (i64 first = slice * groups; first < p.rows; first += stride) {
    const i64 row = first + group;
    const bool live = row < p.rows;
    Words4* const own = ahead + stage * of_row * threads;
#if ADJ_ANY
    const A mean = live && p.mean ? static_cast<const A*>(p.mean)[row] : A(0), scale = live ? static_cast<const A*>(p.inv_std)[row] : A(0);
#pragma unroll 1
    for (int k = 0; live && k < count; ++k) fetch(row, k, own + k * unit_step);
#else
    wait_copies_but(stages - 1);
    const A mean = statistics[stage * next_statistics], scale = statistics[stage * next_statistics + 1];
#endif
    const int own_count = live ? count : 0;
    A s1 = 0, s2 = 0;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      if (k >= own_count) break;
      A dy[kN], g[kN], h[kN], unused = 0;
      take(own + k * unit_step, k * weight_step, columns - (lane + k * lanes) * kN, mean, dy, g, h, ADJ_INVERTED ? s2 : unused);
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        // g = dy * gamma. Each rounding is written out here and below, so that all programs of a row have the same bits.
        g[j] = rounded_product(g[j], dy[j]);
#if !ADJ_INVERTED
        h[j] *= scale;
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
    if (wide) {
      sums_of_group(s1, s2, parts[turn], group, lanes);
    } else {
      s1 = sum_of_lanes(s1, lanes);
      s2 = sum_of_lanes(s2, lanes);
    }
#if ADJ_ANY
    warp_barrier();  // lanes read words that they share; all have read before one stores, perhaps in place
#endif
#endif
    turn ^= 1;  // one barrier a row suffices: who writes parts[turn] again has passed the barrier of the row between
    const A c1 = p.centred ? rounded_product(s1, static_cast<A>(p.inverse_columns)) : A(0);
    const A c2 = s2 * static_cast<A>(p.inverse_columns) * (ADJ_INVERTED ? A(1) : scale);
    // Reads the row from shared memory once more: the registers hold the sums of columns.
    int own_at = 0, weights_at = 0;
#if !ADJ_ANY
    i64 at = unit_at;
    const int sends = opaque(static_cast<int>(row < last_with_next));
#endif
#pragma unroll 1
    for (int k = 0; k < own_count; ++k, own_at += unit_step, weights_at += weight_step) {
      Words4* const from = own + own_at;
      A dx[kN], dy[kN], own_gamma[kN], h[kN], unused = 0;
      take(from, weights_at, columns - (lane + k * lanes) * kN, mean, dy, own_gamma, h, unused);
#pragma unroll
      for (int j = 0; j < kN; ++j) dx[j] = fused_multiply_add(-h[j], c2, fused_multiply_add(own_gamma[j], dy[j], -c1));
      if (p.dresidual) {
        Unit<ADJ_O, kN> added;
#pragma unroll
        for (int i = 0; i < kOutPieces; ++i) added.words[i] = from[(kSavedPieces + kDoutPieces + i) * kWarp];
        A more[kN];
        added.get(more);
#pragma unroll
        for (int j = 0; j < kN; ++j) dx[j] = fused_multiply_add(scale, dx[j], more[j]);
      } else {
#pragma unroll
        for (int j = 0; j < kN; ++j) dx[j] = rounded_product(scale, dx[j]);
      }
      Unit<ADJ_O, kN> result;
      result.set(dx);
#if ADJ_ANY
#pragma unroll
      for (int i = 0; i < kOutPieces; ++i) from[i * kWarp] = result.words[i];
#else
      if (sends) fetch(at + ahead_of, from);
      result.store(static_cast<ADJ_O*>(p.dinput) + at * kN);
      at += lanes;
#endif
    }
#if ADJ_ANY
    // Stores from shared memory, element by element.
    constexpr int kOwn = kVec16<ADJ_O>;
#pragma unroll 1
    for (int piece = 0; live && piece < p.units_of_thread * kOutPieces; ++piece) {
      const int k = piece / kOutPieces, i = piece - k * kOutPieces, c = (lane + k * lanes) * kN + i * kOwn;
      if (c >= columns) break;  // no result beyond the row
      const Vec<ADJ_O, kOwn> v = unpack<ADJ_O>(own[k * unit_step + i * kWarp]);
#pragma unroll
      for (int j = 0; j < kOwn; ++j)
        if (c + j < columns) static_cast<ADJ_O*>(p.dinput)[row * columns + c + j] = v.at[j];
    }
#else
    if (sends) fetch_statistics(row + stages * stride, stage);
    close_copies();
    if (++stage == stages) stage = 0;
#endif
    unit_at += unit_stride;
  }
#if !ADJ_ANY
  wait_copies_but(0);  // the memory is used again for the sums of columns
#endif
#if ADJ_CLUSTER
  cluster_barrier();  // no block may end while another reads its sums
#endif
  if (!p.partials) return;

  A* const partials = static_cast<A*>(p.partials) + slice * p.pitch;
  if (groups == 1) {
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      if (k >= count) return;
      A* const at = partials + (lane + k * lanes) * kN;
      put_numbers(reinterpret_cast<Words4*>(at), 1, dgamma[k]);
      if (p.centred) put_numbers(reinterpret_cast<Words4*>(at + p.slices * p.pitch), 1, dbeta[k]);
    }
    return;
  }
  // Adds the sums of the groups of the block, in their order.
  const int width = lanes * p.units_of_thread * kN;
  A* const shared = reinterpret_cast<A*>(memory);
#pragma unroll 1
  for (int which = 0; which < (p.centred ? 2 : 1); ++which) {
    block_barrier();
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      if (k >= p.units_of_thread) break;
      A chosen[kN];
#pragma unroll
      for (int j = 0; j < kN; ++j) chosen[j] = which ? dbeta[k][j] : dgamma[k][j];
      put_numbers(reinterpret_cast<Words4*>(shared + group * width + (lane + k * lanes) * kN), 1, chosen);
    }
    block_barrier();
#pragma unroll 1
    for (int c = thread_index(); c < width; c += threads) {
      if (c >= units * kN) break;
      partials[which * p.slices * p.pitch + c] = sum_in_order<A>(groups, [&](int i) { return shared[i * width + c]; });
    }
  }
}
