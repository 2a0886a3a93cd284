"""Operators that prepare() rewrites, in sessions of onnxruntime. LambOptimizer has no kernel on the CPU in onnxruntime-training, so that its judge is the definition
in f64: You et al. 2020, Large Batch Optimization for Deep Learning, with the clipping and the bounds of its schema."""
import unittest

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import TensorProto, helper

import adjoint
import adjoint.onnxruntime as training
from onnx_cases import real
from test_onnxruntime import NUMBERS, OPTIONS, TYPES, rows

MS = "com.microsoft"
ROUNDING = {"f32": 4e-6, "f64": 1e-12, "f16": 2e-3, "bf16": 1.6e-2}


def model(nodes, inputs, outputs):
    values = [helper.make_tensor_value_info(n, t, None) for n, t in inputs.items()]
    graph = helper.make_graph(nodes, "tested", values, [helper.make_tensor_value_info(n, t, None) for n, t in outputs.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MS, 1)], ir_version=8)


def lamb(w, g, m, v, lr, step, alpha, beta, decay, epsilon, clip, scale=1.0, norm=0.0, low=-np.inf, high=np.inf, correct=True):
    """New weights, the update, and new moments, in f64."""
    w, g, m, v = (np.asarray(a, np.float64) for a in (w, g, m, v))
    g = g / max(scale, norm / clip)
    m, v = alpha * m + (1 - alpha) * g, beta * v + (1 - beta) * g * g
    a, b = (1 - alpha**step, 1 - beta**step) if correct else (1, 1)
    d = decay * w + m / a / (np.sqrt(v / b) + epsilon)
    sizes = np.linalg.norm(w), np.linalg.norm(d)
    rate = lr * np.clip(sizes[0] / sizes[1], low, high) if all(sizes) else lr
    return w - rate * d, -rate * d, m, v


class Lamb(unittest.TestCase):
    ATTRIBUTES = {"alpha": [0.9, 0.8], "beta": [0.999, 0.99], "lambda": [0.01, 0.0], "epsilon": [1e-6, 1e-3], "max_norm_clip": [1.0, 0.5]}

    def node(self, groups, head=("signal", "scale", "norm", "lr", "step"), copies=True, outputs=("w", "g", "m", "v", "c"), step="new_step", **attributes):
        inputs, made = list(head), [step]
        for i in range(groups):
            inputs += [f"{n}{i}" for n in "wgmv"] + [f"c{i}" if copies else ""]
            made += [f"new_{n}{i}" if n in outputs and (copies or n != "c") else "" for n in "wgmvc"]
        return helper.make_node("LambOptimizer", inputs, made, name="lamb", domain=MS, **(attributes or self.ATTRIBUTES))

    def feeds(self, groups, types=("f32", "f32", "f32", "f32", "f32", "f16")):
        kinds = {n: TYPES[t] for n, t in zip("lwgmnc", types)}
        feeds = {"signal": np.array([True]), "scale": np.array([2], kinds["w"]), "norm": np.array([3], kinds["n"]), "lr": np.array([0.05], kinds["l"]),
                 "step": np.array([3])}
        for i in range(groups):
            shape = (3, 4 + i)
            feeds.update({f"w{i}": real(*shape, seed="w").astype(kinds["w"]), f"g{i}": real(*shape, seed="g").astype(kinds["g"]),
                          f"m{i}": real(*shape, seed="m").astype(kinds["m"]), f"v{i}": real(*shape, seed="v", low=0.1).astype(kinds["m"])})
            feeds[f"c{i}"] = feeds[f"w{i}"].astype(kinds["c"])
        return feeds

    def run_node(self, node, feeds):
        """The outputs by name. Inputs and outputs of the session have a type that numpy knows; Cast gives the node its own."""
        nodes, inputs, given, outputs, names = [], {}, {}, {}, {}
        for name in node.input:
            if not name:
                continue
            a = feeds[name]
            kind = helper.np_dtype_to_tensor_dtype(a.dtype)
            wide = a.astype(np.float32) if a.dtype == ml_dtypes.bfloat16 else a
            inputs[f"in_{name}"], given[f"in_{name}"] = helper.np_dtype_to_tensor_dtype(wide.dtype), wide.copy()
            nodes.append(helper.make_node("Cast", [f"in_{name}"], [name], to=int(kind)))
        nodes.append(node)
        for name in filter(None, node.output):
            names[name] = f"out_{name}"
            nodes.append(helper.make_node("Cast", [name], [names[name]], to=TensorProto.DOUBLE))
            outputs[names[name]] = TensorProto.DOUBLE
        found = training.session(model(nodes, inputs, outputs), OPTIONS).run(list(outputs), given)
        return dict(zip(names, found))

    def expected(self, feeds, i, **more):
        a = {k: float(np.float32(v[i])) for k, v in self.ATTRIBUTES.items()}
        number = lambda n: float(feeds[n].astype(np.float64).reshape(-1)[0])  # noqa: E731
        given = {"lr": number("lr"), "step": int(number("step")), "scale": number("scale"), "norm": number("norm"), **more}
        return lamb(*(feeds[f"{n}{i}"] for n in "wgmv"), alpha=a["alpha"], beta=a["beta"], decay=a["lambda"], epsilon=a["epsilon"], clip=a["max_norm_clip"], **given)

    def check(self, found, feeds, i, types=("f32", "f32", "f32", "f32", "f32", "f16"), **more):
        w, update, m, v = self.expected(feeds, i, **more)
        for name, value, kind in (("w", w, types[1]), ("g", update, types[2]), ("m", m, types[3]), ("v", v, types[3]), ("c", w, types[5])):
            if f"new_{name}{i}" in found:
                # The update is computed from the moments before these are rounded to their type.
                np.testing.assert_allclose(found[f"new_{name}{i}"], value, ROUNDING[kind], ROUNDING[kind] * np.abs(value).max(), err_msg=f"{types}: {name}{i}")

    def test_every_row(self):
        tried = 0
        for _, op, session, combinations, _ in rows():
            if op != "LambOptimizer":
                continue
            self.assertEqual(session, "rewrite")
            for types in combinations:
                with self.subTest(types=types):
                    feeds = self.feeds(2, types)
                    found = self.run_node(self.node(2), feeds)
                    self.assertEqual(found["new_step"].tolist(), [4])
                    for i in range(2):
                        self.check(found, feeds, i, types)
                    tried += 1
        self.assertEqual(tried, 16)

    def test_absent_inputs_and_outputs(self):
        feeds = self.feeds(1)
        found = self.run_node(self.node(1, ("", "", "", "lr", "step"), copies=False), feeds)
        self.check(found, feeds, 0, scale=1.0, norm=0.0)
        found = self.run_node(self.node(1, ("", "", "", "lr", ""), copies=False, step=""), feeds)  # no step: moments are not corrected
        self.check(found, feeds, 0, scale=1.0, norm=0.0, correct=False)
        found = self.run_node(self.node(1, copies=False, outputs="gmv"), feeds)
        self.assertEqual(set(found), {"new_step", "new_g0", "new_m0", "new_v0"})
        self.check(found, feeds, 0)

    def test_defaults_and_bounds(self):
        feeds = self.feeds(1)
        for more in ({}, {"ratio_min": 2.0}, {"ratio_max": 0.25}, {"do_bias_correction": 0}):
            with self.subTest(more):
                found = self.run_node(self.node(1, copies=False, alpha=[0.9], **more), feeds)
                defaults = dict(lr=float(np.float32(0.05)), step=3, alpha=float(np.float32(0.9)), beta=float(np.float32(0.999)), decay=0.0, epsilon=1e-6, clip=1.0)
                given = dict(scale=2.0, norm=3.0, low=more.get("ratio_min", -np.inf), high=more.get("ratio_max", np.inf), correct="do_bias_correction" not in more)
                w, update, _, _ = lamb(*(feeds[f"{n}0"] for n in "wgmv"), **defaults, **given)
                np.testing.assert_allclose(found["new_w0"], w, 4e-6, 4e-6)
                np.testing.assert_allclose(found["new_g0"], update, 4e-6, 4e-6)

    def test_a_skipped_step(self):
        feeds = {**self.feeds(1), "signal": np.array([False])}
        found = self.run_node(self.node(1), feeds)
        self.assertEqual(found["new_step"].tolist(), [3])
        for name in "wgmvc":
            np.testing.assert_array_equal(found[f"new_{name}0"], feeds[f"{name}0"].astype(np.float64))

    def test_many_steps(self):
        """A weight that goes to a target: the optimizer's own outputs are its next inputs."""
        feeds, target = self.feeds(1), real(3, 4, seed="target")
        session = training.session(model([self.node(1, ("", "", "", "lr", "step"), copies=False)],
                                         {n: TensorProto.INT64 if n == "step" else TensorProto.FLOAT for n in ("lr", "step", "w0", "g0", "m0", "v0")},
                                         {"new_step": TensorProto.INT64, **{f"new_{n}0": TensorProto.FLOAT for n in "wgmv"}}), OPTIONS)
        w, m, v, step = feeds["w0"], np.zeros((3, 4), np.float32), np.zeros((3, 4), np.float32), np.array([1])
        exact = w, m, v
        for _ in range(30):
            found = session.run(None, {"lr": feeds["lr"], "step": step, "w0": w, "g0": w - target, "m0": m, "v0": v})
            a = {k: float(np.float32(x[0])) for k, x in self.ATTRIBUTES.items()}
            new, _, *moments = lamb(exact[0], exact[0] - target, *exact[1:], float(feeds["lr"][0]), int(step[0]), a["alpha"], a["beta"], a["lambda"], a["epsilon"],
                                    a["max_norm_clip"])
            exact = new, *moments
            step, w, _, m, v = found
        self.assertEqual(step.tolist(), [31])
        np.testing.assert_allclose(w, exact[0], 1e-4, 1e-5)

    def test_bad_input(self):
        feeds = self.feeds(2)
        for sentence, node in ((r"node 'lamb' \(LambOptimizer\): attribute alpha has 1 numbers, for 2 groups of tensors", self.node(2, alpha=[0.9])),
                               (r"node 'lamb' \(LambOptimizer\): there is no attribute gamma", self.node(2, gamma=[0.9])),
                               (r"node 'lamb' \(LambOptimizer\): attribute alpha is a float, expected floats", self.node(2, alpha=0.9))):
            with self.assertRaisesRegex(adjoint.InvalidError, sentence):
                self.run_node(node, feeds)
        node = self.node(2)
        node.input[11] = ""
        with self.assertRaisesRegex(adjoint.InvalidError, r"node 'lamb' \(LambOptimizer\): input gradients\[1\] is missing"):
            self.run_node(node, feeds)
        node = self.node(2)
        del node.output[6:]
        with self.assertRaisesRegex(adjoint.InvalidError, r"node 'lamb' \(LambOptimizer\): it has inputs for 2 groups of tensors, and outputs for 1"):
            self.run_node(node, feeds)
        for sentence, node, more in ((r"lamb\.[01].*LambOptimizer.*step", self.node(2), {"step": np.array([0])}),
                                     (r"lamb\.1.*LambOptimizer.*grads", self.node(2), {"g1": real(2, 2)}),
                                     (r"lamb\.0.*LambOptimizer.*max_norm", self.node(2, max_norm_clip=[0.0, 1.0]), {}),
                                     (r"lamb\.0.*LambOptimizer", self.node(1, ("", "", "", "", "step")), {})):
            with self.assertRaisesRegex(Exception, sentence):
                self.run_node(node, {**feeds, **more})


class Others(unittest.TestCase):
    def test_fused_outputs_of_mixed_precision_scale(self):
        x = [real(2, 3), real(4), np.zeros((0, 3), np.float32)]
        for to, kind in ((TensorProto.FLOAT16, np.float16), (TensorProto.FLOAT, np.float32)):
            node = helper.make_node("MixedPrecisionScale", ["s", "a", "b", "c"], ["y"], name="scale", domain=MS, to=int(to), fuse_outputs=1)
            made = model([node], dict.fromkeys("sabc", TensorProto.FLOAT), {"y": to})
            found, = training.session(made, OPTIONS).run(None, {"s": np.array([0.5], np.float32), **dict(zip("abc", x))})
            np.testing.assert_array_equal(found, np.concatenate([(a * np.float32(0.5)).astype(kind).reshape(-1) for a in x]))
            self.assertEqual(found.dtype, kind)

    def test_tensors_of_several_types(self):
        feeds = {"a": real(2, 3), "b": np.arange(4), "c": np.array([True, False])}
        kinds = {n: helper.np_dtype_to_tensor_dtype(a.dtype) for n, a in feeds.items()}
        group = helper.make_node("Group", ["a", "b", "c"], ["done"], name="group", domain=MS)
        passed = helper.make_node("PassThrough", ["a", "b", "c"], ["x", "y"], name="pass", domain=MS)
        outputs = {"done": TensorProto.BOOL, "x": TensorProto.FLOAT, "y": TensorProto.INT64}
        done, x, y = training.session(model([group, passed], kinds, outputs), OPTIONS).run(None, feeds)
        self.assertTrue(done.all())
        np.testing.assert_array_equal(x, feeds["a"])
        np.testing.assert_array_equal(y, feeds["b"])
        plain = helper.make_node("PassThrough", ["a", "a"], ["x", "z"], name="pass", domain=MS)
        self.assertEqual([n.domain for n in training.prepare(model([plain], {"a": TensorProto.FLOAT}, {"x": 1, "z": 1})).graph.node], [MS])

    def test_one_buffer_for_copies(self):
        """Mixed-precision weights whose old and new values are bound to one buffer."""
        w, g, m, v = (real(6, seed=i, low=0.1) for i in range(4))
        names = ["lr", "step", "w", "g", "m", "v", "c"]
        node = helper.make_node("AdamOptimizer", names, ["step_out", "m_out", "v_out", "w_out", "", "c_out"], name="adam", domain=MS)
        kinds = {n: TensorProto.INT64 if n == "step" else TensorProto.FLOAT16 if n == "c" else TensorProto.FLOAT for n in names}
        session = training.session(model([node], kinds, {"c_out": TensorProto.FLOAT16, "w_out": TensorProto.FLOAT}), OPTIONS)
        arrays = dict(zip(names, (np.array(0.1, np.float32), np.array(3), w, g, m, v, w.astype(np.float16))))
        expected, binding = session.run(["c_out"], {n: a.copy() for n, a in arrays.items()})[0], session.io_binding()
        values = {n: onnxruntime.OrtValue.ortvalue_from_numpy(a) for n, a in arrays.items()}
        for name, value in values.items():
            binding.bind_ortvalue_input(name, value)
        binding.bind_ortvalue_output("c_out", values["c"])
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(arrays["c"], expected)

    def test_axes_of_resize_grad(self):
        node = helper.make_node("ResizeGrad", ["d", "x"], ["y"], name="resize", domain=MS, mode="linear", axes=[2, 3])
        with self.assertRaisesRegex(adjoint.UnsupportedError, r"node 'resize' \(ResizeGrad\): attribute axes = \[2, 3\] is not served"):
            training.prepare(model([node], dict.fromkeys("dx", TensorProto.FLOAT), {"y": TensorProto.FLOAT}))


if __name__ == "__main__":
    unittest.main()
