"""Trains the same models with tools/gpt and with PyTorch compiled, in one run: gpt.py OUTPUT [--gpt PROGRAM] [--case NAME ...] [--steps N] [--own] [--pointwise]

Both sides begin with the weights and tokens of the formulas of tools/gpt/data.hpp, take the same steps (clipping, AdamW, the same rates) and must
have the same losses. Every step trains on one batch, so that differences of rounding grow. How far they may grow is measured: PyTorch with f32 weights
and autocast is run once more with attention by FlashAttention-2. Our losses must lie within 0.01 of the first run's in every step, or no further from them
than twice those of the second. The rates are those of llm.c's GPT-2
124M (6e-4 after 700 steps of warmup): with a short warmup the loss of a batch jumps, and roundings decide how far. Writes OUTPUT.json, OUTPUT.md (the table) and
OUTPUT.svg (where the time goes, readable on light and on dark pages; needs matplotlib).

ours      build/tools/gpt --tune: kernels and algorithms of libraries by measurement; weights in bf16 with f32 master weights and moments
ours own  with --own: the same without cuBLASLt and cuDNN
ours pointwise  with --pointwise: ours, which computes outputs of norms and activation functions again in the backward direction
autocast  torch.compile, f32 weights, bf16 autocast, fused AdamW
flash     the same with attention by FlashAttention-2
bf16      torch.compile, everything in bf16, fused AdamW

Milliseconds of a step: the median of intervals of 10 steps, with one wait for the GPU at their end. First step: from the start of our program; from
the making of PyTorch's model, without its import. Memory: what either side has allocated, without code."""
import argparse
import contextlib
import io
import json
import math
import pathlib
import re
import subprocess
import tempfile
import time

import files
import records
import wheels

INTERVAL, WARMUP, LR, FINAL, BETAS, DECAY, CLIP, SEED = 10, 700, 6e-4, 0.1, (0.9, 0.95), 0.1, 1.0, 1
GPT2 = {"model": "gpt2", "layers": 12, "width": 768, "heads": 12, "kv_heads": 12, "hidden": 3072, "vocabulary": 50257, "context": 1024}
LLAMA = {"model": "llama", "layers": 16, "width": 2048, "heads": 32, "kv_heads": 8, "hidden": 8192, "vocabulary": 128256, "context": 4096}
TINY = {"model": "gpt2", "layers": 2, "width": 64, "heads": 4, "kv_heads": 4, "hidden": 256, "vocabulary": 256, "context": 64}
CASES = {
    "gpt2-64": ("GPT-2 124M, 64 x 1024", GPT2 | {"batch": 64, "tokens": 1024}, ["--graph"]),
    "gpt2-8": ("GPT-2 124M, 8 x 1024", GPT2 | {"batch": 8, "tokens": 1024}, ["--graph"]),
    "llama-4": ("Llama 1.2 G, 4 x 4096", LLAMA | {"batch": 4, "tokens": 4096}, ["--graph"]),
    "tiny": ("GPT-2 tiny, 8 x 64", TINY | {"batch": 8, "tokens": 64}, ["--graph"]),
}
KINDS = ("products", "attention", "norms, activations, losses, embeddings", "update", "gaps")


def rate(step, steps):
    if step < WARMUP:
        return LR * (step + 1) / WARMUP
    return LR * (FINAL + (1 - FINAL) * 0.5 * (1 + math.cos(math.pi * min(1, (step - WARMUP) / max(1, steps - WARMUP)))))


# ---- ours

def ours(program, config, extra, steps, directory, libraries=True):
    out = pathlib.Path(directory) / "ours"
    command = [program, "--data", "formula", "--init", "formula", "--seed", SEED, "--steps", steps, "--warmup", WARMUP, "--lr", LR, "--final-lr", FINAL, "--beta1", BETAS[0],
               "--beta2", BETAS[1], "--weight-decay", DECAY, "--clip", CLIP, "--print-every", INTERVAL, "--tune", "--out", out]
    for name, value in config.items():
        if name != "kv_heads" or config["model"] == "llama":
            command += ["--" + name.replace("_", "-"), value]
    environment = wheels.environment()
    if not libraries:
        environment |= {"ADJOINT_LIBCUBLASLT": "", "ADJOINT_LIBCUDNN": ""}

    def run(*more):
        result = subprocess.run([str(word) for word in [*command, *extra, *more]], env=environment, capture_output=True, text=True)
        if result.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
        return result.stdout
    losses = [float(x) for x in re.findall(r"^loss \d+ (\S+)$", run("--print-losses"), re.M)]
    run("--profile", 3)
    facts = json.loads(out.with_suffix(".json").read_text())
    kinds = dict.fromkeys(KINDS, 0.0)
    for operation, ms in facts["profile"].items():
        if operation == "matmul":
            kinds["products"] += ms
        elif operation.startswith("attention"):
            kinds["attention"] += ms
        elif operation in ("adam", "clip_grad_norm", "accumulate"):
            kinds["update"] += ms
        else:
            kinds[KINDS[2]] += ms
    kinds["gaps"] = max(0.0, facts["milliseconds"] - sum(kinds.values()))
    return {"ms": facts["milliseconds"], "first_step_s": facts["first_step_seconds"], "gib": facts["bytes"] / 2**30, "losses": losses, "kinds": kinds,
            "operations": facts["profile"], "skus": facts["skus"]}


# ---- PyTorch

def formulas(torch):
    def signed(x):
        return x - (1 << 64) if x >= 1 << 63 else x

    def mix(x):  # on tensors of 64-bit numbers, whose products wrap around
        def shifted(x, bits):
            return (x >> bits) & ((1 << (64 - bits)) - 1)
        x = x + signed(0x9E3779B97F4A7C15)
        x = (x ^ shifted(x, 30)) * signed(0xBF58476D1CE4E5B9)
        x = (x ^ shifted(x, 27)) * signed(0x94D049BB133111EB)
        return x ^ shifted(x, 31)

    def base(t):
        return mix(torch.tensor([(SEED << 32) + t], dtype=torch.int64, device="cuda"))

    def values(t, shape, power, offset):
        count = math.prod(shape)
        out = torch.empty(count, dtype=torch.float32, device="cuda")
        for begin in range(0, count, 1 << 26):
            e = torch.arange(begin, min(count, begin + (1 << 26)), dtype=torch.int64, device="cuda")
            high = (mix(base(t) + e) >> 11) & ((1 << 53) - 1)
            out[begin:begin + len(e)] = (offset + 2.0**power * (high.double() * 2.0**-52 - 1)).float()
        return out.view(shape)

    def tokens(count, vocabulary):
        e = torch.arange(count, dtype=torch.int64, device="cuda")
        return ((mix(base(0x80000000) + e) >> 33) & ((1 << 31) - 1)) % vocabulary
    return values, tokens


def build(torch, c):
    """The model and its parameters in the order of the formulas."""
    from torch import nn
    import torch.nn.functional as F
    values, tokens = formulas(torch)
    C, H, K, D = c["width"], c["heads"], c["kv_heads"], c["width"] // c["heads"]
    gpt2 = c["model"] == "gpt2"
    padded = (c["vocabulary"] + 127) // 128 * 128
    residual = -5 - math.floor(math.log2(2 * c["layers"]) / 2 + 0.5)
    count = 0

    def parameter(shape, power, offset=0.0):
        nonlocal count
        count += 1
        return nn.Parameter(values(count - 1, shape, power, offset))

    class Linear(nn.Module):
        def __init__(self, out, inner, power=-5):
            super().__init__()
            self.weight = parameter((out, inner), power)
            self.bias = parameter((out,), -6) if gpt2 else None

        def forward(self, x):
            return F.linear(x, self.weight, self.bias)

    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = parameter((C,), -4, 1.0)
            self.bias = parameter((C,), -6) if gpt2 else None

        def forward(self, x):
            if gpt2:
                return F.layer_norm(x, (C,), self.weight, self.bias, 1e-5)
            return F.rms_norm(x, (C,), self.weight.to(x.dtype), 1e-5)

    def rotate(x, cos, sin):
        first, second = x.float().chunk(2, -1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin], -1).to(x.dtype)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.qkv = Norm(), Linear((H + 2 * K) * D, C)
            self.proj, self.norm2 = Linear(C, H * D, residual), Norm()
            self.up, self.down = Linear(c["hidden"] * (1 if gpt2 else 2), C), Linear(C, c["hidden"], residual)

        def forward(self, x, cos, sin):
            B, T, _ = x.shape
            q, k, v = self.qkv(self.norm1(x)).split([H * D, K * D, K * D], -1)
            q, k, v = (part.view(B, T, -1, D).transpose(1, 2) for part in (q, k, v))
            if not gpt2:
                q, k = rotate(q, cos, sin), rotate(k, cos, sin)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=H != K)
            x = x + self.proj(y.transpose(1, 2).reshape(B, T, H * D))
            wide = self.up(self.norm2(x))
            if gpt2:
                return x + self.down(F.gelu(wide, approximate="tanh"))
            gate, linear = wide.chunk(2, -1)
            return x + self.down(F.silu(gate) * linear)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte = parameter((padded, C), -5)
            self.wpe = parameter((c["context"], C), -5) if gpt2 else None
            self.blocks = nn.ModuleList(Block() for _ in range(c["layers"]))
            self.norm = Norm()
            angles = torch.arange(c["tokens"], device="cuda").double()[:, None] * 500000.0**(-torch.arange(D // 2, device="cuda").double() / (D // 2))
            self.cos, self.sin = angles.cos().float(), angles.sin().float()

        def forward(self, inputs, targets):
            x = F.embedding(inputs, self.wte)
            if gpt2:
                x = x + self.wpe[:inputs.shape[1]]
            for block in self.blocks:
                x = block(x, self.cos, self.sin)
            scores = F.linear(self.norm(x), self.wte)
            return F.cross_entropy(scores.view(-1, padded)[:, :c["vocabulary"]].float(), targets.view(-1))
    batch = tokens(c["batch"] * (c["tokens"] + 1), c["vocabulary"]).view(c["batch"], -1)
    return Model(), batch[:, :-1].contiguous(), batch[:, 1:].contiguous()


def kind_of(kernel):
    name = kernel.lower()
    if any(word in name for word in ("flash", "fmha", "sdpa", "attention", "cudnn_generated")):
        return "attention"
    if any(word in name for word in ("gemm", "nvjet", "cutlass", "splitk", "cublas", "xmma")):
        return "products"
    if any(word in name for word in ("multi_tensor", "adam", "foreach", "lpnorm")):
        return "update"
    return KINDS[2]


def theirs(config, steps, autocast, attention=None):
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    model, inputs, targets = build(torch, config)
    if not autocast:
        model = model.bfloat16()
    groups = [{"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": DECAY}, {"params": [p for p in model.parameters() if p.dim() == 1], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=LR, betas=BETAS, eps=1e-8, fused=True)
    compiled = torch.compile(model)

    def step(i):
        for group in optimizer.param_groups:
            group["lr"] = rate(i, steps)
        with sdpa_kernel(getattr(SDPBackend, attention)) if attention else contextlib.nullcontext(), torch.autocast("cuda", torch.bfloat16, enabled=autocast):
            loss = compiled(inputs, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP, foreach=True)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()
    losses = [step(0)]
    torch.cuda.synchronize()
    first = time.perf_counter() - start
    intervals, done = [], 1
    while done < steps:
        count = min(INTERVAL - done % INTERVAL, steps - done)
        begin = time.perf_counter()
        losses += [step(done + i) for i in range(count)]
        torch.cuda.synchronize()
        intervals.append((time.perf_counter() - begin) / count * 1e3)
        done += count
    memory = torch.cuda.max_memory_allocated() / 2**30
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(3):
            step(steps)
        torch.cuda.synchronize()
    kinds = dict.fromkeys(KINDS, 0.0)
    for event in profile.key_averages():
        kinds[kind_of(event.key)] += event.self_device_time_total / 3e3
    ms = sorted(intervals)[len(intervals) // 2]
    kinds["gaps"] = max(0.0, ms - sum(kinds.values()))
    result = {"ms": ms, "first_step_s": first, "gib": memory, "losses": torch.stack(losses).double().tolist(), "kinds": kinds}
    del compiled, model, optimizer
    torch._dynamo.reset()
    torch.cuda.empty_cache()
    return result


# ---- report

def table(report):
    lines = [f"Measured on {report['device']}, PyTorch {report['torch']}. Made by `tools/bench/gpt.py`, which says what is measured.", "",
             "| model, tokens a step | side | ms a step | tokens/s | PyTorch's best time / this | first step | memory | largest difference of losses | first step beyond 0.01 |",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for case in report["cases"]:
        best = min(side["ms"] for name, side in case["sides"].items() if not name.startswith("ours"))
        for name, side in case["sides"].items():
            lines.append(f"| {case['title']} | {name} | {side['ms']:.2f} | {case['tokens'] / side['ms']:.1f} k | {best / side['ms']:.2f} | {side['first_step_s']:.1f} s | "
                         f"{side['gib']:.1f} GiB | {side['difference']:.4f} | {'' if side['parted'] is None else side['parted']} |")
    return "\n".join(lines) + "\n"


def plot(report, path):
    """A bar for each side of each case, in the parts of KINDS."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "adjoint", "font.family": "sans-serif", "font.size": 8}
    figure, all_axes = pyplot.subplots(len(report["cases"]), 1, figsize=(7, 1.3 * len(report["cases"]) + 0.6), squeeze=False)
    colours = ("#1565c0", "#2e8b57", "#b45309", "#8e44ad", "#9e9e9e")
    for axes, case in zip(all_axes[:, 0], report["cases"]):
        for height, (name, side) in enumerate(reversed(case["sides"].items())):
            left = 0
            for kind, colour in zip(KINDS, colours):
                axes.barh(height, side["kinds"][kind], left=left, color=colour, height=0.7, label=kind if height == 0 else None)
                left += side["kinds"][kind]
            axes.annotate(f"{side['ms']:.1f} ms", (left, height), xytext=(3, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(case["sides"])), list(reversed(case["sides"])))
        axes.set_title(case["title"], loc="left", fontsize=9)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    all_axes[-1, 0].set_xlabel("milliseconds of a step")
    figure.tight_layout()
    figure.legend(*all_axes[0, 0].get_legend_handles_labels(), loc="upper center", ncols=len(KINDS), frameon=False, bbox_to_anchor=(0.5, 0))
    picture = io.StringIO()
    figure.savefig(picture, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    # Pages may be dark: backgrounds, texts and black lines then change their colour.
    text = re.sub(r'style="fill: #ffffff', 'class="page" style="fill: #ffffff', picture.getvalue())
    text = re.sub(r'style="([^"]*stroke: #000000)', r'class="ink" style="\1', text)
    text = text.replace("<defs>", "<style>@media (prefers-color-scheme: dark) { .page { fill: #0d1117 !important } .ink { stroke: #ddd !important } "
                        "text { fill: #ddd !important } }</style>\n<defs>", 1)
    files.write(path, text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--gpt", default="build/tools/gpt")
    parser.add_argument("--case", nargs="*", default=["gpt2-64", "gpt2-8", "llama-4"], choices=list(CASES))
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--own", action="store_true", help="train without cuBLASLt and cuDNN too")
    parser.add_argument("--pointwise", action="store_true", help="train with --recompute pointwise too")
    parser.add_argument("--from", dest="source", help="draw an earlier measurement again")
    options = parser.parse_args()
    failed = []
    if options.source:
        report = json.loads(pathlib.Path(options.source).read_text())
    else:
        import torch
        report = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "steps": options.steps, "cases": []}
        for name in options.case:
            title, config, extra = CASES[name]
            with tempfile.TemporaryDirectory() as directory:
                sides = {"ours": ours(options.gpt, config, extra, options.steps, directory)}
                if options.own:
                    sides["ours own"] = ours(options.gpt, config, extra, options.steps, directory, libraries=False)
                if options.pointwise:
                    sides["ours pointwise"] = ours(options.gpt, config, [*extra, "--recompute", "pointwise"], options.steps, directory)
            sides |= {"autocast": theirs(config, options.steps, True), "flash": theirs(config, options.steps, True, "FLASH_ATTENTION"),
                      "bf16": theirs(config, options.steps, False)}
            for side in sides.values():
                differences = [abs(a - b) for a, b in zip(side["losses"], sides["autocast"]["losses"])]
                side["difference"], side["parted"] = max(differences), next((i for i, d in enumerate(differences) if not d <= 0.01), None)
            for kind, side in sides.items():
                if kind.startswith("ours") and (len(side["losses"]) != options.steps or not side["difference"] <= max(0.01, 2 * sides["flash"]["difference"])):
                    failed.append(f"{title}: losses of {kind} differ by {side['difference']}")
            report["cases"].append({"name": name, "title": title, "tokens": config["batch"] * config["tokens"], "sides": sides})
            records.write(options.output + ".json", report)  # what was measured stays when a later case fails
            print(table(report), flush=True)
    files.write(options.output + ".md", table(report))
    try:
        plot(report, options.output + ".svg")
    except ImportError:
        print(f"no matplotlib: draw later with --from {options.output}.json")
    if failed:
        raise SystemExit("\n".join(failed))


main()
