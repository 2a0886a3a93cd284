#include "base/error.hpp"

namespace adj {

const char* status_name(adj_status status) {
  switch (status) {
    case ADJ_OK: return "ok";
    case ADJ_ERROR_INVALID_ARGUMENT: return "invalid_argument";
    case ADJ_ERROR_STRUCT_SIZE: return "struct_size";
    case ADJ_ERROR_INVALID_PROBLEM: return "invalid_problem";
    case ADJ_ERROR_UNSUPPORTED: return "unsupported";
    case ADJ_ERROR_DTYPE_MISMATCH: return "dtype_mismatch";
    case ADJ_ERROR_SHAPE_MISMATCH: return "shape_mismatch";
    case ADJ_ERROR_NULL_BUFFER: return "null_buffer";
    case ADJ_ERROR_BUFFER_TOO_SMALL: return "buffer_too_small";
    case ADJ_ERROR_MISALIGNED: return "misaligned";
    case ADJ_ERROR_ALIASING: return "aliasing";
    case ADJ_ERROR_WORKSPACE_TOO_SMALL: return "workspace_too_small";
    case ADJ_ERROR_STREAM_MISMATCH: return "stream_mismatch";
    case ADJ_ERROR_BACKEND_UNAVAILABLE: return "backend_unavailable";
    case ADJ_ERROR_DRIVER_TOO_OLD: return "driver_too_old";
    case ADJ_ERROR_COMPILE_FAILED: return "compile_failed";
    case ADJ_ERROR_CUDA: return "cuda_error";
    case ADJ_ERROR_NOT_FOUND: return "not_found";
    case ADJ_ERROR_IO: return "io_error";
    case ADJ_ERROR_CORRUPT: return "corrupt";
    case ADJ_ERROR_OUT_OF_MEMORY: return "out_of_memory";
    case ADJ_ERROR_INTERNAL: return "internal";
    case ADJ_ERROR_CAPTURING: return "capturing";
    case ADJ_ERROR_INVALID_VALUE: return "invalid_value";
    default: return "unknown_status";
  }
}

}  // namespace adj
