# SPDX-License-Identifier: Apache-2.0
"""Where nodes are: on a grid, or at given or drawn positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_floats
from ..base.named import named_arguments
from ..errors import NoPositions, bad_length, bad_parameter, bad_type
from .context import Context
from .expression import Term, to_term
from .layers import Layer

__all__ = ["Free", "Grid", "free", "grid", "to_layer"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Nodes on a grid; made by `grid`. `shape`: columns, rows (and layers in z); center, extent: float64 (dims,)."""

    shape: tuple[int, ...]
    center: Floats
    extent: Floats
    periodic: bool

    def layer(self) -> Layer:
        """The nodes, column by column from the upper left corner; in 3-D along z first."""
        positions = np.empty((int(np.prod(self.shape)), len(self.shape)))
        for k, index in enumerate(np.indices(self.shape).reshape(len(self.shape), -1)):
            step, lowest = self.extent[k] / self.shape[k], self.center[k] - self.extent[k] / 2.0
            # Rows count from the top. Written so that every sum is rounded as in NEST.
            down = lowest + self.extent[k] - step * index - step * 0.5
            positions[:, k] = down if k == 1 else lowest + step * index + step * 0.5
        return Layer(positions, self.center, self.extent, self.periodic, self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Free:
    """Nodes at positions float64 (n, dims), or with coordinates that are drawn; made by `free`."""

    positions: Floats | tuple[Term, ...]
    extent: Floats | None
    periodic: bool

    def layer(self, n: int, seed: int, draw: int) -> Layer:
        """n nodes where positions are drawn. Raises BadParameter for an extent that is too small."""
        positions = self.positions if isinstance(self.positions, np.ndarray) else _drawn(self.positions, n, seed, draw)
        low, high = positions.min(axis=0), positions.max(axis=0)
        extent = np.ceil(high - low) if self.extent is None else self.extent
        if ((high - low) > extent * (1.0 + 1e-12)).any():
            raise bad_parameter("extent", extent.tolist(), f"at least what positions span, {(high - low).tolist()}")
        if self.periodic and (extent <= 0.0).any():
            raise bad_parameter("extent", extent.tolist(), "> 0 in every dimension of a periodic space")
        return Layer(positions, (low + high) / 2.0, extent, self.periodic)


@named_arguments
def grid(shape: Sequence[int], *, center: ArrayLike | None = None, extent: ArrayLike | None = None, periodic: bool = False) -> Grid:
    """Positions on a grid, for `create(model, positions=grid((10, 10)))`: numbered column by column from the upper left corner, in 3-D along z first.

    shape : numbers of columns and rows (and layers in z); center, extent : of the whole, default 0 and 1 in every dimension
    periodic : whether opposite edges are joined: masks and distances go across them

    Raises BadType, BadLength, BadParameter.
    """
    numbers = _shape(shape)
    dims = len(numbers)
    return Grid(numbers, _vector("center", center, dims, 0.0), _vector("extent", extent, dims, 1.0), _flag(periodic))


@named_arguments
def free(positions: Any, *, dims: int | None = None, extent: ArrayLike | None = None, periodic: bool = False) -> Free:
    """Positions that are given or drawn, for `create(model, 400, positions=free(uniform(-0.5, 0.5), dims=2))`.

    positions : numbers of shape (n, 2) or (n, 3); or what each coordinate is drawn from, one distribution or expression for all (with `dims`
        or `extent`), or a list of 2 or 3
    extent : of the layer around the middle of its nodes, (dims,); default: the smallest whole numbers that hold all nodes
    periodic : whether opposite edges are joined: masks and distances go across them

    Raises BadType, BadLength, BadParameter.
    """
    n = dims if dims is not None or extent is None else int(np.size(np.asarray(extent)))
    if n is not None and n not in (2, 3):
        raise bad_parameter("dims", n, "2 or 3")
    found = _coordinates(positions, n)
    width = None if extent is None else _vector("extent", extent, found.shape[1] if isinstance(found, np.ndarray) else len(found), 1.0)
    return Free(found, width, _flag(periodic))


def to_layer(positions: Any, n: int | None, seed: int, draw: Callable[[], int]) -> Layer:
    """The layer that a user means by `positions` of create; draw: gives a number for what is drawn. Raises BadLength where n is given and is not their number, and as `grid` and `free`."""
    given = positions if isinstance(positions, Grid | Free) else free(positions)
    if isinstance(given, Free) and not isinstance(given.positions, np.ndarray):
        if (1 if n is None else n) < 1:
            raise bad_parameter("n", n, "at least 1 where nodes have positions")
        return given.layer(1 if n is None else n, seed, draw())
    layer = given.layer() if isinstance(given, Grid) else given.layer(0, seed, 0)
    if n is not None and n != len(layer.positions):
        raise bad_length("positions", len(layer.positions), n)
    return layer


def _coordinates(given: Any, dims: int | None) -> Floats | tuple[Term, ...]:
    term = None if isinstance(given, int | float) else to_term(given)
    if term is not None:
        if dims is None:
            raise bad_parameter("dims", dims, "2 or 3 (or `extent` given): one distribution does not tell the number of coordinates")
        return _checked((term,) * dims)
    if isinstance(given, list | tuple) and any(isinstance(to_term(entry), Term) and not isinstance(entry, int | float) for entry in given):
        terms = tuple(to_term(entry) for entry in given)
        if any(entry is None for entry in terms):
            raise bad_type("positions", given, "an expression, distribution or number for each coordinate")
        if len(terms) not in (2, 3) or len(terms) != (dims or len(terms)):
            raise bad_length("positions", len(terms), dims or "2 or 3")
        return _checked(terms)  # type: ignore[arg-type]
    return _array(given, dims)


def _array(given: Any, dims: int | None) -> Floats:
    positions = to_floats("positions", given, "grid(...), free(...), or numbers of shape (n, 2) or (n, 3)")
    if positions.ndim != 2 or positions.shape[1] not in ((2, 3) if dims is None else (dims,)) or not len(positions):
        raise bad_length("positions", positions.shape, "shape (n, 2) or (n, 3)" if dims is None else f"shape (n, {dims})")
    if not np.isfinite(positions).all():
        raise bad_parameter("positions", positions[~np.isfinite(positions).all(axis=1)][0].tolist(), "finite")
    positions.flags.writeable = False
    return positions


def _checked(coordinates: tuple[Term, ...]) -> tuple[Term, ...]:
    if any(entry.is_spatial() for entry in coordinates):
        raise NoPositions("coordinates cannot depend on positions")
    return coordinates


def _drawn(coordinates: tuple[Term, ...], n: int, seed: int, draw: int) -> Floats:
    context = Context(seed, draw, np.arange(1, n + 1, dtype=np.int64))
    positions = np.column_stack([each.evaluate(context.attempt(k, 0)) for k, each in enumerate(coordinates)])
    if not np.isfinite(positions).all():
        raise bad_parameter("positions", "drawn", "finite")
    return positions


def _shape(given: Any) -> tuple[int, ...]:
    array = np.asarray(given)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise bad_type("shape", given, "a list of whole numbers")
    if len(array) not in (2, 3):
        raise bad_length("shape", len(array), "2 or 3")
    if (array < 1).any():
        raise bad_parameter("shape", array.tolist(), "positive numbers")
    return tuple(array.tolist())


def _vector(name: str, given: Any, dims: int, default: float) -> Floats:
    vector = np.full(dims, default) if given is None else to_floats(name, given, "numbers")
    if vector.shape != (dims,):
        raise bad_length(name, np.size(vector), dims)
    if not np.isfinite(vector).all() or (name == "extent" and (vector < 0.0).any()):
        raise bad_parameter(name, vector.tolist(), "finite, and >= 0 where it is the extent")
    return vector


def _flag(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise bad_type("periodic", value, "True or False")
    return bool(value)
