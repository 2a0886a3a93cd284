"""Arrays of other libraries: their addresses, shapes, element types and streams, and new arrays like them.

torch and cupy are never imported here. They are taken from sys.modules: a caller with such an array has imported the library."""
import ctypes
import sys
from collections import namedtuple
from functools import partial

from ._generated import Dtype, Status
from ._library import SIZES, Stream, error, lib

# Properties of an array that a call needs. device: -1 for ordinary memory, None for the device of the current context.
View = namedtuple("View", "pointer shape dtype device contiguous writable")


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
    """One array library. Every call uses keys(), fill() and stream(); the other methods run once for each new problem."""
    name = "?"

    def keys(self, arrays):
        """Hashable keys of a plan, one for each array: shape, type, device. None and True stay as they are."""
        raise NotImplementedError

    def fill(self, slots, arrays):
        """Writes the addresses of arrays into tensor arguments."""
        raise NotImplementedError

    def fill_list(self, slot, arrays):
        pointers = slot[1]
        pointers[:] = [self.view(a).pointer for a in arrays]

    def stream(self, array):
        """The handle of the stream that the array's library works on now, or None for ordinary memory."""
        return None

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

    def fill(self, slots, arrays):
        for slot, a in zip(slots, arrays):
            if a is not None:
                slot.data = a.__array_interface__["data"][0]

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

    def fill(self, slots, arrays):
        for slot, a in zip(slots, arrays):
            if a is not None:
                slot.data = a.data.ptr

    def stream(self, array):
        return self.cupy.cuda.get_current_stream().ptr

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


class Torch(Library):
    name = "torch"

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

    def keys(self, arrays):
        found = []
        for a in arrays:
            if a is None or a is True:
                found.append(a)
            elif type(a) is tuple:
                found.append(self.keys(a))
            else:
                found.append((a.shape, a.dtype, a.get_device(), a.is_contiguous()))
        return tuple(found)

    def fill(self, slots, arrays):
        for slot, a in zip(slots, arrays):
            if a is not None:
                slot.data = a.data_ptr()

    def fill_list(self, slot, arrays):
        slot[1][:] = [a.data_ptr() for a in arrays]

    def stream(self, array):
        device = array.get_device()
        return None if device < 0 else self.raw_stream(device)

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
        return View(a.data_ptr(), tuple(a.shape), self.codes.get(a.dtype, a.dtype), a.get_device(), a.is_contiguous(), True)

    def maker(self, shape, dtype, array, zero):
        return partial(self.torch.zeros if zero else self.torch.empty, shape, dtype=self.dtypes[dtype], device=array.device)


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
    """Arrays of any other library, by `__cuda_array_interface__`, the buffer protocol or DLPack, in this order."""
    name = "another library"

    def keys(self, arrays):
        found = []
        for a in arrays:
            if a is None or a is True:
                found.append(a)
            elif type(a) is tuple:
                found.append(self.keys(a))
            else:
                found.append(view(a)[1:])
        return tuple(found)

    def fill(self, slots, arrays):
        for slot, a in zip(slots, arrays):
            if a is not None:
                slot.data = view(a).pointer

    def stream(self, array):
        if self.view(array).device == -1:
            return None
        interface = getattr(array, "__cuda_array_interface__", None) or {}
        return interface.get("stream") or 0  # 1 and 2 are the runtime's names of its default streams

    def wrap(self, array, handle):
        return HOST_STREAM if handle is None else Stream.wrap(handle).raw

    def workspace(self, array, size):
        if self.view(array).device == -1:
            return _host_memory(size)
        raise error(Status.WORKSPACE_TOO_SMALL, f"a workspace of {size} bytes is needed, and arrays of type {type(array).__name__} come without an "
                    "allocator; pass workspace=, an array of that many bytes on the device")

    def view(self, a):
        if hasattr(a, "__cuda_array_interface__"):
            return self.cuda_interface(a.__cuda_array_interface__)
        try:
            return self.buffer(memoryview(a))
        except TypeError:
            return self.dlpack(a)

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
        return View(_address(memory) if memory.nbytes else None, memory.shape, dtype or memory.format, -1, memory.c_contiguous, not memory.readonly)

    @staticmethod
    def dlpack(a):
        kind, device = a.__dlpack_device__()
        if int(kind) not in _DLPACK_HOST + _DLPACK_CUDA:
            raise TypeError(f"an array on a device of DLPack kind {int(kind)}; use one in ordinary memory or on a CUDA device")
        capsule = a.__dlpack__() if int(kind) in _DLPACK_HOST else a.__dlpack__(stream=1)
        t = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
        shape = tuple(t.shape[i] for i in range(t.ndim))
        strides = [t.strides[i] for i in range(t.ndim)] if t.strides else None
        dtype = _DLPACK_TYPES.get((t.code, t.bits), f"DLPack type {t.code} of {t.bits} bits") if t.lanes == 1 else f"{t.lanes} lanes"
        return View((t.data or 0) + t.byte_offset, shape, dtype, -1 if int(kind) in _DLPACK_HOST else device, _row_major(shape, strides), False)

    def maker(self, shape, dtype, array, zero):
        if self.view(array).device != -1 or not isinstance(array, (bytes, bytearray, memoryview)) and type(array).__module__ != "array":
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
    if name not in _made:
        _made[name] = _MAKERS.get(name, Foreign)()
    BY_TYPE[type(array)] = _made[name]
    return _made[name]


def view(array):
    library = library_of(array)
    if library is None:
        raise TypeError(f"of type {type(array).__name__}; use an array with DLPack, __cuda_array_interface__ or the buffer protocol")
    return library.view(array)
