# SPDX-License-Identifier: Apache-2.0
"""Layers, sizes and connection probabilities in dicts, projections in a double loop with fixed_total_number, as in layered cortical models."""

import numpy as np

import nest

net = {
    "populations": ["L4E", "L4I", "L5E", "L5I"],
    "sizes": np.array([220, 55, 50, 12]),
    "probability": np.array([[0.05, 0.14, 0.01, 0.0], [0.08, 0.16, 0.0, 0.0], [0.05, 0.06, 0.08, 0.37], [0.06, 0.0, 0.06, 0.32]]),
    "neuron": {
        "tau_m": 10.0,
        "tau_syn_ex": 0.5,
        "tau_syn_in": 0.5,
        "C_m": 250.0,
        "V_th": -50.0,
        "E_L": -65.0,
        "V_reset": -65.0,
        "t_ref": 2.0,
    },
    "weight": 350.0,
    "g": -4.0,
    "background": np.array([2100, 1900, 2000, 1900]) * 4.0,
}
nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(rng_seed=55, resolution=0.1)
pops = []
for _name, size in zip(net["populations"], net["sizes"], strict=True):
    population = nest.Create("iaf_psc_exp", int(size))
    population.set(net["neuron"])
    population.V_m = nest.random.normal(-58.0, 5.0)
    pops.append(population)
synapses = np.log(1.0 - net["probability"]) / np.log(1.0 - 1.0 / np.outer(net["sizes"], net["sizes"]))
for i, target in enumerate(pops):
    for j, source in enumerate(pops):
        number = round(synapses[i][j])
        if number == 0:
            continue
        weight = net["weight"] * (1.0 if net["populations"][j].endswith("E") else net["g"])
        limits = {"min": 0.0, "max": np.inf} if weight > 0 else {"min": -np.inf, "max": 0.0}
        spec = {
            "synapse_model": "static_synapse",
            "weight": nest.math.redraw(nest.random.normal(mean=weight, std=abs(0.1 * weight)), **limits),
            "delay": nest.math.redraw(nest.random.normal(mean=1.5, std=0.75), min=0.1 - 0.5 * 0.1, max=np.inf),
        }
        nest.Connect(source, target, conn_spec={"rule": "fixed_total_number", "N": number}, syn_spec=spec)
noise = [nest.Create("poisson_generator", params={"rate": float(rate)}) for rate in net["background"]]
for generator, target in zip(noise, pops, strict=True):
    nest.Connect(generator, target, "all_to_all", {"weight": 0.25 * net["weight"], "delay": 1.5})
recorder = [
    nest.Create("spike_recorder", params={"record_to": "memory", "label": f"spikes_{name}", "start": 100.0}) for name in net["populations"]
]
for target, device in zip(pops, recorder, strict=True):
    nest.Connect(target, device)
nest.Prepare()
nest.Run(100.0)
nest.Run(500.0)
nest.Cleanup()
print(nest.num_connections, [len(nest.GetConnections(a, b)) for a in pops[:2] for b in pops[:2]])
print("rates", " ".join(f"{d.n_events / 0.5 / len(p):.1f}" for d, p in zip(recorder, pops, strict=True)))
