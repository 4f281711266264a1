# SPDX-License-Identifier: Apache-2.0
"""Balanced random network with power-law STDP (Jordan et al. 2018): neuropil beside NEST."""

from __future__ import annotations

from bench.microcircuit import rates_note
from bench.report import LOWER, Row, Section
from bench.sides import Settings, Side, column, measure

WARM_UP = 10.0


def run(settings: Settings) -> Section:
    neurons, indegree, duration = (2500, 1000, 200.0) if settings.quick else (11255, 3750, 1000.0)
    section = Section("hpc_benchmark", f"hpc_benchmark, N = {neurons}, K = {indegree}, STDP, {settings.threads} cores")
    common = {"duration": duration, "threads": settings.threads, "seed": 1}
    sides = {"neuropil": Side("hpc_benchmark", common | {"n": neurons, "k": indegree, "warmup": WARM_UP})}
    if settings.peers:
        sides["nest"] = Side("nest_hpc_benchmark", common | {"neurons": neurons, "indegree": indegree}, peer=True)
    runs = measure(section, settings, sides)
    n, p = runs["neuropil"], runs.get("nest", [])
    full = not settings.quick
    section.rows = [
        Row(
            "simulation",
            "s",
            column(n, "sim_s"),
            column(p, "sim_s"),
            "slower",
            35.0 if full else None,
            note=f"{duration:g} ms after the first {WARM_UP:g} ms",
        ),
        Row(
            "construction",
            "s",
            column(n, "build_s"),
            column(p, "build_s"),
            "slower",
            20.0 if full else None,
            note="NEST: Create and Connect",
        ),
        Row("construction and first 10 ms", "s", column(n, "build_s", "init_s"), column(p, "build_s", "init_s"), "slower"),
        Row(
            "memory, whole process",
            "B per synapse",
            column(n, "bytes_per_synapse"),
            column(p, "bytes_per_synapse"),
            "value",
            9.0 if full else None,
            LOWER,
        ),
    ]
    if n and p:
        section.notes.append(rates_note(n[0], p[0]))
    return section
