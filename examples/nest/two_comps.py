# SPDX-License-Identifier: Apache-2.0
"""Two neurons of soma and dendrite, one with a passive dendrite and one with channels in it: what a synapse on the dendrite does at the soma."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET
nest.ResetKernel()
nest.resolution = 0.1

SOMA = {"C_m": 0.09, "g_L": 0.009, "e_L": -75.0, "gbar_Na": 4.6, "gbar_K": 0.96}
DENDRITES = {
    "passive": {"C_m": 0.002, "g_C": 0.0012, "g_L": 0.00035, "e_L": -75.0},
    "active": {"C_m": 0.002, "g_C": 0.0012, "g_L": 0.00035, "e_L": -70.0, "gbar_Na": 0.017, "gbar_K": 0.002},
}

meters = {}
for name, dendrite in DENDRITES.items():
    cell = nest.Create("cm_default", params={"V_th": -20.0})
    cell.compartments = [{"parent_idx": -1, "params": SOMA | {"v_comp": -75.0}}, {"parent_idx": 0, "params": dendrite | {"v_comp": -73.0}}]
    cell.receptors = [
        {"comp_idx": 0, "receptor_type": "AMPA_NMDA"},
        {"comp_idx": 1, "receptor_type": "AMPA_NMDA"},
    ]
    for receptor, (start, weight) in enumerate([(100.0, 0.005), (50.0, 0.001)]):
        train = nest.Create("spike_generator", params={"spike_times": [start, start + 3.0, start + 6.0]})
        nest.Connect(train, cell, syn_spec={"receptor_type": receptor, "weight": weight, "delay": 0.5})
    meters[name] = nest.Create("multimeter", params={"interval": 0.1, "record_from": ["v_comp0", "v_comp1"]})
    nest.Connect(meters[name], cell)

nest.Simulate(180.0)

for name, meter in meters.items():
    events = meter.events
    for place, (start, stop) in {"dendrite": (50.0, 100.0), "soma": (100.0, 180.0)}.items():
        seen = (events["times"] > start) & (events["times"] <= stop)
        soma, tip = (float(np.max(events[f"v_comp{k}"][seen])) for k in range(2))
        print(f"{name:7s} spikes onto the {place:8s}: soma up to {soma:8.3f} mV, dendrite up to {tip:8.3f} mV")
