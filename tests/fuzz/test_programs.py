# SPDX-License-Identifier: Apache-2.0
"""Random programs with every mechanism mixed give one result on any threads, slices and ranks, and as if what was refused had not been called.

Each is performed in a process of its own; `python -m fuzz.programs SEED N` performs others by hand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("seed", "number"), [(0, 8), (100, 8), *(pytest.param(seed, 16, marks=pytest.mark.slow) for seed in (0, 100))])
def test_random_programs_have_one_result(seed, number):
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "fuzz.programs", str(seed), str(number)],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-4000:]
    assert "'done'" in done.stdout
