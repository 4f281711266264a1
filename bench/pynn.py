# SPDX-License-Identifier: Apache-2.0
"""Networks as scripts of PyNN on pyNN.neuropil, beside pyNN.nest: the whole process, and setting up and running."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

from bench import programs
from bench.report import Row, Section
from bench.sides import Settings, column

VOGELS_ABBOTT, BALANCED = 5.0, 10.0  # goals


def is_there() -> bool:
    """Whether PyNN is installed."""
    found = importlib.util.find_spec("pyNN")
    return found is not None and found.origin is not None


def mpi_seconds() -> float:
    """Seconds that starting MPI takes a process; 0 without mpi4py."""
    program = "import time; begin = time.perf_counter(); from mpi4py import MPI; print(time.perf_counter() - begin)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return float(done.stdout) if done.returncode == 0 else 0.0


def run(settings: Settings) -> Section:
    section = Section("pynn", "Scripts of PyNN", peer="pyNN.nest")
    section.notes.append("balanced: pyNN.nest with NativeRNG, so that NEST draws; without, it takes minutes (--native 0)")
    if seconds := mpi_seconds():
        section.notes.append(f"PyNN does not need mpi4py; where it is installed, PyNN starts MPI with it: {seconds:.2f} s, on both sides")
    if not is_there():
        section.notes.append("PyNN is not installed: nothing was measured")
        return section
    size = 400 if settings.quick else 4000
    for threads in (1, 2):
        for network in ("cuba", "coba"):
            options = {"network": network, "size": size, "duration": 100.0 if settings.quick else 1000.0, "threads": threads}
            title = f"{network.upper()}, {size} cells, threads: {threads}, whole process"
            add(section, settings, title, ("whole",), runs(section, settings, options | {"mpi4py": 0}), VOGELS_ABBOTT)
            if seconds:
                add(section, settings, "  with mpi4py", ("whole",), runs(section, settings, options | {"mpi4py": 1}), VOGELS_ABBOTT)
    size = 500 if settings.quick else 10_000
    for threads in (1, 2):
        options = {"network": "balanced", "size": size, "duration": 200.0, "threads": threads, "native": 1}
        both = runs(section, settings, options)
        title = f"balanced network, {size} cells, threads: {threads}"
        add(section, settings, f"{title}, set up and run", ("setup", "run"), both, BALANCED)
        add(section, settings, "  set up", ("setup",), both)
    return section


def runs(section: Section, settings: Settings, options: dict) -> dict[str, list[dict]]:
    """Each simulator in turn."""
    found: dict[str, list[dict]] = {"neuropil": [], "nest": []}
    for repeat in range(settings.repeats):
        for name in found if settings.peers else ("neuropil",):
            settings.say(f"pynn: {name}, {options['network']}, threads: {options['threads']}, {repeat + 1} of {settings.repeats}")
            command = programs.peer_command("pynn_networks", {"simulator": name} | options)
            try:
                printed = programs.execute(command, Path(settings.output) / "pynn" / f"{name}.log")
            except programs.RunError as error:
                section.errors.append(str(error))
                continue
            found[name].append(json.loads(printed.splitlines()[-1]))  # NEST prints, too
            if not repeat:
                section.commands.append(programs.shown(command))
    section.runs["_".join(str(options[o]) for o in ("network", "threads", "mpi4py") if o in options)] = found["neuropil"] + found["nest"]
    return found


def add(
    section: Section, settings: Settings, title: str, names: tuple[str, ...], both: dict[str, list[dict]], goal: float | None = None
) -> None:
    ours, theirs = (column(both[name], *names) for name in ("neuropil", "nest"))
    section.rows.append(Row(title, "s", ours, theirs, "slower", None if settings.quick else goal))
