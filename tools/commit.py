#!/usr/bin/env python3
"""Prints what a version between releases has behind it: `+g` and the commit of this checkout, with `.dirty` where tracked files differ from it.

Prints an empty line where there is no checkout (an unpacked archive, a copy inside another repository) or no git."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def suffix(root=ROOT):
    if not (root / ".git").exists():
        return ""
    try:
        done = subprocess.run(["git", "-C", root, "describe", "--always", "--dirty=.dirty", "--abbrev=12", "--exclude=*"], capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return "+g" + done.stdout.strip() if done.returncode == 0 else ""


if __name__ == "__main__":
    print(suffix())
