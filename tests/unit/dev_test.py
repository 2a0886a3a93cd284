"""The command line of tools/dev: what it refuses, what it suggests, and that its help has every command."""
import pathlib
import re
import subprocess
import sys

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
sys.exit(failures > 0)
