# SPDX-License-Identifier: Apache-2.0
"""What the equations of a synapse describe, once names and units have been checked, and which of its statements have an effect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .description import Description
from .expressions import Expression, names, text_of
from .parsing import Assignment
from .units import Unit

__all__ = ["KINDS", "WEIGHT", "Dynamics", "Needed", "Rule", "needed", "statement"]

KINDS = ("pre", "post", "synapse")
WEIGHT = "w"


@dataclass(frozen=True)
class Dynamics:
    """A variable between spikes: it decays to `rest` with the time constant `tau`. tau None: it stays as it is; rest None: 0."""

    name: str
    kind: str  # of KINDS
    tau: Expression | None
    rest: Expression | None
    initial: Expression | None  # None: 0
    unit: Unit


@dataclass(frozen=True)
class Rule:
    """A synapse as equations; trees have no units in them any more. made: variables, parts and parameters; its reset has all statements."""

    made: Description
    variables: tuple[Dynamics, ...]
    on_pre: tuple[Assignment, ...]
    on_post: tuple[Assignment, ...]
    transmit: Expression
    low: Expression | None
    high: Expression | None

    def variable(self, name: str) -> Dynamics | None:
        """The variable with this name, or None."""
        return next((v for v in self.variables if v.name == name), None)

    def of_kind(self, kind: str) -> list[Dynamics]:
        """Variables of a kind, in order."""
        return [v for v in self.variables if v.kind == kind]

    def is_constant(self, tree: Expression) -> bool:
        """Whether it follows from parameters alone."""
        return self.made.reached(names(tree)) <= {p.name for p in self.made.parameters} | {p.name for p in self.made.parts}


@dataclass(frozen=True)
class Needed:
    """The statements that have an effect, and the names whose values before them count."""

    statements: tuple[Assignment, ...]
    reads: frozenset[str]


def needed(made: Description, statements: Sequence[Assignment], after: Iterable[str]) -> Needed:
    """Statements that change what is needed `after` them. Parts have their values from before the statements."""
    live, before = set(after), set[str]()
    found: list[Assignment] = []
    for each in reversed(statements):
        if each.name not in live:
            continue
        found.insert(0, each)
        if each.operator == "=":
            live.discard(each.name)
        used = names(each.value)
        parts = {name for name in used if made.part(name)}
        before |= made.reached(parts)
        live |= used - parts
    return Needed(tuple(found), frozenset(live | before))


def statement(assignment: Assignment) -> str:
    """The statement as one would write it."""
    return f"{assignment.name} {assignment.operator} {text_of(assignment.value)}"
