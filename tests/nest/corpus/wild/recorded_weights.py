# SPDX-License-Identifier: Apache-2.0
"""Six rules of plasticity side by side on the same spikes; weight_recorders of each, restricted to some senders and targets, and final weights."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.resolution = 0.1
rng = np.random.default_rng(77)
rules = {
    "stdp_synapse": {"lambda": 0.02, "alpha": 1.05, "Wmax": 20.0},
    "stdp_pl_synapse_hom": {"lambda": 0.05, "alpha": 0.1, "mu": 0.4},
    "stdp_triplet_synapse": {"Aplus": 0.01, "Aminus": 0.012, "Wmax": 20.0},
    "stdp_nn_symm_synapse": {"lambda": 0.02, "alpha": 1.0, "Wmax": 20.0},
    "stdp_nn_restr_synapse": {"lambda": 0.02, "alpha": 1.0, "Wmax": 20.0},
    "jonke_synapse": {"lambda": 0.02, "alpha": 1.0, "Wmax": 20.0, "beta": 0.1},
}
pre = nest.Create("parrot_neuron", 4)
for node in pre:
    train = np.round(np.cumsum(rng.uniform(8.0, 40.0, 30)), 1)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": train}), node)
posts, recorders = {}, {}
for name, parameters in rules.items():
    post = nest.Create("iaf_psc_exp", 2, {"tau_minus": 25.0})
    for current, node in zip((385.0, 405.0), post, strict=True):
        nest.Connect(nest.Create("dc_generator", params={"amplitude": current, "start": 45.0}), node)
    recorder = nest.Create("weight_recorder", params={"label": name})
    nest.CopyModel(name, f"{name}_rec", {"weight_recorder": recorder, **parameters})
    spec = {"synapse_model": f"{name}_rec", "delay": 1.5}
    spec["weight"] = [[8.0, 9.0, 10.0, 11.0], [6.0, 7.0, 8.0, 9.0]]
    nest.Connect(pre, post, "all_to_all", spec)
    posts[name], recorders[name] = post, recorder
recorders["stdp_synapse"].set({"senders": pre[:2], "targets": posts["stdp_synapse"][1:]})
for _ in range(4):
    nest.Simulate(150.0)
for name, recorder in recorders.items():
    events = recorder.get("events")
    connections = nest.GetConnections(pre, posts[name])
    weights = sorted(
        zip(connections.get("source"), connections.get("target"), np.round(connections.get("weight"), 6).tolist(), strict=True)
    )
    print(
        name,
        sorted(events),
        recorder.n_events,
        set(events["senders"].tolist()) <= set(pre.tolist()),
        np.unique(events["targets"] - posts[name][0].global_id).tolist(),
    )
    print("  ", [w for _, _, w in weights])
    first = events["senders"] == pre[0].global_id
    path = events["weights"][first][np.argsort(events["times"][first], kind="stable")]
    print("   path of one sender", np.round(path[:: max(len(path) // 5, 1)], 5).tolist(), f"{np.abs(np.diff(path)).max():.5f}")
print({name: nest.GetDefaults(f"{name}_rec", "num_connections") for name in list(rules)[:3]}, recorders["jonke_synapse"].label)
