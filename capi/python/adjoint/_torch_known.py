"""Calls of functions of adjoint.torch that have been made: what later ones like them follow from."""
from __future__ import annotations

from typing import Any

import torch

from . import _torch_compiled
from ._call import KEPT_CALLS
from ._torch_operators import grad_enabled


class Known:
    """The first result of a call of these fields, whose tensors have known shapes.

    shape: what the result is to have, None for that of the operator, which is own once it is known. recorded: the functions for autograd, by which tensors
    require a gradient."""
    __slots__ = ("operator", "fields", "shape", "own", "recorded")

    def __init__(self, operator: Any, fields: Any, shape: Any) -> None:
        self.operator, self.fields, self.shape, self.own, self.recorded = operator, fields, shape, None, {}

    def call(self, args: Any) -> Any:
        """The call of any tensors, where nobody but autograd looks on."""
        results = self.operator.quiet(args, self.fields)
        result = results if self.operator.single else results[0]
        self.own = result.shape
        return result if self.shape is None else result.reshape(self.shape)

    def keep(self, caller: Any, args: Any) -> None:
        """Makes the call known to its caller, where the kernel makes it from here on: for autograd once the gradient has been computed."""
        tail, apply = self.fields.tails and self.fields.tails[len(self.operator.inputs)], None
        if tail is None or any([number is not None for number in tail[:-1]]):
            return
        needed = tuple([a is not None and a.requires_grad for a in args])
        if any(needed) and grad_enabled():
            apply = self.recorded.get(needed) or self.record(args, needed)
            if apply is None:
                return
        caller.keep(self.operator, tail[-1], args, None if self.shape in (None, self.own) else tuple(self.shape), apply)

    def record(self, args: Any, needed: Any) -> Any:
        """What records the gradient in those tensors, None where none has been computed yet."""
        operator, fields = self.operator, self.fields
        saved = fields.saved.get(tuple([None if a is None else a.shape for a in args]))
        plan = saved and saved.plans.get(((False, *needed), (False, *[True] * (len(operator.returned) - 1))))
        if not plan or plan.shapes is None or plan.absent or operator.gradient.prepared is None or plan.fields.tails is None:
            return None
        tail = plan.fields.tails[len(plan.args)]
        if any([number is not None for number in tail[:-1]]) or self.shape is not None and (True, 0) in saved.picks:
            return None
        self.recorded[needed] = apply = _recorded(self, saved, plan, needed, tail[-1])
        return apply


def _recorded(known, saved, plan, needed, problem):
    """The function of torch.autograd for calls that are known. It refers to nothing that refers to it: the adapter's functions are no matter of the collector."""
    operator, fields, shape, own, count = known.operator, known.fields, known.shape, known.own, len(saved.picks)

    def compute(*args):
        results = operator.compute(args, fields)
        results = (results,) if operator.single else results
        return results if shape is None else (results[0].reshape(shape), *results[1:])

    def differentiate(ctx, tensors, dout):
        grads = (dout if shape is None else dout.reshape(own), *[None] * (len(operator.returned) - 1))
        return operator.differentiated(saved, (False, *needed), tensors, grads, [dout.dtype] * len(grads))[1:]
    wanted = tuple([-1 if i is None else i for i in plan.wanted])
    taken = [-2 if i is None else i if i < count else -1 for i in plan.args]
    forward, backward = _torch_compiled.known.record(
        tuple([-1 - i if is_result else i for is_result, i in saved.picks]), operator.gradient.compiled.number, problem, tuple(taken), tuple(own), wanted,
        tuple([None if s is None else tuple(s) for s in plan.shapes]), compute, differentiate)
    kind = type(operator.operator.name, (torch.autograd.function._SingleLevelFunction,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})
    kind._backward_cls.apply = lambda ctx, dout: backward(ctx, dout)  # a function of Python alone is given the context
    return kind.apply


class Calls(dict[Any, Known]):
    """Known calls by what they follow from."""

    def keep(self, key: Any, known: Known) -> None:
        if len(self) >= KEPT_CALLS:
            self.clear()
        self[key] = known
