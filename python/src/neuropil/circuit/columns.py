# SPDX-License-Identifier: Apache-2.0
"""The columns of a touch: names as in SONATA, types, units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMNS", "ROW_BYTES", "SOURCE", "TARGET", "Touches", "check"]

SOURCE, TARGET = "source_node_id", "target_node_id"
Touches = Mapping[str, NDArray[Any]]

_SIDE = {
    "section_id": "<i4",  # 0: soma; k + 1: section k of the morphology as MorphIO counts
    "segment_id": "<i4",
    "segment_offset": "<f4",  # um from the start of the segment
    "section_pos": "<f4",  # 0 .. 1 along the section
    "section_type": "|u1",  # SWC codes
    **{f"{what}_{axis}": "<f4" for what in ("surface", "center") for axis in "xyz"},  # um, on the surface and on the axis
    "distance_soma": "<f4",  # um along the path
}
# In the order of the file.
COLUMNS: dict[str, str] = {
    SOURCE: "<i8",
    TARGET: "<i8",
    **{f"{side}_{name}": kind for side in ("efferent", "afferent") for name, kind in _SIDE.items()},
    "spine_length": "<f4",  # um from surface to surface, 0 where they overlap
}
ROW_BYTES = sum(np.dtype(kind).itemsize for kind in COLUMNS.values())


def check(touches: Touches) -> int:
    """Number of touches; all columns must be there and have that length (a fault of the program, not of the user)."""
    n = len(touches[SOURCE])
    for name in COLUMNS:
        if len(touches[name]) != n:
            raise AssertionError(f"{name} has {len(touches[name])} values, {SOURCE} has {n}")
    return n
