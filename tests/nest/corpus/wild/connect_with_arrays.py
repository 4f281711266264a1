# SPDX-License-Identifier: Apache-2.0
"""A connectome from an adjacency matrix: arrays of sources, targets, weights and delays; read back into a matrix and a pandas table."""

import numpy as np
import pandas as pd

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
rng = np.random.default_rng(5)
n = 15
adjacency = np.where(rng.random((n, n)) < 0.25, rng.normal(0.0, 60.0, (n, n)).round(2), 0.0)
np.fill_diagonal(adjacency, 0.0)
post, pre = np.nonzero(adjacency)
delays = np.round(rng.uniform(1.0, 4.0, len(post)), 1)
cells = nest.Create("iaf_psc_exp", n, {"I_e": 390.0})
first = cells[0].global_id
weights = adjacency[post, pre]
nest.Connect(pre + first, post + first, "one_to_one", {"weight": weights, "delay": delays})
found = nest.GetConnections(cells, cells)
table = pd.DataFrame(found.get(["source", "target", "weight", "delay"]))
print(len(found), len(table), table["source"].value_counts().sort_index().tolist())
again = np.zeros_like(adjacency)
again[table["target"] - first, table["source"] - first] = table["weight"]
print("matrix comes back:", bool(np.array_equal(again, adjacency)), f"{np.linalg.norm(again):.6f}")
table = table.sort_values(["target", "source"]).reset_index(drop=True)
print("delays come back:", bool(np.allclose(table["delay"], delays[np.lexsort((pre, post))])))
print(table.groupby("target")["weight"].agg(["count", "sum"]).round(2).head(4).to_string())
for node in cells[:3]:
    incoming = nest.GetConnections(target=node)
    print(
        node.global_id, sorted(incoming.source if isinstance(incoming.source, list) else [incoming.source]), sorted(incoming.get("weight"))
    )

receptors = {"synapse_model": "static_synapse", "receptor_type": np.where(weights > 0, 1, 2), "weight": np.abs(weights), "delay": delays}
multi = nest.Create("iaf_psc_exp_multisynapse", n, {"tau_syn": [2.0, 8.0], "I_e": 390.0})
nest.Connect(pre + multi[0].global_id, post + multi[0].global_id, conn_spec="one_to_one", syn_spec=receptors)
print(np.bincount(nest.GetConnections(multi, multi).get("receptor")).tolist())
source, fan = nest.Create("parrot_neuron", 2), nest.Create("iaf_psc_alpha", 3)
nest.Connect(source, fan, "all_to_all", {"weight": np.arange(6.0).reshape(3, 2), "delay": [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5]]})
print(sorted(zip(*nest.GetConnections(source).get(["source", "target", "weight", "delay"]).values(), strict=True)))
nest.Connect(
    source, fan[:2], "one_to_one", {"synapse_model": "stdp_synapse", "weight": [7.0, 8.0], "lambda": [0.01, 0.02], "Wmax": [50.0, 60.0]}
)
print(nest.GetConnections(synapse_model="stdp_synapse").get(["weight", "lambda", "Wmax"], output="pandas").to_string())
nest.Connect(source, fan, {"rule": "fixed_indegree", "indegree": 1}, {"weight": np.array([[4.0], [5.0], [6.0]])})
print(sorted(nest.GetConnections(source, fan).get("weight"))[-6:])
recorder = nest.Create("spike_recorder")
nest.Connect(cells + multi, recorder)
nest.Simulate(200.0)
counts = pd.Series(recorder.events["senders"]).value_counts().sort_index()
print(counts.tolist(), recorder.n_events)
for bad in (
    {"weight": weights[:-1]},
    {"weight": weights, "delay": np.full(len(weights), -1.0)},
    {"weight": weights, "receptor_type": 5},
):
    try:
        nest.Connect(pre + first, post + first, "one_to_one", bad)
    except (nest.NESTError, ValueError) as problem:
        print(type(problem).__name__)
print(nest.num_connections)
