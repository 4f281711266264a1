# SPDX-License-Identifier: Apache-2.0
"""Functions of expressions, element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base.checks import to_number
from ..errors import bad_parameter, bad_type
from .expression import Conditional, Expression, Function, Term, to_term
from .leaves import Clipped, Redraw

__all__ = ["clip", "cos", "exp", "log", "maximum", "minimum", "redraw", "sin", "sqrt", "where"]


def exp(x: Any) -> Expression:
    """e to the power of x."""
    return Function(np.exp, argument("x", x), form="exp({})", write=lambda code, x: code("exponential", x))


def log(x: Any) -> Expression:
    """Natural logarithm."""
    return Function(np.log, argument("x", x), form="log({})", write=lambda code, x: code("logarithm", x))


def sqrt(x: Any) -> Expression:
    """Square root."""
    return Function(np.sqrt, argument("x", x), form="sqrt({})", write=lambda code, x: code("root", x))


def sin(x: Any) -> Expression:
    """Sine of x in radians."""
    return Function(np.sin, argument("x", x), form="sin({})", write=lambda code, x: code("sine", x))


def cos(x: Any) -> Expression:
    """Cosine of x in radians."""
    return Function(np.cos, argument("x", x), form="cos({})", write=lambda code, x: code("cosine", x))


def minimum(x: Any, y: Any) -> Expression:
    """The smaller of two values."""
    return Function(
        lambda x, y: np.where(x < y, x, y),
        argument("x", x),
        argument("y", y),
        form="minimum({}, {})",
        write=lambda code, x, y: code("smaller", x, y),
    )


def maximum(x: Any, y: Any) -> Expression:
    """The larger of two values."""
    return Function(
        lambda x, y: np.where(x > y, x, y),
        argument("x", x),
        argument("y", y),
        form="maximum({}, {})",
        write=lambda code, x, y: code("larger", x, y),
    )


def where(condition: Any, x: Any, y: Any) -> Expression:
    """x where the condition holds (is not 0), else y."""
    return Conditional(argument("condition", condition), argument("x", x), argument("y", y))


def clip(x: Any, min: float = -math.inf, max: float = math.inf) -> Expression:
    """x, but at least `min` and at most `max`."""
    return Clipped(argument("x", x), *_bounds(min, max))


def redraw(x: Any, min: float = -math.inf, max: float = math.inf) -> Expression:
    """x, drawn again where it is outside of [min, max]; NothingDrawn is raised where a thousand times do not help."""
    return Redraw(argument("x", x), *_bounds(min, max))


def argument(name: str, value: Any) -> Term:
    """What may stand in an expression: one, a distribution or a number. Raises BadType."""
    found = to_term(value)
    if found is None:
        raise bad_type(name, value, "an expression, a distribution or a number")
    return found


def _bounds(low: Any, high: Any) -> tuple[float, float]:
    found = to_number("min", low), to_number("max", high)
    if not found[0] <= found[1]:
        raise bad_parameter("min", low, f"at most max = {found[1]:g}")
    return found
