#!/usr/bin/env python3
"""Lists the lines and branches of kernels/ that no case executes on the CPU, by file.

  coverage.py BUILD --run TIER   runs BUILD/tests/simt/simt_coverage on the SKUs of a file of tests/tier.py, with a process for each
  coverage.py BUILD              reads the counts that the last run has left

--mode NAME takes simt_NAME instead, with the objects of its own.

Files are judged that the SKUs have in full: all of a run of all SKUs, else those that the tier names, or all outside of prelude/. A line is executed when some program has executed it. A branch is a line with a condition of which no program has taken one outcome. What is
listed becomes a case, or a line of unexecuted.tsv: file, text of the line, reason. Exit code 1 when something is in neither, or a reason stands for a
line that is executed or that is no longer there.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import gzip
import json
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import processes  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent.parent / "kernels"


def count(counts):
    """The files of one unit with their lines, as gcov lists them."""
    done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", counts.name], cwd=counts.parent, capture_output=True)
    text = gzip.decompress(done.stdout) if done.stdout[:2] == b"\x1f\x8b" else done.stdout
    if not text:
        sys.exit(f"gcov says nothing about {counts}: {done.stderr.decode()[:300]}")
    return [(file["file"], file["lines"]) for file in json.loads(text)["files"]]


def run(options, counts):
    """Executes every case, and small cases with small grids, with a process for each SKU. Returns the results that are faults."""
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir()
    for notes in options.build.glob(f"tests/simt/libsimt_kernels_{options.mode}.a.p/*.gcno"):  # gcov wants them beside the counts
        (counts / notes.name).symlink_to(notes.resolve())
    tasks = []
    for name, turns in ("", ["--turns", "sizes"]), (" small grids", ["--turns", "types", "--quick", "--grids", "2"]):
        command = [options.build / f"tests/simt/simt_{options.mode}", "--tier", options.run, "--arch", "sm_90a", *turns]
        skus = subprocess.run([*command, "--list"], check=True, capture_output=True, text=True).stdout.split()
        if not skus:
            sys.exit("no SKU has an id, or a kernel source such as softmax/row.cu, that matches")
        tasks += [processes.Task(sku + name, [*command, "--verbose", "--shard", str(i), str(len(skus))]) for i, sku in enumerate(skus)]
    # Counts are added to files by the name of the object alone, wherever it was compiled.
    results = processes.run(tasks, options, {"GCOV_PREFIX": str(counts.resolve()), "GCOV_PREFIX_STRIP": "99"})
    return processes.table(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--run", type=pathlib.Path, metavar="TIER")
    parser.add_argument("--mode", default="coverage")
    processes.add_options(parser)
    options = parser.parse_args()
    counts = options.build / f"tests/simt/counts_{options.mode}"
    tier = options.run or options.build / f"tests/simt/{options.mode}.txt"
    failed = run(options, counts) if options.run else []
    globs = [line.split("\t")[1] for line in tier.read_text(encoding="utf-8").splitlines() if line.startswith("only\t")]
    sources = [glob.removesuffix(".cu") if glob.endswith("/*.cu") else glob for glob in globs if glob.endswith(".cu")]  # a folder with its headers

    def is_judged(name):
        return "*" in globs or (any(fnmatch.fnmatch(name, glob) for glob in sources) if sources else not name.startswith("prelude/"))

    units = sorted(counts.glob("*.gcda"))
    if not units:
        sys.exit("no counts: no process has ended, or --run was never given")
    lines = collections.defaultdict(collections.Counter)                           # file: line: executions
    outcomes = collections.defaultdict(lambda: collections.defaultdict(dict))      # file: line: {number of outcomes: executions of each}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for files in pool.map(count, units):
            for path, executions in files:
                _, found, name = path.rpartition("/kernels/")  # the unit may have been compiled in another place
                if not found or not (KERNELS / name).exists():
                    continue
                for line in executions:
                    number = line["line_number"]
                    lines[name][number] += line["count"]
                    taken = [branch["count"] for branch in line["branches"] if not branch["throw"]]
                    if len(taken) > 1:
                        known = outcomes[name][number].setdefault(len(taken), [0] * len(taken))
                        outcomes[name][number][len(taken)] = [a + b for a, b in zip(known, taken)]
    reasons = {}
    for row in (HERE / "unexecuted.tsv").read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            file, text, reason = row.split("\t")
            reasons[file, text] = reason
    unexplained, total, executed, stale = 0, 0, 0, []
    seen, needed = set(), set()  # lines with a reason: that some program has, and that some case leaves out
    for name in sorted(lines):
        source = (KERNELS / name).read_text(encoding="utf-8").splitlines()
        if not is_judged(name):
            continue
        found = []
        for number, executions in sorted(lines[name].items()):
            text = source[number - 1].strip()
            total += 1
            executed += executions > 0
            # Programs differ in what the compiler makes of a condition; those with as many outcomes are taken together.
            partial = outcomes[name][number] and all(0 in taken for taken in outcomes[name][number].values())
            if (name, text) in reasons:
                seen.add((name, text))
            if executions > 0 and not partial:
                continue
            if (name, text) in reasons:
                needed.add((name, text))
                continue
            found.append((number, "not executed" if executions == 0 else "one outcome only", text))
        unexplained += len(found)
        if found:
            print(f"{name}: {len(found)}")
            for number, what, text in found:
                print(f"  {number:5} {what:17} {text[:150]}")
    for file, text in sorted(reasons):
        if (file, text) in seen - needed:
            stale.append(f"{file}: every outcome is executed: {text}")
        elif not (KERNELS / file).exists() or text not in {line.strip() for line in (KERNELS / file).read_text(encoding="utf-8").splitlines()}:
            stale.append(f"{file} has no such line: {text}")
    for what in stale:
        print(f"unexecuted.tsv: {what}")
    print(f"kernels: {executed} of {total} lines in {len(lines)} files executed on the CPU; {unexplained} lines and branches have neither a case nor a reason")
    for result in failed:
        print(f"FAIL {result.name}: {result.fault}")
    sys.exit(bool(unexplained or stale or failed))


if __name__ == "__main__":
    main()
