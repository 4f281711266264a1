# SPDX-License-Identifier: Apache-2.0
"""Starts a program of this folder under mpiexec, with an end to its time, and reads what it leaves."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bench import programs
from neuropil.parallel import launch

CASES, RESULTS = "cases.json", "results.jsonl"


def limited(ranks: int, program: list, limit: float) -> tuple[list[str], dict[str, str]]:
    """mpiexec ends when told to after `limit` seconds, and its ranks with it: a job that hangs takes nobody's time."""
    command, variables = launch.mpiexec_command(ranks, program)
    return ["timeout", "-k", "10", f"{limit:g}", *command], variables


def program(module: str, folder: Path) -> list:
    return [sys.executable, "-m", f"bench.ranks.{module}", folder / CASES, folder / RESULTS]


def run_cases(module: str, ranks: int, cases: list[dict], folder: Path, limit: float) -> tuple[list[dict], str]:
    """Results of the cases, and why some are missing ("" if none is)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CASES).write_text(json.dumps(cases, indent=1) + "\n")
    results = folder / RESULTS
    results.write_text("")
    command, variables = limited(ranks, program(module, folder), limit)
    error = ""
    try:
        programs.execute(command, folder / "log.txt", variables)
    except programs.RunError as failed:
        error = str(failed)
    found = [json.loads(line) for line in results.read_text().splitlines()]
    if len(found) < len(cases):
        error = f"{error or 'results are missing'} (after {len(found)} of {len(cases)} cases on {ranks} ranks)"
    return found, error
