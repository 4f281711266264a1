# SPDX-License-Identifier: Apache-2.0
"""Synchrony by a shared oscillation (in the manner of Brody and Hopfield): similar bias currents fire together when an alternating current is there."""

import numpy as np

import nest

N = 40


def run(amplitude, inhibitory=0.0):
    nest.ResetKernel()
    nest.set_verbosity("M_WARNING")
    nest.verbosity = nest.VerbosityLevel.QUIET
    nest.SetKernelStatus({"resolution": 0.1})
    cells = nest.Create("iaf_psc_alpha", N)
    cells.set([{"I_e": float(current), "V_m": -70.0 + 0.3 * k} for k, current in enumerate(np.linspace(350.0, 430.0, N))])
    ac = nest.Create("ac_generator", 1, {"amplitude": amplitude, "frequency": 35.0, "phase": 90.0, "offset": 5.0, "start": 50.0})
    hub = nest.Create("iaf_psc_exp", params={"tau_m": 5.0})
    nest.Connect(ac, cells)
    nest.Connect(cells, hub, syn_spec={"weight": 250.0, "delay": 2.0})
    if inhibitory:
        nest.Connect(hub, cells, syn_spec={"weight": -inhibitory, "delay": 2.0})
    recorder = nest.Create("spike_recorder")
    coincidences = nest.Create("spike_recorder")
    recorder.start = 200.0
    nest.Connect(cells, recorder)
    nest.Connect(hub, coincidences)
    monitor = nest.Create("multimeter", params={"record_from": ["I"], "interval": 10.0})
    nest.Connect(monitor, ac)
    nest.Simulate(600.0)
    events = recorder.get("events")
    counts, _ = np.histogram(events["times"], np.arange(200.0, 601.0, 2.0))
    phases = np.exp(2j * np.pi * 35.0 * events["times"] / 1000.0)
    current = monitor.get("events", "I")
    return len(events["times"]), counts.var() / counts.mean(), abs(phases.mean()), coincidences.n_events, float(current.max())


for amplitude in (0.0, 20.0, 60.0):
    for inhibitory in (0.0, 20.0):
        n, fano, locking, together, current = run(amplitude, inhibitory)
        print(
            f"{amplitude:4.0f} pA, inhibition {inhibitory:2.0f}: {n} spikes, Fano {fano:.3f}, locking {locking:.4f}, coincidences {together}, I up to {current:.4f}"
        )
