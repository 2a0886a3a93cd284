"""The library in the build of a CMake project: fetch_content_test.py ROOT BUILD. A program is linked to both kinds of library and runs, with the library of the build
directory that is there; a build directory of its own is configured, and not built."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
CMAKE = os.environ.get("CMAKE", "cmake")
PROJECT = f"""\
cmake_minimum_required(VERSION 3.18)
project(user C CXX)
include(FetchContent)
FetchContent_Declare(adjoint SOURCE_DIR "{ROOT}" SOURCE_SUBDIR tools/packaging/cmake)
FetchContent_MakeAvailable(adjoint)
foreach(kind adjoint adjoint_static)
  add_executable(program_${{kind}} program.cpp)
  target_link_libraries(program_${{kind}} PRIVATE adjoint::${{kind}})
endforeach()
"""
PROGRAM = """\
#include <adjoint/adjoint.hpp>
int main() { return adj_abi_check(ADJ_ABI_MAJOR, ADJ_ABI_MINOR) == ADJ_OK && adj_version()[0] ? 0 : 1; }
"""


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, command))}: {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")


with tempfile.TemporaryDirectory() as folder:
    user = pathlib.Path(folder)
    (user / "CMakeLists.txt").write_text(PROJECT)
    (user / "program.cpp").write_text(PROGRAM)
    run(CMAKE, "-S", user, "-B", user / "with", f"-DADJOINT_BUILD={BUILD}", f"-DADJOINT_NINJA={shutil.which('true')}")  # what is there is not built again while other tests use it
    run(CMAKE, "--build", user / "with")
    for kind in ("adjoint", "adjoint_static"):
        run(user / "with" / f"program_{kind}")
    run(CMAKE, "-S", user, "-B", user / "alone")
    if not (user / "alone/_deps/adjoint-build/meson/build.ninja").exists():
        sys.exit("FAILED: the library has no build directory of its own")
