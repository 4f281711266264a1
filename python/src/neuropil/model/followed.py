# SPDX-License-Identifier: Apache-2.0
"""Lists of connections that stay valid while connections are made, edited and removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .connections import Connections

if TYPE_CHECKING:
    from .._core import Edited

__all__ = ["HANDLE", "FollowedConnections"]

HANDLE = ("slice", "table", "position")  # columns by which the kernel knows a connection
Ints = NDArray[np.int64]
Handles = tuple[Ints, NDArray[np.int32], Ints]


class FollowedConnections:
    """Connections as a query found them, for front ends that edit them by calls of the kernel; collections that are parts of one another share one.

    Each connection keeps its row while others are made, edited or removed. The row of a removed one has position -1.
    """

    __slots__ = ("_ask", "now")

    def __init__(self, now: Connections, ask: Callable[[], Connections | None]) -> None:
        self.now = now  # another object after each change
        self._ask = ask  # queries again

    @property
    def stale(self) -> bool:
        """Whether connections were made, edited or removed since the list was read."""
        return self.now._version != self.now._network._version

    def part(self, rows: Ints | None) -> Connections:
        """The connections of some rows, none of which was removed; None: of all."""
        return self.now if rows is None else self.now[rows]

    def lacks(self, rows: Ints) -> bool:
        """Whether the connection of one of the rows was removed."""
        return bool((self.now._columns["position"][rows] < 0).any())

    def refresh(self) -> None:
        """Finds the connections again after others changed some. Collective."""
        found = self._ask()
        assert found is not None
        there = np.flatnonzero(self.now._columns["position"] >= 0)
        at = (self.now if len(there) == len(self.now) else self.now[there]).positions_in(found)
        rows, at = there[at >= 0], at[at >= 0]
        if len(rows) == len(self.now):
            self._become({name: column[at] for name, column in found._columns.items()})
            return
        columns = {name: column.copy() for name, column in self.now._columns.items()}
        columns["position"][:] = -1
        for name, column in found._columns.items():
            columns[name][rows] = column[at]
        self._become(columns)

    def handles_of(self, rows: Ints) -> Handles:
        """Of some rows; position -1 for those that were removed."""
        columns = self.now._columns
        return columns["slice"][rows], columns["table"][rows], columns["position"][rows]

    def follow(self, done: Edited, rows: Ints, changed: Mapping[str, NDArray[Any]]) -> None:
        """To be called after an edit of the kernel that changed columns of some rows, or their "weight" and with it the receptor.

        Where connections have moved, other lists are stale after it.
        """
        if not done.moved:
            return
        changed = dict(changed)
        if "weight" in changed:
            changed["receptor"] = self.now[rows]._receptors_of(changed.pop("weight"))
        self.now._network._version += 1
        columns = dict(self.now._columns)
        if done.in_row >= 0 and len(rows) == 1:
            self._move_in_row(int(rows[0]), done.in_row)
        else:
            columns |= zip(HANDLE, done.of(*(columns[name] for name in HANDLE)), strict=True)
            columns |= {name: columns[name].copy() for name in changed}
        for name, column in changed.items():
            columns[name][rows] = column
        self._become(columns)

    def _move_in_row(self, row: int, position: int) -> None:
        """One connection has moved in its row of the kernel, and those between by one. In place, as lists are long and rows short."""
        columns = self.now._columns
        places, before = columns["position"], int(columns["position"][row])
        low, high = min(before, position), max(before, position)
        some = np.flatnonzero((places >= low) & (places <= high))
        some = some[(columns["table"][some] == columns["table"][row]) & (columns["slice"][some] == columns["slice"][row])]
        places[some] += 1 if position < before else -1
        places[row] = position

    def _become(self, columns: dict[str, NDArray[Any]]) -> None:
        network = self.now._network
        self.now = Connections(network, dict(columns), network._version)
