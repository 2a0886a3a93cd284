#!/usr/bin/env python3
"""Writes the sources of the manual for Sphinx: pages.py ADJOINT FOLDER

ADJOINT is the command; ADJOINT_LIBRARY names the library. README.md beside this file says what a page is made from."""
import json
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tools"), str(ROOT / "capi/python")]
import calls  # noqa: E402
import cards  # noqa: E402
import operators  # noqa: E402
from generators.reader import Tree  # noqa: E402
from text import cell, linked, table  # noqa: E402

# Pages that are files of the tree.
GUIDES = {"README.md": "overview", "capi/README.md": "guides/c", "capi/python/README.md": "guides/python", "capi/rust/README.md": "guides/rust", "capi/jax/README.md": "guides/jax",
          "capi/tvm_ffi/README.md": "guides/tvm_ffi", "capi/onnxruntime/README.md": "guides/onnxruntime", "capi/torch/README.md": "guides/torch", "tools/bench/README.md": "guides/bench",
          "tests/datasheet/results/datasheet.md": "guides/datasheet", "tests/nvrtc/results/compilers.md": "guides/compilers", "kernels/README.md": "guides/kernels", "src/driver/README.md": "guides/libraries", "tools/packaging/README.md": "guides/packaging",
          "src/ops/README.md": "guides/operators", "src/ops/onnx/README.md": "guides/onnx_lines", "tests/README.md": "guides/tests", "tools/generators/README.md": "guides/declarations",
          ".github/CHANGELOG.md": "changes", ".github/CONTRIBUTING.md": "guides/contributing", ".github/SECURITY.md": "guides/security"}
MAX_PROBLEMS = 12  # of an operator on the page of kernels


def places():
    """The page of every file of the tree that is one."""
    found = dict(GUIDES)
    found |= {f"tools/bench/results/{path.name}": f"results/{path.stem}" for path in sorted(operators.RESULTS.glob("*.md"))}
    return found | {f"tools/manual/prose/{path.name}": path.stem for path in sorted((HERE / "prose").glob("*.md"))}


def problems(facts, o):
    """{words: fields} of an operator: the sample in each type, and what was measured."""
    call, found = facts.calls.get(o.name), {}
    if not call:
        return found
    typed = {"element", "param", "grad"} & call.given.keys()
    for kind in operators.TYPES if typed else [None]:
        fields = call.given | dict.fromkeys(typed, kind)
        found[" ".join(f"{k}={','.join(map(str, v)) if isinstance(v, list) else v}" for k, v in fields.items())] = fields
    for case in facts.measured.get(o.name, []):
        words = [word for word in case["name"].split()[1:] if "=" in word and ":" not in word]
        if len(found) < MAX_PROBLEMS and words and all(word.split("=")[0] in call.op.fields for word in words):
            found.setdefault(" ".join(words), {name: calls.value_of(call.op, name, text) for name, text in (word.split("=", 1) for word in words)})
    return found


def kernel_tables(facts, folder):
    """A file for each operator with what select does for its problems, by architecture. Strings are kept once."""
    folder.mkdir(parents=True)
    for o in facts.tree.operators:
        strings, rows = {}, []
        number = lambda text: strings.setdefault(text, len(strings))  # noqa: E731
        for words, fields in problems(facts, o).items():
            for arch in operators.ARCHITECTURES:
                found = operators.chosen(o.name, fields, arch)
                tried = [[number(c.sku), number(c.reason)] for c in operators.candidates(o.name, fields, arch)]
                rows.append([number(words), number(arch), [number(found["sku"]), found["workspace"], found["launches"]] if found else None, tried])
        (folder / f"{o.name}.js").write_text(f"adjointKernels({json.dumps(o.name)}, {json.dumps(list(strings))}, {json.dumps(rows, separators=(',', ':'))});\n", encoding="utf-8")


def registry_table(facts):
    rows = [[f"`{r['domain'] or 'ai.onnx'}` {cell(r['op'])}", r["since_version"], cell(r["types"]), f"[{r['adjoint_op']}](/operators/{r['adjoint_op']}.md)", f"`{r['settings']}`" if r["settings"] else "",
             {"table": "as it stands", "rewrite": "after a rewrite"}.get(r["session"], "no")] for r in facts.registry]
    return "\n".join(table(["registration", "since", "types", "operator", "settings", "in a stock session"], rows))


def operator_index(facts):
    out = ["# Operators", "", f"There are {len(facts.tree.operators)} operators in {len(facts.tree.families)} families.", ""]
    rows = [[f"[{f.family}](family_{f.family}.md)", "<br>".join(f"[{o.name}]({o.name}.md)" for o in facts.tree.operators if o.family == f.family), cell(f.summary)] for f in facts.tree.families]
    return "\n".join([*out, *table(["family", "operators", "what it is"], rows), "```{toctree}", ":hidden:", ":maxdepth: 2", "", *(f"{f.family} <family_{f.family}>" for f in facts.tree.families), "```", ""])


def pages(facts):
    """{path without suffix: Markdown}"""
    found, known = {}, places()
    inserted = {"registry": registry_table(facts), "operators": json.dumps([o.name for o in facts.tree.operators if o.name in facts.calls]),
                "cards": cards.cards(facts), "cards_other": cards.other(facts), "versions": cards.versions(), "faults": cards.faults(facts)}
    for path, place in known.items():
        text = linked((ROOT / path).read_text(encoding="utf-8"), ROOT / path, known)
        if place.startswith("results/") and not text.startswith("# "):
            text = f"# {place.removeprefix('results/')}\n\n{text}"
        found[place] = re.sub(r"\{\{(\w+)\}\}", lambda match: inserted[match[1]], text)
    rest = "\n".join(sorted(place for place in known.values() if place.startswith("results/")))
    found["results/index"] = f"# Tables of speed\n\nEach table is of one run on one machine.\n\n```{{toctree}}\n:maxdepth: 1\n\n{rest.replace('results/', '')}\n```\n"
    found["operators/index"] = operator_index(facts)
    for o in facts.tree.operators:
        found[f"operators/{o.name}"] = operators.page(facts, o)
    for header in facts.tree.families:
        found[f"operators/family_{header.family}"] = operators.family_page(facts, header)
    return found


def facts_of(tool):
    tree = Tree()
    return operators.Facts(tool, tree, calls.calls(tree))


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    facts = facts_of(tool)
    shutil.rmtree(folder, ignore_errors=True)
    for place, text in pages(facts).items():
        path = folder / f"{place}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    static = folder / "_static"
    kernel_tables(facts, static / "kernels")
    for path in [*(HERE / "static").iterdir(), *ROOT.glob("tools/bench/results/*.svg"), *ROOT.glob("tools/demo/*.svg")]:
        shutil.copy(path, static)
    shutil.copy(HERE / "conf.py", folder)


if __name__ == "__main__":
    main()
