# SPDX-License-Identifier: Apache-2.0
"""Scripts of NEST, unchanged, on neuropil.nest: what the layer costs beside the native API, and the same scripts on NEST in the same run."""

from __future__ import annotations

import subprocess
import sys
import time

from bench.report import LOWER, Row, Section
from bench.sides import Settings, Side, column, measure

MOST_LOSS = 1.03
GOALS = {
    "create": ("Create with three parameters drawn for each neuron", 10.0),
    "connections": ("GetConnections and all weights", 20.0),
    "spatial": ("Connect by a gaussian kernel in a circular mask", 10.0),
}
SMALL = {"create": 50_000, "connections": 500_000, "spatial": 5_000}
BUILD = ("build_s", "init_s")


def run(settings: Settings) -> Section:
    section = Section("nest", f"Scripts of NEST on neuropil.nest, {settings.threads} threads")
    section.rows.append(start_up(settings))
    for part in (microcircuit, hpc_benchmark, tasks):
        section.rows += part(section, settings)
    return section


def start_up(settings: Settings) -> Row:
    """A whole process that imports and ends."""
    seconds = []
    for _ in range(max(settings.repeats, 3)):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import neuropil.nest"], check=True)
        seconds.append(time.perf_counter() - begin)
    return Row("import neuropil.nest, process and all", "s", seconds, goal=0.5, sense=LOWER)


def microcircuit(section: Section, settings: Settings) -> list[Row]:
    options = {"scale": 0.05 if settings.quick else 0.2, "duration": 1000.0, "warmup": 100.0, "threads": settings.threads, "seed": 1}
    return losses(section, settings, "microcircuit", options, options, native_build=("build_s",))


def hpc_benchmark(section: Section, settings: Settings) -> list[Row]:
    neurons, indegree, duration = (2500, 1000, 200.0) if settings.quick else (11255, 3750, 500.0)
    common = {"duration": duration, "threads": settings.threads, "seed": 1}
    native, script = common | {"n": neurons, "k": indegree, "warmup": 10.0}, common | {"neurons": neurons, "indegree": indegree}
    return losses(section, settings, "hpc_benchmark", native, script, native_build=BUILD)


def losses(section: Section, settings: Settings, name: str, native: dict, script: dict, native_build: tuple[str, ...]) -> list[Row]:
    """The script on the layer over the job on the native API."""
    sides = {f"{name} native": Side(name, native), f"{name} layer": Side(f"nest_{name}", script, peer=True, layer=True)}
    if settings.peers:
        sides[f"{name} NEST"] = Side(f"nest_{name}", script, peer=True)
    runs = measure(section, settings, sides)
    ours, layer, peer = runs[f"{name} native"], runs[f"{name} layer"], runs.get(f"{name} NEST", [])
    rows = []
    for what, fields, native_fields in (("simulation", ("sim_s",), ("sim_s",)), ("construction", BUILD, native_build)):
        here, there = column(layer, *fields), column(ours, *native_fields)
        rows.append(Row(f"{name}, {what}: script", "s", here, column(peer, *fields), "slower"))
        ratios = [a / b for a, b in zip(here, there, strict=True)] if len(here) == len(there) else []
        rows.append(Row(f"{name}, {what}: script / native API", "x", ratios, goal=None if settings.quick else MOST_LOSS, sense=LOWER))
    return rows


def tasks(section: Section, settings: Settings) -> list[Row]:
    rows = []
    for task, (title, goal) in GOALS.items():
        options = {"task": task, "threads": settings.threads} | ({"size": SMALL[task]} if settings.quick else {})
        sides = {f"{task} layer": Side("nest_tasks", options, peer=True, layer=True)}
        if settings.peers:
            sides[f"{task} NEST"] = Side("nest_tasks", options, peer=True)
        runs = measure(section, settings, sides)
        ours, peer = runs[f"{task} layer"], runs.get(f"{task} NEST", [])
        note = f"{ours[0]['n']} here" + (f", {peer[0]['n']} in NEST" if peer else "") if ours else ""
        rows.append(
            Row(title, "s", column(ours, "seconds"), column(peer, "seconds"), "slower", None if settings.quick else goal, note=note)
        )
    return rows
