# SPDX-License-Identifier: Apache-2.0
"""A patch of cortex of two layers from dicts: free positions at depths, lateral Gaussian kernels, delays from distances, input from a thalamic grid."""

import numpy as np

import nest

LAYERS = {"L23": {"depth": (0.0, 0.3), "E": 160, "I": 40}, "L5": {"depth": (0.6, 0.9), "E": 100, "I": 28}}
CELLS = {
    "E": {"model": "iaf_psc_exp", "params": {"tau_m": 20.0, "tau_syn_ex": 2.0, "tau_syn_in": 5.0, "I_e": 300.0}},
    "I": {"model": "iaf_psc_exp", "params": {"tau_m": 10.0, "tau_syn_ex": 1.0, "tau_syn_in": 5.0, "t_ref": 1.0, "I_e": 250.0}},
}
LATERAL = {  # (source, target): peak, width in mm, weight in pA
    ("E", "E"): (0.5, 0.25, 14.0),
    ("E", "I"): (0.6, 0.2, 18.0),
    ("I", "E"): (0.7, 0.15, -55.0),
    ("I", "I"): (0.6, 0.15, -45.0),
}
INTER = {("L23", "L5"): 0.3, ("L5", "L23"): 0.1}


def project(source, target, peak, width, weight):
    lateral = nest.math.exp(-0.5 * (nest.spatial.distance.x**2 + nest.spatial.distance.y**2) / width**2)
    conn = {"rule": "pairwise_bernoulli", "p": peak * lateral, "allow_autapses": False}
    sign = 1.0 if weight > 0 else -1.0
    syn = {
        "weight": sign * nest.math.max(nest.random.normal(abs(weight), 0.1 * abs(weight)), 0.0),
        "delay": nest.math.max(0.5 + nest.spatial.distance / 0.3, 0.5),
    }
    nest.Connect(source, target, conn, syn)


nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(rng_seed=2024, resolution=0.1)
nodes = {}
for name, spec in LAYERS.items():
    low, high = spec["depth"]
    for kind in CELLS:
        where = nest.spatial.free(
            [nest.random.uniform(-0.5, 0.5), nest.random.uniform(-0.5, 0.5), nest.random.uniform(low, high)],
            extent=[1.0, 1.0, 2.0],
            edge_wrap=True,
        )
        nodes[name, kind] = nest.Create(CELLS[kind]["model"], spec[kind], params=CELLS[kind]["params"], positions=where)
        nodes[name, kind].V_m = nest.random.uniform(-70.0, -56.0)
for (pre, post), (peak, width, weight) in LATERAL.items():
    for name in LAYERS:
        project(nodes[name, pre], nodes[name, post], peak, width, weight)
for (pre, post), factor in INTER.items():
    peak, width, weight = LATERAL["E", "E"]
    project(nodes[pre, "E"], nodes[post, "E"], factor * peak, 2.0 * width, weight)
background = nest.Create("poisson_generator", params={"rate": 3000.0})
recorders = {}
for key, population in nodes.items():
    nest.Connect(background, population, syn_spec={"weight": 25.0 if key[1] == "E" else 12.0})
    recorders[key] = nest.Create("spike_recorder", params={"start": 100.0, "label": "_".join(key)})
    nest.Connect(population, recorders[key])
nest.Simulate(600.0)
for key, recorder in recorders.items():
    depth = np.array(nest.GetPosition(nodes[key]))[:, 2]
    print(
        recorder.label, "depth inside:", bool((depth >= LAYERS[key[0]]["depth"][0]).all() and (depth <= LAYERS[key[0]]["depth"][1]).all())
    )
    print(f"  {recorder.n_events / len(nodes[key]) / 0.5:.1f} spikes/s")
exc = nest.GetConnections(nodes["L23", "E"], nodes["L23", "E"])
inh = nest.GetConnections(nodes["L23", "I"], nodes["L23", "E"])
print(f"mean indegree {len(exc) / 160:.1f} from E, {len(inh) / 160:.1f} from I")
print(f"delay {np.mean(exc.delay):.2f} ms, weights {np.mean(exc.weight):.2f} and {np.mean(inh.weight):.2f} pA")
