"""Every operator by keyword."""
import ctypes

from . import _shapes
from ._arrays import count_of
from ._call import Function, signed
from ._descriptor import Callback, keyword_of, operator_of
from ._generated import Status
from ._library import error


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
            return Callback(value)
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
