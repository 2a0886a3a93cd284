#!/usr/bin/env python3
"""The shared library exports exactly the functions that adjoint.h declares and adjoint.map lists, and bad_input.c calls
every one of them.

  symbols.py LIBRARY ADJOINT_H ADJOINT_MAP BAD_INPUT_C
"""
import re
import subprocess
import sys


def main():
    library, header, version_script, caller = sys.argv[1:5]
    text = re.sub(r"/\*.*?\*/", " ", open(header, encoding="utf-8").read(), flags=re.S)
    declared = re.findall(r"\bADJ_API\b[^;{]*?\b(adj_\w+)\s*\(", text)
    text = re.sub(r"/\*.*?\*/", " ", open(version_script, encoding="utf-8").read(), flags=re.S)
    node, body = re.search(r"(\w+)\s*\{\s*global:(.*?)local:", text, flags=re.S).groups()
    mapped = re.findall(r"([^\s;]+)\s*;", body)
    output = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported, problems = [], []
    for line in output.splitlines():
        kind, name = line.split()[-2:]
        name, _, version = name.partition("@@")
        if name == node and kind == "A":
            continue  # the version node itself
        exported.append(name)
        if kind != "T":
            problems.append(f"{name}: symbol kind {kind}, only functions are exported")
        if version and version != node:
            problems.append(f"{name}: version {version}, expected {node}")
        if not version:
            problems.append(f"{name}: has no version, expected {node}")
    lists = {"adjoint.h": declared, "adjoint.map": mapped, "the library": exported}
    for where, names in lists.items():
        problems += [f"{name} occurs twice in {where}" for name in sorted({n for n in names if names.count(n) > 1})]
        missing = set(declared + mapped + exported) - set(names)
        problems += [f"{name} is missing from {where}" for name in sorted(missing)]
    called = set(re.findall(r"\b(adj_\w+)\s*\(", open(caller, encoding="utf-8").read()))
    problems += [f"{name} is not called in {caller}" for name in sorted(set(declared) - called)]
    if not declared:
        problems.append("no ADJ_API declaration found in " + header)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(exported)} symbols in {node}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
