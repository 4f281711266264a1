# SPDX-License-Identifier: Apache-2.0
"""Names outside of a group that its strings use: Brian2 finds them, in the namespace of the group or where `run` was called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from brian2.core.functions import DEFAULT_FUNCTIONS
from brian2.core.namespace import DEFAULT_CONSTANTS, DEFAULT_UNITS
from brian2.core.variables import Constant

from ..equations.engine import forbidden
from ..equations.expressions import Expression
from .errors import refuse
from .translating import named, number
from .units import scaled, unit_of

__all__ = ["RESERVED", "Outside", "own_name"]

RESERVED = ("last_spike", "waiting", "settled_at", "I_e", "waits", "refractory_time")


def own_name(name: str) -> str:
    """What a name of Brian2's is called in equations."""
    if name in RESERVED or name.endswith("_at_start") or name.startswith("poisson_") or forbidden(name):
        return f"of_script_{name.strip('_').replace('__', '_')}"
    return name


@dataclass
class Outside:
    """Looks names up for a group. constants : those that were used, own name -> name; units : of them."""

    group: Any
    namespace: dict[str, Any]  # of the present run
    constants: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)

    def found(self, name: str, line: str) -> Any:
        """What Brian2 finds under a name."""
        try:
            return self.group.resolve_all([name], self.namespace)[name]
        except KeyError:
            refuse(self.group.name, f"'{name}' is not defined", line)

    def function(self, name: str) -> bool:
        """Whether a function is Brian2's own."""
        return name in DEFAULT_FUNCTIONS and self.found(name, name) is DEFAULT_FUNCTIONS[name]

    def name(self, name: str, line: str) -> Expression:
        """A unit or pi: a number; any other constant: a parameter."""
        found = self.found(name, line)
        if not isinstance(found, Constant) or abs(found.value) == float("inf"):
            refuse(self.group.name, f"'{name}' is not supported here: only finite constants are, beside the variables of the group", line)
        value = scaled(found.value, found.dim)
        if name in DEFAULT_CONSTANTS or (name in DEFAULT_UNITS and float(DEFAULT_UNITS[name]) == float(found.value)):
            return number(value)
        self.constants[own_name(name)] = name
        self.units[own_name(name)] = unit_of(found.dim)
        return named(own_name(name))

    def values(self) -> dict[str, float]:
        """Of the constants, as they are now."""
        found = {own: self.found(name, name) for own, name in self.constants.items()}
        return {own: float(scaled(each.value, each.dim)) for own, each in found.items()}
