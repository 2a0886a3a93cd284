"""The command line of tools/dev: what it refuses, what it suggests, and that its help has every command."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
failures = 0


def check(right, what):
    global failures
    if not right:
        failures += 1
        print(f"FAIL: {what}")


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
refused(["adapter"], "did you mean 'adapters'?")
refused(["wheels"], "did you mean 'wheel'?")
refused(["kernel"], "softmax_backward/*", "softmax/row.cu")
refused(["kernel", "--quick"], "kernel needs")
listed = dev("mutants", "kernels/softmax", "--count", "3", "--list")
check(listed.returncode == 0 and len(listed.stdout.splitlines()) == 3 and "kernels/softmax/" in listed.stdout, f"mutants --list prints {listed.stdout!r} {listed.stderr!r}")
check("rate" in dev("mutants", "--summary").stdout, "mutants --summary prints no rates")
# The plain test says what it leaves to another command, and --all runs it.
tests = re.search(r"^run_tests\(\) \{\n(.*?)^\}", source, re.M | re.S)[1]
check('|| echo "left to tools/dev adapters' in tests and "run_adapters" in tests, "run_tests neither runs the adapters nor says that it leaves them")
# The last line of a test run counts the outcomes, and those above it name what failed.
closing = re.search(r"^closing_line\(\) \{.*?<<'PY'\n(.*?)^PY$", source, re.M | re.S)[1]
with tempfile.TemporaryDirectory() as directory:
    logs = {"suite.json": [("adjoint:unit / cli", "TIMEOUT"), ("adjoint:host / host", "OK"), ("gpu", "SKIP")], "note.json": [(None, "FAIL")], "good.json": [(None, "OK")]}
    for name, results in logs.items():
        lines = [json.dumps({"name": test, "result": result} if test else {"result": result}) for test, result in results]
        pathlib.Path(directory, name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", closing, *logs, "none.json"], cwd=directory, capture_output=True, text=True)
    expected = ["failed: adjoint:unit / cli, timeout, by suite.json", "failed: note.json, fail, by note.json", "failed: none.json", "2 passed, 3 failed, 1 skipped"]
    check(done.returncode == 1 and done.stdout.splitlines() == expected, f"the closing lines are {done.stdout!r}")
    done = subprocess.run([sys.executable, "-c", closing, "good.json"], cwd=directory, capture_output=True, text=True)
    check(done.returncode == 0 and done.stdout == "1 passed, 0 failed, 0 skipped\n", f"without a failure the closing lines are {done.stdout!r}")
sys.exit(failures > 0)
