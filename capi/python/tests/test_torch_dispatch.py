"""Torch: what watches and transforms operators sees ours, gradients are right or refused, and signatures are those of torch.nn.functional."""
import inspect
import unittest

import adjoint

from with_torch import DEVICE, adj, torch


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Dispatch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.x, self.labels = torch.randn(4, 8, device=DEVICE), torch.arange(4, device=DEVICE)

    def loss(self, x):
        return adj.cross_entropy(x, self.labels, label_smoothing=0.1)

    def test_traces_and_modes(self):
        from torch.fx.experimental.proxy_tensor import make_fx
        from torch.utils._python_dispatch import TorchDispatchMode
        seen = []

        class Record(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                seen.append(str(function))
                return function(*args, **(kwargs or {}))
        traced = make_fx(lambda t: adj.softmax(t, -1))(self.x)
        self.assertIn("adjoint.softmax_forward", traced.code)
        self.assertNotIn("aten.empty", traced.code)
        other = torch.randn(4, 8, device=DEVICE)
        torch.testing.assert_close(traced(other), torch.softmax(other, -1))
        traced = torch.jit.trace(lambda t: adj.softmax(t, -1), (self.x,))
        torch.testing.assert_close(traced(other), torch.softmax(other, -1))
        with Record():
            adj.softmax(self.x.clone().requires_grad_(), -1).sum().backward()
        self.assertIn("adjoint.softmax_forward.default", seen)
        self.assertIn("adjoint.softmax_backward.default", seen)

    def test_meta(self):
        self.assertEqual(adj.softmax(self.x.to("meta"), -1).device.type, "meta")
        torch.testing.assert_close(adj.softmax(self.x, -1), torch.softmax(self.x, -1))
        with self.assertRaisesRegex(adjoint.InvalidError, "those on meta have no memory"):
            adj.rms_norm(self.x, 8, torch.ones(8, device="meta"))

    def test_func_of_operators(self):
        from torch.func import grad, vjp
        operator = lambda v: torch.ops.adjoint.softmax_forward(v, outer=4, extent=8, inner=1)  # noqa: E731
        expected = grad(lambda v: torch.softmax(v, -1).square().sum())(self.x)
        torch.testing.assert_close(grad(lambda v: operator(v).square().sum())(self.x), expected)
        torch.testing.assert_close(vjp(operator, self.x)[1](self.x)[0], vjp(lambda v: torch.softmax(v, -1), self.x)[1](self.x)[0])
        jacobian = torch.autograd.functional.jacobian
        torch.testing.assert_close(jacobian(lambda v: adj.softmax(v, -1), self.x, vectorize=True), jacobian(lambda v: torch.softmax(v, -1), self.x))

    def test_second_derivatives_of_the_loss_are_refused(self):
        from torch.func import grad
        refused = self.assertRaisesRegex(RuntimeError, "cannot be differentiated again")
        x = self.x.clone().requires_grad_()
        gradient, = torch.autograd.grad(self.loss(x), x, create_graph=True)
        with refused:
            gradient.square().sum().backward()
        with refused:
            torch.autograd.functional.hvp(self.loss, self.x, self.x)
        for function in (self.loss, lambda v: adj.softmax(v, -1).square().sum()):
            with refused:
                grad(lambda w: grad(function)(w).square().sum())(self.x)

    def test_gradients_that_would_be_lost_are_refused(self):
        leaf = lambda *shape: torch.rand(*shape, device=DEVICE).requires_grad_()  # noqa: E731
        with self.assertRaisesRegex(adjoint.InvalidError, r"weight requires grad, .*; give weight.detach\(\)"):
            adj.cross_entropy(self.x, self.labels, leaf(8))
        q, k, v = leaf(1, 3, 2, 8), leaf(1, 3, 2, 8), leaf(1, 3, 2, 8)
        out, lse = torch.ops.adjoint.attention_forward(q, k, v)[:2]
        out.sum().backward(retain_graph=True)
        with self.assertRaisesRegex(RuntimeError, r"attention_forward has no gradient in its result lse; detach\(\) it"):
            (out.sum() + lse.sum()).backward()

    def test_signatures(self):
        F = torch.nn.functional
        for name in ("cross_entropy", "dropout", "embedding", "layer_norm", "rms_norm"):
            with self.subTest(name):
                theirs = [(p.name, p.default) for p in inspect.signature(getattr(F, name)).parameters.values()]
                ours = [(p.name, p.default) for p in inspect.signature(getattr(adj, name)).parameters.values() if p.kind != p.KEYWORD_ONLY]
                self.assertEqual(ours, theirs)
        x, indices = self.x, self.labels
        for call in (lambda: adj.dropout(x, 0.5, True, True), lambda: adj.embedding(indices, x, None, 1.0), lambda: adj.embedding(indices, x, sparse=True),
                     lambda: adj.cross_entropy(x, indices, None, True), lambda: adj.cross_entropy(x, indices, reduce=False)):
            with self.assertRaisesRegex(ValueError, "is not supported; use torch.nn.functional"):
                call()
        with self.assertRaisesRegex(ValueError, "offset = 3 is not a multiple of 4"):
            adj.dropout(x, seed=7, offset=3)
        for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-5), (torch.bfloat16, 2e-2), (torch.float16, 4e-3)):
            small = (x * 1e-4).to(dtype)
            torch.testing.assert_close(adj.rms_norm(small, 8), F.rms_norm(small, (8,)), rtol=tolerance, atol=tolerance / 10)

    def test_cross_entropy_of_images(self):
        F = torch.nn.functional
        for shape in ((2, 5, 5), (2, 5, 3, 4), (5, 7)):
            labels = torch.randint(0, shape[1], (shape[0], *shape[2:]), device=DEVICE)
            for options in ({"label_smoothing": 0.1}, {"label_smoothing": 0.1, "reduction": "none"}):
                found = []
                for function in (adj.cross_entropy, F.cross_entropy):
                    x = torch.linspace(-2, 2, labels.numel() * shape[1], device=DEVICE).sin().reshape(shape).requires_grad_()
                    loss = function(x, labels, **options)
                    found.append((loss.detach(), *torch.autograd.grad(loss.square().sum(), x)))
                for a, b in zip(*found):
                    torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)
        with self.assertRaisesRegex(ValueError, r"target has the shape \[5, 2\], expected \[2, 5\]"):
            adj.cross_entropy(torch.zeros(2, 3, 5), torch.zeros(5, 2, dtype=torch.long))
        x = torch.zeros(0, 5, device=DEVICE, requires_grad=True)
        adj.cross_entropy(x, self.labels[:0], reduction="none", label_smoothing=0.1).sum().backward()
        self.assertEqual(x.grad.shape, (0, 5))

    def test_leaky_relu_of_a_negative_slope(self):
        found = []
        for function in (adj.leaky_relu, torch.nn.functional.leaky_relu):
            x = self.x.clone().requires_grad_()
            function(x, 0.1).sum().backward()
            function(x, -0.5).square().sum().backward()
            found.append(x.grad)
        torch.testing.assert_close(*found)

    def test_parameters_of_adamw(self):
        w = torch.nn.Parameter(torch.ones(2, 3, device=DEVICE))
        with self.assertRaisesRegex(adjoint.InvalidError, r"params\[1\] is params\[0\] again"):
            adjoint.AdamW([w, w])
        with self.assertRaisesRegex(adjoint.InvalidError, r"grads\[0\] has the shape \[3, 2\], and its parameter \[2, 3\]"):
            adjoint.AdamW([w]).step([torch.ones(3, 2, device=DEVICE)])
