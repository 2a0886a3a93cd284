"""Gradients of graphs of ONNX, as nodes of ONNX: what onnxruntime-training's builder made, for a stock onnxruntime.

A rule is a method with the name of the operator. It gets the node and the gradients of its outputs, and returns those of its inputs, None where there is none.
The nodes that it adds are those of ai.onnx, of onnxruntime (FusedMatMul) and of this library's registry."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import _library
from ._generated import Status

MICROSOFT = "com.microsoft"
FLOATS = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16}
# Operators of onnxruntime alone whose first output has type and shape of the first input, which the inference of onnx does not know.
ALIKE = {"Gelu", "FastGelu", "QuickGelu", "BiasGelu", "SimplifiedLayerNormalization"}


def gradients(model, loss, parameters=None):
    """A copy of the model with an output NAME_grad for each parameter: the gradient of the scalar `loss`.

    loss: the name of a tensor of one element, or "cross_entropy": SoftmaxCrossEntropyLoss of the first output with a new input `labels`, reduction mean, is then
    added as the output `loss`. parameters: names of inputs or initializers; all initializers of a floating-point type that an operator reads, unless given.
    UnsupportedError names the node and its operator where there is no rule for it."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    return _Differentiator(made, loss, parameters).run()


def training_model(model, loss, parameters=None):
    """The training graph of a model in the form of generate_artifacts: parameters are inputs, gradients are accumulated in buffers that are inputs, and
    lazy_reset_grad makes them begin anew. The first output is the loss."""
    made = gradients(model, loss, parameters)
    graph = made.graph
    names = [o.name[:-len("_grad")] for o in graph.output if o.name.endswith("_grad")]
    outputs = [o for o in graph.output if not o.name.endswith("_grad")]
    values = {i.name: i for i in graph.initializer}
    typed = {v.name: v for v in graph.input}
    inputs = [helper.make_tensor_value_info(n, values[n].data_type, list(values[n].dims)) if n in values else typed[n] for n in names]
    kept = [i for i in graph.input if i.name not in names]
    constants = [i for i in graph.initializer if i.name not in names]
    buffers = []
    for name, shape in zip(names, inputs):
        buffer = helper.make_tensor_value_info(f"{name}_grad.accumulation.buffer", 0, None)
        buffer.type.CopyFrom(shape.type)
        buffers.append(buffer)
        out = f"{name}_grad.accumulation.out"
        graph.node.append(helper.make_node("InPlaceAccumulatorV2", [buffer.name, f"{name}_grad", "lazy_reset_grad"], [out], name=out, domain=MICROSOFT))
        outputs.append(helper.make_tensor_value_info(out, TensorProto.BOOL, [1]))
    del graph.input[:], graph.output[:], graph.initializer[:]
    graph.initializer.extend(constants)
    graph.input.extend([*kept, *inputs, *buffers, helper.make_tensor_value_info("lazy_reset_grad", TensorProto.BOOL, [1])])
    graph.output.extend(outputs)
    return made


class _Differentiator:
    def __init__(self, model, loss, parameters):
        self.model, self.graph = model, model.graph
        versions = {o.domain: o.version for o in model.opset_import}
        self.opset = versions.get("", versions.get("ai.onnx", 0))
        if self.opset < 13:
            raise _library.error(Status.UNSUPPORTED, f"the model imports ai.onnx at version {self.opset}, 13 or newer is needed")
        if MICROSOFT not in versions:
            model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
        if loss == "cross_entropy":
            loss = self.cross_entropy()
        read = {x for n in self.graph.node for x in n.input}
        if parameters is None:
            parameters = [i.name for i in self.graph.initializer if i.data_type in FLOATS and len(i.dims) > 0 and i.name in read]
        absent = set(parameters) - {i.name for i in self.graph.initializer} - {i.name for i in self.graph.input}
        if absent:
            raise _library.error(Status.INVALID_ARGUMENT, f"parameters has {', '.join(sorted(absent))}, which the model has neither as initializer nor as input")
        if loss not in {x for n in self.graph.node for x in n.output}:
            raise _library.error(Status.INVALID_ARGUMENT, f"loss = {loss!r} is not the output of a node")
        self.loss, self.parameters = loss, list(parameters)
        self.new, self.count, self.totals = [], 0, {}
        self.constants = {i.name: numpy_helper.to_array(i) for i in self.graph.initializer if i.name not in self.parameters}
        for n in self.graph.node:
            if n.op_type == "Constant" and n.attribute[0].name == "value":
                self.constants[n.output[0]] = numpy_helper.to_array(n.attribute[0].t)
        self.infer()

    def cross_entropy(self):
        scores = self.graph.output[0]
        dims = [d.dim_value or d.dim_param or None for d in scores.type.tensor_type.shape.dim]
        self.graph.input.append(helper.make_tensor_value_info("labels", TensorProto.INT64, dims[:1] + dims[2:]))
        self.graph.node.append(helper.make_node("SoftmaxCrossEntropyLoss", [scores.name, "labels"], ["loss"], name="loss"))
        outputs = [helper.make_tensor_value_info("loss", scores.type.tensor_type.elem_type, []), *self.graph.output]
        del self.graph.output[:]
        self.graph.output.extend(outputs)
        return "loss"

    def infer(self):
        """Types and shapes, also behind operators that onnx does not know."""
        for _ in range(1 + sum(n.op_type in ALIKE for n in self.graph.node)):
            self.model.graph.CopyFrom(onnx.shape_inference.infer_shapes(self.model, data_prop=True).graph)
            known = {v.name: v.type for v in (*self.graph.input, *self.graph.output, *self.graph.value_info)}
            new = [n for n in self.graph.node if n.op_type in ALIKE and n.output[0] not in known and n.input[0] in known]
            for n in new:
                made = onnx.ValueInfoProto(name=n.output[0])
                made.type.CopyFrom(known[n.input[0]])
                self.graph.value_info.append(made)
            if not new:
                break
        self.shapes, self.types = {}, {}
        for v in (*self.graph.input, *self.graph.output, *self.graph.value_info):
            self.types[v.name] = v.type.tensor_type.elem_type
            if v.type.tensor_type.HasField("shape"):
                self.shapes[v.name] = [d.dim_value if d.HasField("dim_value") else d.dim_param for d in v.type.tensor_type.shape.dim]
        for i in self.graph.initializer:
            self.shapes[i.name], self.types[i.name] = list(i.dims), i.data_type
        self.shapes.update({n: list(a.shape) for n, a in self.constants.items()})

    def run(self):
        moved = set(self.parameters)
        for n in self.graph.node:
            if any(x in moved for x in n.input):
                moved.update(o for o in n.output if o and self.types.get(o, TensorProto.FLOAT) in FLOATS)
        if self.loss not in moved:
            raise _library.error(Status.INVALID_ARGUMENT, f"the loss {self.loss} does not depend on any of {', '.join(self.parameters)}")
        self.moved = moved
        self.totals[self.loss] = [self.constant(np.ones(self.shapes.get(self.loss, []), helper.tensor_dtype_to_np_dtype(self.types[self.loss])))]
        for node in reversed(list(self.graph.node)):
            if not any(o in self.totals for o in node.output) or not any(x in moved for x in node.input):
                continue
            rule = getattr(self, "_" + node.op_type, None)
            if rule is None:
                self.refuse(node, "there is no gradient of this operator")
            self.node = node
            for x, dx in zip(node.input, rule(node, [self.total(o) for o in node.output])):
                if dx and x in moved:
                    self.totals.setdefault(x, []).append(dx)
        without = [p for p in self.parameters if p not in self.totals]
        if without:
            raise _library.error(Status.INVALID_ARGUMENT, f"the loss {self.loss} does not depend on {', '.join(without)}")
        for p in self.parameters:
            self.new.append(helper.make_node("Identity", [self.total(p)], [f"{p}_grad"], name=f"{p}_grad"))
            self.graph.output.append(helper.make_tensor_value_info(f"{p}_grad", self.types[p], self.shapes[p]))
        self.graph.node.extend(self.new)
        return self.model

    # ---- what rules are made of

    def refuse(self, node, what):
        raise _library.error(Status.UNSUPPORTED, f"node '{node.name}' ({node.op_type}): {what}")

    def at(self, node, name, default=None):
        return next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)

    def attributes(self, node, *names):
        """Those of the node that it has."""
        return {a.name: helper.get_attribute_value(a) for a in node.attribute if a.name in names}

    def op(self, kind, *inputs, domain="", outputs=1, **attributes):
        self.count += 1
        names = [f"gradient_{self.count}_{i}" if kept else "" for i, kept in enumerate(outputs if isinstance(outputs, list) else [True] * outputs)]
        name = f"{kind}_gradient_{self.count}"
        self.new.append(helper.make_node(kind, list(inputs), names, name=name, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def ours(self, kind, *inputs, **attributes):
        return self.op(kind, *inputs, domain=MICROSOFT, **attributes)

    def constant(self, value):
        self.count += 1
        name = f"gradient_constant_{self.count}"
        self.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def integers(self, values):
        return self.constant(np.array(values, np.int64))

    def number(self, value, like):
        return self.constant(np.array(value, helper.tensor_dtype_to_np_dtype(self.types[like])))

    def shape(self, name):
        if name not in self.shapes:
            self.refuse(self.node, f"the shape of {name} is not known")
        return self.shapes[name]

    def like(self, x, other):
        return self.op("Reshape", x, self.op("Shape", other))

    def total(self, name):
        """The sum of the gradients that have come to a tensor; None where there is none."""
        parts = self.totals.get(name)
        if not parts:
            return None
        if len(parts) > 1:
            self.totals[name] = parts = [self.op("Sum", *parts)]
        return parts[0]

    def unbroadcast(self, dy, y, x):
        """The gradient of x where x was broadcast to the shape of y."""
        of_y, of_x = self.shape(y), self.shape(x)
        if of_y == of_x:
            return dy
        lead = len(of_y) - len(of_x)
        for i, extent in enumerate(of_x):
            if extent != of_y[i + lead] and extent != 1:
                self.refuse(self.node, f"it is not known whether dimension {i} of {x}, {extent!r}, is broadcast to {of_y[i + lead]!r}")
        axes = [*range(lead), *(i + lead for i, extent in enumerate(of_x) if extent == 1 and of_y[i + lead] != 1)]
        return self.like(self.op("ReduceSum", dy, self.integers(axes), keepdims=0), x)

    def output(self, node, place):
        """The name of an output, which is given one where the model does not ask for it."""
        while len(node.output) <= place:
            node.output.append("")
        if not node.output[place]:
            node.output[place] = f"{node.output[0]}_{place}"
        return node.output[place]

    # ---- arithmetic

    def _Identity(self, n, d):
        return d

    def _Add(self, n, d):
        return [self.unbroadcast(d[0], n.output[0], x) for x in n.input]

    _Sum = _Add

    def _Sub(self, n, d):
        return [self.unbroadcast(d[0], n.output[0], n.input[0]), self.unbroadcast(self.op("Neg", d[0]), n.output[0], n.input[1])]

    def _Mul(self, n, d):
        return [x in self.moved and self.unbroadcast(self.op("Mul", d[0], other), n.output[0], x) for x, other in zip(n.input, reversed(n.input))]

    def _Div(self, n, d):
        a, b = n.input
        if b in self.moved:
            self.shape(a), self.shape(b)
            da, db = self.ours("DivGrad", d[0], a, b, outputs=[a in self.moved, True])
            return [da, db]
        return [self.unbroadcast(self.op("Div", d[0], b), n.output[0], a), None]

    def _Neg(self, n, d):
        return [self.op("Neg", d[0])]

    def _Exp(self, n, d):
        return [self.op("Mul", d[0], n.output[0])]

    def _Log(self, n, d):
        return [self.op("Div", d[0], n.input[0])]

    def _Sqrt(self, n, d):
        return [self.op("Div", d[0], self.op("Mul", self.number(2, n.input[0]), n.output[0]))]

    def _Abs(self, n, d):
        return [self.op("Mul", d[0], self.op("Sign", n.input[0]))]

    def _Erf(self, n, d):
        x = n.input[0]
        return [self.op("Mul", d[0], self.op("Mul", self.number(2 / np.pi ** 0.5, x), self.op("Exp", self.op("Neg", self.op("Mul", x, x)))))]

    def _Pow(self, n, d):
        x, y = n.input
        if y not in self.constants:
            self.refuse(n, "the exponent is not a constant")
        power = self.constant(self.constants[y] - 1)
        return [self.unbroadcast(self.op("Mul", d[0], self.op("Mul", self.op("Cast", y, to=self.types[x]), self.op("Pow", x, power))), n.output[0], x), None]

    def _Where(self, n, d):
        condition, a, b = n.input
        zero = self.number(0, n.output[0] if n.output[0] in self.types else a)
        return [None, self.unbroadcast(self.op("Where", condition, d[0], zero), n.output[0], a),
                self.unbroadcast(self.op("Where", condition, zero, d[0]), n.output[0], b)]

    def _Cast(self, n, d):
        return [self.op("Cast", d[0], to=self.types[n.input[0]])]

    # ---- matrix products

    def _MatMul(self, n, d):
        a, b = n.input
        if len(self.shape(a)) < 2 or len(self.shape(b)) < 2:
            self.refuse(n, "the gradient of a product with a vector is not there")
        da = a in self.moved and self.unbroadcast_batch(self.ours("FusedMatMul", d[0], b, transB=1), n, a)
        if b not in self.moved:
            return [da, None]
        if len(self.shape(b)) > 2:
            return [da, self.unbroadcast_batch(self.ours("FusedMatMul", a, d[0], transA=1), n, b)]
        if not all(isinstance(extent, int) for extent in self.shape(b)):
            self.refuse(n, f"the shape of {b} is not known")
        rows = [self.op("Reshape", t, self.integers([-1, extent])) for t, extent in zip((a, d[0]), self.shape(b))]  # one product over all rows
        return [da, self.op("Gemm", *rows, transA=1)]

    def unbroadcast_batch(self, dx, n, x):
        """Sums over dimensions before the last two in which x was broadcast."""
        of_y, of_x = self.shape(n.output[0]), self.shape(x)
        lead = len(of_y) - len(of_x)
        axes = [*range(lead), *(i + lead for i in range(len(of_x) - 2) if of_x[i] == 1 and of_y[i + lead] != 1)]
        return self.like(self.op("ReduceSum", dx, self.integers(axes), keepdims=0), x) if axes else dx

    def _Gemm(self, n, d):
        a, b = n.input[:2]
        alpha, beta = self.at(n, "alpha", 1.0), self.at(n, "beta", 1.0)
        ta, tb = self.at(n, "transA", 0), self.at(n, "transB", 0)
        da = self.op("Gemm", b, d[0], transA=tb, transB=1, alpha=alpha) if ta else self.op("Gemm", d[0], b, transB=1 - tb, alpha=alpha)
        db = self.op("Gemm", d[0], a, transA=1, transB=ta, alpha=alpha) if tb else self.op("Gemm", a, d[0], transA=1 - ta, alpha=alpha)
        made = [da, db]
        if len(n.input) > 2:
            dc = self.unbroadcast(d[0], n.output[0], n.input[2])
            made.append(dc if beta == 1 else self.op("Mul", dc, self.number(beta, n.input[2])))
        return made

    # ---- shapes

    def _Reshape(self, n, d):
        return [self.like(d[0], n.input[0]), None]

    _Flatten = _Squeeze = _Unsqueeze = _Reshape

    def _Expand(self, n, d):
        return [self.unbroadcast(d[0], n.output[0], n.input[0]), None]

    def _Transpose(self, n, d):
        order = self.at(n, "perm")
        return [self.op("Transpose", d[0], **({"perm": [int(i) for i in np.argsort(order)]} if order else {}))]

    def _Gather(self, n, d):
        return [self.ours("GatherGrad", self.op("Shape", n.input[0]), n.input[1], d[0], axis=self.at(n, "axis", 0)), None]

    def _GatherElements(self, n, d):
        return [self.ours("GatherElementsGrad", d[0], self.op("Shape", n.input[0]), n.input[1], axis=self.at(n, "axis", 0)), None]

    def _GatherND(self, n, d):
        return [self.ours("GatherNDGrad", self.op("Shape", n.input[0]), n.input[1], d[0], batch_dims=self.at(n, "batch_dims", 0)), None]

    def _Slice(self, n, d):
        return [self.ours("SliceGrad", d[0], self.op("Shape", n.input[0]), *n.input[1:])] + [None] * (len(n.input) - 1)

    def _Split(self, n, d):
        parts = [dy or self.op("ConstantOfShape", self.op("Shape", o), value=numpy_helper.from_array(np.zeros(1, helper.tensor_dtype_to_np_dtype(
            self.types[n.input[0]])))) for o, dy in zip(n.output, d)]
        return [self.op("Concat", *parts, axis=self.at(n, "axis", 0)), None]

    def _Concat(self, n, d):
        axis = self.at(n, "axis")
        sizes = [self.op("Slice", self.op("Shape", x), *(self.integers([i]) for i in ((axis, axis + 1) if axis != -1 else (-1, 1 << 30)))) for x in n.input]
        parts = self.op("Split", d[0], self.op("Concat", *sizes, axis=0), axis=axis, outputs=len(n.input))
        return [parts] if len(n.input) == 1 else parts

    # ---- sums

    def reduced(self, n, dy, mean):
        x = n.input[0]
        axes = self.at(n, "axes")
        if axes is None and len(n.input) > 1 and n.input[1]:
            if n.input[1] not in self.constants:
                self.refuse(n, "the axes are not constants")
            axes = self.constants[n.input[1]].tolist()
        if not axes and self.at(n, "noop_with_empty_axes", 0):
            return dy
        if not self.at(n, "keepdims", 1):
            rank = len(self.shape(x))
            dy = self.op("Unsqueeze", dy, self.integers(sorted(a % rank for a in axes) if axes else list(range(rank))))
        made = self.op("Expand", dy, self.op("Shape", x))
        return self.op("Div", made, self.share(x, n.output[0])) if mean else made

    def share(self, x, y):
        """How many elements of x become one of y."""
        return self.op("Cast", self.op("Div", self.op("Size", x), self.op("Size", y)), to=self.types[x])

    def _ReduceSum(self, n, d):
        return [self.reduced(n, d[0], False), None]

    def _ReduceMean(self, n, d):
        return [self.reduced(n, d[0], True), None]

    def _GlobalAveragePool(self, n, d):
        x = n.input[0]
        return [self.op("Div", self.op("Expand", d[0], self.op("Shape", x)), self.share(x, n.output[0]))]

    # ---- activations

    def _Relu(self, n, d):
        return [self.ours("ReluGrad", d[0], n.output[0])]

    def _LeakyRelu(self, n, d):
        return [self.ours("LeakyReluGrad", d[0], n.output[0], **self.attributes(n, "alpha"))]

    def _Sigmoid(self, n, d):
        return [self.ours("SigmoidGrad", d[0], n.output[0])]

    def _Tanh(self, n, d):
        return [self.ours("TanhGrad", d[0], n.output[0])]

    def _Gelu(self, n, d):
        tanh = self.at(n, "approximate", b"none") == b"tanh"
        return [self.ours("FastGeluGrad" if tanh else "GeluGrad", d[0], n.input[0])]

    def _FastGelu(self, n, d):
        if len(n.input) < 2 or not n.input[1]:
            return [self.ours("FastGeluGrad", d[0], n.input[0])]
        return self.biased("BiasFastGeluGrad_dX", n, d[0])

    def _BiasGelu(self, n, d):
        return self.biased("BiasGeluGrad_dX", n, d[0])

    def biased(self, kind, n, dy):
        dx = self.ours(kind, dy, n.input[0], n.input[1])
        return [dx, self.unbroadcast(dx, n.input[0], n.input[1])]

    def _QuickGelu(self, n, d):
        return [self.ours("QuickGeluGrad", d[0], n.input[0], **self.attributes(n, "alpha"))]

    def _Softmax(self, n, d):
        return [self.ours("SoftmaxGrad_13", d[0], n.output[0], axis=self.at(n, "axis", -1))]

    def _LogSoftmax(self, n, d):
        return [self.ours("LogSoftmaxGrad_13", d[0], n.output[0], axis=self.at(n, "axis", -1))]

    def _Dropout(self, n, d):
        mask = self.output(n, 1)
        return [self.ours("DropoutGrad", d[0], mask, *n.input[1:])] + [None] * (len(n.input) - 1)

    # ---- norms, convolutions, losses

    def _LayerNormalization(self, n, d):
        given, (x, scale) = len(n.input), n.input[:2]
        if given == 2 and all(isinstance(extent, int) for extent in self.shape(scale)):  # fusions of onnxruntime 1.18 read a third input, whether it is there or not
            n.input.append(self.constant(np.zeros(self.shape(scale), helper.tensor_dtype_to_np_dtype(self.types[scale]))))
        made = self.ours("LayerNormalizationGrad", d[0], x, scale, self.output(n, 1), self.output(n, 2), outputs=3, axis=self.at(n, "axis", -1))
        return made[:given]

    def _SimplifiedLayerNormalization(self, n, d):
        return self.ours("SimplifiedLayerNormalizationGrad", d[0], *n.input[:2], self.output(n, 1), outputs=2, axis=self.at(n, "axis", -1))

    def _BatchNormalization(self, n, d):
        if not self.at(n, "training_mode", 0):
            self.refuse(n, "training_mode = 0: there is no gradient of batch norm by its running statistics")
        n.op_type, n.domain = "BatchNormInternal", MICROSOFT
        for place in range(5):
            self.output(n, place)
        made = self.ours("BatchNormalizationGrad", d[0], n.input[0], n.input[1], n.output[3], n.output[4], outputs=3, epsilon=self.at(n, "epsilon", 1e-5))
        return [*made, None, None]

    def _Conv(self, n, d):
        return self.convolution("ConvGrad", n, d[0])

    def _ConvTranspose(self, n, d):
        return self.convolution("ConvTransposeGrad", n, d[0])

    def convolution(self, kind, n, dy):
        if self.at(n, "auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
            self.refuse(n, f"auto_pad = {self.at(n, 'auto_pad').decode()}: give pads")
        wanted = [x in self.moved for x in n.input]
        made = self.ours(kind, dy, *n.input[:2], outputs=wanted + [False] * (3 - len(wanted)), **self.attributes(n, "kernel_shape", "strides", "pads", "dilations", "group"))
        return made[:len(n.input)]

    def _SoftmaxCrossEntropyLoss(self, n, d):
        if len(n.output) > 1 and d[1]:
            self.refuse(n, "its output log_prob has a gradient of its own")
        made = self.ours("SoftmaxCrossEntropyLossGrad", d[0], self.output(n, 1), *n.input[1:], **self.attributes(n, "reduction", "ignore_index"))
        return [made] + [None] * (len(n.input) - 1)
