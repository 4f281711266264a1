# SPDX-License-Identifier: Apache-2.0
"""The rate of each variable within its own equation, for exponential Euler: f in dx/dt = f*x + the rest."""

from __future__ import annotations

from dataclasses import dataclass

from .description import Description
from .expressions import Binary, Call, Expression, Name, Number, Unary, names
from .linear import NotLinear
from .simplify import simplified

__all__ = ["rates_within"]


def rates_within(made: Description) -> dict[str, Expression]:
    """Variable -> its rate [1/ms]. Raises NotLinear where an equation is not linear in its own variable."""
    found = {}
    for v in made.variables:
        rate = Rates(made, v.name).of(v.slope)
        found[v.name] = simplified(rate) if rate else Number(v.slope.place, 0.0)
    return found


@dataclass
class Rates:
    made: Description
    variable: str

    def depends(self, tree: Expression) -> bool:
        return self.variable in self.made.reached(names(tree))

    def of(self, tree: Expression) -> Expression | None:
        """The factor of the variable; None for 0."""
        if not self.depends(tree):
            return None
        match tree:
            case Name():
                part = self.made.part(tree.name)
                return self.of(part.value) if part else Number(tree.place, 1.0)
            case Unary(operator="negative"):
                inner = self.of(tree.operand)
                return inner and Unary(tree.place, "negative", inner)
            case Binary(operator="+" | "-"):
                return self.sum(tree)
            case Binary(operator="*" | "/"):
                return self.product(tree)
            case Call(function="where") if not self.depends(tree.arguments[0]):
                zero = Number(tree.place, 0.0)
                a, b = (self.of(each) or zero for each in tree.arguments[1:])
                return Call(tree.place, "where", (tree.arguments[0], a, b))
        raise NotLinear(f"d{self.variable}/dt is not linear in {self.variable}", tree.place)

    def sum(self, tree: Binary) -> Expression | None:
        left, right = self.of(tree.left), self.of(tree.right)
        if left is None:
            return right if tree.operator == "+" or right is None else Unary(tree.place, "negative", right)
        return left if right is None else Binary(tree.place, tree.operator, left, right)

    def product(self, tree: Binary) -> Expression | None:
        left, right = self.of(tree.left), self.of(tree.right)
        if right is None:
            return left and Binary(tree.place, tree.operator, left, tree.right)
        if left is None and tree.operator == "*":
            return Binary(tree.place, "*", tree.left, right)
        raise NotLinear(f"d{self.variable}/dt is not linear in {self.variable}", tree.place)
