# SPDX-License-Identifier: Apache-2.0
"""Two rate units that inhibit each other: pitchfork of the winner, hysteresis under a slowly changed bias, and a delayed feedback that oscillates."""

import numpy as np

import nest


def fresh(**kernel):
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.QUIET
    nest.set(resolution=0.1, use_wfr=False, **kernel)


fresh()
print("competition: final rates for several strengths of inhibition")
for g in (0.5, 0.9, 1.5, 2.5):
    fresh()
    units = nest.Create("tanh_rate_ipn", 2, {"sigma": 0.0, "tau": 10.0, "mu": 0.0, "g": 1.0, "theta": 0.0})
    units.rate = [0.02, 0.0]
    nest.Connect(units[0], units[1], syn_spec={"synapse_model": "rate_connection_instantaneous", "weight": -g})
    nest.Connect(units[1], units[0], syn_spec={"synapse_model": "rate_connection_instantaneous", "weight": -g})
    nest.Simulate(300.0)
    print(f"  g = {g}: {units[0].rate:+.5f} {units[1].rate:+.5f}")

fresh()
bias = nest.Create("step_rate_generator", 2)
pair = nest.Create(
    "threshold_lin_rate_opn", 2, params={"sigma": 0.0, "tau": 5.0, "alpha": 10.0, "theta": 0.5, "g": 2.0, "linear_summation": True}
)
bias[0].set(amplitude_times=np.arange(0.1, 400.0, 50.0), amplitude_values=np.linspace(0.0, 3.5, 8))
bias[1].set({"amplitude_times": [0.1, 300.0], "amplitude_values": [1.5, 0.0]})
nest.Connect(bias, pair, "one_to_one", {"synapse_model": "rate_connection_delayed", "delay": 0.1})
nest.Connect(
    pair, pair, {"rule": "all_to_all", "allow_autapses": False}, {"synapse_model": "rate_connection_delayed", "weight": -0.8, "delay": 1.0}
)
meter = nest.Create("multimeter", params={"record_from": ["rate", "noise", "noisy_rate"], "interval": 1.0})
nest.Connect(meter, pair)
nest.Simulate(400.0)
events = meter.get("events")
rates = np.array([events["rate"][events["senders"] == node.global_id] for node in pair])
print("bias steps:", [[round(float(r), 4) for r in rates[:, t]] for t in range(49, 399, 50)])
print("noise is zero:", not events["noise"].any(), "rate is its noisy one:", bool((events["rate"] == events["noisy_rate"]).all()))

fresh()
drive = nest.Create("step_rate_generator", params={"amplitude_times": [1.0], "amplitude_values": [12.0]})
unit = nest.Create("sigmoid_rate_ipn", params={"sigma": 0.0, "tau": 5.0, "g": 20.0, "beta": 2.0, "theta": 5.0, "rate": 12.0, "lambda": 1.0})
nest.Connect(unit, unit, syn_spec={"synapse_model": "rate_connection_delayed", "weight": -0.8, "delay": 15.0})
nest.Connect(drive, unit, syn_spec={"synapse_model": "rate_connection_delayed", "delay": 1.0})
trace = nest.Create("multimeter", params={"record_from": ["rate"], "interval": 0.5})
nest.Connect(trace, unit)
nest.Simulate(400.0)
late = trace.events["rate"][400:]
ups = np.flatnonzero(np.diff(np.sign(late - late.mean())) > 0)
print(f"feedback: from {late.min():.3f} to {late.max():.3f}, period {np.diff(ups).mean() * 0.5:.2f} ms")
