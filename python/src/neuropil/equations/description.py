# SPDX-License-Identifier: Apache-2.0
"""What equations describe, once names and units have been checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .expressions import Binary, Expression, Unary, names, parts, walk
from .parsing import Assignment
from .units import Unit

__all__ = ["Deferred", "Description", "Effect", "Parameter", "Part", "Program", "Receptor", "State", "Variable"]


@dataclass(frozen=True)
class Parameter:
    """A parameter; `default` is in its unit."""

    name: str
    default: float
    unit: str
    bound: str = "any"  # of Bound in base/field.hpp
    not_zero: bool = False


@dataclass(frozen=True)
class Variable:
    """A state variable. slope: per ms."""

    name: str
    slope: Expression
    unit: Unit
    initial: float = 0.0


@dataclass(frozen=True)
class Part:
    """A subexpression: a name for a part of equations. changes: it depends on state or input."""

    name: str
    value: Expression
    unit: Unit
    changes: bool


@dataclass(frozen=True)
class Effect:
    """What arriving spikes add to a variable: `factor` times the sum of their weights; None: that sum."""

    variable: str
    factor: Expression | None
    sign: int = 1


@dataclass(frozen=True)
class Receptor:
    """Where spikes arrive."""

    name: str
    unit: str  # of a weight
    effects: tuple[Effect, ...]


@dataclass(frozen=True)
class Deferred:
    """Spikes that arrive in a step, then the reset, take effect when the next step begins: so a delay of 0 is a delay of one step here."""

    sampled: tuple[str, ...] = ()  # variables whose value after both can be recorded
    kicks: tuple[tuple[str, str], ...] = ()  # variable that gets Poisson input in every step, and the beginning of the names for it
    until: Expression | None = None  # neurons are refractory until this condition is false when a step begins


@dataclass(frozen=True)
class State:
    """What statements set in each time step, beside the variables. unit: also that of its values."""

    name: str
    unit: str
    initial: float
    doc: str
    hidden: bool = False


@dataclass(frozen=True)
class Program:
    """What is done in each time step, without branches. Assigned names that are no state and no variable are values within the step."""

    before: tuple[Assignment, ...] = ()  # the variables move
    after: tuple[Assignment, ...] = ()  # spikes have arrived
    conditions: frozenset[str] = frozenset()  # values within the step that are true or false
    draws: Mapping[str, str] = field(default_factory=dict)  # random number of the step -> "normal" or "uniform"
    states: tuple[State, ...] = ()
    free: str = ""  # condition in which the held variables move; "": always
    spikes: str = ""  # the number of spikes; "": none

    @property
    def trees(self) -> list[Expression]:
        """All expressions."""
        return [a.value for a in [*self.before, *self.after]]

    @property
    def values(self) -> set[str]:
        """Names of values within the step, random numbers among them."""
        return {a.name for a in [*self.before, *self.after]} - {s.name for s in self.states} | set(self.draws)


@dataclass(frozen=True)
class Description:
    """A neuron as equations; trees have no units in them any more."""

    name: str
    variables: tuple[Variable, ...]  # the held one first
    parts: tuple[Part, ...]  # each uses only those before it
    parameters: tuple[Parameter, ...]
    receptors: tuple[Receptor, ...]
    spike_input: str  # of SpikeInput in model/step.hpp
    threshold: Expression | None = None
    reset: tuple[Assignment, ...] = ()
    refractory: str | None = None
    held: str | None = None  # variable that stays as it is while the neuron is refractory
    doc: str = ""
    noise: tuple[str, ...] = ()
    takes_current: bool = False
    lines: Mapping[str, str] = field(default_factory=dict)  # variable or part -> its line, written anew
    whenever: bool = False  # spikes come whenever the threshold is true, even if the reset does not end it
    also_held: tuple[str, ...] = ()  # more variables that stay as they are
    after: tuple[Assignment, ...] = ()  # what is done at the end of each step, when spikes have arrived
    previous: Mapping[str, str] = field(default_factory=dict)  # name in the threshold -> variable; the name is its value one step before
    program: Program = Program()
    rate: str | None = None  # variable that is sent in each step along continuous connections; such a neuron takes and sends no spikes
    rate_inputs: tuple[str, ...] = ()  # of RATES
    deferred: Deferred | None = None
    seen: str | None = None  # variable that synapses read
    draws: tuple[str, ...] = ()  # random numbers of the reset: "uniform..." and "normal..."

    @property
    def on_crossing(self) -> bool:
        """Spikes come when the threshold becomes true, not whenever it is: for models whose reset does not end it."""
        return self.threshold is not None and not self.whenever and not {a.name for a in self.reset} & self.reached(names(self.threshold))

    def holds(self, name: str) -> bool:
        """Whether the variable stays as it is while the neuron is refractory."""
        return self.may_hold and (name == self.held or name in self.also_held)

    @property
    def may_hold(self) -> bool:
        """Whether some variables stay as they are at times, which the condition `free` says."""
        return self.refractory is not None or bool(self.program.free) or (self.deferred is not None and self.deferred.until is not None)

    @property
    def all_held(self) -> tuple[str, ...]:
        """Variables that stay as they are at times."""
        return tuple(v.name for v in self.variables if self.holds(v.name))

    @property
    def chance(self) -> str:
        """Which random numbers the equations and the reset use; "" for none. The solver with adaptive steps takes none of them."""
        return "noise" if self.noise else "a random reset" if self.draws else ""

    @property
    def state_names(self) -> set[str]:
        """Names of all that is kept from step to step."""
        return {v.name for v in self.variables} | {s.name for s in self.program.states}

    @property
    def has_multiplicative_noise(self) -> bool:
        """Whether white noise is multiplied by what changes with a variable."""
        return any(self._scales_noise(node) for v in self.variables for node in walk(v.slope))

    def _scales_noise(self, tree: Expression) -> bool:
        noisy = [part for part in parts(tree) if names(part) & set(self.noise)]
        if not noisy or isinstance(tree, Unary) or (isinstance(tree, Binary) and tree.operator in ("+", "-")):
            return False
        is_product = isinstance(tree, Binary) and tree.operator in ("*", "/")
        return any(self.reached(names(part)) & self.state_names for part in parts(tree) if not is_product or part not in noisy)

    def part(self, name: str) -> Part | None:
        """The part with this name, or None."""
        return next((part for part in self.parts if part.name == name), None)

    def reached(self, start: Iterable[str]) -> set[str]:
        """These names and all that the parts among them use."""
        found = set(start)
        for part in reversed(self.parts):
            if part.name in found:
                found |= names(part.value)
        return found

    def is_constant(self, tree: Expression) -> bool:
        """Whether it follows from parameters alone. Names that begin with "=" are C++ of a step."""
        used = names(tree)
        return not used & self.changing and not any(name.startswith("=") for name in used)

    @property
    def changing(self) -> set[str]:
        """Names of what changes in time."""
        parts = {p.name for p in self.parts if p.changes}
        return parts | {*self.noise, *self.draws, *self.rate_inputs, "I_stim"} | set(self.previous) | self.state_names | self.program.values

    @property
    def trees(self) -> list[Expression]:
        """All expressions."""
        found = [v.slope for v in self.variables] + [p.value for p in self.parts] + [a.value for a in [*self.reset, *self.after]]
        found += [e.factor for r in self.receptors for e in r.effects if e.factor is not None]
        return found + self.program.trees + ([self.threshold] if self.threshold else [])

    def needed_parts(self, trees: Iterable[Expression]) -> list[Part]:
        """Changing parts that these trees use, directly or not, in order."""
        used = self.reached(set().union(*(names(tree) for tree in trees)))
        return [part for part in self.parts if part.changes and part.name in used]
