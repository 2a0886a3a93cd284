"""Where our programs find the libraries that PyTorch's wheels bring."""
import os
import pathlib
import sys


def environment():
    """os.environ with the folders of the wheels behind those of ADJOINT_LIBRARY_PATH."""
    folders = [str(path) for base in sys.path for path in pathlib.Path(base).glob("nvidia/*/lib")]
    return os.environ | {"ADJOINT_LIBRARY_PATH": ":".join([*filter(None, [os.environ.get("ADJOINT_LIBRARY_PATH")]), *folders])}
