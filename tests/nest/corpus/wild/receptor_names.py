# SPDX-License-Identifier: Apache-2.0
"""AMPA, NMDA and GABA as receptors of a multisynapse neuron: a dict of names and numbers, and the response to each alone."""

import numpy as np

import nest

RECEPTORS = {"AMPA": 1, "NMDA": 2, "GABA_A": 3, "GABA_B": 4}
nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
neuron = {
    "E_rev": [0.0, 0.0, -70.0, -90.0],
    "tau_rise": [0.5, 4.0, 1.0, 30.0],
    "tau_decay": [2.4, 40.0, 7.0, 100.0],
    "V_peak": 0.0,
    "a": 0.0,
    "b": 0.0,
}
cells = nest.Create("aeif_cond_beta_multisynapse", len(RECEPTORS), neuron)
source, relay = nest.Create("spike_generator", params={"spike_times": [5.0, 15.0]}), nest.Create("parrot_neuron")
nest.Connect(source, relay)
for cell, number in zip(cells, RECEPTORS.values(), strict=True):
    nest.Connect(relay, cell, syn_spec={"receptor_type": number, "weight": 1.0, "delay": 1.0})
meter = nest.Create("multimeter", params={"record_from": ["V_m"] + [f"g_{k}" for k in RECEPTORS.values()], "interval": 1.0})
nest.Connect(meter, cells)
nest.Simulate(120.0)
for cell, (name, number) in zip(cells.tolist(), RECEPTORS.items(), strict=True):
    mine = meter.events["senders"] == cell
    V, g = meter.events["V_m"][mine], meter.events[f"g_{number}"][mine]
    print(f"{name}: g up to {g.max():.2f} nS, V from {V.min():.2f} to {V.max():.2f} mV")
print(np.unique(nest.GetConnections(relay).get("receptor")).tolist())
