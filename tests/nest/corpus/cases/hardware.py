# SPDX-License-Identifier: Apache-2.0
"""stdp_facetshw_synapse_hom: random look-up tables, bits and spikes; synapses of one driver, since NEST numbers those of more by their first spikes."""

import numpy as np
from tests.nest.corpus.values import error, near

MODEL = "stdp_facetshw_synapse_hom"
SHOWN = ("Wmax", "weight_per_lut_entry", "no_synapses", "readout_cycle_duration", "synapses_per_driver", "driver_readout_time")


def _trial(nest, seed):
    rng = np.random.default_rng(seed)
    nest.ResetKernel()
    nest.resolution = 0.1
    recorder = nest.Create("weight_recorder")
    common = {
        "weight_recorder": recorder,
        "tau_plus": rng.uniform(5.0, 40.0),
        "tau_minus_stdp": rng.uniform(5.0, 40.0),
        "driver_readout_time": float(rng.choice([5.0, 15.0, 30.0])),
        **{f"lookuptable_{k}": rng.integers(0, 16, 16).tolist() for k in range(3)},
        **{f"configbit_{k}": rng.integers(0, 2, 4).tolist() for k in range(2)},
        "reset_pattern": rng.integers(0, 2, 6).tolist(),
    }
    nest.CopyModel(MODEL, "hardware", common)
    parrots = nest.Create("parrot_neuron", 5)
    for parrot in parrots:
        times = np.unique(np.round(rng.uniform(1.0, 280.0, 30), 1))
        source = nest.Create("spike_generator", params={"spike_times": times})
        nest.Connect(source, parrot, syn_spec={"delay": 1.0})
    own = {"a_thresh_th": rng.uniform(0.0, 3.0), "a_thresh_tl": rng.uniform(0.0, 3.0)}
    spec = {"synapse_model": "hardware", "receptor_type": 1, "delay": 1.5, "weight": rng.uniform(0.0, 100.0)} | own
    nest.Connect(parrots[:3], parrots[3:], syn_spec=spec)
    nest.Simulate(300.0)
    events = recorder.events
    order = np.lexsort((events["targets"], events["senders"], np.round(events["times"], 3)))
    connections = nest.GetConnections(parrots[:3], parrots[3:])
    shown = {key: near(np.array(connections.get(key), float)) for key in ("weight", "a_causal", "a_acausal", "next_readout_time")}
    return {"weights": near(np.asarray(events["weights"])[order])} | shown | {"init_flag": connections.get("init_flag")}


def case_random_tables(nest):
    return {f"{key} {seed}": value for seed in range(6) for key, value in _trial(nest, seed).items()}


def case_defaults(nest):
    found = {}
    for given in (
        {},
        {"Wmax": 50.0},
        {"weight_per_lut_entry": 2.0},
        {"Wmax": 50.0, "weight_per_lut_entry": 2.0},
        {"no_synapses": 51},
        {"lookuptable_0": list(range(16))},
        {"configbit_1": [1, 0, 0, 1], "reset_pattern": [0, 1] * 3},
    ):
        nest.ResetKernel()
        nest.SetDefaults(MODEL, given)
        defaults = nest.GetDefaults(MODEL)
        found[str(given)] = {key: defaults[key] for key in SHOWN} | {key: np.asarray(defaults[key]).tolist() for key in given}
    return found


def case_next_readout_time_of_connect(nest):
    parrots = nest.Create("parrot_neuron", 2)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [20.0, 40.0]}), parrots[0])
    spec = {"synapse_model": MODEL, "receptor_type": 1}
    for given in ({}, {"next_readout_time": 50.0}, {"next_readout_time": -3.0}):
        nest.Connect(parrots[0], parrots[1], syn_spec=spec | given)
    found = {}
    for at in ("0", "10", "30", "50"):
        if at != "0":
            nest.Simulate(10.0 if at == "10" else 20.0)
        found[at] = nest.GetConnections(parrots[0]).get("next_readout_time")
    return found


def case_refused(nest):
    nest.ResetKernel()
    neurons = nest.Create("iaf_psc_exp", 2)
    connect = {
        "tau_plus": 3.0,
        "Wmax": 3.0,
        "no_synapses": 3,
        "lookuptable_0": [1] * 16,
        "foo": 1.0,
    }
    found = {
        key: error(lambda key=key: nest.Connect(neurons, neurons, syn_spec={"synapse_model": MODEL, key: connect[key]})) for key in connect
    }
    nest.Connect(neurons, neurons, "one_to_one", {"synapse_model": MODEL, "a_causal": 1.0, "a_thresh_th": [2.0, 3.0]})
    connections = nest.GetConnections()
    found |= {key: error(lambda key=key: connections[0].set({key: 3.0})) for key in ("tau_plus", "no_synapses", "Wmax")}
    connections.a_thresh_tl = [4.0, 5.0]
    found |= {"after": [connections.get(key) for key in ("a_thresh_tl", "a_thresh_th", "a_causal", "a_acausal")]}
    nest.ResetKernel()
    defaults = {
        "lookuptable_0": [1, 2, 3],
        "lookuptable_1": [16] * 16,
        "lookuptable_2": [1.5] * 16,
        "configbit_0": [1, 0],
        "configbit_1": [1, 0, 0, 0, 1],
        "reset_pattern": [1] * 5,
    }
    return found | {f"defaults {key}": error(lambda key=key: nest.SetDefaults(MODEL, {key: defaults[key]})) for key in defaults}
