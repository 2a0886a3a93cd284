"""Checks the pages of the tree: pages_test.py ROOT. A link leads to a file and a heading that are there, and a file that a page names is there."""
import pathlib
import re
import sys
import tempfile

from text_test import files

LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"`((?:\.\./)*[\w/-]+\.(?:cu|cuh|h|hpp|cpp|py|tsv))`")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
OF_OTHERS = {"cuda.h"}


def anchors(text):
    """Names of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def faults(root, paths):
    """[(page, what is wrong)]"""
    names, found = {pathlib.PurePath(path).name for path in paths}, []
    for page in (path for path in paths if path.endswith(".md")):
        text, folder = (root / page).read_text(encoding="utf-8"), (root / page).parent
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
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as planted:
        page = pathlib.Path(planted, "README.md")
        page.write_text("# A heading\n[a](#a-heading) [b](#another) [c](away.md) [d](https://example.com) `README.md` `a/b.cu` `gone.hpp`\n```\n[e](e.md)\n```\n")
        found = [what.split(",")[0] for _, what in faults(page.parent, [page.name])]
        if found != ["links to #another", "links to away.md", "names a/b.cu", "names gone.hpp"]:
            sys.exit(f"planted faults: found {found}")
    wrong = faults(root, files(root))
    for page, what in wrong:
        print(f"{page} {what}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
