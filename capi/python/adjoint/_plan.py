"""Plans, bound calls, and what the library says of its kernels, devices and libraries."""
import ctypes
import fnmatch
from collections import namedtuple

from . import _generated
from ._arrays import AWAY
from ._generated import Dtype, StreamKind
from ._library import Stream, bound_run, check, check_report, enumerator, info, lib, preference_structure, rejection_of, rejections_of, structure, text
from ._operators import NUMBERS, Descriptor, failed, operator_of

Guarantee = namedtuple("Guarantee", "math accumulator determinism bit_stable float_atomics bound_ulp bound_terms bound_absolute")
Guarantee.__doc__ = """|computed - exact| <= bound_ulp * ulp + bound_terms * (sum of the terms' magnitudes) + bound_absolute.

Three zeros mean equal bits."""
Sku = namedtuple("Sku", "id op algorithm signature arch source summary backend program_count guarantee")
Sku.__doc__ = "One concrete kernel."
PlanInfo = namedtuple("PlanInfo", "workspace_size bind_workspace_size launches bound_launches from_ptx")
Device = namedtuple("Device", "name arch memory multiprocessors compute_capability")
LibraryInfo = namedtuple("LibraryInfo", "name path version problem available")
Kernel = namedtuple("Kernel", "source entry macros code_bytes static_shared_bytes registers local_bytes compile_ms")
_ENUMERATIONS = {"math": _generated.Math, "accumulator": Dtype, "determinism": _generated.Determinism, "backend": _generated.Backend}
_FLAGS = {"bit_stable", "float_atomics", "from_ptx", "available"}


def _tuple(kind, raw):
    """A structure as a named tuple."""
    def value(name):
        if name == "guarantee":
            return _tuple(Guarantee, raw.guarantee)
        found = getattr(raw, {"op": "op_name"}.get(name, name) if kind is Sku else name)
        if name in _ENUMERATIONS:
            return enumerator(_ENUMERATIONS[name], found)
        return bool(found) if name in _FLAGS else found if isinstance(found, (int, float)) else text(found)
    return kind(*map(value, kind._fields))


class Plan:
    """The kernel chosen for a problem on one stream's device. Obtain it from select(). Immutable."""
    __slots__ = ("operator", "handle", "stream", "descriptor")

    def __init__(self, operator, stream, descriptor, preference=None, get=lib.adj_plan_select):
        self.operator, self.stream, self.descriptor = operator, stream, descriptor
        self.handle, report, preference = ctypes.c_void_p(), ctypes.c_void_p(), preference_structure(preference)
        status = get(ctypes.byref(stream), descriptor.raw, ctypes.byref(preference), ctypes.byref(self.handle), ctypes.byref(report))
        check_report(status, report)

    def __del__(self, release=lib.adj_plan_release):
        if getattr(self, "handle", None):
            release(self.handle)

    @property
    def sku(self):
        return _tuple(Sku, info("adj_sku_info", lib.adj_plan_sku, self.handle))

    @property
    def info(self):
        return _tuple(PlanInfo, info("adj_plan_info", lib.adj_plan_get_info, self.handle))

    @property
    def workspace_size(self):
        """Bytes that a run needs."""
        return lib.adj_plan_workspace_size(self.handle)

    @property
    def candidates(self):
        """The candidates that select tried, in order; the chosen one is last."""
        return [rejection_of(info("adj_rejection", lib.adj_plan_candidate, self.handle, i)) for i in range(lib.adj_plan_candidate_count(self.handle))]

    def check(self, args):
        check(lib.adj_plan_can_implement(self.handle, args))

    def can_implement(self, **arguments):
        """Raises when these arguments do not fit; the checks are those of run."""
        self._call(arguments, "check")

    def run(self, *, workspace=None, **arguments):
        """Runs on the stream of the selection. Every argument must be given, also outputs."""
        self._call(arguments, None, workspace)

    def bind(self, *, workspace=None, **arguments):
        """Checks these arguments once. The result is called without arguments, any number of times."""
        return self._call(arguments, "bind", workspace)

    def _call(self, arguments, verb, workspace=None):
        from .ops import function
        unknown = set(arguments) - set(self.operator.by_name)
        if unknown:
            self.operator.fail(f"no argument {min(unknown)}; the arguments are {', '.join(self.operator.by_name)}")
        return function(self.operator.name)(**arguments, workspace=workspace, _verb=verb, _plan=self)

    def __repr__(self):
        return f"adjoint.Plan({self.sku.id})"


class Bound:
    """A call with its buffers checked and fixed. Calling it launches, and returns the outputs.

    Buffers and exports are kept until the object is gone. Scalars and random states that were passed by value are those of bind."""
    __slots__ = ("plan", "keep", "_collect", "_written", "_library", "_array", "_handle", "_stream")

    def __init__(self, plan, workspace, args, collect, written, place, keep):
        self.plan, self.keep, self._collect, self._written = plan, (workspace, keep), collect, written
        library, self._array = place
        self._library = library if plan.stream.kind == StreamKind.CUDA and self._array is not None else None
        self._handle, self._stream = ctypes.c_void_p(), ctypes.byref(plan.stream)
        check(lib.adj_plan_bind(plan.handle, self._stream, ctypes.byref(workspace), args, ctypes.byref(self._handle)))

    def __call__(self):
        if self._library is None or self._library.stream(self._array) is not AWAY:
            status = bound_run(self._handle, self._stream)
        else:
            with self._library.on(self._array):
                status = bound_run(self._handle, self._stream)
        if status:
            raise failed(status)
        for library, arrays in self._written:
            library.wrote(arrays)
        return self._collect()

    def __del__(self, release=lib.adj_bound_release):
        if getattr(self, "_handle", None):
            release(self._handle)


def select(name, *, stream=None, preference=None, **fields):
    """The plan of an operator for a problem, given as the fields of the descriptor, on a Stream (default: the host)."""
    operator = operator_of(name)
    return Plan(operator, (stream or Stream.host()).raw, Descriptor(operator, fields), preference)


def explain_descriptor(stream, descriptor, preference):
    report, preference = ctypes.c_void_p(), preference_structure(preference)
    status = lib.adj_plan_explain(ctypes.byref(stream), descriptor, ctypes.byref(preference), ctypes.byref(report))
    if status:
        check_report(status, report)
    try:
        return rejections_of(report)
    finally:
        lib.adj_error_release(report)


def explain(name, *, stream=None, preference=None, **fields):
    """Every kernel that could serve the problem, in the order of trial: (sku, code, reason), accepted ones with Status.OK."""
    return explain_descriptor((stream or Stream.host()).raw, Descriptor(operator_of(name), fields).raw, preference)


def op(name, *arrays, **keywords):
    """Any operator by name, as the function of that name in adjoint.ops."""
    from .ops import function
    return function(operator_of(name).name)(*arrays, **keywords)


def library_version():
    """The version of the library in use, "1.0.0"."""
    return text(lib.adj_version())


def operators():
    """The names of all operators."""
    return sorted(NUMBERS)


def arguments(name):
    """The arguments of an operator, in order: name, kind, role ("in", "out", "in/out") and what the library says of them."""
    return operator_of(name).slots


def describe(name):
    """The definition of an operator, its arguments and fields."""
    return operator_of(name).documentation()


def sku(name):
    """The kernel with that id."""
    return _tuple(Sku, info("adj_sku_info", lib.adj_sku_find, name.encode()))


def skus(pattern="*"):
    """All kernels whose id matches a glob, "softmax_backward/*"."""
    found = (_tuple(Sku, info("adj_sku_info", lib.adj_sku_get, i)) for i in range(lib.adj_sku_count()))
    return [s for s in found if fnmatch.fnmatchcase(s.id, pattern)]


def kernel(name, i=0, arch="sm_90a"):
    """Resources of the machine code of kernel i of a SKU on an architecture. Compiles the kernel when no pack or cache has it."""
    raw, report = structure("adj_kernel_info"), ctypes.c_void_p()
    check_report(lib.adj_sku_kernel(name.encode(), i, arch.encode(), ctypes.byref(raw), ctypes.byref(report)), report)
    return _tuple(Kernel, raw)


def devices():
    """The CUDA devices; none without a driver."""
    return [_tuple(Device, info("adj_device_info", lib.adj_device_get, i)) for i in range(lib.adj_device_count())]


def libraries():
    """The libraries that this one loads at run time: where they were found, or what is missing."""
    return [_tuple(LibraryInfo, info("adj_library_info", lib.adj_library_get, i)) for i in range(lib.adj_library_count())]
