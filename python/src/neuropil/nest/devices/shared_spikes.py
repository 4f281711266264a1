# SPDX-License-Identifier: Apache-2.0
"""One recording of the kernel for many spike recorders: one for each would cost a byte per node and recorder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import Ints, Ranges
from ..errors import translating
from ..kernel import session
from .back_ends import OFFSETS, Columns, joined, offsets, times

if TYPE_CHECKING:
    from .recorder import Recorder


class SharedSpikes:
    """Spikes of all recorders that share recordings.

    waiting : sources and recorders of connections since the last Prepare
    parts : recorder of the kernel, its sources, where the recorders of each source begin, ids of recorders
    found : spikes in order of recorders, then of time, with a column of recorders; the newest last
    released : step up to which a recorder needs its spikes no more; releases : how often that was said since they were dropped
    """

    def __init__(self) -> None:
        self.waiting: list[tuple[Ints, Ints]] = []
        self.parts: list[tuple[int, Ints, Ints, Ints]] = []
        self.found: list[Columns] = []
        self.taken_at = -1  # step
        self.released: dict[int, int] = {}
        self.releases = 0

    def connect(self, sources: Ints, recorders: Ints) -> None:
        """Connects the i-th source to the i-th recorder, both ids of nodes; pairs may be repeated."""
        self.waiting.append((sources, recorders))

    def register(self) -> None:
        """Tells the kernel to record what was connected since."""
        if not self.waiting:
            return
        sources, recorders = (np.concatenate(ids) for ids in zip(*self.waiting, strict=True))
        order = np.argsort(sources, kind="stable")
        unique, first = np.unique(sources[order], return_index=True)
        with translating():
            part = session().engine.kernel.record_spikes(Ranges.of(unique).ascending(), 0, 2**62)
        self.parts.append((part, unique, np.append(first, len(order)), recorders[order]))
        self.waiting = []

    def take(self) -> None:
        """Takes new spikes out of the kernel."""
        kernel = session().engine.kernel
        if not self.parts or kernel.step == self.taken_at:
            return
        self.taken_at = kernel.step
        new = joined([_dealt(kernel, *part) for part in self.parts])
        if not len(new["steps"]):
            return
        several = (new["senders"], -offsets(new), new["steps"]) if len(self.parts) > 1 else ()
        order = np.lexsort((*several, new["recorders"]))
        self.found.append({name: column[order] for name, column in new.items()})
        while len(self.found) > 1 and len(self.found[-2]["steps"]) < 2 * len(self.found[-1]["steps"]):
            both = joined(self.found[-2:])
            order = np.argsort(both["recorders"], kind="stable")
            self.found[-2:] = [{name: column[order] for name, column in both.items()}]

    def release(self, recorder: int, step: int) -> None:
        """Forgets the spikes of a recorder up to a step, some time: all recorders that are emptied cost one pass over the spikes."""
        self.released[recorder] = step
        self.releases += 1
        if self.releases >= sum(len(recorders) for _, _, _, recorders in self.parts):
            self.found = [kept for found in self.found if len((kept := self._without_released(found))["steps"])]
            self.released, self.releases = {}, 0

    def _without_released(self, found: Columns) -> Columns:
        gids, until = (np.fromiter(values, np.int64, len(self.released)) for values in (self.released, self.released.values()))
        order = np.argsort(gids)
        at = np.minimum(gids[order].searchsorted(found["recorders"]), len(order) - 1)
        kept = (gids[order][at] != found["recorders"]) | (found["steps"] > until[order][at])
        return {name: column[kept] for name, column in found.items()}

    def of(self, recorder: int, since: int) -> Columns:
        """Spikes of a recorder after a step, in order of time."""
        self.take()
        parts = []
        for found in self.found:
            low, high = found["recorders"].searchsorted((recorder, recorder + 1)).tolist()
            parts.append({name: column[low:high] for name, column in found.items() if name != "recorders"})
        if not parts:
            return dict.fromkeys(("steps", "senders"), np.empty(0, np.int64))
        some = parts[0] if len(parts) == 1 else joined(parts)
        new = some["steps"] > since
        return some if new.all() else {name: column[new] for name, column in some.items()}


def _dealt(kernel: Any, part: int, sources: Ints, begin: Ints, recorders: Ints) -> Columns:
    """New spikes of a recording, once for each recorder of their source."""
    steps, senders, ms = kernel.spikes(part)
    kernel.clear_spikes(part)
    at = sources.searchsorted(senders)
    copies = (begin[1:] - begin[:-1])[at]
    spike = np.repeat(np.arange(len(at)), copies)
    nth = np.arange(len(spike)) - np.repeat(np.cumsum(copies) - copies, copies)
    found: Columns = {"steps": np.asarray(steps, np.int64)[spike], "senders": np.asarray(senders, np.int64)[spike]}
    if len(ms):
        found[OFFSETS] = np.asarray(ms)[spike]
    return found | {"recorders": recorders[begin[at[spike]] + nth]}


def shared() -> SharedSpikes:
    """Those of the session."""
    s = session()
    if s.shared_spikes is None:
        s.shared_spikes = SharedSpikes()
    found: SharedSpikes = s.shared_spikes
    return found


def read(recorders: Sequence[Recorder], key: str, since: int) -> list[Any]:
    """Numbers of events, or events, after a step, of recorders that have all theirs here and show them as they are."""
    pool, gids = shared(), np.array([recorder.gid for recorder in recorders], np.int64)
    pool.take()
    if len(pool.found) > 1:
        both = joined(pool.found)
        order = np.argsort(both["recorders"], kind="stable")
        pool.found = [{name: column[order] for name, column in both.items()}]
    found = pool.found[0] if pool.found else {}
    if found and since >= 0:
        new = found["steps"] > since
        found = {name: column[new] for name, column in found.items()}
    if not found or not len(found["steps"]):
        return [0] * len(gids) if key == "n_events" else [{"senders": np.empty(0), "times": np.empty(0)} for _ in recorders]
    low, high = (found["recorders"].searchsorted(gids, side) for side in ("left", "right"))
    if key == "n_events":
        return list((high - low).tolist())
    senders, ms = found["senders"].copy(), times(found)
    return [
        {"senders": senders[a:b], "times": ms[a:b]} if b > a else {"senders": np.empty(0), "times": np.empty(0)}
        for a, b in zip(low.tolist(), high.tolist(), strict=True)
    ]


__all__ = ["SharedSpikes", "read", "shared"]
