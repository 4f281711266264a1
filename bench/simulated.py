# SPDX-License-Identifier: Apache-2.0
"""What ordinary scripts spend in Simulate on both simulators. Durations are multiplied so that NEST simulates for at least half a second."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

from bench.programs import ROOT, RunError, run_peer
from bench.report import Row, Section
from bench.scripts import FOLDERS
from bench.sides import Settings, Side, column, measure

LEAST = 0.5  # s that NEST shall simulate
MOST = 2000  # times the duration of the script
MEDIAN_GOAL, SLOWEST_GOAL = 10.0, 1.0


def run(settings: Settings) -> Section:
    section = Section("simulated", "Ordinary scripts: seconds in Simulate, durations multiplied until NEST takes 0.5 s")
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.py"))]
    for path in paths[::20] if settings.quick else paths:
        try:
            section.rows += one(section, settings, path)
        except RunError as error:
            section.errors.append(f"{path.name}: {error}")
    ratios = [row.ratio for row in section.rows if row.ratio]
    if ratios and not settings.quick:
        section.rows.append(Row("median of the ratios", "x", [statistics.median(ratios)], goal=MEDIAN_GOAL))
        section.rows.append(Row("least ratio", "x", [min(ratios)], goal=SLOWEST_GOAL))
    return section


def one(section: Section, settings: Settings, path: Path) -> list[Row]:
    options: dict[str, object] = {"script": str(path)}
    if settings.peers and not settings.quick:
        options["factor"] = factor_of(run_peer("simulated", options, settings.output / section.name / path.stem)["seconds"])
    sides = {path.stem: Side("simulated", options, peer=True, layer=True)}
    if settings.peers:
        sides[f"{path.stem} NEST"] = Side("simulated", options, peer=True)
    runs = measure(section, settings, sides)
    ours, peer = column(runs[path.stem], "seconds"), column(runs.get(f"{path.stem} NEST", []), "seconds")
    if not ours or not ours[0]:  # it simulates in other processes, or not at all
        return []
    return [Row(f"{path.parent.name}/{path.stem}", "s", ours, peer, "slower", note=f"durations x {options.get('factor', 1)}")]


def factor_of(seconds: float) -> int:
    return min(MOST, max(1, math.ceil(1.2 * LEAST / seconds))) if seconds > 0.0 else 1
