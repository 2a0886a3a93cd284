"""Plans, bound calls, and what the library says of its kernels, devices and libraries."""
from __future__ import annotations

import ctypes
import fnmatch
from typing import Any

from ._generated import Device, Kernel, LibraryInfo, PlanInfo, Rejection, Sku, adj_kernel_info
from ._library import Preference, Stream, check, info, lib, preference_structure, record, rejections_of, structure, text
from ._operators import NUMBERS, Descriptor, operator_of


class Plan:
    """The kernel chosen for a problem on one stream's device. Obtain it from select(). Immutable."""
    __slots__ = ("operator", "handle", "stream", "descriptor")

    def __init__(self, operator, stream, descriptor, preference=None, get=lib.adj_plan_select):
        self.operator, self.stream, self.descriptor = operator, stream, descriptor
        self.handle, report, preference = ctypes.c_void_p(), ctypes.c_void_p(), preference_structure(preference)
        check(get(ctypes.byref(stream), descriptor.raw, ctypes.byref(preference), ctypes.byref(self.handle), ctypes.byref(report)), report)

    def __del__(self, release=lib.adj_plan_release):
        if getattr(self, "handle", None):
            release(self.handle)

    @property
    def sku(self) -> Sku:
        return info(Sku, lib.adj_plan_sku, self.handle)

    @property
    def info(self) -> PlanInfo:
        return info(PlanInfo, lib.adj_plan_get_info, self.handle)

    @property
    def workspace_size(self) -> int:
        """Bytes that a run needs."""
        return lib.adj_plan_workspace_size(self.handle)

    @property
    def candidates(self) -> list[Rejection]:
        """The candidates that select tried, in order; the chosen one is last."""
        return [info(Rejection, lib.adj_plan_candidate, self.handle, i) for i in range(lib.adj_plan_candidate_count(self.handle))]

    def can_implement(self, **arguments: Any) -> None:
        """Raises when these arguments do not fit; the checks are those of run."""
        self._call(arguments, "check")

    def run(self, *, workspace: Any = None, **arguments: Any) -> None:
        """Runs on the stream of the selection. Every argument must be given, also outputs."""
        self._call(arguments, None, workspace)

    def bind(self, *, workspace: Any = None, **arguments: Any) -> Any:
        """Checks these arguments once. The result is called without arguments, any number of times."""
        return self._call(arguments, "bind", workspace)

    def _call(self, arguments, verb, workspace=None):
        unknown = set(arguments) - set(self.operator.by_name)
        if unknown:
            self.operator.fail(f"no argument {min(unknown)}; the arguments are {', '.join(self.operator.by_name)}")
        return op(self.operator.name, **arguments, workspace=workspace, _verb=verb, _plan=self)

    def __repr__(self):
        return f"adjoint.Plan({self.sku.id})"


def select(name: str, *, stream: Stream | None = None, preference: Preference | None = None, **fields: Any) -> Plan:
    """The plan of an operator for a problem, given as the fields of the descriptor, on a Stream (default: the host)."""
    operator = operator_of(name)
    return Plan(operator, (stream or Stream.host()).raw, Descriptor(operator, fields), preference)


def explain_descriptor(stream, descriptor, preference):
    report, preference = ctypes.c_void_p(), preference_structure(preference)
    status = lib.adj_plan_explain(ctypes.byref(stream), descriptor, ctypes.byref(preference), ctypes.byref(report))
    found = rejections_of(report)
    check(status, report)
    return found


def explain(name: str, *, stream: Stream | None = None, preference: Preference | None = None, **fields: Any) -> list[Rejection]:
    """Every kernel that could serve the problem, in the order of trial: (sku, code, reason), accepted ones with Status.OK."""
    return explain_descriptor((stream or Stream.host()).raw, Descriptor(operator_of(name), fields).raw, preference)


def op(name: str, *arrays: Any, **keywords: Any) -> Any:
    """Any operator by name, as the function of that name in adjoint.ops."""
    from .ops import function
    return function(operator_of(name).name)(*arrays, **keywords)


def library_version() -> str:
    """The version of the library in use: "1.0.0", or between releases "0.9.0.dev0+g0123456789ab", with the commit."""
    return text(lib.adj_version())


def operators() -> list[str]:
    """The names of all operators."""
    return sorted(NUMBERS)


def arguments(name: str) -> list[Any]:
    """The arguments of an operator, in order: name, kind, role ("in", "out", "in/out") and what the library says of them."""
    return operator_of(name).arguments


def describe(name: str) -> str:
    """The definition of an operator, its arguments and fields."""
    return operator_of(name).documentation()


def sku(name: str) -> Sku:
    """The kernel with that id."""
    return info(Sku, lib.adj_sku_find, name.encode())


def skus(pattern: str = "*") -> list[Sku]:
    """All kernels whose id matches a glob, "softmax_backward/*"."""
    found = (info(Sku, lib.adj_sku_get, i) for i in range(lib.adj_sku_count()))
    return [s for s in found if fnmatch.fnmatchcase(s.id, pattern)]


def kernel(name: str, i: int = 0, arch: str = "sm_90a") -> Kernel:
    """Resources of the machine code of kernel i of a SKU on an architecture. Compiles the kernel when no pack or cache has it."""
    raw, report = structure(adj_kernel_info), ctypes.c_void_p()
    check(lib.adj_sku_kernel(name.encode(), i, arch.encode(), ctypes.byref(raw), ctypes.byref(report)), report)
    return record(Kernel, raw)


def devices() -> list[Device]:
    """The CUDA devices; none without a driver."""
    return [info(Device, lib.adj_device_get, i) for i in range(lib.adj_device_count())]


def libraries() -> list[LibraryInfo]:
    """The libraries that this one loads at run time: where they were found, or what is missing."""
    return [info(LibraryInfo, lib.adj_library_get, i) for i in range(lib.adj_library_count())]
