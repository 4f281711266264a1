# SPDX-License-Identifier: Apache-2.0
"""Saving, loading and going on from checkpoints, beside what the disk can do: a file as large, written and read in the same run."""

from __future__ import annotations

import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import neuropil as npl
from bench.report import LOWER, Row, Section
from bench.sides import Settings
from neuropil.checkpoint import periodic
from neuropil.cli.jobs import hpc_benchmark, microcircuit

PIECE = bytes(16 << 20)


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def write_plain(path: Path, size: int) -> None:
    """What dd does: large writes, then fsync."""
    with path.open("wb", buffering=0) as file:
        for begin in range(0, size, len(PIECE)):
            file.write(memoryview(PIECE)[: min(len(PIECE), size - begin)])
        os.fsync(file.fileno())


def forget(path: Path) -> None:
    """Takes a file that is on the disk out of the memory of the system."""
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_plain(path: Path) -> None:
    buffer = bytearray(PIECE)
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def circuit(scale: float, threads: int) -> npl.Network:
    plan = microcircuit.plan(scale)
    net = npl.Network(resolution=microcircuit.RESOLUTION, seed=1, threads=threads)
    microcircuit.connect(net, plan, microcircuit.create(net, plan))
    return net


def one_file(net: npl.Network, edges: str, folder: Path, threads: int) -> dict[str, float]:
    """Saves and loads; a plain file as large beside it."""
    path, plain = folder / f"{edges}.npc", folder / "plain"
    before = resident()
    saved = seconds(lambda: net.save(path, edges=edges))
    extra = resident() - before
    size = sum(file.stat().st_size for file in folder.glob(f"{edges}.npc*"))
    disk = seconds(lambda: write_plain(plain, size))
    for file in (path, plain):
        forget(file)
    loaded = seconds(lambda: npl.load(path, threads=threads))
    read = seconds(lambda: read_plain(plain))
    return {"size": size, "save": saved, "disk": disk, "extra": extra, "load": loaded, "read": read}


def of_circuit(settings: Settings, section: Section) -> None:
    scale = 0.05 if settings.quick else 1.0
    builds, described, stored = [], [], []
    with tempfile.TemporaryDirectory(dir=settings.output) as folder:
        for _ in range(settings.repeats):
            net = circuit(scale, settings.threads)
            builds.append(seconds(net.build))
            net.run(20.0)
            described.append(one_file(net, "describe", Path(folder), settings.threads))
            stored.append(one_file(net, "store", Path(folder), settings.threads))
            del net
    title = "microcircuit" if scale == 1.0 else f"microcircuit x {scale:g}"
    section.runs[title] = [{"build": a, "described": b, "stored": c} for a, b, c in zip(builds, described, stored, strict=True)]
    section.rows += [
        Row(f"{title}: build", "s", builds),
        Row("file, static synapses drawn again", "MB", [x["size"] / 1e6 for x in described]),
        Row("  save", "s", [x["save"] for x in described]),
        Row("  load", "s", [x["load"] for x in described]),
        Row("file, all stored", "MB", [x["size"] / 1e6 for x in stored]),
        Row("  save", "s", [x["save"] for x in stored]),
        Row("  the same bytes by large writes and fsync", "s", [x["disk"] for x in stored]),
        Row("  save, share of that speed", "", [x["disk"] / x["save"] for x in stored], goal=0.5),
        Row("  save beyond the time of the disk", "s", [x["save"] - x["disk"] for x in stored], goal=3.0, sense=LOWER),
        Row("  memory beyond that of the network", "MB", [x["extra"] / 1e6 for x in stored], goal=64.0, sense=LOWER),
        Row("  load", "s", [x["load"] for x in stored], note="the file is not in the memory of this system; that of its host may have it"),
        Row("  load, share of the speed of reading the file", "", [x["read"] / x["load"] for x in stored], goal=0.5),
        Row("  load / build", "", [x["load"] / b for x, b in zip(stored, builds, strict=True)], goal=0.5, sense=LOWER),
    ]


@contextmanager
def stops() -> Iterator[list[float]]:
    """Seconds for which a network is stopped by each checkpoint of a run."""
    found: list[float] = []
    save = periodic.save

    def timed(*given: Any, **options: Any) -> int:
        begin = time.perf_counter()
        size = save(*given, **options)
        found.append(time.perf_counter() - begin)
        return size

    periodic.save = timed
    try:
        yield found
    finally:
        periodic.save = save


def of_plastic_runs(settings: Settings, section: Section) -> None:
    """hpc_benchmark with a checkpoint in every second, against the same without."""
    neurons, indegree, duration = (2500, 500, 2000.0) if settings.quick else (11255, 3750, 5000.0)

    def run(folder: str, saves: bool) -> float:
        plan = hpc_benchmark.plan(neurons, indegree)
        net = npl.Network(resolution=0.1, seed=1, threads=settings.threads)
        hpc_benchmark.build(net, plan)
        net.run(10.0)
        options = {"checkpoint_every": 1000.0, "checkpoint": Path(folder) / "run.npc"} if saves else {}
        return seconds(lambda: net.run(duration, **options))

    with tempfile.TemporaryDirectory(dir=settings.output) as folder, stops() as stopped:
        pairs = [(run(folder, True), run(folder, False)) for _ in range(settings.repeats)]
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
    section.runs["hpc_benchmark"] = [{"with": a, "without": b} for a, b in pairs]
    section.runs["hpc_benchmark, stopped for each checkpoint"] = [{"stopped": each} for each in stopped]
    section.rows += [
        Row(f"hpc_benchmark N = {neurons}, K = {indegree}: run {duration / 1000:g} s", "s", [b for _, b in pairs]),
        Row("  with a checkpoint in every second", "s", [a for a, _ in pairs]),
        Row("  overhead", "%", [100.0 * (a / b - 1.0) for a, b in pairs], goal=5.0, sense=LOWER, note=f"{size / 1e6:.0f} MB each"),
        Row("  stopped for each", "ms", [1e3 * each for each in stopped], sense=LOWER),
    ]


def of_small(section: Section) -> None:
    """One neuron; a thousand populations."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.npc"
        net = npl.Network(threads=1)
        net.create("iaf_psc_exp")
        net.run(1.0)
        times = [(seconds(lambda: net.save(path)), seconds(lambda: npl.load(path, threads=1))) for _ in range(20)]
        many = npl.Network(threads=1)
        cells = [many.create("iaf_psc_exp", 10) for _ in range(1000)]
        for a, b in itertools.pairwise(cells):
            many.connect(a, b, weight=1.0)
        many.run(1.0)
        parts = [(seconds(lambda: many.save(path)), seconds(lambda: npl.load(path, threads=1))) for _ in range(3)]
    section.rows += [
        Row("one neuron: save", "ms", [1e3 * statistics.median(a for a, _ in times)]),
        Row("one neuron: load", "ms", [1e3 * statistics.median(b for _, b in times)]),
        Row("1000 populations and projections: save", "ms", [1e3 * statistics.median(a for a, _ in parts)]),
        Row("1000 populations and projections: load", "ms", [1e3 * statistics.median(b for _, b in parts)]),
    ]


def run(settings: Settings) -> Section:
    settings.output.mkdir(parents=True, exist_ok=True)
    section = Section("checkpoint", "Checkpoints: files, and what they cost a run", peer="none")
    of_small(section)
    of_plastic_runs(settings, section)
    of_circuit(settings, section)
    return section
