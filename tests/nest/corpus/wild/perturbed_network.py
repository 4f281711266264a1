# SPDX-License-Identifier: Apache-2.0
"""One spike more: a balanced network is run twice with the same numbers, the second time with an extra spike; trains diverge, statistics do not."""

import numpy as np

import nest

N_E, N_I, T, T_STIM = 160, 40, 500.0, 200.0


def run(extra):
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.QUIET
    nest.SetKernelStatus({"rng_seed": 123, "resolution": 0.1})
    neurons = {"tau_syn_ex": 1.0, "tau_syn_in": 1.0, "V_reset": -70.0, "V_th": -55.0, "t_ref": 2.0, "tau_m": 20.0, "E_L": -70.0}
    neurons["V_m"] = nest.random.normal(-65.0, 5.0)
    exc, inh = nest.Create("iaf_psc_delta", N_E, {k: v for k, v in neurons.items() if "syn" not in k}), nest.Create("iaf_psc_delta", N_I)
    inh.set({"V_reset": -70.0, "tau_m": 20.0})
    everyone = exc + inh
    noise = nest.Create("poisson_generator", params={"rate": 9000.0})
    nest.Connect(noise, everyone, syn_spec={"weight": 0.1, "delay": 1.0})
    nest.Connect(exc, everyone, {"rule": "fixed_indegree", "indegree": 16}, {"weight": 0.5, "delay": 1.5})
    nest.Connect(inh, everyone, {"rule": "fixed_indegree", "indegree": 8}, {"weight": -3.0, "delay": 1.5})
    stimulus = nest.Create("spike_generator", params={"spike_times": [T_STIM] if extra else []})
    nest.Connect(stimulus, exc[:1], syn_spec={"weight": 20.0, "delay": 1.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(everyone, recorder)
    nest.Simulate(T)
    order = np.lexsort((recorder.events["senders"], recorder.events["times"]))
    return recorder.events["times"][order], recorder.events["senders"][order]


runs = [run(False), run(False), run(True)]
(t0, s0), (t1, s1), (t2, s2) = runs
print("repeated:", bool(np.array_equal(t0, t1) and np.array_equal(s0, s1)))
before = [(t[t <= T_STIM + 1.0].tolist(), s[t <= T_STIM + 1.0].tolist()) for t, s in (runs[0], runs[2])]
print("same before the extra spike:", before[0] == before[1])
print("diverged after it:", not np.array_equal(t0, t2))
print(f"rates {len(t0) / T / 0.2:.1f} and {len(t2) / T / 0.2:.1f} spikes/s")
