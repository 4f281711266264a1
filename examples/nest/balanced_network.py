# SPDX-License-Identifier: Apache-2.0
"""The sparse random network of excitatory and inhibitory neurons (Brunel 2000), 1250 neurons, asynchronous irregular regime."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(resolution=0.1, rng_seed=7)
n_exc, n_inh, k_exc, k_inh = 1000, 250, 100, 25
weight, g, eta, delay = 0.4, 6.0, 1.2, 1.5  # mV, 1, 1, ms
threshold, tau = 20.0, 20.0  # mV, ms

nest.SetDefaults("iaf_psc_delta", {"C_m": 1.0, "tau_m": tau, "t_ref": 2.0, "E_L": 0.0, "V_reset": 10.0, "V_m": 0.0, "V_th": threshold})
exc, inh = nest.Create("iaf_psc_delta", n_exc), nest.Create("iaf_psc_delta", n_inh)
cells = exc + inh
cells.V_m = nest.random.uniform(0.0, 19.0)
drive = nest.Create("poisson_generator", params={"rate": 1000.0 * eta * threshold / (weight * tau)})
nest.Connect(drive, cells, syn_spec={"weight": weight, "delay": delay})
nest.Connect(exc, cells, {"rule": "fixed_indegree", "indegree": k_exc}, {"weight": weight, "delay": delay})
nest.Connect(inh, cells, {"rule": "fixed_indegree", "indegree": k_inh}, {"weight": -g * weight, "delay": delay})
recorder = nest.Create("spike_recorder", params={"start": 200.0})
nest.Connect(cells, recorder)
nest.Simulate(1200.0)

events = recorder.events
intervals = [np.diff(np.sort(events["times"][events["senders"] == node])) for node in range(1, 201)]
variation = [i.std() / i.mean() for i in intervals if len(i) > 5]
print(f"connections: {nest.num_connections}")
print(f"rate: {recorder.n_events / len(cells):.1f} spikes/s")
print(f"irregularity: {np.mean(variation):.2f}")
