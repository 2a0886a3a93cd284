"""The interface in Python."""
import keyword as keyword_list
import re

from generators.reader import NOTE, ROOT, Layout, camel, declared, wrapped

PYTHON = {"char": "_c.c_char", "int32_t": "_c.c_int32", "int64_t": "_c.c_int64", "uint32_t": "_c.c_uint32", "uint64_t": "_c.c_uint64",
          "double": "_c.c_double"}


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


ARRAYS = {"tensor": "Array", "list": "Sequence[Array]", "scalar": "Scalar", "random": "Random", "handle": "int"}
VALUES = {"kFieldI64": "int", "kFieldI32": "int", "kFieldDtype": "DtypeLike", "kFieldF64": "float", "kFieldI64List": "Sequence[int]",
          "kFieldShape": "Sequence[int]", "kFieldAxes": "Sequence[int]", "kFieldF64List": "Sequence[float]", "kFieldText": "str",
          "kFieldPointer": "Any", "kFieldBytes": "str | bytes"}
SUFFIXES = {"kFieldDtype": "_dtype", "kFieldShape": "_shape"}  # of the keyword of a field that has the name of an argument; else _mode
OPTIONS = "stream: Stream | int | None = ..., preference: Preference | None = ..., workspace: Array | None = ..., dtype: str | None = ..."


def operator_stub(tree, o):
    """The signature of an operator as a function, as adjoint/_functions.py makes it: inputs by position, everything else by keyword."""
    slots, fields = tree.slots(o), tree.fields(o)
    names = {s.name for s in slots}
    is_output = lambda s: s.role == "out" or s.role == "in/out" and s.kind == "tensor"
    inputs = [s for s in slots if s.kind in ("tensor", "list") and not is_output(s)]
    outputs = [s for s in slots if s.kind in ("tensor", "list") and is_output(s)]
    rest = [s for s in slots if s.kind not in ("tensor", "list")]
    needed = [s.given == "always" for s in inputs]
    required = needed.index(False) if False in needed else len(inputs)
    parts = [f"{s.name}: {ARRAYS[s.kind]}" + (" | None = ..." if i >= required else "") for i, s in enumerate(inputs)] + ["*"]
    parts += [f"{s.name}: {ARRAYS[s.kind]} | bool | None = ..." for s in outputs] + [f"{s.name}: {ARRAYS[s.kind]} | None = ..." for s in rest]
    for m, kind, choices in fields:
        keyword = m.name + SUFFIXES.get(kind, "_mode") if m.name in names else m.name
        value = VALUES[kind] if choices is None else "Literal[" + ", ".join(f'"{c}"' for c in choices.split(",")) + f"] | _e.{camel(m.ctype[len('adj_'):])} | int"
        parts.append(f"{keyword}: {value} = ...")
    name = o.name + "_" if keyword_list.iskeyword(o.name) else o.name
    return [*wrapped(f"@Function\ndef {name}(", [*parts, OPTIONS], ") -> Any: ...", "    ")]


def python_stubs(tree):
    """adjoint/ops.pyi: every operator."""
    lines = ["# " + NOTE.format("the C headers"), "from typing import Any, Literal, Sequence", "", "from . import _generated as _e",
             "from ._functions import Function", "from ._library import Array, DtypeLike, Preference, Random, Scalar, Stream", "",
             "def documentation(operator: Any) -> str: ..."]
    for o in tree.operators:
        lines += ["", *operator_stub(tree, o)]
    return "\n".join([*lines, ""])


def python_module(tree, layout):
    lines = ['"""' + NOTE.format("the C headers") + '"""', "import ctypes as _c", "import enum as _enum", "",
             f"ABI_MAJOR = {layout.version[0]}", f"ABI_MINOR = {layout.version[1]}", "", ""]
    for name, values in tree.enums.items():
        if name != "adj_op":
            lines += python_enum(name, values)
    for name, fields in layout.structs.items():
        if name.endswith(("_descriptor", "_args")):  # the library describes operators itself
            continue
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
    lines.append("}")
    return "\n".join(lines + [""])


def python_files(tree):
    package = ROOT / "capi/python/adjoint"
    return {package / "_generated.py": python_module(tree, Layout()), package / "ops.pyi": python_stubs(tree)}
