"""Functions with the signatures that users of numpy and PyTorch know. Every function takes arrays of one library and returns new arrays of it.

They are the operators of adjoint.ops with another signature, and take their outputs, fields and options by keyword as well: out= and dinput= give
an output, axis=, epsilon=, stream= and so on are those of the operator."""
from math import prod

from ._generated import Activation, GatedActivation, Reduction
from ._library import choice
from ._operators import operator_of
from .ops import defined

__all__ = []
FUNCTIONS = tuple(a.name.lower() for a in Activation if a)
GATED_FUNCTIONS = tuple(a.name.lower() for a in GatedActivation if a)
SAVED_OUTPUT = ("leaky_relu", "sigmoid", "tanh")


def _function(operator, name=None, results=None, **words):
    """Decorator: the operator with the signature of the function, which returns fields. See ops.defined."""
    def made(build):
        public = name or build.__name__
        __all__.append(public)
        about = f"{build.__doc__}\n\nThe operator {operator} of adjoint.ops."
        globals()[public] = defined(operator_of(operator), public, about, __name__, build, results, **words)
        return globals()[public]
    return made


# ---- softmax

def _axis_fields(p, view, axis):
    return p.axis(axis, view)


@_function("softmax_forward")
def softmax(p, input, axis: int = -1):
    """exp(input) / sum of exp(input) along an axis. out may be input itself."""
    return _axis_fields(p, input, axis)


@_function("log_softmax_forward")
def log_softmax(p, input, axis: int = -1):
    """input - log of the sum of exp(input) along an axis. out may be input itself."""
    return _axis_fields(p, input, axis)


@_function("softmax_backward")
def softmax_backward(p, dout, out, axis: int = -1):
    """Gradient of softmax in its input; out is the softmax itself. dinput may be dout or out itself."""
    return _axis_fields(p, dout, axis)


@_function("log_softmax_backward")
def log_softmax_backward(p, dout, out, axis: int = -1):
    """Gradient of log_softmax in its input; out is the log-softmax itself. dinput may be dout or out itself."""
    return _axis_fields(p, dout, axis)


# ---- losses

def _loss_fields(p, scores, ignore_index, reduction, class_axis):
    """Fields of scores [N, C, d1..dk], or [..., C] with the class axis last, and the shape of the samples."""
    shape = scores.shape
    if len(shape) < 2:
        p.fail(f"scores has the shape {list(shape)}, expected at least two dimensions, samples and classes")
    samples = (shape[0], *shape[2:]) if class_axis == 1 else shape[:-1]
    p.shapes.update(loss=samples if choice(Reduction, reduction, f"{p.operator.name}: reduction") == Reduction.NONE else (), lse=samples)
    fields = {"reduction": reduction, "num_classes": shape[class_axis]}
    if "batch" in p.operator.fields:
        fields.update(batch=shape[0] if class_axis == 1 else prod(samples), inner=prod(shape[2:]) if class_axis == 1 else 1)
    return {**fields, "has_ignore_index": 1, "ignore_index": ignore_index} if ignore_index is not None else fields


@_function("softmax_cross_entropy_loss")
def cross_entropy(p, scores, labels, weight=None, *, ignore_index: "int | None" = None, reduction: str = "mean", class_axis: int = 1,
                  return_lse: bool = False):
    """Softmax cross-entropy of scores [N, C, d1..dk] and labels [N, d1..dk], as torch.nn.functional.cross_entropy.

    class_axis=-1: the classes are the last dimension. return_lse: also the logsumexp of each sample, which the gradient takes."""
    if return_lse:
        p.asked.add("lse")
    return _loss_fields(p, scores, ignore_index, reduction, class_axis)


@_function("softmax_cross_entropy_loss_backward")
def cross_entropy_backward(p, dloss, scores, lse, labels, weight=None, *, ignore_index: "int | None" = None, reduction: str = "mean", class_axis: int = 1):
    """Gradient of cross_entropy in scores, from the lse that it returned. dscores may be scores itself."""
    return _loss_fields(p, scores, ignore_index, reduction, class_axis)


@_function("cross_entropy_with_gradient")
def cross_entropy_with_gradient(p, scores, labels, weight=None, *, ignore_index: "int | None" = None, reduction: str = "mean"):
    """(loss, dscores) of scores [..., C] and labels [...] in one pass. loss is f32 (f64 for f64); dscores may be scores itself."""
    return {"samples": prod(scores.shape[:-1]), **_loss_fields(p, scores, ignore_index, reduction, -1)}


# ---- embedding

def _padding(padding_idx):
    return {} if padding_idx is None else {"has_padding_idx": 1, "padding_idx": padding_idx}


@_function("embedding_forward", results=("out",))
def embedding(p, indices, weight, *, padding_idx: "int | None" = None):
    """weight[indices]. Indices out of range give rows of zeros; error_flag, an i64 array of one element, counts them."""
    p.shapes["out"] = (*indices.shape, weight.shape[-1])
    return _padding(padding_idx)


@_function("embedding_backward", results=("dweight",))
def embedding_backward(p, dout, indices, num_embeddings: int, *, padding_idx: "int | None" = None, accumulate: bool = False):
    """Gradient of embedding in weight: row r is the sum of the rows of dout whose index is r. accumulate adds it to dweight."""
    mode = "accumulate" if accumulate else "overwrite"
    return {"num_embeddings": num_embeddings, "embedding_dim": dout.shape[-1], "write_mode": mode, **_padding(padding_idx)}


# ---- norms

def _norm(p, view, axis, statistics=None):
    p.axis(axis, view)
    p.shapes.update(dict.fromkeys(("mean", "inv_std"), view.shape[:axis]), dgamma=view.shape[axis:], dbeta=view.shape[axis:])
    if statistics is not None:
        p.asked.update(name for name, wanted in {"sum": statistics[0], "mean": statistics[1], "inv_std": statistics[1]}.items() if wanted)
    return {"axis": axis}


@_function("layer_norm_forward")
def layer_norm(p, input, gamma=None, beta=None, *, axis: int = -1, residual=None, return_statistics: bool = False):
    """(input - mean) * inv_std * gamma + beta over the dimensions from axis on.

    Returns out, then input + residual where residual is given, then mean and inv_std with return_statistics."""
    return _norm(p, input, axis, (residual, return_statistics))


@_function("rms_norm_forward")
def rms_norm(p, input, gamma=None, *, axis: int = -1, residual=None, return_statistics: bool = False):
    """input * inv_std * gamma, inv_std = 1 / sqrt(mean of input^2 + epsilon), over the dimensions from axis on.

    Returns out, then input + residual where residual is given, then inv_std with return_statistics."""
    return _norm(p, input, axis, (residual, return_statistics))


@_function("layer_norm_backward", results=("dinput", "dgamma", "dbeta"))
def layer_norm_backward(p, dout, input, mean, inv_std, gamma=None, *, axis: int = -1, want_dgamma: bool = True, want_dbeta: bool = True):
    """(dinput, dgamma, dbeta) of layer_norm, None for those not wanted. dresidual, another gradient of input, is added to dinput."""
    return {**_norm(p, input, axis), "has_dgamma": want_dgamma, "has_dbeta": want_dbeta}


@_function("rms_norm_backward", results=("dinput", "dgamma"))
def rms_norm_backward(p, dout, input, inv_std, gamma=None, *, axis: int = -1, want_dgamma: bool = True):
    """(dinput, dgamma) of rms_norm, None for those not wanted. dresidual, another gradient of input, is added to dinput."""
    return {**_norm(p, input, axis), "has_dgamma": want_dgamma}


# ---- activations

@_function("activation_forward")
def activation(p, input, function: str, bias=None):
    """function(input + bias), for a name of adjoint.functional.FUNCTIONS. out may be input itself."""
    return {"function": function, "inner": input.shape[-1] if input.shape else 1}


@_function("activation_backward")
def activation_backward(p, dout, saved, function: str, bias=None, *, saved_is: str = "default", want_dbias: bool = False):
    """Gradient of activation in its input, and with want_dbias in bias. dinput may be dout or saved itself.

    saved is the "input" or the "output" of the function, as saved_is says; by default the output for leaky_relu, sigmoid and tanh, else the input."""
    return {"function": function, "inner": saved.shape[-1] if saved.shape else 1, "saved": saved_is, "has_dbias": want_dbias}


@_function("gated_activation_forward")
def gated_activation(p, input, function: str, *, interleaved: bool = False):
    """f(gate) * linear. Gate and linear are the halves of the last dimension of input; function is one of GATED_FUNCTIONS."""
    return _gated(p, input, function, interleaved)


@_function("gated_activation_backward")
def gated_activation_backward(p, dout, input, function: str, *, interleaved: bool = False):
    """Gradient of gated_activation, shaped like input, and possibly input itself."""
    return _gated(p, input, function, interleaved)


def _gated(p, input, function, interleaved):
    if not input.shape or input.shape[-1] % 2:
        p.fail(f"input has the shape {list(input.shape)}, expected an even last dimension, gate and linear")
    inner = input.shape[-1] // 2
    p.shapes["out"] = (*input.shape[:-1], inner)
    return {"function": function, "inner": inner, "layout": "interleaved" if interleaved else "halves"}


def _named(name):
    """Functions of one activation, with its name."""
    if name in FUNCTIONS:
        saved = "output" if name in SAVED_OUTPUT else "input"

        def forward(p, input, bias=None):
            return activation.build(p, input, name, bias)

        def backward(p, dout, saved, bias=None, *, want_dbias: bool = False):
            return activation_backward.build(p, dout, saved, name, bias, want_dbias=want_dbias)
        forward.__doc__, backward.__doc__ = f"{name} of input + bias; see activation.", f"Gradient of {name}; saved is its {saved}."
    else:
        def forward(p, input, *, interleaved: bool = False):
            return _gated(p, input, name, interleaved)

        def backward(p, dout, input, *, interleaved: bool = False):
            return _gated(p, input, name, interleaved)
        forward.__doc__, backward.__doc__ = f"{name} of input [..., 2 n]; see gated_activation.", f"Gradient of {name}; see gated_activation_backward."
    of = "activation" if name in FUNCTIONS else "gated_activation"
    _function(f"{of}_forward", name)(forward)
    _function(f"{of}_backward", name + "_backward")(backward)


for _name in FUNCTIONS + GATED_FUNCTIONS:
    _named(_name)


# ---- dropout

@_function("dropout_forward", random="(seed, offset)")
def dropout(p, input, ratio: float, seed: int, offset: int = 0):
    """(out, mask): elements are zero with the probability ratio, the others are divided by 1 - ratio.

    What is kept depends on seed, offset and the position alone. The next call with the same seed takes an offset that is larger by the
    number of elements, rounded up to a multiple of 4."""
    p.shapes["mask"] = input.shape


@_function("dropout_backward")
def dropout_backward(p, dout, mask, ratio: float):
    """Gradient of dropout, from its mask. dinput may be dout itself."""


# ---- tensors joined along an axis

@_function("concat")
def concat(p, inputs, axis: int = 0):
    """The arrays of a list, which differ in the extent of an axis at most, joined along it."""
    around = [p.axis(axis, view) for view in inputs] or [{"outer": 1, "extent": 0, "inner": 1}]
    lengths = [a["extent"] for a in around]
    if inputs:
        axis %= len(inputs[0].shape)
        p.shapes["output"] = (*inputs[0].shape[:axis], sum(lengths), *inputs[0].shape[axis + 1:])
    return {"outer": around[0]["outer"], "lengths": lengths, "inner": around[0]["inner"]}


@_function("split")
def split(p, input, lengths: "tuple[int, ...]", axis: int = 0):
    """Parts of an array along an axis, with these extents."""
    around = p.axis(axis, input)
    axis %= len(input.shape)
    p.shapes["outputs"] = [(*input.shape[:axis], n, *input.shape[axis + 1:]) for n in lengths]
    return {"outer": around["outer"], "lengths": lengths, "inner": around["inner"]}


# ---- reductions and optimizers

@_function("reduce")
def reduce(p, input, kind: str = "sum", axes: "int | tuple[int, ...] | None" = None, *, keepdims: bool = False):
    """sum, mean, sum_square, l2, max, min, prod or logsumexp over axes (None: all of them), the same bits in every run."""
    return {"axes": (axes,) if isinstance(axes, int) else axes or (), "kind": kind, "keepdims": keepdims, "noop_with_empty_axes": axes is not None}


@_function("l2_norm")
def l2_norm(p, inputs):
    """The root of the sum of squares of all elements of a list of arrays of one type; it neither overflows nor vanishes."""
    p.shapes["output"] = ()


@_function("clip_grad_norm", results=("norm",))
def clip_grad_norm(p, grads, max_norm: float):
    """Scales gradients in place so that their common norm is at most max_norm; returns the norm, an array of one element."""
    p.shapes["norm"] = ()
    p.asked.add("norm")
    return {"max_norm": max_norm}


@_function("adam")
def adam(p, params, grads, exp_avg, exp_avg_sq, *, betas: "tuple[float, float]" = (0.9, 0.999), bias_correction: bool = True):
    """One Adam step on lists of arrays, in place. step counts from 1. Each list has arrays of one type, of as many elements as params.

    lr, step and grad_scale may be arrays of one element, which are read in stream order. advance_step then adds 1 to the array step."""
    return {"beta1": betas[0], "beta2": betas[1], "no_bias_correction": not bias_correction}
