/* Plain-data vocabulary shared by the C ABI, the C++ API and the kernels' host side.
 *
 * Rules every structure here obeys: shapes and counts are int64_t, byte counts uint64_t, enumerations have the
 * size of an int32_t, with 0 meaning "undefined" or "default"; values are append-only and never reused; there is no tail padding;
 * structures nested by value are frozen, only those that begin with adj_header may grow. */
#ifndef ADJOINT_TYPES_H
#define ADJOINT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#define ADJ_ABI_MAJOR 1
#define ADJ_ABI_MINOR 0
#define ADJ_MAX_RANK 8

#ifdef __cplusplus
/* In C++ the same structures carry default member initialisers, so that designated initialisers may name only what
 * differs. In C, initialise with the ADJ_..._INIT macro that follows each structure. */
#define ADJ_DEFAULT(...) = __VA_ARGS__
#else
#define ADJ_DEFAULT(...)
#endif

/* Begins an enumeration. In C++ and C23 it is a type of its own, with the size of an int32_t; in earlier C an int32_t and its values. */
#if defined(__cplusplus)
#define ADJ_ENUM(name) enum name : int32_t
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L
#define ADJ_ENUM(name) enum name : int32_t; typedef enum name name; enum name : int32_t
#else
#define ADJ_ENUM(name) typedef int32_t name; enum
#endif
/* Begins an enumeration whose values stand in several headers. It is an int32_t in every language. */
#define ADJ_OPEN_ENUM(name) typedef int32_t name; enum

/* ---- enumerations ------------------------------------------------------------------------------------------------ */

ADJ_ENUM(adj_status) {
  ADJ_OK = 0,
  ADJ_ERROR_INVALID_ARGUMENT = 1,    /* a null pointer, an unknown enumerator, an unknown chained structure */
  ADJ_ERROR_STRUCT_SIZE = 2,         /* struct_size too small, or a longer structure with a non-zero unknown tail */
  ADJ_ERROR_INVALID_PROBLEM = 3,     /* the descriptor contradicts itself or the operator's definition */
  ADJ_ERROR_UNSUPPORTED = 4,         /* valid, but no kernel for it; the rejections say why */
  ADJ_ERROR_DTYPE_MISMATCH = 5,      /* a buffer's element type differs from the descriptor's */
  ADJ_ERROR_SHAPE_MISMATCH = 6,      /* a buffer's rank, shape, strides or list length differs from the descriptor's */
  ADJ_ERROR_NULL_BUFFER = 7,         /* a required buffer is null */
  ADJ_ERROR_BUFFER_TOO_SMALL = 8,    /* byte capacity below what the descriptor needs */
  ADJ_ERROR_MISALIGNED = 9,          /* base address not a multiple of the required alignment */
  ADJ_ERROR_ALIASING = 10,           /* two buffers overlap where the operator does not allow it */
  ADJ_ERROR_WORKSPACE_TOO_SMALL = 11,
  ADJ_ERROR_STREAM_MISMATCH = 12,    /* stream of another device, or of another kind, than the plan's */
  ADJ_ERROR_BACKEND_UNAVAILABLE = 13,/* libcuda, NVRTC, a device, or the library that a kernel calls is missing */
  ADJ_ERROR_DRIVER_TOO_OLD = 14,
  ADJ_ERROR_COMPILE_FAILED = 15,     /* NVRTC rejected the program; the error object has the log */
  ADJ_ERROR_CUDA = 16,               /* a call of the driver, of cuDNN, of cuBLASLt or of NCCL failed; the error object has its code */
  ADJ_ERROR_NOT_FOUND = 17,          /* no such SKU, operator or registry row */
  ADJ_ERROR_IO = 18,                 /* a file could not be read or written */
  ADJ_ERROR_CORRUPT = 19,            /* a pack or cache file fails its checksum or its format */
  ADJ_ERROR_OUT_OF_MEMORY = 20,
  ADJ_ERROR_INTERNAL = 21,
  ADJ_ERROR_CAPTURING = 22,          /* the call is not allowed while the stream is being captured */
  ADJ_ERROR_INVALID_VALUE = 23       /* a scalar passed by value is outside its domain */
};

/* Element types; the values are those of ONNX TensorProto.DataType. */
ADJ_ENUM(adj_dtype) {
  ADJ_DTYPE_NONE = 0,
  ADJ_F32 = 1,
  ADJ_U8 = 2,
  ADJ_I8 = 3,
  ADJ_U16 = 4,
  ADJ_I16 = 5,
  ADJ_I32 = 6,
  ADJ_I64 = 7,
  ADJ_BOOL = 9,
  ADJ_F16 = 10,
  ADJ_F64 = 11,
  ADJ_U32 = 12,
  ADJ_U64 = 13,
  ADJ_BF16 = 16,
  ADJ_F8_E4M3 = 17, /* FLOAT8E4M3FN: 4 bits of exponent, 3 of mantissa, up to 448; no infinities, NaN is 0x7f and 0xff */
  ADJ_F8_E5M2 = 19, /* FLOAT8E5M2: 5 bits of exponent, 2 of mantissa, up to 57344; infinities and NaN as in IEEE formats */
  ADJ_F8_E8M0 = 24  /* FLOAT8E8M0, an exponent alone. Reserved: refused, since no kernel here multiplies blocks of 32 that it scales */
};

/* Degree to which a result stays the same. Each level includes the ones before it. */
ADJ_ENUM(adj_determinism) {
  ADJ_DETERMINISM_DEFAULT = 0, /* as a requirement: ADJ_RUN_TO_RUN */
  ADJ_NONDETERMINISTIC = 1,    /* bits may change between runs */
  ADJ_RUN_TO_RUN = 2,          /* same bits on the same device model, whatever the stream, capture or neighbours */
  ADJ_SHAPE_ONLY = 3,          /* every reduction is split by shape and element type alone */
  ADJ_BATCH_INVARIANT = 4      /* a row's result does not depend on the number of rows either */
};

ADJ_ENUM(adj_math) {
  ADJ_MATH_DEFAULT = 0, /* as a requirement: ADJ_MATH_FAST is allowed where the stated bound includes it */
  ADJ_MATH_IEEE = 1,    /* correctly rounded division and square root; library-accurate transcendentals */
  ADJ_MATH_FAST = 2     /* transcendental functions use hardware approximations, inside the stated bound; subnormal numbers may be
                         * flushed to zero. As a requirement also: the f32 operands of products may be rounded to TF32 */
};

ADJ_ENUM(adj_backend) { ADJ_BACKEND_ANY = 0, ADJ_BACKEND_BESPOKE = 1, ADJ_BACKEND_HOST = 2, ADJ_BACKEND_CUDNN = 3, ADJ_BACKEND_NCCL = 4,
       ADJ_BACKEND_CUBLASLT = 5 };

/* Places from which select may take a kernel that is not loaded. */
ADJ_ENUM(adj_jit_policy) {
  ADJ_JIT_DEFAULT = 0,     /* packs, memory, disk cache, then NVRTC */
  ADJ_JIT_CACHED_ONLY = 1, /* as default, without NVRTC */
  ADJ_JIT_PACKS_ONLY = 2   /* packs and memory only */
};

ADJ_ENUM(adj_stream_kind) { ADJ_STREAM_NONE = 0, ADJ_STREAM_HOST = 1, ADJ_STREAM_CUDA = 2, ADJ_STREAM_OFFLINE = 3 };

ADJ_ENUM(adj_reduction) { ADJ_REDUCTION_DEFAULT = 0 /* mean */, ADJ_REDUCTION_NONE = 1, ADJ_REDUCTION_SUM = 2, ADJ_REDUCTION_MEAN = 3 };

ADJ_ENUM(adj_write_mode) {
  ADJ_WRITE_DEFAULT = 0,  /* overwrite */
  ADJ_WRITE_OVERWRITE = 1,/* every element of the output is written, untouched ones with zero */
  ADJ_WRITE_ACCUMULATE = 2/* the result is added to the contents of the output */
};

/* Elements of a matrix of f8 codes that share a scale. */
ADJ_ENUM(adj_scale_granularity) {
  ADJ_SCALE_GRANULARITY_DEFAULT = 0,      /* tensor */
  ADJ_SCALE_GRANULARITY_TENSOR = 1,       /* all of them */
  ADJ_SCALE_GRANULARITY_ROW = 2,          /* those of a row */
  ADJ_SCALE_GRANULARITY_BLOCK_1X128 = 3,  /* 128 neighbours of a row; fewer at its end */
  ADJ_SCALE_GRANULARITY_BLOCK_128X128 = 4 /* a square of 128 rows and 128 columns; less at the edges */
};

/* Order in memory of the scales of a matrix of f8 codes, [rows, columns]. With C = ceil(columns / 128) and R = ceil(rows / 128): */
ADJ_ENUM(adj_scale_layout) {
  ADJ_SCALE_LAYOUT_DEFAULT = 0, /* natural */
  ADJ_SCALE_LAYOUT_NATURAL = 1, /* block_1x128: [rows, C], block_128x128: [R, C] */
  ADJ_SCALE_LAYOUT_GEMM = 2     /* block_1x128: [C, rows rounded up to 4], block_128x128: [R, C rounded up to 4], as products read them; padding is 0 */
};

/* Tags of the structures that begin with adj_header. The tags of operators follow from their ids (ops/operator.h). */
ADJ_OPEN_ENUM(adj_tag) { ADJ_TAG_NONE = 0, ADJ_TAG_PREFERENCE = 1, ADJ_TAG_SKU_INFO = 2, ADJ_TAG_PLAN_INFO = 3, ADJ_TAG_PACK_OPTIONS = 4,
       ADJ_TAG_REGISTRY_ROW = 5, ADJ_TAG_CACHE_INFO = 6, ADJ_TAG_LIBRARY_INFO = 7, ADJ_TAG_DEVICE_INFO = 8,
       ADJ_TAG_REJECTION = 9, ADJ_TAG_KERNEL_INFO = 10, ADJ_TAG_CALLBACK_CALL = 11, ADJ_TAG_REQUIREMENT = 12, ADJ_TAG_FIELD_LIMITS = 13 };

/* ---- structures -------------------------------------------------------------------------------------------------- */

/* First member of every growing structure. struct_size is the caller's sizeof. A shorter structure than the library's
 * takes defaults for what is missing; a longer one is accepted when its unknown tail is all zero. next chains further
 * structures; none is defined yet, so it must be null. */
typedef struct adj_header {
  uint64_t struct_size ADJ_DEFAULT(0);
  adj_tag tag ADJ_DEFAULT(0);
  uint32_t reserved ADJ_DEFAULT(0);
  const void* next ADJ_DEFAULT(nullptr);
} adj_header;

/* A dense, row-major buffer: base address (device memory on a CUDA stream, ordinary memory on the host stream, unless
 * the argument's documentation says host), byte capacity, element type, and optionally its shape.
 * rank 0 leaves the shape unstated: only the capacity is checked. Otherwise shape[0..rank), its extents multiplied in groups in
 * their order, must give the shape that the operator names: [2, 3, 4] passes for [6, 4], [2, 12] and [24]; [3, 8] and [4, 6] do
 * not pass for [6, 4].
 * strides (in elements) all zero means row-major contiguous; any other value must describe the same layout. */
typedef struct adj_tensor {
  void* data ADJ_DEFAULT(nullptr);
  uint64_t bytes ADJ_DEFAULT(0);
  adj_dtype dtype ADJ_DEFAULT({});
  int32_t rank ADJ_DEFAULT(0);
  int64_t shape[ADJ_MAX_RANK] ADJ_DEFAULT({});
  int64_t strides[ADJ_MAX_RANK] ADJ_DEFAULT({});
} adj_tensor;

/* A list of dense buffers of one element type. data and bytes are host arrays of count entries, read during the call
 * only. An entry of an empty tensor may be null. For plans of a device, addresses of more than 48 bits are refused with
 * ADJ_ERROR_UNSUPPORTED. */
typedef struct adj_tensor_list {
  int64_t count ADJ_DEFAULT(0);
  adj_dtype dtype ADJ_DEFAULT({});
  uint32_t reserved ADJ_DEFAULT(0);
  void* const* data ADJ_DEFAULT(nullptr);
  const uint64_t* bytes ADJ_DEFAULT(nullptr); /* byte capacities */
} adj_tensor_list;

/* A scalar: the value itself when device is null, else the address of one element of type dtype, in the memory of the
 * stream, read in stream order. */
typedef struct adj_scalar {
  double value ADJ_DEFAULT(0);
  const void* device ADJ_DEFAULT(nullptr);
  adj_dtype dtype ADJ_DEFAULT({});
  uint32_t reserved ADJ_DEFAULT(0);
} adj_scalar;
/* Default of a scalar that must be given; refused when it was not. */
#define ADJ_NAN (__builtin_nan(""))
#ifndef __cplusplus
#define ADJ_SCALAR_INIT(v) { (v), NULL, 0, 0 }
#endif

/* The state of a counter-based random generator: a seed, and an offset counted in 32-bit words. With device set, seed and offset are the
 * two elements at that address, in the memory of the stream, read in stream order; the values here are then ignored. */
typedef struct adj_random {
  uint64_t seed ADJ_DEFAULT(0);
  uint64_t offset ADJ_DEFAULT(0);
  const uint64_t* device ADJ_DEFAULT(nullptr);
} adj_random;

/* The shape of a tensor in a descriptor: dims[0..rank), row-major, the last dimension contiguous. The rest of dims is zero. */
typedef struct adj_shape {
  int64_t rank ADJ_DEFAULT(0);
  int64_t dims[ADJ_MAX_RANK] ADJ_DEFAULT({});
} adj_shape;

/* A list of axes, or of one number per axis, in a descriptor: at[0..count). The rest of at is zero. */
typedef struct adj_axes {
  int64_t count ADJ_DEFAULT(0);
  int64_t at[ADJ_MAX_RANK] ADJ_DEFAULT({});
} adj_axes;

/* A non-owning stream that knows its device. Obtain it from adj_stream_host, adj_stream_wrap or adj_stream_offline. */
typedef struct adj_stream {
  void* handle ADJ_DEFAULT(nullptr); /* CUstream / cudaStream_t */
  adj_stream_kind kind ADJ_DEFAULT({});
  int32_t device ADJ_DEFAULT(-1);    /* CUDA device ordinal, -1 for none */
  int32_t arch ADJ_DEFAULT(0);       /* compute capability times ten: 90 for sm_90a */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_stream;

/* Scratch memory of one call, 256-byte aligned, in the memory of the stream. Null is legal when 0 bytes are needed. */
typedef struct adj_workspace {
  void* data ADJ_DEFAULT(nullptr);
  uint64_t bytes ADJ_DEFAULT(0);
} adj_workspace;

/* Promise of a kernel about its result. Let an output element be a sum of terms, with the exact value r, and let the magnitudes of its
 * terms add up to s:   |computed - r| <= bound_ulp * ulp(r) + bound_terms * s + bound_absolute,   ulp in the output's type.
 * Three zeros mean equal bits. */
typedef struct adj_guarantee {
  adj_math math ADJ_DEFAULT({});
  adj_dtype accumulator ADJ_DEFAULT({});
  adj_determinism determinism ADJ_DEFAULT({});
  int32_t bit_stable ADJ_DEFAULT(0);    /* 1: same bits on the same hardware */
  int32_t float_atomics ADJ_DEFAULT(0); /* 1: the kernel adds floats atomically */
  uint32_t reserved ADJ_DEFAULT(0);
  double bound_ulp ADJ_DEFAULT(0);
  double bound_terms ADJ_DEFAULT(0);
  double bound_absolute ADJ_DEFAULT(0); /* error from taking subnormal numbers for zero */
} adj_guarantee;

/* Requirements of the caller on the kernel. */
typedef struct adj_preference {
  adj_header header ADJ_DEFAULT({sizeof(adj_preference), ADJ_TAG_PREFERENCE, 0, nullptr});
  adj_determinism determinism ADJ_DEFAULT(ADJ_DETERMINISM_DEFAULT); /* least level accepted */
  adj_math math ADJ_DEFAULT(ADJ_MATH_DEFAULT);
  adj_jit_policy jit ADJ_DEFAULT(ADJ_JIT_DEFAULT);
  adj_backend backend ADJ_DEFAULT(ADJ_BACKEND_ANY);
  uint64_t workspace_limit ADJ_DEFAULT(UINT64_MAX); /* bytes; 0 accepts only kernels that need none */
  const char* sku ADJ_DEFAULT(nullptr);  /* glob over SKU ids ('*', '?'); null accepts all */
  int32_t fallback ADJ_DEFAULT(0);       /* 1: when the chosen kernel does not compile or load, or its library fails, select takes the next; 0: select fails */
  int32_t workspace_arch ADJ_DEFAULT(0); /* compute capability times ten (90 for sm_90a): a plan of the host stream needs as much workspace as the
                                          * plan that select chooses on that architecture; 0: as much as the host itself uses. Other
                                          * streams do not look at it */
  int32_t tune ADJ_DEFAULT(0);           /* 1: select takes the fastest of the kernels, and of a library's algorithms, that the rest of the preference
                                          * accepts. It measures them on a CUDA stream's device where it finds no verdict from before, which
                                          * takes up to seconds, waits for the stream and needs device memory until it returns; see adj_tuning_load.
                                          * Other streams do not look at it */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_preference;
#ifndef __cplusplus
#define ADJ_PREFERENCE_INIT { {sizeof(adj_preference), ADJ_TAG_PREFERENCE, 0, NULL}, 0, 0, 0, 0, UINT64_MAX, NULL, 0, 0, 0, 0 }
#endif

#endif
