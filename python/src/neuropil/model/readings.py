# SPDX-License-Identifier: Apache-2.0
"""What a network can be asked: its nodes, sizes, timers, counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.named import named_arguments
from ..base.ranges import Ranges
from ..errors import ForeignNodes, UnknownName, bad_parameter, bad_type, unknown_name
from . import catalog
from .core import Core
from .devices import Device
from .nodes import Nodes

if TYPE_CHECKING:
    from ..parallel.imbalance import Imbalance

__all__ = ["Readings"]


class Readings(Core):
    """Base of Network: what can be read of it, without any change."""

    __slots__ = ("_names",)
    _names: dict[str, Nodes]  # nodes by the name given to `create`

    @named_arguments
    def nodes(self, model: str | None = None, *, gids: ArrayLike | None = None) -> Nodes:
        """All neurons; or all nodes of a model; or those with the given gids, in that order. Raises UnknownName, BadParameter."""
        if gids is not None:
            if model is not None:
                raise bad_parameter("model", model, "left out when gids are given")
            found = self._gids("gids", gids)
            if len(np.unique(found)) < len(found):
                raise bad_parameter("gids", gids, "without repeats")
            return Nodes(self, Ranges.of(found))
        if model is not None and model not in catalog.models() and model not in catalog.devices():
            raise unknown_name("model", model, [*catalog.models(), *catalog.devices()])
        rows = [(first, n) for first, n, entry in self._populations.rows() if (entry.name == model if model else entry.kind == "neuron")]
        return Nodes(self, Ranges.joined([Ranges.span(first, n).table for first, n in rows]))

    @property
    def populations(self) -> list[Nodes]:
        """The nodes of each call of `create`, in order; those with a name are net[name] as well."""
        return [Nodes(self, Ranges.span(first, n)) for first, n, _ in self._populations.rows()]

    def __getitem__(self, name: str) -> Nodes:
        """The nodes that `create` gave this name. Raises UnknownName."""
        if not isinstance(name, str):
            raise bad_type("name", name, "the name of nodes; net.nodes(gids=...) finds them by gid")
        if name not in self._names:
            if any(p.name == name for p in self._projections):
                raise UnknownName(
                    f"unknown name of nodes '{name}': net.projections[{name!r}] is the projection of this name", "name of nodes", name
                )
            raise unknown_name("name of nodes", name, [*self._names])
        return self._names[name]

    def _instead(self, name: str) -> str:
        return f'net["{name}"] gives the nodes of this name' if name in self._names else ""

    def _ipython_key_completions_(self) -> list[str]:
        return [*self._names]

    def name_of(self, nodes: Nodes) -> str:
        """The name under which exactly these nodes were created, "exc + inh" for nodes of several calls; "" where some have none."""
        if not isinstance(nodes, Nodes):
            raise bad_type("nodes", nodes, "Nodes of this network")
        at_first = {int(known._ranges.table[0, 0]): name for name, known in self._names.items()}
        found: list[str] = []
        while len(nodes):
            name = at_first.get(int(nodes._ranges.table[0, 0]), "")
            count = len(self._names[name]) if name else 0
            if not name or count > len(nodes) or nodes[:count] != self._names[name]:
                return ""
            found.append(name)
            nodes = nodes[count:]
        return " + ".join(found)

    def ranks_of(self, nodes: Nodes) -> NDArray[np.int32]:
        """The rank on which each of the nodes lives, int32 of shape (len(nodes),)."""
        self._check_mine("nodes", nodes)
        return np.asarray(self._kernel.ranks_of(nodes.gids))

    @property
    def n_connections(self) -> int:
        """Number of synapses: exact once built, what is not yet built by expectation."""
        return self._kernel.connection_count()

    @property
    def min_delay(self) -> float:
        """Shortest delay (ms), 0.0 without connections: the interval after which threads exchange spikes."""
        return self._grid.time(self._kernel.min_delay_steps)

    @property
    def max_delay(self) -> float:
        """Longest delay (ms), 0.0 without connections."""
        return self._grid.time(self._kernel.max_delay_steps)

    @property
    def timers(self) -> dict[str, float]:
        """Time spent on this rank by phase (s), of all calls so far; phases of threads are means over the threads.

        create: nodes. connect: checks and the choice of tables. build: everything until the first step, of which (Ippen et al. 2017)
        build_count: iteration and source selection, first pass, synapses per source counted; build_place: memory; build_fill: the
        same edges again, connections written; build_sort: by source and delay; build_devices: device connection; build_prepare:
        recorders and scales; build_route: routing. run: the time loop, of which run_deliver, run_devices, run_update, run_record,
        run_schedule (spikes to rows), run_wait (for threads), run_collocate, run_exchange. There is one clock read per phase, none per synapse.
        """
        return dict(self._kernel.timers())

    @property
    def memory(self) -> dict[str, int]:
        """Bytes in use by kind."""
        return dict(self._kernel.memory())

    @property
    def counters(self) -> dict[str, int]:
        """Numbers of steps, spikes, synaptic events, synapses; messages, bytes and spikes sent between ranks. Of all ranks; collective.

        "exchanges": how often all ranks exchanged spikes; "local_...": what of it was inside areas (`by_area`).
        """
        return dict(self._kernel.counters())

    def imbalance(self) -> Imbalance:
        """How evenly neurons, synapses, spikes, events, time and bytes lie on the ranks. Collective; O(ranks) memory."""
        from ..parallel.imbalance import gathered

        return gathered(self._kernel)

    @property
    def intervals(self) -> dict[str, NDArray[np.float64]]:
        """What every interval took (s) and moved on this rank, arrays of shape (n_intervals,); empty without `count_intervals`."""
        return dict(self._kernel.intervals())

    def _gids(self, name: str, value: ArrayLike | Nodes) -> NDArray[np.int64]:
        """Existing gids as int64 of shape (n,)."""
        if isinstance(value, Nodes):
            self._check_mine(name, value)
        array = np.atleast_1d(np.asarray(value))
        if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
            raise bad_type(name, value, "a one-dimensional array of gids")
        wrong = (array < 1) | (array > self.n_nodes)
        if wrong.any():
            raise bad_parameter(name, int(array[wrong][0]), f"gids of existing nodes, 1 to {self.n_nodes}")
        return array.astype(np.int64)

    def _check_mine(self, name: str, nodes: object) -> None:
        if isinstance(nodes, Device):
            raise bad_type(name, nodes, "Nodes of this network: net.stimulate(targets, device) makes a device and connects it")
        if not isinstance(nodes, Nodes):
            raise bad_type(name, nodes, "Nodes of this network")
        if nodes.network is not self:
            raise ForeignNodes(f"{name}: these nodes belong to another network")
