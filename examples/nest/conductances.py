# SPDX-License-Identifier: Apache-2.0
"""Conductance-based and Hodgkin-Huxley neurons side by side: rates under the same Poisson bombardment."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.rng_seed = 2
models = {"iaf_cond_exp": {"tau_syn_ex": 2.0}, "iaf_cond_alpha": {"tau_syn_ex": 2.0}, "aeif_cond_exp": {"tau_syn_ex": 2.0, "b": 20.0}}
excite, inhibit = nest.Create("poisson_generator", params={"rate": 6000.0}), nest.Create("poisson_generator", params={"rate": 1500.0})
found = {}
for model, parameters in models.items():
    cells, recorder, meter = (
        nest.Create(model, 50, parameters),
        nest.Create("spike_recorder"),
        nest.Create("voltmeter", params={"interval": 5.0}),
    )
    nest.Connect(excite, cells, syn_spec={"weight": 1.8})
    nest.Connect(inhibit, cells, syn_spec={"weight": -6.0})
    nest.Connect(cells, recorder)
    nest.Connect(meter, cells)
    found[model] = recorder, meter
nest.Simulate(1000.0)
for model, (recorder, meter) in found.items():
    print(f"{model}: {recorder.n_events / 50:.0f} spikes/s, mean potential {np.mean(meter.events['V_m']):.0f} mV")
