# SPDX-License-Identifier: Apache-2.0
"""spike_recorder and spin_detector: the spikes of the nodes connected to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine import OFFSETS, Columns, Ints, Ranges, offsets, without_repeats
from ..errors import translating
from ..kernel import session
from .recorder import Recorder, times

_NAMES = ("steps", "senders")


def in_order(found: Columns) -> Columns:
    """Spikes in the order of time, then of senders."""
    order = np.lexsort((found["senders"], -offsets(found), found["steps"]))
    return {name: column[order] for name, column in found.items()}


class SpikeRecorder(Recorder):
    """Records in the kernel from the next Prepare on; several connections from one node count each."""

    waiting: Sequence[Ints] = ()  # gids connected since the last Prepare
    parts: tuple[int, ...] = ()  # recorders of the kernel
    new_stimulators: tuple[Ints, ...] = ()  # stimulators connected since the last Prepare

    def names(self) -> list[str]:
        """No quantities beside times and senders."""
        return []

    def connect(self, sources: Ints) -> None:
        """Connects nodes to this recorder."""
        if not isinstance(self.waiting, list):
            self.waiting = []
        self.waiting.append(np.asarray(sources, np.int64))

    def connect_stimulators(self, stimulators: Ints) -> None:
        """Connects stimulators, which send this recorder a train of its own."""
        self.new_stimulators = (*self.new_stimulators, np.asarray(stimulators, np.int64))

    def share(self) -> None:
        """Lets the nodes that were connected since the last Prepare be recorded together with those of other recorders."""
        if self.waiting:
            sources = np.concatenate(self.waiting)
            session().shared_spikes.connect(sources, np.full(len(sources), self.gid))
            self.waiting, self.shares = (), True

    def register(self) -> None:
        """Tells the kernel to record the spikes of the nodes that were connected since."""
        self._record(self.waiting, -1)
        self._record(self.new_stimulators, self.gid)
        self.waiting, self.new_stimulators = (), ()
        self.registered = bool(self.parts)

    def _record(self, connected: Sequence[Ints], target: int) -> None:
        """Tells the kernel to record nodes. target : this one of stimulators, each of which sends it a train of its own; -1 of others."""
        gids = np.concatenate([np.empty(0, np.int64), *connected])
        for layer in without_repeats(gids):
            with translating():
                part = session().engine.kernel.record_spikes(Ranges.of(gids[layer]).ascending(), 0, 2**62, target)
            self.parts = (*self.parts, part)

    def fetch(self) -> Columns:
        """Takes the spikes that are new out of the kernel."""
        kernel = session().engine.kernel
        found = [kernel.spikes(part) for part in self.parts]
        for part in self.parts:
            kernel.clear_spikes(part)
        columns: Columns = {name: np.concatenate([np.asarray(part[k], np.int64) for part in found]) for k, name in enumerate(_NAMES)}
        if any(len(part[2]) for part in found):
            columns[OFFSETS] = np.concatenate([part[2] if len(part[2]) else np.zeros(len(part[0])) for part in found])
        columns = self.inside(columns)
        return in_order(columns) if len(found) > 1 else columns

    def inside(self, columns: Columns) -> Columns:
        """The events in the window."""
        begin, end = self.window()
        inside = (columns["steps"] > begin) & (columns["steps"] <= end)
        return columns if inside.all() else {name: column[inside] for name, column in columns.items()}

    def shared(self) -> Columns:
        """The spikes that are new, from the recordings that this one shares."""
        return self.inside(session().shared_spikes.of(session().engine.kernel, self.gid, self.since))

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
        """Says that shared spikes are needed no more up to the step `since`."""
        session().shared_spikes.release(self.gid, self.since)

    def in_order(self, found: Columns) -> Columns:
        """In the order of time where this recorder has spikes from recordings of its own and from shared ones."""
        return in_order(found) if self.shares and self.registered else found


class SpinDetector(SpikeRecorder):
    """Two spikes of a node in one step: it went to state 1; one: to state 0."""

    def names(self) -> list[str]:
        """The state that a neuron has gone to."""
        return ["state"]

    def is_plain(self) -> bool:
        """Its events are changes of state, not spikes."""
        return False

    def fetch(self) -> Columns:
        """Takes the spikes that are new out of the kernel."""
        return _as_states(super().fetch())

    def shared(self) -> Columns:
        """The spikes that are new, from the recordings that this one shares."""
        return _as_states(super().shared())


def _as_states(found: Columns) -> Columns:
    """Changes of state: two spikes of one neuron in one step mean state 1, one means state 0."""
    order = np.lexsort((found["senders"], found["steps"]))
    pairs = np.stack([found["steps"][order], found["senders"][order]], axis=1)
    unique, number = np.unique(pairs, axis=0, return_counts=True)
    return {"steps": unique[:, 0], "senders": unique[:, 1], "state": (number > 1).astype(np.int64)}
