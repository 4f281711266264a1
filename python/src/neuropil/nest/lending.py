# SPDX-License-Identifier: Apache-2.0
"""Parameters that synapses have from their target neuron: when they change, the synapses on it are made anew."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Ranges
from . import connection_query, editing
from .errors import NotSupported
from .kernel import session
from .node_collection import collection

Ints = NDArray[np.int64]


def lend(key: str, gids: Ints, value: Any) -> None:
    """Gives plastic synapses on nodes another value of a parameter: one for all or one per node. Raises NotSupported after Simulate. Collective."""
    s = session()
    if s.simulated:
        raise NotSupported(f"changing {key} of nodes that have plastic synapses after Simulate", "set it before Simulate")
    columns = connection_query.query(None, collection(Ranges.of(np.sort(gids))), None, None)
    lends = np.array([key in s.synapse_models[kind.model].entry.parameters for kind in s.wires.kinds])
    some = np.flatnonzero(columns.origin >= 0)
    some = some[lends[columns.kinds()]]
    order = np.argsort(gids)
    which = order[np.searchsorted(gids[order], columns.target[some])]
    values = np.broadcast_to(np.asarray(value, np.float64), len(gids))[which]
    editing.replace(columns.part(some), {key: values})


__all__ = ["lend"]
