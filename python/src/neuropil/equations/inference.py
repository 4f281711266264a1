# SPDX-License-Identifier: Apache-2.0
"""Units of expressions. What has none is a condition; the number 0 has any."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NoReturn

from .errors import EquationError, UnitError, fail
from .expressions import COMPARISONS, Binary, Call, Expression, Name, Number, Unary, names, text_of
from .units import EXPRESSION_SYMBOLS, SYMBOLS, Solver, Unit, named, power, times

__all__ = ["CONDITION", "Unchecked", "Units", "constant", "short"]

CONDITION = "condition"
ANY = None  # the unit of 0
Kind = Unit | str | None


def constant(tree: Expression) -> float | None:
    """The value of a number, perhaps with a sign or as a fraction of numbers; None for anything else."""
    match tree:
        case Number():
            return tree.value
        case Unary(operator="negative"):
            inner = constant(tree.operand)
            return None if inner is None else -inner
        case Binary(operator="/"):
            above, below = constant(tree.left), constant(tree.right)
            return above / below if above is not None and below else None
    return None


def shown(kind: Kind) -> str:
    if isinstance(kind, Unit):
        return f"[{named(kind) or '1'}]"
    return "a condition" if kind == CONDITION else "[any unit]"


class Units:
    """Finds the units of names and checks those of expressions. Raises UnitError, EquationError."""

    def __init__(self) -> None:
        self.solver = Solver()
        self.of: dict[str, Unit] = {}
        self.by_name: set[str] = set()  # parameters whose unit is that of NEST's parameter of this name

    def __getitem__(self, name: str) -> Unit:
        return self.solver.resolved(self.of[name])

    def known(self) -> Mapping[str, Unit]:
        """Units of all names, as far as they are found."""
        return {name: self[name] for name in self.of}

    def number(self, tree: Expression) -> Unit | None:
        """The unit of an expression that has a value."""
        kind = self.kind(tree)
        if isinstance(kind, str):
            fail(tree.place, f"the condition {short(tree)} where a number is needed: use where(condition, a, b)", EquationError)
        return kind if kind is None else self.solver.resolved(kind)

    def condition(self, tree: Expression) -> None:
        """The expression must be a condition."""
        kind = self.kind(tree)
        if kind != CONDITION:
            fail(tree.place, f"{short(tree)} where a condition such as a > b is needed", EquationError)

    def unify(self, a: Unit | None, b: Unit | None) -> bool:
        """Makes two units one; None is any unit. False where they differ."""
        return a is None or b is None or self.solver.same(a, b)

    def expect(self, tree: Expression, unit: Unit, what: str) -> None:
        """The expression must have this unit."""
        found = self.number(tree)
        if not self.unify(found, unit):
            self.clash(tree, f"{what} has {shown(self.solver.resolved(unit))}, but {short(tree)} has {shown(found)}")

    def clash(self, tree: Expression, problem: str) -> NoReturn:
        """Raises UnitError."""
        usual = sorted(names(tree) & self.by_name)
        listed = ", ".join(f"{name} {shown(self.of[name])}" for name in usual)
        hint = f". Units by name: {listed}; others are given with the value, as in {usual[0]}='1 mV/ms'" if usual else ""
        fail(tree.place, problem + hint, UnitError)

    def plain(self, tree: Expression, what: str) -> None:
        """The expression must be a number without unit."""
        self.expect(tree, Unit(), what)

    def kind(self, tree: Expression) -> Kind:
        """Unit, CONDITION or ANY."""
        match tree:
            case Number():
                return ANY if tree.value == 0 else Unit()
            case Name():
                return SYMBOLS[tree.name][0] if tree.name in EXPRESSION_SYMBOLS else self.of[tree.name]
            case Unary():
                return self.unary(tree)
            case Binary():
                return self.binary(tree)
            case Call():
                return self.call(tree)
        raise TypeError(tree)

    def unary(self, tree: Unary) -> Kind:
        """Of a sign or "not"."""
        if tree.operator == "negative":
            return self.number(tree.operand)
        self.condition(tree.operand)
        return CONDITION

    def binary(self, tree: Binary) -> Kind:
        """Of two trees."""
        if tree.operator in ("and", "or"):
            self.condition(tree.left)
            self.condition(tree.right)
            return CONDITION
        if tree.operator == "**":
            return self.power(tree, tree.left, tree.right)
        left, right = self.number(tree.left), self.number(tree.right)
        if tree.operator in ("*", "/"):
            if left is None or (right is None and tree.operator == "*"):
                return ANY
            return times(left, power(right or Unit(), 1 if tree.operator == "*" else -1))
        if not self.unify(left, right):
            what = f"{short(tree.left)} has {shown(left)}, {short(tree.right)} has {shown(right)}"
            self.clash(tree, f"both sides of '{tree.operator}' need the same unit: {what}")
        return CONDITION if tree.operator in COMPARISONS else right if left is None else left

    def power(self, tree: Expression, base: Expression, exponent: Expression) -> Kind:
        """Of a power."""
        n = constant(exponent)
        if n is None:
            self.plain(exponent, "an exponent")
            self.plain(base, "what is raised to a power that is no number")
            return Unit()
        unit = self.number(base)
        return ANY if unit is None else power(unit, Fraction(n).limit_denominator(1000))

    def call(self, tree: Call) -> Kind:
        """Of a function."""
        first, *rest = tree.arguments
        if tree.function == "where":
            self.condition(first)
            return self.equal(tree, *rest)
        if tree.function == "clip":
            self.equal(tree, first, rest[0])
            return self.equal(tree, first, rest[1])
        if tree.function in ("min", "max"):
            return self.equal(tree, first, *rest)
        if tree.function == "steps":
            self.expect(first, SYMBOLS["ms"][0], "the argument of steps")
            return Unit()
        if tree.function == "abs":
            return self.number(first)
        if tree.function == "pow":
            return self.power(tree, first, rest[0])
        if tree.function == "sqrt":
            unit = self.number(first)
            return ANY if unit is None else power(unit, Fraction(1, 2))
        self.plain(first, f"the argument of {tree.function}")
        return Unit()

    def equal(self, tree: Call, a: Expression, b: Expression) -> Kind:
        """Of a function of two equal units."""
        left, right = self.number(a), self.number(b)
        if not self.unify(left, right):
            what = f"{short(a)} has {shown(left)}, {short(b)} has {shown(right)}"
            self.clash(tree, f"both values of {tree.function} need the same unit: {what}")
        return right if left is None else left


class Unchecked(Units):
    """Takes all units for the same."""

    def unify(self, a: Unit | None, b: Unit | None) -> bool:
        """They are the same."""
        return True


def short(tree: Expression) -> str:
    """Its text for messages, in quotes; of a long one the beginning."""
    text = text_of(tree)
    return f"'{text}'" if len(text) <= 50 else f"'{text[:47]}...'"
