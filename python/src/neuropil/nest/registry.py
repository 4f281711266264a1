# SPDX-License-Identifier: Apache-2.0
"""Which model each node has, and its values that only NEST has: one row per call of Create."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Ints, Ranges, pieces
from .models.node_models import NodeModel


@dataclass(slots=True)
class Row:
    """Nodes made by one call of Create.

    extras : NEST-only values that differ from the model's defaults: one for all, or a list with one per node
    recorders : the recorders of this row, one per node, else empty
    layer : where the nodes are, None without positions; thaws: some of them were frozen once
    """

    first: int
    count: int
    model: NodeModel
    extras: dict[str, Any] = field(default_factory=dict)
    recorders: list[Any] = field(default_factory=list)
    layer: Any = None
    thaws: bool = False

    @property
    def gids(self) -> Ints:
        """All its nodes, int64 of shape (count,)."""
        return np.arange(self.first, self.first + self.count, dtype=np.int64)

    def recorders_of(self, gids: Ints) -> list[Any]:
        """The recorders with these ids, of a row that has some."""
        return [self.recorders[k] for k in (gids - self.first).tolist()]

    def extra(self, key: str, gids: Ints) -> list[Any]:
        """Values of a NEST-only key, one per gid. Raises the built-in KeyError."""
        value = self.extras[key] if key in self.extras else self.model.extras[key]
        return [value[k] for k in (gids - self.first).tolist()] if isinstance(value, PerNode) else [value] * len(gids)

    def set_extra(self, key: str, gids: Ints, values: Any) -> None:
        """Sets a NEST-only key of some nodes: to one value, or to a PerNode with one each."""
        if len(gids) == self.count and not isinstance(values, PerNode):
            self.extras[key] = values
            return
        old = self.extras.get(key, self.model.extras[key])
        column = old if isinstance(old, PerNode) else PerNode([old] * self.count)
        for at, k in enumerate((gids - self.first).tolist()):
            column[k] = values[at] if isinstance(values, PerNode) else values
        self.extras[key] = column


class PerNode(list[Any]):
    """One value per node of a row."""


class Registry:
    """Rows in order of gids."""

    _starts: Ints = np.empty(0, np.int64)  # `_firsts` as an array, when it was last asked for

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.dilutes = False  # whether there are spike_dilutors
        self._firsts: list[int] = []

    def add(self, row: Row) -> None:
        """Notes nodes that were created."""
        self.rows.append(row)
        self.dilutes |= row.model.root == "spike_dilutor"
        self._firsts.append(row.first)

    def drop_last(self) -> None:
        """Undoes the last `add`."""
        self.rows.pop()
        self._firsts.pop()
        self._starts = self._starts[: len(self._firsts)]

    def row(self, gid: int) -> Row:
        """Row of an existing node."""
        return self.rows[bisect_right(self._firsts, gid) - 1]

    def is_one_model(self, first: int, last: int) -> bool:
        """Whether the nodes from `first` to `last` are all of one model."""
        low, high = (bisect_right(self._firsts, gid) - 1 for gid in (first, last))
        return low == high or all(self.rows[k].model is self.rows[low].model for k in range(low + 1, high + 1))

    def index_of(self, gids: Ints) -> Ints:
        """Index into `rows` of existing nodes, int64 of the shape of gids."""
        if len(self._starts) != len(self._firsts):
            self._starts = np.array(self._firsts, np.int64)
        return self._starts.searchsorted(gids, side="right") - 1

    def models(self, nodes: Ranges) -> list[NodeModel]:
        """Models of nodes, one for each call of Create that made some of them."""
        return [row.model for row, _ in self.joined(nodes.table)]

    def of_models(self, what: Callable[[NodeModel], Any], gids: Ints) -> NDArray[Any]:
        """What the model of each of existing nodes has, of shape (n,)."""
        index = self.index_of(gids)
        if len(index) and (len(index) == 1 or (index == index[0]).all()):
            return np.full(len(index), what(self.rows[int(index[0])].model))
        return np.array([what(row.model) for row in self.rows])[index]

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self.rows[-1].first + self.rows[-1].count - 1 if self.rows else 0

    def joined(self, table: Ints) -> list[tuple[Row, Ints]]:
        """Rows that ranges (first, count, stride) touch, with the gids in each, in order; of many ranges those of a row in one array."""
        if len(table) > 64:
            gids = Ranges(table.copy()).ids()
            which = self.index_of(gids)
            cuts = [0, *(np.flatnonzero(np.diff(which)) + 1).tolist(), len(gids)]
            return [(self.rows[int(which[a])], gids[a:b]) for a, b in pairwise(cuts)]
        parts = pieces(table, self._firsts)
        return [(self.rows[k], np.arange(first, first + n * stride, stride, dtype=np.int64)) for k, first, n, stride in parts]
