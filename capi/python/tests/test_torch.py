"""Torch: the functions on tensors, autograd against torch's own, streams, and the overhead of a call. On the CPU where there is no GPU."""
import time
import unittest

import adjoint

try:
    import torch
except ImportError:
    torch = None
if torch is not None:
    import adjoint.torch as adj
    DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CUDA = torch is not None and torch.cuda.is_available()


@unittest.skipIf(torch is None, "torch is not installed")
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
        gradient, = torch.autograd.grad(adj.softmax(x).square().sum(), x, create_graph=True)
        with self.assertRaises(RuntimeError):
            gradient.sum().backward()


@unittest.skipUnless(CUDA, "torch has no CUDA device")
class TorchOnTheGpu(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.y = torch.softmax(torch.randn(300, 500, device="cuda"), -1)
        self.d = torch.randn(300, 500, device="cuda")
        self.expected = self.y * (self.d - (self.y * self.d).sum(-1, keepdim=True))

    def test_the_kernel_is_one_of_the_gpu(self):
        self.assertIn("/sm", adjoint.softmax_backward.sku(self.d, self.y).id)

    def test_current_stream(self):
        side = torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(20_000_000)  # what follows on this stream waits
            d = self.d * 2
            result = adjoint.softmax_backward(d, self.y)
        side.synchronize()
        torch.testing.assert_close(result, 2 * self.expected, rtol=1e-4, atol=1e-6)
        result = adjoint.softmax_backward(self.d, self.y, stream=torch.cuda.current_stream().cuda_stream)
        torch.testing.assert_close(result, self.expected, rtol=1e-4, atol=1e-6)

    def test_a_captured_graph(self):
        indices, dout = torch.randint(0, 50, (20000,), device="cuda"), torch.ones(20000, 8, device="cuda")
        expected = adjoint.embedding_backward(dout, indices, 50).clone()
        self.assertGreater(adjoint.embedding_backward.select(dout, indices, 50).workspace_size, 0)
        out = torch.empty_like(self.d)
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):  # plans are selected before the capture
            for _ in range(2):
                adjoint.softmax_backward(self.d, self.y, dinput=out)
                adjoint.embedding_backward(dout, indices, 50)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=side):
            adjoint.softmax_backward(self.d, self.y, dinput=out)
            gradient = adjoint.embedding_backward(dout, indices, 50)
        self.d *= 3
        graph.replay()
        torch.cuda.synchronize()
        torch.testing.assert_close(out, 3 * self.expected, rtol=1e-4, atol=1e-6)
        torch.testing.assert_close(gradient, expected)

    def test_same_bits_in_every_run(self):
        first = adjoint.softmax_backward(self.d, self.y)
        for _ in range(5):
            self.assertTrue(torch.equal(adjoint.softmax_backward(self.d, self.y), first))

    def test_places(self):
        with self.assertRaisesRegex(adjoint.InvalidError, "dout is on device 0 and out is in ordinary memory; move them to one place"):
            adjoint.softmax_backward(self.d, self.y.cpu())

    def test_a_number_of_the_host(self):
        _, gradient = adjoint.cross_entropy_with_gradient(self.d, torch.zeros(300, dtype=torch.int64, device="cuda"), dloss=torch.tensor(2.0))
        _, other = adjoint.cross_entropy_with_gradient(self.d, torch.zeros(300, dtype=torch.int64, device="cuda"),
                                                       dloss=torch.tensor(2.0, device="cuda"))
        self.assertTrue(torch.equal(gradient, other))

    def test_overhead(self):
        d, y = self.d[:1, :8].contiguous(), self.y[:1, :8].contiguous()
        bound = adjoint.softmax_backward.bind(d, y)
        calls = {"adjoint.softmax_backward": lambda: adjoint.softmax_backward(d, y), "the same, bound": bound,
                 "the same, with dinput": lambda out=torch.empty_like(d): adjoint.softmax_backward(d, y, dinput=out),
                 "torch._softmax_backward_data": lambda: torch._softmax_backward_data(d, y, -1, torch.float32)}
        measured = {name: seconds(call) for name, call in calls.items()}
        for name, value in measured.items():
            print(f"{name}: {value * 1e6:.2f} us a call")
        # 12 us are aimed at; hosts differ by as much as that, so a call is held to PyTorch's own in the same run.
        self.assertLess(measured["adjoint.softmax_backward"], 1.5 * measured["torch._softmax_backward_data"])


def seconds(call, calls=2000, repetitions=7):
    """Least time of a call on the host, the stream being waited for between repetitions."""
    best = float("inf")
    for _ in range(repetitions):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - start) / calls)
    torch.cuda.synchronize()
    return best
