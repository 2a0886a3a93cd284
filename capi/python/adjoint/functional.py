"""Functions with the signatures that users of numpy and PyTorch know. Every function takes arrays of one library and returns new arrays of it.

They are the operators of adjoint.ops with another signature, and take their outputs, fields and options by keyword as well: out= and dinput= give
an output, axis=, epsilon=, stream= and so on are those of the operator."""
import inspect
from math import prod

from ._generated import Activation, GatedActivation, Reduction, Status
from ._operators import operator_of
from .ops import defined

__all__ = []
FUNCTIONS = tuple(a.name.lower() for a in Activation if a)
GATED_FUNCTIONS = tuple(a.name.lower() for a in GatedActivation if a)
SAVED_OUTPUT = ("leaky_relu", "sigmoid", "tanh")
# Types of parameters that are no arrays and whose default does not say it.
_TYPES = {"function": str, "seed": int, "num_embeddings": int, "groups": int, "ratio": float, "max_norm": float, "ignore_index": "int | None", "padding_idx": "int | None",
          "lengths": "tuple[int, ...]", "axes": "int | tuple[int, ...] | None", "betas": "tuple[float, float]"}


def _function(operators, build, about="", *, name=None, results=None, each=(), **words):
    """Makes functions of operators; see ops.defined for build, results and words. about: what the definition of the operator does not say.

    name: of the function, where it is not that of the operator without _forward. each: values of the parameter `function`; each becomes a function of its
    own, without that parameter."""
    build.__annotations__ = {p.name: _TYPES.get(p.name, type(p.default)) for p in inspect.signature(build).parameters.values()
                             if p.name in _TYPES or p.default not in (None, p.empty)}
    for operator in map(operator_of, operators.split()):
        end = "_backward" * operator.name.endswith("_backward")
        for made, fixed in [(name or operator.name.replace("_forward", ""), {}), *((one + end, {"function": one}) for one in each)]:
            said = "\n\n".join(filter(None, [": ".join([*fixed.values(), about]), f"The operator {operator.name} of adjoint.ops:", operator.documentation()]))
            globals()[made] = defined(operator, made, said, __name__, build, results, fixed, **words)
            __all__.append(made)


def _given(**field):
    """A field and its flag, unless it is None."""
    return {key: number for name, value in field.items() if value is not None for key, number in ((name, value), (f"has_{name}", 1))}


def _loss(op, scores, ignore_index, reduction, class_axis, asked=()):
    """Fields of scores [N, C, d1..dk], or [..., C] with the class axis last, and the shape of the samples."""
    shape = scores.shape
    if len(shape) < 1 + (class_axis == 1):
        op.fail(f"scores has the shape {list(shape)}, expected at least {'two dimensions, samples and' if class_axis == 1 else 'one dimension, the'} classes")
    samples = (shape[0], *shape[2:]) if class_axis == 1 else shape[:-1]
    sizes = {"batch": prod(samples), "inner": 1} if class_axis != 1 and "batch" in op.fields else {}  # else the arrays say it
    loss = samples if reduction in ("none", Reduction.NONE) else ()
    shapes = {"loss": loss, "dloss": loss, **dict.fromkeys(("lse", "labels", "sample_weight"), samples)}
    return {"num_classes": shape[class_axis], **sizes, "reduction": reduction, **_given(ignore_index=ignore_index), "shapes": shapes, "asked": asked}


def _norm(op, view, axis, residual=None, statistics=False):
    op.around(view.shape, axis)
    rows, columns = view.shape[:axis], view.shape[axis:]
    return {"axis": axis, "shapes": {**dict.fromkeys(("mean", "inv_std"), rows), **dict.fromkeys(("gamma", "beta", "dgamma", "dbeta"), columns)},
            "asked": ["sum"] * (residual is not None) + ["mean", "inv_std"] * statistics}


def _group_norm(op, input, groups, asked=()):
    if len(input.shape) < 2:
        op.fail(f"input has the shape {list(input.shape)}, expected at least two dimensions, samples and channels", Status.SHAPE_MISMATCH)
    samples, channels = input.shape[:2]
    return {"groups": groups, "asked": asked, "shapes": {**dict.fromkeys(("mean", "inv_std"), (samples, groups)),
                                                         **dict.fromkeys(("scale", "bias", "dscale", "dbias"), (channels,))}}


def _gated(op, input, function, interleaved):
    if not input.shape or input.shape[-1] % 2:
        op.fail(f"input has the shape {list(input.shape)}, expected an even last dimension, gate and linear")
    return {"function": function, "layout": "interleaved" if interleaved else "halves",
            "shapes": dict.fromkeys(("out", "dout"), (*input.shape[:-1], input.shape[-1] // 2))}


def _parts(op, shape, axis, lengths):
    """Fields of an array with these parts along an axis, its shape and theirs."""
    around = op.around(shape, axis)
    whole, *parts = [(*shape[:axis], n, *shape[axis % len(shape) + 1:]) for n in (sum(lengths), *lengths)]
    return {"outer": around["outer"], "lengths": lengths, "inner": around["inner"], "shapes": {"output": whole, "outputs": parts}}


def _concat(op, inputs, axis=0):
    lengths = [op.around(view.shape, axis)["extent"] for view in inputs]
    others = [(*view.shape[:axis], *view.shape[axis % len(view.shape) + 1:]) for view in inputs if view.shape]
    for i, other in enumerate(others):
        if len(inputs[i].shape) != len(inputs[0].shape) or other != others[0]:
            op.fail(f"inputs[{i}] has the shape {list(inputs[i].shape)} and inputs[0] {list(inputs[0].shape)}; they may differ in axis {axis} only",
                    Status.SHAPE_MISMATCH)
    return _parts(op, inputs[0].shape, axis, lengths) if inputs else {"outer": 1, "lengths": lengths, "inner": 1}


def _matmul(op, a, b, transpose_a, transpose_b):
    for name, view in (("a", a), ("b", b)):
        if len(view.shape) < 2:
            op.fail(f"{name} has the shape {list(view.shape)}, expected at least two dimensions, rows and columns", Status.SHAPE_MISMATCH)
    batch, other = a.shape[:-2], b.shape[:-2]
    if other and batch != other:
        op.fail(f"a has the shape {list(a.shape)} and b {list(b.shape)}; the dimensions before the last two must be equal, or b has two", Status.SHAPE_MISMATCH)
    result = (*batch, a.shape[-1 if transpose_a else -2], b.shape[-2 if transpose_b else -1])
    return {"transpose_a": transpose_a, "transpose_b": transpose_b, "shapes": dict.fromkeys(("c", "saved", "d", "preactivation"), result)}


_function("matmul", lambda op, a, b, bias=None, c=None, saved=None, *, transpose_a=False, transpose_b=False: _matmul(op, a, b, transpose_a, transpose_b),
          "The product of the last two dimensions: a [..., m, k] and b [k, n] or [..., k, n] give [..., m, n].")
_function("softmax_forward log_softmax_forward", lambda op, input, axis=-1: op.around(input.shape, axis))
_function("softmax_backward log_softmax_backward", lambda op, dout, out, axis=-1: op.around(dout.shape, axis))

_function("softmax_cross_entropy_loss", lambda op, scores, labels, weight=None, *, ignore_index=None, reduction="mean", class_axis=1, return_lse=False:
          _loss(op, scores, ignore_index, reduction, class_axis, ["lse"] * return_lse), name="cross_entropy",
          about="As torch.nn.functional.cross_entropy, of scores [N, C, d1..dk] and labels [N, d1..dk]. class_axis=-1: the classes are the last dimension. "
          "return_lse: also the logsumexp of each sample, which the gradient takes.")
_function("softmax_cross_entropy_loss_backward", lambda op, dloss, scores, lse, labels, weight=None, *, ignore_index=None, reduction="mean", class_axis=1:
          _loss(op, scores, ignore_index, reduction, class_axis), "Gradient of cross_entropy in scores, from the lse that it returned.",
          name="cross_entropy_backward")
_function("cross_entropy_with_gradient", lambda op, scores, labels, weight=None, *, ignore_index=None, reduction="mean":
          _loss(op, scores, ignore_index, reduction, -1), "(loss, dscores) of scores [..., C] and labels [...]. loss is f32 (f64 for f64).")

_function("embedding_forward", lambda op, indices, weight, *, padding_idx=None:
          {**_given(padding_idx=padding_idx), "shapes": {"out": (*indices.shape, weight.shape[-1])}},
          "weight[indices]. error_flag, an i64 array of one element, counts indices out of range.", results=("out",))
_function("embedding_backward", lambda op, dout, indices, num_embeddings, *, padding_idx=None, accumulate=False:
          {"num_embeddings": num_embeddings, "write_mode": "accumulate" if accumulate else "overwrite", **_given(padding_idx=padding_idx),
           "shapes": {"dout": (*indices.shape, *dout.shape[-1:])} if indices is not None else {}},
          "Gradient of embedding in weight. accumulate: added to dweight.", results=("dweight",))

_function("layer_norm_forward", lambda op, input, gamma=None, beta=None, *, axis=-1, residual=None, return_statistics=False:
          _norm(op, input, axis, residual, return_statistics),
          "Returns out, then input + residual where residual is given, then mean and inv_std with return_statistics.")
_function("rms_norm_forward", lambda op, input, gamma=None, *, axis=-1, residual=None, return_statistics=False:
          _norm(op, input, axis, residual, return_statistics),
          "Returns out, then input + residual where residual is given, then inv_std with return_statistics.")
_function("layer_norm_backward", lambda op, dout, input, mean, inv_std, gamma=None, *, axis=-1, want_dgamma=True, want_dbeta=True:
          {**_norm(op, input, axis), "has_dgamma": want_dgamma, "has_dbeta": want_dbeta},
          "(dinput, dgamma, dbeta) of layer_norm, None for those not wanted.", results=("dinput", "dgamma", "dbeta"))
_function("rms_norm_backward", lambda op, dout, input, inv_std, gamma=None, *, axis=-1, want_dgamma=True:
          {**_norm(op, input, axis), "has_dgamma": want_dgamma}, "(dinput, dgamma) of rms_norm, None for those not wanted.", results=("dinput", "dgamma"))

_function("group_norm_forward", lambda op, input, groups, scale=None, bias=None, *, return_statistics=False:
          _group_norm(op, input, groups, ["mean", "inv_std"] * return_statistics),
          "Of input [samples, channels, ...]. Returns out, then mean and inv_std [samples, groups] with return_statistics.")
_function("group_norm_backward", lambda op, dout, input, mean, inv_std, groups, scale=None, *, want_dscale=True, want_dbias=True:
          _group_norm(op, input, groups, ["dscale"] * want_dscale + ["dbias"] * want_dbias),
          "(dinput, dscale, dbias) of group_norm, None for those not wanted.", results=("dinput", "dscale", "dbias"))

_function("activation_forward", lambda op, input, function, bias=None: {"function": function, "inner": (input.shape or (1,))[-1]},
          "function(input + bias), for a name of adjoint.functional.FUNCTIONS, each of which is a function too.", each=FUNCTIONS)
_function("activation_backward", lambda op, dout, saved, function, bias=None, *, saved_is="default", want_dbias=False:
          {"function": function, "inner": (saved.shape or (1,))[-1], "saved_mode": saved_is, "has_dbias": want_dbias},
          "Gradient of activation in its input, and with want_dbias in bias. saved is the function's input or its output, as saved_is says (\"input\", "
          "\"output\"); by default the output for leaky_relu, sigmoid and tanh, else the input.", each=FUNCTIONS)
_function("gated_activation_forward", lambda op, input, function, *, interleaved=False: _gated(op, input, function, interleaved),
          "Gate and linear are the halves of the last dimension of input; function is one of GATED_FUNCTIONS, each a function too.", each=GATED_FUNCTIONS)
_function("gated_activation_backward", lambda op, dout, input, function, *, interleaved=False: _gated(op, input, function, interleaved),
          "Gradient of gated_activation, shaped like input.", each=GATED_FUNCTIONS)

_function("dropout_forward", lambda op, input, ratio, seed, offset=0: {"shapes": {"mask": input.shape}}, random="(seed, offset)",
          about="(out, mask). What is kept depends on seed, offset and the position alone. The next call with the same seed takes an offset that is larger by "
          "the number of elements, rounded up to a multiple of 4.")
_function("dropout_backward", lambda op, dout, mask, ratio: {"shapes": {"mask": dout.shape}})
_function("concat", _concat)
_function("split", lambda op, input, lengths, axis=0: _parts(op, input.shape, axis, lengths))
_function("reduce", lambda op, input, kind="sum", axes=None, *, keepdims=False:
          {"axes": (axes,) if isinstance(axes, int) else axes or (), "kind": kind, "keepdims": keepdims, "noop_with_empty_axes": axes is not None},
          "axes=None: over all of them. kind: sum, mean, sum_square, l2, max, min, prod or logsumexp.")
_function("l2_norm", lambda op, inputs: {"shapes": {"output": ()}}, "inputs is a list of arrays of one type.")
_function("clip_grad_norm", lambda op, grads, max_norm: {"max_norm": max_norm, "shapes": {"norm": ()}, "asked": ["norm"]},
          "Scales gradients in place so that their common norm is at most max_norm; returns the norm, an array of one element.", results=("norm",))
_function("adam", lambda op, params, grads, exp_avg, exp_avg_sq, *, betas=(0.9, 0.999), bias_correction=True:
          {"beta1": betas[0], "beta2": betas[1], "no_bias_correction": not bias_correction},
          "Each list has arrays of one type, of as many elements as params. step counts from 1. lr, step and grad_scale may be arrays of one element, which "
          "are read in stream order. advance_step then adds 1 to the array step.")
