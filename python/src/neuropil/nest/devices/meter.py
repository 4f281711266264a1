# SPDX-License-Identifier: Apache-2.0
"""multimeter and voltmeter: state variables of the nodes they are connected to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine import Columns, Floats, Ints, Ranges
from .. import grid, node_status
from ..errors import expect, illegal
from ..kernel import session
from ..models.node_models import NodeModel
from .recorder import Recorder, times

_FIXED = ("interval", "offset", "record_from")


class Meter(Recorder):
    """Samples in the kernel from the next Prepare on."""

    @classmethod
    def connect(cls, recorders: Sequence[Any], others: Ints, pairs: bool, weights: Floats, receptor: int, trains: bool) -> None:
        """Connects recorders to nodes. Raises IllegalConnection for models that lack what is recorded."""
        shared, groups, parts = session().shared_samples, dict[Any, list[int]](), []
        gids = np.array([one.gid for one in recorders], np.int64)
        for k, one in enumerate(recorders):
            groups.setdefault(one.settings(), []).append(k)
        for settings, some in groups.items():
            ends = (gids[some], others[some]) if pairs else (np.repeat(gids[some], len(others)), np.tile(others, len(some)))
            check_targets(settings[0], ends[1])
            if any(recorders[k].connected for k in some) and shared.has_any(*ends):
                raise illegal("Each multimeter can only be connected once to a given node.")
            parts.append((settings, *ends))
        for part in parts:
            shared.connect(*part)
        for one in recorders:
            one.connected = True
            one.listen()

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
            expect(not isinstance(value, str), "record_from is a list of names")
            return [str(name) for name in value]
        if key not in ("interval", "offset"):
            return super().checked(key, value)
        ms, what = grid.window_time(key, value), {"interval": "sampling interval", "offset": "offset for the sampling interval"}[key]
        if not session().resolution <= ms < 1e15 and not (key == "offset" and ms == 0.0):
            self.refuse(f"The {what} must be at least as long as the simulation resolution.")
        return ms

    def settings(self) -> tuple[tuple[str, ...], int, int]:
        """What is recorded, interval and offset in steps."""
        every, offset = (round(self.status[key] / session().resolution) for key in ("interval", "offset"))
        return tuple(self.status["record_from"]), every, offset

    def new(self) -> Columns:
        """Samples after the step `since`."""
        s = session()
        return _arranged(s.shared_samples.of(s.engine.kernel, self.gid, self.names(), self.since, self.last_step()), self.names())

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
        """Says that samples up to the step `since` are needed no more."""
        session().shared_samples.release(session().engine.kernel, self.gid, self.since)

    def last_step(self) -> int:
        """The last step of which a multimeter of NEST has the data: it asks for those of a slice at the beginning of the next one."""
        slice_steps = session().slice_steps
        return (math.ceil(session().engine.kernel.step / slice_steps) - 1) * slice_steps


def check_targets(names: Sequence[str], targets: Ints) -> None:
    """Raises IllegalConnection for nodes of models that lack what is to be recorded."""
    for row, gids in session().registry.joined(Ranges.of(np.unique(targets)).table):
        for count in set(node_status.counts(row, gids)):
            known = node_status.shown_recordables(row.model, count) if row.model.recordable else []
            if not known and not row.model.face.sampled:
                raise illegal("The target node does not support data logging requests.")
            for name in names:
                if name not in known:
                    raise illegal(f"Cannot connect with unknown recordable {name}")


def in_kernel(targets: Ints, names: Sequence[str]) -> list[tuple[Ints, list[str], bool, bool]]:
    """Nodes of one model each, as `SharedSamples.register` wants them. With an offset, NEST takes no sample of neurons in the first step."""
    groups: dict[str, tuple[NodeModel, list[Ints]]] = {}
    for row, some in session().registry.joined(Ranges.of(np.unique(targets)).table):
        groups.setdefault(row.model.base, (row.model, []))[1].append(some)
    return [
        (
            np.concatenate(parts),
            [model.recorded_as(name) for name in names],
            model.entry.effect == "current",
            model.kind == "neuron",
        )
        for model, parts in groups.values()
    ]


def _arranged(pieces: list[Columns], names: Sequence[str]) -> Columns:
    """Samples of all pieces node by node, of each slice, without those of nodes that were frozen then."""
    if not pieces:
        return dict.fromkeys(["steps", "senders", *names], np.empty(0, np.int64))
    found = {key: np.concatenate([piece[key] for piece in pieces]) for key in pieces[0]}
    if session().freezes:
        live = ~node_status.frozen(found["senders"], found["steps"])
        found = {key: column[live] for key, column in found.items()}
    slice_steps = session().slice_steps
    if len(pieces) == 1 and slice_steps == 1:
        return found
    order = np.lexsort((found["steps"], found["senders"], (found["steps"] - 1) // slice_steps))
    return {key: column[order] for key, column in found.items()}
