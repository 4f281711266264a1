# SPDX-License-Identifier: Apache-2.0
"""Networks with little to do in a step: what a step and a call of run cost, on one and two threads, beside NEST with the same script."""

from __future__ import annotations

import statistics
import time

import neuropil as npl
from bench.report import LOWER, Row, Section
from bench.sides import Settings, Side, column, measure

THREADS = (1, 2)
TASKS = {
    "iaf_psc_alpha": "one iaf_psc_alpha",
    "aeif_cond_alpha": "one aeif_cond_alpha",
    "populations": "60 populations of 50",
    "singles": "500 neurons and 500 generators, one by one",
}
STEP_GOALS = {"iaf_psc_alpha": 0.05, "aeif_cond_alpha": 0.15}  # us
CALL_GOAL, CALLS_GOAL, THREADS_GOAL = 20.0, 1.3, 1.1  # us; many calls / one call; two threads / one


def run(settings: Settings) -> Section:
    section = Section("small", "Small networks: microseconds of a step, of a call, and what a second thread does to them")
    for task, title in TASKS.items():
        section.rows += scripts(section, settings, task, title)
    section.rows += native(section, settings)
    section.rows.append(driven(section, settings))
    return section


def scripts(section: Section, settings: Settings, task: str, title: str) -> list[Row]:
    """The script of NEST on both simulators."""
    sides = {}
    for threads in THREADS:
        options = {"task": task, "threads": threads, "calls": 200 if settings.quick else 1000}
        sides[f"{task} {threads}"] = Side("small_steps", options, peer=True, layer=True)
        if settings.peers:
            sides[f"{task} {threads} NEST"] = Side("small_steps", options, peer=True)
    runs = measure(section, settings, sides)
    rows = []
    for threads in THREADS:
        ours, peer = runs[f"{task} {threads}"], runs.get(f"{task} {threads} NEST", [])
        what = f"{title}, {threads} thread{'s' * (threads > 1)}"
        rows.append(Row(f"{what}: step", "us", column(ours, "step_us"), column(peer, "step_us"), goal=STEP_GOALS.get(task), sense=LOWER))
        rows.append(Row(f"{what}: Simulate(1.0)", "us", column(ours, "call_us"), column(peer, "call_us"), "slower"))
    return rows


def times_of_calls(neurons: int, threads: int, calls: int) -> tuple[float, float]:
    """Seconds of many calls of run(1.0), and of one call of the same time."""
    net = npl.Network(resolution=0.1, seed=1, threads=threads)
    cells = net.create("iaf_psc_alpha", neurons, I_e=380.0)
    net.connect(cells, cells, npl.fixed_indegree(10), weight=1.0, delay=1.5)
    net.record(cells)
    net.run(10.0)
    start = time.perf_counter()
    for _ in range(calls):
        net.run(1.0)
    middle = time.perf_counter()
    net.run(float(calls))
    return middle - start, time.perf_counter() - middle


def native(section: Section, settings: Settings) -> list[Row]:
    """run(dt) of the native API."""
    calls = 300 if settings.quick else 3000
    rows = []
    for neurons in (100, 1000, 10_000):
        found: dict[int, list[tuple[float, float]]] = {threads: [] for threads in THREADS}
        for _ in range(settings.repeats):
            for threads in THREADS:
                found[threads].append(times_of_calls(neurons, threads, calls // (1 + neurons // 1000)))
        section.runs[f"run(1.0), {neurons} neurons"] = [{"threads": t, "calls_s": a, "one_s": b} for t in THREADS for a, b in found[t]]
        n = calls // (1 + neurons // 1000)
        for threads, times in found.items():
            what = f"{neurons} neurons, {threads} thread{'s' * (threads > 1)}"
            rows.append(
                Row(f"{what}: run(1.0)", "us", [1e6 * a / n for a, _ in times], goal=CALL_GOAL if neurons == 100 else None, sense=LOWER)
            )
            rows.append(
                Row(
                    f"{what}: many calls / one call",
                    "",
                    [a / b for a, b in times],
                    goal=CALLS_GOAL if neurons > 1000 else None,
                    sense=LOWER,
                )
            )
        one, two = (statistics.median(b for _, b in found[t]) for t in THREADS)
        rows.append(Row(f"{neurons} neurons: two threads / one", "", [two / one], goal=THREADS_GOAL, sense=LOWER))
    return rows


def cpu_of_populations(threads: int, duration: float) -> float:
    """CPU seconds of 100 populations of 10 neurons, each with a Poisson generator and two projections of its own."""
    net = npl.Network(resolution=0.1, seed=1, threads=threads)
    cells = [net.create("iaf_psc_exp", 10) for _ in range(100)]
    for k, source in enumerate(cells):
        for d in (1, 7):
            net.connect(source, cells[(k + d) % 100], npl.fixed_indegree(5), weight=10.0, delay=1.5)
        net.stimulate(source, npl.poisson(8000.0), weight=50.0)
    net.run(10.0)
    start = time.process_time()
    net.run(duration)
    return time.process_time() - start


def driven(section: Section, settings: Settings) -> Row:
    found: dict[int, list[float]] = {threads: [] for threads in THREADS}
    for _ in range(settings.repeats):
        for threads in THREADS:
            found[threads].append(cpu_of_populations(threads, 200.0 if settings.quick else 1000.0))
    section.runs["100 populations of 10"] = [{"threads": t, "cpu_s": x} for t in THREADS for x in found[t]]
    ratios = [two / one for one, two in zip(*found.values(), strict=True)]
    return Row("100 populations of 10: CPU time, two threads / one", "", ratios, goal=THREADS_GOAL, sense=LOWER)
