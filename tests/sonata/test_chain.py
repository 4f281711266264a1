# SPDX-License-Identifier: Apache-2.0
"""From morphologies to spikes by files alone: touches become an edge file, a simulation configuration names it, and it runs."""

import json

import h5py
import numpy as np
import pytest

import neuropil as npl
from neuropil import circuit

pytest.importorskip("morphio")


def write(folder, edges):
    """Types and configuration beside an edge file of touches."""
    (folder / "node_types.csv").write_text("node_type_id model_type model_template\n-1 point_neuron nest:iaf_psc_exp\n")
    names = "edge_type_id model_template weight_function delay_function"
    (folder / "edge_types.csv").write_text(f"{names}\n-1 static_synapse by_class along_axon\n")
    clamp = {"input_type": "current_clamp", "module": "IClamp", "amp": 450.0, "delay": 5.0, "duration": 100.0}
    config = {
        "networks": {
            "nodes": [{"nodes_file": "column/nodes.h5", "node_types_file": "node_types.csv"}],
            "edges": [{"edges_file": edges.name, "edge_types_file": "edge_types.csv"}],
        },
        "node_sets_file": "column/node_sets.json",
        "run": {"tstop": 100.0, "dt": 0.1},
        "inputs": {"clamp": clamp | {"node_set": {"synapse_class": "EXC"}}},
    }
    (folder / "simulation_config.json").write_text(json.dumps(config))
    return folder / "simulation_config.json"


@pytest.mark.slow
def test_touches_to_spikes(tmp_path):
    column = circuit.grow_column(tmp_path / "column", cells=16, seed=1)
    run = circuit.detect_touches(column, tmp_path / "edges.h5", circuit.TouchOptions(seed=1))
    path = write(tmp_path, run.path)
    weights = {"by_class": lambda edge, source, target: np.where(source["synapse_class"] == "EXC", 30.0, -60.0)}
    delays = {"along_axon": lambda edge, source, target: np.maximum(0.5 + edge["efferent_distance_soma"] / 300.0, 0.1)}
    simulation = npl.sonata.run(path, threads=1, weight_functions=weights, delay_functions=delays, progress=False)
    net = simulation.net
    assert net.n_connections == run.touches > 20
    with h5py.File(run.path) as file:
        group = file["edges/All__All__chemical"]
        source, target, length = group["source_node_id"][:], group["target_node_id"][:], group["0/efferent_distance_soma"][:]
    gids = simulation.gids("All")
    expected = sorted(zip(gids[source], gids[target], np.rint((0.5 + length.astype(float) / 300.0) / 0.1), strict=True))
    found = net.connections()
    assert sorted(zip(found.source, found.target, np.rint(found.delay / 0.1), strict=True)) == expected
    times = simulation.spikes("All")[1]
    assert len(times) > 10
    assert (tmp_path / "output/spikes.h5").exists()
    again = npl.sonata.load(path, threads=2, weight_functions=weights, delay_functions=delays)
    again.run(progress=False)
    assert np.array_equal(again.spikes("All")[1], times)
