"""Every operator by its name in the headers: adjoint.ops.rms_norm_backward(dout, input, gamma=gamma, inv_std=inv_std).

Inputs are given by position or name, everything else by name; see help(adjoint.ops.rms_norm_backward). Options of every function are stream (an
adjoint.Stream or the address of a CUstream), preference (an adjoint.Preference), workspace (scratch memory) and dtype (whose bits uint16 elements hold)."""
import inspect
import keyword
import re

from ._arrays import library_of
from ._call import Function
from ._operators import NUMBERS, near, operator_of

_OPTIONS = ("stream", "preference", "workspace", "dtype")


def _listed(value):
    """A list argument as a tuple. What is no list of arrays stays as it is, and is refused as such."""
    listed = type(value) in (list, tuple) or value is not None and value is not True and hasattr(value, "__iter__") and library_of(value) is None
    return tuple(value) if listed else value


def defined(operator, name, about, module, build=None, results=None, fixed={}, **words):
    """The function of an operator. build has the signature: the operator, names of its arguments, and parameters. It returns fields, and may return the
    shapes of outputs by name as "shapes", and the names of outputs that are "asked" for.

    fixed: parameters of build that the function does not have. words: Python expressions of arguments of the operator, in names of parameters.
    Everything else is a keyword. results: see Function."""
    own = list(inspect.signature(build).parameters.values())[1:] if build else [inspect.Parameter(a.name, 1, default=None) for a in operator.inputs]
    own = [p for p in own if p.name not in fixed]
    known, used = [p.name for p in own], set(re.findall(r"\w+", " ".join(words.values())))
    parameters = [p for p in own if p.name not in operator.by_name and p.name not in used]
    fields = build and (lambda given: build(operator, **{name: given.get(name) for name in known}, **fixed))
    call = Function(operator, fields, [p.name for p in parameters], results)
    call.strict, call.by_user = build is not None, True
    more = [a.name for a in [*operator.outputs, *operator.inputs, *operator.scalars] if a.name not in known and a.name not in words]
    keywords = [k for k in operator.keywords if k not in known]
    expression = lambda a: words.get(a.name) or (f"_listed({a.name})" if a.kind == "list" else a.name)  # noqa: E731
    arrays, scalars = ("".join(expression(a) + ", " for a in some) for some in (call.arguments, operator.scalars))
    # A list of numbers is part of a key, as a tuple.
    values = "".join((f"tuple({p.name}) if hasattr({p.name}, '__iter__') else " if "tuple" in str(p.annotation) else "") + f"{p.name}, " for p in parameters)
    signature = [p.name if p.default is p.empty else f"{p.name}=_own[{i}]" for i, p in enumerate(own)]
    star = next((i for i, p in enumerate(own) if p.kind == p.KEYWORD_ONLY), len(own))
    signature = [*signature[:star], "*", *signature[star:], *(f"{n}=None" for n in [*more, *_OPTIONS, "_verb", "_plan"]), "**fields"]
    scope = {"_call": call, "_listed": _listed, "_own": [p.default for p in own]}
    given = "fields, stream, preference, workspace, dtype, _verb, _plan"
    again = ("" if operator.scalars or any(a.kind == "list" for a in call.arguments) else
             f"    if _call.caller is not None and (made := _call.caller({arrays}{values}{given})) is not None:\n        return made\n")
    exec(f"def {name}({', '.join(signature)}):\n{again}"
         f"    return _call(({arrays}), ({scalars}), fields, ({values}), stream, preference, workspace, dtype, _verb, _plan)", scope)
    function, last = scope[name], [*more, *keywords, *_OPTIONS]
    function.__signature__ = inspect.Signature([*own, *(inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in last)])
    function.__module__, function.__doc__, function.operator, function.build = module, about, operator, build
    call.known = [*known, *last]

    def verb(name, after=lambda result: result):
        return lambda *arrays, **given: after(function(*arrays, **given, _verb=name))
    function.select, function.explain, function.bind = verb("select"), verb("explain"), verb("bind")
    function.sku = verb("select", lambda plan: plan.sku)
    return function


def function(name):
    """The function of an operator, by its name in the headers."""
    attribute = name + "_" * keyword.iskeyword(name)
    if not hasattr(globals().get(attribute), "select"):
        globals()[attribute] = defined(operator_of(name), attribute, operator_of(name).documentation(), __name__)
    return globals()[attribute]


def __getattr__(name):
    if name.rstrip("_") not in NUMBERS:
        raise AttributeError(f"there is no operator {name}{near(name, NUMBERS)}")
    return function(name.rstrip("_"))


def __dir__():
    return sorted(name + "_" * keyword.iskeyword(name) for name in NUMBERS)
