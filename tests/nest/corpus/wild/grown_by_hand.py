# SPDX-License-Identifier: Apache-2.0
"""A network that is rebuilt while it runs: neurons and plastic connections are added, weak ones removed, devices rewired, parameters switched."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(resolution=0.1)
rng = np.random.default_rng(40)
cells = nest.Create("iaf_psc_exp", 8, {"I_e": 380.0})
cells.V_m = (-70.0 + 2.0 * np.arange(8)).tolist()
nest.CopyModel("stdp_synapse", "plastic", {"lambda": 0.05, "alpha": 1.2, "Wmax": 80.0, "weight": 30.0})
nest.Connect(cells, cells, {"rule": "all_to_all", "allow_autapses": False}, {"synapse_model": "plastic", "weight": 30.0, "delay": 1.0})
nest.GetConnections(cells[:2], cells[2:4]).delay = 2.0
recorder = nest.Create("spike_recorder")
nest.Connect(cells, recorder)


def weights():
    return np.array(nest.GetConnections(synapse_model="plastic").get("weight"))


everyone = cells
for phase in range(5):
    nest.Simulate(65.0)
    plastic = nest.GetConnections(synapse_model="plastic")
    w = weights()
    print(f"phase {phase}: {recorder.n_events} spikes, {len(plastic)} plastic, mean {w.mean():.4f}, sum of squares {np.sum(w**2):.3f}")
    if phase == 0:
        weak = sorted(zip(plastic.get("weight"), plastic.get("source"), plastic.get("target"), strict=True))[:10]
        for _, source, target in weak:
            nest.Disconnect(nest.NodeCollection([source]), nest.NodeCollection([target]), syn_spec={"synapse_model": "plastic"})
    elif phase == 1:
        newborn = nest.Create("iaf_psc_exp", 3, {"I_e": [350.0, 390.0, 400.0], "tau_m": 12.0})
        nest.Connect(cells, newborn, "all_to_all", {"synapse_model": "plastic", "weight": rng.uniform(10.0, 40.0, (3, 8)), "delay": 2.0})
        nest.Connect(newborn, cells[:4], "all_to_all", {"synapse_model": "plastic", "weight": 20.0, "delay": 1.0})
        nest.Connect(newborn, recorder)
        everyone = cells + newborn
    elif phase == 2:
        newborn.I_e = 410.0
        pulse = nest.Create(
            "dc_generator", params={"amplitude": 60.0, "start": nest.biological_time + 10.0, "stop": nest.biological_time + 40.0}
        )
        nest.Connect(pulse, everyone[::2])
        cells[0].set({"V_th": -53.0, "t_ref": 4.0})
    elif phase == 3:
        strong = nest.GetConnections(cells, newborn, "plastic")
        strong.weight = (0.5 * np.array(strong.weight)).tolist()
        nest.GetConnections(newborn, cells).set({"alpha": 0.8})
        nest.Connect(newborn, newborn, {"rule": "all_to_all", "allow_autapses": False}, {"weight": -25.0, "delay": 1.0})
final = nest.GetConnections(everyone, everyone)
table = {}
for model in final.get("synapse_model"):
    table[model] = table.get(model, 0) + 1
print(table, nest.num_connections, nest.network_size)
senders = recorder.events["senders"]
print([int((senders == node).sum()) for node in everyone.tolist()], np.round(recorder.events["times"][-3:], 1).tolist())
