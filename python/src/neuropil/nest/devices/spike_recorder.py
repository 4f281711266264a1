# SPDX-License-Identifier: Apache-2.0
"""spike_recorder: the spikes of the nodes connected to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...ranges import Ranges
from ..errors import translating
from ..kernel import session
from ..models.node_models import NodeModel
from .recorder import Columns, Recorder
from .windowed import without_repeats

Ints = NDArray[np.int64]


class SpikeRecorder(Recorder):
    """Records in the kernel from the next Prepare on; several connections from one node count each."""

    def __init__(self, model: NodeModel, gid: int) -> None:
        super().__init__(model, gid)
        self.waiting: list[Ints] = []  # gids connected since the last Prepare
        self.parts: list[int] = []  # recorders of the kernel

    def names(self) -> list[str]:
        return []

    def connect(self, sources: Ints) -> None:
        """Connects nodes to this recorder."""
        self.waiting.append(np.asarray(sources, np.int64))

    def register(self) -> None:
        network = session().network
        for gids in self.waiting:
            for layer in without_repeats(gids):
                with translating():
                    self.parts.append(network._kernel.record_spikes(Ranges.of(gids[layer]).ascending(), 0, 2**62))
        self.waiting = []
        self.registered = bool(self.parts)

    def fetch(self) -> Columns:
        kernel = session().network._kernel
        pairs = [kernel.spikes(part) for part in self.parts]
        for part in self.parts:
            kernel.clear_spikes(part)
        steps = np.concatenate([np.asarray(pair[0], np.int64) for pair in pairs])
        senders = np.concatenate([np.asarray(pair[1], np.int64) for pair in pairs])
        begin, end = self.window()
        inside = (steps > begin) & (steps <= end)
        if not inside.all():
            steps, senders = steps[inside], senders[inside]
        if len(self.parts) > 1:
            order = np.lexsort((senders, steps))
            steps, senders = steps[order], senders[order]
        return {"steps": steps, "senders": senders}
