"""Functions with the signatures that users of numpy and PyTorch know.

Every function takes arrays of one library and returns new arrays of that library. Outputs may be given by keyword instead. Common options:

  stream      an adjoint.Stream or the address of a CUstream; default: the stream that torch or cupy works on now
  preference  an adjoint.Preference
  dtype       "bf16" or "f16": the type whose bits uint16 elements hold
  workspace   scratch memory, for arrays whose library has no allocator

f.select, f.sku and f.explain take the arguments of f and describe the kernel behind the call; f.bind fixes the buffers."""
from ._arrays import count_of
from ._call import RULE, Function, signed
from ._generated import Activation, Dtype, GatedActivation, Reduction, Status
from ._library import choice
from ._verbs import with_verbs

__all__ = []


def _public(function):
    __all__.append(function.__name__)
    return with_verbs(function)


# ---- softmax

def _axis_fields(problem, axis, name):
    shape = problem[name].shape
    axis = problem.axis(axis, name)
    return {"outer": count_of(shape[:axis]), "extent": shape[axis], "inner": count_of(shape[axis + 1:]), "element": problem.floating(name)}


def _softmax_forward(problem, axis):
    problem.fields = _axis_fields(problem, axis, "input")
    problem.outputs["out"] = "input"


def _softmax_backward(problem, axis):
    problem.same_shape("out", "dout")
    problem.fields = _axis_fields(problem, axis, "dout")
    problem.outputs["dinput"] = "dout"


_softmax = Function("softmax_forward", ["input"], ["out"], _softmax_forward)
_log_softmax = Function("log_softmax_forward", ["input"], ["out"], _softmax_forward)
_softmax_grad = Function("softmax_backward", ["dout", "out"], ["dinput"], _softmax_backward)
_log_softmax_grad = Function("log_softmax_backward", ["dout", "out"], ["dinput"], _softmax_backward)


@_public
def softmax(input, axis=-1, *, out=None, **options):
    """exp(input) / sum of exp(input) along an axis. out may be input itself."""
    return _softmax((input,), (out,), (axis,), options)


@_public
def log_softmax(input, axis=-1, *, out=None, **options):
    """input - log of the sum of exp(input) along an axis. out may be input itself."""
    return _log_softmax((input,), (out,), (axis,), options)


@_public
def softmax_backward(dout, out, axis=-1, *, dinput=None, **options):
    """Gradient of softmax in its input; out is the softmax itself. dinput may be dout or out itself."""
    return _softmax_grad((dout, out), (dinput,), (axis,), options)


@_public
def log_softmax_backward(dout, out, axis=-1, *, dinput=None, **options):
    """Gradient of log_softmax in its input; out is the log-softmax itself. dinput may be dout or out itself."""
    return _log_softmax_grad((dout, out), (dinput,), (axis,), options)


# ---- losses

def _classes(problem, class_axis):
    """(batch, classes, inner) of scores [N, C, d1..dk], or [..., C] with the class axis last."""
    shape = problem["scores"].shape
    if len(shape) < 2:
        problem.fail(f"scores has the shape {list(shape)}, expected at least two dimensions, samples and classes")
    if class_axis == 1:
        return shape[0], shape[1], count_of(shape[2:]), (shape[0], *shape[2:])
    return count_of(shape[:-1]), shape[-1], 1, shape[:-1]


def _loss_fields(problem, ignore_index, reduction, class_axis):
    batch, classes, inner, samples = _classes(problem, class_axis)
    problem.shape("labels", samples, "the shape of scores without the class axis")
    problem.shape("weight", (classes,), "the number of classes")
    problem.fields.update(batch=batch, num_classes=classes, inner=inner, element=problem.floating("scores"), label=problem["labels"].dtype,
                          weight=problem["weight"].dtype if problem["weight"] else 0,
                          reduction=choice(Reduction, reduction, f"{problem.operator.name}: reduction"))
    if ignore_index is not None:
        problem.fields.update(has_ignore_index=1, ignore_index=ignore_index)
    return samples


def _float_of(view):
    return Dtype.F64 if view.dtype == Dtype.F64 else Dtype.F32


def _cross_entropy(problem, ignore_index, reduction, with_lse, class_axis):
    samples = _loss_fields(problem, ignore_index, reduction, class_axis)
    scores = problem["scores"]
    problem.outputs["loss"] = (samples if problem.fields["reduction"] == Reduction.NONE else (), scores.dtype)
    if with_lse:
        problem.outputs["lse"] = (samples, _float_of(scores))


def _cross_entropy_backward(problem, ignore_index, reduction, class_axis):
    samples = _loss_fields(problem, ignore_index, reduction, class_axis)
    problem.fields["from_scores"] = 1
    problem.shape("lse", samples, "one for each sample")
    if problem.fields["reduction"] == Reduction.NONE:
        problem.shape("dloss", samples, "one for each sample with reduction \"none\"")
    elif count_of(problem["dloss"].shape) != 1:
        problem.fail(f"dloss has the shape {list(problem['dloss'].shape)}, expected one element with reduction {reduction!r}")
    problem.outputs["dscores"] = "scores"


def _with_gradient(problem, ignore_index, reduction, label_smoothing, z_loss):
    samples, classes = problem["scores"].shape[:-1], problem["scores"].shape[-1:]
    problem.shape("labels", samples, "the shape of scores without its last dimension")
    problem.shape("weight", classes, "the number of classes")
    problem.fields = {"samples": count_of(samples), "num_classes": count_of(classes), "element": problem.floating("scores"),
                      "label": problem["labels"].dtype, "weight": problem["weight"].dtype if problem["weight"] else 0,
                      "reduction": choice(Reduction, reduction, f"{problem.operator.name}: reduction"), "label_smoothing": label_smoothing,
                      "z_loss": z_loss}
    if ignore_index is not None:
        problem.fields.update(has_ignore_index=1, ignore_index=ignore_index)
    problem.outputs["loss"] = (samples if problem.fields["reduction"] == Reduction.NONE else (), _float_of(problem["scores"]))
    problem.outputs["dscores"] = "scores"


_loss = Function("softmax_cross_entropy_loss", ["scores", "labels", "weight"], ["loss", "lse"], _cross_entropy)
_loss_grad = Function("softmax_cross_entropy_loss_backward", ["scores", "dloss", "lse", "labels", "weight"], ["dscores"], _cross_entropy_backward)
_loss_with_grad = Function("cross_entropy_with_gradient", ["scores", "labels", "weight"], ["loss", "dscores"], _with_gradient, ["dloss"])


@_public
def cross_entropy(scores, labels, weight=None, *, ignore_index=None, reduction="mean", class_axis=1, return_lse=False, loss=None, lse=None,
                  **options):
    """Softmax cross-entropy of scores [N, C, d1..dk] and labels [N, d1..dk], as torch.nn.functional.cross_entropy.

    class_axis=-1: the classes are the last dimension. return_lse: also the logsumexp of each sample, which the gradient takes."""
    return _loss((scores, labels, weight), (loss, lse), (ignore_index, reduction, return_lse or lse is not None, class_axis), options)


@_public
def cross_entropy_backward(dloss, scores, lse, labels, weight=None, *, ignore_index=None, reduction="mean", class_axis=1, dscores=None,
                           **options):
    """Gradient of cross_entropy in scores, from the lse that it returned. dscores may be scores itself."""
    return _loss_grad((scores, dloss, lse, labels, weight), (dscores,), (ignore_index, reduction, class_axis), options)


@_public
def cross_entropy_with_gradient(scores, labels, weight=None, *, dloss=1.0, ignore_index=None, reduction="mean", label_smoothing=0.0,
                                z_loss=0.0, loss=None, dscores=None, **options):
    """(loss, dscores) of scores [..., C] and labels [...] in one pass. loss is f32 (f64 for f64); dscores may be scores itself."""
    return _loss_with_grad((scores, labels, weight), (loss, dscores), (ignore_index, reduction, label_smoothing, z_loss), options, (dloss,))


# ---- embedding

def _padding(problem, padding_idx):
    if padding_idx is not None:
        problem.fields.update(has_padding_idx=1, padding_idx=padding_idx)


def _embedding(problem, padding_idx):
    weight, indices = problem["weight"], problem["indices"]
    if len(weight.shape) != 2:
        problem.fail(f"weight has the shape {list(weight.shape)}, expected two dimensions, embeddings and their elements")
    problem.fields = {"num_embeddings": weight.shape[0], "embedding_dim": weight.shape[1], "num_indices": count_of(indices.shape),
                      "element": problem.floating("weight"), "index": indices.dtype}
    _padding(problem, padding_idx)
    problem.outputs["out"] = ((*indices.shape, weight.shape[1]), weight.dtype)


def _embedding_backward(problem, num_embeddings, padding_idx, scale_grad_by_freq, accumulate):
    dout, indices = problem["dout"], problem["indices"]
    if dout.shape[:-1] != indices.shape or not dout.shape:
        problem.fail(f"dout has the shape {list(dout.shape)}, expected {list(indices.shape)}, that of indices, and one dimension more")
    problem.fields = {"num_embeddings": num_embeddings, "embedding_dim": dout.shape[-1], "num_indices": count_of(indices.shape),
                      "element": problem.floating("dout"), "index": indices.dtype, "scale_grad_by_freq": int(scale_grad_by_freq),
                      "write_mode": "accumulate" if accumulate else "overwrite"}
    _padding(problem, padding_idx)
    if accumulate and "dweight" not in problem.given:
        problem.fail("accumulate = True and dweight is not given; give the array to add to", Status.NULL_BUFFER)
    problem.outputs["dweight"] = ((num_embeddings, dout.shape[-1]), dout.dtype)


_lookup = Function("embedding_forward", ["weight", "indices"], ["out", "error_flag"], _embedding)
# The gradient's output is in/out for accumulation only, so a new one need not be zero.
_lookup_grad = Function("embedding_backward", ["dout", "indices"], ["dweight", "error_flag"], _embedding_backward)
_lookup_grad.outputs[0] = _lookup_grad.outputs[0]._replace(role="out")


def _first(results):
    return results[0] if type(results) is tuple else results


@_public
def embedding(indices, weight, *, padding_idx=None, out=None, error_flag=None, **options):
    """weight[indices]. Indices out of range give rows of zeros; error_flag, an i64 array of one element, counts them."""
    results = _lookup((weight, indices), (out, error_flag), (padding_idx,), options)
    return _first(results)


@_public
def embedding_backward(dout, indices, num_embeddings, *, padding_idx=None, scale_grad_by_freq=False, accumulate=False, dweight=None,
                       error_flag=None, **options):
    """Gradient of embedding in weight: row r is the sum of the rows of dout whose index is r. accumulate adds it to dweight."""
    results = _lookup_grad((dout, indices), (dweight, error_flag), (num_embeddings, padding_idx, scale_grad_by_freq, accumulate), options)
    return _first(results)


# ---- norms

def _norm_fields(problem, name, axis):
    """Rows and columns of a norm; fields that forward and backward share."""
    axis, shape = problem.axis(axis, name), problem[name].shape
    rows, columns = shape[:axis], shape[axis:]
    for weight in ("gamma", "beta"):
        view = problem[weight]
        if view is not None and count_of(view.shape) != count_of(columns):
            problem.fail(f"{weight} has the shape {list(view.shape)}, expected {list(columns)} (the normalised dimensions)")
    problem.fields.update(shape=shape, axis=axis, element=problem.floating(name))
    weight = problem["gamma"] or problem["beta"]
    if weight:
        problem.fields["weight"] = weight.dtype
    return rows, columns


def _norm_forward(problem, axis, epsilon, statistics):
    rows, columns = _norm_fields(problem, "input", axis)
    problem.same_shape("residual", "input")
    problem.fields.update(epsilon=epsilon, has_residual=int(problem["residual"] is not None))
    problem.outputs["out"] = "input"
    if problem["residual"]:
        problem.outputs["sum"] = "input"
    if statistics:
        for name in ("mean", "inv_std"):
            problem.outputs[name] = (rows, _float_of(problem["input"]))


def _norm_backward(problem, axis, with_gamma, with_beta):
    rows, columns = _norm_fields(problem, "input", axis)
    problem.same_shape("dout", "input")
    problem.same_shape("dresidual", "input")
    for name in ("mean", "inv_std"):
        problem.shape(name, rows, "one for each row")
    problem.fields["has_dgamma"] = int(with_gamma)
    problem.outputs["dinput"] = "input"
    kind = (problem["gamma"] or problem["input"]).dtype
    if with_gamma:
        problem.outputs["dgamma"] = (columns, kind)
    if problem.operator.name == "layer_norm_backward":
        problem.fields["has_dbeta"] = int(with_beta)
        if with_beta:
            problem.outputs["dbeta"] = (columns, kind)


def _written(function):
    """Takes new arrays for outputs that are in/out for accumulation only: these functions do not accumulate."""
    function.outputs = [s._replace(role="out") for s in function.outputs]
    return function


_layer_norm = Function("layer_norm_forward", ["input", "gamma", "beta", "residual"], ["out", "sum", "mean", "inv_std"], _norm_forward)
_rms_norm = Function("rms_norm_forward", ["input", "gamma", "residual"], ["out", "sum", "inv_std"], _norm_forward)
_layer_norm_grad = _written(Function("layer_norm_backward", ["input", "dout", "mean", "inv_std", "gamma", "dresidual"], ["dinput", "dgamma", "dbeta"],
                                     _norm_backward, collect=tuple))
_rms_norm_grad = _written(Function("rms_norm_backward", ["input", "dout", "inv_std", "gamma", "dresidual"], ["dinput", "dgamma"], _norm_backward,
                                   collect=tuple))


@_public
def layer_norm(input, gamma=None, beta=None, *, axis=-1, epsilon=1e-5, residual=None, return_statistics=False, out=None, **options):
    """(input - mean) * inv_std * gamma + beta over the dimensions from axis on.

    Returns out, then input + residual where residual is given, then mean and inv_std with return_statistics."""
    return _layer_norm((input, gamma, beta, residual), (out, None, None, None), (axis, epsilon, return_statistics), options)


@_public
def rms_norm(input, gamma=None, *, axis=-1, epsilon=1e-5, residual=None, return_statistics=False, out=None, **options):
    """input * inv_std * gamma, inv_std = 1 / sqrt(mean of input^2 + epsilon), over the dimensions from axis on.

    Returns out, then input + residual where residual is given, then inv_std with return_statistics."""
    return _rms_norm((input, gamma, residual), (out, None, None), (axis, epsilon, return_statistics), options)


@_public
def layer_norm_backward(dout, input, mean, inv_std, gamma=None, *, axis=-1, dresidual=None, want_dgamma=True, want_dbeta=True, dinput=None,
                        **options):
    """(dinput, dgamma, dbeta) of layer_norm, None for those not wanted. dresidual, another gradient of input, is added to dinput."""
    return _layer_norm_grad((input, dout, mean, inv_std, gamma, dresidual), (dinput, None, None), (axis, want_dgamma, want_dbeta), options)


@_public
def rms_norm_backward(dout, input, inv_std, gamma=None, *, axis=-1, dresidual=None, want_dgamma=True, dinput=None, **options):
    """(dinput, dgamma) of rms_norm, None for those not wanted. dresidual, another gradient of input, is added to dinput."""
    return _rms_norm_grad((input, dout, inv_std, gamma, dresidual), (dinput, None), (axis, want_dgamma, False), options)


# ---- activations

_ALPHAS = ("leaky_slope", "quick_gelu_alpha", "elu_alpha")


def _activation_fields(problem, name, function, alphas):
    view = problem[name]
    inner = view.shape[-1] if view.shape else 1
    problem.shape("bias", (inner,), f"the last dimension of {name}")
    problem.fields = {"outer": count_of(view.shape[:-1]), "inner": inner, "element": problem.floating(name),
                      "has_bias": int(problem["bias"] is not None), "function": choice(Activation, function, f"{problem.operator.name}: function"), **dict(alphas)}


def _activation(problem, function, alphas):
    _activation_fields(problem, "input", function, alphas)
    problem.outputs["out"] = "input"


def _activation_backward(problem, function, saved_is, with_dbias, alphas):
    problem.same_shape("dout", "saved")
    _activation_fields(problem, "saved", function, alphas)
    problem.fields.update(saved=saved_is, has_dbias=int(with_dbias))
    problem.outputs["dinput"] = "saved"
    if with_dbias:
        problem.outputs["dbias"] = ((problem.fields["inner"],), problem["saved"].dtype)


_activate = Function("activation_forward", ["input", "bias"], ["out"], _activation)
_activate_grad = Function("activation_backward", ["saved", "dout", "bias"], ["dinput", "dbias"], _activation_backward)
FUNCTIONS = tuple(a.name.lower() for a in Activation if a)
SAVED_OUTPUT = ("leaky_relu", "sigmoid", "tanh")


def _take_alphas(options):
    return tuple((name, signed(float(options.pop(name)))) for name in _ALPHAS if name in options)


@_public
def activation(input, function, bias=None, *, out=None, **options):
    """function(input + bias), for a name of adjoint.functional.FUNCTIONS. out may be input itself.

    Parameters of functions: leaky_slope, quick_gelu_alpha, elu_alpha."""
    alphas = _take_alphas(options)
    return _activate((input, bias), (out,), (function, alphas), options)


@_public
def activation_backward(dout, saved, function, bias=None, *, saved_is="default", want_dbias=False, dinput=None, **options):
    """Gradient of activation in its input, and with want_dbias in bias. dinput may be dout or saved itself.

    saved is the "input" or the "output" of the function, as saved_is says; by default the output for leaky_relu, sigmoid and tanh, else the
    input."""
    alphas = _take_alphas(options)
    return _activate_grad((saved, dout, bias), (dinput, None), (function, saved_is, want_dbias, alphas), options)


def _named_activation(name):
    saved = "output" if name in SAVED_OUTPUT else "input"

    def forward(input, bias=None, *, out=None, **options):
        return activation(input, name, bias, out=out, **options)

    def backward(dout, saved, bias=None, *, want_dbias=False, dinput=None, **options):
        return activation_backward(dout, saved, name, bias, want_dbias=want_dbias, dinput=dinput, **options)

    forward.__name__, forward.__doc__ = name, f"{name} of input + bias; see activation."
    backward.__name__, backward.__doc__ = name + "_backward", f"Gradient of {name}; saved is its {saved}. See activation_backward."
    for function in (forward, backward):
        function.__qualname__ = function.__name__
        globals()[function.__name__] = _public(function)


for _name in FUNCTIONS:
    _named_activation(_name)


def _gated(problem, function, interleaved, gate_second, name="input"):
    view = problem[name]
    if not view.shape or view.shape[-1] % 2:
        problem.fail(f"{name} has the shape {list(view.shape)}, expected an even last dimension, gate and linear")
    problem.fields = {"outer": count_of(view.shape[:-1]), "inner": view.shape[-1] // 2, "element": problem.floating(name),
                      "function": choice(GatedActivation, function, f"{problem.operator.name}: function"),
                      "layout": "interleaved" if interleaved else "halves", "gate_second": int(gate_second)}
    half = (*view.shape[:-1], view.shape[-1] // 2)
    if problem.operator.name == "gated_activation_forward":
        problem.outputs["out"] = (half, view.dtype)
    else:
        problem.shape("dout", half, "input with half its last dimension")
        problem.outputs["dinput"] = name


_gate = Function("gated_activation_forward", ["input"], ["out"], _gated)
_gate_grad = Function("gated_activation_backward", ["input", "dout"], ["dinput"], _gated)
GATED_FUNCTIONS = tuple(a.name.lower() for a in GatedActivation if a)


@_public
def gated_activation(input, function, *, interleaved=False, gate_second=False, out=None, **options):
    """f(gate) * linear. Gate and linear are the halves of the last dimension of input; function is one of GATED_FUNCTIONS."""
    return _gate((input,), (out,), (function, interleaved, gate_second), options)


@_public
def gated_activation_backward(dout, input, function, *, interleaved=False, gate_second=False, dinput=None, **options):
    """Gradient of gated_activation, shaped like input, and possibly input itself."""
    return _gate_grad((input, dout), (dinput,), (function, interleaved, gate_second), options)


def _named_gate(name):
    def forward(input, *, out=None, **options):
        return gated_activation(input, name, out=out, **options)

    def backward(dout, input, *, dinput=None, **options):
        return gated_activation_backward(dout, input, name, dinput=dinput, **options)

    forward.__name__, forward.__doc__ = name, f"{name} of input [..., 2 n]; see gated_activation."
    backward.__name__, backward.__doc__ = name + "_backward", f"Gradient of {name}; see gated_activation_backward."
    for function in (forward, backward):
        function.__qualname__ = function.__name__
        globals()[function.__name__] = _public(function)


for _name in GATED_FUNCTIONS:
    _named_gate(_name)


# ---- dropout

def _dropout(problem, training):
    problem.fields = {"numel": count_of(problem["input"].shape), "element": problem.floating("input"), "training": int(training)}
    problem.outputs["out"] = "input"
    problem.outputs["mask"] = (problem["input"].shape, Dtype.BOOL)


def _dropout_backward(problem, training):
    problem.same_shape("mask", "dout")
    problem.fields = {"numel": count_of(problem["dout"].shape), "element": problem.floating("dout"), "training": int(training)}
    problem.outputs["dinput"] = "dout"


_drop = Function("dropout_forward", ["input"], ["out", "mask"], _dropout, ["ratio", "random"])
_drop_grad = Function("dropout_backward", ["dout", "mask"], ["dinput"], _dropout_backward, ["ratio"])


@_public
def dropout(input, ratio, seed, offset=0, *, training=True, out=None, mask=None, **options):
    """(out, mask): elements are zero with the probability ratio, the others are divided by 1 - ratio.

    What is kept depends on seed, offset and the position alone. The next call with the same seed takes an offset that is larger by the
    number of elements, rounded up to a multiple of 4."""
    return _drop((input,), (out, mask), (training,), options, (ratio, (seed, offset)))


@_public
def dropout_backward(dout, mask, ratio, *, training=True, dinput=None, **options):
    """Gradient of dropout, from its mask. dinput may be dout itself."""
    return _drop_grad((dout, mask), (dinput,), (training,), options, (ratio,))


# ---- reductions

def _reduce(problem, kind, axes, keepdims, output):
    rank = len(problem["input"].shape)
    axes = (axes,) if isinstance(axes, int) else axes
    if axes is not None and not all(isinstance(a, int) and -rank <= a < rank for a in axes):
        problem.fail(f"axes = {axes} are not all in [{-rank}, {rank}), input having {rank} dimensions", Status.INVALID_ARGUMENT)
    problem.fields = {"shape": problem["input"].shape, "axes": axes or (), "kind": kind, "element": problem["input"].dtype, "keepdims": int(keepdims),
                      "noop_with_empty_axes": int(axes is not None)}
    if output is not None:
        problem.fields["output"] = output
    problem.outputs["output"] = RULE


_reduction = Function("reduce", ["input"], ["output"], _reduce)


@_public
def reduce(input, kind="sum", axes=None, *, keepdims=False, output_dtype=None, output=None, **options):
    """sum, mean, sum_square, l2, max, min, prod or logsumexp over axes (None: all of them), the same bits in every run."""
    return _reduction((input,), (output,), (kind, tuple(axes) if isinstance(axes, list) else axes, keepdims, output_dtype), options)


def _list_fields(problem, name, field):
    views = problem[name]
    problem.fields.update({"numel": [count_of(v.shape) for v in views], field: views[0].dtype if views else Dtype.F32})


def _same_lists(problem, name, *others):
    counts = [count_of(v.shape) for v in problem[name]]
    for other in others:
        if problem[other] is not None and [count_of(v.shape) for v in problem[other]] != counts:
            problem.fail(f"{other} has tensors of {[count_of(v.shape) for v in problem[other]]} elements and {name} of {counts}; they must be equal")


def _l2_norm(problem):
    _list_fields(problem, "inputs", "element")
    problem.outputs["output"] = ((), problem["inputs"][0].dtype if problem["inputs"] else Dtype.F32)


def _clip(problem, max_norm, epsilon, norm_only):
    _list_fields(problem, "grads", "grad")
    problem.fields.update(max_norm=max_norm, epsilon=epsilon, norm_only=int(norm_only))
    problem.outputs["norm"] = ((), Dtype.F64 if problem.fields["grad"] == Dtype.F64 else Dtype.F32)


_norm = Function("l2_norm", ["inputs"], ["output"], _l2_norm)
_clip_norm = Function("clip_grad_norm", ["grads"], ["norm", "found_inf"], _clip, ["grad_scale"])


@_public
def l2_norm(arrays, *, output=None, **options):
    """The root of the sum of squares of all elements of a list of arrays of one type; it neither overflows nor vanishes."""
    return _norm((tuple(arrays),), (output,), (), options)


@_public
def clip_grad_norm(grads, max_norm, *, epsilon=1e-6, grad_scale=1.0, norm_only=False, norm=None, found_inf=None, **options):
    """Scales gradients in place so that their common norm is at most max_norm; returns the norm, an array of one element."""
    return _first(_clip_norm((tuple(grads),), (norm, found_inf), (float(max_norm), epsilon, norm_only), options, (grad_scale,)))


# ---- optimizers

def _adam(problem, betas, epsilon, weight_decay, decay, bias_correction, advance_step):
    _same_lists(problem, "params", "grads", "exp_avg", "exp_avg_sq", "copies")
    _list_fields(problem, "params", "param")
    for name, field in (("grads", "grad"), ("exp_avg", "state"), ("copies", "copy")):
        if problem[name]:
            problem.fields[field] = problem[name][0].dtype
    problem.fields.update(beta1=betas[0], beta2=betas[1], epsilon=epsilon, weight_decay=weight_decay, decay=decay,
                          no_bias_correction=int(not bias_correction), advance_step=int(advance_step))


def _sgd(problem, momentum, dampening, weight_decay, nesterov, first_step):
    _same_lists(problem, "params", "grads", "momentum_buffers")
    _list_fields(problem, "params", "param")
    for name, field in (("grads", "grad"), ("momentum_buffers", "state")):
        if problem[name]:
            problem.fields[field] = problem[name][0].dtype
    problem.fields.update(momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=int(nesterov), first_step=int(first_step))


_adam_step = Function("adam", ["params", "grads", "exp_avg", "exp_avg_sq", "copies", "found_inf"], [], _adam, ["lr", "step", "grad_scale"])
_sgd_step = Function("sgd", ["params", "grads", "momentum_buffers", "found_inf"], [], _sgd, ["lr", "grad_scale"])


@_public
def adam(params, grads, exp_avg, exp_avg_sq, *, step, lr, betas=(0.9, 0.999), epsilon=1e-8, weight_decay=0.0, decay="first",
         bias_correction=True, grad_scale=1.0, copies=None, found_inf=None, advance_step=False, **options):
    """One Adam step on lists of arrays, in place. step counts from 1. Each list has arrays of one type, of as many elements as params.

    lr, step and grad_scale may be arrays of one element, which are read in stream order. advance_step then adds 1 to the array step."""
    lists = tuple(tuple(x) if x is not None else None for x in (params, grads, exp_avg, exp_avg_sq, copies))
    parameters = (tuple(betas), float(epsilon), float(weight_decay), decay, bool(bias_correction), bool(advance_step))
    _adam_step((*lists, found_inf), (), parameters, options, (lr, step, grad_scale))


@_public
def sgd(params, grads, momentum_buffers=None, *, lr, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, first_step=False,
        grad_scale=1.0, found_inf=None, **options):
    """One SGD step on lists of arrays, in place. first_step: the momentum buffers are written without being read."""
    lists = tuple(tuple(x) if x is not None else None for x in (params, grads, momentum_buffers))
    parameters = (float(momentum), float(dampening), float(weight_decay), bool(nesterov), bool(first_step))
    _sgd_step((*lists, found_inf), (), parameters, options, (lr, grad_scale))
