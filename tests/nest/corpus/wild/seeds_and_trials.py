# SPDX-License-Identifier: Apache-2.0
"""Trials with other seeds: ResetKernel in a loop, the same function, mean and spread over trials."""

import numpy as np

import nest


def trial(seed, rate=11000.0):
    nest.ResetKernel()
    nest.SetKernelStatus({"rng_seed": seed, "resolution": 0.1, "print_time": False})
    neuron = nest.Create("iaf_cond_alpha", 20)
    noise = nest.Create("poisson_generator", params={"rate": rate, "start": 0.0})
    inhibition = nest.Create("poisson_generator", params={"rate": 0.25 * rate})
    nest.Connect(noise, neuron, syn_spec={"weight": 2.6, "delay": 1.0})
    nest.Connect(inhibition, neuron, syn_spec={"weight": -1.2, "delay": 1.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(neuron, recorder)
    nest.Simulate(500.0)
    return recorder.n_events / len(neuron) / 0.5


nest.verbosity = nest.VerbosityLevel.FATAL
rates = np.array([trial(seed) for seed in (1, 2, 3, 4)])
print(f"mean {rates.mean():.1f} spikes/s")
print("seeds matter:", len(set(rates.tolist())) > 1, "and can be repeated:", trial(2) == rates[1])
