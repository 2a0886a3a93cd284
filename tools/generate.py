#!/usr/bin/env python3
"""Writes all files that repeat the hand-written C headers, or the version of meson.build.

  generate.py                  writes every file that differs
  generate.py --check          fails, naming the files, when one differs
  generate.py --record BUILD   records interface 1.0 anew (layout, header, debug information) from the build directory BUILD;
                               only while 1.0 is not released

From include/adjoint/types.h and include/adjoint/ops/<family>.h it makes

  include/adjoint/ops/<family>_init.h   ..._INIT macros for C, names for C++
  include/adjoint/ops/all.gen.h         the list of families
  src/ops/<family>/tables.gen.hpp       the engine's arguments and fields
  src/ops/table.gen.hpp                 the list of operators
  tools/cli/families.gen.hpp            the list of families, with a sentence on each
  tests/abi/layout-1.golden             the section of the current minor (tests/abi/layout.py compares it)
  src/plan/first_sizes.gen.hpp          the size of each structure in the first section of the golden that has it
  capi/rust/src/{sys,ops,values}/generated.rs  the same interface in Rust
  capi/python/adjoint/_generated.py     enumerations, structures, their named tuples, and functions in Python; the version
  capi/python/adjoint/*.pyi             types of the Python functions
  capi/rust/Cargo.{toml,lock}           the version

tools/generators/README.md has the grammar of the headers.
"""
import argparse
import pathlib
import re
import subprocess
import sys

from generators.c import first_sizes, outputs, recorded_header
from generators.python import python_files
from generators.reader import OPS, ROOT, Fault, Tree
from generators.rust import rust_files
from generators.version import version_files


def listed():
    """Globs over the files that the help lists."""
    for name in re.findall(r"^  ([a-z]+/\S+) ", __doc__, re.M):
        before, _, rest = name.replace("<family>", "*").partition("{")
        inside, _, after = rest.partition("}")
        yield from (before + part + after for part in inside.split(","))


def all_files(tree):
    """{path: text} of every file but the golden."""
    return {**outputs(tree), **first_sizes(tree), **rust_files(tree), **python_files(tree), **version_files()}


def stale(files):
    """Generated files of families that no longer exist."""
    there = list(OPS.glob("*_init.h")) + list(ROOT.glob("src/ops/*/tables.gen.hpp"))
    return [p for p in there if p not in files]


def update_layout():
    subprocess.run([sys.executable, ROOT / "tests/abi/layout.py", "update", ROOT / "tests/abi/layout-1.golden"], check=True)


def record(build):
    (ROOT / "tests/abi/adjoint-1.0.h").write_text(recorded_header(), encoding="utf-8")
    target = "tests/abi/libadjoint_interface.so"
    subprocess.run(["ninja", "-C", build, target], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, ROOT / "tests/abi/abidiff.py", "update", build / target, ROOT / "tests/abi/adjoint-1.abi", ROOT / "include"], check=True)


def differing(files):
    return [p for p, text in files.items() if not p.exists() or p.read_text(encoding="utf-8") != text]


def write(files):
    for path in differing(files):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
        print(path.relative_to(ROOT))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", metavar="BUILD", type=pathlib.Path)
    options = parser.parse_args()
    try:
        tree = Tree()
        files = outputs(tree)
        gone = stale(files)
        if options.check:
            wrong = differing(all_files(tree)) + gone
            for path in wrong:
                print(f"{path.relative_to(ROOT)} does not follow from the headers and meson.build: run tools/generate.py", file=sys.stderr)
            sys.exit(bool(wrong))
        for path in gone:
            path.unlink()
        write(files)
        update_layout()
        write(first_sizes(tree))
        write(rust_files(tree))
        write(python_files(tree))
        write(version_files())
    except Fault as fault:
        sys.exit(str(fault))
    if options.record:
        record(options.record.resolve())


if __name__ == "__main__":
    main()
