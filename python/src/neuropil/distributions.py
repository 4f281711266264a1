# SPDX-License-Identifier: Apache-2.0
"""Distributions as values: give one where a number is wanted, for node parameters, weights and delays.

Every drawn value is keyed by what it is for (seed, purpose, gid or edge), so it depends neither on threads nor on the order of drawing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .checks import to_floats, to_number, to_whole
from .errors import bad_parameter

__all__ = ["Distribution", "Value", "exponential", "lognormal", "normal", "uniform"]

Spec = tuple[str, float, float, str, float, float, NDArray[np.float64] | None, int]


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution, perhaps within bounds; made by `normal`, `lognormal`, `uniform`, `exponential`. It holds no state and no seed."""

    kind: str
    a: float
    b: float = 0.0
    limit: str = "none"
    min: float = -math.inf
    max: float = math.inf
    bits: int = 0

    def redraw(self, min: float = -math.inf, max: float = math.inf) -> Distribution:
        """The same distribution given that the value is in [min, max]: values outside are drawn again."""
        return self._limited("redraw", min, max)

    def clip(self, min: float = -math.inf, max: float = math.inf) -> Distribution:
        """Values below `min` become `min`, values above `max` become `max`."""
        return self._limited("clip", min, max)

    def coded(self, bits: int = 12) -> Distribution:
        """A distribution of 2^bits (1 <= bits <= 16) equally likely float32 values: the quantiles (c + 1/2) / 2^bits of this one.

        Weights drawn from it take 2 bytes per synapse where the table is static and the coded distributions of the network have at most
        65 536 values together; else 4 bytes. The values are the same.
        """
        if self.bits:
            raise bad_parameter("coded", bits, f"used once: the distribution is coded already ({self!r})")
        if not 1 <= (number := to_whole("bits", bits)) <= 16:
            raise bad_parameter("bits", bits, "from 1 to 16")
        return replace(self, bits=number)

    def sample(self, n: int, seed: int = 1) -> NDArray[np.float64]:
        """n independent values, to look at; float64 of shape (n,)."""
        return _core.draw_values(self.spec(), seed, 0, np.arange(1, n + 1, dtype=np.int64))

    def spec(self) -> Spec:
        """What the kernel takes: (kind, a, b, limit, min, max, None, bits)."""
        return (self.kind, self.a, self.b, self.limit, self.min, self.max, None, self.bits)

    def _limited(self, limit: str, low: float, high: float) -> Distribution:
        if self.limit != "none" or self.bits:
            has = "bounds" if self.limit != "none" else "codes"
            raise bad_parameter(limit, (low, high), f"used once, before coded(): the distribution has {has} already ({self!r})")
        return replace(self, limit=limit, min=to_number("min", low), max=to_number("max", high))

    def __repr__(self) -> str:
        names = _ARGUMENTS[self.kind]
        arguments = ", ".join(f"{name}={value:g}" for name, value in zip(names, (self.a, self.b), strict=False))
        bounds = ", ".join(f"{k}={v:g}" for k, v in (("min", self.min), ("max", self.max)) if math.isfinite(v))
        limit = f".{self.limit}({bounds})" if self.limit != "none" else ""
        return f"{self.kind}({arguments}){limit}" + (f".coded(bits={self.bits})" if self.bits else "")


_ARGUMENTS = {"normal": ("mean", "std"), "lognormal": ("mean", "std"), "uniform": ("min", "max"), "exponential": ("scale",)}

Value = float | Distribution | Sequence[float] | NDArray[Any]
"""What a parameter, weight or delay may be: one number for all, a distribution, or one number each."""


def normal(mean: float = 0.0, std: float = 1.0) -> Distribution:
    """Normal distribution; `std` >= 0, both in the unit of what it is used for."""
    return Distribution("normal", to_number("mean", mean), to_number("std", std))


def lognormal(mean: float = 0.0, std: float = 1.0) -> Distribution:
    """exp(x) where x is normal: `mean` and `std` are those of the logarithm, so the median is exp(mean)."""
    return Distribution("lognormal", to_number("mean", mean), to_number("std", std))


def uniform(min: float = 0.0, max: float = 1.0) -> Distribution:
    """Uniform in [min, max)."""
    return Distribution("uniform", to_number("min", min), to_number("max", max))


def exponential(scale: float = 1.0) -> Distribution:
    """Exponential distribution with mean `scale` > 0."""
    return Distribution("exponential", to_number("scale", scale))


def to_spec(name: str, value: Value) -> Spec:
    """Value spec of a weight or delay. Arrays are copied and read row by row."""
    if isinstance(value, Distribution):
        return value.spec()
    array = to_floats(name, value)
    if array.ndim == 0:
        return ("constant", float(array), 0.0, "none", -math.inf, math.inf, None, 0)
    return ("array", 0.0, 0.0, "none", -math.inf, math.inf, array.ravel(), 0)
