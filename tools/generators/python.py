"""The interface in Python."""
import re

from generators.expressions import TYPES, parse
from generators.reader import NOTE, ROOT, Layout, about_field, camel, declared, wrapped

PYTHON = {"char": "_c.c_char", "int32_t": "_c.c_int32", "int64_t": "_c.c_int64", "uint32_t": "_c.c_uint32", "uint64_t": "_c.c_uint64",
          "double": "_c.c_double"}
FIELD_KINDS = {"kFieldI64": "i64", "kFieldI32": "i32", "kFieldDtype": "dtype", "kFieldF64": "f64", "kFieldI64List": "i64[]", "kFieldShape": "shape",
               "kFieldAxes": "axes", "kFieldF64List": "f64[]", "kFieldText": "text", "kFieldPointer": "pointer",
               "kFieldBytes": "bytes"}


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


def slot_rule(tree, o, slot):
    """(dims, dtype) of a tensor as its annotation states them. Either is None where it takes a computation.

    A dimension is a number, the name of a field, ("*", field) for all dimensions of a shape, or (factor, field)."""
    fields = {m.name: kind for m, kind, _ in tree.fields(o)}
    names = set(fields) | ({"rows", "columns"} if "shape" in fields and "axis" in fields else set())  # of a norm, whose axis splits the shape

    def dimension(node):
        if node.op == "name" and node.parts[0] in o.lets:
            let = o.lets[node.parts[0]]
            if let.op == "?" and let.parts[0].parts == let.parts[1].parts:  # "x ? x : y": y unless x is given
                node = let.parts[2]
        if node.op == "number":
            return node.parts[0]
        if node.op == "name" and node.parts[0] in names:
            return ("*", node.parts[0]) if fields.get(node.parts[0]) == "kFieldShape" else node.parts[0]
        if node.op == "*" and node.parts[0].op == "number" and node.parts[1].op == "name":
            return node.parts[0].parts[0], node.parts[1].parts[0]
        return None

    if not slot.nodes:
        return None, None
    shape, dtype = slot.nodes
    while shape.op == "?" and shape.parts[0].op != "==":  # a flag gives another shape; without it there is this one
        shape = shape.parts[2]
    dims = None
    if slot.kind == "tensor" and "STRIDES" not in slot.member.notes:
        dims = [dimension(d) for d in (shape.parts if shape.op == "shape" else [shape])]
        if None in dims or shape.op == "name" and not isinstance(dims[0], tuple):
            dims = None
    if dtype.op == "call":
        return tuple(dims) if dims else None, "f32/f64" if dtype.parts[1].parts[0] == "element" else None
    return tuple(dims) if dims else None, dtype.parts[0] if dtype.op == "name" and (dtype.parts[0] in fields or dtype.parts[0] in TYPES) else None


def slot_condition(slot):
    """(field, value) for an argument that is there exactly when that flag has that value, else None."""
    if "ONLY_IF" not in slot.member.notes or slot.optional:
        return None
    node, value = parse(slot.member.notes["ONLY_IF"])[0], 1
    if node.op == "!=" and node.parts[1].parts == (0,):  # a factor: 1 unless the caller gives another
        return node.parts[0].parts[0], 1
    if node.op == "not":
        node, value = node.parts[0], 0
    return (node.parts[0], value) if node.op == "name" and slot.scope.fields[node.parts[0]][0] == "integer" else None


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
                extra = m.notes.get("ZERO_IS")
            elif kind in ("kFieldI64List", "kFieldF64List", "kFieldBytes"):
                extra = members[members.index(m) - 1].name
            lines.append(f'    ("{m.name}", "{FIELD_KINDS[kind]}", {extra!r}, {about_field(m)!r}),')
        lines.append("), (")
        for s in tree.slots(o):
            dims, dtype = slot_rule(tree, o, s) if s.kind in ("tensor", "list") else (None, None)
            default = python_default(s.member) if s.kind == "scalar" else None
            lines.append(f'    ("{s.name}", "{s.kind}", "{s.role}", "{s.given}", {s.host}, {dims!r}, {dtype!r}, {slot_condition(s)!r}, '
                         f'{default}, {tuple(s.equals)!r}, {s.about!r}),')
        lines.append(f'), {o.descriptor.about.rstrip()!r})')
    return "\n".join(lines + [""])


def python_files(tree):
    return {ROOT / "capi/python/adjoint/_generated.py": python_module(tree, Layout())}
