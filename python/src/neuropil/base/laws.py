# SPDX-License-Identifier: Apache-2.0
"""Distributions as the kernel draws them: a kind, two parameters, bounds, a shift and a factor."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import bad_parameter
from .checks import to_number, to_whole

__all__ = ["ARGUMENTS", "Law", "Spec"]

Spec = tuple[str, float, float, str, float, float, Any, float, float, int]

ARGUMENTS = {
    "normal": ("mean", "std"),
    "lognormal": ("mean", "std"),
    "uniform": ("min", "max"),
    "exponential": ("scale",),
    "uniform_int": ("n",),
}


@dataclass(frozen=True, slots=True)
class Law:
    """A distribution, perhaps within bounds. It holds no state and no seed."""

    __array_ufunc__ = None  # numpy numbers on the left leave the operation to us

    kind: str
    a: float
    b: float = 0.0
    limit: str = "none"
    min: float = -math.inf
    max: float = math.inf
    shift: float = 0.0
    factor: float = 1.0
    bits: int = 0

    def redraw(self, min: float = -math.inf, max: float = math.inf) -> Self:
        """The same distribution given that the value is in [min, max]: values outside are drawn again."""
        return self._limited("redraw", min, max)

    def clip(self, min: float = -math.inf, max: float = math.inf) -> Self:
        """Values below `min` become `min`, values above `max` become `max`."""
        return self._limited("clip", min, max)

    def coded(self, bits: int = 12) -> Self:
        """A distribution of 2^bits (1 <= bits <= 16) equally likely float32 values: the quantiles (c + 1/2) / 2^bits of this one.

        Weights drawn from it take 2 bytes per synapse where the table is static and the coded distributions of the network have at most
        65 536 values together; else 4 bytes. The values are the same.
        """
        if self.bits:
            raise bad_parameter("coded", bits, f"called once; this distribution is coded already ({self!r})")
        if not 1 <= (number := to_whole("bits", bits)) <= 16:
            raise bad_parameter("bits", bits, "from 1 to 16")
        return replace(self, bits=number)

    def sample(self, n: int, seed: int = 1) -> NDArray[np.float64]:
        """n independent values, to look at; float64 of shape (n,)."""
        return _core.draw_values(self.spec(), seed, 0, np.arange(1, n + 1, dtype=np.int64))

    def spec(self) -> Spec:
        """What the kernel takes: (kind, a, b, limit, min, max, None, shift, factor, bits). The bounds act on shift + factor * what is drawn."""
        return (self.kind, self.a, self.b, self.limit, self.min, self.max, None, self.shift, self.factor, self.bits)

    def moved(self, shift: float, factor: float) -> Self:
        """Distribution of shift + factor * value, bounds and all. Raises BadParameter unless both are finite and the factor is not 0."""
        if not math.isfinite(shift):
            raise bad_parameter("shift", shift, "a finite number")
        if factor == 0.0 or not math.isfinite(factor):
            raise bad_parameter("factor", factor, "a finite number other than 0")
        found = self._moved(shift, factor)
        if self.limit == "none":
            return found
        low, high = sorted((shift + factor * self.min, shift + factor * self.max))
        return replace(found, min=low, max=high)

    def _moved(self, shift: float, factor: float) -> Self:
        """The same with its bounds where they were; by other parameters where the kind can say so."""
        if self.kind == "normal":
            return replace(self, a=shift + factor * self.a, b=abs(factor) * self.b)
        if self.kind == "uniform":
            low, high = sorted((shift + factor * self.a, shift + factor * self.b))
            return replace(self, a=low, b=high)
        if self.kind in ("lognormal", "exponential") and shift == self.shift == 0.0 and factor > 0.0 and self.factor == 1.0:
            return replace(self, a=self.a + math.log(factor) if self.kind == "lognormal" else factor * self.a)
        return replace(self, shift=shift + factor * self.shift, factor=factor * self.factor)

    def ends(self) -> tuple[float, float]:
        """Bounds of what can be drawn; infinite where there are none."""
        low, high = {"uniform": (self.a, self.b), "uniform_int": (0.0, self.a - 1.0)}.get(self.kind, (-math.inf, math.inf))
        if self.kind in ("lognormal", "exponential"):
            low = 0.0
        low, high = sorted((self.shift + self.factor * low, self.shift + self.factor * high))
        if self.limit == "clip":
            return min(max(low, self.min), self.max), min(max(high, self.min), self.max)
        return max(low, self.min), min(high, self.max)

    def _limited(self, limit: str, low: float, high: float) -> Self:
        if self.limit != "none" or self.bits:
            has = "bounds" if self.limit != "none" else "codes"
            raise bad_parameter(limit, (low, high), f"called once, and before coded(); this distribution has {has} already ({self!r})")
        return replace(self, limit=limit, min=to_number("min", low), max=to_number("max", high))

    def __repr__(self) -> str:
        names = ARGUMENTS[self.kind]
        arguments = ", ".join(f"{name}={value:g}" for name, value in zip(names, (self.a, self.b), strict=False))
        bounds = ", ".join(f"{k}={v:g}" for k, v in (("min", self.min), ("max", self.max)) if math.isfinite(v))
        drawn = f"{self.kind}({arguments})"
        if (self.shift, self.factor) != (0.0, 1.0):
            drawn = f"({self.shift:g} + {self.factor:g} * {drawn})"
        limit = f".{self.limit}({bounds})" if self.limit != "none" else ""
        return drawn + limit + (f".coded(bits={self.bits})" if self.bits else "")
