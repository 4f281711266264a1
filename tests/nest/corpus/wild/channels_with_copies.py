# SPDX-License-Identifier: Apache-2.0
"""Channels of a basal-ganglia-like loop: copies of models with names of their own, slices with steps, sums of collections."""

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
for name, parameters in {"striatum": {"V_th": -48.0}, "pallidum": {"I_e": 450.0}, "thalamus": {"I_e": 410.0}}.items():
    nest.CopyModel("iaf_psc_exp", name, parameters)
n_channels, size = 3, 6
areas = {name: nest.Create(name, n_channels * size) for name in ("striatum", "pallidum", "thalamus")}
channels = {name: [nodes[k * size : (k + 1) * size] for k in range(n_channels)] for name, nodes in areas.items()}
for name, weight in (("gaba_strong", -180.0), ("gaba_weak", -90.0), ("glut", 200.0)):
    nest.CopyModel("static_synapse", name, {"weight": weight, "delay": 2.0})
for k in range(n_channels):
    nest.Connect(channels["striatum"][k], channels["pallidum"][k], "all_to_all", "gaba_strong")
    nest.Connect(channels["pallidum"][k], channels["thalamus"][k], syn_spec="gaba_weak")
    cortex = nest.Create("dc_generator", params={"amplitude": 380.0 + 120.0 * k, "start": 50.0})
    nest.Connect(cortex, channels["striatum"][k])
everything = sum(areas.values(), nest.NodeCollection([]))
recorder = nest.Create("spike_recorder")
nest.Connect(everything[::2], recorder)
nest.Simulate(300.0)
for name in areas:
    counts = [sum(int(s) in channel for s in recorder.events["senders"]) for channel in channels[name]]
    print(f"{name}: {counts}, {areas[name].model[0]}")
print(everything)
print({model: nest.GetDefaults(model)["num_connections"] for model in ("gaba_strong", "gaba_weak", "glut")})
