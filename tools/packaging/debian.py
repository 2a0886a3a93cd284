#!/usr/bin/env python3
"""Writes what Debian's tools need to build packages: debian.py DIRECTORY --maintainer 'NAME <ADDRESS>'

DIRECTORY is a copy of the tree, such as an unpacked archive; `dpkg-buildpackage -b` there then makes libadjoint1, libadjoint-dev and adjoint. The version is that of
meson.build, and the texts of licences are LICENSE's reference and THIRD_PARTY_NOTICES."""
import argparse
import email.utils
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTROL = """\
Source: adjoint
Section: science
Priority: optional
Maintainer: @maintainer
Build-Depends: debhelper-compat (= 13), meson (>= 1.0), ninja-build, pkg-config, python3, libfmt-dev, libmd-dev, libcli11-dev, nlohmann-json3-dev
Standards-Version: 4.6.2
Rules-Requires-Root: no

Package: libadjoint1
Section: libs
Architecture: amd64 arm64
Multi-Arch: same
Depends: ${shlibs:Depends}, ${misc:Depends}
Description: CUDA kernels for training
 Gradients, losses, optimizers, matrix products and attention, compiled by NVRTC
 at run time. The CUDA driver, NVRTC, cuBLASLt, cuDNN and NCCL are loaded when
 they are first needed. Every operator also runs on ordinary memory.

Package: libadjoint-dev
Section: libdevel
Architecture: amd64 arm64
Multi-Arch: same
Depends: libadjoint1 (= ${binary:Version}), libmd-dev, ${misc:Depends}
Description: CUDA kernels for training (development)
 Headers in C and C++20, the static library, files of pkg-config and CMake, and
 examples for libadjoint1.

Package: adjoint
Architecture: amd64 arm64
Depends: ${shlibs:Depends}, ${misc:Depends}
Description: CUDA kernels for training (command)
 Lists the operators and kernels of libadjoint, explains how a kernel is chosen
 for a problem, checks and measures kernels on a GPU, and builds packs of them.
"""
RULES = """\
#!/usr/bin/make -f
export DEB_BUILD_MAINT_OPTIONS = hardening=+all

%:
\tdh $@ --buildsystem=meson

override_dh_auto_configure:
\tdh_auto_configure -- -Dtests=false -Doptimization=2

override_dh_auto_test:
"""
INSTALLED = {
    "libadjoint1": ["usr/lib/*/libadjoint.so.*", "usr/lib/*/libadjoint_*.so"],
    "libadjoint-dev": ["usr/include", "usr/lib/*/libadjoint.so", "usr/lib/*/libadjoint.a", "usr/lib/*/pkgconfig", "usr/lib/*/cmake",
                       "usr/share/doc/adjoint/examples usr/share/doc/libadjoint-dev"],
    "adjoint": ["usr/bin", "usr/share/man", "usr/share/bash-completion", "usr/share/zsh/site-functions/_adjoint usr/share/zsh/vendor-completions"],
}
NOT_INSTALLED = ["usr/share/doc/adjoint/LICENSE", "usr/share/doc/adjoint/THIRD_PARTY_NOTICES"]  # debian/copyright has both


def files(maintainer):
    """{name: text}"""
    version = re.search(r"^  version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"), re.M)[1].replace(".dev", "~dev")
    notices = (ROOT / "tools/packaging/THIRD_PARTY_NOTICES").read_text(encoding="utf-8")
    return {
        "control": CONTROL.replace("@maintainer", maintainer),
        "rules": RULES,
        "changelog": f"adjoint ({version}-1) unstable; urgency=medium\n\n  * See .github/CHANGELOG.md.\n\n -- {maintainer}  {email.utils.formatdate(localtime=False)}\n",
        "copyright": f"Adjoint is under the Apache License 2.0, which /usr/share/common-licenses/Apache-2.0 has.\n\n{notices}",
        "source/format": "3.0 (quilt)\n",
        "not-installed": "\n".join(NOT_INSTALLED) + "\n",
        **{f"{package}.install": "\n".join(paths) + "\n" for package, paths in INSTALLED.items()},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--maintainer", required=True, help="name and address, as Debian's control files have them")
    options = parser.parse_args()
    if not re.fullmatch(r"[^<>]+ <[^<>@\s]+@[^<>@\s]+>", options.maintainer):
        parser.error(f"--maintainer has the form 'NAME <ADDRESS>', got '{options.maintainer}'")
    if not (options.directory / "meson.build").is_file():
        sys.exit(f"debian.py: {options.directory} is no copy of the tree: it has no meson.build")
    for name, text in files(options.maintainer).items():
        path = options.directory / "debian" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (options.directory / "debian/rules").chmod(0o755)


if __name__ == "__main__":
    main()
