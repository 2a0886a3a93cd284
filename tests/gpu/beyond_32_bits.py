#!/usr/bin/env python3
"""Optimizers on a tensor of more than 2^32 elements, on a GPU: the whole tensor must have the bits of its parts.

  beyond_32_bits.py [--numel N] [NAME...]

NAME: adamw_8bit, lion, sgd, adam; all of them without it. N is 2^32 + 512 unless given. Needs torch, the library that ADJOINT_LIBRARY names, and
8 bytes of device memory for an element. The parts are 2^20 elements around every multiple of 2^31, and the first and the last ones. Exit 1 where bits
differ or the last elements are not updated, 77 without a GPU.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "capi", "python"))

LENGTH = 1 << 20  # elements of a part
BLOCK = 256       # elements that share a scale in adamw_8bit

# Lists of each operator, with their element types. A scale belongs to a block of elements.
LISTS = {
    "adamw_8bit": dict(params="bfloat16", grads="bfloat16", exp_avg="uint8", exp_avg_scale="float32", exp_avg_sq="uint8", exp_avg_sq_scale="float32"),
    "lion": dict(params="bfloat16", grads="bfloat16", exp_avg="bfloat16"),
    "sgd": dict(params="bfloat16", grads="bfloat16"),
    "adam": dict(params="bfloat16", grads="bfloat16", exp_avg="bfloat16", exp_avg_sq="bfloat16"),
}


def options(name, count, first):
    if name == "sgd":
        return dict(lr=0.01, weight_decay=0.1)
    return dict(lr=0.01, step=3, seed=7, stochastic_rounding=1, tensor_keys=[5] * count, first_elements=first)


def filled(kind, name, numel):
    """Contents that differ from one element to the next: moments and scales are not negative."""
    made = torch.empty(numel, dtype=getattr(torch, kind), device="cuda")
    for begin in range(0, numel, 1 << 28):
        part = made[begin:begin + (1 << 28)]
        if kind == "uint8":
            part.random_(1, 120)
        elif name in ("params", "grads"):
            part.normal_()
        else:
            part.uniform_(0.01, 0.1)
    return made


def check(name, numel):
    torch.manual_seed(1)
    slices = []
    for centre in [*range(0, numel, 1 << 31), numel]:
        begin = max(0, min(centre - LENGTH // 2, numel - LENGTH)) // BLOCK * BLOCK
        slices.append((begin, numel if centre == numel else min(begin + LENGTH, numel)))

    def cut(kind, tensor, begin, end):
        return tensor[begin // BLOCK:-(-end // BLOCK)] if kind.endswith("_scale") else tensor[begin:end]

    whole = {kind: filled(dtype, kind, -(-numel // BLOCK) if kind.endswith("_scale") else numel) for kind, dtype in LISTS[name].items()}
    parts = {kind: [cut(kind, tensor, *s).clone() for s in slices] for kind, tensor in whole.items()}
    before = whole["params"][-512:].clone()
    run = getattr(adjoint.ops, name)
    run(**{kind: [tensor] for kind, tensor in whole.items()}, **options(name, 1, [0]))
    run(**parts, **options(name, len(slices), [begin for begin, _ in slices]))
    torch.cuda.synchronize()
    faults = []
    if bool((before == whole["params"][-512:]).all()):
        faults.append("the last 512 weights are not updated")
    for kind, tensor in whole.items():
        for part, (begin, end) in zip(parts[kind], slices):
            if not torch.equal(part.view(torch.uint8), cut(kind, tensor, begin, end).contiguous().view(torch.uint8)):
                faults.append(f"{kind}[{begin}:{end}] has other bits than the part alone")
    print(f"{name}, {numel} elements: {'; '.join(faults) or 'equal bits'}")
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numel", type=int, default=(1 << 32) + 512)
    parser.add_argument("names", nargs="*", default=list(LISTS), metavar="NAME")
    args = parser.parse_args()
    ok = True
    for name in args.names:
        ok = check(name, args.numel) and ok
        torch.cuda.empty_cache()
    return 0 if ok else 1


if __name__ == "__main__":
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("no GPU")
    except ImportError as error:
        print(f"skipped: {error}")
        sys.exit(77)
    import adjoint.ops
    sys.exit(main())
