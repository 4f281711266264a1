# SPDX-License-Identifier: Apache-2.0
"""Currents from devices: constant, step, sine; windows; and a neuron that sums them up."""

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
devices = {
    "constant": nest.Create("dc_generator", params={"amplitude": 200.0, "start": 20.0, "stop": 80.0}),
    "steps": nest.Create(
        "step_current_generator", params={"amplitude_times": [10.0, 50.0, 70.0], "amplitude_values": [100.0, -100.0, 300.0]}
    ),
    "sine": nest.Create("ac_generator", params={"amplitude": 150.0, "frequency": 50.0, "offset": 50.0}),
}
cells = nest.Create("iaf_psc_alpha", 4)
for device, cell in zip(devices.values(), cells[:3], strict=True):
    nest.Connect(device, cell, syn_spec={"delay": 1.0})
    nest.Connect(device, cells[3], syn_spec={"weight": 0.5, "delay": 1.0})
meter = nest.Create("voltmeter", params={"interval": 0.5})
nest.Connect(meter, cells)
nest.Simulate(100.0)

events = meter.events
for name, node in zip([*devices, "half of each"], cells.tolist(), strict=True):
    trace = events["V_m"][events["senders"] == node]
    print(f"{name}: from {trace.min():.4f} to {trace.max():.4f} mV, mean {trace.mean():.4f} mV")
