#!/usr/bin/env python3
"""The example with a CUDA graph, on a driver that launches on paper: what it does with its stream, in which order.

Nothing is computed, so that the example ends with what it uploaded, and says so."""
import re
import subprocess
import sys

STEPS = ["stream created", "capture begun", "capture ended", "graph instantiated", "graph launched", "stream synchronised"]


def main():
    result = subprocess.run([sys.argv[1]], capture_output=True, text=True)
    print(result.stdout + result.stderr, end="")
    assert result.returncode == 1, f"exit status {result.returncode}"
    sku, last = result.stdout.splitlines()
    assert re.fullmatch(r"embedding_backward/\w+/f32\.i64/sm\d+", sku), sku
    assert last == "dweight[0][0] = -1, expected 82", last
    lines = [re.fullmatch(r"(.*): (\d+), (\d+) kernels so far", line).groups() for line in result.stderr.splitlines()]
    assert [step for step, _, _ in lines] == STEPS, lines
    assert all(code == "0" for _, code, _ in lines), lines
    launched = [int(count) for _, _, count in lines]
    assert launched[:2] == [0, 0] and launched[2] > 0 and set(launched[2:]) == {launched[2]}, "kernels are launched during the capture, and only then"


if __name__ == "__main__":
    main()
