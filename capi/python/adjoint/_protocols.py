"""Arrays of any other library, through a protocol."""
import ctypes
import sys
from math import prod

from ._arrays import Library, View, library_of
from ._generated import Dtype, Status
from ._library import SIZES, error


def _row_major(shape, strides):
    """True when strides, in elements, describe a dense row-major array."""
    return strides is None or 0 in shape or all(n == 1 or stride == prod(shape[i + 1:]) for i, (n, stride) in enumerate(zip(shape, strides)))


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_HOST, _CUDA = (1, 3), (2, 13)  # kinds of devices in DLPack
_DLPACK_TYPES = {({"BF": 4, "F": 2, "I": 0, "U": 1, "BOOL": 6}[d.name.rstrip("0123456789")], 8 * size): d for d, size in SIZES.items()}
_TYPES = {(d.name[0].lower(), size): d for d, size in SIZES.items() if d != Dtype.BF16}  # by the letter of a typestr
_LETTERS = {**dict.fromkeys("fde", "f"), **dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQNc", "u"), "?": "b"}  # of a typestr, by those of a buffer
_FORMATS = {Dtype.F32: "f", Dtype.F64: "d", Dtype.F16: "H", Dtype.BF16: "H", Dtype.I8: "b", Dtype.I16: "h", Dtype.I32: "i", Dtype.I64: "q",
            Dtype.U8: "B", Dtype.U16: "H", Dtype.U32: "I", Dtype.U64: "Q", Dtype.BOOL: "?"}


# An array by each protocol: its address, its View, and an object that keeps the memory exported.

def _cuda_interface(interface):
    size, strides, (pointer, read_only) = int(interface["typestr"][2:]), interface.get("strides"), interface["data"]
    dense = _row_major(interface["shape"], strides and [s // size for s in strides])
    dtype = _TYPES.get((interface["typestr"][1], size), interface["typestr"])
    return pointer, View(tuple(interface["shape"]), dtype, None, dense, not read_only), None


def _buffer(memory):
    known = len(memory.format) == 1 or memory.format[0] in "@=" + ("<" if sys.byteorder == "little" else ">")
    dtype = _TYPES.get((_LETTERS.get(memory.format[-1:]), memory.itemsize)) if known else None
    raw = (ctypes.c_void_p * 16)()  # a Py_buffer, which begins with the address
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(memory), raw, 0)
    ctypes.pythonapi.PyBuffer_Release(raw)
    return raw[0] if memory.nbytes else None, View(memory.shape, dtype or memory.format, -1, memory.c_contiguous, not memory.readonly), memory


def _dlpack(a, handle=None):
    kind, device = a.__dlpack_device__()
    if int(kind) not in _HOST + _CUDA:
        raise TypeError(f"an array on a device of DLPack kind {int(kind)}; use one in ordinary memory or on a CUDA device")
    capsule = a.__dlpack__() if int(kind) in _HOST else a.__dlpack__(stream=handle or 1)
    t = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    shape, strides = t.shape[:t.ndim], t.strides[:t.ndim] if t.strides else None
    dtype = _DLPACK_TYPES.get((t.code, t.bits), f"DLPack type {t.code} of {t.bits} bits") if t.lanes == 1 else f"{t.lanes} lanes"
    return (t.data or 0) + t.byte_offset, View(tuple(shape), dtype, -1 if int(kind) in _HOST else device, _row_major(shape, strides), False), capsule


class Foreign(Library):
    """Arrays of any other library, by `__cuda_array_interface__`, the buffer protocol or DLPack, in this order.

    A call exports each array once, and keeps the export until it is done. Its arrays may be of other libraries as well."""
    name = "another library"
    foreign = True

    @staticmethod
    def takes(a):
        """True for an object that speaks one of the protocols."""
        try:
            return memoryview(a) is not None
        except TypeError:
            return hasattr(a, "__cuda_array_interface__") or hasattr(a, "__dlpack__")

    def look(self, a, owners=None, handle=1):
        library = library_of(a)
        if library is None:
            raise TypeError
        if library is not self:
            key, address = library.look(a)
            return library.view(key), address
        if hasattr(a, "__cuda_array_interface__"):
            address, view, owner = _cuda_interface(a.__cuda_array_interface__)
        else:
            try:
                address, view, owner = _buffer(memoryview(a))
            except TypeError:
                address, view, owner = _dlpack(a, handle)
        if owners is not None:
            owners.append(owner)
        return view, address or 0

    def trouble(self, a):
        self.look(a)

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
        if self.device(array) != -1 or not isinstance(array, (bytes, bytearray, memoryview)) and type(array).__module__ != "array":
            raise error(Status.NULL_BUFFER, f"a new array of shape {list(shape)} and type {dtype.name.lower()} is needed, and arrays of type "
                        f"{type(array).__name__} come without an allocator; pass the output as an argument")

        def make():
            count = prod(shape)
            memory = memoryview(bytearray(max(count, 1) * SIZES[dtype]))
            return memory.cast(_FORMATS[dtype], shape) if count else memory[:0].cast(_FORMATS[dtype])
        return make
