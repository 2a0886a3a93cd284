"""What a packager asks of the library: hardened.py LIBRARY ROOT BUILD. It is hardened, remembers no place, and is the same when it is made again.

What is compiled again are the sources that are most likely to differ: the embedded kernels, the one with the version, and the largest of the engine. `--whole` makes
the library anew in a build directory of another name, which takes minutes."""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/packaging"))
from checks import check, finish  # noqa: E402
from hardening import lacking  # noqa: E402

WHOLE = "--whole" in sys.argv
LIBRARY, ROOT, BUILD = (pathlib.Path(word).resolve() for word in [word for word in sys.argv[1:] if word != "--whole"][:3])
NAME = "libadjoint.so.1.0.0"


def output_of(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, **options).stdout


for what in lacking(LIBRARY):
    check(False, what)
check(b"__stack_chk_fail" in output_of("nm", "-u", BUILD / f"{NAME}.p/src_plan_select.cpp.o"), "stacks are not protected")
data = LIBRARY.read_bytes()
for place in (str(ROOT), str(BUILD)):
    check(place.encode() not in data, f"the library names {place}")

# Once more, away from the build directory and without a cache of the compiler.
env = {**os.environ, "CCACHE_DISABLE": "1"}
if WHOLE:
    with tempfile.TemporaryDirectory(dir=BUILD.parent, prefix="build-again-") as folder:
        options = {option["name"]: option["value"] for option in json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())}
        kept = [f"-D{name}={options[name]}" for name in ("b_pch", "buildtype", "optimization", "default_library")]
        output_of("meson", "setup", folder, ROOT, "-Dtests=false", "-Dtools=false", *kept, env=env)
        output_of("ninja", "-C", folder, NAME, env=env)
        check((pathlib.Path(folder) / NAME).read_bytes() == data, "the library is another when it is built in another directory")
else:
    commands = output_of("ninja", "-C", BUILD, "-t", "commands", NAME).decode().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        for source in ("embedded_files.cpp", "capi/adjoint.cpp", "src/plan/select.cpp"):
            words = shlex.split(next(line for line in commands if line.endswith(f" -c {source}") or line.endswith(f"/{source}")))
            at = words.index("-o")
            made = BUILD / words[at + 1]
            words[at + 1] = str(pathlib.Path(folder) / made.name)
            words[words.index("-MF") + 1] = str(pathlib.Path(folder) / "dependencies")
            output_of(*words, cwd=BUILD, env=env)
            check(pathlib.Path(words[at + 1]).read_bytes() == made.read_bytes(), f"the object of {source} is another when it is compiled again")
        words = shlex.split(commands[-1])
        words[words.index("-o") + 1] = str(pathlib.Path(folder) / NAME)
        output_of(*words, cwd=BUILD)
        check((pathlib.Path(folder) / NAME).read_bytes() == data, "the library is another when it is linked again")
finish()
