# SPDX-License-Identifier: Apache-2.0
"""Neurons grow synaptic elements until their calcium is at its target; calcium and connections are followed over time (Butz & van Ooyen 2013)."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.ERROR
nest.set(resolution=0.1, rng_seed=29)
nest.structural_plasticity_update_interval = 100
nest.CopyModel("static_synapse", "grown_ex", {"weight": 60.0, "delay": 1.0})
nest.CopyModel("static_synapse", "grown_in", {"weight": -60.0, "delay": 1.0})
nest.structural_plasticity_synapses = {
    "grown_ex": {"synapse_model": "grown_ex", "post_synaptic_element": "Den_ex", "pre_synaptic_element": "Axon_ex"},
    "grown_in": {"synapse_model": "grown_in", "post_synaptic_element": "Den_in", "pre_synaptic_element": "Axon_in"},
}
curve_e = {"growth_curve": "gaussian", "growth_rate": 0.02, "continuous": False, "eta": 0.0, "eps": 0.24}
curve_i = {"growth_curve": "linear", "growth_rate": 0.01, "continuous": False, "eps": 0.3}
parameters = {"tau_m": 10.0, "I_e": 390.0, "beta_Ca": 0.01, "tau_Ca": 1000.0}
nest.SetDefaults("iaf_psc_exp", parameters)
cells_e = nest.Create("iaf_psc_exp", 24, {"synaptic_elements": {"Den_ex": curve_e, "Den_in": curve_e, "Axon_ex": curve_e}})
cells_i = nest.Create("iaf_psc_exp", 6, {"synaptic_elements": {"Den_ex": curve_i, "Den_in": curve_i, "Axon_in": curve_i}})
cells_e.V_m = np.linspace(-70.0, -56.0, len(cells_e))
nest.EnableStructuralPlasticity()


def elements(nodes, name, what="z"):
    return [entry[name][what] for entry in nodes.get("synaptic_elements")]


table = []
for _step in range(5):
    nest.Simulate(200.0)
    calcium = [np.mean(nest.GetStatus(group, "Ca")) for group in (cells_e, cells_i)]
    table.append(calcium)
    grown = sum(elements(cells_e, "Axon_ex"))
    used = sum(elements(cells_e, "Axon_ex", "z_connected"))
    pairs = nest.num_connections
    print(
        f"{nest.biological_time:6.0f} ms: Ca {calcium[0]:.2f} {calcium[1]:.2f}, axons grew: {grown > 20}, connections grew: {pairs > 0}, most are used: {used > 0.5 * grown}"
    )
ex, inh = nest.GetConnections(synapse_model="grown_ex"), nest.GetConnections(synapse_model="grown_in")
print(len(ex) == sum(elements(cells_e, "Den_ex", "z_connected")) + sum(elements(cells_i, "Den_ex", "z_connected")))
print(len(inh) == sum(elements(cells_e, "Den_in", "z_connected")) + sum(elements(cells_i, "Den_in", "z_connected")))
print("only from inhibitory:", set(inh.sources()) <= set(cells_i.tolist()), "weights", set(ex.get("weight")), set(inh.get("weight")))
cells_i.set(
    {"synaptic_elements_param": {"Den_in": {"growth_rate": 0.03, "eps": 0.35}, "Axon_in": {"growth_curve": "gaussian", "eta": 0.05}}}
)
changed = cells_i[0].synaptic_elements
print(
    {name: [one[key] for key in ("growth_curve", "growth_rate", "eps")] for name, one in sorted(changed.items())}, changed["Axon_in"]["eta"]
)
nest.DisableStructuralPlasticity()
before = nest.num_connections
nest.Simulate(200.0)
print("disabled: as many as before", nest.num_connections == before, "calcium rises:", bool(np.all(np.diff([row[0] for row in table]) > 0)))
print(sorted(cells_e[0].synaptic_elements["Den_ex"]))
