# SPDX-License-Identifier: Apache-2.0
"""Checkpoints whose bytes have changed in random ways: refused with a typed error, or read as they were; never a crash.

They are read in subprocesses, so that a crash is a failed test and not the end of all tests; `python -m fuzz.checkpoints SEED N` repeats one by hand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("seed", range(3))
def test_changed_checkpoints_are_refused_or_the_same(seed):
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "fuzz.checkpoints", str(seed), "2000"],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert "refused" in done.stdout
