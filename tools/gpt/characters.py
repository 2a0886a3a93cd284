#!/usr/bin/env python3
"""Prints characters.gen.hpp, the letters and numbers of Unicode: characters.py > characters.gen.hpp. It takes unicodedata2 of PyPI, of the version of Unicode that
the package tokenizers has; an other version is refused."""
import sys

import unicodedata2

VERSION = "16.0.0"


def ranges(initial):
    """[first, last] of the code points whose category begins with a letter."""
    found = []
    for value in range(0x110000):
        if unicodedata2.category(chr(value))[0] != initial:
            continue
        if found and found[-1][1] == value - 1:
            found[-1][1] = value
        else:
            found.append([value, value])
    return found


def table(name, initial):
    lines, line = [], " "
    for first, last in ranges(initial):
        pair = f" {{0x{first:X}, 0x{last:X}}},"
        if len(line) + len(pair) > 158:
            lines.append(line)
            line = " "
        line += pair
    return f"inline constexpr CodeRange {name}[] = {{\n" + "\n".join([*lines, line]) + "\n};\n"


def main():
    if unicodedata2.unidata_version != VERSION:
        sys.exit(f"characters.py: unicodedata2 has Unicode {unicodedata2.unidata_version}; {VERSION} is needed")
    print(f"// Letters (L) and numbers (N) of Unicode {VERSION}. Made by tools/gpt/characters.py; not to be edited.\n#pragma once\n\n#include <cstdint>\n\nnamespace gpt {{\n")
    print("struct CodeRange {\n  std::uint32_t first, last;\n};")
    print(table("kLetters", "L") + table("kNumbers", "N") + "\n}  // namespace gpt")


if __name__ == "__main__":
    main()
