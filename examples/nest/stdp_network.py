# SPDX-License-Identifier: Apache-2.0
"""Plastic synapses in a small network: groups that fire together win over those that fire alone."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.rng_seed = 21
target = nest.Create("iaf_psc_exp", params={"tau_minus": 20.0, "C_m": 150.0})
together, alone = nest.Create("parrot_neuron", 20), nest.Create("parrot_neuron", 20)
shared = nest.Create("spike_generator", params={"spike_times": np.arange(10.0, 3000.0, 50.0)})
nest.Connect(shared, together)
for node in alone:
    nest.Connect(nest.Create("poisson_generator", params={"rate": 20.0}), node)
synapse = {
    "synapse_model": "stdp_synapse",
    "weight": 100.0,
    "delay": 1.0,
    "Wmax": 200.0,
    "lambda": 0.05,
    "alpha": 1.2,
    "mu_plus": 0.0,
    "mu_minus": 0.0,
}
nest.Connect(together, target, syn_spec=synapse)
nest.Connect(alone, target, syn_spec=synapse)
nest.Simulate(3000.0)

strong = np.mean(nest.GetConnections(together, target).get("weight"))
weak = np.mean(nest.GetConnections(alone, target).get("weight"))
print(f"together grow: {strong > 150.0}")
print(f"alone fall behind: {weak < strong - 50.0}")
