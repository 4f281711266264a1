# SPDX-License-Identifier: Apache-2.0
"""Files of SONATA that are broken, or that ask for what point neurons do not have, raise errors with file and key."""

import json

import h5py
import numpy as np
import pytest

import neuropil as npl
from neuropil.errors import BadFile, UnknownName
from neuropil.sonata.config import read_config
from sonata import files


def changed(folder, *keys, value):
    """simulation_config.json with one entry changed."""
    path = files.write(folder)
    config = place = json.loads(path.read_text())
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(config))
    return path


@pytest.mark.parametrize(
    ("keys", "value", "text"),
    [
        (("run", "dt"), None, r"run/dt: is missing"),
        (("run", "tstop"), -1.0, r"run/tstop: is -1.*at least 0"),
        (("run", "tstart"), 5.0, r"run/tstart.*begin at 0"),
        (("run", "tstopp"), 5.0, r"run/tstopp: is unknown \(nearest: tstop"),
        (("imputs",), {}, r"imputs: is unknown \(nearest: inputs"),
        (("target_simulator",), "NEURON", r"target_simulator: is NEURON"),
        (("networks", "gap_juncs"), [{"a": 1}], r"gap_juncs: is not supported"),
        (("inputs", "spikes", "input_type"), "lfp", r"input_type: is lfp; there are spikes and current_clamp"),
        (("inputs", "spikes", "module"), "nwb", r"module: is nwb"),
        (("inputs", "spikes", "node_set"), "cells", r"node_set: has nodes of cells, which are not virtual"),
        (("inputs", "clamp", "module"), "noise", r"inputs/clamp/module: is noise"),
        (("inputs", "clamp", "duration"), [1.0, 2.0], r"has 1 amp, 1 delay and 2 duration"),
        (("inputs", "clamp", "gids"), [3], r"inputs/clamp/gids: is unknown"),
        (("reports", "potential", "module"), "lfp", r"reports/potential: is of the kind lfp"),
        (("reports", "potential", "sections"), "axon", r"sections: is axon"),
        (("reports", "potential", "variable_name"), ["V_m"], r"one report has one variable"),
        (("output", "spikes_sort_order"), "size", r"spikes_sort_order: is size"),
        (("manifest", "$BASE"), "$MODELS/..", r"leads in a circle"),
        (("node_sets", "some"), {"population": "cells", "ei": {"$near": 2}}, r"comparison \$near"),
        (("node_sets", "some"), {"layer": 4}, r"asks for layer, which no node population has"),
        (("components",), {}, r"components/point_neuron_models_dir: is missing"),
    ],
)
def test_configurations(tmp_path, keys, value, text):
    with pytest.raises(BadFile, match=text):
        npl.sonata.load(changed(tmp_path, *keys, value=value), threads=1)


@pytest.mark.parametrize(
    ("file", "old", "new", "text"),
    [
        ("node_types.csv", "\n3 ", "\n4 ", r"node_type_id: has type 3, which the table of types does not have; it has 7, 4"),
        ("node_types.csv", "point_neuron nest:iaf_psc_exp", "biophysical nest:iaf_psc_exp", r"node type 3.*model_type biophysical"),
        ("node_types.csv", "nest:iaf_psc_exp", "ctdb:Biophys1.hoc", r"model_template ctdb:Biophys1.hoc: point neurons"),
        ("node_types.csv", "nest:iaf_psc_exp", "nest:iaf_psc_expp", r"unknown model 'iaf_psc_expp'; nearest: 'iaf_psc_exp'"),
        ("node_types.csv", "nest:iaf_psc_exp", "NULL", r"node type 3.*has no model_template"),
        ("edge_types.csv", "nest:stdp_synapse", "nest:stpd_synapse", r"unknown synapse 'stpd_synapse'; nearest: 'stdp_synapse'"),
        ("edge_types.csv", "\n101 ", "\n109 ", r"edge_type_id: has type 101"),
        ("edge_types.csv", " 8.0 NULL 3", " much NULL 3", r"edge type 101/syn_weight: is 'much'"),
        ("models/stdp.json", "lambda", "lambada", r"the parameter lambada, which it does not have; nearest: lambda"),
        ("models/cell.json", "{", "[{", r"cell.json, line 1: is not JSON"),
    ],
)
def test_types(tmp_path, file, old, new, text):
    path = files.write(tmp_path)
    before = (tmp_path / file).read_text()
    assert old in before
    (tmp_path / file).write_text(before.replace(old, new, 1))
    with pytest.raises(BadFile, match=text):
        npl.sonata.load(path, threads=1)


def test_numbers_in_files(tmp_path):
    path = files.write(tmp_path)
    with h5py.File(tmp_path / "edges.h5", "r+") as file:
        file["edges/cells_to_cells/target_node_id"][4] = files.N
    with pytest.raises(BadFile, match=rf"target_node_id: has the node id {files.N}, cells has {files.N} nodes"):
        npl.sonata.load(path, threads=1)
    with h5py.File(tmp_path / "edges.h5", "r+") as file:
        file["edges/cells_to_cells/target_node_id"].attrs["node_population"] = "cell"
    with pytest.raises(BadFile, match=r"of the node population 'cell'; there are cells, in"):
        npl.sonata.load(path, threads=1)


def test_names(tmp_path):
    path = files.write(tmp_path)
    (tmp_path / "models/cell.json").write_text(json.dumps({"V_thresh": -50.0}))
    with pytest.raises(UnknownName, match="V_th"):
        npl.sonata.load(path, threads=1)
    (tmp_path / "models/cell.json").write_text("{}")
    simulation = npl.sonata.load(path, threads=1)
    for ask in (simulation.nodes, simulation.spikes, simulation.report):
        with pytest.raises(UnknownName, match="'cell'"):
            ask("cell")
    with pytest.raises(UnknownName, match="'in' of neurons"):
        simulation.spikes("in")


def test_settings_of_morphologies_are_told(tmp_path):
    config = read_config(changed(tmp_path, "run", "dL", value=20.0))
    assert config.notes == ["run/dL is for morphologies"]


def test_lists_become_numbered_parameters(tmp_path):
    path = files.write(tmp_path)
    table = (tmp_path / "node_types.csv").read_text().replace("nest:iaf_psc_alpha", "nest:iaf_psc_exp_multisynapse")
    (tmp_path / "node_types.csv").write_text(table)
    (tmp_path / "models/cell.json").write_text(json.dumps({"tau_syn": [2.0, 5.0, 9.0]}))
    (tmp_path / "models/stdp.json").write_text(json.dumps({"Wmax": 200.0, "receptor_type": 2}))
    for key in ("in_edge_types.csv", "edge_types.csv"):  # to one model alone: all receptors are named
        lines = (tmp_path / key).read_text().replace(" NULL 3", " one.json 3").replace("NULL NULL NULL", "NULL one.json NULL")
        (tmp_path / key).write_text(
            lines
            if key == "edge_types.csv"
            else lines.replace("syn_weight", "syn_weight dynamics_params").replace("400.0", "400.0 one.json")
        )
    (tmp_path / "models/one.json").write_text(json.dumps({"receptor_type": 1}))
    with h5py.File(tmp_path / "nodes.h5", "r+") as file:
        file["nodes/cells/node_type_id"][:] = 7
    _drop_reports(path)
    simulation = npl.sonata.load(path, threads=1)
    cells = simulation.nodes("cells")
    assert np.asarray(cells.tau_syn_3).tolist() == [9.0] * files.N
    found = simulation.net.connections()
    assert {*found.receptor[found.synapse == "stdp_synapse"].tolist()} == {2}


def _drop_reports(path):
    config = json.loads(path.read_text())
    config["reports"] = {}
    path.write_text(json.dumps(config))
