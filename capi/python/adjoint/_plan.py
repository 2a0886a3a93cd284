"""Plans and bound calls."""
import ctypes
from collections import namedtuple

from . import _generated
from ._arguments import Arguments
from ._arrays import AWAY
from ._descriptor import failed, make_descriptor, operator_of
from ._generated import Dtype, Status
from ._library import Rejection, Stream, bound_run, check, check_report, lib, preference_structure, rejections_of, structure, text

Guarantee = namedtuple("Guarantee", "math accumulator determinism bit_stable float_atomics bound_ulp bound_terms bound_absolute")
Guarantee.__doc__ = """|computed - exact| <= bound_ulp * ulp + bound_terms * (sum of the terms' magnitudes) + bound_absolute.

Three zeros mean equal bits."""
Sku = namedtuple("Sku", "id op algorithm signature arch source summary backend program_count guarantee")
Sku.__doc__ = "One concrete kernel."
PlanInfo = namedtuple("PlanInfo", "workspace_size bind_workspace_size launches bound_launches from_ptx")


def _enumerator(kind, value):
    try:
        return kind(value)
    except ValueError:
        return value


def sku_of(info):
    g = info.guarantee
    guarantee = Guarantee(_enumerator(_generated.Math, g.math), _enumerator(Dtype, g.accumulator), _enumerator(_generated.Determinism, g.determinism),
                          bool(g.bit_stable), bool(g.float_atomics), g.bound_ulp, g.bound_terms, g.bound_absolute)
    return Sku(text(info.id), text(info.op_name), text(info.algorithm), text(info.signature), text(info.arch), text(info.source), text(info.summary),
               _enumerator(_generated.Backend, info.backend), info.program_count, guarantee)


def _info(name, function, *arguments):
    info = structure(name)
    check(function(*arguments, ctypes.byref(info)))
    return info


class Plan:
    """The kernel chosen for a problem on one stream's device. Obtain it from select(). Immutable."""
    __slots__ = ("operator", "handle", "stream", "descriptor", "keep")

    def __init__(self, operator, stream, descriptor, keep, preference=None, get=lib.adj_plan_select):
        self.operator, self.stream, self.descriptor, self.keep = operator, stream, descriptor, keep
        self.handle, report = ctypes.c_void_p(), ctypes.c_void_p()
        preference = preference_structure(preference)
        status = get(ctypes.byref(stream), ctypes.byref(descriptor), ctypes.byref(preference), ctypes.byref(self.handle), ctypes.byref(report))
        check_report(status, report)

    def __del__(self, release=lib.adj_plan_release):
        handle = getattr(self, "handle", None)
        if handle:
            release(handle)

    @property
    def sku(self):
        return sku_of(_info("adj_sku_info", lib.adj_plan_sku, self.handle))

    @property
    def info(self):
        info = _info("adj_plan_info", lib.adj_plan_get_info, self.handle)
        return PlanInfo(info.workspace_size, info.bind_workspace_size, info.launches, info.bound_launches, bool(info.from_ptx))

    @property
    def workspace_size(self):
        """Bytes that a run needs."""
        return lib.adj_plan_workspace_size(self.handle)

    @property
    def candidates(self):
        """The candidates that select tried, in order; the chosen one is last."""
        found = []
        for i in range(lib.adj_plan_candidate_count(self.handle)):
            info = _info("adj_rejection", lib.adj_plan_candidate, self.handle, i)
            found.append(Rejection(text(info.sku), _enumerator(Status, info.code), text(info.reason)))
        return found

    def can_implement(self, **arguments):
        """Raises when these arguments do not fit; the checks are those of run."""
        args = Arguments(self.operator)
        args.set(arguments, self)
        check(lib.adj_plan_can_implement(self.handle, ctypes.byref(args.raw)))

    def run(self, *, workspace=None, **arguments):
        """Runs on the stream of the selection. Every argument must be given, also outputs."""
        args = Arguments(self.operator)
        with args.set(arguments, self):
            scratch, owner = args.workspace(workspace, self.workspace_size, self.stream)
            status = lib.adj_plan_run(self.handle, ctypes.byref(self.stream), ctypes.byref(scratch), ctypes.byref(args.raw))
        if status:
            raise failed(status)
        tell(args.written)

    def bind(self, *, workspace=None, **arguments):
        """Checks these arguments once. The result is called without arguments, any number of times."""
        args = Arguments(self.operator)
        with args.set(arguments, self):
            scratch, owner = args.workspace(workspace, self.info.bind_workspace_size, self.stream)
            return Bound(self, scratch, args.raw, None, None, args.written, args.place, (owner, arguments, args))

    def __repr__(self):
        return f"adjoint.Plan({self.sku.id})"


def tell(written):
    """Tells the libraries of these arrays that they were written."""
    for library, arrays in written:
        library.wrote(arrays)


class Bound:
    """A call with its buffers checked and fixed. Calling it launches, and returns the outputs.

    Buffers and exports are kept until the object is gone. Scalars and random states that were passed by value are those of bind."""
    __slots__ = ("plan", "keep", "_result", "_collect", "_written", "_library", "_array", "_handle", "_stream")

    def __init__(self, plan, workspace, args, result, collect, written, place, keep):
        self.plan, self.keep, self._result, self._collect, self._written = plan, keep, result, collect, written
        library, self._array = place
        self._library = library if plan.stream.kind == _generated.StreamKind.CUDA and self._array is not None else None
        self._handle, self._stream = ctypes.c_void_p(), ctypes.byref(plan.stream)
        check(lib.adj_plan_bind(plan.handle, self._stream, ctypes.byref(workspace), args if isinstance(args, bytes) else ctypes.byref(args),
                                ctypes.byref(self._handle)))

    def __call__(self):
        if self._library is None or self._library.stream(self._array) is not AWAY:
            status = bound_run(self._handle, self._stream)
        else:
            with self._library.visit(self._array):
                status = bound_run(self._handle, self._stream)
        if status:
            raise failed(status)
        if self._written:
            tell(self._written)
        return self._result if self._collect is None else self._collect()

    def __del__(self, release=lib.adj_bound_release):
        handle = getattr(self, "_handle", None)
        if handle:
            release(handle)


def select(name, *, stream=None, preference=None, **fields):
    """The plan of an operator for a problem, given as the fields of the descriptor, on a Stream (default: the host)."""
    operator = operator_of(name)
    descriptor, keep = make_descriptor(operator, fields)
    return Plan(operator, (stream or Stream.host()).raw, descriptor, keep, preference)


def explain_descriptor(stream, descriptor, preference):
    report = ctypes.c_void_p()
    preference = preference_structure(preference)
    status = lib.adj_plan_explain(ctypes.byref(stream), ctypes.byref(descriptor), ctypes.byref(preference), ctypes.byref(report))
    if status:
        check_report(status, report)
    try:
        return rejections_of(report)
    finally:
        lib.adj_error_release(report)


def explain(name, *, stream=None, preference=None, **fields):
    """Every kernel that could serve the problem, in the order of trial: (sku, code, reason), accepted ones with Status.OK."""
    operator = operator_of(name)
    descriptor, keep = make_descriptor(operator, fields)
    return explain_descriptor((stream or Stream.host()).raw, descriptor, preference)
