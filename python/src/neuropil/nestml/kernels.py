# SPDX-License-Identifier: Apache-2.0
"""Kernels as functions of time: sums of c * exp(-t/tau), c * t * exp(-t/tau) and delta(t), which variables with derivatives follow."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..equations.expressions import Binary, Call, Expression, Name, Number, Unary, names
from ..equations.simplify import simplified
from .errors import refuse

__all__ = ["Term", "is_linear", "terms_of"]


@dataclass(frozen=True)
class Term:
    """factor * t**power * exp(exponent), or factor * delta(t)."""

    factor: Expression
    power: int = 0
    exponent: Expression | None = None
    delta: bool = False


def terms_of(tree: Expression) -> list[Term]:
    """Terms of a kernel. Raises NestmlError for other functions of time."""
    found = [replace(term, factor=simplified(term.factor)) for term in summed(tree)]
    for term in found:
        if (not term.delta and term.exponent is None) or term.power > 1 or (term.delta and (term.power or term.exponent)):
            refuse(tree.place, "kernels are sums of c*exp(-t/tau), c*t*exp(-t/tau) and c*delta(t), or differential equations")
    return found


def summed(tree: Expression) -> list[Term]:
    if "t" not in names(tree):
        return [Term(tree)]
    match tree:
        case Name():
            return [Term(Number(tree.place, 1.0), 1)]
        case Unary(operator="negative"):
            return [negative(term) for term in summed(tree.operand)]
        case Binary(operator="+"):
            return summed(tree.left) + summed(tree.right)
        case Binary(operator="-"):
            return summed(tree.left) + [negative(term) for term in summed(tree.right)]
        case Binary(operator="*"):
            return [product(tree, a, b) for a in summed(tree.left) for b in summed(tree.right)]
        case Binary(operator="/") if "t" not in names(tree.right):
            return [replace(term, factor=Binary(tree.place, "/", term.factor, tree.right)) for term in summed(tree.left)]
        case Call(function="delta"):
            return [Term(Number(tree.place, 1.0), delta=True)]
        case Call(function="exp"):
            inner = summed(tree.arguments[0])
            if len(inner) == 1 and inner[0].power == 1 and inner[0].exponent is None and not inner[0].delta:
                return [Term(Number(tree.place, 1.0), 0, tree.arguments[0])]
    refuse(
        tree.place, "this function of t is not supported in a kernel: use exp(-t/tau), t*exp(-t/tau), delta(t), or differential equations"
    )


def negative(term: Term) -> Term:
    return replace(term, factor=Unary(term.factor.place, "negative", term.factor))


def product(tree: Expression, a: Term, b: Term) -> Term:
    if (a.exponent is not None and b.exponent is not None) or (a.delta and b.delta):
        refuse(tree.place, "products of functions of t are not supported in a kernel")
    one = a.factor == Number(tree.place, 1.0)
    factor = b.factor if one else a.factor if b.factor == Number(tree.place, 1.0) else Binary(tree.place, "*", a.factor, b.factor)
    return Term(factor, a.power + b.power, a.exponent or b.exponent, a.delta or b.delta)


def is_linear(tree: Expression, variables: set[str]) -> bool:
    """Whether each term has one of these variables as a factor, and no term has two."""
    if not names(tree) & variables:
        return tree == Number(tree.place, 0.0)
    match tree:
        case Name():
            return True
        case Unary(operator="negative"):
            return is_linear(tree.operand, variables)
        case Binary(operator="+" | "-"):
            return is_linear(tree.left, variables) and is_linear(tree.right, variables)
        case Binary(operator="*"):
            left, right = bool(names(tree.left) & variables), bool(names(tree.right) & variables)
            return left != right and is_linear(tree.left if left else tree.right, variables)
        case Binary(operator="/"):
            return not names(tree.right) & variables and is_linear(tree.left, variables)
    return False
