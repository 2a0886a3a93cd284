#!/usr/bin/env python3
"""Writes the manual page and the bash completion of the command line tool, from its help: manual.py ADJOINT MANUAL COMPLETION"""
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


def completion(pages):
    out = ["# bash completion of adjoint: subcommands, and options of the subcommand that was typed.", "_adjoint() {",
           '  local words= word current=${COMP_WORDS[COMP_CWORD]} path=', "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do",
           '    case "$path $word" in']
    for words, _ in pages[1:]:
        out.append(f'      "{" " * (len(words) == 1)}{" ".join(words)}") path="{" ".join(words)}" ;;')
    out += ["    esac", "  done", '  case "$path" in']
    for words, text in pages:
        options = re.findall(r"(--[a-z][a-z-]*)", "\n".join(re.findall(r"^  (-\S+)", text, re.M)))
        out.append(f'    "{" ".join(words)}") words="{" ".join(subcommands(text) + options)}" ;;')
    out += ["  esac", '  COMPREPLY=($(compgen -W "$words" -- "$current"))', "}", "complete -o default -F _adjoint adjoint"]
    return "\n".join(out) + "\n"


def main():
    tool, man, bash = sys.argv[1:4]
    version = subprocess.run([tool, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[1]
    pages = helps(tool)
    with open(man, "w", encoding="utf-8") as file:
        file.write(manual(version, pages))
    with open(bash, "w", encoding="utf-8") as file:
        file.write(completion(pages))


if __name__ == "__main__":
    main()
