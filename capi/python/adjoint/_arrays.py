"""Arrays of other libraries: their addresses, shapes, element types and streams, and new arrays like them.

torch and cupy are never imported here. They are taken from sys.modules: a caller with such an array has imported the library."""
import ctypes
import sys
from collections import namedtuple
from contextlib import nullcontext
from functools import partial

from ._generated import Dtype, Status
from ._library import SIZES, Stream, error, lib

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


def _row_major(shape, strides):
    """True when strides, in elements, describe a dense row-major array."""
    if strides is None or 0 in shape:
        return True
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def _host_memory(size):
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
        return _host_memory(size)

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


class Numpy(Library):
    name = "numpy"

    def __init__(self):
        np = self.np = sys.modules["numpy"]
        names = {"float32": Dtype.F32, "float64": Dtype.F64, "float16": Dtype.F16, "int8": Dtype.I8, "int16": Dtype.I16, "int32": Dtype.I32,
                 "int64": Dtype.I64, "uint8": Dtype.U8, "uint16": Dtype.U16, "uint32": Dtype.U32, "uint64": Dtype.U64, "bool": Dtype.BOOL}
        self.codes = {np.dtype(name): code for name, code in names.items()}
        self.dtypes = {code: dtype for dtype, code in self.codes.items()}

    def code(self, dtype):
        found = self.codes.get(dtype)
        if found is None and dtype.name == "bfloat16":  # of ml_dtypes
            self.codes[dtype], self.dtypes[Dtype.BF16], found = Dtype.BF16, dtype, Dtype.BF16
        return found

    def dtype(self, code):
        """The numpy type; bf16 without ml_dtypes is uint16."""
        if code == Dtype.BF16 and code not in self.dtypes:
            return self.dtypes[Dtype.U16]
        return self.dtypes[code]

    def keys(self, arrays):
        found = []
        for a in arrays:
            if a is None or a is True:
                found.append(a)
            elif type(a) is tuple:
                found.append(self.keys(a))
            else:
                flags = a.flags
                found.append((a.shape, a.dtype, flags.c_contiguous, flags.writeable))
        return tuple(found)

    def fill(self, values, places, arrays):
        for place, a in zip(places, arrays):
            if place:
                values[place] = a.__array_interface__["data"][0]

    def like(self, array):
        return self.np.empty(array.shape, array.dtype)

    def view(self, a):
        return View(a.__array_interface__["data"][0], a.shape, self.code(a.dtype) or a.dtype, -1, a.flags.c_contiguous, a.flags.writeable)

    def maker(self, shape, dtype, array, zero):
        return partial(self.np.zeros if zero else self.np.empty, shape, self.dtype(dtype))


class Cupy(Numpy):
    name = "cupy"

    def __init__(self):
        super().__init__()
        self.cupy = sys.modules["cupy"]

    def keys(self, arrays):
        found = []
        for a in arrays:
            if a is None or a is True:
                found.append(a)
            elif type(a) is tuple:
                found.append(self.keys(a))
            else:
                found.append((a.shape, a.dtype, a.flags.c_contiguous, a.data.device_id))
        return tuple(found)

    def fill(self, values, places, arrays):
        for place, a in zip(places, arrays):
            if place:
                values[place] = a.data.ptr

    def stream(self, array):
        return self.cupy.cuda.get_current_stream().ptr if array.data.device_id == self.cupy.cuda.runtime.getDevice() else AWAY

    def visit(self, array):
        return self.cupy.cuda.Device(array.data.device_id)

    def device(self, array):
        return array.data.device_id

    def on(self, array, handle):
        return _CupyStream(self.cupy, array.data.device_id, handle)

    def wrap(self, array, handle):
        with self.cupy.cuda.Device(array.data.device_id):
            return Stream.wrap(handle).raw

    def capturing(self):
        return self.cupy.cuda.get_current_stream().is_capturing()

    def workspace(self, array, size):
        with self.cupy.cuda.Device(array.data.device_id):
            owner = self.cupy.empty(size, "uint8")
        return owner.data.ptr, owner

    def view(self, a):
        return View(a.data.ptr, a.shape, self.code(a.dtype) or a.dtype, a.data.device_id, a.flags.c_contiguous, True)

    def like(self, array):
        return self.cupy.empty(array.shape, array.dtype)

    def maker(self, shape, dtype, array, zero):
        function, device, dtype = self.cupy.zeros if zero else self.cupy.empty, array.data.device_id, self.dtype(dtype)

        def make():
            with self.cupy.cuda.Device(device):
                return function(shape, dtype)
        return make


class _CupyStream:
    """Makes a device and a stream of it current for cupy."""

    def __init__(self, cupy, device, handle):
        self.device, self.stream = cupy.cuda.Device(device), cupy.cuda.ExternalStream(handle, device)

    def __enter__(self):
        self.device.__enter__()
        try:
            self.stream.__enter__()
        except BaseException:
            self.device.__exit__()
            raise

    def __exit__(self, *raised):
        try:
            self.stream.__exit__(*raised)
        finally:
            self.device.__exit__(*raised)


class Torch(Library):
    name = "torch"
    versions = True

    def __init__(self):
        torch = self.torch = sys.modules["torch"]
        names = {"float32": Dtype.F32, "float64": Dtype.F64, "float16": Dtype.F16, "bfloat16": Dtype.BF16, "int8": Dtype.I8, "int16": Dtype.I16,
                 "int32": Dtype.I32, "int64": Dtype.I64, "uint8": Dtype.U8, "uint16": Dtype.U16, "uint32": Dtype.U32, "uint64": Dtype.U64,
                 "bool": Dtype.BOOL}
        self.codes = {getattr(torch, name): code for name, code in names.items() if hasattr(torch, name)}
        self.dtypes = {code: dtype for dtype, code in self.codes.items()}
        self.like = torch.empty_like
        # torch.cuda.current_stream makes an object in every call, which takes longer than the rest of the lookup.
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (lambda device: torch.cuda.current_stream(device).cuda_stream)
        self.current_device = getattr(torch._C, "_cuda_getDevice", None) or torch.cuda.current_device
        self.grad_enabled, self.untracked = torch.is_grad_enabled, torch.no_grad
        self.wrote = _torch_versions(torch)

    def keys(self, arrays):
        found = []
        for a in arrays:
            if a is None or a is True:
                found.append(a)
            elif type(a) is tuple:
                found.append(self.keys(a))
            else:
                if a.requires_grad and self.grad_enabled():
                    raise Tracked
                found.append((a.shape, a.dtype, a.get_device(), a.is_contiguous(), a.is_neg()))
        return tuple(found)

    def fill(self, values, places, arrays):
        for place, a in zip(places, arrays):
            if place:
                values[place] = a.data_ptr()

    def addresses(self, arrays):
        return [a.data_ptr() for a in arrays]

    def tracked(self, array):
        return array.requires_grad and self.grad_enabled()

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
            if strides is None or not _same_strides(a, strides):
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

    def visit(self, array):
        device = array.get_device()
        return self.torch.cuda.device(device) if device >= 0 else nullcontext()

    def device(self, array):
        return array.get_device()

    def on(self, array, handle):
        device, cuda = array.get_device(), self.torch.cuda
        if device < 0:
            return nullcontext()
        if handle == self.raw_stream(device):
            return cuda.device(device)
        # ExternalStream makes a new stream of the handle 0, and 1 is the legacy default stream by its other name.
        return cuda.stream(cuda.default_stream(device) if handle in (None, 0, 1) else cuda.ExternalStream(handle, device=device))

    def wrap(self, array, handle):
        if array.get_device() < 0:
            return HOST_STREAM
        with self.torch.cuda.device(array.device):
            return Stream.wrap(handle).raw

    def capturing(self):
        return self.torch.cuda.is_current_stream_capturing()

    def workspace(self, array, size):
        if array.get_device() < 0:
            return _host_memory(size)
        owner = self.torch.empty(size, dtype=self.torch.uint8, device=array.device)
        return owner.data_ptr(), owner

    def view(self, a):
        if a.device.type not in ("cpu", "cuda") or a.layout is not self.torch.strided:
            raise TypeError(f"a {a.layout} tensor on {a.device}; use a dense tensor on the CPU or on a CUDA device")
        if a.is_neg() or a.is_conj():
            raise TypeError("a tensor whose elements are to be negated when they are read; use resolve_neg() or resolve_conj()")
        try:
            pointer = a.data_ptr()
        except RuntimeError:
            raise TypeError(f"a {type(a).__name__} without memory of its own, as in torch.func.vmap and torch.compile; use the functions of "
                            "adjoint.torch there") from None
        return View(pointer, tuple(a.shape), self.codes.get(a.dtype, a.dtype), a.get_device(), a.is_contiguous(), True)

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


def _same_strides(tensor, strides):
    return all(n == 1 or a == b for n, a, b in zip(tensor.shape, tensor.stride(), strides))


def _torch_versions(torch):
    """A function that raises the version counters of a tuple of tensors, so that autograd sees that they were written."""
    increment = getattr(torch._C, "_increment_version", None)
    try:
        increment((torch.empty(0),))
        return increment
    except TypeError:  # torch before 2.6, which takes one tensor or has no such function
        def wrote(tensors):
            for t in tensors:
                if not t.is_inference():
                    t.detach().reshape(-1)[:0].zero_()  # a view, which shares the counter; nothing is launched for no elements
        return wrote


# ---- arrays of any other library, through a protocol

class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_DLPACK_HOST, _DLPACK_CUDA = (1, 3), (2, 13)
_DLPACK_TYPES = {(2, 32): Dtype.F32, (2, 64): Dtype.F64, (2, 16): Dtype.F16, (4, 16): Dtype.BF16, (0, 8): Dtype.I8, (0, 16): Dtype.I16,
                 (0, 32): Dtype.I32, (0, 64): Dtype.I64, (1, 8): Dtype.U8, (1, 16): Dtype.U16, (1, 32): Dtype.U32, (1, 64): Dtype.U64,
                 (6, 8): Dtype.BOOL}
_LETTERS = {"f": {4: Dtype.F32, 8: Dtype.F64, 2: Dtype.F16}, "i": {1: Dtype.I8, 2: Dtype.I16, 4: Dtype.I32, 8: Dtype.I64},
            "u": {1: Dtype.U8, 2: Dtype.U16, 4: Dtype.U32, 8: Dtype.U64}, "b": {1: Dtype.BOOL}}
_FORMATS = {**dict.fromkeys("fde", "f"), **dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQNc", "u"), "?": "b"}
_FORMAT_OF = {Dtype.F32: "f", Dtype.F64: "d", Dtype.F16: "H", Dtype.BF16: "H", Dtype.I8: "b", Dtype.I16: "h", Dtype.I32: "i", Dtype.I64: "q",
              Dtype.U8: "B", Dtype.U16: "H", Dtype.U32: "I", Dtype.U64: "Q", Dtype.BOOL: "?"}


class _Buffer(ctypes.Structure):
    """Py_buffer."""
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
                ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = (ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int)
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes, _release_buffer.restype = (ctypes.POINTER(_Buffer),), None


def _address(memory):
    raw = _Buffer()
    _get_buffer(memory, ctypes.byref(raw), 0)
    address = raw.buf
    _release_buffer(ctypes.byref(raw))
    return address


class Foreign(Library):
    """Arrays of any other library, by `__cuda_array_interface__`, the buffer protocol or DLPack, in this order.

    A call exports each array once, to a View that keeps the export alive, and works on the views."""
    name = "another library"
    foreign = True

    def hold(self, arrays, handle):
        """Views in place of arrays, for work on the stream of that handle. What is no array stays as it is."""
        found = []
        for a in arrays:
            if type(a) is tuple:
                a = self.hold(a, handle)
            elif a is not None and a is not True:
                library = library_of(a)
                if library is not None:
                    if library.tracked(a):
                        raise Tracked
                    a = held(a, handle)
            found.append(a)
        return tuple(found)

    def keys(self, arrays):
        return tuple(a if a is None or a is True else self.keys(a) if type(a) is tuple else a[1:6] for a in arrays)

    def fill(self, values, places, arrays):
        for place, a in zip(places, arrays):
            if place:
                values[place] = self.view(a).pointer or 0

    def place(self, arrays, what):
        """The handle of the stream that the arrays are ready on, None for ordinary memory. what begins an error's sentence."""
        handles, device = {}, False
        for a in arrays:
            if library_of(a) is not self:
                continue
            interface = getattr(a, "__cuda_array_interface__", None)
            if interface is not None:
                device = True
                if interface.get("stream") is not None:  # 1 and 2 are the runtime's names of its default streams
                    handles.setdefault(interface["stream"], a)
            elif not device and hasattr(a, "__dlpack_device__"):
                device = int(a.__dlpack_device__()[0]) in _DLPACK_CUDA
        if len(handles) > 1:
            raise error(Status.STREAM_MISMATCH, f"{what}: the arrays are on the streams {' and '.join(map(str, handles))}; make one wait for the other "
                        "and pass it as stream=")
        return next(iter(handles), 0) if device else None

    def device(self, array):
        return self.view(array).device

    def wrap(self, array, handle):
        return HOST_STREAM if handle is None else Stream.wrap(handle).raw

    def workspace(self, array, size):
        if self.view(array).device == -1:
            return _host_memory(size)
        kind = type(original(array)).__name__
        raise error(Status.WORKSPACE_TOO_SMALL, f"a workspace of {size} bytes is needed, and arrays of type {kind} come without an "
                    "allocator; pass workspace=, an array of that many bytes on the device")

    def view(self, a):
        return a if type(a) is View else self.export(a, 1)

    def export(self, a, handle):
        if hasattr(a, "__cuda_array_interface__"):
            return self.cuda_interface(a.__cuda_array_interface__)
        try:
            memory = memoryview(a)
        except TypeError:
            return self.dlpack(a, handle)
        return self.buffer(memory)

    @staticmethod
    def cuda_interface(interface):
        kind, size = interface["typestr"][1], int(interface["typestr"][2:])
        strides = interface.get("strides")
        strides = strides and [s // size for s in strides]
        pointer, read_only = interface["data"]
        dtype = _LETTERS.get(kind, {}).get(size, interface["typestr"])
        return View(pointer, tuple(interface["shape"]), dtype, None, _row_major(interface["shape"], strides), not read_only)

    @staticmethod
    def buffer(memory):
        letter = memory.format[-1:]
        known = len(memory.format) == 1 or memory.format[0] in "@=" + ("<" if sys.byteorder == "little" else ">")
        dtype = _LETTERS.get(_FORMATS.get(letter, ""), {}).get(memory.itemsize) if known else None
        return View(_address(memory) if memory.nbytes else None, memory.shape, dtype or memory.format, -1, memory.c_contiguous, not memory.readonly,
                    memory)

    @staticmethod
    def dlpack(a, handle=None):
        kind, device = a.__dlpack_device__()
        if int(kind) not in _DLPACK_HOST + _DLPACK_CUDA:
            raise TypeError(f"an array on a device of DLPack kind {int(kind)}; use one in ordinary memory or on a CUDA device")
        capsule = a.__dlpack__() if int(kind) in _DLPACK_HOST else a.__dlpack__(stream=handle or 1)
        t = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
        shape = tuple(t.shape[i] for i in range(t.ndim))
        strides = [t.strides[i] for i in range(t.ndim)] if t.strides else None
        dtype = _DLPACK_TYPES.get((t.code, t.bits), f"DLPack type {t.code} of {t.bits} bits") if t.lanes == 1 else f"{t.lanes} lanes"
        return View((t.data or 0) + t.byte_offset, shape, dtype, -1 if int(kind) in _DLPACK_HOST else device, _row_major(shape, strides), False,
                    capsule)

    def copy(self, array):
        new = self.like(array)
        memoryview(new).cast("B")[:] = memoryview(array).cast("B")
        return new

    def maker(self, shape, dtype, array, zero):
        array, device = original(array), self.view(array).device
        if device != -1 or not isinstance(array, (bytes, bytearray, memoryview)) and type(array).__module__ != "array":
            raise error(Status.NULL_BUFFER, f"a new array of shape {list(shape)} and type {dtype.name.lower()} is needed, and arrays of type "
                        f"{type(array).__name__} come without an allocator; pass the output as an argument")
        count = count_of(shape)

        def make():
            memory = memoryview(bytearray(max(count, 1) * SIZES[dtype]))
            return memory.cast(_FORMAT_OF[dtype], shape) if count else memory[:0].cast(_FORMAT_OF[dtype])
        return make


_MAKERS = {"numpy": Numpy, "cupy": Cupy, "torch": Torch}
_made = {}
BY_TYPE = {}  # the library of each type of array seen so far


def _foreign():
    if "foreign" not in _made:
        _made["foreign"] = BY_TYPE[View] = Foreign()
    return _made["foreign"]


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
    if name == "foreign":
        _foreign()
    elif name not in _made:
        _made[name] = _MAKERS[name]()
    BY_TYPE[type(array)] = _made[name]
    return _made[name]


def view(array):
    library = library_of(array)
    if library is None:
        raise TypeError(f"of type {type(array).__name__}; use an array with DLPack, __cuda_array_interface__ or the buffer protocol")
    return library.view(array)
