# SPDX-License-Identifier: Apache-2.0
"""Packets of spikes of different widths onto a neuron that never fires: the narrower the packet, the higher and earlier the response."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.rng_seed = 3
n_trials, weight = 60, 2.0
for width in (0.5, 4.0, 12.0):
    nest.ResetKernel()
    nest.rng_seed = 5
    cells = nest.Create(
        "iaf_psc_alpha", n_trials, {"V_th": np.inf, "tau_m": 20.0, "tau_syn_ex": 1.0, "E_L": 0.0, "V_m": 0.0, "V_reset": 0.0}
    )
    packets = nest.Create("pulsepacket_generator", n_trials, {"pulse_times": [50.0], "activity": 200, "sdev": width})
    meter = nest.Create("voltmeter", params={"interval": 0.1})
    nest.Connect(packets, cells, "one_to_one", {"weight": weight, "delay": 1.0})
    nest.Connect(meter, cells)
    nest.Simulate(120.0)
    events = meter.events
    trace = np.array([events["V_m"][events["senders"] == node] for node in cells.tolist()])
    mean = trace.mean(axis=0)
    print(f"width {width:4.1f} ms: highest {mean.max():.2f} mV at {0.1 * (mean.argmax() + 1):.1f} ms")
