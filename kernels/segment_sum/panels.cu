// Gradient of Gather from many matrices with short rows. README.md defines the words.
//
// Computes: dweight[o, r, :] (=|+=) sum of dout[o, n, :] over the occurrences n of row r.
// Work split: a block takes a group of p.matrices matrices. A team of p.team_warps warps takes kColumns columns at a time; each thread of
// the team takes p.occurrences consecutive sorted occurrences, whatever their rows.
// Memory: the block copies its matrices of dout into shared memory as they lie and writes matrices of dweight from there, so memory is read
// and written in whole lines however short the rows are. dout is read and dweight written once.
// Order of additions: a thread adds its occurrences in order and keeps the rest behind the last row that ends. To the first row that ends
// in a thread the rests of the threads before it are added, as a tree in a warp and by descending warp between warps.
// Limits: panel sizes of segment_sum/sum.h; the plan checks them. Needs the occurrences sorted by row (segment_sum/sort.cu).
//
// Macros: ADJ_T element type.
#include "segment_sum/sum.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

typedef ADJ_T T;
typedef Acc<ADJ_T> A;
constexpr int kWarps = kPanelBlock / kWarp;
constexpr int kColumns = panel_columns(sizeof(T));  // columns of a thread at a time; they may lie in several matrices of the group
constexpr u32 kInside = 0xffff;                     // stands for the row at an occurrence that is not the last one of its row

// Offsets of a column of one matrix of the group in the panels of dout and of dweight, in bytes.
struct Column {
  int dout, dweight;
};

// Begins to copy `count` elements into shared memory.
__device__ __noinline__ void copy_in(T* panel, const T* from, int count) {
  const Window<kVec16<T>> w(from, count);
#pragma unroll 1
  for (int u = thread_index(); u < w.vectors; u += kPanelBlock) copy16_to_shared(panel + w.vector(u), reinterpret_cast<const Words4*>(from + w.vector(u)));
#pragma unroll 1
  for (int e = thread_index(); e < w.edges; e += kPanelBlock) panel[w.edge(e)] = from[w.edge(e)];
}
// Writes `count` sums to dweight, or adds them to it; each is rounded once.
__device__ __noinline__ void copy_out(T* to, const A* panel, int count, bool accumulate) {
  const Window<kVec16<T>> w(to, count);
#pragma unroll 1
  for (int u = thread_index(); u < w.vectors; u += kPanelBlock) {
    Words4* const vector = reinterpret_cast<Words4*>(to + w.vector(u));
    const Unit<A, kVec16<T>>& own = *reinterpret_cast<const Unit<A, kVec16<T>>*>(panel + w.vector(u));
    A x[kVec16<T>];
    own.get(x);
    if (accumulate) {
      A old[kVec16<T>];
      widen<T>(load_words(vector), old);
#pragma unroll
      for (int k = 0; k < kVec16<T>; ++k) x[k] += old[k];
    }
    store_words(vector, narrow<T>(x));
  }
#pragma unroll 1
  for (int e = thread_index(); e < w.edges; e += kPanelBlock) {
    T& element = to[w.edge(e)];
    element = from_acc<T>(accumulate ? panel[w.edge(e)] + to_acc(element) : panel[w.edge(e)]);
  }
}

// Lists the sorted occurrences, interleaved by thread of a team. Low 16 bits: element of a matrix of dout. High 16 bits: element of a
// matrix of dweight at the last occurrence of a row, else kInside. A caller's order may hold anything: it is clamped.
__device__ __forceinline__ void list_occurrences(const EmbeddingPanelsParams& p, u32* list) {
  const u32 threads = static_cast<u32>(p.team_warps * kWarp), each = static_cast<u32>(p.occurrences), dim = static_cast<u32>(p.embedding_dim);
#pragma unroll 1
  for (u32 i = static_cast<u32>(thread_index()); i < threads * each; i += kPanelBlock) {
    u32 from = 0, to = kInside;
    if (i < p.num_indices) {
      const u32 row = p.rows[i];
      from = min_of(p.order[i], p.num_indices - 1) * dim;
      if (row < p.num_embeddings && (i + 1 == p.num_indices || p.rows[i + 1] != row)) to = row * dim;
    }
    list[i % each * threads + i / each] = from | to << 16;
  }
}

// The rest of a warp: its sum behind the last row that ends in it, which the next warps add to their first row.
struct Tail {
  A sum[kColumns];
  u32 ended;  // 1: a row ends in the warp
};

// The occurrences of a thread, and what it needs to know of the rows that end in its warp.
struct Place {
  const u32* list;
  int threads;     // threads of the team, and the stride of the thread's occurrences in the list
  u32 head;        // element of the first row that ends in the thread; kInside: none ends
  int start;       // last lane, up to this one, in which a row ends; 0: none
  bool warp_ended, first_end;  // a row ends in the warp; this lane is the first one of the warp in which a row ends

  __device__ __forceinline__ Place(const EmbeddingPanelsParams& p, const u32* all) : threads(p.team_warps * kWarp), head(kInside) {
    list = all + (thread_index() & (threads - 1));
#pragma unroll 1
    for (int k = p.occurrences - 1; k >= 0; --k) {
      const u32 row = list[k * threads] >> 16;
      if (row != kInside) head = row;
    }
    const u32 ends = ballot(head != kInside), own = ends & (lanes_below() | 1u << lane_index());
    start = own ? highest_bit(own) : 0;
    warp_ended = ends != 0;
    first_end = own == 1u << lane_index();
  }
};

// Sums the first `count` columns of the panels, which begin `behind` bytes into `memory`.
__device__ __forceinline__ void add_up(const EmbeddingPanelsParams& p, const Place& place, const Column* columns, unsigned char* memory, const Column& behind,
                                       int count, Tail* tails) {
  const int threads_log2 = lowest_bit(static_cast<u32>(place.threads));
  const int team = thread_index() >> threads_log2, step = (kPanelBlock >> threads_log2) * kColumns;
  const auto sum_at = [&](u32 row, int column) -> A& { return *reinterpret_cast<A*>(memory + (static_cast<int>(row * sizeof(A)) + column)); };
  Tail *warp_tails = tails, *next_tails = tails + kWarps;  // two sets, so that a barrier lies between a read and the next write
#pragma unroll 1
  for (int begin = 0; begin < count; begin += step) {
    const int first = begin + team * kColumns;
    Column column[kColumns];
    A sum[kColumns] = {};
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      column[j] = columns[min_of(first + j, count - 1)];
      column[j].dout += behind.dout;
      column[j].dweight += behind.dweight;
    }
#pragma unroll 1
    for (int k = first < count ? 0 : p.occurrences; k < p.occurrences; k += kPanelStep) {
      u32 entry[kPanelStep];
      T x[kPanelStep][kColumns];
#pragma unroll
      for (int i = 0; i < kPanelStep; ++i) {
        entry[i] = place.list[(k + i) * place.threads];
#pragma unroll
        for (int j = 0; j < kColumns; ++j) x[i][j] = *reinterpret_cast<const T*>(memory + (static_cast<int>((entry[i] & 0xffff) * sizeof(T)) + column[j].dout));
      }
#pragma unroll
      for (int i = 0; i < kPanelStep; ++i) {
        const u32 row = entry[i] >> 16;
        const bool ends = row != kInside;
#pragma unroll
        for (int j = 0; j < kColumns; ++j) {
          sum[j] += to_acc(x[i][j]);
          if (ends) sum_at(row, column[j].dweight) = sum[j];
          sum[j] = ends ? 0 : sum[j];
        }
      }
    }
    // `sum` becomes the sum of the rests of lanes [place.start, lane].
#pragma unroll 1
    for (int delta = 1; delta < kWarp; delta *= 2) {
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
        const A other = shuffle_up(sum[j], delta);
        if (lane_index() - delta >= place.start) sum[j] += other;
      }
    }
    if (p.team_warps > 1) {
      if (lane_index() == kWarp - 1) {
        Tail& tail = warp_tails[warp_index()];
        tail.ended = place.warp_ended;
#pragma unroll
        for (int j = 0; j < kColumns; ++j) tail.sum[j] = sum[j];
      }
      block_barrier();
    }
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const A other = shuffle_up(sum[j], 1);
      sum[j] = lane_index() > 0 ? other : 0;
    }
#pragma unroll 1
    for (int warp = place.first_end ? warp_index() : 0; warp & (p.team_warps - 1);) {
      const Tail& tail = warp_tails[--warp];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) sum[j] += tail.sum[j];
      if (tail.ended) break;
    }
#pragma unroll
    for (int j = 0; j < kColumns; ++j)
      if (place.head != kInside && first + j < count) sum_at(place.head, column[j].dweight) += sum[j];
    Tail* const last_tails = warp_tails;
    warp_tails = next_tails;
    next_tails = last_tails;
  }
}

extern "C" __global__ void __launch_bounds__(kPanelBlock, 5) ADJ_ENTRY(const __grid_constant__ EmbeddingPanelsParams p) {
  ADJ_SHARED(Tail, tails, 2 * kWarps);
  ADJ_DYNAMIC_SHARED(memory);
  unsigned char* const dweight_memory = memory + p.dout_bytes;
  u32* const list = reinterpret_cast<u32*>(dweight_memory + p.dweight_bytes);
  Column* const columns = reinterpret_cast<Column*>(list + p.occurrences * p.team_warps * kWarp);
  let_next_grid_begin();
  begin_beside_last_grids();  // they sort the indices, and do not write dout
  const int dim = p.embedding_dim, dout_matrix = static_cast<int>(p.num_indices) * dim, dweight_matrix = static_cast<int>(p.num_embeddings) * dim;
  const auto matrices_of = [&](i64 group) { return static_cast<int>(min_of<i64>(p.matrices, p.outer - group * p.matrices)); };
  const auto dout_at = [&](i64 group) { return static_cast<const T*>(p.dout) + group * p.matrices * dout_matrix; };
  const auto dweight_at = [&](i64 group) { return static_cast<T*>(p.dweight) + group * p.matrices * dweight_matrix; };
  // A panel begins as many elements behind a multiple of 16 bytes as its first matrix does, so that copies are aligned on both sides.
  const auto behind = [](const T* matrix) { return static_cast<int>(reinterpret_cast<u64>(matrix) & 15) / static_cast<int>(sizeof(T)); };
  const auto load = [&](i64 group) {
    const T* const from = dout_at(group);
    copy_in(reinterpret_cast<T*>(memory) + behind(from), from, matrices_of(group) * dout_matrix);
  };
  i64 group = block_index();
  load(group);
#pragma unroll 1
  for (int c = thread_index(); c < p.matrices * dim; c += kPanelBlock) {
    const int matrix = c / dim, column = c - matrix * dim;
    columns[c] = {(matrix * dout_matrix + column) * static_cast<int>(sizeof(T)), (matrix * dweight_matrix + column) * static_cast<int>(sizeof(A))};
  }
  wait_for_earlier_grids();
  list_occurrences(p, list);
  block_barrier();
  const Place place(p, list);
#pragma unroll 1
  for (;;) {
#pragma unroll 1
    for (u32 at = static_cast<u32>(thread_index()) * 16; at < p.dweight_bytes; at += kPanelBlock * 16)
      *reinterpret_cast<Words4*>(dweight_memory + at) = {0, 0, 0, 0};
    wait_copies_to_shared();
    block_barrier();
    T* const to = dweight_at(group);
    const int matrices = matrices_of(group), dweight_behind = behind(to);
    add_up(p, place, columns, memory,
           {behind(dout_at(group)) * static_cast<int>(sizeof(T)), static_cast<int>(p.dout_bytes) + dweight_behind * static_cast<int>(sizeof(A))},
           matrices * dim, tails);
    block_barrier();
    // The next group is copied in while this one is written.
    group += grid_blocks();
    if (group < p.groups) load(group);
    copy_out(to, reinterpret_cast<A*>(dweight_memory) + dweight_behind, matrices * dweight_matrix, p.accumulate);
    if (group >= p.groups) break;
    block_barrier();
  }
}
