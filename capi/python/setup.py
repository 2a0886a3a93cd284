"""Puts the library into the package where there is one: what ADJOINT_LIBRARY names, else build/libadjoint.so.1.0.0 of the source tree. The adapters of
frameworks that lie beside it come with it, and the bill of materials that ADJOINT_SBOM names. The version is that of meson.build, between releases with the
commit of the checkout.

A wheel with the library is for this platform and any Python 3; one without it is pure, and finds the library at run time."""
import os
import re
import runpy
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel


HERE = Path(__file__).resolve().parent


def version():
    own = re.search(r'^VERSION = "(.*)"', (HERE / "adjoint/_generated.py").read_text(encoding="utf-8"), re.M)[1]
    commit = HERE.parents[1] / "tools/commit.py"
    return own + (runpy.run_path(commit)["suffix"]() if "dev" in own and commit.is_file() else "")


def find_library():
    named = os.environ.get("ADJOINT_LIBRARY")
    if named:
        if not Path(named).is_file():
            raise SystemExit(f"setup.py: ADJOINT_LIBRARY names {named}, which is no file; give the path of libadjoint.so.1")
        return Path(named)
    built = HERE.parents[1] / "build/libadjoint.so.1.0.0"
    return built if built.is_file() else None


LIBRARY = find_library()


class Build(build_py):
    def run(self):
        super().run()
        package = Path(self.build_lib) / "adjoint"
        for earlier in package.glob("*.so*"):
            earlier.unlink()
        if LIBRARY and not self.editable_mode:
            shutil.copyfile(LIBRARY, package / "libadjoint.so.1")
            for adapter in LIBRARY.parent.glob("libadjoint_*.so"):
                shutil.copyfile(adapter, package / adapter.name)


class Wheel(bdist_wheel):
    def egg2dist(self, egginfo, distinfo):
        super().egg2dist(egginfo, distinfo)
        if os.environ.get("ADJOINT_SBOM"):
            place = Path(distinfo) / "sboms/adjoint.cdx.json"  # where PEP 770 has it
            place.parent.mkdir()
            shutil.copyfile(os.environ["ADJOINT_SBOM"], place)

    def get_tag(self):
        return super().get_tag() if LIBRARY is None else ("py3", "none", super().get_tag()[2])


class Package(Distribution):
    def has_ext_modules(self):
        return LIBRARY is not None


setup(version=version(), cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Package)
