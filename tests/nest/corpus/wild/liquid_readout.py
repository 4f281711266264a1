# SPDX-License-Identifier: Apache-2.0
"""A reservoir with connections from numpy's random numbers, its filtered spikes, and a linear readout by least squares."""

import numpy as np

import nest

rng = np.random.default_rng(99)
n, n_in, T, dt = 60, 6, 600.0, 10.0
nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
liquid = nest.Create("iaf_psc_exp", n, [{"I_e": float(value)} for value in rng.uniform(330.0, 370.0, n)])
signs = np.where(rng.random(n) < 0.8, 1.0, -1.0)
pre, post = np.nonzero(rng.random((n, n)) < 0.1)
keep = pre != post
pre, post = pre[keep], post[keep]
ids = np.array(liquid.tolist())
weights = signs[pre] * rng.gamma(2.0, 20.0, len(pre))
nest.Connect(ids[pre], ids[post], "one_to_one", {"weight": weights, "delay": np.round(rng.uniform(1.0, 5.0, len(pre)), 1)})
spikes = [np.unique(np.round(np.sort(rng.uniform(1.0, T - 1.0, 40)), 1)) for _ in range(n_in)]
inputs = nest.Create("spike_generator", n_in, [{"spike_times": times} for times in spikes])
nest.Connect(inputs, liquid, {"rule": "all_to_all"}, {"weight": rng.normal(0.0, 60.0, (n, n_in))})
recorder = nest.Create("spike_recorder")
nest.Connect(liquid, recorder)
nest.Simulate(T)
samples = np.arange(dt, T + dt / 2, dt)
states = np.zeros((len(samples), n + 1))
states[:, -1] = 1.0
for time, sender in zip(recorder.events["times"], recorder.events["senders"], strict=True):
    later = samples > time
    states[later, sender - ids[0]] += np.exp(-(samples[later] - time) / 30.0)
wanted = np.array([sum((times > t - 40.0).sum() - (times > t).sum() for times in spikes[:3]) for t in samples])
train = np.arange(len(samples)) % 2 == 0
readout, *_ = np.linalg.lstsq(states[train], wanted[train], rcond=1e-2)
print(
    f"{recorder.n_events} spikes, {nest.num_connections} connections, error of training {np.abs(states[train] @ readout - wanted[train]).mean():.3f}"
)
