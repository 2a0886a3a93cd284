"""The libraries beside the library that serve other frameworks."""
from pathlib import Path

from . import _library


def path_of(framework, package=None):
    """The file of an adapter: beside the library, or for the loader to find when that is where the library came from. package: that whose headers it needs."""
    name = f"libadjoint_{framework}.so"
    library = Path(_library.path)
    if library.parent == Path("."):
        return name
    found = library.resolve().parent / name
    if not found.is_file() and package is None:
        raise ImportError(f"{found} is not there; build it, ninja {name}")
    if not found.is_file():
        raise ImportError(f"{found} is not there: the library was built without the headers of {package}. Build it again with "
                          f"meson configure -Dadapters=PYTHON, a Python that has the package {package}; tools/dev adapters does.")
    return str(found)
