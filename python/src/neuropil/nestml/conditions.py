# SPDX-License-Identifier: Apache-2.0
"""Booleans and integers of NESTML in equations, where all state is numbers: a boolean is 1 or 0."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..equations.errors import Place
from ..equations.expressions import COMPARISONS, Binary, Call, Expression, Name, Number, Unary

__all__ = ["as_condition", "as_number", "equality", "is_condition", "is_whole", "remainder", "truncated", "truth"]


def truth(place: Place, value: bool) -> Expression:
    """true or false."""
    return Binary(place, "==" if value else "!=", Number(place, 0.0), Number(place, 0.0))


def as_condition(name: Name) -> Expression:
    """A boolean that is kept as a number."""
    return Binary(name.place, "!=", name, Number(name.place, 0.0))


def as_number(condition: Expression) -> Expression:
    """1 or 0."""
    return Call(condition.place, "where", (condition, Number(condition.place, 1.0), Number(condition.place, 0.0)))


def is_condition(tree: Expression, known: Collection[str] = ()) -> bool:
    """Whether a converted expression is true or false. known: names of conditions."""
    match tree:
        case Name():
            return tree.name in known
        case Unary(operator="not"):
            return True
        case Binary():
            return tree.operator in COMPARISONS or tree.operator in ("and", "or")
    return False


def equality(tree: Binary) -> Expression:
    """a == b and a != b of two conditions."""
    place, a, b = tree.place, tree.left, tree.right
    if b in (truth(place, True), truth(place, False)):
        return a if (b == truth(place, True)) == (tree.operator == "==") else Unary(place, "not", a)
    both = Binary(place, "and", a, b)
    neither = Binary(place, "and", Unary(place, "not", a), Unary(place, "not", b))
    same = Binary(place, "or", both, neither)
    return same if tree.operator == "==" else Unary(place, "not", same)


def is_whole(tree: Expression, is_integer: Callable[[str], bool]) -> bool:
    """Whether the value is an integer whatever the state is. is_integer: of names."""
    match tree:
        case Number():
            return tree.value == int(tree.value)
        case Name():
            return is_integer(tree.name)
        case Unary(operator="negative"):
            return is_whole(tree.operand, is_integer)
        case Binary(operator="+" | "-" | "*"):
            return is_whole(tree.left, is_integer) and is_whole(tree.right, is_integer)
        case Call(function="floor" | "steps"):
            return True
        case Call(function="where"):
            return all(is_whole(each, is_integer) for each in tree.arguments[1:])
        case Call(function="min" | "max" | "abs"):
            return all(is_whole(each, is_integer) for each in tree.arguments)
    return False


def truncated(tree: Expression, is_integer: Callable[[str], bool]) -> Expression:
    """Cut to an integer, towards 0."""
    if is_whole(tree, is_integer):
        return tree
    place = tree.place
    down, up = (Call(place, "floor", (each,)) for each in (tree, Unary(place, "negative", tree)))
    return Call(place, "where", (Binary(place, "<", tree, Number(place, 0.0)), Unary(place, "negative", up), down))


def remainder(place: Place, a: Expression, b: Expression, is_integer: Callable[[str], bool]) -> Expression:
    """a % b with the sign of a."""
    return Binary(place, "-", a, Binary(place, "*", b, truncated(Binary(place, "/", a, b), is_integer)))
