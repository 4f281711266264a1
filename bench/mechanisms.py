# SPDX-License-Identifier: Apache-2.0
"""Networks that use one mechanism each, beside NEST with the same script: seconds of the run, and whether both did the same."""

from __future__ import annotations

from bench.peers.mechanisms import CASES
from bench.report import Row, Section
from bench.sides import Settings, Side, column, measure

SECONDS = ("build_s", "run_s", "peak_rss_bytes", "load_before", "ms", "neurons")  # what is no question of a case


def run(settings: Settings) -> Section:
    section = Section("mechanisms", f"Mechanisms: seconds of a run, {settings.threads} threads")
    for name, case in CASES.items():
        options = {"case": name, "threads": settings.threads}
        if settings.quick:
            options |= {"neurons": max(case.n // 10, 20), "duration": case.ms / 10}
        section.rows += one(section, settings, name, options)
    return section


def one(section: Section, settings: Settings, name: str, options: dict) -> list[Row]:
    case, sides = CASES[name], {name: Side("mechanisms", options, peer=True, layer=True)}
    if settings.peers:
        sides[f"{name} NEST"] = Side("mechanisms", options | {"threads": case.nest_threads or settings.threads}, peer=True)
    runs = measure(section, settings, sides)
    ours, peer = runs[name], runs.get(f"{name} NEST", [])
    goal = None if settings.quick else case.goal
    rows = [Row(case.title, "s", column(ours, "run_s"), column(peer, "run_s"), compare="slower", goal=goal)]
    for question in sorted({key for each in ours for key in each} - set(SECONDS)):
        rows.append(Row(f"  {question.replace('_', ' ')}", "", column(ours, question), column(peer, question)))
    return rows
