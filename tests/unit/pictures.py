#!/usr/bin/env python3
"""Every picture of the tree is well-formed, and every picture that a guide names is there: pictures.py ROOT"""
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

root = pathlib.Path(sys.argv[1])
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
for guide in (p for p in ours if p.suffix == ".md"):
    for name in re.findall(r"\]\(([^)]*\.svg)\)", guide.read_text(encoding="utf-8")):
        if not (guide.parent / name).is_file():
            problems.append(f"{guide}: there is no {name}")
print("\n".join(problems) or f"{len(pictures)} pictures are well-formed")
sys.exit(bool(problems) or not pictures)
