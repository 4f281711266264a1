# SPDX-License-Identifier: Apache-2.0
"""A dendrite learns to predict the soma (Urbanczik & Senn 2014): conductances at the soma are the teacher, synapses onto the dendrite learn.

A pattern of spikes comes again and again while the soma is driven by a sine. The potential that the dendrite predicts for the soma follows that
of the soma better and better.
"""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET
nest.ResetKernel()
nest.set(resolution=0.1, rng_seed=7)
period, repetitions, n_inputs = 100.0, 40, 100
rng = np.random.default_rng(5)

neuron = nest.Create(
    "pp_cond_exp_mc_urbanczik", params={"phi_max": 0.15, "rate_slope": 0.5, "beta": 1.0 / 3.0, "theta": -55.0, "g_sp": 600.0, "t_ref": 3.0}
)
ports = nest.GetDefaults("pp_cond_exp_mc_urbanczik", "receptor_types")

# teacher: excitation follows a sine, inhibition balances
times = np.round(np.arange(1.0, period * repetitions, 0.5), 1)
drive = 1.0 + np.sin(2.0 * np.pi * times / period)
excitation = nest.Create("spike_generator", params={"spike_times": times, "spike_weights": 4.0 * drive})
inhibition = nest.Create("spike_generator", params={"spike_times": times, "spike_weights": np.full(len(times), 6.0)})
nest.Connect(excitation, neuron, syn_spec={"receptor_type": ports["soma_exc"]})
nest.Connect(inhibition, neuron, syn_spec={"receptor_type": ports["soma_inh"]})

# input: each relay has its own moment in the pattern
relays = nest.Create("parrot_neuron", n_inputs)
moments = np.round(rng.uniform(1.0, period, n_inputs), 1)
for relay, moment in zip(relays, moments, strict=True):
    pattern = nest.Create("spike_generator", params={"spike_times": np.round(moment + period * np.arange(repetitions), 1)})
    nest.Connect(pattern, relay)
learning = {
    "synapse_model": "urbanczik_synapse",
    "receptor_type": ports["dendritic_exc"],
    "weight": 10.0,
    "eta": 0.17,
    "tau_Delta": 100.0,
    "Wmax": 1000.0,
}
nest.Connect(relays, neuron, syn_spec=learning)

meter = nest.Create("multimeter", params={"record_from": ["V_m.s", "V_m.p"], "interval": 1.0})
spikes = nest.Create("spike_recorder")
nest.Connect(meter, neuron)
nest.Connect(neuron, spikes)
nest.Simulate(period * repetitions)

soma, dendrite = neuron.get("soma"), meter.events["V_m.p"]
predicted = (soma["E_L"] * soma["g_L"] + dendrite * neuron.g_sp) / (soma["g_L"] + neuron.g_sp)
wrong = (meter.events["V_m.s"] - predicted) ** 2
first, last = wrong[: len(wrong) // 4].mean(), wrong[-len(wrong) // 4 :].mean()
print(f"squared error of the prediction: {'falls' if last < 0.7 * first else 'stays'}")
weights = np.array(nest.GetConnections(relays, neuron).weight)
early = weights[moments < period / 2].mean()
print("inputs while the soma is driven are", "stronger" if early > weights[moments >= period / 2].mean() else "weaker")
print(f"spikes per second: {len(spikes.events['times']) / (period * repetitions) * 1000.0:.1f}")
