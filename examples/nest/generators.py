# SPDX-License-Identifier: Apache-2.0
"""Six generators of spikes, each through a relay: rates and variability."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.rng_seed = 17
devices = {
    "poisson_generator": {"rate": 100.0},
    "inhomogeneous_poisson_generator": {"rate_times": [1000.0, 2000.0], "rate_values": [50.0, 150.0]},
    "sinusoidal_poisson_generator": {"rate": 100.0, "amplitude": 80.0, "frequency": 5.0},
    "gamma_sup_generator": {"rate": 100.0, "gamma_shape": 4},
    "ppd_sup_generator": {"rate": 100.0, "dead_time": 5.0},
    "spike_generator": {"spike_times": np.arange(10.0, 3000.0, 10.0)},
}
found = {}
for name, parameters in devices.items():
    generator, relays, recorder = nest.Create(name, params=parameters), nest.Create("parrot_neuron", 20), nest.Create("spike_recorder")
    nest.Connect(generator, relays)
    nest.Connect(relays, recorder)
    found[name] = recorder, relays
nest.Simulate(3000.0)
for name, (recorder, relays) in found.items():
    events = recorder.events
    intervals = np.concatenate([np.diff(np.sort(events["times"][events["senders"] == node])) for node in relays.tolist()])
    print(f"{name}: {recorder.n_events / 20 / 3.0:.0f} spikes/s, variation {intervals.std() / intervals.mean():.1f}")
