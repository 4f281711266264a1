# SPDX-License-Identifier: Apache-2.0
"""What nodes are connected to: on several ranks only connections to nodes of this rank, as in NEST."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Ranges
from ..node_collection import NodeCollection, collection
from ..synapse_collection import GetConnections
from .distances import checked
from .layers import part_of


def GetTargetNodes(sources: Any, tgt_layer: Any, syn_model: str | None = None) -> tuple[NodeCollection, ...]:  # noqa: N802
    """For each source the nodes of tgt_layer that it connects to, with any synapse model or only with one. Raises TypeError, UnknownSynapseType."""
    found = GetConnections(checked(sources, "sources"), checked(tgt_layer, "tgt_layer"), syn_model)
    return _grouped(sources, found, "source", "target")


def GetSourceNodes(src_layer: Any, targets: Any, syn_model: str | None = None) -> tuple[NodeCollection, ...]:  # noqa: N802
    """For each target the nodes of src_layer that connect to it, as `GetTargetNodes`."""
    found = GetConnections(checked(src_layer, "src_layer"), checked(targets, "targets"), syn_model)
    return _grouped(targets, found, "target", "source")


def GetTargetPositions(sources: Any, tgt_layer: Any, syn_model: str | None = None) -> list[list[list[float]]]:  # noqa: N802
    """For each source the positions of the nodes of `GetTargetNodes`. Raises LayerExpected, too."""
    return _positions(GetTargetNodes(sources, tgt_layer, syn_model), tgt_layer)


def GetSourcePositions(src_layer: Any, targets: Any, syn_model: str | None = None) -> list[list[list[float]]]:  # noqa: N802
    """For each target the positions of the nodes of `GetSourceNodes`. Raises LayerExpected, too."""
    return _positions(GetSourceNodes(src_layer, targets, syn_model), src_layer)


def _grouped(nodes: NodeCollection, connections: Any, by: str, of: str) -> tuple[NodeCollection, ...]:
    columns = connections._columns
    key, partner = getattr(columns, by), getattr(columns, of)
    order = np.lexsort((partner, key))
    key, partner = key[order], partner[order]
    gids = nodes._gids
    first, last = np.searchsorted(key, gids), np.searchsorted(key, gids, side="right")
    return tuple(collection(Ranges.of(np.unique(partner[a:b]))) for a, b in zip(first.tolist(), last.tolist(), strict=True))


def _positions(groups: tuple[NodeCollection, ...], layer: NodeCollection) -> list[list[list[float]]]:
    part_of(layer)
    return [layer._layer.positions_of(nodes._gids).tolist() if nodes else [] for nodes in groups]
