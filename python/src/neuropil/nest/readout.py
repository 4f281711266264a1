# SPDX-License-Identifier: Apache-2.0
"""Numbers of the synapses of stdp_facetshw_synapse_hom in the cycle in which the hardware reads them.

NEST numbers synapses when their sources spike first, which depends on the order of threads; here all are numbered in the order of (source, target).
"""

from __future__ import annotations

import numpy as np

from ..engine import gathered
from . import editing
from .connection_query import query
from .kernel import Session
from .models.hardware import FACETS


def prepare(s: Session) -> None:
    """Numbers synapses that were connected since the last time. Collective."""
    for name in dict.fromkeys(kind.model for kind in s.wires.kinds if kind.base == FACETS):
        _number(s, name)


def _number(s: Session, name: str) -> None:
    model = s.synapse_models[name]
    found = query(model=name)
    mine = found.part(np.flatnonzero(found.origin >= 0))
    ends, first = gathered(np.column_stack([mine.source, mine.target]).astype(np.float64))
    before, known = s.read_synapses.get(name, (int(model.default("no_synapses")), 0))
    if len(ends) == known:
        return
    n = before + len(ends)
    s.read_synapses[name] = before, len(ends)
    model.parameters["no_synapses"] = float(n)
    if n <= model.default("synapses_per_driver") and before == 0:
        return  # one driver: all are read at once
    numbers = np.empty(len(ends))
    numbers[np.lexsort((ends[:, 1], ends[:, 0]))] = before + np.arange(len(ends))
    editing.replace(mine, {"no_synapses": float(n), "synapse_id": numbers[first : first + len(mine)]})
