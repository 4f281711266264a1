# SPDX-License-Identifier: Apache-2.0
"""Two excitatory pools and one inhibitory compete; the pool with more input wins. Populations joined, sliced and wired in loops."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.rng_seed = 19
pools = [nest.Create("iaf_psc_exp", 60, {"tau_syn_ex": 20.0, "tau_syn_in": 8.0}) for _ in range(2)]
inhibitory = nest.Create("iaf_psc_exp", 40, {"tau_syn_ex": 5.0})
background = nest.Create("poisson_generator", params={"rate": 7600.0})
evidence = nest.Create("poisson_generator", 2, {"start": 200.0, "stop": 800.0})
evidence.rate = [5000.0, 500.0]
for pool, generator in zip(pools, evidence, strict=True):
    nest.Connect(background, pool, syn_spec={"weight": 2.2})
    nest.Connect(generator, pool, syn_spec={"weight": 2.2})
    nest.Connect(pool, pool, {"rule": "pairwise_bernoulli", "p": 0.5, "allow_autapses": False}, {"weight": 0.6, "delay": 1.0})
    nest.Connect(pool, inhibitory, "all_to_all", {"weight": 6.0})
    nest.Connect(inhibitory, pool, syn_spec={"weight": -12.0})
recorders = nest.Create("spike_recorder", len(pools), {"start": 500.0, "stop": 800.0})
for pool, recorder in zip(pools, recorders, strict=True):
    nest.Connect(pool, recorder)
nest.Simulate(900.0)
rates = np.array(recorders.n_events) / 60 / 0.3
print("pool with more input wins:", bool(rates[0] > 3.0 * rates[1]))
print("winner fires:", bool(rates[0] > 10.0))
