# SPDX-License-Identifier: Apache-2.0
"""Cells of a SONATA node file: read by ranges or lists of node ids, so that a rank holds its own cells only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import unknown_name
from .config import Nodes
from .errors import bad_file
from .hdf5 import dataset, opened, read, reading
from .node_sets import select
from .notes import Notes

__all__ = ["Cells", "NodeFile"]

_BLOCK = 1 << 20  # nodes read at once where a whole column is looked through
_MTYPE = "mtype"
_CLASS = "synapse_class"


@dataclass(frozen=True)
class Cells:
    """Some cells of a population, in ascending order of their ids.

    gid: int64 (n,), node ids from 0; morphology: int32 (n,), index into `morphologies`; position: float64 (n, 3), um;
    rotation: float64 (n, 4), w, x, y, z of unit length; mtype: int32 (n,), index into `mtypes`.
    """

    gid: NDArray[np.int64]
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    morphology: NDArray[np.int32]
    morphologies: tuple[str, ...]
    mtype: NDArray[np.int32]
    mtypes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.gid)


class NodeFile:
    """A node population, opened for reading of parts of it. Raises BadFile for what is missing; nothing is read before it is asked for."""

    def __init__(self, nodes: Nodes, notes: Notes | None = None) -> None:
        self.nodes = nodes
        self.notes = Notes() if notes is None else notes
        with self._group() as group:
            self.n = len(dataset(group, "x"))
            if self.n == 0:
                raise bad_file(nodes.file, f"/nodes/{nodes.population}", "the population is empty")
            for name in ("x", "y", "z", *self._rotation_names(group)):
                self._check_length(group, name, dataset(group, name))
            for name in ("morphology", *((_MTYPE,) if _MTYPE in group else ())):
                self._check_length(group, name, dataset(group, name, "iuOS"))
            self.mtypes = self._names(group, _MTYPE)

    def read(self, ids: NDArray[np.int64] | range) -> Cells:
        """The cells with these ids (ascending; checked). Raises BadFile."""
        first, last = (int(ids[0]), int(ids[-1]) + 1) if len(ids) else (0, 0)
        chosen: Any = slice(None) if isinstance(ids, range) else np.asarray(ids, np.int64) - first
        with self._group() as group:
            part = slice(first, last)

            def column(name: str) -> NDArray[np.float64]:
                return np.asarray(read(dataset(group, name), part)[chosen], np.float64)

            position = np.stack([column(name) for name in "xyz"], axis=1)
            rotation = self._rotations(group, column, len(position))
            morphology, morphologies = self._labels(group, "morphology", part, chosen)
            mtype, mtypes = self._labels(group, _MTYPE, part, chosen)
        used, index = np.unique(morphology, return_inverse=True)  # the list of a file names the morphologies of all cells
        morphologies = tuple(morphologies[k] for k in used)
        gid = np.arange(first, last, dtype=np.int64)[chosen]
        self._check_positions(gid, position)
        return Cells(gid, position, self._unit(gid, rotation), index.reshape(-1).astype(np.int32), morphologies, mtype, mtypes)

    def check(self, part: range) -> None:
        """Reads cells as `read` would, and notes what is odd about them: to be called once for every part of the file. Raises BadFile."""
        self.read(part)
        place = f"/nodes/{self.nodes.population}/0/orientation_w"
        with self._group() as group:
            names = self._rotation_names(group)
            if not names:
                self.notes.add("cells without orientation (taken as not rotated)", len(part), self.nodes.file, place, f"{part}")
                return
            columns = [read(dataset(group, name), slice(part.start, part.stop)) for name in names]
        off = np.flatnonzero(np.abs(np.sqrt(sum(values.astype(np.float64) ** 2 for values in columns)) - 1.0) > 1e-4)
        first = f"{place}, node {part.start + off[0]}" if len(off) else place
        self.notes.add("quaternions that are not of length 1 (normalised)", len(off), self.nodes.file, first, f"{part}")

    def labels(self, name: str, ids: NDArray[np.int64] | range | None = None) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """A column of names such as "mtype" or "synapse_class" for all cells, or those with these ids: numbers and what they mean; no names when it is absent."""
        with self._group() as group:
            if ids is None:
                return self._labels(group, name, slice(0, self.n), slice(None))
            return self._labels(group, name, slice(0, self.n), np.asarray(ids, np.int64))

    def positions(self) -> NDArray[np.float64]:
        """Positions of all cells, float64 (n, 3), um."""
        with self._group() as group:
            return np.stack([np.asarray(read(dataset(group, name)), np.float64) for name in "xyz"], axis=1)

    def of_mtypes(self, wanted: Sequence[str]) -> NDArray[np.int64]:
        """Ids of the cells of these mtypes. Raises UnknownName."""
        for name in wanted:
            if name not in self.mtypes:
                raise unknown_name(f"mtype of {self.nodes.file}", name, self.mtypes)
        parts = []
        with self._group() as group:
            for first in range(0, self.n, _BLOCK):
                values, names = self._labels(group, _MTYPE, slice(first, min(first + _BLOCK, self.n)), slice(None))
                parts.append(first + np.flatnonzero(np.isin(values, [k for k, name in enumerate(names) if name in wanted])))
        return np.concatenate(parts).astype(np.int64)

    def of_node_set(self, sets: Any, name: str) -> NDArray[np.int64]:
        """Ids of the cells of a node set of the JSON file `sets`. Raises BadFile, UnknownName."""
        return select(sets, name, self.nodes)

    # --- helpers

    def _group(self) -> AbstractContextManager[Any]:
        return _properties(self.nodes)

    def _check_length(self, group: Any, name: str, found: Any) -> None:
        if len(found) != self.n:
            raise bad_file(self.nodes.file, f"{group.name}/{name}", f"has {len(found)} values, x has {self.n}")

    def _rotation_names(self, group: Any) -> tuple[str, ...]:
        names = tuple(f"orientation_{axis}" for axis in "wxyz")
        there = [name for name in names if name in group]
        if there and len(there) < 4:
            raise bad_file(
                self.nodes.file,
                f"{group.name}/{next(name for name in names if name not in group)}",
                "is missing, other orientations are there",
            )
        return names if there else ()

    def _rotations(self, group: Any, column: Any, n: int) -> NDArray[np.float64]:
        names = self._rotation_names(group)
        if names:
            return np.stack([column(name) for name in names], axis=1)
        return np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))

    def _names(self, group: Any, name: str) -> tuple[str, ...]:
        """What the numbers of a column of names mean; gathered block by block when the file has no list."""
        if name not in group:
            return ()
        library = group.get("@library")
        if library is not None and name in library:
            return _texts(self.nodes.file, library, name)
        found: set[str] = set()
        for first in range(0, self.n, _BLOCK):
            found |= set(self._labels(group, name, slice(first, min(first + _BLOCK, self.n)), slice(None))[1])
        return tuple(sorted(found))

    def _labels(self, group: Any, name: str, part: slice, chosen: Any) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        if name not in group:
            return np.zeros(len(range(self.n)[part]) if isinstance(chosen, slice) else len(chosen), np.int32), ()
        found = dataset(group, name, "iuOS")
        self._check_length(group, name, found)
        values = read(found, part)[chosen]
        library = group.get("@library")
        place = f"{group.name}/{name}"
        if found.dtype.kind in "iu":
            names = _texts(self.nodes.file, library, name) if library is not None and name in library else None
            if names is None:
                raise bad_file(self.nodes.file, place, "has numbers, but @library has no names for them")
            if len(values) and (int(values.min()) < 0 or int(values.max()) >= len(names)):
                raise bad_file(self.nodes.file, place, f"has number {int(values.max())}, @library has {len(names)} names")
            return values.astype(np.int32), names
        with reading(self.nodes.file, place):
            unique, index = np.unique([_text(value) for value in values], return_inverse=True)
        return index.reshape(-1).astype(np.int32), tuple(str(text) for text in unique)

    def _check_positions(self, gid: NDArray[np.int64], position: NDArray[np.float64]) -> None:
        wrong = ~np.isfinite(position)
        if wrong.any():
            cell, axis = (int(k) for k in np.argwhere(wrong)[0])
            raise bad_file(
                self.nodes.file, f"/nodes/{self.nodes.population}/0/{'xyz'[axis]}", f"node {gid[cell]} is at {position[cell, axis]}"
            )

    def _unit(self, gid: NDArray[np.int64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
        """Quaternions of length 1. Zero ones are errors, others are noted and normalised."""
        place = f"/nodes/{self.nodes.population}/0/orientation_w"
        length = np.sqrt((rotation**2).sum(axis=1))
        wrong = ~(np.isfinite(length) & (length > 1e-12))
        if wrong.any():
            k = int(np.flatnonzero(wrong)[0])
            raise bad_file(self.nodes.file, place, f"node {gid[k]} has the quaternion {rotation[k].tolist()}: must be finite and not zero")
        return np.asarray(rotation / length[:, None], np.float64)


@contextmanager
def _properties(nodes: Nodes) -> Iterator[Any]:
    """The group with the properties of the nodes."""
    place = f"/nodes/{nodes.population}"
    with opened(nodes.file) as handle:
        with reading(nodes.file, place):
            if place not in handle:
                names = sorted(handle["nodes"]) if "nodes" in handle else []
                raise bad_file(nodes.file, place, f"is missing; the file has {', '.join(names) or 'no population'}")
            groups = [name for name in handle[place] if name.isdigit()]
            if groups != ["0"]:
                raise bad_file(nodes.file, place, f"must have one group, 0; it has {', '.join(groups) or 'none'}")
            group = handle[f"{place}/0"]
        yield group


def _texts(file: Any, group: Any, name: str) -> tuple[str, ...]:
    with reading(file, f"{group.name}/{name}"):
        return tuple(_text(value) for value in read(dataset(group, name, "OS")))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
