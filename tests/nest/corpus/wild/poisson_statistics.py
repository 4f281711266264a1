# SPDX-License-Identifier: Apache-2.0
"""Rates, Fano factors and correlations of parrots that repeat private and shared Poisson processes."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.SetKernelStatus({"rng_seed": 101})
n, T = 50, 4000.0
private, shared = nest.Create("parrot_neuron", n), nest.Create("parrot_neuron", n)
nest.Connect(nest.Create("poisson_generator", params={"rate": 40.0}), private)
mother = nest.Create("parrot_neuron")
nest.Connect(nest.Create("poisson_generator", params={"rate": 40.0}), mother)
nest.Connect(mother, shared)
recorders = nest.Create("spike_recorder", 2)
nest.Connect(private, recorders[0])
nest.Connect(shared, recorders[1])
nest.Simulate(T)
for name, group, recorder in zip(("private", "shared"), (private, shared), recorders, strict=True):
    events = recorder.events
    bins = np.arange(0.0, T + 1.0, 20.0)
    table = np.array([np.histogram(events["times"][events["senders"] == node], bins)[0] for node in group.tolist()])
    fano = np.mean(table.var(axis=1) / table.mean(axis=1))
    correlation = np.corrcoef(table)[np.triu_indices(n, 1)].mean()
    print(f"{name}: {recorder.n_events / n / T * 1e3:.1f} spikes/s, Fano factor {fano:.2f}, correlation {correlation:.2f}")
