# SPDX-License-Identifier: Apache-2.0
"""Learning by the dendritic prediction of somatic spiking (Urbanczik & Senn 2014). Without chance: neurons that never spike, as good as, or as often as they can."""

import numpy as np
from tests.nest.corpus.values import error, near, sample

MODEL = "pp_cond_exp_mc_urbanczik"
SILENT = {"phi_max": 1e-9}  # with a learning rate that makes up for it
BUSY = {"phi_max": 4e3, "t_ref": 5.0}  # one spike after each refractory period
WIDE = {"eta": 7e7, "Wmin": -1e9, "Wmax": 1e9}
PRE = [10.0, 30.0, 31.0, 75.0, 180.0, 181.0, 280.0]


def sent(nest, neuron, synapse, pre=PRE, drive=(), time=320.0, resolution=0.1):
    """Weights sent to a neuron whose dendrite is driven."""
    nest.ResetKernel()
    nest.resolution = resolution
    cell, relay, recorder = nest.Create(MODEL, params=neuron), nest.Create("parrot_neuron"), nest.Create("weight_recorder")
    nest.CopyModel("urbanczik_synapse", "recorded", {"weight_recorder": recorder})
    nest.Connect(nest.Create("spike_generator", params={"spike_times": pre}), relay, syn_spec={"delay": resolution})
    nest.Connect(relay, cell, syn_spec={"synapse_model": "recorded", "receptor_type": 3, "weight": 1.0, "delay": 1.0} | synapse)
    for port, weight, times in drive:
        nest.Connect(
            nest.Create("spike_generator", params={"spike_times": times}), cell, syn_spec={"receptor_type": port, "weight": weight}
        )
    nest.Simulate(time)
    return recorder.events["weights"]


def case_learning(nest):
    drive = [(3, 300.0, [20.0, 40.0, 100.0]), (4, 200.0, [60.0]), (1, 5.0, [120.0]), (2, 5.0, [200.0])]
    constants = {"rate_slope": 1.5, "beta": 0.2, "theta": -60.0, "g_sp": 400.0, "soma": {"g_L": 20.0, "E_L": -68.0},
                 "dendritic": {"C_m": 200.0, "g_L": 25.0, "E_L": -69.0, "tau_syn_ex": 2.0, "tau_syn_in": 5.0}}  # fmt: skip
    variants = {
        "silent": (SILENT, {}),
        "short delay": (SILENT, {"delay": 0.1}),
        "long delay": (SILENT, {"delay": 7.3}),
        "tau_Delta": (SILENT, {"tau_Delta": 20.0}),
        "constants": (SILENT | constants, {"eta": 5e5}),
        "inhibits": (SILENT | constants, {"eta": 5e5, "weight": -1.0, "Wmin": -1e9, "Wmax": -1e-9}),
        "other port": (SILENT | constants, {"eta": 5e5, "receptor_type": 4}),
        "busy": (BUSY | constants, {"eta": 3e-7}),
        "always": (BUSY | {"t_ref": 0.1}, {"eta": 3e-7}),
        "low bound": (SILENT, {"Wmin": 0.5}),
        "high bound": (SILENT, {"Wmax": 0.9}),
    }
    return {name: near(sent(nest, cell, WIDE | synapse, drive=drive), rtol=5e-5) for name, (cell, synapse) in variants.items()}


def case_coarse_steps(nest):
    return {"weights": near(sent(nest, SILENT, WIDE, resolution=0.5), atol=1e-6, rtol=1e-5)}


def case_potentials(nest):
    """Currents and conductances of both compartments; weights of either sign."""
    found = {}
    nest.resolution = 0.1
    neuron = {"g_ps": 50.0, "soma": {"I_e": 100.0, "tau_syn_ex": 1.5}, "dendritic": {"tau_syn_in": 5.0, "C_m": 200.0}}
    cell, meter = nest.Create(MODEL, params=SILENT | neuron), nest.Create("multimeter", params={"interval": 0.5})
    meter.record_from = sorted(map(str, cell.recordables))
    nest.Connect(meter, cell)
    for port, weight, times in ((1, 5.0, [10.0]), (2, 7.0, [12.0]), (3, 90.0, [3.0, 30.0]), (4, 50.0, [25.0]), (3, -20.0, [50.0])):
        nest.Connect(
            nest.Create("spike_generator", params={"spike_times": times}), cell, syn_spec={"receptor_type": port, "weight": weight}
        )
    nest.Connect(nest.Create("dc_generator", params={"amplitude": 80.0, "start": 40.0}), cell, syn_spec={"receptor_type": 5})
    nest.Simulate(80.0)
    for name in meter.record_from:
        found[name] = near(meter.events[name], atol=2e-4)
    return found


def case_spikes(nest):
    """Refractory periods of a neuron that always fires."""
    found = {}
    for t_ref in (0.05, 0.1, 0.3, 3.0):
        nest.ResetKernel()
        nest.resolution = 0.1
        cell, recorder = nest.Create(MODEL, params=BUSY | {"t_ref": t_ref}), nest.Create("spike_recorder")
        nest.Connect(cell, recorder)
        nest.Simulate(10.0)
        found[str(t_ref)] = recorder.events["times"]
    return found


def case_random_spikes(nest):
    """Intervals, and what the weights become."""
    nest.rng_seed = 4
    n = 60
    cells, recorder = nest.Create(MODEL, n, {"phi_max": 0.5, "theta": -64.0}), nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    relay = nest.Create("parrot_neuron")
    nest.Connect(nest.Create("spike_generator", params={"spike_times": np.arange(5.0, 400.0, 15.0)}), relay)
    nest.Connect(relay, cells, "all_to_all", {"synapse_model": "urbanczik_synapse", "receptor_type": 3, "weight": 50.0, "eta": 0.1})
    nest.Simulate(400.0)
    return {
        "counts": sample(np.bincount(recorder.events["senders"], minlength=n + 1)[1:] + np.random.default_rng(1).uniform(-0.5, 0.5, n)),
        "weights": sample(nest.GetConnections(relay, cells).weight),
    }


def case_targets(nest):
    """Only neurons that predict their soma."""
    found = {}
    for model in ("iaf_psc_exp", "parrot_neuron", "hh_psc_alpha_clopath"):
        nodes = nest.Create(model, 2)
        found[model] = error(lambda nodes=nodes: nest.Connect(nodes[0], nodes[1], syn_spec="urbanczik_synapse"))
    nodes = nest.Create(MODEL, 2)
    for port in (0, 3, 5, 6, 7):
        found[str(port)] = error(
            lambda port=port: nest.Connect(nodes[0], nodes[1], syn_spec={"synapse_model": "urbanczik_synapse", "receptor_type": port})
        )
    return found


def case_refuses(nest):
    values = {"t_ref": -1.0, "phi_max": -1.0, "rate_slope": -1.0, "soma": {"C_m": 0.0}, "dendritic": {"tau_syn_ex": 0.0}, "V_m": -60.0}
    return {key: error(lambda key=key, value=value: nest.Create(MODEL).set({key: value})) for key, value in values.items()}


def case_status(nest):
    """Compartments are dicts."""
    cell = nest.Create(MODEL, params={"soma": {"V_m": -60.0, "I_e": 3.0}, "dendritic": {"g_L": 20.0}, "phi_max": 0.3})
    connection = {"synapse_model": "urbanczik_synapse", "receptor_type": 3, "eta": 0.1, "tau_Delta": 50.0}
    nest.Connect(cell, cell, syn_spec=connection)
    ports = {str(k): int(v) for k, v in nest.GetDefaults(MODEL, "receptor_types").items()}
    keys = ("eta", "tau_Delta", "Wmin", "Wmax", "weight", "receptor")
    return {
        "soma": {str(k): cell.soma[k] for k in sorted(cell.soma)},
        "dendritic": [cell.dendritic[k] for k in ("V_m", "g_L", "tau_syn_ex")],
        "ports": ports,
        "connection": [nest.GetConnections().get(key) for key in keys],
    }
