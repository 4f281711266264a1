# SPDX-License-Identifier: Apache-2.0
"""Generalized integrate-and-fire neurons with escape noise: rates for parameter sets of a fit, the spread over trials, and the sharp limit."""

import numpy as np

import nest

FIT = {
    "C_m": 83.1,
    "g_L": 3.7,
    "E_L": -67.0,
    "V_reset": -36.7,
    "t_ref": 4.0,
    "Delta_V": 1.4,
    "V_T_star": -39.6,
    "tau_sfa": [57.8, 218.2],
    "q_sfa": [11.7, 1.8],
    "tau_stc": [57.8, 218.2],
    "q_stc": [56.7, -6.9],
}


def trains(model, n, change, current=160.0, T=1000.0, seed=3):
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.QUIET
    nest.SetKernelStatus({"rng_seed": seed, "resolution": 0.1})
    cells = nest.Create(model, n, params={**{k: v for k, v in FIT.items() if k in nest.GetDefaults(model)}, **change})
    step = nest.Create("dc_generator", params={"amplitude": current, "start": 100.0})
    nest.Connect(step, cells)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(T)
    senders, times = recorder.events["senders"], recorder.events["times"]
    return [times[senders == node] for node in cells.tolist()]


for model in ("gif_psc_exp", "gif_cond_exp"):
    for name, change in {
        "fit": {},
        "no adaptation of the threshold": {"q_sfa": [0.0, 0.0]},
        "no spike currents": {"q_stc": [0.0, 0.0]},
    }.items():
        found = trains(model, 60, change)
        counts = np.array([len(train) for train in found])
        early = np.mean([np.sum(train < 300.0) for train in found]) / 0.2
        late = np.mean([np.sum(train > 700.0) for train in found]) / 0.3
        print(f"{model}, {name}: {counts.mean():.1f} spikes, early {early:.1f}/s, late {late:.1f}/s")
sharp = trains("gif_psc_exp", 2, {"Delta_V": 0.001, "q_sfa": [0.0, 0.0], "q_stc": [0.0, 0.0], "lambda_0": 1000.0})
print("sharp threshold: trains alike", all(abs(a - b) < 0.25 for a, b in zip(*sharp, strict=False)), len(sharp[0]))
again = [trains("gif_psc_exp", 5, {}, seed=8) for _ in range(2)]
print("same seed, same spikes:", all(np.array_equal(a, b) for a, b in zip(*again, strict=True)))
