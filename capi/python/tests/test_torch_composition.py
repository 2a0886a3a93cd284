"""Torch's operators of the library: what torch checks of them, compilation, checkpoints and torch.func."""
import unittest

import adjoint

from with_torch import DEVICE, adj, torch

if torch is not None:
    from adjoint._torch_operators import SKIPPED, present


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Composition(unittest.TestCase):
    """torch.compile, torch.func and checkpoints."""

    def setUp(self):
        torch.manual_seed(3)
        normal = lambda *shape: torch.randn(*shape, device=DEVICE)  # noqa: E731
        self.target = torch.arange(4, device=DEVICE)
        self.inputs = normal(4, 8), normal(8), normal(8), normal(9, 8)

    def net(self, x, w, b, table):
        h = adj.embedding(self.target, table) + x
        h = adj.rms_norm(adj.layer_norm(h, 8, w, b), 8, w)
        h = adj.swiglu(torch.cat([adj.gelu(h), h], -1))
        h = adj.softmax(adj.dropout(h, 0.25, seed=4), -1)
        return adj.cross_entropy(h, self.target) + adj.cross_entropy(h, self.target, label_smoothing=0.1) + adj.softplus(adj.log_softmax(h, -1)).sum()

    def gradients(self, function):
        leaves = [t.clone().requires_grad_() for t in self.inputs]
        loss = function(*leaves)
        return [loss.detach(), *torch.autograd.grad(loss, leaves)]

    def gradients_of_backward(self, function):
        leaves = [t.clone().requires_grad_() for t in self.inputs]
        loss = function(*leaves)
        loss.backward()
        return [loss.detach(), *(leaf.grad for leaf in leaves)]

    def close(self, found, expected):
        for a, b in zip(found, expected):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)

    def test_compile(self):
        """One graph, forward and backward, without a break. Without a code generator, so that no compiler is needed."""
        compiled = torch.compile(self.net, fullgraph=True, backend="aot_eager")
        self.close(self.gradients(compiled), self.gradients(self.net))
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            expected = self.gradients(self.net)
            self.close(self.gradients(torch.compile(self.net, fullgraph=True, backend="aot_eager")), expected)
        random = torch.compile(lambda x: adj.dropout(x, 0.5), fullgraph=True, backend="aot_eager")
        x = torch.ones(1000, device=DEVICE)
        first, second = random(x), random(x)
        self.assertFalse(torch.equal(first, second))
        self.assertAlmostEqual((first != 0).float().mean().item(), 0.5, delta=0.1)

    def dynamic(self):
        """{name: (function, its arguments for a length)}"""
        normal = lambda *shape: torch.randn(*shape, device=DEVICE)  # noqa: E731
        integers = lambda end, *shape: torch.randint(0, end, shape, device=DEVICE)  # noqa: E731
        return {
            "softmax": (lambda x: adj.softmax(x, -1), lambda n: (normal(n, 8),)),
            "softmax of n": (lambda x: adj.softmax(x, -1), lambda n: (normal(4, n),)),
            "gelu": (adj.gelu, lambda n: (normal(n, 8),)),
            "rms_norm": (lambda x, w: adj.rms_norm(x, (8,), w), lambda n: (normal(2, n, 8), normal(8))),
            "layer_norm": (lambda x, w, b: adj.layer_norm(x, (8,), w, b), lambda n: (normal(2, n, 8), normal(8), normal(8))),
            "group_norm": (lambda x, w: adj.group_norm(x, 2, w, w), lambda n: (normal(n, 8, 3), normal(8))),
            "linear_cross_entropy": (adj.linear_cross_entropy, lambda n: (normal(n, 8), normal(7, 8), integers(7, n))),
            "cross_entropy": (adj.cross_entropy, lambda n: (normal(n, 8), integers(8, n))),
            "the fused loss": (lambda x, t: adj.cross_entropy(x, t, label_smoothing=0.1), lambda n: (normal(n, 8), integers(8, n))),
            "embedding": (adj.embedding, lambda n: (integers(5, 2, n), normal(5, 8))),
            "swiglu": (adj.swiglu, lambda n: (normal(n, 8),)),
            "attention": (lambda q, k, v: torch.ops.adjoint.attention_forward(q, k, v, causal=1)[0], lambda n: (*(normal(2, n, 2, 8) for _ in range(3)),)),
        }

    def test_lengths_that_change(self):
        """A graph serves all lengths but the first and those of 0 and 1, forward and backward: more than torch compiles at most."""
        from torch._dynamo.testing import CompileCounterWithBackend
        for name, (function, arguments) in self.dynamic().items():
            torch._dynamo.reset()
            counter = CompileCounterWithBackend("aot_eager")
            compiled = torch.compile(function, fullgraph=True, backend=counter)
            with self.subTest(name):
                for n in range(3, 14):
                    found = []
                    leaves = [t.requires_grad_() if t.is_floating_point() else t for t in arguments(n)]
                    for call in (compiled, function):
                        result = call(*leaves)
                        found.append([result.detach(), *torch.autograd.grad(result.square().sum(), [t for t in leaves if t.requires_grad])])
                    for a, b in zip(*found):
                        torch.testing.assert_close(a, b, rtol=0, atol=0)
                self.assertEqual(counter.frame_count, 2)
        torch._dynamo.reset()

    def test_export(self):
        """A program of torch.export has symbols for sizes that change."""
        for name, (function, arguments) in self.dynamic().items():
            class Module(torch.nn.Module):
                def forward(self, *tensors):
                    return function(*tensors)
            n, some, others = torch.export.Dim("n"), arguments(5), arguments(9)
            dims = tuple({i: n for i, (a, b) in enumerate(zip(x.shape, y.shape)) if a != b} for x, y in zip(some, others))
            with self.subTest(name):
                program = torch.export.export(Module(), some, dynamic_shapes=(dims,)).module()
                torch.testing.assert_close(program(*others), function(*others), rtol=0, atol=0)

    def test_a_transformer_block(self):
        """A block of ten operators of the library compiles as one graph, forward and backward, with the gradients of the same block in torch."""
        F, ops, heads, width = torch.nn.functional, torch.ops.adjoint, 2, 16
        tokens = torch.arange(6, device=DEVICE).reshape(2, 3)
        tables = [torch.randn(3, 4, device=DEVICE).cos(), torch.randn(3, 4, device=DEVICE).sin()]

        def block(embedding, qkv, projection, up, down, gamma, beta):
            x = adj.embedding(tokens, embedding)
            q, k, v = (adj.rms_norm(x, width, gamma, 1e-5) @ qkv).reshape(2, 3, 3, heads, 8).unbind(2)
            q, k = (ops.rope_forward(t, None, *tables) for t in (q, k))
            x = x + ops.attention_forward(q, k, v, causal=1)[0].reshape(2, 3, width) @ projection
            h, total, _, _ = ops.layer_norm_forward(x, x, gamma, beta)
            x = total + adj.dropout(adj.swiglu(h @ up), 0.5, seed=1) @ down
            scores = adj.log_softmax(adj.gelu(x) @ embedding.t(), -1)
            return adj.cross_entropy(scores.reshape(6, -1), tokens.reshape(-1)) + adj.softmax(scores, -1).square().mean()

        def same(embedding, qkv, projection, up, down, gamma, beta):
            x = F.embedding(tokens, embedding)
            q, k, v = (F.rms_norm(x, (width,), gamma, 1e-5) @ qkv).reshape(2, 3, 3, heads, 8).unbind(2)
            rotated = []
            for t in (q, k):
                a, b, (cos, sin) = t[..., :4], t[..., 4:], (u[:, None] for u in tables)
                rotated.append(torch.cat([a * cos - b * sin, b * cos + a * sin], -1))
            q, k, v = (t.transpose(1, 2) for t in (*rotated, v))
            x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(2, 3, width) @ projection
            h = F.layer_norm(x + x, (width,), gamma, beta)
            gate, linear = (h @ up).chunk(2, -1)
            kept = adj.dropout(torch.ones(2, 3, width, device=DEVICE), 0.5, seed=1)
            x = x + x + (F.silu(gate) * linear * kept) @ down
            scores = F.log_softmax(F.gelu(x) @ embedding.t(), -1)
            return F.cross_entropy(scores.reshape(6, -1), tokens.reshape(-1)) + torch.softmax(scores, -1).square().mean()

        inputs = [torch.randn(*shape, device=DEVICE) / 4 for shape in (
            (9, width), (width, 3 * width), (width, width), (width, 2 * width), (width, width), (width,), (width,))]

        def gradients(function):
            leaves = [t.clone().requires_grad_() for t in inputs]
            loss = function(*leaves)
            return [loss.detach(), *torch.autograd.grad(loss, leaves)]
        expected = gradients(same)
        self.close(gradients(block), expected)
        graphs = []

        def backend(graph, example):
            graphs.append({str(n.target) for n in graph.graph.nodes if "adjoint" in str(n.target)})
            return make_boxed_func(graph.forward)
        from functorch.compile import make_boxed_func
        from torch._dynamo.backends.common import aot_autograd
        self.close(gradients(torch.compile(block, fullgraph=True, backend=aot_autograd(fw_compiler=backend, bw_compiler=backend))), expected)
        self.assertEqual(len(graphs), 2)
        self.assertGreaterEqual(len(graphs[0]), 8, graphs)
        self.assertGreaterEqual(len(graphs[1]), 8, graphs)

    def call_of(self, operator):
        """(arguments, keywords) of a call of an operator of torch, from its call in test_ops."""
        import numpy as np
        import test_ops
        keywords = dict(test_ops.CALLS[operator.operator.name][0])
        codes = {"f8_e4m3": torch.float8_e4m3fn, None: torch.uint8}[keywords.pop("dtype", None)]

        def tensor(a):
            found = torch.from_numpy(np.array(a)).to(DEVICE)
            return found.view(codes) if found.dtype == torch.uint8 else found
        every = {n: None for n in operator.positional}
        given = {}
        for name, value in keywords.items():
            argument = operator.operator.by_name.get(name)
            if argument is not None and argument.kind in ("tensor", "list"):
                if name in every:
                    every[name] = [tensor(v) for v in value] if argument.kind == "list" else tensor(value)
                elif value is True and argument in operator.returned and name not in operator.saves:
                    given[name] = True
            elif argument is not None and argument.kind == "random":
                given[name] = [value, 0] if isinstance(value, int) else list(value)
            else:
                is_type = argument is None and operator.operator.fields[name].kind == "dtype"
                given[name] = {"f32": torch.float32, "f16": torch.float16, "i64": torch.int64}[value] if is_type else value
        if operator.mutable:
            given = {"mode_" if k == "mode" else k: v for k, v in given.items() if k not in SKIPPED}
        return tuple(every.values()), given

    def without_gradient(self, operator):
        return [n for n, upstream in zip(operator.outputs, operator.upstream) if upstream not in operator.sources]

    def detached(self, operator, results):
        """The results as a tuple, those without a gradient detached."""
        results = results if isinstance(results, tuple) else (results,)
        return tuple(r.detach() if n in self.without_gradient(operator) else r for n, r in zip(operator.outputs, results))

    def test_every_operator(self):
        """torch.library.opcheck of every operator, and the results of adjoint.ops."""
        from torch._higher_order_ops.auto_functionalize import can_auto_functionalize
        tried = graded = 0
        utils = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
        for name, operator in adj.OPERATORS.items():
            arguments, given = self.call_of(operator)
            if operator.mutable:  # PyTorch 2.6 traces no operator that writes an optional list
                with self.subTest(name):
                    torch.library.opcheck(operator.op, arguments, given, test_utils=utils if can_auto_functionalize(operator.op) else utils[:3])
                tried += 1
                continue
            # PyTorch multiplies no tensors of eight bits, which its test of the schema does.
            has_codes = any(isinstance(t, torch.Tensor) and t.dtype == torch.float8_e4m3fn for t in arguments)
            plain = utils[1:] if has_codes else utils
            for gradient in (False, True)[:1 + bool(operator.sources)]:
                if gradient:
                    arguments = tuple(t.detach().clone().requires_grad_() if n in operator.differentiable and isinstance(t, torch.Tensor) else t
                                      for n, t in zip(operator.positional, arguments))
                with self.subTest(name, gradient=gradient):
                    if gradient and self.without_gradient(operator):  # a gradient in these results is refused
                        torch.library.opcheck(operator.op, arguments, given, test_utils=utils[:3])
                        torch.testing._internal.optests.aot_autograd_check(
                            lambda *a, **k: tuple([r for r in self.detached(operator, operator.op(*a, **k)) if r.is_floating_point()]), arguments, given, True)
                    else:
                        torch.library.opcheck(operator.op, arguments, given, test_utils=plain)
                    results = operator.op(*arguments, **given)
                    results = results if isinstance(results, tuple) else (results,)
                    if gradient and results[0].requires_grad:
                        graded += 1
            tried += 1
            detached = [t.detach() if isinstance(t, torch.Tensor) else t for t in arguments]
            arrays = {n: t for n, t in zip(operator.positional, detached) if t is not None and not n.endswith("_tensor")}
            asked = {s.name for s, r in zip(operator.returned, results) if s.name in operator.saves & set(operator.optional) and present(r) is not None}
            expected = getattr(adjoint.ops, name)(**arrays, **given, **dict.fromkeys(asked, True))
            expected = dict(zip(expected._fields, expected)) if hasattr(expected, "_fields") else {operator.returned[0].name: expected}
            with self.subTest(name):
                for argument, result in zip(operator.returned, results):
                    if expected.get(argument.name) is not None:
                        torch.testing.assert_close(result, expected[argument.name], rtol=0, atol=0, equal_nan=True)
        self.assertGreater(tried, 60)
        self.assertGreater(graded, len(adj.GRADIENTS) - 2)

    def test_operators_that_are_left_out(self):
        """Those with handles, functions of the caller, or no tensor to begin with."""
        self.assertEqual(set(adjoint.operators()) - set(adj.OPERATORS), {
            "adasum_all_reduce", "all_gather", "all_reduce", "broadcast", "megatron_f", "megatron_g", "recv", "reduce_scatter", "send",  # communicators
            "record_event", "wait_event", "group", "yield", "callback", "user_kernel", "fill", "normal", "zero"})
        self.assertFalse([p for name, (p, *_) in adj.GRADIENTS.items() if p and p not in adj.OPERATORS or name not in adj.OPERATORS])

    def test_gradients(self):
        """The gradient of every operator that has one, against finite differences."""
        left_out = {"fake_quantize_forward",  # its gradient is one by definition
                    "linear_cross_entropy", "linear_log_prob",  # have no f64: test_gradients_of_linear_losses
                    "moe_route"}  # likewise: test_the_gradient_of_a_router
        for name in sorted(set(adj.GRADIENTS) - left_out):
            operator = adj.OPERATORS[name]
            arguments, given = self.call_of(operator)
            given = {k: torch.float64 if v == torch.float32 else v for k, v in given.items()}
            given.update({"exact": 1} if name == "soft_label_cross_entropy_loss" else {"dloss": 1.0} if "dloss" in given else {})
            leaves = [i for i, t in enumerate(arguments) if isinstance(t, torch.Tensor) and t.is_floating_point()]
            arguments = [t.double() if i in leaves else t for i, t in enumerate(arguments)]
            frozen = {"embedding_bag_forward": ("per_sample_weights",), "softmax_cross_entropy_loss": ("weight", "sample_weight"),
                      "rope_forward": ("cos", "sin"), "cross_entropy_with_gradient": ("weight", "dloss_tensor"), "soft_label_cross_entropy_loss": ("labels",)}.get(name, ())
            leaves = [i for i in leaves if operator.positional[i] not in frozen]

            def call(*tensors):
                values = list(arguments)
                for i, t in zip(leaves, tensors):
                    values[i] = t
                return tuple(r for r in self.detached(operator, operator.op(*values, **given)) if r.requires_grad)
            with self.subTest(name):
                self.assertTrue(torch.autograd.gradcheck(call, [arguments[i].clone().requires_grad_() for i in leaves]))

    def test_gradients_of_linear_losses(self):
        """In f32, beside those of PyTorch's own linear layer and loss."""
        def log_prob(scores, labels):
            return torch.log_softmax(scores, -1).gather(1, labels[:, None])[:, 0]
        for name, loss in (("linear_cross_entropy", torch.nn.functional.cross_entropy), ("linear_log_prob", log_prob)):
            operator = adj.OPERATORS[name]
            arguments, given = self.call_of(operator)
            given.update({"dloss": 1.0} if "dloss" in given else {})
            x, w, labels = (operator.positional.index(n) for n in ("input", "linear_weight", "labels"))
            ours, theirs = ([arguments[i].clone().requires_grad_() for i in (x, w)] for _ in range(2))
            values = list(arguments)
            values[x], values[w] = ours
            result, expected = operator.op(*values, **given)[0], loss(theirs[0] @ theirs[1].t(), arguments[labels])
            factors = torch.randn(expected.shape, device=DEVICE)
            with self.subTest(name):
                torch.testing.assert_close(result.reshape(expected.shape), expected)
                torch.testing.assert_close(torch.autograd.grad(result, ours, factors.reshape(result.shape)), torch.autograd.grad(expected, theirs, factors))

    def test_the_gradient_of_a_router(self):
        """In f32, beside that of the same scores in PyTorch."""
        logits = torch.randn(6, 5, device=DEVICE)
        for score in ("softmax_of_chosen", "softmax", "sigmoid"):
            ours, theirs = (logits.clone().requires_grad_() for _ in range(2))
            experts, weights, *_, loss = torch.ops.adjoint.moe_route(ours, top_k=2, score=score, has_losses=1, balance=0.1, z_loss=0.01)
            scores = theirs.sigmoid() if score == "sigmoid" else theirs.softmax(-1)
            chosen = scores.gather(1, experts.long())
            p, counts = scores / scores.sum(-1, keepdim=True), torch.bincount(experts.flatten().long(), minlength=5)
            balance = 0.1 * 5 / (2 * 36) * (counts * p.sum(0)).sum() + 0.01 / 6 * theirs.logsumexp(-1).square().sum()
            expected = chosen / chosen.sum(-1, keepdim=True) if score == "softmax_of_chosen" else chosen
            factors = torch.randn_like(weights)
            with self.subTest(score):
                self.assertTrue(torch.equal(experts.long(), theirs.topk(2).indices))
                self.close([weights, loss], [expected, balance.reshape(1)])
                first = torch.autograd.grad((weights * factors).sum() + loss.sum(), ours)
                self.close(first, torch.autograd.grad((expected * factors).sum() + balance, theirs))

    def test_func(self):
        from torch.func import grad, jacrev, vmap
        self.close(grad(self.net, argnums=(0, 1, 2, 3))(*self.inputs), self.gradients(self.net)[1:])
        x = self.inputs[0]
        torch.testing.assert_close(vmap(lambda v: adj.softmax(v, -1))(x), torch.softmax(x, -1))
        torch.testing.assert_close(vmap(lambda v: adj.softmax(v, -1), in_dims=1)(x), torch.softmax(x.t(), -1))
        per_sample = vmap(grad(lambda v: adj.softmax(v, -1).square().sum()))(x)
        torch.testing.assert_close(per_sample, grad(lambda v: torch.softmax(v, -1).square().sum())(x))
        torch.testing.assert_close(jacrev(adj.gelu)(x[0]), jacrev(torch.nn.functional.gelu)(x[0]), rtol=1e-4, atol=1e-5)
        losses = vmap(lambda v, t: adj.cross_entropy(v[None], t[None]))(x, self.target)
        torch.testing.assert_close(losses, torch.nn.functional.cross_entropy(x, self.target, reduction="none"), rtol=1e-4, atol=1e-5)

    def test_what_does_not_work_says_so(self):
        from torch.func import hessian, jvp, vmap
        x = self.inputs[0]
        with self.assertRaisesRegex(NotImplementedError, "forward mode AD"):
            jvp(lambda t: adj.softmax(t, -1), (x,), (x,))
        with torch.no_grad(), torch.autograd.forward_ad.dual_level():
            with self.assertRaisesRegex((RuntimeError, NotImplementedError), "(?i)forward"):
                adj.softmax(torch.autograd.forward_ad.make_dual(x, x), -1)
        with self.assertRaises((RuntimeError, NotImplementedError)):
            hessian(lambda v: adj.softmax(v, -1).square().sum())(x[0])
        with self.assertRaisesRegex(adjoint.InvalidError, "input is a Tensor without memory of its own, as in torch.func.vmap .* use the functions of adjoint.torch"):
            vmap(adjoint.softmax)(x)

    def test_checkpoint(self):
        from torch.utils.checkpoint import checkpoint
        for reentrant in (False, True):
            self.close(self.gradients_of_backward(lambda *t: checkpoint(self.net, *t, use_reentrant=reentrant)), self.gradients(self.net))

    def test_results_besides_the_first_have_no_gradient(self):
        x = self.inputs[0].clone().requires_grad_()
        for name, arguments in {"layer_norm_forward": (x,), "softmax_cross_entropy_loss": (x, self.target)}.items():
            out, *rest = getattr(torch.ops.adjoint, name)(*arguments)
            self.assertTrue(out.requires_grad)
            for t in rest:
                if t.requires_grad:
                    with self.assertRaisesRegex(RuntimeError, name + " has no gradient in its result"):
                        t.sum().backward(retain_graph=True)
