"""Written by tools/generate.py from the C headers. Do not edit."""
import ctypes as _c
import enum as _enum
from collections import namedtuple as _namedtuple

ABI_MAJOR = 1
ABI_MINOR = 0


class Status(_enum.IntEnum):
    OK = 0
    INVALID_ARGUMENT = 1
    STRUCT_SIZE = 2
    INVALID_PROBLEM = 3
    UNSUPPORTED = 4
    DTYPE_MISMATCH = 5
    SHAPE_MISMATCH = 6
    NULL_BUFFER = 7
    BUFFER_TOO_SMALL = 8
    MISALIGNED = 9
    ALIASING = 10
    WORKSPACE_TOO_SMALL = 11
    STREAM_MISMATCH = 12
    BACKEND_UNAVAILABLE = 13
    DRIVER_TOO_OLD = 14
    COMPILE_FAILED = 15
    CUDA = 16
    NOT_FOUND = 17
    IO = 18
    CORRUPT = 19
    OUT_OF_MEMORY = 20
    INTERNAL = 21
    CAPTURING = 22
    INVALID_VALUE = 23


class Dtype(_enum.IntEnum):
    NONE = 0
    F32 = 1
    U8 = 2
    I8 = 3
    U16 = 4
    I16 = 5
    I32 = 6
    I64 = 7
    BOOL = 9
    F16 = 10
    F64 = 11
    U32 = 12
    U64 = 13
    BF16 = 16


class Determinism(_enum.IntEnum):
    DEFAULT = 0
    NONDETERMINISTIC = 1
    RUN_TO_RUN = 2
    SHAPE_ONLY = 3
    BATCH_INVARIANT = 4


class Math(_enum.IntEnum):
    DEFAULT = 0
    IEEE = 1
    FAST = 2


class Backend(_enum.IntEnum):
    ANY = 0
    BESPOKE = 1
    HOST = 2
    CUDNN = 3
    NCCL = 4
    CUBLASLT = 5


class JitPolicy(_enum.IntEnum):
    DEFAULT = 0
    CACHED_ONLY = 1
    PACKS_ONLY = 2


class StreamKind(_enum.IntEnum):
    NONE = 0
    HOST = 1
    CUDA = 2
    OFFLINE = 3


class Reduction(_enum.IntEnum):
    DEFAULT = 0
    NONE = 1
    SUM = 2
    MEAN = 3


class WriteMode(_enum.IntEnum):
    DEFAULT = 0
    OVERWRITE = 1
    ACCUMULATE = 2


class Tag(_enum.IntEnum):
    NONE = 0
    PREFERENCE = 1
    SKU_INFO = 2
    PLAN_INFO = 3
    PACK_OPTIONS = 4
    REGISTRY_ROW = 5
    CACHE_INFO = 6
    LIBRARY_INFO = 7
    DEVICE_INFO = 8
    REJECTION = 9
    KERNEL_INFO = 10
    CALLBACK_CALL = 11
    REQUIREMENT = 12


class Activation(_enum.IntEnum):
    NONE = 0
    RELU = 1
    LEAKY_RELU = 2
    GELU = 3
    GELU_TANH = 4
    QUICK_GELU = 5
    SIGMOID = 6
    TANH = 7
    SILU = 8
    ELU = 9
    SOFTPLUS = 10
    MISH = 11
    HARD_SWISH = 12
    RELU_SQUARED = 13


class ActivationSaved(_enum.IntEnum):
    DEFAULT = 0
    INPUT = 1
    OUTPUT = 2


class GatedActivation(_enum.IntEnum):
    NONE = 0
    SWIGLU = 1
    GEGLU = 2
    GEGLU_TANH = 3
    REGLU = 4


class GatedLayout(_enum.IntEnum):
    DEFAULT = 0
    HALVES = 1
    INTERLEAVED = 2


class CollectiveReduction(_enum.IntEnum):
    DEFAULT = 0
    SUM = 1
    AVERAGE = 2
    MAX = 3
    MIN = 4
    PROD = 5


class ShardLayout(_enum.IntEnum):
    DEFAULT = 0
    EVEN = 1
    WHOLE = 2


class CodeKind(_enum.IntEnum):
    SOURCE = 0
    PTX = 1
    CUBIN = 2


class DropoutMask(_enum.IntEnum):
    DEFAULT = 0
    BOOL = 1
    BITS = 2
    NONE = 3


class DropoutMapping(_enum.IntEnum):
    DEFAULT = 0
    ONNX_RUNTIME = 1


class IndexPositions(_enum.IntEnum):
    ROWS = 0
    SLICES = 1
    ELEMENTS = 2


class BagMode(_enum.IntEnum):
    DEFAULT = 0
    SUM = 1
    MEAN = 2
    MAX = 3


class GistFormat(_enum.IntEnum):
    NONE = 0
    BINARIZE = 1
    PACK1 = 2
    PACK8 = 3
    PACK8_SATURATED = 4
    PACK8_REFERENCE = 5
    PACK16 = 6
    PACK16_BF16 = 7
    MSFP15 = 8


class MatmulEpilogue(_enum.IntEnum):
    DEFAULT = 0
    NONE = 1
    GELU_TANH = 2
    GELU_TANH_BACKWARD = 3


class AdamDecay(_enum.IntEnum):
    FIRST = 0
    LAST = 1
    L2 = 2


class FiniteTest(_enum.IntEnum):
    DEFAULT = 0
    NO_INF = 1
    NO_NAN = 2


class ReduceKind(_enum.IntEnum):
    SUM = 0
    MEAN = 1
    SUM_SQUARE = 2
    L2 = 3
    MAX = 4
    MIN = 5
    PROD = 6
    LOGSUMEXP = 7


class ResizeMode(_enum.IntEnum):
    DEFAULT = 0
    LINEAR = 1
    NEAREST = 2


class ResizeCoordinates(_enum.IntEnum):
    DEFAULT = 0
    HALF_PIXEL = 1
    ALIGN_CORNERS = 2
    ASYMMETRIC = 3
    PYTORCH_HALF_PIXEL = 4


class ResizeRounding(_enum.IntEnum):
    DEFAULT = 0
    ROUND_PREFER_FLOOR = 1
    ROUND_PREFER_CEIL = 2
    FLOOR = 3
    CEIL = 4


class adj_header(_c.Structure):
    _fields_ = [ ("struct_size", _c.c_uint64), ("tag", _c.c_int32), ("reserved", _c.c_uint32), ("next", _c.c_void_p)]


class adj_tensor(_c.Structure):
    _fields_ = [ ("data", _c.c_void_p), ("bytes", _c.c_uint64), ("dtype", _c.c_int32), ("rank", _c.c_int32), ("shape", _c.c_int64 * 8),
                ("strides", _c.c_int64 * 8)]


class adj_tensor_list(_c.Structure):
    _fields_ = [ ("count", _c.c_int64), ("dtype", _c.c_int32), ("reserved", _c.c_uint32), ("data", _c.c_void_p), ("bytes", _c.c_void_p)]


class adj_scalar(_c.Structure):
    _fields_ = [ ("value", _c.c_double), ("device", _c.c_void_p), ("dtype", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_random(_c.Structure):
    _fields_ = [ ("seed", _c.c_uint64), ("offset", _c.c_uint64), ("device", _c.c_void_p)]


class adj_shape(_c.Structure):
    _fields_ = [ ("rank", _c.c_int64), ("dims", _c.c_int64 * 8)]


class adj_axes(_c.Structure):
    _fields_ = [ ("count", _c.c_int64), ("at", _c.c_int64 * 8)]


class adj_stream(_c.Structure):
    _fields_ = [ ("handle", _c.c_void_p), ("kind", _c.c_int32), ("device", _c.c_int32), ("arch", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_workspace(_c.Structure):
    _fields_ = [ ("data", _c.c_void_p), ("bytes", _c.c_uint64)]


class adj_guarantee(_c.Structure):
    _fields_ = [ ("math", _c.c_int32), ("accumulator", _c.c_int32), ("determinism", _c.c_int32), ("bit_stable", _c.c_int32),
                ("float_atomics", _c.c_int32), ("reserved", _c.c_uint32), ("bound_ulp", _c.c_double), ("bound_terms", _c.c_double),
                ("bound_absolute", _c.c_double)]


class adj_preference(_c.Structure):
    _fields_ = [ ("header", adj_header), ("determinism", _c.c_int32), ("math", _c.c_int32), ("jit", _c.c_int32), ("backend", _c.c_int32),
                ("workspace_limit", _c.c_uint64), ("sku", _c.c_char_p), ("fallback", _c.c_int32), ("workspace_arch", _c.c_int32)]


class adj_activation_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("inner", _c.c_int64), ("leaky_slope", _c.c_double),
                ("quick_gelu_alpha", _c.c_double), ("elu_alpha", _c.c_double), ("function", _c.c_int32), ("has_bias", _c.c_int32),
                ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_activation_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("bias", adj_tensor), ("out", adj_tensor)]


class adj_activation_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("inner", _c.c_int64), ("leaky_slope", _c.c_double),
                ("quick_gelu_alpha", _c.c_double), ("elu_alpha", _c.c_double), ("function", _c.c_int32), ("saved", _c.c_int32),
                ("has_bias", _c.c_int32), ("has_dbias", _c.c_int32), ("element", _c.c_int32), ("write_mode", _c.c_int32)]


class adj_activation_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("saved", adj_tensor), ("bias", adj_tensor), ("dinput", adj_tensor),
                ("dbias", adj_tensor)]


class adj_gated_activation_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("inner", _c.c_int64), ("function", _c.c_int32), ("layout", _c.c_int32),
                ("gate_second", _c.c_int32), ("element", _c.c_int32)]


class adj_gated_activation_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("out", adj_tensor)]


class adj_gated_activation_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("inner", _c.c_int64), ("function", _c.c_int32), ("layout", _c.c_int32),
                ("gate_second", _c.c_int32), ("element", _c.c_int32)]


class adj_gated_activation_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("input", adj_tensor), ("dinput", adj_tensor)]


class adj_attention_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("batch", _c.c_int64), ("tokens", _c.c_int64), ("heads", _c.c_int64), ("kv_heads", _c.c_int64),
                ("head_dim", _c.c_int64), ("window", _c.c_int64), ("scale", _c.c_double), ("q_strides", adj_axes),
                ("k_strides", adj_axes), ("v_strides", adj_axes), ("out_strides", adj_axes), ("element", _c.c_int32),
                ("causal", _c.c_int32), ("has_lengths", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_attention_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("q", adj_tensor), ("k", adj_tensor), ("v", adj_tensor), ("cu_seqlens", adj_tensor),
                ("out", adj_tensor), ("lse", adj_tensor)]


class adj_attention_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("batch", _c.c_int64), ("tokens", _c.c_int64), ("heads", _c.c_int64), ("kv_heads", _c.c_int64),
                ("head_dim", _c.c_int64), ("window", _c.c_int64), ("scale", _c.c_double), ("q_strides", adj_axes),
                ("k_strides", adj_axes), ("v_strides", adj_axes), ("out_strides", adj_axes), ("dout_strides", adj_axes),
                ("dq_strides", adj_axes), ("dk_strides", adj_axes), ("dv_strides", adj_axes), ("element", _c.c_int32),
                ("causal", _c.c_int32), ("has_lengths", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_attention_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("q", adj_tensor), ("k", adj_tensor), ("v", adj_tensor),
                ("out", adj_tensor), ("lse", adj_tensor), ("cu_seqlens", adj_tensor), ("dq", adj_tensor), ("dk", adj_tensor),
                ("dv", adj_tensor)]


class adj_batch_norm_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("channels", _c.c_int64), ("inner", _c.c_int64), ("epsilon", _c.c_double),
                ("momentum", _c.c_double), ("element", _c.c_int32), ("weight", _c.c_int32), ("stats", _c.c_int32),
                ("training", _c.c_int32)]


class adj_batch_norm_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("scale", adj_tensor), ("bias", adj_tensor), ("running_mean", adj_tensor),
                ("running_variance", adj_tensor), ("out", adj_tensor), ("next_running_mean", adj_tensor),
                ("next_running_variance", adj_tensor), ("saved_mean", adj_tensor), ("saved_inv_std", adj_tensor)]


class adj_batch_norm_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("channels", _c.c_int64), ("inner", _c.c_int64), ("epsilon", _c.c_double),
                ("element", _c.c_int32), ("weight", _c.c_int32), ("stats", _c.c_int32), ("frozen", _c.c_int32)]


class adj_batch_norm_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("input", adj_tensor), ("scale", adj_tensor), ("saved_mean", adj_tensor),
                ("saved_inv_std", adj_tensor), ("running_mean", adj_tensor), ("running_variance", adj_tensor), ("dinput", adj_tensor),
                ("dscale", adj_tensor), ("dbias", adj_tensor)]


class adj_all_reduce_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("reduction", _c.c_int32)]


class adj_all_reduce_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("communicator", _c.c_void_p), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list)]


class adj_all_gather_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("ranks", _c.c_int64), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("layout", _c.c_int32)]


class adj_all_gather_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("communicator", _c.c_void_p), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list)]


class adj_reduce_scatter_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("ranks", _c.c_int64), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("layout", _c.c_int32), ("reduction", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_reduce_scatter_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("communicator", _c.c_void_p), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list)]


class adj_send_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("peer", _c.c_int64), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_send_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("communicator", _c.c_void_p), ("tensors", adj_tensor_list)]


class adj_recv_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("peer", _c.c_int64), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_recv_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("communicator", _c.c_void_p), ("tensors", adj_tensor_list)]


class adj_broadcast_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("root", _c.c_int64), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_broadcast_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("communicator", _c.c_void_p), ("tensors", adj_tensor_list)]


class adj_adasum_all_reduce_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("ranks", _c.c_int64), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_adasum_all_reduce_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("communicator", _c.c_void_p), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list)]


class adj_megatron_f_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("numel", _c.c_int64), ("element", _c.c_int32), ("backward", _c.c_int32)]


class adj_megatron_f_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("communicator", _c.c_void_p), ("input", adj_tensor), ("output", adj_tensor)]


class adj_megatron_g_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("numel", _c.c_int64), ("element", _c.c_int32), ("backward", _c.c_int32)]


class adj_megatron_g_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("communicator", _c.c_void_p), ("input", adj_tensor), ("output", adj_tensor)]


class adj_concat_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("inner", _c.c_int64), ("count", _c.c_int64), ("lengths", _c.c_void_p),
                ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_concat_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs", adj_tensor_list), ("output", adj_tensor), ("lengths_out", adj_tensor)]


class adj_split_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("inner", _c.c_int64), ("count", _c.c_int64), ("lengths", _c.c_void_p),
                ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_split_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("outputs", adj_tensor_list)]


class adj_group_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_group_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs", adj_tensor_list), ("done", adj_tensor)]


class adj_record_event_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32), ("skip", _c.c_int32)]


class adj_record_event_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("event", _c.c_void_p), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list)]


class adj_wait_event_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32), ("skip", _c.c_int32)]


class adj_wait_event_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("event", _c.c_void_p), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list)]


class adj_yield_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("non_differentiable_count", _c.c_int64),
                ("non_differentiable", _c.c_void_p), ("free_shape_count", _c.c_int64), ("free_shape", _c.c_void_p),
                ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_yield_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outputs", adj_tensor_list), ("gradients", adj_tensor_list)]


class adj_callback_call(_c.Structure):
    _fields_ = [ ("header", adj_header), ("user", _c.c_void_p), ("stream", _c.c_void_p), ("context", _c.c_void_p),
                ("inputs", _c.c_void_p), ("outputs", _c.c_void_p)]


class adj_user_kernel_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("code_bytes", _c.c_int64), ("code", _c.c_void_p), ("entry", _c.c_char_p),
                ("macros", _c.c_char_p), ("input_count", _c.c_int64), ("input_numel", _c.c_void_p), ("output_count", _c.c_int64),
                ("output_numel", _c.c_void_p), ("integer_count", _c.c_int64), ("integers", _c.c_void_p), ("real_count", _c.c_int64),
                ("reals", _c.c_void_p), ("grid", adj_axes), ("block", adj_axes), ("shared_bytes", _c.c_int64), ("host", _c.c_void_p),
                ("user", _c.c_void_p), ("element", _c.c_int32), ("output_element", _c.c_int32), ("code_kind", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_user_kernel_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list)]


class adj_callback_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("function", _c.c_void_p), ("destroy", _c.c_void_p), ("user", _c.c_void_p),
                ("input_count", _c.c_int64), ("input_numel", _c.c_void_p), ("output_count", _c.c_int64), ("output_numel", _c.c_void_p),
                ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_callback_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list), ("context", adj_tensor)]


class adj_conv_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_shape), ("weight", adj_shape), ("out", adj_shape), ("strides", adj_axes),
                ("pads", adj_axes), ("dilations", adj_axes), ("groups", _c.c_int64), ("element", _c.c_int32),
                ("channels_last", _c.c_int32), ("has_bias", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_conv_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("weight", adj_tensor), ("bias", adj_tensor), ("out", adj_tensor)]


class adj_conv_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_shape), ("weight", adj_shape), ("out", adj_shape), ("strides", adj_axes),
                ("pads", adj_axes), ("dilations", adj_axes), ("groups", _c.c_int64), ("element", _c.c_int32),
                ("channels_last", _c.c_int32), ("has_dinput", _c.c_int32), ("has_dweight", _c.c_int32), ("has_dbias", _c.c_int32),
                ("write_mode", _c.c_int32)]


class adj_conv_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("input", adj_tensor), ("weight", adj_tensor), ("dinput", adj_tensor),
                ("dweight", adj_tensor), ("dbias", adj_tensor)]


class adj_conv_transpose_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_shape), ("weight", adj_shape), ("out", adj_shape), ("strides", adj_axes),
                ("pads", adj_axes), ("dilations", adj_axes), ("groups", _c.c_int64), ("element", _c.c_int32),
                ("channels_last", _c.c_int32), ("has_bias", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_conv_transpose_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("weight", adj_tensor), ("bias", adj_tensor), ("out", adj_tensor)]


class adj_conv_transpose_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_shape), ("weight", adj_shape), ("out", adj_shape), ("strides", adj_axes),
                ("pads", adj_axes), ("dilations", adj_axes), ("groups", _c.c_int64), ("element", _c.c_int32),
                ("channels_last", _c.c_int32), ("has_dinput", _c.c_int32), ("has_dweight", _c.c_int32), ("has_dbias", _c.c_int32),
                ("write_mode", _c.c_int32)]


class adj_conv_transpose_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("input", adj_tensor), ("weight", adj_tensor), ("dinput", adj_tensor),
                ("dweight", adj_tensor), ("dbias", adj_tensor)]


class adj_dropout_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("numel", _c.c_int64), ("element", _c.c_int32), ("mask", _c.c_int32), ("training", _c.c_int32),
                ("advance_offset", _c.c_int32), ("mapping", _c.c_int32), ("multiprocessors", _c.c_int32),
                ("threads_per_multiprocessor", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_dropout_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("ratio", adj_scalar), ("random", adj_random), ("out", adj_tensor),
                ("mask", adj_tensor), ("words", adj_tensor)]


class adj_dropout_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("numel", _c.c_int64), ("element", _c.c_int32), ("mask", _c.c_int32), ("training", _c.c_int32),
                ("mapping", _c.c_int32), ("multiprocessors", _c.c_int32), ("threads_per_multiprocessor", _c.c_int32)]


class adj_dropout_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("mask", adj_tensor), ("ratio", adj_scalar), ("random", adj_random),
                ("dinput", adj_tensor)]


class adj_bias_softmax_dropout_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("rows", _c.c_int64), ("columns", _c.c_int64), ("bias_rows", _c.c_int64),
                ("element", _c.c_int32), ("mask", _c.c_int32), ("inner_broadcast", _c.c_int32), ("zero_masked_rows", _c.c_int32),
                ("advance_offset", _c.c_int32), ("mapping", _c.c_int32), ("multiprocessors", _c.c_int32),
                ("threads_per_multiprocessor", _c.c_int32), ("unaligned", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_bias_softmax_dropout_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("bias", adj_tensor), ("ratio", adj_scalar), ("random", adj_random),
                ("out", adj_tensor), ("mask", adj_tensor), ("softmax_out", adj_tensor), ("words", adj_tensor)]


class adj_softmax_dropout_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("rows", _c.c_int64), ("columns", _c.c_int64), ("element", _c.c_int32), ("mask", _c.c_int32),
                ("mapping", _c.c_int32), ("multiprocessors", _c.c_int32), ("threads_per_multiprocessor", _c.c_int32),
                ("unaligned", _c.c_int32)]


class adj_softmax_dropout_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("mask", adj_tensor), ("softmax_out", adj_tensor), ("ratio", adj_scalar),
                ("random", adj_random), ("dinput", adj_tensor)]


class adj_div_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("a_shape", adj_shape), ("b_shape", adj_shape), ("skip_da", _c.c_int32), ("skip_db", _c.c_int32),
                ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_div_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("a", adj_tensor), ("b", adj_tensor), ("da", adj_tensor),
                ("db", adj_tensor)]


class adj_embedding_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("num_embeddings", _c.c_int64), ("embedding_dim", _c.c_int64), ("num_indices", _c.c_int64),
                ("element", _c.c_int32), ("index", _c.c_int32), ("has_padding_idx", _c.c_int32), ("padding_zeroes_forward", _c.c_int32),
                ("padding_idx", _c.c_int64)]


class adj_embedding_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("weight", adj_tensor), ("indices", adj_tensor), ("out", adj_tensor), ("error_flag", adj_tensor)]


class adj_embedding_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("num_embeddings", _c.c_int64), ("embedding_dim", _c.c_int64), ("num_indices", _c.c_int64),
                ("element", _c.c_int32), ("index", _c.c_int32), ("write_mode", _c.c_int32), ("scale_grad_by_freq", _c.c_int32),
                ("has_padding_idx", _c.c_int32), ("reserved", _c.c_uint32), ("padding_idx", _c.c_int64), ("use_index_plan", _c.c_int32),
                ("reserved2", _c.c_uint32)]


class adj_embedding_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("indices", adj_tensor), ("dweight", adj_tensor),
                ("error_flag", adj_tensor), ("sorted_rows", adj_tensor), ("order", adj_tensor)]


class adj_gather_grad_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("extent", _c.c_int64), ("inner", _c.c_int64),
                ("num_indices", _c.c_int64), ("element", _c.c_int32), ("index", _c.c_int32), ("write_mode", _c.c_int32),
                ("reserved", _c.c_uint32), ("use_index_plan", _c.c_int32), ("reserved2", _c.c_uint32)]


class adj_gather_grad_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("indices", adj_tensor), ("dinput", adj_tensor),
                ("error_flag", adj_tensor), ("sorted_rows", adj_tensor), ("order", adj_tensor)]


class adj_index_plan_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("num_embeddings", _c.c_int64), ("num_indices", _c.c_int64), ("index", _c.c_int32),
                ("wrap_negative", _c.c_int32), ("has_padding_idx", _c.c_int32), ("positions", _c.c_int32), ("padding_idx", _c.c_int64),
                ("input_shape", adj_shape), ("indices_shape", adj_shape), ("batch_dims", _c.c_int64), ("axis", _c.c_int64)]


class adj_index_plan_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("indices", adj_tensor), ("sorted_rows", adj_tensor), ("order", adj_tensor),
                ("error_flag", adj_tensor)]


class adj_embedding_bag_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("num_embeddings", _c.c_int64), ("embedding_dim", _c.c_int64), ("num_indices", _c.c_int64),
                ("num_bags", _c.c_int64), ("element", _c.c_int32), ("index", _c.c_int32), ("mode", _c.c_int32),
                ("has_offsets", _c.c_int32), ("include_last_offset", _c.c_int32), ("has_per_sample_weights", _c.c_int32),
                ("has_padding_idx", _c.c_int32), ("reserved", _c.c_uint32), ("padding_idx", _c.c_int64)]


class adj_embedding_bag_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("weight", adj_tensor), ("indices", adj_tensor), ("offsets", adj_tensor),
                ("per_sample_weights", adj_tensor), ("out", adj_tensor), ("max_positions", adj_tensor), ("error_flag", adj_tensor)]


class adj_embedding_bag_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("num_embeddings", _c.c_int64), ("embedding_dim", _c.c_int64), ("num_indices", _c.c_int64),
                ("num_bags", _c.c_int64), ("element", _c.c_int32), ("index", _c.c_int32), ("mode", _c.c_int32),
                ("has_offsets", _c.c_int32), ("include_last_offset", _c.c_int32), ("has_per_sample_weights", _c.c_int32),
                ("write_mode", _c.c_int32), ("scale_grad_by_freq", _c.c_int32), ("has_padding_idx", _c.c_int32),
                ("reserved", _c.c_uint32), ("padding_idx", _c.c_int64), ("use_index_plan", _c.c_int32), ("reserved2", _c.c_uint32)]


class adj_embedding_bag_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("indices", adj_tensor), ("offsets", adj_tensor),
                ("per_sample_weights", adj_tensor), ("max_positions", adj_tensor), ("dweight", adj_tensor), ("error_flag", adj_tensor),
                ("sorted_rows", adj_tensor), ("order", adj_tensor)]


class adj_embedding_bag_per_sample_weights_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("num_embeddings", _c.c_int64), ("embedding_dim", _c.c_int64), ("num_indices", _c.c_int64),
                ("num_bags", _c.c_int64), ("element", _c.c_int32), ("index", _c.c_int32), ("has_offsets", _c.c_int32),
                ("include_last_offset", _c.c_int32), ("has_padding_idx", _c.c_int32), ("reserved", _c.c_uint32),
                ("padding_idx", _c.c_int64)]


class adj_embedding_bag_per_sample_weights_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("weight", adj_tensor), ("indices", adj_tensor), ("offsets", adj_tensor),
                ("dper_sample_weights", adj_tensor), ("error_flag", adj_tensor)]


class adj_fill_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("numel", _c.c_int64), ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_fill_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("value", adj_scalar), ("out", adj_tensor)]


class adj_normal_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("numel", _c.c_int64), ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_normal_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("mean", adj_scalar), ("std", adj_scalar), ("random", adj_random), ("out", adj_tensor)]


class adj_gist_encode_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("inner", _c.c_int64), ("format", _c.c_int32), ("element", _c.c_int32)]


class adj_gist_encode_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("packed", adj_tensor)]


class adj_gist_decode_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("inner", _c.c_int64), ("format", _c.c_int32), ("element", _c.c_int32)]


class adj_gist_decode_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("packed", adj_tensor), ("out", adj_tensor)]


class adj_gather_nd_grad_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input_shape", adj_shape), ("indices_shape", adj_shape), ("batch_dims", _c.c_int64),
                ("element", _c.c_int32), ("index", _c.c_int32), ("write_mode", _c.c_int32), ("use_index_plan", _c.c_int32)]


class adj_gather_nd_grad_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("indices", adj_tensor), ("dinput", adj_tensor),
                ("error_flag", adj_tensor), ("sorted_rows", adj_tensor), ("order", adj_tensor)]


class adj_gather_elements_grad_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input_shape", adj_shape), ("indices_shape", adj_shape), ("axis", _c.c_int64),
                ("element", _c.c_int32), ("index", _c.c_int32), ("write_mode", _c.c_int32), ("use_index_plan", _c.c_int32)]


class adj_gather_elements_grad_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("indices", adj_tensor), ("dinput", adj_tensor),
                ("error_flag", adj_tensor), ("sorted_rows", adj_tensor), ("order", adj_tensor)]


class adj_index_add_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("shape", adj_shape), ("axis", _c.c_int64), ("num_indices", _c.c_int64), ("element", _c.c_int32),
                ("index", _c.c_int32), ("use_index_plan", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_index_add_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("indices", adj_tensor), ("source", adj_tensor), ("output", adj_tensor),
                ("error_flag", adj_tensor), ("sorted_rows", adj_tensor), ("order", adj_tensor)]


class adj_slice_grad_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input_shape", adj_shape), ("starts", adj_axes), ("ends", adj_axes), ("axes", adj_axes),
                ("steps", adj_axes), ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_slice_grad_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("dinput", adj_tensor)]


class adj_pad_and_unflatten_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("num_indices", _c.c_int64), ("batch", _c.c_int64), ("length", _c.c_int64),
                ("inner", _c.c_int64), ("element", _c.c_int32), ("index", _c.c_int32)]


class adj_pad_and_unflatten_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("indices", adj_tensor), ("output", adj_tensor),
                ("error_flag", adj_tensor)]


class adj_flatten_and_unpad_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("num_indices", _c.c_int64), ("batch", _c.c_int64), ("length", _c.c_int64),
                ("inner", _c.c_int64), ("element", _c.c_int32), ("index", _c.c_int32)]


class adj_flatten_and_unpad_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("indices", adj_tensor), ("output", adj_tensor),
                ("unflatten_dims", adj_tensor), ("error_flag", adj_tensor)]


class adj_softmax_cross_entropy_loss_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("batch", _c.c_int64), ("num_classes", _c.c_int64), ("inner", _c.c_int64),
                ("padded_classes", _c.c_int64), ("element", _c.c_int32), ("label", _c.c_int32), ("output", _c.c_int32),
                ("weight", _c.c_int32), ("reduction", _c.c_int32), ("nan_when_empty", _c.c_int32), ("has_ignore_index", _c.c_int32),
                ("sample_weight", _c.c_int32), ("ignore_index", _c.c_int64)]


class adj_softmax_cross_entropy_loss_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("scores", adj_tensor), ("labels", adj_tensor), ("weight", adj_tensor), ("loss", adj_tensor),
                ("log_prob", adj_tensor), ("lse", adj_tensor), ("error_flag", adj_tensor), ("sample_weight", adj_tensor)]


class adj_softmax_cross_entropy_loss_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("batch", _c.c_int64), ("num_classes", _c.c_int64), ("inner", _c.c_int64),
                ("padded_classes", _c.c_int64), ("element", _c.c_int32), ("label", _c.c_int32), ("output", _c.c_int32),
                ("weight", _c.c_int32), ("reduction", _c.c_int32), ("from_scores", _c.c_int32), ("has_ignore_index", _c.c_int32),
                ("sample_weight", _c.c_int32), ("ignore_index", _c.c_int64)]


class adj_softmax_cross_entropy_loss_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dloss", adj_tensor), ("log_prob", adj_tensor), ("scores", adj_tensor), ("lse", adj_tensor),
                ("labels", adj_tensor), ("weight", adj_tensor), ("bias", adj_tensor), ("dscores", adj_tensor), ("error_flag", adj_tensor),
                ("sample_weight", adj_tensor)]


class adj_soft_label_cross_entropy_loss_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("rows", _c.c_int64), ("num_classes", _c.c_int64), ("element", _c.c_int32),
                ("output", _c.c_int32), ("reduction", _c.c_int32), ("nan_when_empty", _c.c_int32)]


class adj_soft_label_cross_entropy_loss_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("scores", adj_tensor), ("labels", adj_tensor), ("loss", adj_tensor), ("log_prob", adj_tensor),
                ("lse", adj_tensor)]


class adj_soft_label_cross_entropy_loss_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("rows", _c.c_int64), ("num_classes", _c.c_int64), ("element", _c.c_int32),
                ("reduction", _c.c_int32), ("from_scores", _c.c_int32), ("exact", _c.c_int32)]


class adj_soft_label_cross_entropy_loss_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dloss", adj_tensor), ("log_prob", adj_tensor), ("scores", adj_tensor), ("lse", adj_tensor),
                ("labels", adj_tensor), ("dscores", adj_tensor)]


class adj_cross_entropy_with_gradient_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("samples", _c.c_int64), ("num_classes", _c.c_int64), ("padded_classes", _c.c_int64),
                ("element", _c.c_int32), ("label", _c.c_int32), ("weight", _c.c_int32), ("reduction", _c.c_int32),
                ("ignore_index", _c.c_int64), ("has_ignore_index", _c.c_int32), ("reserved", _c.c_uint32),
                ("label_smoothing", _c.c_double), ("z_loss", _c.c_double)]


class adj_cross_entropy_with_gradient_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("scores", adj_tensor), ("labels", adj_tensor), ("weight", adj_tensor), ("dloss", adj_scalar),
                ("loss", adj_tensor), ("lse", adj_tensor), ("dscores", adj_tensor), ("error_flag", adj_tensor)]


class adj_log_prob_entropy_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("samples", _c.c_int64), ("num_classes", _c.c_int64), ("element", _c.c_int32),
                ("label", _c.c_int32), ("ignore_index", _c.c_int64), ("has_ignore_index", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_log_prob_entropy_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("scores", adj_tensor), ("labels", adj_tensor), ("log_prob", adj_tensor),
                ("entropy", adj_tensor), ("lse", adj_tensor), ("error_flag", adj_tensor)]


class adj_log_prob_entropy_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("samples", _c.c_int64), ("num_classes", _c.c_int64), ("element", _c.c_int32),
                ("label", _c.c_int32), ("ignore_index", _c.c_int64), ("has_ignore_index", _c.c_int32), ("with_entropy", _c.c_int32)]


class adj_log_prob_entropy_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dlog_prob", adj_tensor), ("dentropy", adj_tensor), ("scores", adj_tensor),
                ("labels", adj_tensor), ("lse", adj_tensor), ("entropy", adj_tensor), ("dscores", adj_tensor), ("error_flag", adj_tensor)]


class adj_matmul_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("m", _c.c_int64), ("n", _c.c_int64), ("k", _c.c_int64), ("batch", _c.c_int64),
                ("lda", _c.c_int64), ("ldb", _c.c_int64), ("ldd", _c.c_int64), ("stride_a", _c.c_int64), ("stride_b", _c.c_int64),
                ("stride_d", _c.c_int64), ("alpha", _c.c_double), ("beta", _c.c_double), ("transpose_a", _c.c_int32),
                ("transpose_b", _c.c_int32), ("epilogue", _c.c_int32), ("has_bias", _c.c_int32), ("has_preactivation", _c.c_int32),
                ("has_dbias", _c.c_int32), ("write_mode", _c.c_int32), ("element", _c.c_int32), ("out", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_matmul_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("a", adj_tensor), ("b", adj_tensor), ("bias", adj_tensor), ("c", adj_tensor),
                ("saved", adj_tensor), ("d", adj_tensor), ("preactivation", adj_tensor), ("dbias", adj_tensor)]


class adj_layer_norm_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("shape", adj_shape), ("axis", _c.c_int32), ("element", _c.c_int32), ("output", _c.c_int32),
                ("weight", _c.c_int32), ("from_output", _c.c_int32), ("has_dgamma", _c.c_int32), ("has_dbeta", _c.c_int32),
                ("write_mode", _c.c_int32)]


class adj_layer_norm_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("input", adj_tensor), ("out", adj_tensor), ("gamma", adj_tensor),
                ("beta", adj_tensor), ("mean", adj_tensor), ("inv_std", adj_tensor), ("dresidual", adj_tensor), ("dinput", adj_tensor),
                ("dgamma", adj_tensor), ("dbeta", adj_tensor)]


class adj_rms_norm_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("shape", adj_shape), ("axis", _c.c_int32), ("element", _c.c_int32), ("output", _c.c_int32),
                ("weight", _c.c_int32), ("from_output", _c.c_int32), ("has_dgamma", _c.c_int32), ("write_mode", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_rms_norm_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("input", adj_tensor), ("out", adj_tensor), ("gamma", adj_tensor),
                ("inv_std", adj_tensor), ("dresidual", adj_tensor), ("dinput", adj_tensor), ("dgamma", adj_tensor)]


class adj_layer_norm_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("shape", adj_shape), ("epsilon", _c.c_double), ("axis", _c.c_int32), ("element", _c.c_int32),
                ("output", _c.c_int32), ("weight", _c.c_int32), ("has_residual", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_layer_norm_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("residual", adj_tensor), ("gamma", adj_tensor), ("beta", adj_tensor),
                ("out", adj_tensor), ("sum", adj_tensor), ("mean", adj_tensor), ("inv_std", adj_tensor)]


class adj_rms_norm_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("shape", adj_shape), ("epsilon", _c.c_double), ("axis", _c.c_int32), ("element", _c.c_int32),
                ("output", _c.c_int32), ("weight", _c.c_int32), ("has_residual", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_rms_norm_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("residual", adj_tensor), ("gamma", adj_tensor), ("out", adj_tensor),
                ("sum", adj_tensor), ("inv_std", adj_tensor)]


class adj_adam_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("tensor_key_count", _c.c_int64),
                ("tensor_keys", _c.c_void_p), ("first_element_count", _c.c_int64), ("first_elements", _c.c_void_p),
                ("beta1", _c.c_double), ("beta2", _c.c_double), ("epsilon", _c.c_double), ("weight_decay", _c.c_double),
                ("max_norm", _c.c_double), ("decay", _c.c_int32), ("no_bias_correction", _c.c_int32), ("advance_step", _c.c_int32),
                ("stochastic_rounding", _c.c_int32), ("out_of_place", _c.c_int32), ("updates", _c.c_int32), ("keep_params", _c.c_int32),
                ("clear_grads", _c.c_int32), ("param", _c.c_int32), ("grad", _c.c_int32), ("state", _c.c_int32), ("copy", _c.c_int32)]


class adj_adam_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("params", adj_tensor_list), ("grads", adj_tensor_list), ("exp_avg", adj_tensor_list),
                ("exp_avg_sq", adj_tensor_list), ("copies", adj_tensor_list), ("new_params", adj_tensor_list),
                ("new_exp_avg", adj_tensor_list), ("new_exp_avg_sq", adj_tensor_list), ("updates", adj_tensor_list), ("lr", adj_scalar),
                ("step", adj_scalar), ("seed", adj_scalar), ("grad_scale", adj_scalar), ("gradient_norm", adj_scalar),
                ("update_signal", adj_scalar), ("lr_of", adj_tensor), ("weight_decay_of", adj_tensor), ("found_inf", adj_tensor),
                ("error_flag", adj_tensor)]


class adj_lamb_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("param", _c.c_int32), ("grad", _c.c_int32),
                ("state", _c.c_int32), ("copy", _c.c_int32), ("no_bias_correction", _c.c_int32), ("advance_step", _c.c_int32),
                ("out_of_place", _c.c_int32), ("updates", _c.c_int32), ("keep_params", _c.c_int32), ("clear_grads", _c.c_int32),
                ("beta1", _c.c_double), ("beta2", _c.c_double), ("epsilon", _c.c_double), ("weight_decay", _c.c_double),
                ("max_norm", _c.c_double), ("ratio_min", _c.c_double), ("ratio_max", _c.c_double), ("beta1_count", _c.c_int64),
                ("beta1_of", _c.c_void_p), ("beta2_count", _c.c_int64), ("beta2_of", _c.c_void_p), ("epsilon_count", _c.c_int64),
                ("epsilon_of", _c.c_void_p), ("weight_decay_count", _c.c_int64), ("weight_decay_of", _c.c_void_p),
                ("max_norm_count", _c.c_int64), ("max_norm_of", _c.c_void_p)]


class adj_lamb_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("params", adj_tensor_list), ("grads", adj_tensor_list), ("exp_avg", adj_tensor_list),
                ("exp_avg_sq", adj_tensor_list), ("copies", adj_tensor_list), ("new_params", adj_tensor_list),
                ("new_exp_avg", adj_tensor_list), ("new_exp_avg_sq", adj_tensor_list), ("updates", adj_tensor_list), ("lr", adj_scalar),
                ("step", adj_scalar), ("grad_scale", adj_scalar), ("gradient_norm", adj_scalar), ("update_signal", adj_scalar),
                ("found_inf", adj_tensor), ("error_flag", adj_tensor)]


class adj_lion_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("param", _c.c_int32), ("grad", _c.c_int32),
                ("state", _c.c_int32), ("copy", _c.c_int32), ("stochastic_rounding", _c.c_int32), ("advance_step", _c.c_int32),
                ("clear_grads", _c.c_int32), ("reserved", _c.c_uint32), ("beta1", _c.c_double), ("beta2", _c.c_double),
                ("weight_decay", _c.c_double), ("max_norm", _c.c_double), ("tensor_key_count", _c.c_int64), ("tensor_keys", _c.c_void_p),
                ("first_element_count", _c.c_int64), ("first_elements", _c.c_void_p)]


class adj_lion_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("params", adj_tensor_list), ("grads", adj_tensor_list), ("exp_avg", adj_tensor_list),
                ("copies", adj_tensor_list), ("lr", adj_scalar), ("step", adj_scalar), ("seed", adj_scalar), ("grad_scale", adj_scalar),
                ("gradient_norm", adj_scalar), ("update_signal", adj_scalar), ("found_inf", adj_tensor), ("error_flag", adj_tensor)]


class adj_adamw_8bit_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("param", _c.c_int32), ("grad", _c.c_int32),
                ("copy", _c.c_int32), ("stochastic_rounding", _c.c_int32), ("advance_step", _c.c_int32), ("clear_grads", _c.c_int32),
                ("beta1", _c.c_double), ("beta2", _c.c_double), ("epsilon", _c.c_double), ("weight_decay", _c.c_double),
                ("max_norm", _c.c_double), ("tensor_key_count", _c.c_int64), ("tensor_keys", _c.c_void_p),
                ("first_element_count", _c.c_int64), ("first_elements", _c.c_void_p)]


class adj_adamw_8bit_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("params", adj_tensor_list), ("grads", adj_tensor_list), ("exp_avg", adj_tensor_list),
                ("exp_avg_scale", adj_tensor_list), ("exp_avg_sq", adj_tensor_list), ("exp_avg_sq_scale", adj_tensor_list),
                ("copies", adj_tensor_list), ("lr", adj_scalar), ("step", adj_scalar), ("seed", adj_scalar), ("grad_scale", adj_scalar),
                ("gradient_norm", adj_scalar), ("update_signal", adj_scalar), ("found_inf", adj_tensor), ("error_flag", adj_tensor)]


class adj_clip_grad_norm_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("grad", _c.c_int32), ("norm_only", _c.c_int32),
                ("max_norm", _c.c_double), ("epsilon", _c.c_double)]


class adj_clip_grad_norm_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("grads", adj_tensor_list), ("grad_scale", adj_scalar), ("norm", adj_tensor),
                ("factor", adj_tensor), ("found_inf", adj_tensor)]


class adj_sgd_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("param", _c.c_int32), ("grad", _c.c_int32),
                ("state", _c.c_int32), ("copy", _c.c_int32), ("momentum", _c.c_double), ("dampening", _c.c_double),
                ("weight_decay", _c.c_double), ("nesterov", _c.c_int32), ("first_step", _c.c_int32), ("out_of_place", _c.c_int32),
                ("updates", _c.c_int32), ("keep_params", _c.c_int32), ("clear_grads", _c.c_int32), ("max_norm", _c.c_double)]


class adj_sgd_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("params", adj_tensor_list), ("grads", adj_tensor_list), ("momentum_buffers", adj_tensor_list),
                ("copies", adj_tensor_list), ("new_params", adj_tensor_list), ("new_momentum_buffers", adj_tensor_list),
                ("updates", adj_tensor_list), ("lr", adj_scalar), ("grad_scale", adj_scalar), ("gradient_norm", adj_scalar),
                ("update_signal", adj_scalar), ("found_inf", adj_tensor), ("error_flag", adj_tensor)]


class adj_is_finite_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_is_finite_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list)]


class adj_all_finite_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32), ("test", _c.c_int32)]


class adj_all_finite_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs", adj_tensor_list), ("output", adj_tensor), ("found_inf", adj_tensor)]


class adj_all_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p)]


class adj_all_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs", adj_tensor_list), ("output", adj_tensor)]


class adj_scale_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32), ("output", _c.c_int32),
                ("outputs", _c.c_int32), ("fused", _c.c_int32), ("scale_down", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_scale_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list), ("outputs_1", adj_tensor_list),
                ("outputs_2", adj_tensor_list), ("fused", adj_tensor), ("scale", adj_scalar), ("scale_1", adj_scalar),
                ("scale_2", adj_scalar), ("found_inf", adj_tensor)]


class adj_zero_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_zero_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outputs", adj_tensor_list)]


class adj_accumulate_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32), ("value", _c.c_int32),
                ("copies", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_accumulate_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("sums", adj_tensor_list), ("values", adj_tensor_list), ("outputs", adj_tensor_list),
                ("copies", adj_tensor_list), ("update", adj_scalar), ("overwrite", adj_scalar), ("updated_flag", adj_tensor)]


class adj_scaled_sum_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32), ("inputs", _c.c_int32)]


class adj_scaled_sum_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs_0", adj_tensor_list), ("inputs_1", adj_tensor_list), ("inputs_2", adj_tensor_list),
                ("outputs", adj_tensor_list), ("scale_0", adj_scalar), ("scale_1", adj_scalar), ("scale_2", adj_scalar)]


class adj_update_loss_scale_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("growth_factor", _c.c_double), ("backoff_factor", _c.c_double), ("min_scale", _c.c_double),
                ("max_scale", _c.c_double), ("growth_interval", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_update_loss_scale_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("found_inf", adj_tensor), ("scale", adj_tensor), ("growth_tracker", adj_tensor)]


class adj_fake_quantize_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("channels", _c.c_int64), ("inner", _c.c_int64),
                ("quant_min", _c.c_int64), ("quant_max", _c.c_int64), ("per_channel", _c.c_int32), ("nan_to_min", _c.c_int32),
                ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_fake_quantize_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("scale", adj_scalar), ("zero_point", adj_scalar), ("scales", adj_tensor),
                ("zero_points", adj_tensor), ("out", adj_tensor), ("mask", adj_tensor)]


class adj_fake_quantize_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("numel", _c.c_int64), ("element", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_fake_quantize_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("mask", adj_tensor), ("dinput", adj_tensor)]


class adj_reduce_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("shape", adj_shape), ("axes", adj_axes), ("kind", _c.c_int32), ("element", _c.c_int32),
                ("output", _c.c_int32), ("keepdims", _c.c_int32), ("noop_with_empty_axes", _c.c_int32), ("offset", _c.c_int32),
                ("segments", _c.c_int64), ("write_mode", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_reduce_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("output", adj_tensor), ("offsets", adj_tensor),
                ("error_flag", adj_tensor)]


class adj_l2_norm_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32), ("output", _c.c_int32)]


class adj_l2_norm_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs", adj_tensor_list), ("output", adj_tensor), ("norms", adj_tensor),
                ("found_inf", adj_tensor)]


class adj_resize_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_shape), ("out", adj_shape), ("num_scales", _c.c_int64), ("scales", _c.c_void_p),
                ("element", _c.c_int32), ("mode", _c.c_int32), ("coordinates", _c.c_int32), ("rounding", _c.c_int32),
                ("channels_last", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_resize_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("out", adj_tensor)]


class adj_resize_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_shape), ("out", adj_shape), ("num_scales", _c.c_int64), ("scales", _c.c_void_p),
                ("element", _c.c_int32), ("mode", _c.c_int32), ("coordinates", _c.c_int32), ("rounding", _c.c_int32),
                ("channels_last", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_resize_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("dinput", adj_tensor)]


class adj_rope_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("batch", _c.c_int64), ("tokens", _c.c_int64), ("heads", _c.c_int64), ("kv_heads", _c.c_int64),
                ("head_dim", _c.c_int64), ("rotary_dim", _c.c_int64), ("table_rows", _c.c_int64), ("base", _c.c_double),
                ("epsilon", _c.c_double), ("strides", adj_axes), ("out_strides", adj_axes), ("element", _c.c_int32),
                ("weight", _c.c_int32), ("position", _c.c_int32), ("interleaved", _c.c_int32), ("has_norm", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_rope_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("positions", adj_tensor), ("cos", adj_tensor), ("sin", adj_tensor),
                ("q_weight", adj_tensor), ("k_weight", adj_tensor), ("out", adj_tensor), ("error_flag", adj_tensor)]


class adj_rope_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("batch", _c.c_int64), ("tokens", _c.c_int64), ("heads", _c.c_int64), ("kv_heads", _c.c_int64),
                ("head_dim", _c.c_int64), ("rotary_dim", _c.c_int64), ("table_rows", _c.c_int64), ("base", _c.c_double),
                ("epsilon", _c.c_double), ("strides", adj_axes), ("dout_strides", adj_axes), ("dinput_strides", adj_axes),
                ("element", _c.c_int32), ("weight", _c.c_int32), ("position", _c.c_int32), ("interleaved", _c.c_int32),
                ("has_norm", _c.c_int32), ("write_mode", _c.c_int32)]


class adj_rope_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("input", adj_tensor), ("positions", adj_tensor), ("cos", adj_tensor),
                ("sin", adj_tensor), ("q_weight", adj_tensor), ("k_weight", adj_tensor), ("dinput", adj_tensor),
                ("dq_weight", adj_tensor), ("dk_weight", adj_tensor), ("error_flag", adj_tensor)]


class adj_view_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("total", _c.c_int64), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("copies", _c.c_int32)]


class adj_view_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("outputs", adj_tensor_list), ("offsets", adj_tensor)]


class adj_copy_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("count", _c.c_int64), ("numel", _c.c_void_p), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_copy_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("inputs", adj_tensor_list), ("outputs", adj_tensor_list)]


class adj_transpose_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("batch", _c.c_int64), ("rows", _c.c_int64), ("columns", _c.c_int64), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_transpose_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("output", adj_tensor)]


class adj_softmax_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("extent", _c.c_int64), ("inner", _c.c_int64), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_softmax_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("out", adj_tensor), ("dinput", adj_tensor)]


class adj_log_softmax_backward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("extent", _c.c_int64), ("inner", _c.c_int64), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_log_softmax_backward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("dout", adj_tensor), ("out", adj_tensor), ("dinput", adj_tensor)]


class adj_softmax_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("extent", _c.c_int64), ("inner", _c.c_int64), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_softmax_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("out", adj_tensor)]


class adj_log_softmax_forward_descriptor(_c.Structure):
    _fields_ = [ ("header", adj_header), ("outer", _c.c_int64), ("extent", _c.c_int64), ("inner", _c.c_int64), ("element", _c.c_int32),
                ("reserved", _c.c_uint32)]


class adj_log_softmax_forward_args(_c.Structure):
    _fields_ = [ ("header", adj_header), ("input", adj_tensor), ("out", adj_tensor)]


class adj_rejection(_c.Structure):
    _fields_ = [ ("header", adj_header), ("sku", _c.c_char_p), ("reason", _c.c_char_p), ("code", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_sku_info(_c.Structure):
    _fields_ = [ ("header", adj_header), ("id", _c.c_char_p), ("op_name", _c.c_char_p), ("algorithm", _c.c_char_p),
                ("signature", _c.c_char_p), ("arch", _c.c_char_p), ("source", _c.c_char_p), ("summary", _c.c_char_p), ("op", _c.c_int32),
                ("backend", _c.c_int32), ("program_count", _c.c_int32), ("reserved", _c.c_uint32), ("guarantee", adj_guarantee)]


class adj_kernel_info(_c.Structure):
    _fields_ = [ ("header", adj_header), ("source", _c.c_char_p), ("entry", _c.c_char_p), ("macros", _c.c_char_p),
                ("code_bytes", _c.c_uint64), ("static_shared_bytes", _c.c_uint64), ("registers", _c.c_int32), ("local_bytes", _c.c_int32),
                ("compile_ms", _c.c_double)]


class adj_plan_info(_c.Structure):
    _fields_ = [ ("header", adj_header), ("workspace_size", _c.c_uint64), ("bind_workspace_size", _c.c_uint64), ("launches", _c.c_int64),
                ("bound_launches", _c.c_int64), ("from_ptx", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_pack_options(_c.Structure):
    _fields_ = [ ("header", adj_header), ("archs", _c.c_char_p), ("skus", _c.c_char_p), ("jobs", _c.c_int32), ("reserved", _c.c_uint32),
                ("progress", _c.c_void_p), ("user", _c.c_void_p)]


class adj_cache_info(_c.Structure):
    _fields_ = [ ("header", adj_header), ("directory", _c.c_char_p), ("problem", _c.c_char_p), ("entries", _c.c_int64),
                ("damaged", _c.c_int64), ("bytes", _c.c_uint64), ("limit", _c.c_uint64), ("memory_hits", _c.c_int64),
                ("pack_hits", _c.c_int64), ("disk_hits", _c.c_int64), ("compiles", _c.c_int64)]


class adj_library_info(_c.Structure):
    _fields_ = [ ("header", adj_header), ("name", _c.c_char_p), ("path", _c.c_char_p), ("version", _c.c_char_p), ("problem", _c.c_char_p),
                ("available", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_device_info(_c.Structure):
    _fields_ = [ ("header", adj_header), ("name", _c.c_char_p), ("arch", _c.c_char_p), ("memory", _c.c_uint64),
                ("multiprocessors", _c.c_int32), ("compute_capability", _c.c_int32)]


class adj_registry_row(_c.Structure):
    _fields_ = [ ("header", adj_header), ("domain", _c.c_char_p), ("op", _c.c_char_p), ("types", _c.c_char_p),
                ("adjoint_op", _c.c_char_p), ("signature", _c.c_char_p), ("reason", _c.c_char_p), ("settings", _c.c_char_p),
                ("note", _c.c_char_p), ("since_version", _c.c_int32), ("until_version", _c.c_int32), ("resolved", _c.c_int32),
                ("sku_count", _c.c_int32)]


class adj_field(_c.Structure):
    _fields_ = [ ("name", _c.c_char_p), ("choices", _c.c_char_p), ("about", _c.c_char_p), ("kind", _c.c_int32), ("offset", _c.c_uint32)]


class adj_argument(_c.Structure):
    _fields_ = [ ("name", _c.c_char_p), ("about", _c.c_char_p), ("kind", _c.c_int32), ("role", _c.c_int32), ("presence", _c.c_int32),
                ("host", _c.c_int32), ("offset", _c.c_uint32), ("may_equal", _c.c_uint32)]


class adj_requirement(_c.Structure):
    _fields_ = [ ("header", adj_header), ("presence", _c.c_int32), ("dtype", _c.c_int32), ("other_dtype", _c.c_int32),
                ("any_float", _c.c_int32), ("device_only", _c.c_int32), ("rank", _c.c_int32), ("shape", _c.c_int64 * 8),
                ("count", _c.c_int64), ("bytes", _c.c_uint64), ("alignment", _c.c_uint64)]


adj_callback_function = _c.CFUNCTYPE(_c.c_int32, _c.c_void_p)
adj_callback_destroy = _c.CFUNCTYPE(None, _c.c_void_p)
adj_progress = _c.CFUNCTYPE(_c.c_int32, _c.c_void_p, _c.c_int64, _c.c_int64, _c.c_char_p, _c.c_double)
adj_log_fn = _c.CFUNCTYPE(None, _c.c_void_p, _c.c_int32, _c.c_char_p)

# name: (result, parameters)
FUNCTIONS = {
    "adj_abi_check": (_c.c_int32, (_c.c_uint32, _c.c_uint32)),
    "adj_abi_version": (None, (_c.c_void_p, _c.c_void_p)),
    "adj_version": (_c.c_char_p, ()),
    "adj_status_name": (_c.c_char_p, (_c.c_int32,)),
    "adj_last_error": (_c.c_char_p, ()),
    "adj_last_native_code": (_c.c_int64, ()),
    "adj_error_code": (_c.c_int32, (_c.c_void_p,)),
    "adj_error_message": (_c.c_char_p, (_c.c_void_p,)),
    "adj_error_log": (_c.c_char_p, (_c.c_void_p,)),
    "adj_error_options": (_c.c_char_p, (_c.c_void_p,)),
    "adj_error_native_code": (_c.c_int64, (_c.c_void_p,)),
    "adj_error_release": (None, (_c.c_void_p,)),
    "adj_error_rejection_count": (_c.c_int64, (_c.c_void_p,)),
    "adj_error_rejection": (_c.c_int32, (_c.c_void_p, _c.c_int64, _c.c_void_p)),
    "adj_stream_host": (adj_stream, ()),
    "adj_stream_wrap": (_c.c_int32, (_c.c_void_p, _c.c_void_p)),
    "adj_stream_offline": (_c.c_int32, (_c.c_char_p, _c.c_void_p)),
    "adj_sku_count": (_c.c_int64, ()),
    "adj_sku_get": (_c.c_int32, (_c.c_int64, _c.c_void_p)),
    "adj_sku_find": (_c.c_int32, (_c.c_char_p, _c.c_void_p)),
    "adj_sku_guarantee": (_c.c_int32, (_c.c_char_p, _c.c_char_p, _c.c_void_p)),
    "adj_sku_kernel": (_c.c_int32, (_c.c_char_p, _c.c_int64, _c.c_char_p, _c.c_void_p, _c.c_void_p)),
    "adj_plan_select": (_c.c_int32, (_c.c_void_p, _c.c_void_p, _c.c_void_p, _c.c_void_p, _c.c_void_p)),
    "adj_plan_acquire": (_c.c_int32, (_c.c_void_p, _c.c_void_p, _c.c_void_p, _c.c_void_p, _c.c_void_p)),
    "adj_plan_explain": (_c.c_int32, (_c.c_void_p, _c.c_void_p, _c.c_void_p, _c.c_void_p)),
    "adj_plan_can_implement": (_c.c_int32, (_c.c_void_p, _c.c_void_p)),
    "adj_plan_workspace_size": (_c.c_uint64, (_c.c_void_p,)),
    "adj_plan_run": (_c.c_int32, (_c.c_void_p, _c.c_void_p, _c.c_void_p, _c.c_void_p)),
    "adj_plan_bind": (_c.c_int32, (_c.c_void_p, _c.c_void_p, _c.c_void_p, _c.c_void_p, _c.c_void_p)),
    "adj_bound_run": (_c.c_int32, (_c.c_void_p, _c.c_void_p)),
    "adj_bound_release": (None, (_c.c_void_p,)),
    "adj_plan_sku": (_c.c_int32, (_c.c_void_p, _c.c_void_p)),
    "adj_plan_guarantee": (_c.c_int32, (_c.c_void_p, _c.c_char_p, _c.c_void_p)),
    "adj_plan_get_info": (_c.c_int32, (_c.c_void_p, _c.c_void_p)),
    "adj_plan_candidate_count": (_c.c_int64, (_c.c_void_p,)),
    "adj_plan_candidate": (_c.c_int32, (_c.c_void_p, _c.c_int64, _c.c_void_p)),
    "adj_plan_retain": (_c.c_void_p, (_c.c_void_p,)),
    "adj_plan_release": (None, (_c.c_void_p,)),
    "adj_pack_build": (_c.c_int32, (_c.c_char_p, _c.c_void_p, _c.c_void_p)),
    "adj_pack_load": (_c.c_int32, (_c.c_char_p,)),
    "adj_cache_stat": (_c.c_int32, (_c.c_void_p,)),
    "adj_cache_verify": (_c.c_int32, (_c.c_void_p,)),
    "adj_cache_clear": (_c.c_int32, ()),
    "adj_library_count": (_c.c_int64, ()),
    "adj_library_get": (_c.c_int32, (_c.c_int64, _c.c_void_p)),
    "adj_device_count": (_c.c_int64, ()),
    "adj_device_get": (_c.c_int32, (_c.c_int64, _c.c_void_p)),
    "adj_registry_count": (_c.c_int64, ()),
    "adj_registry_get": (_c.c_int32, (_c.c_int64, _c.c_void_p)),
    "adj_registry_lookup": (_c.c_int32, (_c.c_char_p, _c.c_char_p, _c.c_int32, _c.c_char_p, _c.c_void_p)),
    "adj_registry_sku": (_c.c_int32, (_c.c_int64, _c.c_int64, _c.c_void_p)),
    "adj_op_count": (_c.c_int64, ()),
    "adj_op_at": (_c.c_int32, (_c.c_int64,)),
    "adj_op_name": (_c.c_char_p, (_c.c_int32,)),
    "adj_op_family": (_c.c_char_p, (_c.c_int32,)),
    "adj_op_find": (_c.c_int32, (_c.c_char_p, _c.c_void_p)),
    "adj_op_descriptor_init": (_c.c_int32, (_c.c_int32, _c.c_void_p, _c.c_uint64)),
    "adj_op_args_init": (_c.c_int32, (_c.c_int32, _c.c_void_p, _c.c_uint64)),
    "adj_op_descriptor_size": (_c.c_uint64, (_c.c_int32,)),
    "adj_op_args_size": (_c.c_uint64, (_c.c_int32,)),
    "adj_op_definition": (_c.c_char_p, (_c.c_int32,)),
    "adj_op_conventions": (_c.c_char_p, (_c.c_int32,)),
    "adj_op_field_count": (_c.c_int64, (_c.c_int32,)),
    "adj_op_field": (_c.c_int32, (_c.c_int32, _c.c_int64, _c.c_void_p)),
    "adj_op_argument_count": (_c.c_int64, (_c.c_int32,)),
    "adj_op_argument": (_c.c_int32, (_c.c_int32, _c.c_int64, _c.c_void_p)),
    "adj_op_infer": (_c.c_int32, (_c.c_void_p, _c.c_int64, _c.c_void_p)),
    "adj_op_infer_list": (_c.c_int32, (_c.c_void_p, _c.c_int64, _c.c_void_p, _c.c_int64)),
    "adj_op_complete": (_c.c_int32, (_c.c_void_p, _c.c_void_p, _c.c_void_p, _c.c_int64)),
    "adj_plan_argument": (_c.c_int32, (_c.c_void_p, _c.c_int64, _c.c_void_p)),
    "adj_plan_argument_list": (_c.c_int32, (_c.c_void_p, _c.c_int64, _c.c_void_p, _c.c_int64)),
    "adj_dtype_name": (_c.c_char_p, (_c.c_int32,)),
    "adj_dtype_find": (_c.c_int32, (_c.c_char_p,)),
    "adj_comm_unique_id": (_c.c_int32, (_c.c_void_p, _c.c_uint64)),
    "adj_comm_init": (_c.c_int32, (_c.c_int32, _c.c_int32, _c.c_void_p, _c.c_uint64, _c.c_void_p)),
    "adj_comm_init_all": (_c.c_int32, (_c.c_int32, _c.c_void_p, _c.c_void_p)),
    "adj_comm_destroy": (_c.c_int32, (_c.c_void_p,)),
    "adj_comm_abort": (_c.c_int32, (_c.c_void_p,)),
    "adj_host_comm_create": (_c.c_int32, (_c.c_int32, _c.c_void_p)),
    "adj_host_comm_destroy": (_c.c_int32, (_c.c_void_p,)),
    "adj_host_event_create": (_c.c_int32, (_c.c_void_p,)),
    "adj_host_event_reset": (_c.c_int32, (_c.c_void_p,)),
    "adj_host_event_destroy": (_c.c_int32, (_c.c_void_p,)),
    "adj_set_log": (None, (_c.c_void_p, _c.c_void_p)),
}

# Tags of the structures that are no operator's, by name.
TAGS = {
    "adj_preference": 1,
    "adj_rejection": 9,
    "adj_sku_info": 2,
    "adj_kernel_info": 10,
    "adj_plan_info": 3,
    "adj_pack_options": 4,
    "adj_cache_info": 6,
    "adj_library_info": 7,
    "adj_device_info": 8,
    "adj_registry_row": 5,
    "adj_requirement": 12,
    "adj_callback_call": 11,
}

# extra: the names of an enumeration's values, the field whose type a type of 0 stands for, or the count of a list or of bytes.
Field = _namedtuple("Field", "name kind extra about")
# dims and dtype: shape and element type as the header states them, or None; condition: (field, value) that the argument is there for;
# equals: the arguments that an output may be the very buffer of.
Slot = _namedtuple("Slot", "name kind role presence host dims dtype condition default equals about")
Operator = _namedtuple("Operator", "id name family descriptor args fields slots about")

OPERATORS = {}


def _operator(number, name, family, fields, slots, about):
    descriptor, args = globals()[f"adj_{name}_descriptor"], globals()[f"adj_{name}_args"]
    OPERATORS[name] = Operator(number, name, family, descriptor, args, tuple(Field(*f) for f in fields), tuple(Slot(*s) for s in slots), about)


_operator(1, "embedding_forward", "embedding", (
    ("num_embeddings", "i64", None, 'V >= 0; must be given'),
    ("embedding_dim", "i64", None, 'D >= 0; must be given'),
    ("num_indices", "i64", None, 'N >= 0; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("index", "dtype", None, 'i32, i64'),
    ("has_padding_idx", "i32", None, '1: padding_idx holds'),
    ("padding_zeroes_forward", "i32", None, '1: rows of padding_idx come out as zeros'),
    ("padding_idx", "i64", None, 'in [-V, V); negative counts from the end'),
), (
    ("weight", "tensor", "in", "always", False, ('num_embeddings', 'embedding_dim'), 'element', None, None, (), '[num_embeddings, embedding_dim] element'),
    ("indices", "tensor", "in", "always", False, ('num_indices',), 'index', None, None, (), '[num_indices] index'),
    ("out", "tensor", "out", "always", False, ('num_indices', 'embedding_dim'), 'element', None, None, (), '[num_indices, embedding_dim] element'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: out-of-range indices are added to it'),
), 'Embedding forward:   out[n, :] = weight[indices[n], :], a bit-exact copy.\n\nAn index outside [0, num_embeddings) (negative ones included: there is no wrap-around) yields a row of zeros and is\ncounted in error_flag. padding_idx is not special in the forward direction unless padding_zeroes_forward is set.')
_operator(2, "embedding_backward", "embedding", (
    ("num_embeddings", "i64", None, 'V >= 0; must be given'),
    ("embedding_dim", "i64", None, 'D >= 0; must be given'),
    ("num_indices", "i64", None, 'N >= 0, below 2^31; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16: type of dout and dweight'),
    ("index", "dtype", None, 'i32, i64'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'overwrite unless stated'),
    ("scale_grad_by_freq", "i32", None, '1: a row is divided by the number of its indices'),
    ("has_padding_idx", "i32", None, '1: padding_idx holds'),
    ("padding_idx", "i64", None, 'in [-V, V); negative counts from the end'),
    ("use_index_plan", "i32", None, '1: sorted_rows and order instead of indices; V at most 2^31 - 1'),
), (
    ("dout", "tensor", "in", "always", False, ('num_indices', 'embedding_dim'), 'element', None, None, (), '[num_indices, embedding_dim] element'),
    ("indices", "tensor", "in", "depends", False, ('num_indices',), 'index', ('use_index_plan', 0), None, (), '[num_indices] index; only if !use_index_plan'),
    ("dweight", "tensor", "in/out", "always", False, ('num_embeddings', 'embedding_dim'), 'element', None, None, (), '[num_embeddings, embedding_dim] element; read if write_mode == accumulate'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: out-of-range indices are added to it'),
    ("sorted_rows", "tensor", "in", "depends", False, ('num_indices',), 'i32', ('use_index_plan', 1), None, (), '[num_indices] i32; only if use_index_plan'),
    ("order", "tensor", "in", "depends", False, ('num_indices',), 'i32', ('use_index_plan', 1), None, (), '[num_indices] i32; only if use_index_plan'),
), 'Embedding backward:   dweight[r, :] (=|+=) s_r * sum over n with indices[n] == r of dout[n, :]\n    s_r = 1, or 1 / (number of such n) with scale_grad_by_freq\n\nTypes. 16-bit types accumulate in f32 and are rounded once. The addends are taken in a fixed order that depends on the indices alone.\n\nIn place. dout and dweight must not overlap.\n\nEdge cases:\n- Rows of padding_idx get no gradient: they are zero when overwriting and unchanged when accumulating.\n- Indices outside [0, num_embeddings) are skipped and counted in error_flag.\n\nWorkspace on a device. None for up to 1024 indices into a dweight of up to 16 MB. Other calls sort the indices: at most 16 N + 516 Ki bytes and,\nbeyond 127 indices, D accumulators (f32, or f64 for f64) for every 64 indices. V is then at most 2^32 - 2.\n\nIndex plans. With use_index_plan the call takes sorted_rows and order in place of indices: what index_plan gave for the same V and N.\n- Nothing is sorted, and 2 N + 1024 bytes of workspace take the place of 16 N + 516 Ki.\n- Positions that the plan leaves out get no gradient, so has_padding_idx must be 0. The plan has counted them, so error_flag stays as it is.\n- The bits are those of the same SKU without a plan.\n- Contents that index_plan did not write for this V and N give an unspecified dweight. Nothing is read or written outside the buffers.\n\nWithout determinism. A preference of determinism none may take a kernel that adds to dweight in memory, in the order in which additions arrive.\n- It serves f32 and f64, since 16-bit sums would be rounded at every addition, up to 65536 indices, and neither scale_grad_by_freq nor\n  use_index_plan.\n- n additions to an element are up to n roundings. The guarantee states the bound for the most.\n- In f32 it takes numbers and intermediate sums below 2^-126 in magnitude for zero. The bound leaves that out, and ADJ_MATH_IEEE excludes it.\n- It needs no workspace. It is chosen where there are few addends, and few that share a row; preference.sku = "embedding_backward/atomic*"\n  forces it.')
_operator(3, "softmax_cross_entropy_loss", "loss", (
    ("batch", "i64", None, 'N >= 0; must be given'),
    ("num_classes", "i64", None, 'C >= 0; must be given'),
    ("inner", "i64", None, 'd1*..*dk >= 0'),
    ("padded_classes", "i64", None, 'P >= C, the classes and their padding; only where inner is 1; 0 = C'),
    ("element", "dtype", None, 'of scores: f32, f64, f16, bf16'),
    ("label", "dtype", None, 'i32, i64'),
    ("output", "dtype", 'element', 'of loss and log_prob: element, or f32 for 16-bit scores; 0 = element'),
    ("weight", "dtype", None, 'of the class weights: f32, f64, f16, bf16; 0 = no weights'),
    ("reduction", "i32", ('default', 'none', 'sum', 'mean'), 'mean unless stated'),
    ("nan_when_empty", "i32", None, '1: a mean over nothing is NaN, as in PyTorch and the ONNX function body; refused unless reduction is mean'),
    ("has_ignore_index", "i32", None, '1: ignore_index holds'),
    ("sample_weight", "dtype", None, "of the samples' weights: f32, f64, f16, bf16; 0 = none"),
    ("ignore_index", "i64", None, 'the label of samples that do not count'),
), (
    ("scores", "tensor", "in", "always", False, ('batch', 'num_classes', 'inner'), 'element', None, None, (), '[batch, (padded_classes ? padded_classes : num_classes), inner], element'),
    ("labels", "tensor", "in", "always", False, ('batch', 'inner'), 'label', None, None, (), '[batch, inner] label'),
    ("weight", "tensor", "in", "depends", False, ('num_classes',), 'weight', None, None, (), '[num_classes] weight; only if weight'),
    ("loss", "tensor", "out", "always", False, None, 'output', None, None, (), 'reduction == none ? [batch, inner] : [1], output'),
    ("log_prob", "tensor", "out", "depends", False, ('batch', 'num_classes', 'inner'), 'output', None, None, ('scores',), '[batch, num_classes, inner] output; only if !(padded_classes > num_classes); may be scores itself: may share its buffer when the types agree'),
    ("lse", "tensor", "out", "optional", False, ('batch', 'inner'), 'f32/f64', None, None, (), '[batch, inner] accumulator(element): logsumexp, for the gradient'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: out-of-range labels are added to it'),
    ("sample_weight", "tensor", "in", "depends", False, ('batch', 'inner'), 'sample_weight', None, None, (), '[batch, inner] sample_weight; only if sample_weight'),
), 'Softmax cross-entropy loss, forward:\n    log_prob[n, c, d] = scores[n, c, d] - logsumexp over c of scores[n, :, d]\n    none: loss_i = -log_prob[l_i] * w_i (exactly 0 where ignored)      sum: their sum\n    mean: their sum / Z, Z = sum of w_i; 0 when Z == 0 (NaN with nan_when_empty)')
_operator(4, "softmax_cross_entropy_loss_backward", "loss", (
    ("batch", "i64", None, 'N >= 0; must be given'),
    ("num_classes", "i64", None, 'C >= 0; must be given'),
    ("inner", "i64", None, 'd1*..*dk >= 0'),
    ("padded_classes", "i64", None, 'P >= C, the classes and their padding; only where inner is 1; 0 = C'),
    ("element", "dtype", None, 'of log_prob or scores, and of dloss: f32, f64, f16, bf16'),
    ("label", "dtype", None, 'i32, i64'),
    ("output", "dtype", 'element', 'of dscores: element, or a 16-bit type for f32; 0 = element'),
    ("weight", "dtype", None, 'of the class weights; 0 = no weights'),
    ("reduction", "i32", ('default', 'none', 'sum', 'mean'), 'mean unless stated'),
    ("from_scores", "i32", None, '0: from log_prob; 1: from scores and lse'),
    ("has_ignore_index", "i32", None, '1: ignore_index holds'),
    ("sample_weight", "dtype", None, "of the samples' weights: f32, f64, f16, bf16; 0 = none"),
    ("ignore_index", "i64", None, 'the label of samples that do not count'),
), (
    ("dloss", "tensor", "in", "always", False, None, 'element', None, None, (), 'reduction == none ? [batch, inner] : [1], element'),
    ("log_prob", "tensor", "in", "depends", False, ('batch', 'num_classes', 'inner'), 'element', ('from_scores', 0), None, (), '[batch, (padded_classes ? padded_classes : num_classes), inner], element; only if !from_scores'),
    ("scores", "tensor", "in", "depends", False, ('batch', 'num_classes', 'inner'), 'element', ('from_scores', 1), None, (), '[batch, (padded_classes ? padded_classes : num_classes), inner], element; only if from_scores'),
    ("lse", "tensor", "in", "depends", False, ('batch', 'inner'), 'f32/f64', ('from_scores', 1), None, (), '[batch, inner] accumulator(element); only if from_scores'),
    ("labels", "tensor", "in", "always", False, ('batch', 'inner'), 'label', None, None, (), '[batch, inner] label'),
    ("weight", "tensor", "in", "depends", False, ('num_classes',), 'weight', None, None, (), '[num_classes] weight; only if weight'),
    ("bias", "tensor", "in", "optional", False, ('batch', 'num_classes', 'inner'), 'output', None, None, (), '[batch, (padded_classes ? padded_classes : num_classes), inner], output'),
    ("dscores", "tensor", "out", "always", False, ('batch', 'num_classes', 'inner'), 'output', None, None, ('log_prob', 'scores', 'bias'), '[batch, (padded_classes ? padded_classes : num_classes), inner], output; may be log_prob, scores or bias itself: may share a buffer when the types agree'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: out-of-range labels are added to it'),
    ("sample_weight", "tensor", "in", "depends", False, ('batch', 'inner'), 'sample_weight', None, None, (), '[batch, inner] sample_weight; only if sample_weight'),
), 'Softmax cross-entropy loss, gradient:\n    dscores[n, c, d] = g_i * w_i * (exp(log_prob[n, c, d]) - [c == l_i]) / Z + bias[n, c, d]\n    g = dloss: a scalar for mean and sum, one per sample for none\n    Z = sum of w_i for mean, else 1; where Z == 0 the first summand is 0\n\nArguments. Give either log_prob, or scores and the lse that the forward operator saved, which is more precise and has less traffic. bias is\nanother gradient flowing into the scores. It is added before the one rounding. The first summand of an ignored sample is exactly 0.')
_operator(6, "sgd", "optimizer", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("param", "dtype", None, 'f32, f64, f16, bf16'),
    ("grad", "dtype", 'param', 'of the gradients; 0 = param'),
    ("state", "dtype", None, 'of the momentum buffers; 0 = none, required exactly when momentum != 0'),
    ("copy", "dtype", None, 'of a low-precision copy of the parameters: f16, bf16; 0 = none'),
    ("momentum", "f64", None, 'in [0, 1)'),
    ("dampening", "f64", None, 'finite'),
    ("weight_decay", "f64", None, 'finite; 0 = none'),
    ("nesterov", "i32", None, '1: needs momentum > 0 and dampening == 0'),
    ("first_step", "i32", None, '1: the momentum buffers are written without being read'),
    ("out_of_place", "i32", None, '1: new weights and buffers go to new_params and new_momentum_buffers'),
    ("updates", "i32", None, '1: the updates go to the list of that name, rounded to the type of the gradients'),
    ("keep_params", "i32", None, '1: weights are not written; without copies'),
    ("clear_grads", "i32", None, '1: the gradients are zero afterwards; without updates'),
    ("max_norm", "f64", None, '> 0; infinity clips nothing'),
), (
    ("params", "list", "in/out", "always", False, None, 'param', None, None, (), '[numel] param; written if !out_of_place && !keep_params: parameters w'),
    ("grads", "list", "in/out", "always", False, None, 'grad', None, None, (), '[numel] grad; written if clear_grads'),
    ("momentum_buffers", "list", "in/out", "depends", False, None, 'state', None, None, (), '[numel] state; only if state; written if !out_of_place'),
    ("copies", "list", "in/out", "depends", False, None, 'copy', None, None, (), '[numel] copy; only if copy: a call that skips leaves it as it is'),
    ("new_params", "list", "out", "depends", False, None, 'param', None, None, ('params',), '[numel] param; only if out_of_place && !keep_params; may be params itself'),
    ("new_momentum_buffers", "list", "out", "depends", False, None, 'state', None, None, ('momentum_buffers',), '[numel] state; only if out_of_place && state; may be momentum_buffers itself'),
    ("updates", "list", "out", "depends", False, None, 'grad', ('updates', 1), None, ('grads',), '[numel] grad; only if updates; may be grads itself'),
    ("lr", "scalar", "in", "always", False, None, None, None, float("nan"), (), 'any floating-point type on the device: finite, not negative; must be given'),
    ("grad_scale", "scalar", "in", "always", False, None, None, None, 1.0, (), 'any floating-point type on the device: not 0'),
    ("gradient_norm", "scalar", "in", "always", False, None, None, None, 0.0, (), 'any floating-point type on the device: >= 0'),
    ("update_signal", "scalar", "in", "always", False, None, None, None, 1.0, (), 'bool on the device: 0 skips'),
    ("found_inf", "tensor", "in", "optional", False, (1,), 'f32', None, None, (), '[1] f32'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: 1 is added when gradient_norm is not finite'),
), "SGD with momentum. g = grad / s + weight_decay * w, |s| = max(|grad_scale|, gradient_norm / max_norm), s with the sign of grad_scale:\n    without momentum: update = -lr * g\n    with momentum:    buf = momentum * buf + (1 - dampening) * g;  update = -lr * (nesterov ? g + momentum * buf : buf)\n    w += update\nBuffers start at zero, except that first_step makes buf = g (PyTorch's first step). gradient_norm is the norm of all gradients as they\nare, still scaled; 0, its default, clips nothing.\n\nA call skips when update_signal is 0, when found_inf is not 0, or when gradient_norm is not finite; that is an error by value, and on\nthe device is counted in error_flag. It then does what a call of adam does that skips.\n\nError terms: g: G = |grad / s| + |weight_decay * w|;  buf: B = |momentum * buf| + |1 - dampening| * G, or G with first_step;  update and w:\nlr * G, lr * B with momentum, lr * (G + momentum * B) with nesterov.")
_operator(7, "softmax_backward", "softmax", (
    ("outer", "i64", None, '>= 0'),
    ("extent", "i64", None, 'of the axis, >= 0; must be given'),
    ("inner", "i64", None, '>= 0'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("dout", "tensor", "in", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, (), '[outer, extent, inner] element'),
    ("out", "tensor", "in", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, (), '[outer, extent, inner] element: the result of the forward operator'),
    ("dinput", "tensor", "out", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, ('dout', 'out'), '[outer, extent, inner] element; may be dout or out itself'),
), 'Softmax gradient, out being the softmax itself:\n    dinput[n, c, d] = out[n, c, d] * (dout[n, c, d] - sum over k of dout[n, k, d] * out[n, k, d])')
_operator(8, "log_softmax_backward", "softmax", (
    ("outer", "i64", None, '>= 0'),
    ("extent", "i64", None, 'of the axis, >= 0; must be given'),
    ("inner", "i64", None, '>= 0'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("dout", "tensor", "in", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, (), '[outer, extent, inner] element'),
    ("out", "tensor", "in", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, (), '[outer, extent, inner] element: the result of the forward operator'),
    ("dinput", "tensor", "out", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, ('dout', 'out'), '[outer, extent, inner] element; may be dout or out itself'),
), 'Log-softmax gradient, out being the log-softmax itself:\n    dinput[n, c, d] = dout[n, c, d] - exp(out[n, c, d]) * sum over k of dout[n, k, d]')
_operator(9, "concat", "concat", (
    ("outer", "i64", None, '>= 0'),
    ("inner", "i64", None, '>= 0'),
    ("lengths", "i64[]", 'count', 'host array of count lengths >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
), (
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[outer, lengths, inner] element'),
    ("output", "tensor", "out", "always", False, None, 'element', None, None, (), '[outer, sum(lengths), inner] element'),
    ("lengths_out", "tensor", "out", "optional", True, None, 'i64', None, None, (), '[count] i64: the lengths, written by the call itself before it returns (a replayed graph does not write them again)'),
), 'Concat:   output[p, o_i + a, n] = inputs[i][p, a, n],   o_i = lengths[0] + .. + lengths[i - 1]\n\nInputs may overlap each other, not the output.')
_operator(10, "split", "concat", (
    ("outer", "i64", None, '>= 0'),
    ("inner", "i64", None, '>= 0'),
    ("lengths", "i64[]", 'count', 'host array of count lengths >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
), (
    ("input", "tensor", "in", "always", False, None, 'element', None, None, (), '[outer, sum(lengths), inner] element'),
    ("outputs", "list", "out", "always", False, None, 'element', None, None, (), '[outer, lengths, inner] element'),
), 'Split:   outputs[i][p, a, n] = input[p, o_i + a, n],   o_i = lengths[0] + .. + lengths[i - 1]\n\nNo output may overlap another or the input.')
_operator(11, "gather_grad", "embedding", (
    ("outer", "i64", None, '>= 0'),
    ("extent", "i64", None, 'of the axis, >= 0; must be given'),
    ("inner", "i64", None, '>= 0'),
    ("num_indices", "i64", None, '>= 0, below 2^31; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16: type of dout and dinput'),
    ("index", "dtype", None, 'i32, i64'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'overwrite unless stated'),
    ("use_index_plan", "i32", None, '1: sorted_rows and order instead of indices; extent at most 2^31 - 1'),
), (
    ("dout", "tensor", "in", "always", False, ('outer', 'num_indices', 'inner'), 'element', None, None, (), '[outer, num_indices, inner] element'),
    ("indices", "tensor", "in", "depends", False, ('num_indices',), 'index', ('use_index_plan', 0), None, (), '[num_indices] index; only if !use_index_plan'),
    ("dinput", "tensor", "in/out", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, (), '[outer, extent, inner] element; read if write_mode == accumulate'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: out-of-range indices are added to it'),
    ("sorted_rows", "tensor", "in", "depends", False, ('num_indices',), 'i32', ('use_index_plan', 1), None, (), '[num_indices] i32; only if use_index_plan'),
    ("order", "tensor", "in", "depends", False, ('num_indices',), 'i32', ('use_index_plan', 1), None, (), '[num_indices] i32; only if use_index_plan'),
), "Gather gradient, the gradient of out = Gather(input, indices, axis) in input:\n    dinput[o, r, i] (=|+=) sum over n with row(indices[n]) == r of dout[o, n, i]\n    row(x) = x, or x + extent when x is negative\n\nArguments. outer is the product of the extents of input before the axis, extent that of the axis, inner the product of those after it, and\nnum_indices the product of the extents of indices. dout is [outer, indices..., inner].\n\nTypes. 16-bit types accumulate in f32 and are rounded once. The addends are taken in a fixed order that depends on the indices alone, or with\ndeterminism none as in embedding_backward.\n\nIn place. dout and dinput must not overlap.\n\nEdge cases:\n- An index outside [-extent, extent) is skipped and counted in error_flag, once, whatever outer is.\n- Rows that no index names are zero when overwriting and unchanged when accumulating.\n\nWorkspace and the most rows on a device are those of embedding_backward, with outer * inner for D. Only where outer is 1 can no workspace be needed.\n\nIndex plans. use_index_plan is as in embedding_backward, with extent for V. wrap_negative in the plan's descriptor lets negative indices count from\nthe end.")
_operator(12, "embedding_bag_forward", "embedding_bag", (
    ("num_embeddings", "i64", None, 'V >= 0; must be given'),
    ("embedding_dim", "i64", None, 'D >= 0; must be given'),
    ("num_indices", "i64", None, 'N >= 0, below 2^31; without offsets a multiple of B; must be given'),
    ("num_bags", "i64", None, 'B >= 0, below 2^31; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("index", "dtype", None, 'i32, i64: of indices and offsets'),
    ("mode", "i32", ('default', 'sum', 'mean', 'max'), 'mean unless stated'),
    ("has_offsets", "i32", None, '1: bags of any length'),
    ("include_last_offset", "i32", None, 'only with offsets'),
    ("has_per_sample_weights", "i32", None, 'only with sum'),
    ("has_padding_idx", "i32", None, '1: padding_idx holds'),
    ("padding_idx", "i64", None, 'in [-V, V); negative counts from the end'),
), (
    ("weight", "tensor", "in", "always", False, ('num_embeddings', 'embedding_dim'), 'element', None, None, (), '[num_embeddings, embedding_dim] element'),
    ("indices", "tensor", "in", "always", False, None, 'index', None, None, (), 'has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], index'),
    ("offsets", "tensor", "in", "depends", False, None, 'index', ('has_offsets', 1), None, (), '[num_bags + include_last_offset] index; only if has_offsets'),
    ("per_sample_weights", "tensor", "in", "depends", False, None, 'element', ('has_per_sample_weights', 1), None, (), 'has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], element; only if has_per_sample_weights'),
    ("out", "tensor", "out", "always", False, ('num_bags', 'embedding_dim'), 'element', None, None, (), '[num_bags, embedding_dim] element'),
    ("max_positions", "tensor", "out", "depends", False, ('num_bags', 'embedding_dim'), 'i32', None, None, (), '[num_bags, embedding_dim] i32; only if mode == max'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: bad offsets and indices are added to it'),
), 'EmbeddingBag forward, over the positions n of bag b that take part:\n    sum    out[b, :] = sum of per_sample_weights[n] * weight[indices[n], :], with weights of 1 when they are absent\n    mean   out[b, :] = sum of weight[indices[n], :] / number of such n\n    max    out[b, c] = max of weight[indices[n], c];  max_positions[b, c] = the first n that has it\n\nTypes. 16-bit types accumulate in f32 and are rounded once. max is exact. The order of additions depends on the shape alone.\n\nEdge cases:\n- A bag without positions that take part gives zeros, and -1 in max_positions.\n- Where there is a NaN, the first one is the maximum.')
_operator(13, "embedding_bag_backward", "embedding_bag", (
    ("num_embeddings", "i64", None, 'V >= 0; must be given'),
    ("embedding_dim", "i64", None, 'D >= 0; must be given'),
    ("num_indices", "i64", None, 'N >= 0, below 2^31; without offsets a multiple of B; must be given'),
    ("num_bags", "i64", None, 'B >= 0, below 2^31; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("index", "dtype", None, 'i32, i64: of indices and offsets'),
    ("mode", "i32", ('default', 'sum', 'mean', 'max'), 'mean unless stated'),
    ("has_offsets", "i32", None, '1: bags of any length'),
    ("include_last_offset", "i32", None, '1: offsets has the end of the last bag too; only with offsets'),
    ("has_per_sample_weights", "i32", None, '1: positions have weights; only with sum'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'overwrite unless stated'),
    ("scale_grad_by_freq", "i32", None, 'not with max'),
    ("has_padding_idx", "i32", None, '1: padding_idx holds'),
    ("padding_idx", "i64", None, 'in [-V, V); negative counts from the end'),
    ("use_index_plan", "i32", None, '1: sorted_rows and order instead of indices; V at most 2^31 - 1'),
), (
    ("dout", "tensor", "in", "always", False, ('num_bags', 'embedding_dim'), 'element', None, None, (), '[num_bags, embedding_dim] element'),
    ("indices", "tensor", "in", "depends", False, None, 'index', ('use_index_plan', 0), None, (), 'has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], index; only if !use_index_plan'),
    ("offsets", "tensor", "in", "depends", False, None, 'index', ('has_offsets', 1), None, (), '[num_bags + include_last_offset] index; only if has_offsets'),
    ("per_sample_weights", "tensor", "in", "depends", False, None, 'element', ('has_per_sample_weights', 1), None, (), 'has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], element; only if has_per_sample_weights'),
    ("max_positions", "tensor", "in", "depends", False, ('num_bags', 'embedding_dim'), 'i32', None, None, (), '[num_bags, embedding_dim] i32; only if mode == max: from the forward direction'),
    ("dweight", "tensor", "in/out", "always", False, ('num_embeddings', 'embedding_dim'), 'element', None, None, (), '[num_embeddings, embedding_dim] element; read if write_mode == accumulate'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: bad offsets and indices are added to it'),
    ("sorted_rows", "tensor", "in", "depends", False, ('num_indices',), 'i32', ('use_index_plan', 1), None, (), '[num_indices] i32; only if use_index_plan'),
    ("order", "tensor", "in", "depends", False, ('num_indices',), 'i32', ('use_index_plan', 1), None, (), '[num_indices] i32; only if use_index_plan'),
), 'EmbeddingBag backward to the weight, over the positions n that take part with indices[n] == r, bag(n) being the bag of n:\n    sum    dweight[r, :] (=|+=) s_r * sum of per_sample_weights[n] * dout[bag(n), :]\n    mean   dweight[r, :] (=|+=) s_r * sum of dout[bag(n), :] / number of positions of bag(n) that take part\n    max    dweight[r, c] (=|+=) sum of dout[bag(n), c] over those n that are max_positions[bag(n), c]\n    s_r = 1, or 1 / (number of such n) with scale_grad_by_freq, which max does not have\n\nTypes. Accumulation and order are those of embedding_backward. max_positions are compared, never used as addresses.\n\nIn place. dweight must not overlap an input.\n\nEdge cases:\n- Rows of padding_idx get no gradient: they are zero when overwriting and unchanged when accumulating.\n\nWorkspace on a device: 4 N bytes with offsets, and B accumulators for the mean. Where embedding_backward sorts: what it takes, 4 N bytes more, and N\naccumulators for the mean and with per_sample_weights.\n\nWithout determinism. Determinism none is as in embedding_backward. max adds once for every bag and column, so its kernel serves up to 65536 bags\nwith any number of indices.\n\nIndex plans. use_index_plan is as in embedding_backward. offsets, per_sample_weights and max_positions are given all the same, and error_flag counts\nbad offsets alone. The plan knows no bags:\n- s_r counts all positions of row r in the plan, also those in no bag.\n- Where bad offsets let bags overlap, the mean counts a position for the last of them only.')
_operator(14, "embedding_bag_per_sample_weights_backward", "embedding_bag", (
    ("num_embeddings", "i64", None, 'V >= 0; must be given'),
    ("embedding_dim", "i64", None, 'D >= 0; must be given'),
    ("num_indices", "i64", None, 'N >= 0, below 2^31; without offsets a multiple of B; must be given'),
    ("num_bags", "i64", None, 'B >= 0, below 2^31; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("index", "dtype", None, 'i32, i64: of indices and offsets'),
    ("has_offsets", "i32", None, '1: bags of any length'),
    ("include_last_offset", "i32", None, '1: offsets has the end of the last bag too; only with offsets'),
    ("has_padding_idx", "i32", None, '1: padding_idx holds'),
    ("padding_idx", "i64", None, 'in [-V, V); negative counts from the end'),
), (
    ("dout", "tensor", "in", "always", False, ('num_bags', 'embedding_dim'), 'element', None, None, (), '[num_bags, embedding_dim] element'),
    ("weight", "tensor", "in", "always", False, ('num_embeddings', 'embedding_dim'), 'element', None, None, (), '[num_embeddings, embedding_dim] element'),
    ("indices", "tensor", "in", "always", False, None, 'index', None, None, (), 'has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], index'),
    ("offsets", "tensor", "in", "depends", False, None, 'index', ('has_offsets', 1), None, (), '[num_bags + include_last_offset] index; only if has_offsets'),
    ("dper_sample_weights", "tensor", "out", "always", False, None, 'element', None, None, (), 'has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], element'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: bad offsets and indices are added to it'),
), "Gradient of sum's per_sample_weights:   dper_sample_weights[n] = dot(dout[bag(n), :], weight[indices[n], :])\n\nTypes. 16-bit types accumulate in f32 and are rounded once. The order of additions depends on the shape alone.\n\nEdge cases:\n- A position that does not take part, or is in no bag, gets 0.")
_operator(15, "index_plan", "embedding", (
    ("num_embeddings", "i64", None, 'V >= 0, below 2^31: rows that positions may name; must be given'),
    ("num_indices", "i64", None, 'N >= 0, below 2^31: positions; must be given'),
    ("index", "dtype", None, 'i32, i64'),
    ("wrap_negative", "i32", None, 'of rows, 1: negative indices count from the end; 0: they are out of range'),
    ("has_padding_idx", "i32", None, 'of rows, 1: padding_idx holds'),
    ("positions", "i32", ('rows', 'slices', 'elements'), 'rows unless stated'),
    ("padding_idx", "i64", None, 'in [-V, V); negative counts from the end'),
    ("input_shape", "shape", None, "of slices and elements: the gradient's"),
    ("indices_shape", "shape", None, 'of slices and elements'),
    ("batch_dims", "i64", None, "of slices: as gather_nd_grad's"),
    ("axis", "i64", None, "of elements: as gather_elements_grad's"),
), (
    ("indices", "tensor", "in", "always", False, ('num_indices',), 'index', None, None, (), 'positions != rows ? indices_shape : [num_indices], index'),
    ("sorted_rows", "tensor", "out", "always", False, ('num_indices',), 'i32', None, None, (), '[num_indices] i32'),
    ("order", "tensor", "out", "always", False, ('num_indices',), 'i32', None, None, (), '[num_indices] i32'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: out-of-range indices are added to it'),
), 'Index plan: the positions of indices, stably sorted by the rows that the indices name.\n    sorted_rows[i]   the row of the i-th position in that order, ascending; V for positions that take no part, which come last\n    order[i]         the position itself; ascending among those of one row, and among those that take no part\n\nArguments. `positions` says what a row is:\n- Rows: index x names row x, or x + V when it is negative and wrap_negative is set. A position takes no part when its index is then outside\n  [0, V), which is counted in error_flag, or is padding_idx.\n- Slices and elements: the rows are those that gather_nd_grad and gather_elements_grad (ops/index.h) add to, of the same input_shape and\n  indices_shape: slices of dinput, or single elements of it. Negative indices count from the end. A position with an index outside its axis takes\n  no part and is counted.\n\nUse. Gradients that sum by row take the results in place of indices and sort nothing: use_index_plan of embedding_backward,\nembedding_bag_backward, gather_grad, gather_nd_grad, gather_elements_grad and index_add. One plan serves any number of them with the same V and N,\nof any element type and width: the tables and layers that look up the same indices, and every step for which these stay as they are. Embeddings\nwith padding_idx take a plan with the same padding_idx; gather_grad and index_add take one with wrap_negative.\n\nResults. order is a permutation of 0 ... N - 1. Both results follow from the indices alone: exactly, on every backend.\n\nIn place. Neither result may overlap the other one or indices.\n\nEdge cases:\n- With N = 0 nothing is launched.\n\nWorkspace on a device: none up to 4096 indices; else 8 N bytes and at most 512 KB; for slices and elements 8 N bytes more.')
_operator(16, "activation_backward", "activation", (
    ("outer", "i64", None, '>= 0'),
    ("inner", "i64", None, '>= 0; -1: not given, refused'),
    ("leaky_slope", "f64", None, "of leaky_relu; finite in the arithmetic's type"),
    ("quick_gelu_alpha", "f64", None, 'of quick_gelu; likewise'),
    ("elu_alpha", "f64", None, 'of elu; likewise'),
    ("function", "i32", ('none', 'relu', 'leaky_relu', 'gelu', 'gelu_tanh', 'quick_gelu', 'sigmoid', 'tanh', 'silu', 'elu', 'softplus', 'mish', 'hard_swish', 'relu_squared'), ''),
    ("saved", "i32", ('default', 'input', 'output'), ''),
    ("has_bias", "i32", None, '1: bias is added to saved, which is the input'),
    ("has_dbias", "i32", None, '1: dbias is written'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'of dbias; only with has_dbias'),
), (
    ("dout", "tensor", "in", "always", False, ('outer', 'inner'), 'element', None, None, (), '[outer, inner] element'),
    ("saved", "tensor", "in", "always", False, ('outer', 'inner'), 'element', None, None, (), '[outer, inner] element: the input or the output of the forward operator'),
    ("bias", "tensor", "in", "depends", False, ('inner',), 'element', ('has_bias', 1), None, (), '[inner] element; only if has_bias'),
    ("dinput", "tensor", "out", "always", False, ('outer', 'inner'), 'element', None, None, ('dout', 'saved'), '[outer, inner] element; may be dout or saved itself'),
    ("dbias", "tensor", "in/out", "depends", False, ('inner',), 'element', ('has_dbias', 1), None, (), '[inner] element; only if has_dbias; read if write_mode == accumulate'),
), "Gradient of an activation function:\n    dinput = dout * f'(z),  z = saved + bias as in the forward operator, or f'(z) taken from the saved f(z)\n    dbias[i] (=|+=) sum over the rows of dinput[row, i]\ndbias is the gradient of bias, and may be asked for without a bias. It adds unrounded elements in f32 (f64 for f64), in an order that follows from\nthe shape and the element type, and is rounded once.")
_operator(17, "activation_forward", "activation", (
    ("outer", "i64", None, '>= 0'),
    ("inner", "i64", None, '>= 0; -1: not given, refused'),
    ("leaky_slope", "f64", None, "of leaky_relu; finite in the arithmetic's type"),
    ("quick_gelu_alpha", "f64", None, 'of quick_gelu; likewise'),
    ("elu_alpha", "f64", None, 'of elu; likewise'),
    ("function", "i32", ('none', 'relu', 'leaky_relu', 'gelu', 'gelu_tanh', 'quick_gelu', 'sigmoid', 'tanh', 'silu', 'elu', 'softplus', 'mish', 'hard_swish', 'relu_squared'), ''),
    ("has_bias", "i32", None, '1: bias is added to input'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("input", "tensor", "in", "always", False, ('outer', 'inner'), 'element', None, None, (), '[outer, inner] element'),
    ("bias", "tensor", "in", "depends", False, ('inner',), 'element', ('has_bias', 1), None, (), '[inner] element; only if has_bias'),
    ("out", "tensor", "out", "always", False, ('outer', 'inner'), 'element', None, None, ('input',), '[outer, inner] element; may be input itself'),
), 'Activation function: out = f(z), z = input + bias, a sum that is rounded to f32 (f64 for f64).')
_operator(18, "gated_activation_backward", "activation", (
    ("outer", "i64", None, '>= 0'),
    ("inner", "i64", None, '>= 0; -1: not given, refused'),
    ("function", "i32", ('none', 'swiglu', 'geglu', 'geglu_tanh', 'reglu'), ''),
    ("layout", "i32", ('default', 'halves', 'interleaved'), ''),
    ("gate_second", "i32", None, '1: gate and linear change places'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("dout", "tensor", "in", "always", False, ('outer', 'inner'), 'element', None, None, (), '[outer, inner] element'),
    ("input", "tensor", "in", "always", False, ('outer', (2, 'inner')), 'element', None, None, (), '[outer, 2 * inner] element: what the forward operator got'),
    ("dinput", "tensor", "out", "always", False, ('outer', (2, 'inner')), 'element', None, None, ('input',), '[outer, 2 * inner] element; may be input itself'),
), "Gradient of a gated activation, laid out like its input:\n    dgate = dout * linear * f'(gate),  dlinear = dout * f(gate)\nThe terms of dgate are those of f' times |dout * linear|, those of dlinear the terms of f times |dout|.")
_operator(19, "gated_activation_forward", "activation", (
    ("outer", "i64", None, '>= 0'),
    ("inner", "i64", None, '>= 0; -1: not given, refused'),
    ("function", "i32", ('none', 'swiglu', 'geglu', 'geglu_tanh', 'reglu'), ''),
    ("layout", "i32", ('default', 'halves', 'interleaved'), ''),
    ("gate_second", "i32", None, '1: gate and linear change places'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("input", "tensor", "in", "always", False, ('outer', (2, 'inner')), 'element', None, None, (), '[outer, 2 * inner] element'),
    ("out", "tensor", "out", "always", False, ('outer', 'inner'), 'element', None, None, (), '[outer, inner] element'),
), 'Gated activation: out[n, i] = f(gate[n, i]) * linear[n, i]. The terms of an output are those of f times |linear|.')
_operator(20, "div_backward", "elementwise", (
    ("a_shape", "shape", None, 'of a and da; broadcast to that of dout'),
    ("b_shape", "shape", None, 'of b and db; broadcast to that of dout'),
    ("skip_da", "i32", None, '1: da is not wanted'),
    ("skip_db", "i32", None, '1: db is not wanted, and a is not read; not together with skip_da'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("dout", "tensor", "in", "always", False, None, 'element', None, None, (), 'broadcast(a_shape, b_shape) element'),
    ("a", "tensor", "in", "depends", False, (('*', 'a_shape'),), 'element', ('skip_db', 0), None, (), 'a_shape element; only if !skip_db'),
    ("b", "tensor", "in", "always", False, (('*', 'b_shape'),), 'element', None, None, (), 'b_shape element'),
    ("da", "tensor", "out", "depends", False, (('*', 'a_shape'),), 'element', ('skip_da', 0), None, (), 'a_shape element; only if !skip_da'),
    ("db", "tensor", "out", "depends", False, (('*', 'b_shape'),), 'element', ('skip_db', 0), None, (), 'b_shape element; only if !skip_db'),
), "Gradients of a / b, where both are broadcast to one shape by numpy's rules (aligned at the last dimension; a dimension of one element and a missing\none repeat):\n    da = sum of dout / b               over the dimensions along which a repeats\n    db = sum of -(dout / b) * (a / b)  over the dimensions along which b repeats\n\nTypes. Quotients are formed in f32 (f64 for f64), and sums are rounded once, at the end. The order of additions depends on the shapes and the element\ntype alone. Nothing of the broadcast shape is stored.\n\nEdge cases:\n- A division by 0 follows IEEE arithmetic.\n- Where no element is summed, a gradient is 0.\n\nTerms (see adj_guarantee) of an element: its addends.")
_operator(21, "gist_encode", "gist", (
    ("outer", "i64", None, '>= 0; rows matter to msfp15, which pads each to eights with zeros'),
    ("inner", "i64", None, '>= 0; -1: not given, refused'),
    ("format", "i32", ('none', 'binarize', 'pack1', 'pack8', 'pack8_saturated', 'pack8_reference', 'pack16', 'pack16_bf16', 'msfp15'), ''),
    ("element", "dtype", None, 'f32, f64, f16, bf16, bool, as the format allows'),
), (
    ("input", "tensor", "in", "always", False, ('outer', 'inner'), 'element', None, None, (), '[outer, inner] element'),
    ("packed", "tensor", "out", "always", False, None, None, None, None, (), 'format == pack1 ? [ceil_div(outer * inner, 8)] : format == msfp15 ? [outer, ceil_div(inner, 8) * 8] : [outer, inner], format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8'),
), 'packed = what the format makes of input.')
_operator(22, "gist_decode", "gist", (
    ("outer", "i64", None, '>= 0'),
    ("inner", "i64", None, '>= 0; -1: not given, refused'),
    ("format", "i32", ('none', 'binarize', 'pack1', 'pack8', 'pack8_saturated', 'pack8_reference', 'pack16', 'pack16_bf16', 'msfp15'), ''),
    ("element", "dtype", None, 'f32, f64, f16, bf16, bool, as the format allows'),
), (
    ("packed", "tensor", "in", "always", False, None, None, None, None, (), 'format == pack1 ? [ceil_div(outer * inner, 8)] : format == msfp15 ? [outer, ceil_div(inner, 8) * 8] : [outer, inner], format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8: as the encoder writes it'),
    ("out", "tensor", "out", "always", False, ('outer', 'inner'), 'element', None, None, (), '[outer, inner] element'),
), 'out = what packed stands for, rounded once to nearest even where the element cannot hold it:\n    binarize, pack1    1 or 0\n    pack8_reference    what ONNX Runtime reads; +0 for codes that it never writes\n    msfp15             sign * bits * 2^(exponent - 132); an infinity where the exponent is 255, +0 where the bits are 0\n    others             the number itself; a NaN keeps its sign and has the highest bit of its fraction set, no other, except that pack8\n                       decoded to f16 keeps its bits')
_operator(23, "fake_quantize_forward", "quantize", (
    ("outer", "i64", None, '>= 0'),
    ("channels", "i64", None, '>= 0'),
    ("inner", "i64", None, '>= 0; -1: not given, refused'),
    ("quant_min", "i64", None, 'below quant_max; both within 2^24'),
    ("quant_max", "i64", None, 'above quant_min'),
    ("per_channel", "i32", None, '1: scales and zero_points have one number a channel'),
    ("nan_to_min", "i32", None, '1: a NaN counts as quant_min, as in ONNX Runtime'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("input", "tensor", "in", "always", False, ('outer', 'channels', 'inner'), 'element', None, None, (), '[outer, channels, inner] element'),
    ("scale", "scalar", "in", "depends", False, None, None, ('per_channel', 0), 0.0, (), 'f32 or f64 on the device; only if !per_channel: > 0'),
    ("zero_point", "scalar", "in", "depends", False, None, None, ('per_channel', 0), 0.0, (), 'f32 or f64 on the device; only if !per_channel: quant_min to quant_max'),
    ("scales", "tensor", "in", "depends", False, ('channels',), 'f32/f64', ('per_channel', 1), None, (), '[channels] accumulator(element); only if per_channel'),
    ("zero_points", "tensor", "in", "depends", False, ('channels',), 'f32/f64', ('per_channel', 1), None, (), '[channels] accumulator(element); only if per_channel'),
    ("out", "tensor", "out", "always", False, ('outer', 'channels', 'inner'), 'element', None, None, ('input',), '[outer, channels, inner] element; may be input itself'),
    ("mask", "tensor", "out", "optional", False, ('outer', 'channels', 'inner'), 'bool', None, None, (), '[outer, channels, inner] bool'),
), "Tensors are [outer, channels, inner] in row-major order. Without per_channel only their product matters. With s and z, the scale and the zero point\nof the tensor or of an element's channel:\n    q = rint(input / s) + z, half to even\n    out = (min(max(q, quant_min), quant_max) - z) * s,  mask = quant_min <= q <= quant_max\n\nTypes. All of it is computed in f32 (f64 for f64) and rounded once, at the end. Scales and zero points are used as they are: the zero point is not\nrounded.\n\nEdge cases:\n- A NaN gives NaN and a mask of 0.\n- A scale on the device that is 0 or not finite gives what IEEE arithmetic gives.")
_operator(24, "fake_quantize_backward", "quantize", (
    ("numel", "i64", None, '>= 0; -1: not given, refused'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("dout", "tensor", "in", "always", False, ('numel',), 'element', None, None, (), '[numel] element'),
    ("mask", "tensor", "in", "always", False, ('numel',), 'bool', None, None, (), '[numel] bool'),
    ("dinput", "tensor", "out", "always", False, ('numel',), 'element', None, None, ('dout',), '[numel] element; may be dout itself'),
), 'Gradient of fake quantization that passes straight through: dinput = mask ? dout : 0.')
_operator(25, "dropout_forward", "dropout", (
    ("numel", "i64", None, 'elements, >= 0; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("mask", "i32", ('default', 'bool', 'bits', 'none'), 'how the mask is stored'),
    ("training", "i32", None, '0: the identity'),
    ("advance_offset", "i32", None, '1: the offset on the device is advanced; only with training'),
    ("mapping", "i32", ('default', 'onnx_runtime'), 'of random numbers to elements'),
    ("multiprocessors", "i32", None, '>= 1 with the mapping of ONNX Runtime, else 0'),
    ("threads_per_multiprocessor", "i32", None, '>= 256 with the mapping of ONNX Runtime, else 0'),
), (
    ("input", "tensor", "in", "always", False, ('numel',), 'element', None, None, (), '[numel] element'),
    ("ratio", "scalar", "in", "depends", False, None, None, None, -1.0, (), 'f32 or f64 on the device; optional if !training: in [0, 1]; must be given in training'),
    ("random", "random", "in/out", "depends", False, None, None, None, None, (), 'optional if !training; on the device if advance_offset; written if advance_offset: seed and offset, must be given in training'),
    ("out", "tensor", "out", "always", False, ('numel',), 'element', None, None, ('input',), '[numel] element; may be input itself'),
    ("mask", "tensor", "out", "depends", False, None, None, None, None, (), 'mask == bits ? [ceil_div(numel, 32)] : [numel], mask == bits ? u32 : bool; only if mask != none'),
    ("words", "tensor", "out", "optional", True, (1,), 'i64', None, None, (), '[1] i64: words consumed'),
), 'Dropout:\n    training:  out[e] = kept(e) ? input[e] / (1 - ratio) : 0\n    otherwise: out[e] = input[e], masks of ones, no words consumed; ratio and random are not read')
_operator(26, "dropout_backward", "dropout", (
    ("numel", "i64", None, 'elements, >= 0; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("mask", "i32", ('default', 'bool', 'bits', 'none'), 'how the mask is stored'),
    ("training", "i32", None, '0: the gradient of the identity'),
    ("mapping", "i32", ('default', 'onnx_runtime'), 'of random numbers to elements; only where the mask is drawn again'),
    ("multiprocessors", "i32", None, '>= 1 with the mapping of ONNX Runtime, else 0'),
    ("threads_per_multiprocessor", "i32", None, '>= 256 with the mapping of ONNX Runtime, else 0'),
), (
    ("dout", "tensor", "in", "always", False, ('numel',), 'element', None, None, (), '[numel] element'),
    ("mask", "tensor", "in", "depends", False, None, None, None, None, (), 'mask == bits ? [ceil_div(numel, 32)] : [numel], mask == bits ? u32 : bool; only if mask != none; optional if !training'),
    ("ratio", "scalar", "in", "depends", False, None, None, None, -1.0, (), 'f32 or f64 on the device; optional if !training: in [0, 1]; must be given in training'),
    ("random", "random", "in", "depends", False, None, None, None, None, (), 'only if mask == none; optional if !training: that of the forward call'),
    ("dinput", "tensor", "out", "always", False, ('numel',), 'element', None, None, ('dout',), '[numel] element; may be dout itself'),
), 'Dropout, gradient:\n    training:  dinput[e] = kept(e) ? dout[e] / (1 - ratio) : 0; at a ratio of 0 dout[e], and the mask is not read\n    otherwise: dinput[e] = dout[e]; ratio, random and mask are not read\nkept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.')
_operator(27, "bias_softmax_dropout_forward", "dropout", (
    ("rows", "i64", None, '>= 0; must be given'),
    ("columns", "i64", None, '>= 0; must be given'),
    ("bias_rows", "i64", None, 'divides rows; 0: no bias'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("mask", "i32", ('default', 'bool', 'bits', 'none'), 'how the mask is stored'),
    ("inner_broadcast", "i32", None, '1: consecutive rows share a row of the bias'),
    ("zero_masked_rows", "i32", None, '1: rows of -infinity become zeros'),
    ("advance_offset", "i32", None, '1: the offset on the device is advanced'),
    ("mapping", "i32", ('default', 'onnx_runtime'), 'of random numbers to elements'),
    ("multiprocessors", "i32", None, 'with the mapping of ONNX Runtime: >= 1 for more than 2048 columns, may be 0 for fewer'),
    ("threads_per_multiprocessor", "i32", None, 'with the mapping of ONNX Runtime: >= 256 for more than 2048 columns, may be 0 for fewer'),
    ("unaligned", "i32", None, '1: with the mapping of ONNX Runtime, a buffer there was not aligned to 4 elements'),
), (
    ("input", "tensor", "in", "always", False, ('rows', 'columns'), 'element', None, None, (), '[rows, columns] element'),
    ("bias", "tensor", "in", "depends", False, ('bias_rows', 'columns'), 'element', None, None, (), '[bias_rows, columns] element; only if bias_rows > 0'),
    ("ratio", "scalar", "in", "always", False, None, None, None, -1.0, (), 'f32 or f64 on the device: in [0, 1]; must be given'),
    ("random", "random", "in/out", "always", False, None, None, None, None, (), 'on the device if advance_offset; written if advance_offset: seed and offset, must be given'),
    ("out", "tensor", "out", "always", False, ('rows', 'columns'), 'element', None, None, ('input',), '[rows, columns] element; may be input itself'),
    ("mask", "tensor", "out", "depends", False, None, None, None, None, (), 'mask == bits ? [ceil_div(rows * columns, 32)] : [rows, columns], mask == bits ? u32 : bool; only if mask != none'),
    ("softmax_out", "tensor", "out", "optional", False, ('rows', 'columns'), 'element', None, None, ('input',), '[rows, columns] element; may be input itself: p, for the gradient'),
    ("words", "tensor", "out", "optional", True, (1,), 'i64', None, None, (), '[1] i64: words consumed'),
), 'Softmax of rows with a bias, then dropout, always in training mode:\n    p[r, :] = softmax(input[r, :] + bias[b(r), :])\n    softmax_out = p,   out[r, c] = kept(r * columns + c) ? p[r, c] / (1 - ratio) : 0\n    b(r) = r / (rows / bias_rows) with inner_broadcast, else r mod bias_rows; no bias with bias_rows = 0\nSums and dropout take unrounded numbers.\n\nEdge cases:\n- A row whose scores are all -infinity is NaN, or zeros with zero_masked_rows.\n- A NaN or an infinity affects its own row only.')
_operator(28, "softmax_dropout_backward", "dropout", (
    ("rows", "i64", None, '>= 0; must be given'),
    ("columns", "i64", None, '>= 0; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("mask", "i32", ('default', 'bool', 'bits', 'none'), 'how the mask is stored'),
    ("mapping", "i32", ('default', 'onnx_runtime'), 'of random numbers to elements; only where the mask is drawn again'),
    ("multiprocessors", "i32", None, 'with the mapping of ONNX Runtime: >= 1 for more than 2048 columns, may be 0 for fewer'),
    ("threads_per_multiprocessor", "i32", None, 'with the mapping of ONNX Runtime: >= 256 for more than 2048 columns, may be 0 for fewer'),
    ("unaligned", "i32", None, 'as in the forward call'),
), (
    ("dout", "tensor", "in", "always", False, ('rows', 'columns'), 'element', None, None, (), '[rows, columns] element'),
    ("mask", "tensor", "in", "depends", False, None, None, None, None, (), 'mask == bits ? [ceil_div(rows * columns, 32)] : [rows, columns], mask == bits ? u32 : bool; only if mask != none'),
    ("softmax_out", "tensor", "in", "always", False, ('rows', 'columns'), 'element', None, None, (), '[rows, columns] element: the softmax before dropout'),
    ("ratio", "scalar", "in", "always", False, None, None, None, -1.0, (), 'f32 or f64 on the device: in [0, 1]; must be given'),
    ("random", "random", "in", "depends", False, None, None, None, None, (), 'only if mask == none: that of the forward call'),
    ("dinput", "tensor", "out", "always", False, ('rows', 'columns'), 'element', None, None, ('dout', 'softmax_out'), '[rows, columns] element; may be dout or softmax_out itself'),
), 'Softmax and dropout, gradient with respect to the input (that of the bias is its sum over the rows that share one):\n    a[r, c] = kept(r * columns + c) ? dout[r, c] / (1 - ratio) : 0\n    dinput[r, c] = softmax_out[r, c] * (a[r, c] - sum over k of a[r, k] * softmax_out[r, k])\nkept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.')
_operator(29, "softmax_forward", "softmax", (
    ("outer", "i64", None, '>= 0'),
    ("extent", "i64", None, 'of the axis, >= 0; must be given'),
    ("inner", "i64", None, '>= 0'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("input", "tensor", "in", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, (), '[outer, extent, inner] element'),
    ("out", "tensor", "out", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, ('input',), '[outer, extent, inner] element; may be input itself'),
), 'Softmax: out[n, c, d] = exp(input[n, c, d] - m) / sum over k of exp(input[n, k, d] - m), m the largest of the group.')
_operator(30, "log_softmax_forward", "softmax", (
    ("outer", "i64", None, '>= 0'),
    ("extent", "i64", None, 'of the axis, >= 0; must be given'),
    ("inner", "i64", None, '>= 0'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("input", "tensor", "in", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, (), '[outer, extent, inner] element'),
    ("out", "tensor", "out", "always", False, ('outer', 'extent', 'inner'), 'element', None, None, ('input',), '[outer, extent, inner] element; may be input itself'),
), 'Log-softmax: out[n, c, d] = input[n, c, d] - m - log(sum over k of exp(input[n, k, d] - m)), m the largest of the group.')
_operator(31, "soft_label_cross_entropy_loss", "loss", (
    ("rows", "i64", None, '>= 0; must be given'),
    ("num_classes", "i64", None, 'C >= 0; must be given'),
    ("element", "dtype", None, 'of scores, labels and log_prob: f32, f64, f16, bf16'),
    ("output", "dtype", 'element', 'of loss: element, or f32 for 16-bit scores; 0 = element'),
    ("reduction", "i32", ('default', 'none', 'sum', 'mean'), 'mean unless stated'),
    ("nan_when_empty", "i32", None, '1: a mean over no rows is NaN; refused unless reduction is mean'),
), (
    ("scores", "tensor", "in", "always", False, ('rows', 'num_classes'), 'element', None, None, (), '[rows, num_classes] element'),
    ("labels", "tensor", "in", "always", False, ('rows', 'num_classes'), 'element', None, None, (), '[rows, num_classes] element'),
    ("loss", "tensor", "out", "always", False, None, 'output', None, None, (), 'reduction == none ? [rows] : [1], output'),
    ("log_prob", "tensor", "out", "optional", False, ('rows', 'num_classes'), 'element', None, None, ('scores',), '[rows, num_classes] element; may be scores itself'),
    ("lse", "tensor", "out", "optional", False, ('rows',), 'f32/f64', None, None, (), '[rows] accumulator(element): logsumexp, for the gradient'),
), 'Softmax cross-entropy with probabilities as labels, rows of scores and labels side by side:\n    log_prob[r, c] = scores[r, c] - logsumexp over c of scores[r, :]\n    none: loss_r = -sum over c of labels[r, c] * log_prob[r, c]      sum: their sum\n    mean: their sum / rows; 0 without rows (NaN with nan_when_empty)\nA label of 0 contributes 0, whatever its log-probability: a row of scores with a NaN has a loss of 0 where all its labels are 0.\nTerms of a loss: the sum over c of |labels[r, c]| (|x_c - m| + L + q).')
_operator(32, "soft_label_cross_entropy_loss_backward", "loss", (
    ("rows", "i64", None, '>= 0; must be given'),
    ("num_classes", "i64", None, 'C >= 0; must be given'),
    ("element", "dtype", None, 'of all tensors but lse: f32, f64, f16, bf16'),
    ("reduction", "i32", ('default', 'none', 'sum', 'mean'), 'mean unless stated'),
    ("from_scores", "i32", None, '0: from log_prob; 1: from scores and lse'),
    ("exact", "i32", None, '1: labels need not add up to 1'),
), (
    ("dloss", "tensor", "in", "always", False, None, 'element', None, None, (), 'reduction == none ? [rows] : [1], element'),
    ("log_prob", "tensor", "in", "depends", False, ('rows', 'num_classes'), 'element', ('from_scores', 0), None, (), '[rows, num_classes] element; only if !from_scores'),
    ("scores", "tensor", "in", "depends", False, ('rows', 'num_classes'), 'element', ('from_scores', 1), None, (), '[rows, num_classes] element; only if from_scores'),
    ("lse", "tensor", "in", "depends", False, ('rows',), 'f32/f64', ('from_scores', 1), None, (), '[rows] accumulator(element); only if from_scores'),
    ("labels", "tensor", "in", "always", False, ('rows', 'num_classes'), 'element', None, None, (), '[rows, num_classes] element'),
    ("dscores", "tensor", "out", "always", False, ('rows', 'num_classes'), 'element', None, None, ('log_prob', 'scores', 'labels'), '[rows, num_classes] element; may be log_prob, scores or labels itself'),
), 'Softmax cross-entropy with probabilities as labels, gradient:\n    dscores[r, c] = g_r * (exp(log_prob[r, c]) - labels[r, c]) / z\n    with exact: dscores[r, c] = g_r * (exp(log_prob[r, c]) * sum of labels[r, :] - labels[r, c]) / z\n    g = dloss: a scalar for mean and sum, one per row for none;  z = rows for mean, else 1\nWithout exact, that is the derivative when the labels of a row add up to 1; with exact, for any labels.\n\nArguments. The probabilities come from log_prob, or from scores and the lse that the forward operator saved.\n\nTerms: |g_r / z| (p_c (1 + |x_c| + |lse|) S + |labels[r, c]|). S is the sum of |labels[r, :]| with exact, else 1. Without from_scores x_c is\nlog_prob and lse is 0.')
_operator(33, "cross_entropy_with_gradient", "loss", (
    ("samples", "i64", None, 'M >= 0; must be given'),
    ("num_classes", "i64", None, 'C >= 0; must be given'),
    ("padded_classes", "i64", None, 'P >= C, the classes and their padding; 0 = C'),
    ("element", "dtype", None, 'of scores and dscores: f32, f64, f16, bf16'),
    ("label", "dtype", None, 'i32, i64'),
    ("weight", "dtype", None, 'of the class weights: f32, f64, f16, bf16; 0 = no weights'),
    ("reduction", "i32", ('default', 'none', 'sum', 'mean'), 'mean unless stated'),
    ("ignore_index", "i64", None, 'the label of samples that do not count'),
    ("has_ignore_index", "i32", None, '1: ignore_index holds'),
    ("label_smoothing", "f64", None, 'in [0, 1]'),
    ("z_loss", "f64", None, '>= 0'),
), (
    ("scores", "tensor", "in", "always", False, ('samples', 'num_classes'), 'element', None, None, (), '[samples, (padded_classes ? padded_classes : num_classes)], element'),
    ("labels", "tensor", "in", "always", False, ('samples',), 'label', None, None, (), '[samples] label'),
    ("weight", "tensor", "in", "depends", False, ('num_classes',), 'weight', None, None, (), '[num_classes] weight; only if weight'),
    ("dloss", "scalar", "in", "always", False, None, None, None, 1.0, (), 'f32 or f64 on the device'),
    ("loss", "tensor", "out", "always", False, None, 'f32/f64', None, None, (), 'reduction == none ? [samples] : [1], accumulator(element)'),
    ("lse", "tensor", "out", "optional", False, ('samples',), 'f32/f64', None, None, (), '[samples] accumulator(element): logsumexp'),
    ("dscores", "tensor", "out", "always", False, ('samples', 'num_classes'), 'element', None, None, ('scores',), '[samples, (padded_classes ? padded_classes : num_classes)], element; may be scores itself'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: out-of-range labels are added to it'),
), "Softmax cross-entropy loss and its gradient in one call, from rows of scores:\n    p[i, c] = exp(scores[i, c] - lse_i),   s = label_smoothing,   k = z_loss\n    loss_i = (1 - s) * w_i * (lse_i - scores[i, l_i]) + s / C * sum over c of weight[c] * (lse_i - scores[i, c]) + k * lse_i^2\n    none: loss[i] = loss_i      sum: their sum      mean: the first two terms over Z, the last one over the number of samples\n    w_i = weight[l_i], or 1;  Z = sum of w_i\n    dscores = dloss * the derivative of loss, for none of the sum of all losses\nThe smoothing is PyTorch's label smoothing.\n\nTypes. loss and lse are f32 (f64 for f64) whatever the element type.\n\nEdge cases:\n- An ignored sample has w_i = 0 and all terms 0. It counts neither in Z nor among the samples, and its row of dscores is exactly 0.\n- A mean over nothing is 0.\n- Where Z is 0 and there are samples, the z-loss of a mean remains.\n\nTerms, with v_c = s / C * weight[c] / Z and w = (1 - s) w_i / Z (Z = 1 for none and sum; K = 1, for mean the number of samples):\n    loss: w (|x_l - m| + L + q) + sum over c of v_c (|x_c| + |m| + L + q) + k (|m| + L + q)^2 / K\n    dscores, f = w + sum of v + 2 k (|m| + L + q) / K: |dloss| (f p_c (2 + |x_c - m| + L + q) + v_c), for the label |dloss| (f + v_l)")
_operator(34, "log_prob_entropy", "loss", (
    ("samples", "i64", None, 'M >= 0; must be given'),
    ("num_classes", "i64", None, 'C >= 0; must be given'),
    ("element", "dtype", None, 'of scores: f32, f64, f16, bf16'),
    ("label", "dtype", None, 'i32, i64'),
    ("ignore_index", "i64", None, 'the label of samples that do not count'),
    ("has_ignore_index", "i32", None, '1: ignore_index holds'),
), (
    ("scores", "tensor", "in", "always", False, ('samples', 'num_classes'), 'element', None, None, (), '[samples, num_classes] element'),
    ("labels", "tensor", "in", "always", False, ('samples',), 'label', None, None, (), '[samples] label'),
    ("log_prob", "tensor", "out", "always", False, ('samples',), 'f32/f64', None, None, (), '[samples] accumulator(element)'),
    ("entropy", "tensor", "out", "optional", False, ('samples',), 'f32/f64', None, None, (), '[samples] accumulator(element)'),
    ("lse", "tensor", "out", "optional", False, ('samples',), 'f32/f64', None, None, (), '[samples] accumulator(element): for the gradient'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: out-of-range labels are added to it'),
), 'Log-probability of a label and entropy of the distribution, from rows of scores in one read, without storing probabilities:\n    log_prob_i = scores[i, l_i] - lse_i,   entropy_i = lse_i - sum over c of p[i, c] * scores[i, c],   p[i, c] = exp(scores[i, c] - lse_i)\np log p is 0 where p is 0.\n\nTypes. Results are f32 (f64 for f64).\n\nEdge cases:\n- An ignored sample has a log_prob and an entropy of 0, and the lse of its scores.\n- An out-of-range label has a log_prob of NaN, and the entropy of its scores.\n\nTerms, with Q the mean of (1 + |x_c - m|)^2 weighted by p: entropy: Q + L      log_prob: |x_l - m| + Q + L      lse: |m| + Q + L')
_operator(35, "log_prob_entropy_backward", "loss", (
    ("samples", "i64", None, 'M >= 0; must be given'),
    ("num_classes", "i64", None, 'C >= 0; must be given'),
    ("element", "dtype", None, 'of scores and dscores: f32, f64, f16, bf16'),
    ("label", "dtype", None, 'i32, i64'),
    ("ignore_index", "i64", None, 'the label of samples that do not count'),
    ("has_ignore_index", "i32", None, '1: ignore_index holds'),
    ("with_entropy", "i32", None, '1: dentropy and entropy are given'),
), (
    ("dlog_prob", "tensor", "in", "always", False, ('samples',), 'f32/f64', None, None, (), '[samples] accumulator(element)'),
    ("dentropy", "tensor", "in", "depends", False, ('samples',), 'f32/f64', ('with_entropy', 1), None, (), '[samples] accumulator(element); only if with_entropy'),
    ("scores", "tensor", "in", "always", False, ('samples', 'num_classes'), 'element', None, None, (), '[samples, num_classes] element'),
    ("labels", "tensor", "in", "always", False, ('samples',), 'label', None, None, (), '[samples] label'),
    ("lse", "tensor", "in", "always", False, ('samples',), 'f32/f64', None, None, (), '[samples] accumulator(element)'),
    ("entropy", "tensor", "in", "depends", False, ('samples',), 'f32/f64', ('with_entropy', 1), None, (), '[samples] accumulator(element); only if with_entropy'),
    ("dscores", "tensor", "out", "always", False, ('samples', 'num_classes'), 'element', None, None, ('scores',), '[samples, num_classes] element; may be scores itself'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: out-of-range labels are added to it'),
), 'Log-probability and entropy, gradient with respect to the scores:\n    dscores[i, c] = dlog_prob_i * ([c == l_i] - p[i, c]) - dentropy_i * p[i, c] * (log p[i, c] + entropy_i)\nExact zeros for ignored samples; NaN for out-of-range labels.\nTerms, with y = 1 + |x_c| + |lse|: p_c y (|dlog_prob| + |dentropy| (1 + y + |entropy|)), for the label |dlog_prob| more.')
_operator(38, "adam", "optimizer", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("tensor_keys", "i64[]", 'tensor_key_count', 'host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits'),
    ("first_elements", "i64[]", 'first_element_count', "host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59"),
    ("beta1", "f64", None, 'in [0, 1); any finite number with no_bias_correction'),
    ("beta2", "f64", None, 'in [0, 1); any finite number with no_bias_correction'),
    ("epsilon", "f64", None, '>= 0'),
    ("weight_decay", "f64", None, 'finite; 0 = none'),
    ("max_norm", "f64", None, '> 0; infinity clips nothing'),
    ("decay", "i32", ('first', 'last', 'l2'), 'first unless stated'),
    ("no_bias_correction", "i32", None, '1: a = b = 1'),
    ("advance_step", "i32", None, '1: the device step is incremented afterwards, so a captured graph can be replayed'),
    ("stochastic_rounding", "i32", None, '1: of the new weights, for parameters of a 16-bit type; needs tensor_keys'),
    ("out_of_place", "i32", None, '1: new weights and moments go to new_params, new_exp_avg and new_exp_avg_sq'),
    ("updates", "i32", None, '1: the updates go to the list of that name, rounded to the type of the gradients'),
    ("keep_params", "i32", None, '1: weights are not written; without copies'),
    ("clear_grads", "i32", None, '1: the gradients are zero afterwards; without updates'),
    ("param", "dtype", None, 'f32, f64, f16, bf16'),
    ("grad", "dtype", 'param', 'f32, f64, f16, bf16; 0 = param'),
    ("state", "dtype", 'param', 'of both moments: f32, f64, f16, bf16; 0 = param'),
    ("copy", "dtype", None, 'of a low-precision copy of the parameters: f16, bf16; 0 = none'),
), (
    ("params", "list", "in/out", "always", False, None, 'param', None, None, (), '[numel] param; written if !out_of_place && !keep_params: parameters w'),
    ("grads", "list", "in/out", "always", False, None, 'grad', None, None, (), '[numel] grad; written if clear_grads'),
    ("exp_avg", "list", "in/out", "always", False, None, 'state', None, None, (), '[numel] state; written if !out_of_place: first moment m'),
    ("exp_avg_sq", "list", "in/out", "always", False, None, 'state', None, None, (), '[numel] state; written if !out_of_place: second moment v'),
    ("copies", "list", "in/out", "depends", False, None, 'copy', None, None, (), '[numel] copy; only if copy'),
    ("new_params", "list", "out", "depends", False, None, 'param', None, None, ('params',), '[numel] param; only if out_of_place && !keep_params; may be params itself'),
    ("new_exp_avg", "list", "out", "depends", False, None, 'state', ('out_of_place', 1), None, ('exp_avg',), '[numel] state; only if out_of_place; may be exp_avg itself'),
    ("new_exp_avg_sq", "list", "out", "depends", False, None, 'state', ('out_of_place', 1), None, ('exp_avg_sq',), '[numel] state; only if out_of_place; may be exp_avg_sq itself'),
    ("updates", "list", "out", "depends", False, None, 'grad', ('updates', 1), None, ('grads',), '[numel] grad; only if updates; may be grads itself'),
    ("lr", "scalar", "in", "always", False, None, None, None, float("nan"), (), 'any floating-point type on the device: finite, not negative; must be given without lr_of'),
    ("step", "scalar", "in/out", "always", False, None, None, None, 0.0, (), 'i64 on the device; on the device if advance_step; written if advance_step: >= 1'),
    ("seed", "scalar", "in", "depends", False, None, None, ('stochastic_rounding', 1), 0.0, (), 'i64 on the device; only if stochastic_rounding: on the device all 64 bits count; from 0 to 2^53 by value'),
    ("grad_scale", "scalar", "in", "always", False, None, None, None, 1.0, (), 'any floating-point type on the device: not 0'),
    ("gradient_norm", "scalar", "in", "always", False, None, None, None, 0.0, (), 'any floating-point type on the device: >= 0'),
    ("update_signal", "scalar", "in", "always", False, None, None, None, 1.0, (), 'bool on the device: 0 skips'),
    ("lr_of", "tensor", "in", "optional", False, None, None, None, None, (), '[count] accumulator(param): learning rate of each tensor, in place of lr'),
    ("weight_decay_of", "tensor", "in", "optional", False, None, None, None, None, (), '[count] accumulator(param): decay of each tensor, in place of weight_decay'),
    ("found_inf", "tensor", "in", "optional", False, (1,), 'f32', None, None, (), '[1] f32'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: 1 is added when the device step is below 1 or gradient_norm is not finite'),
), 'Adam and AdamW. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction),\n    g = grad / s,   |s| = max(|grad_scale|, gradient_norm / max_norm), s with the sign of grad_scale\n    m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g\n    decay first: update = -lr * ((m / a) / (sqrt(v / b) + epsilon) + weight_decay * w)\n    decay last:  q = lr * sqrt(b) / a * m / (sqrt(v) + epsilon);  update = -q - lr * weight_decay * (w - q)\n    decay l2:    g += weight_decay * w before m and v;  update = -lr * (m / a) / (sqrt(v / b) + epsilon)\n    w += update\nSettings of other libraries:\n    PyTorch Adam                   decay l2\n    PyTorch AdamW, Apex FusedAdam  decay first\n    Hugging Face AdamW             decay last\n    ONNX Runtime AdamOptimizer     weight_decay_mode is decay; out_of_place, updates\n    ONNX Runtime AdamWOptimizer    adam_mode is decay\n\nArguments. gradient_norm is the norm of all gradients as they are, still scaled (clip_grad_norm with norm_only writes it).\n0, its default, clips nothing, and neither does an infinite max_norm. lr_of and weight_decay_of have a number for each\ntensor, in the memory of the stream; they take the place of lr and weight_decay, and a captured graph reads them anew.\n\nResults are defined to the last bit; only the payload of a NaN is open. Scalars are combined in f64 and then rounded to the\ntype of the arithmetic, in which, fma rounding once,\n    g = grad / s;   decay l2: g = fma(weight_decay, w, g)\n    m = fma(1 - beta1, g, beta1 * m),   v = fma((1 - beta2) * g, g, beta2 * v)\n    decay first: d = m / fma(sqrt(v), 1 / sqrt(b), epsilon),   u = fma(lr * weight_decay, w, (lr / a) * d)\n    decay l2:    d = m / fma(sqrt(v), 1 / sqrt(b), epsilon),   u = fma(0, w, (lr / a) * d)\n    decay last:  d = m / (sqrt(v) + epsilon),   r = lr * sqrt(b) / a,   u = fma(lr * weight_decay, fma(-r, d, w), r * d)\n    update = -u,   w = w - u\nwith |s| = max(|grad_scale|, gradient_norm * (1 / max_norm)).\n\nIn place. Weights, moments and cleared gradients are updated in place. With out_of_place, new weights and moments may be the\nbuffers of the old ones, and updates those of the gradients.\n\nEdge cases:\n  - A call skips when update_signal is 0, when found_inf is not 0, when gradient_norm is not finite, or when the step is\n    below 1 with bias correction. The last two are errors by value, and on the device are counted in error_flag.\n  - A call that skips copies the gradients to updates.\n  - Infinities and NaN among the gradients enter moments and weights.\n  - Steps count from 1. Without bias correction only stochastic_rounding reads the step.\n\nError terms. Against the formulas in real numbers, with u = 2^-24 (2^-53 for f64), G, M and V for the terms of g, m and v,\nand before the rounding of the store, the errors of m and v are below 4 u M and 8 u V, of update and w below 20 u W\n(512 u W for f64):\n    G = |g| for decay first and last, |grad / s| + |weight_decay * w| for l2\n    M = |beta1 * m| + |(1 - beta1)| * G,   V = |beta2 * v| + |(1 - beta2)| * G * G\n    W = |lr * weight_decay * w| except for l2, plus Q * (1 + lr * |weight_decay|) * V / v, where Q is the magnitude of the\n       update without decay with M in place of m. V / v is 1 for decay first and last with rates in [0, 1].\n\nSource: Kingma and Ba 2015, Adam; Loshchilov and Hutter 2019, Decoupled Weight Decay Regularization.')
_operator(39, "lamb", "optimizer", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("param", "dtype", None, 'f32, f64, f16, bf16'),
    ("grad", "dtype", 'param', 'f32, f64, f16, bf16; 0 = param'),
    ("state", "dtype", 'param', 'of both moments: f32, f64, f16, bf16; 0 = param'),
    ("copy", "dtype", None, 'of a low-precision copy of the parameters: f16, bf16; 0 = none'),
    ("no_bias_correction", "i32", None, '1: a = b = 1'),
    ("advance_step", "i32", None, '1: the device step is incremented afterwards'),
    ("out_of_place", "i32", None, '1: new weights and moments go to new_params, new_exp_avg and new_exp_avg_sq'),
    ("updates", "i32", None, '1: the updates go to the list of that name, rounded to the type of the gradients'),
    ("keep_params", "i32", None, '1: weights are not written; without copies'),
    ("clear_grads", "i32", None, '1: the gradients are zero afterwards; without updates'),
    ("beta1", "f64", None, 'in [0, 1); any finite number with no_bias_correction'),
    ("beta2", "f64", None, 'in [0, 1); any finite number with no_bias_correction'),
    ("epsilon", "f64", None, '>= 0'),
    ("weight_decay", "f64", None, 'finite; 0 = none'),
    ("max_norm", "f64", None, '> 0; infinity clips nothing'),
    ("ratio_min", "f64", None, 'not NaN; at most ratio_max'),
    ("ratio_max", "f64", None, 'not NaN'),
    ("beta1_of", "f64[]", 'beta1_count', 'beta1 of each tensor; host array, copied by select'),
    ("beta2_of", "f64[]", 'beta2_count', 'beta2 of each tensor; host array, copied by select'),
    ("epsilon_of", "f64[]", 'epsilon_count', 'epsilon of each tensor; host array, copied by select'),
    ("weight_decay_of", "f64[]", 'weight_decay_count', 'weight_decay of each tensor; host array, copied by select'),
    ("max_norm_of", "f64[]", 'max_norm_count', 'max_norm of each tensor; host array, copied by select'),
), (
    ("params", "list", "in/out", "always", False, None, 'param', None, None, (), '[numel] param; written if !out_of_place && !keep_params: parameters w'),
    ("grads", "list", "in/out", "always", False, None, 'grad', None, None, (), '[numel] grad; written if clear_grads'),
    ("exp_avg", "list", "in/out", "always", False, None, 'state', None, None, (), '[numel] state; written if !out_of_place: first moment m'),
    ("exp_avg_sq", "list", "in/out", "always", False, None, 'state', None, None, (), '[numel] state; written if !out_of_place: second moment v'),
    ("copies", "list", "in/out", "depends", False, None, 'copy', None, None, (), '[numel] copy; only if copy'),
    ("new_params", "list", "out", "depends", False, None, 'param', None, None, ('params',), '[numel] param; only if out_of_place && !keep_params; may be params itself'),
    ("new_exp_avg", "list", "out", "depends", False, None, 'state', ('out_of_place', 1), None, ('exp_avg',), '[numel] state; only if out_of_place; may be exp_avg itself'),
    ("new_exp_avg_sq", "list", "out", "depends", False, None, 'state', ('out_of_place', 1), None, ('exp_avg_sq',), '[numel] state; only if out_of_place; may be exp_avg_sq itself'),
    ("updates", "list", "out", "depends", False, None, 'grad', ('updates', 1), None, ('grads',), '[numel] grad; only if updates; may be grads itself'),
    ("lr", "scalar", "in", "always", False, None, None, None, float("nan"), (), 'any floating-point type on the device: finite, not negative; must be given'),
    ("step", "scalar", "in/out", "always", False, None, None, None, 0.0, (), 'i64 on the device; on the device if advance_step; written if advance_step'),
    ("grad_scale", "scalar", "in", "always", False, None, None, None, 1.0, (), 'any floating-point type on the device: > 0'),
    ("gradient_norm", "scalar", "in", "always", False, None, None, None, 0.0, (), 'any floating-point type on the device: >= 0'),
    ("update_signal", "scalar", "in", "always", False, None, None, None, 1.0, (), 'bool on the device: 0 skips'),
    ("found_inf", "tensor", "in", "optional", False, (1,), 'f32', None, None, (), '[1] f32'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: counts as in adam, and the tensors that are kept as they are'),
), 'LAMB. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction), for every tensor\n    g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)\n    m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g\n    d = weight_decay * w + (m / a) / (sqrt(v / b) + epsilon)\n    r = lr * max(ratio_min, min(ratio_max, |w| / |d|)), or lr where one of these L2 norms of the tensor is 0\n    update = -r * d,   w += update\nNorms neither overflow nor vanish. Each hyperparameter holds for all tensors, or has a value for each of them.\n\nA tensor whose norm of w or d is not finite keeps weights, moments and copies, its updates are 0, and it is counted in error_flag.\nA weight that would not be finite in its own type stays as it is, with an update of 0. A call skips as one of adam does.\n\nError terms: m and v as in adam, with M and V. With N the norm over the tensor of the terms of d,\n    d: T = |weight_decay * w| + (M / a) / (sqrt(v / b) + epsilon) * V / v\n    update and w: |r| * T * (1 + N / |d|)')
_operator(40, "clip_grad_norm", "optimizer", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("grad", "dtype", None, 'f32, f64, f16, bf16'),
    ("norm_only", "i32", None, '1: the gradients are not written'),
    ("max_norm", "f64", None, '> 0; infinity clips nothing'),
    ("epsilon", "f64", None, '>= 0'),
), (
    ("grads", "list", "in/out", "always", False, None, 'grad', None, None, (), '[numel] grad; written if !norm_only: gradients of the parameters'),
    ("grad_scale", "scalar", "in", "always", False, None, None, None, 1.0, (), 'any floating-point type on the device: > 0'),
    ("norm", "tensor", "out", "optional", False, (1,), None, None, None, (), '[1] accumulator(grad): N'),
    ("factor", "tensor", "out", "optional", False, (1,), None, None, None, (), '[1] accumulator(grad)'),
    ("found_inf", "tensor", "out", "optional", False, (1,), 'f32', None, None, (), '[1] f32: 1 where N is not finite, else 0'),
), 'Scaling of gradients by their common L2 norm. With N the norm of all gradients divided by grad_scale:\n    factor = min(1, max_norm / (N + epsilon)),   grad *= factor / grad_scale\nSquares neither overflow nor vanish. Where N is not finite in the type of norm, the gradients stay as they are, factor is 1, and found_inf\nbecomes 1; else it becomes 0. An infinite max_norm clips nothing. An empty list has the norm 0.\n\nError terms: every result has one term, its own magnitude.')
_operator(41, "is_finite", "precision", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("outputs", "list", "out", "always", False, None, 'bool', None, None, (), '[numel] bool'),
), 'IsFinite:   outputs[i][j] = inputs[i][j] is neither an infinity nor NaN\n\nDefinition: com.microsoft IsFinite, PyTorch torch.isfinite.')
_operator(42, "all_finite", "precision", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("test", "i32", ('default', 'no_inf', 'no_nan'), ''),
), (
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("output", "tensor", "out", "always", False, (1,), 'bool', None, None, (), '[1] bool'),
    ("found_inf", "tensor", "out", "optional", False, (1,), 'f32', None, None, (), '[1] f32: 0 where output is true, else 1'),
), 'AllFinite:   output = every element of every input passes the test; true without elements\n\nDefinition: com.microsoft IsAllFinite.')
_operator(43, "all", "precision", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
), (
    ("inputs", "list", "in", "always", False, None, 'bool', None, None, (), '[numel] bool: a byte that is not 0 is true'),
    ("output", "tensor", "out", "always", False, (1,), 'bool', None, None, (), '[1] bool'),
), 'All:   output = every element of every input is true; true without elements\n\nDefinition: com.microsoft All.')
_operator(44, "scale", "precision", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'of the inputs: f32, f64, f16, bf16'),
    ("output", "dtype", 'element', 'of the outputs: f32, f16, bf16, or f64 exactly when the inputs are; 0 = element'),
    ("outputs", "i32", None, 'scaled copies of each input: 1 to 3'),
    ("fused", "i32", None, '1: one buffer of all outputs; only with outputs = 1'),
    ("scale_down", "i32", None, '1: divides by the scales'),
), (
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("outputs", "list", "out", "depends", False, None, 'output', ('fused', 0), None, ('inputs',), '[numel] output; only if !fused; may be inputs itself'),
    ("outputs_1", "list", "out", "depends", False, None, 'output', None, None, ('inputs',), '[numel] output; only if outputs >= 2; may be inputs itself'),
    ("outputs_2", "list", "out", "depends", False, None, 'output', None, None, ('inputs',), '[numel] output; only if outputs >= 3; may be inputs itself'),
    ("fused", "tensor", "out", "depends", False, None, 'output', ('fused', 1), None, (), '[sum(numel)] output; only if fused'),
    ("scale", "scalar", "in", "always", False, None, None, None, 1.0, (), 'f32 or f64 on the device'),
    ("scale_1", "scalar", "in", "depends", False, None, None, None, 1.0, (), 'f32 or f64 on the device; only if outputs >= 2'),
    ("scale_2", "scalar", "in", "depends", False, None, None, None, 1.0, (), 'f32 or f64 on the device; only if outputs >= 3'),
    ("found_inf", "tensor", "in/out", "optional", False, (1,), 'f32', None, None, (), '[1] f32: 1 is stored when an input is an infinity or NaN, else it stays'),
), 'Scale:   outputs[i] = scale * inputs[i],   outputs_1[i] = scale_1 * inputs[i],   outputs_2[i] = scale_2 * inputs[i]\n\nThe factor is rounded to the type of the arithmetic; with scale_down it is 1 / scale in that type. With fused, output is one buffer in\nwhich the tensors follow each other without gaps.\nDefinition: com.microsoft MixedPrecisionScale, Scale and BatchScale.')
_operator(45, "zero", "precision", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("outputs", "list", "out", "always", False, None, 'element', None, None, (), '[numel] element'),
), 'Zero:   outputs[i] = +0\n\nDefinition: com.microsoft ZeroGradient.')
_operator(46, "accumulate", "precision", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'of sums, outputs and copies: f32, f64, f16, bf16'),
    ("value", "dtype", 'element', 'of values: f32, f64, f16, bf16; 0 = element'),
    ("copies", "i32", None, '1: the results are written to copies, too'),
), (
    ("sums", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("values", "list", "in", "always", False, None, 'value', None, None, (), '[numel] value'),
    ("outputs", "list", "out", "always", False, None, 'element', None, None, ('sums',), '[numel] element; may be sums itself'),
    ("copies", "list", "out", "depends", False, None, 'element', ('copies', 1), None, (), '[numel] element; only if copies'),
    ("update", "scalar", "in", "always", False, None, None, None, 1.0, (), 'bool on the device: 0: outputs and copies are sums'),
    ("overwrite", "scalar", "in", "always", False, None, None, None, 0.0, (), 'bool on the device: not 0: outputs and copies are values'),
    ("updated_flag", "tensor", "out", "optional", True, (1,), 'bool', None, None, (), '[1] bool: 1, written by the call itself before it returns'),
), 'Accumulate:   outputs[i] = update ? (overwrite ? 0 : sums[i]) + values[i] : sums[i]\n\nWith overwrite nothing is read from sums, so that it may hold anything.\nDefinition: com.microsoft InPlaceAccumulator (update) and InPlaceAccumulatorV2 (overwrite; its second output is copies).')
_operator(47, "scaled_sum", "precision", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("inputs", "i32", None, 'terms: 2 or 3'),
), (
    ("inputs_0", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("inputs_1", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("inputs_2", "list", "in", "depends", False, None, 'element', None, None, (), '[numel] element; only if inputs >= 3'),
    ("outputs", "list", "out", "always", False, None, 'element', None, None, ('inputs_0', 'inputs_1', 'inputs_2'), '[numel] element; may be inputs_0, inputs_1 or inputs_2 itself'),
    ("scale_0", "scalar", "in", "always", False, None, None, None, 1.0, (), 'f32 or f64 on the device'),
    ("scale_1", "scalar", "in", "always", False, None, None, None, 1.0, (), 'f32 or f64 on the device'),
    ("scale_2", "scalar", "in", "depends", False, None, None, None, 1.0, (), 'f32 or f64 on the device; only if inputs >= 3'),
), 'ScaledSum:   outputs[i] = scale_0 * inputs_0[i] + scale_1 * inputs_1[i] [+ scale_2 * inputs_2[i]]\n\nThe factors are rounded to the type of the arithmetic; each term is added with one rounding, from the left. Error terms: the magnitudes\nof the two or three products.\nDefinition: com.microsoft ScaledSum.')
_operator(48, "l2_norm", "reduce", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'of inputs: f32, f64, f16, bf16'),
    ("output", "dtype", 'element', 'of output and norms: f32 or a 16-bit type that is that of inputs or has f32 inputs; f64 exactly when the inputs are; 0 = element'),
), (
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("output", "tensor", "out", "always", False, (1,), 'output', None, None, (), '[1] output'),
    ("norms", "tensor", "out", "optional", False, None, 'output', None, None, (), '[count] output'),
    ("found_inf", "tensor", "out", "optional", False, (1,), 'f32', None, None, (), '[1] f32: 1 where an element of inputs is an infinity or NaN, else 0'),
), "L2Norm:   output = root of the sum of x^2 over all elements of all inputs,   norms[i] = the same of inputs[i]\n\nResults. Squares neither overflow nor vanish: where the norm is a number of the output's type, it is returned. To the last bit, the norm of a tensor\ndoes not depend on the rest of the list, nor that of the list on the order of the tensors.\n\nEdge cases:\n- The norm of no elements is 0.\n\nSource: com.microsoft ReduceAllL2, PyTorch torch.nn.utils.get_total_norm.")
_operator(49, "reduce", "reduce", (
    ("shape", "shape", None, 'of input'),
    ("axes", "axes", None, 'the axes to reduce, in any order; negative ones count from the end; none: all of them'),
    ("kind", "i32", ('sum', 'mean', 'sum_square', 'l2', 'max', 'min', 'prod', 'logsumexp'), ''),
    ("element", "dtype", None, 'of input: f32, f64, f16, bf16, i32'),
    ("output", "dtype", 'element', 'of output: that of input, or f32 where that has 16 bits; 0 = element'),
    ("keepdims", "i32", None, '1: output keeps reduced axes with one element; 0: they are left out of its shape'),
    ("noop_with_empty_axes", "i32", None, '1: no axes mean that none is reduced'),
    ("offset", "dtype", None, 'of offsets: i32, i64; exactly with segments'),
    ("segments", "i64", None, '>= 0: the number of segments, with one axis and keepdims; -1: none, the axes are reduced whole'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'of output; accumulate: only of a sum of floating-point numbers, without segments'),
), (
    ("input", "tensor", "in", "always", False, (('*', 'shape'),), 'element', None, None, (), 'shape element'),
    ("output", "tensor", "in/out", "always", False, None, 'output', None, None, (), 'output; read if write_mode == accumulate: shape without the reduced axes; with keepdims one element in each of them, with segments as many as these'),
    ("offsets", "tensor", "in", "depends", False, None, 'offset', None, None, (), '[segments + 1] offset; only if segments >= 0'),
    ("error_flag", "tensor", "in/out", "depends", False, (1,), 'i64', None, None, (), '[1] i64; only if segments >= 0: 1 is added for each segment with bad offsets'),
), 'Reduce:   output[kept axes] (=|+=) kind over the other axes of input\n\nSegments. With segments >= 0 one axis, of n elements, is reduced in so many segments:\n    output[.., s, ..] = kind over the elements offsets[s] <= i < offsets[s + 1] of input[.., i, ..]\nOffsets must ascend within [0, n]. Segments need not cover the axis. The result of a segment depends on its own elements alone, not on the number\nof segments nor on where it lies.\n\nTypes. Sums, squares and products of 16-bit and f32 elements are formed in f32: what leaves its range is infinite or 0. Those of i32 wrap around.\nmean, L2 and logsumexp of i32 are not defined. The bits of the result depend on the elements, the shape, the axes and the kind alone. With write_mode\naccumulate, which a sum has, the result is added to what output holds, before the one rounding.\n\nEdge cases:\n- Of no elements: sum, sum of squares and L2 are 0, prod is 1, max is -infinity, min is infinity, logsumexp is -infinity and mean is NaN. Of i32,\n  max is the smallest and min the largest number.\n- A segment whose own two offsets do not ascend within [0, n] is empty, and is counted in error_flag. Where bad offsets make segments overlap, each\n  is reduced as it stands.\n\nTerms (see adj_guarantee), of n elements x:\n    sum         the sum of |x|                       mean         the sum of |x|, divided by n\n    sum_square  the sum of x^2                       l2           the root of the sum of x^2\n    prod        (n + 2) times the product of |x|     logsumexp    1 + the largest finite |x| + log(n + 1)\nmax and min are exact. With write_mode accumulate, what output held before is a term as well.\n\nSource: com.microsoft ReduceSumTraining; PyTorch torch.sum, mean, linalg.vector_norm, amax, amin, prod, logsumexp, and segment_reduce with\noffsets.')
_operator(50, "layer_norm_backward", "norm", (
    ("shape", "shape", None, 'of X'),
    ("axis", "i32", None, 'first axis that is normalised; negative: counted from the end'),
    ("element", "dtype", None, 'of X and dX'),
    ("output", "dtype", 'element', 'of Y and dY; 0 = element'),
    ("weight", "dtype", 'output', 'of gamma, beta and their gradients; 0 = output'),
    ("from_output", "i32", None, '0: from X, mean and inv_std; 1: from Y, gamma, beta and inv_std'),
    ("has_dgamma", "i32", None, '1: dgamma is wanted'),
    ("has_dbeta", "i32", None, '1: dbeta is wanted'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'of dgamma and dbeta'),
), (
    ("dout", "tensor", "in", "always", False, (('*', 'shape'),), 'output', None, None, (), 'shape output: dY'),
    ("input", "tensor", "in", "depends", False, (('*', 'shape'),), 'element', ('from_output', 0), None, (), 'shape element; only if !from_output: X'),
    ("out", "tensor", "in", "depends", False, (('*', 'shape'),), 'output', ('from_output', 1), None, (), 'shape output; only if from_output: Y'),
    ("gamma", "tensor", "in", "depends", False, ('columns',), 'weight', None, None, (), '[product(shape, axis)] weight; optional if !from_output: 1 without'),
    ("beta", "tensor", "in", "depends", False, ('columns',), 'weight', None, None, (), '[product(shape, axis)] weight; only if from_output: 0 without'),
    ("mean", "tensor", "in", "depends", False, ('rows',), 'f32/f64', ('from_output', 0), None, (), '[product(shape, 0, axis)] accumulator(element); only if !from_output'),
    ("inv_std", "tensor", "in", "always", False, ('rows',), 'f32/f64', None, None, (), '[product(shape, 0, axis)] accumulator(element)'),
    ("dresidual", "tensor", "in", "optional", False, (('*', 'shape'),), 'element', None, None, (), 'shape element: another gradient flowing into X, added before the rounding'),
    ("dinput", "tensor", "out", "always", False, (('*', 'shape'),), 'element', None, None, ('dout', 'input', 'out', 'dresidual'), 'shape element; may be dout, input, out or dresidual itself: dX; may share a buffer when the types agree'),
    ("dgamma", "tensor", "in/out", "depends", False, ('columns',), 'weight', ('has_dgamma', 1), None, (), '[product(shape, axis)] weight; only if has_dgamma; read if write_mode == accumulate'),
    ("dbeta", "tensor", "in/out", "depends", False, ('columns',), 'weight', ('has_dbeta', 1), None, (), '[product(shape, axis)] weight; only if has_dbeta; read if write_mode == accumulate'),
), 'Layer norm, gradient:\n    g = dy * gamma\n    dx[i, j] = inv_std[i] * (g[i, j] - mean over j of g - h[i, j] * mean over j of (g * h)) + dresidual[i, j]\n    dgamma[j] = sum over i of dy * h;  dbeta[j] = sum over i of dy\n\nFrom the output. With from_output, X need not be kept:\n    h = (y - beta) / gamma,  mean over j of (g * h) = mean over j of (dy * (y - beta))\nh is as exact as the stored Y. Where a gamma is 0, or smaller than the least normal number of the arithmetic, its column of dX and dgamma has an\ninfinity or a NaN. Other columns are not affected.')
_operator(51, "rms_norm_backward", "norm", (
    ("shape", "shape", None, 'of X'),
    ("axis", "i32", None, 'first axis that is normalised; negative: counted from the end'),
    ("element", "dtype", None, 'of X and dX'),
    ("output", "dtype", 'element', 'of Y and dY; 0 = element'),
    ("weight", "dtype", 'output', 'of gamma and dgamma; 0 = output'),
    ("from_output", "i32", None, '0: from X and inv_std; 1: from Y, gamma and inv_std'),
    ("has_dgamma", "i32", None, '1: dgamma is wanted'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'of dgamma'),
), (
    ("dout", "tensor", "in", "always", False, (('*', 'shape'),), 'output', None, None, (), 'shape output: dY'),
    ("input", "tensor", "in", "depends", False, (('*', 'shape'),), 'element', ('from_output', 0), None, (), 'shape element; only if !from_output: X'),
    ("out", "tensor", "in", "depends", False, (('*', 'shape'),), 'output', ('from_output', 1), None, (), 'shape output; only if from_output: Y'),
    ("gamma", "tensor", "in", "depends", False, ('columns',), 'weight', None, None, (), '[product(shape, axis)] weight; optional if !from_output: 1 without'),
    ("inv_std", "tensor", "in", "always", False, ('rows',), 'f32/f64', None, None, (), '[product(shape, 0, axis)] accumulator(element)'),
    ("dresidual", "tensor", "in", "optional", False, (('*', 'shape'),), 'element', None, None, (), 'shape element: another gradient flowing into X, added before the rounding'),
    ("dinput", "tensor", "out", "always", False, (('*', 'shape'),), 'element', None, None, ('dout', 'input', 'out', 'dresidual'), 'shape element; may be dout, input, out or dresidual itself: dX; may share a buffer when the types agree'),
    ("dgamma", "tensor", "in/out", "depends", False, ('columns',), 'weight', ('has_dgamma', 1), None, (), '[product(shape, axis)] weight; only if has_dgamma; read if write_mode == accumulate'),
), 'RMS norm, gradient:\n    g = dy * gamma\n    dx[i, j] = inv_std[i] * (g[i, j] - h[i, j] * mean over j of (g * h)) + dresidual[i, j]\n    dgamma[j] = sum over i of dy * h\nfrom_output: h is y / gamma; see layer norm.')
_operator(52, "layer_norm_forward", "norm", (
    ("shape", "shape", None, 'of X'),
    ("epsilon", "f64", None, '> 0'),
    ("axis", "i32", None, 'first axis that is normalised; negative: counted from the end'),
    ("element", "dtype", None, 'of X, residual and sum'),
    ("output", "dtype", 'element', 'of Y; 0 = element'),
    ("weight", "dtype", 'output', 'of gamma and beta; 0 = output'),
    ("has_residual", "i32", None, '1: residual is given'),
), (
    ("input", "tensor", "in", "always", False, (('*', 'shape'),), 'element', None, None, (), 'shape element: X'),
    ("residual", "tensor", "in", "depends", False, (('*', 'shape'),), 'element', ('has_residual', 1), None, (), 'shape element; only if has_residual'),
    ("gamma", "tensor", "in", "optional", False, ('columns',), 'weight', None, None, (), '[product(shape, axis)] weight: 1 without'),
    ("beta", "tensor", "in", "optional", False, ('columns',), 'weight', None, None, (), '[product(shape, axis)] weight: 0 without'),
    ("out", "tensor", "out", "always", False, (('*', 'shape'),), 'output', None, None, ('input', 'residual'), 'shape output; may be input or residual itself: Y; may share a buffer when the types agree'),
    ("sum", "tensor", "out", "depends", False, (('*', 'shape'),), 'element', None, None, ('input', 'residual'), 'shape element; only if has_residual; may be input or residual itself: X + residual'),
    ("mean", "tensor", "out", "optional", False, ('rows',), 'f32/f64', None, None, (), '[product(shape, 0, axis)] accumulator(element)'),
    ("inv_std", "tensor", "out", "optional", False, ('rows',), 'f32/f64', None, None, (), '[product(shape, 0, axis)] accumulator(element)'),
), 'Layer norm, of X or of X + residual. Where `sum` is given, X + residual is rounded to `element`, stored there, and normalised after the rounding.\nThe gradient then takes `sum` for X.')
_operator(53, "rms_norm_forward", "norm", (
    ("shape", "shape", None, 'of X'),
    ("epsilon", "f64", None, '> 0'),
    ("axis", "i32", None, 'first axis that is normalised; negative: counted from the end'),
    ("element", "dtype", None, 'of X, residual and sum'),
    ("output", "dtype", 'element', 'of Y; 0 = element'),
    ("weight", "dtype", 'output', 'of gamma; 0 = output'),
    ("has_residual", "i32", None, '1: residual is given'),
), (
    ("input", "tensor", "in", "always", False, (('*', 'shape'),), 'element', None, None, (), 'shape element: X'),
    ("residual", "tensor", "in", "depends", False, (('*', 'shape'),), 'element', ('has_residual', 1), None, (), 'shape element; only if has_residual'),
    ("gamma", "tensor", "in", "optional", False, ('columns',), 'weight', None, None, (), '[product(shape, axis)] weight: 1 without'),
    ("out", "tensor", "out", "always", False, (('*', 'shape'),), 'output', None, None, ('input', 'residual'), 'shape output; may be input or residual itself: Y; may share a buffer when the types agree'),
    ("sum", "tensor", "out", "depends", False, (('*', 'shape'),), 'element', None, None, ('input', 'residual'), 'shape element; only if has_residual; may be input or residual itself: X + residual'),
    ("inv_std", "tensor", "out", "optional", False, ('rows',), 'f32/f64', None, None, (), '[product(shape, 0, axis)] accumulator(element)'),
), 'RMS norm, of X or of X + residual; see layer norm.')
_operator(54, "batch_norm_forward", "batch_norm", (
    ("outer", "i64", None, '>= 0; -1: not given, an error'),
    ("channels", "i64", None, '>= 0; -1: not given, an error'),
    ("inner", "i64", None, '>= 0'),
    ("epsilon", "f64", None, '> 0'),
    ("momentum", "f64", None, '0 to 1: weight of the old running statistics'),
    ("element", "dtype", None, 'of X and Y'),
    ("weight", "dtype", 'element', 'of scale and bias; 0 = element'),
    ("stats", "dtype", 'weight', 'of the statistics; 0 = weight'),
    ("training", "i32", None, '0: with the running statistics'),
), (
    ("input", "tensor", "in", "always", False, ('outer', 'channels', 'inner'), 'element', None, None, (), '[outer, channels, inner] element: X'),
    ("scale", "tensor", "in", "optional", False, ('channels',), 'weight', None, None, (), '[channels] weight: 1 without'),
    ("bias", "tensor", "in", "optional", False, ('channels',), 'weight', None, None, (), '[channels] weight: 0 without'),
    ("running_mean", "tensor", "in", "depends", False, ('channels',), 'stats', None, None, (), '[channels] stats; optional if training: needed for next_running_mean'),
    ("running_variance", "tensor", "in", "depends", False, ('channels',), 'stats', None, None, (), '[channels] stats; optional if training: needed for next_running_variance'),
    ("out", "tensor", "out", "always", False, ('outer', 'channels', 'inner'), 'element', None, None, ('input',), '[outer, channels, inner] element; may be input itself: Y'),
    ("next_running_mean", "tensor", "out", "depends", False, ('channels',), 'stats', None, None, ('running_mean',), '[channels] stats; only if training; may be running_mean itself'),
    ("next_running_variance", "tensor", "out", "depends", False, ('channels',), 'stats', None, None, ('running_variance',), '[channels] stats; only if training; may be running_variance itself'),
    ("saved_mean", "tensor", "out", "depends", False, ('channels',), 'stats', None, None, (), '[channels] stats; only if training'),
    ("saved_inv_std", "tensor", "out", "depends", False, ('channels',), 'stats', None, None, (), '[channels] stats; only if training'),
), "Batch norm:\n    y = (x - mean[c]) * inv_std[c] * scale[c] + bias[c],  inv_std[c] = 1 / sqrt(variance[c] + epsilon)\ntraining: mean and (biased) variance are those of the channel, and\n    next_running_mean     = momentum * running_mean + (1 - momentum) * mean\n    next_running_variance = momentum * running_variance + (1 - momentum) * variance * M / (M - 1)   (M = 1: variance)\notherwise the running statistics are used. PyTorch's momentum is 1 minus this one.")
_operator(55, "batch_norm_backward", "batch_norm", (
    ("outer", "i64", None, '>= 0; -1: not given, an error'),
    ("channels", "i64", None, '>= 0; -1: not given, an error'),
    ("inner", "i64", None, '>= 0'),
    ("epsilon", "f64", None, '> 0; read where frozen'),
    ("element", "dtype", None, 'of X and its gradient, and of dY'),
    ("weight", "dtype", 'element', 'of scale, dscale and dbias; 0 = element'),
    ("stats", "dtype", 'weight', 'of the statistics; 0 = weight'),
    ("frozen", "i32", None, '1: the forward operator used the running statistics'),
), (
    ("dout", "tensor", "in", "always", False, ('outer', 'channels', 'inner'), 'element', None, None, (), '[outer, channels, inner] element: dY'),
    ("input", "tensor", "in", "always", False, ('outer', 'channels', 'inner'), 'element', None, None, (), '[outer, channels, inner] element: X'),
    ("scale", "tensor", "in", "optional", False, ('channels',), 'weight', None, None, (), '[channels] weight: 1 without'),
    ("saved_mean", "tensor", "in", "depends", False, ('channels',), 'stats', ('frozen', 0), None, (), '[channels] stats; only if !frozen'),
    ("saved_inv_std", "tensor", "in", "depends", False, ('channels',), 'stats', ('frozen', 0), None, (), '[channels] stats; only if !frozen'),
    ("running_mean", "tensor", "in", "depends", False, ('channels',), 'stats', ('frozen', 1), None, (), '[channels] stats; only if frozen'),
    ("running_variance", "tensor", "in", "depends", False, ('channels',), 'stats', ('frozen', 1), None, (), '[channels] stats; only if frozen'),
    ("dinput", "tensor", "out", "always", False, ('outer', 'channels', 'inner'), 'element', None, None, ('dout', 'input'), '[outer, channels, inner] element; may be dout or input itself: dX'),
    ("dscale", "tensor", "out", "optional", False, ('channels',), 'weight', None, None, (), '[channels] weight'),
    ("dbias", "tensor", "out", "optional", False, ('channels',), 'weight', None, None, (), '[channels] weight'),
), 'Batch norm, gradient, with h = (x - mean[c]) * inv_std[c]:\n    dbias[c] = sum of dy;  dscale[c] = sum of dy * h\n    dx = scale[c] * inv_std[c] * (dy - dbias[c] / M - h * dscale[c] / M)\nfrozen: statistics are the running ones, which do not depend on X: dx = scale[c] * inv_std[c] * dy.')
_operator(56, "conv_backward", "conv", (
    ("input", "shape", None, 'as in the forward direction'),
    ("weight", "shape", None, 'as in the forward direction'),
    ("out", "shape", None, 'as in the forward direction'),
    ("strides", "axes", None, 'as in the forward direction'),
    ("pads", "axes", None, 'as in the forward direction'),
    ("dilations", "axes", None, 'as in the forward direction'),
    ("groups", "i64", None, '>= 1'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("channels_last", "i32", None, '1: channels are the last dimension of all tensors'),
    ("has_dinput", "i32", None, '1: dinput is computed'),
    ("has_dweight", "i32", None, '1: dweight is computed'),
    ("has_dbias", "i32", None, '1: dbias is computed'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'of dweight and dbias: overwrite, accumulate'),
), (
    ("dout", "tensor", "in", "always", False, (('*', 'out'),), 'element', None, None, (), 'out element'),
    ("input", "tensor", "in", "depends", False, (('*', 'input'),), 'element', ('has_dweight', 1), None, (), 'input element; only if has_dweight'),
    ("weight", "tensor", "in", "depends", False, (('*', 'weight'),), 'element', ('has_dinput', 1), None, (), 'weight element; only if has_dinput'),
    ("dinput", "tensor", "out", "depends", False, (('*', 'input'),), 'element', ('has_dinput', 1), None, (), 'input element; only if has_dinput'),
    ("dweight", "tensor", "in/out", "depends", False, (('*', 'weight'),), 'element', ('has_dweight', 1), None, (), 'weight element; only if has_dweight; read if write_mode == accumulate'),
    ("dbias", "tensor", "in/out", "depends", False, None, 'element', ('has_dbias', 1), None, (), '[extent(out, channels_last ? -1 : 1)], element; only if has_dbias; read if write_mode == accumulate'),
), 'Gradients of convolution, each on request:\n    dinput[n, g * C / G + c, i] = sum over m of group g and all (o, k) with i = o * s + k * d - b of dout[n, m, o] * weight[m, c, k]\n    dweight[m, c, k] (=|+=) sum over n and o of dout[n, m, o] * input[n, g * C / G + c, o * s + k * d - b]\n    dbias[m] (=|+=) sum over n and o of dout[n, m, o]')
_operator(57, "conv_transpose_backward", "conv", (
    ("input", "shape", None, 'as in the forward direction'),
    ("weight", "shape", None, 'as in the forward direction'),
    ("out", "shape", None, 'as in the forward direction'),
    ("strides", "axes", None, 'as in conv_forward'),
    ("pads", "axes", None, 'as in conv_forward'),
    ("dilations", "axes", None, 'as in conv_forward'),
    ("groups", "i64", None, '>= 1'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("channels_last", "i32", None, '1: channels are the last dimension of all tensors'),
    ("has_dinput", "i32", None, '1: dinput is computed'),
    ("has_dweight", "i32", None, '1: dweight is computed'),
    ("has_dbias", "i32", None, '1: dbias is computed'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'of dweight and dbias: overwrite, accumulate'),
), (
    ("dout", "tensor", "in", "always", False, (('*', 'out'),), 'element', None, None, (), 'out element'),
    ("input", "tensor", "in", "depends", False, (('*', 'input'),), 'element', ('has_dweight', 1), None, (), 'input element; only if has_dweight'),
    ("weight", "tensor", "in", "depends", False, (('*', 'weight'),), 'element', ('has_dinput', 1), None, (), 'weight element; only if has_dinput'),
    ("dinput", "tensor", "out", "depends", False, (('*', 'input'),), 'element', ('has_dinput', 1), None, (), 'input element; only if has_dinput'),
    ("dweight", "tensor", "in/out", "depends", False, (('*', 'weight'),), 'element', ('has_dweight', 1), None, (), 'weight element; only if has_dweight; read if write_mode == accumulate'),
    ("dbias", "tensor", "in/out", "depends", False, None, 'element', ('has_dbias', 1), None, (), '[extent(out, channels_last ? -1 : 1)], element; only if has_dbias; read if write_mode == accumulate'),
), 'Gradients of transposed convolution, each on request:\n    dinput[n, c, o] = sum over m < M / G and k of dout[n, g * M / G + m, o * s + k * d - b] * weight[c, m, k]\n    dweight[c, m, k] (=|+=) sum over n and o of input[n, c, o] * dout[n, g * M / G + m, o * s + k * d - b]\n    dbias[q] (=|+=) sum over n and i of dout[n, q, i]')
_operator(58, "conv_forward", "conv", (
    ("input", "shape", None, 'as stored: 3 to 5 dimensions'),
    ("weight", "shape", None, 'as stored'),
    ("out", "shape", None, 'as stored'),
    ("strides", "axes", None, 'one per spatial dimension, or none for 1'),
    ("pads", "axes", None, 'all beginnings, then all ends, or none for 0'),
    ("dilations", "axes", None, 'one per spatial dimension, or none for 1'),
    ("groups", "i64", None, '>= 1'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("channels_last", "i32", None, '1: channels are the last dimension of all tensors'),
    ("has_bias", "i32", None, '1: bias is given'),
), (
    ("input", "tensor", "in", "always", False, (('*', 'input'),), 'element', None, None, (), 'input element'),
    ("weight", "tensor", "in", "always", False, (('*', 'weight'),), 'element', None, None, (), 'weight element'),
    ("bias", "tensor", "in", "depends", False, None, 'element', ('has_bias', 1), None, (), '[extent(out, channels_last ? -1 : 1)], element; only if has_bias'),
    ("out", "tensor", "out", "always", False, (('*', 'out'),), 'element', None, None, (), 'out element'),
), 'Convolution, with i = o * s + k * d - b in every spatial dimension and g = m / (M / G):\n    out[n, m, o] = bias[m] + sum over c < C / G and k of input[n, g * C / G + c, i] * weight[m, c, k]')
_operator(59, "conv_transpose_forward", "conv", (
    ("input", "shape", None, 'as stored: 3 to 5 dimensions'),
    ("weight", "shape", None, 'as stored'),
    ("out", "shape", None, 'as stored'),
    ("strides", "axes", None, 'as in conv_forward'),
    ("pads", "axes", None, 'as in conv_forward'),
    ("dilations", "axes", None, 'as in conv_forward'),
    ("groups", "i64", None, '>= 1'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("channels_last", "i32", None, '1: channels are the last dimension of all tensors'),
    ("has_bias", "i32", None, '1: bias is given'),
), (
    ("input", "tensor", "in", "always", False, (('*', 'input'),), 'element', None, None, (), 'input element'),
    ("weight", "tensor", "in", "always", False, (('*', 'weight'),), 'element', None, None, (), 'weight element'),
    ("bias", "tensor", "in", "depends", False, None, 'element', ('has_bias', 1), None, (), '[extent(out, channels_last ? -1 : 1)], element; only if has_bias'),
    ("out", "tensor", "out", "always", False, (('*', 'out'),), 'element', None, None, (), 'out element'),
), 'Transposed convolution:\n    out[n, g * M / G + m, i] = bias[g * M / G + m] + sum over c of group g and all (o, k) with i = o * s + k * d - b of\n                               input[n, c, o] * weight[c, m, k]')
_operator(60, "resize_backward", "resize", (
    ("input", "shape", None, 'of dinput, as stored: 3 to 5 dimensions'),
    ("out", "shape", None, 'of dout, as stored'),
    ("scales", "f64[]", 'num_scales', 'as in the forward direction'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("mode", "i32", ('default', 'linear', 'nearest'), 'linear, nearest'),
    ("coordinates", "i32", ('default', 'half_pixel', 'align_corners', 'asymmetric', 'pytorch_half_pixel'), 'half_pixel, align_corners, asymmetric, pytorch_half_pixel'),
    ("rounding", "i32", ('default', 'round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil'), 'only with nearest'),
    ("channels_last", "i32", None, '1: [N, spatial, C]'),
), (
    ("dout", "tensor", "in", "always", False, (('*', 'out'),), 'element', None, None, (), 'out element'),
    ("dinput", "tensor", "out", "always", False, (('*', 'input'),), 'element', None, None, (), 'input element'),
), 'Its gradient:   dinput[n, c, i] = sum over o of weight(o, i) * dout[n, c, o]\n\nEvery element of dinput is written, with zero where no weight falls on it.')
_operator(61, "resize_forward", "resize", (
    ("input", "shape", None, 'as stored: 3 to 5 dimensions'),
    ("out", "shape", None, 'as stored'),
    ("scales", "f64[]", 'num_scales', 'out over in, finite and > 0'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("mode", "i32", ('default', 'linear', 'nearest'), 'linear, nearest'),
    ("coordinates", "i32", ('default', 'half_pixel', 'align_corners', 'asymmetric', 'pytorch_half_pixel'), 'half_pixel, align_corners, asymmetric, pytorch_half_pixel'),
    ("rounding", "i32", ('default', 'round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil'), 'only with nearest'),
    ("channels_last", "i32", None, '1: [N, spatial, C]'),
), (
    ("input", "tensor", "in", "always", False, (('*', 'input'),), 'element', None, None, (), 'input element'),
    ("out", "tensor", "out", "always", False, (('*', 'out'),), 'element', None, None, (), 'out element'),
), 'Resize:   out[n, c, o] = sum over i of weight(o, i) * input[n, c, i]')
_operator(62, "gather_nd_grad", "index", (
    ("input_shape", "shape", None, 'of dinput, rank 1 to 8'),
    ("indices_shape", "shape", None, 'rank 1 to 8; the last extent is K, with batch_dims + K <= the rank of dinput'),
    ("batch_dims", "i64", None, 'b, in [0, rank of indices)'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("index", "dtype", None, 'i32, i64'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'default: overwrite'),
    ("use_index_plan", "i32", None, '1: sorted_rows and order, of an index plan of slices, instead of indices'),
), (
    ("dout", "tensor", "in", "always", False, None, 'element', None, None, (), '[part(indices_shape, 0, -1), part(input_shape, batch_dims + extent(indices_shape, -1))] element'),
    ("indices", "tensor", "in", "depends", False, (('*', 'indices_shape'),), 'index', ('use_index_plan', 0), None, (), 'indices_shape index; only if !use_index_plan'),
    ("dinput", "tensor", "in/out", "always", False, (('*', 'input_shape'),), 'element', None, None, (), 'input_shape element; read if write_mode == accumulate'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: the number of indexed slices left out is added'),
    ("sorted_rows", "tensor", "in", "depends", False, None, 'i32', ('use_index_plan', 1), None, (), '[product(indices_shape, 0, -1)] i32; only if use_index_plan'),
    ("order", "tensor", "in", "depends", False, None, 'i32', ('use_index_plan', 1), None, (), '[product(indices_shape, 0, -1)] i32; only if use_index_plan'),
), 'GatherND gradient. With b = batch_dims, K = the last extent of indices, B = the product of the first b extents of dinput,\nM = the product of all extents of indices but the last, and L = that of the extents of dinput from b + K on:\n    dinput = 0 (or what it holds);   dinput[batch(m), index(m), j] += dout[m, j]   for m < M, j < L\nwhere batch(m) = m / (M / B) and index(m) = indices[m, 0], .., indices[m, K - 1] along the axes b to b + K - 1.\nThe first b extents of dinput and indices are the same. dinput overlaps nothing.')
_operator(63, "gather_elements_grad", "index", (
    ("input_shape", "shape", None, 'of dinput, rank 1 to 8'),
    ("indices_shape", "shape", None, 'of dout and indices, the same rank'),
    ("axis", "i64", None, 'in [-rank, rank)'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("index", "dtype", None, 'i32, i64'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'default: overwrite'),
    ("use_index_plan", "i32", None, '1: sorted_rows and order, of an index plan of elements, instead of indices'),
), (
    ("dout", "tensor", "in", "always", False, (('*', 'indices_shape'),), 'element', None, None, (), 'indices_shape element'),
    ("indices", "tensor", "in", "depends", False, (('*', 'indices_shape'),), 'index', ('use_index_plan', 0), None, (), 'indices_shape index; only if !use_index_plan'),
    ("dinput", "tensor", "in/out", "always", False, (('*', 'input_shape'),), 'element', None, None, (), 'input_shape element; read if write_mode == accumulate'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: the number of indices outside the axis is added'),
    ("sorted_rows", "tensor", "in", "depends", False, None, 'i32', ('use_index_plan', 1), None, (), '[product(indices_shape)] i32; only if use_index_plan'),
    ("order", "tensor", "in", "depends", False, None, 'i32', ('use_index_plan', 1), None, (), '[product(indices_shape)] i32; only if use_index_plan'),
), 'GatherElements gradient:\n    dinput = 0 (or what it holds);   dinput[i_0, .., indices[i], .., i_(r-1)] += dout[i]   for every i of indices_shape\nwhere indices[i] stands in place of i_axis. indices_shape has the rank of input_shape, and no larger extents besides that of\nthe axis. dinput overlaps nothing.')
_operator(64, "index_add", "index", (
    ("shape", "shape", None, 'of input and output, rank 1 to 8'),
    ("axis", "i64", None, 'in [-rank, rank)'),
    ("num_indices", "i64", None, '0 to 2^31 - 1; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("index", "dtype", None, 'i32, i64'),
    ("use_index_plan", "i32", None, '1: sorted_rows and order, of an index plan with wrap_negative, instead of indices'),
), (
    ("input", "tensor", "in", "always", False, (('*', 'shape'),), 'element', None, None, (), 'shape element'),
    ("indices", "tensor", "in", "depends", False, ('num_indices',), 'index', ('use_index_plan', 0), None, (), '[num_indices] index; only if !use_index_plan'),
    ("source", "tensor", "in", "always", False, None, 'element', None, None, (), 'replaced(shape, axis, num_indices) element'),
    ("output", "tensor", "out", "always", False, (('*', 'shape'),), 'element', None, None, ('input',), 'shape element; may be input itself'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: the number of indices outside the axis is added'),
    ("sorted_rows", "tensor", "in", "depends", False, ('num_indices',), 'i32', ('use_index_plan', 1), None, (), '[num_indices] i32; only if use_index_plan'),
    ("order", "tensor", "in", "depends", False, ('num_indices',), 'i32', ('use_index_plan', 1), None, (), '[num_indices] i32; only if use_index_plan'),
), 'Addition of rows along an axis:\n    output = input;   output[p, indices[n], q] += source[p, n, q]\nfor every p of the extents before the axis and q of those after it. The sum of an element begins with what input holds there.\noutput may be input itself; otherwise it overlaps nothing.')
_operator(65, "slice_grad", "index", (
    ("input_shape", "shape", None, 'of dinput, rank 1 to 8'),
    ("starts", "axes", None, 'up to one for each axis'),
    ("ends", "axes", None, 'as many'),
    ("axes", "axes", None, 'as many, or none; no axis twice'),
    ("steps", "axes", None, 'as many, or none; not 0'),
    ("element", "dtype", None, 'every type of adj_dtype'),
), (
    ("dout", "tensor", "in", "always", False, None, 'element', None, None, (), 'element: the extents of the slice'),
    ("dinput", "tensor", "out", "always", False, (('*', 'input_shape'),), 'element', None, None, (), 'input_shape element'),
), 'Slice gradient: dinput is 0, but for the elements that the slice has taken, which are those of dout:\n    dinput[start_0 + i_0 step_0, .., start_(r-1) + i_(r-1) step_(r-1)] = dout[i]\nstarts, ends, axes and steps are those of ONNX Slice: negative starts, ends and axes count from the end, starts and ends are\nclamped to the axis, an end before the start gives an empty slice. Element k of each list belongs to axis axes[k]; without axes\nto axis k; without steps each is 1. Axes that are not named are taken whole. Elements are copied bit by bit.')
_operator(66, "pad_and_unflatten", "index", (
    ("num_indices", "i64", None, 'rows of input, 0 to 2^31 - 1; must be given'),
    ("batch", "i64", None, '>= 0; must be given'),
    ("length", "i64", None, '>= 0; must be given'),
    ("inner", "i64", None, 'elements of a row, >= 0'),
    ("element", "dtype", None, 'f32, f64, f16, bf16, i32, i64'),
    ("index", "dtype", None, 'i32, i64'),
), (
    ("input", "tensor", "in", "always", False, ('num_indices', 'inner'), 'element', None, None, (), '[num_indices, inner] element'),
    ("indices", "tensor", "in", "always", False, ('num_indices',), 'index', None, None, (), '[num_indices] index'),
    ("output", "tensor", "out", "always", False, ('batch', 'length', 'inner'), 'element', None, None, (), '[batch, length, inner] element'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: the number of indices outside [0, batch * length) is added'),
), 'Rows to their places in a padded batch:\n    output = 0;   output[indices[i] / length, indices[i] % length, :] = input[i, :]\nIndices are unique; of equal ones the last counts. Elements are copied bit by bit. Its gradient is flatten_and_unpad.')
_operator(67, "flatten_and_unpad", "index", (
    ("num_indices", "i64", None, 'rows of output, 0 to 2^31 - 1; must be given'),
    ("batch", "i64", None, '>= 0; must be given'),
    ("length", "i64", None, '>= 0; must be given'),
    ("inner", "i64", None, 'elements of a row, >= 0'),
    ("element", "dtype", None, 'f32, f64, f16, bf16, i32, i64'),
    ("index", "dtype", None, 'i32, i64'),
), (
    ("input", "tensor", "in", "always", False, ('batch', 'length', 'inner'), 'element', None, None, (), '[batch, length, inner] element'),
    ("indices", "tensor", "in", "always", False, ('num_indices',), 'index', None, None, (), '[num_indices] index'),
    ("output", "tensor", "out", "always", False, ('num_indices', 'inner'), 'element', None, None, (), '[num_indices, inner] element'),
    ("unflatten_dims", "tensor", "out", "optional", True, (2,), 'i64', None, None, (), '[2] i64: batch and length, written by the call itself'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: the number of indices outside is added'),
), 'Rows of a padded batch:\n    output[i, :] = input[indices[i] / length, indices[i] % length, :]\nand zeros for an index outside [0, batch * length). Elements are copied bit by bit. Its gradient is pad_and_unflatten where\nindices are unique.')
_operator(68, "view", "shape", (
    ("total", "i64", None, 'elements of input, >= 0: the sum of numel; must be given'),
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
    ("copies", "i32", None, '1: outputs are written; 0: they are absent'),
), (
    ("input", "tensor", "in", "always", False, ('total',), 'element', None, None, (), '[total] element'),
    ("outputs", "list", "out", "depends", False, None, 'element', ('copies', 1), None, (), '[numel] element; only if copies'),
    ("offsets", "tensor", "out", "optional", True, None, 'i64', None, None, (), '[count] i64: offsets in elements, written by the call itself'),
), 'Consecutive parts of a tensor: part i is numel[i] elements of input from the element offsets[i] = numel[0] + .. + numel[i - 1]\non. Without copies nothing is launched: the caller uses the address of input plus the offset, which is a multiple of the element\nsize only. With copies every part is copied to a buffer of its own, none of which overlaps another or input.')
_operator(69, "copy", "shape", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
), (
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("outputs", "list", "out", "always", False, None, 'element', None, None, ('inputs',), '[numel] element; may be inputs itself'),
), 'outputs[i] = inputs[i], a list in one launch. An output that is the very buffer of its input is left out; where all are, nothing is\nlaunched.')
_operator(70, "group", "control", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
), (
    ("inputs", "list", "in", "optional", False, None, 'element', None, None, (), '[numel] element: what has to be there; nothing is read'),
    ("done", "tensor", "out", "optional", True, (1,), 'bool', None, None, (), '[1] bool: true, written by the call itself'),
), 'A place in the order of a stream: nothing is launched, done is set. It says that the call was reached, not that work on the stream\nhas ended; record_event and wait_event order streams.')
_operator(71, "record_event", "control", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
    ("skip", "i32", None, '1: no event, tensors are passed on only'),
), (
    ("event", "handle", "in", "depends", False, None, None, ('skip', 0), None, (), 'only if !skip'),
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("outputs", "list", "out", "always", False, None, 'element', None, None, ('inputs',), '[numel] element; may be inputs itself'),
), "outputs = inputs, then event is recorded: it occurs when the work that the stream has so far is done. event is a CUevent or\ncudaEvent_t of the stream's device on a CUDA stream, and a handle of adj_host_event_create on the host stream, where it wakes all\nwho wait for it. Usable while the stream is being captured.")
_operator(72, "wait_event", "control", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
    ("skip", "i32", None, '1: no event, tensors are passed on only'),
), (
    ("event", "handle", "in", "depends", False, None, None, ('skip', 0), None, (), 'only if !skip'),
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("outputs", "list", "out", "always", False, None, 'element', None, None, ('inputs',), '[numel] element; may be inputs itself'),
), 'The stream waits for event, as it was last recorded, then outputs = inputs. Any number of streams may wait for one event. On a CUDA\nstream the calling thread does not wait, and an event that was never recorded has occurred; on the host stream the thread waits until\nthe event has been recorded since it was created or reset.')
_operator(73, "yield", "control", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("non_differentiable", "i64[]", 'non_differentiable_count', 'host array of places among outputs, ascending; copied by select'),
    ("free_shape", "i64[]", 'free_shape_count', 'host array of places of differentiable outputs, ascending; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
), (
    ("outputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("gradients", "list", "in", "always", False, None, 'element', None, None, (), 'element: one for each differentiable output, of its size or, with free_shape, of any'),
), "The border between a model and the loop that trains it: outputs leave, their gradients come in. A call checks counts, types and\nsizes and does nothing else. Gradient j is that of the j-th output whose place is not among non_differentiable. It has the size of\nits output, or any size where free_shape has the place (YieldOp's full_shape_outputs has the other places).")
_operator(74, "user_kernel", "control", (
    ("code", "bytes", 'code_bytes', 'what code_kind says; copied by select'),
    ("entry", "text", None, 'name of the kernel, as the code has it: of a C++ function the mangled one; copied by select'),
    ("macros", "text", None, 'of a source: blank-separated, "N=4 FAST"; defined at the head of the source; may be null, null otherwise'),
    ("input_numel", "i64[]", 'input_count', 'host array of input_count element counts >= 0'),
    ("output_numel", "i64[]", 'output_count', 'host array of output_count element counts >= 0'),
    ("integers", "i64[]", 'integer_count', 'host array of integer_count arguments'),
    ("reals", "f64[]", 'real_count', 'host array of real_count arguments'),
    ("grid", "axes", None, 'blocks, 1 to 3 extents >= 1'),
    ("block", "axes", None, 'threads, 1 to 3 extents >= 1'),
    ("shared_bytes", "i64", None, 'dynamic shared memory of a block, >= 0'),
    ("host", "pointer", None, 'for the host stream; null: there is no plan for it'),
    ("user", "pointer", None, 'what host is called with; may be null'),
    ("element", "dtype", None, 'of inputs: every type of adj_dtype'),
    ("output_element", "dtype", 'element', 'of outputs: every type; 0 = element'),
    ("code_kind", "i32", ('source', 'ptx', 'cubin'), 'what code is'),
), (
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[input_numel] element'),
    ("outputs", "list", "in/out", "always", False, None, 'output_element', None, None, ('inputs',), '[output_numel] output_element; may be inputs itself'),
), 'A kernel of the caller\'s. The entry is\n    extern "C" __global__ void entry(<a pointer for each input>, <a pointer for each output>, <a long long for each integer>,\n                                     <a double for each real>)\nBefore anything is launched, select compares the number of the parameters and their sizes with those that the machine code or the PTX\nstates; a type of the same size cannot be told from another. It fails with ADJ_ERROR_INVALID_PROBLEM, naming the parameter, where they\ndiffer, and where the code has no such kernel, naming those it has; with ADJ_ERROR_CORRUPT where the code cannot be read; with\nADJ_ERROR_UNSUPPORTED where a cubin or PTX is for another architecture; with ADJ_ERROR_COMPILE_FAILED and the compiler\'s log where a source\nor PTX does not compile.\nWhat the kernel reads and writes is the caller\'s affair, and so are its results: the guarantee of the SKU is that of the launch, which adds\nnothing to them. On the host stream run calls the function host in its place.\nThe code stays on the device while a plan or a bound call of it lives, and while it is among the 64 programs last selected; then it is\nunloaded. Keep the plan as long as a CUDA graph that captured a run.')
_operator(75, "callback", "control", (
    ("function", "pointer", None, 'must be given'),
    ("destroy", "pointer", None, 'called with user when the plan is gone; may be null'),
    ("user", "pointer", None, "the caller's; may be null"),
    ("input_numel", "i64[]", 'input_count', 'host array of input_count element counts >= 0; copied by select'),
    ("output_numel", "i64[]", 'output_count', 'host array of output_count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'of inputs and outputs: every type of adj_dtype'),
), (
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[input_numel] element'),
    ("outputs", "list", "in/out", "always", False, None, 'element', None, None, ('inputs',), '[output_numel] element; may be inputs itself'),
    ("context", "tensor", "in/out", "optional", True, (1,), 'i64', None, None, (), '[1] i64'),
), "A C function of the caller, called by run itself on the thread that calls it. What the function puts on the stream is in stream order\nwith what comes before and after it; the function must not wait for the stream, and while the stream is being captured it must do only\nwhat may be captured. context is a number of the caller's that one function leaves for another, such as the state that a forward\nfunction saves for its backward one. Functions are kept for as long as a plan that has them; destroy is then called once for it.")
_operator(76, "all_reduce", "collective", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64'),
    ("reduction", "i32", ('default', 'sum', 'average', 'max', 'min', 'prod'), 'default: sum'),
), (
    ("communicator", "handle", "in", "always", False, None, None, None, None, (), 'an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create'),
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("outputs", "list", "out", "always", False, None, 'element', None, None, ('inputs',), '[numel] element; may be inputs itself'),
), 'outputs[i] = the reduction over all ranks of inputs[i].')
_operator(77, "all_gather", "collective", (
    ("ranks", "i64", None, 'of the communicator, >= 1; must be given'),
    ("numel", "i64[]", 'count', 'host array of count element counts of the inputs >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
    ("layout", "i32", ('default', 'even', 'whole'), 'default: even'),
), (
    ("communicator", "handle", "in", "always", False, None, None, None, None, (), 'an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create'),
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element; may be a part of outputs: an entry may be the part of this rank'),
    ("outputs", "list", "out", "always", False, None, 'element', None, None, ('inputs',), '[layout == whole ? numel : ranks * numel], element; may be inputs itself'),
), 'Even: outputs[i] is the concatenation of the inputs[i] of all ranks, numel[i] elements each. Whole: outputs[i] is the inputs[i] of\nthe rank that owns it. In place, inputs[i] is the part of outputs[i] that this rank brings (even), or outputs[i] itself (whole); as\nthe part of another rank it is refused with ADJ_ERROR_ALIASING.')
_operator(78, "reduce_scatter", "collective", (
    ("ranks", "i64", None, 'of the communicator, >= 1; must be given'),
    ("numel", "i64[]", 'count', 'host array of count element counts of the outputs >= 0; copied by select'),
    ("element", "dtype", None, 'f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64'),
    ("layout", "i32", ('default', 'even', 'whole'), 'default: even'),
    ("reduction", "i32", ('default', 'sum', 'average', 'max', 'min', 'prod'), 'default: sum'),
), (
    ("communicator", "handle", "in", "always", False, None, None, None, None, (), 'an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create'),
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[layout == whole ? numel : ranks * numel], element'),
    ("outputs", "list", "in/out", "always", False, None, 'element', None, None, ('inputs',), '[numel] element; may be inputs itself; may be a part of inputs: an entry may be the part of this rank'),
), "Even: outputs[i] is this rank's part of the reduction over all ranks of inputs[i]. Whole: outputs[i] is the reduction where this rank\nowns tensor i, and is left as it is elsewhere. In place, outputs[i] is this rank's part of inputs[i] (even), or inputs[i] itself\n(whole); as the part of another rank it is refused with ADJ_ERROR_ALIASING.")
_operator(79, "send", "collective", (
    ("peer", "i64", None, 'rank that receives, not this one; must be given'),
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
), (
    ("communicator", "handle", "in", "always", False, None, None, None, None, (), 'an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create'),
    ("tensors", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
), 'Sends tensors to another rank, where recv with the same types and counts takes them. A receiver that does not know the counts takes\nthem first, by a call of its own for a tensor of fixed extent. On the host a copy is sent and the call does not wait.')
_operator(80, "recv", "collective", (
    ("peer", "i64", None, 'rank that sends, not this one; must be given'),
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
), (
    ("communicator", "handle", "in", "always", False, None, None, None, None, (), 'an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create'),
    ("tensors", "list", "out", "always", False, None, 'element', None, None, (), '[numel] element'),
), 'Receives what another rank sends.')
_operator(81, "broadcast", "collective", (
    ("root", "i64", None, 'a rank of the communicator'),
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'every type of adj_dtype'),
), (
    ("communicator", "handle", "in", "always", False, None, None, None, None, (), 'an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create'),
    ("tensors", "list", "in/out", "always", False, None, 'element', None, None, (), '[numel] element'),
), 'tensors[i] of every rank become those of the rank root.')
_operator(82, "adasum_all_reduce", "collective", (
    ("ranks", "i64", None, 'of the communicator, a power of two; must be given'),
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("communicator", "handle", "in", "always", False, None, None, None, None, (), 'an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create'),
    ("inputs", "list", "in", "always", False, None, 'element', None, None, (), '[numel] element'),
    ("outputs", "list", "out", "always", False, None, 'element', None, None, ('inputs',), '[numel] element; may be inputs itself'),
), 'Adasum over all ranks, 1, 2, 4, .. of them: with\n    adasum(a, b) = (1 - a.b / (2 a.a)) a + (1 - a.b / (2 b.b)) b,   a factor being 1 where its square a.a or b.b is below 1.5e-154,\noutputs[i] is adasum(adasum(r_0, r_1), adasum(r_2, r_3)), and so on, of the inputs[i] of ranks 0, 1, ..; products are per tensor.\nSums of products are taken in f64, the vectors between the levels are f32 (f64 for f64), and the result is rounded once.')
_operator(83, "megatron_f", "collective", (
    ("numel", "i64", None, 'elements >= 0; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("backward", "i32", None, '1: the backward direction'),
), (
    ("communicator", "handle", "in", "depends", False, None, None, ('backward', 1), None, (), 'only if backward'),
    ("input", "tensor", "in", "always", False, ('numel',), 'element', None, None, (), '[numel] element'),
    ("output", "tensor", "out", "always", False, ('numel',), 'element', None, None, ('input',), '[numel] element; may be input itself'),
), 'The beginning of a tensor-parallel block: a copy in the forward direction, the sum over all ranks in the backward one.')
_operator(84, "megatron_g", "collective", (
    ("numel", "i64", None, 'elements >= 0; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("backward", "i32", None, '1: the backward direction'),
), (
    ("communicator", "handle", "in", "depends", False, None, None, ('backward', 0), None, (), 'only if !backward'),
    ("input", "tensor", "in", "always", False, ('numel',), 'element', None, None, (), '[numel] element'),
    ("output", "tensor", "out", "always", False, ('numel',), 'element', None, None, ('input',), '[numel] element; may be input itself'),
), 'The end of a tensor-parallel block: the sum over all ranks in the forward direction, a copy in the backward one.')
_operator(85, "update_loss_scale", "precision", (
    ("growth_factor", "f64", None, 'finite, >= 1'),
    ("backoff_factor", "f64", None, 'in (0, 1]'),
    ("min_scale", "f64", None, '>= 0; finite in f32'),
    ("max_scale", "f64", None, '> 0, at least min_scale'),
    ("growth_interval", "i32", None, 'steps without found_inf before the scale grows: >= 1'),
), (
    ("found_inf", "tensor", "in", "always", False, (1,), 'f32', None, None, (), '[1] f32: not 0, a NaN included, when the step has been skipped'),
    ("scale", "tensor", "in/out", "always", False, (1,), 'f32', None, None, (), '[1] f32'),
    ("growth_tracker", "tensor", "in/out", "always", False, (1,), 'i32', None, None, (), '[1] i32: steps without found_inf since the scale has changed'),
), "UpdateLossScale: the dynamic scale of a loss, after a step of training.\n    found_inf is not 0:                    new = scale * backoff_factor,   growth_tracker = 0\n    growth_tracker + 1 >= growth_interval: new = scale * growth_factor,    growth_tracker = 0\n    otherwise:                             new = scale,                    growth_tracker += 1\n    scale = max(min_scale, min(max_scale, new)) in the first two cases\n\nArguments. found_inf is what clip_grad_norm, l2_norm, all_finite or scale has written. The scale belongs to the gradients of the step, so the call\ncomes after clip_grad_norm and the optimizer, which take the scale as their grad_scale. Nothing needs the host: a captured step scales, checks,\nskips and adapts by itself.\n\nTypes. Products and limits are in f64. The stored scale is rounded once.\n\nEdge cases:\n- A growth whose result is not finite leaves the scale as it is.\n- A scale of NaN stays NaN.\n- Unlike PyTorch, the scale grows at growth_tracker + 1 >= growth_interval, not only at equality.\n\nSource: PyTorch torch._amp_update_scale_ and torch.amp.GradScaler.update; min_scale and max_scale are those of NVIDIA Apex's LossScaler. With the\ndefaults of both limits the scale is that of PyTorch.")
_operator(86, "lion", "optimizer", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("param", "dtype", None, 'f32, f64, f16, bf16'),
    ("grad", "dtype", 'param', 'f32, f64, f16, bf16; 0 = param'),
    ("state", "dtype", 'param', 'of the moment: f32, f64, f16, bf16; 0 = param'),
    ("copy", "dtype", None, 'of a low-precision copy of the parameters: f16, bf16; 0 = none'),
    ("stochastic_rounding", "i32", None, '1: of the new weights, for parameters of a 16-bit type; needs tensor_keys'),
    ("advance_step", "i32", None, '1: the device step is incremented afterwards'),
    ("clear_grads", "i32", None, '1: the gradients are zero afterwards'),
    ("beta1", "f64", None, 'in [0, 1]'),
    ("beta2", "f64", None, 'in [0, 1]'),
    ("weight_decay", "f64", None, 'finite; 0 = none'),
    ("max_norm", "f64", None, '> 0; infinity clips nothing'),
    ("tensor_keys", "i64[]", 'tensor_key_count', 'host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits'),
    ("first_elements", "i64[]", 'first_element_count', "host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59"),
), (
    ("params", "list", "in/out", "always", False, None, 'param', None, None, (), '[numel] param: parameters w'),
    ("grads", "list", "in/out", "always", False, None, 'grad', None, None, (), '[numel] grad; written if clear_grads'),
    ("exp_avg", "list", "in/out", "always", False, None, 'state', None, None, (), '[numel] state: moment m'),
    ("copies", "list", "in/out", "depends", False, None, 'copy', None, None, (), '[numel] copy; only if copy'),
    ("lr", "scalar", "in", "always", False, None, None, None, float("nan"), (), 'any floating-point type on the device: finite, not negative; must be given'),
    ("step", "scalar", "in/out", "always", False, None, None, None, 0.0, (), 'i64 on the device; on the device if advance_step; written if advance_step: read by stochastic_rounding, then >= 1 by value'),
    ("seed", "scalar", "in", "depends", False, None, None, ('stochastic_rounding', 1), 0.0, (), 'i64 on the device; only if stochastic_rounding: on the device all 64 bits count; from 0 to 2^53 by value'),
    ("grad_scale", "scalar", "in", "always", False, None, None, None, 1.0, (), 'any floating-point type on the device: > 0'),
    ("gradient_norm", "scalar", "in", "always", False, None, None, None, 0.0, (), 'any floating-point type on the device: >= 0'),
    ("update_signal", "scalar", "in", "always", False, None, None, None, 1.0, (), 'bool on the device: 0 skips'),
    ("found_inf", "tensor", "in", "optional", False, (1,), 'f32', None, None, (), '[1] f32'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: 1 is added when gradient_norm is not finite'),
), 'Lion (Chen et al. 2023, Symbolic Discovery of Optimization Algorithms). With the gradient\n    g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)\n    c = beta1 * m + (1 - beta1) * g,   m = beta2 * m + (1 - beta2) * g,   w -= lr * (sign(c) + weight_decay * w)\ngradient_norm is as in adam.\n\nResults are defined to the last bit; only the payload of a NaN is open. Scalars are combined in f64 and then rounded to the type of the\narithmetic, in which, fma rounding once,\n    g = grad / s,   c = fma(1 - beta1, g, beta1 * m),   m = fma(1 - beta2, g, beta2 * m)\n    w = w - fma(lr * weight_decay, w, lr * sign(c))\nwith s = max(grad_scale, gradient_norm * (1 / max_norm)). lr * sign(c) is lr for c > 0, -lr for c < 0, and else c itself: +0, -0 or NaN.\nSo a weight of -0 stays -0 where c is +0, and becomes +0 where c is -0.\n\nA call skips when update_signal is 0, when found_inf is not 0, or when gradient_norm is not finite; that is an error by value, and on\nthe device is counted in error_flag. It then leaves everything as it is, but clears gradients all the same.')
_operator(87, "adamw_8bit", "optimizer", (
    ("numel", "i64[]", 'count', 'host array of count element counts >= 0; copied by select'),
    ("param", "dtype", None, 'f32, f16, bf16'),
    ("grad", "dtype", 'param', 'f32, f16, bf16; 0 = param'),
    ("copy", "dtype", None, 'of a low-precision copy of the parameters: f16, bf16; 0 = none'),
    ("stochastic_rounding", "i32", None, '1: of the new weights too, for parameters of a 16-bit type'),
    ("advance_step", "i32", None, '1: the device step is incremented afterwards'),
    ("clear_grads", "i32", None, '1: the gradients are zero afterwards'),
    ("beta1", "f64", None, 'in [0, 1)'),
    ("beta2", "f64", None, 'in [0, 1)'),
    ("epsilon", "f64", None, '>= 0'),
    ("weight_decay", "f64", None, 'finite; 0 = none'),
    ("max_norm", "f64", None, '> 0; infinity clips nothing'),
    ("tensor_keys", "i64[]", 'tensor_key_count', 'host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits'),
    ("first_elements", "i64[]", 'first_element_count', "host array: number of each entry's first element in its tensor, a multiple of 256 from 0; with its numel at most 2^59"),
), (
    ("params", "list", "in/out", "always", False, None, 'param', None, None, (), '[numel] param: parameters w'),
    ("grads", "list", "in/out", "always", False, None, 'grad', None, None, (), '[numel] grad; written if clear_grads'),
    ("exp_avg", "list", "in/out", "always", False, None, 'u8', None, None, (), '[numel] u8: bytes of the first moment m'),
    ("exp_avg_scale", "list", "in/out", "always", False, None, 'f32', None, None, (), '[ceil_div(numel, 256)] f32: scales of m'),
    ("exp_avg_sq", "list", "in/out", "always", False, None, 'u8', None, None, (), '[numel] u8: bytes of the second moment v'),
    ("exp_avg_sq_scale", "list", "in/out", "always", False, None, 'f32', None, None, (), '[ceil_div(numel, 256)] f32: scales of v'),
    ("copies", "list", "in/out", "depends", False, None, 'copy', None, None, (), '[numel] copy; only if copy'),
    ("lr", "scalar", "in", "always", False, None, None, None, float("nan"), (), 'any floating-point type on the device: finite, not negative; must be given'),
    ("step", "scalar", "in/out", "always", False, None, None, None, 0.0, (), 'i64 on the device; on the device if advance_step; written if advance_step: >= 1'),
    ("seed", "scalar", "in", "always", False, None, None, None, 0.0, (), 'i64 on the device: of the random bits: on the device all 64 bits count; from 0 to 2^53 by value'),
    ("grad_scale", "scalar", "in", "always", False, None, None, None, 1.0, (), 'any floating-point type on the device: > 0'),
    ("gradient_norm", "scalar", "in", "always", False, None, None, None, 0.0, (), 'any floating-point type on the device: >= 0'),
    ("update_signal", "scalar", "in", "always", False, None, None, None, 1.0, (), 'bool on the device: 0 skips'),
    ("found_inf", "tensor", "in", "optional", False, (1,), 'f32', None, None, (), '[1] f32'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: 1 is added when the device step is below 1 or gradient_norm is not finite'),
), 'AdamW with moments of 8 bits. With t the step, a = 1 - beta1^t, b = 1 - beta2^t, and the gradient\n    g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)\n    m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g\n    w -= lr * ((m / a) / (sqrt(v / b) + epsilon) + weight_decay * w)\ngradient_norm is as in adam. The weights follow from m and v before these are rounded.\n\nMoments are stored in blocks of 256 consecutive elements of a tensor, of which the last one may be short: a byte for each element and a\nscale for each block, the largest magnitude in it. For the f32 number with the bits x << 20 written as F(x), a byte c is worth\n    in exp_avg:    F(c & 127) * 2^112 * scale, negative where bit 7 is set:  4 bits of exponent, 3 of mantissa\n    in exp_avg_sq: F(c) * 2^96 * scale:                                      5 bits of exponent, 3 of mantissa\nso that the largest magnitude is stored as it is. The worth of a byte is rounded to f32. Training begins with zeros in all four lists. m is\nrounded to the nearest byte, away from 0 between two; a negative m that is rounded to 0 has the byte 0x80, which is worth -0. v is rounded at\nrandom, as weights are by stochastic rounding, with the bits that a weight draws: its decay of a thousandth at a step is less than half the distance of two\nbytes, and would be lost. The smallest byte of v is 1, which keeps divisors above 0. A block without a magnitude of 2^-126 or more becomes\nzero, with a scale and bytes of 0. A block with a magnitude that is not finite gets the scale NaN and bytes of 0: from the next step on all\nits weights are NaN.\n\nAn entry of the list that is a part of a tensor begins with a block, at a multiple of 256.\n\nResults are defined to the last bit, but for the payload of a NaN. Scalars are combined in f64 and rounded to f32, and in f32, fma rounding\nonce,\n    g = grad / s,   m = fma(1 - beta1, g, beta1 * m),   v = fma((1 - beta2) * g, g, beta2 * v)\n    w = w - fma(lr * weight_decay, w, (lr / a) * (m / fma(sqrt(v), 1 / sqrt(b), epsilon)))\n    byte of m: |m| * (1 / scale) * 2^-112, rounded;  byte of v: |v| * (1 / scale) * 2^-96, rounded, from 1 to 248\nwith s = max(grad_scale, gradient_norm * (1 / max_norm)).\n\nA call skips when update_signal is 0, when found_inf is not 0, when gradient_norm is not finite, or when the step is below 1; the last\ntwo are errors by value, and on the device are counted in error_flag. It then leaves everything as it is, but clears gradients all the\nsame.')
_operator(88, "matmul", "matmul", (
    ("m", "i64", None, '>= 0; -1: not given, refused'),
    ("n", "i64", None, '>= 0; -1: not given, refused'),
    ("k", "i64", None, '>= 0; -1: not given, refused'),
    ("batch", "i64", None, '>= 0'),
    ("lda", "i64", None, '0, or at least the columns of A as stored'),
    ("ldb", "i64", None, '0, or at least the columns of B as stored'),
    ("ldd", "i64", None, '0, or at least n'),
    ("stride_a", "i64", None, '>= 0: elements between matrices of A; matrices may overlap'),
    ("stride_b", "i64", None, '>= 0: elements between matrices of B; matrices may overlap'),
    ("stride_d", "i64", None, '>= 0: elements between matrices of D, which do not overlap: they follow each other, or each row of one lies beside that of the one before'),
    ("alpha", "f64", None, "in the arithmetic's type finite and not 0"),
    ("beta", "f64", None, "finite in the arithmetic's type; not 0: c is given. Only with the epilogue none, without accumulation"),
    ("transpose_a", "i32", None, '1: A is stored as [k, m]'),
    ("transpose_b", "i32", None, '1: B is stored as [n, k]'),
    ("epilogue", "i32", ('default', 'none', 'gelu_tanh', 'gelu_tanh_backward'), ''),
    ("has_bias", "i32", None, '1: bias is given; not with gelu_tanh_backward'),
    ("has_preactivation", "i32", None, '1: z is written to preactivation; needs gelu_tanh'),
    ("has_dbias", "i32", None, '1: dbias is written; needs transpose_a and a batch of 1'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'of d and dbias: overwrite, accumulate; accumulate needs the epilogue none and no bias'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("out", "dtype", 'element', 'element, or f32 with f16 and bf16; 0 = element'),
), (
    ("a", "tensor", "in", "always", False, ('batch', 'm', 'k'), 'element', None, None, (), 'transpose_a ? [batch, k, m] : [batch, m, k], element: A as stored'),
    ("b", "tensor", "in", "always", False, ('batch', 'k', 'n'), 'element', None, None, (), 'transpose_b ? [batch, n, k] : [batch, k, n], element: B as stored'),
    ("bias", "tensor", "in", "depends", False, ('n',), 'out', ('has_bias', 1), None, (), '[n] out; only if has_bias'),
    ("c", "tensor", "in", "depends", False, ('batch', 'm', 'n'), 'out', ('beta', 1), None, (), '[batch, m, n] out; only if beta != 0: laid out like d'),
    ("saved", "tensor", "in", "depends", False, ('batch', 'm', 'n'), 'out', None, None, (), '[batch, m, n] out; only if epilogue == gelu_tanh_backward: laid out like d: what the forward product wrote to preactivation'),
    ("d", "tensor", "in/out", "always", False, ('batch', 'm', 'n'), 'out', None, None, ('c',), '[batch, m, n] out; read if write_mode == accumulate; may be c itself: D; what lies between its rows is kept'),
    ("preactivation", "tensor", "in/out", "depends", False, ('batch', 'm', 'n'), 'out', ('has_preactivation', 1), None, (), '[batch, m, n] out; only if has_preactivation; read if ldd > n || stride_d > m * n: laid out like d; what lies between its rows is kept'),
    ("dbias", "tensor", "in/out", "depends", False, ('m',), 'out', ('has_dbias', 1), None, (), '[m] out; only if has_dbias; read if write_mode == accumulate'),
), 'Matrix product:\n    z = alpha op(A) op(B) + beta C + bias, the bias added to every row\n    d (=|+=) epilogue(z)\n    dbias[i] (=|+=) sum over k of op(A)[i, k]\nc, saved and preactivation are laid out like d. dbias, which alpha does not scale, is the gradient of a bias where A is the gradient of a result.')
_operator(89, "attention_forward", "attention", (
    ("batch", "i64", None, 'sequences, 0 to 2^31 - 1, with has_lengths to 2^31 - 2; must be given'),
    ("tokens", "i64", None, 'tokens of a sequence, with has_lengths of all sequences; 0 to 2^31 - 1; must be given'),
    ("heads", "i64", None, 'of q and out, 1 to 65535; must be given'),
    ("kv_heads", "i64", None, 'of k and v, a divisor of heads; 0: as many as heads'),
    ("head_dim", "i64", None, '1 to 256; must be given'),
    ("window", "i64", None, 'most tokens that a key may lie before its query; -1: any number'),
    ("scale", "f64", None, 'a finite number; 0: 1 / sqrt(head_dim)'),
    ("q_strides", "axes", None, 'elements between sequences, tokens and heads of q; none: packed'),
    ("k_strides", "axes", None, 'of k'),
    ("v_strides", "axes", None, 'of v'),
    ("out_strides", "axes", None, 'of out'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("causal", "i32", None, '1: a query meets no later keys'),
    ("has_lengths", "i32", None, '1: cu_seqlens is given'),
), (
    ("q", "tensor", "in", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with q_strides'),
    ("k", "tensor", "in", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with k_strides'),
    ("v", "tensor", "in", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with v_strides'),
    ("cu_seqlens", "tensor", "in", "depends", False, None, 'i32', ('has_lengths', 1), None, (), '[batch + 1] i32; only if has_lengths'),
    ("out", "tensor", "out", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with out_strides'),
    ("lse", "tensor", "out", "always", False, ('batch', 'heads', 'tokens'), 'f32/f64', None, None, (), 'has_lengths ? [heads, tokens] : [batch, heads, tokens], accumulator(element)'),
), 'Attention: out and lse of the formulas above.')
_operator(90, "attention_backward", "attention", (
    ("batch", "i64", None, 'as in attention_forward; must be given'),
    ("tokens", "i64", None, 'as in attention_forward; must be given'),
    ("heads", "i64", None, 'as in attention_forward; must be given'),
    ("kv_heads", "i64", None, 'as in attention_forward'),
    ("head_dim", "i64", None, 'as in attention_forward; must be given'),
    ("window", "i64", None, 'as in attention_forward'),
    ("scale", "f64", None, 'as in attention_forward'),
    ("q_strides", "axes", None, 'elements between sequences, tokens and heads of q; none: packed'),
    ("k_strides", "axes", None, 'of k'),
    ("v_strides", "axes", None, 'of v'),
    ("out_strides", "axes", None, 'of out'),
    ("dout_strides", "axes", None, 'of dout'),
    ("dq_strides", "axes", None, 'of dq'),
    ("dk_strides", "axes", None, 'of dk'),
    ("dv_strides", "axes", None, 'of dv'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("causal", "i32", None, 'as in attention_forward'),
    ("has_lengths", "i32", None, '1: cu_seqlens is given'),
), (
    ("dout", "tensor", "in", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with dout_strides'),
    ("q", "tensor", "in", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with q_strides'),
    ("k", "tensor", "in", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with k_strides'),
    ("v", "tensor", "in", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with v_strides'),
    ("out", "tensor", "in", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with out_strides'),
    ("lse", "tensor", "in", "always", False, ('batch', 'heads', 'tokens'), 'f32/f64', None, None, (), 'has_lengths ? [heads, tokens] : [batch, heads, tokens], accumulator(element)'),
    ("cu_seqlens", "tensor", "in", "depends", False, None, 'i32', ('has_lengths', 1), None, (), '[batch + 1] i32; only if has_lengths'),
    ("dq", "tensor", "out", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with dq_strides'),
    ("dk", "tensor", "out", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with dk_strides'),
    ("dv", "tensor", "out", "always", False, None, 'element', None, None, (), 'has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with dv_strides'),
), 'Gradients of attention. With w[i, j] = exp(s[i, j] - lse[i]) and\n    ds[i, j] = w[i, j] * (sum over d of dout[i, d] * v[j, d] - sum over d of dout[i, d] * out[i, d]):\n    dq[i, d] = scale * sum over j of ds[i, j] * k[j, d]\n    dk[j, d] = scale * sum over i of ds[i, j] * q[i, d]\n    dv[j, d] = sum over i of w[i, j] * dout[i, d]\nwhere i also runs over all heads of q that meet the head of k and v. out and lse are those of attention_forward for the same q, k and v, and\nthe same fields.')
_operator(91, "rope_forward", "rope", (
    ("batch", "i64", None, 'sequences >= 0'),
    ("tokens", "i64", None, 'tokens of a sequence >= 0; must be given'),
    ("heads", "i64", None, 'heads of queries >= 1; must be given'),
    ("kv_heads", "i64", None, 'heads of keys behind them >= 0'),
    ("head_dim", "i64", None, '2 to 1024; must be given'),
    ("rotary_dim", "i64", None, 'elements of a head that are rotated: even, at most head_dim and 512; 0: head_dim'),
    ("table_rows", "i64", None, 'rows of cos and sin, at most 2^31; 0: no tables'),
    ("base", "f64", None, 'of the angles, > 0; not with tables'),
    ("epsilon", "f64", None, 'of the norm, > 0; only with has_norm'),
    ("strides", "axes", None, 'elements between sequences, tokens and heads of input; none: packed'),
    ("out_strides", "axes", None, 'of out; none: packed'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("weight", "dtype", 'element', 'of q_weight and k_weight: element, or f32 for f16 and bf16; 0 = element'),
    ("position", "dtype", None, 'i32, i64; 0: positions are not given'),
    ("interleaved", "i32", None, '1: neighbours are a pair; 0: elements rotary_dim / 2 apart are'),
    ("has_norm", "i32", None, '1: heads are normalised before the rotation'),
), (
    ("input", "tensor", "in", "always", False, None, 'element', None, None, (), '[batch, tokens, heads + kv_heads, head_dim] element; or its span with strides'),
    ("positions", "tensor", "in", "depends", False, ('batch', 'tokens'), 'position', None, None, (), '[batch, tokens] position; only if position'),
    ("cos", "tensor", "in", "depends", False, None, 'f32/f64', None, None, (), '[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2], accumulator(element); only if table_rows > 0'),
    ("sin", "tensor", "in", "depends", False, None, 'f32/f64', None, None, (), '[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2], accumulator(element); only if table_rows > 0'),
    ("q_weight", "tensor", "in", "depends", False, ('head_dim',), 'weight', ('has_norm', 1), None, (), '[head_dim] weight; only if has_norm'),
    ("k_weight", "tensor", "in", "depends", False, ('head_dim',), 'weight', None, None, (), '[head_dim] weight; only if has_norm && kv_heads > 0'),
    ("out", "tensor", "out", "always", False, None, 'element', None, None, ('input',), '[batch, tokens, heads + kv_heads, head_dim] element; or its span with out_strides; may be input itself'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: positions out of range are added to it'),
), 'Rotary position embedding: out of the formulas above.')
_operator(92, "rope_backward", "rope", (
    ("batch", "i64", None, 'sequences >= 0'),
    ("tokens", "i64", None, 'tokens of a sequence >= 0; must be given'),
    ("heads", "i64", None, 'heads of queries >= 1; must be given'),
    ("kv_heads", "i64", None, 'heads of keys behind them >= 0'),
    ("head_dim", "i64", None, '2 to 1024; must be given'),
    ("rotary_dim", "i64", None, 'elements of a head that are rotated: even, at most head_dim and 512; 0: head_dim'),
    ("table_rows", "i64", None, 'rows of cos and sin, at most 2^31; 0: no tables'),
    ("base", "f64", None, 'of the angles, > 0; not with tables'),
    ("epsilon", "f64", None, 'of the norm, > 0; only with has_norm'),
    ("strides", "axes", None, 'elements between sequences, tokens and heads of input; only with has_norm; none: packed'),
    ("dout_strides", "axes", None, 'of dout; none: packed'),
    ("dinput_strides", "axes", None, 'of dinput; none: packed'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
    ("weight", "dtype", 'element', 'of q_weight, k_weight and their gradients: element, or f32 for f16 and bf16; 0 = element'),
    ("position", "dtype", None, 'i32, i64; 0: positions are not given'),
    ("interleaved", "i32", None, '1: neighbours are a pair; 0: elements rotary_dim / 2 apart are'),
    ("has_norm", "i32", None, '1: heads were normalised before the rotation'),
    ("write_mode", "i32", ('default', 'overwrite', 'accumulate'), 'of dq_weight and dk_weight'),
), (
    ("dout", "tensor", "in", "always", False, None, 'element', None, None, (), '[batch, tokens, heads + kv_heads, head_dim] element; or its span with dout_strides'),
    ("input", "tensor", "in", "depends", False, None, 'element', ('has_norm', 1), None, (), '[batch, tokens, heads + kv_heads, head_dim] element; or its span with strides; only if has_norm'),
    ("positions", "tensor", "in", "depends", False, ('batch', 'tokens'), 'position', None, None, (), '[batch, tokens] position; only if position'),
    ("cos", "tensor", "in", "depends", False, None, 'f32/f64', None, None, (), '[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2], accumulator(element); only if table_rows > 0'),
    ("sin", "tensor", "in", "depends", False, None, 'f32/f64', None, None, (), '[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2], accumulator(element); only if table_rows > 0'),
    ("q_weight", "tensor", "in", "depends", False, ('head_dim',), 'weight', ('has_norm', 1), None, (), '[head_dim] weight; only if has_norm'),
    ("k_weight", "tensor", "in", "depends", False, ('head_dim',), 'weight', None, None, (), '[head_dim] weight; only if has_norm && kv_heads > 0'),
    ("dinput", "tensor", "out", "always", False, None, 'element', None, None, ('dout', 'input'), '[batch, tokens, heads + kv_heads, head_dim] element; or its span with dinput_strides; may be dout or input itself'),
    ("dq_weight", "tensor", "in/out", "depends", False, ('head_dim',), 'weight', ('has_norm', 1), None, (), '[head_dim] weight; only if has_norm; read if write_mode == accumulate'),
    ("dk_weight", "tensor", "in/out", "depends", False, ('head_dim',), 'weight', None, None, (), '[head_dim] weight; only if has_norm && kv_heads > 0; read if write_mode == accumulate'),
    ("error_flag", "tensor", "in/out", "optional", False, (1,), 'i64', None, None, (), '[1] i64: positions out of range are added to it'),
), 'Rotary position embedding, gradient: the transpose of the rotation, then the gradient of the norm.\n    dz[first(j)]  = dout[first(j)] * cos[p, j] + dout[second(j)] * sin[p, j]\n    dz[second(j)] = dout[second(j)] * cos[p, j] - dout[first(j)] * sin[p, j],   dz[i] = dout[i] for i >= rotary_dim\n    dinput = dz,   with has_norm inv * (dz * weight - h * mean over the head of (dz * weight * h)),   h = input * inv\n    dq_weight[i] = sum over tokens and heads of queries of dz[i] * h[i];   dk_weight[i] likewise for keys\nThe norm is taken from input again, so nothing but input has to be kept; input is then not to be overwritten by rope_forward.')
_operator(93, "transpose", "shape", (
    ("batch", "i64", None, 'matrices >= 0'),
    ("rows", "i64", None, '>= 0; must be given'),
    ("columns", "i64", None, '>= 0; must be given'),
    ("element", "dtype", None, 'every type of adj_dtype'),
), (
    ("input", "tensor", "in", "always", False, ('batch', 'rows', 'columns'), 'element', None, None, (), '[batch, rows, columns] element'),
    ("output", "tensor", "out", "always", False, ('batch', 'columns', 'rows'), 'element', None, None, (), '[batch, columns, rows] element'),
), 'Transpose of matrices:   output[b, c, r] = input[b, r, c]')
_operator(94, "fill", "fill", (
    ("numel", "i64", None, 'elements >= 0; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("value", "scalar", "in", "always", False, None, None, None, 0.0, (), 'f32 or f64 on the device'),
    ("out", "tensor", "out", "always", False, ('numel',), 'element', None, None, (), '[numel] element'),
), 'Fill:   out[i] = value, rounded once')
_operator(95, "normal", "fill", (
    ("numel", "i64", None, 'elements >= 0; must be given'),
    ("element", "dtype", None, 'f32, f64, f16, bf16'),
), (
    ("mean", "scalar", "in", "always", False, None, None, None, 0.0, (), 'f32 or f64 on the device'),
    ("std", "scalar", "in", "always", False, None, None, None, 1.0, (), 'f32 or f64 on the device'),
    ("random", "random", "in", "always", False, None, None, None, None, (), 'seed and offset, must be given'),
    ("out", "tensor", "out", "always", False, ('numel',), 'element', None, None, (), '[numel] element'),
), 'Normal:   out[e] = mean + std * n(e), rounded once\n\nn is made by Box and Muller from Philox4x32-10, keyed and counted as in dropout.h. Elements 2 k and 2 k + 1, counted in row-major order, take words\nu and v: the words (2 k) mod 4 and (2 k + 1) mod 4 of the block whose counter is (b mod 2^32, b / 2^32, 0, 0), b = (offset / 4 + e / 4) mod 2^64.\n    r = sqrt(-2 log((u + 1/2) * 2^-32)),   t = 2 pi v * 2^-32,   n(2 k) = r cos t,   n(2 k + 1) = r sin t\nin f64. So an element depends on seed, offset, mean, std and e alone, and |n| is at most 6.77.\n\nArguments. A call consumes 4 * ceil(numel / 4) words. The next call takes an offset that much larger. random has no default. Its offset is a multiple\nof 4; an offset on the device is used as offset - offset mod 4.\n\nTerms (see adj_guarantee): |mean| + |std| (1 + |n|).')
