# SPDX-License-Identifier: Apache-2.0
"""Recordings of the kernel for the recorders of a front end: few recorders have one each, many share one.

A recording for each of many would cost the kernel a byte per node and recorder, or a call per sample and recorder. Recorders are known by numbers,
below 2^32, that a front end gives them; events are columns: steps, senders and what was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.groups import without_repeats
from ..base.ranges import Ranges

__all__ = ["OFFSETS", "Columns", "SharedPart", "SharedSamples", "SharedSpikes", "flat", "joined", "offsets"]

Ints = NDArray[np.int64]
Columns = dict[str, NDArray[Any]]  # steps and senders int64, then recorded values; all of shape (n_events,)
OFFSETS = "offsets"  # of spikes between grid points (ms), where there are any


def offsets(found: Columns) -> NDArray[np.float64]:
    """What spikes came before the ends of their steps (ms)."""
    return found[OFFSETS] if OFFSETS in found else np.zeros(len(found["steps"]))


def joined(parts: Sequence[Columns]) -> Columns:
    """Events of all parts, at least one; those without offsets have none."""
    names = max((part.keys() for part in parts), key=len)
    return {key: np.concatenate([part[key] if key in part else offsets(part) for part in parts]) for key in names}


def _some(found: Columns, index: Any) -> Columns:
    return {name: column[index] for name, column in found.items()}


def in_order(found: Columns) -> Columns:
    """Spikes in the order of time, then of senders."""
    return _some(found, np.lexsort((found["senders"], -offsets(found), found["steps"])))


class SharedSpikes:
    """Spikes of all recorders.

    waiting : sources and recorders that were connected and are not recorded yet; trains : recorders, and stimulators that send each of them a train
    of its own; own : recorders of the kernel by the recorder that they are for, and the spikes that were taken out of them
    parts : of shared recordings: recorder of the kernel, its sources, where the recorders of each source begin, numbers of recorders
    found : spikes in order of recorders, then of time, with a column of recorders; the newest last
    fresh : newer ones that nobody has read, each in order of time
    released : step up to which a recorder needs its spikes no more; releases : how often that was said since they were dropped
    """

    fresh: tuple[Columns, ...] = ()  # checkpoints of former versions have none

    def __init__(self) -> None:
        self.waiting: list[tuple[Ints, Ints]] = []
        self.trains: list[tuple[int, Ints]] = []
        self.own: dict[int, tuple[list[int], list[Columns]]] = {}
        self.parts: list[tuple[int, Ints, Ints, Ints]] = []
        self.found: list[Columns] = []
        self.taken_at = -1  # step
        self.released: dict[int, int] = {}
        self.releases = 0

    def connect(self, sources: Ints, recorders: Ints) -> None:
        """Connects the i-th source to the i-th recorder; pairs may be repeated."""
        self.waiting.append((sources, recorders))

    def register(self, kernel: Any, most: int = 0) -> list[int]:
        """Tells the kernel to record what was connected since; returns the recorders that got recordings of their own.

        most : that many recorders, connected since, get recordings of their own; more share one, but for some that have more sources than that
        """
        alone = [recorder for recorder, _ in self.trains]
        for recorder, stimulators in self.trains:
            self._record(kernel, recorder, stimulators, recorder)
        if self.waiting:
            sources, recorders = (np.concatenate(ids) for ids in zip(*self.waiting, strict=True))
            several, n = np.unique(recorders, return_counts=True)
            own = several if len(several) <= most else several[n > most]
            own = own if len(own) <= most else own[:0]
            for recorder in own.tolist():
                self._record(kernel, recorder, sources[recorders == recorder])
            if len(own) < len(several):
                rest = ~np.isin(recorders, own)
                self._share(kernel, sources[rest], recorders[rest])
            alone += own.tolist()
        self.trains, self.waiting = [], []
        return alone

    def _record(self, kernel: Any, recorder: int, sources: Ints, target: int = -1) -> None:
        """Gives a recorder recordings of its own; sources that were connected several times count each time."""
        for layer in without_repeats(sources):
            part = kernel.record_spikes(Ranges.of(sources[layer]).ascending(), 0, 2**62, target)
            self.own.setdefault(recorder, ([], []))[0].append(part)

    def _share(self, kernel: Any, sources: Ints, recorders: Ints) -> None:
        """Gives recorders a recording together."""
        order = np.argsort(sources, kind="stable")
        unique, first = np.unique(sources[order], return_index=True)
        part = kernel.record_spikes(Ranges.of(unique).ascending(), 0, 2**62)
        self.parts.append((part, unique, np.append(first, len(order)), recorders[order]))

    def take(self, kernel: Any) -> None:
        """Takes new spikes out of shared recordings of the kernel."""
        if not self.parts or kernel.step == self.taken_at:
            return
        self.taken_at = kernel.step
        new = joined([_dealt(kernel, *part) for part in self.parts])
        if len(new["steps"]):
            self.fresh = (*self.fresh, new)

    def _sort(self) -> None:
        """Puts new spikes in order of recorders."""
        if not self.fresh:
            return
        new, self.fresh = joined(self.fresh), ()
        several = (new["senders"], -offsets(new), new["steps"]) if len(self.parts) > 1 else ()
        self.found.append(_some(new, np.lexsort((*several, new["recorders"]))))
        while len(self.found) > 1 and len(self.found[-2]["steps"]) < 2 * len(self.found[-1]["steps"]):
            self._join(-2)

    def _join(self, first: int) -> None:
        """Makes one of all from the first on."""
        if len(self.found[first:]) > 1:
            both = joined(self.found[first:])
            self.found[first:] = [_some(both, np.argsort(both["recorders"], kind="stable"))]

    def release(self, kernel: Any, recorder: int, step: int) -> None:
        """Forgets the spikes of a recorder up to a step, the present one; those it shares some time: all that are emptied cost one pass over the spikes."""
        self._own_spikes(kernel, recorder).clear()
        if not self.parts:
            return
        self.released[recorder] = step
        self.releases += 1
        if self.releases >= sum(len(recorders) for _, _, _, recorders in self.parts):
            self.found, fresh = (
                [kept for found in every if len((kept := self._without_released(found))["steps"])] for every in (self.found, self.fresh)
            )
            self.fresh = tuple(fresh)
            self.released, self.releases = {}, 0

    def _without_released(self, found: Columns) -> Columns:
        gids, until = (np.fromiter(values, np.int64, len(self.released)) for values in (self.released, self.released.values()))
        order = np.argsort(gids)
        at = np.minimum(gids[order].searchsorted(found["recorders"]), len(order) - 1)
        return _some(found, (gids[order][at] != found["recorders"]) | (found["steps"] > until[order][at]))

    def _own_spikes(self, kernel: Any, recorder: int) -> list[Columns]:
        """Spikes of a recorder from recordings of its own; new ones are taken out of the kernel."""
        numbers, found = self.own.get(recorder, ((), []))
        new = [part for part in (_taken(kernel, number) for number in numbers) if len(part["steps"])]
        if new:
            found.append(new[0] if len(new) == 1 else in_order(joined(new)))
        return found

    def of(self, kernel: Any, recorder: int, since: int) -> Columns:
        """Spikes of a recorder after a step, in order of time."""
        own = self._own_spikes(kernel, recorder)
        shared = self._shared_spikes(kernel, recorder)
        some = joined([*own, shared]) if own else shared
        some = in_order(some) if own and len(shared["steps"]) else some
        new = some["steps"] > since
        return some if new.all() else _some(some, new)

    def count(self, kernel: Any, recorder: int, since: int) -> int:
        """Number of spikes of a recorder after the step of its last release. Does not take spikes of its own recordings out of the kernel."""
        numbers, taken = self.own.get(recorder, ((), []))
        own = sum(len(part["steps"]) for part in taken) + sum(int(kernel.spike_count(number)) for number in numbers)
        return own + (int(np.count_nonzero(self._shared_spikes(kernel, recorder)["steps"] > since)) if self.parts else 0)

    def _shared_spikes(self, kernel: Any, recorder: int) -> Columns:
        """Spikes of a recorder from recordings that it shares."""
        self.take(kernel)
        self._sort()
        parts = []
        for found in self.found:
            low, high = found["recorders"].searchsorted((recorder, recorder + 1)).tolist()
            parts.append({name: column[low:high] for name, column in found.items() if name != "recorders"})
        if not parts:
            return dict.fromkeys(("steps", "senders"), np.empty(0, np.int64))
        return parts[0] if len(parts) == 1 else joined(parts)

    def of_each(self, kernel: Any, recorders: Ints, since: int) -> tuple[Columns, Ints, Ints]:
        """Spikes that several recorders share after a step, each in order of time: columns of all, and where those of each begin and end."""
        self.take(kernel)
        self._sort()
        self._join(0)
        found = self.found[0] if self.found else dict.fromkeys(("steps", "senders", "recorders"), np.empty(0, np.int64))
        if since >= 0:
            found = _some(found, found["steps"] > since)
        low, high = (found["recorders"].searchsorted(recorders, side) for side in ("left", "right"))
        return found, low, high

    def counts(self, kernel: Any, recorders: Ints, since: int) -> Ints:
        """Number of spikes that several recorders, at least one, share after a step. Does not sort."""
        self.take(kernel)
        n = np.zeros(len(recorders), np.int64)
        for some in (*self.found, *self.fresh):
            n += _counted(some["recorders"] if since < 0 else some["recorders"][some["steps"] > since], recorders)
        return n


def _counted(values: Ints, asked: Ints) -> Ints:
    """How often each of the numbers that are asked for is among the values."""
    low, high = int(asked.min()), int(asked.max())
    inside = values[(values >= low) & (values <= high)] - low
    if high - low < 8 * (len(inside) + len(asked)):
        return np.bincount(inside, minlength=high - low + 1)[asked - low]
    known, n = np.unique(np.append(inside, high - low + 1), return_counts=True)  # the last is beyond all that are asked for
    at = known.searchsorted(asked - low)
    return np.where(known[at] == asked - low, n[at], 0)


def _taken(kernel: Any, part: int) -> Columns:
    """New spikes of a recording."""
    steps, senders, ms = kernel.spikes(part)
    kernel.clear_spikes(part)
    found: Columns = {"steps": np.asarray(steps, np.int64), "senders": np.asarray(senders, np.int64)}
    return found | {OFFSETS: np.asarray(ms)} if len(ms) else found


def _dealt(kernel: Any, part: int, sources: Ints, begin: Ints, recorders: Ints) -> Columns:
    """New spikes of a recording, once for each recorder of their source."""
    found = _taken(kernel, part)
    at = sources.searchsorted(found["senders"])
    if len(recorders) == len(sources):  # one for each
        return found | {"recorders": recorders[at]}
    copies = (begin[1:] - begin[:-1])[at]
    spike = np.repeat(np.arange(len(at)), copies)
    nth = np.arange(len(spike)) - np.repeat(np.cumsum(copies) - copies, copies)
    return _some(found, spike) | {"recorders": recorders[begin[at[spike]] + nth]}


Settings = tuple[tuple[str, ...], int, int]
"""What is recorded, interval and offset in steps."""
ByModel = Callable[[Ints, Sequence[str]], list[tuple[Ints, list[str], bool, bool]]]
"""Sets of nodes of one model each, without repeats, ascending; what the kernel calls there what is recorded; whether they send each recorder a
current of its own; whether an offset leaves out their first step."""


@dataclass(slots=True)
class SharedPart:
    """A recording of samples.

    nodes : its nodes; meters, columns : a recorder and the position of a node of it, in order of recorders; n_meters : distinct ones
    found : steps of shape (n,) and values of shape (n, n_nodes, n_names), the newest last; since : no samples up to this step
    released : step up to which a recorder needs its samples no more
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
        """Positions of the nodes of a recorder."""
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
        """Forgets samples up to a step, once no recorder needs them."""
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
    """Samples of all recorders.

    waiting : recorders and nodes that were connected and are not recorded yet, by settings; what records nothing waits for ever
    """

    def __init__(self) -> None:
        self.waiting: dict[Settings, list[tuple[Ints, Ints]]] = {}
        self.parts: list[SharedPart] = []
        self.taken_at = -1  # step

    def connect(self, settings: Settings, meters: Ints, targets: Ints) -> None:
        """Connects the i-th recorder to the i-th node, which it is not connected to yet."""
        self.waiting.setdefault(settings, []).append((meters, targets))

    def register(self, kernel: Any, by_model: ByModel, most: int = 0) -> list[int]:
        """Tells the kernel to record what was connected since; returns the recorders that got recordings of their own.

        most : that many recorders of the same settings, connected since, get recordings of their own; more share them
        """
        alone: list[int] = []
        for settings in [settings for settings in self.waiting if settings[0]]:
            meters, targets = (np.concatenate(ids) for ids in zip(*self.waiting[settings], strict=True))
            every, n = np.unique(meters, return_counts=True)
            for several in (every[n == 1], every[n > 1]):  # those of one node each are read at once
                some = np.isin(meters, several)
                alone += self._register(kernel, settings, meters[some], targets[some], by_model, most) if len(several) else []
            del self.waiting[settings]
        return alone

    def _register(self, kernel: Any, settings: Settings, meters: Ints, targets: Ints, by_model: ByModel, most: int) -> list[int]:
        """Of recorders of the same settings."""
        alone: list[int] = []
        several = np.unique(meters).tolist()
        for nodes, quantities, sends_own, late in by_model(targets, settings[0]):
            here = np.isin(targets, nodes)
            if len(several) > most and not sends_own:
                self._record(kernel, settings, quantities, meters[here], targets[here], -1, late)
                continue
            alone += several
            for meter in several:
                some = here & (meters == meter)
                if some.any():
                    self._record(kernel, settings, quantities, meters[some], targets[some], meter if sends_own else -1, late)
        return alone

    def _record(
        self, kernel: Any, settings: Settings, quantities: list[str], meters: Ints, targets: Ints, sent_to: int, late: bool
    ) -> None:
        """One recording. sent_to : the recorder that gets currents of its own, else -1."""
        nodes, (_, every, offset) = np.unique(targets), settings
        recorder = kernel.record_state(nodes, quantities, every, offset, sent_to)
        order = np.lexsort((targets, meters))
        own, since = meters[order], kernel.step + 1 if offset and late else 0
        self.parts.append(SharedPart(recorder, nodes, own, nodes.searchsorted(targets[order]), len(np.unique(own)), since))

    def take(self, kernel: Any) -> None:
        """Takes new samples out of the kernel."""
        if self.parts and kernel.step != self.taken_at:
            self.taken_at = kernel.step
            for part in self.parts:
                part.take(kernel)

    def release(self, kernel: Any, meter: int, step: int) -> None:
        """Forgets the samples of a recorder up to a step, some time."""
        self.take(kernel)
        for part in self.parts:
            part.release(meter, step)

    def has_any(self, meters: Ints, targets: Ints) -> bool:
        """Whether any of these recorders is connected to its node."""
        known = [pair for pairs in self.waiting.values() for pair in pairs]
        known += [(part.meters, part.nodes[part.columns]) for part in self.parts]
        return any(np.isin(_pairs(meters, targets), _pairs(*pair)).any() for pair in known)

    def of(self, kernel: Any, meter: int, names: Sequence[str], begin: int, end: int) -> list[Columns]:
        """Samples of a recorder at steps in (begin, end], some in each part."""
        self.take(kernel)
        found = []
        for part in self.parts:
            if not len(columns := part.of(meter)):
                continue
            for steps, values in part.found:
                some = (steps > max(begin, part.since)) & (steps <= end)
                chosen = values if some.all() else values[some]
                chosen = chosen if part.n_meters == 1 else chosen[:, columns]
                found.append(flat(steps[some], part.nodes[columns], chosen, names))
        return found

    def of_each(self, kernel: Any, meters: Ints, begin: int, end: int) -> tuple[Ints, Ints, NDArray[np.float64]] | None:
        """Samples at steps in (begin, end] of recorders that have one node each, in one recording; None where that is not so.

        Steps of shape (n,), the node of each recorder, and values of shape (n_recorders, n_names, n).
        """
        self.take(kernel)
        parts = [part for part in self.parts if part.found and np.isin(meters, part.meters).any()]
        if len(parts) != 1 or len(np.unique(parts[0].meters)) < len(parts[0].meters) or not np.isin(meters, parts[0].meters).all():
            return None
        steps, values = parts[0].all()
        some = (steps > max(parts[0].since, begin)) & (steps <= end)
        columns = parts[0].columns[parts[0].meters.searchsorted(meters)]
        return steps[some], parts[0].nodes[columns], np.ascontiguousarray(values[some][:, columns].transpose(1, 2, 0))


def _pairs(meters: Ints, targets: Ints) -> Ints:
    """A number for each pair, both below 2**32."""
    return meters << 32 | targets


def flat(steps: Ints, gids: Ints, values: NDArray[np.float64], names: Sequence[str]) -> Columns:
    """Samples of shape (n_samples, n_nodes, n_names) as events."""
    found: Columns = {"steps": np.repeat(steps.astype(np.int64), len(gids)), "senders": np.tile(gids, len(steps))}
    for k, name in enumerate(names):
        found[name] = values[:, :, k].ravel()
    return found
