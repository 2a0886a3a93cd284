#!/usr/bin/env python3
"""Writes the manual page of the command line tool, from its help: manual.py ADJOINT MANUAL"""
import re
import subprocess
import sys


def subcommands(text):
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  (\S+)", listed.group(1), re.M) if listed else []


# Help texts of a command and of its subcommands, depth first: [(words, help)].
def helps(tool, words=()):
    text = subprocess.run([tool, *words, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    result = [(words, text)]
    for name in subcommands(text):
        result += helps(tool, (*words, name))
    return result


def manual(version, pages):
    def verbatim(text):
        lines = text.rstrip().replace("\\", "\\e").replace("-", "\\-").splitlines()
        return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)
    out = [f'.TH ADJOINT 1 "" "adjoint {version}" "User Commands"', ".SH NAME", "adjoint \\- kernels for training: what there is, what it promises, "
           "how it is chosen"]
    for words, text in pages:
        out += [".SH DESCRIPTION" if not words else f'.SH "{" ".join(("adjoint", *words)).upper()}"', ".nf", verbatim(text), ".fi"]
    return "\n".join(out) + "\n"


def main():
    tool = sys.argv[1]
    version = subprocess.run([tool, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[1]
    pages = helps(tool)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(manual(version, pages))


if __name__ == "__main__":
    main()
