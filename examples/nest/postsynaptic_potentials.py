# SPDX-License-Identifier: Apache-2.0
"""Excitatory and inhibitory postsynaptic potentials of four models with the same time constants."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
models = {"iaf_psc_delta": (1.0, -0.5), "iaf_psc_exp": (100.0, -50.0), "iaf_psc_alpha": (100.0, -50.0), "iaf_cond_exp": (2.0, -4.0)}
source = nest.Create("spike_generator", 2, [{"spike_times": [10.0]}, {"spike_times": [60.0]}])
meters = {}
for model, weights in models.items():
    cell = nest.Create(model)
    for generator, weight in zip(source, weights, strict=True):
        nest.Connect(generator, cell, syn_spec={"weight": weight, "delay": 1.0})
    meters[model] = nest.Create("voltmeter", params={"interval": 0.1})
    nest.Connect(meters[model], cell)
nest.Simulate(100.0)

for model, meter in meters.items():
    times, potential = meter.events["times"], meter.events["V_m"] + 70.0
    peak = np.argmax(potential)
    print(f"{model}: EPSP {potential[peak]:.3f} mV at {times[peak]:.1f} ms, IPSP {potential.min():.3f} mV")
