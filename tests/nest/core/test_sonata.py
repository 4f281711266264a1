# SPDX-License-Identifier: Apache-2.0
"""SonataNetwork: a network in small SONATA files is the one that plain calls make of the same numbers."""

import json

import numpy as np
import pytest

import neuropil.nest as nest

h5py = pytest.importorskip("h5py")

N, N_IN, N_EDGES = 12, 4, 60
NEURON = {"V_th": -50.0, "tau_m": 20.0, "I_e": 200.0}


@pytest.fixture(autouse=True)
def fresh_kernel():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


@pytest.fixture
def numbers():
    """Edges, and spikes of the input."""
    rng = np.random.default_rng(5)
    types = np.sort(rng.integers(100, 102, N_EDGES))
    recurrent = {
        "source": rng.integers(0, N, N_EDGES),
        "target": rng.integers(0, N, N_EDGES),
        "type": types,
        "weight": rng.normal(30.0, 5.0, N_EDGES),
        "delay": rng.integers(5, 30, N_EDGES) / 10,
    }
    forward = {"source": np.repeat(np.arange(N_IN), N), "target": np.tile(np.arange(N), N_IN)}
    spikes = {"ids": rng.integers(0, N_IN, 80), "times": np.round(rng.uniform(1.0, 90.0, 80), 1)}
    return recurrent, forward, spikes


@pytest.fixture
def config(tmp_path, numbers):
    """The files, and a configuration."""
    recurrent, forward, spikes = numbers
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "cell.json").write_text(json.dumps(NEURON))
    (tmp_path / "models" / "stdp.json").write_text(json.dumps({"lambda": 0.05, "Wmax": 200.0}))
    with h5py.File(tmp_path / "nodes.h5", "w") as file:
        file["nodes/cells/node_type_id"] = np.repeat([1, 2], [N - 4, 4])
        file["nodes/input/node_type_id"] = np.full(N_IN, 3)
    (tmp_path / "node_types.csv").write_text(
        "node_type_id model_type model_template dynamics_params\n"
        "1 point_neuron nest:iaf_psc_alpha cell.json\n"
        "2 point_neuron nest:iaf_psc_exp NULL\n"
        "3 virtual NULL NULL\n"
    )
    with h5py.File(tmp_path / "edges.h5", "w") as file:
        for name, ends, edges in (("recurrent", ("cells", "cells"), recurrent), ("forward", ("input", "cells"), forward)):
            group = file.create_group(f"edges/{name}")
            for side, population in zip(("source", "target"), ends, strict=True):
                group[f"{side}_node_id"] = edges[side]
                group[f"{side}_node_id"].attrs["node_population"] = population
            group["edge_type_id"] = edges.get("type", np.full(len(edges["source"]), 102))
            if "weight" in edges:
                order = np.random.default_rng(2).permutation(N_EDGES)
                group["edge_group_id"] = np.zeros(N_EDGES, np.int64)
                group["edge_group_index"] = np.argsort(order)
                group["0/syn_weight"], group["0/delay"] = edges["weight"][order], edges["delay"][order]
    (tmp_path / "edge_types.csv").write_text(
        "edge_type_id model_template delay syn_weight dynamics_params\n"
        "100 static_synapse 1.0 NULL NULL\n"
        "101 stdp_synapse 1.0 NULL stdp.json\n"
        "102 static_synapse 1.5 400.0 NULL\n"
    )
    with h5py.File(tmp_path / "spikes.h5", "w") as file:
        file["spikes/input/node_ids"], file["spikes/input/timestamps"] = spikes["ids"], spikes["times"]
    (tmp_path / "network.json").write_text(
        json.dumps(
            {
                "manifest": {"$BASE": ".", "$MODELS": "$BASE/models"},
                "components": {"point_neuron_models_dir": "$MODELS", "synaptic_models_dir": "$MODELS"},
                "networks": {
                    "nodes": [{"nodes_file": "$BASE/nodes.h5", "node_types_file": "$BASE/node_types.csv"}],
                    "edges": [{"edges_file": "$BASE/edges.h5", "edge_types_file": "$BASE/edge_types.csv"}],
                },
            }
        )
    )
    (tmp_path / "simulation.json").write_text(
        json.dumps(
            {
                "run": {"tstop": 100.0, "dt": 0.1},
                "inputs": {"drive": {"input_type": "spikes", "module": "h5", "input_file": "${configdir}/spikes.h5", "node_set": "input"}},
            }
        )
    )
    (tmp_path / "both.json").write_text(json.dumps({"network": "network.json", "simulation": "simulation.json"}))
    return tmp_path


def plain(numbers):
    """The same network by plain calls."""
    recurrent, forward, spikes = numbers
    cells = nest.Create("iaf_psc_alpha", N - 4, NEURON) + nest.Create("iaf_psc_exp", 4)
    drive = nest.Create("spike_generator", N_IN)
    for k in range(N_IN):
        drive[k].spike_times = np.sort(spikes["times"][spikes["ids"] == k])
    for kind, model in (
        (100, {"synapse_model": "static_synapse"}),
        (101, {"synapse_model": "stdp_synapse", "lambda": 0.05, "Wmax": 200.0}),
    ):
        for k in np.flatnonzero(recurrent["type"] == kind):
            ends = (cells[int(recurrent[side][k])] for side in ("source", "target"))
            nest.Connect(*ends, syn_spec={**model, "weight": recurrent["weight"][k], "delay": recurrent["delay"][k]})
    for a, b in zip(forward["source"].tolist(), forward["target"].tolist(), strict=True):
        nest.Connect(drive[a], cells[b], syn_spec={"weight": 400.0, "delay": 1.5})
    return cells


def spikes_of(cells, run):
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    run()
    events = recorder.events
    first = int(cells[0].global_id)
    plastic = sorted(nest.GetConnections(synapse_model="stdp_synapse").weight)
    return sorted(zip(events["times"].tolist(), (events["senders"] - first).tolist(), strict=True)), plastic


@pytest.mark.parametrize("size", [None, 1, 7])
@pytest.mark.parametrize("split", [False, True], ids=["one file", "two files"])
def test_the_network_is_that_of_plain_calls(config, numbers, size, split):
    files = (config / "network.json", config / "simulation.json") if split else (config / "both.json",)
    network = nest.SonataNetwork(*files)
    nodes = network.BuildNetwork(size)
    assert {name: len(some) for name, some in nodes.items()} == {"cells": N, "input": N_IN}
    assert nodes["cells"].tau_m[:2] == (20.0, 20.0)
    found = spikes_of(nodes["cells"], network.Simulate)
    assert nest.biological_time == 100.0

    nest.ResetKernel()
    wanted = spikes_of(plain(numbers), lambda: nest.Simulate(100.0))
    assert len(wanted[0]) > 20
    assert found == wanted


def test_edges_without_weight_or_delay_have_those_of_their_model(config):
    types = (config / "edge_types.csv").read_text().replace("102 static_synapse 1.5 400.0", "102 static_synapse NULL NULL")
    (config / "edge_types.csv").write_text(types)
    nest.SetDefaults("static_synapse", {"weight": 7.0, "delay": 2.5})
    nodes = nest.SonataNetwork(str(config / "both.json")).BuildNetwork()
    forward = nest.GetConnections(nodes["input"])
    assert set(forward.weight) == {7.0} and set(forward.delay) == {2.5}


def test_order_of_calls(config):
    network = nest.SonataNetwork(str(config / "both.json"))
    for early in (network.Connect, network.Simulate):
        with pytest.raises(nest.NESTError):
            early()
    network.Create()
    with pytest.raises(nest.NESTError, match="already"):
        network.Create()
    for wrong, kind in ((0, ValueError), (2.5, TypeError)):
        with pytest.raises(kind):
            network.Connect(wrong)
    network.Connect()
    with pytest.raises(nest.NESTError, match="once"):
        network.Connect()


def changed(path, **entries):
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


def test_what_is_missing_is_named(config):
    with pytest.raises(TypeError, match="config"):
        nest.SonataNetwork(5)
    with pytest.raises(FileNotFoundError):
        nest.SonataNetwork(config / "none.json")
    with pytest.raises(nest.NESTError, match="run"):
        nest.SonataNetwork(config / "network.json")
    changed(config / "simulation.json", run={"tstop": 10.0})
    with pytest.raises(nest.NESTError, match="dt"):
        nest.SonataNetwork(config / "both.json")


def test_types_that_are_missing_are_named(config):
    types = config / "node_types.csv"
    types.write_text(types.read_text().replace("2 point", "7 point"))
    with pytest.raises(nest.NESTError, match="node type 2"):
        nest.SonataNetwork(config / "both.json").Create()


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ({"input_type": "current_clamp", "module": "IClamp", "amp": 0.1, "node_set": "cells"}, "current_clamp"),
        ({"input_type": "spikes", "input_file": "spikes.h5", "node_set": "inputs"}, "inputs"),
        ({"input_type": "spikes", "input_file": "spikes.h5", "node_set": {"population": "cells"}}, "cells"),
    ],
)
def test_inputs_that_no_nodes_get_are_refused(config, entry, named):
    path = config / "simulation.json"
    simulation = json.loads(path.read_text())
    simulation["inputs"]["more"] = entry
    path.write_text(json.dumps(simulation))
    with pytest.raises(nest.NotSupported, match=f"{named}.*'more'"):
        nest.SonataNetwork(config / "both.json").Create()
