# SPDX-License-Identifier: Apache-2.0
"""correlospinmatrix_detector: how long any two of several neurons with two states are in state 1 together, by lag."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernel import session
from .correlation_detector import Train
from .correlation_matrix import CorrelationMatrix

Ints = NDArray[np.int64]


class SpinCorrelations(CorrelationMatrix):
    """Entry (i, j, k): steps t in which i is in state 1 at t and j at t - tau, tau = k delta_tau - tau_max. Times in state 1 count once they have ended, and
    something came after that (as in NEST, where Tstart and Tstop have no effect)."""

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
        lags = np.arange(-most, most + 1, width)
        trains = self.gathered()
        last = max((int(train[0][-1]) for train in trains if len(train[0])), default=0)
        stays = [_stays(train, last) for train in trains]
        found = np.zeros((len(stays), len(stays), len(lags)), np.int64)
        for i, first in enumerate(stays):
            for j, second in enumerate(stays):
                for begin, end in first.tolist():
                    near = second[(second[:, 1] > begin - most) & (second[:, 0] < end + most)]
                    together = np.minimum(end, near[:, 1:] + lags) - np.maximum(begin, near[:, :1] + lags)
                    found[i, j] += np.maximum(together, 0).sum(axis=0)
        return found


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
