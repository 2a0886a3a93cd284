#!/usr/bin/env python3
"""Executes the ends of the launches of every algorithm on tensors of more than 2^32 elements (far.cpp), with a process for each algorithm.

  offsets.py BUILD    takes the SKUs of BUILD/tests/simt/coverage.txt, which a build of tests/simt/simt_coverage leaves
"""
import argparse
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import processes  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
EXECUTED = re.compile(r"^  ok .*, 2\^(\d+) elements", re.M)


def sizes(result):
    """The smallest and the largest problem of an algorithm, as logarithms of base two."""
    bits = [int(text) for text in EXECUTED.findall(result.output)]
    return f"{min(bits)} to {max(bits)}" if bits else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--sku", default="*", help="only algorithms of which the first SKU matches this glob")
    processes.add_options(parser)
    options = parser.parse_args()
    command = [options.build / "tests/simt/simt_coverage", "--tier", options.build / "tests/simt/coverage.txt", "--far", HERE / "near.tsv"]
    skus = subprocess.run([*command, "--list"], check=True, capture_output=True, text=True).stdout.split()
    tasks = [processes.Task(sku, [*command, "--verbose", "--sku", sku]) for sku in fnmatch.filter(skus, options.sku)]
    if not tasks:
        sys.exit(f"no algorithm has a first SKU that matches '{options.sku}'")
    with tempfile.TemporaryDirectory() as counts:  # of executed lines, which these runs leave alone
        results = processes.run(tasks, options, {"GCOV_PREFIX": counts, "GCOV_PREFIX_STRIP": "99"})
    failed = processes.table(results, [("cases", lambda result: len(EXECUTED.findall(result.output))), ("log2 of size", sizes)])
    left_out = sum(bool(re.search(r"^0 algorithms .* 1 left out", result.output, re.M)) for result in results)
    print(f"{len(results) - len(failed) - left_out} algorithms executed on 2^32 elements or more, {left_out} left out with a reason, {len(failed)} failed")
    for result in failed:
        print(f"FAIL {result.name}: {result.fault}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
