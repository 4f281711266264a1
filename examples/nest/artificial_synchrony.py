# SPDX-License-Identifier: Apache-2.0
"""Spikes forced onto a grid make neurons synchronous that are not: the same ring of neurons with and without precise spike times."""

import numpy as np

import nest


def network(model, n=40, resolution=0.5):
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.QUIET
    nest.resolution = resolution
    cells = nest.Create(model, n, {"I_e": 700.0, "tau_m": 10.0, "C_m": 250.0, "t_ref": 2.0})
    cells.V_m = -70.0 + 14.0 * np.linspace(0.0, 1.0, n) ** 1.5
    nest.Connect(cells, cells, {"rule": "all_to_all", "allow_autapses": False}, {"weight": 4.0, "delay": 2.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(100.0)
    return recorder.events["times"]


for model in ("iaf_psc_alpha", "iaf_psc_alpha_ps"):
    times = np.sort(network(model))
    together = np.mean(np.diff(times) < 1e-3)
    print(f"{model}: {len(times)} spikes, {len(np.unique(np.round(times, 3)))} different times, {100 * together:.0f} % with another one")
