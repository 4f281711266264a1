# SPDX-License-Identifier: Apache-2.0
"""Ports: numbers of connections among all of their model and thread. Those of all connections are found once and kept until some are made or removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..engine import HANDLE, Ints, RowIndex, numbered_rows
from .kernel import session
from .wires import DeviceWire

if TYPE_CHECKING:
    from .synapse_columns import Columns


@dataclass(frozen=True, slots=True)
class AllPorts:
    """All connections, their places and ports. devices : their wires then."""

    devices: list[DeviceWire]
    connections: Columns
    places: RowIndex
    ports: Ints

    def holds(self) -> bool:
        """Whether they are all connections of now."""
        s = session()
        same = len(self.devices) == len(s.wires.devices)
        kernel = self.connections.kernel
        return same and all(a is b for a, b in zip(self.devices, s.wires.devices, strict=True)) and not (kernel and kernel.stale)


def ports(c: Columns) -> Ints:
    """Numbers of connections among all of their model and thread, int64 of shape (n,); of those to or from a device, among those of the source."""
    from .connection_query import query

    if session().n_ranks > 1:  # where asking is for all ranks together
        return numbered_rows(_groups(c))
    s = session()
    if s.ports is None or not s.ports.holds():
        every = query(None, None, None, None)
        s.ports = AllPorts(list(s.wires.devices), every, RowIndex(_places(every)), numbered_rows(_groups(every)))
    everyone: AllPorts = s.ports
    return everyone.ports[everyone.places.find(_places(c))]


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
    ends = [session().registry.of_models(lambda model: model.kind != "neuron", gids) for gids in (c.source, c.target)]
    devices = np.where(ends[0] | ends[1], c.source, -1)
    return [np.array([number[name] for name in names.tolist()], np.int64), c.thread(), devices]


__all__ = ["AllPorts", "ports"]
