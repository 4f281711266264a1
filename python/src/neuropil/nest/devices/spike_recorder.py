# SPDX-License-Identifier: Apache-2.0
"""spike_recorder: the spikes of the nodes connected to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...engine import Ranges
from ..errors import translating
from ..kernel import session
from ..models.node_models import NodeModel
from .columns import OFFSETS, Columns, in_order
from .recorder import Recorder
from .spike_tap import SpikeTap
from .windowed import without_repeats

Ints = NDArray[np.int64]
_NAMES = ("steps", "senders")


class SpikeRecorder(Recorder):
    """Records in the kernel from the next Prepare on; several connections from one node count each."""

    def __init__(self, model: NodeModel, gid: int) -> None:
        super().__init__(model, gid)
        self.waiting: list[Ints] = []  # gids connected since the last Prepare
        self.parts: list[int] = []  # recorders of the kernel
        self.new_stimulators: list[int] = []  # stimulators connected since the last Prepare
        self.taps: list[SpikeTap] = []

    def names(self) -> list[str]:
        """No quantities beside times and senders."""
        return []

    def connect(self, sources: Ints) -> None:
        """Connects nodes to this recorder."""
        self.waiting.append(np.asarray(sources, np.int64))

    def tap(self, stimulators: Ints) -> None:
        """Connects stimulators, which send this recorder a train of its own."""
        self.new_stimulators += stimulators.tolist()

    def register(self) -> None:
        """Tells the kernel to record the spikes of the nodes that were connected since."""
        for gids in self.waiting:
            for layer in without_repeats(gids):
                with translating():
                    self.parts.append(session().engine.kernel.record_spikes(Ranges.of(gids[layer]).ascending(), 0, 2**62))
        for gid in self.new_stimulators:
            self.taps.append(SpikeTap(gid, self.gid, sum(tap.device == gid for tap in self.taps)))
        self.waiting, self.new_stimulators = [], []
        self.registered = bool(self.parts or self.taps)

    def fetch(self) -> Columns:
        """Takes the spikes that are new out of the kernel."""
        kernel = session().engine.kernel
        found = [kernel.spikes(part) for part in self.parts] + [tap.train() for tap in self.taps]
        for part in self.parts:
            kernel.clear_spikes(part)
        columns: Columns = {name: np.concatenate([np.asarray(part[k], np.int64) for part in found]) for k, name in enumerate(_NAMES)}
        if any(len(part[2]) for part in found):
            columns[OFFSETS] = np.concatenate([part[2] if len(part[2]) else np.zeros(len(part[0])) for part in found])
        begin, end = self.window()
        inside = (columns["steps"] > begin) & (columns["steps"] <= end)
        if not inside.all():
            columns = {name: column[inside] for name, column in columns.items()}
        return in_order(columns) if len(found) > 1 else columns
