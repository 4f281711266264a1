# SPDX-License-Identifier: Apache-2.0
"""Potentials of currents that leave cylinders, in an infinite homogeneous conductor."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import to_floats
from ...base.named import named_arguments
from ...errors import bad_length
from .cells import positive

__all__ = ["line_source", "to_points"]

Floats = NDArray[np.float64]


@named_arguments
def line_source(start: ArrayLike, end: ArrayLike, points: ArrayLike, radius: ArrayLike = 0.0, conductivity: float = 0.3) -> Floats:
    """Potential at points per current that leaves lines (µV/pA), float64 of shape (n_points, n_lines): Holt & Koch, J. Comput. Neurosci. 6:169 (1999).

    start, end : float64, shape (n_lines, 3), µm; points : float64, shape (n_points, 3), µm
    radius : of the cylinders (µm), shape (n_lines,) or a number: nearer points count as on the membrane
    conductivity : S/m

    The current leaves a line evenly along its length. Raises BadLength, BadParameter.
    """
    first, last, at = to_points("start", start), to_points("end", end), to_points("points", points)
    length = np.linalg.norm(last - first, axis=1)
    along = (last - first) / length[:, None]
    to_point = at[:, None, :] - first
    position = np.einsum("plx,lx->pl", to_point, along)
    aside = np.sqrt(np.maximum((to_point**2).sum(axis=2) - position**2, 0.0))
    aside = np.maximum(aside, np.maximum(np.asarray(radius, np.float64), 1e-9))
    found = (np.arcsinh((length - position) / aside) + np.arcsinh(position / aside)) / length
    return np.asarray(found / (4.0 * np.pi * positive("conductivity", conductivity)), np.float64)


def to_points(name: str, value: ArrayLike) -> Floats:
    """Positions of shape (n, 3), µm; n values of z stand for points on the axis. Raises BadLength, BadType."""
    array = to_floats(name, value)
    if array.ndim == 1:
        array = np.column_stack([np.zeros((len(array), 2)), array])
    if array.ndim != 2 or array.shape[1] != 3:
        raise bad_length(name, "x".join(map(str, array.shape)), "n positions (x, y, z), or n values of z")
    return array
