"""Single nodes of every operator that runs in a session as it stands, with their inputs. record_onnxruntime.py stores what onnxruntime-training makes of them;
`reference` is for those that it has no kernel for on the CPU."""
import zlib

import numpy as np
from onnx import helper

F32, F64, F16 = np.float32, np.float64, np.float16


class Case:
    def __init__(self, op, inputs, outputs=1, domain="com.microsoft", reference=None, tolerance=2e-6, name="", differs=False, **attributes):
        self.differs = differs  # from onnxruntime-training on purpose: the reference counts
        self.op, self.inputs, self.domain, self.reference, self.tolerance, self.attributes = op, inputs, domain, reference, tolerance, attributes
        self.outputs = outputs if isinstance(outputs, list) else [True] * outputs
        self.name = f"{op}{'/' + name if name else ''}"


def real(*shape, seed="", dtype=F32, low=-2.0, high=2.0):
    random = np.random.default_rng(zlib.crc32(f"{shape}{seed}".encode()))
    return random.uniform(low, high, shape).astype(dtype)


def whole(most, *shape, dtype=np.int64, seed=""):
    return np.random.default_rng(zlib.crc32(f"{shape}{seed}{most}".encode())).integers(0, most, shape).astype(dtype)


def ints(*values, dtype=np.int64):
    return np.array(values, dtype)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax(x, axis=-1):
    return np.log(softmax(x.astype(F64), axis)).astype(x.dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(F64)))


def activations():
    for op in ("ReluGrad", "GeluGrad", "FastGeluGrad", "SigmoidGrad", "TanhGrad"):
        yield Case(op, [real(3, 4), real(3, 4, seed=1)])
    yield Case("SigmoidGrad", [real(3, 4, dtype=F64), sigmoid(real(3, 4))], name="f64", reference=lambda d, y: [d * y * (1 - y)])
    yield Case("ReluGrad", [np.array(3, F32), np.array(-1, F32)], name="scalar")
    yield Case("ReluGrad", [real(0, 4), real(0, 4)], name="empty")
    yield Case("LeakyReluGrad", [real(2, 5), real(2, 5, seed=1)])
    yield Case("LeakyReluGrad", [real(2, 5), real(2, 5, seed=1)], alpha=0.25, name="alpha")
    quick = lambda d, x, a=1.702: [d * (s := sigmoid(a * x)) * (1 + a * x.astype(F64) * (1 - s))]  # noqa: E731
    yield Case("QuickGeluGrad", [real(2, 5), real(2, 5, seed=1)], reference=quick)
    yield Case("QuickGeluGrad", [real(2, 5), real(2, 5, seed=1)], alpha=1.0, name="alpha", reference=lambda d, x: quick(d, x, 1.0))
    for op in ("BiasGeluGrad_dX", "BiasFastGeluGrad_dX"):
        yield Case(op, [real(2, 3, 4), real(2, 3, 4, seed=1), real(4)])
    a, b = real(2, 3), real(2, 3, seed=1, low=1)
    yield Case("DivGrad", [real(2, 3, seed=2), a, b], 2)
    yield Case("DivGrad", [real(2, 3, seed=2), a, real(3, seed=1, low=1)], 2, name="broadcast")
    yield Case("DivGrad", [real(2, 3, seed=2), a, b], [False, True], name="db")
    yield Case("DivGrad", [real(2, 3, seed=2), a, b], [True], name="da")


def softmaxes():
    for op, saved in (("SoftmaxGrad", softmax), ("LogSoftmaxGrad", log_softmax)):
        for axis in (None, 2, -1):
            given = {} if axis is None else {"axis": axis}
            x = real(2, 3, 4)
            flat = saved(x.reshape(int(np.prod(x.shape[:axis or 1])), -1)).reshape(x.shape)
            yield Case(op, [real(2, 3, 4, seed=1), flat], name=f"axis={axis}", **given)
        for axis in (None, 1):
            given = {} if axis is None else {"axis": axis}
            yield Case(op + "_13", [real(2, 3, 4, seed=1), saved(real(2, 3, 4), -1 if axis is None else axis)], name=f"axis={axis}", **given)


def dropouts():
    dy, mask = real(4, 8), whole(2, 4, 8).astype(bool)
    bits = np.packbits(mask.reshape(-1, 4, 8)[:, :, ::1], axis=-1, bitorder="little").reshape(-1, 4).view(np.uint32).reshape(-1)
    scaled = lambda ratio: lambda *_: [np.where(mask, dy / F32(1 - ratio), 0)]  # noqa: E731
    yield Case("DropoutGrad", [dy, mask], name="default", reference=scaled(0.5))
    yield Case("DropoutGrad", [dy, mask, np.array(0.25, F32)], name="ratio", reference=scaled(0.25))
    yield Case("DropoutGrad", [dy, mask, np.array(0.25, F64), np.array(True)], name="training", reference=scaled(0.25))
    yield Case("DropoutGrad", [dy, mask, np.array(0.25, F32), np.array(False)], name="not training", reference=lambda *_: [dy], differs=True)
    yield Case("BitmaskDropoutGrad", [dy, bits, np.array(0.25, F32)], reference=scaled(0.25))
    yield Case("SoftmaxDropoutGrad", [dy, mask, softmax(real(4, 8, seed=1)), np.array(0.25, F32)], axis=1,
               reference=lambda d, m, y, r: [y * ((a := np.where(m, d / 0.75, 0)) - (a * y).sum(-1, keepdims=True))])


def quantized():
    x = real(3, 8, low=-3, high=30)
    q = np.rint(x / F32(0.075)) + 128
    yield Case("FakeQuant", [x, np.array(0.075, F32), np.array(128, F32)], 2,
               reference=lambda *_: [(np.clip(q, 0, 255) - 128) * F32(0.075), (q >= 0) & (q <= 255)])
    yield Case("FakeQuantGrad", [real(3, 8), whole(2, 3, 8).astype(bool)], reference=lambda d, m: [np.where(m, d, 0)])
    signs = x > 0
    packed = np.packbits(signs.reshape(-1))
    yield Case("GistBinarizeEncoder", [x], reference=lambda x: [signs])
    yield Case("GistBinarizeDecoder", [signs], to=1, reference=lambda s: [s.astype(F32)])
    yield Case("GistPack1Encoder", [x], reference=lambda x: [np.packbits((x > 0).reshape(-1))])
    yield Case("GistPack1Decoder", [packed], to=1, reference=lambda p: [np.unpackbits(p).astype(F32)])
    yield Case("GistPack16Encoder", [x], reference=lambda x: [x.astype(F16)])
    yield Case("GistPack16Decoder", [x.astype(F16)], to=1, reference=lambda p: [p.astype(F32)])
    exact = np.array([[0, 1, -2, 0.5, 1.25, 448, -3.5, 0]], F32)  # 3 bits
    codes = (exact.astype(F16).view(np.uint16) >> 8).astype(np.uint8)
    yield Case("GistPack8Encoder", [exact], reference=lambda x: [codes])
    yield Case("GistPack8Decoder", [codes], to=1, reference=lambda c: [exact])
    tile, bytes_ = np.array([[1, -2, 0.5, 0.25, 3.99, 0, -0.01, 1.5]], F32), np.array([[0x10, 0x60, 8, 4, 0x3F, 0, 0x40, 0x98]], np.uint8)
    yield Case("GistPackMsfp15Encoder", [tile], reference=lambda x: [bytes_])
    yield Case("GistPackMsfp15Decoder", [bytes_], to=1, reference=lambda b: [np.array([[1, -2, 0.5, 0.25, 3.9375, 0, 0, 1.5]], F32)])


def losses():
    scores, labels, weight = real(6, 4), whole(4, 6), real(4, low=0.5)
    soft = softmax(real(6, 4, seed=1))
    for reduction in ("mean", "sum"):
        yield Case("SoftmaxCrossEntropy", [scores, soft], 2, reduction=reduction, name=reduction)
        yield Case("SoftmaxCrossEntropyGrad", [np.array(0.7, F32), log_softmax(scores), soft], reduction=reduction, name=reduction)
        yield Case("SparseSoftmaxCrossEntropy", [scores, labels], 2, "", reduction=reduction, name=reduction)
        yield Case("SparseSoftmaxCrossEntropy", [scores, labels, real(6, low=0.5)], 2, "", reduction=reduction, name=reduction + " weight")
        yield Case("SparseSoftmaxCrossEntropyGrad", [np.array(0.7, F32), log_softmax(scores), labels], 1, "", reduction=reduction, name=reduction)
        yield Case("SparseSoftmaxCrossEntropyGrad", [np.array(0.7, F32), log_softmax(scores), labels, real(6, low=0.5)], 1, "", reduction=reduction,
                   name=reduction + " weight")
    deep, deep_labels = real(2, 4, 3), whole(4, 2, 3)
    for reduction in ("mean", "sum", "none"):
        dy = real(2, 3, seed="dy") if reduction == "none" else np.array(0.7, F32)
        more = {"reduction": reduction}
        yield Case("SoftmaxCrossEntropyLoss", [deep, deep_labels], 2, "", name=reduction, **more)
        yield Case("SoftmaxCrossEntropyLoss", [deep, deep_labels, weight], 2, "", ignore_index=1, name=reduction + " weight", **more)
        yield Case("SoftmaxCrossEntropyLossGrad", [dy, log_softmax(deep, 1), deep_labels], name=reduction, **more)
        yield Case("SoftmaxCrossEntropyLossGrad", [dy, log_softmax(deep, 1), deep_labels, weight], ignore_index=1, name=reduction + " weight", **more)
        yield Case("SoftmaxCrossEntropyLossInternal", [deep, deep_labels], 2, name=reduction, **more)
        yield Case("SoftmaxCrossEntropyLossInternal", [deep, deep_labels, weight, np.array(1)], 2, name=reduction + " weight", **more)
        yield Case("SoftmaxCrossEntropyLossInternalGrad", [dy, log_softmax(deep, 1), deep_labels], name=reduction, **more)
        yield Case("SoftmaxCrossEntropyLossInternalGrad", [dy, log_softmax(deep, 1), deep_labels, weight, np.array(1)], name=reduction + " weight", **more)
        yield Case("SoftmaxCrossEntropyLossInternalGrad", [dy, log_softmax(deep, 1), deep_labels, weight, np.array(1), real(2, 4, 3, seed="bias")],
                   name=reduction + " bias", **more)


def norms():
    x = real(4, 3, 5)
    mean, inv = x.mean(-1, keepdims=True, dtype=F64), 1 / np.sqrt(x.var(-1, keepdims=True, dtype=F64) + 1e-5)
    gamma, beta = real(5, low=0.5), real(5, seed=1)
    yield Case("LayerNormalizationGrad", [real(4, 3, 5, seed=1), x, gamma, mean.astype(F32), inv.astype(F32)], 3, tolerance=1e-5)
    rows = x.reshape(4, 15)
    yield Case("LayerNormalizationGrad", [real(4, 3, 5, seed=1), x, real(3, 5, low=0.5), rows.mean(1).reshape(4, 1, 1),
                                          (1 / np.sqrt(rows.var(1) + 1e-5)).reshape(4, 1, 1)], 3, axis=1, name="axis=1", tolerance=1e-5)
    rms = (1 / np.sqrt((x.astype(F64) ** 2).mean(-1, keepdims=True) + 1e-5)).astype(F32)
    yield Case("SimplifiedLayerNormalizationGrad", [real(4, 3, 5, seed=1), x, gamma, rms], 2, tolerance=1e-5)
    y = ((x - mean) * inv * gamma + beta).astype(F32)
    dy, g = real(4, 3, 5, seed=1), real(4, 3, 5, seed=1) * gamma
    h = (x - mean) * inv
    made = [inv * (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)), (dy * h).sum((0, 1)), dy.sum((0, 1))]
    yield Case("InvertibleLayerNormalizationGrad", [dy, y, gamma, beta, inv.astype(F32)], 3, tolerance=2e-5, reference=lambda *_: made)
    x, scale, bias, old_mean, old_variance = real(2, 3, 4), real(3, low=0.5), real(3), real(3, seed=1), real(3, low=0.5, seed=2)
    across = lambda a: a[None, :, None]  # noqa: E731
    mu, var = x.mean((0, 2), dtype=F64), x.var((0, 2), dtype=F64)
    inv = 1 / np.sqrt(var + 1e-3)
    # The running variance is unbiased, as that of the CUDA kernel; the CPU's is not.
    after = [across(scale * inv) * (x - across(mu)) + across(bias), 0.7 * old_mean + 0.3 * mu, 0.7 * old_variance + 0.3 * var * 8 / 7, mu, inv]
    yield Case("BatchNormInternal", [x, scale, bias, old_mean, old_variance], 5, epsilon=1e-3, momentum=0.7, tolerance=1e-5, reference=lambda *_: after,
               differs=True)
    mean, inv = x.mean((0, 2)), 1 / np.sqrt(x.var((0, 2)) + F32(1e-5))
    yield Case("BatchNormalizationGrad", [real(2, 3, 4, seed=1), x, real(3, low=0.5), mean, inv], 3, epsilon=1e-5, tolerance=1e-5)


def convolutions():
    x, w = real(2, 4, 6, 5), real(6, 2, 3, 2)
    more = dict(group=2, strides=[2, 1], pads=[1, 0, 1, 1], dilations=[1, 2], kernel_shape=[3, 2], auto_pad="NOTSET")
    yield Case("ConvGrad", [real(2, 6, 3, 4), x, w], 3, tolerance=1e-5, **more)
    for outputs, name in (([True], "dX"), ([False, True], "dW"), ([False, False, True], "dB")):
        yield Case("ConvGrad", [real(2, 6, 3, 4), x, w], outputs, name=name, tolerance=1e-5, **more)
    yield Case("ConvGrad", [real(2, 3, 5), real(2, 4, 5), real(3, 4, 1)], 3, name="no attributes", tolerance=1e-5)
    vectors = real(1, 2, 3), real(1, 1, 3, seed=1), real(1, 2, 1, seed=2)
    yield Case("ConvTransposeGrad", list(vectors), 3, tolerance=1e-5,
               reference=lambda dy, x, w: [np.einsum("nmi,cmk->nci", dy, w), np.einsum("nci,nmi->cm", x, dy)[..., None], dy.sum((0, 2))])
    yield Case("ResizeGrad", [np.arange(16, dtype=F32).reshape(1, 1, 4, 4), real(1, 1, 2, 2)], mode="linear",
               reference=lambda *_: [np.array([[[[12.5, 19.5], [40.5, 47.5]]]], F32)])
    yield Case("ResizeGrad", [np.arange(16, dtype=F32).reshape(1, 1, 4, 4), real(1, 1, 2, 2)], mode="linear", name="corners",
               coordinate_transformation_mode="align_corners", tolerance=1e-4, reference=lambda *_: [np.array([[[[13.33333, 20], [40, 46.66667]]]], F32)])


def indices():
    yield Case("GatherGrad", [ints(5, 3), whole(5, 2, 4), real(2, 4, 3)])
    yield Case("GatherGrad", [ints(2, 5, 3), whole(5, 4, dtype=np.int32), real(2, 4, 3)], axis=-2, name="axis=-2")
    yield Case("GatherNDGrad", [ints(2, 3, 4), ints(0, 1, 1, 2, 0, 1).reshape(3, 2), real(3, 4)])
    yield Case("GatherNDGrad", [ints(2, 3, 4), ints(1, 2).reshape(2, 1), real(2, 4)], batch_dims=1, name="batch")
    yield Case("GatherElementsGrad", [real(2, 3), ints(4, 3), whole(4, 2, 3)])
    yield Case("GatherElementsGrad", [real(2, 3), ints(2, 5), whole(5, 2, 3)], axis=1, name="axis=1")
    yield Case("SliceGrad", [real(1, 2), ints(3, 4), ints(1, 0), ints(2, 4), ints(0, 1), ints(1, 2)])
    yield Case("SliceGrad", [real(2, 4), ints(3, 4), ints(1), ints(3)], name="no axes")
    padded = np.zeros((2, 3, 4), F32)
    rows = real(3, 4)
    padded.reshape(6, 4)[[0, 5, 2]] = rows
    yield Case("PadAndUnflatten", [rows, ints(0, 5, 2), ints(2, 3)], reference=lambda *_: [padded])
    yield Case("FlattenAndUnpad", [padded, ints(0, 5, 2)], 2, reference=lambda x, at: [x.reshape(6, 4)[at], ints(2, 3)])


def shapes():
    x = real(5, 3)
    yield Case("SplitTraining", [x, ints(2, 3)], 2)
    yield Case("SplitTraining", [x, ints()], 3, axis=1, name="equal")
    yield Case("ConcatTraining", [real(2, 3), real(4, 3)], 2, axis=0)
    yield Case("ConcatTraining", [real(2, 3), real(2, 1)], 1, axis=-1, name="no lengths")
    yield Case("View", [real(10), ints(2, 2), ints(3, 2)], 2, reference=lambda x, *_: [x[:4].reshape(2, 2), x[4:].reshape(3, 2)])
    yield Case("PassThrough", [real(2, 3), real(4), real(3)], 2, reference=lambda *x: list(x[:2]))
    yield Case("Group", [real(2), real(3)], reference=lambda *_: [np.array([True])])


def steps():
    w, g = real(6), real(6, seed=1)
    yield Case("SGDOptimizer", [np.array(0.1, F32), w, g], 2)
    yield Case("SGDOptimizer", [np.array(0.1, F32), w, g], [False, True], name="updates", reference=lambda lr, w, g: [-lr * g])

    def adam(lr, t, w, g, m, v, wd=0.0):
        g, m, v = (a.astype(F64) for a in (g, m, v))
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        new = w - lr * (m / (1 - 0.9 ** t) / (np.sqrt(v / (1 - 0.999 ** t)) + 1e-8) + wd * w)
        return [np.array(t + 1), m, v, new]
    moments = [real(6, seed=2), real(6, seed=3, low=0.1)]
    yield Case("AdamOptimizer", [np.array(0.1, F32), np.array(3), w, g, *moments], 4, reference=adam, tolerance=1e-5)
    yield Case("AdamOptimizer", [np.array(0.1, F32), np.array(3), w, g, *moments], 4, name="lambda", tolerance=1e-5,
               reference=lambda *a: adam(*a, wd=0.01), **{"lambda": 0.01})
    skipped = [np.array(0.1, F32), np.array(3), w, g, *moments, w.astype(F16), None, None, np.array(False)]
    yield Case("AdamOptimizer", skipped, 6, name="skipped", reference=lambda *_: [np.array(3), *moments, w, g, w.astype(F16)])
    yield Case("InPlaceAccumulator", [w, g])
    yield Case("InPlaceAccumulator", [w, g, np.array(False)], name="no update")
    yield Case("InPlaceAccumulatorV2", [w, g], 2, name="add")
    yield Case("InPlaceAccumulatorV2", [w, g, np.array([True])], 2, name="overwrite")
    yield Case("ZeroGradient", [w, np.array(1)])
    special = np.array([1, np.inf, -np.inf, np.nan, 0], F32)
    yield Case("IsFinite", [special], reference=lambda x: [np.isfinite(x)])
    for name, more, good in (("", {}, False), ("isinf_only", {"isinf_only": 1}, False), ("isnan_only", {"isnan_only": 1}, False)):
        yield Case("IsAllFinite", [w, special], name=name, reference=lambda *_, good=good: [np.array(good)], **more)
    yield Case("IsAllFinite", [np.array([np.nan], F32)], isinf_only=1, name="nan passes", reference=lambda *_: [np.array(True)])
    yield Case("IsAllFinite", [np.array([np.inf], F32)], isnan_only=1, name="inf passes", reference=lambda *_: [np.array(True)])
    yield Case("All", [np.array([True, False])], reference=lambda x: [np.array([False])])
    yield Case("All", [np.zeros(0, bool)], name="empty", reference=lambda x: [np.array([True])])
    yield Case("ReduceAllL2", [w, real(2, 3)], reference=lambda *x: [np.sqrt(sum((a.astype(F64) ** 2).sum() for a in x))])
    for keep in (0, 1):
        yield Case("ReduceSumTraining", [real(2, 3, 4), ints(0, -1)], keepdims=keep, name=f"keepdims={keep}",
                   reference=lambda x, axes, keep=keep: [x.sum(tuple(axes), keepdims=keep)])
        yield Case("ReduceSumTraining", [real(2, 3, 4), ints()], keepdims=keep, name=f"all, keepdims={keep}")
    yield Case("ReduceSumTraining", [real(2, 3), ints()], noop_with_empty_axes=1, name="none")
    for dtype in (F32, F64, np.int64):
        yield Case("Scale", [w, np.array(4, dtype)], name=np.dtype(dtype).name, reference=lambda x, s: [x * F32(s)])
    yield Case("Scale", [w, np.array(4, F32)], scale_down=1, name="down", reference=lambda x, s: [x * F32(0.25)])
    for n in (2, 3):
        more = {f"scale_{i}": (0.25, 0.5, 2.0)[i] for i in range(n)}
        yield Case("BatchScale", [w], n, name=str(n), reference=lambda x, n=n: [x * F32(s) for s in (0.25, 0.5, 2.0)[:n]], **more)
        yield Case("ScaledSum", [real(6, seed=i) for i in range(n)], name=str(n),
                   reference=lambda *x: [sum(a.astype(F64) * s for a, s in zip(x, (0.25, 0.5, 2.0)))], **more)


CLIPPED = [real(3, 4), real(5, seed=1)]


def clipping(outputs):
    """A graph that clips CLIPPED, the inputs a and b, to norm 0.5. outputs: nodes that read the sequence `clipped`, and names of their results."""
    sequence = helper.make_node("SequenceConstruct", ["a", "b"], ["all"])
    clip = helper.make_node("InplaceClipGradNorm", ["all"], ["clipped"], name="clip", domain="com.microsoft", max_norm=0.5)
    nodes, names = outputs
    values = [helper.make_tensor_value_info(n, 1, a.shape) for n, a in zip("ab", CLIPPED)]
    graph = helper.make_graph([sequence, clip, *nodes], "clip", values, [helper.make_empty_tensor_value_info(n) for n in names])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)


def cases():
    for family in (activations, softmaxes, dropouts, quantized, losses, norms, convolutions, indices, shapes, steps):
        yield from family()


TYPED = {"f64": F64, "f16": F16}


def in_type(case, kind, scalars):
    """The case with its f32 inputs in another type; those of one element only with `scalars`."""
    inputs = [a if a is None or a.dtype != F32 or a.size == 1 and not scalars else a.astype(TYPED[kind]) for a in case.inputs]
    made = Case(case.op, inputs, case.outputs, case.domain, differs=case.differs, tolerance={"f64": 1e-8, "f16": 4e-3}[kind], **case.attributes)
    made.name = f"{case.name} in {kind}{'' if scalars else ', scalars in f32'}"
    return made


def cases_in_types():
    """Each case in the other types. Which of them onnxruntime-training can run, its records say."""
    for case in cases():
        for kind in TYPED:
            if any(a is not None and a.dtype == F32 for a in case.inputs):
                yield in_type(case, kind, True)
                if any(a is not None and a.dtype == F32 and a.size == 1 for a in case.inputs):
                    yield in_type(case, kind, False)
