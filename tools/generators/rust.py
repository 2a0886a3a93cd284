"""The interface in Rust."""
import re

from generators.fields import about_field
from generators.reader import NOTE, ROOT, camel, clean_comment, declared, wrapped

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


def rust_number(tree, text, kind, m):
    """A C number or enumerator as an expression of a Rust type."""
    if kind in tree.enums and re.fullmatch(r"-?\d+", text):
        return f"{kind}({text})"
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
    value = rust_number(tree, text, {"double": "f64", "uint64_t": "u64", "int64_t": "i64"}.get(ctype, ctype if ctype in tree.enums else "i32"), m)
    return None if value in ("0", "0.0") else value


def rust_doc(text, indent):
    """A comment of a header as Rust documentation."""
    return [f"{indent}/// {line}".rstrip() for line in re.sub(r"([\[\]<>*|`\\])", r"\\\1", text.strip()).splitlines()]


def function_comments():
    """{function: the comment before its declaration, or behind it}"""
    text = (ROOT / "include/adjoint.h").read_text(encoding="utf-8")
    found = {}
    for m in re.finditer(r"(?:/\*((?:(?!\*/).)*)\*/\n)?ADJ_API [^;(]*?(\w+)\([^;]*\) ADJ_NOEXCEPT;(?:[ \t]*/\*(.*?)\*/)?", text, re.S):
        before = "" if (m[1] or "").startswith(" ----") else m[1] or ""
        found[m[2]] = "\n".join(t for t in (re.sub(r"^ ?\*? ?", "", before, flags=re.M).strip(), clean_comment(m[3] or "")) if t)
    return found


def enumeration_comments():
    """{enumeration: the comment before its declaration}"""
    found = {}
    for path in sorted((ROOT / "include").rglob("*.h")):
        for m in re.finditer(r"/\*((?:(?!\*/).)*)\*/\ntypedef int32_t (adj_\w+);", path.read_text(encoding="utf-8"), re.S):
            if not m[1].startswith(" ----"):
                found[m[2]] = re.sub(r"^ ?\*? ?", "", m[1], flags=re.M).strip()
    return found


def about_member(tree, struct, i):
    """What is said of a member of a structure."""
    m, following = struct.members[i], struct.members[i + 1:i + 2]
    if m.name == "header":
        return "Size, tag and chain; its default is right."
    if m.reserved:
        return "0."
    if not about_field(m) and m.name.endswith("_count") and following and following[0].ctype.startswith("const "):
        return f"Length of {following[0].name}."
    return about_field(m) or (f"One of the values of {m.ctype}." if m.ctype in tree.enums else f"The member {m.name}.")


def common_prefix(names):
    """What all names begin with, up to an underscore."""
    prefix = names[0]
    while not (prefix.endswith("_") and all(n.startswith(prefix) and n != prefix for n in names)):
        prefix = prefix[:-1]
    return prefix


def rust_constants(enum, enumerators):
    """{enumerator: its constant in Rust}: without what all, or all that are not 0, begin with, and without the enumeration's own name."""
    names = [name for name, _, _ in enumerators]
    prefix = common_prefix(names)
    if prefix == "ADJ_":
        prefix = common_prefix([name for name, value, _ in enumerators if value])
    own = f"ADJ_{enum[len('adj_'):].upper()}_"
    return {name: next(name[len(start):] for start in (own, prefix, "ADJ_") if name.startswith(start)) for name in names}


class Values:
    """The enumerations that are types: {C type: [(enumerator, number, comment)]}. A type that no structure and no function has is none.
    Tags are i32: nobody who writes Rust gives one."""

    def __init__(self, tree, layout):
        used = " ".join([t for fields in layout.structs.values() for t in fields.values()] + layout.functions)
        self.enums = {name: values for name, values in tree.enums.items() if re.search(rf"\b{name}\b", used) and name != "adj_tag"}
        self.enums["adj_op"] = [("ADJ_OP_NONE", 0, "No operator.")] + [(f"ADJ_OP_{o.upper}", o.id, f"[`{rust_operator(o)}`](crate::{rust_operator(o)}).") for o in tree.operators]
        self.names = {enum: "Operator" if enum == "adj_op" else camel(enum[len("adj_"):]) for enum in self.enums}
        self.type_of = {name: enum for enum, values in self.enums.items() for name, _, _ in values}
        markers = {rust_operator(o): o for o in tree.operators}
        for name in self.names.values():
            if name in markers:
                markers[name].fault(f"{name} is an enumeration in Rust: add it to RUST_TAKEN")

    def text(self):
        lines = ["// " + NOTE.format("the C headers"), "use super::*;", "", "values! {"]
        comments = enumeration_comments()
        for enum, enumerators in self.enums.items():
            about = [*rust_doc(comments[enum], "    "), "    ///"] if enum in comments else []
            lines += about + [f"    /// The enumeration `{enum}` of the C interface."] + self.one(self.names[enum], rust_constants(enum, enumerators), enumerators)
        return "\n".join(lines + ["}", ""])

    def one(self, name, constants, enumerators):
        lines = [f"    {name} {{"]
        for enumerator, number, comment in enumerators:
            lines += (rust_doc(comment, "        ") if comment and not comment.startswith("[`") else [f"        /// {comment or f'`{enumerator}`'}"])
            lines.append(f"        {constants[enumerator]} = {number},")
        return lines + ["    }"]


def rust_sys(tree, layout, values):
    enumerators = {name: comment for values in tree.enums.values() for name, _, comment in values}
    for o in tree.operators:
        enumerators[f"ADJ_OP_{o.upper}"] = f"Id of the operator {o.name}."
        enumerators[f"ADJ_TAG_{o.upper}_DESCRIPTOR"] = f"Tag of adj_{o.name}_descriptor."
        enumerators[f"ADJ_TAG_{o.upper}_ARGS"] = f"Tag of adj_{o.name}_args."
    comments = function_comments()
    arguments = {o.args.name: {s.name: about_argument(s) for s in tree.arguments(o)} for o in tree.operators}
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
            if name not in values.enums:
                lines.append(f"/// The enumeration {name} of the C interface.")
                lines.append(f"pub type {name} = {rust_type(ctype)};")
    lines += [""] + wrapped("pub use crate::values::{", [f"{values.names[enum]} as {enum}" for enum in values.enums], "};", "    ")
    lines += ["", "opaque! { " + " ".join(opaque) + " }", "", "constants! {"]
    for name, value in layout.enums.items():
        lines += rust_doc(enumerators.get(name) or f"`{name}` of adjoint.h.".replace("`", ""), "    ") + [f"    {name}: {values.type_of.get(name, 'i32')} = {value},"]
    lines += ["}", "", "structures! {"]
    for name, fields in layout.structs.items():
        struct = tree.structs[name]
        about = struct.about or (f"Arguments of {name[4:-5]}." if name.endswith("_args") else f"The structure {name} of adjoint.h.")
        lines += rust_doc(about, "    ") + [f"    struct {name} {{"]
        said = {m.name: about_member(tree, struct, i) for i, m in enumerate(struct.members)} | arguments.get(name, {})
        for field, ctype in fields.items():
            lines += rust_doc(said[field], "        ") + [f"        {field}: {rust_type(ctype)},"]
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
                    Op KnownOp TensorOp Any Operator In Out ListIn ListOut Scalar ScalarOut Random RandomOut Handle Argument ArgumentInfo Field Requirement Plan
                    Bound Problem HostCall Error Stream Status Dtype Math Backend Element Workspace Preference Guarantee Value Shape Axes""".split())


def about_argument(s):
    return ", ".join(filter(None, [s.role, s.optional and "optional", s.host and "host", s.about]))


def rust_operator(o):
    return o.cpp + ("Op" if o.cpp in RUST_TAKEN else "")


def rust_ops(tree):
    kinds = {"tensor": ("In", "Out"), "list": ("ListIn", "ListOut"), "scalar": ("Scalar", "ScalarOut"), "random": ("Random", "RandomOut"),
             "handle": ("Handle", "Handle")}
    list_kinds = {"kFieldI64List": "Integers", "kFieldF64List": "Reals", "kFieldText": "Text", "kFieldBytes": "Bytes"}
    lines = ["// " + NOTE.format("the C headers"), "use super::*;", "#[allow(unused_imports)] // not every kind of argument and of field need occur",
             "use crate::{Bytes, Handle, In, Integers, ListIn, ListOut, Out, Random, RandomOut, Reals, Scalar, ScalarOut, Text};", "", "operators! {"]
    plain = []
    for o in tree.operators:
        name = rust_operator(o)
        lines += ["    /// ```text"] + [f"    /// {line}".rstrip() for line in o.descriptor.about.rstrip().splitlines()] + ["    /// ```", "    ///"]
        lines.append(f"    /// What holds for all operators of its family, {o.family}: [`Operator::conventions`].")
        lines.append(f"    {name}: {o.upper} ({name}Descriptor = {o.descriptor.name}, {name}Args = {o.args.name}) {{")
        for i, s in enumerate(tree.arguments(o)):
            lines += rust_doc(about_argument(s), "        ")
            lines.append(f"        [{i}] {s.name.upper()}: {kinds[s.kind][s.role != 'in']} = {s.name},")
        lines.append("    } fields {")
        members, pointers = o.descriptor.members, []
        for m, kind, _ in tree.fields(o):
            count = members[members.index(m) - 1]
            if kind in list_kinds:
                lines += rust_doc(about_field(m) or f"The field {m.name}.", "        ")
                lines.append(f"        FIELD_{m.name.upper()}: {list_kinds[kind]} = {m.name}" + ("," if kind == "kFieldText" else f" ({count.name}),"))
            if kind in list_kinds or kind == "kFieldPointer":
                pointers.append(f"        {m.name},")
        lines += ["    } pointers {", *pointers, "    }"]
        if not pointers:
            plain.append(name)
    lines += ["}", ""]
    return "\n".join(lines + wrapped("tensor_operators! {", plain, " }", "    ") + [""])


def rust_files(tree, layout):
    values, source = Values(tree, layout), ROOT / "capi/rust/src"
    return {source / "sys/generated.rs": rust_sys(tree, layout, values), source / "values/generated.rs": values.text(),
            source / "ops/generated.rs": rust_ops(tree)}
