# SPDX-License-Identifier: Apache-2.0
"""The microcircuit on NEST, through its public interface: what `--validate` compares with. Runs in a process of its own."""

import os
from typing import Any, NamedTuple

import numpy as np

from neuropil.base.libraries import needed

Recorded = list[tuple[np.ndarray, np.ndarray]]  # of each population: times (ms) and neurons, from 0


class Model(NamedTuple):
    """What no scaling changes."""

    neuron: dict[str, Any]
    start: tuple[np.ndarray, np.ndarray]  # mV, mean and standard deviation by population
    delays: tuple[float, float, float]  # ms, mean: excitatory, inhibitory, external
    delay_spread: float  # standard deviation over mean
    weight_spread: float
    resolution: float  # ms


def simulate(plan: Any, model: Model, seed: int, warmup: float, duration: float, threads: int) -> Recorded:
    """Spikes after the warm-up. plan : numbers of the microcircuit. Raises MissingLibrary."""
    os.environ["PYNEST_QUIET"] = "1"
    nest: Any = needed("nest", "test", "--validate compares with NEST; it needs")
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.ERROR
    nest.set(resolution=model.resolution, rng_seed=seed, local_num_threads=threads, print_time=False)
    populations = [_population(nest, plan, model, k) for k in range(len(plan.neurons))]
    for source in range(len(populations)):
        nest.CopyModel("static_synapse", _synapse(source))
    for target, source in np.argwhere(plan.synapses > 0):
        _connect(nest, plan, model, populations, int(target), int(source))
    recorders = []
    for nodes in populations:
        recorders.append(nest.Create("spike_recorder", params={"start": warmup}))
        nest.Connect(nodes, recorders[-1], syn_spec={"delay": model.resolution})
    nest.Simulate(warmup + duration)
    events = [recorder.events for recorder in recorders]
    return [(found["times"], found["senders"] - nodes[0].global_id) for found, nodes in zip(events, populations, strict=True)]


def _population(nest: Any, plan: Any, model: Model, k: int) -> Any:
    start = nest.random.normal(float(model.start[0][k]), float(model.start[1][k]))
    params = {**model.neuron, "I_e": float(plan.current[k]), "V_m": start}
    nodes = nest.Create("iaf_psc_exp", int(plan.neurons[k]), params=params)
    if plan.external_rate[k] > 0:
        background = nest.Create("poisson_generator", params={"rate": float(plan.external_rate[k])})
        nest.Connect(background, nodes, syn_spec={"weight": plan.external_weight, "delay": model.delays[2]})
    return nodes


def _synapse(source: int) -> str:
    """Name of the synapse model of a source population: NEST has at most 2^27 synapses of a model per thread."""
    return f"from_{source}"


def _connect(nest: Any, plan: Any, model: Model, populations: list[Any], target: int, source: int) -> None:
    mean = float(plan.weights[target, source])
    delay = model.delays[0] if mean > 0 else model.delays[1]
    bounds = {"min": 0.0, "max": np.inf} if mean > 0 else {"min": -np.inf, "max": 0.0}
    weights = nest.math.redraw(nest.random.normal(mean, model.weight_spread * abs(mean)), **bounds)
    delays = nest.math.redraw(nest.random.normal(delay, model.delay_spread * delay), min=model.resolution, max=np.inf)
    rule = {"rule": "fixed_total_number", "N": int(plan.synapses[target, source])}
    synapse = {"synapse_model": _synapse(source), "weight": weights, "delay": delays}
    nest.Connect(populations[source], populations[target], rule, synapse)
