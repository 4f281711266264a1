# SPDX-License-Identifier: Apache-2.0
"""A sweep over parameters: a table by ResetKernel in a loop, the same points in worker processes, and a bisection for the rheobase."""

import itertools
import multiprocessing

import numpy as np

import nest


def simulate(point):
    tau, weight = point
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.QUIET
    nest.SetKernelStatus({"resolution": 0.1, "rng_seed": 1 + int(10 * tau)})
    cell = nest.Create("iaf_cond_beta", params={"tau_rise_ex": 0.5, "tau_decay_ex": tau})
    trains = nest.Create("spike_generator", 3)
    for k, train in enumerate(trains):
        train.spike_times = np.arange(5.0 + k, 295.0, 6.0 + k)
    nest.Connect(trains, cell, "all_to_all", {"weight": weight, "delay": 1.0})
    recorder, meter = nest.Create("spike_recorder"), nest.Create("multimeter", params={"record_from": ["V_m", "g_ex"], "interval": 0.5})
    nest.Connect(cell, recorder)
    nest.Connect(meter, cell)
    nest.Simulate(300.0)
    return recorder.n_events, float(np.mean(meter.get("events", "g_ex"))), float(cell.V_m)


def fires(current, model="iaf_psc_exp"):
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.QUIET
    cell, recorder = nest.Create(model, params={"I_e": current}), nest.Create("spike_recorder")
    nest.Connect(cell, recorder)
    nest.Simulate(300.0)
    return recorder.n_events > 0


def rheobase(model):
    low, high = 0.0, 1000.0
    while high - low > 0.5:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if fires(middle, model) else (middle, high)
    return high


if __name__ == "__main__":
    taus, weights = (1.0, 2.0, 4.0), (4.0, 8.0, 16.0)
    grid = list(itertools.product(taus, weights))
    here = [simulate(point) for point in grid]
    for tau, row in zip(taus, np.array(here).reshape(3, 3, 3), strict=True):
        print(
            f"tau {tau}: spikes {row[:, 0].astype(int).tolist()}, mean g",
            np.round(row[:, 1], 4).tolist(),
            "last V",
            np.round(row[:, 2], 3).tolist(),
        )
    with multiprocessing.get_context("fork").Pool(2) as pool:
        there = pool.map(simulate, grid)
    print("workers find the same:", there == here)
    for model in ("iaf_psc_exp", "iaf_psc_alpha", "iaf_cond_exp", "aeif_psc_exp", "izhikevich"):
        print(f"rheobase of {model}: {rheobase(model):.1f}")
