# SPDX-License-Identifier: Apache-2.0
"""The network of Izhikevich (2003), driven by numpy's noise that is set anew each ms in a loop of Simulate(1.0)."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.resolution = 1.0
rng = np.random.default_rng(11)
Ne, Ni = 80, 20
re, ri = rng.random(Ne), rng.random(Ni)
exc = nest.Create("izhikevich", Ne, {"a": 0.02, "b": 0.2, "c": list(-65.0 + 15.0 * re**2), "d": list(8.0 - 6.0 * re**2)})
inh = nest.Create("izhikevich", Ni, {"a": list(0.02 + 0.08 * ri), "b": list(0.25 - 0.05 * ri), "c": -65.0, "d": 2.0})
nodes = exc + inh
nodes.set(V_m=-65.0, V_th=30.0, consistent_integration=False)
nodes.U_m = list(-65.0 * np.array(nodes.b))
for pre, sign, size in ((exc, 2.5, Ne), (inh, -5.0, Ni)):
    weights = sign * rng.random((Ne + Ni, size))
    nest.Connect(pre, nodes, "all_to_all", {"weight": weights, "delay": 1.0})
recorder = nest.Create("spike_recorder")
nest.Connect(nodes, recorder)
for _ in range(150):
    nodes.I_e = np.concatenate([5.0 * rng.standard_normal(Ne), 2.0 * rng.standard_normal(Ni)]).tolist()
    nest.Simulate(1.0)
per_bin = np.histogram(recorder.events["times"], bins=np.arange(0, 151, 30))[0]
print("spikes", per_bin.tolist(), "of", len(set(recorder.events["senders"].tolist())), "neurons")
