"""Optimizers over parameters of any array library."""
from __future__ import annotations

import math
from contextlib import nullcontext
from functools import partial
from math import prod
from types import SimpleNamespace
from typing import Any, Iterable

from ._arrays import library_of
from ._generated import Dtype, Status
from ._given import looked
from ._library import SIZES, error
from ._operators import Descriptor, operator_of
from .functional import adam

_ADAM = operator_of("adam")


def _refuse(sentence, code=Status.INVALID_ARGUMENT):
    raise error(code, f"AdamW: {sentence}")


_CALLER = SimpleNamespace(name="adam", fail=_refuse)


def check_adamw(lr, betas, epsilon, weight_decay):
    """Raises for options that AdamW does not take: what the operator adam refuses."""
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        _refuse(f"betas = {betas!r} is not a pair of numbers")
    try:
        valid = 0 <= float(lr) < math.inf
    except (TypeError, ValueError, RuntimeError):
        valid = False
    if not valid:
        _refuse(f"lr = {lr!r} is not a finite number from 0 on")
    fields = {"param": Dtype.F32, "beta1": betas[0], "beta2": betas[1], "epsilon": epsilon, "weight_decay": weight_decay}
    Descriptor(_ADAM, fields).need(_ADAM.arguments[0])


def check_parameters(parameters):
    """Raises for parameters that AdamW does not take."""
    places = {}
    for i, parameter in enumerate(parameters):
        with getattr(library_of(parameter), "untracked", nullcontext)():
            view, address = looked(_CALLER, f"params[{i}]", parameter)
        found = view.dtype
        if found not in (Dtype.F32, Dtype.F64, Dtype.F16, Dtype.BF16):
            _refuse(f"params[{i}] has elements of type {getattr(found, 'name', str(found)).lower()}, expected f32, f64, f16 or bf16", Status.DTYPE_MISMATCH)
        count = prod(view.shape)
        if count:  # of an array that is not dense the first element alone is known
            places.setdefault(view.device, []).append((address, i, address + (count if view.contiguous else 1) * SIZES[found]))
    for spans in places.values():
        end, owner = 0, None
        for address, i, stop in sorted(spans):
            if address < end:
                first, second = sorted((owner, i))
                _refuse(f"params[{second}] is params[{first}] again, or a part of its memory; a step would update it twice")
            if stop > end:
                end, owner = stop, i


def _number(name, value):
    """A number that is given as itself or as an array of one element, which is waited for where it lies on a device."""
    if isinstance(value, (bool, int, float)):
        return value
    try:
        number = value.item() if hasattr(value, "item") else memoryview(value).cast("B").cast(memoryview(value).format)[0]
        return number + 0  # of a text, an error
    except (TypeError, ValueError, RuntimeError, IndexError):
        shape = getattr(value, "shape", None)
        _refuse(f"{name} {f'is of type {type(value).__name__}' if shape is None else f'has the shape {list(shape)}'}, expected a number or an array of one element")


class Updates:
    """AdamW steps of an optimizer's parameters. Those of a device, of the same types and with an equal number of steps, share a launch.

    Where the arrays have the shapes, layouts, types and devices of those of the last step, its launches are made again, with the addresses of now."""

    def __init__(self):
        self.known, self.launches = None, []

    def step(self, entries, lr, betas, epsilon, weight_decay, grad_scale=1.0):
        """entries: (parameter, gradient, state). state is the parameter's dictionary with "step", "exp_avg" and "exp_avg_sq", empty before the first step."""
        if not entries:
            return
        library, options = library_of(entries[0][0]), (betas, epsilon, weight_decay)
        with library.untracked():
            lists = _lists(entries)
            states, known = [s for _, _, s in entries], self.problem(library, lists, options)
            again = self.again if library.adam is None else self.again_compiled
            if self.known is None or known != self.known or library.watched() or not again(library, lists, states, options, lr, grad_scale):
                self.known, self.launches = None, []
                if self.first(entries, lr, options, grad_scale) and known[1] is not None:
                    self.known = self.problem(library, _lists(entries), options)

    @staticmethod
    def problem(library, lists, options):
        """What is equal as long as the launches serve. A kernel in compiled code compares layouts itself."""
        if library.adam is not None:
            return library, len(lists[0]), options
        try:
            return library, library.layouts(sum(lists, [])), options
        except (AttributeError, RuntimeError, TypeError):  # an array of another library, which is named below
            return None, None, options

    def again_compiled(self, library, lists, states, options, lr, grad_scale):
        """again, by the library's own kernel."""
        calls = []
        if library.adam.is_watched():
            return False
        for _, places, _ in self.launches:
            some, owners = lists, states
            if len(places) < len(states):
                some, owners = [[x[i] for i in places] for x in lists], [states[i] for i in places]
            steps = {s.get("step") for s in owners}
            if len(steps) > 1 or None in steps:
                return False
            calls.append((some, owners, int(steps.pop()) + 1))
        if len(calls) > 1 and not all([library.adam(some, options, lr, step, grad_scale, True) for some, _, step in calls]):
            return False
        for some, owners, step in calls:
            if not library.adam(some, options, lr, step, grad_scale):
                return False
            library.wrote([a for i in (0, 2, 3) for a in some[i]])
            for state in owners:
                state["step"] = step
        return True

    def again(self, library, lists, states, options, lr, grad_scale):
        """The launches of the last step. Returns False, having done nothing, where they do not serve."""
        addresses, calls = list(map(library.addresses, lists)), []
        for launch, places, without in self.launches:
            some, found, owners = lists, addresses, states
            if len(places) < len(states):
                some, found, owners = [[x[i] for i in places] for x in lists], [[x[i] for i in places] for x in addresses], [states[i] for i in places]
            steps = {s["step"] for s in owners}
            if len(steps) > 1 or sum(x.count(0) for x in found) != without or not launch.serves(some[0][0]):
                return False
            calls.append((launch, some, found, owners, int(steps.pop()) + 1))
        for launch, some, found, owners, step in calls:
            launch.run([*some, *[()] * (len(_ADAM.inputs) + len(_ADAM.outputs) - 4)], found, {"lr": lr, "step": step, "grad_scale": grad_scale})
            for state in owners:
                state["step"] = step
        return True

    def first(self, entries, lr, options, grad_scale):
        """A step of arrays that are not known. Returns whether its launches can be made again: no array was copied."""
        betas, epsilon, weight_decay = options
        groups, in_place = {}, True
        for i, (parameter, gradient, state) in enumerate(entries):
            library = library_of(parameter)
            shape, given = (looked(_CALLER, f"{name}[{i}]", a)[0].shape for name, a in (("params", parameter), ("grads", gradient)))
            if library_of(gradient) is not library:
                _refuse(f"grads[{i}] is an array of {library_of(gradient).name}, and its parameter one of {library.name}; give all of one library")
            if shape != given:
                _refuse(f"grads[{i}] has the shape {list(given)}, and its parameter {list(shape)}", Status.SHAPE_MISMATCH)
            if not state:
                state.update(step=0, exp_avg=library.zeros_like(parameter), exp_avg_sq=library.zeros_like(parameter))
            given = parameter, gradient, state["exp_avg"], state["exp_avg_sq"]
            arrays, write_back = library.row_major(given)
            in_place = in_place and library.addresses(arrays) == library.addresses(given)
            kinds = tuple(library.look(a)[0][1:] for a in arrays[:3])
            groups.setdefault((library, int(state["step"]) + 1, kinds), []).append((i, arrays, write_back, state))
        for (library, step, _), group in groups.items():
            places, arrays, _, _ = zip(*group)
            lists = list(zip(*arrays))
            given = {"step": step, "lr": lr, "epsilon": epsilon, "weight_decay": weight_decay, "grad_scale": grad_scale}
            if library.watched():
                call, in_place = partial(library.operator("adam"), *lists, beta1=betas[0], beta2=betas[1], **given), False
            else:
                call = partial(adam, *lists, betas=betas, **given)
            call()
            for _, _, write_back, state in group:
                write_back()
                state["step"] = step
            if in_place and library.adam is not None:
                library.adam.keep(_lists([entries[i] for i in places]), options, call(_verb="again").call)
                self.launches.append((None, places, None))
            elif in_place and not library.foreign:
                self.launches.append((call(_verb="again"), places, sum(library.addresses(x).count(0) for x in lists)))
        return in_place


def _lists(entries):
    """Parameters, gradients and both moments."""
    return [[p for p, _, _ in entries], [g for _, g, _ in entries], *([s.get(name) for _, _, s in entries] for name in ("exp_avg", "exp_avg_sq"))]


class AdamW:
    """AdamW over arrays: torch's model.parameters(), or a list of arrays of any library, whose gradients go to step().

    For torch's learning rate schedulers and gradient scaler there is adjoint.torch.AdamW, a torch.optim.Optimizer."""

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8,
                 weight_decay: float = 1e-2) -> None:
        check_adamw(lr, betas, epsilon, weight_decay)
        self.params = list(params)
        if not self.params:
            _refuse("params is empty; give the parameters to optimise, such as model.parameters()")
        check_parameters(self.params)
        self.lr, self.betas, self.epsilon, self.weight_decay = lr, tuple(betas), epsilon, weight_decay
        self.state: list[dict[str, Any]] = [{} for _ in self.params]
        self._updates = Updates()

    def step(self, grads: Iterable[Any] | None = None, *, grad_scale: float = 1.0, found_inf: Any = None) -> None:
        """One step, with the gradients `grads`, by default the parameters' attribute grad. A gradient None leaves its parameter out.

        found_inf: a number, or an array of one element; other than 0, nothing is changed and no step is counted."""
        if grads is None and not hasattr(self.params[0], "grad"):
            _refuse(f"grads is not given, and {type(self.params[0]).__name__} has no attribute grad; call step(grads)")
        if grads is not None and not hasattr(grads, "__iter__"):
            _refuse(f"grads is of type {type(grads).__name__}, expected a list of arrays")
        grads = [p.grad for p in self.params] if grads is None else list(grads)
        if len(grads) != len(self.params):
            _refuse(f"{len(grads)} gradients for {len(self.params)} parameters; give one for each, or None")
        if found_inf is not None and _number("found_inf", found_inf):
            return  # a step that is skipped changes nothing, and is not counted
        entries = [(p, g, s) for p, g, s in zip(self.params, grads, self.state) if g is not None]
        self._updates.step(entries, self.lr, self.betas, self.epsilon, self.weight_decay, grad_scale)

    def zero_grad(self) -> None:
        """Sets the parameters' attribute grad to None."""
        for p in self.params:
            if getattr(p, "grad", None) is not None:
                p.grad = None

    def state_dict(self) -> dict[str, Any]:
        """The state and the options. Its arrays are those of the optimizer."""
        return {"state": [dict(s) for s in self.state], "lr": self.lr, "betas": self.betas, "epsilon": self.epsilon, "weight_decay": self.weight_decay}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes the options and copies of the arrays of another optimizer's state_dict()."""
        if len(state["state"]) != len(self.params):
            _refuse(f"a state of {len(state['state'])} parameters for {len(self.params)} parameters")
        options = {name: state[name] for name in ("lr", "betas", "epsilon", "weight_decay")}
        check_adamw(**options)
        self.__dict__.update(options)
        self.state = [{name: value if name == "step" else library_of(value).copy(value) for name, value in s.items()} for s in state["state"]]
