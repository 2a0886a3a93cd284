// Matrix products with the defaults of their descriptors filled in.
#pragma once

#include <algorithm>
#include <cstdint>

#include <adjoint/ops/matmul.h>

namespace adj::host {

// A batch of matrices as stored: element (r, c) of matrix i is i * stride + r * ld + c.
struct MatrixBatch {
  std::int64_t rows, columns, ld, stride;

  // The product wraps around for matrices that validate refuses, and for matrices without elements.
  MatrixBatch(std::int64_t rows_, std::int64_t columns_, std::int64_t ld_, std::int64_t stride_)
      : rows(rows_),
        columns(columns_),
        ld(ld_ > 0 ? ld_ : columns_),
        stride(stride_ > 0 ? stride_ : static_cast<std::int64_t>(static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(ld))) {}

  // Elements from the first to the last one of `batch` matrices.
  std::int64_t span(std::int64_t batch) const { return batch == 0 || rows == 0 || columns == 0 ? 0 : (batch - 1) * stride + (rows - 1) * ld + columns; }
  bool packed(std::int64_t batch) const { return (rows <= 1 || ld == columns) && (batch <= 1 || stride == rows * columns); }
};

// op(A), op(B) and D. `down` and `across`: strides of op(X) between rows and between columns.
struct MatmulProblem {
  const adj_matmul_descriptor& d;
  MatrixBatch a, b, out;
  adj_dtype element, out_element;
  std::int64_t a_down, a_across, b_down, b_across;

  explicit MatmulProblem(const adj_matmul_descriptor& given)
      : d(given),
        a(d.transpose_a ? d.k : d.m, d.transpose_a ? d.m : d.k, d.lda, d.stride_a),
        b(d.transpose_b ? d.n : d.k, d.transpose_b ? d.k : d.n, d.ldb, d.stride_b),
        out(d.m, d.n, d.ldd, d.stride_d),
        element(d.element),
        out_element(d.out == ADJ_DTYPE_NONE ? d.element : d.out),
        a_down(d.transpose_a ? 1 : a.ld),
        a_across(d.transpose_a ? a.ld : 1),
        b_down(d.transpose_b ? 1 : b.ld),
        b_across(d.transpose_b ? b.ld : 1) {}

  bool empty() const { return d.m == 0 || d.n == 0 || d.batch == 0; }
  bool gelu() const { return d.epilogue == ADJ_MATMUL_EPILOGUE_GELU_TANH; }
  bool gelu_gradient() const { return d.epilogue == ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD; }
  bool accumulates() const { return d.write_mode == ADJ_WRITE_ACCUMULATE; }
};

}  // namespace adj::host
