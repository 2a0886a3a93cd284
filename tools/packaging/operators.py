#!/usr/bin/env python3
"""Writes the table of operators of README.md: operators.py ADJOINT README [--check]

Names and element types come from `adjoint ops --json`. The last column is written by hand in README.md, and kept. With --check nothing is
written; the exit status is 1 when the table differs or a family has no last column."""
import json
import re
import subprocess
import sys

BEGIN, END = "<!-- operators -->\n", "<!-- /operators -->\n"
FLOATS = ["f32", "f64", "f16", "bf16"]


def names_of(operators):
    return ", ".join(f"`{op['op']}`" for op in operators)


# Text of the types of a family: those of its first operator, then the operators that differ.
def types_of(operators):
    def said(op):
        types = sorted(op["types"], key=lambda t: (FLOATS.index(t) if t in FLOATS else len(FLOATS), op["types"].index(t)))
        return "all" if len(types) == 13 else ", ".join(types)
    groups = {}
    for op in operators:
        groups.setdefault(said(op), []).append(op)
    most = max(groups, key=lambda types: len(groups[types]))
    return "; ".join([most] + [f"{names_of(ops)}: {types}" for types, ops in groups.items() if types != most])


def main():
    tool, readme = sys.argv[1:3]
    check = "--check" in sys.argv
    text = open(readme, encoding="utf-8").read()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    about = dict(re.findall(r"^\| \[(\w+)\]\(.*\| ([^|]+) \|$", old, re.M))
    families = {}
    operators = json.loads(subprocess.run([tool, "ops", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    for op in operators:
        families.setdefault(op["family"], []).append(op)
    lines = [f"There are {len(operators)} operators in {len(families)} families.", "",
             "| family | operators | element types | definition |", "| --- | --- | --- | --- |"]
    for family in sorted(families):
        lines.append(f"| [{family}](include/adjoint/ops/{family}.h) | {names_of(families[family])} | {types_of(families[family])} | "
                     f"{about.get(family, '?')} |")
    new = "\n".join(lines) + "\n"
    problems = [f"{family} has no definition in its last column" for family in families if about.get(family, "?") == "?"]
    if check and new != old:
        problems.append("the table of operators is not what the library has; run tools/packaging/operators.py build/tools/adjoint README.md")
    if not check:
        with open(readme, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + new + END + after)
    for problem in problems:
        print(f"{readme}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
