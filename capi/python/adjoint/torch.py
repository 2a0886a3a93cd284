"""Operators of torch, differentiable functions and an optimizer for PyTorch.

    import adjoint.torch as adj
    loss = adj.cross_entropy(logits, labels)
    loss.backward()

torch.ops.adjoint has every operator of the library that works on tensors alone. The functions here have the signatures of torch.nn.functional.
Both go through torch's dispatcher, so that torch.compile, make_fx, torch.func, checkpointing and dispatch modes take both. Tensors that are not contiguous
are copied first. Gradients cannot be differentiated again, and a gradient that reaches a result or input without one is an error."""
import torch

from . import functional
from ._call import KEPT_CALLS
from ._generated import GRADIENTS
from ._torch_operators import OPERATORS, watched
from .optim import Updates, check_adamw, check_parameters


# ---- functions with the signatures of torch.nn.functional

# torch's own choice of functions that compute in f32 under autocast.
_AUTOCAST_F32 = {"cuda": {"softmax", "log_softmax", "cross_entropy", "layer_norm", "softplus"}, "cpu": {"cross_entropy"}}


def _cast(name, tensors):
    """The tensors, by name, in the type that torch's function of that name computes in."""
    kind = "cuda" if next(iter(tensors.values())).is_cuda else "cpu"
    if not torch.is_autocast_enabled(kind) or name not in _AUTOCAST_F32[kind]:
        return tensors
    return {n: t.float() if t is not None and t.dtype in (torch.float16, torch.bfloat16) else t for n, t in tensors.items()}


_built = {}  # (Fields, the shape of the first result) of each call, by what they follow from


def _apply(function, parameters, options={}, **tensors):
    """The first result of a function of adjoint.functional. options: more fields."""
    tensors = _cast(parameters.get("function", function.__name__), tensors)
    operator, args = OPERATORS[function.operator.name], [*tensors.values()]
    if watched():
        fields, shape = _build(function, operator, parameters, options, tensors)
        result = operator.op(*map(tensors.get, operator.inputs), **fields)
        result = result if operator.single else result[0]
        return result if shape is None else result.reshape(shape)
    # The text of a number says what kind it is, and 0.0 from -0.0.
    key = (function, repr(parameters), repr(options), *[None if t is None else t.shape for t in args])
    found = _built.get(key)
    if found is None:
        if len(_built) >= KEPT_CALLS:
            _built.clear()
        fields, shape = _build(function, operator, parameters, options, tensors)
        found = _built[key] = operator.fields(fields), shape
    fields, shape = found
    result = operator.recorded_or_below([*map(tensors.get, operator.inputs)], fields)
    result = result if operator.single else result[0]
    return result if shape is None or result.shape == shape else result.reshape(shape)


def _build(function, operator, parameters, options, tensors):
    """(fields, the shape of the first result, None for that of the operator)"""
    fields = function.build(function.operator, **tensors, **parameters)
    shape = fields.pop("shapes", {}).get(operator.outputs[0])
    fields.pop("asked", None)
    return {**fields, **options}, shape


def _refuse(function, **given):
    """Raises for parameters of torch's function that ours does not have; given: name=(value, the values that change nothing)."""
    for name, (value, plain) in given.items():
        if not any(value is p or type(value) in (int, float, bool) and value == p for p in plain):
            raise ValueError(f"{function}: {name} = {value!r} is not supported; use torch.nn.functional.{function}")


def _dim(function, dim):
    if dim is None:
        raise ValueError(f"{function}: dim is not given, and torch's choice for it depends on the number of dimensions; name one")
    return {"axis": dim}


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """As torch.nn.functional.softmax; dim must be given. dtype: the type that input is converted to first."""
    return _apply(functional.softmax, _dim("softmax", dim), input=input if dtype is None else input.to(dtype))


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """As torch.nn.functional.log_softmax; dim must be given. dtype: the type that input is converted to first."""
    return _apply(functional.log_softmax, _dim("log_softmax", dim), input=input if dtype is None else input.to(dtype))


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0, *, z_loss=0.0):
    """As torch.nn.functional.cross_entropy, for class indices; z_loss * logsumexp^2 is added to the loss of each sample.

    A mean over no samples is 0."""
    _refuse("cross_entropy", size_average=(size_average, (None,)), reduce=(reduce, (None,)))
    if target.is_floating_point():
        raise TypeError("cross_entropy: target has floating-point elements; give class indices")
    samples = input.shape[:1] + input.shape[2:] if input.dim() > 1 else ()
    if target.shape != samples:
        raise ValueError(f"cross_entropy: target has the shape {list(target.shape)}, expected {list(samples)} for an input of the shape {list(input.shape)}")
    parameters = {"ignore_index": ignore_index, "reduction": reduction}
    if not label_smoothing and not z_loss:
        parameters["class_axis"] = 1 if input.dim() > 1 else -1
        return _apply(functional.cross_entropy, parameters, scores=input, labels=target, weight=weight)
    input, weight = _cast("cross_entropy", {"input": input, "weight": weight}).values()
    scores = input.float() if input.dtype == torch.float16 else input  # the gradient of f16 is kept in f32: a loss scale comes with the gradient of the loss
    options = {"label_smoothing": label_smoothing, "z_loss": z_loss}
    scores = scores.movedim(1, -1) if input.dim() > 2 else scores
    return _apply(functional.cross_entropy_with_gradient, parameters, options, scores=scores, labels=target, weight=weight).to(input.dtype)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """As torch.nn.functional.embedding. Indices out of range give rows of zeros and no gradient."""
    _refuse("embedding", max_norm=(max_norm, (None,)), sparse=(sparse, (False,)))
    if padding_idx is not None:
        if not -weight.shape[0] <= padding_idx < weight.shape[0]:
            raise ValueError(f"embedding: padding_idx = {padding_idx} is not in [{-weight.shape[0]}, {weight.shape[0]}), weight having {weight.shape[0]} rows")
        padding_idx %= weight.shape[0]
    options = {"scale_grad_by_freq": int(scale_grad_by_freq)}
    return _apply(functional.embedding, {"padding_idx": padding_idx}, options, indices=input, weight=weight)


def _norm(function, input, normalized_shape, eps, **weights):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape or tuple(input.shape[-len(shape):]) != shape:
        raise ValueError(f"{function.__name__}: normalized_shape = {list(shape)} is not the end of the shape of input, {list(input.shape)}")
    return _apply(function, {"axis": -len(shape)}, {"epsilon": eps}, input=input, **weights)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """As torch.nn.functional.layer_norm."""
    return _norm(functional.layer_norm, input, normalized_shape, eps, gamma=weight, beta=bias)


def _epsilon(dtype):
    """torch's default for rms_norm of 16-bit elements: the epsilon of their type, or since it adds in f32, that of f32. The square of the element lies between."""
    tiny, own = torch.full((1,), 2.0 ** -7, dtype=dtype, device="cpu"), torch.finfo(dtype).eps
    return own if torch.nn.functional.rms_norm(tiny, (1,)).item() < 0.5 else torch.finfo(torch.float32).eps


_EPSILONS = {dtype: _epsilon(dtype) for dtype in (torch.float16, torch.bfloat16)}


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """As torch.nn.functional.rms_norm: eps is by default the epsilon of a type, for 16-bit inputs of the one that the installed torch takes."""
    if eps is None:
        eps = _EPSILONS[input.dtype] if input.dtype in _EPSILONS else torch.finfo(input.dtype).eps
    return _norm(functional.rms_norm, input, normalized_shape, eps, gamma=weight)


def _order(shape, strides):
    """The dimensions from the slowest to the fastest, as torch orders those of an elementwise result: by strides, then sizes; a stride of 0 says nothing."""
    order = list(range(len(shape)))
    for end in range(len(order) - 2, -1, -1):
        i = end
        for other in range(end + 1, len(order)):
            a, b = order[i], order[other]
            if strides[a] == 0 or strides[b] == 0:
                continue
            if (strides[a], shape[a]) < (strides[b], shape[b]):
                order[i], order[other], i = b, a, other
            elif strides[a] > strides[b]:
                break
    return order


def activation(input, function, **options):
    """function(input); see adjoint.activation. options: leaky_slope, quick_gelu_alpha, elu_alpha. The result has the layout of torch's elementwise functions."""
    if input.is_contiguous():
        return _apply(functional.activation, {"function": function}, options, input=input)
    order = _order(input.shape, input.stride())
    result = _apply(functional.activation, {"function": function}, options, input=input.permute(order))
    return result.permute(sorted(range(len(order)), key=order.__getitem__))


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """As torch.nn.functional.leaky_relu."""
    _refuse("leaky_relu", inplace=(inplace, (False,)))
    return activation(input, "leaky_relu", leaky_slope=negative_slope)


def gelu(input, approximate="none"):
    """As torch.nn.functional.gelu."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate = {approximate!r} is not one of none, tanh")
    return activation(input, "gelu_tanh" if approximate == "tanh" else "gelu")


def elu(input, alpha=1.0, inplace=False):
    """As torch.nn.functional.elu."""
    _refuse("elu", inplace=(inplace, (False,)))
    return activation(input, "elu", elu_alpha=alpha)


def softplus(input, beta=1.0, threshold=20.0):
    """As torch.nn.functional.softplus for beta = 1. Beyond the threshold torch returns input; ours is exact there too."""
    _refuse("softplus", beta=(beta, (1,)), threshold=(threshold, (20,)))
    return activation(input, "softplus")


def sigmoid(input):
    """As torch.sigmoid."""
    return activation(input, "sigmoid")


def tanh(input):
    """As torch.tanh."""
    return activation(input, "tanh")


def relu(input, inplace=False):
    """As torch.nn.functional.relu."""
    _refuse("relu", inplace=(inplace, (False,)))
    return activation(input, "relu")


def silu(input, inplace=False):
    """As torch.nn.functional.silu."""
    _refuse("silu", inplace=(inplace, (False,)))
    return activation(input, "silu")


def mish(input, inplace=False):
    """As torch.nn.functional.mish."""
    _refuse("mish", inplace=(inplace, (False,)))
    return activation(input, "mish")


def hardswish(input, inplace=False):
    """As torch.nn.functional.hardswish."""
    _refuse("hardswish", inplace=(inplace, (False,)))
    return activation(input, "hard_swish")


def gated_activation(input, function, *, interleaved=False, gate_second=False):
    """f(gate) * linear of the halves of the last dimension; see adjoint.gated_activation."""
    return _apply(functional.gated_activation, {"function": function, "interleaved": interleaved}, {"gate_second": int(gate_second)}, input=input)


def swiglu(input, **options):
    """silu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "swiglu", **options)


def geglu(input, **options):
    """gelu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "geglu", **options)


def dropout(input, p=0.5, training=True, inplace=False, *, seed=None, offset=0):
    """As torch.nn.functional.dropout. Without a seed one is drawn from torch's generator of the CPU.

    seed, offset: what is dropped depends on them and on the position alone. offset is a multiple of 4."""
    _refuse("dropout", inplace=(inplace, (False,)))
    if not 0 <= p <= 1:
        raise ValueError(f"dropout: p = {p!r} is not in [0, 1]")
    if offset % 4:
        raise ValueError(f"dropout: offset = {offset} is not a multiple of 4, the numbers that the generator makes at once")
    if not training or p == 0:
        return input
    if p == 1:
        return input * torch.zeros((), dtype=input.dtype, device=input.device)
    if seed is None:
        random = torch.randint(0, 2 ** 63 - 1, (2,)) * torch.tensor([1, 0])
    else:
        random = torch.tensor([(int(seed) + 2 ** 63) % 2 ** 64 - 2 ** 63, offset])
    return OPERATORS["dropout_forward"](input, None, random, ratio=float(p))[0]


class AdamW(torch.optim.Optimizer):
    """AdamW with the parameter groups, state and hooks of torch's optimizers, and the arguments of torch.optim.AdamW.

    Parameters and gradients may have any layout. Those that are not dense, and gradients in another layout than their parameter, are copied. All
    parameters of a type and device share a launch, so foreach and fused change nothing. The step is a number of the host: not for graph capture."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *, maximize=False, foreach=None, capturable=False,
                 differentiable=False, fused=None):
        for name, value in {"amsgrad": amsgrad, "capturable": capturable, "differentiable": differentiable}.items():
            if value:
                raise ValueError(f"AdamW: {name} = {value!r} is not supported; use torch.optim.AdamW")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
                                  "foreach": foreach, "capturable": capturable, "differentiable": differentiable, "fused": fused})

    def add_param_group(self, group):
        options = {**self.defaults, **group}
        check_adamw(options["lr"], options["betas"], options["eps"], options["weight_decay"])
        super().add_param_group(group)
        for i, parameter in enumerate(self.param_groups[-1]["params"]):
            if hasattr(parameter, "to_local"):
                raise ValueError(f"AdamW: params[{i}] is a {type(parameter).__name__}, whose parts are on several devices; use torch.optim.AdamW")
        check_parameters(self.param_groups[-1]["params"])

    @torch.no_grad()
    def step(self, closure=None):
        with torch.enable_grad():
            loss = closure and closure()
        kept = self.__dict__.setdefault("_updates", [])  # torch's optimizers copy and pickle the state and the groups alone
        kept.extend(Updates() for _ in self.param_groups[len(kept):])
        for group, updates in zip(self.param_groups, kept):
            entries = [(p, p.grad, self.state[p]) for p in group["params"] if p.grad is not None]
            updates.step(entries, float(group["lr"]), tuple(group["betas"]), group["eps"], group["weight_decay"], -1.0 if group.get("maximize") else 1.0)
        return loss
