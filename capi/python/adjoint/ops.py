"""Every operator by its name in the headers, with keywords: adjoint.ops.rms_norm_backward(dout=..., input=..., gamma=..., inv_std=...).

The functions have the operators' arguments, the fields of their descriptors, and the options stream, preference, dtype and workspace."""
import inspect

from ._descriptor import keyword_of
from ._generated import OPERATORS
from ._generic import generic
from ._verbs import with_verbs


def documentation(operator):
    """The documentation of an operator, from the headers."""
    lines = [operator.about, "", "Arguments:"]
    for slot in operator.slots:
        notes = [slot.kind if slot.kind != "tensor" else "", "optional" if slot.presence == "optional" else "", "ordinary memory" if slot.host else ""]
        lines.append(f"  {slot.name} ({', '.join(n for n in [slot.role, *notes] if n)}): {slot.about}".rstrip(": "))
    lines += ["", "Fields:"]
    for field in operator.fields:
        choices = f" one of {', '.join(field.extra)};" if isinstance(field.extra, tuple) else ""
        lines.append(f"  {keyword_of(operator, field)} ({field.kind}):{choices} {field.about}".rstrip(" :;"))
    return "\n".join(lines)


def _function(name):
    call, operator = generic(name), OPERATORS[name]

    def function(**keywords):
        return call(**keywords)

    function.__name__ = function.__qualname__ = name
    function.__module__, function.__doc__ = __name__, documentation(operator)
    names = [*(s.name for s in operator.slots), *call.fields, "stream", "preference", "dtype", "workspace"]
    function.__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in dict.fromkeys(names)])
    return with_verbs(function)


def __getattr__(name):
    if name not in OPERATORS:
        raise AttributeError(f"there is no operator {name}")
    globals()[name] = function = _function(name)
    return function


def __dir__():
    return sorted(OPERATORS)
