# Written by tools/generate.py from the C headers. Do not edit.
from typing import Any, Callable, Generic, Literal, Sequence, TypeVar

from . import _generated as _e
from ._library import Array, DtypeLike, Preference, Random, Scalar, Stream
from .ops import Function

FUNCTIONS: tuple[str, ...]
GATED_FUNCTIONS: tuple[str, ...]
SAVED_OUTPUT: tuple[str, ...]

@Function
def matmul(a: Array, b: Array, bias: Array | None = ..., c: Array | None = ..., saved: Array | None = ..., *,
    transpose_a: bool = ..., transpose_b: bool = ..., d: Array | bool | None = ..., preactivation: Array | bool | None = ...,
    dbias: Array | bool | None = ..., m: int = ..., n: int = ..., k: int = ..., batch: int = ..., lda: int = ..., ldb: int = ...,
    ldd: int = ..., stride_a: int = ..., stride_b: int = ..., stride_d: int = ..., alpha: float = ..., beta: float = ...,
    epilogue: Literal["default", "none", "gelu_tanh", "gelu_tanh_backward"] | _e.MatmulEpilogue | int = ..., has_bias: int = ...,
    has_preactivation: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    out: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def softmax(input: Array, axis: int = ..., *, out: Array | bool | None = ..., outer: int = ..., extent: int = ...,
    inner: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def log_softmax(input: Array, axis: int = ..., *, out: Array | bool | None = ..., outer: int = ..., extent: int = ...,
    inner: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def softmax_backward(dout: Array, out: Array, axis: int = ..., *, dinput: Array | bool | None = ..., outer: int = ...,
    extent: int = ..., inner: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def log_softmax_backward(dout: Array, out: Array, axis: int = ..., *, dinput: Array | bool | None = ..., outer: int = ...,
    extent: int = ..., inner: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def cross_entropy(scores: Array, labels: Array, weight: Array | None = ..., *, ignore_index: int | None = ...,
    reduction: str = ..., class_axis: int = ..., return_lse: bool = ..., loss: Array | bool | None = ...,
    log_prob: Array | bool | None = ..., lse: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    sample_weight: Array | None = ..., batch: int = ..., num_classes: int = ..., inner: int = ..., padded_classes: int = ...,
    nan_when_empty: int = ..., has_ignore_index: int = ..., element: DtypeLike = ..., label: DtypeLike = ...,
    output: DtypeLike = ..., weight_dtype: DtypeLike = ..., sample_weight_dtype: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def cross_entropy_backward(dloss: Array, scores: Array, lse: Array, labels: Array, weight: Array | None = ..., *,
    ignore_index: int | None = ..., reduction: str = ..., class_axis: int = ..., log_prob: Array | None = ...,
    bias: Array | None = ..., dscores: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    sample_weight: Array | None = ..., batch: int = ..., num_classes: int = ..., inner: int = ..., padded_classes: int = ...,
    from_scores: int = ..., has_ignore_index: int = ..., element: DtypeLike = ..., label: DtypeLike = ..., output: DtypeLike = ...,
    weight_dtype: DtypeLike = ..., sample_weight_dtype: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def cross_entropy_with_gradient(scores: Array, labels: Array, weight: Array | None = ..., *, ignore_index: int | None = ...,
    reduction: str = ..., dloss: Scalar | None = ..., loss: Array | bool | None = ..., lse: Array | bool | None = ...,
    dscores: Array | bool | None = ..., error_flag: Array | bool | None = ..., samples: int = ..., num_classes: int = ...,
    padded_classes: int = ..., label_smoothing: float = ..., z_loss: float = ..., has_ignore_index: int = ...,
    element: DtypeLike = ..., label: DtypeLike = ..., weight_dtype: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def embedding(indices: Array, weight: Array, *, padding_idx: int | None = ..., out: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., num_embeddings: int = ..., embedding_dim: int = ..., num_indices: int = ...,
    has_padding_idx: int = ..., padding_zeroes_forward: int = ..., element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def embedding_backward(dout: Array, indices: Array, num_embeddings: int, *, padding_idx: int | None = ..., accumulate: bool = ...,
    dweight: Array | bool | None = ..., error_flag: Array | bool | None = ..., sorted_rows: Array | None = ...,
    order: Array | None = ..., embedding_dim: int = ..., num_indices: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., scale_grad_by_freq: int = ...,
    has_padding_idx: int = ..., use_index_plan: int = ..., element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def layer_norm(input: Array, gamma: Array | None = ..., beta: Array | None = ..., *, axis: int = ..., residual: Array | None = ...,
    return_statistics: bool = ..., out: Array | bool | None = ..., sum: Array | bool | None = ..., mean: Array | bool | None = ...,
    inv_std: Array | bool | None = ..., shape: Sequence[int] = ..., epsilon: float = ..., has_residual: int = ...,
    element: DtypeLike = ..., output: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def rms_norm(input: Array, gamma: Array | None = ..., *, axis: int = ..., residual: Array | None = ...,
    return_statistics: bool = ..., out: Array | bool | None = ..., sum: Array | bool | None = ...,
    inv_std: Array | bool | None = ..., shape: Sequence[int] = ..., epsilon: float = ..., has_residual: int = ...,
    element: DtypeLike = ..., output: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def layer_norm_backward(dout: Array, input: Array, mean: Array, inv_std: Array, gamma: Array | None = ..., *, axis: int = ...,
    want_dgamma: bool = ..., want_dbeta: bool = ..., out: Array | None = ..., beta: Array | None = ...,
    dresidual: Array | None = ..., dinput: Array | bool | None = ..., dgamma: Array | bool | None = ...,
    dbeta: Array | bool | None = ..., shape: Sequence[int] = ..., from_output: int = ..., has_dgamma: int = ...,
    has_dbeta: int = ..., write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ...,
    element: DtypeLike = ..., output: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def rms_norm_backward(dout: Array, input: Array, inv_std: Array, gamma: Array | None = ..., *, axis: int = ...,
    want_dgamma: bool = ..., out: Array | None = ..., dresidual: Array | None = ..., dinput: Array | bool | None = ...,
    dgamma: Array | bool | None = ..., shape: Sequence[int] = ..., from_output: int = ..., has_dgamma: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    output: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def group_norm(input: Array, groups: int, scale: Array | None = ..., bias: Array | None = ..., *, return_statistics: bool = ...,
    out: Array | bool | None = ..., mean: Array | bool | None = ..., inv_std: Array | bool | None = ..., outer: int = ...,
    channels: int = ..., inner: int = ..., epsilon: float = ..., element: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def group_norm_backward(dout: Array, input: Array, mean: Array, inv_std: Array, groups: int, scale: Array | None = ..., *,
    want_dscale: bool = ..., want_dbias: bool = ..., dinput: Array | bool | None = ..., dscale: Array | bool | None = ...,
    dbias: Array | bool | None = ..., outer: int = ..., channels: int = ..., inner: int = ..., element: DtypeLike = ...,
    weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def activation(input: Array, function: str, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ...,
    inner: int = ..., leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ..., has_bias: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def relu(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def leaky_relu(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gelu(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gelu_tanh(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def quick_gelu(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def sigmoid(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def tanh(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def silu(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def elu(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def softplus(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def mish(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def hard_swish(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def relu_squared(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def activation_backward(dout: Array, saved: Array, function: str, bias: Array | None = ..., *, saved_is: str = ...,
    want_dbias: bool = ..., dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def relu_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def leaky_relu_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gelu_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gelu_tanh_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def quick_gelu_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def sigmoid_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def tanh_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def silu_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def elu_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def softplus_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def mish_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def hard_swish_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def relu_squared_backward(dout: Array, saved: Array, bias: Array | None = ..., *, saved_is: str = ..., want_dbias: bool = ...,
    dinput: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gated_activation(input: Array, function: str, *, interleaved: bool = ..., out: Array | bool | None = ..., outer: int = ...,
    inner: int = ..., layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def swiglu(input: Array, *, interleaved: bool = ..., out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    function: Literal["none", "swiglu", "geglu", "geglu_tanh", "reglu"] | _e.GatedActivation | int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def geglu(input: Array, *, interleaved: bool = ..., out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    function: Literal["none", "swiglu", "geglu", "geglu_tanh", "reglu"] | _e.GatedActivation | int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def geglu_tanh(input: Array, *, interleaved: bool = ..., out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    function: Literal["none", "swiglu", "geglu", "geglu_tanh", "reglu"] | _e.GatedActivation | int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def reglu(input: Array, *, interleaved: bool = ..., out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    function: Literal["none", "swiglu", "geglu", "geglu_tanh", "reglu"] | _e.GatedActivation | int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gated_activation_backward(dout: Array, input: Array, function: str, *, interleaved: bool = ...,
    dinput: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def swiglu_backward(dout: Array, input: Array, *, interleaved: bool = ..., dinput: Array | bool | None = ..., outer: int = ...,
    inner: int = ..., function: Literal["none", "swiglu", "geglu", "geglu_tanh", "reglu"] | _e.GatedActivation | int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def geglu_backward(dout: Array, input: Array, *, interleaved: bool = ..., dinput: Array | bool | None = ..., outer: int = ...,
    inner: int = ..., function: Literal["none", "swiglu", "geglu", "geglu_tanh", "reglu"] | _e.GatedActivation | int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def geglu_tanh_backward(dout: Array, input: Array, *, interleaved: bool = ..., dinput: Array | bool | None = ..., outer: int = ...,
    inner: int = ..., function: Literal["none", "swiglu", "geglu", "geglu_tanh", "reglu"] | _e.GatedActivation | int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def reglu_backward(dout: Array, input: Array, *, interleaved: bool = ..., dinput: Array | bool | None = ..., outer: int = ...,
    inner: int = ..., function: Literal["none", "swiglu", "geglu", "geglu_tanh", "reglu"] | _e.GatedActivation | int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def dropout(input: Array, ratio: float, seed: int, offset: int = ..., *, out: Array | bool | None = ...,
    mask: Array | bool | None = ..., words: Array | bool | None = ..., numel: int = ...,
    mask_mode: Literal["default", "bool", "bits", "none"] | _e.DropoutMask | int = ..., training: int = ...,
    advance_offset: int = ..., mapping: Literal["default", "onnx_runtime"] | _e.DropoutMapping | int = ...,
    multiprocessors: int = ..., threads_per_multiprocessor: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def dropout_backward(dout: Array, mask: Array, ratio: float, *, random: Random | None = ..., dinput: Array | bool | None = ...,
    numel: int = ..., mask_mode: Literal["default", "bool", "bits", "none"] | _e.DropoutMask | int = ..., training: int = ...,
    mapping: Literal["default", "onnx_runtime"] | _e.DropoutMapping | int = ..., multiprocessors: int = ...,
    threads_per_multiprocessor: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def concat(inputs: Sequence[Array], axis: int = ..., *, output: Array | bool | None = ..., lengths_out: Array | bool | None = ...,
    outer: int = ..., inner: int = ..., lengths: Sequence[int] = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def split(input: Array, lengths: tuple[int, ...], axis: int = ..., *, outputs: Sequence[Array] | bool | None = ...,
    outer: int = ..., inner: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def reduce(input: Array, kind: str = ..., axes: int | tuple[int, ...] | None = ..., *, keepdims: bool = ...,
    output: Array | bool | None = ..., offsets: Array | None = ..., error_flag: Array | bool | None = ...,
    shape: Sequence[int] = ..., segments: int = ..., noop_with_empty_axes: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    output_dtype: DtypeLike = ..., offset: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def l2_norm(inputs: Sequence[Array], *, output: Array | bool | None = ..., norms: Array | bool | None = ...,
    found_inf: Array | bool | None = ..., numel: Sequence[int] = ..., element: DtypeLike = ..., output_dtype: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def clip_grad_norm(grads: Sequence[Array], max_norm: float, *, grad_scale: Scalar | None = ..., norm: Array | bool | None = ...,
    factor: Array | bool | None = ..., found_inf: Array | bool | None = ..., numel: Sequence[int] = ..., epsilon: float = ...,
    norm_only: int = ..., grad: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def adam(params: Sequence[Array], grads: Sequence[Array], exp_avg: Sequence[Array], exp_avg_sq: Sequence[Array], *,
    betas: tuple[float, float] = ..., bias_correction: bool = ..., copies: Sequence[Array] | None = ...,
    new_params: Sequence[Array] | bool | None = ..., new_exp_avg: Sequence[Array] | bool | None = ...,
    new_exp_avg_sq: Sequence[Array] | bool | None = ..., updates: Sequence[Array] | bool | None = ..., lr: Scalar | None = ...,
    step: Scalar | None = ..., seed: Scalar | None = ..., grad_scale: Scalar | None = ..., gradient_norm: Scalar | None = ...,
    update_signal: Scalar | None = ..., lr_of: Array | None = ..., weight_decay_of: Array | None = ...,
    found_inf: Array | None = ..., error_flag: Array | bool | None = ..., numel: Sequence[int] = ...,
    tensor_keys: Sequence[int] = ..., first_elements: Sequence[int] = ..., beta1: float = ..., beta2: float = ...,
    epsilon: float = ..., weight_decay: float = ..., max_norm: float = ...,
    decay: Literal["first", "last", "l2"] | _e.AdamDecay | int = ..., no_bias_correction: int = ..., advance_step: int = ...,
    stochastic_rounding: int = ..., out_of_place: int = ..., updates_mode: int = ..., keep_params: int = ...,
    clear_grads: int = ..., param: DtypeLike = ..., grad: DtypeLike = ..., state: DtypeLike = ..., copy: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

__all__ = [ "matmul", "softmax", "log_softmax", "softmax_backward", "log_softmax_backward", "cross_entropy",
           "cross_entropy_backward", "cross_entropy_with_gradient", "embedding", "embedding_backward", "layer_norm", "rms_norm",
           "layer_norm_backward", "rms_norm_backward", "group_norm", "group_norm_backward", "activation", "relu", "leaky_relu",
           "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared",
           "activation_backward", "relu_backward", "leaky_relu_backward", "gelu_backward", "gelu_tanh_backward",
           "quick_gelu_backward", "sigmoid_backward", "tanh_backward", "silu_backward", "elu_backward", "softplus_backward",
           "mish_backward", "hard_swish_backward", "relu_squared_backward", "gated_activation", "swiglu", "geglu", "geglu_tanh",
           "reglu", "gated_activation_backward", "swiglu_backward", "geglu_backward", "geglu_tanh_backward", "reglu_backward",
           "dropout", "dropout_backward", "concat", "split", "reduce", "l2_norm", "clip_grad_norm", "adam"]
