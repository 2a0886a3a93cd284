"""Plans, kernels and the rest that stands behind a call."""
import subprocess
import sys
import unittest

import numpy as np

import adjoint
from adjoint import _generated


class Plans(unittest.TestCase):
    def setUp(self):
        self.y = adjoint.softmax(np.arange(12, dtype=np.float32).reshape(3, 4))
        self.d = np.ones((3, 4), np.float32) * np.arange(4, dtype=np.float32)

    def test_of_a_call(self):
        expected = adjoint.softmax_backward(self.d, self.y)
        self.assertEqual(adjoint.softmax_backward.sku(self.d, self.y).id, "softmax_backward/reference/f32/host")
        plan = adjoint.softmax_backward.select(self.d, self.y)
        self.assertEqual(plan.workspace_size, 0)
        self.assertIn("softmax_backward/reference", repr(plan))
        self.assertEqual(plan.candidates[-1].code, adjoint.Status.OK)
        candidates = adjoint.softmax_backward.explain(self.d, self.y)
        self.assertEqual(candidates[-1].code, adjoint.Status.OK)
        self.assertTrue(all(c.reason for c in candidates))
        bound = adjoint.softmax_backward.bind(self.d, self.y)
        result = bound()
        np.testing.assert_array_equal(result, expected)
        self.d *= 2
        self.assertIs(bound(), result)
        np.testing.assert_allclose(result, 2 * expected)

    def test_of_fields(self):
        plan = adjoint.select("softmax_backward", outer=3, extent=4, element="f32")
        out = np.empty_like(self.d)
        plan.can_implement(dout=self.d, out=self.y, dinput=out)
        plan.run(dout=self.d, out=self.y, dinput=out)
        np.testing.assert_array_equal(out, adjoint.softmax_backward(self.d, self.y))
        out[:] = 0
        plan.bind(dout=self.d, out=self.y, dinput=out)()
        np.testing.assert_array_equal(out, adjoint.softmax_backward(self.d, self.y))
        with self.assertRaisesRegex(adjoint.InvalidError, "dinput is required"):
            plan.run(dout=self.d, out=self.y)
        with self.assertRaisesRegex(adjoint.InvalidError, "no argument dx"):
            plan.run(dout=self.d, out=self.y, dx=out)

    def test_offline(self):
        stream = adjoint.Stream.offline("sm_90a")
        candidates = adjoint.explain("softmax_backward", stream=stream, outer=4096, extent=1024, element="bf16")
        accepted = [c.sku for c in candidates if c.code == adjoint.Status.OK]
        self.assertTrue(accepted and "/bf16/sm" in accepted[0], candidates)
        self.assertIn("offline", repr(stream))

    def test_kernel_of_the_caller(self):
        ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 y, .param .f64 a) { ret; }\n"
        fields = dict(code_kind="ptx", entry="k", input_numel=[4], output_numel=[4], reals=[0.5], grid=[1], block=[32], element="f32",
                      stream=adjoint.Stream.offline("sm_90a"))
        for code in (ptx, ptx.encode(), bytearray(ptx.encode() + b"\0")):
            self.assertEqual(adjoint.select("user_kernel", code=code, **fields).sku.id, "user_kernel/code/f32/sm80")
            self.assertIn("user_kernel/code/f32/sm80", [c.sku for c in adjoint.explain("user_kernel", code=code, **fields) if c.code == adjoint.Status.OK])
        with self.assertRaisesRegex(adjoint.InvalidError, r"parameter 2 of k has 4 bytes in the code, reals\[0\]"):
            adjoint.select("user_kernel", code=ptx.replace("f64", "f32"), **fields)
        with self.assertRaisesRegex(adjoint.Error, "not a whole 64-bit ELF file"):
            adjoint.select("user_kernel", code=ptx, **{**fields, "code_kind": "cubin"})
        with self.assertRaisesRegex(adjoint.InvalidError, "code = 5 is not a string or bytes"):
            adjoint.select("user_kernel", code=5, **fields)
        with self.assertRaisesRegex(adjoint.InvalidError, "code was not given"):
            adjoint.select("user_kernel", code=None, **fields)

    def test_preference(self):
        with self.assertRaises(adjoint.UnsupportedError) as raised:
            adjoint.softmax_backward(self.d, self.y, preference=adjoint.Preference(backend="bespoke"))
        self.assertIsInstance(raised.exception, NotImplementedError)
        self.assertTrue(raised.exception.rejections)
        with self.assertRaisesRegex(adjoint.InvalidError, "determinism = 'perfect' is not one of"):
            adjoint.Preference(determinism="perfect")
        self.assertEqual({"header", "reserved", *adjoint.Preference._fields}, {name for name, *_ in _generated.adj_preference._fields_})
        np.testing.assert_array_equal(adjoint.softmax_backward(self.d, self.y, preference=adjoint.Preference(determinism="batch_invariant")),
                                      adjoint.softmax_backward(self.d, self.y))

    def test_skus(self):
        found = adjoint.skus("softmax_backward/*/bf16/*")
        self.assertTrue(found)
        self.assertEqual(adjoint.sku(found[0].id), found[0])
        self.assertIsInstance(found[0].guarantee.determinism, adjoint.Determinism)
        with self.assertRaises(adjoint.InvalidError):
            adjoint.sku("no/such/sku/host")

    def test_machine(self):
        self.assertEqual(adjoint.library_version(), adjoint.__version__)
        self.assertIn("NVRTC", [x.name for x in adjoint.libraries()])
        self.assertIsInstance(adjoint.devices(), list)

    def test_description(self):
        self.assertIn("softmax_backward", adjoint.operators())
        text = adjoint.describe("rms_norm_backward")
        for word in ("inv_std", "has_dgamma", "write_mode", "accumulate"):
            self.assertIn(word, text)
        self.assertEqual(adjoint.ops.rms_norm_backward.__doc__, text)
        self.assertIn("epsilon", adjoint.ops.rms_norm_forward.__signature__.parameters)
        self.assertEqual([a.name for a in adjoint.arguments("softmax_backward")], ["dout", "out", "dinput"])
        self.assertIn("softmax_backward", dir(adjoint.ops))
        with self.assertRaises(AttributeError):
            adjoint.ops.softmax_sideways

    def test_plans_are_released(self):
        import gc
        plans = [adjoint.select("softmax_backward", outer=n, extent=4, element="f32") for n in range(1, 50)]
        del plans
        gc.collect()


    def test_size_of_scratch(self):
        """Scratch of a thread has the next power of two, and no more where the call needs a power of two."""
        from adjoint import _call
        sizes = []
        for rows in (1015, 1016, 1017):
            adjoint.forget_plans()
            given = np.ones((rows, 4), np.float32), np.zeros(rows, np.int64), 8
            adjoint.embedding_backward(*given)
            sizes.append((adjoint.embedding_backward.select(*given).workspace_size, next(iter(_call._thread.scratch.values())).bytes))
        self.assertIn(8192, [needed for needed, _ in sizes])
        for needed, kept in sizes:
            self.assertEqual(kept, 1 << (needed - 1).bit_length())


class Interface(unittest.TestCase):
    def test_layout(self):
        """The structures have the same sizes and offsets as in the C interface."""
        import ctypes
        import pathlib

        from adjoint import _generated
        generate = pathlib.Path(__file__).resolve().parents[3] / "tools/generate.py"
        if not generate.exists():
            self.skipTest("not in a source tree")
        checked = 0
        for line in subprocess.run([sys.executable, generate, "--layout"], capture_output=True, text=True, check=True).stdout.splitlines():
            words = line.split()
            if words[:1] == ["struct"]:
                structure = getattr(_generated, words[1], None)
                if structure is not None:
                    self.assertEqual(ctypes.sizeof(structure), int(words[2]), words[1])
            elif words[:1] == ["field"] and structure is not None:
                member = getattr(structure, words[1])
                self.assertEqual((member.offset, member.size), (int(words[2]), int(words[3])), f"{structure.__name__}.{words[1]}")
                checked += 1
        self.assertGreater(checked, 100)

    def test_operators_come_from_the_library(self):
        """The package has what the library says, with no list of its own."""
        import ctypes

        from adjoint import _generated, _operators
        from adjoint._library import lib, text
        self.assertFalse([name for name in vars(_generated) if name.endswith(("_descriptor", "_args"))])
        raw = _generated.adj_argument()
        self.assertEqual(lib.adj_op_count(), len(adjoint.operators()))
        for name in adjoint.operators():
            operator = _operators.operator_of(name)
            self.assertEqual(text(lib.adj_op_name(operator.number)), name)
            self.assertEqual(len(operator.arguments), lib.adj_op_argument_count(operator.number))
            self.assertEqual(len(operator.keywords), lib.adj_op_field_count(operator.number))
            for argument in operator.arguments:
                lib.adj_op_argument(operator.number, argument.index, ctypes.byref(raw))
                self.assertEqual((text(raw.name), raw.offset), (argument.name, argument.offset))
            names, options = {a.name for a in operator.arguments}, {"stream", "preference", "workspace", "dtype"}
            self.assertFalse(set(operator.keywords) & names | options & set(operator.fields))
            function = adjoint.ops.function(name)
            self.assertIn(text(lib.adj_op_definition(operator.number)), function.__doc__)
            self.assertEqual(set(function.__signature__.parameters), {*names, *operator.keywords, *options})
            self.assertTrue(callable(getattr(adjoint, function.__name__)))

    def test_definitions_tell_the_gradient(self):
        """What the package has of it is what the library says, in names that the operators have."""
        for name, gradient in _generated.GRADIENTS.items():
            with self.subTest(name):
                operator, other = adjoint._operators.operator_of(name), adjoint._operators.operator_of(gradient.operator or name)
                self.assertIn(f"Its gradient: {gradient.operator}(" if gradient.operator else "Its gradient is dscores, times dloss.", adjoint.describe(name))
                self.assertLessEqual(set(gradient.inputs) | set(gradient.outputs.values()), set(other.by_name))
                self.assertLessEqual(set(gradient.outputs), set(operator.by_name))
                self.assertLessEqual({*gradient.fields, *gradient.taken}, set(other.keywords))
