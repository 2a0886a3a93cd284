#!/usr/bin/env python3
"""Writes the manual page and the completions of the command line tool, from its help: manual.py ADJOINT MANUAL BASH ZSH"""
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


# Words that may follow a path of commands: the subcommands and options of its last command.
def words_after(text):
    return subcommands(text) + re.findall(r"(--[a-z][a-z-]*)", "\n".join(re.findall(r"^  (-\S+)", text, re.M)))


# Loop and table that both shells understand. `typed` becomes the commands that were typed, `found` the words that may follow.
def find(pages, line):
    out = [f"  for word in {line}; do", '    case "$typed $word" in']
    for words, _ in pages[1:]:
        out.append(f'      "{" " * (len(words) == 1)}{" ".join(words)}") typed="{" ".join(words)}" ;;')
    out += ["    esac", "  done", '  case "$typed" in']
    for words, text in pages:
        out.append(f'    "{" ".join(words)}") found="{" ".join(words_after(text))}" ;;')
    return out + ["  esac"]


def bash(pages):
    out = ["# bash completion of adjoint: subcommands, and options of the subcommand that was typed.", "_adjoint() {",
           '  local found= word current=${COMP_WORDS[COMP_CWORD]} typed=', *find(pages, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"'),
           '  COMPREPLY=($(compgen -W "$found" -- "$current"))', "}", "complete -o default -F _adjoint adjoint"]
    return "\n".join(out) + "\n"


def zsh(pages):
    out = ["#compdef adjoint", "# zsh completion of adjoint: subcommands, and options of the subcommand that was typed.", "_adjoint() {",
           "  local found= word typed=", *find(pages, '"${(@)words[2,CURRENT-1]}"'), "  compadd -- ${=found}", "}",
           '[[ ${funcstack[1]} != _adjoint ]] || _adjoint "$@"']
    return "\n".join(out) + "\n"


def main():
    tool = sys.argv[1]
    version = subprocess.run([tool, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[1]
    pages = helps(tool)
    for path, text in zip(sys.argv[2:], (manual(version, pages), bash(pages), zsh(pages)), strict=True):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
