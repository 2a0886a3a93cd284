"""Every function of adjoint.jax with a gradient, by jax.test_util.check_grads: the reverse mode against finite differences, the forward mode refused."""
import importlib.util
import pathlib
import sys
import unittest
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.test_util import check_grads

jax.config.update("jax_enable_x64", True)

import adjoint.jax as adj  # noqa: E402
from adjoint.functional import FUNCTIONS, GATED_FUNCTIONS  # noqa: E402


def draw(shape, dtype):
    """Elements away from 0, 3 and -3, where some activations have a kink."""
    x = np.random.default_rng(sum(shape)).standard_normal(shape)
    return jnp.asarray(np.where(np.abs(x) < 0.2, x + 0.5, np.clip(x, -2.5, 2.5)), dtype)


def cases():
    """(name, function, shapes of its arrays)"""
    for shape in ((), (3, 4), (0, 4)):
        for name in FUNCTIONS:
            yield name, partial(adj.activation, function=name), [shape]
        yield "leaky_relu of a negative slope", partial(adj.activation, function="leaky_relu", leaky_slope=-0.5), [shape]
    for shape in ((), (2, 3, 4), (0, 4)):
        for axis in range(-len(shape), len(shape)):
            yield f"softmax over {axis}", partial(adj.softmax, axis=axis), [shape]
            yield f"log_softmax over {axis}", partial(adj.log_softmax, axis=axis), [shape]
    for shape in ((6,), (2, 3, 8), (0, 4)):
        for name in GATED_FUNCTIONS:
            yield name, partial(adj.gated_activation, function=name), [shape]
    for shape, axis in (((8,), -1), ((2, 3, 8), -1), ((2, 3, 8), 1), ((0, 8), -1)):
        end = shape[axis:]
        for weights in ([], [end], [end, end]):
            yield f"layer_norm from {axis}", partial(adj.layer_norm, axis=axis), [shape, *weights]
        for weights in ([], [end]):
            yield f"rms_norm from {axis}", partial(adj.rms_norm, axis=axis), [shape, *weights]
    for shape in ((3, 6), (2, 6, 3), (0, 6, 2)):
        for weights in ([], [(6,), (6,)]):
            yield "group_norm", partial(adj.group_norm, groups=3) if not weights else lambda x, s, b: adj.group_norm(x, 3, s, b), [shape, *weights]
    for shape in ((7,), (3, 7), (2, 3, 7)):
        labels = jnp.asarray(np.random.default_rng(1).integers(0, 7, shape[:-1]))
        for reduction in ("mean", "sum", "none"):
            for ignored in (None, 3):
                if ignored is None or shape[:-1]:
                    yield f"cross_entropy {reduction}", partial(adj.cross_entropy, labels=labels, reduction=reduction, ignore_index=ignored), [shape]
    for kind in (jnp.int32, jnp.int64):
        yield "embedding", partial(adj.embedding, jnp.asarray([[1, 1], [4, 0]], kind)), [(5, 3)]
        yield "embedding out of range", partial(adj.embedding, jnp.asarray([7, -1, 2], kind)), [(5, 3)]
    for state in (jax.random.key(3), jnp.asarray([9, 4], jnp.uint64)):
        yield "dropout", lambda x, state=state: adj.dropout(x, state, 0.25), [(3, 8)]


def more_cases():
    """As cases(), of functions on several arrays: products, attention, rotation, and pairs by the name of their operator."""
    for a, b, transposed in (((3, 4), (4, 5), {}), ((2, 3, 4), (4, 5), {}), ((2, 3, 4), (2, 4, 5), {}), ((4, 3), (5, 4), {"transpose_a": True, "transpose_b": True}),
                             ((2, 3, 4), (5, 4), {"transpose_b": True}), ((2, 4, 3), (2, 4, 5), {"transpose_a": True}),
                             ((2, 4, 3), (4, 5), {"transpose_a": True}), ((2, 0, 4), (4, 5), {})):
        yield "matmul", partial(adj.matmul, **transposed), [a, b]
    for heads, options in ((2, {}), (1, {"causal": True}), (2, {"scale": 0.3, "causal": True, "window": 1})):
        yield "attention", partial(adj.attention, **options), [(2, 3, 2, 4), (2, 3, heads, 4), (2, 3, heads, 4)]
    for dtype in (jnp.float32, jnp.float64):
        angles = jnp.asarray(np.random.default_rng(2).standard_normal((5, 2)), dtype)
        for positions in (None, jnp.asarray([[0, 4, 2]])):
            yield f"rope {dtype.__name__}", lambda x, angles=angles, positions=positions: adj.rope(x, jnp.cos(angles), jnp.sin(angles), positions), [(1, 3, 2, 4)]
    for shape in ((4,), (3, 4), (2, 3, 4)):
        labels = jnp.asarray(np.random.default_rng(1).integers(0, 5, shape[:-1]))
        for options in ({}, {"reduction": "sum", "label_smoothing": 0.1}, {"reduction": "none", "ignore_index": 3}, {"chunk_rows": 2, "z_loss": 0.1}):
            function = partial(adj.linear_cross_entropy, labels=labels, **options)
            yield "linear_cross_entropy float32", function, [shape, (5, 4)]
            yield "linear_cross_entropy with a bias, float32", lambda x, w, b, function=function: function(x, w, bias=b), [shape, (5, 4), (5,)]
    offsets = jnp.asarray([0, 2])
    yield "embedding_bag_forward", lambda w: adj.differentiable("embedding_bag_forward", weight=w, indices=jnp.asarray([0, 1, 3]), offsets=offsets, mode="sum"), [(4, 3)]
    yield "conv_forward", lambda x, w: adj.differentiable("conv_forward", input=x, weight=w), [(1, 2, 5), (3, 2, 3)]


class Gradients(unittest.TestCase):
    def test_more_than_one_array(self):
        for name, function, shapes in more_cases():
            for dtype in (jnp.float64,) if "float64" in name else (jnp.float32,) if "float32" in name else (jnp.float32, jnp.float64):
                arrays = [draw(shape, dtype) for shape in shapes]
                with self.subTest(name, shapes=shapes, dtype=dtype.__name__):
                    self.assertEqual(function(*arrays).dtype, dtype)
                    check_grads(function, arrays, order=1, modes=["rev"], **({"atol": 3e-2, "rtol": 3e-2, "eps": 1e-2} if dtype == jnp.float32 else {}))
                    check_grads(jax.jit(function), arrays, order=1, modes=["rev"], **({"atol": 3e-2, "rtol": 3e-2, "eps": 1e-2} if dtype == jnp.float32 else {}))
        x = draw((2, 3, 4), jnp.float64)
        np.testing.assert_allclose(adj.matmul(x, x[0].T), jnp.matmul(x, x[0].T), rtol=1e-12)
        labels, w = jnp.asarray([[1, 4, 0], [2, 2, 3]]), draw((5, 4), jnp.float32)
        x32 = x.astype(jnp.float32)
        for options in ({}, {"ignore_index": 2}, {"reduction": "sum"}, {"reduction": "none"}):
            np.testing.assert_allclose(adj.linear_cross_entropy(x32, w, labels, **options), adj.cross_entropy(x32 @ w.T, labels, **options), rtol=1e-5)
        for call, words in ((lambda: adj.linear_cross_entropy(x32, w.T, labels), "linear_cross_entropy: x, linear_weight and labels have the shapes"),
                            (lambda: adj.linear_cross_entropy(x32, w, labels[0]), "labels have the shapes"), (lambda: adj.group_norm(x32, 2), "groups")):
            with self.assertRaisesRegex(ValueError, words):
                call()
        check_grads(adj.matmul, [x[0], x[1].T], order=2, modes=["rev"])  # its gradients are products

    def test_every_pair(self):
        """The gradient of every operator that has one, on the calls of the package's own tests."""
        sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "capi/python/tests"))
        from test_ops import CALLS
        others = {"fake_quantize_forward", "dropout_forward", "bias_softmax_dropout_forward", "bias_dropout_residual_forward"}  # not that of a function without kinks
        tried = 0
        for name, pair in adj.GRADIENTS.items():
            if not pair.operator or name in others:
                continue
            known, given = adj.operator_of(name), dict(CALLS[name][0])
            given.update({"mode": "sum"} if name == "embedding_bag_forward" else {"exact": 1} if name == "soft_label_cross_entropy_loss" else {})
            kind = jnp.float32 if name in ("moe_route", "linear_cross_entropy", "linear_log_prob") else jnp.float64
            arrays, rest = {}, {}
            for k, v in given.items():
                argument = known.by_name.get(k)
                if argument is None or argument.kind not in ("tensor", "list"):
                    rest[k] = {"f32": "f64"}.get(v, v) if isinstance(v, str) and kind == jnp.float64 else v
                elif isinstance(v, np.ndarray) and argument.role == "in":
                    (arrays if k in pair.outputs and v.dtype.kind == "f" else rest)[k] = jnp.asarray(v, kind if v.dtype.kind == "f" else v.dtype)
            function = lambda *values: adj.differentiable(name, **rest, **dict(zip(arrays, values)))  # noqa: E731
            with self.subTest(name):
                rough = {"atol": 3e-2, "rtol": 3e-2, "eps": 1e-3} if kind == jnp.float32 else {}
                check_grads(function, list(arrays.values()), order=1, modes=["rev"], **rough)
                tried += 1
        self.assertGreater(tried, 20)

    def test_attention_and_rope(self):
        q, k, v = (draw((2, 3, h, 4), jnp.float64) for h in (4, 2, 2))
        np.testing.assert_allclose(adj.attention(q, k, v, causal=True), jax.nn.dot_product_attention(q, k, v, is_causal=True), rtol=1e-5)
        angles = draw((3, 2), jnp.float64)
        c, s = jnp.cos(angles)[:, None], jnp.sin(angles)[:, None]
        expected = jnp.concatenate([q[..., :2] * c - q[..., 2:] * s, q[..., 2:] * c + q[..., :2] * s], -1)
        np.testing.assert_allclose(adj.rope(q, jnp.cos(angles), jnp.sin(angles)), expected, rtol=1e-9)
        for call, words in ((lambda: adj.attention(q, k[:, :2], v[:, :2]), "attention: q, k and v have the shapes"), (lambda: adj.attention(q, k, v, scale=0), "scale = 0"),
                            (lambda: adj.rope(q[0], angles, angles), "rope: x has the shape"), (lambda: adj.differentiable("lion", params=[q]), "there is no gradient"),
                            (lambda: adj.matmul(q[0, 0, 0], q), "expected at least two dimensions")):
            with self.assertRaisesRegex(ValueError, words):
                call()

    def test_dropout_of_every_mask(self):
        """What is kept in the gradient is what the call kept, for every mask, from numbers and from memory, also where the call advances the offset there."""
        x = draw((3, 40000), jnp.float64)
        state = jnp.asarray([2 ** 64 - 3, 8], jnp.uint64)
        for mask in ("default", "bool", "bits", "none"):
            for mapping in ({}, {"mapping": "onnx_runtime", "multiprocessors": 2, "threads_per_multiprocessor": 512}):
                for given in ({"random": (2 ** 64 - 3, 8)}, {"random": state}, {"random": state, "advance_offset": 1}, {"training": 0}):
                    with self.subTest(mask=mask, **mapping, **given):
                        f = partial(adj.differentiable, "dropout_forward", ratio=0.1, mask_mode=mask, **mapping, **given)
                        for function in (lambda x: f(input=x), jax.jit(lambda x: f(input=x))):
                            out, backward = jax.vjp(function, x)
                            expected = jnp.where(out.reshape(x.shape) == 0, 0, 1 if "training" in given else 1 / (1 - 0.1))
                            np.testing.assert_allclose(backward(jnp.ones_like(out))[0], expected, rtol=1e-15)

    def test_adamw(self):
        """The steps of AdamW by its formula, of a tree with two types, under jit, with a rate that changes; and as optax takes it."""
        params = {"w": draw((3, 4), jnp.float32), "b": [draw((5,), jnp.float64), draw((), jnp.float32)]}
        rate = lambda count: 0.1 / (1 + count)  # noqa: E731
        for learning_rate in (0.1, rate):
            optimizer = adj.adamw(learning_rate, weight_decay=0.01)
            state, found = optimizer.init(params), params
            leaves = [np.asarray(p, np.float64) for p in jax.tree_util.tree_leaves(params)]
            moments = [[np.zeros_like(p), np.zeros_like(p)] for p in leaves]
            for step in range(1, 4):
                grads = jax.tree_util.tree_map(lambda p: (step * p + 1).astype(p.dtype), params)
                updates, state = jax.jit(optimizer.update)(grads, state, found)
                found = jax.tree_util.tree_map(lambda p, u: p + u, found, updates)
                for i, g in enumerate(map(np.float64, jax.tree_util.tree_leaves(grads))):
                    m, v = moments[i]
                    m[...], v[...] = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
                    lr = rate(step - 1) if callable(learning_rate) else learning_rate
                    leaves[i] = leaves[i] - lr * ((m / (1 - 0.9 ** step)) / (np.sqrt(v / (1 - 0.999 ** step)) + 1e-8) + 0.01 * leaves[i])
            self.assertEqual(int(state.count), 3)
            for a, b, p in zip(jax.tree_util.tree_leaves(found), leaves, jax.tree_util.tree_leaves(params)):
                self.assertEqual((a.dtype, a.shape), (p.dtype, p.shape))
                np.testing.assert_allclose(a, b, rtol=1e-5)
        with self.assertRaisesRegex(ValueError, "adamw: params is not given"):
            optimizer.update(grads, state)
        with self.assertRaisesRegex(ValueError, "adamw: a gradient has the shape"):
            optimizer.update({"w": grads["w"][:1], "b": grads["b"]}, state, params)

    @unittest.skipUnless(importlib.util.find_spec("optax"), "optax is not installed")
    def test_optax(self):
        import optax
        params = {"w": draw((3, 4), jnp.float64)}
        results = []
        for adamw in (adj.adamw, optax.adamw):
            optimizer = optax.chain(optax.clip_by_global_norm(1.0), adamw(optax.linear_schedule(0.1, 0.01, 5)))
            found, state = params, optimizer.init(params)
            for _ in range(3):
                updates, state = optimizer.update(jax.tree_util.tree_map(jnp.cos, found), state, found)
                found = optax.apply_updates(found, updates)
            results.append(found["w"])
        np.testing.assert_allclose(*results, rtol=1e-6)

    def test_check_grads(self):
        tried = set()
        for name, function, shapes in cases():
            for dtype in (jnp.float32, jnp.float64):
                arrays = [draw(shape, dtype) for shape in shapes]
                with self.subTest(name, shapes=shapes, dtype=dtype.__name__):
                    out = function(*arrays)
                    self.assertEqual(out.dtype, dtype)
                    rough = {"atol": 3e-2, "rtol": 3e-2, "eps": 1e-2} if dtype == jnp.float32 else {}  # differences of numbers of 24 bits
                    check_grads(function, arrays, order=1, modes=["rev"], **rough)
                    with self.assertRaisesRegex(TypeError, "forward-mode"):
                        check_grads(function, arrays, order=1, modes=["fwd"])
                    tried.add(name.split()[0])
        self.assertEqual(tried, {*FUNCTIONS, *GATED_FUNCTIONS, "softmax", "log_softmax", "layer_norm", "rms_norm", "group_norm", "cross_entropy", "embedding", "dropout"})

    def test_second_derivatives_are_refused(self):
        for name, function, shapes in cases():
            if 0 in shapes[0] or not shapes[0] or name == "embedding out of range":
                continue
            arrays = [draw(shape, jnp.float64) for shape in shapes]
            with self.subTest(name, shapes=shapes), self.assertRaises((TypeError, ValueError, NotImplementedError)):
                jax.grad(lambda x: (jax.grad(lambda v: (function(v, *arrays[1:]) ** 2).sum())(x) ** 2).sum())(arrays[0])
                self.fail("a second derivative")


if __name__ == "__main__":
    unittest.main()
