# SPDX-License-Identifier: Apache-2.0
"""Rates, intervals and correlation of spikes, as numpy arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.named import named_arguments
from ..errors import bad_parameter
from .binning import bin_counts, binned, or_near
from .inputs import SpikeTrains

__all__ = ["correlation", "cv_isi", "isi", "population_rate", "rates"]

Floats = NDArray[np.float64]


@named_arguments
def rates(spikes: SpikeTrains) -> Floats:
    """Mean rate of each watched node (spikes/s), float64 of shape (n_nodes,); NaN when no time was watched."""
    return spikes.rates()


@named_arguments
def isi(spikes: SpikeTrains) -> tuple[Floats, NDArray[np.int64]]:
    """Intervals between successive spikes of a node (ms), and the position of that node in `spikes.watched`; both of shape (n_intervals,)."""
    positions = spikes.positions()
    order = np.argsort(positions, kind="stable")  # spikes are ascending in time already
    times, owners = spikes.times[order], positions[order]
    same = owners[1:] == owners[:-1]
    return np.diff(times)[same], owners[1:][same]


@named_arguments
def cv_isi(spikes: SpikeTrains, min_spikes: int = 3) -> Floats:
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


@named_arguments
def population_rate(spikes: SpikeTrains, width: float | None = None) -> tuple[Floats, Floats]:
    """Middles of bins of `width` ms and the mean rate of the watched nodes in each (spikes/s); both of shape (n_bins,).

    `width`: default about 5 ms, a multiple of the resolution. Raises as `bin_counts`.
    """
    size = or_near(spikes, width, 5.0)
    n_bins, bins, inside = binned(spikes, size)
    counts = np.bincount(bins[inside], minlength=n_bins)
    middles = np.asarray(spikes.start + size * (np.arange(n_bins) + 0.5), np.float64)
    return middles, counts / (1e-3 * size * max(len(spikes.watched), 1))


@named_arguments
def correlation(spikes: SpikeTrains, width: float | None = None) -> Floats:
    """Pearson correlation of binned spike counts (bins of `width` ms) of all pairs, float64 of shape (n_nodes, n_nodes), 1 on the diagonal.

    `width`: default about 100 ms, a multiple of the resolution. NaN for nodes whose count never changes. Memory grows with bins x nodes and nodes^2:
    select a few hundred nodes first.
    """
    _, counts = bin_counts(spikes, or_near(spikes, width, 100.0))
    deviation = counts - counts.mean(axis=0) if len(counts) else counts.astype(float)
    norm = np.sqrt((deviation**2).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = np.where(norm > 0.0, deviation / norm, np.nan)
    return np.asarray(scaled.T @ scaled)
