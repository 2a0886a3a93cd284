"""Torch: what a caller of torch expects and would not see go wrong: signatures, second derivatives, inputs without a gradient, tensors without memory,
tracers and modes."""
import contextlib
import copy
import inspect
import itertools
import pickle
import unittest

import numpy as np

import adjoint

from with_torch import DEVICE, adj, torch


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Promises(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)

    def normal(self, *shape, **options):
        return torch.randn(*shape, device=DEVICE, **options)

    def close(self, actual, expected, tolerance=2e-5):
        self.assertEqual(actual.shape, expected.shape)
        torch.testing.assert_close(actual.double(), expected.double(), rtol=tolerance, atol=tolerance)

    def test_cross_entropy_of_more_dimensions(self):
        F = torch.nn.functional
        for shape in ((2, 5, 5), (2, 3, 4), (0, 3), (2, 3, 0), (3, 4, 2, 5)):
            target = torch.randint(0, shape[1], (shape[0], *shape[2:]), device=DEVICE)
            for reduction in ("mean", "sum", "none"):
                if 0 in shape and reduction == "mean":
                    continue  # ours is 0, torch's NaN
                for smoothing in (0.0, 0.1):
                    ours, theirs = (self.normal(*shape, dtype=torch.float64).requires_grad_() for _ in range(2))
                    theirs.data.copy_(ours.data)
                    a = adj.cross_entropy(ours, target, reduction=reduction, label_smoothing=smoothing)
                    b = F.cross_entropy(theirs, target, reduction=reduction, label_smoothing=smoothing)
                    self.close(a, b)
                    upstream = torch.rand_like(b)
                    a.backward(upstream)
                    b.backward(upstream)
                    self.close(ours.grad, theirs.grad)
        z = self.normal(2, 5, 3, dtype=torch.float64)
        target = torch.randint(0, 5, (2, 3), device=DEVICE)
        self.close(adj.cross_entropy(z, target, reduction="none", z_loss=0.5), F.cross_entropy(z, target, reduction="none") + 0.5 * torch.logsumexp(z, 1) ** 2)
        for smoothing in (0.0, 0.1):
            with self.assertRaisesRegex(ValueError, r"target has the shape \[3, 2\], expected \[2, 3\]"):
                adj.cross_entropy(z, target.t(), label_smoothing=smoothing)

    def test_signatures(self):
        """Parameters of torch's functions in their order, with their defaults; ours come after, by keyword."""
        F, seen = torch.nn.functional, 0
        for name in ("softmax", "log_softmax", "cross_entropy", "embedding", "layer_norm", "rms_norm", "group_norm", "dropout", "leaky_relu", "elu", "relu", "silu",
                     "mish", "hardswish", "gelu", "softplus", "sigmoid", "tanh", "linear", "scaled_dot_product_attention"):
            ours = [p for p in inspect.signature(getattr(adj, name)).parameters.values() if p.kind != p.KEYWORD_ONLY]
            try:
                theirs = list(inspect.signature(getattr(F, name)).parameters.values())
            except ValueError:  # a function in C
                must = inspect.Parameter.empty
                theirs = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=d) for n, d in {
                    "gelu": [("input", must), ("approximate", "none")], "softplus": [("input", must), ("beta", 1.0), ("threshold", 20.0)],
                    "linear": [("input", must), ("weight", must), ("bias", None)],
                    "scaled_dot_product_attention": [("query", must), ("key", must), ("value", must), ("attn_mask", None), ("dropout_p", 0.0),
                                                     ("is_causal", False), ("scale", None), ("enable_gqa", False)]}[name]]
            self.assertEqual([(p.name, p.default) for p in ours], [(p.name, p.default) for p in theirs], name)
            seen += 1
        self.assertEqual(seen, 20)
        if hasattr(F, "linear_cross_entropy"):
            ours, theirs = ([(p.name, p.kind, p.default) for p in inspect.signature(of.linear_cross_entropy).parameters.values()] for of in (adj, F))
            self.assertEqual(ours[:len(theirs)], theirs)
        x = self.normal(4, 8)
        for call, words in ((lambda: adj.dropout(x, 0.5, True, True), "inplace"), (lambda: adj.relu(x, True), "inplace"), (lambda: adj.softmax(x), "dim"),
                            (lambda: adj.embedding(torch.zeros(1, dtype=torch.long, device=DEVICE), x, None, 1.0), "max_norm"),
                            (lambda: adj.cross_entropy(x, torch.zeros(4, dtype=torch.long, device=DEVICE), size_average=True), "size_average"),
                            (lambda: adj.cross_entropy(x, torch.zeros(4, dtype=torch.long, device=DEVICE), reduce=False), "reduce"),
                            (lambda: adj.embedding(torch.zeros(1, dtype=torch.long, device=DEVICE), x, sparse=True), "sparse"),
                            (lambda: adj.softplus(x, 2.0), "beta"), (lambda: adj.dropout(x, 1.5), "p = 1.5"), (lambda: adj.dropout(x, seed=7, offset=2), "offset"),
                            (lambda: adj.embedding(torch.zeros(1, dtype=torch.long, device=DEVICE), x, 4), "padding_idx")):
            with self.assertRaisesRegex(ValueError, words):
                call()
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
            small = (1e-3 * self.normal(4, 8)).to(dtype)
            for eps in ((), (None,), (1e-5,)):
                self.close(adj.rms_norm(small, (8,), None, *eps), F.rms_norm(small, (8,), None, *eps), 2e-2 if dtype.itemsize == 2 else 2e-5)
        self.close(adj.softmax(x.half(), 0, dtype=torch.float64), torch.softmax(x.half(), 0, dtype=torch.float64))
        indices = torch.tensor([0, 3, 2], device=DEVICE)
        weight = self.normal(4, 8).requires_grad_()
        adj.embedding(indices, weight, -1).sum().backward()
        self.assertEqual(weight.grad.sum(1).tolist(), [8, 0, 8, 0])
        self.assertEqual(adj.dropout(x, 1.0).abs().sum(), 0)

    def test_second_derivatives_are_refused(self):
        x = self.normal(4, 5, dtype=torch.float64)
        target = torch.randint(0, 5, (4,), device=DEVICE)

        def loss(t):
            return adj.cross_entropy(t, target, label_smoothing=0.1)
        leaf = x.clone().requires_grad_()
        gradient, = torch.autograd.grad(loss(leaf), leaf, create_graph=True)
        with self.assertRaisesRegex(Exception, "cannot be differentiated again"):  # as the penalty of a gradient beside the loss
            (loss(leaf) + gradient.square().sum()).backward()
        self.close(torch.func.grad(loss)(x), torch.func.grad(lambda t: torch.nn.functional.cross_entropy(t, target, label_smoothing=0.1))(x))
        with self.assertRaisesRegex(Exception, "cannot be differentiated again"):
            torch.func.grad(lambda t: torch.func.grad(loss)(t).square().sum())(x)
        with self.assertRaisesRegex(Exception, "cannot be differentiated again"):
            torch.autograd.functional.hvp(loss, x, x)
        for function in (lambda t: adj.softmax(t, -1), lambda t: adj.rms_norm(t, (5,)), adj.gelu):
            leaf = x.clone().requires_grad_()
            gradient, = torch.autograd.grad(function(leaf).square().sum(), leaf, create_graph=True)
            with self.assertRaisesRegex(Exception, "cannot be differentiated again"):
                gradient.sum().backward()

    def test_func_of_operators(self):
        from torch.func import grad, vjp
        x = self.normal(4, 8)
        operator = lambda v: torch.ops.adjoint.softmax_forward(v, outer=4, extent=8, inner=1)  # noqa: E731
        expected = grad(lambda v: torch.softmax(v, -1).square().sum())(x)
        self.close(grad(lambda v: operator(v).square().sum())(x), expected)
        self.close(vjp(operator, x)[1](x)[0], vjp(lambda v: torch.softmax(v, -1), x)[1](x)[0])
        jacobian = torch.autograd.functional.jacobian
        self.close(jacobian(lambda v: adj.softmax(v, -1), x, vectorize=True), jacobian(lambda v: torch.softmax(v, -1), x))

    def test_inputs_without_a_gradient(self):
        ops = torch.ops.adjoint
        weight = torch.rand(5, device=DEVICE).requires_grad_()
        x, target = self.normal(4, 5).requires_grad_(), torch.randint(0, 5, (4,), device=DEVICE)
        with self.assertRaisesRegex(Exception, "weight requires grad, and the gradient of the operator has none in it"):
            adj.cross_entropy(x, target, weight)
        with self.assertRaisesRegex(Exception, "weight requires grad, and the gradient of the operator has none in it"):
            adj.cross_entropy(x, target, weight, label_smoothing=0.1)
        soft = torch.rand(4, 5, device=DEVICE).requires_grad_()
        with self.assertRaisesRegex(Exception, "labels requires grad, and the gradient of the operator has none in it"):
            ops.soft_label_cross_entropy_loss(x, soft)
        table = self.normal(6, 3).requires_grad_()
        with self.assertRaisesRegex(Exception, "per_sample_weights requires grad, and the gradient of the operator has none in it"):
            ops.embedding_bag_forward(table, torch.tensor([0, 1, 2, 3], device=DEVICE), torch.tensor([0, 2], device=DEVICE),
                                      torch.rand(4, device=DEVICE).requires_grad_(), mode="sum")
        # So is the gradient of a second result that has none.
        q, k, v = (self.normal(1, 4, 2, 8, dtype=torch.float16).requires_grad_() for _ in range(3))
        out, lse = ops.attention_forward(q, k, v)
        with self.assertRaisesRegex(Exception, "has no gradient in its result lse"):
            (out.float().sum() + lse.sum()).backward()

    def test_tensors_without_memory(self):
        gamma, x = self.normal(8), self.normal(4, 8)
        gamma.untyped_storage().resize_(0)
        for call in (lambda: adj.rms_norm(x, (8,), gamma), lambda: adjoint.rms_norm(x, gamma)):
            with self.assertRaisesRegex(Exception, "memory was freed"):
                call()
        # A tensor of the device meta, before and after a call of the same shape on the CPU.
        meta = torch.empty(4, 8, device="meta")
        self.assertEqual(adj.softmax(meta, -1).device.type, "meta")
        self.close(adj.softmax(x, -1), torch.softmax(x, -1))
        self.assertEqual(adj.softmax(meta, -1).device.type, "meta")
        with self.assertRaisesRegex(Exception, "without contents"):
            adjoint.softmax(meta)
        with self.assertRaisesRegex(adjoint.InvalidError, "those on meta have no memory"):
            adj.rms_norm(x, 8, torch.ones(8, device="meta"))

    def test_memory_of_a_bound_call(self):
        """A bound call keeps its tensors, and raises when one of them has got other memory."""
        x, out = self.normal(8, 8), self.normal(8, 8)
        before = x.data.clone()
        changes = {"data": lambda: setattr(x, "data", self.normal(8, 8)), "resize_": lambda: x.resize_(400, 800), "a type": lambda: setattr(x, "data", x.data.double()),
                   "strides": lambda: x.t_(), "freed": lambda: x.untyped_storage().resize_(0)}
        for name, change in changes.items():
            x.data = before.clone()
            step = adjoint.softmax.bind(x, out=out)
            step()
            kept = out.clone()
            change()
            with self.subTest(name), self.assertRaisesRegex(adjoint.InvalidError, "softmax_forward: input is not in the memory that was bound; bind again"):
                step()
            torch.testing.assert_close(out, kept, rtol=0, atol=0)

    def test_calls_that_differ_in_one_thing(self):
        """A call is kept by everything that it depends on: each of these differs from another in one thing, and is tried again after all."""
        F, indices = torch.nn.functional, torch.tensor([0, 2, 1, 2], device=DEVICE)
        rows = self.normal(12, 4)
        calls = [lambda f, x: f.embedding(indices, x[:3].contiguous()), lambda f, x: f.embedding(indices, x[:4].contiguous()),
                 lambda f, x: f.embedding(indices[:3], x[:3].contiguous()), lambda f, x: f.embedding(indices, x[:3].contiguous(), 2),
                 lambda f, x: f.embedding(indices.int(), x[:3].contiguous()), lambda f, x: f.softmax(x, 0), lambda f, x: f.softmax(x, 1),
                 lambda f, x: f.softmax(x.t(), 0), lambda f, x: f.softmax(x.double(), 0), lambda f, x: f.softmax(x.reshape(4, 12), 0),
                 lambda f, x: f.leaky_relu(x, 0.0), lambda f, x: f.leaky_relu(x, -0.0), lambda f, x: f.leaky_relu(x, 1), lambda f, x: f.leaky_relu(x, -1.0),
                 lambda f, x: f.layer_norm(x, (4,), None, None, 1e-5), lambda f, x: f.layer_norm(x, (4,), None, None, 1.0),
                 lambda f, x: f.layer_norm(x, (4,), x[0]), lambda f, x: f.layer_norm(x, (4,), x[0], x[1]), lambda f, x: f.layer_norm(x, (12, 4)),
                 lambda f, x: f.cross_entropy(x[:4], indices), lambda f, x: f.cross_entropy(x[:4], indices, reduction="sum"),
                 lambda f, x: f.cross_entropy(x[:4], indices, ignore_index=2), lambda f, x: f.cross_entropy(x[:4], indices, x[0].detach().exp())]
        for _ in range(2):
            for i, call in enumerate(calls):
                results = []
                for functions in (adj, F):
                    leaf = rows.clone().requires_grad_()
                    out = call(functions, leaf)
                    out.backward(torch.linspace(0.5, 1, out.numel(), dtype=out.dtype, device=DEVICE).reshape(out.shape))
                    results.append((out.detach(), leaf.grad, torch.signbit(out.detach())))
                    with torch.no_grad():
                        self.close(call(functions, rows), out.detach(), 0)
                with self.subTest(i):
                    for a, b in zip(*results):
                        self.close(a, b, 1e-5)

    def test_memory_of_results(self):
        """Every call has results and gradients of its own, and keeps nothing alive."""
        import gc
        import weakref
        x = self.normal(4, 8).requires_grad_()
        a, b = adj.softmax(x, -1), adj.softmax(x, -1)
        self.assertNotEqual(a.data_ptr(), b.data_ptr())
        first, second = (torch.autograd.grad(t, x, torch.ones_like(t))[0] for t in (a, b))
        self.assertNotEqual(first.data_ptr(), second.data_ptr())
        for make in (lambda: self.normal(4, 8), lambda: self.normal(4, 8).requires_grad_()):
            for function in (lambda t: adj.softmax(t, -1), lambda t: adj.rms_norm(t, 8, t[0]), lambda t: adj.cross_entropy(t, torch.arange(4, device=DEVICE))):
                t = make()
                function(t)
                died = weakref.ref(t)
                del t
                gc.collect()
                self.assertIsNone(died())

    def test_tracers_and_modes_see_the_operators(self):
        from torch.fx.experimental.proxy_tensor import make_fx
        from torch.utils._python_dispatch import TorchDispatchMode
        x = self.normal(4, 8)
        for mode in ("real", "fake"):
            traced = make_fx(lambda t: adj.softmax(t, -1), tracing_mode=mode)(x)
            self.assertIn("adjoint.softmax_forward", traced.code)
            self.assertNotIn("aten.empty", traced.code)
            y = self.normal(4, 8)
            self.close(traced(y), torch.softmax(y, -1))
        seen = []

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                seen.append(str(function))
                return function(*args, **(kwargs or {}))
        leaf = x.clone().requires_grad_()
        with Mode():
            adj.softmax(leaf, -1).square().sum().backward()
        self.assertIn("adjoint.softmax_forward.default", seen)
        self.assertIn("adjoint.softmax_backward.default", seen)
        plain = x.clone().requires_grad_()
        torch.softmax(plain, -1).square().sum().backward()
        self.close(leaf.grad, plain.grad)
        traced = torch.jit.trace(lambda t: adj.softmax(t, -1), (x,), check_trace=False)
        self.assertIn("adjoint::softmax_forward", str(traced.graph))
        self.close(traced(y), torch.softmax(y, -1))

    def test_profiler_sees_the_operators(self):
        """Calls and steps under torch's profiler: the operators by name, and the results of calls that nobody watches."""
        steps = []
        for watched in (False, True):
            x, w = (torch.linspace(-1, 1, 12, device=DEVICE).reshape(3, 4).requires_grad_() for _ in range(2))
            optimizer = adj.AdamW([w], lr=0.1)
            for _ in range(3):
                with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) if watched else contextlib.nullcontext() as profile:
                    optimizer.zero_grad()
                    (adj.softmax(x * w, -1) * x).sum().backward()
                    optimizer.step()
                if watched:
                    self.assertLessEqual({"adjoint::softmax_forward", "adjoint::softmax_backward", "adjoint::adam"}, {e.key for e in profile.key_averages()})
            steps.append(w.detach())
        self.assertTrue(torch.equal(*steps))

    def test_numbers_on_meta(self):
        """A number without contents beside tensors that have some: nothing is computed, or left out, without a word."""
        ops, x = torch.ops.adjoint, self.normal(64)
        meta = lambda *shape, dtype=torch.float32: torch.ones(*shape, dtype=dtype, device="meta")  # noqa: E731
        w, g, m, v = ([self.normal(3)] for _ in range(4))
        scores, labels = self.normal(4, 5), torch.arange(4, device=DEVICE)
        for call in (lambda: ops.dropout_forward(x, None, meta(2, dtype=torch.int64), ratio=0.5), lambda: ops.cross_entropy_with_gradient(scores, labels, None, meta(1)),
                     lambda: ops.adam(w, g, m, v, lr_tensor=meta(1), step=1),
                     lambda: adj.rms_norm(x, 64, meta(64))):
            with self.assertRaisesRegex(adjoint.InvalidError, "those on meta have no memory"):
                call()
        self.assertEqual(adj.dropout(meta(64), 0.5).device.type, "meta")
        with self.assertRaisesRegex(adjoint.InvalidError, "adam: lr and lr_tensor are both given"):
            ops.adam(w, g, m, v, lr_tensor=torch.ones(1, device=DEVICE), lr=0.1, step=1)

    def test_dropout_of_every_mask(self):
        """What is kept in the gradient is what the call kept, for every mask, from numbers and from memory."""
        x = self.normal(3, 400)
        for mask in (None, "default", "bool", "bits", "none"):
            for mapping in ({}, {"mapping": "onnx_runtime", "multiprocessors": 2, "threads_per_multiprocessor": 512}):
                for training in (None, 0, 1):
                    for random in ([2 ** 62 - 3, 8], torch.tensor([2 ** 62 - 3, 8]).to(DEVICE), *[None] * (training == 0)):
                        with self.subTest(mask=mask, training=training, random=random, **mapping):
                            leaf, given = x.clone().requires_grad_(), {"random": random} if isinstance(random, list) else {}
                            out = torch.ops.adjoint.dropout_forward(leaf, None, None if given else random, ratio=0.25, mask_mode=mask, training=training, **mapping, **given)[0]
                            out.backward(torch.ones_like(out))
                            self.close(leaf.grad, torch.where(out == 0, 0, 1 / 0.75 if training != 0 else 1.0), 1e-6)

    def test_gradients_of_every_choice(self):
        """A call that is accepted has a gradient, for every value of an enumeration or a flag, and for every two of them. On the CPU: what is taken is the same."""
        from adjoint._torch_operators import OPERATORS
        from test_ops import CALLS
        values = {n: dict(given) for n, (given, _) in CALLS.items()}
        values["embedding_bag_forward"].update(mode="sum", index=None)
        tried = {}
        for name, operator in OPERATORS.items():
            known, outputs, options = operator.operator, operator.pair.outputs or {"scores": "dscores"}, {}
            if not operator.pair.inputs:
                continue
            for keyword, k in operator.taken.items():
                field = known.fields[k]
                options[keyword] = field.choices or ((0, 1) if field.kind == "i32" else ())
            single = [{k: v} for k, found in options.items() for v in found]
            for changed in [{}, *single, *({**a, **b} for a, b in itertools.combinations(single, 2) if a.keys() != b.keys())]:
                given = {**values[name], **changed}
                arrays = [given.get(k) if isinstance(given.get(k), np.ndarray) else None for k in operator.positional]
                tensors = [None if a is None else torch.tensor(a, requires_grad=k in outputs) for a, k in zip(arrays, operator.positional)]
                kept = {k: v for k, v in given.items() if k in operator.taken or k in operator.scalars}
                with self.subTest(name, **kept):
                    try:
                        results = operator.op(*tensors, **kept)
                    except adjoint.Error:
                        continue
                    first = results if operator.single else next((r for r in results if r.requires_grad), results[0])  # a router's first result is of integers
                    first.backward(torch.ones_like(first))
                    self.assertEqual([t is not None and t.grad is not None for t in tensors], [t is not None and t.requires_grad for t in tensors])
                    tried[name] = tried.get(name, 0) + 1
        self.assertEqual(set(tried), {n for n, operator in OPERATORS.items() if operator.pair.inputs})
        given = {k: torch.tensor(v, requires_grad=v.dtype == np.float32) for k, v in CALLS["moe_unpermute"][0].items()}
        with self.assertRaisesRegex(adjoint.InvalidError, "moe_unpermute: a tensor requires grad, and the gradient takes order, which is not given"):
            OPERATORS["moe_unpermute"].op(given["rows"], given["weights"], None, given["inverse"])

    def test_lists_of_other_shapes(self):
        """Operators on lists refuse entries of another shape than that of their counterpart, and change nothing, also after calls that fit."""
        ops, draw = torch.ops.adjoint, lambda *shapes: [self.normal(*s) for s in shapes]
        shapes = (2, 3), (4,)
        wrong = {r"\[0\] has the shape \[3, 2\], expected \[2, 3\]": draw((3, 2), (4,)), r"\[1\] has the shape \[5\], expected \[4\]": draw((2, 3), (5,)),
                 "has 1 tensors, the descriptor says 2": draw((2, 3)), "has tensors of the types f16, f32": [self.normal(2, 3), self.normal(4).half()]}
        for operator, lists, fields in ((ops.adam, 4, {"lr": 0.1, "step": 1}), (ops.lamb, 4, {"lr": 0.1, "step": 1}), (ops.lion, 3, {"lr": 0.1, "step": 1}),
                                        (ops.sgd, 3, {"lr": 0.1, "momentum": 0.9}), (ops.accumulate, 2, {}), (ops.scaled_sum, 2, {})):
            given = [draw(*shapes) for _ in range(lists)]
            given[-1] = [t.abs() for t in given[-1]]
            operator(*given, **fields)
            for place in range(1, lists):
                for words, other in wrong.items():
                    call = [other if i == place else tensors for i, tensors in enumerate(given)]
                    before = [t.clone() for tensors in call for t in tensors]
                    with self.subTest(str(operator), place=place, words=words):
                        with self.assertRaisesRegex(adjoint.InvalidError, words):
                            operator(*call, **fields)
                        self.assertTrue(all(map(torch.equal, before, [t for tensors in call for t in tensors])))

    def test_weights_of_another_shape(self):
        x = self.normal(4, 6)
        for call, words in ((lambda: adj.layer_norm(x.reshape(4, 2, 3), (2, 3), self.normal(3, 2)), r"layer_norm: weight has the shape \[3, 2\]"),
                            (lambda: adj.layer_norm(x.reshape(4, 2, 3), (2, 3), self.normal(6)), "weight has the shape"),
                            (lambda: adj.layer_norm(x, (6,), self.normal(6), self.normal(2, 3)), r"layer_norm: bias has the shape \[2, 3\], expected .* \[6\]"),
                            (lambda: adj.rms_norm(x, (6,), self.normal(2, 3)), "rms_norm: weight"), (lambda: adj.rms_norm(x, (6,), self.normal(1, 6)), "weight"),
                            (lambda: adj.group_norm(x, 3, self.normal(4)), r"group_norm: weight has the shape \[4\], expected that of the channels, \[6\]"),
                            (lambda: adj.group_norm(x, 3, None, self.normal(1, 6)), "group_norm: bias has the shape"),
                            (lambda: adj.group_norm(x[0], 3), r"group_norm: input has the shape \[6\]"),
                            (lambda: adj.group_norm(x, 4), "group_norm_forward: .*groups")):
            with self.assertRaisesRegex(ValueError, words):
                call()

    def test_linear_cross_entropy(self):
        """Beside linear and cross_entropy, with what PyTorch's function takes and what is ours alone; what is refused."""
        F, x, w, b, c = torch.nn.functional, self.normal(6, 4), self.normal(7, 4), self.normal(7), self.normal(7).exp()
        y = torch.tensor([3, 0, 6, -100, 1, 3], device=DEVICE)

        def reference(x, w, b, softcap=0.0, temperature=1.0, z_loss=0.0, linear_bias=None, ignore_index=-100, **options):
            scores = F.linear(x, w, b if linear_bias is not None else None) / temperature
            scores = softcap * torch.tanh(scores / softcap) if softcap else scores
            each = z_loss * scores.logsumexp(-1).square() * (y != ignore_index)
            loss = F.cross_entropy(scores, y, ignore_index=ignore_index, **options)
            kind = options.get("reduction", "mean")
            return loss + (each if kind == "none" else each.sum() / (1 if kind == "sum" else (y != ignore_index).sum()))
        for options in ({}, {"linear_bias": b}, {"reduction": "sum", "chunk_rows": 2}, {"reduction": "none", "linear_bias": b}, {"ignore_index": 3}, {"weight": c},
                        {"label_smoothing": 0.1, "weight": c, "linear_bias": b}, {"z_loss": 0.01}, {"softcap": 2.0, "temperature": 0.5}):
            if options.get("ignore_index") == 3:
                y = y.clamp(min=0)
            found = []
            for function in (lambda x, w, b: adj.linear_cross_entropy(x, w, y, **{**options, **({"linear_bias": b} if "linear_bias" in options else {})}),
                             lambda x, w, b: reference(x, w, b, **{k: v for k, v in options.items() if k != "chunk_rows"})):
                leaves = [t.clone().requires_grad_() for t in ((x, w, b) if "linear_bias" in options else (x, w))]
                loss = function(*leaves, *[None] * (3 - len(leaves)))
                found.append([loss, *torch.autograd.grad(loss, leaves, torch.ones_like(loss) + loss.detach())])
            with self.subTest(options=list(options)):
                for ours, theirs in zip(*found):
                    self.close(ours, theirs, 1e-4)
        one = torch.tensor(2, device=DEVICE)
        self.close(adj.linear_cross_entropy(x[0], w, one), F.cross_entropy(x[0] @ w.t(), one))
        for call, words in ((lambda: adj.linear_cross_entropy(x, w, y[:5]), r"target has the shape \[5\], expected \[6\]"),
                            (lambda: adj.linear_cross_entropy(x, w[:, :3], y), r"input has the shape \[6, 4\] and linear_weight \[7, 3\]"),
                            (lambda: adj.linear_cross_entropy(x[None], w, y[None]), r"input has the shape \[1, 6, 4\]"),
                            (lambda: adj.linear_cross_entropy(x, w, y, linear_bias=b[:6]), r"linear_bias has the shape \[6\], expected \[7\]"),
                            (lambda: adj.linear_cross_entropy(x, w, y, weight=c[:6]), "linear_cross_entropy: weight has the shape"),
                            (lambda: adj.linear_cross_entropy(x, w, y, options=1), "options = 1 is not supported"),
                            (lambda: adj.linear_cross_entropy(x, w, y, linear_bias=b, temperature=2.0), "temperature"),
                            (lambda: adj.linear_cross_entropy(x, w, x), "target has floating-point elements"),
                            (lambda: adj.linear_cross_entropy(x.double(), w.double(), y), "no kernel for element types f64.i64"),
                            (lambda: adj.linear_cross_entropy(x, w, y, weight=c.clone().requires_grad_()), "weight requires grad")):
            with self.assertRaisesRegex((ValueError, TypeError, NotImplementedError), words):
                call()

    def test_arguments_that_are_no_tensors(self):
        x = self.normal(3, 4)
        for name in ("softmax", "log_softmax", "relu", "gelu", "swiglu", "dropout"):
            with self.assertRaisesRegex(TypeError, f"{name}: input is of type list, expected a torch.Tensor"):
                getattr(adj, name)([1.0, 2.0], *[-1] * ("softmax" in name))
        for call, words in ((lambda: adj.cross_entropy(x, [0, 1, 2]), "target is of type list"), (lambda: adj.embedding(3, x), "input is of type int"),
                            (lambda: adj.rms_norm(x, 4, 1.0), "weight is of type float"), (lambda: adj.linear(x, x, 0.0), "bias is of type float"),
                            (lambda: adj.scaled_dot_product_attention(x, x, [x]), "value is of type list"), (lambda: adj.matmul(x, 2.0), "other is of type float")):
            with self.assertRaisesRegex((TypeError, AttributeError), words):
                call()
        F, one = torch.nn.functional, torch.tensor(1, device=DEVICE)
        for options in ({}, {"label_smoothing": 0.1}, {"reduction": "none"}, {"weight": x[0].exp()}, {"ignore_index": 1, "reduction": "sum"}):
            self.close(adj.cross_entropy(x[0], one, **options), F.cross_entropy(x[0], one, **options))

    def test_results_in_a_list(self):
        x = self.normal(4, 6).requires_grad_()
        for call in (lambda: torch.ops.adjoint.split(x, outer=4, lengths=[2, 4], inner=1), lambda: torch.ops.adjoint.split(x * 2, outer=4, lengths=[2, 4], inner=1)):
            with self.assertRaisesRegex(Exception, "split: input requires grad, and the operator records no gradient"):
                call()
        with torch.no_grad():
            self.assertEqual(len(torch.ops.adjoint.split(x, outer=4, lengths=[2, 4], inner=1)), 2)

    def test_calls_that_a_tracer_would_not_see(self):
        from torch.fx.experimental.proxy_tensor import make_fx
        x, w = self.normal(4, 8), torch.nn.Parameter(self.normal(3))
        w.grad = self.normal(3)
        optimizer = adj.AdamW([w])
        for _ in range(2):  # launches that are made again, too
            optimizer.step()
            before = w.detach().clone()

            def step(t):
                optimizer.step()
                return t + 1
            for call in (lambda: make_fx(lambda t: adjoint.softmax(t))(x), lambda: torch.jit.trace(lambda t: adjoint.softmax(t), (x,), check_trace=False), lambda: make_fx(step)(x)):
                with self.assertRaisesRegex(adjoint.InvalidError, "torch records calls now, .* would not see this one"):
                    call()
            self.assertTrue(torch.equal(w, before))

    def test_vmap(self):
        """Elementwise operators are called once for a batch, others once for each sample; a batch may be empty."""
        from torch.func import grad, vmap
        from torch.utils._python_dispatch import TorchDispatchMode
        F, labels, seen = torch.nn.functional, torch.arange(4, device=DEVICE), []

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                seen.append(str(function))
                return function(*args, **(kwargs or {}))
        pairs = [(adj.gelu, F.gelu), (lambda t: adj.softmax(t, -1), lambda t: torch.softmax(t, -1)), (lambda t: adj.swiglu(t), lambda t: F.silu(t[..., :3]) * t[..., 3:]),
                 (lambda t: adj.rms_norm(t, 6, t[0], 1e-5), lambda t: F.rms_norm(t, (6,), t[0], 1e-5)), (lambda t: adj.linear(t, t), lambda t: F.linear(t, t)),
                 (lambda t: adj.cross_entropy(t, labels), lambda t: F.cross_entropy(t, labels))]
        for count in (0, 3):
            x = self.normal(count, 4, 6)
            for ours, theirs in pairs[:-1] if count == 0 else pairs:  # torch's own loss does not take an empty batch
                self.close(vmap(ours)(x), vmap(theirs)(x))
                square = lambda f: vmap(grad(lambda t: f(t).square().sum()))(x)  # noqa: E731
                self.close(square(ours), square(theirs), 1e-4)
        self.assertEqual(vmap(pairs[-1][0])(self.normal(0, 4, 6)).shape, (0,))
        with Mode():
            vmap(adj.gelu)(self.normal(3, 4))
        self.assertEqual(seen.count("adjoint.activation_forward.default"), 1)

    def test_products_are_counted(self):
        from torch.utils.flop_counter import FlopCounterMode
        F, counts = torch.nn.functional, []
        for linear, attend in ((adj.linear, adj.scaled_dot_product_attention), (F.linear, F.scaled_dot_product_attention)):
            x, w, q = self.normal(3, 4).requires_grad_(), self.normal(5, 4).requires_grad_(), self.normal(1, 2, 4, 8)
            # torch counts its attention as products in every version, its fused kernels for the CPU from 2.11 on.
            with FlopCounterMode(display=False) as counter, torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
                linear(x, w).sum().backward()
                attend(q, q, q)
            counts.append(counter.get_total_flops())
        self.assertEqual(*counts)

    def test_leaky_relu_of_a_negative_slope(self):
        x, upstream = self.normal(50), self.normal(50)
        leaves = [x.clone().requires_grad_() for _ in range(2)]
        for function, leaf in zip((adj.leaky_relu, torch.nn.functional.leaky_relu), leaves):
            function(leaf, -0.5).backward(upstream)
        self.close(leaves[0].grad, leaves[1].grad)

    def test_saved_tensors(self):
        """What a gradient needs is saved as torch saves it: a change in place is refused, and hooks see it."""
        x = self.normal(4, 8).requires_grad_()
        packed = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t.shape) or t, lambda t: t):
            y = adj.gelu(x * 1)
        self.assertEqual(packed, [x.shape] * len(packed))
        self.assertTrue(packed)
        z = x * 1
        y = adj.gelu(z)
        z.mul_(2)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.sum().backward()

    def test_optimizer(self):
        p = torch.nn.Parameter(self.normal(6))
        for make in (lambda: adj.AdamW([p, p]), lambda: adjoint.AdamW([p, p]), lambda: adj.AdamW([p, p.detach()])):
            with self.assertRaisesRegex(Exception, r"params\[1\] is params\[0\] again"):
                make()
        base = self.normal(6)
        for views in ((base[:4], base[2:]), (base[2:], base[:4]), (base, base[3:])):
            for make in (adj.AdamW, adjoint.AdamW):
                with self.assertRaisesRegex(Exception, r"params\[1\] is params\[0\] again, or a part of its memory"):
                    make([*views])
        adj.AdamW([base[:3], base[3:], self.normal(0), self.normal(0)])
        p.grad = self.normal(6).to_sparse()
        with self.assertRaisesRegex(adjoint.InvalidError, r"AdamW: grads\[0\] is a torch.sparse_coo tensor"):
            adj.AdamW([p]).step()
        # A parameter that is not row-major: its moments are kept, and are torch's.
        base = self.normal(5, 3)
        ours, theirs = (torch.nn.Parameter(base.clone().t()) for _ in range(2))
        a, b = adj.AdamW([ours], 0.1), torch.optim.AdamW([theirs], 0.1)
        for step in range(4):
            ours.grad = theirs.grad = self.normal(3, 5)
            if step == 2:  # moments in another layout than their parameter's, as of a state that was kept by rows
                a.state[ours].update({name: a.state[ours][name].contiguous() for name in ("exp_avg", "exp_avg_sq")})
            a.step()
            b.step()
        self.close(ours.data, theirs.data)
        for name in ("exp_avg", "exp_avg_sq"):
            self.close(a.state[ours][name], b.state[theirs][name])

    def test_functions_pickle(self):
        for name in ("hardswish", "relu", "softmax", "cross_entropy", "swiglu", "dropout"):
            function = getattr(adj, name)
            self.assertIs(pickle.loads(pickle.dumps(function)), function)
            self.assertIs(copy.deepcopy(function), function)


if __name__ == "__main__":
    unittest.main()
