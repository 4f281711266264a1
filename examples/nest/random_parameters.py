# SPDX-License-Identifier: Apache-2.0
"""Parameter objects: heterogeneous neurons and connections from distributions, arithmetic, conditions and redrawing."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.rng_seed = 4
tau = nest.math.redraw(nest.random.normal(10.0, 3.0), min=5.0, max=20.0)
kind = nest.logic.conditional(nest.random.uniform() < 0.2, 100.0, 250.0)
cells = nest.Create("iaf_psc_exp", 2000, {"tau_m": tau, "C_m": kind, "V_m": -70.0 + 10.0 * nest.random.uniform() ** 2})
nest.Connect(cells[:100], cells[100:], {"rule": "fixed_indegree", "indegree": 10 + nest.random.uniform_int(11)},
             {"weight": nest.random.lognormal(3.0, 0.5), "delay": 1.0 + nest.random.exponential(0.5)})  # fmt: skip

weights, delays = np.array(nest.GetConnections().get("weight")), np.array(nest.GetConnections().get("delay"))
print(f"tau_m: mean {np.mean(cells.tau_m):.1f}, inside {min(cells.tau_m) >= 5.0 and max(cells.tau_m) <= 20.0}")
print(f"small cells: {np.mean(np.array(cells.C_m) == 100.0):.2f}")
print(f"V_m: mean {np.mean(cells.V_m):.1f}")
print(f"in-degree: {len(weights) / 1900:.1f}, log weight: {np.log(weights).mean():.2f}, delay: {delays.mean():.2f}")
