# SPDX-License-Identifier: Apache-2.0
"""What follows from parameters alone: computed once per set of parameters, as members of a model's `Derived`."""

from __future__ import annotations

import math
import sys

from .description import Description
from .errors import Place
from .expressions import Binary, Call, Expression, Name, Number, Unary, names, text_of
from .names import STEP, Namer, cpp_name
from .printing import Printer

__all__ = ["Constants"]


class Constants:
    """The members of Derived, in order, and the C++ text that computes each."""

    def __init__(self, made: Description, printer: Printer) -> None:
        self.made, self.printer = made, printer
        everything = [v.name for v in made.variables] + [p.name for p in made.parts] + [p.name for p in made.parameters]
        self.namer = Namer(everything)
        self.members: dict[str, str] = {}
        self._by_text: dict[str, str] = {}
        self._needed: set[str] = set()  # names that `derive` uses

    def add(self, wish: str, text: str) -> str:
        """A member with this text; returns how the step calls it. One text, one member."""
        if text not in self._by_text:
            name = self.namer.make(wish)
            self.members[name] = text
            self._by_text[text] = f"d.{name}"
        return self._by_text[text]

    def in_derive(self, tree: Expression) -> str:
        """An expression of parameters, as C++ in `derive`."""
        self._needed |= names(tree)
        return self.printer.text(tree, self._derive_name)

    def _derive_name(self, name: str) -> str:
        if name == STEP:
            return "h"
        return cpp_name(name) if self.made.part(name) else f"p.{cpp_name(name)}"

    def lines_of_derive(self) -> list[str]:
        """Parts that follow from parameters, which `derive` computes first."""
        needed, lines = set(self.made.reached(self._needed)), []
        for part in self.made.parts:
            if not part.changes and part.name in needed:
                lines.append(f"const double {cpp_name(part.name)} = {self.printer.text(part.value, self._derive_name)};")
        return lines

    def named(self, name: str) -> str:
        """A parameter, or a part that follows from parameters: a member with its own name."""
        if name == STEP:
            return self.add("dt", "h")
        if name not in self._by_text:
            member = cpp_name(name)
            self.members[member] = self.in_derive(Name(self._place, name))
            self._by_text[name] = f"d.{member}"
        return self._by_text[name]

    @property
    def _place(self) -> Place:
        return Place("equations", 1, 1, "")

    def lifted(self, tree: Expression) -> Expression:
        """The expression with members of Derived where something follows from parameters, and products where it is divided by them."""
        if isinstance(tree, Number):
            return tree
        if self.made.is_constant(tree):
            return self._constant(tree)
        match tree:
            case Unary():
                return Unary(tree.place, tree.operator, self.lifted(tree.operand))
            case Call():
                return Call(tree.place, tree.function, tuple(self.lifted(each) for each in tree.arguments))
            case Binary():
                return self._binary(tree)
        return tree

    def _binary(self, tree: Binary) -> Expression:
        left = self.lifted(tree.left)
        if tree.operator == "/" and (factor := self._factor(tree.right)) is not None:
            return Binary(tree.place, "*", left, factor)
        return Binary(tree.place, tree.operator, left, self.lifted(tree.right))

    def _factor(self, divisor: Expression) -> Expression | None:
        """What to multiply by instead of dividing, which takes several times as long; None: nothing that is sooner done."""
        if isinstance(divisor, Number):
            factor = 1.0 / divisor.value if divisor.value else math.inf
            return Number(divisor.place, factor) if sys.float_info.min <= abs(factor) < math.inf else None
        if self.made.is_constant(divisor):
            wish = f"per_{cpp_name(divisor.name)}" if isinstance(divisor, Name) else "factor"
            one = Binary(divisor.place, "/", Number(divisor.place, 1.0), divisor)
            return Name(divisor.place, self.add(wish, self.in_derive(one)))
        if isinstance(divisor, Call) and divisor.function == "exprel":
            return Call(divisor.place, "per_exprel", tuple(self.lifted(each) for each in divisor.arguments))
        return None

    def _constant(self, tree: Expression) -> Expression:
        if isinstance(tree, Name):
            return Name(tree.place, self.named(tree.name))
        if isinstance(tree, Unary) and tree.operator == "negative":
            return Unary(tree.place, tree.operator, self.lifted(tree.operand))
        if isinstance(tree, Binary) and tree.operator in ("<", "<=", ">", ">=", "==", "!=", "and", "or"):
            return Binary(tree.place, tree.operator, self.lifted(tree.left), self.lifted(tree.right))
        if isinstance(tree, Unary):
            return Unary(tree.place, tree.operator, self.lifted(tree.operand))
        return Name(tree.place, self.add(self._wish(tree), self.in_derive(tree)))

    def _wish(self, tree: Expression) -> str:
        used = sorted(names(tree), key=text_of(tree).find)
        product = text_of(tree).replace(" * ", "_")
        return product if product == "_".join(used) else "constant"
