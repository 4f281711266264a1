# SPDX-License-Identifier: Apache-2.0
"""Writes a SONATA edge file: rank 0 makes it with all datasets in place, then every rank writes its own ranges of bytes of the one file."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import COLUMNS, ROW_BYTES, SOURCE, TARGET
from .edge_index import Index, index_of
from .errors import DiskFull, writing
from .libraries import library
from .spool import Piece, Spool
from .team import Team, share

__all__ = ["Header", "write_edges"]

_INDICES = ("source_to_target", "target_to_source")


@dataclass(frozen=True)
class Header:
    """What an edge file says besides its edges. sources, targets: numbers of nodes of the two populations; parameters: how the touches were made."""

    population: str
    source_population: str
    target_population: str
    sources: int
    targets: int
    parameters: dict[str, Any]


def write_edges(path: Path, spool: Spool, header: Header, team: Team) -> None:
    """Makes the file from the pieces of the spool; collective. The bytes depend on the touches alone. Raises DiskFull, BadFile; then `path` is as before."""
    draft = path.with_name(path.name + ".part")
    first = [0, *(int(n) for n in np.cumsum([piece.touches for piece in spool.pieces]))]
    indices = team.together(lambda: _indices(spool, header, team))
    ranges = [[int(index.count.sum()) for index in pair] for pair in team.gather(indices)]
    places = team.first(lambda: _create(draft, header, first[-1], [sum(column) for column in zip(*ranges, strict=True)]))
    before = [sum(mine[k] for mine in ranges[: team.rank]) for k in range(2)]

    def fill() -> None:
        with writing(draft):
            file = os.open(draft, os.O_WRONLY)
            try:
                for k in range(team.rank, len(spool.pieces), team.size):
                    _write_piece(file, places, spool, spool.pieces[k], first[k])
                for name, index, earlier in zip(_INDICES, indices, before, strict=True):
                    _write_index(file, places, name, index, earlier)
                os.fsync(file)
            finally:
                os.close(file)

    try:
        team.together(fill)
        team.first(lambda: _rename(draft, path))
    except BaseException:
        if team.rank == 0:
            draft.unlink(missing_ok=True)
        raise


def _rename(draft: Path, path: Path) -> None:
    with writing(path):
        draft.replace(path)


def _indices(spool: Spool, header: Header, team: Team) -> tuple[Index, Index]:
    """The parts of this rank: of the sources and of the targets that are its share."""
    by_source = index_of(map(spool.connections, spool.pieces), share(header.sources, team.rank, team.size), 0)
    return by_source, index_of(map(spool.connections, spool.pieces), share(header.targets, team.rank, team.size), 1)


def _create(path: Path, header: Header, n: int, ranges: Sequence[int]) -> dict[str, int]:
    """An edge file with all its datasets allocated. Returns the place of each in the file (bytes); empty ones have none."""
    _check_room(path, n * ROW_BYTES + 16 * (header.sources + header.targets + sum(ranges)))
    h5py = library("h5py")
    places: dict[str, int] = {}
    with writing(path), h5py.File(path, "w", libver=("v108", "v108")) as file:
        file.attrs["magic"] = np.uint32(0x0A7A)
        file.attrs["version"] = np.array([0, 1], np.uint32)
        group = file.create_group(f"edges/{header.population}")
        group.attrs["parameters"] = json.dumps(header.parameters, sort_keys=True)
        properties = group.create_group("0")
        for name, kind in COLUMNS.items():
            places[name] = _allocate(h5py, group if name in (SOURCE, TARGET) else properties, name, (n,), kind)
        group[SOURCE].attrs["node_population"] = header.source_population
        group[TARGET].attrs["node_population"] = header.target_population
        # All edges have one type: a dataset that was never written reads as its fill value and takes no room.
        group.create_dataset("edge_type_id", (n,), "<i8", fillvalue=-1)
        for name, nodes, count in zip(_INDICES, (header.sources, header.targets), ranges, strict=True):
            index = group.create_group(f"indices/{name}")
            places[f"{name}/nodes"] = _allocate(h5py, index, "node_id_to_ranges", (nodes, 2), "<u8")
            places[f"{name}/ranges"] = _allocate(h5py, index, "range_to_edge_id", (count, 2), "<u8")
    return places


def _check_room(path: Path, needed: int) -> None:
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(path.parent).free
    if needed > free:
        raise DiskFull(
            f"{path}: needs {needed} bytes, {free} are free; what is finished is kept: make room and give the same command again", str(path)
        )


def _allocate(h5py: Any, group: Any, name: str, shape: tuple[int, ...], kind: str) -> int:
    """A dataset in one piece, whose bytes are written later. Returns its place in the file."""
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_layout(h5py.h5d.CONTIGUOUS)
    plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    plan.set_obj_track_times(False)
    made = h5py.h5d.create(group.id, name.encode(), h5py.h5t.py_create(np.dtype(kind)), h5py.h5s.create_simple(shape), plan)
    return int(made.get_offset() or 0)


def _write_piece(file: int, places: dict[str, int], spool: Spool, piece: Piece, first: int) -> None:
    for name, values in spool.touches(piece).items():
        _write(file, places[name] + first * values.itemsize, values)


def _write_index(file: int, places: dict[str, int], name: str, index: Index, ranges_before: int) -> None:
    _write(file, places[f"{name}/nodes"] + 16 * index.first, index.rows(ranges_before))
    _write(file, places[f"{name}/ranges"] + 16 * ranges_before, index.ranges.astype("<u8"))


def _write(file: int, place: int, values: NDArray[Any]) -> None:
    """All bytes: the system may take fewer at once."""
    if not values.nbytes:
        return
    data = np.ascontiguousarray(values).data.cast("B")
    while data:
        done = os.pwrite(file, data, place)
        data, place = data[done:], place + done
