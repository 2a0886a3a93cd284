#!/usr/bin/env python3
"""Compiles and runs the snippets of the READMEs and of the prose of the manual, as they stand there: snippets.py SOURCE_DIR LIBRARY WORK_DIR [ADJOINT]

The first line of a snippet has its language and what is done with it, as in ```cpp run:
  run      compiled and run; it passes when it exits with 0
  compile  compiled only, because it needs a GPU; skipped where a toolkit's headers are missing that it includes
  part     lines of the file that the third word names, in this order and without their indentation
  text     for the eye only: a shell command that changes the machine, a fragment
With run and compile a third word names a file that ends in the very text of the snippet.
Headers are those of the source tree and those made beside LIBRARY, the library is LIBRARY, `adjoint` in shell snippets is ADJOINT. A failure names file and line. Exit
status 77: nothing could be checked."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

FILES = ["README.md", "capi/README.md", "capi/rust/README.md", "tools/bench/README.md"]
FOLDERS = ["tools/manual/prose"]
TESTED_BY_ITS_OWN_TEST = ["capi/python/README.md"]  # capi/python/tests/test_readme.py
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


class Skipped(Exception):
    pass


class Failed(Exception):
    pass


class Snippet:
    def __init__(self, file, line, language, action, same_as, code):
        self.file, self.line, self.language, self.action, self.same_as, self.code = file, line, language, action, same_as, code

    def __str__(self):
        return f"{self.file}:{self.line}: {self.language} {self.action}"

    def name(self):
        return re.sub(r"\W", "_", f"{self.file}_{self.line}")

    # Blank lines before the code: it gets the line numbers of the README.
    def padded(self):
        return "\n" * self.line + self.code


def snippets_of(root, file):
    opened = None
    for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("```"):
            if opened:
                opened.code += line + "\n"
        elif opened:
            yield opened
            opened = None
        else:
            words = line[3:].split() + ["", "", ""]
            opened = Snippet(file, number, words[0], words[1], words[2], "")
    if opened:
        raise SystemExit(f"{opened}: the snippet does not end")


# A text without as much indentation as the first line of `part` has in it.
def without_indentation(text, part):
    first = next((line for line in text.splitlines() if line.strip() == part.splitlines()[0]), "")
    return re.sub(f"^{' ' * (len(first) - len(first.lstrip()))}", "", text, flags=re.M)


class Checker:
    def __init__(self, root, library, work, tool):
        self.root, self.library, self.work, self.tool = root, library, work, tool
        self.includes = [f"-I{root / 'include'}", f"-I{library.parent / 'include'}"]
        self.environment = dict(os.environ, LD_LIBRARY_PATH=str(library.parent), ADJOINT_CACHE_DIR=str(work / "cache"))

    def command(self, *words, **options):
        words = [str(word) for word in words]
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240,
                                  env=options.pop("env", self.environment), **options)
        except FileNotFoundError:
            raise Skipped(f"{words[0]} is not installed") from None
        if done.returncode:
            raise Failed(f"{' '.join(words)}\nexit status {done.returncode}\n{done.stdout}")

    def check(self, snippet):
        checker = getattr(self, "check_" + snippet.language, None)
        if snippet.action == "text":
            raise Skipped("text")
        if snippet.action == "part" and snippet.same_as:
            if snippet.code not in without_indentation((self.root / snippet.same_as).read_text(encoding="utf-8"), snippet.code):
                raise Failed(f"is no part of {snippet.same_as}")
            return
        if snippet.action not in ("run", "compile") or not checker:
            raise Failed("the first line must be ``` with a language and one of run, compile, text, or part and a file")
        if snippet.same_as and not (self.root / snippet.same_as).read_text(encoding="utf-8").endswith("\n" + snippet.code):
            raise Failed(f"differs from {snippet.same_as}")
        checker(snippet)

    def compiled(self, snippet, compiler, suffix):
        source = self.work / (snippet.name() + suffix)
        source.write_text(f'#line {snippet.line + 1} "{self.root / snippet.file}"\n{snippet.code}', encoding="utf-8")
        flags = WARNINGS + self.includes
        if "#include <cuda_runtime.h>" in snippet.code:
            flags += self.toolkit()
        if snippet.action == "compile":
            self.command(*compiler, *flags, "-fsyntax-only", source)
            return
        program = source.with_suffix("")
        self.command(*compiler, *flags, source, self.library, f"-Wl,-rpath,{self.library.parent}", "-o", program)
        self.command(program, cwd=self.work)

    def toolkit(self):
        for variable in ("CUDA_HOME", "CUDA_PATH"):
            if (pathlib.Path(os.environ.get(variable, "/nowhere")) / "include/cuda_runtime.h").exists():
                return ["-isystem", os.path.join(os.environ[variable], "include")]
        for place in ("/usr/local/cuda/include", "/usr/include"):
            if os.path.exists(place + "/cuda_runtime.h"):
                return ["-isystem", place] if place != "/usr/include" else []
        raise Skipped("no cuda_runtime.h")

    def check_c(self, snippet):
        self.compiled(snippet, [*os.environ.get("CC", "cc").split(), "-std=c99"], ".c")

    def check_cpp(self, snippet):
        self.compiled(snippet, [*os.environ.get("CXX", "c++").split(), "-std=c++20"], ".cpp")

    def check_python(self, snippet):
        environment = dict(self.environment, ADJOINT_LIBRARY=str(self.library), PYTHONPATH=str(self.root / "capi/python"),
                           PYTHONDONTWRITEBYTECODE="1")
        if "import numpy" in snippet.code and subprocess.run([sys.executable, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode:
            raise Skipped("numpy is not installed")
        source = self.work / (snippet.name() + ".py")
        source.write_text(snippet.padded(), encoding="utf-8")
        if snippet.action == "compile":
            compile(snippet.padded(), snippet.file, "exec")
        else:
            self.command(sys.executable, source, env=environment, cwd=self.work)

    # A package of its own that depends on the crate by path, as a user's does.
    def check_rust(self, snippet):
        package = self.work / snippet.name()
        (package / "src").mkdir(parents=True, exist_ok=True)
        (package / "src/main.rs").write_text(snippet.padded(), encoding="utf-8")
        (package / "Cargo.toml").write_text(
            f'[package]\nname = "{snippet.name().lower()}"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n'
            f'adjoint = {{ path = "{self.root / "capi/rust"}" }}\n\n[workspace]\n', encoding="utf-8")
        environment = dict(self.environment, ADJOINT_LIB_DIR=str(self.library.parent))
        self.command("cargo", "run" if snippet.action == "run" else "check", "--offline", "--quiet", "--manifest-path",
                     package / "Cargo.toml", "--target-dir", self.work / "rust", env=environment)

    # In an empty directory, with `adjoint` and nothing else of ours on the path.
    def check_sh(self, snippet):
        source = self.work / (snippet.name() + ".sh")
        source.write_text(snippet.padded(), encoding="utf-8")
        if snippet.action == "compile":
            self.command("sh", "-n", source)
            return
        if not self.tool:
            raise Skipped("the adjoint command was not built")
        place = self.work / "sh"
        shutil.rmtree(place, ignore_errors=True)
        (place / "bin").mkdir(parents=True)
        (place / "bin/adjoint").symlink_to(self.tool)
        environment = dict(self.environment, PATH=f"{place / 'bin'}:{os.environ['PATH']}")
        self.command("sh", "-eu", source, env=environment, cwd=place)


def main():
    root, library, work = (pathlib.Path(os.path.abspath(word)) for word in sys.argv[1:4])
    tool = pathlib.Path(os.path.abspath(sys.argv[4])) if len(sys.argv) > 4 else None
    work.mkdir(parents=True, exist_ok=True)
    checker = Checker(root, library, work, tool)
    for file in TESTED_BY_ITS_OWN_TEST:
        if not (root / file).exists():
            raise SystemExit(f"{file} does not exist")
    passed = failed = 0
    for file in FILES + [str(path.relative_to(root)) for folder in FOLDERS for path in sorted((root / folder).glob("*.md"))]:
        for snippet in snippets_of(root, file):
            try:
                checker.check(snippet)
            except Skipped as reason:
                if snippet.action != "text":
                    print(f"{snippet}: skipped: {reason}")
            except Failed as failure:
                failed += 1
                print(f"{snippet}: FAILED: {failure}")
            else:
                passed += 1
                print(f"{snippet}: passed")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0 if passed else 77


if __name__ == "__main__":
    sys.exit(main())
