# SPDX-License-Identifier: Apache-2.0
"""A small decision network with saturating NMDA receptors (after Wang 2002): two pools, shared inhibition, gates that are recorded, frozen input."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.SetKernelStatus({"resolution": 0.1})
AMPA, GABA, NMDA = (nest.GetDefaults("iaf_bw_2001")["receptor_types"][name] for name in ("AMPA", "GABA", "NMDA"))
excitatory = {"C_m": 500.0, "g_L": 25.0, "E_L": -70.0, "V_th": -50.0, "V_reset": -55.0, "t_ref": 2.0, "tau_AMPA": 2.0, "tau_GABA": 5.0}
inhibitory = excitatory | {"C_m": 200.0, "g_L": 20.0, "t_ref": 1.0}
slow = {"tau_decay_NMDA": 100.0, "tau_rise_NMDA": 2.0, "alpha": 0.5, "conc_Mg2": 1.0}
N = 16
pools = [nest.Create("iaf_bw_2001", N, excitatory | slow) for _ in range(2)]
inh = nest.Create("iaf_bw_2001", 8, inhibitory | slow)
rng = np.random.default_rng(9)


def poisson_input(targets, rate, begin, end, weight):
    relay = nest.Create("parrot_neuron", len(targets))
    sources = nest.Create("spike_generator", len(targets))
    for source in sources:
        n = rng.poisson(rate * (end - begin) / 1000.0)
        source.spike_times = np.sort(np.round(rng.uniform(begin, end, n), 1)) + 0.1
    nest.Connect(sources, relay, "one_to_one")
    nest.Connect(relay, targets, "one_to_one", {"weight": weight, "delay": 1.0, "receptor_type": AMPA})


for pool, evidence in zip(pools, (900.0, 500.0), strict=True):
    poisson_input(pool, 1800.0, 0.0, 500.0, 2.6)
    poisson_input(pool, evidence, 150.0, 350.0, 2.6)
poisson_input(inh, 1500.0, 0.0, 500.0, 1.8)
for a, source in enumerate(pools):
    for b, target in enumerate(pools):
        factor = 1.7 if a == b else 0.75
        spec = {"rule": "all_to_all", "allow_autapses": False}
        nest.Connect(source, target, spec, {"weight": 0.05 * factor, "delay": 0.5, "receptor_type": AMPA})
        nest.Connect(source, target, spec, {"weight": 0.35 * factor, "delay": 0.5, "receptor_type": NMDA})
    nest.Connect(source, inh, "all_to_all", {"weight": 0.3, "delay": 0.5, "receptor_type": NMDA})
    nest.Connect(inh, source, "all_to_all", {"weight": -4.0, "delay": 0.5, "receptor_type": GABA})
nest.Connect(inh, inh, {"rule": "all_to_all", "allow_autapses": False}, {"weight": -1.5, "delay": 0.5, "receptor_type": GABA})
meter = nest.Create("multimeter", params={"record_from": ["V_m", "s_AMPA", "s_NMDA", "s_GABA"], "interval": 5.0})
recorders = nest.Create("spike_recorder", 3)
for population, recorder in zip((*pools, inh), recorders, strict=True):
    nest.Connect(population, recorder)
nest.Connect(meter, pools[0][:1] + pools[1][:1])
for _k in range(5):
    nest.Simulate(100.0)
    print(f"{nest.biological_time:.0f} ms", [int(n) for n in recorders.n_events])
events = meter.get("events")
for name, pool in zip(("favoured", "other"), pools, strict=True):
    mine = events["senders"] == pool[0].global_id
    print(name, " ".join(f"{key} {events[key][mine].mean():.2f}" for key in ("V_m", "s_AMPA", "s_NMDA", "s_GABA")))
won = [np.sum((r.events["times"] > 200.0) & (r.events["times"] < 350.0)) for r in recorders]
print("the favoured pool leads:", bool(won[0] > won[1]), nest.num_connections)
