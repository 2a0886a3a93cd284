"""The interface in Rust."""
import re

from generators.reader import NOTE, ROOT, Layout, clean_comment, declared, wrapped

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
    text = (ROOT / "include/adjoint.h").read_text(encoding="utf-8")
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
            lines += rust_doc(", ".join(filter(None, [s.role, s.optional and "optional", s.host and "host", s.about])), "        ")
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


def rust_files(tree):
    return {ROOT / "capi/rust/src/sys/generated.rs": rust_sys(tree, Layout()), ROOT / "capi/rust/src/ops/generated.rs": rust_ops(tree)}
