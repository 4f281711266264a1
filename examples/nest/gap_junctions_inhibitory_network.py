# SPDX-License-Identifier: Apache-2.0
"""Inhibitory neurons with gap junctions (Hahne et al. 2015): strong junctions make the network fire in step."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET
n, junctions_per_cell, synapses_per_cell, duration = 60, 10, 8, 250.0


def spikes_with(conductance):
    nest.ResetKernel()
    nest.set(resolution=0.05, rng_seed=3)
    rng = np.random.default_rng(1)
    cells = nest.Create("hh_psc_alpha_gap", n, {"I_e": 150.0})
    cells.V_m = (-40.0 - 40.0 * rng.random(n)).tolist()
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": synapses_per_cell}, {"weight": -20.0, "delay": 1.0})
    noise = nest.Create("poisson_generator", params={"rate": 500.0})
    nest.Connect(noise, cells, syn_spec={"weight": 60.0, "delay": 1.0})
    pairs = np.sort([rng.choice(n, 2, replace=False) + 1 for _ in range(n * junctions_per_cell // 2)], axis=1)
    both_ways = {"rule": "one_to_one", "make_symmetric": True}
    junction = {"synapse_model": "gap_junction", "weight": np.full(len(pairs), conductance)}
    nest.Connect(pairs[:, 0], pairs[:, 1], both_ways, junction)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(duration)
    return recorder.events["times"]


def synchrony(times):
    """Variance of the number of spikes in bins of 2 ms, relative to the mean: about 1 or less for independent cells."""
    counts = np.histogram(times[times > 50.0], np.arange(50.0, duration, 2.0))[0]
    return counts.var() / counts.mean()


weak, strong = (spikes_with(conductance) for conductance in (0.05, 8.0))
for name, times in (("weak", weak), ("strong", strong)):
    print(f"{name} junctions: {len(times) / n / duration * 1000.0:.0f} spikes per second")
print("strong junctions", "synchronise" if synchrony(strong) > 3.0 * synchrony(weak) else "do not synchronise")
