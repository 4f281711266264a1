# SPDX-License-Identifier: Apache-2.0
"""Connections whose probability falls with distance as a Gaussian: the distances that are found are those of the formula."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.rng_seed = 5
std, radius = 0.15, 0.5
layer = nest.Create("parrot_neuron", positions=nest.spatial.grid([30, 30], extent=[2.0, 2.0], edge_wrap=True))
kernel = 0.6 * nest.spatial_distributions.gaussian(nest.spatial.distance, std=std)
nest.Connect(
    layer,
    layer,
    {"rule": "pairwise_bernoulli", "p": kernel, "mask": {"circular": {"radius": radius}}},
    {"weight": 1.0, "delay": 1.0 + nest.spatial.distance},
)

distances = np.array(nest.Distance(layer[0], layer))
near = distances[distances <= radius]
expected = 0.6 * np.exp(-0.5 * (near / std) ** 2)
found = np.array(nest.GetConnections().distance)
print(f"out-degree: {nest.num_connections / 900:.1f}, expected {expected.sum():.1f}")
print(f"mean distance: {found.mean():.3f}, expected {(expected * near).sum() / expected.sum():.3f}")
