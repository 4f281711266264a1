# SPDX-License-Identifier: Apache-2.0
"""Expressions as trees, what names they use, and their text. Only these trees reach the C++ text of a model: never what a user wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .errors import Place

__all__ = [
    "COMPARISONS",
    "FUNCTIONS",
    "LEVELS",
    "Binary",
    "Call",
    "Expression",
    "Name",
    "Number",
    "Unary",
    "changed",
    "names",
    "parts",
    "text_of",
    "walk",
]

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
FUNCTIONS = {
    "exp": 1, "expm1": 1, "log": 1, "log1p": 1, "sqrt": 1, "abs": 1, "sin": 1, "cos": 1, "tanh": 1, "exprel": 1,
    "floor": 1, "steps": 1, "pow": 2, "min": 2, "max": 2, "where": 3, "clip": 3,
}  # fmt: skip
LEVELS = {"or": 1, "and": 2, "not": 3, **dict.fromkeys(COMPARISONS, 4), "+": 5, "-": 5, "*": 6, "/": 6, "negative": 7, "**": 8}


@dataclass(frozen=True)
class Expression:
    """A node of a tree; `place` does not count when trees are compared."""

    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True)
class Number(Expression):
    """A number."""

    value: float


@dataclass(frozen=True)
class Name(Expression):
    """A variable, part, parameter, unit or input."""

    name: str


@dataclass(frozen=True)
class Unary(Expression):
    """A sign, or "not"."""

    operator: str  # "negative" or "not"
    operand: Expression


@dataclass(frozen=True)
class Binary(Expression):
    """Two trees with an operator."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Call(Expression):
    """A function of trees."""

    function: str
    arguments: tuple[Expression, ...]


def parts(tree: Expression) -> tuple[Expression, ...]:
    """The trees that this one is made of."""
    match tree:
        case Unary():
            return (tree.operand,)
        case Binary():
            return (tree.left, tree.right)
        case Call():
            return tree.arguments
    return ()


def walk(tree: Expression) -> Iterator[Expression]:
    """The tree and all in it."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        left.extend(reversed(parts(node)))


def names(tree: Expression) -> set[str]:
    """Names that the tree uses."""
    return {node.name for node in walk(tree) if isinstance(node, Name)}


def changed(tree: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The tree with other nodes where `change` returns one; these are not looked into."""
    new = change(tree)
    if new is not None:
        return new
    match tree:
        case Unary():
            return Unary(tree.place, tree.operator, changed(tree.operand, change))
        case Binary():
            return Binary(tree.place, tree.operator, changed(tree.left, change), changed(tree.right, change))
        case Call():
            return Call(tree.place, tree.function, tuple(changed(each, change) for each in tree.arguments))
    return tree


def level_of(tree: Expression) -> int:
    """How strongly the outermost operator binds."""
    if isinstance(tree, Number) and tree.value < 0:
        return LEVELS["negative"]
    return LEVELS[tree.operator] if isinstance(tree, Unary | Binary) else 9


def number_text(value: float) -> str:
    """The shortest decimal number that is this value."""
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def text_of(tree: Expression) -> str:
    """The expression as one would write it."""
    match tree:
        case Number():
            return number_text(tree.value)
        case Name():
            return tree.name
        case Call():
            return f"{tree.function}({', '.join(text_of(each) for each in tree.arguments)})"
        case Unary():
            sign = "-" if tree.operator == "negative" else "not "
            return sign + within(tree.operand, level_of(tree))
        case Binary():
            level = level_of(tree)
            power = tree.operator == "**"
            left, right = within(tree.left, level + power), within(tree.right, level + (not power))
            return f"{left}**{right}" if power else f"{left} {tree.operator} {right}"
    raise TypeError(tree)


def within(tree: Expression, level: int) -> str:
    text = text_of(tree)
    return text if level_of(tree) >= level else f"({text})"
