"""Calls of operators in C++, C, Rust, Python and torch, made from the declaration and a line of calls.txt. Everything a call says is what the library infers for that
problem: shapes, element types, and which arguments are given."""
import pathlib
import re
from keyword import iskeyword
from math import prod

from adjoint import ops
from adjoint._generated import GRADIENTS, Dtype, Presence
from adjoint._operators import Descriptor, operator_of

LINES = pathlib.Path(__file__).with_name("calls.txt")
PLAIN = {"f32": "float", "f64": "double", "i8": "int8_t", "u8": "uint8_t", "i16": "int16_t", "u16": "uint16_t", "i32": "int32_t", "u32": "uint32_t", "i64": "int64_t", "u64": "uint64_t"}
STORED = {"bool": "u8", "f16": "u16", "bf16": "u16", "f8_e4m3": "u8", "f8_e5m2": "u8"}  # types that C lacks: whose elements hold the bits
CTYPES = {**PLAIN, **{k: PLAIN[v] for k, v in STORED.items()}}
NUMPY = {"f32": "float32", "f64": "float64", "f16": "float16", "bool": "bool_", **{k: ("u" if k[0] == "u" else "") + f"int{k[1:]}" for k in PLAIN if k[0] in "iu"}}
TORCH = {**NUMPY, "bool": "bool", "bf16": "bfloat16", "f8_e4m3": "float8_e4m3fn", "f8_e5m2": "float8_e5m2"}
RUST = {"f32": "0f32", "f64": "0f64", "bool": "adjoint::Bool::from(false)", **{k: f"0{k}" for k in PLAIN if k[0] in "iu"},
        **{k: f"adjoint::{v}(0)" for k, v in {"f16": "F16", "bf16": "Bf16", "f8_e4m3": "F8E4M3", "f8_e5m2": "F8E5M2"}.items()}}
WIDTH = 96
SIZES = {k: int(STORED.get(k, k)[1:]) // 8 for k in CTYPES}


def value_of(op, name, text):
    """The value of a field that is written in words; 4x256 in a list stands for four of 256."""
    field = op.fields[name]
    if field.kind in ("shape", "axes", "i64_list"):
        parts = [part.rpartition("x") for part in text.split(",")]
        return [int(n) for times, _, n in parts for _ in range(int(times or 1))]
    return float(text) if field.kind == "f64" else text if field.kind == "dtype" or field.choices else int(text)


def wrapped(text):
    """A program whose long lines go on after a comma."""
    out = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        while len(line) > WIDTH and ", " in line[len(indent):WIDTH]:
            at = line.rindex(", ", len(indent), WIDTH) + 1
            out.append(line[:at])
            line = indent + line[at:].lstrip()
        out.append(line)
    return "\n".join(out) + "\n"


def nested(numbers, shape):
    """Numbers in words as a list of lists of a shape."""
    if len(shape) < 2:
        return f"[{', '.join(numbers)}]"
    each = len(numbers) // shape[0]
    return f"[{', '.join(nested(numbers[i:i + each], shape[1:]) for i in range(0, len(numbers), each))}]"


class Word:
    """An argument of a call. shape: that of a tensor, the element counts of a list."""

    def __init__(self, argument, need, contents):
        self.name, self.kind, self.role, self.host, self.contents = argument.name, argument.kind, argument.role, argument.host, contents
        self.shape, self.dtype, self.read, self.written = need.shape, Dtype(need.dtype).name.lower(), need.read, need.written

    @property
    def ctype(self):
        return CTYPES[self.dtype]


class Call:
    """The call of one line. given: the fields of the line as Python values; words: the arguments that are given."""

    def __init__(self, line, operator, enums):
        name, *words = line.split()
        self.name, self.declared, self.enums = name, operator, enums
        self.op = operator_of(name)
        self.settings = dict(w.split(":", 1) for w in words if ":" in w)
        self.asked = [w[1:] for w in words if w.startswith("+")]
        self.given = {k: value_of(self.op, k, v) for k, v in (w.split("=", 1) for w in words if "=" in w)}
        self.descriptor = Descriptor(self.op, self.given)
        self.words = []
        for argument in self.op.arguments:
            need = self.descriptor.need(argument)
            number = argument.kind in ("scalar", "random")  # left out, it keeps its default
            if argument.name in self.settings or argument.name in self.asked or not number and need.presence == Presence.REQUIRED:
                self.words.append(Word(argument, need, self.settings.get(argument.name)))

    @property
    def handles(self):
        """True when the call needs an object of the caller, such as a communicator."""
        return any(w.kind == "handle" for w in self.words)

    # -- fields as C, C++ and Rust have them

    def enumerator(self, name):
        member = next(m for m in self.declared.descriptor.members if m.name == name)
        if member.ctype == "adj_dtype":
            return f"ADJ_{self.given[name].upper()}"
        values = self.enums[member.ctype]
        return values[self.op.fields[name].choices.index(self.given[name])][0]

    def scalar_field(self, name):
        """The C expression of a field that is no list and no shape."""
        value = self.given[name]
        return self.enumerator(name) if isinstance(value, str) else repr(value)

    def before(self, name):
        """The member that counts a list."""
        members = self.declared.descriptor.members
        return members[[m.name for m in members].index(name) - 1].name

    def ordered(self):
        """The fields of the line in the order of the declaration."""
        return [m.name for m in self.declared.descriptor.members if m.name in self.given]

    # -- languages

    def parameters(self):
        """The buffers of a call in C."""
        found = []
        for w in self.words:
            if w.kind == "tensor":
                found.append(f"{w.ctype}* {w.name}")
            elif w.kind == "list":
                found.append(f"void* const* {w.name}")
            elif w.kind == "handle":
                found.append(f"void* {w.name}")
        return found

    def lists(self):
        """Lines of a program in C before the descriptor: lists of numbers of fields, and sizes of the entries of lists."""
        lines = [f"  const int64_t {n}[] = {{{', '.join(map(str, self.given[n]))}}};" for n in self.ordered()
                 if self.op.fields[n].kind == "i64_list"]
        sizes = [(w.name, [n * SIZES[w.dtype] for n in w.shape]) for w in self.words if w.kind == "list"]
        return lines + [f"  const uint64_t {name}_bytes[] = {{{', '.join(map(str, s))}}};" for name, s in sizes]

    def cpp(self):
        cpp, fields, args = self.declared.cpp, [], []
        for n in self.ordered():
            kind, value = self.op.fields[n].kind, self.given[n]
            if kind == "i64_list":
                fields += [f".{self.before(n)} = {len(value)}", f".{n} = {n}"]
            elif kind in ("shape", "axes"):
                numbers = ", ".join(map(str, value))
                fields.append(f".{n} = adjoint::shape({{{numbers}}})" if kind == "shape" else f".{n} = {{{len(value)}, {{{numbers}}}}}")
            else:
                fields.append(f".{n} = {self.scalar_field(n)}")
        for w in self.words:
            dims = ", ".join(map(str, w.shape))
            if w.kind == "tensor":
                args.append(f".{w.name} = adjoint::tensor({w.name}, {'' if w.dtype in PLAIN else f'ADJ_{w.dtype.upper()}, '}{{{dims}}})")
            elif w.kind == "list":
                args.append(f".{w.name} = adjoint::tensor_list(ADJ_{w.dtype.upper()}, {{{w.name}, {len(w.shape)}}}, {w.name}_bytes)")
            elif w.kind == "scalar":
                args.append(f".{w.name} = adjoint::value({w.contents})")
            elif w.kind == "random":
                args.append(f".{w.name} = {{.seed = {w.contents}, .offset = 0}}")
            else:
                args.append(f".{w.name} = {w.name}")
        buffers = "".join(f", {p}" for p in self.parameters())
        lines = [f"adjoint::Result<void> {self.name}_sample(const adjoint::Stream& stream, const adjoint::Workspace& workspace{buffers}) {{", *self.lists(),
                 f"  const adjoint::{cpp}Descriptor descriptor{{{', '.join(fields)}}};",
                 f"  auto plan = adjoint::Plan<adjoint::{cpp}Descriptor, adjoint::{cpp}Args>::cached(stream, descriptor);",
                 "  if (!plan) return plan.error();",
                 f"  return plan->run(stream, workspace, adjoint::{cpp}Args{{"]
        return wrapped(re.sub(r"\bu?int\d+_t", r"std::\g<0>", "\n".join([*lines, *(f"      {a}," for a in args), "  });", "}"])))

    def c(self):
        lines = [f"adj_status {self.name}_sample(const adj_stream* stream, const adj_workspace* workspace" + "".join(f", {p}" for p in self.parameters()) + ") {",
                 f"  adj_{self.name}_descriptor descriptor = ADJ_{self.declared.upper}_DESCRIPTOR_INIT;",
                 f"  adj_{self.name}_args args = ADJ_{self.declared.upper}_ARGS_INIT;", *self.lists(), "  adj_plan* plan = NULL;", "  adj_status status;"]
        for n in self.ordered():
            kind, value = self.op.fields[n].kind, self.given[n]
            if kind == "i64_list":
                lines += [f"  descriptor.{self.before(n)} = {len(value)};", f"  descriptor.{n} = {n};"]
            elif kind in ("shape", "axes"):
                count, at = ("rank", "dims") if kind == "shape" else ("count", "at")
                lines.append(f"  descriptor.{n}.{count} = {len(value)};" + "".join(f" descriptor.{n}.{at}[{i}] = {v};" for i, v in enumerate(value)))
            else:
                lines.append(f"  descriptor.{n} = {self.scalar_field(n)};")
        for w in self.words:
            if w.kind == "tensor":
                lines += [f"  args.{w.name}.data = {w.name};", f"  args.{w.name}.bytes = {prod(w.shape) * SIZES[w.dtype]};", f"  args.{w.name}.dtype = ADJ_{w.dtype.upper()};"]
            elif w.kind == "list":
                lines += [f"  args.{w.name}.count = {len(w.shape)};", f"  args.{w.name}.dtype = ADJ_{w.dtype.upper()};",
                          f"  args.{w.name}.data = {w.name};", f"  args.{w.name}.bytes = {w.name}_bytes;"]
            elif w.kind == "scalar":
                lines.append(f"  args.{w.name}.value = {w.contents};")
            elif w.kind == "random":
                lines.append(f"  args.{w.name}.seed = {w.contents}; args.{w.name}.offset = 0;")
            else:
                lines.append(f"  args.{w.name} = {w.name};")
        return wrapped("\n".join([*lines, "  status = adj_plan_acquire(stream, &descriptor.header, NULL, &plan, NULL);",
                          "  if (status != ADJ_OK) return status; /* adj_last_error() has the sentence */",
                          "  status = adj_plan_run(plan, stream, workspace, &args.header);", "  adj_plan_release(plan);", "  return status;", "}"]))

    def rust(self):
        """None where the call takes a handle."""
        if self.handles:
            return None
        lines, call = [f"fn {self.name}_sample() -> Result<(), adjoint::Error> {{", f'    let operator = Operator::find("{self.name}")?;',
                       "    let mut problem = Problem::of(operator)?;"], []
        for n in self.ordered():
            value = self.given[n]
            text = f'"{value}"' if isinstance(value, str) else f"&[{value[0]}i64{''.join(f', {n}' for n in value[1:])}][..]" if isinstance(value, list) else repr(value)
            lines.append(f'    problem.set("{n}", {text})?;')
        lines.append("    let plan = problem.select(&Stream::host(), &Preference::default())?;")
        for w in self.words:
            place = f'operator.argument("{w.name}")?'
            mutable, verb = ("mut ", "write") if w.role != "in" else ("", "read")
            if w.kind == "tensor":
                zero = RUST[w.dtype]
                filled = f"[{', '.join(w.contents.split(','))}{w.dtype if w.dtype != 'bool' else ''}]" if w.contents else f"vec![{zero}; {prod(w.shape)}]"
                lines.append(f"    let {mutable}{w.name} = {filled};")
                call.append(f"    call.{verb}({place}, &{mutable}{w.name}[..]);")
            elif w.kind == "list":
                lines.append(f"    let {mutable}{w.name} = [{', '.join(f'vec![{RUST[w.dtype]}; {n}]' for n in w.shape)}];")
                call.append(f"    call.{verb}_list({place}, {w.name}.iter{'_mut' if mutable else ''}().map(|tensor| &{mutable}tensor[..]));")
            elif w.kind == "scalar":
                kind = "ScalarOut" if w.role != "in" else "Scalar"
                call.append(f"    call.scalar(operator.argument::<adjoint::{kind}<adjoint::Any>>(\"{w.name}\")?, {float(w.contents)});")
            else:
                kind = "RandomOut" if w.role != "in" else "Random"
                call.append(f"    call.random(operator.argument::<adjoint::{kind}<adjoint::Any>>(\"{w.name}\")?, {w.contents}, 0);")
        return "\n".join([*lines, "    let mut call = HostCall::of(operator)?;", *call, "    plan.run_host(&mut call)", "}"]) + "\n"

    def python(self, used=None, module="np"):
        """used: the fields that the arrays do not tell; by default needed(). module: np or torch, whose arrays they are."""
        used, lines, passed = self.needed() if used is None else used, [], []
        inputs = any(w.role == "in" and w.kind in ("tensor", "list") for w in self.words)  # else nothing but an output says which library's arrays
        for w in self.words:
            if w.kind == "handle":
                passed.append(f"{w.name}={w.name}")
            elif w.kind in ("scalar", "random"):
                passed.append(f"{w.name}={w.contents}" if w.kind == "scalar" else f"{w.name}=({w.contents}, 0)")
            elif w.role == "in" or w.read or not inputs or w.kind == "list" and self.op.by_name[w.name] not in self.op.outputs:
                lines.append(f"{w.name} = {self.array(w, module)}")
                passed.append(f"{w.name}={w.name}")
            elif w.name in self.asked and (module != "torch" or w.name not in self.saved()):
                passed.append(f"{w.name}=True")
        if module == "torch":
            given = {w.name for w in self.words}
            last = max((i for i, a in enumerate(self.op.inputs) if a.presence == "required"), default=-1)
            passed += [f"{a.name}=None" for a in self.op.inputs[:last + 1] if a.name not in given]
        passed += [f"{self.op.fields[n].keyword}={self.field(n, module)}" for n in self.ordered() if n in used]
        if module == "np":  # arrays of integers hold the bits of what numpy lacks
            passed += sorted({f'dtype="{w.dtype}"' for w in self.words if w.role == "in" and w.kind in ("tensor", "list") and w.dtype not in NUMPY})
        function = "torch.ops.adjoint." + self.name if module == "torch" else "adjoint.ops." + self.name + "_" * iskeyword(self.name)
        return wrapped("\n".join([*lines, f"result = {function}({', '.join(passed)})"]))

    def field(self, name, module):
        value = self.given[name]
        return f"torch.{TORCH[value]}" if module == "torch" and self.op.fields[name].kind == "dtype" else repr(value)

    def saved(self):
        """Outputs that a gradient needs: torch's operators return them always."""
        pair = GRADIENTS.get(self.name)
        return {source for names in pair.inputs.values() for source in names} if pair else set()

    def torch(self):
        """None for an operator that is none of torch's: with handles, or without arrays to begin and to end with."""
        kinds = {a.kind for a in self.op.arguments} | {f.kind for f in self.op.fields.values()}
        return None if not self.op.inputs or kinds & {"handle", "pointer", "text", "bytes"} or iskeyword(self.name) or not any(
            a.role != "in" and not a.host for a in self.op.arguments) else self.python(module="torch")

    def array(self, w, module):
        kind = f"dtype=torch.{TORCH[w.dtype]}" if module == "torch" else f"np.{NUMPY.get(w.dtype) or NUMPY[STORED[w.dtype]]}"
        zeros, array = ("torch.zeros", "torch.tensor") if module == "torch" else ("np.zeros", "np.array")

        def one(shape):
            return f"{zeros}({tuple(shape)!r}, {kind})" if len(shape) != 1 else f"{zeros}({shape[0]}, {kind})"
        if w.contents:
            return f"{array}({nested(w.contents.split(','), w.shape)}, {kind})"
        return f"[{', '.join(one([n]) for n in w.shape)}]" if w.kind == "list" else one(w.shape)

    def needed(self):
        """The fields that a call in Python has to give, because the arrays do not tell them."""
        if self.handles:
            return set(self.given)
        import numpy as np
        used = set(self.given)

        def same(used):
            scope = {"np": np, "adjoint": Adjoint}
            try:
                exec(self.python(used), scope)
                return self.meaning(scope["result"]) == self.meaning(self.descriptor)
            except Exception:
                return False
        for name in self.ordered():
            if same(used - {name}):
                used -= {name}
        return used

    def meaning(self, descriptor):
        """A descriptor without addresses."""
        raw = bytearray(bytes(descriptor.raw))
        for f in self.op.fields.values():
            if f.kind in ("i64_list", "f64_list"):
                raw[f.offset:f.offset + 8] = bytes(8)
        return bytes(raw), tuple(descriptor.need(a) for a in self.op.arguments)


class Selecting:
    """adjoint.ops whose functions select a plan and return its descriptor, and run nothing."""

    def __getattr__(self, name):
        return lambda **words: getattr(ops, name).select(**words).descriptor


class Adjoint:
    ops = Selecting()


def calls(tree):
    """The calls by the name of the operator. An operator whose line has its name alone has none."""
    by_name = {o.name: o for o in tree.operators}
    lines = [line for line in LINES.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    wrong = {line.split()[0] for line in lines} ^ set(by_name)
    if wrong:
        raise SystemExit(f"{LINES.name}: {', '.join(sorted(wrong))}: no line, or no operator")
    return {line.split()[0]: Call(line, by_name[line.split()[0]], tree.enums) for line in lines if " " in line}


HEADS = {"cpp": "#include <adjoint/adjoint.hpp>\n\n", "c": "#include <adjoint.h>\n\n", "python": "import numpy as np\nimport adjoint\n\n",
         "rust": "use adjoint::{HostCall, Operator, Preference, Problem, Stream};\n\n", "torch": "import torch\nimport adjoint.torch\n\n"}


def run_in_c(found, language):
    """The end of a program in C or C++ that runs the calls on the host, on zeroed memory. Those with handles are compiled alone."""
    lines = ["#include <stdio.h>", "#include <stdlib.h>", "", "static void* room(unsigned long bytes) { return calloc(1, bytes + 1); }", "", "int main(void) {", "  int failed = 0;",
             "  static char scratch[(1 << 22) + 256];", "  adj_workspace workspace = {(void*)(((uintptr_t)scratch + 255) & ~(uintptr_t)255), 1 << 22};",
             "  const adjoint::Stream stream = adjoint::Stream::host();" if language == "cpp" else "  const adj_stream stream = adj_stream_host();"]
    for call in found:
        buffers = []
        lines.append("  {")
        for w in call.words:
            if w.kind == "tensor":
                lines.append(f"    static {w.ctype} {w.name}[] = {{{w.contents}}};" if w.contents else f"    {w.ctype}* {w.name} = ({w.ctype}*)room({prod(w.shape) * SIZES[w.dtype]});")
            elif w.kind == "list":
                lines.append(f"    void* {w.name}[] = {{{', '.join(f'room({n * SIZES[w.dtype]})' for n in w.shape)}}};")
            else:
                continue
            buffers.append(", " + w.name)
        ended = "{0}_sample({1}stream, {1}workspace{2})".format(call.name, "" if language == "cpp" else "&", "".join(buffers))
        lines.append(f'    if ({"!" * (language == "cpp")}{ended}) {{ printf("{call.name}: %s\\n", adj_last_error()); failed = 1; }}')
        lines.append("  }")
    return "\n".join([*lines, "  return failed;", "}"]) + "\n"


def run_in_rust(found):
    names = "".join(f'    if let Err(error) = {call.name}_sample() {{ println!("{call.name}: {{error}}"); failed = 1; }}\n' for call in found)
    return "fn main() {\n    let mut failed = 0;\n" + names + "    std::process::exit(failed);\n}\n"


def program(found, language):
    """One program with all calls in C, C++ or Rust."""
    texts = [(call, getattr(call, language)()) for call in found.values()]
    running = [call for call, text in texts if text and not call.handles]
    end = run_in_rust(running) if language == "rust" else run_in_c(running, language)
    return HEADS[language] + "\n".join([text for _, text in texts if text] + [end])
