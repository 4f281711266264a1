# SPDX-License-Identifier: Apache-2.0
"""Connections found again in a later query, after others were made, edited or removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.groups import alike, numbered

__all__ = ["positions_in"]

Ints = NDArray[np.int64]
Columns = Mapping[str, NDArray[Any]]
_IDENTITY = ("source", "target", "synapse", "label", "layer", "receptor", "delay_steps")


def positions_in(now: Columns, before: Columns) -> Ints:
    """See Connections.positions_in; both by their columns."""
    n, m = len(before["source"]), len(now["source"])
    if n == m and all(np.array_equal(before[name], now[name]) for name in _IDENTITY):
        return np.arange(n, dtype=np.int64)
    found = _matched([before[name] for name in _IDENTITY], [now[name] for name in _IDENTITY])
    lost = np.flatnonzero(found < 0)
    if len(lost):
        left = np.setdiff1d(np.arange(m), found)
        a, b = ([columns[end][some] for end in ("source", "target")] for columns, some in ((before, lost), (now, left)))
        at = _matched(a, b, all_of_them=True)
        found[lost[at >= 0]] = left[at[at >= 0]]
    return found


def _matched(a: Sequence[NDArray[Any]], b: Sequence[NDArray[Any]], all_of_them: bool = False) -> Ints:
    """For each row of the columns a: position of the row of b that is the same, the k-th of equal ones for the k-th; -1 without.

    all_of_them : only where as many rows are the same on both sides
    """
    group_a, group_b = alike(a, b)
    n, rank_a, rank_b = len(group_a), numbered(group_a), numbered(group_b)
    width = int(max(rank_a.max(initial=0), rank_b.max(initial=0))) + 1
    keys_b = group_b * width + rank_b
    order = np.argsort(keys_b)
    wanted = group_a * width + rank_a
    at = np.minimum(np.searchsorted(keys_b[order], wanted), max(len(order) - 1, 0))
    found = np.where(keys_b[order][at] == wanted, order[at], -1) if len(order) else np.full(n, -1)
    if all_of_them:
        size = int(max(group_a.max(initial=0), group_b.max(initial=0))) + 1
        same = np.bincount(group_a, minlength=size) == np.bincount(group_b, minlength=size)
        found[~same[group_a]] = -1
    return np.asarray(found, np.int64)
