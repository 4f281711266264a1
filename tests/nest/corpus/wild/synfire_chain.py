# SPDX-License-Identifier: Apache-2.0
"""Groups one behind the other, each connected to the next by all_to_all, started by a volley; when does each group fire?"""

import itertools

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
width, length = 30, 8
groups = [nest.Create("iaf_psc_exp", width, {"V_m": -70.0, "tau_syn_ex": 1.0}) for _ in range(length)]
for k, group in enumerate(groups):
    group.C_m = (250.0 + 2.0 * np.arange(width) + k).tolist()
volley = nest.Create("spike_generator", width)
rng = np.random.default_rng(8)
for node, jitter in zip(volley, np.round(rng.uniform(0.0, 3.0, width), 1), strict=True):
    node.spike_times = [10.0 + jitter]
weights = {"weight": 220.0, "delay": 2.0}
nest.Connect(volley, groups[0], "all_to_all", weights)
for before, after in itertools.pairwise(groups):
    nest.Connect(before, after, syn_spec=weights)
recorder = nest.Create("spike_recorder")
for group in groups:
    nest.Connect(group, recorder)
nest.Simulate(80.0)
events = recorder.get("events")
for k, group in enumerate(groups):
    times = events["times"][np.isin(events["senders"], group.tolist())]
    print(f"group {k}: {len(times)} spikes, median {np.median(times):.2f} ms, width {times.std():.3f} ms")
