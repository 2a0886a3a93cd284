// First pass of LAMB: sums for the norms of the weights and of the direction of every tensor.
//
// Computes: sums of squares of w and d (include/adjoint/ops/optimizer.h) for each tensor, in norms.tensors.
// Work split: a block takes a chunk of 2^kNormChunk elements of a tensor; a thread takes groups of kVector elements, counted from the begin of the chunk.
// Memory: reads weights, gradients and both moments once. Writes nothing but sums, so that the second pass can leave a tensor as it is.
// Order of additions: as in prelude/multi_norm.cuh; it depends on the length of the tensor alone.
// Limits: chunks of at most 2^30 elements; the plan sees to it.
//
// Macros: ADJ_WIDEST (step.cuh), ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "optimizer/lamb.cuh"

struct Group {
  Lane w, g, m, v;
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, ADJ_WIDEST == 8 ? 2 : 3) ADJ_ENTRY(const __grid_constant__ Params p) {
  ADJ_SHARED(Factors, shared, 1);
  ADJ_SHARED(f64, scratch, kNumbers * (kMultiTensorThreads / kWarp));
  const LambHead& head = p.head;
  const MultiTensorTable table = table_of(p, form_of(head));
  const NormChunk c = norm_chunk(head.list, table);
  if (thread_index() == 0) {
    f64 lr;
    compute_factors(shared[0], head, table, c.entry, head.lists.reports && block_index() == 0, lr);
  }
  block_barrier();
  const Factors f = shared[0];
  if (f.skip) return;

  const StepLists& lists = head.lists;
  const Array w = array_of(table, 0, c.entry, lists.param, c.begin), g = array_of(table, 1, c.entry, lists.grad, c.begin),
              m = array_of(table, 2, c.entry, lists.state, c.begin), v = array_of(table, 3, c.entry, lists.state, c.begin);
  const bool aligned = ((w.number() | g.number() | m.number() | v.number()) & (kVector - 1)) == 0;

  Squares<A> weights, directions;
  int first = thread_index() * kVector, inner = 0;  // first: next group; inner: next element of it, if elements come one by one
  Place current{0, 0};
  Group group{};
#pragma unroll 1
  do {
    // Loads the next elements before the current ones are worked on.
    Place next{0, 0};
    if (aligned && first + kVector <= c.elements) {
      next = {first, kVector};
    } else if (first + inner < c.elements) {
      next = {first + inner, 1};
      ++inner;
    }
    if (next.count == kVector || inner == kVector) {
      first += kMultiTensorThreads * kVector;
      inner = 0;
    }
    Group loaded{};
    if (next.count > 0) {
      loaded.w.load(w, next);
      loaded.g.load(g, next);
      loaded.m.load(m, next);
      loaded.v.load(v, next);
    }
    if (current.count > 0) {
      group.w.open(lists.param);
      group.g.open(lists.grad);
      group.m.open(lists.state);
      group.v.open(lists.state);
#pragma unroll 1
      for (int left = current.count; left > 0; --left) {
        const A weight = group.w.front(lists.param);
        A mean = group.m.front(lists.state), square = group.v.front(lists.state);
        const A direction = direction_of(f, weight, group.g.front(lists.grad), mean, square);
        weights.add_one(weight);
        directions.add_one(direction);
        group.w.pop();
        group.g.pop();
        group.m.pop();
        group.v.pop();
      }
    }
    group = loaded;
    current = next;
  } while (current.count > 0);

  f64 sums[kNumbers];
#pragma unroll
  for (int i = 0; i < kNumbers / 2; ++i) sums[i] = weights.number[i], sums[kNumbers / 2 + i] = directions.number[i];
  block_sums(sums, scratch);
  close_tensor(head.norms, c, sums, scratch);
}
