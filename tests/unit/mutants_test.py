"""The tool of tests/mutants: it changes what it says it changes and nothing else, its samples repeat, and its table is well formed."""
import argparse
import contextlib
import io
import pathlib
import random
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/mutants"))
sys.dont_write_bytecode = True
import machine  # noqa: E402
import mutate  # noqa: E402
import run  # noqa: E402

failures = 0


def check(right, what):
    global failures
    if not right:
        failures += 1
        print(f"FAIL: {what}")


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
            check(not any(begin <= m.start < end for begin, end in hidden), f"{m.place} is in a directive, or in a part that one machine alone sees")
check(kinds == set(mutate.KINDS), f"kinds that no source has: {set(mutate.KINDS) - kinds}")
check(sources > 200, f"{sources} sources")

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
    check(row["outcome"] in run.OUTCOMES and row["by"] and row["change"].split(":")[0] in mutate.KINDS, f"{row} is no row")
    if row["digest"] == run.digest_of(file):
        if file not in present:
            present[file] = {(m.place, m.change) for m in mutate.mutants_of(file, run.text_of(file))}
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
                                                   again=False, list=False))
        machine.Machine = real
        return code, sorted((row["place"], row["change"]) for row in run.read_results())


wanted = sorted((m.place, m.change) for m in run.sample(files, 12, 1))
for jobs in (1, 3):
    check(tried(jobs, None) == (0, wanted), f"{jobs} workers do not try each mutant once")
check(tried(3, wanted[5][0])[0] == 1, "a failing worker is not noticed")
run.RESULTS = table

# What a suite prints becomes one line, and each family of the engine has suites.
check(machine.what_failed("a\nFAIL adam/x [case]: wrong\n more\n") == "adam/x [case]: wrong", "the failure of a suite is not found")
check(machine.what_failed("x.cpp:7: ERROR: CHECK( a ) is NOT correct!\n  values: 1\n") == "CHECK( a ) is NOT correct! values: 1", "a failed check is not found")
sys.exit(failures > 0)
