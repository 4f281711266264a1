# SPDX-License-Identifier: Apache-2.0
"""Construction as in Ippen et al. 2017 and Jordan et al. 2018: times beside NEST, phases, allocators, memory while building."""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from bench import construct_plots, programs
from bench.report import LOWER, Row, Section, Table
from bench.sides import Settings, Side

SHIM = programs.ROOT / "bench" / "cpp" / "count_allocations.c"
ALLOCATORS = {
    "jemalloc": "libjemalloc.so.2",
    "tcmalloc": "libtcmalloc_minimal.so.4",
    "mimalloc": "libmimalloc.so.2.0",
    "TBB": "libtbbmalloc_proxy.so.2",
}
PACKAGES = "libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0 libtbbmalloc2"
# In the order of the stacked bars; net.timers may know fewer. Ippen's names where they mean the same.
PHASES = {
    "create": "node creation", "connect": "checks", "build_count": "source selection, counting", "build_place": "placing",
    "build_fill": "source selection, writing", "build_sort": "sorting", "build_devices": "devices", "build_route": "routing",
}  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """A network to build; `peer`: whether NEST builds it too."""

    name: str
    neurons: int
    indegree: int
    peer: bool = True
    static: bool = False

    @property
    def title(self) -> str:
        return f"{self.name} (N = {self.neurons}, K = {self.indegree})"


FULL = (
    Shape("Jordan 2018 laptop", 11255, 3750),
    Shape("Ippen 2017 small", 25000, 2500),
    Shape("sparse", 1_000_000, 30, peer=False, static=True),
)
QUICK = (
    Shape("Jordan 2018 laptop / 10", 1125, 375),
    Shape("Ippen 2017 small / 10", 2500, 250),
    Shape("sparse / 10", 100_000, 30, peer=False, static=True),
)


def run(settings: Settings) -> Section:
    shapes = QUICK if settings.quick else FULL
    section = Section(
        "construct", "Construction and first 10 ms", commands=["python -m bench.construct_worker --neurons N --indegree K --threads T"]
    )
    found = compare(section, settings, shapes)
    for (shape, threads), sides in found.items():
        section.rows += times(shape, threads, sides, not settings.quick)
    for (shape, threads), sides in found.items():
        section.rows += memory(shape, threads, sides["neuropil"])
    phases(section, settings, found)
    allocators(section, settings, shapes[1])
    allocations(section, settings, shapes)
    return section


def on(threads: int) -> str:
    return f"{threads} thread{'s' if threads > 1 else ''}"


def attempt(section: Section, work, *arguments) -> dict | None:
    """A run that fails is noted, not raised."""
    try:
        return work(*arguments)
    except (programs.RunError, OSError, ValueError) as error:
        section.errors.append(str(error))
        return None


def ours(settings: Settings, shape: Shape, threads: int, label: str, preload: str = "") -> dict:
    settings.say(f"construct: {shape.name}, {on(threads)}, {label}")
    options = {"neurons": shape.neurons, "indegree": shape.indegree, "threads": threads}
    command = [sys.executable, "-m", "bench.construct_worker", *programs.arguments(options), *(["--static"] if shape.static else [])]
    log = settings.output / "construct" / f"{label}.log"
    return json.loads(programs.execute(command, log, {"LD_PRELOAD": preload} if preload else None))


def theirs(settings: Settings, shape: Shape, threads: int) -> dict:
    settings.say(f"construct: {shape.name}, {on(threads)}, nest")
    side = Side(
        "nest_hpc_benchmark", {"neurons": shape.neurons, "indegree": shape.indegree, "threads": threads, "duration": 1.0}, peer=True
    )
    return programs.run_peer(side.program, side.options, settings.output / "construct")


def compare(section: Section, settings: Settings, shapes: tuple[Shape, ...]) -> dict[tuple[Shape, int], dict[str, list[dict]]]:
    """Both simulators in turn, every network at one thread and at all of them."""
    found: dict = {key: {"neuropil": [], "nest": []} for key in itertools.product(shapes, sorted({1, settings.threads}))}
    for _, (shape, threads) in itertools.product(range(settings.repeats), found):
        results = {"neuropil": attempt(section, ours, settings, shape, threads, "neuropil")}
        if settings.peers and shape.peer:
            results["nest"] = attempt(section, theirs, settings, shape, threads)
        for side, result in results.items():
            if result is not None:
                found[shape, threads][side].append(result)
    section.runs = {
        f"{shape.name}, {on(threads)}, {side}": runs for (shape, threads), sides in found.items() for side, runs in sides.items()
    }
    return found


def times(shape: Shape, threads: int, sides: dict[str, list[dict]], full: bool) -> list[Row]:
    values = {side: [run["build_s"] + run["init_s"] for run in runs] for side, runs in sides.items()}
    rate = [run["synapses"] / run["build_s"] * 1e-6 for run in sides["neuropil"]]
    goal = 10.0 if full and shape.peer else None
    note = f"build alone: {statistics.median(rate):.1f} million synapses/s" if rate else ""
    return [Row(f"{shape.title}, {on(threads)}", "s", values["neuropil"], values["nest"], "slower", goal, note=note)]


def memory(shape: Shape, threads: int, runs: list[dict]) -> list[Row]:
    """Growth of the process from before the network is made."""
    peaks = [(run["rss_peak"] - run["rss_before"]) / (run["rss_built"] - run["rss_before"]) for run in runs if run["rss_peak"] is not None]
    size = [(run["rss_built"] - run["rss_before"]) / run["synapses"] for run in runs]
    note = f"{statistics.median(size):.1f} B per synapse when built" if size else ""
    return [Row(f"{shape.title}, {on(threads)}: peak while building / built", "x", peaks, [], "value", 1.25, LOWER, note)]


def phases(section: Section, settings: Settings, found: dict) -> None:
    """Ippen's figure 3."""
    rows, bars = [], defaultdict(dict)
    for (shape, threads), sides in found.items():
        runs = sides["neuropil"]
        if not runs:
            continue
        share = {title: statistics.median(run["timers"].get(name, 0.0) for run in runs) for name, title in PHASES.items()}
        share["other"] = max(0.0, statistics.median(run["build_s"] for run in runs) - sum(share.values()))
        share["first 10 ms"] = statistics.median(run["init_s"] for run in runs)
        bars[shape.title][threads] = share
        rows.append([f"{shape.name}, {threads}", *share.values()])
    if rows:
        section.tables.append(Table("Phases (s)", ["network, threads", *share], rows))
        construct_plots.phases(bars, plot(settings, "construct_phases.png"))


def plot(settings: Settings, name: str) -> Path:
    path = settings.output / "construct" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def library(name: str) -> str | None:
    """Path of an allocator that this system has."""
    folders = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")
    return next((str(Path(folder) / name) for folder in folders if (Path(folder) / name).exists()), None)


def allocators(section: Section, settings: Settings, shape: Shape) -> None:
    """Ippen's figures 5 and 7: time and memory of the same build under each allocator, in turn."""
    present = {"glibc": ""} | {name: path for name, file in ALLOCATORS.items() if (path := library(file))}
    if absent := set(ALLOCATORS) - set(present):
        section.notes.append(f"not measured, not installed: {', '.join(sorted(absent))} (apt-get install {PACKAGES})")
    counts = sorted({1, settings.threads})
    runs = defaultdict(list)
    for _, threads, (name, path) in itertools.product(range(settings.repeats), counts, present.items()):
        if (result := attempt(section, ours, settings, shape, threads, name, path)) is not None:
            runs[name, threads].append(result)
    rows = []
    for (name, threads), results in runs.items():
        seconds = statistics.median(r["build_s"] for r in results)
        megabytes = statistics.median((r["rss_peak"] or r["rss_built"]) / 1e6 for r in results)
        rows.append([name, str(threads), seconds, statistics.median(r["init_s"] for r in results), megabytes])
    section.tables.append(
        Table(f"Allocators, {shape.title}", ["allocator", "threads", "build (s)", "first 10 ms (s)", "peak (MB)"], rows, words=2)
    )
    if rows:
        construct_plots.allocators(rows, plot(settings, "construct_allocators.png"))


def allocations(section: Section, settings: Settings, shapes: tuple[Shape, ...]) -> None:
    """How often memory is asked for while tables are built: the same network with its synapses and with half of them."""
    shim = compiled_shim(settings.output / "construct")
    if shim is None:
        return section.notes.append("allocations not counted: no C compiler (cc)")
    rows = []
    for shape in shapes:
        for part in (2, 1):
            smaller = Shape(shape.name, shape.neurons, shape.indegree // part, static=shape.static)
            if (result := attempt(section, ours, settings, smaller, 1, "allocations", shim)) is not None:
                rows.append([smaller.title, result["synapses"] / 1e6, float(result["allocations"])])
    section.tables.append(
        Table(
            "Calls of malloc, realloc, aligned_alloc and mmap while the tables are built, 1 thread",
            ["network", "million synapses", "calls"],
            rows,
        )
    )
    return None


def compiled_shim(folder: Path) -> str | None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "count_allocations.so"
    try:
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", path, SHIM, "-ldl"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return os.fspath(path)
