# SPDX-License-Identifier: Apache-2.0
"""Distributions over neurons by which two simulators of one network are compared: rate, CV of ISI, correlation of spike counts."""

from __future__ import annotations

import numpy as np

BIN_MS = 5.0
SAMPLE = 200  # neurons of a population among which correlations are taken: the first that fire


def rates(times: np.ndarray, index: np.ndarray, n: int, duration: float) -> np.ndarray:
    """Rate of each of n neurons [spikes/s]; index: neuron of each spike, 0..n-1; duration [ms]."""
    return np.bincount(index, minlength=n) / (duration * 1e-3)


def cvs(times: np.ndarray, index: np.ndarray, min_intervals: int = 3) -> np.ndarray:
    """CV of the intervals of each neuron with at least min_intervals of them."""
    order = np.lexsort((times, index))
    t, i = np.asarray(times, float)[order], np.asarray(index)[order]
    own = np.diff(i) == 0  # intervals between spikes of one neuron
    intervals, neurons = np.diff(t)[own], i[1:][own]
    number = np.bincount(neurons)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(neurons, intervals) / number
        deviation = np.sqrt(np.bincount(neurons, (intervals - mean[neurons]) ** 2) / number)
        return (deviation / mean)[number >= min_intervals]


def correlations(times: np.ndarray, index: np.ndarray, n: int, begin: float, duration: float) -> np.ndarray:
    """Pearson correlation of spike counts in bins of BIN_MS, for all pairs among the first SAMPLE neurons that fire."""
    chosen = np.flatnonzero(np.bincount(index, minlength=n))[:SAMPLE]
    if len(chosen) < 3:
        return np.zeros(0)
    row = np.full(n, -1)
    row[chosen] = np.arange(len(chosen))
    bins = int(duration / BIN_MS)
    column = ((times - begin - 1e-6) / BIN_MS).astype(int)
    use = (row[index] >= 0) & (column >= 0) & (column < bins)
    counts = np.zeros((len(chosen), bins))
    np.add.at(counts, (row[index[use]], column[use]), 1.0)
    matrix = np.corrcoef(counts[counts.std(axis=1) > 0.0])
    return matrix[np.triu_indices(len(matrix), 1)]


def distributions(times: np.ndarray, index: np.ndarray, n: int, begin: float, duration: float) -> dict[str, np.ndarray]:
    """times in (begin, begin + duration] [ms]."""
    return {
        "rate": rates(times, index, n, duration),
        "cv": cvs(times, index),
        "correlation": correlations(times, index, n, begin, duration),
    }


def quantiles(sample: np.ndarray, count: int = 512) -> np.ndarray:
    """A sample of fixed size with the same distribution: what is stored. Values are rounded to float32, so that ties stay ties."""
    found = np.quantile(sample, (np.arange(count) + 0.5) / count) if len(sample) else np.zeros(0)
    return found.astype(np.float32)


def ks_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Kolmogorov-Smirnov distance of two samples, after each is reduced to quantiles (so stored and fresh ones are treated alike)."""
    return ks_of_quantiles(quantiles(a), quantiles(b))


def ks_of_quantiles(a: np.ndarray, b: np.ndarray) -> float:
    """The same of samples that are reduced already."""
    if not len(a) or not len(b):
        return float(len(a) != len(b))
    a, b = np.sort(a), np.sort(b)
    x = np.union1d(a, b)
    return float(np.abs(np.searchsorted(a, x, "right") - np.searchsorted(b, x, "right")).max() / len(a))
