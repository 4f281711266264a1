# SPDX-License-Identifier: Apache-2.0
"""Synapses of Brian2: those that only add something to variables of the target become a projection for each assignment."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from brian2.groups.subgroup import Subgroup
from numpy.typing import NDArray

from .. import Network, Nodes, Projection, explicit
from ..equations.engine import Spikes, value_of
from ..equations.expressions import Binary, Expression, Unary
from ..equations.parsing import Assignment
from .errors import refuse
from .scope import Outside, own_name
from .translating import Translator, named, number
from .units import values_in

__all__ = ["Adding", "Pathway", "base_of"]

Floats = NDArray[np.float64]


def base_of(group: Any) -> tuple[Any, int]:
    """The group that a subgroup is a part of, and where it begins there."""
    return (group.source, int(group.start)) if isinstance(group, Subgroup) else (group, 0)


class Pathway:
    """What the spikes of one group add to one variable of another. delay : steps of Brian2; a number where all are equal."""

    variable = ""  # of the target group
    called = staticmethod(own_name)  # what names are called in the model
    projection: Projection
    delay: Any

    def __init__(self, synapses: Any, pathway: Any, namespace: dict[str, Any], dt: float) -> None:
        self.synapses, self.pathway, self.dt = synapses, pathway, dt
        self.source, self.first_source = base_of(synapses.source)
        self.target, self.first_target = base_of(synapses.target)
        self.outside = Outside(synapses, namespace)
        self.translator = Translator(synapses.name, self.name, self.outside.function)
        self.own = set(synapses.equations)
        self.used: set[str] = set()

    def connect(self, net: Network, pre: Nodes, post: Nodes, receptors: list[str]) -> None:
        """A delay of n steps of Brian2 is one of n + 1 here: what arrives takes effect when the next step begins."""
        self.seconds = self.pathway.variables["delay"].get_value().copy()
        steps = np.floor(self.seconds / (self.dt * 1e-3) + 0.5).astype(np.int64)
        self.delay = int(steps[0]) if (steps == steps[0]).all() else steps
        pairs, receptor = explicit(self.i, self.j), receptors.index(self.variable) + 1 if len(receptors) > 1 else 0
        delay, options = (self.delay + 1) * self.dt, self.options()
        self.projection = net.connect(pre, post, pairs, delay=delay, receptor=receptor, double_weights=True, **options)

    def options(self) -> dict[str, Any]:
        """Of `connect`."""
        raise NotImplementedError

    def check_delays(self) -> None:
        """Raises NotSupported where they are no longer those."""
        if not np.all(self.pathway.variables["delay"].get_value() == self.seconds):
            refuse(self.synapses.name, "delays cannot change after the first run")

    def arriving(self, spikes: Spikes, step: int) -> NDArray[np.int64]:
        """Synapses that these spikes reach in a step of Brian2."""
        age = step - spikes.steps
        longest = int(np.max(self.delay))
        recent = (age >= 0) & (age <= longest)
        if not recent.any():
            return np.zeros(0, np.int64)
        table = np.zeros((longest + 1, len(self.source)), bool)
        table[age[recent], spikes.senders[recent]] = True
        return np.flatnonzero(table[self.delay][self.i] if isinstance(self.delay, int) else table[self.delay, self.i])

    def added(self, statement: Assignment) -> Expression:
        """What a statement adds to the variable of the target group."""
        name, line = statement.name.removesuffix("_post"), statement.place.text
        known = name in getattr(self.target, "user_equations", {}) and not statement.name.endswith("_pre")
        if statement.operator not in ("+=", "-=") or not known or self.variable not in ("", name):
            refuse(self.synapses.name, "on_pre may add to variables of the target only, as in v_post += w, to one if synapses change", line)
        self.variable, value = name, self.translator.value(statement)
        return value if statement.operator == "+=" else Unary(value.place, "negative", value)

    def name(self, name: str) -> Expression:
        """Parameters of the synapse and of both groups, i, j, and constants."""
        if name in self.own or name in ("i", "j") or self.of_group(name) is not None:
            self.used.add(name)
            is_boolean = name in self.own and self.synapses.equations[name].var_type == "boolean"
            return Binary(named("").place, ">", named(self.called(name)), number(0.5)) if is_boolean else named(self.called(name))
        if name in ("N_pre", "N_post"):
            return number(float(len(self.synapses.source if name == "N_pre" else self.synapses.target)))
        return self.outside.name(name, self.translator.line)

    def of_group(self, name: str) -> tuple[Any, str] | None:
        """The group and the parameter that a name with _pre or _post means; without, it is one of the target."""
        of_source = name.endswith("_pre")
        group, short = (self.source, name.removesuffix("_pre")) if of_source else (self.target, name.removesuffix("_post"))
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
            return values_in(self.synapses, name)
        found = self.of_group(name)
        assert found is not None
        values = values_in(*found)
        return values if found[0].variables[found[1]].scalar else values[self.i if name.endswith("_pre") else self.j]

    def parameters(self) -> dict[str, Any]:
        """Those that the code uses, as they are now."""
        return self.outside.values() | {self.called(name): self.values_of(name) for name in self.used}

    def __len__(self) -> int:
        return len(self.synapses)


class Adding(Pathway):
    """One statement of synapses that do not change: `target += value`."""

    def __init__(self, synapses: Any, pathway: Any, statement: Assignment, namespace: dict[str, Any], dt: float) -> None:
        super().__init__(synapses, pathway, namespace, dt)
        self.value = self.added(statement)

    def weight(self) -> Any:
        """Of all synapses: a number or an array."""
        found = np.asarray(value_of(self.value, self.parameters()), float)
        return float(found.flat[0]) if found.size == 1 else found

    def options(self) -> dict[str, Any]:
        """Of `connect`."""
        self.now = self.weight()
        return {"weight": self.now}

    def push(self, step: int) -> bool:
        """Weights that the script has changed; whether it has."""
        weight = self.weight()
        if np.array_equal(weight, self.now):
            return False
        order = np.lexsort((np.broadcast_to(self.delay, len(self)), self.j, self.i))  # that of projections
        self.projection.weight, self.now = weight[order] if np.ndim(weight) else weight, weight
        return True

    def pull(self, pre: Spikes, post: Spikes, begin: int, end: int) -> Floats:
        """What the last step adds to each neuron."""
        hit = self.arriving(pre, end - 1)
        return np.asarray(np.bincount(self.j[hit], np.broadcast_to(self.now, len(self))[hit], minlength=len(self.target)), float)
