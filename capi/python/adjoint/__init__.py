"""CUDA training kernels: gradients, losses, optimizers, on torch, cupy and numpy arrays.

adjoint.functional has functions such as softmax_backward(dout, out); adjoint.ops has every operator with keywords; adjoint.torch has
autograd functions and an optimizer for PyTorch."""
from . import functional, ops
from ._call import forget_plans
from ._generic import op
from ._generated import Backend, Determinism, Dtype, JitPolicy, Math, Status
from ._info import Device, Kernel, LibraryInfo, arguments, describe, devices, kernel, libraries, library_version, operators, sku, skus
from ._library import Error, InvalidError, Preference, Rejection, Stream, UnsupportedError
from ._plan import Bound, Guarantee, Plan, PlanInfo, Sku, explain, select
from .functional import *  # noqa: F401,F403
from .optim import AdamW

__version__ = "1.0.0"
__all__ = ["AdamW", "Backend", "Bound", "Determinism", "Device", "Dtype", "Error", "Guarantee", "InvalidError", "JitPolicy", "Kernel",
           "LibraryInfo", "Math", "Plan", "PlanInfo", "Preference", "Rejection", "Sku", "Status", "Stream", "UnsupportedError", "arguments",
           "describe", "devices", "explain", "forget_plans", "functional", "kernel", "libraries", "library_version", "op", "operators", "ops",
           "select", "sku", "skus", *functional.__all__]
