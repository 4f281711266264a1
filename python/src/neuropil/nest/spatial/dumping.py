# SPDX-License-Identifier: Apache-2.0
"""Text files of positions and connections: one per rank, with the rank in the name when there are several."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...space.context import wrapped
from ..kernel import session
from ..synapse_collection import GetConnections
from .distances import checked
from .layers import part_of


def DumpLayerNodes(layer: Any, outname: str) -> None:  # noqa: N802  (the names are NEST's)
    """Writes a line `gid x y [z]` for every node of the whole layer that lives on this rank. Raises TypeError, LayerExpected."""
    nodes = checked(layer, "layer")
    part_of(nodes)
    whole = nodes._layer.part()
    own = session().own(whole.gids)
    _write(outname, whole.gids[own].tolist(), whole.positions[own].tolist())


def DumpLayerConnections(source_layer: Any, target_layer: Any, synapse_model: str, outname: str) -> None:  # noqa: N802
    """Writes a line `source target weight delay dx dy [dz]` for every connection of a model between nodes in space.

    The displacement is that from source to target, along the shortest way where the edges of the target's layer are joined; delays in ms.
    Raises TypeError, LayerExpected, UnknownSynapseType.
    """
    sources, targets = checked(source_layer, "source_layer"), checked(target_layer, "target_layer")
    pre, post = part_of(sources), part_of(targets)
    found = GetConnections(sources, targets, synapse_model)
    if not len(found):
        _write(outname, [])
        return
    columns = found._columns
    source, target = columns.source, columns.target
    difference = targets._layer.positions_of(target) - sources._layer.positions_of(source)
    ways = np.column_stack([wrapped(difference[:, k], post, k) for k in range(pre.dims)])
    values = np.column_stack([columns.values("weight"), columns.values("delay"), ways])
    _write(outname, zip(source.tolist(), target.tolist(), strict=True), values.tolist())


def _write(outname: str, ids: Any, numbers: Any = ()) -> None:
    """Lines of whole numbers and then others with six digits."""
    path = Path(outname)
    if session().n_ranks > 1:
        path = path.with_name(f"{path.stem}-{session().rank}{path.suffix}")
    with path.open("w", encoding="utf-8") as file:
        for some, values in zip(ids, numbers, strict=True):
            numbered = (some,) if isinstance(some, int) else some
            file.write(" ".join([*map(str, numbered), *(format(value, "g") for value in values)]) + "\n")
