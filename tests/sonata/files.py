# SPDX-License-Identifier: Apache-2.0
"""Small networks in files of SONATA, with the numbers that are in them."""

import json
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np

N, N_IN, N_EDGES = 12, 4, 80
CELL = {"V_th": -50.0, "tau_m": 20.0, "I_e": 200.0}
TYPES = """\
node_type_id model_type model_template dynamics_params ei pop_name
7 point_neuron nest:iaf_psc_alpha cell.json e "layer 4"
3 point_neuron nest:iaf_psc_exp NULL i layer2
"""
EDGE_TYPES = """\
edge_type_id target_query model_template delay syn_weight dynamics_params nsyns
100 "ei=='e' or *" static_synapse 1.0 NULL NULL NULL
101 * static_synapse 1.5 8.0 NULL 3
102 * nest:stdp_synapse 1.5 8.0 stdp.json NULL
"""
IN_TYPES = "edge_type_id delay syn_weight\n1 1.5 400.0\n"


def numbers() -> SimpleNamespace:
    """What the files say: edges, some with weights and delays of their own, types of nodes, spikes of the input."""
    rng = np.random.default_rng(5)
    kind = rng.choice([100, 101, 102], N_EDGES)
    return SimpleNamespace(
        node_type=np.where(np.arange(N) % 3 == 2, 3, 7),  # types in no order
        source=rng.integers(0, N, N_EDGES),
        target=rng.integers(0, N, N_EDGES),
        kind=kind,
        weight=np.where(kind == 100, rng.normal(30.0, 5.0, N_EDGES), np.nan),
        delay=np.where(kind == 100, rng.integers(5, 30, N_EDGES) / 10, np.nan),
        in_source=np.repeat(np.arange(N_IN), N),
        in_target=np.tile(np.arange(N), N_IN),
        spike_ids=rng.integers(0, N_IN, 80),
        spike_times=rng.uniform(1.0, 90.0, 80),
        capacity=np.linspace(200.0, 300.0, N),
    )


def write(folder: Path, **changes) -> Path:
    """The files, and simulation_config.json, whose path is returned. changes: entries of the configuration, by key."""
    given = numbers()
    (folder / "models").mkdir()
    (folder / "models/cell.json").write_text(json.dumps(CELL))
    (folder / "models/stdp.json").write_text(json.dumps({"lambda": 0.05, "Wmax": 200.0}))
    (folder / "node_types.csv").write_text(TYPES)
    (folder / "in_types.csv").write_text("node_type_id model_type\n1 virtual\n")
    (folder / "edge_types.csv").write_text(EDGE_TYPES)
    (folder / "in_edge_types.csv").write_text(IN_TYPES)
    with h5py.File(folder / "nodes.h5", "w") as file:
        file["nodes/cells/node_type_id"] = given.node_type
        file["nodes/cells/0/angle"] = np.arange(N) * 30.0
        file["nodes/cells/0/dynamics_params/C_m"] = given.capacity
    with h5py.File(folder / "in.h5", "w") as file:
        file["nodes/in/node_type_id"] = np.ones(N_IN, np.int64)
    _edges(folder, given)
    with h5py.File(folder / "spikes.h5", "w") as file:
        file["spikes/in/node_ids"], file["spikes/in/timestamps"] = given.spike_ids, given.spike_times
    path = folder / "simulation_config.json"
    path.write_text(json.dumps(CONFIG | changes))
    return path


def _edges(folder: Path, given: SimpleNamespace) -> None:
    """Edges of type 100 are in group 1, with values of their own, in another order."""
    with h5py.File(folder / "edges.h5", "w") as file:
        group = file.create_group("edges/cells_to_cells")
        group["source_node_id"], group["target_node_id"], group["edge_type_id"] = given.source, given.target, given.kind
        own = np.flatnonzero(given.kind == 100)[::-1]
        index = np.zeros(N_EDGES, np.int64)
        index[own], index[given.kind != 100] = np.arange(len(own)), np.arange(N_EDGES - len(own))
        group["edge_group_id"], group["edge_group_index"] = (given.kind == 100).astype(int), index
        group.create_group("0")
        group["1/syn_weight"], group["1/delay"] = given.weight[own], given.delay[own]
        for end in ("source", "target"):
            group[f"{end}_node_id"].attrs["node_population"] = "cells"
    with h5py.File(folder / "in_edges.h5", "w") as file:
        group = file.create_group("edges/in_to_cells")
        group["source_node_id"], group["target_node_id"] = given.in_source, given.in_target
        group["edge_type_id"] = np.ones(len(given.in_source), np.uint32)
        group["source_node_id"].attrs["node_population"], group["target_node_id"].attrs["node_population"] = "in", "cells"


CONFIG = {
    "manifest": {"$BASE": ".", "$MODELS": "$BASE/models"},
    "target_simulator": "NEST",
    "run": {"tstop": 100.0, "dt": 0.1, "random_seed": 3},
    "components": {"point_neuron_models_dir": "$MODELS", "synaptic_models_dir": "${MODELS}"},
    "networks": {
        "nodes": [
            {"nodes_file": "$BASE/nodes.h5", "node_types_file": "$BASE/node_types.csv"},
            {"nodes_file": "in.h5", "node_types_file": "in_types.csv"},
        ],
        "edges": [
            {"edges_file": "$BASE/edges.h5", "edge_types_file": "$BASE/edge_types.csv"},
            {"edges_file": "$BASE/in_edges.h5", "edge_types_file": "$BASE/in_edge_types.csv"},
        ],
    },
    "inputs": {
        "spikes": {"input_type": "spikes", "module": "sonata", "input_file": "$BASE/spikes.h5", "node_set": "in"},
        "clamp": {
            "input_type": "current_clamp",
            "module": "IClamp",
            "node_set": {"population": "cells", "node_id": [1, 5]},
            "amp": 150.0,
            "delay": 20.0,
            "duration": 30.0,
        },
    },
    "reports": {"potential": {"module": "multimeter_report", "cells": "some", "variable_name": "V_m", "dt": 0.5}},
    "node_sets": {"some": {"population": "cells", "ei": "i"}},
    "output": {"output_dir": "$BASE/output", "spikes_file": "spikes.h5", "spikes_file_csv": "spikes.csv"},
}
