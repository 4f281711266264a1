# SPDX-License-Identifier: Apache-2.0
"""Which model each gid has: one row per call of create."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from ..base.ranges import Ranges, pieces
from ..errors import Stale
from ..space.layers import Layer, Part, joined
from .catalog import Entry

__all__ = ["Populations"]


class Populations:
    """First gid, number of nodes, model and positions, if any, of each population, in order of gids."""

    __slots__ = ("_counts", "_entries", "_firsts", "_layers", "with_devices")

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._counts: list[int] = []
        self._entries: list[Entry] = []
        self._layers: list[Layer | None] = []
        self.with_devices = False  # whether there ever were stimulators

    def add(self, first: int, count: int, entry: Entry, layer: Layer | None = None) -> None:
        """Notes what the `count` nodes from `first` on are."""
        self._firsts.append(first)
        self._counts.append(count)
        self._entries.append(entry)
        self._layers.append(layer)
        self.with_devices = self.with_devices or entry.kind != "neuron"
        if layer is not None:
            layer.place(first)

    def drop_last(self) -> None:
        """Undoes the last add."""
        for column in (self._firsts, self._counts, self._entries, self._layers):
            column.pop()

    def replace(self, first: int, entry: Entry) -> None:
        """The nodes from `first` on have another shape of their model."""
        self._entries[self._firsts.index(first)] = entry

    def copy(self) -> Populations:
        """The same for a copy of the network."""
        made = Populations()
        made._firsts, made._counts, made._entries = list(self._firsts), list(self._counts), list(self._entries)
        made._layers, made.with_devices = list(self._layers), self.with_devices
        return made

    def __len__(self) -> int:
        return len(self._firsts)

    def rows(self) -> list[tuple[int, int, Entry]]:
        """(first gid, number of nodes, model) of each population."""
        return list(zip(self._firsts, self._counts, self._entries, strict=True))

    def row(self, p: int) -> tuple[int, int, Entry]:
        """First gid, number of nodes and model of one population."""
        return self._firsts[p], self._counts[p], self._entries[p]

    def index(self, gids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Index of the population of each gid; gids must exist."""
        return np.searchsorted(np.array(self._firsts, np.int64), gids, side="right").astype(np.int64) - 1

    def first_receptor(self, gids: NDArray[np.int64]) -> NDArray[np.int32]:
        """What users call the first receptor of neurons: 1, of parrots 0."""
        first = np.array([entry.input != "count" for _, _, entry in self.rows()], np.int32)
        return first[self.index(gids)]

    def touched(self, table: NDArray[np.int64]) -> list[tuple[int, int]]:
        """(population, number of nodes in it) in order of the ranges; found without listing gids where ranges are long."""
        found: dict[int, int] = {}
        if len(table) > 64:
            gids = Ranges(table.copy()).ids()
            self._check_there(int(gids.max()))
            seen, where, counts = np.unique(self.index(gids), return_index=True, return_counts=True)
            return [(int(seen[k]), int(counts[k])) for k in np.argsort(where)]
        for first, count, stride in table.tolist():
            self._check_there(max(first, first + (count - 1) * stride))
        for p, _, inside, _ in pieces(table, self._firsts):
            found[p] = found.get(p, 0) + inside
        return list(found.items())

    def _check_there(self, last: int) -> None:
        """Raises Stale for nodes that were created after the state that a reset or restore has gone back to."""
        if not self._firsts or last >= self._firsts[-1] + self._counts[-1]:
            raise Stale(f"node {last} is no longer in the network: it was created after the state that the network has gone back to")

    def only(self, ranges: Ranges) -> Entry | None:
        """The model of a range that lies within one population; None for others, which `parts` knows."""
        if len(ranges.table) != 1:
            return None
        first, count, stride = ranges.table[0].tolist()
        p = bisect_right(self._firsts, first) - 1
        inside = stride > 0 and p >= 0 and first + (count - 1) * stride < self._firsts[p] + self._counts[p]
        return self._entries[p] if inside else None

    def parts(self, ranges: Ranges) -> list[tuple[Entry, int]]:
        """(model, number of nodes) of the populations that ranges touch."""
        merged: dict[str, tuple[Entry, int]] = {}
        for p, count in self.touched(ranges.table):
            entry = self._entries[p]
            merged[entry.name] = (entry, merged.get(entry.name, (entry, 0))[1] + count)
        return list(merged.values())

    def part(self, ranges: Ranges) -> Part | None:
        """The nodes in space, None where some of them have no positions. Raises IllegalConnection for layers that cannot be joined."""
        used = [p for p, _ in self.touched(ranges.table)]
        layers = [self._layers[p] for p in used]
        if not layers or any(layer is None for layer in layers):
            return None
        gids = ranges.ids()
        if len(used) == 1:
            return layers[0].part(gids)  # type: ignore[union-attr]
        number = np.full(len(self._firsts), -1)
        number[used] = np.arange(len(used))
        return joined(layers, number[self.index(gids)], gids)  # type: ignore[arg-type]

    def dims(self, ranges: Ranges) -> int:
        """Dimensions of the space that the nodes are in; 0 where some have no positions."""
        layers = [self._layers[p] for p, _ in self.touched(ranges.table)]
        return min((0 if layer is None else layer.positions.shape[1] for layer in layers), default=0)
