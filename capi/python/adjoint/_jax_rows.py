"""Operators whose first dimension is one of rows: on arrays that are sharded along it under jax.jit, each device computes the rows that it has."""
from functools import lru_cache, partial
from types import SimpleNamespace

import jax
import jax.numpy as jnp
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec

ROWS = {"input"}  # operands that have rows; others are shared by all


class Rows:
    """A function of adjoint.functional, and its gradient. saving: (operands by name) -> (result, its gradient as a jax.tree_util.Partial of what it takes)."""

    def __init__(self, saving, operands):
        """saving is of whole arrays and of parts. operands: (name, shape, type) of each, whole."""
        self.saving, self.operands, self.names = saving, operands, [n for n, _, _ in operands]
        is_rows = [n in ROWS for n in self.names]
        self.first = is_rows.index(True)
        whole = self.traced(operands[self.first][1][0])
        self.shared = [n for n in whole.saved if n in self.names]
        self.made = [n for n in whole.saved if n not in self.names]
        self.wanted = [n for n in self.names if whole.gradients[n] is not None]
        self.forward = _partitioned(self.part_forward, is_rows, [True] * (1 + len(self.made)))
        self.backward = _partitioned(self.part_backward, [True, *[n in ROWS for n in self.shared], *[True] * len(self.made)], [n in ROWS for n in self.wanted])

    @lru_cache(maxsize=None)
    def traced(self, count):
        """What is known of a call with so many rows: the shape of the result, those of what is saved, the gradient's function and the names of its results."""
        found = SimpleNamespace()

        def run(arrays):
            result, gradient = self.saving(arrays)
            found.shape, found.saved, found.gradient = result.shape, {n: a.shape for n, a in gradient.args[0].items()}, gradient.func
            found.gradients = gradient(result)
            return result
        jax.eval_shape(run, {n: jax.ShapeDtypeStruct((count, *shape[1:]) if n in ROWS else shape, dtype) for n, shape, dtype in self.operands})
        found.gradients = {n: None if g is None else True for n, g in found.gradients.items()}
        return found

    def part_forward(self, *operands):
        count = operands[self.first].shape[0]
        result, gradient = self.saving(dict(zip(self.names, operands)))
        return result.reshape(count, -1), *[gradient.args[0][n].reshape(count, -1) for n in self.made]

    def part_backward(self, upstream, *saved):
        known = self.traced(upstream.shape[0])
        given = {n: a.reshape(known.saved[n]) for n, a in zip([*self.shared, *self.made], saved)}
        found = known.gradient(given, upstream.reshape(known.shape))
        return tuple([found[n] for n in self.wanted])


@lru_cache(maxsize=4096)
def _rows_of(saving, operands):
    return Rows(saving, operands)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def by_rows(saving, arrays):
    """The result of a call, flat but for its rows. saving: see Rows; equal for equal calls."""
    return _forward(saving, arrays)[0]


def _forward(saving, arrays):
    rows = _rows_of(saving, tuple([(n, a.shape, a.dtype) for n, a in arrays.items()]))
    result, *made = rows.forward(*arrays.values())
    return result, (arrays, [arrays[n] for n in rows.shared], made)


def _backward(saving, kept, upstream):
    arrays, shared, made = kept
    rows = _rows_of(saving, tuple([(n, a.shape, a.dtype) for n, a in arrays.items()]))
    found = dict(zip(rows.wanted, rows.backward(upstream, *shared, *made)))
    return ({n: found.get(n) for n in arrays},)


by_rows.defvjp(_forward, _backward)


def _partitioned(function, operands, results):
    """A function of arrays, computed on the rows of each device. operands, results: whether each has rows; results that have none are sums over rows."""
    def spread(mesh, arguments):
        first = arguments[operands.index(True)]
        spec = first.sharding.spec
        axes = spec[0] if len(spec) else None
        names = () if axes is None else (axes,) if isinstance(axes, str) else tuple(axes)
        parts = 1
        for name in names:
            parts *= mesh.shape[name]
        if first.shape[0] % parts:
            axes, names = None, ()
        own, whole = NamedSharding(mesh, PartitionSpec(axes)), NamedSharding(mesh, PartitionSpec())
        return names, tuple([own if r else whole for r in operands]), tuple([own if r else whole for r in results])

    def partition(mesh, arguments, _):
        names, given, made = spread(mesh, arguments)

        def part(*local):
            found = function(*local)
            return tuple([a if is_rows or not names else jax.lax.psum(a, names) for a, is_rows in zip(found, results)])
        return mesh, part, made, given

    def rule(mesh, arguments, made):
        words, others = [], []
        for kinds, types in ((operands, arguments), (results, made)):
            some = []
            for is_rows, kind in zip(kinds, types):
                own = [f"d{len(others) + i}" for i in range(len(kind.shape) - is_rows)]
                others += own
                some.append(" ".join(["i"] * is_rows + own))
            words.append(", ".join(some))
        return " -> ".join(words), {"need_replication_factors": tuple(others)}
    called = custom_partitioning(function)
    called.def_partition(partition, infer_sharding_from_operands=lambda mesh, arguments, _: spread(mesh, arguments)[2], sharding_rule=rule)
    batched = jax.custom_batching.custom_vmap(called)

    @batched.def_vmap
    def _(size, is_batched, *arrays):
        found = jax.vmap(function, [0 if b else None for b in is_batched])(*arrays)
        return found, tuple([True] * len(found))
    return batched


def serves(array):
    """Whether an array may be sharded by its rows: there are devices to shard it over, and jax.shard_map has not done that already."""
    if array.ndim < 2 or not array.size or jax.device_count() == 1 or not jnp.issubdtype(array.dtype, jnp.floating):
        return False
    return not getattr(jax.sharding.get_abstract_mesh(), "manual_axes", ()) if hasattr(jax.sharding, "get_abstract_mesh") else True
