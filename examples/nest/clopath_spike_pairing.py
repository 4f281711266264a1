# SPDX-License-Identifier: Apache-2.0
"""Voltage-based plasticity: pairs of spikes at several rates, pre before post and post before pre (Clopath et al. 2010), in two neuron models."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET

AEIF = {"V_m": -70.6, "E_L": -70.6, "C_m": 281.0, "theta_minus": -70.6, "theta_plus": -45.3, "A_LTD": 14.0e-5, "A_LTP": 8.0e-5, "tau_u_bar_minus": 10.0,
        "tau_u_bar_plus": 7.0, "delay_u_bars": 4.0, "a": 4.0, "b": 0.0805, "V_reset": -70.6 + 21.0, "V_clamp": 33.0, "t_clamp": 2.0, "t_ref": 0.0}  # fmt: skip
HH = {"V_m": -64.9, "C_m": 100.0, "tau_syn_ex": 0.2, "tau_syn_in": 2.0, "theta_minus": -64.9, "theta_plus": -35.0, "A_LTD": 14.0e-5, "A_LTP": 7.5e-5,
      "tau_u_bar_minus": 10.0, "tau_u_bar_plus": 114.0, "delay_u_bars": 5.0}  # fmt: skip
PROTOCOLS = {"aeif_psc_delta_clopath": (AEIF, 80.0, 15.0), "hh_psc_alpha_clopath": (HH, 9000.0, 16.7)}  # parameters, push, tau_x


def weight_after(model, rate, pre_first):
    """Five pairs 10 ms apart; the last presynaptic spike shows what the weight has become."""
    parameters, push, tau_x = PROTOCOLS[model]
    nest.ResetKernel()
    nest.resolution = 0.1
    first = 20.0 + 1000.0 / rate * np.arange(5)
    pre, post = (first, first + 10.0) if pre_first else (first + 10.0, first)
    neuron, parrot = nest.Create(model, params=parameters), nest.Create("parrot_neuron")
    to_pre = nest.Create("spike_generator", params={"spike_times": np.round(np.append(pre, first[-1] + 120.0), 1)})
    to_post = nest.Create("spike_generator", params={"spike_times": np.round(post, 1)})
    nest.Connect(to_pre, parrot, syn_spec={"delay": 0.1})
    nest.Connect(to_post, neuron, syn_spec={"delay": 0.1, "weight": push})
    learning = {"synapse_model": "clopath_synapse", "weight": 0.5, "delay": 0.1, "Wmax": 0.9, "tau_x": tau_x}
    nest.Connect(parrot, neuron, syn_spec=learning)
    nest.Simulate(np.round(first[-1] + 150.0, 1))
    return nest.GetConnections(parrot, neuron).weight


for model in PROTOCOLS:
    for rate in (10.0, 20.0, 30.0, 40.0, 50.0):
        together = [100.0 * weight_after(model, rate, pre_first) / 0.5 for pre_first in (True, False)]
        print(f"{model}, {rate:.0f} pairs per second: {together[0]:.1f} % after pre-post, {together[1]:.1f} % after post-pre")
