# SPDX-License-Identifier: Apache-2.0
"""A neuron of three compartments: a current enters one of its dendrites, spikes arrive at receptors of soma and dendrites."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET
nest.ResetKernel()
nest.resolution = 0.1

PASSIVE = {"C_m": 0.02, "g_C": 0.05, "g_L": 0.003, "e_L": -70.0}
cell = nest.Create("cm_default")
cell.compartments = [
    {"parent_idx": -1, "params": {"C_m": 0.1, "g_L": 0.01, "e_L": -70.0, "gbar_Na": 3.0, "gbar_K": 0.9}},
    {"parent_idx": 0, "params": PASSIVE},
    {"parent_idx": 0, "params": PASSIVE | {"g_C": 0.02}},
]
cell.receptors = [
    {"comp_idx": 0, "receptor_type": "GABA", "params": {"tau_d_GABA": 8.0}},
    {"comp_idx": 1, "receptor_type": "AMPA"},
    {"comp_idx": 2, "receptor_type": "AMPA_NMDA", "params": {"NMDA_ratio": 3.0}},
]

# a current is told the compartment, a spike the receptor
current = nest.Create("dc_generator", params={"amplitude": 0.15, "start": 10.0, "stop": 30.0})
nest.Connect(current, cell, syn_spec={"receptor_type": 2, "weight": 1.0, "delay": 0.1})
for receptor, (times, weight) in enumerate([([75.0, 76.0], 0.01), ([60.0, 77.0], 0.006), ([100.0, 103.0, 106.0, 109.0], 0.006)]):
    train = nest.Create("spike_generator", params={"spike_times": times})
    nest.Connect(train, cell, syn_spec={"receptor_type": receptor, "weight": weight, "delay": 0.5})

meter = nest.Create("multimeter", params={"interval": 0.1, "record_from": ["v_comp0", "v_comp1", "v_comp2"]})
nest.Connect(meter, cell)
nest.Simulate(160.0)

events = meter.events
windows = {"current": (10.0, 60.0), "AMPA": (60.0, 75.0), "GABA and AMPA": (75.0, 100.0), "AMPA and NMDA": (100.0, 160.0)}
print("receptors", [part["receptor_type"] for part in cell.receptors], "of compartments", [part["comp_idx"] for part in cell.receptors])
for name, (start, stop) in windows.items():
    seen = (events["times"] > start) & (events["times"] <= stop)
    peaks = [float(np.max(events[f"v_comp{k}"][seen])) for k in range(3)]
    print(f"{name:14s} highest: soma {peaks[0]:.3f} mV, dendrites {peaks[1]:.3f} and {peaks[2]:.3f} mV")
