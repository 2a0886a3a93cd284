"""Arrays of other libraries: their addresses, shapes, element types and streams, and new arrays like them.

torch and cupy are never imported here. They are taken from sys.modules: a caller with such an array has imported the library."""
import ctypes
import importlib
import sys
import threading
from collections import namedtuple
from contextlib import contextmanager, nullcontext
from functools import lru_cache, partial
from math import prod
from operator import attrgetter

from ._generated import Dtype, Status
from ._library import EIGHT_BITS, NAMES, SIZES, Stream, error, lib

# What a call needs to know of an array. device: -1 for ordinary memory, None for the device of the current context. A key of an array has the same
# members; its shape and element type are those of the array's library.
View = namedtuple("View", "shape dtype device contiguous writable", defaults=(-1, True, True))
_SHAPE_AND_TYPE = attrgetter("shape", "dtype")
AWAY = object()  # in place of a stream: the array's device is not the current one
HOST_STREAM = lib.adj_stream_host()
_ORDER = "<" if sys.byteorder == "little" else ">"
# Element types as the array interfaces of numpy name them. ml_dtypes gives its bfloat16 the name of opaque bytes, and several types of eight bits one name:
# these go by the name of the type.
_TYPE_STRINGS = {d: EIGHT_BITS.get(d) or f"{'|' if size == 1 else _ORDER}{'V' if d == Dtype.BF16 else d.name[0].lower()}{size}" for d, size in SIZES.items()}


_OF_SEVERAL = (_ORDER + "V1", _ORDER + "f1")


class _Thread(threading.local):
    def __init__(self):
        self.begun = set()  # the devices on which the thread has begun to work


_thread = _Thread()


class Tracked(RuntimeError):
    """An array whose gradient is recorded was given to a function that records none."""


class Library:
    """One array library. Every call uses stream() and keys(); the other methods run once for each new problem.

    Derived classes have look(array, owners, handle): (key, address) of an array, or a TypeError that says why it cannot serve; and maker(shape, dtype,
    array, zero): a function that makes arrays on the device of `array`, which is current, of zeros or uninitialised."""
    name = "?"
    codes = {d: code for code, d in _TYPE_STRINGS.items()}  # the Dtype of each element type of a key
    foreign = False    # True: arrays are exported for each call, see Foreign
    versions = False   # True: some library counts the writes to an array of a call, see wrote()
    untracked = nullcontext  # a context manager in which no gradients are recorded
    adam = None        # the operator adam in compiled code, see _torch_compiled.Adam
    compiled = None    # the module that makes calls known, where it can

    def watched(self):
        """Whether somebody looks on at the library's own operators, who would not see a call of ours."""
        return False

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

    def address(self, a):
        return self.look(a)[1]

    def memory(self, a):
        """What is equal as long as the array has the same memory, shape and element type."""
        return self.look(a)

    def layouts(self, arrays):
        """What is equal as long as a list of arrays and None has the same kinds, shapes, layouts, element types and devices; None where that is not known."""

    def addresses(self, arrays):
        """The address of each array, 0 for one without memory."""
        return [self.address(a) for a in arrays]

    def traced(self):
        """Whether calls are recorded now, to be made again on other arrays, by a tracer that does not see ours."""
        return False

    def view(self, key):
        return View(tuple(key[0]), self.codes.get(key[1], key[1]), *key[2:])

    def stream(self, array):
        """The handle of the stream that the array's library works on now, None for ordinary memory, or AWAY when the array's device is not current."""
        return None

    def device(self, array):
        """The number of the array's device, -1 for ordinary memory, None for the device of the current context."""
        return self.look(array)[0][2]

    def on(self, array, handle=None):
        """A context manager that makes the array's device current, and the stream of that handle if one is given: new memory belongs to it."""
        return nullcontext()

    def wrap(self, array, handle):
        """The adj_stream of that handle on the array's device."""
        if handle is None:
            return HOST_STREAM
        with self.on(array):
            self.begin(array, handle)
            return Stream.wrap(handle).raw

    def begin(self, array, handle):
        """Gives the thread a CUDA context, which a default stream (0, 1 or 2) needs. The array's device is current.

        A new thread has no context until its first call of CUDA's runtime. torch computes gradients in such a thread."""
        if handle > 2 or (device := self.device(array)) in _thread.begun or device == -1:
            return
        self.touch()
        _thread.begun.add(device)

    def touch(self):
        """Calls CUDA's runtime, if the library has it."""

    def capturing(self):
        return False

    def wrote(self, arrays):
        """Counts a write to each."""

    def workspace(self, array, size):
        """(address, owner) of scratch memory, aligned to 256 bytes."""
        owner = self.maker((size + 255,), Dtype.U8, array, False)()
        return (self.address(owner) + 255) & ~255, owner

    def zeros_like(self, array):
        """Zeros of the same shape, type, device and, where the library has several, layout."""
        view = self.view(self.look(array)[0])
        with self.on(array):
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
        self.module = sys.modules[self.name]

    def look(self, a, owners=None, handle=None):
        if BY_TYPE.get(type(a)) is not self and library_of(a) is not self:  # an array with the same attribute, such as a masked one
            raise TypeError(f"of type {type(a).__name__}, beside arrays of {self.name}")
        interface = a.__array_interface__
        address, read_only = interface["data"]
        kind = interface["typestr"]
        return (interface["shape"], a.dtype.name if kind in _OF_SEVERAL else kind, -1, interface["strides"] is None, not read_only), address

    def maker(self, shape, dtype, array, zero):
        name = _TYPE_STRINGS[dtype]
        if dtype == Dtype.BF16:  # cupy need not have the type of ml_dtypes
            name = "bfloat16" if "ml_dtypes" in sys.modules and (self.name == "numpy" or array.dtype.name == "bfloat16") else "uint16"
        elif dtype in EIGHT_BITS and ("ml_dtypes" not in sys.modules or self.name != "numpy"):
            name = "uint8"
        return partial(self.module.zeros if zero else self.module.empty, shape, sys.modules["numpy"].dtype(name))


class Masked(Numpy):
    """Arrays of numpy.ma."""

    def look(self, a, owners=None, handle=None):
        raise TypeError("a masked array, and no operator reads its mask; use filled() or its attribute data")


class Cupy(Numpy):
    name = "cupy"

    def look(self, a, owners=None, handle=None):
        return _by_interface(a.__cuda_array_interface__, a.data.device_id)

    def stream(self, array):
        cuda = self.module.cuda
        return cuda.get_current_stream().ptr if array.data.device_id == cuda.runtime.getDevice() else AWAY

    @contextmanager
    def on(self, array, handle=None):
        device, cuda = array.data.device_id, self.module.cuda
        with cuda.Device(device), nullcontext() if handle is None else cuda.ExternalStream(handle, device):
            yield

    def touch(self):
        self.module.cuda.runtime.memGetInfo()

    def capturing(self):
        return self.module.cuda.get_current_stream().is_capturing()


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
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # None: torch has no devices
        self.current_device = getattr(torch._C, "_cuda_getDevice", None)
        self.grad_enabled, self.untracked, self.address = torch.is_grad_enabled, torch.no_grad, torch.Tensor.data_ptr
        compiled = importlib.import_module("._torch_compiled", __package__)
        self.compiled = compiled if compiled.known is not None else None

    def look(self, a, owners=None, handle=None):
        if a.requires_grad and self.grad_enabled():
            raise Tracked
        if a.is_neg():
            raise TypeError("a tensor whose elements are to be negated when they are read; use resolve_neg()")
        try:
            address = a.data_ptr()
            if not address and hasattr(a, "to_local"):
                raise TypeError("a DTensor, whose parts are on several devices; use its to_local(), or adjoint.torch.AdamW for a parameter")
            if not address and (a.is_meta or a.numel()):
                raise TypeError("a tensor without contents, on the device meta" if a.is_meta else "a tensor whose memory was freed")
            return (a.shape, a.dtype, a.get_device(), a.is_contiguous(), True), address
        except RuntimeError:
            if a.device.type in ("cpu", "cuda") and a.layout is self.torch.strided:
                raise TypeError(f"a {type(a).__name__} without memory of its own, as in torch.func.vmap and torch.compile; use the functions of "
                                "adjoint.torch there") from None
            raise TypeError(f"a {a.layout} tensor on {a.device}; use a dense tensor on the CPU or on a CUDA device") from None

    def memory(self, a):
        return a.data_ptr(), a.shape, a.stride(), a.dtype

    def layouts(self, arrays):
        Tensor = self.torch.Tensor
        try:
            return [*map(type, arrays), *map(_SHAPE_AND_TYPE, arrays), *map(Tensor.stride, arrays), *map(Tensor.get_device, arrays), *map(Tensor.is_neg, arrays)]
        except (AttributeError, RuntimeError, TypeError):  # None, a sparse tensor
            return None

    def addresses(self, arrays):
        return list(map(self.address, arrays))

    def traced(self):
        _C = self.torch._C
        return _C._get_tracing_state() is not None or _C._len_torch_dispatch_stack() and _C._get_dispatch_mode(_C._TorchDispatchModeKey.PROXY) is not None

    def wrote(self, arrays):
        self.torch._C._increment_version(arrays)  # autograd refuses the old contents

    def zeros_like(self, array):
        return self.torch.zeros_like(array)

    def watched(self):
        return bool(self.torch._C._len_torch_dispatch_stack() or self.torch.autograd._profiler_enabled()) and not self.traced()

    def operator(self, name):
        """An operator of ours as one of torch."""
        importlib.import_module("._torch_operators", __package__)  # makes them; by name, since types are checked where torch is not installed
        return getattr(self.torch.ops.adjoint, name)

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

    def touch(self):
        self.torch.cuda.mem_get_info()

    def capturing(self):
        return self.torch.cuda.is_current_stream_capturing()

    def maker(self, shape, dtype, array, zero):
        return partial(self.torch.zeros if zero else self.torch.empty, shape, dtype=self.dtypes[dtype], device=array.device)


# ---- arrays of any other library, through a protocol


def _row_major(shape, strides, unit=1):
    """True when strides describe a dense row-major array whose elements are `unit` apart."""
    return strides is None or 0 in shape or all(n == 1 or stride == unit * prod(shape[i + 1:]) for i, (n, stride) in enumerate(zip(shape, strides)))


def _by_interface(interface, device):
    """(key, address) by `__cuda_array_interface__`."""
    (address, read_only), kind = interface["data"], interface["typestr"]
    dense = _row_major(interface["shape"], interface.get("strides"), int(kind[2:]))
    return (interface["shape"], kind, device, dense, not read_only), address


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_HOST, _CUDA = (1, 3), (2, 13)  # kinds of devices in DLPack
_DLPACK_TYPES = {({"BF": 4, "F": 2, "I": 0, "U": 1, "BOOL": 6, "F8_E4M": 10, "F8_E5M": 12, "F8_E8M": 14}[d.name.rstrip("0123456789")], 8 * size): d
                 for d, size in SIZES.items()}
_LETTERS = {**dict.fromkeys("fde", "f"), **dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQNc", "u"), "?": "b"}  # of a type string, by those of a buffer
_FORMATS = {Dtype.F32: "f", Dtype.F64: "d", Dtype.F16: "H", Dtype.BF16: "H", Dtype.I8: "b", Dtype.I16: "h", Dtype.I32: "i", Dtype.I64: "q",
            Dtype.U8: "B", Dtype.U16: "H", Dtype.U32: "I", Dtype.U64: "Q", Dtype.BOOL: "?",
            **dict.fromkeys(EIGHT_BITS, "B")}


def _by_buffer(memory):
    letter = _LETTERS.get(memory.format.lstrip("@=" + _ORDER))
    kind = f"{'|' if memory.itemsize == 1 else _ORDER}{letter}{memory.itemsize}" if letter else memory.format
    raw = (ctypes.c_void_p * 16)()  # a Py_buffer, which begins with the address
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(memory), raw, 0)
    ctypes.pythonapi.PyBuffer_Release(raw)
    return (memory.shape, kind, -1, memory.c_contiguous, not memory.readonly), raw[0] if memory.nbytes else 0


def _by_dlpack(a, handle):
    """(key, address, the export, which keeps the memory)"""
    kind, device = a.__dlpack_device__()
    if int(kind) not in _HOST + _CUDA:
        raise TypeError(f"an array on a device of DLPack kind {int(kind)}; use one in ordinary memory or on a CUDA device")
    capsule = a.__dlpack__() if int(kind) in _HOST else a.__dlpack__(stream=handle or 1)
    t = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    shape, strides = tuple(t.shape[:t.ndim]), t.strides[:t.ndim] if t.strides else None
    dtype = _DLPACK_TYPES.get((t.code, t.bits), f"DLPack type {t.code} of {t.bits} bits") if t.lanes == 1 else f"{t.lanes} lanes"
    return (shape, dtype, -1 if int(kind) in _HOST else device, _row_major(shape, strides), False), (t.data or 0) + t.byte_offset, capsule


def _memory(a):
    """The memoryview of an object with the buffer protocol, else None."""
    try:
        return memoryview(a)
    except TypeError:
        return None


class Foreign(Library):
    """Arrays of any other library, by `__cuda_array_interface__`, the buffer protocol or DLPack, in this order.

    A call exports each array once, and keeps the export until it is done. Its arrays may be of other libraries as well."""
    name = "another library"
    foreign = versions = True

    def look(self, a, owners=None, handle=1):
        library, owner = library_of(a), None
        if library is not self:
            if library is None:
                raise TypeError
            key, address = library.look(a)
            return library.view(key), address
        if hasattr(a, "__cuda_array_interface__"):
            key, address = _by_interface(a.__cuda_array_interface__, None)
        elif (owner := _memory(a)) is not None:
            key, address = _by_buffer(owner)
        else:
            key, address, owner = _by_dlpack(a, handle)
        if owners is not None:
            owners.append(owner)
        return self.view(key), address or 0

    def place(self, arrays, what):
        """The handle of the stream that the arrays are ready on, None for ordinary memory. what begins an error's sentence."""
        foreign = [a for a in arrays if library_of(a) is self]
        streams = {a.__cuda_array_interface__.get("stream") for a in foreign if hasattr(a, "__cuda_array_interface__")} - {None}
        if len(streams) > 1:
            raise error(Status.STREAM_MISMATCH, f"{what}: the arrays are on the streams {' and '.join(map(str, sorted(streams)))}; make one wait for the "
                        "other and pass it as stream=")
        return next(iter(streams), 0) if any(self.device(a) != -1 for a in foreign) else None  # 1 and 2 are the runtime's names of its default streams

    def device(self, array):
        library = library_of(array)
        if library not in (self, None):
            return library.device(array)
        if hasattr(array, "__cuda_array_interface__"):
            return None
        kind, number = array.__dlpack_device__() if hasattr(array, "__dlpack_device__") else (1, 0)
        return number if int(kind) in _CUDA else -1

    def workspace(self, array, size):
        if self.device(array) == -1:
            return super().workspace(b"", size)
        raise error(Status.WORKSPACE_TOO_SMALL, f"a workspace of {size} bytes is needed, and arrays of type {type(array).__name__} come without an "
                    "allocator; pass workspace=, an array of that many bytes on the device")

    def copy(self, array):
        new = self.zeros_like(array)
        memoryview(new).cast("B")[:] = memoryview(array).cast("B")
        return new

    def maker(self, shape, dtype, array, zero):
        if self.device(array) != -1 or _memory(array) is None:
            raise error(Status.NULL_BUFFER, f"a new array of shape {list(shape)} and type {dtype.name.lower()} is needed, and arrays of type "
                        f"{type(array).__name__} come without an allocator; pass the output as an argument")

        def make():
            count = prod(shape)
            memory = memoryview(bytearray(max(count, 1) * SIZES[dtype]))
            return memory.cast(_FORMATS[dtype], shape) if count else memory[:0].cast(_FORMATS[dtype])
        return make


_CLASSES = {("numpy", "MaskedArray"): Masked, ("numpy", "ndarray"): Numpy, ("cupy", "ndarray"): Cupy, ("cupy", "_ndarray_base"): Cupy, ("torch", "Tensor"): Torch}
BY_TYPE: "dict[type, Library]" = {}  # the library of each type of array seen so far


_made = lru_cache(maxsize=None)(lambda kind: kind())  # the one Library of a class, made when it is first needed


def library_of(array):
    """The library of an array, or None when it is no array."""
    found = BY_TYPE.get(type(array))
    if found is not None:
        return found
    names = [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(array).__mro__]
    if ("numpy", "generic") in names:  # a number: its memory is freed as soon as its address is made
        return None
    kind = next((_CLASSES[name] for name in names if name in _CLASSES), Foreign)
    if kind is Foreign and _memory(array) is None and not hasattr(array, "__cuda_array_interface__") and not hasattr(array, "__dlpack__"):
        return None
    BY_TYPE[type(array)] = _made(kind)
    return BY_TYPE[type(array)]
