// Computes: batch norm with the statistics of the batch (backward: its gradient) in one launch.
// Work split: a cluster of blocks takes a group of neighbouring channels, a block some of the rows [channels of the group, inner], of which there is one
//     in each of the `outer` entries. A group of one channel is divided among the blocks without regard to rows.
// Memory: the elements are read once, into shared memory, and the result is written once.
// Order of additions: a thread adds each of the kN positions of its vectors in order, then the positions of a channel; a warp adds the threads of a
//     channel in f64, and a thread the blocks. Depends on the shape alone.
// Limits: groups are whole vectors of 16 bytes that the shared memory of a cluster holds; the plan checks. Unaligned tensors are read and written element
//     by element. sm_90 and later.
//
// Macros: ADJ_T element type, ADJ_BACKWARD.
#include "batch_norm/finish.cuh"
#include "batch_norm/terms.cuh"
#include "prelude/cluster.cuh"
#include "prelude/vectors.cuh"

typedef Acc<ADJ_T> A;
constexpr int kN = kVec16<ADJ_T>;
typedef Terms<A, ADJ_BACKWARD> Sums;
typedef Sums::Partial Partial;
constexpr int kBlock = kBatchNormResidentBlock, kWarps = kBlock / kWarp;

// The vectors of a thread: its first one, and the step to the next.
struct Place {
  int row, vector;
  int row_step, vector_step;
  __device__ __forceinline__ void advance(int vectors) {
    row += row_step;
    vector += vector_step;
    if (vector >= vectors) vector -= vectors, ++row;
  }
};

// Adds the threads of each channel: `scratch` has their partial sums, of which `across` threads lie side by side in a row and `down` below each other.
__device__ __forceinline__ void add_threads(const Partial* scratch, int channels, int inner, bool single, int across, int down, f64* sums) {
#pragma unroll 1
  for (int c = warp_index(); c < channels; c += kWarps) {
    const int begin_of_c = single ? 0 : c * inner / kN, threads_of_c = single ? across : ((c + 1) * inner - 1) / kN + 1 - begin_of_c;
    f64 sum = 0;
#pragma unroll 1
    for (int i = lane_index(); i < threads_of_c * down; i += kWarp) {
      const int row = i / threads_of_c, vector = begin_of_c + i - row * threads_of_c, partial = single ? 0 : c - vector * kN / inner;
      sum += scratch[partial * kBlock + row * across + vector];
    }
    sum = warp_sum(sum);
    if (lane_index() == 0) sums[c] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(kBlock, 2) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  const BatchNormResident& r = p.resident;
  Words4* const x_words = reinterpret_cast<Words4*>(memory);
  Words4* const dy_words = x_words + r.vectors;
  // scratch: partial sums of the threads, one for each channel of a vector. sums: those of the group's channels in this block. constants: four numbers of each
  // channel, first what the sums need, then the coefficients.
  Partial* const scratch = reinterpret_cast<Partial*>(memory + r.scratch);
  f64* const sums = reinterpret_cast<f64*>(memory + r.sums);
  A* const constants = reinterpret_cast<A*>(memory + r.constants);
  const int thread = thread_index(), inner = static_cast<int>(p.inner);
  const bool aligned = aligned16(p.input) && aligned16(p.out) && (!ADJ_BACKWARD || aligned16(p.dout)), single = r.group == 1;
  const ADJ_T* const input = static_cast<const ADJ_T*>(p.input);
  const ADJ_T* const dout = static_cast<const ADJ_T*>(p.dout);
  const i64 pitch = p.channels * p.inner;
#pragma unroll 1
  for (i64 group = cluster_index(); group < r.groups; group += grid_clusters()) {
    const i64 first_channel = group * r.group;
    const int channels = static_cast<int>(min_of<i64>(r.group, p.channels - first_channel)), vectors = channels * inner / kN;  // of a row
    const int outer = static_cast<int>(p.outer), most = single ? r.vectors : r.rows * vectors, begin = cluster_rank() * most;
    const int own = max_of(min_of(outer * vectors - begin, most), 0);
    // With several channels a thread keeps to one vector of the rows, so that the channels of its positions stay the same.
    const int active = single ? kBlock : kBlock / vectors * vectors, mine = thread < active ? own : 0;
    Place first;
    first.row = (begin + thread) / vectors;
    first.vector = begin + thread - first.row * vectors;
    first.row_step = active / vectors;
    first.vector_step = active - first.row_step * vectors;
    const i64 base = first_channel * p.inner;

    Place at = first;
#pragma unroll 4
    for (int i = thread; i < mine; i += active) {
      const i64 element = at.row * pitch + base + at.vector * kN;
      if (aligned) {
        copy16_to_shared(x_words + i, reinterpret_cast<const Words4*>(input + element));
        if (ADJ_BACKWARD) copy16_to_shared(dy_words + i, reinterpret_cast<const Words4*>(dout + element));
      } else {
        x_words[i] = gather_elements(input + element, kN);
        if (ADJ_BACKWARD) dy_words[i] = gather_elements(dout + element, kN);
      }
      at.advance(vectors);
    }
#pragma unroll 1
    for (int c = thread; c < channels; c += kBlock) {
#if ADJ_BACKWARD
      Channel<A> channel;
      channel.read(p, first_channel + c);
      constants[4 * c] = channel.mean;
      constants[4 * c + 1] = channel.scale;
#else
      constants[4 * c] = to_acc(input[base + static_cast<i64>(c) * p.inner]);
#endif
    }
    block_barrier();
    // Calls use(j, c) for each position j of this thread's vectors; c is its channel in the group.
    const int first_of_thread = single ? 0 : first.vector * kN, first_c = first_of_thread / inner, left_of_first = inner - (first_of_thread - first_c * inner);
    auto for_positions = [&](auto use) {
      int c = first_c, left = left_of_first;
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        use(j, c);
        if (!single && --left == 0) ++c, left = inner;
      }
    };
    Channel<A> channel[kN]{};
#if ADJ_BACKWARD
    if (mine > 0) for_positions([&](int j, int c) { channel[j] = {constants[4 * c], constants[4 * c + 1]}; });
#endif
    Sums terms[kN];
    int count = 0;
    wait_copies_to_shared();
#pragma unroll 1
    for (int i = thread; i < mine; i += active) {
      A x[kN], dy[kN];
      widen<ADJ_T>(x_words[i], x);
      widen<ADJ_T>(ADJ_BACKWARD ? dy_words[i] : Words4{}, dy);
      if (!ADJ_BACKWARD && count == 0)
#pragma unroll
        for (int j = 0; j < kN; ++j) terms[j].first = x[j];
#pragma unroll
      for (int j = 0; j < kN; ++j) terms[j].add(x[j], ADJ_BACKWARD ? dy[j] : A(0), channel[j]);
      ++count;
    }
    // across: threads side by side in a row.
    const int across = single ? active : vectors, down = active / across;
#pragma unroll 1
    for (int which = 0; which < 2; ++which) {
      if (which) block_barrier();
      if (thread < active) {
        Partial* to = scratch + thread;
        Partial sum = 0;
        int c = first_c, left = left_of_first;
        // Takes the position at the front and turns the rest, so that the code is there once.
#pragma unroll 1
        for (int j = 0; j < kN; ++j) {
          Partial a, b;
          terms[0].get(a, b, count, ADJ_BACKWARD ? A(0) : constants[4 * c]);
          sum += which ? b : a;
          const Sums front = terms[0];
#pragma unroll
          for (int i = 0; i + 1 < kN; ++i) terms[i] = terms[i + 1];
          terms[kN - 1] = front;
          const bool last = !single && --left == 0;
          if (last) ++c, left = inner;
          if (!last && j + 1 < kN) continue;
          *to = sum;
          to += kBlock;
          sum = 0;
        }
      }
      block_barrier();
      add_threads(scratch, channels, inner, single, across, down, sums + which * r.group);
    }
    cluster_barrier();
#pragma unroll 1
    for (int c = thread; c < channels; c += kBlock) {
      f64 ab[2], k[4];
#pragma unroll
      for (int i = 0; i < 2; ++i) ab[i] = sum_in_order<f64>(cluster_blocks(), [&](int rank) { return load_from_block(sums + i * r.group + c, rank); });
      finish_channel<ADJ_BACKWARD != 0>(p, first_channel + c, ab[0], ab[1], constants[4 * c], cluster_rank() == 0, k);
#pragma unroll
      for (int i = 0; i < 4; ++i) constants[4 * c + i] = static_cast<A>(k[i]);
    }
    block_barrier();
    A k[kN][4];
    if (mine > 0)
      for_positions([&](int j, int c) {
#pragma unroll
        for (int i = 0; i < 4; ++i) k[j][i] = constants[4 * c + i];
      });
    at = first;
#pragma unroll 1
    for (int i = thread; i < mine; i += active) {
      A x[kN], dy[kN];
      widen<ADJ_T>(x_words[i], x);
      widen<ADJ_T>(ADJ_BACKWARD ? dy_words[i] : Words4{}, dy);
#pragma unroll
      for (int j = 0; j < kN; ++j) x[j] = result_of<ADJ_BACKWARD, false>(x[j], dy[j], k[j][0], k[j][1], k[j][2], k[j][3], p.frozen);
      store_vector<ADJ_T>(p.out, at.row * pitch + base + at.vector * kN, narrow<ADJ_T>(x), kN, aligned);
      at.advance(vectors);
    }
    cluster_barrier();  // other blocks may read the sums of this block until here
  }
}
