"""The C initialisers, the tables of the engine, and the recorded header."""
import re
import subprocess

from generators.fields import about_field, refusals_of
from generators.reader import NOTE, ROOT, Fault, camel, wrapped
from generators.terms import NONE, Terms, lines_of


def c_value(tree, m):
    """A member's default as a C initialiser."""
    if m.default.startswith("ADJ_HEADER_OF"):
        return m.default
    if m.default == "nullptr":
        return "NULL"
    struct = tree.structs.get(m.ctype)
    if m.ctype in tree.enums and m.default == "{}":
        return "0"
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
    lines = ["/* " + NOTE.format(f"{family}.h") + " */", f"#ifndef {guard}", f"#define {guard}", "", f"#include <adjoint/ops/{family}.h>", "", "#ifndef __cplusplus"]
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
    return "\n".join(lines + [f"#include <adjoint/ops/{f.family}.h>" for f in tree.families] + ["", "#endif", ""])


def operator_list(tree):
    lines = ["// " + NOTE.format("the headers of include/adjoint/ops"), "#pragma once", "", "// X(name, NAME), in the order of the ids.", "#define ADJ_OP_TABLE(X) \\"]
    return "\n".join(lines + [f"  X({o.name}, {o.upper}) \\" for o in tree.operators] + ["  /* the end */", ""])


def family_list(tree):
    lines = ["// " + NOTE.format("the headers of include/adjoint/ops"), "#pragma once", "", "// X(family, sentence): the families, each with the first sentence of its header.",
             "#define ADJ_FAMILIES(X) \\"]
    for f in tree.families:
        if not f.summary.endswith("."):
            raise Fault(f"{f.family}.h: the file must begin with a comment, whose first sentence says what the family is")
    return "\n".join(lines + [f"  X({f.family}, {quoted(f.summary)}) \\" for f in tree.families] + ["  /* the end */", ""])


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"' if text is not None else "nullptr"


def raw(text):
    """A text of several lines as a C++ literal. Compilers take at most 65536 characters."""
    return 'R"text(' + "\n".join(line.rstrip() for line in text.rstrip().splitlines()) + ')text"'


def presence(argument):
    """C++ for the presence of an argument that the descriptor does not forbid; empty for a required one."""
    if "OPTIONAL_IF" in argument.conditions:
        return f"optional_if({argument.conditions['OPTIONAL_IF'].cpp})"
    return "Presence::optional" if argument.optional else ""


def spec(argument):
    """C++ for the ArgumentSpec of an argument that the descriptor does not forbid."""
    more = lambda *parts: ", ".join(filter(None, [*parts, presence(argument)]))
    if argument.kind in ("random", "handle"):
        return f"ArgumentSpec::{argument.kind}({more()})"
    if argument.kind == "scalar":
        if argument.types == ["any_float"]:
            return f"float_scalar({more()})"
        names = [f"ADJ_{t.upper()}" for t in argument.types] + ["ADJ_DTYPE_NONE"]
        return f"ArgumentSpec::scalar({more(*names[:2])})"
    if not argument.shape:
        return f"computed({more(argument.type.cpp)})"
    if argument.kind == "tensor":
        return f"tensor({more(argument.type.cpp, argument.shape.cpp)})"
    count, each = argument.scope.counts[argument.shape.each], [item.cpp for item in argument.shape.items]
    if each == [f"d.{argument.shape.each}[i]"]:
        return f"ArgumentSpec::list({more(argument.type.cpp, f'list_of(d.{argument.shape.each}, {count})')})"
    elements = each[0] if len(each) == 1 else "times({" + ", ".join(each) + "})"
    return f"each({more(argument.type.cpp, count, f'[&](std::int64_t i) {{ return {elements}; }}')})"


def stated_shapes(arguments):
    """The function that says what a descriptor asks of each argument, as the annotations have it."""
    lines = ["inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {", "  using namespace rules;",
             "  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);"]
    for s in arguments:
        only = s.conditions.get("ONLY_IF")
        made = spec(s)
        lines.append(f"  arguments[{s.enumerator}] = {f'{only.cpp} ? {made} : ArgumentSpec::forbidden()' if only else made};")
        if "ON_DEVICE_IF" in s.conditions:
            lines.append(f"  arguments[{s.enumerator}].device_only = {s.conditions['ON_DEVICE_IF'].cpp};")
    return lines + ["}"]


def stated_role(arguments):
    """The function that says which role an argument has under a descriptor; nothing when no role depends on it."""
    cases = []
    for s in arguments:
        for note, kept in (("READ_IF", "out"), ("WRITTEN_IF", "in")):
            if note in s.conditions:
                cases.append(f"    case {s.enumerator}: return {s.conditions[note].cpp} ? Role::inout : Role::{kept};")
    if not cases:
        return []
    return ["inline Role stated_role(const void* descriptor, std::size_t argument) {", "  using namespace rules;",
            "  const auto& d = *static_cast<const Descriptor*>(descriptor);", "  switch (argument) {", *cases, "    default: return kArguments[argument].role;", "  }", "}"]


def field_row(m, kind, choices, terms):
    """A field of the descriptor, with what the header states of its values."""
    parts, bounds = [f'"{m.name}"', quoted(choices), kind, f"offsetof(Descriptor, {m.name})", quoted(about_field(m))], m.bounds
    if m.range or bounds or terms != [NONE, NONE] or "REFUSE" in m.notes:
        parts += [str(limit) for limit in m.range] if m.range else ["kNoLeast", "kNoMost"]
        real = lambda bound: bound.replace("infinity", "kInfinity")
        flags = [str(flag).lower() for flag in (bounds.above, bounds.below, bounds.finite)] if bounds else []
        parts.append("{" + ", ".join([real(bounds.least), real(bounds.most), *flags, quoted(bounds.expected)] if bounds else []) + "}")
        parts += [*map(str, terms), quoted(m.notes.get("ONLY_IF", "")), quoted(m.notes.get("TYPES", "")), quoted("\n".join(refusals_of(m)))]
    return "    {" + ", ".join(parts) + "},"


def tables(tree, family):
    lines = ["// " + NOTE.format(f"include/adjoint/ops/{family}.h"), "#pragma once", "", f"#include <adjoint/ops/{family}.h>", "", '#include "plan/op.hpp"', '#include "plan/rules.hpp"', '#include "plan/structs.hpp"', ""]
    about = next(f.about for f in tree.families if f.family == family)
    lines += ["namespace adj {", f"inline constexpr const char* {family}_conventions = {raw(about)};", "}", ""]
    for o in tree.of_family[family]:
        arguments, fields = tree.arguments(o), tree.fields(o)
        lines += [f"namespace adj::{o.name}_tables {{", "", f"using Descriptor = {o.descriptor.name};", f"using Args = {o.args.name};",
                  f'inline constexpr const char* kName = "{o.name}";', "inline const Descriptor kDefault{};"]
        lines += ["inline const Args kDefaultArgs{};", f"inline constexpr const char* kDefinition = {raw(o.descriptor.about)};"]
        lines += wrapped("enum Argument : int {", [s.enumerator for s in arguments], " };", "    ")
        lines.append("inline constexpr ArgumentInfo kArguments[] = {")
        for s in arguments:
            equals = " | ".join(f"1u << k{camel(name)}" for name in s.equals) or "0"
            parts = "".join(f", 1u << k{camel(name)}" for name in s.parts)
            lines.append(f'    {{"{s.name}", offsetof(Args, {s.name}), ArgumentKind::{s.kind}, Role::{s.role.replace("/", "")}, {equals}, '
                         f'Space::{"host" if s.host else "stream"}, Given::{s.given}, {quoted(s.about)}, {quoted(s.when)}{parts}}},')
        lines += ["};", "inline constexpr Field kFields[] = {"]
        terms = Terms(tree, o)
        lines += [field_row(m, kind, choices, terms.of_field[m.name]) for m, kind, choices in fields]
        lines += ["};", *lines_of(tree, o, terms), "inline constexpr ArgumentTerms kArgumentTerms[] = {"]
        lines += ["    {" + ", ".join(str(terms.of_argument[s.name].get(part, NONE)) for part in ("shape", "type", "ONLY_IF", "OPTIONAL_IF")) + "}," for s in arguments]
        lines += ["};", *stated_shapes(arguments), *stated_role(arguments), "// Facts that stand in the header. The operator's planning adds its functions and rows.", "inline OpInfo base_info() {", "  OpInfo info{};", f"  info.id = ADJ_OP_{o.upper};", "  info.name = kName;",
                  f'  info.family = "{o.family}";', "  info.definition = kDefinition;", f"  info.conventions = {family}_conventions;",
                  "  info.descriptor_size = sizeof(Descriptor);", "  info.args_size = sizeof(Args);",
                  f"  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_{o.upper}_DESCRIPTOR));",
                  f"  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_{o.upper}_ARGS));",
                  "  info.default_descriptor = &kDefault;", "  info.default_args = &kDefaultArgs;", "  info.fields = kFields;", "  info.arguments = kArguments;", *(["  info.terms = kTerms;"] if terms.rows else []),
                  *(["  info.known_fields = kKnownFields;"] if terms.known else []), *(["  info.refusals = kRefusals;"] if terms.refusals else []), "  info.argument_terms = kArgumentTerms;", "  info.shapes = stated_shapes;", *(["  info.role = stated_role;"] if stated_role(arguments) else []), "  return info;", "}", "",
                  f"}}  // namespace adj::{o.name}_tables", ""]
    return "\n".join(lines)


def first_sizes(tree):
    record, sizes = ROOT / "tests/abi/layout-1.golden", {}
    for line in record.read_text(encoding="utf-8").splitlines() if record.exists() else ():
        if line.startswith("struct "):
            sizes.setdefault(line.split()[1], line.split()[2])
    lines = ["// " + NOTE.format("the headers of include/adjoint and the record of the interface"), "#pragma once", "",
             "// X(tag, bytes): the size of every structure that begins with adj_header, in the first version of the interface that has it.",
             "#define ADJ_FIRST_SIZES(X) \\"]
    for name, struct in tree.structs.items():
        if tag := re.search(r"ADJ_TAG_\w+", struct.members[0].default or ""):
            lines.append(f"  X({tag[0]}, {sizes.get(name, f'sizeof({name})')}) \\")
    return "\n".join(lines + ["  /* the end */", ""])


def built(tree):
    """{path below the build directory: text} of the files that a build makes."""
    files = {"include/adjoint/ops/all.gen.h": all_header(tree), "src/ops/table.gen.hpp": operator_list(tree), "src/ops/families.gen.hpp": family_list(tree),
             "src/plan/first_sizes.gen.hpp": first_sizes(tree)}
    for f in tree.families:
        if not tree.of_family[f.family]:
            raise Fault(f"{f.family}.h: no line ADJ_OPERATOR")
        files[f"include/adjoint/ops/{f.family}_init.h"] = init_header(tree, f.family)
        files[f"src/ops/{f.family}.gen.hpp"] = tables(tree, f.family)
    return files


def recorded_header(includes):
    """The public header, preprocessed, a declaration a line."""
    text = subprocess.run(["cc", "-E", "-P", "-std=c11", *(f"-I{path}" for path in includes), "-include", "stddef.h", "-include", "stdint.h",
                           "-x", "c", "-"], input='"adjoint-begin";\n#include <adjoint.h>\n', capture_output=True, text=True, check=True).stdout
    text = text.split('"adjoint-begin";', 1)[1]
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r" ?__attribute__ ?\(\(visibility\(\"default\"\)\)\) ?", "\n", text)
    text = re.sub(r"enum \{(.*?)\};", lambda m: "enum {\n  " + re.sub(r", (?=ADJ_)", ",\n  ", m[1].strip().rstrip(",").strip()) + "\n};", text)
    text = re.sub(r"(typedef struct \w+ \{)(.*?)(\} \w+;)", lambda m: m[1] + "".join(f"\n  {d.strip()};" for d in m[2].split(";") if d.strip()) + "\n" + m[3], text)
    text = re.sub(r" ?; ?(?=typedef|enum|struct|extern)", ";\n", text).replace(") ;", ");").strip()
    text = re.sub(r"\n+", "\n", text)
    return ("/* Interface 1.0 as it was first recorded: the declarations of adjoint.h, preprocessed. Never changed: old programs were\n"
            " * compiled with it, and old_consumer.c is one of them. */\n#include <stddef.h>\n#include <stdint.h>\n" + text + "\n")
