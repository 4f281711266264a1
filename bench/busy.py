# SPDX-License-Identifier: Apache-2.0
"""A machine that others use: networks with one thread and with two, alone and beside two processes that are always busy, in turn."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from bench.report import LOWER, Row, Section
from bench.sides import Settings, Side, column, measure

THREADS, LOADS = (1, 2), {"alone": 0, "busy": 2}
THREADS_GOAL, BUSY_GOAL = 1.1, 2.5  # two threads / one; busy / alone


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Beside so many processes that never sleep."""
    running = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def run(settings: Settings) -> Section:
    section = Section("busy", "Two threads beside one, alone and beside two busy processes")
    duration = 300.0 if settings.quick else 1000.0
    circuit = {"scale": 0.1, "duration": duration, "warmup": 100.0, "seed": 1}
    sides = {f"microcircuit 0.1, {t}": Side("microcircuit", circuit | {"threads": t}) for t in THREADS}
    sides |= {"microcircuit 0.1, 2 ranks": Side("microcircuit", circuit | {"threads": 1, "ranks": 2})}
    sides |= {
        f"60 populations, {t}": Side("small_steps", {"task": "populations", "calls": 300, "threads": t}, peer=True, layer=True)
        for t in THREADS
    }
    if settings.peers:
        sides |= {
            f"microcircuit 0.1, {t} NEST": Side("nest_microcircuit", circuit | {"duration": 0.2 * duration, "threads": t}, peer=True)
            for t in THREADS
        }
    runs: dict[str, dict[str, list[dict]]] = {load: {} for load in LOADS}
    for _ in range(settings.repeats):
        for load, processes in LOADS.items():
            with busy(processes):
                found = measure(section, replace(settings, repeats=1), sides)
            for name, results in found.items():
                runs[load].setdefault(name, []).extend(results)
    section.runs = {f"{name}, {load}": results for load, by_name in runs.items() for name, results in by_name.items()}
    section.commands = list(dict.fromkeys(section.commands))
    section.rows = rows_of(runs)
    return section


def rows_of(runs: dict[str, dict[str, list[dict]]]) -> list[Row]:
    rows = []
    for title, measure_of, unit, variants in (
        ("microcircuit 0.1", "real_time_factor", "s per s", ("1", "2", "2 ranks")),
        ("60 populations", "step_us", "us", ("1", "2")),
    ):
        values = {(v, load): column(runs[load][f"{title}, {v}"], measure_of) for v in variants for load in LOADS}
        for (variant, load), ours in values.items():
            peer = column(runs[load].get(f"{title}, {variant} NEST", []), measure_of)
            rows.append(Row(f"{title}, {shown(variant)}, {load}", unit, ours, peer, "slower"))
        for load in LOADS:
            rows.append(ratio(f"{title}, {load}: two threads / one", values["2", load], values["1", load], THREADS_GOAL))
        for variant in variants:
            rows.append(ratio(f"{title}, {shown(variant)}: busy / alone", values[variant, "busy"], values[variant, "alone"], BUSY_GOAL))
    return rows


def shown(variant: str) -> str:
    return {"1": "1 thread", "2": "2 threads"}.get(variant, variant)


def ratio(title: str, above: list[float], below: list[float], goal: float) -> Row:
    """Of medians: single runs vary with the host."""
    return Row(title, "", [statistics.median(above) / statistics.median(below)] if above and below else [], goal=goal, sense=LOWER)
