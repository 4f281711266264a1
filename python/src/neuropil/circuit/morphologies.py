# SPDX-License-Identifier: Apache-2.0
"""Morphologies from SWC, Neurolucida ASC (morphio) and H5v1 (h5py, in double) files, checked, as flat arrays."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import bad_file
from .hdf5 import dataset, opened, read
from .libraries import library
from .notes import Notes

__all__ = ["APICAL", "AXON", "BASAL", "SOMA", "Morphology", "Shelf", "Tables", "find_file", "read_morphology", "tables"]

SOMA, AXON, BASAL, APICAL = 1, 2, 3, 4  # codes of SWC


@dataclass(frozen=True)
class Morphology:
    """One reconstructed neuron in its own frame, um.

    points: float64 (p, 3); radii: float64 (p,); begin: int64 (s + 1,), points of section k are begin[k] .. begin[k + 1], the first of them
    repeats the last one of the parent; parent: int32 (s,), -1 at the soma; kind: uint8 (s,), SWC codes; soma: a sphere.
    """

    points: NDArray[np.float64]
    radii: NDArray[np.float64]
    begin: NDArray[np.int64]
    parent: NDArray[np.int32]
    kind: NDArray[np.uint8]
    soma_centre: NDArray[np.float64]
    soma_radius: float

    @property
    def n_sections(self) -> int:
        """Number of sections."""
        return len(self.parent)

    @property
    def n_segments(self) -> int:
        """Number of segments: one fewer than points in each section."""
        return len(self.points) - self.n_sections

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in (self.points, self.radii, self.begin, self.parent, self.kind))

    def segment_lengths(self) -> NDArray[np.float64]:
        """Length of every segment, in the order of sections: float64 (n_segments,)."""
        inside = np.ones(max(len(self.points) - 1, 0), bool)
        inside[self.begin[1:-1] - 1] = False
        return np.asarray(np.linalg.norm(np.diff(self.points, axis=0), axis=1)[inside], np.float64)

    def section_lengths(self) -> NDArray[np.float64]:
        """Length of every section: float64 (s,)."""
        places = np.repeat(np.arange(self.n_sections), np.diff(self.begin) - 1)
        return np.asarray(np.bincount(places, self.segment_lengths(), self.n_sections), np.float64)


@dataclass(frozen=True)
class Tables:
    """Several morphologies as flat arrays, one after the other: what the kernel takes."""

    points: NDArray[np.float64]
    radii: NDArray[np.float64]
    point_begin: NDArray[np.int64]
    section_begin: NDArray[np.int64]
    section_parent: NDArray[np.int32]
    section_type: NDArray[np.uint8]
    soma_centre: NDArray[np.float64]
    soma_radius: NDArray[np.float64]


def tables(some: Sequence[Morphology]) -> Tables:
    """Flat arrays of these morphologies; of none: empty ones."""
    first_point = np.cumsum([0, *(len(m.points) for m in some)])
    first_section = np.cumsum([0, *(m.n_sections for m in some)])
    begins = [m.begin[:-1] + first for m, first in zip(some, first_point[:-1], strict=True)]
    return Tables(
        _joined([m.points for m in some], np.empty((0, 3))),
        _joined([m.radii for m in some], np.empty(0)),
        np.concatenate([*begins, first_point[-1:]]).astype(np.int64),
        first_section.astype(np.int64),
        _joined([m.parent for m in some], np.empty(0, np.int32)),
        _joined([m.kind for m in some], np.empty(0, np.uint8)),
        np.array([m.soma_centre for m in some], np.float64).reshape(-1, 3),
        np.array([m.soma_radius for m in some], np.float64),
    )


def _joined(parts: list[NDArray[Any]], empty: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(np.concatenate(parts)) if parts else empty


def find_file(name: str, folders: Mapping[str, Path], config: Path) -> Path:
    """The file of morphology `name`: exact formats first. Raises BadFile that names where it was looked for."""
    if not folders:
        raise bad_file(config, "morphologies_dir", "is missing, and so is alternate_morphologies; one of them must be given")
    if not name or "\0" in name:
        raise bad_file(config, "", f"{name!r} is no name of a morphology")
    tried = [folder / f"{name}{suffix}" for suffix, folder in folders.items()]
    for path in tried:
        if path.is_file():
            return path
    raise bad_file(
        tried[0], "", f"there is no such morphology{'; also looked for ' + ', '.join(map(str, tried[1:])) if len(tried) > 1 else ''}"
    )


class Shelf:
    """Morphologies that were read, at most `limit` bytes besides those of the present call; every file is read once as long as they fit."""

    def __init__(
        self, folders: Mapping[str, Path], notes: Notes, config: Path = Path("circuit_config.json"), limit: float = float("inf")
    ) -> None:
        self._folders, self._notes, self._config, self._limit = folders, notes, config, limit
        self._kept: OrderedDict[str, Morphology] = OrderedDict()
        self.n_read = 0

    def get(self, names: Iterable[str]) -> list[Morphology]:
        """The morphologies with these names. Raises BadFile."""
        found = [self._one(name) for name in names]
        surplus = sum(m.nbytes for m in self._kept.values()) - self._limit
        while surplus > 0 and self._kept:
            surplus -= self._kept.popitem(last=False)[1].nbytes
        return found

    def _one(self, name: str) -> Morphology:
        if name not in self._kept:
            self._kept[name] = read_morphology(find_file(name, self._folders, self._config), self._notes)
            self.n_read += 1
        self._kept.move_to_end(name)
        return self._kept[name]


def read_morphology(path: Path | str, notes: Notes | None = None) -> Morphology:
    """Reads a .swc, .asc or .h5 file. Raises BadFile with the line, dataset or section; what is odd but usable is counted in `notes`."""
    file = Path(path)
    if not file.is_file():
        raise bad_file(file, "", "there is no such morphology")
    found = _read_h5(file) if file.suffix.lower() == ".h5" else _read_text(file)
    return _checked(file, found, Notes() if notes is None else notes)


# --- H5v1


def _read_h5(file: Path) -> Morphology:
    with opened(file) as handle:
        points = np.asarray(read(dataset(handle, "points", "f", 2, 4)), np.float64)
        structure = np.asarray(read(dataset(handle, "structure", "iu", 2, 3)), np.int64)
    if not len(points) or not len(structure):
        raise bad_file(file, "/structure" if len(points) else "/points", "is empty")
    first, kind, parent = structure[:, 0], structure[:, 1], structure[:, 2]
    _check_structure(file, first, kind, parent, len(points))
    has_soma = int(kind[0] == SOMA)
    stop = np.append(first[1:], len(points))
    soma = points[first[0] : stop[0]] if has_soma else points[:0]
    rows = slice(has_soma, None)
    begin = np.append(first[rows], len(points)) - (first[has_soma] if len(first) > has_soma else len(points))
    neurites = points[stop[0] if has_soma else first[0] :]
    return Morphology(
        np.ascontiguousarray(neurites[:, :3]),
        0.5 * neurites[:, 3],
        begin.astype(np.int64),
        (np.maximum(parent[rows], has_soma - 1) - has_soma).astype(np.int32),
        np.clip(kind[rows], 0, 255).astype(np.uint8),
        *_soma(soma[:, :3], 0.5 * soma[:, 3]),
    )


def _check_structure(file: Path, first: NDArray[np.int64], kind: NDArray[np.int64], parent: NDArray[np.int64], n_points: int) -> None:
    rows = np.arange(len(first))
    stop = np.append(first[1:], n_points)
    for wrong, problem in (
        (first[:1] != 0, "the first section must begin at point 0"),
        ((first < 0) | (first >= n_points), f"its first point is not among the {n_points} points"),
        (stop <= first, "sections out of order: it begins after the next one, or has no points"),
        (parent >= rows, "sections out of order: its parent does not come before it"),
        (parent < -1, "its parent is below -1"),
        ((kind < 1) | (kind > 255), "its type is not from 1 to 255"),
        ((kind == SOMA) & (rows > 0), "a second soma"),
    ):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise bad_file(file, f"/structure, row {row}", f"{problem} (first point {first[row]}, type {kind[row]}, parent {parent[row]})")


def _soma(points: NDArray[np.float64], radii: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """A sphere: the mean of the contour and the largest distance from there; of one point: that point with its radius."""
    if not len(points):
        return np.zeros(3), 0.0
    centre = points.mean(axis=0)
    if len(points) == 1:
        return centre, float(radii[0])
    return centre, float(np.sqrt(((points - centre) ** 2).sum(axis=1)).max())


# --- SWC, ASC


def _read_text(file: Path) -> Morphology:
    morphio = library("morphio")
    try:
        found = morphio.Morphology(str(file), warning_handler=morphio.WarningHandlerCollector())
    except morphio.MorphioError as error:
        raise _said(file, str(error)) from None
    except (RuntimeError, ValueError, UnicodeError, MemoryError, IndexError) as error:
        raise bad_file(file, "", f"cannot be read: {error}") from None
    parent = np.array([-1 if section.is_root else section.parent.id for section in found.sections], np.int32)
    soma = np.asarray(found.soma.points, np.float64).reshape(-1, 3)
    begin = np.asarray(found.section_offsets, np.int64)
    return Morphology(
        np.ascontiguousarray(found.points, np.float64).reshape(-1, 3),
        0.5 * np.asarray(found.diameters, np.float64),
        begin if len(begin) else np.zeros(1, np.int64),
        parent,
        np.asarray(found.section_types, np.int64).clip(0, 255).astype(np.uint8),
        *_soma(soma, 0.5 * np.asarray(found.soma.diameters, np.float64)),
    )


def _said(file: Path, text: str) -> Exception:
    """What morphio says, in one line and with the number of the line of the file when it gives one."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text).strip()
    line = re.match(rf"{re.escape(str(file))}:(\d+):\w+\s*(.*)", plain, re.DOTALL)
    place, problem = (f"line {line[1]}", line[2]) if line else ("", plain)
    return bad_file(file, place, " ".join(problem.split()) or "cannot be read")


# --- checks


def _checked(file: Path, m: Morphology, notes: Notes) -> Morphology:
    if m.n_sections == 0 and m.soma_radius == 0.0:
        raise bad_file(file, "", "holds neither a soma nor sections")
    for values, what in ((m.points, "coordinates"), (m.radii[:, None], "radii")):
        wrong = np.asarray(~np.isfinite(values).all(axis=1))
        if wrong.any():
            raise bad_file(file, _place(m, wrong), f"{what} that are not finite: {values[np.flatnonzero(wrong)[0]].tolist()}")
    if not (np.isfinite(m.soma_centre).all() and np.isfinite(m.soma_radius) and m.soma_radius >= 0.0):
        raise bad_file(file, "soma", f"its centre {m.soma_centre.tolist()} and radius {m.soma_radius} must be finite")
    if (m.radii < 0.0).any():
        raise bad_file(file, _place(m, m.radii < 0.0), f"negative radius {m.radii.min():g}")
    _note_oddities(file, m, notes)
    return m


def _note_oddities(file: Path, m: Morphology, notes: Notes) -> None:
    if not m.n_sections:
        notes.add("morphology without sections", 1, file, "")
        return
    if m.soma_radius == 0.0:
        notes.add("morphology without soma", 1, file, "")
    short = np.diff(m.begin) < 2
    notes.add("sections of one point", int(short.sum()), file, f"section {_first(short) + 1}")
    zero = m.segment_lengths() == 0.0
    if zero.any():
        section = int(np.searchsorted(np.cumsum(np.diff(m.begin) - 1), _first(zero), side="right"))
        notes.add("segments of zero length", int(zero.sum()), file, f"first in section {section + 1}")
    if (m.radii == 0.0).any():
        notes.add("points of zero radius", int((m.radii == 0.0).sum()), file, f"first in {_place(m, m.radii == 0.0)}")
    known = (m.kind >= AXON) & (m.kind <= APICAL)
    notes.add("sections that are neither axon nor dendrite (left out)", int((~known).sum()), file, f"section {_first(~known) + 1}")
    if (np.diff(m.kind.astype(int)) < 0).any():
        notes.add("morphology with sections not ordered by type (some tools number them differently)", 1, file, "")
    if AXON not in m.kind:
        notes.add("morphology without axon", 1, file, "")


def _first(wrong: NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(wrong)[0]) if wrong.any() else 0


def _place(m: Morphology, wrong: NDArray[np.bool_]) -> str:
    """Section (from 1, as in edge files) and point of the first wrong one."""
    point = _first(wrong)
    section = int(np.searchsorted(m.begin, point, side="right")) - 1
    return f"section {section + 1}, point {point - int(m.begin[section])}"
