"""Embeds text files as raw string literals: embed_sources.py OUTPUT --root ROOT --flat FILE... --tree FILE...

Each file becomes a row {name, text, sha256, includes}. The name is the path relative to ROOT for tree files, the bare file name for flat
files. `includes` are the rows of every tree file that it includes, directly or not. Raw literals compile about forty times faster than
integer arrays."""
import argparse
import hashlib
import os
import re
import sys

DELIMITER = "adjoint_src"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
PIECE = 60000  # compilers need only accept literals of 65536 characters


def literal(text):
    if f"){DELIMITER}\"" in text:
        sys.exit("embed_sources.py: the raw string delimiter occurs in a source file")
    pieces = [text[i:i + PIECE] for i in range(0, len(text), PIECE)] or [""]
    return "\n".join(f'R"{DELIMITER}({piece}){DELIMITER}"' for piece in pieces)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--root", required=True)
    parser.add_argument("--flat", nargs="*", default=[])
    parser.add_argument("--tree", nargs="*", default=[])
    options = parser.parse_args()
    files = {os.path.basename(path): path for path in options.flat}
    files |= {os.path.relpath(path, options.root).replace(os.sep, "/"): path for path in options.tree}
    texts = {}
    for name, path in sorted(files.items()):
        with open(path, "rb") as file:
            texts[name] = file.read().decode()
    names = list(texts)

    def closure(name, seen):
        for included in INCLUDE.findall(texts[name]):
            if included in texts and included not in seen:
                seen.add(included)
                closure(included, seen)
        return seen

    rows, lists = [], []
    for number, (name, text) in enumerate(texts.items()):
        includes = sorted(names.index(included) for included in closure(name, set()))
        lists.append(f"const std::uint16_t kIncludes{number}[] = {{{', '.join(map(str, [*includes, 0]))}}};\n")
        rows.append(f'{{"{name}",\n{literal(text)},\n"{hashlib.sha256(text.encode()).hexdigest()}", {{kIncludes{number}, {len(includes)}}}}},\n')
    with open(options.output, "w") as out:
        out.write('#include "jit/sources.hpp"\nnamespace adj {\nnamespace {\n')
        out.writelines(lists)
        out.write("}  // namespace\nconst EmbeddedFile kEmbeddedFiles[] = {\n")
        out.writelines(rows)
        out.write(f"}};\nconst int kEmbeddedFileCount = {len(rows)};\n}}  // namespace adj\n")


main()
