# SPDX-License-Identifier: Apache-2.0
"""Scripts of Brian2 (CUBA, COBAHH, STDP) run by neuropil, beside Brian2's cython code and its C++ standalone code."""

from __future__ import annotations

import importlib

from bench.report import Row, Section
from bench.sides import Settings, Side, column, measure

SIZES, STDP_SIZES, DURATION = (4000, 40000), (1, 100), 1000.0  # neurons; ms
GOALS = {"cython": 10.0, "standalone": 3.0}


def is_there() -> bool:
    """Whether Brian2 can be imported: version 2.9 cannot beside numpy 2.4."""
    try:
        importlib.import_module("brian2")
    except Exception:
        return False
    return True


def run(settings: Settings) -> Section:
    section = Section("brian2", "Scripts of Brian2", peer="Brian2")
    if not is_there() or not settings.other_peers:
        section.notes.append("Brian2 is not installed or cannot be imported: nothing was measured")
        return section
    section.notes.append("neuropil takes all cores by itself, Brian2's cython code has one thread, standalone code as many as neuropil")
    for size in (400,) if settings.quick else SIZES:
        for network in ("cuba", "cobahh"):
            add(section, settings, network, size)
    for size in STDP_SIZES:
        add(section, settings, "stdp", size)
    return section


def add(section: Section, settings: Settings, network: str, size: int) -> None:
    """The rows of one network."""
    options = {"network": network, "size": size, "duration": 100.0 if settings.quick else DURATION}
    threads = sorted({1, settings.threads})
    wanted = [("cython", 1), *((name, n) for n in threads for name in ("neuropil", "standalone"))]
    sides = {
        f"{name}_{network}_{size}_{n}": Side("brian2_networks", {"simulator": name, "threads": n} | options, peer=True)
        for name, n in wanted
    }
    runs = dict(zip(wanted, measure(section, settings, sides).values(), strict=True))
    title = f"{network.upper()}, {size} neurons, {options['duration']:g} ms"
    for n in threads:
        for name, goal in GOALS.items():
            theirs = runs[name, n if name == "standalone" else 1]
            text = f"{title}, threads: {n}, beside {name}"
            ours, limit = column(runs["neuropil", n], "run"), None if settings.quick else goal
            section.rows.append(Row(text, "s", ours, column(theirs, "run"), "slower", limit))
    for name in GOALS:
        compiled = column(runs["neuropil", 1], "compile")[:1], column(runs[name, 1], "compile")[:1]
        section.rows.append(Row(f"  before the first step, first process, beside {name}", "s", *compiled))
    section.rows.append(Row("  rate", "spikes/s", column(runs["neuropil", 1], "rate"), column(runs["cython", 1], "rate")))
