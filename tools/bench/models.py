"""Measures a file of problems, ours and PyTorch's in one run: models.py OUTPUT_PREFIX [--problems FILE] [--adjoint PROGRAM] [--case GLOB]

Writes OUTPUT_PREFIX.md (a table for each heading of the file, and the shares of problems by ratio), .json and .svg (needs matplotlib). Without --problems it takes
models.txt, what a training step of known models runs. A peer is the best of PyTorch's variants, each launched and replayed from a CUDA
graph; ours are launched. PyTorch's kernels are compiled beforehand, by eight processes at most, so that the device waits for no compiler. --from OUTPUT.json writes the table and the picture of an earlier run."""
import argparse
import fnmatch
import json
import math
import os
import pathlib
import subprocess
import sys

import files
import join
import records

HERE = pathlib.Path(__file__).parent
MOST_PROCESSES = 8  # that compile; each takes memory of the GPU
LARGE, NEAR = 50e6, 0.85  # bytes of a problem that is bound by the memory, and the fraction of a copy that it should have
LIMITS = (0.9, 1.0, 1.25, 1.5, 2.0, 3.0)


def sections(path):
    """[(heading, lines)] of a file of problems."""
    found = [("", [])]
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("["):
            found.append((line.strip("[]"), []))
        elif line and not line.startswith("#"):
            found[-1][1].append(line)
    return [(heading, lines) for heading, lines in found if lines]


def compile_peers(lines):
    """Runs the compiled variants once, in processes of their own: what they compile stays in PyTorch's cache on the disk."""
    count = min(MOST_PROCESSES, os.cpu_count() or 1, len(lines))
    environment = os.environ | {"TORCHINDUCTOR_COMPILE_THREADS": "2"}
    running = [subprocess.Popen([sys.executable, HERE / "problems.py", *lines[part::count]], env=environment) for part in range(count)]
    for process in running:
        process.wait()


def measure(lines, floors, output):
    """Peers of the lines, in the form of peers.py, and copies of as many bytes as ours need at least. floors: these, by line."""
    import measuring
    import problems
    measuring.begin(output)
    # All in a row: after a pause for a compiler the clocks are low.
    measuring.copies.update({line: measuring.copy_us(floors[line]) for line in lines if line in floors})
    for line in lines:
        measuring.case(line, problems.peers(line), graphs=True)
    return measuring.result


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def copies(rows):
    """What copies of as many bytes say. Attention is bound by its products."""
    compared = [row for row in rows if "ratio" in row and "fraction_of_such_copy" in row]
    if not compared:
        return []
    best = [row["ratio"] * (1 if row["name"].startswith("attention") else max(1, 1 / row["fraction_of_such_copy"])) for row in compared]
    large = [row for row in compared if row["floor_bytes"] >= LARGE]
    near = sum(row["fraction_of_such_copy"] >= NEAR for row in large)
    return [f"If each of ours but attention took no longer than a copy of as many bytes, the mean would be {mean(best):.2f}.",
            f"{near} of {len(large)} problems with {LARGE / 1e6:.0f} MB or more have {NEAR} of a copy of as many bytes."]


def shares(rows):
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    if not ratios:
        return []
    bounds = [0, *LIMITS, math.inf]
    names = [f"below {LIMITS[0]}", *(f"{a} to {b}" for a, b in zip(LIMITS, LIMITS[1:])), f"{LIMITS[-1]} and more"]
    lines = ["| peer time / ours | problems | share |", "| --- | ---: | ---: |"]
    for name, low, high in zip(names, bounds, bounds[1:]):
        count = sum(low <= ratio < high for ratio in ratios)
        lines.append(f"| {name} | {count} | {count / len(ratios):.0%} |")
    text = f"{len(ratios)} problems with a peer, geometric mean of peer time / ours {mean(ratios):.2f}"
    launched = [row["launched_ratio"] for row in rows if "launched_ratio" in row]
    if launched:
        text += f", where a peer's kernels are launched one by one {mean(launched):.2f}"
    return ["", text + ".", *copies(rows), "", *lines]


def table(report, headings):
    rows = {row["name"]: row for row in report["cases"]}
    text = []
    for heading, lines in headings:
        measured = [rows[line] for line in lines if line in rows]
        if not measured:
            continue
        part = join.table(report, measured).splitlines()
        text += part[:2] if not text else []
        text += ["", f"## {heading}", "", *part[3:]]
    return "\n".join(text + shares(report["cases"])) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix")
    parser.add_argument("--problems", default=str(HERE / "models.txt"))
    parser.add_argument("--adjoint", default="build/tools/adjoint")
    parser.add_argument("--case", default="*")
    parser.add_argument("--from", dest="earlier")
    options = parser.parse_args()
    headings = sections(options.problems)
    if options.earlier:
        report = join.load(options.earlier)
    else:
        lines = [line for _, lines in headings for line in lines if fnmatch.fnmatchcase(line, options.case)]
        ours = json.loads(subprocess.run([options.adjoint, "bench", "--json", "--problems", options.problems, "--case", options.case],
                                         check=True, stdout=subprocess.PIPE).stdout)
        compile_peers(lines)
        floors = {case["name"]: case["floor_bytes"] for case in ours["cases"] if "floor_bytes" in case}
        peers = measure(lines, floors, options.prefix + "-peers.json")
        report = ours | {"torch": peers["torch"], "peer_copy_ceiling_gb_s": peers["copy_ceiling_gb_s"], "cases": join.join(ours, peers)}
        records.write(options.prefix + ".json", report)
    files.write(options.prefix + ".md", table(report, headings))
    join.plot(report, report["cases"], options.prefix + ".svg")


if __name__ == "__main__":
    main()
