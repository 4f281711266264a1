# SPDX-License-Identifier: Apache-2.0
"""How many connections there are of each model, for scripts that ask after every Connect: what is new is counted, tables are not built for it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from .kernel import session

if TYPE_CHECKING:
    from .kernel import Session
    from .models.synapse_models import SynapseModel

__all__ = ["of_all", "of_model"]


def of_all(s: Session) -> int:
    """Number of connections, of devices as well. Collective."""
    if not s.has_network:
        return 0
    if s.n_ranks > 1 and s.wires.kinds:
        s.network.build(progress=False)
        return s.network.n_connections + s.wires.n_of_devices.total()
    return s.engine.kernel.exact_connection_count() + s.wires.n_of_devices.total()


def of_model(model: SynapseModel) -> int:
    """Number of connections of a model, of devices as well; on several ranks those of this rank. Collective."""
    from .connection_query import query

    s = session()
    some = [k for k, kind in enumerate(s.wires.kinds) if kind.model == model.name]
    if not some:
        return s.wires.n_of_devices[model.name]
    if s.n_ranks > 1:
        return len(query(None, None, model.name, None))
    found = _by_kind(s)
    return sum(found[k] for k in some) + s.wires.n_of_devices[model.name]


def _by_kind(s: Session) -> Counter[int]:
    """Number of connections of the kernel by index into wires.kinds. Listed in full where what is new was built, or edits moved connections."""
    wires = s.wires
    if wires.n_by_kind is not None and wires.uncounted:
        new = s.engine.kernel.described_edges(len(wires.uncounted)).tolist()
        if len(new) == len(wires.uncounted):
            for kind, n in zip(wires.uncounted, new, strict=True):
                wires.n_by_kind[kind] += n
            wires.uncounted.clear()
    if wires.n_by_kind is None or wires.uncounted:
        found = s.network.connections(gather=False)
        wires.n_by_kind = Counter(dict(enumerate(np.bincount(wires.all_kinds_of(found)).tolist())))
        wires.uncounted.clear()
    return wires.n_by_kind
