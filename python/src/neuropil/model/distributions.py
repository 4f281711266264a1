# SPDX-License-Identifier: Apache-2.0
"""Distributions as values: give one where a number is wanted, for node parameters, weights and delays.

Every drawn value is keyed by what it is for (seed, purpose, gid or edge), so it depends neither on threads nor on the order of drawing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.checks import to_floats, to_number
from ..base.laws import Law, Spec
from ..base.named import named_arguments
from ..errors import BadParameter, bad_parameter
from ..space.expression import Drawn, Expression, Term

__all__ = ["Distribution", "Value", "exponential", "lognormal", "normal", "uniform", "uniform_int"]


class Distribution(Law):
    """A distribution, perhaps within bounds; made by `normal`, `lognormal`, `uniform`, `uniform_int`, `exponential`. It holds no state and no seed.

    Numbers may be added to it and multiplied with it: `0.5 + 0.1 * uniform_int(10)`.
    """

    __slots__ = ()

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
        return Drawn(self)


def _in_expressions(other: Any) -> bool:
    """Whether a value makes an expression of a distribution: another one, or an expression."""
    return isinstance(other, Distribution | Term)


_NONE = np.empty(0, np.int64)

Value = float | Distribution | Expression | Sequence[float] | NDArray[Any]
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
