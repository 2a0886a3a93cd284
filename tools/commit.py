#!/usr/bin/env python3
"""Prints what a version between releases has behind it: `+g` and the commit of this checkout, with `.dirty` where tracked files differ from it.

Prints an empty line where there is no checkout (an unpacked archive, a copy inside another repository) or no git. With a path it writes a header for
capi/adjoint.cpp there, where that would differ: commit.py PATH VERSION. A version that is a release has nothing behind it."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def suffix(root=ROOT):
    if not (root / ".git").exists():
        return ""
    try:
        done = subprocess.run(["git", "-C", root, "describe", "--always", "--dirty=.dirty", "--abbrev=12", "--exclude=*"], capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return "+g" + done.stdout.strip() if done.returncode == 0 else ""


def main():
    if len(sys.argv) == 1:
        print(suffix())
        return
    path, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    text = f'#define ADJ_LIBRARY_COMMIT "{suffix() if "dev" in version else ""}"\n'
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
