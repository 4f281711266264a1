# SPDX-License-Identifier: Apache-2.0
"""Values of expressions by numpy: initial values, and slopes for pictures and tests. The kernel's values are those of the compiled model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .errors import fail
from .expressions import Binary, Call, Expression, Name, Number, Unary, parts
from .inference import short
from .names import STEP
from .units import EXPRESSION_SYMBOLS, SYMBOLS

__all__ = ["Constants", "value_of"]


def exprel(x: Any) -> Any:
    """(exp(x) - 1) / x; 1 where x is 0."""
    x = np.asarray(x, float)
    return np.where(x == 0.0, 1.0, np.expm1(x) / np.where(x == 0.0, 1.0, x))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("exp", "expm1", "log", "log1p", "sqrt", "abs", "sin", "cos", "tanh", "floor", "where")},
    "exprel": exprel,
    "pow": np.power,
    "min": np.minimum,
    "max": np.maximum,
    "clip": lambda x, low, high: np.minimum(np.maximum(x, low), high),
}
_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "**": np.power, "and": np.logical_and, "or": np.logical_or,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
    "not": np.logical_not, "negative": np.negative,
}  # fmt: skip


def value_of(tree: Expression, values: Mapping[str, Any]) -> Any:
    """The value where names have these values: numbers or arrays of one shape."""
    match tree:
        case Number():
            return tree.value
        case Name():
            return values[tree.name]
        case Unary():
            return _OPERATORS[tree.operator](value_of(tree.operand, values))
        case Binary():
            return _OPERATORS[tree.operator](np.asarray(value_of(tree.left, values), float), value_of(tree.right, values))
        case Call(function="steps"):
            return np.round(value_of(tree.arguments[0], values) / values[STEP])
        case Call():
            return _FUNCTIONS[tree.function](*(value_of(each, values) for each in tree.arguments))
    raise TypeError(tree)


class Constants:
    """Values of those trees that have numbers and units only; trees are added after their parts."""

    def __init__(self) -> None:
        self._values: dict[int, tuple[Expression, float]] = {}  # by id

    def add(self, tree: Expression) -> None:
        """Raises EquationError where the tree divides by 0, or is a number that is not finite."""
        within = [self._values[id(part)][1] for part in parts(tree) if id(part) in self._values]
        if isinstance(tree, Binary) and tree.operator == "/" and id(tree.right) in self._values and within[-1] == 0.0:
            fail(tree.place, "division by 0")
        if len(within) < len(parts(tree)):
            return
        match tree:
            case Number():
                self._values[id(tree)] = tree, tree.value
            case Name(name=name) if name in EXPRESSION_SYMBOLS:
                self._values[id(tree)] = tree, SYMBOLS[name][1]
            case Unary() | Binary():
                self._values[id(tree)] = tree, finite(tree, _OPERATORS[tree.operator], within)
            case Call() if tree.function in _FUNCTIONS:
                self._values[id(tree)] = tree, finite(tree, _FUNCTIONS[tree.function], within)


def finite(tree: Expression, function: Callable[..., Any], arguments: list[float]) -> float:
    """The value of a tree. Raises EquationError."""
    with np.errstate(all="ignore"):
        value = float(function(*arguments))
    if not np.isfinite(value):
        fail(tree.place, f"{short(tree)} is not a finite number")
    return value
