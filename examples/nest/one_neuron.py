# SPDX-License-Identifier: Apache-2.0
"""One neuron and a constant current: the time between two spikes is the one of the formula."""

import math

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(resolution=0.1)
neuron = nest.Create("iaf_psc_alpha", params={"I_e": 450.0})
recorder = nest.Create("spike_recorder")
nest.Connect(neuron, recorder)
nest.Simulate(500.0)

times = recorder.events["times"]
tau, resistance = neuron.tau_m, neuron.tau_m / neuron.C_m
drive = resistance * neuron.I_e
interval = neuron.t_ref + tau * math.log((drive + neuron.E_L - neuron.V_reset) / (drive + neuron.E_L - neuron.V_th))
print(f"spikes: {len(times)}")
print(f"interval: {times[1] - times[0]:.1f} ms, formula {interval:.3f} ms")
