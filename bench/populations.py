# SPDX-License-Identifier: Apache-2.0
"""Many small populations, thousands of small projections, short rows, many delays, and synapses with drawn parameters: description, first step and run beside NEST, on one thread and two."""

from __future__ import annotations

from bench.report import Row, Section
from bench.sides import Settings, Side, column, measure

THREADS = (1, 2)
SIZES = {(16, 160): 500.0, (64, 160): 300.0, (128, 80): 200.0, (200, 60): 200.0, (256, 160): 60.0}  # populations, neurons in each: run [ms]
QUICK = {(16, 160): 500.0, (64, 160): 100.0}
GOALS = {"build": 3.0, "first_step": 2.0, "run": 15.0}
DRAWN = ("tsodyks2_synapse", "quantal_stp_synapse")
TITLES = {"build": "Create and Connect", "first_step": "first 10 ms (tables)", "run": "run"}


def run(settings: Settings) -> Section:
    section = Section("populations", "Many populations and projections, two synapses per neuron and projection")
    sides = {}
    for (populations, each), duration in (QUICK if settings.quick else SIZES).items():
        for threads in THREADS:
            options = {"populations": populations, "each": each, "duration": duration, "threads": threads}
            name = f"{populations} x {each}, {threads} thread{'s' * (threads > 1)}"
            sides[name] = Side("many_populations", options, peer=True, layer=True)
            if settings.peers:
                sides[f"{name} NEST"] = Side("many_populations", options, peer=True)
    drawn = {f"{model}, {('fixed', 'drawn')[k]}": (model, k) for model in DRAWN for k in (0, 1)}
    for name, (model, k) in drawn.items():
        options = {"model": model, "drawn": k, "threads": 1}
        sides[name] = Side("drawn_synapses", options, peer=True, layer=True)
        if settings.peers:
            sides[f"{name} NEST"] = Side("drawn_synapses", options, peer=True)
    runs = measure(section, settings, sides)
    for name in sides:
        if name.endswith("NEST") or name in drawn:
            continue
        ours, peer = runs[name], runs.get(f"{name} NEST", [])
        for phase, goal in GOALS.items():
            section.rows.append(
                Row(f"{name}: {TITLES[phase]}", "s", column(ours, f"{phase}_s"), column(peer, f"{phase}_s"), "slower", goal=goal)
            )
    for name in drawn:
        ours, peer = runs[name], runs.get(f"{name} NEST", [])
        for phase in ("connect", "run"):
            section.rows.append(
                Row(f"10^6 {name} parameters: {phase}", "s", column(ours, f"{phase}_s"), column(peer, f"{phase}_s"), "slower")
            )
    return section
