# SPDX-License-Identifier: Apache-2.0
"""Values of a Parameter asked for by hand: GetValue and apply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...space.context import Context
from ..errors import NESTErrors
from .expression import Parameter


def one_value(parameter: Parameter) -> float:
    """One value, drawn for nothing in particular."""
    return float(parameter.evaluate(_context(np.ones(1, np.int64)))[0])


def applied(parameter: Parameter, nodes: Any, positions: Any) -> tuple[float, ...]:
    """Values for nodes, or for connections from one node to positions."""
    from ..node_collection import NodeCollection

    if not isinstance(nodes, NodeCollection):
        raise TypeError(f"apply takes a NodeCollection, not {type(nodes).__name__}")
    if positions is None:
        nodes._alive()
        placed = None if nodes._layer is None else nodes._layer.positions_of(nodes._gids)
        return tuple(parameter.evaluate(_context(nodes._gids, node_pos=placed)).tolist())
    return tuple(_to_positions(parameter, nodes, positions).tolist())


def _to_positions(parameter: Parameter, nodes: Any, positions: Any) -> Any:
    if len(nodes) != 1:
        raise ValueError("with positions, apply takes a NodeCollection of one node")
    if not isinstance(positions, list | tuple):
        raise TypeError("positions must be a list or tuple of positions")
    if not all(isinstance(position, list | tuple) for position in positions):
        raise TypeError("each position must be a list or tuple of coordinates")
    if nodes._layer is None:
        raise NESTErrors.KernelException("apply: the node has no position")
    nodes._alive()
    source = nodes._layer.positions_of(nodes._gids)
    targets = _table(positions, source.shape[1])
    keys = np.arange(1, len(targets) + 1, dtype=np.int64)
    context = _context(
        keys,
        source_pos=np.repeat(source, len(targets), axis=0),
        target_pos=targets,
        extent=nodes._layer.extent,
        periodic=nodes._layer.periodic,
    )
    return parameter.evaluate(context)


def _table(positions: Sequence[Sequence[float]], dimensions: int) -> Any:
    for position in positions:
        if len(position) != dimensions:
            raise NESTErrors.BadProperty(f"a position of {len(position)} dimensions for a node that has {dimensions}")
    return np.asarray(positions, np.float64).reshape(-1, dimensions)


def _context(keys: Any, **positions: Any) -> Context:
    from ..kernel import session

    here = session()
    return Context(here.seed, here.next_draw(), keys, **positions)
