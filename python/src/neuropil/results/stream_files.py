# SPDX-License-Identifier: Apache-2.0
"""Directories that a running network writes its results to, and that can be read meanwhile.

Each rank has files of its own, `rank-00003-of-00016.*`: a .json file that says what they are; a .npy file per column, to which rows are appended;
and `flushes.npy`, to which a row (rows so far, step until which they are complete, whether there are offsets) is appended after that. So what is read is whole at any time,
also after a crash: rows that no flush tells of are not looked at.

A network that goes on from a checkpoint of step n writes to the directory `from-n` in it, by whatever ranks it has then; of what was written before,
rows until n count. So what was written after the checkpoint, by the run that ended, does not.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.ranges import Ranges
from ..errors import bad_file, bad_parameter
from .files import VERSION, check_kind, renamed

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Columns", "Part", "check_unused", "cut", "kind_of_stream", "segment", "segments", "whole_nodes"]

_SEGMENT = re.compile(r"from-(\d{12,})")
_NAME = re.compile(r"rank-(\d{5,})-of-(\d{5,})\.json")
Arrays = Mapping[str, NDArray[Any]]


class Columns:
    """The files of one rank: arrays of equal length that grow."""

    def __init__(self, folder: Path, kind: str, rank: int, ranks: int, nodes: Ranges, places: Ranges, about: dict[str, Any]) -> None:
        """`nodes`: gids of this rank; `places`: their positions among the recorded nodes of all ranks. Raises BadParameter for a used folder."""
        check_unused(folder, rank, ranks)
        folder.mkdir(parents=True, exist_ok=True)
        self._stem = folder / f"rank-{rank:05d}-of-{ranks:05d}"
        self._shapes: dict[str, tuple[np.dtype[Any], tuple[int, ...]]] = {}
        self._flushes = 0
        self.rows = 0
        for name, ranges in (("nodes", nodes), ("places", places)):
            np.save(self._file(name), ranges.table)
        self._create("flushes", np.dtype(np.int64), (3,))
        with renamed(self._file("json", "")) as stream:
            stream.write(json.dumps({"neuropil": f"{kind} stream", "version": VERSION, **about}).encode())

    def add(self, columns: Arrays, rows: int, step: int) -> None:
        """Appends `rows` rows to every column, which are complete until this step.

        A column that does not have a file yet gets one, with zeros for the rows before; one that is not among `columns` gets zeros. Raises OSError;
        then nothing counts, and the same rows can be added again.
        """
        for name in {**self._shapes, **columns} if rows else ():
            if name != "flushes":
                self._append(name, columns.get(name), rows)
        self._put("flushes", self._flushes, np.array([[self.rows + rows, step, "offset" in self._shapes]], np.int64))
        self.rows, self._flushes = self.rows + rows, self._flushes + 1

    def sync(self) -> None:
        """All that was written is on the disk."""
        for name in ("json", "nodes", "places", *self._shapes):
            with (self._file(name, "") if name == "json" else self._file(name)).open("rb") as file:
                os.fsync(file)

    def _create(self, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        self._file(name).write_bytes(_header(dtype, (0, *shape)))
        self._shapes[name] = (dtype, shape)

    def _append(self, name: str, column: NDArray[Any] | None, rows: int) -> None:
        if column is not None and name not in self._shapes:
            self._create(name, column.dtype, column.shape[1:])
            self._put(name, 0, np.zeros((self.rows, *column.shape[1:]), column.dtype))
        dtype, shape = self._shapes[name]
        self._put(name, self.rows, np.zeros((rows, *shape), dtype) if column is None else np.ascontiguousarray(column, dtype))

    def _put(self, name: str, at: int, rows: NDArray[Any]) -> None:
        """Writes rows from row `at` on; what may be behind them, from a failed attempt, is cut."""
        dtype, shape = self._shapes[name]
        header = _header(dtype, (at + len(rows), *shape))
        with self._file(name).open("r+b") as file:
            file.seek(len(header) + at * dtype.itemsize * int(np.prod(shape, dtype=np.int64)))
            if rows.size:
                file.write(rows.data)
            file.truncate()
            file.seek(0)
            file.write(header)

    def _file(self, name: str, ending: str = ".npy") -> Path:
        return self._stem.with_name(f"{self._stem.name}.{name}{ending}")


def segment(folder: Path, step: int | None) -> Path:
    """Where a network that goes on from this step writes; None: one that began with it."""
    return folder if step is None else folder / f"from-{step:012d}"


def cut(folder: Path, step: int, until: int) -> None:
    """Removes what was written by those who went on from this step, or a later one. Raises BadFile where results `until` a step are not there."""
    every = _segment_folders(folder)
    for begin, path in every:
        if begin >= step and path != folder:
            for file in path.iterdir():
                if _NAME.fullmatch(re.sub(r"\.\w+\.npy$", ".json", file.name)):
                    file.unlink()
            path.rmdir()
    before = [path for begin, path in every if begin < step or path == folder]
    for part in _parts(before[-1] if before else folder, None, None, step):
        if part.step != until:
            raise bad_file(
                folder,
                "",
                f"lacks the results until step {until}, where the network goes on: give another directory, neuropil.load(..., streams=...)",
            )


def _segment_folders(folder: Path) -> list[tuple[int, Path]]:
    """The directory, and those in it, with the steps from which on they are written to."""
    later = [(int(m[1]), path) for path in (folder.iterdir() if folder.is_dir() else ()) if (m := _SEGMENT.fullmatch(path.name))]
    return [(0, folder), *sorted(later)]


def check_unused(folder: Path, rank: int, ranks: int) -> None:
    """Raises BadParameter when results of another run, or another recorder, are in the directory, or when it is none."""
    if folder.exists() and not folder.is_dir():
        raise bad_parameter("to", str(folder), "the name of a directory; there is a file of this name")
    near = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not os.access(near, os.W_OK):
        raise bad_parameter("to", str(folder), "a directory that can be written to")
    # Files of other ranks of this run may be there already; another run with as many ranks has left one of this rank.
    for path in folder.iterdir() if folder.exists() else ():
        match = _NAME.fullmatch(path.name)
        if match and (int(match[2]) != ranks or int(match[1]) == rank):
            raise bad_parameter("to", str(folder), "a directory without results of another run")


class Part(NamedTuple):
    """What one rank has written."""

    about: dict[str, Any]
    rows: int
    step: int  # until which they are complete
    nodes: Ranges
    places: NDArray[np.int64]
    columns: dict[str, NDArray[Any]]


def whole_nodes(parts: list[Part]) -> Ranges:
    """The recorded nodes of these ranks, in the order in which they were given."""
    if len(parts) == 1:
        return parts[0].nodes
    order = np.argsort(np.concatenate([part.places for part in parts]))
    return Ranges.of(np.concatenate([part.nodes.ids() for part in parts])[order])


def segments(folder: Path, kind: str, columns: Sequence[str], rank: int | None) -> list[list[Part]]:
    """The columns that the ranks have written, for each time that the network went on from a checkpoint. Raises BadFile, BadParameter."""
    every = _segment_folders(folder)
    ends = [*(begin for begin, _ in every[1:]), None]
    found = [list(_parts(path, kind, rank, end, columns)) for (_, path), end in zip(every, ends, strict=True)]
    if rank is not None and any(parts[0].nodes != found[0][0].nodes for parts in found):
        raise bad_parameter("rank", rank, "left out: the ranks of the resumed run have other nodes than those of the run before")
    return found


def _parts(folder: Path, kind: str | None, rank: int | None, until: int | None = None, columns: Sequence[str] = ()) -> Iterator[Part]:
    """What the ranks have written, in their order, until a step. Raises BadFile, BadParameter."""
    found = {int(m[1]): (path, int(m[2])) for path in sorted(folder.iterdir()) if (m := _NAME.fullmatch(path.name))}
    if not found:
        raise bad_file(folder, "", "no results in this directory")
    ranks = next(iter(found.values()))[1]
    if any(n != ranks for _, n in found.values()):
        raise bad_file(folder, "", "results of runs with different numbers of ranks")
    if rank is not None and not 0 <= rank < ranks:
        raise bad_parameter("rank", rank, f"from 0 to {ranks - 1}")
    for r in range(ranks) if rank is None else [rank]:
        if r not in found:
            raise bad_file(folder, f"rank {r} of {ranks}", "has written nothing")
        yield _part(found[r][0], kind, until, columns)


def _part(file: Path, kind: str | None, until: int | None, names: Sequence[str]) -> Part:
    def array(name: str, rows: int | None = None) -> NDArray[Any]:
        path = file.with_suffix(f".{name}.npy")
        try:
            return _rows(path, rows)
        except (ValueError, OSError, EOFError) as error:
            raise bad_file(path, "", f"missing or broken: {error}") from error

    about = _about(file, kind)
    flushes = array("flushes")
    if until is not None:
        flushes = flushes[: np.searchsorted(flushes[:, 1], until, side="right")]
    rows, step, offsets = (int(number) for number in flushes[-1]) if len(flushes) else (0, 0, 0)
    columns = {name: array(name, rows) for name in (*names, *(["offset"] if offsets else [])) if rows}
    return Part(about, rows, step, Ranges(array("nodes")), Ranges(array("places")).ids(), columns)


def _about(file: Path, kind: str | None) -> dict[str, Any]:
    """What a file of a rank says that it is, of this kind or of any."""
    try:
        about = json.loads(file.read_text())
    except ValueError as error:
        raise bad_file(file, "", f"broken: {error}") from error
    check_kind(file, about, None if kind is None else f"{kind} stream")
    return about  # type: ignore[no-any-return]


def kind_of_stream(folder: Path) -> str:
    """What a directory says that it holds, such as "spikes"; empty where it is not one that a network streams to. Raises BadFile."""
    for _, path in _segment_folders(folder):
        for file in sorted(path.iterdir()):
            if _NAME.fullmatch(file.name):
                return str(_about(file, None)["neuropil"]).removesuffix(" stream")
    return ""


def _rows(path: Path, rows: int | None) -> NDArray[Any]:
    """The first rows of a .npy file, all by default; it may be growing."""
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        (length, *rest), _, dtype = np.lib.format.read_array_header_1_0(file)
        wanted = length if rows is None else rows
        count = wanted * int(np.prod(rest, dtype=np.int64))
        found = np.fromfile(file, dtype, count)
    if length < wanted or len(found) < count:
        raise ValueError(f"{wanted} rows were written, not all are there")
    return found.reshape(wanted, *rest)


def _header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """The head of a .npy file. numpy leaves room for the first number to grow: its length does not change."""
    stream = io.BytesIO()
    head = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, head)
    return stream.getvalue()
