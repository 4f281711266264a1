# SPDX-License-Identifier: Apache-2.0
"""Excitatory and inhibitory clusters (in the manner of Rostami et al.): weights within clusters up, between them down, metastable activity as counts."""

import numpy as np

import nest

PARAMETERS = {
    "N_E": 240,
    "N_I": 60,
    "Q": 4,
    "jplus": 4.0,
    "p": {"EE": 0.2, "EI": 0.5, "IE": 0.5, "II": 0.5},
    "j": {"EE": 14.0, "EI": -55.0, "IE": 18.0, "II": -70.0},
}


class Clustered:
    def __init__(self, **changed):
        self.par = {**PARAMETERS, **changed}
        nest.ResetKernel()
        nest.verbosity = nest.VerbosityLevel.QUIET
        nest.SetKernelStatus({"rng_seed": 8, "resolution": 0.1, "local_num_threads": self.par.get("threads", 1)})
        q = self.par["Q"]
        common = {"C_m": 250.0, "V_th": -50.0, "E_L": -65.0, "V_reset": -65.0, "t_ref": 3.0}
        self.E = [
            nest.Create("iaf_psc_exp", self.par["N_E"] // q, common | {"tau_m": 20.0, "tau_syn_ex": 3.0, "tau_syn_in": 2.0, "I_e": 230.0})
            for _ in range(q)
        ]
        self.I = [
            nest.Create("iaf_psc_exp", self.par["N_I"] // q, common | {"tau_m": 10.0, "tau_syn_ex": 3.0, "tau_syn_in": 2.0, "I_e": 350.0})
            for _ in range(q)
        ]
        for pool in self.E + self.I:
            pool.V_m = nest.random.uniform(-65.0, -50.5)

    def connect(self):
        q, jplus = self.par["Q"], self.par["jplus"]
        jminus = (q - jplus) / (q - 1)
        pools = {"E": self.E, "I": self.I}
        for post, targets in pools.items():
            for pre, sources in pools.items():
                kind = post + pre
                factors = (jplus, max(jminus, 0.0)) if kind == "EE" else (1.6, 0.8)
                for label, factor in zip((f"in_{kind}", f"out_{kind}"), factors, strict=True):
                    nest.CopyModel("static_synapse", label, {"weight": factor * self.par["j"][kind], "delay": 1.0})
                for i, source in enumerate(sources):
                    for k, target in enumerate(targets):
                        rule = {
                            "rule": "fixed_indegree",
                            "indegree": int(self.par["p"][kind] * len(source)),
                            "allow_autapses": False,
                            "allow_multapses": False,
                        }
                        nest.Connect(source, target, rule, f"in_{kind}" if i == k else f"out_{kind}")
        return self

    def simulate(self, T=600.0):
        recorder = nest.Create("spike_recorder", params={"start": 100.0})
        noise = nest.Create("poisson_generator", params={"rate": 1500.0})
        for pool in self.E + self.I:
            nest.Connect(pool, recorder)
            nest.Connect(noise, pool, syn_spec={"weight": 12.0, "delay": 1.0})
        nest.Simulate(T)
        senders, times = recorder.events["senders"], recorder.events["times"]
        bins = np.arange(100.0, T + 1.0, 50.0)
        return np.array([np.histogram(times[np.isin(senders, pool.tolist())], bins)[0] / len(pool) / 0.05 for pool in self.E + self.I])


plain = Clustered(jplus=1.0).connect().simulate()
clustered = Clustered().connect().simulate()
for name, table in (("plain", plain), ("clustered", clustered)):
    print(f"{name}: E {table[:4].mean():.1f}/s, I {table[4:].mean():.1f}/s")
print("one or few clusters win:", bool(clustered[:4].std(axis=0).mean() > 1.4 * plain[:4].std(axis=0).mean()))
models = [m for m in nest.synapse_models if m.startswith(("in_", "out_"))]
print(len(models), sum(nest.GetDefaults(m, "num_connections") for m in models), nest.GetDefaults("in_EE", ["weight", "delay"]))
again = Clustered(threads=2).connect().simulate(200.0)
print("on two threads:", again.shape, bool(again.mean() > 0.0), nest.local_num_threads, len(nest.GetLocalVPs()))
