#!/usr/bin/env python3
"""Writes the tables of README.md that other files decide: readme_tables.py ADJOINT README [--check]

The table of operators has names and element types from `adjoint ops --json`; its last column is written by hand in README.md, and kept. The
table of speed has what tools/bench/results records. With --check nothing is written; the exit status is 1 when a table differs or a family
has no last column."""
import json
import pathlib
import re
import subprocess
import sys

RESULTS = pathlib.Path(__file__).resolve().parents[1] / "bench" / "results"
FLOATS = ["f32", "f64", "f16", "bf16"]
# Text of a row, results, name of the case.
SPEED = [("GPT-2 124M, a step of 64 x 1024 tokens, bf16", "h200_gpt", "gpt2-64"),
         ("GPT-2 124M, a step of 8 x 1024 tokens, bf16", "h200_gpt", "gpt2-8"),
         ("Llama 1.2 G, a step of 4 x 4096 tokens, bf16", "h200_llama", "llama-4"),
         ("AdamW, 300 tensors, 1000 M parameters, f32", "h200", "adamw f32 300 tensors 1000M"),
         ("cross entropy, 8192 x 128256, bf16", "h200", "cross_entropy forward bf16 8192x128256"),
         ("gradient of an embedding, 16384 tokens, 128256 x 4096, bf16", "h200", "embedding_backward overwrite bf16 T16384 V128256 D4096 zipf")]


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


def table_of_operators(old, tool):
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
    return lines, [f"{family} has no definition in its last column" for family in families if about.get(family, "?") == "?"]


# Milliseconds of this library and of PyTorch's best form, and what that form is.
def measured(results, name):
    data = json.loads((RESULTS / f"{results}.json").read_text(encoding="utf-8"))
    case = next(case for case in data["cases"] if case["name"] == name)
    if "sides" in case:
        side = min((side for side in case["sides"] if not side.startswith("ours")), key=lambda side: case["sides"][side]["ms"])
        return case["sides"]["ours"]["ms"], case["sides"][side]["ms"], f"compiled, {side}"
    return case["us"] / 1000, case["peer_us"] / 1000, case["peer"].replace("PyTorch ", "")


def table_of_speed(_old, _tool):
    lines = ["| on an H200 | Adjoint | PyTorch 2.11 | PyTorch's form | PyTorch / Adjoint |", "| --- | ---: | ---: | --- | ---: |"]
    for text, results, name in SPEED:
        ours, peer, form = measured(results, name)
        lines.append(f"| {text} | {ours:.3g} ms | {peer:.3g} ms | {form} | {peer / ours:.2f} |")
    return lines, []


TABLES = {"operators": table_of_operators, "speed": table_of_speed}


def main():
    tool, readme = sys.argv[1:3]
    text, problems = open(readme, encoding="utf-8").read(), []
    for name, table in TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
        before, rest = text.split(begin)
        old, after = rest.split(end)
        lines, missing = table(old, tool)
        problems += missing
        new = "\n".join(lines) + "\n"
        if "--check" in sys.argv and new != old:
            problems.append(f"the table of {name} is not what it would be; run tools/packaging/readme_tables.py build/tools/adjoint README.md")
        text = before + begin + new + end + after
    if "--check" not in sys.argv:
        with open(readme, "w", encoding="utf-8") as file:
            file.write(text)
    for problem in problems:
        print(f"{readme}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
