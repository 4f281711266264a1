# SPDX-License-Identifier: Apache-2.0
"""nest.spatial: where nodes are (grid, free), and Parameters of positions and distances."""

from __future__ import annotations

from ...space.leaves import Distance as _Distance
from ..parameters.creating import distance as _distance
from ..parameters.creating import position as _position
from ..parameters.expression import Parameter as _Parameter
from .layers import free, grid

__all__ = ["distance", "free", "grid", "pos", "source_pos", "target_pos"]


class pos:  # noqa: N801  (the name is NEST's)
    """Position of the node that a value is for: pos.x, pos.y, pos.z, or pos.n(k) for coordinate k from 0."""

    x, y, z = _position(0), _position(1), _position(2)

    @staticmethod
    def n(dimension: int) -> _Parameter:
        """Coordinate number `dimension`, from 0."""
        return _position(dimension)


class source_pos:  # noqa: N801
    """Position of the source of a connection, as `pos`."""

    x, y, z = _position(0, 1), _position(1, 1), _position(2, 1)

    @staticmethod
    def n(dimension: int) -> _Parameter:
        """Coordinate number `dimension`, from 0."""
        return _position(dimension, 1)


class target_pos:  # noqa: N801
    """Position of the target of a connection, as `pos`."""

    x, y, z = _position(0, 2), _position(1, 2), _position(2, 2)

    @staticmethod
    def n(dimension: int) -> _Parameter:
        """Coordinate number `dimension`, from 0."""
        return _position(dimension, 2)


class _DistanceParameter(_Parameter):
    """Distance between source and target; distance.x, .y, .z are its parts along one dimension, never negative."""

    x, y, z = _distance(1), _distance(2), _distance(3)

    @staticmethod
    def n(dimension: int) -> _Parameter:
        """Part along dimension 1, 2, 3; 0 is the distance itself."""
        return _distance(dimension)


distance = _DistanceParameter(_Distance())
