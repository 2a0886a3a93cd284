"""Descriptors: operators by name, and their fields from Python values."""
import ctypes
import threading
from collections import namedtuple

from . import _generated
from ._generated import OPERATORS, Status
from ._library import InvalidError, Stream, check, dtype, error, failure, lib


def operator_of(name):
    found = OPERATORS.get(name)
    if found is None:
        import difflib
        near = difflib.get_close_matches(str(name), OPERATORS, 3)
        hint = f"near it: {', '.join(near)}" if near else "adjoint.operators() lists them"
        raise error(Status.NOT_FOUND, f"{name!r} is not an operator; {hint}")
    return found


class Callback:
    """A C function that can be part of a key, unlike ctypes' own objects."""
    __slots__ = ("function",)

    def __init__(self, function):
        self.function = function

    def __eq__(self, other):
        return isinstance(other, Callback) and self.function is other.function

    def __hash__(self):
        return id(self.function)


CallbackCall = namedtuple("CallbackCall", "inputs outputs context stream")
CallbackCall.__doc__ = """The arguments of a function that is called in the course of a call, to be used until it returns.

inputs and outputs have (address, bytes) of every tensor, context is the address of the argument of that name or None, stream is a Stream."""
_CALLBACKS = {("callback", "function"), ("user_kernel", "host")}  # fields whose functions take an adj_callback_call


class _Thread(threading.local):
    """The exception of a Python function that a run of this thread has called."""
    raised = None


_thread = _Thread()


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
            value = value.function if isinstance(value, Callback) else value
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
