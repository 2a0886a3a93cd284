#!/usr/bin/env python3
"""Changes one place of a source at a time and asks which suite sees it. README.md says what counts.

  run.py BUILD [GLOB] [--count N] [--seed S] [--jobs J]    runs N mutants of each family that matches, J at a time, and adds them to results.tsv
  run.py BUILD --recheck N                                 runs N killed mutants of the table again: each must be killed
  run.py --merge TABLE                                     adds the rows that another machine has written
  run.py --summary                                         the rates of the table, and the survivors without a reason
"""
import argparse
import collections
import datetime
import fnmatch
import hashlib
import multiprocessing
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import beside  # noqa: E402
import machine  # noqa: E402
import mutate  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = machine.ROOT
RESULTS, EQUIVALENT, PLANTED = HERE / "results.tsv", HERE / "equivalent.tsv", HERE / "planted.tsv"
FOLDERS = re.compile(r"(?<![\w.])/(?:[\w.+-]+/)+")  # of one machine, in what a test says
COLUMNS = ("family", "place", "change", "outcome", "by", "seconds", "digest")
OUTCOMES = ("killed", "survived", "undecided", "same", "invalid")
RECHECK_SECONDS = 6  # of a mutant that a plain test runs again; without the change its suites take as long once more


def families():
    """{family: its files}"""
    found = {}
    for path in sorted([*ROOT.glob("kernels/*/*.cu"), *ROOT.glob("kernels/*/*.cuh")]):
        found.setdefault(f"kernels/{path.parent.name}", []).append(path.relative_to(ROOT).as_posix())
    for pattern in ("src/driver/*.cpp", "src/plan/*.cpp", "src/jit/*.cpp", "src/ops/*/*.cpp", "src/host/*.cpp"):
        found["/".join(pattern.split("/")[:2])] = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern))
    return {**found, **beside.families(ROOT)}


def text_of(file):
    return (ROOT / file).read_text(encoding="utf-8")


def digest_of(file):
    path = ROOT / file
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else "gone"


def sample(files, count, seed, wanted="*"):
    """Mutants of a family in the order of the seed: the kinds take turns, and the places of a kind are drawn."""
    by_kind = collections.defaultdict(list)
    for file in files:
        for mutant in mutate.mutants_of(file, text_of(file)):
            by_kind[mutant.kind].append(mutant)
    rng = random.Random(f"{seed} {files[0]}")
    for members in by_kind.values():
        rng.shuffle(members)
    kinds = [kind for kind in mutate.KINDS if by_kind[kind]]
    rng.shuffle(kinds)
    chosen, places = [], set()
    while len(chosen) < count and any(by_kind[kind] for kind in kinds):
        for kind in kinds:
            while by_kind[kind]:
                mutant = by_kind[kind].pop()
                if (mutant.file, mutant.start) not in places and fnmatch.fnmatch(mutant.file, wanted):
                    places.add((mutant.file, mutant.start))
                    chosen.append(mutant)
                    break
    return chosen[:count]


def read_results(path=None):
    path = path or RESULTS
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines[0].split("\t") != list(COLUMNS):
        sys.exit(f"{path.name} begins with {lines[0]!r}")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        values = line.split("\t")
        if len(values) != len(COLUMNS):
            sys.exit(f"{path.name}:{number} has {len(values)} columns, expected {len(COLUMNS)}")
        rows.append(dict(zip(COLUMNS, values)))
    return rows


def write_results(rows):
    def order(row):
        file, line, column = row["place"].rsplit(":", 2)
        return file, int(line), int(column), row["change"]
    lines = ["\t".join(COLUMNS)] + ["\t".join(row[name] for name in COLUMNS) for row in sorted(rows, key=order)]
    temporary = RESULTS.with_suffix(".part")
    temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    temporary.replace(RESULTS)


def read_reasons():
    """{(file or a glob over files, text of the line, change): reason}"""
    found = {}
    for number, line in enumerate(EQUIVALENT.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            values = line.split("\t")
            if len(values) != 4 or not all(values):
                sys.exit(f"{EQUIVALENT.name}:{number} has not four columns")
            found[tuple(values[:3])] = values[3]
    return found


def reason_of(row, reasons):
    """Why a survivor is equivalent; "" where nothing says so. In a file that has changed since, lines may have moved."""
    file, line, _ = row["place"].rsplit(":", 2)
    text = text_of(file).splitlines()[int(line) - 1].strip() if row["digest"] == digest_of(file) else None
    return next((reason for (files, own, change), reason in reasons.items()
                 if change == row["change"] and own in (text, own if text is None else text) and fnmatch.fnmatch(file, files)), "")


def outcome_of(row, reasons):
    """The outcome of a row, or "equivalent" for what no suite has seen and has a reason."""
    return "equivalent" if row["outcome"] in ("survived", "undecided") and reason_of(row, reasons) else row["outcome"]


def summary(rows, reasons):
    """Lines of the table by family, and the survivors without a reason."""
    counts, open_ones = collections.defaultdict(collections.Counter), []
    for row in rows:
        outcome = outcome_of(row, reasons)
        if outcome == "survived":
            open_ones.append(row)
        counts[row["family"]][outcome] += 1
        if row["digest"] != digest_of(row["place"].rsplit(":", 2)[0]):
            counts[row["family"]]["earlier"] += 1
    names = ("killed", "survived", "undecided", "equivalent", "same", "invalid")
    lines = ["{:24}{:>7}{:>8}{:>10}{:>11}{:>12}{:>6}{:>9}{:>8}".format("family", "tried", *names, "rate")]
    total = collections.Counter()
    for family, count in [*sorted(counts.items()), ("all", total)]:
        if family != "all":
            total.update(count)
        tried = sum(count[name] for name in names)
        judged = count["killed"] + count["survived"] + count["undecided"]
        rate = f"{100 * count['killed'] / judged:.1f} %" if judged else "-"
        lines.append(f"{family:24}{tried:7}" + "".join(f"{count[name]:{width}}" for name, width in zip(names, (8, 10, 11, 12, 6, 9))) + f"{rate:>8}")
    if total["earlier"]:
        lines.append(f"{total['earlier']} of them were run on earlier texts of their files")
    return lines, open_ones


def planted_mutants():
    return list(mutate.planted(PLANTED.read_text(encoding="utf-8"), lambda file: text_of(file) if (ROOT / file).exists() else ""))


def mutant_of(row):
    """The mutant that a row of the table names, in the present text; None where it is not there."""
    file = row["place"].rsplit(":", 2)[0]
    found = [] if not (ROOT / file).exists() else planted_mutants() if row["change"].startswith("planted:") else mutate.mutants_of(file, text_of(file))
    return next((m for m in found if (m.place, m.change) == (row["place"], row["change"])), None)


def earlier_text(file, digest):
    """The text of a file that has this digest, out of the history; None where that does not have it."""
    commits = subprocess.run(["git", "-C", ROOT, "log", "--format=%H", "--", file], capture_output=True, text=True).stdout.split()
    for commit in commits:
        text = subprocess.run(["git", "-C", ROOT, "show", f"{commit}:{file}"], capture_output=True).stdout
        if hashlib.sha256(text).hexdigest().startswith(digest):
            return text.decode()
    return None


def moved_mutant(row):
    """The mutant of a row of an earlier text, where its line stands in the present one; None where it is gone."""
    file, line, column = row["place"].rsplit(":", 2)
    earlier = (earlier_text(file, row["digest"]) or "").splitlines()
    if int(line) > len(earlier) or not (ROOT / file).exists():
        return None
    old, present = earlier[int(line) - 1], text_of(file).splitlines()
    behind = int(column) - len(old) + len(old.lstrip())  # of the column, without the indentation
    same = [m for m in mutate.mutants_of(file, text_of(file)) if m.change == row["change"] and present[m.line - 1].strip() == old.strip()
            and m.column - len(present[m.line - 1]) + len(present[m.line - 1].lstrip()) == behind]
    return min(same, key=lambda m: abs(m.line - int(line)), default=None)


def follow(families, write):
    """The rows of these families that are undecided, or survivors without a reason, at their places in the present texts. The table is written so, without those whose line is gone."""
    rows, reasons = read_results(), read_reasons()
    open_ones = [row for row in rows if outcome_of(row, reasons) in ("undecided", "survived") and row["family"] in families]
    for row in [row for row in open_ones if row["digest"] != digest_of(row["place"].rsplit(":", 2)[0])]:
        mutant = moved_mutant(row)
        if mutant is None:
            print(f"{row['place']} leaves the table, since its line is gone: {row['change']}")
            rows.remove(row)
            open_ones.remove(row)
        else:
            row.update(place=mutant.place, digest=digest_of(mutant.file))
    if write:
        write_results(rows)
    return open_ones


def closing_line(rows, reasons):
    counts = collections.Counter(outcome_of(row, reasons) for row in rows)
    judged = counts["killed"] + counts["survived"] + counts["undecided"]
    return (f"mutants: {counts['killed']} of {judged} killed ({100 * counts['killed'] / max(judged, 1):.1f} %), {counts['survived']} survive "
            f"without a reason, {counts['undecided']} have met the quick suites only; besides "
            f"{counts['equivalent']} equivalent, {counts['same']} with the same code, {counts['invalid']} that do not compile")


def campaign(options):
    wanted = {family: files for family, files in families().items()
              if fnmatch.fnmatch(family, options.glob) or any(fnmatch.fnmatch(file, options.glob) for file in files)}
    if not wanted:
        sys.exit(f"no family and no file matches '{options.glob}'; there are: {', '.join(families())}")
    queues = {family: sample(files, options.count, options.seed, "*" if fnmatch.fnmatch(family, options.glob) else options.glob)
              for family, files in wanted.items()}
    if options.again:
        with machine.locked(options.build / "mutants/table"):
            open_ones = follow(wanted, not options.list)
        queues = {family: [mutant for row in open_ones if row["family"] == family and (mutant := mutant_of(row)) and mutant.file in files
                           and (fnmatch.fnmatch(family, options.glob) or fnmatch.fnmatch(mutant.file, options.glob))]
                  for family, files in wanted.items()}
    if options.planted:
        queues = {family: [mutant for mutant in planted_mutants() if mutant.file in files] for family, files in wanted.items()}
    if options.list:
        for queue in queues.values():
            for mutant in queue:
                print(mutant.place, mutant.change)
        return 0
    for family in [family for family in wanted if family.startswith("capi/")]:
        if lacking := beside.missing(options.build.resolve(), family):
            print(f"{family} is left out, for want of {lacking}")
            queues[family] = []
    digests = {file: digest_of(file) for files in wanted.values() for file in files}  # of the texts that are copied now
    known = set() if options.again else {(row["place"], row["change"], row["digest"]) for row in read_results() if options.quick or row["outcome"] != "undecided"}
    # The families take turns, so that an interrupted run has some of each.
    queue = [(family, queues[family][turn]) for turn in range(max(map(len, queues.values()))) for family in queues if turn < len(queues[family])]
    queue = [(family, mutant) for family, mutant in queue if (mutant.place, mutant.change, digests[mutant.file]) not in known]
    process = multiprocessing.get_context("fork")
    taken, end = process.Value("i", 0), time.monotonic() + 60 * options.minutes
    workers = [process.Process(target=work, args=(options, f"worker-{options.worker + number}", queue, digests, taken, end)) for number in range(options.jobs)]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:  # one whose suite fails without a change ends alone
            worker.join()
    finally:
        started = [worker for worker in workers if worker.pid]
        for worker in started:
            worker.terminate()
        for worker in started:
            worker.join()
    if any(worker.exitcode for worker in workers):
        return 1
    if taken.value < len(queue):
        print(f"the minutes are over; {len(queue) - taken.value} mutants are left")
    return 0


def work(options, name, queue, digests, taken, end):
    """Takes mutants of the queue, and writes what becomes of them to the table, until the queue or the time ends. A process of its own."""
    runner = machine.Machine(options.build, name, options.quick)
    while time.monotonic() < end:
        with taken.get_lock():
            if taken.value == len(queue):
                return
            family, mutant = queue[taken.value]
            taken.value += 1
        start = machine.processor_seconds()
        outcome, by = runner.try_mutant(mutant, random.Random(f"{options.seed} {mutant.place}"))
        by = FOLDERS.sub("", by)
        row = dict(zip(COLUMNS, (family, mutant.place, mutant.change.replace("\t", " "), outcome, by.replace("\t", " "),
                                 f"{machine.processor_seconds() - start:.1f}", digests[mutant.file])))
        print(outcome, mutant.place, mutant.change[:100], "|", by[:150], f"{row['seconds']} s", flush=True)
        with machine.locked(options.build / "mutants/table"):
            write_results(with_rows(read_results(), [row]))


def with_rows(rows, new):
    """The rows of a table with new ones, in place of those of the same mutants."""
    names = {(row["place"], row["change"]) for row in new}
    return [row for row in rows if (row["place"], row["change"]) not in names] + new


def merge(path):
    """Adds the rows of a table of another machine that are of the present texts. What is decided here stays where it is undecided there."""
    rows, others = read_results(), read_results(path)
    present = [row for row in others if row["digest"] == digest_of(row["place"].rsplit(":", 2)[0])]
    decided = {(row["place"], row["change"], row["digest"]) for row in rows if row["outcome"] != "undecided"}
    taken = [row for row in present if row["outcome"] != "undecided" or (row["place"], row["change"], row["digest"]) not in decided]
    write_results(with_rows(rows, taken))
    print(f"{len(taken)} rows taken, {len(others) - len(present)} are of other texts, {len(present) - len(taken)} are decided here alone")
    return 0


def recheck(options):
    """Runs killed mutants of the table again, in the turn of the commit. A survivor is a failure: a suite sees less than it saw."""
    rows = [row for row in read_results() if row["outcome"] == "killed" and float(row["seconds"]) <= RECHECK_SECONDS
            and "time limit" not in row["by"] and (machine.has_clang() or not row["by"].startswith((machine.NARROWING, machine.NARROWING_OF_ENGINE))) and row["digest"] == digest_of(row["place"].rsplit(":", 2)[0])]
    lacking = {family for family in {row["family"] for row in rows} if family.startswith("capi/") and beside.missing(options.build.resolve(), family)}
    rows = [row for row in rows if row["family"] not in lacking]
    if not rows:
        print("no killed mutant of the table is of the present texts")
        return 1
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True)
    name = head.stdout.strip() if head.returncode == 0 else datetime.date.today().isoformat()
    rng = random.Random(name)
    runner = machine.Machine(options.build, "recheck")
    failures = 0
    for row in rng.sample(rows, min(options.recheck, len(rows))):
        mutant = mutant_of(row)
        if not mutant:
            print(f"FAILED {row['place']}: the table has a change that is not made: {row['change']}")
            failures += 1
            continue
        by = re.match(r"simt \w+ (\S+)", row["by"])
        outcome, by = runner.try_mutant(mutant, random.Random(f"{options.seed} {mutant.place}"), by and by[1].rstrip(":"))
        failures += outcome != "killed"
        print("ok" if outcome == "killed" else "FAILED", mutant.place, mutant.change, "|", outcome, by, flush=True)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, help="build directory")
    parser.add_argument("glob", nargs="?", default="*", help="glob over families (kernels/softmax, src/plan) or files; default: all families")
    parser.add_argument("--count", type=int, default=20, help="mutants of each family (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="chooses places and changes (default 1)")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time (default 1)")
    parser.add_argument("--worker", type=int, default=0, help="number of the first worker: another than 0 beside another run (default 0)")
    parser.add_argument("--minutes", type=float, default=1e6, help="no mutant is begun after so many minutes")
    parser.add_argument("--quick", action="store_true", help="only the suites that take seconds; what they do not see is undecided")
    parser.add_argument("--again", action="store_true", help="instead of a sample, run what the table has as undecided, or as survivor without a reason")
    parser.add_argument("--planted", action="store_true", help="instead of a sample, run the errors of planted.tsv")
    parser.add_argument("--list", action="store_true", help="print the mutants that would be run")
    parser.add_argument("--summary", action="store_true", help="print the rates of the table by family, and the survivors without a reason")
    parser.add_argument("--closing-line", action="store_true", help="print the rate of the table in one line")
    parser.add_argument("--recheck", type=int, metavar="N", help="run N killed mutants of the table again, chosen by the commit")
    parser.add_argument("--merge", type=pathlib.Path, metavar="TABLE", help="add the rows of another machine's table that are of the present texts")
    parser.add_argument("--targets", action="store_true", help="print what must be built")
    options = parser.parse_intermixed_args()
    if options.targets:
        print(*machine.TARGETS)
        return 0
    if options.summary or options.closing_line:
        rows, reasons = read_results(), read_reasons()
        if options.closing_line:
            print(closing_line(rows, reasons))
            return 0
        lines, open_ones = summary(rows, reasons)
        print("\n".join(lines))
        for row in open_ones:
            print("no reason:", row["place"], row["change"], "|", row["by"])
        return 0
    if options.merge:
        return merge(options.merge)
    if not options.build:
        parser.error("BUILD is missing")
    if options.list:
        return campaign(options)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit("ended by a signal"))  # what is being executed ends as well
    return recheck(options) if options.recheck else campaign(options)


if __name__ == "__main__":
    sys.exit(main())
