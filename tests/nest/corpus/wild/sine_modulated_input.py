# SPDX-License-Identifier: Apache-2.0
"""Inhomogeneous Poisson input whose rate is computed with numpy; the response of a population follows its phase."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(rng_seed=77, resolution=0.1)
times = np.arange(1.0, 1000.0, 1.0)
rates = 9000.0 * (1.0 + 0.5 * np.sin(2.0 * np.pi * 5.0 * times / 1000.0))
source = nest.Create("inhomogeneous_poisson_generator", params={"rate_times": times, "rate_values": rates})
cells = nest.Create("iaf_psc_exp", 200)
recorder = nest.Create("spike_recorder")
nest.Connect(source, cells, syn_spec={"weight": 40.0, "delay": 0.5})
nest.Connect(cells, recorder)
nest.Simulate(1000.0)
phase = (recorder.events["times"] % 200.0) / 200.0
vector = np.exp(2j * np.pi * phase).mean()
print(f"rate {recorder.n_events / len(cells):.0f} spikes/s, locking {abs(vector):.2f}, phase {np.angle(vector):.1f}")
