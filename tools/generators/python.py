"""The interface in Python."""
import ast
import keyword
import re

from generators.reader import NOTE, ROOT, camel, declared, wrapped
from generators.version import version

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
    return "None" if c == "void" else PYTHON.get(c) or ("_c.c_int32" if c in tree.enums else c)


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


def keyword_of(tree, o, m, kind):
    """What a field is called in a call."""
    return m.name + SUFFIXES.get(kind, "_mode") if m.name in {s.name for s in tree.arguments(o)} else m.name


def keyword_parts(tree, o, but=()):
    """The keywords of an operator as a function, typed, without those that the function has already: outputs, the rest of the arguments, fields, options."""
    arguments, fields, parts = tree.arguments(o), tree.fields(o), []
    for s in arguments:
        if s.name not in but:
            parts.append(f"{s.name}: {ARRAYS[s.kind]} | {'bool | ' if is_output(s) else ''}None = ...")
    for m, kind, choices in fields:
        word = keyword_of(tree, o, m, kind)
        value = VALUES[kind]
        if choices is not None:
            words = ", ".join(f'"{c}"' for c in choices.split(","))
            value = f"Literal[{words}] | _e.{camel(m.ctype[len('adj_'):])} | int"
        if word not in but:
            parts.append(f"{word}: {value} = ...")
    return [*parts, OPTIONS]


def is_output(argument):
    return argument.kind in ("tensor", "list") and (argument.role == "out" or argument.role == "in/out" and argument.kind == "tensor")


def written(name, parts):
    first, *rest = wrapped(f"def {name}( ", parts, ") -> Any: ...", "    ")
    return ["@Function", first.replace("( ", "(", 1), *rest]


def operator_stub(tree, o):
    """The signature of an operator as a function, as adjoint/ops.py makes it: inputs by position, everything else by keyword."""
    inputs = [s for s in tree.arguments(o) if s.kind in ("tensor", "list") and not is_output(s)]
    needed = [s.given == "always" for s in inputs]
    required = needed.index(False) if False in needed else len(inputs)
    parts = [f"{s.name}: {ARRAYS[s.kind]}" + (" | None = ..." if i >= required else "") for i, s in enumerate(inputs)]
    name = o.name + "_" if keyword.iskeyword(o.name) else o.name
    return written(name, [*parts, "*", *keyword_parts(tree, o, {s.name for s in inputs})])


STUB = ["# " + NOTE.format("the C headers"), "from typing import Any, Callable, Generic, Literal, Sequence, TypeVar", "", "from . import _generated as _e"]


def operator_stubs(tree):
    """adjoint/ops.pyi: every operator."""
    lines = [*STUB, "from ._generated import Rejection, Sku",
             "from ._call import Bound", "from ._library import Array, DtypeLike, Preference, Random, Scalar, Stream", "from ._plan import Plan", "",
             "from typing_extensions import ParamSpec", "", 'P = ParamSpec("P")', 'R = TypeVar("R", covariant=True)', "",
             "class Function(Generic[P, R]):", "    build: Any", "    operator: Any",
             "    def __init__(self, function: Callable[P, R]) -> None: ...", "    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ..."]
    for verb, result in (("select", "Plan"), ("sku", "Sku"), ("explain", "list[Rejection]"), ("bind", "Bound")):
        lines.append(f"    def {verb}(self, *args: P.args, **kwargs: P.kwargs) -> {result}: ...")
    lines += ["", "def function(name: str) -> Function[..., Any]: ..."]
    for o in tree.operators:
        lines += ["", *operator_stub(tree, o)]
    return "\n".join([*lines, ""])


def function_stub(tree, name, operator, own, types, words, but=()):
    """The signature of a function of adjoint/functional.py: its own parameters, without the first, then the keywords of its operator."""
    o = next(o for o in tree.operators if o.name == operator)
    kinds = {s.name: s.kind for s in tree.arguments(o)}
    optional = [None] * (len(own.args) - len(own.defaults)) + own.defaults
    parts, taken = [], set(words)
    for i, (argument, default) in enumerate([*zip(own.args, optional), ("*", None), *zip(own.kwonlyargs, own.kw_defaults)]):
        if argument == "*":
            parts.append("*")
        elif i and argument.arg not in but:
            value = ast.literal_eval(default) if default else None
            hint = types.get(argument.arg) or (ARRAYS[kinds[argument.arg]] if value is None else type(value).__name__)
            if default and value is None and "None" not in hint:
                hint += " | None"
            parts.append(f"{argument.arg}: {hint}" + (" = ..." if default else ""))
            taken.add(argument.arg)
    return written(name, [*parts, *keyword_parts(tree, o, taken)])


def function_stubs(tree, source):
    """adjoint/functional.pyi, from the lines _function of functional.py and the enumerations of activations."""
    lines = [*STUB, "from ._library import Array, DtypeLike, Preference, Random, Scalar, Stream", "from .ops import Function", ""]
    lines += [f"{name}: tuple[str, ...]" for name in ("FUNCTIONS", "GATED_FUNCTIONS", "SAVED_OUTPUT")]
    body = ast.parse(source).body
    types = next(s.value for s in body if isinstance(s, ast.Assign) and s.targets[0].id == "_TYPES")
    types = {name.value: ast.unparse(kind).strip("'") for name, kind in zip(types.keys, types.values)}
    defined = {s.name: s for s in body if isinstance(s, ast.FunctionDef)}
    for call in (s.value for s in body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and s.value.func.id == "_function"):
        operators, build = call.args[0].value.split(), call.args[1]
        own, keywords = (defined[build.id] if isinstance(build, ast.Name) else build).args, {k.arg: k.value for k in call.keywords}
        words = set(keywords) - {"about", "name", "results", "each"}
        for operator in operators:
            name = keywords["name"].value if "name" in keywords else operator.replace("_forward", "")
            lines += ["", *function_stub(tree, name, operator, own, types, words)]
            family, _, end = operator.replace("_forward", "").partition("_backward")
            for value, _, _ in tree.enums["adj_" + family][1:] if "each" in keywords else ():
                one = value[len(f"ADJ_{family}_"):].lower() + operator[len(family):].replace("_forward", "")
                lines += ["", *function_stub(tree, one, operator, own, types, words, {"function"})]
    names = re.findall(r"^def (\w+)", "\n".join(lines), re.M)
    return "\n".join([*lines, "", *wrapped("__all__ = [", [f'"{n}"' for n in names], "]", "           "), ""])


# Structures that the library fills in and the package returns: the named tuple of each, and what it is. Members stand in the order of the structure.
RECORDS = {"adj_guarantee": ("Guarantee", "|computed - exact| <= bound_ulp * ulp + bound_terms * (sum of the terms' magnitudes) + bound_absolute.\\n\\n"
                             "Three zeros mean equal bits."),
           "adj_sku_info": ("Sku", "One concrete kernel."), "adj_plan_info": ("PlanInfo", "What a run of a plan takes."),
           "adj_kernel_info": ("Kernel", "The machine code of one kernel."), "adj_device_info": ("Device", "A CUDA device."),
           "adj_library_info": ("LibraryInfo", "A library that is loaded at run time."),
           "adj_rejection": ("Rejection", "One candidate of a selection: its SKU, and Status.OK or why it was not taken.")}
ORDERS = {"adj_rejection": ["sku", "code", "reason"]}  # of members, where it is another


def records(tree, layout):
    """The named tuples of RECORDS. The name of an operator stands for its number."""
    types = {}
    for struct, (name, about) in RECORDS.items():
        members = {m: c for m, c in layout.structs[struct].items() if m not in ("header", "reserved") and c != "adj_op"}
        types.update((m, camel(c[len("adj_"):])) for m, c in members.items() if c in tree.enums)
        order = ORDERS.get(struct) or [m.removesuffix("_name") for m in members]
        yield from (f'{name} = _namedtuple("{name}", "{" ".join(order)}")', f'{name}.__doc__ = "{about}"')
    yield from wrapped("RECORDS = {", [f"{name}: {struct}" for struct, (name, _) in RECORDS.items()], "}", "           ", 138)
    yield "# Enumerations that are the type of a member, by its name."
    yield f"MEMBERS = {{{', '.join(f'{m!r}: {kind}' for m, kind in types.items())}}}"


def gradients(tree):
    """What the lines ADJ_GRADIENT say."""
    yield "# The gradient of an operator. operator: that computes it; \"\" where the gradient is the last of the inputs, times the others. inputs: its arguments, and what"
    yield "# they are in the forward call, the first that is there; d and the name of an output is the gradient of that. conditions: inputs, and fields of both, that"
    yield "# count only if that field or gradient is there, or with ! if that input is not. outputs: its output for each argument of the forward call. fields: from"
    yield "# what the forward call has of a name. taken: fields that the forward call takes for it."
    yield 'Gradient = _namedtuple("Gradient", "operator inputs conditions outputs fields taken", defaults=("", {}, {}, {}, {}, ()))'
    yield "GRADIENTS = {"
    for o in (o for o in tree.operators if o.gradient):
        g = o.gradient
        words = {m.name: keyword_of(tree, g.operator, m, kind) for m, kind, _ in tree.fields(g.operator)} if g.operator else {}
        fields = {words[name]: f'lambda have: have("{source}").shape' + ("" if at is None else f"[{at}]") for name, source, at in g.fields}
        fields.update((words[name], f'lambda have: int(have("{other}") == 0)') for name, other in g.negated)
        parts = [repr(g.operator.name if g.operator else ""), repr({name: tuple(sources) for name, sources, _ in g.inputs}),
                 repr({**{name: condition for name, _, condition in g.inputs if condition}, **{words[name]: condition for name, condition in g.along}}), repr(g.outputs),
                 "{" + ", ".join(f"{name!r}: {value}" for name, value in fields.items()) + "}", repr(tuple(g.taken))]
        pieces = ", ".join(parts).replace("'", '"').split(", ")
        yield from wrapped(f'    "{o.name}": Gradient(' + pieces[0] + ",", pieces[1:], "),", "        ", 150)
    yield "}"


def python_module(tree, layout):
    lines = ['"""' + NOTE.format("the C headers") + '"""', "import ctypes as _c", "import enum as _enum",
             "from collections import namedtuple as _namedtuple", "",
             f'VERSION = "{version()}"', f"ABI_MAJOR = {layout.version[0]}", f"ABI_MINOR = {layout.version[1]}", "", ""]
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
    lines += ["", "# Named tuples of structures that functions fill in.", *records(tree, layout), "", *gradients(tree), "", "# name: (result, parameters)", "FUNCTIONS = {"]
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


def package_stub(tree, source, functions):
    """adjoint/__init__.pyi: what __init__.py imports, and the operators that functional.py has no function for."""
    taken = set(re.findall(r"^def (\w+)", functions, re.M))
    lines = [STUB[0], "__version__: str"]
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ImportFrom):
            names = [a.name if a.name == "*" else f"{a.name} as {a.name}" for a in statement.names if not (a.asname or "").startswith("_")]
            if not names:
                continue
            lines += wrapped(f"from .{statement.module or ''} import (", names, ")", "    ") if names != ["*"] else [f"from .{statement.module} import *"]
    names = [o.name for o in tree.operators if o.name not in taken and not keyword.iskeyword(o.name)]
    lines = [line.replace("( ", "(") for line in lines]
    return "\n".join([*lines, *wrapped("from .ops import (", [f"{n} as {n}" for n in names], ")", "    "), ""])


def python_files(tree, layout):
    package = ROOT / "capi/python/adjoint"
    source = (package / "functional.py").read_text(encoding="utf-8")
    functions = function_stubs(tree, source)
    return {package / "_generated.py": python_module(tree, layout), package / "ops.pyi": operator_stubs(tree),
            package / "functional.pyi": functions,
            package / "__init__.pyi": package_stub(tree, (package / "__init__.py").read_text(encoding="utf-8"), functions)}
