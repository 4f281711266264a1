# SPDX-License-Identifier: Apache-2.0
"""Taps: what a stimulator, whose output is made at each target, makes for a recorder."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tap"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Tap:
    """Tap of a recorder on a stimulator: spikes, a current, or its rate.

    device, recorder : ids of nodes; repeat : number of earlier taps of the two, whose trains are independent
    """

    def __init__(self, kernel: Any, device: int, recorder: int, repeat: int, rate: bool = False) -> None:
        self.device = device
        self._tap: int = kernel.tap(device, recorder, repeat, rate)
        self._steps, self._values, self._offsets = np.empty(0, np.int64), np.empty(0), np.empty(0)

    def train(self, kernel: Any) -> tuple[Ints, Ints, Floats]:
        """Stamps in steps, senders and offsets (ms; none when all are 0) of the spikes since the last call."""
        steps, numbers = self.received(kernel, 2**62)
        found, offsets = np.repeat(steps, numbers.astype(np.int64)), self._offsets
        self._offsets = np.empty(0)
        return found, np.full(len(found), self.device, np.int64), offsets

    def received(self, kernel: Any, until: int) -> tuple[Ints, Floats]:
        """Stamps in steps and values (numbers of spikes, pA or spikes/s) since the last call, up to a stamp."""
        first, values, offsets = kernel.received(self._tap)
        self._offsets = np.concatenate([self._offsets, offsets])
        self._steps = np.concatenate([self._steps, np.arange(first, first + len(values), dtype=np.int64)])
        self._values = np.concatenate([self._values, values])
        n = int(np.searchsorted(self._steps, until, side="right"))
        found = self._steps[:n], self._values[:n]
        self._steps, self._values = self._steps[n:], self._values[n:]
        return found
