#!/usr/bin/env python3
"""Every f32 number through every activation function and its gradient, on a GPU, against formulas in f64.

  every_float.py [GLOB] [--limit N] [--json FILE]

GLOB chooses names such as gelu, or 'silu*'. Needs torch, and the library that ADJOINT_LIBRARY names. Takes about a minute on an H200.

A line of the table is a SKU with one choice of `saved` and dout: 1, a number with inexact products, and finite numbers of every exponent. Errors are in units in the last place of the f64 result rounded to f32:
the worst one with its argument, and the mean. A unit of a result below 2^-126 is 2^-149; such results have a worst error of their own. `of bound` is
the largest error divided by the bound that the SKU states, with the terms of include/adjoint/ops/activation.h. An infinite result of a finite formula
counts as 2^128. `wrong` counts results that are NaN where the formula is not, and the reverse, and other numbers than an infinite value of the formula. Exit 1 where a bound is exceeded or a result is wrong, 77 without a GPU.
"""
import argparse
import fnmatch
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "capi", "python"))

CHUNK = 1 << 26
LEAKY, QUICK = 0.01, 1.702
SMALLEST = 2.0**-126
BEYOND = 2.0**128


def vanishing(large, small):
    """A product with a factor that goes to 0 faster than the other one grows."""
    return torch.where(small == 0, torch.zeros_like(large), large * small)


def sigmoid(v):
    return 1 / (1 + torch.exp(-v))


def soft(z):
    return z.clamp(min=0) + torch.log1p(torch.exp(-z.abs()))


def tanh_argument(z):
    return 1.59576912160573071176 * (z + 0.044715 * z * z * z)


def vanishing_pair(v):
    return sigmoid(v) * sigmoid(-v)


def phi(z):
    return 0.5 * torch.special.erfc(-z * 0.70710678118654752440)


def hard_slope(z):
    return torch.where(z >= 3, torch.ones_like(z), torch.where(z <= -3, torch.zeros_like(z), z / 3 + 0.5))


def hard_value(z):
    return torch.where(z >= 3, z, torch.where(z <= -3, torch.zeros_like(z), z * (z + 3) / 6))


def gelu_tanh_slope(z):
    v = tanh_argument(z)
    return sigmoid(v) + vanishing(z, vanishing(1.59576912160573071176 * (1 + 0.134145 * z * z), vanishing_pair(v)))


def step(z, low):
    return torch.where(z > 0, torch.ones_like(z), torch.full_like(z, low))


def decaying(factor, v):
    """A term with exp(-|v|), as the header counts it: 1 + |v| times."""
    term = factor.abs() * torch.exp(-v.abs()) * (1 + v.abs())
    return torch.where(torch.isfinite(factor) & torch.isfinite(v), term, torch.zeros_like(term))


def ones(z):
    return torch.ones_like(z)


def above(z):
    return (z > 0).double()


def terms_of_sigma(size, v, with_slope):
    tail = above(v) + decaying(ones(v), v)
    return tail + decaying(v, v) if with_slope else size * tail


# Name: value, slope, terms of the value, terms of the slope; of an argument z in f64, size = |z| or 0 where that is infinite.
FUNCTIONS = {
    "relu": (lambda z: torch.where(z <= 0, torch.zeros_like(z), z), lambda z: (z > 0).double(), lambda z, s: s, lambda z, s: ones(z)),
    "leaky_relu": (lambda z: torch.where(z > 0, z, LEAKY * z), lambda z: step(z, LEAKY), lambda z, s: s, lambda z, s: ones(z)),
    "gelu": (lambda z: vanishing(z, phi(z)), lambda z: phi(z) + vanishing(z, 0.39894228040143267794 * torch.exp(-0.5 * z * z)),
             lambda z, s: s * (above(z) + decaying(ones(z) / 2, z * z / 2)),
             lambda z, s: above(z) + decaying(ones(z) / 2, z * z / 2) + decaying(0.4 * s, z * z / 2)),
    "gelu_tanh": (lambda z: vanishing(z, sigmoid(tanh_argument(z))), gelu_tanh_slope,
                  lambda z, s: terms_of_sigma(s, tanh_argument(z), False),
                  lambda z, s: terms_of_sigma(ones(z), tanh_argument(z), False) + decaying(s * 1.6 * (1 + 0.134145 * z * z), tanh_argument(z))),
    "quick_gelu": (lambda z: vanishing(z, sigmoid(QUICK * z)), lambda z: sigmoid(QUICK * z) + vanishing(QUICK * z, vanishing_pair(QUICK * z)),
                   lambda z, s: terms_of_sigma(s, QUICK * z, False), lambda z, s: terms_of_sigma(s, QUICK * z, True)),
    "sigmoid": (sigmoid, vanishing_pair, lambda z, s: above(z) + decaying(ones(z), z), lambda z, s: decaying(ones(z), z)),
    "tanh": (lambda z: torch.tanh(z), lambda z: 4 * vanishing_pair(2 * z), lambda z, s: torch.tanh(z).abs(), lambda z, s: decaying(4 * ones(z), 2 * z)),
    "silu": (lambda z: vanishing(z, sigmoid(z)), lambda z: sigmoid(z) + vanishing(z, vanishing_pair(z)),
             lambda z, s: terms_of_sigma(s, z, False), lambda z, s: terms_of_sigma(s, z, True)),
    "elu": (lambda z: torch.where(z > 0, z, torch.expm1(z)), lambda z: torch.where(z > 0, ones(z), torch.exp(z)),
            lambda z, s: above(z) * s + torch.expm1(z.clamp(max=0)).abs(), lambda z, s: above(z) + decaying(ones(z), z)),
    "softplus": (soft, sigmoid, lambda z, s: above(z) * s + decaying(ones(z), z), lambda z, s: above(z) + decaying(ones(z), z)),
    "mish": (lambda z: vanishing(z, torch.tanh(soft(z))),
             lambda z: torch.tanh(soft(z)) + vanishing(z, sigmoid(z) / torch.cosh(soft(z))**2),
             lambda z, s: s * (above(z) + decaying(ones(z), z)), lambda z, s: above(z) + decaying(ones(z), z) + decaying(4 * s, z)),
    "hard_swish": (hard_value, hard_slope, lambda z, s: s * (s / 6 + 0.5), lambda z, s: s / 3 + 0.5),
    "relu_squared": (lambda z: torch.where(z <= 0, torch.zeros_like(z), z * z), lambda z: torch.where(z <= 0, torch.zeros_like(z), 2 * z), lambda z, s: s * s, lambda z, s: 2 * s),
}
# Slopes from values y: the slope, its terms, and the values that the function has.
FROM_OUTPUT = {
    "relu": (lambda y: (y > 0).double(), lambda y: ones(y), lambda y: y >= 0),
    "leaky_relu": (lambda y: step(y, LEAKY), lambda y: ones(y), lambda y: y == y),
    "sigmoid": (lambda y: y * (1 - y), lambda y: (y * (1 - y)).abs(), lambda y: (y >= 0) & (y <= 1)),
    "tanh": (lambda y: (1 - y) * (1 + y), lambda y: (1 - y * y).abs(), lambda y: y.abs() <= 1),
    "elu": (lambda y: torch.where(y > 0, ones(y), y + 1), lambda y: (y.abs() + 1).clamp(min=1), lambda y: y >= -1),
    "softplus": (lambda y: -torch.expm1(-y), lambda y: torch.expm1(-y).abs(), lambda y: y >= 0),
}
GATED = {"swiglu": "silu", "geglu": "gelu", "geglu_tanh": "gelu_tanh", "reglu": "relu"}


def ulp(r):
    """The distance of f32 numbers next to the f64 numbers r."""
    exponent = ((r.view(torch.int64) >> 52) & 0x7FF).clamp(897, 1023 + 127)
    return ((exponent - 23) << 52).view(torch.float64)


class Errors:
    """What a line of the table says, from the chunks of all numbers."""

    def __init__(self, name, guarantee):
        self.name, self.guarantee = name, guarantee
        self.worst = self.worst_small = self.total = self.share = torch.zeros((), dtype=torch.float64, device="cuda")
        self.at = self.share_at = torch.zeros((), device="cuda")
        self.count = self.wrong = torch.zeros((), dtype=torch.int64, device="cuda")

    def add(self, x, got, want, terms, asked=None):
        wide = got.double()
        wrong = torch.isnan(got) != torch.isnan(want)
        wrong |= torch.isinf(want) & ~torch.isnan(got) & (wide != want)
        finite = torch.isfinite(want) & ~torch.isnan(got)
        # Rounding gives infinity from the number on that would follow the largest one, so an infinite result stands for it.
        wide, want = wide.clamp(-BEYOND, BEYOND), want.clamp(-BEYOND, BEYOND)
        if asked is not None:
            finite &= asked
            wrong &= asked
        self.wrong = self.wrong + wrong.sum()
        unit = ulp(want)
        error = torch.where(finite, (wide - want).abs(), 0.0)
        g = self.guarantee
        share = error / (g.bound_ulp * unit + g.bound_terms * torch.where(torch.isfinite(terms), terms, 0.0) + g.bound_absolute + 1e-300)
        error /= unit
        small = want.abs() < SMALLEST
        self.worst_small = torch.maximum(self.worst_small, torch.where(small, error, 0.0).max())
        error = torch.where(small, 0.0, error)
        self.total = self.total + error.sum()
        self.count = self.count + (finite & ~small).sum()
        for worst, at, values in (("worst", "at", error), ("share", "share_at", share)):
            value, place = values.max(0)
            larger = value > getattr(self, worst)
            setattr(self, at, torch.where(larger, x[place], getattr(self, at)))
            setattr(self, worst, torch.where(larger, value, getattr(self, worst)))

    def line(self):
        mean = self.total.item() / max(self.count.item(), 1)
        return (f"{self.name:44} {self.worst.item():12.4g} {self.at.item():15.8g} {mean:8.3f} {self.worst_small.item():11.4g} {self.share.item():9.3f} "
                f"{self.share_at.item():15.8g} {self.wrong.item():6}")

    def row(self):
        operator, *rest = self.name.split(" ", 1)
        g = self.guarantee
        return {"operator": operator, "what": " ".join(rest), "ulp": self.worst.item(), "of_bound": self.share.item(), "wrong": self.wrong.item(),
                "numbers": self.count.item(), "bound_ulp": g.bound_ulp, "bound_terms": g.bound_terms, "bound_absolute": g.bound_absolute}

    def good(self):
        return self.wrong.item() == 0 and self.share.item() <= 1


def chunks(limit):
    for first in range(-(1 << 31), 1 << 31, CHUNK):
        if limit and (first + (1 << 31)) // CHUNK >= limit:
            return
        x = (torch.arange(CHUNK, dtype=torch.int32, device="cuda") + first).view(torch.float32)
        yield x, x.double()


def whole_range():
    """Finite numbers of every exponent and both signs, in an order without a pattern."""
    bits = (torch.arange(CHUNK, dtype=torch.int64, device="cuda") * 2654435761) & 0xFFFFFFFF
    numbers = torch.where(bits >= 1 << 31, bits - (1 << 32), bits).to(torch.int32).view(torch.float32)
    return torch.where(torch.isfinite(numbers), numbers, torch.ones_like(numbers))


def examine(name, limit):
    """The lines of a function."""
    gated = name in GATED
    function = GATED.get(name, name)
    value, slope, value_terms, slope_terms = FUNCTIONS[function]
    unit = torch.ones(CHUNK, device="cuda")
    douts = {"1": unit, "-0.0037": torch.full((CHUNK,), -0.0037, device="cuda"), "of every exponent": whole_range()}
    kind = "gated_activation" if gated else "activation"
    forward = Errors(f"{kind}_forward {name}", adjoint.sku(f"{kind}_forward/vector/{name}.f32/sm80").guarantee)
    bound = adjoint.sku(f"{kind}_backward/vector/{name}.f32/sm80").guarantee
    backward = [(dout, "input", Errors(f"{kind}_backward {name} dout {text}", bound)) for text, dout in douts.items()]
    if not gated and name in FROM_OUTPUT:
        backward.append((unit, "output", Errors(f"{kind}_backward {name} saved=output", bound)))
    for x, z in chunks(limit):
        size = torch.where(torch.isfinite(z), z.abs(), 0.0)
        row = torch.stack([x, unit], 1).reshape(1, -1) if gated else None
        got = adjoint.gated_activation(row, name, interleaved=True).reshape(-1) if gated else adjoint.activation(x, name)
        forward.add(x, got, value(z), value_terms(z, size))
        slopes = {"input": (slope(z), slope_terms(z, size), None)}
        if name in FROM_OUTPUT:
            slopes["output"] = tuple(part(z) for part in FROM_OUTPUT[name])
        for dout, saved, errors in backward:
            if gated:
                got = adjoint.gated_activation_backward(dout.reshape(1, -1), row, name, interleaved=True).reshape(-1, 2)[:, 0].contiguous()
            else:
                got = adjoint.activation_backward(dout, x, name, saved_is=saved)
            scale = dout.double()
            want, terms, asked = slopes[saved]
            errors.add(x, got, scale * want, scale.abs() * terms, asked)
    return [forward] + [errors for _, _, errors in backward]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("glob", nargs="?", default="*", help="only functions whose name matches")
    parser.add_argument("--limit", type=int, default=0, help="only so many of the 64 parts of all numbers")
    parser.add_argument("--json", help="write the lines to this file as well")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("skipped: no CUDA device")
        return 77
    names = [n for n in [*FUNCTIONS, *GATED] if fnmatch.fnmatchcase(n, options.glob)]
    if not names:
        sys.exit(f"no function matches '{options.glob}'")
    print(f"{'':44} {'worst ulp':>12} {'at':>15} {'mean':>8} {'below 2^-126':>11} {'of bound':>9} {'at':>15} {'wrong':>6}")
    good, rows = True, []
    for name in names:
        for errors in examine(name, options.limit):
            print(errors.line(), flush=True)
            good &= errors.good()
            rows.append(errors.row())
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"device": torch.cuda.get_device_name(), "rows": rows}, file, indent=1)
            file.write("\n")
    return 0 if good else 1


if __name__ == "__main__":
    import torch

    import adjoint

    sys.exit(main())
