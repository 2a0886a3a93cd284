#!/usr/bin/env python3
"""Decides which SKUs a run of the tests takes, and writes the decision to a file that tests/tier.hpp reads: tier.py OUTPUT [--far | --half N] | --turn N

The environment variable ADJOINT_TEST decides:
  not set                 one SKU of each algorithm, on one case in four
  "all"                   every SKU
  globs between blanks    the SKUs whose ids match, or that have a kernel source that matches (softmax/row.cu)
  "lines" before globs    as many of these as have every line of their kernels

--far: a kernel source, in turn, for launches on tensors beyond 2^32 elements; besides those of simt/lines.tsv, which every run takes.
--turn N: prints the turn among N, and decides nothing else.
--half N: of what a plain run takes, every second SKU, others in the next turn; 0 and 1 are the two halves.
"""
import argparse
import datetime
import fnmatch
import hashlib
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCTS = ("attention", "conv", "gemm", "matmul")


def turn():
    """A number that changes with every commit, and with the day where there is no git. SKUs and cases take turns by it."""
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True) if (ROOT / ".git").exists() else None
    name = head.stdout.strip() if head and head.returncode == 0 else hashlib.sha256(datetime.date.today().isoformat().encode()).hexdigest()
    return int(name[:6], 16)


def tier(half=None):
    wanted = os.environ.get("ADJOINT_TEST")
    if wanted is None:
        return [f"turn\t{turn()}"] + ([] if half is None else [f"half\t{(turn() >> 8) + half & 1}"])
    if wanted == "all":
        return ["all"]
    return ["lines" if word == "lines" else f"only\t{word}" for word in wanted.split()]


def far(turn):
    """Every second turn a source of products, whose offsets have most terms, else one of the others."""
    always = {line.split("\t")[1] for line in (ROOT / "tests/simt/lines.tsv").read_text(encoding="utf-8").splitlines() if line.startswith("only")}
    sources = sorted(path.relative_to(ROOT / "kernels").as_posix() for path in ROOT.glob("kernels/*/*.cu"))
    sources = [source for source in sources if not any(fnmatch.fnmatch(source, glob) for glob in always)]
    products = [source for source in sources if source.split("/")[0] in PRODUCTS]
    others = [source for source in sources if source not in products]
    chosen = products if turn % 2 else others
    return ["lines", f"only\t{chosen[turn // 2 % len(chosen)]}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, nargs="?")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--far", action="store_true")
    only.add_argument("--half", type=int, choices=(0, 1))
    only.add_argument("--turn", type=int)
    options = parser.parse_args()
    output = options.output
    if (output is None) == (options.turn is None):
        parser.error("OUTPUT or --turn, one of both")
    if options.turn is not None:
        return print(turn() % options.turn)
    text = "".join(line + "\n" for line in (far(turn()) if options.far else tier(options.half)))
    if not output.exists() or output.read_text(encoding="utf-8") != text:
        output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
