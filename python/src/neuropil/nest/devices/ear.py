# SPDX-License-Identifier: Apache-2.0
"""What a recorder gets from stimulators: the kernel makes it again when it is asked for, since it is a function of stimulator, step and recorder."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import translating
from ..kernel import session

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Ear:
    """One connection of a stimulator with a recorder; `repeat`: how many there are already, which are independent."""

    def __init__(self, device: int, recorder: int, repeat: int, rate: bool = False) -> None:
        self.device = device
        with translating():
            self._listener: int = session().network._kernel.listen(device, recorder, repeat, rate)
        self._steps, self._values, self._offsets = np.empty(0, np.int64), np.empty(0), np.empty(0)

    def train(self) -> tuple[Ints, Ints, Floats]:
        """Stamps in steps, senders and offsets (ms; none when all are 0) of the spikes since the last call."""
        steps, numbers = self.heard(2**62)
        found, offsets = np.repeat(steps, numbers.astype(np.int64)), self._offsets
        self._offsets = np.empty(0)
        return found, np.full(len(found), self.device, np.int64), offsets

    def heard(self, until: int) -> tuple[Ints, Floats]:
        """Stamps in steps and values (numbers of spikes, pA or spikes/s) since the last call, up to a stamp."""
        first, values, offsets = session().network._kernel.heard(self._listener)
        self._offsets = np.concatenate([self._offsets, offsets])
        self._steps = np.concatenate([self._steps, np.arange(first, first + len(values), dtype=np.int64)])
        self._values = np.concatenate([self._values, values])
        n = int(np.searchsorted(self._steps, until, side="right"))
        found = self._steps[:n], self._values[:n]
        self._steps, self._values = self._steps[n:], self._values[n:]
        return found
