# SPDX-License-Identifier: Apache-2.0
"""Times given to stimulators: NEST can round them to the grid, or move those of now to the next step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NESTErrors
from ..kernel import session

if TYPE_CHECKING:
    from ..registry import Row
    from .node_models import NodeModel

_OPTIONS = ("allow_offgrid_times", "shift_now_spikes")
_TIMES = ("spike_times", "amplitude_times", "rate_times")


def with_spike_times(model: NodeModel, row: Row | None, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values, with times put on the grid where the node allows that."""
    if values.get("precise_times") and any(_flag(model, row, name) for name in _OPTIONS):
        raise NESTErrors.BadProperty(
            "Option precise_times cannot be set to true when either allow_offgrid_times or shift_now_spikes is set to true."
        )
    key = next((name for name in _TIMES if name in values and name in model.entry.vectors), None)
    if key is None or not isinstance(values[key], list | tuple | np.ndarray):
        return values
    offgrid, shift = (_flag(model, row, name) for name in _OPTIONS)
    times = np.asarray(values[key], dtype=np.float64)
    if not (offgrid or shift) or times.ndim != 1:
        return values
    h, now = session().resolution, session().time
    steps = np.ceil(times / h - 1e-9) if key == "spike_times" else np.round(times / h)
    steps = steps if offgrid else times / h
    if shift:
        steps = np.where(np.abs(times - now) < 1e-9, round(now / h) + 1, steps)
    return {**values, key: steps * h}


def _flag(model: NodeModel, row: Row | None, name: str) -> bool:
    if row is not None and name in row.extras:
        value = row.extras[name]
        return bool(value[0] if isinstance(value, list) else value)
    return bool(model.extras.get(name, False))
