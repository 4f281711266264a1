# SPDX-License-Identifier: Apache-2.0
"""Numbers per bin of time, summed over nodes: what `Network.record(nodes, "rate", bin=...)` returns. Memory grows with the bins, not the spikes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base.named import named_arguments
from ..base.ranges import Ranges
from ..errors import bad_length, bad_parameter
from ..model.core import Core
from ..model.nodes import Nodes
from .data import Column, NodeData, NodeRecord, limit, moved
from .files import Table
from .libraries import library

if TYPE_CHECKING:
    import neo
    import pandas
    import xarray


__all__ = ["BinnedData", "BinnedRecord"]


class BinnedData(NodeData["BinnedData"]):
    """Spikes of some nodes per bin of time, as data. Arrays are read-only.

    Bin i is the time (times[i], times[i] + bin] ms, as in `neuropil.analysis.bin_counts`: a spike at the end of a bin belongs to it. Bins begin at
    multiples of `bin`, whenever recording began. Only whole bins are here: the first one began while the network recorded, the last one has ended.
    """

    __slots__ = ("_bin", "_counts", "_kind", "_times")
    _bin: float
    _kind: str
    _KIND, _PLOT = "bins", "binned"
    _PARTS = ("_times", "_counts", "_bin", "_kind", "_ranges", "_resolution", "_seed")

    times = Column[np.float64]("Beginnings of the bins (ms), float64 of shape (n_bins,).")
    counts = Column[np.int64]("Number of spikes of all nodes in each bin, int64 of shape (n_bins,).")

    @property
    def rate(self) -> NDArray[np.float64]:
        """Mean rate of a node in each bin (spikes/s), float64 of shape (n_bins,); 0 if there are no nodes."""
        return np.asarray(self.counts / (1e-3 * self.bin * max(self._count_watched(), 1)), np.float64)

    @property
    def bin(self) -> float:
        """Width of a bin (ms)."""
        return self._bin

    @property
    def kind(self) -> str:
        """What is counted: "rate" is spikes."""
        return self._kind

    @named_arguments
    def select(self, start: float | None = None, stop: float | None = None) -> BinnedData:
        """The bins that lie in (start, stop] ms as a whole, as data of their own. Counts are sums over all nodes: there are none of some nodes."""
        tiny = 1e-6 * self.bin  # 3 x 0.1 is not 0.3
        early, late = limit("start", start, -np.inf) - tiny, limit("stop", stop, np.inf) + tiny
        keep = (self.times >= early) & (self.times + self.bin <= late)
        return self._but(_times=self.times[keep], _counts=self.counts[keep])

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with the beginnings of the bins (time_ms) as index and the columns counts and rate. Raises MissingLibrary."""
        table: pandas.DataFrame = super().to_pandas().set_index("time_ms")
        return table

    def to_xarray(self) -> xarray.Dataset:
        """Dataset with the variables counts and rate of dimension time, the beginnings of the bins (ms). Raises MissingLibrary."""
        times = ("time", self.times, {"units": "ms"})
        variables = {"counts": ("time", self.counts), "rate": ("time", self.rate, {"units": "spikes/s"})}
        found: xarray.Dataset = library("xarray").Dataset(variables, coords={"time": times}, attrs={"bin_ms": self.bin})
        return found

    def to_neo(self) -> neo.Segment:
        """neo.Segment with the rate as an AnalogSignal (Hz) of shape (n_bins, 1). Raises MissingLibrary."""
        from .neo_export import segment_of_signals

        return segment_of_signals("bins", {self.kind: (self.rate[:, None], "spikes/s")}, {"gids": self.watched}, self.times, self.bin)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kind} of {self._count_watched()} nodes, {len(self)} bins of {self.bin:g} ms)"

    def _frame(self) -> dict[str, NDArray[Any]]:
        return {"time_ms": self.times, "counts": self.counts, "rate": self.rate}

    def _table(self) -> Table:
        about = {"kind": self.kind, "bin_ms": self.bin, "resolution_ms": self.resolution, "seed": self.seed}
        return Table(self._KIND, {"time_ms": self.times, "counts": self.counts}, self._ranges.table, about)

    @classmethod
    def _of_table(cls, table: Table) -> Self:
        times, counts, about = table.columns["time_ms"], table.columns["counts"], table.about
        if len(counts) != len(times):
            raise bad_length("counts", len(counts), len(times))
        return cls._made(times, counts, about["bin_ms"], about["kind"], Ranges(table.nodes), about["resolution_ms"], about["seed"])


class BinnedRecord(NodeRecord, BinnedData):
    """Spikes of some nodes per bin of time, from `Network.record(nodes, "rate", bin=...)`. Arrays are read-only.

    They belong to the time at which they were asked for. Memory: 8 bytes per bin from the first bin on, for each slice (at least one per thread),
    however many spikes there are; `clear()` gives it back, of the bins that have ended. The bin that has not ended keeps its spikes: none are lost
    between reads. Copies and pickles are `BinnedData`: the bins so far.

    On several ranks reading is collective: the counts of all ranks are added up, and all ranks get the sums. Also `clear` must be called by all.
    """

    __slots__ = ("_cached", "_cached_at", "_gather", "_nodes", "_recorder")

    def __init__(self, nodes: Nodes, kind: str, recorder: int, width: float) -> None:
        NodeRecord.__init__(self, True)
        self._nodes, self._kind, self._recorder, self._bin = nodes, kind, recorder, width

    def _again(self, network: Core, gather: bool) -> Self:
        if not gather:
            raise bad_parameter("gather", gather, "True: the counts of all ranks are added up, no rank has those of its own nodes")
        return type(self)(moved(self._nodes, network), self._kind, self._recorder, self._bin)

    def _forget(self) -> None:
        self._network._kernel.clear_binned(self._recorder)

    def _read(self) -> BinnedData:
        network = self._network
        first, counts = network._kernel.binned(self._recorder)
        bins = first + np.arange(len(counts), dtype=np.int64)
        times = network._grid.ms(bins * network._grid.steps("bin", self._bin))
        rest = (self._bin, self._kind, self._watched_ranges(), self.resolution, self.seed)
        return BinnedData._made(times, np.asarray(counts, np.int64), *rest)
