#!/usr/bin/env python3
"""The example with a CUDA graph, on a driver that launches on paper: what it does with its stream, in which order.

Nothing is computed, so that the example ends with the loss that it uploaded, and says so."""
import re
import subprocess
import sys

STEPS = ["stream created", "stream synchronised", "capture begun", "capture ended", "graph instantiated"] + 60 * ["graph launched"] + ["stream synchronised"]


def main():
    result = subprocess.run([sys.argv[1]], capture_output=True, text=True)
    print(result.stdout + result.stderr, end="")
    assert result.returncode == 1, f"exit status {result.returncode}"
    assert result.stdout == "the loss went from -1.000 to -1.000 nats per byte\n", result.stdout
    lines = [re.fullmatch(r"(.*): (\d+), (\d+) kernels so far", line).groups() for line in result.stderr.splitlines()]
    assert [step for step, _, _ in lines] == STEPS, lines
    assert all(code == "0" for _, code, _ in lines), lines
    launched = [int(count) for _, _, count in lines]
    first, captured = launched[1], launched[3] - launched[2]
    assert launched[:3] == [0, first, first] and first > 0, "the first step launches kernels, the beginning of a capture none"
    assert captured == first and set(launched[3:]) == {2 * first}, "the captured step launches the same kernels, the graph none of its own"


if __name__ == "__main__":
    main()
