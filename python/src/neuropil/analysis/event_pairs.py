# SPDX-License-Identifier: Apache-2.0
"""Pairs of events of two sequences by their lag, one by one and not in bins; and times that two things lasted together.

Beside `cross_correlogram` for what has weights, or windows of its own: a sum over pairs is at most a `numpy.bincount` away.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.named import named_arguments
from ..base.quantities import plain
from ..errors import bad_parameter

__all__ = ["lagged_pairs", "pair_sums", "stays", "time_together"]

Ints = NDArray[np.int64]
_CHUNK = 1 << 20  # events whose partners are looked for together


@named_arguments
def lagged_pairs(first: ArrayLike, second: ArrayLike, before: float, after: float) -> Iterator[tuple[Ints, Ints]]:
    """Pairs (i, j) with -before <= second[j] - first[i] <= after, as positions, int64 of shape (n_pairs,), some at a time.

    `first`, `second`: times of events, ascending, in any unit (ms, steps), as are before and after; shapes (n,) and (m,). Memory is that of the pairs of
    a million events. Raises BadParameter for times that do not ascend, BadType for values with a unit.
    """
    for name, value in (("first", first), ("second", second), ("before", before), ("after", after)):
        plain(name, value, "")
    times = np.asarray(first), np.asarray(second)
    for name, given in zip(("first", "second"), times, strict=True):
        if given.ndim != 1 or (np.diff(given) < 0).any():
            raise bad_parameter(name, "an array", "of one dimension, ascending")
    for at in range(0, len(times[1]), _CHUNK):
        some = times[1][at : at + _CHUNK]
        begin = np.searchsorted(times[0], some - after, side="left")
        number = np.searchsorted(times[0], some + before, side="right") - begin
        mine = np.repeat(np.arange(len(some)), number)
        yield np.arange(len(mine)) - np.repeat(np.cumsum(number) - number, number) + begin[mine], mine + at


@named_arguments
def pair_sums(
    first: ArrayLike,
    second: ArrayLike,
    width: int,
    lowest: int,
    bins: int,
    *,
    weights: tuple[ArrayLike, ArrayLike] | None = None,
    later: tuple[float, float] = (-np.inf, np.inf),
) -> tuple[NDArray[np.float64], Ints]:
    """Sums of products of weights, and numbers of pairs, by the lag second[j] - first[i]; float64 and int64 of shape (bins,).

    `first`, `second`: times of events (steps), ascending. The middle of bin k is lowest + k width, its lower edge belongs to it; a pair counts when
    its later event is within `later`, both ends included. `weights`: of the events, default 1. Raises BadParameter and BadType as `lagged_pairs`.
    """
    for name, value in (("first", first), ("second", second), ("width", width), ("lowest", lowest), ("later", later)):
        plain(name, value, "")
    times = np.asarray(first, np.int64), np.asarray(second, np.int64)
    factors = [np.ones(len(t)) if weights is None else np.asarray(weights[k], np.float64) for k, t in enumerate(times)]
    sums, counts = np.zeros(bins), np.zeros(bins, np.int64)
    for i, j in lagged_pairs(*times, width - lowest, lowest + bins * width):
        at = (2 * (times[1][j] - times[0][i] - lowest) + width) // (2 * width)
        last = np.maximum(times[0][i], times[1][j])
        some = (at >= 0) & (at < bins) & (last >= later[0]) & (last <= later[1])
        np.add.at(sums, at[some], (factors[0][i] * factors[1][j])[some])
        counts += np.bincount(at[some], minlength=bins)
    return sums, counts


@named_arguments
def stays(steps: ArrayLike, last: int) -> Ints:
    """Begins and ends (steps) of the times in state 1 of a binary neuron that ended before the step `last`; int64 of shape (n, 2).

    `steps`: of its spikes, ascending: two in a step where it goes to state 1, one where it goes to state 0. It is taken to begin in state 1.
    """
    times, number = np.unique(np.asarray(steps, np.int64), return_counts=True)
    found: list[tuple[int, int]] = []
    begin: int | None = 0
    for step, spikes in zip(times.tolist(), number.tolist(), strict=True):
        if spikes > 1:
            begin = step
        elif begin is not None and step < last:
            found.append((begin, step))
        if spikes == 1:
            begin = None
    return np.array(found, np.int64).reshape(-1, 2)


@named_arguments
def time_together(first: ArrayLike, second: ArrayLike, max_lag: int) -> Ints:
    """Steps in which both of two things last, when the second is shifted by -max_lag, ..., max_lag steps; int64 of shape (2 max_lag + 1,).

        T(l) = sum_t a(t) b(t - l),    a(t), b(t): 1 while the first, the second lasts, else 0

    `first`, `second`: begins and ends (steps), whole numbers of shape (n, 2), ascending, none before the end of the one before: up states, binary
    neurons in state 1, bursts. The cost does not grow with the time that they last. Raises BadType for values with a unit.
    """
    for name, value in (("first", first), ("second", second), ("max_lag", max_lag)):
        plain(name, value, "")
    a, b = (np.asarray(times, np.int64).reshape(-1, 2) for times in (first, second))
    # T is a sum of trapezoids: its second difference is made of the differences between begins and ends, of which each pair is one.
    start = _shared(a, b, -max_lag)
    bends = np.zeros(2 * max_lag + 1)
    signs = [np.tile([1.0, -1.0], len(times)) for times in (b, a)]
    for i, j in lagged_pairs(b.ravel(), a.ravel(), max_lag, max_lag):
        bends -= np.bincount(a.ravel()[j] - b.ravel()[i] + max_lag, signs[0][i] * signs[1][j], 2 * max_lag + 1)
    bends[0] = _shared(a, b, 1 - max_lag) - start
    slopes = np.cumsum(bends.astype(np.int64))
    return np.asarray(start + np.cumsum(np.concatenate([[0], slopes[:-1]])), np.int64)


def _shared(first: Ints, second: Ints, lag: int) -> int:
    """Steps in which both last when the second is shifted."""
    if not len(second):
        return 0
    before = np.concatenate([[0], np.cumsum(second[:, 1] - second[:, 0])])
    at = first - lag
    k = np.searchsorted(second[:, 0], at, side="right") - 1
    spent = np.where(k < 0, 0, before[k] + np.minimum(at, second[k, 1]) - second[k, 0])  # of the second, up to then
    return int((spent[:, 1] - spent[:, 0]).sum())
