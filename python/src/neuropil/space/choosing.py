# SPDX-License-Identifier: Apache-2.0
"""Choosing a fixed number of candidates for every driver, with keyed random numbers: arrays of candidates, one driver after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Uniform = Callable[[int, Ints], Floats]
"""Random numbers in (0, 1) for keys, of one of several independent kinds."""


class Candidates(NamedTuple):
    """Candidates of drivers, one driver after the other: driver d has those from begin[d] to begin[d + 1].

    begin : int64 (n_drivers + 1,); weight : float64 (n,), None where all are equal; key : int64 (n,), of each candidate
    """

    begin: Ints
    weight: Floats | None
    key: Ints


def with_repeats(candidates: Candidates, degrees: Ints, driver_keys: Ints, uniform: Uniform) -> tuple[Ints, Ints]:
    """Independent choices in proportion to the weights; degrees int64 (n_drivers,) of each driver.

    Returns the numbers of the drivers and of the candidates they chose, int64 (sum(degrees),), and leaves out drivers without candidates:
    see `short`.
    """
    begin = candidates.begin
    total = _totals(candidates)
    degrees = np.where(total > 0.0, degrees, 0)
    driver = np.repeat(np.arange(len(degrees)), degrees)
    within = np.arange(len(driver)) - np.repeat(np.cumsum(degrees) - degrees, degrees)
    keys = (driver_keys[driver] << 32) + within
    u = uniform(0, keys) + (uniform(1, keys) - 0.5) * 2.0**-32  # two words: more candidates than one can tell apart
    if candidates.weight is None:
        count = np.diff(begin)[driver]
        return driver, begin[driver] + np.clip((u * count).astype(np.int64), 0, count - 1)
    upto = np.cumsum(candidates.weight)
    before = np.concatenate([[0.0], upto])[begin[:-1]]
    found = np.searchsorted(upto, before[driver] + u * total[driver], side="right")
    return driver, _heavy(candidates, np.clip(found, begin[driver], begin[driver + 1] - 1), begin[driver])


def _heavy(candidates: Candidates, found: Ints, first: Ints) -> Ints:
    """Where a sum was rounded onto a candidate of weight 0: the one before it that has some."""
    assert candidates.weight is not None
    while len(wrong := np.flatnonzero((candidates.weight[found] <= 0.0) & (found > first))):
        found[wrong] -= 1
    return found


def without_repeats(candidates: Candidates, degrees: Ints, uniform: Uniform) -> tuple[Ints, Ints]:
    """As `with_repeats`, every candidate once at most: choices one after the other, in proportion to the weights of those that are left.

    An exponential race: candidate i arrives after -log(u) / weight, the first ones win.
    """
    begin, n = candidates.begin, np.diff(candidates.begin)
    arrival = -np.log(uniform(0, candidates.key))
    if candidates.weight is not None:
        with np.errstate(divide="ignore"):
            arrival /= candidates.weight
    order = np.lexsort((arrival, np.repeat(np.arange(len(n)), n)))
    who = np.repeat(np.arange(len(n)), np.minimum(degrees, n))
    place = np.arange(len(who)) - np.repeat(np.cumsum(np.minimum(degrees, n)) - np.minimum(degrees, n), np.minimum(degrees, n))
    chosen = order[begin[who] + place]
    kept = np.isfinite(arrival[chosen])
    return who[kept], chosen[kept]


def short(candidates: Candidates, degrees: Ints, repeats: bool) -> Ints:
    """Drivers that have too few candidates for their degree."""
    some = np.diff(candidates.begin) if candidates.weight is None else _positive(candidates)
    return np.flatnonzero((degrees > 0) & (some < 1) if repeats else some < degrees)


def _positive(candidates: Candidates) -> Ints:
    assert candidates.weight is not None
    upto = np.concatenate([[0], np.cumsum(candidates.weight > 0.0)])
    return np.diff(upto[candidates.begin])


def _totals(candidates: Candidates) -> Floats:
    if candidates.weight is None:
        return np.diff(candidates.begin).astype(np.float64)
    upto = np.concatenate([[0.0], np.cumsum(candidates.weight)])
    return np.diff(upto[candidates.begin])
