#!/usr/bin/env python3
"""Decides which SKUs a run of the tests takes, and writes the decision to a file that tests/tier.hpp reads.

  tier.py OUTPUT              the environment variable ADJOINT_TEST decides:
                              "all": every SKU; globs over SKU ids, separated by blanks: these SKUs;
                              not set: the SKUs that have changed since everything passed, and one unchanged SKU of each algorithm
  tier.py --record            writes tests/passed.tsv; use it after every SKU has passed a run with ADJOINT_TEST=all

The tree alone decides what has changed. tests/passed.tsv holds a digest of each kernel source and its includes, and a digest of each
family's planning, host functions and cases. Comments and blanks do not count.
"""
import argparse
import hashlib
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASSED = ROOT / "tests/passed.tsv"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
LITERAL_OR_COMMENT = re.compile(r'''"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/''', re.S)


def closure(path, folders, seen):
    """The set of a file and every file in the folders that it includes, directly or not."""
    if path in seen:
        return seen
    seen.add(path)
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        for folder in (path.parent, *folders):
            if (folder / name).is_file():
                closure(folder / name, folders, seen)
                break
    return seen


def code(text):
    """The text without comments, empty lines and the blanks around each line."""
    text = LITERAL_OR_COMMENT.sub(lambda match: match[0] if match[0][0] in "\"'" else " ", text)
    return "\n".join(line for line in map(str.strip, text.splitlines()) if line)


def digest(paths):
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(f"{path.relative_to(ROOT).as_posix()}\0{code(path.read_text(encoding='utf-8'))}\0".encode())
    return total.hexdigest()[:16]


def digests():
    """{name: digest} of kernel sources (embedding/lookup.cu) and of families (embedding)."""
    found = {}
    for source in sorted((ROOT / "kernels").glob("*/*.cu")):
        found[source.relative_to(ROOT / "kernels").as_posix()] = digest(closure(source, [ROOT / "kernels"], set()))
    for folder in sorted(p for p in (ROOT / "src/ops").iterdir() if p.is_dir() and p.name != "common"):
        files = set()
        for path in [*folder.glob("*"), ROOT / f"src/host/{folder.name}.cpp", *(ROOT / "tools/harness").glob(f"{folder.name}*.cpp")]:
            if path.suffix == ".cpp" and path.is_file():
                closure(path, [], files)
        shared = set().union(*(closure(path, [ROOT / "src", ROOT / "kernels", ROOT / "tools"], set()) for path in files))
        files |= {path for path in shared if any(path.is_relative_to(ROOT / name) for name in ("src/ops", "src/host", "kernels"))}
        found[folder.name] = digest(files)
    return found


def turn():
    """A number that changes with every commit; unchanged SKUs and their cases take turns by it."""
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True)
    return int(head.stdout[:6], 16) if head.returncode == 0 else 0


def tier():
    wanted = os.environ.get("ADJOINT_TEST", "changed")
    if wanted == "all":
        return ["all"]
    if wanted != "changed":
        return [f"only\t{glob}" for glob in wanted.split()]
    passed = dict(line.split("\t") for line in PASSED.read_text(encoding="utf-8").splitlines()) if PASSED.exists() else {}
    return [f"turn\t{turn()}"] + [f"changed\t{name}" for name, value in digests().items() if passed.get(name) != value]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    if options.record:
        PASSED.write_text("".join(f"{name}\t{value}\n" for name, value in digests().items()), encoding="utf-8")
    if options.output:
        text = "".join(line + "\n" for line in tier())
        if not options.output.exists() or options.output.read_text(encoding="utf-8") != text:
            options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
