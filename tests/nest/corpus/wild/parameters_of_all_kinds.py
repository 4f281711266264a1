# SPDX-License-Identifier: Apache-2.0
"""Parameter objects from nest.spatial, nest.math and nest.logic: what they give for known places, and weights and delays made of them."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
places = [[0.5 * i - 1.0, 0.25 * j] for i in range(5) for j in range(3)]
layer = nest.Create("iaf_psc_alpha", positions=nest.spatial.free(places, extent=[4.0, 3.0]))
x, y = nest.spatial.pos.x, nest.spatial.pos.y
shapes = {
    "sum": -65.0 + 2.0 * x - y / 2.0,
    "power": -70.0 + x**2 + 3.0 * y**2,
    "exp": -70.0 + 5.0 * nest.math.exp(-(x**2)),
    "sin": -70.0 + nest.math.sin(3.0 * x) + nest.math.cos(y),
    "clipped": nest.math.max(nest.math.min(-68.0 + 4.0 * x, -66.0), -70.0),
    "step": nest.logic.conditional(x > 0.0, -55.5, nest.logic.conditional(y >= 0.25, -60.0, -65.0)),
    "flat": nest.CreateParameter("constant", {"value": -61.0}),
    "negative": -(60.0 + x * y),
}
for name, parameter in shapes.items():
    layer.V_m = parameter
    print(name, np.round(layer.V_m[:8], 4).tolist(), nest.GetStatus(layer[-1], "V_m"))
print("apply", np.round(shapes["power"].apply(layer)[:3], 4), np.round(shapes["exp"].apply(layer[7]), 4))
distance = nest.spatial.distance
kernels = {
    "linear": nest.math.max(1.0 - distance / 2.0, 0.0),
    "gaussian": nest.spatial_distributions.gaussian(distance, mean=0.0, std=0.7),
    "exponential": nest.spatial_distributions.exponential(distance, beta=0.6),
    "gaussian2D": nest.spatial_distributions.gaussian2D(distance.x, distance.y, std_x=0.5, std_y=1.0, rho=0.2),
    "gamma": nest.spatial_distributions.gamma(distance, kappa=2.0, theta=0.4),
    "dx": nest.math.exp(-nest.spatial.distance.x),
}
for name, kernel in kernels.items():
    print(name, np.round(kernel.apply(layer[0], [[0.0, 0.0], [1.0, 0.5], [-1.0, 0.25]]), 5).tolist())
layer.V_m = -65.0
nest.Connect(
    layer[7],
    layer,
    {"rule": "pairwise_bernoulli", "p": 1.0},
    {"weight": 10.0 * kernels["exponential"], "delay": 0.5 + nest.spatial.distance},
)
found = nest.GetConnections(layer[7], layer)
print(sorted(np.round(found.get("weight"), 4))[::3], sorted(np.round(found.get("delay"), 1))[::3], found.get("target")[:3])
where = {
    "source x": nest.spatial.source_pos.x,
    "target y": nest.spatial.target_pos.y,
    "both": nest.spatial.source_pos.x + nest.spatial.target_pos.x,
}
for k, (name, weight) in enumerate(where.items()):
    one = nest.Create("iaf_psc_alpha", positions=nest.spatial.free([[0.25 * k - 0.5, 0.1]], extent=[4.0, 3.0]))
    nest.Connect(one, layer, {"rule": "pairwise_bernoulli", "p": 1.0}, {"weight": weight, "delay": 1.0})
    print(name, sorted(np.round(nest.GetConnections(one, layer).get("weight"), 3))[::2])
print(nest.random.normal().is_spatial(), x.is_spatial(), (x + 1.0).is_spatial(), distance.is_spatial())
