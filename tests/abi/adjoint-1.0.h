/* Interface 1.0 as it was first recorded: the declarations of capi/adjoint.h, preprocessed. Never changed: old programs were
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
  ADJ_BACKEND_NCCL = 4
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
  ADJ_TAG_KERNEL_INFO = 10
};
typedef struct adj_header {
  uint64_t struct_size;
  int32_t tag;
  uint32_t reserved;
  const void* next;
} adj_header;
typedef struct adj_tensor {
  void* data;
  uint64_t bytes;
  int32_t dtype;
  int32_t rank;
  int64_t shape[8];
  int64_t strides[8];
} adj_tensor;
typedef struct adj_tensor_list {
  int64_t count;
  int32_t dtype;
  uint32_t reserved;
  void* const* data;
  const uint64_t* bytes;
} adj_tensor_list;
typedef struct adj_scalar {
  double value;
  const void* device;
  int32_t dtype;
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
  int32_t kind;
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
} adj_preference;
typedef int32_t adj_op;
enum {
  ADJ_OP_NONE = 0,
  ADJ_OP_EMBEDDING_FORWARD = 1,
  ADJ_OP_EMBEDDING_BACKWARD = 2,
  ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS = 3,
  ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD = 4,
  ADJ_OP_ADAMW = 5,
  ADJ_OP_SGD = 6,
  ADJ_OP_SOFTMAX_BACKWARD = 7,
  ADJ_OP_LOG_SOFTMAX_BACKWARD = 8,
  ADJ_OP_CONCAT = 9,
  ADJ_OP_SPLIT = 10,
  ADJ_OP_GATHER_GRAD = 11,
  ADJ_OP_EMBEDDING_BAG_FORWARD = 12,
  ADJ_OP_EMBEDDING_BAG_BACKWARD = 13,
  ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD = 14,
  ADJ_OP_INDEX_PLAN = 15,
  ADJ_OP_FORCE_INT32 = 0x7fffffff
};
enum {
  ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR = (0x10000 + (1)),
  ADJ_TAG_EMBEDDING_FORWARD_ARGS = (0x20000 + (1)),
  ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR = (0x10000 + (2)),
  ADJ_TAG_EMBEDDING_BACKWARD_ARGS = (0x20000 + (2)),
  ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR = (0x10000 + (3)),
  ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS = (0x20000 + (3)),
  ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR = (0x10000 + (4)),
  ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS = (0x20000 + (4)),
  ADJ_TAG_ADAMW_DESCRIPTOR = (0x10000 + (5)),
  ADJ_TAG_ADAMW_ARGS = (0x20000 + (5)),
  ADJ_TAG_SGD_DESCRIPTOR = (0x10000 + (6)),
  ADJ_TAG_SGD_ARGS = (0x20000 + (6)),
  ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR = (0x10000 + (7)),
  ADJ_TAG_SOFTMAX_BACKWARD_ARGS = (0x20000 + (7)),
  ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR = (0x10000 + (8)),
  ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS = (0x20000 + (8)),
  ADJ_TAG_CONCAT_DESCRIPTOR = (0x10000 + (9)),
  ADJ_TAG_CONCAT_ARGS = (0x20000 + (9)),
  ADJ_TAG_SPLIT_DESCRIPTOR = (0x10000 + (10)),
  ADJ_TAG_SPLIT_ARGS = (0x20000 + (10)),
  ADJ_TAG_GATHER_GRAD_DESCRIPTOR = (0x10000 + (11)),
  ADJ_TAG_GATHER_GRAD_ARGS = (0x20000 + (11)),
  ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR = (0x10000 + (12)),
  ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS = (0x20000 + (12)),
  ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR = (0x10000 + (13)),
  ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS = (0x20000 + (13)),
  ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR = (0x10000 + (14)),
  ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS = (0x20000 + (14)),
  ADJ_TAG_INDEX_PLAN_DESCRIPTOR = (0x10000 + (15)),
  ADJ_TAG_INDEX_PLAN_ARGS = (0x20000 + (15)),
  ADJ_TAG_FORCE_INT32 = 0x7fffffff
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
typedef struct adj_embedding_forward_descriptor {
  adj_header header;
  int64_t num_embeddings;
  int64_t embedding_dim;
  int64_t num_indices;
  adj_dtype element;
  adj_dtype index;
  int32_t has_padding_idx;
  int32_t padding_zeroes_forward;
  int64_t padding_idx;
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
  adj_dtype element;
  adj_dtype index;
  adj_write_mode write_mode;
  int32_t scale_grad_by_freq;
  int32_t has_padding_idx;
  uint32_t reserved;
  int64_t padding_idx;
  int32_t use_index_plan;
  uint32_t reserved2;
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
  adj_dtype element;
  adj_dtype index;
  adj_write_mode write_mode;
  uint32_t reserved;
  int32_t use_index_plan;
  uint32_t reserved2;
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
typedef struct adj_index_plan_descriptor {
  adj_header header;
  int64_t num_embeddings;
  int64_t num_indices;
  adj_dtype index;
  int32_t wrap_negative;
  int32_t has_padding_idx;
  uint32_t reserved;
  int64_t padding_idx;
} adj_index_plan_descriptor;
typedef struct adj_index_plan_args {
  adj_header header;
  adj_tensor indices;
  adj_tensor sorted_rows;
  adj_tensor order;
  adj_tensor error_flag;
} adj_index_plan_args;
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
  adj_dtype element;
  adj_dtype index;
  adj_bag_mode mode;
  int32_t has_offsets;
  int32_t include_last_offset;
  int32_t has_per_sample_weights;
  int32_t has_padding_idx;
  uint32_t reserved;
  int64_t padding_idx;
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
  adj_dtype element;
  adj_dtype index;
  adj_bag_mode mode;
  int32_t has_offsets;
  int32_t include_last_offset;
  int32_t has_per_sample_weights;
  adj_write_mode write_mode;
  int32_t scale_grad_by_freq;
  int32_t has_padding_idx;
  uint32_t reserved;
  int64_t padding_idx;
  int32_t use_index_plan;
  uint32_t reserved2;
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
  adj_dtype element;
  adj_dtype index;
  int32_t has_offsets;
  int32_t include_last_offset;
  int32_t has_padding_idx;
  uint32_t reserved;
  int64_t padding_idx;
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
typedef struct adj_softmax_cross_entropy_loss_descriptor {
  adj_header header;
  int64_t batch;
  int64_t num_classes;
  int64_t inner;
  adj_dtype element;
  adj_dtype label;
  adj_dtype output;
  adj_dtype weight;
  adj_reduction reduction;
  int32_t nan_when_empty;
  int32_t has_ignore_index;
  uint32_t reserved;
  int64_t ignore_index;
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
} adj_softmax_cross_entropy_loss_args;
typedef struct adj_softmax_cross_entropy_loss_backward_descriptor {
  adj_header header;
  int64_t batch;
  int64_t num_classes;
  int64_t inner;
  adj_dtype element;
  adj_dtype label;
  adj_dtype output;
  adj_dtype weight;
  adj_reduction reduction;
  int32_t from_scores;
  int32_t has_ignore_index;
  uint32_t reserved;
  int64_t ignore_index;
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
} adj_softmax_cross_entropy_loss_backward_args;
typedef int32_t adj_adamw_mode;
enum {
  ADJ_ADAMW_DEFAULT = 0,
  ADJ_ADAMW_DECAY_FIRST = 1,
  ADJ_ADAMW_DECAY_LAST = 2
};
typedef struct adj_adamw_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  adj_dtype param;
  adj_dtype grad;
  adj_dtype state;
  adj_dtype copy;
  adj_adamw_mode mode;
  int32_t no_bias_correction;
  int32_t advance_step;
  uint32_t reserved;
  double beta1;
  double beta2;
  double epsilon;
  double weight_decay;
} adj_adamw_descriptor;
typedef struct adj_adamw_args {
  adj_header header;
  adj_tensor_list params;
  adj_tensor_list grads;
  adj_tensor_list exp_avg;
  adj_tensor_list exp_avg_sq;
  adj_tensor_list copies;
  adj_scalar lr;
  adj_scalar step;
  adj_scalar grad_scale;
  adj_tensor found_inf;
  adj_tensor error_flag;
} adj_adamw_args;
typedef struct adj_sgd_descriptor {
  adj_header header;
  int64_t count;
  const int64_t* numel;
  adj_dtype param;
  adj_dtype grad;
  adj_dtype state;
  adj_dtype copy;
  double momentum;
  double dampening;
  double weight_decay;
  int32_t nesterov;
  int32_t first_step;
} adj_sgd_descriptor;
typedef struct adj_sgd_args {
  adj_header header;
  adj_tensor_list params;
  adj_tensor_list grads;
  adj_tensor_list momentum_buffers;
  adj_tensor_list copies;
  adj_scalar lr;
  adj_scalar grad_scale;
  adj_tensor found_inf;
} adj_sgd_args;
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
adj_status adj_abi_check(uint32_t major, uint32_t minor);
void adj_abi_version(uint32_t* major, uint32_t* minor);
const char* adj_version(void);
typedef struct adj_error adj_error;
const char* adj_status_name(adj_status status);
const char* adj_last_error(void);
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
adj_status adj_plan_explain(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference, adj_error** report);
adj_status adj_plan_can_implement(const adj_plan* plan, const adj_header* args);
uint64_t adj_plan_workspace_size(const adj_plan* plan);
adj_status adj_plan_run(const adj_plan* plan, const adj_stream* stream, const adj_workspace* workspace, const adj_header* args);
adj_status adj_plan_bind(const adj_plan* plan, const adj_stream* stream, const adj_workspace* workspace, const adj_header* args, adj_bound** out);
adj_status adj_bound_run(const adj_bound* bound, const adj_stream* stream);
void adj_bound_release(adj_bound* bound);
adj_status adj_plan_sku(const adj_plan* plan, adj_sku_info* out);
adj_status adj_plan_get_info(const adj_plan* plan, adj_plan_info* out);
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
  int32_t since_version;
  int32_t until_version;
  int32_t resolved;
  int32_t sku_count;
} adj_registry_row;
int64_t adj_registry_count(void);
adj_status adj_registry_get(int64_t i, adj_registry_row* out);
adj_status adj_registry_lookup(const char* domain, const char* op, int32_t opset, const char* types, adj_registry_row* out);
adj_status adj_registry_sku(int64_t row, int64_t i, const char** id);
typedef struct adj_field {
  const char* name;
  const char* choices;
  int32_t kind;
  uint32_t offset;
} adj_field;
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
  ADJ_FIELD_POINTER = 10
};
int64_t adj_op_count(void);
const char* adj_op_name(adj_op op);
adj_status adj_op_find(const char* name, adj_op* out);
adj_status adj_op_descriptor_init(adj_op op, void* descriptor, uint64_t size);
int64_t adj_op_field_count(adj_op op);
adj_status adj_op_field(adj_op op, int64_t i, adj_field* out);
const char* adj_dtype_name(adj_dtype dtype);
adj_dtype adj_dtype_find(const char* name);
typedef void (*adj_log_fn)(void* user, int32_t level, const char* message);
void adj_set_log(adj_log_fn fn, void* user);
