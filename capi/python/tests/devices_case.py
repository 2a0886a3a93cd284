"""Calls on two devices, with the stand-ins of fake_devices.py; test_devices.py runs this in a process of its own.

Nothing is computed. The tests look at which device and stream were current when memory was allocated, and whether the library launched."""
import ctypes
import os
import sys
import unittest

import fake_devices
import numpy as np

driver = fake_devices.Driver(os.environ["ADJOINT_LIBCUDA"])
machine = fake_devices.Machine(driver)
torch, cupy = fake_devices.torch(machine), fake_devices.cupy(machine)
import adjoint  # noqa: E402
from adjoint import _call, _operators  # noqa: E402

SIDE = {device: driver.new_stream(device) for device in (0, 1)}


class _Torch:
    @staticmethod
    def array(device, shape=(4, 8), dtype="float32"):
        return torch.Tensor(shape, getattr(torch, dtype), device)


class _Cupy:
    @staticmethod
    def array(device, shape=(4, 8), dtype="float32"):
        with cupy.cuda.Device(device):
            return cupy.ndarray(shape, dtype)


def launches():
    return driver.calls("cuLaunchKernelEx")


class Cases:
    """Every test runs with the arrays of both libraries."""

    def setUp(self):
        machine.capturing = False
        adjoint.forget_plans()
        machine.log.clear()

    def allocated(self, what="output"):
        found = [entry[1:] for entry in machine.log if entry[0] == what]
        machine.log.clear()
        return found

    def one_launch(self, call):
        before = launches(), machine.device, machine.stream
        machine.log.clear()
        result = call()
        self.assertGreater(launches(), before[0])
        self.assertEqual((machine.device, machine.stream), before[1:])
        return result

    def test_arrays_of_a_device_that_is_not_current(self):
        for device in (0, 1, 1, 0):
            d, y = self.array(device), self.array(device)
            self.one_launch(lambda: adjoint.softmax_backward(d, y))
            self.assertEqual(self.allocated(), [(device, 0, False)])
            self.assertIn("/sm", adjoint.softmax_backward.sku(d, y).id)

    def test_stream(self):
        for device in (0, 1):
            d, y = self.array(device), self.array(device)
            for stream in (SIDE[device], adjoint.Stream.wrap(SIDE[device])):
                self.one_launch(lambda: adjoint.softmax_backward(d, y, stream=stream))
                self.assertEqual(self.allocated(), [(device, SIDE[device], False)])
            with fake_devices._On(machine, device, SIDE[device]):  # the library's current stream
                self.one_launch(lambda: adjoint.softmax_backward(d, y))
            self.assertEqual(self.allocated(), [(device, SIDE[device], False)])
            with fake_devices._On(machine, device, SIDE[device]):
                self.one_launch(lambda: adjoint.softmax_backward(d, y, stream=0))
            self.assertEqual(self.allocated(), [(device, 0, False)])

    def scratch(self, device=1):
        dout, indices = self.array(device, (20000, 8)), self.array(device, (20000,), "int64")
        self.assertGreater(adjoint.embedding_backward.select(dout, indices, 50).workspace_size, 0)
        return lambda **options: adjoint.embedding_backward(dout, indices, 50, **options), (dout, indices)

    def test_scratch_belongs_to_the_stream(self):
        for device in (0, 1):
            call, _ = self.scratch(device)
            self.one_launch(lambda: call(stream=SIDE[device]))
            self.assertEqual(self.allocated("scratch"), [(device, SIDE[device], False)])
            self.one_launch(lambda: call(stream=SIDE[device]))
            self.assertEqual(self.allocated("scratch"), [])
            self.one_launch(call)
            self.assertEqual(self.allocated("scratch"), [(device, 0, False)])

    def test_scratch_of_a_graph_belongs_to_the_graph(self):
        call, _ = self.scratch()
        machine.capturing = True
        self.one_launch(call)  # the first call of a problem, captured
        self.assertEqual(self.allocated("scratch"), [(1, 0, True)])
        self.one_launch(call)
        self.assertEqual(self.allocated("scratch"), [(1, 0, True)])
        machine.capturing = False
        self.one_launch(call)
        self.assertEqual(self.allocated("scratch"), [(1, 0, False)])

    def test_scratch_of_a_plan(self):
        _, (dout, indices) = self.scratch()
        out = self.array(1, (50, 8))
        plan = adjoint.embedding_backward.select(dout, indices, 50, stream=SIDE[1])
        self.one_launch(lambda: plan.run(dout=dout, indices=indices, dweight=out))
        self.assertEqual(self.allocated("scratch"), [(1, SIDE[1], False)])
        bound = plan.bind(dout=dout, indices=indices, dweight=out)
        self.assertEqual(self.allocated("scratch"), [(1, SIDE[1], False)])
        self.one_launch(bound)

    def test_bound(self):
        d, y = self.array(1), self.array(1)
        machine.log.clear()
        bound = adjoint.softmax_backward.bind(d, y)
        self.assertEqual(self.allocated(), [(1, 0, False)])
        self.one_launch(bound)
        call, _ = self.scratch()
        machine.log.clear()
        bound = adjoint.embedding_backward.bind(*_, 50, stream=SIDE[1])
        self.assertEqual(self.allocated("scratch"), [(1, SIDE[1], False)])
        self.one_launch(bound)

    def test_places_that_do_not_fit(self):
        d, y = self.array(1), self.array(1)
        before = launches()
        for stream, sentence in ((adjoint.Stream.wrap(SIDE[0]), "dout is on device 1 and the stream is one of device 0; give a stream of the array's device, or none"),
                                 (adjoint.Stream.host(), "dout is on device 1 and the stream is the host")):
            for _ in range(2):
                with self.assertRaisesRegex(adjoint.InvalidError, sentence):
                    adjoint.softmax_backward(d, y, stream=stream)
        with self.assertRaisesRegex(adjoint.InvalidError, "dout is on device 1 and out is on device 0; move them to one place"):
            adjoint.softmax_backward(d, self.array(0))
        h = np.ones((4, 8), np.float32)
        with self.assertRaisesRegex(adjoint.InvalidError, "dout is in ordinary memory and the stream is one of device 0"):
            adjoint.softmax_backward(h, h, stream=adjoint.Stream.wrap(SIDE[0]))
        plan = adjoint.softmax_backward.select(d, y)
        with self.assertRaisesRegex(adjoint.InvalidError, "dout is in ordinary memory and the stream is one of device 1"):
            plan.run(dout=h, out=h, dinput=h)
        self.assertEqual(launches(), before)

    def test_scalars_on_a_device(self):
        x, ratio = np.ones(40, np.float32), self.array(1, (1,))
        for _ in range(2):
            with self.assertRaisesRegex(adjoint.InvalidError, "dropout_forward: ratio is on device 1 and the stream is the host"):
                adjoint.ops.dropout_forward(input=x, ratio=ratio, random=(1, 0))
            with self.assertRaisesRegex(adjoint.InvalidError, "dropout_forward: random is on device 1 and the stream is the host"):
                adjoint.ops.dropout_forward(input=x, ratio=0.5, random=self.array(1, (2,), "int64"))
            with self.assertRaisesRegex(adjoint.InvalidError, "dropout_forward: ratio is on device 0 and the stream is one of device 1"):
                adjoint.ops.dropout_forward(input=self.array(1, (40,)), ratio=self.array(0, (1,)), random=(1, 0))
        self.one_launch(lambda: adjoint.ops.dropout_forward(input=self.array(1, (40,)), ratio=ratio, random=(1, 0)))

    def test_random_states_in_ordinary_memory_are_passed_by_value(self):
        x, state = self.array(1, (40,)), np.array([7, 2 ** 63 + 4], np.uint64)
        argument = next(a for a in adjoint.arguments("dropout_forward") if a.name == "random")
        stream = adjoint.ops.dropout_forward.select(input=x, ratio=0.5, random=state).stream
        operator = _operators.operator_of("dropout_forward")
        self.assertEqual(_call.scalar_words(operator, argument, state, stream, False, []), (7, 2 ** 63 + 4, 0))
        self.one_launch(lambda: adjoint.ops.dropout_forward(input=x, ratio=0.5, random=state))
        with self.assertRaisesRegex(adjoint.InvalidError, "random is in ordinary memory and is advanced on a device"):
            adjoint.ops.dropout_forward(input=x, ratio=0.5, random=state, advance_offset=1)

    def test_a_workspace_of_the_caller(self):
        call, _ = self.scratch()
        size = adjoint.embedding_backward.select(*_, 50).workspace_size
        self.one_launch(lambda: call(workspace=self.array(1, (size + 256,), "uint8")))
        with self.assertRaisesRegex(adjoint.InvalidError, "workspace"):
            call(workspace=self.array(1, (size - 1,), "uint8"))
        for wrong in (np.zeros(size + 256, np.uint8), self.array(0, (size + 256,), "uint8")):
            with self.assertRaisesRegex(adjoint.InvalidError, "workspace is (in ordinary memory|on device 0) and the stream is one of device 1"):
                call(workspace=wrong)

    def test_threads_have_scratch_of_their_own(self):
        import threading
        call, _ = self.scratch()
        call()
        machine.log.clear()
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        self.assertEqual(len(self.allocated("scratch")), 1)

    def test_a_thread_without_a_context(self):
        """The first thing that a new thread does may be a call on a default stream."""
        import threading
        d, y, out = self.array(0), self.array(0), self.array(0)
        plan = adjoint.softmax_backward.select(d, y)
        bound = adjoint.softmax_backward.bind(d, y, dinput=out)
        for call in (lambda: adjoint.softmax_backward(d, y), lambda: plan.run(dout=d, out=y, dinput=out), bound):
            raised = []

            def run():
                try:
                    self.assertFalse(driver.has_context())
                    call()
                except BaseException as problem:
                    raised.append(problem)
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
            self.assertEqual(raised, [])


class TorchCases(Cases, _Torch, unittest.TestCase):
    def test_versions(self):
        d, y, out = self.array(1), self.array(1), self.array(1)
        for call in (lambda: adjoint.softmax_backward(d, y, dinput=out), adjoint.softmax_backward.bind(d, y, dinput=out)):
            machine.log.clear()
            call()
            self.assertEqual([e for e in machine.log if e[0] == "written"], [("written", 1)])


class CupyCases(Cases, _Cupy, unittest.TestCase):
    pass


class Interface:
    """An array that says that it is on a device."""

    def __init__(self, array, **more):
        self.array = array
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": "<f4", "data": (array.data.ptr, False), "version": 3, **more}


class Capsule:
    """A device array that speaks DLPack only."""

    def __init__(self, device):
        self.array, self.streams = _Cupy.array(device), []

    def __dlpack_device__(self):
        return 2, self.array.data.device_id

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        from adjoint._arrays import _DLTensor
        shape = (ctypes.c_int64 * 2)(*self.array.shape)
        tensor = _DLTensor(self.array.data.ptr, 2, self.array.data.device_id, 2, 2, 32, 1, shape, None, 0)
        self.kept = shape, tensor
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return make(ctypes.addressof(tensor), b"dltensor", None)


class Protocols(unittest.TestCase):
    def test_the_stream_of_an_interface(self):
        a, b, c = (_Cupy.array(0) for _ in range(3))
        before = launches()
        adjoint.softmax_backward(Interface(a), Interface(b, stream=SIDE[0]), dinput=Interface(c))
        self.assertGreater(launches(), before)
        with self.assertRaisesRegex(adjoint.InvalidError, "softmax_backward: the arrays are on the streams"):
            adjoint.softmax_backward(Interface(a, stream=1), Interface(b, stream=SIDE[0]), dinput=Interface(c))
        adjoint.softmax_backward(Interface(a, stream=1), Interface(b, stream=SIDE[0]), dinput=Interface(c), stream=SIDE[0])

    def test_the_stream_of_an_export(self):
        a, b, c = Capsule(0), Capsule(0), _Cupy.array(0)
        adjoint.softmax_backward(a, b, dinput=Interface(c))
        adjoint.softmax_backward(a, b, dinput=Interface(c), stream=SIDE[0])
        self.assertEqual(a.streams, [1, SIDE[0]])  # once for each call, with the stream of the call
        with self.assertRaisesRegex(adjoint.InvalidError, "dout is on device 1 and dinput is on device 0; move them to one place"):
            adjoint.softmax_backward(Capsule(1), Capsule(1), dinput=Interface(c), stream=SIDE[0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
