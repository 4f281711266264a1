# SPDX-License-Identifier: Apache-2.0
"""A neuron of three compartments: the same input to soma and dendrites, and what of it reaches the soma."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
receptors = nest.GetDefaults("iaf_cond_alpha_mc", "receptor_types")
print(", ".join(sorted(receptors)))
cell = nest.Create("iaf_cond_alpha_mc", params={"V_th": 0.0, "proximal": {"g_L": 5.0}, "distal": {"g_L": 8.0}})
meter = nest.Create("multimeter", params={"record_from": ["V_m.s", "V_m.p", "V_m.d"], "interval": 0.1})
nest.Connect(meter, cell)
for k, part in enumerate(("soma", "proximal", "distal")):
    for sign, shift in (("exc", 0.0), ("inh", 30.0)):
        source = nest.Create("spike_generator", params={"spike_times": [10.0 + 60.0 * k + shift]})
        nest.Connect(source, cell, syn_spec={"receptor_type": receptors[f"{part}_{sign}"], "weight": 30.0, "delay": 1.0})
nest.Simulate(200.0)

events = meter.events
for k, part in enumerate(("soma", "proximal", "distal")):
    for name, begin, pick in (("excited", 10.0 + 60.0 * k, np.max), ("inhibited", 40.0 + 60.0 * k, np.min)):
        some = (events["times"] > begin) & (events["times"] <= begin + 20.0)
        print(f"{part} {name}: " + ", ".join(f"{pick(events[key][some]):.2f}" for key in ("V_m.s", "V_m.p", "V_m.d")))

nest.ResetKernel()
cell = nest.Create("iaf_cond_alpha_mc", params={"soma": {"I_e": 200.0}, "t_ref": 5.0})
recorder = nest.Create("spike_recorder")
nest.Connect(cell, recorder)
nest.Simulate(100.0)
print("spikes at", " ".join(f"{t:.1f}" for t in recorder.events["times"]))
