# SPDX-License-Identifier: Apache-2.0
"""iaf_bw_2001_exact: each of its NMDA connections has a receptor of the kernel of its own, from the third on, as in NEST."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..engine import Floats, Ints, Ranges, gathered
from .edges import Edges
from .errors import NESTErrors, NotSupported, translating
from .kernel import reshape, session
from .models.node_models import with_shape
from .node_collection import NodeCollection
from .registry import Row
from .specs import SynSpec

EXACT = "iaf_bw_2001_exact"
NMDA = 3


def rows_of(post: Ranges) -> list[tuple[Row, Ints]]:
    """Nodes of this model among some, by row."""
    return [(row, gids) for row, gids in session().registry.joined(post.table) if row.model.root == EXACT]


def marked(post: NodeCollection, spec: SynSpec) -> SynSpec:
    """With a receptor for each connection, where they end in NMDA of this model. Raises UnknownReceptorType, IllegalConnection, NotSupported."""
    if not rows_of(post._ranges):
        return spec
    if isinstance(spec.receptor, int) and not 1 <= spec.receptor <= NMDA:
        raise NESTErrors.UnknownReceptorType(f"Receptor type {spec.receptor} is not available in {EXACT}.")
    if isinstance(spec.receptor, int) and spec.receptor != NMDA:
        return spec
    if not isinstance(spec.receptor, int) or any(row.model.root != EXACT for row, _ in session().registry.joined(post._ranges.table)):
        raise NotSupported(f"{EXACT} with other receptors or neurons in one Connect", "connect them one by one")
    if session().simulated and any(row.first <= session().prepared_nodes for row, _ in rows_of(post._ranges)):
        raise NESTErrors.IllegalConnection("NMDA connections to this model can only be made before the first call to nest.Simulate()")
    return replace(spec, receptor=np.array([NMDA, NMDA + 1]))  # not one for all: edges get theirs in `ports`


def ports(post: NodeCollection, found: Edges, spec: SynSpec) -> Ints | None:
    """The receptor of each edge; None: they have no receptors of their own. Gives the nodes room for them. Collective. Raises NotSupported."""
    if not isinstance(spec.receptor, np.ndarray) or not rows_of(post._ranges):
        return None
    gids = post._gids[found.target]
    order = np.argsort(gids, kind="stable")
    begin = np.searchsorted(gids[order], gids[order])
    made = np.empty(len(gids), np.int64)
    made[order] = np.arange(len(gids)) - begin  # how many edges of the same target came before
    for row, _ in rows_of(post._ranges):
        used = session().gates.setdefault(row.first, np.zeros(row.count, np.int64))
        mine = (gids >= row.first) & (gids < row.first + row.count)
        made[mine] += used[gids[mine] - row.first]
        np.maximum.at(used, gids[mine] - row.first, made[mine] + 1)
        most = int(gathered(np.array([[float(used.max())]]))[0].max())
        if most > sum(name.startswith("w_NMDA_") for name in row.model.entry.state):
            reshape(row, with_shape(row.model, f"{EXACT}[{most}]"))
    return made + NMDA


def note_weights(post: NodeCollection, found: Edges, receptors: Ints, weight: Any) -> None:
    """Tells the neurons the weights of their NMDA connections, which do not change."""
    weights: Floats = np.broadcast_to(np.asarray(weight, np.float64), len(found.target))
    gids = post._gids[found.target]
    for port in np.unique(receptors).tolist():
        some = receptors == port
        with translating():
            session().engine.kernel.set(
                np.ascontiguousarray(gids[some]), {f"w_NMDA_{port - NMDA + 1}": np.ascontiguousarray(weights[some])}
            )
