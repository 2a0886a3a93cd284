"""Operators as the library describes them: their arguments, their fields, and descriptors filled from Python values."""
import ctypes
import difflib
import struct
import threading
from collections import namedtuple
from functools import lru_cache
from math import prod
from operator import index

from . import _generated
from ._generated import ArgumentKind, Dtype, FieldKind, Presence, Status, adj_argument, adj_field, adj_requirement
from ._library import InvalidError, Stream, check, dtype, error, failure, info, lib, text

# keyword: what the field is called in a call. choices: the names of an enumeration's values from 0 on, or ().
Field = namedtuple("Field", "name keyword kind choices about offset")
Argument = namedtuple("Argument", "index name kind role presence host may_equal about offset")
# What a descriptor asks of an argument. shape: of a list, the number of elements of each entry.
Need = namedtuple("Need", "presence shape dtype read written")
_FORMATS = {"i64": "=q", "i32": "=i", "dtype": "=i", "f64": "=d"}
_EXPECTED = {"dtype": "an element type", "f64": "a number", "i32": "an integer", "i64": "an integer", "text": "a string", "bytes": "a string or bytes",
             "pointer": "an address or a function", **dict.fromkeys(("shape", "axes"), "a list of at most 8 numbers"),
             **dict.fromkeys(("i64_list", "f64_list"), "a list of numbers")}


def near(name, known):
    """The end of a sentence that refuses a name."""
    found = difflib.get_close_matches(str(name), known, 1)
    return f"; did you mean {found[0]}?" if found else f"; they are {', '.join(known)}"


class Operator:
    """An operator of the library. Inputs are arrays that a call must be given, outputs are arrays that it can allocate."""

    def __init__(self, name, number):
        self.name, self.number, self.arguments, self.fields, raw = name, number, [], {}, adj_argument()
        for i in range(lib.adj_op_argument_count(number)):
            check(lib.adj_op_argument(number, i, ctypes.byref(raw)))
            kind, presence = ArgumentKind(raw.kind).name.lower(), Presence(raw.presence).name.lower()
            role = ("in", "out", "in/out")[raw.role - 1]
            self.arguments.append(Argument(i, text(raw.name), kind, role, presence, bool(raw.host), raw.may_equal, text(raw.about), raw.offset))
        self.by_name, raw = {a.name: a for a in self.arguments}, adj_field()
        for i in range(lib.adj_op_field_count(number)):
            check(lib.adj_op_field(number, i, ctypes.byref(raw)))
            name, kind, choices = text(raw.name), FieldKind(raw.kind).name.lower(), text(raw.choices)
            keyword = name + {"dtype": "_dtype", "shape": "_shape"}.get(kind, "_mode") if name in self.by_name else name
            self.fields[name] = self.fields[keyword] = Field(name, keyword, kind, tuple(choices.split(",")) if choices else (), text(raw.about), raw.offset)
        arrays = [a for a in self.arguments if a.kind in ("tensor", "list")]
        self.outputs = [a for a in arrays if a.role == "out" or a.role == "in/out" and a.kind == "tensor"]
        self.inputs, self.scalars = [a for a in arrays if a not in self.outputs], [a for a in self.arguments if a not in arrays]
        self.keywords = [keyword for keyword, f in self.fields.items() if f.keyword == keyword]
        args = (ctypes.c_uint64 * (lib.adj_op_args_size(number) // 8))()
        check(lib.adj_op_args_init(number, args, ctypes.sizeof(args)))
        self.args, self.Args = bytes(args), type(args)

    def fail(self, sentence, code=Status.INVALID_ARGUMENT):
        raise error(code, f"{self.name}: {sentence}")

    def around(self, shape, axis):
        """Fields of an axis: its extent, and the products of the dimensions before and after it."""
        shape = tuple(shape) or (1,)
        if not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
            raise error(Status.INVALID_ARGUMENT, f"{self.name.removesuffix('_forward')}: axis = {axis!r} is not in [{-len(shape)}, {len(shape)}), the array "
                        f"having {len(shape)} dimensions")
        axis %= len(shape)
        return {"outer": prod(shape[:axis]), "extent": shape[axis], "inner": prod(shape[axis + 1:])}

    def documentation(self):
        """The definition of the operator, its arguments and fields, and what holds for its family, as the library has them."""
        lines = [text(lib.adj_op_definition(self.number)), "", "Arguments:"]
        for a in self.arguments:
            notes = [a.role, *[a.kind] * (a.kind != "tensor"), *["optional"] * (a.presence == "optional"), *["ordinary memory"] * a.host]
            lines.append(f"  {a.name} ({', '.join(notes)}): {a.about}".rstrip(": "))
        lines += ["", "Fields:"]
        for field in map(self.fields.get, self.keywords):
            choices = f" one of {', '.join(field.choices)};" if field.choices else ""
            lines.append(f"  {field.keyword} ({field.kind}):{choices} {field.about}".rstrip(" :;"))
        return "\n".join([*lines, "", "Conventions and errors:", text(lib.adj_op_conventions(self.number))])


NUMBERS = {text(lib.adj_op_name(n)): n for n in map(lib.adj_op_at, range(lib.adj_op_count()))}


@lru_cache(maxsize=None)
def operator_of(name):
    if name not in NUMBERS:
        raise error(Status.NOT_FOUND, f"{name!r} is not an operator{near(name, NUMBERS)}")
    return Operator(name, NUMBERS[name])


def conv_shape(op, views, fields):
    """Fields of a convolution whose `out` is not given: its shape, where the arguments leave one."""
    if op.name not in ("conv_forward", "conv_transpose_forward") or not {"input", "weight"} <= views.keys() or {"out", "out_shape"} & {*views, *fields}:
        return {}
    input, weight, last = views["input"].shape, views["weight"].shape, bool(fields.get("channels_last"))
    count = len(input) - 2
    strides, dilations, pads = (list(fields.get(name, ())) or [value] * n for name, value, n in (
        ("strides", 1, count), ("dilations", 1, count), ("pads", 0, 2 * count)))
    if not 1 <= count <= 3 or len(weight) != len(input):
        op.fail(f"input has {len(input)} and weight {len(weight)} dimensions, expected 3 to 5 of both", Status.SHAPE_MISMATCH)
    for name, given, expected in ("strides", strides, count), ("dilations", dilations, count), ("pads", pads, 2 * count):
        if len(given) != expected or name != "pads" and min(given) < 1:
            op.fail(f"{name} = {given} is not {expected} numbers{' from 1 on' * (name != 'pads')}")
    sizes, kernel = (shape[1:-1] if last else shape[2:] for shape in (input, weight))
    reach = [d * (k - 1) - pads[i] - pads[count + i] for i, (k, d) in enumerate(zip(kernel, dilations))]
    if op.name == "conv_forward":
        channels, sizes = weight[0], [max((n - r - 1) // s + 1, 0) for n, r, s in zip(sizes, reach, strides)]
    elif max(strides) > 1:
        op.fail(f"out_shape is not given, and strides = {strides} leave several; give it", Status.SHAPE_MISMATCH)
    else:
        channels, sizes = weight[-1 if last else 1] * (fields.get("groups") or 1), [n + r for n, r in zip(sizes, reach)]
    return {"out_shape": (input[0], *sizes, channels) if last else (input[0], channels, *sizes)}


class Descriptor:
    """A descriptor of an operator, and the objects that it points to."""

    def __init__(self, operator, fields):
        self.operator, self.keep, self.given = operator, [], fields
        self.raw = (ctypes.c_uint64 * (lib.adj_op_descriptor_size(operator.number) // 8))()
        check(lib.adj_op_descriptor_init(operator.number, self.raw, ctypes.sizeof(self.raw)))
        for name, value in fields.items():
            field = operator.fields.get(name)
            if field is None:
                raise error(Status.INVALID_ARGUMENT, f"{operator.name} has no field {name}{near(name, operator.keywords)}")
            try:
                self.put(field, value)
            except (TypeError, ValueError, AttributeError, OverflowError, struct.error) as problem:
                if isinstance(problem, InvalidError) and field.kind != "dtype":
                    raise
                chosen = field.choices and isinstance(value, str)
                self.wrong(field, value, f"one of {', '.join(field.choices)}" if chosen else _EXPECTED[field.kind])

    def wrong(self, field, value, expected):
        self.operator.fail(f"{field.keyword} = {value!r} is not {expected}" + (f" ({field.about})" if field.about else ""))

    def put(self, field, value):
        kind, at = field.kind, field.offset
        if kind in _FORMATS:
            if kind == "dtype":
                value = int(dtype(value))
            elif kind != "f64":
                given = field.choices.index(value) if isinstance(value, str) else value
                value = int(given)
                if value != given:
                    raise ValueError
            struct.pack_into(_FORMATS[kind], self.raw, at, value)
        elif kind in ("shape", "axes"):
            struct.pack_into("=9q", self.raw, at, len(value), *map(index, value), *[0] * (8 - len(value)))
        elif kind in ("i64_list", "f64_list"):
            self.point(at, ((ctypes.c_int64 if kind == "i64_list" else ctypes.c_double) * len(value))(*value), len(value))
        elif kind in ("text", "bytes"):
            array = None if value is None else value.encode() if isinstance(value, str) else bytes(memoryview(value))
            self.point(at, array and ctypes.create_string_buffer(array), len(array or b"") if kind == "bytes" else None)
        else:
            self.point(at, pointer_of(value, lambda expected: self.wrong(field, value, expected)))

    def point(self, at, target, count=None):
        """Writes the address of target, and the count before it."""
        self.keep.append(target)
        address = target if isinstance(target, (int, type(None))) else ctypes.cast(target, ctypes.c_void_p).value
        if count is not None:
            struct.pack_into("=q", self.raw, at - 8, count)
        struct.pack_into("=Q", self.raw, at, 0 if count == 0 else address or 0)

    def complete(self, args, entries):
        """Fills in the fields that were not given and that follow from the arguments, whose lists have `entries` entries."""
        room, before = (ctypes.c_int64 * (2 * entries))(), bytes(self.raw)
        self.keep.append(room)
        check(lib.adj_op_complete(self.raw, args, room, 2 * entries))
        for name, value in self.given.items():  # a field that was given as its default is none for the library
            field = self.operator.fields[name]
            form = _FORMATS.get(field.kind, "=9q" if field.kind == "shape" else "=q")
            was, now = (struct.unpack_from(form, raw, field.offset) for raw in (before, self.raw))
            if was != now:
                self.wrong(field, value, f"what the arrays say, which is {list(now[1:now[0] + 1]) if field.kind == 'shape' else now[0]}")

    def need(self, argument):
        """What the descriptor asks of an argument."""
        raw = info(adj_requirement, lib.adj_op_infer, self.raw, argument.index)
        shape = raw.shape[:raw.rank]
        if argument.kind == "list":
            shape = (ctypes.c_int64 * raw.count)()
            check(lib.adj_op_infer_list(self.raw, argument.index, shape, raw.count))
        return Need(raw.presence, tuple(shape), Dtype(raw.dtype), raw.role != 2, raw.role != 1)


# ---- functions of the caller

CallbackCall = namedtuple("CallbackCall", "inputs outputs context stream")
CallbackCall.__doc__ = """The arguments of a function that is called in the course of a call, to be used until it returns.

inputs and outputs have (address, bytes) of every tensor, context is the address of the argument of that name or None, stream is a Stream."""
_raised = threading.local()  # the exception of a Python function that a run of this thread has called


def pointer_of(value, wrong):
    """What a field with an address holds: an address, a C function, or one that calls a Python function with a CallbackCall.

    An exception of the Python function makes the call fail, and failed() raises it to the caller."""
    def entries(address):
        found = _generated.adj_tensor_list.from_address(address)
        columns = ((kind * found.count).from_address(at) if found.count else () for kind, at in ((ctypes.c_void_p, found.data), (ctypes.c_uint64, found.bytes)))
        return tuple(zip(*columns))

    def call(address):
        try:
            raw = _generated.adj_callback_call.from_address(address)
            stream = _generated.adj_stream.from_buffer_copy(_generated.adj_stream.from_address(raw.stream))
            result = value(CallbackCall(entries(raw.inputs), entries(raw.outputs), raw.context, Stream(stream)))
            return 0 if result is None else int(result)
        except BaseException as raised:
            _raised.by_function = raised
            return -1

    if isinstance(value, ctypes._CFuncPtr):
        if any(type(o).__name__ == "CThunkObject" for o in (value._objects or {}).values()):
            wrong("a Python function as such: an exception inside a ctypes function is lost, so pass the function that it was made of")
        return value
    if callable(value):
        return _generated.adj_callback_function(call)
    if value is not None and not isinstance(value, int):
        raise TypeError
    return value


def failed(number):
    """The exception of a run that ended with this status: that of a Python function it called, else the library's."""
    return _raised.__dict__.pop("by_function", None) or failure(number)
