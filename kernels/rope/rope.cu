// Rotary position embedding, with the RMS norm before it as an option, and the gradient of the rotation alone.
//
// Computes: include/adjoint/ops/rope.h.
// Work split: a block takes p.tokens_of_block tokens, and p.heads_at_once heads of each at a time. p.lanes threads share a head, a unit each; with ADJ_ANY
//     several. A thread keeps its units for all heads, so it reads their angles once.
// Memory: heads are read and written once, 16 bytes at a time, kFlight units in flight (ADJ_ANY: element by element, with a norm twice). Angles are
//     computed or read once for a token, into shared memory.
// Order of additions: of the squares of a head by its size and type alone.
// Limits: without ADJ_ANY heads are aligned and have at most p.lanes units; the plan (src/ops/rope) checks.
//
// Macros: ADJ_T element type, ADJ_INTERLEAVED 1 if neighbours are a pair, ADJ_ANY 1 for any strides and sizes, ADJ_NORM 1 with the norm.
#include "rope/head.cuh"

typedef ADJ_T T;
typedef Acc<T> A;
typedef Heads<T, ADJ_ANY, ADJ_INTERLEAVED> H;
typedef H::Part HeadPart;
constexpr int kN = H::kN;

constexpr int kFlight = ADJ_NORM ? 2 : 4;    // units of a thread in flight
constexpr int kCopies = ADJ_NORM ? 1 : kFlight;  // of the code for a unit

extern "C" __global__ void __launch_bounds__(kRopeBlock, 1) ADJ_ENTRY(const __grid_constant__ RopeParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  A* const cosines = reinterpret_cast<A*>(memory);
  A* const sines = cosines + p.tokens_of_block * p.pairs;
  A* const weights = sines + p.tokens_of_block * p.pairs;
  const Seat seat(p);
  const i64 first = block_index() * p.tokens_of_block, token = first + seat.token;
  const bool valid = seat.token < p.tokens_of_block && token < p.all_tokens;
  const bool inside = valid && position_of(p, token) >= 0;
  const T* const in = static_cast<const T*>(p.in) + (valid ? token_offset(p, token, p.in_strides) : 0);
  T* const out = static_cast<T*>(p.out) + (valid ? token_offset(p, token, p.out_strides) : 0);
  // In place, elements behind the rotated part stay.
  const bool copies = ADJ_NORM || p.in != p.out || !inside;
  const A* const own_cosines = cosines + seat.token * p.pairs;
  const A* const own_sines = sines + seat.token * p.pairs;
#if ADJ_NORM
  auto scale_of = [&](A square) {
    square = sum_of_lanes(square, p.lanes);
    return A(1) / square_root(fused_multiply_add(square, static_cast<A>(p.inverse_dim), static_cast<A>(p.epsilon)));
  };
  constexpr int kKinds = 2;  // queries and keys have weights of their own
#else
  constexpr int kKinds = 1;
#endif

#if ADJ_ANY
  write_angles(p, first, cosines, sines, true);
#if ADJ_NORM
  write_weights(p, weights);
#endif
  block_barrier();
#pragma unroll 1
  for (int kind = 0; kind < kKinds; ++kind) {
    const int begin = kind ? p.heads : 0, end = kKinds == 2 && kind == 0 ? p.heads : p.all_heads;
#pragma unroll 1
    for (int h = begin + seat.head; h - seat.head < end; h += p.heads_at_once) {
      const bool takes = valid && h < end;
      const T* const from = in + h * p.in_strides[2];
      T* const to = out + h * p.out_strides[2];
#if ADJ_NORM
      A square = 0;
#pragma unroll 1
      for (int i = seat.lane; takes && i < p.head_dim; i += p.lanes) {
        const A x = to_acc(from[i]);
        square = fused_multiply_add(x, x, square);
      }
      const A scale = scale_of(square);
      warp_barrier();  // in place: all lanes have read the head
#endif
#pragma unroll 1
      for (int u = seat.lane; takes && u < H::units(p); u += p.lanes) {
        const Place place = H::place_of(p, u);
        if (!place.rotated && !copies) break;
        A a[kN], b[kN] = {};
        H::numbers_of(H::load(from + place.first), a);
        if (place.both) H::numbers_of(H::load(from + place.second), b);
#if ADJ_NORM
        a[0] *= rounded_product(scale, weights[kind * p.head_dim + place.first]);
        if (place.both) b[0] *= rounded_product(scale, weights[kind * p.head_dim + place.second]);
#endif
        if (place.rotated) H::rotate_pair(a[0], b[0], own_cosines[u], own_sines[u]);
        if (!inside) a[0] = b[0] = 0;
        H::store(to + place.first, a);
        if (place.both) H::store(to + place.second, b);
      }
    }
  }
#else
  const Place place = H::place_of(p, seat.lane);
  const bool has_unit = valid && seat.lane < H::units(p) && (place.rotated || copies);
  bool ready = false;
  A cosine[kN] = {}, sine[kN] = {};
#pragma unroll 1
  for (int kind = 0; kind < kKinds; ++kind) {
    const int begin = kind ? p.heads : 0, end = kKinds == 2 && kind == 0 ? p.heads : p.all_heads;
#pragma unroll 1
    for (int first_head = begin; first_head < end; first_head += kFlight * p.heads_at_once) {
      HeadPart parts[kFlight][2];
      auto takes = [&](int k) { return has_unit && first_head + k * p.heads_at_once + seat.head < end; };
      auto offset = [&](int k, i64 stride) { return (first_head + k * p.heads_at_once + seat.head) * stride; };
#pragma unroll
      for (int k = 0; k < kFlight; ++k) {
        parts[k][0] = parts[k][1] = HeadPart{};
        if (!takes(k)) continue;
        const T* const from = in + offset(k, p.in_strides[2]);
        parts[k][0] = H::load(from + place.first);
        if (place.both) parts[k][1] = H::load(from + place.second);
      }
      if (!ready) {
        // Loads are on their way meanwhile.
        write_angles(p, first, cosines, sines, true);
#if ADJ_NORM
        write_weights(p, weights);
#endif
        block_barrier();
        if (has_unit && place.rotated) {
          H::get(own_cosines + seat.lane * kN, cosine);
          H::get(own_sines + seat.lane * kN, sine);
        }
        ready = true;
      }
#pragma unroll kCopies
      for (int k = 0; k < kFlight; ++k) {
        A a[kN], b[kN];
        H::numbers_of(parts[0][0], a);
        H::numbers_of(parts[0][1], b);
#pragma unroll
        for (int i = 0; i + 1 < kFlight; ++i) {
          parts[i][0] = parts[i + 1][0];
          parts[i][1] = parts[i + 1][1];
        }
#if ADJ_NORM
        A square = 0;
#pragma unroll
        for (int j = 0; j < kN; ++j) square = fused_multiply_add(b[j], b[j], fused_multiply_add(a[j], a[j], square));
        const A scale = scale_of(square);
#endif
        if (!takes(k)) continue;
#if ADJ_NORM
        A weight[kN];
        H::get(weights + kind * p.head_dim + place.first, weight);
#pragma unroll
        for (int j = 0; j < kN; ++j) a[j] *= rounded_product(scale, weight[j]);
        if (place.both) H::get(weights + kind * p.head_dim + place.second, weight);
#pragma unroll
        for (int j = 0; j < kN; ++j) b[j] *= rounded_product(scale, weight[j]);
#endif
        if (place.rotated) H::rotate(a, b, cosine, sine);
        if (!inside) {
#pragma unroll
          for (int j = 0; j < kN; ++j) a[j] = b[j] = 0;
        }
        T* const to = out + offset(k, p.out_strides[2]);
        H::store(to + place.first, a);
        if (place.both) H::store(to + place.second, b);
      }
    }
  }
#endif
}
