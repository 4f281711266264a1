# SPDX-License-Identifier: Apache-2.0
"""Ports: numbers of connections among all of their model and thread. Those of all connections are found once and kept until some are made or removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..engine import Ints, RowIndex, numbered_rows
from .kernel import session
from .ordering import numbered_names

if TYPE_CHECKING:
    from .synapse_columns import Columns


@dataclass(frozen=True, slots=True)
class AllPorts:
    """All connections, their places and ports. n_devices : how many wires of devices there were."""

    n_devices: int
    connections: Columns
    places: RowIndex
    ports: Ints

    def holds(self) -> bool:
        """Whether they are all connections of now."""
        kernel = self.connections.kernel
        return self.n_devices == len(session().wires.devices) and not (kernel and kernel.stale)


def ports(c: Columns) -> Ints:
    """Numbers of connections among all of their model and thread, int64 of shape (n,); of those to or from a device, among those of the source."""
    from .connection_query import query

    s = session()
    if s.n_ranks > 1:  # where asking is for all ranks together
        return numbered_rows(_groups(c))
    if s.ports is None or not s.ports.holds():
        every = query(None, None, None, None)
        s.ports = AllPorts(len(s.wires.devices), every, RowIndex(_places(every)), numbered_rows(_groups(every)))
    everyone: AllPorts = s.ports
    return everyone.ports[everyone.places.find(_places(c))]


def _places(c: Columns) -> list[Ints]:
    """What tells connections from all others: place in the kernel, or wire and position."""
    c.refresh()
    some: list[Ints] = [] if c.kernel is None else [np.asarray(column, np.int64) for column in c.kernel.handles_of(c.rows())]
    if not c.wired:
        return some
    number = {id(wire): k for k, wire in enumerate(session().wires.devices)}
    of_wire = (
        lambda wire, at: np.full(len(at), -1 - number[id(wire)]),
        lambda wire, at: np.zeros(len(at), np.int64),
        lambda wire, at: at,
    )
    return [c.joined(lambda _, k=k: some[k], of_wire[k], np.int64) for k in range(3)]


def _groups(c: Columns) -> list[Ints]:
    """What connections must have in common to be counted together."""
    ends = [session().registry.of_models(lambda model: model.kind != "neuron", gids) for gids in (c.source, c.target)]
    devices = np.where(ends[0] | ends[1], c.source, -1)
    return [numbered_names(c.names()), c.thread(), devices]


__all__ = ["AllPorts", "ports"]
