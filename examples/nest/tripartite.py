# SPDX-License-Identifier: Apache-2.0
"""Connections with a third factor: each pair of neurons may take along one of a pool of third nodes."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.rng_seed = 9
pre, post, third = nest.Create("parrot_neuron", 60), nest.Create("parrot_neuron", 60), nest.Create("parrot_neuron", 30)
nest.TripartiteConnect(
    pre, post, third,
    conn_spec={"rule": "pairwise_bernoulli", "p": 0.3},
    third_factor_conn_spec={"rule": "third_factor_bernoulli_with_pool", "p": 0.5, "pool_size": 4, "pool_type": "random"},
    syn_specs={"primary": {"weight": 1.0}, "third_in": {"weight": 2.0}, "third_out": {"weight": 3.0, "delay": 2.0}},
)  # fmt: skip

primary, into, out = nest.GetConnections(pre, post), nest.GetConnections(pre, third), nest.GetConnections(third, post)
pools = [len(set(nest.GetConnections(third, node).sources())) for node in post]
print(f"primary connections: {len(primary) / 3600:.2f} of the pairs")
print(f"with third factor: {len(into) / len(primary):.2f}, as many in as out: {len(into) == len(out)}")
print(f"largest pool: {np.max(pools)}")
