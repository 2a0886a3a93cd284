"""Arrays of other libraries: their addresses, shapes, element types and streams, and new arrays like them.

torch and cupy are never imported here. They are taken from sys.modules: a caller with such an array has imported the library."""
import sys
from collections import namedtuple
from contextlib import contextmanager, nullcontext
from functools import lru_cache, partial

from ._generated import Dtype
from ._library import NAMES, Stream, lib

# What a call needs to know of an array. device: -1 for ordinary memory, None for the device of the current context.
View = namedtuple("View", "shape dtype device contiguous writable", defaults=(-1, True, True))
AWAY = object()  # in place of a stream: the array's device is not the current one
HOST_STREAM = lib.adj_stream_host()


class Tracked(RuntimeError):
    """An array whose gradient is recorded was given to a function that records none."""


class Library:
    """One array library. Every call uses stream() and keys(); the other methods run once for each new problem."""
    name = "?"
    foreign = False    # True: arrays are exported for each call, see Foreign
    versions = False   # True: the library counts the writes to an array, and wrote() tells it of one
    untracked = nullcontext  # a context manager in which no gradients are recorded

    def keys(self, arrays, addresses, owners, handle):
        """Keys of a plan, one for each array; None and True stay as they are. Adds the address of each array, or the list of them, to addresses.
        Objects that keep memory exported for the stream of that handle are added to owners."""
        found, look = [], self.look
        for a in arrays:
            if a is None or a is True:
                key, address = a, 0
            elif type(a) is tuple:
                address = []
                key = self.keys(a, address, owners, handle)
            else:
                key, address = look(a, owners, handle)
            found.append(key)
            addresses.append(address)
        return tuple(found)

    def look(self, a, owners=None, handle=None):
        """(key, address) of an array. The key is hashable, and view() makes a View of it."""
        raise NotImplementedError

    def view(self, key):
        return key

    def address(self, a):
        return self.look(a)[1]

    def trouble(self, a):
        """Raises a TypeError that says why an array cannot serve, if so."""

    def stream(self, array):
        """The handle of the stream that the array's library works on now, None for ordinary memory, or AWAY when the array's device is not current."""
        return None

    def device(self, array):
        """The number of the array's device, -1 for ordinary memory, None for the device of the current context."""
        return -1

    def on(self, array, handle=None):
        """A context manager that makes the array's device current, and the stream of that handle if one is given: new memory belongs to it."""
        return nullcontext()

    def wrap(self, array, handle):
        """The adj_stream of that handle on the array's device."""
        with self.on(array):
            return HOST_STREAM if handle is None else Stream.wrap(handle).raw

    def capturing(self):
        return False

    def workspace(self, array, size):
        """(address, owner) of scratch memory, aligned to 256 bytes."""
        owner = self.maker((size + 255,), Dtype.U8, array, False)()
        return (self.address(owner) + 255) & ~255, owner

    def maker(self, shape, dtype, array, zero):
        """A function that makes arrays on the device of `array`, of zeros or uninitialised."""
        raise NotImplementedError

    def zeros_like(self, array):
        """Zeros of the same shape, type, device and, where the library has several, layout."""
        view = self.view(self.look(array)[0])
        return self.maker(view.shape, view.dtype, array, True)()

    def copy(self, array):
        new = self.zeros_like(array)
        new[...] = array
        return new

    def row_major(self, arrays):
        """(the arrays of an update, the second of which is only read, as row-major arrays with a common order of elements; a function that writes
        results back)"""
        return arrays, lambda: None


class Numpy(Library):
    name = "numpy"

    def __init__(self):
        np = self.np = sys.modules["numpy"]
        self.codes = {np.dtype(name): code for name, code in NAMES.items() if name != "bfloat16"}
        self.dtypes = {Dtype.BF16: np.dtype("uint16"), **{code: dtype for dtype, code in self.codes.items()}}

    def look(self, a, owners=None, handle=None):
        flags = a.flags
        return (a.shape, a.dtype, -1, flags.c_contiguous, flags.writeable), a.__array_interface__["data"][0]

    def view(self, key):
        dtype = key[1]
        if dtype not in self.codes and dtype.name == "bfloat16":  # of ml_dtypes
            self.codes[dtype], self.dtypes[Dtype.BF16] = Dtype.BF16, dtype
        return View(key[0], self.codes.get(dtype, dtype), *key[2:])

    def maker(self, shape, dtype, array, zero):
        return partial(self.np.zeros if zero else self.np.empty, shape, self.dtypes[dtype])


class Cupy(Numpy):
    name = "cupy"

    def __init__(self):
        super().__init__()
        self.cupy = sys.modules["cupy"]

    def look(self, a, owners=None, handle=None):
        return (a.shape, a.dtype, a.data.device_id, a.flags.c_contiguous), a.data.ptr

    def stream(self, array):
        return self.cupy.cuda.get_current_stream().ptr if array.data.device_id == self.cupy.cuda.runtime.getDevice() else AWAY

    def device(self, array):
        return array.data.device_id

    @contextmanager
    def on(self, array, handle=None):
        device = array.data.device_id
        with self.cupy.cuda.Device(device), nullcontext() if handle is None else self.cupy.cuda.ExternalStream(handle, device):
            yield

    def capturing(self):
        return self.cupy.cuda.get_current_stream().is_capturing()

    def maker(self, shape, dtype, array, zero):
        def make():
            with self.cupy.cuda.Device(device):
                return function(shape, dtype)
        function, device, dtype = self.cupy.zeros if zero else self.cupy.empty, array.data.device_id, self.dtypes[dtype]
        return make


class Torch(Library):
    name = "torch"
    versions = True

    def __init__(self):
        torch = self.torch = sys.modules["torch"]
        if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 6):
            raise ImportError(f"adjoint needs PyTorch 2.6 or newer for tensors, found {torch.__version__}")
        self.codes = {getattr(torch, name): code for name, code in NAMES.items() if hasattr(torch, name)}
        self.dtypes = {code: dtype for dtype, code in self.codes.items()}
        # torch.cuda.current_stream makes an object in every call, which takes longer than the rest of the lookup.
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (lambda device: torch.cuda.current_stream(device).cuda_stream)
        self.current_device = getattr(torch._C, "_cuda_getDevice", None) or torch.cuda.current_device
        self.grad_enabled, self.untracked = torch.is_grad_enabled, torch.no_grad
        self.wrote = torch._C._increment_version  # raises the version counters of tensors, so that autograd sees that they were written

    def look(self, a, owners=None, handle=None):
        if a.requires_grad and self.grad_enabled():
            raise Tracked
        return (a.shape, a.dtype, a.get_device(), a.is_contiguous(), a.is_neg()), a.data_ptr()

    def address(self, a):
        return a.data_ptr()

    def view(self, key):
        if key[4]:
            raise TypeError("a tensor whose elements are to be negated when they are read; use resolve_neg()")
        return View(tuple(key[0]), self.codes.get(key[1], key[1]), key[2], key[3])

    def trouble(self, a):
        if a.device.type not in ("cpu", "cuda") or a.layout is not self.torch.strided:
            raise TypeError(f"a {a.layout} tensor on {a.device}; use a dense tensor on the CPU or on a CUDA device")
        try:
            a.data_ptr()
        except RuntimeError:
            raise TypeError(f"a {type(a).__name__} without memory of its own, as in torch.func.vmap and torch.compile; use the functions of "
                            "adjoint.torch there") from None

    def zeros_like(self, array):
        return self.torch.zeros_like(array)

    def row_major(self, arrays):
        if all(a.is_contiguous() for a in arrays):
            return arrays, lambda: None
        first = arrays[0]  # dimensions in the order of its strides, so that it is row-major where it is dense
        order = sorted(range(first.dim()), key=first.stride, reverse=True)
        views = [a.permute(order) for a in arrays]
        found = [v.contiguous() for v in views]

        def write_back():
            for i, (view, array) in enumerate(zip(views, found)):
                if i != 1 and not view.is_contiguous():
                    view.copy_(array)
        return tuple(found), write_back

    def stream(self, array):
        device = array.get_device()
        return None if device < 0 else self.raw_stream(device) if device == self.current_device() else AWAY

    def device(self, array):
        return array.get_device()

    def on(self, array, handle=None):
        device, cuda = array.get_device(), self.torch.cuda
        if device < 0:
            return nullcontext()
        if handle is None or handle == self.raw_stream(device):
            return cuda.device(device)
        # ExternalStream makes a new stream of the handle 0, and 1 is the legacy default stream by its other name.
        return cuda.stream(cuda.default_stream(device) if handle in (0, 1) else cuda.ExternalStream(handle, device=device))

    def capturing(self):
        return self.torch.cuda.is_current_stream_capturing()

    def maker(self, shape, dtype, array, zero):
        return partial(self.torch.zeros if zero else self.torch.empty, shape, dtype=self.dtypes[dtype], device=array.device)


_CLASSES = {("numpy", "ndarray"): Numpy, ("cupy", "ndarray"): Cupy, ("cupy", "_ndarray_base"): Cupy, ("torch", "Tensor"): Torch}
BY_TYPE: "dict[type, Library]" = {}  # the library of each type of array seen so far


@lru_cache(maxsize=None)
def _made(kind):
    """The one Library of that class, made when it is first needed."""
    return kind()


def library_of(array):
    """The library of an array, or None when it is no array."""
    found = BY_TYPE.get(type(array))
    if found is not None:
        return found
    names = [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(array).__mro__]
    if ("numpy", "generic") in names:  # a number: its memory is freed as soon as its address is made
        return None
    kind = next((_CLASSES[name] for name in names if name in _CLASSES), None)
    if kind is None:
        from ._protocols import Foreign as kind  # derives from Library
        if not kind.takes(array):
            return None
    BY_TYPE[type(array)] = _made(kind)
    return BY_TYPE[type(array)]
