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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.grid import Grid
from ..base.ranges import Ranges
from ..errors import bad_file, bad_parameter
from .files import VERSION, check_kind, renamed
from .sampling import in_order
from .spikes import Spikes
from .synapse_trace import SynapseTraceData
from .trace_data import TraceData
from .weight_record import WeightData

__all__ = [
    "WEIGHT_COLUMNS",
    "Columns",
    "check_unused",
    "cut",
    "load_spike_stream",
    "load_synapse_stream",
    "load_trace_stream",
    "load_weight_stream",
    "segment",
]

_SEGMENT = re.compile(r"from-(\d{12,})")
_NAME = re.compile(r"rank-(\d{5,})-of-(\d{5,})\.json")
WEIGHT_COLUMNS = ("steps", "source", "target", "weight", "delay_steps", "receptor", "order")
_COLUMNS = {"spikes": ("step", "gid"), "trace": ("step", "values"), "synapses": ("step", "values"), "weights": WEIGHT_COLUMNS}
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


def load_spike_stream(folder: Path, rank: int | None) -> Spikes:
    """The spikes of a directory, see `neuropil.load_spikes`."""
    segments = _segments(folder, "spikes", rank)
    offsets = any("offset" in part.columns for parts in segments for part in parts)
    found = [_spikes_of(parts, offsets) for parts in segments]
    steps, gids, before = (np.concatenate(column) for column in zip(*found, strict=True))
    about, stop = segments[0][0].about, min(part.step for part in segments[-1])
    grid = Grid(about["resolution_ms"])
    times = grid.ms(steps) - before if offsets else grid.ms(steps)
    begin = float(about["start_ms"])
    rest = (begin, max(grid.time(stop), begin), before if offsets else None, about["resolution_ms"], about["seed"])
    return Spikes._made(times, gids, _whole_nodes(segments[0]), *rest)


def _spikes_of(parts: list[Part], offsets: bool) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Steps, gids and offsets in order."""
    stop = min(part.step for part in parts)
    kept = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    for c in (part.columns for part in parts if part.rows):
        n = int(np.searchsorted(c["step"], stop, side="right"))  # of ranks that are ahead
        before = c["offset"][:n] if "offset" in c else np.zeros(n if offsets else 0)
        kept.append((np.asarray(c["step"][:n], np.int64), np.array(c["gid"][:n]), np.array(before)))
    steps, gids, before = (np.concatenate(column) for column in zip(*kept, strict=True))
    if len(parts) > 1:
        order = np.lexsort((gids, -before, steps) if offsets else (gids, steps))
        steps, gids, before = steps[order], gids[order], before[order] if offsets else before
    return steps, gids, before


def load_trace_stream(folder: Path, rank: int | None) -> TraceData:
    """The samples of a directory, see `neuropil.load_trace`."""
    segments = _segments(folder, "trace", rank)
    about = segments[0][0].about
    names = tuple(about["names"])
    steps, values = (np.concatenate(column) for column in zip(*(_samples_of(parts, len(names)) for parts in segments), strict=True))
    times = Grid(about["resolution_ms"]).ms(steps)
    rest = (names, about["units"], about["interval_ms"], about["resolution_ms"], about["seed"])
    return TraceData._made(times, values, _whole_nodes(segments[0]), *rest)


def _samples_of(parts: list[Part], names: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Steps, and values of all nodes in the order in which they were given."""
    n = min(part.rows for part in parts)
    values = np.empty((n, sum(len(part.places) for part in parts), names))
    place = np.argsort(np.argsort(np.concatenate([part.places for part in parts])))
    at = 0
    for part in parts:
        values[:, place[at : at + len(part.places)]] = part.columns["values"][:n] if n else 0.0
        at += len(part.places)
    steps = np.asarray(parts[0].columns["step"][:n], np.int64) if n else np.empty(0, np.int64)
    return steps, values


def load_synapse_stream(folder: Path, rank: int | None) -> SynapseTraceData:
    """The samples of synapses of a directory, see `neuropil.load_synapse_trace`."""
    segments = _segments(folder, "synapses", rank)
    about = segments[0][0].about
    names = about["names"]
    found = [_synapses_of(parts, len(names)) for parts in segments]
    steps, values = (np.concatenate([each[k] for each in found]) for k in (0, 1))
    data = {name: np.ascontiguousarray(values[:, :, k]) for k, name in enumerate(names)}
    samples = Grid(about["resolution_ms"]).ms(steps), data, found[0][2], found[0][3]
    return SynapseTraceData._made(samples, about["interval_ms"], about["resolution_ms"], about["seed"])


def _synapses_of(parts: list[Part], names: int) -> tuple[NDArray[Any], ...]:
    """Steps, values, sources and targets in canonical order."""
    n = min(part.rows for part in parts)
    ends = [np.concatenate([np.array(part.about[name], np.int64) for part in parts]) for name in ("sources", "targets")]
    order = in_order(*ends)
    none = np.empty((0, 0, names))
    values = [part.columns["values"][:n] if n else none.reshape(0, len(part.about["sources"]), names) for part in parts]
    steps = np.asarray(parts[0].columns["step"][:n], np.int64) if n else np.empty(0, np.int64)
    return steps, np.concatenate(values, axis=1)[:, order], ends[0][order], ends[1][order]


def load_weight_stream(folder: Path, rank: int | None) -> WeightData:
    """The transmitted weights of a directory, see `neuropil.load_weights`. Spikes of long delays are written after later ones of short delays."""
    segments = _segments(folder, "weights", rank)
    found = [_weights_of(parts) for parts in segments]
    c = {name: np.concatenate([each[name] for each in found]) for name in WEIGHT_COLUMNS}
    order = np.lexsort([c[name] for name in ("delay_steps", "order", "target", "source", "steps")])
    about = segments[0][0].about
    ms = Grid(about["resolution_ms"]).ms
    data = {"times": ms(np.asarray(c["steps"][order], np.int64)), "sources": c["source"][order], "targets": c["target"][order]}
    data["weights"], data["delays"] = np.asarray(c["weight"][order], np.float64), ms(np.asarray(c["delay_steps"][order], np.int64))
    data["receptors"] = np.asarray(c["receptor"][order], np.int32)
    return WeightData._made(data, about["resolution_ms"], about["seed"])


def _weights_of(parts: list[Part]) -> dict[str, NDArray[Any]]:
    """The columns, in no order."""
    stop = min(part.step for part in parts)
    columns = {name: [part.columns[name] for part in parts if part.rows] for name in WEIGHT_COLUMNS}
    c = {name: np.concatenate(column) if column else np.empty(0, np.int64) for name, column in columns.items()}
    here = c["steps"] + c["delay_steps"] <= stop  # not what ranks that are ahead have seen arrive since
    return {name: column[here] for name, column in c.items()} if len(parts) > 1 else c


def _whole_nodes(parts: list[Part]) -> Ranges:
    """The recorded nodes of these ranks, in the order in which they were given."""
    if len(parts) == 1:
        return parts[0].nodes
    order = np.argsort(np.concatenate([part.places for part in parts]))
    return Ranges.of(np.concatenate([part.nodes.ids() for part in parts])[order])


def _segments(folder: Path, kind: str, rank: int | None) -> list[list[Part]]:
    """What the ranks have written, for each time that the network went on from a checkpoint. Raises BadFile, BadParameter."""
    every = _segment_folders(folder)
    ends = [*(begin for begin, _ in every[1:]), None]
    found = [list(_parts(path, kind, rank, end)) for (_, path), end in zip(every, ends, strict=True)]
    if rank is not None and any(parts[0].nodes != found[0][0].nodes for parts in found):
        raise bad_parameter("rank", rank, "left out: the ranks of the resumed run have other nodes than those of the run before")
    return found


def _parts(folder: Path, kind: str | None, rank: int | None, until: int | None = None) -> Iterator[Part]:
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
        yield _part(found[r][0], kind, until)


def _part(file: Path, kind: str | None, until: int | None) -> Part:
    def array(name: str, rows: int | None = None) -> NDArray[Any]:
        path = file.with_suffix(f".{name}.npy")
        try:
            return _rows(path, rows)
        except (ValueError, OSError, EOFError) as error:
            raise bad_file(path, "", f"missing or broken: {error}") from error

    try:
        about = json.loads(file.read_text())
    except ValueError as error:
        raise bad_file(file, "", f"broken: {error}") from error
    if kind is None:  # whatever it is: columns are not read
        kind = str(about.get("neuropil")).removesuffix(" stream") if isinstance(about, dict) else ""
    check_kind(file, about, f"{kind} stream")
    flushes = array("flushes")
    if until is not None:
        flushes = flushes[: np.searchsorted(flushes[:, 1], until, side="right")]
    rows, step, offsets = (int(number) for number in flushes[-1]) if len(flushes) else (0, 0, 0)
    columns = {name: array(name, rows) for name in (*_COLUMNS[kind], *(["offset"] if offsets else [])) if rows}
    return Part(about, rows, step, Ranges(array("nodes")), Ranges(array("places")).ids(), columns)


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
