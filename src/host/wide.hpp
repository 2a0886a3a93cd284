// Loops with the widest registers that the processor has. Their bits are those of any others: the host backend is compiled without fused products and sums,
// and std::fma rounds once everywhere.
#pragma once

// In a lambda, before its body: compiled into the function that calls it, for that function's processor.
#define ADJ_IN_PLACE __attribute__((always_inline))

namespace adj::host {

// Whether the processor has AVX2 and fused products and sums; a test says no.
bool has_wide_registers();

#if defined(__x86_64__)
template <class Work>
[[gnu::target("avx2,fma")]] void run_wide(Work work) {
  work();
}
#endif

// Calls a lambda that has ADJ_IN_PLACE. What it captures as a copy is known to differ from what its loops write: that makes them vectors.
template <class Work>
void in_wide_registers(Work work) {
#if defined(__x86_64__)
  if (has_wide_registers()) return run_wide(work);
#endif
  work();
}

}  // namespace adj::host
