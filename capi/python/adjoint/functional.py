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


def _function(*operators, names=None, results=None, fixed=None, **words):
    """Decorator: each operator with the signature of the function, which returns fields. See ops.defined. A second operator has its own name."""
    def made(build):
        for operator, name in zip(operators, names or [build.__name__, *(o.partition("_forward")[0] for o in operators[1:])]):
            about = ": ".join([*(fixed or {}).values(), build.__doc__]) + f"\n\nThe operator {operator} of adjoint.ops."
            globals()[name] = defined(operator_of(operator), name, about, __name__, build, results, fixed or {}, **words)
            __all__.append(name)
        return globals()[build.__name__]
    return made


@_function("softmax_forward", "log_softmax_forward")
def softmax(p, input, axis: int = -1):
    """exp(input) / sum of exp(input) along an axis, or its logarithm. out may be input itself."""
    return p.around(input, axis)


@_function("softmax_backward", "log_softmax_backward")
def softmax_backward(p, dout, out, axis: int = -1):
    """Gradient of softmax or log_softmax in its input; out is the result of the function. dinput may be dout or out itself."""
    return p.around(dout, axis)


def _loss(p, scores, ignore_index, reduction, class_axis):
    """Fields of scores [N, C, d1..dk], or [..., C] with the class axis last, and the shape of the samples."""
    shape = scores.shape
    if len(shape) < 2:
        p.fail(f"scores has the shape {list(shape)}, expected at least two dimensions, samples and classes")
    samples = (shape[0], *shape[2:]) if class_axis == 1 else shape[:-1]
    p.shapes.update(loss=samples if choice(Reduction, reduction, f"{p.operator.name}: reduction") == Reduction.NONE else (), lse=samples)
    fields = {"reduction": reduction, "num_classes": shape[class_axis], **_given(ignore_index=ignore_index)}
    if "batch" in p.operator.fields:
        fields.update(batch=shape[0] if class_axis == 1 else prod(samples), inner=prod(shape[2:]) if class_axis == 1 else 1)
    return fields


def _given(**field):
    """A field and its flag, unless it is None."""
    return {key: number for name, value in field.items() if value is not None for key, number in ((name, value), (f"has_{name}", 1))}


@_function("softmax_cross_entropy_loss")
def cross_entropy(p, scores, labels, weight=None, *, ignore_index: "int | None" = None, reduction: str = "mean", class_axis: int = 1,
                  return_lse: bool = False):
    """Softmax cross-entropy of scores [N, C, d1..dk] and labels [N, d1..dk], as torch.nn.functional.cross_entropy.

    class_axis=-1: the classes are the last dimension. return_lse: also the logsumexp of each sample, which the gradient takes."""
    p.asked.update(["lse"] * return_lse)
    return _loss(p, scores, ignore_index, reduction, class_axis)


@_function("softmax_cross_entropy_loss_backward")
def cross_entropy_backward(p, dloss, scores, lse, labels, weight=None, *, ignore_index: "int | None" = None, reduction: str = "mean", class_axis: int = 1):
    """Gradient of cross_entropy in scores, from the lse that it returned. dscores may be scores itself."""
    return _loss(p, scores, ignore_index, reduction, class_axis)


@_function("cross_entropy_with_gradient")
def cross_entropy_with_gradient(p, scores, labels, weight=None, *, ignore_index: "int | None" = None, reduction: str = "mean"):
    """(loss, dscores) of scores [..., C] and labels [...] in one pass. loss is f32 (f64 for f64); dscores may be scores itself."""
    return {"samples": prod(scores.shape[:-1]), **_loss(p, scores, ignore_index, reduction, -1)}


@_function("embedding_forward", results=("out",))
def embedding(p, indices, weight, *, padding_idx: "int | None" = None):
    """weight[indices]. Indices out of range give rows of zeros; error_flag, an i64 array of one element, counts them."""
    p.shapes["out"] = (*indices.shape, weight.shape[-1])
    return _given(padding_idx=padding_idx)


@_function("embedding_backward", results=("dweight",))
def embedding_backward(p, dout, indices, num_embeddings: int, *, padding_idx: "int | None" = None, accumulate: bool = False):
    """Gradient of embedding in weight: row r is the sum of the rows of dout whose index is r. accumulate adds it to dweight."""
    mode = "accumulate" if accumulate else "overwrite"
    return {"num_embeddings": num_embeddings, "embedding_dim": dout.shape[-1], "write_mode": mode, **_given(padding_idx=padding_idx)}


def _norm(p, view, axis, residual=None, statistics=False):
    p.around(view, axis)
    p.shapes.update(dict.fromkeys(("mean", "inv_std"), view.shape[:axis]), dgamma=view.shape[axis:], dbeta=view.shape[axis:])
    p.asked.update(["sum"] * (residual is not None), ["mean", "inv_std"] * statistics)
    return {"axis": axis}


@_function("layer_norm_forward")
def layer_norm(p, input, gamma=None, beta=None, *, axis: int = -1, residual=None, return_statistics: bool = False):
    """(input - mean) * inv_std * gamma + beta over the dimensions from axis on.

    Returns out, then input + residual where residual is given, then mean and inv_std with return_statistics."""
    return _norm(p, input, axis, residual, return_statistics)


@_function("rms_norm_forward")
def rms_norm(p, input, gamma=None, *, axis: int = -1, residual=None, return_statistics: bool = False):
    """input * inv_std * gamma, inv_std = 1 / sqrt(mean of input^2 + epsilon), over the dimensions from axis on.

    Returns out, then input + residual where residual is given, then inv_std with return_statistics."""
    return _norm(p, input, axis, residual, return_statistics)


@_function("layer_norm_backward", results=("dinput", "dgamma", "dbeta"))
def layer_norm_backward(p, dout, input, mean, inv_std, gamma=None, *, axis: int = -1, want_dgamma: bool = True, want_dbeta: bool = True):
    """(dinput, dgamma, dbeta) of layer_norm, None for those not wanted. dresidual, another gradient of input, is added to dinput."""
    return {**_norm(p, input, axis), "has_dgamma": want_dgamma, "has_dbeta": want_dbeta}


@_function("rms_norm_backward", results=("dinput", "dgamma"))
def rms_norm_backward(p, dout, input, inv_std, gamma=None, *, axis: int = -1, want_dgamma: bool = True):
    """(dinput, dgamma) of rms_norm, None for those not wanted. dresidual, another gradient of input, is added to dinput."""
    return {**_norm(p, input, axis), "has_dgamma": want_dgamma}


@_function("activation_forward")
def activation(p, input, function: str, bias=None):
    """function(input + bias), for a name of adjoint.functional.FUNCTIONS, each of which is a function too. out may be input itself."""
    return {"function": function, "inner": input.shape[-1] if input.shape else 1}


@_function("activation_backward")
def activation_backward(p, dout, saved, function: str, bias=None, *, saved_is: str = "default", want_dbias: bool = False):
    """Gradient of activation in its input, and with want_dbias in bias. dinput may be dout or saved itself.

    saved is the "input" or the "output" of the function, as saved_is says; by default the output for leaky_relu, sigmoid and tanh, else the input."""
    return {"function": function, "inner": saved.shape[-1] if saved.shape else 1, "saved": saved_is, "has_dbias": want_dbias}


def _gated(p, input, function, interleaved):
    if not input.shape or input.shape[-1] % 2:
        p.fail(f"input has the shape {list(input.shape)}, expected an even last dimension, gate and linear")
    inner = input.shape[-1] // 2
    p.shapes["out"] = (*input.shape[:-1], inner)
    return {"function": function, "inner": inner, "layout": "interleaved" if interleaved else "halves"}


@_function("gated_activation_forward")
def gated_activation(p, input, function: str, *, interleaved: bool = False):
    """f(gate) * linear. Gate and linear are the halves of the last dimension of input; function is one of GATED_FUNCTIONS, each a function too."""
    return _gated(p, input, function, interleaved)


@_function("gated_activation_backward")
def gated_activation_backward(p, dout, input, function: str, *, interleaved: bool = False):
    """Gradient of gated_activation, shaped like input, and possibly input itself."""
    return _gated(p, input, function, interleaved)


for _family, _names in (("activation", FUNCTIONS), ("gated_activation", GATED_FUNCTIONS)):
    for _name in _names:
        _function(f"{_family}_forward", names=[_name], fixed={"function": _name})(globals()[_family].build)
        _function(f"{_family}_backward", names=[f"{_name}_backward"], fixed={"function": _name})(globals()[f"{_family}_backward"].build)


@_function("dropout_forward", random="(seed, offset)")
def dropout(p, input, ratio: float, seed: int, offset: int = 0):
    """(out, mask): elements are zero with the probability ratio, the others are divided by 1 - ratio.

    What is kept depends on seed, offset and the position alone. The next call with the same seed takes an offset that is larger by the
    number of elements, rounded up to a multiple of 4."""
    p.shapes["mask"] = input.shape


@_function("dropout_backward")
def dropout_backward(p, dout, mask, ratio: float):
    """Gradient of dropout, from its mask. dinput may be dout itself."""


def _resized(view, axis, extent):
    axis %= len(view.shape)
    return (*view.shape[:axis], extent, *view.shape[axis + 1:])


@_function("concat")
def concat(p, inputs, axis: int = 0):
    """The arrays of a list, which differ in the extent of an axis at most, joined along it."""
    around = [p.around(view, axis) for view in inputs] or [{"outer": 1, "extent": 0, "inner": 1}]
    lengths = [fields.pop("extent") for fields in around]
    p.shapes.update({"output": _resized(inputs[0], axis, sum(lengths))} if inputs else {})
    return {**around[0], "lengths": lengths}


@_function("split")
def split(p, input, lengths: "tuple[int, ...]", axis: int = 0):
    """Parts of an array along an axis, with these extents."""
    around = p.around(input, axis)
    p.shapes["outputs"] = [_resized(input, axis, n) for n in lengths]
    return {"outer": around["outer"], "lengths": lengths, "inner": around["inner"]}


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
