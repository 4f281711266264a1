# SPDX-License-Identifier: Apache-2.0
"""A network as files of SONATA, which `load` makes the same network of, to the bit."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.libraries import needed
from ..circuit.errors import writing
from ..circuit.team import Team
from ..errors import NotKept, bad_parameter
from .exported_edges import EdgeTable, edge_tables, write_edges
from .exported_nodes import NodeTable, node_tables, write_nodes
from .spike_files import write_spikes

__all__ = ["write_network"]

_DEFAULTS = {"strict_weights": True, "sources_on_grid": False}
_BASE = {"$BASE_DIR": "."}
_SETS = "$BASE_DIR/node_sets.json"


def write_network(net: Any, folder: str | os.PathLike[str], duration: float) -> Path:
    """Writes simulation_config.json and what it names into a folder; returns its path. Collective. Raises NotKept for what SONATA has no place for."""
    needed("h5py", "sonata", "SONATA files need")
    if not duration > 0.0:
        raise bad_parameter("duration", duration, "a positive number of ms")
    _check(net)
    nodes = node_tables(net)
    edges = edge_tables(net, nodes)
    root = Path(folder)

    def write() -> None:
        with writing(root):
            for part in ("network", "inputs", "components/point_neuron_models", "components/synaptic_models"):
                (root / part).mkdir(parents=True, exist_ok=True)
            _write(net, root, nodes, edges, duration)

    Team(net._comm).first(write)
    return root / "simulation_config.json"


def _check(net: Any) -> None:
    """Raises NotKept for networks that have more than nodes and connections."""
    if net.time > 0.0:
        raise NotKept(f"to_sonata: the network was simulated for {net.time:g} ms, and SONATA has no state: call it before run")
    if len(net._kernel.growths):
        raise NotKept("to_sonata: SONATA has no structural plasticity: leave `grow` out")
    if net._calls:
        raise NotKept("to_sonata: SONATA has no functions of `every`")


def _write(net: Any, root: Path, nodes: list[NodeTable], edges: list[EdgeTable], duration: float) -> None:
    spikes = {table.name: table.spikes for table in nodes if table.spikes is not None}
    for table in nodes:
        write_nodes(root, table)
    write_edges(root, edges)
    _inputs(root, spikes)
    circuit = {
        "version": 2.3,
        "manifest": _BASE,
        "node_sets_file": _SETS,
        "components": {f"{kind}_models_dir": f"$BASE_DIR/components/{kind}_models" for kind in ("point_neuron", "synaptic")},
        "networks": {"nodes": [table.entry() for table in nodes], "edges": [table.entry() for table in edges]},
    }
    settings = {key: net._settings[key] for key, usual in _DEFAULTS.items() if net._settings[key] != usual}
    simulation = {
        "version": 2.3,
        "manifest": _BASE,
        "network": "$BASE_DIR/circuit_config.json",
        "node_sets_file": _SETS,
        "run": {"tstop": duration, "dt": net.resolution, "random_seed": net._seed},
        "inputs": {f"spikes_{name}": _replay(name, duration) for name in spikes},
        "output": {"output_dir": "output", "spikes_file": "spikes.h5"},
        "reports": {},
    } | ({"neuropil": settings} if settings else {})
    sets = {table.name: {"population": table.name} for table in nodes}
    for name, found in (("circuit_config", circuit), ("simulation_config", simulation), ("node_sets", sets)):
        (root / f"{name}.json").write_text(json.dumps(found, indent=2) + "\n")


def _replay(name: str, duration: float) -> dict[str, Any]:
    spikes = {"input_type": "spikes", "module": "synapse_replay", "spike_file": f"$BASE_DIR/inputs/{name}.h5"}
    return spikes | {"delay": 0.0, "duration": duration, "node_set": name, "source": name}


def _inputs(root: Path, spikes: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]) -> None:
    for name, train in spikes.items():
        write_spikes(root / f"inputs/{name}.h5", {name: train}, 2)
