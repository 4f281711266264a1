# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with numbers, done before the text of a model is written. Only what leaves all bits of results as they are."""

from __future__ import annotations

import math

from .expressions import Binary, Call, Expression, Number, Unary

__all__ = ["simplified"]


def simplified(tree: Expression) -> Expression:
    """With numbers added, subtracted, multiplied and divided; without factors and divisors of 1."""
    match tree:
        case Unary():
            operand = simplified(tree.operand)
            if tree.operator == "negative" and isinstance(operand, Number):
                return Number(tree.place, -operand.value)
            return Unary(tree.place, tree.operator, operand)
        case Call():
            return Call(tree.place, tree.function, tuple(simplified(each) for each in tree.arguments))
        case Binary():
            return _binary(Binary(tree.place, tree.operator, simplified(tree.left), simplified(tree.right)))
    return tree


def _binary(tree: Binary) -> Expression:
    left, right = tree.left, tree.right
    if isinstance(left, Number) and isinstance(right, Number):
        value = _computed(tree.operator, left.value, right.value)
        if value is not None and math.isfinite(value):
            return Number(tree.place, value)
    if tree.operator in ("*", "/") and isinstance(right, Number) and right.value == 1.0:
        return left
    if tree.operator == "*" and isinstance(left, Number) and left.value == 1.0:
        return right
    return tree


def _computed(operator: str, a: float, b: float) -> float | None:
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b if b else None
    return None
