"""Every operator through XLA: the harness's cases with equal bits, derivatives of the pairs under jit and grad, wrong input, threads."""
import os
import threading
import unittest

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"  # of the CPU, before JAX is loaded

import jax
import jax.numpy as jnp
import numpy as np

import cases

jax.config.update("jax_enable_x64", True)

import adjoint.jax as adj  # noqa: E402
from adjoint._library import Error, Preference  # noqa: E402

PREFERENCE = ", ".join(Preference._fields)
RNG = np.random.default_rng(0)


def normal(*shape, dtype=np.float32):
    return jnp.asarray(RNG.standard_normal(shape), dtype)


def _contents(value):
    return [a.tobytes() for a in (value if isinstance(value, list) else [value])]


class Sharded(unittest.TestCase):
    @unittest.skipUnless(hasattr(jax, "shard_map"), "this JAX has no jax.shard_map")
    def test_gradients_under_shard_map(self):
        """A weight that all shards share has the sum of their gradients."""
        from jax.sharding import AxisType, Mesh, PartitionSpec as P
        mesh = Mesh(np.array(jax.devices("cpu")[:2]), ("i",), axis_types=(AxisType.Auto,))
        x, weight = normal(4, 8), normal(8)

        def loss(norm):
            def shard(w, part):
                return jax.lax.pmean((norm(part, w) ** 2).sum(), "i")
            return lambda w: jax.shard_map(shard, mesh=mesh, in_specs=(P(), P("i")), out_specs=P())(w, x)
        expected = jax.grad(loss(lambda v, w: v * jax.lax.rsqrt((v * v).mean(-1, keepdims=True) + 1e-5) * w))(weight)
        np.testing.assert_allclose(jax.grad(loss(adj.rms_norm))(weight), expected, rtol=1e-4)

    def test_rows_stay_sharded(self):
        """Each device computes the rows that it has, forward and backward, and sums its part of a weight's gradient. Nothing is gathered."""
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
        mesh = Mesh(np.array(jax.devices("cpu")[:8]).reshape(4, 2), ("i", "j"))
        x, w = normal(8, 3, 16), normal(16)
        functions = {"softmax": lambda x, w: adj.softmax(x), "log_softmax": lambda x, w: adj.log_softmax(x, 1), "rms_norm": adj.rms_norm,
                     "layer_norm": lambda x, w: adj.layer_norm(x, w, w), "activation": lambda x, w: adj.activation(x, "gelu"),
                     "gated_activation": lambda x, w: adj.gated_activation(x)}
        for name, function in functions.items():
            def gradients(x, w, function=function):
                return jax.grad(lambda x, w: (function(x, w) ** 2).sum(), (0, 1))(x, w)
            with self.subTest(name), jax.default_device(jax.devices("cpu")[0]):
                expected, (dx, dw) = function(x, w), gradients(x, w)
                for spec in (P("i"), P(("i", "j"))):
                    parts = jax.device_put(x, NamedSharding(mesh, spec))
                    found, (dparts, dshared) = jax.jit(function)(parts, w), jax.jit(gradients)(parts, w)
                    self.assertEqual((found.sharding.spec, dparts.sharding.spec), (spec, spec))
                    self.assertTrue(dshared.sharding.is_fully_replicated)
                    np.testing.assert_array_equal(found, expected)
                    np.testing.assert_array_equal(dparts, dx)
                    np.testing.assert_allclose(dshared, dw, rtol=1e-4, atol=1e-5)
                    self.assertNotIn("all-gather", jax.jit(gradients).lower(parts, w).compile().as_text())
                np.testing.assert_array_equal(jax.vmap(function, (0, None))(x[:, None], w)[:, 0], function(x, w))
                np.testing.assert_array_equal(function(parts, w), expected)

    def test_other_sharded_arrays(self):
        """jit gathers the operands of an operator and replicates its results; shard_map runs it on each shard."""
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
        mesh = Mesh(np.array(jax.devices("cpu")[:2]), ("i",))
        x = jax.device_put(normal(4, 8), NamedSharding(mesh, P("i")))
        whole = jax.jit(lambda x: adj.softmax(x, 0))(x)
        self.assertTrue(whole.sharding.is_fully_replicated)
        np.testing.assert_allclose(whole, jax.nn.softmax(x, 0), rtol=1e-6)
        if hasattr(jax, "shard_map"):
            for spec in (P("i"), P()):
                parts = jax.jit(jax.shard_map(adj.softmax, mesh=mesh, in_specs=spec, out_specs=spec))(x)
                self.assertEqual(parts.sharding.shard_shape(parts.shape), (2 if len(spec) else 4, 8))
                np.testing.assert_array_equal(parts, adj.softmax(x))

    def test_dropout_by_a_key(self):
        key, x = jax.random.key(7), normal(64)
        np.testing.assert_array_equal(adj.dropout(x, key, 0.5), adj.dropout(x, jax.random.key_data(key), 0.5))
        with self.assertRaisesRegex(ValueError, "dropout: state has the shape"):
            adj.dropout(x, jax.random.key_data(key)[:1], 0.5)
        with self.assertRaisesRegex(ValueError, r"dropout: state has the shape \(4,\) and the type float32"):
            adj.dropout(x, jnp.ones(4, jnp.float32), 0.5)
        for state in (jnp.asarray([7, 0, 1, 0], jnp.uint32), jnp.asarray([7, 3], jnp.uint64)):
            with self.assertRaisesRegex((ValueError, jax.errors.JaxRuntimeError), "dropout_forward: random.offset = [13] is not a multiple of 4"):
                jax.block_until_ready(adj.dropout(x, state, 0.5))
        with self.assertRaisesRegex(Error, r"dropout_forward: random.offset = -4 is not in \[0, 2\^64\)"):
            adj.call("dropout_forward", input=x, ratio=0.5, random=(7, -4), mask_mode="none")
        with self.assertRaisesRegex(Error, "dropout_forward: random has elements of type float32, expected integers"):
            adj.call("dropout_forward", input=x, ratio=0.5, random=jnp.ones(4, jnp.float32), mask_mode="none")

    def test_a_traced_ratio(self):
        key, x = jax.random.key(7), normal(64)
        for function in (jax.jit(lambda r: adj.dropout(x, key, r)), jax.grad(lambda r: adj.dropout(x, key, r).sum())):
            with self.assertRaisesRegex(Error, "dropout_forward: ratio is traced, and has no gradient; give a number"):
                function(0.5)
        np.testing.assert_array_equal(jax.jit(lambda x, r: adj.dropout(x, key, r), static_argnums=1)(x, 0.5), adj.dropout(x, key, jnp.float32(0.5)))


class Cases(unittest.TestCase):
    def test_equal_bits(self):
        with jax.default_device(jax.devices("cpu")[0]):
            self.run_cases()

    def run_cases(self):
        for number, case in enumerate(cases.each("jax")):
            arguments = {s.name: s for s in adj.operator_of(case.operator).arguments}
            named, want = dict(case.fields), []
            for name, value in case.given.items():
                if arguments[name].role == "out":
                    want.append(name)
                else:
                    named[name] = value
            for name, other in case.same.items():  # in place: of the same contents, in a buffer of XLA's
                if arguments[name].role == "out":
                    want.append(name)
                elif other in named:
                    named[name] = named[other]
            done = adj.call(case.operator, want=want, **named)
            results = done._asdict() if hasattr(done, "_asdict") else {n: done for n, s in arguments.items() if s.role != "in" and (n in want or n in named)}
            overwritten = {other for name, other in case.same.items() if arguments[name].role != "in"}  # in place; here it has a buffer of its own
            empty = any(a.size == 0 for v in case.given.values() for a in (v if isinstance(v, list) else [v]) if isinstance(a, np.ndarray))
            for name, value in results.items():
                if name in overwritten:
                    continue
                wanted = case.wanted.get(case.same.get(name, name))
                if empty and arguments[name].role == "out" and name in case.given and wanted == _contents(case.given[name]):
                    continue  # the operator does not write it: with nothing to do, some outputs stay as they are
                if wanted is not None:
                    held = [np.asarray(v).tobytes() for v in (value if isinstance(value, (tuple, list)) else [value])]
                    self.assertEqual(held, wanted, f"{case.operator}, {name}, {case.fields}")
            if number % 200 == 199:
                jax.clear_caches()


class Pairs(unittest.TestCase):
    def compare(self, ours, theirs, *arguments, tolerance=2e-6):
        """The value and the gradients of a function of arrays, each alone and under jit, beside those of JAX."""
        weights = jax.eval_shape(ours, *arguments)
        weights = normal(*weights.shape)
        floats = tuple(i for i, a in enumerate(arguments) if jnp.issubdtype(a.dtype, jnp.floating))

        def value(f):
            return lambda *args: jnp.vdot(f(*args).astype(jnp.float32), weights)
        expected = jax.grad(value(theirs), floats)(*arguments)
        np.testing.assert_allclose(ours(*arguments), theirs(*arguments), rtol=tolerance, atol=tolerance)
        for gradient in (jax.grad(value(ours), floats), jax.jit(jax.grad(value(ours), floats))):
            for got, want in zip(gradient(*arguments), expected):
                self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype))
                np.testing.assert_allclose(got, want, rtol=10 * tolerance, atol=10 * tolerance)
        np.testing.assert_array_equal(jax.jit(ours)(*arguments), ours(*arguments))

    def test_softmax(self):
        for axis in (-1, 0, 1):
            self.compare(lambda x: adj.softmax(x, axis), lambda x: jax.nn.softmax(x, axis), normal(3, 5, 4))
            self.compare(lambda x: adj.log_softmax(x, axis), lambda x: jax.nn.log_softmax(x, axis), normal(3, 5, 4))

    def test_activations(self):
        known = {"relu": jax.nn.relu, "leaky_relu": jax.nn.leaky_relu, "gelu": lambda x: jax.nn.gelu(x, False), "gelu_tanh": jax.nn.gelu,
                 "quick_gelu": lambda x: x * jax.nn.sigmoid(1.702 * x), "sigmoid": jax.nn.sigmoid, "tanh": jnp.tanh, "silu": jax.nn.silu, "elu": jax.nn.elu,
                 "softplus": jax.nn.softplus, "mish": jax.nn.mish, "hard_swish": jax.nn.hard_swish, "relu_squared": lambda x: jax.nn.relu(x) ** 2}
        for name, function in known.items():
            with self.subTest(name):
                self.compare(lambda x: adj.activation(x, name), function, normal(4, 9))
        self.compare(lambda x: adj.activation(x, "leaky_relu", leaky_slope=0.3), lambda x: jax.nn.leaky_relu(x, 0.3), normal(7))

    def test_gated_activations(self):
        known = {"swiglu": jax.nn.silu, "geglu": lambda x: jax.nn.gelu(x, False), "geglu_tanh": jax.nn.gelu, "reglu": jax.nn.relu}
        for name, function in known.items():
            with self.subTest(name):
                self.compare(lambda x: adj.gated_activation(x, name), lambda x: function(x[..., :3]) * x[..., 3:], normal(2, 5, 6))

    def test_norms(self):
        def layer(x, gamma=1, beta=0, axes=-1):
            return (x - x.mean(axes, keepdims=True)) * jax.lax.rsqrt(x.var(axes, keepdims=True) + 1e-5) * gamma + beta

        def rms(x, gamma=1):
            return x * jax.lax.rsqrt((x ** 2).mean(-1, keepdims=True) + 1e-5) * gamma
        x, gamma, beta = normal(3, 4, 8), normal(8), normal(8)
        self.compare(adj.layer_norm, layer, x, gamma, beta, tolerance=1e-5)
        self.compare(adj.layer_norm, layer, x, gamma, tolerance=1e-5)
        self.compare(adj.layer_norm, layer, x, tolerance=1e-5)
        self.compare(lambda x, beta: adj.layer_norm(x, None, beta), lambda x, beta: layer(x, 1, beta), x, beta, tolerance=1e-5)
        self.compare(lambda x, gamma: adj.layer_norm(x, gamma, axis=1), lambda x, gamma: layer(x, gamma, 0, (1, 2)), x, normal(4, 8), tolerance=1e-5)
        self.compare(adj.rms_norm, rms, x, gamma, tolerance=1e-5)
        self.compare(adj.rms_norm, rms, x, tolerance=1e-5)

    def test_cross_entropy(self):
        labels = jnp.asarray([[1, 0, 6], [3, 3, 2]])
        for reduction in ("none", "sum", "mean"):
            for ignored in (None, 3):
                def theirs(scores, labels):
                    loss = -jnp.take_along_axis(jax.nn.log_softmax(scores), labels[..., None], -1)[..., 0]
                    counts = jnp.ones_like(loss) if ignored is None else (labels != ignored).astype(loss.dtype)
                    return {"none": loss * counts, "sum": (loss * counts).sum(), "mean": (loss * counts).sum() / counts.sum()}[reduction]
                self.compare(lambda scores, labels: adj.cross_entropy(scores, labels, ignored, reduction), theirs, normal(2, 3, 7), labels)

    def test_embedding(self):
        self.compare(adj.embedding, lambda indices, weight: weight[indices], jnp.asarray([[1, 1], [4, 0]], jnp.int32), normal(5, 3))

    def test_dropout(self):
        x = normal(50, 40)
        for state in (jnp.asarray([9, 4], jnp.uint64), jnp.asarray([9, 0, 4, 0], jnp.uint32)):
            out = adj.dropout(x, state, 0.25)
            kept = out != 0
            self.assertAlmostEqual(float(kept.mean()), 0.75, delta=0.05)
            np.testing.assert_allclose(out, jnp.where(kept, x / 0.75, 0), rtol=1e-6)
            gradient = jax.jit(jax.grad(lambda x: adj.dropout(x, state, 0.25).sum()))(x)
            np.testing.assert_allclose(gradient, kept / 0.75, rtol=1e-6)

    def test_bfloat16(self):
        x = normal(3, 8, dtype=jnp.bfloat16)
        gradient = jax.grad(lambda x: (adj.softmax(x).astype(jnp.float32) ** 2).sum())(x)
        self.assertEqual(gradient.dtype, jnp.bfloat16)
        np.testing.assert_allclose(gradient.astype(np.float32), jax.grad(lambda x: (jax.nn.softmax(x) ** 2).sum())(x.astype(jnp.float32)), atol=2e-2)

    def test_transformations(self):
        x = normal(3, 4, 5)
        np.testing.assert_array_equal(jax.vmap(adj.softmax)(x), jnp.stack([adj.softmax(row) for row in x]))
        np.testing.assert_array_equal(jax.vmap(jax.grad(lambda row: adj.softmax(row)[0, 0]))(x), jnp.stack([jax.grad(lambda row: adj.softmax(row)[0, 0])(r) for r in x]))
        with self.assertRaises(TypeError):
            jax.jvp(adj.softmax, (x,), (x,))
        with self.assertRaises(Exception):
            jax.grad(lambda x: jax.grad(lambda x: adj.softmax(x)[0, 0, 0])(x).sum())(x)

    def test_a_model(self):
        labels, indices = jnp.asarray([1, 2, 0, 3]), jnp.asarray([3, 1, 4, 1])

        def model(softmax_loss, norm, gate, lookup):
            def loss(parameters):
                x = norm(lookup(indices, parameters[0]), parameters[1])
                return softmax_loss(gate(x @ parameters[2]), labels)
            return loss
        parameters = [normal(5, 6), normal(6), normal(6, 8)]
        ours = model(adj.cross_entropy, adj.rms_norm, adj.gated_activation, adj.embedding)
        theirs = model(lambda s, l: -jnp.take_along_axis(jax.nn.log_softmax(s), l[:, None], -1).mean(),
                       lambda x, g: x * jax.lax.rsqrt((x ** 2).mean(-1, keepdims=True) + 1e-5) * g,
                       lambda x: jax.nn.silu(x[..., :4]) * x[..., 4:], lambda i, w: w[i])
        for got, want in zip(jax.jit(jax.grad(ours))(parameters), jax.grad(theirs)(parameters)):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
        optimised = jax.jit(lambda p: adj.call("sgd", numel=[a.size for a in p], param="f32", lr=0.5, params=[a.reshape(-1) for a in p],
                                               grads=[a.reshape(-1) for a in jax.grad(ours)(p)]))(parameters)
        for got, p, gradient in zip(getattr(optimised, "params", optimised), parameters, jax.grad(ours)(parameters)):
            np.testing.assert_allclose(got, (p - 0.5 * gradient).reshape(-1), rtol=1e-5, atol=1e-6)


class Input(unittest.TestCase):
    def setUp(self):
        self.named = dict(outer=4, extent=10, element="f32", dout=normal(4, 10), out=normal(4, 10))

    def refused(self, sentence, kind=Exception, operator="softmax_backward", **changes):
        with self.assertRaises(kind) as raised:
            jax.block_until_ready(adj.call(operator, **{**self.named, **changes}))
        self.assertIn(sentence, str(raised.exception))

    def test_at_the_call(self):
        self.refused("softmax_backward: there is no argument or field extend; did you mean extent?", Error, extend=3)
        self.refused("'softmax_backwards' is not an operator", Error, operator="softmax_backwards")
        self.refused("softmax_backward: dinput is an output, which JAX allocates; it is a result", Error, dinput=normal(4, 10))
        self.refused("softmax_backward: dout is not an array", Error, dout=[1.0])
        self.refused("softmax_backward: dinputs is not an output; those are dinput", Error, want="dinputs")
        self.refused("softmax_backward: extent", Error, extent="ten")
        self.refused("softmax_backward: extent = -3 is negative", Error, extent=-3)
        self.refused("activation_backward: dbias is wanted, and the fields say that there is none", Error, operator="activation_backward", want="dbias",
                     **{"outer": 4, "inner": 10, "extent": None, "function": "silu", "saved": normal(4, 10), "out": None})
        with self.assertRaisesRegex(ValueError, r"labels must have \(4,\)"):
            adj.cross_entropy(normal(4, 10), jnp.zeros(5, jnp.int32))
        with self.assertRaisesRegex(ValueError, r"softmax: axis = 2 is not in \[-2, 2\), the array having 2 dimensions"):
            adj.softmax(normal(4, 10), 2)

    def test_arrays(self):
        self.refused("softmax_backward: element is f32 as given and f64 by dout", Error, dout=normal(4, 10, dtype=np.float64))
        self.refused("softmax_backward: dout has shape [10, 4], expected [4, 10, 1]", Error, dout=normal(10, 4))
        self.refused("softmax_backward: outer is 4 as given and 2 by dout's shape [2, 10, 1]", Error, dout=normal(2, 10, 1))
        self.refused("softmax_backward: out is None; give an array", Error, out=None)
        self.refused("softmax_backward: inner = 1 is not what the arrays say, which is 2", Error, outer=2, inner=1, dout=normal(2, 10, 2), out=normal(2, 10, 2))
        self.refused("softmax_backward: dout has elements of type complex64, which no operator takes; convert it", Error, dout=normal(4, 10) + 1j)
        self.refused("softmax_backward: dout is not an array", Error, dout=[normal(4, 10)])
        self.refused("l2_norm: inputs is not a list of arrays", Error, operator="l2_norm", inputs=normal(3), **dict.fromkeys(self.named))
        self.refused("softmax_backward: extent cannot be known from dout's shape [4, 10]: it must be given", Error, outer=None, extent=None)
        self.refused("dropout_forward: random is a random state: the array must have the 16 bytes of seed and offset", operator="dropout_forward",
                     **{"outer": None, "extent": None, "dout": None, "out": None, "numel": 4, "ratio": 0.5, "mask_mode": "none", "input": normal(4),
                        "random": jnp.zeros(3, jnp.uint32)})

    def test_elements_in_another_shape(self):
        x, ones = normal(4, 2, 3), [normal(2, 3)]
        for call, words in [(lambda: adj.layer_norm(x, normal(3, 2), axis=1), "gamma has the shape [3, 2], expected [2, 3]"),
                            (lambda: adj.layer_norm(x, normal(2, 3), normal(6), axis=1), "beta has the shape [6], expected [2, 3]"),
                            (lambda: adj.rms_norm(normal(4, 6), normal(2, 3)), "gamma has the shape [2, 3], expected [6]"),
                            (lambda: adj.call("rms_norm_forward", input=x, gamma=normal(3, 2), axis=1), "gamma has shape [3, 2]"),
                            (lambda: adj.call("sgd", params=ones, grads=[normal(3, 2)], lr=0.1), "grads[0] has the shape [3, 2], expected [2, 3]"),
                            (lambda: adj.call("adam", params=ones, grads=ones, exp_avg=[normal(3, 2)], exp_avg_sq=ones, lr=0.1, step=1), "exp_avg[0]")]:
            with self.subTest(words), self.assertRaises(Error) as raised:
                call()
            self.assertIn(words, str(raised.exception))

    def test_fields_that_follow(self):
        """Fields need not be given where the arrays have them: in the module, and in the handler."""
        x, gamma = normal(3, 8), normal(8)
        given = adj.call("rms_norm_forward", want="inv_std", input=x, gamma=gamma, shape=x.shape, element="f32", weight="f32")
        for results in (adj.call("rms_norm_forward", want="inv_std", input=x, gamma=gamma), jax.ffi.ffi_call(
                "adjoint", [jax.ShapeDtypeStruct((3, 8), np.float32), jax.ShapeDtypeStruct((3,), np.float32)])(
                    x, gamma, operator="rms_norm_forward", operands="input gamma", results="out inv_std")):
            np.testing.assert_array_equal(results[0], given.out)
            np.testing.assert_array_equal(results[1], given.inv_std)

    def test_preference(self):
        x = normal(4, 10)
        out = adj.call("softmax_forward", outer=4, input=x, determinism="shape_only", math="ieee", workspace_limit=2 ** 64 - 1, tune=True)
        np.testing.assert_array_equal(out.reshape(4, 10), adj.softmax(x))
        self.refused("preference.math = 'exact' is not one of default, ieee, fast", Error, math="exact")
        self.refused("softmax_backward: preference.sku = 'none/*' matches no SKU", jax.errors.JaxRuntimeError, sku="none/*")

    def test_a_step_of_32_bits(self):
        """Without 64-bit types a traced counter has 32 bits, and the operator reads 64."""
        with jax.enable_x64(False) if hasattr(jax, "enable_x64") else jax.experimental.disable_x64():
            one = jnp.ones(4, jnp.float32)
            fields = dict(params=[one], grads=[one], exp_avg=[0 * one], exp_avg_sq=[0 * one], lr=0.1)
            counted = jax.jit(lambda step: adj.call("adam", step=step, **fields))
            for step in (1, 3, 70000):
                expected = adj.call("adam", step=step, **fields)
                for kind in (jnp.int32, jnp.uint32):
                    for got, want in zip(counted(jnp.asarray(step, kind)), expected):
                        np.testing.assert_array_equal(got[0], want[0])
            self.refused("step", jax.errors.JaxRuntimeError, "adam", step=jnp.float32(1), dout=None, out=None, outer=None, extent=None, element=None, **fields)

    def test_symbolic_shapes(self):
        from jax import export
        rows, = export.symbolic_shape("rows")
        sentence = r"input has the symbolic shape \(rows, 4\), and an operator's sizes are numbers when it is traced"
        for function in (adj.softmax, lambda x: adj.call("softmax_forward", input=x, extent=4)):
            with self.assertRaisesRegex(Error, sentence):
                export.export(jax.jit(function))(jax.ShapeDtypeStruct((rows, 4), jnp.float32))

    def test_layout(self):
        """A transposed array reaches the operator as its row-major copy."""
        x = normal(10, 4)
        np.testing.assert_array_equal(jax.jit(lambda x: adj.softmax(x.T))(x), adj.softmax(jnp.asarray(np.ascontiguousarray(np.asarray(x).T))))

    def test_without_our_module(self):
        """What the handler says to programs that fill its attributes themselves."""
        x = normal(2, 3)

        def run(results="out", operands="input", aliases=None, count=1, **attributes):
            struct = jax.ShapeDtypeStruct(x.shape, x.dtype)
            return jax.block_until_ready(jax.ffi.ffi_call("adjoint", [struct] * count, input_output_aliases=aliases)(
                x, **{**dict(operator="softmax_forward", operands=operands, results=results, outer=np.int64(2), extent=np.int64(3), element="f32"), **attributes}))
        np.testing.assert_array_equal(run()[0], adj.softmax(x))
        for sentence, wrong in {
                "adjoint: the attribute operator is missing, or is no text": dict(operator=np.int64(3)),
                "softmax_forward: 1 operands and 2 names for them": dict(operands="input other"),
                "softmax_forward: 1 results and 0 names for them": dict(results=""),
                f"softmax_forward has no argument, field or preference extends. They are input, out, outer, extent, inner, element, {PREFERENCE}.": dict(
                    extends=np.int64(3)),
                'softmax_forward: math = "exact" is not one of default,ieee,fast': dict(math="exact"),
                "softmax_forward: input's shape [2, 3] has 6 elements, no multiple of the extents that are known, 3 x 3": dict(outer=np.int64(3)),
                "softmax_forward: outer is an attribute of another type than i64, f64 or bool": dict(outer=np.array([2], np.int32)),
                "softmax_forward: outer is not an integer": dict(outer=np.float64(2.5)),
                "softmax_forward: input is an input, and not a result": dict(results="input"),
                "softmax_forward: out is an output, and not an operand": dict(operands="out"),
                "softmax_forward: out takes one array, got 2": dict(results="out out", count=2)}.items():
            with self.subTest(sentence):
                with self.assertRaises(Exception) as raised:
                    run(**wrong)
                self.assertIn(sentence, str(raised.exception))
        with self.assertRaisesRegex(Exception, "embedding_backward: dweight is an operand and a result, which must be aliased by input_output_aliases"):
            run(operator="embedding_backward", operands="dweight", results="dweight")

    def test_updates(self):
        """The array that is given keeps its contents, and one that is not given starts as zeros."""
        dout, weight = normal(3, 2), normal(5, 2)
        fields = dict(num_embeddings=5, embedding_dim=2, num_indices=3, element="f32", index="i64", write_mode="accumulate", indices=jnp.asarray([0, 4, 4]))
        before, exact = np.array(weight), np.zeros((5, 2), np.float32)
        np.add.at(exact, [0, 4, 4], np.asarray(dout))
        np.testing.assert_allclose(adj.call("embedding_backward", dout=dout, dweight=weight, **fields), before + exact, atol=1e-6)
        np.testing.assert_array_equal(weight, before)
        np.testing.assert_allclose(adj.call("embedding_backward", dout=dout, **fields), exact, rtol=1e-6)


class Threads(unittest.TestCase):
    def test_two(self):
        failures = [[], []]

        def work(seed):
            function = jax.jit(jax.grad(lambda x: (adj.softmax(x) ** 2).sum()))
            exact = jax.jit(jax.grad(lambda x: (jax.nn.softmax(x) ** 2).sum()))
            for i in range(60):
                x = jax.random.normal(jax.random.key(i + 1000 * seed), (1 + i % 5 + seed, 17))
                failures[seed].extend([i] * (not np.allclose(function(x), exact(x), atol=1e-5)))
                try:
                    jax.block_until_ready(adj.call("softmax_forward", outer=90 + seed, extent=17, element="f32", input=x.astype(np.float32)))
                    failures[seed].append(i)
                except Exception as error:
                    failures[seed].extend([i] * (f"input's shape {list(x.shape)}" not in str(error)))
        threads = [threading.Thread(target=work, args=(seed,)) for seed in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [[], []])


if __name__ == "__main__":
    unittest.main()
