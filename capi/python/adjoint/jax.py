"""Operators under JAX: jit, grad and vmap of pairs, and every operator by name.

    import adjoint.jax as adj
    gradient = jax.grad(lambda scores: adj.cross_entropy(scores, labels))(scores)

On the CPU the host backend computes, on CUDA the kernels on XLA's stream."""
import ctypes
from collections import namedtuple
from functools import lru_cache, partial
from math import prod

import jax
import jax.numpy as jnp
import numpy as np

from . import _library
from ._adapter import path_of
from ._generated import Dtype, Status
from ._library import error
from ._operators import ABSENT, OPTIONAL, Descriptor, operator_of

_adapter = ctypes.CDLL(path_of("jax", "jaxlib"))
for _symbol, _platform in (("adjoint_xla_host", "cpu"), ("adjoint_xla_cuda", "CUDA")):
    jax.ffi.register_ffi_target("adjoint", jax.ffi.pycapsule(getattr(_adapter, _symbol)), platform=_platform)

_DTYPES = {Dtype.F32: "float32", Dtype.F64: "float64", Dtype.F16: "float16", Dtype.BF16: "bfloat16", Dtype.BOOL: "bool", Dtype.I8: "int8", Dtype.I16: "int16",
           Dtype.I32: "int32", Dtype.I64: "int64", Dtype.U8: "uint8", Dtype.U16: "uint16", Dtype.U32: "uint32", Dtype.U64: "uint64"}


def _is_array(value):
    return hasattr(value, "dtype") and hasattr(value, "shape")


def _attribute(value):
    """A field as XLA takes it: 64-bit numbers, lists of them, and texts."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int)):
        return np.int64(value)
    if isinstance(value, float):
        return np.float64(value)
    numbers = np.asarray(value)
    return numbers.astype(np.float64 if numbers.dtype.kind == "f" and numbers.size else np.int64)


def _struct(operator, name, shape, dtype):
    if jax.dtypes.canonicalize_dtype(dtype) != dtype:
        raise error(Status.DTYPE_MISMATCH, f"{operator.name}: {name} has elements of {dtype}, which JAX has with jax.config.update('jax_enable_x64', True) only")
    return jax.ShapeDtypeStruct(shape, dtype)


def _inferred(descriptor, slot):
    """What the descriptor asks of an output: its presence, and its arrays."""
    need = descriptor.need(slot)
    if need.presence == ABSENT:
        return need.presence, []
    dtype = jnp.dtype(_DTYPES[need.dtype])
    return need.presence, [((n,), dtype) for n in need.shape] if slot.kind == "list" else [(need.shape, dtype)]


@lru_cache(maxsize=None)
def _results_type(operator, names):
    return namedtuple("".join(w.capitalize() for w in operator.split("_")), names)


def call(operator, /, *, want=(), **named):
    """Any operator, with the arguments and fields of the C headers as keywords. Fields are static; arrays are operands.

    Results are the outputs that the operator must have and the optional ones that `want` names: one array, or a tuple with names. An array that the operator
    updates is given, and its new contents are a result. An in/out output that is not given starts as zeros, unless `want` names it: the operator must
    then overwrite it. Numbers, such as a ratio, may be Python numbers or arrays; a random state is (seed, offset), or an array of 16 bytes."""
    found, want = operator_of(operator), (want,) if isinstance(want, str) else tuple(want)
    slots = {s.name: s for s in found.slots}
    fields = {n: v for n, v in named.items() if n not in slots and v is not None}
    descriptor = Descriptor(found, {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in fields.items()})
    for name in want:
        if name not in slots or slots[name].role == "in":
            raise error(Status.INVALID_ARGUMENT, f"{operator}: {name} is not an output; those are {', '.join(s.name for s in found.slots if s.role != 'in')}")
    attributes = {n: _attribute(v) for n, v in fields.items()}
    operands, operand_names, results, result_names, kinds, aliases = [], [], [], [], {}, {}

    def read(name, arrays):
        first = len(operands)
        operands.extend(jnp.asarray(a) for a in arrays)
        operand_names.extend([name] * len(arrays))
        return list(range(first, len(operands)))

    def write(slot, structs, places=()):
        for place, struct in zip(places, range(len(results), len(results) + len(structs))):
            aliases[place] = struct
        results.extend(structs)
        result_names.extend([slot.name] * len(structs))
        kinds[slot.name] = len(structs) if slot.kind == "list" else None

    for slot in found.slots:
        value = named.get(slot.name)
        if value is not None:
            arrays = list(value) if slot.kind == "list" else [value]
            if slot.kind not in ("tensor", "list") and not _is_array(value):
                attributes[slot.name] = _attribute(value)
                continue
            if not all(map(_is_array, arrays)):
                raise error(Status.INVALID_ARGUMENT, f"{operator}: {slot.name} is not {'a list of arrays' if slot.kind == 'list' else 'an array'}")
            if slot.role == "out":
                raise error(Status.INVALID_ARGUMENT, f"{operator}: {slot.name} is an output, which JAX allocates; it is a result")
            places = read(slot.name, arrays)
            if slot.role == "in/out":
                write(slot, [jax.ShapeDtypeStruct(operands[p].shape, operands[p].dtype) for p in places], places)
        elif slot.role != "in" and slot.kind in ("tensor", "list"):
            presence, shapes = _inferred(descriptor, slot)
            if presence == ABSENT or presence == OPTIONAL and slot.name not in want:
                if slot.name in want:
                    raise error(Status.INVALID_ARGUMENT, f"{operator}: {slot.name} is wanted, and the fields say that there is none")
                continue
            structs = [_struct(found, slot.name, *s) for s in shapes]
            places = read(slot.name, [jnp.zeros(s.shape, s.dtype) for s in structs]) if slot.role == "in/out" and slot.name not in want else ()
            write(slot, structs, places)
    values = jax.ffi.ffi_call("adjoint", results, vmap_method="sequential", input_output_aliases=aliases, has_side_effect=not results)(
        *operands, operator=operator, operands=" ".join(operand_names), results=" ".join(result_names), **attributes)
    values = iter(values)
    grouped = [next(values) if n is None else tuple(next(values) for _ in range(n)) for n in kinds.values()]
    return grouped[0] if len(grouped) == 1 else _results_type(operator, tuple(kinds))(*grouped)


def _type(array):
    return _library.dtype(array.dtype).name.lower()


# ---- softmax


def _around(x, axis):
    """The fields of a group along an axis."""
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis = {axis} is not an axis of an array of rank {x.ndim}")
    axis %= x.ndim
    return dict(outer=prod(x.shape[:axis]), extent=x.shape[axis], inner=prod(x.shape[axis + 1:]), element=_type(x))


def _softmaxes(name, about):
    def forward(x, axis):
        return call(f"{name}_forward", input=x, **_around(x, axis)).reshape(x.shape)

    @partial(jax.custom_vjp, nondiff_argnums=(1,))
    def function(x, axis=-1):
        return forward(x, axis)

    def saving(x, axis):
        out = forward(x, axis)
        return out, out

    function.defvjp(saving, lambda axis, out, dout: (call(f"{name}_backward", dout=dout, out=out, **_around(out, axis)).reshape(out.shape),))
    function.__name__, function.__doc__ = name, about
    return function


softmax = _softmaxes("softmax", "As jax.nn.softmax along one axis.")
log_softmax = _softmaxes("log_softmax", "As jax.nn.log_softmax along one axis.")


# ---- activations

_FROM_OUTPUT = {"leaky_relu", "sigmoid", "tanh"}  # whose gradient takes the result of the function


@partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _activation(x, function, parameters):
    return call("activation_forward", input=x, inner=x.size, element=_type(x), function=function, **dict(parameters)).reshape(x.shape)


def _activation_forward(x, function, parameters):
    out = _activation(x, function, parameters)
    return out, out if function in _FROM_OUTPUT else x


_activation.defvjp(_activation_forward, lambda function, parameters, saved, dout: (
    call("activation_backward", dout=dout, saved=saved, inner=saved.size, element=_type(saved), function=function, **dict(parameters)).reshape(saved.shape),))


def activation(x, function, **parameters):
    """relu, leaky_relu, gelu, gelu_tanh, quick_gelu, sigmoid, tanh, silu, elu, softplus, mish, hard_swish or relu_squared, with the parameters leaky_slope,
    quick_gelu_alpha and elu_alpha."""
    return _activation(x, function, tuple(sorted(parameters.items())))


def _gated(x, function):
    if x.ndim == 0 or x.shape[-1] % 2:
        raise ValueError(f"{function}: the last axis of x must have an even extent, its shape is {x.shape}")
    return dict(outer=prod(x.shape[:-1]), inner=x.shape[-1] // 2, element=_type(x), function=function)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def gated_activation(x, function="swiglu"):
    """swiglu, geglu, geglu_tanh or reglu: the last axis has the gate, then the linear part."""
    return call("gated_activation_forward", input=x, **_gated(x, function)).reshape(*x.shape[:-1], -1)


gated_activation.defvjp(lambda x, function: (gated_activation(x, function), x), lambda function, x, dout: (
    call("gated_activation_backward", dout=dout, input=x, **_gated(x, function)).reshape(x.shape),))


# ---- norms


def _norms(name, statistics, weights, about):
    """A norm: its statistics, and the weights that may be None."""
    def forward(x, given, epsilon, axis):
        weight = next((w for w in given if w is not None), x)
        done = call(f"{name}_forward", want=statistics, input=x, **dict(zip(weights, given)), shape=x.shape, axis=axis, epsilon=epsilon, element=_type(x),
                    weight=_type(weight))
        return done.out.reshape(x.shape), [getattr(done, s) for s in statistics]

    @partial(jax.custom_vjp, nondiff_argnums=(2, 3))
    def function(x, given, epsilon, axis):
        return forward(x, given, epsilon, axis)[0]

    def saving(x, given, epsilon, axis):
        out, saved = forward(x, given, epsilon, axis)
        return out, (x, given, saved)

    def backward(epsilon, axis, kept, dout):
        x, given, saved = kept
        weight = next((w for w in given if w is not None), x)
        wanted = {w: int(value is not None) for w, value in zip(weights, given)}
        done = call(f"{name}_backward", want=[f"d{w}" for w in weights if wanted[w]], dout=dout, input=x, gamma=given[0], **dict(zip(statistics, saved)),
                    shape=x.shape, axis=axis, element=_type(x), weight=_type(weight), **{f"has_d{w}": v for w, v in wanted.items()})
        gradients = done._asdict() if hasattr(done, "_asdict") else {"dinput": done}
        return gradients["dinput"].reshape(x.shape), [gradients[f"d{w}"].reshape(v.shape) if v is not None else None for w, v in zip(weights, given)]

    function.defvjp(saving, backward)
    function.__name__, function.__doc__ = name, about
    return function


_layer_norm = _norms("layer_norm", ("mean", "inv_std"), ("gamma", "beta"), None)
_rms_norm = _norms("rms_norm", ("inv_std",), ("gamma",), None)


def layer_norm(x, gamma=None, beta=None, epsilon=1e-5, axis=-1):
    """Layer norm over the axes from `axis` on. gamma and beta have their shape and one type."""
    return _layer_norm(x, [gamma, beta], epsilon, axis)


def rms_norm(x, gamma=None, epsilon=1e-5, axis=-1):
    """RMS norm over the axes from `axis` on. gamma has their shape."""
    return _rms_norm(x, [gamma], epsilon, axis)


# ---- cross entropy


def _loss_fields(scores, labels, ignore_index, reduction):
    if scores.ndim == 0 or scores.shape[:-1] != labels.shape:
        raise ValueError(f"cross_entropy: scores have the shape {scores.shape}, so labels must have {scores.shape[:-1]}, not {labels.shape}")
    fields = dict(batch=labels.size, num_classes=scores.shape[-1], element=_type(scores), label=_type(labels), reduction=reduction)
    return fields if ignore_index is None else dict(fields, has_ignore_index=1, ignore_index=ignore_index)


def _loss(scores, labels, ignore_index, reduction):
    done = call("softmax_cross_entropy_loss", want="lse", scores=scores, labels=labels, **_loss_fields(scores, labels, ignore_index, reduction))
    return done.loss.reshape(labels.shape if reduction == "none" else ()), done.lse


@partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def cross_entropy(scores, labels, ignore_index=None, reduction="mean"):
    """Loss of scores [..., classes] at class indices [...]; reduction is mean, sum or none. Samples with the label ignore_index do not count."""
    return _loss(scores, labels, ignore_index, reduction)[0]


def _loss_forward(scores, labels, ignore_index, reduction):
    loss, lse = _loss(scores, labels, ignore_index, reduction)
    return loss, (scores, labels, lse)


def _loss_backward(ignore_index, reduction, kept, dloss):
    scores, labels, lse = kept
    dscores = call("softmax_cross_entropy_loss_backward", dloss=dloss.reshape(-1), scores=scores, lse=lse, labels=labels, from_scores=1,
                   **_loss_fields(scores, labels, ignore_index, reduction))
    return dscores.reshape(scores.shape), None


cross_entropy.defvjp(_loss_forward, _loss_backward)


# ---- embedding


def _rows(indices, shape, weight):
    return dict(num_embeddings=shape[0], embedding_dim=shape[1], num_indices=indices.size, element=_type(weight), index=_type(indices))


@jax.custom_vjp
def embedding(indices, weight):
    """Rows of weight [rows, columns]. Indices out of range give rows of zeros and no gradient."""
    return call("embedding_forward", indices=indices, weight=weight, **_rows(indices, weight.shape, weight)).reshape(*indices.shape, weight.shape[1])


embedding.defvjp(lambda indices, weight: (embedding(indices, weight), (indices, weight)), lambda kept, dout: (None, call(
    "embedding_backward", want="dweight", dout=dout, indices=kept[0], **_rows(kept[0], kept[1].shape, kept[1]))))


# ---- dropout


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def dropout(x, state, ratio):
    """Dropout in training, by a state of 16 bytes: seed and offset as uint64[2], or their halves as uint32[4]. The mask is drawn again by the gradient."""
    done = call("dropout_forward", input=x, random=state, ratio=float(ratio), numel=x.size, element=_type(x), mask_mode="none")
    return done.out.reshape(x.shape)


dropout.defvjp(lambda x, state, ratio: (dropout(x, state, ratio), state), lambda ratio, state, dout: (
    call("dropout_backward", dout=dout, random=state, ratio=float(ratio), numel=dout.size, element=_type(dout), mask_mode="none").reshape(dout.shape), None))
