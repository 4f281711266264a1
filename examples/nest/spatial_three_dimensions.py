# SPDX-License-Identifier: Apache-2.0
"""A cube of neurons in three dimensions: spheres, boxes and ellipsoids as masks."""

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
cube = nest.Create("parrot_neuron", positions=nest.spatial.grid([9, 9, 9], extent=[0.9, 0.9, 0.9]))
middle = nest.FindCenterElement(cube)
masks = {
    "spherical": {"radius": 0.21},
    "box": {"lower_left": [-0.25, -0.15, -0.05], "upper_right": [0.25, 0.15, 0.05]},
    "ellipsoidal": {"major_axis": 0.7, "minor_axis": 0.3, "polar_axis": 0.5},
}
print(f"neurons: {len(cube)}, middle: {middle.global_id} at {[round(x, 3) + 0.0 for x in nest.GetPosition(middle)]}")
for name, parameters in masks.items():
    mask = nest.CreateMask(name, parameters)
    print(
        f"{name}: {len(nest.SelectNodesByMask(cube, [0.0, 0.0, 0.0], mask))} around the middle, {len(nest.SelectNodesByMask(cube, [0.4, 0.4, 0.4], mask))} in a corner"
    )
nest.Connect(middle, cube, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"spherical": masks["spherical"]}})
print(f"connections: {nest.num_connections}")
