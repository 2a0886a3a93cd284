"""CUDA training kernels: gradients, losses, optimizers, on torch, cupy and numpy arrays.

Every operator of the library is a function here, and in adjoint.ops as it is in the C headers. adjoint.functional has those with the signatures
that users of numpy and PyTorch know, such as softmax_backward(dout, out, axis=-1). adjoint.torch has autograd functions and an optimizer."""
from . import functional, ops
from ._call import forget_plans
from ._generated import Backend, Determinism, Dtype, JitPolicy, Math, Status
from ._library import Error, InvalidError, Preference, Rejection, Stream, UnsupportedError
from ._plan import (Bound, Device, Guarantee, Kernel, LibraryInfo, Plan, PlanInfo, Sku, arguments, describe, devices, explain, kernel, libraries,
                    library_version, op, operators, select, sku, skus)
from .functional import *  # noqa: F401,F403
from .optim import AdamW

__version__ = "1.0.0"
__all__ = ["AdamW", "Backend", "Bound", "Determinism", "Device", "Dtype", "Error", "Guarantee", "InvalidError", "JitPolicy", "Kernel",
           "LibraryInfo", "Math", "Plan", "PlanInfo", "Preference", "Rejection", "Sku", "Status", "Stream", "UnsupportedError", "arguments",
           "describe", "devices", "explain", "forget_plans", "functional", "kernel", "libraries", "library_version", "op", "operators", "ops",
           "select", "sku", "skus", *functional.__all__]


def __getattr__(name):
    return getattr(ops, name)


def __dir__():
    return sorted({*globals(), *dir(ops)})
