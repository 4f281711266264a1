# SPDX-License-Identifier: Apache-2.0
"""Recorders by model: what Create makes for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine import Ints
from ..errors import illegal, translating
from ..kernel import Session, session
from ..models.node_models import NodeModel
from ..node_values import Values, of_one
from ..registry import PerNode
from .correlation_detector import CorrelationDetector, CorrelationMatrix, SpinCorrelations
from .meter import TWICE, Meter, by_model, kernel_names
from .recorder import are_many
from .spike_recorder import SpikeRecorder, SpinDetector
from .weight_recorder import WeightRecorder

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
    recorders = s.recorders.values() if are_many(s.recorders) else ()
    waiting = [recorder for recorder in recorders if isinstance(recorder, SpikeRecorder) and recorder.waiting]
    if are_many(waiting):
        for recorder in waiting:
            recorder.share()
    if s.shared_spikes.waiting or s.shared_samples.waiting:
        with translating():
            s.shared_spikes.register(s.engine.kernel)
            s.shared_samples.register(s.engine.kernel, _in_kernel)
    for recorder in s.recorders.values():
        recorder.prepare()


def _in_kernel(targets: Ints, names: Sequence[str]) -> list[tuple[Ints, list[str]]]:
    """Nodes of one model each, and what the kernel calls there what is recorded."""
    return [(nodes, kernel_names(model, names)) for model, nodes in by_model(targets)]
