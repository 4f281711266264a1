# SPDX-License-Identifier: Apache-2.0
"""Weights of a few connections, set to a number by the shortest way: scripts that learn by rules of their own do it in loops.

What is in any way unusual goes the long way (synapse_columns.py), which raises all errors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import errors as native
from ..engine import FollowedConnections, columns_of, network_of
from .editing import receptors, wmax
from .kernel import Session, session
from .models.synapse_models import DIFFUSION
from .projections import opposite

_NUMBERS = frozenset({float, int, np.float64})
_ALL = frozenset({-1.0, 0.0, 1.0})

__all__ = ["set_weights"]


def set_weights(connections: FollowedConnections | None, rows: NDArray[np.int64], weight: Any) -> bool:
    """Sets the weights of some rows of a list to a number. False where this takes more than a look into tables; then nothing was done."""
    s = session()
    if s.n_ranks > 1 or connections is None or type(weight) not in _NUMBERS or not math.isfinite(weight):
        return False
    if connections.stale or network_of(connections.now) is not s.network:  # to be read again, or of a network before ResetKernel
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


def _signs(s: Session) -> frozenset[float]:
    """Signs that weights of all connections may have as far as models and Wmax are concerned."""
    known, now = s.plans.get("signs"), (len(s.wires.kinds), len(s.wires.devices))
    if known is not None and known[:2] == now:
        return frozenset(known[2])
    models = {*(kind.model for kind in s.wires.kinds), *(wire.model for wire in s.wires.devices)}
    found = _ALL
    if any("weight" in s.synapse_models[model].homogeneous or s.synapse_models[model].base == DIFFUSION for model in models):
        found = frozenset()
    for kind in s.wires.kinds:
        model = s.synapse_models[kind.model]
        found &= {sign for sign in _ALL if not opposite(sign, wmax(kind, model), model.zero_is_positive)}
    s.plans["signs"] = (*now, found)
    return found
