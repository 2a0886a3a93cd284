#!/usr/bin/env python3
"""Lays out the C++, C and CUDA sources as .clang-format says.

  format.py            changes the files that differ
  format.py --check    names them, and fails if there is one

Public C headers are left as they are: their columns are aligned by hand. So are files that a program writes.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "clang-format-19"
FOLDERS = ("src", "kernels", "capi", "tools", "tests")
SUFFIXES = {".c", ".cpp", ".hpp", ".cu", ".cuh", ".h"}


def sources():
    files = [ROOT / "include/adjoint.hpp", *(ROOT / "include/adjoint").glob("*.hpp")]
    for folder in FOLDERS:
        files += [path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES and not path.name.endswith(".gen.hpp")]
    # The record of an interface is a copy of the public headers.
    return sorted(path for path in files if path.exists() and not path.match("tests/abi/adjoint-*.h") and "target" not in path.relative_to(ROOT).parts)


# Many files a call: the program takes longer to start than to lay out most files.
def differing(paths):
    done = subprocess.run([PROGRAM, "--style=file", "--dry-run", "--ferror-limit=1", *paths], capture_output=True, text=True, check=True)
    return {pathlib.Path(name) for name in re.findall(r"^(.+?):\d+:\d+: warning: ", done.stderr, re.M)}


def main():
    check = sys.argv[1:] == ["--check"]
    if not check and sys.argv[1:]:
        sys.exit(__doc__)
    if not shutil.which(PROGRAM):
        print(f"skipped: {PROGRAM} is not installed")
        sys.exit(77)
    paths, parts = sources(), os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor() as pool:
        wrong = sorted(set().union(*pool.map(differing, (paths[part::parts] for part in range(parts)))))
    if wrong and not check:
        subprocess.run([PROGRAM, "--style=file", "-i", *wrong], check=True)
    for path in wrong:
        print(f"{path.relative_to(ROOT)}{': tools/dev format would change it' if check else ''}")
    sys.exit(check and bool(wrong))


if __name__ == "__main__":
    main()
