"""Sizes of results where sizes of arguments are symbols, as in torch.compile and torch.export."""
import itertools
from math import prod

import sympy
from torch.fx.experimental.symbolic_shapes import free_symbols

# Sizes that symbols are tried with: multiples of 8, since some sizes must be even, times primes, so that no two expressions agree by chance. They are small, so
# that tensors of many symbols have less than 2^64 bytes.
_PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)
_TRIALS = 3


def is_symbol(value):
    """True for a torch.SymInt."""
    return hasattr(value, "node") and hasattr(value.node, "expr")


def symbols_in(values):
    """The symbols of these sizes, lists of sizes and other values, in the order of their names."""
    sizes = [n for value in values for n in (value if isinstance(value, (list, tuple)) else (value,)) if is_symbol(n)]
    return sorted(set().union(*map(free_symbols, sizes)), key=str)


def equalities(shapes):
    """Pairs of sizes that an operator may need to be equal, tried in turn: none; then those at one place of several arrays that are equal now."""
    yield []
    first, pairs = {}, []
    for shape in shapes:
        for place, n in enumerate(shape):
            if is_symbol(n) and n.node.expr.is_symbol:
                other = first.setdefault((place, n.node.hint), n)
                pairs += [(other, n)] * (other.node.expr != n.node.expr)
    if pairs:
        yield pairs


def trials(symbols, pairs):
    """Functions from a value to what it is when the symbols are numbers, one for each trial. Sizes of a pair are equal."""
    def at(numbers):
        def evaluate(value):
            if isinstance(value, (list, tuple)):
                return [evaluate(v) for v in value]
            return int(value.node.expr.xreplace(numbers)) if is_symbol(value) else value
        return evaluate
    for trial in range(_TRIALS):
        primes = itertools.islice(itertools.cycle(_PRIMES), trial, None, _TRIALS)
        numbers = {symbol: sympy.Integer(8 * prime) for symbol, prime in zip(symbols, primes)}
        numbers.update((b.node.expr, numbers[a.node.expr]) for a, b in pairs)
        yield at(numbers)


def candidates(shapes, values):
    """Expressions that a size of a result may be: a size of an argument, a product of neighbouring ones, a field, or the sum of a list."""
    for shape in shapes:
        for first, last in itertools.combinations(range(len(shape) + 1), 2):
            yield prod(shape[first:last])
    for value in values:
        if isinstance(value, (list, tuple)) and any(map(is_symbol, value)):
            yield from value
            yield sum(value)
        elif is_symbol(value):
            yield value


def fitted(sizes, shapes, values, evaluations):
    """The expression of a size that was sizes[i] in trial i, or None: then it depends on the arguments in another way."""
    if len(set(sizes)) == 1:
        return sizes[0]
    return next((c for c in candidates(shapes, values) if [evaluate(c) for evaluate in evaluations] == list(sizes)), None)
