# SPDX-License-Identifier: Apache-2.0
"""What is known while a model is read, and checks that several texts need."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from ..errors import bad_parameter, bad_type, nearest
from .errors import fail
from .expressions import Binary, Call, Expression, Name, Number, changed, walk
from .inference import Units
from .names import CURRENT, STEP, forbidden, is_noise
from .parsing import RANDOM, Assignment, Line
from .simplify import simplified
from .units import EXPRESSION_SYMBOLS, SYMBOLS, Unit, power

__all__ = ["Reading", "check_name", "finite", "is_number", "read_text", "refuse_noise", "variable_of"]

T = TypeVar("T")
_NOISE_UNIT = power(SYMBOLS["ms"][0], Fraction(-1, 2))


class Reading:
    """All that is known while a model is read."""

    def __init__(self, name: str, units: Units) -> None:
        self.name = name
        self.units = units
        self.lines: dict[str, Line] = {}  # of variables and parts
        self.values: dict[str, float] = {}  # of parameters
        self.factors: dict[str, float] = {}  # of parameters whose unit is none of mV, ms, pA
        self.shown: dict[str, str] = {}  # units of parameters as they were given
        self.used: set[str] = set()
        self.states: tuple[str, ...] = ()  # that statements set
        self.inputs: tuple[str, ...] = ()  # of a rate neuron
        self.seen: str | None = None  # variable that synapses read
        self.draws: list[str] = []  # names of random numbers

    def known_names(self) -> list[str]:
        """Names that may stand in expressions, units left out."""
        return [*self.lines, *self.values, *self.states, *(self.inputs or [CURRENT]), STEP]

    def resolve(self, tree: Expression, extra: tuple[str, ...] = ()) -> None:
        """Every name must be known."""
        for node in walk(tree):
            if not isinstance(node, Name) or node.name in EXPRESSION_SYMBOLS or node.name in extra:
                continue
            self.used.add(node.name)
            if is_noise(node.name):
                self.units.of[node.name] = _NOISE_UNIT
            elif node.name not in self.known_names():
                hint = "" if nearest(node.name, self.known_names()) else f"; known: {', '.join(self.known_names())}"
                problem = f"unknown name '{node.name}'{nearest(node.name, self.known_names())}{hint}"
                fail(node.place, f"{problem}. A parameter needs a value in `parameters`")

    def plain(self, tree: Expression, current_with: str | None = None) -> Expression:
        """Without units: of symbols such as mV and of parameters only the factors are left. current_with: None: see there."""
        with_current = self.current_with if current_with is None else current_with

        def change(node: Expression) -> Expression | None:
            if not isinstance(node, Name):
                return None
            if node.name in EXPRESSION_SYMBOLS:
                return Number(node.place, SYMBOLS[node.name][1])
            if node.name == with_current:
                return Binary(node.place, "+", node, Name(node.place, CURRENT))
            if node.name in self.factors:
                return Binary(node.place, "*", node, Number(node.place, self.factors[node.name]))
            return None

        return simplified(changed(tree, change))

    def named(self, statements: list[Assignment]) -> list[Assignment]:
        """With names for random numbers."""
        return [replace(each, value=self.with_draws(each.value)) for each in statements]

    def with_draws(self, tree: Expression) -> Expression:
        """With a name for each random number, uniform in (0, 1) or normal with mean 0 and deviation 1."""

        def change(node: Expression) -> Expression | None:
            if not isinstance(node, Call) or node.function not in RANDOM:
                return None
            first, second = map(self.with_draws, node.arguments)
            name = self.new_draw(node.function.removeprefix("random_"))
            found: Expression = Name(node.place, name)
            if name.startswith("uniform") and not is_number(first, 0.0):
                second = Binary(node.place, "-", second, first)
            found = found if is_number(second, 1.0) else Binary(node.place, "*", second, found)
            return found if is_number(first, 0.0) else Binary(node.place, "+", first, found)

        return changed(tree, change)

    def new_draw(self, kind: str) -> str:
        """A name that nothing has yet."""
        taken = {*self.known_names(), *self.draws}
        name = next(each for k in range(1, len(taken) + 2) if (each := f"{kind}_{k}") not in taken)
        self.draws.append(name)
        self.units.of[name] = Unit()
        return name

    @property
    def current_with(self) -> str:
        """I_e, where the current of devices is added to it; else ""."""
        return "I_e" if not self.inputs and CURRENT not in self.used and "I_e" in self.values else ""


def is_number(tree: Expression, value: float) -> bool:
    """Whether it is this number."""
    return isinstance(tree, Number) and tree.value == value


def check_name(name: object, what: str) -> None:
    """Raises BadType, BadParameter."""
    if not isinstance(name, str):
        raise bad_type(what, name, "a text")
    if reason := forbidden(name):
        raise bad_parameter(what, name, f"another name ({reason})")


def finite(what: str, value: object) -> float:
    """A finite number. Raises BadType, BadParameter."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise bad_type(what, value, "a number, or a text with a unit such as '281 pF'")
    if not math.isfinite(float(value)):
        raise bad_parameter(what, value, "a finite number")
    return float(value)


def read_text(text: object, part: str, read: Callable[[str, str], T]) -> T:
    """What `read` makes of a text. Raises BadType."""
    if not isinstance(text, str):
        raise bad_type(part, text, "a text")
    return read(text, part)


def refuse_noise(tree: Expression) -> None:
    """Noise has a value per step, not at a moment."""
    for node in walk(tree):
        if isinstance(node, Name) and is_noise(node.name):
            fail(node.place, "white noise may stand in differential equations only")


def variable_of(reading: Reading, assignment: Assignment) -> None:
    """The assignment must be to a variable."""
    variables = [name for name, line in reading.lines.items() if line.derivative]
    if assignment.name not in variables and assignment.name not in reading.states:
        near = nearest(assignment.name, variables)
        fail(assignment.place, f"'{assignment.name}' is no variable with a derivative{near}; these are: {', '.join(variables)}")
