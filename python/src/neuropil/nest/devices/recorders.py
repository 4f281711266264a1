# SPDX-License-Identifier: Apache-2.0
"""Recorders by model: what Create makes for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import translating
from ..kernel import Session
from ..models.node_models import NodeModel
from ..node_values import Values, of_one
from ..registry import PerNode
from . import recorder
from .correlation_detector import CorrelationDetector, CorrelationMatrix, SpinCorrelations
from .meter import Meter, in_kernel
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


def prepare(s: Session) -> None:
    """Begins to record in the kernel what was connected since the last Prepare; opens files."""
    spikes, samples = s.shared_spikes, s.shared_samples
    if spikes.waiting or spikes.trains or samples.waiting:
        with translating():
            alone = samples.register(s.engine.kernel, in_kernel, recorder.MANY)
            alone += spikes.register(s.engine.kernel, recorder.MANY)
        for gid in alone:
            row = s.registry.row(gid)
            row.recorders[gid - row.first].alone = True
    for listening in s.recorders.values():
        listening.prepare()
