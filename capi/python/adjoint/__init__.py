"""CUDA training kernels: gradients, losses, optimizers, on torch, cupy and numpy arrays.

Every operator of the library is a function here, and in adjoint.ops as it is in the C headers. adjoint.functional has those with the signatures
that users of numpy and PyTorch know, such as softmax_backward(dout, out, axis=-1). adjoint.torch has autograd functions and an optimizer."""
from . import functional, ops
from ._call import Bound, forget_plans
from ._generated import VERSION as _VERSION
from ._generated import Backend, Determinism, Device, Dtype, Guarantee, JitPolicy, Kernel, LibraryInfo, Math, PlanInfo, Rejection, Sku, Status
from ._library import Error, InvalidError, Preference, Stream, UnsupportedError
from ._plan import Plan, arguments, describe, devices, explain, kernel, libraries, library_version, op, operators, select, sku, skus
from .functional import *  # noqa: F401,F403
from .optim import AdamW

# That of the package; with the commit, where the library is of the same version.
__version__ = library_version() if library_version().startswith(_VERSION) else _VERSION
__all__ = [name for name in dir() if not name.startswith("_")]


def __getattr__(name):
    return getattr(ops, name)


def __dir__():
    return sorted({*globals(), *dir(ops)})
