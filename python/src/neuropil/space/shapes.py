# SPDX-License-Identifier: Apache-2.0
"""Masks as users make them. Lengths are in units of space, angles in degrees; a mask lies around its node unless it is shifted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_floats, to_number, to_whole
from ..base.named import named_arguments
from ..errors import bad_length, bad_parameter
from .masks import Ball, Box, Ellipsoid, GridMask, Mask, rotation

__all__ = ["box", "circle", "doughnut", "ellipse", "ellipsoid", "grid_mask", "sphere"]

Floats = NDArray[np.float64]


@named_arguments
def box(lower: ArrayLike, upper: ArrayLike, *, azimuth: float = 0.0, polar: float = 0.0) -> Mask:
    """A rectangle (2-D) or box (3-D) between two corners, turned about its centre by `azimuth` from x to y, in 3-D before by `polar` from z to x."""
    low, high = _corner("lower", lower), _corner("upper", upper)
    if low.shape != high.shape:
        raise bad_length("upper", len(high), len(low))
    if not (low < high).all():
        raise bad_parameter("upper", high.tolist(), f"beyond lower = {low.tolist()} in every dimension")
    if len(low) == 2 and polar != 0.0:
        raise bad_parameter("polar", polar, "left out in 2 dimensions")
    return Box(low, high, rotation(_angle("azimuth", azimuth), _angle("polar", polar), len(low)))


@named_arguments
def circle(radius: float) -> Mask:
    """Points of a plane within a distance."""
    return Ball(np.zeros(2), positive("radius", radius))


@named_arguments
def sphere(radius: float) -> Mask:
    """Points in space within a distance."""
    return Ball(np.zeros(3), positive("radius", radius))


@named_arguments
def doughnut(inner: float, outer: float) -> Mask:
    """Points of a plane farther away than `inner`, and not farther than `outer`."""
    if not 0.0 <= (least := to_number("inner", inner)) < (most := positive("outer", outer)):
        raise bad_parameter("inner", inner, f"from 0 to less than outer = {outer}")
    return Ball(np.zeros(2), most) - Ball(np.zeros(2), least)


@named_arguments
def ellipse(major: float, minor: float, *, azimuth: float = 0.0) -> Mask:
    """An ellipse with these axes (from end to end), the major one along x, turned by `azimuth` from x to y."""
    return _ellipsoid([major, minor], rotation(_angle("azimuth", azimuth), 0.0, 2))


@named_arguments
def ellipsoid(major: float, minor: float, polar_axis: float = math.inf, *, azimuth: float = 0.0, polar: float = 0.0) -> Mask:
    """An ellipsoid with these axes (from end to end) along x, y, z, turned by `azimuth` from x to y after `polar` from z to x."""
    return _ellipsoid([major, minor, polar_axis], rotation(_angle("azimuth", azimuth), _angle("polar", polar), 3))


@named_arguments
def grid_mask(shape: Sequence[int], anchor: Sequence[int] = (0, 0)) -> Mask:
    """Columns and rows of nodes on a grid in 2 dimensions; the one at `anchor` (column, row) lies on the node, rows count downwards."""
    columns_rows, where = ([to_whole(name, k) for k in value] for name, value in (("shape", shape), ("anchor", anchor)))
    if len(columns_rows) != 2 or min(columns_rows) < 1:
        raise bad_parameter("shape", shape, "two positive numbers, columns and rows")
    if len(where) != 2:
        raise bad_length("anchor", len(where), 2)
    return GridMask(tuple(columns_rows), tuple(where))


def positive(name: str, value: Any) -> float:
    """A number > 0. Raises BadType, BadParameter."""
    if not (number := to_number(name, value)) > 0.0:
        raise bad_parameter(name, value, "> 0")
    return number


def _ellipsoid(axes: list[float], turn: Floats | None) -> Mask:
    found = [positive(name, axis) for name, axis in zip(("major", "minor", "polar_axis"), axes, strict=False)]
    if found[0] < found[1]:
        raise bad_parameter("major", axes[0], f"at least minor = {found[1]:g}")
    return Ellipsoid(np.zeros(len(found)), np.array(found) / 2.0, turn)


def _angle(name: str, value: Any) -> float:
    if not math.isfinite(angle := to_number(name, value)):
        raise bad_parameter(name, value, "finite")
    return angle


def _corner(name: str, value: ArrayLike) -> Floats:
    corner = to_floats(name, value, "numbers")
    if corner.ndim != 1 or len(corner) not in (2, 3):
        raise bad_length(name, corner.shape, "2 or 3")
    return corner
