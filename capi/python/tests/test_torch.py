"""Torch: the functions on tensors, autograd against torch's own, layouts, optimizers, autocast. On the CPU where there is no GPU."""
import copy
import unittest

import adjoint

from with_torch import DEVICE, adj, torch


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Torch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)

    def close(self, actual, expected, tolerance=2e-5):
        self.assertEqual(actual.dtype, expected.dtype)
        self.assertEqual(actual.shape, expected.shape)
        torch.testing.assert_close(actual.double(), expected.double(), rtol=tolerance, atol=tolerance)

    def normal(self, *shape, dtype=None):
        return torch.randn(*shape, device=DEVICE, dtype=dtype)

    def gradients(self, ours, theirs, *tensors, tolerance=2e-5):
        """Results and gradients of two functions. Ours gets an upstream gradient that is not contiguous; torch 1.13's gelu misreads one."""
        results = []
        for function in (ours, theirs):
            leaves = [t.detach().clone().requires_grad_(t.is_floating_point()) for t in tensors]
            out = function(*leaves)
            if not results:
                upstream = torch.randn(*out.shape[::-1], device=DEVICE, dtype=out.dtype).permute(*range(out.dim() - 1, -1, -1)) if out.dim() else \
                    torch.full((), 0.5, device=DEVICE, dtype=out.dtype)
            out.backward(upstream if function is ours else upstream.contiguous())
            results.append([out.detach(), *(leaf.grad for leaf in leaves if leaf.requires_grad)])
        for a, b in zip(*results):
            self.close(a, b, tolerance)

    def test_functions_on_tensors(self):
        for dtype, tolerance in ((torch.float32, 2e-5), (torch.float16, 4e-3), (torch.bfloat16, 3e-2), (torch.float64, 1e-12)):
            x = self.normal(6, 33).to(dtype)
            y = adjoint.softmax(x)
            self.assertEqual(y.device, x.device)
            self.close(y, torch.softmax(x.double(), -1).to(dtype), tolerance)
            d = self.normal(6, 33).to(dtype)
            expected = y.double() * (d.double() - (y.double() * d.double()).sum(-1, keepdim=True))
            self.close(adjoint.softmax_backward(d, y), expected.to(dtype), tolerance)

    def test_softmax(self):
        x = self.normal(4, 5, 6)
        for dim in (-1, 0, 1):
            self.gradients(lambda t: adj.softmax(t, dim), lambda t: torch.softmax(t, dim), x)
            self.gradients(lambda t: adj.log_softmax(t, dim), lambda t: torch.log_softmax(t, dim), x)

    def test_cross_entropy(self):
        F = torch.nn.functional
        target = torch.randint(0, 7, (10,), device=DEVICE)
        target[2] = -100
        weight = torch.rand(7, device=DEVICE) + 0.5
        for reduction in ("mean", "sum", "none"):
            for w in (None, weight):
                self.gradients(lambda t: adj.cross_entropy(t, target, w, reduction=reduction),
                               lambda t: F.cross_entropy(t, target, w, reduction=reduction), self.normal(10, 7))
            self.gradients(lambda t: adj.cross_entropy(t, target, reduction=reduction, label_smoothing=0.1),
                           lambda t: F.cross_entropy(t, target, reduction=reduction, label_smoothing=0.1), self.normal(10, 7))
        image = torch.randint(0, 4, (2, 5), device=DEVICE)
        self.gradients(lambda t: adj.cross_entropy(t, image), lambda t: F.cross_entropy(t, image), self.normal(2, 4, 5))

    def test_embedding(self):
        F = torch.nn.functional
        indices = torch.randint(0, 9, (4, 6), device=DEVICE)
        for options in ({}, {"padding_idx": 2}, {"scale_grad_by_freq": True}):
            self.gradients(lambda w: adj.embedding(indices, w, **options), lambda w: F.embedding(indices, w, **options), self.normal(9, 8))

    def test_norms(self):
        F = torch.nn.functional
        x, w, b = self.normal(6, 3, 8), self.normal(8), self.normal(8)
        self.gradients(lambda t, w, b: adj.layer_norm(t, (8,), w, b), lambda t, w, b: F.layer_norm(t, (8,), w, b), x, w, b, tolerance=1e-4)
        self.gradients(lambda t: adj.layer_norm(t, (3, 8)), lambda t: F.layer_norm(t, (3, 8)), x, tolerance=1e-4)

        def rms(t, w, eps=1e-5):
            return t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + eps) * w
        self.gradients(lambda t, w: adj.rms_norm(t, 8, w), rms, x, w, tolerance=1e-4)
        with self.assertRaisesRegex(ValueError, r"layer_norm: normalized_shape = \[7\] is not the end of the shape of input, \[6, 3, 8\]"):
            adj.layer_norm(x, 7)

    def test_activations(self):
        F = torch.nn.functional
        x = self.normal(7, 9)
        for ours, theirs in ((adj.relu, F.relu), (adj.gelu, F.gelu), (adj.silu, F.silu), (adj.sigmoid, torch.sigmoid), (adj.tanh, torch.tanh),
                             (adj.leaky_relu, F.leaky_relu), (adj.elu, F.elu), (adj.softplus, F.softplus), (adj.mish, F.mish),
                             (adj.hardswish, F.hardswish), (lambda t: adj.gelu(t, "tanh"), lambda t: F.gelu(t, approximate="tanh"))):
            self.gradients(ours, theirs, x)
        self.gradients(adj.swiglu, lambda t: F.silu(t[..., :4]) * t[..., 4:], self.normal(3, 8))
        self.gradients(adj.geglu, lambda t: F.gelu(t[..., :4]) * t[..., 4:], self.normal(3, 8))

    def test_dropout(self):
        x = self.normal(100, 40).requires_grad_()
        y = adj.dropout(x, 0.25, seed=5)
        y.sum().backward()
        self.close(x.grad, torch.where(y.detach() != 0, 1 / 0.75, 0.0).to(x.dtype))
        torch.testing.assert_close(y.detach(), adj.dropout(x, 0.25, seed=5).detach())
        self.assertIs(adj.dropout(x, 0.25, training=False), x)
        torch.manual_seed(1)
        first = adj.dropout(x)
        torch.manual_seed(1)
        torch.testing.assert_close(first, adj.dropout(x))

    def test_adamw(self):
        for ours in (lambda p: adj.AdamW(p, lr=0.01, weight_decay=0.1), lambda p: adjoint.AdamW(p, lr=0.01, weight_decay=0.1)):
            models = [torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.Linear(4, 3)).to(DEVICE) for _ in range(2)]
            models[1].load_state_dict(models[0].state_dict())
            pairs = list(zip(models, (ours(models[0].parameters()), torch.optim.AdamW(models[1].parameters(), lr=0.01, weight_decay=0.1))))
            for _ in range(3):
                x = self.normal(6, 5)
                for model, optimizer in pairs:
                    optimizer.zero_grad()
                    model(x).square().sum().backward()
                    optimizer.step()
            for a, b in zip(models[0].parameters(), models[1].parameters()):
                self.close(a.detach(), b.detach(), 1e-4)

    def test_adamw_state_and_schedulers(self):
        model = torch.nn.Linear(5, 4).to(DEVICE)
        optimizer = adj.AdamW([{"params": [model.weight], "lr": 0.1}, {"params": [model.bias]}], lr=0.01)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        model(self.normal(2, 5)).sum().backward()
        self.assertEqual(float(optimizer.step(lambda: torch.tensor(2.0))), 2)
        scheduler.step()
        self.assertAlmostEqual(optimizer.param_groups[0]["lr"], 0.05)
        again = adj.AdamW([{"params": [model.weight], "lr": 0.1}, {"params": [model.bias]}])
        again.load_state_dict(optimizer.state_dict())
        again.step()
        self.assertEqual(again.state[model.weight]["step"], 2)

    def test_clip_grad_norm(self):
        grads = [self.normal(5, 3), self.normal(7)]
        norm = torch.cat([g.flatten() for g in grads]).norm()
        self.close(adjoint.clip_grad_norm(grads, 1.0).reshape(()), norm)
        self.close(torch.cat([g.flatten() for g in grads]).norm(), torch.ones_like(norm), 1e-4)

    def test_errors(self):
        x = self.normal(3, 4)
        with self.assertRaisesRegex(adjoint.InvalidError, r"dout of shape \[4, 3\] is not contiguous; make a row-major copy, such as torch's contiguous"):
            adjoint.softmax_backward(x.t(), x)
        import numpy as np
        with self.assertRaisesRegex(adjoint.InvalidError, "dout is an array of torch and out is an array of numpy"):
            adjoint.softmax_backward(x, np.zeros((3, 4), np.float32))
        with self.assertRaisesRegex(adjoint.InvalidError, "out is a torch.sparse_coo tensor"):
            adjoint.softmax_backward(x, x.to_sparse())
        with self.assertRaisesRegex(adjoint.InvalidError, "torch.complex64, which no operator takes"):
            adjoint.softmax(x.to(torch.complex64))

    def test_second_derivatives_are_refused(self):
        x = self.normal(3, 4).requires_grad_()
        gradient, = torch.autograd.grad(adj.softmax(x, -1).square().sum(), x, create_graph=True)
        with self.assertRaises(RuntimeError):
            gradient.sum().backward()


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Autograd(unittest.TestCase):
    """What autograd must know of a call: tensors that are written, and tensors whose gradient would be lost."""

    def setUp(self):
        torch.manual_seed(3)

    def test_a_step_between_forward_and_backward(self):
        """As with torch.optim.AdamW, the gradient of a loss from before the step is refused."""
        for make in (torch.optim.AdamW, adj.AdamW, adjoint.AdamW):
            w = torch.ones(3, device=DEVICE, requires_grad=True)
            w.grad = torch.ones(3, device=DEVICE)
            loss = (w * w).sum()
            make([w]).step()
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                loss.backward()

    def tensors(self, value, found):
        import numpy as np
        if isinstance(value, np.ndarray):
            value = torch.from_numpy(value.copy()).to(DEVICE)
            found.append(value)
        return [self.tensors(v, found) for v in value] if isinstance(value, list) and value and isinstance(value[0], np.ndarray) else value

    def available(self, name, given):
        try:
            adjoint.op(name, **given)
        except adjoint.Error as error:
            return error.code not in (adjoint.Status.UNSUPPORTED, adjoint.Status.BACKEND_UNAVAILABLE)
        return True

    def test_versions(self):
        """For every operator: the tensors that it writes, and no others, have a new version, also in bound calls."""
        import test_ops
        host = {a.name for o in adjoint.operators() for a in adjoint.arguments(o) if a.host}
        tried = written = 0
        for name, (keywords, _) in test_ops.CALLS.items():
            if set(keywords) & {"communicator", "event"}:
                continue
            for bound in (False, True):
                found = []
                given = {k: v if k in host else self.tensors(v, found) for k, v in keywords.items()}
                try:
                    if bound:
                        call = getattr(adjoint.ops, name).bind(**given)
                    else:
                        call = lambda: adjoint.op(name, **given)  # noqa: E731
                    before = [(t._version, t.clone()) for t in found]
                    call()
                except adjoint.Error as error:
                    if DEVICE == "cuda" and error.code in (adjoint.Status.UNSUPPORTED, adjoint.Status.BACKEND_UNAVAILABLE):
                        continue
                    raise
                operator = {a.name: a for a in adjoint.arguments(name)}
                read_only = {id(t) for k, v in given.items() if k in operator and operator[k].role == "in" for t in (v if isinstance(v, list) else [v])}
                for t, (version, contents) in zip(found, before):
                    changed = not torch.equal(t.view(torch.uint8) if t.dim() else t, contents.view(torch.uint8) if t.dim() else contents)
                    with self.subTest(name, bound=bound, shape=tuple(t.shape)):
                        if changed:
                            self.assertGreater(t._version, version)
                            written += 1
                        if id(t) in read_only:
                            self.assertEqual(t._version, version)
                tried += 1
        self.assertGreater(tried, 120)
        self.assertGreater(written, 20)

    def test_versions_of_outputs(self):
        d, out = torch.ones(2, 3, device=DEVICE), torch.ones(2, 3, device=DEVICE)
        y = adjoint.softmax(d)
        plan = adjoint.softmax_backward.select(d, y)
        bound = adjoint.softmax_backward.bind(d, y, dinput=out)
        for call in (lambda: adjoint.softmax_backward(d, y, dinput=out), bound, lambda: plan.run(dout=d, out=y, dinput=out)):
            version = out._version
            call()
            self.assertGreater(out._version, version)
        bound = adjoint.softmax_backward.bind(d, y)  # its output is written again by each call
        result = bound()
        version = result._version
        bound()
        self.assertGreater(result._version, version)
        self.assertEqual((d._version, y._version), (0, 0))

    def test_versions_under_a_condition(self):
        grads = [torch.ones(3, device=DEVICE)]
        adjoint.clip_grad_norm(grads, 1.0, norm_only=True)
        self.assertEqual(grads[0]._version, 0)
        adjoint.clip_grad_norm(grads, 1.0)
        self.assertEqual(grads[0]._version, 1)
        w, g, m, v, step = (torch.ones(1, dtype=kind, device=DEVICE) for kind in [torch.float32] * 4 + [torch.int64])
        adjoint.adam([w], [g], [m], [v], step=step, lr=0.1)
        self.assertEqual([t._version for t in (w, g, m, v, step)], [1, 0, 1, 1, 0])
        adjoint.adam([w], [g], [m], [v], step=step, lr=0.1, advance_step=True)
        self.assertEqual([t._version for t in (w, g, m, v, step)], [2, 0, 2, 2, 1])
        with torch.inference_mode():
            x = torch.ones(2, 3, device=DEVICE)
            adjoint.softmax(x, out=x)

    def test_tensors_that_require_grad(self):
        """For every operator: refused where a gradient would be lost, and the same result without gradients."""
        import test_ops
        tried = 0
        for name, (keywords, _) in test_ops.CALLS.items():
            if set(keywords) & {"communicator", "event"}:
                continue
            operator = {a.name: a for a in adjoint.arguments(name)}
            found = []
            given = {k: v if k in operator and operator[k].host else self.tensors(v, found) for k, v in keywords.items()}
            floating = [t for t in found if t.is_floating_point()]
            if not floating or DEVICE == "cuda" and not self.available(name, given):
                continue
            for order in (floating[:1], floating[-1:]):
                for grad in (False, True, False, True):
                    for t in order:
                        t.requires_grad_(grad)
                    with self.subTest(name):
                        if grad:
                            with self.assertRaisesRegex(adjoint.InvalidError, name + r": .* requires grad, and this function records no gradient; .*torch.no_grad"):
                                adjoint.op(name, **given)
                            getattr(adjoint.ops, name).sku(**given)
                        with torch.no_grad():
                            adjoint.op(name, **given)
                for t in order:
                    t.requires_grad_(False)
            tried += 1
        self.assertGreater(tried, 60)
        x = torch.ones(2, 3, device=DEVICE, requires_grad=True)
        with self.assertRaisesRegex(adjoint.InvalidError, r"softmax_forward: input requires grad, and this function records no gradient; use adjoint.torch.softmax, "):
            adjoint.softmax(x)
        ratio = torch.full((1,), 0.5, device=DEVICE, requires_grad=True)
        with self.assertRaisesRegex(adjoint.InvalidError, "dropout_forward: ratio requires grad"):
            adjoint.ops.dropout_forward(input=x.detach(), ratio=ratio, random=(1, 0))
        plan = adjoint.softmax.select(x)
        with self.assertRaisesRegex(adjoint.InvalidError, "softmax_forward: input requires grad"):
            plan.run(input=x, out=x.detach().clone())
        with self.assertRaisesRegex(adjoint.InvalidError, "softmax_forward: input requires grad"):
            adjoint.softmax.bind(x)

    def test_tensors_without_dense_memory(self):
        x = torch.ones(2, 3, device=DEVICE)
        for bad in (x.to_sparse(), torch.empty(2, 3, device="meta"), torch._neg_view(x)):
            adjoint.softmax(x)  # the same shape and type, prepared
            with self.assertRaises(adjoint.InvalidError):
                adjoint.softmax(bad)


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Layouts(unittest.TestCase):
    def test_strided_weights(self):
        F = torch.nn.functional
        x, both = torch.randn(6, 8, device=DEVICE), torch.rand(8, 2, device=DEVICE) + 0.5
        torch.testing.assert_close(adj.layer_norm(x, 8, both[:, 0], both[:, 1]), F.layer_norm(x, (8,), both[:, 0], both[:, 1]), rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(adj.rms_norm(x, 8, both[:, 0]), adj.rms_norm(x, 8, both[:, 0].contiguous()))
        target = torch.arange(6, device=DEVICE)
        torch.testing.assert_close(adj.cross_entropy(x, target, both[:, 0]), F.cross_entropy(x, target, both[:, 0]))
        torch.testing.assert_close(adj.cross_entropy(x, target, both[:, 0], label_smoothing=0.1), F.cross_entropy(x, target, both[:, 0], label_smoothing=0.1),
                                   rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(adj.embedding(target.view(2, 3).t(), x.t().contiguous().t()), F.embedding(target.view(2, 3).t(), x))

    def test_adamw(self):
        """Parameters and gradients in any layout: the steps of torch.optim.AdamW."""
        image = torch.randn(4, 3, 5, 5, device=DEVICE)
        wide = torch.randn(6, 8, device=DEVICE)
        cases = {"channels_last": (image.to(memory_format=torch.channels_last), image), "transposed": (wide.t(), wide.t()),
                 "transposed gradient": (wide, torch.randn(8, 6, device=DEVICE).t()), "both in their layouts": (wide.t(), torch.randn(8, 6, device=DEVICE)),
                 "not dense": (wide[:, ::2], wide[:, 1::2]), "expanded gradient": (wide, torch.randn(8, device=DEVICE).expand(6, 8)),
                 "one column": (wide[:, :1], wide[:, 1:2]), "no elements": (wide[:0], wide[:0])}
        for name, (start, gradient) in cases.items():
            results = []
            for make in (torch.optim.AdamW, adj.AdamW, adjoint.AdamW):
                base = start.clone(memory_format=torch.preserve_format) if name != "not dense" else wide.clone()[:, ::2]
                w = base.requires_grad_() if base.is_leaf else base.detach().requires_grad_()
                if name != "one column":
                    self.assertEqual(w.stride(), start.stride())
                optimizer = make([w], lr=0.1)
                for scale in (1, 2):
                    w.grad = torch.empty_strided(gradient.shape, gradient.stride(), device=DEVICE).copy_(gradient) if 0 not in gradient.stride() else gradient
                    w.grad = w.grad * scale if scale == 1 else w.grad
                    version = w._version
                    optimizer.step()
                    self.assertGreater(w._version, version)
                results.append(w.detach().clone())
            for result in results[1:]:
                with self.subTest(name):
                    torch.testing.assert_close(result, results[0], rtol=1e-5, atol=1e-6)

    def test_one_launch_for_parameters_of_a_type(self):
        parameters = [torch.randn(4, 3, device=DEVICE, requires_grad=True), torch.randn(3, 4, device=DEVICE).t().requires_grad_()]
        for p in parameters:
            p.grad = torch.ones_like(p)
        from adjoint import _call, _torch_compiled
        optimizer, seen, launch, known = adj.AdamW(parameters), [], _call.Function.launch, _torch_compiled.Adam.__call__
        _call.Function.launch = lambda self, *a: (seen.append(self.operator.name), launch(self, *a))[1]
        _torch_compiled.Adam.__call__ = lambda self, *a: (known(self, *a), seen.append("adam"))[0]
        try:
            for step in (1, 2, 3):
                optimizer.step()
                self.assertEqual(seen, ["adam"] * step)
        finally:
            _call.Function.launch, _torch_compiled.Adam.__call__ = launch, known
        from torch.utils._python_dispatch import TorchDispatchMode
        operators = []

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                operators.append(str(function))
                return function(*args, **(kwargs or {}))
        for make in (adj.AdamW, adjoint.AdamW):  # a dense parameter of any layout is updated where it is
            operators.clear()
            optimizer = make(parameters)
            for _ in range(2):
                with Mode():
                    optimizer.step()
                self.assertFalse({"aten.clone.default", "aten.copy_.default"} & {*operators}, operators)
            self.assertEqual(operators.count("adjoint.adam.default"), 2)


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Optimizers(unittest.TestCase):
    def test_options_are_checked_at_once(self):
        w = [torch.ones(3, device=DEVICE, requires_grad=True)]
        for make in (adj.AdamW, adjoint.AdamW):
            for options, sentence in (({"lr": -1}, r"AdamW: lr = -1 is not a finite number from 0 on"), ({"lr": float("nan")}, "AdamW: lr = nan"),
                                      ({"lr": "fast"}, "AdamW: lr = 'fast' is not a finite number"), ({"betas": (0.9, 1.0)}, r"adam: beta2 = 1 is outside \[0, 1\)"),
                                      ({"betas": 0.9}, "AdamW: betas = 0.9 is not a pair"), ({"betas": (-0.1, 0.9)}, "adam: beta1 = -0.1"),
                                      ({"weight_decay": float("inf")}, "adam: weight_decay = inf, expected a finite number"),
                                      ({"eps" if make is adj.AdamW else "epsilon": -1e-8}, "adam: epsilon = -1e-08")):
                with self.assertRaisesRegex(ValueError, sentence):
                    make(w, **options)
            with self.assertRaisesRegex(ValueError, r"AdamW: params\[0\] has elements of type i64, expected f32"):
                make([torch.ones(3, dtype=torch.int64, device=DEVICE)])
        with self.assertRaisesRegex(ValueError, "AdamW: lr = -2"):
            adj.AdamW([{"params": w, "lr": -2}])
        with self.assertRaisesRegex(ValueError, "AdamW: lr = -3"):
            adj.AdamW(w).add_param_group({"params": [torch.ones(1, device=DEVICE, requires_grad=True)], "lr": -3})

    def test_options_of_torch(self):
        """Those that ours lacks are refused by name; those that change nothing are taken, with torch's error for both at once."""
        w = torch.ones(3, device=DEVICE, requires_grad=True)
        for name in ("amsgrad", "capturable", "differentiable"):
            with self.assertRaisesRegex(ValueError, f"AdamW: {name} = True is not supported; .*(operator adam|step).*; use torch.optim.AdamW"):
                adj.AdamW([w], **{name: True})
        for make in (torch.optim.AdamW, adj.AdamW):
            for given in ({"foreach": True}, {"fused": True}, {"foreach": False, "fused": False}):
                make([w], **given)
            with self.assertRaisesRegex(RuntimeError, "foreach.*fused|fused.*foreach"):
                make([w], foreach=True, fused=True)

    def test_parameters_of_derived_classes(self):
        """Tensors with a class of their own are updated as others are, and see no operator of ours."""
        seen = []

        class Named(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                seen.append(str(function))
                return super().__torch_function__(function, types, args, kwargs)
        results = []
        for make in (torch.optim.AdamW, adj.AdamW):
            w = torch.ones(3, device=DEVICE).as_subclass(Named).requires_grad_()
            optimizer = make([w], lr=0.1)
            for _ in range(3):
                w.grad = torch.ones(3, device=DEVICE)
                optimizer.step()
            results.append(torch.Tensor.as_subclass(w.detach(), torch.Tensor))
        torch.testing.assert_close(*results)
        self.assertFalse([f for f in seen if "adjoint" in f])

    def test_what_changes_between_steps(self):
        """A step is right whatever has changed since the last one, whose launches may be made again: memory, types, layouts, states, gradients that are absent."""
        def swapped(ps, _):
            for p in ps:
                p.data = p.data.clone()

        def halves(ps, _):
            ps[0].data = ps[0].data.to(torch.float64)

        def transposed(ps, _):
            ps[1].data = ps[1].data.t().contiguous().t()

        def loaded(_, optimizer):
            optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))

        def forgotten(ps, optimizer):
            optimizer.state.pop(ps[2])

        def one_less(ps, _):
            ps[1].grad = None

        def wide(ps, _):
            ps[1].grad = torch.stack([ps[1].grad, ps[1].grad], -1)[..., 0]

        def slower(_, optimizer):
            for group in optimizer.param_groups:
                group["lr"] *= 0.5

        def other_betas(_, optimizer):
            optimizer.param_groups[0]["betas"] = (0.5, 0.75)

        def maximized(_, optimizer):
            optimizer.param_groups[0]["maximize"] = True
        changes = [None, None, swapped, slower, transposed, wide, None, one_less, None, loaded, None, other_betas, maximized, forgotten, halves, None]
        results = []
        for make in (torch.optim.AdamW, adj.AdamW):
            torch.manual_seed(2)
            ps = [torch.nn.Parameter(torch.randn(shape, device=DEVICE)) for shape in ((5,), (4, 3), (), (0, 2), (7,))]
            optimizer = make([{"params": ps[:4]}, {"params": ps[4:], "lr": 0.01}], lr=0.1)
            for change in changes:
                for p in ps:
                    p.grad = torch.randn(p.shape, device=DEVICE).to(p.dtype)
                if change is halves:
                    change(ps, optimizer)
                    for p in ps[:1]:
                        p.grad = p.grad.double()
                        optimizer.state[p].update({n: t.double() for n, t in optimizer.state[p].items() if n != "step"})
                elif change:
                    change(ps, optimizer)
                optimizer.step()
            results.append([p.detach() for p in ps] + [int(optimizer.state[p]["step"]) for p in ps])
        for a, b in zip(*results):
            torch.testing.assert_close(torch.as_tensor(a), torch.as_tensor(b), rtol=2e-5, atol=1e-6)
        for name, lose in {"a parameter": lambda: ps[0].untyped_storage().resize_(0), "a gradient": lambda: ps[4].grad.untyped_storage().resize_(0)}.items():
            lose()
            before = ps[1].detach().clone()
            with self.subTest(name), self.assertRaisesRegex(adjoint.InvalidError, "memory was freed"):
                optimizer.step()
            self.assertTrue(torch.equal(ps[1], before) or name != "a parameter")
            ps[0].data = torch.ones(5, dtype=ps[0].dtype, device=DEVICE)

    def test_a_copy_of_an_optimizer(self):
        """Copies and pickles have launches of their own, as torch's do."""
        w = torch.nn.Parameter(torch.ones(3, device=DEVICE))
        optimizer = adj.AdamW([w], lr=0.1)
        w.grad = torch.ones(3, device=DEVICE)
        optimizer.step()
        other = copy.deepcopy(optimizer)
        v = other.param_groups[0]["params"][0]
        v.grad = torch.ones(3, device=DEVICE)
        for o in (optimizer, other):
            o.step()
        self.assertTrue(torch.equal(w, v))
        self.assertNotEqual(w.data_ptr(), v.data_ptr())

    def test_state_from_and_for_torch(self):
        results = []
        for first, second in ((torch.optim.AdamW, torch.optim.AdamW), (adj.AdamW, torch.optim.AdamW), (torch.optim.AdamW, adj.AdamW)):
            w = torch.linspace(-1, 1, 6, device=DEVICE).requires_grad_()
            optimizer = first([w], lr=0.1)
            for _ in range(2):
                w.grad = torch.linspace(1, 2, 6, device=DEVICE)
                optimizer.step()
            other = second([w], lr=0.1)
            other.load_state_dict(optimizer.state_dict())
            other.step()
            results.append(w.detach().clone())
        for result in results[1:]:
            torch.testing.assert_close(result, results[0], rtol=1e-5, atol=1e-6)

    def test_a_failed_step_does_not_count(self):
        w = torch.ones(3, device=DEVICE)
        optimizer = adjoint.AdamW([w])
        with self.assertRaises(adjoint.Error):
            optimizer.step([torch.ones(4, device=DEVICE)])
        optimizer.step([torch.ones(3, device=DEVICE)])
        self.assertEqual(optimizer.state[0]["step"], 1)

    def test_a_loaded_state_is_a_copy(self):
        w = torch.ones(3, device=DEVICE)
        first = adjoint.AdamW([w])
        first.step([w.clone()])
        second = adjoint.AdamW([w.clone()])
        second.load_state_dict(first.state_dict())
        before = second.state[0]["exp_avg"].clone()
        first.step([w.clone()])
        self.assertTrue(torch.equal(second.state[0]["exp_avg"], before))


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Autocast(unittest.TestCase):
    def test_types_are_those_of_torch(self):
        F = torch.nn.functional
        w, target = torch.rand(8, device=DEVICE) + 0.5, torch.arange(4, device=DEVICE)
        calls = {"softmax": (lambda x: adj.softmax(x, -1), lambda x: torch.softmax(x, -1)), "log_softmax": (lambda x: adj.log_softmax(x, -1), lambda x: torch.log_softmax(x, -1)),
                 "layer_norm": (lambda x: adj.layer_norm(x, 8, w.to(x.dtype), w.to(x.dtype)), lambda x: F.layer_norm(x, (8,), w.to(x.dtype), w.to(x.dtype))),
                 "cross_entropy": (lambda x: adj.cross_entropy(x, target), lambda x: F.cross_entropy(x, target)),
                 "smooth": (lambda x: adj.cross_entropy(x, target, label_smoothing=0.1), lambda x: F.cross_entropy(x, target, label_smoothing=0.1)),
                 "gelu": (adj.gelu, F.gelu), "softplus": (adj.softplus, F.softplus), "silu": (adj.silu, F.silu), "relu": (adj.relu, F.relu),
                 "embedding": (lambda x: adj.embedding(target, x), lambda x: F.embedding(target, x))}
        for dtype in (torch.bfloat16, torch.float16, torch.float32):
            if DEVICE == "cpu" and dtype == torch.float16:
                continue
            for name, (ours, theirs) in calls.items():
                results = []
                for function in (ours, theirs):
                    torch.manual_seed(1)
                    leaf = torch.randn(4, 8, device=DEVICE).to(dtype).requires_grad_()
                    with torch.autocast(DEVICE, dtype=torch.float16 if dtype == torch.float16 else torch.bfloat16):
                        out = function(leaf)
                    out.sum().backward()
                    results.append((out.detach(), leaf.grad))
                with self.subTest(name, dtype=dtype):
                    for a, b in zip(*results):
                        self.assertEqual(a.dtype, b.dtype)
                        torch.testing.assert_close(a, b, rtol=2e-2, atol=2e-2)

    def test_the_gradient_of_a_scaled_loss_in_f16(self):
        """A gradient that would vanish in f16 without the scale of its loss."""
        target, scale = torch.arange(4, device=DEVICE), 1024.0
        results = []
        for function, dtype in ((lambda x: adj.cross_entropy(x, target, z_loss=1e-12), torch.float16), (lambda x: adj.cross_entropy(x, target), torch.float16),
                                (lambda x: torch.nn.functional.cross_entropy(x, target), torch.float32)):
            leaf = (20 * torch.eye(4, 8, device=DEVICE)).to(dtype).requires_grad_()
            (function(leaf).float() * scale).backward()
            results.append(leaf.grad.float()[:, 4:])  # of classes that are no labels
        self.assertGreater(results[2].min().item(), 3e-7)
        for result in results[:2]:
            torch.testing.assert_close(result, results[2], rtol=1e-2, atol=1e-7)
