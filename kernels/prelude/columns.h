/* Constants and parameters of kernels/prelude/columns.cu. */
#pragma once

enum { kColumnSumResults = 2, kColumnSumAcross = 32, kColumnSumThreads = 512 };

/* results[i][column] = sum over splits of partials[i][split][column], plus what it holds with accumulate. */
struct ColumnSumParams {
  const void* partials;  /* [results, splits, columns] */
  void* results[kColumnSumResults];  /* [columns] each */
  long long splits, columns;
  int accumulate;
  int reserved;
};
