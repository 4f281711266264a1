# SPDX-License-Identifier: Apache-2.0
"""In the style of NEST 2 to 3.0: GetStatus and SetStatus, one neuron, a loop over currents."""

import nest

nest.set_verbosity("M_ERROR")
nest.ResetKernel()
nest.SetKernelStatus({"resolution": 0.1, "print_time": False, "overwrite_files": True})
neuron = nest.Create("iaf_psc_alpha")
detector = nest.Create("spike_recorder")
nest.Connect(neuron, detector)
rates = {}
for amplitude in range(0, 1001, 125):
    nest.SetStatus(neuron, {"I_e": float(amplitude)})
    nest.SetStatus(detector, [{"n_events": 0}])
    nest.Simulate(500.0)
    rates[amplitude] = nest.GetStatus(detector, keys="n_events")[0] / 0.5
for amplitude, rate in rates.items():
    print(f"{amplitude:5d} pA {rate:6.1f} Hz")
events = nest.GetStatus(detector)[0]["events"]
print(sorted(events), len(events["times"]), nest.GetStatus(neuron, ["model", "global_id", "t_ref"])[0])
