# SPDX-License-Identifier: Apache-2.0
"""Layers of NodeCollections: what a user gives as `positions` of Create, what it makes, and what shows it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import space
from ...space.engine import Layer, Part
from ..errors import NESTErrors, translating
from ..parameters.expression import Parameter


class grid:  # noqa: N801  (the name is NEST's)
    """Nodes on a grid, numbered column by column from the upper left corner (in 3-D along z first).

    shape : numbers of columns and rows (and layers in z); center, extent : of the whole, default 0 and 1 in every dimension
    edge_wrap : whether opposite edges are joined
    """

    def __init__(self, shape: Any, center: Any = None, extent: Any = None, edge_wrap: bool = False) -> None:
        self.shape, self.center, self.extent, self.edge_wrap = shape, center, extent, edge_wrap


class free:  # noqa: N801
    """Nodes at given or drawn positions.

    pos : a list with the position of every node; a Parameter for all coordinates; or a list with a Parameter for each coordinate
    extent : default: the smallest whole numbers that hold all nodes; must be given for a single node
    edge_wrap : whether opposite edges are joined; num_dimensions : 2 or 3, for a single Parameter without extent

    Raises TypeError, ValueError for what does not fit together.
    """

    def __init__(self, pos: Any, extent: Any = None, edge_wrap: bool = False, num_dimensions: int | None = None) -> None:
        if extent is not None and num_dimensions is not None:
            raise TypeError("extent and num_dimensions say the same: give one of them")
        self.pos, self.extent, self.edge_wrap = self._checked(pos, extent, num_dimensions), extent, edge_wrap

    @staticmethod
    def _checked(pos: Any, extent: Any, num_dimensions: int | None) -> Any:
        if isinstance(pos, Parameter):
            if extent is None and num_dimensions is None:
                raise TypeError("a Parameter for all coordinates needs num_dimensions or extent")
            n = len(extent) if extent is not None else num_dimensions
            pos = [pos] * _two_or_three(n)
        elif not isinstance(pos, list | tuple | np.ndarray):
            raise TypeError("pos must be a list of positions, or a Parameter")
        elif num_dimensions is not None:
            raise TypeError("num_dimensions is only for a single Parameter: positions tell their dimensions")
        if len(pos) == 0 or any(isinstance(entry, Parameter) for entry in pos):
            _two_or_three(len(pos))
            if not all(isinstance(entry, Parameter) for entry in pos):
                raise TypeError("pos has Parameters and other values")
        return pos


def _two_or_three(n: Any) -> int:
    if n not in (2, 3):
        raise ValueError(f"positions have 2 or 3 dimensions, not {n}")
    return int(n)


def part_of(nodes: Any) -> Part:
    """The nodes of a NodeCollection in space. Raises LayerExpected where they have no positions."""
    if nodes._layer is None:
        raise NESTErrors.LayerExpected("nodes with positions are needed")
    nodes._alive()
    found: Part = nodes._layer.part(nodes._gids)
    return found


def make(positions: Any, n: int, seed: int, draw: int) -> Layer:
    """The layer that a user means by `positions` of Create; n nodes where positions are drawn.

    Raises TypeError for other than grid(...) and free(...), ValueError for a grid with n, BadProperty, KernelException, TypeMismatch.
    """
    if isinstance(positions, grid):
        if n != 1:
            raise ValueError("a grid says how many nodes there are: leave out n")
        with translating():
            return space.grid(positions.shape, center=positions.center, extent=positions.extent, periodic=positions.edge_wrap).layer()
    if isinstance(positions, free):
        return _free(positions, n, seed, draw)
    raise TypeError("positions must be nest.spatial.grid(...) or nest.spatial.free(...)")


def _free(given: free, n: int, seed: int, draw: int) -> Layer:
    drawn = isinstance(given.pos[0], Parameter)
    if not drawn and not all(isinstance(position, list | tuple | np.ndarray) for position in given.pos):
        raise NESTErrors.KernelException("positions must be a list of positions, each a list of coordinates")
    lengths = set() if drawn else {len(position) for position in given.pos}
    if len(lengths) > 1 or lengths - {2, 3}:
        raise NESTErrors.BadProperty("positions must all have 2 or all have 3 coordinates")
    if (n if drawn else len(given.pos)) == 1 and given.extent is None:
        raise NESTErrors.KernelException("the extent of a layer of one node must be given")
    with translating():
        positions = list(given.pos) if drawn else np.array(given.pos, np.float64)
        return space.free(positions, extent=given.extent, periodic=given.edge_wrap).layer(n, seed, draw)
