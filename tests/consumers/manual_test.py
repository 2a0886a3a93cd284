"""The manual before Sphinx has seen it: manual_test.py ADJOINT WORK_DIR [CARGO]. ADJOINT_LIBRARY names the library.

Every operator has a page with its parts, links lead somewhere, names that migration tables promise are those of the library, and the calls of every page run on the host: in Python, C,
C++, in Rust where there is cargo, with torch where it is installed. Calls that need a communicator or an event are compiled only. Exit status 77: numpy is missing."""
import ast
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/manual"), str(ROOT / "capi/python"), str(ROOT / "tests"), str(ROOT / "tests/unit"), str(ROOT / "tools/packaging")]
try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(77)
import adjoint  # noqa: E402
import calls  # noqa: E402
import pages  # noqa: E402
from checks import check, finish  # noqa: E402
from manual import subcommands  # noqa: E402
from pages_test import FENCE, LINK, anchors  # noqa: E402

TOOL, WORK, CARGO = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
COMMANDS = subcommands(subprocess.run([TOOL, "--help"], check=True, capture_output=True, text=True).stdout)
LIBRARY = pathlib.Path(os.environ["ADJOINT_LIBRARY"]).resolve()
PARTS = ["Definition", "Arguments", "A call", "Kernels"]
HEADERS = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include").rglob("*.h")))
COLUMN = re.compile(r"(?<!\\)\|")


def broken(made, static):
    """[(page, what is wrong)] of links, pictures and tables of contents."""
    found, listed = [], {"index"}
    heads = {place: anchors(text) for place, text in made.items()}
    for place, text in made.items():
        folder = pathlib.PurePosixPath("/" + place).parent
        plain = FENCE.sub("", text)
        targets = [t for t in LINK.findall(plain) if "://" not in t and not t.startswith("mailto:")]
        for target in targets + [f"/{t}.md" for t in re.findall(r"\{doc\}`([\w/]+)`", plain)]:
            path, _, anchor = target.partition("#")
            there = str(folder / path)[1:] if path else place + ".md"
            if there.startswith("_static/"):
                found += [] if there.removeprefix("_static/") in static else [(place, f"shows {there}, which is not there")]
            elif there.removesuffix(".md") not in made:
                found.append((place, f"links to {target}, which is not there"))
            elif anchor and anchor not in heads[there.removesuffix(".md")]:
                found.append((place, f"links to {target}, a heading that is not there"))
        for block in re.findall(r"^(?:```|:::)\{toctree\}\n(.*?)^(?:```|:::)$", text, re.M | re.S):
            for line in filter(None, block.splitlines()):
                if not line.startswith(":"):
                    entry = re.sub(r".*<(.*)>", r"\1", line)
                    listed.add(str(folder / entry)[1:])
    return found + [(place, "is in no table of contents") for place in sorted(set(made) ^ listed)]


def members_of(module):
    """Names of functions and classes of a module of the package, and of methods, without importing it."""
    found = set()
    for node in ast.parse((ROOT / f"capi/python/adjoint/{module}.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names}
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found |= {node.name} | {f"{node.name}.{m.name}" for m in getattr(node, "body", ()) if isinstance(node, ast.ClassDef) and isinstance(m, ast.FunctionDef)}
    return found


def unknown(name, operators, modules):
    """What is wrong with a name in a migration table, or None."""
    if name.startswith("adj_"):
        return None if re.search(rf"\b{name}\b", HEADERS) else "is in no header"
    if name.startswith("adjoint "):
        return None if name.split()[1] in COMMANDS else "is no command"
    if name.startswith("adjoint."):
        module, _, rest = name.removeprefix("adjoint.").partition(".")
        return None if (not rest or rest in modules[module] if module in modules else hasattr(adjoint, module)) else "is not in the package"
    first, *fields = name.split()
    operator, _, member = first.partition(".")
    if operator not in operators:
        return "is no operator"
    o = operators[operator]
    known = {a.name for a in o.arguments} | set(o.keywords) | set(o.fields)
    for field, value in ((member, ""),) if member else [f.split("=", 1) for f in fields]:
        if field not in known:
            return f"{operator} has no {field}"
        if value and o.fields[field].choices and value not in o.fields[field].choices:
            return f"{field} of {operator} has no {value}"
    return None


def names_of(text, operators):
    """The names of the library that the tables of a page promise: all of the second column, and of the third those that begin with an operator or the package."""
    for line in text.splitlines():
        cells = COLUMN.split(line)
        if len(cells) == 5 and not line.startswith("| ---"):
            yield from re.findall(r"`([^`]+)`", cells[2])
            yield from (name for name in re.findall(r"`([^`]+)`", cells[3]) if re.match(r"adjoint\.|adj_", name) or name.split(".")[0] in operators)


def run(what, *command, **environment):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent), **environment})
    check(done.returncode == 0, f"{what}:\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def run_calls(found):
    """Every call in every language."""
    includes = [f"-I{ROOT / 'include'}", f"-I{LIBRARY.parent / 'include'}", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    WORK.mkdir(parents=True, exist_ok=True)
    for language, compiler, more in (("c", os.environ.get("CC", "cc"), ["-std=c99"]), ("cpp", os.environ.get("CXX", "c++"), ["-std=c++20"])):
        source, program = WORK / f"calls.{language}", WORK / f"calls_{language}"
        source.write_text(calls.program(found, language), encoding="utf-8")
        if run(f"compiling the calls in {language}", *compiler.split(), *more, *includes, source, LIBRARY, "-o", program):
            run(f"the calls in {language}", program)
    if CARGO:
        (WORK / "rust/src").mkdir(parents=True, exist_ok=True)
        (WORK / "rust/src/main.rs").write_text(calls.program(found, "rust"), encoding="utf-8")
        (WORK / "rust/Cargo.toml").write_text(f'[package]\nname = "calls"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\nadjoint = {{ path = "{ROOT / "capi/rust"}" }}\n\n'
                                              "[workspace]\n", encoding="utf-8")
        run("the calls in Rust", *CARGO, "run", "--offline", "--quiet", "--manifest-path", WORK / "rust/Cargo.toml", ADJOINT_LIB_DIR=str(LIBRARY.parent))
    else:
        print("without cargo: the calls in Rust")
    try:
        import torch  # noqa: F401
    except ImportError:
        torch = None
        print("without torch: its calls")
    for call in found.values():
        for language, text in [("python", call.python())] + [("torch", call.torch())] * (torch is not None and call.torch() is not None):
            try:
                program = compile(calls.HEADS[language] + text, f"{call.name} in {language}", "exec")
                if not call.handles:
                    exec(program, {})
            except Exception as problem:
                check(False, f"{call.name} in {language}: {problem}\n{text}")


def main():
    facts = pages.facts_of(TOOL)
    made = pages.pages(facts)
    static = {path.name for pattern in ("tools/manual/static/*", "tools/bench/results/*.svg", "tools/demo/*.svg") for path in ROOT.glob(pattern)}

    for o in facts.tree.operators:
        page = made[f"operators/{o.name}"]
        titles = re.findall(r"^## (.*)$", FENCE.sub("", page), re.M)
        wanted = PARTS + ["Gradient"] * (o.gradient is not None) + ["Fields"] * (len(facts.tree.fields(o)) > 0)
        check(set(wanted) <= set(titles), f"the page of {o.name} has the parts {titles}")
        for name in [m.name for m, _, _ in facts.tree.fields(o)] + [a.name for a in facts.tree.arguments(o)]:
            check(f"| `{name}` |" in page, f"the page of {o.name} has no {name}")
        shapes = re.search(r"^## Arguments$.*?(?=^## )", page, re.M | re.S)[0]
        unsaid = sorted(set(re.findall(r"\w+", shapes)) & set(o.lets))
        check(not unsaid, f"the page of {o.name} has shapes in words of its header: {unsaid}")
    check(pages.operators.by_cases("a == b ? (c ? [ m, f(n) ] : [n]) : [1]") == [(("a == b", "c"), "[m, f(n)]"), (("a == b",), "[n]"), ((), "[1]")], "shapes that depend on fields")
    check("`relu`: max(z, 0)" in made["operators/activation_forward"], "no page says what the values of a field mean")
    check(set(facts.calls) == {o.name for o in facts.tree.operators} - {"user_kernel", "callback"}, "operators without a call")
    check(sum("The largest error" in text or "share of the bound" in text for text in made.values()) > 60, "few pages have errors of the datasheet")
    check(sum("| of a copy |" in text for place, text in made.items() if place.startswith("operators/")) > 30, "few pages have measurements")
    check(any('<circle class="dot' in text for text in made.values()), "no page has a curve")

    for place, what in broken(made, static):
        check(False, f"{place} {what}")
    planted = {"index": "# A\n[x](gone.md) [y](/b.md#none) ![z](/_static/no.svg)\n```{toctree}\n\nb\n```\n", "b": "# B\n", "c": "# C\n"}
    check([what.split(",")[0] for _, what in broken(planted, set())] == ["links to gone.md", "links to /b.md#none", "shows _static/no.svg", "is in no table of contents"], "planted links")

    # Versions that recorded trainings and the table of NVRTC name have a row of their own.
    listed = {tuple(line.split("\t")[:2]) for line in (ROOT / "tests/versions.tsv").read_text(encoding="utf-8").splitlines()[1:]}
    named = {tuple(version.rsplit(" ", 1)) for version in re.findall(r"(?:NVRTC|cuBLASLt|cuDNN|NCCL) [\d.]+", (ROOT / "tests/gpt/goldens.tsv").read_text(encoding="utf-8"))}
    named |= {("NVRTC", version) for version in re.findall(r"^\| ([\d.]+) \| sm_", (ROOT / "tests/nvrtc/results/compilers.md").read_text(encoding="utf-8"), re.M)}
    check(len(named) >= 6 and named <= listed, f"tests/versions.tsv has no row for {named - listed}")

    operators, modules = {o.name: calls.operator_of(o.name) for o in facts.tree.operators}, {m: members_of(m) for m in ("torch", "onnxruntime", "jax")}
    tried = 0
    for path in sorted((ROOT / "tools/manual/prose").glob("migration_*.md")):
        for name in names_of(path.read_text(encoding="utf-8"), operators):
            wrong, tried = unknown(name, operators, modules), tried + 1
            check(wrong is None, f"{path.name}: {name}: {wrong}")
    check(tried > 150, f"migration tables have {tried} names")
    wrong = ["adamw", "adam.momentum", "adam decay=none", "adam decays=l2", "adj_plan_runs", "adjoint.torch.Adam", "adjoint.soft", "adjoint explain"]
    check(all(unknown(name, operators, modules) for name in wrong), f"names that there are not: {[n for n in wrong if not unknown(n, operators, modules)]}")

    with tempfile.TemporaryDirectory() as folder:
        pages.kernel_tables(facts, pathlib.Path(folder, "kernels"))
        texts = {path.stem: path.read_text(encoding="utf-8") for path in pathlib.Path(folder, "kernels").iterdir()}
    check(set(texts) == set(operators) and '"softmax_backward/row/bf16/sm80"' in texts["softmax_backward"] and "contiguous bytes at a time" in texts["softmax_backward"], "tables of kernels")
    run_calls(facts.calls)
    finish()


if __name__ == "__main__":
    main()
