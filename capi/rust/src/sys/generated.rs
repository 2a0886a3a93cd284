// Written by tools/generate.py from the C headers. Do not edit.
use super::*;

pub const ADJ_ABI_MAJOR: u32 = 1;
pub const ADJ_ABI_MINOR: u32 = 0;

pub type adj_status = i32;
pub type adj_dtype = i32;
pub type adj_determinism = i32;
pub type adj_math = i32;
pub type adj_backend = i32;
pub type adj_jit_policy = i32;
pub type adj_stream_kind = i32;
pub type adj_reduction = i32;
pub type adj_write_mode = i32;
pub type adj_tag = i32;
pub type adj_op = i32;
pub type adj_activation = i32;
pub type adj_activation_saved = i32;
pub type adj_gated_activation = i32;
pub type adj_gated_layout = i32;
pub type adj_collective_reduction = i32;
pub type adj_shard_layout = i32;
pub type adj_callback_function = Option<unsafe extern "C" fn(*const adj_callback_call) -> i32>;
pub type adj_callback_destroy = Option<unsafe extern "C" fn(*mut c_void)>;
pub type adj_code_kind = i32;
pub type adj_dropout_mask = i32;
pub type adj_dropout_mapping = i32;
pub type adj_index_positions = i32;
pub type adj_bag_mode = i32;
pub type adj_gist_format = i32;
pub type adj_adamw_mode = i32;
pub type adj_adam_decay = i32;
pub type adj_finite_test = i32;
pub type adj_reduce_kind = i32;
pub type adj_resize_mode = i32;
pub type adj_resize_coordinates = i32;
pub type adj_resize_rounding = i32;
pub type adj_progress = Option<unsafe extern "C" fn(*mut c_void, i64, i64, *const c_char, f64) -> i32>;
pub type adj_log_fn = Option<unsafe extern "C" fn(*mut c_void, i32, *const c_char)>;

opaque! { adj_error adj_plan adj_bound }

constants! {
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
    ADJ_ERROR_INVALID_VALUE = 23,
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
    ADJ_DETERMINISM_DEFAULT = 0,
    ADJ_NONDETERMINISTIC = 1,
    ADJ_RUN_TO_RUN = 2,
    ADJ_SHAPE_ONLY = 3,
    ADJ_BATCH_INVARIANT = 4,
    ADJ_MATH_DEFAULT = 0,
    ADJ_MATH_IEEE = 1,
    ADJ_MATH_FAST = 2,
    ADJ_BACKEND_ANY = 0,
    ADJ_BACKEND_BESPOKE = 1,
    ADJ_BACKEND_HOST = 2,
    ADJ_BACKEND_CUDNN = 3,
    ADJ_BACKEND_NCCL = 4,
    ADJ_JIT_DEFAULT = 0,
    ADJ_JIT_CACHED_ONLY = 1,
    ADJ_JIT_PACKS_ONLY = 2,
    ADJ_STREAM_NONE = 0,
    ADJ_STREAM_HOST = 1,
    ADJ_STREAM_CUDA = 2,
    ADJ_STREAM_OFFLINE = 3,
    ADJ_REDUCTION_DEFAULT = 0,
    ADJ_REDUCTION_NONE = 1,
    ADJ_REDUCTION_SUM = 2,
    ADJ_REDUCTION_MEAN = 3,
    ADJ_WRITE_DEFAULT = 0,
    ADJ_WRITE_OVERWRITE = 1,
    ADJ_WRITE_ACCUMULATE = 2,
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
    ADJ_OP_NONE = 0,
    ADJ_OP_ACTIVATION_BACKWARD = 16,
    ADJ_TAG_ACTIVATION_BACKWARD_DESCRIPTOR = 65552,
    ADJ_TAG_ACTIVATION_BACKWARD_ARGS = 131088,
    ADJ_OP_ACTIVATION_FORWARD = 17,
    ADJ_TAG_ACTIVATION_FORWARD_DESCRIPTOR = 65553,
    ADJ_TAG_ACTIVATION_FORWARD_ARGS = 131089,
    ADJ_OP_GATED_ACTIVATION_BACKWARD = 18,
    ADJ_TAG_GATED_ACTIVATION_BACKWARD_DESCRIPTOR = 65554,
    ADJ_TAG_GATED_ACTIVATION_BACKWARD_ARGS = 131090,
    ADJ_OP_GATED_ACTIVATION_FORWARD = 19,
    ADJ_TAG_GATED_ACTIVATION_FORWARD_DESCRIPTOR = 65555,
    ADJ_TAG_GATED_ACTIVATION_FORWARD_ARGS = 131091,
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
    ADJ_ACTIVATION_SAVED_DEFAULT = 0,
    ADJ_ACTIVATION_SAVED_INPUT = 1,
    ADJ_ACTIVATION_SAVED_OUTPUT = 2,
    ADJ_GATED_ACTIVATION_NONE = 0,
    ADJ_GATED_ACTIVATION_SWIGLU = 1,
    ADJ_GATED_ACTIVATION_GEGLU = 2,
    ADJ_GATED_ACTIVATION_GEGLU_TANH = 3,
    ADJ_GATED_ACTIVATION_REGLU = 4,
    ADJ_GATED_LAYOUT_DEFAULT = 0,
    ADJ_GATED_LAYOUT_HALVES = 1,
    ADJ_GATED_LAYOUT_INTERLEAVED = 2,
    ADJ_OP_BATCH_NORM_FORWARD = 54,
    ADJ_TAG_BATCH_NORM_FORWARD_DESCRIPTOR = 65590,
    ADJ_TAG_BATCH_NORM_FORWARD_ARGS = 131126,
    ADJ_OP_BATCH_NORM_BACKWARD = 55,
    ADJ_TAG_BATCH_NORM_BACKWARD_DESCRIPTOR = 65591,
    ADJ_TAG_BATCH_NORM_BACKWARD_ARGS = 131127,
    ADJ_OP_ALL_REDUCE = 76,
    ADJ_TAG_ALL_REDUCE_DESCRIPTOR = 65612,
    ADJ_TAG_ALL_REDUCE_ARGS = 131148,
    ADJ_OP_ALL_GATHER = 77,
    ADJ_TAG_ALL_GATHER_DESCRIPTOR = 65613,
    ADJ_TAG_ALL_GATHER_ARGS = 131149,
    ADJ_OP_REDUCE_SCATTER = 78,
    ADJ_TAG_REDUCE_SCATTER_DESCRIPTOR = 65614,
    ADJ_TAG_REDUCE_SCATTER_ARGS = 131150,
    ADJ_OP_SEND = 79,
    ADJ_TAG_SEND_DESCRIPTOR = 65615,
    ADJ_TAG_SEND_ARGS = 131151,
    ADJ_OP_RECV = 80,
    ADJ_TAG_RECV_DESCRIPTOR = 65616,
    ADJ_TAG_RECV_ARGS = 131152,
    ADJ_OP_BROADCAST = 81,
    ADJ_TAG_BROADCAST_DESCRIPTOR = 65617,
    ADJ_TAG_BROADCAST_ARGS = 131153,
    ADJ_OP_ADASUM_ALL_REDUCE = 82,
    ADJ_TAG_ADASUM_ALL_REDUCE_DESCRIPTOR = 65618,
    ADJ_TAG_ADASUM_ALL_REDUCE_ARGS = 131154,
    ADJ_OP_MEGATRON_F = 83,
    ADJ_TAG_MEGATRON_F_DESCRIPTOR = 65619,
    ADJ_TAG_MEGATRON_F_ARGS = 131155,
    ADJ_OP_MEGATRON_G = 84,
    ADJ_TAG_MEGATRON_G_DESCRIPTOR = 65620,
    ADJ_TAG_MEGATRON_G_ARGS = 131156,
    ADJ_COLLECTIVE_REDUCTION_DEFAULT = 0,
    ADJ_COLLECTIVE_REDUCTION_SUM = 1,
    ADJ_COLLECTIVE_REDUCTION_AVERAGE = 2,
    ADJ_COLLECTIVE_REDUCTION_MAX = 3,
    ADJ_COLLECTIVE_REDUCTION_MIN = 4,
    ADJ_COLLECTIVE_REDUCTION_PROD = 5,
    ADJ_SHARD_LAYOUT_DEFAULT = 0,
    ADJ_SHARD_LAYOUT_EVEN = 1,
    ADJ_SHARD_LAYOUT_WHOLE = 2,
    ADJ_OP_CONCAT = 9,
    ADJ_TAG_CONCAT_DESCRIPTOR = 65545,
    ADJ_TAG_CONCAT_ARGS = 131081,
    ADJ_OP_SPLIT = 10,
    ADJ_TAG_SPLIT_DESCRIPTOR = 65546,
    ADJ_TAG_SPLIT_ARGS = 131082,
    ADJ_OP_GROUP = 70,
    ADJ_TAG_GROUP_DESCRIPTOR = 65606,
    ADJ_TAG_GROUP_ARGS = 131142,
    ADJ_OP_RECORD_EVENT = 71,
    ADJ_TAG_RECORD_EVENT_DESCRIPTOR = 65607,
    ADJ_TAG_RECORD_EVENT_ARGS = 131143,
    ADJ_OP_WAIT_EVENT = 72,
    ADJ_TAG_WAIT_EVENT_DESCRIPTOR = 65608,
    ADJ_TAG_WAIT_EVENT_ARGS = 131144,
    ADJ_OP_YIELD = 73,
    ADJ_TAG_YIELD_DESCRIPTOR = 65609,
    ADJ_TAG_YIELD_ARGS = 131145,
    ADJ_OP_USER_KERNEL = 74,
    ADJ_TAG_USER_KERNEL_DESCRIPTOR = 65610,
    ADJ_TAG_USER_KERNEL_ARGS = 131146,
    ADJ_OP_CALLBACK = 75,
    ADJ_TAG_CALLBACK_DESCRIPTOR = 65611,
    ADJ_TAG_CALLBACK_ARGS = 131147,
    ADJ_CODE_SOURCE = 0,
    ADJ_CODE_PTX = 1,
    ADJ_CODE_CUBIN = 2,
    ADJ_OP_CONV_BACKWARD = 56,
    ADJ_TAG_CONV_BACKWARD_DESCRIPTOR = 65592,
    ADJ_TAG_CONV_BACKWARD_ARGS = 131128,
    ADJ_OP_CONV_TRANSPOSE_BACKWARD = 57,
    ADJ_TAG_CONV_TRANSPOSE_BACKWARD_DESCRIPTOR = 65593,
    ADJ_TAG_CONV_TRANSPOSE_BACKWARD_ARGS = 131129,
    ADJ_OP_CONV_FORWARD = 58,
    ADJ_TAG_CONV_FORWARD_DESCRIPTOR = 65594,
    ADJ_TAG_CONV_FORWARD_ARGS = 131130,
    ADJ_OP_CONV_TRANSPOSE_FORWARD = 59,
    ADJ_TAG_CONV_TRANSPOSE_FORWARD_DESCRIPTOR = 65595,
    ADJ_TAG_CONV_TRANSPOSE_FORWARD_ARGS = 131131,
    ADJ_OP_DROPOUT_FORWARD = 25,
    ADJ_TAG_DROPOUT_FORWARD_DESCRIPTOR = 65561,
    ADJ_TAG_DROPOUT_FORWARD_ARGS = 131097,
    ADJ_OP_DROPOUT_BACKWARD = 26,
    ADJ_TAG_DROPOUT_BACKWARD_DESCRIPTOR = 65562,
    ADJ_TAG_DROPOUT_BACKWARD_ARGS = 131098,
    ADJ_OP_BIAS_SOFTMAX_DROPOUT_FORWARD = 27,
    ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_DESCRIPTOR = 65563,
    ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_ARGS = 131099,
    ADJ_OP_SOFTMAX_DROPOUT_BACKWARD = 28,
    ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_DESCRIPTOR = 65564,
    ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_ARGS = 131100,
    ADJ_DROPOUT_MASK_DEFAULT = 0,
    ADJ_DROPOUT_MASK_BOOL = 1,
    ADJ_DROPOUT_MASK_BITS = 2,
    ADJ_DROPOUT_MASK_NONE = 3,
    ADJ_DROPOUT_MAPPING_DEFAULT = 0,
    ADJ_DROPOUT_MAPPING_ONNX_RUNTIME = 1,
    ADJ_OP_DIV_BACKWARD = 20,
    ADJ_TAG_DIV_BACKWARD_DESCRIPTOR = 65556,
    ADJ_TAG_DIV_BACKWARD_ARGS = 131092,
    ADJ_OP_EMBEDDING_FORWARD = 1,
    ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR = 65537,
    ADJ_TAG_EMBEDDING_FORWARD_ARGS = 131073,
    ADJ_OP_EMBEDDING_BACKWARD = 2,
    ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR = 65538,
    ADJ_TAG_EMBEDDING_BACKWARD_ARGS = 131074,
    ADJ_OP_GATHER_GRAD = 11,
    ADJ_TAG_GATHER_GRAD_DESCRIPTOR = 65547,
    ADJ_TAG_GATHER_GRAD_ARGS = 131083,
    ADJ_OP_INDEX_PLAN = 15,
    ADJ_TAG_INDEX_PLAN_DESCRIPTOR = 65551,
    ADJ_TAG_INDEX_PLAN_ARGS = 131087,
    ADJ_INDEX_POSITIONS_ROWS = 0,
    ADJ_INDEX_POSITIONS_SLICES = 1,
    ADJ_INDEX_POSITIONS_ELEMENTS = 2,
    ADJ_OP_EMBEDDING_BAG_FORWARD = 12,
    ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR = 65548,
    ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS = 131084,
    ADJ_OP_EMBEDDING_BAG_BACKWARD = 13,
    ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR = 65549,
    ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS = 131085,
    ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD = 14,
    ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR = 65550,
    ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS = 131086,
    ADJ_BAG_DEFAULT = 0,
    ADJ_BAG_SUM = 1,
    ADJ_BAG_MEAN = 2,
    ADJ_BAG_MAX = 3,
    ADJ_OP_GIST_ENCODE = 21,
    ADJ_TAG_GIST_ENCODE_DESCRIPTOR = 65557,
    ADJ_TAG_GIST_ENCODE_ARGS = 131093,
    ADJ_OP_GIST_DECODE = 22,
    ADJ_TAG_GIST_DECODE_DESCRIPTOR = 65558,
    ADJ_TAG_GIST_DECODE_ARGS = 131094,
    ADJ_GIST_FORMAT_NONE = 0,
    ADJ_GIST_FORMAT_BINARIZE = 1,
    ADJ_GIST_FORMAT_PACK1 = 2,
    ADJ_GIST_FORMAT_PACK8 = 3,
    ADJ_GIST_FORMAT_PACK8_SATURATED = 4,
    ADJ_GIST_FORMAT_PACK8_REFERENCE = 5,
    ADJ_GIST_FORMAT_PACK16 = 6,
    ADJ_GIST_FORMAT_PACK16_BF16 = 7,
    ADJ_GIST_FORMAT_MSFP15 = 8,
    ADJ_OP_GATHER_ND_GRAD = 62,
    ADJ_TAG_GATHER_ND_GRAD_DESCRIPTOR = 65598,
    ADJ_TAG_GATHER_ND_GRAD_ARGS = 131134,
    ADJ_OP_GATHER_ELEMENTS_GRAD = 63,
    ADJ_TAG_GATHER_ELEMENTS_GRAD_DESCRIPTOR = 65599,
    ADJ_TAG_GATHER_ELEMENTS_GRAD_ARGS = 131135,
    ADJ_OP_INDEX_ADD = 64,
    ADJ_TAG_INDEX_ADD_DESCRIPTOR = 65600,
    ADJ_TAG_INDEX_ADD_ARGS = 131136,
    ADJ_OP_SLICE_GRAD = 65,
    ADJ_TAG_SLICE_GRAD_DESCRIPTOR = 65601,
    ADJ_TAG_SLICE_GRAD_ARGS = 131137,
    ADJ_OP_PAD_AND_UNFLATTEN = 66,
    ADJ_TAG_PAD_AND_UNFLATTEN_DESCRIPTOR = 65602,
    ADJ_TAG_PAD_AND_UNFLATTEN_ARGS = 131138,
    ADJ_OP_FLATTEN_AND_UNPAD = 67,
    ADJ_TAG_FLATTEN_AND_UNPAD_DESCRIPTOR = 65603,
    ADJ_TAG_FLATTEN_AND_UNPAD_ARGS = 131139,
    ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS = 3,
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR = 65539,
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS = 131075,
    ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD = 4,
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR = 65540,
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS = 131076,
    ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS = 31,
    ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_DESCRIPTOR = 65567,
    ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_ARGS = 131103,
    ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD = 32,
    ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR = 65568,
    ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_ARGS = 131104,
    ADJ_OP_CROSS_ENTROPY_WITH_GRADIENT = 33,
    ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_DESCRIPTOR = 65569,
    ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_ARGS = 131105,
    ADJ_OP_LOG_PROB_ENTROPY = 34,
    ADJ_TAG_LOG_PROB_ENTROPY_DESCRIPTOR = 65570,
    ADJ_TAG_LOG_PROB_ENTROPY_ARGS = 131106,
    ADJ_OP_LOG_PROB_ENTROPY_BACKWARD = 35,
    ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_DESCRIPTOR = 65571,
    ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_ARGS = 131107,
    ADJ_OP_LAYER_NORM_BACKWARD = 50,
    ADJ_TAG_LAYER_NORM_BACKWARD_DESCRIPTOR = 65586,
    ADJ_TAG_LAYER_NORM_BACKWARD_ARGS = 131122,
    ADJ_OP_RMS_NORM_BACKWARD = 51,
    ADJ_TAG_RMS_NORM_BACKWARD_DESCRIPTOR = 65587,
    ADJ_TAG_RMS_NORM_BACKWARD_ARGS = 131123,
    ADJ_OP_LAYER_NORM_FORWARD = 52,
    ADJ_TAG_LAYER_NORM_FORWARD_DESCRIPTOR = 65588,
    ADJ_TAG_LAYER_NORM_FORWARD_ARGS = 131124,
    ADJ_OP_RMS_NORM_FORWARD = 53,
    ADJ_TAG_RMS_NORM_FORWARD_DESCRIPTOR = 65589,
    ADJ_TAG_RMS_NORM_FORWARD_ARGS = 131125,
    ADJ_OP_ADAMW = 5,
    ADJ_TAG_ADAMW_DESCRIPTOR = 65541,
    ADJ_TAG_ADAMW_ARGS = 131077,
    ADJ_OP_SGD = 6,
    ADJ_TAG_SGD_DESCRIPTOR = 65542,
    ADJ_TAG_SGD_ARGS = 131078,
    ADJ_OP_ADAM = 38,
    ADJ_TAG_ADAM_DESCRIPTOR = 65574,
    ADJ_TAG_ADAM_ARGS = 131110,
    ADJ_OP_LAMB = 39,
    ADJ_TAG_LAMB_DESCRIPTOR = 65575,
    ADJ_TAG_LAMB_ARGS = 131111,
    ADJ_OP_CLIP_GRAD_NORM = 40,
    ADJ_TAG_CLIP_GRAD_NORM_DESCRIPTOR = 65576,
    ADJ_TAG_CLIP_GRAD_NORM_ARGS = 131112,
    ADJ_OP_LION = 86,
    ADJ_TAG_LION_DESCRIPTOR = 65622,
    ADJ_TAG_LION_ARGS = 131158,
    ADJ_OP_ADAMW_8BIT = 87,
    ADJ_TAG_ADAMW_8BIT_DESCRIPTOR = 65623,
    ADJ_TAG_ADAMW_8BIT_ARGS = 131159,
    ADJ_ADAMW_DEFAULT = 0,
    ADJ_ADAMW_DECAY_FIRST = 1,
    ADJ_ADAMW_DECAY_LAST = 2,
    ADJ_ADAM_DECAY_DEFAULT = 0,
    ADJ_ADAM_DECAY_FIRST = 1,
    ADJ_ADAM_DECAY_LAST = 2,
    ADJ_ADAM_DECAY_L2 = 3,
    ADJ_OP_IS_FINITE = 41,
    ADJ_TAG_IS_FINITE_DESCRIPTOR = 65577,
    ADJ_TAG_IS_FINITE_ARGS = 131113,
    ADJ_OP_ALL_FINITE = 42,
    ADJ_TAG_ALL_FINITE_DESCRIPTOR = 65578,
    ADJ_TAG_ALL_FINITE_ARGS = 131114,
    ADJ_OP_ALL = 43,
    ADJ_TAG_ALL_DESCRIPTOR = 65579,
    ADJ_TAG_ALL_ARGS = 131115,
    ADJ_OP_SCALE = 44,
    ADJ_TAG_SCALE_DESCRIPTOR = 65580,
    ADJ_TAG_SCALE_ARGS = 131116,
    ADJ_OP_ZERO = 45,
    ADJ_TAG_ZERO_DESCRIPTOR = 65581,
    ADJ_TAG_ZERO_ARGS = 131117,
    ADJ_OP_ACCUMULATE = 46,
    ADJ_TAG_ACCUMULATE_DESCRIPTOR = 65582,
    ADJ_TAG_ACCUMULATE_ARGS = 131118,
    ADJ_OP_SCALED_SUM = 47,
    ADJ_TAG_SCALED_SUM_DESCRIPTOR = 65583,
    ADJ_TAG_SCALED_SUM_ARGS = 131119,
    ADJ_OP_UPDATE_LOSS_SCALE = 85,
    ADJ_TAG_UPDATE_LOSS_SCALE_DESCRIPTOR = 65621,
    ADJ_TAG_UPDATE_LOSS_SCALE_ARGS = 131157,
    ADJ_FINITE_TEST_DEFAULT = 0,
    ADJ_FINITE_TEST_NO_INF = 1,
    ADJ_FINITE_TEST_NO_NAN = 2,
    ADJ_OP_FAKE_QUANTIZE_FORWARD = 23,
    ADJ_TAG_FAKE_QUANTIZE_FORWARD_DESCRIPTOR = 65559,
    ADJ_TAG_FAKE_QUANTIZE_FORWARD_ARGS = 131095,
    ADJ_OP_FAKE_QUANTIZE_BACKWARD = 24,
    ADJ_TAG_FAKE_QUANTIZE_BACKWARD_DESCRIPTOR = 65560,
    ADJ_TAG_FAKE_QUANTIZE_BACKWARD_ARGS = 131096,
    ADJ_OP_L2_NORM = 48,
    ADJ_TAG_L2_NORM_DESCRIPTOR = 65584,
    ADJ_TAG_L2_NORM_ARGS = 131120,
    ADJ_OP_REDUCE = 49,
    ADJ_TAG_REDUCE_DESCRIPTOR = 65585,
    ADJ_TAG_REDUCE_ARGS = 131121,
    ADJ_REDUCE_KIND_SUM = 0,
    ADJ_REDUCE_KIND_MEAN = 1,
    ADJ_REDUCE_KIND_SUM_SQUARE = 2,
    ADJ_REDUCE_KIND_L2 = 3,
    ADJ_REDUCE_KIND_MAX = 4,
    ADJ_REDUCE_KIND_MIN = 5,
    ADJ_REDUCE_KIND_PROD = 6,
    ADJ_REDUCE_KIND_LOGSUMEXP = 7,
    ADJ_OP_RESIZE_BACKWARD = 60,
    ADJ_TAG_RESIZE_BACKWARD_DESCRIPTOR = 65596,
    ADJ_TAG_RESIZE_BACKWARD_ARGS = 131132,
    ADJ_OP_RESIZE_FORWARD = 61,
    ADJ_TAG_RESIZE_FORWARD_DESCRIPTOR = 65597,
    ADJ_TAG_RESIZE_FORWARD_ARGS = 131133,
    ADJ_RESIZE_MODE_DEFAULT = 0,
    ADJ_RESIZE_MODE_LINEAR = 1,
    ADJ_RESIZE_MODE_NEAREST = 2,
    ADJ_RESIZE_COORDINATES_DEFAULT = 0,
    ADJ_RESIZE_COORDINATES_HALF_PIXEL = 1,
    ADJ_RESIZE_COORDINATES_ALIGN_CORNERS = 2,
    ADJ_RESIZE_COORDINATES_ASYMMETRIC = 3,
    ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL = 4,
    ADJ_RESIZE_ROUNDING_DEFAULT = 0,
    ADJ_RESIZE_ROUNDING_ROUND_PREFER_FLOOR = 1,
    ADJ_RESIZE_ROUNDING_ROUND_PREFER_CEIL = 2,
    ADJ_RESIZE_ROUNDING_FLOOR = 3,
    ADJ_RESIZE_ROUNDING_CEIL = 4,
    ADJ_OP_VIEW = 68,
    ADJ_TAG_VIEW_DESCRIPTOR = 65604,
    ADJ_TAG_VIEW_ARGS = 131140,
    ADJ_OP_COPY = 69,
    ADJ_TAG_COPY_DESCRIPTOR = 65605,
    ADJ_TAG_COPY_ARGS = 131141,
    ADJ_OP_SOFTMAX_BACKWARD = 7,
    ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR = 65543,
    ADJ_TAG_SOFTMAX_BACKWARD_ARGS = 131079,
    ADJ_OP_LOG_SOFTMAX_BACKWARD = 8,
    ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR = 65544,
    ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS = 131080,
    ADJ_OP_SOFTMAX_FORWARD = 29,
    ADJ_TAG_SOFTMAX_FORWARD_DESCRIPTOR = 65565,
    ADJ_TAG_SOFTMAX_FORWARD_ARGS = 131101,
    ADJ_OP_LOG_SOFTMAX_FORWARD = 30,
    ADJ_TAG_LOG_SOFTMAX_FORWARD_DESCRIPTOR = 65566,
    ADJ_TAG_LOG_SOFTMAX_FORWARD_ARGS = 131102,
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
    ADJ_FIELD_BYTES = 11,
    ADJ_ARGUMENT_TENSOR = 1,
    ADJ_ARGUMENT_LIST = 2,
    ADJ_ARGUMENT_SCALAR = 3,
    ADJ_ARGUMENT_RANDOM = 4,
    ADJ_ARGUMENT_HANDLE = 5,
    ADJ_ROLE_IN = 1,
    ADJ_ROLE_OUT = 2,
    ADJ_ROLE_INOUT = 3,
    ADJ_PRESENCE_REQUIRED = 1,
    ADJ_PRESENCE_OPTIONAL = 2,
    ADJ_PRESENCE_DEPENDS = 3,
}

structures! {
    struct adj_header {
        struct_size: u64,
        tag: i32,
        reserved: u32,
        next: *const c_void,
    }
    struct adj_tensor {
        data: *mut c_void,
        bytes: u64,
        dtype: i32,
        rank: i32,
        shape: [i64; ADJ_MAX_RANK],
        strides: [i64; ADJ_MAX_RANK],
    }
    struct adj_tensor_list {
        count: i64,
        dtype: i32,
        reserved: u32,
        data: *const *mut c_void,
        bytes: *const u64,
    }
    struct adj_scalar {
        value: f64,
        device: *const c_void,
        dtype: i32,
        reserved: u32,
    }
    struct adj_random {
        seed: u64,
        offset: u64,
        device: *const u64,
    }
    struct adj_shape {
        rank: i64,
        dims: [i64; ADJ_MAX_RANK],
    }
    struct adj_axes {
        count: i64,
        at: [i64; ADJ_MAX_RANK],
    }
    struct adj_stream {
        handle: *mut c_void,
        kind: i32,
        device: i32,
        arch: i32,
        reserved: u32,
    }
    struct adj_workspace {
        data: *mut c_void,
        bytes: u64,
    }
    struct adj_guarantee {
        math: adj_math,
        accumulator: adj_dtype,
        determinism: adj_determinism,
        bit_stable: i32,
        float_atomics: i32,
        reserved: u32,
        bound_ulp: f64,
        bound_terms: f64,
        bound_absolute: f64,
    }
    struct adj_preference {
        header: adj_header,
        determinism: adj_determinism,
        math: adj_math,
        jit: adj_jit_policy,
        backend: adj_backend,
        workspace_limit: u64,
        sku: *const c_char,
        fallback: i32,
        workspace_arch: i32,
    }
    struct adj_activation_forward_descriptor {
        header: adj_header,
        outer: i64,
        inner: i64,
        leaky_slope: f64,
        quick_gelu_alpha: f64,
        elu_alpha: f64,
        function: adj_activation,
        has_bias: i32,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_activation_forward_args {
        header: adj_header,
        input: adj_tensor,
        bias: adj_tensor,
        out: adj_tensor,
    }
    struct adj_activation_backward_descriptor {
        header: adj_header,
        outer: i64,
        inner: i64,
        leaky_slope: f64,
        quick_gelu_alpha: f64,
        elu_alpha: f64,
        function: adj_activation,
        saved: adj_activation_saved,
        has_bias: i32,
        has_dbias: i32,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_activation_backward_args {
        header: adj_header,
        dout: adj_tensor,
        saved: adj_tensor,
        bias: adj_tensor,
        dinput: adj_tensor,
        dbias: adj_tensor,
    }
    struct adj_gated_activation_forward_descriptor {
        header: adj_header,
        outer: i64,
        inner: i64,
        function: adj_gated_activation,
        layout: adj_gated_layout,
        gate_second: i32,
        element: adj_dtype,
    }
    struct adj_gated_activation_forward_args {
        header: adj_header,
        input: adj_tensor,
        out: adj_tensor,
    }
    struct adj_gated_activation_backward_descriptor {
        header: adj_header,
        outer: i64,
        inner: i64,
        function: adj_gated_activation,
        layout: adj_gated_layout,
        gate_second: i32,
        element: adj_dtype,
    }
    struct adj_gated_activation_backward_args {
        header: adj_header,
        dout: adj_tensor,
        input: adj_tensor,
        dinput: adj_tensor,
    }
    struct adj_batch_norm_forward_descriptor {
        header: adj_header,
        outer: i64,
        channels: i64,
        inner: i64,
        epsilon: f64,
        momentum: f64,
        element: adj_dtype,
        weight: adj_dtype,
        stats: adj_dtype,
        training: i32,
    }
    struct adj_batch_norm_forward_args {
        header: adj_header,
        input: adj_tensor,
        scale: adj_tensor,
        bias: adj_tensor,
        running_mean: adj_tensor,
        running_variance: adj_tensor,
        out: adj_tensor,
        next_running_mean: adj_tensor,
        next_running_variance: adj_tensor,
        saved_mean: adj_tensor,
        saved_inv_std: adj_tensor,
    }
    struct adj_batch_norm_backward_descriptor {
        header: adj_header,
        outer: i64,
        channels: i64,
        inner: i64,
        epsilon: f64,
        element: adj_dtype,
        weight: adj_dtype,
        stats: adj_dtype,
        frozen: i32,
    }
    struct adj_batch_norm_backward_args {
        header: adj_header,
        dout: adj_tensor,
        input: adj_tensor,
        scale: adj_tensor,
        saved_mean: adj_tensor,
        saved_inv_std: adj_tensor,
        running_mean: adj_tensor,
        running_variance: adj_tensor,
        dinput: adj_tensor,
        dscale: adj_tensor,
        dbias: adj_tensor,
    }
    struct adj_all_reduce_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        reduction: adj_collective_reduction,
    }
    struct adj_all_reduce_args {
        header: adj_header,
        communicator: *mut c_void,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
    }
    struct adj_all_gather_descriptor {
        header: adj_header,
        ranks: i64,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        layout: adj_shard_layout,
    }
    struct adj_all_gather_args {
        header: adj_header,
        communicator: *mut c_void,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
    }
    struct adj_reduce_scatter_descriptor {
        header: adj_header,
        ranks: i64,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        layout: adj_shard_layout,
        reduction: adj_collective_reduction,
        reserved: u32,
    }
    struct adj_reduce_scatter_args {
        header: adj_header,
        communicator: *mut c_void,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
    }
    struct adj_send_descriptor {
        header: adj_header,
        peer: i64,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_send_args {
        header: adj_header,
        communicator: *mut c_void,
        tensors: adj_tensor_list,
    }
    struct adj_recv_descriptor {
        header: adj_header,
        peer: i64,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_recv_args {
        header: adj_header,
        communicator: *mut c_void,
        tensors: adj_tensor_list,
    }
    struct adj_broadcast_descriptor {
        header: adj_header,
        root: i64,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_broadcast_args {
        header: adj_header,
        communicator: *mut c_void,
        tensors: adj_tensor_list,
    }
    struct adj_adasum_all_reduce_descriptor {
        header: adj_header,
        ranks: i64,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_adasum_all_reduce_args {
        header: adj_header,
        communicator: *mut c_void,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
    }
    struct adj_megatron_f_descriptor {
        header: adj_header,
        numel: i64,
        element: adj_dtype,
        backward: i32,
    }
    struct adj_megatron_f_args {
        header: adj_header,
        communicator: *mut c_void,
        input: adj_tensor,
        output: adj_tensor,
    }
    struct adj_megatron_g_descriptor {
        header: adj_header,
        numel: i64,
        element: adj_dtype,
        backward: i32,
    }
    struct adj_megatron_g_args {
        header: adj_header,
        communicator: *mut c_void,
        input: adj_tensor,
        output: adj_tensor,
    }
    struct adj_concat_descriptor {
        header: adj_header,
        outer: i64,
        inner: i64,
        count: i64,
        lengths: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_concat_args {
        header: adj_header,
        inputs: adj_tensor_list,
        output: adj_tensor,
        lengths_out: adj_tensor,
    }
    struct adj_split_descriptor {
        header: adj_header,
        outer: i64,
        inner: i64,
        count: i64,
        lengths: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_split_args {
        header: adj_header,
        input: adj_tensor,
        outputs: adj_tensor_list,
    }
    struct adj_group_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_group_args {
        header: adj_header,
        inputs: adj_tensor_list,
        done: adj_tensor,
    }
    struct adj_record_event_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        skip: i32,
    }
    struct adj_record_event_args {
        header: adj_header,
        event: *mut c_void,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
    }
    struct adj_wait_event_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        skip: i32,
    }
    struct adj_wait_event_args {
        header: adj_header,
        event: *mut c_void,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
    }
    struct adj_yield_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        non_differentiable_count: i64,
        non_differentiable: *const i64,
        free_shape_count: i64,
        free_shape: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_yield_args {
        header: adj_header,
        outputs: adj_tensor_list,
        gradients: adj_tensor_list,
    }
    struct adj_callback_call {
        header: adj_header,
        user: *mut c_void,
        stream: *const adj_stream,
        context: *mut i64,
        inputs: *const adj_tensor_list,
        outputs: *const adj_tensor_list,
    }
    struct adj_user_kernel_descriptor {
        header: adj_header,
        code_bytes: i64,
        code: *const c_void,
        entry: *const c_char,
        macros: *const c_char,
        input_count: i64,
        input_numel: *const i64,
        output_count: i64,
        output_numel: *const i64,
        integer_count: i64,
        integers: *const i64,
        real_count: i64,
        reals: *const f64,
        grid: adj_axes,
        block: adj_axes,
        shared_bytes: i64,
        host: adj_callback_function,
        user: *mut c_void,
        element: adj_dtype,
        output_element: adj_dtype,
        code_kind: adj_code_kind,
        reserved: u32,
    }
    struct adj_user_kernel_args {
        header: adj_header,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
    }
    struct adj_callback_descriptor {
        header: adj_header,
        function: adj_callback_function,
        destroy: adj_callback_destroy,
        user: *mut c_void,
        input_count: i64,
        input_numel: *const i64,
        output_count: i64,
        output_numel: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_callback_args {
        header: adj_header,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
        context: adj_tensor,
    }
    struct adj_conv_forward_descriptor {
        header: adj_header,
        input: adj_shape,
        weight: adj_shape,
        out: adj_shape,
        strides: adj_axes,
        pads: adj_axes,
        dilations: adj_axes,
        groups: i64,
        element: adj_dtype,
        channels_last: i32,
        has_bias: i32,
        reserved: u32,
    }
    struct adj_conv_forward_args {
        header: adj_header,
        input: adj_tensor,
        weight: adj_tensor,
        bias: adj_tensor,
        out: adj_tensor,
    }
    struct adj_conv_backward_descriptor {
        header: adj_header,
        input: adj_shape,
        weight: adj_shape,
        out: adj_shape,
        strides: adj_axes,
        pads: adj_axes,
        dilations: adj_axes,
        groups: i64,
        element: adj_dtype,
        channels_last: i32,
        has_dinput: i32,
        has_dweight: i32,
        has_dbias: i32,
        write_mode: adj_write_mode,
    }
    struct adj_conv_backward_args {
        header: adj_header,
        dout: adj_tensor,
        input: adj_tensor,
        weight: adj_tensor,
        dinput: adj_tensor,
        dweight: adj_tensor,
        dbias: adj_tensor,
    }
    struct adj_conv_transpose_forward_descriptor {
        header: adj_header,
        input: adj_shape,
        weight: adj_shape,
        out: adj_shape,
        strides: adj_axes,
        pads: adj_axes,
        dilations: adj_axes,
        groups: i64,
        element: adj_dtype,
        channels_last: i32,
        has_bias: i32,
        reserved: u32,
    }
    struct adj_conv_transpose_forward_args {
        header: adj_header,
        input: adj_tensor,
        weight: adj_tensor,
        bias: adj_tensor,
        out: adj_tensor,
    }
    struct adj_conv_transpose_backward_descriptor {
        header: adj_header,
        input: adj_shape,
        weight: adj_shape,
        out: adj_shape,
        strides: adj_axes,
        pads: adj_axes,
        dilations: adj_axes,
        groups: i64,
        element: adj_dtype,
        channels_last: i32,
        has_dinput: i32,
        has_dweight: i32,
        has_dbias: i32,
        write_mode: adj_write_mode,
    }
    struct adj_conv_transpose_backward_args {
        header: adj_header,
        dout: adj_tensor,
        input: adj_tensor,
        weight: adj_tensor,
        dinput: adj_tensor,
        dweight: adj_tensor,
        dbias: adj_tensor,
    }
    struct adj_dropout_forward_descriptor {
        header: adj_header,
        numel: i64,
        element: adj_dtype,
        mask: adj_dropout_mask,
        training: i32,
        advance_offset: i32,
        mapping: adj_dropout_mapping,
        multiprocessors: i32,
        threads_per_multiprocessor: i32,
        reserved: u32,
    }
    struct adj_dropout_forward_args {
        header: adj_header,
        input: adj_tensor,
        ratio: adj_scalar,
        random: adj_random,
        out: adj_tensor,
        mask: adj_tensor,
        words: adj_tensor,
    }
    struct adj_dropout_backward_descriptor {
        header: adj_header,
        numel: i64,
        element: adj_dtype,
        mask: adj_dropout_mask,
        training: i32,
        mapping: adj_dropout_mapping,
        multiprocessors: i32,
        threads_per_multiprocessor: i32,
    }
    struct adj_dropout_backward_args {
        header: adj_header,
        dout: adj_tensor,
        mask: adj_tensor,
        ratio: adj_scalar,
        random: adj_random,
        dinput: adj_tensor,
    }
    struct adj_bias_softmax_dropout_forward_descriptor {
        header: adj_header,
        rows: i64,
        columns: i64,
        bias_rows: i64,
        element: adj_dtype,
        mask: adj_dropout_mask,
        inner_broadcast: i32,
        zero_masked_rows: i32,
        advance_offset: i32,
        mapping: adj_dropout_mapping,
        multiprocessors: i32,
        threads_per_multiprocessor: i32,
        unaligned: i32,
        reserved: u32,
    }
    struct adj_bias_softmax_dropout_forward_args {
        header: adj_header,
        input: adj_tensor,
        bias: adj_tensor,
        ratio: adj_scalar,
        random: adj_random,
        out: adj_tensor,
        mask: adj_tensor,
        softmax_out: adj_tensor,
        words: adj_tensor,
    }
    struct adj_softmax_dropout_backward_descriptor {
        header: adj_header,
        rows: i64,
        columns: i64,
        element: adj_dtype,
        mask: adj_dropout_mask,
        mapping: adj_dropout_mapping,
        multiprocessors: i32,
        threads_per_multiprocessor: i32,
        unaligned: i32,
    }
    struct adj_softmax_dropout_backward_args {
        header: adj_header,
        dout: adj_tensor,
        mask: adj_tensor,
        softmax_out: adj_tensor,
        ratio: adj_scalar,
        random: adj_random,
        dinput: adj_tensor,
    }
    struct adj_div_backward_descriptor {
        header: adj_header,
        a_shape: adj_shape,
        b_shape: adj_shape,
        skip_da: i32,
        skip_db: i32,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_div_backward_args {
        header: adj_header,
        dout: adj_tensor,
        a: adj_tensor,
        b: adj_tensor,
        da: adj_tensor,
        db: adj_tensor,
    }
    struct adj_embedding_forward_descriptor {
        header: adj_header,
        num_embeddings: i64,
        embedding_dim: i64,
        num_indices: i64,
        element: adj_dtype,
        index: adj_dtype,
        has_padding_idx: i32,
        padding_zeroes_forward: i32,
        padding_idx: i64,
    }
    struct adj_embedding_forward_args {
        header: adj_header,
        weight: adj_tensor,
        indices: adj_tensor,
        out: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_embedding_backward_descriptor {
        header: adj_header,
        num_embeddings: i64,
        embedding_dim: i64,
        num_indices: i64,
        element: adj_dtype,
        index: adj_dtype,
        write_mode: adj_write_mode,
        scale_grad_by_freq: i32,
        has_padding_idx: i32,
        reserved: u32,
        padding_idx: i64,
        use_index_plan: i32,
        reserved2: u32,
    }
    struct adj_embedding_backward_args {
        header: adj_header,
        dout: adj_tensor,
        indices: adj_tensor,
        dweight: adj_tensor,
        error_flag: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
    }
    struct adj_gather_grad_descriptor {
        header: adj_header,
        outer: i64,
        extent: i64,
        inner: i64,
        num_indices: i64,
        element: adj_dtype,
        index: adj_dtype,
        write_mode: adj_write_mode,
        reserved: u32,
        use_index_plan: i32,
        reserved2: u32,
    }
    struct adj_gather_grad_args {
        header: adj_header,
        dout: adj_tensor,
        indices: adj_tensor,
        dinput: adj_tensor,
        error_flag: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
    }
    struct adj_index_plan_descriptor {
        header: adj_header,
        num_embeddings: i64,
        num_indices: i64,
        index: adj_dtype,
        wrap_negative: i32,
        has_padding_idx: i32,
        positions: adj_index_positions,
        padding_idx: i64,
        input_shape: adj_shape,
        indices_shape: adj_shape,
        batch_dims: i64,
        axis: i64,
    }
    struct adj_index_plan_args {
        header: adj_header,
        indices: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_embedding_bag_forward_descriptor {
        header: adj_header,
        num_embeddings: i64,
        embedding_dim: i64,
        num_indices: i64,
        num_bags: i64,
        element: adj_dtype,
        index: adj_dtype,
        mode: adj_bag_mode,
        has_offsets: i32,
        include_last_offset: i32,
        has_per_sample_weights: i32,
        has_padding_idx: i32,
        reserved: u32,
        padding_idx: i64,
    }
    struct adj_embedding_bag_forward_args {
        header: adj_header,
        weight: adj_tensor,
        indices: adj_tensor,
        offsets: adj_tensor,
        per_sample_weights: adj_tensor,
        out: adj_tensor,
        max_positions: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_embedding_bag_backward_descriptor {
        header: adj_header,
        num_embeddings: i64,
        embedding_dim: i64,
        num_indices: i64,
        num_bags: i64,
        element: adj_dtype,
        index: adj_dtype,
        mode: adj_bag_mode,
        has_offsets: i32,
        include_last_offset: i32,
        has_per_sample_weights: i32,
        write_mode: adj_write_mode,
        scale_grad_by_freq: i32,
        has_padding_idx: i32,
        reserved: u32,
        padding_idx: i64,
        use_index_plan: i32,
        reserved2: u32,
    }
    struct adj_embedding_bag_backward_args {
        header: adj_header,
        dout: adj_tensor,
        indices: adj_tensor,
        offsets: adj_tensor,
        per_sample_weights: adj_tensor,
        max_positions: adj_tensor,
        dweight: adj_tensor,
        error_flag: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
    }
    struct adj_embedding_bag_per_sample_weights_backward_descriptor {
        header: adj_header,
        num_embeddings: i64,
        embedding_dim: i64,
        num_indices: i64,
        num_bags: i64,
        element: adj_dtype,
        index: adj_dtype,
        has_offsets: i32,
        include_last_offset: i32,
        has_padding_idx: i32,
        reserved: u32,
        padding_idx: i64,
    }
    struct adj_embedding_bag_per_sample_weights_backward_args {
        header: adj_header,
        dout: adj_tensor,
        weight: adj_tensor,
        indices: adj_tensor,
        offsets: adj_tensor,
        dper_sample_weights: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_gist_encode_descriptor {
        header: adj_header,
        outer: i64,
        inner: i64,
        format: adj_gist_format,
        element: adj_dtype,
    }
    struct adj_gist_encode_args {
        header: adj_header,
        input: adj_tensor,
        packed: adj_tensor,
    }
    struct adj_gist_decode_descriptor {
        header: adj_header,
        outer: i64,
        inner: i64,
        format: adj_gist_format,
        element: adj_dtype,
    }
    struct adj_gist_decode_args {
        header: adj_header,
        packed: adj_tensor,
        out: adj_tensor,
    }
    struct adj_gather_nd_grad_descriptor {
        header: adj_header,
        input_shape: adj_shape,
        indices_shape: adj_shape,
        batch_dims: i64,
        element: adj_dtype,
        index: adj_dtype,
        write_mode: adj_write_mode,
        use_index_plan: i32,
    }
    struct adj_gather_nd_grad_args {
        header: adj_header,
        dout: adj_tensor,
        indices: adj_tensor,
        dinput: adj_tensor,
        error_flag: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
    }
    struct adj_gather_elements_grad_descriptor {
        header: adj_header,
        input_shape: adj_shape,
        indices_shape: adj_shape,
        axis: i64,
        element: adj_dtype,
        index: adj_dtype,
        write_mode: adj_write_mode,
        use_index_plan: i32,
    }
    struct adj_gather_elements_grad_args {
        header: adj_header,
        dout: adj_tensor,
        indices: adj_tensor,
        dinput: adj_tensor,
        error_flag: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
    }
    struct adj_index_add_descriptor {
        header: adj_header,
        shape: adj_shape,
        axis: i64,
        num_indices: i64,
        element: adj_dtype,
        index: adj_dtype,
        use_index_plan: i32,
        reserved: u32,
    }
    struct adj_index_add_args {
        header: adj_header,
        input: adj_tensor,
        indices: adj_tensor,
        source: adj_tensor,
        output: adj_tensor,
        error_flag: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
    }
    struct adj_slice_grad_descriptor {
        header: adj_header,
        input_shape: adj_shape,
        starts: adj_axes,
        ends: adj_axes,
        axes: adj_axes,
        steps: adj_axes,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_slice_grad_args {
        header: adj_header,
        dout: adj_tensor,
        dinput: adj_tensor,
    }
    struct adj_pad_and_unflatten_descriptor {
        header: adj_header,
        num_indices: i64,
        batch: i64,
        length: i64,
        inner: i64,
        element: adj_dtype,
        index: adj_dtype,
    }
    struct adj_pad_and_unflatten_args {
        header: adj_header,
        input: adj_tensor,
        indices: adj_tensor,
        output: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_flatten_and_unpad_descriptor {
        header: adj_header,
        num_indices: i64,
        batch: i64,
        length: i64,
        inner: i64,
        element: adj_dtype,
        index: adj_dtype,
    }
    struct adj_flatten_and_unpad_args {
        header: adj_header,
        input: adj_tensor,
        indices: adj_tensor,
        output: adj_tensor,
        unflatten_dims: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_softmax_cross_entropy_loss_descriptor {
        header: adj_header,
        batch: i64,
        num_classes: i64,
        inner: i64,
        element: adj_dtype,
        label: adj_dtype,
        output: adj_dtype,
        weight: adj_dtype,
        reduction: adj_reduction,
        nan_when_empty: i32,
        has_ignore_index: i32,
        sample_weight: adj_dtype,
        ignore_index: i64,
    }
    struct adj_softmax_cross_entropy_loss_args {
        header: adj_header,
        scores: adj_tensor,
        labels: adj_tensor,
        weight: adj_tensor,
        loss: adj_tensor,
        log_prob: adj_tensor,
        lse: adj_tensor,
        error_flag: adj_tensor,
        sample_weight: adj_tensor,
    }
    struct adj_softmax_cross_entropy_loss_backward_descriptor {
        header: adj_header,
        batch: i64,
        num_classes: i64,
        inner: i64,
        element: adj_dtype,
        label: adj_dtype,
        output: adj_dtype,
        weight: adj_dtype,
        reduction: adj_reduction,
        from_scores: i32,
        has_ignore_index: i32,
        sample_weight: adj_dtype,
        ignore_index: i64,
    }
    struct adj_softmax_cross_entropy_loss_backward_args {
        header: adj_header,
        dloss: adj_tensor,
        log_prob: adj_tensor,
        scores: adj_tensor,
        lse: adj_tensor,
        labels: adj_tensor,
        weight: adj_tensor,
        bias: adj_tensor,
        dscores: adj_tensor,
        error_flag: adj_tensor,
        sample_weight: adj_tensor,
    }
    struct adj_soft_label_cross_entropy_loss_descriptor {
        header: adj_header,
        rows: i64,
        num_classes: i64,
        element: adj_dtype,
        output: adj_dtype,
        reduction: adj_reduction,
        nan_when_empty: i32,
    }
    struct adj_soft_label_cross_entropy_loss_args {
        header: adj_header,
        scores: adj_tensor,
        labels: adj_tensor,
        loss: adj_tensor,
        log_prob: adj_tensor,
        lse: adj_tensor,
    }
    struct adj_soft_label_cross_entropy_loss_backward_descriptor {
        header: adj_header,
        rows: i64,
        num_classes: i64,
        element: adj_dtype,
        reduction: adj_reduction,
        from_scores: i32,
        exact: i32,
    }
    struct adj_soft_label_cross_entropy_loss_backward_args {
        header: adj_header,
        dloss: adj_tensor,
        log_prob: adj_tensor,
        scores: adj_tensor,
        lse: adj_tensor,
        labels: adj_tensor,
        dscores: adj_tensor,
    }
    struct adj_cross_entropy_with_gradient_descriptor {
        header: adj_header,
        samples: i64,
        num_classes: i64,
        element: adj_dtype,
        label: adj_dtype,
        weight: adj_dtype,
        reduction: adj_reduction,
        ignore_index: i64,
        has_ignore_index: i32,
        reserved: u32,
        label_smoothing: f64,
        z_loss: f64,
    }
    struct adj_cross_entropy_with_gradient_args {
        header: adj_header,
        scores: adj_tensor,
        labels: adj_tensor,
        weight: adj_tensor,
        dloss: adj_scalar,
        loss: adj_tensor,
        lse: adj_tensor,
        dscores: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_log_prob_entropy_descriptor {
        header: adj_header,
        samples: i64,
        num_classes: i64,
        element: adj_dtype,
        label: adj_dtype,
        ignore_index: i64,
        has_ignore_index: i32,
        reserved: u32,
    }
    struct adj_log_prob_entropy_args {
        header: adj_header,
        scores: adj_tensor,
        labels: adj_tensor,
        log_prob: adj_tensor,
        entropy: adj_tensor,
        lse: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_log_prob_entropy_backward_descriptor {
        header: adj_header,
        samples: i64,
        num_classes: i64,
        element: adj_dtype,
        label: adj_dtype,
        ignore_index: i64,
        has_ignore_index: i32,
        with_entropy: i32,
    }
    struct adj_log_prob_entropy_backward_args {
        header: adj_header,
        dlog_prob: adj_tensor,
        dentropy: adj_tensor,
        scores: adj_tensor,
        labels: adj_tensor,
        lse: adj_tensor,
        entropy: adj_tensor,
        dscores: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_layer_norm_backward_descriptor {
        header: adj_header,
        shape: adj_shape,
        axis: i32,
        element: adj_dtype,
        output: adj_dtype,
        weight: adj_dtype,
        from_output: i32,
        has_dgamma: i32,
        has_dbeta: i32,
        write_mode: adj_write_mode,
    }
    struct adj_layer_norm_backward_args {
        header: adj_header,
        dout: adj_tensor,
        input: adj_tensor,
        out: adj_tensor,
        gamma: adj_tensor,
        beta: adj_tensor,
        mean: adj_tensor,
        inv_std: adj_tensor,
        dresidual: adj_tensor,
        dinput: adj_tensor,
        dgamma: adj_tensor,
        dbeta: adj_tensor,
    }
    struct adj_rms_norm_backward_descriptor {
        header: adj_header,
        shape: adj_shape,
        axis: i32,
        element: adj_dtype,
        output: adj_dtype,
        weight: adj_dtype,
        from_output: i32,
        has_dgamma: i32,
        write_mode: adj_write_mode,
        reserved: u32,
    }
    struct adj_rms_norm_backward_args {
        header: adj_header,
        dout: adj_tensor,
        input: adj_tensor,
        out: adj_tensor,
        gamma: adj_tensor,
        inv_std: adj_tensor,
        dresidual: adj_tensor,
        dinput: adj_tensor,
        dgamma: adj_tensor,
    }
    struct adj_layer_norm_forward_descriptor {
        header: adj_header,
        shape: adj_shape,
        epsilon: f64,
        axis: i32,
        element: adj_dtype,
        output: adj_dtype,
        weight: adj_dtype,
        has_residual: i32,
        reserved: u32,
    }
    struct adj_layer_norm_forward_args {
        header: adj_header,
        input: adj_tensor,
        residual: adj_tensor,
        gamma: adj_tensor,
        beta: adj_tensor,
        out: adj_tensor,
        sum: adj_tensor,
        mean: adj_tensor,
        inv_std: adj_tensor,
    }
    struct adj_rms_norm_forward_descriptor {
        header: adj_header,
        shape: adj_shape,
        epsilon: f64,
        axis: i32,
        element: adj_dtype,
        output: adj_dtype,
        weight: adj_dtype,
        has_residual: i32,
        reserved: u32,
    }
    struct adj_rms_norm_forward_args {
        header: adj_header,
        input: adj_tensor,
        residual: adj_tensor,
        gamma: adj_tensor,
        out: adj_tensor,
        sum: adj_tensor,
        inv_std: adj_tensor,
    }
    struct adj_adamw_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        param: adj_dtype,
        grad: adj_dtype,
        state: adj_dtype,
        copy: adj_dtype,
        mode: adj_adamw_mode,
        no_bias_correction: i32,
        advance_step: i32,
        reserved: u32,
        beta1: f64,
        beta2: f64,
        epsilon: f64,
        weight_decay: f64,
    }
    struct adj_adamw_args {
        header: adj_header,
        params: adj_tensor_list,
        grads: adj_tensor_list,
        exp_avg: adj_tensor_list,
        exp_avg_sq: adj_tensor_list,
        copies: adj_tensor_list,
        lr: adj_scalar,
        step: adj_scalar,
        grad_scale: adj_scalar,
        found_inf: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_adam_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        param: adj_dtype,
        grad: adj_dtype,
        state: adj_dtype,
        copy: adj_dtype,
        decay: adj_adam_decay,
        no_bias_correction: i32,
        advance_step: i32,
        out_of_place: i32,
        updates: i32,
        keep_params: i32,
        clear_grads: i32,
        reserved: u32,
        beta1: f64,
        beta2: f64,
        epsilon: f64,
        weight_decay: f64,
        max_norm: f64,
    }
    struct adj_adam_args {
        header: adj_header,
        params: adj_tensor_list,
        grads: adj_tensor_list,
        exp_avg: adj_tensor_list,
        exp_avg_sq: adj_tensor_list,
        copies: adj_tensor_list,
        new_params: adj_tensor_list,
        new_exp_avg: adj_tensor_list,
        new_exp_avg_sq: adj_tensor_list,
        updates: adj_tensor_list,
        lr: adj_scalar,
        step: adj_scalar,
        grad_scale: adj_scalar,
        gradient_norm: adj_scalar,
        update_signal: adj_scalar,
        found_inf: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_lamb_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        param: adj_dtype,
        grad: adj_dtype,
        state: adj_dtype,
        copy: adj_dtype,
        no_bias_correction: i32,
        advance_step: i32,
        out_of_place: i32,
        updates: i32,
        keep_params: i32,
        clear_grads: i32,
        beta1: f64,
        beta2: f64,
        epsilon: f64,
        weight_decay: f64,
        max_norm: f64,
        ratio_min: f64,
        ratio_max: f64,
        beta1_count: i64,
        beta1_of: *const f64,
        beta2_count: i64,
        beta2_of: *const f64,
        epsilon_count: i64,
        epsilon_of: *const f64,
        weight_decay_count: i64,
        weight_decay_of: *const f64,
        max_norm_count: i64,
        max_norm_of: *const f64,
    }
    struct adj_lamb_args {
        header: adj_header,
        params: adj_tensor_list,
        grads: adj_tensor_list,
        exp_avg: adj_tensor_list,
        exp_avg_sq: adj_tensor_list,
        copies: adj_tensor_list,
        new_params: adj_tensor_list,
        new_exp_avg: adj_tensor_list,
        new_exp_avg_sq: adj_tensor_list,
        updates: adj_tensor_list,
        lr: adj_scalar,
        step: adj_scalar,
        grad_scale: adj_scalar,
        gradient_norm: adj_scalar,
        update_signal: adj_scalar,
        found_inf: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_lion_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        param: adj_dtype,
        grad: adj_dtype,
        state: adj_dtype,
        copy: adj_dtype,
        stochastic_rounding: i32,
        advance_step: i32,
        clear_grads: i32,
        reserved: u32,
        beta1: f64,
        beta2: f64,
        weight_decay: f64,
        max_norm: f64,
        tensor_key_count: i64,
        tensor_keys: *const i64,
    }
    struct adj_lion_args {
        header: adj_header,
        params: adj_tensor_list,
        grads: adj_tensor_list,
        exp_avg: adj_tensor_list,
        copies: adj_tensor_list,
        lr: adj_scalar,
        step: adj_scalar,
        seed: adj_scalar,
        grad_scale: adj_scalar,
        gradient_norm: adj_scalar,
        update_signal: adj_scalar,
        found_inf: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_adamw_8bit_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        param: adj_dtype,
        grad: adj_dtype,
        copy: adj_dtype,
        stochastic_rounding: i32,
        advance_step: i32,
        clear_grads: i32,
        beta1: f64,
        beta2: f64,
        epsilon: f64,
        weight_decay: f64,
        max_norm: f64,
        tensor_key_count: i64,
        tensor_keys: *const i64,
    }
    struct adj_adamw_8bit_args {
        header: adj_header,
        params: adj_tensor_list,
        grads: adj_tensor_list,
        exp_avg: adj_tensor_list,
        exp_avg_scale: adj_tensor_list,
        exp_avg_sq: adj_tensor_list,
        exp_avg_sq_scale: adj_tensor_list,
        copies: adj_tensor_list,
        lr: adj_scalar,
        step: adj_scalar,
        seed: adj_scalar,
        grad_scale: adj_scalar,
        gradient_norm: adj_scalar,
        update_signal: adj_scalar,
        found_inf: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_clip_grad_norm_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        grad: adj_dtype,
        norm_only: i32,
        max_norm: f64,
        epsilon: f64,
    }
    struct adj_clip_grad_norm_args {
        header: adj_header,
        grads: adj_tensor_list,
        grad_scale: adj_scalar,
        norm: adj_tensor,
        factor: adj_tensor,
        found_inf: adj_tensor,
    }
    struct adj_sgd_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        param: adj_dtype,
        grad: adj_dtype,
        state: adj_dtype,
        copy: adj_dtype,
        momentum: f64,
        dampening: f64,
        weight_decay: f64,
        nesterov: i32,
        first_step: i32,
        out_of_place: i32,
        updates: i32,
        keep_params: i32,
        clear_grads: i32,
        max_norm: f64,
    }
    struct adj_sgd_args {
        header: adj_header,
        params: adj_tensor_list,
        grads: adj_tensor_list,
        momentum_buffers: adj_tensor_list,
        copies: adj_tensor_list,
        new_params: adj_tensor_list,
        new_momentum_buffers: adj_tensor_list,
        updates: adj_tensor_list,
        lr: adj_scalar,
        grad_scale: adj_scalar,
        gradient_norm: adj_scalar,
        update_signal: adj_scalar,
        found_inf: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_is_finite_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_is_finite_args {
        header: adj_header,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
    }
    struct adj_all_finite_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        test: adj_finite_test,
    }
    struct adj_all_finite_args {
        header: adj_header,
        inputs: adj_tensor_list,
        output: adj_tensor,
        found_inf: adj_tensor,
    }
    struct adj_all_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
    }
    struct adj_all_args {
        header: adj_header,
        inputs: adj_tensor_list,
        output: adj_tensor,
    }
    struct adj_scale_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        output: adj_dtype,
        outputs: i32,
        fused: i32,
        scale_down: i32,
        reserved: u32,
    }
    struct adj_scale_args {
        header: adj_header,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
        outputs_1: adj_tensor_list,
        outputs_2: adj_tensor_list,
        fused: adj_tensor,
        scale: adj_scalar,
        scale_1: adj_scalar,
        scale_2: adj_scalar,
        found_inf: adj_tensor,
    }
    struct adj_zero_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_zero_args {
        header: adj_header,
        outputs: adj_tensor_list,
    }
    struct adj_accumulate_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        value: adj_dtype,
        copies: i32,
        reserved: u32,
    }
    struct adj_accumulate_args {
        header: adj_header,
        sums: adj_tensor_list,
        values: adj_tensor_list,
        outputs: adj_tensor_list,
        copies: adj_tensor_list,
        update: adj_scalar,
        overwrite: adj_scalar,
        updated_flag: adj_tensor,
    }
    struct adj_scaled_sum_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        inputs: i32,
    }
    struct adj_scaled_sum_args {
        header: adj_header,
        inputs_0: adj_tensor_list,
        inputs_1: adj_tensor_list,
        inputs_2: adj_tensor_list,
        outputs: adj_tensor_list,
        scale_0: adj_scalar,
        scale_1: adj_scalar,
        scale_2: adj_scalar,
    }
    struct adj_update_loss_scale_descriptor {
        header: adj_header,
        growth_factor: f64,
        backoff_factor: f64,
        min_scale: f64,
        max_scale: f64,
        growth_interval: i32,
        reserved: u32,
    }
    struct adj_update_loss_scale_args {
        header: adj_header,
        found_inf: adj_tensor,
        scale: adj_tensor,
        growth_tracker: adj_tensor,
    }
    struct adj_fake_quantize_forward_descriptor {
        header: adj_header,
        outer: i64,
        channels: i64,
        inner: i64,
        quant_min: i64,
        quant_max: i64,
        per_channel: i32,
        nan_to_min: i32,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_fake_quantize_forward_args {
        header: adj_header,
        input: adj_tensor,
        scale: adj_scalar,
        zero_point: adj_scalar,
        scales: adj_tensor,
        zero_points: adj_tensor,
        out: adj_tensor,
        mask: adj_tensor,
    }
    struct adj_fake_quantize_backward_descriptor {
        header: adj_header,
        numel: i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_fake_quantize_backward_args {
        header: adj_header,
        dout: adj_tensor,
        mask: adj_tensor,
        dinput: adj_tensor,
    }
    struct adj_reduce_descriptor {
        header: adj_header,
        shape: adj_shape,
        axes: adj_axes,
        kind: adj_reduce_kind,
        element: adj_dtype,
        output: adj_dtype,
        keepdims: i32,
        noop_with_empty_axes: i32,
        offset: adj_dtype,
        segments: i64,
    }
    struct adj_reduce_args {
        header: adj_header,
        input: adj_tensor,
        output: adj_tensor,
        offsets: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_l2_norm_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        output: adj_dtype,
    }
    struct adj_l2_norm_args {
        header: adj_header,
        inputs: adj_tensor_list,
        output: adj_tensor,
        norms: adj_tensor,
        found_inf: adj_tensor,
    }
    struct adj_resize_forward_descriptor {
        header: adj_header,
        input: adj_shape,
        out: adj_shape,
        num_scales: i64,
        scales: *const f64,
        element: adj_dtype,
        mode: adj_resize_mode,
        coordinates: adj_resize_coordinates,
        rounding: adj_resize_rounding,
        channels_last: i32,
        reserved: u32,
    }
    struct adj_resize_forward_args {
        header: adj_header,
        input: adj_tensor,
        out: adj_tensor,
    }
    struct adj_resize_backward_descriptor {
        header: adj_header,
        input: adj_shape,
        out: adj_shape,
        num_scales: i64,
        scales: *const f64,
        element: adj_dtype,
        mode: adj_resize_mode,
        coordinates: adj_resize_coordinates,
        rounding: adj_resize_rounding,
        channels_last: i32,
        reserved: u32,
    }
    struct adj_resize_backward_args {
        header: adj_header,
        dout: adj_tensor,
        dinput: adj_tensor,
    }
    struct adj_view_descriptor {
        header: adj_header,
        total: i64,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        copies: i32,
    }
    struct adj_view_args {
        header: adj_header,
        input: adj_tensor,
        outputs: adj_tensor_list,
        offsets: adj_tensor,
    }
    struct adj_copy_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_copy_args {
        header: adj_header,
        inputs: adj_tensor_list,
        outputs: adj_tensor_list,
    }
    struct adj_softmax_backward_descriptor {
        header: adj_header,
        outer: i64,
        extent: i64,
        inner: i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_softmax_backward_args {
        header: adj_header,
        dout: adj_tensor,
        out: adj_tensor,
        dinput: adj_tensor,
    }
    struct adj_log_softmax_backward_descriptor {
        header: adj_header,
        outer: i64,
        extent: i64,
        inner: i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_log_softmax_backward_args {
        header: adj_header,
        dout: adj_tensor,
        out: adj_tensor,
        dinput: adj_tensor,
    }
    struct adj_softmax_forward_descriptor {
        header: adj_header,
        outer: i64,
        extent: i64,
        inner: i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_softmax_forward_args {
        header: adj_header,
        input: adj_tensor,
        out: adj_tensor,
    }
    struct adj_log_softmax_forward_descriptor {
        header: adj_header,
        outer: i64,
        extent: i64,
        inner: i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_log_softmax_forward_args {
        header: adj_header,
        input: adj_tensor,
        out: adj_tensor,
    }
    struct adj_rejection {
        header: adj_header,
        sku: *const c_char,
        reason: *const c_char,
        code: adj_status,
        reserved: u32,
    }
    struct adj_sku_info {
        header: adj_header,
        id: *const c_char,
        op_name: *const c_char,
        algorithm: *const c_char,
        signature: *const c_char,
        arch: *const c_char,
        source: *const c_char,
        summary: *const c_char,
        op: adj_op,
        backend: adj_backend,
        program_count: i32,
        reserved: u32,
        guarantee: adj_guarantee,
    }
    struct adj_kernel_info {
        header: adj_header,
        source: *const c_char,
        entry: *const c_char,
        macros: *const c_char,
        code_bytes: u64,
        static_shared_bytes: u64,
        registers: i32,
        local_bytes: i32,
        compile_ms: f64,
    }
    struct adj_plan_info {
        header: adj_header,
        workspace_size: u64,
        bind_workspace_size: u64,
        launches: i64,
        bound_launches: i64,
        from_ptx: i32,
        reserved: u32,
    }
    struct adj_pack_options {
        header: adj_header,
        archs: *const c_char,
        skus: *const c_char,
        jobs: i32,
        reserved: u32,
        progress: adj_progress,
        user: *mut c_void,
    }
    struct adj_cache_info {
        header: adj_header,
        directory: *const c_char,
        problem: *const c_char,
        entries: i64,
        damaged: i64,
        bytes: u64,
        limit: u64,
        memory_hits: i64,
        pack_hits: i64,
        disk_hits: i64,
        compiles: i64,
    }
    struct adj_library_info {
        header: adj_header,
        name: *const c_char,
        path: *const c_char,
        version: *const c_char,
        problem: *const c_char,
        available: i32,
        reserved: u32,
    }
    struct adj_device_info {
        header: adj_header,
        name: *const c_char,
        arch: *const c_char,
        memory: u64,
        multiprocessors: i32,
        compute_capability: i32,
    }
    struct adj_registry_row {
        header: adj_header,
        domain: *const c_char,
        op: *const c_char,
        types: *const c_char,
        adjoint_op: *const c_char,
        signature: *const c_char,
        reason: *const c_char,
        settings: *const c_char,
        note: *const c_char,
        since_version: i32,
        until_version: i32,
        resolved: i32,
        sku_count: i32,
    }
    struct adj_field {
        name: *const c_char,
        choices: *const c_char,
        about: *const c_char,
        kind: i32,
        offset: u32,
    }
    struct adj_argument {
        name: *const c_char,
        about: *const c_char,
        kind: i32,
        role: i32,
        presence: i32,
        host: i32,
        offset: u32,
        may_equal: u32,
    }
}

functions! {
    fn adj_abi_check(major: u32, minor: u32) -> adj_status;
    fn adj_abi_version(major: *mut u32, minor: *mut u32);
    fn adj_version() -> *const c_char;
    fn adj_status_name(status: adj_status) -> *const c_char;
    fn adj_last_error() -> *const c_char;
    fn adj_last_native_code() -> i64;
    fn adj_error_code(error: *const adj_error) -> adj_status;
    fn adj_error_message(error: *const adj_error) -> *const c_char;
    fn adj_error_log(error: *const adj_error) -> *const c_char;
    fn adj_error_options(error: *const adj_error) -> *const c_char;
    fn adj_error_native_code(error: *const adj_error) -> i64;
    fn adj_error_release(error: *mut adj_error);
    fn adj_error_rejection_count(error: *const adj_error) -> i64;
    fn adj_error_rejection(error: *const adj_error, i: i64, out: *mut adj_rejection) -> adj_status;
    fn adj_stream_host() -> adj_stream;
    fn adj_stream_wrap(cuda_stream: *mut c_void, out: *mut adj_stream) -> adj_status;
    fn adj_stream_offline(arch: *const c_char, out: *mut adj_stream) -> adj_status;
    fn adj_sku_count() -> i64;
    fn adj_sku_get(i: i64, out: *mut adj_sku_info) -> adj_status;
    fn adj_sku_find(id: *const c_char, out: *mut adj_sku_info) -> adj_status;
    fn adj_sku_guarantee(id: *const c_char, output: *const c_char, out: *mut adj_guarantee) -> adj_status;
    fn adj_sku_kernel(id: *const c_char, i: i64, arch: *const c_char, out: *mut adj_kernel_info, error: *mut *mut adj_error) -> adj_status;
    fn adj_plan_select(stream: *const adj_stream, descriptor: *const adj_header, preference: *const adj_preference, out: *mut *mut adj_plan, error: *mut *mut adj_error) -> adj_status;
    fn adj_plan_acquire(stream: *const adj_stream, descriptor: *const adj_header, preference: *const adj_preference, out: *mut *mut adj_plan, error: *mut *mut adj_error) -> adj_status;
    fn adj_plan_explain(stream: *const adj_stream, descriptor: *const adj_header, preference: *const adj_preference, report: *mut *mut adj_error) -> adj_status;
    fn adj_plan_can_implement(plan: *const adj_plan, args: *const adj_header) -> adj_status;
    fn adj_plan_workspace_size(plan: *const adj_plan) -> u64;
    fn adj_plan_run(plan: *const adj_plan, stream: *const adj_stream, workspace: *const adj_workspace, args: *const adj_header) -> adj_status;
    fn adj_plan_bind(plan: *const adj_plan, stream: *const adj_stream, workspace: *const adj_workspace, args: *const adj_header, out: *mut *mut adj_bound) -> adj_status;
    fn adj_bound_run(bound: *const adj_bound, stream: *const adj_stream) -> adj_status;
    fn adj_bound_release(bound: *mut adj_bound);
    fn adj_plan_sku(plan: *const adj_plan, out: *mut adj_sku_info) -> adj_status;
    fn adj_plan_guarantee(plan: *const adj_plan, output: *const c_char, out: *mut adj_guarantee) -> adj_status;
    fn adj_plan_get_info(plan: *const adj_plan, out: *mut adj_plan_info) -> adj_status;
    fn adj_plan_candidate_count(plan: *const adj_plan) -> i64;
    fn adj_plan_candidate(plan: *const adj_plan, i: i64, out: *mut adj_rejection) -> adj_status;
    fn adj_plan_retain(plan: *mut adj_plan) -> *mut adj_plan;
    fn adj_plan_release(plan: *mut adj_plan);
    fn adj_pack_build(path: *const c_char, options: *const adj_pack_options, error: *mut *mut adj_error) -> adj_status;
    fn adj_pack_load(path: *const c_char) -> adj_status;
    fn adj_cache_stat(out: *mut adj_cache_info) -> adj_status;
    fn adj_cache_verify(out: *mut adj_cache_info) -> adj_status;
    fn adj_cache_clear() -> adj_status;
    fn adj_library_count() -> i64;
    fn adj_library_get(i: i64, out: *mut adj_library_info) -> adj_status;
    fn adj_device_count() -> i64;
    fn adj_device_get(i: i64, out: *mut adj_device_info) -> adj_status;
    fn adj_registry_count() -> i64;
    fn adj_registry_get(i: i64, out: *mut adj_registry_row) -> adj_status;
    fn adj_registry_lookup(domain: *const c_char, op: *const c_char, opset: i32, types: *const c_char, out: *mut adj_registry_row) -> adj_status;
    fn adj_registry_sku(row: i64, i: i64, id: *mut *const c_char) -> adj_status;
    fn adj_op_count() -> i64;
    fn adj_op_name(op: adj_op) -> *const c_char;
    fn adj_op_family(op: adj_op) -> *const c_char;
    fn adj_op_find(name: *const c_char, out: *mut adj_op) -> adj_status;
    fn adj_op_descriptor_init(op: adj_op, descriptor: *mut c_void, size: u64) -> adj_status;
    fn adj_op_field_count(op: adj_op) -> i64;
    fn adj_op_field(op: adj_op, i: i64, out: *mut adj_field) -> adj_status;
    fn adj_op_argument_count(op: adj_op) -> i64;
    fn adj_op_argument(op: adj_op, i: i64, out: *mut adj_argument) -> adj_status;
    fn adj_dtype_name(dtype: adj_dtype) -> *const c_char;
    fn adj_dtype_find(name: *const c_char) -> adj_dtype;
    fn adj_comm_unique_id(id: *mut c_void, size: u64) -> adj_status;
    fn adj_comm_init(ranks: i32, rank: i32, id: *const c_void, size: u64, out: *mut *mut c_void) -> adj_status;
    fn adj_comm_init_all(count: i32, devices: *const i32, out: *mut *mut c_void) -> adj_status;
    fn adj_comm_destroy(comm: *mut c_void) -> adj_status;
    fn adj_host_comm_create(ranks: i32, out: *mut *mut c_void) -> adj_status;
    fn adj_host_comm_destroy(handle: *mut c_void) -> adj_status;
    fn adj_host_event_create(out: *mut *mut c_void) -> adj_status;
    fn adj_host_event_reset(event: *mut c_void) -> adj_status;
    fn adj_host_event_destroy(event: *mut c_void) -> adj_status;
    fn adj_set_log(fn_: adj_log_fn, user: *mut c_void);
}

defaults! {
    adj_preference ADJ_TAG_PREFERENCE { determinism: ADJ_DETERMINISM_DEFAULT, math: ADJ_MATH_DEFAULT, jit: ADJ_JIT_DEFAULT, backend: ADJ_BACKEND_ANY, workspace_limit: u64::MAX }
    adj_activation_forward_descriptor ADJ_TAG_ACTIVATION_FORWARD_DESCRIPTOR { outer: 1, inner: -1, leaky_slope: 0.01, quick_gelu_alpha: 1.702, elu_alpha: 1.0 }
    adj_activation_forward_args ADJ_TAG_ACTIVATION_FORWARD_ARGS {}
    adj_activation_backward_descriptor ADJ_TAG_ACTIVATION_BACKWARD_DESCRIPTOR { outer: 1, inner: -1, leaky_slope: 0.01, quick_gelu_alpha: 1.702, elu_alpha: 1.0 }
    adj_activation_backward_args ADJ_TAG_ACTIVATION_BACKWARD_ARGS {}
    adj_gated_activation_forward_descriptor ADJ_TAG_GATED_ACTIVATION_FORWARD_DESCRIPTOR { outer: 1, inner: -1 }
    adj_gated_activation_forward_args ADJ_TAG_GATED_ACTIVATION_FORWARD_ARGS {}
    adj_gated_activation_backward_descriptor ADJ_TAG_GATED_ACTIVATION_BACKWARD_DESCRIPTOR { outer: 1, inner: -1 }
    adj_gated_activation_backward_args ADJ_TAG_GATED_ACTIVATION_BACKWARD_ARGS {}
    adj_batch_norm_forward_descriptor ADJ_TAG_BATCH_NORM_FORWARD_DESCRIPTOR { outer: -1, channels: -1, inner: 1, epsilon: 1e-5, momentum: 0.9, training: 1 }
    adj_batch_norm_forward_args ADJ_TAG_BATCH_NORM_FORWARD_ARGS {}
    adj_batch_norm_backward_descriptor ADJ_TAG_BATCH_NORM_BACKWARD_DESCRIPTOR { outer: -1, channels: -1, inner: 1, epsilon: 1e-5 }
    adj_batch_norm_backward_args ADJ_TAG_BATCH_NORM_BACKWARD_ARGS {}
    adj_all_reduce_descriptor ADJ_TAG_ALL_REDUCE_DESCRIPTOR {}
    adj_all_reduce_args ADJ_TAG_ALL_REDUCE_ARGS {}
    adj_all_gather_descriptor ADJ_TAG_ALL_GATHER_DESCRIPTOR { ranks: -1 }
    adj_all_gather_args ADJ_TAG_ALL_GATHER_ARGS {}
    adj_reduce_scatter_descriptor ADJ_TAG_REDUCE_SCATTER_DESCRIPTOR { ranks: -1 }
    adj_reduce_scatter_args ADJ_TAG_REDUCE_SCATTER_ARGS {}
    adj_send_descriptor ADJ_TAG_SEND_DESCRIPTOR { peer: -1 }
    adj_send_args ADJ_TAG_SEND_ARGS {}
    adj_recv_descriptor ADJ_TAG_RECV_DESCRIPTOR { peer: -1 }
    adj_recv_args ADJ_TAG_RECV_ARGS {}
    adj_broadcast_descriptor ADJ_TAG_BROADCAST_DESCRIPTOR {}
    adj_broadcast_args ADJ_TAG_BROADCAST_ARGS {}
    adj_adasum_all_reduce_descriptor ADJ_TAG_ADASUM_ALL_REDUCE_DESCRIPTOR { ranks: -1 }
    adj_adasum_all_reduce_args ADJ_TAG_ADASUM_ALL_REDUCE_ARGS {}
    adj_megatron_f_descriptor ADJ_TAG_MEGATRON_F_DESCRIPTOR { numel: -1 }
    adj_megatron_f_args ADJ_TAG_MEGATRON_F_ARGS {}
    adj_megatron_g_descriptor ADJ_TAG_MEGATRON_G_DESCRIPTOR { numel: -1 }
    adj_megatron_g_args ADJ_TAG_MEGATRON_G_ARGS {}
    adj_concat_descriptor ADJ_TAG_CONCAT_DESCRIPTOR { outer: 1, inner: 1 }
    adj_concat_args ADJ_TAG_CONCAT_ARGS {}
    adj_split_descriptor ADJ_TAG_SPLIT_DESCRIPTOR { outer: 1, inner: 1 }
    adj_split_args ADJ_TAG_SPLIT_ARGS {}
    adj_group_descriptor ADJ_TAG_GROUP_DESCRIPTOR {}
    adj_group_args ADJ_TAG_GROUP_ARGS {}
    adj_record_event_descriptor ADJ_TAG_RECORD_EVENT_DESCRIPTOR {}
    adj_record_event_args ADJ_TAG_RECORD_EVENT_ARGS {}
    adj_wait_event_descriptor ADJ_TAG_WAIT_EVENT_DESCRIPTOR {}
    adj_wait_event_args ADJ_TAG_WAIT_EVENT_ARGS {}
    adj_yield_descriptor ADJ_TAG_YIELD_DESCRIPTOR {}
    adj_yield_args ADJ_TAG_YIELD_ARGS {}
    adj_callback_call ADJ_TAG_CALLBACK_CALL {}
    adj_user_kernel_descriptor ADJ_TAG_USER_KERNEL_DESCRIPTOR { code_bytes: -1, code_kind: ADJ_CODE_SOURCE }
    adj_user_kernel_args ADJ_TAG_USER_KERNEL_ARGS {}
    adj_callback_descriptor ADJ_TAG_CALLBACK_DESCRIPTOR {}
    adj_callback_args ADJ_TAG_CALLBACK_ARGS {}
    adj_conv_forward_descriptor ADJ_TAG_CONV_FORWARD_DESCRIPTOR { groups: 1 }
    adj_conv_forward_args ADJ_TAG_CONV_FORWARD_ARGS {}
    adj_conv_backward_descriptor ADJ_TAG_CONV_BACKWARD_DESCRIPTOR { groups: 1, has_dinput: 1, has_dweight: 1 }
    adj_conv_backward_args ADJ_TAG_CONV_BACKWARD_ARGS {}
    adj_conv_transpose_forward_descriptor ADJ_TAG_CONV_TRANSPOSE_FORWARD_DESCRIPTOR { groups: 1 }
    adj_conv_transpose_forward_args ADJ_TAG_CONV_TRANSPOSE_FORWARD_ARGS {}
    adj_conv_transpose_backward_descriptor ADJ_TAG_CONV_TRANSPOSE_BACKWARD_DESCRIPTOR { groups: 1, has_dinput: 1, has_dweight: 1 }
    adj_conv_transpose_backward_args ADJ_TAG_CONV_TRANSPOSE_BACKWARD_ARGS {}
    adj_dropout_forward_descriptor ADJ_TAG_DROPOUT_FORWARD_DESCRIPTOR { numel: -1, training: 1 }
    adj_dropout_forward_args ADJ_TAG_DROPOUT_FORWARD_ARGS { ratio: adj_scalar { value: -1.0, ..adj_scalar::default() } }
    adj_dropout_backward_descriptor ADJ_TAG_DROPOUT_BACKWARD_DESCRIPTOR { numel: -1, training: 1 }
    adj_dropout_backward_args ADJ_TAG_DROPOUT_BACKWARD_ARGS { ratio: adj_scalar { value: -1.0, ..adj_scalar::default() } }
    adj_bias_softmax_dropout_forward_descriptor ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_DESCRIPTOR { rows: -1, columns: -1 }
    adj_bias_softmax_dropout_forward_args ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_ARGS { ratio: adj_scalar { value: -1.0, ..adj_scalar::default() } }
    adj_softmax_dropout_backward_descriptor ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_DESCRIPTOR { rows: -1, columns: -1 }
    adj_softmax_dropout_backward_args ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_ARGS { ratio: adj_scalar { value: -1.0, ..adj_scalar::default() } }
    adj_div_backward_descriptor ADJ_TAG_DIV_BACKWARD_DESCRIPTOR {}
    adj_div_backward_args ADJ_TAG_DIV_BACKWARD_ARGS {}
    adj_embedding_forward_descriptor ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR { num_embeddings: -1, embedding_dim: -1, num_indices: -1 }
    adj_embedding_forward_args ADJ_TAG_EMBEDDING_FORWARD_ARGS {}
    adj_embedding_backward_descriptor ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR { num_embeddings: -1, embedding_dim: -1, num_indices: -1 }
    adj_embedding_backward_args ADJ_TAG_EMBEDDING_BACKWARD_ARGS {}
    adj_gather_grad_descriptor ADJ_TAG_GATHER_GRAD_DESCRIPTOR { outer: 1, extent: -1, inner: 1, num_indices: -1 }
    adj_gather_grad_args ADJ_TAG_GATHER_GRAD_ARGS {}
    adj_index_plan_descriptor ADJ_TAG_INDEX_PLAN_DESCRIPTOR { num_embeddings: -1, num_indices: -1 }
    adj_index_plan_args ADJ_TAG_INDEX_PLAN_ARGS {}
    adj_embedding_bag_forward_descriptor ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR { num_embeddings: -1, embedding_dim: -1, num_indices: -1, num_bags: -1 }
    adj_embedding_bag_forward_args ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS {}
    adj_embedding_bag_backward_descriptor ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR { num_embeddings: -1, embedding_dim: -1, num_indices: -1, num_bags: -1 }
    adj_embedding_bag_backward_args ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS {}
    adj_embedding_bag_per_sample_weights_backward_descriptor ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR { num_embeddings: -1, embedding_dim: -1, num_indices: -1, num_bags: -1 }
    adj_embedding_bag_per_sample_weights_backward_args ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS {}
    adj_gist_encode_descriptor ADJ_TAG_GIST_ENCODE_DESCRIPTOR { outer: 1, inner: -1 }
    adj_gist_encode_args ADJ_TAG_GIST_ENCODE_ARGS {}
    adj_gist_decode_descriptor ADJ_TAG_GIST_DECODE_DESCRIPTOR { outer: 1, inner: -1 }
    adj_gist_decode_args ADJ_TAG_GIST_DECODE_ARGS {}
    adj_gather_nd_grad_descriptor ADJ_TAG_GATHER_ND_GRAD_DESCRIPTOR {}
    adj_gather_nd_grad_args ADJ_TAG_GATHER_ND_GRAD_ARGS {}
    adj_gather_elements_grad_descriptor ADJ_TAG_GATHER_ELEMENTS_GRAD_DESCRIPTOR {}
    adj_gather_elements_grad_args ADJ_TAG_GATHER_ELEMENTS_GRAD_ARGS {}
    adj_index_add_descriptor ADJ_TAG_INDEX_ADD_DESCRIPTOR { num_indices: -1 }
    adj_index_add_args ADJ_TAG_INDEX_ADD_ARGS {}
    adj_slice_grad_descriptor ADJ_TAG_SLICE_GRAD_DESCRIPTOR {}
    adj_slice_grad_args ADJ_TAG_SLICE_GRAD_ARGS {}
    adj_pad_and_unflatten_descriptor ADJ_TAG_PAD_AND_UNFLATTEN_DESCRIPTOR { num_indices: -1, batch: -1, length: -1, inner: 1 }
    adj_pad_and_unflatten_args ADJ_TAG_PAD_AND_UNFLATTEN_ARGS {}
    adj_flatten_and_unpad_descriptor ADJ_TAG_FLATTEN_AND_UNPAD_DESCRIPTOR { num_indices: -1, batch: -1, length: -1, inner: 1 }
    adj_flatten_and_unpad_args ADJ_TAG_FLATTEN_AND_UNPAD_ARGS {}
    adj_softmax_cross_entropy_loss_descriptor ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR { batch: -1, num_classes: -1, inner: 1 }
    adj_softmax_cross_entropy_loss_args ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS {}
    adj_softmax_cross_entropy_loss_backward_descriptor ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR { batch: -1, num_classes: -1, inner: 1 }
    adj_softmax_cross_entropy_loss_backward_args ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS {}
    adj_soft_label_cross_entropy_loss_descriptor ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_DESCRIPTOR { rows: -1, num_classes: -1 }
    adj_soft_label_cross_entropy_loss_args ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_ARGS {}
    adj_soft_label_cross_entropy_loss_backward_descriptor ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR { rows: -1, num_classes: -1 }
    adj_soft_label_cross_entropy_loss_backward_args ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_ARGS {}
    adj_cross_entropy_with_gradient_descriptor ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_DESCRIPTOR { samples: -1, num_classes: -1 }
    adj_cross_entropy_with_gradient_args ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_ARGS { dloss: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_log_prob_entropy_descriptor ADJ_TAG_LOG_PROB_ENTROPY_DESCRIPTOR { samples: -1, num_classes: -1 }
    adj_log_prob_entropy_args ADJ_TAG_LOG_PROB_ENTROPY_ARGS {}
    adj_log_prob_entropy_backward_descriptor ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_DESCRIPTOR { samples: -1, num_classes: -1 }
    adj_log_prob_entropy_backward_args ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_ARGS {}
    adj_layer_norm_backward_descriptor ADJ_TAG_LAYER_NORM_BACKWARD_DESCRIPTOR { axis: -1, has_dgamma: 1, has_dbeta: 1 }
    adj_layer_norm_backward_args ADJ_TAG_LAYER_NORM_BACKWARD_ARGS {}
    adj_rms_norm_backward_descriptor ADJ_TAG_RMS_NORM_BACKWARD_DESCRIPTOR { axis: -1, has_dgamma: 1 }
    adj_rms_norm_backward_args ADJ_TAG_RMS_NORM_BACKWARD_ARGS {}
    adj_layer_norm_forward_descriptor ADJ_TAG_LAYER_NORM_FORWARD_DESCRIPTOR { epsilon: 1e-5, axis: -1 }
    adj_layer_norm_forward_args ADJ_TAG_LAYER_NORM_FORWARD_ARGS {}
    adj_rms_norm_forward_descriptor ADJ_TAG_RMS_NORM_FORWARD_DESCRIPTOR { epsilon: 1e-5, axis: -1 }
    adj_rms_norm_forward_args ADJ_TAG_RMS_NORM_FORWARD_ARGS {}
    adj_adamw_descriptor ADJ_TAG_ADAMW_DESCRIPTOR { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 1e-2 }
    adj_adamw_args ADJ_TAG_ADAMW_ARGS { lr: adj_scalar { value: f64::NAN, ..adj_scalar::default() }, grad_scale: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_adam_descriptor ADJ_TAG_ADAM_DESCRIPTOR { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, max_norm: 1.0 }
    adj_adam_args ADJ_TAG_ADAM_ARGS { lr: adj_scalar { value: f64::NAN, ..adj_scalar::default() }, grad_scale: adj_scalar { value: 1.0, ..adj_scalar::default() }, update_signal: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_lamb_descriptor ADJ_TAG_LAMB_DESCRIPTOR { beta1: 0.9, beta2: 0.999, epsilon: 1e-6, max_norm: 1.0, ratio_max: 1e308 }
    adj_lamb_args ADJ_TAG_LAMB_ARGS { lr: adj_scalar { value: f64::NAN, ..adj_scalar::default() }, grad_scale: adj_scalar { value: 1.0, ..adj_scalar::default() }, update_signal: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_lion_descriptor ADJ_TAG_LION_DESCRIPTOR { beta1: 0.9, beta2: 0.99, max_norm: 1.0 }
    adj_lion_args ADJ_TAG_LION_ARGS { lr: adj_scalar { value: f64::NAN, ..adj_scalar::default() }, grad_scale: adj_scalar { value: 1.0, ..adj_scalar::default() }, update_signal: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_adamw_8bit_descriptor ADJ_TAG_ADAMW_8BIT_DESCRIPTOR { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 1e-2, max_norm: 1.0 }
    adj_adamw_8bit_args ADJ_TAG_ADAMW_8BIT_ARGS { lr: adj_scalar { value: f64::NAN, ..adj_scalar::default() }, grad_scale: adj_scalar { value: 1.0, ..adj_scalar::default() }, update_signal: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_clip_grad_norm_descriptor ADJ_TAG_CLIP_GRAD_NORM_DESCRIPTOR { max_norm: 1.0, epsilon: 1e-6 }
    adj_clip_grad_norm_args ADJ_TAG_CLIP_GRAD_NORM_ARGS { grad_scale: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_sgd_descriptor ADJ_TAG_SGD_DESCRIPTOR { max_norm: 1.0 }
    adj_sgd_args ADJ_TAG_SGD_ARGS { lr: adj_scalar { value: f64::NAN, ..adj_scalar::default() }, grad_scale: adj_scalar { value: 1.0, ..adj_scalar::default() }, update_signal: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_is_finite_descriptor ADJ_TAG_IS_FINITE_DESCRIPTOR {}
    adj_is_finite_args ADJ_TAG_IS_FINITE_ARGS {}
    adj_all_finite_descriptor ADJ_TAG_ALL_FINITE_DESCRIPTOR {}
    adj_all_finite_args ADJ_TAG_ALL_FINITE_ARGS {}
    adj_all_descriptor ADJ_TAG_ALL_DESCRIPTOR {}
    adj_all_args ADJ_TAG_ALL_ARGS {}
    adj_scale_descriptor ADJ_TAG_SCALE_DESCRIPTOR { outputs: 1 }
    adj_scale_args ADJ_TAG_SCALE_ARGS { scale: adj_scalar { value: 1.0, ..adj_scalar::default() }, scale_1: adj_scalar { value: 1.0, ..adj_scalar::default() }, scale_2: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_zero_descriptor ADJ_TAG_ZERO_DESCRIPTOR {}
    adj_zero_args ADJ_TAG_ZERO_ARGS {}
    adj_accumulate_descriptor ADJ_TAG_ACCUMULATE_DESCRIPTOR {}
    adj_accumulate_args ADJ_TAG_ACCUMULATE_ARGS { update: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_scaled_sum_descriptor ADJ_TAG_SCALED_SUM_DESCRIPTOR { inputs: 2 }
    adj_scaled_sum_args ADJ_TAG_SCALED_SUM_ARGS { scale_0: adj_scalar { value: 1.0, ..adj_scalar::default() }, scale_1: adj_scalar { value: 1.0, ..adj_scalar::default() }, scale_2: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_update_loss_scale_descriptor ADJ_TAG_UPDATE_LOSS_SCALE_DESCRIPTOR { growth_factor: 2.0, backoff_factor: 0.5, max_scale: 1e308, growth_interval: 2000 }
    adj_update_loss_scale_args ADJ_TAG_UPDATE_LOSS_SCALE_ARGS {}
    adj_fake_quantize_forward_descriptor ADJ_TAG_FAKE_QUANTIZE_FORWARD_DESCRIPTOR { outer: 1, channels: 1, inner: -1, quant_max: 255 }
    adj_fake_quantize_forward_args ADJ_TAG_FAKE_QUANTIZE_FORWARD_ARGS {}
    adj_fake_quantize_backward_descriptor ADJ_TAG_FAKE_QUANTIZE_BACKWARD_DESCRIPTOR { numel: -1 }
    adj_fake_quantize_backward_args ADJ_TAG_FAKE_QUANTIZE_BACKWARD_ARGS {}
    adj_reduce_descriptor ADJ_TAG_REDUCE_DESCRIPTOR { keepdims: 1, segments: -1 }
    adj_reduce_args ADJ_TAG_REDUCE_ARGS {}
    adj_l2_norm_descriptor ADJ_TAG_L2_NORM_DESCRIPTOR {}
    adj_l2_norm_args ADJ_TAG_L2_NORM_ARGS {}
    adj_resize_forward_descriptor ADJ_TAG_RESIZE_FORWARD_DESCRIPTOR {}
    adj_resize_forward_args ADJ_TAG_RESIZE_FORWARD_ARGS {}
    adj_resize_backward_descriptor ADJ_TAG_RESIZE_BACKWARD_DESCRIPTOR {}
    adj_resize_backward_args ADJ_TAG_RESIZE_BACKWARD_ARGS {}
    adj_view_descriptor ADJ_TAG_VIEW_DESCRIPTOR { total: -1 }
    adj_view_args ADJ_TAG_VIEW_ARGS {}
    adj_copy_descriptor ADJ_TAG_COPY_DESCRIPTOR {}
    adj_copy_args ADJ_TAG_COPY_ARGS {}
    adj_softmax_backward_descriptor ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR { outer: 1, extent: -1, inner: 1 }
    adj_softmax_backward_args ADJ_TAG_SOFTMAX_BACKWARD_ARGS {}
    adj_log_softmax_backward_descriptor ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR { outer: 1, extent: -1, inner: 1 }
    adj_log_softmax_backward_args ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS {}
    adj_softmax_forward_descriptor ADJ_TAG_SOFTMAX_FORWARD_DESCRIPTOR { outer: 1, extent: -1, inner: 1 }
    adj_softmax_forward_args ADJ_TAG_SOFTMAX_FORWARD_ARGS {}
    adj_log_softmax_forward_descriptor ADJ_TAG_LOG_SOFTMAX_FORWARD_DESCRIPTOR { outer: 1, extent: -1, inner: 1 }
    adj_log_softmax_forward_args ADJ_TAG_LOG_SOFTMAX_FORWARD_ARGS {}
    adj_rejection ADJ_TAG_REJECTION {}
    adj_sku_info ADJ_TAG_SKU_INFO {}
    adj_kernel_info ADJ_TAG_KERNEL_INFO {}
    adj_plan_info ADJ_TAG_PLAN_INFO {}
    adj_pack_options ADJ_TAG_PACK_OPTIONS {}
    adj_cache_info ADJ_TAG_CACHE_INFO {}
    adj_library_info ADJ_TAG_LIBRARY_INFO {}
    adj_device_info ADJ_TAG_DEVICE_INFO {}
    adj_registry_row ADJ_TAG_REGISTRY_ROW {}
}
zero_defaults! { adj_tensor adj_tensor_list adj_scalar adj_random adj_shape adj_axes adj_workspace adj_guarantee adj_field adj_argument }
