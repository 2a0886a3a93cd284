"""Shapes and element types of outputs, from a filled descriptor.

Most follow from the shapes that the headers state, which are in _generated.py. Shapes that take a computation are written out here, and
tests/test_ops.py runs their operators."""
import ctypes

from ._arrays import count_of
from ._generated import Dtype

_FIXED = {d.name.lower(): d for d in Dtype}


def field_dtype(operator, descriptor, name):
    """The type that a field stands for. 0 may stand for the type of another field."""
    fallback = {f.name: f.extra for f in operator.fields if f.kind == "dtype"}
    value = getattr(descriptor, name)
    while value == 0 and fallback.get(name):
        name = fallback[name]
        value = getattr(descriptor, name)
    return Dtype(value)


def _dims_of(shape):
    return tuple(shape.dims[:shape.rank])


def _split_at_axis(descriptor):
    shape = _dims_of(descriptor.shape)
    axis = descriptor.axis + (len(shape) if descriptor.axis < 0 else 0)
    return {"rows": count_of(shape[:axis]), "columns": count_of(shape[axis:])}


def stated_shape(dims, descriptor):
    """The shape that the dims of a Slot state."""
    found = []
    for d in dims:
        if isinstance(d, int):
            found.append(d)
        elif isinstance(d, str):
            value = getattr(descriptor, d, None)
            found.append(_split_at_axis(descriptor)[d] if value is None else value)
        elif d[0] == "*":
            found.extend(_dims_of(getattr(descriptor, d[1])))
        else:
            found.append(d[0] * getattr(descriptor, d[1]))
    return tuple(found)


def stated_dtype(operator, slot, descriptor):
    name = slot.dtype or ("element" if hasattr(descriptor, "element") else None)
    if name is None:
        return None
    if name == "f32/f64":
        return Dtype.F64 if descriptor.element == Dtype.F64 else Dtype.F32
    return _FIXED[name] if name in _FIXED else field_dtype(operator, descriptor, name)


def _loss(shape_of):
    return lambda d: shape_of(d) if d.reduction == 1 else ()


def _reduced(d):
    shape = _dims_of(d.shape)
    axes = {a % len(shape) for a in d.axes.at[:d.axes.count]} if shape else set()
    if not axes and not d.noop_with_empty_axes:
        axes = set(range(len(shape)))
    kept = 1 if d.segments < 0 else d.segments
    return tuple(kept if i in axes else n for i, n in enumerate(shape) if i not in axes or d.keepdims)


def _packed(d):
    if d.format == 2:
        return ((d.outer * d.inner + 7) // 8,)
    return (d.outer, (d.inner + 7) // 8 * 8 if d.format == 8 else d.inner)


_PACKED_TYPES = {1: Dtype.BOOL, 6: Dtype.F16, 7: Dtype.BF16}


def _mask_dtype(d):
    return Dtype.U32 if d.mask == 2 else Dtype.BOOL


def _norm_dtype(d):
    return Dtype.F64 if d.grad == Dtype.F64 else Dtype.F32


def _channels(d):
    return (d.out.dims[d.out.rank - 1 if d.channels_last else 1],)


def _list(descriptor, name, length):
    """A list field as a tuple of integers."""
    address = getattr(descriptor, name)
    return tuple((ctypes.c_int64 * length).from_address(address)) if length else ()


# (operator, argument): (function from the descriptor to the shape, type: a field, a function, or None for the stated type)
SPECIAL = {
    ("softmax_cross_entropy_loss", "loss"): (_loss(lambda d: (d.batch, d.inner)), "output"),
    ("soft_label_cross_entropy_loss", "loss"): (_loss(lambda d: (d.rows,)), "output"),
    ("cross_entropy_with_gradient", "loss"): (_loss(lambda d: (d.samples,)), lambda d: Dtype.F64 if d.element == Dtype.F64 else Dtype.F32),
    ("gist_encode", "packed"): (_packed, lambda d: _PACKED_TYPES.get(d.format, Dtype.U8)),
    ("dropout_forward", "mask"): (lambda d: ((d.numel + 31) // 32,) if d.mask == 2 else (d.numel,), _mask_dtype),
    ("bias_softmax_dropout_forward", "mask"):
        (lambda d: ((d.rows * d.columns + 31) // 32,) if d.mask == 2 else (d.rows, d.columns), _mask_dtype),
    ("clip_grad_norm", "norm"): (lambda d: (1,), _norm_dtype),
    ("clip_grad_norm", "factor"): (lambda d: (1,), _norm_dtype),
    ("l2_norm", "output"): (lambda d: (1,), "output"),
    ("l2_norm", "norms"): (lambda d: (d.count,), "output"),
    ("reduce", "output"): (_reduced, "output"),
    ("scale", "fused"): (lambda d: (sum(_list(d, "numel", d.count)),), "output"),
    ("concat", "output"): (lambda d: (d.outer, sum(_list(d, "lengths", d.count)), d.inner), None),
    ("concat", "lengths_out"): (lambda d: (d.count,), None),
    ("view", "offsets"): (lambda d: (d.count,), None),
    ("conv_backward", "dbias"): (_channels, None),
    ("conv_transpose_backward", "dbias"): (_channels, None),
    ("embedding_bag_per_sample_weights_backward", "dper_sample_weights"):
        (lambda d: (d.num_indices,) if d.has_offsets else (d.num_bags, d.num_indices // d.num_bags if d.num_bags else 0), None),
}

# Lists that are outputs: the type of their entries, or the field that has it. The entries have the element counts `numel`.
_LISTS = {
    ("is_finite", "outputs"): "bool", ("scale", "outputs"): "output", ("scale", "outputs_1"): "output", ("scale", "outputs_2"): "output",
    ("accumulate", "outputs"): "element", ("accumulate", "copies"): "element", ("scaled_sum", "outputs"): "element",
    ("copy", "outputs"): "element", ("record_event", "outputs"): "element", ("wait_event", "outputs"): "element",
    ("view", "outputs"): "element", ("all_reduce", "outputs"): "element", ("adasum_all_reduce", "outputs"): "element",
    ("recv", "tensors"): "element", ("adam", "new_params"): "param", ("lamb", "new_params"): "param",
    ("sgd", "new_params"): "param", ("adam", "new_exp_avg"): "state", ("lamb", "new_exp_avg"): "state", ("adam", "new_exp_avg_sq"): "state",
    ("lamb", "new_exp_avg_sq"): "state", ("sgd", "new_momentum_buffers"): "state", ("adam", "updates"): "grad", ("lamb", "updates"): "grad",
    ("sgd", "updates"): "grad",
}

# Fields with the types of lists that are inputs; "element" for lists that are not here.
LIST_DTYPES = {"params": "param", "grads": "grad", "exp_avg": "state", "exp_avg_sq": "state", "momentum_buffers": "state", "values": "value"}

# Presence of outputs that depend on more of the descriptor than the single field that a header can state.
PRESENT = {
    ("dropout_forward", "mask"): lambda d: d.mask != 3,
    ("bias_softmax_dropout_forward", "mask"): lambda d: d.mask != 3,
    ("embedding_bag_forward", "max_positions"): lambda d: d.mode == 3,
    ("scale", "outputs"): lambda d: not d.fused,
    ("scale", "outputs_1"): lambda d: d.outputs >= 2 and not d.fused,
    ("scale", "outputs_2"): lambda d: d.outputs >= 3 and not d.fused,
    ("adam", "new_params"): lambda d: d.out_of_place and not d.keep_params, ("lamb", "new_params"): lambda d: d.out_of_place and not d.keep_params,
    ("sgd", "new_params"): lambda d: d.out_of_place and not d.keep_params,
    ("adam", "new_exp_avg"): lambda d: d.out_of_place, ("adam", "new_exp_avg_sq"): lambda d: d.out_of_place,
    ("lamb", "new_exp_avg"): lambda d: d.out_of_place, ("lamb", "new_exp_avg_sq"): lambda d: d.out_of_place,
    ("sgd", "new_momentum_buffers"): lambda d: d.out_of_place and d.momentum != 0,
}


# Arguments that are written under a condition only: a function of the descriptor.
_WRITTEN = {
    "grads": lambda d: d.clear_grads if hasattr(d, "clear_grads") else not getattr(d, "norm_only", 0),
    "params": lambda d: not getattr(d, "out_of_place", 0) and not getattr(d, "keep_params", 0),
    "exp_avg": lambda d: not getattr(d, "out_of_place", 0), "exp_avg_sq": lambda d: not getattr(d, "out_of_place", 0),
    "momentum_buffers": lambda d: not getattr(d, "out_of_place", 0),
    "step": lambda d: getattr(d, "advance_step", 0), "random": lambda d: getattr(d, "advance_offset", 0),
}


def is_written(operator, slot, descriptor):
    """True when a call writes the argument."""
    rule = _WRITTEN.get(slot.name)
    return slot.role != "in" and (rule is None or bool(rule(descriptor)))


def list_counts(operator, slot, descriptor):
    """The elements of the entries of an input list, or None where the header states no single field."""
    if (operator.name, slot.name) == ("concat", "inputs"):
        return [descriptor.outer * n * descriptor.inner for n in _list(descriptor, "lengths", descriptor.count)]
    return list(_list(descriptor, "numel", descriptor.count)) if slot.about.startswith("[numel] ") else None


def output(operator, slot, descriptor):
    """(shape, dtype) of an output, a list of such pairs for a list, or None when the caller must give it."""
    key = (operator.name, slot.name)
    if key == ("split", "outputs"):
        return [((descriptor.outer, n, descriptor.inner), Dtype(descriptor.element)) for n in _list(descriptor, "lengths", descriptor.count)]
    if key in _LISTS:
        dtype = _FIXED.get(_LISTS[key]) or field_dtype(operator, descriptor, _LISTS[key])
        return [((n,), dtype) for n in _list(descriptor, "numel", descriptor.count)]
    if slot.kind == "list":
        return None
    if key in SPECIAL:
        shape, dtype = SPECIAL[key]
        if isinstance(dtype, str):
            return shape(descriptor), field_dtype(operator, descriptor, dtype)
        return shape(descriptor), dtype(descriptor) if dtype else stated_dtype(operator, slot, descriptor)
    if slot.dims is None:
        return None
    return stated_shape(slot.dims, descriptor), stated_dtype(operator, slot, descriptor)


def wanted(operator, slot, descriptor):
    """True when an output that the caller did not mention is part of the call."""
    rule = PRESENT.get((operator.name, slot.name))
    if rule:
        return bool(rule(descriptor))
    if slot.condition:
        return getattr(descriptor, slot.condition[0]) == slot.condition[1]
    return slot.presence == "always"
