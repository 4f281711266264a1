# SPDX-License-Identifier: Apache-2.0
"""Taps on stimulators: what a recorder receives is a function of stimulator, step and recorder, so the kernel computes it when it is asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import translating
from ..kernel import session

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class SpikeTap:
    """Tap of a recorder on a stimulator: spikes, a current, or its rate. `repeat`: number of earlier taps of the two, whose trains are independent."""

    def __init__(self, device: int, recorder: int, repeat: int, rate: bool = False) -> None:
        self.device = device
        with translating():
            self._tap: int = session().engine.kernel.tap(device, recorder, repeat, rate)
        self._steps, self._values, self._offsets = np.empty(0, np.int64), np.empty(0), np.empty(0)

    def train(self) -> tuple[Ints, Ints, Floats]:
        """Stamps in steps, senders and offsets (ms; none when all are 0) of the spikes since the last call."""
        steps, numbers = self.received(2**62)
        found, offsets = np.repeat(steps, numbers.astype(np.int64)), self._offsets
        self._offsets = np.empty(0)
        return found, np.full(len(found), self.device, np.int64), offsets

    def received(self, until: int) -> tuple[Ints, Floats]:
        """Stamps in steps and values (numbers of spikes, pA or spikes/s) since the last call, up to a stamp."""
        first, values, offsets = session().engine.kernel.received(self._tap)
        self._offsets = np.concatenate([self._offsets, offsets])
        self._steps = np.concatenate([self._steps, np.arange(first, first + len(values), dtype=np.int64)])
        self._values = np.concatenate([self._values, values])
        n = int(np.searchsorted(self._steps, until, side="right"))
        found = self._steps[:n], self._values[:n]
        self._steps, self._values = self._steps[n:], self._values[n:]
        return found
