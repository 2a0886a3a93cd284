// Written by tools/generate.py from the C headers. Do not edit.
use super::*;

/// Version of the interface; a library of another major is refused.
pub const ADJ_ABI_MAJOR: u32 = 1;
/// Version of the interface; a library of an earlier minor is refused.
pub const ADJ_ABI_MINOR: u32 = 0;

/// The enumeration adj_tag of the C interface.
pub type adj_tag = i32;
/// The function type adj_callback_function of the C interface.
pub type adj_callback_function = Option<unsafe extern "C" fn(*const adj_callback_call) -> i32>;
/// The function type adj_callback_destroy of the C interface.
pub type adj_callback_destroy = Option<unsafe extern "C" fn(*mut c_void)>;
/// The function type adj_progress of the C interface.
pub type adj_progress = Option<unsafe extern "C" fn(*mut c_void, i64, i64, *const c_char, f64) -> i32>;
/// The function type adj_log_fn of the C interface.
pub type adj_log_fn = Option<unsafe extern "C" fn(*mut c_void, i32, *const c_char)>;

pub use crate::values::{ Status as adj_status, Dtype as adj_dtype, Determinism as adj_determinism, Math as adj_math,
    Backend as adj_backend, JitPolicy as adj_jit_policy, StreamKind as adj_stream_kind, Reduction as adj_reduction,
    WriteMode as adj_write_mode, ScaleGranularity as adj_scale_granularity, ScaleLayout as adj_scale_layout,
    FieldKind as adj_field_kind, ArgumentKind as adj_argument_kind, Role as adj_role, Presence as adj_presence, Operator as adj_op,
    Activation as adj_activation, ActivationSaved as adj_activation_saved, GatedActivation as adj_gated_activation,
    GatedLayout as adj_gated_layout, CollectiveReduction as adj_collective_reduction, ShardLayout as adj_shard_layout,
    CodeKind as adj_code_kind, DropoutMask as adj_dropout_mask, DropoutMapping as adj_dropout_mapping,
    IndexPositions as adj_index_positions, BagMode as adj_bag_mode, ScaleRule as adj_scale_rule, ScaleSource as adj_scale_source,
    AmaxAlgorithm as adj_amax_algorithm, GistFormat as adj_gist_format, MatmulEpilogue as adj_matmul_epilogue,
    MoeScore as adj_moe_score, AdamDecay as adj_adam_decay, FiniteTest as adj_finite_test, ReduceKind as adj_reduce_kind,
    ResizeMode as adj_resize_mode, ResizeCoordinates as adj_resize_coordinates, ResizeRounding as adj_resize_rounding};

opaque! { adj_error adj_plan adj_bound }

constants! {
    /// ADJ_OK of adjoint.h.
    ADJ_OK: adj_status = 0,
    /// a null pointer, an unknown enumerator, an unknown chained structure
    ADJ_ERROR_INVALID_ARGUMENT: adj_status = 1,
    /// struct_size too small, or a longer structure with a non-zero unknown tail
    ADJ_ERROR_STRUCT_SIZE: adj_status = 2,
    /// the descriptor contradicts itself or the operator's definition
    ADJ_ERROR_INVALID_PROBLEM: adj_status = 3,
    /// valid, but no kernel for it; the rejections say why
    ADJ_ERROR_UNSUPPORTED: adj_status = 4,
    /// a buffer's element type differs from the descriptor's
    ADJ_ERROR_DTYPE_MISMATCH: adj_status = 5,
    /// a buffer's rank, shape, strides or list length differs from the descriptor's
    ADJ_ERROR_SHAPE_MISMATCH: adj_status = 6,
    /// a required buffer is null
    ADJ_ERROR_NULL_BUFFER: adj_status = 7,
    /// byte capacity below what the descriptor needs
    ADJ_ERROR_BUFFER_TOO_SMALL: adj_status = 8,
    /// base address not a multiple of the required alignment
    ADJ_ERROR_MISALIGNED: adj_status = 9,
    /// two buffers overlap where the operator does not allow it
    ADJ_ERROR_ALIASING: adj_status = 10,
    /// ADJ_ERROR_WORKSPACE_TOO_SMALL of adjoint.h.
    ADJ_ERROR_WORKSPACE_TOO_SMALL: adj_status = 11,
    /// stream of another device, or of another kind, than the plan's
    ADJ_ERROR_STREAM_MISMATCH: adj_status = 12,
    /// libcuda, NVRTC, a device, or the library that a kernel calls is missing
    ADJ_ERROR_BACKEND_UNAVAILABLE: adj_status = 13,
    /// ADJ_ERROR_DRIVER_TOO_OLD of adjoint.h.
    ADJ_ERROR_DRIVER_TOO_OLD: adj_status = 14,
    /// NVRTC rejected the program; the error object has the log
    ADJ_ERROR_COMPILE_FAILED: adj_status = 15,
    /// a call of the driver, of cuDNN, of cuBLASLt or of NCCL failed; the error object has its code
    ADJ_ERROR_CUDA: adj_status = 16,
    /// no such SKU, operator or registry row
    ADJ_ERROR_NOT_FOUND: adj_status = 17,
    /// a file could not be read or written
    ADJ_ERROR_IO: adj_status = 18,
    /// a pack or cache file fails its checksum or its format
    ADJ_ERROR_CORRUPT: adj_status = 19,
    /// ADJ_ERROR_OUT_OF_MEMORY of adjoint.h.
    ADJ_ERROR_OUT_OF_MEMORY: adj_status = 20,
    /// ADJ_ERROR_INTERNAL of adjoint.h.
    ADJ_ERROR_INTERNAL: adj_status = 21,
    /// the call is not allowed while the stream is being captured
    ADJ_ERROR_CAPTURING: adj_status = 22,
    /// a scalar passed by value is outside its domain
    ADJ_ERROR_INVALID_VALUE: adj_status = 23,
    /// ADJ_DTYPE_NONE of adjoint.h.
    ADJ_DTYPE_NONE: adj_dtype = 0,
    /// ADJ_F32 of adjoint.h.
    ADJ_F32: adj_dtype = 1,
    /// ADJ_U8 of adjoint.h.
    ADJ_U8: adj_dtype = 2,
    /// ADJ_I8 of adjoint.h.
    ADJ_I8: adj_dtype = 3,
    /// ADJ_U16 of adjoint.h.
    ADJ_U16: adj_dtype = 4,
    /// ADJ_I16 of adjoint.h.
    ADJ_I16: adj_dtype = 5,
    /// ADJ_I32 of adjoint.h.
    ADJ_I32: adj_dtype = 6,
    /// ADJ_I64 of adjoint.h.
    ADJ_I64: adj_dtype = 7,
    /// ADJ_BOOL of adjoint.h.
    ADJ_BOOL: adj_dtype = 9,
    /// ADJ_F16 of adjoint.h.
    ADJ_F16: adj_dtype = 10,
    /// ADJ_F64 of adjoint.h.
    ADJ_F64: adj_dtype = 11,
    /// ADJ_U32 of adjoint.h.
    ADJ_U32: adj_dtype = 12,
    /// ADJ_U64 of adjoint.h.
    ADJ_U64: adj_dtype = 13,
    /// ADJ_BF16 of adjoint.h.
    ADJ_BF16: adj_dtype = 16,
    /// FLOAT8E4M3FN: 4 bits of exponent, 3 of mantissa, up to 448; no infinities, NaN is 0x7f and 0xff
    ADJ_F8_E4M3: adj_dtype = 17,
    /// FLOAT8E5M2: 5 bits of exponent, 2 of mantissa, up to 57344; infinities and NaN as in IEEE formats
    ADJ_F8_E5M2: adj_dtype = 19,
    /// FLOAT8E8M0, an exponent alone. Reserved: refused, since no kernel here multiplies blocks of 32 that it scales
    ADJ_F8_E8M0: adj_dtype = 24,
    /// as a requirement: ADJ_RUN_TO_RUN
    ADJ_DETERMINISM_DEFAULT: adj_determinism = 0,
    /// bits may change between runs
    ADJ_NONDETERMINISTIC: adj_determinism = 1,
    /// same bits on the same device model, whatever the stream, capture or neighbours
    ADJ_RUN_TO_RUN: adj_determinism = 2,
    /// every reduction is split by shape and element type alone
    ADJ_SHAPE_ONLY: adj_determinism = 3,
    /// a row's result does not depend on the number of rows either
    ADJ_BATCH_INVARIANT: adj_determinism = 4,
    /// as a requirement: ADJ_MATH_FAST is allowed where the stated bound includes it
    ADJ_MATH_DEFAULT: adj_math = 0,
    /// correctly rounded division and square root; library-accurate transcendentals
    ADJ_MATH_IEEE: adj_math = 1,
    /// transcendental functions use hardware approximations, inside the stated bound; subnormal numbers may be flushed to zero. As a requirement also: the f32 operands of products may be rounded to TF32
    ADJ_MATH_FAST: adj_math = 2,
    /// ADJ_BACKEND_ANY of adjoint.h.
    ADJ_BACKEND_ANY: adj_backend = 0,
    /// ADJ_BACKEND_BESPOKE of adjoint.h.
    ADJ_BACKEND_BESPOKE: adj_backend = 1,
    /// ADJ_BACKEND_HOST of adjoint.h.
    ADJ_BACKEND_HOST: adj_backend = 2,
    /// ADJ_BACKEND_CUDNN of adjoint.h.
    ADJ_BACKEND_CUDNN: adj_backend = 3,
    /// ADJ_BACKEND_NCCL of adjoint.h.
    ADJ_BACKEND_NCCL: adj_backend = 4,
    /// ADJ_BACKEND_CUBLASLT of adjoint.h.
    ADJ_BACKEND_CUBLASLT: adj_backend = 5,
    /// packs, memory, disk cache, then NVRTC
    ADJ_JIT_DEFAULT: adj_jit_policy = 0,
    /// as default, without NVRTC
    ADJ_JIT_CACHED_ONLY: adj_jit_policy = 1,
    /// packs and memory only
    ADJ_JIT_PACKS_ONLY: adj_jit_policy = 2,
    /// ADJ_STREAM_NONE of adjoint.h.
    ADJ_STREAM_NONE: adj_stream_kind = 0,
    /// ADJ_STREAM_HOST of adjoint.h.
    ADJ_STREAM_HOST: adj_stream_kind = 1,
    /// ADJ_STREAM_CUDA of adjoint.h.
    ADJ_STREAM_CUDA: adj_stream_kind = 2,
    /// ADJ_STREAM_OFFLINE of adjoint.h.
    ADJ_STREAM_OFFLINE: adj_stream_kind = 3,
    /// mean
    ADJ_REDUCTION_DEFAULT: adj_reduction = 0,
    /// ADJ_REDUCTION_NONE of adjoint.h.
    ADJ_REDUCTION_NONE: adj_reduction = 1,
    /// ADJ_REDUCTION_SUM of adjoint.h.
    ADJ_REDUCTION_SUM: adj_reduction = 2,
    /// ADJ_REDUCTION_MEAN of adjoint.h.
    ADJ_REDUCTION_MEAN: adj_reduction = 3,
    /// overwrite
    ADJ_WRITE_DEFAULT: adj_write_mode = 0,
    /// every element of the output is written, untouched ones with zero
    ADJ_WRITE_OVERWRITE: adj_write_mode = 1,
    /// the result is added to the contents of the output
    ADJ_WRITE_ACCUMULATE: adj_write_mode = 2,
    /// tensor
    ADJ_SCALE_GRANULARITY_DEFAULT: adj_scale_granularity = 0,
    /// all of them
    ADJ_SCALE_GRANULARITY_TENSOR: adj_scale_granularity = 1,
    /// those of a row
    ADJ_SCALE_GRANULARITY_ROW: adj_scale_granularity = 2,
    /// 128 neighbours of a row; fewer at its end
    ADJ_SCALE_GRANULARITY_BLOCK_1X128: adj_scale_granularity = 3,
    /// a square of 128 rows and 128 columns; less at the edges
    ADJ_SCALE_GRANULARITY_BLOCK_128X128: adj_scale_granularity = 4,
    /// natural
    ADJ_SCALE_LAYOUT_DEFAULT: adj_scale_layout = 0,
    /// block_1x128: \[rows, C\], block_128x128: \[R, C\]
    ADJ_SCALE_LAYOUT_NATURAL: adj_scale_layout = 1,
    /// block_1x128: \[C, rows rounded up to 4\], block_128x128: \[R, C rounded up to 4\], as products read them; padding is 0
    ADJ_SCALE_LAYOUT_GEMM: adj_scale_layout = 2,
    /// ADJ_TAG_NONE of adjoint.h.
    ADJ_TAG_NONE: i32 = 0,
    /// ADJ_TAG_PREFERENCE of adjoint.h.
    ADJ_TAG_PREFERENCE: i32 = 1,
    /// ADJ_TAG_SKU_INFO of adjoint.h.
    ADJ_TAG_SKU_INFO: i32 = 2,
    /// ADJ_TAG_PLAN_INFO of adjoint.h.
    ADJ_TAG_PLAN_INFO: i32 = 3,
    /// ADJ_TAG_PACK_OPTIONS of adjoint.h.
    ADJ_TAG_PACK_OPTIONS: i32 = 4,
    /// ADJ_TAG_REGISTRY_ROW of adjoint.h.
    ADJ_TAG_REGISTRY_ROW: i32 = 5,
    /// ADJ_TAG_CACHE_INFO of adjoint.h.
    ADJ_TAG_CACHE_INFO: i32 = 6,
    /// ADJ_TAG_LIBRARY_INFO of adjoint.h.
    ADJ_TAG_LIBRARY_INFO: i32 = 7,
    /// ADJ_TAG_DEVICE_INFO of adjoint.h.
    ADJ_TAG_DEVICE_INFO: i32 = 8,
    /// ADJ_TAG_REJECTION of adjoint.h.
    ADJ_TAG_REJECTION: i32 = 9,
    /// ADJ_TAG_KERNEL_INFO of adjoint.h.
    ADJ_TAG_KERNEL_INFO: i32 = 10,
    /// ADJ_TAG_CALLBACK_CALL of adjoint.h.
    ADJ_TAG_CALLBACK_CALL: i32 = 11,
    /// ADJ_TAG_REQUIREMENT of adjoint.h.
    ADJ_TAG_REQUIREMENT: i32 = 12,
    /// ADJ_TAG_FIELD_LIMITS of adjoint.h.
    ADJ_TAG_FIELD_LIMITS: i32 = 13,
    /// ADJ_OP_NONE of adjoint.h.
    ADJ_OP_NONE: adj_op = 0,
    /// Id of the operator activation_backward.
    ADJ_OP_ACTIVATION_BACKWARD: adj_op = 16,
    /// Tag of adj_activation_backward_descriptor.
    ADJ_TAG_ACTIVATION_BACKWARD_DESCRIPTOR: i32 = 65552,
    /// Tag of adj_activation_backward_args.
    ADJ_TAG_ACTIVATION_BACKWARD_ARGS: i32 = 131088,
    /// Id of the operator activation_forward.
    ADJ_OP_ACTIVATION_FORWARD: adj_op = 17,
    /// Tag of adj_activation_forward_descriptor.
    ADJ_TAG_ACTIVATION_FORWARD_DESCRIPTOR: i32 = 65553,
    /// Tag of adj_activation_forward_args.
    ADJ_TAG_ACTIVATION_FORWARD_ARGS: i32 = 131089,
    /// Id of the operator gated_activation_backward.
    ADJ_OP_GATED_ACTIVATION_BACKWARD: adj_op = 18,
    /// Tag of adj_gated_activation_backward_descriptor.
    ADJ_TAG_GATED_ACTIVATION_BACKWARD_DESCRIPTOR: i32 = 65554,
    /// Tag of adj_gated_activation_backward_args.
    ADJ_TAG_GATED_ACTIVATION_BACKWARD_ARGS: i32 = 131090,
    /// Id of the operator gated_activation_forward.
    ADJ_OP_GATED_ACTIVATION_FORWARD: adj_op = 19,
    /// Tag of adj_gated_activation_forward_descriptor.
    ADJ_TAG_GATED_ACTIVATION_FORWARD_DESCRIPTOR: i32 = 65555,
    /// Tag of adj_gated_activation_forward_args.
    ADJ_TAG_GATED_ACTIVATION_FORWARD_ARGS: i32 = 131091,
    /// not given: refused
    ADJ_ACTIVATION_NONE: adj_activation = 0,
    /// max(z, 0); dinput = z \> 0 ? dout : 0, so 0 where z is NaN
    ADJ_ACTIVATION_RELU: adj_activation = 1,
    /// z \> 0 ? z : leaky_slope \* z
    ADJ_ACTIVATION_LEAKY_RELU: adj_activation = 2,
    /// z \* Phi(z), Phi the normal distribution function; slope Phi(z) + z \* exp(-z^2 / 2) / sqrt(2 pi)
    ADJ_ACTIVATION_GELU: adj_activation = 3,
    /// z \* sigma(v), v = sqrt(8 / pi) \* (z + 0.044715 z^3), which is z \* (1 + tanh(v / 2)) / 2
    ADJ_ACTIVATION_GELU_TANH: adj_activation = 4,
    /// z \* sigma(v), v = quick_gelu_alpha \* z
    ADJ_ACTIVATION_QUICK_GELU: adj_activation = 5,
    /// sigma(z)
    ADJ_ACTIVATION_SIGMOID: adj_activation = 6,
    /// tanh(z)
    ADJ_ACTIVATION_TANH: adj_activation = 7,
    /// z \* sigma(z)
    ADJ_ACTIVATION_SILU: adj_activation = 8,
    /// z \> 0 ? z : elu_alpha \* (exp(z) - 1)
    ADJ_ACTIVATION_ELU: adj_activation = 9,
    /// log(1 + exp(z))
    ADJ_ACTIVATION_SOFTPLUS: adj_activation = 10,
    /// z \* tanh(log(1 + exp(z)))
    ADJ_ACTIVATION_MISH: adj_activation = 11,
    /// z \* min(max(z + 3, 0), 6) / 6; dinput is 0 from -3 on down, dout from 3 on up, dout \* (z / 3 + 1/2) between
    ADJ_ACTIVATION_HARD_SWISH: adj_activation = 12,
    /// max(z, 0)^2; dinput = z \<= 0 ? 0 : 2 z \* dout
    ADJ_ACTIVATION_RELU_SQUARED: adj_activation = 13,
    /// the output for leaky_relu, sigmoid and tanh, else the input
    ADJ_ACTIVATION_SAVED_DEFAULT: adj_activation_saved = 0,
    /// X, to which bias is added
    ADJ_ACTIVATION_SAVED_INPUT: adj_activation_saved = 1,
    /// f(z): relu, leaky_relu with a slope of at least 0, sigmoid, tanh, elu with an alpha of at least 0, softplus
    ADJ_ACTIVATION_SAVED_OUTPUT: adj_activation_saved = 2,
    /// not given: refused
    ADJ_GATED_ACTIVATION_NONE: adj_gated_activation = 0,
    /// f is silu
    ADJ_GATED_ACTIVATION_SWIGLU: adj_gated_activation = 1,
    /// f is gelu
    ADJ_GATED_ACTIVATION_GEGLU: adj_gated_activation = 2,
    /// f is gelu_tanh
    ADJ_GATED_ACTIVATION_GEGLU_TANH: adj_gated_activation = 3,
    /// f is relu
    ADJ_GATED_ACTIVATION_REGLU: adj_gated_activation = 4,
    /// halves
    ADJ_GATED_LAYOUT_DEFAULT: adj_gated_layout = 0,
    /// gate, then linear
    ADJ_GATED_LAYOUT_HALVES: adj_gated_layout = 1,
    /// gate and linear by turns
    ADJ_GATED_LAYOUT_INTERLEAVED: adj_gated_layout = 2,
    /// Id of the operator attention_forward.
    ADJ_OP_ATTENTION_FORWARD: adj_op = 89,
    /// Tag of adj_attention_forward_descriptor.
    ADJ_TAG_ATTENTION_FORWARD_DESCRIPTOR: i32 = 65625,
    /// Tag of adj_attention_forward_args.
    ADJ_TAG_ATTENTION_FORWARD_ARGS: i32 = 131161,
    /// Id of the operator attention_backward.
    ADJ_OP_ATTENTION_BACKWARD: adj_op = 90,
    /// Tag of adj_attention_backward_descriptor.
    ADJ_TAG_ATTENTION_BACKWARD_DESCRIPTOR: i32 = 65626,
    /// Tag of adj_attention_backward_args.
    ADJ_TAG_ATTENTION_BACKWARD_ARGS: i32 = 131162,
    /// Id of the operator batch_norm_forward.
    ADJ_OP_BATCH_NORM_FORWARD: adj_op = 54,
    /// Tag of adj_batch_norm_forward_descriptor.
    ADJ_TAG_BATCH_NORM_FORWARD_DESCRIPTOR: i32 = 65590,
    /// Tag of adj_batch_norm_forward_args.
    ADJ_TAG_BATCH_NORM_FORWARD_ARGS: i32 = 131126,
    /// Id of the operator batch_norm_backward.
    ADJ_OP_BATCH_NORM_BACKWARD: adj_op = 55,
    /// Tag of adj_batch_norm_backward_descriptor.
    ADJ_TAG_BATCH_NORM_BACKWARD_DESCRIPTOR: i32 = 65591,
    /// Tag of adj_batch_norm_backward_args.
    ADJ_TAG_BATCH_NORM_BACKWARD_ARGS: i32 = 131127,
    /// Id of the operator group_norm_forward.
    ADJ_OP_GROUP_NORM_FORWARD: adj_op = 120,
    /// Tag of adj_group_norm_forward_descriptor.
    ADJ_TAG_GROUP_NORM_FORWARD_DESCRIPTOR: i32 = 65656,
    /// Tag of adj_group_norm_forward_args.
    ADJ_TAG_GROUP_NORM_FORWARD_ARGS: i32 = 131192,
    /// Id of the operator group_norm_backward.
    ADJ_OP_GROUP_NORM_BACKWARD: adj_op = 121,
    /// Tag of adj_group_norm_backward_descriptor.
    ADJ_TAG_GROUP_NORM_BACKWARD_DESCRIPTOR: i32 = 65657,
    /// Tag of adj_group_norm_backward_args.
    ADJ_TAG_GROUP_NORM_BACKWARD_ARGS: i32 = 131193,
    /// Id of the operator all_reduce.
    ADJ_OP_ALL_REDUCE: adj_op = 76,
    /// Tag of adj_all_reduce_descriptor.
    ADJ_TAG_ALL_REDUCE_DESCRIPTOR: i32 = 65612,
    /// Tag of adj_all_reduce_args.
    ADJ_TAG_ALL_REDUCE_ARGS: i32 = 131148,
    /// Id of the operator all_gather.
    ADJ_OP_ALL_GATHER: adj_op = 77,
    /// Tag of adj_all_gather_descriptor.
    ADJ_TAG_ALL_GATHER_DESCRIPTOR: i32 = 65613,
    /// Tag of adj_all_gather_args.
    ADJ_TAG_ALL_GATHER_ARGS: i32 = 131149,
    /// Id of the operator reduce_scatter.
    ADJ_OP_REDUCE_SCATTER: adj_op = 78,
    /// Tag of adj_reduce_scatter_descriptor.
    ADJ_TAG_REDUCE_SCATTER_DESCRIPTOR: i32 = 65614,
    /// Tag of adj_reduce_scatter_args.
    ADJ_TAG_REDUCE_SCATTER_ARGS: i32 = 131150,
    /// Id of the operator send.
    ADJ_OP_SEND: adj_op = 79,
    /// Tag of adj_send_descriptor.
    ADJ_TAG_SEND_DESCRIPTOR: i32 = 65615,
    /// Tag of adj_send_args.
    ADJ_TAG_SEND_ARGS: i32 = 131151,
    /// Id of the operator recv.
    ADJ_OP_RECV: adj_op = 80,
    /// Tag of adj_recv_descriptor.
    ADJ_TAG_RECV_DESCRIPTOR: i32 = 65616,
    /// Tag of adj_recv_args.
    ADJ_TAG_RECV_ARGS: i32 = 131152,
    /// Id of the operator broadcast.
    ADJ_OP_BROADCAST: adj_op = 81,
    /// Tag of adj_broadcast_descriptor.
    ADJ_TAG_BROADCAST_DESCRIPTOR: i32 = 65617,
    /// Tag of adj_broadcast_args.
    ADJ_TAG_BROADCAST_ARGS: i32 = 131153,
    /// Id of the operator adasum_all_reduce.
    ADJ_OP_ADASUM_ALL_REDUCE: adj_op = 82,
    /// Tag of adj_adasum_all_reduce_descriptor.
    ADJ_TAG_ADASUM_ALL_REDUCE_DESCRIPTOR: i32 = 65618,
    /// Tag of adj_adasum_all_reduce_args.
    ADJ_TAG_ADASUM_ALL_REDUCE_ARGS: i32 = 131154,
    /// Id of the operator megatron_f.
    ADJ_OP_MEGATRON_F: adj_op = 83,
    /// Tag of adj_megatron_f_descriptor.
    ADJ_TAG_MEGATRON_F_DESCRIPTOR: i32 = 65619,
    /// Tag of adj_megatron_f_args.
    ADJ_TAG_MEGATRON_F_ARGS: i32 = 131155,
    /// Id of the operator megatron_g.
    ADJ_OP_MEGATRON_G: adj_op = 84,
    /// Tag of adj_megatron_g_descriptor.
    ADJ_TAG_MEGATRON_G_DESCRIPTOR: i32 = 65620,
    /// Tag of adj_megatron_g_args.
    ADJ_TAG_MEGATRON_G_ARGS: i32 = 131156,
    /// sum
    ADJ_COLLECTIVE_REDUCTION_DEFAULT: adj_collective_reduction = 0,
    /// ADJ_COLLECTIVE_REDUCTION_SUM of adjoint.h.
    ADJ_COLLECTIVE_REDUCTION_SUM: adj_collective_reduction = 1,
    /// the sum over the number of ranks; f32, f64, f16, bf16
    ADJ_COLLECTIVE_REDUCTION_AVERAGE: adj_collective_reduction = 2,
    /// ADJ_COLLECTIVE_REDUCTION_MAX of adjoint.h.
    ADJ_COLLECTIVE_REDUCTION_MAX: adj_collective_reduction = 3,
    /// ADJ_COLLECTIVE_REDUCTION_MIN of adjoint.h.
    ADJ_COLLECTIVE_REDUCTION_MIN: adj_collective_reduction = 4,
    /// ADJ_COLLECTIVE_REDUCTION_PROD of adjoint.h.
    ADJ_COLLECTIVE_REDUCTION_PROD: adj_collective_reduction = 5,
    /// even
    ADJ_SHARD_LAYOUT_DEFAULT: adj_shard_layout = 0,
    /// each rank has an equal part of every tensor, in the order of the ranks
    ADJ_SHARD_LAYOUT_EVEN: adj_shard_layout = 1,
    /// each rank owns whole tensors, as ONNX Runtime's partitioned optimisers have them: with total the sum of numel, A = 32 ranks and padded = total + A - total mod A, rank g owns the tensors that begin in elements \[g padded / ranks, (g + 1) padded / ranks) of their concatenation. A tensor that goes beyond the end of its rank's elements is refused.
    ADJ_SHARD_LAYOUT_WHOLE: adj_shard_layout = 2,
    /// Id of the operator concat.
    ADJ_OP_CONCAT: adj_op = 9,
    /// Tag of adj_concat_descriptor.
    ADJ_TAG_CONCAT_DESCRIPTOR: i32 = 65545,
    /// Tag of adj_concat_args.
    ADJ_TAG_CONCAT_ARGS: i32 = 131081,
    /// Id of the operator split.
    ADJ_OP_SPLIT: adj_op = 10,
    /// Tag of adj_split_descriptor.
    ADJ_TAG_SPLIT_DESCRIPTOR: i32 = 65546,
    /// Tag of adj_split_args.
    ADJ_TAG_SPLIT_ARGS: i32 = 131082,
    /// Id of the operator group.
    ADJ_OP_GROUP: adj_op = 70,
    /// Tag of adj_group_descriptor.
    ADJ_TAG_GROUP_DESCRIPTOR: i32 = 65606,
    /// Tag of adj_group_args.
    ADJ_TAG_GROUP_ARGS: i32 = 131142,
    /// Id of the operator record_event.
    ADJ_OP_RECORD_EVENT: adj_op = 71,
    /// Tag of adj_record_event_descriptor.
    ADJ_TAG_RECORD_EVENT_DESCRIPTOR: i32 = 65607,
    /// Tag of adj_record_event_args.
    ADJ_TAG_RECORD_EVENT_ARGS: i32 = 131143,
    /// Id of the operator wait_event.
    ADJ_OP_WAIT_EVENT: adj_op = 72,
    /// Tag of adj_wait_event_descriptor.
    ADJ_TAG_WAIT_EVENT_DESCRIPTOR: i32 = 65608,
    /// Tag of adj_wait_event_args.
    ADJ_TAG_WAIT_EVENT_ARGS: i32 = 131144,
    /// Id of the operator yield.
    ADJ_OP_YIELD: adj_op = 73,
    /// Tag of adj_yield_descriptor.
    ADJ_TAG_YIELD_DESCRIPTOR: i32 = 65609,
    /// Tag of adj_yield_args.
    ADJ_TAG_YIELD_ARGS: i32 = 131145,
    /// Id of the operator user_kernel.
    ADJ_OP_USER_KERNEL: adj_op = 74,
    /// Tag of adj_user_kernel_descriptor.
    ADJ_TAG_USER_KERNEL_DESCRIPTOR: i32 = 65610,
    /// Tag of adj_user_kernel_args.
    ADJ_TAG_USER_KERNEL_ARGS: i32 = 131146,
    /// Id of the operator callback.
    ADJ_OP_CALLBACK: adj_op = 75,
    /// Tag of adj_callback_descriptor.
    ADJ_TAG_CALLBACK_DESCRIPTOR: i32 = 65611,
    /// Tag of adj_callback_args.
    ADJ_TAG_CALLBACK_ARGS: i32 = 131147,
    /// CUDA C++: NVRTC compiles it when the plan is selected, or a pack or the disk cache has its machine code
    ADJ_CODE_SOURCE: adj_code_kind = 0,
    /// PTX, a text: the driver compiles it when the plan is selected
    ADJ_CODE_PTX: adj_code_kind = 1,
    /// machine code for one architecture, as nvcc -cubin and NVRTC write it; nothing is compiled
    ADJ_CODE_CUBIN: adj_code_kind = 2,
    /// Id of the operator conv_backward.
    ADJ_OP_CONV_BACKWARD: adj_op = 56,
    /// Tag of adj_conv_backward_descriptor.
    ADJ_TAG_CONV_BACKWARD_DESCRIPTOR: i32 = 65592,
    /// Tag of adj_conv_backward_args.
    ADJ_TAG_CONV_BACKWARD_ARGS: i32 = 131128,
    /// Id of the operator conv_transpose_backward.
    ADJ_OP_CONV_TRANSPOSE_BACKWARD: adj_op = 57,
    /// Tag of adj_conv_transpose_backward_descriptor.
    ADJ_TAG_CONV_TRANSPOSE_BACKWARD_DESCRIPTOR: i32 = 65593,
    /// Tag of adj_conv_transpose_backward_args.
    ADJ_TAG_CONV_TRANSPOSE_BACKWARD_ARGS: i32 = 131129,
    /// Id of the operator conv_forward.
    ADJ_OP_CONV_FORWARD: adj_op = 58,
    /// Tag of adj_conv_forward_descriptor.
    ADJ_TAG_CONV_FORWARD_DESCRIPTOR: i32 = 65594,
    /// Tag of adj_conv_forward_args.
    ADJ_TAG_CONV_FORWARD_ARGS: i32 = 131130,
    /// Id of the operator conv_transpose_forward.
    ADJ_OP_CONV_TRANSPOSE_FORWARD: adj_op = 59,
    /// Tag of adj_conv_transpose_forward_descriptor.
    ADJ_TAG_CONV_TRANSPOSE_FORWARD_DESCRIPTOR: i32 = 65595,
    /// Tag of adj_conv_transpose_forward_args.
    ADJ_TAG_CONV_TRANSPOSE_FORWARD_ARGS: i32 = 131131,
    /// Id of the operator dropout_forward.
    ADJ_OP_DROPOUT_FORWARD: adj_op = 25,
    /// Tag of adj_dropout_forward_descriptor.
    ADJ_TAG_DROPOUT_FORWARD_DESCRIPTOR: i32 = 65561,
    /// Tag of adj_dropout_forward_args.
    ADJ_TAG_DROPOUT_FORWARD_ARGS: i32 = 131097,
    /// Id of the operator dropout_backward.
    ADJ_OP_DROPOUT_BACKWARD: adj_op = 26,
    /// Tag of adj_dropout_backward_descriptor.
    ADJ_TAG_DROPOUT_BACKWARD_DESCRIPTOR: i32 = 65562,
    /// Tag of adj_dropout_backward_args.
    ADJ_TAG_DROPOUT_BACKWARD_ARGS: i32 = 131098,
    /// Id of the operator bias_softmax_dropout_forward.
    ADJ_OP_BIAS_SOFTMAX_DROPOUT_FORWARD: adj_op = 27,
    /// Tag of adj_bias_softmax_dropout_forward_descriptor.
    ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_DESCRIPTOR: i32 = 65563,
    /// Tag of adj_bias_softmax_dropout_forward_args.
    ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_ARGS: i32 = 131099,
    /// Id of the operator softmax_dropout_backward.
    ADJ_OP_SOFTMAX_DROPOUT_BACKWARD: adj_op = 28,
    /// Tag of adj_softmax_dropout_backward_descriptor.
    ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_DESCRIPTOR: i32 = 65564,
    /// Tag of adj_softmax_dropout_backward_args.
    ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_ARGS: i32 = 131100,
    /// bool
    ADJ_DROPOUT_MASK_DEFAULT: adj_dropout_mask = 0,
    /// a byte for each element
    ADJ_DROPOUT_MASK_BOOL: adj_dropout_mask = 1,
    /// a bit for each element, in 32-bit words
    ADJ_DROPOUT_MASK_BITS: adj_dropout_mask = 2,
    /// drawn again by the gradient
    ADJ_DROPOUT_MASK_NONE: adj_dropout_mask = 3,
    /// by element, whatever the device
    ADJ_DROPOUT_MAPPING_DEFAULT: adj_dropout_mapping = 0,
    /// that of ONNX Runtime on a device with given numbers of multiprocessors and threads
    ADJ_DROPOUT_MAPPING_ONNX_RUNTIME: adj_dropout_mapping = 1,
    /// Id of the operator div_backward.
    ADJ_OP_DIV_BACKWARD: adj_op = 20,
    /// Tag of adj_div_backward_descriptor.
    ADJ_TAG_DIV_BACKWARD_DESCRIPTOR: i32 = 65556,
    /// Tag of adj_div_backward_args.
    ADJ_TAG_DIV_BACKWARD_ARGS: i32 = 131092,
    /// Id of the operator embedding_forward.
    ADJ_OP_EMBEDDING_FORWARD: adj_op = 1,
    /// Tag of adj_embedding_forward_descriptor.
    ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR: i32 = 65537,
    /// Tag of adj_embedding_forward_args.
    ADJ_TAG_EMBEDDING_FORWARD_ARGS: i32 = 131073,
    /// Id of the operator embedding_backward.
    ADJ_OP_EMBEDDING_BACKWARD: adj_op = 2,
    /// Tag of adj_embedding_backward_descriptor.
    ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR: i32 = 65538,
    /// Tag of adj_embedding_backward_args.
    ADJ_TAG_EMBEDDING_BACKWARD_ARGS: i32 = 131074,
    /// Id of the operator gather_backward.
    ADJ_OP_GATHER_BACKWARD: adj_op = 11,
    /// Tag of adj_gather_backward_descriptor.
    ADJ_TAG_GATHER_BACKWARD_DESCRIPTOR: i32 = 65547,
    /// Tag of adj_gather_backward_args.
    ADJ_TAG_GATHER_BACKWARD_ARGS: i32 = 131083,
    /// Id of the operator index_plan.
    ADJ_OP_INDEX_PLAN: adj_op = 15,
    /// Tag of adj_index_plan_descriptor.
    ADJ_TAG_INDEX_PLAN_DESCRIPTOR: i32 = 65551,
    /// Tag of adj_index_plan_args.
    ADJ_TAG_INDEX_PLAN_ARGS: i32 = 131087,
    /// each index, which names a row
    ADJ_INDEX_POSITIONS_ROWS: adj_index_positions = 0,
    /// each slice of gather_nd_backward, whose indices name one
    ADJ_INDEX_POSITIONS_SLICES: adj_index_positions = 1,
    /// each index of gather_elements_backward, whose place names an element with it
    ADJ_INDEX_POSITIONS_ELEMENTS: adj_index_positions = 2,
    /// Id of the operator embedding_bag_forward.
    ADJ_OP_EMBEDDING_BAG_FORWARD: adj_op = 12,
    /// Tag of adj_embedding_bag_forward_descriptor.
    ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR: i32 = 65548,
    /// Tag of adj_embedding_bag_forward_args.
    ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS: i32 = 131084,
    /// Id of the operator embedding_bag_backward.
    ADJ_OP_EMBEDDING_BAG_BACKWARD: adj_op = 13,
    /// Tag of adj_embedding_bag_backward_descriptor.
    ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR: i32 = 65549,
    /// Tag of adj_embedding_bag_backward_args.
    ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS: i32 = 131085,
    /// Id of the operator embedding_bag_per_sample_weights_backward.
    ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD: adj_op = 14,
    /// Tag of adj_embedding_bag_per_sample_weights_backward_descriptor.
    ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR: i32 = 65550,
    /// Tag of adj_embedding_bag_per_sample_weights_backward_args.
    ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS: i32 = 131086,
    /// mean
    ADJ_BAG_DEFAULT: adj_bag_mode = 0,
    /// ADJ_BAG_SUM of adjoint.h.
    ADJ_BAG_SUM: adj_bag_mode = 1,
    /// ADJ_BAG_MEAN of adjoint.h.
    ADJ_BAG_MEAN: adj_bag_mode = 2,
    /// ADJ_BAG_MAX of adjoint.h.
    ADJ_BAG_MAX: adj_bag_mode = 3,
    /// Id of the operator fill.
    ADJ_OP_FILL: adj_op = 94,
    /// Tag of adj_fill_descriptor.
    ADJ_TAG_FILL_DESCRIPTOR: i32 = 65630,
    /// Tag of adj_fill_args.
    ADJ_TAG_FILL_ARGS: i32 = 131166,
    /// Id of the operator normal.
    ADJ_OP_NORMAL: adj_op = 95,
    /// Tag of adj_normal_descriptor.
    ADJ_TAG_NORMAL_DESCRIPTOR: i32 = 65631,
    /// Tag of adj_normal_args.
    ADJ_TAG_NORMAL_ARGS: i32 = 131167,
    /// Id of the operator amax.
    ADJ_OP_AMAX: adj_op = 130,
    /// Tag of adj_amax_descriptor.
    ADJ_TAG_AMAX_DESCRIPTOR: i32 = 65666,
    /// Tag of adj_amax_args.
    ADJ_TAG_AMAX_ARGS: i32 = 131202,
    /// Id of the operator quantize.
    ADJ_OP_QUANTIZE: adj_op = 131,
    /// Tag of adj_quantize_descriptor.
    ADJ_TAG_QUANTIZE_DESCRIPTOR: i32 = 65667,
    /// Tag of adj_quantize_args.
    ADJ_TAG_QUANTIZE_ARGS: i32 = 131203,
    /// Id of the operator dequantize.
    ADJ_OP_DEQUANTIZE: adj_op = 132,
    /// Tag of adj_dequantize_descriptor.
    ADJ_TAG_DEQUANTIZE_DESCRIPTOR: i32 = 65668,
    /// Tag of adj_dequantize_args.
    ADJ_TAG_DEQUANTIZE_ARGS: i32 = 131204,
    /// Id of the operator fp8_scale_update.
    ADJ_OP_FP8_SCALE_UPDATE: adj_op = 133,
    /// Tag of adj_fp8_scale_update_descriptor.
    ADJ_TAG_FP8_SCALE_UPDATE_DESCRIPTOR: i32 = 65669,
    /// Tag of adj_fp8_scale_update_args.
    ADJ_TAG_FP8_SCALE_UPDATE_ARGS: i32 = 131205,
    /// reciprocal
    ADJ_SCALE_RULE_DEFAULT: adj_scale_rule = 0,
    /// s = F / a, r = 1 / s (Transformer Engine, torchao, llmq)
    ADJ_SCALE_RULE_RECIPROCAL: adj_scale_rule = 1,
    /// r = a / F, s = 1 / r (DeepGEMM)
    ADJ_SCALE_RULE_QUOTIENT: adj_scale_rule = 2,
    /// computed
    ADJ_SCALE_SOURCE_DEFAULT: adj_scale_source = 0,
    /// from the largest magnitudes of x; with granularity tensor and row x is read twice
    ADJ_SCALE_SOURCE_COMPUTED: adj_scale_source = 1,
    /// the argument scale; granularity tensor and row
    ADJ_SCALE_SOURCE_GIVEN: adj_scale_source = 2,
    /// from amax_in, a largest magnitude that is known; granularity tensor
    ADJ_SCALE_SOURCE_AMAX: adj_scale_source = 3,
    /// max
    ADJ_AMAX_ALGORITHM_DEFAULT: adj_amax_algorithm = 0,
    /// the largest of the history
    ADJ_AMAX_ALGORITHM_MAX: adj_amax_algorithm = 1,
    /// row 0 of the history
    ADJ_AMAX_ALGORITHM_MOST_RECENT: adj_amax_algorithm = 2,
    /// Id of the operator gist_encode.
    ADJ_OP_GIST_ENCODE: adj_op = 21,
    /// Tag of adj_gist_encode_descriptor.
    ADJ_TAG_GIST_ENCODE_DESCRIPTOR: i32 = 65557,
    /// Tag of adj_gist_encode_args.
    ADJ_TAG_GIST_ENCODE_ARGS: i32 = 131093,
    /// Id of the operator gist_decode.
    ADJ_OP_GIST_DECODE: adj_op = 22,
    /// Tag of adj_gist_decode_descriptor.
    ADJ_TAG_GIST_DECODE_DESCRIPTOR: i32 = 65558,
    /// Tag of adj_gist_decode_args.
    ADJ_TAG_GIST_DECODE_ARGS: i32 = 131094,
    /// not given: refused
    ADJ_GIST_FORMAT_NONE: adj_gist_format = 0,
    /// bool: x \> 0. f32, f64, f16, bf16
    ADJ_GIST_FORMAT_BINARIZE: adj_gist_format = 1,
    /// u8 of eight elements, the first in the highest bit: x \> 0; bits behind the last are 0. f32, f64, f16, bf16, bool
    ADJ_GIST_FORMAT_PACK1: adj_gist_format = 2,
    /// u8: FP8 E5M2, to nearest even; beyond its range infinity; NaN is sign \| 0x7f. f32, f16, bf16
    ADJ_GIST_FORMAT_PACK8: adj_gist_format = 3,
    /// the same, but finite numbers beyond its range become its largest, 57344
    ADJ_GIST_FORMAT_PACK8_SATURATED: adj_gist_format = 4,
    /// u8: the bits that ONNX Runtime writes, also of a NaN's fraction; they lose most values. f32, f16
    ADJ_GIST_FORMAT_PACK8_REFERENCE: adj_gist_format = 5,
    /// f16, to nearest even; NaN is sign \| 0x7e00. f32
    ADJ_GIST_FORMAT_PACK16: adj_gist_format = 6,
    /// bf16, to nearest even; NaN is sign \| 0x7fc0. f32
    ADJ_GIST_FORMAT_PACK16_BF16: adj_gist_format = 7,
    /// u8: eight neighbours of a row share an exponent, of which each byte has a bit; sign and six bits. f32, f16, bf16
    ADJ_GIST_FORMAT_MSFP15: adj_gist_format = 8,
    /// Id of the operator gather_nd_backward.
    ADJ_OP_GATHER_ND_BACKWARD: adj_op = 62,
    /// Tag of adj_gather_nd_backward_descriptor.
    ADJ_TAG_GATHER_ND_BACKWARD_DESCRIPTOR: i32 = 65598,
    /// Tag of adj_gather_nd_backward_args.
    ADJ_TAG_GATHER_ND_BACKWARD_ARGS: i32 = 131134,
    /// Id of the operator gather_elements_backward.
    ADJ_OP_GATHER_ELEMENTS_BACKWARD: adj_op = 63,
    /// Tag of adj_gather_elements_backward_descriptor.
    ADJ_TAG_GATHER_ELEMENTS_BACKWARD_DESCRIPTOR: i32 = 65599,
    /// Tag of adj_gather_elements_backward_args.
    ADJ_TAG_GATHER_ELEMENTS_BACKWARD_ARGS: i32 = 131135,
    /// Id of the operator index_add.
    ADJ_OP_INDEX_ADD: adj_op = 64,
    /// Tag of adj_index_add_descriptor.
    ADJ_TAG_INDEX_ADD_DESCRIPTOR: i32 = 65600,
    /// Tag of adj_index_add_args.
    ADJ_TAG_INDEX_ADD_ARGS: i32 = 131136,
    /// Id of the operator slice_backward.
    ADJ_OP_SLICE_BACKWARD: adj_op = 65,
    /// Tag of adj_slice_backward_descriptor.
    ADJ_TAG_SLICE_BACKWARD_DESCRIPTOR: i32 = 65601,
    /// Tag of adj_slice_backward_args.
    ADJ_TAG_SLICE_BACKWARD_ARGS: i32 = 131137,
    /// Id of the operator pad_and_unflatten.
    ADJ_OP_PAD_AND_UNFLATTEN: adj_op = 66,
    /// Tag of adj_pad_and_unflatten_descriptor.
    ADJ_TAG_PAD_AND_UNFLATTEN_DESCRIPTOR: i32 = 65602,
    /// Tag of adj_pad_and_unflatten_args.
    ADJ_TAG_PAD_AND_UNFLATTEN_ARGS: i32 = 131138,
    /// Id of the operator flatten_and_unpad.
    ADJ_OP_FLATTEN_AND_UNPAD: adj_op = 67,
    /// Tag of adj_flatten_and_unpad_descriptor.
    ADJ_TAG_FLATTEN_AND_UNPAD_DESCRIPTOR: i32 = 65603,
    /// Tag of adj_flatten_and_unpad_args.
    ADJ_TAG_FLATTEN_AND_UNPAD_ARGS: i32 = 131139,
    /// Id of the operator softmax_cross_entropy_loss.
    ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS: adj_op = 3,
    /// Tag of adj_softmax_cross_entropy_loss_descriptor.
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR: i32 = 65539,
    /// Tag of adj_softmax_cross_entropy_loss_args.
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS: i32 = 131075,
    /// Id of the operator softmax_cross_entropy_loss_backward.
    ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD: adj_op = 4,
    /// Tag of adj_softmax_cross_entropy_loss_backward_descriptor.
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR: i32 = 65540,
    /// Tag of adj_softmax_cross_entropy_loss_backward_args.
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS: i32 = 131076,
    /// Id of the operator soft_label_cross_entropy_loss.
    ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS: adj_op = 31,
    /// Tag of adj_soft_label_cross_entropy_loss_descriptor.
    ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_DESCRIPTOR: i32 = 65567,
    /// Tag of adj_soft_label_cross_entropy_loss_args.
    ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_ARGS: i32 = 131103,
    /// Id of the operator soft_label_cross_entropy_loss_backward.
    ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD: adj_op = 32,
    /// Tag of adj_soft_label_cross_entropy_loss_backward_descriptor.
    ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR: i32 = 65568,
    /// Tag of adj_soft_label_cross_entropy_loss_backward_args.
    ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_ARGS: i32 = 131104,
    /// Id of the operator cross_entropy_with_gradient.
    ADJ_OP_CROSS_ENTROPY_WITH_GRADIENT: adj_op = 33,
    /// Tag of adj_cross_entropy_with_gradient_descriptor.
    ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_DESCRIPTOR: i32 = 65569,
    /// Tag of adj_cross_entropy_with_gradient_args.
    ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_ARGS: i32 = 131105,
    /// Id of the operator log_prob_entropy.
    ADJ_OP_LOG_PROB_ENTROPY: adj_op = 34,
    /// Tag of adj_log_prob_entropy_descriptor.
    ADJ_TAG_LOG_PROB_ENTROPY_DESCRIPTOR: i32 = 65570,
    /// Tag of adj_log_prob_entropy_args.
    ADJ_TAG_LOG_PROB_ENTROPY_ARGS: i32 = 131106,
    /// Id of the operator log_prob_entropy_backward.
    ADJ_OP_LOG_PROB_ENTROPY_BACKWARD: adj_op = 35,
    /// Tag of adj_log_prob_entropy_backward_descriptor.
    ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_DESCRIPTOR: i32 = 65571,
    /// Tag of adj_log_prob_entropy_backward_args.
    ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_ARGS: i32 = 131107,
    /// Id of the operator linear_cross_entropy.
    ADJ_OP_LINEAR_CROSS_ENTROPY: adj_op = 122,
    /// Tag of adj_linear_cross_entropy_descriptor.
    ADJ_TAG_LINEAR_CROSS_ENTROPY_DESCRIPTOR: i32 = 65658,
    /// Tag of adj_linear_cross_entropy_args.
    ADJ_TAG_LINEAR_CROSS_ENTROPY_ARGS: i32 = 131194,
    /// Id of the operator linear_cross_entropy_backward.
    ADJ_OP_LINEAR_CROSS_ENTROPY_BACKWARD: adj_op = 123,
    /// Tag of adj_linear_cross_entropy_backward_descriptor.
    ADJ_TAG_LINEAR_CROSS_ENTROPY_BACKWARD_DESCRIPTOR: i32 = 65659,
    /// Tag of adj_linear_cross_entropy_backward_args.
    ADJ_TAG_LINEAR_CROSS_ENTROPY_BACKWARD_ARGS: i32 = 131195,
    /// Id of the operator linear_log_prob.
    ADJ_OP_LINEAR_LOG_PROB: adj_op = 124,
    /// Tag of adj_linear_log_prob_descriptor.
    ADJ_TAG_LINEAR_LOG_PROB_DESCRIPTOR: i32 = 65660,
    /// Tag of adj_linear_log_prob_args.
    ADJ_TAG_LINEAR_LOG_PROB_ARGS: i32 = 131196,
    /// Id of the operator linear_log_prob_backward.
    ADJ_OP_LINEAR_LOG_PROB_BACKWARD: adj_op = 125,
    /// Tag of adj_linear_log_prob_backward_descriptor.
    ADJ_TAG_LINEAR_LOG_PROB_BACKWARD_DESCRIPTOR: i32 = 65661,
    /// Tag of adj_linear_log_prob_backward_args.
    ADJ_TAG_LINEAR_LOG_PROB_BACKWARD_ARGS: i32 = 131197,
    /// Id of the operator matmul.
    ADJ_OP_MATMUL: adj_op = 88,
    /// Tag of adj_matmul_descriptor.
    ADJ_TAG_MATMUL_DESCRIPTOR: i32 = 65624,
    /// Tag of adj_matmul_args.
    ADJ_TAG_MATMUL_ARGS: i32 = 131160,
    /// Id of the operator scaled_matmul.
    ADJ_OP_SCALED_MATMUL: adj_op = 134,
    /// Tag of adj_scaled_matmul_descriptor.
    ADJ_TAG_SCALED_MATMUL_DESCRIPTOR: i32 = 65670,
    /// Tag of adj_scaled_matmul_args.
    ADJ_TAG_SCALED_MATMUL_ARGS: i32 = 131206,
    /// none
    ADJ_MATMUL_EPILOGUE_DEFAULT: adj_matmul_epilogue = 0,
    /// d = z
    ADJ_MATMUL_EPILOGUE_NONE: adj_matmul_epilogue = 1,
    /// d = gelu_tanh(z) (adj_activation)
    ADJ_MATMUL_EPILOGUE_GELU_TANH: adj_matmul_epilogue = 2,
    /// d = z \* gelu_tanh'(saved)
    ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD: adj_matmul_epilogue = 3,
    /// Id of the operator moe_route.
    ADJ_OP_MOE_ROUTE: adj_op = 110,
    /// Tag of adj_moe_route_descriptor.
    ADJ_TAG_MOE_ROUTE_DESCRIPTOR: i32 = 65646,
    /// Tag of adj_moe_route_args.
    ADJ_TAG_MOE_ROUTE_ARGS: i32 = 131182,
    /// Id of the operator moe_route_backward.
    ADJ_OP_MOE_ROUTE_BACKWARD: adj_op = 111,
    /// Tag of adj_moe_route_backward_descriptor.
    ADJ_TAG_MOE_ROUTE_BACKWARD_DESCRIPTOR: i32 = 65647,
    /// Tag of adj_moe_route_backward_args.
    ADJ_TAG_MOE_ROUTE_BACKWARD_ARGS: i32 = 131183,
    /// Id of the operator moe_plan.
    ADJ_OP_MOE_PLAN: adj_op = 112,
    /// Tag of adj_moe_plan_descriptor.
    ADJ_TAG_MOE_PLAN_DESCRIPTOR: i32 = 65648,
    /// Tag of adj_moe_plan_args.
    ADJ_TAG_MOE_PLAN_ARGS: i32 = 131184,
    /// Id of the operator moe_permute.
    ADJ_OP_MOE_PERMUTE: adj_op = 113,
    /// Tag of adj_moe_permute_descriptor.
    ADJ_TAG_MOE_PERMUTE_DESCRIPTOR: i32 = 65649,
    /// Tag of adj_moe_permute_args.
    ADJ_TAG_MOE_PERMUTE_ARGS: i32 = 131185,
    /// Id of the operator moe_permute_backward.
    ADJ_OP_MOE_PERMUTE_BACKWARD: adj_op = 114,
    /// Tag of adj_moe_permute_backward_descriptor.
    ADJ_TAG_MOE_PERMUTE_BACKWARD_DESCRIPTOR: i32 = 65650,
    /// Tag of adj_moe_permute_backward_args.
    ADJ_TAG_MOE_PERMUTE_BACKWARD_ARGS: i32 = 131186,
    /// Id of the operator moe_unpermute.
    ADJ_OP_MOE_UNPERMUTE: adj_op = 115,
    /// Tag of adj_moe_unpermute_descriptor.
    ADJ_TAG_MOE_UNPERMUTE_DESCRIPTOR: i32 = 65651,
    /// Tag of adj_moe_unpermute_args.
    ADJ_TAG_MOE_UNPERMUTE_ARGS: i32 = 131187,
    /// Id of the operator moe_unpermute_backward.
    ADJ_OP_MOE_UNPERMUTE_BACKWARD: adj_op = 116,
    /// Tag of adj_moe_unpermute_backward_descriptor.
    ADJ_TAG_MOE_UNPERMUTE_BACKWARD_DESCRIPTOR: i32 = 65652,
    /// Tag of adj_moe_unpermute_backward_args.
    ADJ_TAG_MOE_UNPERMUTE_BACKWARD_ARGS: i32 = 131188,
    /// softmax over the chosen experts alone
    ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN: adj_moe_score = 0,
    /// softmax over all experts
    ADJ_MOE_SCORE_SOFTMAX: adj_moe_score = 1,
    /// 1 / (1 + exp(-z))
    ADJ_MOE_SCORE_SIGMOID: adj_moe_score = 2,
    /// sqrt(log(1 + exp(z)))
    ADJ_MOE_SCORE_SQRT_SOFTPLUS: adj_moe_score = 3,
    /// Id of the operator layer_norm_backward.
    ADJ_OP_LAYER_NORM_BACKWARD: adj_op = 50,
    /// Tag of adj_layer_norm_backward_descriptor.
    ADJ_TAG_LAYER_NORM_BACKWARD_DESCRIPTOR: i32 = 65586,
    /// Tag of adj_layer_norm_backward_args.
    ADJ_TAG_LAYER_NORM_BACKWARD_ARGS: i32 = 131122,
    /// Id of the operator rms_norm_backward.
    ADJ_OP_RMS_NORM_BACKWARD: adj_op = 51,
    /// Tag of adj_rms_norm_backward_descriptor.
    ADJ_TAG_RMS_NORM_BACKWARD_DESCRIPTOR: i32 = 65587,
    /// Tag of adj_rms_norm_backward_args.
    ADJ_TAG_RMS_NORM_BACKWARD_ARGS: i32 = 131123,
    /// Id of the operator layer_norm_forward.
    ADJ_OP_LAYER_NORM_FORWARD: adj_op = 52,
    /// Tag of adj_layer_norm_forward_descriptor.
    ADJ_TAG_LAYER_NORM_FORWARD_DESCRIPTOR: i32 = 65588,
    /// Tag of adj_layer_norm_forward_args.
    ADJ_TAG_LAYER_NORM_FORWARD_ARGS: i32 = 131124,
    /// Id of the operator rms_norm_forward.
    ADJ_OP_RMS_NORM_FORWARD: adj_op = 53,
    /// Tag of adj_rms_norm_forward_descriptor.
    ADJ_TAG_RMS_NORM_FORWARD_DESCRIPTOR: i32 = 65589,
    /// Tag of adj_rms_norm_forward_args.
    ADJ_TAG_RMS_NORM_FORWARD_ARGS: i32 = 131125,
    /// Id of the operator sgd.
    ADJ_OP_SGD: adj_op = 6,
    /// Tag of adj_sgd_descriptor.
    ADJ_TAG_SGD_DESCRIPTOR: i32 = 65542,
    /// Tag of adj_sgd_args.
    ADJ_TAG_SGD_ARGS: i32 = 131078,
    /// Id of the operator adam.
    ADJ_OP_ADAM: adj_op = 38,
    /// Tag of adj_adam_descriptor.
    ADJ_TAG_ADAM_DESCRIPTOR: i32 = 65574,
    /// Tag of adj_adam_args.
    ADJ_TAG_ADAM_ARGS: i32 = 131110,
    /// Id of the operator lamb.
    ADJ_OP_LAMB: adj_op = 39,
    /// Tag of adj_lamb_descriptor.
    ADJ_TAG_LAMB_DESCRIPTOR: i32 = 65575,
    /// Tag of adj_lamb_args.
    ADJ_TAG_LAMB_ARGS: i32 = 131111,
    /// Id of the operator clip_grad_norm.
    ADJ_OP_CLIP_GRAD_NORM: adj_op = 40,
    /// Tag of adj_clip_grad_norm_descriptor.
    ADJ_TAG_CLIP_GRAD_NORM_DESCRIPTOR: i32 = 65576,
    /// Tag of adj_clip_grad_norm_args.
    ADJ_TAG_CLIP_GRAD_NORM_ARGS: i32 = 131112,
    /// Id of the operator lion.
    ADJ_OP_LION: adj_op = 86,
    /// Tag of adj_lion_descriptor.
    ADJ_TAG_LION_DESCRIPTOR: i32 = 65622,
    /// Tag of adj_lion_args.
    ADJ_TAG_LION_ARGS: i32 = 131158,
    /// Id of the operator adamw_8bit.
    ADJ_OP_ADAMW_8BIT: adj_op = 87,
    /// Tag of adj_adamw_8bit_descriptor.
    ADJ_TAG_ADAMW_8BIT_DESCRIPTOR: i32 = 65623,
    /// Tag of adj_adamw_8bit_args.
    ADJ_TAG_ADAMW_8BIT_ARGS: i32 = 131159,
    /// the weight decays before the update
    ADJ_ADAM_DECAY_FIRST: adj_adam_decay = 0,
    /// the updated weight decays
    ADJ_ADAM_DECAY_LAST: adj_adam_decay = 1,
    /// weight_decay \* w is added to the gradient, which the moments then see
    ADJ_ADAM_DECAY_L2: adj_adam_decay = 2,
    /// Id of the operator is_finite.
    ADJ_OP_IS_FINITE: adj_op = 41,
    /// Tag of adj_is_finite_descriptor.
    ADJ_TAG_IS_FINITE_DESCRIPTOR: i32 = 65577,
    /// Tag of adj_is_finite_args.
    ADJ_TAG_IS_FINITE_ARGS: i32 = 131113,
    /// Id of the operator all_finite.
    ADJ_OP_ALL_FINITE: adj_op = 42,
    /// Tag of adj_all_finite_descriptor.
    ADJ_TAG_ALL_FINITE_DESCRIPTOR: i32 = 65578,
    /// Tag of adj_all_finite_args.
    ADJ_TAG_ALL_FINITE_ARGS: i32 = 131114,
    /// Id of the operator all.
    ADJ_OP_ALL: adj_op = 43,
    /// Tag of adj_all_descriptor.
    ADJ_TAG_ALL_DESCRIPTOR: i32 = 65579,
    /// Tag of adj_all_args.
    ADJ_TAG_ALL_ARGS: i32 = 131115,
    /// Id of the operator scale.
    ADJ_OP_SCALE: adj_op = 44,
    /// Tag of adj_scale_descriptor.
    ADJ_TAG_SCALE_DESCRIPTOR: i32 = 65580,
    /// Tag of adj_scale_args.
    ADJ_TAG_SCALE_ARGS: i32 = 131116,
    /// Id of the operator zero.
    ADJ_OP_ZERO: adj_op = 45,
    /// Tag of adj_zero_descriptor.
    ADJ_TAG_ZERO_DESCRIPTOR: i32 = 65581,
    /// Tag of adj_zero_args.
    ADJ_TAG_ZERO_ARGS: i32 = 131117,
    /// Id of the operator accumulate.
    ADJ_OP_ACCUMULATE: adj_op = 46,
    /// Tag of adj_accumulate_descriptor.
    ADJ_TAG_ACCUMULATE_DESCRIPTOR: i32 = 65582,
    /// Tag of adj_accumulate_args.
    ADJ_TAG_ACCUMULATE_ARGS: i32 = 131118,
    /// Id of the operator scaled_sum.
    ADJ_OP_SCALED_SUM: adj_op = 47,
    /// Tag of adj_scaled_sum_descriptor.
    ADJ_TAG_SCALED_SUM_DESCRIPTOR: i32 = 65583,
    /// Tag of adj_scaled_sum_args.
    ADJ_TAG_SCALED_SUM_ARGS: i32 = 131119,
    /// Id of the operator update_loss_scale.
    ADJ_OP_UPDATE_LOSS_SCALE: adj_op = 85,
    /// Tag of adj_update_loss_scale_descriptor.
    ADJ_TAG_UPDATE_LOSS_SCALE_DESCRIPTOR: i32 = 65621,
    /// Tag of adj_update_loss_scale_args.
    ADJ_TAG_UPDATE_LOSS_SCALE_ARGS: i32 = 131157,
    /// neither infinities nor NaN
    ADJ_FINITE_TEST_DEFAULT: adj_finite_test = 0,
    /// no infinities; NaN passes (isinf_only)
    ADJ_FINITE_TEST_NO_INF: adj_finite_test = 1,
    /// no NaN; infinities pass (isnan_only)
    ADJ_FINITE_TEST_NO_NAN: adj_finite_test = 2,
    /// Id of the operator fake_quantize_forward.
    ADJ_OP_FAKE_QUANTIZE_FORWARD: adj_op = 23,
    /// Tag of adj_fake_quantize_forward_descriptor.
    ADJ_TAG_FAKE_QUANTIZE_FORWARD_DESCRIPTOR: i32 = 65559,
    /// Tag of adj_fake_quantize_forward_args.
    ADJ_TAG_FAKE_QUANTIZE_FORWARD_ARGS: i32 = 131095,
    /// Id of the operator fake_quantize_backward.
    ADJ_OP_FAKE_QUANTIZE_BACKWARD: adj_op = 24,
    /// Tag of adj_fake_quantize_backward_descriptor.
    ADJ_TAG_FAKE_QUANTIZE_BACKWARD_DESCRIPTOR: i32 = 65560,
    /// Tag of adj_fake_quantize_backward_args.
    ADJ_TAG_FAKE_QUANTIZE_BACKWARD_ARGS: i32 = 131096,
    /// Id of the operator l2_norm.
    ADJ_OP_L2_NORM: adj_op = 48,
    /// Tag of adj_l2_norm_descriptor.
    ADJ_TAG_L2_NORM_DESCRIPTOR: i32 = 65584,
    /// Tag of adj_l2_norm_args.
    ADJ_TAG_L2_NORM_ARGS: i32 = 131120,
    /// Id of the operator reduce.
    ADJ_OP_REDUCE: adj_op = 49,
    /// Tag of adj_reduce_descriptor.
    ADJ_TAG_REDUCE_DESCRIPTOR: i32 = 65585,
    /// Tag of adj_reduce_args.
    ADJ_TAG_REDUCE_ARGS: i32 = 131121,
    /// ADJ_REDUCE_KIND_SUM of adjoint.h.
    ADJ_REDUCE_KIND_SUM: adj_reduce_kind = 0,
    /// ADJ_REDUCE_KIND_MEAN of adjoint.h.
    ADJ_REDUCE_KIND_MEAN: adj_reduce_kind = 1,
    /// sum of x^2
    ADJ_REDUCE_KIND_SUM_SQUARE: adj_reduce_kind = 2,
    /// root of the sum of x^2
    ADJ_REDUCE_KIND_L2: adj_reduce_kind = 3,
    /// NaN if an element is
    ADJ_REDUCE_KIND_MAX: adj_reduce_kind = 4,
    /// NaN if an element is
    ADJ_REDUCE_KIND_MIN: adj_reduce_kind = 5,
    /// ADJ_REDUCE_KIND_PROD of adjoint.h.
    ADJ_REDUCE_KIND_PROD: adj_reduce_kind = 6,
    /// log of the sum of e^x
    ADJ_REDUCE_KIND_LOGSUMEXP: adj_reduce_kind = 7,
    /// Id of the operator resize_backward.
    ADJ_OP_RESIZE_BACKWARD: adj_op = 60,
    /// Tag of adj_resize_backward_descriptor.
    ADJ_TAG_RESIZE_BACKWARD_DESCRIPTOR: i32 = 65596,
    /// Tag of adj_resize_backward_args.
    ADJ_TAG_RESIZE_BACKWARD_ARGS: i32 = 131132,
    /// Id of the operator resize_forward.
    ADJ_OP_RESIZE_FORWARD: adj_op = 61,
    /// Tag of adj_resize_forward_descriptor.
    ADJ_TAG_RESIZE_FORWARD_DESCRIPTOR: i32 = 65597,
    /// Tag of adj_resize_forward_args.
    ADJ_TAG_RESIZE_FORWARD_ARGS: i32 = 131133,
    /// linear
    ADJ_RESIZE_MODE_DEFAULT: adj_resize_mode = 0,
    /// ADJ_RESIZE_MODE_LINEAR of adjoint.h.
    ADJ_RESIZE_MODE_LINEAR: adj_resize_mode = 1,
    /// ADJ_RESIZE_MODE_NEAREST of adjoint.h.
    ADJ_RESIZE_MODE_NEAREST: adj_resize_mode = 2,
    /// half_pixel
    ADJ_RESIZE_COORDINATES_DEFAULT: adj_resize_coordinates = 0,
    /// ADJ_RESIZE_COORDINATES_HALF_PIXEL of adjoint.h.
    ADJ_RESIZE_COORDINATES_HALF_PIXEL: adj_resize_coordinates = 1,
    /// ADJ_RESIZE_COORDINATES_ALIGN_CORNERS of adjoint.h.
    ADJ_RESIZE_COORDINATES_ALIGN_CORNERS: adj_resize_coordinates = 2,
    /// ADJ_RESIZE_COORDINATES_ASYMMETRIC of adjoint.h.
    ADJ_RESIZE_COORDINATES_ASYMMETRIC: adj_resize_coordinates = 3,
    /// ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL of adjoint.h.
    ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL: adj_resize_coordinates = 4,
    /// round_prefer_floor
    ADJ_RESIZE_ROUNDING_DEFAULT: adj_resize_rounding = 0,
    /// a half down
    ADJ_RESIZE_ROUNDING_ROUND_PREFER_FLOOR: adj_resize_rounding = 1,
    /// a half up
    ADJ_RESIZE_ROUNDING_ROUND_PREFER_CEIL: adj_resize_rounding = 2,
    /// ADJ_RESIZE_ROUNDING_FLOOR of adjoint.h.
    ADJ_RESIZE_ROUNDING_FLOOR: adj_resize_rounding = 3,
    /// ADJ_RESIZE_ROUNDING_CEIL of adjoint.h.
    ADJ_RESIZE_ROUNDING_CEIL: adj_resize_rounding = 4,
    /// Id of the operator rope_forward.
    ADJ_OP_ROPE_FORWARD: adj_op = 91,
    /// Tag of adj_rope_forward_descriptor.
    ADJ_TAG_ROPE_FORWARD_DESCRIPTOR: i32 = 65627,
    /// Tag of adj_rope_forward_args.
    ADJ_TAG_ROPE_FORWARD_ARGS: i32 = 131163,
    /// Id of the operator rope_backward.
    ADJ_OP_ROPE_BACKWARD: adj_op = 92,
    /// Tag of adj_rope_backward_descriptor.
    ADJ_TAG_ROPE_BACKWARD_DESCRIPTOR: i32 = 65628,
    /// Tag of adj_rope_backward_args.
    ADJ_TAG_ROPE_BACKWARD_ARGS: i32 = 131164,
    /// Id of the operator view.
    ADJ_OP_VIEW: adj_op = 68,
    /// Tag of adj_view_descriptor.
    ADJ_TAG_VIEW_DESCRIPTOR: i32 = 65604,
    /// Tag of adj_view_args.
    ADJ_TAG_VIEW_ARGS: i32 = 131140,
    /// Id of the operator copy.
    ADJ_OP_COPY: adj_op = 69,
    /// Tag of adj_copy_descriptor.
    ADJ_TAG_COPY_DESCRIPTOR: i32 = 65605,
    /// Tag of adj_copy_args.
    ADJ_TAG_COPY_ARGS: i32 = 131141,
    /// Id of the operator transpose.
    ADJ_OP_TRANSPOSE: adj_op = 93,
    /// Tag of adj_transpose_descriptor.
    ADJ_TAG_TRANSPOSE_DESCRIPTOR: i32 = 65629,
    /// Tag of adj_transpose_args.
    ADJ_TAG_TRANSPOSE_ARGS: i32 = 131165,
    /// Id of the operator softmax_backward.
    ADJ_OP_SOFTMAX_BACKWARD: adj_op = 7,
    /// Tag of adj_softmax_backward_descriptor.
    ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR: i32 = 65543,
    /// Tag of adj_softmax_backward_args.
    ADJ_TAG_SOFTMAX_BACKWARD_ARGS: i32 = 131079,
    /// Id of the operator log_softmax_backward.
    ADJ_OP_LOG_SOFTMAX_BACKWARD: adj_op = 8,
    /// Tag of adj_log_softmax_backward_descriptor.
    ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR: i32 = 65544,
    /// Tag of adj_log_softmax_backward_args.
    ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS: i32 = 131080,
    /// Id of the operator softmax_forward.
    ADJ_OP_SOFTMAX_FORWARD: adj_op = 29,
    /// Tag of adj_softmax_forward_descriptor.
    ADJ_TAG_SOFTMAX_FORWARD_DESCRIPTOR: i32 = 65565,
    /// Tag of adj_softmax_forward_args.
    ADJ_TAG_SOFTMAX_FORWARD_ARGS: i32 = 131101,
    /// Id of the operator log_softmax_forward.
    ADJ_OP_LOG_SOFTMAX_FORWARD: adj_op = 30,
    /// Tag of adj_log_softmax_forward_descriptor.
    ADJ_TAG_LOG_SOFTMAX_FORWARD_DESCRIPTOR: i32 = 65566,
    /// Tag of adj_log_softmax_forward_args.
    ADJ_TAG_LOG_SOFTMAX_FORWARD_ARGS: i32 = 131102,
    /// ADJ_FIELD_I64 of adjoint.h.
    ADJ_FIELD_I64: adj_field_kind = 1,
    /// ADJ_FIELD_I32 of adjoint.h.
    ADJ_FIELD_I32: adj_field_kind = 2,
    /// ADJ_FIELD_DTYPE of adjoint.h.
    ADJ_FIELD_DTYPE: adj_field_kind = 3,
    /// ADJ_FIELD_F64 of adjoint.h.
    ADJ_FIELD_F64: adj_field_kind = 4,
    /// ADJ_FIELD_I64_LIST of adjoint.h.
    ADJ_FIELD_I64_LIST: adj_field_kind = 5,
    /// ADJ_FIELD_SHAPE of adjoint.h.
    ADJ_FIELD_SHAPE: adj_field_kind = 6,
    /// ADJ_FIELD_AXES of adjoint.h.
    ADJ_FIELD_AXES: adj_field_kind = 7,
    /// ADJ_FIELD_F64_LIST of adjoint.h.
    ADJ_FIELD_F64_LIST: adj_field_kind = 8,
    /// ADJ_FIELD_TEXT of adjoint.h.
    ADJ_FIELD_TEXT: adj_field_kind = 9,
    /// ADJ_FIELD_POINTER of adjoint.h.
    ADJ_FIELD_POINTER: adj_field_kind = 10,
    /// ADJ_FIELD_BYTES of adjoint.h.
    ADJ_FIELD_BYTES: adj_field_kind = 11,
    /// ADJ_ARGUMENT_TENSOR of adjoint.h.
    ADJ_ARGUMENT_TENSOR: adj_argument_kind = 1,
    /// ADJ_ARGUMENT_LIST of adjoint.h.
    ADJ_ARGUMENT_LIST: adj_argument_kind = 2,
    /// ADJ_ARGUMENT_SCALAR of adjoint.h.
    ADJ_ARGUMENT_SCALAR: adj_argument_kind = 3,
    /// ADJ_ARGUMENT_RANDOM of adjoint.h.
    ADJ_ARGUMENT_RANDOM: adj_argument_kind = 4,
    /// ADJ_ARGUMENT_HANDLE of adjoint.h.
    ADJ_ARGUMENT_HANDLE: adj_argument_kind = 5,
    /// ADJ_ROLE_IN of adjoint.h.
    ADJ_ROLE_IN: adj_role = 1,
    /// ADJ_ROLE_OUT of adjoint.h.
    ADJ_ROLE_OUT: adj_role = 2,
    /// ADJ_ROLE_INOUT of adjoint.h.
    ADJ_ROLE_INOUT: adj_role = 3,
    /// ADJ_PRESENCE_REQUIRED of adjoint.h.
    ADJ_PRESENCE_REQUIRED: adj_presence = 1,
    /// ADJ_PRESENCE_OPTIONAL of adjoint.h.
    ADJ_PRESENCE_OPTIONAL: adj_presence = 2,
    /// on the descriptor
    ADJ_PRESENCE_DEPENDS: adj_presence = 3,
    /// of an adj_requirement: must be left out
    ADJ_PRESENCE_ABSENT: adj_presence = 4,
}

structures! {
    /// First member of every growing structure. struct_size is the caller's sizeof. A shorter structure than the library's
    /// takes defaults for what is missing; a longer one is accepted when its unknown tail is all zero. next chains further
    /// structures; none is defined yet, so it must be null.
    struct adj_header {
        /// The member struct_size.
        struct_size: u64,
        /// One of the values of adj_tag.
        tag: adj_tag,
        /// 0.
        reserved: u32,
        /// The member next.
        next: *const c_void,
    }
    /// A dense, row-major buffer: base address (device memory on a CUDA stream, ordinary memory on the host stream, unless
    /// the argument's documentation says host), byte capacity, element type, and optionally its shape.
    /// rank 0 leaves the shape unstated: only the capacity is checked. Otherwise shape\[0..rank), its extents multiplied in groups in
    /// their order, must give the shape that the operator names: \[2, 3, 4\] passes for \[6, 4\], \[2, 12\] and \[24\]; \[3, 8\] and \[4, 6\] do
    /// not pass for \[6, 4\].
    /// strides (in elements) all zero means row-major contiguous; any other value must describe the same layout.
    struct adj_tensor {
        /// The member data.
        data: *mut c_void,
        /// The member bytes.
        bytes: u64,
        /// One of the values of adj_dtype.
        dtype: adj_dtype,
        /// The member rank.
        rank: i32,
        /// The member shape.
        shape: [i64; ADJ_MAX_RANK],
        /// The member strides.
        strides: [i64; ADJ_MAX_RANK],
    }
    /// A list of dense buffers of one element type. data and bytes are host arrays of count entries, read during the call
    /// only. An entry of an empty tensor may be null. For plans of a device, addresses of more than 48 bits are refused with
    /// ADJ_ERROR_UNSUPPORTED.
    struct adj_tensor_list {
        /// The member count.
        count: i64,
        /// One of the values of adj_dtype.
        dtype: adj_dtype,
        /// 0.
        reserved: u32,
        /// The member data.
        data: *const *mut c_void,
        /// byte capacities
        bytes: *const u64,
    }
    /// A scalar: the value itself when device is null, else the address of one element of type dtype, in the memory of the
    /// stream, read in stream order.
    struct adj_scalar {
        /// The member value.
        value: f64,
        /// The member device.
        device: *const c_void,
        /// One of the values of adj_dtype.
        dtype: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// The state of a counter-based random generator: a seed, and an offset counted in 32-bit words. With device set, seed and offset are the
    /// two elements at that address, in the memory of the stream, read in stream order; the values here are then ignored.
    struct adj_random {
        /// The member seed.
        seed: u64,
        /// The member offset.
        offset: u64,
        /// The member device.
        device: *const u64,
    }
    /// The shape of a tensor in a descriptor: dims\[0..rank), row-major, the last dimension contiguous. The rest of dims is zero.
    struct adj_shape {
        /// The member rank.
        rank: i64,
        /// The member dims.
        dims: [i64; ADJ_MAX_RANK],
    }
    /// A list of axes, or of one number per axis, in a descriptor: at\[0..count). The rest of at is zero.
    struct adj_axes {
        /// The member count.
        count: i64,
        /// The member at.
        at: [i64; ADJ_MAX_RANK],
    }
    /// A non-owning stream that knows its device. Obtain it from adj_stream_host, adj_stream_wrap or adj_stream_offline.
    struct adj_stream {
        /// CUstream / cudaStream_t
        handle: *mut c_void,
        /// One of the values of adj_stream_kind.
        kind: adj_stream_kind,
        /// CUDA device ordinal, -1 for none
        device: i32,
        /// compute capability times ten: 90 for sm_90a
        arch: i32,
        /// 0.
        reserved: u32,
    }
    /// Scratch memory of one call, 256-byte aligned, in the memory of the stream. Null is legal when 0 bytes are needed.
    struct adj_workspace {
        /// The member data.
        data: *mut c_void,
        /// The member bytes.
        bytes: u64,
    }
    /// Promise of a kernel about its result. Let an output element be a sum of terms, with the exact value r, and let the magnitudes of its
    /// terms add up to s:   \|computed - r\| \<= bound_ulp \* ulp(r) + bound_terms \* s + bound_absolute,   ulp in the output's type.
    /// Three zeros mean equal bits.
    struct adj_guarantee {
        /// One of the values of adj_math.
        math: adj_math,
        /// One of the values of adj_dtype.
        accumulator: adj_dtype,
        /// One of the values of adj_determinism.
        determinism: adj_determinism,
        /// 1: same bits on the same hardware
        bit_stable: i32,
        /// 1: the kernel adds floats atomically
        float_atomics: i32,
        /// 0.
        reserved: u32,
        /// The member bound_ulp.
        bound_ulp: f64,
        /// The member bound_terms.
        bound_terms: f64,
        /// error from taking subnormal numbers for zero
        bound_absolute: f64,
    }
    /// Requirements of the caller on the kernel.
    struct adj_preference {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// least level accepted
        determinism: adj_determinism,
        /// One of the values of adj_math.
        math: adj_math,
        /// One of the values of adj_jit_policy.
        jit: adj_jit_policy,
        /// One of the values of adj_backend.
        backend: adj_backend,
        /// bytes; 0 accepts only kernels that need none
        workspace_limit: u64,
        /// glob over SKU ids ('\*', '?'); null accepts all
        sku: *const c_char,
        /// 1: when the chosen kernel does not compile or load, or its library fails, select takes the next; 0: select fails
        fallback: i32,
        /// compute capability times ten (90 for sm_90a): a plan of the host stream needs as much workspace as the plan that select chooses on that architecture; 0: as much as the host itself uses. Other streams do not look at it
        workspace_arch: i32,
        /// 1: select takes the fastest of the kernels, and of a library's algorithms, that the rest of the preference accepts. It measures them on a CUDA stream's device where it finds no verdict from before, which takes up to seconds, waits for the stream and needs device memory until it returns; see adj_tuning_load. Other streams do not look at it
        tune: i32,
        /// 0.
        reserved: u32,
    }
    /// Activation function: out = f(z), z = input + bias, a sum that is rounded to f32 (f64 for f64).
    ///
    /// Its gradient: activation_backward(dout, saved = out \| input, bias).
    struct adj_activation_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// \>= 0; must be given
        inner: i64,
        /// finite; only if function == leaky_relu
        leaky_slope: f64,
        /// finite; only if function == quick_gelu
        quick_gelu_alpha: f64,
        /// finite; only if function == elu
        elu_alpha: f64,
        /// refused if function == none: is not given
        function: adj_activation,
        /// 1: bias is added to input
        has_bias: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of activation_forward.
    struct adj_activation_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, inner\] element
        input: adj_tensor,
        /// in, \[inner\] element; only if has_bias
        bias: adj_tensor,
        /// out, \[outer, inner\] element; may be input itself
        out: adj_tensor,
    }
    /// Gradient of an activation function:
    ///     dinput = dout \* f'(z),  z = saved + bias as in the forward operator, or f'(z) taken from the saved f(z)
    ///     dbias\[i\] (=\|+=) sum over the rows of dinput\[row, i\]
    /// dbias is the gradient of bias, and may be asked for without a bias. It adds unrounded elements in f32 (f64 for f64), in an order that follows from
    /// the shape and the element type, and is rounded once.
    struct adj_activation_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// \>= 0; must be given
        inner: i64,
        /// finite; only if function == leaky_relu
        leaky_slope: f64,
        /// finite; only if function == quick_gelu
        quick_gelu_alpha: f64,
        /// finite; only if function == elu
        elu_alpha: f64,
        /// refused if function == none: is not given
        function: adj_activation,
        /// One of the values of adj_activation_saved.
        saved: adj_activation_saved,
        /// 1: bias is added to saved, which is the input
        has_bias: i32,
        /// 1: dbias is written
        has_dbias: i32,
        /// of dbias; only with has_dbias; only if has_dbias
        write_mode: adj_write_mode,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of activation_backward.
    struct adj_activation_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, inner\] element
        dout: adj_tensor,
        /// in, \[outer, inner\] element: the input or the output of the forward operator
        saved: adj_tensor,
        /// in, \[inner\] element; only if has_bias
        bias: adj_tensor,
        /// out, \[outer, inner\] element; may be dout or saved itself
        dinput: adj_tensor,
        /// in/out, \[inner\] element; only if has_dbias; read if write_mode == accumulate
        dbias: adj_tensor,
    }
    /// Gated activation: out\[n, i\] = f(gate\[n, i\]) \* linear\[n, i\]. The terms of an output are those of f times \|linear\|.
    ///
    /// Its gradient: gated_activation_backward(dout, input).
    struct adj_gated_activation_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// \>= 0; must be given
        inner: i64,
        /// refused if function == none: is not given
        function: adj_gated_activation,
        /// One of the values of adj_gated_layout.
        layout: adj_gated_layout,
        /// 1: gate and linear change places
        gate_second: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of gated_activation_forward.
    struct adj_gated_activation_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, 2 \* inner\] element
        input: adj_tensor,
        /// out, \[outer, inner\] element
        out: adj_tensor,
    }
    /// Gradient of a gated activation, laid out like its input:
    ///     dgate = dout \* linear \* f'(gate),  dlinear = dout \* f(gate)
    /// The terms of dgate are those of f' times \|dout \* linear\|, those of dlinear the terms of f times \|dout\|.
    struct adj_gated_activation_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// \>= 0; must be given
        inner: i64,
        /// refused if function == none: is not given
        function: adj_gated_activation,
        /// One of the values of adj_gated_layout.
        layout: adj_gated_layout,
        /// 1: gate and linear change places
        gate_second: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of gated_activation_backward.
    struct adj_gated_activation_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, inner\] element
        dout: adj_tensor,
        /// in, \[outer, 2 \* inner\] element: what the forward operator got
        input: adj_tensor,
        /// out, \[outer, 2 \* inner\] element; may be input itself
        dinput: adj_tensor,
    }
    /// Attention: out and lse of the formulas above.
    ///
    /// Its gradient: attention_backward(dout, q, k, v, out, lse, cu_seqlens).
    struct adj_attention_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// sequences; 0 to 2147483647; must be given; refused if has_lengths && batch == 2147483647: is too many sequences with lengths
        batch: i64,
        /// tokens of a sequence, with has_lengths of all sequences; 0 to 2147483647; must be given
        tokens: i64,
        /// of q and out; 1 to 65535; must be given
        heads: i64,
        /// of k and v; 0: as many as heads; 0 to 65535; refused if kv_heads && heads % kv_heads != 0: is not a divisor of heads
        kv_heads: i64,
        /// 1 to 256; must be given
        head_dim: i64,
        /// most tokens that a key may lie before its query; -1: any number; \>= -1
        window: i64,
        /// 0: 1 / sqrt(head_dim); finite
        scale: f64,
        /// elements between sequences, tokens and heads of q; none: packed
        q_strides: adj_axes,
        /// of k
        k_strides: adj_axes,
        /// of v
        v_strides: adj_axes,
        /// of out
        out_strides: adj_axes,
        /// 1: a query meets no later keys
        causal: i32,
        /// 1: cu_seqlens is given
        has_lengths: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of attention_forward.
    struct adj_attention_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with q_strides
        q: adj_tensor,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with k_strides
        k: adj_tensor,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with v_strides
        v: adj_tensor,
        /// in, \[batch + 1\] i32; only if has_lengths
        cu_seqlens: adj_tensor,
        /// out, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with out_strides
        out: adj_tensor,
        /// out, has_lengths ? \[heads, tokens\] : \[batch, heads, tokens\], accumulator(element)
        lse: adj_tensor,
    }
    /// Gradients of attention. With w\[i, j\] = exp(s\[i, j\] - lse\[i\]) and
    ///     ds\[i, j\] = w\[i, j\] \* (sum over d of dout\[i, d\] \* v\[j, d\] - sum over d of dout\[i, d\] \* out\[i, d\]):
    ///     dq\[i, d\] = scale \* sum over j of ds\[i, j\] \* k\[j, d\]
    ///     dk\[j, d\] = scale \* sum over i of ds\[i, j\] \* q\[i, d\]
    ///     dv\[j, d\] = sum over i of w\[i, j\] \* dout\[i, d\]
    /// where i also runs over all heads of q that meet the head of k and v. out and lse are those of attention_forward for the same q, k and v, and
    /// the same fields.
    struct adj_attention_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// sequences; 0 to 2147483647; must be given; refused if has_lengths && batch == 2147483647: is too many sequences with lengths
        batch: i64,
        /// as in attention_forward; 0 to 2147483647; must be given
        tokens: i64,
        /// of q and out; 1 to 65535; must be given
        heads: i64,
        /// of k and v; 0: as many as heads; 0 to 65535; refused if kv_heads && heads % kv_heads != 0: is not a divisor of heads
        kv_heads: i64,
        /// 1 to 256; must be given
        head_dim: i64,
        /// as in attention_forward; \>= -1
        window: i64,
        /// 0: 1 / sqrt(head_dim); finite
        scale: f64,
        /// elements between sequences, tokens and heads of q; none: packed
        q_strides: adj_axes,
        /// of k
        k_strides: adj_axes,
        /// of v
        v_strides: adj_axes,
        /// of out
        out_strides: adj_axes,
        /// of dout
        dout_strides: adj_axes,
        /// of dq
        dq_strides: adj_axes,
        /// of dk
        dk_strides: adj_axes,
        /// of dv
        dv_strides: adj_axes,
        /// as in attention_forward
        causal: i32,
        /// 1: cu_seqlens is given
        has_lengths: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of attention_backward.
    struct adj_attention_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with dout_strides
        dout: adj_tensor,
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with q_strides
        q: adj_tensor,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with k_strides
        k: adj_tensor,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with v_strides
        v: adj_tensor,
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with out_strides
        out: adj_tensor,
        /// in, has_lengths ? \[heads, tokens\] : \[batch, heads, tokens\], accumulator(element)
        lse: adj_tensor,
        /// in, \[batch + 1\] i32; only if has_lengths
        cu_seqlens: adj_tensor,
        /// out, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with dq_strides
        dq: adj_tensor,
        /// out, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with dk_strides
        dk: adj_tensor,
        /// out, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with dv_strides
        dv: adj_tensor,
    }
    /// Batch norm:
    ///     y = (x - mean\[c\]) \* inv_std\[c\] \* scale\[c\] + bias\[c\],  inv_std\[c\] = 1 / sqrt(variance\[c\] + epsilon)
    /// training: mean and (biased) variance are those of the channel, and
    ///     next_running_mean     = momentum \* running_mean + (1 - momentum) \* mean
    ///     next_running_variance = momentum \* running_variance + (1 - momentum) \* variance \* M / (M - 1)   (M = 1: variance)
    /// otherwise the running statistics are used. PyTorch's momentum is 1 minus this one.
    ///
    /// Its gradient: batch_norm_backward(dout, input, scale, saved_mean, saved_inv_std, running_mean ? frozen, running_variance ? frozen, frozen = !training).
    struct adj_batch_norm_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0; must be given
        outer: i64,
        /// \>= 0; must be given
        channels: i64,
        /// \>= 0
        inner: i64,
        /// above 0
        epsilon: f64,
        /// weight of the old running statistics; from 0 to 1
        momentum: f64,
        /// 0: with the running statistics
        training: i32,
        /// of X and Y
        element: adj_dtype,
        /// of scale and bias; f32, f64, f16, bf16; 0 = element; refused if (weight == f64) != (element == f64): does not go with that element
        weight: adj_dtype,
        /// of the statistics; f32, f64, f16, bf16; 0 = weight; refused if (stats == f64) != (element == f64): does not go with that element
        stats: adj_dtype,
    }
    /// Arguments of batch_norm_forward.
    struct adj_batch_norm_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, channels, inner\] element: X
        input: adj_tensor,
        /// in, optional, \[channels\] weight: 1 without
        scale: adj_tensor,
        /// in, optional, \[channels\] weight: 0 without
        bias: adj_tensor,
        /// in, \[channels\] stats; optional if training: needed for next_running_mean
        running_mean: adj_tensor,
        /// in, \[channels\] stats; optional if training: needed for next_running_variance
        running_variance: adj_tensor,
        /// out, \[outer, channels, inner\] element; may be input itself: Y
        out: adj_tensor,
        /// out, optional, \[channels\] stats; only if training; may be running_mean itself
        next_running_mean: adj_tensor,
        /// out, optional, \[channels\] stats; only if training; may be running_variance itself
        next_running_variance: adj_tensor,
        /// out, optional, \[channels\] stats; only if training
        saved_mean: adj_tensor,
        /// out, optional, \[channels\] stats; only if training
        saved_inv_std: adj_tensor,
    }
    /// Batch norm, gradient, with h = (x - mean\[c\]) \* inv_std\[c\]:
    ///     dbias\[c\] = sum of dy;  dscale\[c\] = sum of dy \* h
    ///     dx = scale\[c\] \* inv_std\[c\] \* (dy - dbias\[c\] / M - h \* dscale\[c\] / M)
    /// frozen: statistics are the running ones, which do not depend on X: dx = scale\[c\] \* inv_std\[c\] \* dy.
    struct adj_batch_norm_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0; must be given
        outer: i64,
        /// \>= 0; must be given
        channels: i64,
        /// \>= 0
        inner: i64,
        /// read where frozen; above 0
        epsilon: f64,
        /// 1: the forward operator used the running statistics
        frozen: i32,
        /// of X and its gradient, and of dY
        element: adj_dtype,
        /// of scale, dscale and dbias; f32, f64, f16, bf16; 0 = element; refused if (weight == f64) != (element == f64): does not go with that element
        weight: adj_dtype,
        /// of the statistics; f32, f64, f16, bf16; 0 = weight; refused if (stats == f64) != (element == f64): does not go with that element
        stats: adj_dtype,
    }
    /// Arguments of batch_norm_backward.
    struct adj_batch_norm_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, channels, inner\] element: dY
        dout: adj_tensor,
        /// in, \[outer, channels, inner\] element: X
        input: adj_tensor,
        /// in, optional, \[channels\] weight: 1 without
        scale: adj_tensor,
        /// in, \[channels\] stats; only if !frozen
        saved_mean: adj_tensor,
        /// in, \[channels\] stats; only if !frozen
        saved_inv_std: adj_tensor,
        /// in, \[channels\] stats; only if frozen
        running_mean: adj_tensor,
        /// in, \[channels\] stats; only if frozen
        running_variance: adj_tensor,
        /// out, \[outer, channels, inner\] element; may be dout or input itself: dX
        dinput: adj_tensor,
        /// out, optional, \[channels\] weight
        dscale: adj_tensor,
        /// out, optional, \[channels\] weight
        dbias: adj_tensor,
    }
    /// Group norm: the channels of a sample form \`groups\` groups of channels / groups neighbours, and each group of each sample is normalised by itself,
    /// over its m = channels / groups \* inner elements:
    ///     y = (x - mean\[n, g\]) \* inv_std\[n, g\] \* scale\[c\] + bias\[c\],  inv_std\[n, g\] = 1 / sqrt(variance of the group + epsilon)  (biased variance)
    /// Here outer = N, and inner is the product of the spatial dimensions. One group is a layer norm over all of a sample; as many groups as channels are
    /// an instance norm. A NaN or an infinity stays in its group of its sample, and makes its statistics NaN.
    ///
    /// Terms, with D and q as above, of a group: as batch norm's Y, mean and inv_std.
    ///
    /// Source: ONNX GroupNormalization of opset 21; PyTorch's group_norm.
    ///
    /// Its gradient: group_norm_backward(dout, input, scale, mean, inv_std).
    struct adj_group_norm_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0; must be given
        outer: i64,
        /// a multiple of groups; \>= 0; must be given
        channels: i64,
        /// \>= 0
        inner: i64,
        /// \>= 1; must be given; refused if channels % groups != 0: does not divide channels
        groups: i64,
        /// read where frozen; above 0
        epsilon: f64,
        /// of X and Y
        element: adj_dtype,
        /// of scale and bias; f32, f64, f16, bf16; 0 = element; refused if (weight == f64) != (element == f64): does not go with that element
        weight: adj_dtype,
    }
    /// Arguments of group_norm_forward.
    struct adj_group_norm_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, channels, inner\] element: X
        input: adj_tensor,
        /// in, optional, \[channels\] weight: 1 without
        scale: adj_tensor,
        /// in, optional, \[channels\] weight: 0 without
        bias: adj_tensor,
        /// out, \[outer, channels, inner\] element; may be input itself: Y
        out: adj_tensor,
        /// out, optional, \[outer, groups\] accumulator(element)
        mean: adj_tensor,
        /// out, optional, \[outer, groups\] accumulator(element)
        inv_std: adj_tensor,
    }
    /// Group norm, gradient, with h = (x - mean\[n, g\]) \* inv_std\[n, g\] and means over the m elements of a group:
    ///     dbias\[c\] = sum of dy;  dscale\[c\] = sum of dy \* h
    ///     dx = inv_std\[n, g\] \* (scale\[c\] \* dy - mean of scale \* dy - h \* mean of scale \* dy \* h)
    /// Terms:
    ///     dX: inv_std \* (\|scale \* dy\| + mean of \|scale \* dy\| + \|h\| \* mean of \|scale \* dy \* h\|);  dscale: sum of \|dy \* h\|;  dbias: sum of \|dy\|
    struct adj_group_norm_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0; must be given
        outer: i64,
        /// a multiple of groups; \>= 0; must be given
        channels: i64,
        /// \>= 0
        inner: i64,
        /// \>= 1; must be given; refused if channels % groups != 0: does not divide channels
        groups: i64,
        /// of X and its gradient, and of dY
        element: adj_dtype,
        /// of scale, dscale and dbias; f32, f64, f16, bf16; 0 = element; refused if (weight == f64) != (element == f64): does not go with that element
        weight: adj_dtype,
    }
    /// Arguments of group_norm_backward.
    struct adj_group_norm_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, channels, inner\] element: dY
        dout: adj_tensor,
        /// in, \[outer, channels, inner\] element: X
        input: adj_tensor,
        /// in, optional, \[channels\] weight: 1 without
        scale: adj_tensor,
        /// in, \[outer, groups\] accumulator(element)
        mean: adj_tensor,
        /// in, \[outer, groups\] accumulator(element)
        inv_std: adj_tensor,
        /// out, \[outer, channels, inner\] element; may be dout or input itself: dX
        dinput: adj_tensor,
        /// out, optional, \[channels\] weight
        dscale: adj_tensor,
        /// out, optional, \[channels\] weight
        dbias: adj_tensor,
    }
    /// outputs\[i\] = the reduction over all ranks of inputs\[i\].
    struct adj_all_reduce_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 1
        count: i64,
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        numel: *const i64,
        /// default: sum
        reduction: adj_collective_reduction,
        /// f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64
        element: adj_dtype,
    }
    /// Arguments of all_reduce.
    struct adj_all_reduce_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        communicator: *mut c_void,
        /// in, \[numel\] element
        inputs: adj_tensor_list,
        /// out, \[numel\] element; may be inputs itself
        outputs: adj_tensor_list,
    }
    /// Even: outputs\[i\] is the concatenation of the inputs\[i\] of all ranks, numel\[i\] elements each. Whole: outputs\[i\] is the inputs\[i\] of
    /// the rank that owns it. In place, inputs\[i\] is the part of outputs\[i\] that this rank brings (even), or outputs\[i\] itself (whole); as
    /// the part of another rank it is refused with ADJ_ERROR_ALIASING.
    struct adj_all_gather_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of the communicator; 1 to 1048576; must be given
        ranks: i64,
        /// number of tensors \>= 1
        count: i64,
        /// host array of count element counts of the inputs; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        numel: *const i64,
        /// default: even
        layout: adj_shard_layout,
        /// every type of adj_dtype
        element: adj_dtype,
    }
    /// Arguments of all_gather.
    struct adj_all_gather_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        communicator: *mut c_void,
        /// in, \[numel\] element; may be a part of outputs: an entry may be the part of this rank
        inputs: adj_tensor_list,
        /// out, \[layout == whole ? numel : ranks \* numel\], element; may be inputs itself
        outputs: adj_tensor_list,
    }
    /// Even: outputs\[i\] is this rank's part of the reduction over all ranks of inputs\[i\]. Whole: outputs\[i\] is the reduction where this rank
    /// owns tensor i, and is left as it is elsewhere. In place, outputs\[i\] is this rank's part of inputs\[i\] (even), or inputs\[i\] itself
    /// (whole); as the part of another rank it is refused with ADJ_ERROR_ALIASING.
    struct adj_reduce_scatter_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of the communicator; 1 to 1048576; must be given
        ranks: i64,
        /// number of tensors \>= 1
        count: i64,
        /// host array of count element counts of the outputs; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        numel: *const i64,
        /// default: even
        layout: adj_shard_layout,
        /// default: sum
        reduction: adj_collective_reduction,
        /// f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of reduce_scatter.
    struct adj_reduce_scatter_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        communicator: *mut c_void,
        /// in, \[layout == whole ? numel : ranks \* numel\], element
        inputs: adj_tensor_list,
        /// in/out, \[numel\] element; may be inputs itself; may be a part of inputs: an entry may be the part of this rank
        outputs: adj_tensor_list,
    }
    /// Sends tensors to another rank, where recv with the same types and counts takes them. A receiver that does not know the counts takes
    /// them first, by a call of its own for a tensor of fixed extent. On the host a copy is sent and the call does not wait.
    struct adj_send_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// rank that receives, not this one; \>= 0; must be given
        peer: i64,
        /// number of tensors \>= 1
        count: i64,
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        numel: *const i64,
        /// every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of send.
    struct adj_send_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        communicator: *mut c_void,
        /// in, \[numel\] element
        tensors: adj_tensor_list,
    }
    /// Receives what another rank sends.
    struct adj_recv_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// rank that sends, not this one; \>= 0; must be given
        peer: i64,
        /// number of tensors \>= 1
        count: i64,
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        numel: *const i64,
        /// every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of recv.
    struct adj_recv_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        communicator: *mut c_void,
        /// out, \[numel\] element
        tensors: adj_tensor_list,
    }
    /// tensors\[i\] of every rank become those of the rank root.
    struct adj_broadcast_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// a rank of the communicator; \>= 0
        root: i64,
        /// number of tensors \>= 1
        count: i64,
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        numel: *const i64,
        /// every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of broadcast.
    struct adj_broadcast_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        communicator: *mut c_void,
        /// in/out, \[numel\] element
        tensors: adj_tensor_list,
    }
    /// Adasum over all ranks, 1, 2, 4, .. of them: with
    ///     adasum(a, b) = (1 - a.b / (2 a.a)) a + (1 - a.b / (2 b.b)) b,   a factor being 1 where its square a.a or b.b is below 1.5e-154,
    /// outputs\[i\] is adasum(adasum(r_0, r_1), adasum(r_2, r_3)), and so on, of the inputs\[i\] of ranks 0, 1, ..; products are per tensor.
    /// Sums of products are taken in f64, the vectors between the levels are f32 (f64 for f64), and the result is rounded once.
    struct adj_adasum_all_reduce_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of the communicator, a power of two; 1 to 1048576; must be given
        ranks: i64,
        /// number of tensors \>= 1
        count: i64,
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        numel: *const i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of adasum_all_reduce.
    struct adj_adasum_all_reduce_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        communicator: *mut c_void,
        /// in, \[numel\] element
        inputs: adj_tensor_list,
        /// out, \[numel\] element; may be inputs itself
        outputs: adj_tensor_list,
    }
    /// The beginning of a tensor-parallel block: a copy in the forward direction, the sum over all ranks in the backward one.
    struct adj_megatron_f_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// elements; \>= 0; must be given
        numel: i64,
        /// 1: the backward direction
        backward: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of megatron_f.
    struct adj_megatron_f_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, only if backward
        communicator: *mut c_void,
        /// in, \[numel\] element
        input: adj_tensor,
        /// out, \[numel\] element; may be input itself
        output: adj_tensor,
    }
    /// The end of a tensor-parallel block: the sum over all ranks in the forward direction, a copy in the backward one.
    struct adj_megatron_g_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// elements; \>= 0; must be given
        numel: i64,
        /// 1: the backward direction
        backward: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of megatron_g.
    struct adj_megatron_g_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, only if !backward
        communicator: *mut c_void,
        /// in, \[numel\] element
        input: adj_tensor,
        /// out, \[numel\] element; may be input itself
        output: adj_tensor,
    }
    /// Concat:   output\[p, o_i + a, n\] = inputs\[i\]\[p, a, n\],   o_i = lengths\[0\] + .. + lengths\[i - 1\]
    ///
    /// Inputs may overlap each other, not the output.
    struct adj_concat_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// \>= 0
        inner: i64,
        /// number of inputs \>= 1
        count: i64,
        /// host array of count lengths; copied by select; \>= 0; refused if count \< 1: needs at least 1 entry
        lengths: *const i64,
        /// every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of concat.
    struct adj_concat_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, lengths, inner\] element
        inputs: adj_tensor_list,
        /// out, \[outer, sum(lengths), inner\] element
        output: adj_tensor,
        /// out, optional, host, \[count\] i64: the lengths, written by the call itself before it returns (a replayed graph does not write them again)
        lengths_out: adj_tensor,
    }
    /// Split:   outputs\[i\]\[p, a, n\] = input\[p, o_i + a, n\],   o_i = lengths\[0\] + .. + lengths\[i - 1\]
    ///
    /// No output may overlap another or the input.
    struct adj_split_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// \>= 0
        inner: i64,
        /// number of outputs \>= 1
        count: i64,
        /// host array of count lengths; copied by select; \>= 0; refused if count \< 1: needs at least 1 entry
        lengths: *const i64,
        /// every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of split.
    struct adj_split_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, sum(lengths), inner\] element
        input: adj_tensor,
        /// out, \[outer, lengths, inner\] element
        outputs: adj_tensor_list,
    }
    /// A place in the order of a stream: nothing is launched, done is set. It says that the call was reached, not that work on the stream
    /// has ended; record_event and wait_event order streams.
    struct adj_group_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors of inputs, \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of group.
    struct adj_group_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, optional, \[numel\] element: what has to be there; nothing is read
        inputs: adj_tensor_list,
        /// out, optional, host, \[1\] bool: true, written by the call itself
        done: adj_tensor,
    }
    /// outputs = inputs, then event is recorded: it occurs when the work that the stream has so far is done. event is a CUevent or
    /// cudaEvent_t of the stream's device on a CUDA stream, and a handle of adj_host_event_create on the host stream, where it wakes all
    /// who wait for it. Usable while the stream is being captured.
    struct adj_record_event_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors, \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// 1: no event, tensors are passed on only
        skip: i32,
        /// every type of adj_dtype
        element: adj_dtype,
    }
    /// Arguments of record_event.
    struct adj_record_event_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, only if !skip
        event: *mut c_void,
        /// in, \[numel\] element
        inputs: adj_tensor_list,
        /// out, \[numel\] element; may be inputs itself
        outputs: adj_tensor_list,
    }
    /// The stream waits for event, as it was last recorded, then outputs = inputs. Any number of streams may wait for one event. On a CUDA
    /// stream the calling thread does not wait, and an event that was never recorded has occurred; on the host stream the thread waits until
    /// the event has been recorded since it was created or reset.
    struct adj_wait_event_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors, \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// 1: no event, tensors are passed on only
        skip: i32,
        /// every type of adj_dtype
        element: adj_dtype,
    }
    /// Arguments of wait_event.
    struct adj_wait_event_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, only if !skip
        event: *mut c_void,
        /// in, \[numel\] element
        inputs: adj_tensor_list,
        /// out, \[numel\] element; may be inputs itself
        outputs: adj_tensor_list,
    }
    /// The border between a model and the loop that trains it: outputs leave, their gradients come in. A call checks counts, types and
    /// sizes and does nothing else. Gradient j is that of the j-th output whose place is not among non_differentiable. It has the size of
    /// its output, or any size where free_shape has the place (YieldOp's full_shape_outputs has the other places).
    struct adj_yield_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of outputs \>= 1
        count: i64,
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        numel: *const i64,
        /// \>= 0
        non_differentiable_count: i64,
        /// host array of places among outputs, ascending; copied by select
        non_differentiable: *const i64,
        /// \>= 0
        free_shape_count: i64,
        /// host array of places of differentiable outputs, ascending; copied by select
        free_shape: *const i64,
        /// every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of yield.
    struct adj_yield_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        outputs: adj_tensor_list,
        /// in, element: one for each differentiable output, of its size or, with free_shape, of any
        gradients: adj_tensor_list,
    }
    /// What a callback is called with; everything is read during the call only. Addresses are those of the arguments, in the memory of the
    /// stream.
    struct adj_callback_call {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of the descriptor
        user: *mut c_void,
        /// The member stream.
        stream: *const adj_stream,
        /// of the arguments; null when it is absent
        context: *mut i64,
        /// The member inputs.
        inputs: *const adj_tensor_list,
        /// The member outputs.
        outputs: *const adj_tensor_list,
    }
    /// A kernel of the caller's. The entry is
    ///     extern "C" __global__ void entry(\<a pointer for each input\>, \<a pointer for each output\>, \<a long long for each integer\>,
    ///                                      \<a double for each real\>)
    /// Before anything is launched, select compares the number of the parameters and their sizes with those that the machine code or the PTX
    /// states; a type of the same size cannot be told from another. It fails with ADJ_ERROR_INVALID_PROBLEM, naming the parameter, where they
    /// differ, and where the code has no such kernel, naming those it has; with ADJ_ERROR_CORRUPT where the code cannot be read; with
    /// ADJ_ERROR_UNSUPPORTED where a cubin or PTX is for another architecture; with ADJ_ERROR_COMPILE_FAILED and the compiler's log where a source
    /// or PTX does not compile.
    /// What the kernel reads and writes is the caller's affair, and so are its results: the guarantee of the SKU is that of the launch, which adds
    /// nothing to them. On the host stream run calls the function host in its place.
    /// The code stays on the device while a plan or a bound call of it lives, and while it is among the 64 programs last selected; then it is
    /// unloaded. Keep the plan as long as a CUDA graph that captured a run.
    struct adj_user_kernel_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// size of code; -1: a text, up to its terminating zero
        code_bytes: i64,
        /// what code_kind says; copied by select
        code: *const c_void,
        /// name of the kernel, as the code has it: of a C++ function the mangled one; copied by select
        entry: *const c_char,
        /// of a source: blank-separated, "N=4 FAST"; defined at the head of the source; may be null, null otherwise
        macros: *const c_char,
        /// \>= 0
        input_count: i64,
        /// host array of input_count element counts; \>= 0
        input_numel: *const i64,
        /// \>= 1
        output_count: i64,
        /// host array of output_count element counts; \>= 0; refused if output_count \< 1: needs at least 1 tensor
        output_numel: *const i64,
        /// \>= 0
        integer_count: i64,
        /// host array of integer_count arguments
        integers: *const i64,
        /// \>= 0
        real_count: i64,
        /// host array of real_count arguments
        reals: *const f64,
        /// blocks, 1 to 3 extents \>= 1
        grid: adj_axes,
        /// threads, 1 to 3 extents \>= 1
        block: adj_axes,
        /// dynamic shared memory of a block; 0 to 1048576
        shared_bytes: i64,
        /// for the host stream; null: there is no plan for it
        host: adj_callback_function,
        /// what host is called with; may be null
        user: *mut c_void,
        /// what code is
        code_kind: adj_code_kind,
        /// of inputs: every type of adj_dtype
        element: adj_dtype,
        /// of outputs: every type; 0 = element
        output_element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of user_kernel.
    struct adj_user_kernel_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[input_numel\] element
        inputs: adj_tensor_list,
        /// in/out, \[output_numel\] output_element; may be inputs itself
        outputs: adj_tensor_list,
    }
    /// A C function of the caller, called by run itself on the thread that calls it. What the function puts on the stream is in stream order
    /// with what comes before and after it; the function must not wait for the stream, and while the stream is being captured it must do only
    /// what may be captured. context is a number of the caller's that one function leaves for another, such as the state that a forward
    /// function saves for its backward one. Functions are kept for as long as a plan that has them; destroy is then called once for it.
    struct adj_callback_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// must be given
        function: adj_callback_function,
        /// called with user when the plan is gone; may be null
        destroy: adj_callback_destroy,
        /// the caller's; may be null
        user: *mut c_void,
        /// \>= 0
        input_count: i64,
        /// host array of input_count element counts; copied by select; \>= 0
        input_numel: *const i64,
        /// \>= 0
        output_count: i64,
        /// host array of output_count element counts; copied by select; \>= 0
        output_numel: *const i64,
        /// of inputs and outputs: every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of callback.
    struct adj_callback_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[input_numel\] element
        inputs: adj_tensor_list,
        /// in/out, \[output_numel\] element; may be inputs itself
        outputs: adj_tensor_list,
        /// in/out, optional, host, \[1\] i64
        context: adj_tensor,
    }
    /// Convolution, with i = o \* s + k \* d - b in every spatial dimension and g = m / (M / G):
    ///     out\[n, m, o\] = bias\[m\] + sum over c \< C / G and k of input\[n, g \* C / G + c, i\] \* weight\[m, c, k\]
    ///
    /// Its gradient: conv_backward(dout, input ? has_dweight, weight ? has_dinput).
    struct adj_conv_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// as stored: 3 to 5 dimensions
        input: adj_shape,
        /// as stored
        weight: adj_shape,
        /// as stored
        out: adj_shape,
        /// one per spatial dimension, or none for 1
        strides: adj_axes,
        /// all beginnings, then all ends, or none for 0
        pads: adj_axes,
        /// one per spatial dimension, or none for 1
        dilations: adj_axes,
        /// \>= 1
        groups: i64,
        /// 1: channels are the last dimension of all tensors
        channels_last: i32,
        /// 1: bias is given
        has_bias: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of conv_forward.
    struct adj_conv_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, input element
        input: adj_tensor,
        /// in, weight element
        weight: adj_tensor,
        /// in, \[extent(out, channels_last ? -1 : 1)\], element; only if has_bias
        bias: adj_tensor,
        /// out, out element
        out: adj_tensor,
    }
    /// Gradients of convolution, each on request:
    ///     dinput\[n, g \* C / G + c, i\] = sum over m of group g and all (o, k) with i = o \* s + k \* d - b of dout\[n, m, o\] \* weight\[m, c, k\]
    ///     dweight\[m, c, k\] (=\|+=) sum over n and o of dout\[n, m, o\] \* input\[n, g \* C / G + c, o \* s + k \* d - b\]
    ///     dbias\[m\] (=\|+=) sum over n and o of dout\[n, m, o\]
    struct adj_conv_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// as in the forward direction
        input: adj_shape,
        /// as in the forward direction
        weight: adj_shape,
        /// as in the forward direction
        out: adj_shape,
        /// as in the forward direction
        strides: adj_axes,
        /// as in the forward direction
        pads: adj_axes,
        /// as in the forward direction
        dilations: adj_axes,
        /// \>= 1
        groups: i64,
        /// 1: channels are the last dimension of all tensors
        channels_last: i32,
        /// 1: dinput is computed
        has_dinput: i32,
        /// 1: dweight is computed
        has_dweight: i32,
        /// 1: dbias is computed
        has_dbias: i32,
        /// of dweight and dbias; only if has_dweight \|\| has_dbias
        write_mode: adj_write_mode,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of conv_backward.
    struct adj_conv_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, out element
        dout: adj_tensor,
        /// in, input element; only if has_dweight
        input: adj_tensor,
        /// in, weight element; only if has_dinput
        weight: adj_tensor,
        /// out, input element; only if has_dinput
        dinput: adj_tensor,
        /// in/out, weight element; only if has_dweight; read if write_mode == accumulate
        dweight: adj_tensor,
        /// in/out, \[extent(out, channels_last ? -1 : 1)\], element; only if has_dbias; read if write_mode == accumulate
        dbias: adj_tensor,
    }
    /// Transposed convolution:
    ///     out\[n, g \* M / G + m, i\] = bias\[g \* M / G + m\] + sum over c of group g and all (o, k) with i = o \* s + k \* d - b of
    ///                                input\[n, c, o\] \* weight\[c, m, k\]
    ///
    /// Its gradient: conv_transpose_backward(dout, input ? has_dweight, weight ? has_dinput).
    struct adj_conv_transpose_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// as stored: 3 to 5 dimensions
        input: adj_shape,
        /// as stored
        weight: adj_shape,
        /// as stored
        out: adj_shape,
        /// as in conv_forward
        strides: adj_axes,
        /// as in conv_forward
        pads: adj_axes,
        /// as in conv_forward
        dilations: adj_axes,
        /// \>= 1
        groups: i64,
        /// 1: channels are the last dimension of all tensors
        channels_last: i32,
        /// 1: bias is given
        has_bias: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of conv_transpose_forward.
    struct adj_conv_transpose_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, input element
        input: adj_tensor,
        /// in, weight element
        weight: adj_tensor,
        /// in, \[extent(out, channels_last ? -1 : 1)\], element; only if has_bias
        bias: adj_tensor,
        /// out, out element
        out: adj_tensor,
    }
    /// Gradients of transposed convolution, each on request:
    ///     dinput\[n, c, o\] = sum over m \< M / G and k of dout\[n, g \* M / G + m, o \* s + k \* d - b\] \* weight\[c, m, k\]
    ///     dweight\[c, m, k\] (=\|+=) sum over n and o of input\[n, c, o\] \* dout\[n, g \* M / G + m, o \* s + k \* d - b\]
    ///     dbias\[q\] (=\|+=) sum over n and i of dout\[n, q, i\]
    struct adj_conv_transpose_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// as in the forward direction
        input: adj_shape,
        /// as in the forward direction
        weight: adj_shape,
        /// as in the forward direction
        out: adj_shape,
        /// as in conv_forward
        strides: adj_axes,
        /// as in conv_forward
        pads: adj_axes,
        /// as in conv_forward
        dilations: adj_axes,
        /// \>= 1
        groups: i64,
        /// 1: channels are the last dimension of all tensors
        channels_last: i32,
        /// 1: dinput is computed
        has_dinput: i32,
        /// 1: dweight is computed
        has_dweight: i32,
        /// 1: dbias is computed
        has_dbias: i32,
        /// of dweight and dbias; only if has_dweight \|\| has_dbias
        write_mode: adj_write_mode,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of conv_transpose_backward.
    struct adj_conv_transpose_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, out element
        dout: adj_tensor,
        /// in, input element; only if has_dweight
        input: adj_tensor,
        /// in, weight element; only if has_dinput
        weight: adj_tensor,
        /// out, input element; only if has_dinput
        dinput: adj_tensor,
        /// in/out, weight element; only if has_dweight; read if write_mode == accumulate
        dweight: adj_tensor,
        /// in/out, \[extent(out, channels_last ? -1 : 1)\], element; only if has_dbias; read if write_mode == accumulate
        dbias: adj_tensor,
    }
    /// Dropout:
    ///     training:  out\[e\] = kept(e) ? input\[e\] / (1 - ratio) : 0
    ///     otherwise: out\[e\] = input\[e\], masks of ones, no words consumed; ratio and random are not read
    ///
    /// Its gradient: dropout_backward(dout, mask, ratio, random ? !mask, mapping ? !mask, multiprocessors ? !mask, threads_per_multiprocessor ? !mask).
    struct adj_dropout_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// elements; \>= 0; must be given
        numel: i64,
        /// how the mask is stored
        mask: adj_dropout_mask,
        /// 0: the identity
        training: i32,
        /// 1: the offset on the device is advanced; only if training
        advance_offset: i32,
        /// of random numbers to elements
        mapping: adj_dropout_mapping,
        /// \>= 1 with the mapping of ONNX Runtime, else 0
        multiprocessors: i32,
        /// \>= 256 with the mapping of ONNX Runtime, else 0
        threads_per_multiprocessor: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of dropout_forward.
    struct adj_dropout_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        input: adj_tensor,
        /// in, f32 or f64 on the device; optional if !training: in \[0, 1\]; must be given in training
        ratio: adj_scalar,
        /// in/out, optional if !training; on the device if advance_offset; written if advance_offset: seed and offset, must be given in training
        random: adj_random,
        /// out, \[numel\] element; may be input itself
        out: adj_tensor,
        /// out, mask == bits ? \[ceil_div(numel, 32)\] : \[numel\], mask == bits ? u32 : bool; only if mask != none
        mask: adj_tensor,
        /// out, optional, host, \[1\] i64: words consumed
        words: adj_tensor,
    }
    /// Dropout, gradient:
    ///     training:  dinput\[e\] = kept(e) ? dout\[e\] / (1 - ratio) : 0; at a ratio of 0 dout\[e\], and the mask is not read
    ///     otherwise: dinput\[e\] = dout\[e\]; ratio, random and mask are not read
    /// kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.
    struct adj_dropout_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// elements; \>= 0; must be given
        numel: i64,
        /// how the mask is stored
        mask: adj_dropout_mask,
        /// 0: the gradient of the identity
        training: i32,
        /// of random numbers to elements; refused if mapping == onnx_runtime && mask != none: needs no mask: a stored mask is not drawn
        mapping: adj_dropout_mapping,
        /// \>= 1 with the mapping of ONNX Runtime, else 0
        multiprocessors: i32,
        /// \>= 256 with the mapping of ONNX Runtime, else 0
        threads_per_multiprocessor: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of dropout_backward.
    struct adj_dropout_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        dout: adj_tensor,
        /// in, mask == bits ? \[ceil_div(numel, 32)\] : \[numel\], mask == bits ? u32 : bool; only if mask != none; optional if !training
        mask: adj_tensor,
        /// in, f32 or f64 on the device; optional if !training: in \[0, 1\]; must be given in training
        ratio: adj_scalar,
        /// in, only if mask == none; optional if !training: that of the forward call
        random: adj_random,
        /// out, \[numel\] element; may be dout itself
        dinput: adj_tensor,
    }
    /// Softmax of rows with a bias, then dropout, always in training mode:
    ///     p\[r, :\] = softmax(input\[r, :\] + bias\[b(r), :\])
    ///     softmax_out = p,   out\[r, c\] = kept(r \* columns + c) ? p\[r, c\] / (1 - ratio) : 0
    ///     b(r) = r / (rows / bias_rows) with inner_broadcast, else r mod bias_rows; no bias with bias_rows = 0
    /// Sums and dropout take unrounded numbers.
    ///
    /// Edge cases:
    /// - A row whose scores are all -infinity is NaN, or zeros with zero_masked_rows.
    /// - A NaN or an infinity affects its own row only.
    struct adj_bias_softmax_dropout_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0; must be given
        rows: i64,
        /// \>= 0; must be given
        columns: i64,
        /// 0: no bias; \>= 0; refused if bias_rows && (rows % bias_rows != 0 \|\| rows == 0 && bias_rows \> 1): does not divide rows
        bias_rows: i64,
        /// how the mask is stored
        mask: adj_dropout_mask,
        /// 1: consecutive rows share a row of the bias; only if bias_rows
        inner_broadcast: i32,
        /// 1: rows of -infinity become zeros
        zero_masked_rows: i32,
        /// 1: the offset on the device is advanced
        advance_offset: i32,
        /// of random numbers to elements
        mapping: adj_dropout_mapping,
        /// with the mapping of ONNX Runtime: \>= 1 for more than 2048 columns, may be 0 for fewer
        multiprocessors: i32,
        /// with the mapping of ONNX Runtime: \>= 256 for more than 2048 columns, may be 0 for fewer
        threads_per_multiprocessor: i32,
        /// 1: with the mapping of ONNX Runtime, a buffer there was not aligned to 4 elements
        unaligned: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of bias_softmax_dropout_forward.
    struct adj_bias_softmax_dropout_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[rows, columns\] element
        input: adj_tensor,
        /// in, \[bias_rows, columns\] element; only if bias_rows \> 0
        bias: adj_tensor,
        /// in, f32 or f64 on the device: in \[0, 1\]; must be given
        ratio: adj_scalar,
        /// in/out, on the device if advance_offset; written if advance_offset: seed and offset, must be given
        random: adj_random,
        /// out, \[rows, columns\] element; may be input itself
        out: adj_tensor,
        /// out, mask == bits ? \[ceil_div(rows \* columns, 32)\] : \[rows, columns\], mask == bits ? u32 : bool; only if mask != none
        mask: adj_tensor,
        /// out, optional, \[rows, columns\] element; may be input itself: p, for the gradient
        softmax_out: adj_tensor,
        /// out, optional, host, \[1\] i64: words consumed
        words: adj_tensor,
    }
    /// Softmax and dropout, gradient with respect to the input (that of the bias is its sum over the rows that share one):
    ///     a\[r, c\] = kept(r \* columns + c) ? dout\[r, c\] / (1 - ratio) : 0
    ///     dinput\[r, c\] = softmax_out\[r, c\] \* (a\[r, c\] - sum over k of a\[r, k\] \* softmax_out\[r, k\])
    /// kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.
    struct adj_softmax_dropout_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0; must be given
        rows: i64,
        /// \>= 0; must be given
        columns: i64,
        /// how the mask is stored
        mask: adj_dropout_mask,
        /// of random numbers to elements; refused if mapping == onnx_runtime && mask != none: needs no mask: a stored mask is not drawn
        mapping: adj_dropout_mapping,
        /// with the mapping of ONNX Runtime: \>= 1 for more than 2048 columns, may be 0 for fewer
        multiprocessors: i32,
        /// with the mapping of ONNX Runtime: \>= 256 for more than 2048 columns, may be 0 for fewer
        threads_per_multiprocessor: i32,
        /// as in the forward call
        unaligned: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of softmax_dropout_backward.
    struct adj_softmax_dropout_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[rows, columns\] element
        dout: adj_tensor,
        /// in, mask == bits ? \[ceil_div(rows \* columns, 32)\] : \[rows, columns\], mask == bits ? u32 : bool; only if mask != none
        mask: adj_tensor,
        /// in, \[rows, columns\] element: the softmax before dropout
        softmax_out: adj_tensor,
        /// in, f32 or f64 on the device: in \[0, 1\]; must be given
        ratio: adj_scalar,
        /// in, only if mask == none: that of the forward call
        random: adj_random,
        /// out, \[rows, columns\] element; may be dout or softmax_out itself
        dinput: adj_tensor,
    }
    /// Gradients of a / b, where both are broadcast to one shape by numpy's rules (aligned at the last dimension; a dimension of one element and a missing
    /// one repeat):
    ///     da = sum of dout / b               over the dimensions along which a repeats
    ///     db = sum of -(dout / b) \* (a / b)  over the dimensions along which b repeats
    ///
    /// Types. Quotients are formed in f32 (f64 for f64), and sums are rounded once, at the end. The order of additions depends on the shapes and the element
    /// type alone. Nothing of the broadcast shape is stored.
    ///
    /// Edge cases:
    /// - A division by 0 follows IEEE arithmetic.
    /// - Where no element is summed, a gradient is 0.
    ///
    /// Terms (see adj_guarantee) of an element: its addends.
    struct adj_div_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of a and da; broadcast to that of dout
        a_shape: adj_shape,
        /// of b and db; broadcast to that of dout
        b_shape: adj_shape,
        /// 1: da is not wanted
        skip_da: i32,
        /// 1: db is not wanted, and a is not read; refused if skip_da && skip_db: and skip_da leave nothing to compute
        skip_db: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of div_backward.
    struct adj_div_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, broadcast(a_shape, b_shape) element
        dout: adj_tensor,
        /// in, a_shape element; only if !skip_db
        a: adj_tensor,
        /// in, b_shape element
        b: adj_tensor,
        /// out, a_shape element; only if !skip_da
        da: adj_tensor,
        /// out, b_shape element; only if !skip_db
        db: adj_tensor,
    }
    /// Embedding forward:   out\[n, :\] = weight\[indices\[n\], :\], a bit-exact copy.
    ///
    /// An index outside \[0, num_embeddings) (negative ones included: there is no wrap-around) yields a row of zeros and is
    /// counted in error_flag. padding_idx is not special in the forward direction unless padding_zeroes_forward is set.
    ///
    /// Its gradient: embedding_backward(dout, indices, scale_grad_by_freq).
    struct adj_embedding_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// V; \>= 0; must be given
        num_embeddings: i64,
        /// D; \>= 0; must be given
        embedding_dim: i64,
        /// N; \>= 0; must be given
        num_indices: i64,
        /// negative: from the end; only if has_padding_idx; refused if has_padding_idx && (padding_idx \< -num_embeddings \|\| padding_idx \>= num_embeddings): is outside of the rows
        padding_idx: i64,
        /// 1: padding_idx holds
        has_padding_idx: i32,
        /// 1: rows of padding_idx come out as zeros
        padding_zeroes_forward: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64
        index: adj_dtype,
    }
    /// Arguments of embedding_forward.
    struct adj_embedding_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[num_embeddings, embedding_dim\] element
        weight: adj_tensor,
        /// in, \[num_indices\] index
        indices: adj_tensor,
        /// out, \[num_indices, embedding_dim\] element
        out: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        error_flag: adj_tensor,
    }
    /// Embedding backward:   dweight\[r, :\] (=\|+=) s_r \* sum over n with indices\[n\] == r of dout\[n, :\]
    ///     s_r = 1, or 1 / (number of such n) with scale_grad_by_freq
    ///
    /// Types. 16-bit types accumulate in f32 and are rounded once. The addends are taken in a fixed order that depends on the indices alone.
    ///
    /// In place. dout and dweight must not overlap.
    ///
    /// Edge cases:
    /// - Rows of padding_idx get no gradient: they are zero when overwriting and unchanged when accumulating.
    /// - Indices outside \[0, num_embeddings) are skipped and counted in error_flag.
    ///
    /// Workspace on a device. None for up to 1024 indices into a dweight of up to 16 MB. Other calls sort the indices: at most 16 N + 516 Ki bytes and,
    /// beyond 127 indices, D accumulators (f32, or f64 for f64) for every 64 indices. V is then at most 2^32 - 2.
    ///
    /// Index plans. With use_index_plan the call takes sorted_rows and order in place of indices: what index_plan gave for the same V and N.
    /// - Nothing is sorted, and 2 N + 1024 bytes of workspace take the place of 16 N + 516 Ki.
    /// - Positions that the plan leaves out get no gradient, so has_padding_idx must be 0. The plan has counted them, so error_flag stays as it is.
    /// - The bits are those of the same SKU without a plan.
    /// - Contents that index_plan did not write for this V and N give an unspecified dweight. Nothing is read or written outside the buffers.
    ///
    /// Without determinism. A preference of determinism none may take a kernel that adds to dweight in memory, in the order in which additions arrive.
    /// - It serves f32 and f64, since 16-bit sums would be rounded at every addition, up to 65536 indices, and neither scale_grad_by_freq nor
    ///   use_index_plan.
    /// - n additions to an element are up to n roundings. The guarantee states the bound for the most.
    /// - In f32 it takes numbers and intermediate sums below 2^-126 in magnitude for zero. The bound leaves that out, and ADJ_MATH_IEEE excludes it.
    /// - It needs no workspace. It is chosen where there are few addends, and few that share a row; preference.sku = "embedding_backward/atomic\*"
    ///   forces it.
    struct adj_embedding_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// V; \>= 0; must be given
        num_embeddings: i64,
        /// D; \>= 0; must be given
        embedding_dim: i64,
        /// N; 0 to 2147483647; must be given
        num_indices: i64,
        /// negative: from the end; only if has_padding_idx; refused if has_padding_idx && (padding_idx \< -num_embeddings \|\| padding_idx \>= num_embeddings): is outside of the rows
        padding_idx: i64,
        /// overwrite unless stated
        write_mode: adj_write_mode,
        /// 1: a row is divided by the number of its indices
        scale_grad_by_freq: i32,
        /// 1: padding_idx holds
        has_padding_idx: i32,
        /// 1: sorted_rows and order instead of indices; V at most 2^31 - 1
        use_index_plan: i32,
        /// f32, f64, f16, bf16: type of dout and dweight
        element: adj_dtype,
        /// i32, i64
        index: adj_dtype,
    }
    /// Arguments of embedding_backward.
    struct adj_embedding_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[num_indices, embedding_dim\] element
        dout: adj_tensor,
        /// in, \[num_indices\] index; only if !use_index_plan
        indices: adj_tensor,
        /// in/out, \[num_embeddings, embedding_dim\] element; read if write_mode == accumulate
        dweight: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        error_flag: adj_tensor,
        /// in, \[num_indices\] i32; only if use_index_plan
        sorted_rows: adj_tensor,
        /// in, \[num_indices\] i32; only if use_index_plan
        order: adj_tensor,
    }
    /// Gather gradient, the gradient of out = Gather(input, indices, axis) in input:
    ///     dinput\[o, r, i\] (=\|+=) sum over n with row(indices\[n\]) == r of dout\[o, n, i\]
    ///     row(x) = x, or x + extent when x is negative
    ///
    /// Arguments. outer is the product of the extents of input before the axis, extent that of the axis, inner the product of those after it, and
    /// num_indices the product of the extents of indices. dout is \[outer, indices..., inner\].
    ///
    /// Types. 16-bit types accumulate in f32 and are rounded once. The addends are taken in a fixed order that depends on the indices alone, or with
    /// determinism none as in embedding_backward.
    ///
    /// In place. dout and dinput must not overlap.
    ///
    /// Edge cases:
    /// - An index outside \[-extent, extent) is skipped and counted in error_flag, once, whatever outer is.
    /// - Rows that no index names are zero when overwriting and unchanged when accumulating.
    ///
    /// Workspace and the most rows on a device are those of embedding_backward, with outer \* inner for D. Only where outer is 1 can no workspace be needed.
    ///
    /// Index plans. use_index_plan is as in embedding_backward, with extent for V. wrap_negative in the plan's descriptor lets negative indices count from
    /// the end.
    struct adj_gather_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// of the axis; \>= 0; must be given
        extent: i64,
        /// \>= 0
        inner: i64,
        /// N; 0 to 2147483647; must be given
        num_indices: i64,
        /// overwrite unless stated
        write_mode: adj_write_mode,
        /// 1: sorted_rows and order instead of indices; extent at most 2^31 - 1
        use_index_plan: i32,
        /// f32, f64, f16, bf16: type of dout and dinput
        element: adj_dtype,
        /// i32, i64
        index: adj_dtype,
    }
    /// Arguments of gather_backward.
    struct adj_gather_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, num_indices, inner\] element
        dout: adj_tensor,
        /// in, \[num_indices\] index; only if !use_index_plan
        indices: adj_tensor,
        /// in/out, \[outer, extent, inner\] element; read if write_mode == accumulate
        dinput: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        error_flag: adj_tensor,
        /// in, \[num_indices\] i32; only if use_index_plan
        sorted_rows: adj_tensor,
        /// in, \[num_indices\] i32; only if use_index_plan
        order: adj_tensor,
    }
    /// Index plan: the positions of indices, stably sorted by the rows that the indices name.
    ///     sorted_rows\[i\]   the row of the i-th position in that order, ascending; V for positions that take no part, which come last
    ///     order\[i\]         the position itself; ascending among those of one row, and among those that take no part
    ///
    /// Arguments. \`positions\` says what a row is:
    /// - Rows: index x names row x, or x + V when it is negative and wrap_negative is set. A position takes no part when its index is then outside
    ///   \[0, V), which is counted in error_flag, or is padding_idx.
    /// - Slices and elements: the rows are those that gather_nd_backward and gather_elements_backward (ops/index.h) add to, of the same input_shape and
    ///   indices_shape: slices of dinput, or single elements of it. Negative indices count from the end. A position with an index outside its axis takes
    ///   no part and is counted.
    ///
    /// Use. Gradients that sum by row take the results in place of indices and sort nothing: use_index_plan of embedding_backward,
    /// embedding_bag_backward, gather_backward, gather_nd_backward, gather_elements_backward and index_add. One plan serves any number of them with the
    /// same V and N, of any element type and width: the tables and layers that look up the same indices, and every step for which these stay as they are.
    /// Embeddings with padding_idx take a plan with the same padding_idx; gather_backward and index_add take one with wrap_negative.
    ///
    /// Results. order is a permutation of 0 ... N - 1. Both results follow from the indices alone: exactly, on every backend.
    ///
    /// In place. Neither result may overlap the other one or indices.
    ///
    /// Edge cases:
    /// - With N = 0 nothing is launched.
    ///
    /// Workspace on a device: none up to 4096 indices; else 8 N bytes and at most 512 KB; for slices and elements 8 N bytes more.
    struct adj_index_plan_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// V: rows that positions may name; 0 to 2147483647; must be given
        num_embeddings: i64,
        /// N: positions; 0 to 2147483647; must be given
        num_indices: i64,
        /// negative: from the end; only if has_padding_idx; refused if has_padding_idx && (padding_idx \< -num_embeddings \|\| padding_idx \>= num_embeddings): is outside of the rows
        padding_idx: i64,
        /// of slices and elements: the gradient's
        input_shape: adj_shape,
        /// of slices and elements
        indices_shape: adj_shape,
        /// of slices: as gather_nd_backward's
        batch_dims: i64,
        /// of elements: as gather_elements_backward's
        axis: i64,
        /// of rows, 1: negative indices count from the end; 0: they are out of range
        wrap_negative: i32,
        /// of rows, 1: padding_idx holds
        has_padding_idx: i32,
        /// rows unless stated
        positions: adj_index_positions,
        /// i32, i64
        index: adj_dtype,
    }
    /// Arguments of index_plan.
    struct adj_index_plan_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, positions != rows ? indices_shape : \[num_indices\], index
        indices: adj_tensor,
        /// out, \[num_indices\] i32
        sorted_rows: adj_tensor,
        /// out, \[num_indices\] i32
        order: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        error_flag: adj_tensor,
    }
    /// EmbeddingBag forward, over the positions n of bag b that take part:
    ///     sum    out\[b, :\] = sum of per_sample_weights\[n\] \* weight\[indices\[n\], :\], with weights of 1 when they are absent
    ///     mean   out\[b, :\] = sum of weight\[indices\[n\], :\] / number of such n
    ///     max    out\[b, c\] = max of weight\[indices\[n\], c\];  max_positions\[b, c\] = the first n that has it
    ///
    /// Types. 16-bit types accumulate in f32 and are rounded once. max is exact. The order of additions depends on the shape alone.
    ///
    /// Edge cases:
    /// - A bag without positions that take part gives zeros, and -1 in max_positions.
    /// - Where there is a NaN, the first one is the maximum.
    ///
    /// Its gradient: embedding_bag_backward(dout, indices, offsets, per_sample_weights, max_positions, scale_grad_by_freq).
    struct adj_embedding_bag_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// V; \>= 0; must be given
        num_embeddings: i64,
        /// D; \>= 0; must be given
        embedding_dim: i64,
        /// N; 0 to 2147483647; must be given; refused if !has_offsets && num_indices % num_bags != 0: is not a multiple of num_bags, and there are no offsets
        num_indices: i64,
        /// B; 0 to 2147483647; must be given
        num_bags: i64,
        /// negative: from the end; only if has_padding_idx; refused if has_padding_idx && (padding_idx \< -num_embeddings \|\| padding_idx \>= num_embeddings): is outside of the rows
        padding_idx: i64,
        /// mean unless stated
        mode: adj_bag_mode,
        /// 1: bags of any length
        has_offsets: i32,
        /// 1: offsets has the end of the last bag too; only if has_offsets
        include_last_offset: i32,
        /// 1: positions have weights; only if mode == sum
        has_per_sample_weights: i32,
        /// 1: padding_idx holds
        has_padding_idx: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64: of indices and offsets
        index: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of embedding_bag_forward.
    struct adj_embedding_bag_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[num_embeddings, embedding_dim\] element
        weight: adj_tensor,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], index
        indices: adj_tensor,
        /// in, \[num_bags + include_last_offset\] index; only if has_offsets
        offsets: adj_tensor,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], element; only if has_per_sample_weights
        per_sample_weights: adj_tensor,
        /// out, \[num_bags, embedding_dim\] element
        out: adj_tensor,
        /// out, optional, \[num_bags, embedding_dim\] i32; only if mode == max
        max_positions: adj_tensor,
        /// in/out, optional, \[1\] i64: bad offsets and indices are added to it
        error_flag: adj_tensor,
    }
    /// EmbeddingBag backward to the weight, over the positions n that take part with indices\[n\] == r, bag(n) being the bag of n:
    ///     sum    dweight\[r, :\] (=\|+=) s_r \* sum of per_sample_weights\[n\] \* dout\[bag(n), :\]
    ///     mean   dweight\[r, :\] (=\|+=) s_r \* sum of dout\[bag(n), :\] / number of positions of bag(n) that take part
    ///     max    dweight\[r, c\] (=\|+=) sum of dout\[bag(n), c\] over those n that are max_positions\[bag(n), c\]
    ///     s_r = 1, or 1 / (number of such n) with scale_grad_by_freq, which max does not have
    ///
    /// Types. Accumulation and order are those of embedding_backward. max_positions are compared, never used as addresses. Terms: \|s_r\| times \|addends\|.
    ///
    /// In place. dweight must not overlap an input.
    ///
    /// Edge cases:
    /// - Rows of padding_idx get no gradient: they are zero when overwriting and unchanged when accumulating.
    ///
    /// Workspace on a device: 4 N bytes with offsets, and B accumulators for the mean. Where embedding_backward sorts: what it takes, 4 N bytes more, and N
    /// accumulators for the mean and with per_sample_weights.
    ///
    /// Without determinism. Determinism none is as in embedding_backward. max adds once for every bag and column, so its kernel serves up to 65536 bags
    /// with any number of indices.
    ///
    /// Index plans. use_index_plan is as in embedding_backward. offsets, per_sample_weights and max_positions are given all the same, and error_flag counts
    /// bad offsets alone. The plan knows no bags:
    /// - s_r counts all positions of row r in the plan, also those in no bag.
    /// - Where bad offsets let bags overlap, the mean counts a position for the last of them only.
    struct adj_embedding_bag_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// V; \>= 0; must be given
        num_embeddings: i64,
        /// D; \>= 0; must be given
        embedding_dim: i64,
        /// N; 0 to 2147483647; must be given; refused if !has_offsets && num_indices % num_bags != 0: is not a multiple of num_bags, and there are no offsets
        num_indices: i64,
        /// B; 0 to 2147483647; must be given
        num_bags: i64,
        /// negative: from the end; only if has_padding_idx; refused if has_padding_idx && (padding_idx \< -num_embeddings \|\| padding_idx \>= num_embeddings): is outside of the rows
        padding_idx: i64,
        /// mean unless stated
        mode: adj_bag_mode,
        /// 1: bags of any length
        has_offsets: i32,
        /// 1: offsets has the end of the last bag too; only if has_offsets
        include_last_offset: i32,
        /// 1: positions have weights; only if mode == sum
        has_per_sample_weights: i32,
        /// overwrite unless stated
        write_mode: adj_write_mode,
        /// 1: a row is divided by the number of its indices; refused if scale_grad_by_freq && mode == max: is not defined for the mode max
        scale_grad_by_freq: i32,
        /// 1: padding_idx holds
        has_padding_idx: i32,
        /// 1: sorted_rows and order instead of indices; V at most 2^31 - 1
        use_index_plan: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64: of indices and offsets
        index: adj_dtype,
    }
    /// Arguments of embedding_bag_backward.
    struct adj_embedding_bag_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[num_bags, embedding_dim\] element
        dout: adj_tensor,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], index; only if !use_index_plan
        indices: adj_tensor,
        /// in, \[num_bags + include_last_offset\] index; only if has_offsets
        offsets: adj_tensor,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], element; only if has_per_sample_weights
        per_sample_weights: adj_tensor,
        /// in, \[num_bags, embedding_dim\] i32; only if mode == max: from the forward direction
        max_positions: adj_tensor,
        /// in/out, \[num_embeddings, embedding_dim\] element; read if write_mode == accumulate
        dweight: adj_tensor,
        /// in/out, optional, \[1\] i64: bad offsets and indices are added to it
        error_flag: adj_tensor,
        /// in, \[num_indices\] i32; only if use_index_plan
        sorted_rows: adj_tensor,
        /// in, \[num_indices\] i32; only if use_index_plan
        order: adj_tensor,
    }
    /// Gradient of sum's per_sample_weights:   dper_sample_weights\[n\] = dot(dout\[bag(n), :\], weight\[indices\[n\], :\])
    ///
    /// Types. 16-bit types accumulate in f32 and are rounded once. The order of additions depends on the shape alone.
    ///
    /// Edge cases:
    /// - A position that does not take part, or is in no bag, gets 0.
    struct adj_embedding_bag_per_sample_weights_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// V; \>= 0; must be given
        num_embeddings: i64,
        /// D; \>= 0; must be given
        embedding_dim: i64,
        /// N; 0 to 2147483647; must be given; refused if !has_offsets && num_indices % num_bags != 0: is not a multiple of num_bags, and there are no offsets
        num_indices: i64,
        /// B; 0 to 2147483647; must be given
        num_bags: i64,
        /// negative: from the end; only if has_padding_idx; refused if has_padding_idx && (padding_idx \< -num_embeddings \|\| padding_idx \>= num_embeddings): is outside of the rows
        padding_idx: i64,
        /// 1: bags of any length
        has_offsets: i32,
        /// 1: offsets has the end of the last bag too; only if has_offsets
        include_last_offset: i32,
        /// 1: padding_idx holds
        has_padding_idx: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64: of indices and offsets
        index: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of embedding_bag_per_sample_weights_backward.
    struct adj_embedding_bag_per_sample_weights_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[num_bags, embedding_dim\] element
        dout: adj_tensor,
        /// in, \[num_embeddings, embedding_dim\] element
        weight: adj_tensor,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], index
        indices: adj_tensor,
        /// in, \[num_bags + include_last_offset\] index; only if has_offsets
        offsets: adj_tensor,
        /// out, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], element
        dper_sample_weights: adj_tensor,
        /// in/out, optional, \[1\] i64: bad offsets and indices are added to it
        error_flag: adj_tensor,
    }
    /// Fill:   out\[i\] = value, rounded once
    struct adj_fill_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// elements; \>= 0; must be given
        numel: i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of fill.
    struct adj_fill_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, f32 or f64 on the device
        value: adj_scalar,
        /// out, \[numel\] element
        out: adj_tensor,
    }
    /// Normal:   out\[e\] = mean + std \* n(e), rounded once
    ///
    /// n is made by Box and Muller from Philox4x32-10, keyed and counted as in dropout.h. Elements 2 k and 2 k + 1, counted in row-major order, take words
    /// u and v: the words (2 k) mod 4 and (2 k + 1) mod 4 of the block whose counter is (b mod 2^32, b / 2^32, 0, 0), b = (offset / 4 + e / 4) mod 2^64.
    ///     r = sqrt(-2 log((u + 1/2) \* 2^-32)),   t = 2 pi v \* 2^-32,   n(2 k) = r cos t,   n(2 k + 1) = r sin t
    /// in f64. So an element depends on seed, offset, mean, std and e alone, and \|n\| is at most 6.77.
    ///
    /// Arguments. A call consumes 4 \* ceil(numel / 4) words. The next call takes an offset that much larger. random has no default. Its offset is a multiple
    /// of 4; the host refuses others. A CUDA device cannot: it uses offset - offset mod 4 of one in its memory.
    ///
    /// Terms (see adj_guarantee): \|mean\| + \|std\| (1 + \|n\|).
    struct adj_normal_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// elements; \>= 0; must be given
        numel: i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of normal.
    struct adj_normal_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, f32 or f64 on the device
        mean: adj_scalar,
        /// in, f32 or f64 on the device
        std: adj_scalar,
        /// in, seed and offset, must be given
        random: adj_random,
        /// out, \[numel\] element
        out: adj_tensor,
    }
    /// Largest magnitude:   amax (=\|max=) max over all elements of \|x\|
    ///
    /// Edge cases:
    /// - A NaN counts as 0. Infinities count, unless finite_only is set.
    /// - Where no element counts, the maximum is 0.
    /// - With accumulate a NaN in amax stays, and a negative number there counts as 0. Where there are no elements, amax stays as it is.
    struct adj_amax_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// 1: infinities count as 0
        finite_only: i32,
        /// overwrite; accumulate: the maximum with what amax holds
        write_mode: adj_write_mode,
        /// f32, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of amax.
    struct adj_amax_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        inputs: adj_tensor_list,
        /// in/out, \[1\] f32; read if write_mode == accumulate
        amax: adj_tensor,
    }
    /// Codes of a matrix x \[rows, columns\]. With s the scale of the group of an element, and F that of the code or max_value:
    ///     code = f8(x \* s),   the product rounded to f32
    ///     a = largest \|x\| of the group, NaN left out
    ///     reciprocal: s = F / max(a, eps), r = 1 / s;   quotient: r = max(a, eps) / F, s = 1 / r;   each rounded to f32 and bounded to \[2^-126, 2^126\]
    ///     pow2:       s = 2^floor(log2(F / max(a, eps))), bounded likewise, r = 1 / s
    ///     a = 0, infinite or NaN (of amax_in): s = r = 1;   given: s is scale, r = 1 / s
    ///
    /// Transposed codes. codes_t \[columns, rows\] is made in the same pass. With granularity tensor, row and block_128x128 it has the codes of \`codes\`. With
    /// block_1x128 its groups are 128 neighbours of its own rows, so that they have maxima and scales of their own: it is made from x, never from codes.
    ///
    /// Stochastic rounding. A code is one of the two neighbours of x \* s: the one away from 0 with the probability d, the distance from the other over the distance
    /// of both, truncated to 2^-16. Element e = row \* columns + column takes 16 random bits, those at 16 (e mod 2) of word e / 2 of the words that \`random\` counts
    /// from its offset on. The neighbour away from 0 is taken where these bits are below d \* 2^16. codes_t has the same numbers, scaled for itself.
    ///
    /// Edge cases:
    /// - rows or columns is 0: there are no codes. Where there is one scale of the tensor, s = r = 1 (given: as always).
    /// - NaN and infinities of x are counted in error_flag.
    /// - The argument scale must be positive and finite; one that is not gives what IEEE arithmetic gives, in r as in the codes. The sign of a NaN code is that
    ///   of x.
    ///
    /// Definition: the quantizers of Transformer Engine (Float8CurrentScaling, Float8BlockScaling with pow2), torchao (float8) and DeepGEMM (quotient, eps 1e-4).
    struct adj_quantize_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// 0 to 2251799813685248; must be given
        rows: i64,
        /// 0 to 2251799813685248; must be given
        columns: i64,
        /// least magnitude that a scale is made for; from 0 on
        eps: f64,
        /// 0: F of the code; else used in its place, \> 0 and at most F
        max_value: f64,
        /// One of the values of adj_scale_granularity.
        granularity: adj_scale_granularity,
        /// One of the values of adj_scale_rule.
        rule: adj_scale_rule,
        /// refused if scale_source == given && (granularity == block_1x128 \|\| granularity == block_128x128): (given) goes with the granularity tensor or row; refused if scale_source == amax && granularity != default && granularity != tensor: (amax) goes with the granularity tensor; refused if scale_source == given && (eps \> 0 \|\| max_value \> 0 \|\| pow2 \|\| rule != default): (given) takes no eps, max_value, pow2 or rule
        scale_source: adj_scale_source,
        /// One of the values of adj_scale_layout.
        scale_layout: adj_scale_layout,
        /// 1: codes are written
        has_codes: i32,
        /// 1: codes_t is written
        has_transposed: i32,
        /// 1: scales are powers of two
        pow2: i32,
        /// 1: codes are rounded at random; only if has_codes \|\| has_transposed
        stochastic_rounding: i32,
        /// 1: infinities become F of their sign
        saturate_infinity: i32,
        /// of x: f32, f16, bf16
        element: adj_dtype,
        /// f8_e4m3, f8_e5m2
        code: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of quantize.
    struct adj_quantize_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[ rows, columns \] element
        x: adj_tensor,
        /// in, granularity == row ? \[rows\] : \[1\], f32; only if scale_source == given
        scale: adj_tensor,
        /// in, \[1\] f32; only if scale_source == amax: a
        amax_in: adj_tensor,
        /// in, only if stochastic_rounding
        random: adj_random,
        /// out, \[ rows, columns \] code; only if has_codes
        codes: adj_tensor,
        /// out, \[ columns, rows \] code; only if has_transposed
        codes_t: adj_tensor,
        /// out, optional, granularity == row ? \[rows\] : granularity == block_1x128 ? (scale_layout == gemm ? \[ ceil_div(columns, 128), ceil_div(rows, 4) \* 4 \] : \[ rows, ceil_div(columns, 128) \]) : granularity == block_128x128 ? (scale_layout == gemm ? \[ ceil_div(rows, 128), ceil_div(ceil_div(columns, 128), 4) \* 4 \] : \[ ceil_div(rows, 128), ceil_div(columns, 128) \]) : \[1\], f32: s
        scale_out: adj_tensor,
        /// out, optional, granularity == row ? \[rows\] : granularity == block_1x128 ? (scale_layout == gemm ? \[ ceil_div(columns, 128), ceil_div(rows, 4) \* 4 \] : \[ rows, ceil_div(columns, 128) \]) : granularity == block_128x128 ? (scale_layout == gemm ? \[ ceil_div(rows, 128), ceil_div(ceil_div(columns, 128), 4) \* 4 \] : \[ ceil_div(rows, 128), ceil_div(columns, 128) \]) : \[1\], f32: r
        inverse_out: adj_tensor,
        /// out, optional, granularity == block_1x128 ? (scale_layout == gemm ? \[ ceil_div(rows, 128), ceil_div(columns, 4) \* 4 \] : \[ columns, ceil_div(rows, 128) \]) : (scale_layout == gemm ? \[ ceil_div(columns, 128), ceil_div(ceil_div(rows, 128), 4) \* 4 \] : \[ ceil_div(columns, 128), ceil_div(rows, 128) \]), f32; only if has_transposed && (granularity == block_1x128 \|\| granularity == block_128x128): r of codes_t
        inverse_t_out: adj_tensor,
        /// in/out, optional, \[1\] f32: the maximum with the largest \|x\|, as amax with accumulate
        amax_out: adj_tensor,
        /// in/out, optional, \[1\] i64: the number of NaN and infinities of x is added to it
        error_flag: adj_tensor,
    }
    /// Numbers of codes:   out (=\|+=) code \* r,   r of the code's group, the product rounded to f32
    ///
    /// With accumulate the sum is rounded once, from f32.
    ///
    /// Edge cases:
    /// - A NaN gives NaN; an infinity stays.
    /// - r may be any number: 0, an infinity or NaN give what IEEE arithmetic gives.
    struct adj_dequantize_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// 0 to 2251799813685248; must be given
        rows: i64,
        /// 0 to 2251799813685248; must be given
        columns: i64,
        /// One of the values of adj_scale_granularity.
        granularity: adj_scale_granularity,
        /// One of the values of adj_scale_layout.
        scale_layout: adj_scale_layout,
        /// overwrite, accumulate
        write_mode: adj_write_mode,
        /// f8_e4m3, f8_e5m2
        code: adj_dtype,
        /// of out: f32, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of dequantize.
    struct adj_dequantize_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[ rows, columns \] code
        codes: adj_tensor,
        /// in, granularity == row ? \[rows\] : granularity == block_1x128 ? (scale_layout == gemm ? \[ ceil_div(columns, 128), ceil_div(rows, 4) \* 4 \] : \[ rows, ceil_div(columns, 128) \]) : granularity == block_128x128 ? (scale_layout == gemm ? \[ ceil_div(rows, 128), ceil_div(ceil_div(columns, 128), 4) \* 4 \] : \[ ceil_div(rows, 128), ceil_div(columns, 128) \]) : \[1\], f32: r
        inverse: adj_tensor,
        /// in/out, \[ rows, columns \] element; read if write_mode == accumulate
        out: adj_tensor,
    }
    /// Delayed scaling: the scales of the next step from the largest magnitudes of the last ones. Row 0 of the history collects the magnitudes of a step, for which
    /// amax and quantize accumulate into it. For each tensor, with A the largest of its history or its row 0:
    ///     scale = F 2^-margin / A where A is finite and \> 0, rounded to f32 and bounded to \[2^-126, 2^126\]; else it stays
    ///     inverse = 1 / scale
    ///     row h of the history = row h + 1, the last row = row 0, row 0 = 0
    /// so that row 1, the oldest, is lost.
    ///
    /// Edge cases:
    /// - A NaN in the history counts as 0.
    /// - An infinity keeps the scale for as long as it is in the history, unless skip_nonfinite leaves it out. Tensors that have one are counted in error_flag.
    ///
    /// Definition: Transformer Engine's DelayedScaling.
    struct adj_fp8_scale_update_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// rows of the history; \>= 1; must be given
        length: i64,
        /// \>= 0; must be given
        tensors: i64,
        /// 0: F of the code; else used in its place, \> 0 and at most F
        max_value: f64,
        /// powers of two kept free above A; 0 to 64
        margin: i32,
        /// One of the values of adj_amax_algorithm.
        algorithm: adj_amax_algorithm,
        /// 1: infinities of the history count as 0
        skip_nonfinite: i32,
        /// f8_e4m3, f8_e5m2
        code: adj_dtype,
    }
    /// Arguments of fp8_scale_update.
    struct adj_fp8_scale_update_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in/out, \[ length, tensors \] f32
        history: adj_tensor,
        /// in/out, \[tensors\] f32
        scale: adj_tensor,
        /// out, optional, \[tensors\] f32
        inverse: adj_tensor,
        /// in/out, optional, \[1\] i64: the number of tensors with an infinity in their history is added to it
        error_flag: adj_tensor,
    }
    /// packed = what the format makes of input.
    struct adj_gist_encode_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// rows matter to msfp15, which pads each to eights with zeros; \>= 0
        outer: i64,
        /// \>= 0; must be given
        inner: i64,
        /// refused if format == none: is not given
        format: adj_gist_format,
        /// f32, f64, f16, bf16, bool, as the format allows
        element: adj_dtype,
    }
    /// Arguments of gist_encode.
    struct adj_gist_encode_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, inner\] element
        input: adj_tensor,
        /// out, format == pack1 ? \[ceil_div(outer \* inner, 8)\] : format == msfp15 ? \[outer, ceil_div(inner, 8) \* 8\] : \[outer, inner\], format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8
        packed: adj_tensor,
    }
    /// out = what packed stands for, rounded once to nearest even where the element cannot hold it:
    ///     binarize, pack1    1 or 0
    ///     pack8_reference    what ONNX Runtime reads; +0 for codes that it never writes
    ///     msfp15             sign \* bits \* 2^(exponent - 132); an infinity where the exponent is 255, +0 where the bits are 0
    ///     others             the number itself; a NaN keeps its sign and has the highest bit of its fraction set, no other, except that pack8
    ///                        decoded to f16 keeps its bits
    struct adj_gist_decode_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// rows matter to msfp15, which pads each to eights with zeros; \>= 0
        outer: i64,
        /// \>= 0; must be given
        inner: i64,
        /// refused if format == none: is not given
        format: adj_gist_format,
        /// f32, f64, f16, bf16, bool, as the format allows
        element: adj_dtype,
    }
    /// Arguments of gist_decode.
    struct adj_gist_decode_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, format == pack1 ? \[ceil_div(outer \* inner, 8)\] : format == msfp15 ? \[outer, ceil_div(inner, 8) \* 8\] : \[outer, inner\], format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8: as the encoder writes it
        packed: adj_tensor,
        /// out, \[outer, inner\] element
        out: adj_tensor,
    }
    /// GatherND gradient. With b = batch_dims, K = the last extent of indices, B = the product of the first b extents of dinput,
    /// M = the product of all extents of indices but the last, and L = that of the extents of dinput from b + K on:
    ///     dinput = 0 (or what it holds);   dinput\[batch(m), index(m), j\] += dout\[m, j\]   for m \< M, j \< L
    /// where batch(m) = m / (M / B) and index(m) = indices\[m, 0\], .., indices\[m, K - 1\] along the axes b to b + K - 1.
    /// The first b extents of dinput and indices are the same. dinput overlaps nothing.
    struct adj_gather_nd_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of dinput, rank 1 to 8
        input_shape: adj_shape,
        /// rank 1 to 8; the last extent is K, with batch_dims + K \<= the rank of dinput
        indices_shape: adj_shape,
        /// b, in \[0, rank of indices)
        batch_dims: i64,
        /// default: overwrite
        write_mode: adj_write_mode,
        /// 1: sorted_rows and order, of an index plan of slices, instead of indices
        use_index_plan: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64
        index: adj_dtype,
    }
    /// Arguments of gather_nd_backward.
    struct adj_gather_nd_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[part(indices_shape, 0, -1), part(input_shape, batch_dims + extent(indices_shape, -1))\] element
        dout: adj_tensor,
        /// in, indices_shape index; only if !use_index_plan
        indices: adj_tensor,
        /// in/out, input_shape element; read if write_mode == accumulate
        dinput: adj_tensor,
        /// in/out, optional, \[1\] i64: the number of indexed slices left out is added
        error_flag: adj_tensor,
        /// in, \[product(indices_shape, 0, -1)\] i32; only if use_index_plan
        sorted_rows: adj_tensor,
        /// in, \[product(indices_shape, 0, -1)\] i32; only if use_index_plan
        order: adj_tensor,
    }
    /// GatherElements gradient:
    ///     dinput = 0 (or what it holds);   dinput\[i_0, .., indices\[i\], .., i_(r-1)\] += dout\[i\]   for every i of indices_shape
    /// where indices\[i\] stands in place of i_axis. indices_shape has the rank of input_shape, and no larger extents besides that of
    /// the axis. dinput overlaps nothing.
    struct adj_gather_elements_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of dinput, rank 1 to 8
        input_shape: adj_shape,
        /// of dout and indices, the same rank
        indices_shape: adj_shape,
        /// in \[-rank, rank)
        axis: i64,
        /// default: overwrite
        write_mode: adj_write_mode,
        /// 1: sorted_rows and order, of an index plan of elements, instead of indices
        use_index_plan: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64
        index: adj_dtype,
    }
    /// Arguments of gather_elements_backward.
    struct adj_gather_elements_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, indices_shape element
        dout: adj_tensor,
        /// in, indices_shape index; only if !use_index_plan
        indices: adj_tensor,
        /// in/out, input_shape element; read if write_mode == accumulate
        dinput: adj_tensor,
        /// in/out, optional, \[1\] i64: the number of indices outside the axis is added
        error_flag: adj_tensor,
        /// in, \[product(indices_shape)\] i32; only if use_index_plan
        sorted_rows: adj_tensor,
        /// in, \[product(indices_shape)\] i32; only if use_index_plan
        order: adj_tensor,
    }
    /// Addition of rows along an axis:
    ///     output = input;   output\[p, indices\[n\], q\] += source\[p, n, q\]
    /// for every p of the extents before the axis and q of those after it. The sum of an element begins with what input holds there.
    /// output may be input itself; otherwise it overlaps nothing.
    struct adj_index_add_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of input and output, rank 1 to 8
        shape: adj_shape,
        /// in \[-rank, rank)
        axis: i64,
        /// 0 to 2147483647; must be given
        num_indices: i64,
        /// 1: sorted_rows and order, of an index plan with wrap_negative, instead of indices
        use_index_plan: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64
        index: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of index_add.
    struct adj_index_add_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, shape element
        input: adj_tensor,
        /// in, \[num_indices\] index; only if !use_index_plan
        indices: adj_tensor,
        /// in, replaced(shape, axis, num_indices) element
        source: adj_tensor,
        /// out, shape element; may be input itself
        output: adj_tensor,
        /// in/out, optional, \[1\] i64: the number of indices outside the axis is added
        error_flag: adj_tensor,
        /// in, \[num_indices\] i32; only if use_index_plan
        sorted_rows: adj_tensor,
        /// in, \[num_indices\] i32; only if use_index_plan
        order: adj_tensor,
    }
    /// Slice gradient: dinput is 0, but for the elements that the slice has taken, which are those of dout:
    ///     dinput\[start_0 + i_0 step_0, .., start_(r-1) + i_(r-1) step_(r-1)\] = dout\[i\]
    /// starts, ends, axes and steps are those of ONNX Slice: negative starts, ends and axes count from the end, starts and ends are
    /// clamped to the axis, an end before the start gives an empty slice. Element k of each list belongs to axis axes\[k\]; without axes
    /// to axis k; without steps each is 1. Axes that are not named are taken whole. Elements are copied bit by bit.
    struct adj_slice_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of dinput, rank 1 to 8
        input_shape: adj_shape,
        /// up to one for each axis
        starts: adj_axes,
        /// as many; refused if count(ends) != count(starts): is not that of starts
        ends: adj_axes,
        /// as many, or none; no axis twice; refused if count(axes) && count(axes) != count(starts): is not that of starts
        axes: adj_axes,
        /// as many, or none; not 0; refused if count(steps) && count(steps) != count(starts): is not that of starts
        steps: adj_axes,
        /// every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of slice_backward.
    struct adj_slice_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, element: the extents of the slice
        dout: adj_tensor,
        /// out, input_shape element
        dinput: adj_tensor,
    }
    /// Rows to their places in a padded batch:
    ///     output = 0;   output\[indices\[i\] / length, indices\[i\] % length, :\] = input\[i, :\]
    /// Indices are unique; of equal ones the last counts. Elements are copied bit by bit. Its gradient is flatten_and_unpad.
    struct adj_pad_and_unflatten_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// rows of input; 0 to 2147483647; must be given
        num_indices: i64,
        /// \>= 0; must be given
        batch: i64,
        /// \>= 0; must be given
        length: i64,
        /// elements of a row; \>= 0
        inner: i64,
        /// f32, f64, f16, bf16, i32, i64
        element: adj_dtype,
        /// i32, i64
        index: adj_dtype,
    }
    /// Arguments of pad_and_unflatten.
    struct adj_pad_and_unflatten_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[num_indices, inner\] element
        input: adj_tensor,
        /// in, \[num_indices\] index
        indices: adj_tensor,
        /// out, \[batch, length, inner\] element
        output: adj_tensor,
        /// in/out, optional, \[1\] i64: the number of indices outside \[0, batch \* length) is added
        error_flag: adj_tensor,
    }
    /// Rows of a padded batch:
    ///     output\[i, :\] = input\[indices\[i\] / length, indices\[i\] % length, :\]
    /// and zeros for an index outside \[0, batch \* length). Elements are copied bit by bit. Its gradient is pad_and_unflatten where
    /// indices are unique.
    struct adj_flatten_and_unpad_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// rows of output; 0 to 2147483647; must be given
        num_indices: i64,
        /// \>= 0; must be given
        batch: i64,
        /// \>= 0; must be given
        length: i64,
        /// elements of a row; \>= 0
        inner: i64,
        /// f32, f64, f16, bf16, i32, i64
        element: adj_dtype,
        /// i32, i64
        index: adj_dtype,
    }
    /// Arguments of flatten_and_unpad.
    struct adj_flatten_and_unpad_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[batch, length, inner\] element
        input: adj_tensor,
        /// in, \[num_indices\] index
        indices: adj_tensor,
        /// out, \[num_indices, inner\] element
        output: adj_tensor,
        /// out, optional, host, \[2\] i64: batch and length, written by the call itself
        unflatten_dims: adj_tensor,
        /// in/out, optional, \[1\] i64: the number of indices outside is added
        error_flag: adj_tensor,
    }
    /// Softmax cross-entropy loss, forward:
    ///     log_prob\[n, c, d\] = scores\[n, c, d\] - logsumexp over c of scores\[n, :, d\]
    ///     none: loss_i = -log_prob\[l_i\] \* w_i (exactly 0 where ignored)      sum: their sum
    ///     mean: their sum / Z, Z = sum of w_i; 0 when Z == 0 (NaN with nan_when_empty)
    ///
    /// Its gradient: softmax_cross_entropy_loss_backward(dloss, scores, lse, labels, weight, sample_weight).
    struct adj_softmax_cross_entropy_loss_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// N; \>= 0; must be given
        batch: i64,
        /// C; \>= 0; must be given
        num_classes: i64,
        /// d1\*..\*dk; \>= 0
        inner: i64,
        /// P, the classes and their padding; 0 = C; \>= 0; refused if padded_classes && padded_classes \< num_classes: is below num_classes; refused if padded_classes \> num_classes && inner != 1: is set, but inner is not 1
        padded_classes: i64,
        /// the label of samples that do not count; only if has_ignore_index
        ignore_index: i64,
        /// mean unless stated
        reduction: adj_reduction,
        /// 1: a mean over nothing is NaN; only if reduction == default \|\| reduction == mean
        nan_when_empty: i32,
        /// 1: ignore_index holds
        has_ignore_index: i32,
        /// of scores: f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64
        label: adj_dtype,
        /// of loss and log_prob: element, or f32 for 16-bit scores; 0 = element
        output: adj_dtype,
        /// of the class weights; 0 = no weights; f32, f64, f16, bf16
        weight: adj_dtype,
        /// of the samples' weights; 0 = none; f32, f64, f16, bf16
        sample_weight: adj_dtype,
    }
    /// Arguments of softmax_cross_entropy_loss.
    struct adj_softmax_cross_entropy_loss_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[batch, (padded_classes ? padded_classes : num_classes), inner\], element
        scores: adj_tensor,
        /// in, \[batch, inner\] label
        labels: adj_tensor,
        /// in, \[num_classes\] weight; only if weight
        weight: adj_tensor,
        /// out, reduction == none ? \[batch, inner\] : \[1\], output
        loss: adj_tensor,
        /// out, optional, \[batch, num_classes, inner\] output; only if !(padded_classes \> num_classes); may be scores itself: may share its buffer when the types agree
        log_prob: adj_tensor,
        /// out, optional, \[batch, inner\] accumulator(element): logsumexp, for the gradient
        lse: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        error_flag: adj_tensor,
        /// in, \[batch, inner\] sample_weight; only if sample_weight
        sample_weight: adj_tensor,
    }
    /// Softmax cross-entropy loss, gradient:
    ///     dscores\[n, c, d\] = g_i \* w_i \* (exp(log_prob\[n, c, d\]) - \[c == l_i\]) / Z + bias\[n, c, d\]
    ///     g = dloss: a scalar for mean and sum, one per sample for none
    ///     Z = sum of w_i for mean, else 1; where Z == 0 the first summand is 0
    ///
    /// Arguments. Give either log_prob, or scores and the lse that the forward operator saved, which is more precise and has less traffic. bias is
    /// another gradient flowing into the scores. It is added before the one rounding. The first summand of an ignored sample is exactly 0.
    struct adj_softmax_cross_entropy_loss_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// N; \>= 0; must be given
        batch: i64,
        /// C; \>= 0; must be given
        num_classes: i64,
        /// d1\*..\*dk; \>= 0
        inner: i64,
        /// P, the classes and their padding; 0 = C; \>= 0; refused if padded_classes && padded_classes \< num_classes: is below num_classes; refused if padded_classes \> num_classes && inner != 1: is set, but inner is not 1
        padded_classes: i64,
        /// the label of samples that do not count; only if has_ignore_index
        ignore_index: i64,
        /// mean unless stated
        reduction: adj_reduction,
        /// 0: from log_prob; 1: from scores and lse
        from_scores: i32,
        /// 1: ignore_index holds
        has_ignore_index: i32,
        /// of log_prob or scores, and of dloss: f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64
        label: adj_dtype,
        /// of dscores: element, or a 16-bit type for f32; 0 = element
        output: adj_dtype,
        /// of the class weights; 0 = no weights; f32, f64, f16, bf16
        weight: adj_dtype,
        /// of the samples' weights; 0 = none; f32, f64, f16, bf16
        sample_weight: adj_dtype,
    }
    /// Arguments of softmax_cross_entropy_loss_backward.
    struct adj_softmax_cross_entropy_loss_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, reduction == none ? \[batch, inner\] : \[1\], element
        dloss: adj_tensor,
        /// in, \[batch, (padded_classes ? padded_classes : num_classes), inner\], element; only if !from_scores
        log_prob: adj_tensor,
        /// in, \[batch, (padded_classes ? padded_classes : num_classes), inner\], element; only if from_scores
        scores: adj_tensor,
        /// in, \[batch, inner\] accumulator(element); only if from_scores
        lse: adj_tensor,
        /// in, \[batch, inner\] label
        labels: adj_tensor,
        /// in, \[num_classes\] weight; only if weight
        weight: adj_tensor,
        /// in, optional, \[batch, (padded_classes ? padded_classes : num_classes), inner\], output
        bias: adj_tensor,
        /// out, \[batch, (padded_classes ? padded_classes : num_classes), inner\], output; may be log_prob, scores or bias itself: may share a buffer when the types agree
        dscores: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        error_flag: adj_tensor,
        /// in, \[batch, inner\] sample_weight; only if sample_weight
        sample_weight: adj_tensor,
    }
    /// Softmax cross-entropy with probabilities as labels, rows of scores and labels side by side:
    ///     log_prob\[r, c\] = scores\[r, c\] - logsumexp over c of scores\[r, :\]
    ///     none: loss_r = -sum over c of labels\[r, c\] \* log_prob\[r, c\]      sum: their sum
    ///     mean: their sum / rows; 0 without rows (NaN with nan_when_empty)
    /// A label of 0 contributes 0, whatever its log-probability: a row of scores with a NaN has a loss of 0 where all its labels are 0.
    /// Terms of a loss: the sum over c of \|labels\[r, c\]\| (\|x_c - m\| + L + q).
    ///
    /// Its gradient: soft_label_cross_entropy_loss_backward(dloss, scores, lse, labels, exact).
    struct adj_soft_label_cross_entropy_loss_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0; must be given
        rows: i64,
        /// C; \>= 0; must be given
        num_classes: i64,
        /// mean unless stated
        reduction: adj_reduction,
        /// 1: a mean over nothing is NaN; only if reduction == default \|\| reduction == mean
        nan_when_empty: i32,
        /// of scores, labels and log_prob: f32, f64, f16, bf16
        element: adj_dtype,
        /// of loss: element, or f32 for 16-bit scores; 0 = element
        output: adj_dtype,
    }
    /// Arguments of soft_label_cross_entropy_loss.
    struct adj_soft_label_cross_entropy_loss_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[rows, num_classes\] element
        scores: adj_tensor,
        /// in, \[rows, num_classes\] element
        labels: adj_tensor,
        /// out, reduction == none ? \[rows\] : \[1\], output
        loss: adj_tensor,
        /// out, optional, \[rows, num_classes\] element; may be scores itself
        log_prob: adj_tensor,
        /// out, optional, \[rows\] accumulator(element): logsumexp, for the gradient
        lse: adj_tensor,
    }
    /// Softmax cross-entropy with probabilities as labels, gradient:
    ///     dscores\[r, c\] = g_r \* (exp(log_prob\[r, c\]) - labels\[r, c\]) / z
    ///     with exact: dscores\[r, c\] = g_r \* (exp(log_prob\[r, c\]) \* sum of labels\[r, :\] - labels\[r, c\]) / z
    ///     g = dloss: a scalar for mean and sum, one per row for none;  z = rows for mean, else 1
    /// Without exact, that is the derivative when the labels of a row add up to 1; with exact, for any labels.
    ///
    /// Arguments. The probabilities come from log_prob, or from scores and the lse that the forward operator saved.
    ///
    /// Terms: \|g_r / z\| (p_c (1 + \|x_c\| + \|lse\|) S + \|labels\[r, c\]\|). S is the sum of \|labels\[r, :\]\| with exact, else 1. Without from_scores x_c is
    /// log_prob and lse is 0.
    struct adj_soft_label_cross_entropy_loss_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0; must be given
        rows: i64,
        /// C; \>= 0; must be given
        num_classes: i64,
        /// mean unless stated
        reduction: adj_reduction,
        /// 0: from log_prob; 1: from scores and lse
        from_scores: i32,
        /// 1: labels need not add up to 1
        exact: i32,
        /// of all tensors but lse: f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of soft_label_cross_entropy_loss_backward.
    struct adj_soft_label_cross_entropy_loss_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, reduction == none ? \[rows\] : \[1\], element
        dloss: adj_tensor,
        /// in, \[rows, num_classes\] element; only if !from_scores
        log_prob: adj_tensor,
        /// in, \[rows, num_classes\] element; only if from_scores
        scores: adj_tensor,
        /// in, \[rows\] accumulator(element); only if from_scores
        lse: adj_tensor,
        /// in, \[rows, num_classes\] element
        labels: adj_tensor,
        /// out, \[rows, num_classes\] element; may be log_prob, scores or labels itself
        dscores: adj_tensor,
    }
    /// Softmax cross-entropy loss and its gradient in one call, from rows of scores:
    ///     p\[i, c\] = exp(scores\[i, c\] - lse_i),   s = label_smoothing,   k = z_loss
    ///     loss_i = (1 - s) \* w_i \* (lse_i - scores\[i, l_i\]) + s / C \* sum over c of weight\[c\] \* (lse_i - scores\[i, c\]) + k \* lse_i^2
    ///     none: loss\[i\] = loss_i      sum: their sum      mean: the first two terms over Z, the last one over the number of samples
    ///     w_i = weight\[l_i\], or 1;  Z = sum of w_i
    ///     dscores = dloss \* the derivative of loss, for none of the sum of all losses
    /// The smoothing is PyTorch's label smoothing.
    ///
    /// Types. loss and lse are f32 (f64 for f64) whatever the element type.
    ///
    /// Edge cases:
    /// - An ignored sample has w_i = 0 and all terms 0. It counts neither in Z nor among the samples, and its row of dscores is exactly 0.
    /// - A mean over nothing is 0.
    /// - Where Z is 0 and there are samples, the z-loss of a mean remains.
    ///
    /// Terms, with v_c = s / C \* weight\[c\] / Z and w = (1 - s) w_i / Z (Z = 1 for none and sum; K = 1, for mean the number of samples):
    ///     loss: w (\|x_l - m\| + L + q) + sum over c of v_c (\|x_c\| + \|m\| + L + q) + k (\|m\| + L + q)^2 / K
    ///     dscores, f = w + sum of v + 2 k (\|m\| + L + q) / K: \|dloss\| (f p_c (2 + \|x_c - m\| + L + q) + v_c), for the label \|dloss\| (f + v_l)
    ///
    /// Its gradient is dscores, times dloss.
    struct adj_cross_entropy_with_gradient_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// M; \>= 0; must be given
        samples: i64,
        /// C; \>= 0; must be given
        num_classes: i64,
        /// P, the classes and their padding; 0 = C; \>= 0; refused if padded_classes && padded_classes \< num_classes: is below num_classes
        padded_classes: i64,
        /// the label of samples that do not count; only if has_ignore_index
        ignore_index: i64,
        /// q; from 0 to 1
        label_smoothing: f64,
        /// c_z; from 0 on
        z_loss: f64,
        /// mean unless stated
        reduction: adj_reduction,
        /// 1: ignore_index holds
        has_ignore_index: i32,
        /// of scores and dscores: f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64
        label: adj_dtype,
        /// of the class weights; 0 = no weights; f32, f64, f16, bf16
        weight: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of cross_entropy_with_gradient.
    struct adj_cross_entropy_with_gradient_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[samples, (padded_classes ? padded_classes : num_classes)\], element
        scores: adj_tensor,
        /// in, \[samples\] label
        labels: adj_tensor,
        /// in, \[num_classes\] weight; only if weight
        weight: adj_tensor,
        /// in, f32 or f64 on the device
        dloss: adj_scalar,
        /// out, reduction == none ? \[samples\] : \[1\], accumulator(element)
        loss: adj_tensor,
        /// out, optional, \[samples\] accumulator(element): logsumexp
        lse: adj_tensor,
        /// out, \[samples, (padded_classes ? padded_classes : num_classes)\], element; may be scores itself
        dscores: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        error_flag: adj_tensor,
    }
    /// Log-probability of a label and entropy of the distribution, from rows of scores in one read, without storing probabilities:
    ///     log_prob_i = scores\[i, l_i\] - lse_i,   entropy_i = lse_i - sum over c of p\[i, c\] \* scores\[i, c\],   p\[i, c\] = exp(scores\[i, c\] - lse_i)
    /// p log p is 0 where p is 0.
    ///
    /// Types. Results are f32 (f64 for f64).
    ///
    /// Edge cases:
    /// - An ignored sample has a log_prob and an entropy of 0, and the lse of its scores.
    /// - An out-of-range label has a log_prob of NaN, and the entropy of its scores.
    ///
    /// Terms, with Q the mean of (1 + \|x_c - m\|)^2 weighted by p: entropy: Q + L      log_prob: \|x_l - m\| + Q + L      lse: \|m\| + Q + L
    ///
    /// Its gradient: log_prob_entropy_backward(dlog_prob, dentropy, scores, labels, lse, entropy ? dentropy).
    struct adj_log_prob_entropy_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// M; \>= 0; must be given
        samples: i64,
        /// C; \>= 0; must be given
        num_classes: i64,
        /// the label of samples that do not count; only if has_ignore_index
        ignore_index: i64,
        /// 1: ignore_index holds
        has_ignore_index: i32,
        /// of scores: f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64
        label: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of log_prob_entropy.
    struct adj_log_prob_entropy_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[samples, num_classes\] element
        scores: adj_tensor,
        /// in, \[samples\] label
        labels: adj_tensor,
        /// out, \[samples\] accumulator(element)
        log_prob: adj_tensor,
        /// out, optional, \[samples\] accumulator(element)
        entropy: adj_tensor,
        /// out, optional, \[samples\] accumulator(element): for the gradient
        lse: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        error_flag: adj_tensor,
    }
    /// Log-probability and entropy, gradient with respect to the scores:
    ///     dscores\[i, c\] = dlog_prob_i \* (\[c == l_i\] - p\[i, c\]) - dentropy_i \* p\[i, c\] \* (log p\[i, c\] + entropy_i)
    /// Exact zeros for ignored samples; NaN for out-of-range labels.
    /// Terms, with y = 1 + \|x_c\| + \|lse\|: p_c y (\|dlog_prob\| + \|dentropy\| (1 + y + \|entropy\|)), for the label \|dlog_prob\| more.
    struct adj_log_prob_entropy_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// M; \>= 0; must be given
        samples: i64,
        /// C; \>= 0; must be given
        num_classes: i64,
        /// the label of samples that do not count; only if has_ignore_index
        ignore_index: i64,
        /// 1: ignore_index holds
        has_ignore_index: i32,
        /// 1: dentropy and entropy are given
        with_entropy: i32,
        /// of scores and dscores: f32, f64, f16, bf16
        element: adj_dtype,
        /// i32, i64
        label: adj_dtype,
    }
    /// Arguments of log_prob_entropy_backward.
    struct adj_log_prob_entropy_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[samples\] accumulator(element)
        dlog_prob: adj_tensor,
        /// in, \[samples\] accumulator(element); only if with_entropy
        dentropy: adj_tensor,
        /// in, \[samples, num_classes\] element
        scores: adj_tensor,
        /// in, \[samples\] label
        labels: adj_tensor,
        /// in, \[samples\] accumulator(element)
        lse: adj_tensor,
        /// in, \[samples\] accumulator(element); only if with_entropy
        entropy: adj_tensor,
        /// out, \[samples, num_classes\] element; may be scores itself
        dscores: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        error_flag: adj_tensor,
    }
    /// Cross-entropy of a linear layer, without its scores in memory: they are made, and their gradient is used, for a chunk of samples at a time.
    ///     z\[i, c\] = cap(sum over h of input\[i, h\] \* linear_weight\[c, h\] / temperature + bias\[c\]),  cap(t) = softcap \* tanh(t / softcap), or t without
    ///     loss: that of cross_entropy_with_gradient with the scores z
    ///     with_gradient: G = dloss \* the derivative of loss (for none of the sum of all losses) with respect to the score before cap, in \`element\`;
    ///     dinput = G linear_weight / temperature;  dlinear_weight (=\|+=) G' input / temperature;  dbias (=\|+=) column sums of G
    ///
    /// Chunks. A chunk has chunk_rows samples: with 0 the largest multiple of 128 up to 2048 whose scores in \`element\` fit max_workspace, at least one and at
    /// most N. Chunks are added in their order, the first one is stored. Where the gradient of the weights is in \`element\`, it is rounded after each chunk.
    /// So its bits depend on chunk_rows. Those of loss, lse and dinput do not.
    ///
    /// Types. Products are added in f32, and z and G are rounded to \`element\`. loss and lse are f32.
    ///
    /// Edge cases are those of cross_entropy_with_gradient, and:
    /// - Every sample is ignored: loss, gradients and dbias are 0, with accumulate nothing is added.
    /// - A label outside \[0, C): loss, and the row of dinput, are NaN. The row adds nothing to dlinear_weight and dbias.
    /// - Padding of linear_weight and bias is read, so it must be finite; no result depends on it. That of their gradients is 0, with accumulate unchanged.
    /// - A NaN or an infinity in the row of input of a sample that does not count acts on dlinear_weight as in IEEE arithmetic: 0 times it is NaN.
    ///
    /// Terms, with T_c = sum over h of \|input linear_weight\| / temperature + \|bias\| + \|z_c\| and S = the mean of T_c weighted by p, plus L + q:
    ///     loss: w (T_l + S) + sum over c of v_c (T_c + S) + k (\|m\| + S)^2 / K;  lse: \|m\| + S;  f = w + sum of v + 2 k (\|m\| + S) / K
    ///     g_c = \|dloss\| (f p_c (2 + T_c + S) + v_c), for the label \|dloss\| (f (2 + T_l + S) + v_l): of G
    ///     in f16 a g_c that is not 0 counts at least 2^-14
    ///     dinput: sum over c of g_c \|linear_weight\| / temperature;  dlinear_weight: sum over i of g_c \|input\| / temperature;  dbias: sum over i of g_c;
    ///     with accumulate what was held before
    ///
    /// Source: PyTorch's linear and cross_entropy, and its linear_cross_entropy; Liger Kernel's fused linear cross entropy.
    ///
    /// Its gradient: linear_cross_entropy_backward(dloss, input, linear_weight, bias, labels, weight).
    struct adj_linear_cross_entropy_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// N; \>= 0; must be given
        samples: i64,
        /// H; \>= 1; must be given
        hidden: i64,
        /// C; \>= 1; must be given
        num_classes: i64,
        /// P, the classes and their padding; 0 = C; \>= 0; refused if padded_classes && padded_classes \< num_classes: is below num_classes
        padded_classes: i64,
        /// the label of samples that do not count; only if has_ignore_index
        ignore_index: i64,
        /// samples of a chunk; 0: chosen by the shape; \>= 0
        chunk_rows: i64,
        /// most bytes of the scores of a chunk that is chosen by the shape; 0: 2^29; \>= 0
        max_workspace: i64,
        /// q; from 0 to 1
        label_smoothing: f64,
        /// c_z; from 0 on
        z_loss: f64,
        /// tau; above 0; refused if has_bias && temperature != 1: does not go with has_bias: a bias is not divided by a temperature
        temperature: f64,
        /// cap; 0: none; from 0 on
        softcap: f64,
        /// mean unless stated
        reduction: adj_reduction,
        /// 1: ignore_index holds
        has_ignore_index: i32,
        /// 1: bias is given
        has_bias: i32,
        /// 1: the gradients are written
        with_gradient: i32,
        /// of dlinear_weight and dbias; accumulate needs with_gradient; only if with_gradient
        write_mode: adj_write_mode,
        /// of input, linear_weight, bias and dinput: f32, f16, bf16
        element: adj_dtype,
        /// i32, i64
        label: adj_dtype,
        /// of the class weights; 0 = no weights; f32, f64, f16, bf16
        weight: adj_dtype,
        /// of dlinear_weight and dbias; element, f32; 0 = element; only if with_gradient
        gradient: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of linear_cross_entropy.
    struct adj_linear_cross_entropy_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[samples, hidden\] element
        input: adj_tensor,
        /// in, \[(padded_classes ? padded_classes : num_classes), hidden\], element
        linear_weight: adj_tensor,
        /// in, \[(padded_classes ? padded_classes : num_classes)\], element; only if has_bias
        bias: adj_tensor,
        /// in, \[samples\] label
        labels: adj_tensor,
        /// in, \[num_classes\] weight; only if weight
        weight: adj_tensor,
        /// in, f32 or f64 on the device
        dloss: adj_scalar,
        /// out, reduction == none ? \[samples\] : \[1\], f32
        loss: adj_tensor,
        /// out, optional, \[samples\] f32: logsumexp
        lse: adj_tensor,
        /// out, \[samples, hidden\] element; only if with_gradient
        dinput: adj_tensor,
        /// in/out, \[(padded_classes ? padded_classes : num_classes), hidden\], gradient; only if with_gradient; read if write_mode == accumulate
        dlinear_weight: adj_tensor,
        /// in/out, \[(padded_classes ? padded_classes : num_classes)\], gradient; only if with_gradient && has_bias; read if write_mode == accumulate
        dbias: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        error_flag: adj_tensor,
    }
    /// Cross-entropy of a linear layer, gradient alone: scores are made again. G is that of linear_cross_entropy for a dloss of 1, rounded, and then
    /// multiplied by dloss (mean: and by 1 / Z) and rounded again. Terms: those of linear_cross_entropy.
    struct adj_linear_cross_entropy_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// N; \>= 0; must be given
        samples: i64,
        /// H; \>= 1; must be given
        hidden: i64,
        /// C; \>= 1; must be given
        num_classes: i64,
        /// P, the classes and their padding; 0 = C; \>= 0; refused if padded_classes && padded_classes \< num_classes: is below num_classes
        padded_classes: i64,
        /// the label of samples that do not count; only if has_ignore_index
        ignore_index: i64,
        /// samples of a chunk; 0: chosen by the shape; \>= 0
        chunk_rows: i64,
        /// most bytes of the scores of a chunk that is chosen by the shape; 0: 2^29; \>= 0
        max_workspace: i64,
        /// q; from 0 to 1
        label_smoothing: f64,
        /// c_z; from 0 on
        z_loss: f64,
        /// tau; above 0; refused if has_bias && temperature != 1: does not go with has_bias: a bias is not divided by a temperature
        temperature: f64,
        /// cap; 0: none; from 0 on
        softcap: f64,
        /// mean unless stated
        reduction: adj_reduction,
        /// 1: ignore_index holds
        has_ignore_index: i32,
        /// 1: bias is given
        has_bias: i32,
        /// of dlinear_weight and dbias
        write_mode: adj_write_mode,
        /// of input, linear_weight, bias and dinput: f32, f16, bf16
        element: adj_dtype,
        /// i32, i64
        label: adj_dtype,
        /// of the class weights; 0 = no weights; f32, f64, f16, bf16
        weight: adj_dtype,
        /// of dlinear_weight and dbias; element, f32; 0 = element
        gradient: adj_dtype,
    }
    /// Arguments of linear_cross_entropy_backward.
    struct adj_linear_cross_entropy_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, reduction == none ? \[samples\] : \[1\], f32
        dloss: adj_tensor,
        /// in, \[samples, hidden\] element
        input: adj_tensor,
        /// in, \[(padded_classes ? padded_classes : num_classes), hidden\], element
        linear_weight: adj_tensor,
        /// in, \[(padded_classes ? padded_classes : num_classes)\], element; only if has_bias
        bias: adj_tensor,
        /// in, \[samples\] label
        labels: adj_tensor,
        /// in, \[num_classes\] weight; only if weight
        weight: adj_tensor,
        /// out, \[samples, hidden\] element
        dinput: adj_tensor,
        /// in/out, \[(padded_classes ? padded_classes : num_classes), hidden\], gradient; read if write_mode == accumulate
        dlinear_weight: adj_tensor,
        /// in/out, \[(padded_classes ? padded_classes : num_classes)\], gradient; only if has_bias; read if write_mode == accumulate
        dbias: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        error_flag: adj_tensor,
    }
    /// Log-probability of a label and entropy under a linear layer, without its scores in memory:
    ///     z\[i, c\] = sum over h of input\[i, h\] \* linear_weight\[c, h\] / temperature, rounded to \`element\`;  the rest is log_prob_entropy
    /// Chunks, and T_c: see linear_cross_entropy. Terms, with Q as there: entropy: Q (1 + S)      log_prob: T_l + Q + S      lse: \|m\| + S + Q
    ///
    /// Its gradient: linear_log_prob_backward(dlog_prob, dentropy, input, linear_weight, labels, lse, entropy ? dentropy).
    struct adj_linear_log_prob_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// N; \>= 0; must be given
        samples: i64,
        /// H; \>= 1; must be given
        hidden: i64,
        /// C; \>= 1; must be given
        num_classes: i64,
        /// the label of samples that do not count; only if has_ignore_index
        ignore_index: i64,
        /// samples of a chunk; 0: chosen by the shape; \>= 0
        chunk_rows: i64,
        /// most bytes of the scores of a chunk that is chosen by the shape; 0: 2^29; \>= 0
        max_workspace: i64,
        /// tau; above 0
        temperature: f64,
        /// 1: ignore_index holds
        has_ignore_index: i32,
        /// of input and linear_weight: f32, f16, bf16
        element: adj_dtype,
        /// i32, i64
        label: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of linear_log_prob.
    struct adj_linear_log_prob_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[samples, hidden\] element
        input: adj_tensor,
        /// in, \[num_classes, hidden\] element
        linear_weight: adj_tensor,
        /// in, \[samples\] label
        labels: adj_tensor,
        /// out, \[samples\] f32
        log_prob: adj_tensor,
        /// out, optional, \[samples\] f32
        entropy: adj_tensor,
        /// out, optional, \[samples\] f32: for the gradient
        lse: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        error_flag: adj_tensor,
    }
    /// Log-probability and entropy under a linear layer, gradient: G is that of log_prob_entropy_backward, of scores that are made again, rounded to
    /// \`element\`; dinput and dlinear_weight are those of linear_cross_entropy. Terms, with y = 1 + T_c + \|lse\|:
    ///     g_c = p_c y (\|dlog_prob\| + \|dentropy\| (1 + y + \|entropy\|)), for the label \|dlog_prob\| more; the sums as in linear_cross_entropy
    struct adj_linear_log_prob_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// N; \>= 0; must be given
        samples: i64,
        /// H; \>= 1; must be given
        hidden: i64,
        /// C; \>= 1; must be given
        num_classes: i64,
        /// the label of samples that do not count; only if has_ignore_index
        ignore_index: i64,
        /// samples of a chunk; 0: chosen by the shape; \>= 0
        chunk_rows: i64,
        /// most bytes of the scores of a chunk that is chosen by the shape; 0: 2^29; \>= 0
        max_workspace: i64,
        /// tau; above 0
        temperature: f64,
        /// 1: ignore_index holds
        has_ignore_index: i32,
        /// 1: dentropy and entropy are given
        with_entropy: i32,
        /// of dlinear_weight
        write_mode: adj_write_mode,
        /// of input, linear_weight and dinput: f32, f16, bf16
        element: adj_dtype,
        /// i32, i64
        label: adj_dtype,
        /// of dlinear_weight; element, f32; 0 = element
        gradient: adj_dtype,
    }
    /// Arguments of linear_log_prob_backward.
    struct adj_linear_log_prob_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[samples\] f32
        dlog_prob: adj_tensor,
        /// in, \[samples\] f32; only if with_entropy
        dentropy: adj_tensor,
        /// in, \[samples, hidden\] element
        input: adj_tensor,
        /// in, \[num_classes, hidden\] element
        linear_weight: adj_tensor,
        /// in, \[samples\] label
        labels: adj_tensor,
        /// in, \[samples\] f32
        lse: adj_tensor,
        /// in, \[samples\] f32; only if with_entropy
        entropy: adj_tensor,
        /// out, \[samples, hidden\] element
        dinput: adj_tensor,
        /// in/out, \[num_classes, hidden\] gradient; read if write_mode == accumulate
        dlinear_weight: adj_tensor,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        error_flag: adj_tensor,
    }
    /// Matrix product:
    ///     z = alpha op(A) op(B) + beta C + bias, the bias added to every row
    ///     d (=\|+=) epilogue(z)
    ///     dbias\[i\] (=\|+=) sum over k of op(A)\[i, k\]
    /// c, saved and preactivation are laid out like d. dbias, which alpha does not scale, is the gradient of a bias where A is the gradient of a result.
    struct adj_matmul_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0; must be given
        m: i64,
        /// \>= 0; must be given
        n: i64,
        /// \>= 0; must be given
        k: i64,
        /// \>= 0
        batch: i64,
        /// 0, or at least the columns of A as stored; \>= 0
        lda: i64,
        /// 0, or at least the columns of B as stored; \>= 0
        ldb: i64,
        /// 0, or at least n; \>= 0
        ldd: i64,
        /// elements between matrices of A; matrices may overlap; \>= 0
        stride_a: i64,
        /// elements between matrices of B; matrices may overlap; \>= 0
        stride_b: i64,
        /// elements between matrices of D, which do not overlap: they follow each other, or each row of one lies beside that of the one before; \>= 0
        stride_d: i64,
        /// not 0 in the type of the arithmetic; finite
        alpha: f64,
        /// not 0: c is given; finite; refused if beta != 0 && (epilogue == gelu_tanh \|\| epilogue == gelu_tanh_backward): is set, but the epilogue takes no c; refused if beta != 0 && write_mode == accumulate: does not go with accumulate
        beta: f64,
        /// 1: A is stored as \[k, m\]
        transpose_a: i32,
        /// 1: B is stored as \[n, k\]
        transpose_b: i32,
        /// One of the values of adj_matmul_epilogue.
        epilogue: adj_matmul_epilogue,
        /// 1: bias is given; refused if has_bias && epilogue == gelu_tanh_backward: does not go with the epilogue gelu_tanh_backward; refused if has_bias && write_mode == accumulate: does not go with accumulate
        has_bias: i32,
        /// 1: z is written to preactivation; only if epilogue == gelu_tanh
        has_preactivation: i32,
        /// 1: dbias is written; only if transpose_a && batch == 1
        has_dbias: i32,
        /// of d, dbias; refused if write_mode == accumulate && (epilogue == gelu_tanh \|\| epilogue == gelu_tanh_backward): (accumulate) needs the epilogue none
        write_mode: adj_write_mode,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// element, accumulator(element); 0 = element
        out: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of matmul.
    struct adj_matmul_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, transpose_a ? \[batch, k, m\] : \[batch, m, k\], element: A as stored
        a: adj_tensor,
        /// in, transpose_b ? \[batch, n, k\] : \[batch, k, n\], element: B as stored
        b: adj_tensor,
        /// in, \[n\] out; only if has_bias
        bias: adj_tensor,
        /// in, \[batch, m, n\] out; only if beta != 0: laid out like d
        c: adj_tensor,
        /// in, \[batch, m, n\] out; only if epilogue == gelu_tanh_backward: laid out like d: what the forward product wrote to preactivation
        saved: adj_tensor,
        /// in/out, \[batch, m, n\] out; read if write_mode == accumulate; may be c itself: D; what lies between its rows is kept
        d: adj_tensor,
        /// in/out, \[batch, m, n\] out; only if has_preactivation; read if ldd \> n \|\| stride_d \> m \* n: laid out like d; what lies between its rows is kept
        preactivation: adj_tensor,
        /// in/out, \[m\] out; only if has_dbias; read if write_mode == accumulate
        dbias: adj_tensor,
    }
    /// Product of matrices of f8 codes, both along k, with the inverse scales r of adj_quantize:
    ///     d\[i, j\] (=\|+=) alpha \* sum over k of (r_a\[i, k\] a\[i, k\]) (r_b\[j, k\] b\[j, k\]) + bias\[j\]
    /// r_x\[i, k\] is the scale of the element's group. The training step of y = x W^T with x \[rows, in\], W \[out, in\] takes codes and transposed codes:
    ///     forward          m = rows, n = out, k = in,  a = codes of x, b = codes of W
    ///     dx = dy W        m = rows, n = in, k = out,  a = codes of dy, b = codes_t of W
    ///     dW += dy^T x     m = out, n = in, k = rows,  a = codes_t of dy, b = codes_t of x, out = f32, accumulate
    ///
    /// Types. Products of codes are exact. Sums of 128 neighbours of k, or of 32 tensor core instructions with fast_accumulation, may be formed with fewer bits than
    /// f32 has (the bounds say which), longer ones are f32. d is rounded once.
    ///
    /// Edge cases:
    /// - k = 0: the sum is 0. m or n is 0: nothing is done.
    /// - NaN and infinities act as in IEEE arithmetic. A kernel may scale sums in place of terms, which differs where a scale is 0, an infinity or NaN.
    ///
    /// Backends. cuBLASLt takes k in multiples of 16, rows of d of whole multiples of 16 bytes, scales of rows and blocks on sm_90, those of blocks in
    /// scale_layout gemm, and no f32 bias. Our kernel takes every problem from sm_89 on.
    ///
    /// Terms: the magnitudes of the scaled products, of the bias and of what an accumulating call adds to.
    ///
    /// Source: PyTorch's scaled_mm.
    struct adj_scaled_matmul_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// 0 to 2251799813685248; must be given
        m: i64,
        /// 0 to 2251799813685248; must be given
        n: i64,
        /// 0 to 2251799813685248; must be given
        k: i64,
        /// not 0 in f32; finite
        alpha: f64,
        /// both tensor, both row, or both blocks; not block_128x128 twice
        granularity_a: adj_scale_granularity,
        /// refused if (granularity_a == row) != (granularity_b == row): does not go with granularity_a: both are tensor, row or blocks; refused if (granularity_a == block_1x128 \|\| granularity_a == block_128x128) != (granularity_b == block_1x128 \|\| granularity_b == block_128x128): does not go with granularity_a: both are tensor, row or blocks; refused if granularity_a == block_128x128 && granularity_b == block_128x128: is block_128x128 twice; one of them is block_1x128
        granularity_b: adj_scale_granularity,
        /// of both
        scale_layout: adj_scale_layout,
        /// 1: sums along all of k may stay in the tensor cores
        fast_accumulation: i32,
        /// 1: bias is given; refused if has_bias && write_mode == accumulate: does not go with accumulate
        has_bias: i32,
        /// of d: overwrite, accumulate
        write_mode: adj_write_mode,
        /// f8_e4m3, f8_e5m2
        code_a: adj_dtype,
        /// f8_e4m3, f8_e5m2; refused if code_a == f8_e5m2 && code_b == f8_e5m2: is the type of code_a too; one of them is f8_e4m3
        code_b: adj_dtype,
        /// of d: bf16, f16, f32
        out: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of scaled_matmul.
    struct adj_scaled_matmul_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[m, k\] code_a
        a: adj_tensor,
        /// in, \[n, k\] code_b
        b: adj_tensor,
        /// in, granularity_a == row ? \[m\] : granularity_a == block_1x128 ? (scale_layout == gemm ? \[ceil_div(k, 128), ceil_div(m, 4) \* 4\] : \[m, ceil_div(k, 128)\]) : granularity_a == block_128x128 ? (scale_layout == gemm ? \[ceil_div(m, 128), ceil_div(ceil_div(k, 128), 4) \* 4\] : \[ceil_div(m, 128), ceil_div(k, 128)\]) : \[1\], f32: r of a
        scale_a: adj_tensor,
        /// in, granularity_b == row ? \[n\] : granularity_b == block_1x128 ? (scale_layout == gemm ? \[ceil_div(k, 128), ceil_div(n, 4) \* 4\] : \[n, ceil_div(k, 128)\]) : granularity_b == block_128x128 ? (scale_layout == gemm ? \[ceil_div(n, 128), ceil_div(ceil_div(k, 128), 4) \* 4\] : \[ceil_div(n, 128), ceil_div(k, 128)\]) : \[1\], f32: r of b
        scale_b: adj_tensor,
        /// in, \[n\] out; only if has_bias
        bias: adj_tensor,
        /// in/out, \[m, n\] out; read if write_mode == accumulate
        d: adj_tensor,
    }
    /// The router of a mixture of experts. For each token, with logits z and scores s:
    ///     experts\[t, :\]   the top_k experts with the largest z, or with has_bias the largest s + expert_bias, in descending order; of equal ones the lower first
    ///     weights\[t, j\]   scale \* s of the chosen expert; with normalise divided by (the sum of the chosen s + 1e-20), unless top_k is 1
    ///     counts\[e\]       the tokens that have chosen e
    ///     loss            balance \* E / (top_k \* T^2) \* sum over e of counts\[e\] \* (sum over t of p\[t, e\]) + z_loss / T \* sum over t of logsumexp(z)^2
    /// T is the number of tokens that count. p is softmax(z), for sigmoid and sqrt_softplus s / (sum of s). A balanced router has a loss of \`balance\`.
    ///
    /// Scores. In softmax_of_chosen, s is z where the choice is made by a bias or by groups, and the softmax of the chosen z where weights are made.
    ///
    /// Groups. With groups above 0, num_experts / groups neighbouring experts are a group. The score of a group is the sum of its top_k / top_groups largest
    /// s + expert_bias; only experts of the top_groups best groups are chosen.
    ///
    /// Types. All is computed in f32. Sums over tokens are taken in an order that follows from the shape.
    ///
    /// In place. Outputs must not overlap inputs.
    ///
    /// Edge cases:
    /// - A NaN counts as the lowest logit and adds nothing to the softmax of others. If it is chosen its weight is NaN, and with normalise and in
    ///   softmax_of_chosen every weight of the token. A token with a NaN is counted in error_flag; its part of the loss is NaN.
    /// - A logit of -infinity has the score 0. A token whose logits are all -infinity has weights of NaN with softmax. +infinity gives NaN.
    /// - A token whose mask is 0 has experts of -1 and weights of 0, and does not count.
    /// - With T = 0 the loss is 0.
    ///
    /// Source: the routers of Mixtral, Qwen3 and DeepSeek-V3; the balance loss of Switch Transformers; the z-loss of ST-MoE.
    ///
    /// Its gradient: moe_route_backward(logits, experts, dweights, counts ? has_losses, counted ? has_losses, dloss ? has_losses).
    struct adj_moe_route_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// 0 to 1073741823; must be given; refused if tokens \* top_k \>= 1073741824: times top_k is not below 2^30
        tokens: i64,
        /// E; 1 to 1024; must be given
        num_experts: i64,
        /// experts of a token; 1 to 64; must be given; refused if top_k \> num_experts: is above num_experts
        top_k: i64,
        /// 0: none; 0 to 32; refused if groups && num_experts % groups != 0: does not divide num_experts
        groups: i64,
        /// a divisor of top_k; 0 to 32; only if groups
        top_groups: i64,
        /// of weights; finite
        scale: f64,
        /// finite; only if has_losses
        balance: f64,
        /// finite; only if has_losses
        z_loss: f64,
        /// softmax_of_chosen unless stated
        score: adj_moe_score,
        /// 1: weights add up to 1; refused if normalise && score == softmax_of_chosen: does not go with softmax_of_chosen, whose weights add up to 1
        normalise: i32,
        /// 1: expert_bias steers the choice
        has_bias: i32,
        /// 1: the loss, with the tokens that it counts
        has_losses: i32,
        /// of logits: f32, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of moe_route.
    struct adj_moe_route_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[tokens, num_experts\] element
        logits: adj_tensor,
        /// in, \[num_experts\] f32; only if has_bias
        expert_bias: adj_tensor,
        /// in, optional, \[tokens\] bool: 0: the token does not count: 1 without
        mask: adj_tensor,
        /// out, \[tokens, top_k\] i32
        experts: adj_tensor,
        /// out, \[tokens, top_k\] f32
        weights: adj_tensor,
        /// out, \[num_experts\] i32
        counts: adj_tensor,
        /// out, \[1\] i64; only if has_losses: T
        counted: adj_tensor,
        /// out, \[1\] f32; only if has_losses
        loss: adj_tensor,
        /// in/out, optional, \[1\] i64: tokens with a NaN are added to it
        error_flag: adj_tensor,
    }
    /// The router of a mixture of experts, gradient. With d = scale \* dweights, S = the sum of the chosen s + 1e-20, and g = dloss:
    ///     ds\[j\] = (d\[j\] - sum over i of s\[i\] / S \* d\[i\]) / S with normalise, unless top_k is 1; else d\[j\]
    ///     dlogits = for softmax s \* (ds - sum over all experts of s \* ds), with ds = 0 off the choice
    ///               for softmax_of_chosen p\[j\] \* (d\[j\] - sum over i of p\[i\] \* d\[i\]), p the softmax of the chosen
    ///               for sigmoid ds \* s \* (1 - s), for sqrt_softplus ds \* sigmoid(z) / (2 \* s); 0 off the choice
    ///             + g \* balance \* E / (top_k \* T^2) \* p\[e\] \* (counts\[e\] - sum over f of p\[f\] \* counts\[f\])
    ///               for sigmoid and sqrt_softplus with ds/dz / (sum of s) for the factor p\[e\]
    ///             + g \* z_loss \* 2 / T \* logsumexp(z) \* softmax(z)\[e\]
    /// The choice has no gradient, nor has expert_bias. Across ranks, counts and counted (T) may be sums over them.
    ///
    /// Edge cases:
    /// - A token whose first expert is outside \[0, num_experts), as one that a mask has dropped, has the gradient 0. Other experts outside add nothing.
    struct adj_moe_route_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// 0 to 1073741823; must be given; refused if tokens \* top_k \>= 1073741824: times top_k is not below 2^30
        tokens: i64,
        /// E; 1 to 1024; must be given
        num_experts: i64,
        /// experts of a token; 1 to 64; must be given; refused if top_k \> num_experts: is above num_experts
        top_k: i64,
        /// of weights; finite
        scale: f64,
        /// finite; only if has_losses
        balance: f64,
        /// finite; only if has_losses
        z_loss: f64,
        /// softmax_of_chosen unless stated
        score: adj_moe_score,
        /// 1: weights add up to 1; refused if normalise && score == softmax_of_chosen: does not go with softmax_of_chosen, whose weights add up to 1
        normalise: i32,
        /// 1: the loss has a gradient
        has_losses: i32,
        /// of logits: f32, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of moe_route_backward.
    struct adj_moe_route_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[tokens, num_experts\] element
        logits: adj_tensor,
        /// in, \[tokens, top_k\] i32
        experts: adj_tensor,
        /// in, \[tokens, top_k\] f32
        dweights: adj_tensor,
        /// in, \[num_experts\] i32; only if has_losses
        counts: adj_tensor,
        /// in, \[1\] i64; only if has_losses
        counted: adj_tensor,
        /// in, \[1\] f32; only if has_losses
        dloss: adj_tensor,
        /// out, \[tokens, num_experts\] element; may be logits itself
        dlogits: adj_tensor,
    }
    /// The plan of a mixture of experts: a stable sort of pairs by expert.
    ///     n_e            pairs with expert e, at most capacity of them where that is above 0: the first ones
    ///     offsets\[e\]     first row of expert e: the sum over f \< e of n_f, each rounded up to a multiple of align
    ///     order\[p\]       the pair of row p; -1 for a row that has none
    ///     inverse\[t, j\]  the row of pair (t, j); -1 for a pair that is left out
    ///
    /// Rows. offsets\[num_experts\] rows belong to groups; the other rows of order, up to tokens \* top_k + num_experts \* (align - 1), have no pair. Pairs of an
    /// expert lie in its group in ascending order, and rows without a pair behind them.
    ///
    /// Results. They follow from experts alone: exactly, on every backend.
    ///
    /// In place. No output may overlap another one or experts.
    ///
    /// Edge cases:
    /// - A pair whose expert is -1 is left out, as those of a token that a mask drops. One with any other expert outside \[0, num_experts) is left out and
    ///   counted in error_flag.
    /// - A token may name an expert several times.
    /// - Without tokens all offsets are 0.
    ///
    /// Workspace on a device: 4 num_experts bytes for each of at most 256 blocks; none up to 2048 pairs.
    ///
    /// Source: the permutation of Megatron-LM's and Transformer Engine's mixtures of experts, which pads groups alike.
    struct adj_moe_plan_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// 0 to 1073741823; must be given; refused if tokens \* top_k \>= 1073741824: times top_k is not below 2^30
        tokens: i64,
        /// E; 1 to 1024; must be given
        num_experts: i64,
        /// experts of a token; 1 to 64; must be given
        top_k: i64,
        /// most pairs of an expert; 0: any number; 0 to 1073741823
        capacity: i64,
        /// groups have a multiple of so many rows; 1 to 1024
        align: i64,
        /// of experts: i32, i64
        index: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of moe_plan.
    struct adj_moe_plan_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[tokens, top_k\] index
        experts: adj_tensor,
        /// out, \[num_experts + 1\] i32
        offsets: adj_tensor,
        /// out, \[tokens \* top_k + num_experts \* (align - 1)\] i32
        order: adj_tensor,
        /// out, \[tokens, top_k\] i32
        inverse: adj_tensor,
        /// in/out, optional, \[1\] i64: experts out of range are added to it
        error_flag: adj_tensor,
    }
    /// Rows for experts: a copy of each token for every expert that it goes to.
    ///     out\[inverse\[t, j\], :\] = input\[t, :\],   out\[p, :\] = 0 where order\[p\] \< 0
    ///
    /// Plans. order and inverse are those of one moe_plan. If they are not, rows of out are unspecified; nothing is read or written outside the buffers.
    ///
    /// In place. out must not overlap an input.
    ///
    /// Edge cases:
    /// - An inverse of -1 names no row. One outside \[-1, num_rows) names none either, and is counted in error_flag.
    ///
    /// Its gradient: moe_permute_backward(dout, inverse).
    struct adj_moe_permute_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// 0 to 1073741823; must be given; refused if tokens \* top_k \>= 1073741824: times top_k is not below 2^30
        tokens: i64,
        /// experts of a token; 1 to 64; must be given
        top_k: i64,
        /// rows of the plan; 0 to 2147483647; must be given
        num_rows: i64,
        /// of a row; \>= 0; must be given
        columns: i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of moe_permute.
    struct adj_moe_permute_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[tokens, columns\] element
        input: adj_tensor,
        /// in, \[num_rows\] i32
        order: adj_tensor,
        /// in, \[tokens, top_k\] i32
        inverse: adj_tensor,
        /// out, \[num_rows, columns\] element
        out: adj_tensor,
        /// in/out, optional, \[1\] i64: entries of inverse out of range are added to it
        error_flag: adj_tensor,
    }
    /// Rows for experts, gradient: the sum of what comes back for each token.
    ///     dinput\[t, :\] = sum over j of dout\[inverse\[t, j\], :\]
    ///
    /// Types. 16-bit types accumulate in f32, in the order of j, and are rounded once.
    ///
    /// In place. dinput must not overlap an input.
    ///
    /// Edge cases:
    /// - An inverse of -1 adds nothing. One outside \[-1, num_rows) adds nothing either, and is counted in error_flag.
    struct adj_moe_permute_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// 0 to 1073741823; must be given; refused if tokens \* top_k \>= 1073741824: times top_k is not below 2^30
        tokens: i64,
        /// experts of a token; 1 to 64; must be given
        top_k: i64,
        /// rows of the plan; 0 to 2147483647; must be given
        num_rows: i64,
        /// of a row; \>= 0; must be given
        columns: i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of moe_permute_backward.
    struct adj_moe_permute_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[num_rows, columns\] element
        dout: adj_tensor,
        /// in, \[tokens, top_k\] i32
        inverse: adj_tensor,
        /// out, \[tokens, columns\] element
        dinput: adj_tensor,
        /// in/out, optional, \[1\] i64: entries of inverse out of range are added to it
        error_flag: adj_tensor,
    }
    /// What experts return, summed for each token.
    ///     out\[t, :\] = sum over j of weights\[t, j\] \* rows\[inverse\[t, j\], :\],   without weights of rows\[inverse\[t, j\], :\]
    ///
    /// Types. The sums are taken in f32 (f64 for f64), in the order of j, and are rounded once.
    ///
    /// In place. out must not overlap an input.
    ///
    /// Edge cases:
    /// - An inverse of -1 adds nothing, not 0 times something. One outside \[-1, num_rows) adds nothing either, and is counted in error_flag.
    ///
    /// Its gradient: moe_unpermute_backward(dout, rows, weights, order, inverse).
    struct adj_moe_unpermute_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// 0 to 1073741823; must be given; refused if tokens \* top_k \>= 1073741824: times top_k is not below 2^30
        tokens: i64,
        /// experts of a token; 1 to 64; must be given
        top_k: i64,
        /// rows of the plan; 0 to 2147483647; must be given
        num_rows: i64,
        /// of a row; \>= 0; must be given
        columns: i64,
        /// 1: rows have weights; 0: every weight is 1
        has_weights: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of moe_unpermute.
    struct adj_moe_unpermute_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[num_rows, columns\] element
        rows: adj_tensor,
        /// in, \[tokens, top_k\] accumulator(element); only if has_weights
        weights: adj_tensor,
        /// in, optional, \[num_rows\] i32: not read; the gradient takes it from here
        order: adj_tensor,
        /// in, \[tokens, top_k\] i32
        inverse: adj_tensor,
        /// out, \[tokens, columns\] element
        out: adj_tensor,
        /// in/out, optional, \[1\] i64: entries of inverse out of range are added to it
        error_flag: adj_tensor,
    }
    /// What experts return, gradient:
    ///     drows\[inverse\[t, j\], :\] = weights\[t, j\] \* dout\[t, :\],   without weights dout\[t, :\],   drows\[p, :\] = 0 where order\[p\] \< 0
    ///     dweights\[t, j\] = sum over columns of dout\[t, :\] \* rows\[inverse\[t, j\], :\]
    ///
    /// Types. Products and sums are taken in f32 (f64 for f64) and rounded once.
    ///
    /// Plans. order and inverse are those of one moe_plan. If they are not, rows of drows are unspecified; nothing is read or written outside the buffers.
    ///
    /// In place. drows may be the buffer of rows.
    ///
    /// Edge cases:
    /// - The weight of an inverse of -1 has the gradient 0. So has that of one outside \[-1, num_rows), which is counted in error_flag.
    struct adj_moe_unpermute_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// 0 to 1073741823; must be given; refused if tokens \* top_k \>= 1073741824: times top_k is not below 2^30
        tokens: i64,
        /// experts of a token; 1 to 64; must be given
        top_k: i64,
        /// rows of the plan; 0 to 2147483647; must be given
        num_rows: i64,
        /// of a row; \>= 0; must be given
        columns: i64,
        /// 1: rows have weights; 0: every weight is 1
        has_weights: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of moe_unpermute_backward.
    struct adj_moe_unpermute_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[tokens, columns\] element
        dout: adj_tensor,
        /// in, \[num_rows, columns\] element; only if has_weights
        rows: adj_tensor,
        /// in, \[tokens, top_k\] accumulator(element); only if has_weights
        weights: adj_tensor,
        /// in, \[num_rows\] i32
        order: adj_tensor,
        /// in, \[tokens, top_k\] i32
        inverse: adj_tensor,
        /// out, \[num_rows, columns\] element; may be rows itself
        drows: adj_tensor,
        /// out, \[tokens, top_k\] accumulator(element); only if has_weights
        dweights: adj_tensor,
        /// in/out, optional, \[1\] i64: entries of inverse out of range are added to it
        error_flag: adj_tensor,
    }
    /// Layer norm, gradient:
    ///     g = dy \* gamma
    ///     dx\[i, j\] = inv_std\[i\] \* (g\[i, j\] - mean over j of g - h\[i, j\] \* mean over j of (g \* h)) + dresidual\[i, j\]
    ///     dgamma\[j\] = sum over i of dy \* h;  dbeta\[j\] = sum over i of dy
    ///
    /// From the output. With from_output, X need not be kept:
    ///     h = (y - beta) / gamma,  mean over j of (g \* h) = mean over j of (dy \* (y - beta))
    /// h is as exact as the stored Y. Where a gamma is 0, or smaller than the least normal number of the arithmetic, its column of dX and dgamma has an
    /// infinity or a NaN. Other columns are not affected.
    struct adj_layer_norm_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of X
        shape: adj_shape,
        /// first axis that is normalised; negative: counted from the end
        axis: i32,
        /// 0: from X, mean and inv_std; 1: from Y, gamma, beta and inv_std
        from_output: i32,
        /// 1: dgamma is wanted
        has_dgamma: i32,
        /// 1: dbeta is wanted
        has_dbeta: i32,
        /// of dgamma and dbeta
        write_mode: adj_write_mode,
        /// of X and dX
        element: adj_dtype,
        /// of Y and dY; f32, f64, f16, bf16; 0 = element; refused if (output == f64) != (element == f64): does not go with that element
        output: adj_dtype,
        /// of gamma, beta and their gradients; f32, f64, f16, bf16; 0 = output; refused if (weight == f64) != (element == f64): does not go with that element
        weight: adj_dtype,
    }
    /// Arguments of layer_norm_backward.
    struct adj_layer_norm_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, shape output: dY
        dout: adj_tensor,
        /// in, shape element; only if !from_output: X
        input: adj_tensor,
        /// in, shape output; only if from_output: Y
        out: adj_tensor,
        /// in, \[product(shape, axis)\] weight; optional if !from_output: 1 without
        gamma: adj_tensor,
        /// in, optional, \[product(shape, axis)\] weight; only if from_output: 0 without
        beta: adj_tensor,
        /// in, \[product(shape, 0, axis)\] accumulator(element); only if !from_output
        mean: adj_tensor,
        /// in, \[product(shape, 0, axis)\] accumulator(element)
        inv_std: adj_tensor,
        /// in, optional, shape element: another gradient flowing into X, added before the rounding
        dresidual: adj_tensor,
        /// out, shape element; may be dout, input, out or dresidual itself: dX; may share a buffer when the types agree
        dinput: adj_tensor,
        /// in/out, \[product(shape, axis)\] weight; only if has_dgamma; read if write_mode == accumulate
        dgamma: adj_tensor,
        /// in/out, \[product(shape, axis)\] weight; only if has_dbeta; read if write_mode == accumulate
        dbeta: adj_tensor,
    }
    /// RMS norm, gradient:
    ///     g = dy \* gamma
    ///     dx\[i, j\] = inv_std\[i\] \* (g\[i, j\] - h\[i, j\] \* mean over j of (g \* h)) + dresidual\[i, j\]
    ///     dgamma\[j\] = sum over i of dy \* h
    /// from_output: h is y / gamma; see layer norm.
    struct adj_rms_norm_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of X
        shape: adj_shape,
        /// first axis that is normalised; negative: counted from the end
        axis: i32,
        /// 0: from X and inv_std; 1: from Y, gamma and inv_std
        from_output: i32,
        /// 1: dgamma is wanted
        has_dgamma: i32,
        /// of dgamma
        write_mode: adj_write_mode,
        /// of X and dX
        element: adj_dtype,
        /// of Y and dY; f32, f64, f16, bf16; 0 = element; refused if (output == f64) != (element == f64): does not go with that element
        output: adj_dtype,
        /// of gamma and dgamma; f32, f64, f16, bf16; 0 = output; refused if (weight == f64) != (element == f64): does not go with that element
        weight: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of rms_norm_backward.
    struct adj_rms_norm_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, shape output: dY
        dout: adj_tensor,
        /// in, shape element; only if !from_output: X
        input: adj_tensor,
        /// in, shape output; only if from_output: Y
        out: adj_tensor,
        /// in, \[product(shape, axis)\] weight; optional if !from_output: 1 without
        gamma: adj_tensor,
        /// in, \[product(shape, 0, axis)\] accumulator(element)
        inv_std: adj_tensor,
        /// in, optional, shape element: another gradient flowing into X, added before the rounding
        dresidual: adj_tensor,
        /// out, shape element; may be dout, input, out or dresidual itself: dX; may share a buffer when the types agree
        dinput: adj_tensor,
        /// in/out, \[product(shape, axis)\] weight; only if has_dgamma; read if write_mode == accumulate
        dgamma: adj_tensor,
    }
    /// Layer norm, of X or of X + residual. Where \`sum\` is given, X + residual is rounded to \`element\`, stored there, and normalised after the rounding.
    /// The gradient then takes \`sum\` for X.
    ///
    /// Its gradient: layer_norm_backward(dout, input = sum \| input, gamma, mean, inv_std, dresidual = dsum, dinput = input \| residual).
    struct adj_layer_norm_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of X
        shape: adj_shape,
        /// above 0
        epsilon: f64,
        /// first axis that is normalised; negative: counted from the end
        axis: i32,
        /// 1: residual is given
        has_residual: i32,
        /// of X, residual and sum
        element: adj_dtype,
        /// of Y; f32, f64, f16, bf16; 0 = element; refused if (output == f64) != (element == f64): does not go with that element
        output: adj_dtype,
        /// of gamma and beta; f32, f64, f16, bf16; 0 = output; refused if (weight == f64) != (element == f64): does not go with that element
        weight: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of layer_norm_forward.
    struct adj_layer_norm_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, shape element: X
        input: adj_tensor,
        /// in, shape element; only if has_residual
        residual: adj_tensor,
        /// in, optional, \[product(shape, axis)\] weight: 1 without
        gamma: adj_tensor,
        /// in, optional, \[product(shape, axis)\] weight: 0 without
        beta: adj_tensor,
        /// out, shape output; may be input or residual itself: Y; may share a buffer when the types agree
        out: adj_tensor,
        /// out, optional, shape element; only if has_residual; may be input or residual itself: X + residual
        sum: adj_tensor,
        /// out, optional, \[product(shape, 0, axis)\] accumulator(element)
        mean: adj_tensor,
        /// out, optional, \[product(shape, 0, axis)\] accumulator(element)
        inv_std: adj_tensor,
    }
    /// RMS norm, of X or of X + residual; see layer norm.
    ///
    /// Its gradient: rms_norm_backward(dout, input = sum \| input, gamma, inv_std, dresidual = dsum, dinput = input \| residual).
    struct adj_rms_norm_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of X
        shape: adj_shape,
        /// above 0
        epsilon: f64,
        /// first axis that is normalised; negative: counted from the end
        axis: i32,
        /// 1: residual is given
        has_residual: i32,
        /// of X, residual and sum
        element: adj_dtype,
        /// of Y; f32, f64, f16, bf16; 0 = element; refused if (output == f64) != (element == f64): does not go with that element
        output: adj_dtype,
        /// of gamma; f32, f64, f16, bf16; 0 = output; refused if (weight == f64) != (element == f64): does not go with that element
        weight: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of rms_norm_forward.
    struct adj_rms_norm_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, shape element: X
        input: adj_tensor,
        /// in, shape element; only if has_residual
        residual: adj_tensor,
        /// in, optional, \[product(shape, axis)\] weight: 1 without
        gamma: adj_tensor,
        /// out, shape output; may be input or residual itself: Y; may share a buffer when the types agree
        out: adj_tensor,
        /// out, optional, shape element; only if has_residual; may be input or residual itself: X + residual
        sum: adj_tensor,
        /// out, optional, \[product(shape, 0, axis)\] accumulator(element)
        inv_std: adj_tensor,
    }
    /// Adam and AdamW. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction),
    ///     g = grad / s,   \|s\| = max(\|grad_scale\|, gradient_norm / max_norm), s with the sign of grad_scale
    ///     m = beta1 \* m + (1 - beta1) \* g,   v = beta2 \* v + (1 - beta2) \* g \* g
    ///     decay first: update = -lr \* ((m / a) / (sqrt(v / b) + epsilon) + weight_decay \* w)
    ///     decay last:  q = lr \* sqrt(b) / a \* m / (sqrt(v) + epsilon);  update = -q - lr \* weight_decay \* (w - q)
    ///     decay l2:    g += weight_decay \* w before m and v;  update = -lr \* (m / a) / (sqrt(v / b) + epsilon)
    ///     w += update
    /// Settings of other libraries:
    ///     PyTorch Adam                   decay l2
    ///     PyTorch AdamW, Apex FusedAdam  decay first
    ///     Hugging Face AdamW             decay last
    ///     ONNX Runtime AdamOptimizer     weight_decay_mode is decay; out_of_place, updates
    ///     ONNX Runtime AdamWOptimizer    adam_mode is decay
    ///
    /// Arguments. gradient_norm is the norm of all gradients as they are, still scaled (clip_grad_norm with norm_only writes it).
    /// 0, its default, clips nothing, and neither does an infinite max_norm. lr_of and weight_decay_of have a number for each
    /// tensor, in the memory of the stream; they take the place of lr and weight_decay, and a captured graph reads them anew.
    ///
    /// Results are defined to the last bit; only the payload of a NaN is open. Scalars are combined in f64 and then rounded to the
    /// type of the arithmetic, in which, fma rounding once,
    ///     g = grad / s;   decay l2: g = fma(weight_decay, w, g)
    ///     m = fma(1 - beta1, g, beta1 \* m),   v = fma((1 - beta2) \* g, g, beta2 \* v)
    ///     decay first: d = m / fma(sqrt(v), 1 / sqrt(b), epsilon),   u = fma(lr \* weight_decay, w, (lr / a) \* d)
    ///     decay l2:    d = m / fma(sqrt(v), 1 / sqrt(b), epsilon),   u = fma(0, w, (lr / a) \* d)
    ///     decay last:  d = m / (sqrt(v) + epsilon),   r = lr \* sqrt(b) / a,   u = fma(lr \* weight_decay, fma(-r, d, w), r \* d)
    ///     update = -u,   w = w - u
    /// with \|s\| = max(\|grad_scale\|, gradient_norm \* (1 / max_norm)).
    ///
    /// In place. Weights, moments and cleared gradients are updated in place. With out_of_place, new weights and moments may be the
    /// buffers of the old ones, and updates those of the gradients.
    ///
    /// Edge cases:
    ///   - A call skips when update_signal is 0, when found_inf is not 0, when gradient_norm is not finite, or when the step is
    ///     below 1 with bias correction. The last two are errors by value, and on the device are counted in error_flag.
    ///   - A call that skips copies the gradients to updates.
    ///   - Infinities and NaN among the gradients enter moments and weights.
    ///   - Steps count from 1. Without bias correction only stochastic_rounding reads the step.
    ///
    /// Error terms. Against the formulas in real numbers, with u = 2^-24 (2^-53 for f64), G, M and V for the terms of g, m and v,
    /// and before the rounding of the store, the errors of m and v are below 4 u M and 8 u V, of update and w below 20 u W
    /// (512 u W for f64):
    ///     G = \|g\| for decay first and last, \|grad / s\| + \|weight_decay \* w\| for l2
    ///     M = \|beta1 \* m\| + \|(1 - beta1)\| \* G,   V = \|beta2 \* v\| + \|(1 - beta2)\| \* G \* G
    ///     W = \|lr \* weight_decay \* w\| except for l2, plus Q \* (1 + lr \* \|weight_decay\|) \* V / v, where Q is the magnitude of the
    ///        update without decay with M in place of m. V / v is 1 for decay first and last with rates in \[0, 1\].
    ///
    /// Source: Kingma and Ba 2015, Adam; Loshchilov and Hutter 2019, Decoupled Weight Decay Regularization.
    struct adj_adam_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// count with stochastic_rounding, else 0
        tensor_key_count: i64,
        /// host array: a number for each tensor; equal keys draw equal bits; 0 to 4294967295
        tensor_keys: *const i64,
        /// count, or 0: every tensor is whole; count needs stochastic_rounding
        first_element_count: i64,
        /// host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59
        first_elements: *const i64,
        /// finite; refused if !no_bias_correction && (beta1 \< 0 \|\| beta1 \>= 1): is outside \[0, 1)
        beta1: f64,
        /// finite; refused if !no_bias_correction && (beta2 \< 0 \|\| beta2 \>= 1): is outside \[0, 1)
        beta2: f64,
        /// from 0 on
        epsilon: f64,
        /// 0 = none; finite
        weight_decay: f64,
        /// infinity clips nothing; above 0
        max_norm: f64,
        /// first unless stated
        decay: adj_adam_decay,
        /// 1: a = b = 1
        no_bias_correction: i32,
        /// 1: the device step is incremented afterwards, so a captured graph can be replayed
        advance_step: i32,
        /// 1: the new weights too; needs tensor_keys; refused if stochastic_rounding && (param == f32 \|\| param == f64): is for parameters of f16 or bf16
        stochastic_rounding: i32,
        /// 1: new weights and moments go to new_params, new_exp_avg and new_exp_avg_sq
        out_of_place: i32,
        /// 1: the updates go to the list of that name, rounded to the type of the gradients
        updates: i32,
        /// 1: weights are not written; without copies
        keep_params: i32,
        /// 1: the gradients are zero afterwards; without updates
        clear_grads: i32,
        /// f32, f64, f16, bf16
        param: adj_dtype,
        /// f32, f64, f16, bf16; 0 = param
        grad: adj_dtype,
        /// of both moments: f32, f64, f16, bf16; 0 = param
        state: adj_dtype,
        /// of a low-precision copy of the parameters: f16, bf16; 0 = none
        copy: adj_dtype,
    }
    /// Arguments of adam.
    struct adj_adam_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in/out, \[numel\] param; written if !out_of_place && !keep_params: parameters w
        params: adj_tensor_list,
        /// in/out, \[numel\] grad; written if clear_grads
        grads: adj_tensor_list,
        /// in/out, \[numel\] state; written if !out_of_place: first moment m
        exp_avg: adj_tensor_list,
        /// in/out, \[numel\] state; written if !out_of_place: second moment v
        exp_avg_sq: adj_tensor_list,
        /// in/out, \[numel\] copy; only if copy
        copies: adj_tensor_list,
        /// out, \[numel\] param; only if out_of_place && !keep_params; may be params itself
        new_params: adj_tensor_list,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg itself
        new_exp_avg: adj_tensor_list,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg_sq itself
        new_exp_avg_sq: adj_tensor_list,
        /// out, \[numel\] grad; only if updates; may be grads itself
        updates: adj_tensor_list,
        /// in, any floating-point type on the device: finite, not negative; must be given without lr_of
        lr: adj_scalar,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step: \>= 1
        step: adj_scalar,
        /// in, i64 on the device; only if stochastic_rounding: on the device all 64 bits count; from 0 to 2^53 by value
        seed: adj_scalar,
        /// in, any floating-point type on the device: not 0
        grad_scale: adj_scalar,
        /// in, any floating-point type on the device: \>= 0
        gradient_norm: adj_scalar,
        /// in, bool on the device: 0 skips
        update_signal: adj_scalar,
        /// in, optional, \[count\] accumulator(param): learning rate of each tensor, in place of lr
        lr_of: adj_tensor,
        /// in, optional, \[count\] accumulator(param): decay of each tensor, in place of weight_decay
        weight_decay_of: adj_tensor,
        /// in, optional, \[1\] f32
        found_inf: adj_tensor,
        /// in/out, optional, \[1\] i64: 1 is added when the device step is below 1 or gradient_norm is not finite
        error_flag: adj_tensor,
    }
    /// LAMB. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction), for every tensor
    ///     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    ///     m = beta1 \* m + (1 - beta1) \* g,   v = beta2 \* v + (1 - beta2) \* g \* g
    ///     d = weight_decay \* w + (m / a) / (sqrt(v / b) + epsilon)
    ///     r = lr \* max(ratio_min, min(ratio_max, \|w\| / \|d\|)), or lr where one of these L2 norms of the tensor is 0
    ///     update = -r \* d,   w += update
    /// Norms neither overflow nor vanish. Each hyperparameter holds for all tensors, or has a value for each of them.
    ///
    /// A tensor whose norm of w or d is not finite keeps weights, moments and copies, its updates are 0, and it is counted in error_flag.
    /// A weight that would not be finite in its own type stays as it is, with an update of 0. A call skips as one of adam does.
    ///
    /// Error terms: m and v as in adam, with M and V. With N the norm over the tensor of the terms of d,
    ///     d: T = \|weight_decay \* w\| + (M / a) / (sqrt(v / b) + epsilon) \* V / v
    ///     update and w: \|r\| \* T \* (1 + N / \|d\|)
    struct adj_lamb_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// finite; refused if !no_bias_correction && (beta1 \< 0 \|\| beta1 \>= 1): is outside \[0, 1)
        beta1: f64,
        /// finite; refused if !no_bias_correction && (beta2 \< 0 \|\| beta2 \>= 1): is outside \[0, 1)
        beta2: f64,
        /// from 0 on
        epsilon: f64,
        /// 0 = none; finite
        weight_decay: f64,
        /// infinity clips nothing; above 0
        max_norm: f64,
        /// but no NaN; refused if ratio_min \> ratio_max: is above ratio_max
        ratio_min: f64,
        /// but no NaN
        ratio_max: f64,
        /// 0, or count: beta1_of then takes the place of beta1; the same for those that follow
        beta1_count: i64,
        /// beta1 of each tensor; host array, copied by select
        beta1_of: *const f64,
        /// Length of beta2_of.
        beta2_count: i64,
        /// beta2 of each tensor; host array, copied by select
        beta2_of: *const f64,
        /// Length of epsilon_of.
        epsilon_count: i64,
        /// epsilon of each tensor; host array, copied by select
        epsilon_of: *const f64,
        /// Length of weight_decay_of.
        weight_decay_count: i64,
        /// weight_decay of each tensor; host array, copied by select
        weight_decay_of: *const f64,
        /// Length of max_norm_of.
        max_norm_count: i64,
        /// max_norm of each tensor; host array, copied by select
        max_norm_of: *const f64,
        /// 1: a = b = 1
        no_bias_correction: i32,
        /// 1: the device step is incremented afterwards
        advance_step: i32,
        /// 1: new weights and moments go to new_params, new_exp_avg and new_exp_avg_sq
        out_of_place: i32,
        /// 1: the updates go to the list of that name, rounded to the type of the gradients
        updates: i32,
        /// 1: weights are not written; without copies
        keep_params: i32,
        /// 1: the gradients are zero afterwards; without updates
        clear_grads: i32,
        /// f32, f64, f16, bf16
        param: adj_dtype,
        /// f32, f64, f16, bf16; 0 = param
        grad: adj_dtype,
        /// of both moments: f32, f64, f16, bf16; 0 = param
        state: adj_dtype,
        /// of a low-precision copy of the parameters: f16, bf16; 0 = none
        copy: adj_dtype,
    }
    /// Arguments of lamb.
    struct adj_lamb_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in/out, \[numel\] param; written if !out_of_place && !keep_params: parameters w
        params: adj_tensor_list,
        /// in/out, \[numel\] grad; written if clear_grads
        grads: adj_tensor_list,
        /// in/out, \[numel\] state; written if !out_of_place: first moment m
        exp_avg: adj_tensor_list,
        /// in/out, \[numel\] state; written if !out_of_place: second moment v
        exp_avg_sq: adj_tensor_list,
        /// in/out, \[numel\] copy; only if copy
        copies: adj_tensor_list,
        /// out, \[numel\] param; only if out_of_place && !keep_params; may be params itself
        new_params: adj_tensor_list,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg itself
        new_exp_avg: adj_tensor_list,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg_sq itself
        new_exp_avg_sq: adj_tensor_list,
        /// out, \[numel\] grad; only if updates; may be grads itself
        updates: adj_tensor_list,
        /// in, any floating-point type on the device: finite, not negative; must be given
        lr: adj_scalar,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step
        step: adj_scalar,
        /// in, any floating-point type on the device: \> 0
        grad_scale: adj_scalar,
        /// in, any floating-point type on the device: \>= 0
        gradient_norm: adj_scalar,
        /// in, bool on the device: 0 skips
        update_signal: adj_scalar,
        /// in, optional, \[1\] f32
        found_inf: adj_tensor,
        /// in/out, optional, \[1\] i64: counts as in adam, and the tensors that are kept as they are
        error_flag: adj_tensor,
    }
    /// Lion (Chen et al. 2023, Symbolic Discovery of Optimization Algorithms). With the gradient
    ///     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    ///     c = beta1 \* m + (1 - beta1) \* g,   m = beta2 \* m + (1 - beta2) \* g,   w -= lr \* (sign(c) + weight_decay \* w)
    /// gradient_norm is as in adam.
    ///
    /// Results are defined to the last bit; only the payload of a NaN is open. Scalars are combined in f64 and then rounded to the type of the
    /// arithmetic, in which, fma rounding once,
    ///     g = grad / s,   c = fma(1 - beta1, g, beta1 \* m),   m = fma(1 - beta2, g, beta2 \* m)
    ///     w = w - fma(lr \* weight_decay, w, lr \* sign(c))
    /// with s = max(grad_scale, gradient_norm \* (1 / max_norm)). lr \* sign(c) is lr for c \> 0, -lr for c \< 0, and else c itself: +0, -0 or NaN.
    /// So a weight of -0 stays -0 where c is +0, and becomes +0 where c is -0.
    ///
    /// A call skips when update_signal is 0, when found_inf is not 0, or when gradient_norm is not finite; that is an error by value, and on
    /// the device is counted in error_flag. It then leaves everything as it is, but clears gradients all the same.
    struct adj_lion_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// from 0 to 1
        beta1: f64,
        /// from 0 to 1
        beta2: f64,
        /// 0 = none; finite
        weight_decay: f64,
        /// infinity clips nothing; above 0
        max_norm: f64,
        /// count with stochastic_rounding, else 0
        tensor_key_count: i64,
        /// host array: a number for each tensor; equal keys draw equal bits; 0 to 4294967295
        tensor_keys: *const i64,
        /// count, or 0: every tensor is whole; count needs stochastic_rounding
        first_element_count: i64,
        /// host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59
        first_elements: *const i64,
        /// 1: the new weights too; needs tensor_keys; refused if stochastic_rounding && (param == f32 \|\| param == f64): is for parameters of f16 or bf16
        stochastic_rounding: i32,
        /// 1: the device step is incremented afterwards
        advance_step: i32,
        /// 1: the gradients are zero afterwards
        clear_grads: i32,
        /// f32, f64, f16, bf16
        param: adj_dtype,
        /// f32, f64, f16, bf16; 0 = param
        grad: adj_dtype,
        /// of the moment: f32, f64, f16, bf16; 0 = param
        state: adj_dtype,
        /// of a low-precision copy of the parameters: f16, bf16; 0 = none
        copy: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of lion.
    struct adj_lion_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in/out, \[numel\] param: parameters w
        params: adj_tensor_list,
        /// in/out, \[numel\] grad; written if clear_grads
        grads: adj_tensor_list,
        /// in/out, \[numel\] state: moment m
        exp_avg: adj_tensor_list,
        /// in/out, \[numel\] copy; only if copy
        copies: adj_tensor_list,
        /// in, any floating-point type on the device: finite, not negative; must be given
        lr: adj_scalar,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step: read by stochastic_rounding, then \>= 1 by value
        step: adj_scalar,
        /// in, i64 on the device; only if stochastic_rounding: on the device all 64 bits count; from 0 to 2^53 by value
        seed: adj_scalar,
        /// in, any floating-point type on the device: \> 0
        grad_scale: adj_scalar,
        /// in, any floating-point type on the device: \>= 0
        gradient_norm: adj_scalar,
        /// in, bool on the device: 0 skips
        update_signal: adj_scalar,
        /// in, optional, \[1\] f32
        found_inf: adj_tensor,
        /// in/out, optional, \[1\] i64: 1 is added when gradient_norm is not finite
        error_flag: adj_tensor,
    }
    /// AdamW with moments of 8 bits. With t the step, a = 1 - beta1^t, b = 1 - beta2^t, and the gradient
    ///     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    ///     m = beta1 \* m + (1 - beta1) \* g,   v = beta2 \* v + (1 - beta2) \* g \* g
    ///     w -= lr \* ((m / a) / (sqrt(v / b) + epsilon) + weight_decay \* w)
    /// gradient_norm is as in adam. The weights follow from m and v before these are rounded.
    ///
    /// Moments are stored in blocks of 256 consecutive elements of a tensor, of which the last one may be short: a byte for each element and a
    /// scale for each block, the largest magnitude in it. For the f32 number with the bits x \<\< 20 written as F(x), a byte c is worth
    ///     in exp_avg:    F(c & 127) \* 2^112 \* scale, negative where bit 7 is set:  4 bits of exponent, 3 of mantissa
    ///     in exp_avg_sq: F(c) \* 2^96 \* scale:                                      5 bits of exponent, 3 of mantissa
    /// so that the largest magnitude is stored as it is. The worth of a byte is rounded to f32. Training begins with zeros in all four lists. m is
    /// rounded to the nearest byte, away from 0 between two; a negative m that is rounded to 0 has the byte 0x80, which is worth -0. v is rounded at
    /// random, as weights are by stochastic rounding, with the bits that a weight draws: its decay of a thousandth at a step is less than half the distance of two
    /// bytes, and would be lost. The smallest byte of v is 1, which keeps divisors above 0. A block without a magnitude of 2^-126 or more becomes
    /// zero, with a scale and bytes of 0. A block with a magnitude that is not finite gets the scale NaN and bytes of 0: from the next step on all
    /// its weights are NaN.
    ///
    /// An entry of the list that is a part of a tensor begins with a block, at a multiple of 256.
    ///
    /// Results are defined to the last bit, but for the payload of a NaN. Scalars are combined in f64 and rounded to f32, and in f32, fma rounding
    /// once,
    ///     g = grad / s,   m = fma(1 - beta1, g, beta1 \* m),   v = fma((1 - beta2) \* g, g, beta2 \* v)
    ///     w = w - fma(lr \* weight_decay, w, (lr / a) \* (m / fma(sqrt(v), 1 / sqrt(b), epsilon)))
    ///     byte of m: \|m\| \* (1 / scale) \* 2^-112, rounded;  byte of v: \|v\| \* (1 / scale) \* 2^-96, rounded, from 1 to 248
    /// with s = max(grad_scale, gradient_norm \* (1 / max_norm)).
    ///
    /// A call skips when update_signal is 0, when found_inf is not 0, when gradient_norm is not finite, or when the step is below 1; the last
    /// two are errors by value, and on the device are counted in error_flag. It then leaves everything as it is, but clears gradients all the
    /// same.
    struct adj_adamw_8bit_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// from 0, below 1
        beta1: f64,
        /// from 0, below 1
        beta2: f64,
        /// from 0 on
        epsilon: f64,
        /// 0 = none; finite
        weight_decay: f64,
        /// infinity clips nothing; above 0
        max_norm: f64,
        /// count
        tensor_key_count: i64,
        /// host array: a number for each tensor; equal keys draw equal bits; 0 to 4294967295
        tensor_keys: *const i64,
        /// count, or 0: every tensor is whole
        first_element_count: i64,
        /// host array: number of each entry's first element in its tensor, a multiple of 256 from 0; with its numel at most 2^59
        first_elements: *const i64,
        /// 1: the new weights too; needs tensor_keys; refused if stochastic_rounding && (param == f32 \|\| param == f64): is for parameters of f16 or bf16
        stochastic_rounding: i32,
        /// 1: the device step is incremented afterwards
        advance_step: i32,
        /// 1: the gradients are zero afterwards
        clear_grads: i32,
        /// f32, f16, bf16
        param: adj_dtype,
        /// f32, f16, bf16; 0 = param
        grad: adj_dtype,
        /// of a low-precision copy of the parameters: f16, bf16; 0 = none
        copy: adj_dtype,
    }
    /// Arguments of adamw_8bit.
    struct adj_adamw_8bit_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in/out, \[numel\] param: parameters w
        params: adj_tensor_list,
        /// in/out, \[numel\] grad; written if clear_grads
        grads: adj_tensor_list,
        /// in/out, \[numel\] u8: bytes of the first moment m
        exp_avg: adj_tensor_list,
        /// in/out, \[ceil_div(numel, 256)\] f32: scales of m
        exp_avg_scale: adj_tensor_list,
        /// in/out, \[numel\] u8: bytes of the second moment v
        exp_avg_sq: adj_tensor_list,
        /// in/out, \[ceil_div(numel, 256)\] f32: scales of v
        exp_avg_sq_scale: adj_tensor_list,
        /// in/out, \[numel\] copy; only if copy
        copies: adj_tensor_list,
        /// in, any floating-point type on the device: finite, not negative; must be given
        lr: adj_scalar,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step: \>= 1
        step: adj_scalar,
        /// in, i64 on the device: of the random bits: on the device all 64 bits count; from 0 to 2^53 by value
        seed: adj_scalar,
        /// in, any floating-point type on the device: \> 0
        grad_scale: adj_scalar,
        /// in, any floating-point type on the device: \>= 0
        gradient_norm: adj_scalar,
        /// in, bool on the device: 0 skips
        update_signal: adj_scalar,
        /// in, optional, \[1\] f32
        found_inf: adj_tensor,
        /// in/out, optional, \[1\] i64: 1 is added when the device step is below 1 or gradient_norm is not finite
        error_flag: adj_tensor,
    }
    /// Scaling of gradients by their common L2 norm. With N the norm of all gradients divided by grad_scale:
    ///     factor = min(1, max_norm / (N + epsilon)),   grad \*= factor / grad_scale
    /// Squares neither overflow nor vanish. Where N is not finite in the type of norm, the gradients stay as they are, factor is 1, and found_inf
    /// becomes 1; else it becomes 0. An infinite max_norm clips nothing. An empty list has the norm 0.
    ///
    /// Error terms: every result has one term, its own magnitude.
    struct adj_clip_grad_norm_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// infinity clips nothing; above 0
        max_norm: f64,
        /// from 0 on
        epsilon: f64,
        /// 1: the gradients are not written
        norm_only: i32,
        /// f32, f64, f16, bf16
        grad: adj_dtype,
    }
    /// Arguments of clip_grad_norm.
    struct adj_clip_grad_norm_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in/out, \[numel\] grad; written if !norm_only: gradients of the parameters
        grads: adj_tensor_list,
        /// in, any floating-point type on the device: \> 0
        grad_scale: adj_scalar,
        /// out, optional, \[1\] accumulator(grad): N
        norm: adj_tensor,
        /// out, optional, \[1\] accumulator(grad)
        factor: adj_tensor,
        /// out, optional, \[1\] f32: 1 where N is not finite, else 0
        found_inf: adj_tensor,
    }
    /// SGD with momentum. g = grad / s + weight_decay \* w, \|s\| = max(\|grad_scale\|, gradient_norm / max_norm), s with the sign of grad_scale:
    ///     without momentum: update = -lr \* g
    ///     with momentum:    buf = momentum \* buf + (1 - dampening) \* g;  update = -lr \* (nesterov ? g + momentum \* buf : buf)
    ///     w += update
    /// Buffers start at zero, except that first_step makes buf = g (PyTorch's first step). gradient_norm is the norm of all gradients as they
    /// are, still scaled; 0, its default, clips nothing.
    ///
    /// A call skips when update_signal is 0, when found_inf is not 0, or when gradient_norm is not finite; that is an error by value, and on
    /// the device is counted in error_flag. It then does what a call of adam does that skips.
    ///
    /// Error terms: g: G = \|grad / s\| + \|weight_decay \* w\|;  buf: B = \|momentum \* buf\| + \|1 - dampening\| \* G, or G with first_step;  update and w:
    /// lr \* G, lr \* B with momentum, lr \* (G + momentum \* B) with nesterov.
    struct adj_sgd_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// from 0, below 1; refused if momentum \> 0 && !state: needs state, the element type of the momentum buffers
        momentum: f64,
        /// finite
        dampening: f64,
        /// 0 = none; finite
        weight_decay: f64,
        /// infinity clips nothing; above 0
        max_norm: f64,
        /// 1: Nesterov's momentum; only if momentum \> 0 && dampening == 0
        nesterov: i32,
        /// 1: the momentum buffers are written without being read
        first_step: i32,
        /// 1: new weights and buffers go to new_params and new_momentum_buffers
        out_of_place: i32,
        /// 1: the updates go to the list of that name, rounded to the type of the gradients
        updates: i32,
        /// 1: weights are not written; without copies
        keep_params: i32,
        /// 1: the gradients are zero afterwards; without updates
        clear_grads: i32,
        /// f32, f64, f16, bf16
        param: adj_dtype,
        /// of the gradients; 0 = param
        grad: adj_dtype,
        /// of the momentum buffers, given exactly where there are some; only if momentum
        state: adj_dtype,
        /// of a low-precision copy of the parameters: f16, bf16; 0 = none
        copy: adj_dtype,
    }
    /// Arguments of sgd.
    struct adj_sgd_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in/out, \[numel\] param; written if !out_of_place && !keep_params: parameters w
        params: adj_tensor_list,
        /// in/out, \[numel\] grad; written if clear_grads
        grads: adj_tensor_list,
        /// in/out, \[numel\] state; only if state; written if !out_of_place
        momentum_buffers: adj_tensor_list,
        /// in/out, \[numel\] copy; only if copy: a call that skips leaves it as it is
        copies: adj_tensor_list,
        /// out, \[numel\] param; only if out_of_place && !keep_params; may be params itself
        new_params: adj_tensor_list,
        /// out, \[numel\] state; only if out_of_place && state; may be momentum_buffers itself
        new_momentum_buffers: adj_tensor_list,
        /// out, \[numel\] grad; only if updates; may be grads itself
        updates: adj_tensor_list,
        /// in, any floating-point type on the device: finite, not negative; must be given
        lr: adj_scalar,
        /// in, any floating-point type on the device: not 0
        grad_scale: adj_scalar,
        /// in, any floating-point type on the device: \>= 0
        gradient_norm: adj_scalar,
        /// in, bool on the device: 0 skips
        update_signal: adj_scalar,
        /// in, optional, \[1\] f32
        found_inf: adj_tensor,
        /// in/out, optional, \[1\] i64: 1 is added when gradient_norm is not finite
        error_flag: adj_tensor,
    }
    /// IsFinite:   outputs\[i\]\[j\] = inputs\[i\]\[j\] is neither an infinity nor NaN
    ///
    /// Definition: com.microsoft IsFinite, PyTorch torch.isfinite.
    struct adj_is_finite_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of is_finite.
    struct adj_is_finite_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        inputs: adj_tensor_list,
        /// out, \[numel\] bool
        outputs: adj_tensor_list,
    }
    /// AllFinite:   output = every element of every input passes the test; true without elements
    ///
    /// Definition: com.microsoft IsAllFinite.
    struct adj_all_finite_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// One of the values of adj_finite_test.
        test: adj_finite_test,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of all_finite.
    struct adj_all_finite_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        inputs: adj_tensor_list,
        /// out, \[1\] bool
        output: adj_tensor,
        /// out, optional, \[1\] f32: 0 where output is true, else 1
        found_inf: adj_tensor,
    }
    /// All:   output = every element of every input is true; true without elements
    ///
    /// Definition: com.microsoft All.
    struct adj_all_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
    }
    /// Arguments of all.
    struct adj_all_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] bool: a byte that is not 0 is true
        inputs: adj_tensor_list,
        /// out, \[1\] bool
        output: adj_tensor,
    }
    /// Scale:   outputs\[i\] = scale \* inputs\[i\],   outputs_1\[i\] = scale_1 \* inputs\[i\],   outputs_2\[i\] = scale_2 \* inputs\[i\]
    ///
    /// The factor is rounded to the type of the arithmetic; with scale_down it is 1 / scale in that type. With fused, output is one buffer in
    /// which the tensors follow each other without gaps.
    /// Definition: com.microsoft MixedPrecisionScale, Scale and BatchScale.
    struct adj_scale_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// scaled copies of each input; 1 to 3
        outputs: i32,
        /// 1: one buffer of all outputs; only if outputs == 1
        fused: i32,
        /// 1: divides by the scales
        scale_down: i32,
        /// of the inputs: f32, f64, f16, bf16
        element: adj_dtype,
        /// of the outputs: f32, f16, bf16, or f64 exactly when the inputs are; 0 = element
        output: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of scale.
    struct adj_scale_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        inputs: adj_tensor_list,
        /// out, \[numel\] output; only if !fused; may be inputs itself
        outputs: adj_tensor_list,
        /// out, \[numel\] output; only if outputs \>= 2; may be inputs itself
        outputs_1: adj_tensor_list,
        /// out, \[numel\] output; only if outputs \>= 3; may be inputs itself
        outputs_2: adj_tensor_list,
        /// out, \[sum(numel)\] output; only if fused
        fused: adj_tensor,
        /// in, f32 or f64 on the device
        scale: adj_scalar,
        /// in, f32 or f64 on the device; only if outputs \>= 2
        scale_1: adj_scalar,
        /// in, f32 or f64 on the device; only if outputs \>= 3
        scale_2: adj_scalar,
        /// in/out, optional, \[1\] f32: 1 is stored when an input is an infinity or NaN, else it stays
        found_inf: adj_tensor,
    }
    /// Zero:   outputs\[i\] = +0
    ///
    /// Definition: com.microsoft ZeroGradient.
    struct adj_zero_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of zero.
    struct adj_zero_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// out, \[numel\] element
        outputs: adj_tensor_list,
    }
    /// Accumulate:   outputs\[i\] = update ? (overwrite ? 0 : sums\[i\]) + values\[i\] : sums\[i\]
    ///
    /// With overwrite nothing is read from sums, so that it may hold anything.
    /// Definition: com.microsoft InPlaceAccumulator (update) and InPlaceAccumulatorV2 (overwrite; its second output is copies).
    struct adj_accumulate_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// 1: the results are written to copies, too
        copies: i32,
        /// of sums, outputs and copies: f32, f64, f16, bf16
        element: adj_dtype,
        /// of values: f32, f64, f16, bf16; 0 = element
        value: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of accumulate.
    struct adj_accumulate_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        sums: adj_tensor_list,
        /// in, \[numel\] value
        values: adj_tensor_list,
        /// out, \[numel\] element; may be sums itself
        outputs: adj_tensor_list,
        /// out, \[numel\] element; only if copies
        copies: adj_tensor_list,
        /// in, bool on the device: 0: outputs and copies are sums
        update: adj_scalar,
        /// in, bool on the device: not 0: outputs and copies are values
        overwrite: adj_scalar,
        /// out, optional, host, \[1\] bool: 1, written by the call itself before it returns
        updated_flag: adj_tensor,
    }
    /// ScaledSum:   outputs\[i\] = scale_0 \* inputs_0\[i\] + scale_1 \* inputs_1\[i\] \[+ scale_2 \* inputs_2\[i\]\]
    ///
    /// The factors are rounded to the type of the arithmetic; each term is added with one rounding, from the left. Error terms: the magnitudes
    /// of the two or three products.
    /// Definition: com.microsoft ScaledSum.
    struct adj_scaled_sum_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// terms; 2 to 3
        inputs: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
    }
    /// Arguments of scaled_sum.
    struct adj_scaled_sum_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        inputs_0: adj_tensor_list,
        /// in, \[numel\] element
        inputs_1: adj_tensor_list,
        /// in, \[numel\] element; only if inputs \>= 3
        inputs_2: adj_tensor_list,
        /// out, \[numel\] element; may be inputs_0, inputs_1 or inputs_2 itself
        outputs: adj_tensor_list,
        /// in, f32 or f64 on the device
        scale_0: adj_scalar,
        /// in, f32 or f64 on the device
        scale_1: adj_scalar,
        /// in, f32 or f64 on the device; only if inputs \>= 3
        scale_2: adj_scalar,
    }
    /// UpdateLossScale: the dynamic scale of a loss, after a step of training.
    ///     found_inf is not 0:                    new = scale \* backoff_factor,   growth_tracker = 0
    ///     growth_tracker + 1 \>= growth_interval: new = scale \* growth_factor,    growth_tracker = 0
    ///     otherwise:                             new = scale,                    growth_tracker += 1
    ///     scale = max(min_scale, min(max_scale, new)) in the first two cases
    ///
    /// Arguments. found_inf is what clip_grad_norm, l2_norm, all_finite or scale has written. The scale belongs to the gradients of the step, so the call
    /// comes after clip_grad_norm and the optimizer, which take the scale as their grad_scale. Nothing needs the host: a captured step scales, checks,
    /// skips and adapts by itself.
    ///
    /// Types. Products and limits are in f64. The stored scale is rounded once.
    ///
    /// Edge cases:
    /// - A growth whose result is not finite leaves the scale as it is.
    /// - A scale of NaN stays NaN.
    /// - Unlike PyTorch, the scale grows at growth_tracker + 1 \>= growth_interval, not only at equality.
    ///
    /// Source: PyTorch torch._amp_update_scale_ and torch.amp.GradScaler.update; min_scale and max_scale are those of NVIDIA Apex's LossScaler. With the
    /// defaults of both limits the scale is that of PyTorch.
    struct adj_update_loss_scale_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// from 1 on
        growth_factor: f64,
        /// above 0, to 1
        backoff_factor: f64,
        /// from 0 on
        min_scale: f64,
        /// above 0; refused if max_scale \< min_scale: is below min_scale
        max_scale: f64,
        /// steps without found_inf before the scale grows; 1 to 2147483647
        growth_interval: i32,
        /// 0.
        reserved: u32,
    }
    /// Arguments of update_loss_scale.
    struct adj_update_loss_scale_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[1\] f32: not 0, a NaN included, when the step has been skipped
        found_inf: adj_tensor,
        /// in/out, \[1\] f32
        scale: adj_tensor,
        /// in/out, \[1\] i32: steps without found_inf since the scale has changed
        growth_tracker: adj_tensor,
    }
    /// Tensors are \[outer, channels, inner\] in row-major order. Without per_channel only their product matters. With s and z, the scale and the zero point
    /// of the tensor or of an element's channel:
    ///     q = rint(input / s) + z, half to even
    ///     out = (min(max(q, quant_min), quant_max) - z) \* s,  mask = quant_min \<= q \<= quant_max
    ///
    /// Types. All of it is computed in f32 (f64 for f64) and rounded once, at the end. Scales and zero points are used as they are: the zero point is not
    /// rounded.
    ///
    /// Edge cases:
    /// - A NaN gives NaN and a mask of 0.
    /// - A scale on the device that is 0 or not finite gives what IEEE arithmetic gives.
    ///
    /// Its gradient: fake_quantize_backward(dout, mask).
    struct adj_fake_quantize_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// \>= 0
        channels: i64,
        /// \>= 0; must be given
        inner: i64,
        /// -16777216 to 16777216; refused if quant_min \>= quant_max: is not below quant_max
        quant_min: i64,
        /// -16777216 to 16777216
        quant_max: i64,
        /// 1: scales and zero_points have one number a channel
        per_channel: i32,
        /// 1: a NaN counts as quant_min, as in ONNX Runtime
        nan_to_min: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of fake_quantize_forward.
    struct adj_fake_quantize_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, channels, inner\] element
        input: adj_tensor,
        /// in, f32 or f64 on the device; only if !per_channel: \> 0
        scale: adj_scalar,
        /// in, f32 or f64 on the device; only if !per_channel: quant_min to quant_max
        zero_point: adj_scalar,
        /// in, \[channels\] accumulator(element); only if per_channel
        scales: adj_tensor,
        /// in, \[channels\] accumulator(element); only if per_channel
        zero_points: adj_tensor,
        /// out, \[outer, channels, inner\] element; may be input itself
        out: adj_tensor,
        /// out, optional, \[outer, channels, inner\] bool
        mask: adj_tensor,
    }
    /// Gradient of fake quantization that passes straight through: dinput = mask ? dout : 0.
    struct adj_fake_quantize_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0; must be given
        numel: i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of fake_quantize_backward.
    struct adj_fake_quantize_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        dout: adj_tensor,
        /// in, \[numel\] bool
        mask: adj_tensor,
        /// out, \[numel\] element; may be dout itself
        dinput: adj_tensor,
    }
    /// Reduce:   output\[kept axes\] (=\|+=) kind over the other axes of input
    ///
    /// Segments. With segments \>= 0 one axis, of n elements, is reduced in so many segments:
    ///     output\[.., s, ..\] = kind over the elements offsets\[s\] \<= i \< offsets\[s + 1\] of input\[.., i, ..\]
    /// Offsets must ascend within \[0, n\]. Segments need not cover the axis. The result of a segment depends on its own elements alone, not on the number
    /// of segments nor on where it lies.
    ///
    /// Types. Sums, squares and products of 16-bit and f32 elements are formed in f32: what leaves its range is infinite or 0. Those of i32 wrap around.
    /// mean, L2 and logsumexp of i32 are not defined. The bits of the result depend on the elements, the shape, the axes and the kind alone. With write_mode
    /// accumulate, which a sum has, the result is added to what output holds, before the one rounding.
    ///
    /// Edge cases:
    /// - Of no elements: sum, sum of squares and L2 are 0, prod is 1, max is -infinity, min is infinity, logsumexp is -infinity and mean is NaN. Of i32,
    ///   max is the smallest and min the largest number.
    /// - A segment whose own two offsets do not ascend within \[0, n\] is empty, and is counted in error_flag. Where bad offsets make segments overlap, each
    ///   is reduced as it stands.
    ///
    /// Terms (see adj_guarantee), of n elements x:
    ///     sum         the sum of \|x\|                       mean         the sum of \|x\|, divided by n
    ///     sum_square  the sum of x^2                       l2           the root of the sum of x^2
    ///     prod        (n + 2) times the product of \|x\|     logsumexp    1 + the largest finite \|x\| + log(n + 1)
    /// max and min are exact. With write_mode accumulate, what output held before is a term as well.
    ///
    /// Source: com.microsoft ReduceSumTraining; PyTorch torch.sum, mean, linalg.vector_norm, amax, amin, prod, logsumexp, and segment_reduce with
    /// offsets.
    struct adj_reduce_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of input
        shape: adj_shape,
        /// the axes to reduce, in any order; negative ones count from the end; none: all of them
        axes: adj_axes,
        /// their number, with one axis and keepdims; -1: none, the axes are reduced whole; -1 to 576460752303423487
        segments: i64,
        /// refused if element == i32 && (kind == mean \|\| kind == l2 \|\| kind == logsumexp): is not defined for i32
        kind: adj_reduce_kind,
        /// 1: output keeps reduced axes with one element; 0: they are left out of its shape; refused if segments \>= 0 && !keepdims: does not go with segments
        keepdims: i32,
        /// 1: no axes mean that none is reduced
        noop_with_empty_axes: i32,
        /// of output; refused if write_mode == accumulate && (kind != sum \|\| element == i32 \|\| segments \>= 0): (accumulate) needs a sum of floating-point numbers without segments
        write_mode: adj_write_mode,
        /// of input: f32, f64, f16, bf16, i32
        element: adj_dtype,
        /// of output; element, element == i32 ? i32 : accumulator(element); 0 = element
        output: adj_dtype,
        /// of offsets; exactly with segments; i32, i64; only if segments \>= 0; refused if segments \>= 0 && !offset: is not given, the element type of offsets
        offset: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of reduce.
    struct adj_reduce_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, shape element
        input: adj_tensor,
        /// in/out, output; read if write_mode == accumulate: shape without the reduced axes; with keepdims one element in each of them, with segments as many as these
        output: adj_tensor,
        /// in, \[segments + 1\] offset; only if segments \>= 0
        offsets: adj_tensor,
        /// in/out, optional, \[1\] i64; only if segments \>= 0: 1 is added for each segment with bad offsets
        error_flag: adj_tensor,
    }
    /// L2Norm:   output = root of the sum of x^2 over all elements of all inputs,   norms\[i\] = the same of inputs\[i\]
    ///
    /// Results. Squares neither overflow nor vanish: where the norm is a number of the output's type, it is returned. To the last bit, the norm of a tensor
    /// does not depend on the rest of the list, nor that of the list on the order of the tensors.
    ///
    /// Edge cases:
    /// - The norm of no elements is 0.
    ///
    /// Source: com.microsoft ReduceAllL2, PyTorch torch.nn.utils.get_total_norm.
    struct adj_l2_norm_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 0
        count: i64,
        /// host array of count element counts; copied by select; \>= 0
        numel: *const i64,
        /// of inputs: f32, f64, f16, bf16
        element: adj_dtype,
        /// of output and norms: f32 or a 16-bit type that is that of inputs or has f32 inputs; f64 exactly when the inputs are; 0 = element
        output: adj_dtype,
    }
    /// Arguments of l2_norm.
    struct adj_l2_norm_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        inputs: adj_tensor_list,
        /// out, \[1\] output
        output: adj_tensor,
        /// out, optional, \[count\] output
        norms: adj_tensor,
        /// out, optional, \[1\] f32: 1 where an element of inputs is an infinity or NaN, else 0
        found_inf: adj_tensor,
    }
    /// Resize:   out\[n, c, o\] = sum over i of weight(o, i) \* input\[n, c, i\]
    ///
    /// Its gradient: resize_backward(dout).
    struct adj_resize_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// as stored: 3 to 5 dimensions
        input: adj_shape,
        /// as stored
        out: adj_shape,
        /// 0: out / in in every spatial dimension; else their number
        num_scales: i64,
        /// out over in, finite and \> 0
        scales: *const f64,
        /// linear, nearest
        mode: adj_resize_mode,
        /// half_pixel, align_corners, asymmetric, pytorch_half_pixel
        coordinates: adj_resize_coordinates,
        /// only if mode == nearest
        rounding: adj_resize_rounding,
        /// 1: \[N, spatial, C\]
        channels_last: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of resize_forward.
    struct adj_resize_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, input element
        input: adj_tensor,
        /// out, out element
        out: adj_tensor,
    }
    /// Its gradient:   dinput\[n, c, i\] = sum over o of weight(o, i) \* dout\[n, c, o\]
    ///
    /// Every element of dinput is written, with zero where no weight falls on it.
    struct adj_resize_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of dinput, as stored: 3 to 5 dimensions
        input: adj_shape,
        /// of dout, as stored
        out: adj_shape,
        /// as in the forward direction
        num_scales: i64,
        /// as in the forward direction
        scales: *const f64,
        /// linear, nearest
        mode: adj_resize_mode,
        /// half_pixel, align_corners, asymmetric, pytorch_half_pixel
        coordinates: adj_resize_coordinates,
        /// only if mode == nearest
        rounding: adj_resize_rounding,
        /// 1: \[N, spatial, C\]
        channels_last: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of resize_backward.
    struct adj_resize_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, out element
        dout: adj_tensor,
        /// out, input element
        dinput: adj_tensor,
    }
    /// Rotary position embedding: out of the formulas above.
    ///
    /// Its gradient: rope_backward(dout, input ? has_norm, positions, cos, sin, q_weight, k_weight).
    struct adj_rope_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// sequences; \>= 0
        batch: i64,
        /// tokens of a sequence; \>= 0; must be given
        tokens: i64,
        /// heads of queries; 1 to 65535; must be given
        heads: i64,
        /// heads of keys behind them; 0 to 65535
        kv_heads: i64,
        /// 2 to 1024; must be given
        head_dim: i64,
        /// elements of a head that are rotated: even, at most head_dim and 512; 0: head_dim; 0 to 512
        rotary_dim: i64,
        /// rows of cos and sin; 0: no tables; 0 to 2147483648
        table_rows: i64,
        /// of the angles; above 0; only if !table_rows
        base: f64,
        /// of the norm; above 0; only if has_norm
        epsilon: f64,
        /// elements between sequences, tokens and heads of input; none: packed
        strides: adj_axes,
        /// of out; none: packed
        out_strides: adj_axes,
        /// 1: neighbours are a pair; 0: elements rotary_dim / 2 apart are
        interleaved: i32,
        /// 1: heads are normalised before the rotation
        has_norm: i32,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// of q_weight and k_weight; element, accumulator(element); 0 = element; only if has_norm
        weight: adj_dtype,
        /// 0: positions are not given; i32, i64
        position: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of rope_forward.
    struct adj_rope_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with strides
        input: adj_tensor,
        /// in, \[batch, tokens\] position; only if position
        positions: adj_tensor,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        cos: adj_tensor,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        sin: adj_tensor,
        /// in, \[head_dim\] weight; only if has_norm
        q_weight: adj_tensor,
        /// in, \[head_dim\] weight; only if has_norm && kv_heads \> 0
        k_weight: adj_tensor,
        /// out, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with out_strides; may be input itself
        out: adj_tensor,
        /// in/out, optional, \[1\] i64: positions out of range are added to it
        error_flag: adj_tensor,
    }
    /// Rotary position embedding, gradient: the transpose of the rotation, then the gradient of the norm.
    ///     dz\[first(j)\]  = dout\[first(j)\] \* cos\[p, j\] + dout\[second(j)\] \* sin\[p, j\]
    ///     dz\[second(j)\] = dout\[second(j)\] \* cos\[p, j\] - dout\[first(j)\] \* sin\[p, j\],   dz\[i\] = dout\[i\] for i \>= rotary_dim
    ///     dinput = dz,   with has_norm inv \* (dz \* weight - h \* mean over the head of (dz \* weight \* h)),   h = input \* inv
    ///     dq_weight\[i\] = sum over tokens and heads of queries of dz\[i\] \* h\[i\];   dk_weight\[i\] likewise for keys
    /// The norm is taken from input again, so nothing but input has to be kept; input is then not to be overwritten by rope_forward.
    struct adj_rope_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// sequences; \>= 0
        batch: i64,
        /// tokens of a sequence; \>= 0; must be given
        tokens: i64,
        /// heads of queries; 1 to 65535; must be given
        heads: i64,
        /// heads of keys behind them; 0 to 65535
        kv_heads: i64,
        /// 2 to 1024; must be given
        head_dim: i64,
        /// elements of a head that are rotated: even, at most head_dim and 512; 0: head_dim; 0 to 512
        rotary_dim: i64,
        /// rows of cos and sin; 0: no tables; 0 to 2147483648
        table_rows: i64,
        /// of the angles; above 0; only if !table_rows
        base: f64,
        /// of the norm; above 0; only if has_norm
        epsilon: f64,
        /// elements between sequences, tokens and heads of input; none: packed; only if has_norm
        strides: adj_axes,
        /// of dout; none: packed
        dout_strides: adj_axes,
        /// of dinput; none: packed
        dinput_strides: adj_axes,
        /// 1: neighbours are a pair; 0: elements rotary_dim / 2 apart are
        interleaved: i32,
        /// 1: heads were normalised before the rotation
        has_norm: i32,
        /// of dq_weight and dk_weight; only if has_norm
        write_mode: adj_write_mode,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// of q_weight, k_weight and their gradients; element, accumulator(element); 0 = element; only if has_norm
        weight: adj_dtype,
        /// 0: positions are not given; i32, i64
        position: adj_dtype,
    }
    /// Arguments of rope_backward.
    struct adj_rope_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with dout_strides
        dout: adj_tensor,
        /// in, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with strides; only if has_norm
        input: adj_tensor,
        /// in, \[batch, tokens\] position; only if position
        positions: adj_tensor,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        cos: adj_tensor,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        sin: adj_tensor,
        /// in, \[head_dim\] weight; only if has_norm
        q_weight: adj_tensor,
        /// in, \[head_dim\] weight; only if has_norm && kv_heads \> 0
        k_weight: adj_tensor,
        /// out, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with dinput_strides; may be dout or input itself
        dinput: adj_tensor,
        /// in/out, \[head_dim\] weight; only if has_norm; read if write_mode == accumulate
        dq_weight: adj_tensor,
        /// in/out, \[head_dim\] weight; only if has_norm && kv_heads \> 0; read if write_mode == accumulate
        dk_weight: adj_tensor,
        /// in/out, optional, \[1\] i64: positions out of range are added to it
        error_flag: adj_tensor,
    }
    /// Consecutive parts of a tensor: part i is numel\[i\] elements of input from the element offsets\[i\] = numel\[0\] + .. + numel\[i - 1\]
    /// on. Without copies nothing is launched: the caller uses the address of input plus the offset, which is a multiple of the element
    /// size only. With copies every part is copied to a buffer of its own, none of which overlaps another or input.
    struct adj_view_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// elements of input: the sum of numel; \>= 0; must be given
        total: i64,
        /// number of parts \>= 1
        count: i64,
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        numel: *const i64,
        /// 1: outputs are written; 0: they are absent
        copies: i32,
        /// every type of adj_dtype
        element: adj_dtype,
    }
    /// Arguments of view.
    struct adj_view_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[total\] element
        input: adj_tensor,
        /// out, \[numel\] element; only if copies
        outputs: adj_tensor_list,
        /// out, optional, host, \[count\] i64: offsets in elements, written by the call itself
        offsets: adj_tensor,
    }
    /// outputs\[i\] = inputs\[i\], a list in one launch. An output that is the very buffer of its input is left out; where all are, nothing is
    /// launched.
    struct adj_copy_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// number of tensors \>= 1
        count: i64,
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        numel: *const i64,
        /// every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of copy.
    struct adj_copy_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[numel\] element
        inputs: adj_tensor_list,
        /// out, \[numel\] element; may be inputs itself
        outputs: adj_tensor_list,
    }
    /// Transpose of matrices:   output\[b, c, r\] = input\[b, r, c\]
    struct adj_transpose_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// matrices; \>= 0
        batch: i64,
        /// \>= 0; must be given
        rows: i64,
        /// \>= 0; must be given
        columns: i64,
        /// every type of adj_dtype
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of transpose.
    struct adj_transpose_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[batch, rows, columns\] element
        input: adj_tensor,
        /// out, \[batch, columns, rows\] element
        output: adj_tensor,
    }
    /// Softmax gradient, out being the softmax itself:
    ///     dinput\[n, c, d\] = out\[n, c, d\] \* (dout\[n, c, d\] - sum over k of dout\[n, k, d\] \* out\[n, k, d\])
    struct adj_softmax_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// of the axis; \>= 0; must be given
        extent: i64,
        /// \>= 0
        inner: i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of softmax_backward.
    struct adj_softmax_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, extent, inner\] element
        dout: adj_tensor,
        /// in, \[outer, extent, inner\] element: the result of the forward operator
        out: adj_tensor,
        /// out, \[outer, extent, inner\] element; may be dout or out itself
        dinput: adj_tensor,
    }
    /// Log-softmax gradient, out being the log-softmax itself:
    ///     dinput\[n, c, d\] = dout\[n, c, d\] - exp(out\[n, c, d\]) \* sum over k of dout\[n, k, d\]
    struct adj_log_softmax_backward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// of the axis; \>= 0; must be given
        extent: i64,
        /// \>= 0
        inner: i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of log_softmax_backward.
    struct adj_log_softmax_backward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, extent, inner\] element
        dout: adj_tensor,
        /// in, \[outer, extent, inner\] element: the result of the forward operator
        out: adj_tensor,
        /// out, \[outer, extent, inner\] element; may be dout or out itself
        dinput: adj_tensor,
    }
    /// Softmax: out\[n, c, d\] = exp(input\[n, c, d\] - m) / sum over k of exp(input\[n, k, d\] - m), m the largest of the group.
    ///
    /// Its gradient: softmax_backward(dout, out).
    struct adj_softmax_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// of the axis; \>= 0; must be given
        extent: i64,
        /// \>= 0
        inner: i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of softmax_forward.
    struct adj_softmax_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, extent, inner\] element
        input: adj_tensor,
        /// out, \[outer, extent, inner\] element; may be input itself
        out: adj_tensor,
    }
    /// Log-softmax: out\[n, c, d\] = input\[n, c, d\] - m - log(sum over k of exp(input\[n, k, d\] - m)), m the largest of the group.
    ///
    /// Its gradient: log_softmax_backward(dout, out).
    struct adj_log_softmax_forward_descriptor {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// \>= 0
        outer: i64,
        /// of the axis; \>= 0; must be given
        extent: i64,
        /// \>= 0
        inner: i64,
        /// f32, f64, f16, bf16
        element: adj_dtype,
        /// 0.
        reserved: u32,
    }
    /// Arguments of log_softmax_forward.
    struct adj_log_softmax_forward_args {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// in, \[outer, extent, inner\] element
        input: adj_tensor,
        /// out, \[outer, extent, inner\] element; may be input itself
        out: adj_tensor,
    }
    /// One candidate of a selection: its SKU, ADJ_OK if it was accepted, else a status and the reason.
    struct adj_rejection {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// The member sku.
        sku: *const c_char,
        /// The member reason.
        reason: *const c_char,
        /// One of the values of adj_status.
        code: adj_status,
        /// 0.
        reserved: u32,
    }
    /// ---- SKUs --------------------------------------------------------------------------------------------------------
    struct adj_sku_info {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// "embedding_backward/row_sort/bf16.i64/sm80"
        id: *const c_char,
        /// The member op_name.
        op_name: *const c_char,
        /// The member algorithm.
        algorithm: *const c_char,
        /// element types, dot-separated, in the operator's order
        signature: *const c_char,
        /// "sm80": that and later; "sm90a": exactly that; "host"
        arch: *const c_char,
        /// kernel source file, or ""
        source: *const c_char,
        /// one line on how it works
        summary: *const c_char,
        /// One of the values of adj_op.
        op: adj_op,
        /// One of the values of adj_backend.
        backend: adj_backend,
        /// kernels that the SKU is made of
        program_count: i32,
        /// 0.
        reserved: u32,
        /// for every output of every problem; from adj_plan_sku: for every output of the plan's problem
        guarantee: adj_guarantee,
    }
    /// Resources of the machine code of one kernel. Shared memory that a launch asks for in addition is not included.
    struct adj_kernel_info {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// "segment_sum/lookup.cu"
        source: *const c_char,
        /// The member entry.
        entry: *const c_char,
        /// blank-separated, "ADJ_T=bf16 ADJ_I=i64"
        macros: *const c_char,
        /// of instructions
        code_bytes: u64,
        /// per block
        static_shared_bytes: u64,
        /// per thread
        registers: i32,
        /// stack per thread: spills and arrays indexed at run time
        local_bytes: i32,
        /// NVRTC's time in this call; 0 when a pack or the disk cache had the code
        compile_ms: f64,
    }
    /// The structure adj_plan_info of adjoint.h.
    struct adj_plan_info {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of run
        workspace_size: u64,
        /// of bind, never smaller
        bind_workspace_size: u64,
        /// kernel launches, copies and memsets of one run
        launches: i64,
        /// the same of one bound run
        bound_launches: i64,
        /// 1: the driver compiled PTX, the caller's or for a device that NVRTC does not know
        from_ptx: i32,
        /// 0.
        reserved: u32,
    }
    /// The structure adj_pack_options of adjoint.h.
    struct adj_pack_options {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// comma-separated, "sm_80,sm_90a"
        archs: *const c_char,
        /// glob over SKU ids; null = all
        skus: *const c_char,
        /// threads; 0 = number of processors, at most 8
        jobs: i32,
        /// 0.
        reserved: u32,
        /// The member progress.
        progress: adj_progress,
        /// The member user.
        user: *mut c_void,
    }
    /// ---- disk cache --------------------------------------------------------------------------------------------------
    struct adj_cache_info {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// "" when the cache is off
        directory: *const c_char,
        /// why the cache is off or read-only, or ""
        problem: *const c_char,
        /// The member entries.
        entries: i64,
        /// entries that fail their checksum (adj_cache_verify only)
        damaged: i64,
        /// The member bytes.
        bytes: u64,
        /// least recently used entries beyond it are removed
        limit: u64,
        /// of this process
        memory_hits: i64,
        /// The member pack_hits.
        pack_hits: i64,
        /// The member disk_hits.
        disk_hits: i64,
        /// The member compiles.
        compiles: i64,
    }
    /// ---- the machine -------------------------------------------------------------------------------------------------
    struct adj_library_info {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// "CUDA driver", "NVRTC", "cuDNN", "cuBLASLt", "NCCL"
        name: *const c_char,
        /// file it was loaded from, or ""
        path: *const c_char,
        /// "13.0", or ""
        version: *const c_char,
        /// "" when usable, else what is missing and how to get it
        problem: *const c_char,
        /// The member available.
        available: i32,
        /// 0.
        reserved: u32,
    }
    /// The structure adj_device_info of adjoint.h.
    struct adj_device_info {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// The member name.
        name: *const c_char,
        /// architecture that kernels are compiled for, "sm_90a"
        arch: *const c_char,
        /// The member memory.
        memory: u64,
        /// The member multiprocessors.
        multiprocessors: i32,
        /// times ten
        compute_capability: i32,
    }
    /// One kernel registration of ONNX Runtime's CUDA training build, and the operator that serves it here.
    struct adj_registry_row {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// "com.microsoft", or "" for the default ONNX domain
        domain: *const c_char,
        /// The member op.
        op: *const c_char,
        /// registered type string, or the constraint list
        types: *const c_char,
        /// our operator, or ""
        adjoint_op: *const c_char,
        /// our element types for it (the first, where it admits several), or ""
        signature: *const c_char,
        /// "" when resolved, else why not
        reason: *const c_char,
        /// modes, flags and real numbers of our descriptor that make it this operator, "function=relu"; or ""
        settings: *const c_char,
        /// how its attributes and tensors map to ours, where names and settings do not say it; or ""
        note: *const c_char,
        /// The member since_version.
        since_version: i32,
        /// 0 = open
        until_version: i32,
        /// select succeeds on sm_90a and on the host for all its types
        resolved: i32,
        /// SKUs that serve it
        sku_count: i32,
        /// how a node runs in a session of a stock ONNX Runtime: "table", "rewrite" (of the graph first) or "none"
        session: *const c_char,
        /// why "none"; or ""
        obstacle: *const c_char,
        /// how inputs, outputs and attributes become arguments and fields: lines, in the grammar of src/ops/onnx; or ""
        binding: *const c_char,
        /// its element types spelled out, by ours: "f32 i64; f16 i64"
        combinations: *const c_char,
    }
    /// One field of an operator's descriptor, for tools that fill descriptors from text.
    struct adj_field {
        /// The member name.
        name: *const c_char,
        /// of an enumeration: names of its values from 0 on, "default,none,sum,mean"; null otherwise
        choices: *const c_char,
        /// range, meaning, what 0 stands for; may be ""
        about: *const c_char,
        /// a list, and bytes, have their length in the int64_t just before their pointer
        kind: adj_field_kind,
        /// The member offset.
        offset: u32,
    }
    /// What the header of an operator states of the values of a field. Other values are refused.
    struct adj_field_limits {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// of an integer, and of the entries of a list of integers: INT64_MIN where none is stated
        least: i64,
        /// the same: INT64_MAX where none is stated
        most: i64,
        /// of a number: -infinity where none is stated
        least_real: f64,
        /// the same: infinity where none is stated
        most_real: f64,
        /// of an element type: those that it may be beside 0, "f32, f64"; "" where the SKUs say it
        types: *const c_char,
        /// a condition on other fields, "mode == sum": the field has its default otherwise; or ""
        only_if: *const c_char,
        /// lines "condition: why"; or ""
        refused_if: *const c_char,
        /// 1: least_real itself is refused
        above_least: i32,
        /// 1: most_real itself is refused
        below_most: i32,
        /// 1: an infinite number is refused
        finite: i32,
        /// 1: a NaN is refused
        number: i32,
    }
    /// One argument of an operator. Its element type and shape may depend on the descriptor: about says how, in the names of fields.
    struct adj_argument {
        /// The member name.
        name: *const c_char,
        /// The member about.
        about: *const c_char,
        /// One of the values of adj_argument_kind.
        kind: adj_argument_kind,
        /// One of the values of adj_role.
        role: adj_role,
        /// One of the values of adj_presence.
        presence: adj_presence,
        /// 1: ordinary memory, whatever the stream
        host: i32,
        /// The member offset.
        offset: u32,
        /// bit i: this output may be the very buffer of argument i
        may_equal: u32,
    }
    /// What a descriptor asks of one argument.
    struct adj_requirement {
        /// Size, tag and chain; its default is right.
        header: adj_header,
        /// ADJ_PRESENCE_REQUIRED, ADJ_PRESENCE_OPTIONAL or ADJ_PRESENCE_ABSENT; all that follows is 0 when absent
        presence: adj_presence,
        /// ADJ_ROLE_...: ADJ_ROLE_INOUT only where this descriptor has the argument both read and written
        role: adj_role,
        /// element type, of a scalar in memory as well; of a random state in memory u64; 0 for a handle
        dtype: adj_dtype,
        /// scalars in memory: a second type that is accepted; 0: none
        other_dtype: adj_dtype,
        /// scalars in memory: 1: every floating-point type is accepted
        any_float: i32,
        /// scalars and random states: 1: a value is refused, the argument must be in memory
        device_only: i32,
        /// of a tensor
        rank: i32,
        /// 0.
        reserved: u32,
        /// of a tensor
        shape: [i64; ADJ_MAX_RANK],
        /// entries of a list
        count: i64,
        /// least capacity: of a tensor or a random state in memory, of a list for all its entries together
        bytes: u64,
        /// of the address of a tensor, in bytes: a multiple of it; from adj_plan_argument only, else 0
        alignment: u64,
    }
}

functions! {
    /// The function adj_abi_check of adjoint.h.
    fn adj_abi_check(major: u32, minor: u32) -> adj_status;
    /// The function adj_abi_version of adjoint.h.
    fn adj_abi_version(major: *mut u32, minor: *mut u32);
    /// library version, "1.0.0"; between releases with the commit, "0.9.0.dev0+g0123456789ab"
    fn adj_version() -> *const c_char;
    /// "buffer_too_small"
    fn adj_status_name(status: adj_status) -> *const c_char;
    /// never null; "" before any failure
    fn adj_last_error() -> *const c_char;
    /// Native code of the thread's last failure, in whatever function: CUresult, nvrtcResult, cudnnStatus_t, cublasStatus_t, ncclResult_t, or 0 when no library
    /// was involved. The sentence of adj_last_error names the library's function. 0 before any failure.
    fn adj_last_native_code() -> i64;
    /// The function adj_error_code of adjoint.h.
    fn adj_error_code(error: *const adj_error) -> adj_status;
    /// The function adj_error_message of adjoint.h.
    fn adj_error_message(error: *const adj_error) -> *const c_char;
    /// NVRTC's log or ""
    fn adj_error_log(error: *const adj_error) -> *const c_char;
    /// NVRTC's options or ""
    fn adj_error_options(error: *const adj_error) -> *const c_char;
    /// as adj_last_native_code
    fn adj_error_native_code(error: *const adj_error) -> i64;
    /// The function adj_error_release of adjoint.h.
    fn adj_error_release(error: *mut adj_error);
    /// The function adj_error_rejection_count of adjoint.h.
    fn adj_error_rejection_count(error: *const adj_error) -> i64;
    /// The function adj_error_rejection of adjoint.h.
    fn adj_error_rejection(error: *const adj_error, i: i64, out: *mut adj_rejection) -> adj_status;
    /// The function adj_stream_host of adjoint.h.
    fn adj_stream_host() -> adj_stream;
    /// Wraps a CUstream or cudaStream_t and finds its device; a null handle is the legacy default stream of the thread's
    /// current device. Does not take ownership.
    fn adj_stream_wrap(cuda_stream: *mut c_void, out: *mut adj_stream) -> adj_status;
    /// A stream of a device that need not exist, "sm_80", "sm_90a", "sm_100", ...: plans can be selected and explained on it,
    /// and fail at run.
    fn adj_stream_offline(arch: *const c_char, out: *mut adj_stream) -> adj_status;
    /// The function adj_sku_count of adjoint.h.
    fn adj_sku_count() -> i64;
    /// The function adj_sku_get of adjoint.h.
    fn adj_sku_get(i: i64, out: *mut adj_sku_info) -> adj_status;
    /// The function adj_sku_find of adjoint.h.
    fn adj_sku_find(id: *const c_char, out: *mut adj_sku_info) -> adj_status;
    /// Guarantee of a SKU for one output, by the name of its argument ("dinput"), whatever the problem. An output may promise more than the SKU
    /// does for all of them. output = null: the guarantee of adj_sku_info.
    fn adj_sku_guarantee(id: *const c_char, output: *const c_char, out: *mut adj_guarantee) -> adj_status;
    /// Kernel i, in \[0, program_count), of a SKU for an architecture such as "sm_90a". The code is taken from packs, the disk cache
    /// or NVRTC, as select does; neither a driver nor a device is needed. ADJ_ERROR_UNSUPPORTED when the SKU or that kernel of it does not
    /// run on the architecture, or when NVRTC does not know it.
    fn adj_sku_kernel(id: *const c_char, i: i64, arch: *const c_char, out: *mut adj_kernel_info, error: *mut *mut adj_error) -> adj_status;
    /// Picks a kernel for the descriptor (any ..._descriptor structure) on the stream's device, compiling or loading it.
    /// preference may be null.
    fn adj_plan_select(stream: *const adj_stream, descriptor: *const adj_header, preference: *const adj_preference, out: *mut *mut adj_plan, error: *mut *mut adj_error) -> adj_status;
    /// adj_plan_select with a cache of the process, for programs that ask for a plan before every call. A problem with an equal descriptor, an
    /// equal preference and a stream of the same device gets the same plan, in well under a microsecond and without a lock. out is a reference
    /// of the caller's, to be released by adj_plan_release. The cache holds up to 2048 plans and 64 MiB of them, and drops the least recently
    /// used. A descriptor with a pointer to anything but a list or a text (callback), or with lists of more than 256 KiB, is selected anew each
    /// time.
    fn adj_plan_acquire(stream: *const adj_stream, descriptor: *const adj_header, preference: *const adj_preference, out: *mut *mut adj_plan, error: *mut *mut adj_error) -> adj_status;
    /// Tries all candidates as select does, without compiling, loading or measuring. report receives an error object whose rejections are all candidates in
    /// order, the accepted ones with ADJ_OK. Where select would go by a verdict (adj_tuning_load), its SKU comes first, and reasons have the times. Fails
    /// only when the descriptor, the stream or the preference is invalid.
    fn adj_plan_explain(stream: *const adj_stream, descriptor: *const adj_header, preference: *const adj_preference, report: *mut *mut adj_error) -> adj_status;
    /// Checks element types, shapes, capacities, alignment, null pointers and overlap of these buffers. No driver call.
    fn adj_plan_can_implement(plan: *const adj_plan, args: *const adj_header) -> adj_status;
    /// The function adj_plan_workspace_size of adjoint.h.
    fn adj_plan_workspace_size(plan: *const adj_plan) -> u64;
    /// Checks as adj_plan_can_implement does, then launches. Entries of lists are checked for overlap at the same position only. Never compiles,
    /// allocates, loads or synchronises; may be captured in a CUDA graph.
    fn adj_plan_run(plan: *const adj_plan, stream: *const adj_stream, workspace: *const adj_workspace, args: *const adj_header) -> adj_status;
    /// Checks once and prepares calls on the same buffers. May copy a table of addresses into the workspace, which belongs to the bound call
    /// until that is released; adj_bound_run then takes the same stream only, and for the default stream per thread the same thread. Not allowed
    /// while the stream is being captured. Scalars passed by value are frozen.
    fn adj_plan_bind(plan: *const adj_plan, stream: *const adj_stream, workspace: *const adj_workspace, args: *const adj_header, out: *mut *mut adj_bound) -> adj_status;
    /// The function adj_bound_run of adjoint.h.
    fn adj_bound_run(bound: *const adj_bound, stream: *const adj_stream) -> adj_status;
    /// The function adj_bound_release of adjoint.h.
    fn adj_bound_release(bound: *mut adj_bound);
    /// The function adj_plan_sku of adjoint.h.
    fn adj_plan_sku(plan: *const adj_plan, out: *mut adj_sku_info) -> adj_status;
    /// Guarantee of a plan for one output of its problem, by the name of its argument. output = null: the guarantee that adj_plan_sku gives.
    fn adj_plan_guarantee(plan: *const adj_plan, output: *const c_char, out: *mut adj_guarantee) -> adj_status;
    /// The function adj_plan_get_info of adjoint.h.
    fn adj_plan_get_info(plan: *const adj_plan, out: *mut adj_plan_info) -> adj_status;
    /// Candidates that select tried, in order; the last one is the chosen one, with ADJ_OK. Slower candidates of a measurement have ADJ_OK too, and the reason
    /// has the time. Their strings live as long as the plan.
    fn adj_plan_candidate_count(plan: *const adj_plan) -> i64;
    /// The function adj_plan_candidate of adjoint.h.
    fn adj_plan_candidate(plan: *const adj_plan, i: i64, out: *mut adj_rejection) -> adj_status;
    /// returns its argument
    fn adj_plan_retain(plan: *mut adj_plan) -> *mut adj_plan;
    /// The function adj_plan_release of adjoint.h.
    fn adj_plan_release(plan: *mut adj_plan);
    /// Writes the kernels of the chosen SKUs to a file. As in select, kernels come from packs and the disk cache first; kernels that NVRTC
    /// compiles also go into the cache. Needs no driver and no device.
    fn adj_pack_build(path: *const c_char, options: *const adj_pack_options, error: *mut *mut adj_error) -> adj_status;
    /// Makes a pack's kernels available to every later select of this process.
    fn adj_pack_load(path: *const c_char) -> adj_status;
    /// Makes the verdicts of a tuning file available to every later select of this process, with and without tune; they count more than the disk cache.
    /// ADJOINT_TUNING names files to load at the first select, separated by colons. Plans that adj_plan_acquire already has stay as they are.
    fn adj_tuning_load(path: *const c_char) -> adj_status;
    /// Writes a tuning file with every verdict that this process has measured, found or loaded. ADJ_ERROR_NOT_FOUND when there is none.
    fn adj_tuning_save(path: *const c_char) -> adj_status;
    /// Strings of the info stay valid until the next adj_cache_... call of this thread.
    fn adj_cache_stat(out: *mut adj_cache_info) -> adj_status;
    /// reads every entry, removes damaged ones
    fn adj_cache_verify(out: *mut adj_cache_info) -> adj_status;
    /// The function adj_cache_clear of adjoint.h.
    fn adj_cache_clear() -> adj_status;
    /// The function adj_library_count of adjoint.h.
    fn adj_library_count() -> i64;
    /// The function adj_library_get of adjoint.h.
    fn adj_library_get(i: i64, out: *mut adj_library_info) -> adj_status;
    /// 0 without a driver
    fn adj_device_count() -> i64;
    /// The function adj_device_get of adjoint.h.
    fn adj_device_get(i: i64, out: *mut adj_device_info) -> adj_status;
    /// The function adj_registry_count of adjoint.h.
    fn adj_registry_count() -> i64;
    /// The function adj_registry_get of adjoint.h.
    fn adj_registry_get(i: i64, out: *mut adj_registry_row) -> adj_status;
    /// Finds the row that covers an operator at an opset version with the given type string ("float,int64_t",
    /// "MLFloat16_int64_t_float", or one element type for a row with a constraint list). Both spellings of the domains
    /// ("ms"/"com.microsoft", ""/"onnx"/"ai.onnx") are understood.
    fn adj_registry_lookup(domain: *const c_char, op: *const c_char, opset: i32, types: *const c_char, out: *mut adj_registry_row) -> adj_status;
    /// The i-th SKU id that serves a row.
    fn adj_registry_sku(row: i64, i: i64, id: *mut *const c_char) -> adj_status;
    /// The function adj_op_count of adjoint.h.
    fn adj_op_count() -> i64;
    /// the i-th operator, in the order of the ids; 0 outside \[0, adj_op_count())
    fn adj_op_at(i: i64) -> adj_op;
    /// null for an unknown operator
    fn adj_op_name(op: adj_op) -> *const c_char;
    /// "loss": the operator is declared in ops/loss.h; null for an unknown operator
    fn adj_op_family(op: adj_op) -> *const c_char;
    /// The function adj_op_find of adjoint.h.
    fn adj_op_find(name: *const c_char, out: *mut adj_op) -> adj_status;
    /// Fills a descriptor of the operator with its defaults. size is the size of the caller's structure: that of the first version or more. Only
    /// what fits is written, and struct_size says how much that is.
    fn adj_op_descriptor_init(op: adj_op, descriptor: *mut c_void, size: u64) -> adj_status;
    /// The same for the arguments of the operator.
    fn adj_op_args_init(op: adj_op, args: *mut c_void, size: u64) -> adj_status;
    /// bytes of the library's structure; 0 for an unknown operator
    fn adj_op_descriptor_size(op: adj_op) -> u64;
    /// the same for the arguments
    fn adj_op_args_size(op: adj_op) -> u64;
    /// What the operator computes, as its header says it: formula, edge cases, terms of the guarantee. Null for an unknown operator.
    fn adj_op_definition(op: adj_op) -> *const c_char;
    /// What holds for all operators of its family: the head of its header. Null for an unknown operator.
    fn adj_op_conventions(op: adj_op) -> *const c_char;
    /// The function adj_op_field_count of adjoint.h.
    fn adj_op_field_count(op: adj_op) -> i64;
    /// The function adj_op_field of adjoint.h.
    fn adj_op_field(op: adj_op, i: i64, out: *mut adj_field) -> adj_status;
    /// What the header states of the values of field i.
    fn adj_op_field_limits(op: adj_op, i: i64, out: *mut adj_field_limits) -> adj_status;
    /// The function adj_op_argument_count of adjoint.h.
    fn adj_op_argument_count(op: adj_op) -> i64;
    /// The function adj_op_argument of adjoint.h.
    fn adj_op_argument(op: adj_op, i: i64, out: *mut adj_argument) -> adj_status;
    /// What a descriptor (any ..._descriptor structure) asks of argument i of its operator. Needs no device and no plan; fails as select does when
    /// the descriptor is not valid or has element types that the operator does not serve.
    fn adj_op_infer(descriptor: *const adj_header, i: i64, out: *mut adj_requirement) -> adj_status;
    /// Elements of each entry of list argument i. capacity is the room in numel: at least adj_requirement.count. Nothing is written when the list is
    /// absent.
    fn adj_op_infer_list(descriptor: *const adj_header, i: i64, numel: *mut i64, capacity: i64) -> adj_status;
    /// Fills in the fields of a descriptor that its caller did not give, from the arguments that were: extents, counts, shapes, lists of numbers of
    /// elements and element types from the arrays, flags such as has_bias from the presence of the argument that they are about. Needs no device
    /// and no plan. Modes, axes, strides and numbers that stand in no shape are the caller's.
    ///
    /// A field counts as not given when it has the default of adj_op_descriptor_init, a list of numbers when its pointer is null and its count 0. A
    /// tensor counts as given when it has data or an element type, a list also when it has a count, a number or a random state when it has an
    /// address or a value other than 0 and its default. Shapes and types suffice: outputs need not exist, and inputs need no memory.
    /// - A tensor states its shape by rank and shape. One with rank 0 states that it is a scalar, whose extents are 1, when its capacity is one
    ///   element, else nothing. The entries of a list have as many elements as their capacity holds.
    /// - A shape with as many dimensions as extents gives each its own. Otherwise extents that are known take the dimensions at either end
    ///   that multiply to them; what is left is one extent, or one dimension each and the rest for the one of ADJ_REST (ops/operator.h):
    ///   \[2, 3, 10\] for \[outer, inner\] is an outer of 6. The extent of a softmax of \[4, 10\] is known with an outer of 4 or an inner of 10. It is not
    ///   known with an inner of 1, which is the default and counts as not given.
    /// - What no array tells keeps its default where that is a valid one; a type where 0 is right stays 0.
    ///
    /// The completed descriptor is checked as select checks it, and the arrays against what it asks for. Fails with one sentence that names the
    /// field that cannot be known, or the two arguments, or the field and the argument, that contradict each other. The descriptor and room are
    /// untouched then. The lists that it finds are written to room, one behind the other, at most capacity numbers, and the descriptor points there.
    fn adj_op_complete(descriptor: *mut adj_header, args: *const adj_header, room: *mut i64, capacity: i64) -> adj_status;
    /// adj_op_infer and adj_op_infer_list for the problem of a plan, with what its kernel asks besides.
    fn adj_plan_argument(plan: *const adj_plan, i: i64, out: *mut adj_requirement) -> adj_status;
    /// The function adj_plan_argument_list of adjoint.h.
    fn adj_plan_argument_list(plan: *const adj_plan, i: i64, numel: *mut i64, capacity: i64) -> adj_status;
    /// "bf16"; null for an unknown type
    fn adj_dtype_name(dtype: adj_dtype) -> *const c_char;
    /// 0 for an unknown name
    fn adj_dtype_find(name: *const c_char) -> adj_dtype;
    /// Writes an id of ADJ_COMM_ID_BYTES bytes for a new communicator. One rank makes it and hands it to the other ranks.
    fn adj_comm_unique_id(id: *mut c_void, size: u64) -> adj_status;
    /// Joins a communicator as rank \`rank\` of \`ranks\`, with the calling thread's current device. Waits for the other ranks.
    fn adj_comm_init(ranks: i32, rank: i32, id: *const c_void, size: u64, out: *mut *mut c_void) -> adj_status;
    /// Makes a communicator of \`count\` devices of this process. out\[i\] is the handle of rank i, on device devices\[i\].
    fn adj_comm_init_all(count: i32, devices: *const i32, out: *mut *mut c_void) -> adj_status;
    /// Accepts null. The work of the communicator must be done.
    fn adj_comm_destroy(comm: *mut c_void) -> adj_status;
    /// Ends a communicator whose work may never finish, and gives up this rank's handle. Accepts null, an ncclComm_t, and a handle of
    /// adj_host_comm_create. Any thread may call it. Calls of the library that wait in an NCCL communicator fail on this rank, and its kernels end;
    /// every rank aborts its own handle. Calls that wait in a host communicator fail on every rank.
    fn adj_comm_abort(comm: *mut c_void) -> adj_status;
    /// Makes a communicator of threads of this process, for collectives on the host stream. out\[i\] is the handle of rank i. Each rank calls from
    /// a thread of its own. When a rank runs out of memory within a collective, the communicator ends: ranks that wait for it, or call later, get an
    /// error.
    fn adj_host_comm_create(ranks: i32, out: *mut *mut c_void) -> adj_status;
    /// Gives up one rank's handle; accepts null. Ranks that wait for it, or call later, get an error.
    fn adj_host_comm_destroy(handle: *mut c_void) -> adj_status;
    /// Makes an event for record_event and wait_event on the host stream. It is not recorded yet.
    fn adj_host_event_create(out: *mut *mut c_void) -> adj_status;
    /// as if it had not been recorded
    fn adj_host_event_reset(event: *mut c_void) -> adj_status;
    /// accepts null; streams that wait for it get an error
    fn adj_host_event_destroy(event: *mut c_void) -> adj_status;
    /// The function adj_set_log of adjoint.h.
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
    adj_attention_forward_descriptor ADJ_TAG_ATTENTION_FORWARD_DESCRIPTOR { batch: -1, tokens: -1, heads: -1, head_dim: -1, window: -1 }
    adj_attention_forward_args ADJ_TAG_ATTENTION_FORWARD_ARGS {}
    adj_attention_backward_descriptor ADJ_TAG_ATTENTION_BACKWARD_DESCRIPTOR { batch: -1, tokens: -1, heads: -1, head_dim: -1, window: -1 }
    adj_attention_backward_args ADJ_TAG_ATTENTION_BACKWARD_ARGS {}
    adj_batch_norm_forward_descriptor ADJ_TAG_BATCH_NORM_FORWARD_DESCRIPTOR { outer: -1, channels: -1, inner: 1, epsilon: 1e-5, momentum: 0.9, training: 1 }
    adj_batch_norm_forward_args ADJ_TAG_BATCH_NORM_FORWARD_ARGS {}
    adj_batch_norm_backward_descriptor ADJ_TAG_BATCH_NORM_BACKWARD_DESCRIPTOR { outer: -1, channels: -1, inner: 1, epsilon: 1e-5 }
    adj_batch_norm_backward_args ADJ_TAG_BATCH_NORM_BACKWARD_ARGS {}
    adj_group_norm_forward_descriptor ADJ_TAG_GROUP_NORM_FORWARD_DESCRIPTOR { outer: -1, channels: -1, inner: 1, groups: -1, epsilon: 1e-5 }
    adj_group_norm_forward_args ADJ_TAG_GROUP_NORM_FORWARD_ARGS {}
    adj_group_norm_backward_descriptor ADJ_TAG_GROUP_NORM_BACKWARD_DESCRIPTOR { outer: -1, channels: -1, inner: 1, groups: -1 }
    adj_group_norm_backward_args ADJ_TAG_GROUP_NORM_BACKWARD_ARGS {}
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
    adj_dropout_forward_args ADJ_TAG_DROPOUT_FORWARD_ARGS { ratio: adj_scalar { value: -1.0, ..adj_scalar::default() }, random: adj_random { offset: u64::MAX, ..adj_random::default() } }
    adj_dropout_backward_descriptor ADJ_TAG_DROPOUT_BACKWARD_DESCRIPTOR { numel: -1, training: 1 }
    adj_dropout_backward_args ADJ_TAG_DROPOUT_BACKWARD_ARGS { ratio: adj_scalar { value: -1.0, ..adj_scalar::default() }, random: adj_random { offset: u64::MAX, ..adj_random::default() } }
    adj_bias_softmax_dropout_forward_descriptor ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_DESCRIPTOR { rows: -1, columns: -1 }
    adj_bias_softmax_dropout_forward_args ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_ARGS { ratio: adj_scalar { value: -1.0, ..adj_scalar::default() }, random: adj_random { offset: u64::MAX, ..adj_random::default() } }
    adj_softmax_dropout_backward_descriptor ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_DESCRIPTOR { rows: -1, columns: -1 }
    adj_softmax_dropout_backward_args ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_ARGS { ratio: adj_scalar { value: -1.0, ..adj_scalar::default() }, random: adj_random { offset: u64::MAX, ..adj_random::default() } }
    adj_div_backward_descriptor ADJ_TAG_DIV_BACKWARD_DESCRIPTOR {}
    adj_div_backward_args ADJ_TAG_DIV_BACKWARD_ARGS {}
    adj_embedding_forward_descriptor ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR { num_embeddings: -1, embedding_dim: -1, num_indices: -1 }
    adj_embedding_forward_args ADJ_TAG_EMBEDDING_FORWARD_ARGS {}
    adj_embedding_backward_descriptor ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR { num_embeddings: -1, embedding_dim: -1, num_indices: -1 }
    adj_embedding_backward_args ADJ_TAG_EMBEDDING_BACKWARD_ARGS {}
    adj_gather_backward_descriptor ADJ_TAG_GATHER_BACKWARD_DESCRIPTOR { outer: 1, extent: -1, inner: 1, num_indices: -1 }
    adj_gather_backward_args ADJ_TAG_GATHER_BACKWARD_ARGS {}
    adj_index_plan_descriptor ADJ_TAG_INDEX_PLAN_DESCRIPTOR { num_embeddings: -1, num_indices: -1 }
    adj_index_plan_args ADJ_TAG_INDEX_PLAN_ARGS {}
    adj_embedding_bag_forward_descriptor ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR { num_embeddings: -1, embedding_dim: -1, num_indices: -1, num_bags: -1 }
    adj_embedding_bag_forward_args ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS {}
    adj_embedding_bag_backward_descriptor ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR { num_embeddings: -1, embedding_dim: -1, num_indices: -1, num_bags: -1 }
    adj_embedding_bag_backward_args ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS {}
    adj_embedding_bag_per_sample_weights_backward_descriptor ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR { num_embeddings: -1, embedding_dim: -1, num_indices: -1, num_bags: -1 }
    adj_embedding_bag_per_sample_weights_backward_args ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS {}
    adj_fill_descriptor ADJ_TAG_FILL_DESCRIPTOR { numel: -1 }
    adj_fill_args ADJ_TAG_FILL_ARGS {}
    adj_normal_descriptor ADJ_TAG_NORMAL_DESCRIPTOR { numel: -1 }
    adj_normal_args ADJ_TAG_NORMAL_ARGS { std: adj_scalar { value: 1.0, ..adj_scalar::default() }, random: adj_random { offset: u64::MAX, ..adj_random::default() } }
    adj_amax_descriptor ADJ_TAG_AMAX_DESCRIPTOR {}
    adj_amax_args ADJ_TAG_AMAX_ARGS {}
    adj_quantize_descriptor ADJ_TAG_QUANTIZE_DESCRIPTOR { rows: -1, columns: -1, has_codes: 1, code: ADJ_F8_E4M3 }
    adj_quantize_args ADJ_TAG_QUANTIZE_ARGS { random: adj_random { offset: u64::MAX, ..adj_random::default() } }
    adj_dequantize_descriptor ADJ_TAG_DEQUANTIZE_DESCRIPTOR { rows: -1, columns: -1 }
    adj_dequantize_args ADJ_TAG_DEQUANTIZE_ARGS {}
    adj_fp8_scale_update_descriptor ADJ_TAG_FP8_SCALE_UPDATE_DESCRIPTOR { length: -1, tensors: -1, code: ADJ_F8_E4M3 }
    adj_fp8_scale_update_args ADJ_TAG_FP8_SCALE_UPDATE_ARGS {}
    adj_gist_encode_descriptor ADJ_TAG_GIST_ENCODE_DESCRIPTOR { outer: 1, inner: -1 }
    adj_gist_encode_args ADJ_TAG_GIST_ENCODE_ARGS {}
    adj_gist_decode_descriptor ADJ_TAG_GIST_DECODE_DESCRIPTOR { outer: 1, inner: -1 }
    adj_gist_decode_args ADJ_TAG_GIST_DECODE_ARGS {}
    adj_gather_nd_backward_descriptor ADJ_TAG_GATHER_ND_BACKWARD_DESCRIPTOR {}
    adj_gather_nd_backward_args ADJ_TAG_GATHER_ND_BACKWARD_ARGS {}
    adj_gather_elements_backward_descriptor ADJ_TAG_GATHER_ELEMENTS_BACKWARD_DESCRIPTOR {}
    adj_gather_elements_backward_args ADJ_TAG_GATHER_ELEMENTS_BACKWARD_ARGS {}
    adj_index_add_descriptor ADJ_TAG_INDEX_ADD_DESCRIPTOR { num_indices: -1 }
    adj_index_add_args ADJ_TAG_INDEX_ADD_ARGS {}
    adj_slice_backward_descriptor ADJ_TAG_SLICE_BACKWARD_DESCRIPTOR {}
    adj_slice_backward_args ADJ_TAG_SLICE_BACKWARD_ARGS {}
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
    adj_linear_cross_entropy_descriptor ADJ_TAG_LINEAR_CROSS_ENTROPY_DESCRIPTOR { samples: -1, hidden: -1, num_classes: -1, temperature: 1.0 }
    adj_linear_cross_entropy_args ADJ_TAG_LINEAR_CROSS_ENTROPY_ARGS { dloss: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_linear_cross_entropy_backward_descriptor ADJ_TAG_LINEAR_CROSS_ENTROPY_BACKWARD_DESCRIPTOR { samples: -1, hidden: -1, num_classes: -1, temperature: 1.0 }
    adj_linear_cross_entropy_backward_args ADJ_TAG_LINEAR_CROSS_ENTROPY_BACKWARD_ARGS {}
    adj_linear_log_prob_descriptor ADJ_TAG_LINEAR_LOG_PROB_DESCRIPTOR { samples: -1, hidden: -1, num_classes: -1, temperature: 1.0 }
    adj_linear_log_prob_args ADJ_TAG_LINEAR_LOG_PROB_ARGS {}
    adj_linear_log_prob_backward_descriptor ADJ_TAG_LINEAR_LOG_PROB_BACKWARD_DESCRIPTOR { samples: -1, hidden: -1, num_classes: -1, temperature: 1.0 }
    adj_linear_log_prob_backward_args ADJ_TAG_LINEAR_LOG_PROB_BACKWARD_ARGS {}
    adj_matmul_descriptor ADJ_TAG_MATMUL_DESCRIPTOR { m: -1, n: -1, k: -1, batch: 1, alpha: 1.0 }
    adj_matmul_args ADJ_TAG_MATMUL_ARGS {}
    adj_scaled_matmul_descriptor ADJ_TAG_SCALED_MATMUL_DESCRIPTOR { m: -1, n: -1, k: -1, alpha: 1.0 }
    adj_scaled_matmul_args ADJ_TAG_SCALED_MATMUL_ARGS {}
    adj_moe_route_descriptor ADJ_TAG_MOE_ROUTE_DESCRIPTOR { tokens: -1, num_experts: -1, top_k: -1, scale: 1.0 }
    adj_moe_route_args ADJ_TAG_MOE_ROUTE_ARGS {}
    adj_moe_route_backward_descriptor ADJ_TAG_MOE_ROUTE_BACKWARD_DESCRIPTOR { tokens: -1, num_experts: -1, top_k: -1, scale: 1.0 }
    adj_moe_route_backward_args ADJ_TAG_MOE_ROUTE_BACKWARD_ARGS {}
    adj_moe_plan_descriptor ADJ_TAG_MOE_PLAN_DESCRIPTOR { tokens: -1, num_experts: -1, top_k: -1, align: 1 }
    adj_moe_plan_args ADJ_TAG_MOE_PLAN_ARGS {}
    adj_moe_permute_descriptor ADJ_TAG_MOE_PERMUTE_DESCRIPTOR { tokens: -1, top_k: -1, num_rows: -1, columns: -1 }
    adj_moe_permute_args ADJ_TAG_MOE_PERMUTE_ARGS {}
    adj_moe_permute_backward_descriptor ADJ_TAG_MOE_PERMUTE_BACKWARD_DESCRIPTOR { tokens: -1, top_k: -1, num_rows: -1, columns: -1 }
    adj_moe_permute_backward_args ADJ_TAG_MOE_PERMUTE_BACKWARD_ARGS {}
    adj_moe_unpermute_descriptor ADJ_TAG_MOE_UNPERMUTE_DESCRIPTOR { tokens: -1, top_k: -1, num_rows: -1, columns: -1 }
    adj_moe_unpermute_args ADJ_TAG_MOE_UNPERMUTE_ARGS {}
    adj_moe_unpermute_backward_descriptor ADJ_TAG_MOE_UNPERMUTE_BACKWARD_DESCRIPTOR { tokens: -1, top_k: -1, num_rows: -1, columns: -1 }
    adj_moe_unpermute_backward_args ADJ_TAG_MOE_UNPERMUTE_BACKWARD_ARGS {}
    adj_layer_norm_backward_descriptor ADJ_TAG_LAYER_NORM_BACKWARD_DESCRIPTOR { axis: -1, has_dgamma: 1, has_dbeta: 1 }
    adj_layer_norm_backward_args ADJ_TAG_LAYER_NORM_BACKWARD_ARGS {}
    adj_rms_norm_backward_descriptor ADJ_TAG_RMS_NORM_BACKWARD_DESCRIPTOR { axis: -1, has_dgamma: 1 }
    adj_rms_norm_backward_args ADJ_TAG_RMS_NORM_BACKWARD_ARGS {}
    adj_layer_norm_forward_descriptor ADJ_TAG_LAYER_NORM_FORWARD_DESCRIPTOR { epsilon: 1e-5, axis: -1 }
    adj_layer_norm_forward_args ADJ_TAG_LAYER_NORM_FORWARD_ARGS {}
    adj_rms_norm_forward_descriptor ADJ_TAG_RMS_NORM_FORWARD_DESCRIPTOR { epsilon: 1e-5, axis: -1 }
    adj_rms_norm_forward_args ADJ_TAG_RMS_NORM_FORWARD_ARGS {}
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
    adj_reduce_descriptor ADJ_TAG_REDUCE_DESCRIPTOR { segments: -1, keepdims: 1 }
    adj_reduce_args ADJ_TAG_REDUCE_ARGS {}
    adj_l2_norm_descriptor ADJ_TAG_L2_NORM_DESCRIPTOR {}
    adj_l2_norm_args ADJ_TAG_L2_NORM_ARGS {}
    adj_resize_forward_descriptor ADJ_TAG_RESIZE_FORWARD_DESCRIPTOR {}
    adj_resize_forward_args ADJ_TAG_RESIZE_FORWARD_ARGS {}
    adj_resize_backward_descriptor ADJ_TAG_RESIZE_BACKWARD_DESCRIPTOR {}
    adj_resize_backward_args ADJ_TAG_RESIZE_BACKWARD_ARGS {}
    adj_rope_forward_descriptor ADJ_TAG_ROPE_FORWARD_DESCRIPTOR { batch: 1, tokens: -1, heads: -1, head_dim: -1, base: 10000.0, epsilon: 1e-5 }
    adj_rope_forward_args ADJ_TAG_ROPE_FORWARD_ARGS {}
    adj_rope_backward_descriptor ADJ_TAG_ROPE_BACKWARD_DESCRIPTOR { batch: 1, tokens: -1, heads: -1, head_dim: -1, base: 10000.0, epsilon: 1e-5 }
    adj_rope_backward_args ADJ_TAG_ROPE_BACKWARD_ARGS {}
    adj_view_descriptor ADJ_TAG_VIEW_DESCRIPTOR { total: -1 }
    adj_view_args ADJ_TAG_VIEW_ARGS {}
    adj_copy_descriptor ADJ_TAG_COPY_DESCRIPTOR {}
    adj_copy_args ADJ_TAG_COPY_ARGS {}
    adj_transpose_descriptor ADJ_TAG_TRANSPOSE_DESCRIPTOR { batch: 1, rows: -1, columns: -1 }
    adj_transpose_args ADJ_TAG_TRANSPOSE_ARGS {}
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
    adj_field_limits ADJ_TAG_FIELD_LIMITS {}
    adj_requirement ADJ_TAG_REQUIREMENT {}
}
zero_defaults! { adj_tensor adj_tensor_list adj_scalar adj_random adj_shape adj_axes adj_workspace adj_guarantee adj_field adj_argument }
