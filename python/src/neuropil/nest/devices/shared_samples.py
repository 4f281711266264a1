# SPDX-License-Identifier: Apache-2.0
"""Recordings of the kernel that many multimeters have together: one for each would cost the kernel a call per sample and multimeter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine import Ints
from ..errors import translating
from ..kernel import session
from .back_ends import Columns

if TYPE_CHECKING:
    from .meter import Meter

Settings = tuple[tuple[str, ...], int, int]  # what is recorded, interval and offset in steps


@dataclass(slots=True)
class Part:
    """A recording of the kernel.

    nodes : its nodes; meters, columns : a multimeter and the position of a node of it, in order of multimeters; n_meters : distinct ones
    found : steps of shape (n,) and values of shape (n, n_nodes, n_names), the newest last; since : no samples up to this step
    released : step up to which a multimeter needs its samples no more
    """

    recorder: int
    nodes: Ints
    meters: Ints
    columns: Ints
    n_meters: int
    since: int
    found: list[tuple[Ints, NDArray[np.float64]]] = field(default_factory=list)
    released: dict[int, int] = field(default_factory=dict)

    def of(self, meter: int) -> Ints:
        """Positions of the nodes of a multimeter."""
        low, high = self.meters.searchsorted((meter, meter + 1)).tolist()
        return self.columns[low:high]

    def take(self, kernel: Any) -> None:
        """Takes new samples out of the kernel."""
        steps, values = kernel.samples(self.recorder)
        kernel.clear_samples(self.recorder)
        if len(steps):
            self.found.append((np.asarray(steps, np.int64), np.asarray(values, np.float64)))
        while len(self.found) > 1 and len(self.found[-2][0]) < 2 * len(self.found[-1][0]):
            self._join(-2)

    def _join(self, first: int) -> None:
        """Makes one of all from the first on."""
        several = self.found[first:]
        if len(several) > 1:
            self.found[first:] = [(np.concatenate([s for s, _ in several]), np.concatenate([v for _, v in several]))]

    def release(self, meter: int, step: int) -> None:
        """Forgets samples up to a step, once no multimeter needs them."""
        if not len(self.of(meter)):
            return
        self.released[meter] = step
        if len(self.released) == self.n_meters:
            last = min(self.released.values())
            kept = [(steps[some], values[some]) for steps, values in self.found if (some := steps > last).any()]
            self.found, self.released = kept, {}

    def all(self) -> tuple[Ints, NDArray[np.float64]]:
        """All samples so far."""
        self._join(0)
        return self.found[0]


class SharedSamples:
    """Samples of all multimeters that share recordings.

    waiting : multimeters and targets of connections since the last Prepare, by settings
    """

    def __init__(self) -> None:
        self.waiting: dict[Settings, list[tuple[Ints, Ints]]] = {}
        self.parts: list[Part] = []
        self.taken_at = -1  # step

    def connect(self, settings: Settings, meters: Ints, targets: Ints) -> None:
        """Connects the i-th multimeter to the i-th target, both ids of nodes."""
        if settings[0]:
            self.waiting.setdefault(settings, []).append((meters, targets))

    def register(self) -> None:
        """Tells the kernel to record what was connected since."""
        for (names, every, offset), pairs in self.waiting.items():
            meters, targets = (np.concatenate(ids) for ids in zip(*pairs, strict=True))
            for recorder, nodes in _recordings(targets, list(names), every, offset):
                here = np.isin(targets, nodes)
                order = np.lexsort((targets[here], meters[here]))
                since = session().engine.kernel.step + 1 if offset else 0  # with an offset, NEST takes no sample in the first step
                own, columns = meters[here][order], nodes.searchsorted(targets[here][order])
                self.parts.append(Part(recorder, nodes, own, columns, len(np.unique(own)), since))
        self.waiting = {}

    def take(self) -> None:
        """Takes new samples out of the kernel."""
        if not self.parts:
            return
        kernel = session().engine.kernel
        if kernel.step != self.taken_at:
            self.taken_at = kernel.step
            for part in self.parts:
                part.take(kernel)

    def release(self, meter: int, step: int) -> None:
        """Forgets the samples of a multimeter up to a step, some time."""
        for part in self.parts:
            part.release(meter, step)

    def has_any(self, meters: Ints, targets: Ints) -> bool:
        """Whether any of these multimeters is connected to its target."""
        known = [pair for pairs in self.waiting.values() for pair in pairs]
        known += [(part.meters, part.nodes[part.columns]) for part in self.parts]
        return any(np.isin(_pairs(meters, targets), _pairs(*pair)).any() for pair in known)

    def targets(self, meter: int) -> Ints:
        """Nodes that a multimeter is connected to."""
        waiting = [targets[meters == meter] for pairs in self.waiting.values() for meters, targets in pairs]
        return np.concatenate([np.empty(0, np.int64), *waiting, *(part.nodes[part.of(meter)] for part in self.parts)])


def _pairs(meters: Ints, targets: Ints) -> Ints:
    """A number for each pair of ids, both below 2**32."""
    return meters << 32 | targets


def _recordings(targets: Ints, names: list[str], every: int, offset: int) -> list[tuple[int, Ints]]:
    """Recorders of the kernel, one for each model, and their nodes."""
    from .meter import by_model, kernel_names

    found = []
    for model, nodes in by_model(targets):
        with translating():
            found.append((session().engine.kernel.record_state(nodes, kernel_names(model, names), every, offset), nodes))
    return found


def shared() -> SharedSamples:
    """Those of the session."""
    s = session()
    if s.shared_samples is None:
        s.shared_samples = SharedSamples()
    found: SharedSamples = s.shared_samples
    return found


def samples_of(meter: int, names: list[str], begin: int, end: int) -> list[Columns]:
    """Samples of a multimeter with stamps in (begin, end]."""
    pool, found = shared(), []
    pool.take()
    for part in pool.parts:
        if not len(columns := part.of(meter)):
            continue
        for steps, values in part.found:
            some = (steps > max(begin, part.since)) & (steps <= end)
            found.append(flat(steps[some], part.nodes[columns], values[some][:, columns], names))
    return found


def flat(steps: Ints, gids: Ints, values: NDArray[np.float64], names: list[str]) -> Columns:
    """Samples of shape (n_samples, n_nodes, n_names) as events."""
    found: Columns = {"steps": np.repeat(steps.astype(np.int64), len(gids)), "senders": np.tile(gids, len(steps))}
    for k, name in enumerate(names):
        found[name] = values[:, :, k].ravel()
    return found


def read(meters: Sequence[Meter], key: str, last: int) -> list[Any] | None:
    """Numbers of events, or events, up to a step of multimeters with one node each that show them as they are. None where some have more nodes."""
    from .back_ends import times

    pool, gids = shared(), np.array([meter.gid for meter in meters], np.int64)
    pool.take()
    parts = [part for part in pool.parts if part.found and np.isin(gids, part.meters).any()]
    if len(parts) != 1 or len(np.unique(parts[0].meters)) < len(parts[0].meters) or not np.isin(gids, parts[0].meters).all():
        return None
    steps, values = parts[0].all()
    some = (steps > max(parts[0].since, meters[0].since)) & (steps <= last)
    n, columns = int(some.sum()), parts[0].columns[parts[0].meters.searchsorted(gids)]
    if key == "n_events":
        return [n] * len(gids)
    if not n:
        return None
    table = np.ascontiguousarray(values[some][:, columns].transpose(1, 2, 0))
    ms = np.tile(times({"steps": steps[some]}), (len(gids), 1))
    senders = np.repeat(parts[0].nodes[columns], n).reshape(len(gids), n)
    names = meters[0].names()
    order = sorted([*names, "senders", "times"])
    return [
        {name: {"senders": who, "times": when}.get(name, of_names.get(name)) for name in order}
        for who, when, of_names in zip(senders, ms, (dict(zip(names, row, strict=True)) for row in table), strict=True)
    ]


__all__ = ["Part", "SharedSamples", "flat", "read", "samples_of", "shared"]
