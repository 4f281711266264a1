# SPDX-License-Identifier: Apache-2.0
"""Orientation tuning: a population of inhomogeneous Poisson neurons, a feed-forward cell for each preferred angle, tuning curves and a population vector."""

import numpy as np

import nest

ANGLES = np.linspace(0.0, 180.0, 6, endpoint=False)
T, PAUSE = 200.0, 100.0


def tuning(angle, preferred, peak=60.0, base=4.0, kappa=2.0):
    return base + peak * np.exp(kappa * (np.cos(2.0 * np.deg2rad(angle - preferred)) - 1.0))


nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(rng_seed=91, resolution=0.1)
preferred = np.linspace(0.0, 180.0, 24, endpoint=False)
onsets = np.arange(len(ANGLES)) * (T + PAUSE) + PAUSE
times = np.ravel(np.column_stack([onsets, onsets + T]))
inputs = nest.Create("inhomogeneous_poisson_generator", len(preferred))
for generator, angle in zip(inputs, preferred, strict=True):
    rates = np.ravel(np.column_stack([tuning(ANGLES, angle), np.full(len(ANGLES), 4.0)]))
    generator.set({"rate_times": times, "rate_values": rates * 12.0, "allow_offgrid_times": False})
thalamus = nest.Create("parrot_neuron", len(preferred))
cortex = nest.Create("iaf_cond_exp", len(ANGLES), params={"tau_syn_ex": 3.0})
nest.Connect(inputs, thalamus, "one_to_one")
for cell, angle in zip(cortex, ANGLES, strict=True):
    distance = np.abs((preferred - angle + 90.0) % 180.0 - 90.0)
    weights = 4.0 * np.exp(-0.5 * (distance / 15.0) ** 2)
    nest.Connect(thalamus, cell, "all_to_all", {"weight": weights[None, :], "delay": 1.0})
recorders = nest.Create("spike_recorder", 2)
nest.Connect(thalamus, recorders[0])
nest.Connect(cortex, recorders[1])
nest.Simulate(float(times[-1] + PAUSE))
table = np.zeros((len(ANGLES), len(ANGLES)))
events = recorders[1].get("events")
for j, onset in enumerate(onsets):
    window = (events["times"] > onset) & (events["times"] <= onset + T)
    table[:, j] = [np.sum(events["senders"][window] == node) / T * 1e3 for node in cortex.tolist()]
print("best angle of each cell:", ANGLES[table.argmax(axis=1)].tolist())
print(f"mean at the preferred angle {np.diag(table).mean():.0f} spikes/s")
spikes = recorders[0].events
errors = []
for onset, angle in zip(onsets, ANGLES, strict=True):
    window = (spikes["times"] > onset + 2.0) & (spikes["times"] <= onset + T)
    counts = np.array([np.sum(spikes["senders"][window] == node) for node in thalamus.tolist()])
    vector = np.sum(counts * np.exp(2j * np.deg2rad(preferred)))
    decoded = np.rad2deg(np.angle(vector)) / 2.0
    errors.append(abs((decoded - angle + 90.0) % 180.0 - 90.0))
print(f"{recorders[0].n_events / len(preferred) / times[-1] * 1e3:.0f} spikes/s of inputs, decoded within 5 degrees: {max(errors) < 5.0}")
