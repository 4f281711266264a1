# SPDX-License-Identifier: Apache-2.0
"""The nodes that results are of, kept as ranges: a population of 10^9 costs 24 bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..base.ranges import Ranges
from ..errors import bad_parameter, bad_type

if TYPE_CHECKING:
    from ..model.nodes import Nodes

__all__ = ["to_watched"]


def to_watched(name: str, nodes: Nodes | ArrayLike) -> Ranges:
    """Ranges of the gids in their order. Raises BadType, BadParameter for repeats."""
    known = getattr(nodes, "_ranges", None)
    if isinstance(known, Ranges):
        return known
    array = np.atleast_1d(np.asarray(nodes))
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise bad_type(name, nodes, "Nodes or a one-dimensional array of gids")
    gids = array.astype(np.int64)
    values, counts = np.unique(gids, return_counts=True)
    if (counts > 1).any():
        raise bad_parameter(name, int(values[counts > 1][0]), "without repeats")
    return Ranges.of(gids)
