# SPDX-License-Identifier: Apache-2.0
"""Neurons with voltage-based plasticity that are driven by a bump of activity: strong connections in both directions form (Clopath et al. 2010).

Ten excitatory neurons and three inhibitory ones; 500 Poisson generators are the input, of which a few neighbours fire fast, others from pattern to
pattern.
"""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET
nest.ResetKernel()
nest.set(resolution=0.1, rng_seed=3)
n_inputs, n_ex, n_in, patterns, duration = 500, 10, 3, 40, 100.0
rng = np.random.default_rng(1)

common = {"t_ref": 1.0, "A_LTD": 14.0e-5, "A_LTP": 8.0e-5, "A_LTD_const": False, "u_ref_squared": 60.0}
excitatory = nest.Create("aeif_psc_delta_clopath", n_ex, {**common, "t_clamp": 2.0, "V_m": -60.0})
inhibitory = nest.Create("aeif_psc_delta_clopath", n_in, {**common, "t_clamp": 2.0, "V_m": -60.0})
generators = nest.Create("poisson_generator", n_inputs)
inputs = nest.Create("parrot_neuron", n_inputs)
nest.Connect(generators, inputs, "one_to_one")

plastic = {"synapse_model": "clopath_synapse", "tau_x": 15.0}
feedforward = plastic | {"weight": nest.random.uniform(0.5, 2.0), "Wmax": 3.0, "delay": 0.1}
recurrent = plastic | {"weight": 0.25, "Wmax": 0.75, "delay": 1.0}
nest.Connect(inputs, excitatory, "all_to_all", feedforward)
nest.Connect(inputs, inhibitory, {"rule": "fixed_indegree", "indegree": 50}, {"weight": 0.6, "delay": 0.1})
nest.Connect(excitatory, excitatory, {"rule": "all_to_all", "allow_autapses": False}, recurrent)
nest.Connect(excitatory, inhibitory, {"rule": "fixed_indegree", "indegree": 8}, {"weight": 1.0, "delay": 1.0})
nest.Connect(inhibitory, excitatory, {"rule": "fixed_outdegree", "outdegree": 6}, {"weight": -1.0, "delay": 1.0})
spikes = nest.Create("spike_recorder")
nest.Connect(excitatory, spikes)

for _ in range(patterns):
    distance = np.abs((np.arange(n_inputs) - rng.integers(n_inputs) + n_inputs // 2) % n_inputs - n_inputs // 2)
    generators.rate = (80.0 * np.exp(-0.5 * (distance / 10.0) ** 2)).tolist()
    nest.Simulate(duration)

found = nest.GetConnections(excitatory, excitatory)
weights = np.zeros((n_ex, n_ex))
weights[np.array(found.target) - min(excitatory.tolist()), np.array(found.source) - min(excitatory.tolist())] = found.weight
changed = np.abs(weights[~np.eye(n_ex, dtype=bool)] - 0.25) > 1e-6
print(f"connections among excitatory neurons: {len(found)}, {'all' if changed.all() else 'some' if changed.any() else 'none'} changed")
print(f"within bounds: {weights.min() >= 0.0 and weights.max() <= 0.75}")
print(f"spikes per second and neuron: {len(spikes.events['times']) / (n_ex * patterns * duration) * 1000.0:.1f}")
