"""Reads the hand-written C headers: declarations and annotations. README.md beside this file has the grammar.

What is read must be understood: anything else is a Fault, one line with file, line, and what is wrong. Comments are for people. The comment
just before a descriptor says what the operator computes; the comment behind a member goes with it into documentation."""
import pathlib
import re

from generators.expressions import COMPUTED, TYPES, Scope, Wrong, condition, parse, split_list, typed
from generators.fields import MOST_ELEMENTS, Bounds, conditions
from generators.gradients import Gradient

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NOTE = "Written by tools/generate.py from {}. Do not edit."


class Fault(Exception):
    """A fault in a header, with its place."""


class Member:
    """notes: the text in the parentheses of each annotation, by its name without ADJ_; None for an annotation without parentheses."""

    def __init__(self, ctype, name, array, notes, comment, place):
        self.ctype, self.name, self.array, self.notes, self.comment, self.place = ctype, name, array, notes, comment, place
        self.default = notes.get("DEFAULT")

    def fault(self, text):
        raise Fault(f"{self.place}: {self.name}: {text}")

    @property
    def reserved(self):
        return self.name.startswith("reserved")

    @property
    def range(self):
        """(least, most) of an integer, or of the entries of a list, that states them, else None."""
        if "FLAG" in self.notes:
            return 0, 1
        if "RANGE" not in self.notes or self.ctype == "double":
            return None
        match = re.fullmatch(r"(-?\d+)(?:, (-?\d+))?", self.notes["RANGE"])
        if not match:
            self.fault("ADJ_RANGE takes the least value, and the most where it is not that of an extent")
        return int(match[1]), int(match[2] or MOST_ELEMENTS)

    @property
    def bounds(self):
        """The Bounds of a real number that states them, else None."""
        return Bounds(self) if "RANGE" in self.notes and self.ctype == "double" else None


class Struct:
    def __init__(self, name, members, about, family, place):
        self.name, self.members, self.about, self.family, self.place = name, members, about, family, place


class Operator:
    def __init__(self, number, name, upper, cpp, header, place):
        self.id, self.name, self.upper, self.cpp, self.family, self.place = number, name, upper, cpp, header.family, place
        self.lets = header.lets
        self.descriptor = self.args = self.gradient = None

    def fault(self, text):
        raise Fault(f"{self.place}: {self.name}: {text}")


def clean_comment(text):
    return re.sub(r"\s+", " ", re.sub(r"\n\s*\*?(?!/) ?", "\n", text)).strip()


def balanced(text, start):
    """The end of the parenthesis that opens at start; None when it is not closed. Those in quotation marks do not count."""
    depth, quoted = 0, False
    for i in range(start, len(text)):
        quoted ^= text[i] == '"'
        depth += 0 if quoted else {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return None


MEMBER = re.compile(r"\s*(?P<type>(?:const )?\w+(?:\s*\*(?:\s*const\b\s*\*?)?)?)\s+(?P<name>\w+)(?P<array>\[\w+\])?")
NOTE_OF_MEMBER = re.compile(r"\s*(\w+)(\s*\()?")
ROLES = {"IN": "in", "OUT": "out", "INOUT": "in/out"}
NOTES_OF_ARGUMENTS = [*ROLES, "READ_IF", "WRITTEN_IF", "OPTIONAL", "OPTIONAL_IF", "ONLY_IF", "MAY_BE", "PART_OF", "HOST", "ON_DEVICE_IF", "STRIDES"]
NOTES_OF_FIELDS = ["ZERO_IS", "REST", "FOLDS", "FOLDS_IF", "FLAG", "RANGE", "TYPES", "ONLY_IF", "REFUSE"]
WITHOUT_PARENTHESES = ["OPTIONAL", "HOST", "REST", "FOLDS", "FLAG"]
OTHER_NAMES = {"cols": "columns"}


def read_notes(body, at, fault):
    """The annotations behind the name of a member, and where they end. REFUSE has a list of texts, for it may stand there several times."""
    notes = {}
    while match := NOTE_OF_MEMBER.match(body, at):
        name, text = match[1].removeprefix("ADJ_"), None
        if not match[1].startswith("ADJ_") or name not in ("DEFAULT", *NOTES_OF_ARGUMENTS, *NOTES_OF_FIELDS):
            fault(f"there is no annotation {match[1]}")
        if name in notes and name != "REFUSE":
            fault(f"{match[1]} stands there twice")
        if (match[2] is None) != (name in WITHOUT_PARENTHESES):
            fault(f"{match[1]} {'takes no parentheses' if match[2] else 'needs parentheses'}")
        at = match.end()
        if match[2]:
            end = balanced(body, at - 1)
            if end is None:
                fault(f"the parenthesis of {match[1]} is not closed")
            text = re.sub(r"\s+", " ", body[at:end].strip())
            at = end + 1
        notes[name] = [*notes.get(name, []), text] if name == "REFUSE" else text
    return notes, at


def read_members(body, place):
    """Members of a structure, in order, with their annotations and comments."""
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
        ctype = re.sub(r"\s*\*\s*", "*", match["type"])
        member = Member(ctype, match["name"], match["array"], {}, "", where)
        member.notes, at = read_notes(body, match.end(), member.fault)
        member.default = member.notes.get("DEFAULT")
        semicolon = re.compile(r"\s*;").match(body, at)
        if not semicolon:
            member.fault("expected ADJ_DEFAULT(...), annotations and a semicolon")
        at = semicolon.end()
        comment = re.compile(r"[ \t]*/\*(.*?)\*/", re.S).match(body, at)
        if comment:
            at = comment.end()
            member.comment = clean_comment(comment[1])
        members.append(member)


class Header:
    """Enumerations and structures of one file. The place of a family's file is given as people type it."""

    def __init__(self, path):
        self.path, self.family = path, path.stem
        text = path.read_text(encoding="utf-8")
        self.place = place = "include/" + str(path).rpartition("/include/")[2]
        at = lambda match, group=0: f"{place}:{text[:match.start(group)].count(chr(10)) + 1}"
        head = re.match(r"/\*(.*?)\*/", text, re.S)
        self.about = re.sub(r"^ ?\*? ?", "", head[1] if head else "", flags=re.M).strip()
        self.summary = re.split(r"(?<=\.)\s", clean_comment(head[1]), maxsplit=1)[0] if head else ""  # its first sentence
        self.includes = re.findall(r"^#include (.*)", text, re.M)
        self.operators, self.lets = [], {}
        for match in re.finditer(r"^ADJ_OPERATOR\((.*)\)$", text, re.M):
            parts = re.fullmatch(r"(\d+), (\w+), (\w+), (\w+)", match[1])
            if not parts:
                raise Fault(f"{at(match)}: ADJ_OPERATOR takes an id and the name in three spellings, found {match[1]}")
            self.operators.append((int(parts[1]), parts[2], parts[3], parts[4], at(match)))
        for match in re.finditer(r"^ADJ_LET(.*)$", text, re.M):
            parts = re.fullmatch(r"\((\w+), (.*)\)", match[1])
            if not parts:
                raise Fault(f"{at(match)}: ADJ_LET: expected a name and an expression, in one line")
            name, expression = parts.groups()
            if name in self.lets or name in TYPES:
                raise Fault(f"{at(match)}: ADJ_LET: {name} has a meaning already")
            try:
                expressions = parse(expression)
                if len(expressions) != 1:
                    raise Wrong(f"expected one expression, found {len(expressions)}")
                expressions[0].text = expression
            except Wrong as wrong:
                raise Fault(f"{at(match)}: ADJ_LET({name}): {wrong}") from None
            self.lets[name] = expressions[0]
        self.gradients = [(match[1], at(match)) for match in re.finditer(r"^ADJ_GRADIENT(.*)$", text, re.M)]
        self.enums, self.structs, self.functions = {}, {}, set()
        for match in re.finditer(r"^ADJ_(?:OPEN_)?ENUM\((adj_\w+)\) \{(.*?)\};", text, re.S | re.M):
            self.enums[match[1]] = read_enumerators(match[2], f"{at(match)}: {match[1]}")
        self.functions.update(re.findall(r"typedef [^;{}]*\(\*\s*(adj_\w+)\)", text))
        for match in re.finditer(r"(?:/\*((?:(?!\*/).)*)\*/\s*)?typedef struct (adj_\w+) \{\n(.*?)\n\} (\w+);", text, re.S):
            line = text[:match.start(3)].count("\n") + 1
            about = re.sub(r"^ ?\*? ?", "", match[1] or "", flags=re.M)
            self.structs[match[2]] = Struct(match[2], read_members(match[3], (place, line)), about.strip(), self.family, at(match, 2))


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
    """All headers below `include`, which is a copy of include/ where a test has changed one."""

    def __init__(self, include=ROOT / "include"):
        self.types = Header(include / "adjoint/types.h")
        self.families = [Header(p) for p in sorted((include / "adjoint/ops").glob("*.h")) if p.name != "operator.h"]
        self.enums, self.structs, self.functions = dict(self.types.enums), dict(self.types.structs), set(self.types.functions)
        interface = Header(include / "adjoint.h")
        for header in (interface, Header(include / "adjoint/ops/operator.h")):
            self.enums.update(header.enums)
        self.structs.update(interface.structs)
        self.functions |= interface.functions
        for family in self.families:
            self.enums.update(family.enums)
            self.structs.update(family.structs)
            self.functions |= family.functions
        self.operators = self.read_table()
        self.lend_comments()
        self.of_family = {f.family: [o for o in self.operators if o.family == f.family] for f in self.families}
        self.check()
        for family in self.families:
            for text, place in family.gradients:
                gradient = Gradient(self, text, place)
                gradient.forward.descriptor.about += "\n\n" + gradient.sentence

    def read_table(self):
        operators = [Operator(number, name, upper, cpp, header, place) for header in self.families
                     for number, name, upper, cpp, place in header.operators]
        for what in ("id", "name", "cpp"):
            seen = {}
            for o in operators:
                mine = getattr(o, what)
                if mine in seen:
                    free = f"; the next free id is {max(x.id for x in operators) + 1}" if what == "id" else ""
                    o.fault(f"the {'C++ name' if what == 'cpp' else what} {mine} belongs to {seen[mine].name}{free}")
                seen[mine] = o
        for o in operators:
            if o.upper != o.name.upper():
                o.fault(f"expected {o.name.upper()}, found {o.upper}")
            if o.cpp.lower() != o.name.replace("_", ""):
                o.fault(f"{o.cpp} is another name")
            for part in ("descriptor", "args"):
                struct = self.structs.get(f"adj_{o.name}_{part}")
                if not struct:
                    o.fault(f"there is no adj_{o.name}_{part}")
                setattr(o, part, struct)
                first = struct.members[0]
                expected = f"ADJ_HEADER_OF({struct.name}, ADJ_TAG_{o.upper}_{part.upper()})"
                if (first.ctype, first.name) != ("adj_header", "header") or first.default != expected:
                    first.fault(f"the first member of {struct.name} must be adj_header header ADJ_DEFAULT({expected})")
                allowed = ["DEFAULT"] + (NOTES_OF_FIELDS if part == "descriptor" else NOTES_OF_ARGUMENTS)
                for m in struct.members:
                    if m.default is None:
                        m.fault("no ADJ_DEFAULT(...)")
                    for note in m.notes:
                        if note not in allowed:
                            m.fault(f"ADJ_{note} has no meaning in a structure of {'fields' if part == 'descriptor' else 'arguments'}")
        named = {f"adj_{o.name}_descriptor" for o in operators}
        for name, struct in self.structs.items():
            if name.endswith("_descriptor") and name not in named:
                raise Fault(f"{struct.place}: {name} has no line ADJ_OPERATOR")
        return sorted(operators, key=lambda o: o.id)

    def check(self):
        """Refuses what compiles but is not allowed, or says nothing."""
        for family in self.families:
            for needed in ('"operator.h"', f"<adjoint/ops/{family.family}_init.h>"):
                if needed not in family.includes:
                    raise Fault(f"{family.place}:1: there is no line #include {needed}")
            if not family.about:
                raise Fault(f"{family.place}:1: no comment says what holds for all operators of the header")
        for struct in self.structs.values():
            self.size(struct)
        for o in self.operators:
            if o.name.endswith("_grad"):
                o.fault(f"a gradient is named {o.name.removesuffix('_grad')}_backward")
            for m in (*o.descriptor.members, *o.args.members):
                if m.name in OTHER_NAMES:
                    m.fault(f"this interface says {OTHER_NAMES[m.name]}")
            if not o.descriptor.about:
                raise Fault(f"{o.descriptor.place}: no comment before {o.descriptor.name} says what the operator computes")
            for m, _, _ in self.fields(o):
                if not m.comment and not m.range and not m.bounds and "TYPES" not in m.notes and (m.ctype not in self.enums or m.ctype == "adj_dtype"):
                    m.fault("no comment says what the field means")
            self.check_order(o)
            scope = self.scope(o)
            for name in scope.lets:
                if name in scope.fields:
                    o.fault(f"the ADJ_LET {name} has the name of a field")
            for m in o.descriptor.members:
                if "ZERO_IS" in m.notes and (m.ctype != "adj_dtype" or scope.fields.get(m.notes["ZERO_IS"], ("",))[0] != "type"):
                    m.fault("ADJ_ZERO_IS is for an element type and names the field with another")
                if "FLAG" in m.notes and m.ctype != "int32_t":
                    m.fault("ADJ_FLAG is for an int32_t")
                if "RANGE" in m.notes and ("FLAG" in m.notes or m.ctype not in ("int64_t", "int32_t", "const int64_t*", "double")):
                    m.fault("ADJ_RANGE is for a number without ADJ_FLAG, or a list of integers")
                if m.range and m.range[0] > m.range[1]:
                    m.fault("the least value of ADJ_RANGE is above the most")
                grouping = [note for note in ("REST", "FOLDS", "FOLDS_IF") if note in m.notes]
                if grouping and (m.ctype != "int64_t" or m.name not in scope.fields):
                    m.fault(f"ADJ_{grouping[0]} is for an extent, which is an int64_t")
                if len(grouping) > 1:
                    m.fault(f"ADJ_{grouping[0]} and ADJ_{grouping[1]} together")
                if "FOLDS_IF" in m.notes:
                    try:
                        condition(parse(m.notes["FOLDS_IF"])[0], scope)
                    except Wrong as wrong:
                        m.fault(f"ADJ_FOLDS_IF: {wrong}")
                m.bounds  # refuses what is no range
                if "TYPES" in m.notes and m.ctype != "adj_dtype":
                    m.fault("ADJ_TYPES is for an element type")
                conditions(m, scope)
            self.arguments(o)

    ORDER = ("a size, a shape or a number", "a mode or a flag", "an element type", "reserved")

    def check_order(self, o):
        """Fields stand in the order of ORDER."""
        place = lambda m: 3 if m.reserved else 2 if m.ctype == "adj_dtype" else 1 if m.ctype == "int32_t" or m.ctype in self.enums else 0
        members = o.descriptor.members[1:]
        for before, m in zip(members, members[1:]):
            if place(m) < place(before):
                m.fault(f"{self.ORDER[place(m)]} stands behind {before.name}, {self.ORDER[place(before)]}: sizes, shapes and numbers come first, then modes "
                        "and flags, then element types, then what is reserved")

    def size(self, struct):
        """The bytes of a structure, which has no padding."""
        at = 0
        for m in struct.members:
            one, align = self.size_of(m)
            if at % align:
                m.fault(f"{align - at % align} bytes of padding before it: put a uint32_t reserved there")
            at += one
        last = max(self.size_of(m)[1] for m in struct.members)
        if at % last:
            struct.members[-1].fault(f"{last - at % last} bytes of padding behind it: put a uint32_t reserved there")
        return at

    def size_of(self, m):
        """(bytes, alignment) of a member."""
        if m.ctype.endswith("*") or m.ctype in self.functions:
            size = align = 8
        elif m.ctype in self.structs:
            nested = self.structs[m.ctype]
            size, align = self.size(nested), max(self.size_of(x)[1] for x in nested.members)
        elif m.ctype in self.enums:
            size = align = 4
        else:
            size = {"char": 1, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "double": 8}.get(m.ctype)
            align = size or m.fault(f"{m.ctype} is no type of the interface")
        if m.array:
            extent = {"ADJ_MAX_RANK": 8}.get(m.array[1:-1]) or int(m.array[1:-1])
            size *= extent
        return size, align

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

    def arguments(self, o):
        if not hasattr(o, "arguments"):
            scope = self.scope(o)
            o.arguments = [Argument(m, o, scope) for m in o.args.members[1:] if not m.reserved]
        return o.arguments

    KINDS = {"kFieldI64": "integer", "kFieldI32": "integer", "kFieldDtype": "type", "kFieldF64": "real", "kFieldI64List": "numbers",
             "kFieldShape": "shape", "kFieldAxes": "axes", "kFieldF64List": "pointer", "kFieldText": "text", "kFieldPointer": "pointer",
             "kFieldBytes": "pointer"}

    def scope(self, o):
        """The names that annotations of the operator's arguments may use."""
        fields, choices, counts = {}, {}, {}
        for m in o.descriptor.members:
            if m.ctype == "int64_t":
                fields[m.name] = ("integer", f"d.{m.name}")
        for m, kind, words in self.fields(o):
            fields[m.name] = ("enumeration" if words is not None else self.KINDS[kind], f"d.{m.name}")
            if words is not None:
                choices[m.name] = dict(zip(words.split(","), [name for name, _, _ in self.enums[m.ctype]]))
        for before, m in zip(o.descriptor.members, o.descriptor.members[1:]):
            if fields.get(m.name, ("",))[0] == "numbers":
                counts[m.name] = f"d.{before.name}"
        zero_is = {m.name: m.notes["ZERO_IS"] for m in o.descriptor.members if "ZERO_IS" in m.notes}
        return Scope(fields, o.lets, zero_is, choices, counts)


def joined(names):
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


class Argument:
    """An argument. rule: the nodes of its shape and its types, as annotated."""
    KINDS = {"adj_tensor": "tensor", "adj_tensor_list": "list", "adj_scalar": "scalar", "adj_random": "random", "void*": "handle"}

    def __init__(self, member, operator, scope):
        self.member, self.name, self.scope, notes = member, member.name, scope, member.notes
        self.kind = self.KINDS.get(member.ctype) or member.fault(f"an operator cannot have an argument of type {member.ctype}")
        roles = [note for note in notes if note in ROLES]
        if len(roles) != 1:
            member.fault("one of ADJ_IN, ADJ_OUT and ADJ_INOUT says its role")
        self.role, self.stated = ROLES[roles[0]], notes[roles[0]]
        for note, of in (("READ_IF", "out"), ("WRITTEN_IF", "in")):
            if note in notes and self.role != of:
                member.fault(f"ADJ_{note} goes with ADJ_{of.upper()}")
        if "READ_IF" in notes or "WRITTEN_IF" in notes:
            self.role = "in/out"
        self.optional, self.host = "OPTIONAL" in notes, "HOST" in notes
        if self.optional and "OPTIONAL_IF" in notes:
            member.fault("ADJ_OPTIONAL and ADJ_OPTIONAL_IF together")
        if "ON_DEVICE_IF" in notes and self.kind not in ("scalar", "random"):
            member.fault("ADJ_ON_DEVICE_IF is for a scalar or a random state")
        if "STRIDES" in notes and (self.kind != "tensor" or scope.fields.get(notes["STRIDES"], ("",))[0] != "axes"):
            member.fault("ADJ_STRIDES is for a tensor and names a list of strides among the fields")
        self.conditional = "ONLY_IF" in notes or "OPTIONAL_IF" in notes
        self.conditions = {note: self.read(note, condition)[0] for note in ("READ_IF", "WRITTEN_IF", "OPTIONAL_IF", "ONLY_IF", "ON_DEVICE_IF") if note in notes}
        known = {m.name: m for m in operator.args.members[1:]}
        self.equals, self.parts = self.names("MAY_BE", known), self.names("PART_OF", known)
        if self.equals and self.role == "in":
            member.fault("an input cannot be another argument itself")
        self.read_rule(roles[0])
        self.about = self.describe()
        self.when = " && ".join(self.spelt(notes[note]) for note in ("ONLY_IF", "OPTIONAL_IF") if note in notes)

    def read(self, note, check=typed, most=1):
        """The checked expressions of an annotation."""
        try:
            nodes = parse(self.member.notes[note])
            if len(nodes) > most or not nodes:
                raise Wrong(f"expected {'one expression' if most == 1 else f'1 to {most} expressions'}, found {len(nodes)}")
            return [check(node, self.scope) for node in nodes]
        except Wrong as wrong:
            self.member.fault(f"ADJ_{note}: {wrong}")

    def names(self, note, known):
        names = [name.strip() for name in self.member.notes[note].split(",")] if note in self.member.notes else []
        for name in names:
            if name not in known or known[name].ctype != self.member.ctype or name == self.name:
                self.member.fault(f"ADJ_{note}: {name} is no other argument of the same kind")
        return names

    def read_rule(self, note):
        """shape and type of tensors and lists (shape None: computed), types of scalars."""
        self.shape = self.type = self.nodes = None
        if self.kind in ("random", "handle"):
            if self.stated:
                self.member.fault(f"ADJ_{note} of a {self.kind} is empty")
            return
        if self.kind == "scalar":
            self.types = ["any_float"] if self.stated == "any_float" else [t.strip() for t in self.stated.split(",")]
            if self.types != ["any_float"] and (len(self.types) > 2 or any(t not in TYPES for t in self.types)):
                self.member.fault(f"ADJ_{note} of a scalar has one or two element types, or any_float; found {self.stated}")
            return

        def check(node, scope):
            return None if node.op == "name" and node.parts[0] == COMPUTED else typed(node, scope)
        found = self.read(note, check, 2)
        if len(found) != 2:
            self.member.fault(f"ADJ_{note}: expected a shape and an element type, found {self.stated}")
        self.shape, self.type = found
        self.nodes, self.texts = parse(self.stated), split_list(self.stated)
        if not self.type or self.type.kind != "type":
            self.member.fault(f"ADJ_{note}: the second is of the kind {self.type.kind if self.type else COMPUTED}, expected type")
        if self.shape and self.shape.kind != "shape":
            self.member.fault(f"ADJ_{note}: the first is of the kind {self.shape.kind}, expected shape")
        if self.shape and (self.shape.each is not None) != (self.kind == "list"):
            self.member.fault(f"ADJ_{note}: {'the shape of a list names no list of numbers' if self.kind == 'list' else f'{self.shape.each} is a list, and the argument is one tensor'}")
        if self.kind == "list" and self.shape and not self.shape.items:
            self.member.fault(f"ADJ_{note}: the shape of a list is written in brackets")

    def spelt(self, text):
        """An annotation with the expressions of ADJ_LET in the place of their names, also in such an expression."""
        def put(match):
            let = self.scope.lets.get(match[0])
            return match[0] if not let else self.spelt(let.text) if let.op in ("call", "shape") or match[0] == text else f"({self.spelt(let.text)})"
        return re.sub(r"\b[a-z_]\w*\b", put, text) if text else text

    def describe(self):
        """What the annotations say, in words, and the comment."""
        notes, words = {note: self.spelt(text) for note, text in self.member.notes.items()}, []
        if self.kind in ("tensor", "list"):
            stated = [self.spelt(text) for text in (self.texts if self.shape else self.texts[1:])]
            words.append((", " if any("?" in text for text in stated) else " ").join(stated))
        elif self.kind == "scalar":
            words.append("any floating-point type on the device" if self.types == ["any_float"] else f"{' or '.join(self.types)} on the device")
        for note, text in (("STRIDES", "or its span with {}"), ("ONLY_IF", "only if {}"), ("OPTIONAL_IF", "optional if {}"), ("ON_DEVICE_IF", "on the device if {}"),
                           ("READ_IF", "read if {}"), ("WRITTEN_IF", "written if {}")):
            if note in notes:
                words.append(text.format(notes[note]))
        if self.equals:
            words.append(f"may be {joined(self.equals)} itself")
        if self.parts:
            words.append(f"may be a part of {joined(self.parts)}")
        return ": ".join(filter(None, ["; ".join(words), self.member.comment]))

    @property
    def given(self):
        return "depends" if self.conditional else "optional" if self.optional else "always"

    @property
    def enumerator(self):
        return "k" + camel(self.name)


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def declared(text):
    """("const char*", "name") for "const char* name". An array's extent goes with the type."""
    text, bracket, extent = text.partition("[")
    match = re.match(r"(.*?[\s*])(\w+)$", text.strip())
    return match[1].strip() + bracket + extent, match[2]


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
