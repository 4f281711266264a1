# SPDX-License-Identifier: Apache-2.0
"""Networks of binary neurons: mean activity and correlations against mean-field theory, by spins read with get and by correlation matrices."""

import numpy as np

import nest

N_E, N_I, K = 120, 60, 24
nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(rng_seed=61, resolution=0.1)
ginzburg = {"tau_m": 10.0, "c_1": 0.0, "c_2": 1.0, "c_3": 0.4}
exc = nest.Create("ginzburg_neuron", N_E, {**ginzburg, "theta": 2.0})
inh = nest.Create("ginzburg_neuron", N_I, {**ginzburg, "theta": 2.0})
nest.Connect(exc, exc + inh, {"rule": "fixed_indegree", "indegree": K, "allow_multapses": False}, {"weight": 0.4, "delay": 0.1})
nest.Connect(inh, exc + inh, {"rule": "fixed_indegree", "indegree": K // 2, "allow_multapses": False}, {"weight": -1.0, "delay": 0.1})
external = nest.Create("mcculloch_pitts_neuron", 30, {"tau_m": 8.0, "theta": 0.0})
noise = nest.Create("noise_generator", params={"mean": 0.0, "std": 1.0, "dt": 0.1})
nest.Connect(noise, external)
nest.Connect(external, exc + inh, {"rule": "fixed_indegree", "indegree": 10, "allow_multapses": False}, {"weight": 0.4, "delay": 0.1})
detector = nest.Create("correlospinmatrix_detector", params={"N_channels": 4, "tau_max": 20.3, "delta_tau": 0.7, "Tstart": 100.0})
for port, node in enumerate((exc + inh)[:4]):
    nest.Connect(node, detector, syn_spec={"receptor_type": port, "delay": 0.1})
meter = nest.Create("multimeter", params={"record_from": ["S"], "interval": 5.0, "start": 100.0})
nest.Connect(meter, exc + inh + external)
nest.Simulate(1500.0)
events = meter.get("events")
activity = {}
for name, population in (("E", exc), ("I", inh), ("external", external)):
    mine = np.isin(events["senders"], population.tolist())
    activity[name] = events["S"][mine].mean()
    print(f"{name}: mean activity {activity[name]:.2f}, all binary: {set(np.unique(events['S'][mine])) <= {0.0, 1.0}}")
field = 0.4 * K * activity["E"] - 1.0 * (K // 2) * activity["I"] + 0.4 * 10 * activity["external"]
print(f"mean-field gain at the mean input {0.5 * (1.0 + np.tanh(0.4 * (field - 2.0))):.1f}")
covariance = np.asarray(detector.count_covariance)
peaks = np.argmax(covariance[0, 0]), covariance.shape
print("autocovariance peaks at zero lag:", int(peaks[0]) == (peaks[1][2] - 1) // 2, peaks[1])
print("symmetric:", bool(np.allclose(covariance[1, 2], covariance[2, 1][::-1], rtol=0.2, atol=2000.0)))
print(exc.S[0] in (0, 1, True, False), len({float(h) for h in exc.h}) > 5, nest.GetDefaults("ginzburg_neuron", ["c_3", "theta"]))
