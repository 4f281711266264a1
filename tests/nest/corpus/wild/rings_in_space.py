# SPDX-License-Identifier: Apache-2.0
"""A layer on a grid with periodic edges: excitation from near, inhibition from a ring; numbers of neighbours and distances."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
side = 11
positions = nest.spatial.grid(shape=[side, side], extent=[side, side], edge_wrap=True)
exc = nest.Create("iaf_psc_alpha", positions=positions)
inh = nest.Create("iaf_psc_alpha", positions=positions)
near = {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 1.5}}, "allow_autapses": False}
ring = {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"doughnut": {"inner_radius": 2.1, "outer_radius": 3.3}}}
nest.Connect(exc, exc, near, {"weight": 10.0 * nest.spatial_distributions.exponential(nest.spatial.distance, beta=1.0), "delay": 1.0})
nest.Connect(exc, inh, near | {"allow_autapses": True}, {"weight": 8.0, "delay": 1.0 + 0.3 * nest.spatial.distance})
nest.Connect(inh, exc, ring, {"weight": -12.0})
center = nest.FindCenterElement(exc)
targets = nest.GetTargetPositions(center, exc)[0]
distances = sorted({round(float(np.hypot(*place)), 3) for place in targets})
print(f"centre at {nest.GetPosition(center)}, {len(targets)} targets at {distances}")
found = nest.GetConnections(exc, inh)
print("delays", sorted({round(delay, 1) for delay in found.delay}), "connections", len(found))
print("ring", len(nest.GetSourceNodes(center, inh)[0]), "weights", sorted({round(w, 4) for w in nest.GetConnections(exc, exc).weight}))
drive = nest.Create("dc_generator", params={"amplitude": 600.0})
nest.Connect(drive, center)
recorder = nest.Create("spike_recorder")
nest.Connect(exc, recorder)
nest.Simulate(100.0)
print("spikes", recorder.n_events)
