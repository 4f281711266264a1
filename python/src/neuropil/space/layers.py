# SPDX-License-Identifier: Apache-2.0
"""Layers: nodes with positions that were made together; and parts of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import IllegalConnection
from .context import wrapped

__all__ = ["Floats", "Layer", "Part", "joined", "shortest"]

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
    """Nodes whose gids follow one another: positions float64 (n, dims) in order of gids; extent, center float64 (dims,)."""

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
        n = len(self.positions)
        if gids is None or (
            len(gids) == n and gids[0] == self.first and gids[-1] == self.first + n - 1 and bool((np.diff(gids) == 1).all())
        ):
            chosen, positions = self.gids, self.positions  # the very array, by which the cell list is known again
        else:
            chosen, positions = gids, self.positions_of(gids)
        return Part(chosen, positions, self.center, self.extent, self.periodic, self.shape, self.first)


def joined(layers: Sequence[Layer], which: Ints, gids: Ints) -> Part:
    """Nodes of several layers, which[i] the layer of gids[i]. Raises IllegalConnection for layers of other dimensions or another period."""
    one = layers[0]
    if all(layer is one for layer in layers):
        return one.part(gids)
    for layer in layers:
        if layer.positions.shape[1] != one.positions.shape[1]:
            raise IllegalConnection(f"nodes in {one.positions.shape[1]} and in {layer.positions.shape[1]} dimensions cannot be joined")
        if layer.periodic != one.periodic or (one.periodic and not same_period(layer, one)):
            raise IllegalConnection(
                "nodes with different periodic boundaries cannot be joined; create them with the same extent and periodic"
            )
    positions = np.empty((len(gids), one.positions.shape[1]))
    for k, layer in enumerate(layers):
        some = np.flatnonzero(which == k)
        positions[some] = layer.positions_of(gids[some])
    low = np.min([layer.center - layer.extent / 2.0 for layer in layers], axis=0)
    high = np.max([layer.center + layer.extent / 2.0 for layer in layers], axis=0)
    extent = one.extent if one.periodic else high - low
    return Part(gids, positions, (low + high) / 2.0, extent, one.periodic)


def same_period(one: Layer | Part, other: Layer | Part) -> bool:
    """Whether both repeat after the same lengths."""
    return one.extent.shape == other.extent.shape and bool((one.extent == other.extent).all())


def shortest(difference: Floats, layer: Layer | Part) -> Floats:
    """Vectors between nodes, float64 (n, dims), along the shortest way where the edges of the layer are joined."""
    return np.column_stack([wrapped(difference[:, k], layer, k) for k in range(difference.shape[1])])
