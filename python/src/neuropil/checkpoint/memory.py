# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that stay in memory: copies of a network, and states to come back to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core

__all__ = ["Held", "Passed"]


class Passed:
    """The columns of a snapshot, for a kernel on as many ranks; nothing is held."""

    def __init__(self, snapshot: _core.Snapshot, rank: int, ranks: int) -> None:
        self._snapshot, self._rank, self.shards = snapshot, rank, ranks

    def columns(self, shard: int) -> list[tuple[str, str, int]]:
        """Of this rank, or (-1) of all."""
        assert shard in (-1, self._rank)
        return self._snapshot.columns(shard < 0)

    def read(self, shard: int, path: str, begin: int, out: NDArray[Any]) -> None:
        """Elements of a column."""
        self._snapshot.read(shard < 0, path, begin, out)


class Held:
    """The same, copied."""

    def __init__(self, snapshot: _core.Snapshot, rank: int, ranks: int) -> None:
        self._rank, self.shards = rank, ranks
        self._columns: dict[bool, dict[str, NDArray[Any]]] = {True: {}, False: {}}
        for common, columns in self._columns.items():
            for path, kind, n in snapshot.columns(common):
                columns[path] = np.empty(n, kind)
                snapshot.read(common, path, 0, columns[path])

    def columns(self, shard: int) -> list[tuple[str, str, int]]:
        """Of this rank, or (-1) of all."""
        assert shard in (-1, self._rank)
        return [(path, column.dtype.str, len(column)) for path, column in self._columns[shard < 0].items()]

    def read(self, shard: int, path: str, begin: int, out: NDArray[Any]) -> None:
        """Elements of a column."""
        out[:] = self._columns[shard < 0][path][begin : begin + len(out)]

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return sum(column.nbytes for columns in self._columns.values() for column in columns.values())
