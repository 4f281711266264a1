# SPDX-License-Identifier: Apache-2.0
"""Frozen noise into point neurons by step_current_generator: how well do spikes of a reference coincide with those of others?"""

import numpy as np

import nest

rng = np.random.default_rng(3)
T, dt = 500.0, 1.0
current = 350.0 + np.convolve(rng.normal(0.0, 400.0, int(T / dt)), np.exp(-np.arange(20) / 5.0) / 3.0, mode="same")
times = np.arange(dt, T, dt)


def spikes(model, **parameters):
    nest.ResetKernel()
    neuron, recorder = nest.Create(model, params=parameters), nest.Create("spike_recorder")
    generator = nest.Create("step_current_generator", params={"amplitude_times": times, "amplitude_values": current[: len(times)]})
    nest.Connect(generator, neuron, syn_spec={"delay": 0.1})
    nest.Connect(neuron, recorder)
    nest.Simulate(T)
    return recorder.events["times"]


def coincidence(a, b, window=4.0):
    hits = sum(np.any(np.abs(b - t) <= window) for t in a)
    expected = 2.0 * window * len(a) / T * len(b)
    return (hits - expected) / (0.5 * (len(a) + len(b))) / (1.0 - 2.0 * window * len(a) / T)


nest.verbosity = nest.VerbosityLevel.QUIET
reference = spikes("iaf_psc_exp", tau_m=10.0, V_th=-55.0)
print(f"reference: {len(reference)} spikes")
for tau in (8.0, 10.0, 14.0, 20.0):
    found = spikes("iaf_psc_exp", tau_m=tau)
    print(f"tau_m = {tau:4.1f} ms: {len(found)} spikes, coincidence {coincidence(reference, found):.3f}")
mat = spikes("mat2_psc_exp", tau_m=5.0, C_m=100.0, omega=-60.0)
print(f"adapting threshold: {len(mat)} spikes, coincidence {coincidence(reference, mat):.3f}")
