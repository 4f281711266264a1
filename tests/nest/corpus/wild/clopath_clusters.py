# SPDX-License-Identifier: Apache-2.0
"""Two groups that are driven in turns: voltage-based plasticity strengthens connections within a group and weakens those between (Clopath et al. 2010)."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.SetKernelStatus({"resolution": 0.1})
SIZE, GROUPS, EPOCH = 3, 2, 100.0
neuron = {
    "C_m": 281.0,
    "t_ref": 0.0,
    "V_reset": -60.0,
    "t_clamp": 2.0,
    "V_clamp": 33.0,
    "A_LTD": 14e-5,
    "A_LTP": 8e-5,
    "tau_u_bar_minus": 10.0,
    "tau_u_bar_plus": 7.0,
    "delay_u_bars": 4.0,
    "A_LTD_const": True,
}
cells = nest.Create("aeif_psc_delta_clopath", SIZE * GROUPS, neuron)
groups = [cells[k * SIZE : (k + 1) * SIZE] for k in range(GROUPS)]
nest.CopyModel("clopath_synapse", "plastic", {"tau_x": 15.0, "Wmin": 0.0, "Wmax": 1.5})
nest.Connect(cells, cells, {"rule": "all_to_all", "allow_autapses": False}, {"synapse_model": "plastic", "weight": 0.5, "delay": 0.1})
rng = np.random.default_rng(4)
times = {node: [] for node in cells.tolist()}
for epoch in range(8):
    for node in groups[epoch % GROUPS].tolist():
        train = epoch * EPOCH + 5.0 + np.cumsum(rng.uniform(12.0, 22.0, 5))
        times[node] += np.round(train, 1).tolist()
for node in cells:
    kick = nest.Create("spike_generator", params={"spike_times": times[node.global_id]})
    nest.Connect(kick, node, syn_spec={"weight": 40.0, "delay": 1.0})
recorder = nest.Create("spike_recorder")
nest.Connect(cells, recorder)
meter = nest.Create("multimeter", params={"record_from": ["V_m", "u_bar_plus", "u_bar_minus", "u_bar_bar"], "interval": 25.0})
nest.Connect(meter, cells[0])


def matrix():
    result = np.zeros((len(cells), len(cells)))
    first = cells[0].global_id
    for connection in nest.GetConnections(cells, cells):
        result[connection.target - first, connection.source - first] = connection.weight
    return result


for _ in range(4):
    nest.Simulate(2 * EPOCH)
    w = matrix()
    within = np.mean([w[i, j] for i in range(6) for j in range(6) if i != j and i // SIZE == j // SIZE])
    between = np.mean([w[i, j] for i in range(6) for j in range(6) if i // SIZE != j // SIZE])
    print(f"{nest.biological_time:.0f} ms: within {within:.4f}, between {between:.4f}")
nest.Simulate(10.0)
np.set_printoptions(precision=3, suppress=True, linewidth=120)
print(matrix())
print("spikes", [int((recorder.events["senders"] == n).sum()) for n in cells.tolist()])
for key in ("u_bar_plus", "u_bar_minus", "u_bar_bar"):
    print(key, np.round(meter.events[key][3:9], 3))
