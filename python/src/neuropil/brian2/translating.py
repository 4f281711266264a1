# SPDX-License-Identifier: Apache-2.0
"""From Brian2's expressions to those of `neuropil.neuron`, whose language has the same operators. Nothing of the text is evaluated by Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from ..equations import EquationError
from ..equations.engine import Place
from ..equations.expressions import COMPARISONS, FUNCTIONS, Binary, Call, Expression, Name, Number, Unary, changed
from ..equations.parsing import Assignment, read_assignments, read_expression
from .errors import refuse

__all__ = ["Translator", "is_condition", "named", "number", "statements"]

_SAME = ("exp", "expm1", "log", "log1p", "sqrt", "abs", "sin", "cos", "tanh", "exprel")
_MADE = {  # of others, as Brian2 would write them
    "log10": "log(a) / 2.302585092994046",
    "tan": "sin(a) / cos(a)",
    "sinh": "(exp(a) - exp(-a)) / 2",
    "cosh": "(exp(a) + exp(-a)) / 2",
    "clip": "min(max(a, b), c)",
    "sign": "where(a > 0, 1, where(a < 0, -1, 0))",
    "int": "where(a, 1, 0)",
}
_ARGUMENTS = {name: FUNCTIONS[name] for name in _SAME} | dict.fromkeys(_MADE, 1) | {"clip": 3}
_PLACE = Place("equations", 1, 1, "")


def read(owner: str, code: str, reader: Callable[..., Any] = read_expression, line: str = "") -> Any:
    """Its trees. Raises NotSupported. line : where it stands, for messages."""
    try:
        return reader("\n".join(line.strip() for line in code.strip().splitlines()), "code", _ARGUMENTS)
    except EquationError as error:
        refuse(owner, f"this is not supported: {str(error).partition(chr(10))[0].partition(': ')[2]}", line or error.text)


def statements(owner: str, code: str) -> list[Assignment]:
    """Those of a reset or of on_pre. Raises NotSupported for what is no assignment to one name."""
    found: list[Assignment] = read(owner, code, read_assignments)
    return found


def is_condition(code: str, booleans: Callable[[str], bool]) -> bool:
    """Whether an expression is true or false. booleans : tells names that are."""
    match read("", code):
        case Name(name=name):
            return name in ("True", "False") or booleans(name)
        case Unary(operator=operator) | Binary(operator=operator):
            return operator in (*COMPARISONS, "and", "or", "not")
    return False


@dataclass
class Translator:
    """name : gives what a name becomes; known : whether a function is Brian2's own."""

    owner: str
    name: Callable[[str], Expression]
    known: Callable[[str], bool]
    line: str = ""

    def code(self, code: str, line: str = "") -> Expression:
        """An expression. Raises NotSupported. line : where it stands, for messages."""
        self.line = line or code
        return self.made(read(self.owner, code, line=self.line))

    def value(self, statement: Assignment) -> Expression:
        """What a statement assigns."""
        self.line = statement.place.text
        return self.made(statement.value)

    def fail(self, problem: str) -> NoReturn:
        """Raises NotSupported at the present line."""
        refuse(self.owner, problem, self.line)

    def made(self, tree: Expression) -> Expression:
        """A tree with the names and functions of neuropil."""
        return changed(tree, self.other)

    def other(self, node: Expression) -> Expression | None:
        """What a name, or a function that is made of others, becomes."""
        if isinstance(node, Name):
            truth = {"True": ">", "False": "<"}.get(node.name)
            return Binary(_PLACE, truth, number(1.0), number(0.0)) if truth else self.name(node.name)
        if isinstance(node, Call) and not self.known(node.function):
            self.fail(f"the function {node.function} is not supported; these are: {', '.join(_ARGUMENTS)}")
        if not isinstance(node, Call) or node.function in _SAME:
            return None
        given = dict(zip("abc", map(self.made, node.arguments), strict=False))
        return changed(
            read_expression(_MADE[node.function], node.function), lambda each: given.get(each.name) if isinstance(each, Name) else None
        )


def number(value: float) -> Number:
    """A number in an expression."""
    return Number(_PLACE, value)


def named(name: str) -> Name:
    """A name in an expression."""
    return Name(_PLACE, name)
