"""What tests/tier.py takes for changed, and what tools/dev records."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True
import tier  # noqa: E402

failures = 0


def check(right, what):
    global failures
    if not right:
        failures += 1
        print(f"FAIL: {what}")


def files_have_names():
    groups = tier.groups()
    for name, group in [
        ("src/plan/select.cpp", "engine"), ("src/jit/program.cpp", "engine"), ("src/base/text.cpp", "engine"), ("src/driver/device.cpp", "engine"),
        ("src/host/communicator.cpp", "engine"), ("include/adjoint/types.h", "engine"), ("tools/harness/harness.cpp", "engine"),
        ("tools/harness/gpu.cpp", "engine"), ("tests/simt/machine.cpp", "engine"), ("meson.build", "engine"), ("tests/simt/meson.build", "engine"),
        ("src/host/loss_rows.cpp", "loss"), ("include/adjoint/ops/loss.h", "loss"), ("tools/harness/loss_rows.cpp", "loss"),
        ("src/ops/softmax/softmax.cpp", "softmax"), ("kernels/softmax/row.cu", "softmax/row.cu"), ("kernels/prelude/thread.cuh", "softmax/row.cu"),
    ]:
        check(ROOT / name in groups[group], f"an edit of {name} does not count as a change of {group}")
    for folder in ("src", "kernels", "include"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in tier.C_SUFFIXES:
                check(any(path in files for files in groups.values()), f"an edit of {path.relative_to(ROOT)} counts as no change")


def only_code_counts():
    with tempfile.TemporaryDirectory() as folder:
        one, other, third = (pathlib.Path(folder) / f"{name}.cpp" for name in "abc")
        one.write_text('int a = 1;  // one\nconst char* s = "// no comment";\n')
        other.write_text('/* two */\n\n  int a = 1;\nconst char* s = "// no comment";\n')
        third.write_text('int a = 1;\nconst char* s = "// another";\n')
        check(tier.code(one) == tier.code(other), "comments and blanks count as code")
        check(tier.code(one) != tier.code(third), "a literal is taken for a comment")


def rotates_without_git():
    with tempfile.TemporaryDirectory() as folder:
        tier.ROOT, kept = pathlib.Path(folder), tier.ROOT
        try:
            check(tier.turn() != 0, "without git every run takes the same turn")
        finally:
            tier.ROOT = kept


def records_only_what_was_tested():
    digests = {name: "0" for name in ("engine", "softmax")}
    with tempfile.TemporaryDirectory() as folder:
        before = pathlib.Path(folder) / "before.tsv"
        tier.write(before, digests)
        done = subprocess.run([sys.executable, ROOT / "tests/tier.py", "--record", before], capture_output=True, text=True)
        check(done.returncode != 0 and "has changed while it was tested" in done.stderr, "a tree that has changed is recorded")
        # The function of tools/dev that decides, on logs as meson writes them.
        source = (ROOT / "tools/dev").read_text()
        function = re.search(r"^all_passed\(\) \{.*?^\}", source, re.M | re.S)[0]
        log = pathlib.Path(folder) / "testlog.json"

        def passes(*tests):
            log.write_text("".join(json.dumps({"name": name, "result": result}) + "\n" for name, result in tests))
            return subprocess.run([shutil.which("bash"), "-c", f'{function}\nall_passed "$1"', "bash", log], capture_output=True).returncode == 0

        fine = ("adjoint:simt / simt checked 0", "OK")
        check(passes(fine, ("adjoint:gpu / gpu", "SKIP")), "a test that needs a GPU keeps everything else from being recorded")
        check(not passes(fine, ("adjoint:nvrtc / nvrtc", "SKIP")), "a skipped suite is recorded")
        check(not passes(fine, ("adjoint:gpu / gpu", "FAIL")), "a failure is recorded")


files_have_names()
only_code_counts()
rotates_without_git()
records_only_what_was_tested()
sys.exit(failures > 0)
