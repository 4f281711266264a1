# SPDX-License-Identifier: Apache-2.0
"""spike_recorder and spin_detector: the spikes of the nodes connected to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine import Columns, Floats, Ints
from ..kernel import session
from .recorder import Recorder, times


class SpikeRecorder(Recorder):
    """Records in the kernel from the next Prepare on; several connections from one node count each."""

    @classmethod
    def connect(cls, recorders: Sequence[Any], others: Ints, pairs: bool, weights: Floats, receptor: int, trains: bool) -> None:
        """Connects recorders to nodes."""
        shared, gids = session().shared_spikes, [one.gid for one in recorders]
        if trains:
            shared.trains += [(gid, others[k : k + 1] if pairs else others) for k, gid in enumerate(gids)]
        elif pairs:
            shared.connect(others, np.array(gids, np.int64))
        else:
            shared.waiting += [(others, np.full(len(others), gid)) for gid in gids]
        for one in recorders:
            one.connected = True
            one.listen()

    def new(self) -> Columns:
        """Spikes after the step `since`."""
        return session().shared_spikes.of(session().engine.kernel, self.gid, self.since)

    def count_unread(self) -> int:
        """Number of spikes after the step `since`; none is copied."""
        return session().shared_spikes.count(session().engine.kernel, self.gid, self.since)

    def of_all(self, gids: Ints, key: str) -> list[Any] | None:
        """Spikes of recorders that share recordings, or their numbers."""
        s = session()
        if key == "n_events":
            return list(s.shared_spikes.counts(s.engine.kernel, gids, self.since).tolist())
        found, low, high = s.shared_spikes.of_each(s.engine.kernel, gids, self.since)
        senders, ms = found["senders"].copy(), times(found)
        return [
            {"senders": senders[a:b], "times": ms[a:b]} if b > a else {"senders": np.empty(0), "times": np.empty(0)}
            for a, b in zip(low.tolist(), high.tolist(), strict=True)
        ]

    def release(self) -> None:
        """Says that spikes up to the step `since` are needed no more."""
        session().shared_spikes.release(session().engine.kernel, self.gid, self.since)


class SpinDetector(SpikeRecorder):
    """Two spikes of a node in one step: it went to state 1; one: to state 0."""

    def names(self) -> list[str]:
        """The state that a neuron has gone to."""
        return ["state"]

    def shows_all(self) -> bool:
        """False: its events are changes of state, not spikes."""
        return False

    def new(self) -> Columns:
        """Changes of state after the step `since`."""
        found = super().new()
        pairs, number = np.unique(np.stack([found["steps"], found["senders"]], axis=1), axis=0, return_counts=True)
        return {"steps": pairs[:, 0], "senders": pairs[:, 1], "state": (number > 1).astype(np.int64)}
