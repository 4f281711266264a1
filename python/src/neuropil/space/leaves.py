# SPDX-License-Identifier: Apache-2.0
"""Leaves of expressions: random numbers and positions; and redraw, which draws its part of the expression again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NoPositions, NothingDrawn
from ..model.distributions import Distribution
from .code import Code
from .context import UNIFORM, Context, Floats, check_dimension
from .expression import Expression, Term, exact
from .native_forms import Native, clipped, redrawn

_MOST_REDRAWS = 1000
_ONE_WORD = 1 << 16  # most numbers that a word of 32 bits draws with nearly equal chances


class WholeNumber(Expression):
    """0, 1, ..., n - 1, all equally likely."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self._n, self.form = n, f"uniform_int({n})"
        self._places = 2

    def native(self) -> Native:
        return Distribution("uniform_int", float(self._n)) if self._n <= _ONE_WORD else None

    def _values(self, context: Context, place: int) -> Floats:
        # Two words: one has 32 bits, which would prefer some of very many numbers.
        fine = (context.uniforms(place + 1) - 0.5 * 2.0**-32) * 2.0**-32 if self._n > _ONE_WORD else 0.0
        return np.minimum(np.floor((context.uniforms(place) + fine) * self._n), self._n - 1.0)

    def code(self, code: Code, place: int = 0) -> int:
        found = code.drawn(UNIFORM, place)
        if self._n > _ONE_WORD:
            half = code.constant(0.5 * 2.0**-32)
            fine = code("subtract", code.drawn(UNIFORM, place + 1), half)
            found = code("add", found, code("multiply", fine, code.constant(2.0**-32)))
        return code("smaller", code("floor", code("multiply", found, code.constant(self._n))), code.constant(self._n - 1.0))


class _Bounded(Expression):
    """The value of an expression within bounds; `name`: of the function that makes it."""

    name = ""

    def __init__(self, child: Term, low: float, high: float) -> None:
        super().__init__(child)
        self._low, self._high = low, high

    def __repr__(self) -> str:
        return f"{self.name}({self._children[0]!r}, {self._low:g}, {self._high:g})"

    def structure(self) -> tuple[Any, ...] | None:
        inner = self._children[0].structure()
        return None if inner is None else (type(self), exact(self._low), exact(self._high), inner)


class Redraw(_Bounded):
    """The value of an expression, drawn again where it is outside of [low, high], a thousand times at most."""

    name = "redraw"

    def native(self) -> Native:
        return redrawn(self._children[0].native(), self._low, self._high)

    def _values(self, context: Context, place: int) -> Floats:
        values = self._child(0, context, place)
        left = self._outside(values)
        for attempt in range(1, _MOST_REDRAWS + 1):
            if not len(left):
                return values
            again = self._child(0, context.take(left).attempt(attempt, place), place)
            values[left] = again
            left = left[self._outside(again)]
        raise NothingDrawn(f"no value in [{self._low:g}, {self._high:g}] after {_MOST_REDRAWS} redraws")

    def _outside(self, values: Floats) -> Any:
        return np.flatnonzero(~((values >= self._low) & (values <= self._high)))


class Clipped(_Bounded):
    """The value of an expression, at least `low` and at most `high`."""

    name = "clip"

    def native(self) -> Native:
        return clipped(self._children[0].native(), self._low, self._high)

    def _values(self, context: Context, place: int) -> Floats:
        return np.clip(self._child(0, context, place), self._low, self._high)

    def code(self, code: Code, place: int = 0) -> int:
        found = code("larger", code.constant(self._low), *self._coded(code, place))  # what is not a number stays
        return code("smaller", code.constant(self._high), found)


class NodePosition(Expression):
    """A coordinate of the node that the value is for."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self._dimension, self.form = dimension, f"position{_letter(dimension)}"

    def is_spatial(self) -> bool:
        return True

    def _values(self, context: Context, place: int) -> Floats:
        if context.of_connections:
            raise NoPositions("npl.position is of nodes; for connections use npl.space.source, npl.space.target or npl.distance", True)
        if context.node_pos is None:
            raise NoPositions("npl.position: these nodes have no positions; give them in create(..., positions=...)")
        check_dimension(self._dimension, context.node_pos)
        return np.array(context.node_pos[:, self._dimension])


class EndPosition(Expression):
    """A coordinate of the source or of the target of a connection."""

    def __init__(self, end: str, dimension: int) -> None:
        super().__init__()
        self._end, self._dimension, self.form = end, dimension, f"{end}{_letter(dimension)}"

    def is_spatial(self) -> bool:
        return True

    def _values(self, context: Context, place: int) -> Floats:
        positions = context.end_positions(self._end)
        check_dimension(self._dimension, positions)
        return np.array(positions[:, self._dimension])

    def code(self, code: Code, place: int = 0) -> int:
        return code.input(self._end, self._dimension)


class Distance(Expression):
    """Distance between source and target; with a dimension k = 1, 2, 3 only along that one, never negative."""

    def __init__(self, dimension: int = 0) -> None:
        super().__init__()
        self._dimension, self.form = dimension, f"abs(displacement{_letter(dimension - 1)})" if dimension else "distance"

    def is_spatial(self) -> bool:
        return True

    def _values(self, context: Context, place: int) -> Floats:
        if self._dimension:
            return np.abs(context.displacement(self._dimension - 1))
        square = context.displacement(0) ** 2
        for k in range(1, context.dims):
            square += context.displacement(k) ** 2
        return np.sqrt(square)

    def code(self, code: Code, place: int = 0) -> int:
        if self._dimension:
            return code("magnitude", code.input("move", self._dimension - 1))
        square = code("square", code.input("move", 0))
        for k in range(1, code.dims):
            square = code("add", square, code("square", code.input("move", k)))
        return code("root", square)


class Displacement(Expression):
    """A coordinate of the way from source to target, the shortest one where space wraps."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self._dimension, self.form = dimension, f"displacement{_letter(dimension)}"

    def is_spatial(self) -> bool:
        return True

    def _values(self, context: Context, place: int) -> Floats:
        return context.displacement(self._dimension)

    def code(self, code: Code, place: int = 0) -> int:
        return code.input("move", self._dimension)


def _letter(dimension: int) -> str:
    return f".{'xyz'[dimension]}" if dimension < 3 else f"[{dimension}]"
