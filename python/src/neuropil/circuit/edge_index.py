# SPDX-License-Identifier: Apache-2.0
"""The two indices of an edge file: which ranges of edges leave a node, which end on it. The same as libsonata would write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Index", "index_of"]

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Index:
    """Part of an index, for the nodes first .. first + len(count). count: number of ranges of each node; ranges: (begin, end) of edges, by node."""

    first: int
    count: NDArray[np.int64]
    ranges: Rows

    def rows(self, ranges_before: int) -> NDArray[np.uint64]:
        """Rows of `node_id_to_ranges`, after so many ranges of the nodes before."""
        end = ranges_before + np.cumsum(self.count)
        return np.stack([end - self.count, end], axis=1).astype("<u8")


def index_of(connections: Iterable[Rows], nodes: range, column: int) -> Index:
    """Goes through connections (source, target, number of touches) in the order of the file. `column`: 0 by source, 1 by target.

    Keeps only what belongs to the given nodes: memory is that of a rank's share.
    """
    parts: list[Rows] = []
    edge = 0
    for rows in connections:
        end = edge + np.cumsum(rows[:, 2])
        mine = (rows[:, column] >= nodes.start) & (rows[:, column] < nodes.stop)
        parts.append(np.stack([rows[mine, column], (end - rows[:, 2])[mine], end[mine]], axis=1))
        edge = int(end[-1]) if len(end) else edge
    found = np.concatenate([np.empty((0, 3), np.int64), *parts])
    found = found[np.argsort(found[:, 0], kind="stable")]
    # Ranges that follow one another without a gap are one, also where a connection was cut between two ranks.
    fresh = np.ones(len(found), bool)
    fresh[1:] = (found[1:, 0] != found[:-1, 0]) | (found[1:, 1] != found[:-1, 2])
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(found)) - 1 if len(found) else first
    count = np.bincount(found[first, 0] - nodes.start, minlength=len(nodes)).astype(np.int64)
    return Index(nodes.start, count, np.stack([found[first, 1], found[last, 2]], axis=1))
