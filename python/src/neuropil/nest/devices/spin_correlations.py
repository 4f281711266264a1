# SPDX-License-Identifier: Apache-2.0
"""correlospinmatrix_detector: how long any two of several neurons with two states are in state 1 together, by lag."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernel import session
from .correlation_detector import Train, pairs
from .correlation_matrix import CorrelationMatrix

Ints = NDArray[np.int64]


class SpinCorrelations(CorrelationMatrix):
    """Entry (i, j, k): steps t in which i is in state 1 at t and j at t - tau, tau = k delta_tau - tau_max.

    Times in state 1 count once they have ended, and something came after that (as in NEST, where Tstart and Tstop have no effect).
    """

    odd_bins = False

    def key_names(self) -> list[str]:
        """Keys of the status."""
        return [*self.status, "count_covariance"]

    def get(self, key: str) -> Any:
        """Value of a key. Raises the built-in KeyError."""
        if key != "count_covariance":
            return self.status[key]
        n = self.status["N_channels"]
        return self.overlaps() if session().simulated else np.empty((n, n, 0))

    def overlaps(self) -> Ints:
        """Steps together, int64 of shape (N_channels, N_channels, 2 tau_max / delta_tau + 1)."""
        h = session().resolution
        width, most = round(self.status["delta_tau"] / h), round(self.status["tau_max"] / h)
        trains = self.gathered()
        last = max((int(train[0][-1]) for train in trains if len(train[0])), default=0)
        stays = [_stays(train, last) for train in trains]
        found = np.zeros((len(stays), len(stays), 2 * most // width + 1), np.int64)
        for i, first in enumerate(stays):
            for j, second in enumerate(stays[: i + 1]):
                found[i, j] = _together(first, second, most)[::width]
                found[j, i] = found[i, j, ::-1]
        return found


def _together(first: Ints, second: Ints, most: int) -> Ints:
    """Steps in which both are in state 1 when the second is shifted by -most .. most steps; int64 of shape (2 most + 1,).

    A sum of trapezoids: its second difference is made of the differences between begins and ends, of which each pair is one.
    """
    start = _shared(first, second, -most)
    bends = np.zeros(2 * most + 1)
    for lag, _, product in pairs(_edges(second), _edges(first), most, most):
        bends -= np.bincount(lag + most, product, 2 * most + 1)
    bends[0] = _shared(first, second, 1 - most) - start
    slopes = np.cumsum(bends.astype(np.int64))
    return start + np.cumsum(np.concatenate([[0], slopes[:-1]]))


def _edges(stays: Ints) -> Train:
    """Begins, of weight 1, and ends, of weight -1, in order of time."""
    return stays.ravel(), np.tile([1.0, -1.0], len(stays))


def _shared(first: Ints, second: Ints, lag: int) -> int:
    """Steps in which both are in state 1 when the second is shifted."""
    if not len(second):
        return 0
    before = np.concatenate([[0], np.cumsum(second[:, 1] - second[:, 0])])
    at = first - lag
    k = np.searchsorted(second[:, 0], at, side="right") - 1
    spent = np.where(k < 0, 0, before[k] + np.minimum(at, second[k, 1]) - second[k, 0])  # in state 1 up to then
    return int((spent[:, 1] - spent[:, 0]).sum())


def _stays(train: Train, last: int) -> Ints:
    """Begins and ends (steps) of the times in state 1 that ended before the last event of all channels; int64 of shape (n, 2)."""
    steps, number = np.unique(train[0], return_counts=True)
    found: list[tuple[int, int]] = []
    begin: int | None = 0
    for step, spikes in zip(steps.tolist(), number.tolist(), strict=True):
        if spikes > 1:
            begin = step
        elif begin is not None and step < last:
            found.append((begin, step))
        if spikes == 1:
            begin = None
    return np.array(found, np.int64).reshape(-1, 2)
