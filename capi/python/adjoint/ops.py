"""Every operator by its name in the headers: adjoint.ops.rms_norm_backward(dout, input, gamma=gamma, inv_std=inv_std).

Inputs are given by position or name, outputs, scalars and the fields of the descriptor by name. Fields that follow from the arrays need not be
given; outputs that are not given are allocated, optional ones when True asks for them. A name that Python keeps for itself has a "_" behind it.

Options of every function:
  stream      an adjoint.Stream or the address of a CUstream; default: the stream that torch or cupy works on now
  preference  an adjoint.Preference
  workspace   scratch memory, for arrays whose library has no allocator
  dtype       "bf16" or "f16": the type whose bits uint16 elements hold
f.select, f.sku and f.explain take the arguments of f and describe the kernel behind the call; f.bind fixes the buffers."""
import inspect
import keyword
import re

from ._arrays import library_of
from ._call import Function
from ._operators import NUMBERS, near, operator_of

_OPTIONS = ("stream", "preference", "workspace", "dtype")


def _listed(value):
    """A list argument as a tuple. What is no list of arrays stays as it is, and is refused as such."""
    return value if value is None or value is True or library_of(value) is not None or not hasattr(value, "__iter__") else tuple(value)


def _tuple(value):
    """A list of numbers as a tuple, which is part of a key."""
    return tuple(value) if hasattr(value, "__iter__") else value


def defined(operator, name, about, module, build=None, results=None, **words):
    """The function of an operator. build has the signature: names of arguments of the operator, and parameters that it makes fields of.

    words: Python expressions of arguments of the operator, in names of parameters. Everything else is a keyword."""
    own = list(inspect.signature(build).parameters.values())[1:] if build else [inspect.Parameter(s.name, 1, default=None) for s in operator.inputs]
    used = set(re.findall(r"\w+", " ".join(words.values())))
    parameters = [p for p in own if p.name not in operator.by_name and p.name not in used]
    call = Function(operator, build, [p.name for p in parameters], results)
    if build:
        build.names = [p.name for p in own]
    known = [p.name for p in own]
    more = [s.name for s in [*operator.outputs, *operator.inputs, *operator.scalars] if s.name not in known and s.name not in words]
    keywords = [k for k in operator.keywords if k not in known]
    expression = lambda s: words.get(s.name) or (f"_listed({s.name})" if s.kind == "list" else s.name)  # noqa: E731
    arrays, scalars = ("".join(expression(s) + ", " for s in slots) for slots in (call.slots, operator.scalars))
    values = "".join((f"_tuple({p.name})" if "tuple" in str(p.annotation) else p.name) + ", " for p in parameters)
    empty = inspect.Parameter.empty
    signature = [f"{p.name}=_own[{i}]" if p.default is not empty else p.name for i, p in enumerate(own)]
    star = next((i for i, p in enumerate(own) if p.kind == p.KEYWORD_ONLY), len(own))
    signature = [*signature[:star], "*", *signature[star:], *(f"{n}=None" for n in [*more, *_OPTIONS, "_verb", "_plan"]), "**fields"]
    scope = {"_call": call, "_listed": _listed, "_tuple": _tuple, "_own": [p.default for p in own]}
    exec(f"def {name}({', '.join(signature)}):\n"
         f"    return _call(({arrays}), ({scalars}), ({values}), fields, stream, preference, workspace, dtype, _verb, _plan)", scope)
    function = scope[name]
    last = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in [*more, *keywords, *_OPTIONS]]
    function.__signature__ = inspect.Signature([*own, *last])
    function.__module__, function.__doc__, function.build = module, about, build
    call.known = [*known, *more, *keywords, *_OPTIONS]

    def verb(name, after=lambda result: result):
        return lambda *arrays, **given: after(function(*arrays, **given, _verb=name))
    function.select, function.explain, function.bind = verb("select"), verb("explain"), verb("bind")
    function.sku = verb("select", lambda plan: plan.sku)
    return function


def function(name):
    """The function of an operator, by its name in the headers."""
    attribute = name + "_" if keyword.iskeyword(name) else name
    found = globals().get(attribute)
    if found is None or not hasattr(found, "select"):
        found = globals()[attribute] = defined(operator_of(name), attribute, operator_of(name).documentation(), __name__)
    return found


def __getattr__(name):
    if name.rstrip("_") not in NUMBERS:
        raise AttributeError(f"there is no operator {name}{near(name, NUMBERS)}")
    return function(name.rstrip("_"))


def __dir__():
    return sorted(name + "_" if keyword.iskeyword(name) else name for name in NUMBERS)
