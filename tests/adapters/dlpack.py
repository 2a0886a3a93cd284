"""Arrays with a DLPack capsule of any element type, strides and device. The memory is ordinary."""
import ctypes

import numpy as np


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("id", ctypes.c_int32)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter)]


CPU, CUDA, METAL = 1, 2, 8
CODES = {"i": 0, "u": 1, "f": 2, "b": 6, "bfloat16": 4, "float8_e4m3fn": 10, "float8_e5m2": 12}  # by name, or by numpy's kind of type
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


_exported = {}  # by the address of the structure, until its deleter is called
_delete = Deleter(lambda address: _exported.pop(address, None) and None)


class Array:
    """A view of a numpy array."""

    def __init__(self, array, code=None, device=(CPU, 0), shape=None, strides=None, byte_offset=0):
        self.array, self.device = array, device
        if code is None:
            code = CODES.get(array.dtype.name) or CODES[array.dtype.kind]
        shape = array.shape if shape is None else shape
        strides = [s // array.itemsize for s in array.strides] if strides is None else strides
        n = len(shape)
        shapes, steps = (ctypes.c_int64 * n)(*shape), (ctypes.c_int64 * n)(*strides)
        tensor = Tensor(array.ctypes.data - byte_offset, Device(*device), n, code, 8 * array.itemsize, 1, ctypes.addressof(shapes), ctypes.addressof(steps),
                        byte_offset)
        self.managed, self.parts = Managed(tensor, None, _delete), (shapes, steps)

    def __dlpack__(self, **options):
        address = ctypes.addressof(self.managed)
        _exported[address] = self
        return _capsule(address, b"dltensor", None)

    def __dlpack_device__(self):
        return self.device


def of(array):
    return Array(np.ascontiguousarray(array) if array.ndim else array)
