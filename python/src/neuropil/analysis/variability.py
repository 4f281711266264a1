# SPDX-License-Identifier: Apache-2.0
"""Variability and dependence of spike counts, power spectra, correlograms, responses to events.

By numpy alone: what they give does not depend on what is installed. The tests compare them with scipy and Elephant.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_time, to_times
from ..base.named import named_arguments
from ..errors import bad_parameter
from ..model.nodes import Nodes
from .binning import bin_counts, binned, check_times, check_width, or_near
from .inputs import SpikeTrains
from .statistics import correlation

__all__ = ["cross_correlogram", "fano_factor", "power_spectrum", "psth", "spike_count_correlation"]

Floats = NDArray[np.float64]


@named_arguments
def psth(
    spikes: SpikeTrains, events: ArrayLike, before: float | None = None, after: float = 200.0, width: float | None = None
) -> tuple[Floats, Floats]:
    """Peristimulus time histogram: middles of bins (ms, relative to an event), shape (n_bins,), and rates (spikes/s), shape (n_bins, n_nodes).

        r_i(b) = sum_k n_i(b, k) / (n_events * width),

    n_i(b, k): spikes of node i in bin b of event k. The bins cover (-before, after] ms. `events`: times (ms), shape (n_events,); around each the
    whole window must have been watched. `width`: ms, default about 5; `before`: about 50. Both and the events are multiples of the resolution where
    that is known. Raises BadParameter.
    """
    size, ahead, after = or_near(spikes, width, 5.0), or_near(spikes, before, 50.0, "before"), to_time("after", after)
    onsets = np.sort(to_times("events", events))
    check_width(spikes, size)
    check_times(spikes, "events", onsets)
    check_times(spikes, "before", np.array([ahead], np.float64))
    if not ahead + after >= size:
        raise bad_parameter("after", after, f"at least {size - ahead:g} ms: between -before and after lies at least one bin of {size:g} ms")
    outside = onsets[~((onsets - ahead >= spikes.start - 1e-9) & (onsets + after <= spikes.stop + 1e-9))]
    if len(outside) or not len(onsets):
        window = f"({spikes.start:g}, {spikes.stop:g}] ms"
        raise bad_parameter("events", float(outside[0]) if len(outside) else events, f"times with the window around them inside {window}")
    n_bins, n_nodes = int(np.floor((ahead + after) / size + 1e-9)), len(spikes.watched)
    times, positions = spikes.times, spikes.positions()
    sums = np.zeros(n_bins * n_nodes, np.int64)
    for onset in onsets:
        low, high = np.searchsorted(times, [onset - ahead - 1e-6, onset + after + 1e-6], side="right")
        bins = np.ceil((times[low:high] - (onset - ahead)) / size - 1e-6).astype(np.int64) - 1
        inside = (bins >= 0) & (bins < n_bins)
        sums += np.bincount(bins[inside] * n_nodes + positions[low:high][inside], minlength=n_bins * n_nodes)
    middles = np.asarray(-ahead + size * (np.arange(n_bins) + 0.5), np.float64)
    return middles, sums.reshape(n_bins, n_nodes) / (len(onsets) * 1e-3 * size)


@named_arguments
def fano_factor(spikes: SpikeTrains, width: float | None = None) -> Floats:
    """Fano factor of the spike counts of each watched node in successive windows of `width` ms (default about 100), float64 of shape (n_nodes,).

        F_i = sum_k (n_i(k) - m_i)^2 / (K - 1) / m_i,    m_i = sum_k n_i(k) / K,    k = 1 .. K windows

    1 for a Poisson process, 0 for a clock; NaN for nodes without spikes and for fewer than two windows. Raises as `bin_counts`.
    """
    _, counts = bin_counts(spikes, or_near(spikes, width, 100.0))
    if len(counts) < 2:
        return np.full(counts.shape[1], np.nan)
    mean = counts.mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(mean > 0.0, counts.var(axis=0, ddof=1) / mean, np.nan), np.float64)


@named_arguments
def spike_count_correlation(spikes: SpikeTrains, width: float | None = None) -> Floats:
    """Pearson correlation of spike counts in windows of `width` ms, float64 of shape (n_nodes (n_nodes - 1) / 2,).

        r_ij = cov(n_i, n_j) / sqrt(var(n_i) var(n_j)),    i < j, in the order of numpy.triu_indices(n_nodes, 1)

    `numpy.nanmean` of it is the mean correlation of the population. NaN for pairs with a node whose count never changes. It is what `correlation`
    has above its diagonal, with the same default of `width`, about 100 ms; memory is the same, O(n_nodes^2): select a few hundred nodes first.
    Raises as `bin_counts`.
    """
    return correlation(spikes, width)[np.triu_indices(len(spikes.watched), 1)]


@named_arguments
def power_spectrum(
    spikes: SpikeTrains, width: float | None = None, segment: float | None = None, pooled: bool = False
) -> tuple[Floats, Floats]:
    """Frequencies (Hz), shape (n_freq,), and power spectral density (spikes^2/s) of the spike trains, shape (n_freq, n_nodes).

        S_i(f_j) = < |sum_k (n_i(k) - m_i) exp(-2 pi i j k / M)|^2 > / T,    f_j = j / T,    j = 1 .. M / 2

    Counts n_i(k) in M bins of `width` ms (default about 1) make a segment of T = `segment` ms (default about 1000, or all that was watched); m_i is their mean, < > the mean over segments that follow each other
    (Bartlett). Two-sided: a Poisson process of rate r has S = r at all frequencies. With `pooled` of the summed train of all nodes, of shape
    (n_freq, 1). A rest that is shorter than a segment is left out. Raises BadParameter for a segment that is not a whole number of bins, or longer
    than what was watched.
    """
    bin_size = or_near(spikes, width, 1.0)
    check_width(spikes, bin_size)
    length = bin_size * max(2, int(min(1000.0, spikes.duration) / bin_size + 1e-9)) if segment is None else to_time("segment", segment)
    size = round(length / bin_size) if np.isfinite(length) else 0
    if size < 2 or abs(size * bin_size - length) > 1e-9 * length:
        raise bad_parameter("segment", segment, f"a multiple of the width ({bin_size:g} ms), two or more")
    if pooled:
        n_bins, bins, inside = binned(spikes, bin_size)
        counts = np.bincount(bins[inside], minlength=n_bins)[:, None]
    else:
        _, counts = bin_counts(spikes, bin_size)
    n_segments = len(counts) // size
    if not n_segments:
        raise bad_parameter("segment", length, f"at most the recorded time ({spikes.duration:g} ms)")
    total = np.zeros((size // 2, counts.shape[1]))
    for part in np.split(counts[: n_segments * size], n_segments):  # one after the other: memory is that of a segment
        total += np.abs(np.fft.rfft(part - part.mean(axis=0), axis=0)[1:]) ** 2
    frequencies = np.arange(1, size // 2 + 1) / (1e-3 * length)
    return frequencies, total / (n_segments * 1e-3 * length)


@named_arguments
def cross_correlogram(
    spikes: SpikeTrains,
    a: Nodes | ArrayLike,
    b: Nodes | ArrayLike,
    width: float | None = None,
    max_lag: float | None = None,
    normalized: bool = False,
) -> tuple[Floats, Floats]:
    """Lags (ms) and pairs of spikes of nodes of `a` and of `b`, that of b the lag later; both float64 of shape (2 max_lag / width + 1,).

        C(l) = sum_k n_a(k) n_b(k + l) - [l = 0] (spikes of nodes that are in a and in b),    lag = l * width

    n(k): spikes of all nodes of a set in bin k of `width` ms (default about 1; `max_lag`: about 50). No spike is paired with itself, so that with
    a = b this is the auto-correlogram. With `normalized` it is divided by what independent stationary trains have, N_a N_b (K - |l|) / K^2 of K
    bins: 1 where there is no correlation, NaN where nothing is expected. Raises BadParameter for a lag that is not a multiple of the width, and as `bin_counts`.
    """
    size = or_near(spikes, width, 1.0)
    check_width(spikes, size)
    longest = size * round(50.0 / size) if max_lag is None else to_time("max_lag", max_lag)
    n_lags = round(longest / size) if np.isfinite(longest) else -1
    if n_lags < 0 or abs(n_lags * size - longest) > 1e-9 * max(longest, size):
        raise bad_parameter("max_lag", max_lag, f"a multiple of the width ({size:g} ms)")
    parts = spikes.select(a), spikes.select(b)
    trains = []
    for part in parts:
        n_bins, bins, inside = binned(part, size)
        trains.append(np.bincount(bins[inside], minlength=n_bins).astype(np.float64))  # sums stay exact below 2^53
    first, second = trains
    n = len(first)
    pairs = np.zeros(2 * n_lags + 1)
    for lag in range(-min(n_lags, n - 1), min(n_lags, n - 1) + 1):
        pairs[lag + n_lags] = first[max(0, -lag) : n - max(0, lag)] @ second[max(0, lag) : n - max(0, -lag)]
    both = np.intersect1d(parts[0].watched, parts[1].watched)
    if len(both):
        n_bins, bins, inside = binned(spikes.select(both), size)
        pairs[n_lags] -= inside.sum()
    lags = np.arange(-n_lags, n_lags + 1)
    if normalized:
        expected = first.sum() * second.sum() * np.maximum(n - np.abs(lags), 0) / max(n, 1) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            pairs = np.where(expected > 0.0, pairs / expected, np.nan)
    return size * lags.astype(np.float64), pairs
