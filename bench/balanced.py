# SPDX-License-Identifier: Apache-2.0
"""Balanced networks whose delays are a millisecond and more, so that steps can be taken several at a time: beside NEST."""

from __future__ import annotations

from bench.report import Row, Section
from bench.sides import Settings, Side, column, measure

DELAYS = {"equal": "1.5 ms", "random": "1 to 3 ms"}
PHASES = {"build": "Create and Connect", "first": "first 10 ms (tables)", "run": "run"}
GOAL = 60.0  # of the run


def run(settings: Settings) -> Section:
    section = Section("balanced", "Balanced network of 12 500 neurons and 15.6 million synapses (Brunel 2000)")
    size = {"scale": 0.2, "duration": 200.0} if settings.quick else {"duration": 500.0}
    for kind, title in DELAYS.items():
        options = size | {"delays": kind, "threads": settings.threads}
        sides = {title: Side("balanced_delays", options, peer=True, layer=True)}
        if settings.peers:
            sides[f"{title} NEST"] = Side("balanced_delays", options, peer=True)
        runs = measure(section, settings, sides)
        ours, peer = runs[title], runs.get(f"{title} NEST", [])
        for phase, what in PHASES.items():
            goal = GOAL if phase == "run" and not settings.quick else None
            section.rows.append(
                Row(f"delays of {title}: {what}", "s", column(ours, f"{phase}_s"), column(peer, f"{phase}_s"), "slower", goal)
            )
        section.rows.append(Row("  mean rate", "1/s", column(ours, "rate"), column(peer, "rate")))
    return section
