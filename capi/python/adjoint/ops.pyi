# Written by tools/generate.py from the C headers. Do not edit.
from typing import Any, Callable, Generic, Literal, Sequence, TypeVar

from . import _generated as _e
from ._generated import Rejection, Sku
from ._call import Bound
from ._library import Array, DtypeLike, Preference, Random, Scalar, Stream
from ._plan import Plan

from typing_extensions import ParamSpec

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

class Function(Generic[P, R]):
    build: Any
    operator: Any
    def __init__(self, function: Callable[P, R]) -> None: ...
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    def select(self, *args: P.args, **kwargs: P.kwargs) -> Plan: ...
    def sku(self, *args: P.args, **kwargs: P.kwargs) -> Sku: ...
    def explain(self, *args: P.args, **kwargs: P.kwargs) -> list[Rejection]: ...
    def bind(self, *args: P.args, **kwargs: P.kwargs) -> Bound: ...

def function(name: str) -> Function[..., Any]: ...

@Function
def embedding_forward(weight: Array, indices: Array, *, out: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    num_embeddings: int = ..., embedding_dim: int = ..., num_indices: int = ..., padding_idx: int = ..., has_padding_idx: int = ...,
    padding_zeroes_forward: int = ..., element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def embedding_backward(dout: Array, indices: Array | None = ..., sorted_rows: Array | None = ..., order: Array | None = ..., *,
    dweight: Array | bool | None = ..., error_flag: Array | bool | None = ..., num_embeddings: int = ..., embedding_dim: int = ...,
    num_indices: int = ..., padding_idx: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., scale_grad_by_freq: int = ...,
    has_padding_idx: int = ..., use_index_plan: int = ..., element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def softmax_cross_entropy_loss(scores: Array, labels: Array, weight: Array | None = ..., sample_weight: Array | None = ..., *,
    loss: Array | bool | None = ..., log_prob: Array | bool | None = ..., lse: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., batch: int = ..., num_classes: int = ..., inner: int = ..., padded_classes: int = ...,
    ignore_index: int = ..., reduction: Literal["default", "none", "sum", "mean"] | _e.Reduction | int = ...,
    nan_when_empty: int = ..., has_ignore_index: int = ..., element: DtypeLike = ..., label: DtypeLike = ...,
    output: DtypeLike = ..., weight_dtype: DtypeLike = ..., sample_weight_dtype: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def softmax_cross_entropy_loss_backward(dloss: Array, log_prob: Array | None = ..., scores: Array | None = ...,
    lse: Array | None = ..., labels: Array | None = ..., weight: Array | None = ..., bias: Array | None = ...,
    sample_weight: Array | None = ..., *, dscores: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    batch: int = ..., num_classes: int = ..., inner: int = ..., padded_classes: int = ..., ignore_index: int = ...,
    reduction: Literal["default", "none", "sum", "mean"] | _e.Reduction | int = ..., from_scores: int = ...,
    has_ignore_index: int = ..., element: DtypeLike = ..., label: DtypeLike = ..., output: DtypeLike = ...,
    weight_dtype: DtypeLike = ..., sample_weight_dtype: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def sgd(params: Sequence[Array], grads: Sequence[Array], momentum_buffers: Sequence[Array] | None = ...,
    copies: Sequence[Array] | None = ..., found_inf: Array | None = ..., *, new_params: Sequence[Array] | bool | None = ...,
    new_momentum_buffers: Sequence[Array] | bool | None = ..., updates: Sequence[Array] | bool | None = ...,
    lr: Scalar | None = ..., grad_scale: Scalar | None = ..., gradient_norm: Scalar | None = ...,
    update_signal: Scalar | None = ..., error_flag: Array | bool | None = ..., numel: Sequence[int] = ..., momentum: float = ...,
    dampening: float = ..., weight_decay: float = ..., max_norm: float = ..., nesterov: int = ..., first_step: int = ...,
    out_of_place: int = ..., updates_mode: int = ..., keep_params: int = ..., clear_grads: int = ..., param: DtypeLike = ...,
    grad: DtypeLike = ..., state: DtypeLike = ..., copy: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def softmax_backward(dout: Array, out: Array, *, dinput: Array | bool | None = ..., outer: int = ..., extent: int = ...,
    inner: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def log_softmax_backward(dout: Array, out: Array, *, dinput: Array | bool | None = ..., outer: int = ..., extent: int = ...,
    inner: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def concat(inputs: Sequence[Array], *, output: Array | bool | None = ..., lengths_out: Array | bool | None = ..., outer: int = ...,
    inner: int = ..., lengths: Sequence[int] = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def split(input: Array, *, outputs: Sequence[Array] | bool | None = ..., outer: int = ..., inner: int = ...,
    lengths: Sequence[int] = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gather_backward(dout: Array, indices: Array | None = ..., sorted_rows: Array | None = ..., order: Array | None = ..., *,
    dinput: Array | bool | None = ..., error_flag: Array | bool | None = ..., outer: int = ..., extent: int = ..., inner: int = ...,
    num_indices: int = ..., write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ...,
    use_index_plan: int = ..., element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def embedding_bag_forward(weight: Array, indices: Array, offsets: Array | None = ..., per_sample_weights: Array | None = ..., *,
    out: Array | bool | None = ..., max_positions: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    num_embeddings: int = ..., embedding_dim: int = ..., num_indices: int = ..., num_bags: int = ..., padding_idx: int = ...,
    mode: Literal["default", "sum", "mean", "max"] | _e.BagMode | int = ..., has_offsets: int = ..., include_last_offset: int = ...,
    has_per_sample_weights: int = ..., has_padding_idx: int = ..., element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def embedding_bag_backward(dout: Array, indices: Array | None = ..., offsets: Array | None = ...,
    per_sample_weights: Array | None = ..., max_positions: Array | None = ..., sorted_rows: Array | None = ...,
    order: Array | None = ..., *, dweight: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    num_embeddings: int = ..., embedding_dim: int = ..., num_indices: int = ..., num_bags: int = ..., padding_idx: int = ...,
    mode: Literal["default", "sum", "mean", "max"] | _e.BagMode | int = ..., has_offsets: int = ..., include_last_offset: int = ...,
    has_per_sample_weights: int = ..., write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ...,
    scale_grad_by_freq: int = ..., has_padding_idx: int = ..., use_index_plan: int = ..., element: DtypeLike = ...,
    index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def embedding_bag_per_sample_weights_backward(dout: Array, weight: Array, indices: Array, offsets: Array | None = ..., *,
    dper_sample_weights: Array | bool | None = ..., error_flag: Array | bool | None = ..., num_embeddings: int = ...,
    embedding_dim: int = ..., num_indices: int = ..., num_bags: int = ..., padding_idx: int = ..., has_offsets: int = ...,
    include_last_offset: int = ..., has_padding_idx: int = ..., element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def index_plan(indices: Array, *, sorted_rows: Array | bool | None = ..., order: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., num_embeddings: int = ..., num_indices: int = ..., padding_idx: int = ...,
    input_shape: Sequence[int] = ..., indices_shape: Sequence[int] = ..., batch_dims: int = ..., axis: int = ...,
    wrap_negative: int = ..., has_padding_idx: int = ...,
    positions: Literal["rows", "slices", "elements"] | _e.IndexPositions | int = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def activation_backward(dout: Array, saved: Array, bias: Array | None = ..., *, dinput: Array | bool | None = ...,
    dbias: Array | bool | None = ..., outer: int = ..., inner: int = ..., leaky_slope: float = ..., quick_gelu_alpha: float = ...,
    elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    saved_mode: Literal["default", "input", "output"] | _e.ActivationSaved | int = ..., has_bias: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def activation_forward(input: Array, bias: Array | None = ..., *, out: Array | bool | None = ..., outer: int = ...,
    inner: int = ..., leaky_slope: float = ..., quick_gelu_alpha: float = ..., elu_alpha: float = ...,
    function: Literal["none", "relu", "leaky_relu", "gelu", "gelu_tanh", "quick_gelu", "sigmoid", "tanh", "silu", "elu", "softplus", "mish", "hard_swish", "relu_squared"] | _e.Activation | int = ...,
    has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gated_activation_backward(dout: Array, input: Array, *, dinput: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    function: Literal["none", "swiglu", "geglu", "geglu_tanh", "reglu"] | _e.GatedActivation | int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gated_activation_forward(input: Array, *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    function: Literal["none", "swiglu", "geglu", "geglu_tanh", "reglu"] | _e.GatedActivation | int = ...,
    layout: Literal["default", "halves", "interleaved"] | _e.GatedLayout | int = ..., gate_second: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def div_backward(dout: Array, a: Array | None = ..., b: Array | None = ..., *, da: Array | bool | None = ...,
    db: Array | bool | None = ..., a_shape: Sequence[int] = ..., b_shape: Sequence[int] = ..., skip_da: int = ...,
    skip_db: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gist_encode(input: Array, *, packed: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    format: Literal["none", "binarize", "pack1", "pack8", "pack8_saturated", "pack8_reference", "pack16", "pack16_bf16", "msfp15"] | _e.GistFormat | int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gist_decode(packed: Array, *, out: Array | bool | None = ..., outer: int = ..., inner: int = ...,
    format: Literal["none", "binarize", "pack1", "pack8", "pack8_saturated", "pack8_reference", "pack16", "pack16_bf16", "msfp15"] | _e.GistFormat | int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def fake_quantize_forward(input: Array, scales: Array | None = ..., zero_points: Array | None = ..., *, scale: Scalar | None = ...,
    zero_point: Scalar | None = ..., out: Array | bool | None = ..., mask: Array | bool | None = ..., outer: int = ...,
    channels: int = ..., inner: int = ..., quant_min: int = ..., quant_max: int = ..., per_channel: int = ...,
    nan_to_min: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def fake_quantize_backward(dout: Array, mask: Array, *, dinput: Array | bool | None = ..., numel: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def dropout_forward(input: Array, *, ratio: Scalar | None = ..., random: Random | None = ..., out: Array | bool | None = ...,
    mask: Array | bool | None = ..., words: Array | bool | None = ..., numel: int = ...,
    mask_mode: Literal["default", "bool", "bits", "none"] | _e.DropoutMask | int = ..., training: int = ...,
    advance_offset: int = ..., mapping: Literal["default", "onnx_runtime"] | _e.DropoutMapping | int = ...,
    multiprocessors: int = ..., threads_per_multiprocessor: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def dropout_backward(dout: Array, mask: Array | None = ..., *, ratio: Scalar | None = ..., random: Random | None = ...,
    dinput: Array | bool | None = ..., numel: int = ...,
    mask_mode: Literal["default", "bool", "bits", "none"] | _e.DropoutMask | int = ..., training: int = ...,
    mapping: Literal["default", "onnx_runtime"] | _e.DropoutMapping | int = ..., multiprocessors: int = ...,
    threads_per_multiprocessor: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def bias_softmax_dropout_forward(input: Array, bias: Array | None = ..., *, ratio: Scalar | None = ...,
    random: Random | None = ..., out: Array | bool | None = ..., mask: Array | bool | None = ...,
    softmax_out: Array | bool | None = ..., words: Array | bool | None = ..., rows: int = ..., columns: int = ...,
    bias_rows: int = ..., mask_mode: Literal["default", "bool", "bits", "none"] | _e.DropoutMask | int = ...,
    inner_broadcast: int = ..., zero_masked_rows: int = ..., advance_offset: int = ...,
    mapping: Literal["default", "onnx_runtime"] | _e.DropoutMapping | int = ..., multiprocessors: int = ...,
    threads_per_multiprocessor: int = ..., unaligned: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def softmax_dropout_backward(dout: Array, mask: Array | None = ..., softmax_out: Array | None = ..., *, ratio: Scalar | None = ...,
    random: Random | None = ..., dinput: Array | bool | None = ..., rows: int = ..., columns: int = ...,
    mask_mode: Literal["default", "bool", "bits", "none"] | _e.DropoutMask | int = ...,
    mapping: Literal["default", "onnx_runtime"] | _e.DropoutMapping | int = ..., multiprocessors: int = ...,
    threads_per_multiprocessor: int = ..., unaligned: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def softmax_forward(input: Array, *, out: Array | bool | None = ..., outer: int = ..., extent: int = ..., inner: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def log_softmax_forward(input: Array, *, out: Array | bool | None = ..., outer: int = ..., extent: int = ..., inner: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def soft_label_cross_entropy_loss(scores: Array, labels: Array, *, loss: Array | bool | None = ...,
    log_prob: Array | bool | None = ..., lse: Array | bool | None = ..., rows: int = ..., num_classes: int = ...,
    reduction: Literal["default", "none", "sum", "mean"] | _e.Reduction | int = ..., nan_when_empty: int = ...,
    element: DtypeLike = ..., output: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def soft_label_cross_entropy_loss_backward(dloss: Array, log_prob: Array | None = ..., scores: Array | None = ...,
    lse: Array | None = ..., labels: Array | None = ..., *, dscores: Array | bool | None = ..., rows: int = ...,
    num_classes: int = ..., reduction: Literal["default", "none", "sum", "mean"] | _e.Reduction | int = ..., from_scores: int = ...,
    exact: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def cross_entropy_with_gradient(scores: Array, labels: Array, weight: Array | None = ..., *, dloss: Scalar | None = ...,
    loss: Array | bool | None = ..., lse: Array | bool | None = ..., dscores: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., samples: int = ..., num_classes: int = ..., padded_classes: int = ...,
    ignore_index: int = ..., label_smoothing: float = ..., z_loss: float = ...,
    reduction: Literal["default", "none", "sum", "mean"] | _e.Reduction | int = ..., has_ignore_index: int = ...,
    element: DtypeLike = ..., label: DtypeLike = ..., weight_dtype: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def log_prob_entropy(scores: Array, labels: Array, *, log_prob: Array | bool | None = ..., entropy: Array | bool | None = ...,
    lse: Array | bool | None = ..., error_flag: Array | bool | None = ..., samples: int = ..., num_classes: int = ...,
    ignore_index: int = ..., has_ignore_index: int = ..., element: DtypeLike = ..., label: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def log_prob_entropy_backward(dlog_prob: Array, dentropy: Array | None = ..., scores: Array | None = ...,
    labels: Array | None = ..., lse: Array | None = ..., entropy: Array | None = ..., *, dscores: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., samples: int = ..., num_classes: int = ..., ignore_index: int = ...,
    has_ignore_index: int = ..., with_entropy: int = ..., element: DtypeLike = ..., label: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def adam(params: Sequence[Array], grads: Sequence[Array], exp_avg: Sequence[Array], exp_avg_sq: Sequence[Array],
    copies: Sequence[Array] | None = ..., lr_of: Array | None = ..., weight_decay_of: Array | None = ...,
    found_inf: Array | None = ..., *, new_params: Sequence[Array] | bool | None = ...,
    new_exp_avg: Sequence[Array] | bool | None = ..., new_exp_avg_sq: Sequence[Array] | bool | None = ...,
    updates: Sequence[Array] | bool | None = ..., lr: Scalar | None = ..., step: Scalar | None = ..., seed: Scalar | None = ...,
    grad_scale: Scalar | None = ..., gradient_norm: Scalar | None = ..., update_signal: Scalar | None = ...,
    error_flag: Array | bool | None = ..., numel: Sequence[int] = ..., tensor_keys: Sequence[int] = ...,
    first_elements: Sequence[int] = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ...,
    max_norm: float = ..., decay: Literal["first", "last", "l2"] | _e.AdamDecay | int = ..., no_bias_correction: int = ...,
    advance_step: int = ..., stochastic_rounding: int = ..., out_of_place: int = ..., updates_mode: int = ...,
    keep_params: int = ..., clear_grads: int = ..., param: DtypeLike = ..., grad: DtypeLike = ..., state: DtypeLike = ...,
    copy: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def lamb(params: Sequence[Array], grads: Sequence[Array], exp_avg: Sequence[Array], exp_avg_sq: Sequence[Array],
    copies: Sequence[Array] | None = ..., found_inf: Array | None = ..., *, new_params: Sequence[Array] | bool | None = ...,
    new_exp_avg: Sequence[Array] | bool | None = ..., new_exp_avg_sq: Sequence[Array] | bool | None = ...,
    updates: Sequence[Array] | bool | None = ..., lr: Scalar | None = ..., step: Scalar | None = ...,
    grad_scale: Scalar | None = ..., gradient_norm: Scalar | None = ..., update_signal: Scalar | None = ...,
    error_flag: Array | bool | None = ..., numel: Sequence[int] = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ...,
    weight_decay: float = ..., max_norm: float = ..., ratio_min: float = ..., ratio_max: float = ...,
    beta1_of: Sequence[float] = ..., beta2_of: Sequence[float] = ..., epsilon_of: Sequence[float] = ...,
    weight_decay_of: Sequence[float] = ..., max_norm_of: Sequence[float] = ..., no_bias_correction: int = ...,
    advance_step: int = ..., out_of_place: int = ..., updates_mode: int = ..., keep_params: int = ..., clear_grads: int = ...,
    param: DtypeLike = ..., grad: DtypeLike = ..., state: DtypeLike = ..., copy: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def clip_grad_norm(grads: Sequence[Array], *, grad_scale: Scalar | None = ..., norm: Array | bool | None = ...,
    factor: Array | bool | None = ..., found_inf: Array | bool | None = ..., numel: Sequence[int] = ..., max_norm: float = ...,
    epsilon: float = ..., norm_only: int = ..., grad: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def is_finite(inputs: Sequence[Array], *, outputs: Sequence[Array] | bool | None = ..., numel: Sequence[int] = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def all_finite(inputs: Sequence[Array], *, output: Array | bool | None = ..., found_inf: Array | bool | None = ...,
    numel: Sequence[int] = ..., test: Literal["default", "no_inf", "no_nan"] | _e.FiniteTest | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def all(inputs: Sequence[Array], *, output: Array | bool | None = ..., numel: Sequence[int] = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def scale(inputs: Sequence[Array], *, outputs: Sequence[Array] | bool | None = ..., outputs_1: Sequence[Array] | bool | None = ...,
    outputs_2: Sequence[Array] | bool | None = ..., fused: Array | bool | None = ..., scale: Scalar | None = ...,
    scale_1: Scalar | None = ..., scale_2: Scalar | None = ..., found_inf: Array | bool | None = ..., numel: Sequence[int] = ...,
    outputs_mode: int = ..., fused_mode: int = ..., scale_down: int = ..., element: DtypeLike = ..., output: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def zero(*, outputs: Sequence[Array] | bool | None = ..., numel: Sequence[int] = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def accumulate(sums: Sequence[Array], values: Sequence[Array], *, outputs: Sequence[Array] | bool | None = ...,
    copies: Sequence[Array] | bool | None = ..., update: Scalar | None = ..., overwrite: Scalar | None = ...,
    updated_flag: Array | bool | None = ..., numel: Sequence[int] = ..., copies_mode: int = ..., element: DtypeLike = ...,
    value: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def scaled_sum(inputs_0: Sequence[Array], inputs_1: Sequence[Array], inputs_2: Sequence[Array] | None = ..., *,
    outputs: Sequence[Array] | bool | None = ..., scale_0: Scalar | None = ..., scale_1: Scalar | None = ...,
    scale_2: Scalar | None = ..., numel: Sequence[int] = ..., inputs: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def l2_norm(inputs: Sequence[Array], *, output: Array | bool | None = ..., norms: Array | bool | None = ...,
    found_inf: Array | bool | None = ..., numel: Sequence[int] = ..., element: DtypeLike = ..., output_dtype: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def reduce(input: Array, offsets: Array | None = ..., *, output: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    shape: Sequence[int] = ..., axes: Sequence[int] = ..., segments: int = ...,
    kind: Literal["sum", "mean", "sum_square", "l2", "max", "min", "prod", "logsumexp"] | _e.ReduceKind | int = ...,
    keepdims: int = ..., noop_with_empty_axes: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    output_dtype: DtypeLike = ..., offset: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def layer_norm_backward(dout: Array, input: Array | None = ..., out: Array | None = ..., gamma: Array | None = ...,
    beta: Array | None = ..., mean: Array | None = ..., inv_std: Array | None = ..., dresidual: Array | None = ..., *,
    dinput: Array | bool | None = ..., dgamma: Array | bool | None = ..., dbeta: Array | bool | None = ...,
    shape: Sequence[int] = ..., axis: int = ..., from_output: int = ..., has_dgamma: int = ..., has_dbeta: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    output: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def rms_norm_backward(dout: Array, input: Array | None = ..., out: Array | None = ..., gamma: Array | None = ...,
    inv_std: Array | None = ..., dresidual: Array | None = ..., *, dinput: Array | bool | None = ...,
    dgamma: Array | bool | None = ..., shape: Sequence[int] = ..., axis: int = ..., from_output: int = ..., has_dgamma: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    output: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def layer_norm_forward(input: Array, residual: Array | None = ..., gamma: Array | None = ..., beta: Array | None = ..., *,
    out: Array | bool | None = ..., sum: Array | bool | None = ..., mean: Array | bool | None = ...,
    inv_std: Array | bool | None = ..., shape: Sequence[int] = ..., epsilon: float = ..., axis: int = ..., has_residual: int = ...,
    element: DtypeLike = ..., output: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def rms_norm_forward(input: Array, residual: Array | None = ..., gamma: Array | None = ..., *, out: Array | bool | None = ...,
    sum: Array | bool | None = ..., inv_std: Array | bool | None = ..., shape: Sequence[int] = ..., epsilon: float = ...,
    axis: int = ..., has_residual: int = ..., element: DtypeLike = ..., output: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def batch_norm_forward(input: Array, scale: Array | None = ..., bias: Array | None = ..., running_mean: Array | None = ...,
    running_variance: Array | None = ..., *, out: Array | bool | None = ..., next_running_mean: Array | bool | None = ...,
    next_running_variance: Array | bool | None = ..., saved_mean: Array | bool | None = ...,
    saved_inv_std: Array | bool | None = ..., outer: int = ..., channels: int = ..., inner: int = ..., epsilon: float = ...,
    momentum: float = ..., training: int = ..., element: DtypeLike = ..., weight: DtypeLike = ..., stats: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def batch_norm_backward(dout: Array, input: Array, scale: Array | None = ..., saved_mean: Array | None = ...,
    saved_inv_std: Array | None = ..., running_mean: Array | None = ..., running_variance: Array | None = ..., *,
    dinput: Array | bool | None = ..., dscale: Array | bool | None = ..., dbias: Array | bool | None = ..., outer: int = ...,
    channels: int = ..., inner: int = ..., epsilon: float = ..., frozen: int = ..., element: DtypeLike = ...,
    weight: DtypeLike = ..., stats: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def conv_backward(dout: Array, input: Array | None = ..., weight: Array | None = ..., *, dinput: Array | bool | None = ...,
    dweight: Array | bool | None = ..., dbias: Array | bool | None = ..., input_shape: Sequence[int] = ...,
    weight_shape: Sequence[int] = ..., out: Sequence[int] = ..., strides: Sequence[int] = ..., pads: Sequence[int] = ...,
    dilations: Sequence[int] = ..., groups: int = ..., channels_last: int = ..., has_dinput: int = ..., has_dweight: int = ...,
    has_dbias: int = ..., write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def conv_transpose_backward(dout: Array, input: Array | None = ..., weight: Array | None = ..., *,
    dinput: Array | bool | None = ..., dweight: Array | bool | None = ..., dbias: Array | bool | None = ...,
    input_shape: Sequence[int] = ..., weight_shape: Sequence[int] = ..., out: Sequence[int] = ..., strides: Sequence[int] = ...,
    pads: Sequence[int] = ..., dilations: Sequence[int] = ..., groups: int = ..., channels_last: int = ..., has_dinput: int = ...,
    has_dweight: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def conv_forward(input: Array, weight: Array, bias: Array | None = ..., *, out: Array | bool | None = ...,
    input_shape: Sequence[int] = ..., weight_shape: Sequence[int] = ..., out_shape: Sequence[int] = ...,
    strides: Sequence[int] = ..., pads: Sequence[int] = ..., dilations: Sequence[int] = ..., groups: int = ...,
    channels_last: int = ..., has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def conv_transpose_forward(input: Array, weight: Array, bias: Array | None = ..., *, out: Array | bool | None = ...,
    input_shape: Sequence[int] = ..., weight_shape: Sequence[int] = ..., out_shape: Sequence[int] = ...,
    strides: Sequence[int] = ..., pads: Sequence[int] = ..., dilations: Sequence[int] = ..., groups: int = ...,
    channels_last: int = ..., has_bias: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def resize_backward(dout: Array, *, dinput: Array | bool | None = ..., input: Sequence[int] = ..., out: Sequence[int] = ...,
    scales: Sequence[float] = ..., mode: Literal["default", "linear", "nearest"] | _e.ResizeMode | int = ...,
    coordinates: Literal["default", "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"] | _e.ResizeCoordinates | int = ...,
    rounding: Literal["default", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"] | _e.ResizeRounding | int = ...,
    channels_last: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def resize_forward(input: Array, *, out: Array | bool | None = ..., input_shape: Sequence[int] = ...,
    out_shape: Sequence[int] = ..., scales: Sequence[float] = ...,
    mode: Literal["default", "linear", "nearest"] | _e.ResizeMode | int = ...,
    coordinates: Literal["default", "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"] | _e.ResizeCoordinates | int = ...,
    rounding: Literal["default", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"] | _e.ResizeRounding | int = ...,
    channels_last: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gather_nd_backward(dout: Array, indices: Array | None = ..., sorted_rows: Array | None = ..., order: Array | None = ..., *,
    dinput: Array | bool | None = ..., error_flag: Array | bool | None = ..., input_shape: Sequence[int] = ...,
    indices_shape: Sequence[int] = ..., batch_dims: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., use_index_plan: int = ...,
    element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def gather_elements_backward(dout: Array, indices: Array | None = ..., sorted_rows: Array | None = ..., order: Array | None = ...,
    *, dinput: Array | bool | None = ..., error_flag: Array | bool | None = ..., input_shape: Sequence[int] = ...,
    indices_shape: Sequence[int] = ..., axis: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., use_index_plan: int = ...,
    element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def index_add(input: Array, indices: Array | None = ..., source: Array | None = ..., sorted_rows: Array | None = ...,
    order: Array | None = ..., *, output: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    shape: Sequence[int] = ..., axis: int = ..., num_indices: int = ..., use_index_plan: int = ..., element: DtypeLike = ...,
    index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def slice_backward(dout: Array, *, dinput: Array | bool | None = ..., input_shape: Sequence[int] = ...,
    starts: Sequence[int] = ..., ends: Sequence[int] = ..., axes: Sequence[int] = ..., steps: Sequence[int] = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def pad_and_unflatten(input: Array, indices: Array, *, output: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    num_indices: int = ..., batch: int = ..., length: int = ..., inner: int = ..., element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def flatten_and_unpad(input: Array, indices: Array, *, output: Array | bool | None = ...,
    unflatten_dims: Array | bool | None = ..., error_flag: Array | bool | None = ..., num_indices: int = ..., batch: int = ...,
    length: int = ..., inner: int = ..., element: DtypeLike = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def view(input: Array, *, outputs: Sequence[Array] | bool | None = ..., offsets: Array | bool | None = ..., total: int = ...,
    numel: Sequence[int] = ..., copies: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def copy(inputs: Sequence[Array], *, outputs: Sequence[Array] | bool | None = ..., numel: Sequence[int] = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def group(inputs: Sequence[Array] | None = ..., *, done: Array | bool | None = ..., numel: Sequence[int] = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def record_event(inputs: Sequence[Array], *, event: int | None = ..., outputs: Sequence[Array] | bool | None = ...,
    numel: Sequence[int] = ..., skip: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def wait_event(inputs: Sequence[Array], *, event: int | None = ..., outputs: Sequence[Array] | bool | None = ...,
    numel: Sequence[int] = ..., skip: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def yield_(outputs: Sequence[Array], gradients: Sequence[Array], *, numel: Sequence[int] = ...,
    non_differentiable: Sequence[int] = ..., free_shape: Sequence[int] = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def user_kernel(inputs: Sequence[Array], outputs: Sequence[Array], *, code: str | bytes = ..., entry: str = ..., macros: str = ...,
    input_numel: Sequence[int] = ..., output_numel: Sequence[int] = ..., integers: Sequence[int] = ...,
    reals: Sequence[float] = ..., grid: Sequence[int] = ..., block: Sequence[int] = ..., shared_bytes: int = ..., host: Any = ...,
    user: Any = ..., code_kind: Literal["source", "ptx", "cubin"] | _e.CodeKind | int = ..., element: DtypeLike = ...,
    output_element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def callback(inputs: Sequence[Array], outputs: Sequence[Array], *, context: Array | bool | None = ..., function: Any = ...,
    destroy: Any = ..., user: Any = ..., input_numel: Sequence[int] = ..., output_numel: Sequence[int] = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def all_reduce(inputs: Sequence[Array], *, communicator: int | None = ..., outputs: Sequence[Array] | bool | None = ...,
    numel: Sequence[int] = ...,
    reduction: Literal["default", "sum", "average", "max", "min", "prod"] | _e.CollectiveReduction | int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def all_gather(inputs: Sequence[Array], *, communicator: int | None = ..., outputs: Sequence[Array] | bool | None = ...,
    ranks: int = ..., numel: Sequence[int] = ..., layout: Literal["default", "even", "whole"] | _e.ShardLayout | int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def reduce_scatter(inputs: Sequence[Array], outputs: Sequence[Array], *, communicator: int | None = ..., ranks: int = ...,
    numel: Sequence[int] = ..., layout: Literal["default", "even", "whole"] | _e.ShardLayout | int = ...,
    reduction: Literal["default", "sum", "average", "max", "min", "prod"] | _e.CollectiveReduction | int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def send(tensors: Sequence[Array], *, communicator: int | None = ..., peer: int = ..., numel: Sequence[int] = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def recv(*, communicator: int | None = ..., tensors: Sequence[Array] | bool | None = ..., peer: int = ...,
    numel: Sequence[int] = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def broadcast(tensors: Sequence[Array], *, communicator: int | None = ..., root: int = ..., numel: Sequence[int] = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def adasum_all_reduce(inputs: Sequence[Array], *, communicator: int | None = ..., outputs: Sequence[Array] | bool | None = ...,
    ranks: int = ..., numel: Sequence[int] = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def megatron_f(input: Array, *, communicator: int | None = ..., output: Array | bool | None = ..., numel: int = ...,
    backward: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def megatron_g(input: Array, *, communicator: int | None = ..., output: Array | bool | None = ..., numel: int = ...,
    backward: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def update_loss_scale(found_inf: Array, *, scale: Array | bool | None = ..., growth_tracker: Array | bool | None = ...,
    growth_factor: float = ..., backoff_factor: float = ..., min_scale: float = ..., max_scale: float = ...,
    growth_interval: int = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def lion(params: Sequence[Array], grads: Sequence[Array], exp_avg: Sequence[Array], copies: Sequence[Array] | None = ...,
    found_inf: Array | None = ..., *, lr: Scalar | None = ..., step: Scalar | None = ..., seed: Scalar | None = ...,
    grad_scale: Scalar | None = ..., gradient_norm: Scalar | None = ..., update_signal: Scalar | None = ...,
    error_flag: Array | bool | None = ..., numel: Sequence[int] = ..., beta1: float = ..., beta2: float = ...,
    weight_decay: float = ..., max_norm: float = ..., tensor_keys: Sequence[int] = ..., first_elements: Sequence[int] = ...,
    stochastic_rounding: int = ..., advance_step: int = ..., clear_grads: int = ..., param: DtypeLike = ..., grad: DtypeLike = ...,
    state: DtypeLike = ..., copy: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def adamw_8bit(params: Sequence[Array], grads: Sequence[Array], exp_avg: Sequence[Array], exp_avg_scale: Sequence[Array],
    exp_avg_sq: Sequence[Array], exp_avg_sq_scale: Sequence[Array], copies: Sequence[Array] | None = ...,
    found_inf: Array | None = ..., *, lr: Scalar | None = ..., step: Scalar | None = ..., seed: Scalar | None = ...,
    grad_scale: Scalar | None = ..., gradient_norm: Scalar | None = ..., update_signal: Scalar | None = ...,
    error_flag: Array | bool | None = ..., numel: Sequence[int] = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ...,
    weight_decay: float = ..., max_norm: float = ..., tensor_keys: Sequence[int] = ..., first_elements: Sequence[int] = ...,
    stochastic_rounding: int = ..., advance_step: int = ..., clear_grads: int = ..., param: DtypeLike = ..., grad: DtypeLike = ...,
    copy: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def matmul(a: Array, b: Array, bias: Array | None = ..., c: Array | None = ..., saved: Array | None = ..., *,
    d: Array | bool | None = ..., preactivation: Array | bool | None = ..., dbias: Array | bool | None = ..., m: int = ...,
    n: int = ..., k: int = ..., batch: int = ..., lda: int = ..., ldb: int = ..., ldd: int = ..., stride_a: int = ...,
    stride_b: int = ..., stride_d: int = ..., alpha: float = ..., beta: float = ..., transpose_a: int = ..., transpose_b: int = ...,
    epilogue: Literal["default", "none", "gelu_tanh", "gelu_tanh_backward"] | _e.MatmulEpilogue | int = ..., has_bias: int = ...,
    has_preactivation: int = ..., has_dbias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    out: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def attention_forward(q: Array, k: Array, v: Array, cu_seqlens: Array | None = ..., *, out: Array | bool | None = ...,
    lse: Array | bool | None = ..., batch: int = ..., tokens: int = ..., heads: int = ..., kv_heads: int = ..., head_dim: int = ...,
    window: int = ..., scale: float = ..., q_strides: Sequence[int] = ..., k_strides: Sequence[int] = ...,
    v_strides: Sequence[int] = ..., out_strides: Sequence[int] = ..., causal: int = ..., has_lengths: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def attention_backward(dout: Array, q: Array, k: Array, v: Array, out: Array, lse: Array, cu_seqlens: Array | None = ..., *,
    dq: Array | bool | None = ..., dk: Array | bool | None = ..., dv: Array | bool | None = ..., batch: int = ...,
    tokens: int = ..., heads: int = ..., kv_heads: int = ..., head_dim: int = ..., window: int = ..., scale: float = ...,
    q_strides: Sequence[int] = ..., k_strides: Sequence[int] = ..., v_strides: Sequence[int] = ...,
    out_strides: Sequence[int] = ..., dout_strides: Sequence[int] = ..., dq_strides: Sequence[int] = ...,
    dk_strides: Sequence[int] = ..., dv_strides: Sequence[int] = ..., causal: int = ..., has_lengths: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def rope_forward(input: Array, positions: Array | None = ..., cos: Array | None = ..., sin: Array | None = ...,
    q_weight: Array | None = ..., k_weight: Array | None = ..., *, out: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., batch: int = ..., tokens: int = ..., heads: int = ..., kv_heads: int = ...,
    head_dim: int = ..., rotary_dim: int = ..., table_rows: int = ..., base: float = ..., epsilon: float = ...,
    strides: Sequence[int] = ..., out_strides: Sequence[int] = ..., interleaved: int = ..., has_norm: int = ...,
    element: DtypeLike = ..., weight: DtypeLike = ..., position: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def rope_backward(dout: Array, input: Array | None = ..., positions: Array | None = ..., cos: Array | None = ...,
    sin: Array | None = ..., q_weight: Array | None = ..., k_weight: Array | None = ..., *, dinput: Array | bool | None = ...,
    dq_weight: Array | bool | None = ..., dk_weight: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    batch: int = ..., tokens: int = ..., heads: int = ..., kv_heads: int = ..., head_dim: int = ..., rotary_dim: int = ...,
    table_rows: int = ..., base: float = ..., epsilon: float = ..., strides: Sequence[int] = ..., dout_strides: Sequence[int] = ...,
    dinput_strides: Sequence[int] = ..., interleaved: int = ..., has_norm: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    weight: DtypeLike = ..., position: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def transpose(input: Array, *, output: Array | bool | None = ..., batch: int = ..., rows: int = ..., columns: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def fill(*, value: Scalar | None = ..., out: Array | bool | None = ..., numel: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def normal(*, mean: Scalar | None = ..., std: Scalar | None = ..., random: Random | None = ..., out: Array | bool | None = ...,
    numel: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def moe_route(logits: Array, expert_bias: Array | None = ..., mask: Array | None = ..., *, experts: Array | bool | None = ...,
    weights: Array | bool | None = ..., counts: Array | bool | None = ..., counted: Array | bool | None = ...,
    loss: Array | bool | None = ..., error_flag: Array | bool | None = ..., tokens: int = ..., num_experts: int = ...,
    top_k: int = ..., groups: int = ..., top_groups: int = ..., scale: float = ..., balance: float = ..., z_loss: float = ...,
    score: Literal["softmax_of_chosen", "softmax", "sigmoid", "sqrt_softplus"] | _e.MoeScore | int = ..., normalise: int = ...,
    has_bias: int = ..., has_losses: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def moe_route_backward(logits: Array, experts: Array, dweights: Array, counts: Array | None = ..., counted: Array | None = ...,
    dloss: Array | None = ..., *, dlogits: Array | bool | None = ..., tokens: int = ..., num_experts: int = ..., top_k: int = ...,
    scale: float = ..., balance: float = ..., z_loss: float = ...,
    score: Literal["softmax_of_chosen", "softmax", "sigmoid", "sqrt_softplus"] | _e.MoeScore | int = ..., normalise: int = ...,
    has_losses: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def moe_plan(experts: Array, *, offsets: Array | bool | None = ..., order: Array | bool | None = ...,
    inverse: Array | bool | None = ..., error_flag: Array | bool | None = ..., tokens: int = ..., num_experts: int = ...,
    top_k: int = ..., capacity: int = ..., align: int = ..., index: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def moe_permute(input: Array, order: Array, inverse: Array, *, out: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., tokens: int = ..., top_k: int = ..., num_rows: int = ..., columns: int = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def moe_permute_backward(dout: Array, inverse: Array, *, dinput: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    tokens: int = ..., top_k: int = ..., num_rows: int = ..., columns: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def moe_unpermute(rows: Array, weights: Array | None = ..., order: Array | None = ..., inverse: Array | None = ..., *,
    out: Array | bool | None = ..., error_flag: Array | bool | None = ..., tokens: int = ..., top_k: int = ..., num_rows: int = ...,
    columns: int = ..., has_weights: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def moe_unpermute_backward(dout: Array, rows: Array | None = ..., weights: Array | None = ..., order: Array | None = ...,
    inverse: Array | None = ..., *, drows: Array | bool | None = ..., dweights: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., tokens: int = ..., top_k: int = ..., num_rows: int = ..., columns: int = ...,
    has_weights: int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def group_norm_forward(input: Array, scale: Array | None = ..., bias: Array | None = ..., *, out: Array | bool | None = ...,
    mean: Array | bool | None = ..., inv_std: Array | bool | None = ..., outer: int = ..., channels: int = ..., inner: int = ...,
    groups: int = ..., epsilon: float = ..., element: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def group_norm_backward(dout: Array, input: Array, scale: Array | None = ..., mean: Array | None = ...,
    inv_std: Array | None = ..., *, dinput: Array | bool | None = ..., dscale: Array | bool | None = ...,
    dbias: Array | bool | None = ..., outer: int = ..., channels: int = ..., inner: int = ..., groups: int = ...,
    element: DtypeLike = ..., weight: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def linear_cross_entropy(input: Array, linear_weight: Array, bias: Array | None = ..., labels: Array | None = ...,
    weight: Array | None = ..., *, dloss: Scalar | None = ..., loss: Array | bool | None = ..., lse: Array | bool | None = ...,
    dinput: Array | bool | None = ..., dlinear_weight: Array | bool | None = ..., dbias: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., samples: int = ..., hidden: int = ..., num_classes: int = ..., padded_classes: int = ...,
    ignore_index: int = ..., chunk_rows: int = ..., max_workspace: int = ..., label_smoothing: float = ..., z_loss: float = ...,
    temperature: float = ..., softcap: float = ..., reduction: Literal["default", "none", "sum", "mean"] | _e.Reduction | int = ...,
    has_ignore_index: int = ..., has_bias: int = ..., with_gradient: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    label: DtypeLike = ..., weight_dtype: DtypeLike = ..., gradient: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def linear_cross_entropy_backward(dloss: Array, input: Array, linear_weight: Array, bias: Array | None = ...,
    labels: Array | None = ..., weight: Array | None = ..., *, dinput: Array | bool | None = ...,
    dlinear_weight: Array | bool | None = ..., dbias: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    samples: int = ..., hidden: int = ..., num_classes: int = ..., padded_classes: int = ..., ignore_index: int = ...,
    chunk_rows: int = ..., max_workspace: int = ..., label_smoothing: float = ..., z_loss: float = ..., temperature: float = ...,
    softcap: float = ..., reduction: Literal["default", "none", "sum", "mean"] | _e.Reduction | int = ...,
    has_ignore_index: int = ..., has_bias: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    label: DtypeLike = ..., weight_dtype: DtypeLike = ..., gradient: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def linear_log_prob(input: Array, linear_weight: Array, labels: Array, *, log_prob: Array | bool | None = ...,
    entropy: Array | bool | None = ..., lse: Array | bool | None = ..., error_flag: Array | bool | None = ..., samples: int = ...,
    hidden: int = ..., num_classes: int = ..., ignore_index: int = ..., chunk_rows: int = ..., max_workspace: int = ...,
    temperature: float = ..., has_ignore_index: int = ..., element: DtypeLike = ..., label: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def linear_log_prob_backward(dlog_prob: Array, dentropy: Array | None = ..., input: Array | None = ...,
    linear_weight: Array | None = ..., labels: Array | None = ..., lse: Array | None = ..., entropy: Array | None = ..., *,
    dinput: Array | bool | None = ..., dlinear_weight: Array | bool | None = ..., error_flag: Array | bool | None = ...,
    samples: int = ..., hidden: int = ..., num_classes: int = ..., ignore_index: int = ..., chunk_rows: int = ...,
    max_workspace: int = ..., temperature: float = ..., has_ignore_index: int = ..., with_entropy: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    label: DtypeLike = ..., gradient: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def amax(inputs: Sequence[Array], *, amax: Array | bool | None = ..., numel: Sequence[int] = ..., finite_only: int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def quantize(x: Array, scale: Array | None = ..., amax_in: Array | None = ..., *, random: Random | None = ...,
    codes: Array | bool | None = ..., codes_t: Array | bool | None = ..., scale_out: Array | bool | None = ...,
    inverse_out: Array | bool | None = ..., inverse_t_out: Array | bool | None = ..., amax_out: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., rows: int = ..., columns: int = ..., eps: float = ..., max_value: float = ...,
    granularity: Literal["default", "tensor", "row", "block_1x128", "block_128x128"] | _e.ScaleGranularity | int = ...,
    rule: Literal["default", "reciprocal", "quotient"] | _e.ScaleRule | int = ...,
    scale_source: Literal["default", "computed", "given", "amax"] | _e.ScaleSource | int = ...,
    scale_layout: Literal["default", "natural", "gemm"] | _e.ScaleLayout | int = ..., has_codes: int = ...,
    has_transposed: int = ..., pow2: int = ..., stochastic_rounding: int = ..., saturate_infinity: int = ...,
    element: DtypeLike = ..., code: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def dequantize(codes: Array, inverse: Array, *, out: Array | bool | None = ..., rows: int = ..., columns: int = ...,
    granularity: Literal["default", "tensor", "row", "block_1x128", "block_128x128"] | _e.ScaleGranularity | int = ...,
    scale_layout: Literal["default", "natural", "gemm"] | _e.ScaleLayout | int = ...,
    write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ..., code: DtypeLike = ...,
    element: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def fp8_scale_update(*, history: Array | bool | None = ..., scale: Array | bool | None = ..., inverse: Array | bool | None = ...,
    error_flag: Array | bool | None = ..., length: int = ..., tensors: int = ..., max_value: float = ..., margin: int = ...,
    algorithm: Literal["default", "max", "most_recent"] | _e.AmaxAlgorithm | int = ..., skip_nonfinite: int = ...,
    code: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...

@Function
def scaled_matmul(a: Array, b: Array, scale_a: Array, scale_b: Array, bias: Array | None = ..., *, d: Array | bool | None = ...,
    m: int = ..., n: int = ..., k: int = ..., alpha: float = ...,
    granularity_a: Literal["default", "tensor", "row", "block_1x128", "block_128x128"] | _e.ScaleGranularity | int = ...,
    granularity_b: Literal["default", "tensor", "row", "block_1x128", "block_128x128"] | _e.ScaleGranularity | int = ...,
    scale_layout: Literal["default", "natural", "gemm"] | _e.ScaleLayout | int = ..., fast_accumulation: int = ...,
    has_bias: int = ..., write_mode: Literal["default", "overwrite", "accumulate"] | _e.WriteMode | int = ...,
    code_a: DtypeLike = ..., code_b: DtypeLike = ..., out: DtypeLike = ...,
    stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ...) -> Any: ...
