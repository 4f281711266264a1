# SPDX-License-Identifier: Apache-2.0
"""Statistics of spikes, as numpy arrays. `spikes` is a SpikeRecord or any `Spikes`; use `spikes.select(nodes, start, stop)` for a part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_parameter
from ..results.spikes import Spikes

__all__ = ["bin_counts", "correlation", "cv_isi", "isi", "population_rate", "rates"]

Floats = NDArray[np.float64]


def rates(spikes: Spikes) -> Floats:
    """Mean rate of each watched node (spikes/s), float64 of shape (n_nodes,); NaN when no time was watched."""
    if spikes.duration <= 0.0:
        return np.full(len(spikes.watched), np.nan)
    return spikes.counts() / (1e-3 * spikes.duration)


def isi(spikes: Spikes) -> tuple[Floats, NDArray[np.int64]]:
    """Intervals between successive spikes of a node (ms), and the position of that node in `spikes.watched`; both of shape (n_intervals,)."""
    positions = spikes.positions()
    order = np.argsort(positions, kind="stable")  # spikes are ascending in time already
    times, owners = spikes.times[order], positions[order]
    same = owners[1:] == owners[:-1]
    return np.diff(times)[same], owners[1:][same]


def cv_isi(spikes: Spikes, min_spikes: int = 3) -> Floats:
    """Coefficient of variation (s.d. over mean) of the intervals of each watched node, float64 of shape (n_nodes,).

    NaN for nodes with fewer than `min_spikes` >= 3 spikes. A Poisson process has 1, a clock 0; few spikes bias it towards 0.
    """
    if min_spikes < 3:
        raise bad_parameter("min_spikes", min_spikes, "at least 3 (two intervals)")
    intervals, owners = isi(spikes)
    n_nodes = len(spikes.watched)
    n = np.bincount(owners, minlength=n_nodes)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(owners, intervals, n_nodes) / n
        variance = np.bincount(owners, (intervals - mean[owners]) ** 2, n_nodes) / n
        return np.where(n >= min_spikes - 1, np.sqrt(variance) / mean, np.nan)


def bin_counts(spikes: Spikes, width: float) -> tuple[Floats, NDArray[np.int64]]:
    """Left edges of bins (edge, edge + width] of `width` ms, shape (n_bins,), and spike counts, int64 of shape (n_bins, n_nodes).

    A rest at the end that is shorter than a bin is left out.
    """
    n_bins, bins, inside = _binned(spikes, width)
    n_nodes = len(spikes.watched)
    flat = np.bincount(bins[inside] * n_nodes + spikes.positions()[inside], minlength=n_bins * n_nodes)
    counts: NDArray[np.int64] = flat.reshape(n_bins, n_nodes).astype(np.int64)
    return np.asarray(spikes.start + width * np.arange(n_bins), np.float64), counts


def population_rate(spikes: Spikes, width: float = 5.0) -> tuple[Floats, Floats]:
    """Middles of bins of `width` ms and the mean rate of the watched nodes in each (spikes/s); both of shape (n_bins,)."""
    n_bins, bins, inside = _binned(spikes, width)
    counts = np.bincount(bins[inside], minlength=n_bins)
    middles = np.asarray(spikes.start + width * (np.arange(n_bins) + 0.5), np.float64)
    return middles, counts / (1e-3 * width * max(len(spikes.watched), 1))


def correlation(spikes: Spikes, width: float = 5.0) -> Floats:
    """Pearson correlation of binned spike counts (bins of `width` ms) of all pairs, float64 of shape (n_nodes, n_nodes), 1 on the diagonal.

    NaN for nodes whose count never changes. Memory grows with bins x nodes and nodes^2: select a few hundred nodes first.
    """
    _, counts = bin_counts(spikes, width)
    deviation = counts - counts.mean(axis=0) if len(counts) else counts.astype(float)
    norm = np.sqrt((deviation**2).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = np.where(norm > 0.0, deviation / norm, np.nan)
    return np.asarray(scaled.T @ scaled)


def _binned(spikes: Spikes, width: float) -> tuple[int, NDArray[np.int64], NDArray[np.bool_]]:
    """Number of whole bins, bin of each spike, and whether it is in one of them."""
    if not width > 0.0 or not np.isfinite(width):
        raise bad_parameter("width", width, "a positive number of ms")
    n_bins = int(np.floor(spikes.duration / width + 1e-9))
    # Windows are (start, stop]: a spike on an edge belongs to the bin before it.
    bins = np.ceil((spikes.times - spikes.start) / width - 1e-9).astype(np.int64) - 1
    return n_bins, bins, (bins >= 0) & (bins < n_bins)
