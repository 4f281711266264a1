# SPDX-License-Identifier: Apache-2.0
"""The microcircuit on NEST, through its public interface: what `--validate` compares with. Runs in a process of its own."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from neuropil.base.libraries import needed
from neuropil.cli.jobs import microcircuit

if TYPE_CHECKING:
    from neuropil.cli.jobs.microcircuit import Plan

Recorded = list[tuple[np.ndarray, np.ndarray]]  # of each population: times (ms) and neurons, from 0


def simulate(plan: "Plan", seed: int, warmup: float, duration: float, threads: int) -> Recorded:
    """Spikes after the warm-up. Raises MissingLibrary."""
    os.environ["PYNEST_QUIET"] = "1"
    nest: Any = needed("nest", "test", "--validate compares with NEST; it needs")
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.ERROR
    nest.set(resolution=microcircuit.RESOLUTION, rng_seed=seed, local_num_threads=threads, print_time=False)
    populations = [_population(nest, plan, k) for k in range(8)]
    for target, source in np.argwhere(plan.synapses > 0):
        _connect(nest, plan, populations, int(target), int(source))
    recorders = []
    for nodes in populations:
        recorders.append(nest.Create("spike_recorder", params={"start": warmup}))
        nest.Connect(nodes, recorders[-1], syn_spec={"delay": microcircuit.RESOLUTION})
    nest.Simulate(warmup + duration)
    events = [recorder.events for recorder in recorders]
    return [(found["times"], found["senders"] - nodes[0].global_id) for found, nodes in zip(events, populations, strict=True)]


def _population(nest: Any, plan: "Plan", k: int) -> Any:
    start = nest.random.normal(float(microcircuit.INITIAL_MEAN[k]), float(microcircuit.INITIAL_STD[k]))
    params = {**microcircuit.NEURON, "I_e": float(plan.current[k]), "V_m": start}
    nodes = nest.Create("iaf_psc_exp", int(plan.neurons[k]), params=params)
    if plan.external_rate[k] > 0:
        background = nest.Create("poisson_generator", params={"rate": float(plan.external_rate[k])})
        nest.Connect(background, nodes, syn_spec={"weight": plan.external_weight, "delay": microcircuit.DELAY_EXTERNAL})
    return nodes


def _connect(nest: Any, plan: "Plan", populations: list[Any], target: int, source: int) -> None:
    mean = float(plan.weights[target, source])
    delay = microcircuit.DELAY_EXC if mean > 0 else microcircuit.DELAY_INH
    bounds = {"min": 0.0, "max": np.inf} if mean > 0 else {"min": -np.inf, "max": 0.0}
    weights = nest.math.redraw(nest.random.normal(mean, microcircuit.WEIGHT_SPREAD * abs(mean)), **bounds)
    delays = nest.math.redraw(nest.random.normal(delay, microcircuit.DELAY_SPREAD * delay), min=microcircuit.RESOLUTION, max=np.inf)
    rule = {"rule": "fixed_total_number", "N": int(plan.synapses[target, source])}
    nest.Connect(populations[source], populations[target], rule, {"weight": weights, "delay": delays})
