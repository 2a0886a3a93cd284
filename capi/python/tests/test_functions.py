"""The functions against formulas, on numpy arrays."""
import unittest

import numpy as np

import adjoint

RANDOM = np.random.default_rng(7)


def normal(*shape, dtype=np.float32):
    return RANDOM.standard_normal(shape).astype(dtype)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


class Functions(unittest.TestCase):
    def close(self, actual, expected, tolerance=1e-5):
        self.assertEqual(actual.shape, np.shape(expected))
        np.testing.assert_allclose(actual.astype(np.float64), expected, rtol=tolerance, atol=tolerance)

    def test_softmax(self):
        for shape, axis in (((3, 5), -1), ((2, 3, 4), 1), ((2, 3, 4), 0), ((6,), 0), ((0, 4), 1)):
            x, d = normal(*shape), normal(*shape)
            y = adjoint.softmax(x, axis)
            if x.size:
                self.close(y, softmax(x, axis))
                self.close(adjoint.log_softmax(x, axis), np.log(softmax(x, axis)))
            self.close(adjoint.softmax_backward(d, y, axis), y * (d - (d * y).sum(axis, keepdims=True)))
            ly = adjoint.log_softmax(x, axis)
            self.close(adjoint.log_softmax_backward(d, ly, axis), d - np.exp(ly) * d.sum(axis, keepdims=True))

    def test_in_place(self):
        x, d = normal(3, 5), normal(3, 5)
        y = adjoint.softmax(x)
        expected = adjoint.softmax_backward(d, y)
        result = adjoint.softmax_backward(d, y, dinput=d)
        self.assertIs(result, d)
        np.testing.assert_array_equal(d, expected)

    def test_element_types(self):
        x = normal(4, 6)
        for kind, tolerance in ((np.float16, 2e-3), (np.float64, 1e-12)):
            y = adjoint.softmax(x.astype(kind))
            self.assertEqual(y.dtype, kind)
            self.close(y, softmax(x.astype(kind).astype(np.float64)), tolerance)

    def test_bfloat16_as_uint16(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4) / 8
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)  # exact, these numbers have few bits
        y = adjoint.softmax(bits, dtype="bf16")
        self.assertEqual(y.dtype, np.uint16)
        self.close((y.astype(np.uint32) << 16).view(np.float32), softmax(x), 1e-2)

    def test_bfloat16_of_ml_dtypes(self):
        try:
            from ml_dtypes import bfloat16
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        x = normal(3, 4).astype(bfloat16)
        y = adjoint.softmax(x)
        self.assertEqual(y.dtype, bfloat16)
        self.close(y.astype(np.float32), softmax(x.astype(np.float32)), 1e-2)
        self.assertEqual(adjoint.softmax(x, dtype="bf16").dtype, bfloat16)
        self.assertEqual(adjoint.softmax(x.view(np.uint16), dtype="bf16").dtype, np.uint16)

    def test_codes_of_eight_bits(self):
        x = np.array([[0.5, -448.0, 0.0, 1.0625], [2.0, 1.0, -0.25, 4.0]], np.float32)
        kinds = [np.uint8]
        try:
            from ml_dtypes import float8_e4m3fn
            kinds.append(float8_e4m3fn)
        except ImportError:
            pass
        for kind in kinds:
            codes = np.empty((2, 4), kind)
            # The first row has a scale of 1, the second 448 / 4, whose products are 224, 112, -28 and 448.
            got = adjoint.quantize(x=x, codes=codes, granularity="row", inverse_out=True, **(dict(dtype="f8_e4m3") if kind == np.uint8 else {}))
            self.assertEqual(codes.view(np.uint8).tolist(), [[0x30, 0xfe, 0x00, 0x38], [0x76, 0x6e, 0xde, 0x7e]])
            back = adjoint.dequantize(codes=codes, inverse=got.inverse_out, granularity="row", element="f32", **(dict(dtype="f8_e4m3") if kind == np.uint8 else {}))
            want = np.array([[0.5, -448.0, 0.0, 1.0], [2.0, 1.0, -0.25, 4.0]], np.float32)
            self.close(back, want, 1e-6)

    def cross_entropy(self, x, labels, weight=None, ignore=None, reduction="mean"):
        classes = x.shape[1]
        moved = np.moveaxis(x.astype(np.float64), 1, -1).reshape(-1, classes)
        flat = labels.reshape(-1)
        kept = flat != ignore
        w = (np.ones(classes) if weight is None else weight)[np.where(kept, flat, 0)] * kept
        p = softmax(moved)
        loss = -np.log(p[np.arange(flat.size), np.where(kept, flat, 0)]) * w
        gradient = (p - np.eye(classes)[np.where(kept, flat, 0)]) * w[:, None]
        if reduction == "mean":
            loss, gradient = loss.sum() / w.sum(), gradient / w.sum()
        elif reduction == "sum":
            loss = loss.sum()
        else:
            loss = loss.reshape(labels.shape)
        gradient = np.moveaxis(gradient.reshape(*labels.shape, classes), -1, 1)
        return loss, gradient

    def test_cross_entropy(self):
        for shape, label_type in (((6, 5), np.int64), ((2, 4, 3), np.int32)):
            x, labels = normal(*shape), RANDOM.integers(0, shape[1], (shape[0], *shape[2:])).astype(label_type)
            labels.flat[1] = -100
            weight = RANDOM.random(shape[1]).astype(np.float32) + 0.5
            for reduction in ("mean", "sum", "none"):
                for w in (None, weight):
                    loss, lse = adjoint.cross_entropy(x, labels, w, ignore_index=-100, reduction=reduction, return_lse=True)
                    expected, gradient = self.cross_entropy(x, labels, w, -100, reduction)
                    self.close(loss, expected)
                    dloss = np.ones_like(loss)
                    dscores = adjoint.cross_entropy_backward(dloss, x, lse, labels, w, ignore_index=-100, reduction=reduction)
                    self.close(dscores, gradient)

    def test_cross_entropy_with_classes_last(self):
        x, labels = normal(2, 3, 5), RANDOM.integers(0, 5, (2, 3))
        expected, gradient = self.cross_entropy(x.reshape(6, 5), labels.reshape(6))
        loss, lse = adjoint.cross_entropy(x, labels, class_axis=-1, return_lse=True)
        self.close(loss, expected)
        self.close(adjoint.cross_entropy_backward(np.ones_like(loss), x, lse, labels, class_axis=-1), gradient.reshape(x.shape))

    def test_cross_entropy_with_gradient(self):
        x, labels = normal(2, 3, 5), RANDOM.integers(0, 5, (2, 3))
        expected, gradient = self.cross_entropy(x.reshape(6, 5), labels.reshape(6))
        loss, dscores = adjoint.cross_entropy_with_gradient(x, labels, dloss=2.0)
        self.close(loss, expected)
        self.close(dscores, 2 * gradient.reshape(x.shape))
        smooth, _ = adjoint.cross_entropy_with_gradient(x, labels, label_smoothing=0.1)
        self.assertNotEqual(float(smooth), float(loss))

    def test_embedding(self):
        weight, indices = normal(7, 4), np.array([[1, 0, 6], [1, 1, 3]])
        self.close(adjoint.embedding(indices, weight), weight[indices])
        d = normal(2, 3, 4)
        expected = np.zeros((7, 4))
        np.add.at(expected, indices, d)
        self.close(adjoint.embedding_backward(d, indices, 7), expected)
        total = np.ones((7, 4), np.float32)
        adjoint.embedding_backward(d, indices, 7, dweight=total, accumulate=True)
        self.close(total, expected + 1)
        self.assertEqual(np.abs(adjoint.embedding_backward(d, indices, 7, padding_idx=1)[1]).sum(), 0)
        flag = np.zeros(1, np.int64)
        adjoint.embedding(np.array([0, 9, -1]), weight, error_flag=flag)
        self.assertEqual(flag[0], 2)

    def test_layer_norm(self):
        x, gamma, beta, d = normal(2, 3, 8), normal(8), normal(8), normal(2, 3, 8)
        mean, variance = x.mean(-1), x.var(-1)
        inv_std = 1 / np.sqrt(variance + 1e-5)
        h = (x - mean[..., None]) * inv_std[..., None]
        out, m, s = adjoint.layer_norm(x, gamma, beta, return_statistics=True)
        self.close(out, h * gamma + beta)
        self.close(m, mean)
        self.close(s, inv_std)
        self.close(adjoint.layer_norm(x), h)
        g = d * gamma
        expected = inv_std[..., None] * (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True))
        dinput, dgamma, dbeta = adjoint.layer_norm_backward(d, x, m, s, gamma)
        self.close(dinput, expected, 1e-4)
        self.close(dgamma, (d * h).sum((0, 1)), 1e-4)
        self.close(dbeta, d.sum((0, 1)), 1e-4)
        dinput, dgamma, dbeta = adjoint.layer_norm_backward(d, x, m, s, gamma, want_dgamma=False, want_dbeta=False)
        self.assertIsNone(dgamma)
        self.assertIsNone(dbeta)

    def test_norm_over_two_dimensions_with_residual(self):
        x, r, gamma = normal(3, 4, 5), normal(3, 4, 5), normal(4, 5)
        out, total, inv_std = adjoint.rms_norm(x, gamma, axis=1, residual=r, return_statistics=True)
        self.close(total, x + r)
        s = 1 / np.sqrt(((x + r) ** 2).mean((1, 2)) + 1e-5)
        self.close(inv_std, s)
        self.close(out, (x + r) * s[:, None, None] * gamma)

    def test_rms_norm(self):
        x, gamma, d = normal(6, 8), normal(8), normal(6, 8)
        s = 1 / np.sqrt((x ** 2).mean(-1) + 1e-5)
        h, g = x * s[:, None], d * gamma
        out, inv_std = adjoint.rms_norm(x, gamma, return_statistics=True)
        self.close(out, h * gamma)
        dinput, dgamma = adjoint.rms_norm_backward(d, x, inv_std, gamma)
        self.close(dinput, s[:, None] * (g - h * (g * h).mean(-1, keepdims=True)), 1e-4)
        self.close(dgamma, (d * h).sum(0), 1e-4)

    def test_group_norm(self):
        for shape in ((3, 6), (2, 6, 5), (2, 6, 3, 2)):
            x, scale, bias, d = normal(*shape), normal(6), normal(6), normal(*shape)
            grouped = x.reshape(shape[0], 3, -1)
            mean, inv_std = grouped.mean(-1), 1 / np.sqrt(grouped.var(-1) + 1e-5)
            h = ((grouped - mean[..., None]) * inv_std[..., None]).reshape(shape)
            each = (1, 6, *[1] * (len(shape) - 2))
            out, m, s = adjoint.group_norm(x, 3, scale, bias, return_statistics=True)
            self.close(out, h * scale.reshape(each) + bias.reshape(each))
            self.close(m, mean)
            self.close(s, inv_std)
            self.close(adjoint.group_norm(x, 3), h)
            g, k = (d * scale.reshape(each)).reshape(grouped.shape), h.reshape(grouped.shape)
            expected = inv_std[..., None] * (g - g.mean(-1, keepdims=True) - k * (g * k).mean(-1, keepdims=True))
            dinput, dscale, dbias = adjoint.group_norm_backward(d, x, m, s, 3, scale)
            others = tuple(i for i in range(len(shape)) if i != 1)
            self.close(dinput, expected.reshape(shape), 1e-4)
            self.close(dscale, (d * h).sum(others), 1e-4)
            self.close(dbias, d.sum(others), 1e-4)
            self.assertEqual(adjoint.group_norm_backward(d, x, m, s, 3, want_dscale=False, want_dbias=False)[1:], (None, None))
        with self.assertRaisesRegex(adjoint.InvalidError, r"group_norm_forward: input has the shape \[6\], expected at least two dimensions"):
            adjoint.group_norm(normal(6), 3)
        with self.assertRaisesRegex(adjoint.InvalidError, r"scale"):
            adjoint.group_norm(normal(2, 6, 5), 3, normal(5))

    def test_activations(self):
        x, d = normal(4, 6, dtype=np.float64), normal(4, 6, dtype=np.float64)
        step = 1e-6
        for name in adjoint.functional.FUNCTIONS:
            forward, backward = getattr(adjoint, name), getattr(adjoint, name + "_backward")
            y = forward(x)
            slope = (forward(x + step) - forward(x - step)) / (2 * step)
            saved = y if name in adjoint.functional.SAVED_OUTPUT else x
            self.close(backward(d, saved), d * slope, 1e-6)
        self.close(adjoint.relu(x), np.maximum(x, 0))
        self.close(adjoint.silu(x), x / (1 + np.exp(-x)))
        self.close(adjoint.leaky_relu(x, leaky_slope=0.2), np.where(x > 0, x, 0.2 * x))

    def test_activation_with_bias(self):
        x, bias, d = normal(4, 6), normal(6), normal(4, 6)
        self.close(adjoint.tanh(x, bias), np.tanh(x + bias))
        dinput, dbias = adjoint.activation_backward(d, x, "gelu", bias, want_dbias=True)
        self.close(dbias, dinput.sum(0), 1e-5)

    def test_gated(self):
        x, d = normal(3, 8, dtype=np.float64), normal(3, 4, dtype=np.float64)
        gate, linear = x[:, :4], x[:, 4:]
        silu = gate / (1 + np.exp(-gate))
        self.close(adjoint.swiglu(x), silu * linear)
        gradient = adjoint.swiglu_backward(d, x)
        self.close(gradient[:, 4:], d * silu)
        self.close(adjoint.reglu(x, interleaved=True), np.maximum(x[:, ::2], 0) * x[:, 1::2])

    def test_dropout(self):
        x = normal(50, 40)
        out, mask = adjoint.dropout(x, 0.25, seed=3)
        again, _ = adjoint.dropout(x, 0.25, seed=3)
        np.testing.assert_array_equal(out, again)
        self.close(out, np.where(mask, x / 0.75, 0))
        self.assertAlmostEqual(mask.mean(), 0.75, delta=0.05)
        self.close(adjoint.dropout_backward(x, mask, 0.25), out)

    def test_reduce(self):
        x = normal(3, 4, 5)
        self.close(adjoint.reduce(x), x.sum())
        self.close(adjoint.reduce(x, "mean", 1), x.mean(1))
        self.close(adjoint.reduce(x, "max", (0, -1), keepdims=True), x.max((0, 2), keepdims=True))
        self.close(adjoint.reduce(x, "logsumexp", -1), np.log(np.exp(x).sum(-1)))
        self.close(adjoint.reduce(x.astype(np.float16), "sum", output_dtype="f32"), x.astype(np.float16).astype(np.float64).sum(), 1e-3)
        self.close(adjoint.reduce(x, "sum", ()), x)

    def test_norm_and_clip(self):
        arrays = [normal(3, 4), normal(7)]
        norm = np.sqrt(sum((a.astype(np.float64) ** 2).sum() for a in arrays))
        self.close(adjoint.l2_norm(arrays), norm)
        scaled = [a.copy() for a in arrays]
        self.close(adjoint.clip_grad_norm(scaled, 1.0), norm)
        for a, s in zip(arrays, scaled):
            self.close(s, a / (norm + 1e-6))

    def test_adam_function(self):
        w, g = normal(5, 3), normal(5, 3)
        m, v, start = np.zeros_like(w), np.zeros_like(w), w.copy()
        adjoint.adam([w], [g], [m], [v], step=1, lr=0.1, weight_decay=0.5)
        self.close(w, start * (1 - 0.05) - 0.1 * g / (np.abs(g) + 1e-8))
        self.close(m, 0.1 * g)

    def test_adam_step_in_an_array(self):
        w, g, step = normal(4), normal(4), np.ones(1, np.int64)
        lists = [w], [g], [np.zeros_like(w)], [np.zeros_like(w)]
        adjoint.adam(*lists, step=step, lr=0.1, advance_step=True)
        adjoint.adam(*lists, step=step, lr=0.1, advance_step=True)
        self.assertEqual(step[0], 3)

    def test_adamw(self):
        a, b = normal(5, 3), normal(4)
        w, expected = [a.copy(), b.copy()], [a.astype(np.float64), b.astype(np.float64)]
        optimizer = adjoint.AdamW(w, lr=0.01, weight_decay=0.1)
        m, v = [np.zeros(x.shape) for x in w], [np.zeros(x.shape) for x in w]
        for t in range(1, 4):
            grads = [normal(5, 3), normal(4)]
            optimizer.step(grads)
            for i, g in enumerate(grads):
                m[i], v[i] = 0.9 * m[i] + 0.1 * g, 0.999 * v[i] + 0.001 * g.astype(np.float64) ** 2
                expected[i] = expected[i] * (1 - 0.001) - 0.01 * (m[i] / (1 - 0.9 ** t)) / (np.sqrt(v[i] / (1 - 0.999 ** t)) + 1e-8)
        for x, y in zip(w, expected):
            self.close(x, y)
        copy = adjoint.AdamW([x.copy() for x in w])
        copy.load_state_dict(optimizer.state_dict())
        self.assertEqual(copy.state[0]["step"], 3)
        optimizer.step([None, normal(4)])
        self.assertEqual([s["step"] for s in optimizer.state], [3, 4])
        with self.assertRaisesRegex(ValueError, "1 gradients for 2 parameters"):
            optimizer.step([normal(4)])
        with self.assertRaisesRegex(ValueError, "no attribute grad"):
            optimizer.step()

    def test_sgd(self):
        w, g = normal(5), normal(5)
        start, buffer = w.copy(), np.zeros(5, np.float32)
        adjoint.sgd([w], [g], lr=0.1)
        self.close(w, start - 0.1 * g)
        adjoint.sgd([w], [g], [buffer], lr=0.1, momentum=0.9, first_step=True)
        self.close(buffer, g)
        self.close(w, start - 0.2 * g)

    def test_same_bits_in_every_run(self):
        x = normal(64, 1000)
        first = adjoint.softmax_backward(x, adjoint.softmax(x))
        for _ in range(3):
            np.testing.assert_array_equal(adjoint.softmax_backward(x, adjoint.softmax(x)), first)

    def test_threads(self):
        import threading
        x = [normal(40, 30) for _ in range(4)]
        expected = [adjoint.softmax(a) for a in x]
        wrong = []

        def work(i):
            for _ in range(200):
                if not np.array_equal(adjoint.softmax(x[i]), expected[i]):
                    wrong.append(i)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_many_problems_are_not_all_kept(self):
        from adjoint import _call
        kept, _call.KEPT_CALLS = _call.KEPT_CALLS, 8
        try:
            for n in range(1, 40):
                adjoint.softmax(np.ones((2, n), np.float32))
                self.assertLessEqual(len(_call._thread.calls), 8)
        finally:
            _call.KEPT_CALLS = kept
        adjoint.forget_plans()
        self.assertEqual(len(_call._thread.calls), 0)
