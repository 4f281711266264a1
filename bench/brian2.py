# SPDX-License-Identifier: Apache-2.0
"""Scripts of Brian2 (CUBA, COBAHH) run by neuropil, beside Brian2's cython code and its C++ standalone code, one thread each."""

from __future__ import annotations

import importlib

from bench.report import Row, Section
from bench.sides import Settings, Side, column, measure

SIZES, DURATION = (4000, 40000), 1000.0  # ms
GOALS = {"cython": 10.0, "standalone": 3.0}


def is_there() -> bool:
    """Whether Brian2 can be imported: version 2.9 cannot beside numpy 2.4."""
    try:
        importlib.import_module("brian2")
    except Exception:
        return False
    return True


def run(settings: Settings) -> Section:
    section = Section("brian2", "Scripts of Brian2 on 1 thread", peer="Brian2")
    if not is_there() or not settings.other_peers:
        section.notes.append("Brian2 is not installed or cannot be imported: nothing was measured")
        return section
    for size in (400,) if settings.quick else SIZES:
        for network in ("cuba", "cobahh"):
            add(section, settings, network, size)
    return section


def add(section: Section, settings: Settings, network: str, size: int) -> None:
    """The rows of one network."""
    options = {"network": network, "size": size, "duration": 100.0 if settings.quick else DURATION}
    sides = {f"{name}_{network}_{size}": Side("brian2_networks", {"simulator": name} | options, peer=True) for name in ("neuropil", *GOALS)}
    runs = list(measure(section, settings, sides).values())
    title = f"{network.upper()}, {size} neurons, {options['duration']:g} ms"
    for (name, goal), theirs in zip(GOALS.items(), runs[1:], strict=True):
        row = Row(f"{title}, beside {name}", "s", column(runs[0], "run"), column(theirs, "run"), "slower", None if settings.quick else goal)
        section.rows.append(row)
        compiled = column(runs[0], "compile")[:1], column(theirs, "compile")[:1]
        section.rows.append(Row(f"  before the first step, first process, beside {name}", "s", *compiled))
    section.rows.append(Row("  rate", "spikes/s", column(runs[0], "rate"), column(runs[1], "rate")))
