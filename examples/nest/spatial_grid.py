# SPDX-License-Identifier: Apache-2.0
"""A grid of neurons around which a circular mask is laid: how many partners they have, at the edges and around them."""

import numpy as np

import nest

for wrap in (False, True):
    nest.ResetKernel()
    layer = nest.Create("iaf_psc_alpha", positions=nest.spatial.grid(shape=[11, 11], extent=[1.1, 1.1], edge_wrap=wrap))
    nest.Connect(layer, layer, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 0.25}}, "allow_autapses": False})
    center, corner = nest.FindCenterElement(layer), layer[0]
    print(f"wrapped: {wrap}, connections: {nest.num_connections}")
    print(
        f"  targets of the center: {len(nest.GetTargetNodes(center, layer)[0])}, of the corner: {len(nest.GetTargetNodes(corner, layer)[0])}"
    )
    print(f"  farthest: {np.max(nest.GetConnections().distance):.3f}")
