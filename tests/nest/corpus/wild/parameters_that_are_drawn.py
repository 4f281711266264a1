# SPDX-License-Identifier: Apache-2.0
"""Distributions of nest.random, and what nest.math and nest.logic make of them: moments of what they draw for nodes, weights and delays."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.rng_seed = 17
many = nest.Create("iaf_psc_exp", 4000)
draws = {
    "uniform": nest.random.uniform(-2.0, 2.0),
    "normal": nest.random.normal(mean=3.0, std=1.0),
    "exponential": nest.random.exponential(beta=1.5),
    "lognormal": nest.random.lognormal(mean=1.0, std=0.25),
    "uniform_int": nest.random.uniform_int(5) + 1.0,
    "redrawn": nest.math.redraw(nest.random.normal(0.0, 1.0), min=-1.0, max=2.0),
    "product": nest.random.uniform(1.0, 2.0) * nest.random.normal(0.0, 1.0),
    "mixture": nest.logic.conditional(nest.random.uniform() < 0.3, nest.random.normal(1.0, 0.5), -1.0),
}
for name, parameter in draws.items():
    many.set({"V_m": parameter})
    values = np.array(many.V_m)
    skew = np.mean((values - values.mean()) ** 3) / values.std() ** 3
    print(f"{name}: mean {values.mean():.2f}, std {values.std():.2f}, skewed: {abs(skew) > 0.25}")

few = many[:300]
synapses = {"weight": nest.random.lognormal(0.0, 0.5), "delay": nest.math.max(nest.random.normal(2.0, 0.5), 0.5)}
nest.Connect(few, few, {"rule": "fixed_outdegree", "outdegree": 20, "allow_autapses": False}, synapses)
nest.CopyModel("stdp_synapse", "varied", {"Wmax": 100.0})
nest.Connect(
    few,
    few,
    {"rule": "fixed_total_number", "N": 6000},
    {"synapse_model": "varied", "weight": nest.random.uniform(1.0, 2.0), "alpha": nest.random.normal(1.0, 0.1)},
)
plain, varied = nest.GetConnections(synapse_model="static_synapse"), nest.GetConnections(synapse_model="varied")
print(len(plain), len(varied), "no autapses:", all(s != t for s, t in zip(plain.source, plain.target, strict=True)))
print(f"weights {np.mean(plain.weight):.2f} and {np.mean(varied.weight):.2f}, median {np.median(plain.weight):.2f}")
print(f"delays {np.mean(plain.delay):.2f} to {0.5 if min(plain.delay) >= 0.5 else 'below'}, alpha {np.mean(varied.get('alpha')):.2f}")
indegrees = np.bincount(np.array(plain.target) - few[0].global_id, minlength=300)
print(f"indegrees {indegrees.mean():.1f}, not all alike: {indegrees.var() > 5.0}")
