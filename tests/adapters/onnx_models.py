"""Three small models of ONNX, with their parameters and data: what the suite of ONNX Runtime trains."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

STEPS = 30
OPSETS = [("", 17), ("com.microsoft", 1)]


class Builder:
    def __init__(self, seed):
        self.random, self.nodes, self.parameters, self.constants = np.random.default_rng(seed), [], {}, []

    def parameter(self, name, *shape, scale=0.4, one=False):
        self.parameters[name] = (np.ones(shape) if one else self.random.normal(size=shape) * scale).astype(np.float32)
        return name

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(self, op, inputs, outputs, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs, name=f"{outputs[0]}_node", domain=domain, **attributes))
        return outputs[0]

    def model(self, name, inputs, outputs):
        initializers = [numpy_helper.from_array(v, n) for n, v in self.parameters.items()] + self.constants
        graph = helper.make_graph(self.nodes, name, inputs, outputs, initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid(*o) for o in OPSETS], ir_version=8)


def mlp():
    b = Builder(1)
    h1 = b.add("Relu", [b.add("Gemm", ["x", b.parameter("w1", 6, 16), b.parameter("b1", 16)], ["a1"])], ["h1"])
    h2 = b.add("Tanh", [b.add("Add", [b.add("MatMul", [h1, b.parameter("w2", 16, 8)], ["m2"]), b.parameter("b2", 8)], ["a2"])], ["h2"])
    b.add("Gemm", [h2, b.parameter("w3", 8, 4), b.parameter("b3", 4)], ["logits"])
    return b.model("mlp", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 6])],
                   [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 4])])


def cnn():
    b = Builder(2)
    c1 = b.add("Conv", ["x", b.parameter("c1", 4, 1, 3, 3), b.parameter("c1b", 4)], ["y1"], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    r1 = b.add("Relu", [c1], ["r1"])
    c2 = b.add("Conv", [r1, b.parameter("c2", 6, 4, 3, 3), b.parameter("c2b", 6)], ["y2"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    r2 = b.add("LeakyRelu", [c2], ["r2"], alpha=0.1)
    pooled = b.add("GlobalAveragePool", [r2], ["pooled"])
    flat = b.add("Flatten", [pooled], ["flat"])
    b.add("Gemm", [flat, b.parameter("fw", 6, 4), b.parameter("fb", 4)], ["logits"])
    return b.model("cnn", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 1, 6, 6])],
                   [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 4])])


def transformer(batch=4, length=5, width=8, heads=2, words=12):
    b = Builder(3)
    long = lambda name, value: b.constant(name, np.array(value, np.int64))  # noqa: E731
    x = b.add("Add", [b.add("Gather", [b.parameter("wte", words, width), "ids"], ["e"]),
                      b.add("Gather", [b.parameter("wpe", length, width), long("pos", range(length))], ["p"])], ["x"])
    norm = lambda value, name: b.add("LayerNormalization", [value, b.parameter(name + "g", width, one=True), b.parameter(name + "b", width, scale=0)],  # noqa: E731
                                     [name, name + "_mean", name + "_inv"], axis=-1)
    qkv = b.add("Add", [b.add("MatMul", [norm(x, "ln1"), b.parameter("wqkv", width, 3 * width)], ["qkv0"]), b.parameter("bqkv", 3 * width)], ["qkv"])
    b.add("Split", [qkv, long("parts", [width] * 3)], ["q", "k", "v"], axis=-1)
    split = long("split_heads", [0, 0, heads, width // heads])
    for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        b.add("Transpose", [b.add("Reshape", [name, split], [name + "r"])], [name + "t"], perm=order)
    scores = b.add("Div", [b.add("MatMul", ["qt", "kt"], ["s0"]), b.constant("scale", np.float32((width // heads) ** 0.5))], ["s1"])
    masked = b.add("Add", [scores, b.constant("mask", np.triu(np.full((length, length), -1e4, np.float32), 1)[None, None])], ["s2"])
    attended = b.add("MatMul", [b.add("Softmax", [masked], ["pr"], axis=-1), "vt"], ["o0"])
    joined = b.add("Reshape", [b.add("Transpose", [attended], ["o1"], perm=[0, 2, 1, 3]), long("join_heads", [0, 0, width])], ["o2"])
    out = b.add("Add", [b.add("MatMul", [joined, b.parameter("wo", width, width)], ["o3"]), b.parameter("bo", width)], ["o4"])
    x2 = b.add("Add", [x, out], ["x2"])
    hidden = b.add("Add", [b.add("MatMul", [norm(x2, "ln2"), b.parameter("w1", width, 2 * width)], ["h0"]), b.parameter("b1", 2 * width)], ["h1"])
    down = b.add("MatMul", [b.add("Gelu", [hidden], ["h2"], "com.microsoft"), b.parameter("w2", 2 * width, width)], ["h3"])
    x3 = b.add("Add", [x2, b.add("Add", [down, b.parameter("b2", width)], ["h4"])], ["x3"])
    b.add("Reshape", [b.add("MatMul", [norm(x3, "lnf"), b.parameter("wh", width, words)], ["lg"]), long("rows", [-1, words])], ["logits"])
    return b.model("transformer", [helper.make_tensor_value_info("ids", TensorProto.INT64, [batch, length])],
                   [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [batch * length, words])])


MODELS = {"mlp": mlp, "cnn": cnn, "transformer": transformer}


def batch(model, step):
    """The inputs and labels of a step."""
    random = np.random.default_rng(100 + step)
    if model == "transformer":
        ids = random.integers(0, 12, (4, 5))
        return {"ids": ids, "labels": ((ids * 5 + 1) % 12).reshape(-1)}
    x = random.normal(size=(8, 6) if model == "mlp" else (8, 1, 6, 6)).astype(np.float32)
    return {"x": x, "labels": (x.reshape(8, -1)[:, :4]).argmax(1).astype(np.int64)}


def learning_rate(step):
    return 0.01 * (1 - step / (2 * STEPS))


def trained(model):
    """The parameters of a model by name."""
    return {i.name: numpy_helper.to_array(i) for i in model.graph.initializer if i.data_type == TensorProto.FLOAT and i.name not in ("scale", "mask")}
