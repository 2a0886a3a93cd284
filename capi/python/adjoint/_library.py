"""The shared library: finding it, its functions, its errors, and what a caller may ask of a kernel."""
import ctypes
import os
from collections import namedtuple
from pathlib import Path
from typing import Any, Tuple, Union

from . import _generated
from ._generated import ABI_MAJOR, ABI_MINOR, FUNCTIONS, TAGS, Backend, Determinism, Dtype, JitPolicy, Math, Status, StreamKind, adj_header

SONAME = f"libadjoint.so.{ABI_MAJOR}"
Array = Any  # of torch, cupy, numpy, or an array that speaks DLPack, __cuda_array_interface__ or the buffer protocol
DtypeLike = Any
Scalar = Union[float, Array]
Random = Union[int, Tuple[int, int], Array]


def _open():
    """The library that ADJOINT_LIBRARY names, else the one inside the package, else the loader's."""
    named = os.environ.get("ADJOINT_LIBRARY")
    inside = str(Path(__file__).parent / SONAME)
    places = [(named, "named by ADJOINT_LIBRARY")] if named else [(inside, "inside the package"), (SONAME, "on the loader's path")]
    tried = []
    for path, origin in places:
        try:
            if path == inside and not os.path.exists(inside):
                raise OSError("there is no such file")
            return ctypes.CDLL(path), path
        except OSError as problem:
            tried.append(f"{path} ({origin}): {problem}")
    raise ImportError(f"The Adjoint library was not found. Tried {'; '.join(tried)}. Set ADJOINT_LIBRARY to the path of {SONAME}, "
                      "or install a wheel that has the library inside.")


lib, path = _open()
for _name, (_result, _parameters) in FUNCTIONS.items():
    _function = getattr(lib, _name, None)
    if _function is None:
        raise ImportError(f"{path} has no function {_name}: it is no Adjoint library, or an older one than this package was written for")
    _function.restype, _function.argtypes = _result, _parameters

# No argument types: callers pass objects that need no conversion, which saves time in every call.
plan_run, bound_run = lib["adj_plan_run"], lib["adj_bound_run"]

Rejection = namedtuple("Rejection", "sku code reason")
Rejection.__doc__ = "One candidate of a selection: its SKU, and Status.OK or why it was not taken."


class Error(RuntimeError):
    """A failure: `code` is a Status, str() is one sentence with operator, argument and value.

    After a failed selection `rejections` has every candidate. After a failed compilation `log` and `options` are NVRTC's.
    `native` is the CUresult, nvrtcResult, cudnnStatus_t, cublasStatus_t or ncclResult_t, or 0."""

    def __init__(self, code, message, native=0, log="", options="", rejections=()):
        super().__init__(message)
        self.code, self.message, self.native, self.log, self.options, self.rejections = code, message, native, log, options, list(rejections)

    def __reduce__(self):
        return type(self), (self.code, self.message, self.native, self.log, self.options, self.rejections)


class InvalidError(Error, ValueError):
    """An argument or a problem that the operator does not take."""


class UnsupportedError(Error, NotImplementedError):
    """A valid problem without a kernel for it; `rejections` says why."""


_INVALID = {Status.INVALID_ARGUMENT, Status.STRUCT_SIZE, Status.INVALID_PROBLEM, Status.DTYPE_MISMATCH, Status.SHAPE_MISMATCH, Status.NULL_BUFFER,
            Status.BUFFER_TOO_SMALL, Status.MISALIGNED, Status.ALIASING, Status.WORKSPACE_TOO_SMALL, Status.STREAM_MISMATCH, Status.NOT_FOUND,
            Status.INVALID_VALUE}


def error(code, message, *more):
    kind = InvalidError if code in _INVALID else UnsupportedError if code == Status.UNSUPPORTED else Error
    return kind(code, message, *more)


def text(value):
    return value.decode("utf-8", "replace") if value else ""


def enumerator(kind, number):
    """A member of an enumeration; the number itself when the library is newer and has more members than this package."""
    try:
        return kind(number)
    except ValueError:
        return number


def failure(number):
    """The error of a status that a function returned just now, on this thread."""
    return error(enumerator(Status, number), text(lib.adj_last_error()), lib.adj_last_native_code())


def check(number):
    if number:
        raise failure(number)


def structure(name):
    """An empty structure with its header filled in."""
    kind = getattr(_generated, name)
    value = kind()
    value.header = adj_header(ctypes.sizeof(kind), TAGS[name], 0, None)
    return value


def info(name, function, *arguments):
    """The structure that a function fills in."""
    found = structure(name)
    check(function(*arguments, ctypes.byref(found)))
    return found


def rejection_of(raw):
    return Rejection(text(raw.sku), enumerator(Status, raw.code), text(raw.reason))


def rejections_of(report):
    return [rejection_of(info("adj_rejection", lib.adj_error_rejection, report, i)) for i in range(lib.adj_error_rejection_count(report))]


def check_report(number, report):
    """Raises like check, with the details of the error object that the function gave. Releases the object."""
    try:
        if number:
            raise failure(number) if not report else error(
                enumerator(Status, number), text(lib.adj_error_message(report)), lib.adj_error_native_code(report), text(lib.adj_error_log(report)),
                text(lib.adj_error_options(report)), rejections_of(report))
    finally:
        lib.adj_error_release(report)


check(lib.adj_abi_check(ABI_MAJOR, ABI_MINOR))

SIZES = {Dtype.BOOL: 1, Dtype.U8: 1, Dtype.I8: 1, Dtype.F16: 2, Dtype.BF16: 2, Dtype.U16: 2, Dtype.I16: 2, Dtype.F32: 4, Dtype.I32: 4,
         Dtype.U32: 4, Dtype.F64: 8, Dtype.I64: 8, Dtype.U64: 8}
# The names that numpy and torch have for element types.
NAMES = {"float32": Dtype.F32, "float64": Dtype.F64, "float16": Dtype.F16, "bfloat16": Dtype.BF16, "int8": Dtype.I8, "int16": Dtype.I16,
         "int32": Dtype.I32, "int64": Dtype.I64, "uint8": Dtype.U8, "uint16": Dtype.U16, "uint32": Dtype.U32, "uint64": Dtype.U64, "bool": Dtype.BOOL}
_DTYPES = {**{d.name.lower(): d for d in Dtype}, **NAMES, "float": Dtype.F32, "double": Dtype.F64, "half": Dtype.F16}


def dtype(value):
    """The Dtype of "f32", "float32", numpy.float32, torch.float32, or a Dtype."""
    if isinstance(value, int):
        return Dtype(value)
    name = value if isinstance(value, str) else getattr(value, "name", None) or getattr(value, "__name__", None) or str(value)
    found = _DTYPES.get(name.rpartition(".")[2].lower())
    if found is None:
        raise error(Status.INVALID_ARGUMENT, f"{value!r} is not an element type; use one of {', '.join(d.name.lower() for d in Dtype if d)}")
    return found


def choice(kind, value, about):
    """The number of an enumerator that is given by name, as a member of `kind`, or as a number."""
    if not isinstance(value, str):
        return int(value)
    if value.upper() not in kind.__members__:
        raise error(Status.INVALID_ARGUMENT, f"{about} = {value!r} is not one of {', '.join(m.name.lower() for m in kind)}")
    return int(kind[value.upper()])


_PREFERENCE = {"determinism": Determinism, "math": Math, "jit": JitPolicy, "backend": Backend}


class Preference(namedtuple("Preference", "determinism math jit backend workspace_limit sku fallback workspace_arch tune")):
    """Requirements of the caller on a kernel. Values are names ("run_to_run", "ieee", "cached_only", "host") or enumerators.

    determinism: least level accepted; workspace_limit: bytes; sku: a glob over SKU ids; fallback: take the next kernel when the chosen
    one does not compile or load, or its library fails; workspace_arch: on the host, as much workspace as the plan of that architecture takes
    (90 for sm_90a); tune: measure on a device, where no verdict is known, and take the fastest."""
    __slots__ = ()

    def __new__(cls, determinism=0, math=0, jit=0, backend=0, workspace_limit=2 ** 64 - 1, sku=None, fallback=False, workspace_arch=0, tune=False):
        chosen = (choice(kind, value, f"preference.{name}") for (name, kind), value in zip(_PREFERENCE.items(), (determinism, math, jit, backend)))
        return super().__new__(cls, *chosen, workspace_limit, sku, fallback, workspace_arch, tune)

    def structure(self):
        raw = structure("adj_preference")
        for name, value in zip(self._fields, self):
            setattr(raw, name, value.encode() if isinstance(value, str) else value)
        return raw


def preference_structure(preference):
    if not isinstance(preference, (Preference, type(None))):
        raise error(Status.INVALID_ARGUMENT, f"preference = {preference!r} is not an adjoint.Preference, such as "
                    "adjoint.Preference(determinism=\"shape_only\")")
    return (preference or Preference()).structure()


class Stream:
    """Where a plan runs. Obtain one from host(), wrap() or offline()."""
    __slots__ = ("raw",)

    def __init__(self, raw):
        self.raw = raw

    @classmethod
    def host(cls):
        """Ordinary memory; a run returns when its result is there."""
        return cls(lib.adj_stream_host())

    @classmethod
    def wrap(cls, handle):
        """A CUstream or cudaStream_t by its address; 0 is the legacy default stream of the thread's current device."""
        raw = _generated.adj_stream()
        check(lib.adj_stream_wrap(handle or None, ctypes.byref(raw)))
        return cls(raw)

    @classmethod
    def offline(cls, arch):
        """A device that need not exist, "sm_90a": plans can be selected and explained on it, and fail at run."""
        raw = _generated.adj_stream()
        check(lib.adj_stream_offline(arch.encode(), ctypes.byref(raw)))
        return cls(raw)

    @property
    def key(self):
        return self.raw.handle, self.raw.kind, self.raw.device, self.raw.arch

    def __repr__(self):
        kind = StreamKind(self.raw.kind).name.lower()
        return f"adjoint.Stream({kind}" + (f", device {self.raw.device}, handle {self.raw.handle or 0:#x})" if kind == "cuda" else ")")
