"""Measures a whole update step against PyTorch's, on one machine: step.py OUTPUT [COUNTxTOTAL ...] writes OUTPUT.json and OUTPUT.md.

A step takes f32 gradients that are scaled by a loss scale, and unscales and clips them, updates f32 weights with AdamW unless a gradient
is not finite, copies the weights to bf16, and clears the gradients. Both sides begin with the same numbers and must end with the same
weights. Method as in bench.cpp: device events around the step, 256 MB written before each, the median; gradients are filled anew in between.

ours      clip_grad_norm with norm_only, which reads the gradients, then adam, which does the rest in one pass; both bound once
PyTorch   GradScaler.unscale_, clip_grad_norm_ (foreach), fused AdamW, _foreach_copy_, zero_grad(set_to_none=False)
captured  the same as a CUDA graph

Bytes a parameter, with f32 weights, gradients and moments: ours 4 for the norm, 16 read and 18 written by the update. PyTorch 8 to unscale,
4 for the norm, 8 to clip, 28 for AdamW, 6 to copy, 4 to clear."""
import sys

import torch

import adjoint
import files
import records

DEVICE = "cuda"
OURS_BYTES, PEER_BYTES = 38, 58
SCALE, MAX_NORM, LR, DECAY = 1024.0, 1.0, 1e-3, 0.01
flush = torch.empty(256 << 20, dtype=torch.uint8, device=DEVICE)


def model_sizes(count, total):
    """As in cases.cpp."""
    return [max(1, total // count * (50 + i * 37 % 101) // 100) for i in range(count)]


def copy_ceiling():
    source = torch.randn(1 << 30, device=DEVICE)
    target = torch.empty_like(source)
    return 8 * (1 << 30) / median_us(lambda: target.copy_(source), lambda: None, 15) / 1e3


def median_us(step, refill, repeats):
    times = []
    for i in range(repeats):
        refill()
        flush.fill_(i)
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        step()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) * 1e3)
    return sorted(times)[len(times) // 2]


def captured(step):
    """The step as a graph, after it ran once."""
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def ours(weights, gradients):
    params = [w.clone() for w in weights]
    grads = [g.clone() for g in gradients]
    m, v = [torch.zeros_like(w) for w in params], [torch.zeros_like(w) for w in params]
    copies = [w.bfloat16() for w in params]
    scale, step = torch.full((1,), SCALE, device=DEVICE), torch.ones(1, dtype=torch.int64, device=DEVICE)
    norm = torch.empty(1, device=DEVICE)

    def bind():
        first = adjoint.ops.clip_grad_norm.bind(grads=grads, norm=norm, norm_only=1)
        second = adjoint.ops.adam.bind(params=params, grads=grads, exp_avg=m, exp_avg_sq=v, copies=copies, copy="bf16", lr=LR, step=step, grad_scale=scale,
                                       gradient_norm=norm, decay="first", weight_decay=DECAY, max_norm=MAX_NORM, clear_grads=1, advance_step=1)

        def run():
            first()
            second()
        return run
    run = bind()
    run()
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        on_side = bind()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        on_side()

    def replay(keep=on_side):
        graph.replay()
    return params, grads, copies, {"ours": run, "ours captured": replay}, 1


def theirs(weights, gradients):
    params = [torch.nn.Parameter(w.clone()) for w in weights]
    for p, g in zip(params, gradients):
        p.grad = g.clone()
    grads = [p.grad for p in params]
    copies = [w.bfloat16() for w in weights]
    optimizer = torch.optim.AdamW(params, lr=LR, weight_decay=DECAY, fused=True, capturable=True)
    scaler = torch.amp.GradScaler(DEVICE, init_scale=SCALE, growth_interval=1 << 30)
    scaler.scale(torch.zeros((), device=DEVICE))  # makes its tensors

    def run():
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(params, MAX_NORM, foreach=True)
        scaler.step(optimizer)
        scaler.update()
        with torch.no_grad():
            torch._foreach_copy_(copies, params)
        optimizer.zero_grad(set_to_none=False)
    run()
    variants = {"PyTorch": run}
    try:
        variants["PyTorch captured"] = captured(run)
    except Exception as error:  # recorded, not hidden
        torch.cuda.synchronize()
        variants["PyTorch captured"] = f"{type(error).__name__}: {str(error)[:200]}"
    return params, grads, copies, variants, 1


def measure(count, total, ceiling, repeats=9):
    sizes = model_sizes(count, total)
    torch.manual_seed(0)
    weights = [torch.randn(n, device=DEVICE) for n in sizes]
    gradients = [torch.randn(n, device=DEVICE) * SCALE for n in sizes]
    row = {"tensors": count, "parameters": sum(sizes)}
    results = []
    for make, bytes_each in ((ours, OURS_BYTES), (theirs, PEER_BYTES)):
        params, grads, copies, variants, steps = make(weights, gradients)

        def refill():
            with torch.no_grad():
                torch._foreach_copy_(grads, gradients)
        for name, step in variants.items():
            if isinstance(step, str):
                row[name] = step
                continue
            for _ in range(2):
                refill()
                step()
            us = median_us(step, refill, repeats)
            steps += 2 + repeats
            row[name] = {"us": us, "gb_s": bytes_each * sum(sizes) / us / 1e3, "fraction_of_copy": bytes_each * sum(sizes) / us / 1e3 / ceiling}
        results.append((params, copies, grads, steps))
    # Weights after as many steps on both sides.
    (p0, c0, g0, steps0), (p1, c1, g1, steps1) = results
    if steps0 != steps1:
        row["same"] = f"not compared: {steps0} and {steps1} steps"
    else:
        row["steps"] = steps0
        row["same"] = max(((a - b.detach()).abs() / (1 + a.abs())).max().item() for a, b in zip(p0, p1))
        row["cleared"] = all(not g.any().item() for g in g0) and all(not g.any().item() for g in g1)
        row["copied"] = all(torch.equal(c, p.detach().bfloat16()) for c, p in list(zip(c0, p0)) + list(zip(c1, p1)))
        if row["same"] > 1e-6 * steps0 or not row["cleared"] or not row["copied"]:
            raise SystemExit(f"results differ: {row}")
    return row


def main():
    output = sys.argv[1]
    problems = [tuple(int(n) for n in word.split("x")) for word in sys.argv[2:]] or [(300, 1_000_000_000), (2000, 100_000_000)]
    ceiling = copy_ceiling()
    report = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "copy_ceiling_gb_s": ceiling, "bytes_of_ours": OURS_BYTES,
              "bytes_of_peer": PEER_BYTES, "cases": []}
    lines = [f"Measured on {report['device']}, PyTorch {report['torch']}; copy ceiling of the run {ceiling:.0f} GB/s. Made by `tools/bench/step.py`, which says what a",
             f"step is. Device time, cold L2, medians. The fraction counts the bytes that each side moves, {OURS_BYTES} a parameter for ours and {PEER_BYTES} for PyTorch.", "",
             "| parameters | tensors | step | us | of copy ceiling | PyTorch's best time / this |", "| ---: | ---: | --- | ---: | ---: | ---: |"]
    for count, total in problems:
        row = measure(count, total, ceiling)
        report["cases"].append(row)
        torch.cuda.empty_cache()
        best = min(row[k]["us"] for k in row if k.startswith("PyTorch") and isinstance(row[k], dict))
        for name in ("ours", "ours captured", "PyTorch", "PyTorch captured"):
            if isinstance(row.get(name), dict):
                lines.append(f"| {row['parameters'] / 1e6:.0f} M | {count} | {name} | {row[name]['us']:.1f} | {row[name]['fraction_of_copy']:.2f} | {best / row[name]['us']:.2f} |")
            else:
                lines.append(f"| {row['parameters'] / 1e6:.0f} M | {count} | {name} | failed: {row[name]} | | |")
        print(f"after {row.get('steps')} steps weights differ by {row['same']}", flush=True)
    records.write(output + ".json", report)
    files.write(output + ".md", "\n".join(lines) + "\n")
    print("\n".join(lines))


main()
