# SPDX-License-Identifier: Apache-2.0
"""Items of groups, by numpy alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["RowIndex", "alike", "distinct", "numbered", "numbered_rows", "rows_in", "without_repeats"]

Ints = NDArray[np.int64]


def numbered(group: Ints) -> Ints:
    """Number of each item among those of its group, in order; group and result int64 of shape (n,)."""
    order = np.argsort(group, kind="stable")
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    found = np.empty(len(group), np.int64)
    found[order] = np.arange(len(group)) - np.repeat(first, np.diff(first, append=len(group)))
    return found


def without_repeats(gids: Ints) -> list[Ints]:
    """Positions in sets that hold each gid once, ascending in gid, and together all."""
    if len(gids) and (gids[1:] > gids[:-1]).all():
        return [np.arange(len(gids))]
    order = np.argsort(gids, kind="stable")
    rank = numbered(gids)[order]
    return [order[rank == k] for k in range(int(rank.max(initial=-1)) + 1)]


def numbered_rows(columns: Sequence[Ints]) -> Ints:
    """As `numbered`, of the rows of a table: equal ones are a group."""
    if not len(columns[0]):
        return columns[0]
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        low = int(column.min())
        key = key * (int(column.max()) - low + 1) + (column - low)
    return numbered(key)


class RowIndex:
    """The rows of a table, given by its columns, all different, for finding some of them again and again."""

    def __init__(self, columns: Sequence[Ints]) -> None:
        self._columns = columns
        self._low = [int(column.min(initial=0)) for column in columns]
        self._sizes = [int(column.max(initial=0)) - low + 1 for column, low in zip(columns, self._low, strict=True)]
        self._packs = math.prod(self._sizes) < 2**62  # else rows have no numbers
        if self._packs:
            keys = self._keys(columns)
            self._order = np.argsort(keys)
            self._sorted = keys[self._order]

    def _keys(self, columns: Sequence[Ints]) -> Ints:
        key = np.zeros(len(columns[0]), np.int64)
        for column, low, size in zip(columns, self._low, self._sizes, strict=True):
            key = key * size + (column - low)
        return key

    def find(self, wanted: Sequence[Ints]) -> Ints:
        """Positions of rows that are in the table, int64 of shape (n,)."""
        return self._order[self._sorted.searchsorted(self._keys(wanted))] if self._packs else rows_in(wanted, self._columns)


def alike(*tables: Sequence[NDArray[Any]]) -> list[Ints]:
    """Numbers of the rows of tables, given by their columns, int64 of shape (n,) for each table: the same number for equal rows of any of them."""
    group = np.zeros(sum(len(table[0]) for table in tables), np.int64)
    for columns in zip(*tables, strict=True):
        _, number = np.unique(np.concatenate(columns), return_inverse=True)
        _, group = np.unique(group * (number.max(initial=0) + 1) + number, return_inverse=True)
    return np.split(group.astype(np.int64), np.cumsum([len(table[0]) for table in tables])[:-1])


def distinct(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """The different rows of a table in ascending order, and the number of each row among them, of shape (n,).

    Small whole numbers are not sorted, and numbered with 16 bits: a stable argsort of these takes linear time.
    """
    low = table.min(axis=0, initial=np.inf)
    with np.errstate(invalid="ignore"):  # inf - inf: nan, which is no small number
        sizes = table.max(axis=0, initial=-np.inf) - low + 1.0
    if not (len(table) and sizes.prod() <= 2.0**16 and (np.floor(table) == table).all()):  # nor if a value is nan or infinite
        rows, number = np.unique(table, axis=0, return_inverse=True)
        return rows, number.ravel()
    size = sizes.astype(np.int64)
    key = np.ravel_multi_index(tuple((table - low).astype(np.int64).T), tuple(size.tolist()))
    there = np.bincount(key, minlength=int(size.prod())) > 0
    rows = np.stack(np.unravel_index(np.flatnonzero(there), tuple(size.tolist())), axis=1) + low
    return rows, (np.cumsum(there) - 1).astype(np.uint16)[key]


def rows_in(wanted: Sequence[NDArray[Any]], table: Sequence[NDArray[Any]]) -> Ints:
    """For each row of `wanted` the position of the first equal row of `table`, -1 without; both by their columns. int64 of shape (n,)."""
    a, b = alike(wanted, table)
    first = np.full(int(max(a.max(initial=-1), b.max(initial=-1))) + 1, -1, np.int64)
    first[b[::-1]] = np.arange(len(b))[::-1]
    return np.asarray(first[a])
