# SPDX-License-Identifier: Apache-2.0
"""What a script spends outside the time loop: resets, calls in loops, questions, files; the same script on both simulators, one thread."""

from __future__ import annotations

import subprocess
import sys
import time

from bench.peers import felt
from bench.report import HIGHER, LOWER, Row, Section
from bench.sides import Settings, Side, column, measure

TITLES: dict[str, tuple[str, float | None]] = {  # and the most seconds
    "reset": ("300 x (ResetKernel, Create, Connect, Simulate 1 s of one neuron)", 0.5),
    "reset_aeif": ("200 x (ResetKernel, Create, Connect, Simulate 0.5 s of one aeif_cond_alpha)", None),
    "calls": ("2000 x (Simulate 1 ms, set, get)", 0.3),
    "singles": ("1000 single Connects", 0.05),
    "blocks": ("4096 Connects of 64 x 64 populations, weights and delays drawn", 0.5),
    "count_kernel": ("400 Connects, num_connections after each", 0.1),
    "count_pairs": ("400 Connects, GetConnections of the pair after each", 0.5),
    "count_model": ("400 Connects, GetDefaults(model)['num_connections'] after each", 0.1),
    "asked": ("4000 Connects of one target each, GetConnections(synapse_model=...) after each", None),
    "all_keys": ("2000 x node.get(), conn.get(), GetDefaults: all keys", None),
    "spatial": ("2000 Connects of two layers of 30 neurons with a mask", None),
    "ascii": ("2 million rows of a multimeter to a file", 1.0),
    "edits": ("40 000 x conn.weight = x", 2.0),
    "edits_status": ("4000 x SetStatus of one connection", 0.2),
    "spins": ("correlospinmatrix_detector of ten neurons, 20 s", None),
    "glif_psc": ("ten glif_psc, 500 000 rows to a file", None),
    "iaf_cond_alpha": ("ten iaf_cond_alpha, 500 000 rows to a file", None),
    "glif_cond": ("ten glif_cond, 500 000 rows to a file", None),
}
BESIDE = {
    "reset": 2.0,
    "reset_aeif": 2.0,
    "singles": 1.0,
    "asked": 2.0,
    "all_keys": 1.0,
    "spatial": 1.0,
}  # at least so many times as fast as NEST in the same run
FIRST = "import nest; n = nest.Create('iaf_psc_alpha'); nest.Simulate(1.0)"


def run(settings: Settings) -> Section:
    section = Section("felt", "What a script feels outside the time loop, 1 thread")
    section.rows.append(first_network(settings))
    for task, (title, goal) in TITLES.items():
        section.rows.append(one(section, settings, task, title, None if settings.quick else goal))
    return section


def one(section: Section, settings: Settings, task: str, title: str, goal: float | None) -> Row:
    n = felt.TASKS[task][1]
    options = {"task": task, "threads": 1, "size": max(n // 10, 5) if settings.quick else n}
    sides = {task: Side("felt", options, peer=True, layer=True)}
    if settings.peers:
        sides[f"{task} NEST"] = Side("felt", options, peer=True)
    runs = measure(section, settings, sides)
    ours, peer = runs[task], runs.get(f"{task} NEST", [])
    row = Row(title, "s", column(ours, "seconds"), column(peer, "seconds"), goal=goal, sense=LOWER)
    if peer and task in BESIDE and not settings.quick:
        row.compare, row.goal, row.sense = "slower", BESIDE[task], HIGHER
    return row


def first_network(settings: Settings) -> Row:
    """A whole process, from import to the end of the first Simulate."""

    def seconds(before: str) -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", before + FIRST], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begin

    ours, peer = [], []
    for _ in range(max(settings.repeats, 3)):
        ours.append(seconds("from neuropil.nest_alias import install; install(); "))
        if settings.peers:
            peer.append(seconds(""))
    return Row("import nest, Create, Simulate: process and all", "s", ours, peer, goal=0.3, sense=LOWER)
