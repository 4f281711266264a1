# SPDX-License-Identifier: Apache-2.0
"""Items of groups, by numpy alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["numbered"]

Ints = NDArray[np.int64]


def numbered(group: Ints) -> Ints:
    """Number of each item among those of its group, in order; group and result int64 of shape (n,)."""
    order = np.argsort(group, kind="stable")
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    found = np.empty(len(group), np.int64)
    found[order] = np.arange(len(group)) - np.repeat(first, np.diff(first, append=len(group)))
    return found
