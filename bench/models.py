# SPDX-License-Identifier: Apache-2.0
"""Every neuron model alone, 1 thread: ns per neuron and step for one, eight and a thousand neurons; the same script on neuropil.nest and on NEST."""

from __future__ import annotations

from bench.peers.nest_models import MODELS
from bench.report import Row, Section
from bench.sides import Settings, Side, measure

SIZES = (1, 8, 1000)
GOAL = 3.0


def run(settings: Settings) -> Section:
    section = Section("models", "Neuron models, 1 thread: time per neuron and step")
    options = {"sizes": ",".join(map(str, SIZES)), "seconds": 0.02 if settings.quick else 0.2}
    sides = {"models layer": Side("nest_models", options, peer=True, layer=True)}
    if settings.peers:
        sides["models NEST"] = Side("nest_models", options, peer=True)
    runs = measure(section, settings, sides)
    ours, theirs = runs["models layer"], runs.get("models NEST", [])
    section.rows += [row(f"{model} {n}", n, ours, theirs, settings) for model in MODELS for n in SIZES]
    return section


def row(cell: str, n: int, ours: list[dict], theirs: list[dict], settings: Settings) -> Row:
    here, there = ([run["cells"][cell] for run in runs if cell in run["cells"]] for runs in (ours, theirs))
    rates = " and ".join(f"{runs[0]['rate']:.1f}" for runs in (here, there) if runs)
    note = f"{rates} spikes/s" if n == SIZES[-1] else ""
    return Row(cell, "ns", [c["ns"] for c in here], [c["ns"] for c in there], "slower", None if settings.quick else GOAL, note=note)
