#!/usr/bin/env python3
"""Every picture of the tree is well-formed and named by a page, every picture that a page names is there, and results are one record a line:
pictures.py ROOT"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

root = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / "tools/bench"))
import records  # noqa: E402

ours = [p for p in root.rglob("*") if p.suffix in (".svg", ".md") and not any(part.startswith(("build", ".")) for part in p.relative_to(root).parts)]
problems = []
pictures = [p for p in ours if p.suffix == ".svg"]
for picture in pictures:
    try:
        top = tree.parse(picture).getroot()
    except tree.ParseError as error:
        problems.append(f"{picture}: {error}")
        continue
    if top.tag != "{http://www.w3.org/2000/svg}svg" or not top.get("viewBox"):
        problems.append(f"{picture}: the root is {top.tag} with viewBox {top.get('viewBox')}")
named = set()
for guide in (p for p in ours if p.suffix == ".md"):
    for name in re.findall(r"\]\(([^)]*\.svg)\)", guide.read_text(encoding="utf-8")):
        named.add((guide.parent / name).resolve())
        if not (guide.parent / name).is_file():
            problems.append(f"{guide}: there is no {name}")
problems += [f"{picture}: no page shows it; draw it when it is wanted" for picture in pictures if picture.resolve() not in named]
for results in ("tools/bench/results", "tests/datasheet/results"):
    for path in sorted((root / results).glob("*.json")):
        found = path.read_text(encoding="utf-8")
        if found != records.text(json.loads(found)):
            problems.append(f"{path}: it is not what tools/bench/records.py writes, one record a line")
print("\n".join(problems) or f"{len(pictures)} pictures are well-formed")
sys.exit(bool(problems) or not pictures)
