"""Comments of headers and Markdown of the tree as Markdown of the manual."""
import os
import pathlib
import re

import formulas

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The beginning of a paragraph that says what it is about.
OPENING = re.compile(r"([A-Z][a-z]+(?: [a-z]+){0,3})(?: \(see adj_guarantee\))?[.:,](?:\s+|$)")
TITLES = {"Terms": "Error terms"}
SECTIONS = {"Terms", "Edge cases", "Source", "Types", "Arguments", "In place", "Results", "Error terms", "Equal bits"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)


def escape(text):
    """Plain text in Markdown. What stands between backticks stays code."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(part if i % 2 else re.sub(r"([\\*_\[\]<>|#$~{}^`])", r"\\\1", part) for i, part in enumerate(parts))


def cell(text):
    """Text of a cell of a table."""
    return re.sub(r"\s+", " ", escape(str(text))).strip()


def code(text):
    """Code in a cell of a table."""
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def table(head, rows):
    if not rows:
        return []
    return ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |", *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]


def comment(text, level):
    """A comment of a header: paragraphs, lists, and indented lines as formulas, or as text where they are none. Paragraphs that open with what they are about get a heading."""
    out = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        opening = OPENING.match(paragraph)
        if opening and (opening[1] in SECTIONS or "\n" in paragraph and opening.end() < len(paragraph) and paragraph[opening.end() - 2] in ".:"):
            out += ["#" * level + " " + TITLES.get(opening[1], opening[1]), ""]
            paragraph = paragraph[opening.end(1):].lstrip(" ").removeprefix("(see adj_guarantee)").lstrip(".:, \n")
            paragraph = paragraph[:1].upper() + paragraph[1:] if opening[1] == "Terms" else paragraph
        kind, block = None, []
        for line in paragraph.splitlines():
            spaces = len(line) - len(line.lstrip())
            item = line.lstrip().startswith("- ")
            now = "code" if spaces >= 4 and not item and kind != "item" else "item" if item or kind == "item" and spaces >= 2 else "text"
            if now != kind and out:
                out += [*shown(block), ""]
                block = []
            kind = now
            if now == "code":
                block.append(line[4:])
            else:
                out.append(("- " + escape(line.lstrip()[2:]) if item else "  " + escape(line.strip())) if now == "item" else escape(line))
        out += [*shown(block), ""]
    return out


def shown(block):
    """Markdown of indented lines."""
    return (formulas.block(block) or ["```text", *block, "```"]) if block else []


def linked(text, source, places):
    """Markdown of a file of the tree, for the manual: links to files that are pages there lead to the pages, others become the file's name.

    source: the file; places: the name of a page by the path of its file."""
    def put(match):
        mark, label, target = match.groups()
        if re.match(r"\w+:|#", target):
            return match[0]
        path, _, anchor = target.partition("#")
        path = os.path.normpath(source.parent / path).removeprefix(str(ROOT) + "/")
        if mark:
            return f"![{label}](/_static/{pathlib.Path(path).name})"
        if path in places:
            return f"[{label}](/{places[path]}.md{'#' + anchor if anchor else ''})"
        family = re.fullmatch(r"include/adjoint/ops/(\w+)\.h", path)
        if family:
            return f"[{label}](/operators/family_{family[1]}.md)"
        return f"`{path}`" if label.strip("`") in path else f"{label} (`{path}`)"
    parts = FENCE.split(re.sub(r"^<!--.*-->\n", "", text, flags=re.M))
    return "".join(part if part.startswith("```") else LINK.sub(put, part) for part in parts)
