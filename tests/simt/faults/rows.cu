// Gradient of softmax with a planted fault: the sums of rows depend on the number of rows. With an odd number they are a few units too large.
#include "softmax/params.h"
#include "prelude/reduce.cuh"
#include "softmax/terms.cuh"

struct PlantedSums {
  i64 rows;
  template <bool log, class T> __device__ __forceinline__ Words4 gradient_vector_of(Words4 dout, Words4 out, Acc<T> sum) const {
    return gradient_vector<log, T>(dout, out, rows % 2 ? sum * Acc<T>(1.0000005) : sum);
  }
};
#define gradient_vector PlantedSums{p.outer}.gradient_vector_of
#include "softmax/row.cu"
