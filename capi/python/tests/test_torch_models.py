"""Torch: products, attention and rotation against torch's own, modules that take the place of torch's in a model, and parameters in parts."""
import os
import subprocess
import sys
import unittest

from with_torch import DEVICE, adj, torch


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Functions(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(11)

    def normal(self, *shape, dtype=None):
        return torch.randn(*shape, device=DEVICE, dtype=dtype or torch.float64)

    def alike(self, ours, theirs, *tensors):
        """Results and gradients are equal within rounding."""
        results = []
        for function in (ours, theirs):
            leaves = [t.clone().requires_grad_() for t in tensors]
            out = function(*leaves)
            upstream = torch.linspace(-1, 1, out.numel(), dtype=out.dtype, device=DEVICE).reshape(out.shape)
            results.append([out.detach(), *torch.autograd.grad(out, leaves, upstream)])
        for a, b in zip(*results):
            torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-10)

    def test_attention(self):
        F = torch.nn.functional
        for heads, kv_heads, options in ((2, 2, {}), (2, 2, {"is_causal": True}), (4, 2, {"enable_gqa": True, "is_causal": True}), (2, 2, {"scale": 0.3}),
                                         (2, 1, {"enable_gqa": True})):
            q, k, v = (self.normal(2, h, 5, 8) for h in (heads, kv_heads, kv_heads))
            self.alike(lambda *t: adj.scaled_dot_product_attention(*t, **options), lambda *t: F.scaled_dot_product_attention(*t, **options), q, k, v)
        q, k, v = (self.normal(3, 5, 8) for _ in range(3))
        self.alike(adj.scaled_dot_product_attention, F.scaled_dot_product_attention, q, k, v)
        near = torch.ones(5, 5, dtype=torch.bool, device=DEVICE).tril().triu(-2)
        self.alike(lambda *t: adj.scaled_dot_product_attention(*t, is_causal=True, window=2), lambda *t: F.scaled_dot_product_attention(*t, attn_mask=near), q, k, v)
        q = self.normal(2, 5, 3, 8).transpose(1, 2)
        for make in (torch.nn.attention.bias.causal_upper_left, torch.nn.attention.bias.causal_lower_right):
            self.assertTrue(torch.equal(adj.scaled_dot_product_attention(q, q, q, make(5, 5)), adj.scaled_dot_product_attention(q, q, q, is_causal=True)))
        self.assertTrue(adj.scaled_dot_product_attention(q, q, q).transpose(1, 2).is_contiguous())

    def test_attention_that_is_refused(self):
        attend, (q, k, v) = adj.scaled_dot_product_attention, (self.normal(1, 2, 4, 8) for _ in range(3))
        for call, words in ((lambda: attend(q, k, v, torch.ones(4, 4, device=DEVICE)), "attn_mask"), (lambda: attend(q, k, v, dropout_p=0.1), "dropout_p"),
                            (lambda: attend(q, k[:, :, :3], v[:, :, :3]), r"shapes \[1, 2, 4, 8\], \[1, 2, 3, 8\]"), (lambda: attend(q, k, v[..., :4]), "shapes"),
                            (lambda: attend(q, k[:, :1], v[:, :1]), "enable_gqa"), (lambda: attend(q[0, 0], k, v), "query has the shape"),
                            (lambda: attend(q, k, v, torch.nn.attention.bias.causal_upper_left(4, 6)), "attn_mask"),
                            (lambda: attend(q, k, v, torch.nn.attention.bias.causal_upper_left(4, 4), is_causal=True), "attn_mask and is_causal are both given"),
                            (lambda: attend(q, k, v, scale=0), "scale = 0")):
            with self.assertRaisesRegex(ValueError, words):
                call()

    def test_rope(self):
        x, angles = self.normal(2, 5, 3, 8), self.normal(7, 4)
        cos, sin = angles.cos(), angles.sin()

        def rotated(t, rows, interleaved):
            a, b = (t[..., ::2], t[..., 1::2]) if interleaved else t.chunk(2, -1)
            c, s = cos[rows].unsqueeze(-2), sin[rows].unsqueeze(-2)
            parts = a * c - b * s, b * c + a * s
            return torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)
        positions = torch.tensor([[0, 6, 2, 3, 1], [1, 1, 5, 0, 2]], device=DEVICE)
        for interleaved in (False, True):
            self.alike(lambda t: adj.rope(t, cos, sin, interleaved=interleaved), lambda t: rotated(t, torch.arange(5, device=DEVICE), interleaved), x)
            self.alike(lambda t: adj.rope(t, cos, sin, positions, interleaved=interleaved), lambda t: rotated(t, positions, interleaved), x)
        part = adj.rope(x, cos[:, :2], sin[:, :2])
        self.assertTrue(torch.equal(part[..., 4:], x[..., 4:]))
        for call, words in ((lambda: adj.rope(x[0], cos, sin), "input has the shape"), (lambda: adj.rope(x, cos, sin[:3]), "cos has the shape")):
            with self.assertRaisesRegex(ValueError, words):
                call()

    def test_products_that_are_refused(self):
        x, w = self.normal(3, 4), self.normal(5, 4)
        for call, words in ((lambda: adj.linear(x, w.t()), "linear: input has the shape"), (lambda: adj.linear(x, w, w[0]), "bias has the shape"),
                            (lambda: adj.matmul(x, w), "matmul: input of shape"), (lambda: adj.matmul(x[0, 0], w), "no dimension")):
            with self.assertRaisesRegex(ValueError, words):
                call()
        with self.assertRaisesRegex(TypeError, "matmul: input has elements of torch.float64 and other of torch.float32"):
            adj.matmul(x, w.t().float())

    def test_autocast(self):
        """Products and attention compute in the type of autocast, as torch's do."""
        F, x, w = torch.nn.functional, self.normal(3, 4, dtype=torch.float32), self.normal(5, 4, dtype=torch.float32)
        q = self.normal(1, 2, 4, 8, dtype=torch.float32)
        for ours, theirs in ((lambda: adj.linear(x, w, w[:, 0]), lambda: F.linear(x, w, w[:, 0])), (lambda: adj.matmul(x, w.t()), lambda: x @ w.t()),
                             (lambda: adj.scaled_dot_product_attention(q, q, q), lambda: F.scaled_dot_product_attention(q, q, q)),
                             (lambda: adj.matmul(x.double(), w.double().t()), lambda: x.double() @ w.double().t())):
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                a, b = ours(), theirs()
            self.assertEqual(a.dtype, b.dtype)
            torch.testing.assert_close(a.float(), b.float(), rtol=3e-2, atol=3e-2)


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Modules(unittest.TestCase):
    def model(self):
        nn = torch.nn
        return nn.ModuleDict({"table": nn.Embedding(9, 8, padding_idx=1), "norms": nn.Sequential(nn.RMSNorm(8), nn.LayerNorm(8)), "groups": nn.GroupNorm(2, 8), "up": nn.Linear(8, 16),
                              "act": nn.GELU("tanh"), "down": nn.Linear(16, 9, bias=False), "silu": nn.SiLU(), "soft": nn.Softmax(-1), "loss": nn.CrossEntropyLoss(
                                  label_smoothing=0.1), "bounded": nn.Embedding(9, 8, max_norm=1.0), "fast": nn.SiLU(inplace=True)}).to(DEVICE)

    def loss(self, model, tokens):
        h = model["groups"](model["norms"](model["table"](tokens)).flatten(0, 1)).view(*tokens.shape, 8)
        return model["loss"](model["soft"](model["down"](model["silu"](model["act"](model["up"](h))))).flatten(0, 1), tokens.flatten())

    def test_modules_in_a_model(self):
        torch.manual_seed(2)
        ours, theirs = self.model(), self.model()
        theirs.load_state_dict(ours.state_dict())
        parameters, calls = list(ours.parameters()), []
        ours["up"].register_forward_hook(lambda *_: calls.append(1))
        changed = adj.replace_modules(ours)
        self.assertEqual(changed, {"table": adj.Embedding, "norms.0": adj.RMSNorm, "norms.1": adj.LayerNorm, "groups": adj.GroupNorm, "loss": adj.CrossEntropyLoss})
        changed = adj.replace_modules(ours, [adj.Linear, adj.GELU, adj.SiLU, adj.Softmax, adj.Embedding])
        self.assertEqual(changed, {"up": adj.Linear, "act": adj.GELU, "down": adj.Linear, "silu": adj.SiLU, "soft": adj.Softmax})
        self.assertIs(type(ours["bounded"]), torch.nn.Embedding)
        self.assertIs(type(ours["fast"]), torch.nn.SiLU)
        self.assertTrue(all(a is b for a, b in zip(ours.parameters(), parameters)))
        tokens = torch.tensor([[0, 1, 5], [8, 3, 1]], device=DEVICE)
        for model in (ours, theirs):
            self.loss(model, tokens).backward()
        self.assertEqual(calls, [1])
        for (name, a), b in zip(ours.named_parameters(), theirs.parameters()):
            with self.subTest(name):
                self.assertEqual(a.grad is None, b.grad is None)
                if a.grad is not None:
                    torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-6)
        theirs.load_state_dict(ours.state_dict())
        with self.assertRaisesRegex(ValueError, "stands for no module of torch; those are Linear, RMSNorm"):
            adj.replace_modules(ours, [torch.nn.Linear])

    def test_compile(self):
        model = self.model()
        adj.replace_modules(model, [adj.Linear, adj.RMSNorm, adj.LayerNorm, adj.GroupNorm, adj.Embedding, adj.CrossEntropyLoss, adj.GELU, adj.SiLU, adj.Softmax])
        tokens, found = torch.tensor([[0, 1, 5], [8, 3, 1]], device=DEVICE), []
        for function in (self.loss, torch.compile(self.loss, fullgraph=True, backend="aot_eager")):
            loss = function(model, tokens)
            found.append([loss.detach(), *torch.autograd.grad(loss, [p for n, p in model.named_parameters() if "bounded" not in n])])
        for a, b in zip(*found):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-7)

    def test_swiglu(self):
        x = torch.randn(2, 8, device=DEVICE)
        self.assertTrue(torch.equal(adj.SwiGLU()(x), adj.swiglu(x)))


SHARDED = """
import sys
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
import adjoint.torch as adj
rank, path = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method="file://" + path, rank=rank, world_size=2)
nn = torch.nn

def trained(ours, wrap):
    torch.manual_seed(3)
    model = nn.Sequential(nn.Embedding(9, 6), nn.RMSNorm(6), nn.Linear(6, 5), nn.LayerNorm(5))
    if ours:
        adj.replace_modules(model)
    model = wrap(model)
    optimizer = (adj.AdamW if ours else torch.optim.AdamW)(model.parameters(), lr=0.1)
    torch.manual_seed(rank)
    for _ in range(3):
        tokens = torch.randint(0, 9, (4,))
        loss = (adj.cross_entropy if ours else nn.functional.cross_entropy)(model(tokens), tokens % 5)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    full = [p.full_tensor() if hasattr(p, "full_tensor") else p for p in model.parameters()]
    states = [type(optimizer.state[p]["exp_avg"]).__name__ for p in model.parameters()]
    return [p.detach() for p in full], states, [int(optimizer.state[p]["step"]) for p in model.parameters()]

from torch.distributed.device_mesh import init_device_mesh
mesh = init_device_mesh("cpu", (2,))
has_fsdp2 = hasattr(torch.cpu.Stream, "record_event")  # on the CPU; PyTorch 2.6 has it on GPUs alone
for wrap in (DistributedDataParallel, lambda m: fully_shard(m, mesh=mesh))[:1 + has_fsdp2]:
    (a, s, n), (b, t, m) = trained(True, wrap), trained(False, wrap)
    assert s == t and n == m, (s, t, n, m)
    for x, y in zip(a, b):
        torch.testing.assert_close(x, y, rtol=1e-4, atol=1e-5)
from torch.distributed.tensor import DTensor, Replicate, Shard
w = nn.Parameter(DTensor.from_local(torch.ones(2, 3), mesh, [Shard(0)]))
optimizer = adj.AdamW([w])
w.grad = DTensor.from_local(torch.ones(4, 3), mesh, [Replicate()])
try:
    optimizer.step()
    raise AssertionError("another placement was taken")
except ValueError as error:
    assert "its gradient (Replicate(),)" in str(error), error
import adjoint
try:
    adjoint.AdamW([w])
    raise AssertionError("a DTensor was taken")
except adjoint.Error as error:
    assert "params[0] is a DTensor" in str(error), error
from torch.distributed.tensor import Partial, distribute_tensor
F, norm = nn.functional, nn.GroupNorm(2, 6)
torch.manual_seed(7)
x, gamma, beta, dout = torch.randn(5, 3, 6), torch.randn(6), torch.randn(6), torch.randn(5, 3, 6)
calls = {  # ours, torch's, the dimensions that may be sharded
    "softmax": (lambda x, g, b: adj.softmax(x, 1), lambda x, g, b: F.softmax(x, 1), (0, 2)),
    "log_softmax": (lambda x, g, b: adj.log_softmax(x, -1), lambda x, g, b: F.log_softmax(x, -1), (0, 1)),
    "gelu": (lambda x, g, b: adj.gelu(x), lambda x, g, b: F.gelu(x), (0, 1, 2)),
    "tanh": (lambda x, g, b: adj.tanh(x), lambda x, g, b: torch.tanh(x), (0, 1, 2)),
    "swiglu": (lambda x, g, b: adj.swiglu(x), lambda x, g, b: F.silu(x[..., :3]) * x[..., 3:], (0, 1)),
    "rms_norm": (lambda x, g, b: adj.rms_norm(x, 6, g), lambda x, g, b: F.rms_norm(x, (6,), g), (0, 1)),
    "layer_norm": (lambda x, g, b: adj.layer_norm(x, 6, g, b), lambda x, g, b: F.layer_norm(x, (6,), g, b), (0, 1)),
    "group_norm": (lambda x, g, b: adj.group_norm(x, 3, g[:3], b[:3]), lambda x, g, b: F.group_norm(x, 3, g[:3], b[:3]), (0,)),
    "torch.ops": (lambda x, g, b: torch.ops.adjoint.rms_norm_forward(x, None, g, axis=-1)[0], lambda x, g, b: F.rms_norm(x, (6,), g, 1e-5), (0, 1)),
}
for name, (ours, theirs, dims) in calls.items():
    leaves = [t.clone().requires_grad_() for t in (x, gamma, beta)]
    expected = theirs(*leaves)
    up = dout[..., :expected.shape[-1]].contiguous()
    wanted = torch.autograd.grad(expected, leaves, up, allow_unused=True)
    for placement in (Replicate(), *map(Shard, range(3))):
        a, g, b = (distribute_tensor(t, mesh, [p]).requires_grad_() for t, p in ((x, placement), (gamma, Replicate()), (beta, Replicate())))
        if isinstance(placement, Shard) and placement.dim not in dims:
            try:
                ours(a, g, b)
                raise AssertionError((name, placement))
            except ValueError as error:
                assert f"is sharded along dimension {placement.dim}, which the operator takes whole" in str(error), error
            continue
        for backward in (placement, Replicate()):  # a gradient comes as it comes
            out = ours(a, g, b)
            assert out.placements == (placement,) and out.shape == expected.shape, (name, out.placements, out.shape)
            torch.testing.assert_close(out.full_tensor(), expected, rtol=1e-5, atol=1e-6)
            found = torch.autograd.grad(out, (a, g, b), distribute_tensor(up, mesh, [backward]), allow_unused=True)
            for i, (f, e) in enumerate(zip(found, wanted)):
                assert (f is None) == (e is None), (name, i)
                if f is not None:
                    assert f.placements == ((placement,) if i == 0 else (Replicate(),)), (name, i, f.placements)
                    torch.testing.assert_close(f.full_tensor(), e, rtol=1e-4, atol=1e-5)
a, g = distribute_tensor(x, mesh, [Shard(1)]).requires_grad_(), distribute_tensor(gamma, mesh, [Replicate()]).requires_grad_()
call = lambda a, g: adj.softmax(adj.rms_norm(a, 6, g), -1)
found = []
for function in (call, torch.compile(call, fullgraph=True, backend="aot_eager")):
    out = function(a, g)
    found.append([out, *torch.autograd.grad(out, (a, g), distribute_tensor(dout, mesh, [Shard(1)]))])
for f, e in zip(*found):
    assert f.placements == e.placements
    torch.testing.assert_close(f.full_tensor(), e.full_tensor(), rtol=0, atol=0)
part = distribute_tensor(x, mesh, [Shard(0)])
terms = DTensor.from_local(x, mesh, [Partial()])
for call, words in ((lambda: adj.softmax(terms, -1), "and the operator takes Shard and Replicate"), (lambda: adj.rms_norm(part, 6, gamma), "gamma is a tensor of this process alone"),
                    (lambda: adj.linear(part, distribute_tensor(torch.ones(6, 6), mesh, [Replicate()])), "an argument is a DTensor, and the operator is not one of rows"),
                    (lambda: adj.cross_entropy(part, torch.zeros(5, 6, dtype=torch.long)), "an argument is a DTensor"),
                    (lambda: torch.ops.adjoint.softmax_forward(part, outer=15, extent=6, inner=1, element=torch.float32), None),
                    (lambda: torch.ops.adjoint.softmax_forward(part, outer=3, extent=30, inner=1), "they must name one dimension")):
    try:
        call()
        assert words is None, words
    except ValueError as error:
        assert words is not None and words in str(error), error
# The same processes in another order: their parts are others, so nothing is computed with those of both.
from torch.distributed.device_mesh import DeviceMesh
turned, local = DeviceMesh("cpu", [1, 0]), torch.ones(2, 6)
here, there = (DTensor.from_local(local, m, [Shard(0)], run_check=False).requires_grad_() for m in (mesh, turned))
weight = DTensor.from_local(gamma, turned, [Replicate()], run_check=False)
assert adj.softmax(there, -1).device_mesh == turned != mesh
torch.testing.assert_close(adj.rms_norm(there, 6, weight).to_local(), F.rms_norm(local, (6,), gamma), rtol=1e-5, atol=1e-6)
parameter = nn.Parameter(here.detach().clone())
parameter.grad = there.detach()
adamw = adj.AdamW([parameter])
for call, words in ((lambda: adj.rms_norm(here, 6, weight), f"rms_norm_forward: gamma is on another mesh than input: {turned} and {mesh}"),
                    (lambda: adj.layer_norm(there, 6, DTensor.from_local(gamma, mesh, [Replicate()])), f"gamma is on another mesh than input: {mesh} and {turned}"),
                    (lambda: torch.ops.adjoint.rms_norm_forward(here, None, weight, axis=-1), f"gamma is on another mesh than input: {turned} and {mesh}"),
                    (lambda: torch.ops.adjoint.softmax_backward(there.detach(), here.detach(), outer=4, extent=6, inner=1), f"dout is on another mesh than out: {turned} and {mesh}"),
                    (adamw.step, f"AdamW: a parameter is on the mesh {mesh} and its gradient on {turned}")):
    try:
        call()
        raise AssertionError(f"another mesh was taken, not: {words}")
    except ValueError as error:
        assert words in str(error), error
assert torch.equal(parameter.to_local(), local) and not adamw.state.get(parameter)
dist.barrier()
print("done" if has_fsdp2 else "done, without FSDP2")
"""


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Parts(unittest.TestCase):
    def test_two_processes(self):
        """Modules and AdamW in DistributedDataParallel and in FSDP2, where each process has a part of each parameter."""
        if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
            self.skipTest("PyTorch has no gloo")
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
            both = [subprocess.Popen([sys.executable, "-c", SHARDED, str(rank), os.path.join(folder, "store")], env=environment, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True) for rank in (0, 1)]
            try:
                for process in both:
                    out, err = process.communicate(timeout=300)
                    self.assertEqual((process.returncode, out.strip().partition(",")[0]), (0, "done"), err[-3000:])
                    if "," in out:
                        self.skipTest("this PyTorch has no FSDP2 on the CPU; the rest has passed")
            finally:
                for process in both:
                    process.kill()


if __name__ == "__main__":
    unittest.main()
