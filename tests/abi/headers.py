#!/usr/bin/env python3
"""Checks that every public header compiles alone, included twice, in each of its languages, without a warning.

An enumeration (ADJ_ENUM) is a type of its own in C++: a value of another one, or a number, does not compile.

C headers (*.h) compile as C99 to C23 and as C++17 and C++20; C++ headers (*.hpp) as C++20. In C every ..._INIT macro is also used once, as a
static initialiser: a macro with a member too few or too many does not compile.

  headers.py BUILT COMPILER...  BUILT has the headers that a build makes; a C compiler and its C++ counterpart are written cc:c++; absent compilers are left out
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wstrict-prototypes", "-Wmissing-field-initializers"]
C_ONLY = {"-Wstrict-prototypes"}
C_STANDARDS = ["c99", "c11", "c17", "c2x"]
CPP_STANDARDS = ["c++17", "c++20"]

# C++ that must compile, and what must not.
RIGHT = ["adj_softmax_forward_descriptor d{.element = ADJ_F32};", "adj_preference p{.determinism = ADJ_RUN_TO_RUN, .math = ADJ_MATH_IEEE};",
         "adj_tensor t{.dtype = ADJ_BF16};", "adj_op o = ADJ_OP_SOFTMAX_FORWARD;", "adj_tag g = ADJ_TAG_SOFTMAX_FORWARD_ARGS;", "int n = ADJ_F32;"]
WRONG = ["adj_softmax_forward_descriptor d{.element = ADJ_REDUCTION_SUM};", "adj_softmax_forward_descriptor d{.element = 1};",
         "adj_preference p{.determinism = ADJ_MATH_IEEE};", "adj_preference p{.math = 1};", "adj_tensor t{.dtype = ADJ_OP_SOFTMAX_FORWARD};",
         "adj_softmax_cross_entropy_loss_descriptor d{.reduction = ADJ_WRITE_ACCUMULATE};",
         "adj_status s = ADJ_F32;", "adj_stream s{.kind = ADJ_BACKEND_HOST};", "const char* c = adj_dtype_name(ADJ_REDUCTION_SUM);"]


def wrongly_compiled(cxx, includes):
    """Lines of RIGHT that do not compile, and of WRONG that do."""
    lines = RIGHT + WRONG
    text = "#include <adjoint.h>\n" + "".join(f"void line_{i}() {{ {line} }}\n" for i, line in enumerate(lines))
    errors = subprocess.run([cxx, "-std=c++20", *includes, "-fsyntax-only", "-x", "c++", "-"], input=text, capture_output=True, text=True).stderr
    refused = {int(number) - 2 for number in re.findall(r"^<stdin>:(\d+):\d+: error:", errors, re.M)}
    return [f"{cxx}: {line}: {'does not compile' if i in refused else 'compiles'}" for i, line in enumerate(lines) if (i in refused) != (line in WRONG)]


def headers(roots):
    """{name: path} of every header."""
    return {str(path.relative_to(root)): path for root in roots for path in sorted(root.rglob("*.h*"))}


def initialisers(path):
    """A C variable for every ..._INIT macro of this header."""
    text, lines = path.read_text(encoding="utf-8"), []
    for name in re.findall(r"#define (ADJ_\w+)_INIT\b(?!\()", text):
        lines.append(f"extern {name.lower()} use_{name.lower()}; {name.lower()} use_{name.lower()} = {name}_INIT;")
        lines.append(f"extern char check_{name.lower()}[sizeof({name.lower()})];")
    return lines


def main():
    compiled, problems = 0, []
    roots = [ROOT / "include", pathlib.Path(sys.argv[1])]
    includes = [f"-I{root}" for root in roots]
    for pair in sys.argv[2:]:
        cc, cxx = pair.split(":")
        if not shutil.which(cc) or not shutil.which(cxx):
            print(f"{pair}: not installed")
            continue
        for header, path in headers(roots).items():
            jobs = [(cxx, "c++", s) for s in (CPP_STANDARDS if header.endswith(".h") else ["c++20"])]
            if header.endswith(".h"):
                jobs += [(cc, "c", s) for s in C_STANDARDS]
            for compiler, language, standard in jobs:
                include = f"#include <{header}>\n"
                text = include * 2 + "\n".join(initialisers(path) if language == "c" else []) + "\n"
                text += "extern int not_empty;\n"
                flags = [w for w in WARNINGS if language == "c" or w not in C_ONLY]
                command = [compiler, f"-std={standard}", *flags, *includes, "-fsyntax-only", "-x", language, "-"]
                run = subprocess.run(command, input=text, capture_output=True, text=True)
                compiled += 1
                if run.returncode:
                    problems.append(f"{compiler} -std={standard} {header}:\n{run.stderr}")
        compiled += 1
        problems += wrongly_compiled(cxx, includes)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{compiled} compilations, {len(problems)} failures")
    return 1 if problems or not compiled else 0


if __name__ == "__main__":
    sys.exit(main())
