# SPDX-License-Identifier: Apache-2.0
"""Synapses of Brian2 whose on_pre adds something to variables of the target: each assignment becomes a projection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from brian2.equations.unitcheck import check_units_statements
from brian2.groups.subgroup import Subgroup
from brian2.utils.stringtools import get_identifiers
from numpy.typing import NDArray

from ..equations.evaluating import value_of
from ..equations.expressions import Expression
from .errors import refuse
from .scope import Outside, own_name
from .translating import Statement, Translator, named, number, statements
from .units import scaled

__all__ = ["Pathway", "base_of", "pathways_of"]

Floats = NDArray[np.float64]
PLASTIC = "synapses with variables of their own that change (short-term dynamics, STDP) are not supported yet"


def base_of(group: Any) -> tuple[Any, int]:
    """The group that a subgroup is a part of, and where it begins there."""
    return (group.source, int(group.start)) if isinstance(group, Subgroup) else (group, 0)


def pathways_of(synapses: Any, namespace: dict[str, Any], dt: float) -> list[Pathway]:
    """One for each assignment of each on_pre. Raises NotSupported."""
    check_synapses(synapses)
    found = []
    for each in synapses.contained_objects:
        code = str(each.code or "")
        if not code.strip():
            continue
        if each.prepost != "pre":
            refuse(synapses.name, f"on_post is not supported yet: {PLASTIC}", code)
        check_units_statements(code, synapses.resolve_all(get_identifiers(code), namespace))
        found += [Pathway(synapses, each, statement, namespace, dt) for statement in statements(synapses.name, code)]
    return found


def check_synapses(synapses: Any) -> None:
    """Synapses may have parameters only."""
    for line in synapses.equations.values():
        if line.type != "parameter" or {"linked", "summed"} & set(line.flags):
            why = PLASTIC if line.type == "differential equation" else "this line is not supported: only parameters are"
            refuse(synapses.name, why, str(line))
    if synapses.event_driven:
        refuse(synapses.name, PLASTIC, str(synapses.event_driven))


class Pathway:
    """What the spikes of one group add to one variable of another: `target += value`."""

    def __init__(self, synapses: Any, pathway: Any, statement: Statement, namespace: dict[str, Any], dt: float) -> None:
        self.synapses, self.pathway, self.dt = synapses, pathway, dt
        self.source, self.first_source = base_of(synapses.source)
        self.target, self.first_target = base_of(synapses.target)
        self.outside = Outside(synapses, namespace)
        self.translator = Translator(synapses.name, self.name, self.outside.function)
        self.own = set(synapses.equations)
        self.used: set[str] = set()
        self.variable = self.variable_of(statement)
        self.value: Expression = self.translator.tree(statement.value, statement.line)

    def variable_of(self, statement: Statement) -> str:
        """The variable of the target group."""
        name = statement.target.removesuffix("_post")
        if statement.target in self.own:
            refuse(self.synapses.name, f"on_pre changes '{name}' of the synapse: {PLASTIC}", statement.line)
        if (
            statement.operator not in ("+=", "-=")
            or statement.target.endswith("_pre")
            or name not in getattr(self.target, "user_equations", {})
        ):
            refuse(self.synapses.name, "on_pre may add to variables of the target only, as in v_post += w", statement.line)
        self.sign = 1.0 if statement.operator == "+=" else -1.0
        return name

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

    def weight(self) -> Any:
        """Of all synapses: a number or an array."""
        values: dict[str, Any] = dict(self.outside.values())
        values |= {own_name(name): self.values_of(name) for name in self.used}
        found = self.sign * np.asarray(value_of(self.value, values), float)
        return float(found) if found.ndim == 0 else found

    def values_of(self, name: str) -> Any:
        """One for each synapse."""
        if name in ("i", "j"):
            return (self.i - self.first_source if name == "i" else self.j - self.first_target).astype(float)
        if name in self.own:
            variable = self.synapses.variables[name]
            return scaled(np.array(variable.get_value(), float), variable.dim)
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
class Spikes:
    """Recent spikes of a group: positions, and steps of Brian2."""

    senders: NDArray[np.int64]
    steps: NDArray[np.int64]


def arriving(pathway: Pathway, delay: Any, weight: Any, spikes: Spikes, step: int, n_source: int, n_target: int) -> Floats:
    """What a step of Brian2 adds to the variable of each neuron of the target group."""
    age = step - spikes.steps
    longest = int(np.max(delay))
    recent = (age >= 0) & (age <= longest)
    if not recent.any():
        return np.zeros(n_target)
    table = np.zeros((longest + 1, n_source), bool)
    table[age[recent], spikes.senders[recent]] = True
    hit = np.flatnonzero(table[delay][pathway.i] if isinstance(delay, int) else table[delay, pathway.i])
    weights = np.broadcast_to(weight, len(pathway.i))[hit]
    return np.asarray(np.bincount(pathway.j[hit], weights, minlength=n_target), float)
