#pragma once
#include "prelude/types.cuh"

struct ReluParams {
  const void* dout;
  const void* out;
  void* dinput;
  i64 numel;
};
