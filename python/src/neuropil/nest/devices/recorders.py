# SPDX-License-Identifier: Apache-2.0
"""Recorders by model: what Create makes for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine import Ints
from ..errors import illegal, translating
from ..kernel import Session, session
from ..models.extras import FOREVER
from ..models.node_models import NodeModel
from ..node_values import Values, of_one
from ..registry import PerNode
from .back_ends import times
from .correlation_detector import CorrelationDetector, CorrelationMatrix, SpinCorrelations
from .meter import TWICE, Meter, by_model, kernel_names
from .spike_recorder import SpikeRecorder, SpinDetector
from .weight_recorder import WeightRecorder

MANY = 64
"""Recorders that have recordings of the kernel of their own; more that are connected together share one."""

Listener = SpikeRecorder | Meter | CorrelationDetector | WeightRecorder

_CLASSES: dict[str, type[Listener]] = {
    "correlation_detector": CorrelationDetector,
    "correlomatrix_detector": CorrelationMatrix,
    "correlospinmatrix_detector": SpinCorrelations,
    "multimeter": Meter,
    "spike_recorder": SpikeRecorder,
    "spin_detector": SpinDetector,
    "voltmeter": Meter,
    "weight_recorder": WeightRecorder,
}


def make_all(model: NodeModel, gids: list[int], given: Values) -> list[Any]:
    """Recorders with these ids. Raises UnaccessedDictionaryEntry, BadProperty for what is given."""
    alike = not any(isinstance(value, PerNode | np.ndarray) for value in given.values())
    if not issubclass(_CLASSES[model.root], SpikeRecorder | Meter) or not alike:
        return [make(model, gid, of_one(given, k)) for k, gid in enumerate(gids)]
    first = make(model, gids[0], dict(given))
    assert isinstance(first, SpikeRecorder | Meter)
    return [first, *(first.clone(gid) for gid in gids[1:])]


def make(model: NodeModel, gid: int, given: dict[str, Any]) -> Listener:
    """The recorder with this id. Raises UnaccessedDictionaryEntry, BadProperty for what is given."""
    made = _CLASSES[model.root](model, gid)
    made.apply(made.checks(given))
    return made


def connect_pairs(recorders: Sequence[Any], others: Ints) -> bool:
    """Connects many recorders to a node each, so that they share recordings of the kernel. False: nothing was done."""
    gids = np.array([recorder.gid for recorder in recorders], np.int64)
    if all(isinstance(recorder, SpikeRecorder) for recorder in recorders):
        session().shared_spikes.connect(others, gids)
    elif all(isinstance(recorder, Meter) for recorder in recorders):
        _connect_meters(recorders, gids, others)
    else:
        return False
    listeners = session().recorders
    for recorder in recorders:
        recorder.shares = True
        if recorder.status["record_to"] != "memory":
            listeners.setdefault(recorder.gid, recorder)
    return True


def _connect_meters(meters: Sequence[Meter], gids: Ints, targets: Ints) -> None:
    shared, groups = session().shared_samples, dict[Any, list[int]]()
    for k, meter in enumerate(meters):
        groups.setdefault(meter.settings(), []).append(k)
    for some in groups.values():
        meters[some[0]].check_targets(targets[some])
    for k in (k for k, meter in enumerate(meters) if meter.connected):
        meters[k].check_own(targets[k : k + 1])
    if shared.has_any(gids, targets):
        raise illegal(TWICE)
    for settings, some in groups.items():
        shared.connect(settings, gids[some], targets[some])
    for meter in meters:
        meter.connected = True


def prepare(s: Session) -> None:
    """Begins to record in the kernel what was connected since the last Prepare; opens files."""
    recorders = s.recorders.values() if len(s.recorders) > MANY else ()
    waiting = [recorder for recorder in recorders if isinstance(recorder, SpikeRecorder) and recorder.waiting]
    if len(waiting) > MANY:
        for recorder in waiting:
            recorder.share()
    if s.shared_spikes.waiting or s.shared_samples.waiting:
        with translating():
            s.shared_spikes.register(s.engine.kernel)
            s.shared_samples.register(s.engine.kernel, _in_kernel)
    for recorder in s.recorders.values():
        recorder.prepare()


def read(recorders: Sequence[Any], keys: Sequence[str]) -> dict[str, list[Any]]:
    """Values of those keys that recorders of one model have."""
    known, many = recorders[0].key_names(), len(recorders) > MANY
    return {key: (many and _at_once(recorders, key)) or [one.get(key) for one in recorders] for key in keys if key in known}


def _at_once(recorders: Sequence[Any], key: str) -> list[Any] | None:
    """Values of a key that recorders share; None where they do not."""
    if key not in ("events", "n_events") or session().freezes or not all(_is_plain(one, recorders[0].since) for one in recorders):
        return None
    return _spikes(recorders, key) if type(recorders[0]) is SpikeRecorder else _samples(recorders, key)


def _spikes(recorders: Sequence[SpikeRecorder], key: str) -> list[Any]:
    """Numbers of events, or events, of recorders that have all theirs in shared recordings and show them as they are."""
    s, gids = session(), np.array([recorder.gid for recorder in recorders], np.int64)
    if key == "n_events":
        return list(s.shared_spikes.counts(s.engine.kernel, gids, recorders[0].since).tolist())
    found, low, high = s.shared_spikes.of_each(s.engine.kernel, gids, recorders[0].since)
    senders, ms = found["senders"].copy(), times(found)
    return [
        {"senders": senders[a:b], "times": ms[a:b]} if b > a else {"senders": np.empty(0), "times": np.empty(0)}
        for a, b in zip(low.tolist(), high.tolist(), strict=True)
    ]


def _samples(meters: Sequence[Meter], key: str) -> list[Any] | None:
    """As `_spikes`; None where some have more than one node, or other recordings."""
    s, gids = session(), np.array([meter.gid for meter in meters], np.int64)
    found = s.shared_samples.of_each(s.engine.kernel, gids, meters[0].since, meters[0].last_step())
    if found is None or (key == "events" and not len(found[0])):
        return None
    steps, nodes, table = found
    if key == "n_events":
        return [len(steps)] * len(gids)
    ms = np.tile(times({"steps": steps}), (len(gids), 1))
    senders = np.repeat(nodes, len(steps)).reshape(ms.shape)
    names = meters[0].names()
    order = sorted([*names, "senders", "times"])
    return [
        {name: {"senders": who, "times": when}.get(name, of_names.get(name)) for name in order}
        for who, when, of_names in zip(senders, ms, (dict(zip(names, row, strict=True)) for row in table), strict=True)
    ]


def _in_kernel(targets: Ints, names: Sequence[str]) -> list[tuple[Ints, list[str]]]:
    """Nodes of one model each, and what the kernel calls there what is recorded."""
    return [(nodes, kernel_names(model, names)) for model, nodes in by_model(targets)]


def _is_plain(recorder: Any, since: int) -> bool:
    """Whether the events of a recorder are those that it shares, all after a step."""
    plain = type(recorder) in (SpikeRecorder, Meter) and recorder.shares and not recorder.registered
    if not plain or recorder.taken or recorder.written or recorder.since != since:
        return False
    status = recorder.status
    window = status["start"] == status["origin"] == 0.0 and status["stop"] >= FOREVER
    return window and status["record_to"] == "memory" and not status["time_in_steps"] and recorder.gid <= session().prepared_nodes
