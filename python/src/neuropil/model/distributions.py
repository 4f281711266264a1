# SPDX-License-Identifier: Apache-2.0
"""Distributions as values: give one where a number is wanted, for node parameters, weights and delays.

Every drawn value is keyed by what it is for (seed, purpose, gid or edge), so it depends neither on threads nor on the order of drawing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.checks import to_floats, to_number
from ..base.laws import ARGUMENTS, Law, Spec
from ..base.named import named_arguments
from ..base.quantities import has_unit, plain
from ..errors import BadParameter, bad_parameter, bad_type
from ..space.expression import Drawn, Expression, Term

__all__ = ["Distribution", "Value", "exponential", "lognormal", "normal", "uniform", "uniform_int"]


class Distribution(Law):
    """A distribution, perhaps within bounds; made by `normal`, `lognormal`, `uniform`, `uniform_int`, `exponential`. It holds no state and no seed.

    Numbers may be added to it and multiplied with it: `0.5 + 0.1 * uniform_int(10)`.
    """

    __slots__ = ()

    # With numbers a distribution stays one; with other distributions and expressions it becomes an expression.

    def __add__(self, other: Any) -> Any:
        return self._term() + other if _in_expressions(other) else _shifted(self, other, 1.0)

    def __mul__(self, other: Any) -> Any:
        return self._term() * other if _in_expressions(other) else self.moved(0.0, to_number("number", other))

    def __sub__(self, other: Any) -> Any:
        return (
            self._term() - other
            if _in_expressions(other)
            else _shifted(self, -other if has_unit(other) else -to_number("number", other), 1.0)
        )

    def __rsub__(self, number: float) -> Distribution:
        return _shifted(self, number, -1.0)

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

    def _limited(self, limit: str, low: Any, high: Any) -> Self:
        if has_unit(low) or has_unit(high):
            return _measured(self)._limited(limit, low, high)  # type: ignore[return-value]
        # Not super(): Law is a dataclass with slots, which is made twice.
        return Law._limited(self, limit, low, high)


@dataclass(frozen=True, slots=True, repr=False)
class Measured(Distribution):
    """A distribution some of whose numbers have units. `in_unit` gives the distribution of plain numbers, where the unit is known."""

    arguments: tuple[tuple[str, Any], ...] = ()  # of the function that makes it
    steps: tuple[tuple[str, tuple[Any, Any]], ...] = ()  # methods that were called since: redraw, clip, moved

    def in_unit(self, name: str, unit: str) -> Distribution:
        """The distribution of numbers in `unit`, for the parameter `name`. Raises BadParameter for another dimension."""
        made: Distribution = _MAKERS[self.kind](**{key: plain(f"{key} of {name}", value, unit) for key, value in self.arguments})
        for method, values in self.steps:
            made = getattr(made, method)(*(plain(f"{method} of {name}", value, unit) for value in values))
        return made.coded(self.bits) if self.bits else made

    def moved(self, shift: Any, factor: float) -> Self:
        """As of `Law`."""
        return replace(self, steps=(*self.steps, ("moved", (shift, factor))))

    def _limited(self, limit: str, low: Any, high: Any) -> Self:
        Law._limited(self, limit, -math.inf, math.inf)  # raises for a second call
        return replace(self, limit=limit, steps=(*self.steps, (limit, (low, high))))

    def spec(self) -> NoReturn:
        """Raises BadType: what is drawn is not known without the unit."""
        raise bad_type("distribution", self, "one without units here, where neuropil knows none: divide its numbers by the unit you mean")

    def ends(self) -> NoReturn:
        """Raises BadType, as `spec`."""
        self.spec()

    def _term(self) -> NoReturn:
        self.spec()

    def __repr__(self) -> str:
        calls = [f"{self.kind}({', '.join(f'{key}={value}' for key, value in self.arguments)})"]
        calls += [f".{method}({', '.join(map(str, values))})" for method, values in self.steps]
        return "".join(calls) + (f".coded(bits={self.bits})" if self.bits else "")


def _measured(made: Distribution) -> Measured:
    """The same distribution, for numbers with units."""
    if made.kind == "uniform_int":
        arguments: tuple[tuple[str, Any], ...] = (("n", int(made.a)),)
    else:
        arguments = tuple(zip(ARGUMENTS[made.kind], (made.a, made.b), strict=False))
    steps = () if (made.shift, made.factor) == (0.0, 1.0) else (("moved", (made.shift, made.factor)),)
    return Measured(made.kind, made.a, made.b, limit=made.limit, bits=made.bits, arguments=arguments, steps=steps)


def _shifted(made: Distribution, shift: Any, factor: float) -> Distribution:
    """Distribution of shift + factor * value; the shift may have a unit."""
    if has_unit(shift):
        return (made if isinstance(made, Measured) else _measured(made)).moved(shift, factor)
    return made.moved(to_number("number", shift), factor)


def _in_expressions(other: Any) -> bool:
    """Whether a value makes an expression of a distribution: another one, or an expression."""
    return isinstance(other, Distribution | Term)


_NONE = np.empty(0, np.int64)

Value = float | Distribution | Expression | Sequence[float] | NDArray[Any]
"""What a parameter, weight or delay may be: one number for all, a distribution, an expression, or one number each."""


def _made(kind: str, **arguments: Any) -> Distribution:
    """The distribution, whose numbers may have units. Raises BadType, BadParameter for numbers with which nothing can be drawn."""
    if any(map(has_unit, arguments.values())):
        return Measured(kind, 0.0, arguments=tuple(arguments.items()))
    a, *b = (to_number(name, value) for name, value in arguments.items())
    made = Distribution(kind, a, sum(b))
    try:
        _core.draw_values(made.spec(), 0, 0, _NONE)
    except BadParameter as error:
        raise bad_parameter("distribution", made, error.allowed) from None
    return made


@named_arguments
def normal(mean: float = 0.0, std: float = 1.0) -> Distribution:
    """Normal distribution; `std` >= 0, both in the unit of what it is used for, or with units, which are converted when it is used."""
    return _made("normal", mean=mean, std=std)


@named_arguments
def lognormal(mean: float = 0.0, std: float = 1.0) -> Distribution:
    """exp(x) where x is normal: `mean` and `std` are those of the logarithm, so the median is exp(mean)."""
    return _made("lognormal", mean=to_number("mean", mean), std=to_number("std", std))


@named_arguments
def uniform(min: float = 0.0, max: float = 1.0) -> Distribution:
    """Uniform in [min, max)."""
    return _made("uniform", min=min, max=max)


@named_arguments
def uniform_int(n: int) -> Distribution:
    """One of 0, 1, ..., n - 1, all equally likely; as NEST's."""
    n = plain("n", n, "")
    if isinstance(n, bool) or not hasattr(n, "__index__") or not 1 <= int(n) < 1 << 32:
        raise bad_parameter("n", n, "a whole number from 1 to 2^32 - 1")
    return Distribution("uniform_int", float(int(n)))


@named_arguments
def exponential(scale: float = 1.0) -> Distribution:
    """Exponential distribution with mean `scale` > 0."""
    return _made("exponential", scale=scale)


_MAKERS: dict[str, Callable[..., Distribution]] = {
    "normal": normal,
    "lognormal": lognormal,
    "uniform": uniform,
    "uniform_int": uniform_int,
    "exponential": exponential,
}


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
