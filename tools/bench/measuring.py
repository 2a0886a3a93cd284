"""The method of peers.py: times of calls, and the file in which they are written."""
import fnmatch
from functools import partial

import torch
import torch._functorch.config

import records

torch.manual_seed(0)
DEVICE = "cuda"
torch._functorch.config.donated_buffer = False  # the backward of a compiled loss is timed alone, repeatedly
flush = torch.empty(256 << 20, dtype=torch.uint8, device=DEVICE)
rows, replays, copies, result = {}, {}, {}, {}
output, pattern = None, "*"
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


def replayed(make):
    """The call of a variant as the replay of a CUDA graph. What a gradient runs is captured where its forward call ran, so that is made here, too."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        call = make()
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        call()
    return graph.replay


def begin(path, glob="*"):
    """From now on case() measures what matches the glob, and writes all results to this file."""
    global output, pattern
    output, pattern = path, glob
    result.update({"torch": torch.__version__, "device": torch.cuda.get_device_name(), "copy_ceiling_gb_s": copy_ceiling(), "copies": copies,
                   "graphs": replays, "cases": rows})


def case(name, variants, graphs=False):
    """variants: {variant name: function that returns the call to time}. One is made at a time, since each takes much memory.

    graphs: each is measured as a CUDA graph, too, and found under "graphs" in the file."""
    if not fnmatch.fnmatchcase(name, pattern):
        return
    rows[name] = timed(variants)
    if graphs:
        replays[name] = timed({variant: partial(replayed, make) for variant, make in variants.items()})
    records.write(output, result)  # after every case, in case the run is cut off
    for kind, results in ("", rows[name]), *((("in a graph: ", replays[name]),) if graphs else ()):
        print(f"{name:72s} {kind}" + "  ".join(f"{k} {v:.1f} us" if isinstance(v, float) else f"{k} failed" for k, v in results.items()), flush=True)


def timed(variants):
    results = {}
    for variant, make in variants.items():
        # Without a reset, code that was compiled for other shapes before is compiled for any shape, or not at all.
        torch._dynamo.reset()
        try:
            results[variant] = median_us(make())
        except Exception as error:  # a variant that PyTorch cannot run is recorded, not hidden
            results[variant] = f"{type(error).__name__}: {str(error)[:200]}"
        torch.cuda.empty_cache()
    return results


def copy_us(moved):
    """Time of a copy that reads and writes `moved` bytes in all."""
    source = torch.zeros(max(1, int(moved) // 2), dtype=torch.uint8, device=DEVICE)
    target = torch.empty_like(source)
    return median_us(lambda: target.copy_(source), warm=10)


def copy_ceiling():
    return (8 << 30) / copy_us(8 << 30) / 1e3
