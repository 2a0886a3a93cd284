"""The layout of the public C headers, as a C compiler has it."""
import os
import re
import subprocess
import sys
import tempfile

from generators.reader import declared

SOURCE = "#include <adjoint.h>\n"


class Section:
    """What one minor of the interface added."""

    def __init__(self, version):
        self.version = version
        self.structs = {}    # name -> (size, alignment, {field: (offset, size, declaration)})
        self.enums = {}      # name -> value
        self.typedefs = {}   # name -> declaration
        self.functions = {}  # name -> prototype


def function_name(prototype):
    return re.match(r".*?\b(\w+)\s*\(", prototype).group(1)


def typedef_name(declaration):
    return re.search(r"\(\* ?(\w+)\)|(\w+)$", declaration).group(1, 2)[0 if "(" in declaration else 1]


def compile_command(compiler, includes, *arguments):
    return [*compiler.split(), *(f"-I{path}" for path in includes), *arguments]


def header_names(cc, includes):
    """Structures with their field declarations, enumerators, type names and prototypes, in the headers' order."""
    command = compile_command(cc, includes, "-E", "-P", "-std=c11", "-x", "c", "-")
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


def measure(cc, includes):
    """The current headers as one section, with the compiler's numbers."""
    structs, enums, typedefs, functions = header_names(cc, includes)
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
        command = compile_command(cc, includes, "-std=c11", "-x", "c", "-", "-o", program)
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


def golden(sections):
    """The text of a record: a section for each minor of the interface."""
    lines = ["# Layout of the C interface. Written by layout.py update; sections of released minors never change."]
    for s in sections:
        lines += ["", "interface {}.{}".format(*s.version)]
        for name, (size, alignment, fields) in s.structs.items():
            lines.append(f"struct {name} {size} {alignment}")
            lines += [f"  field {field} {offset} {width} {declaration}" for field, (offset, width, declaration) in fields.items()]
        lines += [f"enum {name} {value}" for name, value in s.enums.items()]
        lines += [f"typedef {declaration}" for declaration in s.typedefs.values()]
        lines += [f"function {prototype}" for prototype in s.functions.values()]
    return "\n".join([*lines, ""])


class Layout:
    """What the mirrors of the interface in other languages need of its layout, in the headers' order."""

    def __init__(self, section):
        self.version = [str(number) for number in section.version]
        self.structs = {name: {field: declared(declaration)[0] for field, (_, _, declaration) in fields.items()} for name, (_, _, fields) in section.structs.items()}
        self.enums, self.typedefs, self.functions = section.enums, list(section.typedefs.values()), list(section.functions.values())
