"""The shared library: finding it, its functions, its errors, and what a caller may ask of a kernel."""
from __future__ import annotations

import ctypes
import os
from collections import namedtuple
from pathlib import Path
from typing import Any, Tuple, Union

from . import _generated
from ._generated import (ABI_MAJOR, ABI_MINOR, FUNCTIONS, MEMBERS, RECORDS, TAGS, Backend, Determinism, Dtype, Guarantee, JitPolicy, Math, Rejection, Status,
                         StreamKind)

SONAME = f"libadjoint.so.{ABI_MAJOR}"
Array = Any  # of torch, cupy, numpy, or an array that speaks DLPack, __cuda_array_interface__ or the buffer protocol
DtypeLike = Any
Scalar = Union[float, Array]
Random = Union[int, Tuple[int, int], Array]


def _open():
    """The library that ADJOINT_LIBRARY names, else the one inside the package, else the loader's; and its path."""
    named, inside, tried = os.environ.get("ADJOINT_LIBRARY"), str(Path(__file__).parent / SONAME), []
    for path, origin in [(named, "named by ADJOINT_LIBRARY")] if named else [(inside, "inside the package"), (SONAME, "on the loader's path")]:
        try:
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

_FLAGS = {"bit_stable", "float_atomics", "from_ptx", "available"}


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


_INVALID = ("INVALID_ARGUMENT STRUCT_SIZE INVALID_PROBLEM DTYPE_MISMATCH SHAPE_MISMATCH NULL_BUFFER BUFFER_TOO_SMALL MISALIGNED ALIASING WORKSPACE_TOO_SMALL "
            "STREAM_MISMATCH NOT_FOUND INVALID_VALUE")
_KINDS: dict = {Status[name]: InvalidError for name in _INVALID.split()} | {Status.UNSUPPORTED: UnsupportedError}


def error(code, message, *more):
    return _KINDS.get(code, Error)(code, message, *more)


def text(value):
    return value.decode("utf-8", "replace") if value else ""


def enumerator(kind, number):
    """A member of an enumeration; the number itself when the library is newer and has more members than this package."""
    return kind._value2member_map_.get(number, number)


def failure(number, report=None):
    """The error of a status that a function returned just now on this thread, with the details of the error object that it gave."""
    code = enumerator(Status, number)
    if not report:
        return error(code, text(lib.adj_last_error()), lib.adj_last_native_code())
    return error(code, text(lib.adj_error_message(report)), lib.adj_error_native_code(report), text(lib.adj_error_log(report)),
                 text(lib.adj_error_options(report)), rejections_of(report))


def rejections_of(report):
    return [info(Rejection, lib.adj_error_rejection, report, i) for i in range(lib.adj_error_rejection_count(report))]


def check(number, report=None):
    """Raises the error of a status other than 0. Releases the error object."""
    try:
        if number:
            raise failure(number, report)
    finally:
        if report:
            lib.adj_error_release(report)


def structure(kind):
    """An empty structure with its header filled in."""
    return kind(header=(ctypes.sizeof(kind), TAGS[kind.__name__]))


def record(kind, raw):
    """A structure as the named tuple of that kind."""
    def value(name):
        found = getattr(raw, name + "_name" if hasattr(raw, name + "_name") else name)
        if name in MEMBERS:
            return enumerator(MEMBERS[name], found)
        return record(Guarantee, found) if name == "guarantee" else bool(found) if name in _FLAGS else found if isinstance(found, (int, float)) else text(found)
    return kind(*map(value, kind._fields))


def info(kind, function, *arguments):
    """What a function fills in, as a named tuple, or as the structure of that kind."""
    raw = structure(RECORDS.get(kind, kind))
    check(function(*arguments, ctypes.byref(raw)))
    return record(kind, raw) if kind in RECORDS else raw


check(lib.adj_abi_check(ABI_MAJOR, ABI_MINOR))

# Bytes of an element, and the names that numpy and torch have for the types.
EIGHT_BITS = {Dtype.F8_E4M3: "float8_e4m3fn", Dtype.F8_E5M2: "float8_e5m2", Dtype.F8_E8M0: "float8_e8m0fnu"}
SIZES = {d: 1 if d in EIGHT_BITS else int(d.name.strip("BFIUOL") or 8) // 8 for d in Dtype if d}
NAMES = {EIGHT_BITS.get(d) or {"BF": "bfloat", "F": "float", "I": "int", "U": "uint", "BOOL": "bool"}[d.name.rstrip("0123456789")] + d.name.lstrip("BFIUOL"): d
         for d in SIZES}
_DTYPES = {**{d.name.lower(): d for d in Dtype}, **NAMES, "float": Dtype.F32, "double": Dtype.F64, "half": Dtype.F16}


def dtype(value):
    """The Dtype of "f32", "float32", numpy.float32, torch.float32, or a Dtype."""
    if isinstance(value, int):
        return Dtype(value)
    name = value if isinstance(value, str) else getattr(value, "name", None) or getattr(value, "__name__", None) or str(value)
    found = _DTYPES.get(name.rpartition(".")[2].lower())
    if found is None:
        raise error(Status.INVALID_ARGUMENT, f"{value!r} is not an element type; use one of {', '.join(d.name.lower() for d in SIZES)}")
    return found


def choice(kind, value, about):
    """The number of an enumerator that is given by name, as a member of `kind`, or as a number."""
    if not isinstance(value, str):
        return int(value)
    if value.upper() not in kind.__members__:
        raise error(Status.INVALID_ARGUMENT, f"{about} = {value!r} is not one of {', '.join(m.name.lower() for m in kind)}")
    return int(kind[value.upper()])


class Preference(namedtuple("Preference", "determinism math jit backend workspace_limit sku fallback workspace_arch tune")):
    """Requirements of the caller on a kernel. Values are names ("run_to_run", "ieee", "cached_only", "host") or enumerators.

    determinism: least level accepted; workspace_limit: bytes; sku: a glob over SKU ids; fallback: take the next kernel when the chosen
    one does not compile or load, or its library fails; workspace_arch: on the host, as much workspace as the plan of that architecture takes
    (90 for sm_90a); tune: measure on a device, where no verdict is known, and take the fastest."""
    __slots__ = ()

    def __new__(cls, determinism: int | str = 0, math: int | str = 0, jit: int | str = 0, backend: int | str = 0, workspace_limit: int = 2 ** 64 - 1,
                sku: str | None = None, fallback: bool = False, workspace_arch: int = 0, tune: bool = False) -> Preference:
        kinds = zip(cls._fields, (Determinism, Math, JitPolicy, Backend), (determinism, math, jit, backend))
        chosen = (choice(kind, value, f"preference.{name}") for name, kind, value in kinds)
        return cls._make((*chosen, workspace_limit, sku, fallback, workspace_arch, tune))


def preference_structure(preference):
    if not isinstance(preference, (Preference, type(None))):
        raise error(Status.INVALID_ARGUMENT, f"preference = {preference!r} is not an adjoint.Preference, such as "
                    "adjoint.Preference(determinism=\"shape_only\")")
    raw = structure(_generated.adj_preference)
    for name, value in (preference or Preference())._asdict().items():
        setattr(raw, name, value.encode() if isinstance(value, str) else value)
    return raw


class Stream:
    """Where a plan runs. Obtain one from host(), wrap() or offline()."""
    __slots__ = ("raw",)

    def __init__(self, raw):
        self.raw = raw

    @classmethod
    def host(cls) -> Stream:
        """Ordinary memory; a run returns when its result is there."""
        return cls(lib.adj_stream_host())

    @classmethod
    def wrap(cls, handle: int | None) -> Stream:
        """A CUstream or cudaStream_t by its address; 0 is the legacy default stream of the thread's current device."""
        made = cls(_generated.adj_stream())
        check(lib.adj_stream_wrap(handle or None, ctypes.byref(made.raw)))
        return made

    @classmethod
    def offline(cls, arch: str) -> Stream:
        """A device that need not exist, "sm_90a": plans can be selected and explained on it, and fail at run."""
        made = cls(_generated.adj_stream())
        check(lib.adj_stream_offline(arch.encode(), ctypes.byref(made.raw)))
        return made

    def __repr__(self):
        kind = StreamKind(self.raw.kind).name.lower()
        return f"adjoint.Stream({kind}" + (f", device {self.raw.device}, handle {self.raw.handle or 0:#x})" if kind == "cuda" else ")")
