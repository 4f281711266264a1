# SPDX-License-Identifier: Apache-2.0
"""Leaves of expressions that say where: position of a node; source, target, displacement and distance of a connection."""

from __future__ import annotations

from collections.abc import Callable

from ..base.checks import to_whole
from ..errors import OutOfRange
from .expression import Expression
from .leaves import Displacement, Distance, EndPosition, NodePosition

__all__ = ["Coordinates", "displacement", "distance", "position", "source", "target"]


class Coordinates:
    """Coordinates of a point or vector, each an expression: .x, .y, .z, or [k] with k from 0."""

    def __init__(self, make: Callable[[int], Expression], doc: str) -> None:
        self._make, self.__doc__ = make, doc

    @property
    def x(self) -> Expression:
        """The first coordinate."""
        return self[0]

    @property
    def y(self) -> Expression:
        """The second coordinate."""
        return self[1]

    @property
    def z(self) -> Expression:
        """The third coordinate, in 3 dimensions."""
        return self[2]

    def __getitem__(self, dimension: int) -> Expression:
        number = to_whole("dimension", dimension)
        if not 0 <= number < 3:
            raise OutOfRange(f"coordinate {number}: there are 0, 1 and, in 3 dimensions, 2")
        return self._make(number)

    def __repr__(self) -> str:
        return f"<{self.__doc__}>"


position = Coordinates(NodePosition, "position of the node that a value is for: .x, .y, .z")
source = Coordinates(lambda k: EndPosition("source", k), "position of the source of a connection: .x, .y, .z")
target = Coordinates(lambda k: EndPosition("target", k), "position of the target of a connection: .x, .y, .z")
displacement = Coordinates(Displacement, "way from source to target, the shortest one where space wraps: .x, .y, .z")
distance: Expression = Distance()
"""Distance between source and target of a connection, the shortest one where space wraps."""
