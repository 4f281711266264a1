# SPDX-License-Identifier: Apache-2.0
"""Inputs of a simulation: spikes of virtual nodes from files, and current clamps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..circuit.hdf5 import opened, read, reading
from ..errors import bad_file
from ..model.devices import step_current
from ..model.network import Network
from .config import Config, check_keys, number
from .node_sets import select
from .nodes import Made

__all__ = ["apply_inputs"]

Spikes = tuple[NDArray[np.int64], NDArray[np.float64]]  # node ids, times (ms)

_SPIKES = ("input_type", "module", "input_file", "spike_file", "node_set", "source", "delay", "duration", "enabled", "comment")
_CLAMP = ("input_type", "module", "node_set", "amp", "delay", "duration", "enabled", "comment")
_MODULES = {"spikes": ("sonata", "h5", "csv", "synapse_replay", None), "current_clamp": ("IClamp", None)}


def apply_inputs(net: Network, config: Config, made: Mapping[str, Made]) -> None:
    """Gives virtual nodes their spikes, and neurons their currents. Raises BadFile for inputs of other kinds."""
    for name, entry in config.inputs.items():
        kind, module, place = entry.get("input_type"), entry.get("module"), f"inputs/{name}"
        if kind not in _MODULES:
            raise bad_file(config.file, f"{place}/input_type", f"is {kind}; there are {' and '.join(_MODULES)}")
        if module not in _MODULES[kind]:
            raise bad_file(config.file, f"{place}/module", f"is {module}; for {kind} there are {', '.join(filter(None, _MODULES[kind]))}")
        check_keys(config.file, place, entry, _SPIKES if kind == "spikes" else _CLAMP)
        if kind == "spikes":
            _spikes(net, config, made, entry, place)
        else:
            _clamp(net, config, made, entry, place)


# --- spikes


def _spikes(net: Network, config: Config, made: Mapping[str, Made], entry: dict[str, Any], place: str) -> None:
    given = entry.get("input_file", entry.get("spike_file"))
    if not isinstance(given, str):
        raise bad_file(config.file, f"{place}/input_file", "is missing")
    chosen = entry.get("source", entry.get("node_set", "all"))
    populations = {name: each.population for name, each in made.items()}
    virtual = {name: each for name, each in populations.items() if each.virtual}
    selected = (
        {name: np.arange(each.n) for name, each in virtual.items()}
        if chosen == "all"
        else select(config, populations, chosen, f"{place}/node_set")
    )
    begin = number(config.file, f"{place}/delay", entry.get("delay", 0.0), 0.0)
    end = begin + number(config.file, f"{place}/duration", entry.get("duration", config.tstop), 0.0)
    for name, nodes in selected.items():
        if name not in virtual or made[name].models != ["spike_generator"]:
            raise bad_file(
                config.file, f"{place}/node_set", f"has nodes of {name}, which are not virtual: only virtual nodes send spikes of a file"
            )
        ids, times = _read(Path(given), name)
        if len(ids) and not 0 <= ids.min() <= ids.max() < made[name].population.n:
            raise bad_file(given, "", f"has spikes of node {ids.max()}; {name} has {made[name].population.n} nodes")
        keep = (times >= begin) & (times <= end)
        if len(nodes) < made[name].population.n:
            keep &= np.isin(ids, nodes)
        _give(net, made[name], (ids[keep], times[keep]))


def _give(net: Network, to: Made, spikes: Spikes) -> None:
    """Sets the trains of spike generators. Times between two steps count at the end of their step."""
    ids, times = spikes
    exact = np.asarray(net._kernel.get(to.gids, "precise_times")) > 0 if len(ids) else np.zeros(0, bool)
    order = np.lexsort((times, ids))
    ids, times = ids[order], times[order]
    cuts = np.searchsorted(ids, np.arange(to.population.n + 1))
    on_grid = _ends_of_steps(times, net.resolution)
    for k in np.flatnonzero(np.diff(cuts)).tolist():
        some = slice(cuts[k], cuts[k + 1])
        gid = to.first + int(to.place[k])
        before = np.asarray(net._kernel.get_vector(gid, "spike_times"))
        train = times[some] if exact[k] else on_grid[some]
        train = np.sort(np.concatenate([before, train])) if len(before) else train
        net._kernel.set(np.array([gid]), {}, {"spike_times": train})


def _ends_of_steps(times: NDArray[np.float64], resolution: float) -> NDArray[np.float64]:
    """Times (ms) on the grid: those between two steps come at the end of their step, as bmtk gives them to NEST."""
    return np.asarray(np.ceil(times / resolution - 1e-7) * resolution)


def _read(file: Path, population: str) -> Spikes:
    if not file.is_file():
        raise bad_file(file, "", "there is no such file")
    return _of_csv(file, population) if file.suffix == ".csv" else _of_h5(file, population)


def _of_h5(file: Path, population: str) -> Spikes:
    """Spikes of SONATA: /spikes/POPULATION/node_ids and timestamps; of its first version /spikes/gids."""
    with opened(file) as handle, reading(file, "/spikes"):
        spikes = handle["spikes"]
        if population not in spikes and ("timestamps" not in spikes):
            raise bad_file(file, f"/spikes/{population}", f"is missing; the file has spikes of {', '.join(spikes)}")
        group = spikes.get(population, spikes)
        ids, times = read(group["node_ids" if "node_ids" in group else "gids"]), read(group["timestamps"])
        scale = {"s": 1e3, "ms": 1.0}.get(str(group["timestamps"].attrs.get("units", "ms")))
    if scale is None or len(ids) != len(times):
        raise bad_file(file, f"/spikes/{population}", "must have as many node_ids as timestamps, in ms or s")
    return ids.astype(np.int64), times.astype(np.float64) * scale


def _of_csv(file: Path, population: str) -> Spikes:
    """Spikes as text: columns timestamps, node_ids and perhaps population, in any order, apart by spaces."""
    lines = [line.split() for line in file.read_text().splitlines() if line.strip()]
    head = lines[0] if lines else []
    names = {name: next((head.index(key) for key in keys if key in head), None) for name, keys in _COLUMNS.items()}
    if names["times"] is None or names["ids"] is None:
        raise bad_file(file, "line 1", f"must name the columns timestamps and node_ids, apart by spaces; it has {' '.join(head)}")
    try:
        rows = [line for line in lines[1:] if names["population"] is None or line[names["population"]] == population]
        return np.array([int(row[names["ids"]]) for row in rows], np.int64), np.array([float(row[names["times"]]) for row in rows])
    except (ValueError, IndexError) as error:
        raise bad_file(file, "", f"has a line that is no spike: {error}") from None


_COLUMNS = {"times": ("timestamps", "spike-times"), "ids": ("node_ids", "node_id", "gid", "gids"), "population": ("population",)}


# --- currents


def _clamp(net: Network, config: Config, made: Mapping[str, Made], entry: dict[str, Any], place: str) -> None:
    """Currents of given amplitude (pA) from `delay` on for `duration` (ms), one or several one after another."""
    try:
        amp, delay, duration = (np.atleast_1d(np.asarray(entry[key], np.float64)) for key in ("amp", "delay", "duration"))
    except (KeyError, TypeError, ValueError) as error:
        raise bad_file(config.file, place, f"needs amp (pA), delay and duration (ms), numbers or lists: {error}") from None
    if not len(amp) == len(delay) == len(duration):
        raise bad_file(config.file, place, f"has {len(amp)} amp, {len(delay)} delay and {len(duration)} duration")
    if (duration < 0.0).any() or (delay < 0.0).any() or (np.diff(delay) < duration[:-1]).any():
        raise bad_file(config.file, place, "must have delays and durations that are not negative, and currents that follow one another")
    times, values = _steps(amp, delay, delay + duration, net.resolution)
    selected = select(config, {name: each.population for name, each in made.items()}, entry.get("node_set", "all"), f"{place}/node_set")
    for name, ids in selected.items():
        net.stimulate(made[name].subset(ids), step_current(times, values), weight=1.0, delay=net.resolution)


def _steps(amp: Any, begin: Any, end: Any, resolution: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times at which a current changes, on the grid from the first step on, and what it is from then on."""
    at = np.rint(np.stack([begin, end], axis=1) / resolution)
    values = np.stack([amp, np.zeros(len(amp))], axis=1)
    steps, values = np.maximum(at.ravel(), 1.0), values.ravel()
    keep = np.append(np.diff(steps) > 0, True)  # of changes in one step the last counts
    return steps[keep] * resolution, values[keep]
