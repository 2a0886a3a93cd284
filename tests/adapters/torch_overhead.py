#!/usr/bin/env python3
"""What a call of torch's operators costs on the host: torch_overhead.py [--python] [NAME...]. Microseconds of calls on small tensors, on a GPU if there is one.

Columns: torch's own; ours; with --python also ours with kernels in Python, in a process of its own. Beside torch.ops stands an operator that returns an empty
tensor, with the same parameters as softmax_forward, and beside each function forward and backward a function of torch.autograd that saves an empty tensor and
returns one: what recording from Python costs at least. TVM-FFI is measured where its package and adapter are there. The least of many short rounds, so that what
else the machine does counts little. Needs ADJOINT_LIBRARY."""
import importlib.util
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


def least(function, seconds=0.7):
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


class Empty(torch.autograd.Function):
    """Saves its result and computes nothing."""

    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dout):
        ctx.saved_tensors
        return torch.empty_like(dout)


def through_tvm_ffi(x, out):
    """A call through TVM-FFI, None where that is not there."""
    found = importlib.util.find_spec("tvm_ffi")
    if found is None or found.origin is None:  # a directory of that name lies beside this file
        return None
    try:
        import adjoint.tvm_ffi
        adjoint.tvm_ffi.call("softmax_forward", outer=8, input=x, out=out)
    except (ImportError, OSError):
        return None
    return lambda: adjoint.tvm_ffi.call("softmax_forward", outer=8, input=x, out=out)


def cases():
    """{name: (ours or None, torch's or None)}"""
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
            "adjoint.tvm_ffi.call, softmax_forward": (through_tvm_ffi(x, out), None),
            "softmax": (lambda: adj.softmax(x, -1), lambda: torch.softmax(x, -1)),
            "rms_norm": (lambda: adj.rms_norm(x, (16,), w), lambda: F.rms_norm(x, (16,), w)),
            "layer_norm": (lambda: adj.layer_norm(x, (16,), w, w), lambda: F.layer_norm(x, (16,), w, w)),
            "gelu": (lambda: adj.gelu(x), lambda: F.gelu(x)),
            "cross_entropy": (lambda: adj.cross_entropy(x, labels), lambda: F.cross_entropy(x, labels)),
            "an empty function of torch.autograd, forward and backward": (None, lambda: Empty.apply(xg).backward(up)),
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
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--numbers" in sys.argv:
        return print(json.dumps(measured(names)))
    kinds = ["compiled"] + ["python"] * ("--python" in sys.argv)
    runs = {}
    for kind in kinds:
        done = subprocess.run([sys.executable, __file__, "--numbers", *names], capture_output=True, text=True, env={**os.environ, "ADJOINT_TORCH_OPERATORS": kind})
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        runs[kind] = json.loads(done.stdout.splitlines()[-1])
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name() if DEVICE == 'cuda' else 'cpu'}, microseconds of a call")
    print(f"{'':62}{'torch':>9}" + "".join(f"{kind:>10}" for kind in kinds))
    said = lambda number: "" if number is None else f"{number:.1f}"  # noqa: E731
    for name, (_, torchs) in runs["compiled"].items():
        print(f"{name:62}{said(torchs):>9}" + "".join(f"{said(runs[kind][name][0]):>10}" for kind in kinds))


if __name__ == "__main__":
    main()
