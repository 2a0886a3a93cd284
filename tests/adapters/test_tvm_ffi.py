"""Every operator through TVM-FFI: the harness's cases with equal bits, wrong input, threads, devices."""
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import tvm_ffi

import cases
import dlpack
from adjoint import _generated, _library
from adjoint._library import Preference
from adjoint.tvm_ffi import call, function

try:
    import torch
except ImportError:
    torch = None


def tensor(array):
    return tvm_ffi.from_dlpack(dlpack.of(array))


class Cases(unittest.TestCase):
    def test_equal_bits(self):
        for case in cases.each("tvm-ffi"):
            arrays, passed = {}, dict(case.fields)
            for name, value in case.given.items():
                if isinstance(value, list):
                    arrays[name] = [np.ascontiguousarray(a) for a in value]
                    passed[name] = [tensor(a) for a in arrays[name]]
                elif isinstance(value, np.ndarray):
                    arrays[name] = value
                    passed[name] = tensor(value)
                else:
                    passed[name] = value
            for name, other in case.same.items():
                passed[name] = passed[other]
            call(case.operator, **passed)
            for name, wanted in case.wanted.items():
                held = arrays[name] if isinstance(arrays[name], list) else [arrays[name]]
                self.assertEqual([a.tobytes() for a in held], wanted, f"{case.operator}, {name}, {case.fields}")


class Input(unittest.TestCase):
    def setUp(self):
        self.dout, self.out = (np.full((4, 10), v, np.float32) for v in (1, 0.1))
        self.dinput = np.full((4, 10), 7, np.float32)
        self.named = dict(outer=4, extent=10, element="f32", dout=tensor(self.dout), out=tensor(self.out), dinput=tensor(self.dinput))

    def refused(self, sentence, kind=ValueError, operator="softmax_backward", **changes):
        with self.assertRaises(kind) as raised:
            call(operator, **{**self.named, **changes})
        self.assertEqual(str(raised.exception), sentence)
        self.assertTrue((self.dinput == 7).all(), "the output was written")

    def test_passes(self):
        call("softmax_backward", **self.named)
        self.assertTrue(np.allclose(self.dinput, 0, atol=1e-6))

    def test_passes_enumerations_shapes_and_types(self):
        x, out = np.array([-1, 2], np.float32), np.empty(2, np.float32)
        call("activation_forward", inner=2, function="relu", element=tvm_ffi.dtype("float32"), input=tensor(x), out=tensor(out))
        self.assertEqual(out.tolist(), [0, 2])
        call("rms_norm_forward", shape=tvm_ffi.Shape([1, 2]), axis=-1, element="f32", epsilon=1, input=tensor(x[None]), out=tensor(out[None]), gamma=None)
        self.assertTrue(np.allclose(out, x / np.sqrt(3.5)))

    def test_fields_that_follow(self):
        """Extents, element types, flags and the lengths of lists, as the arrays have them."""
        x, gamma, out, again = (np.arange(n, dtype=np.float32).reshape(s) for n, s in ((24, (3, 8)), (8, 8), (24, (3, 8)), (24, (3, 8))))
        call("rms_norm_forward", shape=[3, 8], element="f32", weight="f32", input=tensor(x), gamma=tensor(gamma), out=tensor(out))
        call("rms_norm_forward", input=tensor(x), gamma=tensor(gamma), out=tensor(again))
        self.assertEqual(out.tobytes(), again.tobytes())
        norm, entries = np.zeros(1, np.float32), [np.ones(3, np.float32), np.ones((2, 3), np.float32)]
        call("l2_norm", inputs=[tensor(e) for e in entries], output=tensor(norm))
        self.assertEqual(norm[0], 3)

    def test_preference(self):
        x, out = np.ones((4, 10), np.float32), np.empty((4, 10), np.float32)
        named = dict(outer=4, input=tensor(x), out=tensor(out))
        call("softmax_forward", determinism="shape_only", math="ieee", jit="cached_only", backend="host", workspace_limit=0, sku="softmax_forward/*",
             fallback=True, workspace_arch=90, tune=True, **named)
        self.assertTrue(np.allclose(out, 0.1))
        out[:] = 7
        for changes in (dict(sku="none/*"), dict(backend="bespoke"), dict(determinism=99)):
            with self.assertRaises((RuntimeError, ValueError)) as raised:
                call("softmax_forward", **named, **changes)
            self.assertIn("softmax_forward" if "determinism" not in changes else "determinism", str(raised.exception))
            self.assertTrue((out == 7).all())

    def test_names_of_preferences(self):
        """The adapter's names of the preference's values are those of the headers."""
        for field, kind in dict(determinism=_generated.Determinism, math=_generated.Math, jit=_generated.JitPolicy, backend=_generated.Backend).items():
            with self.assertRaises(ValueError) as raised:
                call("softmax_forward", **{field: "?"})
            names = str(raised.exception).partition("one of ")[2].split(",")
            self.assertEqual({name: i for i, name in enumerate(names)}, {member.name.lower(): int(member) for member in kind})

    def test_what_changes_between_calls(self):
        """A call like an earlier one depends on its own arrays, numbers and fields, and is refused for what a first call is refused for."""
        x = np.arange(24, dtype=np.float32).reshape(4, 6)
        for _ in range(3):
            for array, rows in ((x, 4), (x[:2], 2), (x.reshape(6, 4), 6), (x.astype(np.float64), 4), (x + 1, 4)):
                out = np.empty_like(array)
                call("softmax_forward", outer=rows, input=tensor(array), out=tensor(out))
                expected = np.exp(array - array.max(1, keepdims=True))
                np.testing.assert_allclose(out, expected / expected.sum(1, keepdims=True), rtol=1e-5)
            with self.assertRaisesRegex(ValueError, "extent"):
                call("softmax_forward", outer=4, extent=5, input=tensor(x), out=tensor(np.empty_like(x)))
            with self.assertRaises(ValueError):
                call("softmax_forward", outer=4, input=tensor(x), out=tensor(np.empty((2, 6), np.float32)))
            with self.assertRaises(ValueError):
                call("softmax_forward", outer=4, input=tensor(x))
            kept = []
            for ratio in (0.25, 0.75, 0.25):
                out = np.empty(64, np.float32)
                call("dropout_forward", numel=64, element="f32", mask_mode="none", ratio=ratio, random=[7, 0], input=tensor(np.ones(64, np.float32)), out=tensor(out))
                kept.append(out.tobytes())
            self.assertEqual(kept[0], kept[2])
            self.assertNotEqual(kept[0], kept[1])
            with self.assertRaisesRegex(ValueError, "ratio"):
                call("dropout_forward", numel=64, element="f32", mask_mode="none", random=[7, 0], input=tensor(np.ones(64, np.float32)), out=tensor(out))

    def test_numbers_beyond_64_bits_signed(self):
        x = np.ones(64, np.float32)
        masks = []
        for seed in (2 ** 63 + 5, 2 ** 63 - 2 ** 64 + 5, 5):
            out = np.empty_like(x)
            call("dropout_forward", numel=64, element="f32", mask_mode="none", ratio=0.5, random=[seed, 0], input=tensor(x), out=tensor(out))
            masks.append(out.tobytes())
        self.assertEqual(masks[0], masks[1])
        self.assertNotEqual(masks[0], masks[2])

    def test_operator(self):
        self.refused(_sentence_of_operator("softmax_backwards"), operator="softmax_backwards")

    def test_names(self):
        preference = ", ".join(Preference._fields)
        self.refused(f"softmax_backward has no argument, field or preference extend. They are dout, out, dinput, outer, extent, inner, element, {preference}.",
                     extend=3)
        with self.assertRaisesRegex(ValueError, "a call takes the name of an operator, and then names and values by turns"):
            function("softmax_backward", "outer")
        with self.assertRaisesRegex(ValueError, "softmax_backward: argument 1 of the call is not a name"):
            function("softmax_backward", 4, 4)
        with self.assertRaisesRegex(ValueError, "softmax_backward: outer is given twice"):
            function("softmax_backward", "outer", 4, "outer", 4)

    def test_fields(self):
        self.refused("softmax_backward: extent is not an integer", extent=1.5)
        self.refused('softmax_backward: element = "f33" is not an element type, such as f32', element="f33")
        self.refused("softmax_backward: extent is neither an array, a number, a text nor a list of these", extent={})
        self.refused("softmax_backward: extent is a field, and got an array", extent=tensor(self.dout))
        self.refused("softmax_backward: dout is not an array", dout=3)
        self.refused("softmax_backward: outer is not an integer", outer=[1, 2])
        self.refused("softmax_backward: outer has an entry that is not a number", outer=[1, "2"])
        with self.assertRaisesRegex(ValueError, "function = \"rely\" is not one of none,relu,leaky_relu"):
            call("activation_forward", function="rely")
        with self.assertRaisesRegex(ValueError, "function = 4294967296 does not fit in 32 bits"):
            call("activation_forward", function=2 ** 32)
        with self.assertRaisesRegex(ValueError, "shape has 9 numbers, at most 8 are possible"):
            call("layer_norm_forward", shape=[1] * 9)

    def test_types(self):
        self.refused("softmax_backward: element is f32 as given and f64 by dout", dout=tensor(self.dout.astype(np.float64)))
        self.refused("softmax_backward: dout has an element type that the library has not", dout=tvm_ffi.from_dlpack(dlpack.Array(self.dout, code=5)))

    def test_shapes(self):
        self.refused("softmax_backward: dout has shape [10, 4], expected [4, 10, 1]", dout=tensor(self.dout.reshape(10, 4)))
        self.refused("softmax_backward: outer is 4 as given and 2 by dout's shape [2, 10, 2]", dout=tensor(np.ones((2, 10, 2), np.float32)), inner=2)
        self.refused("softmax_backward: extent cannot be known from dout's shape [4, 10]: it must be given", extent=None, outer=None)
        self.refused("softmax_backward: inner = 1 is not what the arrays say, which is 2 (>= 0)", outer=2, inner=1,
                     **{n: tensor(getattr(self, n).reshape(2, 10, 2)) for n in ("dout", "out", "dinput")})
        x = tensor(self.dout)
        with self.assertRaisesRegex(ValueError, r"rms_norm_forward: shape = \[\] is not what the arrays say, which is \[4, 10\]"):
            call("rms_norm_forward", shape=[], input=x, out=x)
        self.refused("softmax_backward: dout has rank 9, at most 8 is possible", dout=tensor(self.dout.reshape(4, 10, *[1] * 7)))

    def test_missing(self):
        del self.named["out"]
        self.refused("softmax_backward: out is required and null")

    def test_not_contiguous(self):
        wide = np.ones((4, 20), np.float32)
        sentence = "softmax_backward: dout is not row-major and contiguous; give a contiguous copy"
        self.refused(sentence, dout=tvm_ffi.from_dlpack(dlpack.Array(wide[:, ::2])))
        self.refused(sentence, dout=tvm_ffi.from_dlpack(dlpack.Array(wide, shape=(4, 10), strides=(0, 0))))  # one element, seen 40 times
        self.refused(sentence.replace("dout", "dinput"), dinput=tvm_ffi.from_dlpack(dlpack.Array(self.dinput, shape=(4, 10), strides=(1, 4))))

    def test_offset(self):
        whole = np.ones((5, 10), np.float32)
        self.named["dout"] = tvm_ffi.from_dlpack(dlpack.Array(whole[1:], byte_offset=40))
        whole[0] = np.nan
        call("softmax_backward", **self.named)
        self.assertTrue(np.isfinite(self.dinput).all())

    def test_devices(self):
        self.refused("softmax_backward: out and dout lie on different devices", out=tvm_ffi.from_dlpack(dlpack.Array(self.out, device=(dlpack.CUDA, 0))))
        self.refused("softmax_backward: dout lies neither in ordinary memory nor on a CUDA device",
                     dout=tvm_ffi.from_dlpack(dlpack.Array(self.dout, device=(dlpack.METAL, 0))))

    def test_lists(self):
        entries = [np.ones(3, np.float32), np.ones(5, np.float32)]
        norms = np.zeros(2, np.float32)

        def l2(inputs, numel=(3, 5)):
            call("l2_norm", numel=list(numel), element="f32", inputs=[tensor(e) for e in inputs], norms=tensor(norms))
        with self.assertRaisesRegex(ValueError, r"l2_norm: inputs\[1\] has 5 elements, the descriptor says 4"):
            l2(entries, (3, 4))
        with self.assertRaisesRegex(ValueError, "l2_norm: inputs has arrays of more than one element type"):
            l2([entries[0], entries[1].astype(np.float64)])
        with self.assertRaisesRegex(ValueError, "l2_norm: inputs has an entry that is not an array"):
            call("l2_norm", numel=[3], element="f32", inputs=[3.0])
        with self.assertRaisesRegex(ValueError, "softmax_backward: dout"):
            call("softmax_backward", **{**self.named, "dout": [self.named["dout"]] * 2})


def _sentence_of_operator(name):
    import ctypes
    _library.lib.adj_op_find(name.encode(), ctypes.byref(ctypes.c_int32()))
    return _library.text(_library.lib.adj_last_error())


class Threads(unittest.TestCase):
    def test_two(self):
        def work(seed, failed):
            rng = np.random.default_rng(seed)
            for i in range(200):
                rows = int(rng.integers(1, 9))
                x = rng.standard_normal((rows, 33)).astype(np.float32)
                out, grad, weight = np.empty_like(x), np.empty((7, 33), np.float32), np.zeros((7, 33), np.float32)
                call("softmax_forward", outer=rows, extent=33, element="f32", input=tensor(x), out=tensor(out))
                exact = np.exp(x - x.max(-1, keepdims=True))
                failed.extend([i] * (not np.allclose(out, exact / exact.sum(-1, keepdims=True), atol=1e-6)))
                indices = rng.integers(0, 7, rows)
                call("embedding_backward", num_embeddings=7, embedding_dim=33, num_indices=rows, element="f32", index="i64", dout=tensor(x),
                     indices=tensor(indices), dweight=tensor(grad))
                np.add.at(weight, indices, x)
                failed.extend([i] * (not np.allclose(grad, weight, atol=1e-5)))
                try:
                    call("softmax_forward", outer=rows + seed + 1, extent=33, element="f32", input=tensor(x), out=tensor(out))
                    failed.append(i)
                except ValueError as error:
                    failed.extend([i] * (f"input's shape {list(x.shape)}" not in str(error)))
        failures = [[], []]
        threads = [threading.Thread(target=work, args=(seed, failures[seed])) for seed in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [[], []])


class Devices(unittest.TestCase):
    def test_of_the_fault_tests(self):
        fakes = {f"ADJOINT_LIB{name.upper()}": pathlib.Path(os.environ["ADJOINT_TEST_FAKES"]) / f"libfake_{name}.so" for name in ("cuda", "nvrtc")}
        environment = {**os.environ, **{name: str(path) for name, path in fakes.items()}, "ADJOINT_CACHE_DIR": "", "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-B", str(pathlib.Path(__file__).with_name("devices_case.py"))], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Ran 6 tests", done.stderr)

    @unittest.skipUnless(torch and torch.cuda.is_available(), "needs torch and a GPU")
    def test_on_a_gpu(self):
        """A torch stream that is not the default one, a workspace, and a captured graph that is replayed on new contents."""
        dout, indices = torch.randn(4000, 64, device="cuda"), torch.randint(0, 500, (4000,), device="cuda")
        dweight = torch.full((500, 64), torch.nan, device="cuda")

        def backward():
            call("embedding_backward", num_embeddings=500, embedding_dim=64, num_indices=4000, element="f32", index="i64", dout=dout, indices=indices,
                 dweight=dweight)

        def exact():
            return torch.zeros(500, 64, device="cuda", dtype=torch.float64).index_add_(0, indices, dout.double()).float()
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(20):
                dout.normal_()
                backward()
                torch.testing.assert_close(dweight, exact(), rtol=1e-4, atol=1e-4)
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            backward()
        for _ in range(3):
            dout.normal_()
            graph.replay()
            torch.testing.assert_close(dweight, exact(), rtol=1e-4, atol=1e-4)


class Speed(unittest.TestCase):
    def test_host_time(self):
        """Prints the processor time of a call beside that of a function that does nothing. No bound is checked: the machine may be busy."""
        x, out = np.ones((4, 10), np.float32), np.empty((4, 10), np.float32)
        words = ("softmax_forward", "outer", 4, "extent", 10, "element", "f32", "input", tensor(x), "out", tensor(out))
        nothing = tvm_ffi.get_global_func("testing.nop")

        def best(f):
            times = []
            for _ in range(5):
                start = time.process_time()
                for _ in range(5000):
                    f(*words)
                times.append((time.process_time() - start) / 5000 * 1e6)
            return min(times)
        print(f"tvm-ffi: a call takes {best(function):.2f} us, one that does nothing {best(nothing):.2f} us")


if __name__ == "__main__":
    unittest.main()
