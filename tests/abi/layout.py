#!/usr/bin/env python3
"""Compares the public headers with the layout recorded in layout-<major>.golden.

The golden has one section per interface minor. A section lists what that minor added: structures (size, alignment),
their fields (offset, size, declaration), enumerators (value), type names and functions (prototypes). A structure that grew is
listed again in the later section with its new size and only its new fields. Earlier sections never change.

  layout.py check  GOLDEN [options]   the headers agree with the golden and have nothing beyond it; with one changed number or name they do not
  layout.py update GOLDEN [options]   writes the section of the current minor (ADJ_ABI_MINOR) from the headers
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from generators.layout import Section, compile_command, function_name, golden, header_names, measure, typedef_name


def read_golden(path):
    sections = []
    struct = None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        kind, rest = words[0], words[1:]
        if kind == "interface":
            sections.append(Section(tuple(int(n) for n in rest[0].split("."))))
        elif kind == "struct":
            struct = sections[-1].structs[rest[0]] = (int(rest[1]), int(rest[2]), {})
        elif kind == "field":
            struct[2][rest[0]] = (int(rest[1]), int(rest[2]), " ".join(rest[3:]))
        elif kind == "enum":
            sections[-1].enums[rest[0]] = int(rest[1])
        elif kind == "typedef":
            declaration = " ".join(rest)
            sections[-1].typedefs[typedef_name(declaration)] = declaration
        elif kind == "function":
            prototype = " ".join(rest)
            sections[-1].functions[function_name(prototype)] = prototype
        else:
            sys.exit(f"{path}:{number}: unknown line '{line.strip()}'")
    versions = [s.version for s in sections]
    if versions != sorted(set(versions)):
        sys.exit(f"{path}: the sections are not in ascending order")
    return sections


def union(sections):
    """All sections together. A structure has the size of its last section."""
    total = Section(sections[-1].version if sections else None)
    for s in sections:
        for name, (size, alignment, fields) in s.structs.items():
            known = total.structs.get(name, (0, 0, {}))[2]
            total.structs[name] = (size, alignment, {**known, **fields})
        total.enums.update(s.enums)
        total.typedefs.update(s.typedefs)
        total.functions.update(s.functions)
    return total


def update(options):
    sections = read_golden(options.golden) if os.path.exists(options.golden) else []
    now = measure(options.cc, options.include)
    earlier = [s for s in sections if s.version < now.version]
    if len(earlier) + 1 < len(sections):
        sys.exit(f"{options.golden}: has sections after {now.version}, the version of the headers")
    known = union(earlier)
    new = Section(now.version)
    for name, (size, alignment, fields) in now.structs.items():
        old = known.structs.get(name, (0, 0, {}))
        added = {f: v for f, v in fields.items() if f not in old[2]}
        if added or old[0] != size:
            new.structs[name] = (size, alignment, added)
    new.enums = {n: v for n, v in now.enums.items() if n not in known.enums}
    new.typedefs = {n: d for n, d in now.typedefs.items() if n not in known.typedefs}
    new.functions = {n: p for n, p in now.functions.items() if n not in known.functions}
    pathlib.Path(options.golden).write_text(golden(earlier + [new]), encoding="utf-8")


def assertions(sections):
    """Text that compiles, as C11 and as C++, only when the headers have this layout."""
    lines = ["/* Written by layout.py. */", "#include <stddef.h>", "#include <adjoint.h>",
             "#ifdef __cplusplus", "#define HOLDS(...) static_assert(__VA_ARGS__, #__VA_ARGS__)", "#define ALIGNMENT(t) alignof(t)",
             "#else", "#define HOLDS(...) _Static_assert(__VA_ARGS__, #__VA_ARGS__)", "#define ALIGNMENT(t) _Alignof(t)", "#endif",
             "/* Two declarations of one name must agree in type. */"]
    total = union(sections)
    for name, (size, alignment, fields) in total.structs.items():
        lines.append(f"HOLDS(sizeof({name}) == {size} && ALIGNMENT({name}) == {alignment});")
        end = 0
        for field, (offset, width, declaration) in fields.items():
            lines.append(f"HOLDS(offsetof({name}, {field}) == {offset} && sizeof((({name}*)0)->{field}) == {width});")
            check = f"check_{name}_{field}"
            declared = re.sub(rf"\b{field}\b(?=\s*(\[\w+\])?$)", check, declaration)
            lines.append(f"extern {declared}; extern __typeof__((({name}*)0)->{field}) {check};")
            if offset != end:
                sys.exit(f"{name}.{field}: {offset - end} bytes of padding before it")
            end = offset + width
        if end != size:
            sys.exit(f"{name}: {size - end} bytes of tail padding")
    for name, value in total.enums.items():
        lines.append(f"HOLDS({name} == {value});")
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    for name, declaration in total.typedefs.items():
        if declaration == f"int32_t {name}":  # an enumeration
            lines += ["#ifdef __cplusplus", f"HOLDS(sizeof({name}) == 4 && static_cast<{name}>(-1) < 0);", "#else", f"typedef {declaration};", "#endif"]
        else:
            lines.append(f"typedef {declaration};")
    lines += [f"{prototype} ADJ_NOEXCEPT;" for prototype in total.functions.values()]
    lines += ["#ifdef __cplusplus", "}", "#endif", ""]
    return "\n".join(lines)


def check_record(options, sections):
    """Problems of the sizes in the first section: those of the recorded header, with which the first programs were compiled."""
    lines = [f'#include "{os.path.abspath(options.record)}"']
    for name, (size, _, _) in sections[0].structs.items():
        lines.append(f'_Static_assert(sizeof({name}) == {size}, "{name}");')
    run = subprocess.run([*options.cc.split(), "-std=c11", "-fsyntax-only", "-x", "c", "-"], input="\n".join(lines), capture_output=True, text=True)
    return [f"{options.record} has other sizes than the first section of {options.golden}:\n{run.stderr}"] if run.returncode else []


def problems_of(options, sections):
    """What the headers have that the sections do not say, and the reverse."""
    total, (structs, enums, typedefs, functions) = union(sections), header_names(options.cc, options.include)
    known = {f"{s}.{f}" for s, (_, _, fields) in total.structs.items() for f in fields}
    found = {f"{s}.{f}" for s, fields in structs.items() for f in fields}
    for what, recorded, headers in (("field", known, found), ("enumerator", set(total.enums), set(enums)),
                                    ("type", set(total.typedefs), set(typedefs)),
                                    ("function", set(total.functions), set(functions))):
        yield from (f"{what} {n} is in the headers and not in the golden (layout.py update)" for n in sorted(headers - recorded))
        yield from (f"{what} {n} is in the golden and has gone from the headers" for n in sorted(recorded - headers))
    duplicates = {}
    for name, value in total.enums.items():
        if re.match(r"ADJ_TAG_|ADJ_OP_", name) and not name.endswith("FORCE_INT32"):
            duplicates.setdefault((name[:7], value), []).append(name)
    yield from (f"{', '.join(names)} share one value" for names in duplicates.values() if len(names) > 1)
    text = assertions(sections)
    for compiler, language, standard in ((options.cc, "c", "c11"), (options.cxx, "c++", "c++20")):
        command = compile_command(compiler, options.include, f"-std={standard}", "-fsyntax-only", "-x", language, "-")
        run = subprocess.run(command, input=text, capture_output=True, text=True)
        if run.returncode:
            yield f"{compiler} -std={standard}:\n{run.stderr}"


# (what the golden says, what it says in its place, words of the problem that follows)
PLANTED = [("struct adj_header 24 8", "struct adj_header 24 4", "static assertion"), ("enum ADJ_F32 1", "enum ADJ_F32 2", "static assertion"),
           ("  field bytes 8 8 uint64_t bytes", "  field bytes 8 8 int64_t bytes", "conflicting"), ("enum ADJ_BF16 16\n", "", "ADJ_BF16 is in the headers"),
           ("\nfunction const char* adj_version(void)", "\nfunction char* adj_version(void)", "conflicting"),
           ("\nfunction const char* adj_version(void)", "\nfunction const char* adj_version(void)\nfunction void adj_gone(void)", "adj_gone is in the golden")]


def check(options):
    sections = read_golden(options.golden)
    problems = list(problems_of(options, sections))
    if options.record:
        problems += check_record(options, sections)
    whole = pathlib.Path(options.golden).read_text(encoding="utf-8")
    for old, new, words in PLANTED:
        with tempfile.NamedTemporaryFile("w", suffix=".golden") as file:
            file.write(whole.replace(old, new, 1))
            file.flush()
            if old not in whole or not any(words in problem for problem in problems_of(options, read_golden(file.name))):
                problems.append(f"a golden with {new.strip()!r} for {old.strip()!r} is not refused with {words!r}")
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)
    total = union(sections)
    fields = sum(len(fields) for _, _, fields in total.structs.values())
    print(f"{len(total.structs)} structures, {fields} fields, {len(total.enums)} enumerators, {len(total.functions)} functions")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["check", "update"])
    parser.add_argument("golden")
    parser.add_argument("-I", dest="include", action="append", default=[ROOT / "include"], help="the directory of the headers that a build makes")
    parser.add_argument("--record", help="the header of the first version, whose structures must have the sizes of the first section")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    {"check": check, "update": update}[options.mode](options)


if __name__ == "__main__":
    main()
