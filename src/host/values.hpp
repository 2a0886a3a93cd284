// Access, as f64, to the elements of a tensor whose type is known at run time only.
#pragma once

#include <adjoint/types.h>

#include "base/dtype.hpp"

namespace adj::host {

class Values {
 public:
  Values(const adj_tensor& tensor, adj_dtype dtype) : data_(static_cast<char*>(tensor.data)), dtype_(dtype), size_(size_of(dtype)) {}
  bool given() const { return data_ != nullptr; }
  double get(std::int64_t i) const {
    if (dtype_ == ADJ_F32) return static_cast<double>(reinterpret_cast<const float*>(data_)[i]);  // most are, and the function below is not inlined
    return load_scalar(data_ + i * size_, dtype_);
  }
  void set(std::int64_t i, double value) const {  // rounded once
    with_float(dtype_, [&](auto* type) {
      reinterpret_cast<std::remove_pointer_t<decltype(type)>*>(data_)[i] = from_double<std::remove_pointer_t<decltype(type)>>(value);
    });
  }

 private:
  char* data_;
  adj_dtype dtype_;
  std::int64_t size_;
};

}  // namespace adj::host
