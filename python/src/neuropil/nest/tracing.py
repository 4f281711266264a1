# SPDX-License-Identifier: Apache-2.0
"""Which connection of a new list is which one of an older list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..connections import Connections
from .errors import NESTErrors

Ints = NDArray[np.int64]
_IDENTITY = ("source", "target", "synapse", "label", "receptor", "delay_steps")


def same_again(before: Connections, now: Connections, index: Ints) -> Ints:
    """Positions in `now` of connections of `before`, which other connections have joined or left. Raises InexistentConnection.

    A connection is known by all that it is but its weight, and where this has changed by its place among those of its source and target.
    """
    if len(before) == len(now) and all(np.array_equal(before._columns[name], now._columns[name]) for name in _IDENTITY):
        return index
    found = _matched([before._columns[name] for name in _IDENTITY], [now._columns[name] for name in _IDENTITY])
    lost = np.flatnonzero(found < 0)
    if len(lost):
        left = np.setdiff1d(np.arange(len(now)), found)
        a, b = ([c.source[some], c.target[some]] for c, some in ((before, lost), (now, left)))
        at = _matched(a, b, all_of_them=True)
        found[lost[at >= 0]] = left[at[at >= 0]]
    found = found[index]
    if (found < 0).any():
        raise NESTErrors.InexistentConnection("The connection does not exist any more")
    return found


def by_values(now: Connections, kinds: Ints, wanted: Sequence[NDArray[Any]]) -> Ints:
    """Positions in `now`, whose connections are of these kinds, of those with given source, target, kind, delay (steps) and weight."""
    from .wires import present_weights

    columns = [now.source, now.target, kinds, now._columns["delay_steps"], present_weights(now)]
    return _matched(list(wanted), columns)


def _matched(a: Sequence[NDArray[Any]], b: Sequence[NDArray[Any]], all_of_them: bool = False) -> Ints:
    """For each row of the columns a: position of the row of b that is the same, the k-th of equal ones for the k-th; -1 without.

    all_of_them : only where as many rows are the same on both sides
    """
    n, group = len(a[0]), np.zeros(len(a[0]) + len(b[0]), np.int64)
    for one, other in zip(a, b, strict=True):
        _, number = np.unique(np.concatenate([one, other]), return_inverse=True)
        _, group = np.unique(group * (number.max(initial=0) + 1) + number, return_inverse=True)
    rank_a, rank_b = numbered(group[:n]), numbered(group[n:])
    width = int(max(rank_a.max(initial=0), rank_b.max(initial=0))) + 1
    keys_b = group[n:] * width + rank_b
    order = np.argsort(keys_b)
    wanted = group[:n] * width + rank_a
    at = np.minimum(np.searchsorted(keys_b[order], wanted), max(len(order) - 1, 0))
    found = np.where(keys_b[order][at] == wanted, order[at], -1) if len(order) else np.full(n, -1)
    if all_of_them:
        size = group.max(initial=0) + 1
        same = np.bincount(group[:n], minlength=size) == np.bincount(group[n:], minlength=size)
        found[~same[group[:n]]] = -1
    return np.asarray(found, np.int64)


def numbered(group: Ints) -> Ints:
    """Number of each item among those of its group, in order; int64 of shape (n,)."""
    order = np.argsort(group, kind="stable")
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    found = np.empty(len(group), np.int64)
    found[order] = np.arange(len(group)) - np.repeat(first, np.diff(first, append=len(group)))
    return found


__all__ = ["by_values", "numbered", "same_again"]
