# SPDX-License-Identifier: Apache-2.0
"""Steps of current into Hodgkin-Huxley neurons, one neuron per amplitude, spikes counted and the first one timed."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.resolution = 0.1
amplitudes = np.linspace(200.0, 1600.0, 8)
cells = nest.Create("hh_psc_alpha", len(amplitudes))
for cell, amplitude in zip(cells, amplitudes, strict=True):
    step = nest.Create("step_current_generator", params={"amplitude_times": [50.0, 250.0], "amplitude_values": [float(amplitude), 0.0]})
    nest.Connect(step, cell)
recorder = nest.Create("spike_recorder")
nest.Connect(cells, recorder)
nest.Simulate(350.0)
senders, times = recorder.events["senders"], recorder.events["times"]
for cell, amplitude in zip(cells.tolist(), amplitudes, strict=True):
    mine = times[senders == cell]
    first = f"{mine[0]:.0f} ms" if len(mine) else "never"
    print(f"{amplitude:6.0f} pA: {len(mine)} spikes, first {first}")
