# SPDX-License-Identifier: Apache-2.0
"""The cortical microcircuit (Potjans & Diesmann 2014) at 2 % of its neurons and 4 % of its inputs, lost input replaced by its mean."""

import numpy as np

import nest

names = ("L23E", "L23I", "L4E", "L4I", "L5E", "L5I", "L6E", "L6I")
sizes = np.array([20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948])
external = np.array([1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100])
rates = np.array([0.86, 2.8, 4.45, 5.93, 7.59, 8.63, 1.09, 7.84])  # of the full model [spikes/s]
chance = np.array(
    [
        [0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0.0, 0.0076, 0.0],
        [0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0.0, 0.0042, 0.0],
        [0.0077, 0.0059, 0.0497, 0.135, 0.0067, 0.0003, 0.0453, 0.0],
        [0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0.0, 0.1057, 0.0],
        [0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0.0],
        [0.0548, 0.0269, 0.0257, 0.0022, 0.06, 0.3158, 0.0086, 0.0],
        [0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252],
        [0.0364, 0.001, 0.0034, 0.0005, 0.0277, 0.008, 0.0658, 0.1443],
    ]
)  # of a connection from column to row
scale_n, scale_k, weight = 0.02, 0.04, 87.81  # pA
up = 1.0 / np.sqrt(scale_k)

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(resolution=0.1, rng_seed=11)
full = np.log(1.0 - chance) / np.log(1.0 - 1.0 / np.outer(sizes, sizes)) / sizes[:, None]  # in-degrees
cells = [
    nest.Create("iaf_psc_exp", round(scale_n * size), {"tau_syn_ex": 0.5, "tau_syn_in": 0.5, "E_L": -65.0, "V_reset": -65.0, "V_th": -50.0})
    for size in sizes
]
sign = np.array([1.0, -4.0] * 4)
for i, post in enumerate(cells):
    post.V_m = nest.random.normal(-58.0, 10.0)
    strength = sign * np.where((i == 0) & (np.arange(8) == 2), 2.0, 1.0)  # L4E to L23E is twice as strong
    missing = (1.0 - np.sqrt(scale_k)) * (full[i] @ (strength * rates) + 8.0 * external[i]) * 0.5e-3 * weight
    post.I_e = float(missing)
    drive = nest.Create("poisson_generator", params={"rate": 8.0 * external[i] * scale_k})
    nest.Connect(drive, post, syn_spec={"weight": weight * up, "delay": 1.5})
    for j, pre in enumerate(cells):
        indegree = round(scale_k * full[i, j])
        if not indegree:
            continue
        mean = strength[j] * weight * up
        drawn = nest.math.redraw(nest.random.normal(mean, 0.1 * abs(mean)), min=min(0.0, 3 * mean), max=max(0.0, 3 * mean))
        typical = 1.5 if sign[j] > 0 else 0.75
        delay = nest.math.redraw(nest.random.normal(typical, 0.5 * typical), min=0.1, max=10.0)
        nest.Connect(pre, post, {"rule": "fixed_indegree", "indegree": indegree}, {"weight": drawn, "delay": delay})
recorder = nest.Create("spike_recorder", params={"start": 200.0})
for part in cells:
    nest.Connect(part, recorder)
nest.Simulate(2200.0)

senders = recorder.events["senders"]
print(f"neurons: {sum(map(len, cells))}, connections: {nest.num_connections}")
for name, part in zip(names, cells, strict=True):
    number = np.isin(senders, part.tolist()).sum()
    print(f"{name}: {number / len(part) / 2.0:.1f} spikes/s")
print(f"mean rate: {len(senders) / sum(map(len, cells)) / 2.0:.1f} spikes/s")
