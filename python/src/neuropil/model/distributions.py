# SPDX-License-Identifier: Apache-2.0
"""Distributions as values: give one where a number is wanted, for node parameters, weights and delays.

Every drawn value is keyed by what it is for (seed, purpose, gid or edge), so it depends neither on threads nor on the order of drawing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.checks import to_floats, to_number, to_whole
from ..base.named import named_arguments
from ..errors import BadParameter, bad_parameter

if TYPE_CHECKING:
    from ..space.expression import Expression

__all__ = ["Distribution", "Value", "exponential", "lognormal", "normal", "uniform", "uniform_int"]

Spec = tuple[str, float, float, str, float, float, Any, float, float, int]


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution, perhaps within bounds; made by `normal`, `lognormal`, `uniform`, `uniform_int`, `exponential`. It holds no state and no seed.

    Numbers may be added to it and multiplied with it: `0.5 + 0.1 * uniform_int(10)`.
    """

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

    def moved(self, shift: float, factor: float) -> Distribution:
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

    def _moved(self, shift: float, factor: float) -> Distribution:
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

    # With numbers a distribution stays one; with other distributions and expressions it becomes an expression.

    def __add__(self, other: Any) -> Any:
        return self._term() + other if _in_expressions(other) else self.moved(to_number("number", other), 1.0)

    def __mul__(self, other: Any) -> Any:
        return self._term() * other if _in_expressions(other) else self.moved(0.0, to_number("number", other))

    def __sub__(self, other: Any) -> Any:
        return self._term() - other if _in_expressions(other) else self.moved(-to_number("number", other), 1.0)

    def __rsub__(self, number: float) -> Distribution:
        return self.moved(to_number("number", number), -1.0)

    def __truediv__(self, other: Any) -> Any:
        return self._term() / other if _in_expressions(other) else self.moved(0.0, 1.0 / to_number("number", other))

    def __rtruediv__(self, number: float) -> Expression:
        return number / self._term()

    def __pow__(self, exponent: float) -> Expression:
        return self._term() ** exponent

    def __abs__(self) -> Expression:
        return abs(self._term())

    def __neg__(self) -> Distribution:
        return self.moved(0.0, -1.0)

    def __lt__(self, other: Any) -> Expression:
        return self._term() < other

    def __le__(self, other: Any) -> Expression:
        return self._term() <= other

    def __gt__(self, other: Any) -> Expression:
        return self._term() > other

    def __ge__(self, other: Any) -> Expression:
        return self._term() >= other

    __radd__ = __add__
    __rmul__ = __mul__

    def _term(self) -> Expression:
        from ..space.expression import Drawn  # which knows distributions

        return Drawn(self)

    def _limited(self, limit: str, low: float, high: float) -> Distribution:
        if self.limit != "none" or self.bits:
            has = "bounds" if self.limit != "none" else "codes"
            raise bad_parameter(limit, (low, high), f"called once, and before coded(); this distribution has {has} already ({self!r})")
        return replace(self, limit=limit, min=to_number("min", low), max=to_number("max", high))

    def __repr__(self) -> str:
        names = _ARGUMENTS[self.kind]
        arguments = ", ".join(f"{name}={value:g}" for name, value in zip(names, (self.a, self.b), strict=False))
        bounds = ", ".join(f"{k}={v:g}" for k, v in (("min", self.min), ("max", self.max)) if math.isfinite(v))
        drawn = f"{self.kind}({arguments})"
        if (self.shift, self.factor) != (0.0, 1.0):
            drawn = f"({self.shift:g} + {self.factor:g} * {drawn})"
        limit = f".{self.limit}({bounds})" if self.limit != "none" else ""
        return drawn + limit + (f".coded(bits={self.bits})" if self.bits else "")


def _in_expressions(other: Any) -> bool:
    """Whether a value makes an expression of a distribution: another one, or an expression."""
    return isinstance(other, Distribution) or hasattr(type(other), "is_spatial")


_ARGUMENTS = {
    "normal": ("mean", "std"),
    "lognormal": ("mean", "std"),
    "uniform": ("min", "max"),
    "exponential": ("scale",),
    "uniform_int": ("n",),
}

_NONE = np.empty(0, np.int64)

Value = Union[float, Distribution, "Expression", Sequence[float], NDArray[Any]]
"""What a parameter, weight or delay may be: one number for all, a distribution, an expression, or one number each."""


def _checked(made: Distribution) -> Distribution:
    """Raises BadParameter for parameters with which nothing can be drawn."""
    try:
        _core.draw_values(made.spec(), 0, 0, _NONE)
    except BadParameter as error:
        raise bad_parameter("distribution", made, error.allowed) from None
    return made


@named_arguments
def normal(mean: float = 0.0, std: float = 1.0) -> Distribution:
    """Normal distribution; `std` >= 0, both in the unit of what it is used for."""
    return _checked(Distribution("normal", to_number("mean", mean), to_number("std", std)))


@named_arguments
def lognormal(mean: float = 0.0, std: float = 1.0) -> Distribution:
    """exp(x) where x is normal: `mean` and `std` are those of the logarithm, so the median is exp(mean)."""
    return _checked(Distribution("lognormal", to_number("mean", mean), to_number("std", std)))


@named_arguments
def uniform(min: float = 0.0, max: float = 1.0) -> Distribution:
    """Uniform in [min, max)."""
    return _checked(Distribution("uniform", to_number("min", min), to_number("max", max)))


@named_arguments
def uniform_int(n: int) -> Distribution:
    """One of 0, 1, ..., n - 1, all equally likely; as NEST's."""
    if isinstance(n, bool) or not hasattr(n, "__index__") or not 1 <= int(n) < 1 << 32:
        raise bad_parameter("n", n, "a whole number from 1 to 2^32 - 1")
    return Distribution("uniform_int", float(int(n)))


@named_arguments
def exponential(scale: float = 1.0) -> Distribution:
    """Exponential distribution with mean `scale` > 0."""
    return _checked(Distribution("exponential", to_number("scale", scale)))


def to_spec(name: str, value: Any) -> Spec:
    """Value spec of a weight or delay. Arrays are copied and read row by row. Formulas are those of neuropil.space.formulas."""
    if isinstance(value, _core.Formula):
        return ("formula", 0.0, 0.0, "none", -math.inf, math.inf, value, 0.0, 1.0, 0)
    if isinstance(value, Distribution):
        return value.spec()
    array = value if type(value) is float else to_floats(name, value)
    if isinstance(array, float) or array.ndim == 0:
        return ("constant", float(array), 0.0, "none", -math.inf, math.inf, None, 0.0, 1.0, 0)
    return ("array", 0.0, 0.0, "none", -math.inf, math.inf, array.ravel(), 0.0, 1.0, 0)


def text_of(value: Any) -> str:
    """A value for people: arrays by their length."""
    return f"array of {np.size(value)}" if np.ndim(value) else f"{value:g}" if isinstance(value, int | float) else repr(value)
