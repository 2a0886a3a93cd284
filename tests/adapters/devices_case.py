"""TVM-FFI on two devices of the driver of tests/faults: its stream, its workspace, its errors. Nothing is computed."""
import ctypes
import os
import pathlib
import sys
import unittest

import numpy as np
import tvm_ffi

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "capi/python/tests"))
import dlpack  # noqa: E402
from adjoint.tvm_ffi import call  # noqa: E402
from fake_devices import Driver  # noqa: E402

driver = Driver(os.environ["ADJOINT_LIBCUDA"])
STREAMS = [driver.new_stream(0), driver.new_stream(1)]
driver.push(0)
OUT_OF_MEMORY = 2


def entry(name, field):
    address = driver.function("fake_entry", ctypes.c_void_p, ctypes.c_char_p)(name.encode())
    return ctypes.c_int.from_address(address + {"calls": 8, "countdown": 12, "code": 16}[field])


def on(device, array):
    return tvm_ffi.from_dlpack(dlpack.Array(array, device=(dlpack.CUDA, device)))


class Devices(unittest.TestCase):
    def setUp(self):
        self.arrays = dict(dout=np.ones((20000, 8), np.float32), indices=np.arange(20000) % 50, dweight=np.full((50, 8), 7, np.float32))

    def backward(self, device=0, stream=0, **changes):
        named = {**{n: on(device, a) for n, a in self.arrays.items()}, **changes}
        with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", device), STREAMS[stream]):
            call("embedding_backward", num_embeddings=50, embedding_dim=8, num_indices=20000, element="f32", index="i64", **named)

    def test_workspace_is_taken_and_freed_in_stream_order(self):
        for device in (0, 1, 0):
            before = [entry(n, "calls").value for n in ("cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuMemAlloc", "cuLaunchKernelEx")]
            self.backward(device, device)
            allocated, freed, others, launches = (entry(n, "calls").value - b for n, b in zip(
                ("cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuMemAlloc", "cuLaunchKernelEx"), before))
            self.assertEqual((allocated, freed, others), (1, 1, 0))
            self.assertGreater(launches, 0)
        self.assertEqual(entry("cuMemPoolCreate", "calls").value, 2)  # one for each device

    def test_no_memory(self):
        self.backward()
        freed = entry("cuMemFreeAsync", "calls").value
        entry("cuMemAllocFromPoolAsync", "code").value, entry("cuMemAllocFromPoolAsync", "countdown").value = OUT_OF_MEMORY, 1
        with self.assertRaisesRegex(MemoryError, "cuMemAllocFromPoolAsync of a workspace failed with CUresult 2"):
            self.backward()
        self.assertEqual(entry("cuMemFreeAsync", "calls").value, freed)

    def test_workspace_is_freed_when_the_run_fails(self):
        before = [entry(n, "calls").value for n in ("cuMemAllocFromPoolAsync", "cuMemFreeAsync")]
        entry("cuLaunchKernelEx", "code").value, entry("cuLaunchKernelEx", "countdown").value = 1, 1
        with self.assertRaisesRegex(RuntimeError, "the launch of .* failed with"):
            self.backward()
        self.assertEqual([entry(n, "calls").value - b for n, b in zip(("cuMemAllocFromPoolAsync", "cuMemFreeAsync"), before)], [1, 1])

    def test_stream_of_another_device(self):
        with self.assertRaisesRegex(ValueError, "embedding_backward: dout lies on CUDA device 1, and the environment's stream belongs to device 0"):
            self.backward(1, 0)

    def test_arrays_of_two_devices(self):
        with self.assertRaisesRegex(ValueError, "embedding_backward: indices and dout lie on different devices"):
            self.backward(indices=on(1, self.arrays["indices"]))

    def test_host_arguments(self):
        x, words = np.ones(64, np.float32), np.zeros(1, np.int64)
        fields = dict(numel=64, element="f32", mask_mode="none", ratio=0.5, random=[1, 0], input=on(0, x), out=on(0, np.empty_like(x)))
        with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 0), STREAMS[0]):
            call("dropout_forward", words=tvm_ffi.from_dlpack(dlpack.of(words)), **fields)
            self.assertGreater(words[0], 0)
            with self.assertRaisesRegex(ValueError, "dropout_forward: words must lie in ordinary memory"):
                call("dropout_forward", words=on(0, words), **fields)


if __name__ == "__main__":
    unittest.main()
