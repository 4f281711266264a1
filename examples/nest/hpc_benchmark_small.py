# SPDX-License-Identifier: Apache-2.0
"""A small version of the benchmark network with plastic excitatory synapses (Morrison et al. 2007): 900 neurons."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(resolution=0.1, rng_seed=3)
n_exc, n_inh, k_exc, k_inh = 720, 180, 144, 36
weight, g, delay = 45.0, 6.0, 1.5  # pA, 1, ms
model = {
    "E_L": 0.0,
    "C_m": 250.0,
    "tau_m": 10.0,
    "t_ref": 0.5,
    "V_th": 20.0,
    "V_reset": 0.0,
    "tau_syn_ex": 0.33,
    "tau_syn_in": 0.33,
    "tau_minus": 30.0,
}

exc, inh = nest.Create("iaf_psc_alpha", n_exc, model), nest.Create("iaf_psc_alpha", n_inh, model)
cells = exc + inh
cells.V_m = nest.random.normal(5.7, 7.2)
drive = nest.Create("poisson_generator", params={"rate": 12000.0})
nest.Connect(drive, cells, syn_spec={"weight": weight, "delay": delay})
nest.CopyModel("stdp_pl_synapse_hom", "plastic", {"alpha": 0.0513, "lambda": 0.1, "mu": 0.4, "tau_plus": 15.0})
nest.Connect(exc, exc, {"rule": "fixed_indegree", "indegree": k_exc}, {"synapse_model": "plastic", "weight": weight, "delay": delay})
nest.Connect(inh, exc, {"rule": "fixed_indegree", "indegree": k_inh}, {"weight": -g * weight, "delay": delay})
nest.Connect(exc, inh, {"rule": "fixed_indegree", "indegree": k_exc}, {"weight": weight, "delay": delay})
nest.Connect(inh, inh, {"rule": "fixed_indegree", "indegree": k_inh}, {"weight": -g * weight, "delay": delay})
recorder = nest.Create("spike_recorder", params={"start": 100.0})
nest.Connect(exc, recorder)
nest.Simulate(600.0)

weights = np.array(nest.GetConnections(synapse_model="plastic").get("weight"))
print(f"connections: {nest.num_connections}")
print(f"rate: {recorder.n_events / n_exc / 0.5:.1f} spikes/s")
print(f"plastic weights: mean {weights.mean():.1f} pA, from {weights.min():.0f} to {weights.max():.0f} pA")
