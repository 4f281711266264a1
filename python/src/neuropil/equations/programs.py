# SPDX-License-Identifier: Apache-2.0
"""Statements of a time step that another language gives: from trees with units to a Program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .description import Program, State
from .expressions import Binary, Expression, Number
from .parsing import Assignment
from .reading import Reading, check_name
from .simplify import simplified
from .units import Unit

__all__ = ["GivenProgram", "GivenState"]


@dataclass(frozen=True)
class GivenState:
    """A state that statements set. factor: what one of its unit is in mV, ms, pA and mM."""

    state: State
    unit: Unit
    factor: float


@dataclass(frozen=True)
class GivenProgram:
    """A Program whose expressions have units, and the units of its states."""

    program: Program
    states: Mapping[str, GivenState] = field(default_factory=dict)

    def introduce(self, reading: Reading) -> None:
        """Its states are known in equations."""
        reading.states = tuple(self.states)
        for name, given in self.states.items():
            check_name(name, "state")
            reading.units.of[name] = given.unit
            if given.factor != 1.0:
                reading.factors[name] = given.factor

    def resolve(self, reading: Reading) -> None:
        """Every name must be known."""
        for tree in self.program.trees:
            reading.resolve(tree, extra=tuple(self.program.values))

    def read(self, reading: Reading) -> Program:
        """Without units."""
        before, after = (tuple(self.plain(reading, a) for a in each) for each in (self.program.before, self.program.after))
        return replace(self.program, before=before, after=after, states=tuple(given.state for given in self.states.values()))

    def plain(self, reading: Reading, assignment: Assignment) -> Assignment:
        """What is assigned is in the unit of the state."""
        value: Expression = reading.plain(assignment.value, current_with="")
        given = self.states.get(assignment.name)
        if given and given.factor != 1.0:
            value = simplified(Binary(value.place, "/", value, Number(value.place, given.factor)))
        return replace(assignment, value=value)
