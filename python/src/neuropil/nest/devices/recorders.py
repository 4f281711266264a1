# SPDX-License-Identifier: Apache-2.0
"""Recorders by model: what Create makes for them."""

from __future__ import annotations

from typing import Any

from ..models.node_models import NodeModel
from .correlation_detector import CorrelationDetector, CorrelationMatrix, SpinCorrelations
from .meter import Meter
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


def make(model: NodeModel, gid: int, given: dict[str, Any]) -> Listener:
    """The recorder with this id. Raises UnaccessedDictionaryEntry, BadProperty for what is given."""
    made = _CLASSES[model.root](model, gid)
    for job in made.plan(given):
        job()
    return made
