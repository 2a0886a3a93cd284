"""`tools/dev new` in a copy of the tree: what it writes passes the generator, the layers, the formatter and the compilers, and its tests say what to write."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, finish  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(tree, *command, code=0):
    done = subprocess.run([str(word) for word in command], cwd=tree, capture_output=True, text=True)
    check(done.returncode == code, f"{' '.join(map(str, command))}: exit code {done.returncode}, expected {code}: {(done.stdout + done.stderr)[-3000:]}")
    return done.stdout + done.stderr


def new(tree, *names, code=0):
    return run(tree, sys.executable, tree / "tools/new_operator.py", *names, code=code)


def main(cxx):
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        for part in ("include", "src", "kernels", "tools", "tests", "capi"):
            shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("target", "__pycache__", "results", "corpus"))
        for name in (".clang-format", "README.md", "meson.build"):
            shutil.copy(ROOT / name, tree)
        before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
        for names, words in ((["norm"], "usage"), (["Norm", "x"], "'Norm' is no name"), (["norm", "a__b"], "'a__b' is no name"),
                             (["segment_sum", "x"], "'segment_sum' is no name"), (["norm", "sgd"], "there is an operator sgd in the family optimizer")):
            check(words in new(tree, *names, code=2), f"tools/dev new {' '.join(names)} does not say {words!r}")
        check(before == {path: path.read_bytes() for path in tree.rglob("*") if path.is_file() and "__pycache__" not in path.parts}, "a refused command writes")

        # A new family, and an operator more in a family that exists.
        for family, operator, host in (("relu", "relu_backward", "relu"), ("concat", "stack_rows", "concat_stack_rows")):
            said = new(tree, family, operator)
            check(f"tools/dev kernel '{operator}/*'" in said, f"what comes next: {said}")
            check(f"meson setup --reconfigure build && ninja -C build tests/host_test && build/tests/host_test -tc='*{operator}*'" in said,
                  f"a build directory of before does not learn of the new files: {said}")
            planning = f"src/ops/{family}/{family if host == family else operator}.cpp"
            test, cases, source = f"tests/host/{host}.cpp", f"tools/harness/{host}.cpp", f"src/host/{host}.cpp"
            check("FAIL(" in (tree / test).read_text() and test in (tree / test).read_text(), "the host test does not say what to write")
            check(f"write kernels/{family}/{operator}.cu" in (tree / cases).read_text(), "the cases do not say what to write")
            built = pathlib.Path(folder) / "built"
            run(tree, sys.executable, tree / "tools/generate.py", "--built", built)
            for path in (planning, source, cases, test):
                run(tree, *cxx, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Iinclude", "-Isrc", f"-I{built}/include",
                    f"-I{built}/src", "-I.", "-Itools", path)
            work = pathlib.Path(folder) / operator
            run(tree, sys.executable, tree / "tests/simt/build_kernels.py", "--include", tree / "kernels", "--include", tree / "tests/simt", "--mode", "checked",
                "--program", f"{family}/{operator}.cu:{operator}:ADJ_T=f32", "--work", work, "--output", work.with_suffix(".a"), "--cxx", *cxx)
            check("there is an operator" in new(tree, family, operator, code=2), "an operator is written twice")
        run(tree, sys.executable, tree / "tools/generate.py", "--check")
        run(tree, sys.executable, tree / "tests/layers.py", tree)
        if shutil.which("clang-format-19"):
            run(tree, sys.executable, tree / "tools/format.py", "--check")


main(sys.argv[1:] or [os.environ.get("CXX", "c++")])
finish()
