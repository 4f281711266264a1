# SPDX-License-Identifier: Apache-2.0
"""Reads SONATA edge files with touches, part by part, and the circuit configuration beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import unknown_name
from .columns import COLUMNS, SOURCE, TARGET
from .config import Circuit, read_config
from .detect import config_beside
from .errors import bad_file
from .hdf5 import dataset, joined, opened, read, reading

__all__ = ["Connections", "EdgeFile", "circuit_of", "runs"]

_BLOCK = 1 << 21  # edges read at once
_GAP = 1 << 12  # edges: to read so many in vain is faster than to begin anew


class EdgeFile:
    """An edge population with touches. Checked when opened: datasets that are there have the same length; raises BadFile, UnknownName.

    n: number of touches; source_population, target_population: of its nodes.
    """

    def __init__(self, path: Path | str, population: str | None = None) -> None:
        self.path = Path(path)
        with opened(self.path) as handle:
            self.population = self._only(handle, population)
            group = self._group(handle)
            self.n = len(dataset(group, SOURCE, "iu"))
            for name in (TARGET, *self._there(group)):
                found = dataset(self._at(group, name), name, "iu" if name == TARGET else "iuf")
                if len(found) != self.n:
                    raise bad_file(self.path, str(found.name), f"has {len(found)} values, {SOURCE} has {self.n}")
            self.names = (SOURCE, TARGET, *self._there(group))
            self.source_population, self.target_population = (self._nodes_of(group, name) for name in (SOURCE, TARGET))

    def read(self, names: Sequence[str], begin: int = 0, end: int | None = None) -> dict[str, NDArray[Any]]:
        """Columns of the touches begin .. end. Raises BadFile for what is not there, and for ids below 0."""
        found = {}
        with opened(self.path) as handle:
            group = self._group(handle)
            for name in names:
                found[name] = read(dataset(self._at(group, name), name, "iuf"), slice(begin, self.n if end is None else end))
                if name in (SOURCE, TARGET) and len(found[name]) and int(found[name].min()) < 0:
                    raise bad_file(self.path, f"/edges/{self.population}/{name}", f"has the node id {int(found[name].min())}")
        return found

    def blocks(self, names: Sequence[str], size: int = _BLOCK, part: range | None = None) -> Iterator[dict[str, NDArray[Any]]]:
        """The columns of all touches, or those in `part`, block by block: memory does not grow with the file."""
        of = range(self.n) if part is None else part
        for begin in range(of.start, of.stop, size):
            yield self.read(names, begin, min(begin + size, of.stop))

    def check_order(self, part: range) -> None:
        """Touches in `part`, and the one before, must be sorted by source and target. Raises BadFile."""
        before = max(part.start - 1, 0)
        for begin in range(before, part.stop - 1, _BLOCK):
            block = self.read((SOURCE, TARGET), begin, min(begin + _BLOCK + 1, part.stop))
            source, target = (block[name].astype(np.int64) for name in (SOURCE, TARGET))
            _check_sorted(self, source, target, np.arange(begin, begin + len(source)))

    def onto(self, mine: NDArray[np.bool_], names: Sequence[str]) -> Iterator[dict[str, NDArray[Any]]]:
        """Columns of the touches that end on the nodes where `mine`, bool (nodes,), is true, part by part in the order of the file.

        Where the file has the index target_to_source, what lies between them is not read, unless it is little. Raises BadFile.
        """
        wanted = tuple(dict.fromkeys((TARGET, *names)))
        for begin, end in self._where(mine):
            for first in range(begin, end, _BLOCK):
                block = self.read(wanted, first, min(first + _BLOCK, end))
                here = mine[block[TARGET]]
                yield {name: block[name][here] for name in names}

    def _where(self, mine: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """Ranges of the file that hold all touches onto these nodes, and not much else."""
        place = f"/edges/{self.population}/indices/target_to_source"
        with opened(self.path) as handle:
            with reading(self.path, place):
                index = handle.get(place)
            if index is None:
                return [(0, self.n)]
            of_nodes, ranges = (dataset(index, name, "iu", 2, 2) for name in ("node_id_to_ranges", "range_to_edge_id"))
            rows = read(of_nodes).astype(np.int64)[:, :2]
            found = [read(ranges, slice(a, b)) for a, b in joined(rows[mine[: len(rows)]], 0)]
        edges = np.concatenate([np.empty((0, 2), np.int64), *(part[:, :2].astype(np.int64) for part in found)])
        return joined(np.clip(edges, 0, self.n), _GAP)

    def check_nodes(self, sources: int, targets: int, part: range | None = None) -> None:
        """Node ids must be below these numbers of nodes; of all touches, or those in `part`. Raises BadFile."""
        for block in self.blocks((SOURCE, TARGET), part=part):
            for name, n in ((SOURCE, sources), (TARGET, targets)):
                if int(block[name].max()) >= n:
                    raise bad_file(
                        self.path, f"/edges/{self.population}/{name}", f"has the node id {int(block[name].max())}, there are {n} nodes"
                    )

    # --- helpers

    def _only(self, handle: Any, wanted: str | None) -> str:
        with reading(self.path, "/edges"):
            names = sorted(handle["edges"]) if "edges" in handle else []
        if wanted is None and len(names) == 1:
            return str(names[0])
        if wanted is None or not names:
            raise bad_file(
                self.path, "/edges", f"has {'the populations ' + ', '.join(names) + ': name one' if names else 'no edge population'}"
            )
        if wanted not in names:
            raise unknown_name(f"edge population of {self.path}", wanted, names)
        return wanted

    def _group(self, handle: Any) -> Any:
        place = f"/edges/{self.population}"
        with reading(self.path, place):
            group = handle[place]
            if "0" not in group or not hasattr(group["0"], "keys"):
                raise bad_file(self.path, f"{place}/0", "is missing")
            return group

    def _there(self, group: Any) -> list[str]:
        with reading(self.path, f"/edges/{self.population}/0"):
            return [name for name in COLUMNS if name in group["0"]]

    def _at(self, group: Any, name: str) -> Any:
        return group if name in (SOURCE, TARGET) else group["0"]

    def _nodes_of(self, group: Any, name: str) -> str:
        with reading(self.path, f"/edges/{self.population}/{name}"):
            value = group[name].attrs.get("node_population", "")
            return value.decode() if isinstance(value, bytes) else str(value)


class Connections:
    """Pairs of cells with touches: source, target, first (touch), count; int64, in the order of the file, which must be sorted."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    first: NDArray[np.int64]

    def __init__(self, edges: EdgeFile) -> None:
        parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
        first = 0
        for block in edges.blocks((SOURCE, TARGET)):
            source, target = (block[name].astype(np.int64) for name in (SOURCE, TARGET))
            parts.append(runs(source, target, first))
            first += len(source)
        none = np.empty(0, np.int64)
        self.source, self.target, self.first = (
            (np.concatenate([none, *column]) for column in zip(*parts, strict=True)) if parts else (none,) * 3
        )
        self._join_cut(edges)
        self.count = np.diff(np.append(self.first, edges.n))

    def _join_cut(self, edges: EdgeFile) -> None:
        """Blocks may cut a connection in two; any other repetition, or another order, is that of an unsorted file."""
        whole = np.ones(len(self.source), bool)
        whole[1:] = (np.diff(self.source) != 0) | (np.diff(self.target) != 0)
        _check_sorted(edges, self.source, self.target, self.first)
        self.source, self.target, self.first = self.source[whole], self.target[whole], self.first[whole]

    def __len__(self) -> int:
        return len(self.source)


def _check_sorted(edges: EdgeFile, source: NDArray[np.int64], target: NDArray[np.int64], touch: NDArray[np.int64]) -> None:
    step, same = np.diff(source), np.diff(target)
    falls = (step < 0) | ((step == 0) & (same < 0))
    if falls.any():
        k = int(np.flatnonzero(falls)[0]) + 1
        raise bad_file(edges.path, f"/edges/{edges.population}", f"is not sorted by source and target: touch {touch[k]}")


def runs(
    source: NDArray[np.int64], target: NDArray[np.int64], first: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Source, target and first touch of each connection; `first`: number of the first touch."""
    begin = np.flatnonzero(np.concatenate([[True], (np.diff(source) != 0) | (np.diff(target) != 0)])[: len(source)])
    return source[begin], target[begin], first + begin


def circuit_of(edges: Path | str, circuit: Path | str | None = None) -> Circuit:
    """The circuit that an edge file belongs to: `circuit`, else the configuration that touch detection has written beside it. Raises BadFile."""
    path = Path(circuit) if circuit is not None else config_beside(Path(edges))
    if not path.exists():
        raise bad_file(edges, "", f"there is no circuit configuration {path}; name the one of its nodes with --circuit")
    return read_config(path)
