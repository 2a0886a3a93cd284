"""The version of meson.build, where another file must state it: the Python package and the crate."""
import re

from generators.reader import ROOT, Fault


def version():
    """As meson.build has it, which is also the form of PEP 440: 0.9.0.dev0."""
    found = re.search(r"^  version: '(\d+\.\d+\.\d+(?:\.dev\d+)?)'", (ROOT / "meson.build").read_text(encoding="utf-8"), re.M)
    if not found:
        raise Fault("meson.build: its version has not the form 0.9.0 or 0.9.0.dev0")
    return found[1]


def version_files():
    """The crate's, where semantic versions have another form: 0.9.0-dev0."""
    own = version().replace(".dev", "-dev")
    files = {}
    for name in ("Cargo.toml", "Cargo.lock"):
        path = ROOT / "capi/rust" / name
        files[path] = re.sub(r'(name = "adjoint"\nversion = )".*"', rf'\1"{own}"', path.read_text(encoding="utf-8"))
    return files
