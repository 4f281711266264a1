# SPDX-License-Identifier: Apache-2.0
"""What statistics and pictures take: records and data of `neuropil.results`, and whatever else has these attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bins", "Events", "Samples", "SpikeTrains", "SynapseSamples"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class SpikeTrains(Protocol):
    """Spikes of watched nodes in (start, stop] ms, see `neuropil.results.Spikes`."""

    @property
    def times(self) -> Floats:
        """Times of the spikes (ms), ascending, of shape (n_spikes,)."""

    @property
    def watched(self) -> Ints:
        """Gids of the nodes that were watched, of shape (n_nodes,)."""

    @property
    def start(self) -> float:
        """Beginning (exclusive) of the watched time (ms)."""

    @property
    def stop(self) -> float:
        """End (inclusive) of the watched time (ms)."""

    @property
    def duration(self) -> float:
        """Watched time (ms)."""

    @property
    def resolution(self) -> float | None:
        """Step of the simulation (ms); None when it is not known."""

    @property
    def off_grid(self) -> bool:
        """Whether some spikes come between the steps."""

    @property
    def steps(self) -> Ints:
        """Steps at whose ends the spikes count, of shape (n_spikes,)."""

    def positions(self) -> Ints:
        """For each spike the position of its node in `watched`."""

    def rates(self) -> Floats:
        """Mean rate of each watched node (spikes/s)."""

    def select(self, nodes: Any = None, start: float | None = None, stop: float | None = None) -> SpikeTrains:
        """The spikes of some nodes in (start, stop] ms."""

    def __len__(self) -> int: ...


class Samples(Protocol):
    """State variables of nodes at regular times, see `neuropil.results.TraceData`."""

    @property
    def times(self) -> Floats:
        """Times of the samples (ms), of shape (n_samples,)."""

    @property
    def names(self) -> Sequence[str]:
        """The recorded quantities."""

    @property
    def units(self) -> dict[str, str]:
        """Unit of each quantity."""

    @property
    def watched(self) -> Ints:
        """Gids of the nodes, of shape (n_nodes,)."""

    def __getitem__(self, name: str) -> Floats:
        """Samples of one quantity, of shape (n_samples, n_nodes)."""


class SynapseSamples(Protocol):
    """Quantities of synapses at regular times, see `neuropil.results.SynapseTraceData`."""

    @property
    def times(self) -> Floats:
        """Times of the samples (ms), of shape (n_samples,)."""

    @property
    def names(self) -> Sequence[str]:
        """The recorded quantities."""

    def __getitem__(self, name: str) -> Floats:
        """Samples of one quantity, of shape (n_samples, n_connections)."""


class Bins(Protocol):
    """Rates in bins of time, see `neuropil.results.BinnedData`."""

    @property
    def times(self) -> Floats:
        """Beginnings of the bins (ms), of shape (n_bins,)."""

    @property
    def bin(self) -> float:
        """Width of a bin (ms)."""

    @property
    def rate(self) -> Floats:
        """Mean rate of a node in each bin (spikes/s)."""

    def __len__(self) -> int: ...


class Events(Protocol):
    """Weights that synapses have sent, see `neuropil.results.WeightData`."""

    @property
    def times(self) -> Floats:
        """When the sources spiked (ms), of shape (n_events,)."""

    @property
    def source(self) -> Ints:
        """Gids of the sources."""

    @property
    def target(self) -> Ints:
        """Gids of the targets."""

    @property
    def weight(self) -> Floats:
        """What was sent."""

    def __len__(self) -> int: ...
