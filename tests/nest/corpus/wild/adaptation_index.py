# SPDX-License-Identifier: Apache-2.0
"""Firing patterns of the adaptive exponential neuron: parameters in dicts, intervals between spikes, the voltage sampled now and then."""

import numpy as np

import nest

patterns = {
    "tonic": {"a": 0.0, "b": 0.0, "tau_w": 30.0, "V_reset": -58.0, "I_e": 800.0},
    "adapting": {"a": 0.0, "b": 60.0, "tau_w": 100.0, "V_reset": -58.0, "I_e": 700.0},
    "bursting": {"a": 4.0, "b": 80.5, "tau_w": 144.0, "V_reset": -47.0, "I_e": 800.0},
}
nest.verbosity = nest.VerbosityLevel.QUIET
for name, parameters in patterns.items():
    nest.ResetKernel()
    nest.SetDefaults("aeif_cond_exp", {"V_peak": 0.0, "Delta_T": 2.0, "t_ref": 0.0})
    cell = nest.Create("aeif_cond_exp", params=parameters)
    meter, recorder = nest.Create("multimeter", params={"record_from": ["V_m", "w"], "interval": 10.0}), nest.Create("spike_recorder")
    nest.Connect(meter, cell)
    nest.Connect(cell, recorder)
    nest.Simulate(300.0)
    intervals = np.diff(recorder.get("events")["times"])
    print(f"{name}: {len(intervals) + 1} spikes, first interval {intervals[0]:.1f} ms, last {intervals[-1]:.1f} ms")
    print(f"  w from {meter.events['w'].min():.0f} to {meter.events['w'].max():.0f} pA, {len(meter.events['V_m'])} samples")
