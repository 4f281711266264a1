# SPDX-License-Identifier: Apache-2.0
"""What a simulation writes: spikes and samples of state variables, in the files of SONATA that libsonata opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..circuit.errors import writing
from ..errors import bad_file
from ..model.network import Network
from ..results.spikes import SpikeRecord
from ..results.trace_data import Trace
from .config import Config, check_keys, number
from .node_sets import select
from .nodes import Made
from .spike_files import new_file

__all__ = ["Output", "Report", "output_of", "record_reports", "record_spikes", "write_report"]

_KEYS = (
    "module",
    "type",
    "cells",
    "variable_name",
    "sections",
    "dt",
    "start_time",
    "end_time",
    "file_name",
    "unit",
    "enabled",
    "format",
    "comment",
)
_MODULES = ("membrane_report", "multimeter_report", "compartment", "soma")
_OUTPUT = (
    "output_dir",
    "spikes_file",
    "spikes_file_csv",
    "spikes_sort_order",
    "log_file",
    "log_level",
    "overwrite_output_dir",
    "quiet_simulator",
)
_SORTED = {"time": 2, "by_time": 2, "id": 1, "by_id": 1, "none": 0, None: 2}  # numbers of the attribute `sorting`
_RENAMED = {"v": "V_m", "voltage": "V_m"}


@dataclass(frozen=True)
class Output:
    """Where results go. csv: None without spikes as text; sorting: 0 none, 1 by node id, 2 by time."""

    folder: Path
    spikes: Path
    csv: Path | None
    sorting: int


@dataclass(frozen=True)
class Report:
    """Samples of a variable of some nodes. node_ids: by population, in the order of the columns of its trace."""

    name: str
    file: Path
    variable: str
    start: float
    end: float
    node_ids: Mapping[str, NDArray[np.int64]]
    traces: Mapping[str, Trace]


def output_of(config: Config) -> Output:
    """Where results go. Raises BadFile for unknown settings."""
    found = config.output
    check_keys(config.file, "output", found, _OUTPUT)
    folder = Path(found.get("output_dir") or config.file.parent / "output")
    order = found.get("spikes_sort_order")
    if order not in _SORTED:
        raise bad_file(config.file, "output/spikes_sort_order", f"is {order}; there are {', '.join(filter(None, _SORTED))}")
    csv = found.get("spikes_file_csv")
    return Output(folder, folder / (found.get("spikes_file") or "spikes.h5"), folder / csv if csv else None, _SORTED[order])


def record_spikes(net: Network, made: Mapping[str, Made]) -> dict[str, SpikeRecord]:
    """Records the spikes of all neurons, by population."""
    return {name: net.record(each.nodes) for name, each in made.items() if not each.population.virtual}


def record_reports(net: Network, config: Config, made: Mapping[str, Made], output: Output) -> list[Report]:
    """Records what the reports of a configuration ask for. Raises BadFile for reports of other kinds, UnknownName for variables."""
    return [_report(net, config, made, output, name, entry) for name, entry in config.reports.items()]


def _report(net: Network, config: Config, made: Mapping[str, Made], output: Output, name: str, entry: dict[str, Any]) -> Report:
    place = f"reports/{name}"
    check_keys(config.file, place, entry, _KEYS)
    kind = entry.get("module", entry.get("type", "multimeter_report"))
    if kind not in _MODULES:
        raise bad_file(config.file, place, f"is of the kind {kind}; there are {', '.join(_MODULES)}")
    if entry.get("sections", "soma") not in ("soma", "all"):
        raise bad_file(config.file, f"{place}/sections", f"is {entry['sections']}: a point neuron is its soma")
    variable = entry.get("variable_name")
    if not isinstance(variable, str):
        raise bad_file(config.file, f"{place}/variable_name", f"is {variable!r}: one report has one variable, such as V_m")
    start, end, every = (
        number(config.file, f"{place}/{key}", entry.get(key, default), least)
        for key, default, least in (("start_time", 0.0, 0.0), ("end_time", config.tstop, 0.0), ("dt", net.resolution, net.resolution))
    )
    populations = {key: each.population for key, each in made.items()}
    ids = select(config, populations, entry.get("cells", "all"), f"{place}/cells")
    variable = _RENAMED.get(variable, variable)
    traces = {key: net.record(made[key].subset(some), variable, interval=every) for key, some in ids.items()}
    file = output.folder / (entry.get("file_name") or f"{name}.h5")
    return Report(
        name, file if file.suffix == ".h5" else file.with_name(file.name + ".h5"), variable, start, min(end, config.tstop), ids, traces
    )


# --- files


def write_report(report: Report) -> None:
    """Samples as frames: /report/POPULATION/data of shape (times, nodes), float32, and the mapping of its columns. Raises DiskFull, BadFile."""
    with writing(report.file), new_file(report.file) as handle:
        root = handle.create_group("report")
        for name, trace in report.traces.items():
            _write_frames(root.create_group(name), report, report.node_ids[name], trace)


def _write_frames(group: Any, report: Report, ids: NDArray[np.int64], trace: Trace) -> None:
    times, n = trace.times, len(ids)
    keep = (times >= report.start - 1e-9) & (times <= report.end + 1e-9)
    times, every = times[keep], trace.interval
    data = group.create_dataset("data", data=trace[report.variable][keep].astype(np.float32))
    data.attrs["units"], data.attrs["variable"] = trace.units[report.variable] or "-", report.variable
    mapping = group.create_group("mapping")
    mapping["node_ids"] = ids.astype(np.uint64)
    mapping["node_ids"].attrs["sorted"] = np.uint8(1)
    mapping["index_pointers"] = np.arange(n + 1, dtype=np.uint64)
    mapping["element_ids"] = np.zeros(n, np.uint32)
    first = float(times[0]) if len(times) else report.start
    mapping["time"] = np.array([first, first + every * len(times), every])
    mapping["time"].attrs["units"] = "ms"
