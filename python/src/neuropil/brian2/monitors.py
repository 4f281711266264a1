# SPDX-License-Identifier: Apache-2.0
"""Brian2's monitors get what neuropil recorded: everything that is read from them afterwards is Brian2's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import Network, Nodes
from ..equations.engine import Spikes, sample_name, value_of
from ..equations.expressions import Expression, names
from .cells import Cells
from .errors import refuse
from .objects import LATE
from .pathways import base_of
from .scope import own_name
from .units import scale_of, values_in

__all__ = ["StateSamples", "SynapseSamples", "add_rates", "add_spikes", "recorded"]


def append(monitor: Any, columns: dict[str, NDArray[Any]], count: int) -> None:
    """Rows behind those that the monitor has."""
    before = int(monitor.variables["N"].get_value()[0])
    monitor.resize(before + count)
    for name, values in columns.items():
        array = monitor.variables[name].get_value()
        array[before:] = values
    monitor.variables["N"].set_value(before + count)


def add_spikes(monitor: Any, spikes: Spikes, second: float) -> None:
    """They come by step, then by neuron. second : length of a step (s)."""
    _, first = base_of(monitor.source)
    positions = spikes.senders - first
    inside = (positions >= 0) & (positions < len(monitor.source))
    positions, steps = positions[inside], spikes.steps[inside]
    monitor.variables["count"].get_value()[:] += np.bincount(positions, minlength=len(monitor.source)).astype(np.int32)
    if monitor.record:
        append(monitor, {"i": positions, "t": steps * second}, len(steps))


def add_rates(monitor: Any, spikes: Spikes, begin: int, end: int, second: float) -> None:
    """The rate in each step."""
    _, first = base_of(monitor.source)
    inside = (spikes.senders >= first) & (spikes.senders < first + len(monitor.source))
    counts = np.bincount(spikes.steps[inside] - begin, minlength=end - begin)
    append(monitor, {"rate": counts / (len(monitor.source) * second), "t": np.arange(begin, end) * second}, end - begin)


def recorded(monitor: Any) -> tuple[str, ...]:
    """Variables that the kernel must sample for a StateMonitor: those that change, of which others are made."""
    group, _ = base_of(monitor.source)
    equations = getattr(group, "user_equations", None)
    if equations is None:
        refuse(monitor.name, f"variables of {group.name} cannot be recorded")
    left, found = list(monitor.record_variables), []
    while left:
        name = left.pop()
        if name not in equations:
            refuse(monitor.name, f"'{name}' cannot be recorded; variables of the equations can: {', '.join(equations)}")
        if equations[name].type == "subexpression":
            left += [each for each in equations[name].identifiers if each in equations]
        elif name not in found:
            found.append(name)
    return tuple(sorted(found))


class StateSamples:
    """What a StateMonitor records, at the beginning of steps or when the state has moved. every : steps between samples."""

    def __init__(self, monitor: Any, cells: Cells, nodes: Nodes, net: Network, every: int) -> None:
        self.monitor, self.cells = monitor, cells
        _, first = base_of(monitor.source)
        self.positions = np.asarray(monitor.variables["_indices"].get_value(), np.int64) + first
        self.sampled = tuple(own_name(name) for name in recorded(monitor) if name in cells.states)
        self.trees = {name: cells.written_out(cells.translator.code(name)) for name in monitor.record_variables}
        self.called = str if monitor.when in LATE else sample_name
        self.trace = None
        if len(self.positions) and self.sampled:
            unique, self.columns = np.unique(self.positions, return_inverse=True)
            dt = net.resolution
            self.trace = net.record(nodes[unique], [*map(self.called, self.sampled)], interval=every * dt, offset=dt)
        self.every = every

    def add(self, begin: int, end: int, second: float) -> None:
        """Samples of these steps of Brian2."""
        steps = np.arange(-(-begin // self.every) * self.every, end, self.every)
        values: dict[str, Any] = {}
        if self.trace is not None:
            data = self.trace.data()
            values = {name: np.asarray(data[self.called(name)])[:, self.columns] for name in self.sampled}
            self.trace.clear()
        for name, value in self.cells.parameters().items():
            values[name] = value[self.positions] if np.ndim(value) else value
        columns = {}
        for name, tree in self.trees.items():
            scale = scale_of(self.monitor.variables[name].dim)
            columns[name] = np.broadcast_to(self.one(name, tree, values) / scale, (len(steps), len(self.positions)))
        append(self.monitor, columns | {"t": steps * second}, len(steps))

    def one(self, name: str, tree: Expression, values: dict[str, Any]) -> Any:
        """Samples of one variable. Parameters that no equation uses are not in the model."""
        if missing := names(tree) - values.keys():
            settings = {own_name(each): each for each in self.cells.settings}
            values = values | {each: values_in(self.cells.group, settings[each])[self.positions] for each in missing}
        return np.asarray(value_of(tree, values), float)


class SynapseSamples:
    """The same of synapses that change. ends : their groups."""

    def __init__(self, monitor: Any, pathway: Any, ends: Sequence[Any], every: int) -> None:
        if missing := set(monitor.record_variables) - {*getattr(pathway, "states", ())}:
            refuse(monitor.name, f"'{min(missing)}' of {monitor.source.name} cannot be recorded: only variables that change are")
        self.monitor, self.pathway, self.ends, self.every = monitor, pathway, ends, every

    def add(self, begin: int, end: int, second: float) -> None:
        """Samples of these steps of Brian2."""
        steps = np.arange(-(-begin // self.every) * self.every, end, self.every)
        chosen = np.asarray(self.monitor.variables["_indices"].get_value(), np.int64)
        found = self.pathway.history(chosen, self.ends[0].recent, self.ends[1].new, steps)
        columns = {name: found[name] / scale_of(self.monitor.variables[name].dim) for name in self.monitor.record_variables}
        append(self.monitor, columns | {"t": steps * second}, len(steps))
