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

from . import _jax_rows, functional
from ._adapter import path_of
from ._arrays import HOST_STREAM, Library, View
from ._call import Function
from ._generated import GRADIENTS, Dtype, Presence, Status
from ._given import scalar_words
from ._gradients import arguments_of, counts, fields_of, sources_of
from ._library import NAMES, Preference
from ._operators import operator_of

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


def _check_sizes(operator, arrays):
    """Refuses symbolic shapes, as jax.export may have them: fields are numbers of the program."""
    for name, a in arrays.items():
        if not all(isinstance(n, int) for n in a.shape):
            operator.fail(f"{name} has the symbolic shape {a.shape}, and an operator's sizes are numbers when it is traced; export each shape by itself",
                          Status.SHAPE_MISMATCH)


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


def _varying(arrays):
    """The axes of a mesh over which some of the arrays vary, inside jax.shard_map."""
    def axes(kind):  # newer versions of JAX have `manual_axis_type`, older ones `vma`
        return kind.manual_axis_type.varying if hasattr(kind, "manual_axis_type") else getattr(kind, "vma", ())
    return frozenset().union(*(axes(jax.typeof(a)) for a in arrays))


def _vary(array, axes):
    missing = tuple(sorted(axes - _varying([array])))
    return jax.lax.pcast(array, missing, to="varying") if missing else array


def _vary_alike(arrays):
    """The arrays by name, each varying over all axes over which one of them does. The gradient of one that did not is summed over these axes."""
    axes = _varying(arrays.values())
    return {n: _vary(a, axes) for n, a in arrays.items()}


def _as_i64(array):
    """An array of one integer as an i64, or without jax_enable_x64 as its halves, which the handler takes as well."""
    if array.size != 1 or not jnp.issubdtype(array.dtype, jnp.integer) or array.dtype.itemsize == 8:
        return array
    if jax.dtypes.canonicalize_dtype(np.int64) == np.int64:
        return array.astype(np.int64)
    low = array.reshape(()).astype(jnp.uint32)
    return jnp.stack([low, jnp.where(array.reshape(()) < 0, jnp.uint32(2 ** 32 - 1), jnp.uint32(0))])


def _structs(operator, argument, need):
    """The arrays of a result."""
    dtype = jnp.dtype(_DTYPES[need.dtype])
    if jax.dtypes.canonicalize_dtype(dtype) != dtype:
        operator.fail(f"{argument.name} has elements of {dtype}, which JAX has with jax.config.update('jax_enable_x64', True) only", Status.DTYPE_MISMATCH)
    return [jax.ShapeDtypeStruct(shape, dtype) for shape in ([(n,) for n in need.shape] if argument.kind == "list" else [need.shape])]


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
            found.fail(f"{name} is not an output; those are {', '.join(a.name for a in found.arguments if a.role != 'in')}")
    results = _results(found, want, named)
    for name in want:
        if name not in results:
            found.fail(f"{name} is wanted, and the fields say that there is none")
    return next(iter(results.values())) if len(results) == 1 else _results_type(operator, tuple(results))(*results.values())


def _results(found, want, named):
    """The results of a call by name, with those of the optional ones in `want` that there are."""
    named, arrays, attributes = {n: v for n, v in named.items() if v is not None}, {}, {}
    for argument in found.arguments:
        if argument.name in named:
            value = named.pop(argument.name)
            values = value if isinstance(value, (list, tuple)) else (value,)
            if argument.kind not in ("tensor", "list") and not _is_array(value):
                if argument.kind == "random":
                    scalar_words(found, argument, value, HOST_STREAM, False, [])  # refuses what is none
                attributes[argument.name] = _attribute(value)
            elif argument.kind == "random" and not jnp.issubdtype(value.dtype, jnp.integer):
                found.fail(f"{argument.name} has elements of type {value.dtype}, expected integers: the 16 bytes of seed and offset", Status.DTYPE_MISMATCH)
            elif (values is value) != (argument.kind == "list") or not all(map(_is_array, values)):
                found.fail(f"{argument.name} is not {'a list of arrays' if argument.kind == 'list' else 'an array'}")
            elif argument.role == "out":
                found.fail(f"{argument.name} is an output, which JAX allocates; it is a result")
            else:
                arrays[argument.name] = tuple(map(jnp.asarray, values))
    for name, values in arrays.items():
        _check_sizes(found, {name: values[0]} if len(values) == 1 else {f"{name}[{i}]": a for i, a in enumerate(values)})
    attributes.update((n, _attribute(v)) for n, v in named.items())
    Preference(**{n: named.pop(n) for n in Preference._fields if n in named})  # refuses what is none
    descriptor = _described(_function(found.name), arrays, named)
    for argument in found.scalars:
        if argument.name in arrays and descriptor.need(argument).dtype == Dtype.I64:
            arrays[argument.name] = tuple(map(_as_i64, arrays[argument.name]))
    operands, operand_names, results, result_names, kinds, aliases = [], [], [], [], {}, {}
    for argument in found.arguments:
        given, structs = arrays.get(argument.name), None
        if given is None and argument.role != "in" and argument.kind in ("tensor", "list"):
            need = descriptor.need(argument)
            if need.presence == Presence.REQUIRED or argument.name in want and need.presence != Presence.ABSENT:
                structs = _structs(found, argument, need)
                given = [jnp.zeros(s.shape, s.dtype) for s in structs] if argument.role == "in/out" and argument.name not in want else None
        elif given is not None and argument.role == "in/out":
            structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in given]
        if given is not None:
            aliases.update((len(operands) + i, len(results) + i) for i in range(len(structs or ())))
            operands.extend(given)
            operand_names.extend([argument.name] * len(given))
        if structs is not None:
            results.extend(structs)
            result_names.extend([argument.name] * len(structs))
            kinds[argument.name] = len(structs) if argument.kind == "list" else None
    made = jax.ffi.ffi_call("adjoint", results, vmap_method="sequential", input_output_aliases=aliases, has_side_effect=not results)(
        *operands, operator=found.name, operands=" ".join(operand_names), results=" ".join(result_names), **attributes)
    axes = _varying(operands)  # ffi_call says of no result that it varies
    values = iter([_vary(value, axes) for value in made])
    return {name: next(values) if n is None else tuple(next(values) for _ in range(n)) for name, n in kinds.items()}


def _described(function, arrays, fields):
    """The descriptor of a call, completed from its arrays."""
    values = ((a, arrays.get(a.name)) for a in function.arguments)
    given = tuple(v if v is None or a.kind == "list" else v[0] for a, v in values)
    return function.problem_of(_traced, given, (), {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in fields.items()}).descriptor


# ---- functions with gradients


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _differentiable(name, fields, arrays):
    """The first result of an operator with a gradient. fields: pairs; arrays: by name."""
    return _saving(name, fields, arrays)[0]


def _saving(name, fields, arrays):
    """(the first result with a gradient, a function from its gradient to those of the arrays)"""
    gradient, fields = GRADIENTS[name], dict(fields)
    own = {n: v for n, v in fields.items() if n not in gradient.taken}  # others are fields of the gradient alone
    results = _results(operator_of(name), {n for names in gradient.inputs.values() for n in names}, {**arrays, **own})
    # Of an array that the call updates the gradient takes what it was before.
    taken = {n for names in gradient.inputs.values() for n in names}
    first, other = next(n for n in results if n not in arrays and "d" + n in taken), operator_of(gradient.operator)
    have = {**fields, **results, **arrays}.get
    sources, more = sources_of(gradient, have, {"d" + first})
    shapes = {n: a.shape for n, a in arrays.items() if n in gradient.outputs and jnp.issubdtype(a.dtype, jnp.floating)}
    wanted = {gradient.outputs[n] for n in shapes}
    more.update(fields_of(gradient, have))
    more.update({n: v for n, v in fields.items() if n in other.fields and counts(gradient, n, have)}, **{n: int(n[4:] in wanted) for n in other.keywords if n.startswith("has_d")})

    kept = {n: have(n) for n in sources.values() if n != "d" + first}
    numbers = {n: v for n, v in kept.items() if not _is_array(v)}  # stay what they are; as arrays they would have a type of JAX

    def backward(saved, upstream):
        given = {**numbers, **saved, "d" + first: upstream}
        found = _results(other, wanted, {**{name: given[source] for name, source in arguments_of(gradient, sources, given, more)}, **more})
        return {n: found[gradient.outputs[n]].reshape(shapes[n]) if n in shapes else None for n in names}
    names = tuple(arrays)
    return results[first], jax.tree_util.Partial(backward, {n: v for n, v in kept.items() if n not in numbers})


_differentiable.defvjp(_saving, lambda name, fields, backward, upstream: (backward(upstream),))


def _apply(function, parameters, options={}, **arrays):
    """A function of adjoint.functional with a gradient: its first result. options: more fields."""
    arrays = _vary_alike({n: jnp.asarray(a) for n, a in arrays.items() if a is not None})
    _check_sizes(function.operator, arrays)
    fields, shape = _built(function, parameters, options, arrays)
    first = next(iter(arrays.values()))
    if function in _BY_ROWS and _jax_rows.serves(first) and not _varying(arrays.values()) and parameters.get("axis", -1) % first.ndim:
        saving = _Saving(function, tuple(parameters.items()), tuple(options.items()))
        return _jax_rows.by_rows(saving, arrays).reshape(shape)
    return _differentiable(function.operator.name, fields, arrays).reshape(shape)


_BY_ROWS = {functional.softmax, functional.log_softmax, functional.activation, functional.gated_activation, functional.layer_norm, functional.rms_norm, functional.group_norm}


class _Saving(namedtuple("_Saving", "function parameters options")):
    """_saving of a call, with the fields that follow from the arrays."""
    __slots__ = ()

    def __call__(self, arrays):
        return _saving(self.function.operator.name, _built(self.function, dict(self.parameters), dict(self.options), arrays)[0], arrays)


def _built(function, parameters, options, arrays):
    """(the fields of a call as pairs, the shape of its first result)"""
    fields = {"shapes": {}, **function.build(function.operator, **arrays, **parameters), **options}
    shapes, _ = fields.pop("shapes"), fields.pop("asked", None)
    for name, expected in shapes.items():
        if name in arrays and arrays[name].shape != tuple(expected):
            function.operator.fail(f"{name} has the shape {list(arrays[name].shape)}, expected {list(expected)}", Status.SHAPE_MISMATCH)
    shape = shapes.get(function.operator.outputs[0].name, next(iter(arrays.values())).shape)
    return tuple(fields.items()), shape


def softmax(x, axis=-1):
    """As jax.nn.softmax along one axis."""
    return _apply(functional.softmax, {"axis": axis}, input=x)


def log_softmax(x, axis=-1):
    """As jax.nn.log_softmax along one axis."""
    return _apply(functional.log_softmax, {"axis": axis}, input=x)


def activation(x, function, **parameters):
    """relu, leaky_relu, gelu, gelu_tanh, quick_gelu, sigmoid, tanh, silu, elu, softplus, mish, hard_swish or relu_squared, with the parameters leaky_slope,
    quick_gelu_alpha and elu_alpha."""
    return _apply(functional.activation, {"function": function}, parameters, input=x)


def gated_activation(x, function="swiglu"):
    """swiglu, geglu, geglu_tanh or reglu: the last axis has the gate, then the linear part."""
    return _apply(functional.gated_activation, {"function": function}, input=x)


def layer_norm(x, gamma=None, beta=None, epsilon=1e-5, axis=-1):
    """Layer norm over the axes from `axis` on. gamma and beta have their shape and one type."""
    return _apply(functional.layer_norm, {"axis": axis}, {"epsilon": epsilon}, input=x, gamma=gamma, beta=beta)


def rms_norm(x, gamma=None, epsilon=1e-5, axis=-1):
    """RMS norm over the axes from `axis` on. gamma has their shape."""
    return _apply(functional.rms_norm, {"axis": axis}, {"epsilon": epsilon}, input=x, gamma=gamma)


def group_norm(x, groups, scale=None, bias=None, epsilon=1e-5):
    """Group norm of x [samples, channels, ...]. scale and bias have one element for each channel, and one type."""
    return _apply(functional.group_norm, {"groups": groups}, {"epsilon": epsilon}, input=x, scale=scale, bias=bias)


def cross_entropy(scores, labels, ignore_index=None, reduction="mean"):
    """Loss of scores [..., classes] at class indices [...]; reduction is mean, sum or none. Samples with the label ignore_index do not count."""
    if scores.ndim == 0 or scores.shape[:-1] != labels.shape:
        raise ValueError(f"cross_entropy: scores have the shape {scores.shape}, so labels must have {scores.shape[:-1]}, not {labels.shape}")
    if scores.ndim == 1:  # one sample
        return cross_entropy(scores[None], labels[None], ignore_index, reduction).reshape(())
    return _apply(functional.cross_entropy, {"ignore_index": ignore_index, "reduction": reduction, "class_axis": -1}, scores=scores, labels=labels)


def linear_cross_entropy(x, linear_weight, labels, bias=None, ignore_index=None, reduction="mean", label_smoothing=0.0, z_loss=0.0, chunk_rows=0):
    """cross_entropy of the scores x @ linear_weight.T + bias, of f32, f16 or bf16, without all of them in memory: those of chunk_rows samples are made at a
    time, and made again for the gradient; 0 for a choice by the shape. x [..., hidden], linear_weight [classes, hidden], bias [classes], labels [...].

    loss, f32, is smoothed by label_smoothing, and z_loss * logsumexp^2 is added to that of each sample."""
    if x.ndim == 0 or linear_weight.ndim != 2 or x.shape[-1] != linear_weight.shape[1] or x.shape[:-1] != labels.shape:
        raise ValueError(f"linear_cross_entropy: x, linear_weight and labels have the shapes {x.shape}, {linear_weight.shape} and {labels.shape}, expected "
                         "[..., hidden], [classes, hidden] and [...]")
    ignored = {} if ignore_index is None else {"ignore_index": int(ignore_index), "has_ignore_index": 1}
    loss = differentiable("linear_cross_entropy", input=x.reshape(prod(labels.shape), x.shape[-1]), linear_weight=linear_weight, bias=bias,
                          labels=labels.reshape(prod(labels.shape)), has_bias=int(bias is not None), reduction=reduction, label_smoothing=float(label_smoothing),
                          z_loss=float(z_loss), chunk_rows=int(chunk_rows), **ignored)
    return loss.reshape(labels.shape if reduction == "none" else ())


def embedding(indices, weight):
    """Rows of weight [rows, columns]. Indices out of range give rows of zeros and no gradient."""
    return _apply(functional.embedding, {}, indices=indices, weight=weight)


def differentiable(operator, /, **named):
    """The first result with a gradient of any operator that has one, such as the weights of moe_route, with the arguments and fields of the C headers as keywords, as call() takes them. Arrays have
    their gradients, and arrays that the gradient has nothing for have none. A weight of the loss or a table of rope is such an array."""
    if not getattr(GRADIENTS.get(operator), "operator", None):
        operator_of(operator).fail(f"there is no gradient; those with one are {', '.join(n for n, pair in GRADIENTS.items() if pair.operator)}")
    named = {n: v for n, v in named.items() if v is not None}
    arrays = _vary_alike({n: v for n, v in named.items() if _is_array(v)})
    return _differentiable(operator, tuple((n, tuple(v) if isinstance(v, list) else v) for n, v in named.items() if n not in arrays), arrays)


def attention(q, k, v, causal=False, scale=None, window=-1):
    """Attention of q [batch, tokens, heads, head_dim]; k and v have as many heads or a divisor of them. scale is by default 1 / sqrt(head_dim).

    window: most tokens that a key may lie before its query, -1 for any number."""
    if q.ndim != 4 or k.shape != v.shape or k.shape != (*q.shape[:2], k.shape[2] if k.ndim == 4 else 0, q.shape[3]) or q.shape[2] % max(k.shape[2], 1):
        raise ValueError(f"attention: q, k and v have the shapes {q.shape}, {k.shape} and {v.shape}, expected [batch, tokens, heads, head_dim], where heads of k "
                         "and v divide those of q")
    if scale == 0:
        raise ValueError("attention: scale = 0, expected another number, or None")
    return differentiable("attention_forward", q=q, k=k, v=v, causal=int(causal), scale=scale and float(scale), window=window)


def rope(x, cos, sin, positions=None, interleaved=False):
    """Rotary position embedding of x [batch, tokens, heads, head_dim] by the tables cos and sin [rows, rotated / 2], which have no gradient.

    The pairs of a head are elements rotated / 2 apart, or with interleaved neighbours. positions [batch, tokens] are rows of the tables; by default token i
    has row i."""
    if x.ndim != 4 or cos.ndim != 2 or cos.shape != sin.shape:
        raise ValueError(f"rope: x has the shape {x.shape}, cos {cos.shape} and sin {sin.shape}, expected [batch, tokens, heads, head_dim] and twice "
                         "[rows, rotated / 2]")
    return differentiable("rope_forward", input=x, positions=positions, cos=jax.lax.stop_gradient(cos), sin=jax.lax.stop_gradient(sin),
                          interleaved=int(interleaved), rotary_dim=2 * cos.shape[1])


def matmul(a, b, transpose_a=False, transpose_b=False):
    """The product of the last two dimensions: a [..., m, k] and b [k, n] or [..., k, n] give [..., m, n]. a and b have one type.

    transpose_a, transpose_b: a is [..., k, m], b is [..., n, k]."""
    a, b = _vary_alike({"a": jnp.asarray(a), "b": jnp.asarray(b)}).values()
    if b.ndim == 2 < a.ndim and transpose_a:
        b = jnp.broadcast_to(b, (*a.shape[:-2], *b.shape))
    elif b.ndim == 2 < a.ndim:  # the rows of all are those of one product
        return _matmul(a.reshape(prod(a.shape[:-1]), a.shape[-1]), b, False, transpose_b).reshape(*a.shape[:-1], b.shape[-2 if transpose_b else -1])
    return _matmul(a, b, transpose_a, transpose_b)


@partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def _matmul(a, b, transpose_a, transpose_b):
    fields = functional.matmul.build(functional.matmul.operator, a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b)
    shape = fields.pop("shapes")["d"]
    batch = prod(shape[:-2]) if b.ndim > 2 else 1
    return call("matmul", a=a, b=b, want="d", m=prod(shape[:-1]) // batch if batch else shape[-2], n=shape[-1], k=a.shape[-2 if transpose_a else -1], batch=batch,
                **{n: int(v) for n, v in fields.items()}).reshape(shape)


def _matmul_backward(transpose_a, transpose_b, arrays, dout):
    a, b = arrays
    da = _matmul(b, dout, transpose_b, True) if transpose_a else _matmul(dout, b, False, not transpose_b)
    db = _matmul(dout, a, True, transpose_a) if transpose_b else _matmul(a, dout, not transpose_a, False)
    return da, db


_matmul.defvjp(lambda a, b, transpose_a, transpose_b: (_matmul(a, b, transpose_a, transpose_b), (a, b)), _matmul_backward)


def dropout(x, state, ratio):
    """Dropout in training. state: a key of jax.random or its key_data as uint32[2], which is the seed with the offset 0; or seed and offset, 16 bytes, as
    uint64[2] or their halves as uint32[4]. The mask is drawn again by the gradient."""
    if jnp.issubdtype(state.dtype, jax.dtypes.prng_key):
        state = jax.random.key_data(state)
    if state.dtype == jnp.uint32 and state.shape == (2,):
        state = jnp.concatenate([state, jnp.zeros(2, jnp.uint32)])
    if isinstance(ratio, jax.core.Tracer):
        operator_of("dropout_forward").fail("ratio is traced, and has no gradient; give a number, or make it a static argument of jax.jit")
    if state.size * state.dtype.itemsize != 16 or not jnp.issubdtype(state.dtype, jnp.integer):
        raise ValueError(f"dropout: state has the shape {state.shape} and the type {state.dtype}; give a key, its key_data of uint32[2], or 16 bytes of seed "
                         "and offset")
    x = jnp.asarray(x)
    return differentiable("dropout_forward", input=x, random=state, ratio=float(ratio), mask_mode="none").reshape(x.shape)


# ---- an optimizer

AdamState = namedtuple("AdamState", "count mu nu")
_Transformation = namedtuple("GradientTransformation", "init update")


def adamw(learning_rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=1e-4):
    """AdamW as a gradient transformation of optax: init(params) and update(grads, state, params), which gives (updates, state).

    learning_rate is a number, or a function from the number of steps before this one. All parameters of a type are updated in one call. The state has the
    count, and both moments as trees like params. The updates are differences of parameters: optax.apply_updates adds them."""
    def init(params):
        return AdamState(jnp.zeros((), jnp.int32), *(jax.tree_util.tree_map(jnp.zeros_like, params) for _ in range(2)))

    def update(grads, state, params=None):
        if params is None:
            raise ValueError("adamw: params is not given, which the weight decay takes")
        given, tree = jax.tree_util.tree_flatten(grads)
        lists = [tree.flatten_up_to(t) for t in (params, state.mu, state.nu)]
        rate, groups, found = learning_rate(state.count) if callable(learning_rate) else learning_rate, {}, [None] * len(given)
        for i, (g, p) in enumerate(zip(given, lists[0])):
            if g.shape != p.shape:
                raise ValueError(f"adamw: a gradient has the shape {g.shape}, and its parameter {p.shape}")
            groups.setdefault((g.dtype, p.dtype), []).append(i)
        for places in groups.values():
            p, m, v, g = ([t[i] for i in places] for t in (*lists, given))
            made = call("adam", params=p, grads=g, exp_avg=m, exp_avg_sq=v, want=("updates", "new_exp_avg", "new_exp_avg_sq"), updates_mode=1, out_of_place=1,
                        keep_params=1, step=state.count + 1, lr=rate if _is_array(rate) else float(rate), beta1=float(b1), beta2=float(b2), epsilon=float(eps),
                        weight_decay=float(weight_decay))
            for i, *results in zip(places, made.updates, made.new_exp_avg, made.new_exp_avg_sq):
                found[i] = [r.reshape(given[i].shape) for r in results]
        updates, mu, nu = (tree.unflatten([f[k] for f in found]) for k in range(3))
        return updates, AdamState(state.count + 1, mu, nu)
    return _Transformation(init, update)
