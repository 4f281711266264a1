# SPDX-License-Identifier: Apache-2.0
"""A scan over a synaptic weight and a rate: the kernel is reset for each point, the table is printed at the end."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET


def response(weight, interval):
    """Spikes of a neuron that gets one input spike each `interval` ms."""
    nest.ResetKernel()
    source = nest.Create("spike_generator", params={"spike_times": np.arange(interval, 500.0, interval).round(1)})
    cell, recorder = nest.Create("iaf_psc_exp"), nest.Create("spike_recorder")
    nest.Connect(source, cell, syn_spec={"weight": weight, "delay": 1.0})
    nest.Connect(cell, recorder)
    nest.Simulate(500.0)
    return recorder.n_events


intervals = (1.0, 2.0, 4.0, 8.0)
print("weight  " + "  ".join(f"{interval:4.0f} ms" for interval in intervals))
for weight in (200.0, 400.0, 800.0, 1600.0):
    print(f"{weight:6.0f}  " + "  ".join(f"{response(weight, interval):7d}" for interval in intervals))
