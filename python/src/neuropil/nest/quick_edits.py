# SPDX-License-Identifier: Apache-2.0
"""Weights of a few connections, set by the shortest way: scripts that learn by rules of their own do it in loops.

What is in any way unusual goes the long way (synapse_columns.py), which raises all errors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import errors as native
from .edit_checks import wmax_of
from .kernel import Session, session
from .tracing import KernelList

_NUMBERS = frozenset({float, int, np.float64})
_ALL = frozenset({-1.0, 0.0, 1.0})

__all__ = ["set_weights"]


def set_weights(connections: KernelList | None, rows: NDArray[np.int64], weight: Any) -> bool:
    """Sets the weights of some rows of a list to a number. False where this takes more than a look into tables; then nothing was done."""
    s = session()
    if s.n_ranks > 1 or connections is None or type(weight) not in _NUMBERS or not math.isfinite(weight):
        return False
    if connections.now._network is not s._network or connections.stale:
        return False
    if len(rows) == 0 or float(np.sign(weight)) not in _signs(s) or rows.min() < 0:
        return False
    at = connections.handles_of(rows)
    if at[2].min() < 0:
        return False
    try:
        s.network._kernel.set_weights(*at, np.full(len(rows), weight, np.float64))
    except native.BadParameter:  # the sign chooses another table
        return False
    return True


def _signs(s: Session) -> frozenset[float]:
    """Signs that weights of all connections may have as far as models and Wmax are concerned."""
    known, now = s.plans.signs, (len(s.wires.kinds), len(s.wires.devices))
    if known is not None and known[:2] == now:
        return known[2]
    models = {*(kind.model for kind in s.wires.kinds), *(wire.model for wire in s.wires.devices)}
    found = _ALL
    if any("weight" in s.synapse_models[model].homogeneous for model in models):
        found = frozenset()
    for most in wmax_of(s.wires.kinds):
        found &= {sign for sign in _ALL if not sign * np.sign(most) < 0}
    s.plans.signs = (*now, found)
    return found
