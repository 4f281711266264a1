# SPDX-License-Identifier: Apache-2.0
"""Stochastic neurons by the hundred: point-process neurons against renewal theory, and a mesoscopic population that stands for as many."""

import numpy as np

import nest

N, T, H = 200, 1500.0, 0.1


def rate_of(recorder, n, begin, end):
    times = recorder.events["times"]
    return np.sum((times > begin) & (times <= end)) / n / (end - begin) * 1e3


nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(rng_seed=71, resolution=H)
one_by_one = nest.Create(
    "pp_psc_delta", N, {"tau_m": 10.0, "C_m": 250.0, "c_1": 0.0, "c_2": 6.0, "c_3": 0.25, "dead_time": 3.0, "with_reset": False}
)
spikes = nest.Create("spike_recorder")
step = nest.Create("step_current_generator", params={"amplitude_times": [0.1, 700.0], "amplitude_values": [60.0, 180.0]})
nest.Connect(step, one_by_one)
nest.Connect(one_by_one, spikes)
nest.Simulate(T)
expected = [6.0 * np.exp(0.25 * current * 10.0 / 250.0) for current in (60.0, 180.0)]
expected = [1000.0 / (1000.0 / rate + 3.0) for rate in expected]
print(
    f"one by one: {rate_of(spikes, N, 100.0, 700.0):.1f} and {rate_of(spikes, N, 800.0, T):.1f} spikes/s, renewal theory {expected[0]:.1f} and {expected[1]:.1f}"
)

nest.ResetKernel()
nest.set(rng_seed=72, resolution=0.5)
meso = nest.Create(
    "gif_pop_psc_exp",
    params={
        "N": 500,
        "V_reset": 0.0,
        "V_T_star": 10.0,
        "E_L": 0.0,
        "Delta_V": 2.0,
        "C_m": 250.0,
        "tau_m": 20.0,
        "t_ref": 4.0,
        "I_e": 200.0,
        "lambda_0": 10.0,
        "tau_syn_ex": 3.0,
        "tau_syn_in": 6.0,
        "tau_sfa": [300.0],
        "q_sfa": [2.0],
    },
)
nest.Connect(meso, meso, syn_spec={"weight": -10.0, "delay": 1.0})
meter = nest.Create("multimeter", params={"record_from": ["n_events", "mean"], "interval": 0.5})
nest.Connect(meter, meso)
nest.Simulate(2000.0)
found = meter.get("events")
late = found["times"] > 500.0
print(
    f"mesoscopic: {found['n_events'][late].mean() / 500 / 0.5 * 1e3:.1f} spikes/s, expected {found['mean'][late].mean() / 500 / 0.5 * 1e3:.1f}"
)
