# SPDX-License-Identifier: Apache-2.0
"""A spike that runs around a ring of relays: the period is the sum of the delays; RunManager runs in pieces."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
delays = [1.0, 2.5, 0.5, 3.3]
ring = nest.Create("parrot_neuron", 4)
for k, delay in enumerate(delays):
    nest.Connect(ring[k], ring[(k + 1) % 4], syn_spec={"delay": delay})
nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0]}), ring[0])
recorder = nest.Create("spike_recorder")
nest.Connect(ring, recorder)
with nest.RunManager():
    for _ in range(10):
        nest.Run(10.0)

events = recorder.events
first = np.sort(events["times"][events["senders"] == 1])
print(f"time: {nest.biological_time:.1f} ms, delays from {nest.min_delay:.1f} to {nest.max_delay:.1f} ms")
print(f"rounds: {len(first)}, period {first[1] - first[0]:.1f} ms, sum of delays {sum(delays):.1f} ms")
print(f"spikes: {recorder.n_events}")
