"""Operators of torch, differentiable functions and an optimizer for PyTorch.

    import adjoint.torch as adj
    loss = adj.cross_entropy(logits, labels)
    loss.backward()

torch.ops.adjoint has every operator of the library that works on tensors alone. The functions here have the signatures of torch.nn.functional.
Both go through torch's dispatcher, so that torch.compile, make_fx, torch.func, checkpointing and dispatch modes take both. Tensors that are not contiguous
are copied first. Gradients cannot be differentiated again, and a gradient that reaches a result or input without one is an error."""
from __future__ import annotations

from math import prod
from typing import Any, Sequence

import torch
from torch.nn.attention.bias import CausalBias

from . import _torch_compiled, functional
from ._torch_compiled import Caller
from ._generated import GRADIENTS
from ._torch_adamw import AdamW
from ._torch_known import Calls, Known
from ._torch_layout import order_of
from ._torch_operators import OPERATORS, watched

COMPILED = _torch_compiled.lib is not None  # whether the operators' kernels are in compiled code; see ADJOINT_TORCH_OPERATORS


# ---- functions with the signatures of torch.nn.functional

# torch's own choice of functions that compute in f32 under autocast.
_AUTOCAST_F32 = {"cuda": {"softmax", "log_softmax", "cross_entropy", "layer_norm", "group_norm", "softplus"}, "cpu": {"cross_entropy"}}


def _cast(name, tensors):
    """The tensors, by name, in the type that torch's function of that name computes in."""
    kind = "cuda" if next(iter(tensors.values())).is_cuda else "cpu"
    if not torch.is_autocast_enabled(kind) or name not in _AUTOCAST_F32[kind]:
        return tensors
    return {n: t.float() if t is not None and t.dtype in (torch.float16, torch.bfloat16) else t for n, t in tensors.items()}


def _cast_low(*tensors):
    """The tensors in the type of autocast, where it is on: of matrix products and attention."""
    kind = "cuda" if tensors[0].is_cuda else "cpu"
    if not torch.is_autocast_enabled(kind):
        return tensors
    low = torch.get_autocast_dtype(kind)
    return tuple(t.to(low) if t is not None and t.is_floating_point() and t.dtype != torch.float64 else t for t in tensors)


_known = Calls()
_traced = torch.compiler.is_dynamo_compiling  # what is traced has no calls that are known: nothing of a graph depends on them


def _apply(function, parameters, options={}, caller=None, **tensors):
    """The first result of a function of adjoint.functional. options: more fields. caller: makes later calls like it, where this one's arguments are its tensors
    and its result is this one."""
    if torch._C._is_any_autocast_enabled():
        tensors, caller = _cast(parameters.get("function", function.__name__), tensors), None
    operator = OPERATORS[function.operator.name]
    if watched():
        fields, shape = _build(function, operator, parameters, options, tensors)
        result = operator.op(*map(tensors.get, operator.inputs), **fields)
        result = result if operator.single else result[0]
        return result if shape is None else result.reshape(shape)
    # The text of a number says what kind it is, and 0.0 from -0.0.
    key = (function, *[v if type(v) is int or type(v) is str else repr(v) for v in (*parameters.values(), *options.values())],
           *[None if t is None else t.shape for t in tensors.values()])
    known, args = _known.get(key), tuple(map(tensors.get, operator.inputs))
    if known is None:
        fields, shape = _build(function, operator, parameters, options, tensors)
        known = Known(operator, operator.fields(fields), shape)
        result = known.call(args)
        _known.keep(key, known)
    else:
        result = known.call(args)
    if caller is not None and caller.has_left():
        known.keep(caller, args)
    return result


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
            with torch._C.DisableTorchFunctionSubclass():  # masks of torch.nn.attention.bias refuse to say their shape
                said = f"a tensor of shape {list(value.shape)}" if isinstance(value, torch.Tensor) else repr(value)
            raise ValueError(f"{function}: {name} = {said} is not supported; use torch.nn.functional.{function}")


def _check_tensors(function, **given):
    for name, value in given.items():
        if value is not None and not isinstance(value, torch.Tensor):
            raise TypeError(f"{function}: {name} is of type {type(value).__name__}, expected a torch.Tensor")


def _dim(function, dim):
    if dim is None:
        raise ValueError(f"{function}: dim is not given, and torch's choice for it depends on the number of dimensions; name one")
    return {"axis": dim}


_softmax, _log_softmax, _cross_entropy = Caller(input=0), Caller(input=0), Caller(scores=0, labels=1, weight=2)
_embedding, _activation, _gated_activation = Caller(indices=0, weight=1), Caller(input=0), Caller(input=0)
_layer_norm, _rms_norm, _group_norm = Caller(input=0, gamma=1, beta=2), Caller(input=0, gamma=1), Caller(input=0, scale=1, bias=2)


def softmax(input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None) -> torch.Tensor:
    """As torch.nn.functional.softmax; dim must be given. dtype: the type that input is converted to first."""
    if not _traced() and (made := _softmax.call(input, dim, dtype)) is not None:
        return made
    _check_tensors("softmax", input=input)
    return _apply(functional.softmax, _dim("softmax", dim), caller=_softmax if dtype is None else None, input=input if dtype is None else input.to(dtype))


def log_softmax(input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None) -> torch.Tensor:
    """As torch.nn.functional.log_softmax; dim must be given. dtype: the type that input is converted to first."""
    if not _traced() and (made := _log_softmax.call(input, dim, dtype)) is not None:
        return made
    _check_tensors("log_softmax", input=input)
    return _apply(functional.log_softmax, _dim("log_softmax", dim), caller=_log_softmax if dtype is None else None, input=input if dtype is None else input.to(dtype))


def cross_entropy(input: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None, size_average: None = None, ignore_index: int = -100,
                  reduce: None = None, reduction: str = "mean", label_smoothing: float = 0.0, *, z_loss: float = 0.0) -> torch.Tensor:
    """As torch.nn.functional.cross_entropy, for class indices; z_loss * logsumexp^2 is added to the loss of each sample.

    A mean over no samples is 0."""
    if not _traced() and (made := _cross_entropy.call(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing, z_loss)) is not None:
        return made
    _check_tensors("cross_entropy", input=input, target=target, weight=weight)
    _refuse("cross_entropy", size_average=(size_average, (None,)), reduce=(reduce, (None,)))
    if target.is_floating_point():
        raise TypeError("cross_entropy: target has floating-point elements; give class indices")
    samples = input.shape[:1] + input.shape[2:] if input.dim() > 1 else ()
    if target.shape != samples:
        raise ValueError(f"cross_entropy: target has the shape {list(target.shape)}, expected {list(samples)} for an input of the shape {list(input.shape)}")
    if input.dim() == 1:  # one sample
        return cross_entropy(input[None], target[None], weight, None, ignore_index, None, reduction, label_smoothing, z_loss=z_loss).reshape(())
    parameters = {"ignore_index": ignore_index, "reduction": reduction}
    if not label_smoothing and not z_loss:
        parameters["class_axis"] = 1
        return _apply(functional.cross_entropy, parameters, caller=_cross_entropy, scores=input, labels=target, weight=weight)
    input, weight = _cast("cross_entropy", {"input": input, "weight": weight}).values()
    scores = input.float() if input.dtype == torch.float16 else input  # the gradient of f16 is kept in f32: a loss scale comes with the gradient of the loss
    options = {"label_smoothing": label_smoothing, "z_loss": z_loss}
    scores = scores.movedim(1, -1) if input.dim() > 2 else scores
    return _apply(functional.cross_entropy_with_gradient, parameters, options, scores=scores, labels=target, weight=weight).to(input.dtype)


def embedding(input: torch.Tensor, weight: torch.Tensor, padding_idx: int | None = None, max_norm: None = None, norm_type: float = 2.0,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> torch.Tensor:
    """As torch.nn.functional.embedding. Indices out of range give rows of zeros and no gradient."""
    if not _traced() and (made := _embedding.call(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)) is not None:
        return made
    _check_tensors("embedding", input=input, weight=weight)
    _refuse("embedding", max_norm=(max_norm, (None,)), sparse=(sparse, (False,)))
    if padding_idx is not None:
        if not -weight.shape[0] <= padding_idx < weight.shape[0]:
            raise ValueError(f"embedding: padding_idx = {padding_idx} is not in [{-weight.shape[0]}, {weight.shape[0]}), weight having {weight.shape[0]} rows")
        padding_idx %= weight.shape[0]
    options = {"scale_grad_by_freq": int(scale_grad_by_freq)}
    return _apply(functional.embedding, {"padding_idx": padding_idx}, options, _embedding, indices=input, weight=weight)


def _norm(function, caller, input, normalized_shape, eps, **weights):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    _check_tensors(function.__name__, input=input, weight=weights["gamma"], bias=weights.get("beta"))
    if not shape or tuple(input.shape[-len(shape):]) != shape:
        raise ValueError(f"{function.__name__}: normalized_shape = {list(shape)} is not the end of the shape of input, {list(input.shape)}")
    for name, weight in weights.items():
        if weight is not None and tuple(weight.shape) != shape:
            name = {"gamma": "weight", "beta": "bias"}[name]
            raise ValueError(f"{function.__name__}: {name} has the shape {list(weight.shape)}, expected that of normalized_shape, {list(shape)}")
    return _apply(function, {"axis": -len(shape)}, {"epsilon": eps}, caller, input=input, **weights)


def layer_norm(input: torch.Tensor, normalized_shape: int | Sequence[int], weight: torch.Tensor | None = None, bias: torch.Tensor | None = None,
               eps: float = 1e-5) -> torch.Tensor:
    """As torch.nn.functional.layer_norm."""
    if not _traced() and (made := _layer_norm.call(input, weight, bias, normalized_shape, eps)) is not None:
        return made
    return _norm(functional.layer_norm, _layer_norm, input, normalized_shape, eps, gamma=weight, beta=bias)


def _epsilon(dtype):
    """torch's default for rms_norm of 16-bit elements: the epsilon of their type, or since it adds in f32, that of f32. The square of the element lies between."""
    tiny, own = torch.full((1,), 2.0 ** -7, dtype=dtype, device="cpu"), torch.finfo(dtype).eps
    return own if torch.nn.functional.rms_norm(tiny, (1,)).item() < 0.5 else torch.finfo(torch.float32).eps


_EPSILONS = {dtype: _epsilon(dtype) for dtype in (torch.float16, torch.bfloat16)}


def rms_norm(input: torch.Tensor, normalized_shape: int | Sequence[int], weight: torch.Tensor | None = None, eps: float | None = None) -> torch.Tensor:
    """As torch.nn.functional.rms_norm: eps is by default the epsilon of a type, for 16-bit inputs of the one that the installed torch takes."""
    if not _traced() and (made := _rms_norm.call(input, weight, normalized_shape, eps)) is not None:
        return made
    if eps is None:
        _check_tensors("rms_norm", input=input)
        eps = _EPSILONS[input.dtype] if input.dtype in _EPSILONS else torch.finfo(input.dtype).eps
    return _norm(functional.rms_norm, _rms_norm, input, normalized_shape, eps, gamma=weight)


def group_norm(input: torch.Tensor, num_groups: int, weight: torch.Tensor | None = None, bias: torch.Tensor | None = None, eps: float = 1e-5) -> torch.Tensor:
    """As torch.nn.functional.group_norm: of input [samples, channels, ...], whose samples have elements."""
    if not _traced() and (made := _group_norm.call(input, weight, bias, num_groups, eps)) is not None:
        return made
    _check_tensors("group_norm", input=input, weight=weight, bias=bias)
    if input.dim() < 2 or 0 in input.shape[1:]:
        raise ValueError(f"group_norm: input has the shape {list(input.shape)}, expected [samples, channels, ...] with elements in each sample")
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and t.shape != input.shape[1:2]:
            raise ValueError(f"group_norm: {name} has the shape {list(t.shape)}, expected that of the channels, {list(input.shape[1:2])}")
    return _apply(functional.group_norm, {"groups": num_groups}, {"epsilon": eps}, _group_norm, input=input, scale=weight, bias=bias)


def activation(input: torch.Tensor, function: str, **options: Any) -> torch.Tensor:
    """function(input); see adjoint.activation. options: leaky_slope, quick_gelu_alpha, elu_alpha. The result has the layout of torch's elementwise
    functions."""
    if not _traced() and (made := _activation.call(input, function, options)) is not None:
        return made
    _check_tensors(function, input=input)
    if input.is_contiguous():
        return _apply(functional.activation, {"function": function}, options, _activation, input=input)
    order = order_of(input.shape, input.stride())
    result = _apply(functional.activation, {"function": function}, options, input=input.permute(order))
    return result.permute(sorted(range(len(order)), key=order.__getitem__))


def leaky_relu(input: torch.Tensor, negative_slope: float = 0.01, inplace: bool = False) -> torch.Tensor:
    """As torch.nn.functional.leaky_relu."""
    _refuse("leaky_relu", inplace=(inplace, (False,)))
    return activation(input, "leaky_relu", leaky_slope=negative_slope)


def gelu(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """As torch.nn.functional.gelu."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate = {approximate!r} is not one of none, tanh")
    return activation(input, "gelu_tanh" if approximate == "tanh" else "gelu")


def elu(input: torch.Tensor, alpha: float = 1.0, inplace: bool = False) -> torch.Tensor:
    """As torch.nn.functional.elu."""
    _refuse("elu", inplace=(inplace, (False,)))
    return activation(input, "elu", elu_alpha=alpha)


def softplus(input: torch.Tensor, beta: float = 1.0, threshold: float = 20.0) -> torch.Tensor:
    """As torch.nn.functional.softplus for beta = 1. Beyond the threshold torch returns input; ours is exact there too."""
    _refuse("softplus", beta=(beta, (1,)), threshold=(threshold, (20,)))
    return activation(input, "softplus")


def sigmoid(input: torch.Tensor) -> torch.Tensor:
    """As torch.sigmoid."""
    return activation(input, "sigmoid")


def tanh(input: torch.Tensor) -> torch.Tensor:
    """As torch.tanh."""
    return activation(input, "tanh")


def relu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """As torch.nn.functional.relu."""
    _refuse("relu", inplace=(inplace, (False,)))
    return activation(input, "relu")


def silu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """As torch.nn.functional.silu."""
    _refuse("silu", inplace=(inplace, (False,)))
    return activation(input, "silu")


def mish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """As torch.nn.functional.mish."""
    _refuse("mish", inplace=(inplace, (False,)))
    return activation(input, "mish")


def hardswish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """As torch.nn.functional.hardswish."""
    _refuse("hardswish", inplace=(inplace, (False,)))
    return activation(input, "hard_swish")


def gated_activation(input: torch.Tensor, function: str, *, interleaved: bool = False, gate_second: bool = False) -> torch.Tensor:
    """f(gate) * linear of the halves of the last dimension; see adjoint.gated_activation."""
    if not _traced() and (made := _gated_activation.call(input, function, interleaved, gate_second)) is not None:
        return made
    _check_tensors(function, input=input)
    return _apply(functional.gated_activation, {"function": function, "interleaved": interleaved}, {"gate_second": int(gate_second)}, _gated_activation, input=input)


def swiglu(input: torch.Tensor, **options: Any) -> torch.Tensor:
    """silu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "swiglu", **options)


def geglu(input: torch.Tensor, **options: Any) -> torch.Tensor:
    """gelu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "geglu", **options)


def dropout(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, seed: int | None = None, offset: int = 0) -> torch.Tensor:
    """As torch.nn.functional.dropout. Without a seed one is drawn from torch's generator of the CPU.

    seed, offset: what is dropped depends on them and on the position alone. offset is a multiple of 4."""
    _check_tensors("dropout", input=input)
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


def _rows(tensor):
    return tensor.reshape(prod(tensor.shape[:-1]), tensor.shape[-1])


class _Matmul(torch.autograd.Function):
    """op(a) @ op(b) + bias of matrices in batches; b may be one matrix for all. Its gradients are products too, so that they have gradients."""
    generate_vmap_rule = True

    @staticmethod
    def forward(a, b, bias, transpose_a, transpose_b):
        return _apply(functional.matmul, {"transpose_a": transpose_a, "transpose_b": transpose_b}, {"has_bias": int(bias is not None)}, a=a, b=b, bias=bias)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])
        ctx.bias, ctx.transposed = inputs[2] is not None, inputs[3:]

    @staticmethod
    def backward(ctx, dout):
        (a, b), (ta, tb), da, db, dbias = ctx.saved_tensors, ctx.transposed, None, None, None
        if ctx.needs_input_grad[0]:
            da = _Matmul.apply(b, dout, None, tb, True) if ta else _Matmul.apply(dout, b, None, False, not tb)
        if ctx.needs_input_grad[1]:
            if b.dim() < a.dim():  # one matrix for all: the rows of all are those of one product
                a, dout_rows = _rows(a), _rows(dout)
            else:
                dout_rows = dout
            db = _Matmul.apply(dout_rows, a, None, True, ta) if tb else _Matmul.apply(a, dout_rows, None, not ta, False)
        if ctx.needs_input_grad[2]:
            dbias = _rows(dout).sum(0)
        return da, db, dbias, None, None


def matmul(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """As torch.matmul."""
    _check_tensors("matmul", input=input, other=other)
    for name, t in (("input", input), ("other", other)):
        if t.dim() == 0:
            raise ValueError(f"matmul: {name} has no dimension, expected at least one")
    input, other = _cast_low(input, other)
    a, b = input if input.dim() > 1 else input[None], other if other.dim() > 1 else other[:, None]
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul: input of shape {list(input.shape)} has rows of {a.shape[-1]}, and other of shape {list(other.shape)} columns of "
                         f"{b.shape[-2]}")
    if a.dtype != b.dtype:
        raise TypeError(f"matmul: input has elements of {a.dtype} and other of {b.dtype}")
    if b.dim() > 2:
        batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = a.expand(*batch, *a.shape[-2:]), b.expand(*batch, *b.shape[-2:])
    result = _Matmul.apply(a, b, None, False, False)
    result = result if other.dim() > 1 else result[..., 0]
    return result if input.dim() > 1 else result[..., 0, :] if other.dim() > 1 else result[..., 0]


def linear(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """As torch.nn.functional.linear."""
    _check_tensors("linear", input=input, weight=weight, bias=bias)
    if weight.dim() not in (1, 2) or input.dim() == 0 or input.shape[-1] != weight.shape[-1]:
        raise ValueError(f"linear: input has the shape {list(input.shape)} and weight {list(weight.shape)}; their last dimensions must be equal")
    if bias is not None and bias.shape != weight.shape[:-1]:
        raise ValueError(f"linear: bias has the shape {list(bias.shape)}, expected {list(weight.shape[:-1])}")
    input, weight, bias = _cast_low(input, weight, bias)
    if weight.dim() == 1:
        return matmul(input, weight) if bias is None else matmul(input, weight) + bias
    rows = input if input.dim() > 1 else input[None]
    result = _Matmul.apply(rows, weight, bias, False, True)
    return result if input.dim() > 1 else result[0]


def linear_cross_entropy(input: torch.Tensor, linear_weight: torch.Tensor, target: torch.Tensor, *, linear_bias: torch.Tensor | None = None,
                         weight: torch.Tensor | None = None, reduction: str = "mean", ignore_index: int | None = None, label_smoothing: float = 0.0,
                         options: None = None, z_loss: float = 0.0, temperature: float = 1.0, softcap: float = 0.0, chunk_rows: int = 0,
                         max_workspace: int = 0) -> torch.Tensor:
    """cross_entropy(linear(input, linear_weight, linear_bias), target), without the scores of all samples in memory: those of a chunk are made at a time, and
    made again for the gradient. As torch.nn.functional.linear_cross_entropy of PyTorch 2.15, for class indices and linear_weight [classes, in_features].

    input [samples, in_features] of f32, f16 or bf16, or one sample. ignore_index is by default -100. Scores are divided by temperature, and bounded by
    softcap * tanh(score / softcap); z_loss * logsumexp^2 is added to the loss of each sample. chunk_rows: samples of a chunk, 0 for a choice by the shape, which
    takes at most max_workspace bytes (0: 2^29)."""
    name = "linear_cross_entropy"
    _check_tensors(name, input=input, linear_weight=linear_weight, target=target, linear_bias=linear_bias, weight=weight)
    _refuse(name, options=(options, (None,)))
    if target.is_floating_point():
        raise TypeError(f"{name}: target has floating-point elements; give class indices")
    if input.dim() not in (1, 2) or linear_weight.dim() != 2 or input.shape[-1] != linear_weight.shape[1]:
        raise ValueError(f"{name}: input has the shape {list(input.shape)} and linear_weight {list(linear_weight.shape)}, expected [samples, in_features] or "
                         "[in_features], and [classes, in_features]")
    if target.shape != input.shape[:-1]:
        raise ValueError(f"{name}: target has the shape {list(target.shape)}, expected {list(input.shape[:-1])} for an input of the shape {list(input.shape)}")
    for which, t in (("linear_bias", linear_bias), ("weight", weight)):
        if t is not None and t.shape != linear_weight.shape[:1]:
            raise ValueError(f"{name}: {which} has the shape {list(t.shape)}, expected {list(linear_weight.shape[:1])}, that of the classes")
    dtype = torch.float32 if torch.is_autocast_enabled("cuda" if input.is_cuda else "cpu") else input.dtype
    rows, linear_weight, linear_bias = _cast_low(input if input.dim() == 2 else input[None], linear_weight, linear_bias)
    fields = {"reduction": reduction, "ignore_index": -100 if ignore_index is None else ignore_index, "has_ignore_index": 1, "has_bias": int(linear_bias is not None),
              "label_smoothing": float(label_smoothing), "z_loss": float(z_loss), "temperature": float(temperature), "softcap": float(softcap),
              "chunk_rows": chunk_rows, "max_workspace": max_workspace}
    loss = OPERATORS[name](rows, linear_weight, linear_bias, target.reshape(rows.shape[:1]), weight, **fields)[0]
    return loss.reshape(target.shape if reduction == "none" else ()).to(dtype)


def scaled_dot_product_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor | None = None,
                                 dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False, *,
                                 window: int = -1) -> torch.Tensor:
    """As torch.nn.functional.scaled_dot_product_attention, for as many keys as queries and heads of one size, without dropout.

    query [batch, heads, tokens, head_dim], key and value with as many heads or, with enable_gqa, a divisor of them. Those that lie in memory as
    [batch, tokens, heads, head_dim] are not copied, and so lies the result. window: most tokens that a key may lie before its query, -1 for any number.
    attn_mask: a mask of torch.nn.attention.bias for as many keys as queries, which is that of is_causal. Tensors are refused: no kernel reads one."""
    name = "scaled_dot_product_attention"
    _check_tensors(name, query=query, key=key, value=value)
    if attn_mask is not None and is_causal:
        raise ValueError(f"{name}: attn_mask and is_causal are both given; as with torch's, at most one is")
    if isinstance(attn_mask, CausalBias) and attn_mask.seq_len_q == attn_mask.seq_len_kv == query.shape[-2]:
        attn_mask, is_causal = None, True
    _refuse(name, attn_mask=(attn_mask, (None,)), dropout_p=(dropout_p, (0,)))
    if query.dim() not in (3, 4):
        raise ValueError(f"{name}: query has the shape {list(query.shape)}, expected [batch, heads, tokens, head_dim], or without heads")
    q, k, v = (t if t.dim() == 4 else t.unsqueeze(-3) for t in (query, key, value))
    heads, kv_heads = q.shape[1], k.shape[1]
    alike = k.shape == v.shape and (q.shape[0], *q.shape[2:]) == (k.shape[0], *k.shape[2:])
    if not alike or kv_heads != heads and (not enable_gqa or not kv_heads or heads % kv_heads):
        shapes = ", ".join(str(list(t.shape)) for t in (query, key, value))
        raise ValueError(f"{name}: query, key and value have the shapes {shapes}; ours takes as many keys as queries, values of the size of keys, and with "
                         f"enable_gqa fewer heads of keys; use torch.nn.functional.scaled_dot_product_attention")
    if scale == 0:
        raise ValueError(f"{name}: scale = 0 is not supported; use torch.nn.functional.{name}")
    fields = {"causal": int(is_causal), "window": window, **({} if scale is None else {"scale": float(scale)})}
    q, k, v = (t.transpose(1, 2) for t in _cast_low(q, k, v))
    return OPERATORS["attention_forward"](q, k, v, **fields)[0].transpose(1, 2).reshape(query.shape)


def rope(input: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, positions: torch.Tensor | None = None, *, interleaved: bool = False) -> torch.Tensor:
    """Rotary position embedding of input [batch, tokens, heads, head_dim], by the tables cos and sin [rows, rotated / 2].

    The pairs of a head are elements rotated / 2 apart, or with interleaved neighbours. positions [batch, tokens]: rows of the tables; by default token i has
    row i. There is no gradient in the tables."""
    _check_tensors("rope", input=input, cos=cos, sin=sin, positions=positions)
    if input.dim() != 4:
        raise ValueError(f"rope: input has the shape {list(input.shape)}, expected [batch, tokens, heads, head_dim]")
    if cos.dim() != 2 or cos.shape != sin.shape:
        raise ValueError(f"rope: cos has the shape {list(cos.shape)} and sin {list(sin.shape)}, expected [rows, rotated / 2] of both")
    return OPERATORS["rope_forward"](input, positions, cos, sin, interleaved=int(interleaved), rotary_dim=2 * cos.shape[1])


# ---- modules, with the parameters and the state of torch's


class Linear(torch.nn.Linear):
    """As torch.nn.Linear."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return linear(input, self.weight, self.bias)


class RMSNorm(torch.nn.RMSNorm):
    """As torch.nn.RMSNorm."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return rms_norm(x, self.normalized_shape, self.weight, self.eps)


class LayerNorm(torch.nn.LayerNorm):
    """As torch.nn.LayerNorm."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class GroupNorm(torch.nn.GroupNorm):
    """As torch.nn.GroupNorm."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class Embedding(torch.nn.Embedding):
    """As torch.nn.Embedding, without max_norm and sparse."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)


class CrossEntropyLoss(torch.nn.CrossEntropyLoss):
    """As torch.nn.CrossEntropyLoss, for class indices."""

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return cross_entropy(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction, label_smoothing=self.label_smoothing)


class GELU(torch.nn.GELU):
    """As torch.nn.GELU."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return gelu(input, self.approximate)


class SiLU(torch.nn.SiLU):
    """As torch.nn.SiLU."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return silu(input, self.inplace)


class Softmax(torch.nn.Softmax):
    """As torch.nn.Softmax."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return softmax(input, self.dim)


class SwiGLU(torch.nn.Module):
    """swiglu of an input [..., 2 n]."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return swiglu(input)


_MODULES = {kind.__mro__[1]: kind for kind in (Linear, RMSNorm, LayerNorm, GroupNorm, Embedding, CrossEntropyLoss, GELU, SiLU, Softmax)}


def _is_taken(module):
    """Whether ours does what the module is set to."""
    return not (getattr(module, "inplace", False) or getattr(module, "sparse", False) or getattr(module, "max_norm", None) is not None
                or type(module) is torch.nn.Softmax and module.dim is None)


def replace_modules(model: torch.nn.Module, kinds: Sequence[type[torch.nn.Module]] | None = None) -> dict[str, type[torch.nn.Module]]:
    """Makes torch's modules in a model ours, in place. They keep their parameters, buffers, hooks and names, so the state_dict stays as it is.

    kinds: which of ours; by default RMSNorm, LayerNorm, GroupNorm, Embedding and CrossEntropyLoss. Modules of classes derived from torch's, and those with settings that
    ours does not have, stay. Returns {name: class} of what has changed."""
    kinds = (RMSNorm, LayerNorm, GroupNorm, Embedding, CrossEntropyLoss) if kinds is None else tuple(kinds)
    for kind in kinds:
        if kind not in _MODULES.values():
            raise ValueError(f"replace_modules: {kind!r} stands for no module of torch; those are {', '.join(k.__name__ for k in _MODULES.values())}")
    changed = {}
    for name, module in model.named_modules():
        kind = _MODULES.get(type(module))
        if kind in kinds and _is_taken(module):
            module.__class__ = kind
            changed[name] = kind
    return changed


AdamW.__module__ = __name__  # its public name
__all__ = ["COMPILED", "GRADIENTS"] + [name for name, value in dict(globals()).items() if getattr(value, "__module__", None) == __name__ and not name.startswith("_")]
