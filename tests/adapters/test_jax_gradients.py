"""Every function of adjoint.jax with a gradient, by jax.test_util.check_grads: the reverse mode against finite differences, the forward mode refused."""
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


class Gradients(unittest.TestCase):
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
        self.assertEqual(tried, {*FUNCTIONS, *GATED_FUNCTIONS, "softmax", "log_softmax", "layer_norm", "rms_norm", "cross_entropy", "embedding", "dropout"})

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
