# SPDX-License-Identifier: Apache-2.0
"""What a network can be asked: settings, time, sizes, timers, counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.closed import Closed
from ..base.grid import Grid
from ..errors import ForeignNodes, bad_type
from .nodes import Nodes

if TYPE_CHECKING:
    from ..parallel.imbalance import Imbalance

__all__ = ["Readings"]


class Readings(Closed):
    """Base of Network: what can be read of the kernel, without any change."""

    __slots__ = ("_beginnings", "_grid", "_kernel", "_seed")
    _beginnings: int
    _grid: Grid
    _kernel: _core.Kernel
    _seed: int

    @property
    def resolution(self) -> float:
        """Length of a time step (ms)."""
        return self._grid.resolution

    @property
    def seed(self) -> int:
        """Seed of all random numbers."""
        return self._seed

    @property
    def threads(self) -> int:
        """Number of threads."""
        return self._kernel.threads

    @property
    def rank(self) -> int:
        """Number of this rank, from 0."""
        return self._kernel.rank

    @property
    def n_ranks(self) -> int:
        """Number of ranks."""
        return self._kernel.ranks

    def ranks_of(self, nodes: Nodes) -> NDArray[np.int32]:
        """The rank on which each of the nodes lives, int32 of shape (len(nodes),)."""
        self._check_mine("nodes", nodes)
        return np.asarray(self._kernel.ranks_of(nodes.gids))

    @property
    def time(self) -> float:
        """Biological time that was simulated (ms)."""
        return self._grid.time(self._kernel.step)

    @property
    def n_nodes(self) -> int:
        """Number of neurons and devices."""
        return self._kernel.n_nodes

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

    @property
    def _moment(self) -> tuple[int, int]:
        """What tells one state of the network from another: how often it began anew, and the step."""
        return self._beginnings, self._kernel.step

    def _check_mine(self, name: str, nodes: object) -> None:
        if not isinstance(nodes, Nodes):
            raise bad_type(name, nodes, "Nodes of this network")
        if nodes.network is not self:
            raise ForeignNodes(f"{name}: these nodes belong to another network")
