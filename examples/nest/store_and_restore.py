# SPDX-License-Identifier: Apache-2.0
"""A trained network is written to a file and built again from it: neurons, connections with their weights, and membrane potentials."""

import pickle
from pathlib import Path

import numpy as np

import nest


def build(n_exc=40, n_inh=10):
    rng = np.random.default_rng(4)
    exc, inh = nest.Create("iaf_psc_alpha", n_exc), nest.Create("iaf_psc_alpha", n_inh)
    (exc + inh).V_m = (-70.0 + 10.0 * rng.random(n_exc + n_inh)).tolist()
    drive = nest.Create("dc_generator", params={"amplitude": 420.0})
    nest.Connect(drive, exc + inh)
    plastic = {"synapse_model": "stdp_synapse", "weight": 30.0, "delay": 1.5, "Wmax": 100.0, "lambda": 0.02}
    nest.Connect(exc, exc, {"rule": "all_to_all", "allow_autapses": False}, plastic)
    nest.Connect(inh, exc, "all_to_all", {"weight": -60.0, "delay": 1.0})
    return exc, inh, drive


def store(exc, inh, drive, path):
    synapses = {model: nest.GetConnections(synapse_model=model) for model in ("stdp_synapse", "static_synapse")}
    ours = synapses["stdp_synapse"]
    found = {
        "amplitude": drive.amplitude,
        "V_m": {"exc": exc.get("V_m"), "inh": inh.get("V_m")},
        "plastic": ours.get(("source", "target", "weight", "delay")),
    }
    Path(path).write_bytes(pickle.dumps(found))


def restore(path):
    found = pickle.loads(Path(path).read_bytes())
    exc = nest.Create("iaf_psc_alpha", len(found["V_m"]["exc"]))
    inh = nest.Create("iaf_psc_alpha", len(found["V_m"]["inh"]))
    exc.V_m, inh.V_m = found["V_m"]["exc"], found["V_m"]["inh"]
    nest.Connect(nest.Create("dc_generator", params={"amplitude": found["amplitude"]}), exc + inh)
    plastic = {key: np.array(value) for key, value in found["plastic"].items()}
    nest.Connect(
        plastic["source"],
        plastic["target"],
        "one_to_one",
        {"synapse_model": "static_synapse", "weight": plastic["weight"], "delay": plastic["delay"]},
    )
    nest.Connect(inh, exc, "all_to_all", {"weight": -60.0, "delay": 1.0})
    return exc, inh


nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
network = build()
nest.Simulate(200.0)
weights = np.array(nest.GetConnections(synapse_model="stdp_synapse").weight)
print(f"trained: {weights.mean():.0f} pA, all grown: {bool((weights > 40.0).all())}")
store(*network, "network.pkl")
nest.ResetKernel()
exc, inh = restore("network.pkl")
print(f"restored: {nest.network_size} nodes, {nest.num_connections} connections, mean V_m {np.mean((exc + inh).V_m):.4f} mV")
recorder = nest.Create("spike_recorder")
nest.Connect(exc + inh, recorder)
nest.Simulate(100.0)
print(f"spikes afterwards: {recorder.n_events}")
Path("network.pkl").unlink()
