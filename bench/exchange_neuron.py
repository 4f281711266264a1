# SPDX-License-Identifier: Apache-2.0
"""The network of artificial cells on NEURON 9 and on neuropil: same ranks, same way to exchange spikes, same step."""

from __future__ import annotations

import statistics

from bench import neuron_setup, programs
from bench.ranks import start
from bench.report import HIGHER, Row, Section
from bench.sides import Settings

GOAL = 10.0  # times the run speed
WAYS = {
    "allgather": {"strategy": "allgather"},
    "multisend": {"strategy": "multisend"},
    "multisend, halves, 2 phases": {"strategy": "multisend", "halves": True, "phases": 2},
}
STEP = 0.025  # ms, as in the paper
TOLERANCE = 0.01  # of the number of spikes: intervals are random, and NEURON's are not rounded to steps


def add(section: Section, settings: Settings, size: tuple[int, int], limit: float) -> None:
    """Rows of both simulators; without NEURON a note that says why."""
    if not settings.other_peers:
        section.notes.append("NEURON left out, as asked for")
        return
    settings.say("exchange: NEURON, installed and compiled if it is not yet")
    neuron, reason = neuron_setup.prepare()
    if neuron is None:
        section.notes.append(f"NEURON left out: {reason}")
        return
    cells, connections = size
    for ranks in dict.fromkeys((1, programs.cores())):
        for name in WAYS if ranks > 1 else ["allgather"]:
            row(section, settings, neuron, ranks, name, {"cells": cells, "connections": connections}, limit)


def row(section: Section, settings: Settings, neuron: neuron_setup.Neuron, ranks: int, name: str, size: dict, limit: float) -> None:
    folder = settings.output / section.name / f"neuron-{ranks}-{name.replace(', ', '-').replace(' ', '')}"
    cases = [size | {"exchange": WAYS[name], "resolution": STEP}] * settings.repeats
    ours, error = start.run_cases("hines", ranks, cases, folder, limit)
    settings.say(f"exchange: NEURON, {name}, {ranks} ranks")
    try:
        theirs = neuron_setup.run(neuron, ranks, size | {"dt": STEP, "exchange": name}, folder / "neuron.json", limit)
    except programs.RunError as failed:
        section.errors.append(str(failed))
        return
    if error:
        section.errors.append(error)
        return
    section.runs.setdefault("neuropil beside neuron", []).extend(ours)
    section.runs.setdefault("neuron", []).append(theirs)
    title = f"{size['cells']} cells x {size['connections']}, 200 ms, {ranks} rank{'s' * (ranks > 1)}" + (f", {name}" if ranks > 1 else "")
    section.rows.append(compare(ours, theirs, title, None if settings.quick else GOAL))
    apart = abs(ours[0]["spikes"] / theirs["spikes"] - 1.0)
    if apart > TOLERANCE:
        section.errors.append(
            f"numbers of spikes differ by {100 * apart:.2f} %: neuropil {ours[0]['spikes']}, NEURON {theirs['spikes']:.0f}"
        )


def compare(ours: list[dict], theirs: dict, title: str, goal: float | None) -> Row:
    events = ours[0]["events"] / statistics.median(result["run_s"] for result in ours) / 1e6
    note = (
        f"steps of {STEP:g} ms, 200 ms; spikes {ours[0]['spikes']} and {theirs['spikes']:.0f}; neuropil {events:.0f} M synaptic events/s; "
        f"construction {ours[0]['build_s']:.2g} s and {theirs['build_s']:.3g} s"
    )
    return Row(f"{title}, run time", "s", [result["run_s"] for result in ours], [theirs["run_s"]], "slower", goal, HIGHER, note)
