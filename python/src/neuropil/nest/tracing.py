# SPDX-License-Identifier: Apache-2.0
"""Lists of the kernel's connections that stay valid while connections are made, edited and removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..connections import Connections
from .kernel import session

Ints = NDArray[np.int64]
Handles = tuple[Ints, NDArray[np.int32], Ints]
_HANDLE = ("slice", "table", "position")
_IDENTITY = ("source", "target", "synapse", "label", "receptor", "delay_steps")


class KernelList:
    """Connections as a query found them; collections that are parts of one another share one list.

    Each connection keeps its row while others are made, edited or removed.
    """

    __slots__ = ("_ask", "_index", "now")

    def __init__(self, now: Connections, ask: Callable[[], Connections | None]) -> None:
        self.now = now  # what the query finds now
        self._ask = ask
        self._index: Ints | None = None  # position in `now` of each row, -1 where it was removed; None: row k is at k

    @property
    def stale(self) -> bool:
        """Whether connections were made, edited or removed since the list was read."""
        s = session()
        return self.now._network is s._network and self.now._version != s.network._version

    def part(self, rows: Ints | None) -> Connections:
        """The connections of some rows, none of which was removed; None: of all."""
        if self._index is None:
            return self.now if rows is None else self.now[rows]
        return self.now[self._index if rows is None else self._index[rows]]

    def lacks(self, rows: Ints) -> bool:
        """Whether the connection of one of the rows was removed."""
        return self._index is not None and bool((self._index[rows] < 0).any())

    def refresh(self) -> None:
        """Reads the list again after others changed connections. Collective."""
        before = self.now
        self._read()
        self._move(match_connections(before, self.now))

    def follow(self, rows: Ints, handles: Handles | None) -> None:
        """Reads the list again after an edit has moved these rows to handles, or removed them (None).

        All other connections keep their order (source, target, table, delay, position), so that they need no comparing.
        """
        before = self.now
        at = rows if self._index is None else self._index[rows]
        others = np.ones(len(before), bool)
        others[at] = False
        self._read()
        moved = np.full(len(before), -1, np.int64)
        left = np.ones(len(self.now), bool)
        if handles is not None:
            moved[at] = _positions(handles, self.now)
            left[moved[at]] = False
        if np.count_nonzero(left) != np.count_nonzero(others):
            raise RuntimeError("an edit changed the number of other connections")
        moved[others] = np.flatnonzero(left)
        self._move(moved)

    def _read(self) -> None:
        now = self._ask()
        assert now is not None
        self.now = now

    def _move(self, moved: Ints) -> None:
        """Position k of before is now moved[k]."""
        if self._index is None:
            self._index = None if np.array_equal(moved, np.arange(len(self.now))) else moved
        else:
            self._index = np.where(self._index >= 0, moved[self._index], -1)


def _positions(handles: Handles, c: Connections) -> Ints:
    """Positions in c of the connections with these handles."""
    columns = c._columns
    some = np.flatnonzero(np.isin(columns["position"], handles[2]))
    at = _matched(handles, [columns[name][some] for name in _HANDLE])
    if (at < 0).any():
        raise RuntimeError("an edit moved connections to handles that no connection has")
    return some[at]


def match_connections(before: Connections, now: Connections) -> Ints:
    """For each connection of `before` its position in `now`, -1 where it is no more; others may have been made or removed since.

    A connection is known by all that it is but its weight, and where this has changed by its place among those of its source and target.
    """
    if len(before) == len(now) and all(np.array_equal(before._columns[name], now._columns[name]) for name in _IDENTITY):
        return np.arange(len(now), dtype=np.int64)
    found = _matched([before._columns[name] for name in _IDENTITY], [now._columns[name] for name in _IDENTITY])
    lost = np.flatnonzero(found < 0)
    if len(lost):
        left = np.setdiff1d(np.arange(len(now)), found)
        a, b = ([c.source[some], c.target[some]] for c, some in ((before, lost), (now, left)))
        at = _matched(a, b, all_of_them=True)
        found[lost[at >= 0]] = left[at[at >= 0]]
    return found


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


__all__ = ["KernelList", "match_connections", "numbered"]
