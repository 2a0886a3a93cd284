#!/usr/bin/env python3
"""Compares the public headers with the layout recorded in layout-<major>.golden.

The golden has one section per interface minor. A section lists what that minor added: structures (size, alignment),
their fields (offset, size, declaration), enumerators (value), type names and functions (prototypes). A structure that grew is
listed again in the later section with its new size and only its new fields. Earlier sections never change.

  layout.py check  GOLDEN [options]   the headers agree with the golden and have nothing beyond it
  layout.py update GOLDEN [options]   writes the section of the current minor (ADJ_ABI_MINOR) from the headers
  layout.py emit   GOLDEN FILE        only writes the assertions, a C and C++ source file
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

SOURCE = "#include <adjoint.h>\n"


class Section:
    def __init__(self, version):
        self.version = version
        self.structs = {}    # name -> (size, alignment, {field: (offset, size, declaration)})
        self.enums = {}      # name -> value
        self.typedefs = {}   # name -> declaration
        self.functions = {}  # name -> prototype


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


def function_name(prototype):
    return re.match(r".*?\b(\w+)\s*\(", prototype).group(1)


def typedef_name(declaration):
    return re.search(r"\(\* ?(\w+)\)|(\w+)$", declaration).group(1, 2)[0 if "(" in declaration else 1]


def write_golden(path, sections):
    with open(path, "w", encoding="utf-8") as out:
        out.write("# Layout of the C interface. Written by layout.py update; sections of released minors never change.\n")
        for s in sections:
            out.write("\ninterface {}.{}\n".format(*s.version))
            for name, (size, alignment, fields) in s.structs.items():
                out.write(f"struct {name} {size} {alignment}\n")
                for field, (offset, width, declaration) in fields.items():
                    out.write(f"  field {field} {offset} {width} {declaration}\n")
            for name, value in s.enums.items():
                out.write(f"enum {name} {value}\n")
            for declaration in s.typedefs.values():
                out.write(f"typedef {declaration}\n")
            for prototype in s.functions.values():
                out.write(f"function {prototype}\n")


def compile_command(compiler, options, *arguments):
    includes = [f"-I{path}" for path in options.include]
    return [*compiler.split(), *includes, *arguments]


def header_names(options):
    """Structures with their field declarations, enumerators, type names and prototypes, in the headers' order."""
    command = compile_command(options.cc, options, "-E", "-P", "-std=c11", "-x", "c", "-")
    text = subprocess.run(command, input=SOURCE, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)\)*", " ", text)
    text = re.sub(r"\s+", " ", text)
    structs, enums, typedefs, functions = {}, [], {}, {}
    for name, body in re.findall(r"typedef struct (adj_\w+) \{([^}]*)\} \1 ?;", text):
        fields = {}
        for declaration in filter(None, (d.strip() for d in body.split(";"))):
            field = re.search(r"(\w+)\s*(?:\[\w+\])?$", declaration)
            if "," in declaration or not field:
                sys.exit(f"{name}: one field per declaration, found '{declaration}'")
            fields[field.group(1)] = declaration
        structs[name] = fields
    for body in re.findall(r"enum \{([^}]*)\}", text):
        enums += [n for n in re.findall(r"(?:^|,)\s*(\w+)\s*(?==|,|$)", body) if n.startswith("ADJ_")]
    for declaration in re.findall(r"typedef ((?!struct adj_\w+ \{)[^;{}]*\badj_\w+[^;{}]*);", text):
        typedefs[typedef_name(declaration.strip())] = declaration.strip()
    for prototype in re.findall(r"(?:^|;|\})\s*((?:const )?\w+[ *]+adj_\w+ ?\([^;{}]*\)) ?(?=;)", text):
        if not prototype.startswith("typedef"):
            functions[function_name(prototype)] = prototype
    return structs, enums, typedefs, functions


def measure(options):
    """The current headers as one section, with the compiler's numbers."""
    structs, enums, typedefs, functions = header_names(options)
    lines = ["#include <stdio.h>", "#include <stddef.h>", SOURCE, "int main(void) {",
             '  printf("version %d %d\\n", ADJ_ABI_MAJOR, ADJ_ABI_MINOR);']
    for name, fields in structs.items():
        lines.append(f'  printf("struct {name} %zu %zu\\n", sizeof({name}), _Alignof({name}));')
        for field in fields:
            lines.append(f'  printf("field {name} {field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name}*)0)->{field}));')
    for name in enums:
        lines.append(f'  printf("enum {name} %lld\\n", (long long){name});')
    lines.append("  return 0;\n}\n")
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, "measure")
        command = compile_command(options.cc, options, "-std=c11", "-x", "c", "-", "-o", program)
        subprocess.run(command, input="\n".join(lines), text=True, check=True)
        output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    section = Section(None)
    for line in output.splitlines():
        kind, *rest = line.split()
        if kind == "version":
            section.version = (int(rest[0]), int(rest[1]))
        elif kind == "struct":
            section.structs[rest[0]] = (int(rest[1]), int(rest[2]), {})
        elif kind == "field":
            section.structs[rest[0]][2][rest[1]] = (int(rest[2]), int(rest[3]), structs[rest[0]][rest[1]])
        else:
            section.enums[rest[0]] = int(rest[1])
    section.typedefs, section.functions = typedefs, functions
    return section


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
    now = measure(options)
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
    write_golden(options.golden, earlier + [new])


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


def check(options):
    sections = read_golden(options.golden)
    total, (structs, enums, typedefs, functions) = union(sections), header_names(options)
    problems = []
    known = {f"{s}.{f}" for s, (_, _, fields) in total.structs.items() for f in fields}
    found = {f"{s}.{f}" for s, fields in structs.items() for f in fields}
    for what, golden, headers in (("field", known, found), ("enumerator", set(total.enums), set(enums)),
                                  ("type", set(total.typedefs), set(typedefs)),
                                  ("function", set(total.functions), set(functions))):
        problems += [f"{what} {n} is in the headers and not in the golden (layout.py update)" for n in sorted(headers - golden)]
        problems += [f"{what} {n} is in the golden and has gone from the headers" for n in sorted(golden - headers)]
    duplicates = {}
    for name, value in total.enums.items():
        if re.match(r"ADJ_TAG_|ADJ_OP_", name) and not name.endswith("FORCE_INT32"):
            duplicates.setdefault((name[:7], value), []).append(name)
    problems += [f"{', '.join(names)} share one value" for names in duplicates.values() if len(names) > 1]
    if options.record:
        problems += check_record(options, sections)
    text = assertions(sections)
    for compiler, language, standard in ((options.cc, "c", "c11"), (options.cxx, "c++", "c++20")):
        command = compile_command(compiler, options, f"-std={standard}", "-fsyntax-only", "-x", language, "-")
        run = subprocess.run(command, input=text, capture_output=True, text=True)
        if run.returncode:
            problems.append(f"{compiler} -std={standard}:\n{run.stderr}")
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"{len(total.structs)} structures, {len(known)} fields, {len(total.enums)} enumerators, {len(total.functions)} functions")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["check", "update", "emit"])
    parser.add_argument("golden")
    parser.add_argument("output", nargs="?")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("-I", dest="include", action="append", default=[os.path.join(root, "include")])
    parser.add_argument("--record", help="the header of the first version, whose structures must have the sizes of the first section")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    if options.mode == "emit":
        if not options.output:
            parser.error("emit needs an output file")
        with open(options.output, "w", encoding="utf-8") as out:
            out.write(assertions(read_golden(options.golden)))
    else:
        {"check": check, "update": update}[options.mode](options)


if __name__ == "__main__":
    main()
