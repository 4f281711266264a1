# SPDX-License-Identifier: Apache-2.0
"""Morphologies at their places in the circuit."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from .morphologies import Morphology

__all__ = ["lines", "placed", "rotated"]


def rotated(points: NDArray[np.float64], quaternion: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (n, 3) turned by a quaternion w, x, y, z of length 1."""
    w, v = quaternion[0], quaternion[1:]
    twice = 2.0 * np.cross(v, points)
    return np.asarray(points + w * twice + np.cross(v, twice), np.float64)


def placed(shape: Morphology, quaternion: NDArray[np.float64], position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of a morphology in the frame of the circuit (um)."""
    return rotated(shape.points, quaternion) + position


def lines(shape: Morphology, points: NDArray[np.float64], kinds: Collection[int]) -> NDArray[np.float64]:
    """Points of the sections of these types, with a row of nan after each: one line with gaps."""
    parts = []
    for k in np.flatnonzero(np.isin(shape.kind, list(kinds))):
        parts += [points[shape.begin[k] : shape.begin[k + 1]], np.full((1, 3), np.nan)]
    return np.concatenate(parts) if parts else np.empty((0, 3))
