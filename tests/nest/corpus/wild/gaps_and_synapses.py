# SPDX-License-Identifier: Apache-2.0
"""A ring of interneurons with gap junctions to neighbours and chemical inhibition to all: how synchrony depends on the strength of the junctions."""

import numpy as np

import nest

N = 6


def trial(strength, chemical, model="hh_psc_alpha_gap"):
    nest.ResetKernel()
    nest.set_verbosity("M_ERROR")
    nest.SetKernelStatus(
        {
            "resolution": 0.05,
            "use_wfr": True,
            "wfr_comm_interval": 1.0,
            "wfr_tol": 1e-4,
            "wfr_max_iterations": 15,
            "wfr_interpolation_order": 3,
        }
    )
    cells = nest.Create(model, N, params={"I_e": 200.0} if model == "hh_psc_alpha_gap" else {"I_e": 400.0})
    for k, cell in enumerate(cells):
        cell.set(V_m=-65.0 + 4.0 * k)
    ring = nest.NodeCollection(cells.tolist())
    for k in range(N):
        nest.Connect(
            ring[k],
            ring[(k + 1) % N],
            {"rule": "one_to_one", "make_symmetric": True},
            {"synapse_model": "gap_junction", "weight": strength},
        )
    if chemical:
        nest.Connect(cells, cells, {"rule": "all_to_all", "allow_autapses": False}, {"weight": -chemical, "delay": 1.0})
    excitation = nest.Create("spike_generator", params={"spike_times": [20.0, 60.0], "spike_weights": [1.0, 2.0]})
    nest.Connect(excitation, cells[0], syn_spec={"weight": 50.0, "delay": 1.0})
    recorder = nest.Create("spike_recorder")
    meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 1.0})
    nest.Connect(cells, recorder)
    nest.Connect(meter, cells)
    nest.Simulate(100.0)
    V = meter.events["V_m"].reshape(-1, 1)
    spread = np.std([meter.events["V_m"][meter.events["senders"] == node.global_id] for node in cells], axis=0)
    times = recorder.events["times"]
    return len(times), float(spread[60:].mean()), float(V.mean()), nest.num_connections


for strength in (0.0, 20.0, 60.0):
    for chemical in (0.0, 30.0):
        n, spread, mean, made = trial(strength, chemical)
        print(
            f"gap {strength:4.0f}, inhibition {chemical:3.0f}: {n} spikes, spread {spread:.1f} mV, mean {mean:.1f} mV, {made} connections"
        )
for strength in (0.0, 5.0):
    n, spread, mean, made = trial(strength, 3.0, "hh_cond_beta_gap_traub")
    print(f"traub, gap {strength}: {n} spikes, spread {spread:.1f} mV, mean {mean:.1f} mV")
junctions = nest.GetConnections(synapse_model="gap_junction")
print(len(junctions), set(junctions.get("weight")), nest.GetDefaults("gap_junction")["requires_symmetric"])
try:
    nest.Connect(
        nest.GetNodes({"model": "hh_cond_beta_gap_traub"})[:1], nest.GetNodes()[1:2], "one_to_one", {"synapse_model": "gap_junction"}
    )
except nest.NESTError as problem:
    print(type(problem).__name__)
