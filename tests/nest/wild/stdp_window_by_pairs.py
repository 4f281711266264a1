# SPDX-License-Identifier: Apache-2.0
"""The window of STDP measured with parrots: pre and post spikes forced by generators, one run for each difference of times."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.ERROR
delta, tau = [], 20.0
for difference in np.arange(-40.0, 41.0, 10.0):
    nest.ResetKernel()
    nest.resolution = 0.1
    pre, post = nest.Create("parrot_neuron"), nest.Create("parrot_neuron")
    pre_times = [100.0]
    post_times = [100.0 + difference] if difference else [100.5]
    for parrot, times in ((pre, pre_times), (post, post_times)):
        source = nest.Create("spike_generator", params={"spike_times": times})
        nest.Connect(source, parrot, syn_spec={"delay": 1.0})
    last = nest.Create("spike_generator", params={"spike_times": [300.0]})
    nest.Connect(last, pre)
    nest.Connect(pre, post, syn_spec={"synapse_model": "stdp_synapse", "weight": 1.0, "delay": 1.0, "Wmax": 10.0, "receptor_type": 1})
    nest.Simulate(400.0)
    weight = nest.GetConnections(pre, post).get("weight")
    delta.append(weight - 1.0)
    print(f"{difference:+6.1f} ms {delta[-1]:+.6f}")
print("causal pairs grow:", all(d > 0 for d in delta[-4:]), "others shrink:", all(d < 0 for d in delta[:4]))
