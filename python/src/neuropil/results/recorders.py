# SPDX-License-Identifier: Apache-2.0
"""Recorders: what `Network.record` returns. They read the network; data grow while it runs and are read when asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..base.ranges import Ranges
from ..errors import bad_parameter
from ..model.nodes import Nodes
from .spikes import Spikes
from .trace_data import TraceData

if TYPE_CHECKING:
    from ..model.network import Network

__all__ = ["SpikeRecord", "Trace", "check_window", "own_nodes"]


class _OfNetwork:
    """What records of a network know from it."""

    __slots__ = ()
    _nodes: Nodes
    _gather: bool

    @property
    def resolution(self) -> float:
        """Step of the simulation (ms)."""
        return self._nodes.network.resolution

    @property
    def seed(self) -> int:
        """Seed of the simulation."""
        return self._nodes.network.seed

    def _watched_ranges(self) -> Ranges:
        return self._nodes._ranges

    def _writes(self) -> bool:
        return not self._gather or self._nodes.network.rank == 0


class SpikeRecord(_OfNetwork, Spikes):
    """All spikes of some nodes, from `Network.record(nodes)`. Arrays are read-only and belong to the time at which they were asked for.

    Copies and pickles are `Spikes`: the data of that time. On several ranks all read together, see `view`.
    """

    def __init__(self, nodes: Nodes, recorder: int, start: float, stop: float, gather: bool = True) -> None:
        """`start`: when the network begins anew; before that it is what the network has noted."""
        self._recorded, self._nodes, self._recorder = nodes, nodes if gather else own_nodes(nodes), recorder
        self._first, self._end = start, stop
        self._gather, self._cached_at = gather, (-1, -1)

    def view(self, gather: bool = True) -> SpikeRecord:
        """The same recorder, read in another way.

        With `gather` every rank gets the spikes of all ranks, and all ranks must read together. Without, a rank gets the spikes of its own
        nodes, which are then `nodes`, and needs no other rank: memory stays that of the rank's own part.
        """
        return SpikeRecord(self._recorded, self._recorder, self._first, self._end, gather)

    def _of(self, network: Network) -> SpikeRecord:
        """The same recorder of a copy of the network."""
        return SpikeRecord(Nodes(network, self._recorded._ranges), self._recorder, self._first, self._end, self._gather)

    @property
    def nodes(self) -> Nodes:
        """The recorded nodes."""
        return self._nodes

    @property
    def steps(self) -> NDArray[np.int64]:
        """The steps at whose ends the spikes count, int64 of shape (n_spikes,)."""
        self._read()
        return self._steps

    @property
    def offsets(self) -> NDArray[np.float64]:
        """What spikes of precise neurons came before the end of their step (ms), 0 for others, float64 of shape (n_spikes,)."""
        self._read()
        return super().offsets

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the spikes (ms), float64 of shape (n_spikes,), ascending."""
        self._read()
        return self._times

    @property
    def gids(self) -> NDArray[np.int64]:
        """Global ids of the nodes that spiked, int64 of shape (n_spikes,)."""
        self._read()
        return self._gids

    @property
    def off_grid(self) -> bool:
        """Whether a spike has an offset: it is one of a neuron with times between the steps."""
        self._read()
        return super().off_grid

    @property
    def start(self) -> float:
        """Beginning (exclusive) of the recorded time (ms)."""
        return self._nodes.network._begins.get(self._recorder, self._first)

    @property
    def stop(self) -> float:
        """End (inclusive) of the recorded time (ms): now, or where recording ended."""
        return max(min(self._end, self._nodes.network.time), self.start)

    def clear(self) -> None:
        """Forgets the spikes so far; recording goes on. Other views of this recorder that were read in this step keep what they read."""
        network = self._nodes.network
        network._kernel.clear_spikes(self._recorder)
        network._begins[self._recorder] = max(self.start, min(network.time, self._end))
        self._cached_at = (-1, -1)

    def _read(self) -> None:
        network = self._nodes.network
        if self._cached_at == network._moment:
            return
        steps, gids, offsets = network._kernel.spikes(self._recorder, self._gather)
        self._steps, self._gids = np.asarray(steps, np.int64), np.asarray(gids, np.int64)
        timed = np.asarray(offsets, np.float64)
        self._offsets = timed if timed.any() else None
        self._times = network._grid.ms(self._steps) - timed if len(timed) else network._grid.ms(self._steps)
        for array in (self._steps, self._gids, timed, self._times):
            array.setflags(write=False)
        self._cached_at = network._moment


class Trace(_OfNetwork, TraceData):
    """State variables of some nodes sampled at regular times, from `Network.record(nodes, names)`.

    `trace["V_m"]` is float64 of shape (n_samples, n_nodes) in the unit of the quantity; `trace.times` (ms) has shape (n_samples,). A sample at
    time t is the state at the end of the step that ends at t. Copies and pickles are `TraceData`: the samples so far. On several ranks all
    read together, see `view`.
    """

    def __init__(self, nodes: Nodes, names: Sequence[str], recorder: int, interval: float, gather: bool = True) -> None:
        self._recorded, self._nodes = nodes, nodes if gather else own_nodes(nodes)
        self._names, self._recorder, self._interval = tuple(names), recorder, interval
        self._gather, self._cached_at = gather, (-1, -1)

    def view(self, gather: bool = True) -> Trace:
        """The same recorder, read in another way.

        With `gather` every rank gets the samples of all nodes, and all ranks must read together. Without, a rank gets those of its own nodes,
        which are then `nodes` and the columns of `values`, and needs no other rank: memory stays that of the rank's own part.
        """
        return Trace(self._recorded, self._names, self._recorder, self._interval, gather)

    def _of(self, network: Network) -> Trace:
        """The same recorder of a copy of the network."""
        return Trace(Nodes(network, self._recorded._ranges), self._names, self._recorder, self._interval, self._gather)

    @property
    def nodes(self) -> Nodes:
        """The recorded nodes, in the order of the columns."""
        return self._nodes

    @property
    def units(self) -> dict[str, str]:
        """Unit of each quantity."""
        entry, _ = self._recorded._parts()[0]
        known = {**entry.state, **entry.recorded}
        return {name: known[name].unit for name in self._names}

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the samples (ms), float64 of shape (n_samples,)."""
        self._read()
        return self._times

    @property
    def values(self) -> NDArray[np.float64]:
        """All samples, float64 of shape (n_samples, n_nodes, n_names)."""
        self._read()
        return self._values

    def clear(self) -> None:
        """Forgets the samples so far; recording goes on. All ranks clear. Other views that were read in this step keep what they read."""
        self._nodes.network._kernel.clear_samples(self._recorder)
        self._cached_at = (-1, -1)

    def _read(self) -> None:
        network = self._nodes.network
        if self._cached_at == network._moment:
            return
        steps, values = network._kernel.samples(self._recorder, self._gather)
        self._times, self._values = network._grid.ms(np.asarray(steps, np.int64)), np.asarray(values, np.float64)
        self._times.setflags(write=False)
        self._values.setflags(write=False)
        self._cached_at = network._moment


def own_nodes(nodes: Nodes) -> Nodes:
    """Those that live on this rank."""
    network = nodes.network
    return nodes[network.ranks_of(nodes) == network.rank]


def check_window(start: float, stop: float) -> None:
    """Raises BadParameter when nothing can be recorded in (start, stop]."""
    if not math.isnan(stop) and stop <= start:
        raise bad_parameter("stop", stop, f"above start ({start:g} ms)")
