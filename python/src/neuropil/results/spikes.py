# SPDX-License-Identifier: Apache-2.0
"""Spikes: times and gids, with the nodes that were watched and the time they were watched for."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_time, to_times
from ..base.grid import Grid
from ..base.named import named_arguments
from ..base.ranges import Ranges
from ..errors import bad_length, bad_parameter, bad_type
from ..model.core import Core
from ..model.nodes import Nodes
from .data import Column, NodeData, NodeRecord, limit, moved, own_nodes, to_watched
from .files import Table
from .libraries import library
from .stream_files import Part, whole_nodes
from .streaming import NodeStream

if TYPE_CHECKING:
    import elephant.conversion
    import neo
    import xarray


__all__ = ["SpikeRecord", "SpikeStream", "Spikes", "check_window"]


class Spikes(NodeData["Spikes"]):
    """Spikes of a set of nodes in the window (start, stop] ms, in order of (time, gid). Arrays are read-only.

    Parameters
    ----------
    times : float64, shape (n_spikes,), ms, in (start, stop]
    gids : int64, shape (n_spikes,): who spiked; all are among `nodes`
    nodes : Nodes or gids, shape (n_nodes,), without repeats: who was watched, spikes or not; default: those that spiked
    start, stop : float, ms; default: 0 and the last spike
    offsets : float64, shape (n_spikes,), ms: what spikes came before the end of their step; default: all are on the grid of time
    resolution : ms, the step of the simulation; None when it is not known. Times plus offsets are multiples of it.
    seed : of the simulation; None when it is not known

    Raises BadParameter, BadLength, BadType.
    """

    __slots__ = ("_gids", "_offsets", "_start", "_stop", "_times")
    _offsets: NDArray[np.float64] | None
    _start: float
    _stop: float
    _KIND, _PLOT, _STREAMED = "spikes", "raster", ("step", "gid")
    _PARTS = ("_times", "_gids", "_ranges", "_start", "_stop", "_offsets", "_resolution", "_seed")

    times = Column[np.float64]("Times of the spikes (ms), float64 of shape (n_spikes,), ascending.")
    gids = Column[np.int64]("Global ids of the nodes that spiked, int64 of shape (n_spikes,).")

    def __init__(
        self,
        times: ArrayLike,
        gids: ArrayLike,
        nodes: Nodes | ArrayLike | None = None,
        start: float = 0.0,
        stop: float | None = None,
        *,
        offsets: ArrayLike | None = None,
        resolution: float | None = None,
        seed: int | None = None,
    ) -> None:
        t, g = to_times("times", times), _to_gids(gids)
        if len(t) != len(g):
            raise bad_length("gids", len(g), len(t))
        before = None if offsets is None else to_times("offsets", offsets)
        if before is not None and len(before) != len(t):
            raise bad_length("offsets", len(before), len(t))
        watched = to_watched("nodes", np.unique(g) if nodes is None else nodes)
        begin = to_time("start", start)
        end = to_time("stop", stop) if stop is not None else float(t.max()) if len(t) else begin
        _check_window(t, begin, end)
        strangers = g[~watched.contains(g)]
        if len(strangers):
            raise bad_parameter("gids", int(strangers[0]), "among `nodes`, the recorded nodes")
        if resolution is not None:
            resolution = to_time("resolution", resolution)
            _check_grid(t, before, resolution)
        order = np.lexsort((g, t))
        self._fill(t[order], g[order], watched, begin, end, None if before is None else before[order], resolution, seed)

    def _fill(self, *parts: Any) -> None:
        *before, offsets, resolution, seed = parts
        super()._fill(*before, offsets if offsets is not None and offsets.any() else None, resolution, seed)

    @property
    def offsets(self) -> NDArray[np.float64]:
        """What spikes of precise neurons came before the end of their step (ms), 0 for others, float64 of shape (n_spikes,)."""
        now = self._now()
        if now._offsets is not None:
            return now._offsets
        none = np.zeros(len(now))
        none.setflags(write=False)
        return none

    @property
    def off_grid(self) -> bool:
        """Whether a spike has an offset: it is one of a neuron with times between the steps."""
        return self._now()._offsets is not None

    @property
    def steps(self) -> NDArray[np.int64]:
        """The steps at whose ends the spikes count, int64 of shape (n_spikes,). Raises BadParameter when the resolution is not known."""
        if self.resolution is None:
            raise bad_parameter("resolution", None, "given to Spikes(...): steps are times divided by it")
        steps = np.asarray(np.rint((self.times + self.offsets) / self.resolution), np.int64)
        steps.setflags(write=False)
        return steps

    @property
    def start(self) -> float:
        """Beginning (exclusive) of the time that was watched (ms)."""
        return self._start

    @property
    def stop(self) -> float:
        """End (inclusive) of the time that was watched (ms)."""
        return self._stop

    @property
    def duration(self) -> float:
        """Time that was watched (ms)."""
        return max(self.stop - self.start, 0.0)

    def positions(self) -> NDArray[np.int64]:
        """For each spike the position of its node in `watched`, int64 of shape (n_spikes,)."""
        table = self._watched_ranges().table
        if len(table) == 1:  # most often
            first, _, stride = table[0].tolist()
            return np.asarray((self.gids - first) // stride, np.int64)
        watched = self.watched
        order = np.argsort(watched, kind="stable")
        return np.asarray(order[np.searchsorted(watched[order], self.gids)], np.int64)

    @named_arguments
    def counts(self, start: float | None = None) -> NDArray[np.int64]:
        """Number of spikes of each watched node, since `start` (ms, exclusive) where given, int64 of shape (n_nodes,)."""
        if start is not None:
            return self.select(start=start).counts()
        return np.bincount(self.positions(), minlength=self._count_watched()).astype(np.int64)

    def trains(self) -> list[NDArray[np.float64]]:
        """Spike times (ms) of each watched node, in order of `watched`."""
        positions, n = self.positions(), self._count_watched()
        order = np.argsort(positions, kind="stable")
        return np.split(self.times[order], np.cumsum(np.bincount(positions, minlength=n))[:-1]) if n else []

    @named_arguments
    def select(self, nodes: Nodes | ArrayLike | None = None, start: float | None = None, stop: float | None = None) -> Spikes:
        """The spikes of some nodes in (start, stop] as data of their own. Raises BadParameter for nodes that were not watched."""
        now = self._now()
        begin, end = max(limit("start", start, self.start), self.start), min(limit("stop", stop, self.stop), self.stop)
        watched = self._watched_ranges() if nodes is None else self._chosen(nodes)
        keep = self._within(begin, end)
        if nodes is not None:
            keep &= watched.contains(now.gids)
        offsets = None if now._offsets is None else now._offsets[keep]
        return self._but(_times=now.times[keep], _gids=now.gids[keep], _ranges=watched, _start=begin, _stop=end, _offsets=offsets)

    def rates(self) -> NDArray[np.float64]:
        """Mean rate of each watched node (spikes/s), float64 of shape (n_nodes,); NaN when no time was watched."""
        if self.duration <= 0.0:
            return np.full(self._count_watched(), np.nan)
        return self.counts() / (1e-3 * self.duration)

    @named_arguments
    def to_xarray(self, width: float | None = None) -> xarray.DataArray:
        """DataArray of the numbers of spikes in bins of `width` ms, of dimensions (time, gid); time: left edges of the bins (ms).

        `width`: default about 5 ms, a multiple of the resolution, as of `neuropil.analysis.population_rate`. Raises BadParameter as `neuropil.analysis.bin_counts`, MissingLibrary.
        """
        from ..analysis.binning import bin_counts, or_near

        array, width = library("xarray").DataArray, or_near(self, width, 5.0)
        edges, counts = bin_counts(self, width)
        times = array(edges, dims="time", attrs={"units": "ms"})
        found: xarray.DataArray = array(counts, coords={"time": times, "gid": self.watched}, dims=("time", "gid"), name="spikes")
        found.attrs["width_ms"] = float(width)
        return found

    def to_neo(self, objects: bool = False) -> neo.Segment:
        """neo.Segment whose SpikeTrainList (ms) has a train per watched node; their channel_id is the gid. Raises MissingLibrary.

        By default the list holds two arrays. Neo makes all trains of them when a train is asked for, and searches all spikes for each train.
        `objects`: hand over one neo.SpikeTrain per node instead, for programs that use every train of many nodes.
        """
        from .neo_export import segment_of_trains

        return segment_of_trains(self._now(), objects)

    def to_elephant(self, width: float | None = None) -> elephant.conversion.BinnedSpikeTrain:
        """Sparse counts of spikes in bins of `width` ms, of shape (n_nodes, n_bins), for functions of Elephant that take binned spike trains.

        Bins are (edge, edge + width], as of `neuropil.analysis.bin_counts`; Elephant's own are [edge, edge + width). No object per node is made.
        `width`: default about 5 ms, a multiple of the resolution. Raises BadParameter as `neuropil.analysis.bin_counts`, MissingLibrary.
        """
        from .elephant_export import binned_trains

        return binned_trains(self._now(), width)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} spikes of {self._count_watched()} nodes in ({self.start:g}, {self.stop:g}] ms)"

    def _frame(self) -> dict[str, NDArray[Any]]:
        return {"time_ms": self.times, "gid": self.gids}

    def _table(self) -> Table:
        columns = self._frame() | ({} if self._offsets is None else {"offset_ms": self._offsets})
        about = {"start_ms": self.start, "stop_ms": self.stop, "resolution_ms": self.resolution, "seed": self.seed}
        return Table(self._KIND, columns, self._ranges.table, about)

    @classmethod
    def _of_table(cls, table: Table) -> Self:
        c, about = table.columns, table.about
        nodes, end, offsets = Ranges(table.nodes).ids(), about["stop_ms"], c.get("offset_ms")
        given = {"offsets": offsets, "resolution": about["resolution_ms"], "seed": about["seed"]}
        return cls(c["time_ms"], c["gid"], nodes, about["start_ms"], end, **given)

    @classmethod
    def _of_stream(cls, segments: list[list[Part]]) -> Self:
        offsets = any("offset" in part.columns for parts in segments for part in parts)
        found = [_streamed(parts, offsets) for parts in segments]
        steps, gids, before = (np.concatenate(column) for column in zip(*found, strict=True))
        about, stop = segments[0][0].about, min(part.step for part in segments[-1])
        grid = Grid(about["resolution_ms"])
        times = grid.ms(steps) - before if offsets else grid.ms(steps)
        begin = float(about["start_ms"])
        rest = (begin, max(grid.time(stop), begin), before if offsets else None, about["resolution_ms"], about["seed"])
        return cls._made(times, gids, whole_nodes(segments[0]), *rest)


class SpikeRecord(NodeRecord, Spikes):
    """All spikes of some nodes, from `Network.record(nodes)`. Arrays are read-only and belong to the time at which they were asked for.

    Copies and pickles are `Spikes`: the data of that time. On several ranks all read together, see `view`.
    """

    __slots__ = ("_cached", "_cached_at", "_end", "_first", "_gather", "_nodes", "_recorded", "_recorder")

    def __init__(self, nodes: Nodes, recorder: int, start: float, stop: float, gather: bool = True) -> None:
        """`start`: when the network begins anew; before that it is what the network has noted."""
        NodeRecord.__init__(self, gather)
        self._recorded, self._nodes, self._recorder = nodes, nodes if gather else own_nodes(nodes), recorder
        self._first, self._end = start, stop

    @property
    def start(self) -> float:
        """Beginning (exclusive) of the recorded time (ms)."""
        return self._network._begins.get(self._recorder, self._first)

    @property
    def stop(self) -> float:
        """End (inclusive) of the recorded time (ms): now, or where recording ended."""
        return max(min(self._end, self._network.time), self.start)

    @named_arguments
    def select(self, nodes: Nodes | ArrayLike | None = None, start: float | None = None, stop: float | None = None) -> Spikes:
        """As of `Spikes`. What was recorded before `start` is not read: a loop that asks for the last ms waits as long at any time."""
        begin = limit("start", start, -np.inf)
        if begin <= self.start or self._cached_at == self._moment():
            return super().select(nodes, start, stop)
        return self._read(math.floor(min(begin, self.stop) / self.resolution) - 1).select(nodes, start, stop)

    @named_arguments
    def counts(self, start: float | None = None) -> NDArray[np.int64]:
        """As of `Spikes`; for closed loops: `counts(net.time - 1.0)` takes some microseconds, however long the network has run."""
        table, network = self._nodes._ranges.table, self._network
        known = self._nodes is self._recorded and len(table) == 1 and table.item(2) > 0
        after = network._grid.step_at(start) if known and start is not None else None
        return super().counts(start) if after is None else np.asarray(network._kernel.spike_counts(self._recorder, after, self._gather))

    def __len__(self) -> int:
        return len(self._now()) if self._cached_at == self._moment() else self._network._kernel.spike_count(self._recorder, self._gather)

    def _again(self, network: Core, gather: bool) -> Self:
        return type(self)(moved(self._recorded, network), self._recorder, self._first, self._end, gather)

    def _forget(self) -> None:
        network = self._network
        network._kernel.clear_spikes(self._recorder)
        network._begins[self._recorder] = max(self.start, min(network.time, self._end))

    def _read(self, after: int | None = None) -> Spikes:
        network = self._network
        steps, gids, offsets = network._kernel.spikes(self._recorder, self._gather, after)
        times, before = network._grid.ms(np.asarray(steps, np.int64)), np.asarray(offsets, np.float64)
        window = (self._watched_ranges(), self.start, self.stop)
        if not len(before):
            return Spikes._made(times, np.asarray(gids, np.int64), *window, None, self.resolution, self.seed)
        return Spikes._made(times - before, np.asarray(gids, np.int64), *window, before, self.resolution, self.seed)


class SpikeStream(NodeStream[Spikes]):
    """Spikes that go to disk."""

    _DATA = Spikes

    def __init__(self, record: SpikeRecord, to: str | os.PathLike[str], every: int) -> None:
        self._last = record.nodes._network._grid.steps("stop", record._end, past=True)
        super().__init__(record, to, every, {"start_ms": record.start})

    def _take(self) -> tuple[dict[str, NDArray[Any]], int]:
        steps, gids, offsets = self._network._kernel.spikes(self._recorder, False)
        found: dict[str, NDArray[Any]] = {"step": np.asarray(steps, np.int32), "gid": np.asarray(gids, np.int64)}
        return found | ({"offset": np.asarray(offsets, np.float64)} if len(offsets) else {}), len(steps)

    def _complete_at(self, step: int) -> int:
        return min(step, self._last)

    def _forget(self) -> None:
        self._network._kernel.clear_spikes(self._recorder)


def check_window(start: float, stop: float) -> None:
    """Raises BadParameter when nothing can be recorded in (start, stop]."""
    if not math.isnan(stop) and stop <= start:
        raise bad_parameter("stop", stop, f"above start ({start:g} ms)")


def _to_gids(gids: ArrayLike) -> NDArray[np.int64]:
    array = np.atleast_1d(np.asarray(gids))
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise bad_type("gids", gids, "a one-dimensional array of gids")
    return array.astype(np.int64)


def _check_window(times: NDArray[np.float64], start: float, stop: float) -> None:
    for name, value in (("start", start), ("stop", stop)):
        if not np.isfinite(value):
            raise bad_parameter(name, value, "a number of ms")
    outside = times[~((times > start) & (times <= stop))]
    if len(outside):
        raise bad_parameter("times", float(outside[0]), f"in the window (start, stop] = ({start:g}, {stop:g}] ms")


def _check_grid(times: NDArray[np.float64], offsets: NDArray[np.float64] | None, resolution: float) -> None:
    if not (resolution > 0.0 and np.isfinite(resolution)):
        raise bad_parameter("resolution", resolution, "a positive number of ms")
    ends = times if offsets is None else times + offsets
    off = times[np.abs(np.rint(ends / resolution) * resolution - ends) > 1e-9 * np.maximum(1.0, np.abs(ends))]
    if len(off):
        raise bad_parameter("times", float(off[0]), f"multiples of the resolution ({resolution:g} ms), less their offsets")


def _streamed(parts: list[Part], offsets: bool) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Steps, gids and offsets of the spikes of several ranks in order."""
    stop = min(part.step for part in parts)
    kept = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    for c in (part.columns for part in parts if part.rows):
        n = int(np.searchsorted(c["step"], stop, side="right"))  # of ranks that are ahead
        before = c["offset"][:n] if "offset" in c else np.zeros(n if offsets else 0)
        kept.append((np.asarray(c["step"][:n], np.int64), np.array(c["gid"][:n]), np.array(before)))
    steps, gids, before = (np.concatenate(column) for column in zip(*kept, strict=True))
    if len(parts) > 1:
        order = np.lexsort((gids, -before, steps) if offsets else (gids, steps))
        steps, gids, before = steps[order], gids[order], before[order] if offsets else before
    return steps, gids, before
