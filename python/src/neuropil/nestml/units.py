# SPDX-License-Identifier: Apache-2.0
"""Units of NESTML: SI symbols with prefixes, in products and powers, as products of mV, ms, pA and mM with a power of ten."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from ..equations.errors import Place
from ..equations.expressions import Binary, Expression, Name, Number, Unary, walk
from ..equations.inference import constant
from ..equations.parsing import read_expression
from ..equations.units import SYMBOLS, Unit, named, power, times

__all__ = ["NUMBER_TYPES", "Quantity", "is_symbol", "quantity", "scaled", "unit_tree"]

NUMBER_TYPES = ("real", "integer", "boolean")
_PREFIXES = {
    "": 0, "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "da": 1, "d": -1, "c": -2, "m": -3, "u": -6,
    "n": -9, "p": -12, "f": -15, "a": -18, "z": -21, "y": -24,
}  # fmt: skip
_VOLUME = Unit({"?litre": 1})  # only in mol/l
_BASES = {  # what one of them is: unit, power of ten
    "V": (SYMBOLS["mV"][0], 3), "A": (SYMBOLS["pA"][0], 12), "S": (SYMBOLS["nS"][0], 9), "F": (SYMBOLS["pF"][0], 12),
    "Ohm": (SYMBOLS["GOhm"][0], -9), "s": (SYMBOLS["ms"][0], 3), "Hz": (SYMBOLS["kHz"][0], -3), "C": (SYMBOLS["fC"][0], 15),
    "mol": (times(SYMBOLS["mM"][0], _VOLUME), 3), "l": (_VOLUME, 0), "L": (_VOLUME, 0), "M": (SYMBOLS["mM"][0], 3),
    "Bq": (SYMBOLS["kHz"][0], -3), "W": (times(SYMBOLS["mV"][0], SYMBOLS["pA"][0]), 15), "J": (times(SYMBOLS["fC"][0], SYMBOLS["mV"][0]), 18),
}  # fmt: skip
_SYMBOLS = {prefix + base: (unit, ten + n) for base, (unit, n) in _BASES.items() for prefix, ten in _PREFIXES.items()}


class Quantity(NamedTuple):
    """A unit and what one of it is in mV, ms, pA and mM, as a power of ten."""

    unit: Unit
    ten: int


def is_symbol(name: str) -> bool:
    """Whether this is a unit."""
    return name in _SYMBOLS


def quantity(tree: Expression) -> Quantity | None:
    """Of a tree of units and the number 1; None for others."""
    match tree:
        case Number(value=1.0):
            return Quantity(Unit(), 0)
        case Name() if tree.name in _SYMBOLS:
            return Quantity(*_SYMBOLS[tree.name])
        case Binary(operator="*" | "/"):
            left, right = quantity(tree.left), quantity(tree.right)
            sign = 1 if tree.operator == "*" else -1
            return left and right and Quantity(times(left.unit, power(right.unit, sign)), left.ten + sign * right.ten)
        case Binary(operator="**"):
            base, n = quantity(tree.left), constant(tree.right)
            return Quantity(power(base.unit, int(n)), base.ten * int(n)) if base and n is not None and n == int(n) and abs(n) < 10 else None
    return None


def unit_tree(unit: Unit, place: Place) -> Expression:
    """A unit in an expression of equations; its nodes are at this place."""
    return at(read_expression(named(unit) or "1", "unit"), place)


def at(tree: Expression, place: Place) -> Expression:
    match tree:
        case Binary():
            return Binary(place, tree.operator, at(tree.left, place), at(tree.right, place))
        case Unary():
            return Unary(place, tree.operator, at(tree.operand, place))
        case Name():
            return Name(place, tree.name)
        case Number():
            return Number(place, tree.value)
    raise TypeError(tree)


def scaled(value: float, ten: int) -> float:
    """The number nearest to value * 10**ten, of the decimal number that `value` shows."""
    return float(Decimal(repr(value)).scaleb(ten)) if value else value


def has_symbols(tree: Expression) -> bool:
    """Whether a unit is in the tree."""
    return any(isinstance(node, Name) and node.name in _SYMBOLS for node in walk(tree))
