"""The command line of tools/dev: what it refuses, what it suggests, and that its help has every command."""
import fcntl
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, finish  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def dev(*words):
    return subprocess.run([ROOT / "tools/dev", *words], capture_output=True, text=True, timeout=60)


def refused(words, *mentions):
    done = dev(*words)
    check(done.returncode == 2, f"tools/dev {' '.join(words)}: exit code {done.returncode}, expected 2")
    check(done.stdout == "", f"tools/dev {' '.join(words)} prints {done.stdout!r}")
    lines = done.stderr.splitlines()
    check(len(lines) == 2 and lines[0].startswith("tools/dev: ") and lines[1] == "see tools/dev help", f"tools/dev {' '.join(words)}: {done.stderr!r}")
    for mention in mentions:
        check(mention in done.stderr, f"tools/dev {' '.join(words)} does not say {mention!r}: {done.stderr!r}")


source = (ROOT / "tools/dev").read_text(encoding="utf-8")
cases = re.search(r"^case \$command in\n(.*?)^esac", source, re.M | re.S)[1]
commands = [name for name in re.findall(r"^  ([a-z-]+)[ )]", cases, re.M)]
helped = re.findall(r"^  ([a-z][a-z-]*) ", dev("help").stdout, re.M)
check(sorted(commands) == sorted(helped) and len(helped) > 10, f"commands {sorted(commands)}, and in the help {sorted(helped)}")
check(dev("help").returncode == 0 and dev().stdout == dev("help").stdout, "tools/dev alone shows the help")
refused(["bogus"], "unknown command 'bogus'; there are: demo, ", "kernel-coverage")
refused(["tset"], "did you mean 'test'?")
refused(["kernal"], "did you mean 'kernel'?")
refused(["test", "--al"], "'--al'", "did you mean '--all'?")
refused(["full-run", "--all"], "takes no arguments", "'--all'")
refused(["adapter"], "did you mean 'adapters'?")
refused(["wheels"], "did you mean 'wheel'?")
refused(["adapters", "onnx-runtime"], "adapters knows no 'onnx-runtime'", "did you mean 'onnxruntime'?")
refused(["kernel"], "softmax_backward/*", "softmax/row.cu")
refused(["kernel", "--quick"], "kernel needs")
listed = dev("mutants", "kernels/softmax", "--count", "3", "--list")
check(listed.returncode == 0 and len(listed.stdout.splitlines()) == 3 and "kernels/softmax/" in listed.stdout, f"mutants --list prints {listed.stdout!r} {listed.stderr!r}")
check("rate" in dev("mutants", "--summary").stdout, "mutants --summary prints no rates")
# Lines are counted by who writes them, and a change by what it adds and takes.
sys.path.insert(0, str(ROOT / "tools"))
import lines  # noqa: E402

kinds = {"src/ops/norm/norm.cpp": "by hand", "src/ops/norm.gen.hpp": "generated", "include/adjoint/ops/norm_init.h": "generated", "capi/rust/Cargo.toml": "by hand",
         "capi/python/adjoint/_generated.py": "generated", "tests/abi/adjoint-1.abi": "generated", "tools/bench/results/h200.json": "results",
         "tests/mutants/results.tsv": "results", "tests/mutants/equivalent.tsv": "by hand", "README.md": "by hand"}
check({path: lines.kind_of(path) for path in kinds} == kinds, f"kinds of lines: {({path: lines.kind_of(path) for path in kinds})}")
check([lines.folder_of(path) for path in ("src/ops/a/b.cpp", "src/plan/b.cpp", "README.md")] == ["src/ops", "src", "top"], "folders of lines")
check([lines.lines_of(data) for data in (b"", b"a", b"a\n", b"a\nb", b"a\0\n")] == [0, 1, 1, 2, 0], "lines of texts")
counted = lines.table(lines.counts({"src/a.cpp": 12, "src/ops/a.cpp": 5}), lines.counts({"src/a.cpp": 10, "src/ops/a.cpp": 5}))
check(re.search(r"^src, else +12 \(\+2\) +0 +0$", counted, re.M) and re.search(r"^all +17 \(\+2\) +0 +0$", counted, re.M), f"the table of lines: {counted}")
if (ROOT / ".git").exists():
    check(dev("lines").stdout.startswith("folder") and "all" in dev("lines", "HEAD").stdout, f"tools/dev lines prints {dev('lines', 'HEAD')}")
    check(dev("lines", "no-such-revision").returncode != 0 and "no-such-revision" in dev("lines", "no-such-revision").stderr, "an unknown revision is counted")
check("tools/lines.py --closing-line" in source, "the closing lines have no sum of lines")
# The plain test says what it leaves to another command, and --all runs it.
tests = re.search(r"^run_tests\(\) \{\n(.*?)^\}", source, re.M | re.S)[1]
check('|| echo "left to tools/dev adapters' in tests and "run_adapters" in tests, "run_tests neither runs the adapters nor says that it leaves them")
check(re.search(r'= --all \]; then aarch64=\(--all\); elif .*--turn 4.*; then aarch64=\(\'\'\)', tests) and "echo \"left to another commit's turn: tools/dev aarch64" in tests,
      "run_tests does not take aarch64 in its turn, or does not say that it leaves it")
# Runs of chosen SKUs in one build directory wait for each other.
for words in (("kernel", "sgd/*"), ("kernel-coverage", "sgd/*"), ("kernel-offsets", "sgd/*")):
    with tempfile.TemporaryDirectory() as directory, open(pathlib.Path(directory, "chosen_skus.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = subprocess.Popen([ROOT / "tools/dev", *words], stdout=subprocess.PIPE, text=True, start_new_session=True, env=os.environ | {"BUILD": directory})
        try:
            line = waiting.stdout.readline()
            check(line.startswith(f"== waiting for another run in {directory};"), f"tools/dev {' '.join(words)} in a directory that is in use prints {line!r}")
        finally:
            os.killpg(waiting.pid, signal.SIGKILL)
            waiting.wait()
# The limits of time are those of the sample: a run of everything has none.
suite = re.search(r"^run_suite\(\) \{\n.*?^\}\n", source, re.M | re.S)[0]
for tier, unlimited in (("", False), ("all", True)):
    done = subprocess.run(["bash", "-c", f"meson() {{ echo \"$@\"; }}; JOBS=2\n{suite}\nrun_suite nowhere host"], capture_output=True, text=True,
                          env=os.environ | {"ADJOINT_TEST": tier})
    check(("--timeout-multiplier 0 host" in done.stdout) == unlimited and "--num-processes 2" in done.stdout, f"ADJOINT_TEST='{tier}': meson {done.stdout}")
# The last line of a test run counts the outcomes, and those above it name what failed.
closing = re.search(r"^closing_line\(\) \{.*?<<'PY'\n(.*?)^PY$", source, re.M | re.S)[1]
with tempfile.TemporaryDirectory() as directory:
    logs = {"suite.json": [("adjoint:unit / cli", "TIMEOUT"), ("adjoint:host / host", "OK"), ("gpu", "SKIP")], "note.json": [(None, "FAIL")], "good.json": [(None, "OK")]}
    for name, results in logs.items():
        lines = [json.dumps({"name": test, "result": result} if test else {"result": result}) for test, result in results]
        pathlib.Path(directory, name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", closing, *logs, "none.json"], cwd=directory, capture_output=True, text=True)
    expected = ["skipped: gpu", "failed: adjoint:unit / cli, timeout, by suite.json", "failed: note.json, fail, by note.json", "failed: none.json", "2 passed, 3 failed, 1 skipped"]
    check(done.returncode == 1 and done.stdout.splitlines() == expected, f"the closing lines are {done.stdout!r}")
    done = subprocess.run([sys.executable, "-c", closing, "good.json"], cwd=directory, capture_output=True, text=True)
    check(done.returncode == 0 and done.stdout == "1 passed, 0 failed, 0 skipped\n", f"without a failure the closing lines are {done.stdout!r}")
    # A full run is `test --all`, whatever its outcome, and leaves a row.
    full = re.search(r"^full_run\(\) \{\n(.*?)^\}", source, re.M | re.S)[1]
    check('tools/dev test --all 2>&1 | tee "$log" || code=$?\n  python3 tests/full_run.py --add "$log"' in full and 'return "$code"' in full,
          "full-run does not add the row of a run that fails, or hides the failure")
    check("python3 tests/full_run.py --last" in tests, "the closing lines do not say when the last full run was")
    recorded = pathlib.Path(directory, "full_runs.tsv")
    head = (ROOT / "tests/full_runs.tsv").read_text(encoding="utf-8").splitlines()[0]
    recorded.write_text(head + "\n", encoding="utf-8")

    def full_run(*words):
        return subprocess.run([sys.executable, ROOT / "tests/full_run.py", "--table", recorded, *words], capture_output=True, text=True)
    check(full_run("--last").stdout == "no full run yet: tools/dev full-run\n", "an empty table of full runs has a last row")
    log = pathlib.Path(directory, "log")
    closed = "\n".join(["== testing", *expected]).replace("failed: none.json", f"failed: {directory}/none.json") + "\n"
    for text, words in ((closed, ()), ("FAILED: ninja\n", ("--commit", "0123456789ab"))):
        log.write_text(text, encoding="utf-8")
        done = full_run("--add", log, "4000", *words)
        check(done.returncode == 0, f"full_run.py --add: {done.stderr}")
    rows = [dict(zip(head.split("\t"), line.split("\t"))) for line in recorded.read_text(encoding="utf-8").splitlines()[1:]]
    check(len(rows) == 2 and all(re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"]) and row["commit"] and "cores" in row["machine"] for row in rows), f"full runs: {rows}")
    counts = [tuple(row[name] for name in ("passed", "failed", "skipped", "seconds")) for row in rows]
    check(counts == [("2", "3", "1", "4000"), ("0", "1", "0", "4000")], f"counts of full runs: {counts}")
    check(rows[0]["left out"] == "gpu" and rows[0]["failures"] == "adjoint:unit / cli, timeout; note.json, fail; none.json", f"names of a full run: {rows[0]}")
    check(rows[1]["failures"] == "the run ended before its last line", f"a run that ended early: {rows[1]}")
    check(rows[1]["commit"] == "0123456789ab" != rows[0]["commit"], f"commits of full runs: {rows}")
    check(full_run("--last").stdout.endswith("0 passed, 1 failed, 0 skipped\n"), "the last full run is another")
    done = subprocess.run([sys.executable, ROOT / "tests/full_run.py", "--check"], capture_output=True, text=True)
    check(done.returncode == 0, f"full_run.py --check: {done.stderr}")
    node = platform.node()
    check(not any(word and word in row["machine"] for row in rows for word in (node, "/")), "a row names the machine")
finish()
