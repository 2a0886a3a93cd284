"""Measures PyTorch on the problems of tools/bench/cases.cpp, on the same machine: peers.py OUTPUT.json [GLOB]

Method as in bench.cpp: device events around the call, a 256 MB fill before each so that the L2 is cold, the median of 15. The
framework's own launch gaps are part of its time. Each case keeps the best of eager, fused and compiled variants."""
import fnmatch
import json
import sys

import torch
import torch._functorch.config
import torch.nn.functional as F

torch.manual_seed(0)
DEVICE = "cuda"
torch._functorch.config.donated_buffer = False  # the backward of a compiled loss is timed alone, repeatedly
flush = torch.empty(256 << 20, dtype=torch.uint8, device=DEVICE)
rows = {}
pattern = sys.argv[2] if len(sys.argv) > 2 else "*"
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def median_us(call, repeats=15, warm=3):
    for _ in range(warm):
        call()
    times = []
    for i in range(repeats):
        flush.fill_(i)
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) * 1e3)
    return sorted(times)[len(times) // 2]


def case(name, variants):
    """variants: {variant name: function that returns the call to time}; made one at a time, memory being large."""
    if not fnmatch.fnmatchcase(name, pattern):
        return
    results = {}
    for variant, make in variants.items():
        try:
            results[variant] = median_us(make())
        except Exception as error:  # a variant that PyTorch cannot run is recorded, not hidden
            results[variant] = f"{type(error).__name__}: {str(error)[:200]}"
        torch.cuda.empty_cache()
    rows[name] = results
    print(f"{name:72s} " + "  ".join(f"{k} {v:.1f} us" if isinstance(v, float) else f"{k} failed" for k, v in results.items()), flush=True)


def copy_ceiling():
    source = torch.randn(1 << 30, device=DEVICE)
    target = torch.empty_like(source)
    return 8 * (1 << 30) / median_us(lambda: target.copy_(source)) / 1e3


def model_sizes(count, total):
    return [max(1, total // count * (50 + i * 37 % 101) // 100) for i in range(count)]


def optimizer(kind, sizes, **options):
    def make():
        parameters = [torch.nn.Parameter(torch.randn(n, device=DEVICE)) for n in sizes]
        for p in parameters:
            p.grad = torch.randn_like(p)
        instance = kind(parameters, lr=1e-3, **options)
        return instance.step
    return make


def draw(distribution, count, n):
    if distribution == "uniform":
        return torch.randint(0, n, (count,), device=DEVICE)
    if distribution == "one-row":
        return torch.full((count,), 17, device=DEVICE)
    weights = torch.arange(1, n + 1, device=DEVICE, dtype=torch.float64) ** -1.1
    label = torch.randperm(n, device=DEVICE)
    return label[torch.multinomial(weights, count, replacement=True)]


def embedding_backward(dtype, t, v, d, distribution):
    def eager():
        indices, dout = draw(distribution, t, v), torch.randn(t, d, device=DEVICE, dtype=dtype)
        return lambda: torch.ops.aten.embedding_dense_backward(dout, indices, v, -1, False)

    def compiled():
        indices, dout = draw(distribution, t, v), torch.randn(t, d, device=DEVICE, dtype=dtype)
        function = torch.compile(lambda g, i: torch.ops.aten.embedding_dense_backward(g, i, v, -1, False))
        return lambda: function(dout, indices)
    return {"eager": eager, "compiled": compiled}


def embedding_accumulate(dtype, t, v, d, distribution):
    def eager():
        indices, dout = draw(distribution, t, v), torch.randn(t, d, device=DEVICE, dtype=dtype)
        weight = torch.zeros(v, d, device=DEVICE, dtype=dtype)
        return lambda: weight.index_add_(0, indices, dout)
    return {"index_add": eager}


def index_plan(t, v, distribution):
    def eager():
        indices = draw(distribution, t, v)
        return lambda: torch.sort(indices, stable=True)
    return {"sort": eager}


def gather_grad(dtype, shape, count, distribution):
    def prepare():
        indices = draw(distribution, count, shape[1])
        return indices, torch.randn(shape[0], count, shape[2], device=DEVICE, dtype=dtype)

    def eager():
        indices, dout = prepare()
        return lambda: torch.zeros(shape, device=DEVICE, dtype=dtype).index_add_(1, indices, dout)

    def autograd():
        indices, dout = prepare()
        data = torch.zeros(shape, device=DEVICE, dtype=dtype, requires_grad=True)
        out = data.index_select(1, indices)
        return lambda: torch.autograd.grad(out, data, dout, retain_graph=True)

    def compiled():
        indices, dout = prepare()
        function = torch.compile(lambda g, i: torch.zeros(shape, device=DEVICE, dtype=dtype).index_add(1, i, g))
        return lambda: function(dout, indices)
    return {"index_add": eager, "index_select backward": autograd, "compiled": compiled}


def embedding_bag(mode, dtype, bags, length, v, d, distribution, gradient=None):
    """gradient: None for the forward direction, else the input whose gradient is taken."""
    def eager():
        weight = torch.randn(v, d, device=DEVICE, dtype=dtype, requires_grad=gradient == "weight")
        indices = draw(distribution, bags * length, v)
        offsets = torch.arange(0, bags * length, length, device=DEVICE)
        samples = torch.randn(bags * length, device=DEVICE, dtype=dtype, requires_grad=True) if gradient == "per_sample_weights" else None
        forward = lambda: F.embedding_bag(indices, weight, offsets, mode=mode, per_sample_weights=samples)
        if gradient is None:
            return forward
        out, dout = forward(), torch.randn(bags, d, device=DEVICE, dtype=dtype)
        return lambda: torch.autograd.grad(out, weight if gradient == "weight" else samples, dout, retain_graph=True)
    return {"eager": eager}


def cross_entropy(dtype, n, c, backward):
    def make(compile_it):
        def variant():
            scores = torch.randn(n, c, device=DEVICE, dtype=dtype, requires_grad=True)
            labels = torch.randint(0, c, (n,), device=DEVICE)
            loss_of = torch.compile(lambda s: F.cross_entropy(s, labels)) if compile_it else lambda s: F.cross_entropy(s, labels)
            if not backward:
                return lambda: loss_of(scores)
            loss = loss_of(scores)

            def call():
                scores.grad = None
                loss.backward(retain_graph=True)
            return call
        return variant
    return {"eager": make(False), "compiled": make(True)}


def softmax_backward(operator, dtype, shape):
    def make(compile_it):
        def variant():
            dout, out = (torch.randn(*shape, device=DEVICE, dtype=dtype) for _ in range(2))
            function = torch.compile(lambda g, y: operator(g, y, 1, dtype)) if compile_it else lambda g, y: operator(g, y, 1, dtype)
            return lambda: function(dout, out)
        return variant
    return {"eager": make(False), "compiled": make(True)}


def joined(dtype, rows, lengths, cut):
    def make(call_of):
        def variant():
            pieces = [torch.randn(rows, n, device=DEVICE).to(dtype) for n in lengths]
            return call_of(pieces, torch.cat(pieces, 1))
        return variant
    if not cut:
        def cat(pieces, joint):
            return lambda: torch.cat(pieces, 1, out=joint)

        def compiled_cat(pieces, joint):
            function = torch.compile(lambda p: torch.cat(p, 1))
            return lambda: function(pieces)
        # Inductor takes minutes over long lists.
        return {"cat": make(cat)} if len(lengths) > 64 else {"cat": make(cat), "compiled": make(compiled_cat)}

    def contiguous(pieces, joint):
        # A piece that is contiguous already would not be copied.
        return lambda: [p.clone(memory_format=torch.contiguous_format) for p in joint.split(lengths, 1)]

    def split_copy(pieces, joint):
        return lambda: torch.split_with_sizes_copy(joint, lengths, 1, out=pieces)
    return {"split and contiguous": make(contiguous), "split_with_sizes_copy": make(split_copy)}


def odd_lengths(count):
    return [501 + i * 37 % 500 * 2 for i in range(count)]


result = {"torch": torch.__version__, "device": torch.cuda.get_device_name(), "copy_ceiling_gb_s": copy_ceiling()}
for name, sizes in (("300 tensors 1000M", model_sizes(300, 1_000_000_000)), ("2000 tensors 100M", model_sizes(2000, 100_000_000)),
                    ("1000 tensors of 1024", [1024] * 1000), ("1 tensor of 1024", [1024])):
    case(f"adamw f32 {name}", {"fused": optimizer(torch.optim.AdamW, sizes, fused=True)})
    if "of 1024" not in name:
        case(f"sgd momentum f32 {name}", {"fused": optimizer(torch.optim.SGD, sizes, momentum=0.9, fused=True)})
for dtype, n, c in (("bf16", 8192, 128256), ("bf16", 16384, 50257), ("f32", 8192, 32000)):
    case(f"cross_entropy forward {dtype} {n}x{c}", cross_entropy(DTYPES[dtype], n, c, False))
    case(f"cross_entropy backward {dtype} {n}x{c}", cross_entropy(DTYPES[dtype], n, c, True))
for dtype in ("bf16", "f32"):
    for shape in ((16384, 4096), (65536, 1024), (4096, 131072), (8192, 32768), (1048576, 64), (65536, 77), (65536, 128), (64, 1024, 4096),
                  (32, 4096, 1024)):
        name = "x".join(map(str, shape)) + (" axis 1" if len(shape) == 3 else "")
        case(f"softmax_backward {dtype} {name}", softmax_backward(torch.ops.aten._softmax_backward_data, DTYPES[dtype], shape))
        case(f"log_softmax_backward {dtype} {name}", softmax_backward(torch.ops.aten._log_softmax_backward_data, DTYPES[dtype], shape))
shapes = [(16384, 128256, 4096), (65536, 50257, 768), (262144, 50257, 1024)]
for dtype in ("bf16", "f32"):
    for t, v, d in shapes:
        for distribution in ("uniform", "zipf", "one-row"):
            case(f"embedding_backward overwrite {dtype} T{t} V{v} D{d} {distribution}", embedding_backward(DTYPES[dtype], t, v, d, distribution))
            case(f"embedding_backward accumulate {dtype} T{t} V{v} D{d} {distribution}", embedding_accumulate(DTYPES[dtype], t, v, d, distribution))
for t, d in ((65536, 768), (262144, 1024)):
    for distribution in ("uniform", "zipf", "one-row"):
        case(f"index_plan T{t} V50257 {distribution}", index_plan(t, 50257, distribution))
        # PyTorch sorts again for every table.
        case(f"embedding_backward overwrite bf16 T{t} V50257 D{d} {distribution}, index plan",
             embedding_backward(torch.bfloat16, t, 50257, d, distribution))
case("embedding_backward overwrite f32 T512 V50257 D768 uniform", embedding_backward(torch.float32, 512, 50257, 768, "uniform"))
case("embedding_backward accumulate bf16 T2048 V50257 D1024 uniform", embedding_accumulate(torch.bfloat16, 2048, 50257, 1024, "uniform"))
for dtype in ("bf16", "f32"):
    for shape, count in (((64, 4096, 1024), 2048), ((4096, 512, 64), 512), ((65536, 1024, 1), 2048)):
        for distribution in ("uniform", "zipf", "one-row"):
            case(f"gather_grad {dtype} {'x'.join(map(str, shape))} axis 1, {count} indices {distribution}",
                 gather_grad(DTYPES[dtype], shape, count, distribution))
for dtype in ("bf16", "f32"):
    for bags, length, v, d in ((8192, 32, 1000000, 128), (65536, 20, 100000, 64)):
        for distribution in ("uniform", "zipf"):
            problem, name = (DTYPES[dtype], bags, length, v, d, distribution), f"{dtype} B{bags} of {length} V{v} D{d} {distribution}"
            for mode in ("sum", "mean", "max"):
                case(f"embedding_bag_forward {mode} {name}", embedding_bag(mode, *problem))
                case(f"embedding_bag_backward {mode} {name}", embedding_bag(mode, *problem, gradient="weight"))
            case(f"embedding_bag_per_sample_weights_backward {name}", embedding_bag("sum", *problem, gradient="per_sample_weights"))
for dtype, t, v, d in (("bf16", 16384, 128256, 4096), ("f32", 65536, 50257, 768)):
    def lookup(dtype=dtype, t=t, v=v, d=d):
        weight, indices = torch.randn(v, d, device=DEVICE, dtype=DTYPES[dtype]), draw("uniform", t, v)
        return lambda: F.embedding(indices, weight)
    case(f"embedding_forward {dtype} T{t} V{v} D{d} uniform", {"eager": lookup})
for name, dtype, height, lengths in (
        ("32 x [4096,1024] axis 1", "f32", 4096, [1024] * 32), ("32 x [4096,1024] axis 1", "bf16", 4096, [1024] * 32),
        ("32 x [4096,1023] axis 1", "bf16", 4096, [1023] * 32), ("64 odd widths x 4096 rows", "bf16", 4096, odd_lengths(64)),
        ("widths 1 to 7 x 4194304 rows", "bf16", 4194304, [1, 2, 3, 4, 5, 6, 7]),
        ("32 columns x 4194304 rows", "f32", 4194304, [1] * 32), ("1000 tensors of 1024", "f32", 1, [1024] * 1000),
        ("3 x [16,64] axis 1", "f32", 16, [64] * 3)):
    case(f"concat {name} {dtype}", joined(DTYPES[dtype], height, lengths, False))
    case(f"split {name} {dtype}", joined(DTYPES[dtype], height, lengths, True))
result["cases"] = rows
with open(sys.argv[1], "w") as file:
    json.dump(result, file, indent=1)
