# SPDX-License-Identifier: Apache-2.0
"""Neurons at random places: weights and delays that depend on the distance, a potential that depends on the place."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.rng_seed = 12
layer = nest.Create("iaf_psc_exp", 200, positions=nest.spatial.free(nest.random.uniform(-1.0, 1.0), num_dimensions=2))
layer.V_m = -65.0 + 5.0 * nest.spatial.pos.x
distance = nest.spatial.distance
nest.Connect(
    layer,
    layer,
    {"rule": "pairwise_bernoulli", "p": nest.math.exp(-distance / 0.2), "allow_autapses": False},
    {"weight": 50.0 - 20.0 * distance, "delay": 0.5 + 2.0 * distance},
)

x = np.array(nest.GetPosition(layer))[:, 0]
table = nest.GetConnections().get(["weight", "delay"], output="pandas")
by_distance = (table["delay"] - 0.5) / 2.0
print(f"potential follows x: {np.allclose(layer.V_m, -65.0 + 5.0 * x)}")
print(f"weight follows distance: {np.abs(table['weight'] - 50.0 + 20.0 * by_distance).max() < 1.01}")
print(f"mean distance: {by_distance.mean():.2f}")
