#!/usr/bin/env python3
"""Writes all files that repeat the hand-written C headers, or the version of meson.build.

  generate.py                          writes every file of the source tree that differs
  generate.py --check                  fails, naming the files, when one differs
  generate.py --built FOLDER [--part PART]
                                       writes what a build makes into the build directory FOLDER, where it differs; PART is one of its directories
  generate.py --names PART             names those files, for Meson
  generate.py --layout                 prints the layout of the interface, as tests/abi/layout.py records it
  generate.py --header                 prints the public header, preprocessed, as it is recorded
  generate.py --record BUILD           records interface 1.0 (layout, header, debug information) from the build directory BUILD, when it is released

From include/adjoint/types.h and include/adjoint/ops/<family>.h a build makes, in its directory,

  include/adjoint/ops/<family>_init.h   ..._INIT macros for C, names for C++
  include/adjoint/ops/all.gen.h         the list of families
  src/ops/<family>.gen.hpp              the engine's arguments and fields
  src/ops/table.gen.hpp                 the list of operators
  src/ops/families.gen.hpp              the list of families, with a sentence on each
  src/plan/first_sizes.gen.hpp          the size of each structure in the first version of the interface that has it

and the source tree keeps, for those who have the crate or the package alone,

  capi/rust/src/{sys,ops,values}/generated.rs  the same interface in Rust
  capi/python/adjoint/_generated.py     enumerations, structures, their named tuples, and functions in Python; the version
  capi/python/adjoint/*.pyi             types of the Python functions
  capi/rust/Cargo.{toml,lock}           the version

tools/generators/README.md has the grammar of the headers."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from generators.c import built, recorded_header
from generators.layout import Layout, golden, measure
from generators.python import python_files
from generators.reader import ROOT, Fault, Tree
from generators.rust import rust_files
from generators.version import version_files


def listed():
    """Globs over the files that the help lists."""
    for name in re.findall(r"^  ([a-z]+/\S+) ", __doc__, re.M):
        before, _, rest = name.replace("<family>", "*").partition("{")
        inside, _, after = rest.partition("}")
        yield from (before + part + after for part in inside.split(","))


def differing(files):
    return [p for p, text in files.items() if not p.exists() or p.read_text(encoding="utf-8") != text]


def write(files):
    """The files that differ, which it writes."""
    found = differing(files)
    for path in found:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
    return found


class Headers:
    """A directory with what a build makes, while it is needed to preprocess and compile the public headers."""

    def __init__(self, tree):
        self.tree, self.folder = tree, tempfile.TemporaryDirectory()

    def __enter__(self):
        write({pathlib.Path(self.folder.name) / path: text for path, text in built(self.tree).items()})
        return [ROOT / "include", pathlib.Path(self.folder.name) / "include"]

    def __exit__(self, *_):
        self.folder.cleanup()


def kept(tree):
    """{path: text} of the files of the source tree."""
    with Headers(tree) as includes:
        layout = Layout(measure("cc", includes))
    return {**rust_files(tree, layout), **python_files(tree, layout), **version_files()}


def record(tree, build):
    with Headers(tree) as includes:
        (ROOT / "tests/abi/layout-1.golden").write_text(golden([measure("cc", includes)]), encoding="utf-8")
        (ROOT / "tests/abi/adjoint-1.0.h").write_text(recorded_header(includes), encoding="utf-8")
    target = "tests/abi/libadjoint_interface.so"
    subprocess.run(["ninja", "-C", build, target], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, ROOT / "tests/abi/abidiff.py", "update", build / target, ROOT / "tests/abi/adjoint-1.abi", ROOT / "include"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--built", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--part", metavar="PART", default="")
    parser.add_argument("--names", metavar="PART")
    parser.add_argument("--layout", action="store_true")
    parser.add_argument("--header", action="store_true")
    parser.add_argument("--record", metavar="BUILD", type=pathlib.Path)
    options = parser.parse_args()
    try:
        tree = Tree()
        if options.built:
            write({options.built / path: text for path, text in built(tree).items() if path.startswith(options.part)})
        elif options.names:
            print("\n".join(sorted(path.rpartition("/")[2] for path in built(tree) if path.rpartition("/")[0] == options.names)))
        elif options.layout or options.header:
            with Headers(tree) as includes:
                print(golden([measure("cc", includes)]) if options.layout else recorded_header(includes), end="")
        elif options.record:
            record(tree, options.record.resolve())
        elif options.check:
            wrong = differing(kept(tree))
            for path in wrong:
                print(f"{path.relative_to(ROOT)} does not follow from the headers and meson.build: run tools/generate.py", file=sys.stderr)
            sys.exit(bool(wrong))
        else:
            for path in write(kept(tree)):
                print(path.relative_to(ROOT))
    except Fault as fault:
        sys.exit(str(fault))


if __name__ == "__main__":
    main()
