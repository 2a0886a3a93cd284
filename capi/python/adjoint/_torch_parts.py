"""Operators of rows and of single elements on DTensors: each process computes the part that it has, and nothing is sent but sums of gradients of weights."""
from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard


class Rule(NamedTuple):
    """rows: arguments and results that have a part in each process; the first that a call has says which. shared: arguments that are whole in each. sums: results
    that are sums over rows. statistics: of rows, in one dimension where flat."""
    rows: tuple[str, ...]
    shared: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()
    statistics: tuple[str, ...] = ()
    flat: bool = False


_ROWS, _STATISTICS = ("input", "saved", "out", "dout", "dinput", "residual", "sum", "dresidual"), ("mean", "inv_std")
_NORM = Rule(_ROWS, ("gamma", "beta"), ("dgamma", "dbeta"), _STATISTICS, True)
_KINDS = {"softmax": Rule(_ROWS), "log_softmax": Rule(_ROWS), "gated_activation": Rule(_ROWS), "activation": Rule(_ROWS, ("bias",), ("dbias",)),
          "layer_norm": _NORM, "rms_norm": _NORM, "group_norm": Rule(_ROWS, ("scale", "bias"), ("dscale", "dbias"), _STATISTICS)}


def _whole(operator: Any, kind: str, shape: tuple[int, ...], given: dict[str, Any]) -> range:
    """The dimensions that every part has whole."""
    end = len(shape)
    if kind.endswith("softmax"):
        sizes = [given.get(n) for n in ("outer", "extent", "inner")]
        for i in range(end):
            if sizes == [prod(shape[:i]), shape[i], prod(shape[i + 1:])]:
                return range(i, i + 1)
        operator.fail(f"outer, extent and inner are {sizes}, and of a DTensor of the shape {list(shape)} they must name one dimension")
    if kind == "activation":
        return range(end - bool(given.get("has_bias") or given.get("has_dbias")), end)
    return range({"gated_activation": end - 1, "group_norm": 1}.get(kind, (given.get("axis") or 0) % max(end, 1)), end)


def call(operator: Any, args: Any, given: dict[str, Any]) -> Any:
    """The results of an operator as DTensors. Arguments are redistributed to the placements of the first; weights are whole in each process, and so are their
    gradients."""
    known, name = operator.operator, operator.operator.name
    kind = name.removesuffix("_forward").removesuffix("_backward")
    rule = _KINDS.get(kind)
    if rule is None:
        known.fail("an argument is a DTensor, and the operator is not one of rows, which works on the part of a process; give to_local() of it")
    tensors = {n: a for n, a in zip(operator.positional, args) if a is not None}
    first = next(n for n in rule.rows if n in tensors)
    for n, a in tensors.items():
        if not isinstance(a, DTensor):
            known.fail(f"{n} is a tensor of this process alone and another argument is a DTensor; give DTensors alone, as torch.distributed.tensor.distribute_tensor "
                       "makes them")
        if a.device_mesh != tensors[first].device_mesh:
            known.fail(f"{n} is on another mesh than {first}: {a.device_mesh} and {tensors[first].device_mesh}")
    mesh, placements, shape = tensors[first].device_mesh, tensors[first].placements, tuple(tensors[first].shape)
    whole = _whole(known, kind, shape, given)
    for p in placements:
        if type(p) is not Shard and type(p) is not Replicate:
            known.fail(f"{first} has the placements {tuple(placements)}, and the operator takes Shard and Replicate; redistribute it")
        if type(p) is Shard and p.dim % max(len(shape), 1) in whole:
            known.fail(f"{first} is sharded along dimension {p.dim % len(shape)}, which the operator takes whole; redistribute it")
    replicated, split = [Replicate()] * len(placements), {p.dim % len(shape) for p in placements if type(p) is Shard}
    local = {n: a.redistribute(mesh, replicated if n in rule.shared else placements).to_local() for n, a in tensors.items()}
    own = tuple(local[first].shape)
    local = {n: a.flatten() if rule.flat and n in rule.statistics else a for n, a in local.items()}
    fields = dict(given)
    if kind.endswith("softmax"):
        fields.update(outer=prod(own[:whole[0]]), inner=prod(own[whole[0] + 1:]))
    elif "activation" in kind:
        fields = {k: v for k, v in fields.items() if k not in ("outer", "inner")}
        fields.update({"inner": (own or (1,))[-1]} if kind == "activation" else {})
    results = operator.below([local.get(n) for n in operator.positional], operator.fields(fields))

    def joined(n: str, part: Any) -> Any:
        if part.dtype == torch.uint8:  # in place of a result that is absent
            return part
        if n in rule.sums:
            terms = [Partial() if type(p) is Shard else Replicate() for p in placements]
            return DTensor.from_local(part, mesh, terms, run_check=False).redistribute(mesh, replicated)
        if n in rule.statistics:
            part = part.reshape(own[:whole[0]]) if rule.flat else part
        elif part.dim() != len(own):  # the rows in one dimension
            part = part.reshape(*own[:-1], part.shape[-1])
        size = torch.Size([shape[i] if i in split else count for i, count in enumerate(part.shape)])
        return DTensor.from_local(part, mesh, placements, run_check=False, shape=size, stride=torch.empty(size, device="meta").stride())
    if operator.single:
        return joined(operator.outputs[0], results)
    return tuple([joined(n, part) for n, part in zip(operator.outputs, results)])
