# SPDX-License-Identifier: Apache-2.0
"""Neurons and astrocytes in domains: tripartite connections with pools, calcium waves, slow inward currents, and who talks to whom."""

import numpy as np

import nest

N_E, N_A = 24, 6
nest.ResetKernel()
nest.set_verbosity("M_ERROR")
nest.set(resolution=0.1, rng_seed=3)
cells = nest.Create("aeif_cond_alpha_astro", N_E, {"tau_syn_ex": 2.0, "tau_syn_in": 4.0})
interneurons = nest.Create("aeif_cond_alpha_astro", N_E // 4)
astrocytes = nest.Create("astrocyte_lr_1994", N_A, {"delta_IP3": 0.05, "tau_IP3": 400.0, "rate_IP3R": 0.002, "rate_L": 0.0005})
astrocytes.IP3 = np.linspace(0.16, 0.6, N_A)
nest.TripartiteConnect(
    cells,
    cells + interneurons,
    astrocytes,
    conn_spec={"rule": "pairwise_bernoulli", "p": 1.0},
    third_factor_conn_spec={"rule": "third_factor_bernoulli_with_pool", "p": 1.0, "pool_size": 1, "pool_type": "block"},
    syn_specs={
        "primary": {"synapse_model": "tsodyks_synapse", "weight": 2.0, "tau_psc": 2.0, "delay": 1.0},
        "third_in": {"synapse_model": "tsodyks_synapse", "weight": 0.08, "tau_psc": 2.0, "delay": 1.0},
        "third_out": {"synapse_model": "sic_connection", "weight": 1.5, "delay": 1.0},
    },
)
nest.Connect(interneurons, cells, {"rule": "all_to_all"}, {"weight": -1.0, "delay": 1.0})
drive = nest.Create("spike_generator", params={"spike_times": np.arange(5.0, 1500.0, 40.0)})
nest.Connect(drive, cells[::3], syn_spec={"weight": 60.0})
meters = nest.Create("multimeter", 2, {"interval": 10.0})
meters[0].record_from = ["IP3", "Ca_astro", "h_IP3R"]
meters[1].record_from = ["V_m", "I_SIC"]
nest.Connect(meters[0], astrocytes)
nest.Connect(meters[1], cells)
recorder = nest.Create("spike_recorder")
nest.Connect(cells, recorder)
nest.Simulate(2500.0)
print({model: len(nest.GetConnections(synapse_model=model)) for model in ("tsodyks_synapse", "sic_connection", "static_synapse")})
out = nest.GetConnections(astrocytes, synapse_model="sic_connection")
domains = {
    a.global_id: sorted({t for s, t in zip(out.get("source"), out.get("target"), strict=True) if s == a.global_id}) for a in astrocytes
}
print("domains", {a: (targets[0], targets[-1], len(targets)) for a, targets in domains.items()})
events = meters[0].get("events")
for node in astrocytes:
    mine = events["senders"] == node.global_id
    print(
        f"astrocyte: IP3 up to {events['IP3'][mine].max():.3f}, Ca {events['Ca_astro'][mine].min():.3f} to {events['Ca_astro'][mine].max():.3f}, h {events['h_IP3R'][mine][-1]:.3f}"
    )
current = meters[1].events["I_SIC"]
print(
    f"{recorder.n_events} spikes, slow inward current up to {current.max():.2f} pA, in {len(np.unique(meters[1].events['senders'][current > 0]))} neurons"
)
print(f"V {meters[1].events['V_m'].mean():.2f} mV, recordables of the astrocyte {nest.GetDefaults('astrocyte_lr_1994', 'recordables')}")
