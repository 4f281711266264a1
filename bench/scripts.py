# SPDX-License-Identifier: Apache-2.0
"""Ordinary scripts as a user starts them: the whole process, from import to exit, of every script in examples/nest and tests/nest/corpus/wild on both simulators."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.programs import ROOT
from bench.report import Row, Section
from bench.sides import Settings

FOLDERS = ("examples/nest", "tests/nest/corpus/wild")
LAYER = ("-m", "neuropil.nest")
MEDIAN_GOAL = 2.0


def run(settings: Settings) -> Section:
    section = Section("scripts", "Ordinary scripts: seconds of the whole process, as they come")
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.py"))]
    for path in paths[::8] if settings.quick else paths:
        settings.say(f"scripts: {path.stem}")
        try:
            section.rows.append(one(path, settings))
        except subprocess.CalledProcessError as error:
            section.errors.append(f"{path.name}: {error}")
    if settings.peers:
        ratios = [row.ratio for row in section.rows if row.ratio]
        section.rows.append(Row("median of the ratios", "x", [statistics.median(ratios)], goal=None if settings.quick else MEDIAN_GOAL))
        section.rows.append(Row("scripts slower than on NEST", "", [float(sum(ratio < 1.0 for ratio in ratios))]))
    return section


def one(path: Path, settings: Settings) -> Row:
    ours, peer = [], []
    for _ in range(settings.repeats):
        ours.append(seconds(*LAYER, str(path)))
        if settings.peers:
            peer.append(seconds(str(path)))
    return Row(f"{path.parent.name}/{path.stem}", "s", ours, peer)


def seconds(*words: str) -> float:
    """Of one process, in an empty folder. Raises CalledProcessError when it fails."""
    env = os.environ | {"MPLBACKEND": "agg", "PYNEST_QUIET": "1"}
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        subprocess.run([sys.executable, *words], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - begin
