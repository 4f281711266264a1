# SPDX-License-Identifier: Apache-2.0
"""Results to files and back, bit for bit: spikes, traces, weights."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..base.ranges import Ranges
from ..errors import NeuropilError, bad_file, bad_parameter
from .files import Table, read, to_path, write
from .spikes import Spikes
from .stream_files import load_spike_stream, load_synapse_stream, load_trace_stream, load_weight_stream
from .synapse_trace import SynapseTraceData
from .trace_data import TraceData
from .weight_record import WeightData

__all__ = [
    "load_spikes",
    "load_synapse_trace",
    "load_trace",
    "load_weights",
    "save_spikes",
    "save_synapse_trace",
    "save_trace",
    "save_weights",
]

_RESERVED = ("about", "nodes", "time_ms")
T = TypeVar("T")


def save_spikes(spikes: Spikes, path: str | os.PathLike[str]) -> None:
    """See `Spikes.save`."""
    times, gids, nodes, start, stop, offsets, resolution, seed = spikes._parts()
    columns = {"time_ms": times, "gid": gids} | ({} if offsets is None else {"offset_ms": offsets})
    about = {"start_ms": start, "stop_ms": stop, "resolution_ms": resolution, "seed": seed}
    if spikes._writes():
        write(path, Table("spikes", columns, nodes, about))


def load_spikes(path: str | os.PathLike[str], *, rank: int | None = None) -> Spikes:
    """The spikes of a file that `spikes.save` has written, or of a directory that a network streams to (`Network.record(..., to=)`).

    Of a directory: what has been written so far, also while the simulation runs; of all ranks, or of the one asked for. Every rank that calls this
    reads and keeps all of it; `rank=neuropil.rank()` keeps memory to the own part. Not collective: no rank asks another.

    On several ranks all ranks call `save` together, as they read together, and rank 0 writes; the file is there when it returns from that. Parts
    (`spikes.view(gather=False)`) are written by the rank that has them, under a name of its own.

    Raises BadFile for a file that is broken or holds something else, BadParameter for an unknown ending, MissingLibrary, FileNotFoundError.
    """
    if to_path(path).is_dir():
        return load_spike_stream(Path(path), rank)
    _refuse_rank(rank)

    def made(table: Table) -> Spikes:
        c, about = table.columns, table.about
        spikes = Spikes(
            c["time_ms"],
            c["gid"],
            Ranges(table.nodes).ids(),
            about["start_ms"],
            about["stop_ms"],
            offsets=c.get("offset_ms"),
            resolution=about["resolution_ms"],
            seed=about["seed"],
        )
        return spikes

    return _loaded(path, "spikes", made)


def save_trace(trace: TraceData, path: str | os.PathLike[str]) -> None:
    """See `TraceData.save`."""
    times, values, nodes, names, units, interval, resolution, seed = trace._parts()
    taken = [name for name in names if name in _RESERVED]
    if taken:
        raise bad_parameter("names", taken[0], f"another name; files reserve {', '.join(_RESERVED)}")
    columns = {"time_ms": times} | {name: np.ascontiguousarray(values[:, :, k]) for k, name in enumerate(names)}
    about = {"names": list(names), "units": units, "interval_ms": interval, "resolution_ms": resolution, "seed": seed}
    if trace._writes():
        write(path, Table("trace", columns, nodes, about))


def load_trace(path: str | os.PathLike[str], *, rank: int | None = None) -> TraceData:
    """The samples of a file that `trace.save` has written, or of a directory that a network streams to. All else as in `load_spikes`."""
    if to_path(path).is_dir():
        return load_trace_stream(Path(path), rank)
    _refuse_rank(rank)

    def made(table: Table) -> TraceData:
        c, about = table.columns, table.about
        names = about["names"]
        nodes = Ranges(table.nodes).ids()
        values = np.stack([c[name] for name in names], axis=2) if names else np.empty((len(c["time_ms"]), len(nodes), 0))
        return TraceData(
            c["time_ms"],
            values,
            nodes,
            names,
            about["units"],
            about["interval_ms"],
            resolution=about["resolution_ms"],
            seed=about["seed"],
        )

    return _loaded(path, "trace", made)


def save_synapse_trace(trace: SynapseTraceData, path: str | os.PathLike[str]) -> None:
    """See `SynapseTraceData.save`."""
    times, data, sources, targets = trace._samples()
    ends = {"sources": sources.tolist(), "targets": targets.tolist()}
    about = {"names": [*data], "interval_ms": trace.interval, "resolution_ms": trace.resolution, "seed": trace.seed, **ends}
    if trace._writes():
        write(path, Table("synapses", {"time_ms": times, **data}, Ranges.span(1, len(sources)).table, about))


def load_synapse_trace(path: str | os.PathLike[str], *, rank: int | None = None) -> SynapseTraceData:
    """The samples of a file that `save` of a record of synapses has written, or of a directory of `record(..., to=)`. Else as `load_spikes`."""
    if to_path(path).is_dir():
        return load_synapse_stream(Path(path), rank)
    _refuse_rank(rank)

    def made(table: Table) -> SynapseTraceData:
        c, about = table.columns, table.about
        ends = [np.array(about[name], np.int64) for name in ("sources", "targets")]
        data = {name: np.array(c[name]).reshape(len(c["time_ms"]), len(ends[0])) for name in about["names"]}
        samples = np.array(c["time_ms"]), data, ends[0], ends[1]
        return SynapseTraceData._made(samples, about["interval_ms"], about["resolution_ms"], about["seed"])

    return _loaded(path, "synapses", made)


def save_weights(weights: WeightData, path: str | os.PathLike[str]) -> None:
    """See `WeightData.save`."""
    columns, resolution, seed = weights._parts()
    if weights._writes():
        write(path, Table("weights", columns, np.empty((0, 3), np.int64), {"resolution_ms": resolution, "seed": seed}))


def load_weights(path: str | os.PathLike[str], *, rank: int | None = None) -> WeightData:
    """The weights of a file that `record.save` of a recorder of weights has written, or of a directory of `record.stream`. Else as `load_spikes`."""
    if to_path(path).is_dir():
        return load_weight_stream(Path(path), rank)
    _refuse_rank(rank)

    def made(table: Table) -> WeightData:
        names = ("times", "sources", "targets", "weights", "delays", "receptors")
        columns = {name: np.array(table.columns[name]) for name in names}
        if len({len(column) for column in columns.values()}) > 1:
            raise ValueError("columns of different lengths")
        return WeightData._made(columns, table.about["resolution_ms"], table.about["seed"])

    return _loaded(path, "weights", made)


def _loaded(path: str | os.PathLike[str], kind: str, made: Callable[[Table], T]) -> T:
    """What `made` makes of a file; whatever it finds wrong is the file's fault."""
    table = read(path, kind)
    try:
        return made(table)
    except (NeuropilError, KeyError, ValueError, TypeError) as error:
        raise bad_file(path, "", f"no consistent {kind}: {error}") from error


def _refuse_rank(rank: Any) -> None:
    if rank is not None:
        raise bad_parameter("rank", rank, "left out: a file has no parts, a directory has one per rank")
