# SPDX-License-Identifier: Apache-2.0
"""A network of Brian2 objects as a `neuropil.Network`. Brian2 keeps all values; they are read before and written after each run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from brian2 import Synapses

from .. import Network, Nodes
from ..equations.engine import LAST_SPIKE, NO_SPIKES, SETTLED_AT, WAITING, Spikes, after_step
from .cells import Cells, Demands, group_code
from .changing import pathways_of
from .errors import refuse
from .inputs import Generators, PoissonCells, poisson_input
from .monitors import StateSamples, SynapseSamples, add_rates, add_spikes, recorded
from .objects import LATE, Objects
from .pathways import base_of
from .scope import own_name
from .translating import statements
from .units import scale_of

__all__ = ["Simulation"]


@dataclass
class Group:
    """A group of neurons in both simulators."""

    source: Any  # Cells, PoissonCells or Generators
    nodes: Nodes
    record: Any
    new: Spikes = NO_SPIKES  # of the last piece
    recent: Spikes = NO_SPIKES  # spikes of earlier pieces that still travel, and `new`
    known: dict[str, Any] = field(default_factory=dict)  # values that the kernel has, as Brian2 has them


class Simulation:
    """One network. steps : steps of Brian2 that were run."""

    def __init__(self, objects: Objects, namespace: dict[str, Any], seed: int, threads: int | None) -> None:
        self.objects, self.steps = objects, 0
        self.namespace = namespace = dict(namespace)  # one for all groups, which changes with each run
        self.signature = objects.signature()
        self.dt = objects.dt
        pathways = [each for synapses in objects.synapses for each in pathways_of(synapses, namespace, self.dt)]
        demands = self.demands(pathways)
        cells = {group.name: Cells(group, demands[group.name], namespace, self.dt) for group in objects.neurons}
        self.net = Network(resolution=self.dt, seed=seed, threads=threads)
        self.groups: dict[str, Group] = {}
        for group in objects.neurons:
            made = cells[group.name]
            self.add(group, made, self.net.create(made.model, len(group), **made.parameters()))
        for group in objects.poisson_groups:
            poisson = PoissonCells(group, self.net, namespace, self.dt)
            self.add(group, poisson, poisson.nodes)
        for group in objects.generators:
            generators = Generators(group, self.net, self.dt)
            self.add(group, generators, generators.nodes)
        self.pathways = [each for each in pathways if len(each)]
        for each in self.pathways:
            pre, post = self.ends(each)
            each.connect(self.net, pre.nodes, post.nodes, post.source.receptors)
        self.longest = max((int(np.max(each.delay)) for each in self.pathways), default=0)
        self.check_parameters()
        self.samples = [self.samples_of(monitor) for monitor in objects.state_monitors]

    def demands(self, pathways: list[Any]) -> dict[str, Demands]:
        """What is asked of each group."""
        found = {}
        for group in self.objects.neurons:
            added = dict.fromkeys(sorted(each.variable for each in pathways if each.target.name == group.name))
            kicked = tuple(each.target_var for each in self.objects.inputs_of(group))
            monitors = [each for each in self.objects.state_monitors if base_of(each.source)[0].name == group.name]
            sampled = dict.fromkeys(name for monitor in monitors if monitor.when not in LATE for name in recorded(monitor))
            assigned = {*added, *kicked, *(each.name for each in statements(group.name, group_code(group)))}
            changing = [n for n in sampled if group.user_equations[n].type == "differential equation" or n in assigned]
            found[group.name] = Demands(tuple(added), kicked, tuple(changing))
        return found

    def add(self, group: Any, source: Any, nodes: Nodes) -> None:
        """A group and its nodes."""
        self.groups[group.name] = Group(source, nodes, self.net.record(nodes))

    def ends(self, pathway: Any) -> tuple[Group, Group]:
        """Its source and its target."""
        return self.groups[pathway.source.name], self.groups[pathway.target.name]

    def check_parameters(self) -> None:
        """Parameters of groups that pathways use must not change."""
        for each in self.pathways:
            for group, name in filter(None, map(each.of_group, each.used - each.own)):
                if name in getattr(self.groups[group.name].source, "states", ()):
                    refuse(each.synapses.name, f"what is added depends on '{name}' of {group.name}, which changes")

    def samples_of(self, monitor: Any) -> StateSamples | SynapseSamples:
        """What a StateMonitor records."""
        if isinstance(monitor.source, Synapses):
            found = next((each for each in self.pathways if each.synapses is monitor.source), None)
            return SynapseSamples(monitor, found, self.ends(found) if found else (), self.objects.every(monitor))
        group = self.groups[base_of(monitor.source)[0].name]
        return StateSamples(monitor, group.source, group.nodes, self.net, self.objects.every(monitor))

    def use(self, namespace: dict[str, Any]) -> None:
        """Names mean what they mean where `run` was called this time."""
        self.namespace.clear()
        self.namespace.update(namespace)

    # A piece of a run

    def run(self, steps: int, progress: bool) -> None:
        """So many steps of Brian2."""
        begin, end = self.steps, self.steps + steps
        self.push(begin, end)
        self.net.run(steps * self.dt, progress=progress)
        self.steps = end
        self.take_spikes(begin)
        self.pull(begin)
        for monitor in self.objects.spike_monitors:
            add_spikes(monitor, self.groups[base_of(monitor.source)[0].name].new, 1e-3 * self.dt)
        for monitor in self.objects.rate_monitors:
            add_rates(monitor, self.groups[base_of(monitor.source)[0].name].new, begin, end, 1e-3 * self.dt)
        for samples in self.samples:
            samples.add(begin, end, 1e-3 * self.dt)

    def push(self, begin: int, end: int) -> None:
        """Values that the script has changed since. Spikes that have arrived in Brian2, and not yet here, had the values of before."""
        settled: set[str] = set()  # groups whose state is set as it is after arrivals
        for each in self.pathways:
            each.check_delays()
            if each.push(begin):
                settled.add(each.target.name)
        for group in self.groups.values():
            if isinstance(group.source, Cells):
                self.push_cells(group, group.source, group.source.group.name in settled)
            else:
                group.source.push(begin, end)

    def push_cells(self, group: Group, cells: Cells, settled: bool) -> None:
        """Parameters; and the state where it is another one than was written last."""
        values = cells.parameters()
        for k, source in enumerate(self.objects.inputs_of(cells.group)):
            values |= {f"poisson_{k}_{name}": value for name, value in poisson_input(source, self.namespace, self.dt).items()}
        known, variables = group.known, cells.group.variables
        state = {name: np.array(variables[name].get_value(), float) for name in cells.states}
        if settled or any(not np.array_equal(state[name], known.get(name, np.nan)) for name in state):
            for name in state:
                known.pop(own_name(name), None)  # the kernel's state is older: all variables are set
            values |= {own_name(name): array * scale_of(variables[name].dim) for name, array in state.items()}
            values[SETTLED_AT] = float(self.steps)
        changed = {name: value for name, value in values.items() if name not in known or not np.array_equal(value, known[name])}
        if "lastspike" in variables:
            last = np.array(variables["lastspike"].get_value(), float)
            if not np.array_equal(last, known.get("lastspike", np.nan)):
                changed[LAST_SPIKE] = np.rint(last * 1e3 / self.dt)
                known["lastspike"] = last
        if changed:
            group.nodes.set(changed)
            known |= changed | state

    def take_spikes(self, begin: int) -> None:
        """Of this piece. A spike at the end of a step has the time of its beginning in Brian2."""
        for group in self.groups.values():
            data = group.record.data()
            senders = np.asarray(data.gids, np.int64) - int(group.nodes.gids[0])
            group.new = Spikes(senders, np.asarray(data.steps, np.int64) - 1)
            group.record.clear()
            kept = group.recent.steps >= begin - self.longest
            group.recent = Spikes(*(np.append(old[kept], new) for old, new in zip(group.recent, group.new, strict=True)))

    def pull(self, begin: int) -> None:
        """Writes the state into Brian2's arrays, as it is after the last step there."""
        arrived: dict[str, dict[str, Any]] = {name: {} for name in self.groups}  # what the last step adds to variables
        for each in self.pathways:
            added, variable = arrived[each.target.name], own_name(each.variable)
            pre, post = self.ends(each)
            added[variable] = added.get(variable, 0.0) + each.pull(pre.recent, post.new, begin, self.steps)
        for name, group in self.groups.items():
            if isinstance(group.source, Cells):
                self.pull_cells(group, group.source, arrived[name])

    def pull_cells(self, group: Group, cells: Cells, added: dict[str, Any]) -> None:
        """The same of one group. added : to variables."""
        made = cells.model.description
        hidden = [*([LAST_SPIKE] if made.threshold else []), *([WAITING] if made.may_hold and not made.refractory else [])]
        names = [v.name for v in made.variables] + hidden + [name for _, name in cells.kicks]
        values = {**cells.parameters(), **{name: np.asarray(value) for name, value in group.nodes.get(*names, *names[:1]).items()}}
        for variable, name in cells.kicks:
            added[variable] = added.get(variable, 0.0) + values[name]
        after = after_step(made, values, added, self.steps - 1, self.dt)
        variables = cells.group.variables
        for name in cells.states:
            variables[name].set_value(after[own_name(name)] / scale_of(variables[name].dim))
            group.known[name] = np.array(variables[name].get_value(), float)
        if "not_refractory" in variables:
            variables["not_refractory"].set_value(after["free"])
        if "lastspike" in variables and len(group.new.steps):
            last = variables["lastspike"].get_value()
            np.maximum.at(last, group.new.senders, group.new.steps * (1e-3 * self.dt))
            group.known["lastspike"] = np.array(last)
