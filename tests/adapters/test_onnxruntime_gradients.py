"""Each rule of adjoint.onnxruntime.gradients against differences of the loss."""
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import adjoint
import adjoint.onnxruntime as training
import onnx_models
from adjoint._onnx_gradients import _Differentiator
from onnx_cases import real

MS = "com.microsoft"
OPTIONS = onnxruntime.SessionOptions()
OPTIONS.log_severity_level = 4
training.session_options(OPTIONS)


def ints(*values):
    return np.array(values, np.int64)


def away(*shape, seed=""):
    """Numbers that are not near 0, where some functions have a corner."""
    x = real(*shape, seed=seed)
    return np.where(np.abs(x) < 0.2, x + np.float32(0.5), x)


# operator, inputs by name of which those that are floats are parameters, attributes, outputs
ONE = [
    ("Identity", [real(3)]), ("Add", [real(2, 3), real(3)]), ("Add", [real(2, 1), real(2, 3)]), ("Sum", [real(3), real(3, seed=1)]),
    ("Sub", [real(2, 3), real(1, 3)]), ("Mul", [real(2, 3), real(3)]), ("Div", [real(2, 3), real(3, low=1)]), ("Neg", [real(3)]), ("Exp", [real(3)]),
    ("Log", [real(3, low=0.5)]), ("Sqrt", [real(3, low=0.5)]), ("Abs", [away(3)]), ("Erf", [real(3)]), ("Cast", [real(3)], {"to": 1}),
    ("MatMul", [real(2, 3), real(3, 4)]), ("MatMul", [real(2, 2, 3), real(3, 4)]), ("MatMul", [real(2, 2, 3), real(2, 3, 4)]),
    ("MatMul", [real(2, 3), real(2, 3, 4)]), ("MatMul", [real(1, 2, 3), real(2, 3, 4)]),
    *((("Gemm", [real(*((3, 2) if ta else (2, 3))), real(*((4, 3) if tb else (3, 4))), real(4)],
        {"transA": ta, "transB": tb, "alpha": 0.5, "beta": 2.0})) for ta in (0, 1) for tb in (0, 1)),
    ("Gemm", [real(2, 3), real(3, 4)]),
    ("Reshape", [real(2, 3), ints(3, -1)]), ("Flatten", [real(2, 3, 2)]), ("Squeeze", [real(2, 1), ints(1)]), ("Unsqueeze", [real(3), ints(0)]),
    ("Expand", [real(2, 1), ints(2, 3)]), ("Transpose", [real(2, 3, 2)], {"perm": [1, 2, 0]}), ("Transpose", [real(2, 3)]),
    ("Gather", [real(4, 3), ints(1, 1, 3)]), ("Gather", [real(2, 4), ints(2, 0)], {"axis": -1}),
    ("GatherElements", [real(3, 2), np.array([[0, 2], [1, 1]])]), ("GatherND", [real(3, 2), np.array([[0], [2]])]),
    ("Slice", [real(4, 3), ints(1), ints(4), ints(0), ints(2)]), ("Slice", [real(4, 3), ints(0, 1), ints(2, 3)]),
    ("Split", [real(4, 3), ints(1, 3)], {}, 2), ("Concat", [real(2, 2), real(2, 3)], {"axis": -1}), ("Concat", [real(1, 2), real(3, 2)], {"axis": 0}),
    ("ReduceSum", [real(2, 3), ints(1)], {"keepdims": 0}), ("ReduceSum", [real(2, 3)]), ("ReduceSum", [real(2, 3), ints()], {"noop_with_empty_axes": 1}),
    ("ReduceMean", [real(2, 3)], {"axes": [-1], "keepdims": 0}), ("ReduceMean", [real(2, 3)], {"axes": [0]}), ("GlobalAveragePool", [real(2, 2, 3, 2)]),
    ("Relu", [away(6)]), ("LeakyRelu", [away(6)], {"alpha": 0.3}), ("Sigmoid", [real(4)]), ("Tanh", [real(4)]),
    ("Gelu", [real(4)], {}, 1, MS), ("FastGelu", [real(4)], {}, 1, MS), ("FastGelu", [real(2, 4), real(4)], {}, 1, MS), ("BiasGelu", [real(2, 4), real(4)], {}, 1, MS),
    ("QuickGelu", [real(4)], {"alpha": 1.5}, 1, MS), ("Softmax", [real(2, 4)]), ("Softmax", [real(2, 4)], {"axis": 0}), ("LogSoftmax", [real(2, 4)]),
    ("LayerNormalization", [real(3, 4), real(4, low=0.5), real(4, seed=1)], {"axis": -1}), ("LayerNormalization", [real(3, 4), real(4, low=0.5)]),
    ("SimplifiedLayerNormalization", [real(3, 4), real(4, low=0.5)], {"axis": -1}, 1, ""),
    ("BatchNormalization", [real(4, 2, 3), real(2, low=0.5), real(2), np.zeros(2, np.float32), np.ones(2, np.float32)], {"training_mode": 1}, 3),
    ("Conv", [real(1, 2, 4, 4), real(2, 1, 3, 2), real(2)], {"group": 2, "pads": [1, 0, 1, 1], "strides": [2, 1]}),
    ("Conv", [real(1, 2, 4), real(2, 2, 2)]), ("ConvTranspose", [real(1, 2, 3), real(2, 1, 2), real(1)], {"strides": [2]}),
]


def scalar(nodes, inputs, constants, outputs, opset=17):
    """A model whose loss is a weighted sum of the outputs."""
    nodes, initializers, parts = list(nodes), [], []
    for i, (name, weights) in enumerate(outputs):
        initializers.append(numpy_helper.from_array(weights, f"weights_{i}"))
        nodes += [helper.make_node("Mul", [name, f"weights_{i}"], [f"weighted_{i}"]), helper.make_node("ReduceSum", [f"weighted_{i}"], [f"part_{i}"], keepdims=0)]
        parts.append(f"part_{i}")
    nodes.append(helper.make_node("Sum", parts, ["loss"]))
    initializers += [numpy_helper.from_array(a, n) for n, a in constants.items()]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, a.shape) for n, a in inputs.items()]
    graph = helper.make_graph(nodes, "scalar", values, [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid(MS, 1)], ir_version=8)


class Rules(unittest.TestCase):
    def compare(self, model, parameters, about):
        made = training.gradients(model, "loss", list(parameters))
        session = training.session(made, OPTIONS)
        loss = lambda: float(session.run(["loss"], parameters)[0])  # noqa: E731
        for name, values in parameters.items():
            gradient = session.run([f"{name}_grad"], parameters)[0]
            self.assertEqual(gradient.shape, values.shape, about)
            for place in list(np.ndindex(values.shape))[:10]:
                kept, difference = values[place], []
                for step in (1e-2, -1e-2):
                    values[place] = kept + np.float32(step)
                    difference.append(loss())
                values[place] = kept
                self.assertAlmostEqual(gradient[place], (difference[0] - difference[1]) / 2e-2, delta=4e-3 * max(1, abs(gradient[place])),
                                       msg=f"{about}: {name}{list(place)}")

    def one(self, op, arrays, attributes=None, outputs=1, domain=""):
        names = [f"x{i}" for i in range(len(arrays))]
        fixed = 3 if op == "BatchNormalization" else len(arrays)  # the running statistics are no parameters
        parameters = {n: a.copy() for i, (n, a) in enumerate(zip(names, arrays)) if a.dtype == np.float32 and i < fixed}
        constants = {n: a for n, a in zip(names, arrays) if n not in parameters}
        made = [f"y{i}" for i in range(outputs)]
        node = helper.make_node(op, names, made, name="tested", domain=domain, **(attributes or {}))
        plain = helper.make_graph([node], "plain", [helper.make_tensor_value_info(n, TensorProto.FLOAT, a.shape) for n, a in parameters.items()],
                                  [helper.make_empty_tensor_value_info(y) for y in made], [numpy_helper.from_array(a, n) for n, a in constants.items()])
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MS, 1)]
        found = training.session(helper.make_model(plain, opset_imports=opsets, ir_version=8), OPTIONS).run(None, parameters)
        used = 1 if op == "BatchNormalization" else outputs
        weighted = [(y, real(*f.shape, seed=y)) for y, f in zip(made[:used], found)]
        return scalar([node], parameters, constants, weighted), parameters

    def test_one_operator(self):
        for case in ONE:
            with self.subTest(case[0], shapes=[a.shape for a in case[1]]):
                model, parameters = self.one(*case)
                self.compare(model, parameters, case[0])

    def test_every_rule_is_tried(self):
        rules = {n[1:] for n in dir(_Differentiator) if n[0] == "_" and n[1:2].isupper()}
        self.assertEqual(rules - {case[0] for case in ONE}, {"Dropout", "Pow", "Where", "SoftmaxCrossEntropyLoss"})  # tests of their own

    def test_pow_and_where(self):
        x, other = real(4, low=0.5), real(4, seed=1)
        nodes = [helper.make_node("Pow", ["x", "e"], ["p"]), helper.make_node("Where", ["c", "p", "other"], ["y"])]
        constants = {"e": np.array(3, np.float32), "c": np.array([True, False, True, False])}
        self.compare(scalar(nodes, {"x": x, "other": other}, constants, [("y", real(4, seed=2))]), {"x": x, "other": other}, "Pow, Where")

    def test_split_with_a_part_that_is_not_used(self):
        x = real(4, 3)
        node = helper.make_node("Split", ["x", "parts"], ["a", "b"])
        self.compare(scalar([node], {"x": x}, {"parts": ints(1, 3)}, [("b", real(3, 3, seed=1))]), {"x": x}, "Split")

    def test_loss(self):
        scores, weight = real(4, 3), real(3, low=0.5)
        for reduction in ("mean", "sum"):
            node = helper.make_node("SoftmaxCrossEntropyLoss", ["x", "labels", "w"], ["loss"], reduction=reduction, ignore_index=1)
            graph = helper.make_graph([node], "loss", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 3])],
                                      [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])],
                                      [numpy_helper.from_array(ints(0, 1, 2, 2), "labels"), numpy_helper.from_array(weight, "w")])
            self.compare(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), {"x": scores}, reduction)

    def test_dropout(self):
        """The gradient is that of the mask which the forward operator drew; without training it passes as it is."""
        x = np.ones(4000, np.float32)
        for mode in (True, False):
            node = helper.make_node("Dropout", ["x", "ratio", "mode"], ["y"], seed=1)
            model = scalar([node], {"x": x}, {"ratio": np.array(0.25, np.float32), "mode": np.array(mode)}, [("y", np.ones(4000, np.float32))])
            model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, [4000]))
            found = dict(zip(("loss", "y", "x_grad"), training.session(training.gradients(model, "loss", ["x"]), OPTIONS).run(None, {"x": x})))
            np.testing.assert_allclose(found["x_grad"], found["y"], 1e-6)  # of ones
            self.assertEqual((found["y"] == 1).all(), not mode)

    def test_models_of_unknown_batch(self):
        for name, make in onnx_models.MODELS.items():
            model = make()
            made = training.gradients(model, "cross_entropy", list(onnx_models.trained(model)))
            onnx.checker.check_model(training.training_model(model, "cross_entropy"), full_check=False)
            self.assertEqual([o.name for o in made.graph.output][0], "loss", name)


class Refusals(unittest.TestCase):
    def refused(self, sentence, nodes, inputs, outputs, error=adjoint.UnsupportedError, constants=None, parameters=None, **more):
        with self.assertRaisesRegex(error, sentence):
            training.gradients(scalar(nodes, inputs, constants or {}, outputs, **more), "loss", parameters or list(inputs))

    def test_refusals(self):
        x = {"x": real(1, 1, 4, 4)}
        weights = [("y", real(1, 1, 2, 2))]
        pool = helper.make_node("MaxPool", ["x"], ["y"], name="pool", kernel_shape=[2, 2], strides=[2, 2])
        self.refused(r"node 'pool' \(MaxPool\): there is no gradient of this operator", [pool], x, weights)
        norm = helper.make_node("BatchNormalization", ["x", "a", "a", "b", "b"], ["y"], name="bn")
        constants = {"a": np.ones(1, np.float32), "b": np.ones(1, np.float32)}
        self.refused(r"node 'bn' \(BatchNormalization\): training_mode = 0", [norm], x, [("y", real(1, 1, 4, 4))], constants=constants)
        conv = helper.make_node("Conv", ["x", "w"], ["y"], name="c", auto_pad="SAME_UPPER")
        self.refused(r"node 'c' \(Conv\): auto_pad = SAME_UPPER: give pads", [conv], x, [("y", real(1, 1, 4, 4))], constants={"w": real(1, 1, 3, 3)})
        power = helper.make_node("Pow", ["x", "x"], ["y"], name="p")
        self.refused(r"node 'p' \(Pow\): the exponent is not a constant", [power], x, [("y", real(1, 1, 4, 4))])
        vector = helper.make_node("MatMul", ["v", "m"], ["y"], name="mv")
        self.refused(r"node 'mv' \(MatMul\): the gradient of a product with a vector", [vector], {"v": real(2), "m": real(2, 3)}, [("y", real(3))])
        same = helper.make_node("Identity", ["x"], ["y"])
        self.refused("imports ai.onnx at version 12, 13 or newer", [same], x, [("y", real(1, 1, 4, 4))], opset=12)
        self.refused("parameters has z, which the model has neither", [same], x, [("y", real(1, 1, 4, 4))], adjoint.InvalidError, parameters=["z"])
        self.refused("the loss loss does not depend on w", [same], {**x, "w": real(2)}, [("y", real(1, 1, 4, 4))], adjoint.InvalidError)
        with self.assertRaisesRegex(adjoint.InvalidError, "loss = 'l' is not the output of a node"):
            training.gradients(scalar([same], x, {}, [("y", real(1, 1, 4, 4))]), "l", ["x"])


if __name__ == "__main__":
    unittest.main()
