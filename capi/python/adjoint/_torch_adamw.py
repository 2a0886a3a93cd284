"""The optimizer of adjoint.torch."""
from __future__ import annotations

from typing import Any, Callable, Iterable

import torch

from .optim import Updates, check_adamw, check_parameters

_WHY_NOT = {"amsgrad": "the operator adam keeps no largest second moment", "capturable": "the number of the step is in ordinary memory",
            "differentiable": "the operator adam has no gradient"}


class AdamW(torch.optim.Optimizer):
    """AdamW with the parameter groups, state and hooks of torch's optimizers, and the arguments of torch.optim.AdamW.

    Of a DTensor, as of FSDP2, each process updates its part. Parameters and gradients may have any layout. Those that are not dense, and gradients in
    another layout than their parameter, are copied. All parameters of a type and device share a launch, so foreach and fused change nothing. The step is a
    number of the host: not for graph capture."""

    def __init__(self, params: Iterable[Any], lr: float | torch.Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None, capturable: bool = False,
                 differentiable: bool = False, fused: bool | None = None) -> None:
        for name, value in {"amsgrad": amsgrad, "capturable": capturable, "differentiable": differentiable}.items():
            if value:
                raise ValueError(f"AdamW: {name} = {value!r} is not supported; {_WHY_NOT[name]}; use torch.optim.AdamW")
        if foreach and fused:
            raise RuntimeError(f"AdamW: foreach = {foreach!r} and fused = {fused!r}; as with torch's, at most one is True")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
                                  "foreach": foreach, "capturable": capturable, "differentiable": differentiable, "fused": fused})

    def add_param_group(self, group: dict[str, Any]) -> None:
        options = {**self.defaults, **group}
        check_adamw(options["lr"], options["betas"], options["eps"], options["weight_decay"])
        super().add_param_group(group)
        check_parameters([_local(p) for p in self.param_groups[-1]["params"]])

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:  # type: ignore[override]
        with torch.enable_grad():
            loss = closure and closure()
        kept = self.__dict__.setdefault("_updates", [])  # torch's optimizers copy and pickle the state and the groups alone
        kept.extend(Updates() for _ in self.param_groups[len(kept):])
        for group, updates in zip(self.param_groups, kept):
            entries, state = [], self.state
            for p in group["params"]:
                g = p.grad
                if g is not None:
                    entries.append((p, g, state[p]))
            sharded = [i for i, (p, _, _) in enumerate(entries) if type(p) is not torch.nn.Parameter and hasattr(p, "to_local")]
            own, parts = {i: self._shard(*entries[i]) for i in sharded}, [(entries[i][0], i) for i in sharded]
            for i, (p, g, _) in ((i, entries[i]) for i in sharded):
                entries[i] = _local(p), _local(g), own[i]
            updates.step(entries, float(group["lr"]), tuple(group["betas"]), group["eps"], group["weight_decay"], -1.0 if group.get("maximize") else 1.0)
            for p, i in parts:
                state[p]["step"] = own[i]["step"]
        return loss

    def _shard(self, parameter, gradient, state):
        """The state of the part of a DTensor that this process has."""
        if getattr(gradient, "placements", None) != parameter.placements:
            raise ValueError(f"AdamW: a parameter has the placements {parameter.placements} and its gradient {getattr(gradient, 'placements', 'none')}; "
                             "redistribute the gradient")
        if gradient.device_mesh != parameter.device_mesh:
            raise ValueError(f"AdamW: a parameter is on the mesh {parameter.device_mesh} and its gradient on {gradient.device_mesh}")
        if any(p.is_partial() for p in parameter.placements):
            raise ValueError(f"AdamW: a parameter has the placements {parameter.placements}, whose parts are terms of a sum; redistribute it")
        if not state:
            state.update(step=0, exp_avg=torch.zeros_like(parameter), exp_avg_sq=torch.zeros_like(parameter))
        return {"step": state["step"], "exp_avg": _local(state["exp_avg"]), "exp_avg_sq": _local(state["exp_avg_sq"])}


def _local(tensor):
    """The part of a DTensor that this process has; other tensors as they are."""
    return tensor.detach().to_local() if hasattr(tensor, "to_local") else tensor
