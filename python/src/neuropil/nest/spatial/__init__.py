# SPDX-License-Identifier: Apache-2.0
"""nest.spatial: where nodes are (grid, free), and Parameters of positions and distances."""

from __future__ import annotations

from ...space.engine import Distance as _Distance
from ..parameters import distance as _distance
from ..parameters import position as _position
from ..parameters.expression import Parameter as _Parameter
from .layers import free, grid

__all__ = ["distance", "free", "grid", "pos", "source_pos", "target_pos"]


class _Position:
    """Position of a node: its coordinates x, y, z, or n(k) for coordinate k from 0."""

    def __init__(self, endpoint: int) -> None:
        self._endpoint = endpoint
        self.x, self.y, self.z = (self.n(k) for k in range(3))

    def n(self, dimension: int) -> _Parameter:
        """Coordinate number `dimension`, from 0."""
        return _position(dimension, self._endpoint)


pos = _Position(0)  # of the node that a value is for
source_pos, target_pos = _Position(1), _Position(2)  # of the ends of a connection


class _DistanceParameter(_Parameter):
    """Distance between source and target; distance.x, .y, .z are its parts along one dimension, never negative."""

    x, y, z = _distance(1), _distance(2), _distance(3)

    @staticmethod
    def n(dimension: int) -> _Parameter:
        """Part along dimension 1, 2, 3; 0 is the distance itself."""
        return _distance(dimension)


distance = _DistanceParameter(_Distance())
