"""The shared library: finding it, its functions, its errors."""
import ctypes
import os
from collections import namedtuple
from pathlib import Path

from . import _generated
from ._generated import ABI_MAJOR, ABI_MINOR, FUNCTIONS, TAGS, Backend, Determinism, Dtype, JitPolicy, Math, Status, adj_header

SONAME = f"libadjoint.so.{ABI_MAJOR}"


def _open():
    """The library that ADJOINT_LIBRARY names, else the one inside the package, else the loader's."""
    named = os.environ.get("ADJOINT_LIBRARY")
    inside = Path(__file__).parent / SONAME
    places = [(named, "named by ADJOINT_LIBRARY")] if named else [(str(inside), "inside the package"), (SONAME, "on the loader's path")]
    tried = []
    for path, origin in places:
        if path == str(inside) and not inside.exists():
            tried.append(f"{path} ({origin}): there is no such file")
            continue
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            tried.append(f"{path} ({origin}): {error}")
    raise ImportError(f"The Adjoint library was not found. Tried {'; '.join(tried)}. Set ADJOINT_LIBRARY to the path of {SONAME}, "
                      "or install a wheel that has the library inside.")


lib, path = _open()
for _name, (_result, _parameters) in FUNCTIONS.items():
    _function = getattr(lib, _name, None)
    if _function is None:
        raise ImportError(f"{path} has no function {_name}: it is no Adjoint library, or an older one than this package was written for")
    _function.restype, _function.argtypes = _result, _parameters

# No argument types: callers pass objects that need no conversion, which saves time in every call.
plan_run = lib["adj_plan_run"]
bound_run = lib["adj_bound_run"]

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


def status_of(number):
    """The Status of a number; the number itself when the library is newer and has more statuses than this package."""
    try:
        return Status(number)
    except ValueError:
        return number


def failure(number):
    """The error of a status that a function returned just now, on this thread."""
    return error(status_of(number), text(lib.adj_last_error()), lib.adj_last_native_code())


def check(number):
    if number:
        raise failure(number)


def rejections_of(report):
    found = []
    for i in range(lib.adj_error_rejection_count(report)):
        info = structure("adj_rejection")
        check(lib.adj_error_rejection(report, i, ctypes.byref(info)))
        found.append(Rejection(text(info.sku), status_of(info.code), text(info.reason)))
    return found


def check_report(number, report):
    """Raises like check, with the details of the error object that the function gave. Releases the object."""
    try:
        if not number:
            return
        if not report:
            raise failure(number)
        raise error(status_of(number), text(lib.adj_error_message(report)), lib.adj_error_native_code(report), text(lib.adj_error_log(report)),
                    text(lib.adj_error_options(report)), rejections_of(report))
    finally:
        lib.adj_error_release(report)


def structure(name):
    """An empty structure with its header filled in."""
    kind = getattr(_generated, name)
    value = kind()
    value.header = adj_header(ctypes.sizeof(kind), TAGS[name], 0, None)
    return value


check(lib.adj_abi_check(ABI_MAJOR, ABI_MINOR))

# ---- element types and enumerations

SIZES = {Dtype.BOOL: 1, Dtype.U8: 1, Dtype.I8: 1, Dtype.F16: 2, Dtype.BF16: 2, Dtype.U16: 2, Dtype.I16: 2, Dtype.F32: 4, Dtype.I32: 4,
         Dtype.U32: 4, Dtype.F64: 8, Dtype.I64: 8, Dtype.U64: 8}
_ALIASES = {"float32": "f32", "float": "f32", "float64": "f64", "double": "f64", "float16": "f16", "half": "f16", "bfloat16": "bf16",
            "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}
_DTYPES = {d.name.lower(): d for d in Dtype}


def dtype(value):
    """The Dtype of "f32", "float32", numpy.float32, torch.float32, or a Dtype."""
    if isinstance(value, Dtype):
        return value
    if isinstance(value, int):
        return Dtype(value)
    name = value if isinstance(value, str) else getattr(value, "name", None) or getattr(value, "__name__", None) or str(value)
    name = name.rpartition(".")[2].lower()
    found = _DTYPES.get(_ALIASES.get(name, name))
    if found is None:
        raise error(Status.INVALID_ARGUMENT, f"{value!r} is not an element type; use one of {', '.join(n for n in _DTYPES if n != 'none')}")
    return found


def choice(kind, value, about):
    """The number of an enumerator that is given by name, as a member of `kind`, or as a number."""
    if not isinstance(value, str):
        return int(value)
    try:
        return int(kind[value.upper()])
    except KeyError:
        raise error(Status.INVALID_ARGUMENT, f"{about} = {value!r} is not one of {', '.join(m.name.lower() for m in kind)}") from None


# ---- a caller's requirements of a kernel

class Preference(namedtuple("Preference", "determinism math jit backend workspace_limit sku fallback")):
    """Requirements of the caller on a kernel. Values are names ("run_to_run", "ieee", "cached_only", "host") or enumerators.

    determinism: least level accepted; workspace_limit: bytes; sku: a glob over SKU ids; fallback: take the next kernel when the chosen
    one does not compile or load, or its library fails."""
    __slots__ = ()

    def __new__(cls, determinism=0, math=0, jit=0, backend=0, workspace_limit=2 ** 64 - 1, sku=None, fallback=False):
        return super().__new__(cls, choice(Determinism, determinism, "preference.determinism"), choice(Math, math, "preference.math"),
                               choice(JitPolicy, jit, "preference.jit"), choice(Backend, backend, "preference.backend"), workspace_limit, sku,
                               fallback)

    def structure(self):
        raw = structure("adj_preference")
        raw.determinism, raw.math, raw.jit, raw.backend = self.determinism, self.math, self.jit, self.backend
        raw.workspace_limit, raw.sku, raw.fallback = self.workspace_limit, self.sku.encode() if self.sku else None, int(self.fallback)
        return raw


DEFAULT_PREFERENCE = Preference()


def preference_structure(preference):
    if not isinstance(preference, (Preference, type(None))):
        raise error(Status.INVALID_ARGUMENT, f"preference = {preference!r} is not an adjoint.Preference, such as adjoint.Preference(determinism=\"shape_only\")")
    return (preference or DEFAULT_PREFERENCE).structure()


# ---- streams


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
        kind = _generated.StreamKind(self.raw.kind).name.lower()
        return f"adjoint.Stream({kind}" + (f", device {self.raw.device}, handle {self.raw.handle or 0:#x})" if kind == "cuda" else ")")
