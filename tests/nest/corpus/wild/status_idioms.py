# SPDX-License-Identifier: Apache-2.0
"""Idioms of scripts that came from older versions: GetStatus and SetStatus with lists, models copied and listed, dict comprehensions over everything."""

import warnings

import numpy as np

import nest

warnings.simplefilter("ignore")
nest.set_verbosity("M_WARNING")
nest.ResetKernel()
nest.SetKernelStatus({"local_num_threads": 1, "resolution": 0.1, "data_path": "", "overwrite_files": True, "print_time": False})
print(nest.GetKernelStatus("resolution"), nest.GetKernelStatus(["biological_time", "network_size"]))
nest.CopyModel("iaf_cond_exp", "pyramidal", {"g_L": 12.0, "V_th": -52.0})
nest.CopyModel("pyramidal", "pyramidal_fast")
nest.SetDefaults("pyramidal_fast", {"g_L": 20.0})
nest.SetDefaults("spike_recorder", {"record_to": "memory"})
pops = {name: nest.Create(name, size) for name, size in {"pyramidal": 4, "pyramidal_fast": 2}.items()}
print({name: nest.GetStatus(nodes, ["g_L", "V_th"])[0] for name, nodes in pops.items()})
nest.SetStatus(pops["pyramidal"], "V_m", [-60.0, -61.0, -62.0, -63.0])
nest.SetStatus(pops["pyramidal_fast"], [{"V_m": -55.0, "I_e": 250.0}, {"V_m": -56.0}])
nest.SetStatus(pops["pyramidal"], {"I_e": 400.0})
print(nest.GetStatus(pops["pyramidal"], "V_m"), nest.GetStatus(pops["pyramidal_fast"], ("V_m", "I_e")))
print(
    [name for name in nest.node_models if name.startswith("pyramidal")],
    "stdp_synapse" in nest.Models(mtype="synapses"),
    nest.Models(sel="pyramidal"),
)
nest.CopyModel("static_synapse", "glut", {"weight": 3.0, "delay": 1.2})
everyone = pops["pyramidal"] + pops["pyramidal_fast"]
nest.Connect(pops["pyramidal"], pops["pyramidal_fast"], conn_spec="all_to_all", syn_spec="glut")
nest.Connect(
    pops["pyramidal_fast"],
    pops["pyramidal"],
    {"rule": "fixed_indegree", "indegree": 2, "allow_multapses": False},
    {"synapse_model": "glut", "weight": 2.0},
)
conns = nest.GetConnections(source=pops["pyramidal"], target=pops["pyramidal_fast"], synapse_model="glut")
nest.SetStatus(conns, "weight", np.linspace(1.0, 4.5, len(conns)))
nest.SetStatus(conns, [{"delay": 1.0 + 0.1 * k} for k in range(len(conns))])
print(nest.GetStatus(conns, "weight"), [round(d, 2) for d in nest.GetStatus(conns, "delay")])
print(nest.GetStatus(conns[:2], ["source", "target", "weight"]), sorted(nest.GetStatus(conns)[0]))
recorder, meter = nest.Create("spike_recorder"), nest.Create("voltmeter")
nest.SetStatus(meter, {"interval": 1.0, "record_from": ["V_m"]})
nest.Connect(everyone, recorder)
nest.Connect(meter, everyone)
nest.Simulate(60.0)
events = nest.GetStatus(recorder, "events")[0]
print(
    nest.GetStatus(recorder, "n_events"),
    {int(n): np.round(events["times"][events["senders"] == n], 1).tolist()[:3] for n in np.unique(events["senders"])},
)
V = nest.GetStatus(meter)[0]["events"]["V_m"]
print(V.shape, round(float(V.mean()), 4), nest.GetStatus(meter, "n_events")[0])
nest.SetStatus(recorder, {"n_events": 0})
nest.SetStatus(everyone, [{"V_m": d["E_L"], "I_e": 0.0} for d in nest.GetStatus(everyone)])
nest.Simulate(30.0)
print(nest.GetStatus(recorder, "n_events")[0], [round(v, 3) for v in nest.GetStatus(everyone, "V_m")])
for label, attempt in {
    "unknown key": lambda: nest.SetStatus(everyone, {"V_mm": 1.0}),
    "one dict for all": lambda: nest.SetStatus(everyone, [{"V_m": -64.0}]),
    "list too short": lambda: nest.SetStatus(everyone, [{"V_m": 1.0}, {"V_m": 2.0}]),
    "unknown model": lambda: nest.Create("iaf_neuron"),
    "same name": lambda: nest.CopyModel("iaf_psc_exp", "glut"),
    "bad value": lambda: nest.SetStatus(everyone, "C_m", -1.0),
}.items():
    try:
        attempt()
        print(label, nest.GetStatus(everyone[:2], "V_m"))
    except Exception as problem:
        print(label, "->", type(problem).__name__)
