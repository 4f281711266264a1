# SPDX-License-Identifier: Apache-2.0
"""Ports: numbers of connections among all of their model and thread. Those of all connections are found once and kept until some are made or removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..engine import HANDLE, Ints, numbered, rows_in
from .kernel import session
from .wires import DeviceWire

if TYPE_CHECKING:
    from .synapse_columns import Columns


@dataclass(frozen=True, slots=True)
class AllPorts:
    """All connections. devices : their wires then; keys, ports : int64 of shape (n,), in the order of keys; sizes : for _keys()."""

    devices: list[DeviceWire]
    connections: Columns
    places: list[Ints]
    sizes: tuple[int, int, int] | None
    keys: Ints
    ports: Ints

    def holds(self) -> bool:
        """Whether they are all connections of now."""
        s = session()
        same = len(self.devices) == len(s.wires.devices)
        kernel = self.connections.kernel
        return same and all(a is b for a, b in zip(self.devices, s.wires.devices, strict=True)) and not (kernel and kernel.stale)

    def ports_of(self, places: list[Ints]) -> Ints:
        """Of some of them, by their places."""
        if self.sizes is None:
            return self.ports[rows_in(places, self.places)]
        return self.ports[np.searchsorted(self.keys, _keys(places, self.sizes))]


def ports(c: Columns) -> Ints:
    """Numbers of connections among all of their model and thread, int64 of shape (n,); of those to or from a device, among those of the source."""
    from .connection_query import query

    if session().n_ranks > 1:  # where asking is for all ranks together
        return counted(_groups(c))
    s = session()
    if s.ports is None or not s.ports.holds():
        s.ports = _numbered(query(None, None, None, None))
    everyone: AllPorts = s.ports
    return everyone.ports_of(_places(c))


def _numbered(everyone: Columns) -> AllPorts:
    found, places = counted(_groups(everyone)), _places(everyone)
    devices = list(session().wires.devices)
    slices, tables, positions = (int(column.max(initial=0)) + 1 for column in places)
    first = int(places[0].min(initial=0))
    if (slices - first) * tables * positions >= 2**62:
        return AllPorts(devices, everyone, places, None, found, found)
    sizes = (first, tables, positions)
    keys = _keys(places, sizes)
    order = np.argsort(keys)
    return AllPorts(devices, everyone, places, sizes, keys[order], found[order])


def _keys(places: list[Ints], sizes: tuple[int, int, int]) -> Ints:
    """A number for each place. sizes: the first slice, tables and positions."""
    first, tables, positions = sizes
    return ((places[0] - first) * tables + places[1]) * positions + places[2]


def _places(c: Columns) -> list[Ints]:
    """What tells connections from all others: place in the kernel, or wire and position."""
    number = {id(wire): k for k, wire in enumerate(session().wires.devices)} if c.wired else {}
    c.refresh()
    some = dict(zip(HANDLE, c.kernel.handles_of(c.rows()), strict=True)) if c.kernel is not None else {}
    of_wire = {
        "slice": lambda wire, at: np.full(len(at), -1 - number[id(wire)]),
        "table": lambda wire, at: np.zeros(len(at), np.int64),
        "position": lambda wire, at: at,
    }
    return [c.joined(lambda _, name=name: some[name], of_wire[name], np.int64) for name in HANDLE]


def _groups(c: Columns) -> list[Ints]:
    """What connections must have in common to be counted together."""
    names = c.models()
    number = {name: k for k, name in enumerate(dict.fromkeys(names.tolist()))}
    registry = session().registry
    is_device = np.array([row.model.kind != "neuron" for row in registry.rows])
    ends = [is_device[registry.index_of(gids)] if len(gids) else np.zeros(0, bool) for gids in (c.source, c.target)]
    devices = np.where(ends[0] | ends[1], c.source, -1)
    return [np.array([number[name] for name in names.tolist()], np.int64), c.thread(), devices]


def counted(groups: list[Ints]) -> Ints:
    """Number of each connection among those that have all of some numbers in common, int64 of shape (n,)."""
    if not len(groups[0]):
        return groups[0]
    key = np.zeros(len(groups[0]), np.int64)
    for group in groups:
        low = int(group.min())
        key = key * (int(group.max()) - low + 1) + (group - low)
    return numbered(key)


__all__ = ["AllPorts", "counted", "ports"]
