# SPDX-License-Identifier: Apache-2.0
"""Rewarded trials: two stimuli, two actions; dopamine follows the correct action and moves the weights of the synapses that were eligible."""

import numpy as np

import nest

TRIAL, STIMULUS, N_TRIALS = 400.0, 20.0, 8
nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.resolution = 0.1
stimuli = [nest.Create("parrot_neuron", 5) for _ in range(2)]
actions = nest.Create("iaf_psc_alpha", 2, params={"tau_m": 15.0, "V_th": -57.0})
dopamine = nest.Create("parrot_neuron", 4)
transmitter = nest.Create("volume_transmitter", params={"deliver_interval": 1})
nest.Connect(dopamine, transmitter)
nest.CopyModel(
    "stdp_dopamine_synapse",
    "rewarded",
    {"volume_transmitter": transmitter, "A_plus": 0.9, "A_minus": 0.9, "tau_c": 300.0, "tau_n": 100.0, "Wmin": 50.0, "Wmax": 600.0},
)
rng = np.random.default_rng(12)
for pool in stimuli:
    start = rng.uniform(240.0, 300.0, (len(actions), len(pool)))
    nest.Connect(pool, actions, syn_spec={"synapse_model": "rewarded", "weight": start, "delay": 1.0})
nest.Connect(actions[0], actions[1], syn_spec={"weight": -900.0, "delay": 0.5})
nest.Connect(actions[1], actions[0], syn_spec={"weight": -900.0, "delay": 0.5})
sources = nest.Create("spike_generator", 2)
for source, pool in zip(sources, stimuli, strict=True):
    nest.Connect(source, pool)
reward = nest.Create("spike_generator")
nest.Connect(reward, dopamine)
teacher = nest.Create("spike_generator", 2)
nest.Connect(teacher, actions, "one_to_one", {"weight": 700.0, "delay": 1.0})
recorder = nest.Create("spike_recorder")
nest.Connect(actions, recorder)


def weights():
    return [[float(np.mean(nest.GetConnections(pool, action).get("weight"))) for action in actions] for pool in stimuli]


for trial in range(N_TRIALS):
    begin, shown = nest.biological_time, trial % 2
    volleys = begin + STIMULUS + np.arange(0.0, 50.0, 10.0)
    sources[shown].spike_times = volleys
    teacher[shown].spike_times = volleys + 2.0
    recorder.n_events = 0
    nest.Simulate(150.0)
    counts = [int((recorder.events["senders"] == node).sum()) for node in actions.tolist()]
    rewarded = bool(np.argmax(counts) == shown and max(counts) > 0)
    if rewarded:
        reward.spike_times = [nest.biological_time + 10.0 + k for k in range(3)]
    nest.Simulate(TRIAL - 150.0)
    print(trial, shown, counts, "rewarded" if rewarded else "not", " ".join(f"{w:.3f}" for row in weights() for w in row))
synapses = nest.GetConnections(synapse_model="rewarded")
print(
    len(synapses),
    "synapses, n",
    f"{max(synapses.get('n')):.6f}",
    "c between",
    f"{min(synapses.get('c')):.4f} and {max(synapses.get('c')):.4f}",
)
better = np.array(weights())
print("each stimulus prefers its action:", bool((better.argmax(axis=1) == [0, 1]).all()))
print(nest.GetDefaults("rewarded", ["A_plus", "tau_c", "Wmax", "num_connections"]), transmitter.get("deliver_interval"))
