"""Arguments: arrays and numbers as the argument structure of an operator."""
import ctypes
from contextlib import nullcontext
from operator import index

from . import _arrays, _generated, _shapes
from ._arrays import count_of, library_of, original
from ._generated import Dtype, Status, adj_header, adj_workspace
from ._library import SIZES, error

# The function of adjoint.torch that records the gradient of an operator.
TORCH_FUNCTIONS = {"softmax_forward": "softmax", "log_softmax_forward": "log_softmax", "softmax_cross_entropy_loss": "cross_entropy",
                   "cross_entropy_with_gradient": "cross_entropy", "embedding_forward": "embedding", "layer_norm_forward": "layer_norm",
                   "rms_norm_forward": "rms_norm", "activation_forward": "activation", "gated_activation_forward": "gated_activation",
                   "dropout_forward": "dropout", "adam": "AdamW"}


def check_places(operator, devices, stream):
    """devices: the name of the first argument on each device. Raises unless all are on one device, and work on the stream can read it."""
    places = {-1: "in ordinary memory", None: "on the current device"}
    if stream.kind == _generated.StreamKind.CUDA and None in devices:  # an array that does not say where it is
        devices = {stream.device if device is None else device: slot for device, slot in devices.items()}
    if len(devices) > 1:
        found = " and ".join(f"{slot} is {places.get(device, f'on device {device}')}" for device, slot in devices.items())
        raise error(Status.STREAM_MISMATCH, f"{operator.name}: {found}; move them to one place")
    for device, slot in devices.items():
        on_host = stream.kind == _generated.StreamKind.HOST
        if stream.kind == _generated.StreamKind.OFFLINE or on_host and device == -1:
            continue
        if on_host or device not in (None, stream.device):
            raise error(Status.STREAM_MISMATCH, f"{operator.name}: {slot} is {places.get(device, f'on device {device}')} and the stream is "
                        f"{'the host' if on_host else f'one of device {stream.device}'}; give a stream of the array's device, or none")


def describe(view):
    kind = view.dtype.name.lower() if isinstance(view.dtype, Dtype) else str(view.dtype)
    return f"{kind} {list(view.shape)}"


def checked_view(operator, slot, array, override=None, label=None, stream=None):
    """The View of an array that may serve as an argument, for work on the stream."""
    label = label or f"{operator.name}: {slot.name}"
    try:
        view = _arrays.view(array) if stream is None or library_of(array) is None else _arrays.held(array, stream.handle)
    except TypeError as problem:
        raise error(Status.INVALID_ARGUMENT, f"{label} is {problem}") from None
    if not isinstance(view.dtype, Dtype):
        raise error(Status.DTYPE_MISMATCH, f"{label} has elements of type {view.dtype}, which no operator takes; convert it")
    if override is not None and view.dtype == Dtype.U16:
        view = view._replace(dtype=override)
    if not view.contiguous:
        raise error(Status.SHAPE_MISMATCH, f"{label} of shape {list(view.shape)} is not contiguous; make a row-major copy, such as torch's "
                    "contiguous() or numpy's ascontiguousarray")
    if library_of(array).tracked(original(array)):
        instead = TORCH_FUNCTIONS.get(operator.name)
        raise error(Status.INVALID_ARGUMENT, f"{label} requires grad, and this function records no gradient; use "
                    f"{f'adjoint.torch.{instead}, ' if instead else ''}torch.no_grad() or detach()")
    if slot.role != "in" and not view.writable:
        raise error(Status.INVALID_ARGUMENT, f"{label} is an output and its array is read-only; give one that can be written")
    return view


class Arguments:
    """An argument structure and the objects that it points to."""

    def __init__(self, operator):
        self.operator, self.raw, self.keep, self.views = operator, operator.args(), [], {}
        self.raw.header = adj_header(ctypes.sizeof(operator.args), 0x20000 + operator.id, 0, None)
        for slot in operator.slots:
            if slot.kind == "scalar" and slot.default:
                getattr(self.raw, slot.name).value = slot.default
            if slot.kind == "random":
                getattr(self.raw, slot.name).offset = 2**64 - 1  # not given: a call that draws refuses it

    def tensor(self, slot, view):
        raw = getattr(self.raw, slot.name)
        raw.data, raw.bytes, raw.dtype = view.pointer, count_of(view.shape) * SIZES[view.dtype], view.dtype
        if len(view.shape) <= len(raw.shape):  # else it is left unstated
            raw.rank = len(view.shape)
            raw.shape[:raw.rank] = view.shape
        return raw

    def list(self, slot, views):
        raw, count = getattr(self.raw, slot.name), len(views)
        kinds = {v.dtype for v in views}
        if len(kinds) > 1:
            raise error(Status.DTYPE_MISMATCH, f"{self.operator.name}: {slot.name} has tensors of the types "
                        f"{', '.join(sorted(k.name.lower() for k in kinds))}; a list has one, so call once for each")
        pointers = (ctypes.c_void_p * count)(*[v.pointer for v in views])
        sizes = (ctypes.c_uint64 * count)(*[count_of(v.shape) * SIZES[v.dtype] for v in views])
        self.keep += [pointers, sizes]
        raw.count, raw.dtype = count, kinds.pop() if kinds else 0
        raw.data, raw.bytes = ctypes.addressof(pointers), ctypes.addressof(sizes)
        return raw, pointers

    def set(self, arguments, plan):
        """Fills in every argument by name, for a single call on the plan's stream. Returns a context manager that makes the stream current."""
        known, stream, devices, first = {s.name: s for s in self.operator.slots}, plan.stream, {}, None
        self.written, self.place = [], (_arrays.Library(), None)
        for name, value in arguments.items():
            slot = known.get(name)
            if slot is None:
                raise error(Status.INVALID_ARGUMENT, f"{self.operator.name} has no argument {name}; its arguments are {', '.join(known)}")
            if value is None:
                continue
            if slot.kind == "handle":
                setattr(self.raw, name, value)
                continue
            written = _shapes.is_written(self.operator, slot, plan.descriptor)
            if slot.kind in ("scalar", "random"):
                raw = getattr(self.raw, name)
                words, owner = scalar_words(self.operator, slot, value, stream, written)
                if slot.kind == "random":
                    raw.seed, raw.offset, raw.device = words
                else:
                    raw.value, raw.device, raw.dtype = words
                self.keep.append(owner)
                arrays = (value,) if written and owner is not None else ()
            elif slot.kind == "tensor":
                self.views[name] = checked_view(self.operator, slot, value, None, None, stream)
                self.tensor(slot, self.views[name])
                arrays = (value,)
            else:
                arrays = tuple(value)
                self.views[name] = [checked_view(self.operator, slot, v, None, f"{self.operator.name}: {name}[{i}]", stream)
                                    for i, v in enumerate(arrays)]
                self.list(slot, self.views[name])
            if not slot.host and name in self.views:
                first = first if first is not None else next(iter(arrays), None)
                for view in self.views[name] if slot.kind == "list" else (self.views[name],):
                    devices.setdefault(view.device, name)
            if written:
                self.written += versions_of(arrays)
        check_places(self.operator, devices, stream)
        if first is None:
            return nullcontext()
        self.place = library_of(first), first
        return self.place[0].on(first, stream.handle) if stream.kind == _generated.StreamKind.CUDA else nullcontext()

    def workspace(self, given, size, stream):
        """(workspace, owner): `given`, or new memory of size bytes. The stream is current."""
        if given is not None:
            return given_workspace(self.operator, given, size, stream)
        scratch = adj_workspace()
        if size == 0:
            return scratch, None
        library, first = self.place
        if first is None and stream.kind != _generated.StreamKind.HOST:
            raise error(Status.WORKSPACE_TOO_SMALL, f"{self.operator.name}: a workspace of {size} bytes is needed, and no array is given to allocate "
                        "it like; pass workspace=")
        scratch.data, owner = library.workspace(first, size)
        scratch.bytes = size
        return scratch, owner


WORKSPACE = _generated.Slot("workspace", "tensor", "out", "optional", False, None, None, None, None, (), "")


def given_workspace(operator, given, size, stream):
    """(workspace, owner) of the caller's memory for `size` bytes."""
    view, scratch = checked_view(operator, WORKSPACE, given, None, None, stream), adj_workspace()
    if size:
        check_places(operator, {view.device: "workspace"}, stream)
    end = (view.pointer or 0) + count_of(view.shape) * SIZES[view.dtype]
    scratch.data = ((view.pointer or 0) + 255) & ~255
    scratch.bytes = max(end - (scratch.data or 0), 0)
    return scratch, view


def versions_of(arrays):
    """[(library, arrays)] of the arrays whose library counts writes."""
    found = {}
    for a in arrays:
        a = original(a)
        library = library_of(a)
        if library is not None and library.versions:
            found.setdefault(library, []).append(a)
    return [(library, tuple(of)) for library, of in found.items()]


def scalar_words(operator, slot, value, stream, written=False):
    """((value, address, type) or (seed, offset, address) of a scalar or random state, the object that keeps the memory or None).

    value is a number, or an array of one element that is read in stream order; for a random state also (seed, offset), or an array of both. On a
    device, an array in ordinary memory is passed by its value."""
    random = slot.kind == "random"
    if not random and isinstance(value, (int, float)):
        return (float(value), 0, 0), None
    library = None if isinstance(value, (int, str, tuple, list)) else library_of(value)
    if library is not None:
        view = checked_view(operator, slot if written else slot._replace(role="in"), value, None, None, stream)
        if count_of(view.shape) != (2 if random else 1):
            expected = "a pair of numbers or an array of both, seed and offset" if random else "a number or an array of one element"
            raise error(Status.SHAPE_MISMATCH, f"{operator.name}: {slot.name} has the shape {list(view.shape)}; give {expected}")
        if random and view.dtype not in (Dtype.I64, Dtype.U64):
            raise error(Status.DTYPE_MISMATCH, f"{operator.name}: {slot.name} has elements of type {view.dtype.name.lower()}, expected i64 or u64")
        if view.device == -1 and stream.kind != _generated.StreamKind.HOST and written:
            raise error(Status.STREAM_MISMATCH, f"{operator.name}: {slot.name} is in ordinary memory and is advanced on a device; give an array on that "
                        "device")
        if view.device != -1 or stream.kind == _generated.StreamKind.HOST:
            check_places(operator, {view.device: slot.name}, stream)
            return ((0, 0, view.pointer) if random else (0.0, view.pointer, int(view.dtype))), view
        if random:
            return (*(ctypes.c_uint64 * 2).from_address(view.pointer), 0), None
    try:
        if random:
            seed, offset = value if isinstance(value, (tuple, list)) else (value, 0)
            return (index(seed) & _WORD, index(offset) & _WORD, 0), None
        return (float(value.item() if hasattr(value, "item") else value), 0, 0), None
    except (TypeError, ValueError):
        expected = "a pair of integers, seed and offset, or an array of both" if random else "a number"
        raise error(Status.INVALID_ARGUMENT, f"{operator.name}: {slot.name} = {value!r} is not {expected}") from None


_WORD = 2 ** 64 - 1
