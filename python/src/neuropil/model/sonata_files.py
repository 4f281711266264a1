# SPDX-License-Identifier: Apache-2.0
"""Files of the SONATA format (Dai et al. 2020, PLoS Comput Biol 16:e1007696) that describe networks of point neurons, read with h5py."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.libraries import needed
from ..errors import BadParameter

__all__ = [
    "Edges",
    "Table",
    "Types",
    "edge_values",
    "edges",
    "opened",
    "population_of",
    "populations",
    "read_config",
    "read_parameters",
    "read_spikes",
    "read_types",
]

_NOTHING = ("NULL", "None", "NaN", "nan", "NA", "")  # entries without a value

Table = dict[int, dict[str, str]]
"""Properties of types by their ids."""
Types = list[tuple[dict[str, str], int]]
"""Properties of each run of nodes of one type, and how many they are."""


class Edges(NamedTuple):
    """Edges of one type: names of the populations of sources and targets, positions in these, properties of the type, values of their own by name."""

    populations: tuple[str, str]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    properties: dict[str, str]
    own: dict[str, NDArray[np.float64]]


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


def populations(entry: Mapping[str, Any]) -> Iterator[tuple[str, Types]]:
    """Populations of an entry of `nodes`, by name. Raises BadParameter for types that are not in its file of types."""
    types = read_types(entry.get("node_types_file"), "node_type_id")
    with opened(entry["nodes_file"]) as file:
        for name, group in file["nodes"].items():
            type_of = group["node_type_id"][:]
            runs = np.split(type_of, np.flatnonzero(np.diff(type_of)) + 1)
            yield name, [(_of_type(types, int(run[0]), "node"), len(run)) for run in runs]


def edges(entry: Mapping[str, Any], at_once: int, names: Sequence[str]) -> Iterator[Edges]:
    """Edges of an entry of `edges`, of which so many are read at a time, with values of these names. Raises BadParameter as `populations`."""
    types = read_types(entry.get("edge_types_file"), "edge_type_id")
    with opened(entry["edges_file"]) as file:
        for group in file["edges"].values():
            n = len(group["source_node_id"])
            for begin in range(0, n, at_once):
                yield from _of_slice(group, types, slice(begin, min(begin + at_once, n)), names)


def _of_slice(group: Any, types: Table, some: slice, names: Sequence[str]) -> Iterator[Edges]:
    ends = group["source_node_id"], group["target_node_id"]
    source, target = (_text(end.attrs["node_population"]) for end in ends)
    positions, type_of = [end[some].astype(np.int64) for end in ends], group["edge_type_id"][some]
    columns = {name: edge_values(group, name, some) for name in names}
    for kind in np.unique(type_of).tolist():
        at = np.flatnonzero(type_of == kind)
        own = {name: column[at] for name, column in columns.items() if column is not None}
        yield Edges((source, target), positions[0][at], positions[1][at], _of_type(types, kind, "edge"), own)


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _of_type(types: Table, number: int, what: str) -> dict[str, str]:
    if number not in types:
        raise BadParameter(f"{what} type {number} is not in the file of types", f"{what}_type_id", number, "in the file of types")
    return types[number]


def read_parameters(config: Mapping[str, Any], folder: str, properties: Mapping[str, str]) -> dict[str, Any]:
    """The JSON file of parameters that a type names, in a folder of `components`."""
    name = properties.get("dynamics_params")
    found: dict[str, Any] = {} if name is None else json.loads((Path(config.get("components", {}).get(folder, ".")) / name).read_text())
    return found


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
    """Rows of a CSV file of types, columns apart by spaces, entries with spaces in quotes, by their ids; entries without a value are left out."""
    if path is None:
        return {}
    lines = [*csv.reader(map(str.strip, filter(str.strip, Path(path).read_text().splitlines())), delimiter=" ", skipinitialspace=True)]
    rows = (dict(zip(lines[0], (cell.strip("\"'") for cell in line), strict=True)) for line in lines[1:])
    return {int(row[key]): {name: value for name, value in row.items() if value not in _NOTHING} for row in rows}


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
