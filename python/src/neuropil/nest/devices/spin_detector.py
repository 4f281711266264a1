# SPDX-License-Identifier: Apache-2.0
"""spin_detector: states that neurons with two states went to."""

from __future__ import annotations

import numpy as np

from .columns import Columns
from .spike_recorder import SpikeRecorder


class SpinDetector(SpikeRecorder):
    """Two spikes of a node in one step: it went to state 1; one: to state 0."""

    def names(self) -> list[str]:
        """The state that a neuron has gone to."""
        return ["state"]

    def fetch(self) -> Columns:
        """Takes the spikes that are new out of the kernel; two of one neuron in one step mean state 1, one means state 0."""
        found = super().fetch()
        order = np.lexsort((found["senders"], found["steps"]))
        pairs = np.stack([found["steps"][order], found["senders"][order]], axis=1)
        unique, number = np.unique(pairs, axis=0, return_counts=True)
        return {"steps": unique[:, 0], "senders": unique[:, 1], "state": (number > 1).astype(np.int64)}
