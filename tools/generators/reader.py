"""Reads the hand-written C headers.

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
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
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
        first = re.match(r"/\*(.*?)\*/", text, re.S)
        self.about = re.split(r"(?<=\.)\s", clean_comment(first[1]), maxsplit=1)[0] if first else ""  # the first sentence of the file
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
        interface = Header(ROOT / "include/adjoint.h")
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
