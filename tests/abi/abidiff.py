#!/usr/bin/env python3
"""Compares the interface in a library's debug information with the one on record, by libabigail.

  abidiff.py check LIBRARY HEADERS... [--record BASELINE]   fails when a recorded function or type is gone or has changed; additions pass
  abidiff.py update LIBRARY HEADERS... --record BASELINE    records the library's interface (once per major version)

HEADERS are the directories of the public headers: only types from there are recorded. Before there is a record, check only plants.

check also plants a removal, a changed type and an addition, and fails unless abidiff tells them apart. Structures that are passed by their
header (descriptors and arguments) are not seen here; the layout golden has them.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile



def dump(library, headers):
    options = ["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-architecture", "--no-elf-needed", "--no-parameter-names",
               "--exported-interfaces-only", "--drop-private-types"]
    for directory in headers:
        options += ["--headers-dir", directory]
    return subprocess.run(["abidw"] + options + [library], capture_output=True, text=True, check=True).stdout


STRUCTURE = r"<class-decl name='{}'.*?</class-decl>"
MEMBER = r"\s*<data-member.*?</data-member>"


def growing(text):
    """Structures that begin with adj_header. They may get members at their end; all other structures are frozen."""
    return re.findall(r"<class-decl name='(adj_\w+)'[^>]*>\s*<data-member[^>]*>\s*<var-decl name='header'", text)


def shortened(text, structure, members, size):
    """The structure with its first members only."""
    whole = re.search(STRUCTURE.format(structure), text, flags=re.S).group()
    short = whole
    for extra in re.findall(MEMBER, whole, flags=re.S)[members:]:
        short = short.replace(extra, "")
    short = re.sub(r"size-in-bits='\d+'", f"size-in-bits='{size}'", short, count=1)
    return text.replace(whole, short)


def without_growth(old, new):
    for structure in growing(old):
        whole = re.search(STRUCTURE.format(structure), old, flags=re.S).group()
        if re.search(STRUCTURE.format(structure), new, flags=re.S):
            new = shortened(new, structure, len(re.findall(MEMBER, whole, flags=re.S)), re.search(r"size-in-bits='(\d+)'", whole).group(1))
    return new


def differences(old, new):
    """abidiff's report when something other than an addition differs, else an empty string."""
    with tempfile.TemporaryDirectory() as directory:
        names = []
        for name, text in (("old.abi", old), ("new.abi", without_growth(old, new))):
            names.append(f"{directory}/{name}")
            with open(names[-1], "w", encoding="utf-8") as file:
                file.write(text)
        run = subprocess.run(["abidiff", "--no-added-syms", names[0], names[1]], capture_output=True, text=True)
        if run.returncode & 3:  # abidiff itself failed
            sys.exit(f"abidiff: {run.stderr or run.stdout}")
        return run.stdout if run.returncode else ""


def without_function(text, name):
    text, symbols = re.subn(rf"\n[^\n]*<elf-symbol name='{name}'[^\n]*", "", text)
    text, functions = re.subn(rf"\n[ ]*<function-decl name='{name}'.*?</function-decl>", "", text, flags=re.S)
    assert symbols == 1 and functions == 1, f"{name}: {symbols} symbols, {functions} functions"
    return text


def with_another_member(text, structure):
    """The structure with its last member's type changed to the type of its first one."""
    whole = re.search(rf"<class-decl name='{structure}'.*?</class-decl>", text, flags=re.S).group()
    members = re.findall(r"<var-decl name='\w+' type-id='[^']*'", whole)
    first, last = (re.search(r"type-id='[^']*'", member).group() for member in (members[0], members[-1]))
    changed = members[-1].replace(last, first)
    assert changed != members[-1], structure
    return text.replace(whole, whole.replace(members[-1], changed))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["check", "update"])
    parser.add_argument("library")
    parser.add_argument("headers", nargs="+")
    parser.add_argument("--record", metavar="BASELINE")
    options = parser.parse_args()
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("skipped: abidw and abidiff (Debian package abigail-tools) are not installed")
        sys.exit(77)
    now = dump(options.library, options.headers)
    if options.command == "update":
        pathlib.Path(options.record).write_text(now, encoding="utf-8")
        return
    recorded = pathlib.Path(options.record).read_text(encoding="utf-8") if options.record else now
    report = differences(recorded, now)
    if report:
        sys.exit(f"the interface differs from {options.record}:\n{report}")
    planted = [("a function that was added", without_function(now, "adj_version"), now, False),
               ("a member that was added", shortened(now, "adj_sku_info", 5, 512), now, False),
               ("a function that was removed", now, without_function(now, "adj_version"), True),
               ("a changed member of a frozen structure", now, with_another_member(now, "adj_stream"), True),
               ("a changed member of a growing structure", now, with_another_member(now, "adj_sku_info"), True)]
    for what, old, new, wrong in planted:
        if bool(differences(old, new)) != wrong:
            sys.exit(f"abidiff {'misses' if wrong else 'refuses'} {what}")
    print(f"{recorded.count('<function-decl')} recorded functions unchanged; planted additions pass, a removal and changes are found")


if __name__ == "__main__":
    main()
