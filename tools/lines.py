#!/usr/bin/env python3
"""Counts the lines of the tree, by folder: those that people write, those that programs write from them, and those that record what was measured.

  lines.py              the files of the working tree
  lines.py REVISION     and how many more or fewer they are than at a revision of git, such as HEAD for what is not committed, or origin/main for a branch
  lines.py --closing-line

Links and files that are no text do not count."""
import argparse
import collections
import fnmatch
import pathlib
import subprocess
import sys

import generate

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("include", "src/ops", "src", "kernels", "capi", "tools", "tests")
KINDS = ("by hand", "generated", "results")
# Of Cargo.toml only the version is written; the record of interface 1.0 is made by generate.py --record.
GENERATED = [*(glob for glob in generate.listed() if not glob.endswith(".toml")), "tests/abi/adjoint-1.*"]
RESULTS = ("*/results/*", "*/results.tsv", "tests/fuzz/corpus/*", "tests/full_runs.tsv", "tests/gpt/goldens.tsv", "*.svg")


def kind_of(path):
    if any(fnmatch.fnmatch(path, glob) for glob in RESULTS):
        return "results"
    return "generated" if any(fnmatch.fnmatch(path, glob) for glob in GENERATED) else "by hand"


def folder_of(path):
    return next((folder for folder in FOLDERS if path.startswith(folder + "/")), "top")


def git(*words, **options):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, **options).stdout


def lines_of(data):
    return 0 if b"\0" in data else data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def working_tree():
    """{path: lines}"""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode().split("\0")
    return {path: lines_of((ROOT / path).read_bytes()) for path in set(listed) if path and (ROOT / path).is_file() and not (ROOT / path).is_symlink()}


def revision(name):
    entries = [entry.split("\t", 1) for entry in git("ls-tree", "-r", "-z", "--full-tree", name).decode().split("\0") if entry]
    files = [(path, about.split()[2]) for about, path in entries if about.startswith("100")]
    answer, found, at = git("cat-file", "--batch", input="".join(f"{digest}\n" for _, digest in files).encode()), {}, 0
    for path, _ in files:  # a line `digest blob size`, the contents, a line feed
        begin = answer.index(b"\n", at) + 1
        at = begin + int(answer[at:begin].split()[2])
        found[path] = lines_of(answer[begin:at])
        at += 1
    return found


def counts(lines):
    """{(folder, kind): lines}"""
    found = collections.Counter()
    for path, count in lines.items():
        found[folder_of(path), kind_of(path)] += count
    return found


def table(now, before=None):
    rows = []
    for folder in [*FOLDERS, "top", "all"]:
        cells = []
        for kind in KINDS:
            def sum_of(found):
                return sum(found[f, kind] for f in [*FOLDERS, "top"]) if folder == "all" else found[folder, kind]
            cells.append(f"{sum_of(now):,}" + (f" ({sum_of(now) - sum_of(before):+,})" if before is not None and sum_of(now) != sum_of(before) else ""))
        rows.append(({"src": "src, else"}.get(folder, folder), *cells))
    widths = [max(len(row[i]) for row in [("folder", *KINDS), *rows]) for i in range(4)]
    return "\n".join("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))) for row in [("folder", *KINDS), *rows])


def closing_line(found):
    sums = {kind: sum(count for (_, own), count in found.items() if own == kind) for kind in KINDS}
    folders = ", ".join(f"{folder} {sum(found[f, 'by hand'] for f in FOLDERS if f.split('/')[0] == folder):,}" for folder in FOLDERS if "/" not in folder)
    return f"lines: {sums['by hand']:,} by hand ({folders}), {sums['generated']:,} generated, {sums['results']:,} of results"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", nargs="?")
    parser.add_argument("--closing-line", action="store_true", help="print the sums in one line")
    options = parser.parse_args()
    try:
        now = counts(working_tree())
        before = counts(revision(options.revision)) if options.revision else None
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"").decode().strip()
        if options.closing_line:
            print("lines: not counted, without git")
            return
        sys.exit(f"lines.py: {said or error}")
    print(closing_line(now) if options.closing_line else table(now, before))


if __name__ == "__main__":
    main()
