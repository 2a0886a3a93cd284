"""Operators under JAX: jit, grad and vmap of pairs, and every operator by name.

    import adjoint.jax as adj
    gradient = jax.grad(lambda scores: adj.cross_entropy(scores, labels))(scores)

On the CPU the host backend computes, on CUDA the kernels on XLA's stream."""
import ctypes
from collections import namedtuple
from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np

from ._adapter import path_of
from ._arrays import HOST_STREAM, Library, View, around
from ._call import Function, Request
from ._generated import Presence, Status
from ._library import NAMES, Preference
from ._operators import operator_of
from .functional import SAVED_OUTPUT

_adapter = ctypes.CDLL(path_of("jax", "jaxlib"))
for _symbol, _platform in (("adjoint_xla_host", "cpu"), ("adjoint_xla_cuda", "CUDA")):
    jax.ffi.register_ffi_target("adjoint", jax.ffi.pycapsule(getattr(_adapter, _symbol)), platform=_platform)

_DTYPES = {code: name for name, code in NAMES.items()}


class _Traced(Library):
    """Arrays of JAX, of which shape and type are known alone."""
    name = "jax"

    def look(self, a, owners=None, handle=None):
        return View(tuple(a.shape), NAMES.get(a.dtype.name, a.dtype)), 0


_traced = _Traced()


def _is_array(value):
    return hasattr(value, "dtype") and hasattr(value, "shape")


def _attribute(value):
    """A field as XLA takes it: 64-bit numbers, lists of them, and texts. Of an integer the lowest 64 bits count, as in seeds."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return np.int64((value + 2 ** 63) % 2 ** 64 - 2 ** 63)
    if isinstance(value, float):
        return np.float64(value)
    return np.array(value, np.float64) if any(isinstance(v, float) for v in value) else np.array(list(map(_attribute, value)), np.int64)


def _structs(operator, slot, need):
    """The arrays of a result."""
    dtype = jnp.dtype(_DTYPES[need.dtype])
    if jax.dtypes.canonicalize_dtype(dtype) != dtype:
        operator.fail(f"{slot.name} has elements of {dtype}, which JAX has with jax.config.update('jax_enable_x64', True) only", Status.DTYPE_MISMATCH)
    return [jax.ShapeDtypeStruct(shape, dtype) for shape in ([(n,) for n in need.shape] if slot.kind == "list" else [need.shape])]


@lru_cache(maxsize=None)
def _function(operator):
    found = Function(operator_of(operator))
    found.known = [*found.operator.by_name, *found.operator.keywords, *Preference._fields]
    return found


@lru_cache(maxsize=None)
def _results_type(operator, names):
    return namedtuple("".join(w.capitalize() for w in operator.split("_")), names)


def call(operator, /, *, want=(), **named):
    """Any operator, with the arguments and fields of the C headers as keywords, and the names of adjoint.Preference. Fields are static; arrays are operands.

    Fields that follow from the arrays need not be given. Results are the outputs that the operator must have and the optional ones that `want` names: one
    array, or a tuple with names. An array that the operator updates is given, and its new contents are a result. An in/out output that is not given starts
    as zeros, unless `want` names it: the operator must then overwrite it. Numbers, such as a ratio, may be Python numbers or arrays; a random state is
    (seed, offset), or an array of 16 bytes."""
    found, want = operator_of(operator), (want,) if isinstance(want, str) else tuple(want)
    for name in want:
        if name not in found.by_name or found.by_name[name].role == "in":
            found.fail(f"{name} is not an output; those are {', '.join(s.name for s in found.slots if s.role != 'in')}")
    named, arrays, attributes = {n: v for n, v in named.items() if v is not None}, {}, {}
    for slot in found.slots:
        if slot.name in named:
            value = named.pop(slot.name)
            values = value if isinstance(value, (list, tuple)) else (value,)
            if slot.kind not in ("tensor", "list") and not _is_array(value):
                attributes[slot.name] = _attribute(value)
            elif (values is value) != (slot.kind == "list") or not all(map(_is_array, values)):
                found.fail(f"{slot.name} is not {'a list of arrays' if slot.kind == 'list' else 'an array'}")
            elif slot.role == "out":
                found.fail(f"{slot.name} is an output, which JAX allocates; it is a result")
            else:
                arrays[slot.name] = tuple(map(jnp.asarray, values))
    attributes.update((n, _attribute(v)) for n, v in named.items())
    Preference(**{n: named.pop(n) for n in Preference._fields if n in named})  # refuses what is none
    descriptor = _described(_function(operator), arrays, named)
    operands, operand_names, results, result_names, kinds, aliases = [], [], [], [], {}, {}
    for slot in found.slots:
        given, structs = arrays.get(slot.name), None
        if given is None and slot.role != "in" and slot.kind in ("tensor", "list"):
            need = descriptor.need(slot)
            if need.presence == Presence.ABSENT and slot.name in want:
                found.fail(f"{slot.name} is wanted, and the fields say that there is none")
            if need.presence == Presence.REQUIRED or slot.name in want:
                structs = _structs(found, slot, need)
                given = [jnp.zeros(s.shape, s.dtype) for s in structs] if slot.role == "in/out" and slot.name not in want else None
        elif given is not None and slot.role == "in/out":
            structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in given]
        if given is not None:
            aliases.update((len(operands) + i, len(results) + i) for i in range(len(structs or ())))
            operands.extend(given)
            operand_names.extend([slot.name] * len(given))
        if structs is not None:
            results.extend(structs)
            result_names.extend([slot.name] * len(structs))
            kinds[slot.name] = len(structs) if slot.kind == "list" else None
    values = iter(jax.ffi.ffi_call("adjoint", results, vmap_method="sequential", input_output_aliases=aliases, has_side_effect=not results)(
        *operands, operator=operator, operands=" ".join(operand_names), results=" ".join(result_names), **attributes))
    grouped = [next(values) if n is None else tuple(next(values) for _ in range(n)) for n in kinds.values()]
    return grouped[0] if len(grouped) == 1 else _results_type(operator, tuple(kinds))(*grouped)


def _described(function, arrays, fields):
    """The descriptor of a call, completed from its arrays."""
    slots = [s for s in function.slots if s.name in arrays]
    given = tuple(None if s not in slots else arrays[s.name] if s.kind == "list" else arrays[s.name][0] for s in function.slots)
    fields = {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in fields.items()}
    addresses = []
    keys = _traced.keys(given, addresses, [], None)
    return function.problem(_traced, HOST_STREAM, Request(given, (), (), fields, None, None, None), keys, addresses).descriptor


# ---- softmax


def _softmaxes(name, about):
    def forward(x, axis):
        return call(f"{name}_forward", input=x, **around(name, x.shape, axis)).reshape(x.shape)

    @partial(jax.custom_vjp, nondiff_argnums=(1,))
    def function(x, axis=-1):
        return forward(x, axis)

    def saving(x, axis):
        out = forward(x, axis)
        return out, out

    function.defvjp(saving, lambda axis, out, dout: (call(f"{name}_backward", dout=dout, out=out, **around(name, out.shape, axis)).reshape(out.shape),))
    function.__name__, function.__doc__ = name, about
    return function


softmax = _softmaxes("softmax", "As jax.nn.softmax along one axis.")
log_softmax = _softmaxes("log_softmax", "As jax.nn.log_softmax along one axis.")


# ---- activations

@partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _activation(x, function, parameters):
    return call("activation_forward", input=x, inner=x.size, function=function, **dict(parameters)).reshape(x.shape)


def _activation_forward(x, function, parameters):
    out = _activation(x, function, parameters)
    return out, out if function in SAVED_OUTPUT else x


_activation.defvjp(_activation_forward, lambda function, parameters, saved, dout: (
    call("activation_backward", dout=dout, saved=saved, inner=saved.size, function=function, **dict(parameters)).reshape(saved.shape),))


def activation(x, function, **parameters):
    """relu, leaky_relu, gelu, gelu_tanh, quick_gelu, sigmoid, tanh, silu, elu, softplus, mish, hard_swish or relu_squared, with the parameters leaky_slope,
    quick_gelu_alpha and elu_alpha."""
    return _activation(x, function, tuple(sorted(parameters.items())))


def _gated(x, function):
    if x.ndim == 0 or x.shape[-1] % 2:
        raise ValueError(f"{function}: the last axis of x must have an even extent, its shape is {x.shape}")
    return dict(inner=x.shape[-1] // 2, function=function)


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
        done = call(f"{name}_forward", want=statistics, input=x, **dict(zip(weights, given)), axis=axis, epsilon=epsilon)
        return done.out.reshape(x.shape), [getattr(done, s) for s in statistics]

    @partial(jax.custom_vjp, nondiff_argnums=(2, 3))
    def function(x, given, epsilon, axis):
        return forward(x, given, epsilon, axis)[0]

    def saving(x, given, epsilon, axis):
        out, saved = forward(x, given, epsilon, axis)
        return out, (x, given, saved)

    def backward(epsilon, axis, kept, dout):
        x, given, saved = kept
        wanted = {w: int(value is not None) for w, value in zip(weights, given)}
        done = call(f"{name}_backward", want=[f"d{w}" for w in weights if wanted[w]], dout=dout, input=x, gamma=given[0], **dict(zip(statistics, saved)),
                    axis=axis, **{f"has_d{w}": v for w, v in wanted.items()})
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
    fields = dict(batch=labels.size, num_classes=scores.shape[-1], reduction=reduction)
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


@jax.custom_vjp
def embedding(indices, weight):
    """Rows of weight [rows, columns]. Indices out of range give rows of zeros and no gradient."""
    return call("embedding_forward", indices=indices, weight=weight).reshape(*indices.shape, weight.shape[1])


embedding.defvjp(lambda indices, weight: (embedding(indices, weight), (indices, weight)), lambda kept, dout: (None, call(
    "embedding_backward", want="dweight", dout=dout, indices=kept[0], num_embeddings=kept[1].shape[0])))


# ---- dropout


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def dropout(x, state, ratio):
    """Dropout in training, by a state of 16 bytes: seed and offset as uint64[2], or their halves as uint32[4]. The mask is drawn again by the gradient."""
    done = call("dropout_forward", input=x, random=state, ratio=float(ratio), mask_mode="none")
    return done.out.reshape(x.shape)


dropout.defvjp(lambda x, state, ratio: (dropout(x, state, ratio), state), lambda ratio, state, dout: (
    call("dropout_backward", dout=dout, random=state, ratio=float(ratio), mask_mode="none").reshape(dout.shape), None))
