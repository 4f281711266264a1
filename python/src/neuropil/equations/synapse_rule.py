# SPDX-License-Identifier: Apache-2.0
"""What the equations of a synapse describe, once names and units have been checked, and which of its statements have an effect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .description import Description
from .evaluating import value_of
from .expressions import Expression, names, text_of
from .parsing import Assignment
from .units import Unit

__all__ = ["ELAPSED", "KINDS", "TIME", "WEIGHT", "Dynamics", "Needed", "Rule", "default_of", "needed", "statement"]

KINDS = ("pre", "post", "synapse", "third")
WEIGHT = "w"
TIME = "t"  # of the event [ms]; in `between`, of its beginning
ELAPSED = "elapsed"  # in `between`: the time between two events [ms]


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
    on_third: tuple[Assignment, ...] = ()
    between: tuple[Assignment, ...] = ()
    seen: str | None = None  # variable of the target, whose value at a spike is known
    draws: tuple[str, ...] = ()  # names of random numbers: "uniform..." and "normal..."
    settable: bool = False  # variables may be set: synapse_events

    @property
    def written(self) -> tuple[tuple[str, tuple[Assignment, ...]], ...]:
        """All statements, by when they are done."""
        return ("on_pre", self.on_pre), ("on_post", self.on_post), ("on_third", self.on_third), ("between", self.between)

    @property
    def hears(self) -> Dynamics | None:
        """The variable that spikes of a volume transmitter change, or None."""
        return next(iter(self.of_kind("third")), None)

    @property
    def sees(self) -> bool:
        """Whether something uses the variable of the target."""
        trees = [*(a.value for a in (*self.on_pre, *self.on_post)), self.transmit]
        return self.seen is not None and any(self.seen in self.made.reached(names(tree)) for tree in trees)

    @property
    def is_followed(self) -> bool:
        """Whether synapses are followed from event to event, spikes of a transmitter among them."""
        return bool(self.between) or self.hears is not None

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


def default_of(made: Description, tree: Expression) -> float:
    """The value with the defaults of parameters."""
    values = {p.name: p.default for p in made.parameters}
    for part in made.parts:
        if not part.changes:
            values[part.name] = float(value_of(part.value, values))
    return float(value_of(tree, values))
