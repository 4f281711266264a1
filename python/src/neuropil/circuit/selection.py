# SPDX-License-Identifier: Apache-2.0
"""Which cells of a population take part."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import bad_parameter, bad_type
from .nodes import NodeFile

__all__ = ["Chosen", "Selection"]


@dataclass(frozen=True)
class Selection:
    """Cells of a node set and of these mtypes and with these ids, as far as given; all cells when nothing is given."""

    node_set: str | None = None
    mtypes: Sequence[str] = ()
    ids: ArrayLike | None = None

    def of(self, file: NodeFile, sets: Path | None, name: str) -> Chosen:
        """The cells of this file. Raises BadFile, UnknownName, BadParameter (also when none is left; `name` is named)."""
        parts = []
        if self.node_set is not None:
            parts.append(file.of_node_set(sets, self.node_set))
        if self.mtypes:
            parts.append(file.of_mtypes(self.mtypes))
        if self.ids is not None:
            parts.append(_to_ids(f"{name}.ids", self.ids, file.n))
        if not parts:
            return Chosen(range(file.n))
        left = parts[0]
        for part in parts[1:]:
            left = np.intersect1d(left, part)
        if not len(left):
            raise bad_parameter(name, self.node_set or list(self.mtypes) or "ids", "at least one cell")
        return Chosen(left)


@dataclass(frozen=True)
class Chosen:
    """Ids of cells, ascending: a range when it is all of them."""

    ids: range | NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, within: range) -> range | NDArray[np.int64]:
        """The cells at these places."""
        return self.ids[within.start : within.stop]

    def key(self) -> str:
        """Equal for equal cells."""
        if isinstance(self.ids, range):
            return f"all {len(self.ids)}"
        return hashlib.sha256(np.ascontiguousarray(self.ids, "<i8").tobytes()).hexdigest()


def _to_ids(name: str, ids: ArrayLike, n: int) -> NDArray[np.int64]:
    values = np.atleast_1d(np.asarray(ids))
    if values.ndim != 1 or (values.dtype.kind not in "iu" and values.size):
        raise bad_type(name, ids, "a one-dimensional array of node ids")
    wrong = (values < 0) | (values >= n)
    if wrong.any():
        raise bad_parameter(name, int(values[wrong][0]), f"node ids from 0 to {n - 1}")
    return np.unique(values.astype(np.int64))
