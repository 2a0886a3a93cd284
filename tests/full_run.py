#!/usr/bin/env python3
"""The table of full runs, tests/full_runs.tsv. `tools/dev full-run` adds its row by this script.
full_run.py --add LOG SECONDS [--commit HASH] [--table FILE]   adds the row of a run whose output is in LOG, and writes it into README.md
full_run.py --check                                            fails where README.md does not have the last row
full_run.py --last [--table FILE]                              prints the last row as a sentence"""
import argparse
import csv
import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE, README = ROOT / "tests/full_runs.tsv", ROOT / "README.md"
COLUMNS = ("date", "commit", "machine", "passed", "failed", "skipped", "seconds", "failures", "left out")
NOT_ENDED = "the run ended before its last line"


def machine():
    """What a result may depend on; no name of the machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    try:
        gpus = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True).stdout.split("\n")[0]
    except OSError:
        gpus = ""
    return f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, {gpus or 'no GPU'}"


def outcome(log):
    """Counts and names from the closing lines of tools/dev test."""
    lines = log.rstrip("\n").split("\n")
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", lines[-1])
    if not counts:
        return {"passed": 0, "failed": 1, "skipped": 0, "failures": NOT_ENDED, "left out": "unknown"}

    def named(word):
        names = [line.removeprefix(word + ": ").split(", by ")[0] for line in lines if line.startswith(word + ": ")]
        # A file stands for a suite that did not end; its directory is of this machine alone.
        return "; ".join(os.path.basename(name) if os.path.isabs(name) else name for name in names) or "none"
    return dict(zip(("passed", "failed", "skipped"), map(int, counts.groups()))) | {"failures": named("failed"), "left out": named("skipped")}


def commit():
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return head.stdout.strip() if head.returncode == 0 else "unknown"


def read(table):
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def line_of(row):
    """The line of README.md's table of the status."""
    left = f"{row['failed']} failed" + ("" if row["failures"] == "none" else f" ({row['failures']})")
    return f"| last full run | {row['date']}, commit {row['commit']}, {row['machine']}: {row['passed']} passed, {left}. Left out: {row['left out']}. |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--add", nargs=2, metavar=("LOG", "SECONDS"))
    what.add_argument("--last", action="store_true")
    what.add_argument("--check", action="store_true")
    parser.add_argument("--commit", help="of a tree without git")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    options = parser.parse_args()
    if options.add:
        log, seconds = options.add
        row = {"date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(), "commit": options.commit or commit(), "machine": machine(), "seconds": int(seconds)}
        row |= outcome(pathlib.Path(log).read_text(encoding="utf-8", errors="replace"))
        with options.table.open("a", encoding="utf-8") as file:
            file.write("\t".join(str(row[column]) for column in COLUMNS) + "\n")
    rows = read(options.table)
    if rows and options.table == TABLE and not options.last:
        text = README.read_text(encoding="utf-8")
        new = re.sub(r"^\| last full run \|.*$", lambda _: line_of(rows[-1]), text, count=1, flags=re.M)
        if line_of(rows[-1]) not in new:
            sys.exit("README.md has no line for the last full run")
        if options.check and new != text:
            sys.exit("README.md does not have the last row of tests/full_runs.tsv")
        README.write_text(new, encoding="utf-8")
    if not rows:
        print("no full run yet: tools/dev full-run")
        return
    last = rows[-1]
    print(f"last full run: {last['date']}, commit {last['commit']}, {last['passed']} passed, {last['failed']} failed, {last['skipped']} skipped")


if __name__ == "__main__":
    main()
