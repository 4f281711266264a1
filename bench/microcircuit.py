# SPDX-License-Identifier: Apache-2.0
"""Cortical microcircuit: neuropil beside NEST, same network, same threads as cores, after the same warm-up."""

from __future__ import annotations

from bench import programs
from bench.report import LOWER, Row, Section
from bench.sides import Settings, Side, column, measure

PEER_BYTES_FULL = 16.5e9  # peak of NEST at full scale, with some room
PEER_LIMIT = 2**27  # synapses of one type per thread that NEST accepts
SYNAPSES = 298_880_968
GOALS = {1.0: (90.0, 35.0, 7.0), 0.2: (70.0, 30.0, None)}  # by scale: simulation, construction beside NEST; bytes per synapse


def peer_threads(synapses: float, cores: int) -> int:
    """As many threads as cores, more only where NEST refuses (multiples of the cores, so that all are equally busy)."""
    threads = cores
    while synapses / threads >= PEER_LIMIT:
        threads += cores
    return threads


def run(settings: Settings, scale: float | None = None) -> Section:
    """Full scale unless quick; NEST simulates less biological time than neuropil, both after 100 ms."""
    scale = scale or (0.05 if settings.quick else 1.0)
    ours, theirs = (500.0, 100.0) if settings.quick else (1000.0, 200.0)
    section = Section("microcircuit", f"Cortical microcircuit, scale {scale:g}, {settings.threads} cores")
    common = {"scale": scale, "warmup": 100.0, "seed": 1}
    sides = {"neuropil": Side("microcircuit", common | {"duration": ours, "threads": settings.threads})}
    threads = peer_threads(SYNAPSES * scale, settings.threads)
    if settings.peers and programs.available_memory() < PEER_BYTES_FULL * scale:
        section.notes.append(
            f"NEST left out: it needs {PEER_BYTES_FULL * scale / 1e9:.0f} GB, {programs.available_memory() / 1e9:.0f} GB are free"
        )
    elif settings.peers:
        sides["nest"] = Side("nest_microcircuit", common | {"duration": theirs, "threads": threads}, peer=True)
    runs = measure(section, settings, sides)
    n, p = runs["neuropil"], runs.get("nest", [])
    simulation, construction, memory = GOALS.get(scale, (None, None, None))
    section.rows = [
        Row(
            "simulation, real-time factor",
            "s per s",
            column(n, "real_time_factor"),
            column(p, "real_time_factor"),
            "slower",
            simulation,
            note=f"after 100 ms; neuropil {ours:g} ms, NEST {theirs:g} ms of biological time",
        ),
        Row(
            "construction",
            "s",
            column(n, "build_s"),
            column(p, "build_s", "init_s"),
            "slower",
            construction,
            note="ready to run; NEST: Create, Connect, Prepare and the first step",
        ),
        Row(
            "construction without routing", "s", column(n, "build_s"), column(p, "build_s"), "slower", note="NEST: Create and Connect only"
        ),
        Row(
            "memory, whole process",
            "B per synapse",
            column(n, "bytes_per_synapse"),
            column(p, "bytes_per_synapse"),
            "value",
            memory,
            LOWER,
        ),
    ]
    if n and p:
        section.notes.append(rates_note(n[0], p[0]))
    if scale < 0.5:
        section.notes.append(
            "with few neurons and all their inputs the circuit synchronises, in both simulators: rates scatter from seed to seed"
        )
    if threads != settings.threads:
        section.notes.append(f"NEST runs {threads} threads on {settings.threads} cores: it refuses 2^27 or more synapses per thread")
    return section


def run_fifth(settings: Settings) -> Section:
    """The same at scale 0.2, unless quick."""
    return run(settings, None if settings.quick else 0.2)


def rates_note(ours: dict, theirs: dict) -> str:
    pairs = ", ".join(f"{name} {ours['rates'][name]:.2f}/{theirs['rates'][name]:.2f}" for name in ours["rates"])
    return f"rates neuropil/NEST [spikes/s]: {pairs}"
