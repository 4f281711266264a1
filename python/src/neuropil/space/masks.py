# SPDX-License-Identifier: Apache-2.0
"""Masks: regions around a node in which others are looked for. A point on the edge is inside."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_floats
from ..errors import BadLength, bad_length, bad_parameter
from .code import Code, NotCompiled
from .layers import Part

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Mask:
    """A region in 2 or 3 dimensions relative to a node. `a | b`, `a & b`, `a - b` combine, `a.shifted(by)` moves.

    dims : 2 or 3; low, high : float64 (dims,), a box that holds the region
    """

    dims: int
    low: Floats
    high: Floats

    def inside(self, points: Floats) -> Flags:
        """Which points are in the region; points float64 (dims, n), result (n,)."""
        raise NotImplementedError  # pragma: no cover

    def code(self, code: Code, point: list[int]) -> int:
        """Writes whether a point is inside into a program for the kernel, 1 or 0; point: results with its coordinates."""
        raise NotCompiled

    def on(self, pool: Part) -> Mask:
        """The mask in units of space. Raises BadParameter for a grid mask on free positions."""
        return self

    @property
    def ellipsoid(self) -> tuple[Floats, Floats]:
        """Middle and half axes, float64 (dims,), of an ellipsoid along the axes that holds the region; infinite where none is known."""
        return np.zeros(self.dims), np.full(self.dims, np.inf)

    def contains(self, points: ArrayLike) -> Any:
        """Whether a point, shape (dims,), or each of several, shape (n, dims), is in the region. Raises BadLength."""
        given = to_floats("points", points, "numbers")
        if given.ndim not in (1, 2) or given.shape[-1] != self.dims:
            raise bad_length("points", given.shape, f"shape ({self.dims},) or (n, {self.dims})")
        found = self.inside(np.atleast_2d(given).T)
        return found if given.ndim == 2 else bool(found[0])

    def shifted(self, by: ArrayLike) -> Mask:
        """The region moved by a vector, (dims,)."""
        vector = to_floats("by", by, "numbers")
        if vector.shape != (self.dims,):
            raise bad_length("by", vector.size, self.dims)
        if not np.isfinite(vector).all():
            raise bad_parameter("by", vector.tolist(), "finite")
        return Anchored(self, vector)

    def __or__(self, other: Any) -> Mask:
        return self._combined(other, Union)

    def __and__(self, other: Any) -> Mask:
        return self._combined(other, Intersection)

    def __sub__(self, other: Any) -> Mask:
        return self._combined(other, Remainder)

    def _combined(self, other: Any, kind: Callable[[Mask, Mask], Mask]) -> Mask:
        if not isinstance(other, Mask):
            return NotImplemented
        if self.dims != other.dims:
            raise BadLength(f"masks of {self.dims} and {other.dims} dimensions cannot be combined", "mask", other.dims, self.dims)
        return kind(self, other)

    def __repr__(self) -> str:
        return f"<mask in {self.dims} dimensions, {type(self).__name__.lower()} within {self.low.tolist()} and {self.high.tolist()}>"


class Box(Mask):
    """Points between two corners; `turn` (dims, dims) rotates it about its centre, None: not."""

    def __init__(self, lower_left: Floats, upper_right: Floats, turn: Floats | None = None) -> None:
        self.dims = len(lower_left)
        self._low, self._high, self._turn = lower_left, upper_right, turn
        centre, half = (lower_left + upper_right) / 2.0, (upper_right - lower_left) / 2.0
        if turn is not None:
            half = np.abs(turn) @ half
        self._centre = centre
        self.low, self.high = (lower_left, upper_right) if turn is None else (centre - half, centre + half)

    def inside(self, points: Floats) -> Flags:
        if self._turn is not None:
            points = _turned_back(points, self._centre, self._turn) + self._centre[:, None]
            margin = 1e-12 * (self._high - self._low)  # rotations round: a corner stays inside
            return _between(points, self._low - margin, self._high + margin)
        return _between(points, self._low, self._high)

    def code(self, code: Code, point: list[int]) -> int:
        low, high = self._low, self._high
        if self._turn is not None:
            margin = 1e-12 * (high - low)
            low, high = low - margin - self._centre, high + margin - self._centre
            point = _turned_code(code, point, self._centre, self._turn)
        parts = []
        for place, low_k, high_k in zip(point, low.tolist(), high.tolist(), strict=True):
            parts += [code("less_equal", code.constant(low_k), place), code("less_equal", place, code.constant(high_k))]
        return _all_of(code, parts)


class Ball(Mask):
    """Points within a distance of the centre."""

    def __init__(self, centre: Floats, radius: float) -> None:
        self.dims = len(centre)
        self._centre, self._radius = centre, radius
        self._square = _largest_square(radius)
        self.low, self.high = centre - radius, centre + radius

    def __repr__(self) -> str:
        found = f"{'circle' if self.dims == 2 else 'sphere'}({self._radius:g})"
        return found + (f".shifted({self._centre.tolist()})" if self._centre.any() else "")

    def inside(self, points: Floats) -> Flags:
        square = (points[0] - self._centre[0]) ** 2
        for k in range(1, self.dims):
            square += (points[k] - self._centre[k]) ** 2
        return np.asarray(square <= self._square)

    def code(self, code: Code, point: list[int]) -> int:
        squares = [code("square", code.shifted(place, centre)) for place, centre in zip(point, self._centre.tolist(), strict=True)]
        return code("less_equal", _sum_of(code, squares), code.constant(self._square))

    @property
    def ellipsoid(self) -> tuple[Floats, Floats]:
        return self._centre, np.full(self.dims, self._radius)


class Ellipsoid(Mask):
    """An ellipse or ellipsoid with half axes float64 (dims,), rotated about its centre by `turn`, None: not."""

    def __init__(self, centre: Floats, half_axes: Floats, turn: Floats | None = None) -> None:
        self.dims = len(centre)
        self._centre, self._half, self._turn = centre, half_axes, turn
        half = half_axes if turn is None else _ellipsoid_reach(turn, half_axes)
        self.low, self.high = centre - half, centre + half

    def inside(self, points: Floats) -> Flags:
        moved = points - self._centre[:, None] if self._turn is None else _turned_back(points, self._centre, self._turn)
        return np.asarray(((moved / self._half[:, None]) ** 2).sum(axis=0) <= 1.0)

    def code(self, code: Code, point: list[int]) -> int:
        if self._turn is None:
            point = [code.shifted(place, centre) for place, centre in zip(point, self._centre.tolist(), strict=True)]
        else:
            point = _turned_code(code, point, self._centre, self._turn)
        parts = [code("square", code("divide", place, code.constant(half))) for place, half in zip(point, self._half.tolist(), strict=True)]
        return code("less_equal", _sum_of(code, parts), code.constant(1.0))

    @property
    def ellipsoid(self) -> tuple[Floats, Floats]:
        return (self._centre, self._half) if self._turn is None else super().ellipsoid


class Anchored(Mask):
    """A mask moved by `anchor`, float64 (dims,)."""

    def __init__(self, mask: Mask, anchor: Floats) -> None:
        self.dims, self._mask, self._anchor = mask.dims, mask, anchor
        self.low, self.high = mask.low + anchor, mask.high + anchor

    def inside(self, points: Floats) -> Flags:
        return self._mask.inside(points - self._anchor[:, None])

    def code(self, code: Code, point: list[int]) -> int:
        return self._mask.code(code, [code.shifted(place, shift) for place, shift in zip(point, self._anchor.tolist(), strict=True)])

    @property
    def ellipsoid(self) -> tuple[Floats, Floats]:
        middle, half = self._mask.ellipsoid
        return middle + self._anchor, half


class Union(Mask):
    """Points in one of two masks, or in both."""

    def __init__(self, one: Mask, other: Mask) -> None:
        self.dims, self._pair = one.dims, (one, other)
        self.low, self.high = np.minimum(one.low, other.low), np.maximum(one.high, other.high)

    def inside(self, points: Floats) -> Flags:
        return self._pair[0].inside(points) | self._pair[1].inside(points)

    def code(self, code: Code, point: list[int]) -> int:
        return code("either", *(mask.code(code, point) for mask in self._pair))


class Intersection(Mask):
    """Points in both of two masks."""

    def __init__(self, one: Mask, other: Mask) -> None:
        self.dims, self._pair = one.dims, (one, other)
        self.low = np.maximum(one.low, other.low)
        self.high = np.maximum(np.minimum(one.high, other.high), self.low)

    def inside(self, points: Floats) -> Flags:
        return self._pair[0].inside(points) & self._pair[1].inside(points)

    def code(self, code: Code, point: list[int]) -> int:
        return code("both", *(mask.code(code, point) for mask in self._pair))


class Remainder(Mask):
    """Points in the first of two masks and not in the second."""

    def __init__(self, whole: Mask, hole: Mask) -> None:
        self.dims, self._whole, self._hole = whole.dims, whole, hole
        self.low, self.high = whole.low, whole.high

    def inside(self, points: Floats) -> Flags:
        return self._whole.inside(points) & ~self._hole.inside(points)

    def code(self, code: Code, point: list[int]) -> int:
        return code("without", self._whole.code(code, point), self._hole.code(code, point))

    @property
    def ellipsoid(self) -> tuple[Floats, Floats]:
        return self._whole.ellipsoid


class GridMask(Mask):
    """shape[0] columns and shape[1] rows of a grid layer; the one at `anchor` lies on the driver, rows count downwards."""

    def __init__(self, shape: tuple[int, ...], anchor: tuple[int, ...]) -> None:
        self.dims, self.shape, self.anchor = 2, shape, anchor

    def on(self, pool: Part) -> Mask:
        """The mask in units of space: half a step beyond the outer nodes, edges included."""
        if pool.shape is None or pool.dims != 2:
            raise bad_parameter("mask", self, "another mask: a grid_mask needs positions made by grid(...) in 2 dimensions")
        step = pool.extent / np.array(pool.shape)
        left, above = -self.anchor[0] - 0.5, self.anchor[1] + 0.5
        return Box(step * np.array([left, above - self.shape[1]]), step * np.array([left + self.shape[0], above]))

    def contains(self, points: ArrayLike) -> Any:
        """Raises BadParameter: without a grid there is no inside."""
        raise bad_parameter("mask", self, "used with nodes on a grid: without them its size is not known")

    def shifted(self, by: ArrayLike) -> Mask:
        """Raises BadParameter: the anchor says where the mask is."""
        raise bad_parameter("mask", self, "moved by grid_mask(..., anchor=...)")

    def _combined(self, other: Any, kind: Callable[[Mask, Mask], Mask]) -> Mask:
        raise bad_parameter("mask", self, "used alone: masks of grids cannot be combined")

    def __repr__(self) -> str:
        return f"<mask of a grid, {self.shape[0]} columns, {self.shape[1]} rows>"


def _largest_square(radius: float) -> float:
    """The largest number whose square root is at most the radius: to compare with it is to compare lengths, bit by bit."""
    square = radius * radius
    while np.sqrt(square) > radius:
        square = float(np.nextafter(square, 0.0))
    while np.sqrt(np.nextafter(square, np.inf)) <= radius:
        square = float(np.nextafter(square, np.inf))
    return square


def _all_of(code: Code, parts: list[int]) -> int:
    return functools.reduce(lambda found, part: code("both", found, part), parts)


def _sum_of(code: Code, parts: list[int]) -> int:
    return functools.reduce(lambda found, part: code("add", found, part), parts)


def _turned_code(code: Code, point: list[int], centre: Floats, turn: Floats) -> list[int]:
    """As `_turned_back`, for the kernel."""
    moved = [code.shifted(place, shift) for place, shift in zip(point, centre.tolist(), strict=True)]
    axes = turn.T.tolist()
    return [
        _sum_of(code, [code("multiply", place, code.constant(factor)) for place, factor in zip(moved, axis, strict=True)]) for axis in axes
    ]


def _between(points: Floats, low: Floats, high: Floats) -> Flags:
    found = (points[0] >= low[0]) & (points[0] <= high[0])
    for k in range(1, len(low)):
        found &= (points[k] >= low[k]) & (points[k] <= high[k])
    return np.asarray(found)


def _turned_back(points: Floats, centre: Floats, turn: Floats) -> Floats:
    """Points relative to the centre in the axes of the mask."""
    return np.asarray(turn.T @ (points - centre[:, None]))


def _ellipsoid_reach(turn: Floats, half_axes: Floats) -> Floats:
    """Half the widths of the box around a turned ellipsoid; an axis may be infinite."""
    with np.errstate(invalid="ignore"):
        parts = np.where(np.abs(turn) < 1e-15, 0.0, turn * half_axes)
    return np.asarray(np.sqrt((parts**2).sum(axis=1)))


def rotation(azimuth: float, polar: float, dims: int) -> Floats | None:
    """Turns by `azimuth` degrees from x to y, in 3-D after turning by `polar` degrees from z to x; None for no turn."""
    if azimuth == 0.0 and polar == 0.0:
        return None
    a, p = np.deg2rad(azimuth), np.deg2rad(polar)
    about_z = np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])
    if dims == 2:
        return about_z[:2, :2]
    about_y = np.array([[np.cos(p), 0.0, np.sin(p)], [0.0, 1.0, 0.0], [-np.sin(p), 0.0, np.cos(p)]])
    return np.asarray(about_z @ about_y)
