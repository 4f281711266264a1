# SPDX-License-Identifier: Apache-2.0
"""Masks around a node as shapes of matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.patches import Patch

    from ...engine import Floats

__all__ = ["shape_of"]


def shape_of(mask: Any, node: Floats, colour: Any) -> Patch | None:
    """The shape of a valid mask {name: {...}, "anchor": [...]} around the position of a node; None for other masks.

    Names: circular, doughnut, elliptical, rectangular.
    """
    if not isinstance(mask, Mapping):
        return None
    name = next(key for key in mask if key != "anchor")
    if name not in _SHAPES:
        return None
    spec = mask[name]
    anchor = mask.get("anchor", spec.get("anchor"))
    centre = np.asarray(node, np.float64) + (0.0 if anchor is None else np.asarray(anchor, np.float64))
    from matplotlib.colors import to_rgba

    look = {"facecolor": to_rgba(colour, 0.2), "edgecolor": (0.0, 0.0, 0.0, 0.2), "linewidth": 2.0, "zorder": 0.5}
    return _SHAPES[name](spec, centre, look)


def _circle(spec: Mapping[str, Any], centre: Floats, look: dict[str, Any]) -> Patch:
    from matplotlib.patches import Circle

    return Circle((centre[0], centre[1]), spec["radius"], **look)


def _doughnut(spec: Mapping[str, Any], centre: Floats, look: dict[str, Any]) -> Patch:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    ring = Path.unit_circle()
    points = np.asarray(ring.vertices)
    back = np.concatenate([points[-2::-1], points[-1:]])  # the other way round: a hole; the last point closes the ring
    path = Path(np.concatenate([points * spec["outer_radius"], back * spec["inner_radius"]]) + centre, np.tile(np.asarray(ring.codes), 2))
    return PathPatch(path, **look)


def _ellipse(spec: Mapping[str, Any], centre: Floats, look: dict[str, Any]) -> Patch:
    from matplotlib.patches import Ellipse

    return Ellipse((centre[0], centre[1]), spec["major_axis"], spec["minor_axis"], angle=spec.get("azimuth_angle", 0.0), **look)


def _rectangle(spec: Mapping[str, Any], centre: Floats, look: dict[str, Any]) -> Patch:
    from matplotlib.patches import Rectangle

    low, high = (np.asarray(spec[key], np.float64) for key in ("lower_left", "upper_right"))
    middle = centre + (low + high) / 2.0
    corner, (width, height) = centre + low, high - low
    return Rectangle(
        (corner[0], corner[1]), width, height, angle=spec.get("azimuth_angle", 0.0), rotation_point=(middle[0], middle[1]), **look
    )


_SHAPES: dict[str, Callable[[Mapping[str, Any], Any, dict[str, Any]], Any]] = {
    "circular": _circle,
    "doughnut": _doughnut,
    "elliptical": _ellipse,
    "rectangular": _rectangle,
}
