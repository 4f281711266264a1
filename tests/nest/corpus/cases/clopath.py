# SPDX-License-Identifier: Apache-2.0
"""Voltage-based plasticity: protocols of Clopath, Buesing, Vasilaki & Gerstner (2010) and Clopath & Gerstner (2010), and what is refused.

Neurons are solved numerically on both sides: weights agree as well as their potentials around spikes do. Some connection has a delay of one
step, since NEST loses depression otherwise (case_depression_with_a_common_delay).
"""

import numpy as np
from tests.nest.corpus.values import error, near

AEIF = {
    "A_LTD": 14e-5,
    "A_LTP": 8e-5,
    "C_m": 281.0,
    "tau_u_bar_minus": 10.0,
    "tau_u_bar_plus": 7.0,
    "delay_u_bars": 4.0,
    "a": 4.0,
    "b": 0.0805,
    "V_reset": -49.6,
    "V_clamp": 33.0,
    "t_clamp": 2.0,
    "t_ref": 0.0,
}
HH = {
    "A_LTD": 10e-5,
    "A_LTP": 6e-5,
    "theta_plus": -35.0,
    "theta_minus": -65.0,
    "tau_u_bar_plus": 114.0,
    "tau_u_bar_minus": 10.0,
    "delay_u_bars": 5.0,
}
TOLERANCE = {"atol": 2e-3}


def paired(nest, model, params, pre, post, push, synapse, time, resolution=0.1):
    """Weights sent to a neuron that is made to spike at `post`."""
    nest.ResetKernel()
    nest.resolution = resolution
    cell, relay, recorder = nest.Create(model, params=params), nest.Create("parrot_neuron"), nest.Create("weight_recorder")
    nest.CopyModel("clopath_synapse", "recorded", {"weight_recorder": recorder})
    for times, node, spec in ((pre, relay, {"delay": 0.1}), (post, cell, {"delay": 1.0, "weight": push})):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": np.round(times, 1)}), node, syn_spec=spec)
    nest.Connect(relay, cell, syn_spec={"synapse_model": "recorded", "weight": 0.5, "delay": 1.0} | synapse)
    nest.Simulate(time)
    return recorder.events["weights"]


def window(model, params, push):
    """Pairs with different delays between spikes, repeated: what a presynaptic spike 200 ms later is sent with."""

    def case(nest):
        found = {}
        for delta in (-40.0, -20.0, -10.0, -3.0, 0.0, 3.0, 10.0, 20.0, 40.0):
            pre = 100.0 + 200.0 * np.arange(4)
            found[str(delta)] = near(paired(nest, model, params, pre, pre[:3] + delta, push, {}, 950.0), **TOLERANCE)
        return found

    return case


def rates(model, params, push):
    """Five pairs at different rates, post 10 ms after pre or before it."""

    def case(nest):
        found = {}
        for rate in (10.0, 20.0, 30.0, 50.0):
            for delta in (10.0, -10.0):
                pre = np.append(50.0 + 1000.0 / rate * np.arange(5), 800.0)
                found[f"{rate} {delta}"] = near(paired(nest, model, params, pre, pre[:5] + delta, push, {}, 850.0), **TOLERANCE)
        return found

    return case


for _model, _params, _push in (("aeif_psc_delta_clopath", AEIF, 80.0), ("hh_psc_alpha_clopath", HH, 5000.0)):
    globals()[f"case_{_model}_window"] = window(_model, _params, _push)
    globals()[f"case_{_model}_rates"] = rates(_model, _params, _push)


def case_parameters(nest):
    """Delays, also longer than that of the filtered potentials; depression by a mean; bounds."""
    pre, post = np.arange(20.0, 300.0, 17.0), np.arange(25.0, 290.0, 23.0)
    variants = {
        "short": ({}, {"delay": 0.1}),
        "long": ({}, {"delay": 12.3}),
        "mean": ({"A_LTD_const": False, "u_ref_squared": 3000.0}, {}),
        "no delay": ({"delay_u_bars": 0.0}, {}),
        "bounds": ({"A_LTP": 2e-3, "A_LTD": 2e-3}, {"Wmin": 0.4, "Wmax": 0.7}),
        "negative": ({"A_LTP": 2e-3, "A_LTD": 2e-3}, {"Wmin": -2.0, "Wmax": -0.4, "weight": -0.5}),
        "tau_x": ({}, {"tau_x": 40.0}),
    }
    return {
        name: near(paired(nest, "aeif_psc_delta_clopath", AEIF | cell, pre, post, 80.0, synapse, 350.0), **TOLERANCE)
        for name, (cell, synapse) in variants.items()
    }


def case_bidirectional(nest):
    """Three recurrent neurons that fire by turns: weights between neighbours in time and the others."""
    nest.resolution = 0.1
    cells = nest.Create("aeif_psc_delta_clopath", 3, AEIF | {"A_LTD": 1e-4, "A_LTP": 2e-3})
    for k, cell in enumerate(cells):
        times = np.round(np.arange(20.0 + 8.0 * k, 900.0, 60.0), 1)
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), cell, syn_spec={"weight": 80.0, "delay": 0.1})
    spec = {"synapse_model": "clopath_synapse", "weight": 0.25, "Wmax": 0.75, "delay": 1.0}
    nest.Connect(cells, cells, {"rule": "all_to_all", "allow_autapses": False}, spec)
    found = []
    for _ in range(3):
        nest.Simulate(300.0)
        found.append(nest.GetConnections(cells, cells).weight)
    return {"weights": near(found, **TOLERANCE)}


def case_state(nest):
    """The presynaptic trace, and the parameters of each connection."""
    paired(nest, "aeif_psc_delta_clopath", AEIF, [10.0, 14.0, 40.0], [12.0], 80.0, {"tau_x": 11.0}, 60.0)
    found = nest.GetConnections(synapse_model="recorded").get(["x_bar", "tau_x", "Wmin", "Wmax"])
    return {key: near(value, 1e-9) for key, value in found.items()}


def case_targets(nest):
    """Only neurons with filtered potentials."""
    found = {}
    for model in ("aeif_psc_delta", "iaf_psc_exp", "parrot_neuron", "aeif_psc_delta_clopath", "hh_psc_alpha_clopath"):
        nodes = nest.Create(model, 2)
        found[model] = error(lambda nodes=nodes: nest.Connect(nodes[0], nodes[1], syn_spec="clopath_synapse"))
    return found


def case_refuses(nest):
    values = {
        "tau_u_bar_plus": 0.0,
        "tau_u_bar_minus": -1.0,
        "tau_u_bar_bar": 0.0,
        "u_ref_squared": 0.0,
        "tau_z": 0.0,
        "tau_V_th": 0.0,
        "t_clamp": -1.0,
        "t_ref": -1.0,
        "V_th_max": -80.0,
        "V_reset": 40.0,
        "Delta_T": 0.01,
        "V_th": 3.0,
    }
    return {
        key: error(lambda key=key, value=value: nest.Create("aeif_psc_delta_clopath").set({key: value})) for key, value in values.items()
    }


def case_depression_with_a_common_delay(nest):
    """Of spikes that arrive within a min_delay, NEST finds the level of depression for those alone that are sent at its end."""
    found = []
    for phase in range(10):
        nest.ResetKernel()
        cell, relay = (
            nest.Create("aeif_psc_delta_clopath", params={"A_LTP": 0.0, "A_LTD": 1e-3, "I_e": 300.0}),
            nest.Create("parrot_neuron"),
        )
        nest.Connect(nest.Create("spike_generator", params={"spike_times": [round(60.0 + 0.1 * phase, 1)]}), relay)
        nest.Connect(relay, cell, syn_spec={"synapse_model": "clopath_synapse", "weight": 10.0})
        nest.Simulate(100.0)
        found.append(nest.GetConnections(synapse_model="clopath_synapse").weight < 10.0)
    return {"depressed": found}
