# SPDX-License-Identifier: Apache-2.0
"""e-prop in its first form (Bellec et al. 2020): eight neurons and a readout learn a wave from frozen input; the loss of each iteration is printed."""

import numpy as np

import nest

DT, SEQUENCE, ITERATIONS = 1.0, 100, 4
N_IN, N_REC, N_OUT = 10, 8, 1
STEPS = {"offset_gen": 1, "delay_in_rec": 1, "delay_rec_out": 1, "delay_out_norm": 1, "extension_sim": 1}
offset = sum(STEPS[key] for key in ("offset_gen", "delay_in_rec", "delay_rec_out"))
nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(
    eprop_learning_window=SEQUENCE * DT,
    eprop_reset_neurons_on_update=True,
    eprop_update_interval=SEQUENCE * DT,
    resolution=DT,
    total_num_virtual_procs=1,
    rng_seed=1,
)
recurrent = {
    "C_m": 1.0,
    "E_L": 0.0,
    "I_e": 0.0,
    "V_m": 0.0,
    "V_th": 0.03,
    "surrogate_gradient_width": 33.3,
    "surrogate_gradient_height": 10.0,
    "c_reg": 150.0,
    "f_target": 20.0,
    "surrogate_gradient_function": "piecewise_linear",
    "t_ref": 0.0,
    "tau_m": 30.0,
    "regular_spike_arrival": False,
}
inputs, parrots = nest.Create("spike_generator", N_IN), nest.Create("parrot_neuron", N_IN)
cells = nest.Create("eprop_iaf_bsshslm_2020", N_REC, recurrent)
readout = nest.Create(
    "eprop_readout_bsshslm_2020",
    N_OUT,
    {"C_m": 1.0, "E_L": 0.0, "loss": "mean_squared_error", "tau_m": 30.0, "regular_spike_arrival": False},
)
target = nest.Create("step_rate_generator", N_OUT)
meter = nest.Create(
    "multimeter", params={"record_from": ["error_signal", "readout_signal", "target_signal"], "interval": DT, "start": offset}
)
rng = np.random.default_rng(30)
w_in, w_rec, w_out = (rng.standard_normal(shape) / np.sqrt(shape[1]) for shape in ((N_REC, N_IN), (N_REC, N_REC), (N_OUT, N_REC)))
np.fill_diagonal(w_rec, 0.0)
optimizer = {"type": "gradient_descent", "batch_size": 1, "eta": 2e-3, "Wmin": -100.0, "Wmax": 100.0}
common = {"optimizer": optimizer, "average_gradient": False}
nest.SetDefaults("eprop_synapse_bsshslm_2020", common)
synapse = {"synapse_model": "eprop_synapse_bsshslm_2020", "delay": DT, "tau_m_readout": 30.0}
nest.Connect(inputs, parrots, "one_to_one", {"delay": DT})
nest.Connect(parrots, cells, "all_to_all", {**synapse, "weight": 0.02 * w_in})
nest.Connect(cells, cells, {"rule": "all_to_all", "allow_autapses": False}, {**synapse, "weight": 0.01 * w_rec})
nest.Connect(cells, readout, "all_to_all", {**synapse, "weight": w_out})
feedback = {"synapse_model": "eprop_learning_signal_connection_bsshslm_2020", "delay": DT, "weight": w_out.T}
nest.Connect(readout, cells, "all_to_all", feedback)
nest.Connect(target, readout, "one_to_one", {"synapse_model": "rate_connection_delayed", "delay": DT, "receptor_type": 2})
nest.Connect(meter, readout)
frozen = [np.sort(rng.choice(np.arange(1, SEQUENCE), 12, replace=False)) for _ in range(N_IN)]
for generator, train in zip(inputs, frozen, strict=True):
    generator.spike_times = np.concatenate([train + k * SEQUENCE for k in range(ITERATIONS)]).astype(float)
wave = np.tile(np.sin(np.arange(SEQUENCE) / SEQUENCE * 2.0 * np.pi), ITERATIONS)
target.set({"amplitude_times": np.arange(len(wave)) * DT + 2.0, "amplitude_values": wave})
nest.Simulate(ITERATIONS * SEQUENCE * DT + offset + 3 * DT)
events = meter.get("events")
error = (events["readout_signal"] - events["target_signal"]) ** 2
loss = 0.5 * np.add.reduceat(error[: ITERATIONS * SEQUENCE], np.arange(0, ITERATIONS * SEQUENCE, SEQUENCE))
for k, value in enumerate(loss):
    print(f"iteration {k}: loss {value:.6f}")
recurrent, output = (np.sort(nest.GetConnections(cells, post).get("weight")) for post in (cells, readout))
print("recurrent", np.round(recurrent[:3], 6), np.round(recurrent[-3:], 6))
print("output", np.round(output, 5))
