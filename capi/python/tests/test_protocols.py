"""Arrays of no known library: the buffer protocol, DLPack, and __cuda_array_interface__."""
import array
import ctypes
import gc
import sys
import types
import unittest
import unittest.mock

import numpy as np

import adjoint
from adjoint import _arrays
from adjoint._generated import Dtype


class Exporter:
    """An array that speaks DLPack only."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Copying:
    """An exporter whose every export is a new copy, which is overwritten when the export is released."""

    def __init__(self, values):
        self.values, self.alive, self.most = values, 0, 0

    def __dlpack__(self, stream=None):
        copy = self.values.copy()
        shape = (ctypes.c_int64 * copy.ndim)(*copy.shape)
        tensor = _arrays._DLTensor(copy.ctypes.data, 1, 0, copy.ndim, 2, 32, 1, shape, None, 0)
        self.alive += 1
        self.most = max(self.most, self.alive)

        @ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
        def release(capsule):
            tensor, shape  # live as long
            copy.fill(np.nan)
            self.alive -= 1
        KEPT.append(release)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return make(ctypes.addressof(tensor), b"dltensor", ctypes.cast(release, ctypes.c_void_p))

    def __dlpack_device__(self):
        return 1, 0


KEPT = []


class Device:
    """An array that says it is on a device."""

    def __init__(self, **interface):
        self.__cuda_array_interface__ = {"shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 3, **interface}


def view(array):
    return _arrays.library_of(array).look(array)[0]


class Protocols(unittest.TestCase):
    def test_buffers(self):
        values = np.arange(6, dtype=np.float32)
        flat = adjoint.softmax(array.array("f", values))
        self.assertIsInstance(flat, memoryview)
        np.testing.assert_allclose(np.asarray(flat), adjoint.softmax(values))
        memory = memoryview(array.array("f", values)).cast("B").cast("f", (2, 3))
        square = adjoint.softmax(memory)
        self.assertEqual(square.shape, (2, 3))
        np.testing.assert_allclose(np.asarray(square), adjoint.softmax(values.reshape(2, 3)))
        result = adjoint.softmax_backward(memory, square)
        np.testing.assert_allclose(np.asarray(result), adjoint.softmax_backward(values.reshape(2, 3), np.asarray(square)))
        self.assertIsInstance(float(adjoint.reduce(array.array("d", [1, 2, 3]))[()]), float)

    def test_read_only_buffers(self):
        frozen = memoryview(bytes(24)).cast("f", (2, 3))
        np.testing.assert_allclose(np.asarray(adjoint.softmax(frozen)), np.full((2, 3), 1 / 3), rtol=1e-6)
        with self.assertRaisesRegex(adjoint.InvalidError, "out is an output and its array is read-only"):
            adjoint.softmax(frozen, out=frozen)

    def test_dlpack(self):
        values = np.arange(6, dtype=np.float32).reshape(2, 3)
        out = np.empty_like(values)
        adjoint.softmax(Exporter(values), out=out)
        np.testing.assert_array_equal(out, adjoint.softmax(values))
        with self.assertRaisesRegex(adjoint.InvalidError, "come without an allocator; pass the output as an argument"):
            adjoint.softmax(Exporter(values))
        with self.assertRaisesRegex(adjoint.InvalidError, "input of shape .3, 2. is not contiguous"):
            adjoint.softmax(Exporter(values.T), out=out)
        for kind in "float16 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split():
            short = kind.replace("uint", "U").replace("int", "I").replace("float", "F")
            self.assertEqual(view(Exporter(np.zeros(3, kind))).dtype, adjoint.Dtype[short])

    def test_exports_live_as_long_as_the_call(self):
        values = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
        source, out = Copying(values), np.empty_like(values)
        for _ in range(2):
            adjoint.softmax(source, out=out)
            np.testing.assert_array_equal(out, adjoint.softmax(values))
            gc.collect()
            self.assertEqual((source.alive, source.most), (0, 1))  # one export for a call
        plan = adjoint.softmax.select(source, out=out)
        out[:] = 0
        plan.run(input=source, out=out)
        np.testing.assert_array_equal(out, adjoint.softmax(values))
        ratio, x = Copying(np.array([0.5], np.float32)), np.ones(40, np.float32)
        expected = adjoint.ops.dropout_forward(input=x, ratio=0.5, random=(1, 0))
        np.testing.assert_array_equal(adjoint.ops.dropout_forward(input=x, ratio=ratio, random=(1, 0)).out, expected.out)
        norms = [Copying(values), Copying(2 * values)]
        np.testing.assert_allclose(adjoint.l2_norm(norms, output=np.empty((), np.float32)), adjoint.l2_norm([values, 2 * values]))

    def test_exports_live_as_long_as_a_bound_call(self):
        values = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
        source, out = Copying(values), np.empty_like(values)
        for bound in (adjoint.softmax.bind(source, out=out), adjoint.softmax.select(source, out=out).bind(input=source, out=out)):
            gc.collect()
            self.assertGreater(source.alive, 0)
            for _ in range(2):
                out[:] = 0
                bound()
                np.testing.assert_array_equal(out, adjoint.softmax(values))
        del bound
        gc.collect()
        self.assertEqual(source.alive, 0)

    def test_a_buffer_is_not_moved_during_a_call(self):
        memory = array.array("f", range(6))
        bound = adjoint.softmax.bind(memory)
        with self.assertRaises(BufferError):
            memory.append(1)
        np.testing.assert_array_equal(np.asarray(bound()), adjoint.softmax(np.arange(6, dtype=np.float32)))
        del bound
        gc.collect()
        memory.append(1)

    def test_cuda_array_interface(self):
        self.assertEqual(_arrays.library_of(Device()).look(Device()), (((2, 3), Dtype.F32, None, True, True), 4096))
        self.assertFalse(view(Device(strides=(4, 8))).contiguous)
        self.assertFalse(view(Device(strides=(16, 4))).contiguous)  # rows with room behind them
        self.assertTrue(view(Device(strides=(12, 4))).contiguous)
        self.assertFalse(view(Device(data=(4096, True))).writable)
        self.assertEqual(_arrays.library_of(Device()).place([Device(), Device(stream=7)], "f"), 7)
        if not adjoint.devices():
            with self.assertRaises(adjoint.Error):
                adjoint.softmax(Device())
        with self.assertRaisesRegex(adjoint.Error, "workspace=, an array of that many bytes"):
            _arrays.library_of(Device()).workspace(Device(), 512)

    def test_several_devices(self):
        self.assertRaisesRegex(adjoint.InvalidError, "move them to one place", adjoint.softmax_backward.explain, Exporter(np.zeros((2, 3), np.float32)),
                               Device(), stream=adjoint.Stream.host())

    def test_old_torch(self):
        with unittest.mock.patch.dict(sys.modules, torch=types.SimpleNamespace(__version__="2.5.1+cpu")):
            self.assertRaisesRegex(ImportError, "needs PyTorch 2.6 or newer for tensors, found 2.5.1", _arrays.Torch)

    def test_workspace(self):
        indices, dout = np.zeros(5000, np.int64), np.ones((5000, 2), np.float32)
        plan = adjoint.embedding_backward.select(dout, indices, 3)
        given = np.zeros(plan.workspace_size + 256, np.uint8)
        result = adjoint.embedding_backward(dout, indices, 3, workspace=given)
        np.testing.assert_array_equal(result, [[5000, 5000], [0, 0], [0, 0]])
        if plan.workspace_size:
            with self.assertRaisesRegex(adjoint.InvalidError, "workspace"):
                adjoint.embedding_backward(dout, indices, 3, workspace=given[:1])
