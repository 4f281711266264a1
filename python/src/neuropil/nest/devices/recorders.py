# SPDX-License-Identifier: Apache-2.0
"""Recorders by model: what Create makes for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine import Ints
from ..errors import NESTErrors
from ..kernel import Session, session
from ..models.extras import FOREVER
from ..models.node_models import NodeModel
from ..node_values import Batch
from . import shared_samples, shared_spikes
from .correlation_detector import CorrelationDetector, CorrelationMatrix, SpinCorrelations
from .meter import TWICE, Meter
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


def make_all(model: NodeModel, gids: list[int], batch: Batch) -> list[Any]:
    """Recorders with these ids. Raises UnaccessedDictionaryEntry, BadProperty for what is given."""
    if not issubclass(_CLASSES[model.root], SpikeRecorder | Meter) or not batch.alike:
        return [make(model, gid, batch.single(k)) for k, gid in enumerate(gids)]
    first = make(model, gids[0], batch.single(0))
    assert isinstance(first, SpikeRecorder | Meter)
    return [first, *(first.clone(gid) for gid in gids[1:])]


def make(model: NodeModel, gid: int, given: dict[str, Any]) -> Listener:
    """The recorder with this id. Raises UnaccessedDictionaryEntry, BadProperty for what is given."""
    made = _CLASSES[model.root](model, gid)
    for job in made.plan(given):
        job()
    return made


def connect_pairs(recorders: Sequence[Any], others: Ints) -> bool:
    """Connects many recorders to a node each, so that they share recordings of the kernel. False: nothing was done."""
    gids = np.array([recorder.gid for recorder in recorders], np.int64)
    if all(isinstance(recorder, SpikeRecorder) for recorder in recorders):
        shared_spikes.shared().connect(others, gids)
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
    groups: dict[shared_samples.Settings, list[int]] = {}
    for k, meter in enumerate(meters):
        groups.setdefault(meter.settings(), []).append(k)
    for some in groups.values():
        meters[some[0]].check_targets(targets[some])
    for k in (k for k, meter in enumerate(meters) if meter.connected):
        meters[k].check_own(targets[k : k + 1])
    if shared_samples.shared().has_any(gids, targets):
        raise NESTErrors.IllegalConnection(TWICE)
    for settings, some in groups.items():
        shared_samples.shared().connect(settings, gids[some], targets[some])
    for meter in meters:
        meter.connected = True


def prepare(s: Session) -> None:
    """Begins to record in the kernel what was connected since the last Prepare; opens files."""
    waiting = [recorder for recorder in s.recorders.values() if isinstance(recorder, SpikeRecorder) and recorder.waiting]
    if len(waiting) > MANY:
        for recorder in waiting:
            recorder.share()
    for shared in (s.shared_spikes, s.shared_samples):
        if shared is not None:
            shared.register()
    for recorder in s.recorders.values():
        recorder.prepare()


def read(recorders: Sequence[Any], key: str) -> list[Any]:
    """Values of a key of recorders of one model."""
    wanted = len(recorders) > MANY and key in ("events", "n_events") and not session().freezes
    if wanted and all(_is_plain(recorder, recorders[0].since) for recorder in recorders):
        if type(recorders[0]) is SpikeRecorder:
            return shared_spikes.read(recorders, key, recorders[0].since)
        if (found := shared_samples.read(recorders, key, recorders[0].last_step())) is not None:
            return found
    return [recorder.get(key) for recorder in recorders]


def _is_plain(recorder: Any, since: int) -> bool:
    """Whether the events of a recorder are those that it shares, all after a step."""
    plain = type(recorder) in (SpikeRecorder, Meter) and recorder.shares and not recorder.registered
    if not plain or recorder.taken or recorder.written or recorder.since != since:
        return False
    status = recorder.status
    window = status["start"] == status["origin"] == 0.0 and status["stop"] >= FOREVER
    return window and status["record_to"] == "memory" and not status["time_in_steps"] and recorder.gid <= session().prepared_nodes
