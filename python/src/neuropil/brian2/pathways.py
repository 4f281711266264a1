# SPDX-License-Identifier: Apache-2.0
"""Synapses of Brian2: those that only add something to variables of the target become a projection for each assignment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from brian2.equations.unitcheck import check_units_statements
from brian2.groups.subgroup import Subgroup
from brian2.utils.stringtools import get_identifiers
from numpy.typing import NDArray

from .. import Projection
from ..equations.evaluating import value_of
from ..equations.expressions import Expression, Unary
from ..equations.parsing import Assignment
from ..equations.synapse_history import Spikes
from .errors import refuse
from .scope import Outside, own_name
from .translating import Translator, named, number, statements
from .units import scaled

__all__ = ["Pathway", "Wire", "base_of", "pathways_of"]

Floats = NDArray[np.float64]


def base_of(group: Any) -> tuple[Any, int]:
    """The group that a subgroup is a part of, and where it begins there."""
    return (group.source, int(group.start)) if isinstance(group, Subgroup) else (group, 0)


def pathways_of(synapses: Any, namespace: dict[str, Any], dt: float) -> list[Any]:
    """One for each assignment of each on_pre; one for all where synapses change. Raises NotSupported."""
    for line in synapses.equations.values():
        if line.type != "parameter" or {"linked", "summed"} & set(line.flags):
            refuse(synapses.name, "this line is not supported: only parameters and event-driven variables are", str(line))
    found, changes = [], synapses.event_driven is not None
    codes = [(each, str(each.code)) for each in synapses.contained_objects if str(each.code or "").strip()]
    for each, code in codes:
        check_units_statements(code, synapses.resolve_all(get_identifiers(code), namespace))
        found += [(each, statement) for statement in statements(synapses.name, code)]
        changes |= each.prepost == "post"
    if changes or any(statement.name in synapses.equations for _, statement in found):
        from .changing import Changing

        return [Changing(synapses, codes, namespace, dt)]
    return [Adding(synapses, each, statement, namespace, dt) for each, statement in found]


class Pathway:
    """What the spikes of one group add to one variable of another."""

    variable = ""  # of the target group

    def __init__(self, synapses: Any, pathway: Any, namespace: dict[str, Any], dt: float) -> None:
        self.synapses, self.pathway, self.dt = synapses, pathway, dt
        self.source, self.first_source = base_of(synapses.source)
        self.target, self.first_target = base_of(synapses.target)
        self.outside = Outside(synapses, namespace)
        self.translator = Translator(synapses.name, self.name, self.outside.function)
        self.own = set(synapses.equations)
        self.used: set[str] = set()

    def added(self, statement: Assignment) -> Expression:
        """What a statement adds to the variable of the target group."""
        name, line = statement.name.removesuffix("_post"), statement.place.text
        known = name in getattr(self.target, "user_equations", {}) and not statement.name.endswith("_pre")
        if statement.operator not in ("+=", "-=") or not known or self.variable not in ("", name):
            refuse(
                self.synapses.name, "on_pre may add to variables of the target only, as in v_post += w, and to one if synapses change", line
            )
        self.variable, value = name, self.translator.value(statement)
        return value if statement.operator == "+=" else Unary(value.place, "negative", value)

    def name(self, name: str) -> Expression:
        """Parameters of the synapse and of both groups, i, j, and constants."""
        if name in self.own or name in ("i", "j") or self.of_group(name) is not None:
            self.used.add(name)
            return named(own_name(name))
        if name in ("N_pre", "N_post"):
            return number(float(len(self.synapses.source if name == "N_pre" else self.synapses.target)))
        return self.outside.name(name, self.translator.line)

    def of_group(self, name: str) -> tuple[Any, str] | None:
        """The group and the parameter that a name with _pre or _post means; without, it is one of the target."""
        group = self.source if name.endswith("_pre") else self.target
        short = name.removesuffix("_pre" if group is self.source and name.endswith("_pre") else "_post")
        line = getattr(group, "user_equations", {}).get(short)
        if line is None:
            return None
        if line.type != "parameter":
            self.translator.fail(f"what is added depends on '{short}' of {group.name}, which changes: only parameters are supported")
        return group, short

    # Values, in the units used here

    @cached_property
    def i(self) -> NDArray[np.int32]:
        """Positions of the sources in their group."""
        return np.asarray(self.synapses.i[:]) + np.int32(self.first_source)

    @cached_property
    def j(self) -> NDArray[np.int32]:
        """Positions of the targets in their group."""
        return np.asarray(self.synapses.j[:]) + np.int32(self.first_target)

    def values_of(self, name: str) -> Any:
        """One for each synapse."""
        if name in ("i", "j"):
            return (self.i - self.first_source if name == "i" else self.j - self.first_target).astype(float)
        if name in self.own:
            variable = self.synapses.variables[name]
            values = scaled(np.array(variable.get_value(), float), variable.dim)
            return values[0] if variable.scalar else values
        found = self.of_group(name)
        assert found is not None
        variable = found[0].variables[found[1]]
        values = scaled(np.array(variable.get_value(), float), variable.dim)
        return values[0] if variable.scalar else values[self.i if found[0] is self.source and name.endswith("_pre") else self.j]

    def seconds(self) -> Any:
        """Delays as Brian2 has them: a number where all are equal."""
        found = self.pathway.variables["delay"].get_value()
        return float(found[0]) if len(found) and (found == found[0]).all() else np.array(found)

    def has_delays(self, seconds: Any) -> bool:
        """Whether they are still those."""
        return bool(np.all(self.pathway.variables["delay"].get_value() == seconds))

    def steps(self, seconds: Any) -> Any:
        """Delays in steps of Brian2, 0 included."""
        found = np.floor(np.asarray(seconds) / (self.dt * 1e-3) + 0.5).astype(np.int64)
        return int(found) if found.ndim == 0 else found

    def __len__(self) -> int:
        return len(self.synapses)


@dataclass
class Wire:
    """A pathway, its projection, and the values that it has there."""

    pathway: Any  # Adding or Changing
    projection: Projection
    seconds: Any  # delays in Brian2
    delay: Any  # in its steps
    weight: Any

    def arriving(self, spikes: Spikes, step: int) -> NDArray[np.int64]:
        """Synapses that these spikes reach in a step of Brian2."""
        age = step - spikes.steps
        longest = int(np.max(self.delay))
        recent = (age >= 0) & (age <= longest)
        table = np.zeros((longest + 1, int(self.pathway.i.max()) + 1), bool)
        recent &= spikes.senders < table.shape[1]
        if not recent.any():
            return np.zeros(0, np.int64)
        table[age[recent], spikes.senders[recent]] = True
        i, delay = self.pathway.i, self.delay
        return np.flatnonzero(table[delay][i] if isinstance(delay, int) else table[delay, i])


class Adding(Pathway):
    """One statement of synapses that do not change: `target += value`."""

    def __init__(self, synapses: Any, pathway: Any, statement: Assignment, namespace: dict[str, Any], dt: float) -> None:
        super().__init__(synapses, pathway, namespace, dt)
        self.value = self.added(statement)

    def options(self, delay: Any) -> dict[str, Any]:
        """Of `connect`."""
        return {}

    def weight(self) -> Any:
        """Of all synapses: a number or an array."""
        values: dict[str, Any] = dict(self.outside.values())
        values |= {own_name(name): self.values_of(name) for name in self.used}
        found = np.asarray(value_of(self.value, values), float)
        return float(found) if found.ndim == 0 else found

    def push(self, wire: Wire, step: int) -> bool:
        """Weights that the script has changed; whether it has."""
        weight = self.weight()
        if np.array_equal(weight, wire.weight):
            return False
        order = np.lexsort((np.broadcast_to(wire.delay, len(self)), self.j, self.i))  # that of projections
        wire.projection.weight, wire.weight = weight[order] if np.ndim(weight) else weight, weight
        return True

    def pull(self, wire: Wire, pre: Spikes, post: Spikes, begin: int, end: int) -> Floats:
        """What the last step adds to each neuron."""
        hit = wire.arriving(pre, end - 1)
        return np.asarray(np.bincount(self.j[hit], np.broadcast_to(wire.weight, len(self))[hit], minlength=len(self.target)), float)
