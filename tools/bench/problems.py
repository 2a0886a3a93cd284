"""PyTorch on the problems of a line (tools/bench/words.hpp): peers(LINE) returns its variants, as case() of measuring.py takes them. As a program,
problems.py LINE..., it runs the compiled variant of each once, which leaves the kernels in PyTorch's cache on the disk.

Every variant makes the same results as our operator from the same tensors: gradients alone where the operator is a gradient. Eager and compiled forms
are made of each, and Liger's kernels where liger-kernel is installed."""
import sys

import torch
import torch.nn.functional as F
from measuring import DEVICE, DTYPES
from torch.nn.attention import SDPBackend, sdpa_kernel

try:
    from liger_kernel.ops import geglu as liger_geglu, rms_norm as liger_rms_norm, swiglu as liger_swiglu
except ImportError:
    liger_geglu = liger_rms_norm = liger_swiglu = None


class Problem:
    """Operator and fields of a line; numbers are integers, lists of numbers are tuples."""

    def __init__(self, line):
        self.op, *words = line.split()
        self.fields = dict(word.split("=", 1) for word in words if "=" in word and ":" not in word.split("=")[0])
        self.settings = dict(word.split(":", 1) for word in words if ":" in word and "=" not in word)

    def number(self, name, default=0):
        return int(self.fields.get(name, default))

    def shape(self, name):
        return tuple(map(int, self.fields[name].split(",")))

    def dtype(self, name="element"):
        return DTYPES[self.fields[name]]

    def numels(self):
        count, n = self.fields["numel"].split("x") if "x" in self.fields["numel"] else (1, self.fields["numel"])
        return [int(n)] * int(count)

    def tensor(self, *shape):
        return torch.randn(*shape, device=DEVICE, dtype=torch.float32).to(self.dtype())

    def indices(self, count):
        return torch.randint(0, int(self.settings["indices"][1:]), (count,), device=DEVICE)


def both(function, make, compile_it=True):
    def variant(wrap):
        def prepare():
            inputs, call = make(), wrap(function)
            return lambda: call(*inputs)
        return prepare
    return {"eager": variant(lambda f: f)} | ({"compiled": variant(torch.compile)} if compile_it else {})


def gradient(forward, make, leaves, compile_it=True):
    """The gradients of the first `leaves` inputs alone."""
    def variant(wrap):
        def prepare():
            inputs = make()
            for x in inputs[:leaves]:
                x.requires_grad_(True)
            out = wrap(forward)(*inputs)
            dout = torch.randn_like(out)
            return lambda: torch.autograd.grad(out, inputs[:leaves], dout, retain_graph=True)
        return prepare
    return {"eager": variant(lambda f: f)} | ({"compiled": variant(torch.compile)} if compile_it else {})


def either(p, forward, make, leaves, compile_it=True):
    return gradient(forward, make, leaves, compile_it) if p.op.endswith("_backward") else both(forward, make, compile_it)


def with_liger(call, make):
    def prepare():
        inputs = make()
        return lambda: call(*inputs)
    return {"Liger": prepare}


def norm(p):
    rows, columns = p.shape("shape")
    layer = p.op.startswith("layer")

    def forward(x, weight, bias=None):
        return F.layer_norm(x, (columns,), weight, bias) if layer else F.rms_norm(x, (columns,), weight)

    def residual(x, r, *weights):
        total = x + r
        return forward(total, *weights), total

    def make(tensors=1):
        return [*(p.tensor(rows, columns) for _ in range(tensors)), *(p.tensor(columns) for _ in range(1 + layer))]
    if p.number("has_residual"):
        return both(residual, lambda: make(2))
    variants = either(p, forward, make, 2 + layer)
    if liger_rms_norm and not layer and p.op.endswith("forward"):
        variants |= with_liger(lambda x, w: liger_rms_norm.rms_norm_forward(x, w, 1e-5, 0.0, "llama", None), make)
    return variants


ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}
GRADIENTS = {"relu": lambda g, x: torch.ops.aten.threshold_backward(g, x, 0), "gelu": torch.ops.aten.gelu_backward, "silu": torch.ops.aten.silu_backward,
             "gelu_tanh": lambda g, x: torch.ops.aten.gelu_backward(g, x, approximate="tanh")}


def activation(p):
    outer, inner, name = p.number("outer", 1), p.number("inner"), p.fields["function"]
    bias = [inner] if p.number("has_bias") else []

    def forward(x, *b):
        return ACTIVATIONS[name](x + b[0] if b else x)

    def backward(g, x, *b):
        dx = GRADIENTS[name](g, x + b[0] if b else x)
        return (dx, dx.sum(0)) if p.number("has_dbias") else dx
    if p.op.endswith("forward"):
        return both(forward, lambda: [p.tensor(outer, inner), *map(p.tensor, bias)])
    return both(backward, lambda: [p.tensor(outer, inner), p.tensor(outer, inner), *map(p.tensor, bias)])


def gated(p):
    outer, inner, swiglu = p.number("outer", 1), p.number("inner"), p.fields["function"] == "swiglu"

    def forward(x):
        a, b = x.chunk(2, -1)
        return (F.silu(a) if swiglu else F.gelu(a, approximate="tanh")) * b
    variants = either(p, forward, lambda: [p.tensor(outer, 2 * inner)], 1)
    if liger_swiglu:
        way = "backward" if p.op.endswith("backward") else "forward"
        call = getattr(liger_swiglu, f"swiglu_{way}") if swiglu else getattr(liger_geglu, f"geglu_{way}")
        variants |= with_liger(call, lambda: [p.tensor(outer, inner) for _ in range(3 if way == "backward" else 2)])
    return variants


def softmax(p):
    shape = (p.number("outer", 1), p.number("extent"))
    if p.op.endswith("forward"):
        return both(lambda x: torch.softmax(x, -1), lambda: [p.tensor(*shape)])
    return both(lambda g, y: torch.ops.aten._softmax_backward_data(g, y, -1, y.dtype), lambda: [p.tensor(*shape), p.tensor(*shape).softmax(-1)])


def softmax_dropout(p):
    shape, ratio = (p.number("rows"), p.number("columns")), float(p.settings["ratio"])

    def forward(x, b):
        return torch.ops.aten.native_dropout(torch.softmax((x.view(-1, *b.shape) + b).view(shape), -1), ratio, True)

    def backward(g, mask, y):
        return torch.ops.aten._softmax_backward_data(torch.ops.aten.native_dropout_backward(g, mask, 1 / (1 - ratio)), y, -1, y.dtype)
    if p.op.endswith("forward"):
        return both(forward, lambda: [p.tensor(*shape), p.tensor(p.number("bias_rows"), shape[1])])
    return both(backward, lambda: [p.tensor(*shape), torch.rand(shape, device=DEVICE) > ratio, p.tensor(*shape).softmax(-1)])


def dropout(p):
    n, ratio = p.number("numel"), float(p.settings["ratio"])
    if p.op.endswith("forward"):
        return both(lambda x: torch.ops.aten.native_dropout(x, ratio, True), lambda: [p.tensor(n)])
    return both(lambda g, mask: torch.ops.aten.native_dropout_backward(g, mask, 1 / (1 - ratio)), lambda: [p.tensor(n), torch.rand(n, device=DEVICE) > ratio])


def embedding(p):
    v, d, t = p.number("num_embeddings"), p.number("embedding_dim"), p.number("num_indices")
    if p.op.endswith("forward"):
        return both(lambda w, i: F.embedding(i, w), lambda: [p.tensor(v, d), p.indices(t)], False)
    return both(lambda g, i: torch.ops.aten.embedding_dense_backward(g, i, v, -1, False), lambda: [p.tensor(t, d), p.indices(t)])


def rows_by_index(p):
    if p.op == "index_add":
        (n, d), t = p.shape("shape"), p.number("num_indices")
        return both(lambda base, i, g: base.index_add(0, i, g), lambda: [p.tensor(n, d), p.indices(t), p.tensor(t, d)])
    n, d, t = p.number("extent"), p.number("inner"), p.number("num_indices")
    return both(lambda g, i: torch.zeros(n, d, device=DEVICE, dtype=g.dtype).index_add(0, i, g), lambda: [p.tensor(t, d), p.indices(t)])


def experts(p):
    t, k, n, d = (p.number(name) for name in ("tokens", "top_k", "num_rows", "columns"))
    if p.op == "moe_plan":
        pairs = lambda: [torch.randint(p.number("num_experts"), (t * k,), device=DEVICE, dtype=torch.int32)]
        return both(lambda e: torch.sort(e, stable=True), pairs, False)
    rows = lambda: torch.randperm(n, device=DEVICE)[:t * k].view(t, k)
    weights = lambda: torch.rand(t, k, device=DEVICE)
    if p.op == "moe_permute":
        return both(lambda x, order: x[order // k], lambda: [p.tensor(t, d), rows().view(-1)])
    if p.op == "moe_permute_backward":
        return both(lambda g, inverse: g[inverse].sum(1), lambda: [p.tensor(n, d), rows()])
    if p.op == "moe_unpermute":
        return both(lambda z, w, inverse: (z[inverse] * w[:, :, None].to(z.dtype)).sum(1), lambda: [p.tensor(n, d), weights(), rows()])

    def backward(g, z, w, order, inverse):
        return g[order // k] * w.view(-1)[order][:, None].to(g.dtype), (g[:, None, :] * z[inverse]).sum(-1, dtype=torch.float32)
    return both(backward, lambda: [p.tensor(t, d), p.tensor(n, d), weights(), rows().view(-1), rows()])


def cross_entropy(p):
    n, c = p.number("samples"), p.number("num_classes")

    def call(scores, labels):
        scores = scores.detach().requires_grad_(True)
        loss = F.cross_entropy(scores[:, :c], labels)
        return torch.autograd.grad(loss, scores)[0], loss

    def prepare():
        scores, labels = p.tensor(n, p.number("padded_classes") or c).requires_grad_(True), torch.randint(0, c, (n,), device=DEVICE)
        quick = torch.compile(lambda s: F.cross_entropy(s[:, :c], labels))

        def step():
            loss = quick(scores)
            return torch.autograd.grad(loss, scores)[0], loss
        return step
    return both(call, lambda: [p.tensor(n, p.number("padded_classes") or c), torch.randint(0, c, (n,), device=DEVICE)], False) | {"compiled": prepare}


def rope(p):
    t, heads, kv, dim = (p.number(name) for name in ("tokens", "heads", "kv_heads", "head_dim"))

    def rotated(x, cos, sin):
        a, b = x.chunk(2, -1)
        return x * cos[:, None] + torch.cat((-b, a), -1) * sin[:, None]

    def forward(q, k, *rest):
        *weights, cos, sin = rest
        if weights:
            q, k = F.rms_norm(q, (dim,), weights[0]), F.rms_norm(k, (dim,), weights[1])
        return torch.cat((rotated(q, cos, sin), rotated(k, cos, sin)), 1)

    def make():
        angles = torch.arange(t, device=DEVICE).double()[:, None] * float(p.fields["base"]) ** (-torch.arange(dim // 2, device=DEVICE).double() * 2 / dim)
        weights = [p.tensor(dim), p.tensor(dim)] if p.number("has_norm") else []
        return [p.tensor(t, heads, dim), p.tensor(t, kv, dim), *weights, *(torch.cat([f(angles)] * 2, -1).to(p.dtype()) for f in (torch.cos, torch.sin))]
    return either(p, forward, make, 4 if p.number("has_norm") else 2)


def attention(p):
    batch, tokens, heads, dim = (p.number(name) for name in ("batch", "tokens", "heads", "head_dim"))
    kv = p.number("kv_heads") or heads

    def make(backend):
        def variant():
            q, k, v = (p.tensor(batch, tokens, n, dim).transpose(1, 2).requires_grad_(p.op.endswith("backward")) for n in (heads, kv, kv))

            def forward():
                with sdpa_kernel(backend):
                    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=heads != kv)
            if p.op.endswith("forward"):
                return forward
            out = forward()
            dout = torch.randn_like(out)
            return lambda: torch.autograd.grad(out, (q, k, v), dout, retain_graph=True)
        return variant
    return {"cuDNN": make(SDPBackend.CUDNN_ATTENTION), "flash": make(SDPBackend.FLASH_ATTENTION)}


def batch_norm(p):
    outer, channels, inner = p.number("outer"), p.number("channels"), p.number("inner", 1)

    def forward(x, weight, bias):
        return F.batch_norm(x, None, None, weight, bias, training=True)

    def make():  # channels last where inner is 1, as images of one row
        x = p.tensor(outer, channels, inner, 1) if inner > 1 else p.tensor(1, channels, outer, 1).contiguous(memory_format=torch.channels_last)
        return [x, *(torch.randn(channels, device=DEVICE) for _ in range(2))]
    return either(p, forward, make, 3)


def group_norm(p):
    outer, channels, inner = p.number("outer"), p.number("channels"), p.number("inner", 1)

    def forward(x, weight, bias):
        return F.group_norm(x, p.number("groups"), weight, bias)
    return either(p, forward, lambda: [p.tensor(outer, channels, inner), p.tensor(channels), p.tensor(channels)], 3)


def linear_cross_entropy(p):
    """Loss and gradients together, as ours with with_gradient."""
    def variant(wrap):
        def prepare():
            x = p.tensor(p.number("samples"), p.number("hidden")).requires_grad_(True)
            weight = (p.tensor(p.number("num_classes"), p.number("hidden")) / 64).requires_grad_(True)
            labels = torch.randint(0, p.number("num_classes"), (p.number("samples"),), device=DEVICE)
            loss = wrap(lambda a, b, c: F.cross_entropy(F.linear(a, b).float(), c))
            return lambda: torch.autograd.grad(loss(x, weight, labels), (x, weight))
        return prepare
    return {"eager": variant(lambda f: f), "compiled": variant(torch.compile)}


def resize(p):
    small, large, linear = p.shape("input"), p.shape("out"), p.fields["mode"] == "linear"

    def forward(x):
        return F.interpolate(x, size=large[2:], mode="bilinear" if linear else "nearest", align_corners=False if linear else None)
    return either(p, forward, lambda: [p.tensor(*small)], 1)


def reduce(p):
    shape, axis = p.shape("shape"), int(p.fields["axes"])
    return both(lambda x: x.mean(axis) if p.fields["kind"] == "mean" else x.sum(axis), lambda: [p.tensor(*shape)])


def optimizer(p):
    kinds = {"adam": (torch.optim.AdamW, {"lr": 1e-3, "fused": True}), "sgd": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "fused": True})}

    def parameters():
        tensors = [torch.nn.Parameter(torch.randn(n, device=DEVICE)) for n in p.numels()]
        for t in tensors:
            t.grad = torch.randn_like(t)
        return tensors

    def fused():
        kind, options = kinds[p.op]
        return kind(parameters(), **options).step

    def clip():
        tensors = parameters()
        return lambda: torch.nn.utils.clip_grad_norm_(tensors, 1.0, foreach=True)
    return {"foreach": clip} if p.op == "clip_grad_norm" else {"fused": fused} if p.op in kinds else {}


def quantized(p):
    rows, columns, granularity = p.number("rows"), p.number("columns"), p.fields.get("granularity", "tensor")
    shape, axes = {"tensor": ((rows, columns), (0, 1)), "row": ((rows, columns), 1), "block_1x128": ((rows, columns // 128, 128), 2),
                   "block_128x128": ((rows // 128, 128, columns // 128, 128), (1, 3))}[granularity]

    def codes(x, shape):
        x = x.view(shape)
        scale = 448 / x.abs().amax(axes, keepdim=True).float()
        return (x.float() * scale).clamp(-448, 448).to(torch.float8_e4m3fn).view(rows, -1), 1 / scale

    def forward(x):
        result = codes(x, shape)
        if not p.number("has_transposed"):
            return result
        if granularity != "block_1x128":
            return *result, result[0].t().contiguous()
        x = x.view(rows // 128, 128, columns)
        scale = 448 / x.abs().amax(1, keepdim=True).float()
        return *result, (x.float() * scale).clamp(-448, 448).to(torch.float8_e4m3fn).view(rows, columns).t().contiguous(), 1 / scale
    return both(forward, lambda: [p.tensor(rows, columns)])


def scaled_product(p):
    m, n, k = p.number("m"), p.number("n"), p.number("k")
    of_rows = p.fields.get("granularity_a") == "row"

    def product():
        a, b = (torch.randn(rows, k, device=DEVICE).to(torch.float8_e4m3fn) for rows in (m, n))
        scales = (torch.ones(m, 1, device=DEVICE), torch.ones(1, n, device=DEVICE)) if of_rows else (torch.ones((), device=DEVICE),) * 2
        return lambda: torch._scaled_mm(a, b.t(), *scales, out_dtype=torch.bfloat16, use_fast_accum=bool(p.number("fast_accumulation")))
    return {"cublaslt": product}


MAKERS = {"activation": activation, "gated_activation": gated, "softmax": softmax, "dropout": dropout, "embedding": embedding,
          "index_add": rows_by_index, "gather_backward": rows_by_index, "cross_entropy_with_gradient": cross_entropy, "rope": rope, "attention": attention,
           "batch_norm": batch_norm, "group_norm": group_norm, "linear_cross_entropy": linear_cross_entropy, "resize": resize, "reduce": reduce,
           "layer_norm": norm, "rms_norm": norm, "softmax_dropout": softmax_dropout, "bias_softmax_dropout": softmax_dropout, "adam": optimizer,
           "sgd": optimizer, "clip_grad_norm": optimizer, "lamb": optimizer,
           **dict.fromkeys(("moe_plan", "moe_permute", "moe_unpermute"), experts), "quantize": quantized, "scaled_matmul": scaled_product}


def peers(line):
    problem = Problem(line)
    family = problem.op.removesuffix("_forward").removesuffix("_backward")
    return MAKERS[family](problem)


def main():
    for line in sys.argv[1:]:
        torch._dynamo.reset()
        try:
            if "compiled" in (variants := peers(line)):
                variants["compiled"]()()
        except Exception as error:  # told again where it is measured
            print(line, error, file=sys.stderr)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
