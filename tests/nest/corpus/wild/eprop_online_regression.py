# SPDX-License-Identifier: Apache-2.0
"""e-prop in its second form: adaptive and plain neurons side by side, Adam and gradient descent, a readout that follows a target, losses per interval."""

import numpy as np

import nest

INTERVAL, REPEATS = 120.0, 5


def train(model, optimizer, seed=11):
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.QUIET
    nest.set(resolution=1.0, eprop_update_interval=INTERVAL, eprop_learning_window=INTERVAL, eprop_reset_neurons_on_update=False)
    rng = np.random.default_rng(seed)
    pattern = [np.sort(rng.choice(np.arange(2, int(INTERVAL) - 5), 10, replace=False)) for _ in range(8)]
    sources = nest.Create("spike_generator", 8)
    for source, train_ in zip(sources, pattern, strict=True):
        source.spike_times = [float(t + k * INTERVAL) for k in range(REPEATS) for t in train_]
    relays = nest.Create("parrot_neuron", 8)
    common = {"C_m": 250.0, "tau_m": 20.0, "V_th": -55.0, "E_L": -70.0, "V_m": -70.0, "t_ref": 2.0, "c_reg": 0.05, "f_target": 15.0}
    common |= {"surrogate_gradient_function": "exponential", "kappa": 0.95, "eprop_isi_trace_cutoff": 60.0}
    cells = nest.Create(model, 6, {k: v for k, v in common.items() if k in nest.GetDefaults(model)})
    if "adapt" in model:
        cells.set({"adapt_tau": 150.0, "adapt_beta": 0.02})
    readout = nest.Create("eprop_readout", 1, {"E_L": 0.0, "tau_m": 20.0, "C_m": 20.0, "eprop_isi_trace_cutoff": 60.0})
    target = nest.Create("step_rate_generator")
    steps = np.arange(int(INTERVAL * REPEATS))
    target.set({"amplitude_times": steps + 2.0, "amplitude_values": 0.8 * np.sin(2.0 * np.pi * steps / INTERVAL)})
    learns = nest.Create("step_rate_generator", params={"amplitude_times": [2.0], "amplitude_values": [1.0]})
    nest.SetDefaults(
        "eprop_synapse",
        {"optimizer": {"type": optimizer, "eta": 0.002 if optimizer == "adam" else 2e-5, "batch_size": 1, "Wmin": -4000.0, "Wmax": 4000.0}},
    )
    spec = {"synapse_model": "eprop_synapse", "delay": 1.0}
    nest.Connect(sources, relays, "one_to_one", {"delay": 1.0})
    nest.Connect(relays, cells, "all_to_all", spec | {"weight": rng.uniform(0.0, 6.0, (6, 8))})
    nest.Connect(cells, cells, {"rule": "all_to_all", "allow_autapses": False}, spec | {"weight": 0.5})
    nest.Connect(cells, readout, "all_to_all", spec | {"weight": rng.normal(0.0, 0.2, (1, 6))})
    nest.Connect(
        readout,
        cells,
        syn_spec={"synapse_model": "eprop_learning_signal_connection", "weight": 0.02 * rng.normal(0.0, 1.0, (6, 1)), "delay": 1.0},
    )
    nest.Connect(target, readout, syn_spec={"synapse_model": "rate_connection_delayed", "receptor_type": 2, "delay": 1.0})
    nest.Connect(learns, readout, syn_spec={"synapse_model": "rate_connection_delayed", "receptor_type": 1, "delay": 1.0})
    meter = nest.Create("multimeter", params={"record_from": ["readout_signal", "target_signal", "error_signal"], "interval": 1.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(meter, readout)
    nest.Connect(cells, recorder)
    nest.Simulate(INTERVAL * REPEATS)
    events = meter.get("events")
    error = (events["readout_signal"] - events["target_signal"]) ** 2
    losses = [0.5 * float(error[(events["times"] > k * INTERVAL) & (events["times"] <= (k + 1) * INTERVAL)].sum()) for k in range(REPEATS)]
    moved = np.sort(nest.GetConnections(relays, cells).get("weight"))
    return losses, recorder.n_events, moved, nest.GetConnections(cells, readout).get("weight")


for model in ("eprop_iaf", "eprop_iaf_adapt", "eprop_iaf_psc_delta"):
    for optimizer in ("gradient_descent", "adam"):
        losses, spikes, moved, out = train(model, optimizer)
        print(f"{model}, {optimizer}: {spikes} spikes, losses", " ".join(f"{loss:.4f}" for loss in losses))
        print("  weights", np.round(moved[[0, len(moved) // 2, -1]], 4).tolist(), "out", np.round(np.sort(out), 4).tolist())
