# SPDX-License-Identifier: Apache-2.0
"""Results from files and directories, bit for bit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

from ..base.named import named_arguments
from ..errors import NeuropilError, bad_file, bad_parameter
from .bins import BinnedData
from .files import read, to_path
from .spikes import Spikes
from .stream_files import kind_of_stream, segments
from .synapse_trace import SynapseTraceData
from .trace_data import TraceData
from .weight_record import WeightData

__all__ = ["KINDS", "load_spikes", "load_synapse_trace", "load_trace", "load_weights", "open_results"]

AnyData = Spikes | TraceData | BinnedData | SynapseTraceData | WeightData
KINDS: dict[str, type[AnyData]] = {each._KIND: each for each in (Spikes, TraceData, BinnedData, SynapseTraceData, WeightData)}


@named_arguments
def open_results(path: str | os.PathLike[str], *, rank: int | None = None) -> AnyData:
    """Results of any kind: of a file that `save` has written, of a directory that a network streams to, or of the output folder of a job.

    Of a directory: what has been written so far, also while the simulation runs; of all ranks, or of the one asked for. Every rank that calls this
    reads and keeps all of it; `rank=neuropil.rank()` keeps memory to the own part. Not collective: no rank asks another.

    On several ranks all ranks call `save` together, as they read together, and rank 0 writes; the file is there when it returns from that. Parts
    (`spikes.view(gather=False)`) are written by the rank that has them, under a name of its own.

    Raises BadFile for a file that is broken or holds something else, BadParameter for an unknown ending, MissingLibrary, FileNotFoundError.
    """
    return _opened(path, None, rank)


def load_spikes(path: str | os.PathLike[str], *, rank: int | None = None) -> Spikes:
    """As `open_results`, of spikes. Raises BadFile for results of another kind, and as `open_results`."""
    return cast(Spikes, _opened(path, Spikes, rank))


def load_trace(path: str | os.PathLike[str], *, rank: int | None = None) -> TraceData:
    """As `open_results`, of samples of nodes. Raises BadFile for results of another kind, and as `open_results`."""
    return cast(TraceData, _opened(path, TraceData, rank))


def load_synapse_trace(path: str | os.PathLike[str], *, rank: int | None = None) -> SynapseTraceData:
    """As `open_results`, of samples of synapses. Raises BadFile for results of another kind, and as `open_results`."""
    return cast(SynapseTraceData, _opened(path, SynapseTraceData, rank))


def load_weights(path: str | os.PathLike[str], *, rank: int | None = None) -> WeightData:
    """As `open_results`, of transmitted weights. Raises BadFile for results of another kind, and as `open_results`."""
    return cast(WeightData, _opened(path, WeightData, rank))


def _opened(path: str | os.PathLike[str], kind: type[AnyData] | None, rank: int | None) -> AnyData:
    """Results of a kind; None: of any."""
    file = to_path(path)
    if file.is_dir() and (file / "spikes.npz").exists() and not kind_of_stream(file):
        file = file / "spikes.npz"  # of a job
    if file.is_dir():
        known = kind or _known(file, kind_of_stream(file))
        return known._of_stream(segments(file, known._KIND, known._STREAMED, rank))
    if rank is not None:
        raise bad_parameter("rank", rank, "left out: a file has no parts, a directory has one per rank")
    table = read(file, kind._KIND if kind else None)
    try:
        return _known(file, table.kind)._of_table(table)
    except (NeuropilError, KeyError, ValueError, TypeError) as error:
        raise bad_file(file, "", f"no consistent {table.kind}: {error}") from error


def _known(path: Path, kind: str) -> type[AnyData]:
    if kind not in KINDS:
        raise bad_file(path, "", f"holds {kind or 'no results'}: what can be opened are {', '.join(KINDS)}")
    return KINDS[kind]
