# SPDX-License-Identifier: Apache-2.0
"""Files of the SONATA format (Dai et al. 2020, PLoS Comput Biol 16:e1007696) that describe networks of point neurons, read with h5py."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.libraries import needed

__all__ = ["Table", "edge_values", "opened", "population_of", "read_config", "read_spikes", "read_types"]

Table = dict[int, dict[str, str]]
"""Properties of types by their ids."""


def read_config(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A configuration with the variables of its manifest replaced, and paths of files below its folder. Raises TypeError, FileNotFoundError, ValueError."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError("config must be the path of a JSON file")
    file = Path(path)
    found = json.loads(file.read_text())
    folder = str(file.resolve().parent)
    names = {"${configdir}": folder}
    for key, value in found.pop("manifest", {}).items():
        text = _replaced(value, names)
        names[key] = text if Path(text).is_absolute() else str(Path(folder) / text)
    resolved: dict[str, Any] = _resolved(found, names, folder)
    return resolved


def _replaced(text: str, names: Mapping[str, str]) -> str:
    for key in sorted(names, key=len, reverse=True):
        text = text.replace(key, names[key])
    return text


def _resolved(value: Any, names: Mapping[str, str], folder: str) -> Any:
    """The value with the variables of the manifest replaced; paths of files relative to the folder of the configuration."""
    if isinstance(value, Mapping):
        return {key: _resolved(item, names, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolved(item, names, folder) for item in value]
    if not isinstance(value, str):
        return value
    text = _replaced(value, names)
    is_path = text != value or text.startswith("./") or Path(text).suffix in (".h5", ".csv", ".json")
    return str(Path(folder) / text) if is_path else text


def edge_values(group: Any, key: str, some: slice) -> Any:
    """Values that edges have for themselves, nan for those of groups without; None where no group has them."""
    having = [name for name in group if name.isdigit() and key in group[name]]
    if not having:
        return None
    n = some.stop - some.start
    which = group["edge_group_id"][some] if "edge_group_id" in group else np.zeros(n, np.int64)
    index = group["edge_group_index"][some] if "edge_group_index" in group else np.arange(some.start, some.stop)
    found = np.full(n, np.nan)
    for name in having:
        mine = np.flatnonzero(which == int(name))
        if len(mine):
            low, high = int(index[mine].min()), int(index[mine].max()) + 1
            found[mine] = group[name][key][low:high][index[mine].astype(np.int64) - low]
    return found


def opened(path: str) -> Any:
    """An HDF5 file. Raises FileNotFoundError; MissingLibrary without h5py."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: no such file")
    return needed("h5py", "circuit", "SONATA files need").File(path, "r")


def read_types(path: str | None, key: str) -> Table:
    """Rows of a CSV file of types, columns apart by spaces, by their ids; entries without a value are left out."""
    if path is None:
        return {}
    lines = [line.split() for line in Path(path).read_text().splitlines() if line.strip()]
    rows = (dict(zip(lines[0], (cell.strip("\"'") for cell in line), strict=True)) for line in lines[1:])
    return {int(row[key]): {name: value for name, value in row.items() if value not in ("NULL", "None", "NaN", "nan", "")} for row in rows}


def read_spikes(path: str, population: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Nodes and times (ms) of the spikes of a population, by node and then by time; both of shape (n_spikes,)."""
    with opened(path) as file:
        spikes = file["spikes"]
        spikes = spikes.get(population, spikes)
        ids, times = spikes["node_ids" if "node_ids" in spikes else "gids"][:], spikes["timestamps"][:]
    order = np.lexsort((times, ids))
    return ids[order].astype(np.int64), times[order].astype(np.float64)


def population_of(entry: Mapping[str, Any]) -> Any:
    """The population that an input is for; None where none is named."""
    chosen = entry.get("node_set")
    return chosen.get("population") if isinstance(chosen, Mapping) else chosen
