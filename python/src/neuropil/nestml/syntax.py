# SPDX-License-Identifier: Apache-2.0
"""A NESTML model as a tree. Expressions are those of equations; units in them are names, `a ? b : c` is where(a, b, c), x' is a name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..equations.errors import Place
from ..equations.expressions import Call, Expression, Name

__all__ = [
    "Assign",
    "CallStatement",
    "Declaration",
    "Equation",
    "For",
    "Function",
    "Handler",
    "If",
    "Model",
    "Port",
    "Return",
    "Statement",
    "walk_statements",
]


@dataclass(frozen=True)
class Declaration:
    """A name with its type: "real", "integer", "boolean", or a unit."""

    name: str
    type: Expression
    value: Expression | None
    place: Place
    size: Expression | None = None  # of a vector
    guard: Expression | None = None  # condition on its values


@dataclass(frozen=True)
class Assign:
    """name operator value."""

    name: str
    operator: str
    value: Expression
    place: Place
    index: Expression | None = None  # of an element of a vector


@dataclass(frozen=True)
class CallStatement:
    """A function that is called for its effect."""

    call: Call
    place: Place


@dataclass(frozen=True)
class If:
    """Conditions with what is done where they hold, in order; `otherwise` is done where none does."""

    branches: tuple[tuple[Expression, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]
    place: Place


@dataclass(frozen=True)
class For:
    """Statements that are done for each value of a variable, from `first` to before `last`."""

    variable: str
    first: Expression
    last: Expression
    step: Expression
    body: tuple[Statement, ...]
    place: Place


@dataclass(frozen=True)
class Return:
    """The value of a function."""

    value: Expression
    place: Place


Statement = Declaration | Assign | CallStatement | If | For | Return


@dataclass(frozen=True)
class Function:
    """A function of the model."""

    name: str
    arguments: tuple[str, ...]
    body: tuple[Statement, ...]
    place: Place


@dataclass(frozen=True)
class Equation:
    """name'...' = value (order: number of '), or kernel name = value."""

    name: str
    order: int
    value: Expression
    place: Place


@dataclass(frozen=True)
class Port:
    """An input: kind is "spike" or "continuous"."""

    name: str
    type: Expression | None
    qualifiers: tuple[str, ...]
    kind: str
    place: Place
    size: Expression | None = None  # of a vector


@dataclass(frozen=True)
class Handler:
    """onCondition(condition) or onReceive(port): what is done then."""

    trigger: Expression
    body: tuple[Statement, ...]
    place: Place


@dataclass
class Model:
    """A model; declarations by block."""

    name: str
    place: Place
    state: list[Declaration] = field(default_factory=list)
    parameters: list[Declaration] = field(default_factory=list)
    internals: list[Declaration] = field(default_factory=list)
    inlines: list[Declaration] = field(default_factory=list)
    equations: list[Equation] = field(default_factory=list)
    kernels: list[Equation] = field(default_factory=list)
    ports: list[Port] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    update: list[Statement] = field(default_factory=list)
    conditions: list[Handler] = field(default_factory=list)
    receivers: list[Handler] = field(default_factory=list)
    units: list[Name] = field(default_factory=list)  # behind numbers
    attributes: Place | None = None  # of the spikes that it sends


def walk_statements(body: tuple[Statement, ...] | list[Statement]) -> Iterator[Statement]:
    """All statements, those in branches too."""
    for each in body:
        yield each
        if isinstance(each, If):
            for _, inner in each.branches:
                yield from walk_statements(inner)
            yield from walk_statements(each.otherwise)
