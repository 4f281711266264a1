# SPDX-License-Identifier: Apache-2.0
"""Writes morphologies as SWC or H5v1 files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .errors import writing
from .libraries import library
from .morphologies import SOMA, Morphology

__all__ = ["write_h5", "write_swc"]

_CONTOUR = 16  # points of the outline of a soma


def write_swc(path: Path, m: Morphology) -> None:
    """Soma as one sample; a section does not repeat the last point of its parent."""
    lines = ["# id type x y z radius parent", _sample(1, SOMA, m.soma_centre, m.soma_radius, -1)]
    last: list[int] = []  # sample at the end of each section
    for k in range(m.n_sections):
        rows = range(int(m.begin[k]) + int(m.parent[k] >= 0), int(m.begin[k + 1]))
        before = last[m.parent[k]] if m.parent[k] >= 0 else 1
        for row in rows:
            lines.append(_sample(len(lines), int(m.kind[k]), m.points[row], m.radii[row], before))
            before = len(lines) - 1
        last.append(before)
    with writing(path):
        path.write_text("\n".join(lines) + "\n")


def _sample(number: int, kind: int, point: np.ndarray, radius: float, parent: int) -> str:
    return f"{number} {kind} {point[0]:.6f} {point[1]:.6f} {point[2]:.6f} {radius:.6f} {parent}"


def write_h5(path: Path, m: Morphology) -> None:
    """H5v1: points with diameters, sections by first point, type and parent; the soma is a ring of points."""
    angle = 2.0 * np.pi * np.arange(_CONTOUR) / _CONTOUR
    ring = m.soma_centre + m.soma_radius * np.stack([np.cos(angle), np.sin(angle), np.zeros(_CONTOUR)], axis=1)
    points = np.concatenate([np.column_stack([ring, np.zeros(_CONTOUR)]), np.column_stack([m.points, 2.0 * m.radii])])
    rows = np.column_stack([m.begin[:-1] + _CONTOUR, m.kind, np.where(m.parent < 0, 0, m.parent + 1)])
    with writing(path), library("h5py").File(path, "w") as file:
        file["points"] = points
        file["structure"] = np.concatenate([[[0, SOMA, -1]], rows]).astype(np.int32)
