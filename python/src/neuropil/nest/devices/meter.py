# SPDX-License-Identifier: Apache-2.0
"""multimeter and voltmeter: state variables of the nodes they are connected to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine import Columns, Ints, Ranges, flat
from .. import node_status
from ..errors import NESTErrors, illegal, translating
from ..kernel import session
from ..models.extras import RECORDED_AS
from ..models.node_models import NodeModel
from .recorder import Recorder, times

TWICE = "Each multimeter can only be connected once to a given node."
_FIXED = ("interval", "offset", "record_from")


class Meter(Recorder):
    """Samples in the kernel from the next Prepare on."""

    waiting: tuple[Ints, ...] = ()
    parts: tuple[tuple[int, Ints, int], ...] = ()  # recorder of the kernel, its gids, samples before this step were taken
    connected = False

    def names(self) -> list[str]:
        """Names of the recorded quantities."""
        return list(self.status["record_from"])

    def checked(self, key: str, value: Any) -> Any:
        """The value of a parameter as it is stored. Raises an error of NEST where it cannot be changed any more, or is none."""
        if key in _FIXED and self.connected:
            self.refuse("The interval, the offset and what is recorded cannot be changed after the multimeter has been connected to nodes.")
        if key == "frozen" and value is True:
            self.refuse("multimeter cannot be frozen.")
        if key == "record_from":
            if isinstance(value, str):
                raise NESTErrors.TypeMismatch("Expected datatype: record_from is a list of names")
            return [str(name) for name in value]
        if key in ("interval", "offset"):
            return self.checked_spacing(key, value)
        return super().checked(key, value)

    def checked_spacing(self, key: str, value: Any) -> float:
        """A sampling interval or offset: on the grid, at least one step."""
        h = session().resolution
        ms = self.checked_time(key, value)
        if key == "interval" and not h <= ms < 1e15:
            self.refuse("The sampling interval must be at least as long as the simulation resolution.")
        if key == "offset" and ms != 0.0 and not h <= ms < 1e15:
            self.refuse("The offset for the sampling interval must be at least as long as the simulation resolution.")
        return ms

    def connect(self, targets: Ints) -> None:
        """Connects this recorder to nodes. Raises IllegalConnection for models that lack what is recorded."""
        self.check_targets(targets)
        if self.connected:
            self.check_new(targets)
        self.waiting = (*self.waiting, np.asarray(targets, np.int64))
        self.connected = True

    def check_new(self, targets: Ints) -> None:
        """Raises IllegalConnection for nodes that this one is connected to already."""
        self.check_own(targets)
        if self.shares and np.isin(targets, session().shared_samples.targets(self.gid)).any():
            raise illegal(TWICE)

    def check_own(self, targets: Ints) -> None:
        """Raises IllegalConnection for nodes of which this one has recordings of its own."""
        known = [*self.waiting, *(gids for _, gids, _ in self.parts)]
        if known and np.isin(targets, np.concatenate(known)).any():
            raise illegal(TWICE)

    def settings(self) -> tuple[tuple[str, ...], int, int]:
        """What is recorded, interval and offset in steps."""
        every, offset = (round(self.status[key] / session().resolution) for key in ("interval", "offset"))
        return tuple(self.status["record_from"]), every, offset

    def check_targets(self, targets: Ints) -> None:
        """Raises IllegalConnection for nodes of models that lack what is recorded."""
        for row, gids in session().registry.joined(Ranges.of(np.unique(targets)).table):
            for count in set(node_status.counts(row, gids)):
                self._check(row.model, count)

    def _check(self, model: NodeModel, count: int) -> None:
        """Whether nodes of a model with so many receptors have what is recorded. Raises IllegalConnection."""
        known = node_status.shown_recordables(model, count) if model.recordable else []
        if not known and model.base != "ignore_and_fire":
            raise illegal("The target node does not support data logging requests.")
        for name in self.status["record_from"]:
            if name not in known:
                raise illegal(f"Cannot connect with unknown recordable {name}")

    def register(self) -> None:
        """Tells the kernel to record from the nodes that were connected since."""
        s, names = session(), self.names()
        if not names or not self.waiting:
            return  # one that records nothing keeps its targets as they are, to refuse them a second time
        _, every, offset = self.settings()
        for gids in self.waiting:
            for model, some in by_model(gids):
                target = self.gid if model.entry.effect == "current" else -1  # a current of its own
                with translating():
                    part = s.engine.kernel.record_state(some, kernel_names(model, names), every, offset, target)
                # With an offset, NEST takes no sample of neurons in the first step.
                since = s.engine.kernel.step + 1 if offset and model.kind == "neuron" else 0
                self.parts = (*self.parts, (part, some, since))
        self.waiting = ()
        self.registered = bool(self.parts)

    def fetch(self) -> Columns:
        """Takes the samples that are new out of the kernel."""
        kernel, names = session().engine.kernel, self.names()
        last = self.last_step()
        pieces: list[Columns] = []
        begin, end = self.window()
        for part, gids, since in self.parts:
            found = kernel.samples(part)
            steps, values = np.asarray(found[0], np.int64), np.asarray(found[1], np.float64)
            some = (steps > since) & (steps <= last) & (steps > begin) & (steps <= end)
            pieces.append(flat(steps[some], gids, values[some], names))
            if not len(steps) or int(steps[-1]) <= last:
                kernel.clear_samples(part)
        self.parts = tuple((part, gids, last) for part, gids, _ in self.parts)
        return _arranged(pieces)

    def shared(self) -> Columns | None:
        """The samples that are new, from the recordings that this one shares."""
        begin, end = self.window()
        s, since, last = session(), max(begin, self.since), min(end, self.last_step())
        pieces = s.shared_samples.of(s.engine.kernel, self.gid, self.names(), since, last)
        return _arranged(pieces) if pieces else None

    def of_all(self, gids: Ints, key: str) -> list[Any] | None:
        """Samples of meters that share recordings, or their numbers; None where some have more than one node, or other recordings."""
        s = session()
        found = s.shared_samples.of_each(s.engine.kernel, gids, self.since, self.last_step())
        if found is None or (key == "events" and not len(found[0])):
            return None
        steps, nodes, table = found
        if key == "n_events":
            return [len(steps)] * len(gids)
        ms, names = times({"steps": steps}), self.names()
        order = sorted([*names, "senders", "times"])
        every = (
            dict(zip(names, row, strict=True)) | {"senders": np.full(len(ms), gid), "times": ms.copy()}
            for gid, row in zip(nodes, table, strict=True)
        )
        return [{name: columns[name] for name in order} for columns in every]

    def release(self) -> None:
        """Says that shared samples are needed no more up to the step `since`."""
        session().shared_samples.release(self.gid, self.since)

    def last_step(self) -> int:
        """The last step of which all samples are known."""
        return _last_sample()

    def in_order(self, found: Columns) -> Columns:
        """Node by node, of each slice, where this one has samples from recordings of its own and from shared ones."""
        return _by_slice(found) if self.shares and self.registered else found


def kernel_names(model: NodeModel, names: Sequence[str]) -> list[str]:
    """What the kernel calls recorded quantities of a model."""
    return [RECORDED_AS.get(model.base, {}).get(name, name) for name in names]


def _arranged(pieces: list[Columns]) -> Columns:
    """Samples of all pieces, at least one, without those of nodes that were frozen then."""
    joined = {key: np.concatenate([piece[key] for piece in pieces]) for key in pieces[0]}
    if session().freezes:
        live = ~node_status.frozen(joined["senders"], joined["steps"])
        joined = {key: column[live] for key, column in joined.items()}
    return _by_slice(joined) if len(pieces) > 1 or session().slice_steps > 1 else joined


def _by_slice(found: Columns) -> Columns:
    """Samples node by node, of each slice."""
    order = np.lexsort((found["steps"], found["senders"], (found["steps"] - 1) // session().slice_steps))
    return {key: column[order] for key, column in found.items()}


def _last_sample() -> int:
    """The last step of which a multimeter of NEST has the data: it asks for those of a slice at the beginning of the next one."""
    s = session()
    slice_steps = s.slice_steps
    return (math.ceil(s.engine.kernel.step / slice_steps) - 1) * slice_steps


def by_model(gids: Ints) -> list[tuple[NodeModel, Ints]]:
    """Sets of nodes of one model each, without repeats, ascending."""
    groups: dict[str, tuple[NodeModel, list[Ints]]] = {}
    for row, some in session().registry.joined(Ranges.of(np.unique(gids)).table):
        groups.setdefault(row.model.base, (row.model, []))[1].append(some)
    return [(model, np.concatenate(parts)) for model, parts in groups.values()]
