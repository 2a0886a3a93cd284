"""The library in the build of another project, and alone as one kind of library: subproject_test.py ROOT. Projects are configured, and what they would build is
read; nothing is compiled."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, finish  # noqa: E402

ROOT = pathlib.Path(sys.argv[1]).resolve()
MESON = os.environ.get("MESON", "meson")
PROJECT = """\
project('user', 'cpp', 'c', default_options: ['cpp_std=c++20'])
adjoint_dep = dependency('adjoint', version: '>=0.9', fallback: 'adjoint', default_options: ['tests=false', 'tools=false', 'default_library=KIND'])
executable('program', 'program.c', dependencies: adjoint_dep)
"""


def targets(build):
    """{(name, type): installed} of a configured project."""
    listed = subprocess.run([MESON, "introspect", build, "--targets"], check=True, capture_output=True, text=True).stdout
    return {(target["name"], target["type"]): target["installed"] for target in json.loads(listed)}


def configured(source, kind, *options):
    build = pathlib.Path(folder) / f"{source.name}-{kind}"
    done = subprocess.run([MESON, "setup", build, source, f"-Ddefault_library={kind}", *options], capture_output=True, text=True)
    check(done.returncode == 0, f"{source.name} with default_library={kind}: {(done.stdout + done.stderr)[-800:]}")
    return targets(build) if done.returncode == 0 else {}


with tempfile.TemporaryDirectory() as folder:
    user = pathlib.Path(folder, "user")
    (user / "subprojects").mkdir(parents=True)
    (user / "subprojects/adjoint").symlink_to(ROOT)
    (user / "program.c").write_text('#include "adjoint.h"\nint main(void) { return adj_version()[0] == 0; }\n')
    for kind, other in (("shared", "static"), ("static", "shared")):
        (user / "meson.build").write_text(PROJECT.replace("KIND", kind))
        for source, options in ((user, ["--wrap-mode=forcefallback"]), (ROOT, ["-Dtests=true", "-Dtools=true"])):
            found = configured(source, kind, *options)
            check(found.get(("adjoint", f"{kind} library")), f"{source.name}: default_library={kind} installs no such library: {found.get(('adjoint', f'{kind} library'))}")
            check(not found.get(("adjoint", f"{other} library")), f"{source.name}: default_library={kind} installs the other kind too")
            check((("program" if source == user else "adjoint"), "executable") in found, f"{source.name} has no program")
finish()
