#!/usr/bin/env python3
"""Runs one SKU of every algorithm under compute-sanitizer: out-of-bounds accesses, races in shared memory, reads of memory that
nothing wrote, wrong use of barriers.

  sanitize.py --build build [--sku GLOB] [--tools memcheck,racecheck,initcheck,synccheck] [--every N] [--jobs N] [--limit SECONDS] [--json FILE]

Several processes run at once. A process that exceeds the limit counts as failed. Exit 77 without a GPU.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with tests/gpu_test and tools/adjoint")
    parser.add_argument("--sku", default="*", help="only SKUs that match this glob")
    parser.add_argument("--tools", default="memcheck,racecheck,initcheck,synccheck")
    parser.add_argument("--every", type=int, default=4, help="every N-th of the quick cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=120, help="seconds for one process")
    parser.add_argument("--json", help="write the results to this file")
    options = parser.parse_args()

    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(sanitizer):
        sys.exit("compute-sanitizer is not installed: it is part of the CUDA toolkit")
    gpu_test = os.path.join(options.build, "tests", "gpu_test")
    doctor = json.loads(subprocess.check_output([os.path.join(options.build, "tools", "adjoint"), "doctor", "--json"]))
    if not doctor["devices"]:
        print("skipped: no CUDA device")
        return 77
    listing = subprocess.check_output([os.path.join(options.build, "tools", "adjoint"), "sku", "list", "--arch", doctor["devices"][0]["arch"], "--json"])
    chosen = {}  # the first SKU of every algorithm
    for sku in json.loads(listing):
        if fnmatch.fnmatchcase(sku["id"], options.sku):
            chosen.setdefault((sku["op"], sku["algorithm"]), sku["id"])
    if not chosen:
        sys.exit(f"no SKU matches '{options.sku}'")
    # Compiles the kernels once; the processes find them in the cache.
    subprocess.run([gpu_test, "--once", "--quick", "--every", "1000000", *sum((["--sku", i] for i in chosen.values()), [])],
                   check=True, stdout=subprocess.DEVNULL)

    def examine(task):
        tool, sku = task
        start = time.monotonic()
        command = [sanitizer, "--tool", tool, "--error-exitcode", "9", "--print-limit", "5",
                   gpu_test, "--once", "--quick", "--jobs", "1", "--every", str(options.every), "--sku", sku]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=options.limit)
            errors = re.search(r"(?:ERROR SUMMARY|RACECHECK SUMMARY): (\d+)", done.stdout)
            passed = re.search(r"^(\d+) passed, 0 failed$", done.stdout, flags=re.M)
            good = done.returncode == 0 and errors and errors[1] == "0" and passed and passed[1] != "0"
            result = f"{passed[1]} runs" if good else "FAILED"
            log = "" if good else done.stdout
        except subprocess.TimeoutExpired as late:
            result, log = "no end", (late.stdout or b"").decode(errors="replace")
        return tool, sku, result, time.monotonic() - start, log

    tools = options.tools.split(",")
    # The slowest tool first.
    tasks = [(tool, sku) for tool in sorted(tools, key=lambda t: t != "racecheck") for sku in chosen.values()]
    results, failures = {}, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for tool, sku, result, seconds, log in pool.map(examine, tasks):
            results[sku, tool] = {"sku": sku, "tool": tool, "result": result, "seconds": round(seconds, 1)}
            if not result.endswith("runs"):
                failures += 1
                print(f"---- {tool} {sku}: {result}\n{log[-4000:]}")
    print(f"{'SKU':<64}" + "".join(f"{tool:>20}" for tool in tools))
    for sku in chosen.values():
        print(f"{sku:<64}" + "".join(f"{results[sku, tool]['result'] + ' %.0f s' % results[sku, tool]['seconds']:>20}" for tool in tools))
    print(f"{len(tasks) - failures} of {len(tasks)} without errors")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(list(results.values()), file, indent=1)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
