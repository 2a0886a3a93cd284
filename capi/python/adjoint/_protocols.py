"""Arrays of any other library, through a protocol."""
import ctypes
import sys

from ._arrays import HOST_STREAM, Library, View, count_of, host_memory, library_of
from ._generated import Dtype, Status
from ._library import SIZES, Stream, error


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

    A call exports each array once, and keeps the export until it is done. Its arrays may be of other libraries as well."""
    name = "another library"
    foreign = True

    def look(self, a, owners=None, handle=1):
        library = library_of(a)
        if library is None:
            raise TypeError
        if library is not self:
            key, address = library.look(a)
            return library.view(key), address
        if hasattr(a, "__cuda_array_interface__"):
            address, key, owner = self.cuda_interface(a.__cuda_array_interface__)
        else:
            try:
                address, key, owner = self.buffer(memoryview(a))
            except TypeError:
                address, key, owner = self.dlpack(a, handle)
        if owners is not None:
            owners.append(owner)
        return key, address or 0

    def view(self, key):
        return key

    def trouble(self, a):
        self.look(a)

    def place(self, arrays, what):
        """The handle of the stream that the arrays are ready on, None for ordinary memory. what begins an error's sentence."""
        handles, device = set(), False
        for a in arrays:
            if library_of(a) is not self:
                continue
            interface = getattr(a, "__cuda_array_interface__", None)
            if interface is not None:
                device = True
                if interface.get("stream") is not None:  # 1 and 2 are the runtime's names of its default streams
                    handles.add(interface["stream"])
            elif not device and hasattr(a, "__dlpack_device__"):
                device = int(a.__dlpack_device__()[0]) in _DLPACK_CUDA
        if len(handles) > 1:
            raise error(Status.STREAM_MISMATCH, f"{what}: the arrays are on the streams {' and '.join(map(str, sorted(handles)))}; make one wait for the "
                        "other and pass it as stream=")
        return next(iter(handles), 0) if device else None

    def device(self, array):
        if library_of(array) is not self:
            return library_of(array).device(array)
        if hasattr(array, "__cuda_array_interface__"):
            return None
        kind, number = array.__dlpack_device__() if hasattr(array, "__dlpack_device__") else (1, 0)
        return number if int(kind) in _DLPACK_CUDA else -1

    def wrap(self, array, handle):
        return HOST_STREAM if handle is None else Stream.wrap(handle).raw

    def workspace(self, array, size):
        if self.device(array) == -1:
            return host_memory(size)
        raise error(Status.WORKSPACE_TOO_SMALL, f"a workspace of {size} bytes is needed, and arrays of type {type(array).__name__} come without an "
                    "allocator; pass workspace=, an array of that many bytes on the device")

    @staticmethod
    def cuda_interface(interface):
        kind, size = interface["typestr"][1], int(interface["typestr"][2:])
        strides = interface.get("strides")
        strides = strides and [s // size for s in strides]
        pointer, read_only = interface["data"]
        dtype = _LETTERS.get(kind, {}).get(size, interface["typestr"])
        return pointer, View(tuple(interface["shape"]), dtype, None, _row_major(interface["shape"], strides), not read_only), None

    @staticmethod
    def buffer(memory):
        letter = memory.format[-1:]
        known = len(memory.format) == 1 or memory.format[0] in "@=" + ("<" if sys.byteorder == "little" else ">")
        dtype = _LETTERS.get(_FORMATS.get(letter, ""), {}).get(memory.itemsize) if known else None
        view = View(memory.shape, dtype or memory.format, -1, memory.c_contiguous, not memory.readonly)
        return _address(memory) if memory.nbytes else None, view, memory

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
        view = View(shape, dtype, -1 if int(kind) in _DLPACK_HOST else device, _row_major(shape, strides), False)
        return (t.data or 0) + t.byte_offset, view, capsule

    def copy(self, array):
        new = self.zeros_like(array)
        memoryview(new).cast("B")[:] = memoryview(array).cast("B")
        return new

    def maker(self, shape, dtype, array, zero):
        if self.device(array) != -1 or not isinstance(array, (bytes, bytearray, memoryview)) and type(array).__module__ != "array":
            raise error(Status.NULL_BUFFER, f"a new array of shape {list(shape)} and type {dtype.name.lower()} is needed, and arrays of type "
                        f"{type(array).__name__} come without an allocator; pass the output as an argument")
        count = count_of(shape)

        def make():
            memory = memoryview(bytearray(max(count, 1) * SIZES[dtype]))
            return memory.cast(_FORMAT_OF[dtype], shape) if count else memory[:0].cast(_FORMAT_OF[dtype])
        return make
