# SPDX-License-Identifier: Apache-2.0
"""Ordered lists of ids kept as ranges: a population of 10^9 nodes costs 24 bytes.

A table of ranges is an int64 array of shape (m, 3) with rows (first, count, stride), count > 0. It is kept in its one normal form, in which
each range, from the left, is as long as it can be; so two tables hold the same ids in the same order exactly when they are equal.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

__all__ = ["Ranges", "compress", "pieces"]


def compress(ids: Ints) -> Ints:
    """The table of ranges, shape (m, 3), of ids in their order. Vectorised; m is about n / 2 for ids in no order at all."""
    n = len(ids)
    if n <= _MANY_IDS:  # each call of numpy costs as much as a loop over some
        return np.array(_compress_few(ids.tolist()), np.int64).reshape(-1, 3)
    steps = np.diff(ids)
    run = np.flatnonzero(np.diff(steps, prepend=steps[0] - 1))  # where a run of equal steps begins
    length = np.diff(run, append=n - 1)
    # The last id of a range is followed by a step that belongs to no range. A run of steps is used whole unless its first step is such a
    # bridge; a bridge that is a whole run leaves the next one whole, so runs of length 1 alternate.
    longer = np.concatenate(([False], length[:-1] > 1))
    index = np.arange(len(run))
    reset = np.maximum.accumulate(np.where(longer, index, 0))
    whole = ((index - reset) % 2 == 0) ^ (reset > 0)
    first = np.where(whole, run, run + 1)
    count = np.where(whole, length, length - 1) + 1
    keep = whole | (length > 1)
    table: Ints = np.stack([ids[first], count, steps[run]], axis=1)[keep]
    end = first[keep][-1] + count[keep][-1]
    if end < n:  # the very last step was a bridge to a single id
        table = np.concatenate([table, [[ids[-1], 1, 1]]])
    return table


def _compress_few(ids: list[int]) -> list[tuple[int, int, int]]:
    table, begin = [], 0
    while begin < len(ids) - 1:
        step, end = ids[begin + 1] - ids[begin], begin + 2
        while end < len(ids) and ids[end] - ids[end - 1] == step:
            end += 1
        table.append((ids[begin], end - begin, step))
        begin = end
    return [*table, *((i, 1, 1) for i in ids[begin:])]


_MANY_IDS = 24
_AT_ONCE = 1024  # single ids that are made together
_ONE: Ints = np.array((0, 1), np.int64)
_ONE.setflags(write=False)
_ROW: Ints = np.ones((1, 3), np.int64)


class Ranges:
    """An immutable ordered list of ids without repeats."""

    __slots__ = ("offsets", "table")

    def __init__(self, table: Ints) -> None:
        self.table = table
        if len(table) == 1:  # most often: loops over nodes make one after the other
            self.offsets: Ints = np.array((0, table[0, 1]), np.int64)
        else:
            self.offsets = np.concatenate(([0], np.cumsum(table[:, 1]))).astype(np.int64)
        self.table.setflags(write=False)

    @staticmethod
    def one(gid: int) -> Ranges:
        """A single id."""
        made = Ranges.__new__(Ranges)
        made.table, made.offsets = _ROW.copy(), _ONE  # faster than a new array
        made.table[0, 0] = gid
        made.table.setflags(write=False)
        return made

    @staticmethod
    def span(first: int, count: int, stride: int = 1) -> Ranges:
        """first, first + stride, ...: count of them."""
        if count == 1:
            return Ranges.one(first)
        return Ranges(np.array([(first, count, stride)], np.int64) if count else np.empty((0, 3), np.int64))

    @staticmethod
    def of(ids: Ints) -> Ranges:
        """Ranges of ids, int64 of shape (n,), in their order."""
        return Ranges.one(ids.item()) if len(ids) == 1 else Ranges(compress(ids))

    @staticmethod
    def joined(tables: list[Ints]) -> Ranges:
        """Ranges one after the other, brought to normal form."""
        table = np.concatenate([*tables, np.empty((0, 3), np.int64)])
        total = int(table[:, 1].sum())
        if total <= 8 * len(table):  # hardly ranges: through the ids is faster
            return Ranges(compress(_expand(table)))
        return Ranges(_normal(table))

    def __len__(self) -> int:
        return self.offsets.item(-1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ranges) and np.array_equal(self.table, other.table)

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[int]:
        for first, count, stride in self.table.tolist():
            yield from range(first, first + count * stride, stride)

    def singles(self) -> Iterator[Ranges]:
        """Each id as ranges of its own."""
        for first, count, stride in self.table.tolist():
            for begin in range(0, count, _AT_ONCE):
                tables = np.ones((min(_AT_ONCE, count - begin), 1, 3), np.int64)
                tables[:, 0, 0] = np.arange(first + begin * stride, first + (begin + len(tables)) * stride, stride)
                tables.setflags(write=False)
                for table in tables:
                    made = Ranges.__new__(Ranges)
                    made.table, made.offsets = table, _ONE
                    yield made

    def ids(self) -> Ints:
        """All ids, int64 of length n."""
        if len(self.table) == 1:
            first, count, stride = self.table[0].tolist()
            return np.arange(first, first + count * stride, stride, dtype=np.int64)
        return _expand(self.table)

    def ascending(self) -> Ints:
        """The table with positive strides only, as the kernel wants it; descending ranges become single ids."""
        if (self.table.item(2) > 0) if len(self.table) == 1 else not (self.table[:, 2] < 0).any():
            return self.table
        rows = [_singles(row) if row[2] < 0 else row[None] for row in self.table]
        return np.ascontiguousarray(np.concatenate(rows))

    @property
    def ends(self) -> tuple[int, int]:
        """Lowest and highest id of ascending ranges that are not empty."""
        first, count, stride = self.table[-1].tolist()
        return int(self.table[0, 0]), first + (count - 1) * stride

    def at(self, position: int) -> int:
        """The id at 0 <= position < n."""
        table = self.table
        if len(table) == 1:
            return table.item(0) + position * table.item(2)
        r = int(self.offsets.searchsorted(position, side="right")) - 1
        first, _, stride = table[r].tolist()
        return int(first + (position - int(self.offsets[r])) * stride)

    def position(self, gid: int) -> int | None:
        """The position of an id in ascending ranges, None where it is not in here."""
        r = int(self.table[:, 0].searchsorted(gid, side="right")) - 1
        first, count, stride = self.table[r].tolist() if r >= 0 else (0, 0, 1)
        k, rest = divmod(gid - first, stride)
        return int(self.offsets[r]) + k if rest == 0 and 0 <= k < count else None

    def take(self, positions: Ints) -> Ranges:
        """The ids at positions, each in [0, n)."""
        r = np.searchsorted(self.offsets, positions, side="right") - 1
        return Ranges.of(self.table[r, 0] + (positions - self.offsets[r]) * self.table[r, 2])

    def slice(self, start: int, stop: int, step: int) -> Ranges:
        """As range(start, stop, step) over positions that exist; step may be negative."""
        wanted = range(start, stop, step)
        if not wanted:
            return Ranges.span(0, 0)
        if step == 1 and len(self.table) == 1 and self.table[0, 2] == 1:  # most often
            return Ranges.span(int(self.table[0, 0]) + wanted[0], len(wanted))
        low, high, every = (wanted[0], wanted[-1], step) if step > 0 else (wanted[-1], wanted[0], -step)
        begin, end = self.offsets[:-1], self.offsets[1:]
        # k-th wanted position (counted upwards from low) that is the first inside, and the first behind, each range
        k0 = np.maximum(-((low - begin) // every), 0)
        k1 = np.minimum(-((low - end) // every), (high - low) // every + 1)
        some = k1 > k0
        first = self.table[:, 0] + (low + k0 * every - begin) * self.table[:, 2]
        table = np.stack([first, k1 - k0, self.table[:, 2] * every], axis=1)[some]
        if step < 0:
            table[:, 0] += (table[:, 1] - 1) * table[:, 2]
            table[:, 2] *= -1
            table = table[::-1]
        return Ranges.joined([table])

    def contains(self, ids: Ints) -> NDArray[np.bool_]:
        """For each id whether it is in here; bool of the shape of ids."""
        found = np.zeros(ids.shape, bool)
        if 8 * len(self.table) > len(self):
            return np.isin(ids, self.ids())
        for first, count, stride in self.table:
            if stride == 1:
                found |= (ids >= first) & (ids < first + count)
                continue
            k, rest = np.divmod(ids - first, stride)
            found |= (rest == 0) & (k >= 0) & (k < count)
        return found

    def overlaps(self, other: Ranges) -> bool:
        """Whether an id is in both; only ranges whose spans touch are looked into."""
        if not len(self) or not len(other):
            return False
        mine, theirs = _spans(self.table), _spans(other.table)
        if mine[:, 1].max() < theirs[:, 0].min() or theirs[:, 1].max() < mine[:, 0].min():
            return False
        if len(self.table) * len(other.table) <= _FEW:
            return any(_common(a, b) > 0 for a in self.table.tolist() for b in other.table.tolist())
        small, large = (self, other) if len(self) <= len(other) else (other, self)
        return bool(large.contains(small.ids()).any())

    def covers(self, other: Ranges) -> bool:
        """Whether all ids of the other are in here."""
        if len(self.table) * len(other.table) <= _FEW:
            return all(sum(_common(a, b) for b in self.table.tolist()) == a[1] for a in other.table.tolist())
        return bool(self.contains(other.ids()).all())

    def merged(self, other: Ranges) -> Ranges | None:
        """The ids of two ascending sets, ascending; ranges that do not interleave are only put in order. None where an id is in both."""
        (low, high), (x, y) = (
            ((self, other), (self.ends, other.ends)) if self.ends < other.ends else ((other, self), (other.ends, self.ends))
        )
        if x[1] < y[0]:
            return Ranges.joined([low.table, high.table])
        if self.overlaps(other):
            return None
        return Ranges.of(np.sort(np.concatenate([self.ids(), other.ids()])))

    def union(self, other: Ranges) -> Ranges:
        """Ids of self, then those of other that are not in self."""
        if not self.overlaps(other):
            return Ranges.joined([self.table, other.table])
        if self.covers(other):
            return self
        ids = other.ids()
        return Ranges.joined([self.table, compress(ids[~self.contains(ids)])])


def pieces(table: Ints, firsts: list[int]) -> Iterator[tuple[int, int, int, int]]:
    """Ranges cut at the ends of blocks of ids: number of the block, and (first, count, stride). firsts : first ids of the blocks, ascending."""
    for first, count, stride in table.tolist():
        while count:
            k = bisect_right(firsts, first) - 1
            n = count
            if stride < 0 or k + 1 < len(firsts):
                n = min(count, -((first - (firsts[k + 1] if stride > 0 else firsts[k] - 1)) // stride))
            yield k, first, n, stride
            first, count = first + n * stride, count - n


def _spans(table: Ints) -> Ints:
    """Lowest and highest id of each range."""
    last = table[:, 0] + (table[:, 1] - 1) * table[:, 2]
    return np.stack([np.minimum(table[:, 0], last), np.maximum(table[:, 0], last)], axis=1)


_FEW = 10_000  # pairs of ranges that are looked at one by one


def _common(a: list[int], b: list[int]) -> int:
    """How many ids two ranges (first, count, stride) share; the common ones repeat with the least common multiple of the strides."""
    (first, count, stride), (other, n, step) = (_upwards(row) for row in (a, b))
    low, high = max(first, other), min(first + (count - 1) * stride, other + (n - 1) * step)
    divisor = math.gcd(stride, step)
    if low > high or (other - first) % divisor:
        return 0
    inverse = pow(stride // divisor, -1, step // divisor)
    period = stride // divisor * step
    meeting = first + (other - first) // divisor * inverse % (step // divisor) * stride
    meeting += -((meeting - low) // period) * period  # the first at or above low
    return 0 if meeting > high else (high - meeting) // period + 1


def _upwards(row: list[int]) -> tuple[int, int, int]:
    first, count, stride = row
    return (first, count, stride) if stride > 0 else (first + (count - 1) * stride, count, -stride)


def _expand(table: Ints) -> Ints:
    if len(table) == 1:
        first, count, stride = table[0].tolist()
        return np.arange(first, first + count * stride, stride, dtype=np.int64)
    counts = table[:, 1]
    if int(counts.sum()) <= _MANY_IDS:
        return np.array([i for first, n, stride in table.tolist() for i in range(first, first + n * stride, stride)], np.int64)
    begin = np.cumsum(counts) - counts
    within = np.arange(int(counts.sum()), dtype=np.int64) - np.repeat(begin, counts)
    return np.asarray(np.repeat(table[:, 0], counts) + within * np.repeat(table[:, 2], counts), np.int64)


def _singles(row: Ints) -> Ints:
    ids = _expand(row[None])
    return np.stack([ids, np.ones_like(ids), np.ones_like(ids)], axis=1)


def _normal(table: Ints) -> Ints:
    """Normal form of a table with few rows: each range takes what continues it from the next one."""
    rows: list[list[int]] = []
    for first, count, stride in table.tolist():
        while count:
            if not rows:
                rows.append([first, count, stride if count > 1 else 1])
                break
            taken = _continue(rows[-1], first, count, stride)
            if taken == 0:
                rows.append([first, count, stride if count > 1 else 1])
                break
            first, count = first + taken * stride, count - taken
    return np.array(rows, np.int64).reshape(-1, 3)


def _continue(row: list[int], first: int, count: int, stride: int) -> int:
    """Lets `row` take ids from the range that follows; how many it took."""
    if row[1] == 1:
        row[2] = first - row[0]
    elif first != row[0] + row[1] * row[2]:
        return 0
    taken = count if stride == row[2] else 1
    row[1] += taken
    return taken
