# SPDX-License-Identifier: Apache-2.0
"""Values of parameters: from PyNN's lazy arrays to numbers, arrays and distributions of neuropil."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyNN import random
from pyNN.parameters import ParameterSpace

from .. import exponential, lognormal, n_ranks, normal, uniform
from .errors import refuse

__all__ = ["NativeRNG"]

Ints = NDArray[np.int64]


class Drawn:
    """Values that the kernel may draw. law : a distribution; low, high : what it keeps within; rng : PyNN's generator, for its seed."""

    __slots__ = ("high", "law", "low", "rng")

    def __init__(self, law: Any, low: float, high: float, rng: Any) -> None:
        self.law, self.low, self.high, self.rng = law, low, high, rng

    def times(self, factor: float) -> Drawn:
        """The distribution of the product with a number."""
        low, high = sorted((self.low * factor, self.high * factor))
        return Drawn(self.law * factor, low, high, self.rng)


def drawn(lazy: Any) -> Drawn | None:
    """The distribution that a lazy array draws from, if the kernel has it; else None."""
    base = lazy.base_value
    if not isinstance(base, random.RandomDistribution) or (found := _law(base.name, base.parameters)) is None:
        return None
    made = Drawn(*found, base.rng)
    for function, number in lazy.operations:
        if function is not operator.mul or not isinstance(number, int | float):
            return None
        made = made.times(float(number))
    return made


def _law(name: str, given: dict[str, Any]) -> tuple[Any, float, float] | None:
    """A distribution of neuropil by PyNN's name, and its bounds."""
    p = {key: float(value) for key, value in given.items()}
    if name == "uniform":
        return uniform(p["low"], p["high"]), p["low"], p["high"]
    if name == "normal":
        return normal(p["mu"], p["sigma"]), -np.inf, np.inf
    if name == "exponential":
        return exponential(p["beta"]), 0.0, np.inf
    if name == "lognormal":
        return lognormal(p["mu"], p["sigma"]), 0.0, np.inf
    if name == "normal_clipped":
        return normal(p["mu"], p["sigma"]).redraw(p["low"], p["high"]), p["low"], p["high"]
    if name == "normal_clipped_to_boundary":
        return normal(p["mu"], p["sigma"]).clip(p["low"], p["high"]), p["low"], p["high"]
    return None


def at_edges(lazy: Any, pre: Ints, post: Ints) -> Any:
    """Values of a lazy array of shape (n_pre, n_post) for edges by their positions: a number, or an array of shape (n,)."""
    if lazy.is_homogeneous:
        return lazy.evaluate(simplify=True)
    if not len(pre):
        return np.empty(0)
    values = np.asarray(agreed(lazy)[pre, post], np.float64)
    return values if values.shape == pre.shape else np.broadcast_to(values, pre.shape).copy()


class NativeRNG(random.NumpyRNG):
    """Random numbers of the kernel where it can draw them, else of numpy."""


def seeded(rng: Any) -> bool:
    """Whether a generator was given a seed, so that what it draws is to be the same in each run of the script."""
    return getattr(rng, "seed", None) is not None


def agreed(drawing: Any) -> Any:
    """A generator, or what draws. Raises NotSupported where the numbers would not be the same on all ranks."""
    if n_ranks() == 1:
        return drawing
    if isinstance(drawing, ParameterSpace):
        for _, value in drawing.items():
            agreed(value)
    for _, operand in getattr(drawing, "operations", ()):
        agreed(operand)
    base = getattr(drawing, "base_value", drawing)
    rng = base.rng if isinstance(base, random.RandomDistribution) else base
    if isinstance(rng, random.AbstractRNG):
        if not seeded(rng):
            refuse("rng", "on several ranks a generator needs a seed, so that all ranks draw the same numbers: NumpyRNG(seed=...)")
        if not getattr(rng, "parallel_safe", True):
            refuse("parallel_safe", "False: all ranks describe the same network, so all must draw the same numbers")
    return drawing


def rng_seed(rng: Any) -> int:
    """A seed for the kernel, drawn from PyNN's generator."""
    return int(agreed(rng).next(1, "uniform_int", {"low": 0, "high": 2**31 - 2})[0])
