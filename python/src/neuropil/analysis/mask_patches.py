# SPDX-License-Identifier: Apache-2.0
"""Masks in two dimensions as exact shapes of matplotlib. See `plot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.libraries import matplotlib
from ..base.named import named_arguments
from ..space.masks import Anchored, Ball, Box, Ellipsoid, Mask, Remainder

if TYPE_CHECKING:
    from matplotlib.patches import Patch

__all__ = ["mask_patch"]


@named_arguments
def mask_patch(mask: Mask, at: ArrayLike, **look: Any) -> Patch | None:
    """The exact shape of a mask around a position, for `ax.add_patch`; None where no single shape draws it.

    Circles, doughnuts, ellipses and rectangles have one, shifted or not. `look`: facecolor, edgecolor, linewidth, zorder, ...
    """
    patches: Any = matplotlib("patches")
    centre = np.asarray(at, np.float64)
    while isinstance(mask, Anchored):
        centre, mask = centre + mask._anchor, mask._mask
    if mask.dims != 2:
        return None
    if isinstance(mask, Ball):
        return patches.Circle(_pair(centre + mask._centre), mask._radius, **look)
    if isinstance(mask, Ellipsoid):
        return patches.Ellipse(_pair(centre + mask._centre), *_pair(2.0 * mask._half), angle=_angle(mask._turn), **look)
    if isinstance(mask, Box):
        middle = _pair(centre + mask._centre)
        return patches.Rectangle(
            _pair(centre + mask._low), *_pair(mask._high - mask._low), angle=_angle(mask._turn), rotation_point=middle, **look
        )
    if isinstance(mask, Remainder) and isinstance(mask._whole, Ball) and isinstance(mask._hole, Ball):
        return _ring(mask._whole, mask._hole, centre, look)
    return None


def _ring(whole: Ball, hole: Ball, centre: NDArray[np.float64], look: dict[str, Any]) -> Patch:
    path = matplotlib("path").Path
    ring = path.unit_circle()
    points = np.asarray(ring.vertices)
    back = np.concatenate([points[-2::-1], points[-1:]])  # the other way round: a hole; the last point closes the ring
    places = np.concatenate([points * whole._radius + whole._centre, back * hole._radius + hole._centre])
    return matplotlib("patches").PathPatch(path(places + centre, np.tile(np.asarray(ring.codes), 2)), **look)


def _angle(turn: NDArray[np.float64] | None) -> float:
    """Degrees from x to y."""
    return 0.0 if turn is None else float(np.rad2deg(np.arctan2(turn[1, 0], turn[0, 0])))


def _pair(point: NDArray[np.float64]) -> tuple[float, float]:
    return float(point[0]), float(point[1])
