# SPDX-License-Identifier: Apache-2.0
"""What the folder of a run holds: results of any kind, and the result.json of a job."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import bad_file, bad_parameter
from ..results import BinnedData, Spikes, SynapseTraceData, TraceData, WeightData
from ..results.files import ENDINGS
from ..results.saving import open_results
from ..results.stream_files import kind_of_stream

__all__ = ["Run", "read"]


@dataclass
class Run:
    """Results by name: that of the file or directory, for spikes of a job that of the population."""

    path: Path
    result: dict[str, Any] = field(default_factory=dict)  # of result.json; empty without one
    spikes: dict[str, Spikes] = field(default_factory=dict)
    traces: dict[str, TraceData] = field(default_factory=dict)
    bins: dict[str, BinnedData] = field(default_factory=dict)
    synapses: dict[str, SynapseTraceData] = field(default_factory=dict)
    weights: dict[str, WeightData] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Name of the job, or of the folder."""
        return str(self.result.get("job") or self.path.resolve().stem)

    def add(self, name: str, path: Path) -> None:
        """Opens one file or directory. Raises BadFile."""
        data = open_results(path)
        if isinstance(data, Spikes):
            self.spikes |= _populations(path, data) or {name: data}
        elif isinstance(data, TraceData):
            self.traces[name] = data
        elif isinstance(data, BinnedData):
            self.bins[name] = data
        elif isinstance(data, SynapseTraceData):
            self.synapses[name] = data
        else:
            self.weights[name] = data


def read(path: Path) -> Run:
    """Everything in a folder, or one file. Raises BadParameter for a path without results, BadFile for a broken file."""
    run, found = Run(path), list(_parts(path))
    result = path / "result.json"
    if path.is_dir() and result.exists():
        run.result = _result(result)
    if not found and not run.result:
        raise bad_parameter("run", str(path), f"a folder with result.json or results that neuropil saved ({', '.join(ENDINGS)}, streams)")
    for part in found:
        run.add(part.stem if part.is_file() else part.name, part)
    return run


def _parts(path: Path) -> Iterator[Path]:
    if path.is_file() or (path.is_dir() and kind_of_stream(path)):
        yield path
    elif path.is_dir():
        for part in sorted(path.iterdir()):
            if part.suffix.lower() in ENDINGS if part.is_file() else bool(kind_of_stream(part)):
                yield part


def _result(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except ValueError as error:
        raise bad_file(path, "", f"no JSON: {error}") from error
    if not isinstance(found, dict):
        raise bad_file(path, "", "holds no JSON object")
    return found


def _populations(path: Path, spikes: Spikes) -> dict[str, Spikes]:
    """Spikes of a job by population; empty for other spikes."""
    if path.suffix != ".npz":
        return {}
    with np.load(path, allow_pickle=False) as arrays:
        if "first_gid_and_count" not in arrays:
            return {}
        names, ranges = arrays["populations"].tolist(), arrays["first_gid_and_count"].tolist()
    return {str(name): spikes.select(np.arange(first, first + count)) for name, (first, count) in zip(names, ranges, strict=True)}
