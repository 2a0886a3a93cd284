// Gradient of the rotary position embedding of normalised heads.
//
// Computes: dinput of include/adjoint/ops/rope.h, and partial sums of the gradients of the weights: partials[kind, block, i] over the tokens of a block.
// Work split: as in rope/rope.cu, first all queries and then all keys; a block goes on to tokens a grid away. A thread keeps its units, so it has the
//     sums of their weights in registers (ADJ_ANY: in shared memory).
// Memory: dout and input are read once, dinput is written once, 16 bytes at a time (ADJ_ANY: element by element, and read twice).
// Order of additions: in a head by its size and type alone. A thread adds its heads in order, then the threads of an element are added in order in f64;
//     the grid depends on the shape alone.
// Limits: as in rope/rope.cu.
//
// Macros: ADJ_T element type, ADJ_INTERLEAVED 1 if neighbours are a pair, ADJ_ANY 1 for any strides and sizes.
#include "rope/head.cuh"

typedef ADJ_T T;
typedef Acc<T> A;
typedef Heads<T, ADJ_ANY, ADJ_INTERLEAVED> H;
typedef H::Part HeadPart;
constexpr int kN = H::kN;

constexpr int kFlight = 2;  // units of a thread in flight

// Turns the sums over a head of x * x and g * x, with g = dz * weight, into 1 / root mean square and the factor of x in the gradient.
__device__ __forceinline__ void finish_sums(const RopeParams& p, A& square, A& product) {
  square = sum_of_lanes(square, p.lanes);
  product = sum_of_lanes(product, p.lanes);
  const A scale = A(1) / square_root(fused_multiply_add(square, static_cast<A>(p.inverse_dim), static_cast<A>(p.epsilon)));
  product = rounded_product(rounded_product(product, static_cast<A>(p.inverse_dim)), rounded_product(scale, scale));
  square = scale;
}

#if ADJ_ANY
// The heads of one kind (queries or keys) at one token.
struct Token {
  const T *dout, *input;
  T* out;
  const A *cosines, *sines, *weights;
  int begin, end;  // heads
  bool valid;      // there is such a token
  bool inside;     // its position is in the tables
};

// Adds to own_sums, in shared memory.
__device__ __forceinline__ void take_heads(const RopeParams& p, const Seat& seat, const Token& t, A* own_sums) {
#pragma unroll 1
  for (int h = t.begin + seat.head; h - seat.head < t.end; h += p.heads_at_once) {
    const bool takes = t.valid && h < t.end;
    const T* const dy = t.dout + h * p.in_strides[2];
    const T* const x = t.input + h * p.input_strides[2];
    T* const to = t.out + h * p.out_strides[2];
    // dz of a unit
    auto rotated = [&](const Place& place, int u, A(&a)[kN], A(&b)[kN]) {
      H::numbers_of(H::load(dy + place.first), a);
      b[0] = 0;
      if (place.both) H::numbers_of(H::load(dy + place.second), b);
      if (place.rotated) H::rotate_pair(a[0], b[0], t.cosines[u], t.sines[u]);
    };
    A square = 0, product = 0, a[kN], b[kN];
#pragma unroll 1
    for (int u = seat.lane; takes && t.inside && u < H::units(p); u += p.lanes) {
      const Place place = H::place_of(p, u);
      rotated(place, u, a, b);
#pragma unroll 1
      for (int part = 0; part < (place.both ? 2 : 1); ++part) {
        const int i = part ? place.second : place.first;
        const A own = to_acc(x[i]), g = rounded_product(part ? b[0] : a[0], t.weights[i]);
        square = fused_multiply_add(own, own, square);
        product = fused_multiply_add(g, own, product);
      }
    }
    finish_sums(p, square, product);
#pragma unroll 1
    for (int u = seat.lane; takes && u < H::units(p); u += p.lanes) {
      const Place place = H::place_of(p, u);
      rotated(place, u, a, b);
#pragma unroll 1
      for (int part = 0; part < (place.both ? 2 : 1); ++part) {
        const int i = part ? place.second : place.first;
        const A own = to_acc(x[i]), dz = part ? b[0] : a[0], g = rounded_product(dz, t.weights[i]);
        if (t.inside) own_sums[i] = fused_multiply_add(dz, rounded_product(own, square), own_sums[i]);
        const A result[kN] = {t.inside ? rounded_product(square, fused_multiply_add(-own, product, g)) : A(0)};
        H::store(to + i, result);
      }
    }
  }
}
#endif

extern "C" __global__ void __launch_bounds__(kRopeBlock, 1) ADJ_ENTRY(const __grid_constant__ RopeParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  A* const cosines = reinterpret_cast<A*>(memory);
  A* const sines = cosines + p.tokens_of_block * p.pairs;
  A* const weights = sines + p.tokens_of_block * p.pairs;
  const Seat seat(p);
  A* const all_sums = weights + 2 * p.head_dim;  // [groups, head_dim]
  A* const own_sums = all_sums + seat.group * p.head_dim;
  const int groups = block_threads() >> lowest_bit(static_cast<u32>(p.lanes));
  const A* const own_cosines = cosines + seat.token * p.pairs;
  const A* const own_sines = sines + seat.token * p.pairs;
  let_next_grid_begin();
  write_weights(p, weights);
#pragma unroll 1
  for (int kind = 0; kind < (p.all_heads > p.heads ? 2 : 1); ++kind) {
    const int begin = kind ? p.heads : 0, end = kind ? p.all_heads : p.heads;
    const A* const own_weights = weights + kind * p.head_dim;
#if ADJ_ANY
#pragma unroll 1
    for (int i = seat.lane; i < p.head_dim; i += p.lanes) own_sums[i] = 0;
#else
    const Place place = H::place_of(p, seat.lane);
    A sums[2][kN] = {};
#endif
#pragma unroll 1
    for (i64 first = block_index() * p.tokens_of_block; first < p.all_tokens; first += grid_blocks() * p.tokens_of_block) {
      const i64 token = first + seat.token;
      const bool valid = seat.token < p.tokens_of_block && token < p.all_tokens;
      const bool inside = valid && position_of(p, token) >= 0;
      const T* const dout = static_cast<const T*>(p.in) + (valid ? token_offset(p, token, p.in_strides) : 0);
      const T* const input = static_cast<const T*>(p.input) + (valid ? token_offset(p, token, p.input_strides) : 0);
      T* const out = static_cast<T*>(p.out) + (valid ? token_offset(p, token, p.out_strides) : 0);
      block_barrier();  // nobody reads the angles of the last turn any more
      write_angles(p, first, cosines, sines, kind == 0);
      block_barrier();
#if ADJ_ANY
      take_heads(p, seat, {dout, input, out, own_cosines, own_sines, own_weights, begin, end, valid, inside}, own_sums);
#else
      const bool has_unit = valid && seat.lane < H::units(p);
      A cosine[kN] = {}, sine[kN] = {};
      if (has_unit && place.rotated) {
        H::get(own_cosines + seat.lane * kN, cosine);
        H::get(own_sines + seat.lane * kN, sine);
      }
#pragma unroll 1
      for (int first_head = begin; first_head < end; first_head += kFlight * p.heads_at_once) {
        HeadPart gradients[kFlight][2], inputs[kFlight][2];
        auto takes = [&](int k) { return has_unit && first_head + k * p.heads_at_once + seat.head < end; };
        auto offset = [&](int k, i64 stride) { return (first_head + k * p.heads_at_once + seat.head) * stride; };
#pragma unroll
        for (int k = 0; k < kFlight; ++k) {
          gradients[k][0] = gradients[k][1] = inputs[k][0] = inputs[k][1] = HeadPart{};
          if (!takes(k)) continue;
          const T* const dy = dout + offset(k, p.in_strides[2]);
          const T* const x = input + offset(k, p.input_strides[2]);
          gradients[k][0] = H::load(dy + place.first);
          inputs[k][0] = H::load(x + place.first);
          if (!place.both) continue;
          gradients[k][1] = H::load(dy + place.second);
          inputs[k][1] = H::load(x + place.second);
        }
#pragma unroll 1
        for (int k = 0; k < kFlight; ++k) {
          A dz[2][kN], x[2][kN];
#pragma unroll
          for (int part = 0; part < 2; ++part) {
            H::numbers_of(gradients[0][part], dz[part]);
            H::numbers_of(inputs[0][part], x[part]);
#pragma unroll
            for (int i = 0; i + 1 < kFlight; ++i) {
              gradients[i][part] = gradients[i + 1][part];
              inputs[i][part] = inputs[i + 1][part];
            }
          }
          if (place.rotated) H::rotate(dz[0], dz[1], cosine, sine);
          A g[2][kN] = {}, square = 0, product = 0;
          if (takes(k)) {
            H::get(own_weights + place.first, g[0]);
            if (place.both) H::get(own_weights + place.second, g[1]);
          }
#pragma unroll
          for (int part = 0; part < 2; ++part)
#pragma unroll
            for (int j = 0; j < kN; ++j) {
              g[part][j] = rounded_product(dz[part][j], g[part][j]);
              square = fused_multiply_add(x[part][j], x[part][j], square);
              product = fused_multiply_add(g[part][j], x[part][j], product);
            }
          finish_sums(p, square, product);
          if (!takes(k)) continue;
#pragma unroll
          for (int part = 0; part < 2; ++part)
#pragma unroll
            for (int j = 0; j < kN; ++j) {
              if (inside) sums[part][j] = fused_multiply_add(dz[part][j], rounded_product(x[part][j], square), sums[part][j]);
              g[part][j] = inside ? rounded_product(square, fused_multiply_add(-x[part][j], product, g[part][j])) : A(0);
            }
          T* const to = out + offset(k, p.out_strides[2]);
          H::store(to + place.first, g[0]);
          if (place.both) H::store(to + place.second, g[1]);
        }
      }
#endif
    }
#if !ADJ_ANY
    if (seat.lane < H::units(p)) {
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        own_sums[place.first + j] = sums[0][j];
        if (place.both) own_sums[place.second + j] = sums[1][j];
      }
    }
#endif
    block_barrier();
    A* const partials = static_cast<A*>(p.partials) + (kind * grid_blocks() + block_index()) * p.head_dim;
#pragma unroll 1
    for (int i = thread_index(); i < p.head_dim; i += block_threads())
      partials[i] = static_cast<A>(sum_in_order<f64>(groups, [&](int s) { return static_cast<f64>(all_sums[s * p.head_dim + i]); }));
    block_barrier();
  }
}
