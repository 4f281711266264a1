# SPDX-License-Identifier: Apache-2.0
"""Layers: nodes with positions, as made by one call of Create; and parts of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import NESTErrors
from ..parameters import Context, Parameter
from .arrangements import free, grid

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Part(NamedTuple):
    """Some nodes of a layer in space: what connecting, masks and distances need.

    gids : int64 (n,); positions : float64 (n, dims); center, extent : float64 (dims,) of the whole layer; periodic : whether its edges are joined;
    shape : of a grid, None for free positions; first : gid of the first node of the whole layer
    """

    gids: Ints
    positions: Floats
    center: Floats
    extent: Floats
    periodic: bool
    shape: tuple[int, ...] | None = None
    first: int = 1

    @property
    def dims(self) -> int:
        return self.positions.shape[1]

    @property
    def lower_left(self) -> Floats:
        """Lowest coordinates of the layer, (dims,)."""
        return self.center - self.extent / 2.0


class Layer:
    """All nodes of one call of Create: positions float64 (n, dims) in order of gids; extent, center float64 (dims,)."""

    __slots__ = ("center", "extent", "first", "periodic", "positions", "shape")

    def __init__(self, positions: Floats, center: Floats, extent: Floats, periodic: bool, shape: tuple[int, ...] | None = None) -> None:
        self.positions, self.center, self.extent, self.periodic, self.shape = positions, center, extent, periodic, shape
        self.first = 1

    def place(self, first: int) -> None:
        """Says the gid of the first node."""
        self.first = first

    @property
    def gids(self) -> Ints:
        """Gids of all nodes, int64 (n,)."""
        return np.arange(self.first, self.first + len(self.positions), dtype=np.int64)

    def positions_of(self, gids: Ints) -> Floats:
        """Positions of some nodes, float64 (len(gids), dims)."""
        return np.asarray(self.positions[gids - self.first])

    def part(self, gids: Ints | None = None) -> Part:
        """Some of the nodes, default all."""
        chosen = self.gids if gids is None else gids
        positions = self.positions if gids is None else self.positions_of(gids)
        return Part(chosen, positions, self.center, self.extent, self.periodic, self.shape, self.first)

    def metadata(self, nodes: Any) -> dict[str, Any]:
        """What NodeCollection.spatial shows of some of the nodes."""
        found = {"center": self.center.copy(), "edge_wrap": self.periodic, "extent": self.extent.copy(), "network_size": len(nodes)}
        if self.shape is not None:
            return found | {"shape": np.array(self.shape)}
        return found | {"positions": self.positions_of(nodes._gids)}


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
        return _on_grid(positions)
    if isinstance(positions, free):
        return _free(positions, n, seed, draw)
    raise TypeError("positions must be nest.spatial.grid(...) or nest.spatial.free(...)")


def _on_grid(given: grid) -> Layer:
    shape = _shape(given.shape)
    dims = len(shape)
    center = _vector("center", given.center, dims, 0.0)
    extent = _vector("extent", given.extent, dims, 1.0)
    positions = np.empty((int(np.prod(shape)), dims))
    for k, index in enumerate(np.indices(shape).reshape(dims, -1)):
        step, lowest = extent[k] / shape[k], center[k] - extent[k] / 2.0
        # Rows count from the top. Written so that every sum is rounded as in NEST.
        positions[:, k] = lowest + extent[k] - step * index - step * 0.5 if k == 1 else lowest + step * index + step * 0.5
    return Layer(positions, center, extent, _flag(given.edge_wrap), shape)


def _free(given: free, n: int, seed: int, draw: int) -> Layer:
    positions = _drawn(given.pos, n, seed, draw) if isinstance(given.pos[0], Parameter) else _listed(given.pos)
    dims = positions.shape[1]
    if len(positions) == 1 and given.extent is None:
        raise NESTErrors.KernelException("the extent of a layer of one node must be given")
    low, high = positions.min(axis=0), positions.max(axis=0)
    extent = np.ceil(high - low) if given.extent is None else _vector("extent", given.extent, dims, 1.0)
    if ((high - low) > extent * (1.0 + 1e-12)).any():
        raise NESTErrors.BadProperty(f"positions span {(high - low).tolist()}, more than the extent {extent.tolist()}")
    return Layer(positions, (low + high) / 2.0, extent, _flag(given.edge_wrap))


def _drawn(coordinates: Any, n: int, seed: int, draw: int) -> Floats:
    context = Context(seed, draw, np.arange(1, n + 1, dtype=np.int64))
    return np.column_stack([each.evaluate(context.attempt(k, 0)) for k, each in enumerate(coordinates)])


def _listed(pos: Any) -> Floats:
    if not all(isinstance(position, list | tuple | np.ndarray) for position in pos):
        raise NESTErrors.KernelException("positions must be a list of positions, each a list of coordinates")
    lengths = {len(position) for position in pos}
    if len(lengths) > 1 or lengths - {2, 3}:
        raise NESTErrors.BadProperty("positions must all have 2 or all have 3 coordinates")
    positions = np.array(pos, np.float64)
    if not np.isfinite(positions).all():
        raise NESTErrors.BadProperty("positions must be finite")
    return positions


def _shape(given: Any) -> tuple[int, ...]:
    array = np.asarray(given)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise NESTErrors.TypeMismatch(f"Expected datatype: shape is a list of whole numbers, not {given!r}")
    if len(array) not in (2, 3):
        raise NESTErrors.BadProperty(f"shape must have 2 or 3 entries, not {len(array)}")
    if (array < 1).any():
        raise NESTErrors.BadProperty(f"all entries of shape must be positive: {array.tolist()}")
    return tuple(array.tolist())


def _vector(name: str, given: Any, dims: int, default: float) -> Floats:
    vector = np.full(dims, default) if given is None else np.asarray(given, np.float64)
    if vector.shape != (dims,):
        raise NESTErrors.BadProperty(f"{name} must have {dims} entries: {given!r}")
    if not np.isfinite(vector).all() or (name == "extent" and (vector < 0.0).any()):
        raise NESTErrors.BadProperty(f"{name} is not possible: {vector.tolist()}")
    return vector


def _flag(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise NESTErrors.TypeMismatch(f"Expected datatype: edge_wrap is True or False, not {value!r}")
    return bool(value)


def to_point(point: Any, dims: int) -> Floats:
    """A position given by hand, float64 (dims,). Raises BadProperty where the dimensions are others."""
    found = np.asarray(point if isinstance(point, np.ndarray) else list(point), np.float64)
    if found.shape != (dims,):
        raise NESTErrors.BadProperty(f"a position of {dims} dimensions is needed, not {found.tolist()}")
    return found


Specification = Mapping[str, Any]
