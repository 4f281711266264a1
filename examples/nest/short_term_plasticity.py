# SPDX-License-Identifier: Apache-2.0
"""Depressing and facilitating synapses: peak of each response to a regular train and to a late spike."""

import nest

times = [20.0 + 30.0 * k for k in range(8)] + [700.0]
kinds = {
    "static": {"synapse_model": "static_synapse", "weight": 100.0},
    "depressing": {"synapse_model": "tsodyks2_synapse", "weight": 200.0, "U": 0.5, "u": 0.5, "x": 1.0, "tau_rec": 300.0, "tau_fac": 0.0},
    "facilitating": {"synapse_model": "tsodyks2_synapse", "weight": 600.0, "U": 0.1, "u": 0.1, "x": 1.0, "tau_rec": 50.0, "tau_fac": 500.0},
}
nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
source, relay = nest.Create("spike_generator", params={"spike_times": times}), nest.Create("parrot_neuron")
nest.Connect(source, relay)
meters = {}
for name, synapse in kinds.items():
    cell = nest.Create("iaf_psc_exp", params={"tau_m": 5.0})
    nest.Connect(relay, cell, syn_spec=synapse)
    meters[name] = nest.Create("multimeter", params={"record_from": ["I_syn_ex"], "interval": 0.1})
    nest.Connect(meters[name], cell)
nest.Simulate(800.0)

for name, meter in meters.items():
    current, at = meter.events["I_syn_ex"], meter.events["times"]
    peaks = [current[(at > time) & (at < time + 20.0)].max() for time in times]
    print(f"{name:12s} " + " ".join(f"{peak:6.1f}" for peak in peaks) + " pA")
