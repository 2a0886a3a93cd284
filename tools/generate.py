#!/usr/bin/env python3
"""Writes all files that repeat the hand-written C headers.

  generate.py                  writes every file that differs
  generate.py --check          fails, naming the files, when one differs
  generate.py --record BUILD   records interface 1.0 anew (layout, header, debug information) from the build directory BUILD;
                               only while 1.0 is not released

From include/adjoint/types.h and include/adjoint/ops/<family>.h it makes

  include/adjoint/ops/<family>_init.h   ..._INIT macros for C, names for C++
  include/adjoint/ops/all.gen.h         the list of families
  src/ops/<family>/tables.gen.hpp       the engine's slots and fields
  src/ops/table.gen.hpp                 the list of operators
  tests/abi/layout-1.golden             the section of the current minor (tests/abi/layout.py compares it)
  src/plan/first_sizes.gen.hpp          the size of each structure in the first section of the golden that has it
  capi/rust/src/{sys,ops}/generated.rs  the same interface in Rust
  capi/python/adjoint/_generated.py     the same interface in Python

Grammar: one declaration a line, `type name ADJ_DEFAULT(value); /* comment */`. The comment may take several lines. The comment of an
argument begins with its role; further words follow after commas:

  in | out | in/out [, optional] [, host] [, with X | , without X | , only for X], shape and type, anything else

- "in/out when" anywhere after `out` makes the role in/out.
- "may be X itself", "may be X, Y or Z itself": the output may be the very buffer of another argument.
- "may be a part of X": an entry of a list may be one of the equal parts of the same entry of list X.
- `with`, `without`, `only for` and "exactly when": the descriptor decides whether the argument is there.
- A member whose name begins with `reserved` is left out.
- An `int64_t x_bytes` directly before a `const void* x` is its size.
- The comment just before a descriptor says what the operator computes.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPS = ROOT / "include/adjoint/ops"
NOTE = "Written by tools/generate.py from {}. Do not edit."


class Fault(Exception):
    """A fault in a header, with its place."""


class Member:
    def __init__(self, ctype, name, array, default, comment, place):
        self.ctype, self.name, self.array, self.default, self.comment, self.place = ctype, name, array, default, comment, place

    def fault(self, text):
        raise Fault(f"{self.place}: {self.name}: {text}")

    @property
    def reserved(self):
        return self.name.startswith("reserved")


class Struct:
    def __init__(self, name, members, about, family):
        self.name, self.members, self.about, self.family = name, members, about, family


class Operator:
    def __init__(self, number, name, upper, cpp, family):
        self.id, self.name, self.upper, self.cpp, self.family = number, name, upper, cpp, family
        self.descriptor = self.args = None


# ---- reading

def clean_comment(text):
    return re.sub(r"\s+", " ", re.sub(r"\n\s*\*?(?!/) ?", "\n", text)).strip()


def balanced(text, start):
    """The end of the parenthesis that opens at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise Fault("unbalanced parentheses")


MEMBER = re.compile(r"\s*(?P<type>(?:const )?\w+(?:\s*\*(?:\s*const\b\s*\*?)?)?)\s+(?P<name>\w+)(?P<array>\[\w+\])?\s*(?P<default>ADJ_DEFAULT)?")


def read_members(body, place):
    """Members of a structure, in order, with their defaults and comments."""
    members, at, line = [], 0, place[1]
    while True:
        blank = re.compile(r"(?:\s|/\*.*?\*/)*", re.S).match(body, at)  # comments between members belong to none
        at = blank.end()
        if at >= len(body):
            return members
        where = f"{place[0]}:{line + body[:at].count(chr(10))}"
        match = MEMBER.match(body, at)
        if not match:
            raise Fault(f"{where}: cannot read '{body[at:at + 60].splitlines()[0]}'")
        at, default = match.end(), None
        if match["default"]:
            end = balanced(body, at)
            default = re.sub(r"\s+", " ", body[at + 1:end].strip())
            at = end + 1
        semicolon = re.compile(r"\s*;").match(body, at)
        if not semicolon:
            raise Fault(f"{where}: {match['name']}: expected ADJ_DEFAULT(...) and a semicolon")
        at = semicolon.end()
        comment = re.compile(r"[ \t]*/\*(.*?)\*/", re.S).match(body, at)
        if comment:
            at = comment.end()
        ctype = re.sub(r"\s*\*\s*", "*", match["type"])
        members.append(Member(ctype, match["name"], match["array"], default, clean_comment(comment[1]) if comment else "", where))


class Header:
    """Enumerations and structures of one file."""

    def __init__(self, path):
        self.path, self.family = path, path.stem
        text = path.read_text(encoding="utf-8")
        place = str(path.relative_to(ROOT))
        self.operators = re.findall(r"^ADJ_OPERATOR\((\d+), (\w+), (\w+), (\w+)\)", text, re.M)
        self.enums, self.structs, self.functions = {}, {}, set()
        for match in re.finditer(r"typedef int32_t (adj_\w+);\s*enum \{(.*?)\};", text, re.S):
            self.enums[match[1]] = read_enumerators(match[2], f"{place}: {match[1]}")
        self.functions.update(re.findall(r"typedef [^;{}]*\(\*\s*(adj_\w+)\)", text))
        for match in re.finditer(r"(?:/\*((?:(?!\*/).)*)\*/\s*)?typedef struct (adj_\w+) \{\n(.*?)\n\} (\w+);", text, re.S):
            line = text[:match.start(3)].count("\n") + 1
            about = re.sub(r"^ ?\*? ?", "", match[1] or "", flags=re.M)
            self.structs[match[2]] = Struct(match[2], read_members(match[3], (place, line)), about.strip(), self.family)


def read_enumerators(body, place):
    """[(name, value, comment)]"""
    found, following = [], 0
    for match in re.finditer(r"(ADJ_\w+)\s*(?:=\s*(\w+))?\s*,?\s*(?:/\*(.*?)\*/)?", body, re.S):
        value = int(match[2], 0) if match[2] else following
        found.append((match[1], value, clean_comment(match[3] or "")))
        following = value + 1
    if not found:
        raise Fault(f"{place}: no enumerators")
    return found


class Tree:
    def __init__(self):
        self.types = Header(ROOT / "include/adjoint/types.h")
        self.families = [Header(p) for p in sorted(OPS.glob("*.h"))
                         if p.name not in ("operator.h", "all.gen.h") and not p.name.endswith("_init.h")]
        self.enums, self.structs, self.functions = dict(self.types.enums), dict(self.types.structs), set(self.types.functions)
        interface = Header(ROOT / "capi/adjoint.h")
        self.structs.update(interface.structs)
        self.functions |= interface.functions
        for family in self.families:
            self.enums.update(family.enums)
            self.structs.update(family.structs)
            self.functions |= family.functions
        self.operators = self.read_table()
        self.lend_comments()
        self.of_family = {f.family: [o for o in self.operators if o.family == f.family] for f in self.families}

    def read_table(self):
        operators = [Operator(int(number), *names, header.family) for header in self.families for number, *names in header.operators]
        for what in ("id", "name", "cpp"):
            seen = set()
            for o in operators:
                if getattr(o, what) in seen:
                    raise Fault(f"{o.family}.h: {o.name}: {what} {getattr(o, what)} belongs to another operator")
                seen.add(getattr(o, what))
        for o in operators:
            if o.upper != o.name.upper():
                raise Fault(f"{o.family}.h: {o.name}: expected {o.name.upper()}, found {o.upper}")
            if o.cpp.lower() != o.name.replace("_", ""):
                raise Fault(f"{o.family}.h: {o.name}: {o.cpp} is another name")
            for part in ("descriptor", "args"):
                struct = self.structs.get(f"adj_{o.name}_{part}")
                if not struct:
                    raise Fault(f"{o.family}.h: {o.name}: there is no adj_{o.name}_{part}")
                setattr(o, part, struct)
                first = struct.members[0]
                expected = f"ADJ_HEADER_OF({struct.name}, ADJ_TAG_{o.upper}_{part.upper()})"
                if (first.ctype, first.name) != ("adj_header", "header") or first.default != expected:
                    first.fault(f"the first member of {struct.name} must be adj_header header ADJ_DEFAULT({expected})")
                for m in struct.members:
                    if m.default is None:
                        m.fault("no ADJ_DEFAULT(...)")
        named = {f"adj_{o.name}_descriptor" for o in operators}
        for name, struct in self.structs.items():
            if name.endswith("_descriptor") and name not in named:
                raise Fault(f"{struct.family}.h: {name} has no line ADJ_OPERATOR")
        return sorted(operators, key=lambda o: o.id)

    def lend_comments(self):
        """Gives a field without a comment the comment of the same field of an earlier operator in its header."""
        said = {}
        for o in self.operators:
            for m in o.descriptor.members:
                m.comment = m.comment or said.get((o.family, m.name, m.ctype), "")
                if m.comment:
                    said.setdefault((o.family, m.name, m.ctype), m.comment)

    # -- the meaning of members

    def choices(self, enum, place):
        """Names of an enumeration's values from 0 on."""
        names = [name for name, _, _ in self.enums[enum]]
        if [value for _, value, _ in self.enums[enum]] != list(range(len(names))):
            raise Fault(f"{place}: the values of {enum} must count from 0 on")
        prefix = "ADJ_" + enum[len("adj_"):].upper() + "_"
        if not all(n.startswith(prefix) for n in names):
            prefix = names[0]
            while not (prefix.endswith("_") and all(n.startswith(prefix) for n in names)):
                prefix = prefix[:-1]
        return ",".join(n[len(prefix):].lower() for n in names)

    def fields(self, o):
        """[(member, kind, choices or None)]"""
        found, members = [], o.descriptor.members
        kinds = {"int64_t": "kFieldI64", "int32_t": "kFieldI32", "double": "kFieldF64", "adj_dtype": "kFieldDtype", "adj_shape": "kFieldShape",
                 "adj_axes": "kFieldAxes", "const char*": "kFieldText", "void*": "kFieldPointer", "const void*": "kFieldPointer"}
        lists = {"const int64_t*": "kFieldI64List", "const double*": "kFieldF64List"}
        for before, m in zip(members, members[1:]):
            if m.reserved:
                if m.ctype != "uint32_t":
                    m.fault("a reserved member is a uint32_t")
            elif m.ctype in lists:
                if before.ctype != "int64_t":
                    m.fault("the int64_t member directly before a list is its count")
                found.pop()
                found.append((m, lists[m.ctype], None))
            elif m.ctype == "const void*" and (before.ctype, before.name) == ("int64_t", m.name + "_bytes"):
                found.pop()
                found.append((m, "kFieldBytes", None))
            elif m.ctype in kinds:
                found.append((m, kinds[m.ctype], None))
            elif m.ctype in self.functions:
                found.append((m, "kFieldPointer", None))
            elif m.ctype in self.enums:
                found.append((m, "kFieldI32", self.choices(m.ctype, m.place)))
            else:
                m.fault(f"a descriptor cannot have a member of type {m.ctype}")
        return found

    def slots(self, o):
        return [Slot(m, o) for m in o.args.members[1:] if not m.reserved]


class Slot:
    KINDS = {"adj_tensor": "tensor", "adj_tensor_list": "list", "adj_scalar": "scalar", "adj_random": "random", "void*": "handle"}

    def __init__(self, member, operator):
        self.member, self.name = member, member.name
        self.kind = self.KINDS.get(member.ctype) or member.fault(f"an operator cannot have an argument of type {member.ctype}")
        match = re.match(r"(in/out|in|out)\b[\s,:]*", member.comment)
        if not match:
            member.fault("its comment must begin with in, out or in/out")
        self.role = match[1]
        rest, self.optional, self.host, self.conditional = member.comment[match.end():], False, False, "exactly when" in member.comment
        conditions = []
        while True:
            marker = re.match(r"(optional|host|(?:with|without|only for|only with)\b[^,;:\[]*)(?:[,:;]\s*|$)", rest)
            if not marker:
                break
            if marker[1] not in ("optional", "host"):
                conditions.append(marker[1].strip())
            self.optional |= marker[1] == "optional"
            self.host |= marker[1] == "host"
            self.conditional |= marker[1] not in ("optional", "host")
            rest = rest[marker.end():]
        if self.role == "out" and "in/out when" in rest:
            self.role = "in/out"
        self.about = ", ".join(conditions + [rest] if rest else conditions)
        self.conditions, self.rest = conditions, rest
        known = [m.name for m in operator.args.members[1:]]
        self.equals = []
        for names in re.findall(r"may be ((?:\w+(?:, | or ))*\w+) itself", rest):
            for name in re.split(r", | or ", names):
                if name not in known:
                    member.fault(f"may be {name} itself: no such argument")
                self.equals.append(name)
        if self.equals and self.role == "in":
            member.fault("an input cannot be another argument itself")
        self.parts = re.findall(r"may be a part of (\w+)", rest)
        for name in self.parts:
            if name not in known:
                member.fault(f"may be a part of {name}: no such argument")

    @property
    def given(self):
        return "depends" if self.conditional else "optional" if self.optional else "always"

    @property
    def enumerator(self):
        return "k" + camel(self.name)


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


# ---- the layout, for Rust

class Layout:
    """The layout that tests/abi/layout.py recorded: the public headers after the preprocessor."""

    def __init__(self):
        self.structs, self.enums, self.typedefs, self.functions, self.version = {}, {}, [], [], None
        for line in (ROOT / "tests/abi/layout-1.golden").read_text(encoding="utf-8").splitlines():
            kind, _, rest = line.strip().partition(" ")
            if kind == "interface":
                self.version = rest.split(".")
            elif kind == "struct":
                fields = self.structs.setdefault(rest.split()[0], {})
            elif kind == "field":
                name, _, _, declaration = rest.split(" ", 3)
                fields[name] = declared(declaration)[0]
            elif kind == "enum":
                name, value = rest.split()
                self.enums[name] = int(value)
            elif kind == "typedef":
                self.typedefs.append(rest)
            elif kind == "function":
                self.functions.append(rest)


def declared(text):
    """("const char*", "name") for "const char* name". An array's extent goes with the type."""
    text, bracket, extent = text.partition("[")
    match = re.match(r"(.*?[\s*])(\w+)$", text.strip())
    return match[1].strip() + bracket + extent, match[2]


RUST = {"void": "c_void", "char": "c_char", "int32_t": "i32", "int64_t": "i64", "uint32_t": "u32", "uint64_t": "u64", "double": "f64"}


def rust_type(c):
    c = c.strip()
    if "[" in c:
        element, extent = c[:-1].split("[")
        return f"[{rust_type(element)}; {'ADJ_MAX_RANK' if extent == '8' else extent}]"
    if c.endswith("*"):
        pointee = c[:-1].strip()
        if pointee.endswith("const"):
            return "*const " + rust_type(pointee[:-5])
        if pointee.startswith("const ") and not pointee.endswith("*"):
            return "*const " + rust_type(pointee[6:])
        return "*mut " + rust_type(pointee)
    return RUST.get(c, c)


def rust_parameters(text, named=True):
    if text.strip() == "void":
        return ""
    pairs = [declared(p) for p in text.split(",")]
    keywords = {"type", "fn", "in", "ref", "move", "where"}
    return ", ".join((f"{n + '_' if n in keywords else n}: " if named else "") + rust_type(t) for t, n in pairs)


# ---- Python

PYTHON = {"char": "_c.c_char", "int32_t": "_c.c_int32", "int64_t": "_c.c_int64", "uint32_t": "_c.c_uint32", "uint64_t": "_c.c_uint64",
          "double": "_c.c_double"}
FIELD_KINDS = {"kFieldI64": "i64", "kFieldI32": "i32", "kFieldDtype": "dtype", "kFieldF64": "f64", "kFieldI64List": "i64[]", "kFieldShape": "shape",
               "kFieldAxes": "axes", "kFieldF64List": "f64[]", "kFieldText": "text", "kFieldPointer": "pointer",
               "kFieldBytes": "bytes"}
DTYPE_WORDS = "f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool".split()


def python_type(tree, c, result=False):
    """The ctypes type of a C type. A pointer is a bare address, unless it is a string."""
    c = c.strip()
    if "[" in c:
        element, extent = c[:-1].split("[")
        return f"{python_type(tree, element)} * {extent}"
    if c in ("const char*", "const char *"):
        return "_c.c_char_p"
    if c.endswith("*") or c in tree.functions:
        return "_c.c_void_p"
    return "None" if c == "void" else PYTHON.get(c) or ("_c.c_int32" if c in tree.enums or c == "adj_op" else c)


def python_enum(name, values):
    """A class for an enumeration. Its names lose the prefix that they share."""
    short, names = name[len("adj_"):], [n for n, _, _ in values]
    shared = names[0][:names[0].rindex("_") + 1]
    while not all(n.startswith(shared) for n in names):
        shared = shared[:shared[:-1].rindex("_") + 1]
    prefixes = [shared] if shared != "ADJ_" else [f"ADJ_{short.upper()}_", "ADJ_ERROR_", "ADJ_"]
    lines = [f"class {camel(short)}(_enum.IntEnum):"]
    for n, value, _ in values:
        prefix = next(p for p in prefixes if n.startswith(p))
        lines.append(f"    {n[len(prefix):]} = {value}")
    return lines + ["", ""]


def letters(o):
    """The one-letter names of fields: a comment "V >= 0" names its field V."""
    return {match[1]: m.name for m in o.descriptor.members if (match := re.match(r"([A-Z]) (?:>=|in\b)", m.comment))}


def slot_rule(tree, o, slot):
    """(dims, dtype) of a tensor as its comment states them. Either is None when the comment does not state it in a word.

    A dimension is a number, the name of a field, ("*", field) for all dimensions of a shape, or (factor, field)."""
    fields = {m.name: kind for m, kind, _ in tree.fields(o)}
    names = {**letters(o), **{name: name for name in fields}}
    if "shape" in fields and "axis" in fields:  # a norm, whose axis splits the shape
        names.update(rows="rows", columns="columns")

    def dimension(text):
        if text.isdigit():
            return int(text)
        if match := re.fullmatch(r"(\d+) \* (\w+)", text):
            return (int(match[1]), names[match[2]]) if match[2] in names else None
        if fields.get(text) == "kFieldShape":
            return ("*", text)
        return names.get(text)

    bracket = re.match(r"\[([^\]]*)\],?\s*(.*)", slot.rest)
    shape = re.match(r"(?:shape )?(\w+)\b,?\s*(.*)", slot.rest)
    if bracket:
        dims, rest = [dimension(d.strip()) for d in bracket[1].split(",")], bracket[2]
        if None in dims or rest.startswith("for none"):
            dims = None
    elif shape and fields.get(shape[1]) == "kFieldShape":
        dims, rest = [("*", shape[1])], shape[2]
        if rest.startswith("without"):
            dims = None
    else:
        dims, rest = None, slot.rest.replace("the broadcast shape, ", "")
    word = re.match(r"(\w+)( \(f64 for f64\))?", rest)
    dtype = None
    if word and (word[1] in DTYPE_WORDS or fields.get(word[1]) == "kFieldDtype"):
        dtype = word[1] + ("/f64" if word[2] else "")
    if ", or " in slot.rest.partition(";")[0] or "; of " in slot.rest:
        dims = dtype = None
    return (tuple(dims) if dims else None), dtype


def slot_condition(tree, o, slot):
    """(field, value) for an argument that is there exactly when that field has that value, else None."""
    fields = {m.name for m, _, _ in tree.fields(o)}
    for text in slot.conditions:
        match = re.fullmatch(r"(with|without) (\w+)", text)
        if match and match[2] in fields:
            return match[2], int(match[1] == "with")
    match = re.search(r"exactly when (\w+) (?:==|is) (\d+)(?! and)", slot.rest)
    return (match[1], int(match[2])) if match and match[1] in fields else None


def python_default(m):
    """The default of a scalar, as a Python expression."""
    text = m.default.strip("{} ")
    return 'float("nan")' if text == "ADJ_NAN" else repr(float(text)) if text else "0.0"


def python_module(tree, layout):
    lines = ['"""' + NOTE.format("the C headers") + '"""', "import ctypes as _c", "import enum as _enum", "from collections import namedtuple as _namedtuple", "",
             f"ABI_MAJOR = {layout.version[0]}", f"ABI_MINOR = {layout.version[1]}", "", ""]
    for name, values in tree.enums.items():
        if name != "adj_op":
            lines += python_enum(name, values)
    for name, fields in layout.structs.items():
        lines.append(f"class {name}(_c.Structure):")
        rows = [f'("{field}", {python_type(tree, ctype)})' for field, ctype in fields.items()]
        lines += wrapped("    _fields_ = [", rows, "]", "                ", 138) + ["", ""]
    for text in layout.typedefs:
        if match := re.fullmatch(r"(.*?)\(\* ?(\w+)\)\((.*)\)", text):
            types = [python_type(tree, match[1])] + [python_type(tree, declared(p)[0]) for p in match[3].split(",")]
            lines.append(f"{match[2]} = _c.CFUNCTYPE({', '.join(types)})")
    lines += ["", "# name: (result, parameters)", "FUNCTIONS = {"]
    for text in layout.functions:
        head, _, parameters = text.partition("(")
        result, name = declared(head)
        parameters = parameters.rstrip(")")
        types = [] if parameters.strip() == "void" else [python_type(tree, declared(p)[0]) for p in parameters.split(",")]
        lines.append(f'    "{name}": ({python_type(tree, result)}, ({", ".join(types)}{"," if len(types) == 1 else ""})),')
    lines += ["}", "", '# Tags of the structures that are no operator\'s, by name.', "TAGS = {"]
    for name, struct in tree.structs.items():
        tag = re.search(r"ADJ_TAG_\w+", struct.members[0].default or "")
        if tag and tag[0] in layout.enums and name in layout.structs and not name.endswith(("_descriptor", "_args")):
            lines.append(f'    "{name}": {layout.enums[tag[0]]},')
    lines += ["}", "",
              "# extra: the names of an enumeration's values, the field whose type a type of 0 stands for, or the count of a list or of bytes.",
              'Field = _namedtuple("Field", "name kind extra about")',
              "# dims and dtype: shape and element type as the header states them, or None; condition: (field, value) that the argument is there for;",
              "# equals: the arguments that an output may be the very buffer of.",
              'Slot = _namedtuple("Slot", "name kind role presence host dims dtype condition default equals about")',
              'Operator = _namedtuple("Operator", "id name family descriptor args fields slots about")', "", "OPERATORS = {}", "", "",
              "def _operator(number, name, family, fields, slots, about):",
              '    descriptor, args = globals()[f"adj_{name}_descriptor"], globals()[f"adj_{name}_args"]',
              "    OPERATORS[name] = Operator(number, name, family, descriptor, args, tuple(Field(*f) for f in fields), tuple(Slot(*s) for s in slots), about)",
              "", ""]
    for o in tree.operators:
        lines += [f'_operator({o.id}, "{o.name}", "{o.family}", (']
        members = o.descriptor.members
        for m, kind, choices in tree.fields(o):
            extra = None
            if choices is not None:
                extra = tuple(choices.split(","))
            elif kind == "kFieldDtype":
                same = re.search(r"\b0 = (\w+)", m.comment)
                extra = same[1] if same and same[1] in {x.name for x in members} else None
            elif kind in ("kFieldI64List", "kFieldF64List", "kFieldBytes"):
                extra = members[members.index(m) - 1].name
            lines.append(f'    ("{m.name}", "{FIELD_KINDS[kind]}", {extra!r}, {m.comment!r}),')
        lines.append("), (")
        for s in tree.slots(o):
            dims, dtype = slot_rule(tree, o, s) if s.kind in ("tensor", "list") else (None, None)
            default = python_default(s.member) if s.kind == "scalar" else None
            lines.append(f'    ("{s.name}", "{s.kind}", "{s.role}", "{s.given}", {s.host}, {dims!r}, {dtype!r}, {slot_condition(tree, o, s)!r}, '
                         f'{default}, {tuple(s.equals)!r}, {s.about!r}),')
        lines.append(f'), {o.descriptor.about.rstrip()!r})')
    return "\n".join(lines + [""])


# ---- writing

def wrapped(head, items, tail, indent, width=132):
    """A list of short items, filled into lines."""
    lines, line = [], head
    for i, item in enumerate(items):
        piece = item + ("," if i + 1 < len(items) else tail)
        if len(line) + 1 + len(piece) > width:
            lines.append(line.rstrip())
            line = indent + piece
        else:
            line += (" " if line and not line.endswith(" ") else "") + piece
    return lines + [line]


def c_value(tree, m):
    """A member's default as a C initialiser."""
    if m.default.startswith("ADJ_HEADER_OF"):
        return m.default
    if m.default == "nullptr":
        return "NULL"
    struct = tree.structs.get(m.ctype)
    if not struct:
        if m.default.startswith("{"):
            m.fault(f"{m.default} is no value of {m.ctype}")
        return m.default
    if m.default == "{}" and struct.members[0].ctype != "double":  # with a double first, compilers warn that {0} is incomplete
        return "{0}"
    values = [v.strip() for v in m.default.strip("{}").split(",") if v.strip()] if "{" not in m.default[1:] else None
    if values is None:
        return m.default
    for missing in struct.members[len(values):]:
        values.append("{0}" if missing.array else "NULL" if missing.ctype.endswith("*") else "0")
    return "{" + ", ".join(values) + "}"


def init_header(tree, family):
    guard = f"ADJOINT_OPS_{family.upper()}_INIT_H"
    lines = ["/* " + NOTE.format(f"{family}.h") + " */", f"#ifndef {guard}", f"#define {guard}", "", f'#include "{family}.h"', "", "#ifndef __cplusplus"]
    for o in tree.of_family[family]:
        for struct in (o.descriptor, o.args):
            part = "DESCRIPTOR" if struct is o.descriptor else "ARGS"
            values = [c_value(tree, m) for m in struct.members]
            lines.append(f"#define ADJ_{o.upper}_{part}_INIT \\")
            rows = wrapped("  {", values, " }", "    ", 118)
            lines += [row + (" \\" if row is not rows[-1] else "") for row in rows]
    lines += ["#endif", ""]
    lines += [f"ADJ_CPP_NAMES({o.cpp}, {o.name})" for o in tree.of_family[family]]
    return "\n".join(lines + ["", "#endif", ""])


def all_header(tree):
    lines = ["/* " + NOTE.format("the headers beside it") + " */", "#ifndef ADJOINT_OPS_ALL_GEN_H", "#define ADJOINT_OPS_ALL_GEN_H", ""]
    return "\n".join(lines + [f'#include "{f.family}.h"' for f in tree.families] + ["", "#endif", ""])


def operator_list(tree):
    lines = ["// " + NOTE.format("the headers of include/adjoint/ops"), "#pragma once", "", "// X(name, NAME), in the order of the ids.", "#define ADJ_OP_TABLE(X) \\"]
    return "\n".join(lines + [f"  X({o.name}, {o.upper}) \\" for o in tree.operators] + ["  /* the end */", ""])


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if text is not None else "nullptr"


def tables(tree, family):
    lines = ["// " + NOTE.format(f"include/adjoint/ops/{family}.h"), "#pragma once", "", f"#include <adjoint/ops/{family}.h>", "", '#include "plan/op.hpp"', '#include "plan/structs.hpp"', ""]
    for o in tree.of_family[family]:
        slots, fields = tree.slots(o), tree.fields(o)
        lines += [f"namespace adj::{o.name}_tables {{", "", f"using Descriptor = {o.descriptor.name};", f"using Args = {o.args.name};",
                  f'inline constexpr const char* kName = "{o.name}";', "inline const Descriptor kDefault{};"]
        lines.append("inline const Args kDefaultArgs{};")
        lines += wrapped("enum Slot : int {", [s.enumerator for s in slots], " };", "    ")
        lines.append("inline constexpr SlotInfo kSlots[] = {")
        for s in slots:
            equals = " | ".join(f"1u << k{camel(name)}" for name in s.equals) or "0"
            parts = "".join(f", 1u << k{camel(name)}" for name in s.parts)
            lines.append(f'    {{"{s.name}", offsetof(Args, {s.name}), SlotKind::{s.kind}, Role::{s.role.replace("/", "")}, {equals}, '
                         f'Space::{"host" if s.host else "stream"}, Given::{s.given}, {quoted(s.about)}{parts}}},')
        lines += ["};", "inline constexpr Field kFields[] = {"]
        for m, kind, choices in fields:
            lines.append(f'    {{"{m.name}", {quoted(choices)}, {kind}, offsetof(Descriptor, {m.name}), {quoted(m.comment)}}},')
        lines += ["};", "// Facts that stand in the header. The operator's planning adds its functions and rows.", "inline OpInfo base_info() {", "  OpInfo info{};", f"  info.id = ADJ_OP_{o.upper};", "  info.name = kName;",
                  f'  info.family = "{o.family}";',
                  "  info.descriptor_size = sizeof(Descriptor);", "  info.args_size = sizeof(Args);",
                  f"  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_{o.upper}_DESCRIPTOR));",
                  f"  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_{o.upper}_ARGS));",
                  "  info.default_descriptor = &kDefault;", "  info.default_args = &kDefaultArgs;", "  info.fields = kFields;", "  info.slots = kSlots;", "  return info;", "}", "",
                  f"}}  // namespace adj::{o.name}_tables", ""]
    return "\n".join(lines)


def rust_number(tree, text, kind, m):
    """A C number or enumerator as an expression of a Rust type."""
    if kind == "f64":
        if re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", text):
            return text if "." in text or "e" in text else text + ".0"
        if text in ("ADJ_NAN", "NAN"):
            return "f64::NAN"
    elif text.endswith("_MAX") or text.endswith("_MIN"):
        return f"{kind}::{text[-3:]}"
    elif re.fullmatch(r"-?\d+|ADJ_\w+", text):
        return text
    return m.fault(f"no Rust for {text}")


def rust_value(tree, text, ctype, array, m):
    """The Rust expression of a default, or None when all its bytes are zero."""
    text = text.strip()
    if array:
        values = [v for v in text.strip("{} ").split(",") if v.strip()]
        if all(v.strip() == "0" for v in values):
            return None
        return "[" + ", ".join([rust_number(tree, v.strip(), rust_type(ctype), m) for v in values] + ["0"] * (8 - len(values))) + "]"
    if text in ("nullptr", "NULL", "0", "{}", "{0}"):
        return None
    if ctype in tree.structs:
        parts, depth, part = [], 0, ""
        for c in text[1:-1]:
            depth += {"{": 1, "}": -1}.get(c, 0)
            if c == "," and depth == 0:
                parts.append(part)
                part = ""
            else:
                part += c
        parts.append(part)
        members = tree.structs[ctype].members
        given = [(x.name, rust_value(tree, p, x.ctype, x.array, m)) for x, p in zip(members, parts)]
        given = [f"{name}: {value}" for name, value in given if value]
        return f"{ctype} {{ {', '.join(given)}, ..{ctype}::default() }}" if given else None
    value = rust_number(tree, text, "f64" if ctype == "double" else "u64" if ctype == "uint64_t" else "i64" if ctype == "int64_t" else "i32", m)
    return None if value in ("0", "0.0") else value


def rust_doc(text, indent):
    """A comment of a header as Rust documentation."""
    return [f"{indent}/// {line}".rstrip() for line in re.sub(r"([\[\]<>*|`\\])", r"\\\1", text.strip()).splitlines()]


def function_comments():
    """{function: the comment before its declaration, or behind it}"""
    text = (ROOT / "capi/adjoint.h").read_text(encoding="utf-8")
    found = {}
    for m in re.finditer(r"(?:/\*((?:(?!\*/).)*)\*/\n)?ADJ_API [^;(]*?(\w+)\([^;]*\) ADJ_NOEXCEPT;(?:[ \t]*/\*(.*?)\*/)?", text, re.S):
        before = "" if (m[1] or "").startswith(" ----") else m[1] or ""
        found[m[2]] = "\n".join(t for t in (re.sub(r"^ ?\*? ?", "", before, flags=re.M).strip(), clean_comment(m[3] or "")) if t)
    return found


def rust_sys(tree, layout):
    enumerators = {name: comment for values in tree.enums.values() for name, _, comment in values}
    for o in tree.operators:
        enumerators[f"ADJ_OP_{o.upper}"] = f"Id of the operator {o.name}."
        enumerators[f"ADJ_TAG_{o.upper}_DESCRIPTOR"] = f"Tag of adj_{o.name}_descriptor."
        enumerators[f"ADJ_TAG_{o.upper}_ARGS"] = f"Tag of adj_{o.name}_args."
    comments = function_comments()
    lines = ["// " + NOTE.format("the C headers"), "use super::*;", "", "/// Version of the interface; a library of another major is refused.", f"pub const ADJ_ABI_MAJOR: u32 = {layout.version[0]};",
             "/// Version of the interface; a library of an earlier minor is refused.", f"pub const ADJ_ABI_MINOR: u32 = {layout.version[1]};", ""]
    opaque = []
    for text in layout.typedefs:
        if match := re.fullmatch(r"struct (\w+) (\w+)", text):
            opaque.append(match[2])
        elif match := re.fullmatch(r"(.*?)\(\* ?(\w+)\)\((.*)\)", text):
            result = "" if match[1].strip() == "void" else f" -> {rust_type(match[1])}"
            lines.append(f"/// The function type {match[2]} of the C interface.")
            lines.append(f"pub type {match[2]} = Option<unsafe extern \"C\" fn({rust_parameters(match[3], named=False)}){result}>;")
        else:
            ctype, name = declared(text)
            lines.append(f"/// The enumeration {name} of the C interface.")
            lines.append(f"pub type {name} = {rust_type(ctype)};")
    lines += ["", "opaque! { " + " ".join(opaque) + " }", "", "constants! {"]
    for name, value in layout.enums.items():
        lines += rust_doc(enumerators.get(name) or f"`{name}` of adjoint.h.".replace("`", ""), "    ") + [f"    {name} = {value},"]
    lines += ["}", "", "structures! {"]
    for name, fields in layout.structs.items():
        struct = tree.structs[name]
        about = struct.about or (f"Arguments of {name[4:-5]}." if name.endswith("_args") else f"The structure {name} of adjoint.h.")
        lines += rust_doc(about, "    ") + [f"    struct {name} {{"]
        said = {m.name: m.comment for m in struct.members}
        for field, ctype in fields.items():
            common = {"header": "Size, tag and chain; its default is right.", "reserved": "0."}
            text = said.get(field) or common.get(field.rstrip("0123456789"), f"The member {field}.")
            lines += rust_doc(text, "        ") + [f"        {field}: {rust_type(ctype)},"]
        lines.append("    }")
    lines += ["}", "", "functions! {"]
    for text in layout.functions:
        head, _, parameters = text.partition("(")
        result, name = declared(head)
        lines += rust_doc(comments.get(name) or f"The function {name} of adjoint.h.", "    ")
        lines.append(f"    fn {name}({rust_parameters(parameters.rstrip(')'))})" + ("" if result == "void" else f" -> {rust_type(result)}") + ";")
    lines += ["}", "", "defaults! {"]
    plain = []
    for name, fields in layout.structs.items():
        struct = tree.structs[name]
        values = [(m.name, rust_value(tree, m.default or "0", m.ctype, m.array, m)) for m in struct.members if m.name != "header"]
        given = ", ".join(f"{n}: {v}" for n, v in values if v)
        if "header" in fields:
            tag = re.search(r"ADJ_TAG_\w+", struct.members[0].default)[0]
            lines.append(f"    {name} {tag} {{ {given} }}" if given else f"    {name} {tag} {{}}")
        elif not given and name != "adj_header":
            plain.append(name)
    lines += ["}", "zero_defaults! { " + " ".join(plain) + " }", ""]
    return "\n".join(lines)


RUST_TAKEN = set("""Send Sync Sized Copy Clone Drop Fn Default Option Some None Result Ok Err Box String Vec Iterator Extend Eq Ord From Into
                    Op In Out Scalar Random Handle Plan Bound Error Stream Status Dtype Math Backend Element Workspace""".split())


def rust_ops(tree):
    kinds = {"tensor": ("In", "Out"), "list": ("ListIn", "ListOut"), "scalar": ("Scalar", "Scalar"), "random": ("Random", "Random"), "handle": ("Handle", "Handle")}
    lines = ["// " + NOTE.format("the C headers"), "use super::*;", "#[allow(unused_imports)] // not every kind of argument and of field need occur",
             "use crate::{Bytes, Handle, In, Integers, ListIn, ListOut, Out, Random, Reals, Scalar, Text};", "", "operators! {"]
    numbers, lists = [], []
    list_kinds = {"kFieldI64List": "Integers", "kFieldF64List": "Reals", "kFieldText": "Text", "kFieldBytes": "Bytes"}
    for o in tree.operators:
        name = o.cpp + ("Op" if o.cpp in RUST_TAKEN else "")
        about = o.descriptor.about.split("\n\n")[0].rstrip()
        if about:
            lines += ["    /// ```text"] + [f"    /// {line}".rstrip() for line in about.splitlines()] + ["    /// ```"]
        lines.append(f"    {name} = ADJ_OP_{o.upper} ({o.descriptor.name}, {o.args.name}) {{")
        for s in tree.slots(o):
            lines += rust_doc(f"{s.role}, {s.member.comment[len(s.role):].lstrip(' ,:')}" if s.member.comment.startswith(s.role) else s.member.comment, "        ")
            lines.append(f"        {s.name.upper()}: {kinds[s.kind][s.role != 'in']} = {s.name},")
        lines.append("    } fields {")
        members = o.descriptor.members
        for m, kind, _ in tree.fields(o):
            count = members[members.index(m) - 1]
            if kind in list_kinds:
                lines += rust_doc(m.comment or f"The field {m.name}.", "        ")
                lines.append(f"        FIELD_{m.name.upper()}: {list_kinds[kind]} = {m.name}" + ("," if kind == "kFieldText" else f" ({count.name}),"))
        lines.append("    } pointers {")
        for m, kind, _ in tree.fields(o):
            if kind in list_kinds or kind == "kFieldPointer":
                lines.append(f"        {m.name},")
        lines.append("    }")
        pointers = [(m, kind) for m, kind, _ in tree.fields(o) if kind in ("kFieldI64List", "kFieldF64List", "kFieldText", "kFieldPointer",
                                                                                              "kFieldBytes")]
        if not pointers:
            numbers.append(name)
        elif len(pointers) == 1 and pointers[0][1] == "kFieldI64List":
            members = o.descriptor.members
            lists.append(f"{name}({members[members.index(pointers[0][0]) - 1].name}, {pointers[0][0].name})")
    lines += ["}", ""]
    lines += wrapped("tensor_operators! {", [n for n in numbers], " }", "    ") + wrapped("list_operators! {", lists, " }", "    ")
    return "\n".join(lines + [""])


def outputs(tree):
    """{path: text} of every generated file, except the layout and the files made from it."""
    files = {OPS / "all.gen.h": all_header(tree), ROOT / "src/ops/table.gen.hpp": operator_list(tree)}
    for f in tree.families:
        if not tree.of_family[f.family]:
            raise Fault(f"{f.family}.h: no line ADJ_OPERATOR")
        files[OPS / f"{f.family}_init.h"] = init_header(tree, f.family)
        files[ROOT / f"src/ops/{f.family}/tables.gen.hpp"] = tables(tree, f.family)
    return files


def rust_files(tree):
    return {ROOT / "capi/rust/src/sys/generated.rs": rust_sys(tree, Layout()), ROOT / "capi/rust/src/ops/generated.rs": rust_ops(tree)}


def python_files(tree):
    return {ROOT / "capi/python/adjoint/_generated.py": python_module(tree, Layout())}


def first_sizes(tree):
    sizes = {}
    for line in (ROOT / "tests/abi/layout-1.golden").read_text(encoding="utf-8").splitlines():
        if line.startswith("struct "):
            sizes.setdefault(line.split()[1], int(line.split()[2]))
    lines = ["// " + NOTE.format("tests/abi/layout-1.golden"), "#pragma once", "",
             "// X(tag, bytes): the size of every structure that begins with adj_header, in the first version of the interface that has it.",
             "#define ADJ_FIRST_SIZES(X) \\"]
    for name, struct in tree.structs.items():
        tag = re.search(r"ADJ_TAG_\w+", struct.members[0].default or "")
        if tag and name in sizes:
            lines.append(f"  X({tag[0]}, {sizes[name]}) \\")
    return {ROOT / "src/plan/first_sizes.gen.hpp": "\n".join(lines + ["  /* the end */", ""])}


def stale(files):
    """Generated files of families that no longer exist."""
    there = list(OPS.glob("*_init.h")) + list(ROOT.glob("src/ops/*/tables.gen.hpp"))
    return [p for p in there if p not in files]


def update_layout():
    subprocess.run([sys.executable, ROOT / "tests/abi/layout.py", "update", ROOT / "tests/abi/layout-1.golden"], check=True)


def recorded_header():
    """The public header, preprocessed, a declaration a line."""
    text = subprocess.run(["cc", "-E", "-P", "-std=c11", f"-I{ROOT}/include", f"-I{ROOT}/capi", "-include", "stddef.h", "-include", "stdint.h",
                           "-x", "c", "-"], input='"adjoint-begin";\n#include <adjoint.h>\n', capture_output=True, text=True, check=True).stdout
    text = text.split('"adjoint-begin";', 1)[1]
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r" ?__attribute__ ?\(\(visibility\(\"default\"\)\)\) ?", "\n", text)
    text = re.sub(r"enum \{(.*?)\};", lambda m: "enum {\n  " + re.sub(r", (?=ADJ_)", ",\n  ", m[1].strip().rstrip(",").strip()) + "\n};", text)
    text = re.sub(r"(typedef struct \w+ \{)(.*?)(\} \w+;)", lambda m: m[1] + "".join(f"\n  {d.strip()};" for d in m[2].split(";") if d.strip()) + "\n" + m[3], text)
    text = re.sub(r" ?; ?(?=typedef|enum|struct|extern)", ";\n", text).replace(") ;", ");").strip()
    text = re.sub(r"\n+", "\n", text)
    return ("/* Interface 1.0 as it was first recorded: the declarations of capi/adjoint.h, preprocessed. Never changed: old programs were\n"
            " * compiled with it, and old_consumer.c is one of them. */\n#include <stddef.h>\n#include <stdint.h>\n" + text + "\n")


def record(build):
    (ROOT / "tests/abi/adjoint-1.0.h").write_text(recorded_header(), encoding="utf-8")
    target = "tests/abi/libadjoint_interface.so"
    subprocess.run(["ninja", "-C", build, target], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, ROOT / "tests/abi/abidiff.py", "update", build / target, ROOT / "tests/abi/adjoint-1.abi", ROOT / "capi", ROOT / "include"], check=True)


def differing(files):
    return [p for p, text in files.items() if not p.exists() or p.read_text(encoding="utf-8") != text]


def write(files):
    for path in differing(files):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
        print(path.relative_to(ROOT))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", metavar="BUILD", type=pathlib.Path)
    options = parser.parse_args()
    try:
        tree = Tree()
        files = outputs(tree)
        gone = stale(files)
        if options.check:
            wrong = differing({**files, **first_sizes(tree), **rust_files(tree), **python_files(tree)}) + gone
            for path in wrong:
                print(f"{path.relative_to(ROOT)} does not follow from the headers: run tools/generate.py", file=sys.stderr)
            sys.exit(bool(wrong))
        for path in gone:
            path.unlink()
        write(files)
        update_layout()
        write(first_sizes(tree))
        write(rust_files(tree))
        write(python_files(tree))
    except Fault as fault:
        sys.exit(f"generate.py: {fault}")
    if options.record:
        record(options.record.resolve())


if __name__ == "__main__":
    main()
