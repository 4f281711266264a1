# SPDX-License-Identifier: Apache-2.0
"""Many small projections with models of their own from each neuron, parrots to which only a recorder listens, runs of 10 ms: beside NEST, on one thread and two."""

from __future__ import annotations

from bench.report import Row, Section
from bench.sides import Settings, Side, column, measure

THREADS = (1, 2)
NETWORKS = {"pathways": "40 projections per source", "legs": "ring of 20 populations among parrots"}
TITLES = {"build": "Create and Connect", "first_piece": "first 10 ms (tables)", "run": "run"}
COUNTS = ("spikes", "relayed", "weights")
GOAL = 4.0  # of the run of `pathways`, on one thread


def run(settings: Settings) -> Section:
    section = Section("pathways", "Small projections with models of their own, in pieces of 10 ms")
    for network, title in NETWORKS.items():
        for threads in THREADS:
            options = {"network": network, "duration": 50.0 if settings.quick else 500.0, "threads": threads}
            options |= {"share": 0.1} if settings.quick else {}
            section.rows += one(section, settings, f"{title}, {threads} thread{'s' * (threads > 1)}", options)
    return section


def one(section: Section, settings: Settings, title: str, options: dict) -> list[Row]:
    sides = {title: Side("many_pathways", options, peer=True, layer=True)}
    if settings.peers:
        sides[f"{title} NEST"] = Side("many_pathways", options, peer=True)
    runs = measure(section, settings, sides)
    ours, peer = runs[title], runs.get(f"{title} NEST", [])
    goals = {"run": GOAL} if options["network"] == "pathways" and options["threads"] == 1 and not settings.quick else {}
    rows = [
        Row(f"{title}: {what}", "s", column(ours, f"{phase}_s"), column(peer, f"{phase}_s"), "slower", goals.get(phase))
        for phase, what in TITLES.items()
    ]
    return rows + [Row(f"  {what}", "", column(ours, what), column(peer, what)) for what in COUNTS]
