"""The page of an operator, from its declaration, what the library says of it, and what was measured."""
import html
import json
import math
import re
import subprocess
import sys

from generators.reader import balanced
from text import ROOT, cell, code, comment, escape, table

sys.path.insert(0, str(ROOT / "tools" / "bench"))
from curve import judge  # noqa: E402

import adjoint  # noqa: E402
from adjoint import functional  # noqa: E402

RESULTS, DATASHEET = ROOT / "tools/bench/results", ROOT / "tests/datasheet/results"
ARCHITECTURES = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_120"]
TYPES = ["f32", "bf16", "f16", "f64"]
RUN = ("The functions take addresses in the memory of the stream. The test of the manual runs these calls on the host: C++, C and Python, Rust where there is "
       "cargo, torch where it is installed.")
COMPILED = "The test of the manual compiles these calls and does not run them: they need a communicator or an event."
LANGUAGES = [("cpp", "C++"), ("c", "C"), ("rust", "Rust"), ("python", "Python"), ("torch", "torch")]


class Facts:
    """What all pages draw on. tool: the adjoint command."""

    def __init__(self, tool, tree, calls):
        self.tool, self.tree, self.calls = tool, tree, calls
        self.skus, self.registry = self.ask("sku", "list"), self.ask("registry")
        self.measured, self.curves, self.thresholds, self.errors = {}, {}, {}, {}
        names = {o.name for o in tree.operators}
        for path in sorted(RESULTS.glob("*.json")):
            report = json.loads(path.read_text(encoding="utf-8"))
            for case in report.get("cases", []):
                words = case.get("name", "").split() or [""]
                name = {"adamw": "adam"}.get(words[0], words[0])
                if name in names and "us" in case:
                    self.measured.setdefault(name, []).append({**case, "device": report["device"], "file": path.stem})
            for row in judge(report["rows"]) if "copy_ceiling_gb_s" in report and "rows" in report else ():
                if "fraction" in row:
                    self.curves.setdefault(row["operator"].split()[0], []).append({**row, "device": report["device"]})
            for found in report.get("thresholds", []):
                self.thresholds.setdefault(found["problem"].split()[0], []).append({**found, "device": report["device"]})
        for side, files in (("host", ["host.json"]), ("gpu", ["gpu.json", "gpu_every_number.json"])):
            for file in files:
                report = json.loads((DATASHEET / file).read_text(encoding="utf-8"))
                for row in report["accuracy"] if isinstance(report, dict) else report:
                    self.errors.setdefault(row["operator"], []).append({**row, "side": "host" if side == "host" else report["device"]})

    def ask(self, *words):
        return json.loads(subprocess.run([self.tool, *words, "--json"], check=True, stdout=subprocess.PIPE).stdout)


def bound(guarantee):
    parts = [f"{guarantee['bound_ulp']:.3g} ulp"] * (guarantee["bound_ulp"] > 0) + [f"{guarantee['bound_terms']:.2g} s"] * (guarantee["bound_terms"] > 0)
    parts += [f"{guarantee['bound_absolute']:.2g}"] * (guarantee["bound_absolute"] > 0)
    return " + ".join(parts) or "equal bits"


def split_choice(text):
    """(condition, value where it holds, value elsewhere) of a choice, else None."""
    text, depth, at = text.strip(), 0, []
    while text.startswith("(") and balanced(text, 0) == len(text) - 1:
        text = text[1:-1]
    for i, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if not depth and sign in "?:":
            at.append(i)
    return (text[:at[0]].strip(), text[at[0] + 1:at[1]], text[at[1] + 1:]) if len(at) > 1 else None


def by_cases(text, when=()):
    """[(conditions, shape)] of a shape that depends on fields, in order: each holds where no earlier one does."""
    found = split_choice(text)
    if not found:
        return [(when, re.sub(r"\[ | \]", lambda bracket: bracket[0].strip(), text.strip()))]
    condition, yes, no = found
    return by_cases(yes, (*when, condition)) + by_cases(no, when)


def shape_of(argument):
    """The shape and the type of an argument, as declared, in Markdown."""
    if argument.kind in ("tensor", "list"):
        stated = [argument.spelt(text) for text in argument.texts]
        cases = by_cases(stated[0]) if argument.shape else [((), "see above")]
        lines = ["else " * (i > 0 and not when) + code(shape) + (" if " + code(" && ".join(when)) if when else "") for i, (when, shape) in enumerate(cases)]
        return "<br>".join([*lines, code(stated[1])])
    return code(" or ".join(argument.types).replace("any_float", "any floating point")) if argument.kind == "scalar" else ""


def noted(argument, note, words):
    """What is said of an argument that has this annotation."""
    text = argument.member.notes.get(note)
    return [words + code(argument.spelt(text))] if text else []


def presence(argument):
    words = ["optional"] * argument.optional + noted(argument, "ONLY_IF", "only if ") + noted(argument, "OPTIONAL_IF", "optional if ")
    return ", ".join(words) or "required"


def arguments(facts, o):
    rows = []
    for a in facts.tree.arguments(o):
        said = [f"may be `{name}` itself" for name in a.equals] + [f"may be a part of `{name}`" for name in a.parts] + ["ordinary memory"] * a.host
        for note, words in (("READ_IF", "read if "), ("WRITTEN_IF", "written if "), ("ON_DEVICE_IF", "on the device if "), ("STRIDES", "or its span with ")):
            said += noted(a, note, words)
        said += [cell(a.member.comment)] * bool(a.member.comment)
        role = a.role + ("" if a.kind == "tensor" else ", " + {"list": "list of tensors", "random": "random state"}.get(a.kind, a.kind))
        rows.append([code(a.name), role, shape_of(a), "; ".join([presence(a), *said])])
    return table(["argument", "role", "shape and type", "presence and meaning"], rows)


def choices_of(facts, o):
    """What the values of fields with names mean, by field: what the default stands for, then each value that has a comment."""
    found = {}
    for m, _, names in facts.tree.fields(o):
        if names is not None:
            said = [(name, about) for name, (_, _, about) in zip(names.split(","), facts.tree.enums[m.ctype]) if about]
            found[m.name] = [f"`{name}`: {cell(about)}" for name, about in said]
    return found


def fields(facts, o):
    (described,) = facts.ask("ops", o.name)
    kinds, meant = {"64-bit integer": "integer", "32-bit integer": "flag or small integer"}, choices_of(facts, o)
    rows = [[f"`{f['name']}`", cell(kinds.get(f["type"], f["type"].replace("|", ", "))), f"`{json.dumps(f['default']).strip(chr(34))}`",
             "<br>".join(filter(None, [cell(f["about"]), *meant.get(f["name"], [])]))] for f in described["fields"]]
    return table(["field", "type", "default", "meaning and range"], rows)


def kernels(facts, o):
    """SKUs with equal guarantees are one row."""
    groups = {}
    for sku in facts.skus:
        if sku["op"] == o.name:
            g = sku["guarantee"]
            key = (sku["algorithm"], sku["arch"], sku["summary"], g["determinism"], g["math"], g["accumulator"], bound(g), sku["source"] or sku["backend"])
            groups.setdefault(key, []).append(sku["signature"])
    rows = [[f"`{algorithm}` from {arch}" if arch != "host" else f"`{algorithm}` on the host", ", ".join(signatures[:8]) + f" and {len(signatures) - 8} more" * (len(signatures) > 8),
             f"{determinism}; {math_} arithmetic, adds in {accumulator}; {promised}", f"{cell(summary)} (`{source}`)"]
            for (algorithm, arch, summary, determinism, math_, accumulator, promised, source), signatures in groups.items()]
    return ["*s* is the sum of the magnitudes of the terms.", "", *table(["kernel", "types", "promises", "what it is"], rows)] if rows else []


def errors(facts, o):
    rows = [[card(r["side"]), r["type"], f"{r['ulp']:.3g}", f"{r['of_bound']:.3f}", bound(r), r["runs"]] for r in facts.errors.get(o.name, [])]
    return table(["where", "type", "largest error, ulp", "share of the bound", "bound", "runs"], rows)


def card(device):
    return device.removeprefix("NVIDIA ").removesuffix(" 80GB HBM3")


def bars(cases):
    """An SVG with the fraction of a copy of each case, and of its peer."""
    width, row = 640, 40
    out = [f'<figure class="chart"><svg viewBox="0 0 {width} {row * len(cases) + 8}" role="img" aria-label="Fractions of a copy">']
    for i, case in enumerate(cases):
        sides = [("s0", case["fraction_of_copy"], case["us"], case["sku"])]
        if "peer_us" in case:
            sides.append(("s1", case["fraction_of_copy"] * case["us"] / case["peer_us"], case["peer_us"], case["peer"]))
        out.append(f'<text x="0" y="{row * i + 13}">{html.escape(case["name"][:96])}</text>')
        for j, (side, fraction, us, what) in enumerate(sides):
            said = html.escape(f"{case['name']}: {fraction:.2f} of a copy, {us:.4g} us, {what}, {case['device']}")
            out.append(f'<rect class="{side}" x="0" y="{row * i + 18 + 9 * j}" width="{max(2, min(fraction, 1.25) / 1.25 * width):.1f}" height="7"><title>{said}</title></rect>')
    end = f'<path class="grid" d="M{width / 1.25:.1f} 0V{row * len(cases) + 8}"/></svg>'
    said = "Fraction of a copy of as many bytes: blue is Adjoint, orange the peer; the line is 1.00. Point at a bar for its values."
    return ["```{raw} html", *out, f"{end}<figcaption>{said}</figcaption></figure>", "```", ""]


def chart(title, series, unit, limit):
    """An SVG of values over extents. series: {name: [(extent, value, what a pointer shows)]}. Colours are those of the theme."""
    width, height, left, bottom, top = 640, 260, 44, 30, 14 + 18 * len(series)
    points = [p for own in series.values() for p in own]
    low, high = (math.log2(f(p[0] for p in points)) for f in (min, max))
    most = limit or max(p[1] for p in points) * 1.1
    x = lambda extent: left + (math.log2(extent) - low) / max(high - low, 1) * (width - left - 12)  # noqa: E731
    y = lambda value: height - bottom - min(value, most) / most * (height - bottom - top)  # noqa: E731
    out = [f'<figure class="chart"><svg viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(title)}">']
    for i in range(5):
        value = most * i / 4
        out.append(f'<path class="grid" d="M{left} {y(value):.1f}H{width - 12}"/><text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    for power in range(math.ceil(low), math.floor(high) + 1, max(1, round((high - low) / 8))):
        out.append(f'<text x="{x(2 ** power):.1f}" y="{height - 10}" text-anchor="middle">{2 ** power}</text>')
    for i, (name, own) in enumerate(series.items()):
        out.append(f'<path class="line s{i}" d="M' + "L".join(f"{x(e):.1f} {y(v):.1f}" for e, v, _ in sorted(own)) + '"/>')
        out += [f'<circle class="dot s{i}" cx="{x(e):.1f}" cy="{y(v):.1f}" r="4"><title>{html.escape(said)}</title></circle>' for e, v, said in own]
        out.append(f'<circle class="dot s{i}" cx="{left + 8}" cy="{12 + 18 * i}" r="5"/><text x="{left + 18}" y="{16 + 18 * i}">{html.escape(name)}</text>')
    return ["```{raw} html", *out, f"</svg><figcaption>{html.escape(title)}; {unit}. Point at a dot for its values.</figcaption></figure>", "```", ""]


def speed(facts, o):
    out = []
    for device in sorted({row["device"] for row in facts.curves.get(o.name, [])}):
        series = {}
        for row in facts.curves[o.name]:
            if row["device"] == device:
                series.setdefault(f"{row['operator']} {row['element']}", []).append(
                    (row["extent"], row["fraction"], f"{row['problem']}: {row['fraction']:.2f} of a copy, {row['us']:.1f} us, {row['sku']}, {device}"
                     + (f"; {row['peer']} {row['peer_us']:.1f} us" if "peer_us" in row else "")))
        out += chart(f"Fraction of a copy of as many bytes over the extent, {device}", series, "1.00 takes the time of the copy", 1.25)
    for found in facts.thresholds.get(o.name, []):
        series = {found[side]: [(e, us, f"{found['problem'].format(e)}: {us:.1f} us, {found[side]}, {found['device']}")
                                for e, us in zip(found["extents"], found[side + "_us"])] for side in ("low", "high")}
        out += chart(f"Two kernels over n, {found['problem'].format('n')}, {found['device']}", series, "microseconds", None)
    rows = []
    for case in facts.measured.get(o.name, []):
        peer = [case.get("peer", ""), f"{case['peer_us']:.4g}" if "peer_us" in case else "", f"{case['ratio']:.2f}" if "ratio" in case else ""]
        rows.append([cell(case["name"]), f"`{case['sku'].split('/')[1]}`", f"{case['us']:.4g}", f"{case['fraction_of_copy']:.2f}", *peer, card(case["device"])])
    if rows:
        out += ["Device time with a cold L2 cache. *Of a copy* is the time of a copy of the bytes that have to move, divided by the time of the call. Beside it stands the fastest form of "
                "the peer; above 1.00 ours is faster. [Measurements](/guides/bench.md) has the rules.", "", *bars(facts.measured[o.name][:24]),
                *table(["problem", "kernel", "us", "of a copy", "peer", "peer us", "peer / ours", "card"], rows)]
    return out


def registrations(facts, o):
    rows, bindings = [], {}
    for row in facts.registry:
        if row["adjoint_op"] == o.name:
            versions = f"{row['since_version']}" + (f" to {row['until_version']}" if row["until_version"] else " on")
            session = {"table": "as it stands", "rewrite": "after a rewrite"}.get(row["session"], "no: " + (row["obstacle"] or ""))
            rows.append([f"`{row['domain'] or 'ai.onnx'}` {cell(row['op'])}", versions, cell(row["types"]), f"`{row['settings']}`" if row["settings"] else "",
                         cell(session), cell(row["note"] or "")])
            if row["binding"]:
                bindings.setdefault(row["binding"], row["op"])
    out = table(["registration", "version", "types", "settings", "in a stock session", "note"], rows)
    for text, name in bindings.items():
        out += [f":::{{dropdown}} How a node of {name} becomes a call", "```text", text.rstrip(), "```", ":::", ""]
    return out


def gradient(o):
    if not o.gradient:
        return []
    sentence = escape(o.gradient.sentence)
    other = o.gradient.operator
    return [f"[{other.name}]({other.name}.md) computes it." if other else "", "", sentence, ""]


def sample(facts, o):
    call = facts.calls.get(o.name)
    if not call:
        return ["The call takes code or a function of yours, so no sample is made from the declaration. The [C interface](/guides/c.md) and the definition above say how.", ""]
    out = ["::::{tab-set}"]
    for language, name in LANGUAGES:
        text = getattr(call, language)()
        if text:
            out += [f":::{{tab-item}} {name}", f"```{'python' if language == 'torch' else language}", text.rstrip(), "```", ":::"]
    return [*out, "::::", "", COMPILED if call.handles else RUN, ""]


def choices(facts, o):
    """The kernel that select takes for the problem of the sample, by architecture and type."""
    call = facts.calls.get(o.name)
    if not call:
        return []
    rows, typed = [], [f for f in call.given if f in ("element", "param", "grad")]
    for arch in ARCHITECTURES:
        found = [chosen(o.name, call.given | dict.fromkeys(typed, t), arch) for t in (TYPES if typed else TYPES[:1])]
        rows.append([arch, *("`{1}` of {3}".format(*x["sku"].split("/")) if x else "none" for x in found)])
    library = any(x["op"] == o.name and x["backend"] in ("cublaslt", "cudnn") for x in facts.skus)
    return [*["On a device where cuBLASLt or cuDNN can be loaded, their kernels come before these. They decide on the device itself.", ""] * library,
            f'<a href="../kernels.html?operator={o.name}">Which kernel would I get</a> has more problems, and the reasons.', "",
            *table(["device", *(TYPES if typed else ["kernel"])], rows)]


def candidates(name, fields, arch):
    stream = adjoint.Stream.offline(arch)
    return adjoint.explain(name, stream=stream, **fields)


def chosen(name, fields, arch):
    """What select takes: id, workspace and launches; None where nothing fits."""
    try:
        plan = adjoint.select(name, stream=adjoint.Stream.offline(arch), **fields)
    except adjoint.Error:
        return None
    return {"sku": plan.sku.id, "workspace": plan.workspace_size, "launches": plan.info.launches}


def page(facts, o):
    header = next(f for f in facts.tree.families if f.family == o.family)
    python = sorted({name for name in functional.__all__ if getattr(functional, name).operator.name == o.name})
    definition = o.descriptor.about.replace("\n\n" + o.gradient.sentence, "") if o.gradient else o.descriptor.about
    out = [f"# {o.name}", "", f"Family [{o.family}](family_{o.family}.md), `include/adjoint/ops/{o.family}.h`. C: `adj_{o.name}_descriptor`. C++ and Rust: `{o.cpp}Descriptor`. "
           f"Python: `adjoint.ops.{o.name}`" + "".join(f", `adjoint.{name}`" for name in python) + ".", ""]
    defined = [("Definition", comment(definition, 3)), ("Arguments", arguments(facts, o)), ("Fields", fields(facts, o))]
    shared = [(f"The family {o.family}", ["These sentences hold for all operators of the family.", "", *comment(header.about, 3)])]
    parts = defined + shared if any(line.startswith("```") for line in defined[0][1]) else shared + defined  # a definition without formulas speaks of those of the family
    parts += [("Gradient", gradient(o)), ("A call", sample(facts, o)), ("Kernels", kernels(facts, o)), ("Which kernel the sample gets", choices(facts, o)),
              ("Errors that were seen", errors(facts, o)), ("Speed", speed(facts, o)), ("ONNX Runtime", registrations(facts, o))]
    for title, lines in parts:
        if any(lines):
            out += [f"## {title}", "", *lines]
    return "\n".join(out) + "\n"


def family_page(facts, header):
    own = [o for o in facts.tree.operators if o.family == header.family]
    out = [f"# The family {header.family}", "", *comment(header.about, 2), "## Operators", "", "```{toctree}", ":maxdepth: 1", "", *(o.name for o in own), "```", ""]
    return "\n".join(out)
