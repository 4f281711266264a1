# SPDX-License-Identifier: Apache-2.0
"""Short-term plasticity in several hands: of neurons that carry it (Tsodyks), of synapses of three models, and adaptation of thresholds of four neurons."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.resolution = 0.1
times = np.concatenate([np.arange(10.0, 200.0, 20.0), [400.0, 410.0]])
source, relay = nest.Create("spike_generator", params={"spike_times": times}), nest.Create("parrot_neuron")
nest.Connect(source, relay)
kinds = {
    "tsodyks_synapse": {"U": 0.4, "tau_rec": 300.0, "tau_fac": 0.0, "tau_psc": 2.0, "weight": 400.0},
    "tsodyks2_synapse": {"U": 0.4, "tau_rec": 300.0, "tau_fac": 0.0, "weight": 400.0},
    "tsodyks_synapse_hom": {"U": 0.1, "tau_rec": 100.0, "tau_fac": 500.0, "tau_psc": 2.0},
    "ht_synapse": {"P": 1.0, "delta_P": 0.2, "tau_P": 200.0, "weight": 200.0},
    "quantal_stp_synapse": {"U": 1.0, "u": 1.0, "n": 3, "a": 3, "tau_rec": 1e-3, "weight": 50.0},
    "bernoulli_synapse": {"p_transmit": 1.0, "weight": 150.0},
}
targets = nest.Create("iaf_psc_exp", len(kinds), {"V_th": 1e5, "tau_syn_ex": 2.0})
nest.SetDefaults("tsodyks_synapse_hom", {**kinds["tsodyks_synapse_hom"], "weight": 900.0})
for target, (model, parameters) in zip(targets, kinds.items(), strict=True):
    given = {} if model.endswith("_hom") else parameters
    nest.Connect(relay, target, syn_spec={"synapse_model": model, "delay": 1.0, **given})
meter = nest.Create("multimeter", params={"record_from": ["V_m", "I_syn_ex"], "interval": 0.1})
nest.Connect(meter, targets)
nest.Simulate(430.0)
for target, model in zip(targets, kinds, strict=True):
    V = meter.events["I_syn_ex"][meter.events["senders"] == target.global_id]
    jumps = np.diff(V)
    print(model, np.round(jumps[jumps > 5.0][[0, 1, 2, -2, -1]], 3).tolist())
synapses = nest.GetConnections(relay, targets)
print({m: v if v is None else round(v, 6) for m, v in zip(synapses.get("synapse_model"), synapses.get("weight"), strict=True)})
print(np.round(list(nest.GetConnections(synapse_model="tsodyks2_synapse").get(["u", "x"]).values()), 6).tolist())

nest.ResetKernel()
nest.resolution = 0.1
carrier = nest.Create(
    "iaf_tum_2000", 2, {"tau_rec": 400.0, "tau_fac": [0.0, 600.0], "U": [0.5, 0.2], "tau_psc": 3.0, "tau_syn_ex": 3.0, "tau_syn_in": 3.0}
)
driver = nest.Create("dc_generator", params={"amplitude": 900.0, "start": 20.0, "stop": 220.0})
nest.Connect(driver, carrier)
after = nest.Create("iaf_tum_2000", 2, {"V_th": 1e4, "tau_syn_ex": 3.0, "tau_psc": 3.0})
for sender, receiver in zip(carrier, after, strict=True):
    nest.Connect(sender, receiver, syn_spec={"weight": 300.0, "receptor_type": 1, "delay": 1.0})
meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 1.0})
nest.Connect(meter, after)
nest.Simulate(300.0)
for node in after:
    V = meter.events["V_m"][meter.events["senders"] == node.global_id]
    print(f"carried by neurons: peak {V.max():.4f} mV at {1.0 + V.argmax():.0f} ms, last {V[-1]:.4f} mV")
for model, parameters in {
    "mat2_psc_exp": {"tau_1": 10.0, "alpha_1": 20.0},
    "amat2_psc_exp": {"beta": 1.0},
    "iaf_chs_2007": {},
    "iaf_psc_exp_htum": {"tau_m": 12.0, "t_ref_abs": 2.0, "t_ref_tot": 6.0},
    "iaf_cond_exp_sfa_rr": {"q_sfa": 20.0, "tau_sfa": 90.0},
}.items():
    nest.ResetKernel()
    cell, drive, recorder = nest.Create(model, params=parameters), nest.Create("spike_generator"), nest.Create("spike_recorder")
    drive.spike_times = np.arange(2.0, 300.0, 1.0)
    unit = {"iaf_chs_2007": 0.12, "iaf_cond_exp_sfa_rr": 15.0}.get(model, 400.0)
    nest.Connect(drive, cell, syn_spec={"weight": unit, "delay": 1.0})
    nest.Connect(cell, recorder)
    nest.Simulate(320.0)
    train = recorder.events["times"]
    print(f"{model}: {len(train)} spikes, first {train[:3].round(1).tolist()}, last interval {np.diff(train)[-1:].round(1).tolist()}")
