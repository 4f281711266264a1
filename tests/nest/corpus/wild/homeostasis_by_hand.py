# SPDX-License-Identifier: Apache-2.0
"""Weights that are scaled by the script every 100 ms until all neurons fire at a target rate: GetConnections, get, set in a loop."""

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
cells = nest.Create("iaf_psc_alpha", 4)
drive = nest.Create("spike_generator", params={"spike_times": [float(t) for t in range(1, 2000, 4)]})
relay = nest.Create("parrot_neuron")
nest.Connect(drive, relay)
for k, cell in enumerate(cells):
    nest.Connect(relay, cell, syn_spec={"weight": 300.0 + 250.0 * k, "delay": 1.0})
recorder = nest.Create("spike_recorder")
nest.Connect(cells, recorder)
for step in range(12):
    recorder.n_events = 0
    nest.Simulate(100.0)
    senders = recorder.events["senders"]
    counts = [int((senders == node).sum()) for node in cells.tolist()]
    for node, count in zip(cells, counts, strict=True):
        connection = nest.GetConnections(relay, node)
        connection.set({"weight": connection.get("weight") * (1.0 + 0.05 * (6 - count))})
    if step % 4 == 3:
        print(step, counts, [round(w, 2) for w in nest.GetConnections(relay).get("weight")])
