# SPDX-License-Identifier: Apache-2.0
"""A multimeter on an adaptive exponential neuron: potential and adaptation, sampled each 0.1 ms, only in a window."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
cell = nest.Create("aeif_cond_exp", params={"I_e": 700.0, "a": 4.0, "b": 80.5})
names = ["V_m", "w"]
print("can be recorded: " + " ".join(sorted(map(str, cell.recordables))))
meter = nest.Create("multimeter", params={"record_from": names, "interval": 0.1, "start": 100.0, "stop": 300.0})
recorder = nest.Create("spike_recorder")
nest.Connect(meter, cell)
nest.Connect(cell, recorder)
nest.Simulate(400.0)

events = meter.events
print(f"samples: {len(events['times'])}, from {events['times'].min():.1f} to {events['times'].max():.1f} ms")
print(f"spikes: {recorder.n_events}, intervals grow: {bool(np.diff(recorder.events['times'])[-1] > np.diff(recorder.events['times'])[0])}")
print(f"mean potential: {events['V_m'].mean():.1f} mV, adaptation: {events['w'].max():.0f} pA")
