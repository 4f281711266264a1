# SPDX-License-Identifier: Apache-2.0
"""Linear rate neurons with noise, excitatory and inhibitory, and with delayed and instantaneous connections (Hahne et al. 2017)."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET
nest.ResetKernel()
nest.set(resolution=0.1, rng_seed=5, use_wfr=True)
n_ex, n_in, indegree, weight, g = 160, 40, 10, 0.08, 4.0

neurons = {"tau": 5.0, "sigma": 0.2, "mu": 1.0}
excitatory, inhibitory = nest.Create("lin_rate_ipn", n_ex, neurons), nest.Create("lin_rate_ipn", n_in, neurons)
print("waveform relaxation:", nest.use_wfr, excitatory[0].node_uses_wfr)
rule = {"rule": "fixed_indegree"}
nest.Connect(
    excitatory,
    excitatory + inhibitory,
    rule | {"indegree": indegree},
    {"synapse_model": "rate_connection_delayed", "weight": weight, "delay": 1.0},
)
nest.Connect(
    inhibitory,
    excitatory + inhibitory,
    rule | {"indegree": indegree // 2},
    {"synapse_model": "rate_connection_instantaneous", "weight": -g * weight},
)
meter = nest.Create("multimeter", params={"record_from": ["rate"], "interval": 1.0})
nest.Connect(meter, excitatory + inhibitory)
nest.Simulate(100.0)

rates, times = meter.events["rate"], meter.events["times"]
total = weight * (indegree - g * indegree / 2)
late = rates[times > 60.0]
print(f"stationary mean: {1.0 / (1.0 - total):.3f} expected, {late.mean():.2f} found")
print(f"standard deviation over neurons and times: {late.std():.2f}")
models = np.array(nest.GetConnections().synapse_model)
print("connections:", *(f"{name} {(models == name).sum()}" for name in ("rate_connection_delayed", "rate_connection_instantaneous")))
