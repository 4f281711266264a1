# SPDX-License-Identifier: Apache-2.0
"""Numbers per bin of time, summed over nodes: what `Network.record(nodes, "rate", bin=...)` returns. Memory grows with the bins, not the spikes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.closed import Closed
from ..base.ranges import Ranges
from ..model.nodes import Nodes

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from ..model.network import Network

__all__ = ["BinnedData", "BinnedRecord"]


class BinnedData(Closed):
    """Spikes of some nodes per bin of time, as data. Arrays are read-only.

    Bin i is the time (times[i], times[i] + bin] ms, as in `neuropil.analysis.bin_counts`: a spike at the end of a bin belongs to it. Bins begin at
    multiples of `bin`, whenever recording began. Only whole bins are here: the first one began while the network recorded, the last one has ended.
    """

    __slots__ = ("_bin", "_counts", "_kind", "_ranges", "_resolution", "_seed", "_times")
    _bin: float
    _counts: NDArray[np.int64]
    _kind: str
    _ranges: Ranges
    _resolution: float | None
    _seed: int | None
    _times: NDArray[np.float64]

    @staticmethod
    def _made(*parts: Any) -> BinnedData:
        made = object.__new__(BinnedData)
        made._times, made._counts, made._bin, made._kind, ranges, made._resolution, made._seed = parts
        made._ranges = ranges if isinstance(ranges, Ranges) else Ranges(ranges)
        for array in (made._times, made._counts):
            array.setflags(write=False)
        return made

    def _parts(self) -> tuple[Any, ...]:
        return (self.times, self.counts, self.bin, self.kind, self._watched_ranges().table, self.resolution, self.seed)

    def __reduce__(self) -> tuple[Callable[..., BinnedData], tuple[Any, ...]]:
        """Pickled and copied as data, apart from the network."""
        return BinnedData._made, self._parts()

    def copy(self) -> BinnedData:
        """These bins as data of their own, apart from the network: they stay as they are when it runs on."""
        return BinnedData._made(*self._parts())

    @property
    def times(self) -> NDArray[np.float64]:
        """Beginnings of the bins (ms), float64 of shape (n_bins,)."""
        return self._times

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of spikes of all nodes in each bin, int64 of shape (n_bins,)."""
        return self._counts

    @property
    def rate(self) -> NDArray[np.float64]:
        """Mean rate of a node in each bin (spikes/s), float64 of shape (n_bins,); 0 if there are no nodes."""
        return np.asarray(self.counts / (1e-3 * self.bin * max(len(self._watched_ranges()), 1)), np.float64)

    @property
    def bin(self) -> float:
        """Width of a bin (ms)."""
        return self._bin

    @property
    def kind(self) -> str:
        """What is counted: "rate" is spikes."""
        return self._kind

    @property
    def watched(self) -> NDArray[np.int64]:
        """Global ids of all watched nodes, int64 of shape (n_nodes,)."""
        return self._watched_ranges().ids()

    @property
    def resolution(self) -> float | None:
        """Step of the simulation (ms)."""
        return self._resolution

    @property
    def seed(self) -> int | None:
        """Seed of the simulation."""
        return self._seed

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with the beginnings of the bins (time_ms) as index and the columns counts and rate. Raises MissingLibrary."""
        from .libraries import library

        pd = library("pandas")
        table: pandas.DataFrame = pd.DataFrame({"counts": self.counts, "rate": self.rate}, index=pd.Index(self.times, name="time_ms"))
        return table

    def plot(self, **options: Any) -> Axes:
        """The rate over time, see `neuropil.plot.binned`."""
        from ..analysis.plot import binned

        return binned(self, **options)

    def _watched_ranges(self) -> Ranges:
        return self._ranges

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kind} of {len(self._watched_ranges())} nodes, {len(self)} bins of {self.bin:g} ms)"


class BinnedRecord(BinnedData):
    """Spikes of some nodes per bin of time, from `Network.record(nodes, "rate", bin=...)`. Arrays are read-only.

    They belong to the time at which they were asked for. Memory: 8 bytes per bin from the first bin on, for each slice (at least one per thread),
    however many spikes there are; `clear()` gives it back. Copies and pickles are `BinnedData`: the bins so far.

    On several ranks reading is collective: the counts of all ranks are added up, and all ranks get the sums. Also `clear` must be called by all.
    """

    __slots__ = ("_nodes", "_read_at", "_recorder")
    _nodes: Nodes
    _read_at: tuple[int, int]
    _recorder: int

    def __init__(self, nodes: Nodes, kind: str, recorder: int, width: float) -> None:
        self._nodes, self._kind, self._recorder, self._bin = nodes, kind, recorder, width
        self._read_at = (-1, -1)

    def _of(self, network: Network) -> BinnedRecord:
        """The same recorder of a copy of the network."""
        return BinnedRecord(Nodes(network, self._nodes._ranges), self._kind, self._recorder, self._bin)

    @property
    def nodes(self) -> Nodes:
        """The recorded nodes."""
        return self._nodes

    @property
    def times(self) -> NDArray[np.float64]:
        """Beginnings of the bins (ms), float64 of shape (n_bins,)."""
        self._read()
        return self._times

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of spikes of all nodes in each bin, int64 of shape (n_bins,)."""
        self._read()
        return self._counts

    @property
    def resolution(self) -> float:
        """Step of the simulation (ms)."""
        return self._nodes.network.resolution

    @property
    def seed(self) -> int:
        """Seed of the simulation."""
        return self._nodes.network.seed

    def clear(self) -> None:
        """Forgets the bins that have ended; recording goes on. The bin that has not ended keeps its spikes: none are lost between reads."""
        self._nodes.network._kernel.clear_binned(self._recorder)
        self._read_at = (-1, -1)

    def _watched_ranges(self) -> Ranges:
        return self._nodes._ranges

    def _read(self) -> None:
        network = self._nodes.network
        if self._read_at == network._moment:
            return
        first, counts = network._kernel.binned(self._recorder)
        self._counts = np.asarray(counts, np.int64)
        width = network._grid.steps("bin", self._bin)
        self._times = network._grid.ms((first + np.arange(len(self._counts), dtype=np.int64)) * width)
        for array in (self._times, self._counts):
            array.setflags(write=False)
        self._read_at = network._moment
