#!/usr/bin/env python3
"""Decides which SKUs a run of the tests takes, and writes the decision to a file that tests/tier.hpp reads.

  tier.py OUTPUT              the environment variable ADJOINT_TEST decides:
                              "all": every SKU; globs over SKU ids, or over kernel sources (softmax/row.cu), separated by blanks: these
                              SKUs; "lines" before globs: as many of these as have every line of their kernels;
                              not set: one SKU of each algorithm, and of the SKUs that have changed since everything passed as many as
                              the budget allows
  tier.py --digests FILE      writes the digests of the tree as it is
  tier.py --record FILE       makes tests/passed.tsv of these digests, unless the tree has changed since they were written; use it when every
                              test has passed a run with ADJOINT_TEST=all that began after

The tree alone decides what has changed. tests/passed.tsv holds a digest of each kernel source and its includes, a digest of each family's
header, planning, host functions and cases, and one of the engine: all other files that decide what is run or how. Comments and blanks of
C++ do not count.
"""
import argparse
import datetime
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASSED = ROOT / "tests/passed.tsv"
BUDGET = 200  # programs of changed SKUs that a run takes beside one SKU of each algorithm
# Files that decide what is run or how. Those that belong to no kernel and to no family are the engine.
TESTED = ("include/**/*", "src/**/*", "kernels/**/*", "tools/harness/*", "tools/embed_sources.py", "tools/list_files.py", "tests/tier.*",
          "tests/simt/**/*", "tests/nvrtc/*", "meson.build", "meson_options.txt", "tools/meson.build", "tests/meson.build")
C_SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
LITERAL_OR_COMMENT = re.compile(r'''"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/''', re.S)


@functools.cache
def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def closure(path, folders, seen):
    """The set of a file and every file in the folders that it includes, directly or not."""
    if path in seen:
        return seen
    seen.add(path)
    for name in includes(path):
        for folder in (path.parent, *folders):
            if (folder / name).is_file():
                closure((folder / name).resolve(), folders, seen)
                break
    return seen


@functools.cache
def code(path):
    """The text of a file; of C++ without comments, empty lines and the blanks around each line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix not in C_SUFFIXES:
        return text
    text = LITERAL_OR_COMMENT.sub(lambda match: match[0] if match[0][0] in "\"'" else " ", text)
    return "\n".join(line for line in map(str.strip, text.splitlines()) if line)


def digest(paths):
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(f"{path.relative_to(ROOT).as_posix()}\0{code(path)}\0".encode())
    return total.hexdigest()[:16]


def files_of(family):
    """Header, planning, host functions and cases of a family, with what they include from src/ops, src/host and kernels."""
    files = set()
    patterns = [f"src/ops/{family}/*", f"src/host/{family}*.cpp", f"tools/harness/{family}*.cpp"]
    for path in (path for pattern in patterns for path in ROOT.glob(pattern)):
        closure(path, [], files)
    shared = set().union(*(closure(path, [ROOT / "src", ROOT / "kernels", ROOT / "tools"], set()) for path in files))
    headers = {path for path in (ROOT / "include/adjoint/ops").glob("*.h") if path.stem in (family, family + "_init")}
    return files | headers | {path for path in shared if any(path.is_relative_to(ROOT / name) for name in ("src/ops", "src/host", "kernels"))}


def groups():
    """{name: files} of kernel sources (segment_sum/lookup.cu), of families (embedding), and of the engine."""
    found = {}
    for source in sorted((ROOT / "kernels").glob("*/*.cu")):
        found[source.relative_to(ROOT / "kernels").as_posix()] = closure(source, [ROOT / "kernels"], set())
    for folder in sorted(p for p in (ROOT / "src/ops").iterdir() if p.is_dir() and p.name != "common"):
        found[folder.name] = files_of(folder.name)
    tested = {path for pattern in TESTED for path in ROOT.glob(pattern) if path.is_file()}
    tested = {path for path in tested if path.suffix != ".md" and "__pycache__" not in path.parts}
    found["engine"] = tested.difference(*found.values())
    return found


def digests():
    return {name: digest(files) for name, files in groups().items()}


def turn():
    """A number that changes with every commit, and with the day where there is no git; unchanged SKUs and their cases take turns by it."""
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True) if (ROOT / ".git").exists() else None
    name = head.stdout.strip() if head and head.returncode == 0 else hashlib.sha256(datetime.date.today().isoformat().encode()).hexdigest()
    return int(name[:6], 16)


def read(path):
    return dict(line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()) if path.exists() else {}


def write(path, values):
    path.write_text("".join(f"{name}\t{value}\n" for name, value in values.items()), encoding="utf-8")


def tier():
    wanted = os.environ.get("ADJOINT_TEST", "changed")
    if wanted == "all":
        return ["all"]
    if wanted != "changed":
        return ["lines" if word == "lines" else f"only\t{word}" for word in wanted.split()]
    passed = read(PASSED)
    changed = [name for name, value in digests().items() if passed.get(name) != value]
    return [f"turn\t{turn()}", f"budget\t{BUDGET}"] + [f"changed\t{name}" for name in changed]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", type=pathlib.Path)
    parser.add_argument("--digests", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path)
    options = parser.parse_args()
    if options.digests:
        write(options.digests, digests())
    if options.record:
        if read(options.record) != digests():
            sys.exit("tests/passed.tsv stays as it is: the tree has changed while it was tested")
        write(PASSED, read(options.record))
    if options.output:
        text = "".join(line + "\n" for line in tier())
        if not options.output.exists() or options.output.read_text(encoding="utf-8") != text:
            options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
