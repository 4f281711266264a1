# SPDX-License-Identifier: Apache-2.0
"""Astrocytes: calcium oscillations of one that is driven by spikes, and its slow inward current into neurons."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET

# one astrocyte, driven ever more strongly
for weight in (0.0, 30.0, 100.0):
    nest.ResetKernel()
    nest.set(resolution=0.5)
    astrocyte = nest.Create("astrocyte_lr_1994", params={"delta_IP3": 0.0002})
    spikes = nest.Create("spike_generator", params={"spike_times": np.arange(100.0, 20000.0, 100.0)})
    if weight:
        nest.Connect(spikes, astrocyte, syn_spec={"weight": weight, "delay": 1.0})
    meter = nest.Create("multimeter", params={"record_from": ["Ca_astro", "IP3"], "interval": 10.0})
    nest.Connect(meter, astrocyte)
    nest.Simulate(20000.0)
    calcium = meter.events["Ca_astro"]
    peaks = np.flatnonzero((calcium[1:-1] > calcium[:-2]) & (calcium[1:-1] > calcium[2:]) & (calcium[1:-1] > 0.2))
    print(f"weight {weight:.0f}: IP3 {meter.events['IP3'][-1]:.3f} uM, largest calcium {calcium.max():.2f} uM, {len(peaks)} peaks")

# an astrocyte between neurons
nest.ResetKernel()
nest.set(resolution=0.1, rng_seed=2)
pre, post = nest.Create("parrot_neuron", 4), nest.Create("aeif_cond_alpha_astro", 3, {"I_e": 600.0})
astrocyte = nest.Create("astrocyte_lr_1994", params={"delta_IP3": 0.05, "Ca_astro": 0.15})
drive = nest.Create("spike_generator", params={"spike_times": np.arange(10.0, 1500.0, 20.0)})
nest.Connect(drive, pre)
nest.TripartiteConnect(
    pre,
    post,
    astrocyte,
    {"rule": "all_to_all"},
    {"rule": "third_factor_bernoulli_with_pool", "p": 1.0, "pool_size": 1, "pool_type": "block"},
    {
        "primary": {"weight": 0.5, "delay": 1.0},
        "third_in": {"weight": 1.0, "delay": 1.0},
        "third_out": {"synapse_model": "sic_connection", "weight": 3.0, "delay": 1.0},
    },
)
recorder = nest.Create("spike_recorder")
nest.Connect(post, recorder)
meter = nest.Create("multimeter", params={"record_from": ["I_SIC"], "interval": 1.0})
nest.Connect(meter, post)
nest.Simulate(1500.0)
times, current = recorder.events["times"], meter.events["I_SIC"]
models = nest.GetConnections().synapse_model
print(f"slow inward connections: {models.count('sic_connection')}, largest current {current.max():.0f} pA")
print("spikes in the first and the last 500 ms:", (times < 500.0).sum(), (times > 1000.0).sum())
