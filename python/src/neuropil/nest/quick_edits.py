# SPDX-License-Identifier: Apache-2.0
"""Weights of a few connections, and the delay or a parameter of one, set by the shortest way: scripts that learn by rules of their own do it in loops.

What is in any way unusual goes the long way (synapse_columns.py), which raises all errors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import errors as native
from ..engine import FollowedConnections, columns_of, network_of
from . import grid
from .continuous import interval_counts
from .devices.weight_recorder import WeightRecorder
from .editing import check_delays, having, receptors, sent_before, wmax_of
from .errors import NESTErrors
from .kernel import Session, session
from .models.synapse_models import DIFFUSION, STATE, SUB_STEP_DELAY
from .projections import opposite
from .wires import OWN

_NUMBERS = frozenset({float, int, np.float64})
_ALL = frozenset({-1.0, 0.0, 1.0})

__all__ = ["set_one", "set_weights"]


def set_one(connections: FollowedConnections | None, rows: NDArray[np.int64], key: str, value: Any) -> bool:
    """Sets the delay of one connection, or a parameter that it has for itself. False where this takes the long way; then nothing was done."""
    s = session()
    if s.n_ranks > 1 or connections is None or len(rows) != 1 or rows[0] < 0 or type(value) not in _NUMBERS or not math.isfinite(value):
        return False
    if _is_other(s, connections) or any(isinstance(r, WeightRecorder) for r in s.recorders.values()):
        return False
    at = connections.handles_of(rows)
    if at[2][0] < 0:
        return False
    return _set_delay(s, connections, int(rows[0]), at, value) if key == "delay" else _set_parameter(s, connections, rows, at, key, value)


def _set_delay(s: Session, connections: FollowedConnections, row: int, at: Any, delay: float) -> bool:
    if having(SUB_STEP_DELAY).any() or interval_counts(s):
        return False
    steps = int(grid.delay_steps(delay))
    try:
        check_delays(np.array([delay], np.float64))
    except NESTErrors.BadDelay:
        return False
    if steps == columns_of(connections.now)["delay_steps"][row]:
        return True
    new = np.array([steps], np.int64)
    if not _edit(s, connections, np.array([row], np.int64), (*at, sent_before()), {"delay_steps": new}, delay_steps=new):
        return False
    s.wires.forget_delays()
    return True


def _set_parameter(s: Session, connections: FollowedConnections, rows: NDArray[np.int64], at: Any, key: str, value: float) -> bool:
    if key == "Wmax" or key in STATE:
        return False
    kind = s.wires.kinds[int(s.wires.all_kinds_of(connections.part(rows))[0])]
    if kind.parameters.get(key) is not OWN:
        return False
    return _edit(s, connections, rows, (*at, sent_before()), {}, parameters={key: np.array([value], np.float64)})


def _edit(s: Session, connections: FollowedConnections, rows: NDArray[np.int64], at: Any, changed: dict[str, Any], **values: Any) -> bool:
    """False where the kernel refuses; then nothing was done. at: handles, and the step before which spikes have been sent."""
    try:
        done = s.engine.kernel.edit(*at, **values)
    except native.NeuropilError:
        return False
    connections.follow(done, rows, changed)
    return True


def set_weights(connections: FollowedConnections | None, rows: NDArray[np.int64], weight: Any) -> bool:
    """Sets the weights of some rows of a list to a number. False where this takes more than a look into tables; then nothing was done."""
    s = session()
    if s.n_ranks > 1 or connections is None or _is_other(s, connections) or type(weight) not in _NUMBERS or not math.isfinite(weight):
        return False
    if len(rows) == 0 or bool(weight > 0) - bool(weight < 0) not in _signs(s) or _least(rows) < 0:
        return False
    slices, tables, positions = connections.handles_of(rows)
    if _least(positions) < 0 or _moves(connections, rows, weight):
        return False
    try:
        s.engine.kernel.edit(slices, tables, positions, 0, weight=np.array([weight], np.float64))
    except native.BadParameter:
        return False
    return True


def _least(values: NDArray[np.int64]) -> int:
    """The smallest number; of one without the time that numpy takes to begin."""
    return int(values[0] if len(values) == 1 else values.min())


def _moves(connections: FollowedConnections, rows: NDArray[np.int64], weight: float) -> bool:
    """Whether the sign of the weight chooses another receptor for some row."""
    columns = columns_of(connections.now)
    now, negative = columns["receptor"][rows], weight < 0
    if (now[0] == 1) == negative and (len(now) == 1 or ((now == 1) == negative).all()):
        return False
    ends = {"target": columns["target"][rows], "receptor": now}
    return bool((receptors(ends, np.full(len(rows), weight)) != now).any())


def _is_other(s: Session, connections: FollowedConnections) -> bool:
    """Whether a list has to be read again, or is of a network before ResetKernel."""
    return connections.stale or network_of(connections.now) is not s.network


def _signs(s: Session) -> frozenset[float]:
    """Signs that weights of all connections may have as far as models and Wmax are concerned."""
    known, now = s.plans.get("signs"), (len(s.wires.kinds), len(s.wires.devices))
    if known is not None and known[:2] == now:
        return frozenset(known[2])
    models = {*(kind.model for kind in s.wires.kinds), *(wire.model for wire in s.wires.devices)}
    found = _ALL
    if any("weight" in s.synapse_models[model].homogeneous or s.synapse_models[model].base == DIFFUSION for model in models):
        found = frozenset()
    for kind, most in zip(s.wires.kinds, wmax_of(s.wires.kinds), strict=True):
        found &= {sign for sign in _ALL if not opposite(sign, most, s.synapse_models[kind.model].zero_is_positive)}
    s.plans["signs"] = (*now, found)
    return found
