# SPDX-License-Identifier: Apache-2.0
"""Inhibitory synapses that learn to balance (Vogels et al. 2011), their weights followed with a weight_recorder."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
target = nest.Create("iaf_psc_exp", params={"I_e": 500.0})
pre = nest.Create("parrot_neuron", 3)
for k, node in enumerate(pre):
    source = nest.Create("spike_generator", params={"spike_times": np.round(np.arange(3.0 + k, 990.0, 9.0 + 2.0 * k), 1)})
    nest.Connect(source, node)
recorder = nest.Create("weight_recorder")
nest.CopyModel(
    "vogels_sprekeler_synapse", "learning", {"weight_recorder": recorder, "weight": -5.0, "eta": 0.4, "alpha": 0.12, "Wmax": -200.0}
)
nest.Connect(pre, target, syn_spec={"synapse_model": "learning", "weight": -5.0, "delay": 1.0})
spikes = nest.Create("spike_recorder")
nest.Connect(target, spikes)
nest.Simulate(1000.0)
events = recorder.events
for node in pre.tolist():
    mine = events["weights"][events["senders"] == node]
    print(f"synapse of {node}: {len(mine)} events, grew: {bool(mine[-1] < mine[0])}, from {mine[0]:.2f} pA")
early = (spikes.events["times"] < 200.0).sum()
late = (spikes.events["times"] > 800.0).sum()
print(f"spikes in the first 200 ms {early}, in the last {late}")
