"""Calls of functions of adjoint.torch that have been made: later ones like them cost as little of Python as can be."""
from __future__ import annotations

from typing import Any

import torch

from ._call import KEPT_CALLS
from ._torch_operators import batched, forward_ad, grad_enabled, watched

_NAMES = {"Tensor": torch.Tensor, "Parameter": torch.nn.Parameter, "batched": batched, "grad_enabled": grad_enabled, "watched": watched, "levels": forward_ad}


class Known:
    """The first result of a call of these fields, whose tensors have known shapes.

    shape: what the result is to have, None for that of the operator, which is own once it is known. recorded: the calls for autograd, by which tensors require a
    gradient."""
    __slots__ = ("operator", "fields", "shape", "own", "recorded", "tail", "call")

    def __init__(self, operator: Any, fields: Any, shape: Any) -> None:
        self.operator, self.fields, self.shape, self.own, self.recorded = operator, fields, shape, None, {}
        self.tail = fields.tails[len(operator.inputs)] if fields.tails is not None else None
        self.call = self.general

    def named(self, **tensors: Any) -> Any:
        """The call of tensors by the names of the operator's."""
        return self.call(*map(tensors.get, self.operator.inputs))

    def general(self, *args):
        """The call of any tensors, where nobody but autograd looks on."""
        results = self.operator.quiet(args, self.fields)
        result = results if self.operator.single else results[0]
        if self.tail is not None and self.own is not None:
            self.record(args)
        self.own = result.shape
        return result if self.shape is None else result.reshape(self.shape)

    def record(self, args):
        """Makes the call known, where the kernel makes it from here on: for autograd once the gradient has been computed."""
        operator, fields, needed = self.operator, self.fields, tuple([a is not None and a.requires_grad for a in args])
        if self.call == self.general:
            self.call = _call(self, [a is not None for a in args])
        saved = fields.saved.get(tuple([None if a is None else a.shape for a in args]))
        plan = saved and saved.plans.get(((False, *needed), (False, *[True] * (len(operator.returned) - 1))))
        if plan and plan.shapes is not None and not plan.absent and operator.gradient.prepared is not None and plan.fields.tails is not None:
            self.recorded[needed] = _recorded(self, saved, plan)


def _listed(names):
    return "".join([f"{n}, " for n in names])


def _called(results, function, args, tail, fields, missed):
    """Lines that call a kernel, and make the call in Python where it leaves that."""
    rest = _listed(map(repr, tail)) if all([t is None or type(t) is int for t in tail]) else f"*{function}_tail"
    return f"""
    try:
        {results} = {function}({_listed(args)}{rest})
    except RuntimeError as missed:
        {results} = {missed}(missed, ({_listed(args)}), {fields})"""


def _shaped(known):
    """What gives the first result its shape, and its gradient that of the operator's result."""
    return ("", "pass") if known.shape in (None, known.own) else (f".reshape({tuple(known.shape)})", f"dout = dout.reshape({tuple(known.own)})")


def _call(known, present):
    """The function of a call. present: which tensors there are."""
    operator, names = known.operator, [f"a{i}" for i in range(len(present))]
    there = [n for n, is_there in zip(names, present) if is_there]
    odd = " or ".join([f"type({n}) is not Tensor and type({n}) is not Parameter or batched({n}) or {n}.is_meta" for n in there])
    text = f"""
def call({_listed(names)}):
    if {odd} or levels._current_level >= 0:
        return general({_listed(names)})
    if ({' or '.join([f'{n}.requires_grad' for n in there])}) and grad_enabled():
        recorded = known.recorded.get(({_listed([f'{n}.requires_grad' if n in there else 'False' for n in names])}))
        return (general if recorded is None else recorded)({_listed(names)})
    {_called('results', 'prepared', names, known.tail, 'fields', 'missed_call')}
    return results{'' if operator.single else '[0]'}{_shaped(known)[0]}
"""
    found = {**_NAMES, "known": known, "general": known.general, "prepared": operator.prepared, "prepared_tail": known.tail, "fields": known.fields,
             "missed_call": operator.compiled.missed}
    exec(text, found)
    return found["call"]


def _recorded(known, saved, plan):
    """The call for autograd. Its text has what is known: which tensors are saved, and what the gradient takes and gives."""
    operator, fields, tail = known.operator, known.fields, known.tail
    gradient, count = operator.gradient, len(saved.picks)
    tensors, kept = [f"a{i}" for i in range(len(saved.shapes))], [f"s{i}" for i in range(count)]
    taken = [None if i is None else kept[i] if i < count else "dout" for i in plan.args]
    results = ["results" if gradient.single else f"results[{i}]" for i in range(len(gradient.returned))]
    wanted = [None if i is None else results[i] if shape is None else f"{results[i]}.reshape({tuple(shape)})" for i, shape in zip(plan.wanted, plan.shapes)]
    result = "results" if operator.single else "results[{}]"
    shaped, upstream = _shaped(known)
    text = f"""
def forward(ctx, {_listed(tensors)}):
    {_called('results', 'prepared', tensors, tail, 'fields', 'missed_call')}
    ctx.save_for_backward({_listed([result.format(i) if is_result else tensors[i] for is_result, i in saved.picks])})
    return {result.format(0)}{shaped}

def backward(ctx, dout):
    {_listed(kept)} = ctx.saved_tensors
    if type(dout) is not Tensor or grad_enabled() or batched(dout) or watched():
        return differentiated(({_listed(kept)}), dout, ctx.needs_input_grad)
    {upstream}
    {_called('results', 'gradient', taken, plan.fields.tails[len(plan.args)], 'gradient_fields', 'missed_gradient')}
    return {_listed(wanted)}
"""

    def differentiated(tensors, dout, needed):
        grads = (dout if known.shape is None else dout.reshape(known.own), *[None] * (len(operator.returned) - 1))
        return operator.differentiated(saved, (False, *needed), tensors, grads, [dout.dtype] * len(grads))[1:]
    found = {**_NAMES, "prepared": operator.prepared, "prepared_tail": tail, "fields": fields, "missed_call": operator.compiled.missed,
             "gradient": gradient.prepared, "gradient_tail": plan.fields.tails[len(plan.args)], "gradient_fields": plan.fields,
             "missed_gradient": gradient.compiled.missed, "differentiated": differentiated}
    exec(text, found)
    kind = type(operator.operator.name, (torch.autograd.function._SingleLevelFunction,), {n: staticmethod(found[n]) for n in ("forward", "backward")})
    kind._backward_cls.apply = found["backward"]
    return kind.apply


class Calls(dict[Any, Known]):
    """Known calls by what they follow from."""

    def keep(self, key: Any, known: Known) -> None:
        if len(self) >= KEPT_CALLS:
            self.clear()
        self[key] = known
