"""Measures PyTorch on the problems of tools/bench/cases.cpp, on the same machine: peers.py OUTPUT.json [GLOB]

The method is that of bench.cpp: device events around the call, a 256 MB fill before each call so that the L2 is cold, the median of 15
calls. The gaps between PyTorch's launches are part of its time. All variants (eager, fused, compiled) are recorded; join.py takes the best.
Norm gradients are measured with cuDNN's norm engine, too, replayed from a graph, when nvidia-cudnn-frontend is installed,
and gated activations, cross entropy and rope with Liger's kernels, which overwrite their operands, when liger-kernel is."""
import sys

import torch
import torch.nn.functional as F
from measuring import DEVICE, DTYPES, begin, case
from problems import both, gradient, peers

try:
    import cudnn
except ImportError:
    cudnn = None
try:
    from liger_kernel.ops import cross_entropy as liger_cross_entropy, rope as liger_rope
except ImportError:
    liger_cross_entropy = None


def model_sizes(count, total):
    return [max(1, total // count * (50 + i * 37 % 101) // 100) for i in range(count)]


def optimizer(kind, sizes, dtype=torch.float32, **options):
    def make():
        parameters = [torch.nn.Parameter(torch.randn(n, device=DEVICE, dtype=dtype)) for n in sizes]
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


def gather_backward(dtype, shape, count, distribution):
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
    """gradient: None for the forward direction, else the name of the input whose gradient is taken."""
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
        # contiguous() would not copy a piece that is contiguous already.
        return lambda: [p.clone(memory_format=torch.contiguous_format) for p in joint.split(lengths, 1)]

    def split_copy(pieces, joint):
        return lambda: torch.split_with_sizes_copy(joint, lengths, 1, out=pieces)
    return {"split and contiguous": make(contiguous), "split_with_sizes_copy": make(split_copy)}


def odd_lengths(count):
    return [501 + i * 37 % 500 * 2 for i in range(count)]


begin(*sys.argv[1:3])
for name, sizes in (("300 tensors 1000M", model_sizes(300, 1_000_000_000)), ("2000 tensors 100M", model_sizes(2000, 100_000_000)),
                    ("1000 tensors of 1024", [1024] * 1000), ("1 tensor of 1024", [1024])):
    case(f"adamw f32 {name}", {"fused": optimizer(torch.optim.AdamW, sizes, fused=True)})
    if "of 1024" not in name:
        case(f"sgd momentum f32 {name}", {"fused": optimizer(torch.optim.SGD, sizes, momentum=0.9, fused=True)})
case("adamw bf16 300 tensors 1000M", {"fused": optimizer(torch.optim.AdamW, model_sizes(300, 1_000_000_000), torch.bfloat16, fused=True)})
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
            case(f"gather_backward {dtype} {'x'.join(map(str, shape))} axis 1, {count} indices {distribution}",
                 gather_backward(DTYPES[dtype], shape, count, distribution))
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


# ---- cases that a line describes (tools/bench/cases.cpp): the line begins with the operator and its sizes

def line(name, more=None):
    """A case whose variants problems.py has, and more of them."""
    case(name, peers(name) | (more or {}))


ROPE = "tokens=8192 heads=32 kv_heads=8 head_dim=128 base=500000"
LINES = [*(f"activation_backward outer=16384 inner=4096 function={f}" for f in ("gelu element=bf16", "gelu element=f32", "gelu_tanh element=bf16",
                                                                                 "gelu has_bias=1 has_dbias=1 element=bf16")),
         "activation_forward outer=16384 inner=4096 function=gelu element=bf16",
         *(f"gated_activation_{way} outer=16384 inner=14336 function={f} element=bf16" for f in ("swiglu", "geglu_tanh") for way in ("backward", "forward")),
         *(f"dropout_{way} numel=268435456 element=bf16 mask=bool training=1 ratio:0.1" for way in ("forward", "backward")),
         "softmax_forward outer=16384 extent=4096 inner=1 element=bf16",
         f"rope_forward {ROPE} has_norm=1 element=bf16 out:in", f"rope_backward {ROPE} has_norm=1 element=bf16 dinput:in",
         *(f"reduce shape={shape} kind=sum element={dtype}" for dtype in ("f32", "bf16") for shape in ("16384,4096 axes=1", "16384,4096 axes=0", "64,1024,1024 axes=1")),
         "reduce shape=262144 axes=0 kind=sum element=f32",
         *(f"rms_norm_forward shape={shape} axis=1 element=bf16 +gamma +inv_std" for shape in ("16384,4096", "8192,8192")),
         "layer_norm_forward shape=16384,4096 axis=1 element=bf16 +gamma +beta +mean +inv_std",
         *(f"attention_{way} {sizes} causal=1 element=bf16" for way in ("forward", "backward") for sizes in (
             "batch=64 tokens=1024 heads=12 head_dim=64", "batch=4 tokens=4096 heads=32 kv_heads=8 head_dim=64",
             "batch=2 tokens=8192 heads=32 kv_heads=8 head_dim=128"))]
for name in LINES:
    line(name)


def tensors(*shapes, dtype="bf16", grad=False):
    return [torch.randn(*shape, device=DEVICE, dtype=torch.float32).to(DTYPES[dtype]).requires_grad_(grad) for shape in shapes]


def cudnn_norm_backward(rows, columns, centred):
    """cuDNN's gradient of RMS norm, or of layer norm, in bf16."""
    def make():
        element = cudnn.data_type.BFLOAT16

        def tensor(*shape):
            return torch.randn(*shape, 1, 1, device=DEVICE).bfloat16().to(memory_format=torch.channels_last)
        dout, x, dinput, gamma, dgamma, dbeta = *(tensor(rows, columns) for _ in range(3)), *(tensor(1, columns) for _ in range(3))
        mean, inv_std = (torch.rand(rows, 1, 1, 1, device=DEVICE) + 0.5 for _ in range(2))
        handle = cudnn.create_handle()
        graph = cudnn.pygraph(handle=handle, io_data_type=element, intermediate_data_type=cudnn.data_type.FLOAT, compute_data_type=cudnn.data_type.FLOAT)
        inputs = {graph.tensor_like(t): t for t in ((dout, x, gamma, mean, inv_std) if centred else (dout, x, gamma, inv_std))}
        if centred:
            grad, saved, scale, average, deviation = inputs
            results = graph.layernorm_backward(name="norm", grad=grad, input=saved, scale=scale, mean=average, inv_variance=deviation)
        else:
            grad, saved, scale, deviation = inputs
            results = graph.rmsnorm_backward(name="norm", grad=grad, input=saved, scale=scale, inv_variance=deviation, has_dbias=False)
        outputs = {}
        for result, t in zip(results, (dinput, dgamma, dbeta) if centred else (dinput, dgamma)):
            result.set_output(True).set_data_type(element)
            outputs[result] = t
        graph.build([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
        workspace = torch.empty(max(1, graph.get_workspace_size()), dtype=torch.uint8, device=DEVICE)

        def execute():
            cudnn.set_stream(handle=handle, stream=torch.cuda.current_stream().cuda_stream)
            graph.execute(inputs | outputs, workspace, handle=handle)
        execute()
        torch.cuda.synchronize()
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            execute()
        return captured.replay
    return {"cuDNN graph": make} if cudnn else {}


BIG = (16384, 4096)
for function, op in (("relu", lambda g, x: torch.ops.aten.threshold_backward(g, x, 0)), ("sigmoid", torch.ops.aten.sigmoid_backward)):
    case(f"activation_backward outer=16384 inner=4096 function={function} saved=output element=bf16", both(op, lambda: tensors(BIG, BIG)))
case("activation_forward outer=16384 inner=4096 function=relu_squared element=bf16", both(lambda x: F.relu(x).square(), lambda: tensors(BIG)))
case("activation_backward outer=16384 inner=4096 function=relu_squared element=bf16", gradient(lambda x: F.relu(x).square(), lambda: tensors(BIG), 1))


def liger(call, make):
    """One variant more, where Liger is installed."""
    return {"Liger": lambda: (lambda t: lambda: call(*t))(make())} if liger_cross_entropy else {}


for n, c in ((8192, 128256), (16384, 50257), (8192, 32000)):
    def with_gradient(n=n, c=c):
        scores, labels = tensors((n, c))[0], torch.randint(0, c, (n,), device=DEVICE)
        return [scores, labels]

    def loss_and_gradient(scores, labels):
        scores = scores.detach().requires_grad_(True)
        loss = F.cross_entropy(scores, labels)
        return torch.autograd.grad(loss, scores)[0], loss
    case(f"cross_entropy_with_gradient samples={n} num_classes={c} element=bf16 label=i64 labels:<{c} dloss:1 dscores:scores",
         {"eager": lambda make=with_gradient: (lambda t: lambda: loss_and_gradient(*t))(make())}
         | liger(lambda s, l: liger_cross_entropy.cross_entropy_forward(s, l, None, -100, 0.0, 0.0, "mean", None, False),
                 lambda make=with_gradient: (lambda scores, labels: (scores.requires_grad_(True), labels))(*make())))


def rope_tables(tokens=8192, half=64):
    angles = torch.arange(tokens, device=DEVICE).double()[:, None] * 500000.0 ** (-torch.arange(half, device=DEVICE).double() / half)
    return [torch.cat([f(angles)] * 2, -1).to(torch.bfloat16) for f in (torch.cos, torch.sin)]


def rope_heads():
    return [*tensors((8192, 32, 128), (8192, 8, 128)), *rope_tables()]


def liger_heads():
    q, k, cos, sin = rope_heads()
    return [q[None].transpose(1, 2), k[None].transpose(1, 2), cos[None], sin[None]]


line(f"rope_forward {ROPE} element=bf16 out:in", liger(lambda *t: liger_rope.rope_forward(*t), liger_heads))
line(f"rope_backward {ROPE} element=bf16 dinput:in", liger(lambda *t: liger_rope.rope_backward(*t), liger_heads))
case("transpose rows=16384 columns=16384 element=bf16", both(lambda x: x.mT.contiguous(), lambda: tensors((16384, 16384))))
case("fill numel=268435456 element=bf16 value:1", {"eager": lambda: (lambda t: lambda: t.fill_(1.0))(*tensors((268435456,)))})
case("normal numel=268435456 element=bf16 mean:0 std:0.02", {"eager": lambda: (lambda t: lambda: t.normal_(0, 0.02))(*tensors((268435456,)))})


def step(kind, **options):
    return lambda sizes: {"fused": optimizer(kind, sizes, **options)}


for count, n in ((300, 3333333), (2000, 50000)):
    case(f"adam numel={count}x{n} param=f32 grad=f32 state=f32 grads:in exp_avg_sq:positive lr:0.001 step:10 grad_scale:1", step(torch.optim.Adam, fused=True)([n] * count))

    def clip(count=count, n=n):
        parameters = [torch.nn.Parameter(torch.empty(n, device=DEVICE)) for _ in range(count)]
        for p in parameters:
            p.grad = torch.randn_like(p)
        return lambda: torch.nn.utils.clip_grad_norm_(parameters, 1.0, foreach=True)
    case(f"clip_grad_norm numel={count}x{n} grad=f32 max_norm=1 grad_scale:1", {"foreach": clip})
for count, n in ((300, 1666666), (2000, 250000)):
    def norms(count=count, n=n):
        values = tensors(*[(n,)] * count)
        return lambda: torch.linalg.vector_norm(torch.stack(torch._foreach_norm(values)))
    case(f"l2_norm numel={count}x{n} element=bf16 output=f32", {"foreach": norms})
case("scale numel=300x1666666 element=bf16 output=bf16 scale:0.5", {"foreach": lambda: (lambda t: lambda: torch._foreach_mul(t, 0.5))(tensors(*[(1666666,)] * 300))})
case("zero numel=300x1666666 element=bf16", {"foreach": lambda: (lambda t: lambda: torch._foreach_zero_(t))(tensors(*[(1666666,)] * 300))})
for height, columns in ((16384, 4096), (8192, 8192), (4096, 16384), (2048, 32768), (2048, 4096), (131072, 128), (8192, 128)):
    line(f"rms_norm_backward shape={height},{columns} axis=1 element=bf16 has_dgamma=1 inv_std:positive", cudnn_norm_backward(height, columns, False))
for height, columns in ((16384, 4096), (8192, 8192), (16384, 1024), (1024, 12288)):
    line(f"layer_norm_backward shape={height},{columns} axis=1 element=bf16 has_dgamma=1 has_dbeta=1 inv_std:positive", cudnn_norm_backward(height, columns, True))
def image(channels_last, dtype="f16"):
    def make():
        x = torch.randn(64, 256, 56, 56, device=DEVICE).to(DTYPES[dtype])
        return [x.contiguous(memory_format=torch.channels_last) if channels_last else x,
                *(torch.randn(256, device=DEVICE) for _ in range(2))]
    return make


def batch_norm(x, w, b):
    return F.batch_norm(x, None, None, w, b, training=True)


BN = "element=f16 weight=f32 stats=f32"
case(f"batch_norm_forward outer=64 channels=256 inner=3136 {BN} training=1 +scale +bias +saved_mean +saved_inv_std",
     {"eager": lambda: (lambda t: lambda: batch_norm(*t))(image(False)())})
for sizes, last in (("outer=64 channels=256 inner=3136", False), ("outer=200704 channels=256 inner=1", True)):
    case(f"batch_norm_backward {sizes} {BN} +scale +saved_mean +saved_inv_std +dscale +dbias saved_inv_std:positive", gradient(batch_norm, image(last), 3, False))


# ---- convolutions, whose engines PyTorch measures; `adjoint bench --tune` measures ours

def convolution(forward, batch, channels, out_channels, extent, taps, stride, groups, last):
    pad, small = taps // 2, (extent + 2 * (taps // 2) - taps) // stride + 1

    def make():
        torch.backends.cudnn.benchmark = True
        x, w, g = (torch.randn(*shape, device=DEVICE).half().contiguous(memory_format=torch.channels_last if last else torch.contiguous_format) for shape in
                   ((batch, channels, extent, extent), (out_channels, channels // groups, taps, taps), (batch, out_channels, small, small)))
        if forward:
            return lambda: F.conv2d(x, w, None, stride, pad, 1, groups)
        return lambda: torch.ops.aten.convolution_backward(g, x, w, None, [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], groups, [True, True, False])

    def stored(outer, inner, *places):
        return ",".join(str(n) for n in ((outer, *places, inner) if last else (outer, inner, *places)))
    case(f"conv_{'forward' if forward else 'backward'} input={stored(batch, channels, extent, extent)} "
         f"weight={stored(out_channels, channels // groups, taps, taps)} out={stored(batch, out_channels, small, small)} "
         f"strides={stride},{stride} pads={pad},{pad},{pad},{pad} dilations=1,1{f' groups={groups}' if groups > 1 else ''} element=f16"
         f"{' channels_last=1' if last else ''}{'' if forward else ' has_dinput=1 has_dweight=1'}", {"cuDNN": make})


convolution(False, 64, 256, 256, 56, 3, 1, 1, False)
for sizes in ((64, 256, 64, 56, 1, 1, 1), (64, 256, 256, 14, 3, 1, 1), (64, 128, 256, 56, 3, 2, 1), (64, 256, 256, 56, 3, 1, 256)):
    for forward in (True, False):
        for last in (False, True):
            convolution(forward, *sizes, last)


# ---- matrix products: sizes of a layer of GPT-2 124M with 64 x 1024 tokens

def product(m, n, k, transpose_a, transpose_b, dtype="bf16"):
    a, b = tensors((k, m) if transpose_a else (m, k), (n, k) if transpose_b else (k, n), dtype=dtype)
    a, b = a.t() if transpose_a else a, b.t() if transpose_b else b
    return lambda: a @ b


for fields, (at, bt) in (("transpose_b=1 ", (0, 1)), ("", (0, 0)), ("transpose_a=1 ", (1, 0))):
    case(f"matmul m=8192 n=8192 k=8192 {fields}element=bf16", {"eager": lambda at=at, bt=bt: product(8192, 8192, 8192, at, bt)})
case("matmul m=4096 n=4096 k=4096 transpose_b=1 element=f32", {"eager": lambda: product(4096, 4096, 4096, 0, 1, "f32")})
TOKENS = 65536
for n, k in ((2304, 768), (768, 768), (768, 3072)):
    case(f"matmul m={TOKENS} n={n} k={k} transpose_b=1 has_bias=1 element=bf16",
         both(F.linear, lambda n=n, k=k: tensors((TOKENS, k), (n, k), (n,))))
case(f"matmul m={TOKENS} n=50304 k=768 transpose_b=1 element=bf16", {"eager": lambda: product(TOKENS, 50304, 768, 0, 1)})
case(f"matmul m={TOKENS} n=768 k=2304 element=bf16", {"eager": lambda: product(TOKENS, 768, 2304, 0, 0)})


def linear_gelu(x, w, b):
    z = F.linear(x, w, b)
    return F.gelu(z, approximate="tanh"), z


def gelu_gradient(dy, w, z):
    return torch.ops.aten.gelu_backward(dy @ w, z, approximate="tanh")


def weight_gradient(dw, db, dy, x):
    dw += dy.t() @ x
    db += dy.sum(0)


def weights(m, n):
    def make():
        dy, x = tensors((TOKENS, m), (TOKENS, n))
        return [torch.zeros(m, n, device=DEVICE), torch.zeros(m, device=DEVICE), dy, x]
    return make


case(f"matmul m={TOKENS} n=3072 k=768 transpose_b=1 epilogue=gelu_tanh has_bias=1 has_preactivation=1 element=bf16",
     both(linear_gelu, lambda: tensors((TOKENS, 768), (3072, 768), (3072,))))
case(f"matmul m={TOKENS} n=3072 k=768 epilogue=gelu_tanh_backward element=bf16",
     both(gelu_gradient, lambda: tensors((TOKENS, 768), (768, 3072), (TOKENS, 3072))))
for m in (2304, 768, 3072):
    case(f"matmul m={m} n=768 k={TOKENS} transpose_a=1 has_dbias=1 write_mode=accumulate element=bf16 out=f32", both(weight_gradient, weights(m, 768)))


def last_weight():
    dw, _, dy, x = weights(50304, 768)()
    return lambda: dw.add_(dy.t() @ x)


case(f"matmul m=50304 n=768 k={TOKENS} transpose_a=1 write_mode=accumulate element=bf16 out=f32", {"eager": last_weight})


def upsampled(channels_last):
    def make():
        x = torch.randn(32, 64, 112, 112, device=DEVICE).half()
        return [x.contiguous(memory_format=torch.channels_last) if channels_last else x]
    return make


def upsample(x):
    return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)


case("resize_backward input=32,64,112,112 out=32,64,224,224 mode=linear element=f16", gradient(upsample, upsampled(False), 1, False))
case("resize_backward input=32,112,112,64 out=32,224,224,64 mode=linear channels_last=1 element=f16", gradient(upsample, upsampled(True), 1, False))
case("resize_forward input=32,64,112,112 out=32,64,224,224 mode=linear element=f16", {"eager": lambda: (lambda t: lambda: upsample(*t))(upsampled(False)())})


def gather_elements():
    dout, indices = tensors((8192, 8192))[0], torch.randint(0, 8192, (8192, 8192), device=DEVICE)
    return lambda: torch.zeros_like(dout).scatter_add_(1, indices, dout)


def index_add():
    source, indices, base = tensors((65536, 1024))[0], torch.randint(0, 65536, (65536,), device=DEVICE), tensors((65536, 1024))[0]
    return lambda: base.index_add(0, indices, source)


case("gather_elements_backward input_shape=8192,8192 indices_shape=8192,8192 axis=1 element=bf16 index=i64 indices:<8192", {"scatter_add": gather_elements})
case("gather_nd_backward input_shape=65536,1024 indices_shape=65536,1 element=bf16 index=i64 indices:<65536",
     {"index_add": lambda: (lambda g, i: lambda: torch.zeros_like(g).index_add_(0, i, g))(tensors((65536, 1024))[0], torch.randint(0, 65536, (65536,), device=DEVICE))})
case("index_add shape=65536,1024 axis=0 num_indices=65536 element=bf16 index=i64 indices:<65536", {"index_add": index_add})
case("slice_backward input_shape=16384,8192 starts=1024 ends=5120 axes=1 steps=1 element=bf16",
     {"slice_backward": lambda: (lambda g: lambda: torch.ops.aten.slice_backward(g, [16384, 8192], 1, 1024, 5120, 1))(tensors((16384, 4096))[0])})
