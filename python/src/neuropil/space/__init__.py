# SPDX-License-Identifier: Apache-2.0
"""Space: positions of nodes, distances between them, masks, and values that depend on them.

    sheet = npl.grid((20, 20), extent=(1.0, 1.0), periodic=True)
    exc = net.create("iaf_psc_alpha", positions=sheet)
    near = npl.pairwise_bernoulli(npl.space.gaussian(npl.distance, std=0.1), mask=npl.space.circle(0.4))
    net.connect(exc, exc, near, weight=20.0 - 10.0 * npl.distance, delay=0.5 + 2.0 * npl.distance)

Lengths are in a unit of the user's choice, the same everywhere; angles in degrees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.lazy import lazy

if TYPE_CHECKING:
    from .arrangements import Free, Grid, free, grid
    from .ends import displacement, distance, position, source, target
    from .expression import Expression
    from .functions import clip, cos, exp, log, maximum, minimum, redraw, sin, sqrt, where
    from .masks import Mask
    from .profiles import exponential_decay, gabor, gamma, gaussian, gaussian2d
    from .shapes import box, circle, doughnut, ellipse, ellipsoid, grid_mask, sphere

_PLACES = {
    "arrangements": ("Free", "Grid", "free", "grid"),
    "ends": ("displacement", "distance", "position", "source", "target"),
    "expression": ("Expression",),
    "functions": ("clip", "cos", "exp", "log", "maximum", "minimum", "redraw", "sin", "sqrt", "where"),
    "masks": ("Mask",),
    "profiles": ("exponential_decay", "gabor", "gamma", "gaussian", "gaussian2d"),
    "shapes": ("box", "circle", "doughnut", "ellipse", "ellipsoid", "grid_mask", "sphere"),
}

__all__ = [
    "Expression",
    "Free",
    "Grid",
    "Mask",
    "box",
    "circle",
    "clip",
    "cos",
    "displacement",
    "distance",
    "doughnut",
    "ellipse",
    "ellipsoid",
    "exp",
    "exponential_decay",
    "free",
    "gabor",
    "gamma",
    "gaussian",
    "gaussian2d",
    "grid",
    "grid_mask",
    "log",
    "maximum",
    "minimum",
    "position",
    "redraw",
    "sin",
    "source",
    "sphere",
    "sqrt",
    "target",
    "where",
]


def __dir__() -> list[str]:
    """Public names only."""
    return __all__


__getattr__ = lazy(__name__, {name: f".{module}" for module, names in _PLACES.items() for name in names})
