"""Checks the pages of the tree: pages_test.py ROOT. A link leads to a file and a heading that are there, a file that a page names is there, a program
that a page calls can be executed, and a term has one page that defines it."""
import os
import pathlib
import re
import sys
import tempfile

from text_test import files

LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"`((?:\.\./)*[\w/-]+\.(?:cu|cuh|h|hpp|cpp|py|tsv))`")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
# A program at the beginning of a line of a block, or of inline code with arguments behind it.
CALLED = (re.compile(r"^ *(?:[A-Z_]+=\S+ )*((?:[\w.-]+/)+[\w-]+\.(?:py|sh))\b", re.M), re.compile(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|sh)) [^`]*`"))
OF_OTHERS = {"cuda.h"}
GLOSSARY = re.compile(r"^\| (?:term|word) \| meaning \|\n\|[-| ]+\|\n((?:\|.*\n)+)", re.M)


def anchors(text):
    """Names of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def terms(text):
    """Terms that the tables of a page define. Words in backticks are those of a language, which has its own."""
    cells = [row.split("|")[1].strip() for table in GLOSSARY.findall(text) for row in table.splitlines()]
    return [term for cell in cells if not cell.startswith("`") for term in cell.split(", ")]


def faults(root, paths):
    """[(page, what is wrong)]"""
    names, found, defined = {pathlib.PurePath(path).name for path in paths}, [], {}
    for page in (path for path in paths if path.endswith(".md")):
        text, folder = (root / page).read_text(encoding="utf-8"), (root / page).parent
        for term in terms(text):
            if term in defined:
                found.append((page, f"defines {term}, which {defined[term]} defines"))
            defined.setdefault(term, page)
        for link in LINK.findall(FENCE.sub("", text)):
            place, _, anchor = link.partition("#")
            target = folder / place if place else root / page
            if "://" in link or link.startswith("mailto:"):
                continue
            if not target.exists():
                found.append((page, f"links to {link}, which is not there"))
            elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
                found.append((page, f"links to {link}, a heading that is not there"))
        for name in NAMED.findall(text):
            there = any((base / name).exists() for base in (folder, root, root / "kernels", root / "src", root / "include"))
            if not there and ("/" in name or name not in names | OF_OTHERS):
                found.append((page, f"names {name}, which is not there"))
        called = {name for block in FENCE.findall(text) for name in CALLED[0].findall(block)} | set(CALLED[1].findall(FENCE.sub("", text)))
        for name in sorted(called):
            path = next((base / name for base in (folder, root) if (base / name).exists()), None)
            if path and not os.access(path, os.X_OK):
                found.append((page, f"calls {name}, which is not executable"))
    for path in paths:
        with open(root / path, "rb") as file:
            if file.read(2) == b"#!" and not os.access(root / path, os.X_OK):
                found.append((path, "begins with #!, and is not executable"))
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as planted:
        page = pathlib.Path(planted, "README.md")
        page.write_text("# A heading\n[a](#a-heading) [b](#another) [c](away.md) [d](https://example.com) `README.md` `a/b.cu` `gone.hpp`\n"
                        "```\n[e](e.md)\nX=1 t/run.py all\n```\n"
                        "`t/said.py --check` and `t/named.py`\n\n| word | meaning |\n| --- | --- |\n| tile | a part |\n| edge, tile | `x` |\n| `tile` | a keyword |\n")
        (page.parent / "t").mkdir()
        for name in ("run.py", "said.py", "named.py"):
            page.with_name("t").joinpath(name).write_text("#!/bin/sh\n" if name == "named.py" else "pass\n")
        found = [what.split(",")[0] for _, what in faults(page.parent, [page.name, "t/named.py"])]
        if found != ["defines tile", "links to #another", "links to away.md", "names a/b.cu", "names gone.hpp", "calls t/run.py", "calls t/said.py",
                     "begins with #!"]:
            sys.exit(f"planted faults: found {found}")
    wrong = faults(root, files(root))
    for page, what in wrong:
        print(f"{page} {what}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
