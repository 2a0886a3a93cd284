#!/usr/bin/env python3
"""What a call of torch's operators costs on the host: torch_overhead.py [NAME...]. Microseconds of calls on small tensors, on a GPU if there is one.

Columns: torch's own; ours with compiled kernels; ours with kernels in Python, in a process of its own. An operator that returns an empty tensor, with the same
parameters as softmax_forward, stands beside it. The least of many short rounds, so that what else the machine does counts little. Needs ADJOINT_LIBRARY."""
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "capi/python"))
import torch  # noqa: E402

import adjoint  # noqa: E402
import adjoint.torch as adj  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
F = torch.nn.functional


def least(function, seconds=0.4):
    """Microseconds of a call: of rounds that are short beside what a scheduler gives a process at once, the least."""
    for _ in range(100):
        function()
    start, calls, found = time.perf_counter(), 1, []
    while time.perf_counter() - start < seconds:
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        before = time.perf_counter()
        for _ in range(calls):
            function()
        found.append((time.perf_counter() - before) / calls * 1e6)
        calls = max(1, int(200 / min(found)))
    return min(found)


def empty_operator(schema):
    """An operator of torch that returns a tensor like its first argument."""
    library = torch.library.Library("adjoint_empty", "DEF")
    library.define("softmax_forward" + schema[schema.index("("):])
    library.impl("softmax_forward", lambda x, **_: torch.empty_like(x), "CompositeExplicitAutograd")
    return library, torch.ops.adjoint_empty.softmax_forward


def cases():
    """{name: (ours, torch's or None)}"""
    x, w, labels, up = torch.randn(8, 16, device=DEVICE), torch.randn(16, device=DEVICE), torch.randint(0, 16, (8,), device=DEVICE), torch.ones(8, 16, device=DEVICE)
    xg, wg = x.clone().requires_grad_(), w.clone().requires_grad_()
    out = torch.empty_like(x)
    adjoint.softmax(x, out=out)  # a call that is bound needs its plan
    operator = torch.ops.adjoint.softmax_forward
    library, empty = empty_operator(str(operator.default._schema))
    fields = {"outer": 8, "extent": 16, "inner": 1}

    def step(make):
        parameters = [torch.nn.Parameter(torch.randn(100, device=DEVICE)) for _ in range(300)]
        for p in parameters:
            p.grad = torch.randn(100, device=DEVICE)
        return make(parameters).step
    kept = library  # its operators go with it

    def inference(function):
        def call():
            with torch.inference_mode():
                for _ in range(10):
                    function(x, **fields)
        call.of, call.library = 10, kept
        return call
    fused = {"fused": True}
    return {"torch.ops, softmax (beside: an empty operator in Python)": (lambda: operator(x, **fields), lambda: empty(x, **fields)),
            "torch.ops, softmax, inference mode": (inference(operator), None),
            "adjoint.softmax, out given": (lambda: adjoint.softmax(x, out=out), lambda: torch.softmax(x, -1, out=out)),
            "adjoint.softmax, bound": (adjoint.softmax.bind(x, out=out), None),
            "softmax": (lambda: adj.softmax(x, -1), lambda: torch.softmax(x, -1)),
            "rms_norm": (lambda: adj.rms_norm(x, (16,), w), lambda: F.rms_norm(x, (16,), w)),
            "layer_norm": (lambda: adj.layer_norm(x, (16,), w, w), lambda: F.layer_norm(x, (16,), w, w)),
            "gelu": (lambda: adj.gelu(x), lambda: F.gelu(x)),
            "cross_entropy": (lambda: adj.cross_entropy(x, labels), lambda: F.cross_entropy(x, labels)),
            "softmax, forward and backward": (lambda: adj.softmax(xg, -1).backward(up), lambda: torch.softmax(xg, -1).backward(up)),
            "rms_norm, forward and backward": (lambda: adj.rms_norm(xg, (16,), wg).backward(up), lambda: F.rms_norm(xg, (16,), wg).backward(up)),
            "cross_entropy, forward and backward": (lambda: adj.cross_entropy(xg, labels).backward(), lambda: F.cross_entropy(xg, labels).backward()),
            "AdamW, 300 tensors of 100 (torch: fused)": (step(adj.AdamW), step(lambda p: torch.optim.AdamW(p, **fused)))}


def measured(names):
    """{name: (ours, torch's)}"""
    torch.set_num_threads(1)
    found = {}
    for name, functions in cases().items():
        if not names or any(n in name for n in names):
            found[name] = [f and least(f) / getattr(f, "of", 1) for f in functions]
    return found


def main():
    if "--numbers" in sys.argv:
        return print(json.dumps(measured([a for a in sys.argv[1:] if a != "--numbers"])))
    runs = {}
    for kind in ("compiled", "python"):
        done = subprocess.run([sys.executable, __file__, "--numbers", *sys.argv[1:]], capture_output=True, text=True, check=True,
                              env={**os.environ, "ADJOINT_TORCH_OPERATORS": kind})
        runs[kind] = json.loads(done.stdout.splitlines()[-1])
    print(f"torch {torch.__version__}, {DEVICE}, microseconds of a call")
    print(f"{'':58}{'torch':>9}{'compiled':>10}{'Python':>9}")
    for name, (ours, torchs) in runs["compiled"].items():
        print(f"{name:58}{'' if torchs is None else f'{torchs:.1f}':>9}{ours:>10.1f}{runs['python'][name][0]:>9.1f}")


if __name__ == "__main__":
    main()
