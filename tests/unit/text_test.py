"""Checks every file of the tree against .editorconfig: text_test.py ROOT. Understands the properties and the patterns that stand there."""
import configparser
import os
import pathlib
import re
import subprocess
import sys

KNOWN = {"charset", "end_of_line", "indent_style", "indent_size", "insert_final_newline", "trim_trailing_whitespace"}
GENERATED = {".git", "__pycache__", "target", "dist"}  # folders without files of the tree, where there is no git


def sections(root):
    """[(expression for paths, properties)] in the order of the file."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string("[root]\n" + (root / ".editorconfig").read_text(encoding="utf-8"))
    found = []
    for glob in parser.sections()[1:]:
        unknown = set(parser[glob]) - KNOWN
        if unknown:
            sys.exit(f".editorconfig: this test does not check {', '.join(sorted(unknown))}")
        text = re.escape(glob).replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
        text = re.sub(r"\\\{(.*?)\\\}", lambda match: "(" + match[1].replace(",", "|") + ")", text)
        found.append((re.compile(text if "/" in glob else "(.*/)?" + text), dict(parser[glob])))
    return found


def files(root):
    """Paths relative to the root: those of git, or all but what builds and tests leave."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True)
    if (root / ".git").exists() and listed.returncode == 0:
        return [path for path in listed.stdout.decode().split("\0") if path and (root / path).is_file()]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in GENERATED and not (pathlib.Path(folder) == root and name.startswith("build"))]
        found += [(pathlib.Path(folder) / name).relative_to(root).as_posix() for name in names]
    return found


def faults(data, wanted):
    """What is wrong with a file's bytes."""
    if wanted.get("charset") == "utf-8":
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            yield f"byte {error.start} is not UTF-8"
    lines = data.split(b"\n")
    if wanted.get("end_of_line") == "lf" and b"\r" in data:
        yield "has a carriage return"
    if wanted.get("insert_final_newline") == "true" and data and lines[-1]:
        yield "its last line does not end"
    for number, line in enumerate(lines, 1):
        if wanted.get("trim_trailing_whitespace") == "true" and line != line.rstrip(b" \t"):
            yield f"line {number} ends in a blank"
        if wanted.get("indent_style") == "space" and b"\t" in line:
            yield f"line {number} has a tab"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    rules, checked, failures = sections(root), 0, 0
    for path in files(root):
        wanted = {}
        for pattern, properties in rules:
            if pattern.fullmatch(path):
                wanted.update(properties)
        checked += 1
        for fault in faults((root / path).read_bytes(), wanted):
            failures += 1
            print(f"FAILED {path}: {fault}")
    # The rules are followed: each planted fault is seen.
    plain = next(dict(properties) for pattern, properties in rules if pattern.fullmatch("src/x.cpp"))
    for data in (b"a", b"a \n", b"\ta\n", b"a\r\n", b"\xff\n"):
        if not list(faults(data, plain)):
            failures += 1
            print(f"FAILED: {data!r} passes")
    print(f"{checked} files checked")
    return 1 if failures or checked < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
