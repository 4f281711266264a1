# SPDX-License-Identifier: Apache-2.0
"""Recorders by model: what Create makes for them."""

from __future__ import annotations

from typing import Any

from ..models.node_models import NodeModel
from .meter import Meter
from .recorder import Recorder
from .spike_recorder import SpikeRecorder

_CLASSES: dict[str, type[Recorder]] = {"spike_recorder": SpikeRecorder, "multimeter": Meter, "voltmeter": Meter}


def make(model: NodeModel, gid: int, given: dict[str, Any]) -> Recorder:
    """The recorder with this id. Raises UnaccessedDictionaryEntry, BadProperty for what is given."""
    made = _CLASSES[model.root](model, gid)
    for job in made.plan(given):
        job()
    return made
