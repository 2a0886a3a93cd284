"""The gradient of a call, as the headers say it: for torch and JAX."""
from .functional import SAVED_OUTPUT


def fields_of(gradient, have):
    """Fields of the gradient. have(name) is what the call has of a name: an argument, a result, a field or None."""
    return {k: value(have) for k, value in gradient.fields.items()}


def counts(gradient, name, have):
    """Whether an input of the gradient, or a field of both calls, counts as far as what the forward call has says so."""
    condition = gradient.conditions.get(name, "")
    return not condition.startswith("!") or all(have(source) is None for source in gradient.inputs[condition[1:]])


def sources_of(gradient, have, upstream):
    """(what each argument of the gradient is in the forward call, fields that follow from that). upstream: names of the gradients of its results.

    Both depend on the function, on whether leaky_slope is negative, and on which names the call has, alone."""
    modes, found = {}, {}
    for name, names in gradient.inputs.items():
        if name == "saved":  # the output where that is enough, so that the input need not be kept
            # A leaky ReLU of a negative slope is not monotone: its output does not say which side the input was on.
            kept = have("function") in SAVED_OUTPUT and have("bias") is None and not (have("leaky_slope") or 0) < 0
            modes["saved_mode"], names = ("output", names[:1]) if kept else ("input", names[1:])
        source = next((n for n in names if n in upstream or have(n) is not None), None)
        found.update({name: source} if source is not None and counts(gradient, name, have) else {})
    return found, modes


def arguments_of(gradient, sources, have, fields):
    """(argument of the gradient, what it is in the forward call) of those whose condition holds. have: values by name."""
    for name, source in sources.items():
        condition = gradient.conditions.get(name)
        if condition is None or condition.startswith("!") or have.get(condition) is not None or fields.get(condition):
            yield name, source
