"""Mutants beside the library: tools/gpt, the Python package, and the adapters of frameworks."""
import ast
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

ADAPTERS = ("torch", "jax", "tvm_ffi", "onnxruntime")  # modules of the package, and but for torch a library of their own
NEEDED = {"torch": ("torch",), "jax": ("jax", "ml_dtypes"), "tvm_ffi": ("tvm_ffi", "ml_dtypes"), "onnxruntime": ("onnxruntime", "onnx", "ml_dtypes")}  # packages, and numpy
PARTS = {"_onnx": "onnxruntime", "_torch": "torch", "_symbolic": "torch"}  # modules that an adapter alone has
GPT, GPT_TEST = ("tools/gpt", "tools/gpt.p/gpt_train.cpp.o", "tools/gpt/train.cpp"), ("tests/gpt/gpt_test", "tests/gpt/gpt_test.p/gpt_test.cpp.o", "tests/gpt/gpt_test.cpp")
PROGRAMS = {"tvm_ffi": ("tvm_ffi calls", "tests/tvm_ffi_test")}
QUICK_SECONDS = 40  # of a suite that a quick run takes
PACKAGE, PACKAGE_TESTS, ADAPTER_TESTS = "capi/python/adjoint", "capi/python/tests", "tests/adapters"


def families(root):
    """{family: its files}"""
    found = {"tools/gpt": [p for p in root.glob("tools/gpt/*.[ch]pp") if ".gen." not in p.name], "capi/python": []}
    for path in (root / PACKAGE).rglob("*.py"):
        name = path.relative_to(root / PACKAGE).parts[0].removesuffix(".py")
        name = next((adapter for prefix, adapter in PARTS.items() if name.startswith(prefix)), name)
        if path.name != "_generated.py":
            found.setdefault(f"capi/{name if name in ADAPTERS else 'python'}", []).append(path)
    for name in ADAPTERS:
        found.setdefault(f"capi/{name}", []).extend(p for p in (root / "capi" / name).glob("*.[ch]pp") if p.name != "interface.hpp")
    return {family: sorted(path.relative_to(root).as_posix() for path in paths) for family, paths in found.items() if paths}


def python_of(build, family):
    """The Python of a family's suites: one of tools/dev adapters where it is there, since it has the packages."""
    for name in [] if family == "capi/python" else ["onnxruntime-newest"] if family == "capi/onnxruntime" else ["adapters"]:
        if (build / name / "bin/python").exists():
            return str(build / name / "bin/python")
    return next(test["cmd"][0] for test in json.loads((build / "meson-info/intro-tests.json").read_text()) if test["name"] == "consumers Python")


def missing(build, family):
    """What the suites of a family need and this machine lacks; "" where they can run."""
    name = family.removeprefix("capi/")
    if name not in ADAPTERS and name != "python":
        return ""
    wanted = ["numpy", *NEEDED.get(name, ())]
    script = "import importlib.util, sys; print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name) is None))"
    lacking = subprocess.run([python_of(build, family), "-c", script, *wanted], check=True, capture_output=True, text=True).stdout.split()
    if name in ADAPTERS[1:] and not (build / library_of(name)).exists():
        lacking.append(library_of(name))
    return ", ".join(lacking)


def library_of(adapter):
    return f"libadjoint_{adapter}.so"


def try_mutant(machine, mutant):
    """As Machine.try_suites, of a copy that has the change."""
    if mutant.file.startswith("tools/gpt/"):
        return try_gpt(machine, mutant)
    if not mutant.file.endswith(".py"):
        return try_adapter(machine, mutant)
    return try_package(machine, mutant)


# tools/gpt: the program, and the test that has its headers.

def try_gpt(machine, mutant):
    programs = [GPT] if mutant.file == GPT[2] else [GPT_TEST, GPT]
    changed, same = {}, True
    for target, made, source in programs:
        compiled = machine.compile(source, made)
        same &= machine.stripped(compiled) == machine.stripped(machine.build / made)
        changed[target] = machine.link(target, made, compiled)
    if same:
        return "same", "the same machine code"
    # A build directory for what looks for its programs there.
    stand_in = machine.work / "build"
    shutil.rmtree(stand_in, ignore_errors=True)
    (stand_in / "tools").mkdir(parents=True)
    for name in ("adjoint", "demo", "gpt"):
        (stand_in / "tools" / name).symlink_to(changed.get(f"tools/{name}", machine.build / "tools" / name))
    places = {str(machine.build / target): str(path) for target, path in changed.items()} | {str(machine.build): str(stand_in)}
    passed = []
    for name in ("gpt gradients", "gpt program", "gpt program on a stand-in for the driver", "gpt goldens"):
        test = machine.tests[name]
        if name == "gpt gradients" and GPT_TEST[0] not in changed:
            continue
        key = " ".join([*(str((machine.build / target).stat().st_mtime_ns) for target, _, _ in (GPT, GPT_TEST)), digest_of(*test["cmd"])])
        without = machine.settle(name, key, test["cmd"], test["env"])
        machine.judge(name, in_place_of(machine.build, test["cmd"], places), without, test["env"])
        passed.append(name)
    return "survived", ", ".join(passed)


def in_place_of(build, command, places):
    """A command of Meson, in which a program of the build is an absolute path or one from the build directory, with other programs in place of those."""
    changed = [places.get(str(build / word), word) for word in command]
    if changed == command:
        sys.exit(f"none of {', '.join(places)} is in the command {command}: nothing of a mutant would be run")
    return changed


def digest_of(*words):
    """Of a command and of the scripts that it names."""
    found = hashlib.sha256()
    for word in map(str, words):
        found.update(pathlib.Path(word).read_bytes() if word.endswith(".py") and os.path.isfile(word) else word.encode())
    return found.hexdigest()[:12]


# The package and the adapters: suites in Python.

def suites_of_package(machine, family, tree):
    """[(name, command)] on a tree: each module of the package's tests, or each class of those of an adapter. The package itself goes through those of torch where it is there."""
    name, python = family.removeprefix("capi/"), python_of(machine.build, family)
    if name in ADAPTERS[1:]:
        return [(test.removeprefix("test_"), [python, "-B", tree / ADAPTER_TESTS / "run.py", name, "--failfast", test])
                for path in sorted((tree / ADAPTER_TESTS).glob(f"test_{name}*.py")) for test in classes_of(path)]
    modules = sorted(path.stem for path in (tree / PACKAGE_TESTS).glob("test_*torch*.py" if name == "torch" else "test_*.py"))
    pythons = {module: python for module in modules}
    if name == "python":
        with_torch = None if missing(machine.build, "capi/torch") else python_of(machine.build, "capi/torch")
        pythons = {module: with_torch if "torch" in module else python for module in modules}
    return [(f"{name} {module}", [python, "-B", tree / PACKAGE_TESTS / "run.py", "--failfast", module]) for module, python in pythons.items() if python]


def classes_of(path):
    """The classes of tests in a module."""
    return [f"{path.stem}.{node.name}" for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef) and
            any(isinstance(part, ast.FunctionDef) and part.name.startswith("test") for part in node.body)]


def run_suites(machine, family, folder):
    """Runs the suites of a family on the copy, the quickest first, with the library and the adapters of a folder. Without the change they run on the tree itself."""
    env = {"ADJOINT_TEST_FAKES": str(machine.build / "tests/faults"), "ADJOINT_CACHE_DIR": str(machine.work / "cache")}
    if family.removeprefix("capi/") in ADAPTERS[1:]:
        cases, reflection = machine.work / "adapter-cases.txt", machine.build / "tests/reflection_test"
        if not cases.exists() or cases.stat().st_mtime_ns < reflection.stat().st_mtime_ns:
            subprocess.run([reflection, "--typed", cases], check=True, capture_output=True)
        env["ADJOINT_TEST_CASES"] = str(cases)
    files = sorted(path for place in (PACKAGE, PACKAGE_TESTS, ADAPTER_TESTS) for path in (machine.root / place).rglob("*.py"))
    key = f"{digest_of(*files)} {(machine.build / machine.library).stat().st_mtime_ns}"
    alone = dict(suites_of_package(machine, family, machine.root))
    suites = sorted(suites_of_package(machine, family, machine.tree), key=lambda suite: machine.last_seconds(suite[0]))
    passed = []
    for name, command in suites:
        if machine.quick and machine.last_seconds(name) > QUICK_SECONDS:
            raise machine.undecided(passed)
        without = machine.settle(name, key, alone[name], {**env, "ADJOINT_LIBRARY": str(machine.build / "libadjoint.so.1")})
        machine.judge(name, command, without, {**env, "ADJOINT_LIBRARY": str(folder / "libadjoint.so.1")})
        passed.append(name)
    return "survived", ", ".join(passed)


def try_package(machine, mutant):
    return run_suites(machine, family_of(machine.root, mutant.file), machine.build)


def try_adapter(machine, mutant):
    family = family_of(machine.root, mutant.file)
    name = family.removeprefix("capi/")
    source = f"capi/{name}/adapter.cpp"  # which has the headers, too
    made = f"{library_of(name)}.p/{source.replace('/', '_')}.o"
    changed = machine.compile(source, made)
    if machine.stripped(changed) == machine.stripped(machine.build / made):
        return "same", "the same machine code"
    if name in PROGRAMS:  # a test in C++ has the source, too
        test, target = PROGRAMS[name]
        of_test = f"{target}.p/.._{source.replace('/', '_')}.o"
        command = machine.tests[test]
        key = f"{(machine.build / target).stat().st_mtime_ns}"
        without = machine.settle(test, key, [machine.build / target], command["env"])
        machine.judge(test, [machine.link(target, of_test, machine.compile(source, of_test))], without, command["env"])
    folder = machine.link(library_of(name), made, changed).parent
    # The package looks for an adapter beside the file of the library, whatever links lead there; tests look for what they preload below it.
    for place, target in (("libadjoint.so.1", machine.library), *((library_of(other), library_of(other)) for other in ADAPTERS if other != name)):
        (folder / place).unlink(missing_ok=True)
        if (machine.build / target).exists():
            os.link((machine.build / target).resolve(), folder / place)
    if not (folder / "tests").exists():
        (folder / "tests").symlink_to(machine.build / "tests")
    return run_suites(machine, family, folder)


def family_of(root, file):
    return next(family for family, files in families(root).items() if file in files)
