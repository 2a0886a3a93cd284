"""The tool of tests/mutants: it changes what it says it changes and nothing else, its samples repeat, and its table is well formed."""
import argparse
import ast
import contextlib
import io
import pathlib
import random
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, finish  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/mutants"))
import beside  # noqa: E402
import machine  # noqa: E402
import mutate  # noqa: E402
import run  # noqa: E402


SOURCE = '''#include "a < b.h"
#define GUARD 1 + 2
// i < 3
/* x += 1; */
template <class T> __device__ T sum(const T* p, i64 count) {
  T total = 0;
  const char* text = "i < 4";
  Pair<int> pair = make<int>(1.5f);
#if defined(ADJ_SIMT)
  total += 5;
#else
  asm("add %0, 6;" : "=r"(total));
#endif
  for (i64 i = -2; i < count && p[i] != 0; ++i) {
    total += fused_multiply_add(p[i], scale<T>(7, i), min_of(total, T(8)));
    if (i >= 9)
      break;
  }
  block_barrier();
  store(p,
        total);
  return total * 10;
}
'''


def changes(kind):
    return [(m.line, m.old, m.new) for m in mutate.mutants_of("x.cu", SOURCE) if m.kind == kind]


check(changes("boundary") == [(14, "<", "<="), (16, ">=", ">")], f"boundaries: {changes('boundary')}")
check(changes("comparison") == [(14, "<", ">="), (14, "!=", "=="), (16, ">=", "<")], f"comparisons: {changes('comparison')}")
check(changes("logic") == [(14, "&&", "||")], f"logic: {changes('logic')}")
check(changes("arithmetic") == [(22, "*", "/")], f"arithmetic: {changes('arithmetic')}")
check(changes("accumulate") == [(15, "+=", "=")], f"accumulates: {changes('accumulate')}")
check(changes("condition") == [(16, "i >= 9", "!(i >= 9)")], f"conditions: {changes('condition')}")
check(changes("narrow") == [(5, "i64", "i32"), (14, "i64", "i32")], f"narrowed: {changes('narrow')}")
check(changes("extremes") == [(15, "min_of", "max_of")], f"extremes: {changes('extremes')}")
check(changes("barrier") == [(19, "block_barrier();", ";")], f"barriers: {changes('barrier')}")
call = "fused_multiply_add(p[i], scale<T>(7, i), min_of(total, T(8)))"
check(changes("fused") == [(15, call, "((p[i]) * (scale<T>(7, i)))"), (15, call, "(min_of(total, T(8)))")], f"fused: {changes('fused')}")
check(changes("statement") == [(15, f"total += {call};", ";"), (17, "break;", ";"), (20, "store(p,\n        total);", ";\n")],
      f"statements: {changes('statement')}")
check({old for _, old, _ in changes("constant")} == {"0", "1.5f", "2", "7", "8", "9", "10"}, f"constants: {changes('constant')}")

PYTHON = '''"""1 < 2"""
import typing
LIMIT = 3

if __name__ == "__main__" and LIMIT < 4:
    pass


@cached(5)
def f(a: int | None = 6, *, b=True) -> "7 + 8":
    """9 > 10"""
    names = [n for n in a if n is not None]  # a < b
    if not a and b in (
            names):
        raise ValueError(f"{a + 1} < {b}")
    a.grow(max(a, len("ü") - 1), "x" + b)
    a += b == 11
    while (a) <= (b):
        break
    return a // b
'''


def python_changes(kind):
    return [(m.line, m.old, m.new) for m in mutate.mutants_of("x.py", PYTHON) if m.kind == kind]


check(python_changes("boundary") == [(18, "<=", "<")], f"boundaries of Python: {python_changes('boundary')}")
check(python_changes("comparison") == [(12, "is not", "is"), (13, "in", "not in"), (17, "==", "!="), (18, "<=", ">")], f"comparisons of Python: {python_changes('comparison')}")
check(python_changes("logic") == [(13, "and", "or")], f"logic of Python: {python_changes('logic')}")
check(python_changes("arithmetic") == [(16, "-", "+"), (20, "//", "*")], f"arithmetic of Python: {python_changes('arithmetic')}")
check(python_changes("condition") == [(12, "n is not None", "not (n is not None)"), (13, "not a and b in (\n            names)", "not (not a and b in (\n            names))"),
                                      (13, "not", "not not"), (18, "(a) <= (b)", "not ((a) <= (b))")], f"conditions of Python: {python_changes('condition')}")
check(python_changes("accumulate") == [(17, "+=", "=")], f"accumulates of Python: {python_changes('accumulate')}")
check(python_changes("extremes") == [(16, "max", "min")], f"extremes of Python: {python_changes('extremes')}")
check([(line, new) for line, _, new in python_changes("statement")] == [(12, "pass"), (15, "pass"), (16, "pass"), (17, "pass"), (19, "pass")],
      f"statements of Python: {python_changes('statement')}")
check({(old, new) for _, old, new in python_changes("constant")} == {("3", "(3 + 1)"), ("3", "(3 - 1)"), ("6", "(6 + 1)"), ("6", "(6 - 1)"), ("True", "False"),
                                                                     ("1", "(1 + 1)"), ("1", "(1 - 1)"), ("11", "(11 + 1)"), ("11", "(11 - 1)")},
      f"constants of Python: {python_changes('constant')}")
check(not any(m.line in (1, 5, 9, 11) for m in mutate.mutants_of("x.py", PYTHON)), "a docstring, a decorator or a condition on __name__ is changed")

# Of every source: a mutant changes its place alone and keeps the lines, and the place is in code.
kinds, sources = set(), 0
for family, files in run.families().items():
    for file in files:
        text = run.text_of(file)
        found = mutate.mutants_of(file, text)
        hidden = mutate.hidden_ranges(text)
        sources += 1
        kinds |= {m.kind for m in found}
        check(len({(m.place, m.change) for m in found}) == len({(m.start, m.end, m.new) for m in found}), f"{file}: two mutants have one name")
        for m in random.Random(file).sample(found, min(20, len(found))):
            changed = m.apply(text)
            check(changed != text and changed.count("\n") == text.count("\n"), f"{m.place}: {m.change} keeps the text, or changes the number of its lines")
            check(changed[:m.start] == text[:m.start] and changed[m.start + len(m.new):] == text[m.end:], f"{m.place}: {m.change} changes another place")
            check(text.splitlines()[m.line - 1][m.column - 1:].startswith(m.old.splitlines()[0]), f"{m.place} is not where {m.old!r} stands")
            check(file.endswith(".py") or not any(begin <= m.start < end for begin, end in hidden), f"{m.place} is in a directive, or in a part that one machine alone sees")
            if file.endswith(".py"):
                ast.parse(changed)
check(kinds == set(mutate.KINDS), f"kinds that no source has: {set(mutate.KINDS) - kinds}")
check(sources > 200, f"{sources} sources")
check({"src/driver", "tools/gpt", "capi/python", "capi/torch", "capi/jax", "capi/tvm_ffi", "capi/onnxruntime"} <= set(run.families()), f"families: {sorted(run.families())}")
engine = machine.Machine.__new__(machine.Machine)
for file in run.families()["src/driver"]:
    names = [name for name, _, _ in engine.suites_of_engine(file)]
    check({"unit", "faults driver", "faults libraries", "faults process", "faults memory"} <= set(names), f"{file} is tried with {names}")
for tests in (beside.PACKAGE_TESTS, beside.ADAPTER_TESTS):
    check((ROOT / tests / "run.py").exists(), f"{tests} has no run.py")

# A sample repeats, takes every kind that there is, and grows with its count.
files = run.families()["kernels/softmax"]
first, again, more, other = (run.sample(files, count, seed) for count, seed in ((20, 1), (20, 1), (40, 1), (20, 2)))
check(first == again and more[:20] == first and other != first, "samples do not follow from their seed")
check({m.kind for m in first} == {m.kind for file in files for m in mutate.mutants_of(file, run.text_of(file))}, "a sample leaves out a kind")
check(all(m.file == files[0] for m in run.sample(files, 5, 1, files[0])), "a glob over files is not followed")

# The table: places of families, outcomes, and a place once a change.
rows, reasons = run.read_results(), run.read_reasons()
families = run.families()
check(len(rows) > 0, "the table is empty")
check(len({(row["place"], row["change"]) for row in rows}) == len(rows), "the table has a mutant twice")
present = {}  # {file: the mutants of its present text}
for row in rows:
    file, line, column = row["place"].rsplit(":", 2)
    check(row["family"] in families and int(line) > 0 and int(column) > 0 and float(row["seconds"]) >= 0, f"{row} is no row")
    check(row["outcome"] in run.OUTCOMES and row["by"] and row["change"].split(":")[0] in (*mutate.KINDS, "planted"), f"{row} is no row")
    if row["digest"] == run.digest_of(file):
        if file not in present:
            planted = [m for m in run.planted_mutants() if m.file == file]
            present[file] = {(m.place, m.change) for m in [*mutate.mutants_of(file, run.text_of(file)), *planted]}
        check((row["place"], row["change"]) in present[file], f"{row['place']}: {row['change']} is not made of the present text")
# A reason stands for what no suite has seen; a survivor without one is in the summary.
survivors = [row for row in rows if row["outcome"] in ("survived", "undecided")]
used = {key for key in reasons for row in survivors if run.reason_of(row, {key: "x"})}
check(used == set(reasons), f"reasons for what is no survivor of the table: {set(reasons) - used}")
lines, open_ones = run.summary(rows, reasons)
check([row for row in survivors if row["outcome"] == "survived" and not run.reason_of(row, reasons)] == open_ones, "the summary leaves out a survivor without a reason")
check(f"{len(open_ones)} survive without a reason" in run.closing_line(rows, reasons), "the closing line leaves out survivors without a reason")
planted = [dict(zip(run.COLUMNS, ("src/plan", "src/plan/x.cpp:1:1", "constant: 1 -> 2", outcome, "-", "1", "-")))
           for outcome in ("killed", "killed", "survived", "undecided", "same", "invalid")]
check("2 of 4 killed (50.0 %), 1 survive without a reason, 1 have met the quick suites only" in run.closing_line(planted, {}), "the closing line is wrong")
check("50.0 %" in run.summary(planted, {})[0][1], "the summary's rate is wrong")

# The table of another machine: its rows of present texts are added, but what it leaves undecided replaces nothing that is decided here.
load = "src/jit/load.cpp"


def row_of(change, outcome, digest=run.digest_of(load)):
    return dict(zip(run.COLUMNS, ("src/jit", f"{load}:1:1", change, outcome, "-", "1.0", digest)))


def merged(own, other):
    with tempfile.TemporaryDirectory() as folder:
        run.RESULTS = pathlib.Path(folder) / "other.tsv"
        run.write_results(other)
        shutil.move(run.RESULTS, f"{folder}/moved.tsv")
        run.RESULTS = pathlib.Path(folder) / "own.tsv"
        run.write_results(own)
        run.merge(pathlib.Path(folder) / "moved.tsv")
        return {(row["change"], row["outcome"]) for row in run.read_results()}


table = run.RESULTS
check(merged([row_of("a", "killed"), row_of("b", "survived"), row_of("c", "undecided"), row_of("d", "killed", "old")],
             [row_of("a", "undecided"), row_of("b", "killed"), row_of("c", "undecided"), row_of("d", "undecided"), row_of("e", "killed", "old"),
              row_of("f", "same")]) ==
      {("a", "killed"), ("b", "killed"), ("c", "undecided"), ("d", "undecided"), ("f", "same")}, "tables are not merged")
run.RESULTS = table


# Workers share a sample: each mutant is tried once, and the table has all of them. A worker that fails ends the run.
class Fake:
    def __init__(self, build, worker, quick):
        self.worker = worker

    def try_mutant(self, mutant, rng):
        if mutant.place == self.fails:
            sys.exit("a suite fails without a change")
        return "killed", self.worker


def tried(jobs, fails):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "mutants").mkdir()
        run.RESULTS = pathlib.Path(folder) / "results.tsv"
        run.write_results([])
        Fake.fails, real, machine.Machine = fails, machine.Machine, Fake
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = run.campaign(argparse.Namespace(build=pathlib.Path(folder), glob="kernels/softmax", count=12, seed=1, jobs=jobs, minutes=10, quick=False,
                                                   again=False, planted=False, list=False, worker=0))
        machine.Machine = real
        return code, sorted((row["place"], row["change"]) for row in run.read_results())


wanted = sorted((m.place, m.change) for m in run.sample(files, 12, 1))
for jobs in (1, 3):
    check(tried(jobs, None) == (0, wanted), f"{jobs} workers do not try each mutant once")
check(tried(3, wanted[5][0])[0] == 1, "a failing worker is not noticed")
run.RESULTS = table

# Planted errors are where their texts stand once, with all that is changed; others are left out.
sources = {"a.py": "x = 1\ny = save(x)\nz = x\nw = load(y)\n", "b.py": "x\nx\n"}
found = list(mutate.planted("# a\na.py\tsave(x)\tx\tload(y)\ty + 1\nb.py\tx\ty\nc.py\tx\ty\n", lambda file: sources.get(file, "")))
check([(m.file, m.line, m.column, m.apply(sources[m.file])) for m in found] == [("a.py", 2, 5, "x = 1\ny = x\nz = x\nw = y + 1\n")], f"planted: {found}")
check(all(pathlib.Path(ROOT / line.split("\t")[0]).exists() for line in run.PLANTED.read_text().splitlines()[1:]), "planted.tsv names a file that is gone")

# A survivor of an earlier text is where its line stands now, and leaves the table with it.
text, run.earlier_text = "def f(x):\n    return x + 1\n", lambda file, digest: run_texts[digest]
run_texts, run_text_of = {"moved": "# one\n\n\n" + text, "gone": text.replace("x + 1", "2 + x")}, run.text_of
place = "tests/mutants/run.py"
run.text_of = lambda file: text
for digest, line, change, expected in (("moved", 5, "arithmetic: + -> -", f"{place}:2:14"), ("gone", 2, "constant: 2 -> (2 + 1)", None)):
    mutant = run.moved_mutant({"place": f"{place}:{line}:14" if expected else f"{place}:{line}:12", "change": change, "digest": digest})
    check((mutant and mutant.place) == expected, f"a {digest} line: {mutant}")
run.text_of = run_text_of

# A program with a change takes the place of that of the build, whether Meson names it by an absolute path or not; a command without it would see no change.
built = pathlib.Path("/b")
for word in ("tools/gpt", "/b/tools/gpt"):
    check(beside.in_place_of(built, ["python3", "x.py", word, "--host"], {"/b/tools/gpt": "/w/gpt"}) == ["python3", "x.py", "/w/gpt", "--host"], f"{word} is not replaced")
try:
    beside.in_place_of(built, ["python3", "/b"], {"/b/tools/gpt": "/w/gpt"})
    check(False, "a command without the changed program is run")
except SystemExit:
    pass

# What a suite prints becomes one line, and each family of the engine has suites.
check(machine.what_failed("a\nFAIL adam/x [case]: wrong\n more\n") == "adam/x [case]: wrong", "the failure of a suite is not found")
check(machine.what_failed("x.cpp:7: ERROR: CHECK( a ) is NOT correct!\n  values: 1\n") == "CHECK( a ) is NOT correct! values: 1", "a failed check is not found")
check(machine.what_failed("ERROR: test_x (test_ops.Ops)\nFAILED (errors=1)\n") == "test_x (test_ops.Ops)", "the failed test of a Python suite is not found")
finish()
