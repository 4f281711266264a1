# SPDX-License-Identifier: Apache-2.0
"""The full-scale microcircuit beside published runs: real-time factor by year and by CPU cores. Draws DIR/race/race.png.

Published values: bench/race_published.json. Ours: bench/results, and with --measure a run on this machine.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import programs, race_plots
from bench.report import Row, Section, Table
from bench.sides import Settings, Side, column, measure

PUBLISHED = programs.ROOT / "bench" / "race_published.json"
RESULTS = programs.ROOT / "bench" / "results"
THIS_RUN = "this run"
FULL_SCALE = {"scale": 1.0, "warmup": 100.0, "seed": 1, "duration": 1000.0}
# Hypervisors hide the names of processors: (L2 of a core, AVX-512) tells the EPYCs of bench/results apart.
CHIPS = {("512K", False): "EPYC Milan", ("1024K", True): "EPYC Genoa"}


@dataclass(frozen=True)
class Entry:
    """One run. `cores`: CPU cores of all nodes, None where the hardware is no CPU. `kind`: cpu, gpu, special, ours."""

    study: str
    year: int
    simulator: str
    hardware: str
    kind: str
    cores: int | None
    real_time_factor: float
    drive: str

    @property
    def core_seconds(self) -> float | None:
        """Core seconds per second of biological time."""
        return None if self.cores is None else self.cores * self.real_time_factor


def published(file: Path = PUBLISHED) -> list[Entry]:
    return [Entry(**run) for run in json.loads(file.read_text())["runs"]]


def chip(machine: dict[str, Any]) -> str:
    """Generation of an EPYC; the name that the machine gives for anything else."""
    found = CHIPS.get((machine["caches"].get("L2 Unified", ""), "avx512f" in machine["simd"]))
    return found if found and machine["cpu"].startswith("AMD EPYC") else machine["cpu"]


def ours(machine: dict[str, Any], factor: float, study: str, year: int) -> Entry:
    return Entry(study, year, "neuropil", chip(machine), "ours", machine["cores"], factor, "Poisson")


def is_full_scale(section: dict[str, Any]) -> bool:
    return section["name"] == "microcircuit" and any("--scale 1.0 " in command for command in section["commands"])


def stored(folder: Path = RESULTS) -> list[Entry]:
    """Full-scale runs of neuropil in DATE-*.json, one entry per run."""
    found = []
    for file in sorted(folder.glob("*.json")):
        report = json.loads(file.read_text())
        for section in report.get("sections", []):
            if is_full_scale(section):
                factors = [run["real_time_factor"] for run in section["runs"]["neuropil"]]
                found += [ours(report["machine"], factor, file.name, int(file.name[:4])) for factor in factors]
    return found


def measured(section: Section, settings: Settings) -> list[Entry]:
    """The full-scale model on this machine, also with --quick: a smaller model is no entry of the table."""
    runs = measure(section, settings, {"neuropil": Side("microcircuit", FULL_SCALE | {"threads": settings.threads})})["neuropil"]
    machine, year = programs.machine() | {"cores": settings.threads}, datetime.date.today().year
    return [ours(machine, factor, THIS_RUN, year) for factor in column(runs, "real_time_factor")]


def table(entries: list[Entry]) -> Table:
    def words(e: Entry) -> list[str | float]:
        cores: list[str | float] = ["", ""] if e.cores is None or e.core_seconds is None else [str(e.cores), e.core_seconds]
        return [e.study, f"{e.simulator}, {e.hardware}", e.drive, e.real_time_factor, *cores]

    headers = ["study", "simulator, hardware", "drive", "real-time factor", "cores", "core seconds per s"]
    return Table("Full-scale cortical microcircuit", headers, [words(e) for e in entries], words=3)


def rows(entries: list[Entry]) -> list[Row]:
    """One row for each of our machines: all its runs."""
    found: dict[tuple[str, str], Row] = {}
    for e in (e for e in entries if e.kind == "ours"):
        when = "this run, " if e.study == THIS_RUN else ""
        name = f"{when}{e.cores} cores of {e.hardware}: real-time factor"
        found.setdefault((when, e.hardware), Row(name, "s per s", [])).neuropil.append(e.real_time_factor)
    return list(found.values())


def run(settings: Settings) -> Section:
    section = Section("race", "neuropil by machine", peer="peer")
    entries = published() + stored() + (measured(section, settings) if settings.measure else [])
    section.tables.append(table(entries))
    section.rows = rows(entries)
    picture = settings.output / "race" / "race.png"
    race_plots.draw(entries, picture)
    section.notes.append(f"published values: {PUBLISHED.relative_to(programs.ROOT)}; figure: {picture}")
    if not settings.measure:
        section.notes.append("neuropil's values: bench/results; --measure adds a run on this machine (about 2 GB, a minute or less)")
    return section
