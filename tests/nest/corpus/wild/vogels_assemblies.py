# SPDX-License-Identifier: Apache-2.0
"""Assemblies by pattern: triplet STDP within and between groups under patterned drive, inhibitory plasticity keeps rates; learning is switched off for recall."""

import numpy as np

import nest

PATTERNS, SIZE, N_I = 3, 5, 4
nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.resolution = 0.1
exc = nest.Create("iaf_cond_exp", PATTERNS * SIZE, {"tau_syn_ex": 3.0, "tau_syn_in": 6.0, "tau_minus": 33.7, "tau_minus_triplet": 125.0})
inh = nest.Create("iaf_cond_exp", N_I, {"C_m": 150.0, "t_ref": 1.0})
exc.C_m = (250.0 + 3.0 * np.arange(len(exc))).tolist()
nest.CopyModel(
    "stdp_triplet_synapse", "learn", {"Aplus": 5e-10, "Aplus_triplet": 8e-3, "Aminus": 2e-3, "Aminus_triplet": 2.3e-4, "Wmax": 3.0}
)
nest.CopyModel("vogels_sprekeler_synapse", "balance", {"eta": 0.05, "alpha": 0.2, "Wmax": -20.0, "weight": -1.0})
nest.Connect(exc, exc, {"rule": "all_to_all", "allow_autapses": False}, {"synapse_model": "learn", "weight": 0.4, "delay": 1.0})
nest.Connect(exc, inh, "all_to_all", {"weight": 1.2, "delay": 1.0})
nest.Connect(inh, exc, "all_to_all", {"synapse_model": "balance", "weight": -1.0, "delay": 1.0})
rng = np.random.default_rng(31)
drives = nest.Create("spike_generator", len(exc))
EPOCH, ROUNDS = 60.0, 2
for k, drive in enumerate(drives):
    group, times = k // SIZE, []
    for epoch in range(ROUNDS * PATTERNS):
        if epoch % PATTERNS == group:
            times += (epoch * EPOCH + 2.0 + np.cumsum(rng.uniform(4.0, 9.0, 7))).round(1).tolist()
    drive.spike_times = times
nest.Connect(drives, exc, "one_to_one", {"weight": 35.0, "delay": 1.0})
recorder = nest.Create("spike_recorder")
nest.Connect(exc, recorder)
member = np.arange(len(exc)) // SIZE


def blocks(synapse="learn"):
    found = nest.GetConnections(exc, exc, synapse)
    w = np.full((len(exc), len(exc)), np.nan)
    w[np.array(found.get("target")) - 1, np.array(found.get("source")) - 1] = found.get("weight")
    return np.array([[np.nanmean(w[np.ix_(member == a, member == b)]) for b in range(PATTERNS)] for a in range(PATTERNS)])


for _ in range(ROUNDS):
    nest.Simulate(PATTERNS * EPOCH)
    table = blocks()
    print(
        f"{nest.biological_time:.0f} ms, {recorder.n_events} spikes: within {np.diag(table).round(4).tolist()}, between {table[0, 1]:.4f} {table[1, 2]:.4f} {table[2, 0]:.4f}"
    )
nest.Simulate(20.0)
balance = nest.GetConnections(inh, exc, "balance").get("weight")
print(f"inhibition {min(balance):.4f} to {max(balance):.4f}, assemblies formed: {bool(np.diag(table).min() > table[0, 1])}")
nest.GetConnections(synapse_model="learn").set({"Aplus_triplet": 0.0, "Aminus": 0.0, "Aminus_triplet": 0.0, "Aplus": 0.0})
frozen = blocks()
cue = nest.Create("spike_generator", params={"spike_times": [nest.biological_time + 10.0 + 3.0 * k for k in range(8)]})
nest.Connect(cue, exc[:3], syn_spec={"weight": 40.0, "delay": 1.0})
recorder.n_events = 0
nest.Simulate(80.0)
counts = [int(np.isin(recorder.events["senders"], np.array(exc.tolist())[member == g]).sum()) for g in range(PATTERNS)]
print(
    "recall",
    counts,
    "weights as before:",
    bool(np.array_equal(frozen, blocks())),
    set(nest.GetConnections(synapse_model="learn").get("Aminus")),
)
