"""Arrays of other libraries: their addresses, shapes, element types and streams, and new arrays like them.

Library is what a call asks of an array's library; _frameworks and _protocols have the libraries."""
import ctypes
from collections import namedtuple
from contextlib import nullcontext

from ._library import lib

# Properties of an array that a call needs. device: -1 for ordinary memory, None for the device of the current context. owner: the array and
# the object that keeps its memory exported, for arrays of a protocol.
View = namedtuple("View", "pointer shape dtype device contiguous writable owner", defaults=(None,))


AWAY = object()  # in place of a stream: the array's device is not the current one


class Tracked(RuntimeError):
    """An array whose gradient is recorded was given to a function that records none."""


def count_of(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


def host_memory(size):
    """(address, owner) of 256-byte aligned ordinary memory."""
    owner = ctypes.create_string_buffer(size + 255)
    return (ctypes.addressof(owner) + 255) & ~255, owner


HOST_STREAM = lib.adj_stream_host()


class Library:
    """One array library. Every call uses stream(), keys() and fill(); the other methods run once for each new problem."""
    name = "?"
    foreign = False    # True: arrays are exported for each call, see Foreign
    versions = False   # True: the library counts the writes to an array

    def keys(self, arrays):
        """Hashable keys of a plan, one for each array: shape, type, device. None and True stay as they are."""
        raise NotImplementedError

    def fill(self, values, places, arrays):
        """Writes the addresses of arrays to their places in values. A place of 0 is left out."""
        raise NotImplementedError

    def addresses(self, arrays):
        """The addresses of the arrays of a list."""
        return [self.view(a).pointer for a in arrays]

    def stream(self, array):
        """The handle of the stream that the array's library works on now, None for ordinary memory, or AWAY when the array's device is not current."""
        return None

    def visit(self, array):
        """A context manager that makes the array's device current."""
        return nullcontext()

    def device(self, array):
        """The number of the array's device, -1 for ordinary memory, None for the device of the current context."""
        return -1

    def on(self, array, handle):
        """A context manager that makes the stream and the array's device current, so that new memory belongs to the stream."""
        return nullcontext()

    def tracked(self, array):
        """True when a gradient of what follows from the array would be recorded."""
        return False

    def untracked(self):
        """A context manager in which no gradients are recorded."""
        return nullcontext()

    def wrote(self, arrays):
        """Tells the library that the arrays were written."""

    def wrap(self, array, handle):
        """The adj_stream of that handle on the array's device."""
        return HOST_STREAM

    def capturing(self):
        return False

    def workspace(self, array, size):
        """(address, owner) of scratch memory."""
        return host_memory(size)

    def view(self, array):
        raise NotImplementedError

    def like(self, array):
        """A new array of the same shape, type and device."""
        view = self.view(array)
        return self.maker(view.shape, view.dtype, array, False)()

    def maker(self, shape, dtype, array, zero):
        """A function that makes arrays on the device of `array`, of zeros or uninitialised."""
        raise NotImplementedError

    def zeros_like(self, array):
        """Zeros of the same shape, type, device and, where the library has several, layout."""
        view = self.view(array)
        return self.maker(view.shape, view.dtype, array, True)()

    def copy(self, array):
        return array.copy()

    def row_major(self, arrays):
        """(the arrays of an update, the second of which is only read, as row-major arrays with a common order of elements; a function that writes
        results back)"""
        return arrays, lambda: None


_made = {}
BY_TYPE = {}  # the library of each type of array seen so far


def _library(name):
    """The one Library of that name, made when it is first needed."""
    if name not in _made:
        from . import _frameworks, _protocols  # both derive from Library
        _made[name] = {"numpy": _frameworks.Numpy, "cupy": _frameworks.Cupy, "torch": _frameworks.Torch, "foreign": _protocols.Foreign}[name]()
        if name == "foreign":
            BY_TYPE[View] = _made[name]
    return _made[name]


def held(array, handle):
    """The View of an array for work on the stream of that handle."""
    library = library_of(array)
    view = library.export(array, handle) if library.foreign and type(array) is not View else library.view(array)
    return view if type(array) is View else view._replace(owner=(array, view.owner))


def original(array):
    """The caller's array, for an array or its View."""
    return array.owner[0] if type(array) is View else array


def library_of(array):
    """The library of an array, or None when it is no array."""
    found = BY_TYPE.get(type(array))
    if found is not None:
        return found
    name = "foreign"
    for kind in type(array).__mro__:
        top = kind.__module__.partition(".")[0]
        if (top, kind.__name__) == ("numpy", "generic"):  # a number: its memory is freed as soon as its address is made
            return None
        if (top, kind.__name__) in (("numpy", "ndarray"), ("cupy", "ndarray"), ("torch", "Tensor"), ("cupy", "_ndarray_base")):
            name = top
    if name == "foreign":
        try:
            memoryview(array)
        except TypeError:
            if not hasattr(array, "__cuda_array_interface__") and not hasattr(array, "__dlpack__"):
                return None
    found = BY_TYPE[type(array)] = _library(name)
    return found


def view(array):
    library = library_of(array)
    if library is None:
        raise TypeError(f"of type {type(array).__name__}; use an array with DLPack, __cuda_array_interface__ or the buffer protocol")
    return library.view(array)
