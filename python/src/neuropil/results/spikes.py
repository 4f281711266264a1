# SPDX-License-Identifier: Apache-2.0
"""Spikes as data: times and gids, with the nodes that were watched and the time they were watched for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_vector
from ..base.ranges import Ranges
from ..errors import bad_length, bad_parameter, bad_type
from .watched import to_watched

if TYPE_CHECKING:
    import neo
    import pandas
    import xarray
    from matplotlib.axes import Axes

    from ..model.nodes import Nodes

__all__ = ["Spikes"]


class Spikes:
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
        t, g = to_vector("times", times), _to_gids(gids)
        if len(t) != len(g):
            raise bad_length("gids", len(g), len(t))
        before = None if offsets is None else to_vector("offsets", offsets)
        if before is not None and len(before) != len(t):
            raise bad_length("offsets", len(before), len(t))
        watched = to_watched("nodes", np.unique(g) if nodes is None else nodes)
        begin, end = float(start), float(stop if stop is not None else (t.max() if len(t) else start))
        _check_window(t, begin, end)
        strangers = g[~watched.contains(g)]
        if len(strangers):
            raise bad_parameter("gids", int(strangers[0]), "among `nodes`, the recorded nodes")
        if resolution is not None:
            _check_grid(t, before, float(resolution))
        order = np.lexsort((g, t))
        self._set(t[order], g[order], watched, begin, end, None if before is None else before[order], resolution, seed)

    def _set(
        self,
        times: NDArray[np.float64],
        gids: NDArray[np.int64],
        watched: Ranges,
        start: float,
        stop: float,
        offsets: NDArray[np.float64] | None,
        resolution: float | None,
        seed: int | None,
    ) -> None:
        self._times, self._gids, self._ranges, self._start, self._stop = times, gids, watched, start, stop
        self._offsets = None if offsets is None or not offsets.any() else offsets
        self._resolution, self._seed = resolution, seed
        for array in (times, gids, *(() if offsets is None else (offsets,))):
            array.setflags(write=False)

    @staticmethod
    def _made(*parts: Any) -> Spikes:
        """Of what `_set` takes, which is known to be right; the nodes may be a table of ranges."""
        made = object.__new__(Spikes)
        times, gids, watched, *rest = parts
        made._set(times, gids, watched if isinstance(watched, Ranges) else Ranges(watched), *rest)
        return made

    def _parts(self) -> tuple[Any, ...]:
        offsets = self.offsets if self.off_grid else None
        return (self.times, self.gids, self._watched_ranges().table, self.start, self.stop, offsets, self.resolution, self.seed)

    def __reduce__(self) -> tuple[Callable[..., Spikes], tuple[Any, ...]]:
        """Pickled and copied as data, apart from the network."""
        return Spikes._made, self._parts()

    def copy(self) -> Spikes:
        """These spikes as data of their own, apart from the network: they stay as they are when it runs on."""
        return Spikes._made(*self._parts())

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the spikes (ms), float64 of shape (n_spikes,), ascending."""
        return self._times

    @property
    def gids(self) -> NDArray[np.int64]:
        """Global ids of the nodes that spiked, int64 of shape (n_spikes,)."""
        return self._gids

    @property
    def offsets(self) -> NDArray[np.float64]:
        """What spikes of precise neurons came before the end of their step (ms), 0 for others, float64 of shape (n_spikes,)."""
        if self._offsets is not None:
            return self._offsets
        none = np.zeros(len(self))
        none.setflags(write=False)
        return none

    @property
    def off_grid(self) -> bool:
        """Whether a spike has an offset: it is one of a neuron with times between the steps."""
        return self._offsets is not None

    @property
    def steps(self) -> NDArray[np.int64]:
        """The steps at whose ends the spikes count, int64 of shape (n_spikes,). Raises BadParameter when the resolution is not known."""
        if self.resolution is None:
            raise bad_parameter("resolution", None, "given to Spikes(...): steps are times divided by it")
        return np.asarray(np.rint((self.times + self.offsets) / self.resolution), np.int64)

    @property
    def watched(self) -> NDArray[np.int64]:
        """Global ids of all watched nodes, int64 of shape (n_nodes,)."""
        return self._watched_ranges().ids()

    @property
    def start(self) -> float:
        """Beginning (exclusive) of the time that was watched (ms)."""
        return self._start

    @property
    def stop(self) -> float:
        """End (inclusive) of the time that was watched (ms)."""
        return self._stop

    @property
    def resolution(self) -> float | None:
        """Step of the simulation (ms); None when it is not known."""
        return self._resolution

    @property
    def seed(self) -> int | None:
        """Seed of the simulation; None when it is not known."""
        return self._seed

    @property
    def duration(self) -> float:
        """Time that was watched (ms)."""
        return max(self.stop - self.start, 0.0)

    def __len__(self) -> int:
        return len(self.times)

    def positions(self) -> NDArray[np.int64]:
        """For each spike the position of its node in `watched`, int64 of shape (n_spikes,)."""
        watched = self.watched
        order = np.argsort(watched, kind="stable")
        return np.asarray(order[np.searchsorted(watched[order], self.gids)], np.int64)

    def counts(self) -> NDArray[np.int64]:
        """Number of spikes of each watched node, int64 of shape (n_nodes,)."""
        return np.bincount(self.positions(), minlength=self._count_watched()).astype(np.int64)

    def trains(self) -> list[NDArray[np.float64]]:
        """Spike times (ms) of each watched node, in order of `watched`."""
        positions, n = self.positions(), self._count_watched()
        order = np.argsort(positions, kind="stable")
        return np.split(self.times[order], np.cumsum(np.bincount(positions, minlength=n))[:-1]) if n else []

    def select(self, nodes: Nodes | ArrayLike | None = None, start: float | None = None, stop: float | None = None) -> Spikes:
        """The spikes of some nodes in (start, stop] as data of their own. Raises BadParameter for nodes that were not watched."""
        begin = self.start if start is None else max(float(start), self.start)
        end = self.stop if stop is None else min(float(stop), self.stop)
        mine = self._watched_ranges()
        watched = mine if nodes is None else to_watched("nodes", nodes)
        if nodes is not None and not mine.covers(watched):
            asked = watched.ids()
            raise bad_parameter("nodes", int(asked[~mine.contains(asked)][0]), "gids of nodes that were recorded")
        keep = (self.times > begin) & (self.times <= end)
        if nodes is not None:
            keep &= watched.contains(self.gids)
        offsets = self.offsets[keep] if self.off_grid else None
        return Spikes._made(self.times[keep], self.gids[keep], watched, begin, end, offsets, self.resolution, self.seed)

    def rates(self) -> NDArray[np.float64]:
        """Mean rate of each watched node (spikes/s), float64 of shape (n_nodes,)."""
        from ..analysis.statistics import rates

        return rates(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything to a file .npz, .h5 or .parquet, which `neuropil.load_spikes` reads; on several ranks see `neuropil.load_spikes`.

        The file is whole or not there: it is written under another name and then renamed. Raises BadParameter, MissingLibrary, OSError.
        """
        from .saving import save_spikes

        save_spikes(self, path)

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with columns time_ms and gid, one row per spike. Raises MissingLibrary."""
        from .libraries import library

        table: pandas.DataFrame = library("pandas").DataFrame({"time_ms": self.times, "gid": self.gids})
        return table

    def to_xarray(self, width: float) -> xarray.DataArray:
        """DataArray of the numbers of spikes in bins of `width` ms, of dimensions (time, gid); time: left edges of the bins (ms).

        Raises BadParameter as `neuropil.analysis.bin_counts`, MissingLibrary.
        """
        from ..analysis.binning import bin_counts
        from .libraries import library

        array = library("xarray").DataArray
        edges, counts = bin_counts(self, width)
        times = array(edges, dims="time", attrs={"units": "ms"})
        found: xarray.DataArray = array(counts, coords={"time": times, "gid": self.watched}, dims=("time", "gid"), name="spikes")
        found.attrs["width_ms"] = float(width)
        return found

    def to_neo(self) -> neo.Segment:
        """neo.Segment whose SpikeTrainList (ms) has a train per watched node; their channel_id is the gid. Raises MissingLibrary."""
        from .neo_export import spikes_to_neo

        return spikes_to_neo(self)

    def plot(self, **options: Any) -> Axes:
        """Raster plot, see `neuropil.plot.raster`."""
        from ..analysis.plot import raster

        return raster(self, **options)

    def _watched_ranges(self) -> Ranges:
        return self._ranges

    def _count_watched(self) -> int:
        return len(self._watched_ranges())

    def _writes(self) -> bool:
        """Whether this rank writes the file of `save`."""
        return True

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} spikes of {self._count_watched()} nodes in ({self.start:g}, {self.stop:g}] ms)"


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
