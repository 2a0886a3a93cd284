"""Builds one mutant and runs the suites that concern it. Nothing in the tree is changed: each worker copies the sources to BUILD/mutants/WORKER/tree, and what
is linked of them lies beside the copy. Everything else is taken from the build directory as it is. Workers share objects of kernels and what suites take
without a change."""
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys

import beside

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ("src", "include", "kernels", "tools", "capi", "tests/simt", "tests/gpt", "tests/adapters")
NOT_COPIED = shutil.ignore_patterns("results", "target", "__pycache__", "build", "dist", "*.so*")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
LIBRARY, PLANNING = "libadjoint.so.1.0.0", "libplanning.a"
# Operators that are executed on the CPU for what all operators share: lists, rows, sums by index, pieces of unequal size.
SHARED_OPERATORS = ("zero", "embedding_forward", "softmax_backward")
# For one mutant of a kernel: algorithms, SKUs that are built, that are executed, and that are executed with small grids and AddressSanitizer as well.
MOST_GROUPS, MOST_BUILDS, MOST_RUNS, MOST_FURTHER, QUICK_RUNS = 6, 12, 9, 2, 2
SLOW = ("simt", "host plans", "faults cache", "faults libraries", "reflection", "host", "faults memory")  # of the engine
QUICK = ["--quick", "--turns", "types"]
NARROWING, NARROWING_OF_ENGINE = "simt narrowing", "clang's warnings"
TARGETS = ["tests/simt/simt_list", "tests/simt/libsimt_runner.a", "tests/simt/libsimt_run.a", *(f"tests/simt/libsimt_machine_{mode}.a" for mode in ("checked", "asan", "coverage")),
           LIBRARY, "tools/adjoint", "tools/demo", "tools/gpt", "tests/gpt/gpt_test", "tests/unit_test", "tests/words_test", "tests/simulation/simulation_test", "tests/host_test", "tests/reflection_test", "tests/consumers/bad_input", "tests/tvm_ffi_test", "tests/libcount_selections.so",
           *(f"tests/faults/faults_{name}" for name in ("cache", "driver", "libraries", "memory", "process", "trace")),
           *(f"tests/faults/libfake_{name}.so" for name in ("cuda", "nvrtc", "cudnn", "cublaslt", "nccl", "nvtx"))]
# Types of one kind and size are one value of a macro, as in tests/tier.hpp.
BESIDE_LIBRARIES = ("adasum_all_reduce",)  # operators that tests/simt executes on problems of its own, beside a stand-in for a library
KINDS_OF_TYPES = {"f16": "f2", "bf16": "f2", "i8": "i1", "u8": "i1", "bool": "i1", "i32": "i4", "u32": "i4"}


class Invalid(Exception):
    """The mutant does not compile."""


class Undecided(Exception):
    """The quick suites have not seen the mutant, and the others are not wanted."""


class Killed(Exception):
    """A suite has seen the mutant. The text says which, and how."""


def in_one_line(text, most=110):
    return re.sub(r"\s+", " ", re.sub(r"\x1b\[[0-9;]*[mK]", "", text)).strip()[:most]  # without colours


def object_of(file):
    """The object of a source of the library in the build directory. Those of planning are compiled apart."""
    return f"{PLANNING if file.startswith('src/ops/') and file.count('/') == 3 else LIBRARY}.p/{file.replace('/', '_')}.o"


def has_clang():
    """Which narrowing.py needs."""
    return bool(shutil.which("clang++-19") or shutil.which("clang++"))


def processor_seconds():
    """Of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, limit, env=None, cwd=None):
    """(exit code, output, seconds) of a command; the code is None where it did not end in time. What it has started ends with it. Seconds are of the
    processor, since the machine may be busy; a command that waits for ever ends after ten times as long."""
    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))

    start = processor_seconds()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd, start_new_session=True,
                               env={**os.environ, **(env or {})}, preexec_fn=prepare)
    try:
        output, _ = process.communicate(timeout=10 * limit)
        code = process.returncode
    except subprocess.TimeoutExpired:
        code = None
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if code is None:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    seconds = processor_seconds() - start
    if code == -signal.SIGXCPU:
        code = None
    return code, output.decode(errors="replace"), seconds


@contextlib.contextmanager
def locked(path):
    """Other processes wait for the lock."""
    with open(path, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Machine:
    def __init__(self, build, worker, quick=False):
        self.quick = quick  # True: only the suites that take seconds
        self.root, self.library = ROOT, LIBRARY
        self.build = pathlib.Path(build).resolve()
        self.shared = self.build / "mutants"
        self.work = self.shared / worker
        self.tree = self.work / "tree"
        self.objects = self.shared / "objects"
        self.locks = self.shared / "locks"
        for folder in (self.work, self.objects, self.locks):
            folder.mkdir(parents=True, exist_ok=True)
        self.own = open(self.work / "lock", "w", encoding="utf-8")  # until the process ends
        try:
            fcntl.flock(self.own, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"another run is at work in {self.work}")
        os.environ["XDG_CACHE_HOME"] = str(self.work / "cache")  # no mutant writes to the user's
        shutil.rmtree(self.tree, ignore_errors=True)
        for folder in COPIED:
            shutil.copytree(ROOT / folder, self.tree / folder, symlinks=True, ignore=NOT_COPIED)
        self.closures = {}
        self.commands = {}
        self.known = self.shared / "baseline.json"
        self.times = {}
        self.share_times()
        self.tests = {test["name"]: test for test in json.loads((self.build / "meson-info/intro-tests.json").read_text())}
        self.cxx = shlex.split(self.command(object_of("src/plan/select.cpp")))
        self.cxx = self.cxx[1:2] if self.cxx[0].endswith("ccache") else self.cxx[:1]
        listed = subprocess.run([self.build / "tests/simt/simt_list", "--programs"], check=True, capture_output=True, text=True).stdout
        self.skus = {}  # id: [(arch, source, entry, macros...)]
        for line in listed.splitlines():
            sku, *program = line.split("\t")
            self.skus.setdefault(sku, []).append(tuple(program))

    def command(self, target):
        """The command that makes a target, without those that make what it needs."""
        if target not in self.commands:
            done = subprocess.run(["ninja", "-C", self.build, "-t", "commands", "-s", target], check=True, capture_output=True, text=True)
            self.commands[target] = [line for line in done.stdout.splitlines() if line and not line.startswith("ninja: ")][-1]
        return self.commands[target]

    # Suites, first without a change.

    @staticmethod
    def short(name, key):
        return hashlib.sha256(f"{name}\0{key}".encode()).hexdigest()[:24]

    def share_times(self):
        """Adds to what all workers know, and learns what others have added."""
        with locked(self.locks / "baseline"):
            if self.known.exists():
                self.times = {**json.loads(self.known.read_text()), **self.times}
            temporary = self.known.with_suffix(".part")
            temporary.write_text(json.dumps(self.times, indent=0))
            temporary.replace(self.known)

    def settle(self, name, key, command, env=None, prepare=lambda: None):
        """Seconds that a suite takes without a change; `prepare` makes what the command runs. Ends the program where the suite fails, since it would
        kill everything. A worker that needs what another is measuring waits for it."""
        short = self.short(name, key)
        if short in self.times:
            return self.times[short]
        with locked(self.locks / short):
            self.share_times()
            if short not in self.times:
                prepare()
                code, output, seconds = run(command, 1200, env, self.build)
                if code != 0:
                    sys.exit(f"{name} fails without a change (exit code {code}):\n{output[-3000:]}")
                self.times[short] = self.times[self.short(name, "last")] = round(seconds, 2)
                self.share_times()
        return self.times[short]

    def last_seconds(self, name):
        """What a suite took when it was last measured, or a second."""
        return self.times.get(self.short(name, "last"), 1)

    @staticmethod
    def undecided(passed):
        return Undecided(", ".join(passed))

    def judge(self, name, command, without, env=None):
        """Raises Killed when the suite fails, or takes five times as long as without a change and ten seconds more."""
        code, output, _ = run(command, 5 * without + 10, env, self.build)
        if code == 0:
            return
        if code is None:
            raise Killed(f"{name}: time limit")
        if code < 0:
            raise Killed(f"{name}: ended by {signal.Signals(-code).name}")
        raise Killed(f"{name}: {what_failed(output)}")

    # Kernels.

    def closure(self, source):
        """Names of a kernel source and of all that it includes."""
        if source not in self.closures:
            seen, stack = set(), [source]
            while stack:
                name = stack.pop()
                path = ROOT / "kernels" / name
                if name not in seen and path.exists():
                    seen.add(name)
                    stack += INCLUDE.findall(path.read_text(encoding="utf-8"))
            self.closures[source] = seen
        return self.closures[source]

    def skus_of_kernel(self, name, rng, first=None):
        """SKUs that have a program with this file, in the order in which they are tried: one of each algorithm, then those that have
        most values of macros, and types, which none before of the algorithm has: some programs take types at run time. `first` is tried before all."""
        sources = {source for programs in self.skus.values() for _, source, *_ in programs}
        having = {source for source in sources if name in self.closure(source)}
        groups = {}
        for sku, programs in self.skus.items():
            if any(source in having for _, source, *_ in programs):
                groups.setdefault(tuple(sku.split("/")[:2]), []).append(sku)
        chosen = sorted(groups.values(), key=lambda members: members[0])
        rng.shuffle(chosen)
        chosen.sort(key=lambda members: min(self.times.get(sku, 1) for sku in members) > 3)  # slow ones last
        columns = []
        for members in chosen[:MOST_GROUPS]:
            members.sort(key=lambda sku: (len(set(self.skus[sku])), "/f32" not in sku, sku))
            values = {sku: self.values_of(sku, having) for sku in members}
            column, seen = members[:1], set(values[members[0]])
            while len(column) < MOST_BUILDS and (best := max(members, key=lambda sku: len(values[sku] - seen))) and values[best] - seen:
                column.append(best)
                seen |= values[best]
            columns.append(column)
        ordered = [column[i] for i in range(max(map(len, columns), default=0)) for column in columns if i < len(column)]
        return [first, *(sku for sku in ordered if sku != first)] if first in self.skus else ordered

    def values_of(self, sku, sources):
        """The values of the macros of a SKU's programs of these sources, and the SKU's types."""
        found = {(source, *macro.split("=", 1)) for _, source, _, *macros in self.skus[sku] if source in sources for macro in macros}
        found |= {("type", i, word) for i, word in enumerate(sku.split("/")[2].split("."))}
        return {(*place, KINDS_OF_TYPES.get(value, value)) for *place, value in found}

    def build_kernels(self, skus, mode):
        """Objects of the programs of some SKUs, from the copy as it is. Raises Invalid. Objects are named by what they are made of; folders are
        relative, so that workers find each other's."""
        listed, archive = self.work / "programs.txt", self.work / f"kernels_{mode}.a"
        lines = sorted({"\t".join(program) for sku in skus for program in self.skus[sku]})
        listed.write_text("".join(line + "\n" for line in lines))
        code, output, _ = run([sys.executable, ROOT / "tests/simt/build_kernels.py", "--list", "cat", "--tier", listed, "--mode", mode, "--keep",
                               "--include", "tree/kernels", "--include", "tree/tests/simt", "--work", self.objects / mode,
                               "--output", archive, "--jobs", "1", "--cxx", *self.cxx], 600, cwd=self.work)
        if code != 0:
            raise Invalid(first_error(output))
        members = subprocess.run(["ar", "t", archive], check=True, capture_output=True, text=True).stdout.split()
        return [self.objects / mode / member for member in members]

    def stripped(self, path):
        """Contents of an object without its lines and its name."""
        bare = self.work / "bare.o"
        subprocess.run(["objcopy", "--strip-debug", path, bare], check=True)
        return bare.read_bytes().replace(path.stem.encode(), b"") if path.parent.parent == self.objects else bare.read_bytes()

    def same_code(self, before, after):
        return len(before) == len(after) and all(a == b or self.stripped(a) == self.stripped(b) for a, b in zip(before, after))

    def link_kernels(self, objects, mode, extra=()):
        target, archive = self.work / f"simt_{mode}", self.work / f"linked_{mode}.a"
        archive.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", archive, *objects], check=True)
        words = shlex.split(self.command(f"tests/simt/simt_{mode}"))
        words = [str(archive) if word.endswith(f"libsimt_kernels_{mode}.a") else word for word in words]
        at = words.index("-o")
        words[at + 1:at + 2] = [str(target), *map(str, extra)]
        subprocess.run(words, cwd=self.build, check=True, capture_output=True)
        return target

    def tier(self, skus):
        path = self.work / "tier.txt"
        path.write_text("".join(f"only\t{sku}\n" for sku in skus))
        return path

    def execute(self, skus, mode, arguments, before, after=None, extra=()):
        """Executes SKUs on the CPU, without a change unless that is known to pass, and then with it: objects of changed kernels (`after`), or of the
        library (`extra`). Raises Killed."""
        name = f"simt {mode} {skus[0] if len(skus) == 1 else 'of ' + str(len(skus)) + ' SKUs'}{' with small grids' if '--grids' in arguments else ''}"
        libraries = ["libadjoint.a", "tests/simt/libsimt_runner.a", "tests/simt/libsimt_run.a", f"tests/simt/libsimt_machine_{mode}.a", "tools/libharness.a"]
        key = " ".join([*(path.name for path in before), *(f"{library} {(self.build / library).stat().st_mtime_ns}" for library in libraries),
                        *arguments, *skus])
        command = [self.work / f"simt_{mode}", "--tier", self.tier(skus), *arguments]
        without = self.settle(name, key, command, prepare=lambda: self.link_kernels(before, mode))
        if len(skus) == 1:
            self.times.setdefault(skus[0], without)
        self.link_kernels(after or before, mode, extra)
        self.judge(name, command, without)

    def try_kernel(self, mutant, rng, first):
        """Raises Killed or Invalid; returns ("survived", what was executed) or ("same", where)."""
        path = self.tree / mutant.file
        text = path.read_text(encoding="utf-8")

        def changed(sku, mode):
            path.write_text(mutant.apply(text), encoding="utf-8")
            try:
                return self.build_kernels([sku], mode)
            finally:
                path.write_text(text, encoding="utf-8")

        skus = self.skus_of_kernel(mutant.file.removeprefix("kernels/"), rng, first)
        if not skus:
            raise Invalid("no SKU has this file")
        executed, built, note = [], 0, ""
        for sku in skus[:MOST_BUILDS]:
            before, after = self.build_kernels([sku], "checked"), changed(sku, "checked")
            built += 1
            if self.same_code(before, after):
                continue
            if mutant.kind == "narrow" and not executed:  # quicker than what is executed
                note = self.find_narrowing(mutant, path, text)
            self.execute([sku], "checked", QUICK, before, after)
            executed.append((sku, before, after))
            if len(executed) == (QUICK_RUNS if self.quick else MOST_RUNS):
                break
        if not executed:
            return "same", f"the same machine code in {built} of {len(skus)} SKUs that differ in a macro or a type"
        for sku, before, after in executed[:MOST_FURTHER]:  # what else runs in a plain test
            self.execute([sku], "checked", [*QUICK, "--grids", "2"], before, after)
        if self.quick:
            raise Undecided(" ".join(sku for sku, _, _ in executed) + note)
        for sku, _, _ in executed[:MOST_FURTHER]:
            self.execute([sku], "asan", QUICK, self.build_kernels([sku], "asan"), changed(sku, "asan"))
        for sku, before, after in executed:
            self.execute([sku], "checked", ["--turns", "sizes"], before, after)
        for sku in [sku for sku, _, _ in executed[:MOST_FURTHER] if sku.split("/")[0] not in BESIDE_LIBRARIES]:
            self.execute_far(sku, lambda: changed(sku, "coverage"))
        return "survived", f"{len(executed)} SKUs: " + " ".join(sku for sku, _, _ in executed) + note

    def find_narrowing(self, mutant, path, text):
        """The check of tests/simt/narrowing.py, which a plain test runs. Returns what has to be said of a machine that cannot make it."""
        if not has_clang():
            return f"; without {NARROWING}, for want of clang"
        sources = sorted({source for programs in self.skus.values() for _, source, *_ in programs
                          if mutant.file.removeprefix("kernels/") in self.closure(source)})[:4]
        path.write_text(mutant.apply(text), encoding="utf-8")
        try:
            for source in sources:
                code, output, _ = run([sys.executable, self.tree / "tests/simt/narrowing.py", "--list", self.build / "tests/simt/simt_list",
                                       "--jobs", "1", source], 300)
                if code == 1 and "shorten-64-to-32" in output:
                    raise Killed(f"{NARROWING}: " + in_one_line(re.search(r"error: (.*)", output)[1]))
        finally:
            path.write_text(text, encoding="utf-8")
        return ""

    def execute_far(self, sku, change):
        """tools/dev kernel-offsets, which is not part of a plain test: the last rows of tensors beyond 2^32 elements."""
        name, before = f"kernel-offsets {sku}", self.build_kernels([sku], "coverage")
        key = " ".join([*(path.name for path in before), str((self.build / "tests/simt/libsimt_runner.a").stat().st_mtime_ns)])
        command = [self.work / "simt_coverage", "--tier", self.tier([sku]), "--far", self.tree / "tests/simt/near.tsv"]
        without = self.settle(name, key, command, prepare=lambda: self.link_kernels(before, "coverage"))
        self.link_kernels(change(), "coverage")
        self.judge(name, command, without)

    # The engine.

    def options_of(self, made):
        """The compiler and the options of an object, which read the copy; without warnings and precompiled headers."""
        words, kept, skip = shlex.split(self.command(made)), [], 0
        if words[0].endswith("ccache"):
            words = words[1:]
        for i, word in enumerate(words):
            if skip:
                skip -= 1
            elif word in ("-MQ", "-MF", "-o", "-c", "-include"):  # -include: a precompiled header, which was made with other options
                skip = 1
            elif word == "-MD" or word.startswith("-W"):
                continue
            elif word.startswith("-I"):
                folder = (self.build / word[2:]).resolve()
                inside = folder.is_relative_to(ROOT) and not folder.is_relative_to(self.build)
                kept.append(f"-I{self.tree / folder.relative_to(ROOT) if inside else folder}")
            else:
                kept.append(word)
        return kept

    def compile(self, file, made, *flags):
        """An object of the build directory, of this source, from the copy. Raises Invalid."""
        output = self.work / "changed" / made.replace("/", "_")
        output.parent.mkdir(exist_ok=True)
        code, said, _ = run([*self.options_of(made), "-w", *flags, "-c", self.tree / file, "-o", output], 300, cwd=self.build)
        if code != 0:
            raise Invalid(first_error(said))
        return output

    def link(self, target, made, changed):
        """A program or a shared library with one object changed, its own or one of the static library."""
        output = self.work / "linked" / pathlib.Path(target).name
        output.parent.mkdir(exist_ok=True)
        words = shlex.split(self.command(target))
        at = words.index("-o")
        words[at + 1] = str(output)
        if made in words:
            words[words.index(made)] = str(changed)
        else:
            words.insert(at + 2, str(changed))  # found before the one in the archive
        subprocess.run(words, cwd=self.build, check=True, capture_output=True)
        return output

    def family_of(self, file):
        """The family of operators that a source belongs to, or None."""
        parts = file.split("/")
        families = sorted((path.stem for path in (ROOT / "include/adjoint/ops").glob("*.h")), key=len, reverse=True)
        if parts[1] == "ops":
            return parts[2] if parts[2] in families else None
        stem = pathlib.Path(file).stem
        return next((name for name in families if stem == name or stem.startswith(name + "_")), None) if parts[1] == "host" else None

    def operators_of(self, family):
        text = (ROOT / f"include/adjoint/ops/{family}.h").read_text(encoding="utf-8")
        return re.findall(r"^ADJ_OPERATOR\(\s*\d+,\s*(\w+)", text, re.M)

    def skus_of_engine(self, family):
        """One SKU of each algorithm of the operators that a source plans, or on whose results it works."""
        operators = self.operators_of(family) if family else SHARED_OPERATORS
        groups = {}
        for sku, programs in self.skus.items():
            if sku.split("/")[0] in operators:
                groups.setdefault((sku.split("/")[0], frozenset(source for _, source, *_ in programs)), []).append(sku)
        return sorted(min(members, key=lambda sku: (len(self.skus[sku]), "/f32" not in sku, sku)) for members in groups.values())

    def suites_of_engine(self, file):
        """[(name, target, arguments)], the quickest first; the target "simt" stands for execution on the CPU."""
        family, folder = self.family_of(file), file.split("/")[1]
        suites = []
        if family:
            suites.append((f"host {family}", "tests/host_test", [f"--source-file=*tests/host/{family}*.cpp", "--abort-after=1"]))
        suites.append(("unit", "tests/unit_test", ["--abort-after=1"]))
        if folder in ("plan", "ops"):
            suites.append(("launches", "tests/words_test", ["--source-file=*launches.cpp", "--abort-after=1"]))
        simulated = {"src/jit/disk_cache.cpp": "disk", "src/plan/plan_cache.cpp": "plans"}.get(file)
        if simulated:
            suites.append((f"simulation {simulated}", "tests/simulation/simulation_test", [simulated, "--seeds", "20000"]))
        of_libraries = bool(re.search(r"cudnn|cublaslt|nccl|tune|scratch|verdicts", file))
        if of_libraries:
            suites.append(("faults libraries", "tests/faults/faults_libraries", ["--abort-after=1"]))
        if folder in ("driver", "plan", "jit"):
            suites += [(f"faults {name}", f"tests/faults/faults_{name}", ["--abort-after=1"]) for name in ("trace", "driver", "process")]
        if folder in ("plan", "ops"):
            suites.append(("consumers bad input", "tests/consumers/bad_input", []))
        if folder in ("host", "ops", "plan"):
            suites.append(("simt", "simt", self.skus_of_engine(family)))
        if folder in ("plan", "ops"):
            suites.append(("host plans", "tests/host_test", ["--source-file=*tests/host/plans.cpp", "--abort-after=1"]))
        if folder in ("driver", "plan", "jit"):
            suites.append(("faults cache", "tests/faults/faults_cache", ["--abort-after=1"]))
        if not of_libraries and (folder in ("driver", "plan") or re.search(r"matmul|conv|attention|collective", file)):
            suites.append(("faults libraries", "tests/faults/faults_libraries", ["--abort-after=1"]))
        if folder not in ("driver", "jit"):
            suites.append(("reflection", "tests/reflection_test", []))
        if folder in ("plan", "ops"):
            suites.append(("problem words", "tests/words_test", ["--abort-after=1", "--source-file-exclude=*launches.cpp"]))
        if folder not in ("driver", "jit"):
            suites.append(("host", "tests/host_test", ["--abort-after=1", "--source-file-exclude=*tests/host/plans.cpp"]))
        if folder in ("driver", "plan", "jit"):
            suites.append(("faults memory", "tests/faults/faults_memory", ["--abort-after=1"]))
        return suites

    @contextlib.contextmanager
    def changed(self, mutant):
        """The copy has the change until the end."""
        path = self.tree / mutant.file
        text = path.read_text(encoding="utf-8")
        path.write_text(mutant.apply(text), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")

    def find_narrowing_of_engine(self, mutant):
        """The warning with which clang compiles the library (meson.build). Returns what has to be said of a machine that cannot ask for it."""
        if not has_clang():
            return f"{NARROWING_OF_ENGINE} left out for want of clang"
        clang = shutil.which("clang++-19") or shutil.which("clang++")
        code, output, _ = run([clang, *self.options_of(object_of(mutant.file))[1:], "-Wno-everything", "-Werror=shorten-64-to-32", "-fsyntax-only", self.tree / mutant.file], 300,
                              cwd=self.build)
        if code != 0 and "shorten-64-to-32" in output:
            raise Killed(f"{NARROWING_OF_ENGINE}: " + in_one_line(re.search(r"error: (.*)", output)[1]))
        return NARROWING_OF_ENGINE

    def try_suites(self, mutant):
        made = object_of(mutant.file)
        changed = self.compile(mutant.file, made, "-O0")  # quicker, and mutants that are killed need no more
        passed = [self.find_narrowing_of_engine(mutant)] if mutant.kind == "narrow" else []
        for number, (name, target, arguments) in enumerate(self.suites_of_engine(mutant.file)):
            if number == 2:
                changed = self.compile(mutant.file, made)
                if self.stripped(changed) == self.stripped(self.build / made):
                    return "same", "the same machine code"
            if self.quick and name in SLOW:
                raise self.undecided(passed)
            if target == "simt":
                if not arguments:
                    continue
                before = self.build_kernels(arguments, "checked")
                self.execute(arguments, "checked", QUICK, before, extra=[changed])
            else:
                env = dict(self.tests[name]["env"]) if name in self.tests else {}
                if env.get("ADJOINT_CACHE_DIR"):
                    env["ADJOINT_CACHE_DIR"] = str(self.work / "cache")
                own = self.build / target
                library = (self.build / LIBRARY).stat().st_mtime_ns
                without = self.settle(name, f"{own.stat().st_mtime_ns} {library} {arguments}", [own, *arguments], env)
                if "ADJOINT_FAULTS_LIBRARY" in env or target == "tests/consumers/bad_input":
                    library = self.link(LIBRARY, made, changed)
                    self.link_name("libadjoint.so.1")
                    env = {**env, "LD_LIBRARY_PATH": str(self.work / "linked"), **({"ADJOINT_FAULTS_LIBRARY": str(library)} if "ADJOINT_FAULTS_LIBRARY" in env else {})}
                program = own if target == "tests/consumers/bad_input" else self.link(target, made, changed)
                self.judge(name, [program, *arguments], without, env)
            passed.append(name)
        return "survived", ", ".join(passed)

    def link_name(self, name):
        path = self.work / "linked" / name
        path.unlink(missing_ok=True)
        path.symlink_to(LIBRARY)

    def try_mutant(self, mutant, rng, first=None):
        """(outcome, by) of a mutant, of a kernel on the SKU `first` before others: killed, survived, undecided (it passes the quick suites, and no others were wanted), invalid (it does not compile)
        or same (the compiler makes the same code of it)."""
        try:
            if mutant.file.startswith("kernels/"):
                return self.try_kernel(mutant, rng, first)
            with self.changed(mutant):
                return self.try_suites(mutant) if mutant.file.startswith("src/") else beside.try_mutant(self, mutant)
        except Killed as killed:
            return "killed", str(killed)
        except Invalid as invalid:
            return "invalid", str(invalid)
        except Undecided as undecided:
            return "undecided", str(undecided)


def first_error(output):
    found = re.search(r"error: (.*)", output)
    return in_one_line(found[1] if found else output[-200:])


def what_failed(output):
    """The first failure that a suite prints, in one line."""
    for pattern in (r"^(?:FAIL|ERROR): (test_\w+ .*)", r"^FAIL(?:ED)?:? (.*)", r"^.*?: (?:FATAL )?ERROR: (.*?\n.*?)\n", r"SUMMARY: (.*)", r"runtime error: (.*)"):
        found = re.search(pattern, output, re.M)
        if found:
            return in_one_line(found[1])
    return in_one_line(output[-200:]) or "a failure without words"
