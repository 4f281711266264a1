# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with numbers, done before the text of a model is written. Only what leaves all bits of results as they are."""

from __future__ import annotations

import math

from .expressions import Binary, Call, Expression, Number, Unary

__all__ = ["simplified", "without_zeros"]


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


def without_zeros(tree: Expression) -> Expression:
    """Without terms that are 0, for finite values: 0*x, 0/x and x + 0."""
    match tree:
        case Unary(operator="negative"):
            operand = without_zeros(tree.operand)
            return operand if _is_zero(operand) else Unary(tree.place, tree.operator, operand)
        case Unary():
            return Unary(tree.place, tree.operator, without_zeros(tree.operand))
        case Call():
            return Call(tree.place, tree.function, tuple(without_zeros(each) for each in tree.arguments))
        case Binary():
            return _without_zero(Binary(tree.place, tree.operator, without_zeros(tree.left), without_zeros(tree.right)))
    return tree


def _is_zero(tree: Expression) -> bool:
    return isinstance(tree, Number) and tree.value == 0.0


def _without_zero(tree: Binary) -> Expression:
    left, right = _is_zero(tree.left), _is_zero(tree.right)
    if (tree.operator == "*" and (left or right)) or (tree.operator == "/" and left):
        return Number(tree.place, 0.0)
    if tree.operator in ("+", "-") and right:
        return tree.left
    if tree.operator in ("+", "-") and left:
        return tree.right if tree.operator == "+" else Unary(tree.place, "negative", tree.right)
    return tree
