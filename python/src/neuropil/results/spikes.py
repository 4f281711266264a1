# SPDX-License-Identifier: Apache-2.0
"""Spikes as data: times and gids, with the nodes that were watched and the time they were watched for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import bad_length, bad_parameter

if TYPE_CHECKING:
    import neo
    import pandas
    from matplotlib.axes import Axes

    from ..model.nodes import Nodes

__all__ = ["Spikes"]


class Spikes:
    """Spikes of a set of nodes in the window (start, stop] ms, in order of (time, gid).

    Parameters
    ----------
    times : float64, shape (n_spikes,), ms
    gids : int64, shape (n_spikes,): who spiked
    nodes : Nodes or gids, shape (n_nodes,): who was watched, spikes or not; default: those that spiked
    start, stop : float, ms; default: 0 and the last spike
    """

    def __init__(
        self,
        times: ArrayLike,
        gids: ArrayLike,
        nodes: Nodes | ArrayLike | None = None,
        start: float = 0.0,
        stop: float | None = None,
    ) -> None:
        t, g = np.asarray(times, np.float64), np.asarray(gids, np.int64)
        if len(t) != len(g):
            raise bad_length("gids", len(g), len(t))
        order = np.lexsort((g, t))
        self._times, self._gids = t[order], g[order]
        self._watched: NDArray[np.int64] = np.unique(g) if nodes is None else np.asarray(nodes, np.int64)
        self._start, self._stop = float(start), float(stop if stop is not None else (t.max() if len(t) else start))

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the spikes (ms), float64 of shape (n_spikes,), ascending."""
        return self._times

    @property
    def gids(self) -> NDArray[np.int64]:
        """Global ids of the nodes that spiked, int64 of shape (n_spikes,)."""
        return self._gids

    @property
    def watched(self) -> NDArray[np.int64]:
        """Global ids of all watched nodes, int64 of shape (n_nodes,)."""
        return self._watched

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

    def __len__(self) -> int:
        return len(self.times)

    def positions(self) -> NDArray[np.int64]:
        """For each spike the position of its node in `watched`, int64 of shape (n_spikes,)."""
        watched = self.watched
        order = np.argsort(watched, kind="stable")
        found = np.searchsorted(watched[order], self.gids)
        return np.asarray(order[np.minimum(found, max(len(order) - 1, 0))] if len(order) else found, np.int64)

    def counts(self) -> NDArray[np.int64]:
        """Number of spikes of each watched node, int64 of shape (n_nodes,)."""
        return np.bincount(self.positions(), minlength=len(self.watched)).astype(np.int64)

    def trains(self) -> list[NDArray[np.float64]]:
        """Spike times (ms) of each watched node, in order of `watched`."""
        positions = self.positions()
        order = np.argsort(positions, kind="stable")
        return np.split(self.times[order], np.cumsum(np.bincount(positions, minlength=len(self.watched)))[:-1]) if len(self.watched) else []

    def select(self, nodes: Nodes | ArrayLike | None = None, start: float | None = None, stop: float | None = None) -> Spikes:
        """The spikes of some nodes in (start, stop] as data of their own. Raises BadParameter for nodes that were not watched."""
        begin = self.start if start is None else max(float(start), self.start)
        end = self.stop if stop is None else min(float(stop), self.stop)
        watched = self.watched if nodes is None else np.atleast_1d(np.asarray(nodes, np.int64))
        missing = watched[~np.isin(watched, self.watched)]
        if len(missing):
            raise bad_parameter("nodes", int(missing[0]), "gids of nodes that were recorded")
        keep = (self.times > begin) & (self.times <= end)
        if nodes is not None:
            keep &= np.isin(self.gids, watched)
        return Spikes(self.times[keep], self.gids[keep], watched, begin, end)

    def rates(self) -> NDArray[np.float64]:
        """Mean rate of each watched node (spikes/s), float64 of shape (n_nodes,)."""
        from ..analysis.statistics import rates

        return rates(self)

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with columns time_ms and gid, one row per spike."""
        import pandas

        return pandas.DataFrame({"time_ms": self.times, "gid": self.gids})

    def to_neo(self) -> neo.Segment:
        """neo.Segment with one SpikeTrain (ms) per watched node, annotated with its gid."""
        from .neo_export import spikes_to_neo

        return spikes_to_neo(self)

    def plot(self, **options: Any) -> Axes:
        """Raster plot, see `neuropil.plot.raster`."""
        from ..analysis.plot import raster

        return raster(self, **options)

    def _count_watched(self) -> int:
        return len(self.watched)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} spikes of {self._count_watched()} nodes in ({self.start:g}, {self.stop:g}] ms)"
