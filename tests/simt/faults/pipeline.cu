// Boxes of 64 rows of 64 elements of 16 bits, each reversed row by row, through two stages of shared memory: one thread begins the copies, two
// warpgroups take its registers and read, and results are copied to global memory past the registers.
//
// Macros: ADJ_FAULT 0 none, 1 the parity of the consumers is flipped, 2 that of the producer, 3 fewer bytes are expected than come, 4 more, 5 a stage is
// released before it is read, 6 it is released by half of its readers, 7 results are not shown to the asynchronous proxy, 8 barriers are not shown to it, 9
// results are written while a copy reads them, 10 the block ends while a copy reads its results, 11 more registers are taken than given, 12 an arrival too
// many, 13 consumers do not wait, 14 a named barrier for more threads than come, 15 one half arrives at it without waiting.
#include "faults/params.h"
#include "prelude/memory.cuh"
#include "prelude/pipeline.cuh"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(384) ADJ_ENTRY(const __grid_constant__ FaultParams p) {
  constexpr int kStages = 2, kBox = 64, kVectors = 8, kProducers = 128, kReaders = 256;
  struct Stage {
    Words4 vectors[kBox * kVectors];
  };
  ADJ_DYNAMIC_SHARED(memory);
  Stage* const stages = reinterpret_cast<Stage*>(align_shared(memory, 1024));
  Stage& results = stages[kStages];
  ADJ_SHARED(Pipeline<kStages>, pipelines, 1);
  Pipeline<kStages>& pipeline = pipelines[0];
  const int thread = thread_index(), boxes = static_cast<int>(p.n * static_cast<long long>(sizeof(f32)) / static_cast<long long>(sizeof(Stage)));
  if (thread == 0) {
    if (ADJ_FAULT == 8) {
      for (int i = 0; i < kStages; ++i) {
        pipeline.full[i].init(1);
        pipeline.free[i].init(kReaders / kWarp);
      }
    } else {
      pipeline.init(ADJ_FAULT == 6 ? kReaders / kWarp / 2 : kReaders / kWarp);
    }
  }
  block_barrier();
  Position<kStages> at;
  if (thread < kProducers) {
    give_registers<40>();
    if (thread != 0) return;
    for (int box = 0; box < boxes; ++box) {
      if (ADJ_FAULT == 2) pipeline.free[at.stage].wait(at.turn & 1);
      else at.wait_free(pipeline);
      Barrier& full = pipeline.full[at.stage];
      full.arrive_and_expect(sizeof(Stage) + (ADJ_FAULT == 3 ? -64 : ADJ_FAULT == 4 ? 64 : 0));
      if (ADJ_FAULT == 12) full.arrive();
      for (int half = 0; half < 2; ++half) copy_box(stages[at.stage].vectors + half * (kBox / 2) * kVectors, p.map, full, 0, box * kBox + half * (kBox / 2), 0);
      at.advance();
    }
    return;
  }
  take_registers<ADJ_FAULT == 11 ? 240 : 232>();
  const int reader = thread - kProducers;
  for (int box = 0; box < boxes; ++box) {
    if (ADJ_FAULT == 1) pipeline.full[at.stage].wait((at.turn & 1) ^ 1);
    else if (ADJ_FAULT != 13) at.wait_full(pipeline);
    const auto release = [&] {
      warp_barrier();
      if (lane_index() == 0 && (ADJ_FAULT != 6 || reader < kReaders / 2)) pipeline.free[at.stage].arrive();
    };
    if (ADJ_FAULT == 5) release();
    Words4 own[kBox * kVectors / kReaders];
    for (int i = 0; i < kBox * kVectors / kReaders; ++i) own[i] = load_words(stages[at.stage].vectors + i * kReaders + reader);
    if (ADJ_FAULT != 5) release();
    if (ADJ_FAULT != 9) wait_copies_to_global();
    if (ADJ_FAULT == 15 && reader < kReaders / 2) group_arrive(0, kReaders);
    else group_barrier(0, ADJ_FAULT == 14 ? kReaders + kWarp : kReaders);
    for (int i = 0; i < kBox * kVectors / kReaders; ++i) {
      // The vectors of a row lie in an order that its number decides.
      const int place = i * kReaders + reader, row = place / kVectors, vector = place % kVectors ^ row % 8;
      results.vectors[(kBox - 1 - row) * kVectors + vector] = own[i];
    }
    if (ADJ_FAULT != 7) show_to_async_proxy();
    group_barrier(0, kReaders);
    if (reader < kBox) copy_to_global(p.out + (box * kBox + reader) * (kVectors * 4), results.vectors + reader * kVectors, kVectors * sizeof(Words4));
    close_copies_to_global();
    at.advance();
  }
  if (ADJ_FAULT != 10) wait_copies_to_global();
}
