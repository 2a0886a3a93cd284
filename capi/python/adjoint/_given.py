"""Checks of what callers give: arrays, numbers, and where they lie."""
import ctypes
from importlib import import_module
from math import prod
from operator import index

from ._arrays import Tracked, library_of
from ._generated import Dtype, Status, StreamKind

# The function of adjoint.torch that records the gradient of an operator, where it is not the operator's name without _forward.
TORCH_FUNCTIONS = {"softmax_cross_entropy_loss": "cross_entropy", "cross_entropy_with_gradient": "cross_entropy", "adam": "AdamW"}
_WORD = 2 ** 64 - 1


def check_places(operator, devices, stream):
    """devices: the name of the first argument on each device. Raises unless all are on one device, and work on the stream can read it."""
    def place(device):
        return "in ordinary memory" if device == -1 else "on the current device" if device is None else f"on device {device}"
    own = stream.device if stream.kind == StreamKind.CUDA else -1
    if own != -1:  # None: an array that does not say where it is
        devices = {own if device is None else device: name for device, name in devices.items()}
    said, remedy = [f"{name} is {place(device)}" for device, name in devices.items()], "move them to one place"
    if len(said) == 1 and own not in devices and stream.kind != StreamKind.OFFLINE:
        said.append(f"the stream is {'the host' if own == -1 else f'one of device {own}'}")
        remedy = "give a stream of the array's device, or none"
    if len(said) > 1:
        operator.fail(f"{' and '.join(said)}; {remedy}", Status.STREAM_MISMATCH)


def looked(operator, name, a, owners=None, handle=None):
    """(View, address) of an array that is given as the argument of that name. Raises, naming the argument, for what cannot serve."""
    library = library_of(a)
    if library is None:
        operator.fail(f"{name} is of type {type(a).__name__}; use an array with DLPack, __cuda_array_interface__ or the buffer protocol")
    try:
        key, address = library.look(a, owners, handle)
        return library.view(key), address
    except TypeError as problem:
        operator.fail(f"{name} is {problem}")
    except Tracked:
        instead = TORCH_FUNCTIONS.get(operator.name, operator.name.partition("_forward")[0])
        instead = f"adjoint.torch.{instead}, " if hasattr(import_module("adjoint.torch"), instead) else ""
        operator.fail(f"{name} requires grad, and this function records no gradient; use {instead}torch.no_grad() or detach()")


def checked(operator, name, view, is_written):
    """The View of an array that an operator can take."""
    if not isinstance(view.dtype, Dtype):
        operator.fail(f"{name} has elements of type {view.dtype}, which no operator takes; convert it", Status.DTYPE_MISMATCH)
    if not view.contiguous:
        operator.fail(f"{name} of shape {list(view.shape)} is not contiguous; make a row-major copy, such as torch's contiguous() or numpy's "
                      "ascontiguousarray", Status.SHAPE_MISMATCH)
    if is_written and not view.writable:
        operator.fail(f"{name} is an output and its array is read-only; give one that can be written")
    return view


def scalar_words(operator, argument, value, stream, is_written, owners):
    """The words of a scalar (value, address, type), a random state (seed, offset, address) or a handle.

    value is a number, or an array of one element that is read in stream order; for a random state also (seed, offset), or an array of both. On a
    device, an array in ordinary memory is passed by its value."""
    if argument.kind == "handle":
        return (getattr(value, "value", value) or 0,)
    random = argument.kind == "random"
    expected = "a pair of integers, seed and offset, or an array of both" if random else "a number or an array of one element"
    if not isinstance(value, (int, float, str, tuple, list)) and library_of(value) is not None:
        view, address = looked(operator, argument.name, value, owners, stream.handle)
        checked(operator, argument.name, view, is_written)
        if prod(view.shape) != (2 if random else 1):
            operator.fail(f"{argument.name} has the shape {list(view.shape)}; give {expected}", Status.SHAPE_MISMATCH)
        if not address:
            operator.fail(f"{argument.name} has no memory", Status.NULL_BUFFER)
        if random and view.dtype not in (Dtype.I64, Dtype.U64):
            operator.fail(f"{argument.name} has elements of type {view.dtype.name.lower()}, expected i64 or u64", Status.DTYPE_MISMATCH)
        if view.device != -1 or stream.kind == StreamKind.HOST:
            check_places(operator, {view.device: argument.name}, stream)
            return (0, 0, address) if random else (0.0, address, int(view.dtype))
        if is_written:
            operator.fail(f"{argument.name} is in ordinary memory and is advanced on a device; give an array on that device", Status.STREAM_MISMATCH)
        if random:
            return (*(ctypes.c_uint64 * 2).from_address(address), 0)
    try:
        if not random:
            return float(value.item() if hasattr(value, "item") else value), 0, 0
        seed, offset = map(index, value if isinstance(value, (tuple, list)) else (value, 0))
    except (TypeError, ValueError):
        operator.fail(f"{argument.name} = {value!r} is not {expected}")
    if not 0 <= offset <= _WORD:
        operator.fail(f"{argument.name}.offset = {offset} is not in [0, 2^64)", Status.INVALID_VALUE)
    return seed & _WORD, offset, 0
