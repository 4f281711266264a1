# SPDX-License-Identifier: Apache-2.0
"""Loops of small steps on a network that exists: connect and run, set one weight, one delay. Tables are merged, so the last round must cost what the
tenth did."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import neuropil as npl
from bench.report import LOWER, Row, Section
from bench.sides import Settings

NEURONS, INDEGREE, EACH = 1000, 100, 10  # 10^5 synapses; so many more in every round


def network(synapse: str, threads: int) -> tuple[npl.Network, npl.Nodes]:
    net = npl.Network(resolution=0.1, seed=1, threads=threads)
    cells = net.create("iaf_psc_exp", NEURONS, I_e=380.0)
    net.connect(cells, cells, npl.fixed_indegree(INDEGREE), weight=1.0, delay=1.5, synapse=synapse)
    net.run(1.0)
    return net, cells


def seconds(step: Callable[[int], None], rounds: int) -> list[float]:
    """Of each round."""
    found = []
    for k in range(rounds):
        start = time.perf_counter()
        step(k)
        found.append(time.perf_counter() - start)
    return found


def connect_and_run(synapse: str, settings: Settings) -> list[float]:
    net, cells = network(synapse, settings.threads)

    def step(k: int) -> None:
        sources, targets = k % (NEURONS - EACH), 7 * k % (NEURONS - EACH)
        net.connect(
            cells[sources : sources + EACH], cells[targets : targets + EACH], npl.one_to_one(), weight=1.0, delay=1.5, synapse=synapse
        )
        net.run(1.0)

    return seconds(step, 100 if settings.quick else 1000)


def run(settings: Settings) -> Section:
    section = Section("rounds", f"Rounds of connect ({EACH} synapses) and run (1 ms), {NEURONS * INDEGREE} synapses at first", peer="none")
    for synapse in ("static_synapse", "stdp_synapse"):
        all_runs = [connect_and_run(synapse, settings) for _ in range(settings.repeats)]
        around = [(statistics.median(times[5:15]), statistics.median(times[-10:])) for times in all_runs]
        section.runs[synapse] = [{"seconds": times} for times in all_runs]
        section.rows += [
            Row(f"{synapse}: tenth round", "ms", [1e3 * tenth for tenth, _ in around]),
            Row(f"{synapse}: last round", "ms", [1e3 * last for _, last in around]),
            Row(f"{synapse}: last round / tenth", "", [last / tenth for tenth, last in around], goal=1.5, sense=LOWER),
        ]
    return section
