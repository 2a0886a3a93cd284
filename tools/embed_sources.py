"""Embeds text files as raw string literals: embed_sources.py OUTPUT --root ROOT --flat FILE... --tree FILE...

Each file becomes a row {name, text, sha256}; the name is the path relative to ROOT for tree files, the bare file name
for flat ones. Raw literals compile about forty times faster than
integer arrays."""
import argparse
import hashlib
import os
import sys

DELIMITER = "adjoint_src"
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
    rows = []
    for name, path in sorted(files.items()):
        with open(path, "rb") as file:
            data = file.read()
        rows.append(f'{{"{name}",\n{literal(data.decode())},\n"{hashlib.sha256(data).hexdigest()}"}},\n')
    with open(options.output, "w") as out:
        out.write('#include "jit/sources.hpp"\nnamespace adj {\nconst EmbeddedFile kEmbeddedFiles[] = {\n')
        out.writelines(rows)
        out.write(f"}};\nconst int kEmbeddedFileCount = {len(rows)};\n}}  // namespace adj\n")


main()
