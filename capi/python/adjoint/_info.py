"""Information about the library: operators, kernels, devices, and the libraries it loads."""
import ctypes
import fnmatch
from collections import namedtuple

from . import ops
from ._descriptor import operator_of
from ._generated import OPERATORS
from ._library import check_report, lib, structure, text
from ._plan import _info, sku_of

Device = namedtuple("Device", "name arch memory multiprocessors compute_capability")
LibraryInfo = namedtuple("LibraryInfo", "name path version problem available")
Kernel = namedtuple("Kernel", "source entry macros code_bytes static_shared_bytes registers local_bytes compile_ms")


def library_version():
    """The version of the library in use, "1.0.0"."""
    return text(lib.adj_version())


def operators():
    """The names of all operators."""
    return sorted(OPERATORS)


def arguments(name):
    """The arguments of an operator, in order: name, kind, role ("in", "out", "in/out") and what the header says."""
    return operator_of(name).slots


def describe(name):
    """The documentation of an operator, its arguments and fields, from the headers."""
    return ops.documentation(operator_of(name))


def sku(name):
    """The kernel with that id."""
    return sku_of(_info("adj_sku_info", lib.adj_sku_find, name.encode()))


def skus(pattern="*"):
    """All kernels whose id matches a glob, "softmax_backward/*"."""
    found = (sku_of(_info("adj_sku_info", lib.adj_sku_get, i)) for i in range(lib.adj_sku_count()))
    return [s for s in found if fnmatch.fnmatchcase(s.id, pattern)]


def kernel(name, i=0, arch="sm_90a"):
    """Resources of the machine code of kernel i of a SKU on an architecture. Compiles the kernel when no pack or cache has it."""
    info, report = structure("adj_kernel_info"), ctypes.c_void_p()
    status = lib.adj_sku_kernel(name.encode(), i, arch.encode(), ctypes.byref(info), ctypes.byref(report))
    check_report(status, report)
    return Kernel(text(info.source), text(info.entry), text(info.macros), info.code_bytes, info.static_shared_bytes, info.registers, info.local_bytes,
                  info.compile_ms)


def devices():
    """The CUDA devices; none without a driver."""
    found = (_info("adj_device_info", lib.adj_device_get, i) for i in range(lib.adj_device_count()))
    return [Device(text(d.name), text(d.arch), d.memory, d.multiprocessors, d.compute_capability) for d in found]


def libraries():
    """The libraries that this one loads at run time: where they were found, or what is missing."""
    found = (_info("adj_library_info", lib.adj_library_get, i) for i in range(lib.adj_library_count()))
    return [LibraryInfo(text(d.name), text(d.path), text(d.version), text(d.problem), bool(d.available)) for d in found]
