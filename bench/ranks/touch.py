# SPDX-License-Identifier: Apache-2.0
"""Touch detection on the ranks of a start: every case {circuit, output, threads, ...} leaves a line with times, counters of every rank, memory.

mpiexec -n RANKS python -m bench.ranks.touch CASES.json RESULTS.jsonl
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path

from neuropil.circuit import Plan, TouchOptions, detect_touches
from neuropil.circuit.team import Team
from neuropil.cli.jobs.result import peak_rss


def measure(case: dict, team: Team) -> dict:
    """One run of touch detection from files to file. Collective; all ranks return the same."""
    plan = Plan(batch_size=case.get("batch_size"), threads=case["threads"], exchange=case["exchange"], restart=True)
    before = peak_rss()
    team.wait()
    begin = time.perf_counter()
    run = detect_touches(case["circuit"], case["output"], TouchOptions(mode=case["mode"]), plan=plan)
    seconds = time.perf_counter() - begin
    return case | {
        "ranks": team.size,
        "seconds": max(team.gather(seconds)),
        "phases": team.gather(run.seconds),
        "counters": run.counters,
        "peak_rss": team.gather(peak_rss()),
        "rss_before": team.gather(before),
        "touches": run.touches,
        "cells": run.cells,
        "batches": run.batches,
        "bytes": Path(case["output"]).stat().st_size,
        "sha256": team.first(lambda: digest(Path(case["output"]))),
    }


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main(cases: Path, results: Path) -> None:
    team = Team()
    for case in json.loads(cases.read_text()):
        found = measure(case, team)
        if team.rank == 0:
            with results.open("a") as file:
                file.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
