"""Checks that layers include only lower ones: base <- driver <- jit <- plan <- ops, host <- capi, tools. Kernels include only kernel files.
No family of operators includes another, in src/ops and in kernels: what families share has rooms of its own. No file by hand is longer than 600 lines, but for tests. Grids are cut by strided_grid alone. A .cpp begins with a sentence that says what it is.
Kernels outside of the prelude ask for the architecture by ADJ_ARCH, in launch bounds by ADJ_BOUNDS_ARCH."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
ALLOWED = {
    "src/base": {"base"},
    "src/driver": {"base", "driver"},
    "src/jit": {"base", "driver", "jit"},
    "src/plan": {"base", "driver", "jit", "plan"},
    "src/host": {"base", "host"},
    "src/ops": {"base", "driver", "plan", "host", "ops", "jit"},
    "capi": {"base", "driver", "jit", "plan", "ops", "host", "capi"},
}
# What families share, from the lowest on; each of these includes only those before it.
SHARED = {"src/ops": ["common", "gemm", "parts", "segment_sum"], "kernels": ["prelude", "gemm", "parts", "segment_sum"]}
MOST_LINES = 600
failures = 0
checked = 0


def fail(path, include):
    global failures
    failures += 1
    print(f"FAILED {path.relative_to(root)} includes {include}")


for folder, allowed in ALLOWED.items():
    for path in sorted((root / folder).rglob("*.[ch]pp")):
        for include in re.findall(r'^\s*#include "([^"]+)"', path.read_text(), re.M):
            checked += 1
            layer = include.split("/")[0]
            if re.fullmatch({"src/ops": r"kernels/.*\.h", "src/plan": r"kernels/prelude/.*\.h"}.get(folder, "-"), include):
                continue
            if "/" in include and layer not in allowed:
                fail(path, include)
for path in sorted((root / "include").rglob("*.h*")):
    for include in re.findall(r'^\s*#include [<"]([^>"]+)[>"]', path.read_text(), re.M):
        checked += 1
        if re.match(r"(base|driver|jit|plan|ops|host|cuda|nvrtc|fmt)/", include) and not (root / "include/adjoint" / include).exists():
            fail(path, include)
for path in sorted((root / "kernels").rglob("*.cu*")) + sorted((root / "kernels").rglob("*.h")):
    for include in re.findall(r'^\s*#include [<"]([^>"]+)[>"]', path.read_text(), re.M):
        checked += 1
        if not (root / "kernels" / include).exists() and not (path.parent.name == "prelude" and include in ("async.hpp", "device.hpp", "matrix.hpp")):
            fail(path, include)
# A grid that is cut to the largest one is of a kernel that goes on to further work. strided_grid makes it small in tests (Device::grid_limit), which is how that is tried.
for path in sorted((root / "src/ops").rglob("*.[ch]pp")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        checked += 1
        if re.search(r"\bmin(<[^<>]*>)?\(.*\bkMostBlocks\b", line) and path.name != "common.hpp":
            failures += 1
            print(f"FAILED {path.relative_to(root)}:{number} cuts a grid itself: call strided_grid")
# Tests take a source for each architecture where its text has ADJ_ARCH. The prelude asks the compiler only where the CPU has code of its own.
for path in sorted((root / "kernels").glob("*/*")):
    if path.parent.name != "prelude" and path.suffix in (".cu", ".cuh", ".h"):
        checked += 1
        if "__CUDA_ARCH__" in path.read_text():
            failures += 1
            print(f"FAILED {path.relative_to(root)} asks for __CUDA_ARCH__: ask for ADJ_ARCH, in launch bounds for ADJ_BOUNDS_ARCH")
# ADJ_BOUNDS_ARCH has one value on the CPU, so nothing but launch bounds may depend on it.
for path in sorted((root / "kernels").glob("*/*.cu*")):
    if path.parent.name == "prelude" or "ADJ_BOUNDS_ARCH" not in path.read_text():
        continue
    checked += 1
    texts = [path.read_text()] if path.suffix == ".cu" else [p.read_text() for p in path.parent.glob("*.cu*")]
    statements = [s for text in texts for s in re.split(r"[;{}]", re.sub(r"//[^\n]*", "", text))]
    names = {"ADJ_BOUNDS_ARCH"}
    for statement in statements * 2:
        made = re.search(r"constexpr \w+ (k\w+) =\s", statement)
        if made and any(re.search(rf"\b{name}\b", statement[made.end():]) for name in names):
            names.add(made[1])
    for statement in statements:
        code = re.sub(r"__launch_bounds__\(.*\)\s*ADJ_ENTRY|constexpr \w+ k\w+ =\s.*", "", statement, flags=re.S)
        for name in sorted(n for n in names if re.search(rf"\b{n}\b", code)):
            failures += 1
            print(f"FAILED {path.relative_to(root)}: more than launch bounds depends on {name}: ask for ADJ_ARCH")
for folder, shared in SHARED.items():
    for path in sorted(p for p in (root / folder).glob("*/*") if p.suffix in (".cpp", ".hpp", ".cu", ".cuh", ".h")):
        own = path.parent.name
        below = shared[:shared.index(own)] if own in shared else shared
        for include in re.findall(r'^\s*#include "([^"]+)"', path.read_text(), re.M):
            parts = include.split("/")
            if folder == "src/ops":
                parts = parts[1:] if parts[0] in ("ops", "kernels") else []
            allowed = {own, "prelude", *below} if folder == "src/ops" else {own, *below}
            checked += len(parts) > 1
            if len(parts) > 1 and parts[0] not in allowed:
                fail(path, include)
        # A row names its kernels as text.
        for source in re.findall(r'"(\w+)/\w+\.cu"', path.read_text()) if folder == "src/ops" else []:
            checked += 1
            if source not in {own, "prelude", *below}:
                fail(path, source + "/*.cu")
for folder in ("include", "src", "kernels", "tools", "capi"):
    for path in sorted(p for p in (root / folder).rglob("*") if p.suffix in (".cpp", ".hpp", ".cu", ".cuh", ".h", ".c", ".py", ".rs")):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        generated = ".gen." in path.name or "generated" in path.name or path.is_relative_to(root / "capi/rust/target")
        if lines > MOST_LINES and not generated and not path.is_relative_to(root / "capi/python/tests"):
            failures += 1
            print(f"FAILED {path.relative_to(root)} has {lines} lines, at most {MOST_LINES} are read at once")
# A source says what it is in its first line, or its own header, which it includes first, does.
for path in sorted(p for folder in ("src", "capi", "tools", "tests") for p in (root / folder).rglob("*.cpp")):
    checked += 1
    text, header = path.read_text(encoding="utf-8"), path.with_suffix(".hpp")
    own = re.match(r'#include "([^"]+)"', text)
    if not text.startswith("// ") and not (own and header.exists() and header.as_posix().endswith("/" + own[1]) and header.read_text(encoding="utf-8").startswith("// ")):
        failures += 1
        print(f"FAILED {path.relative_to(root)} does not begin with a sentence that says what it is")
for path in sorted((root / "src/ops").rglob("*.cpp")):
    for name in re.findall(r"\b(?:cu::Api|nvrtc\(\)|cuda\(\))", path.read_text()):
        fail(path, name)
# A row plans itself and names its programs. The compiler refuses an integer as a ProgramName.
for path in sorted((root / "src/ops").rglob("*.[ch]pp")):
    for found in re.findall(r"\bvariant->algorithm\b|\.choice [=!]=|[=!]= kName\b|\bstring_view\(#|\bsku->programs\b", path.read_text()):
        failures += 1
        print(f"FAILED {path.relative_to(root)}: {found}: give the row its own planning function (Variant::finish) and its programs names (ProgramTemplate::name)")
# Locks and lazy objects that fork knows (base/process.hpp), and an environment that a setuid program ignores (base/text.hpp).
PROCESS = [
    (r"(?<!secure_)\bgetenv\(", "getenv: use environment() of base/text.hpp", set()),
    (r"\bstd::(?:once_flag|call_once|recursive_mutex)\b|\bstatic\s+(?:std::)?(?:shared_)?mutex\b", "a lock that fork does not know: use ProcessLock or Lazy", set()),
    # The locks of one build, one group of ranks and one event belong to objects that a child does not use.
    (r"\bstd::(?:shared_)?mutex\b", "a lock that fork does not know: use ProcessLock", {"src/jit/pack.cpp", "src/host/communicator.hpp", "src/host/communicator.cpp"}),
    (r"^[ \t]+static (?:const )?auto\s*[*&]", "an object whose guard fork does not know: use Lazy", set()),
]
for path in sorted((root / "capi").glob("*/*.[ch]pp")):  # adapters, whose locks are their own
    if not path.is_relative_to(root / "capi/examples") and re.search(r"(?<!secure_)\bgetenv\(", path.read_text()):
        failures += 1
        print(f"FAILED {path.relative_to(root)}: getenv: use secure_getenv")
for folder in ("src/base", "src/driver", "src/jit", "src/plan", "src/host", "capi"):
    for path in sorted((root / folder).glob("*.[ch]pp")):
        for pattern, message, exempt in PROCESS:
            if str(path.relative_to(root)) not in exempt and re.search(pattern, path.read_text(), re.M):
                failures += 1
                print(f"FAILED {path.relative_to(root)}: {message}")
# Files are opened by base/file.hpp, but for these: a log that grows line by line, and a lock without contents. tests/faults/files_test.py tries who calls it.
OPENS = re.compile(r"\b[io]?fstream\b|\b(?:f|fd|fre)open\(|\bmko?s?temps?\(|(?<!\w)::(?:creat|open|openat|open64)\(|\bcopy_file\(")
OPENING = {"src/base/file.cpp", "src/driver/trace.cpp", "src/jit/disk_cache.cpp"}
# In Python by tools/bench/files.py, but for what is made by a build or for a commit: no user names these places.
WRITES = re.compile(r"\.write_(?:text|bytes)\(|\.savefig\(path|(?<![.\w])open\([^)]*[\"'][wax+]b?[\"']")
WRITING = {"tools/commit.py", "tools/embed_sources.py", "tools/generate.py", "tools/new_operator.py", "tools/packaging/debian.py",
           "tools/manual/check.py", "tools/manual/pages.py", "tools/packaging/manual.py", "tools/packaging/readme_tables.py", "tools/packaging/sbom.py"}
for pattern, suffixes, exempt, instead in ((OPENS, (".cpp", ".hpp", ".h", ".c"), OPENING, "base/file.hpp"), (WRITES, (".py",), WRITING, "tools/bench/files.py")):
    found = set()
    for path in sorted(p for folder in ("src", "capi", "tools") for p in (root / folder).rglob("*") if p.suffix in suffixes):
        name = str(path.relative_to(root))
        if name.startswith(("capi/examples/", "capi/rust/", "capi/python/tests/")) or "/build/" in name:
            continue
        checked += 1
        if pattern.search(re.sub(r"//[^\n]*|^\s*#[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.M)):
            found.add(name)
    for name in sorted(found - exempt):
        failures += 1
        print(f"FAILED {name} opens a file itself: use {instead}")
    for name in sorted(exempt - found):
        failures += 1
        print(f"FAILED {name} opens no file: tests/layers.py lists it")
print(f"{checked} includes checked")
sys.exit(failures > 0 or checked == 0)
