# SPDX-License-Identifier: Apache-2.0
"""What an expression is evaluated for: nodes or connections, their keys and their positions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.laws import Law
from ..errors import NoPositions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MASK = (1 << 64) - 1
UNIFORM = Law("uniform", 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Context:
    """n nodes, or n connections.

    Parameters
    ----------
    seed, draw : of the network, and the number of this draw in it
    keys : int64, shape (n,): gids of nodes or numbers of connections; each has random numbers of its own
    node_pos : float64, shape (n, dims): of nodes that have positions
    source_pos, target_pos : float64, shape (n, dims): of connections between nodes that have positions
    extent : float64, shape (dims,), and periodic : the layer along whose edges distances wrap
    salt : tells apart the attempts of redraw
    """

    seed: int
    draw: int
    keys: Ints
    node_pos: Floats | None = None
    source_pos: Floats | None = None
    target_pos: Floats | None = None
    extent: Floats | None = None
    periodic: bool | None = None
    salt: int = 0

    @property
    def n(self) -> int:
        """Number of values that an evaluation gives."""
        return len(self.keys)

    @property
    def of_connections(self) -> bool:
        return self.source_pos is not None

    def take(self, chosen: NDArray[Any]) -> Context:
        """The same for some of the nodes or connections: a boolean mask or positions."""
        node, source, target = (None if p is None else p[chosen] for p in (self.node_pos, self.source_pos, self.target_pos))
        return replace(self, keys=self.keys[chosen], node_pos=node, source_pos=source, target_pos=target)

    def attempt(self, number: int, place: int) -> Context:
        """The same with fresh random numbers: attempt `number` of the redraw at `place` of the expression."""
        return replace(self, salt=_mixed(self.salt, place + 1, number))

    def values(self, place: int, distribution: Law) -> Floats:
        """One random number per key, for the leaf at `place` of the expression; float64 of shape (n,)."""
        return _core.draw_values(distribution.spec(), self.seed, self.stream(place), self.keys)

    def stream(self, place: int) -> int:
        """Number of the random numbers at `place`. The upper half of all streams is ours: the network numbers its own draws from 0."""
        return stream_of(self.draw, place, self.salt)

    def uniforms(self, place: int) -> Floats:
        """Numbers in (0, 1), as `values`."""
        return self.values(place, UNIFORM)

    @property
    def dims(self) -> int:
        """Dimensions of the space of connections. Raises as `end_positions`."""
        return self.end_positions("source").shape[1]

    def displacement(self, dimension: int) -> Floats:
        """Coordinate of target - source along the shortest way, shape (n,). Raises NoPositions where there are no connections."""
        source, target = self.end_positions("source"), self.end_positions("target")
        check_dimension(dimension, source)
        return wrapped(target[:, dimension] - source[:, dimension], self, dimension)

    def end_positions(self, end: str) -> Floats:
        """Positions of sources or targets, shape (n, dims). Raises NoPositions where there are no connections."""
        found: Floats | None = getattr(self, f"{end}_pos")
        if found is None:
            raise NoPositions(
                f"positions of {end}s and distances belong to connections between nodes with positions; for nodes use npl.position", True
            )
        return found


def check_dimension(dimension: int, positions: Floats) -> None:
    """Raises NoPositions for a coordinate that the positions do not have."""
    if dimension >= positions.shape[1]:
        raise NoPositions(
            f"coordinate {dimension}: these positions have {positions.shape[1]} dimensions, so coordinates 0 to {positions.shape[1] - 1}"
        )


def wrapped(difference: Floats, layer: Any, dimension: int) -> Floats:
    """Differences of a coordinate along the shortest way, in [-extent/2, extent/2) where the layer (.extent, .periodic) wraps."""
    if not layer.periodic:
        return difference
    extent = layer.extent[dimension]
    return np.asarray(difference - extent * np.floor(difference / extent + 0.5))


def stream_of(draw: int, place: int, salt: int = 0) -> int:
    """See `Context.stream`."""
    return _mixed(draw, place + 1, salt) | 1 << 63


def _mixed(*numbers: int) -> int:
    """64 bits from whole numbers, well mixed (splitmix64)."""
    state = 0
    for number in numbers:
        state = (state + number + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        state ^= state >> 31
    return state
