"""Plans, and functions that keep a plan for every problem they have met.

Each thread keeps prepared calls: a plan, its argument structure with everything but the addresses filled in, and a workspace. A call with a
known problem then costs one lookup, an attribute for each address, and the launch."""
import ctypes
import threading
from collections import namedtuple

from . import _arrays, _generated, _shapes
from ._arrays import BY_TYPE, View, count_of, library_of
from ._generated import OPERATORS, Dtype, Status, adj_header, adj_workspace
from ._library import (SIZES, InvalidError, Rejection, Stream, bound_run, check, check_report, dtype, error, failure,
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
        args.set(arguments, self.stream)
        check(lib.adj_plan_can_implement(self.handle, ctypes.byref(args.raw)))

    def run(self, *, workspace=None, **arguments):
        """Runs on the stream of the selection. Every argument must be given, also outputs."""
        args = Arguments(self.operator)
        args.set(arguments, self.stream)
        scratch, owner = args.workspace(workspace, self.workspace_size)
        check(lib.adj_plan_run(self.handle, ctypes.byref(self.stream), ctypes.byref(scratch), ctypes.byref(args.raw)))

    def bind(self, *, workspace=None, **arguments):
        """Checks these arguments once. The result is called without arguments, any number of times."""
        args = Arguments(self.operator)
        args.set(arguments, self.stream)
        scratch, owner = args.workspace(workspace, self.info.bind_workspace_size)
        return Bound(self, scratch, args.raw, None, (owner, arguments, args))

    def __repr__(self):
        return f"adjoint.Plan({self.sku.id})"


class Bound:
    """A call with its buffers checked and fixed. Calling it launches, and returns the outputs."""
    __slots__ = ("plan", "result", "keep", "_handle", "_stream")

    def __init__(self, plan, workspace, args, result, keep):
        self.plan, self.result, self.keep = plan, result, keep
        self._handle, self._stream = ctypes.c_void_p(), ctypes.byref(plan.stream)
        check(lib.adj_plan_bind(plan.handle, self._stream, ctypes.byref(workspace), ctypes.byref(args), ctypes.byref(self._handle)))

    def __call__(self):
        status = bound_run(self._handle, self._stream)
        if status:
            raise failure(status)
        return self.result

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

def describe(view):
    kind = view.dtype.name.lower() if isinstance(view.dtype, Dtype) else str(view.dtype)
    return f"{kind} {list(view.shape)}"


def checked_view(operator, slot, array, override=None, label=None):
    """The View of an array that may serve as an argument."""
    label = label or f"{operator.name}: {slot.name}"
    try:
        view = _arrays.view(array)
    except TypeError as problem:
        raise error(Status.INVALID_ARGUMENT, f"{label} is {problem}") from None
    if not isinstance(view.dtype, Dtype):
        raise error(Status.DTYPE_MISMATCH, f"{label} has elements of type {view.dtype}, which no operator takes; convert it")
    if override is not None and view.dtype == Dtype.U16:
        view = view._replace(dtype=override)
    if not view.contiguous:
        raise error(Status.SHAPE_MISMATCH, f"{label} of shape {list(view.shape)} is not contiguous; make a row-major copy, such as torch's "
                    "contiguous() or numpy's ascontiguousarray")
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

    def set(self, arguments, stream):
        """Fills in every argument by name, for a single call."""
        known = {s.name: s for s in self.operator.slots}
        for name, value in arguments.items():
            slot = known.get(name)
            if slot is None:
                raise error(Status.INVALID_ARGUMENT, f"{self.operator.name} has no argument {name}; its arguments are {', '.join(known)}")
            if value is None:
                continue
            if slot.kind == "tensor":
                self.views[name] = checked_view(self.operator, slot, value)
                self.tensor(slot, self.views[name])
            elif slot.kind == "list":
                self.views[name] = [checked_view(self.operator, slot, v, None, f"{self.operator.name}: {name}[{i}]") for i, v in enumerate(value)]
                self.list(slot, self.views[name])
            elif slot.kind == "handle":
                setattr(self.raw, name, value)
            else:
                set_scalar(self.operator, slot, getattr(self.raw, name), value, stream)
        self.arrays = [(known[n].host, v) for n, v in arguments.items() if n in self.views]

    def workspace(self, given, size):
        """(workspace, owner): `given`, or new memory of size bytes."""
        scratch = adj_workspace()
        if given is not None:
            view = _arrays.view(given)
            end = (view.pointer or 0) + count_of(view.shape) * SIZES[view.dtype]
            scratch.data = ((view.pointer or 0) + 255) & ~255
            scratch.bytes = max(end - (scratch.data or 0), 0)
            return scratch, given
        if size == 0:
            return scratch, None
        first = next((v for host, v in self.arrays if not host), None)
        first = first[0] if isinstance(first, (list, tuple)) and first else first
        scratch.data, owner = (library_of(first) or _arrays.Library()).workspace(first, size)
        scratch.bytes = size
        return scratch, owner


def set_scalar(operator, slot, raw, value, stream):
    """Writes a scalar: a number, or an array of one element that is read in stream order. On a device, an array in ordinary memory is passed by
    its value."""
    if slot.kind == "random":
        if isinstance(value, int):
            value = value, 0
        if isinstance(value, (tuple, list)):
            raw.seed, raw.offset, raw.device = value[0], value[1], None
        else:
            raw.device = checked_view(operator, slot._replace(role="in"), value).pointer
        return
    if isinstance(value, (int, float)):
        raw.value, raw.device, raw.dtype = value, None, 0
        return
    library = None if isinstance(value, str) else library_of(value)
    view = checked_view(operator, slot._replace(role="in"), value) if library else None
    if view is not None and count_of(view.shape) != 1:
        raise error(Status.SHAPE_MISMATCH, f"{operator.name}: {slot.name} has the shape {list(view.shape)}; give a number or an array of one "
                    "element")
    if view is not None and (view.device != -1 or stream.kind == _generated.StreamKind.HOST):
        raw.device, raw.dtype = view.pointer, view.dtype
        return
    try:
        raw.value, raw.device, raw.dtype = float(value.item() if hasattr(value, "item") else value), None, 0
    except (TypeError, ValueError):
        raise error(Status.INVALID_ARGUMENT, f"{operator.name}: {slot.name} = {value!r} is not a number") from None


# ---- functions

class _Thread(threading.local):
    def __init__(self):
        self.calls, self.scratch = {}, {}


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


RULE = "*"  # description of an output whose shape and type follow from the descriptor


class _Call:
    """A prepared call: all but the addresses.

    plain: all arguments are tensors of one library and are filled in at once. Otherwise moves lists them one by one."""
    __slots__ = ("plan", "args", "plain", "inputs", "outputs", "moves", "make", "scalars", "handle", "stream", "workspace", "owner", "fresh",
                 "arguments", "single", "collect")


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
        if options:
            return self.call_with_options(library, first, inputs, outputs, parameters, options, scalars)
        try:
            handle = library.stream(first)
            key = (self, parameters, handle, library.keys(inputs), library.keys(outputs))
            call = _thread.calls.get(key)
        except (AttributeError, TypeError):
            raise self.mixed(inputs, outputs, parameters) from None
        if call is None:
            call = self.prepare(library, first, library.wrap(first, handle), inputs, outputs, parameters, {}, scalars)
            self.keep(key, call)
        return self.launch(call, library, first, inputs, outputs, scalars)

    def launch(self, call, library, first, inputs, outputs, scalars):
        outputs = [make(inputs) if make is not None and (a is None or a is True) else a for a, make in zip(outputs, call.make)]
        self.fill(call, library, inputs, outputs, scalars)
        workspace = call.workspace
        if call.fresh and library.capturing():  # the memory must belong to the graph
            workspace, owner = self.workspace(library, first, call.fresh)
        status = plan_run(call.handle, call.stream, workspace, call.arguments)
        if status:
            raise failure(status)
        if call.single is not None:
            return outputs[call.single]
        return call.collect(outputs)

    def fill(self, call, library, inputs, outputs, scalars):
        if scalars:
            for slot, raw, value in zip(self.scalars, call.scalars, scalars):
                if type(value) is float:
                    raw.value, raw.device, raw.dtype = value, None, 0
                elif slot.kind == "handle":
                    setattr(call.args.raw, slot.name, value)
                elif value is not None:
                    set_scalar(self.operator, slot, raw, value, call.plan.stream)
        if call.plain:
            library.fill(call.inputs, inputs)
            library.fill(call.outputs, outputs)
            return
        for arrays, i, target, in_list in call.moves:
            array = (inputs if arrays == 0 else outputs)[i]
            if in_list:
                library.fill_list(target, array)
            else:
                library_of(array).fill((target,), (array,))

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

    def mixed(self, inputs, outputs, parameters):
        """The error for arrays of several libraries, for a parameter that cannot be looked up, or for an argument that is no array (raised)."""
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
        found = " and ".join(f"{slot} is an array of {kind}" for kind, slot in kinds.items())
        return error(Status.INVALID_ARGUMENT, f"{self.operator.name}: {found}; give all of one library")

    @staticmethod
    def keep(key, call):
        if len(_thread.calls) >= KEPT_CALLS:
            _thread.calls.clear()
        _thread.calls[key] = call

    @staticmethod
    def workspace(library, first, size):
        """(reference to a workspace, objects to keep alive) of new scratch memory."""
        scratch = adj_workspace()
        scratch.data, owner = library.workspace(first, size)
        scratch.bytes = size
        return ctypes.byref(scratch), (scratch, owner)

    @staticmethod
    def shared_workspace(library, first, stream, size):
        """(reference to a workspace, objects to keep alive), shared by the thread's calls on one stream. Calls prepared before it grew keep the
        smaller memory."""
        key = library.name, stream.handle, stream.kind, stream.device
        found = _thread.scratch.get(key)
        if found is None or found[0] < size:
            room = 1 << max(size - 1, 4095).bit_length()
            found = _thread.scratch[key] = (room, *library.workspace(first, room))
        scratch = adj_workspace()
        scratch.data, scratch.bytes = found[1], found[0]
        return ctypes.byref(scratch), (scratch, found[2])

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

    def problem(self, inputs, outputs, parameters, options, scalars):
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
        if len(devices) > 1:
            places = {-1: "in ordinary memory", None: "on the current device"}
            found = " and ".join(f"{slot} is {places.get(device, f'on device {device}')}" for device, slot in devices.items())
            raise error(Status.STREAM_MISMATCH, f"{name}: {found}; move them to one place")
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
        problem, descriptor, keep = self.problem(inputs, outputs, parameters, options, scalars)
        call, args = _Call(), Arguments(self.operator)
        # Threads that call with the same shapes share a plan.
        call.plan, call.args = Plan(self.operator, stream, descriptor, keep, options.get("preference"), lib.adj_plan_acquire), args
        call.plain, call.inputs, call.outputs, call.moves, call.make, present = True, [], [], [], [], []
        unused = _generated.adj_tensor()  # receives the addresses of arguments that are left out
        for i, slot in enumerate(self.inputs):
            target, view = unused, problem.views.get(slot.name)
            if view is not None:
                target = args.list(slot, view) if slot.kind == "list" else args.tensor(slot, view)
                call.moves.append((0, i, target, slot.kind == "list"))
                call.plain &= slot.kind != "list" and not slot.host
            call.inputs.append(target)
        for i, slot in enumerate(self.outputs):
            target, make, spec = unused, None, problem.outputs[slot.name]
            view = problem.given.get(slot.name)
            if view is None and spec is not None:
                if slot.host:
                    view, make = self.host_output(slot, spec)
                elif slot.kind == "list":
                    makers = [library.maker(shape, kind, first, slot.role != "out") for shape, kind in spec]
                    view = [View(None, shape, kind, -1, True, True) for shape, kind in spec]
                    make = lambda inputs, makers=makers: [m() for m in makers]  # noqa: E731
                elif len(spec) == 3:
                    view, make = problem.views[spec[0]], self.copier(library, spec[0])
                else:
                    maker = library.maker(*spec, first, slot.role != "out")
                    view, make = View(None, *spec, -1, True, True), lambda inputs, maker=maker: maker()
            if view is not None:
                target = args.list(slot, view) if slot.kind == "list" else args.tensor(slot, view)
                if not (slot.host and make):
                    call.moves.append((1, i, target, slot.kind == "list"))
                call.plain &= slot.kind != "list" and not slot.host
                present.append(i)
            call.outputs.append(target)
            call.make.append(make)
        call.scalars = [getattr(args.raw, s.name) for s in self.scalars]
        call.single = present[0] if len(present) == 1 and self.collect is not tuple and not self.outputs[present[0]].host else None
        call.collect = self.collector(present)
        size = call.plan.workspace_size
        call.fresh = size if stream.kind == _generated.StreamKind.CUDA else 0
        if options.get("workspace") is not None:
            scratch, owner = args.workspace(options["workspace"], size)
            call.workspace, call.owner, call.fresh = ctypes.byref(scratch), (scratch, owner), 0
        elif size:
            call.workspace, call.owner = self.shared_workspace(library, first, stream, size)
        else:
            call.owner = adj_workspace()
            call.workspace = ctypes.byref(call.owner)
        call.handle, call.stream, call.arguments = call.plan.handle, ctypes.byref(call.plan.stream), ctypes.byref(args.raw)
        return call

    @staticmethod
    def host_output(slot, spec):
        """View and maker of an output in ordinary memory, which comes back as integers."""
        shape, kind = spec
        count = count_of(shape)
        memory = ((ctypes.c_bool if kind == Dtype.BOOL else ctypes.c_int64) * count)()
        return View(ctypes.addressof(memory), shape, kind, -1, True, True), lambda inputs: _HostResult(memory)

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
        unknown = set(options) - {"stream", "preference", "dtype", "workspace", "_verb"}
        if unknown:
            raise TypeError(f"{self.operator.name}: there is no parameter {sorted(unknown)[0]}")
        stream, verb = options.get("stream"), options.get("_verb")
        if stream is None:
            stream = Stream(library.wrap(first, library.stream(first)))
        elif not isinstance(stream, Stream):
            handle, stream = stream, Stream(library.wrap(first, stream))
            if stream.raw.kind == _generated.StreamKind.HOST:
                raise error(Status.STREAM_MISMATCH, f"{self.operator.name}: stream = {handle!r} is given for arrays in ordinary memory; leave it out")
        if verb == "explain":
            problem, descriptor, keep = self.problem(inputs, outputs, parameters, options, scalars)
            return explain_descriptor(stream.raw, descriptor, options.get("preference"))
        if verb or options.get("workspace") is not None:
            call = self.prepare(library, first, stream.raw, inputs, outputs, parameters, options, scalars)
            if verb == "select":
                return call.plan
            if verb == "bind":
                return self.bind(call, library, first, inputs, outputs, options, scalars)
        else:
            try:
                key = (self, parameters, stream.key, library.keys(inputs), library.keys(outputs), options.get("preference"),
                       str(options.get("dtype")))
                call = _thread.calls.get(key)
            except (AttributeError, TypeError):
                raise self.mixed(inputs, outputs, parameters) from None
            if call is None:
                call = self.prepare(library, first, stream.raw, inputs, outputs, parameters, options, scalars)
                self.keep(key, call)
        return self.launch(call, library, first, inputs, outputs, scalars)

    def bind(self, call, library, first, inputs, outputs, options, scalars):
        outputs = [make(inputs) if make is not None and (a is None or a is True) else a for a, make in zip(outputs, call.make)]
        self.fill(call, library, inputs, outputs, scalars)
        scratch, owner, size = adj_workspace(), None, call.plan.info.bind_workspace_size
        if options.get("workspace") is not None:
            scratch, owner = call.args.workspace(options["workspace"], size)
        elif size:
            scratch.data, owner = library.workspace(first, size)
            scratch.bytes = size
        result = outputs[call.single] if call.single is not None else call.collect(outputs)
        return Bound(call.plan, scratch, call.args.raw, result, (owner, call, inputs, outputs, scalars))


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
        options = {n: keywords.pop(n) for n in ("stream", "preference", "dtype", "workspace", "_verb") if keywords.get(n) is not None}
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
