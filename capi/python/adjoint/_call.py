"""Plans, and functions that keep a plan for every problem they have met.

Each thread keeps prepared calls: a plan, and a template of its argument structure with the defaults filled in. A call with a known problem
costs one lookup, a copy of the template with the call's own addresses and numbers, and the launch. A prepared call never changes."""
import ctypes
import struct
import threading
from collections import namedtuple
from contextlib import nullcontext
from operator import index

from . import _arrays, _generated, _shapes
from ._arrays import AWAY, BY_TYPE, View, count_of, library_of, original
from ._generated import OPERATORS, Dtype, Status, adj_header, adj_workspace
from ._library import (SIZES, Error, InvalidError, Rejection, Stream, bound_run, check, check_report, dtype, error, failure,
                       lib, plan_run, preference_structure, rejections_of, structure, text)

KEPT_CALLS = 4096  # most prepared calls of a thread; beyond, all are dropped


def operator_of(name):
    found = OPERATORS.get(name)
    if found is None:
        import difflib
        near = difflib.get_close_matches(str(name), OPERATORS, 3)
        hint = f"near it: {', '.join(near)}" if near else "adjoint.operators() lists them"
        raise error(Status.NOT_FOUND, f"{name!r} is not an operator; {hint}")
    return found


# ---- descriptors

class _Callback:
    """A C function that can be part of a key, unlike ctypes' own objects."""
    __slots__ = ("function",)

    def __init__(self, function):
        self.function = function

    def __eq__(self, other):
        return isinstance(other, _Callback) and self.function is other.function

    def __hash__(self):
        return id(self.function)


CallbackCall = namedtuple("CallbackCall", "inputs outputs context stream")
CallbackCall.__doc__ = """The arguments of a function that is called in the course of a call, to be used until it returns.

inputs and outputs have (address, bytes) of every tensor, context is the address of the argument of that name or None, stream is a Stream."""
_CALLBACKS = {("callback", "function"), ("user_kernel", "host")}  # fields whose functions take an adj_callback_call


def _thunk(function):
    """A C function that calls a Python function. An exception makes the call fail, and failed() raises it to the caller."""
    def entries(address):
        found = _generated.adj_tensor_list.from_address(address)
        pointers = (ctypes.c_void_p * found.count).from_address(found.data) if found.count else ()
        sizes = (ctypes.c_uint64 * found.count).from_address(found.bytes) if found.count else ()
        return tuple(zip(pointers, sizes))

    def call(address):
        try:
            raw = _generated.adj_callback_call.from_address(address)
            stream = _generated.adj_stream.from_buffer_copy(_generated.adj_stream.from_address(raw.stream))
            result = function(CallbackCall(entries(raw.inputs), entries(raw.outputs), raw.context, Stream(stream)))
            return 0 if result is None else int(result)
        except BaseException as raised:
            _thread.raised = raised
            return -1
    return _generated.adj_callback_function(call)


def _calls_python(value):
    """True for a function pointer that ctypes made of a Python function."""
    return isinstance(value, ctypes._CFuncPtr) and any(type(o).__name__ == "CThunkObject" for o in (value._objects or {}).values())


def failed(number):
    """The exception of a run that ended with this status: that of a Python function it called, else the library's."""
    raised, _thread.raised = _thread.raised, None
    return failure(number) if raised is None else raised


def _field_error(operator, field, value, expected):
    about = f" ({field.about})" if field.about else ""
    return error(Status.INVALID_ARGUMENT, f"{operator.name}: {field.name} = {value!r} is not {expected}{about}")


def set_field(operator, descriptor, field, value, keep):
    """Writes one field. Objects that it points to are added to keep."""
    try:
        if field.kind == "dtype":
            setattr(descriptor, field.name, int(dtype(value)))
        elif field.kind in ("i32", "i64"):
            if isinstance(value, str):
                if value not in (field.extra or ()):
                    raise _field_error(operator, field, value, f"one of {', '.join(field.extra)}" if field.extra else "an integer")
                value = field.extra.index(value)
            if int(value) != value:
                raise _field_error(operator, field, value, "an integer")
            setattr(descriptor, field.name, int(value))
        elif field.kind == "f64":
            setattr(descriptor, field.name, float(value))
        elif field.kind in ("shape", "axes"):
            raw, values = getattr(descriptor, field.name), tuple(int(v) for v in value)
            if len(values) > 8:
                raise _field_error(operator, field, value, "a list of at most 8 numbers")
            array = raw.dims if field.kind == "shape" else raw.at
            array[:] = list(values) + [0] * (8 - len(values))
            setattr(raw, "rank" if field.kind == "shape" else "count", len(values))
        elif field.kind in ("i64[]", "f64[]"):
            array = ((ctypes.c_int64 if field.kind == "i64[]" else ctypes.c_double) * len(value))(*value)
            keep.append(array)
            setattr(descriptor, field.name, ctypes.addressof(array) if len(value) else None)
            setattr(descriptor, field.extra, len(value))
        elif field.kind == "text":
            raw = None if value is None else value.encode()
            keep.append(raw)
            setattr(descriptor, field.name, raw)
        elif field.kind == "bytes":
            raw = value.encode() if isinstance(value, str) else None if value is None else bytes(memoryview(value))
            keep.append(raw)
            setattr(descriptor, field.name, ctypes.cast(raw, ctypes.c_void_p))
            setattr(descriptor, field.extra, len(raw or b""))
        else:
            value = value.function if isinstance(value, _Callback) else value
            if (operator.name, field.name) in _CALLBACKS:
                if _calls_python(value):
                    raise _field_error(operator, field, value, "a Python function as such: an exception inside a ctypes function is lost, so pass the "
                                       "function that it was made of")
                if callable(value) and not isinstance(value, ctypes._CFuncPtr):
                    value = _thunk(value)
            keep.append(value)
            setattr(descriptor, field.name, ctypes.cast(value, ctypes.c_void_p) if isinstance(value, ctypes._CFuncPtr) else value)
    except (TypeError, ValueError, AttributeError) as problem:
        if isinstance(problem, InvalidError):
            raise
        expected = {"dtype": "an element type", "f64": "a number", "i32": "an integer", "i64": "an integer", "text": "a string",
                    "bytes": "a string or bytes", "pointer": "an address or a function"}.get(field.kind, "a list of numbers")
        raise _field_error(operator, field, value, expected) from None


def make_descriptor(operator, fields):
    """(descriptor, list of the objects that it points to)"""
    descriptor, keep = operator.descriptor(), []
    check(lib.adj_op_descriptor_init(operator.id, ctypes.byref(descriptor), ctypes.sizeof(descriptor)))
    known = {f.name: f for f in operator.fields}
    for name, value in fields.items():
        field = known.get(name) or known.get(field_name(operator, name))
        if field is None:
            raise error(Status.INVALID_ARGUMENT, f"{operator.name} has no field {name}; its fields are {', '.join(known)}")
        set_field(operator, descriptor, field, value, keep)
    return descriptor, keep


_SUFFIXES = {"dtype": "_dtype", "shape": "_shape"}


def keyword_of(operator, field):
    """The keyword of a field: its name, with a suffix when an argument has the same name."""
    if any(s.name == field.name for s in operator.slots):
        return field.name + _SUFFIXES.get(field.kind, "_mode")
    return field.name


def field_name(operator, keyword):
    for field in operator.fields:
        if keyword == keyword_of(operator, field):
            return field.name
    return None


# ---- plans

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


# ---- arguments

# The function of adjoint.torch that records the gradient of an operator.
TORCH_FUNCTIONS = {"softmax_forward": "softmax", "log_softmax_forward": "log_softmax", "softmax_cross_entropy_loss": "cross_entropy",
                   "cross_entropy_with_gradient": "cross_entropy", "embedding_forward": "embedding", "layer_norm_forward": "layer_norm",
                   "rms_norm_forward": "rms_norm", "activation_forward": "activation", "gated_activation_forward": "gated_activation",
                   "dropout_forward": "dropout", "adamw": "AdamW"}


def check_places(operator, devices, stream):
    """devices: the name of the first argument on each device. Raises unless all are on one device, and work on the stream can read it."""
    places = {-1: "in ordinary memory", None: "on the current device"}
    if stream.kind == _generated.StreamKind.CUDA and None in devices:  # an array that does not say where it is
        devices = {stream.device if device is None else device: slot for device, slot in devices.items()}
    if len(devices) > 1:
        found = " and ".join(f"{slot} is {places.get(device, f'on device {device}')}" for device, slot in devices.items())
        raise error(Status.STREAM_MISMATCH, f"{operator.name}: {found}; move them to one place")
    for device, slot in devices.items():
        on_host = stream.kind == _generated.StreamKind.HOST
        if stream.kind == _generated.StreamKind.OFFLINE or on_host and device == -1:
            continue
        if on_host or device not in (None, stream.device):
            raise error(Status.STREAM_MISMATCH, f"{operator.name}: {slot} is {places.get(device, f'on device {device}')} and the stream is "
                        f"{'the host' if on_host else f'one of device {stream.device}'}; give a stream of the array's device, or none")


def describe(view):
    kind = view.dtype.name.lower() if isinstance(view.dtype, Dtype) else str(view.dtype)
    return f"{kind} {list(view.shape)}"


def checked_view(operator, slot, array, override=None, label=None, stream=None):
    """The View of an array that may serve as an argument, for work on the stream."""
    label = label or f"{operator.name}: {slot.name}"
    try:
        view = _arrays.view(array) if stream is None or library_of(array) is None else _arrays.held(array, stream.handle)
    except TypeError as problem:
        raise error(Status.INVALID_ARGUMENT, f"{label} is {problem}") from None
    if not isinstance(view.dtype, Dtype):
        raise error(Status.DTYPE_MISMATCH, f"{label} has elements of type {view.dtype}, which no operator takes; convert it")
    if override is not None and view.dtype == Dtype.U16:
        view = view._replace(dtype=override)
    if not view.contiguous:
        raise error(Status.SHAPE_MISMATCH, f"{label} of shape {list(view.shape)} is not contiguous; make a row-major copy, such as torch's "
                    "contiguous() or numpy's ascontiguousarray")
    if library_of(array).tracked(original(array)):
        instead = TORCH_FUNCTIONS.get(operator.name)
        raise error(Status.INVALID_ARGUMENT, f"{label} requires grad, and this function records no gradient; use "
                    f"{f'adjoint.torch.{instead}, ' if instead else ''}torch.no_grad() or detach()")
    if slot.role != "in" and not view.writable:
        raise error(Status.INVALID_ARGUMENT, f"{label} is an output and its array is read-only; give one that can be written")
    return view


class Arguments:
    """An argument structure and the objects that it points to."""

    def __init__(self, operator):
        self.operator, self.raw, self.keep, self.views = operator, operator.args(), [], {}
        self.raw.header = adj_header(ctypes.sizeof(operator.args), 0x20000 + operator.id, 0, None)
        for slot in operator.slots:
            if slot.kind == "scalar" and slot.default:
                getattr(self.raw, slot.name).value = slot.default
            if slot.kind == "random":
                getattr(self.raw, slot.name).offset = 2**64 - 1  # not given: a call that draws refuses it

    def tensor(self, slot, view):
        raw = getattr(self.raw, slot.name)
        raw.data, raw.bytes, raw.dtype = view.pointer, count_of(view.shape) * SIZES[view.dtype], view.dtype
        if len(view.shape) <= len(raw.shape):  # else it is left unstated
            raw.rank = len(view.shape)
            raw.shape[:raw.rank] = view.shape
        return raw

    def list(self, slot, views):
        raw, count = getattr(self.raw, slot.name), len(views)
        kinds = {v.dtype for v in views}
        if len(kinds) > 1:
            raise error(Status.DTYPE_MISMATCH, f"{self.operator.name}: {slot.name} has tensors of the types "
                        f"{', '.join(sorted(k.name.lower() for k in kinds))}; a list has one, so call once for each")
        pointers = (ctypes.c_void_p * count)(*[v.pointer for v in views])
        sizes = (ctypes.c_uint64 * count)(*[count_of(v.shape) * SIZES[v.dtype] for v in views])
        self.keep += [pointers, sizes]
        raw.count, raw.dtype = count, kinds.pop() if kinds else 0
        raw.data, raw.bytes = ctypes.addressof(pointers), ctypes.addressof(sizes)
        return raw, pointers

    def set(self, arguments, plan):
        """Fills in every argument by name, for a single call on the plan's stream. Returns a context manager that makes the stream current."""
        known, stream, devices, first = {s.name: s for s in self.operator.slots}, plan.stream, {}, None
        self.written, self.place = [], (_arrays.Library(), None)
        for name, value in arguments.items():
            slot = known.get(name)
            if slot is None:
                raise error(Status.INVALID_ARGUMENT, f"{self.operator.name} has no argument {name}; its arguments are {', '.join(known)}")
            if value is None:
                continue
            if slot.kind == "handle":
                setattr(self.raw, name, value)
                continue
            written = _shapes.is_written(self.operator, slot, plan.descriptor)
            if slot.kind in ("scalar", "random"):
                raw = getattr(self.raw, name)
                words, owner = scalar_words(self.operator, slot, value, stream, written)
                if slot.kind == "random":
                    raw.seed, raw.offset, raw.device = words
                else:
                    raw.value, raw.device, raw.dtype = words
                self.keep.append(owner)
                arrays = (value,) if written and owner is not None else ()
            elif slot.kind == "tensor":
                self.views[name] = checked_view(self.operator, slot, value, None, None, stream)
                self.tensor(slot, self.views[name])
                arrays = (value,)
            else:
                arrays = tuple(value)
                self.views[name] = [checked_view(self.operator, slot, v, None, f"{self.operator.name}: {name}[{i}]", stream)
                                    for i, v in enumerate(arrays)]
                self.list(slot, self.views[name])
            if not slot.host and name in self.views:
                first = first if first is not None else next(iter(arrays), None)
                for view in self.views[name] if slot.kind == "list" else (self.views[name],):
                    devices.setdefault(view.device, name)
            if written:
                self.written += versions_of(arrays)
        check_places(self.operator, devices, stream)
        if first is None:
            return nullcontext()
        self.place = library_of(first), first
        return self.place[0].on(first, stream.handle) if stream.kind == _generated.StreamKind.CUDA else nullcontext()

    def workspace(self, given, size, stream):
        """(workspace, owner): `given`, or new memory of size bytes. The stream is current."""
        if given is not None:
            return given_workspace(self.operator, given, size, stream)
        scratch = adj_workspace()
        if size == 0:
            return scratch, None
        library, first = self.place
        if first is None and stream.kind != _generated.StreamKind.HOST:
            raise error(Status.WORKSPACE_TOO_SMALL, f"{self.operator.name}: a workspace of {size} bytes is needed, and no array is given to allocate "
                        "it like; pass workspace=")
        scratch.data, owner = library.workspace(first, size)
        scratch.bytes = size
        return scratch, owner


WORKSPACE = _generated.Slot("workspace", "tensor", "out", "optional", False, None, None, None, None, (), "")


def given_workspace(operator, given, size, stream):
    """(workspace, owner) of the caller's memory for `size` bytes."""
    view, scratch = checked_view(operator, WORKSPACE, given, None, None, stream), adj_workspace()
    if size:
        check_places(operator, {view.device: "workspace"}, stream)
    end = (view.pointer or 0) + count_of(view.shape) * SIZES[view.dtype]
    scratch.data = ((view.pointer or 0) + 255) & ~255
    scratch.bytes = max(end - (scratch.data or 0), 0)
    return scratch, view


def versions_of(arrays):
    """[(library, arrays)] of the arrays whose library counts writes."""
    found = {}
    for a in arrays:
        a = original(a)
        library = library_of(a)
        if library is not None and library.versions:
            found.setdefault(library, []).append(a)
    return [(library, tuple(of)) for library, of in found.items()]


def scalar_words(operator, slot, value, stream, written=False):
    """((value, address, type) or (seed, offset, address) of a scalar or random state, the object that keeps the memory or None).

    value is a number, or an array of one element that is read in stream order; for a random state also (seed, offset), or an array of both. On a
    device, an array in ordinary memory is passed by its value."""
    random = slot.kind == "random"
    if not random and isinstance(value, (int, float)):
        return (float(value), 0, 0), None
    library = None if isinstance(value, (int, str, tuple, list)) else library_of(value)
    if library is not None:
        view = checked_view(operator, slot if written else slot._replace(role="in"), value, None, None, stream)
        if count_of(view.shape) != (2 if random else 1):
            expected = "a pair of numbers or an array of both, seed and offset" if random else "a number or an array of one element"
            raise error(Status.SHAPE_MISMATCH, f"{operator.name}: {slot.name} has the shape {list(view.shape)}; give {expected}")
        if random and view.dtype not in (Dtype.I64, Dtype.U64):
            raise error(Status.DTYPE_MISMATCH, f"{operator.name}: {slot.name} has elements of type {view.dtype.name.lower()}, expected i64 or u64")
        if view.device == -1 and stream.kind != _generated.StreamKind.HOST and written:
            raise error(Status.STREAM_MISMATCH, f"{operator.name}: {slot.name} is in ordinary memory and is advanced on a device; give an array on that "
                        "device")
        if view.device != -1 or stream.kind == _generated.StreamKind.HOST:
            check_places(operator, {view.device: slot.name}, stream)
            return ((0, 0, view.pointer) if random else (0.0, view.pointer, int(view.dtype))), view
        if random:
            return (*(ctypes.c_uint64 * 2).from_address(view.pointer), 0), None
    try:
        if random:
            seed, offset = value if isinstance(value, (tuple, list)) else (value, 0)
            return (index(seed) & _WORD, index(offset) & _WORD, 0), None
        return (float(value.item() if hasattr(value, "item") else value), 0, 0), None
    except (TypeError, ValueError):
        expected = "a pair of integers, seed and offset, or an array of both" if random else "a number"
        raise error(Status.INVALID_ARGUMENT, f"{operator.name}: {slot.name} = {value!r} is not {expected}") from None


_WORD = 2 ** 64 - 1


# ---- functions

class _Thread(threading.local):
    def __init__(self):
        self.calls, self.scratch, self.raised = {}, {}, None


_thread = _Thread()


def forget_plans():
    """Drops the plans and workspaces that functions keep for this thread."""
    _thread.calls.clear()
    _thread.scratch.clear()


class Problem:
    """A problem under construction. A builder reads the views of the inputs, fills in `fields`, and describes `outputs`."""

    def __init__(self, operator, views, given, scalars):
        self.operator, self.views, self.given, self.scalars = operator, views, given, scalars
        self.fields, self.outputs, self.generic = {}, {}, False

    def __getitem__(self, name):
        return self.views.get(name)

    def fail(self, sentence, code=Status.SHAPE_MISMATCH):
        raise error(code, f"{self.operator.name}: {sentence}")

    def same_shape(self, name, other):
        a, b = self.views.get(name), self.views[other]
        if a is not None and a.shape != b.shape:
            self.fail(f"{name} has the shape {list(a.shape)} and {other} {list(b.shape)}; they must be equal")

    def shape(self, name, expected, about):
        a = self.views.get(name)
        if a is not None and a.shape != tuple(expected):
            self.fail(f"{name} has the shape {list(a.shape)}, expected {list(expected)} ({about})")

    def axis(self, axis, name):
        rank = len(self.views[name].shape)
        if not isinstance(axis, int) or not -rank <= axis < rank:
            self.fail(f"axis = {axis!r} is not in [{-rank}, {rank}), {name} having {rank} dimensions", Status.INVALID_ARGUMENT)
        return axis % rank

    def floating(self, name):
        view = self.views[name]
        if view.dtype not in (Dtype.F32, Dtype.F64, Dtype.F16, Dtype.BF16):
            hint = "; pass dtype=\"bf16\" where uint16 elements are the bits of bfloat16" if view.dtype == Dtype.U16 else ""
            self.fail(f"{name} has elements of type {view.dtype.name.lower()}, expected f32, f64, f16 or bf16{hint}", Status.DTYPE_MISMATCH)
        return view.dtype


_OPTIONS = {"stream", "preference", "dtype", "workspace", "_verb"}
RULE = "*"  # description of an output whose shape and type follow from the descriptor


class _Call:
    """A prepared call. Nothing in it changes after its preparation.

    pack: makes the argument structure of its values. values: a list of constant pieces, addresses and numbers, with the defaults of what may be
    left out. The places of tensors, lists, scalars and host outputs are indices of values, 0 for what is absent or of another kind."""
    __slots__ = ("plan", "pack", "values", "inputs", "outputs", "lists", "others", "hosts", "make", "scalars", "written", "handle", "stream", "size",
                 "scratch", "alike", "more", "single", "collect", "keep")


class Function:
    """An operator with a fixed order of inputs, outputs and scalars. It is called with a tuple of each, and parameters for its builder.

    A list argument is a tuple of arrays. An output is an array, True to ask for it, or None to leave it to the builder."""

    def __init__(self, name, inputs, outputs, build, scalars=(), collect=None):
        self.operator = OPERATORS[name]
        slots = {s.name: s for s in self.operator.slots}
        self.inputs, self.outputs, self.scalars = [slots[n] for n in inputs], [slots[n] for n in outputs], [slots[n] for n in scalars]
        self.build, self.collect = build, collect

    def __call__(self, inputs, outputs, parameters=(), options=None, scalars=()):
        first = inputs[0] if inputs else None
        library = BY_TYPE.get(type(first))
        if library is None:
            first = self.first_array(inputs, outputs)
            library = self.library(first, inputs, outputs)
        if options or library.foreign:
            unknown = (options or {}).keys() - _OPTIONS
            if unknown:
                raise TypeError(f"{self.operator.name}: there is no parameter {sorted(unknown)[0]}")
            if library.foreign or "stream" in options or "_verb" in options:
                return self.call_with_options(library, first, inputs, outputs, parameters, options or {}, scalars)
        handle = library.stream(first)
        if handle is not AWAY:
            return self.run(library, first, handle, None, inputs, outputs, parameters, options, scalars)
        with library.visit(first):
            return self.run(library, first, library.stream(first), None, inputs, outputs, parameters, options, scalars)

    def run(self, library, first, handle, stream, inputs, outputs, parameters, options, scalars):
        """One call. The device of the first array is current. stream: the Stream to run on, or None for the library's own, whose handle is given."""
        try:
            key = (self, parameters, handle, library.keys(inputs), library.keys(outputs))
            if options:
                key = (*key, options.get("preference"), str(options.get("dtype")), stream and stream.key)
            call = _thread.calls.get(key)
        except (AttributeError, TypeError, RuntimeError) as problem:
            raise self.bad(inputs, outputs, parameters, problem) from None
        if call is None:
            raw = library.wrap(first, handle) if stream is None else stream.raw
            call = self.prepare(library, first, raw, inputs, outputs, parameters, options or {}, scalars)
            if len(_thread.calls) >= KEPT_CALLS:
                _thread.calls.clear()
            _thread.calls[key] = call
        outputs = [make(inputs) if make is not None and (a is None or a is True) else a for a, make in zip(outputs, call.make)]
        values, owners = call.values.copy(), None
        try:
            library.fill(values, call.inputs, inputs)
            library.fill(values, call.outputs, outputs)
            if call.more:
                owners = self.fill(call, values, library, inputs, outputs, scalars)
        except (AttributeError, TypeError, RuntimeError) as problem:
            raise self.bad(inputs, outputs, parameters, problem) from None
        if options and options.get("workspace") is not None:
            scratch, owner = given_workspace(self.operator, options["workspace"], call.size, call.plan.stream)
            workspace = ctypes.byref(scratch)
        else:
            workspace = self.workspace(call, library, first) if call.size else None
        status = plan_run(call.handle, call.stream, workspace, call.pack(*values))
        if status:
            raise failed(status)
        if call.written:
            self.tell(call, library, inputs, outputs, scalars)
        if library.foreign:
            outputs = [original(a) for a in outputs]
        if call.single is not None:
            return outputs[call.single]
        return call.collect(outputs)

    def fill(self, call, values, library, inputs, outputs, scalars):
        """Fills in what is no single array of the library. Returns objects to keep alive while the call is in use."""
        owners = []
        for place, is_output, i in call.lists:
            arrays = (outputs if is_output else inputs)[i]
            pointers = (ctypes.c_void_p * len(arrays))(*library.addresses(arrays))
            values[place] = ctypes.addressof(pointers)
            owners.append(pointers)
        for place, is_output, i in call.others:
            array = (outputs if is_output else inputs)[i]
            library_of(array).fill(values, (place,), (array,))
        for place, i in call.hosts:
            values[place] = ctypes.addressof(outputs[i].memory)
        for (slot, place, written), value in zip(call.scalars, scalars):
            if type(value) is float and slot.kind == "scalar":
                values[place:place + 3] = value, 0, 0
            elif value is None:
                continue
            elif slot.kind == "handle":
                values[place] = getattr(value, "value", value) or 0
            else:
                values[place:place + 3], owner = scalar_words(self.operator, slot, value, call.plan.stream, written)
                owners.append(owner)
        return owners

    @staticmethod
    def tell(call, library, inputs, outputs, scalars):
        """Tells the libraries of the written arrays."""
        found, given = [], (inputs, outputs, scalars)
        for which, i in call.written:
            a = given[which][i]
            if type(a) is tuple or type(a) is list:
                found += a
            elif a is not None and not isinstance(a, (int, float)):
                found.append(a)
        if call.alike:
            library.wrote(found)
        else:
            tell(versions_of(found))

    @staticmethod
    def workspace(call, library, first):
        """Reference to scratch memory, which the thread's calls on one stream share. The stream is current. A CUDA graph gets memory of its own."""
        if call.plan.stream.kind == _generated.StreamKind.CUDA and library.capturing():
            return _new_scratch(library, first, call.size)
        found = _thread.scratch.get(call.scratch)
        if found is None or found[0] < call.size:
            room = 1 << max(call.size - 1, 4095).bit_length()
            found = _thread.scratch[call.scratch] = room, _new_scratch(library, first, room)
        return found[1]

    # -- the first call of a problem

    def first_array(self, inputs, outputs):
        for a in (*inputs, *outputs):
            while type(a) is tuple:
                a = a[0] if a else None
            if a is not None and a is not True:
                return a
        raise error(Status.NULL_BUFFER, f"{self.operator.name}: no array is given; its arguments are "
                    f"{', '.join(s.name for s in (*self.inputs, *self.outputs))}")

    def library(self, first, inputs, outputs):
        library = library_of(first)
        if library is None:
            self.name_bad(inputs, outputs)
        return library

    def arguments(self, inputs, outputs):
        """(slot, label, array) of every array that is given."""
        for slot, a in (*zip(self.inputs, inputs), *zip(self.outputs, outputs)):
            if type(a) is tuple:
                self.check_kind(slot, a)
                yield from ((slot, f"{self.operator.name}: {slot.name}[{i}]", x) for i, x in enumerate(a))
            elif a is not None and a is not True:
                yield slot, f"{self.operator.name}: {slot.name}", a

    def name_bad(self, inputs, outputs):
        """Raises for the first argument that cannot serve as an array."""
        for slot, label, a in self.arguments(inputs, outputs):
            checked_view(self.operator, slot, a, None, label)

    def bad(self, inputs, outputs, parameters, problem):
        """The error for a call that ended with `problem`: an argument that cannot be used (raised), a parameter that cannot be looked up, arrays of
        several libraries, or else the problem itself."""
        if isinstance(problem, Error):
            return problem
        self.name_bad(inputs, outputs)
        for value in parameters:
            try:
                hash(value)
            except TypeError:
                return error(Status.INVALID_ARGUMENT, f"{self.operator.name}: {value!r} of type {type(value).__name__} is given where a "
                             "number, a string or a tuple is expected")
        kinds = {}
        for slot, label, a in self.arguments(inputs, outputs):
            kinds.setdefault(library_of(a).name, slot.name)
        if len(kinds) < 2:
            return problem
        found = " and ".join(f"{slot} is an array of {kind}" for kind, slot in kinds.items())
        return error(Status.INVALID_ARGUMENT, f"{self.operator.name}: {found}; give all of one library")

    def check_kind(self, slot, a):
        if (slot.kind == "list") != (type(a) is tuple):
            expected = "a list of arrays" if slot.kind == "list" else "an array"
            raise error(Status.INVALID_ARGUMENT, f"{self.operator.name}: {slot.name} is a {'list' if type(a) is tuple else type(a).__name__}, "
                        f"expected {expected}")

    def views(self, slots, arrays, override, devices):
        """{argument: its view, or the views of its list}. Adds to devices the name of the first argument on each device."""
        found = {}
        for slot, a in zip(slots, arrays):
            if a is None or a is True:
                continue
            label = f"{self.operator.name}: {slot.name}"
            self.check_kind(slot, a)
            if slot.kind == "list":
                found[slot.name] = [checked_view(self.operator, slot, x, override, f"{label}[{i}]") for i, x in enumerate(a)]
            else:
                found[slot.name] = checked_view(self.operator, slot, a, override)
            for view in () if slot.host else found[slot.name] if slot.kind == "list" else (found[slot.name],):
                devices.setdefault(view.device, slot.name)
        return found

    def problem(self, stream, inputs, outputs, parameters, options, scalars):
        """(Problem, descriptor, objects that it points to), checked as far as possible without the library."""
        name, override = self.operator.name, None
        if options.get("dtype") is not None:
            override = dtype(options["dtype"])
            if override not in (Dtype.BF16, Dtype.F16):
                raise error(Status.INVALID_ARGUMENT, f"{name}: dtype = {override.name.lower()!r} is not bf16 or f16; it says what uint16 "
                            "elements stand for")
        devices = {}
        views = self.views(self.inputs, inputs, override, devices)
        given = self.views(self.outputs, outputs, override, devices)
        check_places(self.operator, devices, stream)
        for slot, a in zip(self.inputs, inputs):
            if a is True:
                raise error(Status.INVALID_ARGUMENT, f"{name}: {slot.name} = True asks for an output, and {slot.name} is an input; give an array")
            if a is None and slot.presence == "always" and "optional" not in slot.about:
                raise error(Status.NULL_BUFFER, f"{name}: {slot.name} is None; give {'a list of arrays' if slot.kind == 'list' else 'an array'}")
        problem = Problem(self.operator, views, given, dict(zip((s.name for s in self.scalars), scalars)))
        self.build(problem, *parameters)
        descriptor, keep = make_descriptor(self.operator, problem.fields)
        asked = {slot.name for slot, a in zip(self.outputs, outputs) if a is True}
        for slot in self.outputs:
            spec = problem.outputs.get(slot.name)
            if spec is RULE or problem.generic and (slot.name in given or slot.name in asked or _shapes.wanted(self.operator, slot, descriptor)):
                spec = self.ruled(problem, slot, descriptor)
            if isinstance(spec, str):
                spec = (spec, views[spec].shape, views[spec].dtype)  # like the input of this name
            if spec is None and slot.name in asked:
                raise error(Status.INVALID_ARGUMENT, f"{name}: {slot.name} = True; its shape does not follow from the other arguments, so give "
                            "an array")
            if spec is not None and slot.name in given:
                self.check_given(problem, slot, spec)
            problem.outputs[slot.name] = spec
        if problem.generic:
            self.check_inputs(problem, descriptor)
        return problem, descriptor, keep

    def ruled(self, problem, slot, descriptor):
        try:
            spec = _shapes.output(self.operator, slot, descriptor)
        except (ValueError, IndexError, ZeroDivisionError):  # a descriptor that the library will refuse
            return None
        if spec is None and slot.name not in problem.given:
            raise error(Status.NULL_BUFFER, f"{self.operator.name}: {slot.name} must be given; its shape does not follow from the other "
                        f"arguments ({slot.about})")
        if slot.kind == "list" and spec is not None:  # shaped like the first list of inputs with the same counts
            for views in problem.views.values():
                if isinstance(views, list) and [count_of(v.shape) for v in views] == [count_of(shape) for shape, _ in spec]:
                    return [(v.shape, kind) for v, (_, kind) in zip(views, spec)]
        return spec

    def check_given(self, problem, slot, spec):
        view = problem.given[slot.name]
        if isinstance(spec, list):
            counts = [count_of(s) for s, _ in spec], [count_of(v.shape) for v in view]
            if counts[0] != counts[1]:
                problem.fail(f"{slot.name} has tensors of {counts[1]} elements, expected {counts[0]}")
            return
        expected = spec[-2]
        if view.shape != tuple(expected) and not (problem.generic and count_of(view.shape) == count_of(expected)):
            problem.fail(f"{slot.name} has the shape {list(view.shape)}, expected {list(expected)}")

    def check_inputs(self, problem, descriptor):
        for slot in self.inputs:
            view = problem.views.get(slot.name)
            if view is not None and slot.kind == "list":
                counts, expected = [count_of(v.shape) for v in view], _shapes.list_counts(self.operator, slot, descriptor)
                if expected is not None and len(counts) == len(expected) and counts != expected:
                    problem.fail(f"{slot.name} has tensors of {counts} elements, expected {expected} ({slot.about})")
            if view is None or slot.kind != "tensor" or slot.dims is None:
                continue
            try:
                expected = _shapes.stated_shape(slot.dims, descriptor)
            except (AttributeError, KeyError):
                continue
            if min(expected, default=0) >= 0 and count_of(view.shape) != count_of(expected):
                fields = [d for d in slot.dims if isinstance(d, str) and hasattr(descriptor, d)]
                problem.fail(f"{slot.name} has the shape {list(view.shape)}, expected {list(expected)} ({slot.about})" +
                             (f"; set {', '.join(fields)}" if fields else ""))

    def prepare(self, library, first, stream, inputs, outputs, parameters, options, scalars):
        problem, descriptor, keep = self.problem(stream, inputs, outputs, parameters, options, scalars)
        call, args = _Call(), Arguments(self.operator)
        # Threads that call with the same shapes share a plan.
        call.plan = Plan(self.operator, stream, descriptor, keep, options.get("preference"), lib.adj_plan_acquire)
        call.make, call.written, present, filled = [], [], [], []  # filled: (slot, kind, True for an output, index)
        for i, slot in enumerate(self.inputs):
            view = problem.views.get(slot.name)
            if view is None:
                continue
            args.list(slot, view) if slot.kind == "list" else args.tensor(slot, view)
            filled.append((slot, "list" if slot.kind == "list" else "other" if slot.host else "tensor", False, i))
            if _shapes.is_written(self.operator, slot, descriptor):
                call.written.append((0, i))
        for i, slot in enumerate(self.outputs):
            make, kind, spec = None, "list" if slot.kind == "list" else "other" if slot.host else "tensor", problem.outputs[slot.name]
            view = problem.given.get(slot.name)
            if view is not None:
                if _shapes.is_written(self.operator, slot, descriptor):
                    call.written.append((1, i))
            elif spec is not None:
                if slot.host:
                    view, make, kind = View(None, *spec, -1, True, True), self.host_maker(*spec), "host"
                elif slot.kind == "list":
                    makers = [library.maker(shape, dtype, first, slot.role != "out") for shape, dtype in spec]
                    view = [View(None, shape, dtype, -1, True, True) for shape, dtype in spec]
                    make = lambda inputs, makers=makers: [m() for m in makers]  # noqa: E731
                elif len(spec) == 3:
                    view, make = problem.views[spec[0]], self.copier(library, spec[0])
                else:
                    maker = library.maker(*spec, first, slot.role != "out")
                    view, make = View(None, *spec, -1, True, True), lambda inputs, maker=maker: maker()
            if view is not None:
                args.list(slot, view) if slot.kind == "list" else args.tensor(slot, view)
                filled.append((slot, kind, True, i))
                present.append(i)
            call.make.append(make)
        for i, slot in enumerate(self.scalars):
            filled.append((slot, slot.kind, False, i))
            if _shapes.is_written(self.operator, slot, descriptor):
                call.written.append((2, i))
        self.template(call, args, filled, descriptor)
        call.more = bool(call.lists or call.others or call.hosts or call.scalars)
        slots = self.inputs, self.outputs, self.scalars
        call.alike = not library.foreign and not any(which == 2 or slots[which][i].host for which, i in call.written)
        if call.alike and not library.versions:
            call.written = ()
        call.single = present[0] if len(present) == 1 and self.collect is not tuple and not self.outputs[present[0]].host else None
        call.collect = self.collector(present)
        call.size, call.scratch = call.plan.workspace_size, (library.name, stream.handle, stream.kind, stream.device)
        call.handle, call.stream, call.keep = call.plan.handle, ctypes.byref(call.plan.stream), args.keep
        return call

    def template(self, call, args, filled, descriptor):
        """Splits the argument structure into constant pieces and the values that a call fills in, in the order of their offsets."""
        kind = self.operator.args
        raw, formats, values, end = bytes(args.raw), [], [], 0
        places = {}
        for slot, what, is_output, i in sorted(filled, key=lambda f: getattr(kind, f[0].name).offset):
            offset = getattr(kind, slot.name).offset
            if what == "list":
                offset += _generated.adj_tensor_list.data.offset
            code = {"scalar": "dQQ", "random": "QQQ"}.get(what, "Q")
            formats.append(f"{offset - end}s{code}")
            values.append(raw[end:offset])
            places[is_output, i, what in ("scalar", "random", "handle")] = len(values)
            end = offset + 8 * len(code)
            values += struct.unpack("=" + code, raw[offset:end])
        formats.append(f"{len(raw) - end}s")
        values.append(raw[end:])
        call.pack, call.values = struct.Struct("=" + "".join(formats)).pack, values
        found = [(what, places[is_output, i, what in ("scalar", "random", "handle")], is_output, i) for _, what, is_output, i in filled]
        tensors = {(is_output, i): place for what, place, is_output, i in found if what == "tensor"}
        call.inputs = tuple(tensors.get((False, i), 0) for i in range(len(self.inputs)))
        call.outputs = tuple(tensors.get((True, i), 0) for i in range(len(self.outputs)))
        call.lists = tuple((place, is_output, i) for what, place, is_output, i in found if what == "list")
        call.others = tuple((place, is_output, i) for what, place, is_output, i in found if what == "other")
        call.hosts = tuple((place, i) for what, place, is_output, i in found if what == "host")
        call.scalars = tuple((slot, places[False, i, True], _shapes.is_written(self.operator, slot, descriptor)) for i, slot in enumerate(self.scalars))

    @staticmethod
    def host_maker(shape, kind):
        """Makes outputs in ordinary memory, which come back as integers."""
        memory = (ctypes.c_bool if kind == Dtype.BOOL else ctypes.c_int64) * count_of(shape)
        return lambda inputs: _HostResult(memory())

    def copier(self, library, name):
        position, like = next(i for i, s in enumerate(self.inputs) if s.name == name), library.like
        return lambda inputs: like(inputs[position])

    def collector(self, present):
        if self.collect is tuple:
            return tuple
        if not present:
            return lambda outputs: None
        if len(present) == 1:
            return lambda outputs: _plain(outputs[present[0]])
        if self.collect == "named":
            kind = namedtuple(camel(self.operator.name), [self.outputs[i].name for i in present])
            return lambda outputs: kind(*(_plain(outputs[i]) for i in present))
        return lambda outputs: tuple(outputs[i] for i in present)

    # -- options

    def call_with_options(self, library, first, inputs, outputs, parameters, options, scalars):
        stream, verb, handle = options.get("stream"), options.get("_verb"), None
        try:
            if library.foreign:
                handle = library.place(self.flat(inputs, outputs), self.operator.name) if stream is None else \
                    stream.raw.handle if isinstance(stream, Stream) else stream
                inputs, outputs = library.hold(inputs, handle), library.hold(outputs, handle)
                first = self.first_array(inputs, outputs)
            if stream is None:
                guard = library.visit(first)
            elif isinstance(stream, Stream):
                on_device = stream.raw.kind == _generated.StreamKind.CUDA
                check_places(self.operator, {library.device(first): self.name_of(first, inputs, outputs)}, stream.raw)
                guard = library.on(first, stream.raw.handle) if on_device else nullcontext()
            elif library.device(first) == -1:
                raise error(Status.STREAM_MISMATCH, f"{self.operator.name}: stream = {stream!r} is given for arrays in ordinary memory; leave it out")
            else:
                guard = library.on(first, int(stream))
        except (AttributeError, TypeError, RuntimeError) as problem:
            raise self.bad(inputs, outputs, parameters, problem) from None
        with guard:
            if not isinstance(stream, Stream):
                handle = int(stream) if stream is not None else handle if library.foreign else library.stream(first)
                stream = Stream(library.wrap(first, handle))
            if not verb:
                return self.run(library, first, stream.raw.handle, stream, inputs, outputs, parameters, {**options, "stream": stream}, scalars)
            if verb == "bind":
                call = self.prepare(library, first, stream.raw, inputs, outputs, parameters, options, scalars)
                return self.bind(call, library, first, inputs, outputs, options, scalars)
            # Nothing runs, so no gradient is lost.
            with library.untracked():
                return self.look(verb, library, first, stream.raw, inputs, outputs, parameters, options, scalars)

    def look(self, verb, library, first, stream, inputs, outputs, parameters, options, scalars):
        """The candidates for a call, or its plan."""
        if verb == "explain":
            problem, descriptor, keep = self.problem(stream, inputs, outputs, parameters, options, scalars)
            return explain_descriptor(stream, descriptor, options.get("preference"))
        return self.prepare(library, first, stream, inputs, outputs, parameters, options, scalars).plan

    def flat(self, inputs, outputs):
        """Every array of a call."""
        return [a for _, _, a in self.arguments(inputs, outputs)]

    def name_of(self, array, inputs, outputs):
        return next((slot.name for slot, _, a in self.arguments(inputs, outputs) if a is array), "an array")

    def bind(self, call, library, first, inputs, outputs, options, scalars):
        outputs = [make(inputs) if make is not None and (a is None or a is True) else a for a, make in zip(outputs, call.make)]
        values = call.values.copy()
        library.fill(values, call.inputs, inputs)
        library.fill(values, call.outputs, outputs)
        owners = self.fill(call, values, library, inputs, outputs, scalars)
        scratch, owner, size = adj_workspace(), None, call.plan.info.bind_workspace_size
        if options.get("workspace") is not None:
            scratch, owner = given_workspace(self.operator, options["workspace"], size, call.plan.stream)
        elif size:
            scratch.data, owner = library.workspace(first, size)
            scratch.bytes = size
        results = [original(a) for a in outputs]
        result, collect = None, None
        if call.single is not None:
            result = results[call.single]
        elif call.hosts:  # read after each run
            collect = lambda: call.collect(results)  # noqa: E731
        else:
            result = call.collect(results)
        slots = (self.inputs, inputs), (self.outputs, outputs), (self.scalars, scalars)
        written = [a for slots, arrays in slots for slot, x in zip(slots, arrays) if _shapes.is_written(self.operator, slot, call.plan.descriptor)
                   for a in (x if type(x) in (tuple, list) else (x,)) if a is not None and not isinstance(a, (bool, int, float, _HostResult))]
        return Bound(call.plan, scratch, call.pack(*values), result, collect, versions_of(written), (library, first),
                     (owner, owners, call, inputs, outputs, scalars))


def _new_scratch(library, first, size):
    """Reference to new scratch memory, which it keeps alive."""
    raw = adj_workspace()
    raw.data, raw.owner = library.workspace(first, size)
    raw.bytes = size
    return ctypes.byref(raw)


class _HostResult:
    """An output in ordinary memory, read when the call is done."""

    def __init__(self, memory):
        self.memory = memory


def _plain(output):
    if isinstance(output, _HostResult):
        values = tuple(output.memory)
        return values[0] if len(values) == 1 else values
    return output


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


# ---- every operator by keyword

def _infer(problem, fields):
    """Fills in fields that the caller left out and that follow from the arguments: types, extents, lengths of lists, and fields that depend on an
    argument's presence."""
    operator, views = problem.operator, {**problem.given, **problem.views}
    kinds = {f.name: f.kind for f in operator.fields}
    lists = {f.name: f.extra for f in operator.fields if f.kind == "i64[]"}

    def put(name, value):
        if name in kinds and name not in fields:
            fields[name] = value

    for slot in operator.slots:
        view = views.get(slot.name)
        if view is None:
            continue
        if slot.condition and slot.role == "in":
            put(*slot.condition)
        if slot.kind == "list":
            name = _shapes.LIST_DTYPES.get(slot.name, "element")
            if view and kinds.get(name) == "dtype":
                put(name, view[0].dtype)
            counts = [count_of(v.shape) for v in view]
            if slot.role == "in" or slot.name in ("params", "grads", "outputs", "tensors"):
                put("numel", counts)
            if slot.name in ("inputs", "outputs") and slot.name[:-1] + "_numel" in lists:
                put(slot.name[:-1] + "_numel", counts)
            around = fields.get("outer", 1) * fields.get("inner", 1)  # of an axis that the tensors are joined along
            if "lengths" in lists and around > 0 and all(n % around == 0 for n in counts):
                put("lengths", [n // around for n in counts])
            continue
        if slot.dtype and kinds.get(slot.dtype) == "dtype":
            put(slot.dtype, view.dtype)
        elif slot.dtype is None and slot.role == "in":
            put("element", view.dtype)
        if slot.dims is None:
            continue
        if len(slot.dims) == 1:
            name = slot.dims[0]
            if isinstance(name, str):
                put(name, count_of(view.shape))
            elif isinstance(name, tuple) and name[0] == "*":
                put(name[1], view.shape)
        elif len(slot.dims) == len(view.shape):
            for name, extent in zip(slot.dims, view.shape):
                if isinstance(name, str):
                    put(name, extent)
                elif isinstance(name, tuple) and extent % name[0] == 0:
                    put(name[1], extent // name[0])


def _build_generic(problem, *items):
    fields = dict(items)
    _infer(problem, fields)
    problem.fields.update(fields)
    problem.generic = True


def signed(value):
    """The value, or a text in place of -0.0, which is another parameter than 0.0 and equal to it."""
    return "-0.0" if type(value) is float and value == 0 and str(value) == "-0.0" else value


class Generic:
    """An operator by keywords: its arguments, the fields of its descriptor, and the options of every function."""

    def __init__(self, operator):
        self.operator = operator
        tensors = [s for s in operator.slots if s.kind in ("tensor", "list")]
        outputs = [s for s in tensors if s.role == "out" or s.role == "in/out" and s.kind == "tensor"]
        self.inputs, self.outputs = [s.name for s in tensors if s not in outputs], [s.name for s in outputs]
        self.scalars = [s for s in operator.slots if s.kind not in ("tensor", "list")]
        self.defaults = {s.name: s.default for s in self.scalars}
        self.fields = {keyword_of(operator, f): f.name for f in operator.fields}
        self.function = Function(operator.name, self.inputs, self.outputs, _build_generic, [s.name for s in self.scalars], "named")

    def __call__(self, **keywords):
        inputs = tuple(_frozen(keywords.pop(n, None)) for n in self.inputs)
        outputs = tuple(_frozen(keywords.pop(n, None)) for n in self.outputs)
        scalars = tuple(keywords.pop(n, d) for n, d in self.defaults.items())
        options = {n: keywords.pop(n) for n in ("stream", "preference", "dtype", "workspace", "_verb") if n in keywords}
        options = {n: value for n, value in options.items() if value is not None}
        parameters = []
        for name, value in keywords.items():
            field = self.fields.get(name)
            if field is None:
                known = [*self.inputs, *self.outputs, *self.defaults, *self.fields]
                import difflib
                near = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]}?" if near else "."
                raise error(Status.INVALID_ARGUMENT, f"{self.operator.name} has no argument or field {name}{hint} They are {', '.join(known)}.")
            parameters.append((field, self.hashable(name, value)))
        return self.function(inputs, outputs, tuple(sorted(parameters, key=lambda p: p[0])), options, scalars)

    def hashable(self, name, value):
        if isinstance(value, ctypes._CFuncPtr):
            return _Callback(value)
        if hasattr(value, "tolist"):
            value = value.tolist()
        if isinstance(value, list):
            value = tuple(value)
        value = signed(value)
        try:
            hash(value)
        except TypeError:
            raise error(Status.INVALID_ARGUMENT, f"{self.operator.name}: {name} is of type {type(value).__name__}, expected a number, a string or "
                        "a list of numbers") from None
        return value


def _frozen(value):
    return tuple(value) if type(value) is list else value


_generics = {}


def generic(name):
    found = _generics.get(name)
    if found is None:
        found = _generics[name] = Generic(operator_of(name))
    return found


def op(name, **keywords):
    """Any operator by name, with its arguments, fields and options as keywords; describe(name) lists them.

    Outputs that are left out are allocated like the inputs; optional ones are left out unless True asks for them. Fields that follow from
    the arguments, such as element types, need not be given."""
    return generic(name)(**keywords)
