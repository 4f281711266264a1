# SPDX-License-Identifier: Apache-2.0
"""Configurations of SONATA: the files and settings of a simulation, with variables replaced and every key checked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ..errors import bad_file, nearest

__all__ = ["Config", "check_keys", "number", "read_config", "read_json"]

_PARTS = ("network", "simulation", "circuit")  # keys that name further configurations
_TOP = (
    "manifest",
    *_PARTS,
    "networks",
    "components",
    "node_sets_file",
    "node_sets",
    "run",
    "inputs",
    "reports",
    "output",
    "target_simulator",
)
_ABOUT = ("version", "metadata", "simulation_name", "config_path", "config_dir")  # describe the file, not the simulation
_RUN = ("tstop", "duration", "tstart", "dt", "random_seed", "rng_seed")
# Keys for simulators of morphologies: point neurons have none of these, so they change nothing.
_OF_MORPHOLOGIES = {
    "": ("conditions", "mechanisms_dir"),
    "run": ("dL", "spike_threshold", "nsteps_block", "overlap", "calc_ecp", "celsius", "v_init", "save_cell_vars", "integration_method"),
}
_ENTRY = {"nodes": ("nodes_file", "node_types_file", "populations"), "edges": ("edges_file", "edge_types_file", "populations", "enabled")}


@dataclass(frozen=True)
class Config:
    """A simulation. nodes, edges: entries of `networks` with absolute paths; times in ms; notes: keys that have no meaning for point neurons."""

    file: Path
    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    components: dict[str, Path]
    node_sets: dict[str, Any]
    tstop: float
    dt: float
    seed: int
    inputs: dict[str, dict[str, Any]]
    reports: dict[str, dict[str, Any]]
    output: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def folder(self, name: str) -> Path:
        """A folder of `components`. Raises BadFile."""
        if name not in self.components:
            raise bad_file(self.file, f"components/{name}", "is missing, but a type names a file of it")
        return self.components[name]


def read_json(file: Path) -> Any:
    """What a JSON file holds. Raises BadFile, with the line."""
    try:
        return json.loads(file.read_text())
    except OSError as error:
        raise bad_file(file, "", f"cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise bad_file(file, f"line {error.lineno}", f"is not JSON: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise bad_file(file, "", f"is not JSON: {error}") from None


def read_config(path: str | os.PathLike[str]) -> Config:
    """Reads simulation_config.json and the configurations that it names. Raises BadFile with file and key."""
    file = Path(path)
    found = _merged(file)
    notes = [f"{key} is for morphologies" for key in _OF_MORPHOLOGIES[""] if found.pop(key, None)]
    check_keys(file, "", found, (*_TOP, *_ABOUT, "neuropil"))
    simulator = found.get("target_simulator")
    if str(simulator).lower() not in ("none", "nest", "neuropil"):
        raise bad_file(file, "target_simulator", f"is {simulator}; neuropil simulates point neurons: NEST or neuropil")
    networks, run = _entry(file, found, "networks"), dict(_entry(file, found, "run"))
    notes += [f"run/{key} is for morphologies" for key in _OF_MORPHOLOGIES["run"] if run.pop(key, None) is not None]
    check_keys(file, "run", run, _RUN)
    if run.get("tstart"):
        raise bad_file(file, "run/tstart", f"is {run['tstart']}: simulations begin at 0 ms")
    return Config(
        file,
        _entries(file, networks, "nodes"),
        _entries(file, networks, "edges"),
        {key: Path(value) for key, value in (found.get("components") or {}).items() if isinstance(value, str)},
        _node_sets(file, found),
        number(file, "run/tstop", run.get("tstop", run.get("duration")), 0.0),
        number(file, "run/dt", run.get("dt"), 1e-9),
        int(number(file, "run/random_seed", run.get("random_seed", run.get("rng_seed", 1)), 0.0)),
        _named(file, found, "inputs"),
        _named(file, found, "reports"),
        dict(found.get("output") or {}),
        dict(found.get("neuropil") or {}),
        notes,
    )


def number(file: Path, place: str, value: Any, least: float | None = None) -> float:
    """A number of a configuration. Raises BadFile."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise bad_file(file, place, "is missing" if value is None else f"is {value!r}, must be a number")
    if not (value == value and abs(value) != float("inf")) or (least is not None and value < least):
        raise bad_file(file, place, f"is {value}, must be finite" + ("" if least is None else f" and at least {least:g}"))
    return float(value)


def check_keys(file: Path, place: str, found: Mapping[str, Any], known: Iterable[str]) -> None:
    """Raises BadFile for a key without a meaning."""
    allowed = tuple(known)
    for key in found:
        if key not in allowed:
            raise bad_file(file, f"{place}/{key}".lstrip("/"), f"is unknown{nearest(key, allowed)}")


# --- parts


def _merged(file: Path) -> dict[str, Any]:
    """A configuration and those that it names; paths are absolute, each relative to the folder of its own file."""
    found = _absolute(file, _replaced(file))
    for key in _PARTS:
        if isinstance(found.get(key), str):
            found = _merged(Path(found.pop(key))) | found
    return found


def _replaced(file: Path) -> dict[str, Any]:
    """The configuration with the variables of its manifest put in."""
    data = read_json(file)
    if not isinstance(data, dict):
        raise bad_file(file, "", "must hold a JSON object")
    here = str(file.resolve().parent)
    names = {"${configdir}": here, "${workingdir}": str(Path.cwd()), "${datetime}": datetime.now().strftime("%Y-%m-%d_%H-%M-%S")}
    manifest = data.pop("manifest", None) or {}
    names |= {_braced(key): value for key, value in manifest.items() if isinstance(value, str)}
    for _ in range(10):  # variables may use variables
        names = {key: _put_in(value, names, key) for key, value in names.items()}
    if circular := [key for key, value in names.items() if any(name in value for name in names)]:
        raise bad_file(file, f"manifest/{circular[0]}", "leads in a circle")
    found: dict[str, Any] = _mapped(data, lambda text: _put_in(text, names))
    return found


def _braced(key: str) -> str:
    return key if key.startswith("$") else f"${key}"


def _put_in(text: str, names: Mapping[str, str], own: str = "") -> str:
    for key in sorted(names, key=len, reverse=True):
        if key != own:
            text = text.replace(key, names[key])
            text = text.replace(f"${{{key[1:]}}}", names[key]) if not key.startswith("${") else text
    return text


def _mapped(value: Any, change: Any) -> Any:
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return change(value) if isinstance(value, str) else value


def _absolute(file: Path, data: dict[str, Any]) -> dict[str, Any]:
    """Values that are paths, made absolute."""
    here = file.resolve().parent

    def put(place: Any, *keys: str) -> None:
        for key in keys:
            if isinstance(place, dict) and isinstance(place.get(key), str):
                place[key] = str(here / place[key])

    put(data, *_PARTS, "node_sets_file")
    put(data.get("components"), *(data.get("components") or {}))
    put(data.get("output"), "output_dir")
    networks = data.get("networks")
    networks = networks if isinstance(networks, dict) else {}
    for kind in ("nodes", "edges"):
        for entry in networks.get(kind) or ():
            put(entry, f"{kind}_file", f"{kind[:-1]}_types_file")
    for entry in (data.get("inputs") or {}).values():
        put(entry, "input_file", "spike_file")
    return data


def _entry(file: Path, data: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key)
    if not isinstance(found, dict):
        raise bad_file(file, key, "is missing" if found is None else "must be an object")
    return found


def _entries(file: Path, networks: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    """Files of nodes or edges."""
    check_keys(file, "networks", networks, ("nodes", "edges", "gap_juncs"))
    if networks.get("gap_juncs"):
        raise bad_file(file, "networks/gap_juncs", "is not supported: gap junctions are made by net.connect(..., synapse='gap_junction')")
    found = networks.get(kind) or []
    if not isinstance(found, list) or (kind == "nodes" and not found):
        raise bad_file(file, f"networks/{kind}", "must be a list of files")
    for k, entry in enumerate(found):
        place = f"networks/{kind}[{k}]"
        if not isinstance(entry, dict) or not isinstance(entry.get(f"{kind}_file"), str):
            raise bad_file(file, place, f"must be an object with {kind}_file")
        check_keys(file, place, entry, _ENTRY[kind])
    return [entry for entry in found if entry.get("enabled", True)]


def _named(file: Path, data: Mapping[str, Any], key: str) -> dict[str, dict[str, Any]]:
    """Inputs or reports by name, without those that are switched off."""
    found = data.get(key) or {}
    for name, entry in found.items():
        if not isinstance(entry, dict):
            raise bad_file(file, f"{key}/{name}", "must be an object")
    return {name: entry for name, entry in found.items() if entry.get("enabled", True)}


def _node_sets(file: Path, data: Mapping[str, Any]) -> dict[str, Any]:
    sets = data.get("node_sets") or {}
    if path := data.get("node_sets_file"):
        sets = read_json(Path(path)) | sets
    if not isinstance(sets, dict):
        raise bad_file(path or file, "node_sets", "must hold a JSON object")
    return sets
