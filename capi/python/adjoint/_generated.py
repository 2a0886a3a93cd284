"""Written by tools/generate.py from the C headers. Do not edit."""
import ctypes as _c
import enum as _enum
from collections import namedtuple as _namedtuple

VERSION = "0.9.0.dev0"
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
    F8_E4M3 = 17
    F8_E5M2 = 19
    F8_E8M0 = 24


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


class ScaleGranularity(_enum.IntEnum):
    DEFAULT = 0
    TENSOR = 1
    ROW = 2
    BLOCK_1X128 = 3
    BLOCK_128X128 = 4


class ScaleLayout(_enum.IntEnum):
    DEFAULT = 0
    NATURAL = 1
    GEMM = 2


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
    FIELD_LIMITS = 13


class FieldKind(_enum.IntEnum):
    I64 = 1
    I32 = 2
    DTYPE = 3
    F64 = 4
    I64_LIST = 5
    SHAPE = 6
    AXES = 7
    F64_LIST = 8
    TEXT = 9
    POINTER = 10
    BYTES = 11


class ArgumentKind(_enum.IntEnum):
    TENSOR = 1
    LIST = 2
    SCALAR = 3
    RANDOM = 4
    HANDLE = 5


class Role(_enum.IntEnum):
    IN = 1
    OUT = 2
    INOUT = 3


class Presence(_enum.IntEnum):
    REQUIRED = 1
    OPTIONAL = 2
    DEPENDS = 3
    ABSENT = 4


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


class ScaleRule(_enum.IntEnum):
    DEFAULT = 0
    RECIPROCAL = 1
    QUOTIENT = 2


class ScaleSource(_enum.IntEnum):
    DEFAULT = 0
    COMPUTED = 1
    GIVEN = 2
    AMAX = 3


class AmaxAlgorithm(_enum.IntEnum):
    DEFAULT = 0
    MAX = 1
    MOST_RECENT = 2


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


class MoeScore(_enum.IntEnum):
    SOFTMAX_OF_CHOSEN = 0
    SOFTMAX = 1
    SIGMOID = 2
    SQRT_SOFTPLUS = 3


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
                ("workspace_limit", _c.c_uint64), ("sku", _c.c_char_p), ("fallback", _c.c_int32), ("workspace_arch", _c.c_int32),
                ("tune", _c.c_int32), ("reserved", _c.c_uint32)]


class adj_callback_call(_c.Structure):
    _fields_ = [ ("header", adj_header), ("user", _c.c_void_p), ("stream", _c.c_void_p), ("context", _c.c_void_p),
                ("inputs", _c.c_void_p), ("outputs", _c.c_void_p)]


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
                ("sku_count", _c.c_int32), ("session", _c.c_char_p), ("obstacle", _c.c_char_p), ("binding", _c.c_char_p),
                ("combinations", _c.c_char_p)]


class adj_field(_c.Structure):
    _fields_ = [ ("name", _c.c_char_p), ("choices", _c.c_char_p), ("about", _c.c_char_p), ("kind", _c.c_int32), ("offset", _c.c_uint32)]


class adj_field_limits(_c.Structure):
    _fields_ = [ ("header", adj_header), ("least", _c.c_int64), ("most", _c.c_int64), ("least_real", _c.c_double),
                ("most_real", _c.c_double), ("types", _c.c_char_p), ("only_if", _c.c_char_p), ("refused_if", _c.c_char_p),
                ("above_least", _c.c_int32), ("below_most", _c.c_int32), ("finite", _c.c_int32), ("number", _c.c_int32)]


class adj_argument(_c.Structure):
    _fields_ = [ ("name", _c.c_char_p), ("about", _c.c_char_p), ("kind", _c.c_int32), ("role", _c.c_int32), ("presence", _c.c_int32),
                ("host", _c.c_int32), ("offset", _c.c_uint32), ("may_equal", _c.c_uint32)]


class adj_requirement(_c.Structure):
    _fields_ = [ ("header", adj_header), ("presence", _c.c_int32), ("role", _c.c_int32), ("dtype", _c.c_int32),
                ("other_dtype", _c.c_int32), ("any_float", _c.c_int32), ("device_only", _c.c_int32), ("rank", _c.c_int32),
                ("reserved", _c.c_uint32), ("shape", _c.c_int64 * 8), ("count", _c.c_int64), ("bytes", _c.c_uint64),
                ("alignment", _c.c_uint64)]


adj_callback_function = _c.CFUNCTYPE(_c.c_int32, _c.c_void_p)
adj_callback_destroy = _c.CFUNCTYPE(None, _c.c_void_p)
adj_progress = _c.CFUNCTYPE(_c.c_int32, _c.c_void_p, _c.c_int64, _c.c_int64, _c.c_char_p, _c.c_double)
adj_log_fn = _c.CFUNCTYPE(None, _c.c_void_p, _c.c_int32, _c.c_char_p)

# Named tuples of structures that functions fill in.
Guarantee = _namedtuple("Guarantee", "math accumulator determinism bit_stable float_atomics bound_ulp bound_terms bound_absolute")
Guarantee.__doc__ = "|computed - exact| <= bound_ulp * ulp + bound_terms * (sum of the terms' magnitudes) + bound_absolute.\n\nThree zeros mean equal bits."
Sku = _namedtuple("Sku", "id op algorithm signature arch source summary backend program_count guarantee")
Sku.__doc__ = "One concrete kernel."
PlanInfo = _namedtuple("PlanInfo", "workspace_size bind_workspace_size launches bound_launches from_ptx")
PlanInfo.__doc__ = "What a run of a plan takes."
Kernel = _namedtuple("Kernel", "source entry macros code_bytes static_shared_bytes registers local_bytes compile_ms")
Kernel.__doc__ = "The machine code of one kernel."
Device = _namedtuple("Device", "name arch memory multiprocessors compute_capability")
Device.__doc__ = "A CUDA device."
LibraryInfo = _namedtuple("LibraryInfo", "name path version problem available")
LibraryInfo.__doc__ = "A library that is loaded at run time."
Rejection = _namedtuple("Rejection", "sku code reason")
Rejection.__doc__ = "One candidate of a selection: its SKU, and Status.OK or why it was not taken."
RECORDS = { Guarantee: adj_guarantee, Sku: adj_sku_info, PlanInfo: adj_plan_info, Kernel: adj_kernel_info, Device: adj_device_info,
           LibraryInfo: adj_library_info, Rejection: adj_rejection}
# Enumerations that are the type of a member, by its name.
MEMBERS = {'math': Math, 'accumulator': Dtype, 'determinism': Determinism, 'backend': Backend, 'code': Status}

# The gradient of an operator. operator: that computes it; "" where the gradient is the last of the inputs, times the others. inputs: its arguments, and what
# they are in the forward call, the first that is there; d and the name of an output is the gradient of that. conditions: inputs, and fields of both, that
# count only if that field or gradient is there, or with ! if that input is not. outputs: its output for each argument of the forward call. fields: from
# what the forward call has of a name. taken: fields that the forward call takes for it.
Gradient = _namedtuple("Gradient", "operator inputs conditions outputs fields taken", defaults=("", {}, {}, {}, {}, ()))
GRADIENTS = {
    "embedding_forward": Gradient("embedding_backward", {"dout": ("dout",), "indices": ("indices",)}, {}, {"weight": "dweight"},
        {"num_embeddings": lambda have: have("weight").shape[0]}, ("scale_grad_by_freq",)),
    "softmax_cross_entropy_loss": Gradient("softmax_cross_entropy_loss_backward", {"dloss": ("dloss",), "scores": ("scores",), "lse": ("lse",),
        "labels": ("labels",), "weight": ("weight",), "sample_weight": ("sample_weight",)}, {}, {"scores": "dscores"}, {}, ()),
    "embedding_bag_forward": Gradient("embedding_bag_backward", {"dout": ("dout",), "indices": ("indices",), "offsets": ("offsets",),
        "per_sample_weights": ("per_sample_weights",), "max_positions": ("max_positions",)}, {}, {"weight": "dweight"},
        {"num_embeddings": lambda have: have("weight").shape[0]}, ("scale_grad_by_freq",)),
    "activation_forward": Gradient("activation_backward", {"dout": ("dout",), "saved": ("out", "input"), "bias": ("bias",)}, {}, {"input": "dinput",
        "bias": "dbias"}, {}, ()),
    "gated_activation_forward": Gradient("gated_activation_backward", {"dout": ("dout",), "input": ("input",)}, {}, {"input": "dinput"}, {}, ()),
    "fake_quantize_forward": Gradient("fake_quantize_backward", {"dout": ("dout",), "mask": ("mask",)}, {}, {"input": "dinput"}, {}, ()),
    "dropout_forward": Gradient("dropout_backward", {"dout": ("dout",), "mask": ("mask",), "ratio": ("ratio",), "random": ("random",)},
        {"random": "!mask", "mapping": "!mask", "multiprocessors": "!mask", "threads_per_multiprocessor": "!mask"}, {"input": "dinput"}, {}, ()),
    "softmax_forward": Gradient("softmax_backward", {"dout": ("dout",), "out": ("out",)}, {}, {"input": "dinput"}, {}, ()),
    "log_softmax_forward": Gradient("log_softmax_backward", {"dout": ("dout",), "out": ("out",)}, {}, {"input": "dinput"}, {}, ()),
    "soft_label_cross_entropy_loss": Gradient("soft_label_cross_entropy_loss_backward", {"dloss": ("dloss",), "scores": ("scores",), "lse": ("lse",),
        "labels": ("labels",)}, {}, {"scores": "dscores"}, {}, ("exact",)),
    "cross_entropy_with_gradient": Gradient("", {"dloss": ("dloss",), "dscores": ("dscores",)}, {}, {}, {}, ()),
    "log_prob_entropy": Gradient("log_prob_entropy_backward", {"dlog_prob": ("dlog_prob",), "dentropy": ("dentropy",), "scores": ("scores",),
        "labels": ("labels",), "lse": ("lse",), "entropy": ("entropy",)}, {"entropy": "dentropy"}, {"scores": "dscores"}, {}, ()),
    "layer_norm_forward": Gradient("layer_norm_backward", {"dout": ("dout",), "input": ("sum", "input"), "gamma": ("gamma",), "mean": ("mean",),
        "inv_std": ("inv_std",), "dresidual": ("dsum",)}, {}, {"input": "dinput", "gamma": "dgamma", "beta": "dbeta", "residual": "dinput"}, {}, ()),
    "rms_norm_forward": Gradient("rms_norm_backward", {"dout": ("dout",), "input": ("sum", "input"), "gamma": ("gamma",), "inv_std": ("inv_std",),
        "dresidual": ("dsum",)}, {}, {"input": "dinput", "gamma": "dgamma", "residual": "dinput"}, {}, ()),
    "batch_norm_forward": Gradient("batch_norm_backward", {"dout": ("dout",), "input": ("input",), "scale": ("scale",), "saved_mean": ("saved_mean",),
        "saved_inv_std": ("saved_inv_std",), "running_mean": ("running_mean",), "running_variance": ("running_variance",)}, {"running_mean": "frozen",
        "running_variance": "frozen"}, {"input": "dinput", "scale": "dscale", "bias": "dbias"}, {"frozen": lambda have: int(have("training") == 0)},
        ()),
    "conv_forward": Gradient("conv_backward", {"dout": ("dout",), "input": ("input",), "weight": ("weight",)}, {"input": "has_dweight",
        "weight": "has_dinput"}, {"input": "dinput", "weight": "dweight", "bias": "dbias"}, {"input_shape": lambda have: have("input").shape,
        "weight_shape": lambda have: have("weight").shape}, ()),
    "conv_transpose_forward": Gradient("conv_transpose_backward", {"dout": ("dout",), "input": ("input",), "weight": ("weight",)},
        {"input": "has_dweight", "weight": "has_dinput"}, {"input": "dinput", "weight": "dweight", "bias": "dbias"},
        {"input_shape": lambda have: have("input").shape, "weight_shape": lambda have: have("weight").shape}, ()),
    "resize_forward": Gradient("resize_backward", {"dout": ("dout",)}, {}, {"input": "dinput"}, {"input": lambda have: have("input").shape}, ()),
    "attention_forward": Gradient("attention_backward", {"dout": ("dout",), "q": ("q",), "k": ("k",), "v": ("v",), "out": ("out",), "lse": ("lse",),
        "cu_seqlens": ("cu_seqlens",)}, {}, {"q": "dq", "k": "dk", "v": "dv"}, {}, ()),
    "rope_forward": Gradient("rope_backward", {"dout": ("dout",), "input": ("input",), "positions": ("positions",), "cos": ("cos",), "sin": ("sin",),
        "q_weight": ("q_weight",), "k_weight": ("k_weight",)}, {"input": "has_norm"}, {"input": "dinput", "q_weight": "dq_weight",
        "k_weight": "dk_weight"}, {}, ()),
    "moe_route": Gradient("moe_route_backward", {"logits": ("logits",), "experts": ("experts",), "dweights": ("dweights",), "counts": ("counts",),
        "counted": ("counted",), "dloss": ("dloss",)}, {"counts": "has_losses", "counted": "has_losses", "dloss": "has_losses"},
        {"logits": "dlogits"}, {}, ()),
    "moe_permute": Gradient("moe_permute_backward", {"dout": ("dout",), "inverse": ("inverse",)}, {}, {"input": "dinput"}, {}, ()),
    "moe_unpermute": Gradient("moe_unpermute_backward", {"dout": ("dout",), "rows": ("rows",), "weights": ("weights",), "order": ("order",),
        "inverse": ("inverse",)}, {}, {"rows": "drows", "weights": "dweights"}, {}, ()),
    "group_norm_forward": Gradient("group_norm_backward", {"dout": ("dout",), "input": ("input",), "scale": ("scale",), "mean": ("mean",),
        "inv_std": ("inv_std",)}, {}, {"input": "dinput", "scale": "dscale", "bias": "dbias"}, {}, ()),
    "linear_cross_entropy": Gradient("linear_cross_entropy_backward", {"dloss": ("dloss",), "input": ("input",), "linear_weight": ("linear_weight",),
        "bias": ("bias",), "labels": ("labels",), "weight": ("weight",)}, {}, {"input": "dinput", "linear_weight": "dlinear_weight", "bias": "dbias"},
        {}, ()),
    "linear_log_prob": Gradient("linear_log_prob_backward", {"dlog_prob": ("dlog_prob",), "dentropy": ("dentropy",), "input": ("input",),
        "linear_weight": ("linear_weight",), "labels": ("labels",), "lse": ("lse",), "entropy": ("entropy",)}, {"entropy": "dentropy"},
        {"input": "dinput", "linear_weight": "dlinear_weight"}, {}, ()),
}

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
    "adj_tuning_load": (_c.c_int32, (_c.c_char_p,)),
    "adj_tuning_save": (_c.c_int32, (_c.c_char_p,)),
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
    "adj_op_field_limits": (_c.c_int32, (_c.c_int32, _c.c_int64, _c.c_void_p)),
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
    "adj_field_limits": 13,
    "adj_requirement": 12,
    "adj_callback_call": 11,
}
