# SPDX-License-Identifier: Apache-2.0
"""Exact counts on up to 64 ranks that are threads of this process: routing, and what one strategy sends, beside bench/cost_model.py."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

import neuropil
from bench import cost_model
from neuropil import _core
from neuropil.cli.jobs import hpc_benchmark

WARM_UP = 30.0  # ms; without it, all neurons fire at the start at once
DRIVEN_BY = 1000  # in-degree that weights and drive are for, so that few synapses leave the neurons independent of each other
PHASES = {"nbx, two phases": ("nbx", 2)}


def measure(
    ranks: int,
    neurons: int,
    indegree: int,
    strategy: str = "alltoallv",
    regime: str = "dense",
    duration: float = 0.0,
    per_node: int = 0,
    threads: int = 1,
) -> list[dict[str, Any]]:
    """One result per rank: routes, memory, and what was sent in each interval after the warm-up. `neurons`: per rank."""
    name, phases = PHASES.get(strategy, (strategy, 1))
    given = hpc_benchmark.plan(ranks * neurons, indegree)
    drive = hpc_benchmark.plan(ranks * neurons, DRIVEN_BY)
    plan = replace(given, weight=drive.weight, rate=drive.rate)

    def rank(comm: object) -> dict[str, Any]:
        exchange = neuropil.exchange(name, regime=regime, phases=phases)
        net = neuropil.Network(hpc_benchmark.RESOLUTION, threads=threads, exchange=exchange, ranks=comm, count_intervals=True)
        hpc_benchmark.build(net, plan)
        net.build(progress=False)
        built = net.memory["routing"]
        net.run(WARM_UP + duration if duration else 0.0, progress=False)  # at once: the first interval of a run counts what was before
        skip = round(WARM_UP / hpc_benchmark.DELAY)
        return {"routes": net.counters["routes"], "routing_bytes": built, "intervals": {k: v[skip:] for k, v in net.intervals.items()}}

    with ThreadPoolExecutor(ranks) as pool:
        return list(pool.map(rank, _core.thread_ranks(ranks, per_node)))


def network(ranks: int, neurons: int, indegree: int, regime: str, per_node: int = 0) -> cost_model.Network:
    return cost_model.Network(ranks, neurons, indegree, 0.0, hpc_benchmark.DELAY, 1, regime, hpc_benchmark.RESOLUTION, per_node or ranks)


def compare(
    ranks: int, neurons: int, indegree: int, strategy: str, regime: str = "dense", duration: float = 60.0, per_node: int = 0
) -> dict[str, tuple[float, float]]:
    """Measured and modelled, summed over ranks, per interval. The model is told how many spikes there were, nothing else."""
    found = measure(ranks, neurons, indegree, strategy, regime, duration, per_node)
    net = network(ranks, neurons, indegree, regime, per_node)
    spikes = np.concatenate([result["intervals"]["spikes"] for result in found])
    costs = [cost_model.COSTS[strategy](cost_model.load(net, s)) for s in spikes]
    n = len(spikes) / ranks
    sums = {
        name: sum(result["intervals"][key].sum() for result in found) / n
        for name, key in (("messages", "messages"), ("bytes", "bytes_sent"))
    }
    modelled = {name: sum(getattr(cost, name) for cost in costs) / n for name in sums}
    words = sum(result["intervals"]["words_sent"].sum() for result in found) / n
    per_spike = cost_model.routes_per_source(net) if strategy != "allgather" else 1.0  # allgather: a word per spike, no routes
    return {name: (float(sums[name]), float(modelled[name])) for name in sums} | {
        "words": (float(words), float(spikes.sum() * per_spike / n))
    }


def routing(ranks: int, neurons: int, indegree: int, regime: str, threads: int = 1) -> dict[str, Any]:
    """Routes and bytes of routing of one rank (mean), measured and modelled."""
    found = measure(ranks, neurons, indegree, "alltoallv", regime, threads=threads)
    net = replace(network(ranks, neurons, indegree, regime), threads=threads)
    return {
        "ranks": ranks,
        "threads": threads,
        "regime": regime,
        "routes": found[0]["routes"] / ranks,
        "routes_model": neurons * cost_model.routes_per_source(net),
        "bytes": float(np.mean([result["routing_bytes"] for result in found])),
        "bytes_model": cost_model.routing_bytes(net),
    }
