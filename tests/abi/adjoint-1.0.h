/* Interface 1.0 as it was first recorded: the declarations of adjoint.h, preprocessed. Never changed: old programs were
 * compiled with it, and old_consumer.c is one of them. */
#include <stddef.h>
#include <stdint.h>
typedef int32_t adj_status;
enum {
  ADJ_OK = 0,
  ADJ_ERROR_INVALID_ARGUMENT = 1,
  ADJ_ERROR_STRUCT_SIZE = 2,
  ADJ_ERROR_INVALID_PROBLEM = 3,
  ADJ_ERROR_UNSUPPORTED = 4,
  ADJ_ERROR_DTYPE_MISMATCH = 5,
  ADJ_ERROR_SHAPE_MISMATCH = 6,
  ADJ_ERROR_NULL_BUFFER = 7,
  ADJ_ERROR_BUFFER_TOO_SMALL = 8,
  ADJ_ERROR_MISALIGNED = 9,
  ADJ_ERROR_ALIASING = 10,
  ADJ_ERROR_WORKSPACE_TOO_SMALL = 11,
  ADJ_ERROR_STREAM_MISMATCH = 12,
  ADJ_ERROR_BACKEND_UNAVAILABLE = 13,
  ADJ_ERROR_DRIVER_TOO_OLD = 14,
  ADJ_ERROR_COMPILE_FAILED = 15,
  ADJ_ERROR_CUDA = 16,
  ADJ_ERROR_NOT_FOUND = 17,
  ADJ_ERROR_IO = 18,
  ADJ_ERROR_CORRUPT = 19,
  ADJ_ERROR_OUT_OF_MEMORY = 20,
  ADJ_ERROR_INTERNAL = 21,
  ADJ_ERROR_CAPTURING = 22,
  ADJ_ERROR_INVALID_VALUE = 23
};
typedef int32_t adj_dtype;
enum {
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
  ADJ_BF16 = 16
};
typedef int32_t adj_determinism;
enum {
  ADJ_DETERMINISM_DEFAULT = 0,
  ADJ_NONDETERMINISTIC = 1,
  ADJ_RUN_TO_RUN = 2,
  ADJ_SHAPE_ONLY = 3,
  ADJ_BATCH_INVARIANT = 4
};
typedef int32_t adj_math;
enum {
  ADJ_MATH_DEFAULT = 0,
  ADJ_MATH_IEEE = 1,
  ADJ_MATH_FAST = 2
};
typedef int32_t adj_backend;
enum {
  ADJ_BACKEND_ANY = 0,
  ADJ_BACKEND_BESPOKE = 1,
  ADJ_BACKEND_HOST = 2,
  ADJ_BACKEND_CUDNN = 3,
  ADJ_BACKEND_NCCL = 4,
  ADJ_BACKEND_CUBLASLT = 5
};
typedef int32_t adj_jit_policy;
enum {
  ADJ_JIT_DEFAULT = 0,
  ADJ_JIT_CACHED_ONLY = 1,
  ADJ_JIT_PACKS_ONLY = 2
};
typedef int32_t adj_stream_kind;
enum {
  ADJ_STREAM_NONE = 0,
  ADJ_STREAM_HOST = 1,
  ADJ_STREAM_CUDA = 2,
  ADJ_STREAM_OFFLINE = 3
};
typedef int32_t adj_reduction;
enum {
  ADJ_REDUCTION_DEFAULT = 0 ,
  ADJ_REDUCTION_NONE = 1,
  ADJ_REDUCTION_SUM = 2,
  ADJ_REDUCTION_MEAN = 3
};
typedef int32_t adj_write_mode;
enum {
  ADJ_WRITE_DEFAULT = 0,
  ADJ_WRITE_OVERWRITE = 1,
  ADJ_WRITE_ACCUMULATE = 2
};
typedef int32_t adj_tag;
enum {
  ADJ_TAG_NONE = 0,
  ADJ_TAG_PREFERENCE = 1,
  ADJ_TAG_SKU_INFO = 2,
  ADJ_TAG_PLAN_INFO = 3,
  ADJ_TAG_PACK_OPTIONS = 4,
  ADJ_TAG_REGISTRY_ROW = 5,
  ADJ_TAG_CACHE_INFO = 6,
  ADJ_TAG_LIBRARY_INFO = 7,
  ADJ_TAG_DEVICE_INFO = 8,
  ADJ_TAG_REJECTION = 9,
  ADJ_TAG_KERNEL_INFO = 10,
  ADJ_TAG_CALLBACK_CALL = 11,
  ADJ_TAG_REQUIREMENT = 12
};
typedef struct adj_header {
  uint64_t struct_size;
  adj_tag tag;
  uint32_t reserved;
  const void* next;
} adj_header;
typedef struct adj_tensor {
  void* data;
  uint64_t bytes;
  adj_dtype dtype;
  int32_t rank;
  int64_t shape[8];
  int64_t strides[8];
} adj_tensor;
typedef struct adj_tensor_list {
  int64_t count;
  adj_dtype dtype;
  uint32_t reserved;
  void* const* data;
  const uint64_t* bytes;
} adj_tensor_list;
typedef struct adj_scalar {
  double value;
  const void* device;
  adj_dtype dtype;
  uint32_t reserved;
} adj_scalar;
typedef struct adj_random {
  uint64_t seed;
  uint64_t offset;
  const uint64_t* device;
} adj_random;
typedef struct adj_shape {
  int64_t rank;
  int64_t dims[8];
} adj_shape;
typedef struct adj_axes {
  int64_t count;
  int64_t at[8];
} adj_axes;
typedef struct adj_stream {
  void* handle;
  adj_stream_kind kind;
  int32_t device;
  int32_t arch;
  uint32_t reserved;
} adj_stream;
typedef struct adj_workspace {
  void* data;
  uint64_t bytes;
} adj_workspace;
typedef struct adj_guarantee {
  adj_math math;
  adj_dtype accumulator;
  adj_determinism determinism;
  int32_t bit_stable;
  int32_t float_atomics;
  uint32_t reserved;
  double bound_ulp;
  double bound_terms;
  double bound_absolute;
} adj_guarantee;
typedef struct adj_preference {
  adj_header header;
  adj_determinism determinism;
  adj_math math;
  adj_jit_policy jit;
  adj_backend backend;
  uint64_t workspace_limit;
  const char* sku;
  int32_t fallback;
  int32_t workspace_arch;
  int32_t tune;
  uint32_t reserved;
} adj_preference;
typedef int32_t adj_op;
enum {
  ADJ_OP_NONE = 0
};
enum {
  ADJ_OP_ACTIVATION_BACKWARD = 16,
  ADJ_TAG_ACTIVATION_BACKWARD_DESCRIPTOR = (0x10000 + (16)),
  ADJ_TAG_ACTIVATION_BACKWARD_ARGS = (0x20000 + (16))
};
enum {
  ADJ_OP_ACTIVATION_FORWARD = 17,
  ADJ_TAG_ACTIVATION_FORWARD_DESCRIPTOR = (0x10000 + (17)),
  ADJ_TAG_ACTIVATION_FORWARD_ARGS = (0x20000 + (17))
};
enum {
  ADJ_OP_GATED_ACTIVATION_BACKWARD = 18,
  ADJ_TAG_GATED_ACTIVATION_BACKWARD_DESCRIPTOR = (0x10000 + (18)),
  ADJ_TAG_GATED_ACTIVATION_BACKWARD_ARGS = (0x20000 + (18))
};
enum {
  ADJ_OP_GATED_ACTIVATION_FORWARD = 19,
  ADJ_TAG_GATED_ACTIVATION_FORWARD_DESCRIPTOR = (0x10000 + (19)),
  ADJ_TAG_GATED_ACTIVATION_FORWARD_ARGS = (0x20000 + (19))
};
typedef int32_t adj_activation;
enum {
  ADJ_ACTIVATION_NONE = 0,
  ADJ_ACTIVATION_RELU = 1,
  ADJ_ACTIVATION_LEAKY_RELU = 2,
  ADJ_ACTIVATION_GELU = 3,
  ADJ_ACTIVATION_GELU_TANH = 4,
  ADJ_ACTIVATION_QUICK_GELU = 5,
  ADJ_ACTIVATION_SIGMOID = 6,
  ADJ_ACTIVATION_TANH = 7,
  ADJ_ACTIVATION_SILU = 8,
  ADJ_ACTIVATION_ELU = 9,
  ADJ_ACTIVATION_SOFTPLUS = 10,
  ADJ_ACTIVATION_MISH = 11,
  ADJ_ACTIVATION_HARD_SWISH = 12,
  ADJ_ACTIVATION_RELU_SQUARED = 13
};
typedef int32_t adj_activation_saved;
enum {
  ADJ_ACTIVATION_SAVED_DEFAULT = 0,
  ADJ_ACTIVATION_SAVED_INPUT = 1,
  ADJ_ACTIVATION_SAVED_OUTPUT = 2
};
typedef struct adj_activation_forward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t inner;
  double leaky_slope;
  double quick_gelu_alpha;
  double elu_alpha;
  adj_activation function;
  int32_t has_bias;
  adj_dtype element;
  uint32_t reserved;
} adj_activation_forward_descriptor;
typedef struct adj_activation_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor bias;
  adj_tensor out;
} adj_activation_forward_args;
typedef struct adj_activation_backward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t inner;
  double leaky_slope;
  double quick_gelu_alpha;
  double elu_alpha;
  adj_activation function;
  adj_activation_saved saved;
  int32_t has_bias;
  int32_t has_dbias;
  adj_write_mode write_mode;
  adj_dtype element;
} adj_activation_backward_descriptor;
typedef struct adj_activation_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor saved;
  adj_tensor bias;
  adj_tensor dinput;
  adj_tensor dbias;
} adj_activation_backward_args;
typedef int32_t adj_gated_activation;
enum {
  ADJ_GATED_ACTIVATION_NONE = 0,
  ADJ_GATED_ACTIVATION_SWIGLU = 1,
  ADJ_GATED_ACTIVATION_GEGLU = 2,
  ADJ_GATED_ACTIVATION_GEGLU_TANH = 3,
  ADJ_GATED_ACTIVATION_REGLU = 4
};
typedef int32_t adj_gated_layout;
enum {
  ADJ_GATED_LAYOUT_DEFAULT = 0,
  ADJ_GATED_LAYOUT_HALVES = 1,
  ADJ_GATED_LAYOUT_INTERLEAVED = 2
};
typedef struct adj_gated_activation_forward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t inner;
  adj_gated_activation function;
  adj_gated_layout layout;
  int32_t gate_second;
  adj_dtype element;
} adj_gated_activation_forward_descriptor;
typedef struct adj_gated_activation_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor out;
} adj_gated_activation_forward_args;
typedef struct adj_gated_activation_backward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t inner;
  adj_gated_activation function;
  adj_gated_layout layout;
  int32_t gate_second;
  adj_dtype element;
} adj_gated_activation_backward_descriptor;
typedef struct adj_gated_activation_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor input;
  adj_tensor dinput;
} adj_gated_activation_backward_args;
enum {
  ADJ_OP_ATTENTION_FORWARD = 89,
  ADJ_TAG_ATTENTION_FORWARD_DESCRIPTOR = (0x10000 + (89)),
  ADJ_TAG_ATTENTION_FORWARD_ARGS = (0x20000 + (89))
};
enum {
  ADJ_OP_ATTENTION_BACKWARD = 90,
  ADJ_TAG_ATTENTION_BACKWARD_DESCRIPTOR = (0x10000 + (90)),
  ADJ_TAG_ATTENTION_BACKWARD_ARGS = (0x20000 + (90))
};
typedef struct adj_attention_forward_descriptor {
  adj_header header;
  int64_t batch;
  int64_t tokens;
  int64_t heads;
  int64_t kv_heads;
  int64_t head_dim;
  int64_t window;
  double scale;
  adj_axes q_strides;
  adj_axes k_strides;
  adj_axes v_strides;
  adj_axes out_strides;
  int32_t causal;
  int32_t has_lengths;
  adj_dtype element;
  uint32_t reserved;
} adj_attention_forward_descriptor;
typedef struct adj_attention_forward_args {
  adj_header header;
  adj_tensor q;
  adj_tensor k;
  adj_tensor v;
  adj_tensor cu_seqlens;
  adj_tensor out;
  adj_tensor lse;
} adj_attention_forward_args;
typedef struct adj_attention_backward_descriptor {
  adj_header header;
  int64_t batch;
  int64_t tokens;
  int64_t heads;
  int64_t kv_heads;
  int64_t head_dim;
  int64_t window;
  double scale;
  adj_axes q_strides;
  adj_axes k_strides;
  adj_axes v_strides;
  adj_axes out_strides;
  adj_axes dout_strides;
  adj_axes dq_strides;
  adj_axes dk_strides;
  adj_axes dv_strides;
  int32_t causal;
  int32_t has_lengths;
  adj_dtype element;
  uint32_t reserved;
} adj_attention_backward_descriptor;
typedef struct adj_attention_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor q;
  adj_tensor k;
  adj_tensor v;
  adj_tensor out;
  adj_tensor lse;
  adj_tensor cu_seqlens;
  adj_tensor dq;
  adj_tensor dk;
  adj_tensor dv;
} adj_attention_backward_args;
enum {
  ADJ_OP_BATCH_NORM_FORWARD = 54,
  ADJ_TAG_BATCH_NORM_FORWARD_DESCRIPTOR = (0x10000 + (54)),
  ADJ_TAG_BATCH_NORM_FORWARD_ARGS = (0x20000 + (54))
};
enum {
  ADJ_OP_BATCH_NORM_BACKWARD = 55,
  ADJ_TAG_BATCH_NORM_BACKWARD_DESCRIPTOR = (0x10000 + (55)),
  ADJ_TAG_BATCH_NORM_BACKWARD_ARGS = (0x20000 + (55))
};
typedef struct adj_batch_norm_forward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t channels;
  int64_t inner;
  double epsilon;
  double momentum;
  int32_t training;
  adj_dtype element;
  adj_dtype weight;
  adj_dtype stats;
} adj_batch_norm_forward_descriptor;
typedef struct adj_batch_norm_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor scale;
  adj_tensor bias;
  adj_tensor running_mean;
  adj_tensor running_variance;
  adj_tensor out;
  adj_tensor next_running_mean;
  adj_tensor next_running_variance;
  adj_tensor saved_mean;
  adj_tensor saved_inv_std;
} adj_batch_norm_forward_args;
typedef struct adj_batch_norm_backward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t channels;
  int64_t inner;
  double epsilon;
  int32_t frozen;
  adj_dtype element;
  adj_dtype weight;
  adj_dtype stats;
} adj_batch_norm_backward_descriptor;
typedef struct adj_batch_norm_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor input;
  adj_tensor scale;
  adj_tensor saved_mean;
  adj_tensor saved_inv_std;
  adj_tensor running_mean;
  adj_tensor running_variance;
  adj_tensor dinput;
  adj_tensor dscale;
  adj_tensor dbias;
} adj_batch_norm_backward_args;
enum {
  ADJ_OP_ALL_REDUCE = 76,
  ADJ_TAG_ALL_REDUCE_DESCRIPTOR = (0x10000 + (76)),
  ADJ_TAG_ALL_REDUCE_ARGS = (0x20000 + (76))
};
enum {
  ADJ_OP_ALL_GATHER = 77,
  ADJ_TAG_ALL_GATHER_DESCRIPTOR = (0x10000 + (77)),
  ADJ_TAG_ALL_GATHER_ARGS = (0x20000 + (77))
};
enum {
  ADJ_OP_REDUCE_SCATTER = 78,
  ADJ_TAG_REDUCE_SCATTER_DESCRIPTOR = (0x10000 + (78)),
  ADJ_TAG_REDUCE_SCATTER_ARGS = (0x20000 + (78))
};
enum {
  ADJ_OP_SEND = 79,
  ADJ_TAG_SEND_DESCRIPTOR = (0x10000 + (79)),
  ADJ_TAG_SEND_ARGS = (0x20000 + (79))
};
enum {
  ADJ_OP_RECV = 80,
  ADJ_TAG_RECV_DESCRIPTOR = (0x10000 + (80)),
  ADJ_TAG_RECV_ARGS = (0x20000 + (80))
};
enum {
  ADJ_OP_BROADCAST = 81,
  ADJ_TAG_BROADCAST_DESCRIPTOR = (0x10000 + (81)),
  ADJ_TAG_BROADCAST_ARGS = (0x20000 + (81))
};
enum {
  ADJ_OP_ADASUM_ALL_REDUCE = 82,
  ADJ_TAG_ADASUM_ALL_REDUCE_DESCRIPTOR = (0x10000 + (82)),
  ADJ_TAG_ADASUM_ALL_REDUCE_ARGS = (0x20000 + (82))
};
enum {
  ADJ_OP_MEGATRON_F = 83,
  ADJ_TAG_MEGATRON_F_DESCRIPTOR = (0x10000 + (83)),
  ADJ_TAG_MEGATRON_F_ARGS = (0x20000 + (83))
};
enum {
  ADJ_OP_MEGATRON_G = 84,
  ADJ_TAG_MEGATRON_G_DESCRIPTOR = (0x10000 + (84)),
  ADJ_TAG_MEGATRON_G_ARGS = (0x20000 + (84))
};
typedef int32_t adj_collective_reduction;
enum {
  ADJ_COLLECTIVE_REDUCTION_DEFAULT = 0,
  ADJ_COLLECTIVE_REDUCTION_SUM = 1,
  ADJ_COLLECTIVE_REDUCTION_AVERAGE = 2,
  ADJ_COLLECTIVE_REDUCTION_MAX = 3,
  ADJ_COLLECTIVE_REDUCTION_MIN = 4,
  ADJ_COLLECTIVE_REDUCTION_PROD = 5
};
typedef int32_t adj_shard_layout;
enum {
  ADJ_SHARD_LAYOUT_DEFAULT = 0,
  ADJ_SHARD_LAYOUT_EVEN = 1,
  ADJ_SHARD_LAYOUT_WHOLE = 2
};
typedef struct adj_all_reduce_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  adj_collective_reduction reduction;
  adj_dtype element;
} adj_all_reduce_descriptor;
typedef struct adj_all_reduce_args {
  adj_header header;
  void* communicator;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
} adj_all_reduce_args;
typedef struct adj_all_gather_descriptor {
  adj_header header;
  int64_t ranks;
  int64_t count;
  const int64_t* numel;
  adj_shard_layout layout;
  adj_dtype element;
} adj_all_gather_descriptor;
typedef struct adj_all_gather_args {
  adj_header header;
  void* communicator;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
} adj_all_gather_args;
typedef struct adj_reduce_scatter_descriptor {
  adj_header header;
  int64_t ranks;
  int64_t count;
  const int64_t* numel;
  adj_shard_layout layout;
  adj_collective_reduction reduction;
  adj_dtype element;
  uint32_t reserved;
} adj_reduce_scatter_descriptor;
typedef struct adj_reduce_scatter_args {
  adj_header header;
  void* communicator;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
} adj_reduce_scatter_args;
typedef struct adj_send_descriptor {
  adj_header header;
  int64_t peer;
  int64_t count;
  const int64_t* numel;
  adj_dtype element;
  uint32_t reserved;
} adj_send_descriptor;
typedef struct adj_send_args {
  adj_header header;
  void* communicator;
  adj_tensor_list tensors;
} adj_send_args;
typedef struct adj_recv_descriptor {
  adj_header header;
  int64_t peer;
  int64_t count;
  const int64_t* numel;
  adj_dtype element;
  uint32_t reserved;
} adj_recv_descriptor;
typedef struct adj_recv_args {
  adj_header header;
  void* communicator;
  adj_tensor_list tensors;
} adj_recv_args;
typedef struct adj_broadcast_descriptor {
  adj_header header;
  int64_t root;
  int64_t count;
  const int64_t* numel;
  adj_dtype element;
  uint32_t reserved;
} adj_broadcast_descriptor;
typedef struct adj_broadcast_args {
  adj_header header;
  void* communicator;
  adj_tensor_list tensors;
} adj_broadcast_args;
typedef struct adj_adasum_all_reduce_descriptor {
  adj_header header;
  int64_t ranks;
  int64_t count;
  const int64_t* numel;
  adj_dtype element;
  uint32_t reserved;
} adj_adasum_all_reduce_descriptor;
typedef struct adj_adasum_all_reduce_args {
  adj_header header;
  void* communicator;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
} adj_adasum_all_reduce_args;
typedef struct adj_megatron_f_descriptor {
  adj_header header;
  int64_t numel;
  int32_t backward;
  adj_dtype element;
} adj_megatron_f_descriptor;
typedef struct adj_megatron_f_args {
  adj_header header;
  void* communicator;
  adj_tensor input;
  adj_tensor output;
} adj_megatron_f_args;
typedef struct adj_megatron_g_descriptor {
  adj_header header;
  int64_t numel;
  int32_t backward;
  adj_dtype element;
} adj_megatron_g_descriptor;
typedef struct adj_megatron_g_args {
  adj_header header;
  void* communicator;
  adj_tensor input;
  adj_tensor output;
} adj_megatron_g_args;
enum {
  ADJ_OP_CONCAT = 9,
  ADJ_TAG_CONCAT_DESCRIPTOR = (0x10000 + (9)),
  ADJ_TAG_CONCAT_ARGS = (0x20000 + (9))
};
enum {
  ADJ_OP_SPLIT = 10,
  ADJ_TAG_SPLIT_DESCRIPTOR = (0x10000 + (10)),
  ADJ_TAG_SPLIT_ARGS = (0x20000 + (10))
};
typedef struct adj_concat_descriptor {
  adj_header header;
  int64_t outer;
  int64_t inner;
  int64_t count;
  const int64_t* lengths;
  adj_dtype element;
  uint32_t reserved;
} adj_concat_descriptor;
typedef struct adj_concat_args {
  adj_header header;
  adj_tensor_list inputs;
  adj_tensor output;
  adj_tensor lengths_out;
} adj_concat_args;
typedef struct adj_split_descriptor {
  adj_header header;
  int64_t outer;
  int64_t inner;
  int64_t count;
  const int64_t* lengths;
  adj_dtype element;
  uint32_t reserved;
} adj_split_descriptor;
typedef struct adj_split_args {
  adj_header header;
  adj_tensor input;
  adj_tensor_list outputs;
} adj_split_args;
enum {
  ADJ_OP_GROUP = 70,
  ADJ_TAG_GROUP_DESCRIPTOR = (0x10000 + (70)),
  ADJ_TAG_GROUP_ARGS = (0x20000 + (70))
};
enum {
  ADJ_OP_RECORD_EVENT = 71,
  ADJ_TAG_RECORD_EVENT_DESCRIPTOR = (0x10000 + (71)),
  ADJ_TAG_RECORD_EVENT_ARGS = (0x20000 + (71))
};
enum {
  ADJ_OP_WAIT_EVENT = 72,
  ADJ_TAG_WAIT_EVENT_DESCRIPTOR = (0x10000 + (72)),
  ADJ_TAG_WAIT_EVENT_ARGS = (0x20000 + (72))
};
enum {
  ADJ_OP_YIELD = 73,
  ADJ_TAG_YIELD_DESCRIPTOR = (0x10000 + (73)),
  ADJ_TAG_YIELD_ARGS = (0x20000 + (73))
};
enum {
  ADJ_OP_USER_KERNEL = 74,
  ADJ_TAG_USER_KERNEL_DESCRIPTOR = (0x10000 + (74)),
  ADJ_TAG_USER_KERNEL_ARGS = (0x20000 + (74))
};
enum {
  ADJ_OP_CALLBACK = 75,
  ADJ_TAG_CALLBACK_DESCRIPTOR = (0x10000 + (75)),
  ADJ_TAG_CALLBACK_ARGS = (0x20000 + (75))
};
typedef struct adj_group_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  adj_dtype element;
  uint32_t reserved;
} adj_group_descriptor;
typedef struct adj_group_args {
  adj_header header;
  adj_tensor_list inputs;
  adj_tensor done;
} adj_group_args;
typedef struct adj_record_event_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  int32_t skip;
  adj_dtype element;
} adj_record_event_descriptor;
typedef struct adj_record_event_args {
  adj_header header;
  void* event;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
} adj_record_event_args;
typedef struct adj_wait_event_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  int32_t skip;
  adj_dtype element;
} adj_wait_event_descriptor;
typedef struct adj_wait_event_args {
  adj_header header;
  void* event;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
} adj_wait_event_args;
typedef struct adj_yield_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  int64_t non_differentiable_count;
  const int64_t* non_differentiable;
  int64_t free_shape_count;
  const int64_t* free_shape;
  adj_dtype element;
  uint32_t reserved;
} adj_yield_descriptor;
typedef struct adj_yield_args {
  adj_header header;
  adj_tensor_list outputs;
  adj_tensor_list gradients;
} adj_yield_args;
typedef struct adj_callback_call {
  adj_header header;
  void* user;
  const adj_stream* stream;
  int64_t* context;
  const adj_tensor_list* inputs;
  const adj_tensor_list* outputs;
} adj_callback_call;
typedef int32_t (*adj_callback_function)(const adj_callback_call* call);
typedef void (*adj_callback_destroy)(void* user);
typedef int32_t adj_code_kind;
enum {
  ADJ_CODE_SOURCE = 0,
  ADJ_CODE_PTX = 1,
  ADJ_CODE_CUBIN = 2
};
typedef struct adj_user_kernel_descriptor {
  adj_header header;
  int64_t code_bytes;
  const void* code;
  const char* entry;
  const char* macros;
  int64_t input_count;
  const int64_t* input_numel;
  int64_t output_count;
  const int64_t* output_numel;
  int64_t integer_count;
  const int64_t* integers;
  int64_t real_count;
  const double* reals;
  adj_axes grid;
  adj_axes block;
  int64_t shared_bytes;
  adj_callback_function host;
  void* user;
  adj_code_kind code_kind;
  adj_dtype element;
  adj_dtype output_element;
  uint32_t reserved;
} adj_user_kernel_descriptor;
typedef struct adj_user_kernel_args {
  adj_header header;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
} adj_user_kernel_args;
typedef struct adj_callback_descriptor {
  adj_header header;
  adj_callback_function function;
  adj_callback_destroy destroy;
  void* user;
  int64_t input_count;
  const int64_t* input_numel;
  int64_t output_count;
  const int64_t* output_numel;
  adj_dtype element;
  uint32_t reserved;
} adj_callback_descriptor;
typedef struct adj_callback_args {
  adj_header header;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
  adj_tensor context;
} adj_callback_args;
enum {
  ADJ_OP_CONV_BACKWARD = 56,
  ADJ_TAG_CONV_BACKWARD_DESCRIPTOR = (0x10000 + (56)),
  ADJ_TAG_CONV_BACKWARD_ARGS = (0x20000 + (56))
};
enum {
  ADJ_OP_CONV_TRANSPOSE_BACKWARD = 57,
  ADJ_TAG_CONV_TRANSPOSE_BACKWARD_DESCRIPTOR = (0x10000 + (57)),
  ADJ_TAG_CONV_TRANSPOSE_BACKWARD_ARGS = (0x20000 + (57))
};
enum {
  ADJ_OP_CONV_FORWARD = 58,
  ADJ_TAG_CONV_FORWARD_DESCRIPTOR = (0x10000 + (58)),
  ADJ_TAG_CONV_FORWARD_ARGS = (0x20000 + (58))
};
enum {
  ADJ_OP_CONV_TRANSPOSE_FORWARD = 59,
  ADJ_TAG_CONV_TRANSPOSE_FORWARD_DESCRIPTOR = (0x10000 + (59)),
  ADJ_TAG_CONV_TRANSPOSE_FORWARD_ARGS = (0x20000 + (59))
};
typedef struct adj_conv_forward_descriptor {
  adj_header header;
  adj_shape input;
  adj_shape weight;
  adj_shape out;
  adj_axes strides;
  adj_axes pads;
  adj_axes dilations;
  int64_t groups;
  int32_t channels_last;
  int32_t has_bias;
  adj_dtype element;
  uint32_t reserved;
} adj_conv_forward_descriptor;
typedef struct adj_conv_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor weight;
  adj_tensor bias;
  adj_tensor out;
} adj_conv_forward_args;
typedef struct adj_conv_backward_descriptor {
  adj_header header;
  adj_shape input;
  adj_shape weight;
  adj_shape out;
  adj_axes strides;
  adj_axes pads;
  adj_axes dilations;
  int64_t groups;
  int32_t channels_last;
  int32_t has_dinput;
  int32_t has_dweight;
  int32_t has_dbias;
  adj_write_mode write_mode;
  adj_dtype element;
} adj_conv_backward_descriptor;
typedef struct adj_conv_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor input;
  adj_tensor weight;
  adj_tensor dinput;
  adj_tensor dweight;
  adj_tensor dbias;
} adj_conv_backward_args;
typedef struct adj_conv_transpose_forward_descriptor {
  adj_header header;
  adj_shape input;
  adj_shape weight;
  adj_shape out;
  adj_axes strides;
  adj_axes pads;
  adj_axes dilations;
  int64_t groups;
  int32_t channels_last;
  int32_t has_bias;
  adj_dtype element;
  uint32_t reserved;
} adj_conv_transpose_forward_descriptor;
typedef struct adj_conv_transpose_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor weight;
  adj_tensor bias;
  adj_tensor out;
} adj_conv_transpose_forward_args;
typedef struct adj_conv_transpose_backward_descriptor {
  adj_header header;
  adj_shape input;
  adj_shape weight;
  adj_shape out;
  adj_axes strides;
  adj_axes pads;
  adj_axes dilations;
  int64_t groups;
  int32_t channels_last;
  int32_t has_dinput;
  int32_t has_dweight;
  int32_t has_dbias;
  adj_write_mode write_mode;
  adj_dtype element;
} adj_conv_transpose_backward_descriptor;
typedef struct adj_conv_transpose_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor input;
  adj_tensor weight;
  adj_tensor dinput;
  adj_tensor dweight;
  adj_tensor dbias;
} adj_conv_transpose_backward_args;
enum {
  ADJ_OP_DROPOUT_FORWARD = 25,
  ADJ_TAG_DROPOUT_FORWARD_DESCRIPTOR = (0x10000 + (25)),
  ADJ_TAG_DROPOUT_FORWARD_ARGS = (0x20000 + (25))
};
enum {
  ADJ_OP_DROPOUT_BACKWARD = 26,
  ADJ_TAG_DROPOUT_BACKWARD_DESCRIPTOR = (0x10000 + (26)),
  ADJ_TAG_DROPOUT_BACKWARD_ARGS = (0x20000 + (26))
};
enum {
  ADJ_OP_BIAS_SOFTMAX_DROPOUT_FORWARD = 27,
  ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_DESCRIPTOR = (0x10000 + (27)),
  ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_ARGS = (0x20000 + (27))
};
enum {
  ADJ_OP_SOFTMAX_DROPOUT_BACKWARD = 28,
  ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_DESCRIPTOR = (0x10000 + (28)),
  ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_ARGS = (0x20000 + (28))
};
typedef int32_t adj_dropout_mask;
enum {
  ADJ_DROPOUT_MASK_DEFAULT = 0,
  ADJ_DROPOUT_MASK_BOOL = 1,
  ADJ_DROPOUT_MASK_BITS = 2,
  ADJ_DROPOUT_MASK_NONE = 3
};
typedef int32_t adj_dropout_mapping;
enum {
  ADJ_DROPOUT_MAPPING_DEFAULT = 0,
  ADJ_DROPOUT_MAPPING_ONNX_RUNTIME = 1
};
typedef struct adj_dropout_forward_descriptor {
  adj_header header;
  int64_t numel;
  adj_dropout_mask mask;
  int32_t training;
  int32_t advance_offset;
  adj_dropout_mapping mapping;
  int32_t multiprocessors;
  int32_t threads_per_multiprocessor;
  adj_dtype element;
  uint32_t reserved;
} adj_dropout_forward_descriptor;
typedef struct adj_dropout_forward_args {
  adj_header header;
  adj_tensor input;
  adj_scalar ratio;
  adj_random random;
  adj_tensor out;
  adj_tensor mask;
  adj_tensor words;
} adj_dropout_forward_args;
typedef struct adj_dropout_backward_descriptor {
  adj_header header;
  int64_t numel;
  adj_dropout_mask mask;
  int32_t training;
  adj_dropout_mapping mapping;
  int32_t multiprocessors;
  int32_t threads_per_multiprocessor;
  adj_dtype element;
} adj_dropout_backward_descriptor;
typedef struct adj_dropout_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor mask;
  adj_scalar ratio;
  adj_random random;
  adj_tensor dinput;
} adj_dropout_backward_args;
typedef struct adj_bias_softmax_dropout_forward_descriptor {
  adj_header header;
  int64_t rows;
  int64_t columns;
  int64_t bias_rows;
  adj_dropout_mask mask;
  int32_t inner_broadcast;
  int32_t zero_masked_rows;
  int32_t advance_offset;
  adj_dropout_mapping mapping;
  int32_t multiprocessors;
  int32_t threads_per_multiprocessor;
  int32_t unaligned;
  adj_dtype element;
  uint32_t reserved;
} adj_bias_softmax_dropout_forward_descriptor;
typedef struct adj_bias_softmax_dropout_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor bias;
  adj_scalar ratio;
  adj_random random;
  adj_tensor out;
  adj_tensor mask;
  adj_tensor softmax_out;
  adj_tensor words;
} adj_bias_softmax_dropout_forward_args;
typedef struct adj_softmax_dropout_backward_descriptor {
  adj_header header;
  int64_t rows;
  int64_t columns;
  adj_dropout_mask mask;
  adj_dropout_mapping mapping;
  int32_t multiprocessors;
  int32_t threads_per_multiprocessor;
  int32_t unaligned;
  adj_dtype element;
} adj_softmax_dropout_backward_descriptor;
typedef struct adj_softmax_dropout_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor mask;
  adj_tensor softmax_out;
  adj_scalar ratio;
  adj_random random;
  adj_tensor dinput;
} adj_softmax_dropout_backward_args;
enum {
  ADJ_OP_DIV_BACKWARD = 20,
  ADJ_TAG_DIV_BACKWARD_DESCRIPTOR = (0x10000 + (20)),
  ADJ_TAG_DIV_BACKWARD_ARGS = (0x20000 + (20))
};
typedef struct adj_div_backward_descriptor {
  adj_header header;
  adj_shape a_shape;
  adj_shape b_shape;
  int32_t skip_da;
  int32_t skip_db;
  adj_dtype element;
  uint32_t reserved;
} adj_div_backward_descriptor;
typedef struct adj_div_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor a;
  adj_tensor b;
  adj_tensor da;
  adj_tensor db;
} adj_div_backward_args;
enum {
  ADJ_OP_EMBEDDING_FORWARD = 1,
  ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR = (0x10000 + (1)),
  ADJ_TAG_EMBEDDING_FORWARD_ARGS = (0x20000 + (1))
};
enum {
  ADJ_OP_EMBEDDING_BACKWARD = 2,
  ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR = (0x10000 + (2)),
  ADJ_TAG_EMBEDDING_BACKWARD_ARGS = (0x20000 + (2))
};
enum {
  ADJ_OP_GATHER_GRAD = 11,
  ADJ_TAG_GATHER_GRAD_DESCRIPTOR = (0x10000 + (11)),
  ADJ_TAG_GATHER_GRAD_ARGS = (0x20000 + (11))
};
enum {
  ADJ_OP_INDEX_PLAN = 15,
  ADJ_TAG_INDEX_PLAN_DESCRIPTOR = (0x10000 + (15)),
  ADJ_TAG_INDEX_PLAN_ARGS = (0x20000 + (15))
};
typedef struct adj_embedding_forward_descriptor {
  adj_header header;
  int64_t num_embeddings;
  int64_t embedding_dim;
  int64_t num_indices;
  int64_t padding_idx;
  int32_t has_padding_idx;
  int32_t padding_zeroes_forward;
  adj_dtype element;
  adj_dtype index;
} adj_embedding_forward_descriptor;
typedef struct adj_embedding_forward_args {
  adj_header header;
  adj_tensor weight;
  adj_tensor indices;
  adj_tensor out;
  adj_tensor error_flag;
} adj_embedding_forward_args;
typedef struct adj_embedding_backward_descriptor {
  adj_header header;
  int64_t num_embeddings;
  int64_t embedding_dim;
  int64_t num_indices;
  int64_t padding_idx;
  adj_write_mode write_mode;
  int32_t scale_grad_by_freq;
  int32_t has_padding_idx;
  int32_t use_index_plan;
  adj_dtype element;
  adj_dtype index;
} adj_embedding_backward_descriptor;
typedef struct adj_embedding_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor indices;
  adj_tensor dweight;
  adj_tensor error_flag;
  adj_tensor sorted_rows;
  adj_tensor order;
} adj_embedding_backward_args;
typedef struct adj_gather_grad_descriptor {
  adj_header header;
  int64_t outer;
  int64_t extent;
  int64_t inner;
  int64_t num_indices;
  adj_write_mode write_mode;
  int32_t use_index_plan;
  adj_dtype element;
  adj_dtype index;
} adj_gather_grad_descriptor;
typedef struct adj_gather_grad_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor indices;
  adj_tensor dinput;
  adj_tensor error_flag;
  adj_tensor sorted_rows;
  adj_tensor order;
} adj_gather_grad_args;
typedef int32_t adj_index_positions;
enum {
  ADJ_INDEX_POSITIONS_ROWS = 0,
  ADJ_INDEX_POSITIONS_SLICES = 1,
  ADJ_INDEX_POSITIONS_ELEMENTS = 2
};
typedef struct adj_index_plan_descriptor {
  adj_header header;
  int64_t num_embeddings;
  int64_t num_indices;
  int64_t padding_idx;
  adj_shape input_shape;
  adj_shape indices_shape;
  int64_t batch_dims;
  int64_t axis;
  int32_t wrap_negative;
  int32_t has_padding_idx;
  adj_index_positions positions;
  adj_dtype index;
} adj_index_plan_descriptor;
typedef struct adj_index_plan_args {
  adj_header header;
  adj_tensor indices;
  adj_tensor sorted_rows;
  adj_tensor order;
  adj_tensor error_flag;
} adj_index_plan_args;
enum {
  ADJ_OP_EMBEDDING_BAG_FORWARD = 12,
  ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR = (0x10000 + (12)),
  ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS = (0x20000 + (12))
};
enum {
  ADJ_OP_EMBEDDING_BAG_BACKWARD = 13,
  ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR = (0x10000 + (13)),
  ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS = (0x20000 + (13))
};
enum {
  ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD = 14,
  ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR = (0x10000 + (14)),
  ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS = (0x20000 + (14))
};
typedef int32_t adj_bag_mode;
enum {
  ADJ_BAG_DEFAULT = 0 ,
  ADJ_BAG_SUM = 1,
  ADJ_BAG_MEAN = 2,
  ADJ_BAG_MAX = 3
};
typedef struct adj_embedding_bag_forward_descriptor {
  adj_header header;
  int64_t num_embeddings;
  int64_t embedding_dim;
  int64_t num_indices;
  int64_t num_bags;
  int64_t padding_idx;
  adj_bag_mode mode;
  int32_t has_offsets;
  int32_t include_last_offset;
  int32_t has_per_sample_weights;
  int32_t has_padding_idx;
  adj_dtype element;
  adj_dtype index;
  uint32_t reserved;
} adj_embedding_bag_forward_descriptor;
typedef struct adj_embedding_bag_forward_args {
  adj_header header;
  adj_tensor weight;
  adj_tensor indices;
  adj_tensor offsets;
  adj_tensor per_sample_weights;
  adj_tensor out;
  adj_tensor max_positions;
  adj_tensor error_flag;
} adj_embedding_bag_forward_args;
typedef struct adj_embedding_bag_backward_descriptor {
  adj_header header;
  int64_t num_embeddings;
  int64_t embedding_dim;
  int64_t num_indices;
  int64_t num_bags;
  int64_t padding_idx;
  adj_bag_mode mode;
  int32_t has_offsets;
  int32_t include_last_offset;
  int32_t has_per_sample_weights;
  adj_write_mode write_mode;
  int32_t scale_grad_by_freq;
  int32_t has_padding_idx;
  int32_t use_index_plan;
  adj_dtype element;
  adj_dtype index;
} adj_embedding_bag_backward_descriptor;
typedef struct adj_embedding_bag_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor indices;
  adj_tensor offsets;
  adj_tensor per_sample_weights;
  adj_tensor max_positions;
  adj_tensor dweight;
  adj_tensor error_flag;
  adj_tensor sorted_rows;
  adj_tensor order;
} adj_embedding_bag_backward_args;
typedef struct adj_embedding_bag_per_sample_weights_backward_descriptor {
  adj_header header;
  int64_t num_embeddings;
  int64_t embedding_dim;
  int64_t num_indices;
  int64_t num_bags;
  int64_t padding_idx;
  int32_t has_offsets;
  int32_t include_last_offset;
  int32_t has_padding_idx;
  adj_dtype element;
  adj_dtype index;
  uint32_t reserved;
} adj_embedding_bag_per_sample_weights_backward_descriptor;
typedef struct adj_embedding_bag_per_sample_weights_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor weight;
  adj_tensor indices;
  adj_tensor offsets;
  adj_tensor dper_sample_weights;
  adj_tensor error_flag;
} adj_embedding_bag_per_sample_weights_backward_args;
enum {
  ADJ_OP_FILL = 94,
  ADJ_TAG_FILL_DESCRIPTOR = (0x10000 + (94)),
  ADJ_TAG_FILL_ARGS = (0x20000 + (94))
};
enum {
  ADJ_OP_NORMAL = 95,
  ADJ_TAG_NORMAL_DESCRIPTOR = (0x10000 + (95)),
  ADJ_TAG_NORMAL_ARGS = (0x20000 + (95))
};
typedef struct adj_fill_descriptor {
  adj_header header;
  int64_t numel;
  adj_dtype element;
  uint32_t reserved;
} adj_fill_descriptor;
typedef struct adj_fill_args {
  adj_header header;
  adj_scalar value;
  adj_tensor out;
} adj_fill_args;
typedef struct adj_normal_descriptor {
  adj_header header;
  int64_t numel;
  adj_dtype element;
  uint32_t reserved;
} adj_normal_descriptor;
typedef struct adj_normal_args {
  adj_header header;
  adj_scalar mean;
  adj_scalar std;
  adj_random random;
  adj_tensor out;
} adj_normal_args;
enum {
  ADJ_OP_GIST_ENCODE = 21,
  ADJ_TAG_GIST_ENCODE_DESCRIPTOR = (0x10000 + (21)),
  ADJ_TAG_GIST_ENCODE_ARGS = (0x20000 + (21))
};
enum {
  ADJ_OP_GIST_DECODE = 22,
  ADJ_TAG_GIST_DECODE_DESCRIPTOR = (0x10000 + (22)),
  ADJ_TAG_GIST_DECODE_ARGS = (0x20000 + (22))
};
typedef int32_t adj_gist_format;
enum {
  ADJ_GIST_FORMAT_NONE = 0,
  ADJ_GIST_FORMAT_BINARIZE = 1,
  ADJ_GIST_FORMAT_PACK1 = 2,
  ADJ_GIST_FORMAT_PACK8 = 3,
  ADJ_GIST_FORMAT_PACK8_SATURATED = 4,
  ADJ_GIST_FORMAT_PACK8_REFERENCE = 5,
  ADJ_GIST_FORMAT_PACK16 = 6,
  ADJ_GIST_FORMAT_PACK16_BF16 = 7,
  ADJ_GIST_FORMAT_MSFP15 = 8
};
typedef struct adj_gist_encode_descriptor {
  adj_header header;
  int64_t outer;
  int64_t inner;
  adj_gist_format format;
  adj_dtype element;
} adj_gist_encode_descriptor;
typedef struct adj_gist_encode_args {
  adj_header header;
  adj_tensor input;
  adj_tensor packed;
} adj_gist_encode_args;
typedef struct adj_gist_decode_descriptor {
  adj_header header;
  int64_t outer;
  int64_t inner;
  adj_gist_format format;
  adj_dtype element;
} adj_gist_decode_descriptor;
typedef struct adj_gist_decode_args {
  adj_header header;
  adj_tensor packed;
  adj_tensor out;
} adj_gist_decode_args;
enum {
  ADJ_OP_GATHER_ND_GRAD = 62,
  ADJ_TAG_GATHER_ND_GRAD_DESCRIPTOR = (0x10000 + (62)),
  ADJ_TAG_GATHER_ND_GRAD_ARGS = (0x20000 + (62))
};
enum {
  ADJ_OP_GATHER_ELEMENTS_GRAD = 63,
  ADJ_TAG_GATHER_ELEMENTS_GRAD_DESCRIPTOR = (0x10000 + (63)),
  ADJ_TAG_GATHER_ELEMENTS_GRAD_ARGS = (0x20000 + (63))
};
enum {
  ADJ_OP_INDEX_ADD = 64,
  ADJ_TAG_INDEX_ADD_DESCRIPTOR = (0x10000 + (64)),
  ADJ_TAG_INDEX_ADD_ARGS = (0x20000 + (64))
};
enum {
  ADJ_OP_SLICE_GRAD = 65,
  ADJ_TAG_SLICE_GRAD_DESCRIPTOR = (0x10000 + (65)),
  ADJ_TAG_SLICE_GRAD_ARGS = (0x20000 + (65))
};
enum {
  ADJ_OP_PAD_AND_UNFLATTEN = 66,
  ADJ_TAG_PAD_AND_UNFLATTEN_DESCRIPTOR = (0x10000 + (66)),
  ADJ_TAG_PAD_AND_UNFLATTEN_ARGS = (0x20000 + (66))
};
enum {
  ADJ_OP_FLATTEN_AND_UNPAD = 67,
  ADJ_TAG_FLATTEN_AND_UNPAD_DESCRIPTOR = (0x10000 + (67)),
  ADJ_TAG_FLATTEN_AND_UNPAD_ARGS = (0x20000 + (67))
};
typedef struct adj_gather_nd_grad_descriptor {
  adj_header header;
  adj_shape input_shape;
  adj_shape indices_shape;
  int64_t batch_dims;
  adj_write_mode write_mode;
  int32_t use_index_plan;
  adj_dtype element;
  adj_dtype index;
} adj_gather_nd_grad_descriptor;
typedef struct adj_gather_nd_grad_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor indices;
  adj_tensor dinput;
  adj_tensor error_flag;
  adj_tensor sorted_rows;
  adj_tensor order;
} adj_gather_nd_grad_args;
typedef struct adj_gather_elements_grad_descriptor {
  adj_header header;
  adj_shape input_shape;
  adj_shape indices_shape;
  int64_t axis;
  adj_write_mode write_mode;
  int32_t use_index_plan;
  adj_dtype element;
  adj_dtype index;
} adj_gather_elements_grad_descriptor;
typedef struct adj_gather_elements_grad_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor indices;
  adj_tensor dinput;
  adj_tensor error_flag;
  adj_tensor sorted_rows;
  adj_tensor order;
} adj_gather_elements_grad_args;
typedef struct adj_index_add_descriptor {
  adj_header header;
  adj_shape shape;
  int64_t axis;
  int64_t num_indices;
  int32_t use_index_plan;
  adj_dtype element;
  adj_dtype index;
  uint32_t reserved;
} adj_index_add_descriptor;
typedef struct adj_index_add_args {
  adj_header header;
  adj_tensor input;
  adj_tensor indices;
  adj_tensor source;
  adj_tensor output;
  adj_tensor error_flag;
  adj_tensor sorted_rows;
  adj_tensor order;
} adj_index_add_args;
typedef struct adj_slice_grad_descriptor {
  adj_header header;
  adj_shape input_shape;
  adj_axes starts;
  adj_axes ends;
  adj_axes axes;
  adj_axes steps;
  adj_dtype element;
  uint32_t reserved;
} adj_slice_grad_descriptor;
typedef struct adj_slice_grad_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor dinput;
} adj_slice_grad_args;
typedef struct adj_pad_and_unflatten_descriptor {
  adj_header header;
  int64_t num_indices;
  int64_t batch;
  int64_t length;
  int64_t inner;
  adj_dtype element;
  adj_dtype index;
} adj_pad_and_unflatten_descriptor;
typedef struct adj_pad_and_unflatten_args {
  adj_header header;
  adj_tensor input;
  adj_tensor indices;
  adj_tensor output;
  adj_tensor error_flag;
} adj_pad_and_unflatten_args;
typedef struct adj_flatten_and_unpad_descriptor {
  adj_header header;
  int64_t num_indices;
  int64_t batch;
  int64_t length;
  int64_t inner;
  adj_dtype element;
  adj_dtype index;
} adj_flatten_and_unpad_descriptor;
typedef struct adj_flatten_and_unpad_args {
  adj_header header;
  adj_tensor input;
  adj_tensor indices;
  adj_tensor output;
  adj_tensor unflatten_dims;
  adj_tensor error_flag;
} adj_flatten_and_unpad_args;
enum {
  ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS = 3,
  ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR = (0x10000 + (3)),
  ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS = (0x20000 + (3))
};
enum {
  ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD = 4,
  ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR = (0x10000 + (4)),
  ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS = (0x20000 + (4))
};
enum {
  ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS = 31,
  ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_DESCRIPTOR = (0x10000 + (31)),
  ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_ARGS = (0x20000 + (31))
};
enum {
  ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD = 32,
  ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR = (0x10000 + (32)),
  ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_ARGS = (0x20000 + (32))
};
enum {
  ADJ_OP_CROSS_ENTROPY_WITH_GRADIENT = 33,
  ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_DESCRIPTOR = (0x10000 + (33)),
  ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_ARGS = (0x20000 + (33))
};
enum {
  ADJ_OP_LOG_PROB_ENTROPY = 34,
  ADJ_TAG_LOG_PROB_ENTROPY_DESCRIPTOR = (0x10000 + (34)),
  ADJ_TAG_LOG_PROB_ENTROPY_ARGS = (0x20000 + (34))
};
enum {
  ADJ_OP_LOG_PROB_ENTROPY_BACKWARD = 35,
  ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_DESCRIPTOR = (0x10000 + (35)),
  ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_ARGS = (0x20000 + (35))
};
typedef struct adj_softmax_cross_entropy_loss_descriptor {
  adj_header header;
  int64_t batch;
  int64_t num_classes;
  int64_t inner;
  int64_t padded_classes;
  int64_t ignore_index;
  adj_reduction reduction;
  int32_t nan_when_empty;
  int32_t has_ignore_index;
  adj_dtype element;
  adj_dtype label;
  adj_dtype output;
  adj_dtype weight;
  adj_dtype sample_weight;
} adj_softmax_cross_entropy_loss_descriptor;
typedef struct adj_softmax_cross_entropy_loss_args {
  adj_header header;
  adj_tensor scores;
  adj_tensor labels;
  adj_tensor weight;
  adj_tensor loss;
  adj_tensor log_prob;
  adj_tensor lse;
  adj_tensor error_flag;
  adj_tensor sample_weight;
} adj_softmax_cross_entropy_loss_args;
typedef struct adj_softmax_cross_entropy_loss_backward_descriptor {
  adj_header header;
  int64_t batch;
  int64_t num_classes;
  int64_t inner;
  int64_t padded_classes;
  int64_t ignore_index;
  adj_reduction reduction;
  int32_t from_scores;
  int32_t has_ignore_index;
  adj_dtype element;
  adj_dtype label;
  adj_dtype output;
  adj_dtype weight;
  adj_dtype sample_weight;
} adj_softmax_cross_entropy_loss_backward_descriptor;
typedef struct adj_softmax_cross_entropy_loss_backward_args {
  adj_header header;
  adj_tensor dloss;
  adj_tensor log_prob;
  adj_tensor scores;
  adj_tensor lse;
  adj_tensor labels;
  adj_tensor weight;
  adj_tensor bias;
  adj_tensor dscores;
  adj_tensor error_flag;
  adj_tensor sample_weight;
} adj_softmax_cross_entropy_loss_backward_args;
typedef struct adj_soft_label_cross_entropy_loss_descriptor {
  adj_header header;
  int64_t rows;
  int64_t num_classes;
  adj_reduction reduction;
  int32_t nan_when_empty;
  adj_dtype element;
  adj_dtype output;
} adj_soft_label_cross_entropy_loss_descriptor;
typedef struct adj_soft_label_cross_entropy_loss_args {
  adj_header header;
  adj_tensor scores;
  adj_tensor labels;
  adj_tensor loss;
  adj_tensor log_prob;
  adj_tensor lse;
} adj_soft_label_cross_entropy_loss_args;
typedef struct adj_soft_label_cross_entropy_loss_backward_descriptor {
  adj_header header;
  int64_t rows;
  int64_t num_classes;
  adj_reduction reduction;
  int32_t from_scores;
  int32_t exact;
  adj_dtype element;
} adj_soft_label_cross_entropy_loss_backward_descriptor;
typedef struct adj_soft_label_cross_entropy_loss_backward_args {
  adj_header header;
  adj_tensor dloss;
  adj_tensor log_prob;
  adj_tensor scores;
  adj_tensor lse;
  adj_tensor labels;
  adj_tensor dscores;
} adj_soft_label_cross_entropy_loss_backward_args;
typedef struct adj_cross_entropy_with_gradient_descriptor {
  adj_header header;
  int64_t samples;
  int64_t num_classes;
  int64_t padded_classes;
  int64_t ignore_index;
  double label_smoothing;
  double z_loss;
  adj_reduction reduction;
  int32_t has_ignore_index;
  adj_dtype element;
  adj_dtype label;
  adj_dtype weight;
  uint32_t reserved;
} adj_cross_entropy_with_gradient_descriptor;
typedef struct adj_cross_entropy_with_gradient_args {
  adj_header header;
  adj_tensor scores;
  adj_tensor labels;
  adj_tensor weight;
  adj_scalar dloss;
  adj_tensor loss;
  adj_tensor lse;
  adj_tensor dscores;
  adj_tensor error_flag;
} adj_cross_entropy_with_gradient_args;
typedef struct adj_log_prob_entropy_descriptor {
  adj_header header;
  int64_t samples;
  int64_t num_classes;
  int64_t ignore_index;
  int32_t has_ignore_index;
  adj_dtype element;
  adj_dtype label;
  uint32_t reserved;
} adj_log_prob_entropy_descriptor;
typedef struct adj_log_prob_entropy_args {
  adj_header header;
  adj_tensor scores;
  adj_tensor labels;
  adj_tensor log_prob;
  adj_tensor entropy;
  adj_tensor lse;
  adj_tensor error_flag;
} adj_log_prob_entropy_args;
typedef struct adj_log_prob_entropy_backward_descriptor {
  adj_header header;
  int64_t samples;
  int64_t num_classes;
  int64_t ignore_index;
  int32_t has_ignore_index;
  int32_t with_entropy;
  adj_dtype element;
  adj_dtype label;
} adj_log_prob_entropy_backward_descriptor;
typedef struct adj_log_prob_entropy_backward_args {
  adj_header header;
  adj_tensor dlog_prob;
  adj_tensor dentropy;
  adj_tensor scores;
  adj_tensor labels;
  adj_tensor lse;
  adj_tensor entropy;
  adj_tensor dscores;
  adj_tensor error_flag;
} adj_log_prob_entropy_backward_args;
enum {
  ADJ_OP_MATMUL = 88,
  ADJ_TAG_MATMUL_DESCRIPTOR = (0x10000 + (88)),
  ADJ_TAG_MATMUL_ARGS = (0x20000 + (88))
};
typedef int32_t adj_matmul_epilogue;
enum {
  ADJ_MATMUL_EPILOGUE_DEFAULT = 0,
  ADJ_MATMUL_EPILOGUE_NONE = 1,
  ADJ_MATMUL_EPILOGUE_GELU_TANH = 2,
  ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD = 3
};
typedef struct adj_matmul_descriptor {
  adj_header header;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t batch;
  int64_t lda;
  int64_t ldb;
  int64_t ldd;
  int64_t stride_a;
  int64_t stride_b;
  int64_t stride_d;
  double alpha;
  double beta;
  int32_t transpose_a;
  int32_t transpose_b;
  adj_matmul_epilogue epilogue;
  int32_t has_bias;
  int32_t has_preactivation;
  int32_t has_dbias;
  adj_write_mode write_mode;
  adj_dtype element;
  adj_dtype out;
  uint32_t reserved;
} adj_matmul_descriptor;
typedef struct adj_matmul_args {
  adj_header header;
  adj_tensor a;
  adj_tensor b;
  adj_tensor bias;
  adj_tensor c;
  adj_tensor saved;
  adj_tensor d;
  adj_tensor preactivation;
  adj_tensor dbias;
} adj_matmul_args;
enum {
  ADJ_OP_LAYER_NORM_BACKWARD = 50,
  ADJ_TAG_LAYER_NORM_BACKWARD_DESCRIPTOR = (0x10000 + (50)),
  ADJ_TAG_LAYER_NORM_BACKWARD_ARGS = (0x20000 + (50))
};
enum {
  ADJ_OP_RMS_NORM_BACKWARD = 51,
  ADJ_TAG_RMS_NORM_BACKWARD_DESCRIPTOR = (0x10000 + (51)),
  ADJ_TAG_RMS_NORM_BACKWARD_ARGS = (0x20000 + (51))
};
enum {
  ADJ_OP_LAYER_NORM_FORWARD = 52,
  ADJ_TAG_LAYER_NORM_FORWARD_DESCRIPTOR = (0x10000 + (52)),
  ADJ_TAG_LAYER_NORM_FORWARD_ARGS = (0x20000 + (52))
};
enum {
  ADJ_OP_RMS_NORM_FORWARD = 53,
  ADJ_TAG_RMS_NORM_FORWARD_DESCRIPTOR = (0x10000 + (53)),
  ADJ_TAG_RMS_NORM_FORWARD_ARGS = (0x20000 + (53))
};
typedef struct adj_layer_norm_backward_descriptor {
  adj_header header;
  adj_shape shape;
  int32_t axis;
  int32_t from_output;
  int32_t has_dgamma;
  int32_t has_dbeta;
  adj_write_mode write_mode;
  adj_dtype element;
  adj_dtype output;
  adj_dtype weight;
} adj_layer_norm_backward_descriptor;
typedef struct adj_layer_norm_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor input;
  adj_tensor out;
  adj_tensor gamma;
  adj_tensor beta;
  adj_tensor mean;
  adj_tensor inv_std;
  adj_tensor dresidual;
  adj_tensor dinput;
  adj_tensor dgamma;
  adj_tensor dbeta;
} adj_layer_norm_backward_args;
typedef struct adj_rms_norm_backward_descriptor {
  adj_header header;
  adj_shape shape;
  int32_t axis;
  int32_t from_output;
  int32_t has_dgamma;
  adj_write_mode write_mode;
  adj_dtype element;
  adj_dtype output;
  adj_dtype weight;
  uint32_t reserved;
} adj_rms_norm_backward_descriptor;
typedef struct adj_rms_norm_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor input;
  adj_tensor out;
  adj_tensor gamma;
  adj_tensor inv_std;
  adj_tensor dresidual;
  adj_tensor dinput;
  adj_tensor dgamma;
} adj_rms_norm_backward_args;
typedef struct adj_layer_norm_forward_descriptor {
  adj_header header;
  adj_shape shape;
  double epsilon;
  int32_t axis;
  int32_t has_residual;
  adj_dtype element;
  adj_dtype output;
  adj_dtype weight;
  uint32_t reserved;
} adj_layer_norm_forward_descriptor;
typedef struct adj_layer_norm_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor residual;
  adj_tensor gamma;
  adj_tensor beta;
  adj_tensor out;
  adj_tensor sum;
  adj_tensor mean;
  adj_tensor inv_std;
} adj_layer_norm_forward_args;
typedef struct adj_rms_norm_forward_descriptor {
  adj_header header;
  adj_shape shape;
  double epsilon;
  int32_t axis;
  int32_t has_residual;
  adj_dtype element;
  adj_dtype output;
  adj_dtype weight;
  uint32_t reserved;
} adj_rms_norm_forward_descriptor;
typedef struct adj_rms_norm_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor residual;
  adj_tensor gamma;
  adj_tensor out;
  adj_tensor sum;
  adj_tensor inv_std;
} adj_rms_norm_forward_args;
enum {
  ADJ_OP_SGD = 6,
  ADJ_TAG_SGD_DESCRIPTOR = (0x10000 + (6)),
  ADJ_TAG_SGD_ARGS = (0x20000 + (6))
};
enum {
  ADJ_OP_ADAM = 38,
  ADJ_TAG_ADAM_DESCRIPTOR = (0x10000 + (38)),
  ADJ_TAG_ADAM_ARGS = (0x20000 + (38))
};
enum {
  ADJ_OP_LAMB = 39,
  ADJ_TAG_LAMB_DESCRIPTOR = (0x10000 + (39)),
  ADJ_TAG_LAMB_ARGS = (0x20000 + (39))
};
enum {
  ADJ_OP_CLIP_GRAD_NORM = 40,
  ADJ_TAG_CLIP_GRAD_NORM_DESCRIPTOR = (0x10000 + (40)),
  ADJ_TAG_CLIP_GRAD_NORM_ARGS = (0x20000 + (40))
};
enum {
  ADJ_OP_LION = 86,
  ADJ_TAG_LION_DESCRIPTOR = (0x10000 + (86)),
  ADJ_TAG_LION_ARGS = (0x20000 + (86))
};
enum {
  ADJ_OP_ADAMW_8BIT = 87,
  ADJ_TAG_ADAMW_8BIT_DESCRIPTOR = (0x10000 + (87)),
  ADJ_TAG_ADAMW_8BIT_ARGS = (0x20000 + (87))
};
typedef int32_t adj_adam_decay;
enum {
  ADJ_ADAM_DECAY_FIRST = 0,
  ADJ_ADAM_DECAY_LAST = 1,
  ADJ_ADAM_DECAY_L2 = 2
};
typedef struct adj_adam_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  int64_t tensor_key_count;
  const int64_t* tensor_keys;
  int64_t first_element_count;
  const int64_t* first_elements;
  double beta1;
  double beta2;
  double epsilon;
  double weight_decay;
  double max_norm;
  adj_adam_decay decay;
  int32_t no_bias_correction;
  int32_t advance_step;
  int32_t stochastic_rounding;
  int32_t out_of_place;
  int32_t updates;
  int32_t keep_params;
  int32_t clear_grads;
  adj_dtype param;
  adj_dtype grad;
  adj_dtype state;
  adj_dtype copy;
} adj_adam_descriptor;
typedef struct adj_adam_args {
  adj_header header;
  adj_tensor_list params;
  adj_tensor_list grads;
  adj_tensor_list exp_avg;
  adj_tensor_list exp_avg_sq;
  adj_tensor_list copies;
  adj_tensor_list new_params;
  adj_tensor_list new_exp_avg;
  adj_tensor_list new_exp_avg_sq;
  adj_tensor_list updates;
  adj_scalar lr;
  adj_scalar step;
  adj_scalar seed;
  adj_scalar grad_scale;
  adj_scalar gradient_norm;
  adj_scalar update_signal;
  adj_tensor lr_of;
  adj_tensor weight_decay_of;
  adj_tensor found_inf;
  adj_tensor error_flag;
} adj_adam_args;
typedef struct adj_lamb_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  double beta1;
  double beta2;
  double epsilon;
  double weight_decay;
  double max_norm;
  double ratio_min;
  double ratio_max;
  int64_t beta1_count;
  const double* beta1_of;
  int64_t beta2_count;
  const double* beta2_of;
  int64_t epsilon_count;
  const double* epsilon_of;
  int64_t weight_decay_count;
  const double* weight_decay_of;
  int64_t max_norm_count;
  const double* max_norm_of;
  int32_t no_bias_correction;
  int32_t advance_step;
  int32_t out_of_place;
  int32_t updates;
  int32_t keep_params;
  int32_t clear_grads;
  adj_dtype param;
  adj_dtype grad;
  adj_dtype state;
  adj_dtype copy;
} adj_lamb_descriptor;
typedef struct adj_lamb_args {
  adj_header header;
  adj_tensor_list params;
  adj_tensor_list grads;
  adj_tensor_list exp_avg;
  adj_tensor_list exp_avg_sq;
  adj_tensor_list copies;
  adj_tensor_list new_params;
  adj_tensor_list new_exp_avg;
  adj_tensor_list new_exp_avg_sq;
  adj_tensor_list updates;
  adj_scalar lr;
  adj_scalar step;
  adj_scalar grad_scale;
  adj_scalar gradient_norm;
  adj_scalar update_signal;
  adj_tensor found_inf;
  adj_tensor error_flag;
} adj_lamb_args;
typedef struct adj_lion_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  double beta1;
  double beta2;
  double weight_decay;
  double max_norm;
  int64_t tensor_key_count;
  const int64_t* tensor_keys;
  int64_t first_element_count;
  const int64_t* first_elements;
  int32_t stochastic_rounding;
  int32_t advance_step;
  int32_t clear_grads;
  adj_dtype param;
  adj_dtype grad;
  adj_dtype state;
  adj_dtype copy;
  uint32_t reserved;
} adj_lion_descriptor;
typedef struct adj_lion_args {
  adj_header header;
  adj_tensor_list params;
  adj_tensor_list grads;
  adj_tensor_list exp_avg;
  adj_tensor_list copies;
  adj_scalar lr;
  adj_scalar step;
  adj_scalar seed;
  adj_scalar grad_scale;
  adj_scalar gradient_norm;
  adj_scalar update_signal;
  adj_tensor found_inf;
  adj_tensor error_flag;
} adj_lion_args;
typedef struct adj_adamw_8bit_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  double beta1;
  double beta2;
  double epsilon;
  double weight_decay;
  double max_norm;
  int64_t tensor_key_count;
  const int64_t* tensor_keys;
  int64_t first_element_count;
  const int64_t* first_elements;
  int32_t stochastic_rounding;
  int32_t advance_step;
  int32_t clear_grads;
  adj_dtype param;
  adj_dtype grad;
  adj_dtype copy;
} adj_adamw_8bit_descriptor;
typedef struct adj_adamw_8bit_args {
  adj_header header;
  adj_tensor_list params;
  adj_tensor_list grads;
  adj_tensor_list exp_avg;
  adj_tensor_list exp_avg_scale;
  adj_tensor_list exp_avg_sq;
  adj_tensor_list exp_avg_sq_scale;
  adj_tensor_list copies;
  adj_scalar lr;
  adj_scalar step;
  adj_scalar seed;
  adj_scalar grad_scale;
  adj_scalar gradient_norm;
  adj_scalar update_signal;
  adj_tensor found_inf;
  adj_tensor error_flag;
} adj_adamw_8bit_args;
typedef struct adj_clip_grad_norm_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  double max_norm;
  double epsilon;
  int32_t norm_only;
  adj_dtype grad;
} adj_clip_grad_norm_descriptor;
typedef struct adj_clip_grad_norm_args {
  adj_header header;
  adj_tensor_list grads;
  adj_scalar grad_scale;
  adj_tensor norm;
  adj_tensor factor;
  adj_tensor found_inf;
} adj_clip_grad_norm_args;
typedef struct adj_sgd_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  double momentum;
  double dampening;
  double weight_decay;
  double max_norm;
  int32_t nesterov;
  int32_t first_step;
  int32_t out_of_place;
  int32_t updates;
  int32_t keep_params;
  int32_t clear_grads;
  adj_dtype param;
  adj_dtype grad;
  adj_dtype state;
  adj_dtype copy;
} adj_sgd_descriptor;
typedef struct adj_sgd_args {
  adj_header header;
  adj_tensor_list params;
  adj_tensor_list grads;
  adj_tensor_list momentum_buffers;
  adj_tensor_list copies;
  adj_tensor_list new_params;
  adj_tensor_list new_momentum_buffers;
  adj_tensor_list updates;
  adj_scalar lr;
  adj_scalar grad_scale;
  adj_scalar gradient_norm;
  adj_scalar update_signal;
  adj_tensor found_inf;
  adj_tensor error_flag;
} adj_sgd_args;
enum {
  ADJ_OP_IS_FINITE = 41,
  ADJ_TAG_IS_FINITE_DESCRIPTOR = (0x10000 + (41)),
  ADJ_TAG_IS_FINITE_ARGS = (0x20000 + (41))
};
enum {
  ADJ_OP_ALL_FINITE = 42,
  ADJ_TAG_ALL_FINITE_DESCRIPTOR = (0x10000 + (42)),
  ADJ_TAG_ALL_FINITE_ARGS = (0x20000 + (42))
};
enum {
  ADJ_OP_ALL = 43,
  ADJ_TAG_ALL_DESCRIPTOR = (0x10000 + (43)),
  ADJ_TAG_ALL_ARGS = (0x20000 + (43))
};
enum {
  ADJ_OP_SCALE = 44,
  ADJ_TAG_SCALE_DESCRIPTOR = (0x10000 + (44)),
  ADJ_TAG_SCALE_ARGS = (0x20000 + (44))
};
enum {
  ADJ_OP_ZERO = 45,
  ADJ_TAG_ZERO_DESCRIPTOR = (0x10000 + (45)),
  ADJ_TAG_ZERO_ARGS = (0x20000 + (45))
};
enum {
  ADJ_OP_ACCUMULATE = 46,
  ADJ_TAG_ACCUMULATE_DESCRIPTOR = (0x10000 + (46)),
  ADJ_TAG_ACCUMULATE_ARGS = (0x20000 + (46))
};
enum {
  ADJ_OP_SCALED_SUM = 47,
  ADJ_TAG_SCALED_SUM_DESCRIPTOR = (0x10000 + (47)),
  ADJ_TAG_SCALED_SUM_ARGS = (0x20000 + (47))
};
enum {
  ADJ_OP_UPDATE_LOSS_SCALE = 85,
  ADJ_TAG_UPDATE_LOSS_SCALE_DESCRIPTOR = (0x10000 + (85)),
  ADJ_TAG_UPDATE_LOSS_SCALE_ARGS = (0x20000 + (85))
};
typedef struct adj_is_finite_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  adj_dtype element;
  uint32_t reserved;
} adj_is_finite_descriptor;
typedef struct adj_is_finite_args {
  adj_header header;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
} adj_is_finite_args;
typedef int32_t adj_finite_test;
enum {
  ADJ_FINITE_TEST_DEFAULT = 0,
  ADJ_FINITE_TEST_NO_INF = 1,
  ADJ_FINITE_TEST_NO_NAN = 2
};
typedef struct adj_all_finite_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  adj_finite_test test;
  adj_dtype element;
} adj_all_finite_descriptor;
typedef struct adj_all_finite_args {
  adj_header header;
  adj_tensor_list inputs;
  adj_tensor output;
  adj_tensor found_inf;
} adj_all_finite_args;
typedef struct adj_all_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
} adj_all_descriptor;
typedef struct adj_all_args {
  adj_header header;
  adj_tensor_list inputs;
  adj_tensor output;
} adj_all_args;
typedef struct adj_scale_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  int32_t outputs;
  int32_t fused;
  int32_t scale_down;
  adj_dtype element;
  adj_dtype output;
  uint32_t reserved;
} adj_scale_descriptor;
typedef struct adj_scale_args {
  adj_header header;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
  adj_tensor_list outputs_1;
  adj_tensor_list outputs_2;
  adj_tensor fused;
  adj_scalar scale;
  adj_scalar scale_1;
  adj_scalar scale_2;
  adj_tensor found_inf;
} adj_scale_args;
typedef struct adj_zero_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  adj_dtype element;
  uint32_t reserved;
} adj_zero_descriptor;
typedef struct adj_zero_args {
  adj_header header;
  adj_tensor_list outputs;
} adj_zero_args;
typedef struct adj_accumulate_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  int32_t copies;
  adj_dtype element;
  adj_dtype value;
  uint32_t reserved;
} adj_accumulate_descriptor;
typedef struct adj_accumulate_args {
  adj_header header;
  adj_tensor_list sums;
  adj_tensor_list values;
  adj_tensor_list outputs;
  adj_tensor_list copies;
  adj_scalar update;
  adj_scalar overwrite;
  adj_tensor updated_flag;
} adj_accumulate_args;
typedef struct adj_scaled_sum_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  int32_t inputs;
  adj_dtype element;
} adj_scaled_sum_descriptor;
typedef struct adj_scaled_sum_args {
  adj_header header;
  adj_tensor_list inputs_0;
  adj_tensor_list inputs_1;
  adj_tensor_list inputs_2;
  adj_tensor_list outputs;
  adj_scalar scale_0;
  adj_scalar scale_1;
  adj_scalar scale_2;
} adj_scaled_sum_args;
typedef struct adj_update_loss_scale_descriptor {
  adj_header header;
  double growth_factor;
  double backoff_factor;
  double min_scale;
  double max_scale;
  int32_t growth_interval;
  uint32_t reserved;
} adj_update_loss_scale_descriptor;
typedef struct adj_update_loss_scale_args {
  adj_header header;
  adj_tensor found_inf;
  adj_tensor scale;
  adj_tensor growth_tracker;
} adj_update_loss_scale_args;
enum {
  ADJ_OP_FAKE_QUANTIZE_FORWARD = 23,
  ADJ_TAG_FAKE_QUANTIZE_FORWARD_DESCRIPTOR = (0x10000 + (23)),
  ADJ_TAG_FAKE_QUANTIZE_FORWARD_ARGS = (0x20000 + (23))
};
enum {
  ADJ_OP_FAKE_QUANTIZE_BACKWARD = 24,
  ADJ_TAG_FAKE_QUANTIZE_BACKWARD_DESCRIPTOR = (0x10000 + (24)),
  ADJ_TAG_FAKE_QUANTIZE_BACKWARD_ARGS = (0x20000 + (24))
};
typedef struct adj_fake_quantize_forward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t channels;
  int64_t inner;
  int64_t quant_min;
  int64_t quant_max;
  int32_t per_channel;
  int32_t nan_to_min;
  adj_dtype element;
  uint32_t reserved;
} adj_fake_quantize_forward_descriptor;
typedef struct adj_fake_quantize_forward_args {
  adj_header header;
  adj_tensor input;
  adj_scalar scale;
  adj_scalar zero_point;
  adj_tensor scales;
  adj_tensor zero_points;
  adj_tensor out;
  adj_tensor mask;
} adj_fake_quantize_forward_args;
typedef struct adj_fake_quantize_backward_descriptor {
  adj_header header;
  int64_t numel;
  adj_dtype element;
  uint32_t reserved;
} adj_fake_quantize_backward_descriptor;
typedef struct adj_fake_quantize_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor mask;
  adj_tensor dinput;
} adj_fake_quantize_backward_args;
enum {
  ADJ_OP_L2_NORM = 48,
  ADJ_TAG_L2_NORM_DESCRIPTOR = (0x10000 + (48)),
  ADJ_TAG_L2_NORM_ARGS = (0x20000 + (48))
};
enum {
  ADJ_OP_REDUCE = 49,
  ADJ_TAG_REDUCE_DESCRIPTOR = (0x10000 + (49)),
  ADJ_TAG_REDUCE_ARGS = (0x20000 + (49))
};
typedef int32_t adj_reduce_kind;
enum {
  ADJ_REDUCE_KIND_SUM = 0,
  ADJ_REDUCE_KIND_MEAN = 1,
  ADJ_REDUCE_KIND_SUM_SQUARE = 2,
  ADJ_REDUCE_KIND_L2 = 3,
  ADJ_REDUCE_KIND_MAX = 4,
  ADJ_REDUCE_KIND_MIN = 5,
  ADJ_REDUCE_KIND_PROD = 6,
  ADJ_REDUCE_KIND_LOGSUMEXP = 7
};
typedef struct adj_reduce_descriptor {
  adj_header header;
  adj_shape shape;
  adj_axes axes;
  int64_t segments;
  adj_reduce_kind kind;
  int32_t keepdims;
  int32_t noop_with_empty_axes;
  adj_write_mode write_mode;
  adj_dtype element;
  adj_dtype output;
  adj_dtype offset;
  uint32_t reserved;
} adj_reduce_descriptor;
typedef struct adj_reduce_args {
  adj_header header;
  adj_tensor input;
  adj_tensor output;
  adj_tensor offsets;
  adj_tensor error_flag;
} adj_reduce_args;
typedef struct adj_l2_norm_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  adj_dtype element;
  adj_dtype output;
} adj_l2_norm_descriptor;
typedef struct adj_l2_norm_args {
  adj_header header;
  adj_tensor_list inputs;
  adj_tensor output;
  adj_tensor norms;
  adj_tensor found_inf;
} adj_l2_norm_args;
enum {
  ADJ_OP_RESIZE_BACKWARD = 60,
  ADJ_TAG_RESIZE_BACKWARD_DESCRIPTOR = (0x10000 + (60)),
  ADJ_TAG_RESIZE_BACKWARD_ARGS = (0x20000 + (60))
};
enum {
  ADJ_OP_RESIZE_FORWARD = 61,
  ADJ_TAG_RESIZE_FORWARD_DESCRIPTOR = (0x10000 + (61)),
  ADJ_TAG_RESIZE_FORWARD_ARGS = (0x20000 + (61))
};
typedef int32_t adj_resize_mode;
enum {
  ADJ_RESIZE_MODE_DEFAULT = 0 ,
  ADJ_RESIZE_MODE_LINEAR = 1,
  ADJ_RESIZE_MODE_NEAREST = 2
};
typedef int32_t adj_resize_coordinates;
enum {
  ADJ_RESIZE_COORDINATES_DEFAULT = 0,
  ADJ_RESIZE_COORDINATES_HALF_PIXEL = 1,
  ADJ_RESIZE_COORDINATES_ALIGN_CORNERS = 2,
  ADJ_RESIZE_COORDINATES_ASYMMETRIC = 3,
  ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL = 4
};
typedef int32_t adj_resize_rounding;
enum {
  ADJ_RESIZE_ROUNDING_DEFAULT = 0,
  ADJ_RESIZE_ROUNDING_ROUND_PREFER_FLOOR = 1,
  ADJ_RESIZE_ROUNDING_ROUND_PREFER_CEIL = 2,
  ADJ_RESIZE_ROUNDING_FLOOR = 3,
  ADJ_RESIZE_ROUNDING_CEIL = 4
};
typedef struct adj_resize_forward_descriptor {
  adj_header header;
  adj_shape input;
  adj_shape out;
  int64_t num_scales;
  const double* scales;
  adj_resize_mode mode;
  adj_resize_coordinates coordinates;
  adj_resize_rounding rounding;
  int32_t channels_last;
  adj_dtype element;
  uint32_t reserved;
} adj_resize_forward_descriptor;
typedef struct adj_resize_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor out;
} adj_resize_forward_args;
typedef struct adj_resize_backward_descriptor {
  adj_header header;
  adj_shape input;
  adj_shape out;
  int64_t num_scales;
  const double* scales;
  adj_resize_mode mode;
  adj_resize_coordinates coordinates;
  adj_resize_rounding rounding;
  int32_t channels_last;
  adj_dtype element;
  uint32_t reserved;
} adj_resize_backward_descriptor;
typedef struct adj_resize_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor dinput;
} adj_resize_backward_args;
enum {
  ADJ_OP_ROPE_FORWARD = 91,
  ADJ_TAG_ROPE_FORWARD_DESCRIPTOR = (0x10000 + (91)),
  ADJ_TAG_ROPE_FORWARD_ARGS = (0x20000 + (91))
};
enum {
  ADJ_OP_ROPE_BACKWARD = 92,
  ADJ_TAG_ROPE_BACKWARD_DESCRIPTOR = (0x10000 + (92)),
  ADJ_TAG_ROPE_BACKWARD_ARGS = (0x20000 + (92))
};
typedef struct adj_rope_forward_descriptor {
  adj_header header;
  int64_t batch;
  int64_t tokens;
  int64_t heads;
  int64_t kv_heads;
  int64_t head_dim;
  int64_t rotary_dim;
  int64_t table_rows;
  double base;
  double epsilon;
  adj_axes strides;
  adj_axes out_strides;
  int32_t interleaved;
  int32_t has_norm;
  adj_dtype element;
  adj_dtype weight;
  adj_dtype position;
  uint32_t reserved;
} adj_rope_forward_descriptor;
typedef struct adj_rope_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor positions;
  adj_tensor cos;
  adj_tensor sin;
  adj_tensor q_weight;
  adj_tensor k_weight;
  adj_tensor out;
  adj_tensor error_flag;
} adj_rope_forward_args;
typedef struct adj_rope_backward_descriptor {
  adj_header header;
  int64_t batch;
  int64_t tokens;
  int64_t heads;
  int64_t kv_heads;
  int64_t head_dim;
  int64_t rotary_dim;
  int64_t table_rows;
  double base;
  double epsilon;
  adj_axes strides;
  adj_axes dout_strides;
  adj_axes dinput_strides;
  int32_t interleaved;
  int32_t has_norm;
  adj_write_mode write_mode;
  adj_dtype element;
  adj_dtype weight;
  adj_dtype position;
} adj_rope_backward_descriptor;
typedef struct adj_rope_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor input;
  adj_tensor positions;
  adj_tensor cos;
  adj_tensor sin;
  adj_tensor q_weight;
  adj_tensor k_weight;
  adj_tensor dinput;
  adj_tensor dq_weight;
  adj_tensor dk_weight;
  adj_tensor error_flag;
} adj_rope_backward_args;
enum {
  ADJ_OP_VIEW = 68,
  ADJ_TAG_VIEW_DESCRIPTOR = (0x10000 + (68)),
  ADJ_TAG_VIEW_ARGS = (0x20000 + (68))
};
enum {
  ADJ_OP_COPY = 69,
  ADJ_TAG_COPY_DESCRIPTOR = (0x10000 + (69)),
  ADJ_TAG_COPY_ARGS = (0x20000 + (69))
};
enum {
  ADJ_OP_TRANSPOSE = 93,
  ADJ_TAG_TRANSPOSE_DESCRIPTOR = (0x10000 + (93)),
  ADJ_TAG_TRANSPOSE_ARGS = (0x20000 + (93))
};
typedef struct adj_view_descriptor {
  adj_header header;
  int64_t total;
  int64_t count;
  const int64_t* numel;
  int32_t copies;
  adj_dtype element;
} adj_view_descriptor;
typedef struct adj_view_args {
  adj_header header;
  adj_tensor input;
  adj_tensor_list outputs;
  adj_tensor offsets;
} adj_view_args;
typedef struct adj_copy_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  adj_dtype element;
  uint32_t reserved;
} adj_copy_descriptor;
typedef struct adj_copy_args {
  adj_header header;
  adj_tensor_list inputs;
  adj_tensor_list outputs;
} adj_copy_args;
typedef struct adj_transpose_descriptor {
  adj_header header;
  int64_t batch;
  int64_t rows;
  int64_t columns;
  adj_dtype element;
  uint32_t reserved;
} adj_transpose_descriptor;
typedef struct adj_transpose_args {
  adj_header header;
  adj_tensor input;
  adj_tensor output;
} adj_transpose_args;
enum {
  ADJ_OP_SOFTMAX_BACKWARD = 7,
  ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR = (0x10000 + (7)),
  ADJ_TAG_SOFTMAX_BACKWARD_ARGS = (0x20000 + (7))
};
enum {
  ADJ_OP_LOG_SOFTMAX_BACKWARD = 8,
  ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR = (0x10000 + (8)),
  ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS = (0x20000 + (8))
};
enum {
  ADJ_OP_SOFTMAX_FORWARD = 29,
  ADJ_TAG_SOFTMAX_FORWARD_DESCRIPTOR = (0x10000 + (29)),
  ADJ_TAG_SOFTMAX_FORWARD_ARGS = (0x20000 + (29))
};
enum {
  ADJ_OP_LOG_SOFTMAX_FORWARD = 30,
  ADJ_TAG_LOG_SOFTMAX_FORWARD_DESCRIPTOR = (0x10000 + (30)),
  ADJ_TAG_LOG_SOFTMAX_FORWARD_ARGS = (0x20000 + (30))
};
typedef struct adj_softmax_backward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t extent;
  int64_t inner;
  adj_dtype element;
  uint32_t reserved;
} adj_softmax_backward_descriptor;
typedef struct adj_softmax_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor out;
  adj_tensor dinput;
} adj_softmax_backward_args;
typedef struct adj_log_softmax_backward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t extent;
  int64_t inner;
  adj_dtype element;
  uint32_t reserved;
} adj_log_softmax_backward_descriptor;
typedef struct adj_log_softmax_backward_args {
  adj_header header;
  adj_tensor dout;
  adj_tensor out;
  adj_tensor dinput;
} adj_log_softmax_backward_args;
typedef struct adj_softmax_forward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t extent;
  int64_t inner;
  adj_dtype element;
  uint32_t reserved;
} adj_softmax_forward_descriptor;
typedef struct adj_softmax_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor out;
} adj_softmax_forward_args;
typedef struct adj_log_softmax_forward_descriptor {
  adj_header header;
  int64_t outer;
  int64_t extent;
  int64_t inner;
  adj_dtype element;
  uint32_t reserved;
} adj_log_softmax_forward_descriptor;
typedef struct adj_log_softmax_forward_args {
  adj_header header;
  adj_tensor input;
  adj_tensor out;
} adj_log_softmax_forward_args;
adj_status adj_abi_check(uint32_t major, uint32_t minor);
void adj_abi_version(uint32_t* major, uint32_t* minor);
const char* adj_version(void);
typedef struct adj_error adj_error;
const char* adj_status_name(adj_status status);
const char* adj_last_error(void);
int64_t adj_last_native_code(void);
adj_status adj_error_code(const adj_error* error);
const char* adj_error_message(const adj_error* error);
const char* adj_error_log(const adj_error* error);
const char* adj_error_options(const adj_error* error);
int64_t adj_error_native_code(const adj_error* error);
void adj_error_release(adj_error* error);
typedef struct adj_rejection {
  adj_header header;
  const char* sku;
  const char* reason;
  adj_status code;
  uint32_t reserved;
} adj_rejection;
int64_t adj_error_rejection_count(const adj_error* error);
adj_status adj_error_rejection(const adj_error* error, int64_t i, adj_rejection* out);
adj_stream adj_stream_host(void);
adj_status adj_stream_wrap(void* cuda_stream, adj_stream* out);
adj_status adj_stream_offline(const char* arch, adj_stream* out);
typedef struct adj_sku_info {
  adj_header header;
  const char* id;
  const char* op_name;
  const char* algorithm;
  const char* signature;
  const char* arch;
  const char* source;
  const char* summary;
  adj_op op;
  adj_backend backend;
  int32_t program_count;
  uint32_t reserved;
  adj_guarantee guarantee;
} adj_sku_info;
int64_t adj_sku_count(void);
adj_status adj_sku_get(int64_t i, adj_sku_info* out);
adj_status adj_sku_find(const char* id, adj_sku_info* out);
adj_status adj_sku_guarantee(const char* id, const char* output, adj_guarantee* out);
typedef struct adj_kernel_info {
  adj_header header;
  const char* source;
  const char* entry;
  const char* macros;
  uint64_t code_bytes;
  uint64_t static_shared_bytes;
  int32_t registers;
  int32_t local_bytes;
  double compile_ms;
} adj_kernel_info;
adj_status adj_sku_kernel(const char* id, int64_t i, const char* arch, adj_kernel_info* out, adj_error** error);
typedef struct adj_plan adj_plan;
typedef struct adj_bound adj_bound;
typedef struct adj_plan_info {
  adj_header header;
  uint64_t workspace_size;
  uint64_t bind_workspace_size;
  int64_t launches;
  int64_t bound_launches;
  int32_t from_ptx;
  uint32_t reserved;
} adj_plan_info;
adj_status adj_plan_select(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference, adj_plan** out, adj_error** error);
adj_status adj_plan_acquire(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference, adj_plan** out, adj_error** error);
adj_status adj_plan_explain(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference, adj_error** report);
adj_status adj_plan_can_implement(const adj_plan* plan, const adj_header* args);
uint64_t adj_plan_workspace_size(const adj_plan* plan);
adj_status adj_plan_run(const adj_plan* plan, const adj_stream* stream, const adj_workspace* workspace, const adj_header* args);
adj_status adj_plan_bind(const adj_plan* plan, const adj_stream* stream, const adj_workspace* workspace, const adj_header* args, adj_bound** out);
adj_status adj_bound_run(const adj_bound* bound, const adj_stream* stream);
void adj_bound_release(adj_bound* bound);
adj_status adj_plan_sku(const adj_plan* plan, adj_sku_info* out);
adj_status adj_plan_guarantee(const adj_plan* plan, const char* output, adj_guarantee* out);
adj_status adj_plan_get_info(const adj_plan* plan, adj_plan_info* out);
int64_t adj_plan_candidate_count(const adj_plan* plan);
adj_status adj_plan_candidate(const adj_plan* plan, int64_t i, adj_rejection* out);
adj_plan* adj_plan_retain(adj_plan* plan);
void adj_plan_release(adj_plan* plan);
typedef int32_t (*adj_progress)(void* user, int64_t done, int64_t total, const char* program, double milliseconds);
typedef struct adj_pack_options {
  adj_header header;
  const char* archs;
  const char* skus;
  int32_t jobs;
  uint32_t reserved;
  adj_progress progress;
  void* user;
} adj_pack_options;
adj_status adj_pack_build(const char* path, const adj_pack_options* options, adj_error** error);
adj_status adj_pack_load(const char* path);
adj_status adj_tuning_load(const char* path);
adj_status adj_tuning_save(const char* path);
typedef struct adj_cache_info {
  adj_header header;
  const char* directory;
  const char* problem;
  int64_t entries;
  int64_t damaged;
  uint64_t bytes;
  uint64_t limit;
  int64_t memory_hits;
  int64_t pack_hits;
  int64_t disk_hits;
  int64_t compiles;
} adj_cache_info;
adj_status adj_cache_stat(adj_cache_info* out);
adj_status adj_cache_verify(adj_cache_info* out);
adj_status adj_cache_clear(void);
typedef struct adj_library_info {
  adj_header header;
  const char* name;
  const char* path;
  const char* version;
  const char* problem;
  int32_t available;
  uint32_t reserved;
} adj_library_info;
typedef struct adj_device_info {
  adj_header header;
  const char* name;
  const char* arch;
  uint64_t memory;
  int32_t multiprocessors;
  int32_t compute_capability;
} adj_device_info;
int64_t adj_library_count(void);
adj_status adj_library_get(int64_t i, adj_library_info* out);
int64_t adj_device_count(void);
adj_status adj_device_get(int64_t i, adj_device_info* out);
typedef struct adj_registry_row {
  adj_header header;
  const char* domain;
  const char* op;
  const char* types;
  const char* adjoint_op;
  const char* signature;
  const char* reason;
  const char* settings;
  const char* note;
  int32_t since_version;
  int32_t until_version;
  int32_t resolved;
  int32_t sku_count;
  const char* session;
  const char* obstacle;
  const char* binding;
  const char* combinations;
} adj_registry_row;
int64_t adj_registry_count(void);
adj_status adj_registry_get(int64_t i, adj_registry_row* out);
adj_status adj_registry_lookup(const char* domain, const char* op, int32_t opset, const char* types, adj_registry_row* out);
adj_status adj_registry_sku(int64_t row, int64_t i, const char** id);
typedef int32_t adj_field_kind;
enum {
  ADJ_FIELD_I64 = 1,
  ADJ_FIELD_I32 = 2,
  ADJ_FIELD_DTYPE = 3,
  ADJ_FIELD_F64 = 4,
  ADJ_FIELD_I64_LIST = 5,
  ADJ_FIELD_SHAPE = 6,
  ADJ_FIELD_AXES = 7,
  ADJ_FIELD_F64_LIST = 8,
  ADJ_FIELD_TEXT = 9,
  ADJ_FIELD_POINTER = 10,
  ADJ_FIELD_BYTES = 11
};
typedef int32_t adj_argument_kind;
enum {
  ADJ_ARGUMENT_TENSOR = 1,
  ADJ_ARGUMENT_LIST = 2,
  ADJ_ARGUMENT_SCALAR = 3,
  ADJ_ARGUMENT_RANDOM = 4,
  ADJ_ARGUMENT_HANDLE = 5
};
typedef int32_t adj_role;
enum {
  ADJ_ROLE_IN = 1,
  ADJ_ROLE_OUT = 2,
  ADJ_ROLE_INOUT = 3
};
typedef int32_t adj_presence;
enum {
  ADJ_PRESENCE_REQUIRED = 1,
  ADJ_PRESENCE_OPTIONAL = 2,
  ADJ_PRESENCE_DEPENDS = 3 ,
  ADJ_PRESENCE_ABSENT = 4
};
typedef struct adj_field {
  const char* name;
  const char* choices;
  const char* about;
  adj_field_kind kind;
  uint32_t offset;
} adj_field;
typedef struct adj_argument {
  const char* name;
  const char* about;
  adj_argument_kind kind;
  adj_role role;
  adj_presence presence;
  int32_t host;
  uint32_t offset;
  uint32_t may_equal;
} adj_argument;
typedef struct adj_requirement {
  adj_header header;
  adj_presence presence;
  adj_role role;
  adj_dtype dtype;
  adj_dtype other_dtype;
  int32_t any_float;
  int32_t device_only;
  int32_t rank;
  uint32_t reserved;
  int64_t shape[8];
  int64_t count;
  uint64_t bytes;
  uint64_t alignment;
} adj_requirement;
int64_t adj_op_count(void);
adj_op adj_op_at(int64_t i);
const char* adj_op_name(adj_op op);
const char* adj_op_family(adj_op op);
adj_status adj_op_find(const char* name, adj_op* out);
adj_status adj_op_descriptor_init(adj_op op, void* descriptor, uint64_t size);
adj_status adj_op_args_init(adj_op op, void* args, uint64_t size);
uint64_t adj_op_descriptor_size(adj_op op);
uint64_t adj_op_args_size(adj_op op);
const char* adj_op_definition(adj_op op);
const char* adj_op_conventions(adj_op op);
int64_t adj_op_field_count(adj_op op);
adj_status adj_op_field(adj_op op, int64_t i, adj_field* out);
int64_t adj_op_argument_count(adj_op op);
adj_status adj_op_argument(adj_op op, int64_t i, adj_argument* out);
adj_status adj_op_infer(const adj_header* descriptor, int64_t i, adj_requirement* out);
adj_status adj_op_infer_list(const adj_header* descriptor, int64_t i, int64_t* numel, int64_t capacity);
adj_status adj_op_complete(adj_header* descriptor, const adj_header* args, int64_t* room, int64_t capacity);
adj_status adj_plan_argument(const adj_plan* plan, int64_t i, adj_requirement* out);
adj_status adj_plan_argument_list(const adj_plan* plan, int64_t i, int64_t* numel, int64_t capacity);
const char* adj_dtype_name(adj_dtype dtype);
adj_dtype adj_dtype_find(const char* name);
adj_status adj_comm_unique_id(void* id, uint64_t size);
adj_status adj_comm_init(int32_t ranks, int32_t rank, const void* id, uint64_t size, void** out);
adj_status adj_comm_init_all(int32_t count, const int32_t* devices, void** out);
adj_status adj_comm_destroy(void* comm);
adj_status adj_comm_abort(void* comm);
adj_status adj_host_comm_create(int32_t ranks, void** out);
adj_status adj_host_comm_destroy(void* handle);
adj_status adj_host_event_create(void** out);
adj_status adj_host_event_reset(void* event);
adj_status adj_host_event_destroy(void* event);
typedef void (*adj_log_fn)(void* user, int32_t level, const char* message);
void adj_set_log(adj_log_fn fn, void* user);
