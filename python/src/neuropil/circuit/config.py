# SPDX-License-Identifier: Apache-2.0
"""SONATA circuit configuration: where nodes and morphologies are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import unknown_name
from .errors import bad_file
from .hdf5 import population_names

__all__ = ["Circuit", "Nodes", "read_config"]

# Formats by the names that SONATA gives them, in the order of preference: exact coordinates first.
_FORMATS = {"h5v1": ".h5", "swc": ".swc", "neurolucida-asc": ".asc"}


@dataclass(frozen=True)
class Nodes:
    """A node population: its file and the folders of its morphologies by suffix (".h5", ".swc", ".asc")."""

    population: str
    file: Path
    morphologies: Mapping[str, Path] = field(default_factory=dict)
    config: Path = Path()


@dataclass(frozen=True)
class Circuit:
    """What a circuit configuration names. `edges`: edge files by population."""

    config: Path
    nodes: Mapping[str, Nodes]
    edges: Mapping[str, Path]
    node_sets: Path | None

    def population(self, name: str | None = None) -> Nodes:
        """The node population `name`, or the only one. Raises UnknownName, BadFile."""
        if name is None and len(self.nodes) == 1:
            return next(iter(self.nodes.values()))
        if name is None:
            raise bad_file(self.config, "networks/nodes", f"has several populations ({', '.join(self.nodes)}): name the one that is meant")
        if name not in self.nodes:
            raise unknown_name(f"population of {self.config}", name, self.nodes)
        return self.nodes[name]


def read_config(path: Path | str) -> Circuit:
    """Reads a circuit configuration, or `circuit_config.json` of a folder. Raises BadFile with the line, or the key."""
    file = Path(path)
    if file.is_dir():
        file = file / "circuit_config.json"
    data = _resolved(file, _load(file))
    networks = _entry(file, data, "networks", dict)
    nodes: dict[str, Nodes] = {}
    for k, entry in enumerate(_entry(file, networks, "nodes", list, "networks/")):
        place = f"networks/nodes[{k}]"
        if not isinstance(entry, dict):
            raise bad_file(file, place, "must be an object")
        nodes |= _populations(file, place, entry, data.get("components", {}))
    if not nodes:
        raise bad_file(file, "networks/nodes", "names no node population")
    sets = data.get("node_sets_file")
    return Circuit(file, nodes, _edges(file, networks), _path(file, "node_sets_file", sets) if sets else None)


def _load(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text())
    except OSError as error:
        raise bad_file(file, "", f"cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise bad_file(file, "", f"is not JSON: {error}") from None
    except json.JSONDecodeError as error:
        raise bad_file(file, f"line {error.lineno}", f"is not JSON: {error.msg}") from None
    if not isinstance(data, dict):
        raise bad_file(file, "", "must hold a JSON object")
    return data


def _entry(file: Path, data: Mapping[str, Any], key: str, kind: type, prefix: str = "") -> Any:
    if not isinstance(data.get(key), kind):
        raise bad_file(file, prefix + key, "is missing" if key not in data else f"must be {'an object' if kind is dict else 'a list'}")
    return data[key]


def _resolved(file: Path, data: dict[str, Any]) -> dict[str, Any]:
    """The configuration with the variables of its manifest put in."""
    variables = (
        {name: value for name, value in (data.get("manifest") or {}).items() if isinstance(value, str)}
        if isinstance(data.get("manifest"), dict)
        else {}
    )

    def text(value: str) -> str:
        for _ in range(10):  # variables may use variables
            found = re.search(r"\$(?:\{(\w+)\}|(\w+))", value)
            name = found and next((f"${word}" for word in found.groups() if word and (f"${word}" in variables)), None)
            if found is None or name is None:
                return value
            value = value[: found.start()] + variables[name] + value[found.end() :]
        raise bad_file(file, "manifest", f"variables of {value!r} lead in a circle")

    def put_in(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: put_in(entry) for key, entry in value.items()}
        if isinstance(value, list):
            return [put_in(entry) for entry in value]
        return text(value) if isinstance(value, str) else value

    return {key: put_in(value) for key, value in data.items() if key != "manifest"}


def _path(file: Path, place: str, value: Any) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise bad_file(file, place, f"{value!r} is no path")
    return file.parent / value


def _populations(file: Path, place: str, entry: dict[str, Any], components: Any) -> dict[str, Nodes]:
    path = _path(file, f"{place}/nodes_file", entry.get("nodes_file"))
    populations = entry.get("populations") or {}
    if not isinstance(populations, dict):
        raise bad_file(file, f"{place}/populations", "must be an object")
    if not populations:  # of the old form of configurations: all that the file holds
        populations = {name: {} for name in population_names(path)}
    shared = _folders(file, "components", components if isinstance(components, dict) else {})
    found = {}
    for name, own in populations.items():
        if not isinstance(own, dict):
            raise bad_file(file, f"{place}/populations/{name}", "must be an object")
        found[name] = Nodes(name, path, shared | _folders(file, f"{place}/populations/{name}", own), file)
    return found


def _folders(file: Path, place: str, entry: dict[str, Any]) -> dict[str, Path]:
    """Folders of morphologies by suffix."""
    others = entry.get("alternate_morphologies") or {}
    if not isinstance(others, dict):
        raise bad_file(file, f"{place}/alternate_morphologies", "must be an object")
    named = {"swc": entry.get("morphologies_dir")} | {key.lower(): value for key, value in others.items()}
    return {suffix: _path(file, f"{place} ({key})", named[key]) for key, suffix in _FORMATS.items() if named.get(key)}


def _edges(file: Path, networks: Mapping[str, Any]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for k, entry in enumerate(networks.get("edges") or []):
        if not isinstance(entry, dict):
            raise bad_file(file, f"networks/edges[{k}]", "must be an object")
        path = _path(file, f"networks/edges[{k}]/edges_file", entry.get("edges_file"))
        found |= dict.fromkeys(entry.get("populations") or {path.stem: {}}, path)
    return found
