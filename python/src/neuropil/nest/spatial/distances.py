# SPDX-License-Identifier: Apache-2.0
"""Positions of nodes, distances between them, nodes near a point. Positions come back as lists of floats."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine import Ranges
from ...space.context import wrapped
from ...space.layers import Part
from ...space.pairs import nodes_in
from ..errors import NESTErrors, translating
from ..node_collection import NodeCollection, collection
from .layers import part_of, to_point
from .mask_creation import to_mask

Floats = NDArray[np.float64]


def checked(nodes: Any, name: str) -> NodeCollection:
    """A NodeCollection. Raises TypeError for anything else."""
    if not isinstance(nodes, NodeCollection):
        raise TypeError(f"{name} must be a NodeCollection, not {type(nodes).__name__}")
    return nodes


def GetPosition(nodes: Any) -> list[Any]:  # noqa: N802  (the names are NEST's)
    """Position of one node, or list of the positions of several. Raises TypeError, LayerExpected."""
    positions: list[Any] = part_of(checked(nodes, "nodes")).positions.tolist()
    return positions[0] if len(positions) == 1 else positions


def Displacement(from_arg: Any, to_arg: Any) -> list[list[float]]:  # noqa: N802
    """Vectors between nodes, or between positions and nodes, along the shortest way where edges are joined.

    As in NEST the sign depends on what is given: between nodes from_arg - to_arg, with positions as from_arg the node's minus the position.
    One of both may have length 1, else their lengths must be equal. Raises TypeError, ValueError, LayerExpected, BadProperty.
    """
    return _displacement(from_arg, to_arg).tolist()


def Distance(from_arg: Any, to_arg: Any) -> list[float]:  # noqa: N802
    """Lengths of the vectors of `Displacement`."""
    return np.sqrt((_displacement(from_arg, to_arg) ** 2).sum(axis=1)).tolist()


def _displacement(from_arg: Any, to_arg: Any) -> Floats:
    to = part_of(checked(to_arg, "to_arg"))
    n_from, n_to = len(from_arg), len(to.positions)
    if n_from != n_to and 1 not in (n_from, n_to):
        raise ValueError(f"from_arg has {n_from} entries and to_arg {n_to}: they must be as many, or one must be 1")
    if isinstance(from_arg, NodeCollection):
        layer = part_of(from_arg)
        if layer.dims != to.dims:
            raise NESTErrors.BadProperty(f"nodes in {layer.dims} and in {to.dims} dimensions")
        difference = layer.positions - to.positions
    else:
        layer = to
        difference = to.positions - _points(from_arg, to.dims)
    return np.column_stack([wrapped(difference[:, k], layer, k) for k in range(layer.dims)])


def _points(given: Any, dims: int) -> Floats:
    if isinstance(given, np.ndarray) and given.ndim == 1:
        return to_point(given, dims)[None, :]
    return np.array([to_point(point, dims) for point in given]).reshape(-1, dims)


def FindNearestElement(layer: Any, locations: Any, find_all: bool = False) -> Any:  # noqa: N802
    """The node nearest to a location; of equally near ones the first, or with `find_all` a list of all.

    locations : one position, or a list of several, which gives a list. Raises TypeError, LayerExpected, BadProperty.
    """
    nodes = checked(layer, "layer")
    if not len(nodes):
        raise ValueError("the layer is empty")
    if not isinstance(locations, list | tuple | np.ndarray) or not len(locations):
        raise TypeError("locations must be a position, or a list of positions")
    part = part_of(nodes)
    points = locations if isinstance(locations[0], list | tuple | np.ndarray) else [locations]
    found = [_nearest(nodes, part, to_point(point, part.dims), find_all) for point in points]
    return found[0] if len(found) == 1 else found


def _nearest(nodes: NodeCollection, part: Part, point: Floats, find_all: bool) -> Any:
    square = sum(wrapped(part.positions[:, k] - point[k], part, k) ** 2 for k in range(part.dims))
    distance = np.sqrt(square)
    least = distance.min()
    near = np.flatnonzero(distance <= least * (1.0 + 1e-14)).tolist()
    return [nodes[k] for k in near] if find_all else nodes[near[0]]


def FindCenterElement(layer: Any) -> NodeCollection:  # noqa: N802
    """The node nearest to the centre of the layer. Raises TypeError, LayerExpected."""
    part = part_of(checked(layer, "layer"))
    found: NodeCollection = FindNearestElement(layer, part.center.tolist())
    return found


def SelectNodesByMask(layer: Any, anchor: Any, mask_obj: Any) -> NodeCollection:  # noqa: N802
    """Nodes of the whole layer that lie in a mask moved to `anchor`; as in NEST, slices of the layer do not matter.

    Raises TypeError, LayerExpected, TypeMismatch for an anchor of other dimensions, BadProperty for a mask that does not fit.
    """
    nodes = checked(layer, "layer")
    if not hasattr(anchor, "__len__"):
        raise TypeError(f"anchor must be a position, not {anchor!r}")
    part_of(nodes)
    whole: Part = nodes._layer.part()
    point = np.asarray(anchor, np.float64)
    if point.shape != (whole.dims,):
        raise NESTErrors.TypeMismatch(f"Expected datatype: a position of {whole.dims} dimensions, not {anchor!r}")
    mask = to_mask(mask_obj)
    if mask is None:
        raise TypeError("mask_obj must be a mask")
    with translating():
        return collection(Ranges.of(whole.gids[nodes_in(mask, whole, point)]))
