# SPDX-License-Identifier: Apache-2.0
"""Correlations measured by devices: of two trains, and of all pairs of three; beside what numpy finds in the recorded spikes."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.SetKernelStatus({"resolution": 0.1})
rng = np.random.default_rng(21)
T, tau, dt = 2000.0, 20.0, 2.0
mother = np.unique(rng.integers(50, 19500, 120)) / 10.0
trains = [
    np.unique(np.round(np.concatenate([mother[rng.random(len(mother)) < 0.7] + shift, rng.integers(30, 19800, 40) / 10.0]), 1))
    for shift in (0.0, 4.0, 9.0)
]
sources = nest.Create("spike_generator", 3, params=[{"spike_times": train} for train in trains])
relays = nest.Create("parrot_neuron", 3)
nest.Connect(sources, relays, "one_to_one")
detector = nest.Create("correlation_detector", params={"delta_tau": dt, "tau_max": tau, "Tstart": 0.0})
for port in (0, 1):
    nest.Connect(relays[port], detector, syn_spec={"receptor_type": port, "weight": 1.0 + port})
matrix = nest.Create(
    "correlomatrix_detector", params={"N_channels": 3, "delta_tau": 2.1, "tau_max": 21.0, "Tstart": tau, "Tstop": T - 100.0}
)
for port, relay in enumerate(relays):
    nest.Connect(relay, matrix, syn_spec={"receptor_type": port})
nest.Simulate(T)
print("counts of events", detector.n_events, matrix.n_events)
print("histogram", np.asarray(detector.count_histogram, int).tolist())
print("weighted ", np.asarray(detector.histogram).round(1).tolist())
lags = (trains[1][:, None] - trains[0][None, :]).ravel()
edges = (np.arange(2 * tau / dt + 2) - 0.5) * dt - tau
mine = np.histogram(lags, np.round(edges, 6))[0]
print(
    "numpy agrees on the peak:",
    int(np.argmax(mine)) == int(np.argmax(detector.count_histogram)),
    "total",
    int(mine.sum()),
    int(np.sum(detector.count_histogram)),
)
covariance = np.asarray(matrix.count_covariance)
print("matrix", covariance.shape, [[int(covariance[i, j].sum()) for j in range(3)] for i in range(3)])
print(
    "peaks", [[int(covariance[i, j].argmax()) for j in range(3)] for i in range(3)], "at zero lag", covariance[:, :, 0].astype(int).tolist()
)
