# SPDX-License-Identifier: Apache-2.0
"""Working memory held by facilitation (after Mongillo, Barak & Tsodyks 2008): a cue loads a pool, later reads of all pools bring back that pool alone."""

import numpy as np

import nest

N, POOLS, SIZE = 120, 3, 24
CUE, READS = (300.0, 350.0), ((700.0, 720.0), (1100.0, 1120.0))
NEURON = {"C_m": 250.0, "tau_m": 15.0, "E_L": 0.0, "V_reset": 16.0, "V_th": 20.0, "t_ref": 2.0, "tau_syn_ex": 2.0, "tau_syn_in": 2.0}
STP = {"U": 0.2, "u": 0.2, "x": 1.0, "tau_rec": 200.0, "tau_fac": 1500.0}


def build():
    nest.ResetKernel()
    nest.set_verbosity("M_ERROR")
    nest.SetKernelStatus({"resolution": 0.1, "rng_seed": 7})
    nest.CopyModel("iaf_psc_exp", "pyramid", NEURON)
    nest.CopyModel("iaf_psc_exp", "interneuron", {**NEURON, "tau_m": 10.0, "V_reset": 13.0})
    nest.CopyModel("tsodyks3_synapse" if "tsodyks3_synapse" in nest.synapse_models else "tsodyks2_synapse", "facilitating", STP)
    pyramids, interneurons = nest.Create("pyramid", N), nest.Create("interneuron", N // 4)
    pyramids.V_m = np.tile(np.linspace(0.0, 15.0, SIZE), N // SIZE)
    pyramids.I_e = np.tile(np.linspace(240.0, 262.0, SIZE), N // SIZE)
    pools = [pyramids[k * SIZE : (k + 1) * SIZE] for k in range(POOLS)]
    for pool in pools:
        nest.Connect(
            pool, pool, {"rule": "all_to_all", "allow_autapses": False}, {"synapse_model": "facilitating", "weight": 80.0, "delay": 1.5}
        )
    nest.Connect(pyramids, interneurons, syn_spec={"weight": 12.0, "delay": 1.0})
    nest.Connect(interneurons, pyramids, syn_spec={"weight": -25.0, "delay": 1.0})
    cue = nest.Create("dc_generator", params={"amplitude": 190.0, "start": CUE[0], "stop": CUE[1]})
    nest.Connect(cue, pools[1])
    for begin, end in READS:
        read = nest.Create("dc_generator", params={"amplitude": 108.0, "start": begin, "stop": end})
        nest.Connect(read, pyramids)
    return pyramids, interneurons, pools


pyramids, interneurons, pools = build()
recorder = nest.Create("spike_recorder")
nest.Connect(pyramids + interneurons, recorder)
probe = [nest.GetConnections(pool[:1], pool[1:2]) for pool in pools]
for time in (250.0, 100.0, 250.0, 200.0, 300.0, 200.0):
    nest.Simulate(time)
    efficacy = [synapse.get(["u", "x"]) for synapse in probe]
    print(f"{nest.biological_time:6.1f} ms  u", *(f"{e['u']:.4f}" for e in efficacy), " x", *(f"{e['x']:.4f}" for e in efficacy))
events = recorder.get("events")
for label, (begin, end) in {"before": (0.0, 300.0), "cue": CUE, "read 1": READS[0], "read 2": READS[1]}.items():
    window = (events["times"] > begin) & (events["times"] <= end)
    counts = [int(np.isin(events["senders"][window], pool.tolist()).sum()) for pool in pools]
    print(f"{label:7s}", counts, "others", int(window.sum()) - sum(counts))
