"""Arrays of other libraries: their addresses, shapes, element types and streams, and new arrays like them.

torch and cupy are never imported here. They are taken from sys.modules: a caller with such an array has imported the library."""
import ctypes
import sys
from collections import namedtuple
from contextlib import contextmanager, nullcontext
from functools import partial

from ._generated import Dtype
from ._library import NAMES, Stream, lib

# What a call needs to know of an array. device: -1 for ordinary memory, None for the device of the current context.
View = namedtuple("View", "shape dtype device contiguous writable", defaults=(-1, True, True))
AWAY = object()  # in place of a stream: the array's device is not the current one
HOST_STREAM = lib.adj_stream_host()


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


class Library:
    """One array library. Every call uses stream() and keys(); the other methods run once for each new problem."""
    name = "?"
    foreign = False    # True: arrays are exported for each call, see Foreign
    versions = False   # True: the library counts the writes to an array

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
        raise NotImplementedError

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

    def maker(self, shape, dtype, array, zero):
        """A function that makes arrays on the device of `array`, of zeros or uninitialised."""
        raise NotImplementedError

    def zeros_like(self, array):
        """Zeros of the same shape, type, device and, where the library has several, layout."""
        view = self.view(self.look(array)[0])
        return self.maker(view.shape, view.dtype, array, True)()

    def copy(self, array):
        return array.copy()

    def row_major(self, arrays):
        """(the arrays of an update, the second of which is only read, as row-major arrays with a common order of elements; a function that writes
        results back)"""
        return arrays, lambda: None


class Numpy(Library):
    name = "numpy"

    def __init__(self):
        np = self.np = sys.modules["numpy"]
        self.codes = {np.dtype(name): code for name, code in NAMES.items() if name != "bfloat16"}
        self.dtypes = {code: dtype for dtype, code in self.codes.items()}

    def code(self, dtype):
        if dtype not in self.codes and dtype.name == "bfloat16":  # of ml_dtypes
            self.codes[dtype], self.dtypes[Dtype.BF16] = Dtype.BF16, dtype
        return self.codes.get(dtype, dtype)

    def dtype(self, code):
        """The numpy type; bf16 without ml_dtypes is uint16."""
        return self.dtypes.get(code) or self.dtypes[Dtype.U16]

    def look(self, a, owners=None, handle=None):
        flags = a.flags
        return (a.shape, a.dtype, -1, flags.c_contiguous, flags.writeable), a.__array_interface__["data"][0]

    def view(self, key):
        return View(key[0], self.code(key[1]), *key[2:])

    def maker(self, shape, dtype, array, zero):
        return partial(self.np.zeros if zero else self.np.empty, shape, self.dtype(dtype))


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

    def wrap(self, array, handle):
        with self.on(array):
            return Stream.wrap(handle).raw

    def capturing(self):
        return self.cupy.cuda.get_current_stream().is_capturing()

    def workspace(self, array, size):
        with self.on(array):
            owner = self.cupy.empty(size, "uint8")
        return owner.data.ptr, owner

    def maker(self, shape, dtype, array, zero):
        function, device, dtype = self.cupy.zeros if zero else self.cupy.empty, array.data.device_id, self.dtype(dtype)

        def make():
            with self.cupy.cuda.Device(device):
                return function(shape, dtype)
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

    def copy(self, array):
        return array.detach().clone()

    def row_major(self, arrays):
        if all(a.is_contiguous() for a in arrays):
            return arrays, lambda: None
        first, found, copies = arrays[0], [], []
        strides = _dense_strides(first)
        for a in arrays:
            if strides is None or any(n != 1 and s != t for n, s, t in zip(a.shape, a.stride(), strides)):
                copies.append((a, a.contiguous() if strides is None else self.torch.empty_strided(a.shape, strides, dtype=a.dtype, device=a.device).copy_(a)))
                a = copies[-1][1]
            found.append(a.as_strided((a.numel(),), (1,)))

        def write_back():
            for a, copy in copies:
                if a is not arrays[1]:
                    a.copy_(copy)
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

    def wrap(self, array, handle):
        if array.get_device() < 0:
            return HOST_STREAM
        with self.on(array):
            return Stream.wrap(handle).raw

    def capturing(self):
        return self.torch.cuda.is_current_stream_capturing()

    def workspace(self, array, size):
        if array.get_device() < 0:
            return host_memory(size)
        owner = self.torch.empty(size, dtype=self.torch.uint8, device=array.device)
        return owner.data_ptr(), owner

    def maker(self, shape, dtype, array, zero):
        return partial(self.torch.zeros if zero else self.torch.empty, shape, dtype=self.dtypes[dtype], device=array.device)


def _dense_strides(tensor):
    """The strides of a tensor whose elements fill a range of memory, each once; None for another tensor."""
    expected = 1
    for stride, extent in sorted((s, n) for s, n in zip(tensor.stride(), tensor.shape) if n != 1):
        if stride != expected:
            return None
        expected *= extent
    return tensor.stride()


_made: "dict[str, Library]" = {}
BY_TYPE: "dict[type, Library]" = {}  # the library of each type of array seen so far


def _library(name):
    """The one Library of that name, made when it is first needed."""
    if name not in _made:
        from ._protocols import Foreign  # derives from Library
        _made[name] = {"numpy": Numpy, "cupy": Cupy, "torch": Torch, "foreign": Foreign}[name]()
    return _made[name]


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
